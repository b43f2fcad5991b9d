//! The graph itself: hash-consed nodes and the constructors, which simplify what they build where the
//! result is the same number bit for bit (or, for constants, more exact).

use crate::{Decimal, Function};
use rustc_hash::FxHashMap;

/// An expression of a [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(pub u32);

/// A variable; what it stands for is known to the model that owns the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VarId(pub u32);

/// A list of numbers that a model brings along (a column of a table).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListId(pub u32);

/// One node. Truth values are the numbers 1 and 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// An exact decimal.
    Const(Decimal),
    /// π
    Pi,
    /// t
    Time,
    /// A variable.
    Var(VarId),
    /// −a
    Neg(ExprId),
    /// a + b
    Add(ExprId, ExprId),
    /// a − b
    Sub(ExprId, ExprId),
    /// a · b
    Mul(ExprId, ExprId),
    /// a / b
    Div(ExprId, ExprId),
    /// a ^ b
    Pow(ExprId, ExprId),
    /// f(a)
    Call(Function, ExprId),
    /// The angle of the point (x, y) = (b, a).
    Atan2(ExprId, ExprId),
    /// a < b
    Less(ExprId, ExprId),
    /// a ≤ b
    LessEqual(ExprId, ExprId),
    /// a = b
    Equal(ExprId, ExprId),
    /// not a
    Not(ExprId),
    /// a and b
    And(ExprId, ExprId),
    /// a or b
    Or(ExprId, ExprId),
    /// if a then b else c
    Select(ExprId, ExprId, ExprId),
    /// Element a (from 0) of a list.
    Lookup(ListId, ExprId),
}

impl Expr {
    /// The operands, in order.
    pub fn operands(self) -> impl Iterator<Item = ExprId> {
        let three = match self {
            Expr::Const(_) | Expr::Pi | Expr::Time | Expr::Var(_) => [None; 3],
            Expr::Neg(a) | Expr::Call(_, a) | Expr::Not(a) | Expr::Lookup(_, a) => [Some(a), None, None],
            Expr::Add(a, b)
            | Expr::Sub(a, b)
            | Expr::Mul(a, b)
            | Expr::Div(a, b)
            | Expr::Pow(a, b)
            | Expr::Atan2(a, b)
            | Expr::Less(a, b)
            | Expr::LessEqual(a, b)
            | Expr::Equal(a, b)
            | Expr::And(a, b)
            | Expr::Or(a, b) => [Some(a), Some(b), None],
            Expr::Select(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        three.into_iter().flatten()
    }
}

/// A growing set of distinct expressions.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    nodes: Vec<Expr>,
    index: FxHashMap<Expr, ExprId>,
    pub(crate) stamps: crate::walk::Stamps,
}

impl Graph {
    /// An empty graph.
    pub fn new() -> Self {
        Self::default()
    }

    /// The node of an expression.
    pub fn node(&self, id: ExprId) -> Expr {
        self.nodes[id.0 as usize]
    }

    /// Number of distinct expressions so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether nothing was built yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn intern(&mut self, node: Expr) -> ExprId {
        let next = ExprId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 expressions"));
        let id = *self.index.entry(node).or_insert(next);
        if id == next {
            self.nodes.push(node);
        }
        id
    }

    /// The exact value, if it is a constant.
    pub fn constant_value(&self, id: ExprId) -> Option<Decimal> {
        match self.node(id) {
            Expr::Const(value) => Some(value),
            _ => None,
        }
    }

    fn is(&self, id: ExprId, value: Decimal) -> bool {
        self.node(id) == Expr::Const(value)
    }

    fn is_zero(&self, id: ExprId) -> bool {
        self.is(id, Decimal::ZERO)
    }

    /// A constant.
    pub fn constant(&mut self, value: Decimal) -> ExprId {
        self.intern(Expr::Const(value))
    }

    /// An integer constant.
    pub fn integer(&mut self, value: i64) -> ExprId {
        self.constant(Decimal::integer(value))
    }

    /// π
    pub fn pi(&mut self) -> ExprId {
        self.intern(Expr::Pi)
    }

    /// t
    pub fn time(&mut self) -> ExprId {
        self.intern(Expr::Time)
    }

    /// A variable.
    pub fn variable(&mut self, v: VarId) -> ExprId {
        self.intern(Expr::Var(v))
    }

