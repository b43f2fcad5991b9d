//! The equations of all stages of a step, solved together:
//!
//! ```text
//!   M Σⱼ (A⁻¹)ᵢⱼ Zⱼ / h − f(t + cᵢ h, y + Zᵢ) = 0
//! ```
//!
//! With Z = T W a Newton iteration with one Jacobian for all stages falls apart into one real system, (γ/h M − J) ΔW = …, and
//! complex ones of the same size, ((α + iβ)/h M − J) ΔW = …: Hairer, Wanner II, IV.8, eq. (8.4)–(8.6). The residual is formed
//! of Z itself, so the rounding of T does not reach the solution.

use super::batched_stages::{BatchedStages, Evaluation};
use super::coefficients::{Coefficients, MOST_STAGES};
use super::coupled::Coupled;
use super::transform::{Vectors, multiply};
use crate::implicit::newton::{
    DIVERGENCE_RATIO, Gmres, Jacobian, Stagnation, decayed_eta, is_proven, largest_part, rounding, stagnation_unit,
};
use crate::{NewtonIterate, NewtonKind, NewtonOptions, Point, StepFailure, System, Work};
use ordinate_linalg::{Complex, Lu};

/// What is to be solved.
pub(super) struct Task<'a> {
    pub method: &'static Coefficients,
    pub from: &'a Point<'a>,
    /// f where the step begins.
    pub f0: &'a [f64],
    pub h: f64,
    /// The tolerance of each component.
    pub scale: &'a [f64],
    /// Which part of the tolerance may be left; `None`: only rounding.
    pub kappa: Option<f64>,
    /// The most iterations.
    pub most: u32,
    pub way: Way,
}

/// How a step is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// With one Jacobian for all stages. The changes must become smaller from the beginning.
    Contracting,
    /// The same, but given time.
    Patient,
    /// Each stage has a Jacobian of its own, at every iterate.
    Coupled,
}

/// Why an iteration ended without a solution.
#[derive(Clone, Copy, Debug)]
pub(super) enum Failure {
    /// It would not reach the tolerance in time: a step shorter by this factor might.
    Slow { factor: f64, component: usize },
    /// Anything else.
    Step(StepFailure),
}

/// The unknowns Z, and all that is kept from one step to the next.
#[derive(Clone, Debug)]
pub(super) struct Stages {
    pub(super) options: NewtonOptions,
    pub(super) n: usize,
    pub(super) jacobian: Jacobian,
    pub(super) real: Option<Lu<f64>>,
    pub(super) pairs: Vec<Lu<Complex>>,
    pub(super) matrix: Vec<f64>,
    pub(super) complex_matrix: Vec<Complex>,
    pub(super) coupled: Option<Coupled>,
    /// For small systems: the stages side by side.
    pub(super) abreast: Option<Box<BatchedStages>>,
    /// It has the elements of the Jacobian.
    pub(super) spread: bool,
    /// The factors are its own.
    pub(super) side_by_side: bool,
    /// The step and the number of stages of the factors; NaN if there are none.
    pub(super) factored: (f64, usize),
    /// The Jacobian is to be evaluated anew.
    pub stale: bool,
    /// Steps with this Jacobian so far.
    pub age: u32,
    /// Z, stage after stage.
    pub z: Vec<f64>,
    pub(super) f: Vec<f64>,
    pub(super) change: Vec<f64>,
    /// The largest part of the change, which was not kept.
    pub(super) passing: Option<f64>,
    pub(super) transformed: Vec<f64>,
    pub(super) complex: Vec<Complex>,
    pub(super) y: Vec<f64>,
    pub(super) gmres: Gmres,
    /// The rate of convergence θ of the last iteration.
    pub rate: f64,
    pub iterations: u32,
    /// θ/(1−θ) of the last iteration.
    pub(super) eta: f64,
    /// The largest change of all iterations of this attempt, in tolerances.
    pub largest_change: f64,
    pub(super) iterates: Vec<NewtonIterate>,
    pub work: Work,
}

