//! Crossings as roots of polynomials, with the proof that none is missed: for methods whose steps are polynomials, and
//! systems that tell the series of their switches along them.
//!
//! The series of g has a known rest, by Cauchy's estimate from a bound of g over a disc of complex time around the step,
//!
//! ```text
//!   |gₖ| ≤ M ρ^−k,    |Σ gₖ xᵏ| ≤ M ρ^−q / (ρ − 1)       k > q, 0 ≤ x ≤ 1
//! ```
//!
//! or none at all where g is a polynomial. Where the rest is too large, the step is expanded anew in shorter pieces. The
//! places found are looked at with g itself, so an event is where the search would find it, to the last digits.

use std::ops::ControlFlow;

use super::{Crossing, Crossings, Found, Search};
use crate::events::functions::{EventFunctionKind, Step};
use crate::{Path, SwitchSeries};
use ordinate_numbers::polynomial_roots::{End, Expansion, Spot, shift};
use ordinate_numbers::roots::{At, first_beyond, locate};

/// Radii of the discs over which g is bounded, in units of a piece. A large one says more, if the bound over it is not too
/// large.
const RADII: [f64; 3] = [4.0, 2.0, 1.4];

/// A rest that is this part of what the series changes is small enough not to look for a better bound.
const SMALL: f64 = 1e-12;

/// The rest of the second derivative may be this part of what the series changes, and is made this part.
const TOO_MUCH: f64 = 1e-3;
const FITTING: f64 = 1e-5;

/// A polynomial g up to this degree is expanded completely.
const MOST_POWERS: usize = 64;

/// The orders of other expansions.
const ORDERS: [usize; 2] = [20, 40];

/// Shorter pieces, and more of them, are left to the search.
const SHORTEST: f64 = 1e-12;
const MOST_PIECES: usize = 400;

/// A touch is this part of a piece behind the lowest point: v is the same there but for rounding, and it goes up.
const BEHIND: f64 = 1e-8;

/// Memory for proofs.
#[derive(Clone, Debug)]
pub(super) struct Proof {
    /// The states that switches depend on, over the step and over a piece of it.
    step: Vec<Vec<f64>>,
    piece: Vec<Vec<f64>>,
    /// Of each switch: its series over a piece, the degree of it, a bound over a disc, and what the series leaves out of g
    /// and its first two derivatives.
    g: Vec<Vec<f64>>,
    degrees: Vec<usize>,
    bounds: Vec<f64>,
    rest: Vec<[f64; 3]>,
    expansion: Expansion,
    /// Of each channel: it is near zero and falling where the piece begins, and where it ends.
    falling: [Vec<bool>; 2],
    /// Length in time of the last piece.
    length: f64,
}

/// A piece of a step that is expanded.
#[derive(Clone, Copy)]
struct Piece {
    start: f64,
    end: f64,
}

impl Piece {
    fn theta(&self, x: f64) -> f64 {
        if x == 1.0 { self.end } else { self.start + x * self.length() }
    }

    fn length(&self) -> f64 {
        self.end - self.start
    }
}

/// What a channel does in a piece.
enum Verdict {
    Nothing,
    Found(Found),
    /// A shorter piece may tell.
    Unclear,
    /// There is no series.
    Impossible,
}

impl Proof {
    pub fn new(switches: usize) -> Proof {
        Proof {
            step: Vec::new(),
            piece: Vec::new(),
            g: vec![Vec::new(); switches],
            degrees: vec![0; switches],
            bounds: vec![0.0; switches],
            rest: vec![[0.0; 3]; switches],
            expansion: Expansion::default(),
            falling: Default::default(),
            length: f64::INFINITY,
        }
    }

