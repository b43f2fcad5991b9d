//! The global error of a Taylor solution, carried along with it.
//!
//! With δ = computed − true at the start of a step, the series through the true point is that of y − δ; the difference of both
//! series tells how the error goes on. A step adds what its polynomial leaves out, by the defect at its end, and rounding, by f
//! with constants and operations rounded the other way:
//!
//! ```text
//!   δ(t + h) = Σ (cₖ(y) − cₖ(y − s δ))/s · hᵏ  +  h · defect/(p + 1)  +  h · (f − f̃)        k = 0 … q
//! ```
//!
//! An error so small that the difference would be rounding is enlarged by s; others go on as they are, without linearisation.
//! The difference is wanted to a few digits only, so its series ends at a lower order q < p: a part of the price of the step.

use super::polynomial;
use crate::{Point, System};
use ordinate_numbers::Octet;

/// A displacement of this part of the values is not lost in rounding, and small enough to be linear.
const DISPLACEMENT: f64 = 9.5367431640625e-7;

/// What a difference may leave out in the first steps, as part of it; later ones of a long run, in which it adds up, less and
/// less: in all steps with one sign it is a factor of (1 + k/STEPS)^(FIRST·STEPS) after k steps.
const FIRST: f64 = 1e-4;
const STEPS: f64 = 20.0;

/// An order is lowered where the term before is this part of what may be left out: to find that it is too low costs a series.
const AGAIN: f64 = 0.3;

/// What a row inside of a step may leave out of the error of the step itself.
const SHOWN: f64 = 0.05;

/// Errors that grow more than this in one step grow by the step, not by the system: it is far beyond what the stability of the
/// series bears. What becomes of them only another run tells.
const GROWTH: f64 = 100.0;

/// The error so far.
#[derive(Clone, Debug)]
pub(super) struct Carried {
    /// δ at the start of the step.
    now: Vec<f64>,
    /// The largest part of a value that it is.
    now_part: f64,
    /// Its series over the step, in the units of that of the solution, and its order.
    c: Vec<f64>,
    order: usize,
    /// 1 / the size of each state, 0 where that is not known.
    weights: Vec<f64>,
    /// f − f̃ at the start of the step.
    rounding: Vec<f64>,
    /// What the step leaves out, and the largest part of a value that it is.
    left_out: Vec<f64>,
    left_part: f64,
    /// Whether that is more than a small part of the error.
    shows: bool,
    h: f64,
    /// h in units of the series, and the power with which `left_out` grows.
    x: f64,
    power: i32,
    displaced: Vec<f64>,
    f: Vec<f64>,
    /// The series of the displaced point.
    series: Vec<f64>,
    steps: f64,
    /// It is not known behind an event.
    lost: bool,
}

/// The series of the solution at the start of a step.
pub(super) struct Known<'a> {
    pub f: &'a [f64],
    pub c: &'a [f64],
    pub order: usize,
    pub scale: f64,
    /// The step that will be tried, in units of the scale.
    pub x: f64,
}

/// A step that was made.
pub(super) struct Made<'a> {
    pub h: f64,
    pub x: f64,
    pub order: usize,
    /// h·p′ and f at its end.
    pub slope: &'a [f64],
    pub f: &'a [f64],
}

impl Carried {
    /// Begins with the error of the start values.
    pub fn new(at_start: &[f64]) -> Carried {
        let zeros = || vec![0.0; at_start.len()];
        Carried {
            now: at_start.to_vec(),
            now_part: 0.0,
            c: Vec::new(),
            order: 0,
            weights: zeros(),
            rounding: zeros(),
            left_out: zeros(),
            left_part: 0.0,
            shows: true,
            h: 0.0,
            x: 0.0,
            power: 1,
            displaced: zeros(),
            f: zeros(),
            series: Vec::new(),
            steps: 0.0,
            lost: false,
        }
    }

    /// The error at the end of the step accepted last, or at the start.
    pub fn now(&self) -> Option<&[f64]> {
        if self.lost { None } else { Some(&self.now) }
    }

    /// The state or the system changes in a way that nobody tells.
    pub fn lose(&mut self) {
        self.lost = true;
    }

