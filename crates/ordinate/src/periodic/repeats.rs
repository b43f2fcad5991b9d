//! Whether the equations come back after a period. A period that was read from sines is proved; of any other one, all that
//! determines the solution is looked at a period and more later, with the same states:
//!
//! ```text
//!   F(t + k T, y) = F(t, y)      F: rates, residuals, invariants, conditions, and what events assign
//! ```

use crate::exploratory_run::simulate;
use crate::rates::all_values;
use crate::transform::modes;
use crate::{Compiled, halton::halton, methods, short};
use ordinate_program::Evaluator;
use ordinate_solve::{Reaction, System};

/// How far the equations come back.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Repeat {
    /// They do, but for such a part of how much they change with time: rounding, or a period of few digits.
    To(f64),
    /// They do not: a sentence says what is different.
    Not(String),
}

/// Times that are compared, in a period.
const PLACES: usize = 128;
/// The latest time of a comparison, in periods.
const LATEST: f64 = 20.0;
/// The most changes of a switch of time that are looked for.
const CROSSINGS: usize = 256;
/// What is different by more than this part of how much it changes with time does not come back.
const MOST: f64 = 1e-6;
/// Divisors of a period that are tried, again and again.
const PRIMES: [f64; 6] = [2.0, 3.0, 5.0, 7.0, 11.0, 13.0];
/// A part of a period is one only if the equations come back so well: as the whole does.
const EXACT: f64 = 1e-9;

/// Compares the equations at different times.
pub(super) struct Repeats<'a> {
    compiled: &'a Compiled,
    evaluator: Evaluator,
    t_start: f64,
    start: (Vec<f64>, Vec<f64>),
}

