//! Several methods as one: which of them takes the steps is decided from the system, and again on the way, by what the steps of
//! each would cost.
//!
//! The explicit ones come first. Among Taylor methods the first that fits is taken; the coefficients of its series say how long
//! the steps of the Runge–Kutta method of order 8 would be for the same error, from the first series on. The method for linear
//! systems is not compared with it: for the same error it takes fewer operations (BENCHMARKS.md). An implicit one takes over where
//! it would do what is left for less ([`Forecast`]), and gives back when its steps cost more than explicit ones would: of those the
//! norm of the Jacobian and a series tell the length. All costs are counted (`cost.rs`): the same input takes the same steps
//! everywhere.
//!
//! A system with algebraic states is for an implicit one from the start.
//!
//! Where f is finite but neither a series nor ∂f/∂y exists, as at a root of zero, a method that needs f only leads away from the
//! point, if there is one way only.

use crate::domain::uniqueness::is_left_by_one_solution;
use crate::method::cost::Prices;
use crate::method::forecast::Forecast;
use crate::taylor::TARGET;
use crate::{Method, NewtonIterate, Point, Singularity, StepFailure, System, Tolerance, Trial, Work};
use ordinate_numbers::Octet;

/// While an implicit method is at work, every so many steps a look what an explicit one would cost: a Jacobian, and a series where
/// that is promising, are a tenth of what the steps cost.
const LOOK_EVERY: u32 = 8;

/// The points of a forecast stand so far apart, in implicit steps: what a Taylor method leaves of a stiff part is small against the
/// tolerance, and does not disturb differences over four steps; what a Runge–Kutta method leaves may be as large as the tolerance.
const DISTANCE: [f64; 2] = [1.0, 1.5];

/// The order at which the steps of a Taylor method are priced before there is a series, and h·‖∂f/∂y‖ that they bear:
/// 0.37 p + 1.3.
const USUAL_ORDER: f64 = 16.0;
const USUAL_REACH: f64 = 7.2;

/// What an explicit method must be cheaper by, to be taken instead of another one.
const WORTH_IT: f64 = 1.25;

/// Order and stages of the Runge–Kutta method. Its steps, as a part of the distance at which term 8 of the series has the size of
/// the tolerance, and what attempts in vain take of them: 1.2 to 1.5 (Lorenz, outer planets, 20 bodies, Kuramoto, chains of
/// Fermi–Pasta–Ulam, van der Pol, pendulums).
const RIVAL_ORDER: usize = 8;
const RIVAL_STAGES: f64 = 12.0;
const RIVAL_STEP: f64 = 1.3;
/// log₂ of its steps for the error of a series, whose first term left out is a small part of the tolerance, as a part of those for
/// the whole tolerance.
const RIVAL_SAME_ERROR: f64 = TARGET / RIVAL_ORDER as f64;
/// h·‖∂f/∂y‖ that its steps bear. Where stability limits a series of order p, which bears 0.37 p + 1.3, it limits them, too; where it
/// does not, they are shorter than that anyway for the same error.
const RIVAL_REACH: f64 = 6.0;
/// What either must be cheaper by to be taken instead of the other.
const RIVAL_WORTH_IT: f64 = 1.25;

/// A look from a Runge–Kutta method at the Taylor method costs a series: so many times that is spent in between.
const RIVAL_DISTANCE: f64 = 12.0;
/// The first series, so many, are each looked at before their steps are taken. Of the advantages of the Runge–Kutta method, as
/// logarithms, a mean over as many looks at least must be for it, in which each new one has this part at least: steps of a series
/// differ from one to the next. One look is enough if it says as much as the last of these numbers.
const RIVAL_LOOKS: u32 = 2;
const RIVAL_PART: f64 = 0.25;
const RIVAL_PLAIN: f64 = 1.0;

/// A backward differentiation formula takes so many times the steps of Radau's method for a true error of 10⁻⁴ (Robertson,
/// a reactor), and ten times that error less takes 1.35 times as many again; it must be cheaper by much, for it damps.
const BDF_STEPS: f64 = 4.3;
const BDF_EXPONENT: f64 = 0.13;
const BDF_WORTH_IT: f64 = 2.0;

/// A step that is lost against time, as a part of it.
const LOST: f64 = 100.0 * f64::EPSILON;

