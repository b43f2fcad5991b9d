//! An unknown from a line in which it stands as a power on each side of zero, as the flow through a pipe does, or as a square and
//! itself:
//!
//! ```text
//!   A = k q |q|      q = sign(r) √|r|,   r = A/k
//!
//!   A = c₊ qⁿ for q > 0,         c₋ |q|ᵐ for q < 0,           c₊ c₋ < 0
//!   A = c₊ q² + b₊ q for q > 0,  c₋ q² + b₋ |q| for q < 0,    b of the same sign as c
//! ```
//!
//! Such a function takes each value once, so there is a formula. An equation for q has no slope where q is zero: what it
//! determines there is the root of an error, and Newton's method does not find it.

use super::proof::divisor;
use super::reduce::Line;
use crate::{Model, Watch};
use ordinate_expr::{Expr, ExprId, Function, Graph, VarId};
use rustc_hash::FxHashMap;

/// What a root is taken of, with the unknown whose sign it has. Where it is zero f has no derivative, so a switch watches it, and
/// a step ends there; the unknown, which crosses zero with an infinite slope, is watched no longer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Root {
    pub of: ExprId,
    pub var: VarId,
    pub equation: usize,
}

/// v from vⁿ = `value`, n odd.
pub(super) fn odd_power_root(model: &mut Model, value: ExprId, exponent: ExprId) -> Option<ExprId> {
    let odd = model.graph.constant_value(exponent)?.as_integer().is_some_and(|n| n > 1 && n % 2 == 1);
    if odd { odd_root(model, value, exponent) } else { None }
}

/// v and what has its sign, from `inside` = `value`, where v is a part of `inside` only; `None` if that is no such function of it.
pub(super) fn signed_root(
    model: &mut Model,
    line: &Line,
    inside: ExprId,
    value: ExprId,
    v: VarId,
) -> Option<(ExprId, Root)> {
    let modes = modes_of_sign(model, v);
    let (mode, of_v) = modes.iter().copied().find(|(mode, _)| reads(model, inside, *mode))?;
    if modes.iter().any(|(mode, _)| reads(model, value, *mode)) {
        return None;
    }
    let [above, below] = [1, -1].map(|side| {
        let g = &mut model.graph;
        let there: FxHashMap<VarId, ExprId> =
            modes.iter().map(|&(mode, of_v)| (mode, g.integer(side * of_v))).collect();
        let inside = g.substitute(inside, |u| there.get(&u).copied());
        powers(model, inside, v, side)
    });
    let (above, below) = (above?, below?);
    if sign(model, above[0].coefficient)? == sign(model, below[0].coefficient)? {
        return None;
    }
    let below = below.into_iter().map(|Power { coefficient, exponent }| {
        let coefficient = model.graph.neg(coefficient);
        Power { coefficient, exponent }
    });
    let below: Vec<Power> = below.collect();
    let of = model.graph.div(value, above[0].coefficient);
    let (up, down) = (one_side(model, &above, value)?, one_side(model, &below, value)?);
    let g = &mut model.graph;
    let (zero, mode) = (g.integer(0), g.variable(mode));
    let is_below = if of_v > 0 { g.less(mode, zero) } else { g.less(zero, mode) };
    // Each side is continued beyond zero, where a method looks before it is known that the solution goes there.
    let result = g.select(is_below, down, up);
    Some((result, Root { of, var: v, equation: line.equation }))
}

/// Lets switches watch what roots are taken of.
pub(super) fn watch_roots(model: &mut Model, roots: &[Root]) {
    for &Root { of, var, equation } in roots {
        let opposite = model.graph.neg(of);
        let modes = modes_of_sign(model, var);
        for switch in &mut model.switches {
            if let Some(&(_, of_v)) = modes.iter().find(|(mode, _)| *mode == switch.mode) {
                switch.watch = Watch::Sign(if of_v > 0 { of } else { opposite });
            }
        }
        let watched = [Watch::Sign(of), Watch::Sign(opposite)];
        if !model.switches.iter().any(|switch| watched.contains(&switch.watch)) {
            let span = model.equations[equation].span;
            model.new_switch(Watch::Sign(of), span);
        }
    }
}

