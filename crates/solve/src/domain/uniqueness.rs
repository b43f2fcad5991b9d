//! Points where f is finite and ∂f/∂y is not: the level of an empty tank, h′ = q − √h with h = 0.
//!
//! Such a point is harmless where one solution leads away from it, and nothing may choose for the user where there are several,
//! as of x′ = √x with x = 0. There is one only (E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I,
//! I.10) if
//!
//! ```text
//!   the solution leaves the point at once, and ‖∂f/∂y‖ along it grows like s^(−α), α < 1, for the time s → 0:
//!       the Lipschitz constant has a finite integral;
//!   or two neighbours do not part faster than e^(Ls), however near they are:
//!       there are weights v > 0 with  (L I − C) v > 0,   Cⱼⱼ = ∂fⱼ/∂yⱼ,   Cᵢⱼ = |∂fᵢ/∂yⱼ|
//! ```
//!
//! with an L that stays when the point is approached. Both are looked at in a few places, each column of ∂f/∂y by the first one
//! if that holds.

use std::sync::Arc;

use crate::{Point, System};
use ordinate_linalg::{Lu, Pattern};

/// Distances from the point, from one tolerance on, each by this factor smaller than the one before.
const PLACES: i32 = 5;
const NEARER: f64 = 0.125;
/// α may be as large as this.
const INTEGRABLE: f64 = 0.95;
/// The smallest part of ‖C‖ by which L can be told from zero.
const RESOLVED: f64 = 1.0 / (1 << 20) as f64;

/// Whether one solution only leads away from the point, as far as can be seen; `tolerance` is that of each state there.
pub(crate) fn is_left_by_one_solution(system: &mut dyn System, from: &Point, tolerance: &[f64]) -> bool {
    if system.layout().algebraic > 0 {
        return false;
    }
    let Some(own) = system.jacobian_pattern() else { return false };
    let n = from.y.len();
    let mut f = vec![0.0; n];
    system.derivative(from.t, from.y, from.d, &mut f);
    if f.iter().any(|f| !f.is_finite()) {
        return false;
    }
    let scale = (0..n).map(|i| tolerance[i].max(f64::EPSILON * from.y[i].abs())).collect();
    let values = vec![0.0; own.len()];
    let mut look = TestValues { system, d: from.d, matrix: own.with_diagonal(), own, scale, values };
    look.evaluate(from.t, from.y);
    let singular = look.not_finite();
    // The time in which the first component moves by its tolerance.
    let times = f.iter().zip(&look.scale).filter(|(f, _)| **f != 0.0).map(|(f, scale)| scale / f.abs());
    let ahead = times.fold(f64::INFINITY, f64::min);
    let ahead = if ahead.is_finite() { ahead } else { 0.0 };
    let along = |s: f64| -> (f64, Vec<f64>) { (from.t + s, from.y.iter().zip(&f).map(|(y, f)| y + s * f).collect()) };
    let Some(stays) = look.not_left(&singular, ahead, along) else { return false };
    let (t, y) = if ahead > 0.0 { along(ahead) } else { (from.t, from.y.to_vec()) };
    !stays.contains(&true) || look.neighbours_stay_together(&stays, t, &y)
}

/// ∂f/∂y in places beside the point.
struct TestValues<'a> {
    system: &'a mut dyn System,
    d: &'a [f64],
    own: Arc<Pattern>,
    /// The same with the diagonal.
    matrix: Pattern,
    scale: Vec<f64>,
    values: Vec<f64>,
}

