//! The Taylor series method: variable order, variable step, each step verified.
//!
//! The series of the solution at the start of a step says how long the step can be and which order is the cheapest; that
//! it did so rightly is seen at the end of the step, where the polynomial must satisfy the equation:
//!
//! ```text
//!   defect = p′(t + h) − f(t + h, p(t + h)),      error ≈ h · defect / (p + 1)
//! ```
//!
//! f there is the first coefficient of the next step, so the check costs nothing. Order and step by cost: À. Jorba,
//! M. Zou, Experiment. Math. 14 (2005) 99–117; defect control: W. H. Enright, BIT 29 (1989) 488–505.

mod envelope;
mod fixed;
mod global_error;
pub(crate) mod lanes;
pub(crate) mod linear;
mod polynomial;
mod precise;
mod removable;
mod singular;
mod stiff;
mod substitute;

use crate::{JetCost, Method, Point, Singularity, StepFailure, System, Tolerance, Trial, Work};
use envelope::Envelope;
pub(crate) use envelope::TARGET;
pub(crate) use fixed::IN_A_ROW;
use global_error::{Carried, Known, Made};
use ordinate_numbers::Octet;
use polynomial::Step;
pub use precise::{PreciseOptions, PreciseOutcome, PreciseSink, PreciseSystem, solve_precise};
use substitute::Substitute;

/// The highest order in double precision; beyond it rounding leaves nothing to gain.
pub const MAX_ORDER: u32 = 64;

/// The lowest order that is chosen automatically.
pub(crate) const MIN_ORDER: usize = 4;

/// The highest order that is chosen automatically for a step that is free: beyond it little time is gained, and the longer
/// the steps are, the more rounding of the first coefficients grows in the later ones.
pub(crate) const HIGHEST_CHOSEN: usize = 32;

/// The finest relative tolerance that the steps follow: what is left out is then a small part of a
/// rounding error, for it adds up with one sign while rounding changes its own.
pub(crate) const FINEST: f64 = 8.0 * f64::EPSILON;

/// A step whose error by the defect at its end is below this went as the series said. Others may have passed something that
/// the series does not know, such as a branch point.
const SURE: f64 = 1.0 / 16.0;

/// The part of the slope at the end of a step that the defect may be where nothing moves by its tolerance.
const SLOPE: f64 = 0.5;
/// The length of such steps in units of the longest one: a singularity shortens them by orders of magnitude, a rest does not.
const SHORT: f64 = 0.05;
/// So many of them are made.
const MOST_TURNS: u32 = 16;

/// Where else a step is looked at if its series does not tell how it goes on.
pub(crate) const LOOKS: [f64; 6] = [0.0613, 0.2217, 0.3941, 0.5702, 0.7389, 0.9128];

/// How the order is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TaylorOptions {
    /// The order, if it is given.
    pub order: Option<u32>,
    /// The highest order.
    pub max_order: u32,
    /// With a fixed step: the step is multiplied once by this …
    pub h_scale: Option<f64>,
    /// … when three steps in a row need no higher order than this.
    pub min_ord: u32,
}

impl TaylorOptions {
    /// As it is if nothing is asked for.
    pub const DEFAULT: TaylorOptions = TaylorOptions { order: None, max_order: MAX_ORDER, h_scale: None, min_ord: 10 };
}

impl Default for TaylorOptions {
    fn default() -> TaylorOptions {
        TaylorOptions::DEFAULT
    }
}

/// The method for systems of a given size.
pub struct Taylor {
    options: TaylorOptions,
    /// The step is given, the order follows from it.
    fixed_step: bool,
    /// Order of the next series.
    order: usize,
    /// The order that was enough for a step kept short for the sake of rounding.
    enough: Option<usize>,
    /// For very low orders: the step that the error of the last one allows.
    feedback: Option<f64>,
    /// log₂ of the cost of each order.
    costs: Vec<f64>,
    cost: JetCost,

    /// Coefficients of the series at the start of the step, of powers of time / scale.
    c: Vec<f64>,
    scale: f64,
    /// What the series says about its rest.
    envelope: Envelope,
    /// `c` belongs to the point where the next step begins.
    known: bool,
    /// The series at the end of the remembered step, or at the start after it was accepted, is begun: `f` is known.
    begun: bool,
    accepted: bool,
    f: Vec<f64>,

