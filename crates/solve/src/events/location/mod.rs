//! Finds where switches leave their side within a step, on the dense output: as proven roots (`verified.rs`) where the method
//! and the system tell all they need, else by a search.
//!
//! The step is searched in *pieces* from left to right. In a piece every channel is sampled at a few points, and the
//! polynomial through the samples shows where v may dip towards zero in between; there v itself is asked. At the ends of
//! the piece the slope shows it. A piece is short enough when the polynomial agrees with v at some further points and with
//! its slopes at the ends; otherwise it is made shorter. So a g that oscillates many times within a step that is long
//! because f does not show it is followed all the same.

mod verified;

use std::sync::LazyLock;

use crate::events::functions::{EventFunction, EventFunctionKind, EventFunctions, Step};
use crate::events::grazes::{Graze, Grazes, NEAR};
use crate::events::modes::{ModeResolver, plain_mode};
use crate::events::sliding::{Boundary, Flow};
use crate::{Method, Tolerance};
use ordinate_numbers::roots::{At, locate, lowest};
use verified::Proof;

/// Parts into which a piece is divided by the samples.
const PARTS: usize = 8;

/// Parts into which these are divided by the polynomial.
const FINE: usize = 8;

/// Number of fine points but the start.
const POINTS: usize = PARTS * FINE;

/// Where v is compared with the polynomial: no regular grid, so that no period fits all of them and the samples.
const CHECKS: [f64; 3] = [0.0573, 0.4271, 0.9481];

/// A piece of a step is not made shorter than this.
const SHORTEST: f64 = 1.0 / 1_048_576.0;

/// A step is not searched further after so many pieces.
const MOST_PIECES: usize = 4000;

/// What the samples do not show need not be looked for where it is this part of what the tolerance of the state makes of v.
const UNSEEN: f64 = 1e-4;

/// The first crossing of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crossing {
    /// As a part of the step.
    pub theta: f64,
    /// The boundary that is reached.
    pub boundary: Boundary,
    /// It only touches the boundary: the mode of this very instant.
    pub touch: Option<f64>,
    /// g jumps over the boundary, like tan at π/2, and this is its mode beyond.
    pub jump: Option<f64>,
    /// It is the end of a sliding motion, and this the mode of the side to which it leaves.
    pub leaves: Option<f64>,
}

/// What the search found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Found {
    /// No crossing in the step.
    Nothing,
    /// The first crossing.
    Crossing(Crossing),
    /// Behind this part of the step the switch is not a number; before it nothing was found.
    Undefined { theta: f64, switch: usize },
    /// Nothing up to here; the rest would take too much work at once.
    Unfinished { theta: f64 },
    /// Nothing could be proven, and the step is too long for a search.
    TooLong,
}

/// The memory for the search.
#[derive(Clone, Debug)]
pub(crate) struct Crossings {
    channels: EventFunctions,
    /// Values at the points of division, one row per point; the first is the end of the piece before.
    values: Vec<Vec<f64>>,
    checks: Vec<Vec<f64>>,
    /// Values and slopes at the start of the step, in case it is rejected after the search.
    start: [Vec<f64>; 2],
    /// dv/dt at the start and at the end of the piece, zero for sliding motions.
    slopes: [Vec<f64>; 2],
    /// The largest |v| in this step so far.
    largest: Vec<f64>,
    /// The largest one of each switch in the whole run.
    sizes: Vec<f64>,
    /// The effect of rounding on v, if it was needed in this step.
    rounding: Vec<f64>,
    rounding_known: bool,
    /// How much v changes within the tolerance of the state, if that was needed in this step.
    tolerances: Vec<f64>,
    tolerances_known: bool,
    /// Length in time of a piece that was short enough.
    length: f64,
    weights: &'static Weights,
    proof: Proof,
    grazes: Grazes,
}

