//! The equations of an equilibrium, F(y) = (f, g, invariants) = 0, solved by damped Gauss–Newton steps, and their linearisation.

use crate::Compiled;
use crate::rates::{all_slopes, all_values, eigenvalues_of};
use crate::transform::modes;
use ordinate_control::Matrix;
use ordinate_linalg::{Lu, Pattern};
use ordinate_program::Evaluator;
use ordinate_solve::{Layout, SwitchKind, System};

/// f = 0 at a fixed time, with the algebraic equations and what the solution keeps at zero.
pub(super) struct Equations {
    evaluator: Evaluator,
    layout: Layout,
    t: f64,
    pub start: Vec<f64>,
    pub held: Vec<f64>,
    /// The usual size of each state.
    pub scale: Vec<f64>,
    /// How much usual changes of the states change each equation at the start.
    usual: Vec<f64>,
}

/// A solution.
#[derive(Clone, Debug)]
pub(super) struct Rest {
    pub y: Vec<f64>,
    pub residual: f64,
    /// Whether it is badly determined: F changes at second order only in some direction.
    pub blurred: bool,
    /// Points that F cannot tell from it, on both sides.
    pub neighbours: [Vec<f64>; 2],
    d: Vec<f64>,
}

const MOST: usize = 200;
/// The iteration ends when its change is below this part of the usual size.
const SETTLED: f64 = 1e-13;
/// What is left of an equation, in units of what a usual change of the states changes it by, where it holds.
const HOLDS: f64 = 1e-11;
/// Singular values below this part of the largest are zero.
const RANK: f64 = 1e-9;
/// The same where a solution is badly determined, at least as far as it can be found.
const BLURRED: f64 = 1e-4;
/// What is smaller than this part of its usual size may be zero.
const TINY: f64 = 1e-12;

impl Equations {
    pub fn new(compiled: &Compiled, t: f64) -> Equations {
        let mut evaluator = compiled.evaluator();
        // Compiles the Jacobian.
        let _ = evaluator.jacobian_pattern();
        let values = evaluator.starts(t);
        let layout = compiled.program.layout.clone();
        let start = values[..layout.states].to_vec();
        let held = values[layout.states..layout.states + layout.held].to_vec();
        Equations { evaluator, t, scale: vec![1.0; start.len()], usual: Vec::new(), start, held, layout }
    }

    /// Takes the usual sizes of the states.
    pub fn set_scale(&mut self, scale: Vec<f64>) {
        self.scale = scale;
        let start = self.start.clone();
        let d = self.modes(&start);
        let jacobian = self.jacobian(&start, &d);
        self.usual = Vec::new();
        self.usual = self.row_sizes(&jacobian);
    }

    fn rows(&self) -> usize {
        self.layout.states + self.layout.invariants
    }

    /// F; the modes of the switches are those of the point.
    fn values(&mut self, y: &[f64], d: &[f64]) -> Vec<f64> {
        all_values(&mut self.evaluator, self.t, y, d)
    }

    fn modes(&mut self, y: &[f64]) -> Vec<f64> {
        modes(&mut self.evaluator, self.t, y, &self.held, 0.0)
    }

    /// ∂F/∂y by rows.
    fn jacobian(&mut self, y: &[f64], d: &[f64]) -> Vec<f64> {
        all_slopes(&mut self.evaluator, self.t, y, d)
    }

    /// How much a usual change of the states changes each equation; near a singularity, where everything changes much, as much
    /// as at the start.
    fn row_sizes(&self, jacobian: &[f64]) -> Vec<f64> {
        let n = self.scale.len();
        let size = |row: &[f64]| row.iter().zip(&self.scale).map(|(a, scale)| (a * scale).abs()).sum::<f64>();
        let mut sizes: Vec<f64> = jacobian.chunks(n).map(|row| size(row).max(1e-300)).collect();
        for (size, usual) in
            sizes.iter_mut().zip(&self.usual).filter(|(_, usual)| usual.is_finite() && **usual > 1e-300)
        {
            *size = size.min(*usual);
        }
        sizes
    }

