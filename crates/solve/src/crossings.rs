//! Finds where switches leave their side within a step, on the dense output.
//!
//! Each way to leave is a *channel*: a function v along the step that is positive as long as all is well. The
//! channels are sampled at a few points, and the polynomial through the samples shows where v may dip towards zero in
//! between; there v itself is asked. At the ends of the step the slope shows it.

use crate::roots::{At, first_beyond, lowest};
use crate::sliding::{Boundary, Flow};
use crate::switches::{Switches, boundary};
use crate::{Method, SwitchKind};

/// Parts into which a step is divided by the samples.
const PARTS: usize = 8;

/// Parts into which these are divided by the polynomial.
const FINE: usize = 8;

/// Number of fine points but the start.
const POINTS: usize = PARTS * FINE;

/// One way to leave a side.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Channel {
    boundary: Boundary,
    kind: ChannelKind,
    /// Right after an event v may be a little below zero by rounding; it counts from there until it has recovered.
    offset: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum ChannelKind {
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

/// The first crossing of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crossing {
    /// As a part of the step.
    pub theta: f64,
    /// The boundary that is reached.
    pub boundary: Boundary,
    /// It only touches the boundary.
    pub touch: bool,
}

/// The channels and the memory for the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Crossings {
    channels: Vec<Channel>,
    /// Values at the points of division, one row per point; the first is the end of the step before.
    values: Vec<Vec<f64>>,
    /// dv/dt at the start and at the end of the step, zero for sliding motions.
    slopes: [Vec<f64>; 2],
    y: Vec<f64>,
    g: Vec<f64>,
    /// The value of the polynomial at each fine point as a sum over the samples.
    lagrange: Vec<[f64; PARTS + 1]>,
}

impl Crossings {
    pub fn new(states: usize, switches: usize) -> Crossings {
        Crossings { y: vec![0.0; states], g: vec![0.0; switches], lagrange: lagrange(), ..Crossings::default() }
    }

    /// New modes: other channels. `y` is the state now.
    pub fn watch(&mut self, switches: &Switches, flow: &mut Flow, t: f64, y: &[f64], d: &[f64]) {
        self.channels.clear();
        let mut add = |boundary, kind| self.channels.push(Channel { boundary, kind, offset: 0.0 });
        for &(k, kind) in switches.of_state() {
            if let Some(sliding) = flow.sliding.as_ref().filter(|sliding| sliding.boundary.switch == k) {
                add(sliding.boundary, ChannelKind::SlideUp);
                add(sliding.boundary, ChannelKind::SlideDown);
                continue;
            }
            match kind {
                SwitchKind::Sign if d[k] > 0.0 => add(boundary(k, kind, 0.0), ChannelKind::Above),
                SwitchKind::Sign if d[k] < 0.0 => add(boundary(k, kind, 0.0), ChannelKind::Below),
                SwitchKind::Sign => add(boundary(k, kind, 0.0), ChannelKind::Zero),
                SwitchKind::Floor | SwitchKind::Segment => {
                    add(boundary(k, kind, d[k]), ChannelKind::Above);
                    add(boundary(k, kind, d[k] + 1.0), ChannelKind::Below);
                }
            }
        }
        let count = self.channels.len();
        self.values.resize(PARTS + 1, Vec::new());
        for values in self.values.iter_mut().chain(&mut self.slopes) {
            values.clear();
            values.resize(count, 0.0);
        }
        if count == 0 {
            return;
        }
        flow.system.switch_values(t, y, d, &mut self.g);
        let (up, down) = flow.sliding.as_mut().map_or((0.0, 0.0), |sliding| sliding.both_slopes(flow.system, t, y, d));
        for c in 0..count {
            let channel = self.channels[c];
            self.channels[c].offset = match channel.kind {
                ChannelKind::Zero => 2.0 * self.g[channel.boundary.switch].abs(),
                _ => self.value(&channel, up, down).min(0.0),
            };
            self.values[0][c] = self.value(&self.channels[c], up, down);
        }
        self.slopes_at(flow, t, y, d, 0);
    }

    /// Whether there is anything to search for.
    pub fn active(&self) -> bool {
        !self.channels.is_empty()
    }

