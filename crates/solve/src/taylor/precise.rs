//! The Taylor series method in another precision: variable order and step, each step verified, in a loop of its own.
//!
//! The driver of ordinary runs cannot be used: its points, rows and events are doubles. This loop has neither switches
//! nor other methods, so that little is left of it: the step, the rows, the end. As in À. Jorba, M. Zou, Experiment. Math.
//! 14 (2005) 99–117, the order is that of the cheapest series for the digits asked for,
//!
//! ```text
//!   p = −ln(tolerance)/2 + 2,      so that h ≈ ρ/e²   for a series of radius ρ
//! ```
//!
//! and the step follows from the last coefficients. The defect at its end, where f is needed anyway, tests it.

use crate::driver::local_features as looks;
use crate::{LocalFeatures, Reason, Statistics, Work};
use ordinate_numbers::Precise;
use std::f64::consts::{LN_2, LOG2_10, LOG2_E};
use std::ops::ControlFlow;

/// Series of the solutions of a system over numbers of another precision.
pub trait PreciseSystem<N> {
    /// Begins at a point: writes f(t, y).
    fn begin(&mut self, t: &N, y: &[N], f: &mut Vec<N>);

    /// The coefficients up to the power `order` from the point begun last, in units of `scale`, a power of two.
    fn extend(&mut self, scale: f64, order: usize);

    /// Those of a state: of powers of time / scale.
    fn coefficients(&self, state: usize) -> &[N];

    /// Products that a series of this order takes.
    fn products(&self, order: usize) -> f64;
}

/// What a run over numbers of another precision is asked for.
#[derive(Clone, Debug)]
pub struct PreciseOptions<N> {
    /// Decimal digits that a step keeps.
    pub digits: f64,
    /// Bits of the numbers.
    pub bits: usize,
    /// The order, if it is given.
    pub order: Option<usize>,
    /// The fixed step, if there is one.
    pub step: Option<N>,
    /// Limit of steps.
    pub max_steps: u64,
    /// Limit of products.
    pub max_products: f64,
    /// Rows after every step, too.
    pub every_step: bool,
    /// What f may hold that is not known from afar.
    pub pulses: LocalFeatures,
}

/// Takes what a run over numbers of another precision gives.
pub trait PreciseSink<N> {
    /// The time of row number k, ascending; `None` behind the last one.
    fn row_time(&mut self, k: usize) -> Option<N>;

    /// A row.
    fn row(&mut self, t: &N, y: &[N]) -> ControlFlow<()>;

    /// A step: its end, its length, its order.
    fn step(&mut self, t: f64, h: f64, order: usize) -> ControlFlow<()>;
}

/// What came out of such a run.
#[derive(Clone, Debug)]
pub struct PreciseOutcome<N> {
    /// Why it ended early, if it did.
    pub reason: Option<Reason>,
    /// The time reached.
    pub t: N,
    /// The states there.
    pub y: Vec<N>,
    /// Counts.
    pub statistics: Statistics,
    /// Products computed.
    pub products: f64,
}

/// Terms at the end of a series that say how it goes on; gaps as of even functions must not pass for its end.
const LAST_TERMS: usize = 6;

/// log₂ of the roundings that add up in a step.
const ROUNDING: f64 = 12.0;

/// With a fixed step, orders are doubled up to this.
const HIGHEST_ORDER: usize = 4096;

/// Integrates from (t, y) to `t_end`.
pub fn solve_precise<N: Precise>(
    system: &mut dyn PreciseSystem<N>,
    t: N,
    y: Vec<N>,
    t_end: &N,
    options: &PreciseOptions<N>,
    sink: &mut dyn PreciseSink<N>,
) -> PreciseOutcome<N> {
    let peaks = y.iter().map(|y| y.log2()).collect();
    let mut run = Run {
        system,
        t_start: t.to_f64(),
        grid: t.clone(),
        t,
        f: y.clone(),
        y,
        t_end,
        options,
        sink,
        tolerance: -options.digits * LOG2_10,
        order: options.order.unwrap_or_else(|| order_for(options.digits)),
        scale: 1.0,
        peaks,
        next_row: None,
        rows: 0,
        statistics: Statistics::default(),
        products: 0.0,
    };
    let reason = run.go().err();
    let Run { t, y, mut statistics, products, .. } = run;
    let series = statistics.steps + statistics.rejected;
    statistics.evaluations = Work { f: series + 1, jets: series, ..Work::default() };
    PreciseOutcome { reason, t, y, statistics, products }
}