/// The polynomial through the samples as sums over them.
#[derive(Clone, Debug, Default)]
struct Weights {
    /// Its values at the fine points.
    fine: Vec<[f64; PARTS + 1]>,
    /// Its values at the checks.
    checks: Vec<[f64; PARTS + 1]>,
    /// Its slopes at the ends.
    ends: Vec<[f64; PARTS + 1]>,
}

/// A piece of a step.
#[derive(Clone, Copy, Debug)]
struct Piece {
    start: f64,
    end: f64,
}

impl Piece {
    fn at(&self, x: f64) -> f64 {
        if x == 1.0 { self.end } else { self.start + x * self.length() }
    }

    fn length(&self) -> f64 {
        self.end - self.start
    }
}

/// What a search is to know of the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The relative tolerance.
    pub rtol: f64,
    /// The longest step that is searched where nothing can be proven.
    pub longest: f64,
}

/// What is searched in: all that does not change during a search.
struct Search<'a, 's> {
    flow: &'a mut Flow<'s>,
    method: &'a dyn Method,
    step: &'a Step<'a>,
    rtol: f64,
    /// Whether it matters that a switch has a mode for an instant, where it only touches zero.
    touch_counts: &'a mut dyn FnMut(&mut Flow, usize, f64) -> bool,
}

impl Search<'_, '_> {
    /// What is nearer to zero than this part of the largest value touches it.
    fn touch(&self) -> f64 {
        self.rtol.max(1e-12)
    }

    /// The resolution of time as a part of the step.
    fn width(&self) -> f64 {
        f64::EPSILON * self.step.t.abs().max(self.step.h) / self.step.h
    }

    /// The crossing of a channel that only touches zero, if that is possible and matters.
    fn touching(&mut self, channel: &EventFunction, theta: f64) -> Option<Found> {
        let boundary = channel.boundary;
        let has_side = matches!(channel.kind, EventFunctionKind::Above | EventFunctionKind::Below);
        let matters =
            has_side && boundary.on != boundary.above && (self.touch_counts)(self.flow, boundary.switch, boundary.on);
        let touch = Some(boundary.on);
        matters.then_some(Found::Crossing(Crossing { theta, boundary, touch, jump: None, leaves: None }))
    }
}

impl Crossings {
    pub fn new(switches: usize, tol: &Tolerance) -> Crossings {
        Crossings {
            channels: EventFunctions::new(switches, tol),
            values: Vec::new(),
            checks: Vec::new(),
            start: Default::default(),
            slopes: Default::default(),
            largest: Vec::new(),
            sizes: vec![0.0; switches],
            rounding: Vec::new(),
            rounding_known: false,
            tolerances: Vec::new(),
            tolerances_known: false,
            length: f64::INFINITY,
            weights: &WEIGHTS,
            proof: Proof::new(switches),
            grazes: Grazes::default(),
        }
    }

    /// New modes: other channels. `y` is the state now.
    pub fn watch(&mut self, switches: &ModeResolver, flow: &mut Flow, t: f64, y: &[f64], d: &[f64]) {
        self.channels.watch(switches, flow, t, y, d);
        let count = self.channels.list.len();
        if count == 0 {
            return;
        }
        self.values.resize(PARTS + 1, Vec::new());
        self.checks.resize(CHECKS.len(), Vec::new());
        let memory = self.values.iter_mut().chain(&mut self.checks).chain(&mut self.slopes).chain(&mut self.start);
        for values in memory.chain([&mut self.largest, &mut self.rounding]) {
            values.clear();
            values.resize(count, 0.0);
        }
        self.channels.values(&mut self.values[0]);
        self.channels.slopes(flow, t, y, d, &mut self.slopes[0]);
    }

    /// How much g of a switch changes within the tolerance of the state.
    pub fn within_tolerance(&mut self, flow: &mut Flow, t: f64, y: &[f64], d: &[f64], switch: usize) -> f64 {
        self.channels.within_tolerance(flow, t, y, d)[switch]
    }