    /// The first crossing of the step that `method` remembers, whose dense output is made. `touch_counts` says of a
    /// switch whether it matters that it only touches zero.
    pub fn search(
        &mut self,
        flow: &mut Flow,
        method: &dyn Method,
        step: &Step,
        rtol: f64,
        touch_counts: &mut dyn FnMut(&mut Flow, usize) -> bool,
    ) -> Option<Crossing> {
        for j in 1..=PARTS {
            let mut row = std::mem::take(&mut self.values[j]);
            self.sample(flow, method, step, part(j), &mut row);
            self.values[j] = row;
        }
        method.interpolate(1.0, &mut self.y);
        let y = std::mem::take(&mut self.y);
        self.slopes_at(flow, step.t + step.h, &y, step.d, 1);
        self.y = y;

        let mut first: Option<Crossing> = None;
        for c in 0..self.channels.len() {
            let limit = first.map_or(1.0, |crossing| crossing.theta);
            let found = self.search_channel(flow, method, step, c, limit, rtol, touch_counts);
            // At the same time the lower index comes first.
            if let Some(found) = found.filter(|found| first.is_none_or(|first| found.theta < first.theta)) {
                first = Some(found);
            }
        }
        first
    }

    /// The step that was searched without success was accepted: its end is the next start.
    pub fn accept(&mut self) {
        if !self.active() {
            return;
        }
        self.values.swap(0, PARTS);
        self.slopes.swap(0, 1);
        for (channel, v) in self.channels.iter_mut().zip(&mut self.values[0]) {
            if channel.kind != ChannelKind::Zero && channel.offset < 0.0 && *v > -2.0 * channel.offset {
                *v += channel.offset;
                channel.offset = 0.0;
            }
        }
    }

    fn search_channel(
        &mut self,
        flow: &mut Flow,
        method: &dyn Method,
        step: &Step,
        c: usize,
        limit: f64,
        rtol: f64,
        touch_counts: &mut dyn FnMut(&mut Flow, usize) -> bool,
    ) -> Option<Crossing> {
        let channel = self.channels[c];
        let mut v = [0.0; PARTS + 1];
        for (v, row) in v.iter_mut().zip(&self.values) {
            *v = row[c];
        }
        let (slope0, slope1) = (step.h * self.slopes[0][c], step.h * self.slopes[1][c]);
        let largest = v.iter().fold(0.0, |largest: f64, v| largest.max(v.abs()));
        let crossing = |theta, touch| Some(Crossing { theta, boundary: channel.boundary, touch });
        let width = f64::EPSILON * step.t.abs().max(step.h) / step.h;
        let fine = self.fine(&v);
        let low = 0.02 * largest;
        let mut before = (0.0, v[0]);
        let mut touched = None;
        let mut at = |theta: f64| {
            let (up, down) = self.look(flow, method, step, theta);
            self.value(&channel, up, down)
        };
        for q in 1..=POINTS {
            if point(q - 1) >= limit {
                break;
            }
            if fine[q] < 0.0 {
                let value = if q.is_multiple_of(FINE) { fine[q] } else { at(point(q)) };
                if value < 0.0 {
                    return crossing(locate(&mut at, before, (point(q), value), width), false);
                }
            }
            if let Some((left, middle, right)) = dip(&fine, q, slope0, slope1, low) {
                let middle = (middle, at(middle));
                let bottom = lowest(&mut at, left, middle, right);
                if bottom.1 < 0.0 {
                    return crossing(locate(&mut at, before, bottom, width), false);
                }
                if touched.is_none() && bottom.0 > 0.0 && bottom.1 <= rtol.max(1e-12) * largest {
                    touched = Some(bottom.0);
                }
            }
            if q.is_multiple_of(FINE) && fine[q] > 0.0 {
                before = (point(q), fine[q]);
            }
        }
        let can_touch = matches!(channel.kind, ChannelKind::Above | ChannelKind::Below)
            && channel.boundary.on != channel.boundary.above;
        match touched {
            Some(theta) if can_touch && touch_counts(flow, channel.boundary.switch) => crossing(theta, true),
            _ => None,
        }
    }

