//! Newton's method for a state that comes back to itself.
//!
//! ```text
//!   forced        (P′ − I) Δy = y − P(y)
//!   autonomous    (P′ − I) Δy + f(P(y)) ΔT = y − P(y),    f(y)·Δy = 0
//! ```
//!
//! T. J. Aprille, T. N. Trick, Proc. IEEE 60 (1972) 108–114, and for an unknown period IEEE Trans. Circuit Theory 19 (1972)
//! 354–360; the last equation is the phase condition, without which every point of the orbit would do.

use super::map::{Accuracy, Image, Map};
use ordinate_linalg::{Lu, Pattern};

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    /// The period is to be found, too.
    pub autonomous: bool,
    pub accuracy: Accuracy,
    /// The estimated error of the map is subtracted from it.
    pub correct: bool,
    /// The iteration ends when its change is below this part of the usual size.
    pub tolerance: f64,
    /// Errors of the map that are amplified by more than this leave no digit of the orbit.
    pub singular: f64,
}

/// A state that comes back.
#[derive(Clone, Debug)]
pub(super) struct Fixed {
    pub y: Vec<f64>,
    pub period: f64,
    pub image: Image,
    pub iterations: usize,
    /// |P(y) − y| in usual sizes.
    pub residual: f64,
}

/// Why there is none.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Trouble {
    /// A run over the period ended early.
    Stopped(String),
    /// I − P′ is singular.
    Singular { residual: f64 },
    /// The iteration goes on without end, or leaves the region that the solution visits.
    NoConvergence { residual: f64, iterations: usize },
    /// The period grows or shrinks without bound.
    PeriodRuns { from: f64, to: f64 },
    /// The iteration leads to an equilibrium.
    Rest,
}

/// The most iterations.
const MOST: usize = 40;
/// Periods that are simulated where Newton's method knows no direction.
const MOST_WAITS: usize = 8;
/// Iterations with the derivative of a coarse map, and a bound of the first, in usual sizes.
const MOST_REFINEMENTS: usize = 6;
const FIRST_REFINEMENT: f64 = 0.1;
/// A damped step is at least this part of Newton's.
const SHORTEST: f64 = 1.0 / 32.0;
/// The state may go so many usual sizes away from where it began.
const FAR: f64 = 1e3;
/// Unless it comes back there as well as this, as the state of a linear model does at once.
const NEARLY: f64 = 1e-6;

/// Newton's method from a state and a period.
pub(super) fn shoot(map: &mut Map, search: &Search, y: &[f64], period: f64) -> Result<Fixed, Trouble> {
    let (mut y, mut period, first) = (y.to_vec(), period, period);
    let origin = y.clone();
    let mut image = map.apply(&y, period, search.accuracy).map_err(Trouble::Stopped)?;
    let missed = defect(map, search, &y, period, &image)?;
    let mut residual = size(map, &missed);
    let (mut last_change, mut waited) = (f64::INFINITY, 0);
    for iterations in 1..=MOST {
        let change = match newton_step(map, search, &y, period, &image, residual) {
            Err(Trouble::Singular { .. }) if search.autonomous && is_rest(map, &y, period, &image, 1e-2) => {
                return Err(Trouble::Rest);
            }
            // A part of the solution without an event or a spring tells nothing about its orbit: go on for a period.
            Err(Trouble::Singular { .. }) if !search.autonomous && waited < MOST_WAITS => {
                waited += 1;
                y.clone_from(&image.end);
                image = map.apply(&y, period, search.accuracy).map_err(Trouble::Stopped)?;
                let missed = defect(map, search, &y, period, &image)?;
                residual = size(map, &missed);
                continue;
            }
            change => change?,
        };
        let (mut part, mut taken) = (1.0, None);
        while taken.is_none() {
            let next: Vec<f64> = y.iter().zip(&change).map(|(y, change)| y + part * change).collect();
            let next_period = period + part * change.get(y.len()).copied().unwrap_or(0.0);
            if !(next_period > 0.01 * first && next_period < 100.0 * first) {
                if part > SHORTEST {
                    part *= 0.5;
                    continue;
                }
                return Err(Trouble::PeriodRuns { from: first, to: next_period });
            }
            let trial = map.apply(&next, next_period, search.accuracy);
            match trial {
                Err(message) if part <= SHORTEST => return Err(Trouble::Stopped(message)),
                Err(_) => part *= 0.5,
                Ok(found) => {
                    let missed = defect(map, search, &next, next_period, &found)?;
                    let left = size(map, &missed);
                    // Near the solution rounding decides, and no step is better than the full one.
                    if left <= (1.0 - 0.25 * part) * residual || last_change < 1e-5 || part <= SHORTEST {
                        taken = Some((next, next_period, found, left));
                    } else {
                        part *= 0.5;
                    }
                }
            }
        }
        let (next, next_period, found, left) = taken.expect("the loop ends with a step");
        let moved = part * size(map, &change[..y.len()]).max(period_part(&change, y.len(), period));
        (y, period, image) = (next, next_period, found);
        let far = (0..y.len()).any(|i| (y[i] - origin[i]).abs() > FAR * map.scale[i]);
        if far && left > NEARLY || !left.is_finite() {
            return Err(Trouble::NoConvergence { residual: left, iterations });
        }
        residual = left;
        let no_nearer = moved >= 0.5 * last_change;
        // Where I − P′ is small, rounding of the map alone moves the state, and what comes back to it is no better elsewhere.
        let settled =
            no_nearer && (moved <= 1e3 * search.tolerance || residual <= rounding(&image) * size(map, &y).max(1.0));
        if moved <= search.tolerance || settled {
            if search.autonomous && is_rest(map, &y, period, &image, 1e-6) {
                return Err(Trouble::Rest);
            }
            return Ok(Fixed { y, period, image, iterations, residual });
        }
        last_change = moved;
    }
    Err(Trouble::NoConvergence { residual, iterations: MOST })
}

