//! On which side of its boundaries every switch is, at an instant.

use crate::events::sliding::{Boundary, Flow};
use crate::{Layout, Reason, Selected, Selection, SwitchKind, System, Zeno};

/// The switches that depend on the state, with memory to find their modes.
#[derive(Clone, Debug)]
pub(crate) struct ModeResolver {
    /// Index and kind of those that are not functions of time alone.
    of_state: Vec<(usize, SwitchKind)>,
    /// Index of those that are the sign of a function of time alone.
    signs_of_time: Vec<usize>,
    g: Vec<f64>,
    slopes: Vec<f64>,
    /// The boundaries the switches are known to be on, found there by the search or sliding there.
    on: Vec<Option<Boundary>>,
    /// The modes of switches that jumped over a boundary.
    forced: Vec<Option<f64>>,
    /// Those whose side was chosen between two that both lead away, since the modes began to settle.
    chosen: Vec<bool>,
    /// Those that left a boundary from rest when the modes were settled last.
    pub rested: Vec<bool>,
    /// Those that came back to a boundary in the very moment in which they had left it, without any action.
    pub doubtful: Vec<bool>,
    /// From one side of a boundary to the other, if slopes may not exist on both.
    pub across: Vec<f64>,
    /// A switch whose side does not exist where the state is, and the state right behind the boundary, where it does.
    pub behind: Option<(usize, Vec<f64>)>,
    /// State, derivative and values of g of a probe.
    probe: [Vec<f64>; 3],
    /// Evaluations of f by probes.
    pub evaluations: u64,
    /// A switch that left its boundary from rest, its slope being zero, when the modes were settled last.
    pub from_rest: Option<usize>,
    /// Where several solutions begin or part.
    pub selections: Vec<Selection>,
}

/// So many selections are told of one run, and of so many switches it is looked whether either side holds.
const TOLD: usize = 16;
const RELAYS: usize = 64;

/// A switch is on its boundary on both sides if it comes there, or from there, in this part of the time in which things happen.
const BESIDE: f64 = 1e-6;
/// What lies behind a boundary is looked at so many times the distance to it away.
const BEHIND: f64 = 2.0;

/// A point in time and a length of time in which things happen there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment<'a> {
    pub t: f64,
    pub y: &'a [f64],
    pub scale: f64,
}

/// Where g goes from a boundary.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Direction {
    Up,
    Down,
    Stays,
}

impl ModeResolver {
    pub fn new(layout: &Layout) -> ModeResolver {
        let n = vec![0.0; layout.states];
        let count = layout.switches.len();
        let of_state = layout.switches.iter().enumerate().filter(|(_, switch)| !switch.of_time);
        let signs_of_time = layout.switches.iter().enumerate();
        let signs_of_time = signs_of_time.filter(|(_, switch)| switch.of_time && switch.kind == SwitchKind::Sign);
        ModeResolver {
            signs_of_time: signs_of_time.map(|(k, _)| k).collect(),
            of_state: of_state.map(|(k, switch)| (k, switch.kind)).collect(),
            g: vec![0.0; count],
            slopes: vec![0.0; count],
            on: vec![None; count],
            forced: vec![None; count],
            chosen: vec![false; count],
            rested: vec![false; count],
            doubtful: vec![false; count],
            across: Vec::new(),
            behind: None,
            probe: [n.clone(), n, vec![0.0; count]],
            evaluations: 0,
            from_rest: None,
            selections: Vec::new(),
        }
    }

    /// Keeps a choice; what the same switches chose before at this time does not count any more.
    pub fn tell(&mut self, choice: Selection) {
        let places = |what: &Selected| -> Vec<usize> {
            match what {
                Selected::Side { switch, .. } | Selected::Relay { switch, .. } => vec![*switch],
                Selected::Sides { sides } => sides.iter().map(|(switch, _)| *switch).collect(),
                Selected::Crossing { .. } | Selected::Parting { .. } | Selected::Root { .. } => Vec::new(),
            }
        };
        let of = places(&choice.what);
        if let Selected::Crossing { .. } | Selected::Parting { .. } = choice.what {
            let same = |known: &Selection| known.what == choice.what;
            // The same crossing, seen from steps that were not taken.
            self.selections.retain(|known| !(same(known) && (known.t - choice.t).abs() <= 1e-3 * choice.t.abs()));
        }
        self.selections.retain(|known| known.t != choice.t || !places(&known.what).iter().any(|k| of.contains(k)));
        if self.selections.len() < TOLD {
            self.selections.push(choice);
        }
    }

