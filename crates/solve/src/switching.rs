//! Several methods as one: which of them takes the steps is decided from the system, and again on the way.
//!
//! The explicit ones come first, the first that fits is taken; when stability, not accuracy, limits its steps, the first
//! implicit one takes over, and gives back when the problem has long been easy. A system with algebraic states is for
//! an implicit one from the start.
//!
//! Where f is finite but neither a series nor ∂f/∂y exists, as at a root of zero, a method that needs f only leads away from the
//! point, if there is one way only.

use crate::octet::Octet;
use crate::stiffness::Stiffness;
use crate::uniqueness::is_left_by_one_solution;
use crate::{Method, NewtonIterate, Point, Singularity, StepFailure, System, Tolerance, Trial, Work};

/// While an implicit method is at work, every so many steps a look whether an explicit one would do.
const LOOK_EVERY: u32 = 16;

/// An explicit method would do where h·‖∂f/∂y‖ is below this: no explicit method takes steps shorter than that for the
/// sake of stability.
const EASY: f64 = 0.5;

/// A step that is lost against time, as a part of it.
const LOST: f64 = 100.0 * f64::EPSILON;

/// Explicit methods that tried so many steps in vain are no good here, each that they took making up for a few of them: a solution
/// that rests at the edge of the domain of f, as of h′ = −√h, is hit by none.
const MOST_IN_VAIN: u32 = 400;
const MADE_UP: u32 = 4;

/// So many looks in a row must find it easy; each return to the implicit method doubles it.
const LOOKS: u32 = 3;

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
    /// Stability limited the steps of the explicit method, first at this time.
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
pub struct Switching {
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
    /// Which one is at work, if that is known since the last restart.
    active: Option<usize>,
    /// The explicit ones are not asked.
    stiff: bool,
    first_stiff: Option<f64>,
    no_series: Option<f64>,
    algebraic: bool,
    watch: Stiffness,
    /// Steps since the last look, looks that found it easy, and how many are needed.
    steps: u32,
    easy: u32,
    needed: u32,
    accepted: Vec<u64>,
    jacobian: Vec<f64>,
    /// h of the step remembered.
    h: f64,
}

impl Switching {
    /// The methods from `implicit` on are for stiff systems; there may be none of either kind.
    pub fn new(methods: Vec<Named>, implicit: usize) -> Switching {
        Switching {
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
            active: None,
            stiff: implicit == 0,
            first_stiff: None,
            no_series: None,
            algebraic: false,
            watch: Stiffness::every(10),
            steps: 0,
            easy: 0,
            needed: LOOKS,
            jacobian: Vec::new(),
            h: 0.0,
        }
    }

    /// With a method for points that the others cannot leave.
    pub fn with_bridge(self, bridge: Named) -> Switching {
        Switching { bridge: Some(bridge), ..self }
    }

    /// Decides, where that is still to be done.
    fn decide(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) {
        if self.active.is_some() || self.bridging {
            return;
        }
        let alternatives = self.implicit < self.methods.len();
        self.algebraic = system.layout().algebraic > 0 && alternatives;
        let first = if (self.stiff || self.algebraic) && alternatives { self.implicit } else { 0 };
        let last = self.methods.len() - 1;
        let fits = |k: &usize| self.methods[*k].method.fits(system, from, tol);
        self.active = Some((first..last).find(fits).unwrap_or(last));
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
        if active < self.implicit {
            self.watch.watch(&mut *self.methods[active].method, system, from);
            if self.watch.found {
                self.stiff = true;
                self.first_stiff.get_or_insert(from.t);
                (self.steps, self.easy) = (0, 0);
            }
            return;
        }
        self.steps += 1;
        if !self.steps.is_multiple_of(LOOK_EVERY) {
            return;
        }
        self.easy = if self.h * self.norm(system, from) < EASY { self.easy + 1 } else { 0 };
        if self.easy == self.needed {
            self.stiff = false;
            self.needed *= 2;
            self.watch = Stiffness::every(10);
        }
    }

    /// Counts an attempt of an explicit method from `t`: one from where the last one began shows that that was in vain.
    fn count_attempt(&mut self, system: &mut dyn System, t: f64) {
        let again = std::mem::replace(&mut self.tried_from, t) == t;
        self.in_vain = if again { self.in_vain + 1 } else { self.in_vain.saturating_sub(MADE_UP) };
        if self.in_vain > MOST_IN_VAIN && system.jacobian_pattern().is_some() {
            (self.stiff, self.steps, self.easy, self.in_vain) = (true, 0, 0, 0);
            self.first_stiff.get_or_insert(t);
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
        (self.stiff, self.steps, self.easy) = (true, 0, 0);
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

impl Method for Switching {
    fn try_step(
        &mut self,
        system: &mut dyn System,
        from: &Point,
        h: f64,
        tol: &Tolerance,
    ) -> Result<Trial, StepFailure> {
        self.decide(system, from, tol);
        self.h = h;
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

    fn wishes(&self) -> bool {
        self.seen().wishes()
    }

    fn wish(&mut self, system: &mut dyn System, from: &Point, tol: &Tolerance) -> Result<f64, StepFailure> {
        self.decide(system, from, tol);
        match self.method().wish(system, from, tol) {
            Err(StepFailure::NoSeries { .. }) if self.do_without_series(system, from, tol) => {
                // Whoever takes over has no wishes, and is asked for none.
                Ok(f64::INFINITY)
            }
            // It begins right behind a root of zero: the series converges for no longer than it is away from it.
            Ok(h) if self.begins && h < LOST * from.t.abs() && self.do_without_series(system, from, tol) => {
                Ok(f64::INFINITY)
            }
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

    fn look_ahead(&mut self, system: &mut dyn System, from: &Point) -> Result<(), StepFailure> {
        self.method().look_ahead(system, from)?;
        self.look(system, from);
        Ok(())
    }

    fn solves_algebraic(&self) -> bool {
        self.implicit < self.methods.len()
    }

    fn moved(&mut self, y: &[f64]) {
        self.method().moved(y);
    }

    fn accept(&mut self) {
        self.begins = false;
        if let Some(bridge) = self.bridge.as_mut().filter(|_| self.bridging) {
            bridge.method.accept();
            if self.across {
                self.restart();
                self.active = self.stiff.then_some(self.implicit);
            }
            return;
        }
        let Some(active) = self.active else { return };
        self.methods[active].method.accept();
        let implicit = self.stiff || self.algebraic;
        if self.implicit < self.methods.len() && (active >= self.implicit) != implicit {
            self.restart();
            // The explicit ones are asked when the next step begins; all of them have wishes.
            self.active = implicit.then_some(self.implicit);
        }
    }

    fn taken(&mut self) {
        match self.active {
            _ if self.bridging => self.bridged += 1,
            Some(active) => self.accepted[active] += 1,
            None => {}
        }
    }

    fn restart(&mut self) {
        self.methods.iter_mut().chain(&mut self.bridge).for_each(|named| named.method.restart());
        (self.active, self.bridging, self.begins) = (None, false, true);
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

    fn exceeds(&self) -> bool {
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
