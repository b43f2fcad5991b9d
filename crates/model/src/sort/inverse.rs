//! An unknown from a line in which it stands once, inside of functions that have an inverse wherever they have a value.
//!
//! ```text
//!   u = Vt log(i/Is + 1)      i = Is (exp(u/Vt) − 1)
//! ```
//!
//! A formula has no domain that Newton's method could leave, and no tolerance below which it does not look: the current of a
//! diode that blocks is 10⁻¹² A.

use super::proof::divisor;
use super::reduce::Line;
use super::signed_powers::{Root, odd_power_root, reads_sign, signed_root};
use crate::Model;
use ordinate_expr::{Expr, ExprId, Function, Graph, VarId};

/// v = the expression returned, with what a root is taken of; `None` if the line is not of this kind. Where the inverse has no
/// value, the line has no solution. With `alone` v is not solved for together with others, so roots, whose slope at zero is
/// infinite, do not disturb Newton's method.
pub(super) fn inverted(model: &mut Model, line: &Line, v: VarId, alone: bool) -> Option<(ExprId, Option<Root>)> {
    let holds = |model: &mut Model, e: ExprId| model.graph.variables(e).binary_search(&v).is_ok();
    let (mut inside, mut value) = match (holds(model, line.left), holds(model, line.right)) {
        (true, false) => (line.left, line.right),
        (false, true) => (line.right, line.left),
        _ => return None,
    };
    let mut root = None;
    loop {
        let by_sides =
            |model: &mut Model| signed_root(model, line, inside, value, v).filter(|_| alone && root.is_none());
        let node = model.graph.node(inside);
        let (next, other) = match node {
            Expr::Var(_) => return Some((value, root)),
            Expr::Neg(a) | Expr::Call(_, a) => (a, None),
            Expr::Add(a, b) | Expr::Sub(a, b) | Expr::Mul(a, b) | Expr::Div(a, b) => {
                match (holds(model, a), holds(model, b)) {
                    (true, false) if !(alone && reads_sign(model, b, v)) => (a, Some(b)),
                    (false, true) if !(alone && reads_sign(model, a, v)) => (b, Some(a)),
                    _ => return by_sides(model).map(|(value, root)| (value, Some(root))),
                }
            }
            Expr::Pow(a, b) if alone && root.is_none() && !holds(model, b) => (a, Some(b)),
            Expr::Pow(..) | Expr::Select(..) => return by_sides(model).map(|(value, root)| (value, Some(root))),
            Expr::Const(_)
            | Expr::Pi
            | Expr::Time
            | Expr::Atan2(..)
            | Expr::Less(..)
            | Expr::LessEqual(..)
            | Expr::Equal(..)
            | Expr::Not(_)
            | Expr::And(..)
            | Expr::Or(..)
            | Expr::Lookup(..) => return None,
        };
        let g = &mut model.graph;
        value = match (node, other) {
            (Expr::Neg(_), _) => g.neg(value),
            (Expr::Call(f, _), _) => inverse(g, f, value)?,
            (Expr::Pow(..), Some(n)) => {
                root = Some(Root { of: value, var: v, equation: line.equation });
                odd_power_root(model, value, n)?
            }
            (Expr::Add(..), Some(b)) => g.sub(value, b),
            (Expr::Sub(a, _), Some(b)) if next == a => g.add(value, b),
            (Expr::Sub(..), Some(a)) => g.sub(a, value),
            (Expr::Mul(..), Some(b)) if divisor(model, b).is_some() => model.graph.div(value, b),
            (Expr::Div(a, _), Some(b)) if next == a && divisor(model, b).is_some() => model.graph.mul(value, b),
            _ => return None,
        };
        inside = next;
    }
}

/// Whether an unknown of the line stands inside of a logarithm: with its inverse, no iterate can make that argument negative.
pub(super) fn inside_logarithm(model: &mut Model, line: &Line) -> Vec<VarId> {
    let mut found = Vec::new();
    for e in model.graph.post_order(&[line.left, line.right]) {
        if let Expr::Call(Function::Log | Function::Log10 | Function::Log1p, a) = model.graph.node(e) {
            found.extend(model.graph.variables(a));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// f⁻¹, for functions that take each of their values once.
fn inverse(g: &mut Graph, f: Function, value: ExprId) -> Option<ExprId> {
    let name = match f {
        Function::Log => Function::Exp,
        Function::Exp => Function::Log,
        Function::Sinh => Function::Asinh,
        Function::Asinh => Function::Sinh,
        Function::Tanh => Function::Atanh,
        Function::Atanh => Function::Tanh,
        Function::Log10 => {
            let ten = g.integer(10);
            return Some(g.pow(ten, value));
        }
        Function::Expm1 => Function::Log1p,
        Function::Log1p => Function::Expm1,
        // log(y/(1 − y))
        Function::Logistic => {
            let one = g.integer(1);
            let rest = g.sub(one, value);
            let odds = g.div(value, rest);
            return Some(g.call(Function::Log, odds));
        }
        // log(eʸ − 1)
        Function::Softplus => {
            let less_one = g.call(Function::Expm1, value);
            return Some(g.call(Function::Log, less_one));
        }
        Function::Cbrt => {
            let three = g.integer(3);
            return Some(g.pow(value, three));
        }
        // periodic, even, of half of their values only, or without a formula
        Function::Sin
        | Function::Cos
        | Function::Tan
        | Function::Asin
        | Function::Acos
        | Function::Atan
        | Function::Cosh
        | Function::Acosh
        | Function::Sqrt
        | Function::Erf
        | Function::Bernoulli
        | Function::Langevin
        | Function::LangevinSlope
        | Function::Abs
        | Function::Sign
        | Function::Floor
        | Function::Noise => return None,
    };
    Some(g.call(name, value))
}