    /// Whether there is anything to search for.
    pub fn active(&self) -> bool {
        !self.channels.list.is_empty()
    }

    /// The first crossing of the step that `method` remembers, whose dense output is made; steps longer than `longest` are
    /// not searched unless by proof. `touch_counts` says of a switch whether it matters that it has this mode for an instant.
    pub fn search(
        &mut self,
        flow: &mut Flow,
        method: &dyn Method,
        step: &Step,
        Limits { rtol, longest }: Limits,
        touch_counts: &mut dyn FnMut(&mut Flow, usize, f64) -> bool,
    ) -> Found {
        let mut search = Search { flow, method, step, rtol, touch_counts };
        self.grazes.begin(step.t);
        let found = self.first(&mut search, longest);
        if let Found::Crossing(crossing) = &found {
            self.grazes.end(step.t, step.t + crossing.theta * step.h);
            self.keep_shallow(&mut search, crossing);
        }
        found
    }

    /// Where switches came near to their boundaries and turned back, as far as that is known.
    pub fn take_grazes(&mut self) -> Vec<Graze> {
        self.grazes.take()
    }

    /// A crossing behind which the switch would come back at once is a graze, too: its extreme is where the slope along the step
    /// vanishes, and behind the end of the step that of the parabola with the last slopes.
    fn keep_shallow(&mut self, search: &mut Search, crossing: &Crossing) {
        /// Steps of the secant method; the slope is nearly straight where an extreme is near.
        const ROUNDS: usize = 4;
        if crossing.touch.is_some() || crossing.jump.is_some() || crossing.leaves.is_some() {
            return;
        }
        let has_side =
            |channel: &&EventFunction| matches!(channel.kind, EventFunctionKind::Above | EventFunctionKind::Below);
        let mut sides = self.channels.list.iter().enumerate().filter(|(_, channel)| has_side(channel));
        let Some((c, channel)) = sides.find(|(_, channel)| channel.boundary == crossing.boundary) else { return };
        let (channel, theta, step) = (*channel, crossing.theta, search.step);
        let mut slopes = vec![0.0; self.channels.list.len()];
        let mut slope_at = |channels: &mut EventFunctions, theta: f64| {
            channels.slopes_inside(search.flow, search.method, step, theta, &mut slopes);
            step.h * slopes[c]
        };
        let mut here = (theta, slope_at(&mut self.channels, theta));
        let aside = if theta >= 0.5 { 0.75 * theta } else { theta + 0.25 * (1.0 - theta) };
        let mut last = (aside, slope_at(&mut self.channels, aside));
        for _ in 0..ROUNDS {
            let curvature = (here.1 - last.1) / (here.0 - last.0);
            if !(here.1 < 0.0 || here.0 > theta) || curvature.is_nan() || curvature <= 0.0 {
                return;
            }
            let extreme = here.0 - here.1 / curvature;
            if extreme >= 1.0 || extreme <= theta || extreme == here.0 {
                break;
            }
            (last, here) = (here, (extreme, slope_at(&mut self.channels, extreme)));
        }
        self.channels.look_inside(search.flow, search.method, step, here.0);
        let curvature = (here.1 - last.1) / (here.0 - last.0);
        let rest = if here.0 == theta { -0.5 * here.1 * here.1 / curvature } else { 0.0 };
        self.keep_graze(search, c, theta, self.channels.value(&channel).min(0.0) + rest);
    }

    fn keep_graze(&mut self, search: &mut Search, c: usize, theta: f64, distance: f64) {
        let channel = self.channels.list[c];
        let (size, Step { t, h, .. }) = (self.sizes[channel.boundary.switch], *search.step);
        if distance.abs() <= NEAR * size && self.side_matters(search, &channel, theta) {
            let mut tolerances = vec![0.0; self.channels.list.len()];
            self.channels.tolerances(search.flow, search.method, search.step, theta, &mut tolerances);
            let tolerance = tolerances[c];
            let side = if channel.kind == EventFunctionKind::Below { -1.0 } else { 1.0 };
            let switch = channel.boundary.switch;
            self.grazes.push(t, Graze { switch, t: t + theta * h, distance, side, size, tolerance });
        }
    }