/// A state and a period found with a coarse map, made nearly exact with the exact map and the derivative of the coarse one: each
/// iteration gains what the coarse map is worth, and needs no derivative.
pub(super) fn refined(map: &Map, search: &Search, rough: &Fixed) -> (Vec<f64>, f64) {
    let (mut y, mut period) = (rough.y.clone(), rough.period);
    let (Accuracy::Tolerance(rtol), false) = (search.accuracy, search.correct) else { return (y, period) };
    let Some(mut inverse) = Inverse::new(map, search, period, &rough.image) else { return (y, period) };
    let mut last = FIRST_REFINEMENT;
    for _ in 0..MOST_REFINEMENTS {
        let Ok(end) = map.end(&y, period, rtol) else { break };
        let missed: Vec<f64> = end.iter().zip(&y).map(|(end, y)| end - y).collect();
        let Some(change) = inverse.of(&missed) else { break };
        let moved = size(map, &change[..y.len()]).max(period_part(&change, y.len(), period));
        // not more than rounding is left, or the derivative is not that of this place
        if moved.is_nan() || moved > 0.1 * last {
            break;
        }
        y.iter_mut().zip(&change).for_each(|(y, change)| *y += change);
        period += change.get(y.len()).copied().unwrap_or(0.0);
        last = moved;
    }
    (y, period)
}

/// Rounding of the map, a part of the sizes: a few units of the last place per period, more where it takes many steps.
pub(super) fn rounding(image: &Image) -> f64 {
    4.0 * f64::EPSILON * (1.0 + (image.steps as f64).sqrt())
}

/// P(y) − y, with P corrected if that is wanted.
fn defect(map: &mut Map, search: &Search, y: &[f64], period: f64, image: &Image) -> Result<Vec<f64>, Trouble> {
    let mut defect: Vec<f64> = image.end.iter().zip(y).map(|(end, y)| end - y).collect();
    if search.correct {
        let error = map_error(map, search.accuracy, y, period, image).map_err(Trouble::Stopped)?;
        defect.iter_mut().zip(&error).for_each(|(defect, error)| *defect -= error);
    }
    Ok(defect)
}

/// The error of the map: what the method carried along, or by comparison with another run.
///
/// ```text
///   δ = P̃ − P ≈ (P_N − P_2N) 2ᵖ/(2ᵖ − 1)
/// ```
pub(super) fn map_error(
    map: &mut Map,
    accuracy: Accuracy,
    y: &[f64],
    period: f64,
    image: &Image,
) -> Result<Vec<f64>, String> {
    if let Some(error) = &image.error {
        return Ok(error.clone());
    }
    let (better, factor) = match accuracy {
        Accuracy::Tolerance(rtol) => (map.end(y, period, (rtol / 30.0).max(2.0 * f64::EPSILON))?, 1.0),
        Accuracy::Steps(steps) => {
            let power = 2f64.powi(map.order() as i32);
            (map.apply(y, period, Accuracy::Steps(2 * steps))?.end, power / (power - 1.0))
        }
    };
    Ok(image.end.iter().zip(&better).map(|(a, b)| factor * (a - b)).collect())
}

