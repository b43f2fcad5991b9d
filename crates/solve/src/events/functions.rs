//! The ways to leave the side of a switch, as functions along a step.
//!
//! Each way is a *channel*: a function v that is positive as long as all is well.

use crate::events::modes::{ModeResolver, boundary};
use crate::events::sliding::{Boundary, Flow};
use crate::{Method, SwitchKind, Tolerance};

/// One way to leave a side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EventFunction {
    pub boundary: Boundary,
    pub kind: EventFunctionKind,
    /// The kind of its switch.
    pub switch_kind: SwitchKind,
    /// Right after an event v may be a little below zero by rounding; it counts from there until it has recovered.
    pub offset: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum EventFunctionKind {
    /// v = g − level.
    Above,
    /// v = level − g.
    Below,
    /// v = 1 as long as |g| ≤ offset, else −1: the mode of a g that stays zero.
    Zero,
    /// v = −g′ above the boundary: the sliding motion ends upwards.
    SlideUp,
    /// v = g′ below the boundary: it ends downwards.
    SlideDown,
}

/// The step in which to search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<'a> {
    pub t: f64,
    pub h: f64,
    pub d: &'a [f64],
}

/// All channels of the present modes, and memory to evaluate them.
#[derive(Clone, Debug)]
pub(crate) struct EventFunctions {
    pub list: Vec<EventFunction>,
    tol: Tolerance,
    y: Vec<f64>,
    g: Vec<f64>,
    /// g where the state is changed by rounding.
    rounded: Vec<f64>,
    /// How much g changes within the tolerance of the state.
    within: Vec<f64>,
    /// g′ above and below the boundary of each switch that slides, of the point looked at last.
    up: Vec<f64>,
    down: Vec<f64>,
}

/// An infinite g is on its side as clearly as this one, and can be calculated with.
const HUGE: f64 = 1e300;

impl EventFunctions {
    pub fn new(switches: usize, tol: &Tolerance) -> EventFunctions {
        let g = vec![0.0; switches];
        EventFunctions {
            list: Vec::new(),
            y: vec![0.0; tol.atol.len()],
            tol: tol.clone(),
            g: g.clone(),
            rounded: g.clone(),
            within: g.clone(),
            up: g.clone(),
            down: g,
        }
    }

    /// New modes: other channels. `y` is the state now.
    pub fn watch(&mut self, switches: &ModeResolver, flow: &mut Flow, t: f64, y: &[f64], d: &[f64]) {
        self.list.clear();
        for &(k, switch_kind) in switches.of_state() {
            let mut add = |boundary, kind| self.list.push(EventFunction { boundary, kind, switch_kind, offset: 0.0 });
            if let Some(sliding) = flow.boundaries().iter().find(|boundary| boundary.switch == k) {
                add(*sliding, EventFunctionKind::SlideUp);
                add(*sliding, EventFunctionKind::SlideDown);
                continue;
            }
            match switch_kind {
                SwitchKind::Sign if d[k] > 0.0 => add(boundary(k, switch_kind, 0.0), EventFunctionKind::Above),
                SwitchKind::Sign if d[k] < 0.0 => add(boundary(k, switch_kind, 0.0), EventFunctionKind::Below),
                SwitchKind::Sign => add(boundary(k, switch_kind, 0.0), EventFunctionKind::Zero),
                SwitchKind::Floor | SwitchKind::Segment => {
                    add(boundary(k, switch_kind, d[k]), EventFunctionKind::Above);
                    add(boundary(k, switch_kind, d[k] + 1.0), EventFunctionKind::Below);
                }
            }
        }
        if self.list.is_empty() {
            return;
        }
        self.look(flow, t, y, d);
        let doubtful = |k: usize| switches.rested[k] || switches.doubtful[k];
        if self.list.iter().any(|channel| doubtful(channel.boundary.switch)) {
            self.measure(flow, t, y, d);
        }
        for c in 0..self.list.len() {
            let channel = self.list[c];
            let k = channel.boundary.switch;
            // What leaves a boundary without a slope is near it for so long that errors within the tolerance may take it
            // to the other side; and what leaves it more slowly than such an error comes back at once. Such an error is granted
            // once: where v is by now is part of it, or the boundary would sink by one of them at every event.
            let error = if doubtful(k) { self.within[k] } else { 0.0 };
            self.list[c].offset = match channel.kind {
                EventFunctionKind::Zero => 2.0 * self.g[k].abs(),
                EventFunctionKind::Above | EventFunctionKind::Below if error.is_finite() => {
                    self.value(&channel).min(-error)
                }
                _ => self.value(&channel).min(0.0),
            };
        }
    }