    /// Folds two constants where the result is exact.
    fn fold(
        &mut self,
        a: ExprId,
        b: ExprId,
        operation: impl Fn(Decimal, Decimal) -> Option<Decimal>,
    ) -> Option<ExprId> {
        let value = operation(self.constant_value(a)?, self.constant_value(b)?)?;
        Some(self.constant(value))
    }

    /// −a
    pub fn neg(&mut self, a: ExprId) -> ExprId {
        match self.node(a) {
            Expr::Const(value) => self.constant(value.negate()),
            Expr::Neg(inner) => inner,
            Expr::Sub(p, q) => self.intern(Expr::Sub(q, p)),
            _ => self.intern(Expr::Neg(a)),
        }
    }

    /// a + b
    pub fn add(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if let Some(folded) = self.fold(a, b, Decimal::plus) {
            return folded;
        }
        match (self.node(a), self.node(b)) {
            (_, Expr::Neg(q)) => self.sub(a, q),
            (Expr::Neg(p), _) => self.sub(b, p),
            _ if self.is_zero(a) => b,
            _ if self.is_zero(b) => a,
            (Expr::Call(Function::Exp, u), _) | (_, Expr::Call(Function::Exp, u))
                if self.is(a, Decimal::ONE.negate()) || self.is(b, Decimal::ONE.negate()) =>
            {
                self.call(Function::Expm1, u)
            }
            _ => self.intern(Expr::Add(a.min(b), a.max(b))),
        }
    }

    /// a − b
    pub fn sub(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if let Some(folded) = self.fold(a, b, |p, q| p.plus(q.negate())) {
            return folded;
        }
        match self.node(b) {
            _ if a == b => self.integer(0),
            _ if self.is_zero(b) => a,
            _ if self.is_zero(a) => self.neg(b),
            Expr::Neg(q) => self.add(a, q),
            Expr::Const(value) if value.is_negative() => {
                let positive = self.constant(value.negate());
                self.add(a, positive)
            }
            _ => self.stable_difference(a, b).unwrap_or_else(|| self.intern(Expr::Sub(a, b))),
        }
    }

    /// a · b
    pub fn mul(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if let Some(folded) = self.fold(a, b, Decimal::times) {
            return folded;
        }
        let minus_one = Decimal::ONE.negate();
        match (self.node(a), self.node(b)) {
            _ if self.is_zero(a) || self.is_zero(b) => self.integer(0),
            _ if self.is(a, Decimal::ONE) => b,
            _ if self.is(b, Decimal::ONE) => a,
            _ if self.is(a, minus_one) => self.neg(b),
            _ if self.is(b, minus_one) => self.neg(a),
            (Expr::Neg(p), Expr::Neg(q)) => self.mul(p, q),
            (Expr::Neg(p), _) => {
                let product = self.mul(p, b);
                self.neg(product)
            }
            (_, Expr::Neg(q)) => {
                let product = self.mul(a, q);
                self.neg(product)
            }
            _ => self.stable_product(a, b).unwrap_or_else(|| self.intern(Expr::Mul(a.min(b), a.max(b)))),
        }
    }

    /// a / b. A quotient by zero is kept: it is for the run to say where it happens.
    pub fn div(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if let Some(folded) = self.fold(a, b, Decimal::over) {
            return folded;
        }
        match (self.node(a), self.node(b)) {
            _ if self.is(b, Decimal::ONE) => a,
            _ if self.is(b, Decimal::ONE.negate()) => self.neg(a),
            (Expr::Neg(p), Expr::Neg(q)) => self.div(p, q),
            (Expr::Neg(p), _) => {
                let quotient = self.div(p, b);
                self.neg(quotient)
            }
            (_, Expr::Neg(q)) => {
                let quotient = self.div(a, q);
                self.neg(quotient)
            }
            _ => self.stable_quotient(a, b).unwrap_or_else(|| self.intern(Expr::Div(a, b))),
        }
    }

