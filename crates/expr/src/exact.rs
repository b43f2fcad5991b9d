//! Exact values of constant expressions, and expressions as sums of terms with exact factors. What cancels does so here to
//! the last digit: 3/10 − 3·(1/10) is no coefficient of 4e-17.

use crate::{Decimal, Expr, ExprId, Function, Graph};
use ordinate_exact::{Integer, Rational};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Longer numbers are left to rounding: a literal such as 1e300 to the power of 50 is no reason to wait.
const MAX_BITS: i64 = 8192;
/// The largest exponent that is multiplied out.
const MAX_POWER: i64 = 64;

/// A sum Σ factor · expression, the constant part as a factor of the expression 1. No factor is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms(BTreeMap<ExprId, Rational>);

impl Terms {
    /// Expressions and their factors.
    pub fn iter(&self) -> impl Iterator<Item = (ExprId, &Rational)> {
        self.0.iter().map(|(&e, factor)| (e, factor))
    }

    /// Adds factor · e.
    pub fn add(&mut self, e: ExprId, factor: &Rational) {
        let sum = match self.0.get(&e) {
            Some(known) => known.plus(factor),
            None => factor.clone(),
        };
        match sum.is_zero() {
            true => self.0.remove(&e),
            false => self.0.insert(e, sum),
        };
    }

    /// Adds factor · other.
    pub fn add_all(&mut self, other: &Terms, factor: &Rational) {
        other.iter().for_each(|(e, part)| self.add(e, &part.times(factor)));
    }
}

impl Decimal {
    /// The same number as a fraction; `None` if that is too long.
    pub fn to_rational(self) -> Option<Rational> {
        let (mantissa, exponent) = self.parts();
        if i64::from(exponent.unsigned_abs()) * 4 > MAX_BITS {
            return None;
        }
        let power = (0..exponent.unsigned_abs()).fold(Integer::from(1), |power, _| power.times(&Integer::from(10)));
        let mantissa = Integer::from(mantissa);
        match exponent < 0 {
            true => Rational::new(mantissa, power),
            false => Rational::new(mantissa.times(&power), Integer::from(1)),
        }
    }
}

/// The value of a node made of numbers alone, from those of its operands.
fn value_of(node: Expr, of: impl Fn(ExprId) -> Option<Rational>) -> Option<Rational> {
    let value = match node {
        Expr::Const(value) => value.to_rational(),
        Expr::Neg(a) => Some(of(a)?.negated()),
        Expr::Add(a, b) => Some(of(a)?.plus(&of(b)?)),
        Expr::Sub(a, b) => Some(of(a)?.minus(&of(b)?)),
        Expr::Mul(a, b) => Some(of(a)?.times(&of(b)?)),
        Expr::Div(a, b) => of(a)?.over(&of(b)?),
        Expr::Pow(a, b) => {
            let (base, exponent) = (of(a)?, of(b)?);
            let n: i64 = exponent.to_string().parse().ok().filter(|n: &i64| n.abs() <= MAX_POWER)?;
            base.power(n)
        }
        _ => None,
    };
    value.filter(|value| value.bits() <= MAX_BITS)
}

impl Graph {
    /// The exact value of an expression; `known` gives those of variables and of time. `None` where it has others, or
    /// functions such as a root.
    pub fn exact_value(&mut self, e: ExprId, known: impl Fn(Expr) -> Option<Rational>) -> Option<Rational> {
        let mut values: FxHashMap<ExprId, Option<Rational>> = FxHashMap::default();
        for id in self.post_order(&[e]) {
            let value = match self.node(id) {
                leaf @ (Expr::Var(_) | Expr::Time) => known(leaf),
                node => value_of(node, |operand| values[&operand].clone()),
            };
            values.insert(id, value);
        }
        values.remove(&e).flatten()
    }

    /// An exact number as an expression; `None` where it is out of the range of numbers.
    pub fn exact(&mut self, value: &Rational) -> Option<ExprId> {
        let [above, below] = [value.above(), value.below()].map(|n| {
            let text = n.to_string();
            Decimal::parse(text.trim_start_matches('-'))
        });
        let [above, below] = [self.sum_of(&above?), self.sum_of(&below?)];
        let quotient = self.div(above, below);
        Some(if value.is_negative() { self.neg(quotient) } else { quotient })
    }

    /// An expression of numbers as one number or a quotient of two.
    pub fn folded(&mut self, e: ExprId) -> ExprId {
        if self.constant_value(e).is_some() {
            return e;
        }
        let value = self.exact_value(e, |_| None);
        value.and_then(|value| self.exact(&value)).unwrap_or(e)
    }

    /// The exact sum of the pieces of a literal.
    pub fn sum_of(&mut self, pieces: &[Decimal]) -> ExprId {
        let first = self.constant(pieces[0]);
        pieces[1..].iter().fold(first, |sum, &piece| {
            let next = self.constant(piece);
            self.add(sum, next)
        })
    }