/// Explicit methods that tried so many steps in vain are no good here, each that they took making up for a few of them: a solution
/// that rests at the edge of the domain of f, as of h′ = −√h, is hit by none.
const MOST_IN_VAIN: u32 = 400;
const MADE_UP: u32 = 4;

/// A method and its name.
pub struct Named {
    /// As it is called in results.
    pub name: &'static str,
    /// The method.
    pub method: Box<dyn Method>,
}

/// Why a method was chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Why {
    /// The system has algebraic states.
    Algebraic,
    /// The system is linear.
    Linear,
    /// The step is given, and this method bears any.
    GivenStep,
    /// There was no reason to take another one.
    Smooth,
    /// An implicit method was to do the rest for less, first at this time.
    Stiff {
        /// Time.
        t: f64,
    },
    /// The solution has no Taylor series at this time, though it has one step after the other.
    NoSeries {
        /// Time.
        t: f64,
    },
}

/// Which methods took the steps of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// Name and accepted steps of those that took some, in the order of the choice.
    pub shares: Vec<(&'static str, u64)>,
    /// Why the last one of the choice was needed.
    pub why: Why,
}

/// Several methods as one.
pub struct AutoMethod {
    methods: Vec<Named>,
    /// Needs f only; it is at work only to leave points where nothing else is there.
    bridge: Option<Named>,
    /// It is at work, and has been for so many steps of the run.
    bridging: bool,
    bridged: u64,
    /// It has led to where the others can go on.
    across: bool,
    /// No step was taken since the last restart.
    begins: bool,
    /// Attempts of explicit methods that were in vain.
    in_vain: u32,
    /// Where the last attempt of one began.
    tried_from: f64,
    /// The first implicit one; behind the last if there is none.
    implicit: usize,
    /// The one that takes over.
    taking_over: usize,
    /// The explicit one that is asked first.
    explicit: usize,
    /// Which one is at work, if that is known since the last restart.
    active: Option<usize>,
    /// The explicit ones are not asked.
    stiff: bool,
    first_stiff: Option<f64>,
    no_series: Option<f64>,
    algebraic: bool,
    forecast: Option<Forecast>,
    ledger: Ledger,
    /// What the explicit method cost in a unit of time before the implicit one took over.
    explicit_rate: f64,
    /// Steps that need no look.
    without_look: u32,
    /// Looks from the Taylor method at the Runge–Kutta method since it took over, and the mean advantage of that.
    advantage: (u32, f64),
    /// What the Runge–Kutta method cost, and how far it came, since the last look at the Taylor method.
    since_look: (f64, f64),
    /// Steps since another method took over.
    steps: u32,
    tol: Tolerance,
    t_end: f64,
    accepted: Vec<u64>,
    jacobian: Vec<f64>,
    /// h of the step remembered.
    h: f64,
}

/// What the method at work has done since when.
#[derive(Clone, Copy, Debug)]
struct Ledger {
    of: usize,
    work: Work,
    attempts: u32,
    t: f64,
    /// The costs so far since the method took over, and when that was.
    spent: f64,
    begun: f64,
}

impl Ledger {
    fn open(of: usize, work: Work, t: f64) -> Ledger {
        Ledger { of, work, attempts: 0, t, spent: 0.0, begun: t }
    }
}

impl AutoMethod {
    /// The methods from `implicit` on are for stiff systems; there may be none of either kind.
    pub fn new(methods: Vec<Named>, implicit: usize) -> AutoMethod {
        AutoMethod {
            accepted: vec![0; methods.len()],
            methods,
            bridge: None,
            bridging: false,
            bridged: 0,
            across: false,
            begins: true,
            in_vain: 0,
            tried_from: f64::NAN,
            implicit,
            taking_over: implicit,
            explicit: 0,
            active: None,
            stiff: implicit == 0,
            first_stiff: None,
            no_series: None,
            algebraic: false,
            forecast: None,
            ledger: Ledger::open(usize::MAX, Work::default(), 0.0),
            explicit_rate: 0.0,
            without_look: 0,
            advantage: (0, 0.0),
            since_look: (0.0, 0.0),
            steps: 0,
            tol: Tolerance { rtol: 0.0, atol: Vec::new() },
            t_end: f64::INFINITY,
            jacobian: Vec::new(),
            h: 0.0,
        }
    }

    /// With a method for points that the others cannot leave.
    pub fn with_bridge(self, bridge: Named) -> AutoMethod {
        AutoMethod { bridge: Some(bridge), ..self }
    }