    /// a ^ b
    pub fn pow(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if let Some(folded) = self.fold(a, b, |p, q| p.power(q.as_integer()?)) {
            return folded;
        }
        let zero = self.integer(0);
        if let Some(stable) = self.constant_value(b).and_then(|p| self.stable_power(a, p)) {
            return stable;
        }
        match self.constant_value(b) {
            Some(exponent) if exponent == Decimal::ONE => a,
            Some(exponent) if exponent == Decimal::ZERO => self.integer(1),
            Some(exponent) if a == zero && !exponent.is_negative() => zero,
            Some(exponent) if exponent.as_integer().is_none() => {
                self.by_branches(a, &mut |graph, a| graph.pow(a, b)).unwrap_or_else(|| self.intern(Expr::Pow(a, b)))
            }
            _ => self.intern(Expr::Pow(a, b)),
        }
    }

    /// A function of what is zero in one of its branches, branch by branch: a root of max(x, 0) has no derivative at zero, but
    /// where that is the constant it is constant.
    fn by_branches(&mut self, a: ExprId, f: &mut dyn FnMut(&mut Graph, ExprId) -> ExprId) -> Option<ExprId> {
        let Expr::Select(c, below, above) = self.node(a) else { return None };
        let zero = self.integer(0);
        if below != zero && above != zero {
            return None;
        }
        let [below, above] = [below, above].map(|branch| f(self, branch));
        Some(self.select(c, below, above))
    }

    /// a², as the product it is
    pub fn square(&mut self, a: ExprId) -> ExprId {
        self.mul(a, a)
    }

    /// f(a)
    pub fn call(&mut self, f: Function, a: ExprId) -> ExprId {
        if let Some(value) = self.constant_value(a).and_then(|v| exact_value(f, v)) {
            return self.constant(value);
        }
        if matches!(f, Function::Sqrt | Function::Cbrt)
            && let Some(found) = self.by_branches(a, &mut |graph, a| graph.call(f, a))
        {
            return found;
        }
        self.stable_call(f, a).unwrap_or_else(|| self.intern(Expr::Call(f, a)))
    }

    /// The angle of the point (x, y)
    pub fn atan2(&mut self, y: ExprId, x: ExprId) -> ExprId {
        self.intern(Expr::Atan2(y, x))
    }

    fn truth(&mut self, value: bool) -> ExprId {
        self.integer(i64::from(value))
    }

    /// The sign of a − b for two constants.
    fn compare(&self, a: ExprId, b: ExprId) -> Option<std::cmp::Ordering> {
        let difference = self.constant_value(a)?.plus(self.constant_value(b)?.negate())?;
        Some(match difference {
            Decimal::ZERO => std::cmp::Ordering::Equal,
            d if d.is_negative() => std::cmp::Ordering::Less,
            _ => std::cmp::Ordering::Greater,
        })
    }

    /// a < b
    pub fn less(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match self.compare(a, b) {
            Some(order) => self.truth(order.is_lt()),
            None => self.intern(Expr::Less(a, b)),
        }
    }

    /// a ≤ b
    pub fn less_equal(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match self.compare(a, b) {
            Some(order) => self.truth(order.is_le()),
            None => self.intern(Expr::LessEqual(a, b)),
        }
    }

    /// a = b
    pub fn equal(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match self.compare(a, b) {
            Some(order) => self.truth(order.is_eq()),
            None => self.intern(Expr::Equal(a.min(b), a.max(b))),
        }
    }

    /// not a
    pub fn not(&mut self, a: ExprId) -> ExprId {
        match self.node(a) {
            Expr::Const(value) => self.truth(value == Decimal::ZERO),
            Expr::Not(inner) => inner,
            _ => self.intern(Expr::Not(a)),
        }
    }

