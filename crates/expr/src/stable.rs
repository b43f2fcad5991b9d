//! Functions that stand for a typed expression where this overflows or is 0/0 although its value is ordinary. The constructors of
//! [`Graph`] put them in; each rule is an identity of real numbers, and its pattern is found in the expression itself.
//!
//! ```text
//!   eᵘ − 1 = expm1 u                        1/(1 + e⁻ᵘ) = eᵘ/(1 + eᵘ) = σ(u),   1 − σ(u) = σ(−u)
//!   eᵃ/(eᵃ + eᵇ) = σ(a − b)                 log(eᵃ + eᵇ) = b + softplus(a − b),  log σ(u) = −softplus(−u)
//!   (eᵘ − 1)/(eᵘ + 1) = tanh(u/2)           1/(eᵘ − 1) = B(u)/u where u cancels,  eᵘ/(eᵘ − 1) = 1/(1 − e⁻ᵘ)
//! ```
//!
//! B is analytic at 0, but fulfils no rational differential equation that is regular there (A. Gofen, Unremovable “removable”
//! singularities, Complex Variables and Elliptic Equations 53 (2008), on (eᵗ − 1)/t). So each derivative needs a further function;
//! two of them are here.

use crate::{Decimal, Expr, ExprId, Function, Graph};

/// 1/(1 + e⁻ˣ)
pub(crate) fn logistic(x: f64) -> f64 {
    // of both signs what is small keeps its digits
    if x < 0.0 {
        let e = x.exp();
        e / (1.0 + e)
    } else {
        1.0 / (1.0 + (-x).exp())
    }
}

/// log(1 + eˣ)
pub(crate) fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// x/(eˣ − 1)
pub(crate) fn bernoulli(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { x / x.exp_m1() }
}

/// Below this the continued fraction of Lambert is used, all of whose terms are positive.
const NEAR: f64 = 1.0;

/// L(x)/x = 1/(3 + x²/(5 + x²/(7 + …)))
fn lambert(x: f64) -> f64 {
    let square = x * x;
    let below =
        [19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0].into_iter().fold(21.0, |rest, odd| odd + square / rest);
    1.0 / below
}

/// coth x − 1/x
pub(crate) fn langevin(x: f64) -> f64 {
    if x.abs() < NEAR { x * lambert(x) } else { 1.0 / x.tanh() - 1.0 / x }
}

/// L′ = 1 − L² − 2L/x
pub(crate) fn langevin_slope(x: f64) -> f64 {
    if x.abs() < NEAR {
        let ratio = lambert(x);
        1.0 - (x * ratio).powi(2) - 2.0 * ratio
    } else {
        (1.0 / x).powi(2) - (1.0 / x.sinh()).powi(2)
    }
}

/// A product of powers with whole exponents.
struct Product {
    negative: bool,
    powers: Vec<(ExprId, i64)>,
}

/// Products with more factors are not taken apart, nor are powers with larger exponents.
const MOST_FACTORS: usize = 24;
const LARGEST_EXPONENT: i64 = 8;

impl Product {
    fn exponent(&self, e: ExprId) -> i64 {
        self.powers.iter().find(|(base, _)| *base == e).map_or(0, |(_, exponent)| *exponent)
    }

    /// Times eᵖ.
    fn times(&mut self, e: ExprId, p: i64) {
        match self.powers.iter_mut().find(|(base, _)| *base == e) {
            Some((_, exponent)) => *exponent += p,
            None => self.powers.push((e, p)),
        }
        self.powers.retain(|(_, exponent)| *exponent != 0);
    }
}

impl Graph {
    /// An expression that is a product or a quotient.
    fn product(&self, e: ExprId) -> Product {
        let mut found = Product { negative: false, powers: Vec::new() };
        self.multiply(&mut found, e, 1);
        found
    }