    /// The boundaries of switches that are on one, and neither slide nor have gone to a side.
    pub(super) fn undecided(&mut self, flow: &mut Flow, now: &Moment, d: &[f64]) -> Vec<Boundary> {
        flow.switch_values(now.t, now.y, d, &mut self.g);
        flow.with(|system| system.switch_slopes(now.t, now.y, d, &mut self.slopes));
        let all = self.of_state.clone();
        all.into_iter().filter_map(|(k, kind)| self.boundary_at(flow, k, kind, now, d)).collect()
    }

    /// Tells where either side of a relay holds: what depends on its mode is on the side of that mode.
    pub fn tell_relays(&mut self, flow: &mut Flow, now: &Moment, d: &[f64]) {
        let signs = self.of_state.iter().filter(|(_, kind)| *kind == SwitchKind::Sign);
        let signs: Vec<usize> = signs.map(|(k, _)| *k).collect();
        if signs.is_empty() {
            return;
        }
        let mut other = d.to_vec();
        signs.iter().for_each(|&k| other[k] = if d[k] == 1.0 { -1.0 } else { 1.0 });
        let mut there = self.g.clone();
        flow.switches_here(now.t, now.y, d, &mut self.g, &mut self.slopes);
        flow.switches_here(now.t, now.y, &other, &mut there, &mut self.slopes);
        let differ = |k: &usize| self.g[*k] != there[*k];
        let relays: Vec<usize> = signs.into_iter().filter(differ).take(RELAYS).collect();
        for k in relays {
            let mut holds = |mode: f64| {
                other.copy_from_slice(d);
                other[k] = mode;
                flow.switches_here(now.t, now.y, &other, &mut there, &mut self.slopes);
                there[k] * mode > 0.0
            };
            if holds(1.0) && holds(-1.0) {
                let side = boundary(k, SwitchKind::Sign, 0.0).side(d[k]);
                self.tell(Selection { t: now.t, what: Selected::Relay { switch: k, side } });
            }
        }
    }

    /// The switches that are not functions of time alone.
    pub fn of_state(&self) -> &[(usize, SwitchKind)] {
        &self.of_state
    }

    /// Notes that a switch is on a boundary.
    pub fn put_on(&mut self, boundary: Boundary) {
        self.on[boundary.switch] = Some(boundary);
    }

    /// Notes that a switch jumped over a boundary and has this mode now, whatever its slope says.
    pub fn force(&mut self, switch: usize, mode: f64) {
        self.forced[switch] = Some(mode);
    }

    /// The switches that are known to be on a boundary, or to have jumped over it.
    pub fn on_boundaries(&self) -> Vec<usize> {
        (0..self.on.len()).filter(|&k| self.on[k].is_some() || self.forced[k].is_some()).collect()
    }

    /// Takes what came to a boundary to the other side of it.
    pub fn cross(&self, d: &mut [f64]) {
        for boundary in self.on.iter().flatten() {
            let mode = &mut d[boundary.switch];
            if *mode == boundary.below {
                *mode = boundary.above;
            } else if *mode == boundary.above {
                *mode = boundary.below;
            }
        }
    }

    /// Forgets what is known of one switch.
    pub fn let_go(&mut self, switch: usize) {
        (self.on[switch], self.forced[switch]) = (None, None);
    }

    /// Forgets what is on a boundary.
    pub fn clear(&mut self) {
        self.on.fill(None);
        self.forced.fill(None);
    }

    /// The modes by the values of g alone, zero where g is zero.
    pub fn exact_modes(&mut self, system: &mut dyn System, t: f64, y: &[f64], d: &mut [f64]) {
        modes_of(&self.of_state, system, t, y, d, &mut self.g);
    }

