//! What is proved of expressions: that one is zero whatever its variables are, that rows of a matrix depend on each other. What is
//! not proved is not taken for zero.
//!
//! An expression is evaluated at random points modulo two primes (`residue.rs`). What is neither a variable nor arithmetic with
//! exact decimals is an unknown of its own there: π, each condition of a branch, each function of each argument. So a proof holds
//! for all values of these unknowns; both sides of a branch must vanish. Arguments that are equal give the same unknown, and
//! these identities are built in:
//!
//! ```text
//!   exp a · exp b = exp(a + b)       exp a → gᵘ⁽ᵃ⁾,  u a random point of the exponents; sinh, cosh, tanh of it
//!   sin² + cos² = 1, sums of angles   e^(i a) → i^(2c) gᵘ⁽ᵃ⁻ᶜᵖⁱ⁾  where π has the factor c with 2 c a whole number
//!   aⁿ⁺ᶠ = aⁿ · aᶠ                   n whole, 0 < f < 1
//!   f(−a) = −f(a), f(−a) = f(a)      of odd and even functions;  log 1 = 0
//! ```

use super::residue::{self, Exponent, Modular, Residue};
use crate::Model;
use ordinate_exact::Rational;
use ordinate_expr::{Expr, ExprId, Function, Graph, VarId};
use rustc_hash::FxHashMap;

/// Rows that depend on each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dependent {
    /// The row that the others give.
    pub row: usize,
    /// The others: they do not depend on each other.
    pub others: Vec<usize>,
    /// As many columns, in which the others are independent.
    pub columns: Vec<usize>,
}

/// What is known about parameters: nothing of those that are not here, which count as variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    exact: FxHashMap<VarId, Rational>,
    points: FxHashMap<VarId, Point>,
}

/// The value of an expression at the random points; `None` where it has a pole.
#[derive(Clone, Copy, Debug)]
struct Point {
    residue: Option<Residue>,
    exponent: Option<Exponent>,
}

impl Known {
    pub fn of(model: &mut Model) -> Known {
        let mut known = Known::default();
        // they are in an order in which they can be evaluated
        for given in &model.parameters {
            known.insert(&mut model.graph, given.var, given.value);
        }
        known.points.retain(|v, _| model.values.contains_key(v));
        known.exact.retain(|v, _| model.values.contains_key(v));
        known
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// A variable that is equal to an expression of others that are known.
    pub fn insert(&mut self, g: &mut Graph, v: VarId, value: ExprId) {
        if let Some(exact) = self.exact_value(g, value) {
            self.exact.insert(v, exact);
        }
        let mut evaluation = Evaluation::new(self);
        let residue = evaluation.residue(g, value);
        let exponent = residue.and_then(|_| evaluation.exponent(g, value));
        self.points.insert(v, Point { residue, exponent });
    }

    /// The exact value of an expression of decimals and parameters made of them.
    pub fn exact_value(&self, g: &mut Graph, e: ExprId) -> Option<Rational> {
        g.exact_value(e, |leaf| match leaf {
            Expr::Var(v) => self.exact.get(&v).cloned(),
            _ => None,
        })
    }

    /// a / b where that is proved to be one simple fraction whatever the variables are.
    pub fn ratio(&self, g: &mut Graph, a: ExprId, b: ExprId) -> Option<Rational> {
        let mut evaluation = Evaluation::new(self);
        let (above, below) = (evaluation.residue(g, a)?, evaluation.residue(g, b)?);
        above.times(below.inverse()?).fraction()
    }

    /// The residue of an expression; `None` where it has a pole.
    pub fn residue(&self, g: &mut Graph, e: ExprId) -> Option<Residue> {
        Evaluation::new(self).residue(g, e)
    }
}

/// Whether an expression is proved to be zero.
pub(super) fn vanishes(g: &mut Graph, e: ExprId, known: &Known) -> bool {
    match g.constant_value(e) {
        Some(value) => value == ordinate_expr::Decimal::ZERO,
        None => known.residue(g, e) == Some(Residue::ZERO),
    }
}

/// The value of a constant that can be divided by. What cancels exactly is zero although doubles leave a rest of it.
pub(super) fn divisor(model: &mut Model, e: ExprId) -> Option<f64> {
    let value = model.constant(e).filter(|value| value.is_finite() && *value != 0.0)?;
    let cancels =
        |g: &mut Graph| g.post_order(&[e]).into_iter().any(|id| matches!(g.node(id), Expr::Add(..) | Expr::Sub(..)));
    if model.graph.constant_value(e).is_none() && cancels(&mut model.graph) {
        let known = Known::of(model);
        if vanishes(&mut model.graph, e, &known) {
            return None;
        }
    }
    Some(value)
}

/// The first row that is proved to depend on those before it; `None` if there is none.
pub(super) fn dependent_rows(g: &mut Graph, a: &[Vec<ExprId>], known: &Known) -> Option<Dependent> {
    let mut evaluation = Evaluation::new(known);
    let matrix: Option<Vec<Vec<Residue>>> =
        a.iter().map(|row| row.iter().map(|&e| evaluation.residue(g, e)).collect()).collect();
    residue::first_dependent(&matrix?)
}

/// Expressions at the random points, each once.
struct Evaluation<'a> {
    known: &'a Known,
    residues: FxHashMap<ExprId, Option<Residue>>,
    exponents: FxHashMap<ExprId, Option<Exponent>>,
}

