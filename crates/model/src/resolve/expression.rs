//! Expressions: one sweep over the nodes of the arena, children before parents.

use super::names::Kind;
use super::{Definition, MAX_PRIMES, Resolver, Type, View};
use crate::constant::arithmetic;
use crate::{Role, Watch, closest};
use ordinate_expr::{Decimal, ExprId, Function, VarId};
use ordinate_syntax::{
    Arity, BinaryOp, Diagnostic, Expr, FUNCTIONS, Name, NodeId, NodeKind, OPERATORS, Span, UNRESERVED_FUNCTIONS,
    UnaryOp,
};

/// Functions of the language that are not a [`Function`] of one argument or become switches.
const BRANCHING: [&str; 9] = ["abs", "min", "max", "sign", "floor", "step", "pulse", "ramp", "noise"];

impl Resolver<'_> {
    /// The number that an expression stands for.
    pub(super) fn number_expression(&mut self, e: Expr, view: View) -> ExprId {
        let (id, kind) = self.expression(e, view);
        if kind == Type::Truth {
            self.report(
                Diagnostic::error("type", self.tree.span(e), "a number is expected here, not a comparison")
                    .help("write `if … then 1 else 0`"),
            );
        }
        id
    }

    /// A truth value, or a report that it is none.
    pub(super) fn expect_truth(&mut self, (id, kind): (ExprId, Type), span: Span) -> ExprId {
        if kind == Type::Number {
            self.report(
                Diagnostic::error("type", span, "a condition is expected here, not a number")
                    .help("compare it with something, as in `x > 0`"),
            );
        }
        id
    }

    pub(super) fn expression(&mut self, e: Expr, view: View) -> (ExprId, Type) {
        let tree = self.tree;
        let first = e.first.0 as usize;
        let mut values: Vec<(ExprId, Type)> = Vec::with_capacity(e.root.0 as usize + 1 - first);
        let inside = tree.inside_transfer(e);
        for at in e.range() {
            let node = &tree.nodes[at];
            let value = |id: NodeId| values[id.0 as usize - first];
            let span_of = |id: NodeId| tree.node(id).span;
            let result = match &node.kind {
                NodeKind::Number => (self.literal(node.span), Type::Number),
                NodeKind::Time => (self.model.graph.time(), Type::Number),
                NodeKind::Pi => (self.model.graph.pi(), Type::Number),
                NodeKind::Error => (self.model.graph.integer(1), Type::Any),
                NodeKind::Unary(UnaryOp::Neg, a) => {
                    let a = self.operand(value(*a), span_of(*a));
                    (self.model.graph.neg(a), Type::Number)
                }
                NodeKind::Unary(UnaryOp::Not, a) => {
                    let a = self.expect_truth(value(*a), span_of(*a));
                    (self.model.graph.not(a), Type::Truth)
                }
                NodeKind::Binary(op, a, b) => {
                    self.binary(*op, (value(*a), span_of(*a)), (value(*b), span_of(*b)), node.span, view)
                }
                NodeKind::If(c, a, b) => {
                    let c = self.expect_truth(value(*c), span_of(*c));
                    let (then, otherwise) = (value(*a), value(*b));
                    if then.1 != otherwise.1 && then.1 != Type::Any && otherwise.1 != Type::Any {
                        self.error("type", node.span, "the branches are a number and a condition");
                    }
                    (self.model.graph.select(c, then.0, otherwise.0), then.1)
                }
                NodeKind::Variable { name, index, primes, .. }
                    if inside.get(at - first) == Some(&true) && tree.name(*name) == "s" =>
                {
                    (self.transfer_variable(index.is_empty() && *primes == 0, node.span), Type::Number)
                }
                NodeKind::Variable { name, name_span, index, primes } => {
                    let mut at = Vec::with_capacity(index.len());
                    for &node in index {
                        let i = self.operand(value(node), span_of(node));
                        at.extend(self.integer(i, span_of(node), "an index"));
                    }
                    if at.len() == index.len() {
                        self.name_in_expression(*name, at, *primes, *name_span, node.span)
                    } else {
                        self.model.doubtful.insert(tree.name(*name).to_string());
                        (self.model.graph.integer(1), Type::Any)
                    }
                }
                NodeKind::Call { name, name_span, arguments } => {
                    let arguments: Vec<((ExprId, Type), Span)> =
                        arguments.iter().map(|&a| (value(a), span_of(a))).collect();
                    self.call(*name, *name_span, &arguments, node.span, view)
                }
            };
            values.push(result);
        }
        values.pop().expect("an expression has at least one node")
    }

    fn literal(&mut self, span: Span) -> ExprId {
        match Decimal::parse(&self.text[span.start as usize..span.end as usize]) {
            Some(pieces) => self.model.graph.sum_of(&pieces),
            None => {
                self.error("bad-number", span, "this number is outside the range of double precision");
                self.model.graph.integer(1)
            }
        }
    }

    fn operand(&mut self, (id, kind): (ExprId, Type), span: Span) -> ExprId {
        if kind == Type::Truth {
            self.error("type", span, "a number is expected here, not a comparison");
        }
        id
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        (a, a_span): ((ExprId, Type), Span),
        (b, b_span): ((ExprId, Type), Span),
        span: Span,
        view: View,
    ) -> (ExprId, Type) {
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            let (a, b) = (self.expect_truth(a, a_span), self.expect_truth(b, b_span));
            let g = &mut self.model.graph;
            return (if op == BinaryOp::And { g.and(a, b) } else { g.or(a, b) }, Type::Truth);
        }
        let (a, b) = (self.operand(a, a_span), self.operand(b, b_span));
        if let Some(result) = arithmetic(&mut self.model.graph, op, a, b) {
            return (result, Type::Number);
        }
        self.note_equality(op, a, b, span, view);
        let (x, zero) = self.side(a, b, span, view);
        let g = &mut self.model.graph;
        let truth = match op {
            BinaryOp::Less => g.less(x, zero),
            BinaryOp::LessEqual => g.less_equal(x, zero),
            BinaryOp::Greater => g.less(zero, x),
            BinaryOp::GreaterEqual => g.less_equal(zero, x),
            BinaryOp::Equal => g.equal(x, zero),
            BinaryOp::NotEqual => {
                let equal = g.equal(x, zero);
                g.not(equal)
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Pow => unreachable!("arithmetic"),
            BinaryOp::And | BinaryOp::Or => unreachable!("handled above"),
        };
        (truth, Type::Truth)
    }

    /// What to compare: on a trajectory the mode of the switch a − b with zero, at an instant a with b.
    fn side(&mut self, a: ExprId, b: ExprId, span: Span, view: View) -> (ExprId, ExprId) {
        let difference = self.model.graph.sub(a, b);
        if view == View::Instant || self.is_static(difference) {
            return (a, b);
        }
        let zero = self.model.graph.integer(0);
        (self.watch(Watch::Sign(difference), span), zero)
    }

    /// Whether an expression has the same value all through a run.
    fn is_static(&mut self, e: ExprId) -> bool {
        if self.model.graph.uses_time(e) {
            return false;
        }
        let variables = self.model.graph.variables(e);
        variables.into_iter().all(|v| self.model.variable(v).role == Role::Parameter)
    }

    /// The mode of a switch, made at its first use.
    fn watch(&mut self, watch: Watch, span: Span) -> ExprId {
        let mode = match self.watched.get(&watch) {
            Some(&mode) => mode,
            None => {
                let mode = self.model.new_switch(watch, span);
                self.watched.insert(watch, mode);
                mode
            }
        };
        self.model.graph.variable(mode)
    }

    pub(super) fn new_quantity(&mut self, name: String, base: String, role: Role, span: Span) -> VarId {
        self.model.new_quantity(name, base, role, span)
    }

    pub(super) fn segment_mode(&mut self, watch: Watch, span: Span) -> ExprId {
        self.watch(watch, span)
    }

    fn name_in_expression(
        &mut self,
        name: Name,
        index: Vec<i64>,
        primes: u32,
        name_span: Span,
        span: Span,
    ) -> (ExprId, Type) {
        if let Some(&(_, id, kind)) = self.bound.iter().rev().find(|(bound, ..)| *bound == name) {
            if primes > 0 || !index.is_empty() {
                self.error(
                    "syntax",
                    span,
                    format!("`{}` is a loop index or argument, a plain number", self.tree.name(name)),
                );
            }
            return (id, kind);
        }
        if self.definitions.contains_key(&name) {
            let text = self.tree.name(name);
            self.report(
                Diagnostic::error("function-without-arguments", name_span, format!("`{text}` is a function"))
                    .help(format!("write `{text}(…)`")),
            );
            return (self.model.graph.integer(1), Type::Number);
        }
        let text = self.tree.name(name);
        if matches!(text, "true" | "false") && !self.introduced.contains(text) {
            let error = Diagnostic::error("unknown-name", name_span, format!("there is no `{text}`"));
            self.report(error.help("write a comparison such as `x > 0`"));
            return (self.model.graph.integer(1), Type::Any);
        }
        if self.kinds.get(&name) == Some(&Kind::Held) && (1..=MAX_PRIMES).contains(&primes) {
            // an impulse at every sample: an equation may be rewritten for it, otherwise it is reported later
            return match self.variable(name, index, 0, span) {
                Some(u) => {
                    let impulse = self.impulse(u, primes, span);
                    (self.model.graph.variable(impulse), Type::Number)
                }
                None => (self.model.graph.integer(1), Type::Any),
            };
        }
        let var = self.variable(name, index, primes, span);
        match var.map(|var| (var, self.model.variable(var).role)) {
            Some((var, Role::Input)) if primes > 0 => (self.input_derivative(var, primes, span), Type::Number),
            Some((var, role)) => {
                if role == Role::Parameter {
                    self.mark_used(var);
                }
                (self.model.graph.variable(var), Type::Number)
            }
            None => (self.model.graph.integer(1), Type::Any),
        }
    }

    /// u′ of an input u = expression of t.
    fn input_derivative(&mut self, var: VarId, primes: u32, span: Span) -> ExprId {
        let quantity = self.model.variable(var).quantity;
        let base = self.model.quantities[quantity].members[0].expect("an input is declared without primes");
        let Some(&k) = self.input_index.get(&base) else {
            let name = &self.model.quantities[quantity].name;
            let message = format!("the derivative of the input `{name}` is used before its expression is known");
            self.error("input-derivative", span, message);
            return self.model.graph.integer(1);
        };
        let mut value = self.with_inputs(self.model.inputs[k].value);
        if self.derivatives_of(value).is_some_and(|allowed| primes as usize > allowed) {
            return self.model.graph.variable(var);
        }
        self.model.differentiated.insert(base);
        for _ in 0..primes {
            if !self.may_grow(span) {
                break;
            }
            value = self.time_derivative(value);
        }
        value
    }

    /// u′, u″, … of a function u that jumps.
    fn impulse(&mut self, u: VarId, primes: u32, span: Span) -> VarId {
        let quantity = self.model.variable(u).quantity;
        (1..=primes).fold(u, |_, p| match self.model.quantities[quantity].members.get(p as usize) {
            Some(&Some(known)) => known,
            _ => self.model.new_variable(quantity, p, Role::Input, span),
        })
    }

    /// The variable of a name with index and primes. What a name is depends on its kind; an unknown comes into
    /// being at its first use.
    pub(super) fn variable(&mut self, name: Name, index: Vec<i64>, primes: u32, span: Span) -> Option<VarId> {
        if primes > MAX_PRIMES {
            self.error("too-many-primes", span, format!("more than {MAX_PRIMES} primes"));
            return None;
        }
        let kind = self.kinds.get(&name).copied().unwrap_or(Kind::Unknown);
        let role = match kind {
            Kind::Parameter => Role::Parameter,
            Kind::Input => Role::Input,
            Kind::Held => Role::Held,
            Kind::Unknown => Role::Unknown,
        };
        let base = self.tree.name(name);
        if primes > 0 && matches!(role, Role::Parameter | Role::Held) {
            let what = if role == Role::Parameter { "parameter" } else { "sampled value" };
            self.report(
                Diagnostic::error("constant-derivative", span, format!("`{base}` is a {what} and has no derivative"))
                    .help(format!("remove the prime, or declare `{base}` otherwise")),
            );
            return None;
        }
        let quantity = match self.names.quantities.get(&(name, index.clone())) {
            Some(&quantity) => quantity,
            None => {
                if role == Role::Parameter {
                    let full = element_name(base, &index);
                    self.report(
                        Diagnostic::error("unknown-name", span, format!("`{full}` is not a declared parameter"))
                            .help(format!("`{base}` is declared with other indices")),
                    );
                    return None;
                }
                let quantity = self.model.quantities.len();
                let full = element_name(base, &index);
                self.new_quantity(full, base.to_string(), role, span);
                self.names.quantities.insert((name, index), quantity);
                quantity
            }
        };
        let members = &self.model.quantities[quantity].members;
        if let Some(&Some(var)) = members.get(primes as usize) {
            return Some(var);
        }
        // x'' introduces x and x' as states
        let mut var = None;
        for p in 0..=primes {
            var = match self.model.quantities[quantity].members.get(p as usize) {
                Some(&Some(var)) => Some(var),
                _ => Some(self.model.new_variable(quantity, p, role, span)),
            };
        }
        if primes > 0 {
            self.model.quantities[quantity].declared = true;
        }
        var
    }

    fn call(
        &mut self,
        name: Name,
        name_span: Span,
        arguments: &[((ExprId, Type), Span)],
        span: Span,
        view: View,
    ) -> (ExprId, Type) {
        let text = self.tree.name(name);
        if self.definitions.contains_key(&name) {
            return self.call_definition(name, arguments, span, view);
        }
        let a: Vec<ExprId> = arguments.iter().map(|&(value, at)| self.operand(value, at)).collect();
        // a variable of the model's own is no function
        let own = UNRESERVED_FUNCTIONS.contains(&text) && self.introduced.contains(text);
        let known = FUNCTIONS.iter().find(|(name, _)| *name == text && !own);
        let arity = known.map(|&(_, arity)| arity);
        let diagnostic = match arity {
            Some(arity) if arity.admits(a.len()) && super::imperfection::NAMES.contains(&text) => {
                let places: Vec<Span> = arguments.iter().map(|&(_, at)| at).collect();
                return (self.imperfection(text, &a, &places, span, view), Type::Number);
            }
            Some(arity) if arity.admits(a.len()) => return (self.call_known(text, &a, span, view), Type::Number),
            Some(Arity::Exactly(n)) => wrong_count(text, &count_of(n), a.len(), span),
            Some(Arity::AtLeast(n)) => wrong_count(text, &format!("at least {}", count_of(n)), a.len(), span),
            Some(Arity::OrOneMore(n)) => wrong_count(text, &format!("{n} or {}", count_of(n + 1)), a.len(), span)
                .help(super::imperfection::usage(text)),
            None if OPERATORS.contains(&text) => {
                let places: Vec<Span> = arguments.iter().map(|&(_, at)| at).collect();
                return (self.operator(text, span, &a, &places, view), Type::Number);
            }
            None => self.unknown_function(name_span, text, arguments),
        };
        if !self.model.doubtful.contains(text) {
            self.report(diagnostic);
        }
        // Keep the operands, so that the rest of the analysis sees what the equation depends on.
        let one = self.model.graph.integer(1);
        (a.into_iter().fold(one, |sum, x| self.model.graph.add(sum, x)), Type::Number)
    }

    fn unknown_function(&mut self, span: Span, text: &str, arguments: &[((ExprId, Type), Span)]) -> Diagnostic {
        let error = Diagnostic::error("unknown-function", span, format!("`{text}` is not a function"));
        let places = arguments.iter().map(|&(_, at)| &self.text[at.start as usize..at.end as usize]);
        let places: Vec<&str> = places.collect();
        if self.introduced.contains(text) {
            let earlier = arguments.len() == 1 && self.model.graph.uses_time(arguments[0].0.0);
            return error.help(if earlier {
                format!("a value of the past is written `delay({text}, T)`")
            } else {
                format!("to multiply, write `{text}*(…)`; an element is `{text}[…]`")
            });
        }
        if let Some(help) = crate::hints::function(text, &places) {
            if matches!(text, "d" | "D") {
                self.model.doubtful.insert("dt".into());
            }
            return error.help(help);
        }
        let own = self.definitions.keys().map(|&name| self.tree.name(name));
        let mut candidates: Vec<&str> =
            FUNCTIONS.iter().map(|&(name, _)| name).chain(OPERATORS.iter().copied()).chain(own).collect();
        candidates.sort_unstable();
        match closest(text, candidates) {
            Some(meant) => error.help(format!("did you mean `{meant}`?")),
            None => {
                error.help(format!("declare it with `def {text}(x) = …`, or use one of {}", crate::hints::functions()))
            }
        }
    }

    pub(super) fn call_known(&mut self, text: &str, a: &[ExprId], span: Span, view: View) -> ExprId {
        if let Some(f) = Function::by_name(text).filter(|_| !BRANCHING.contains(&text)) {
            return self.model.graph.call(f, a[0]);
        }
        let zero = self.model.graph.integer(0);
        let one = self.model.graph.integer(1);
        match text {
            "atan2" => self.model.graph.atan2(a[0], a[1]),
            "pow" => self.model.graph.pow(a[0], a[1]),
            "min" | "max" => a[1..].iter().fold(a[0], |best, &next| {
                // At the border both are right, but only the constant is smooth whatever is made of it: a root, for example.
                let swap = text == "max" && self.is_static(next) && !self.is_static(best);
                let (best, next) = if swap { (next, best) } else { (best, next) };
                let (x, border) = self.side(best, next, span, view);
                let less = self.model.graph.less(x, border);
                if text == "min" {
                    self.model.graph.select(less, best, next)
                } else {
                    self.model.graph.select(less, next, best)
                }
            }),
            "pulse" => {
                let (x, border) = self.side(a[0], zero, span, view);
                let before = self.model.graph.less(x, border);
                let (x, border) = self.side(a[0], a[1], span, view);
                let inside = self.model.graph.less(x, border);
                let during = self.model.graph.select(inside, one, zero);
                self.model.graph.select(before, zero, during)
            }
            "floor" if view == View::Trajectory && !self.is_static(a[0]) => self.watch(Watch::Floor(a[0]), span),
            "floor" => self.model.graph.call(Function::Floor, a[0]),
            "sign" => match self.side(a[0], zero, span, view) {
                (mode, _) if mode != a[0] => mode,
                _ => self.model.graph.call(Function::Sign, a[0]),
            },
            "abs" | "step" | "ramp" => {
                let (x, border) = self.side(a[0], zero, span, view);
                let negative = self.model.graph.less(x, border);
                let opposite = self.model.graph.neg(a[0]);
                let (below, above) = match text {
                    "abs" => (opposite, a[0]),
                    "step" => (zero, one),
                    _ => (zero, a[0]),
                };
                self.model.graph.select(negative, below, above)
            }
            _ => unreachable!("`{text}` is listed as a function but has no meaning"),
        }
    }

    /// An own function: its body with the arguments put in.
    fn call_definition(
        &mut self,
        name: Name,
        arguments: &[((ExprId, Type), Span)],
        span: Span,
        view: View,
    ) -> (ExprId, Type) {
        let text = self.tree.name(name);
        let Definition { parameters, body, span: defined } = &self.definitions[&name];
        let (parameters, body, defined) = (parameters.clone(), *body, *defined);
        let fallback = (self.model.graph.integer(1), Type::Number);
        if parameters.len() != arguments.len() {
            let wrong = wrong_count(text, &count_of(parameters.len()), arguments.len(), span);
            self.report(wrong.label(defined, "defined here"));
            return fallback;
        }
        if self.open.contains(&name) {
            self.report(
                Diagnostic::error("recursive-function", span, format!("`{text}` is defined by itself"))
                    .help("a function of the model is put in where it is used, so it cannot call itself"),
            );
            return fallback;
        }
        let key = (name, arguments.iter().map(|((id, _), _)| *id).collect(), view == View::Instant);
        if let Some(&known) = self.called.get(&key) {
            return known;
        }
        if !self.may_grow(span) {
            return fallback;
        }
        // Only the arguments are visible inside, not the loop indices of the caller.
        let outer = std::mem::take(&mut self.bound);
        self.bound = parameters.iter().zip(arguments).map(|(&p, &((id, kind), _))| (p, id, kind)).collect();
        self.open.push(name);
        let result = self.expression(body, view);
        self.open.pop();
        self.bound = outer;
        self.called.insert(key, result);
        result
    }
}

pub(super) fn count_of(n: usize) -> String {
    if n == 1 { "1 argument".into() } else { format!("{n} arguments") }
}

pub(super) fn wrong_count(name: &str, wanted: &str, given: usize, span: Span) -> Diagnostic {
    Diagnostic::error("arguments", span, format!("`{name}` takes {wanted}, here are {given}"))
}

pub(super) fn element_name(base: &str, index: &[i64]) -> String {
    if index.is_empty() {
        return base.to_string();
    }
    let inside: Vec<String> = index.iter().map(i64::to_string).collect();
    format!("{base}[{}]", inside.join(","))
}