    /// The modes on an interval that begins now. A switch on a boundary goes where its slope points, with the modes of
    /// that side; where both sides point back to the boundary, the flow slides along it.
    pub fn settle(&mut self, flow: &mut Flow, now: &Moment, d: &mut [f64]) -> Result<(), Reason> {
        let rounds = 2 * self.of_state.len() + 4;
        self.from_rest = None;
        self.behind = None;
        self.chosen.fill(false);
        self.rested.fill(false);
        self.decide_together(flow, now, d).map_err(|cause| Reason::Zeno { t: now.t, cause })?;
        let mut unsettled = 0;
        // g and the modes of the round before
        let mut before: Option<(Vec<f64>, Vec<f64>)> = None;
        for _ in 0..rounds {
            flow.switch_values(now.t, now.y, d, &mut self.g);
            if let Some((g, modes)) = &before {
                self.released(flow, g, |k| d[k] == modes[k]);
            }
            before = Some((self.g.clone(), d[..self.g.len()].to_vec()));
            flow.with(|system| system.switch_slopes(now.t, now.y, d, &mut self.slopes));
            let mut changed = false;
            for index in 0..self.of_state.len() {
                let (k, kind) = self.of_state[index];
                let before = d[k];
                if self.g[k].is_nan() {
                    self.g[k] = self.value_ahead(flow, k, now, d)?;
                }
                let boundary = self.boundary_at(flow, k, kind, now, d);
                match boundary {
                    None => {
                        d[k] = self.forced[k].unwrap_or_else(|| plain_mode(kind, self.g[k], before));
                        self.on[k] = None;
                        flow.stop_sliding(k);
                    }
                    Some(boundary) => self
                        .leave_boundary(flow, &boundary, now, d)
                        .map_err(|cause| Reason::Zeno { t: now.t, cause })?,
                }
                if d[k] != before {
                    (changed, unsettled) = (true, k);
                }
            }
            if !changed {
                return Ok(());
            }
        }
        Err(Reason::Zeno { t: now.t, cause: Zeno::Contradiction { switch: unsettled } })
    }

    /// The modes at this very instant, whatever follows: on a boundary that of the boundary. Those that have already left
    /// one, by no more than rounding, count as on it or not.
    pub fn modes_at(&mut self, flow: &mut Flow, now: &Moment, d: &mut [f64], left_count: bool) {
        flow.switch_values(now.t, now.y, d, &mut self.g);
        flow.with(|system| system.switch_slopes(now.t, now.y, d, &mut self.slopes));
        for index in 0..self.of_state.len() {
            let (k, kind) = self.of_state[index];
            d[k] = match self.boundary_at(flow, k, kind, now, d) {
                Some(boundary) => {
                    let leaves = (d[k] == boundary.above && self.slopes[k] > 0.0)
                        || (d[k] == boundary.below && self.slopes[k] < 0.0);
                    if leaves && self.on[k].is_none() && !left_count { d[k] } else { boundary.on }
                }
                None => self.forced[k].unwrap_or_else(|| plain_mode(kind, self.g[k], d[k])),
            };
        }
        self.exact_time_modes(flow.system, now, d);
    }

    /// The modes of the signs of functions of time alone, zero where they are zero.
    pub fn exact_time_modes(&mut self, system: &mut dyn System, now: &Moment, d: &mut [f64]) {
        system.switch_values(now.t, now.y, d, &mut self.g);
        for &k in &self.signs_of_time {
            d[k] = if self.g[k] == 0.0 { 0.0 } else { d[k] };
        }
    }

    /// g of a switch that is not a number now, as it is a little later: like sin(t)/t at 0 it may be undefined at this
    /// point only.
    fn value_ahead(&mut self, flow: &mut Flow, k: usize, now: &Moment, d: &[f64]) -> Result<f64, Reason> {
        for factor in [1e-9, 1e-6] {
            flow.with(|system| self.evaluate_at_end(system, now, d, factor * now.scale));
            if !self.probe[2][k].is_nan() {
                return Ok(self.probe[2][k]);
            }
        }
        Err(Reason::SwitchNotFinite { t: now.t, switch: k })
    }

    /// The boundary that switch k is on: where it was put, unless an action took it away from there, or where it comes
    /// to within the resolution of time.
    fn boundary_at(
        &mut self,
        flow: &mut Flow,
        k: usize,
        kind: SwitchKind,
        now: &Moment,
        d: &[f64],
    ) -> Option<Boundary> {
        if self.on[k].is_some() || self.forced[k].is_some() {
            return self.on[k];
        }
        let g = self.g[k];
        let boundary = boundary(k, kind, if kind == SwitchKind::Floor { g.round() } else { 0.0 });
        let instant = 8.0 * f64::EPSILON * (now.t.abs().max(now.scale));
        let off = g - boundary.level;
        if off == 0.0 {
            return Some(boundary);
        }
        if self.behind.as_ref().is_some_and(|(switch, _)| *switch == k) {
            return Some(boundary);
        }
        if !(off.is_finite() && off.abs() <= instant * self.slopes[k].abs()) {
            return None;
        }
        // At a pole or a root the slope is large for an instant only, and no measure of what is far: what g does later is.
        let ahead = 1e-3 * now.scale;
        flow.with(|system| self.evaluate_at_end(system, now, d, ahead));
        let slope = (self.probe[2][k] - g).abs() / ahead;
        (off.abs() <= 8.0 * instant * slope).then_some(boundary)
    }

