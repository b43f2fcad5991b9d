//! LaSalle's case: V′ ≤ 0 with V′ = 0 on a set E. Solutions go to the largest invariant set M in E; on M every function that
//! describes E stays zero, and so do its derivatives along the solution:
//!
//! ```text
//!   E ⊂ {g = 0},      M ⊂ {g = 0, L_f g = 0, L_f² g = 0, …}
//! ```
//!
//! If these have no common zero in the level set but the point, the point is asymptotically stable. J. P. LaSalle, IRE
//! Trans. Circuit Theory 7 (1960) 520–527.

use super::function::{Box, Function, hull};
use super::prove::{MOST_BOXES, Problem};
use crate::design::elimination::solved;
use crate::design::field::Field;
use ordinate_expr::{ExprId, Interval};
use ordinate_model::Squares;
use std::collections::VecDeque;

/// The set E and what was found out about the invariant set in it.
#[derive(Clone, Debug)]
pub struct LaSalle {
    /// Expressions that are zero on E, in the words of the model; none if E could not be described.
    pub zero: Vec<String>,
    /// Whether the largest invariant set in E is the point only; `None` if that was not decided.
    pub only_the_point: Option<bool>,
    /// Where another invariant set may be: a box of the states.
    pub open: Option<Vec<(f64, f64)>>,
}

impl LaSalle {
    /// V′ = 0 everywhere: every level curve of V is invariant.
    pub(super) fn everywhere() -> LaSalle {
        LaSalle { zero: vec!["0".into()], only_the_point: Some(false), open: None }
    }

    /// Nothing is known of E.
    pub(super) fn unknown() -> LaSalle {
        LaSalle { zero: Vec::new(), only_the_point: None, open: None }
    }
}

/// Expressions that are zero where V′ is, from its squares; `None` if they do not tell.
pub(super) fn zeros(field: &mut Field, squares: &Squares, weak: &[Box]) -> Option<Vec<ExprId>> {
    if squares.squares.iter().any(|(_, negative, _)| !negative) {
        return None;
    }
    let mut zeros: Vec<ExprId> = squares.squares.iter().map(|&(_, _, inside)| inside).collect();
    for group in &squares.groups {
        // common · rest ≤ 0 is zero with what is common, if the rest is negative
        let tape = field.tape(&[group.rest]);
        let negative = weak.iter().all(|x| tape.bounds(x)[0].high < 0.0);
        if !negative || group.common.iter().any(|(_, power)| power % 2 != 0) {
            return None;
        }
        let mut product = field.graph.integer(1);
        for &(factor, _) in group.common.iter().filter(|(_, power)| *power > 0) {
            product = field.graph.mul(product, factor);
        }
        zeros.push(product);
    }
    (!zeros.is_empty()).then_some(zeros)
}

/// Decides whether the point is the only invariant set of E within V ≤ `level`; `None` if E itself is only the point.
pub(super) fn decide(
    field: &mut Field,
    problem: &Problem,
    zeros: &[ExprId],
    weak: &[Box],
    level: f64,
) -> Option<LaSalle> {
    let n = field.order();
    let zero = zeros.iter().map(|&zero| field.text(zero)).collect();
    let mut functions: Vec<Function> = Vec::new();
    let mut derivatives = zeros.to_vec();
    for order in 0..n {
        for derivative in &mut derivatives {
            let forms = match field.multiplied_out(*derivative) {
                Some(simple) => vec![simple, *derivative],
                None => vec![*derivative],
            };
            functions.push(Function::new(field, &forms));
            let next = field.along(forms[0]);
            *derivative = field.with_numbers(next);
        }
        let open = others(problem, &functions, weak, level);
        match open {
            None if order == 0 => return None,
            None => return Some(LaSalle { zero, only_the_point: Some(true), open: None }),
            Some(open) if order + 1 == n => {
                let open = open.iter().map(|side| (side.low, side.high)).collect();
                return Some(LaSalle { zero, only_the_point: None, open: Some(open) });
            }
            Some(_) => {}
        }
    }
    Some(LaSalle::unknown())
}

/// A box that may hold a common zero of functions other than the point; `None` if there is none.
fn others(problem: &Problem, functions: &[Function], weak: &[Box], level: f64) -> Option<Box> {
    let mut queue: VecDeque<Box> = weak.to_vec().into();
    let mut work = 0;
    while let Some(x) = queue.pop_front() {
        work += 1;
        if problem.v.bounds(&x).low > level
            || functions.iter().any(|g| !g.bounds(&x).contains_zero())
            || only_zero(functions, &hull(&x, &problem.point), x.len())
        {
            continue;
        }
        match problem.halves(&x) {
            Some(halves) if work < MOST_BOXES => queue.extend(halves),
            _ => return Some(x),
        }
    }
    None
}

/// Whether functions that vanish at the point have no other common zero in a box around it: with J within the bounds of their
/// slopes and P ≈ (JₘᵀJₘ)⁻¹Jₘᵀ of its middle, ‖I − P J‖ < 1 for all J.
fn only_zero(functions: &[Function], x: &[Interval], n: usize) -> bool {
    let rows: Vec<Vec<Interval>> = functions.iter().map(|g| g.slopes(x)).collect();
    if rows.iter().flatten().any(|slope| !slope.is_bounded()) {
        return false;
    }
    let middle: Vec<Vec<f64>> = rows.iter().map(|row| row.iter().map(|slope| slope.middle()).collect()).collect();
    let mut normal = vec![vec![0.0; n + middle.len()]; n];
    for i in 0..n {
        for j in 0..n {
            normal[i][j] = middle.iter().map(|row| row[i] * row[j]).sum();
        }
        for (k, row) in middle.iter().enumerate() {
            normal[i][n + k] = row[i];
        }
    }
    let Some(inverse) = solved(normal, n) else { return false };
    (0..n).all(|i| {
        let mut sum = 0.0;
        for j in 0..n {
            let mut element = Interval::point(if i == j { 1.0 } else { 0.0 });
            for (k, row) in rows.iter().enumerate() {
                element = element.minus(Interval::point(inverse[i][k]).times(row[j]));
            }
            sum += element.size();
        }
        sum < 1.0 - 1e-9
    })
}
