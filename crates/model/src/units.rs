//! The check of units: one sweep over each expression of the tree. A quantity without a unit, a plain
//! number and t fit everything, so a model without units is never bothered.

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
    diagnostics: Vec<Diagnostic>,
}

/// Checks the units of a tree and notes those of its names in the model.
pub(crate) fn check(tree: &Tree, text: &str, model: &mut Model) -> Vec<Diagnostic> {
    let mut checker = Checker {
        tree,
        text,
        units: FxHashMap::default(),
        texts: Vec::new(),
        written: Vec::new(),
        diagnostics: Vec::new(),
    };
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
                StatementKind::StartAt { target, value, .. } => self.assigned(target, *value),
                StatementKind::Equation { left, right, .. } => {
                    let (a, b) = (self.expression(*left), self.expression(*right));
                    self.same(a, b, statement.span, "the two sides of this equation have different units");
                }
                StatementKind::For { body, .. } => self.statements(body),
                StatementKind::When { condition, actions } => {
                    self.expression(*condition);
                    self.assignments(actions);
                }
                StatementKind::StopWhen { condition } => _ = self.expression(*condition),
                StatementKind::Every { actions, .. } => self.assignments(actions),
                StatementKind::Run { .. } | StatementKind::Def { .. } => {}
            }
        }
    }

    fn declaration(&mut self, d: &Declaration) {
        let known = self.units.get(&d.target.name).map(|unit| unit.per_time(d.target.primes));
        let own = d.unit.as_ref().and_then(|text| Unit::parse(&text.text).ok());
        if let (Some(known), Some(own), Some(text)) = (known, own, &d.unit) {
            let name = self.tree.name(d.target.name);
            let message = format!("`{name}` is given two different units");
            self.same(Some(known), Some(own), text.span, &message);
        }
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
        let mut units: Vec<Option<Unit>> = Vec::with_capacity(e.root.0 as usize + 1 - first);
        let inside = tree.inside_transfer(e);
        for at in e.range() {
            // the units of a transfer function depend on what is meant by it
            if inside.get(at - first) == Some(&true) {
                units.push(None);
                continue;
            }
            let node = &tree.nodes[at];
            let unit = |id: NodeId| units[id.0 as usize - first];
            let result = match &node.kind {
                NodeKind::Number | NodeKind::Time | NodeKind::Pi | NodeKind::Error => None,
                NodeKind::Variable { name, primes, .. } => self.units.get(name).map(|u| u.per_time(*primes)),
                NodeKind::Unary(UnaryOp::Neg, a) => unit(*a),
                NodeKind::Unary(UnaryOp::Not, _) => None,
                NodeKind::Binary(op, a, b) => self.binary(*op, (*a, unit(*a)), (*b, unit(*b)), node.span),
                NodeKind::If(_, a, b) => self.same(unit(*a), unit(*b), node.span, "the branches have different units"),
                NodeKind::Call { name, arguments, .. } => {
                    let arguments: Vec<(Option<Unit>, Span)> =
                        arguments.iter().map(|&a| (unit(a), tree.node(a).span)).collect();
                    self.call(tree.name(*name), &arguments, node)
                }
            };
            units.push(result);
        }
        units.pop().flatten()
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        (_, a): (NodeId, Option<Unit>),
        (exponent, b): (NodeId, Option<Unit>),
        span: Span,
    ) -> Option<Unit> {
        match op {
            BinaryOp::Add | BinaryOp::Sub => self.same(a, b, span, "the two terms have different units"),
            BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual
            | BinaryOp::Equal
            | BinaryOp::NotEqual => {
                self.same(a, b, span, "values of different units are compared");
                None
            }
            BinaryOp::Mul => Some(a?.times(b?)),
            BinaryOp::Div => Some(a?.over(b?)),
            BinaryOp::Pow => {
                self.pure(b, self.tree.node(exponent).span, "an exponent");
                Some(a?.power(self.literal(exponent)?))
            }
            BinaryOp::And | BinaryOp::Or => None,
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
