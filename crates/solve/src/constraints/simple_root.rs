//! Whether equations have a simple root where one was found, however badly they are conditioned there. The middle of a bridge of
//! blocked diodes is held by conductances of 4·10⁻¹¹ beside one of 1: what is within the tolerance of an equation moves it to
//! anywhere, and still its equations say where it is, for rounding is far below.
//!
//! Newton's method contracts to it as to no multiple root, where it goes on by halves; and then rounding moves it by no more than
//!
//! ```text
//!   |A⁻¹| ε (|A| |x| + |B| |y|)        A = ∂F/∂x,  B = ∂F/∂y
//! ```
//!
//! (R. D. Skeel, J. ACM 26 (1979) 494–526, theorem 2.1), which depends neither on the units of the equations nor on those of the
//! unknowns x. The given states y are what is given: a charge of zero is not one of 10⁻⁹.

use super::equations::Equations;
use super::newton::Unknowns;
use ordinate_linalg::{Lu, Pattern};

/// Steps to the root.
const STEPS: usize = 12;
/// A step that is not at most this part of the one before goes to a multiple root, or to none.
const CONTRACTS: f64 = 0.1;
/// Roundings that an equation collects.
const ROUNDINGS: f64 = 8.0;
/// How many times farther than rounding reaches the equations must follow their derivatives.
const FARTHER: f64 = 10.0;
/// More unknowns are not looked at one by one.
const MOST: usize = 500;

/// By how much rounding moves the unknowns at a simple root near y, as a part of their sizes. `None`: there is no such root.
pub(super) fn uncertainty(equations: &mut Equations, unknowns: &Unknowns, y: &[f64]) -> Option<f64> {
    if !unknowns.is_square() || unknowns.states.is_empty() || unknowns.states.len() > MOST {
        return None;
    }
    let pattern = Pattern::from_elements(unknowns.rows.len(), unknowns.elements(equations).map(|(i, j, _)| (i, j)));
    let mut lu = Lu::new(&pattern);
    let mut values = vec![0.0; pattern.len()];
    let mut root = y.to_vec();
    let mut r = vec![0.0; equations.count];
    let mut last = f64::INFINITY;
    for _ in 0..STEPS {
        if !(equations.residuals(&root, &mut r) && equations.derivatives(&root)) {
            return None;
        }
        values.fill(0.0);
        for (i, j, value) in unknowns.elements(equations) {
            values[pattern.place(i as usize, j as usize).expect("an element of the pattern")] += value;
        }
        lu.factor(&values).ok()?;
        let off = rounding(equations, unknowns, &mut lu, &root);
        let mut step: Vec<f64> = unknowns.rows.iter().map(|&row| -r[row]).collect();
        lu.solve(&mut step);
        let part = |(&state, change): (&usize, &f64)| change.abs() / size(equations, &root, state);
        let largest = |changes: &[f64]| unknowns.states.iter().zip(changes).map(part).fold(0.0, f64::max);
        if step.iter().zip(&off).all(|(step, off)| step.abs() <= *off) {
            let size = largest(&off);
            return is_linear(equations, unknowns, &mut lu, &root, &off).then_some(size);
        }
        let length = largest(&step);
        if length > CONTRACTS * last || step.iter().any(|step| !step.is_finite()) {
            return None;
        }
        last = length;
        unknowns.states.iter().zip(&step).for_each(|(&state, step)| root[state] += step);
    }
    None
}

/// Whether the equations follow their derivatives a bit farther than rounding reaches. At 10⁻⁹ beside a double root they do not,
/// though rounding leaves nothing of their residuals there.
fn is_linear(equations: &mut Equations, unknowns: &Unknowns, lu: &mut Lu<f64>, root: &[f64], off: &[f64]) -> bool {
    let mut r = vec![0.0; equations.count];
    let signs: [fn(usize) -> f64; 3] = [|_| 1.0, |_| -1.0, |k| if k % 2 == 0 { 1.0 } else { -1.0 }];
    signs.into_iter().all(|sign| {
        let mut moved = root.to_vec();
        let moves: Vec<f64> = off.iter().enumerate().map(|(k, off)| sign(k) * FARTHER * off).collect();
        unknowns.states.iter().zip(&moves).for_each(|(&state, by)| moved[state] += by);
        if !equations.residuals(&moved, &mut r) {
            return false;
        }
        let mut found: Vec<f64> = unknowns.rows.iter().map(|&row| r[row]).collect();
        lu.solve(&mut found);
        found.iter().zip(&moves).all(|(found, by)| (found - by).abs() <= 0.5 * by.abs())
    })
}

/// The size of an unknown, or where its absolute tolerance begins to count.
fn size(equations: &Equations, y: &[f64], state: usize) -> f64 {
    y[state].abs().max(equations.tol.atol[state] / equations.tol.rtol.max(1e-12)).max(f64::MIN_POSITIVE)
}

/// How far rounding moves each unknown.
fn rounding(equations: &Equations, unknowns: &Unknowns, lu: &mut Lu<f64>, y: &[f64]) -> Vec<f64> {
    let count = unknowns.states.len();
    let sizes: Vec<f64> =
        (0..y.len()).map(|j| if unknowns.has(j) { size(equations, y, j) } else { y[j].abs() }).collect();
    let mut terms = vec![0.0; equations.count];
    equations.elements().for_each(|(row, state, value)| terms[row] += value.abs() * sizes[state]);
    let mut off = vec![0.0; count];
    for (i, &row) in unknowns.rows.iter().enumerate() {
        let mut column = vec![0.0; count];
        column[i] = ROUNDINGS * f64::EPSILON * terms[row];
        lu.solve(&mut column);
        off.iter_mut().zip(&column).for_each(|(off, x)| *off += x.abs());
    }
    off
}