    /// How much g of each switch changes within the tolerance of the state.
    pub fn within_tolerance(&mut self, flow: &mut Flow, t: f64, y: &[f64], d: &[f64]) -> &[f64] {
        flow.switch_values(t, y, d, &mut self.g);
        self.measure(flow, t, y, d);
        &self.within
    }

    /// How much g of each switch changes within the tolerance of the state y, where the switches were evaluated last.
    fn measure(&mut self, flow: &mut Flow, t: f64, y: &[f64], d: &[f64]) {
        let tol = self.tol.clone();
        self.disturb(flow, t, y, d, &|i, y| tol.of(i, [y; 2]));
    }

    /// How much g of each switch changes at most when every state moves `by` so much, forth or back. g may be a sum of any two
    /// states, or their difference: by the digits of their indices there is a turn in which they move apart.
    fn disturb(&mut self, flow: &mut Flow, t: f64, y: &[f64], d: &[f64], by: &dyn Fn(usize, f64) -> f64) {
        let digits = usize::BITS - y.len().saturating_sub(1).leading_zeros();
        self.within.fill(0.0);
        for turn in 0..=digits {
            for (i, (moved, y)) in self.y.iter_mut().zip(y).enumerate() {
                let back = turn > 0 && (i >> (turn - 1)) & 1 == 1;
                *moved = if back { y - by(i, *y) } else { y + by(i, *y) };
            }
            flow.switch_values(t, &self.y, d, &mut self.rounded);
            for (within, (moved, g)) in self.within.iter_mut().zip(self.rounded.iter().zip(&self.g)) {
                *within = within.max((moved - g).abs());
            }
        }
    }

    /// The same at a point of the step, for each channel.
    pub fn tolerances(
        &mut self,
        flow: &mut Flow,
        method: &dyn Method,
        step: &Step,
        theta: f64,
        tolerances: &mut [f64],
    ) {
        self.look_inside(flow, method, step, theta);
        let y = self.y.clone();
        self.measure(flow, step.t + theta * step.h, &y, step.d);
        for (tolerance, channel) in tolerances.iter_mut().zip(&self.list) {
            *tolerance = match channel.kind {
                EventFunctionKind::Above | EventFunctionKind::Below => self.within[channel.boundary.switch],
                EventFunctionKind::Zero | EventFunctionKind::SlideUp | EventFunctionKind::SlideDown => 0.0,
            };
        }
    }

    /// Whether the states at the point looked at last move by more than their tolerances in the time h only because a switch has one mode
    /// or the other.
    pub fn rates_jump(
        &self,
        flow: &mut Flow,
        t: f64,
        d: &[f64],
        (switch, above, below): (usize, f64, f64),
        h: f64,
    ) -> bool {
        let [above, below] = [above, below].map(|mode| {
            let (mut d, mut f) = (d.to_vec(), vec![0.0; self.y.len()]);
            d[switch] = mode;
            flow.with(|system| system.derivative(t, &self.y, &d, &mut f));
            f
        });
        let exists = above.iter().chain(&below).all(|f| f.is_finite());
        let mut sides = above.iter().zip(&below).zip(&self.y).enumerate();
        exists && sides.any(|(i, ((above, below), y))| h * (above - below).abs() > self.tol.of(i, [*y; 2]))
    }