    h: f64,
    y1: Vec<f64>,
    /// h·p′ at the end.
    slope: Vec<f64>,
    carry: Vec<f64>,
    rest: Vec<f64>,
    weights: Vec<f64>,
    /// The largest value seen, in units of the tolerance.
    largest: f64,
    scratch: [Vec<f64>; 2],
    /// Fixed step: how many steps in a row had a low order.
    low: u32,
    scaled: bool,

    /// Takes over where there are no series, as in sliding motion.
    substitute: Option<Box<Substitute>>,
    substituted: bool,
    /// It leads across a point that the series cannot pass: steps longer than this are its own.
    across: Option<f64>,
    /// It also leads away from a point without a series, if one solution does.
    alone: bool,
    /// The longest step so far.
    longest: f64,
    /// Since anything moved by its tolerance so many short steps ended with a slope that is not that of f. Any curve is within the tolerance
    /// there, and many such steps may go anywhere: over a root the series comes back on its other branch.
    turns: u32,
    /// The substitute is at work because of that.
    rests: bool,
    /// The global error, if it is wanted.
    carried: Option<Box<Carried>>,
    work: Work,
}

impl Taylor {
    /// The method for `n` states.
    pub fn new(n: usize, options: TaylorOptions, fixed_step: bool) -> Taylor {
        let zeros = || vec![0.0; n];
        Taylor {
            options,
            fixed_step,
            order: 0,
            enough: None,
            feedback: None,
            costs: Vec::new(),
            cost: JetCost::default(),
            c: Vec::new(),
            scale: 1.0,
            envelope: Envelope::Zero,
            known: false,
            begun: false,
            accepted: false,
            f: zeros(),
            h: 0.0,
            y1: zeros(),
            slope: zeros(),
            carry: zeros(),
            rest: zeros(),
            weights: vec![0.0; n.next_multiple_of(4)],
            largest: 0.0,
            scratch: [zeros(), zeros()],
            low: 0,
            scaled: false,
            substitute: None,
            substituted: false,
            across: None,
            alone: false,
            longest: 0.0,
            turns: 0,
            rests: false,
            carried: None,
            work: Work::default(),
        }
    }

    /// With nobody else who could take over where there is no series.
    pub fn alone(self) -> Taylor {
        Taylor { alone: true, ..self }
    }

    fn highest(&self) -> usize {
        self.options.max_order.clamp(1, MAX_ORDER) as usize
    }

    /// The orders among which is chosen automatically.
    fn range(&self) -> [usize; 2] {
        let highest = self.highest().min(HIGHEST_CHOSEN);
        [MIN_ORDER.min(highest), highest]
    }

    /// f at the start of the step.
    fn begin(&mut self, system: &mut dyn System, from: &Point) -> Result<bool, StepFailure> {
        let Some(jets) = system.jets(from.d) else { return Ok(false) };
        if !(self.begun && self.accepted) {
            jets.begin(from.t, from.y, &mut self.f);
            self.work.f += 1;
            (self.begun, self.accepted) = (true, true);
        }
        if self.order == 0 {
            self.cost = jets.cost();
        }
        match self.f.iter().position(|f| !f.is_finite()) {
            Some(component) => Err(StepFailure::NotFiniteAtStart { component }),
            None => Ok(true),
        }
    }

    /// The order to begin with: as many terms as the digits asked for need at the usual price.
    fn first_order(&mut self, from: &Point, tol: &Tolerance) {
        let highest = self.highest();
        self.costs = (0..=highest).map(|p| envelope::log2(self.cost.of_order(p))).collect();
        self.order = match self.options.order {
            Some(order) => (order as usize).clamp(1, highest),
            None => {
                let digits = from.y.iter().zip(&tol.atol).map(|(y, atol)| y.abs() / (atol + tol.rtol * y.abs()));
                let digits = digits.filter(|d| d.is_finite()).fold(2.0, f64::max).min(1.0 / FINEST);
                self.largest = self.largest.max(digits);
                // As if all coefficients were as large as the value in a fitting unit of time.
                let envelope = Envelope::Geometric { level: envelope::log2(digits), rate: 0.0 };
                envelope.best_order(self.range(), &self.costs)
            }
        };
        // A first guess of the scale of time: in which y changes by itself.
        let changes = from.y.iter().zip(&self.f).filter(|(_, f)| **f != 0.0);
        let times = changes.map(|(y, f)| (y / f).abs()).filter(|time| *time > 0.0);
        let time = times.fold(f64::INFINITY, f64::min);
        self.scale = if time.is_finite() { power_of_two(time) } else { 1.0 };
    }