    /// Decides, where that is still to be done.
    fn decide(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) {
        if self.active.is_some() || self.bridging {
            return;
        }
        let alternatives = self.implicit < self.methods.len();
        self.algebraic = system.layout().algebraic > 0 && alternatives;
        let first = if (self.stiff || self.algebraic) && alternatives { self.taking_over } else { self.explicit };
        let last = self.methods.len() - 1;
        let fits = |k: &usize| self.methods[*k].method.fits(system, from, tol);
        self.active = Some((first..last).find(fits).unwrap_or(last));
        if self.tol != *tol {
            self.tol = tol.clone();
        }
    }

    /// An attempt begins.
    fn count_work(&mut self, t: f64) {
        let Some(active) = self.active.filter(|_| !self.bridging) else { return };
        if self.ledger.of != active {
            self.ledger = Ledger::open(active, self.methods[active].method.work(), t);
        }
        self.ledger.attempts += 1;
    }

    fn method(&mut self) -> &mut dyn Method {
        if let Some(bridge) = self.bridge.as_mut().filter(|_| self.bridging) {
            return &mut *bridge.method;
        }
        let active = self.active.unwrap_or(0);
        &mut *self.methods[active].method
    }

    /// Whether the active one took all steps: only then it knows their error.
    fn alone(&self) -> bool {
        let active = self.active.unwrap_or(0);
        self.bridged == 0 && self.accepted.iter().enumerate().all(|(k, steps)| k == active || *steps == 0)
    }

    fn seen(&self) -> &dyn Method {
        if let Some(bridge) = self.bridge.as_ref().filter(|_| self.bridging) {
            return &*bridge.method;
        }
        &*self.methods[self.active.unwrap_or(0)].method
    }

    /// Whether the first method, which is for linear systems only where there is a second explicit one, took the steps.
    fn linear(&self) -> bool {
        self.implicit > 1 && self.accepted[0] > 0
    }

    /// Looks whether another method should take the next steps.
    fn look(&mut self, system: &mut dyn System, from: &Point) {
        if self.bridging {
            let end = self.seen().end().to_vec();
            self.across = self.norm(system, &Point { t: from.t + self.h, y: &end, ..*from }).is_finite();
            return;
        }
        let choice = self.implicit > 0 && self.implicit < self.methods.len() && !self.algebraic;
        let Some(active) = self.active.filter(|_| choice) else { return };
        self.steps += 1;
        if active < self.implicit {
            self.without_look = match self.without_look.checked_sub(1) {
                Some(rest) => rest,
                None => self.look_from_explicit(system, from, active),
            };
        } else if self.steps.is_multiple_of(LOOK_EVERY) {
            self.look_from_implicit(system, from, active);
        }
    }

    /// Returns how many steps need no look.
    fn look_from_explicit(&mut self, system: &mut dyn System, from: &Point, active: usize) -> u32 {
        let t = from.t + self.h;
        let linear = self.is_linear(active);
        let rival = self.rival();
        let forecast = forecast_in(&mut self.forecast, system, from, linear);
        forecast.distance = DISTANCE[usize::from(Some(active) == rival)];
        let method = &*self.methods[active].method;
        let work = method.work();
        let attempts = f64::from(self.ledger.attempts);
        let spent = forecast.prices.of(&work.minus(self.ledger.work), attempts);
        self.since_look.0 += spent;
        self.since_look.1 += t - self.ledger.t;
        (self.ledger.work, self.ledger.attempts, self.ledger.t) = (work, 0, t);
        self.ledger.spent += spent;
        if forecast.comes_to(system, (t, method.end()), spent, &self.tol, self.t_end) {
            self.explicit_rate = self.ledger.spent / (t - self.ledger.begun);
            let prices = forecast.implicit(system, f64::INFINITY).expect("they are known where they were compared");
            let more = BDF_STEPS * (1e-4 / (0.05 * self.tol.rtol.max(f64::EPSILON))).powf(BDF_EXPONENT);
            let bdf =
                self.implicit + 1 < self.methods.len() && BDF_WORTH_IT * more * prices.bdf_step() < prices.radau_step();
            self.taking_over = self.implicit + usize::from(bdf);
            self.take_over(from.t);
            return 0;
        }
        let without = forecast.steps_without(spent / attempts);
        if let Some(rival) = rival.filter(|_| !linear) {
            if active == rival && self.prefers_series(system, from, rival - 1) {
                self.change_explicit(0);
            } else if active == rival - 1 && self.prefers_rival(from.t, self.h, active) {
                self.change_explicit(rival);
            }
        }
        without
    }

