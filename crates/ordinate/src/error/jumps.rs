//! Rows beside a jump that may be on its other side in truth have lost their digits, whatever two runs say that are on the same side
//! there: how much is unknown, but not more than the jump.

use super::events::Displaced;
use super::path::Shift;
use super::{GlobalError, Kept, LOST, greatest, size};
use crate::recorder::outputs_of_rows;
use ordinate_program::Evaluator;

impl GlobalError {
    /// Rows beside events: what jumps there is recorded. Jumps of no more than what is `asked` of a state cost it no digit.
    pub(super) fn look_beside_events(&mut self, kept: &Kept, shifts: &[Displaced], asked: &dyn Fn(usize) -> f64) {
        let mut sizes: Vec<Option<f64>> = vec![None; self.names.len()];
        for shift in shifts {
            for row in self.rows_between(kept, shift.span()) {
                // A row at the very time of the event shows both sides, or the one that is asked for.
                if kept.columns[0][row] == shift.t {
                    continue;
                }
                for jump in shift.jumps {
                    let (column, change) = (jump.column, (jump.behind - jump.before).abs());
                    let most = *sizes[column].get_or_insert_with(|| greatest(&kept.columns[1 + column]));
                    let nothing = if column < self.states { asked(column) } else { 0.0 };
                    if change > (LOST * most).max(nothing) {
                        self.lose_row(kept, row, column, change);
                    } else {
                        self.largest[column] = self.largest[column].max(size(change, 0.0));
                    }
                }
            }
        }
    }

    /// Rows beside fast transitions. What is computed from the states changes with them; `outputs` evaluates it where nothing but
    /// states matters.
    pub(super) fn look_beside_transitions(
        &mut self,
        kept: &Kept,
        shifts: &[Shift],
        asked: &dyn Fn(usize) -> f64,
        mut outputs: Option<&mut Evaluator>,
    ) {
        let states = self.states;
        for shift in shifts.iter().filter(|shift| shift.state < states) {
            let state = shift.state;
            for row in self.rows_between(kept, (shift.from, shift.to)) {
                let t = kept.columns[0][row];
                let own = |column: usize| kept.columns[1 + column][row];
                let Some(y) = kept.path.elsewhere(shift, t, own(state)) else { continue };
                let change = (y[state] - own(state)).abs();
                if change <= (LOST * shift.greatest).max(asked(state)) {
                    continue;
                }
                let jumped = outputs.as_deref_mut().map(|outputs| outputs_of_rows(outputs, 1, |_| t, |_, k| y[k]));
                if !self.lose_row(kept, row, state, change) {
                    continue;
                }
                for column in states..self.names.len() {
                    let output = jumped.as_ref().map_or(f64::INFINITY, |columns| columns[column - states][0]);
                    self.lose_row(kept, row, column, size(output - own(column), 0.0));
                }
            }
        }
    }

    /// The rows strictly after the beginning of a span up to its end that were asked for at their time: those on both sides of an
    /// event are before and after it.
    fn rows_between(&self, kept: &Kept, (from, to): (f64, f64)) -> Vec<usize> {
        let time = &kept.columns[0];
        let first = time.partition_point(|t| *t < from);
        let there = time[first..].iter().take_while(|t| **t <= to.min(self.until)).count();
        let alone = |row: &usize| {
            let beside = [row.checked_sub(1), Some(row + 1)].into_iter().flatten();
            beside.into_iter().all(|other| time.get(other) != Some(&time[*row]))
        };
        (first..first + there).filter(alone).collect()
    }

    /// A row of this column may be wrong by as much; returns whether that was not known.
    fn lose_row(&mut self, kept: &Kept, row: usize, column: usize, change: f64) -> bool {
        if self.rows.get(column).and_then(|rows| rows.get(row)).is_some_and(|error| error.abs() >= change) {
            return false;
        }
        self.largest[column] = self.largest[column].max(change);
        self.rows.get_mut(column).and_then(|rows| rows.get_mut(row)).into_iter().for_each(|error| *error = f64::NAN);
        let (time, t) = (&kept.columns[0], kept.columns[0][row]);
        if row + 1 == time.len() {
            self.last[column] = f64::NAN;
        }
        if column < self.states && self.lost.is_none_or(|(_, lost)| t < lost) {
            self.lost = Some((column, t));
        }
        true
    }
}
