//! The check of units: one sweep over each expression of the tree. A quantity without a unit and a plain number fit
//! everything, so a model without units is never bothered. So does t alone, as in `sin(t)`; together with a quantity that
//! has a unit it is in seconds.

use crate::unit::shortened;
use crate::{Model, Unit};
use ordinate_syntax::{
    Assignment, BinaryOp, Declaration, Diagnostic, Expr, Name, Node, NodeId, NodeKind, Span, Statement, StatementKind,
    Target, Tree, UnaryOp, UnitText,
};
use rustc_hash::FxHashMap;

struct Checker<'a> {
    tree: &'a Tree,
    text: &'a str,
    units: FxHashMap<Name, Unit>,
    /// Units as written, by name and number of primes.
    texts: Vec<(Name, u32, String)>,
    /// The distinct units of the text as they are written.
    written: Vec<(Unit, String)>,
    /// Own functions: their parameters and bodies.
    functions: FxHashMap<Name, (Vec<Name>, Expr)>,
    /// Units of the parameters of the function whose body is looked at.
    bound: Vec<(Name, Option<Unit>)>,
    /// Functions that are open, and bodies that were looked at: functions of functions multiply.
    depth: usize,
    bodies: usize,
    diagnostics: Vec<Diagnostic>,
}

/// Calls of own functions within each other, and in all: beyond that, their units fit everything.
const MOST_OPEN: usize = 16;
const MOST_BODIES: usize = 20_000;

/// The unit of a part of an expression.
#[derive(Clone, Copy, Default)]
struct Part {
    unit: Option<Unit>,
    /// It is made of t and numbers alone: its unit counts only beside that of something else.
    of_time: bool,
}

impl Part {
    fn own(unit: Option<Unit>) -> Part {
        Part { unit, of_time: false }
    }

    /// The unit unless it is that of t alone.
    fn given(self) -> Option<Unit> {
        self.unit.filter(|_| !self.of_time)
    }
}

/// Checks the units of a tree and notes those of its names in the model.
pub(crate) fn check(tree: &Tree, text: &str, model: &mut Model) -> Vec<Diagnostic> {
    let mut checker = Checker {
        tree,
        text,
        units: FxHashMap::default(),
        texts: Vec::new(),
        written: Vec::new(),
        functions: FxHashMap::default(),
        bound: Vec::new(),
        depth: 0,
        bodies: 0,
        diagnostics: Vec::new(),
    };
    for statement in &tree.statements {
        if let StatementKind::Def { name, parameters, body, .. } = &statement.kind {
            let parameters = parameters.iter().map(|(name, _)| *name).collect();
            checker.functions.insert(*name, (parameters, *body));
        }
    }
    checker.declared(&tree.statements);
    if checker.units.is_empty() {
        return checker.diagnostics;
    }
    // A named expression takes the unit of its right-hand side; some need a second look.
    for _ in 0..4 {
        let known = checker.units.len();
        checker.infer(&tree.statements);
        if checker.units.len() == known {
            break;
        }
    }
    checker.diagnostics.retain(|d| d.code == "unknown-unit");
    checker.statements(&tree.statements);
    let mut units: Vec<(Name, Unit)> = checker.units.into_iter().collect();
    units.sort_by_key(|(name, _)| *name);
    model.units = units.into_iter().map(|(name, unit)| (tree.name(name).to_string(), unit)).collect();
    let texts = checker.texts.into_iter();
    model.unit_texts = texts.map(|(name, primes, text)| (tree.name(name).to_string(), primes, text)).collect();
    checker.diagnostics
}

