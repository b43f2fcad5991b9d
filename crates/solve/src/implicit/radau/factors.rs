//! The linear systems of a Newton iteration: their matrices, their factors, their solution.

use super::coefficients::Coefficients;
use super::coupled::Coupled;
use super::stages::{Stages, Task, Way};
use super::transform::multiply;
use crate::implicit::newton::forcing;
use crate::{NewtonKind, Point, StepFailure, System};
use ordinate_linalg::{Complex, Lu};

/// An h whose factors serve for another one that differs by rounding of t.
const SAME_STEP: f64 = 1e-8;
/// An inexact solution that takes more products than this deserves new factors.
const MOST_PRODUCTS: usize = 6;

impl Stages {
    /// Looks at the pattern, and takes memory for its matrices where it is another one than before.
    pub fn preallocate(&mut self, system: &mut dyn System, method: &Coefficients, fixed_step: bool) {
        if !self.jacobian.look(system) {
            return;
        }
        let pattern = self.jacobian.pattern();
        self.matrix = vec![0.0; pattern.len()];
        self.complex_matrix = vec![Complex::default(); pattern.len()];
        (self.real, self.pairs, self.coupled) = (None, Vec::new(), None);
        // Where there is no time to lose, a difficult step must not be the first one to take memory.
        if self.options.in_time && fixed_step {
            self.real = method.real.map(|_| Lu::with_room(pattern));
            self.pairs = method.pairs.iter().map(|_| Lu::with_room(pattern)).collect();
            self.coupled = Some(Coupled::new(&self.jacobian, method.stages));
        }
        self.stale = true;
    }

    /// Looks at the pattern, evaluates the Jacobian where the step begins if it is stale, and makes the factors fit.
    pub fn prepare(&mut self, system: &mut dyn System, task: &Task) -> Result<(), StepFailure> {
        self.preallocate(system, task.method, task.kappa.is_none());
        if self.stale {
            let Point { t, y, d, .. } = *task.from;
            self.jacobian.evaluate_beside(system, (t, y, d), task.f0, task.scale, &mut self.work)?;
            (self.stale, self.age) = (false, 0);
            (self.factored.1, self.spread) = (0, false);
        }
        self.factor(task)
    }

    /// Whether nothing of this task is to be seen but its solution, so that what it does may be done in any order.
    pub(super) fn goes_fast(&self, task: &Task) -> bool {
        let plain =
            self.options.kind == NewtonKind::Simplified && !self.options.trace && self.options.tolerance.is_none();
        plain && task.kappa.is_some() && task.way == Way::Contracting
    }

    /// Factors all matrices at once, if they are small enough, and the same pivots serve for all.
    fn factor_abreast(&mut self, task: &Task) -> bool {
        let goes = self.goes_fast(task);
        let Some(abreast) = self.abreast.as_mut().filter(|_| goes) else { return false };
        if !std::mem::replace(&mut self.spread, true) {
            self.jacobian.all_elements(&mut abreast.jacobian);
        }
        abreast.factor(task.method, task.h, self.jacobian.differential())
    }

    fn jacobian_at_end(&mut self, system: &mut dyn System, task: &Task) -> Result<(), StepFailure> {
        for i in 0..self.n {
            self.y[i] = self.end(task, i);
        }
        let f = &self.f[(task.method.stages - 1) * self.n..];
        let Point { t, d, .. } = *task.from;
        self.jacobian.evaluate(system, (t + task.h, &self.y, d), f, &mut self.work)
    }

    pub(super) fn renew_at_end(&mut self, system: &mut dyn System, task: &Task) -> Result<(), StepFailure> {
        self.jacobian_at_end(system, task)?;
        (self.stale, self.age) = (false, 0);
        (self.factored.1, self.spread) = (0, false);
        self.factor(task)
    }

    /// The factors are to be made anew, for an iteration that keeps its changes.
    pub fn separate(&mut self) {
        self.factored.1 = 0;
    }

    pub(super) fn factor(&mut self, task: &Task) -> Result<(), StepFailure> {
        let Task { method, h, .. } = *task;
        if self.factored.1 == method.stages && (self.factored.0 / h - 1.0).abs() <= SAME_STEP {
            return Ok(());
        }
        self.factored.1 = 0;
        self.side_by_side = self.factor_abreast(task);
        if self.side_by_side {
            self.work.lu += method.real.iter().len() as u64 + method.pairs.len() as u64;
            self.factored = (h, method.stages);
            return Ok(());
        }
        let singular = |column: usize| StepFailure::Singular { component: column };
        let sigma = 1.0 / h;
        if let Some(gamma) = method.real {
            let lu = self.real.get_or_insert_with(|| Lu::new(self.jacobian.pattern()));
            self.jacobian.matrix(gamma * sigma, &mut self.matrix);
            self.work.lu += 1;
            lu.factor(&self.matrix).map_err(|found| singular(found.column))?;
        }
        while self.pairs.len() < method.pairs.len() {
            self.pairs.push(Lu::new(self.jacobian.pattern()));
        }
        for (lu, mu) in self.pairs.iter_mut().zip(method.pairs) {
            self.jacobian.matrix(*mu * sigma, &mut self.complex_matrix);
            self.work.lu += 1;
            lu.factor(&self.complex_matrix).map_err(|found| singular(found.column))?;
        }
        self.factored = (h, method.stages);
        Ok(())
    }