/// What tells kinds of unknowns apart.
mod kind {
    pub const TIME: u64 = 1 << 40;
    pub const PI: u64 = 2 << 40;
    pub const POWER: u64 = 3 << 40;
    pub const ANGLE: u64 = 4 << 40;
    pub const LESS: u64 = 5 << 40;
    pub const EQUAL: u64 = 6 << 40;
    pub const LOOKUP: u64 = 7 << 40;
    pub const CALL: u64 = 8 << 40;
    /// In exponents: what is no arithmetic.
    pub const OTHER: u64 = 9 << 40;
    /// Angles have other exponents than what exp is taken of.
    pub const TURN: u64 = 10 << 40;
}

/// An unknown that is a function of residues.
fn unknown(of: u64, arguments: &[Residue]) -> Residue {
    Residue::random(arguments.iter().fold(of, |index, argument| argument.index(index)))
}

impl<'a> Evaluation<'a> {
    fn new(known: &'a Known) -> Self {
        Evaluation { known, residues: FxHashMap::default(), exponents: FxHashMap::default() }
    }

    fn residue(&mut self, g: &mut Graph, e: ExprId) -> Option<Residue> {
        if let Expr::Const(value) = g.node(e) {
            return Residue::decimal(value);
        }
        for id in g.post_order(&[e]) {
            if !self.residues.contains_key(&id) {
                let value = self.residue_of_node(g, id);
                self.residues.insert(id, value);
            }
        }
        self.residues[&e]
    }

    fn residue_of_node(&mut self, g: &mut Graph, id: ExprId) -> Option<Residue> {
        let node = g.node(id);
        // a pole stays one whatever is done with it
        if node.operands().any(|operand| self.residues[&operand].is_none()) {
            return None;
        }
        let of = |id: ExprId| self.residues[&id].expect("looked at above");
        Some(match node {
            Expr::Const(value) => Residue::decimal(value)?,
            Expr::Pi => Residue::random(kind::PI),
            Expr::Time => Residue::random(kind::TIME),
            Expr::Var(v) => match self.known.points.get(&v) {
                Some(point) => point.residue?,
                None => Residue::random(u64::from(v.0)),
            },
            Expr::Neg(a) => of(a).negated(),
            Expr::Add(a, b) => of(a).plus(of(b)),
            Expr::Sub(a, b) => of(a).minus(of(b)),
            Expr::Mul(a, b) => of(a).times(of(b)),
            Expr::Div(a, b) => of(a).times(of(b).inverse()?),
            Expr::Pow(a, b) => {
                let (base, exponent) = (of(a), of(b));
                self.power(g, base, b, exponent)?
            }
            Expr::Call(f, a) => self.call(g, f, a)?,
            Expr::Atan2(a, b) => unknown(kind::ANGLE, &[of(a), of(b)]),
            Expr::Less(a, b) => unknown(kind::LESS, &[of(a).minus(of(b))]),
            Expr::LessEqual(a, b) => Residue::ONE.minus(unknown(kind::LESS, &[of(b).minus(of(a))])),
            Expr::Equal(a, b) => unknown(kind::EQUAL, &[of(a).minus(of(b)).magnitude().0]),
            Expr::Not(a) => Residue::ONE.minus(of(a)),
            Expr::And(a, b) => of(a).times(of(b)),
            Expr::Or(a, b) => of(a).plus(of(b)).minus(of(a).times(of(b))),
            Expr::Select(c, a, b) => of(b).plus(of(c).times(of(a).minus(of(b)))),
            Expr::Lookup(list, a) => unknown(kind::LOOKUP + u64::from(list.0), &[of(a)]),
        })
    }