    /// An action may have moved switches away from their boundaries: those whose g changed are off.
    pub fn after_action(&mut self, system: &mut dyn System, t: f64, y: &[f64], d: &[f64]) {
        let before = std::mem::take(&mut self.g);
        self.g = vec![0.0; before.len()];
        system.switch_values(t, y, d, &mut self.g);
        for (k, forced) in self.forced.iter_mut().enumerate() {
            if self.g[k] != before[k] {
                *forced = None;
            }
        }
        let moved: Vec<bool> = (0..before.len()).map(|k| self.is_moved(k, before[k])).collect();
        self.on.iter_mut().zip(moved).filter(|(_, moved)| *moved).for_each(|(on, _)| *on = None);
    }

    /// Whether g of a switch on a boundary is no longer what it was there.
    fn is_moved(&self, k: usize, before: f64) -> bool {
        self.on[k].is_some_and(|boundary| {
            let moved = (self.g[k] - before).abs();
            moved > (before - boundary.level).abs() + f64::EPSILON * boundary.level.abs()
        })
    }

    /// Other switches may have moved some away from their boundaries.
    fn released(&mut self, flow: &mut Flow, before: &[f64], same_mode: impl Fn(usize) -> bool) {
        for index in 0..self.of_state.len() {
            let k = self.of_state[index].0;
            if same_mode(k) && self.is_moved(k, before[k]) {
                self.on[k] = None;
                flow.stop_sliding(k);
            }
        }
    }

    /// The mode of a switch that is on a boundary.
    ///
    /// ```text
    ///   above\below │ down      stays     up
    ///   ────────────┼────────────────────────────
    ///   up          │ either    above¹    above
    ///   stays       │ below¹    on        slides
    ///   down        │ below     slides    slides
    ///
    ///   ¹ where it comes to the boundary; what begins there does as the branch of equality
    /// ```
    fn leave_boundary(
        &mut self,
        flow: &mut Flow,
        boundary: &Boundary,
        now: &Moment,
        d: &mut [f64],
    ) -> Result<(), Zeno> {
        let k = boundary.switch;
        let before = d[k];
        flow.stop_sliding(k);
        if let Some(kept) = self.keeps_own_side(flow, boundary, now, d) {
            (d[k], self.on[k]) = (kept?, None);
            return Ok(());
        }
        let up = self.direction(flow, boundary, boundary.above, now, d);
        let down = self.direction(flow, boundary, boundary.below, now, d);
        let has_side = before == boundary.above || before == boundary.below;
        let arrived = self.on[k].is_some() && has_side && !self.chosen[k];
        let begins = !arrived && self.g[k] == boundary.level;
        let several = matches!((up, down), (Direction::Up, Direction::Down))
            || (begins
                && matches!((up, down), (Direction::Up, Direction::Stays) | (Direction::Stays, Direction::Down)));
        d[k] = match (up, down) {
            // Several solutions begin here: one stays where the branch of equality lets it.
            (Direction::Up, Direction::Stays) | (Direction::Stays, Direction::Down) if begins => {
                self.by_equality(flow, boundary, now, d)
            }
            (Direction::Up, Direction::Up | Direction::Stays) => boundary.above,
            (Direction::Down | Direction::Stays, Direction::Down) => boundary.below,
            (Direction::Stays, Direction::Stays) => boundary.on,
            // What came to the boundary moves on in its direction; what begins there goes where the branch of equality
            // points, or stays if it can.
            (Direction::Up, Direction::Down) => {
                let keeps = has_side && (self.chosen[k] || self.on[k].is_none());
                self.chosen[k] = true;
                if keeps {
                    before
                } else if arrived {
                    if before == boundary.above { boundary.below } else { boundary.above }
                } else {
                    self.by_equality(flow, boundary, now, d)
                }
            }
            (Direction::Stays | Direction::Down, Direction::Up) | (Direction::Down, Direction::Stays) => {
                if self.answers_itself(flow, boundary, now, d) {
                    return Err(Zeno::Contradiction { switch: k });
                }
                if !flow.slide(*boundary, now.t, now.y, d) {
                    return Err(Zeno::Chattering { switch: k });
                }
                self.on[k] = Some(*boundary);
                boundary.on
            }
        };
        if several {
            self.tell(Selection { t: now.t, what: Selected::Side { switch: k, side: boundary.side(d[k]), arrived } });
        }
        Ok(())
    }

