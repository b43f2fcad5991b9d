//! An exploratory run before a search: a simulation shows which region the solution visits, and of an autonomous model its period, too.

use crate::{Compiled, explain};
use ordinate_program::Evaluator;
use ordinate_solve::{AbsoluteTolerance, Choice, Interrupt, Mixture, Options, Rows, Sink, Start};
use std::ops::ControlFlow;

/// A simulated piece of the solution.
#[derive(Clone, Debug, Default)]
pub(crate) struct Piece {
    pub t: Vec<f64>,
    /// The states, row by row.
    pub y: Vec<Vec<f64>>,
    /// Modes of switches and held values, row by row.
    d: Vec<Vec<f64>>,
    pub held: Vec<f64>,
    /// Why it ended early.
    pub stopped: Option<String>,
}

/// Simulates from given states; whatever is reached is returned.
pub(crate) fn simulate(
    compiled: &Compiled,
    choice: &Choice,
    from: (f64, &[f64], &[f64]),
    span: f64,
    rows: usize,
) -> Piece {
    simulate_to(compiled, choice, from, span, rows, 1e-7)
}

/// The same with a relative tolerance.
pub(crate) fn simulate_to(
    compiled: &Compiled,
    choice: &Choice,
    from: (f64, &[f64], &[f64]),
    span: f64,
    rows: usize,
    rtol: f64,
) -> Piece {
    let layout = &compiled.program.layout;
    let mut evaluator: Evaluator = compiled.evaluator();
    let (t, y, held) = from;
    let fixed: Vec<bool> = (0..layout.states).map(|k| k < layout.differential() && layout.invariants == 0).collect();
    let options = Options {
        rtol,
        atol: AbsoluteTolerance::Same(1e-2 * rtol),
        rows: Rows::Even(rows),
        max_steps: 200_000,
        ..Options::default()
    };
    let mut method = choice.build(layout.states, false);
    let mut piece = Piece { held: held.to_vec(), ..Piece::default() };
    let start = Start { t, y, held, fixed: Some(&fixed), start_residuals: false };
    match ordinate_solve::solve(&mut evaluator, method.as_mut(), &start, t + span, &options, &mut piece) {
        Err(error) => piece.stopped = Some(explain::usage_error(&error, compiled)),
        Ok(outcome) => {
            piece.held = outcome.d[layout.switches.len()..].to_vec();
            piece.stopped = explain::explain(&outcome, compiled).map(|reason| reason.message);
        }
    }
    piece
}

impl Sink for Piece {
    fn row(&mut self, t: f64, y: &[f64], d: &[f64], _sliding: Option<&Mixture>) -> ControlFlow<Interrupt> {
        self.t.push(t);
        self.y.push(y.to_vec());
        self.d.push(d.to_vec());
        ControlFlow::Continue(())
    }
}

impl Piece {
    /// Least and greatest value of a state in the later part of the piece.
    pub fn range(&self, state: usize, from: usize) -> (f64, f64) {
        let values = self.y[from.min(self.y.len().saturating_sub(1))..].iter().map(|y| y[state]);
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)))
    }

    /// The time after which the end of the piece repeats itself: back at where it ended, after having been away, and along the
    /// same way for a whole such time. A slow place alone is near to itself without coming back. Held values are a part of the
    /// state: with another one it goes on otherwise.
    ///
    /// ```text
    ///   ∫ |y(t) − y(t − T)|² dt ≤ NEAR² T   over the last T, in units of the range of each state
    /// ```
    pub fn recurrence(&self, states: &[usize], held: &[usize]) -> Option<f64> {
        let last = self.y.len().checked_sub(1)?;
        let modes = self.d.last()?.len() - self.held.len();
        let widths: Vec<f64> = states
            .iter()
            .map(|&k| {
                let (low, high) = self.range(k, self.y.len() / 2);
                (high - low).max(1e-300)
            })
            .collect();
        let square = |row: usize, other: usize| {
            let part = |(&k, width): (&usize, &f64)| ((self.y[row][k] - self.y[other][k]) / width).powi(2);
            let changed = |&&k: &&usize| {
                let (a, b) = (self.d[row][modes + k], self.d[other][modes + k]);
                (a - b).abs() > NEAR * b.abs()
            };
            states.iter().zip(&widths).map(part).sum::<f64>() + held.iter().filter(changed).count() as f64
        };
        let mut away = false;
        for row in (1..last).rev() {
            let (lag, here) = (last - row, square(row, last));
            away |= here > AWAY * AWAY;
            let nearest = here <= square(row - 1, last) && here <= square(row + 1, last);
            if !(away && here < NEAR * NEAR && nearest) {
                continue;
            }
            let compared = lag.min(last + 1 - lag);
            let apart: f64 = (0..compared).map(|j| square(last - j, last - j - lag)).sum();
            if 10 * compared >= 9 * lag && apart <= NEAR * NEAR * compared as f64 {
                return Some(self.t[last] - self.t[row]);
            }
        }
        None
    }
}

/// Distances in units of the range of the states: far from the end, and back at it.
const AWAY: f64 = 0.3;
const NEAR: f64 = 0.1;