    /// The series at the start of the step, and the step it allows.
    fn series(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) -> Result<f64, StepFailure> {
        let n = from.y.len();
        for (w, (y, atol)) in self.weights.iter_mut().zip(from.y.iter().zip(&tol.atol)) {
            // Finer than rounding there is nothing to gain; a component that is exactly zero needs some limit.
            *w = 1.0 / (atol + tol.rtol * y.abs()).max(FINEST * y.abs()).max(f64::MIN_POSITIVE);
        }
        let mut smallest = false;
        for attempt in 0..40 {
            let order = self.order;
            self.c.resize((order + 1) * n + polynomial::PADDING, 0.0);
            let jets = system.jets(from.d).expect("it was begun");
            jets.extend(self.scale, order, &mut self.c);
            self.work.jets += 1;
            self.work.coefficients += order as u64;
            if let Some(place) = first_not_finite(&self.c, n, order) {
                // Too long a scale lets coefficients overflow; too short a one does not cure what does not exist.
                if smallest || attempt > 12 {
                    // Whoever comes back later finds neither this order nor this scale.
                    self.order = 0;
                    return Err(StepFailure::NoSeries { component: place % n, order: (place / n) as u32 });
                }
                self.scale *= 0.5f64.powi(16 << attempt.min(4));
                smallest = self.scale < 1e-280;
                continue;
            }
            self.envelope = envelope::envelope(&self.c, n, order, &self.weights);
            let x = self.envelope.step(order);
            // Coefficients that are tiny in these units may have been rounded to zero.
            if attempt < 20 && x.is_finite() && !(2f64.powi(-9)..=2f64.powi(9)).contains(&x) {
                let scale = power_of_two((x * self.scale).clamp(1e-280, 1e280));
                if scale != self.scale {
                    self.scale = scale;
                    continue;
                }
            }
            self.known = true;
            return Ok(self.keep_digits(from, tol, x) * self.scale);
        }
        Err(StepFailure::NoSeries { component: 0, order: self.order as u32 })
    }

    /// A step not so long that rounding of its largest terms would cost the digits asked for.
    fn keep_digits(&mut self, from: &Point, tol: &Tolerance, x: f64) -> f64 {
        // Half of the digits need no care: even the largest terms are exact enough.
        if tol.rtol > 1e-9 {
            return x;
        }
        let sizes = from.y.iter().zip(&self.weights).map(|(y, w)| y.abs() * w);
        let value = sizes.fold(1.0, |most: f64, size| if size > most { size } else { most });
        if !self.envelope.bulges(value) {
            return x;
        }
        let most = (tol.rtol / f64::EPSILON / 8.0).clamp(16.0, 1e6);
        let n = from.y.len();
        match envelope::without_cancellation(&self.c, n, self.order, &self.weights, x, most) {
            Some((shorter, order)) => {
                // Such a step needs fewer terms: the next series is made no longer than that.
                if self.options.order.is_none() {
                    self.enough = Some(order);
                }
                shorter
            }
            None => x,
        }
    }

    /// The error of the remembered step in units of the tolerance by the defect at its end, where f is known.
    fn defect_at_end(&mut self, from: &Point, tol: &Tolerance) -> (f64, usize) {
        let ends = self.slope.iter().zip(&self.f).zip(self.y1.iter().zip(from.y)).enumerate();
        let mut worst = (0.0, 0);
        let (mut moves, mut follows) = (false, 0.0f64);
        for (i, ((slope, f), (y1, y0))) in ends {
            let change = self.h * f;
            let size = y0.abs().max(y1.abs());
            // What rounding makes of it is not the fault of the step.
            let noise = 4.0 * f64::EPSILON * (size + change.abs() + slope.abs());
            let defect = ((slope - change).abs() - noise).max(0.0);
            let error = defect / (self.order + 1) as f64;
            let allowed = tol.atol[i] + tol.rtol * size;
            if error > worst.0 * allowed {
                worst = (error / allowed, i);
            }
            moves |= slope.abs().max(change.abs()) > allowed;
            if defect > follows * slope.abs().max(change.abs()) {
                follows = defect / slope.abs().max(change.abs());
            }
        }
        self.turns = match follows > SLOPE {
            _ if moves => 0,
            true if self.h < SHORT * self.longest => self.turns + 1,
            _ => self.turns,
        };
        worst
    }

