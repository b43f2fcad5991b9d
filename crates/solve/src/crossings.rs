//! Finds where switches leave their side within a step, on the dense output.
//!
//! Each way to leave is a *channel*: a function v along the step that is positive as long as all is well. The
//! channels are sampled at a few points; a dip between the points is found from a low sample between higher ones, and
//! at the ends of the step from the slope. What dips twice between two samples is not seen.

use crate::roots::{At, first_beyond, lowest};
use crate::sliding::{Boundary, Flow};
use crate::switches::{Switches, boundary};
use crate::{Method, SwitchKind};

/// Parts into which a step is divided.
const PARTS: usize = 8;

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
    /// v = threshold − |g|: the mode of a g that stays zero.
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
    row: Vec<f64>,
    y: Vec<f64>,
    g: Vec<f64>,
}

impl Crossings {
    pub fn new(states: usize, switches: usize) -> Crossings {
        Crossings { y: vec![0.0; states], g: vec![0.0; switches], ..Crossings::default() }
    }

    /// New modes: other channels. `y` is the state now.
    pub fn watch(&mut self, switches: &Switches, flow: &mut Flow, t: f64, y: &[f64], d: &[f64]) {
        self.channels.clear();
        let mut add = |boundary, kind| self.channels.push(Channel { boundary, kind, offset: 0.0 });
        for (k, kind) in switches.of_state() {
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
        let mut start = std::mem::take(&mut self.values[0]);
        self.evaluate(flow, t, y, d, &mut start);
        for (channel, v) in self.channels.iter_mut().zip(&mut start) {
            channel.offset = match channel.kind {
                ChannelKind::Zero => 2.0 * *v,
                _ => v.min(0.0),
            };
            *v -= channel.offset;
        }
        self.values[0] = start;
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
        let mut row = std::mem::take(&mut self.row);
        row.resize(self.channels.len(), 0.0);
        let mut at = |theta: f64| {
            self.sample(flow, method, step, theta, &mut row);
            row[c]
        };
        let crossing = |theta, touch| Some(Crossing { theta, boundary: channel.boundary, touch });
        let width = f64::EPSILON * step.t.abs().max(step.h) / step.h;
        let mut touched = None;
        for j in 1..=PARTS {
            if part(j - 1) >= limit {
                break;
            }
            if v[j] < 0.0 {
                let before =
                    if v[j - 1] > 0.0 { Some((part(j - 1), v[j - 1])) } else { rise(&mut at, part(j - 1), part(j)) };
                return match before {
                    Some(before) => crossing(first_beyond(&mut at, before, (part(j), v[j]), width), false),
                    None => crossing(part(j - 1), false),
                };
            }
            let Some((low, middle, high)) = dip(&v, j, slope0, slope1, largest) else { continue };
            let bottom = lowest(&mut at, low, middle, high);
            if bottom.1 < 0.0 {
                let before = (low, v[j - 1]);
                let before = if before.1 > 0.0 { Some(before) } else { rise(&mut at, low, bottom.0) };
                let theta = before.map_or(low, |before| first_beyond(&mut at, before, bottom, width));
                return crossing(theta, false);
            }
            if touched.is_none() && bottom.0 > 0.0 && bottom.1 <= rtol.max(1e-12) * largest {
                touched = Some(bottom.0);
            }
        }
        let can_touch = matches!(channel.kind, ChannelKind::Above | ChannelKind::Below)
            && channel.boundary.on != channel.boundary.above;
        match touched {
            Some(theta) if can_touch && touch_counts(flow, channel.boundary.switch) => crossing(theta, true),
            _ => None,
        }
    }

    fn sample(&mut self, flow: &mut Flow, method: &dyn Method, step: &Step, theta: f64, values: &mut [f64]) {
        let mut y = std::mem::take(&mut self.y);
        method.interpolate(theta, &mut y);
        self.evaluate(flow, step.t + theta * step.h, &y, step.d, values);
        self.y = y;
        for (v, channel) in values.iter_mut().zip(&self.channels) {
            *v -= channel.offset;
        }
    }

    /// The values of all channels without their offsets.
    fn evaluate(&mut self, flow: &mut Flow, t: f64, y: &[f64], d: &[f64], values: &mut [f64]) {
        flow.system.switch_values(t, y, d, &mut self.g);
        let (up, down) = match &mut flow.sliding {
            Some(sliding) => sliding.both_slopes(flow.system, t, y, d),
            None => (0.0, 0.0),
        };
        for (v, channel) in values.iter_mut().zip(&self.channels) {
            let g = self.g[channel.boundary.switch] - channel.boundary.level;
            *v = match channel.kind {
                ChannelKind::Above => g,
                ChannelKind::Below => -g,
                ChannelKind::Zero => -g.abs(),
                ChannelKind::SlideUp => -up,
                ChannelKind::SlideDown => down,
            };
        }
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

/// The point of division j.
fn part(j: usize) -> f64 {
    j as f64 / PARTS as f64
}

/// A point shortly behind `low` with a positive value: right after an event v begins at zero and rises.
fn rise(v: &mut dyn FnMut(f64) -> f64, low: f64, high: f64) -> Option<At> {
    let mut length = high - low;
    for _ in 0..40 {
        length *= 0.5;
        let value = v(low + length);
        if value > 0.0 {
            return Some((low + length, value));
        }
    }
    None
}

/// Where v, positive at the points up to j, may dip towards zero near point j: between the points around a low one,
/// or at an end of the step whose slope points the other way. The slopes are those by θ.
fn dip(v: &[f64; PARTS + 1], j: usize, slope0: f64, slope1: f64, largest: f64) -> Option<(f64, At, f64)> {
    if j == 1 && slope0 < 0.0 && v[1] >= v[0] {
        return Some((0.0, (0.0, v[0]), part(1)));
    }
    if j == PARTS {
        let turned = slope1 > 0.0 && v[j] <= v[j - 1];
        let rests = v[j] <= 1e-6 * largest && slope1.abs() <= 1e-3 * largest && v[j] < v[j - 1];
        return (turned || rests).then_some((part(j - 1), (1.0, v[j]), 1.0));
    }
    if v[j] > v[j - 1] || v[j] > v[j + 1] {
        return None;
    }
    // The parabola through the three points: a dip ten times as deep as its own would be needed to reach zero.
    let curvature = v[j - 1] - 2.0 * v[j] + v[j + 1];
    let depth = (v[j + 1] - v[j - 1]).powi(2) / (8.0 * curvature);
    let far = v[j] > 10.0 * depth && v[j] > 1e-3 * largest;
    (curvature > 0.0 && !far).then_some((part(j - 1), (part(j), v[j]), part(j + 1)))
}
