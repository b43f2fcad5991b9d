//! A look around before a search: a simulation shows where the solution lives, and of an autonomous model its period, too.

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
    let start = Start { t, y, held, fixed: Some(&fixed), stated: false };
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

    /// The time since the state was last as it is at the end: the first minimum of the distance that is near, going back in
    /// time, after the distance has been large. Held values are a part of the state: with another one it goes on otherwise.
    pub fn recurrence(&self, states: &[usize], held: &[usize]) -> Option<f64> {
        let last = self.y.last()?;
        let modes = self.d.last()?.len() - self.held.len();
        let end = &self.d.last()?[modes..];
        let widths: Vec<f64> = states
            .iter()
            .map(|&k| {
                let (low, high) = self.range(k, self.y.len() / 2);
                (high - low).max(1e-300)
            })
            .collect();
        let distance = |row: usize| {
            let part = |(&k, width): (&usize, &f64)| ((self.y[row][k] - last[k]) / width).powi(2);
            let others =
                held.iter().filter(|&&k| (self.d[row][modes + k] - end[k]).abs() > NEAR * end[k].abs()).count();
            (states.iter().zip(&widths).map(part).sum::<f64>() + others as f64).sqrt()
        };
        let mut away = false;
        for row in (1..self.y.len().saturating_sub(1)).rev() {
            let here = distance(row);
            away |= here > AWAY;
            if away && here < NEAR && here <= distance(row - 1) && here <= distance(row + 1) {
                return Some(self.t[self.t.len() - 1] - self.t[row]);
            }
        }
        None
    }
}

/// Distances in units of the range of the states: far from the end, and back at it.
const AWAY: f64 = 0.3;
const NEAR: f64 = 0.1;