    /// The same at a number of points inside, for a series that does not tell how it goes on: there the defect is not that
    /// of the first power left out, so all of it counts.
    fn defect_inside(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) -> (f64, usize) {
        let mut worst: (f64, usize) = (0.0, 0);
        for theta in LOOKS {
            let [y, f] = &mut self.scratch;
            let h = theta * self.h;
            polynomial::value_and_slope(&self.c, self.order, h / self.scale, y, &mut self.slope);
            system.derivative(from.t + h, y, from.d, f);
            self.work.f += 1;
            for (i, (slope, f)) in self.slope.iter().zip(f.iter()).enumerate() {
                let noise = 4.0 * f64::EPSILON * (y[i].abs() + (h * f).abs() + slope.abs());
                let error = ((slope - h * f).abs() / theta - noise).max(0.0);
                let scaled = error / tol.of(i, [y[i], from.y[i]]);
                if scaled > worst.0 || scaled.is_nan() {
                    worst = (if scaled.is_nan() { f64::INFINITY } else { scaled }, i);
                }
            }
        }
        worst
    }

    /// Evaluates the polynomial at `h` and f there.
    fn go_to(&mut self, system: &mut dyn System, from: &Point, h: f64) -> Result<(), StepFailure> {
        self.h = h;
        Step {
            c: &self.c,
            order: self.order,
            x: h / self.scale,
            carry: &self.carry,
            y: &mut self.y1,
            rest: &mut self.rest,
            slope: &mut self.slope,
        }
        .evaluate();
        let t = from.t + h;
        if let Some(component) = self.y1.iter().position(|y| !y.is_finite()) {
            return Err(StepFailure::NotFinite { t, component });
        }
        let jets = system.jets(from.d).expect("there is a series");
        jets.begin(t, &self.y1, &mut self.f);
        self.work.f += 1;
        (self.begun, self.accepted) = (true, false);
        match self.f.iter().position(|f| !f.is_finite()) {
            Some(component) => Err(StepFailure::NotFinite { t, component }),
            None => Ok(()),
        }
    }
}

/// The place of the first number that is not finite. What is not finite at one power is not at all higher ones, so the
/// last row of n tells.
fn first_not_finite(c: &[f64], n: usize, order: usize) -> Option<usize> {
    let last = &c[order * n..(order + 1) * n];
    if last.iter().all(|c| c.is_finite()) { None } else { c.iter().position(|c| !c.is_finite()) }
}

/// The power of two next below; multiplication by it rounds nothing.
fn power_of_two(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & (0x7ff << 52)).max(f64::MIN_POSITIVE)
}

impl Method for Taylor {
    fn chooses_step(&self) -> bool {
        true
    }

    fn preferred_step(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) -> Result<f64, StepFailure> {
        self.substituted = !self.begin(system, from)?;
        if self.substituted {
            self.across = None;
            return self.wish_of_substitute(system, from, tol);
        }
        if let Some(h) = self.wish_at_rest(from, tol) {
            return Ok(h);
        }
        if self.order == 0 {
            self.first_order(from, tol);
        } else if self.options.order.is_none() {
            let range = self.range();
            self.order = match self.enough.take() {
                Some(order) => order.clamp(range[0], range[1]),
                None => self.envelope.better_order(self.order, range, &self.costs),
            };
        }
        let mut h = match self.series(system, from, tol) {
            Err(StepFailure::NoSeries { .. }) if self.leaves(system, from, tol) => {
                return self.wish_to_leave(system, from, tol);
            }
            made => made?,
        };
        // So few coefficients do not tell how a series goes on; the error of the step before does.
        if self.order < MIN_ORDER {
            h = self.feedback.unwrap_or(h);
        }
        if let Some(carried) = &mut self.carried {
            let x = (h / self.scale).min(2f64.powi(9));
            let known = Known { f: &self.f, c: &self.c, order: self.order, scale: self.scale, x };
            carried.expand(system, from, &known);
            // The series that was begun is that of another point.
            self.begun = false;
        }
        Ok(self.wish_across(system, from, tol, h).unwrap_or(h))
    }