    /// K. Levenberg, Quart. Appl. Math. 2 (1944) 164–168, in usual sizes, with a damping that vanishes with what is left, so
    /// that it converges as fast as Newton's method, and to a point of a line of solutions, too. The error is the smallest rest.
    ///
    /// ```text
    ///   (JᵀJ + λI) Δ = −JᵀF
    /// ```
    ///
    /// Where the equations determine the states very unequally, as on a fine grid, the length of F says little about the distance
    /// to a solution; then Newton's method is damped by what is left in the states.
    pub fn solve(&mut self, start: &[f64]) -> Result<Rest, f64> {
        self.least_squares(start).or_else(|best| match self.by_states(start) {
            Some(y) => self.accept(y, best),
            None => Err(best),
        })
    }

    /// Newton's method damped so that the next change with the same Jacobian becomes shorter, which does not depend on how the
    /// equations are written: P. Deuflhard, Newton Methods for Nonlinear Problems, Springer 2004, section 3.3.
    ///
    /// ```text
    ///   J Δ = −F(y),   J Δ̄ = −F(y + s Δ),   ‖Δ̄‖ ≤ (1 − s/4) ‖Δ‖
    /// ```
    fn by_states(&mut self, start: &[f64]) -> Option<Vec<f64>> {
        const MOST: usize = 50;
        const SHORTEST: f64 = 1e-4;
        // the square of that is rounding
        const NEXT_SETTLED: f64 = 1e-9;
        let n = start.len();
        if self.rows() != n {
            return None;
        }
        let mut lu: Lu<f64> = Lu::new(&Pattern::dense(n));
        let (mut y, mut part, mut scale) = (start.to_vec(), 1.0, Vec::new());
        for _ in 0..MOST {
            if self.is_refused() {
                return None;
            }
            let d = self.modes(&y);
            lu.factor(&self.jacobian(&y, &d)).ok()?;
            let mut change = self.values(&y, &d);
            lu.solve(&mut change);
            if scale.is_empty() {
                // what happens to be near zero at the start is as large as it becomes
                scale = change.iter().zip(&self.scale).map(|(change, scale)| change.abs().max(*scale)).collect();
            }
            let length = norm(&change, &scale);
            if !length.is_finite() {
                return None;
            }
            loop {
                let next: Vec<f64> = y.iter().zip(&change).map(|(y, change)| y - part * change).collect();
                let mut left = self.at(&next);
                lu.solve(&mut left);
                if norm(&left, &scale) <= (1.0 - 0.25 * part) * length || length <= SETTLED {
                    y = next;
                    break;
                }
                part *= 0.5;
                if part < SHORTEST {
                    return None;
                }
            }
            if part == 1.0 && length <= NEXT_SETTLED {
                return Some(y);
            }
            part = (2.0 * part).min(1.0);
        }
        None
    }

    fn least_squares(&mut self, start: &[f64]) -> Result<Rest, f64> {
        let n = start.len();
        let mut y = start.to_vec();
        let mut damping = 1e-3;
        let (mut best, mut last) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..MOST {
            if self.is_refused() {
                return Err(best);
            }
            let d = self.modes(&y);
            let (values, jacobian) = (self.values(&y, &d), self.jacobian(&y, &d));
            let sizes = self.row_sizes(&jacobian);
            let rest = norm(&values, &sizes);
            best = best.min(largest(&values));
            if !rest.is_finite() {
                return Err(best);
            }
            let Some(change) = self.change(&jacobian, &values, &sizes, damping * rest.min(1.0)) else {
                damping = (10.0 * damping).max(1e-12);
                continue;
            };
            let next: Vec<f64> = (0..n).map(|k| y[k] + change[k] * self.scale[k]).collect();
            let next_d = self.modes(&next);
            let next_rest = norm(&self.values(&next, &next_d), &sizes);
            let moved = change.iter().fold(0.0, |most: f64, change| most.max(change.abs()));
            let better = next_rest < rest || rest == 0.0;
            if better || (rest <= HOLDS && next_rest <= 2.0 * rest) {
                y = next;
                damping *= 0.1;
            } else {
                damping = (10.0 * damping).max(1e-12);
                if damping > 1e12 {
                    return self.accept(y, best);
                }
            }
            let stalled = rest <= HOLDS && moved >= 0.5 * last;
            if rest == 0.0 || (moved <= SETTLED && rest <= HOLDS) || stalled {
                return self.accept(y, best);
            }
            last = moved;
        }
        self.accept(y, best)
    }