    /// aᵇ = aⁿ · aᶠ with n whole; the second factor is an unknown unless f is zero.
    fn power(&self, g: &mut Graph, base: Residue, b: ExprId, exponent: Residue) -> Option<Residue> {
        /// Powers that are multiplied out; beyond, they are unknowns.
        const LARGEST: f64 = 1e6;
        let whole_part = |value: &Rational| {
            let floor = value.to_f64().floor();
            (floor.abs() <= LARGEST).then_some(floor as i128)
        };
        let n = match self.known.exact_value(g, b) {
            Some(value) => whole_part(&value),
            None => {
                let one = g.integer(1);
                let constant = g.terms(b).iter().find(|&(e, _)| e == one).map(|(_, value)| whole_part(value));
                constant.unwrap_or(Some(0))
            }
        };
        let n = n.unwrap_or(0);
        let rest = exponent.minus(Residue::integer(n));
        let power = base.power(n.unsigned_abs() as u64);
        let power = if n < 0 { power.inverse()? } else { power };
        Some(if rest == Residue::ZERO { power } else { power.times(fraction(base, rest)) })
    }

    fn call(&mut self, g: &mut Graph, f: Function, a: ExprId) -> Option<Residue> {
        let argument = self.residues[&a]?;
        let half = Residue::integer(2).inverse()?;
        let itself = |argument: Residue| unknown(kind::CALL + f as u64, &[argument]);
        let logarithm = |argument: Residue| match argument == Residue::ONE {
            true => Residue::ZERO,
            false => unknown(kind::CALL + Function::Log as u64, &[argument]),
        };
        Some(match f {
            Function::Exp => Residue::exponential(self.exponent(g, a)?),
            // what they stand for, so that a proof sees no difference
            Function::Expm1 => Residue::exponential(self.exponent(g, a)?).minus(Residue::ONE),
            Function::Log1p => logarithm(Residue::ONE.plus(argument)),
            Function::Softplus => logarithm(Residue::ONE.plus(Residue::exponential(self.exponent(g, a)?))),
            Function::Logistic => {
                let up = Residue::exponential(self.exponent(g, a)?);
                up.times(Residue::ONE.plus(up).inverse()?)
            }
            Function::Bernoulli => {
                let up = Residue::exponential(self.exponent(g, a)?);
                argument.times(up.minus(Residue::ONE).inverse()?)
            }
            Function::Langevin | Function::LangevinSlope => {
                let up = Residue::exponential(self.exponent(g, a)?);
                let (down, inverse) = (up.inverse()?, argument.inverse()?);
                let (sinh, cosh) = (up.minus(down).times(half), up.plus(down).times(half));
                match f {
                    Function::Langevin => cosh.times(sinh.inverse()?).minus(inverse),
                    _ => inverse.power(2).minus(sinh.power(2).inverse()?),
                }
            }
            Function::Sinh | Function::Cosh | Function::Tanh => {
                let up = Residue::exponential(self.exponent(g, a)?);
                let down = up.inverse()?;
                let (sinh, cosh) = (up.minus(down).times(half), up.plus(down).times(half));
                match f {
                    Function::Sinh => sinh,
                    Function::Cosh => cosh,
                    _ => sinh.times(cosh.inverse()?),
                }
            }
            Function::Sin | Function::Cos | Function::Tan => {
                let forward = self.turn(g, a)?;
                let back = forward.inverse()?;
                let cos = forward.plus(back).times(half);
                let sin = forward.minus(back).times(half).times(Residue::imaginary().inverse()?);
                match f {
                    Function::Sin => sin,
                    Function::Cos => cos,
                    _ => sin.times(cos.inverse()?),
                }
            }
            Function::Asin
            | Function::Atan
            | Function::Asinh
            | Function::Atanh
            | Function::Cbrt
            | Function::Erf
            | Function::Sign => {
                let (size, is_opposite) = argument.magnitude();
                match (size == Residue::ZERO, is_opposite) {
                    (true, _) => Residue::ZERO,
                    (false, false) => itself(size),
                    (false, true) => itself(size).negated(),
                }
            }
            Function::Abs if argument == Residue::ZERO => Residue::ZERO,
            Function::Abs => itself(argument.magnitude().0),
            Function::Sqrt if argument == Residue::ZERO || argument == Residue::ONE => argument,
            Function::Sqrt => fraction(argument, half),
            Function::Log => logarithm(argument),
            Function::Log10 if argument == Residue::ONE => Residue::ZERO,
            Function::Log10 | Function::Acos | Function::Acosh | Function::Floor | Function::Noise => itself(argument),
        })
    }