/// Whether an expression reads the mode of a switch of the sign of v.
pub(super) fn reads_sign(model: &mut Model, e: ExprId, v: VarId) -> bool {
    modes_of_sign(model, v).into_iter().any(|(mode, _)| reads(model, e, mode))
}

fn reads(model: &mut Model, e: ExprId, v: VarId) -> bool {
    model.graph.variables(e).binary_search(&v).is_ok()
}

/// The modes that are the sign of v, with 1, or of −v, with −1.
fn modes_of_sign(model: &Model, v: VarId) -> Vec<(VarId, i64)> {
    let is_v = |e: ExprId| model.graph.node(e) == Expr::Var(v);
    let side = |watch: Watch| match watch {
        Watch::Sign(e) if is_v(e) => Some(1),
        Watch::Sign(e) => match model.graph.node(e) {
            Expr::Neg(a) if is_v(a) => Some(-1),
            _ => None,
        },
        Watch::Floor(_) | Watch::Segment(_) => None,
    };
    model.switches.iter().filter_map(|switch| Some((switch.mode, side(switch.watch)?))).collect()
}

/// coefficient · |v|^exponent
#[derive(Clone, Copy)]
struct Power {
    coefficient: ExprId,
    exponent: ExprId,
}

/// An expression as a sum of powers of |v| with numbers for coefficients, where v has the sign `side`.
fn powers(model: &mut Model, e: ExprId, v: VarId, side: i64) -> Option<Vec<Power>> {
    let mut sums: FxHashMap<ExprId, Vec<Power>> = FxHashMap::default();
    for part in model.graph.post_order(&[e]) {
        let node = model.graph.node(part);
        let (zero, one) = (model.graph.integer(0), model.graph.integer(1));
        let found = if model.constant(part).is_some() {
            Some(vec![Power { coefficient: part, exponent: zero }])
        } else {
            let sum = |a: ExprId| sums.get(&a);
            let single = |a: ExprId| match sums.get(&a).map(Vec::as_slice) {
                Some(&[power]) => Some(power),
                _ => None,
            };
            match node {
                Expr::Var(u) if u == v => Some(vec![Power { coefficient: model.graph.integer(side), exponent: one }]),
                Expr::Neg(a) => sum(a).map(|a| added(model, &[], a, -1)),
                Expr::Add(a, b) => sum(a).zip(sum(b)).map(|(a, b)| added(model, a, b, 1)),
                Expr::Sub(a, b) => sum(a).zip(sum(b)).map(|(a, b)| added(model, a, b, -1)),
                Expr::Mul(a, b) => {
                    let (many, factor) = if single(b).is_some() { (a, b) } else { (b, a) };
                    sum(many).zip(single(factor)).map(|(many, factor)| {
                        let g = &mut model.graph;
                        let product = |power: &Power| Power {
                            coefficient: g.mul(power.coefficient, factor.coefficient),
                            exponent: g.add(power.exponent, factor.exponent),
                        };
                        many.iter().map(product).collect()
                    })
                }
                Expr::Div(a, b) => sum(a).zip(single(b)).map(|(a, b)| {
                    let g = &mut model.graph;
                    let quotient = |power: &Power| Power {
                        coefficient: g.div(power.coefficient, b.coefficient),
                        exponent: g.sub(power.exponent, b.exponent),
                    };
                    a.iter().map(quotient).collect()
                }),
                Expr::Pow(a, b) => single(a).zip(single(b).filter(|b| b.exponent == zero)).and_then(|(a, b)| {
                    let whole = model.graph.constant_value(b.coefficient).is_some_and(|n| n.as_integer().is_some());
                    (whole || sign(model, a.coefficient)? > 0.0).then(|| {
                        vec![Power {
                            coefficient: model.graph.pow(a.coefficient, b.coefficient),
                            exponent: model.graph.mul(a.exponent, b.coefficient),
                        }]
                    })
                }),
                Expr::Call(Function::Sqrt, a) => single(a).and_then(|a| {
                    let two = model.graph.integer(2);
                    (sign(model, a.coefficient)? > 0.0).then(|| {
                        vec![Power {
                            coefficient: model.graph.call(Function::Sqrt, a.coefficient),
                            exponent: model.graph.div(a.exponent, two),
                        }]
                    })
                }),
                _ => None,
            }
        };
        if let Some(found) = found {
            sums.insert(part, found);
        }
    }
    let found = sums.remove(&e)?;
    let positive = |power: &Power| model.constant(power.exponent).is_some_and(|n| n > 0.0);
    (!found.is_empty() && found.iter().all(positive)).then_some(found)
}

