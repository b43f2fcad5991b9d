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

use super::code::{JetOp, Operand, Value};
use ordinate_expr::power;

/// What the recurrence of an instruction needs at every order: the factors in the formulas above, found with the values
/// at the point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Factors {
    /// Of the inner sum (of the second one of aʳ).
    pub sum: f64,
    /// Of the newest coefficient of the first operand.
    pub a: f64,
    /// Of that of the second operand.
    pub b: f64,
}

/// The values of an instruction's nodes at the point and its factors; `value` gives the values of earlier nodes.
#[inline]
pub(super) fn begin(op: &JetOp, value: impl Fn(u32) -> f64) -> (f64, Factors) {
    let at = |operand: &Operand| operand.value(value(operand.node));
    match op {
        JetOp::Sum(_) => unreachable!("sums have no factors"),
        JetOp::Mul(a, b) => {
            let (x, y) = (at(a), at(b));
            (x * y, Factors { sum: a.factor * b.factor, a: y * a.factor, b: x * b.factor })
        }
        JetOp::Square(a) => {
            let x = at(a);
            (x * x, Factors { sum: a.factor * a.factor, a: 2.0 * x * a.factor, b: 0.0 })
        }
        JetOp::Div(a, b) => {
            let (x, y) = (at(a), at(b));
            (x / y, Factors { sum: -b.factor / y, a: a.factor / y, b: -b.factor / y * (x / y) })
        }
        JetOp::Reciprocal(numerator, b) => {
            let y = at(b);
            (numerator / y, Factors { sum: -b.factor / y, a: -b.factor / y * (numerator / y), b: 0.0 })
        }
        JetOp::Sqrt(a) => {
            let y = at(a).sqrt();
            (y, Factors { sum: -0.5 / y, a: 0.5 * a.factor / y, b: 0.0 })
        }
        JetOp::Power { a, r, cube_root, .. } => {
            let x = at(a);
            let y = if *cube_root { x.cbrt() } else { power(x, *r) };
            let slope = a.factor / x;
            (y, Factors { sum: slope, a: r * slope * y, b: slope * (r + 1.0) })
        }
        JetOp::Weigh(a) => (0.0, Factors { sum: 0.0, a: a.factor, b: 0.0 }),
        // W is known only after all values: `finish`.
        JetOp::Antiproduct { value: how, of, .. } | JetOp::Antiquotient { value: how, of, .. } => {
            let y = match how {
                Value::Call(f) => f.evaluate(at(&of[0])),
                Value::Power => power(at(&of[0]), at(&of[1])),
                Value::Atan2 => at(&of[0]).atan2(at(&of[1])),
            };
            (y, Factors::default())
        }
    }
}

/// The factors that need the value of w, which may be a later node.
#[inline]
pub(super) fn finish(op: &JetOp, value: impl Fn(u32) -> f64) -> Option<Factors> {
    match op {
        JetOp::Antiproduct { w, factor, .. } => {
            Some(Factors { sum: factor * w.factor, a: factor * w.value(value(w.node)), b: 0.0 })
        }
        JetOp::Antiquotient { w, .. } => {
            let inverse = 1.0 / w.value(value(w.node));
            Some(Factors { sum: -w.factor * inverse, a: inverse, b: 0.0 })
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
