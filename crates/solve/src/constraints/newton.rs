//! Newton's method for the equations of an instant, damped, for any number of equations and unknowns.
//!
//! ```text
//!   Δ = −J⁺ F(y),   y ← y + λ Δ,   ‖J⁺ F(y + λΔ)‖ ≤ (1 − λ/4) ‖Δ‖
//! ```
//!
//! A step that would move an unknown by more than its own size is cut to that as long as the equations do not follow their
//! derivatives: where those nearly vanish Δ leads to the ends of the world, and a residual may be smaller there by chance.
//! The monotonicity test is that of the natural level function, which does not depend on how the equations are scaled:
//! P. Deuflhard, Newton Methods for Nonlinear Problems, 2004, 3.3. J⁺ gives the shortest Δ in units of the tolerances.

use super::equations::Equations;
use super::least_squares::LeastSquares;
use ordinate_linalg::{Lu, Pattern};

/// Square systems larger than this are solved by a sparse decomposition first.
const SMALL: usize = 60;
/// Iterations, those not counted that make the largest residual at least so much smaller: down an exponential every step is
/// one time constant long, and there may be hundreds of them.
const MOST: usize = 60;
const FALL: f64 = 0.5;
/// The smallest part of a step.
const SHORTEST: f64 = 1e-8;
/// A step within the radius that goes as foreseen makes it so much larger.
const FURTHER: f64 = 1e3;
/// A correction of so many tolerances is the last one, for the next is about its square.
const CONVERGED: f64 = 1e-4;
/// Matrices with more elements are not looked at for what the given states determine.
const MEDIUM: usize = 250_000;
/// Matrices with more elements are not decomposed as dense ones.
const LARGEST: usize = 4_000_000;

/// How an iteration ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Ended {
    /// The corrections became small; the residuals are smallest here, which may not be zero.
    Converged,
    /// No step leads on from here.
    Stuck,
}

/// Which states are to be found, and the equations in which they occur.
#[derive(Clone, Debug)]
pub(super) struct Unknowns {
    /// The states.
    pub states: Vec<usize>,
    /// The equations.
    pub rows: Vec<usize>,
    /// The place of each state among the unknowns, and of each equation among the rows.
    column: Vec<Option<u32>>,
    row: Vec<Option<u32>>,
}

fn places(of: &[usize], all: usize) -> Vec<Option<u32>> {
    let mut places = vec![None; all];
    of.iter().zip(0..).for_each(|(&index, place)| places[index] = Some(place));
    places
}

impl Unknowns {
    pub fn new(equations: &Equations, free: &[bool]) -> Unknowns {
        let states: Vec<usize> = (0..free.len()).filter(|&j| free[j]).collect();
        Unknowns::chosen(equations, states, equations.rows_of(free), free.len())
    }

    /// Some of the unknowns and some of the equations.
    pub fn chosen(equations: &Equations, states: Vec<usize>, rows: Vec<usize>, all: usize) -> Unknowns {
        Unknowns { column: places(&states, all), row: places(&rows, equations.count), states, rows }
    }

    /// Whether a state is one of them.
    pub fn has(&self, state: usize) -> bool {
        self.column[state].is_some()
    }

    pub fn is_square(&self) -> bool {
        self.states.len() == self.rows.len()
    }

    /// The elements of the derivatives that belong to them: row, column, value.
    pub fn elements<'b>(&'b self, equations: &'b Equations) -> impl Iterator<Item = (u32, u32, f64)> + 'b {
        equations.elements().filter_map(|(i, j, value)| Some((self.row[i]?, self.column[j]?, value)))
    }

    /// The derivatives by columns, rows and columns in their units.
    pub fn matrix(&self, equations: &Equations, weights: &[f64], scales: &[f64]) -> Vec<f64> {
        let mut a = vec![0.0; self.rows.len() * self.states.len()];
        for (i, j, value) in self.elements(equations) {
            let (i, j) = (i as usize, j as usize);
            a[j * self.rows.len() + i] += value * weights[self.states[j]] / scales[self.rows[i]];
        }
        a
    }
}

/// A decomposition of the derivatives.
enum Decomposition {
    Dense(LeastSquares),
    Sparse(Box<Lu<f64>>),
}