/// a ± b, equal exponents together.
fn added(model: &mut Model, a: &[Power], b: &[Power], side: i64) -> Vec<Power> {
    let g = &mut model.graph;
    let mut sum = a.to_vec();
    for power in b {
        let coefficient = if side > 0 { power.coefficient } else { g.neg(power.coefficient) };
        match sum.iter_mut().find(|other| other.exponent == power.exponent) {
            Some(other) => other.coefficient = g.add(other.coefficient, coefficient),
            None => sum.push(Power { coefficient, ..*power }),
        }
    }
    sum
}

/// v on the side on which these powers of it are `value`; continued beyond zero.
fn one_side(model: &mut Model, powers: &[Power], value: ExprId) -> Option<ExprId> {
    let (one, two) = (model.graph.integer(1), model.graph.integer(2));
    match *powers {
        [power] => {
            let value = model.graph.div(value, power.coefficient);
            odd_root(model, value, power.exponent)
        }
        [a, b] => {
            let (square, linear) = if b.exponent == one { (a, b) } else { (b, a) };
            let together = sign(model, square.coefficient)? == sign(model, linear.coefficient)?;
            (together && square.exponent == two && linear.exponent == one)
                .then(|| square_and_linear(&mut model.graph, square.coefficient, linear.coefficient, value))
        }
        _ => None,
    }
}

/// v from c v |v| + b v = `value`, without cancellation:
///
/// ```text
///   v = 2 e/(1 + √(1 + 4 k |e|)),   e = value/b,  k = c/b
/// ```
fn square_and_linear(g: &mut Graph, c: ExprId, b: ExprId, value: ExprId) -> ExprId {
    let (e, k) = (g.div(value, b), g.div(c, b));
    let (one, two, four) = (g.integer(1), g.integer(2), g.integer(4));
    let square = g.square(e);
    let size = g.call(Function::Sqrt, square);
    let under = g.mul(k, size);
    let under = g.mul(four, under);
    let under = g.add(one, under);
    let root = g.call(Function::Sqrt, under);
    let below = g.add(one, root);
    let above = g.mul(two, e);
    g.div(above, below)
}

/// The sign of an expression of numbers and parameters, unless it is zero.
fn sign(model: &mut Model, e: ExprId) -> Option<f64> {
    divisor(model, e).map(f64::signum)
}

/// sign(w) |w|^(1/n), which exists on both sides of zero, and at zero:
///
/// ```text
///   ∛w (w²)^e,   1/n = 1/3 + 2 e;      for n > 3 ∛∛w, with 1/9, and so on, so that e ≥ 0
/// ```
fn odd_root(model: &mut Model, w: ExprId, n: ExprId) -> Option<ExprId> {
    const MOST: f64 = 81.0;
    let value = model.constant(n).filter(|n| *n <= MOST)?;
    let g: &mut Graph = &mut model.graph;
    let one = g.integer(1);
    if n == one {
        return Some(w);
    }
    let (mut root, mut three) = (g.call(Function::Cbrt, w), 3);
    while f64::from(three) < value {
        (root, three) = (g.call(Function::Cbrt, root), 3 * three);
    }
    let (three, two) = (g.integer(i64::from(three)), g.integer(2));
    let (above, square) = (g.sub(three, n), g.square(w));
    let below = g.mul(three, n);
    let below = g.mul(two, below);
    let e = g.div(above, below);
    let rest = g.pow(square, e);
    Some(g.mul(root, rest))
}