    fn accept(&mut self, y: Vec<f64>, best: f64) -> Result<Rest, f64> {
        let mut y = self.beyond(y);
        // What is nearly zero is zero, if that fulfils the equations as well; a double solution is found to half of the digits.
        for tiny in [BLURRED, TINY] {
            let near = |(y, scale): (&f64, &f64)| if y.abs() < tiny * scale { 0.0 } else { *y };
            let clean: Vec<f64> = y.iter().zip(&self.scale).map(near).collect();
            if largest(&self.at(&clean)) <= largest(&self.at(&y)) {
                y = clean;
            }
        }
        let d = self.modes(&y);
        let (values, jacobian) = (self.values(&y, &d), self.jacobian(&y, &d));
        let sizes = self.row_sizes(&jacobian);
        let far = (0..y.len()).any(|k| y[k].abs() > 1e8 * self.scale[k].max(1.0));
        if far || !self.is_settled(&y, &jacobian, &values, &sizes) {
            return Err(best);
        }
        let noise = self.noise(&y);
        // Not more than rounding makes of it, if it does not hold better.
        let left: Vec<f64> = values.iter().zip(&noise).map(|(value, noise)| (value.abs() - noise).max(0.0)).collect();
        if norm(&left, &sizes).partial_cmp(&HOLDS) != Some(std::cmp::Ordering::Less) {
            return Err(best);
        }
        let residual = largest(&values);
        let level: Vec<f64> = values.iter().zip(&noise).map(|(value, noise)| 4.0 * value.abs().max(*noise)).collect();
        let neighbours = self.neighbours(&y, &jacobian, &sizes, &level);
        let mut rest = Rest { y, residual, blurred: false, neighbours, d };
        let wide = rest.neighbours.iter().any(|other| self.distance(other, &rest.y) > 1e-9);
        rest.blurred = wide || !self.flat_directions(&rest, BLURRED).is_empty();
        Ok(rest)
    }

    /// F, with the modes of the point.
    pub fn at(&mut self, y: &[f64]) -> Vec<f64> {
        let d = self.modes(y);
        self.values(y, &d)
    }

    /// To a solution of multiplicity m Newton's method goes the m-th part of its way with every step; m steps at once lead
    /// there: E. Schröder, Math. Ann. 2 (1870) 317–365.
    fn beyond(&mut self, y: Vec<f64>) -> Vec<f64> {
        let Some(change) = self.step(&y).filter(|change| change.iter().all(|part| part.abs() < 1e-3)) else { return y };
        let left = largest(&self.at(&y));
        for multiplicity in [2.0, 3.0, 4.0] {
            let other: Vec<f64> = y
                .iter()
                .zip(&change)
                .zip(&self.scale)
                .map(|((y, part), scale)| y + multiplicity * part * scale)
                .collect();
            if largest(&self.at(&other)) < 0.01 * left {
                return other;
            }
        }
        y
    }

    /// Whether the end of the search was wished.
    fn is_refused(&mut self) -> bool {
        self.evaluator.refusal().is_some()
    }

    /// Newton's step in usual sizes.
    pub fn step(&mut self, y: &[f64]) -> Option<Vec<f64>> {
        if self.is_refused() {
            return None;
        }
        let d = self.modes(y);
        let (values, jacobian) = (self.values(y, &d), self.jacobian(y, &d));
        let sizes = self.row_sizes(&jacobian);
        self.change(&jacobian, &values, &sizes, 0.0)
    }

    /// What rounding makes of F: its differences from F at states that differ in their last places.
    fn noise(&mut self, y: &[f64]) -> Vec<f64> {
        let here = self.at(y);
        let mut noise = vec![0.0; here.len()];
        for k in 1..=4i32 {
            for sign in [1.0, -1.0] {
                let moved = |(i, y): (usize, &f64)| {
                    let sign = if (i as i32 / k) % 2 == 0 { sign } else { -sign };
                    y * (1.0 + sign * f64::from(k) * f64::EPSILON)
                };
                let other: Vec<f64> = y.iter().enumerate().map(moved).collect();
                let values = self.at(&other);
                for ((noise, value), here) in noise.iter_mut().zip(&values).zip(&here) {
                    *noise = (value - here).abs().max(*noise);
                }
            }
        }
        noise
    }