    /// An implicit method is to take over.
    fn take_over(&mut self, t: f64) {
        (self.stiff, self.steps) = (true, 0);
        self.first_stiff.get_or_insert(t);
    }

    /// The Runge–Kutta method, if there is one.
    fn rival(&self) -> Option<usize> {
        (self.implicit > 2).then(|| self.implicit - 1)
    }

    fn is_linear(&self, method: usize) -> bool {
        method == 0 && self.implicit > 1
    }

    /// From the next step on the explicit method is this one.
    fn change_explicit(&mut self, method: usize) {
        (self.explicit, self.advantage, self.since_look) = (method, (0, 0.0), (0.0, 0.0));
    }

    /// Before one of the first steps of the Taylor method, of length h: the Runge–Kutta method takes over where it is better. Whatever it
    /// leaves stays, so a change later on would cost the time of the one and have the error of the other.
    fn begins_with_rival(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance, h: f64) -> bool {
        let first = self.advantage.0 < RIVAL_LOOKS;
        let Some(rival) = self.rival().filter(|rival| first && self.active == Some(rival - 1)) else { return false };
        forecast_in(&mut self.forecast, system, from, false);
        if !self.prefers_rival(from.t, h, rival - 1) {
            return false;
        }
        self.change_explicit(rival);
        self.restart();
        self.decide(system, from, tol);
        self.method().prepare(system, from, tol);
        true
    }

    /// Whether the Runge–Kutta method should take over from the Taylor method, whose step of length h begins at t. They are compared at
    /// the same error: the first term that a series leaves out is a small part of the tolerance, and leaving out more would hardly make
    /// it cheaper.
    fn prefers_rival(&mut self, t: f64, h: f64, general: usize) -> bool {
        let prices = self.forecast.as_ref().expect("it was made before the first look").prices;
        let method = &*self.methods[general].method;
        let order = method.error_exponent().map_or(USUAL_ORDER, |p| f64::from(p) - 1.0);
        let Some(distance) = method.distance_of_term(RIVAL_ORDER) else { return false };
        let same_error = RIVAL_SAME_ERROR.exp2();
        let step = (RIVAL_STEP * same_error * distance).min(RIVAL_REACH / (0.37 * order + 1.3) * h);
        let left = self.t_end - t;
        let rate = prices.of_order(order) / h.min(left);
        let of_rival = prices.of_evaluations(RIVAL_STAGES) / step.min(left);
        let (looks, mean) = self.advantage;
        // Later on the small error of the steps so far, which was paid for, is given away.
        let worth_it = RIVAL_WORTH_IT / if looks < RIVAL_LOOKS { 1.0 } else { same_error };
        let advantage = (rate / (worth_it * of_rival)).ln().clamp(-RIVAL_PLAIN, RIVAL_PLAIN);
        let part = (1.0 / f64::from(looks + 1)).max(RIVAL_PART);
        self.advantage = (looks + 1, mean + part * (advantage - mean));
        self.advantage.1 > 0.0 && (self.advantage.0 >= RIVAL_LOOKS || self.advantage.1 >= RIVAL_PLAIN)
    }

    /// Whether the Taylor method should take over from the Runge–Kutta method. What the steps so far have left stays: now it is
    /// enough to be cheaper with the same tolerance.
    fn prefers_series(&mut self, system: &mut dyn System, from: &Point, general: usize) -> bool {
        let prices = self.forecast.as_ref().expect("it was made before the first look").prices;
        let (spent, time) = self.since_look;
        if spent < RIVAL_DISTANCE * prices.of_order(USUAL_ORDER) {
            return false;
        }
        self.since_look = (0.0, 0.0);
        let Some((h, order)) = self.series(system, from, general) else { return false };
        RIVAL_WORTH_IT * prices.of_order(order) / h < spent / time
    }

