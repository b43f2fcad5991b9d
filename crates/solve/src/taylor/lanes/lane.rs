//! One lane alone: what does not happen in every step.

use super::tail::group;
use super::tasks::{Range, State};
use super::{LaneRun, LaneStart};
use crate::rows::RowTimes;
use crate::taylor::{HIGHEST_CHOSEN, MIN_ORDER};
use crate::{Outcome, Reason, Rows, Statistics, Status, Tolerance, Work};
use ordinate_numbers::{Lanes, Number};

/// A lane and its trajectory.
pub(super) struct Lane<'a> {
    pub busy: bool,
    /// It was put to the start of its trajectory and has not begun.
    pub fresh: bool,
    pub index: usize,
    pub rejected: u64,
    /// Series that had to be computed in other units.
    again: u64,
    /// Attempts at a series from the same point, after so many steps.
    attempts: u32,
    attempts_after: f64,
    times: RowTimes<'a>,
    rows: Vec<f64>,
}

/// What a closer look at a series says.
pub(super) enum Series {
    Fine,
    /// It must be computed once more, in other units.
    Again,
    GiveUp,
}

impl<'a> Lane<'a> {
    pub fn idle() -> Lane<'a> {
        let times = RowTimes::new(&Rows::Even(0), 0.0, 0.0).expect("no rows");
        Lane { busy: false, fresh: false, ..Lane::new(0, times) }
    }

    pub fn new(index: usize, times: RowTimes<'a>) -> Lane<'a> {
        Lane {
            busy: true,
            fresh: true,
            index,
            rejected: 0,
            again: 0,
            attempts: 0,
            attempts_after: 0.0,
            times,
            rows: Vec::new(),
        }
    }

    /// The time up to which steps need no look because of rows.
    pub fn next_row(&self) -> f64 {
        if self.times.is_steps() { f64::NEG_INFINITY } else { self.times.peek().unwrap_or(f64::INFINITY) }
    }

    pub fn rows_at_start(&mut self, start: &LaneStart) {
        let mut due = self.times.is_steps();
        while self.times.peek().is_some_and(|t| t <= start.t) {
            self.times.advance();
            due = true;
        }
        if due {
            self.rows.push(start.t);
            self.rows.extend_from_slice(start.y);
        }
    }

    /// The rows within the step tried, its end included.
    pub fn rows_of_step(&mut self, state: &State, l: usize, c: &[Lanes], stride: usize) {
        let end = state.t1[l];
        while let Some(t) = self.times.peek().filter(|t| *t < end) {
            self.times.advance();
            self.rows.push(t);
            let h = t - state.t[l];
            self.rows
                .extend(c.chunks(stride).take(state.y.len()).enumerate().map(|(i, c)| state.polynomial(l, i, c, h).0));
        }
        let due = self.times.peek().is_some_and(|t| t == end);
        if due {
            self.times.advance();
        }
        if due || self.times.is_steps() {
            self.rows.push(end);
            self.rows.extend(state.y1.iter().map(|y| y[l]));
        }
    }

    /// A shorter step next time; false if it would be lost against t.
    pub fn reject(&mut self, state: &mut State, l: usize, error: f64) -> bool {
        self.rejected += 1;
        state.most_steps[l] -= 1.0;
        let factor = (0.25 / error).powf(1.0 / (state.order[l] + 1.0));
        state.limit[l] = state.h[l] * if error.is_finite() { factor.clamp(0.1, 0.9) } else { 0.25 };
        state.stay(l);
        state.limit[l] > state.smallest_step(l)
    }

    /// What to do about a series that is not as it should be.
    pub fn look_at_series(&mut self, state: &mut State, l: usize, c: &[Lanes], stride: usize) -> Series {
        let order = state.order[l] as usize;
        let n = state.y.len();
        if self.attempts_after != state.steps[l] {
            (self.attempts, self.attempts_after) = (0, state.steps[l]);
        }
        self.attempts += 1;
        self.again += 1;
        if c.chunks(stride).take(n).any(|c| c[1..=order].iter().any(|c| !c[l].is_finite())) {
            // Too long a scale lets coefficients overflow; too short a one does not cure what does not exist.
            if self.attempts > 13 || state.scale[l] < 1e-250 {
                return Series::GiveUp;
            }
            state.set_scale(l, state.scale[l] * 0.5f64.powi(16 << (self.attempts - 1).min(4)));
            return Series::Again;
        }
        let x = state.wish[l];
        // Coefficients that are tiny in these units may have been rounded to zero.
        if self.attempts <= 20 && x.is_finite() && !(2f64.powi(-9)..=2f64.powi(9)).contains(&x) {
            let scale = state.scale[l];
            state.set_scale(l, x * scale);
            if state.scale[l] != scale {
                return Series::Again;
            }
        }
        self.again -= 1;
        if state.h[l] <= state.smallest_step(l) && state.t1[l] < state.t_end[l] {
            return Series::GiveUp;
        }
        Series::Fine
    }

    /// Its result.
    pub fn run(&mut self, state: &State, l: usize, reason: Option<Reason>) -> LaneRun {
        let y: Vec<f64> = state.y.iter().map(|y| y[l]).collect();
        if reason.is_some() && self.times.adds_rows() {
            self.rows.push(state.t[l]);
            self.rows.extend_from_slice(&y);
        }
        let steps = state.steps[l] as u64;
        let work = Work { f: steps + self.rejected + 1, jets: steps + self.rejected + self.again, ..Work::default() };
        let counted = |x: f64| if steps == 0 { 0.0 } else { x };
        let statistics = Statistics {
            steps,
            rejected: self.rejected,
            order_min: counted(state.order_min[l]) as u32,
            order_max: counted(state.order_max[l]) as u32,
            order_sum: state.order_sum[l] as u64,
            h_min: counted(state.h_min[l]),
            h_max: counted(state.h_max[l]),
            evaluations: work,
            ..Statistics::default()
        };
        let outcome = Outcome {
            defect: None,
            inconsistency: None,
            below_atol: None,
            status: reason.map_or(Status::Ok, |reason| reason.status()),
            reason,
            t_reached: state.t[l],
            y,
            d: Vec::new(),
            delayed: Vec::new(),
            sliding: None,
            step: None,
            statistics,
            stiff: false,
            chosen: None,
            exceeds: false,
            error: None,
            energy: None,
            conflict: None,
            selections: Vec::new(),
            grazes: Vec::new(),
            true_at_start: Vec::new(),
        };
        LaneRun { outcome, rows: std::mem::take(&mut self.rows) }
    }
}

