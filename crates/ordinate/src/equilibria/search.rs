//! Where the search for equilibria begins: the start, guesses, what a simulation shows, places spread around them and over
//! many sizes, changes of sign where there is one unknown, and once more everywhere with the known points taken out.

use super::newton::{Equations, Rest};
use crate::exploratory_run::{Piece, simulate};
use crate::halton::halton;
use crate::{Compiled, methods};

/// Points are the same if they are nearer to each other than this, in usual sizes.
const SAME: f64 = 1e-6;
/// The same where one of them is badly determined.
const BLURRED: f64 = 1e-3;
/// Half widths of the places that are tried whatever a simulation shows.
const WIDTHS: [f64; 5] = [1.0, 10.0, 100.0, 1e3, 1e4];
/// Points are taken out of models of at most so many unknowns, as long as there are at most so many points.
const MOST_UNKNOWNS: usize = 10;
const MOST_POINTS: usize = 32;

/// What was found.
pub(super) struct Found {
    /// The points, each with the dimension of the set that it belongs to.
    pub points: Vec<(Rest, usize)>,
    /// The smallest rate where there was none.
    pub best: f64,
    /// How often Newton's method began.
    pub tried: usize,
}

impl Found {
    /// Newton's method from a start; returns whether it found a new point.
    fn begin(&mut self, equations: &mut Equations, start: &[f64]) -> bool {
        self.tried += 1;
        let rest = match equations.solve(start) {
            Ok(rest) => rest,
            Err(residual) => {
                self.best = self.best.min(residual);
                return false;
            }
        };
        let near = |known: &Rest| if known.blurred || rest.blurred { BLURRED } else { SAME };
        if self.points.iter().any(|(known, _)| equations.distance(&known.y, &rest.y) < near(known)) {
            return false;
        }
        if equations.is_underflow(&rest) {
            return false;
        }
        // Of a line or surface of points one is enough.
        let dimension = equations.family(&rest);
        if dimension > 0 && self.points.iter().any(|(_, known)| *known == dimension) {
            return false;
        }
        self.points.push((rest, dimension));
        true
    }
}

/// Newton's method from all starts, and from some with the known points taken out, until these show no other one.
pub(super) fn search(equations: &mut Equations, starts: &[Vec<f64>]) -> Found {
    let mut found = Found { points: Vec::new(), best: f64::INFINITY, tried: 0 };
    for start in starts {
        found.begin(equations, start);
    }
    if equations.scale.len() == 1 {
        for start in changes_of_sign(equations) {
            found.begin(equations, &[start]);
        }
    }
    if equations.scale.len() > MOST_UNKNOWNS {
        return found;
    }
    let mut more = true;
    while more && !found.points.is_empty() && found.points.len() < MOST_POINTS {
        let known: Vec<Vec<f64>> = found.points.iter().map(|(rest, _)| rest.y.clone()).collect();
        let widths: Vec<f64> = equations.scale.iter().map(|scale| 0.1 * scale).collect();
        let beside = known.iter().flat_map(|y| halton(3, y, &widths));
        let begins: Vec<Vec<f64>> = starts.iter().take(8).cloned().chain(beside).collect();
        more = false;
        for begin in &begins {
            if let Some(y) = deflated(equations, begin, &known) {
                more |= found.begin(equations, &y);
            }
        }
    }
    found
}

/// Newton's method for F times a factor that is infinite at the known points r:
///
/// ```text
///   M = Π (1 + 1/|y − r|²),    Δ = Δ₀ / (1 − ∇ln M · Δ₀)     with the step Δ₀ for F alone
/// ```
///
/// P. E. Farrell, Á. Birkisson, S. W. Funke, SIAM J. Sci. Comput. 37 (2015) A2026–A2045; the step follows by the formula of
/// Sherman and Morrison.
fn deflated(equations: &mut Equations, start: &[f64], known: &[Vec<f64>]) -> Option<Vec<f64>> {
    const MOST: usize = 40;
    const LONGEST: f64 = 10.0;
    let scale = equations.scale.clone();
    let mut y = start.to_vec();
    for _ in 0..MOST {
        let plain = equations.step(&y)?;
        let mut along = 0.0;
        for r in known {
            let away: Vec<f64> = (0..y.len()).map(|k| (y[k] - r[k]) / scale[k]).collect();
            let square: f64 = away.iter().map(|part| part * part).sum();
            let product: f64 = away.iter().zip(&plain).map(|(part, step)| part * step).sum();
            along -= 2.0 * product / (square * (square + 1.0));
        }
        let length = plain.iter().map(|step| step * step).sum::<f64>().sqrt();
        let size = (0..y.len()).map(|k| (y[k] / scale[k]).abs()).fold(1.0, f64::max);
        let factor = (1.0 / (1.0 - along)).clamp(-LONGEST * size / length, LONGEST * size / length);
        if !factor.is_finite() {
            return None;
        }
        (0..y.len()).for_each(|k| y[k] += factor * plain[k] * scale[k]);
        if (factor * length).abs() <= 1e-6 * size {
            return Some(y);
        }
    }
    None
}