    /// An expression as a sum of terms. The factor of each part is that of all ways to it, so parts that are used often are
    /// visited once.
    pub fn terms(&mut self, e: ExprId) -> Terms {
        let order = self.post_order(&[e]);
        let mut values: FxHashMap<ExprId, Rational> = FxHashMap::default();
        for &id in &order {
            if let Some(value) = value_of(self.node(id), |operand| values.get(&operand).cloned()) {
                values.insert(id, value);
            }
        }
        let one = self.integer(1);
        let mut found = Terms::default();
        let mut open = Terms::default();
        open.add(e, &Rational::from(1));
        for id in order.into_iter().rev() {
            let Some(factor) = open.0.remove(&id) else { continue };
            if let Some(value) = values.get(&id) {
                found.add(one, &value.times(&factor));
                continue;
            }
            match self.node(id) {
                Expr::Neg(a) => open.add(a, &factor.negated()),
                Expr::Add(a, b) => {
                    open.add(a, &factor);
                    open.add(b, &factor);
                }
                Expr::Sub(a, b) => {
                    open.add(a, &factor);
                    open.add(b, &factor.negated());
                }
                Expr::Mul(a, b) if values.contains_key(&a) => open.add(b, &factor.times(&values[&a])),
                Expr::Mul(a, b) if values.contains_key(&b) => open.add(a, &factor.times(&values[&b])),
                Expr::Div(a, b) if values.get(&b).is_some_and(|value| !value.is_zero()) => {
                    open.add(a, &factor.over(&values[&b]).expect("it is not zero"));
                }
                Expr::Mul(a, b) => {
                    let ((p, a), (q, b)) = (self.content(a, &values), self.content(b, &values));
                    let product = self.mul(a, b);
                    found.add(product, &factor.times(&p).times(&q));
                }
                Expr::Div(a, b) => {
                    let ((p, a), (q, b)) = (self.content(a, &values), self.content(b, &values));
                    let quotient = self.div(a, b);
                    let part = p.over(&q).expect("a factor is not zero");
                    found.add(quotient, &factor.times(&part));
                }
                // its constant may cancel
                Expr::Call(Function::Expm1, a) => {
                    let power = self.call(Function::Exp, a);
                    found.add(power, &factor);
                    found.add(one, &factor.negated());
                }
                _ => found.add(id, &factor),
            }
        }
        found
    }

    /// A factor other than zero and the rest of a product.
    fn content(&mut self, mut e: ExprId, values: &FxHashMap<ExprId, Rational>) -> (Rational, ExprId) {
        let number = |e: &ExprId| values.get(e).filter(|value| !value.is_zero());
        let mut factor = Rational::from(1);
        loop {
            if let Some(value) = number(&e) {
                return (factor.times(value), self.integer(1));
            }
            (factor, e) = match self.node(e) {
                Expr::Neg(a) => (factor.negated(), a),
                Expr::Mul(a, b) if number(&a).is_some() => (factor.times(&values[&a]), b),
                Expr::Mul(a, b) if number(&b).is_some() => (factor.times(&values[&b]), a),
                Expr::Div(a, b) if number(&b).is_some() => (factor.over(&values[&b]).expect("it is not zero"), a),
                _ => return (factor, e),
            };
        }
    }

    /// The sum as an expression; `None` where a factor is out of the range of numbers.
    pub fn sum_of_terms(&mut self, terms: &Terms) -> Option<ExprId> {
        let one = Rational::from(1);
        let mut sum = self.integer(0);
        for (e, factor) in terms.iter() {
            let (negative, size) =
                (factor.is_negative(), if factor.is_negative() { factor.negated() } else { factor.clone() });
            let product = if size == one {
                e
            } else {
                let number = self.exact(&size)?;
                self.mul(number, e)
            };
            sum = if negative { self.sub(sum, product) } else { self.add(sum, product) };
        }
        Some(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VarId;

    fn decimal(g: &mut Graph, text: &str) -> ExprId {
        let pieces = Decimal::parse(text).expect("a number");
        g.sum_of(&pieces)
    }

    /// 3·(x/10 + y/7) − 0.3·x − 3·y/7 + 2·(x·y) is 2·x·y: nothing of x and y is left.
    #[test]
    fn terms_cancel_to_the_last_digit() {
        let mut g = Graph::new();
        let (x, y) = (g.variable(VarId(0)), g.variable(VarId(1)));
        let [two, three, seven, ten] = [2, 3, 7, 10].map(|n| g.integer(n));
        let tenths = decimal(&mut g, "0.3");
        let (a, b) = (g.div(x, ten), g.div(y, seven));
        let sum = g.add(a, b);
        let first = g.mul(three, sum);
        let (second, third) = (g.mul(tenths, x), g.mul(three, b));
        let twice = g.mul(two, x);
        let product = g.mul(y, twice);
        let rest = g.sub(first, second);
        let rest = g.sub(rest, third);
        let all = g.add(rest, product);
        let terms = g.terms(all);
        let back = g.sum_of_terms(&terms).expect("small numbers");
        assert_eq!(g.print(back, &|v| ["x", "y"][v.0 as usize].to_string()), "2*(x*y)");
    }

    #[test]
    fn constant_expressions_have_exact_values() {
        let mut g = Graph::new();
        let [one, three] = [1, 3].map(|n| g.integer(n));
        let third = g.div(one, three);
        let x = g.variable(VarId(0));
        let product = g.mul(x, third);
        let power = g.pow(product, three);
        let value = g.exact_value(power, |_| Some(Rational::from(6)));
        assert_eq!(value, Some(Rational::from(8)));
        assert_eq!(g.exact_value(power, |_| None), None);
        let long = Rational::from(10i128.pow(37) + 1).power(3).expect("not zero");
        let e = g.exact(&long).expect("in range");
        assert_eq!(g.exact_value(e, |_| None), Some(long));
    }

    /// A sum that doubles itself 200 times: each part is visited once.
    #[test]
    fn shared_parts_cost_once() {
        let mut g = Graph::new();
        let mut sum = g.variable(VarId(0));
        for k in 1..200 {
            let other = g.variable(VarId(k));
            let twice = g.add(sum, sum);
            sum = g.add(twice, other);
        }
        assert_eq!(g.terms(sum).iter().count(), 200);
    }
}
