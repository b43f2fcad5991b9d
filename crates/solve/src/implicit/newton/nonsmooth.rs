//! ∂f/∂y where it is not finite, or no measure of f: beside a root that comes to rest, as of an empty tank, h′ = −√h.
//!
//! Newton's method with derivatives at a point goes astray there (on √|h| sign h it jumps from h to −h for ever), although all of
//! this happens far below the tolerance. Difference quotients over a part of the tolerance,
//!
//! ```text
//!   Jᵢⱼ = (fᵢ(y ± δⱼ eⱼ) − fᵢ(y)) / ±δⱼ,      of both sides the larger one,
//! ```
//!
//! keep an iteration within δ of the solution once it is there. More need not be known of it.

use super::{Convergence, Jacobian, NewtonEquation, NewtonSolver, largest_part};
use crate::domain::boundary::Edge;
use crate::domain::uniqueness::is_left_by_one_solution;
use crate::{Point, StepFailure, System, Work};
use ordinate_linalg::Pattern;

/// δ as a part of the tolerance, and what an iteration with such derivatives may leave at worst.
pub(crate) const PART: f64 = 0.1;
/// What it leaves at best.
pub(crate) const BEST: f64 = 1e-4;
/// The most iterations with them: each brings what is as far as the tolerance nearer by a quarter or so.
pub(crate) const MOST_WITH_SECANTS: u32 = 24;
/// How often an iterate is moved back to where f exists.
pub(crate) const MOST_RETREATS: u32 = 30;
/// A derivative that changes by more than this factor within δ is none of a smooth function.
const ROUGH: f64 = 2.0;

impl Jacobian {
    /// Evaluates J as [`Jacobian::evaluate`] does, but where it is not finite by difference quotients over a part of `scale`; unless
    /// several solutions begin there.
    pub fn evaluate_beside(
        &mut self,
        system: &mut dyn System,
        (t, y, d): (f64, &[f64], &[f64]),
        f: &[f64],
        scale: &[f64],
        work: &mut Work,
    ) -> Result<(), StepFailure> {
        let evaluated = self.evaluate(system, (t, y, d), f, work);
        if evaluated.is_ok() || !is_left_by_one_solution(system, &Point { t, y, d, f: None }, scale) {
            return evaluated;
        }
        let columns = columns_with(self.own(), |k| !self.values()[k].is_finite());
        if self.take_secants(system, (t, y, d), f, scale, &columns, work).is_ok() {
            return Ok(());
        }
        // Where all of a state's neighbours are outside of the domain of f, it is left together with others.
        let ahead = ahead(system, (t, y, d), f, scale, work);
        if self.is_approximate() {
            return evaluated;
        }
        self.evaluate(system, (t, &ahead, d), f, work)
    }

    /// Replaces the derivatives by states in whose tolerance they change much; returns whether there are any, and all of them draw
    /// their state back to where it was.
    pub fn by_secants(
        &mut self,
        system: &mut dyn System,
        (t, y, d): (f64, &[f64], &[f64]),
        f: &[f64],
        scale: &[f64],
        work: &mut Work,
    ) -> bool {
        let mut columns = vec![self.is_approximate(); y.len()];
        if !self.is_approximate() {
            let mut beside = y.to_vec();
            let mut other = vec![0.0; self.values().len()];
            for side in [PART, -PART] {
                beside.iter_mut().zip(y.iter().zip(scale)).for_each(|(b, (y, scale))| *b = y + side * scale);
                system.jacobian(t, &beside, d, &mut other);
                work.jacobian += 1;
                let rough = columns_with(self.own(), |k| {
                    let (here, there) = (self.values()[k].abs(), other[k].abs());
                    !(here <= ROUGH * there && there <= ROUGH * here)
                });
                columns.iter_mut().zip(rough).for_each(|(all, rough)| *all |= rough);
            }
        }
        if !columns.contains(&true) || self.take_secants(system, (t, y, d), f, scale, &columns, work).is_err() {
            return false;
        }
        let draws_back = |j: usize| self.own().place(j, j).is_none_or(|k| self.values()[k] <= 0.0);
        (0..self.differential()).all(|j| !columns[j] || draws_back(j))
    }

    /// The columns that are named, by difference quotients.
    fn take_secants(
        &mut self,
        system: &mut dyn System,
        (t, y, d): (f64, &[f64], &[f64]),
        f: &[f64],
        scale: &[f64],
        columns: &[bool],
        work: &mut Work,
    ) -> Result<(), StepFailure> {
        let (mut beside, mut changed) = (y.to_vec(), vec![0.0; y.len()]);
        let elements: Vec<(usize, usize)> = self.own().elements().map(|(i, j)| (i as usize, j as usize)).collect();
        for j in (0..y.len()).filter(|&j| columns[j]) {
            let mut found = false;
            for side in [PART, -PART] {
                beside[j] = y[j] + side * scale[j];
                let width = beside[j] - y[j];
                system.derivative(t, &beside, d, &mut changed);
                work.f += 1;
                // The other side may be outside of the domain of f.
                if width == 0.0 || changed.iter().any(|f| !f.is_finite()) {
                    continue;
                }
                for (value, (i, _)) in
                    self.values_mut().iter_mut().zip(&elements).filter(|(_, (_, column))| *column == j)
                {
                    let slope = (changed[*i] - f[*i]) / width;
                    *value = if found && value.abs() >= slope.abs() { *value } else { slope };
                }
                found = true;
            }
            beside[j] = y[j];
            if !found {
                return Err(StepFailure::NotFinite { t, component: j });
            }
        }
        Ok(())
    }
}