/// Places of one unknown where F changes its sign or is nearer to zero than around.
fn changes_of_sign(equations: &mut Equations) -> Vec<f64> {
    let mut grid = vec![0.0];
    for k in -96..=112 {
        let far = 10f64.powf(f64::from(k) / 16.0);
        grid.extend([far, -far]);
    }
    let (start, scale) = (equations.start[0], equations.scale[0]);
    for k in -200..=200 {
        let part = f64::from(k) / 50.0;
        grid.extend([start + part * scale, 2.5 * part, 25.0 * part]);
    }
    grid.sort_by(f64::total_cmp);
    grid.dedup();
    let values: Vec<f64> = grid.iter().map(|&y| equations.at(&[y])[0]).collect();
    let mut found = Vec::new();
    for k in 1..grid.len() {
        let ([mut low, mut high], below) = ([grid[k - 1], grid[k]], values[k - 1]);
        if below * values[k] < 0.0 {
            for _ in 0..40 {
                let middle = 0.5 * (low + high);
                match equations.at(&[middle])[0] * below > 0.0 {
                    true => low = middle,
                    false => high = middle,
                }
            }
            found.push(0.5 * (low + high));
        }
        let least = k + 1 < grid.len() && values[k].abs() < below.abs() && values[k].abs() <= values[k + 1].abs();
        if least || values[k] == 0.0 {
            found.push(grid[k]);
        }
    }
    found
}

/// Places to begin, guesses and the start of the model first. Takes the usual sizes from a simulation.
pub(super) fn starts(compiled: &Compiled, equations: &mut Equations, guesses: Vec<Vec<f64>>, t: f64) -> Vec<Vec<f64>> {
    let (start, held) = (equations.start.clone(), equations.held.clone());
    let span = compiled.run.map_or(10.0, |(from, to)| to - from);
    let piece = simulate(compiled, &methods::automatic(), (t, &start, &held), span, 101);
    equations.set_scale(sizes(&piece, &start));
    let mut starts = guesses;
    starts.push(start.clone());
    starts.extend(piece.y.last().filter(|_| piece.stopped.is_none()).cloned());
    let many = match start.len() {
        0..=3 => 24,
        4..=10 => 16,
        11..=50 => 4,
        _ => 0,
    };
    let (centre, origin) = (starts[0].clone(), vec![0.0; start.len()]);
    for factor in [1.0, 4.0, 0.25] {
        let widths: Vec<f64> = equations.scale.iter().map(|scale| factor * scale).collect();
        starts.extend(halton(many, &centre, &widths));
    }
    // Most models have their origin somewhere near.
    starts.extend(halton(many, &origin, &equations.scale));
    for width in WIDTHS {
        starts.extend(halton(many / 2, &origin, &vec![width; start.len()]));
    }
    starts
}

/// The usual size of each state. Of a simulation that ended early it is not known: it may have run away.
fn sizes(piece: &Piece, start: &[f64]) -> Vec<f64> {
    const MOST: f64 = 1e4;
    let size = |k: usize| {
        let seen = !piece.y.is_empty() && piece.stopped.is_none();
        let (low, high) = if seen { piece.range(k, 0) } else { (start[k], start[k]) };
        let size = (high - low).max(low.abs()).max(high.abs()).min(MOST * start[k].abs().max(1.0));
        if size.is_finite() && size > 1e-12 { size } else { 1.0 }
    };
    (0..start.len()).map(size).collect()
}