    /// The mode of a switch whose g jumps with its own mode, as that of a relay with hysteresis: the side it is on, unless the
    /// solution leaves it; then the other one, if that holds there. `None` for any other switch, and where it begins.
    fn keeps_own_side(
        &mut self,
        flow: &mut Flow,
        at: &Boundary,
        now: &Moment,
        d: &mut [f64],
    ) -> Option<Result<f64, Zeno>> {
        let (k, own) = (at.switch, d[at.switch]);
        let (other, outwards) = match own {
            _ if self.on[k].is_none() => return None,
            own if own == at.above => (at.below, Direction::Down),
            own if own == at.below => (at.above, Direction::Up),
            _ => return None,
        };
        // A constraint that is another one on the other side is not looked at: what jumps there is no part of g.
        let g = &mut self.probe[2];
        flow.switches_here(now.t, now.y, d, g, &mut self.slopes);
        let (here, slope) = (g[k], self.slopes[k].abs());
        d[k] = other;
        flow.switches_here(now.t, now.y, d, g, &mut self.slopes);
        d[k] = own;
        let there = g[k] - at.level;
        // Algebraic states that are solved for anew on the other side are not the same to the last digit.
        let near = BESIDE * (now.scale * slope.max(self.slopes[k].abs()) + at.level.abs());
        let jump = (g[k] - here).abs();
        if jump.is_nan() || jump <= near {
            return None;
        }
        if self.direction(flow, at, own, now, d) != outwards {
            return Some(Ok(own));
        }
        let holds = if other == at.above { there > 0.0 } else { there < 0.0 };
        Some(if holds { Ok(other) } else { Err(Zeno::Contradiction { switch: k }) })
    }

    /// The mode of what begins on a boundary: where the branch of equality points, or the boundary if it stays.
    fn by_equality(&mut self, flow: &mut Flow, at: &Boundary, now: &Moment, d: &mut [f64]) -> f64 {
        match self.direction(flow, at, at.on, now, d) {
            Direction::Stays => at.on,
            Direction::Up => at.above,
            Direction::Down => at.below,
        }
    }

    /// Whether g depends on the mode of its own switch: 0 = |z| − x determines z by the sign of z. Such a switch has no boundary
    /// to slide along; where neither side holds, nothing does.
    fn answers_itself(&mut self, flow: &mut Flow, at: &Boundary, now: &Moment, d: &mut [f64]) -> bool {
        let (k, h) = (at.switch, 1e-6 * now.scale);
        let kept = std::mem::replace(&mut d[k], at.above);
        flow.with(|system| self.evaluate_at_end(system, now, d, h));
        let above = self.probe[2][k] - at.level;
        d[k] = at.below;
        let [y, _, g] = &mut self.probe;
        flow.with(|system| system.switch_values(now.t + h, y, d, g));
        let below = self.probe[2][k] - at.level;
        d[k] = kept;
        (above - below).abs() > 1e-6 * (above.abs() + below.abs())
    }

    /// Where g goes with this mode: by its slope, or, where that is zero, by a short step ahead.
    fn direction(&mut self, flow: &mut Flow, at: &Boundary, mode: f64, now: &Moment, d: &mut [f64]) -> Direction {
        let k = at.switch;
        let kept = std::mem::replace(&mut d[k], mode);
        flow.with(|system| system.switch_slopes(now.t, now.y, d, &mut self.slopes));
        if self.slopes[k].is_nan() {
            self.slopes_across(flow, now, d, k);
        }
        if self.slopes[k].is_nan() {
            self.slopes_behind(flow, at, now, d);
        }
        let mut sign = self.slopes[k];
        for factor in [1e-9, 1e-6, 1e-3, 0.03] {
            if sign != 0.0 {
                break;
            }
            self.from_rest = Some(k);
            self.rested[k] = true;
            flow.with(|system| self.evaluate_at_end(system, now, d, factor * now.scale));
            sign = self.probe[2][k] - self.g[k];
        }
        d[k] = kept;
        match sign {
            sign if sign > 0.0 => Direction::Up,
            sign if sign < 0.0 => Direction::Down,
            _ => Direction::Stays,
        }
    }