    /// Whether it matters on which side of its boundary a switch is: an action runs, or the rates jump there. Where one side has no
    /// rates, as that of √ in |x|, the branches are those of a formula that is continuous.
    fn side_matters(&mut self, search: &mut Search, channel: &EventFunction, theta: f64) -> bool {
        let Boundary { switch, above, below, .. } = channel.boundary;
        let beyond = if channel.kind == EventFunctionKind::Below { above } else { below };
        if (search.touch_counts)(search.flow, switch, beyond) {
            return true;
        }
        let Step { t, h, d } = *search.step;
        self.channels.look_inside(search.flow, search.method, search.step, theta);
        self.channels.rates_jump(search.flow, t + theta * h, d, (switch, above, below), h)
    }

    /// What `search` tells.
    fn first(&mut self, search: &mut Search, longest: f64) -> Found {
        let step = search.step;
        self.start[0].copy_from_slice(&self.values[0]);
        self.start[1].copy_from_slice(&self.slopes[0]);
        self.largest.fill(0.0);
        if let Some(found) = self.prove(search) {
            return found;
        }
        if step.h > longest {
            return Found::TooLong;
        }
        self.largest.fill(0.0);
        (self.rounding_known, self.tolerances_known) = (false, false);
        // The first g that is not a number, and the last point where it is one.
        let mut wall: Option<(f64, usize)> = None;
        let mut piece = Piece { start: 0.0, end: (2.0 * self.length / step.h).min(1.0) };
        let mut shortened = false;
        for _ in 0..MOST_PIECES {
            let undefined = self.sample(search, &piece);
            if let Some((theta, c)) = undefined {
                wall = Some((self.last_defined(search, c, piece.start, theta), self.switch_of(c)));
            } else if piece.length() > SHORTEST && !self.resolved(search, &piece) {
                piece.end = piece.start + 0.5 * piece.length();
                shortened = true;
                continue;
            } else {
                if let Some(crossing) = self.first_in_piece(search, &piece) {
                    return crossing;
                }
                self.length = piece.length() * step.h;
                self.values.swap(0, PARTS);
                self.slopes.swap(0, 1);
                let next = piece.end + if shortened { 1.0 } else { 2.0 } * piece.length();
                piece = Piece { start: piece.end, end: next };
                shortened = false;
            }
            let until = wall.map_or(1.0, |(theta, _)| theta);
            if piece.start >= until {
                return wall.map_or(Found::Nothing, |(theta, switch)| Found::Undefined { theta, switch });
            }
            piece.end = piece.end.min(until);
        }
        Found::Unfinished { theta: piece.start }
    }