impl Decomposition {
    fn new(equations: &mut Equations, unknowns: &Unknowns, weights: &[f64], scales: &[f64]) -> Option<Decomposition> {
        let (rows, columns) = (unknowns.rows.len(), unknowns.states.len());
        equations.work.lu += 1;
        if rows == columns && columns > SMALL {
            let pattern = Pattern::from_elements(rows, unknowns.elements(equations).map(|(i, j, _)| (i, j)));
            let mut values = vec![0.0; pattern.len()];
            for (i, j, value) in unknowns.elements(equations) {
                let (i, j) = (i as usize, j as usize);
                let place = pattern.place(i, j).expect("an element of the pattern");
                values[place] += value * weights[unknowns.states[j]] / scales[unknowns.rows[i]];
            }
            let mut lu = Lu::new(&pattern);
            if lu.factor(&values).is_ok() {
                return Some(Decomposition::Sparse(Box::new(lu)));
            }
        }
        if rows * columns > LARGEST {
            return None;
        }
        let a = unknowns.matrix(equations, weights, scales);
        a.iter().all(|a| a.is_finite()).then(|| Decomposition::Dense(LeastSquares::new(rows, columns, a)))
    }

    /// The correction, in units of the weights.
    fn solve(&mut self, r: &[f64], unknowns: &Unknowns, scales: &[f64]) -> Vec<f64> {
        let mut b: Vec<f64> = unknowns.rows.iter().map(|&row| -r[row] / scales[row]).collect();
        match self {
            Decomposition::Dense(squares) => squares.solve(&b),
            Decomposition::Sparse(lu) => {
                lu.solve(&mut b);
                b
            }
        }
    }
}

fn length(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}

/// The part of a step by which an unknown moves by `radius` of its sizes.
fn within(equations: &Equations, unknowns: &Unknowns, y: &[f64], step: &[f64], radius: f64) -> f64 {
    let parts = unknowns.states.iter().zip(step).map(|(&state, step)| radius * equations.unit(y, state) / step.abs());
    parts.fold(1.0, f64::min)
}

/// By how much the unknowns change at most, as a part of their size, if the given states change by their tolerance: what is
/// left of their digits. With it the unknown that is determined worst.
pub(super) fn sensitivity(equations: &mut Equations, unknowns: &Unknowns, y: &[f64]) -> (f64, usize) {
    let mut r = vec![0.0; equations.count];
    if unknowns.states.is_empty() || !(equations.residuals(y, &mut r) && equations.derivatives(y)) {
        return (0.0, 0);
    }
    let weights = equations.weights(y);
    let with_atol = sensitivity_of(equations, unknowns, y, &r, &weights);
    // Values below their absolute tolerance may be anything within it; in their own units they may be well determined.
    let digits = equations.tol.rtol.max(4.0 * f64::EPSILON);
    let relative: Vec<f64> =
        y.iter().zip(&weights).map(|(y, w)| if *y == 0.0 { *w } else { digits * y.abs() }).collect();
    let in_digits = sensitivity_of(equations, unknowns, y, &r, &relative);
    if in_digits.0 < with_atol.0 { in_digits } else { with_atol }
}

/// The same for changes of the states by their weights.
fn sensitivity_of(equations: &Equations, unknowns: &Unknowns, y: &[f64], r: &[f64], weights: &[f64]) -> (f64, usize) {
    let scales = equations.scales(weights, r);
    let (rows, columns) = (unknowns.rows.len(), unknowns.states.len());
    let a = unknowns.matrix(equations, weights, &scales);
    if rows * columns > MEDIUM || a.iter().any(|a| !a.is_finite()) {
        return (0.0, 0);
    }
    // A direction that is lost against the others is not left out here: it is what this is about.
    let squares = LeastSquares::of_rank(rows, columns, a, 1e-18);
    let worst = unknowns.states[squares.order[squares.rank.min(columns - 1)]];
    if squares.rank < rows.min(columns) {
        return (f64::INFINITY, worst);
    }
    let mut decomposition = Decomposition::Dense(squares);
    let is_given = |i: usize| !unknowns.has(i);
    let size =
        |given: bool| (0..y.len()).filter(|&i| !given || is_given(i)).fold(0.0, |most: f64, i| most.max(y[i].abs()));
    let typical = if size(true) > 0.0 { size(true) } else { size(false) };
    // Where all is zero the tolerances alone say what is small.
    let counts = |i: usize| equations.tol.atol[i] / equations.tol.rtol.max(1e-12);
    let beside = sizes_beside(equations, unknowns, y);
    let mut most = 0.0f64;
    for pattern in 0..4usize {
        // A few patterns of signs, so that no effects cancel in all of them.
        let sign = |state: usize| if (state / (pattern + 1) + pattern).is_multiple_of(2) { 1.0 } else { -1.0 };
        // All equations change with a state together: the force of a stiff spring may stand in several of them, and move nothing.
        let mut violated = vec![0.0; equations.count];
        for (row, state, value) in equations.elements().filter(|&(_, state, _)| is_given(state)) {
            violated[row] += sign(state) * value * weights[state];
        }
        let changes = decomposition.solve(&violated, unknowns, &scales);
        for ((change, &state), beside) in changes.iter().zip(&unknowns.states).zip(&beside) {
            let size = y[state].abs().max(typical).max(counts(state)).max(*beside);
            most = (change.abs() * weights[state] / size).max(most);
        }
    }
    (most, worst)
}

