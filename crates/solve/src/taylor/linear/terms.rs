//! The terms of the series of a step, kept: for dense output, and for steps of given length whose order they decide.

use super::engine::Engine;
use crate::taylor::IN_A_ROW;

/// Terms of one piece of a step: the whole, unless it had to be halved.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece {
    /// Where it begins, as a part of the step.
    begin: f64,
    /// Its length, as a part of the step.
    width: f64,
    order: usize,
    /// Where its terms begin.
    at: usize,
}

/// hᵏ y⁽ᵏ⁾/k! of all states, in the order of the operator.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    n: usize,
    pieces: Vec<Piece>,
    values: Vec<f64>,
    hidden: [Vec<f64>; 2],
}

/// Why the terms of a step did not become small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unfinished {
    /// They need more than [`MAX_ORDER`]: the step is too long.
    TooLong,
    /// One of them is not finite.
    NotFinite {
        /// Which element.
        place: usize,
    },
}

/// The order of a step of given length is at most this.
pub(crate) const MAX_ORDER: usize = crate::MAX_ORDER as usize;

impl Terms {
    pub fn clear(&mut self, n: usize) {
        self.n = n;
        self.pieces.clear();
        self.values.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Begins a piece at the point that the engine began last.
    fn begin(&mut self, engine: &Engine, y: &[f64], h: f64) {
        self.values.extend_from_slice(y);
        self.values.extend(engine.f.iter().map(|f| h * f));
        self.hidden[0].clear();
        self.hidden[0].extend(engine.hidden_f.iter().map(|f| h * f));
        self.hidden[1].resize(engine.hidden_f.len(), 0.0);
    }

    /// Adds term k of the piece that begins at `at`.
    fn add(&mut self, engine: &mut Engine, at: usize, k: usize, h: f64) {
        let n = self.n;
        self.values.resize(at + (k + 1) * n, 0.0);
        let (known, next) = self.values.split_at_mut(at + k * n);
        let [hidden, hidden_next] = &mut self.hidden;
        engine.next_term(&known[at + (k - 1) * n..], hidden, next, hidden_next, h / k as f64);
        self.hidden.swap(0, 1);
    }

    /// The terms of the whole step up to a given order.
    pub fn make(&mut self, engine: &mut Engine, y: &[f64], h: f64, order: usize) {
        self.clear(y.len());
        self.begin(engine, y, h);
        for k in 2..=order {
            self.add(engine, 0, k, h);
        }
        self.pieces.push(Piece { begin: 0.0, width: 1.0, order, at: 0 });
    }

    /// Terms from the point that the engine began last, until three consecutive ones are below the absolute tolerances
    /// or too small to count at all; the order is the index of the last.
    pub fn until_small(
        &mut self,
        engine: &mut Engine,
        y: &[f64],
        h: f64,
        (begin, width): (f64, f64),
    ) -> Result<usize, Unfinished> {
        let (n, at) = (self.n, self.values.len());
        self.begin(engine, y, h);
        let least = y.iter().fold(0.0f64, |largest, y| largest.max(y.abs())) * 2f64.powi(-64);
        let mut small = 0;
        for k in 1..=MAX_ORDER {
            if k > 1 {
                self.add(engine, at, k, h);
            }
            let term = &self.values[at + k * n..at + (k + 1) * n];
            if let Some(place) = term.iter().position(|w| !w.is_finite()) {
                return Err(Unfinished::NotFinite { place });
            }
            let below = term.iter().zip(&engine.atol).all(|(w, &atol)| w.abs() < atol || w.abs() <= least);
            small = if below { small + 1 } else { 0 };
            if small == IN_A_ROW {
                self.pieces.push(Piece { begin, width, order: k, at });
                return Ok(k);
            }
        }
        Err(Unfinished::TooLong)
    }

    /// The sum of the terms of the last piece without the first, smallest ones first.
    pub fn change(&self, sum: &mut [f64]) {
        let piece = self.pieces.last().expect("a piece was made");
        sum.fill(0.0);
        for k in (1..=piece.order).rev() {
            let term = &self.values[piece.at + k * self.n..];
            sum.iter_mut().zip(term).for_each(|(sum, term)| *sum += term);
        }
    }

    /// The place of a term that is not finite; since that spreads, the one of the largest state.
    pub fn not_finite(&self, y: &[f64]) -> Option<usize> {
        let bad = self.values.iter().enumerate().filter(|(_, term)| !term.is_finite()).map(|(k, _)| k % self.n);
        bad.max_by(|&i, &j| y[i].abs().total_cmp(&y[j].abs()))
    }

    /// Whether the step is one piece.
    pub fn is_one_piece(&self) -> bool {
        self.pieces.len() == 1
    }

    /// The terms of one place, if the step is one piece: they are coefficients of powers of θ.
    pub fn of_place(&self, place: usize, c: &mut Vec<f64>) -> bool {
        let [Piece { order, at, .. }] = self.pieces[..] else { return false };
        c.clear();
        c.extend(self.values[at..at + (order + 1) * self.n].iter().skip(place).step_by(self.n));
        true
    }

    /// The state at a part θ of the step: `put` is told each place and its value.
    pub fn evaluate(&self, theta: f64, mut put: impl FnMut(usize, f64)) {
        let piece = self.pieces.iter().rfind(|piece| piece.begin <= theta).unwrap_or(&self.pieces[0]);
        let sigma = (theta - piece.begin) / piece.width;
        let n = self.n;
        let terms = &self.values[piece.at..piece.at + (piece.order + 1) * n];
        // by blocks: each term is long, and the result short
        const BLOCK: usize = 64;
        for from in (0..n).step_by(BLOCK) {
            let to = (from + BLOCK).min(n);
            let mut sum = [0.0; BLOCK];
            for k in (1..=piece.order).rev() {
                for (sum, term) in sum.iter_mut().zip(&terms[k * n + from..k * n + to]) {
                    *sum = (*sum + term) * sigma;
                }
            }
            for (i, sum) in (from..to).zip(&sum) {
                put(i, terms[i] + sum);
            }
        }
    }
}