    /// The step that a Taylor method would take from here, and its order. It forgets what it knew.
    fn series(&mut self, system: &mut dyn System, from: &Point, method: usize) -> Option<(f64, f64)> {
        let method = &mut *self.methods[method].method;
        method.restart();
        let wish = method.preferred_step(system, from, &self.tol).ok().filter(|h| *h > 0.0);
        let order = method.error_exponent().map_or(USUAL_ORDER, |p| f64::from(p) - 1.0);
        wish.map(|h| (h, order))
    }

    fn look_from_implicit(&mut self, system: &mut dyn System, from: &Point, active: usize) {
        let (t, linear) = (from.t + self.h, self.linear());
        let forecast = forecast_in(&mut self.forecast, system, from, linear);
        let Some(prices) = forecast.implicit(system, f64::INFINITY) else { return };
        let work = self.methods[active].method.work();
        let done = work.minus(self.ledger.work);
        let attempts = f64::from(self.ledger.attempts);
        let spent =
            if active == self.implicit { prices.of_radau(&done, attempts) } else { prices.of_bdf(&done, attempts) };
        let rate = spent / (t - self.ledger.t);
        (self.ledger.work, self.ledger.attempts, self.ledger.t) = (work, 0, t);
        self.ledger.spent += spent;
        let explicit = forecast.prices;
        let norm = self.norm(system, from);
        // Without a limit by stability the series says what limits the step.
        let bears = USUAL_REACH / norm;
        if !norm.is_finite() || WORTH_IT * explicit.of_order(USUAL_ORDER) > rate * bears {
            return;
        }
        let Some(first) = (0..self.implicit).find(|k| {
            let fits = self.methods[*k].method.fits(system, from, &self.tol);
            fits && Some(*k) != self.rival()
        }) else {
            return;
        };
        let Some((h, order)) = self.series(system, from, first) else { return };
        self.methods[first].method.restart();
        if WORTH_IT * explicit.of_order(order.min(32.0)) > rate * h.min(bears) {
            return;
        }
        self.stiff = false;
        let forecast = self.forecast.as_mut().expect("just made");
        // It did not keep what was promised.
        if self.ledger.spent > self.explicit_rate * (t - self.ledger.begun) {
            forecast.disappointed();
        }
    }

    /// Counts an attempt of an explicit method from `t`: one from where the last one began shows that that was in vain.
    fn count_attempt(&mut self, system: &mut dyn System, t: f64) {
        let again = std::mem::replace(&mut self.tried_from, t) == t;
        self.in_vain = if again { self.in_vain + 1 } else { self.in_vain.saturating_sub(MADE_UP) };
        if self.in_vain > MOST_IN_VAIN && system.jacobian_pattern().is_some() {
            self.in_vain = 0;
            self.take_over(t);
        }
    }

    /// There is no series here: an implicit method takes over, or the bridge where ∂f/∂y is not finite. The solution need not be
    /// the only one then, and no method may choose; returns whether one took over.
    fn do_without_series(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) -> bool {
        let explicit = self.active.is_some_and(|active| active < self.implicit) && self.implicit < self.methods.len();
        if !explicit {
            return false;
        }
        if !self.norm(system, from).is_finite() {
            return self.build_bridge(system, from, tol);
        }
        self.no_series.get_or_insert(from.t);
        (self.stiff, self.steps) = (true, 0);
        self.restart();
        self.decide(system, from, tol);
        self.method().prepare(system, from, tol);
        true
    }

    /// The bridge takes over, if there is one and one solution to follow.
    fn build_bridge(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) -> bool {
        let tolerance: Vec<f64> = from.y.iter().enumerate().map(|(i, y)| tol.of(i, [*y; 2])).collect();
        if self.bridge.is_none() || !is_left_by_one_solution(system, from, &tolerance) {
            return false;
        }
        self.no_series.get_or_insert(from.t);
        self.restart();
        (self.bridging, self.across) = (true, false);
        self.method().prepare(system, from, tol);
        true
    }

    /// ‖∂f/∂y‖ as the largest sum of a row; infinite where there is none to be had, as in a motion along a switch.
    fn norm(&mut self, system: &mut dyn System, from: &Point) -> f64 {
        let Some(pattern) = system.jacobian_pattern() else { return f64::INFINITY };
        self.jacobian.resize(pattern.columns.len(), 0.0);
        system.jacobian(from.t, from.y, from.d, &mut self.jacobian);
        let row =
            |i: usize| self.jacobian[pattern.starts[i]..pattern.starts[i + 1]].iter().map(|v| v.abs()).sum::<f64>();
        // not a number is no norm
        (0..pattern.n).map(row).fold(0.0, |most, sum| if sum <= most { most } else { sum })
    }
}