    /// e^(i a)
    fn turn(&mut self, g: &mut Graph, a: ExprId) -> Option<Residue> {
        let mut exponent = self.exponent(g, a)?;
        let mut turned = Residue::ONE;
        if g.post_order(&[a]).into_iter().any(|id| g.node(id) == Expr::Pi) {
            let pi = g.pi();
            let factor = g.terms(a).iter().find(|&(e, _)| e == pi).map(|(_, factor)| factor.clone());
            let quarters = factor.as_ref().map(|factor| factor.times(&Rational::from(2)));
            if let Some((factor, quarters)) = factor.zip(quarters).filter(|(_, quarters)| quarters.below().bits() == 1)
            {
                turned = Residue::imaginary().power(quarters.above().remainder(4));
                exponent = exponent.minus(Exponent::rational(&factor)?.times(Exponent::random(kind::PI)));
            }
        }
        Some(turned.times(Residue::exponential(exponent.times(Exponent::random(kind::TURN)))))
    }

    /// The value of an expression, whose residues are known, at the random point of the exponents.
    fn exponent(&mut self, g: &mut Graph, e: ExprId) -> Option<Exponent> {
        for id in g.post_order(&[e]) {
            if !self.exponents.contains_key(&id) {
                let value = self.exponent_of_node(g, id);
                self.exponents.insert(id, value);
            }
        }
        self.exponents[&e]
    }

    fn exponent_of_node(&self, g: &mut Graph, id: ExprId) -> Option<Exponent> {
        let of = |id: ExprId| self.exponents[&id];
        Some(match g.node(id) {
            Expr::Const(value) => Exponent::decimal(value)?,
            Expr::Pi => Exponent::random(kind::PI),
            Expr::Time => Exponent::random(kind::TIME),
            Expr::Var(v) => match self.known.points.get(&v) {
                Some(point) => point.exponent?,
                None => Exponent::random(u64::from(v.0)),
            },
            Expr::Neg(a) => of(a)?.negated(),
            Expr::Add(a, b) => of(a)?.plus(of(b)?),
            Expr::Sub(a, b) => of(a)?.minus(of(b)?),
            Expr::Mul(a, b) => of(a)?.times(of(b)?),
            Expr::Div(a, b) => of(a)?.times(of(b)?.inverse()?),
            Expr::Pow(a, b) if g.constant_value(b).is_some_and(|n| n.as_integer().is_some()) => {
                let n = g.constant_value(b).and_then(|n| n.as_integer())?;
                let power = of(a)?.power(n.unsigned_abs());
                if n < 0 { power.inverse()? } else { power }
            }
            Expr::Pow(..)
            | Expr::Call(..)
            | Expr::Atan2(..)
            | Expr::Less(..)
            | Expr::LessEqual(..)
            | Expr::Equal(..)
            | Expr::Not(_)
            | Expr::And(..)
            | Expr::Or(..)
            | Expr::Select(..)
            | Expr::Lookup(..) => Exponent::random(self.residues[&id]?.index(kind::OTHER)),
        })
    }
}