impl TestValues<'_> {
    fn evaluate(&mut self, t: f64, y: &[f64]) {
        self.system.jacobian(t, y, self.d, &mut self.values);
    }

    /// Which columns have elements that are not finite.
    fn not_finite(&self) -> Vec<bool> {
        let mut columns = vec![false; self.own.n];
        for (&j, value) in self.own.columns.iter().zip(&self.values) {
            columns[j as usize] |= !value.is_finite();
        }
        columns
    }

    /// Which of the singular columns stay so along the solution; `None` if another one grows too fast towards the point.
    fn not_left(&mut self, singular: &[bool], ahead: f64, along: impl Fn(f64) -> (f64, Vec<f64>)) -> Option<Vec<bool>> {
        let mut stays = singular.to_vec();
        if ahead == 0.0 {
            return Some(stays);
        }
        stays.fill(false);
        let mut sizes: Vec<Vec<f64>> = Vec::new();
        for k in 0..PLACES {
            let (t, y) = along(ahead * NEARER.powi(k));
            self.evaluate(t, &y);
            let mut largest = vec![0.0f64; self.own.n];
            for (&j, value) in self.own.columns.iter().zip(&self.values) {
                largest[j as usize] = largest[j as usize].max(value.abs());
                stays[j as usize] |= !value.is_finite();
            }
            sizes.push(largest);
        }
        let most = NEARER.powf(-INTEGRABLE);
        let grows = |j: usize| sizes.windows(2).any(|pair| pair[1][j] > most * pair[0][j]);
        (0..self.own.n).all(|j| !singular[j] || stays[j] || !grows(j)).then_some(stays)
    }

    /// Whether the solutions beside the point, which differ from it in the components that `stays` names, do not part from it
    /// faster than exponentially.
    fn neighbours_stay_together(&mut self, stays: &[bool], t: f64, y: &[f64]) -> bool {
        let mut beside = y.to_vec();
        let mut signs = vec![0.0; y.len()];
        for j in (0..y.len()).filter(|&j| stays[j]) {
            // The other side may be outside of the domain of f.
            let side = [1.0, -1.0].into_iter().find(|side| {
                beside[j] = y[j] + side * self.scale[j] * NEARER.powi(2);
                self.evaluate(t, &beside);
                !self.not_finite()[j]
            });
            beside[j] = y[j];
            match side {
                Some(side) => signs[j] = side,
                None => return false,
            }
        }
        let mut matrices = Vec::new();
        // Nearer than the solution has gone until here, so that its own differences stay what they are.
        for k in 2..2 + PLACES {
            for (j, sign) in signs.iter().enumerate() {
                // Not all by the same part: what is singular may be a difference of two of them.
                let part = 1.0 + (0.618 * j as f64).fract();
                beside[j] = y[j] + sign * part * self.scale[j] * NEARER.powi(k);
            }
            self.evaluate(t, &beside);
            if self.not_finite().contains(&true) {
                return false;
            }
            matrices.push(self.values.clone());
        }
        let (first, last) = (&matrices[0], &matrices[matrices.len() - 1]);
        let falls = |j: usize| match self.own.place(j, j) {
            Some(k) => last[k] - first[k] <= 1e-12 * first[k].abs(),
            None => true,
        };
        if !(0..y.len()).all(|j| !stays[j] || falls(j)) {
            return false;
        }
        let size = |values: &[f64]| values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        if size(last) == 0.0 {
            return true;
        }
        let mut lu = Lu::new(&self.matrix);
        let mut rate = RESOLVED * size(first).max(size(last));
        while !self.is_bounded(&mut lu, first, rate) {
            rate *= 2.0;
            if !rate.is_finite() {
                return false;
            }
        }
        self.is_bounded(&mut lu, last, 2.0 * rate)
    }

    /// Whether there are weights v > 0 with (L I − C) v > 0: if any, then the ones for which it is 1 everywhere, for the inverse
    /// of such a matrix has no negative elements (A. Berman, R. J. Plemmons, Nonnegative Matrices in the Mathematical Sciences,
    /// chapter 6).
    fn is_bounded(&self, lu: &mut Lu<f64>, values: &[f64], rate: f64) -> bool {
        let mut matrix = vec![0.0; self.matrix.len()];
        for ((i, j), value) in self.own.elements().zip(values) {
            let place =
                self.matrix.place(i as usize, j as usize).expect("the pattern with the diagonal has all elements");
            matrix[place] = if i == j { -value } else { -value.abs() };
        }
        for i in 0..self.own.n {
            matrix[self.matrix.place(i, i).expect("the pattern has the diagonal")] += rate;
        }
        let mut weights = vec![1.0; self.own.n];
        if lu.factor(&matrix).is_err() {
            return false;
        }
        lu.solve(&mut weights);
        weights.iter().all(|weight| *weight > 0.0 && weight.is_finite())
    }
}
