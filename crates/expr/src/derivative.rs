//! Differentiation, forward over the graph: given the derivative of every leaf, the derivative of the
//! root. One rule set serves partial derivatives (one leaf has derivative 1) and derivatives along a
//! solution (each state has its right-hand side).

use crate::{Decimal, Expr, ExprId, Function, Graph, VarId};
use rustc_hash::FxHashMap;

impl Graph {
    /// ∂root/∂v
    pub fn partial(&mut self, root: ExprId, v: VarId) -> ExprId {
        let (zero, one) = (self.integer(0), self.integer(1));
        self.derivative(root, |leaf| if leaf == Expr::Var(v) { one } else { zero })
    }

    /// The derivative of the root when `of_leaf` gives those of [`Expr::Time`] and of each [`Expr::Var`].
    pub fn derivative(&mut self, root: ExprId, mut of_leaf: impl FnMut(Expr) -> ExprId) -> ExprId {
        let zero = self.integer(0);
        let mut d: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for id in self.post_order(&[root]) {
            let node = self.node(id);
            let result = match node {
                Expr::Time | Expr::Var(_) => of_leaf(node),
                _ if node.operands().all(|operand| d[&operand] == zero) => zero,
                Expr::Const(_) | Expr::Pi => zero,
                Expr::Neg(a) => self.neg(d[&a]),
                Expr::Add(a, b) => self.add(d[&a], d[&b]),
                Expr::Sub(a, b) => self.sub(d[&a], d[&b]),
                Expr::Mul(a, b) => {
                    let (left, right) = (self.mul(d[&a], b), self.mul(a, d[&b]));
                    self.add(left, right)
                }
                // (a/b)′ = (a′ − (a/b) b′) / b
                Expr::Div(a, b) => {
                    let product = self.mul(id, d[&b]);
                    let numerator = self.sub(d[&a], product);
                    self.div(numerator, b)
                }
                Expr::Pow(a, b) => self.power_derivative(id, a, b, d[&a], d[&b]),
                Expr::Call(f, a) => {
                    let outer = self.call_derivative(f, a, id);
                    self.mul(outer, d[&a])
                }
                // atan2(y, x)′ = (x y′ − y x′) / (x² + y²)
                Expr::Atan2(y, x) => {
                    let (p, q) = (self.mul(x, d[&y]), self.mul(y, d[&x]));
                    let (xx, yy) = (self.square(x), self.square(y));
                    let (numerator, denominator) = (self.sub(p, q), self.add(xx, yy));
                    self.div(numerator, denominator)
                }
                // The selecting value is constant between events.
                Expr::Select(c, a, b) => self.select(c, d[&a], d[&b]),
                Expr::Less(..) | Expr::LessEqual(..) | Expr::Equal(..) => zero,
                Expr::Not(_) | Expr::And(..) | Expr::Or(..) | Expr::Lookup(..) => zero,
            };
            d.insert(id, result);
        }
        d[&root]
    }

    /// ```text
    ///   (aᵇ)′ = b aᵇ⁻¹ a′                      b constant
    ///   (aᵇ)′ = aᵇ (b′ log a + b a′ / a)       otherwise
    /// ```
    fn power_derivative(&mut self, power: ExprId, a: ExprId, b: ExprId, da: ExprId, db: ExprId) -> ExprId {
        let zero = self.integer(0);
        if db == zero {
            let one = self.integer(1);
            let lower = self.sub(b, one);
            let reduced = self.pow(a, lower);
            let outer = self.mul(b, reduced);
            return self.mul(outer, da);
        }
        let log = self.call(Function::Log, a);
        let first = self.mul(db, log);
        let product = self.mul(b, da);
        let second = self.div(product, a);
        let sum = self.add(first, second);
        self.mul(power, sum)
    }