/// The order for so many digits.
fn order_for(digits: f64) -> usize {
    ((0.5 * LN_2 * LOG2_10 * digits).ceil() as usize + 2).max(6)
}

struct Run<'a, N> {
    system: &'a mut dyn PreciseSystem<N>,
    t: N,
    y: Vec<N>,
    f: Vec<N>,
    t_end: &'a N,
    t_start: f64,
    /// Where fixed steps are counted from.
    grid: N,
    options: &'a PreciseOptions<N>,
    sink: &'a mut dyn PreciseSink<N>,
    /// log₂ of what a step may leave out, in units of the largest value of each state so far.
    tolerance: f64,
    order: usize,
    scale: f64,
    /// log₂ of the largest value of each state so far.
    peaks: Vec<f64>,
    next_row: Option<N>,
    rows: usize,
    statistics: Statistics,
    products: f64,
}

/// A place inside of a step.
struct Place<N> {
    t: N,
    y: Vec<N>,
    slopes: Vec<N>,
}

impl<N: Precise> Run<'_, N> {
    fn go(&mut self) -> Result<(), Reason> {
        self.next_row = self.sink.row_time(0);
        self.system.begin(&self.t, &self.y, &mut self.f);
        self.check_finite(true)?;
        if self.options.every_step || self.next_row.as_ref().is_some_and(|row| *row <= self.t) {
            self.hand_over_here()?;
        }
        while self.t < *self.t_end {
            let attempts = self.statistics.steps + self.statistics.rejected;
            if attempts >= self.options.max_steps || self.products >= self.options.max_products {
                let h = self.statistics.h_min;
                return Err(Reason::MaxSteps { t: self.t.to_f64(), h, limit: attempts });
            }
            match self.options.step.clone() {
                Some(step) => self.fixed_step(&step)?,
                None => self.free_step()?,
            }
        }
        Ok(())
    }

    /// A step as long as the series allows, halved until its end satisfies the equation.
    fn free_step(&mut self) -> Result<(), Reason> {
        let mut h = self.series()?;
        let left = (self.t_end.clone() - self.t.clone()).to_f64();
        // no crumb at the end
        if h < left && h > 0.9 * left {
            h = 0.6 * left;
        }
        // A series of zeros allows any step.
        h = h.min(left);
        for _ in 0..60 {
            if h <= self.smallest_step() {
                break;
            }
            let ends = h >= left;
            let step = if ends { self.t_end.clone() - self.t.clone() } else { N::exact(h, self.options.bits) };
            let t = if ends { self.t_end.clone() } else { self.t.clone() + step.clone() };
            let y = self.values(&step);
            let slopes = self.slopes(&step);
            let inside = self.rows_inside(&t);
            let places = self.places(&step);
            let mut f = std::mem::take(&mut self.f);
            self.system.begin(&t, &y, &mut f);
            let mut good = self.defect(&slopes, &f, &y, &step);
            if good && !places.is_empty() {
                good = self.sees_all(&places, &step);
                self.system.begin(&t, &y, &mut f);
            }
            self.f = f;
            if good {
                return self.accept(t, y, &step, &inside);
            }
            self.statistics.rejected += 1;
            h *= 0.5;
            self.system.begin(&self.t, &self.y, &mut self.f);
            self.extend();
        }
        Err(self.stuck(h))
    }

    /// A step of given length.
    fn fixed_step(&mut self, step: &N) -> Result<(), Reason> {
        let h = step.to_f64();
        let count = self.statistics.steps as f64 + 1.0;
        let mut t = self.grid.clone() + step.clone() * N::splat(count);
        if t > *self.t_end || (self.t_end.clone() - t.clone()).to_f64() < 1e-9 * h {
            t = self.t_end.clone();
        }
        let step = t.clone() - self.t.clone();
        self.scale = power_of_two(h);
        if self.options.order.is_none() {
            self.order = order_for(self.options.digits);
        }
        self.extend();
        while self.options.order.is_none() && !self.is_small_behind(&step) {
            if self.order >= HIGHEST_ORDER {
                return Err(self.stuck(h));
            }
            self.order *= 2;
            self.extend();
        }
        let y = self.values(&step);
        let inside = self.rows_inside(&t);
        self.system.begin(&t, &y, &mut self.f);
        self.accept(t, y, &step, &inside)
    }

    /// Whether the last terms are below the tolerance, absolute as the method with a fixed step is defined.
    fn is_small_behind(&self, step: &N) -> bool {
        let x = (step.clone() * N::splat(1.0 / self.scale)).log2();
        let term = |k: usize, i: usize| self.system.coefficients(i)[k].log2() + k as f64 * x;
        let last = self.order - 2..=self.order;
        last.into_iter().all(|k| (0..self.y.len()).all(|i| term(k, i) <= self.tolerance))
    }

    /// The rows before the end of a step, computed while its series is still there.
    fn rows_inside(&mut self, end: &N) -> Vec<(N, Vec<N>)> {
        let mut inside = Vec::new();
        let mut row = self.next_row.clone();
        while let Some(t) = row.filter(|row| row < end) {
            let y = self.values(&(t.clone() - self.t.clone()));
            inside.push((t, y));
            row = self.sink.row_time(self.rows + inside.len());
        }
        inside
    }

    fn accept(&mut self, t: N, y: Vec<N>, step: &N, inside: &[(N, Vec<N>)]) -> Result<(), Reason> {
        for (row, y) in inside {
            let flow = self.sink.row(row, y);
            self.obey(flow)?;
            self.advance_row();
        }
        (self.t, self.y) = (t, y);
        for (peak, y) in self.peaks.iter_mut().zip(&self.y) {
            *peak = peak.max(y.log2());
        }
        self.statistics.count_step(step.to_f64(), self.order as u32);
        let flow = self.sink.step(self.t.to_f64(), step.to_f64(), self.order);
        self.obey(flow)?;
        self.check_finite(false)?;
        if self.options.every_step || self.next_row.as_ref().is_some_and(|row| *row == self.t) {
            self.hand_over_here()?;
        }
        Ok(())
    }

    fn hand_over_here(&mut self) -> Result<(), Reason> {
        let flow = self.sink.row(&self.t, &self.y);
        self.obey(flow)?;
        if self.next_row.as_ref().is_some_and(|row| *row <= self.t) {
            self.advance_row();
        }
        Ok(())
    }

    fn advance_row(&mut self) {
        self.rows += 1;
        self.next_row = self.sink.row_time(self.rows);
    }

    fn obey(&self, flow: ControlFlow<()>) -> Result<(), Reason> {
        match flow {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Reason::Interrupted { t: self.t.to_f64() }),
        }
    }

    fn check_finite(&self, at_start: bool) -> Result<(), Reason> {
        match self.f.iter().position(|f| !f.is_finite()) {
            Some(component) => Err(Reason::NotFinite { t: self.t.to_f64(), component, at_start }),
            None => Ok(()),
        }
    }

    fn extend(&mut self) {
        self.system.extend(self.scale, self.order);
        self.products += self.system.products(self.order);
    }

    /// The series at t, and the step it allows.
    fn series(&mut self) -> Result<f64, Reason> {
        let mut smaller = 0;
        for _ in 0..40 {
            self.extend();
            let broken = |i: usize| self.system.coefficients(i).iter().position(|c| !c.is_finite());
            if let Some((component, order)) = (0..self.y.len()).find_map(|i| Some((i, broken(i)?))) {
                // Too long a unit of time lets coefficients overflow; too short a one does not cure what does not exist.
                smaller += 1;
                if smaller > 6 {
                    return Err(Reason::NoSeries { t: self.t.to_f64(), component, order: order as u32 });
                }
                self.scale *= 0.5f64.powi(8 << smaller);
                continue;
            }
            let x = self.allowed();
            if x == f64::INFINITY {
                return Ok(f64::INFINITY);
            }
            if x.abs() <= 8.0 {
                return Ok(x.exp2() * self.scale);
            }
            self.scale = power_of_two((x + self.scale.log2()).clamp(-900.0, 900.0).exp2());
        }
        Err(Reason::NoSeries { t: self.t.to_f64(), component: 0, order: self.order as u32 })
    }

    /// log₂ of what rounding of the largest state leaves: the unit of a state that should be zero is at least this.
    fn noise(&self) -> f64 {
        self.peaks.iter().copied().fold(f64::NEG_INFINITY, f64::max) + ROUNDING - self.options.bits as f64
    }

    /// log₂ of the step in units of the scale: a term of order k may be e^(2(p − k)) times as large as the last one.
    fn allowed(&self) -> f64 {
        let (p, noise) = (self.order, self.noise());
        let mut least = f64::INFINITY;
        for (i, peak) in self.peaks.iter().enumerate() {
            let c = self.system.coefficients(i);
            let unit = match peak.is_finite() {
                true => *peak,
                // a state that was always zero so far is measured by what it becomes
                false => c[1..].iter().map(N::log2).fold(f64::NEG_INFINITY, f64::max),
            };
            for (k, c) in c.iter().enumerate().skip(p.saturating_sub(LAST_TERMS - 1).max(1)) {
                let size = c.log2() - unit.max(noise);
                if size > f64::NEG_INFINITY {
                    least = least.min((self.tolerance + 2.0 * LOG2_E * (p - k) as f64 - size) / k as f64);
                }
            }
        }
        least - 0.1
    }

    /// Whether the polynomial satisfies the equation at its end, in what that means for the step. What rounding of all that
    /// f is made of does to it is not the fault of the step.
    fn defect(&self, slopes: &[N], f: &[N], y: &[N], step: &N) -> bool {
        let changes = f.iter().map(|f| f.log2() + step.log2());
        let largest = changes.chain(y.iter().map(N::log2)).fold(f64::NEG_INFINITY, f64::max);
        let noise = self.noise().max(largest + ROUNDING - self.options.bits as f64);
        f.iter().enumerate().all(|(i, f)| {
            let defect = (slopes[i].clone() - f.clone()) * step.clone();
            let error = defect.log2() - ((self.order + 1) as f64).log2();
            let unit = self.peaks[i].max(y[i].log2());
            f.is_finite() && error <= (self.tolerance + 3.0 + unit).max(noise)
        })
    }

    /// Places inside of a step that are looked at.
    fn places(&self, step: &N) -> Vec<Place<N>> {
        let h = step.to_f64();
        let count = looks::of_series(h / (self.t_end.to_f64() - self.t_start), self.options.pulses);
        let place = |k: usize| {
            let since = N::exact(h * (k as f64 + 0.5) / count as f64, self.options.bits);
            Place { t: self.t.clone() + since.clone(), y: self.values(&since), slopes: self.slopes(&since) }
        };
        (0..count).map(place).collect()
    }

    /// Whether the polynomial satisfies the equation there, too: what lies between its ends leaves no trace in a series. The
    /// system is at one of these places afterwards.
    fn sees_all(&mut self, places: &[Place<N>], step: &N) -> bool {
        let mut f = self.y.clone();
        let width = step.clone() * N::splat((self.order + 1) as f64 / places.len() as f64);
        places.iter().all(|Place { t, y, slopes }| {
            self.system.begin(t, y, &mut f);
            self.defect(slopes, &f, y, &width)
        })
    }

    /// The states after a part of the step.
    fn values(&self, step: &N) -> Vec<N> {
        let x = step.clone() * N::splat(1.0 / self.scale);
        let mut powers = vec![N::exact(1.0, self.options.bits)];
        for k in 0..self.order {
            powers.push(powers[k].clone() * x.clone());
        }
        self.sums(&powers, 0)
    }

    /// Their derivatives there.
    fn slopes(&self, step: &N) -> Vec<N> {
        let x = step.clone() * N::splat(1.0 / self.scale);
        let mut power = N::exact(1.0 / self.scale, self.options.bits);
        let mut weighted = Vec::with_capacity(self.order);
        for k in 1..=self.order {
            weighted.push(power.clone() * N::splat(k as f64));
            power = power * x.clone();
        }
        self.sums(&weighted, 1)
    }

    /// Σ cₖ wₖ of all states, the smallest terms first.
    fn sums(&self, weights: &[N], from: usize) -> Vec<N> {
        let sum = |i: usize| {
            let c = &self.system.coefficients(i)[from..from + weights.len()];
            N::dot(c.iter().zip(weights).rev())
        };
        (0..self.y.len()).map(sum).collect()
    }

    /// A step shorter than this is lost against t.
    fn smallest_step(&self) -> f64 {
        let t = self.t.to_f64();
        let size = t.abs().max(t - self.t_start);
        ((4.0 - self.options.bits as f64).exp2() * size).max(f64::MIN_POSITIVE)
    }

    /// Why steps become too short: something grows, or something else.
    fn stuck(&self, h: f64) -> Reason {
        let t = self.t.to_f64();
        let growth = |i: &usize| self.f[*i].log2() - self.peaks[*i];
        let worst = (0..self.y.len()).max_by(|a, b| growth(a).total_cmp(&growth(b))).unwrap_or(0);
        match self.options.step.is_none() && growth(&worst) > 40.0 {
            true => Reason::Singularity { t, pole: t, component: worst, exponent: None },
            false => Reason::StepTooSmall { t, h, component: worst, error: f64::INFINITY },
        }
    }
}

/// The power of two next below.
fn power_of_two(x: f64) -> f64 {
    x.log2().floor().exp2()
}