    /// Expands the switches over a piece.
    fn expand(&mut self, series: &mut dyn SwitchSeries, step: &Step, (start, end): (f64, f64)) -> Piece {
        let length = end - start;
        for (piece, step) in self.piece.iter_mut().zip(&self.step) {
            shift(step, start, length, piece);
        }
        let Step { t, h, .. } = *step;
        let path = Path { t: t + start * h, length: length * h, y: &self.piece };
        series.degrees(&path, &mut self.degrees);
        let powers = self.piece.iter().map(|c| c.len() - 1).max().unwrap_or(1);
        let order = |degree: &usize| if *degree <= MOST_POWERS { *degree } else { powers.clamp(ORDERS[0], ORDERS[1]) };
        let order = self.degrees.iter().map(order).max().unwrap_or(1).max(1);
        series.expand(&path, order, &mut self.g);
        let mut open = 0;
        for (rest, degree) in self.rest.iter_mut().zip(&self.degrees) {
            *rest = if *degree > order { [f64::INFINITY; 3] } else { [0.0; 3] };
            open += usize::from(*degree > order);
        }
        for rho in RADII {
            if open == 0 {
                break;
            }
            series.bounds(&path, rho, &mut self.bounds);
            open = 0;
            for ((rest, bound), g) in
                self.rest.iter_mut().zip(&self.bounds).zip(&self.g).filter(|((rest, _), _)| rest[0] > 0.0)
            {
                let other = rest_of(*bound, rho, order);
                if other[2] < rest[2] {
                    *rest = other;
                }
                open += usize::from(rest[2] > SMALL * g.iter().skip(1).map(|g| g.abs()).sum::<f64>());
            }
        }
        Piece { start, end }
    }
}

impl Proof {
    /// By which factor a piece may be longer, or must be shorter, for rests that are surely small enough compared with the
    /// sum of the terms from a power on. They go with the power of its length behind the last one of the series.
    fn fitting(&self, from: usize, least: f64, most: f64) -> f64 {
        let mut factor = most;
        for (rest, g) in self.rest.iter().zip(&self.g).filter(|(rest, _)| rest[2] > 0.0) {
            let ratio = FITTING * g.iter().skip(from).map(|g| g.abs()).sum::<f64>() / rest[2];
            let own = ratio.powf(1.0 / g.len() as f64);
            factor = if own < factor { own } else { factor };
        }
        factor.max(least)
    }
}

/// What a series of an order leaves out where |gₖ| ≤ bound · ρ^−k, of itself and its first two derivatives:
///
/// ```text
///   Σ zᵏ = z^(q+1) / (1 − z),    z = 1/ρ, k > q,    and the same differentiated
/// ```
fn rest_of(bound: f64, rho: f64, order: usize) -> [f64; 3] {
    let (z, first) = (1.0 / rho, order as f64 + 1.0);
    let sum = bound * z.powi(order as i32 + 1) / (1.0 - z);
    let ratio = z / (1.0 - z);
    [sum, sum * (first + ratio), sum * (first * (first - 1.0) + 2.0 * first * ratio + 2.0 * ratio * ratio)]
}

impl Crossings {
    /// The first crossing of the step; `None` if that cannot be proven.
    pub(super) fn prove(&mut self, search: &mut Search) -> Option<Found> {
        if search.flow.sliding.is_some() {
            return None;
        }
        let proof = &mut self.proof;
        let series = search.flow.system.switch_series(search.step.d)?;
        let count = series.states().len();
        proof.step.resize(count, Vec::new());
        proof.piece.resize(count, Vec::new());
        for (&state, c) in series.states().iter().zip(&mut proof.step) {
            if !search.method.polynomial(state, c) {
                return None;
            }
        }
        for falling in &mut proof.falling {
            falling.clear();
            falling.resize(self.channels.list.len(), false);
        }
        let (mut start, mut end) = (0.0, (proof.length / search.step.h).min(1.0));
        let mut shortened = false;
        for _ in 0..MOST_PIECES {
            let series = search.flow.system.switch_series(search.step.d)?;
            let piece = self.proof.expand(series, search.step, (start, end));
            let length = piece.length();
            match self.prove_piece(search, &piece) {
                Verdict::Found(found) => return Some(found),
                Verdict::Impossible => return None,
                Verdict::Unclear => {
                    end = start + self.proof.fitting(1, 0.25, 0.8) * length;
                    shortened = true;
                    if length < SHORTEST {
                        return None;
                    }
                }
                Verdict::Nothing => {
                    self.proof.length = self.proof.fitting(0, 0.5, 2.0) * length * search.step.h;
                    self.proof.falling.swap(0, 1);
                    if end == 1.0 {
                        self.end_of_proof(search, &piece);
                        return Some(Found::Nothing);
                    }
                    start = end;
                    let factor = if shortened { 1.0 } else { self.proof.fitting(0, 0.5, 2.0) };
                    end = (end + factor * length).min(1.0);
                    shortened = false;
                }
            }
        }
        None
    }