/// What operations cost is counted once; that of a series, where the system is not linear, as soon as one is needed.
fn forecast_in<'a>(
    known: &'a mut Option<Forecast>,
    system: &mut dyn System,
    from: &Point,
    linear: bool,
) -> &'a mut Forecast {
    let d = (!linear).then_some(from.d);
    let forecast = known.get_or_insert_with(|| Forecast::new(Prices::new(system, d), DISTANCE[0]));
    if !linear && !forecast.prices.has_series() {
        forecast.prices = Prices::new(system, d);
    }
    forecast
}

impl Method for AutoMethod {
    fn try_step(
        &mut self,
        system: &mut dyn System,
        from: &Point,
        h: f64,
        tol: &Tolerance,
    ) -> Result<Trial, StepFailure> {
        self.decide(system, from, tol);
        self.h = h;
        self.count_work(from.t);
        let tried = self.method().try_step(system, from, h, tol);
        let implicit = self.active.is_some_and(|active| active >= self.implicit);
        if !implicit && !self.bridging {
            self.count_attempt(system, from.t);
        }
        match tried {
            // An implicit method that cannot even begin.
            Err(StepFailure::NotFinite { .. })
                if implicit && !self.norm(system, from).is_finite() && self.build_bridge(system, from, tol) =>
            {
                self.method().try_step(system, from, h, tol)
            }
            tried => tried,
        }
    }

    fn prepare(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) {
        self.decide(system, from, tol);
        self.method().prepare(system, from, tol);
    }

    fn chooses_step(&self) -> bool {
        self.seen().chooses_step()
    }

    fn preferred_step(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) -> Result<f64, StepFailure> {
        self.decide(system, from, tol);
        match self.method().preferred_step(system, from, tol) {
            Err(StepFailure::NoSeries { .. }) if self.do_without_series(system, from, tol) => {
                // The method that takes over does not choose its steps.
                Ok(f64::INFINITY)
            }
            // It begins right behind a root of zero: the series converges for no longer than it is away from it.
            Ok(h) if self.begins && h < LOST * from.t.abs() && self.do_without_series(system, from, tol) => {
                Ok(f64::INFINITY)
            }
            Ok(h) if self.begins_with_rival(system, from, tol, h) => Ok(f64::INFINITY),
            result => result,
        }
    }

    fn end(&self) -> &[f64] {
        self.seen().end()
    }

    fn make_dense(&mut self, system: &mut dyn System, from: &Point) -> Result<(), StepFailure> {
        self.method().make_dense(system, from)
    }

    fn interpolate(&self, theta: f64, y: &mut [f64]) {
        self.seen().interpolate(theta, y);
    }

    fn interpolate_with_slope(&self, theta: f64, y: &mut [f64], slope: &mut [f64]) {
        self.seen().interpolate_with_slope(theta, y, slope);
    }

    fn values_of_eight(&self, theta: &Octet, y: &mut [Octet]) -> bool {
        self.seen().values_of_eight(theta, y)
    }

    fn interpolate_eight(&self, theta: &Octet, y: &mut [Octet], slope: &mut [Octet]) {
        self.seen().interpolate_eight(theta, y, slope);
    }

    fn error_inside(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) -> Option<f64> {
        self.method().error_inside(system, from, tol)
    }

    fn is_polynomial(&self) -> bool {
        self.methods.iter().all(|named| named.method.is_polynomial())
    }

    fn gave_polynomial(&self) -> bool {
        self.seen().gave_polynomial()
    }

    fn polynomial(&self, state: usize, c: &mut Vec<f64>) -> bool {
        self.seen().polynomial(state, c)
    }

    fn evaluate_at_end(&mut self, system: &mut dyn System, from: &Point) -> Result<(), StepFailure> {
        self.method().evaluate_at_end(system, from)?;
        self.look(system, from);
        Ok(())
    }

    fn solves_algebraic(&self) -> bool {
        self.implicit < self.methods.len()
    }

    fn end_was_projected(&mut self, y: &[f64]) {
        self.method().end_was_projected(y);
    }