impl State {
    /// Puts a lane to the start of a trajectory.
    pub fn start(&mut self, l: usize, start: &LaneStart, max_steps: u64) {
        for (y, &value) in self.y.iter_mut().zip(start.y) {
            y[l] = value;
        }
        self.carry.iter_mut().for_each(|carry| carry[l] = 0.0);
        (self.t[l], self.t_start[l], self.t_end[l]) = (start.t, start.t, start.t_end);
        (self.limit[l], self.consider[l]) = (f64::INFINITY, 1.0);
        (self.steps[l], self.most_steps[l], self.order_sum[l]) = (0.0, max_steps as f64, 0.0);
        (self.order_min[l], self.order_max[l]) = (f64::INFINITY, 0.0);
        (self.h_min[l], self.h_max[l]) = (f64::INFINITY, 0.0);
        self.stay(l);
    }

    /// No step from here in this round.
    pub fn stay(&mut self, l: usize) {
        for (y1, y) in self.y1.iter_mut().zip(&self.y) {
            y1[l] = y[l];
        }
        self.t1[l] = self.t[l];
        self.trial[l] = 0.0;
    }

    /// Leaves a lane without a trajectory where it is.
    pub fn rest_lane(&mut self, l: usize) {
        self.t_end[l] = self.t[l];
        self.next_row[l] = f64::INFINITY;
        self.set_order(l, MIN_ORDER);
        self.stay(l);
    }