/// How often an iterate is moved back to where f exists.
const MOST_HALVINGS: u32 = 20;
/// A step whose iteration diverges becomes shorter by this factor.
const DIVERGED: f64 = 0.5;
/// In fixed steps, a rate above this one asks for a new Jacobian at once.
const SLOW: f64 = 0.2;

impl Stages {
    pub fn new(n: usize, most_stages: usize, options: NewtonOptions) -> Stages {
        let zeros = vec![0.0; most_stages * n];
        Stages {
            options,
            n,
            jacobian: Jacobian::default(),
            real: None,
            pairs: Vec::new(),
            matrix: Vec::new(),
            complex_matrix: Vec::new(),
            coupled: None,
            abreast: BatchedStages::new(n).map(Box::new),
            spread: false,
            side_by_side: false,
            factored: (f64::NAN, 0),
            stale: true,
            age: 0,
            z: zeros.clone(),
            f: zeros.clone(),
            change: zeros.clone(),
            passing: None,
            transformed: zeros,
            complex: vec![Complex::default(); (most_stages / 2) * n],
            y: vec![0.0; n],
            gmres: Gmres::default(),
            rate: 0.0,
            iterations: 0,
            eta: 1.0,
            largest_change: 0.0,
            iterates: Vec::new(),
            work: Work::default(),
        }
    }

    pub fn restart(&mut self) {
        self.jacobian.forget();
        (self.stale, self.eta, self.rate) = (true, 1.0, 0.0);
        // Another part of a run may have another system.
        if self.abreast.is_none() {
            self.abreast = BatchedStages::new(self.n).map(Box::new);
        }
    }

    pub fn take_iterates(&mut self) -> Vec<NewtonIterate> {
        std::mem::take(&mut self.iterates)
    }

    pub fn kind(&self) -> NewtonKind {
        self.options.kind
    }

    /// Solves for Z, which holds the first iterate, with the Jacobian and the factors that there are.
    pub fn solve(&mut self, system: &mut dyn System, task: &Task) -> Result<(), Failure> {
        if let (true, Some(abreast)) = (self.side_by_side, &mut self.abreast) {
            abreast.begin(task.method, &self.z, task.from.y, task.scale);
        }
        self.passing = None;
        let result = self.iterate(system, task);
        if let (true, Some(abreast)) = (self.side_by_side, &mut self.abreast) {
            abreast.give_stages(&mut self.z);
        }
        result
    }