    /// The values and slopes at the end are those of the next start.
    fn end_of_proof(&mut self, search: &mut Search, piece: &Piece) {
        let step = search.step;
        self.channels.look(search.flow, step.t + step.h, search.method.end(), step.d);
        self.channels.values(&mut self.values[0]);
        for c in 0..self.channels.list.len() {
            self.expand_channel(c, piece);
            self.slopes[0][c] = self.proof.expansion.slope(1.0) / (piece.length() * step.h);
        }
    }

    /// v of a channel over a piece.
    fn expand_channel(&mut self, c: usize, piece: &Piece) {
        let channel = &self.channels.list[c];
        let switch = channel.boundary.switch;
        let sign = if channel.kind == EventFunctionKind::Below { -1.0 } else { 1.0 };
        let rest = self.proof.rest[switch];
        let expansion = &mut self.proof.expansion;
        expansion.rest = rest;
        expansion.c.clear();
        expansion.c.extend(self.proof.g[switch].iter().map(|g| sign * g));
        // At the start of the step v is known to the last bit, which matters where it begins at zero.
        expansion.c[0] = if piece.start == 0.0 {
            self.start[0][c]
        } else {
            expansion.c[0] - sign * channel.boundary.level - channel.offset
        };
    }

    /// The first crossing in a piece.
    fn prove_piece(&mut self, search: &mut Search, piece: &Piece) -> Verdict {
        let mut first: Option<Crossing> = None;
        for c in 0..self.channels.list.len() {
            let channel = self.channels.list[c];
            let switch = channel.boundary.switch;
            if self.proof.g[switch].iter().any(|g| !g.is_finite()) {
                return Verdict::Impossible;
            }
            match channel.kind {
                EventFunctionKind::Above | EventFunctionKind::Below => {}
                EventFunctionKind::Zero => {
                    let most: f64 = self.proof.g[switch].iter().map(|g| g.abs()).sum();
                    if most + self.proof.rest[switch][0] > channel.offset {
                        return Verdict::Impossible;
                    }
                    continue;
                }
                EventFunctionKind::SlideUp | EventFunctionKind::SlideDown => return Verdict::Impossible,
            }
            self.expand_channel(c, piece);
            let start = self.proof.expansion.c[0];
            let expansion = &self.proof.expansion;
            let far = start - expansion.sum_from(1) - expansion.rest[0] > self.near(c);
            if far && expansion.stays_above(search.touch()) {
                self.largest[c] = self.largest[c].max(start);
                self.keep_size(c, start);
                self.proof.falling[1][c] = false;
                continue;
            }
            if self.proof.expansion.rest[2] > TOO_MUCH * self.proof.expansion.sum_from(1) {
                return Verdict::Unclear;
            }
            let limit = first.map_or(f64::INFINITY, |crossing| crossing.theta);
            match self.prove_channel(search, piece, c, limit) {
                Verdict::Found(Found::Crossing(found)) if found.theta < limit => first = Some(found),
                Verdict::Found(_) | Verdict::Nothing => {}
                Verdict::Unclear => return Verdict::Unclear,
                Verdict::Impossible => return Verdict::Impossible,
            }
        }
        first.map_or(Verdict::Nothing, |crossing| Verdict::Found(Found::Crossing(crossing)))
    }