    /// The slopes on that side of the boundary where that of switch k exists.
    fn slopes_across(&mut self, flow: &mut Flow, now: &Moment, d: &[f64], k: usize) {
        for sign in [1.0, -1.0] {
            for (y, (at, across)) in self.probe[0].iter_mut().zip(now.y.iter().zip(&self.across)) {
                *y = at + sign * across;
            }
            if !self.across.is_empty() && self.slopes[k].is_nan() {
                flow.with(|system| system.switch_slopes(now.t, &self.probe[0], d, &mut self.slopes));
            }
        }
    }

    /// The slopes of the side that d has, where the other side leads to it: the level of a tank that is a little below zero, by
    /// rounding or within its tolerance, and begins to rise.
    fn slopes_behind(&mut self, flow: &mut Flow, at: &Boundary, now: &Moment, d: &mut [f64]) {
        let (k, mode) = (at.switch, d[at.switch]);
        let (other, direction) = match mode {
            _ if mode == at.above => (at.below, 1.0),
            _ if mode == at.below => (at.above, -1.0),
            _ => return,
        };
        d[k] = other;
        flow.with(|system| system.switch_slopes(now.t, now.y, d, &mut self.slopes));
        let slope = direction * self.slopes[k];
        let time = BEHIND * direction * (at.level - self.g[k]) / slope;
        let mut behind = now.y.to_vec();
        if slope > 0.0 && time > 0.0 && time <= 1e-3 * now.scale {
            let f = &mut self.probe[1];
            flow.with(|system| system.derivative(now.t, now.y, d, f));
            behind.iter_mut().zip(f).for_each(|(y, f)| *y += time * *f);
            self.evaluations += 1;
        }
        d[k] = mode;
        flow.with(|system| system.switch_slopes(now.t, &behind, d, &mut self.slopes));
        if !self.slopes[k].is_nan() {
            self.behind = Some((k, behind));
        }
    }

    /// The values of g one step of the midpoint rule ahead.
    fn evaluate_at_end(&mut self, system: &mut dyn System, now: &Moment, d: &[f64], h: f64) {
        let [y, f, g] = &mut self.probe;
        system.derivative(now.t, now.y, d, f);
        for (y, (start, f)) in y.iter_mut().zip(now.y.iter().zip(&*f)) {
            *y = start + 0.5 * h * f;
        }
        system.derivative(now.t + 0.5 * h, y, d, f);
        for (y, (start, f)) in y.iter_mut().zip(now.y.iter().zip(&*f)) {
            *y = start + h * f;
        }
        system.switch_values(now.t + h, y, d, g);
        self.evaluations += 2;
    }
}

/// The modes of some switches by the values of g alone; one may depend on another.
pub(crate) fn modes_of(
    switches: &[(usize, SwitchKind)],
    system: &mut dyn System,
    t: f64,
    y: &[f64],
    d: &mut [f64],
    g: &mut [f64],
) {
    for _ in 0..=switches.len() {
        system.switch_values(t, y, d, g);
        let mut changed = false;
        for &(k, kind) in switches {
            let mode = plain_mode(kind, g[k], d[k]);
            changed |= mode != d[k];
            d[k] = mode;
        }
        if !changed {
            return;
        }
    }
}

/// The mode by the value of g alone; where g is not a number, the mode stays.
pub(crate) fn plain_mode(kind: SwitchKind, g: f64, before: f64) -> f64 {
    match kind {
        _ if g.is_nan() => before,
        SwitchKind::Sign if g == 0.0 => 0.0,
        SwitchKind::Sign => g.signum(),
        SwitchKind::Floor | SwitchKind::Segment => g.floor(),
    }
}

/// The boundary of a switch at a level of g.
pub(crate) fn boundary(switch: usize, kind: SwitchKind, level: f64) -> Boundary {
    match kind {
        SwitchKind::Sign => Boundary { switch, level, above: 1.0, below: -1.0, on: 0.0 },
        SwitchKind::Floor | SwitchKind::Segment => {
            Boundary { switch, level, above: level, below: level - 1.0, on: level }
        }
    }
}