    /// The values at the fine points by the polynomial; infinite between the samples where v is so far from zero that it
    /// would have to change more than it does over the whole step.
    fn fine(&self, v: &[f64; PARTS + 1]) -> [f64; POINTS + 1] {
        let mut fine = [f64::INFINITY; POINTS + 1];
        let (least, largest) = v.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, g), &v| (l.min(v), g.max(v)));
        if least <= largest - least {
            for (fine, weights) in fine.iter_mut().zip(&self.lagrange) {
                *fine = weights.iter().zip(v).map(|(weight, v)| weight * v).sum();
            }
        }
        for (fine, v) in fine.iter_mut().step_by(FINE).zip(v) {
            *fine = *v;
        }
        fine
    }

    fn sample(&mut self, flow: &mut Flow, method: &dyn Method, step: &Step, theta: f64, values: &mut [f64]) {
        let (up, down) = self.look(flow, method, step, theta);
        for (v, channel) in values.iter_mut().zip(&self.channels) {
            *v = self.value(channel, up, down);
        }
    }

    /// Evaluates the switches at a point of the step; returns g′ above and below a boundary on which the flow slides.
    fn look(&mut self, flow: &mut Flow, method: &dyn Method, step: &Step, theta: f64) -> (f64, f64) {
        method.interpolate(theta, &mut self.y);
        let t = step.t + theta * step.h;
        flow.system.switch_values(t, &self.y, step.d, &mut self.g);
        flow.sliding.as_mut().map_or((0.0, 0.0), |sliding| sliding.both_slopes(flow.system, t, &self.y, step.d))
    }

    /// The value of a channel where the switches were evaluated last.
    fn value(&self, channel: &Channel, up: f64, down: f64) -> f64 {
        let g = self.g[channel.boundary.switch] - channel.boundary.level;
        let v = match channel.kind {
            ChannelKind::Above => g,
            ChannelKind::Below => -g,
            ChannelKind::Zero => return if g.abs() > channel.offset { -1.0 } else { 1.0 },
            ChannelKind::SlideUp => -up,
            ChannelKind::SlideDown => down,
        };
        v - channel.offset
    }

    fn slopes_at(&mut self, flow: &mut Flow, t: f64, y: &[f64], d: &[f64], end: usize) {
        flow.with(|system| system.switch_slopes(t, y, d, &mut self.g));
        for (slope, channel) in self.slopes[end].iter_mut().zip(&self.channels) {
            *slope = match channel.kind {
                ChannelKind::Above => self.g[channel.boundary.switch],
                ChannelKind::Below => -self.g[channel.boundary.switch],
                ChannelKind::Zero | ChannelKind::SlideUp | ChannelKind::SlideDown => 0.0,
            };
        }
    }
}

/// The sample j.
fn part(j: usize) -> f64 {
    j as f64 / PARTS as f64
}

/// The fine point q.
fn point(q: usize) -> f64 {
    q as f64 / POINTS as f64
}

/// The Lagrange polynomials of the samples at the fine points.
fn lagrange() -> Vec<[f64; PARTS + 1]> {
    let weight = |x: f64, j: usize| {
        let others = (0..=PARTS).filter(|&i| i != j);
        others.map(|i| (x - part(i)) / (part(j) - part(i))).product()
    };
    (0..=POINTS).map(|q| std::array::from_fn(|j| weight(point(q), j))).collect()
}

/// The first point of v ≤ 0 between `before` and `beyond`. Right after an event v begins at zero and rises; if it does
/// not even do that, the crossing is at once.
fn locate(v: &mut dyn FnMut(f64) -> f64, before: At, beyond: At, width: f64) -> f64 {
    if before.1 > 0.0 {
        return first_beyond(v, before, beyond, width);
    }
    let mut length = beyond.0 - before.0;
    for _ in 0..40 {
        length *= 0.5;
        let value = v(before.0 + length);
        if value > 0.0 {
            return first_beyond(v, (before.0 + length, value), beyond, width);
        }
    }
    before.0
}

/// Where v may dip towards zero near the fine point q: between the points around one that is low and lower than they
/// are, or at an end of the step whose slope points the other way. The slopes are those by θ.
fn dip(fine: &[f64; POINTS + 1], q: usize, slope0: f64, slope1: f64, low: f64) -> Option<(f64, f64, f64)> {
    if q == 1 && slope0 < 0.0 && fine[1] >= fine[0] && fine[0] > 0.0 {
        return Some((0.0, 0.5 * point(1), point(1)));
    }
    if q == POINTS {
        let turned = slope1 > 0.0 && fine[q] <= fine[q - 1];
        let rests = fine[q] <= 1e-4 * low && slope1.abs() <= 0.1 * low && fine[q] < fine[q - 1];
        return (turned || rests).then_some((point(q - 1), 1.0, 1.0));
    }
    let lowest = fine[q] <= fine[q - 1] && fine[q] <= fine[q + 1] && fine[q - 1] > fine[q + 1].min(fine[q]);
    (lowest && fine[q] <= low).then_some((point(q - 1), point(q), point(q + 1)))
}