    fn iterate(&mut self, system: &mut dyn System, task: &Task) -> Result<(), Failure> {
        let patient = task.kappa.is_none() || self.options.tolerance.is_some();
        let (mut last, mut last_ratio, mut last_residual) = (f64::NAN, f64::NAN, f64::NAN);
        let (mut last_coarse, mut enough, mut way) = (f64::NAN, false, task.way);
        let mut stagnation = Stagnation::default();
        let mut pending: Option<f64> = None;
        self.eta = decayed_eta(self.eta);
        (self.iterations, self.largest_change) = (0, 0.0);
        for iteration in 0..=task.most {
            let residual = self.damped_residual(system, task, way, iteration).map_err(Failure::Step)?;
            if iteration > 0 && self.options.tolerance.is_some_and(|tolerance| residual <= tolerance) {
                return Ok(());
            }
            let left_over = if iteration < 2 { task.h * self.size(task) } else { f64::NAN };
            if pending.is_some_and(|before| is_proven(before, left_over)) {
                return Ok(());
            }
            pending = None;
            if iteration == task.most && enough {
                return Ok(());
            }
            if iteration == task.most {
                break;
            }
            let change = if way == Way::Coupled {
                self.coupled_change(system, task)
            } else {
                let simplified = self.options.kind == NewtonKind::Simplified;
                // Where one was led to, the derivatives are others than where the step begins.
                let elsewhere = if iteration == 0 { way == Way::Patient } else { self.stale };
                let renew = simplified && patient && elsewhere;
                let renewed = if renew { self.renew_at_end(system, task) } else { Ok(()) };
                renewed.and_then(|()| self.newton_change(system, task, residual / last_residual))
            };
            change.map_err(Failure::Step)?;
            last_residual = residual;
            self.iterations = iteration + 1;

            if !self.side_by_side && self.passing.is_none() {
                let count = task.method.stages * self.n;
                self.z[..count].iter_mut().zip(&self.change).for_each(|(z, change)| *z += change);
            }
            let size = self.size(task);
            if !size.is_finite() {
                return Err(self.newton_failure(task));
            }
            self.largest_change = self.largest_change.max(size);
            let ratio = size / last;
            last = size;
            if iteration > 0 {
                // One ratio by chance smaller or larger than usual does not decide.
                self.rate = if iteration > 1 { (ratio * last_ratio).sqrt() } else { ratio };
                last_ratio = ratio;
                self.eta = if self.rate < 0.99 { self.rate / (1.0 - self.rate) } else { f64::INFINITY };
            }
            match task.kappa {
                _ if self.options.tolerance.is_some() => self.stale |= iteration > 0 && ratio > SLOW,
                None => {
                    self.stale |= iteration > 0 && ratio > SLOW;
                    if size <= 1.0 {
                        return Ok(());
                    }
                    // In units of rounding alone, every change of what was zero before is a large one.
                    let coarse = self.in_stagnation_units(task);
                    if stagnation.is_stagnant(size) && coarse <= 1.0 {
                        return Ok(());
                    }
                    // Away from where it began, an iteration may find a solution of the equations that is none of the problem.
                    let leaves = ratio >= 1.0 && coarse >= last_coarse && coarse > 1.0;
                    if leaves && (way == Way::Contracting || (way == Way::Patient && ratio > DIVERGENCE_RATIO)) {
                        return Err(self.newton_failure(task));
                    }
                    // A limit may come before it is known that the changes have stopped getting smaller.
                    let remaining = task.most - iteration - 1;
                    enough = remaining == 0 && coarse <= 1.0;
                    // So slow an iteration would not end in time; one with a Jacobian for each stage may.
                    let coming = coarse * (coarse / last_coarse).powi(remaining as i32);
                    if self.options.most.is_some() && coming > 1.0 {
                        way = Way::Coupled;
                    }
                    last_coarse = coarse;
                }
                Some(kappa) => {
                    if iteration > 0 && self.rate >= 0.99 {
                        self.keep_change(task);
                        return Err(Failure::Slow { factor: DIVERGED, component: self.largest(task).1 });
                    }
                    let small = size == 0.0 || self.eta * size <= kappa;
                    if small && iteration > 0 {
                        return Ok(());
                    }
                    if small {
                        pending = Some(left_over);
                        continue;
                    }
                    let remaining = (task.most - iteration - 1) as i32;
                    let coming = self.eta * size * self.rate.powi(remaining - 1) / kappa;
                    if iteration > 0 && coming >= 1.0 {
                        // Hairer's RADAU5: how much shorter the step must be for the same number of iterations.
                        let exponent = -1.0 / f64::from(4 + remaining);
                        let factor = 0.8 * coming.clamp(1e-4, 20.0).powf(exponent);
                        self.keep_change(task);
                        return Err(Failure::Slow { factor, component: self.largest(task).1 });
                    }
                }
            }
        }
        Err(self.newton_failure(task))
    }

    fn newton_failure(&mut self, task: &Task) -> Failure {
        self.keep_change(task);
        Failure::Step(StepFailure::Newton { component: self.largest(task).1 })
    }

    /// The residual of the iterate. Where each stage has its own Jacobian, an iterate where f does not exist is moved back.
    fn damped_residual(
        &mut self,
        system: &mut dyn System,
        task: &Task,
        way: Way,
        iteration: u32,
    ) -> Result<f64, StepFailure> {
        let mut result = self.residual(system, task, iteration);
        for _ in 0..MOST_HALVINGS {
            if way != Way::Coupled || iteration == 0 || result.is_ok() {
                break;
            }
            for (z, change) in self.z.iter_mut().zip(&mut self.change) {
                *change *= 0.5;
                *z -= *change;
            }
            result = self.residual(system, task, iteration);
        }
        result
    }