/// How large each unknown would be to count as much as the others beside it, in the equation that asks least of it: an
/// acceleration of zero among others of 1e5 is known to their digits. Zero where it stands alone in one of its equations.
fn sizes_beside(equations: &Equations, unknowns: &Unknowns, y: &[f64]) -> Vec<f64> {
    // the largest term of each equation, and the next one
    let mut terms = vec![(0.0f64, 0.0f64); unknowns.rows.len()];
    let term = |j: u32, value: f64| (value * y[unknowns.states[j as usize]]).abs();
    for (i, j, value) in unknowns.elements(equations) {
        let (first, second) = &mut terms[i as usize];
        let term = term(j, value);
        (*first, *second) = (first.max(term), second.max(term.min(*first)));
    }
    let mut sizes = vec![f64::INFINITY; unknowns.states.len()];
    for (i, j, value) in unknowns.elements(equations).filter(|(.., value)| *value != 0.0) {
        let (first, second) = terms[i as usize];
        let others = if term(j, value) == first { second } else { first };
        let size = &mut sizes[j as usize];
        *size = size.min(others / value.abs());
    }
    sizes.into_iter().map(|size| if size.is_finite() { size } else { 0.0 }).collect()
}

/// The correction of each unknown by one undamped step.
pub(super) fn correction(equations: &mut Equations, unknowns: &Unknowns, y: &[f64]) -> Option<Vec<f64>> {
    let mut r = vec![0.0; equations.count];
    if !(equations.residuals(y, &mut r) && equations.derivatives(y)) {
        return None;
    }
    let weights = equations.weights(y);
    let scales = equations.scales(&weights, &r);
    let delta = Decomposition::new(equations, unknowns, &weights, &scales)?.solve(&r, unknowns, &scales);
    equations.work.newton += 1;
    let step = unknowns.states.iter().zip(delta).map(|(&state, delta)| delta * weights[state]);
    Some(step.collect::<Vec<f64>>()).filter(|step| step.iter().all(|step| step.is_finite()))
}

/// Changes the unknowns in y until their corrections are small.
pub(super) fn solve(equations: &mut Equations, unknowns: &Unknowns, y: &mut [f64]) -> Ended {
    let mut r = vec![0.0; equations.count];
    let mut trial_r = r.clone();
    let mut trial = y.to_vec();
    // what the monotonicity test asked for last, and how far a step may go
    let (mut damping, mut radius): (f64, f64) = (1.0, 1.0);
    let mut full = true;
    if unknowns.states.is_empty() {
        return Ended::Converged;
    }
    if !equations.residuals(y, &mut r) {
        return Ended::Stuck;
    }
    if !equations.derivatives(y) {
        return Ended::Stuck;
    }
    let mut last = f64::INFINITY;
    let mut slow = 0;
    while slow < MOST {
        let weights = equations.weights(y);
        let scales = equations.scales(&weights, &r);
        let Some(mut decomposition) = Decomposition::new(equations, unknowns, &weights, &scales) else {
            return Ended::Stuck;
        };
        let delta = decomposition.solve(&r, unknowns, &scales);
        equations.work.newton += 1;
        let (norm, most) = (length(&delta), largest(&delta));
        if !norm.is_finite() {
            return Ended::Stuck;
        }
        // Small, or as small as rounding lets it become.
        let ends = most <= CONVERGED || (most <= 1.0 && norm > 0.5 * last && full);
        last = norm;
        let step: Vec<f64> = unknowns.states.iter().zip(&delta).map(|(&state, delta)| delta * weights[state]).collect();
        let longest = if ends { 1.0 } else { within(equations, unknowns, y, &step, radius) };
        damping = (2.0 * damping).min(1.0);
        let mut lambda = damping.min(longest);
        loop {
            for (&state, step) in unknowns.states.iter().zip(&step) {
                trial[state] = y[state] + lambda * step;
            }
            let mut finite = equations.residuals(&trial, &mut trial_r);
            if finite && ends {
                break;
            }
            if ends {
                return Ended::Converged;
            }
            if finite {
                let rest = decomposition.solve(&trial_r, unknowns, &scales);
                let falls = length(&rest) <= (1.0 - 0.25 * lambda) * norm;
                // At the edge of a domain, as that of √z at 0, there are residuals, but no way on.
                finite = !falls || equations.derivatives(&trial);
                if falls && finite {
                    let foreseen = delta.iter().map(|delta| (1.0 - lambda) * delta);
                    let apart: Vec<f64> = rest.iter().zip(foreseen).map(|(rest, foreseen)| rest - foreseen).collect();
                    if length(&apart) <= 0.5 * lambda * norm {
                        radius *= FURTHER;
                    }
                    break;
                }
            }
            lambda *= if finite { 0.5 } else { 0.2 };
            damping = damping.min(lambda / longest);
            if lambda < SHORTEST * longest {
                return Ended::Stuck;
            }
        }
        full = lambda == 1.0;
        slow += usize::from(largest(&trial_r) > FALL * largest(&r));
        y.copy_from_slice(&trial);
        std::mem::swap(&mut r, &mut trial_r);
        if ends {
            return Ended::Converged;
        }
    }
    Ended::Stuck
}