    fn multiply(&self, product: &mut Product, e: ExprId, p: i64) {
        let mut open = vec![(e, p)];
        while let Some((e, p)) = open.pop() {
            let whole = |n: ExprId| {
                let n = self.constant_value(n)?.as_integer()?;
                (n.abs() <= LARGEST_EXPONENT && n != 0).then_some(n)
            };
            let room = open.len() + product.powers.len() < MOST_FACTORS;
            match self.node(e) {
                Expr::Neg(a) => {
                    product.negative ^= p % 2 != 0;
                    open.push((a, p));
                }
                Expr::Mul(a, b) if room => open.extend([(b, p), (a, p)]),
                Expr::Div(a, b) if room => open.extend([(b, -p), (a, p)]),
                Expr::Pow(a, n) if whole(n).is_some() && p.abs() <= LARGEST_EXPONENT => {
                    open.push((a, p * whole(n).expect("just looked")));
                }
                Expr::Const(value) if value == Decimal::ONE => {}
                _ => product.times(e, p),
            }
        }
    }

    fn quotient_of(&mut self, product: &Product) -> ExprId {
        let one = self.integer(1);
        let (mut above, mut below) = (one, one);
        for &(base, p) in &product.powers {
            let exponent = self.integer(p.abs());
            let power = match p.abs() {
                2 => self.square(base),
                _ => self.pow(base, exponent),
            };
            match p > 0 {
                true => above = self.mul(above, power),
                false => below = self.mul(below, power),
            }
        }
        let quotient = self.div(above, below);
        if product.negative { self.neg(quotient) } else { quotient }
    }

    /// u of eᵘ
    fn exponent_of(&self, e: ExprId) -> Option<ExprId> {
        match self.node(e) {
            Expr::Call(Function::Exp, u) => Some(u),
            _ => None,
        }
    }

    /// a and b of eᵃ + eᵇ; b is 0 of eᵃ + 1.
    fn sum_of_exponentials(&mut self, e: ExprId) -> Option<[ExprId; 2]> {
        let Expr::Add(x, y) = self.node(e) else { return None };
        let exponents = (self.exponent_of(x), self.exponent_of(y));
        if exponents == (None, None) {
            return None;
        }
        let one = self.integer(1);
        let zero = self.integer(0);
        match exponents {
            (Some(a), Some(b)) => Some([a, b]),
            (Some(a), None) if y == one => Some([a, zero]),
            (None, Some(b)) if x == one => Some([b, zero]),
            _ => None,
        }
    }

    /// a − b of an exponential and 1.
    pub(crate) fn stable_difference(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let is_one = |graph: &Graph, e: ExprId| graph.constant_value(e) == Some(Decimal::ONE);
        match (self.node(a), self.node(b)) {
            (Expr::Call(Function::Exp, u), _) if is_one(self, b) => Some(self.call(Function::Expm1, u)),
            (_, Expr::Call(Function::Exp, u)) if is_one(self, a) => {
                let opposite = self.call(Function::Expm1, u);
                Some(self.neg(opposite))
            }
            (_, Expr::Call(Function::Logistic, u)) if is_one(self, a) => {
                let minus = self.neg(u);
                Some(self.call(Function::Logistic, minus))
            }
            _ => None,
        }
    }

    /// log a, log1p a
    pub(crate) fn stable_call(&mut self, f: Function, a: ExprId) -> Option<ExprId> {
        match (f, self.node(a)) {
            (Function::Log, Expr::Add(..)) => {
                let [a, b] = self.sum_of_exponentials(a)?;
                let difference = self.sub(a, b);
                let rest = self.call(Function::Softplus, difference);
                Some(self.add(b, rest))
            }
            (Function::Log, Expr::Call(Function::Logistic, u)) => {
                let minus = self.neg(u);
                let opposite = self.call(Function::Softplus, minus);
                Some(self.neg(opposite))
            }
            (Function::Log1p, Expr::Call(Function::Exp, u)) => Some(self.call(Function::Softplus, u)),
            _ => None,
        }
    }

    /// aᵖ of a = 1 + eᵘ with a negative p.
    pub(crate) fn stable_power(&mut self, a: ExprId, p: Decimal) -> Option<ExprId> {
        let [u, other] = self.sum_of_exponentials(a)?;
        let zero = self.integer(0);
        if !p.is_negative() || other != zero {
            return None;
        }
        let minus = self.neg(u);
        let gate = self.call(Function::Logistic, minus);
        let positive = self.constant(p.negate());
        Some(self.pow(gate, positive))
    }

