//! States that fulfil all equations of an instant, found from those that are given and from guesses for the others; and
//! where there are none, which equations are violated and what would have to be given up.

use super::equations::Equations;
use super::newton::{self, Unknowns};
use super::{Inconsistency, homotopy, simple_root};

/// So many further guesses.
const GUESSES: usize = 24;
/// Not for more unknowns than this.
const GUESSED: usize = 200;
/// So many given states are tried to be freed.
const CANDIDATES: usize = 64;

/// States that change by so many times the relative tolerance of the given ones do not follow from those.
const UNDETERMINED: f64 = 1e4;

/// How hard to try.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Effort {
    /// From where it is, damped.
    Near,
    /// With homotopy, and from further guesses.
    All,
}

/// The residual of every equation that is violated by more than the tolerance of its states, the worst first.
pub(super) fn violated(equations: &mut Equations, y: &[f64]) -> Vec<(usize, f64)> {
    let mut r = vec![0.0; equations.count];
    if !(equations.residuals(y, &mut r) && equations.derivatives(y)) {
        let bad: Vec<(usize, f64)> = r.iter().copied().enumerate().filter(|(_, r)| !r.is_finite()).collect();
        return if bad.is_empty() { vec![(0, f64::NAN)] } else { bad };
    }
    let scales = equations.resolved_scales(y, &r);
    let size = |&(row, r): &(usize, f64)| r.abs() / scales[row];
    let mut found: Vec<(usize, f64)> = r.into_iter().enumerate().filter(|e| size(e) > 1.0).collect();
    found.sort_by(|a, b| size(b).total_cmp(&size(a)));
    found
}

/// Changes the free states until all equations hold. Returns whether it succeeded; if not, y is where the equations are
/// violated least of what was seen.
pub(super) fn find(equations: &mut Equations, free: &[bool], y: &mut [f64], effort: Effort) -> bool {
    let guess = y.to_vec();
    let unknowns = Unknowns::new(equations, free);
    let mut best: Option<(usize, f64, Vec<f64>)> = None;
    let mut attempt = |equations: &mut Equations, from: Vec<f64>| {
        let mut y = from;
        for regularised in [false, true] {
            if regularised {
                newton::solve_regularised(equations, &unknowns, &mut y);
            }
            newton::solve(equations, &unknowns, &mut y);
            let violated = violated(equations, &y);
            // What has no value is worse than anything that has.
            let worst = violated.first().map_or(0.0, |&(_, r)| if r.is_nan() { f64::INFINITY } else { r.abs() });
            if best
                .as_ref()
                .is_none_or(|(count, r, _)| violated.len() < *count || (violated.len() == *count && worst < *r))
            {
                best = Some((violated.len(), worst, y.clone()));
            }
            if violated.is_empty() || unknowns.states.is_empty() {
                break;
            }
        }
        best.as_ref().is_some_and(|(count, ..)| *count == 0)
    };
    let mut found = attempt(equations, guess.clone());
    // What no unknown can change is not mended by another guess.
    let hopeless =
        |equations: &mut Equations| violated(equations, &guess).iter().any(|(row, _)| !unknowns.rows.contains(row));
    if !found && effort == Effort::All && !unknowns.states.is_empty() && !hopeless(equations) {
        for end in homotopy::ends(equations, &unknowns, &guess) {
            found = found || attempt(equations, end);
        }
        for k in 0..if unknowns.states.len() <= GUESSED { GUESSES } else { 0 } {
            found = found || attempt(equations, further_guess(equations, &unknowns, &guess, k));
        }
    }
    if let Some((_, _, best)) = best {
        y.copy_from_slice(&best);
    }
    found
}

/// A state that does not follow from what is given, or only from its last digits: x = 1, x′ = 0.1 on the unit circle has a
/// solution only for x a trillionth beside 1, with a velocity of ten thousand.
pub(super) fn undetermined(equations: &mut Equations, free: &[bool], y: &[f64]) -> Option<usize> {
    let unknowns = Unknowns::new(equations, free);
    let digits = equations.tol.rtol.max(1e-12);
    let follows = |moved: f64| moved < UNDETERMINED * digits;
    let (sensitivity, worst) = newton::sensitivity(equations, &unknowns, y);
    if follows(sensitivity) || simple_root::uncertainty(equations, &unknowns, y).is_some_and(follows) {
        return None;
    }
    Some(worst)
}