    /// a and b
    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.constant_value(a), self.constant_value(b)) {
            (Some(Decimal::ZERO), _) | (_, Some(Decimal::ZERO)) => self.truth(false),
            (Some(_), _) => b,
            (_, Some(_)) => a,
            _ => self.intern(Expr::And(a.min(b), a.max(b))),
        }
    }

    /// a or b
    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.constant_value(a), self.constant_value(b)) {
            (Some(Decimal::ZERO), _) => b,
            (_, Some(Decimal::ZERO)) => a,
            (Some(_), _) | (_, Some(_)) => self.truth(true),
            _ => self.intern(Expr::Or(a.min(b), a.max(b))),
        }
    }

    /// if c then a else b
    pub fn select(&mut self, c: ExprId, a: ExprId, b: ExprId) -> ExprId {
        match self.node(c) {
            _ if a == b => a,
            Expr::Const(Decimal::ZERO) => b,
            Expr::Const(_) => a,
            Expr::Not(inner) => self.intern(Expr::Select(inner, b, a)),
            _ => self.intern(Expr::Select(c, a, b)),
        }
    }

    /// Element `at` of a list.
    pub fn lookup(&mut self, list: ListId, at: ExprId) -> ExprId {
        self.intern(Expr::Lookup(list, at))
    }

    /// The node rebuilt over other operands, with simplification.
    pub(crate) fn rebuild(&mut self, node: Expr, new: impl Fn(ExprId) -> ExprId) -> ExprId {
        match node {
            Expr::Const(_) | Expr::Pi | Expr::Time | Expr::Var(_) => self.intern(node),
            Expr::Neg(a) => self.neg(new(a)),
            Expr::Add(a, b) => self.add(new(a), new(b)),
            Expr::Sub(a, b) => self.sub(new(a), new(b)),
            Expr::Mul(a, b) => self.mul(new(a), new(b)),
            Expr::Div(a, b) => self.div(new(a), new(b)),
            Expr::Pow(a, b) => self.pow(new(a), new(b)),
            Expr::Call(f, a) => self.call(f, new(a)),
            Expr::Atan2(a, b) => self.atan2(new(a), new(b)),
            Expr::Less(a, b) => self.less(new(a), new(b)),
            Expr::LessEqual(a, b) => self.less_equal(new(a), new(b)),
            Expr::Equal(a, b) => self.equal(new(a), new(b)),
            Expr::Not(a) => self.not(new(a)),
            Expr::And(a, b) => self.and(new(a), new(b)),
            Expr::Or(a, b) => self.or(new(a), new(b)),
            Expr::Select(a, b, c) => self.select(new(a), new(b), new(c)),
            Expr::Lookup(list, a) => self.lookup(list, new(a)),
        }
    }
}

/// f(value) where it is a decimal by definition, so that derivatives and start values stay short.
fn exact_value(f: Function, value: Decimal) -> Option<Decimal> {
    use Function::*;
    match f {
        Sin | Tan | Asin | Atan | Sinh | Tanh | Asinh | Atanh | Sqrt | Cbrt | Erf | Expm1 | Log1p | Langevin | Abs
        | Sign | Floor
            if value == Decimal::ZERO =>
        {
            Some(Decimal::ZERO)
        }
        Logistic if value == Decimal::ZERO => Decimal::new(5, -1),
        Cos | Cosh | Exp | Bernoulli if value == Decimal::ZERO => Some(Decimal::ONE),
        Log | Log10 | Acosh | Acos if value == Decimal::ONE => Some(Decimal::ZERO),
        Sqrt | Cbrt if value == Decimal::ONE => Some(Decimal::ONE),
        Abs => Some(if value.is_negative() { value.negate() } else { value }),
        Sign => Some(if value.is_negative() { Decimal::ONE.negate() } else { Decimal::ONE }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_expressions_are_one_node() {
        let mut g = Graph::new();
        let (x, y) = (g.variable(VarId(0)), g.variable(VarId(1)));
        let (p, q) = (g.mul(x, y), g.mul(y, x));
        assert_eq!(p, q);
        let size = g.len();
        let (s, c) = (g.call(Function::Sin, p), g.call(Function::Sin, q));
        assert_eq!(s, c);
        assert_eq!(g.len(), size + 1);
    }

    #[test]
    fn constants_fold_only_exactly() {
        let mut g = Graph::new();
        let (one, three, two) = (g.integer(1), g.integer(3), g.integer(2));
        let third = g.div(one, three);
        assert!(g.constant_value(third).is_none());
        let half = g.div(one, two);
        assert_eq!(g.constant_value(half).unwrap().to_f64(), 0.5);
        let zero = g.integer(0);
        let pole = g.div(one, zero);
        assert!(g.constant_value(pole).is_none(), "1/0 is kept for the run to report");
    }

    #[test]
    fn signs_move_outwards() {
        let mut g = Graph::new();
        let (x, y) = (g.variable(VarId(0)), g.variable(VarId(1)));
        let minus_y = g.neg(y);
        assert_eq!(g.add(x, minus_y), g.sub(x, y));
        let product = g.mul(x, minus_y);
        let xy = g.mul(x, y);
        assert_eq!(product, g.neg(xy));
        assert_eq!(g.sub(x, x), g.integer(0));
    }
}
