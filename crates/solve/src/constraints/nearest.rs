//! The nearest point at which equations hold: of all values of some unknowns u that fulfil them the ones that differ least from u₀,
//! each in its own unit.
//!
//! ```text
//!   min ½ (u − u₀)ᵀ C (u − u₀),   e(u) = 0:
//!
//!   ⎡ H  Gᵀ ⎤ ⎡ Δ ⎤     ⎡ C (u − u₀) ⎤
//!   ⎣ G  0  ⎦ ⎣ λ ⎦ = − ⎣    e(u)    ⎦      H = C + Σ λ ∂²e/∂u²,   G = ∂e/∂u, each row of length one
//! ```
//!
//! C is one for what counts, and zero for what may be anything. Sequential quadratic programming, J. Nocedal, S. Wright, Numerical
//! Optimization, 2006, chapter 18: a step goes as far as it makes ½ (u − u₀)ᵀ C (u − u₀) + ν Σ |e| smaller. Tolerances have no
//! part in it, so what is found does not depend on them.
//!
//! The derivatives V of the nearest point are found the same way. Those of the equations above are what makes
//! (u − u₀)ᵀ (V − V₀) stationary, e(u) and its derivative being zero: u counts together with V, and nothing by itself.

use super::equations::Equations;
use super::least_squares::LeastSquares;
use super::newton::Unknowns;

/// Steps.
const MOST: usize = 60;
/// How often a step is halved.
const HALVED: i32 = 30;
/// Steps of this part of the unknowns are not measured any more: what they gain is lost in rounding.
const SMALL: f64 = 1e-6;
/// Linear equations need no second derivatives: two steps are enough.
const STRAIGHT: usize = 2;
/// The distance over which derivatives are differentiated, as a part of the unknowns: the cube root of rounding.
const APART: f64 = 6e-6;
/// Matrices with more elements are not decomposed.
const LARGEST: usize = 4_000_000;

/// What is sought.
pub(super) struct Goal<'a> {
    /// The equations.
    pub rows: &'a [usize],
    /// The unknown states, and what each should be.
    pub states: Vec<usize>,
    pub wanted: Vec<f64>,
    /// The elements of C that are one, as places among the unknowns, the first not above the second.
    pub counts: Vec<(usize, usize)>,
    /// Whether there is a distance to be made smaller, not only stationary.
    pub is_distance: bool,
}

/// e and G at a point, each row of G of length one.
struct Here {
    e: Vec<f64>,
    g: Vec<f64>,
    lengths: Vec<f64>,
}

struct Search<'a, 'b> {
    equations: &'a mut Equations<'b>,
    unknowns: Unknowns,
    goal: &'a Goal<'a>,
}

/// Changes the unknowns in y until the equations hold. Where they cannot, or not from here, y is where the search ended.
pub(super) fn find(equations: &mut Equations, goal: &Goal, y: &mut [f64]) {
    let (n, rows) = (goal.states.len(), goal.rows.len());
    if n == 0 || rows == 0 || (n + rows).pow(2) > LARGEST {
        return;
    }
    let unknowns = Unknowns::chosen(equations, goal.states.clone(), goal.rows.to_vec(), y.len());
    Search { equations, unknowns, goal }.run(y);
}

impl Search<'_, '_> {
    fn run(&mut self, y: &mut [f64]) {
        let mut multipliers = vec![0.0; self.goal.rows.len()];
        let mut last = f64::INFINITY;
        for step in 0..MOST {
            let Some(here) = self.look(y) else { return };
            let straight = self.counting();
            let bent = (step >= STRAIGHT).then(|| self.bent(y, &here, &multipliers)).flatten();
            let tried = bent.iter().chain([&straight]).find_map(|h| self.advance(h, &here, y, &mut last));
            match tried {
                Some(found) => multipliers = found,
                None => return,
            }
        }
    }

    /// One step with this H; returns λ unless it leads no further.
    fn advance(&mut self, h: &[f64], here: &Here, y: &mut [f64], last: &mut f64) -> Option<Vec<f64>> {
        let (change, multipliers) = self.step(h, here, y);
        let (length, size) = (largest(&change), self.size(y));
        let ends = length > 0.5 * *last || length <= 4.0 * f64::EPSILON * size;
        if !length.is_finite() || (ends && length <= SMALL * size) {
            return None;
        }
        if length <= SMALL * size || !self.goal.is_distance {
            *last = length;
            self.go(y, &change, 1.0);
            return Some(multipliers);
        }
        self.descend(y, here, &change, &multipliers).then_some(multipliers)
    }

    fn look(&mut self, y: &[f64]) -> Option<Here> {
        let mut r = vec![0.0; self.equations.count];
        if !(self.equations.residuals(y, &mut r) && self.equations.derivatives(y)) {
            return None;
        }
        let (mut g, rows) = (self.derivatives(), self.goal.rows.len());
        let length = |i: usize| {
            let length = g.iter().skip(i).step_by(rows).map(|g| g * g).sum::<f64>().sqrt();
            if length > 0.0 { length } else { 1.0 }
        };
        let lengths: Vec<f64> = (0..rows).map(length).collect();
        g.iter_mut().enumerate().for_each(|(place, g)| *g /= lengths[place % rows]);
        let e = self.goal.rows.iter().zip(&lengths).map(|(&row, length)| r[row] / length).collect();
        Some(Here { e, g, lengths })
    }