    /// The farthest points on both sides, in the direction that F determines worst, at which it is not above a level.
    fn neighbours(&mut self, y: &[f64], jacobian: &[f64], sizes: &[f64], level: &[f64]) -> [Vec<f64>; 2] {
        let mut basis = orthonormal(self.scaled_rows(jacobian, sizes), 0.0);
        basis.truncate(y.len().saturating_sub(1));
        let direction = complement(basis, y.len()).swap_remove(0);
        [1.0, -1.0].map(|sign| {
            let place = |far: f64, scale: &[f64]| -> Vec<f64> {
                y.iter().zip(&direction).zip(scale).map(|((y, part), scale)| y + sign * far * part * scale).collect()
            };
            let (mut far, mut last) = (1e-15, y.to_vec());
            while far < 0.1 {
                let next = place(far, &self.scale);
                let values = self.at(&next);
                if !values.iter().zip(level).all(|(value, level)| value.abs() <= *level) {
                    break;
                }
                (far, last) = (1.25 * far, next);
            }
            last
        })
    }

    /// Whether another step would leave every state where it is, compared with its own size: towards a singularity at zero the
    /// equations may hold better and better without a solution there.
    fn is_settled(&self, y: &[f64], jacobian: &[f64], values: &[f64], sizes: &[f64]) -> bool {
        // Along a line of solutions nothing is determined, and a little damping keeps rounding from moving the point.
        let Some(change) = self.change(jacobian, values, sizes, 1e-10) else { return false };
        let unit = |k: usize| (y[k].abs() / self.scale[k]).max(TINY);
        (0..y.len()).all(|k| change[k].abs() <= 1e-3 * unit(k))
    }

    /// The damped change in usual sizes.
    fn change(&self, jacobian: &[f64], values: &[f64], sizes: &[f64], damping: f64) -> Option<Vec<f64>> {
        let n = self.scale.len();
        let (mut matrix, mut right) = (vec![0.0; n * n], vec![0.0; n]);
        for ((row, value), size) in jacobian.chunks(n).zip(values).zip(sizes) {
            let scaled: Vec<f64> = row.iter().zip(&self.scale).map(|(a, scale)| a * scale / size).collect();
            for i in (0..n).filter(|&i| scaled[i] != 0.0) {
                right[i] -= scaled[i] * value / size;
                for j in 0..n {
                    matrix[i * n + j] += scaled[i] * scaled[j];
                }
            }
        }
        (0..n).for_each(|i| matrix[i * n + i] += damping.max(1e-15));
        let mut lu: Lu<f64> = Lu::new(&Pattern::dense(n));
        lu.factor(&matrix).ok()?;
        lu.solve(&mut right);
        right.iter().all(|change| change.is_finite()).then_some(right)
    }