/// aᶠ, an unknown for each a and f.
fn fraction(base: Residue, exponent: Residue) -> Residue {
    unknown(kind::POWER, &[base, exponent])
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordinate_expr::Decimal;

    fn zero(g: &mut Graph, difference: ExprId) -> bool {
        vanishes(g, difference, &Known::default())
    }

    /// 1/3 + 1/6 − 0.5 is zero, (x + y)² − x² − 2·x·y − y² is, and x·y − 1e-30 is not.
    #[test]
    fn what_is_zero_is_known_exactly() {
        let mut g = Graph::new();
        let (x, y) = (g.variable(VarId(0)), g.variable(VarId(1)));
        let [one, two, three, six] = [1, 2, 3, 6].map(|n| g.integer(n));
        let (third, sixth, half) = (g.div(one, three), g.div(one, six), g.div(one, two));
        let sum = g.add(third, sixth);
        let rest = g.sub(sum, half);
        assert!(zero(&mut g, rest));
        let sum = g.add(x, y);
        let (square, xx, yy, xy) = (g.pow(sum, two), g.mul(x, x), g.mul(y, y), g.mul(x, y));
        let twice = g.mul(two, xy);
        let rest = g.sub(square, xx);
        let rest = g.sub(rest, twice);
        let rest = g.sub(rest, yy);
        assert!(zero(&mut g, rest));
        let tiny = g.constant(Decimal::parse("1e-30").expect("a number")[0]);
        let rest = g.sub(xy, tiny);
        assert!(!zero(&mut g, rest));
    }

    /// exp(-((x - 100)/2)^2) is zero in doubles wherever x is of usual size, and so is its slope.
    #[test]
    fn what_underflows_is_not_zero() {
        let mut g = Graph::new();
        let x = g.variable(VarId(0));
        let (hundred, two) = (g.integer(100), g.integer(2));
        let shifted = g.sub(x, hundred);
        let square = g.pow(shifted, two);
        let opposite = g.neg(square);
        let bump = g.call(Function::Exp, opposite);
        let slope = g.partial(bump, VarId(0));
        assert!(!zero(&mut g, bump) && !zero(&mut g, slope));
    }

    /// A branch is zero where both of its sides are, and only there.
    #[test]
    fn both_sides_of_a_branch_must_vanish() {
        let mut g = Graph::new();
        let (mode, x) = (g.variable(VarId(0)), g.variable(VarId(1)));
        let nothing = g.integer(0);
        let low = g.less(mode, nothing);
        let one_side = g.select(low, x, nothing);
        assert!(!zero(&mut g, one_side));
        let (one, two) = (g.integer(1), g.integer(2));
        let (next, square) = (g.add(x, one), g.pow(x, two));
        // x (x + 1) − x² − x on one side, 0 on the other
        let product = g.mul(x, next);
        let rest = g.sub(product, square);
        let rest = g.sub(rest, x);
        let both = g.select(low, rest, nothing);
        assert!(zero(&mut g, both));
        assert_eq!(dependent_rows(&mut g, &[vec![one_side]], &Known::default()), None);
        assert!(dependent_rows(&mut g, &[vec![both]], &Known::default()).is_some());
    }

    /// Identities that models of mechanics and of kinetics use, and neighbours of them that are none.
    #[test]
    fn identities_of_functions_are_known() {
        let mut g = Graph::new();
        let (a, b) = (g.variable(VarId(0)), g.variable(VarId(1)));
        let (one, two, half) = (g.integer(1), g.integer(2), g.constant(Decimal::parse("0.5").unwrap()[0]));
        let (sum, twice, pi) = (g.add(a, b), g.mul(two, a), g.pi());
        let quarter = g.div(pi, two);
        let shifted = g.add(a, quarter);
        let mut call = |f: Function, e: ExprId| g.call(f, e);
        let (sin_a, cos_a) = (call(Function::Sin, a), call(Function::Cos, a));
        let (sin_b, cos_b) = (call(Function::Sin, b), call(Function::Cos, b));
        let (sin_sum, sin_twice) = (call(Function::Sin, sum), call(Function::Sin, twice));
        let (sin_shifted, tan_a) = (call(Function::Sin, shifted), call(Function::Tan, a));
        let (exp_a, exp_b, exp_sum) = (call(Function::Exp, a), call(Function::Exp, b), call(Function::Exp, sum));
        let (sinh, cosh, root) = (call(Function::Sinh, a), call(Function::Cosh, a), call(Function::Sqrt, a));
        let minus = g.neg(a);
        let (exp_minus, erf_minus) = (g.call(Function::Exp, minus), g.call(Function::Erf, minus));
        let erf = g.call(Function::Erf, a);
        let three_halves = g.add(one, half);
        let power = g.pow(a, three_halves);
        let (ss, cc) = (g.mul(sin_a, sin_a), g.mul(cos_a, cos_a));
        let circle = g.add(ss, cc);
        let (left, right) = (g.mul(sin_a, cos_b), g.mul(cos_a, sin_b));
        let addition = g.add(left, right);
        let product = g.mul(sin_a, cos_a);
        let doubled = g.mul(two, product);
        let quotient = g.div(sin_a, cos_a);
        let exponentials = g.mul(exp_a, exp_b);
        let inverse = g.mul(exp_a, exp_minus);
        let hyperbola = g.add(sinh, cosh);
        let odd = g.neg(erf_minus);
        let by_root = g.mul(a, root);
        // internal functions are seen as what they stand for
        let (gate, difference) = (g.call(Function::Logistic, a), g.call(Function::Bernoulli, a));
        let (less_one, langevin) = (g.call(Function::Expm1, a), g.call(Function::Langevin, a));
        let (log_of_sum, tanh) = (g.call(Function::Log1p, a), g.call(Function::Tanh, a));
        let (one_exp, one_a, inverse_a) = (g.add(one, exp_a), g.add(one, a), g.div(one, a));
        let opened = g.mul(gate, one_exp);
        let (log_direct, restored) = (g.call(Function::Log, one_a), g.mul(difference, less_one));
        let exp_again = g.add(less_one, one);
        let cotangent = g.add(langevin, inverse_a);
        let cotangent_tanh = g.mul(cotangent, tanh);
        let equal = [
            (opened, exp_a),
            (restored, a),
            (exp_again, exp_a),
            (log_of_sum, log_direct),
            (cotangent_tanh, one),
            (circle, one),
            (addition, sin_sum),
            (doubled, sin_twice),
            (quotient, tan_a),
            (sin_shifted, cos_a),
            (exponentials, exp_sum),
            (inverse, one),
            (hyperbola, exp_a),
            (odd, erf),
            (by_root, power),
        ];
        for (k, (left, right)) in equal.into_iter().enumerate() {
            let difference = g.sub(left, right);
            assert!(zero(&mut g, difference), "identity {k}");
        }
        // √(a²) = a holds for a ≥ 0 only; sin(sum), exp and the others are no polynomials of each other
        let square = g.mul(a, a);
        let root_of_square = g.call(Function::Sqrt, square);
        let different = [(root_of_square, a), (sin_sum, sin_a), (exp_a, cosh), (exp_sum, exp_a), (sin_a, a), (pi, one)];
        for (k, (left, right)) in different.into_iter().enumerate() {
            let difference = g.sub(left, right);
            assert!(!zero(&mut g, difference), "no identity {k}");
        }
    }

    /// Rows (a, b), (c, d), (a + c, b + d): the third is the sum of the others, which no constructor sees.
    #[test]
    fn a_hidden_dependence_is_found() {
        let mut g = Graph::new();
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| g.variable(VarId(k)));
        let zero = g.integer(0);
        let (s, t) = (g.add(a, c), g.add(b, d));
        let known = Known::default();
        let singular = vec![vec![a, b, zero], vec![c, d, zero], vec![s, t, zero]];
        let found = dependent_rows(&mut g, &singular, &known).expect("dependent");
        assert_eq!((found.row, found.others), (2, vec![0, 1]));
        assert_eq!(dependent_rows(&mut g, &singular[..2], &known), None);
    }

    /// a (b + c) − a b − a c is zero at any size of a, and a (b + c) − a b − a c + d is not, however small d is.
    #[test]
    fn what_vanishes_does_so_in_any_unit() {
        let mut g = Graph::new();
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| g.variable(VarId(k)));
        let (sum, ab, ac) = (g.add(b, c), g.mul(a, b), g.mul(a, c));
        let product = g.mul(a, sum);
        let rest = g.sub(product, ab);
        let zero = g.sub(rest, ac);
        let large = g.add(zero, d);
        for unit in ["1e-300", "1", "1e300"] {
            let mut known = Known::default();
            let unit = g.constant(Decimal::parse(unit).unwrap()[0]);
            let small = g.constant(Decimal::parse("1e-320").unwrap()[0]);
            known.insert(&mut g, VarId(0), unit);
            assert!(vanishes(&mut g, zero, &known));
            known.insert(&mut g, VarId(3), small);
            assert!(!vanishes(&mut g, large, &known));
        }
    }
}
