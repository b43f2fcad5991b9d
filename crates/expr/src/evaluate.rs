//! Values in double precision: of a function, and of a whole expression (for constants; a run
//! evaluates a compiled program instead).

use crate::{Expr, ExprId, Function, Graph, stable};
use rustc_hash::FxHashMap;

impl Function {
    /// f(x). Outside of its domain the result is not a number.
    pub fn evaluate(self, x: f64) -> f64 {
        match self {
            Function::Sin => x.sin(),
            Function::Cos => x.cos(),
            Function::Tan => x.tan(),
            Function::Asin => x.asin(),
            Function::Acos => x.acos(),
            Function::Atan => x.atan(),
            Function::Sinh => x.sinh(),
            Function::Cosh => x.cosh(),
            Function::Tanh => x.tanh(),
            Function::Asinh => x.asinh(),
            Function::Acosh => x.acosh(),
            Function::Atanh => x.atanh(),
            Function::Exp => x.exp(),
            Function::Log => x.ln(),
            Function::Log10 => x.log10(),
            Function::Sqrt => x.sqrt(),
            Function::Cbrt => x.cbrt(),
            Function::Erf => libm::erf(x),
            Function::Expm1 => x.exp_m1(),
            Function::Log1p => x.ln_1p(),
            Function::Logistic => stable::logistic(x),
            Function::Softplus => stable::softplus(x),
            Function::Bernoulli => stable::bernoulli(x),
            Function::Langevin => stable::langevin(x),
            Function::LangevinSlope => stable::langevin_slope(x),
            Function::Abs => x.abs(),
            Function::Sign => sign(x),
            Function::Floor => x.floor(),
            Function::Noise => crate::noise::normal(x),
        }
    }
}

/// −1, 0 or 1; unlike `f64::signum` zero at zero.
pub fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

/// aᵇ. An integer power is a product, a half-integer one a root times a product: both are faster than the
/// general power and right for negative bases.
pub fn power(a: f64, b: f64) -> f64 {
    let twice = 2.0 * b;
    if twice.fract() != 0.0 || twice.abs() > 16.0 {
        return a.powf(b);
    }
    let whole = integer_power(a, b.abs().trunc() as u32);
    let positive = if b.fract() == 0.0 { whole } else { whole * a.sqrt() };
    if b < 0.0 { 1.0 / positive } else { positive }
}

/// aⁿ by repeated squaring.
fn integer_power(a: f64, mut n: u32) -> f64 {
    let (mut result, mut square) = (1.0, a);
    while n > 0 {
        if n & 1 == 1 {
            result *= square;
        }
        n >>= 1;
        if n > 0 {
            square *= square;
        }
    }
    result
}

/// 1 or 0
pub(crate) fn truth(value: bool) -> f64 {
    f64::from(u8::from(value))
}

impl Graph {
    /// The value of an expression; `leaf` gives those of [`Expr::Time`], [`Expr::Var`] and the lists.
    /// `None` where a leaf has none.
    pub fn evaluate(&mut self, root: ExprId, mut leaf: impl FnMut(Expr) -> Option<f64>) -> Option<f64> {
        let mut v: FxHashMap<ExprId, f64> = FxHashMap::default();
        for id in self.post_order(&[root]) {
            let node = self.node(id);
            let value = match node {
                Expr::Const(value) => value.to_f64(),
                Expr::Pi => std::f64::consts::PI,
                Expr::Time | Expr::Var(_) | Expr::Lookup(..) => leaf(node)?,
                Expr::Neg(a) => -v[&a],
                Expr::Add(a, b) => v[&a] + v[&b],
                Expr::Sub(a, b) => v[&a] - v[&b],
                Expr::Mul(a, b) => v[&a] * v[&b],
                Expr::Div(a, b) => v[&a] / v[&b],
                Expr::Pow(a, b) => power(v[&a], v[&b]),
                Expr::Call(f, a) => f.evaluate(v[&a]),
                Expr::Atan2(a, b) => v[&a].atan2(v[&b]),
                Expr::Less(a, b) => truth(v[&a] < v[&b]),
                Expr::LessEqual(a, b) => truth(v[&a] <= v[&b]),
                Expr::Equal(a, b) => truth(v[&a] == v[&b]),
                Expr::Not(a) => 1.0 - v[&a],
                Expr::And(a, b) => v[&a] * v[&b],
                Expr::Or(a, b) => v[&a].max(v[&b]),
                Expr::Select(c, a, b) => v[if v[&c] != 0.0 { &a } else { &b }],
            };
            v.insert(id, value);
        }
        Some(v[&root])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VarId;

    #[test]
    fn special_powers_agree_with_the_general_one() {
        for a in [0.3, 1.0, 2.5, 7.0] {
            for b in [-3.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 5.0, 31.5, 1.0 / 3.0] {
                let (special, general) = (power(a, b), a.powf(b));
                assert!((special - general).abs() <= 1e-14 * general, "{a}^{b}: {special} {general}");
            }
        }
        assert_eq!(power(-2.0, 3.0), -8.0);
        assert!(power(-2.0, 0.5).is_nan());
        assert_eq!(power(0.0, -1.0), f64::INFINITY);
    }

    /// f′ by its rule against the central difference of f, for every function that is listed.
    #[test]
    fn every_function_knows_its_derivative() {
        for f in Function::ALL {
            let mut g = Graph::new();
            let x = g.variable(VarId(0));
            let value = g.call(f, x);
            let slope = g.partial(value, VarId(0));
            let at = if f == Function::Acosh { 1.7 } else { 0.37 };
            let exact = g.evaluate(slope, |_| Some(at)).unwrap();
            let h = 1e-5;
            let difference = (f.evaluate(at + h) - f.evaluate(at - h)) / (2.0 * h);
            assert!((exact - difference).abs() < 1e-8, "{}: {exact} {difference}", f.name());
        }
    }

    #[test]
    fn rules_of_two_operands_agree_with_differences() {
        let mut g = Graph::new();
        let (x, y) = (g.variable(VarId(0)), g.variable(VarId(1)));
        let product = g.mul(x, y);
        let sum = g.add(x, product);
        let zero = g.integer(0);
        let positive = g.less(zero, x);
        let cases =
            [g.div(sum, y), g.pow(x, y), g.atan2(product, y), g.sub(product, y), g.select(positive, product, y)];
        for e in cases {
            let at = [0.8, 1.3];
            for v in 0..2 {
                let slope = g.partial(e, VarId(v));
                let mut value = |dx: f64, e| {
                    g.evaluate(e, |leaf| match leaf {
                        Expr::Var(w) => Some(at[w.0 as usize] + if w.0 == v { dx } else { 0.0 }),
                        _ => None,
                    })
                    .unwrap()
                };
                let difference = (value(1e-5, e) - value(-1e-5, e)) / 2e-5;
                assert!((value(0.0, slope) - difference).abs() < 1e-8);
            }
        }
    }
}