    /// f of all stages, and f − M A⁻¹ Z / h in `change`. Returns the largest component of the residual if it is asked for.
    pub(super) fn residual(
        &mut self,
        system: &mut dyn System,
        task: &Task,
        iteration: u32,
    ) -> Result<f64, StepFailure> {
        let (n, s) = (self.n, task.method.stages);
        if let (true, Some(abreast)) = (self.side_by_side, &mut self.abreast) {
            self.work.f += s as u64;
            match abreast.residual(system, task.from, task.h, self.jacobian.differential()) {
                Evaluation::Done => return Ok(0.0),
                Evaluation::NotFinite { stage, component } => {
                    let t = task.from.t + task.method.c[stage] * task.h;
                    return Err(StepFailure::NotFinite { t, component });
                }
                Evaluation::Refused => {
                    // One stage after another from here on.
                    self.work.f -= s as u64;
                    abreast.give_stages(&mut self.z);
                    self.abreast = None;
                    self.factored.1 = 0;
                    self.factor(task)?;
                }
            }
        }
        let Point { t, y: y0, d, .. } = *task.from;
        for i in 0..s {
            let (z, f) = (&self.z[i * n..(i + 1) * n], &mut self.f[i * n..(i + 1) * n]);
            for (y, (y0, z)) in self.y.iter_mut().zip(y0.iter().zip(z)) {
                *y = y0 + z;
            }
            system.derivative(t + task.method.c[i] * task.h, &self.y, d, f);
        }
        self.work.f += s as u64;
        let differential = self.jacobian.differential();
        if self.goes_fast(task) {
            let (mut vectors, f) = self.vectors(task);
            let size = vectors.residual(task.method, 1.0 / task.h, f);
            self.passing = Some(size);
            return if size.is_finite() { Ok(0.0) } else { self.check_stages(task).map(|()| 0.0) };
        }
        // A sum is finite only if all its terms are.
        if !(self.f[..s * n].iter().sum::<f64>() + self.z[..s * n].iter().sum::<f64>()).is_finite() {
            self.check_stages(task)?;
        }
        multiply(task.method.inverse, s, n, differential, &self.z, &mut self.change);
        let sigma = 1.0 / task.h;
        for (change, f) in self.change[..s * n].chunks_exact_mut(n).zip(self.f.chunks_exact(n)) {
            for (change, f) in change[..differential].iter_mut().zip(f) {
                *change = f - sigma * *change;
            }
            change[differential..].copy_from_slice(&f[differential..]);
        }
        let visible = self.options.trace || self.options.tolerance.is_some();
        Ok(if visible { self.show(task, iteration) } else { 0.0 })
    }

    /// Names the first stage and component that is not finite.
    #[cold]
    fn check_stages(&self, task: &Task) -> Result<(), StepFailure> {
        let n = self.n;
        for (i, c) in task.method.c.iter().enumerate() {
            let finite = |k: usize| self.f[i * n + k].is_finite() && (task.from.y[k] + self.z[i * n + k]).is_finite();
            if let Some(component) = (0..n).find(|&k| !finite(k)) {
                return Err(StepFailure::NotFinite { t: task.from.t + c * task.h, component });
            }
        }
        Ok(())
    }

    /// Keeps the iterate if it is to be kept, and returns the largest component of M Z − h A f.
    fn show(&mut self, task: &Task, iteration: u32) -> f64 {
        let (n, s) = (self.n, task.method.stages);
        multiply(task.method.a, s, n, n, &self.change, &mut self.transformed);
        self.transformed.iter_mut().for_each(|r| *r *= -task.h);
        if self.options.trace {
            self.iterates.push(NewtonIterate {
                t: task.from.t,
                h: task.h,
                stage: s as u32 - 1,
                iteration,
                y: task.from.y.iter().zip(&self.z[(s - 1) * n..]).map(|(y, z)| y + z).collect(),
                residual: self.transformed[(s - 1) * n..s * n].to_vec(),
            });
        }
        self.transformed[..s * n].iter().fold(0.0, |most: f64, r| most.max(r.abs()))
    }