    /// The derivatives of the equations by the unknowns, by columns, where they were evaluated last.
    fn derivatives(&self) -> Vec<f64> {
        let rows = self.goal.rows.len();
        let mut g = vec![0.0; rows * self.goal.states.len()];
        let elements = self.unknowns.elements(self.equations);
        elements.for_each(|(i, j, value)| g[j as usize * rows + i as usize] += value);
        g
    }

    /// What counts as the size of the unknowns.
    fn size(&self, y: &[f64]) -> f64 {
        let now = self.goal.states.iter().map(|&state| y[state].abs());
        let size = now.chain(self.goal.wanted.iter().map(|wanted| wanted.abs())).fold(0.0, f64::max);
        if size > 0.0 { size } else { 1.0 }
    }

    /// C, which is H where the equations are straight.
    fn counting(&self) -> Vec<f64> {
        let n = self.goal.states.len();
        let mut c = vec![0.0; n * n];
        self.goal.counts.iter().for_each(|&(i, j)| (c[i * n + j], c[j * n + i]) = (1.0, 1.0));
        c
    }

    /// C (u − u₀)
    fn slope(&self, y: &[f64]) -> Vec<f64> {
        let mut slope = vec![0.0; self.goal.states.len()];
        for &(i, j) in &self.goal.counts {
            slope[i] = self.off(y, j);
            slope[j] = self.off(y, i);
        }
        slope
    }

    fn off(&self, y: &[f64], k: usize) -> f64 {
        y[self.goal.states[k]] - self.goal.wanted[k]
    }

    /// H, the second derivatives from differences of the first.
    fn bent(&mut self, y: &[f64], here: &Here, multipliers: &[f64]) -> Option<Vec<f64>> {
        let (n, rows) = (self.goal.states.len(), multipliers.len());
        let (mut h, apart) = (self.counting(), APART * self.size(y));
        let mut beside = y.to_vec();
        for j in 0..n {
            let state = self.goal.states[j];
            for sign in [1.0, -1.0] {
                beside[state] = y[state] + sign * apart;
                if !self.equations.derivatives(&beside) {
                    return None;
                }
                for (k, column) in self.derivatives().chunks_exact(rows).enumerate() {
                    let sum: f64 = (0..rows).map(|i| multipliers[i] * column[i] / here.lengths[i]).sum();
                    // half to each of two places, so that it is symmetric
                    h[j * n + k] += sign * sum / (4.0 * apart);
                    h[k * n + j] += sign * sum / (4.0 * apart);
                }
            }
            beside[state] = y[state];
        }
        Some(h)
    }

    /// Δ and λ for this H.
    fn step(&mut self, h: &[f64], here: &Here, y: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (n, rows) = (self.goal.states.len(), here.e.len());
        let all = n + rows;
        let mut a = vec![0.0; all * all];
        for j in 0..n {
            a[j * all..j * all + n].copy_from_slice(&h[j * n..(j + 1) * n]);
            a[j * all + n..(j + 1) * all].copy_from_slice(&here.g[j * rows..(j + 1) * rows]);
            (0..rows).for_each(|i| a[(n + i) * all + j] = here.g[j * rows + i]);
        }
        let b: Vec<f64> = self.slope(y).iter().chain(&here.e).map(|b| -b).collect();
        let work = &mut self.equations.work;
        (work.lu, work.newton) = (work.lu + 1, work.newton + 1);
        let mut change = LeastSquares::new(all, all, a).solve(&b);
        let multipliers = change.split_off(n);
        (change, multipliers)
    }

    fn go(&self, y: &mut [f64], change: &[f64], part: f64) {
        self.goal.states.iter().zip(change).for_each(|(&state, change)| y[state] += part * change);
    }

    /// Goes so far along a change that the distance and what is violated fall together; returns whether they do.
    fn descend(&mut self, y: &mut [f64], here: &Here, change: &[f64], multipliers: &[f64]) -> bool {
        let price = 2.0 * largest(multipliers) + self.size(y);
        let sum = |search: &Self, y: &[f64], e: &[f64]| {
            let distance: f64 = search.goal.counts.iter().map(|&(i, j)| search.off(y, i) * search.off(y, j)).sum();
            0.5 * distance + price * e.iter().map(|e| e.abs()).sum::<f64>()
        };
        let before = sum(self, y, &here.e);
        let mut r = vec![0.0; self.equations.count];
        for halved in 0..HALVED {
            let mut trial = y.to_vec();
            self.go(&mut trial, change, 0.5f64.powi(halved));
            if !self.equations.residuals(&trial, &mut r) {
                continue;
            }
            let e: Vec<f64> = self.goal.rows.iter().zip(&here.lengths).map(|(&row, length)| r[row] / length).collect();
            if sum(self, &trial, &e) < before {
                y.copy_from_slice(&trial);
                return true;
            }
        }
        false
    }
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most: f64, x| if x.abs() <= most { most } else { x.abs() })
}