    /// eᵘ σ(−u) = σ(u)
    pub(crate) fn stable_product(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let (u, v) = match (self.node(a), self.node(b)) {
            (Expr::Call(Function::Exp, u), Expr::Call(Function::Logistic, v))
            | (Expr::Call(Function::Logistic, v), Expr::Call(Function::Exp, u)) => (u, v),
            _ => return None,
        };
        (self.neg(u) == v).then(|| self.call(Function::Logistic, u))
    }

    /// a / b where a factor is an exponential less or plus something.
    pub(crate) fn stable_quotient(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        if self.constant_value(b).is_some() {
            return None;
        }
        let mut q = self.product(a);
        self.multiply(&mut q, b, -1);
        let is_rewritten = |graph: &Graph, &(e, p): &(ExprId, i64)| match graph.node(e) {
            Expr::Call(Function::Expm1, _) => true,
            Expr::Add(x, y) => p < 0 && (graph.exponent_of(x).is_some() || graph.exponent_of(y).is_some()),
            _ => false,
        };
        let found: Vec<(ExprId, i64)> = q.powers.iter().filter(|factor| is_rewritten(self, factor)).copied().collect();
        let mut is_changed = false;
        for (e, p) in found {
            for _ in 0..p.abs() {
                is_changed |= match self.node(e) {
                    Expr::Call(_, u) => self.cancel_zero(&mut q, e, u, p.signum()),
                    _ => self.saturate(&mut q, e),
                };
            }
        }
        is_changed.then(|| self.quotient_of(&q))
    }

    /// 1/(eᵃ + eᵇ) with what it is multiplied by.
    fn saturate(&mut self, q: &mut Product, sum: ExprId) -> bool {
        let Some([a, b]) = self.sum_of_exponentials(sum) else { return false };
        let zero = self.integer(0);
        let half = self.constant(Decimal::new(5, -1).expect("0.5"));
        let [up, other] = [a, b].map(|u| self.call(Function::Exp, u));
        let less_one = self.call(Function::Expm1, a);
        let (factor, f, argument) = match () {
            () if q.exponent(up) > 0 => (Some(up), Function::Logistic, self.sub(a, b)),
            () if b == zero && q.exponent(less_one) > 0 => (Some(less_one), Function::Tanh, self.mul(half, a)),
            () if b == zero => (None, Function::Logistic, self.neg(a)),
            () if q.exponent(other) > 0 => (Some(other), Function::Logistic, self.sub(b, a)),
            () => return false,
        };
        q.times(sum, 1);
        if let Some(factor) = factor {
            q.times(factor, -1);
        }
        let value = self.call(f, argument);
        q.times(value, 1);
        true
    }

    /// (eᵘ − 1)ᵖ with p = ±1, where u cancels against what it is multiplied by; eᵘ/(eᵘ − 1) otherwise.
    fn cancel_zero(&mut self, q: &mut Product, e: ExprId, u: ExprId, p: i64) -> bool {
        let up = self.call(Function::Exp, u);
        let minus = self.neg(u);
        // eᵘ/(eᵘ − 1) = 1/(1 − e⁻ᵘ)
        let turned = p < 0 && q.exponent(up) > 0;
        let mut next = Product { negative: q.negative, powers: q.powers.clone() };
        let mut is_cancelled = false;
        let argument = self.product(u);
        next.negative ^= argument.negative;
        for &(v, j) in &argument.powers {
            let opposite = |power: i64| power * p * j < 0;
            let known = next.powers.iter().copied().find(|&(w, power)| w == v && opposite(power));
            let is_number = matches!(self.node(v), Expr::Const(_) | Expr::Pi);
            if known.is_some() || is_number {
                is_cancelled |= !is_number;
                next.times(v, p * j);
                continue;
            }
            let others: Vec<ExprId> =
                next.powers.iter().filter(|(_, power)| opposite(*power)).map(|(w, _)| *w).collect();
            // v = ratio · w
            match others.into_iter().find_map(|w| Some((w, self.ratio_of_sums(v, w)?))) {
                Some((w, ratio)) => {
                    is_cancelled = true;
                    next.times(w, p * j);
                    next.times(ratio, p * j);
                }
                None => next.times(v, p * j),
            }
        }
        if !is_cancelled {
            if turned {
                let other = self.call(Function::Expm1, minus);
                q.times(e, 1);
                q.times(up, -1);
                q.times(other, -1);
                q.negative = !q.negative;
            }
            return turned;
        }
        next.times(e, -p);
        let value = if turned {
            next.times(up, -1);
            self.call(Function::Bernoulli, minus)
        } else {
            self.call(Function::Bernoulli, u)
        };
        next.times(value, -p);
        *q = next;
        true
    }

