//! The past of delayed quantities. f may read w(t) = z(t − T) of quantities z and constant delays T. The driver writes down
//! what z was along every accepted step, f reads it: no step is longer than the shortest delay, so what a step reads is always
//! known when it begins.
//!
//! A jump of a derivative of z at τ comes back in w at τ + T, one order smoother where states lie between. These *breaking
//! points* (A. Bellen, M. Zennaro, Numerical Methods for Delay Differential Equations, 2003, ch. 2) end a step, so that f is
//! smooth within each; at such a point z and w have two values, and reading is two-sided: before the driver has passed
//! it, the value from the left, then that from the right.

mod breaks;
mod piece;

use breaks::Breaks;
pub use piece::{Form, Piece};
pub(crate) use piece::{chebyshev_coefficients, chebyshev_point};

/// A step of a method without series may read so many pieces of the past: what was resolved by short steps then must not be
/// stepped over now.
const PIECES: usize = 4;

/// Memory is tidied up when so many pieces are too old to be read.
const OLD: usize = 256;

/// One delayed quantity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delay {
    /// The delay T, positive.
    pub time: f64,
    /// The delayed values that the quantity depends on at once, without a state in between.
    pub direct: Vec<usize>,
    /// The quantity depends on discrete values at once.
    pub discrete: bool,
    /// The quantity depends on t by itself.
    pub timed: bool,
}

/// What the delayed quantities were.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    delays: Vec<Delay>,
    shortest: f64,
    longest: f64,
    /// One after the other, from the start of the run on.
    pieces: Vec<Piece>,
    /// Where the run began; infinite before that.
    start: f64,
    /// Up to here the past is known.
    end: f64,
    /// Where the last piece ends that has no series.
    without_series: f64,
    breaks: Breaks,
}

/// What a delayed value is at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reading<'a> {
    /// What it was before the start.
    Past,
    /// A place of a piece.
    Known {
        /// The piece.
        piece: &'a Piece,
        /// The time since its start.
        since: f64,
    },
}

impl History {
    /// The history of a system with these delays, before it has begun.
    pub fn new(delays: &[Delay]) -> History {
        let times = || delays.iter().map(|delay| delay.time);
        History {
            delays: delays.to_vec(),
            shortest: times().fold(f64::INFINITY, f64::min),
            longest: times().fold(0.0, f64::max),
            start: f64::INFINITY,
            ..History::default()
        }
    }

    /// A run begins: nothing is known but what was before.
    pub(crate) fn begin(&mut self, t: f64) {
        self.pieces.clear();
        (self.start, self.end, self.without_series) = (t, t, f64::NEG_INFINITY);
        self.breaks = Breaks::default();
        self.jump(t, true);
    }

    /// The state jumped, or only f and what depends on discrete values at once: at the start and at events.
    pub(crate) fn jump(&mut self, t: f64, of_state: bool) {
        let near = self.tolerance(t);
        for (k, delay) in self.delays.iter().enumerate() {
            let level = u32::from(!of_state && !delay.discrete);
            self.breaks.add(t + delay.time, k, level, near);
        }
        // What was meant to go on does not.
        for piece in self.pieces.iter_mut().rev().take_while(|piece| piece.start >= t - self.shortest) {
            piece.reach = piece.reach.min(t.max(piece.end));
        }
    }

    /// The next breaking point: a step must not pass it. Infinite if there is none.
    pub(crate) fn next_break(&self) -> f64 {
        self.breaks.next()
    }

    /// At time t: whether this was a breaking point, which is passed by that.
    pub(crate) fn pass(&mut self, t: f64) -> bool {
        let near = self.tolerance(t);
        let Some(passed) = self.breaks.pass(t + near) else { return false };
        for (k, delay) in self.delays.iter().enumerate() {
            let level = |&(i, level): &(usize, u32)| if delay.direct.contains(&i) { level } else { level + 1 };
            if let Some(level) = passed.iter().map(level).min() {
                self.breaks.add(t + delay.time, k, level, near);
            }
        }
        true
    }

    /// Jumps of higher derivatives than this do not matter.
    pub(crate) fn set_order(&mut self, highest: u32) {
        self.breaks.highest = highest;
    }

    /// How far a step from t may go: as far as what it reads is known, and does not change its form. With series, which are
    /// those of one piece, that is the end of the piece.
    pub(crate) fn horizon(&self, t: f64, series: bool) -> f64 {
        let mut horizon = f64::INFINITY;
        for delay in &self.delays {
            let until = match self.find(delay.time, t) {
                None => self.start,
                Some(k) if series => self.pieces[k].reach,
                Some(k) => self.pieces[(k + PIECES).min(self.pieces.len() - 1)].end,
            };
            // In the last piece there is something to read only up to its end.
            horizon = horizon.min(until.max(t - delay.time).min(self.end) + delay.time);
        }
        // Never t itself, whatever rounding does.
        if horizon > t + self.tolerance(t) { horizon } else { t + self.shortest }
    }

    /// The shortest delay.
    pub(crate) fn shortest(&self) -> f64 {
        self.shortest
    }

    /// Times that differ by less are the same but for rounding.
    fn tolerance(&self, t: f64) -> f64 {
        8.0 * f64::EPSILON * (t.abs() + self.longest)
    }

    /// Appends what was found along a step.
    pub(crate) fn push(&mut self, mut piece: Piece) {
        if piece.forms.iter().any(|form| matches!(form, Form::Chebyshev(_))) {
            self.without_series = piece.end;
        }
        self.end = piece.end;
        piece.reach = piece.reach.min(self.breaks.next()).min(piece.start + self.shortest).max(piece.end);
        self.pieces.push(piece);
        let old = self.pieces.partition_point(|piece| piece.end < self.end - 2.0 * self.longest);
        if old > OLD && 2 * old > self.pieces.len() {
            self.pieces.drain(..old);
        }
    }

    /// Whether all that can be read from now on has a series.
    pub fn has_series(&self) -> bool {
        self.without_series < self.end - self.longest - self.tolerance(self.end)
    }

    /// Where delayed value j stands at time t.
    pub fn read(&self, j: usize, t: f64) -> Reading<'_> {
        let delay = self.delays[j].time;
        match self.find(delay, t) {
            None => Reading::Past,
            Some(k) => {
                let piece = &self.pieces[k];
                let since = (t - delay - piece.start).clamp(0.0, piece.reach - piece.start);
                Reading::Known { piece, since }
            }
        }
    }

    /// The piece that is read at time t; `None` before the start. A point where two pieces meet belongs to the later one,
    /// unless it is a breaking point that is still to be passed.
    fn find(&self, delay: f64, t: f64) -> Option<usize> {
        let tolerance = self.tolerance(t);
        let left = t >= self.breaks.next() - tolerance;
        let limit = if left { t - tolerance } else { t + tolerance };
        if self.start.is_infinite() || self.start + delay > limit {
            return None;
        }
        // The first steps of a run read the past only, so there is a piece where this is reached.
        self.pieces.partition_point(|piece| piece.start + delay <= limit).checked_sub(1)
    }
}
