//! The recurrences themselves, one formula each. With aₖ the coefficients of a series, S the sum of the inner products
//! that is named, and f the factor of an operand f·a + c whose value is A:
//!
//! ```text
//!   y = a b        yₖ = fₐ f_b Σ aⱼ bₖ₋ⱼ + (A f_b) bₖ + (B fₐ) aₖ
//!   y = a²         yₖ = f² Σ aⱼ aₖ₋ⱼ + (2 A f) aₖ
//!   y = a / b      yₖ = (fₐ / B) aₖ − (f_b / B) (Σ bⱼ yₖ₋ⱼ + bₖ y₀)
//!   y = √a         yₖ = (f aₖ − Σ yⱼ yₖ₋ⱼ) / (2 y₀)
//!   y = aʳ         yₖ = f/A ((r + 1)/k Σ j aⱼ yₖ₋ⱼ − Σ aⱼ yₖ₋ⱼ) + (r f y₀ / A) aₖ       from a y′ = r a′ y
//!   v = t a′       vₖ = k f aₖ
//!   y′ = g w a′    yₖ = (g f_w Σ vⱼ wₖ₋ⱼ + (g W) vₖ) / k
//!   w y′ = a′      uₖ = (vₖ − f_w Σ uⱼ wₖ₋ⱼ) / W,  yₖ = uₖ / k                           u = t y′
//! ```
//!
//! All sums are over 1 ≤ j < k. R. E. Moore, Interval Analysis (1966), chapter 11; A. Griewank, A. Walther, Evaluating
//! Derivatives (2008), tables 13.1 and 13.2; À. Jorba, M. Zou, Experiment. Math. 14 (2005) 99–117, proposition 2.1.

use super::code::{JetInstruction, JetOp, Value};
use ordinate_expr::{Function, power};
use ordinate_numbers::{Arithmetic, Number};
use std::ops::{Mul, Neg};

/// How coefficient k is made of the inner sums and the newest coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Sum,
    /// One product, two newest coefficients.
    Binary,
    /// One product, one newest coefficient.
    Unary,
    Square,
    Power,
    Weigh,
    Antiproduct,
    Antiquotient,
}

/// The nodes that a recurrence needs at every order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Form {
    pub kind: Kind,
    /// Those of the newest coefficients a and b; of sums, the range of their terms.
    pub a: u32,
    pub b: u32,
    /// The factors of the inner sum; of squares, twice the same.
    pub product: Option<[u32; 2]>,
    /// Those of the second inner sum of aʳ.
    pub weighted: Option<[u32; 2]>,
}

impl<N> JetInstruction<N> {
    /// Which recurrence it is.
    pub(super) fn form(&self) -> Form {
        let form = |kind, a, b, product| Form { kind, a, b, product, weighted: None };
        match &self.op {
            JetOp::Sum(sum) => form(Kind::Sum, sum.from, sum.to, None),
            JetOp::Mul(a, b) => form(Kind::Binary, a.node, b.node, Some([a.node, b.node])),
            JetOp::Div(a, b) => form(Kind::Binary, a.node, b.node, Some([b.node, self.out])),
            JetOp::Reciprocal(_, b) => form(Kind::Unary, b.node, 0, Some([b.node, self.out])),
            JetOp::Square(a) => form(Kind::Square, a.node, 0, Some([a.node; 2])),
            JetOp::Sqrt(a) => form(Kind::Square, a.node, 0, Some([self.out; 2])),
            JetOp::Power { a, weighted, .. } => {
                Form { weighted: Some([*weighted, self.out]), ..form(Kind::Power, a.node, 0, Some([a.node, self.out])) }
            }
            JetOp::Weigh(a) => form(Kind::Weigh, a.node, 0, None),
            JetOp::Antiproduct { weighted, w, .. } => form(Kind::Antiproduct, *weighted, 0, Some([*weighted, w.node])),
            JetOp::Antiquotient { weighted, w, .. } => form(Kind::Antiquotient, *weighted, 0, Some([self.out, w.node])),
        }
    }
}

/// What the recurrence of an instruction needs at every order: the factors in the formulas above, found with the values
/// at the point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Factors<N = f64> {
    /// Of the inner sum (of the second one of aʳ).
    pub sum: N,
    /// Of the newest coefficient of the first operand.
    pub a: N,
    /// Of that of the second operand.
    pub b: N,
}

/// What belongs to an order: k and 1/k.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order<N = f64> {
    pub k: N,
    pub inverse: N,
}

/// Coefficient k of the first node of an instruction that is no sum. `sums` are its inner sums, `a` and `b` the newest
/// coefficients of its operands; what its kind has not got is not looked at. Numbers of all widths share it, so `fma` is
/// told.
#[inline(always)]
pub(super) fn next<N: Clone + Mul<Output = N> + Neg<Output = N>>(
    kind: Kind,
    factors: &Factors<N>,
    order: Order<N>,
    [sum, weighted]: [N; 2],
    [a, b]: [N; 2],
    fma: impl Fn(N, N, N) -> N,
) -> N {
    let g = factors.clone();
    match kind {
        Kind::Sum => unreachable!("sums have no recurrence"),
        Kind::Binary => fma(g.b, b, fma(g.a, a, g.sum * sum)),
        // that of an antiquotient is u = t y′
        Kind::Unary | Kind::Square | Kind::Antiquotient => fma(g.a, a, g.sum * sum),
        Kind::Power => fma(g.a, a, fma(g.b * order.inverse, weighted, -(g.sum * sum))),
        Kind::Weigh => g.a * order.k * a,
        Kind::Antiproduct => fma(g.a, a, g.sum * sum) * order.inverse,
    }
}