    fn accept(&mut self) {
        self.begins = false;
        if let Some(bridge) = self.bridge.as_mut().filter(|_| self.bridging) {
            bridge.method.accept();
            if self.across {
                self.restart();
                self.active = self.stiff.then_some(self.taking_over);
            }
            return;
        }
        let Some(active) = self.active else { return };
        self.methods[active].method.accept();
        let implicit = self.stiff || self.algebraic;
        let wanted = if implicit { self.taking_over } else { self.explicit };
        let changes = match self.rival().filter(|_| !implicit && active < self.implicit) {
            Some(rival) => (active == rival) != (wanted == rival),
            None => (active >= self.implicit) != implicit,
        };
        if self.implicit < self.methods.len() && changes {
            self.restart();
            self.steps = 0;
            // The explicit ones are asked when the next step begins.
            self.active = implicit.then_some(wanted);
        }
    }

    fn count_step(&mut self) {
        match self.active {
            _ if self.bridging => self.bridged += 1,
            Some(active) => self.accepted[active] += 1,
            None => {}
        }
    }

    fn restart(&mut self) {
        self.methods.iter_mut().chain(&mut self.bridge).for_each(|named| named.method.restart());
        (self.active, self.bridging, self.begins) = (None, false, true);
        self.ledger.of = usize::MAX;
        self.without_look = 0;
        if let Some(forecast) = &mut self.forecast {
            forecast.restart();
        }
    }

    fn error_exponent(&self) -> Option<u32> {
        self.seen().error_exponent()
    }

    fn order(&self) -> u32 {
        self.methods.iter().map(|named| named.method.order()).max().unwrap_or(0)
    }

    fn stiffness(&mut self, system: &mut dyn System, from: &Point) -> Option<f64> {
        // Whoever can do something about it does not complain.
        if self.implicit < self.methods.len() { None } else { self.method().stiffness(system, from) }
    }

    fn runs_until(&mut self, t_end: f64) {
        self.t_end = t_end;
    }

    fn distance_of_term(&self, order: usize) -> Option<f64> {
        self.seen().distance_of_term(order)
    }

    fn singularity(&self) -> Option<Singularity> {
        self.seen().singularity()
    }

    fn iterates(&mut self) -> Vec<NewtonIterate> {
        self.method().iterates()
    }

    fn chosen(&self) -> Option<Chosen> {
        if self.implicit == self.methods.len() {
            return None;
        }
        let bridge = self.bridge.iter().zip([&self.bridged]);
        let all = self.methods.iter().zip(&self.accepted).chain(bridge).map(|(named, steps)| (named.name, *steps));
        let mut shares: Vec<(&'static str, u64)> = Vec::new();
        for (name, steps) in all.filter(|(_, steps)| *steps > 0) {
            match shares.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += steps,
                None => shares.push((name, steps)),
            }
        }
        let why = match (self.first_stiff, self.no_series) {
            _ if self.algebraic => Why::Algebraic,
            (Some(t), _) => Why::Stiff { t },
            (None, Some(t)) => Why::NoSeries { t },
            _ if self.implicit == 0 => Why::GivenStep,
            _ if self.linear() => Why::Linear,
            _ => Why::Smooth,
        };
        Some(Chosen { shares, why })
    }

    fn insensitive_to_tolerance(&self) -> bool {
        self.linear() && self.bridged == 0 && self.accepted[1..].iter().all(|steps| *steps == 0)
    }

    fn follow_error(&mut self, at_start: &[f64]) -> bool {
        // Whether the ones that can will take all the steps is seen on the way.
        let followed = self.methods.iter_mut().map(|named| named.method.follow_error(at_start));
        followed.filter(|followed| *followed).count() > 0
    }

    fn error(&self) -> Option<&[f64]> {
        self.seen().error().filter(|_| self.alone())
    }

    fn error_within(&self, theta: f64, error: &mut [f64]) -> bool {
        match self.active {
            None if self.bridging => false,
            // At the start it is the same for all that follow it, behind a restart nobody knows it.
            None => self.methods.iter().any(|named| named.method.error_within(theta, error)),
            Some(_) => self.alone() && self.seen().error_within(theta, error),
        }
    }

    fn errors_within(&self, theta: &Octet, errors: &mut [Octet]) -> bool {
        self.active.is_some() && self.alone() && self.seen().errors_within(theta, errors)
    }

    fn work(&self) -> Work {
        self.methods.iter().chain(&self.bridge).fold(Work::default(), |sum, named| sum.plus(named.method.work()))
    }
}