    pub fn set_order(&mut self, l: usize, order: usize) {
        let m = group(order);
        self.order[l] = order as f64;
        self.first[l] = (order + 1).saturating_sub(2 * m).max(1) as f64;
        self.middle[l] = (order + 1 - m) as f64;
        let lowest = |lanes: &Lanes| lanes.0.iter().copied().fold(f64::INFINITY, f64::min) as usize;
        let high = self.order.0.iter().copied().fold(0.0, f64::max) as usize;
        self.range = Range { low: lowest(&self.order), high, first: lowest(&self.first), middle: lowest(&self.middle) };
    }

    /// Takes the power of two next below as the unit of time.
    pub fn set_scale(&mut self, l: usize, scale: f64) {
        let exponent = scale.clamp(1e-270, 1e270).exponent();
        (self.scale[l], self.inverse[l]) = (exponent.power_of_two(), (-exponent).power_of_two());
    }

    /// Order and unit of time to begin with, see `taylor/mod.rs`.
    pub fn first_guess(&mut self, l: usize, tol: &Tolerance) {
        let (mut bits, mut time) = (2.0f64, f64::INFINITY);
        for ((y, f), atol) in self.y.iter().zip(&self.f).zip(&tol.atol) {
            let (y, f) = (y[l].abs(), f[l].abs());
            let digits = y / (atol + tol.rtol * y);
            if digits.is_finite() {
                bits = bits.max(digits);
            }
            if f != 0.0 && y != 0.0 {
                time = time.min(y / f);
            }
        }
        self.set_order(l, ((0.6 * bits.log2()) as usize).clamp(MIN_ORDER, HIGHEST_CHOSEN));
        self.set_scale(l, if time.is_finite() { time } else { 1.0 });
    }

    /// A step shorter than this is lost against t.
    pub fn smallest_step(&self, l: usize) -> f64 {
        let t = self.t[l];
        (20.0 * f64::EPSILON * t.abs().max(t - self.t_start[l])).max(f64::MIN_POSITIVE)
    }

    /// Component i of the polynomial at a time h from the start of the step, and h times its derivative there.
    pub fn polynomial(&self, l: usize, i: usize, c: &[Lanes], h: f64) -> (f64, f64) {
        let x = h * self.inverse[l];
        let (mut value, mut slope) = (0.0, 0.0);
        for k in (1..=self.order[l] as usize).rev() {
            slope = slope * x + value;
            value = value * x + c[k][l];
        }
        slope = slope * x + value;
        (value * x + (self.carry[i][l] + self.y[i][l]), slope * x)
    }

    /// The error of a step in units of the tolerance by the defect at the part theta of it, where the polynomial has the
    /// values y, the slopes and f; infinite where those are not finite.
    pub fn defect(&self, l: usize, theta: f64, y: &[Lanes], slopes: &[Lanes], f: &[Lanes], tol: &Tolerance) -> f64 {
        let mut worst: f64 = 0.0;
        for i in 0..y.len() {
            let (y, slope, change) = (y[i][l], slopes[i][l], theta * self.h[l] * f[i][l]);
            let size = y.abs().max(self.y[i][l].abs());
            let noise = 4.0 * f64::EPSILON * (size + change.abs() + slope.abs());
            let error = (slope - change).abs();
            if !(error + noise).is_finite() {
                return f64::INFINITY;
            }
            let allowed = (tol.atol[i] + tol.rtol * size).max(f64::MIN_POSITIVE);
            worst = worst.max((error - noise).max(0.0) / (theta * (self.order[l] + 1.0) * allowed));
        }
        worst
    }
}
