//! What happens at an instant: modes change, conditions become true, actions run, until all is quiet.

pub(crate) mod functions;
pub(crate) mod grazes;
pub(crate) mod instants;
pub(crate) mod location;
pub(crate) mod modes;
pub(crate) mod saltation;
pub(crate) mod simultaneous;
pub(crate) mod sliding;
pub(crate) mod zeno;

use crate::constraints::{ConstraintSolver, Place, StartConditions};
use crate::events::functions::Step;
use crate::events::grazes::Graze;
use crate::events::instants::Instants;
use crate::events::location::{Crossing, Crossings, Found, Limits};
use crate::events::modes::{ModeResolver, Moment};
use crate::events::saltation::{Cause, Saltation};
use crate::events::sliding::{Boundary, Flow};
use crate::events::zeno::Guard;
use crate::{Layout, Method, Mixture, Reaction, Reason, Selection, Tolerance, UsageError, Zeno};

/// Actions may trigger actions so often at one instant.
const ROUNDS: usize = 100;

/// Everything about events of one run.
#[derive(Clone, Debug)]
pub(crate) struct Events {
    instants: Instants,
    switches: ModeResolver,
    crossings: Crossings,
    guard: Guard,
    reactions: Vec<Reaction>,
    t_end: f64,
    /// Where a delayed value is not smooth next.
    next_break: f64,
    /// Number of held values.
    held: usize,
    /// Whether each condition was true.
    truth: Vec<bool>,
    truth_now: Vec<bool>,
    actions: Vec<usize>,
    d_test: Vec<f64>,
    /// The discrete values that actions read.
    d_read: Vec<f64>,
    new_y: Vec<f64>,
    new_d: Vec<f64>,
    /// The states that the actions of one round assign.
    assigned: Vec<bool>,
    /// State and discrete values before the instant.
    pub y_before: Vec<f64>,
    pub d_before: Vec<f64>,
    /// The mixture before the instant, and the boundaries it was of.
    pub mixture_before: Option<Mixture>,
    slid: Vec<Boundary>,
    /// The first time at which two actions gave one value two values, and its place, that of the held ones behind the states.
    pub conflict: Option<(f64, usize)>,
    /// What happens to variations.
    saltation: Option<Saltation>,
    /// An action of a condition ran at the last instant.
    acted: bool,
    true_at_start: Vec<usize>,
}

/// The point in time at which something happens; what happens there changes y and d.
pub(crate) struct EventPoint<'a> {
    pub t: f64,
    pub y: &'a mut [f64],
    pub d: &'a mut [f64],
    /// A length of time in which things happen: the step.
    pub scale: f64,
    /// Attempts at steps until now.
    pub attempts: u64,
}

/// What happened at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct EventEffect {
    /// The system is another one now, or its state: the method must start anew.
    pub changed: bool,
    /// The state jumped.
    pub jumped: bool,
    /// An action of a condition ran.
    pub acted: bool,
    /// This condition ends the run.
    pub stop: Option<usize>,
    /// A breaking point of a delayed value was passed: the method must start anew, too.
    pub broke: bool,
}

impl Events {
    pub fn new(
        layout: &Layout,
        (t_start, t_end): (f64, f64),
        most_steps: u64,
        tol: &Tolerance,
    ) -> Result<Events, UsageError> {
        let (y, d) = (vec![0.0; layout.states], vec![0.0; layout.discrete()]);
        let conditions = vec![false; layout.conditions.len()];
        Ok(Events {
            instants: Instants::new(layout, t_start, t_end)?,
            switches: ModeResolver::new(layout),
            crossings: Crossings::new(layout.switches.len(), tol),
            guard: Guard::new(layout.switches.len(), (t_start, t_end), most_steps),
            reactions: layout.conditions.clone(),
            t_end,
            next_break: f64::INFINITY,
            held: layout.held,
            truth: conditions.clone(),
            truth_now: conditions,
            actions: Vec::new(),
            d_test: d.clone(),
            d_read: d.clone(),
            new_y: y.clone(),
            new_d: d.clone(),
            assigned: vec![false; layout.states],
            y_before: y,
            d_before: d,
            mixture_before: None,
            slid: Vec::new(),
            conflict: None,
            saltation: Saltation::new(layout),
            acted: false,
            true_at_start: Vec::new(),
        })
    }