    /// The distance of two points in usual sizes.
    pub fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let part = |k: usize| (a[k] - b[k]).abs() / self.scale[k];
        (0..a.len()).map(part).fold(0.0, f64::max)
    }

    /// The dimension of the set of equilibria around this one; 0 if it is alone. A direction in which F does not change is
    /// followed: it leads to other points, or F changes at second order only.
    pub fn family(&mut self, rest: &Rest) -> usize {
        const FAR: f64 = 1e-2;
        let directions = self.flat_directions(rest, RANK);
        let mut dimension = 0;
        for direction in directions {
            let moved: Vec<f64> =
                (0..direction.len()).map(|k| rest.y[k] + FAR * direction[k] * self.scale[k]).collect();
            let other = self.solve(&moved);
            let stays = |other: &Rest| self.distance(&other.y, &rest.y) > 0.3 * FAR;
            dimension += usize::from(other.is_ok_and(|other| stays(&other)));
        }
        dimension
    }

    /// Orthonormal directions, in usual sizes, that ∂F/∂y maps to zero.
    fn flat_directions(&mut self, rest: &Rest, rank: f64) -> Vec<Vec<f64>> {
        let n = rest.y.len();
        let jacobian = self.jacobian(&rest.y, &rest.d);
        let sizes = self.row_sizes(&jacobian);
        complement(orthonormal(self.scaled_rows(&jacobian, &sizes), rank), n)
    }

    fn scaled_rows(&self, jacobian: &[f64], sizes: &[f64]) -> Vec<Vec<f64>> {
        let rows = jacobian.chunks(self.scale.len()).zip(sizes);
        rows.map(|(row, size)| row.iter().zip(&self.scale).map(|(a, scale)| a * scale / size).collect()).collect()
    }

    /// Whether an equation holds only because its value is too small for a number, as e^(−x) is at x = 750: on the way there from
    /// the start it vanishes below all usual numbers, whereas at the edge of a true plateau it grows from rounding.
    pub fn is_underflow(&mut self, rest: &Rest) -> bool {
        const TINIEST: f64 = 1e-290;
        const HALVINGS: usize = 40;
        let n = rest.y.len();
        let (start, values) = (self.start.clone(), self.values(&rest.y, &rest.d));
        let jacobian = self.jacobian(&rest.y, &rest.d);
        let first = self.at(&start);
        let flat = |row: usize| values[row] == 0.0 && jacobian[row * n..(row + 1) * n].iter().all(|a| *a == 0.0);
        (0..values.len()).filter(|&row| flat(row)).any(|row| {
            let (mut near, mut far, mut last) = (0.0, 1.0, first[row]);
            for _ in 0..HALVINGS {
                let part = 0.5 * (near + far);
                let between: Vec<f64> = start.iter().zip(&rest.y).map(|(a, b)| a + part * (b - a)).collect();
                match self.at(&between)[row] {
                    0.0 => far = part,
                    value => (near, last) = (part, value),
                }
            }
            last != 0.0 && last.abs() < TINIEST
        })
    }

    /// Whether F is linear in the states, so that there is one equilibrium or a line or surface of them.
    pub fn is_linear(&mut self) -> bool {
        let start = self.start.clone();
        let d = self.modes(&start);
        self.layout.switches.iter().all(|switch| switch.of_time) && self.evaluator.linear(self.t, &d).is_some()
    }

    /// How far the eigenvalues may be from the computed ones, because the point is known only as well as F tells it from its
    /// neighbours.
    pub fn doubt(&mut self, rest: &Rest, eigenvalues: &[(f64, f64)]) -> f64 {
        let mut doubt: f64 = 0.0;
        for y in &rest.neighbours {
            let d = self.modes(y);
            let Ok(others) = self.eigenvalues_at(y, &d) else { return f64::INFINITY };
            for (re, im) in eigenvalues {
                let nearest =
                    others.iter().map(|other| (other.0 - re).hypot(other.1 - im)).fold(f64::INFINITY, f64::min);
                doubt = doubt.max(nearest);
            }
        }
        doubt
    }

    /// Whether a switch of the state changes at the point.
    pub fn on_switch(&mut self, rest: &Rest) -> bool {
        let mut g = vec![0.0; self.layout.switches.len()];
        self.evaluator.switch_values(self.t, &rest.y, &rest.d, &mut g);
        let size = self.scale.iter().copied().fold(0.0, f64::max);
        self.layout
            .switches
            .iter()
            .zip(&g)
            .any(|(switch, g)| !switch.of_time && switch.kind == SwitchKind::Sign && g.abs() <= 1e-10 * size)
    }

    /// The eigenvalues of x′ as a function of x, with the algebraic variables eliminated and on the invariants:
    ///
    /// ```text
    ///   A = f_x − f_z g_z⁻¹ g_x,    Nᵀ A N  with the columns of N tangent to the invariants
    /// ```
    ///
    /// The error says why there are none.
    pub fn eigenvalues(&mut self, rest: &Rest) -> Result<Vec<(f64, f64)>, &'static str> {
        self.eigenvalues_at(&rest.y, &rest.d)
    }

    fn eigenvalues_at(&mut self, y: &[f64], d: &[f64]) -> Result<Vec<(f64, f64)>, &'static str> {
        let (n, x) = (self.layout.states, self.layout.differential());
        let jacobian = self.jacobian(y, d);
        let row = |i: usize| &jacobian[i * n..(i + 1) * n];
        let z = n - x;
        // dz/dx, by columns
        let mut follow = vec![vec![0.0; z]; x];
        if z > 0 {
            let block: Vec<f64> = (x..n).flat_map(|i| row(i)[x..].to_vec()).collect();
            let mut lu: Lu<f64> = Lu::new(&Pattern::dense(z));
            lu.factor(&block).map_err(|_| "the Jacobian of the algebraic equations is singular")?;
            for (j, column) in follow.iter_mut().enumerate() {
                column.iter_mut().enumerate().for_each(|(i, value)| *value = -row(x + i)[j]);
                lu.solve(column);
            }
        }
        let reduced = |i: usize| -> Vec<f64> {
            let row = row(i);
            let by_z = |j: usize| row[x..].iter().zip(&follow[j]).map(|(a, b)| a * b).sum::<f64>();
            (0..x).map(|j| row[j] + by_z(j)).collect()
        };
        let rates: Vec<Vec<f64>> = (0..x).map(reduced).collect();
        let kept: Vec<Vec<f64>> = (n..self.rows()).map(reduced).collect();
        let tangent = complement(orthonormal(kept, RANK), x);
        let m = tangent.len();
        let mut matrix = Matrix::zero(m, m);
        for (j, direction) in tangent.iter().enumerate() {
            let image: Vec<f64> = rates.iter().map(|row| dot(row, direction)).collect();
            for (i, other) in tangent.iter().enumerate() {
                *matrix.at_mut(i, j) = dot(other, &image);
            }
        }
        let mut eigenvalues = eigenvalues_of(&matrix)
            .ok_or("the Jacobian is not finite, or the iteration for its eigenvalues did not end")?;
        eigenvalues.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)));
        Ok(eigenvalues)
    }
}