    /// The first crossing of a channel before `limit`, by its expansion.
    fn prove_channel(&mut self, search: &mut Search, piece: &Piece, c: usize, limit: f64) -> Verdict {
        let channel = self.channels.list[c];
        let expansion = std::mem::take(&mut self.proof.expansion);
        let before = self.largest[c];
        let size = |until: f64| {
            let samples = (0..=8).map(|j| expansion.at(f64::from(j) / 8.0 * until).abs());
            samples.fold(before, f64::max)
        };
        let largest = size(1.0);
        let (near, width) = (search.touch() * largest, search.width());
        let close = self.near(c);
        let (mut found, mut grazed): (Option<Found>, Vec<At>) = (None, Vec::new());
        let channels = &mut self.channels;
        let falling = self.proof.falling[0][c].then_some(0.0);
        let end = expansion.spots(near.max(close), falling, &mut |spot| {
            let (from, x) = match spot {
                Spot::Falls { from, to } => (from, to),
                Spot::Dip { from, at } => (from, at),
            };
            if piece.theta(from) >= limit {
                return ControlFlow::Break(());
            }
            let (method, step) = (search.method, search.step);
            let mut at = |theta: f64| {
                channels.look_inside(search.flow, method, step, theta);
                channels.value(&channel)
            };
            let theta = piece.theta(x);
            let value = at(theta);
            if value < 0.0 {
                let start = piece.theta(from);
                let guess = (expansion.at(from) > 0.0 && expansion.at(x) < 0.0).then(|| {
                    let ends = [(from, expansion.at(from)), (x, expansion.at(x))];
                    piece.theta(first_beyond(&mut |x| expansion.at(x), ends[0], ends[1], 1e-16).1.0)
                });
                let theta = fall(&mut at, start, (theta, value), guess, width);
                let boundary = channel.boundary;
                let crossing = Crossing { theta, boundary, touch: None, jump: None, leaves: None };
                found = Some(Found::Crossing(crossing));
                return ControlFlow::Break(());
            }
            // A touch is where v came down to; from where it rests at the start it does not.
            if matches!(spot, Spot::Dip { .. }) && theta > 0.0 && value <= near && value <= 0.5 * size(x) {
                found = search.touching(&channel, (theta + BEHIND * piece.length()).min(1.0));
            }
            if matches!(spot, Spot::Dip { .. }) && theta > 0.0 && value <= close.min(0.5 * size(x)) {
                grazed.push((theta, value));
            }
            if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        self.largest[c] = largest;
        self.keep_size(c, largest);
        grazed.into_iter().for_each(|(theta, distance)| self.keep_graze(search, c, theta, distance));
        self.proof.falling[1][c] = matches!(end, End::Low { .. });
        let rests = piece.end == 1.0 && expansion.slope(1.0).abs() <= 2e-3 * largest;
        if let (End::Low { .. }, true, None) = (end, rests, found) {
            self.channels.look_inside(search.flow, search.method, search.step, 1.0);
            let value = self.channels.value(&channel);
            if value <= near && value <= 0.5 * largest {
                found = search.touching(&channel, 1.0);
            }
        }
        self.proof.expansion = expansion;
        match (found, end) {
            (Some(found), _) => Verdict::Found(found),
            (None, End::Unclear) => Verdict::Unclear,
            (None, End::Done | End::Low { .. }) => Verdict::Nothing,
        }
    }
}

/// Where v, which is positive at or behind `start`, comes below zero before `beyond`; `guess` is where its polynomial does.
/// The first point behind the zero.
fn fall(v: &mut dyn FnMut(f64) -> f64, start: f64, beyond: At, guess: Option<f64>, width: f64) -> f64 {
    let mut ends = [None, Some(beyond)];
    if let Some(guess) = guess {
        let mut aside = 2.0 * width;
        // The polynomial is right but for rounding, so few attempts are enough.
        for _ in 0..6 {
            let (left, right) = (guess - aside, guess + aside);
            if left <= start || right >= beyond.0 {
                break;
            }
            let [at_left, at_right] = [(left, v(left)), (right, v(right))];
            if at_left.1 > 0.0 && at_right.1 <= 0.0 {
                ends = [Some(at_left), Some(at_right)];
                break;
            }
            aside *= 16.0;
        }
    }
    match ends {
        [Some(before), Some(beyond)] => first_beyond(v, before, beyond, width).1.0,
        _ => {
            let before = (start, v(start));
            locate(v, before, beyond, width).1.0
        }
    }
}