    /// The boundary that is reached first from the start of the step if all slopes stay as they are, and the time to it.
    pub fn nearest(&self) -> Option<(f64, Boundary)> {
        let sides = [EventFunctionKind::Above, EventFunctionKind::Below];
        let slopes = self.values.first()?.iter().zip(&self.slopes[0]);
        let channels = self.channels.list.iter().zip(slopes).filter(|(channel, _)| sides.contains(&channel.kind));
        let times = channels.filter_map(|(channel, (v, slope))| match *v {
            v if v > 0.0 && *slope < 0.0 => Some((-v / slope, channel.boundary)),
            // It has come to rest on the boundary, and how it goes on there is not decided.
            0.0 if *slope <= 0.0 || slope.is_nan() => Some((0.0, channel.boundary)),
            _ => None,
        });
        times.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The step that was searched is tried anew.
    pub fn reject(&mut self) {
        self.values[0].copy_from_slice(&self.start[0]);
        self.slopes[0].copy_from_slice(&self.start[1]);
    }

    /// The point where the search ended was accepted: it is the next start.
    pub fn accept(&mut self) {
        if !self.active() {
            return;
        }
        for (channel, v) in self.channels.list.iter_mut().zip(&mut self.values[0]) {
            if channel.kind != EventFunctionKind::Zero && channel.offset < 0.0 && *v > -2.0 * channel.offset {
                *v += channel.offset;
                channel.offset = 0.0;
            }
        }
    }

    /// What comes so near to zero is kept as a graze.
    fn near(&self, c: usize) -> f64 {
        NEAR * self.sizes[self.switch_of(c)]
    }

    fn keep_size(&mut self, c: usize, size: f64) {
        let switch = self.switch_of(c);
        self.sizes[switch] = self.sizes[switch].max(size);
    }

    fn switch_of(&self, c: usize) -> usize {
        self.channels.list[c].boundary.switch
    }

    /// Evaluates all channels in the piece; returns a point and a channel that is not a number there nor around.
    fn sample(&mut self, search: &mut Search, piece: &Piece) -> Option<(f64, usize)> {
        let Search { flow, method, step, .. } = search;
        let grid = (1..=PARTS).map(|j| (j as f64 / PARTS as f64, false, j));
        let checks = CHECKS.iter().enumerate().map(|(i, &x)| (x, true, i));
        for (x, check, row) in grid.chain(checks) {
            let values = if check { &mut self.checks[row] } else { &mut self.values[row] };
            let theta = piece.at(x);
            self.channels.look_inside(flow, *method, step, theta);
            self.channels.values(values);
            if !values.iter().any(|v| v.is_nan()) {
                continue;
            }
            // A single point, such as that of sin(x)/x at 0, does not count.
            for aside in [-1e-7, 1e-7] {
                let beside = (theta + aside * piece.length()).clamp(0.0, 1.0);
                self.channels.look_inside(flow, *method, step, beside);
                self.channels.values(values);
                if let Some(c) = values.iter().position(|v| v.is_nan()) {
                    return Some((theta, c));
                }
            }
        }
        self.channels.slopes_inside(flow, *method, step, piece.end, &mut self.slopes[1]);
        None
    }

    /// The last point where channel c is a number, from one where it is to one where it is not.
    fn last_defined(&mut self, search: &mut Search, c: usize, mut defined: f64, mut undefined: f64) -> f64 {
        let channel = self.channels.list[c];
        loop {
            let middle = defined + 0.5 * (undefined - defined);
            if middle <= defined || middle >= undefined {
                return defined;
            }
            self.channels.look_inside(search.flow, search.method, search.step, middle);
            if self.channels.value(&channel).is_nan() {
                undefined = middle;
            } else {
                defined = middle;
            }
        }
    }

    /// Whether the samples show all there is to see.
    ///
    /// What they do not show is about as large as the difference e between v and the polynomial. It does not matter where
    /// v stays far from zero compared with e, and where e is a small part of the change of v or due to rounding. The shorter
    /// the piece is already, the larger a part: a singularity is not resolved by any number of pieces.
    fn resolved(&mut self, search: &mut Search, piece: &Piece) -> bool {
        let scale = piece.length() * search.step.h;
        for c in 0..self.channels.list.len() {
            if self.channels.list[c].kind == EventFunctionKind::Zero {
                continue;
            }
            let v = self.samples(c);
            let mut error: f64 = 0.0;
            let (mut least, mut most) = range(&v);
            for (row, weights) in self.checks.iter().zip(&self.weights.checks) {
                error = error.max((row[c] - sum(weights, &v)).abs());
                (least, most) = (least.min(row[c]), most.max(row[c]));
            }
            let has_slope = matches!(self.channels.list[c].kind, EventFunctionKind::Above | EventFunctionKind::Below);
            for (slopes, weights) in self.slopes.iter().zip(&self.weights.ends) {
                let difference = (slopes[c] * scale - sum(weights, &v)).abs();
                // At the ends the polynomial's slope is wrong by about 75 times what its value is wrong nearby.
                if has_slope && difference.is_finite() {
                    error = error.max(difference / 75.0);
                }
            }
            let small = tolerated(piece) * (most - least);
            if error <= small || least > 4.0 * error {
                continue;
            }
            if !self.rounding_known {
                let middle = piece.at(0.5);
                self.channels.rounding(search.flow, search.method, search.step, middle, &mut self.rounding);
                self.rounding_known = true;
            }
            // Where a root comes to rest, f is no measure of how v moves along the step.
            if error > self.rounding[c] && error > UNSEEN * self.tolerance_of(search, piece, c) {
                return false;
            }
        }
        true
    }

    /// How much v changes within the tolerance of the state.
    fn tolerance_of(&mut self, search: &mut Search, piece: &Piece, c: usize) -> f64 {
        if !std::mem::replace(&mut self.tolerances_known, true) {
            let theta = piece.at(0.5);
            self.tolerances.resize(self.channels.list.len(), 0.0);
            self.channels.tolerances(search.flow, search.method, search.step, theta, &mut self.tolerances);
        }
        self.tolerances[c]
    }

    fn samples(&self, c: usize) -> [f64; PARTS + 1] {
        std::array::from_fn(|j| self.values[j][c])
    }

    fn first_in_piece(&mut self, search: &mut Search, piece: &Piece) -> Option<Found> {
        let mut first: Option<Crossing> = None;
        for c in 0..self.channels.list.len() {
            let limit = first.map_or(piece.end, |crossing| crossing.theta);
            match self.search_channel(search, piece, c, limit) {
                // At the same time the lower index comes first.
                Some(Found::Crossing(found)) if first.is_none_or(|first| found.theta < first.theta) => {
                    first = Some(found);
                }
                Some(Found::Undefined { theta, switch }) if theta < limit => {
                    return Some(Found::Undefined { theta, switch });
                }
                _ => {}
            }
        }
        first.map(Found::Crossing)
    }

    fn search_channel(&mut self, search: &mut Search, piece: &Piece, c: usize, limit: f64) -> Option<Found> {
        let channel = self.channels.list[c];
        let v = self.samples(c);
        let (least, most) = range(&v);
        self.largest[c] = self.largest[c].max(most.abs()).max(least.abs());
        self.keep_size(c, self.largest[c]);
        let largest = self.largest[c];
        let scale = piece.length() * search.step.h;
        let slopes = [scale * self.slopes[0][c], scale * self.slopes[1][c]];
        let fine = self.fine(&v);
        let low = 0.02 * largest;
        let close = self.near(c);
        let sure = 2.0 * tolerated(piece) * (most - least) + 2.0 * close.max(search.touch() * largest);
        let mut before = (piece.start, v[0]);
        let (mut touched, mut grazed) = (None, None::<At>);
        let (touch, width) = (search.touch(), search.width());
        let Search { flow, method, step, .. } = search;
        let channels = &mut self.channels;
        let mut at = |theta: f64| {
            channels.look_inside(flow, *method, step, theta);
            channels.value(&channel)
        };
        let mut beyond = None;
        for q in 1..=POINTS {
            if piece.at(point(q - 1)) >= limit {
                break;
            }
            if fine[q] < 0.0 {
                let theta = piece.at(point(q));
                let value = if q.is_multiple_of(FINE) { fine[q] } else { at(theta) };
                if value < 0.0 {
                    beyond = Some((theta, value));
                    break;
                }
            }
            if let Some(places) = dip(&fine, q, slopes, low, sure) {
                let [left, middle, right] = places.map(|x| piece.at(x));
                let middle = (middle, at(middle));
                let bottom = lowest(&mut at, left, middle, right);
                if bottom.1 < 0.0 {
                    beyond = Some(bottom);
                    break;
                }
                if touched.is_none() && bottom.0 > 0.0 && bottom.1 <= touch * largest {
                    touched = Some(bottom.0);
                }
                if q < POINTS && bottom.0 > 0.0 && bottom.1 <= close && grazed.is_none_or(|(_, v)| bottom.1 < v) {
                    grazed = Some(bottom);
                }
            }
            if q.is_multiple_of(FINE) && fine[q] > 0.0 {
                before = (piece.at(point(q)), fine[q]);
            }
        }
        let located = beyond.map(|beyond| locate(&mut at, before, beyond, width));
        if let Some((theta, distance)) = grazed {
            self.keep_graze(search, c, theta, distance);
        }
        if let Some((before, beyond)) = located {
            return Some(self.crossing(search, &channel, (before, beyond), width, largest));
        }
        touched.and_then(|theta| search.touching(&channel, theta))
    }

    /// What is between two neighbouring points of different sign: a zero of v, or a jump.
    ///
    /// Towards a zero |v| decreases; at a jump it is as large as a little aside, or larger as at a pole.
    fn crossing(
        &mut self,
        search: &mut Search,
        channel: &EventFunction,
        (before, beyond): (At, At),
        width: f64,
        largest: f64,
    ) -> Found {
        let Search { flow, method, step, .. } = search;
        let theta = beyond.0;
        let boundary = channel.boundary;
        if beyond.1.is_nan() {
            return Found::Undefined { theta: before.0, switch: boundary.switch };
        }
        let leaves = match channel.kind {
            EventFunctionKind::SlideUp => Some(boundary.above),
            EventFunctionKind::SlideDown => Some(boundary.below),
            EventFunctionKind::Above | EventFunctionKind::Below | EventFunctionKind::Zero => None,
        };
        let plain = Found::Crossing(Crossing { theta, boundary, touch: None, jump: None, leaves });
        let has_side = matches!(channel.kind, EventFunctionKind::Above | EventFunctionKind::Below);
        let nearest = before.1.min(-beyond.1);
        let farthest = before.1.abs().max(beyond.1.abs());
        let low = nearest <= 1e-9 * largest;
        if !has_side || (low && farthest < 1e-3 * largest) {
            return plain;
        }
        let aside = [(before.0 - 64.0 * width).max(0.0), (beyond.0 + 64.0 * width).min(1.0)];
        let apart = [before.0 - aside[0], aside[1] - beyond.0].map(|distance| distance >= 16.0 * width);
        if apart == [false, false] {
            return plain;
        }
        let far = aside.map(|theta| {
            self.channels.look_inside(flow, *method, step, theta);
            self.channels.value(channel)
        });
        if before.1 < 0.5 * far[0] || beyond.1 > 0.5 * far[1] {
            return plain;
        }
        // Only towards a pole the values nearest to it are the largest ones.
        let beside = far.iter().zip(apart).filter(|(_, apart)| *apart).fold(0.0, |most: f64, (v, _)| most.max(v.abs()));
        if low && farthest < 8.0 * beside {
            return plain;
        }
        self.channels.look_inside(flow, *method, step, theta);
        let mode = plain_mode(channel.switch_kind, self.channels.g(boundary.switch), boundary.on);
        Found::Crossing(Crossing { theta, boundary, touch: None, jump: Some(mode), leaves: None })
    }

    /// The values at the fine points by the polynomial; infinite between the samples where v is so far from zero that it
    /// would have to change more than it does over the whole piece.
    fn fine(&self, v: &[f64; PARTS + 1]) -> [f64; POINTS + 1] {
        let mut fine = [f64::INFINITY; POINTS + 1];
        let (least, most) = range(v);
        if least <= most - least {
            for (fine, weights) in fine.iter_mut().zip(&self.weights.fine) {
                *fine = sum(weights, v);
            }
        }
        for (fine, v) in fine.iter_mut().step_by(FINE).zip(v) {
            *fine = *v;
        }
        fine
    }
}

/// The difference between v and the polynomial that is tolerated, as a part of the change of v.
fn tolerated(piece: &Piece) -> f64 {
    (1e-5 / piece.length()).min(0.02)
}

fn range(v: &[f64]) -> (f64, f64) {
    v.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), &v| (least.min(v), most.max(v)))
}