    /// b becomes the real part of (γ/h M − J)⁻¹ b, with γ = α + iβ where there is no real one.
    pub fn filter(&mut self, method: &Coefficients, b: &mut [f64]) {
        if let (true, Some(abreast)) = (self.side_by_side, &mut self.abreast) {
            return abreast.filter(b);
        }
        match (method.real, &mut self.real) {
            (Some(_), Some(lu)) => lu.solve(b),
            _ => {
                let complex = &mut self.complex[..b.len()];
                complex.iter_mut().zip(b.iter()).for_each(|(x, b)| *x = Complex::from(*b));
                self.pairs[0].solve(complex);
                b.iter_mut().zip(&self.complex).for_each(|(b, x)| *b = x.re);
            }
        }
    }

    /// ΔZ from the residual, in its place.
    pub(super) fn newton_change(
        &mut self,
        system: &mut dyn System,
        task: &Task,
        shrunk: f64,
    ) -> Result<(), StepFailure> {
        let (n, s, method) = (self.n, task.method.stages, task.method);
        self.work.newton += 1;
        if let (true, Some(abreast)) = (self.side_by_side, &mut self.abreast) {
            abreast.newton_change();
            return Ok(());
        }
        if self.passing.is_some() {
            if let (Some(_), Some(lu)) = (method.real, self.real.as_mut()) {
                lu.solve(&mut self.transformed[..n]);
            }
            for (lu, x) in self.pairs.iter_mut().zip(self.complex.chunks_exact_mut(n)).take(method.pairs.len()) {
                lu.solve(x);
            }
            let (mut vectors, _) = self.vectors(task);
            self.passing = Some(vectors.change(method));
            return Ok(());
        }
        if self.options.kind == NewtonKind::Inexact {
            self.jacobian_at_end(system, task)?;
        }
        multiply(method.from_stages, s, n, n, &self.change, &mut self.transformed);
        let inexact = self.options.kind == NewtonKind::Inexact;
        let first = usize::from(method.real.is_some());
        let mut products = 0;
        if let (Some(gamma), Some(lu)) = (method.real, self.real.as_mut()) {
            let right = &mut self.transformed[..n];
            if inexact {
                let sigma = gamma / task.h;
                let (jacobian, scratch) = (&self.jacobian, &mut self.y);
                products = self.gmres.solve(right, forcing(shrunk), &mut |v, result| {
                    scratch.copy_from_slice(v);
                    lu.solve(scratch);
                    jacobian.shifted(sigma, scratch, result);
                });
            }
            lu.solve(right);
        }
        for (k, (lu, mu)) in self.pairs.iter_mut().zip(method.pairs).enumerate() {
            let start = (first + 2 * k) * n;
            let both = &mut self.transformed[start..start + 2 * n];
            if inexact {
                let (jacobian, complex) = (&self.jacobian, &mut self.complex[..n]);
                let sigma = *mu * (1.0 / task.h);
                let count = self.gmres.solve(both, forcing(shrunk), &mut |v, result| {
                    solve_pair(lu, v, complex);
                    jacobian.shifted_pair(sigma, complex, result);
                });
                products = products.max(count);
            }
            solve_pair(lu, both, &mut self.complex[..n]);
            let (re, im) = both.split_at_mut(n);
            for ((re, im), x) in re.iter_mut().zip(im).zip(&self.complex) {
                (*re, *im) = (x.re, x.im);
            }
        }
        self.stale |= products > MOST_PRODUCTS;
        multiply(method.to_stages, s, n, n, &self.transformed, &mut self.change);
        Ok(())
    }

    /// ΔZ by full Newton, in the place of the residual.
    pub(super) fn coupled_change(&mut self, system: &mut dyn System, task: &Task) -> Result<(), StepFailure> {
        let (n, s) = (self.n, task.method.stages);
        let Point { t, y: y0, d, .. } = *task.from;
        let mut coupled = match self.coupled.take() {
            Some(coupled) if coupled.stages() == s => coupled,
            _ => Coupled::new(&self.jacobian, s),
        };
        self.work.newton += 1;
        self.work.lu += 1;
        coupled.begin(task.method, task.h);
        for i in 0..s {
            let (z, f) = (&self.z[i * n..(i + 1) * n], &self.f[i * n..(i + 1) * n]);
            for (y, (y0, z)) in self.y.iter_mut().zip(y0.iter().zip(z)) {
                *y = y0 + z;
            }
            self.jacobian.evaluate(system, (t + task.method.c[i] * task.h, &self.y, d), f, &mut self.work)?;
            coupled.take_off(i, self.jacobian.values());
        }
        self.stale = true;
        let solved = coupled.solve(&mut self.change[..s * n]);
        self.coupled = Some(coupled);
        solved.map_err(|found| StepFailure::Singular { component: found.column })
    }
}

/// x becomes A⁻¹ v, where v holds the real parts, then the imaginary parts.
fn solve_pair(lu: &mut Lu<Complex>, v: &[f64], x: &mut [Complex]) {
    let (re, im) = v.split_at(x.len());
    for ((x, re), im) in x.iter_mut().zip(re).zip(im) {
        *x = Complex::new(*re, *im);
    }
    lu.solve(x);
}