    /// Evaluates the switches at a point.
    pub fn look(&mut self, flow: &mut Flow, t: f64, y: &[f64], d: &[f64]) {
        flow.switch_values(t, y, d, &mut self.g);
        flow.side_slopes(t, y, d, &mut self.up, &mut self.down);
    }

    /// Evaluates the switches at a point of the step.
    pub fn look_inside(&mut self, flow: &mut Flow, method: &dyn Method, step: &Step, theta: f64) {
        let mut y = std::mem::take(&mut self.y);
        method.interpolate(theta, &mut y);
        self.look(flow, step.t + theta * step.h, &y, step.d);
        self.y = y;
    }

    /// The value of a channel where the switches were evaluated last; not a number where g is none.
    pub fn value(&self, channel: &EventFunction) -> f64 {
        let g = self.g[channel.boundary.switch] - channel.boundary.level;
        let v = match channel.kind {
            EventFunctionKind::Above => g,
            EventFunctionKind::Below => -g,
            EventFunctionKind::Zero if g.is_nan() => return g,
            EventFunctionKind::Zero => return if g.abs() > channel.offset { -1.0 } else { 1.0 },
            // Where the side is not defined the motion cannot go there.
            EventFunctionKind::SlideUp => -self.up[channel.boundary.switch].max(-HUGE),
            EventFunctionKind::SlideDown => self.down[channel.boundary.switch].min(HUGE),
        };
        (v - channel.offset).clamp(-HUGE, HUGE)
    }

    /// All values where the switches were evaluated last.
    pub fn values(&self, values: &mut [f64]) {
        for (v, channel) in values.iter_mut().zip(&self.list) {
            *v = self.value(channel);
        }
    }

    /// g of a switch where the switches were evaluated last.
    pub fn g(&self, switch: usize) -> f64 {
        self.g[switch]
    }

    /// dv/dt at a point; zero for sliding motions.
    pub fn slopes(&mut self, flow: &mut Flow, t: f64, y: &[f64], d: &[f64], slopes: &mut [f64]) {
        flow.with(|system| system.switch_slopes(t, y, d, &mut self.g));
        for (slope, channel) in slopes.iter_mut().zip(&self.list) {
            *slope = match channel.kind {
                EventFunctionKind::Above => self.g[channel.boundary.switch],
                EventFunctionKind::Below => -self.g[channel.boundary.switch],
                EventFunctionKind::Zero | EventFunctionKind::SlideUp | EventFunctionKind::SlideDown => 0.0,
            };
        }
    }

    /// dv/dt at a point of the step.
    pub fn slopes_inside(&mut self, flow: &mut Flow, method: &dyn Method, step: &Step, theta: f64, slopes: &mut [f64]) {
        let mut y = std::mem::take(&mut self.y);
        method.interpolate(theta, &mut y);
        self.slopes(flow, step.t + theta * step.h, &y, step.d, slopes);
        self.y = y;
    }

    /// How much each v may change by rounding of time and state: the change of g when all of them move by a few units
    /// of the last place, up and down by turns.
    pub fn rounding(&mut self, flow: &mut Flow, method: &dyn Method, step: &Step, theta: f64, rounding: &mut [f64]) {
        const FEW: f64 = 4.0 * f64::EPSILON;
        self.look_inside(flow, method, step, theta);
        let (t, y) = ((step.t + theta * step.h) * (1.0 + FEW), self.y.clone());
        self.disturb(flow, t, &y, step.d, &|_, y| FEW * y);
        for (rounding, channel) in rounding.iter_mut().zip(&self.list) {
            let k = channel.boundary.switch;
            *rounding = match channel.kind {
                EventFunctionKind::Above | EventFunctionKind::Below => {
                    8.0 * self.within[k] + FEW * channel.boundary.level.abs()
                }
                EventFunctionKind::Zero => HUGE,
                EventFunctionKind::SlideUp | EventFunctionKind::SlideDown => {
                    1e-10 * (self.up[k].abs() + self.down[k].abs())
                }
            };
        }
    }
}