    fn try_step(
        &mut self,
        system: &mut dyn System,
        from: &Point,
        h: f64,
        tol: &Tolerance,
    ) -> Result<Trial, StepFailure> {
        if self.fixed_step {
            return self.fixed(system, from, h, tol);
        }
        if let Some(allowed) = self.across {
            self.substituted = h > allowed;
            // What the substitute knows is where it was.
            self.across = self.across.filter(|_| self.substituted);
        }
        if self.substituted {
            return self.substitute_step(system, from, h, tol);
        }
        self.go_to(system, from, h)?;
        if let Some(carried) = &mut self.carried {
            carried.step(&Made { h, x: h / self.scale, order: self.order, slope: &self.slope, f: &self.f });
        }
        let (mut error, mut worst) = self.defect_at_end(from, tol);
        if self.turns > MOST_TURNS && self.may_substitute(system) {
            // A solution that comes to rest there does so by a method that knows no branches, and one that leaves the domain ends.
            if self.first_across(system, from, tol, true).is_some() {
                (self.substituted, self.across, self.rests, self.turns) = (true, Some(0.0), true, 0);
                return self.substitute_step(system, from, h, tol);
            }
        }
        if error <= 1.0 && (error > SURE || !self.envelope.is_clear()) {
            let inside = self.defect_inside(system, from, tol);
            if inside.0 > error {
                (error, worst) = inside;
            }
        }
        if self.order < MIN_ORDER {
            let factor = (0.25 / error.max(1e-12)).powf(1.0 / (self.order + 1) as f64);
            self.feedback = Some(h * factor.clamp(0.2, 5.0));
        }
        let next_h = (error > 1.0).then(|| {
            let factor = (0.25 / error).powf(1.0 / (self.order + 1) as f64);
            h * if factor.is_nan() { 0.1 } else { factor.clamp(0.1, 0.9) }
        });
        Ok(Trial { error, worst, order: self.order as u32, next_h })
    }

    fn end(&self) -> &[f64] {
        match &self.substitute {
            Some(substitute) if self.substituted => substitute.method().end(),
            _ => &self.y1,
        }
    }

    fn make_dense(&mut self, system: &mut dyn System, from: &Point) -> Result<(), StepFailure> {
        match &mut self.substitute {
            Some(substitute) if self.substituted => substitute.method_mut().make_dense(system, from),
            _ => Ok(()),
        }
    }

    fn interpolate(&self, theta: f64, y: &mut [f64]) {
        match &self.substitute {
            Some(substitute) if self.substituted => substitute.method().interpolate(theta, y),
            _ => polynomial::value(&self.c, self.order, theta * self.h / self.scale, y),
        }
    }

    fn values_of_eight(&self, theta: &Octet, y: &mut [Octet]) -> bool {
        if !self.substituted {
            let x = theta.0.map(|theta| theta * self.h / self.scale);
            polynomial::eight_values(&self.c, self.order, &Octet(x), y);
        }
        !self.substituted
    }

    fn interpolate_with_slope(&self, theta: f64, y: &mut [f64], slope: &mut [f64]) {
        match &self.substitute {
            Some(substitute) if self.substituted => substitute.method().interpolate_with_slope(theta, y, slope),
            _ => {
                polynomial::value_and_slope(&self.c, self.order, theta * self.h / self.scale, y, slope);
                slope.iter_mut().for_each(|slope| *slope /= theta);
            }
        }
    }

    fn interpolate_eight(&self, theta: &Octet, y: &mut [Octet], slope: &mut [Octet]) {
        match &self.substitute {
            Some(substitute) if self.substituted => substitute.method().interpolate_eight(theta, y, slope),
            _ => {
                let x = self.h / self.scale;
                polynomial::eight_values_and_slopes(&self.c, self.order, &Octet(theta.0.map(|t| t * x)), y, slope);
                slope.iter_mut().for_each(|slope| slope.0.iter_mut().for_each(|slope| *slope *= x));
            }
        }
    }

    fn error_inside(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) -> Option<f64> {
        self.error_inside_substitute(system, from, tol)
    }

    fn is_polynomial(&self) -> bool {
        true
    }

    fn gave_polynomial(&self) -> bool {
        !self.substituted
    }