fn norm(values: &[f64], sizes: &[f64]) -> f64 {
    values.iter().zip(sizes).map(|(value, size)| (value / size).powi(2)).sum::<f64>().sqrt()
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most: f64, value| if value.is_nan() { f64::INFINITY } else { most.max(value.abs()) })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// An orthonormal basis of what the rows span, the longest first; what is shorter than `rank` of the longest is left out.
fn orthonormal(mut rows: Vec<Vec<f64>>, rank: f64) -> Vec<Vec<f64>> {
    let length = |row: &Vec<f64>| dot(row, row).sqrt();
    let longest = rows.iter().map(length).fold(0.0, f64::max);
    let mut basis: Vec<Vec<f64>> = Vec::new();
    while let Some(index) = (0..rows.len()).max_by(|&a, &b| length(&rows[a]).total_cmp(&length(&rows[b]))) {
        let mut row = rows.swap_remove(index);
        // Twice is enough against rounding.
        for _ in 0..2 {
            for unit in &basis {
                let part = dot(&row, unit);
                row.iter_mut().zip(unit).for_each(|(row, unit)| *row -= part * unit);
            }
        }
        let size = length(&row);
        if size <= rank * longest || size == 0.0 {
            break;
        }
        row.iter_mut().for_each(|value| *value /= size);
        for other in &mut rows {
            let part = dot(other, &row);
            other.iter_mut().zip(&row).for_each(|(other, unit)| *other -= part * unit);
        }
        basis.push(row);
    }
    basis
}

/// An orthonormal basis of what is orthogonal to an orthonormal one.
fn complement(basis: Vec<Vec<f64>>, n: usize) -> Vec<Vec<f64>> {
    let missing = n - basis.len().min(n);
    if basis.is_empty() {
        // Unit vectors as they are: nothing is lost to rounding.
        return (0..n).map(|k| (0..n).map(|i| if i == k { 1.0 } else { 0.0 }).collect()).collect();
    }
    let units = (0..n).map(|k| (0..n).map(|i| if i == k { 1.0 } else { 0.0 }).collect::<Vec<f64>>());
    let rest = units.map(|mut unit: Vec<f64>| {
        for own in &basis {
            let part = dot(&unit, own);
            unit.iter_mut().zip(own).for_each(|(unit, own)| *unit -= part * own);
        }
        unit
    });
    let mut others = orthonormal(rest.collect(), 1e-8);
    others.truncate(missing);
    others
}