/// The same by the method of Levenberg and Marquardt, for places where the derivatives lose rank and Newton's direction
/// means nothing:
///
/// ```text
///   min ‖J Δ + F‖² + μ² ‖Δ‖²,   accepted where ‖F‖ falls
/// ```
///
/// J. J. Moré, Lecture Notes in Mathematics 630 (1978) 105–116.
pub(super) fn solve_regularised(equations: &mut Equations, unknowns: &Unknowns, y: &mut [f64]) -> Ended {
    let (rows, columns) = (unknowns.rows.len(), unknowns.states.len());
    if columns == 0 || (rows + columns) * columns > LARGEST {
        return Ended::Stuck;
    }
    let mut r = vec![0.0; equations.count];
    let mut trial_r = r.clone();
    let mut trial = y.to_vec();
    if !equations.residuals(y, &mut r) || !equations.derivatives(y) {
        return Ended::Stuck;
    }
    // One scale for all iterations, or a fall could come from the scale.
    let scales = equations.scales(&equations.weights(y), &r);
    let size = |r: &[f64]| length(&unknowns.rows.iter().map(|&row| r[row] / scales[row]).collect::<Vec<f64>>());
    let mut mu = 0.0;
    for iteration in 0..2 * MOST {
        if !equations.derivatives(y) {
            return Ended::Stuck;
        }
        let weights = equations.weights(y);
        let a = unknowns.matrix(equations, &weights, &scales);
        if iteration == 0 {
            mu = 1e-2 * largest(&a);
        }
        let before = size(&r);
        loop {
            let mut augmented = vec![0.0; (rows + columns) * columns];
            for j in 0..columns {
                let column = &mut augmented[j * (rows + columns)..(j + 1) * (rows + columns)];
                column[..rows].copy_from_slice(&a[j * rows..(j + 1) * rows]);
                column[rows + j] = mu;
            }
            let mut b: Vec<f64> = unknowns.rows.iter().map(|&row| -r[row] / scales[row]).collect();
            b.resize(rows + columns, 0.0);
            let delta = LeastSquares::new(rows + columns, columns, augmented).solve(&b);
            (equations.work.lu, equations.work.newton) = (equations.work.lu + 1, equations.work.newton + 1);
            for (&state, delta) in unknowns.states.iter().zip(&delta) {
                trial[state] = y[state] + delta * weights[state];
            }
            let small = largest(&delta) <= 1e-2;
            if equations.residuals(&trial, &mut trial_r) && size(&trial_r) < before {
                let gain = 1.0 - size(&trial_r) / before;
                mu *= if gain > 0.5 {
                    0.1
                } else if gain > 0.1 {
                    0.5
                } else {
                    1.0
                };
                y.copy_from_slice(&trial);
                std::mem::swap(&mut r, &mut trial_r);
                if small {
                    return Ended::Converged;
                }
                break;
            }
            if small || mu > 1e12 * (1.0 + largest(&a)) {
                return Ended::Converged;
            }
            mu = (4.0 * mu).max(1e-12);
        }
    }
    Ended::Stuck
}