/// The state a little later, by two steps of Euler's method in each of which the fastest component moves by δ: what is at rest
/// in the first may move in the second.
fn ahead(
    system: &mut dyn System,
    (t, y, d): (f64, &[f64], &[f64]),
    f: &[f64],
    scale: &[f64],
    work: &mut Work,
) -> Vec<f64> {
    let (mut y, mut f) = (y.to_vec(), f.to_vec());
    for _ in 0..2 {
        let fastest = f.iter().zip(scale).map(|(f, scale)| f.abs() / scale).fold(f64::MIN_POSITIVE, f64::max);
        y.iter_mut().zip(&f).for_each(|(y, f)| *y += PART / fastest * f);
        system.derivative(t, &y, d, &mut f);
        work.f += 1;
    }
    y
}

/// How much of each change is taken: half as much whenever they turn round. Beside a root, where the derivative at the solution is
/// infinite, all others make the iterates jump from one side of it to the other.
#[derive(Clone, Debug)]
pub(crate) struct Damping {
    factor: f64,
    last: Vec<f64>,
}

impl Damping {
    pub fn new(count: usize) -> Damping {
        Damping { factor: 1.0, last: vec![0.0; count] }
    }

    /// The part of this change that is to be taken; `scale` is the tolerance of each component, again for each stage.
    pub fn part(&mut self, change: &[f64], scale: &[f64]) -> f64 {
        let products = self.last.iter().zip(change).zip(scale.iter().cycle());
        if products.map(|((last, change), scale)| (last / scale) * (change / scale)).sum::<f64>() < 0.0 {
            self.factor *= 0.5;
        }
        self.last.iter_mut().zip(change).for_each(|(last, change)| *last = *change);
        self.factor
    }
}

impl NewtonSolver {
    /// Solves the equation with difference quotients over a part of the tolerance for derivatives that change within it; none if there are
    /// no such.
    #[cold]
    pub(super) fn by_secants(
        &mut self,
        system: &mut dyn System,
        equation: &NewtonEquation,
        scale: &[f64],
        y: &mut [f64],
    ) -> Option<Convergence> {
        self.residual(system, equation, 0, y).ok()?;
        self.jacobian.evaluate_beside(system, (equation.t, y, equation.d), &self.f, scale, &mut self.work).ok()?;
        if !self.jacobian.by_secants(system, (equation.t, y, equation.d), &self.f, scale, &mut self.work) {
            return None;
        }
        let sigma = 1.0 / equation.gamma_h;
        self.jacobian.matrix(sigma, &mut self.matrix);
        self.work.lu += 1;
        // The derivatives serve for this equation only.
        (self.stale, self.factored, self.eta) = (true, f64::NAN, 1.0);
        self.lu.as_mut()?.factor(&self.matrix).ok()?;
        let mut damping = Damping::new(y.len());
        for iteration in 1..=MOST_WITH_SECANTS {
            self.lu.as_mut()?.solve(&mut self.change);
            self.work.newton += 1;
            let part = damping.part(&self.change, scale);
            self.change.iter_mut().for_each(|change| *change *= part);
            let size = largest_part(&self.change, |i| scale[i]).0;
            if size.is_nan() || size > 1.0 {
                return None;
            }
            self.product.copy_from_slice(&self.change);
            let mut outside = None;
            y.iter_mut().zip(&self.product).for_each(|(y, change)| *y += change);
            let mut retreats = 0;
            while self.residual(system, equation, iteration, y).is_err() {
                outside = Some(y.to_vec());
                retreats += 1;
                // At last as a whole: the edge of the domain of f is nearer than anything counts.
                let part = if retreats < MOST_RETREATS { 0.5 } else { 1.0 };
                for (y, change) in y.iter_mut().zip(&mut self.product) {
                    *y -= part * *change;
                    *change *= 1.0 - part;
                }
                if retreats > MOST_RETREATS {
                    return None;
                }
            }
            let ends = iteration == MOST_WITH_SECANTS || retreats == MOST_RETREATS;
            if size <= BEST || (size <= PART && ends) {
                if let Some(outside) = outside {
                    let edge = Edge { t: equation.t, d: equation.d, inside: y, outside: &outside, scale };
                    if edge.is_left(system, &mut self.work.f) {
                        return None;
                    }
                }
                // For whoever filters with them.
                self.factored = sigma;
                return Some(Convergence { iterations: iteration, rate: 1.0 });
            }
        }
        None
    }
}

/// The columns that have such an element, which is asked for by its place.
fn columns_with(pattern: &Pattern, is_such: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut columns = vec![false; pattern.n];
    for (k, &j) in pattern.columns.iter().enumerate() {
        columns[j as usize] |= is_such(k);
    }
    columns
}