    /// v/w of two sums of the same terms.
    fn ratio_of_sums(&mut self, v: ExprId, w: ExprId) -> Option<ExprId> {
        let is_sum = |graph: &Graph, e| matches!(graph.node(e), Expr::Add(..) | Expr::Sub(..));
        if !is_sum(self, v) || !is_sum(self, w) {
            return None;
        }
        let (v, w) = (self.terms(v), self.terms(w));
        let (mut left, mut right) = (v.iter(), w.iter());
        let mut ratio = None;
        loop {
            match (left.next(), right.next()) {
                (None, None) => break,
                (Some((a, p)), Some((b, q))) if a == b => {
                    let here = p.over(q)?;
                    if *ratio.get_or_insert_with(|| here.clone()) != here {
                        return None;
                    }
                }
                _ => return None,
            }
        }
        self.exact(&ratio?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VarId;

    fn value(g: &mut Graph, e: ExprId, x: f64) -> f64 {
        g.evaluate(e, |_| Some(x)).expect("a number")
    }

    /// Each pattern is found, has the value of what was typed where that has one, and is finite where it has none.
    #[test]
    fn saturating_expressions_have_values_where_an_exponential_overflows() {
        let mut g = Graph::new();
        let (x, one, two) = (g.variable(VarId(0)), g.integer(1), g.integer(2));
        let minus = g.neg(x);
        let (up, down) = (g.call(Function::Exp, x), g.call(Function::Exp, minus));
        let (one_up, one_down) = (g.add(one, up), g.add(one, down));
        let twice = g.mul(two, x);
        let double = g.call(Function::Exp, twice);
        let below = g.sub(double, one);
        let above = g.add(double, one);
        let both = g.add(up, down);
        let up_square = g.square(one_up);
        let minus_one = g.integer(-1);
        let less_down = g.sub(one, down);
        let gate = g.div(one, one_down);
        type Direct = fn(f64) -> f64;
        let cases: [(ExprId, Direct, [f64; 2]); 10] = [
            (gate, |x| 1.0 / (1.0 + (-x).exp()), [0.0, 1.0]),
            (g.div(up, one_up), |x| 1.0 / (1.0 + (-x).exp()), [0.0, 1.0]),
            (g.pow(one_down, minus_one), |x| 1.0 / (1.0 + (-x).exp()), [0.0, 1.0]),
            (g.div(two, one_up), |x| 2.0 / (1.0 + x.exp()), [2.0, 0.0]),
            (g.div(up, up_square), |x| x.exp() / (1.0 + x.exp()).powi(2), [0.0, 0.0]),
            (g.div(up, both), |x| 1.0 / (1.0 + (-2.0 * x).exp()), [0.0, 1.0]),
            (g.div(below, above), f64::tanh, [-1.0, 1.0]),
            (g.call(Function::Log, one_up), |x| (1.0 + x.exp()).ln(), [0.0, 1e3]),
            (g.sub(one, gate), |x| 1.0 / (1.0 + x.exp()), [1.0, 0.0]),
            (g.div(x, less_down), |x| x / (1.0 - (-x).exp()), [0.0, 1e3]),
        ];
        for (k, (e, direct, limits)) in cases.into_iter().enumerate() {
            for at in [-3.7, -0.4, 0.9, 5.0] {
                let (stable, typed) = (value(&mut g, e, at), direct(at));
                assert!((stable - typed).abs() <= 4e-15 * typed.abs().max(1e-3), "{k} at {at}: {stable} {typed}");
            }
            for (side, limit) in [-1e3, 1e3].into_iter().zip(limits) {
                assert!((value(&mut g, e, side) - limit).abs() <= 1e-15 * limit.abs(), "{k} at {side}");
            }
        }
    }

    /// With factors, units and signs in every place; at the zero itself the value is that of the limit.
    #[test]
    fn removable_zeros_are_found() {
        let mut g = Graph::new();
        let (v, one, ten) = (g.variable(VarId(0)), g.integer(1), g.integer(10));
        let (forty, k) = (g.integer(40), g.variable(VarId(1)));
        let tenth = g.div(one, ten);
        let sum = g.add(v, forty);
        let u = g.div(sum, ten);
        let minus = g.neg(u);
        let down = g.call(Function::Exp, minus);
        let below = g.sub(one, down);
        let above = g.mul(tenth, sum);
        // the gate of Hodgkin and Huxley
        let gate = g.div(above, below);
        // the same zero, written in another way
        let (product, four) = (g.mul(tenth, v), g.integer(4));
        let other = g.add(product, four);
        let other = g.neg(other);
        let other_down = g.call(Function::Exp, other);
        let other_below = g.sub(one, other_down);
        let other_gate = g.div(above, other_below);
        // with a parameter
        let scaled = g.div(sum, k);
        let up = g.call(Function::Exp, scaled);
        let less = g.sub(up, one);
        let relative = g.div(less, sum);
        let turned = g.mul(sum, up);
        let turned = g.div(turned, less);
        let at = |g: &mut Graph, e, v: f64| {
            g.evaluate(e, |leaf| Some(if leaf == Expr::Var(VarId(0)) { v } else { 2.0 })).expect("a number")
        };
        for (e, limit) in [(gate, 1.0), (other_gate, 1.0), (relative, 0.5), (turned, 2.0)] {
            assert!((at(&mut g, e, -40.0) - limit).abs() < 1e-15, "{}", g.print(e, &|_| "v".into()));
            let slope = g.partial(e, VarId(0));
            let difference = (at(&mut g, e, -40.0 + 1e-4) - at(&mut g, e, -40.0 - 1e-4)) / 2e-4;
            assert!((at(&mut g, slope, -40.0) - difference).abs() < 1e-8);
        }
        // nothing that vanishes with it: a pole stays a pole
        let pole = g.div(ten, below);
        assert!(at(&mut g, pole, -40.0).is_infinite());
    }

    /// Against sums of their power series, and of both branches where they meet.
    #[test]
    fn values_near_zero_keep_their_digits() {
        for x in [1e-300, 1e-12, 1e-3, 0.1, 0.5f64] {
            // Bernoulli's numbers
            let series = x / 3.0 - x.powi(3) / 45.0 + 2.0 * x.powi(5) / 945.0 - x.powi(7) / 4725.0
                + 2.0 * x.powi(9) / 93555.0
                - 1382.0 * x.powi(11) / 638_512_875.0
                + 4.0 * x.powi(13) / 18_243_225.0;
            assert!((langevin(x) / series - 1.0).abs() < 1e-8 * x.powi(8) + 4e-16, "{x}");
            assert!((bernoulli(2.0 * x) - (x / x.tanh() - x)).abs() < 1e-15, "{x}");
        }
        let (below, above) = (NEAR.next_down(), NEAR);
        assert!((langevin(below) / langevin(above) - 1.0).abs() < 2e-15);
        assert!((langevin_slope(below) / langevin_slope(above) - 1.0).abs() < 1e-14);
        assert_eq!(langevin(0.0), 0.0);
        assert!((langevin_slope(0.0) - 1.0 / 3.0).abs() < 1e-16);
    }
}