/// Guesses around the given one: near and far, to all sides.
fn further_guess(equations: &Equations, unknowns: &Unknowns, guess: &[f64], k: usize) -> Vec<f64> {
    let mut y = guess.to_vec();
    let distance = [1.0, 10.0, 0.1, 100.0, 0.01, 1000.0][k / 4];
    for (place, &state) in unknowns.states.iter().enumerate() {
        let unit = equations.unit(guess, state);
        // The signs of a few patterns; and not all of the same size, or what is symmetric would stay so.
        let sign = [1.0, -1.0, if place % 2 == 0 { 1.0 } else { -1.0 }, if place % 2 == 0 { -1.0 } else { 1.0 }][k % 4];
        y[state] += sign * distance * unit * (1.0 + 0.1 * (place % 7) as f64);
    }
    y
}

/// What to say where no consistent states were found: `y` is where the search from `guess` ended.
pub(super) fn explain(equations: &mut Equations, free: &[bool], guess: &[f64], y: &[f64]) -> Inconsistency {
    // Where nothing could be done the given values speak for themselves.
    let violated_rows = violated(equations, y);
    let rows: Vec<usize> = violated_rows.iter().map(|&(row, _)| row).collect();
    let sought = equations.states_of(&rows).into_iter().filter(|&state| free[state]).collect();
    let mut inconsistency = Inconsistency {
        t: equations.t,
        sought,
        violated: violated_rows.iter().map(|&(row, r)| (equations.place(row), r)).collect(),
        free: Vec::new(),
    };
    let candidates: Vec<usize> = reachable(equations, free, &rows);
    let mut single: Vec<(f64, usize)> = Vec::new();
    for &candidate in &candidates {
        if let Some(change) = freed(equations, free, &[candidate], guess) {
            single.push((change, candidate));
        }
    }
    single.sort_by(|a, b| a.0.total_cmp(&b.0));
    inconsistency.free = single.into_iter().map(|(_, state)| vec![state]).collect();
    if inconsistency.free.is_empty() && rows.len() > 1 {
        inconsistency.free.extend(smallest_set(equations, free, &candidates, guess));
    }
    inconsistency
}

/// The given states that the violated equations depend on, directly or through others that are free.
fn reachable(equations: &Equations, free: &[bool], rows: &[usize]) -> Vec<usize> {
    let mut rows = rows.to_vec();
    loop {
        let states = equations.states_of(&rows);
        let mut among = vec![false; free.len()];
        states.iter().filter(|&&state| free[state]).for_each(|&state| among[state] = true);
        let mut more = equations.rows_of(&among);
        more.extend(&rows);
        more.sort_unstable();
        more.dedup();
        if more.len() == rows.len() {
            return states.into_iter().filter(|&state| !free[state]).take(CANDIDATES).collect();
        }
        rows = more;
    }
}

/// Whether the equations can be fulfilled when these given states are free, too; by how much they change, in tolerances.
fn freed(equations: &mut Equations, free: &[bool], also: &[usize], guess: &[f64]) -> Option<f64> {
    let mut free = free.to_vec();
    also.iter().for_each(|&state| free[state] = true);
    let mut y = guess.to_vec();
    let weights = equations.weights(guess);
    let changes = || also.iter().map(|&state| (state, guess[state]));
    find(equations, &free, &mut y, Effort::Near)
        .then(|| changes().map(|(state, before)| (y[state] - before).abs() / weights[state]).fold(0.0, f64::max))
}

/// A few given states that are enough when they are free together: one after the other, each time that after which the
/// fewest equations are violated.
fn smallest_set(equations: &mut Equations, free: &[bool], candidates: &[usize], guess: &[f64]) -> Option<Vec<usize>> {
    let mut free = free.to_vec();
    let mut chosen = Vec::new();
    while chosen.len() < 6 {
        let mut best: Option<(usize, f64, usize)> = None;
        for &candidate in candidates.iter().filter(|candidate| !chosen.contains(*candidate)) {
            free[candidate] = true;
            let mut y = guess.to_vec();
            find(equations, &free, &mut y, Effort::Near);
            free[candidate] = false;
            let left = violated(equations, &y);
            let moved = (y[candidate] - guess[candidate]).abs() / equations.weights(guess)[candidate];
            if best.is_none_or(|(count, change, _)| left.len() < count || (left.len() == count && moved < change)) {
                best = Some((left.len(), moved, candidate));
            }
        }
        let (left, _, candidate) = best?;
        chosen.push(candidate);
        free[candidate] = true;
        if left == 0 {
            return Some(chosen);
        }
    }
    None
}