    /// The next time that a step must not pass.
    pub fn next_instant(&self) -> f64 {
        let (instant, broken) = (self.instants.next(), self.next_break);
        // A sample that falls on a breaking point but for rounding is one point in time with it.
        let same = (instant - broken).abs() <= 8.0 * f64::EPSILON * broken.abs() && instant.is_finite();
        if same { instant } else { instant.min(broken) }
    }

    /// Whether steps must be searched.
    pub fn searching(&self) -> bool {
        self.crossings.active()
    }

    /// Where several solutions began or parted.
    pub fn selections(&mut self) -> &mut Vec<Selection> {
        &mut self.switches.selections
    }

    /// Where switches came near to their boundaries and turned back.
    pub fn take_grazes(&mut self) -> Vec<Graze> {
        self.crossings.take_grazes()
    }

    /// Keeps one more.
    pub fn tell(&mut self, selection: Selection) {
        self.switches.tell(selection);
    }

    /// The conditions that were true at the start.
    pub fn true_at_start(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.true_at_start)
    }

    /// Evaluations of f that the methods do not see.
    pub fn evaluations(&self) -> u64 {
        self.switches.evaluations
    }

    /// The start. What is true by the start values themselves does not fire; what becomes true right behind them does:
    /// a ball that lies on the floor and moves downwards bounces.
    pub fn begin(
        &mut self,
        flow: &mut Flow,
        now: &mut EventPoint,
        wishes: &StartConditions,
    ) -> Result<EventEffect, Reason> {
        self.keep(flow, now);
        self.instants.enter(flow.system, now.t, now.d, &mut self.actions)?;
        self.switches.exact_modes(flow.system, now.t, now.y, now.d);
        self.find_start(flow, now, wishes)?;
        let mut happened = EventEffect::default();
        self.run_samples(flow, now, &mut happened)?;
        self.switches.exact_modes(flow.system, now.t, now.y, now.d);
        // As for the other switches, what is not true at the start itself but right behind it becomes true.
        self.d_test.copy_from_slice(now.d);
        let moment = Moment { t: now.t, y: now.y, scale: now.scale };
        self.switches.exact_time_modes(flow.system, &moment, &mut self.d_test);
        flow.system.conditions(&self.d_test, &mut self.truth);
        self.true_at_start = (0..self.truth.len()).filter(|&k| self.truth[k]).collect();
        self.y_before.copy_from_slice(now.y);
        self.d_before.copy_from_slice(now.d);
        let happened = self.iterate_events(flow, now, happened)?;
        let moment = Moment { t: now.t, y: now.y, scale: now.scale };
        self.switches.tell_relays(flow, &moment, now.d);
        if let Some(saltation) = &mut self.saltation {
            saltation.start(flow, now)?;
        }
        self.look_back(flow, now.t, &EventEffect::default());
        Ok(happened)
    }

    /// What happened is part of the past from now on, and comes back.
    fn look_back(&mut self, flow: &mut Flow, t: f64, happened: &EventEffect) {
        if let Some(history) = flow.system.history() {
            if happened.changed {
                history.jump(t, happened.jumped);
            }
            self.next_break = history.next_break();
        }
    }

    /// States that fulfil the equations, with the modes that belong to them.
    fn find_start(&mut self, flow: &mut Flow, now: &mut EventPoint, wishes: &StartConditions) -> Result<(), Reason> {
        let mut at = Place { t: now.t, y: now.y, d: now.d };
        if let Some(consistency) = &mut flow.consistency {
            return consistency.begin(flow.system, &mut self.switches, &mut at, wishes);
        }
        // What is stated of a variable may choose the side of a switch, and stand for the start value of a state.
        let stated = wishes.start_residuals && flow.system.layout().start_residuals != [0, 0];
        let open = wishes.fixed.is_some_and(|fixed| fixed.contains(&false));
        if !stated || (self.switches.of_state().is_empty() && !open) {
            return Ok(());
        }
        ConstraintSolver::of(flow.system, wishes.tol, false).begin(flow.system, &mut self.switches, &mut at, wishes)
    }

    /// An instant at which a step ended, at a crossing or not.
    pub fn at(
        &mut self,
        flow: &mut Flow,
        now: &mut EventPoint,
        crossing: Option<Crossing>,
    ) -> Result<EventEffect, Reason> {
        self.keep(flow, now);
        if let Some(saltation) = &mut self.saltation {
            saltation.begin(flow, now);
        }
        let t = now.t;
        let zeno = |cause| Reason::Zeno { t, cause };
        self.switches.clear();
        let leaving = crossing.filter(|crossing| crossing.leaves.is_some());
        for boundary in flow.boundaries() {
            if leaving.is_none_or(|crossing| crossing.boundary != *boundary) {
                self.switches.put_on(*boundary);
            }
        }
        let mut happened = EventEffect::default();
        if let Some(crossing) = crossing {
            let resolution = 16.0 * f64::EPSILON * now.t.abs();
            self.guard.event(crossing.boundary.switch, now.t, resolution, now.attempts).map_err(zeno)?;
            self.switches.doubtful.fill(false);
            self.switches.doubtful[crossing.boundary.switch] =
                self.guard.repeats(crossing.boundary.switch) && !self.acted;
            match crossing.jump.or(crossing.leaves) {
                Some(mode) => self.switches.force(crossing.boundary.switch, mode),
                None => self.switches.put_on(crossing.boundary),
            }
            happened.changed = true;
        }
        let instant = now.t >= self.instants.next();
        if instant {
            self.instants.enter(flow.system, now.t, now.d, &mut self.actions)?;
        }
        if let Some(saltation) = &mut self.saltation {
            let mut causes: Vec<Cause> = Vec::new();
            match crossing {
                Some(Crossing { jump: None, leaves: None, boundary, .. }) => {
                    causes.push(Cause::Switch(boundary.switch))
                }
                Some(_) => causes.push(Cause::Other),
                // Of switches of time alone the modes have changed.
                None => {
                    let changed = now.d.iter().zip(&self.d_before).enumerate().filter(|(_, (a, b))| a != b);
                    // Those that are looked at in samples are a matter of the clock.
                    let changed = changed.filter(|(k, _)| *k >= flow.system.layout().sampled_switches);
                    causes.extend(changed.map(|(k, _)| Cause::Switch(k)));
                }
            }
            if !self.actions.is_empty() {
                causes.push(Cause::Clock);
            }
            saltation.enter(flow, now, &causes)?;
        }
        if instant {
            self.run_samples(flow, now, &mut happened)?;
        }
        // Sampled actions have read what was before.
        happened.broke = flow.system.history().is_some_and(|history| history.pass(now.t));
        if happened.broke {
            self.switches.after_action(flow.system, now.t, now.y, now.d);
        }
        if let Some((crossing, touch)) = crossing.and_then(|crossing| Some((crossing, crossing.touch?))) {
            let mode = std::mem::replace(&mut now.d[crossing.boundary.switch], touch);
            self.react(flow, now, &mut happened)?;
            now.d[crossing.boundary.switch] = mode;
        }
        let happened = self.iterate_events(flow, now, happened)?;
        if let Some(crossing) = crossing.filter(|_| happened.acted) {
            self.guard.acted(crossing.boundary.switch);
        }
        self.acted = happened.acted;
        if let Some(crossing) = crossing {
            self.unresolved(flow, now, crossing.boundary.switch).map_or(Ok(()), |cause| Err(zeno(cause)))?;
        }
        if let Some(saltation) = &mut self.saltation {
            saltation.leave(flow, now, happened.changed)?;
        }
        self.look_back(flow, now.t, &happened);
        Ok(happened)
    }

    /// Whether the events of a switch have come so near to where they accumulate that it does not leave its boundary by more than the
    /// tolerances: when the next one comes is a matter of the errors of the steps then.
    fn unresolved(&mut self, flow: &mut Flow, now: &EventPoint, switch: usize) -> Option<Zeno> {
        let (limit, gap) = self.guard.near_limit(switch)?;
        if !rates_jump(flow, now, switch) {
            // Both sides have the same rates there: on which one the solution is does not matter.
            return None;
        }
        let mut slopes = vec![0.0; flow.system.layout().switches.len()];
        flow.with(|system| system.switch_slopes(now.t, now.y, now.d, &mut slopes));
        let within = self.crossings.within_tolerance(flow, now.t, now.y, now.d, switch);
        (slopes[switch].abs() * gap <= within).then_some(Zeno::Unresolved { switch, limit })
    }

    fn keep(&mut self, flow: &mut Flow, now: &EventPoint) {
        self.mixture_before = flow.mixture(now.t, now.y, now.d).cloned();
        self.slid.clear();
        self.slid.extend_from_slice(flow.boundaries());
        self.y_before.copy_from_slice(now.y);
        self.d_before.copy_from_slice(now.d);
    }

    /// Modes, conditions, actions, again and again until nothing becomes true any more.
    fn iterate_events(
        &mut self,
        flow: &mut Flow,
        now: &mut EventPoint,
        mut happened: EventEffect,
    ) -> Result<EventEffect, Reason> {
        let slid = self.slid.clone();
        self.change_sides(flow, now);
        let mut culprit = 0;
        let mut quiet = false;
        for _ in 0..ROUNDS {
            // Where a constraint jumps, what is found of the sides behind it means nothing.
            self.settle(flow, now).map_err(|reason| self.jumped(flow, now).unwrap_or(reason))?;
            match self.react(flow, now, &mut happened)? {
                Some(condition) => culprit = condition,
                None => {
                    quiet = true;
                    break;
                }
            }
        }
        if !quiet {
            return Err(Reason::Zeno { t: now.t, cause: Zeno::Cascade { condition: culprit } });
        }
        // An impact without speed, whose action changes nothing: what bounces here has come to rest. At the end nothing follows.
        let rests = happened.acted && !happened.jumped && !happened.changed && now.t < self.t_end;
        if let Some(switch) = self.switches.from_rest.filter(|_| rests) {
            return Err(Reason::Zeno { t: now.t, cause: Zeno::Accumulation { switch } });
        }
        self.switches.across.clear();
        happened.changed |= happened.jumped || now.d != self.d_before || slid != flow.boundaries();
        if happened.changed || happened.broke {
            self.jumped(flow, now).map_or(Ok(()), Err)?;
            flow.refresh(now.t, now.y, now.d, None)?;
        }
        if happened.changed || happened.broke || self.crossings.active() == self.switches.of_state().is_empty() {
            self.crossings.watch(&self.switches, flow, now.t, now.y, now.d);
        }
        Ok(happened)
    }

    /// The end of a run where a switch makes a constraint jump, and no action has made up for it.
    fn jumped(&self, flow: &mut Flow, now: &EventPoint) -> Option<Reason> {
        let d_before = self.mixture_before.as_ref().map_or(&self.d_before, |mixture| &mixture.base);
        let (equation, residual) = flow.jumps(now.t, (&self.y_before, d_before), (now.y, now.d))?;
        Some(Reason::ConstraintJumps { t: now.t, equation, residual })
    }

    /// Lets algebraic variables jump to the other side of a switch where the modes leave them no solution; returns whether
    /// they do.
    fn change_sides(&mut self, flow: &mut Flow, now: &mut EventPoint) -> bool {
        self.d_test.copy_from_slice(now.d);
        let changed = flow.change_sides(now.t, now.y, now.d, &self.switches.on_boundaries());
        let modes = self.d_test.len() - self.held;
        (0..modes).filter(|&k| self.d_test[k] != now.d[k]).for_each(|k| self.switches.let_go(k));
        changed
    }

    /// The modes from now on; at the end of the run, where nothing follows, those of this very instant.
    fn settle(&mut self, flow: &mut Flow, now: &mut EventPoint) -> Result<(), Reason> {
        let moment = Moment { t: now.t, y: now.y, scale: now.scale };
        if now.t >= self.t_end {
            self.switches.modes_at(flow, &moment, now.d, false);
            return Ok(());
        }
        let before = flow.consistency.as_ref().map(|_| (flow.sliding.clone(), now.d.to_vec()));
        let settled = self.switches.settle(flow, &moment, now.d);
        if let (Ok(()), Some((_, behind))) = (&settled, self.switches.behind.take()) {
            self.go_behind(flow, now, &behind);
        }
        let Some((sliding, modes)) = before.filter(|_| matches!(settled, Err(Reason::SwitchNotFinite { .. }))) else {
            return settled;
        };
        // Behind a switch that is crossed here others may have to be on their other side.
        flow.sliding = sliding;
        now.d.copy_from_slice(&modes);
        self.switches.cross(now.d);
        if self.change_sides(flow, now) {
            let moment = Moment { t: now.t, y: now.y, scale: now.scale };
            return self.switches.settle(flow, &moment, now.d);
        }
        settled
    }

    /// The side that was chosen does not exist where the state is, but right behind the boundary, to which rounding would have taken
    /// it as well.
    fn go_behind(&mut self, flow: &mut Flow, now: &mut EventPoint, behind: &[f64]) {
        let [exists, exists_behind] = [&*now.y, behind].map(|y| {
            flow.with(|system| system.derivative(now.t, y, now.d, &mut self.new_y));
            self.new_y.iter().all(|f| f.is_finite())
        });
        if !exists && exists_behind {
            now.y.copy_from_slice(behind);
        }
    }

    /// Runs the actions of the conditions that became true; returns one of these conditions.
    fn react(
        &mut self,
        flow: &mut Flow,
        now: &mut EventPoint,
        happened: &mut EventEffect,
    ) -> Result<Option<usize>, Reason> {
        flow.system.conditions(now.d, &mut self.truth_now);
        let mut risen = None;
        for (index, reaction) in self.reactions.iter().enumerate() {
            if self.truth_now[index] && !self.truth[index] {
                risen = Some(index);
                match reaction {
                    Reaction::Act(action) => {
                        self.actions.push(*action);
                        happened.acted = true;
                    }
                    Reaction::Stop => happened.stop = happened.stop.or(Some(index)),
                }
            }
        }
        self.truth.copy_from_slice(&self.truth_now);
        self.d_read.copy_from_slice(now.d);
        self.run_actions(flow, now, happened)?;
        Ok(risen)
    }

    /// Runs the sampled actions. They read the modes of this very instant: a switch on its boundary is neither before
    /// nor behind it.
    fn run_samples(&mut self, flow: &mut Flow, now: &mut EventPoint, happened: &mut EventEffect) -> Result<(), Reason> {
        if self.actions.is_empty() {
            return Ok(());
        }
        self.d_read.copy_from_slice(now.d);
        let moment = Moment { t: now.t, y: now.y, scale: now.scale };
        self.switches.modes_at(flow, &moment, &mut self.d_read, true);
        self.run_actions(flow, now, happened)
    }

    /// Runs the listed actions, which all read y and `d_read`, and empties the list.
    fn run_actions(&mut self, flow: &mut Flow, now: &mut EventPoint, happened: &mut EventEffect) -> Result<(), Reason> {
        if self.actions.is_empty() {
            return Ok(());
        }
        self.new_y.copy_from_slice(now.y);
        self.new_d.copy_from_slice(now.d);
        let mixture = flow.mixture(now.t, now.y, &self.d_read).cloned();
        let several = self.actions.len() > 1;
        self.assigned.fill(false);
        for action in self.actions.drain(..) {
            flow.system.assigned(action).iter().for_each(|&state| self.assigned[state] = true);
            let earlier = several.then(|| (self.new_y.clone(), self.new_d.clone()));
            match &mixture {
                None => flow.system.act(action, now.t, now.y, &self.d_read, &mut self.new_y, &mut self.new_d),
                Some(mixture) => {
                    // What an action reads while the solution slides is mixed like f.
                    let n = now.y.len();
                    let start = [self.new_y.as_slice(), &self.new_d].concat();
                    let mut mixed = start.clone();
                    let mut act = |d: &[f64], values: &mut [f64]| {
                        values.copy_from_slice(&start);
                        let (new_y, new_d) = values.split_at_mut(n);
                        flow.system.act(action, now.t, now.y, d, new_y, new_d);
                    };
                    mixture.mix(&mut act, &mut mixed);
                    self.new_y.copy_from_slice(&mixed[..n]);
                    self.new_d.copy_from_slice(&mixed[n..]);
                }
            }
            if let Some((y, d)) = earlier.filter(|_| self.conflict.is_none()) {
                let first = d.len() - self.held;
                let states = now.y.iter().zip(&y).zip(&self.new_y);
                let mut values = states.chain(now.d[first..].iter().zip(&d[first..]).zip(&self.new_d[first..]));
                let other = values.position(|((before, earlier), new)| earlier != before && new != earlier);
                self.conflict = other.map(|place| (now.t, place));
            }
        }
        let held = &self.new_d[self.d_test.len() - self.held..];
        if let Some(place) = self.new_y.iter().chain(held).position(|value| !value.is_finite()) {
            return Err(Reason::ActionNotFinite { t: now.t, place });
        }
        happened.jumped |= self.new_y != now.y;
        happened.changed |= self.new_d != now.d;
        now.y.swap_with_slice(&mut self.new_y);
        now.d.copy_from_slice(&self.new_d);
        let assigned = self.assigned.contains(&true).then_some(self.assigned.as_slice());
        flow.refresh(now.t, now.y, now.d, assigned)?;
        self.switches.after_action(flow.system, now.t, now.y, now.d);
        Ok(())
    }

    /// The first crossing of the step that `method` remembers; `limits` says what is to be found.
    pub fn search(&mut self, flow: &mut Flow, method: &dyn Method, step: &Step, limits: Limits) -> Found {
        let (test, truth, truth_now) = (&mut self.d_test, &self.truth, &mut self.truth_now);
        let mut touch_counts = |flow: &mut Flow, switch: usize, mode: f64| {
            test.copy_from_slice(step.d);
            test[switch] = mode;
            flow.system.conditions(test, truth_now);
            truth_now.iter().zip(truth).any(|(now, before)| *now && !before)
        };
        self.crossings.search(flow, method, step, limits, &mut touch_counts)
    }

    /// The boundary that is reached first if all slopes stay as they are, and the time to it.
    pub fn nearest_boundary(&self) -> Option<(f64, Boundary)> {
        self.crossings.nearest()
    }

    /// How to get from one side of the boundary that is reached next to the other, for the sake of slopes that exist on
    /// one side only. Forgotten after the next instant.
    pub fn set_across(&mut self, across: &[f64]) {
        self.switches.across.clear();
        self.switches.across.extend_from_slice(across);
    }

    /// Whether f will be finite at `now`, which is on this boundary, when the modes have settled. Changes nothing.
    pub fn stays_finite(&mut self, flow: &mut Flow, now: &EventPoint, boundary: Boundary) -> bool {
        let (sliding, switches) = (flow.sliding.clone(), self.switches.clone());
        self.d_test.copy_from_slice(now.d);
        self.switches.clear();
        for boundary in flow.boundaries() {
            self.switches.put_on(*boundary);
        }
        self.switches.put_on(boundary);
        let moment = Moment { t: now.t, y: now.y, scale: now.scale };
        let settled = self.switches.settle(flow, &moment, &mut self.d_test);
        flow.with(|system| system.derivative(now.t, now.y, &self.d_test, &mut self.new_y));
        let finite = settled.is_ok() && self.new_y.iter().all(|f| f.is_finite());
        (flow.sliding, self.switches) = (sliding, switches);
        finite
    }

    /// The step that was searched is tried anew.
    pub fn reject(&mut self) {
        self.crossings.reject();
    }

    /// The step was accepted to its end, where nothing happened.
    pub fn accept(&mut self) {
        self.crossings.accept();
    }
}

/// Whether the rates differ on the two sides of the boundary of a switch.
fn rates_jump(flow: &mut Flow, now: &EventPoint, switch: usize) -> bool {
    /// Rates that differ by less than this part of them are the same but for the errors of the point.
    const SAME: f64 = 1e-3;
    let mut side = |mode: f64| {
        let (mut d, mut f) = (now.d.to_vec(), vec![0.0; now.y.len()]);
        d[switch] = mode;
        flow.with(|system| system.derivative(now.t, now.y, &d, &mut f));
        f
    };
    let (above, below) = (side(1.0), side(-1.0));
    above.iter().zip(&below).any(|(a, b)| (a - b).abs() > SAME * (a.abs() + b.abs()))
}
