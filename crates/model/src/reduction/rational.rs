//! An expression of s as a quotient of two polynomials.

use ordinate_expr::{Expr, ExprId, Graph, VarId};
use rustc_hash::FxHashMap;

/// Coefficients by increasing power of s; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rational {
    /// Of the numerator.
    pub numerator: Vec<ExprId>,
    /// Of the denominator.
    pub denominator: Vec<ExprId>,
}

/// Why an expression is no rational function of s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotRational {
    /// This part is neither a sum, a product, a quotient nor a whole power.
    Operation(ExprId),
    /// A power of s beyond what is taken.
    Degree(usize),
}

/// The largest power of s.
const MAX_DEGREE: usize = 64;

/// The quotient of polynomials of s that an expression is. Common powers of s and equal denominators are cancelled,
/// other common factors are kept.
pub fn rational(g: &mut Graph, e: ExprId, s: VarId) -> Result<Rational, NotRational> {
    let (zero, one) = (g.integer(0), g.integer(1));
    // None: free of s, a coefficient
    let mut known: FxHashMap<ExprId, Option<Rational>> = FxHashMap::default();
    for id in g.post_order(&[e]) {
        let node = g.node(id);
        let constant = |id: ExprId| Rational { numerator: vec![id], denominator: vec![one] };
        let of = |id: ExprId| known[&id].clone().unwrap_or_else(|| constant(id));
        let free = node.operands().all(|operand| known[&operand].is_none());
        let value = match node {
            Expr::Var(v) if v == s => Some(Rational { numerator: vec![zero, one], denominator: vec![one] }),
            _ if free => None,
            Expr::Neg(a) => {
                let mut value = of(a);
                value.numerator.iter_mut().for_each(|c| *c = g.neg(*c));
                Some(value)
            }
            Expr::Add(a, b) => Some(sum(g, of(a), of(b), Graph::add)),
            Expr::Sub(a, b) => Some(sum(g, of(a), of(b), Graph::sub)),
            Expr::Mul(a, b) => Some(product(g, &of(a), &of(b))),
            Expr::Div(a, b) => {
                let below = of(b);
                let inverse = Rational { numerator: below.denominator, denominator: below.numerator };
                Some(product(g, &of(a), &inverse))
            }
            Expr::Pow(a, b) => {
                let exponent = g.constant_value(b).and_then(|value| value.as_integer());
                let exponent = exponent.ok_or(NotRational::Operation(id))?;
                Some(power(g, of(a), exponent)?)
            }
            Expr::Const(_)
            | Expr::Pi
            | Expr::Time
            | Expr::Var(_)
            | Expr::Call(..)
            | Expr::Atan2(..)
            | Expr::Less(..)
            | Expr::LessEqual(..)
            | Expr::Equal(..)
            | Expr::Not(_)
            | Expr::And(..)
            | Expr::Or(..)
            | Expr::Select(..)
            | Expr::Lookup(..) => return Err(NotRational::Operation(id)),
        };
        if let Some(value) = &value {
            let degree = value.numerator.len().max(value.denominator.len()) - 1;
            if degree > MAX_DEGREE {
                return Err(NotRational::Degree(degree));
            }
        }
        known.insert(id, value);
    }
    let value = known.remove(&e).flatten();
    Ok(cancelled(g, value.unwrap_or(Rational { numerator: vec![e], denominator: vec![one] })))
}

fn sum(g: &mut Graph, a: Rational, b: Rational, join: fn(&mut Graph, ExprId, ExprId) -> ExprId) -> Rational {
    let (left, right, denominator) = if a.denominator == b.denominator {
        (a.numerator, b.numerator, a.denominator)
    } else {
        let left = times(g, &a.numerator, &b.denominator);
        let right = times(g, &b.numerator, &a.denominator);
        (left, right, times(g, &a.denominator, &b.denominator))
    };
    let zero = g.integer(0);
    let at = |list: &[ExprId], k: usize| list.get(k).copied().unwrap_or(zero);
    let length = left.len().max(right.len());
    let numerator = (0..length).map(|k| join(g, at(&left, k), at(&right, k))).collect();
    Rational { numerator: trimmed(g, numerator), denominator }
}

fn product(g: &mut Graph, a: &Rational, b: &Rational) -> Rational {
    Rational { numerator: times(g, &a.numerator, &b.numerator), denominator: times(g, &a.denominator, &b.denominator) }
}

fn power(g: &mut Graph, base: Rational, exponent: i64) -> Result<Rational, NotRational> {
    let base = match exponent < 0 {
        true => Rational { numerator: base.denominator, denominator: base.numerator },
        false => base,
    };
    let times = usize::try_from(exponent.unsigned_abs()).unwrap_or(usize::MAX);
    let degree = (base.numerator.len().max(base.denominator.len()) - 1).max(1).saturating_mul(times);
    if degree > MAX_DEGREE {
        return Err(NotRational::Degree(degree));
    }
    let one = g.integer(1);
    let start = Rational { numerator: vec![one], denominator: vec![one] };
    Ok((0..times).fold(start, |result, _| product(g, &result, &base)))
}

fn times(g: &mut Graph, a: &[ExprId], b: &[ExprId]) -> Vec<ExprId> {
    let zero = g.integer(0);
    let mut result = vec![zero; a.len() + b.len() - 1];
    for (i, &p) in a.iter().enumerate() {
        for (j, &q) in b.iter().enumerate() {
            let term = g.mul(p, q);
            result[i + j] = g.add(result[i + j], term);
        }
    }
    trimmed(g, result)
}

/// Without leading coefficients that are zero whatever the parameters are.
fn trimmed(g: &mut Graph, mut list: Vec<ExprId>) -> Vec<ExprId> {
    let zero = g.integer(0);
    while list.len() > 1 && list.last() == Some(&zero) {
        list.pop();
    }
    list
}

/// Without common powers of s.
fn cancelled(g: &mut Graph, mut value: Rational) -> Rational {
    let zero = g.integer(0);
    let common = |v: &Rational| [&v.numerator, &v.denominator].iter().all(|list| list.len() > 1 && list[0] == zero);
    while common(&value) {
        value.numerator.remove(0);
        value.denominator.remove(0);
    }
    value
}