/// The values of an instruction's nodes at the point and its factors; `value` gives the values of earlier nodes.
#[inline(always)]
pub(super) fn begin<N: Number>(op: &JetOp<N::Stored>, value: impl Fn(u32) -> N) -> (N, Factors<N>) {
    begin_with(op, value, |how, x, y| match how {
        Value::Call(f) => x.map(|x| f.evaluate(x)),
        Value::Power => x.map2(y, power),
        Value::Atan2 => x.map2(y, f64::atan2),
    })
}

/// The same for numbers whose functions are told: `function` of one or two operands.
#[inline(always)]
pub(super) fn begin_with<N: Arithmetic>(
    op: &JetOp<N::Stored>,
    value: impl Fn(u32) -> N,
    function: impl Fn(Value, N, N) -> N,
) -> (N, Factors<N>) {
    let zero = || N::splat(0.0);
    match op {
        JetOp::Sum(_) => unreachable!("sums have no factors"),
        JetOp::Mul(a, b) => {
            let (x, y) = (a.value(value(a.node)), b.value(value(b.node)));
            let (f, g) = (N::load(&a.factor), N::load(&b.factor));
            let factors = Factors { sum: f.clone() * g.clone(), a: y.clone() * f, b: x.clone() * g };
            (x * y, factors)
        }
        JetOp::Square(a) => {
            let (x, f) = (a.value(value(a.node)), N::load(&a.factor));
            let factors = Factors { sum: f.clone() * f.clone(), a: N::splat(2.0) * x.clone() * f, b: zero() };
            (x.clone() * x, factors)
        }
        JetOp::Div(a, b) => {
            let (x, y) = (a.value(value(a.node)), b.value(value(b.node)));
            let slope = -N::load(&b.factor) / y.clone();
            let quotient = x / y.clone();
            let factors = Factors { sum: slope.clone(), a: N::load(&a.factor) / y, b: slope * quotient.clone() };
            (quotient, factors)
        }
        JetOp::Reciprocal(numerator, b) => {
            let y = b.value(value(b.node));
            let (slope, quotient) = (-N::load(&b.factor) / y.clone(), N::load(numerator) / y);
            (quotient.clone(), Factors { sum: slope.clone(), a: slope * quotient, b: zero() })
        }
        JetOp::Sqrt(a) => {
            let y = a.value(value(a.node)).sqrt();
            let half = N::splat(0.5);
            let factors =
                Factors { sum: -half.clone() / y.clone(), a: half * N::load(&a.factor) / y.clone(), b: zero() };
            (y, factors)
        }
        JetOp::Power { a, r, cube_root, .. } => {
            let (x, r) = (a.value(value(a.node)), N::load(r));
            let how = if *cube_root { Value::Call(Function::Cbrt) } else { Value::Power };
            let y = function(how, x.clone(), r.clone());
            let slope = N::load(&a.factor) / x;
            let factors = Factors {
                sum: slope.clone(),
                a: r.clone() * slope.clone() * y.clone(),
                b: slope * (r + N::splat(1.0)),
            };
            (y, factors)
        }
        JetOp::Weigh(a) => (zero(), Factors { sum: zero(), a: N::load(&a.factor), b: zero() }),
        // W is known only after all values: `finish`.
        JetOp::Antiproduct { value: how, of: [a, b], .. } | JetOp::Antiquotient { value: how, of: [a, b], .. } => {
            let x = a.value(value(a.node));
            let y = match how {
                Value::Call(_) => x.clone(),
                Value::Power | Value::Atan2 => b.value(value(b.node)),
            };
            (function(*how, x, y), Factors { sum: zero(), a: zero(), b: zero() })
        }
    }
}

/// The factor of the inner sum where it is the same at all points.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub(super) fn constant_sum_factor(op: &JetOp) -> Option<f64> {
    match op {
        JetOp::Mul(a, b) => Some(a.factor * b.factor),
        JetOp::Square(a) => Some(a.factor * a.factor),
        JetOp::Antiproduct { w, factor, .. } => Some(factor * w.factor),
        JetOp::Sum(_)
        | JetOp::Div(..)
        | JetOp::Reciprocal(..)
        | JetOp::Sqrt(_)
        | JetOp::Power { .. }
        | JetOp::Weigh(_)
        | JetOp::Antiquotient { .. } => None,
    }
}

/// The factors that need the value of w, which may be a later node.
#[inline(always)]
pub(super) fn finish<N: Arithmetic>(op: &JetOp<N::Stored>, value: impl Fn(u32) -> N) -> Option<Factors<N>> {
    let zero = || N::splat(0.0);
    match op {
        JetOp::Antiproduct { w, factor, .. } => {
            let (f, factor) = (N::load(&w.factor), N::load(factor));
            Some(Factors { sum: factor.clone() * f, a: factor * w.value(value(w.node)), b: zero() })
        }
        JetOp::Antiquotient { w, .. } => {
            let inverse = N::splat(1.0) / w.value(value(w.node));
            Some(Factors { sum: -N::load(&w.factor) * inverse.clone(), a: inverse, b: zero() })
        }
        JetOp::Sum(_)
        | JetOp::Mul(..)
        | JetOp::Square(_)
        | JetOp::Div(..)
        | JetOp::Reciprocal(..)
        | JetOp::Sqrt(_)
        | JetOp::Power { .. }
        | JetOp::Weigh(_) => None,
    }
}