fn sum(weights: &[f64; PARTS + 1], v: &[f64; PARTS + 1]) -> f64 {
    weights.iter().zip(v).map(|(weight, v)| weight * v).sum()
}

/// The fine point q.
fn point(q: usize) -> f64 {
    q as f64 / POINTS as f64
}

/// The same for all runs.
static WEIGHTS: LazyLock<Weights> = LazyLock::new(Weights::new);

impl Weights {
    /// The Lagrange polynomials of the samples,
    ///
    /// ```text
    ///   ℓⱼ(x) = Π (x − xᵢ)/(xⱼ − xᵢ),   ℓⱼ′(x) = Σₘ 1/(xⱼ − xₘ) Π (x − xᵢ)/(xⱼ − xᵢ)      i ≠ j, m
    /// ```
    fn new() -> Weights {
        let node = |j: usize| j as f64 / PARTS as f64;
        let product = |x: f64, j: usize, without: usize| -> f64 {
            let others = (0..=PARTS).filter(|&i| i != j && i != without);
            others.map(|i| (x - node(i)) / (node(j) - node(i))).product()
        };
        let value = |x: f64| std::array::from_fn(|j| product(x, j, j));
        let slope = |x: f64| {
            std::array::from_fn(|j| {
                (0..=PARTS).filter(|&m| m != j).map(|m| product(x, j, m) / (node(j) - node(m))).sum()
            })
        };
        Weights {
            fine: (0..=POINTS).map(|q| value(point(q))).collect(),
            checks: CHECKS.iter().map(|&x| value(x)).collect(),
            ends: vec![slope(0.0), slope(1.0)],
        }
    }
}

