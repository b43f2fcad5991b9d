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

use crate::events::EventPoint;
use crate::events::sliding::Flow;
use crate::{Layout, Reason, SwitchKind, Variations};

/// What an event does to variations.
#[derive(Clone, Debug)]
pub(crate) struct Saltation {
    variations: Variations,
    switches: usize,
    kinds: Vec<SwitchKind>,
    conditions: usize,
    /// The algebraic states that are no variations.
    algebraic: std::ops::Range<usize>,
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
            kinds: layout.switches.iter().map(|switch| switch.kind).collect(),
            conditions: layout.conditions.len(),
            algebraic: layout.differential()..layout.differential() + layout.algebraic / (1 + variations.by),
            f: [vec![0.0; *states], vec![0.0; *states]],
            before: vec![0.0; *states],
            rates: vec![0.0; variations.by],
            slopes: vec![0.0; layout.switches.len()],
            values: vec![0.0; layout.switches.len() * variations.by],
        })
    }

    /// Looks at the flow before the event.
    pub fn begin(&mut self, flow: &mut Flow, now: &EventPoint) {
        self.before.copy_from_slice(now.y);
        let (f, slopes) = (&mut self.f[0], &mut self.slopes);
        flow.with(|system| {
            system.derivative(now.t, now.y, now.d, f);
            system.switch_slopes(now.t, now.y, now.d, slopes);
        });
        flow.system.switch_variations(now.t, now.y, now.d, &mut self.values);
    }

    /// Goes with the time of the event. What happens together for several causes must move together.
    pub fn enter(&mut self, flow: &mut Flow, now: &mut EventPoint, causes: &[Cause]) -> Result<(), Reason> {
        for q in 0..self.rates.len() {
            let mut rates = causes.iter().map(|cause| self.rate(*cause, q));
            let first = rates.next().unwrap_or(0.0);
            let same = |rate: f64| (rate - first).abs() <= SAME * first.abs();
            self.rates[q] = if first.is_finite() && rates.all(same) { first } else { f64::NAN };
        }
        if self.rates.iter().all(|rate| *rate == 0.0) {
            return Ok(());
        }
        self.shift(now.y, 0, 1.0);
        for (&state, &rate) in self.variations.event_time.iter().zip(&self.rates) {
            now.y[state] = if rate.is_nan() { 0.0 } else { rate };
        }
        if !self.algebraic.is_empty() {
            flow.refresh(now.t, now.y, now.d, None)?;
        }
        Ok(())
    }

    /// dτ/dq
    fn rate(&self, cause: Cause, q: usize) -> f64 {
        match cause {
            Cause::Clock => 0.0,
            Cause::Other => f64::NAN,
            Cause::Switch(k) => match self.values[q * self.switches + k] {
                0.0 => 0.0,
                value => -value / self.slopes[k],
            },
        }
    }

    /// The start, when all is settled there. On a boundary that moves with q against the solution each side has its own
    /// derivative, if something jumps there: then it is not a number. A motion along the boundary begins the same from both,
    ///
    /// ```text
    ///   V⁺ = V − (f − fₛ) (∂g/∂y V + ∂g/∂q) / g′,      (f − fₛ) / g′ = (f₊ − f₋) / (g′₊ − g′₋) on either side
    /// ```
    ///
    /// for fₛ is that mixture of f₊ and f₋ whose g′ is zero.
    pub fn start(&mut self, flow: &mut Flow, now: &mut EventPoint) -> Result<(), Reason> {
        if !self.variations.both_sides {
            return Ok(());
        }
        let (t, mut g) = (now.t, vec![0.0; self.switches]);
        flow.switch_values(t, now.y, now.d, &mut g);
        flow.system.switch_variations(t, now.y, now.d, &mut self.values);
        self.before.copy_from_slice(now.y);
        flow.with(|system| system.derivative(t, now.y, now.d, &mut self.f[1]));
        for k in 0..self.switches {
            let sides = match self.kinds[k] {
                SwitchKind::Sign if g[k] == 0.0 => [1.0, -1.0],
                SwitchKind::Floor if g[k].fract() == 0.0 => [g[k], g[k] - 1.0],
                SwitchKind::Sign | SwitchKind::Floor | SwitchKind::Segment => continue,
            };
            let moves: Vec<f64> = (0..self.rates.len()).map(|q| self.values[q * self.switches + k]).collect();
            if moves.iter().all(|moves| *moves == 0.0) {
                continue;
            }
            if let [boundary] = flow.boundaries()
                && boundary.switch == k
            {
                self.begin_sliding(flow, now, k, &moves)?;
                continue;
            }
            let mut other = now.d.to_vec();
            for side in sides {
                other[k] = side;
                flow.resolved(|system, _| system.derivative(t, &self.before, &other, &mut self.f[0]));
                if self.sides_differ() || self.rises(flow, now.d, &other) {
                    let lost = self.variations.of.iter().filter(|[.., q]| moves[*q] != 0.0);
                    lost.for_each(|&[v, ..]| now.y[v] = f64::NAN);
                }
            }
        }
        Ok(())
    }

    /// A motion along the boundary of switch k, by which g moves with each q as given.
    fn begin_sliding(&mut self, flow: &mut Flow, now: &mut EventPoint, k: usize, moves: &[f64]) -> Result<(), Reason> {
        let (mut up, mut down) = (vec![0.0; self.switches], vec![0.0; self.switches]);
        flow.side_slopes(now.t, now.y, now.d, &mut up, &mut down);
        let mut above = now.d.to_vec();
        above[k] = 1.0;
        flow.resolved(|system, _| system.derivative(now.t, &self.before, &above, &mut self.f[0]));
        self.rates.iter_mut().zip(moves).for_each(|(rate, moves)| *rate = -moves / up[k]);
        self.shift(now.y, 0, 1.0);
        self.shift(now.y, 1, -1.0);
        self.rates.fill(0.0);
        flow.refresh(now.t, now.y, now.d, None)
    }

    /// Whether a condition is true now that is not on another side, from which the solution would come.
    fn rises(&self, flow: &mut Flow, d: &[f64], other: &[f64]) -> bool {
        let mut truth = [vec![false; self.conditions], vec![false; self.conditions]];
        flow.system.conditions(d, &mut truth[0]);
        flow.system.conditions(other, &mut truth[1]);
        truth[0].iter().zip(&truth[1]).any(|(now, then)| *now && !then)
    }

    /// Comes back to a fixed time. Where the time of the event has no derivative, neither has what follows, unless nothing
    /// jumped.
    pub fn leave(&mut self, flow: &mut Flow, now: &mut EventPoint, changed: bool) -> Result<(), Reason> {
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
        flow.refresh(now.t, now.y, now.d, None)
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
        self.own().any(|i| y[i] != self.before[i] || (self.f[0][i] - self.f[1][i]).abs() > SAME * size)
    }

    /// Whether f on the two sides is not the same, or not a number. What an algebraic state is on the other side shows in its
    /// residual, or in f.
    fn sides_differ(&self) -> bool {
        let places: Vec<usize> = self.own().chain(self.algebraic.clone()).collect();
        let size =
            places.iter().flat_map(|&i| [self.f[0][i], self.f[1][i]]).fold(0.0, |most: f64, f| most.max(f.abs()));
        let same = |i: &usize| (self.f[0][*i] - self.f[1][*i]).abs() <= SAME * size;
        !places.iter().all(same)
    }

    /// The states that are no variations.
    fn own(&self) -> impl Iterator<Item = usize> {
        self.variations.of.iter().filter(|[.., q]| *q == 0).map(|&[_, of, _]| of)
    }
}