    /// Expands the error from a point where the series of the solution is known. The jets of the system are those of another
    /// point afterwards.
    pub fn expand(&mut self, system: &mut dyn System, from: &Point, known: &Known) {
        if self.lost {
            return;
        }
        let n = from.y.len();
        // However much a step leaves out: where f cancels, rounding may be more.
        if system.derivative_rounded_otherwise(from.t, from.y, from.d, &mut self.f) {
            self.rounding.iter_mut().zip(known.f.iter().zip(&self.f)).for_each(|(r, (own, other))| *r = own - other);
        }
        // The change in the step tells the size of what passes through zero.
        for (w, (y, c)) in self.weights.iter_mut().zip(from.y.iter().zip(&known.c[n..])) {
            let size = y.abs() + c.abs();
            *w = if size > f64::MIN_POSITIVE { 1.0 / size } else { 0.0 };
        }
        let part = self.part(&self.now);
        self.now_part = part;
        if part == 0.0 {
            self.order = 0;
            self.c.clear();
            self.c.extend_from_slice(&self.now);
            self.c.resize(n + polynomial::PADDING, 0.0);
            return;
        }
        let s = if part < DISPLACEMENT { super::power_of_two(DISPLACEMENT / part) } else { 1.0 };
        for ((z, y), e) in self.displaced.iter_mut().zip(from.y).zip(&self.now) {
            *z = y - s * e;
        }
        let Some(jets) = system.jets(from.d) else { return self.lose() };
        jets.begin(from.t, &self.displaced, &mut self.f);
        // Exact: s is a power of two.
        let enlarged = 1.0 / s;
        let allowed = FIRST / (1.0 + self.steps / STEPS);
        self.order = if self.order < 2 { known.order / 2 } else { self.order }.clamp(2.min(known.order), known.order);
        loop {
            let length = (self.order + 1) * n;
            self.series.resize(length + polynomial::PADDING, 0.0);
            jets.extend(known.scale, self.order, &mut self.series);
            self.c.resize(length + polynomial::PADDING, 0.0);
            let both = self.series[n..length].iter().zip(&known.c[n..length]);
            self.c[n..length].iter_mut().zip(both).for_each(|(c, (other, own))| *c = (own - other) * enlarged);
            self.c[..n].copy_from_slice(&self.now);
            let term = |k: usize, power: f64| self.part(&self.c[k * n..(k + 1) * n]) * power;
            let whole = part.max(term(1, known.x));
            let power = known.x.powi(self.order as i32 - 1);
            let [before, last] = [term(self.order - 1, power), term(self.order, power * known.x)];
            if last > allowed * whole && self.order < known.order {
                // one more than the decrease from the first to the last one says
                let rate = (last / whole).min(0.5).powf(1.0 / self.order as f64);
                let missing = (allowed * whole / last).ln() / rate.ln();
                self.order = self.order.saturating_add(1 + missing as usize).min(known.order);
                continue;
            }
            // the next one may do with less, if it will not need more again at once
            let fewer = self.order > 3 && before < AGAIN * allowed * whole;
            self.order -= usize::from(fewer);
            self.lost |= last.is_nan();
            return;
        }
    }

    /// The largest element of a vector in units of the sizes of the states, NaN if one is not a number.
    fn part(&self, of: &[f64]) -> f64 {
        let parts = of.iter().zip(&self.weights).map(|(e, w)| e.abs() * w);
        parts.fold(0.0, |most, part| if part > most || part.is_nan() { part } else { most })
    }

    /// The step that was expanded is made.
    pub fn step(&mut self, made: &Made) {
        let weight = 1.0 / (made.order + 1) as f64;
        for (left, (slope, f)) in self.left_out.iter_mut().zip(made.slope.iter().zip(made.f)) {
            *left = weight * (slope - made.h * f);
        }
        self.left_part = self.part(&self.left_out);
        self.shows = self.left_part > SHOWN * self.now_part;
        (self.h, self.x, self.power) = (made.h, made.x, made.order as i32 + 1);
    }

    /// The error at a part of the step made last; at the start of a run, that of the start.
    pub fn within(&self, theta: f64, error: &mut [f64]) -> bool {
        if self.lost {
            return false;
        }
        if theta == 1.0 {
            self.at_end(error);
        } else {
            polynomial::value(&self.c, self.order, theta * self.x, error);
            // What the step leaves out shows near its end only; where it is a small part, not even there.
            let left = if self.shows { theta.powi(self.power) } else { 0.0 };
            let h = theta * self.h;
            for (e, (left_out, rounding)) in error.iter_mut().zip(self.left_out.iter().zip(&self.rounding)) {
                *e += left * left_out + h * rounding;
            }
        }
        true
    }

    /// The same at eight parts, none of which is the end.
    pub fn eight_within(&self, theta: &Octet, errors: &mut [Octet]) -> bool {
        if self.lost {
            return false;
        }
        polynomial::eight_values(&self.c, self.order, &Octet(theta.0.map(|theta| theta * self.x)), errors);
        if self.shows {
            let left = theta.0.map(|theta| theta.powi(self.power));
            for (errors, left_out) in errors.iter_mut().zip(&self.left_out) {
                errors.0.iter_mut().zip(left).for_each(|(e, left)| *e += left * left_out);
            }
        }
        for (errors, rounding) in errors.iter_mut().zip(&self.rounding).filter(|(_, rounding)| **rounding != 0.0) {
            let slope = self.h * rounding;
            errors.0.iter_mut().zip(theta.0).for_each(|(e, theta)| *e += theta * slope);
        }
        true
    }

    fn at_end(&self, error: &mut [f64]) {
        if self.h == 0.0 {
            return error.copy_from_slice(&self.now);
        }
        polynomial::value(&self.c, self.order, self.x, error);
        for (e, (left_out, rounding)) in error.iter_mut().zip(self.left_out.iter().zip(&self.rounding)) {
            *e += left_out + self.h * rounding;
        }
    }

    /// The step becomes history.
    pub fn accept(&mut self) {
        if self.lost {
            return;
        }
        let mut now = std::mem::take(&mut self.now);
        self.at_end(&mut now);
        let after = self.part(&now);
        if after > GROWTH * (self.now_part + self.left_part) {
            self.lost |= after > GROWTH * (self.now_part + self.left_part + self.h * self.part(&self.rounding));
        }
        self.lost |= after.is_nan();
        self.now = now;
        self.steps += 1.0;
    }
}