/// Where v may dip towards zero near the fine point q: between the points around one that is low and lower than they
/// are, or at an end of the piece whose slope points the other way. The slopes are those by x. Where the parabola through
/// the three points stays above `sure`, v does so above zero.
fn dip(fine: &[f64; POINTS + 1], q: usize, slopes: [f64; 2], low: f64, sure: f64) -> Option<[f64; 3]> {
    // Along its slope v stays above zero until the next fine point, or does not.
    let reaches = |v: f64, slope: f64| v <= slope.abs() * point(1);
    if q == 1 && slopes[0] < 0.0 && fine[1] >= fine[0] && fine[0] > 0.0 && reaches(fine[0], slopes[0]) {
        return Some([0.0, 0.5 * point(1), point(1)]);
    }
    if q == POINTS {
        let turned = slopes[1] > 0.0 && fine[q] <= fine[q - 1] && reaches(fine[q], slopes[1]);
        let rests = fine[q] <= 1e-4 * low && slopes[1].abs() <= 0.1 * low && fine[q] < fine[q - 1];
        return (turned || rests).then_some([point(q - 1), 1.0, 1.0]);
    }
    let lowest = fine[q] <= fine[q - 1] && fine[q] <= fine[q + 1] && fine[q - 1] > fine[q + 1].min(fine[q]);
    if !lowest || fine[q] > low {
        return None;
    }
    let (slope, curvature) = (0.5 * (fine[q + 1] - fine[q - 1]), fine[q + 1] - 2.0 * fine[q] + fine[q - 1]);
    let vertex = fine[q] - 0.5 * slope * slope / curvature;
    (vertex.is_nan() || vertex <= sure).then_some([point(q - 1), point(q), point(q + 1)])
}
