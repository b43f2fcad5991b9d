//! Derivatives of the solution through an event: its time moves with what they are by.
//!
//! ```text
//!   dτ/dq = −(∂g/∂y V⁻ + ∂g/∂q) / (∂g/∂t + ∂g/∂y f⁻)
//!   V ← V⁻ + f⁻ dτ/dq,    then what happens,    V⁺ = V − f⁺ dτ/dq
//! ```
//!
//! The actions of the system do their part themselves: they assign variations, too, and read dτ/dq where they depend on time.
//! Together this is the saltation matrix, see R. I. Leine, H. Nijmeijer, Dynamics and Bifurcations of Non-Smooth Mechanical
//! Systems, 2004, section 7.

use crate::events::Now;
use crate::sliding::Flow;
use crate::{Layout, Reason, Variations};

/// What an event does to variations.
#[derive(Clone, Debug)]
pub(crate) struct Saltation {
    variations: Variations,
    switches: usize,
    algebraic: bool,
    /// f before and behind the event.
    f: [Vec<f64>; 2],
    /// y before it.
    before: Vec<f64>,
    /// dτ/dq; not a number where it does not exist.
    rates: Vec<f64>,
    slopes: Vec<f64>,
    values: Vec<f64>,
}

/// What decides when an event happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// A time that is given.
    Clock,
    /// A switch crosses its boundary.
    Switch(usize),
    /// A motion along a boundary ends, or what a switch watches jumps.
    Other,
}

/// f on both sides of an event differs by more than this part of it, or it is the same.
const SAME: f64 = 1e-7;

impl Saltation {
    /// `None` for a system without variations that events could change.
    pub fn new(layout: &Layout) -> Option<Saltation> {
        let Layout { states, variations, .. } = layout;
        (!variations.event_time.is_empty()).then(|| Saltation {
            variations: variations.clone(),
            switches: layout.switches.len(),
            algebraic: layout.algebraic > 0,
            f: [vec![0.0; *states], vec![0.0; *states]],
            before: vec![0.0; *states],
            rates: vec![0.0; variations.by],
            slopes: vec![0.0; layout.switches.len()],
            values: vec![0.0; layout.switches.len() * variations.by],
        })
    }

    /// Looks at the flow before the event.
    pub fn begin(&mut self, flow: &mut Flow, now: &Now) {
        self.before.copy_from_slice(now.y);
        let (f, slopes) = (&mut self.f[0], &mut self.slopes);
        flow.with(|system| {
            system.derivative(now.t, now.y, now.d, f);
            system.switch_slopes(now.t, now.y, now.d, slopes);
        });
        flow.system.switch_variations(now.t, now.y, now.d, &mut self.values);
    }

    /// Goes with the time of the event.
    pub fn enter(&mut self, flow: &mut Flow, now: &mut Now, cause: Cause) -> Result<(), Reason> {
        for (q, rate) in self.rates.iter_mut().enumerate() {
            *rate = match cause {
                Cause::Clock => 0.0,
                Cause::Other => f64::NAN,
                Cause::Switch(k) => match self.values[q * self.switches + k] {
                    0.0 => 0.0,
                    value => -value / self.slopes[k],
                },
            };
            if !rate.is_finite() {
                *rate = f64::NAN;
            }
        }
        if self.rates.iter().all(|rate| *rate == 0.0) {
            return Ok(());
        }
        self.shift(now.y, 0, 1.0);
        for (&state, &rate) in self.variations.event_time.iter().zip(&self.rates) {
            now.y[state] = if rate.is_nan() { 0.0 } else { rate };
        }
        if self.algebraic {
            flow.refresh(now.t, &self.before, now.y, now.d)?;
        }
        Ok(())
    }

    /// Comes back to a fixed time. Where the time of the event has no derivative, neither has what follows, unless nothing
    /// jumped.
    pub fn leave(&mut self, flow: &mut Flow, now: &mut Now, changed: bool) -> Result<(), Reason> {
        if self.rates.iter().all(|rate| *rate == 0.0) {
            return Ok(());
        }
        self.variations.event_time.iter().for_each(|&state| now.y[state] = 0.0);
        if !changed {
            self.variations.of.iter().for_each(|&[v, ..]| now.y[v] = self.before[v]);
            return Ok(());
        }
        let f = &mut self.f[1];
        flow.with(|system| system.derivative(now.t, now.y, now.d, f));
        self.shift(now.y, 1, -1.0);
        if self.rates.iter().any(|rate| rate.is_nan()) && self.is_jump(now.y) {
            for &[v, ..] in self.variations.of.iter().filter(|[.., q]| self.rates[*q].is_nan()) {
                now.y[v] = f64::NAN;
            }
            return Ok(());
        }
        let before = now.y.to_vec();
        flow.refresh(now.t, &before, now.y, now.d)
    }

    /// V ← V ± f dτ/dq
    fn shift(&self, y: &mut [f64], side: usize, sign: f64) {
        for &[v, of, q] in self.variations.of.iter().filter(|[.., q]| !self.rates[*q].is_nan()) {
            y[v] += sign * self.rates[q] * self.f[side][of];
        }
    }

    /// Whether the state or its rate is another one behind the event.
    fn is_jump(&self, y: &[f64]) -> bool {
        let size = self.f.iter().flatten().fold(0.0, |most: f64, f| most.max(f.abs()));
        let mut own = self.variations.of.iter().filter(|[.., q]| *q == 0).map(|&[_, of, _]| of);
        own.any(|i| y[i] != self.before[i] || (self.f[0][i] - self.f[1][i]).abs() > SAME * size)
    }
}