impl Checker<'_> {
    fn unit_of_text(&mut self, text: &Option<UnitText>) -> Option<Unit> {
        let text = text.as_ref()?;
        match Unit::parse(&text.text) {
            Ok(unit) => {
                if !self.written.iter().any(|(known, _)| known.fits(unit)) {
                    self.written.push((unit, text.text.clone()));
                }
                Some(unit)
            }
            Err(reason) => {
                // the reason names the part that is not known
                let hint = reason.split('`').nth(1).and_then(crate::unit::meant);
                let found =
                    Diagnostic::warning("unknown-unit", text.span, format!("this unit is not understood: {reason}"));
                self.diagnostics.push(found.help(hint.as_deref().unwrap_or(
                    "units are products and powers of m, kg, s, A, K, mol, rad, N, J, W, V, Ohm, F, H, T, …",
                )));
                None
            }
        }
    }

    fn declare(&mut self, name: Name, primes: u32, text: &Option<UnitText>) {
        let (Some(unit), Some(text)) = (self.unit_of_text(text), text) else { return };
        let whole = unit.times(Unit::SECOND.power(f64::from(primes)));
        self.units.entry(name).or_insert(whole);
        self.texts.push((name, primes, text.text.clone()));
    }

    fn declared(&mut self, statements: &[Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Param(list)
                | StatementKind::Input(list)
                | StatementKind::Output(list)
                | StatementKind::Init(list)
                | StatementKind::Guess(list) => {
                    list.iter().for_each(|d| self.declare(d.target.name, d.target.primes, &d.unit));
                }
                StatementKind::StartAt { target, unit, .. } => self.declare(target.name, target.primes, unit),
                StatementKind::Equation { left, unit, .. } => {
                    if let NodeKind::Variable { name, primes, .. } = self.tree.node(left.root).kind {
                        self.declare(name, primes, unit);
                    }
                }
                StatementKind::For { body, .. } => self.declared(body),
                StatementKind::Run { .. }
                | StatementKind::Def { .. }
                | StatementKind::When { .. }
                | StatementKind::StopWhen { .. }
                | StatementKind::Every { .. } => {}
            }
        }
    }

    fn infer(&mut self, statements: &[Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Equation { left, right, .. } => {
                    if let NodeKind::Variable { name, primes: 0, .. } = self.tree.node(left.root).kind
                        && !self.units.contains_key(&name)
                        && let Some(unit) = self.expression(*right)
                    {
                        self.units.insert(name, unit);
                    }
                }
                StatementKind::Output(list) | StatementKind::Param(list) => {
                    for d in list {
                        if let (Some(value), false) = (d.value, self.units.contains_key(&d.target.name))
                            && let Some(unit) = self.expression(value)
                        {
                            self.units.insert(d.target.name, unit);
                        }
                    }
                }
                StatementKind::For { body, .. } => self.infer(body),
                _ => {}
            }
        }
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Param(list)
                | StatementKind::Input(list)
                | StatementKind::Output(list)
                | StatementKind::Init(list)
                | StatementKind::Guess(list) => list.iter().for_each(|d| self.declaration(d)),
                StatementKind::StartAt { target, at, value, unit } => {
                    self.time(*at, "a start time is a time");
                    self.given_again(target.name, target.primes, unit);
                    self.assigned(target, *value);
                }
                StatementKind::Equation { left, right, unit } => {
                    if let NodeKind::Variable { name, primes, .. } = self.tree.node(left.root).kind {
                        self.given_again(name, primes, unit);
                    }
                    let (a, b) = (self.expression(*left), self.expression(*right));
                    self.same(a, b, statement.span, "the two sides of this equation have different units");
                }
                StatementKind::For { body, .. } => self.statements(body),
                StatementKind::When { condition, actions } => {
                    self.expression(*condition);
                    self.assignments(actions);
                }
                StatementKind::StopWhen { condition } => _ = self.expression(*condition),
                StatementKind::Every { period, actions } => {
                    self.time(*period, "a sample time is a time");
                    self.assignments(actions);
                }
                StatementKind::Run { from, to } => {
                    self.time(*from, "a run time is a time");
                    self.time(*to, "a run time is a time");
                }
                StatementKind::Def { .. } => {}
            }
        }
    }

    /// What is taken as a time is in seconds.
    fn time(&mut self, e: Expr, message: &str) {
        let found = self.expression(e);
        self.same(Some(Unit::SECOND), found, self.tree.span(e), message);
    }

    /// A name that has a unit at more than one place has the same one there.
    fn given_again(&mut self, name: Name, primes: u32, text: &Option<UnitText>) {
        let known = self.units.get(&name).map(|unit| unit.per_time(primes));
        let own = text.as_ref().and_then(|text| Unit::parse(&text.text).ok());
        if let (Some(known), Some(own), Some(text)) = (known, own, text) {
            let message =
                format!("`{}{}` is given two different units", self.tree.name(name), "'".repeat(primes as usize));
            self.same(Some(known), Some(own), text.span, &message);
        }
    }

    fn declaration(&mut self, d: &Declaration) {
        self.given_again(d.target.name, d.target.primes, &d.unit);
        if let Some(value) = d.value {
            self.assigned(&d.target, value);
        }
    }

    fn assigned(&mut self, target: &Target, value: Expr) {
        let wanted = self.units.get(&target.name).map(|unit| unit.per_time(target.primes));
        let found = self.expression(value);
        let name = format!("{}{}", self.tree.name(target.name), "'".repeat(target.primes as usize));
        self.same(wanted, found, self.tree.span(value), &format!("this value does not have the unit of `{name}`"));
    }

    fn assignments(&mut self, actions: &[Assignment]) {
        actions.iter().for_each(|a| self.assigned(&a.target, a.value));
    }

    /// A unit in the words of the user where it has a factor, such as `km/h`.
    fn as_written(&self, unit: Unit) -> String {
        let plain = unit.to_string();
        let own = self.written.iter().find(|(known, _)| known.fits(unit)).map(|(_, text)| text.clone());
        if has_factor(&plain) { own.unwrap_or(plain) } else { plain }
    }

    /// Reports two known units that differ; the known one of the two goes on.
    fn same(&mut self, a: Option<Unit>, b: Option<Unit>, span: Span, message: &str) -> Option<Unit> {
        if let (Some(left), Some(right)) = (a, b)
            && !left.fits(right)
        {
            let (one, other) = (self.as_written(left), self.as_written(right));
            let found = Diagnostic::warning("unit-mismatch", span, format!("{message}: [{one}] and [{other}]"));
            self.diagnostics.push(match right.in_terms_of(left).map(shortened) {
                Some(factor) if has_factor(&one) || has_factor(&other) => {
                    found.help(format!("they differ by the factor {factor}; units are checked, not converted"))
                }
                Some(factor) => found.help(format!("1 {other} = {factor} {one}; units are checked, not converted")),
                None => found.help("correct the expression or a declared unit; `--units off` switches this check off"),
            });
            return None;
        }
        a.or(b)
    }

    /// The unit of an expression, `None` if it fits everything.
    fn expression(&mut self, e: Expr) -> Option<Unit> {
        let tree = self.tree;
        let first = e.first.0 as usize;
        let mut parts: Vec<Part> = Vec::with_capacity(e.root.0 as usize + 1 - first);
        let inside = tree.inside_transfer(e);
        for at in e.range() {
            let node = &tree.nodes[at];
            let part = |id: NodeId| parts[id.0 as usize - first];
            if inside.get(at - first) == Some(&true) {
                let result = self.in_transfer(node, part);
                parts.push(result);
                continue;
            }
            let result = match &node.kind {
                NodeKind::Number | NodeKind::Pi | NodeKind::Error => Part::default(),
                NodeKind::Time => Part { unit: Some(Unit::SECOND), of_time: true },
                NodeKind::Variable { name, primes, .. } => Part::own(self.unit_of_name(*name, *primes)),
                NodeKind::Unary(UnaryOp::Neg, a) => part(*a),
                NodeKind::Unary(UnaryOp::Not, _) => Part::default(),
                NodeKind::Binary(op, a, b) => self.binary(*op, part(*a), part(*b), *b, node.span),
                NodeKind::If(_, a, b) => {
                    let (a, b) = (part(*a).given(), part(*b).given());
                    Part::own(self.same(a, b, node.span, "the branches have different units"))
                }
                NodeKind::Call { name, arguments, .. } => {
                    let text = tree.name(*name);
                    // these compare their arguments: t is in seconds beside one that has a unit
                    let compares = matches!(text, "min" | "max" | "quantize" | "saturate" | "atan2" | "pulse")
                        && arguments.iter().any(|&a| part(a).given().is_some());
                    let unit = |a: NodeId| if compares { part(a).unit } else { part(a).given() };
                    let arguments: Vec<(Option<Unit>, Span)> =
                        arguments.iter().map(|&a| (unit(a), tree.node(a).span)).collect();
                    Part::own(if self.functions.contains_key(name) {
                        self.own_function(*name, &arguments, node.span)
                    } else {
                        self.call(text, &arguments, node)
                    })
                }
            };
            parts.push(result);
        }
        parts.pop().and_then(Part::given)
    }

    fn unit_of_name(&self, name: Name, primes: u32) -> Option<Unit> {
        match self.bound.iter().find(|(bound, _)| *bound == name) {
            Some((_, unit)) => *unit,
            None => self.units.get(&name).map(|unit| unit.per_time(primes)),
        }
    }

    /// Inside a transfer function units depend on what is meant by it. But s is in 1/s: a time constant beside it that is in
    /// ms makes a number that is none.
    fn in_transfer(&mut self, node: &Node, part: impl Fn(NodeId) -> Part) -> Part {
        let frequency = Part { unit: Some(Unit::SECOND.power(-1.0)), of_time: true };
        match &node.kind {
            NodeKind::Variable { name, .. } if self.tree.name(*name) == "s" => frequency,
            NodeKind::Variable { name, primes, .. } => Part::own(self.unit_of_name(*name, *primes)),
            NodeKind::Unary(UnaryOp::Neg, a) => part(*a),
            NodeKind::Binary(BinaryOp::Pow, a, b) => {
                let unit = part(*a).unit.zip(self.literal(*b)).map(|(unit, exponent)| unit.power(exponent));
                Part { unit, of_time: part(*a).of_time }
            }
            NodeKind::Binary(op @ (BinaryOp::Mul | BinaryOp::Div), a, b) => {
                let (a, b) = (part(*a), part(*b));
                let (Some(left), Some(right)) = (a.unit, b.unit) else { return Part::default() };
                let unit = if *op == BinaryOp::Mul { left.times(right) } else { left.over(right) };
                if a.of_time != b.of_time && unit.in_terms_of(Unit::ONE).is_some() && !unit.fits(Unit::ONE) {
                    self.same(Some(Unit::ONE), Some(unit), node.span, "s is in 1/s, so this is not a pure number");
                    return Part::default();
                }
                Part { unit: Some(unit), of_time: a.of_time && b.of_time }
            }
            _ => Part::default(),
        }
    }

    /// The unit of the body of an own function for the units of its arguments. What does not fit in it is told at the call.
    fn own_function(&mut self, name: Name, arguments: &[(Option<Unit>, Span)], span: Span) -> Option<Unit> {
        let (parameters, body) = self.functions[&name].clone();
        if parameters.len() != arguments.len() || self.depth == MOST_OPEN || self.bodies == MOST_BODIES {
            return None;
        }
        let bound = parameters.into_iter().zip(arguments.iter().map(|(unit, _)| *unit)).collect();
        let outside = std::mem::replace(&mut self.bound, bound);
        self.depth += 1;
        self.bodies += 1;
        let before = self.diagnostics.len();
        let unit = self.expression(body);
        self.depth -= 1;
        self.bound = outside;
        for found in &mut self.diagnostics[before..] {
            if found.labels.is_empty() {
                found.labels.push((found.span, "in this function".into()));
            }
            found.span = span;
        }
        unit
    }

    fn binary(&mut self, op: BinaryOp, a: Part, b: Part, exponent: NodeId, span: Span) -> Part {
        let of_time = (a.of_time || b.of_time) && a.given().is_none() && b.given().is_none();
        // powers of t may be added: their factors are numbers that fit everything
        let (left, right) = if of_time { (a.unit, None) } else { (a.unit, b.unit) };
        match op {
            BinaryOp::Add | BinaryOp::Sub => {
                let unit = self.same(left, right, span, "the two terms have different units");
                Part { unit: unit.or(b.unit.filter(|_| of_time)), of_time }
            }
            BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual
            | BinaryOp::Equal
            | BinaryOp::NotEqual => {
                self.same(left, right, span, "values of different units are compared");
                Part::default()
            }
            BinaryOp::Mul | BinaryOp::Div => {
                let (Some(left), Some(right)) = (a.unit, b.unit) else { return Part::default() };
                Part { unit: Some(if op == BinaryOp::Mul { left.times(right) } else { left.over(right) }), of_time }
            }
            BinaryOp::Pow => {
                self.pure(b.given(), self.tree.node(exponent).span, "an exponent");
                let unit = a.unit.zip(self.literal(exponent)).map(|(unit, exponent)| unit.power(exponent));
                Part { unit, of_time: a.of_time }
            }
            BinaryOp::And | BinaryOp::Or => Part::default(),
        }
    }

    /// The value of a number with an optional sign, as exponents are.
    fn literal(&self, id: NodeId) -> Option<f64> {
        let node = self.tree.node(id);
        match node.kind {
            NodeKind::Number => self.text[node.span.start as usize..node.span.end as usize].parse().ok(),
            NodeKind::Unary(UnaryOp::Neg, a) => self.literal(a).map(|value| -value),
            _ => None,
        }
    }

    fn pure(&mut self, unit: Option<Unit>, span: Span, what: &str) {
        if let Some(unit) = unit.filter(|unit| !unit.fits(Unit::ONE)) {
            let shown = self.as_written(unit);
            let degrees = Unit::parse("deg").is_ok_and(|degree| unit.fits(degree));
            let text = &self.text[span.start as usize..span.end as usize];
            let help = if degrees && text.len() <= 20 {
                format!("degrees are not converted; write `{text}*pi/180`")
            } else {
                "divide by a quantity of the same unit; `--units off` switches this check off".into()
            };
            let message = format!("{what} must be a pure number [1], here it has [{shown}]");
            self.diagnostics.push(Diagnostic::warning("unit-mismatch", span, message).help(help));
        }
    }

    fn call(&mut self, name: &str, arguments: &[(Option<Unit>, Span)], node: &Node) -> Option<Unit> {
        let one = arguments.first().and_then(|(unit, _)| *unit);
        match name {
            "sqrt" => Some(one?.power(0.5)),
            "cbrt" => Some(one?.power(1.0 / 3.0)),
            "abs" | "ramp" | "floor" => one,
            "noise" => {
                if let [(seed, place), _, ref period @ ..] = *arguments {
                    self.pure(seed, place, "the seed of `noise`");
                    for &(time, span) in period {
                        self.same(Some(Unit::SECOND), time, span, "a sample time is a time");
                    }
                }
                arguments.get(1).and_then(|(unit, _)| *unit)
            }
            "min" | "max" | "quantize" | "saturate" => {
                let message = format!("the arguments of `{name}` have different units");
                arguments.iter().fold(None, |unit, &(next, _)| self.same(unit, next, node.span, &message))
            }
            "atan2" | "pulse" => {
                let message = format!("the arguments of `{name}` have different units");
                arguments.iter().fold(None, |unit, &(next, _)| self.same(unit, next, node.span, &message));
                None
            }
            "pade" | "delay" => {
                if let [_, (time, span), ..] = *arguments {
                    self.same(Some(Unit::SECOND), time, span, "a delay is a time");
                }
                if let ("delay", [.., (past, span)]) = (name, arguments)
                    && arguments.len() == 3
                {
                    self.same(one, *past, *span, "the past of `delay` has another unit than its first argument");
                }
                one
            }
            "sign" | "step" => None,
            _ if ordinate_expr::Function::by_name(name).is_some() => {
                for &(unit, span) in arguments {
                    self.pure(unit, span, &format!("the argument of `{name}`"));
                }
                None
            }
            _ => None,
        }
    }
}

/// Whether a printed unit begins with a number, as in `0.001 s`.
fn has_factor(unit: &str) -> bool {
    unit.starts_with(|c: char| c.is_ascii_digit()) && unit != "1" && !unit.starts_with("1/")
}