    /// The largest change in units of the tolerance, or of rounding.
    pub(super) fn size(&self, task: &Task) -> f64 {
        match (&self.abreast, self.passing) {
            (Some(abreast), _) if self.side_by_side => abreast.size,
            (_, Some(size)) => size,
            _ => self.largest(task).0,
        }
    }

    /// The vectors of an iteration whose change is not kept, and f.
    pub(super) fn vectors<'a>(&'a mut self, task: &Task<'a>) -> (Vectors<'a>, &'a [f64]) {
        let vectors = Vectors {
            n: self.n,
            differential: self.jacobian.differential(),
            z: &mut self.z,
            scale: task.scale,
            real: &mut self.transformed[..self.n],
            complex: &mut self.complex,
        };
        (vectors, &self.f)
    }

    /// The change that was not kept, for its worst component.
    fn keep_change(&mut self, task: &Task) {
        if self.passing.take().is_some() {
            let (n, s) = (self.n, task.method.stages);
            let first = s % 2;
            for (pair, both) in self.transformed[first * n..s * n].chunks_exact_mut(2 * n).enumerate() {
                let (re, im) = both.split_at_mut(n);
                for ((re, im), x) in re.iter_mut().zip(im).zip(&self.complex[pair * n..]) {
                    (*re, *im) = (x.re, x.im);
                }
            }
            multiply(task.method.to_stages, s, n, n, &self.transformed, &mut self.change);
        }
    }

    /// The same, and its component.
    fn largest(&self, task: &Task) -> (f64, usize) {
        if let (true, Some(abreast)) = (self.side_by_side, &self.abreast) {
            return (abreast.size, abreast.worst());
        }
        let (mut size, mut worst) = (0.0, 0);
        for change in self.change[..task.method.stages * self.n].chunks_exact(self.n.max(1)) {
            let (part, component) = match task.kappa {
                Some(_) => largest_part(change, |i| task.scale[i]),
                None => largest_part(change, |i| rounding(task.from.y[i].abs().max(self.end(task, i).abs()))),
            };
            if part > size || part.is_nan() {
                (size, worst) = (part, component);
            }
        }
        (size, worst)
    }

    pub(super) fn end(&self, task: &Task, i: usize) -> f64 {
        task.from.y[i] + self.z[(task.method.stages - 1) * self.n + i]
    }

    /// The largest change in units of what may be taken for rounding.
    fn in_stagnation_units(&mut self, task: &Task) -> f64 {
        for i in 0..self.n {
            self.y[i] = self.end(task, i);
        }
        let unit = stagnation_unit(task.scale, &self.y);
        let changes = self.change[..task.method.stages * self.n].chunks_exact(self.n.max(1));
        changes.map(|change| largest_part(change, &unit).0).fold(0.0, f64::max)
    }

    /// Number of states that are not algebraic.
    pub fn differential(&self) -> usize {
        self.jacobian.differential()
    }

    /// Z of the first iterate: the polynomial of the last step (its stages `z`, its length in units of this one) continued.
    pub fn extrapolate(&mut self, method: &'static Coefficients, old: &Coefficients, z: &[f64], ratio: f64) {
        if let (true, Some(abreast)) = (self.side_by_side, &mut self.abreast) {
            return abreast.extrapolate(method, old, z, ratio, &mut self.z);
        }
        let (n, s) = (self.n, old.stages);
        let mut weights = [0.0; MOST_STAGES];
        for (i, target) in self.z[..method.stages * n].chunks_exact_mut(n).enumerate() {
            old.weights(1.0 + ratio * method.c[i], &mut weights);
            weights[s - 1] -= 1.0;
            target.fill(0.0);
            for (weight, z) in weights.iter().zip(z.chunks_exact(n)).take(s) {
                target.iter_mut().zip(z).for_each(|(target, z)| *target += weight * z);
            }
        }
    }
}