    fn polynomial(&self, state: usize, c: &mut Vec<f64>) -> bool {
        if !self.substituted {
            polynomial::of_state(&self.c, self.y1.len(), state, self.order, self.h / self.scale, c);
        }
        !self.substituted
    }

    fn evaluate_at_end(&mut self, system: &mut dyn System, from: &Point) -> Result<(), StepFailure> {
        match &mut self.substitute {
            Some(substitute) if self.substituted => substitute.method_mut().evaluate_at_end(system, from),
            _ => Ok(()),
        }
    }

    fn end_was_projected(&mut self, y: &[f64]) {
        match &mut self.substitute {
            Some(substitute) if self.substituted => substitute.method_mut().end_was_projected(y),
            _ => {
                self.y1.copy_from_slice(y);
                self.rest.fill(0.0);
                if let Some(carried) = &mut self.carried {
                    carried.lose();
                }
                // The series that was begun is that of another point.
                (self.begun, self.accepted) = (false, false);
            }
        }
    }

    fn accept(&mut self) {
        if self.substituted {
            if let Some(substitute) = &mut self.substitute {
                substitute.method_mut().accept();
            }
            return;
        }
        self.accepted = self.begun;
        self.known = false;
        self.longest = self.longest.max(self.h);
        if let Some(carried) = &mut self.carried {
            carried.accept();
        }
        std::mem::swap(&mut self.carry, &mut self.rest);
        // The next series is computed in units of this step.
        self.scale = power_of_two(self.h);
    }

    fn restart(&mut self) {
        (self.known, self.begun, self.accepted) = (false, false, false);
        self.feedback = None;
        self.carry.fill(0.0);
        // Before the first step nothing has happened yet.
        if let Some(carried) = self.carried.as_mut().filter(|_| self.work.jets > 0) {
            carried.lose();
        }
        if let Some(substitute) = &mut self.substitute {
            substitute.restart();
        }
        (self.across, self.rests) = (None, false);
    }

    fn error_exponent(&self) -> Option<u32> {
        Some(self.order.max(1) as u32 + 1)
    }

    fn order(&self) -> u32 {
        self.options.order.unwrap_or(self.options.max_order)
    }

    fn stiffness(&mut self, system: &mut dyn System, from: &Point) -> Option<f64> {
        match &mut self.substitute {
            // Across a point at which the series is lost it is at work for a few steps only.
            Some(_) if self.substituted && self.across.is_some() => None,
            Some(substitute) if self.substituted => substitute.method_mut().stiffness(system, from),
            // The order is such that the error of a given step is small: it cannot be unstable.
            _ if self.fixed_step && self.options.order.is_none() => None,
            _ => self.stiffness_of_series(from),
        }
    }

    fn distance_of_term(&self, order: usize) -> Option<f64> {
        if self.substituted || self.order == 0 {
            return None;
        }
        let order = order.min(self.order);
        let n = self.f.len();
        let terms = self.c[order * n..(order + 1) * n].iter().zip(&self.weights);
        let size = terms.map(|(c, weight)| c.abs() * weight).fold(0.0, f64::max);
        Some(self.scale * size.powf(-1.0 / order as f64))
    }

    fn singularity(&self) -> Option<Singularity> {
        let seen = singular::nearest(&self.c, self.y1.len(), self.order).filter(|_| self.known)?;
        Some(Singularity { distance: seen.distance * self.scale, ..seen })
    }

    fn follow_error(&mut self, at_start: &[f64]) -> bool {
        // Of a fixed step so many terms are taken that what is left out is rounding.
        if !self.fixed_step {
            self.carried = Some(Box::new(Carried::new(at_start)));
        }
        self.carried.is_some()
    }

    fn error(&self) -> Option<&[f64]> {
        self.carried.as_ref().and_then(|carried| carried.now())
    }

    fn error_within(&self, theta: f64, error: &mut [f64]) -> bool {
        self.carried.as_ref().is_some_and(|carried| carried.within(theta, error))
    }

    fn errors_within(&self, theta: &Octet, errors: &mut [Octet]) -> bool {
        self.carried.as_ref().is_some_and(|carried| carried.eight_within(theta, errors))
    }

    fn work(&self) -> Work {
        let substitute = self.substitute.as_ref().map_or(Work::default(), |substitute| substitute.work());
        self.work.plus(substitute)
    }
}