impl Repeats<'_> {
    pub fn new(compiled: &Compiled, t_start: f64) -> Repeats<'_> {
        let mut evaluator = compiled.evaluator();
        let values = evaluator.starts(t_start);
        let layout = &compiled.program.layout;
        let start = (values[..layout.states].to_vec(), values[layout.states..layout.states + layout.held].to_vec());
        Repeats { compiled, evaluator, t_start, start }
    }

    /// Whether the equations come back after a period, wherever it was looked.
    pub fn after(&mut self, period: f64) -> Repeat {
        for sampled in &self.compiled.program.layout.sampled {
            let ratio = period / sampled.period;
            if ratio.round() < 1.0 || (ratio - ratio.round()).abs() > 1e-9 * ratio {
                return Repeat::Not(format!(
                    "`every {}` does not fit into it a whole number of times",
                    short(sampled.period)
                ));
            }
        }
        match self.at(period, &self.around()) {
            Repeat::To(part) => match self.at(period, &self.along(period)) {
                Repeat::To(more) => Repeat::To(part.max(more)),
                not => not,
            },
            not => not,
        }
    }

    /// The least part of a period after which the equations come back, too.
    pub fn least(&mut self, period: f64) -> f64 {
        let mut least = period;
        // Where no time is seen every period would do.
        if self.after(period * 0.381_966_011_250_105) == Repeat::To(0.0) {
            return period;
        }
        while let Some(prime) =
            PRIMES.iter().find(|&prime| matches!(self.after(least / prime), Repeat::To(part) if part <= EXACT))
        {
            least /= prime;
        }
        least
    }

    /// The start and places around it, near and far.
    fn around(&self) -> Vec<(Vec<f64>, Vec<f64>)> {
        let (y, held) = &self.start;
        let mut all = vec![self.start.clone()];
        for width in [1.0, 10.0] {
            let widths: Vec<f64> = y.iter().map(|y| width * y.abs().max(1.0)).collect();
            all.extend(halton(3, y, &widths).into_iter().map(|y| (y, held.clone())));
        }
        all
    }

    /// Places that the solution goes through.
    fn along(&self, period: f64) -> Vec<(Vec<f64>, Vec<f64>)> {
        let (y, held) = &self.start;
        let piece = simulate(self.compiled, &methods::automatic(), (self.t_start, y, held), 4.0 * period, 9);
        piece.y.into_iter().map(|y| (y, piece.held.clone())).collect()
    }

    fn at(&mut self, period: f64, states: &[(Vec<f64>, Vec<f64>)]) -> Repeat {
        let times = self.times(period);
        let mut worst: f64 = 0.0;
        for (y, held) in states {
            let early: Vec<Vec<f64>> = times.iter().map(|pair| self.everything(pair.0, y, held)).collect();
            let late: Vec<Vec<f64>> = times.iter().map(|pair| self.everything(pair.1, y, held)).collect();
            for row in 0..early.first().map_or(0, Vec::len) {
                let values = early.iter().chain(&late).map(|all| all[row]).filter(|value| value.is_finite());
                let (low, high) =
                    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
                let rounding = 64.0 * f64::EPSILON * low.abs().max(high.abs());
                for (k, &(t, later)) in times.iter().enumerate() {
                    let (before, after) = (early[k][row], late[k][row]);
                    let missed = (after - before).abs();
                    let part = missed / (high - low);
                    let nowhere = !before.is_finite() && !after.is_finite();
                    if missed <= rounding || part <= worst || nowhere {
                        continue;
                    }
                    // The time itself is rounded.
                    let blur = 8.0 * f64::EPSILON * (later.abs() + self.t_start.abs() + period);
                    let moved = [-blur, blur].map(|by| self.everything(later + by, y, held)[row]);
                    if missed <= rounding + 2.0 * (moved[0] - moved[1]).abs() {
                        continue;
                    }
                    if part.is_nan() || part > MOST {
                        return Repeat::Not(self.sentence(row, (t, before), (later, after)));
                    }
                    worst = part;
                }
            }
        }
        Repeat::To(worst)
    }

    /// Pairs of times that are whole periods apart: irregular ones, such as come closer and closer to the start, and between
    /// any two changes of a switch.
    fn times(&mut self, period: f64) -> Vec<(f64, f64)> {
        let golden = 0.5 * (5f64.sqrt() - 1.0);
        let mut parts: Vec<f64> = (1..=PLACES).map(|k| (k as f64 * golden).fract()).collect();
        parts.extend((1..=20).map(|k| 0.7 * 0.5f64.powi(k)));
        let mut pairs = Vec::new();
        for (k, part) in parts.into_iter().enumerate() {
            let early = self.t_start + part * period;
            pairs.push((early, early + period));
            pairs.push((early, early + (2 + k % (LATEST as usize - 2)) as f64 * period));
        }
        let until = self.t_start + LATEST * period;
        let mut changes = vec![self.t_start];
        for k in 0..self.compiled.program.layout.switches.len() {
            let mut after = self.t_start;
            for _ in 0..CROSSINGS {
                if !self.compiled.program.layout.switches[k].of_time {
                    break;
                }
                let Some(next) = self.evaluator.next_crossing(k, after, until) else { break };
                changes.push(next);
                after = next;
            }
        }
        changes.sort_by(f64::total_cmp);
        for between in changes.windows(2).filter(|pair| pair[1] - pair[0] > 1e-9 * period) {
            let late = 0.5 * (between[0] + between[1]);
            let periods = ((late - self.t_start) / period).floor();
            let early = late - periods * period;
            pairs.push(if periods > 0.0 { (early, late) } else { (late, late + period) });
        }
        pairs
    }

    /// All that determines the solution.
    fn everything(&mut self, t: f64, y: &[f64], held: &[f64]) -> Vec<f64> {
        let d = modes(&mut self.evaluator, t, y, held, 0.0);
        let mut all = all_values(&mut self.evaluator, t, y, &d);
        let layout = &self.compiled.program.layout;
        let mut truth = vec![false; layout.conditions.len()];
        self.evaluator.conditions(&d, &mut truth);
        all.extend(truth.into_iter().map(f64::from));
        let reactions = layout.conditions.iter().filter_map(|reaction| match reaction {
            Reaction::Act(action) => Some(*action),
            Reaction::Stop => None,
        });
        for action in reactions.chain(layout.sampled.iter().map(|sampled| sampled.action)) {
            let (mut new_y, mut new_d) = (y.to_vec(), d.clone());
            self.evaluator.act(action, t, y, &d, &mut new_y, &mut new_d);
            // A mode may count periods.
            all.extend(new_y.into_iter().chain(new_d.split_off(layout.switches.len())));
        }
        all
    }

    fn sentence(&self, row: usize, early: (f64, f64), late: (f64, f64)) -> String {
        let (layout, names) = (&self.compiled.program.layout, &self.compiled.program.state_names);
        let what = match row {
            row if row < layout.differential() => format!("{}'", names[row]),
            row if row < layout.states => format!("the equation of `{}`", names[row]),
            row if row < layout.states + layout.invariants => "a constraint".into(),
            _ => "an event".into(),
        };
        let ends = |before: f64, after: f64| {
            format!("{} at t = {} but {} at t = {}", short(before), short(early.0), short(after), short(late.0))
        };
        match row < layout.states {
            true => format!("with the same states, {what} is {}", ends(early.1, late.1)),
            false => format!(
                "with the same states, {what} is another one at t = {} than at t = {}",
                short(early.0),
                short(late.0)
            ),
        }
    }
}