    /// f′(a), with `value` = f(a). No `_` arm: a new function does not compile until it says its derivative.
    fn call_derivative(&mut self, f: Function, a: ExprId, value: ExprId) -> ExprId {
        let one = self.integer(1);
        match f {
            Function::Sin => self.call(Function::Cos, a),
            Function::Cos => {
                let sine = self.call(Function::Sin, a);
                self.neg(sine)
            }
            Function::Tan => {
                let square = self.square(value);
                self.add(one, square)
            }
            Function::Asin => self.inverse_root(one, a, false),
            Function::Acos => {
                let positive = self.inverse_root(one, a, false);
                self.neg(positive)
            }
            Function::Atan => {
                let square = self.square(a);
                let denominator = self.add(one, square);
                self.div(one, denominator)
            }
            Function::Sinh => self.call(Function::Cosh, a),
            Function::Cosh => self.call(Function::Sinh, a),
            Function::Tanh => {
                let square = self.square(value);
                self.sub(one, square)
            }
            Function::Asinh => self.inverse_root(one, a, true),
            // acosh′ = 1/√(a² − 1), written (a−1)(a+1) against cancellation near 1
            Function::Acosh => {
                let (below, above) = (self.sub(a, one), self.add(a, one));
                let product = self.mul(below, above);
                let root = self.call(Function::Sqrt, product);
                self.div(one, root)
            }
            Function::Atanh => {
                let square = self.square(a);
                let denominator = self.sub(one, square);
                self.div(one, denominator)
            }
            Function::Exp => value,
            Function::Log => self.div(one, a),
            Function::Log10 => {
                let ten = self.integer(10);
                let log_ten = self.call(Function::Log, ten);
                let denominator = self.mul(a, log_ten);
                self.div(one, denominator)
            }
            Function::Sqrt => {
                let half = self.constant(Decimal::new(5, -1).expect("0.5"));
                self.div(half, value)
            }
            Function::Cbrt => {
                let three = self.integer(3);
                let square = self.square(value);
                let denominator = self.mul(three, square);
                self.div(one, denominator)
            }
            // erf′ = 2/√π · exp(−a²)
            Function::Erf => {
                let (pi, two) = (self.pi(), self.integer(2));
                let root = self.call(Function::Sqrt, pi);
                let factor = self.div(two, root);
                let square = self.square(a);
                let exponent = self.neg(square);
                let bell = self.call(Function::Exp, exponent);
                self.mul(factor, bell)
            }
            Function::Expm1 => self.call(Function::Exp, a),
            Function::Log1p => {
                let denominator = self.add(one, a);
                self.div(one, denominator)
            }
            // y (1 − y), where 1 − y is the same function of the other side: nothing cancels
            Function::Logistic => {
                let minus = self.neg(a);
                let rest = self.call(Function::Logistic, minus);
                self.mul(value, rest)
            }
            Function::Softplus => self.call(Function::Logistic, a),
            // (log B)′ = −(1 + L(a/2))/2
            Function::Bernoulli => {
                let half = self.constant(Decimal::new(5, -1).expect("0.5"));
                let argument = self.mul(half, a);
                let langevin = self.call(Function::Langevin, argument);
                let sum = self.add(one, langevin);
                let factor = self.mul(half, sum);
                let product = self.mul(value, factor);
                self.neg(product)
            }
            Function::Langevin => self.call(Function::LangevinSlope, a),
            // L′ = 1 − L² − 2L/a, thus L″ = −2 L L′ − 2 L′/a + 2 L/a²: a formula at 0 would need another function, and so on without end
            Function::LangevinSlope => {
                let two = self.integer(2);
                let langevin = self.call(Function::Langevin, a);
                let ratio = self.div(langevin, a);
                let rest = self.sub(value, ratio);
                let quotient = self.div(rest, a);
                let product = self.mul(langevin, value);
                let sum = self.add(product, quotient);
                let twice = self.mul(two, sum);
                self.neg(twice)
            }
            Function::Abs => self.call(Function::Sign, a),
            Function::Sign | Function::Floor | Function::Noise => self.integer(0),
        }
    }

    /// 1/√(1 ± a²)
    fn inverse_root(&mut self, one: ExprId, a: ExprId, plus: bool) -> ExprId {
        let square = self.square(a);
        let inside = if plus { self.add(one, square) } else { self.sub(one, square) };
        let root = self.call(Function::Sqrt, inside);
        self.div(one, root)
    }
}
