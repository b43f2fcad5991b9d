//! Start values where the derivatives of the equations lose rank: x = 1 on the unit circle leaves y only a double root,
//! 1 + y² = 1, which is a solution like any other, while x = 1, x′ = 0 leaves y′ really open. A double root has no
//! solutions beside it, and Newton's method with steps of twice the length goes to it quadratically.

use super::equations::Equations;
use super::newton::{self, Unknowns};
use super::search::{self, Effort};

/// Steps towards the root.
const STEPS: usize = 20;
/// The residuals fall to this part of what they were, or it is no root of this kind.
const FALL: f64 = 1e-3;
/// An unknown that can be moved so far, as a part of its size, with the equations fulfilled is not determined by them.
const MOVED: f64 = 1e-2;
/// More unknowns are not tried one by one.
const MOST: usize = 200;

/// What the derivatives at a solution leave open.
pub(super) enum Singular {
    /// Nothing: the solution stands alone, here.
    Alone(Vec<f64>),
    /// An unknown that may have other values.
    Open(usize),
    /// There is no solution here, only a place where the equations are nearly fulfilled.
    Nowhere,
}

/// Looks at a solution found at `y`.
pub(super) fn at(equations: &mut Equations, free: &[bool], y: &[f64]) -> Singular {
    let unknowns = Unknowns::new(equations, free);
    if unknowns.states.len() > MOST {
        return Singular::Nowhere;
    }
    let Some(root) = refined(equations, &unknowns, y) else { return Singular::Nowhere };
    match unknowns.states.iter().find(|&&state| is_open(equations, free, &root, state)) {
        Some(&state) => Singular::Open(state),
        None => Singular::Alone(root),
    }
}

/// The root near y, by double and single steps in turn.
fn refined(equations: &mut Equations, unknowns: &Unknowns, y: &[f64]) -> Option<Vec<f64>> {
    let mut r = vec![0.0; equations.count];
    let fine = equations.residuals(y, &mut r) && equations.derivatives(y);
    let scales = equations.scales(&equations.weights(y), &r);
    let size = |r: &[f64]| r.iter().zip(&scales).map(|(r, scale)| (r / scale).powi(2)).sum::<f64>().sqrt();
    let first = size(&r);
    let (mut root, mut least) = (y.to_vec(), first);
    for _ in 0..STEPS {
        if least == 0.0 || !fine {
            break;
        }
        let mut trial = root.clone();
        for length in [2.0, 1.0] {
            let step = newton::correction(equations, unknowns, &trial)?;
            unknowns.states.iter().zip(&step).for_each(|(&state, step)| trial[state] += length * step);
        }
        // a solution at the ends of the world fulfils the equations ever better, too
        let near = |i: usize| (trial[i] - y[i]).abs() <= MOVED * (1.0 + y[i].abs());
        if !(equations.residuals(&trial, &mut r) && size(&r) < 0.5 * least && (0..y.len()).all(near)) {
            break;
        }
        (root, least) = (trial, size(&r));
    }
    (fine && least <= FALL * first).then_some(root)
}

/// Whether there are solutions with this unknown a little larger or smaller.
fn is_open(equations: &mut Equations, free: &[bool], root: &[f64], state: usize) -> bool {
    let mut others = free.to_vec();
    others[state] = false;
    // what is violated by a square must show above the tolerance
    let part = MOVED.max(10.0 * equations.tol.rtol.sqrt());
    [1.0, -1.0].into_iter().any(|sign| {
        let mut y = root.to_vec();
        y[state] += sign * part * root[state].abs().max(1.0);
        search::find(equations, &others, &mut y, Effort::Near)
            && search::undetermined(equations, &others, &y).is_none_or(|_| refined_near(equations, &others, &y))
    })
}

/// Whether a solution that is itself singular is one to rounding.
fn refined_near(equations: &mut Equations, free: &[bool], y: &[f64]) -> bool {
    let unknowns = Unknowns::new(equations, free);
    refined(equations, &unknowns, y).is_some()
}