/// Newton's change of the state and, after it, of the period.
fn newton_step(
    map: &mut Map,
    search: &Search,
    y: &[f64],
    period: f64,
    image: &Image,
    residual: f64,
) -> Result<Vec<f64>, Trouble> {
    let defect = defect(map, search, y, period, image)?;
    let inverse = Inverse::new(map, search, period, image);
    inverse.and_then(|mut inverse| inverse.of(&defect)).ok_or(Trouble::Singular { residual })
}

/// How an orbit changes with its map: (I − P′)⁻¹, bordered by the phase condition where the period is found, too.
pub(super) struct Inverse {
    lu: Lu<f64>,
    scale: Vec<f64>,
    /// The period, where it is an unknown.
    period: Option<f64>,
    /// The largest sum of a row, in usual sizes: an error of the map over a period is amplified by at most that.
    pub norm: f64,
}

impl Inverse {
    /// `None` if I − P′ is singular, or an element of the inverse as large as the search takes for that.
    pub fn new(map: &Map, search: &Search, period: f64, image: &Image) -> Option<Inverse> {
        let n = image.end.len();
        let size = n + usize::from(search.autonomous);
        let mut matrix = vec![0.0; size * size];
        for i in 0..n {
            for j in 0..n {
                let ratio = map.scale[j] / map.scale[i];
                matrix[i * size + j] = (if i == j { 1.0 } else { 0.0 } - image.derivative[i * n + j]) * ratio;
            }
            if map.is_idle(image, i) {
                matrix[i * size + i] = 1.0;
            }
            if search.autonomous {
                matrix[i * size + n] = -image.rate[i] * period / map.scale[i];
                matrix[n * size + i] = image.first_rate[i] * period / map.scale[i];
            }
        }
        let mut lu: Lu<f64> = Lu::new(&Pattern::dense(size));
        if size > 0 {
            lu.factor(&matrix).ok()?;
        }
        let mut sums = vec![0.0; n];
        for k in 0..size {
            let mut unit = vec![0.0; size];
            unit[k] = 1.0;
            lu.solve(&mut unit);
            if !unit.iter().all(|value| value.abs() < search.singular) {
                return None;
            }
            if k < n {
                sums.iter_mut().zip(&unit).for_each(|(sum, value)| *sum += value.abs());
            }
        }
        if size > 0 && lu.reciprocal_condition() < f64::EPSILON {
            return None;
        }
        let norm = sums.into_iter().fold(0.0, f64::max);
        Some(Inverse { lu, scale: map.scale.clone(), period: search.autonomous.then_some(period), norm })
    }

    /// The change of the state that follows from a change of P, and after it that of the period.
    pub fn of(&mut self, change: &[f64]) -> Option<Vec<f64>> {
        let mut right: Vec<f64> = change.iter().zip(&self.scale).map(|(change, scale)| change / scale).collect();
        right.resize(change.len() + usize::from(self.period.is_some()), 0.0);
        if !right.is_empty() {
            self.lu.solve(&mut right);
        }
        right.iter_mut().zip(&self.scale).for_each(|(change, scale)| *change *= scale);
        if let (Some(period), Some(last)) = (self.period, right.last_mut()) {
            *last *= period;
        }
        right.iter().all(|value| value.is_finite()).then_some(right)
    }
}

/// The largest component in usual sizes.
pub(super) fn size(map: &Map, values: &[f64]) -> f64 {
    let mut largest: f64 = 0.0;
    for (value, scale) in values.iter().zip(&map.scale) {
        let part = value.abs() / scale;
        largest = if part.is_nan() { f64::INFINITY } else { largest.max(part) };
    }
    largest
}

fn period_part(change: &[f64], n: usize, period: f64) -> f64 {
    change.get(n).map_or(0.0, |change| change.abs() / period)
}

/// Whether nothing moves by more than this part of its size in a whole period.
fn is_rest(map: &Map, y: &[f64], period: f64, image: &Image, part: f64) -> bool {
    let moves = |i: usize| image.first_rate[i].abs() * period > part * (map.scale[i] + y[i].abs());
    !(0..y.len()).any(moves)
}
