//! The error that the method itself has carried along to every row and to the end.

use super::{BLOWN_UP, GlobalError, Kept, LOST, TRUSTED, Task, WithoutDigits, size, without_digits};
use crate::recorder::{final_numbers, outputs_of_rows};
use ordinate_program::Evaluator;
use ordinate_solve::Outcome;
use std::array;
use std::slice::ChunksExact;

/// Rows of columns side by side.
const WIDE: usize = 4;

/// The largest absolute value of each column, infinite where one is no number. Rows are many: a few columns of them are taken at
/// a time, so that no comparison waits for another.
fn greatest(rows: ChunksExact<'_, f64>, columns: usize) -> Vec<f64> {
    let mut all = Vec::with_capacity(columns.next_multiple_of(WIDE));
    for first in (0..columns).step_by(WIDE) {
        let (mut most, mut none) = ([0.0f64; WIDE], [0.0f64; WIDE]);
        for row in rows.clone() {
            // What is finite leaves this sum at zero.
            match row[first..].first_chunk::<WIDE>() {
                Some(row) => {
                    none = array::from_fn(|l| none[l] + 0.0 * row[l]);
                    most = array::from_fn(|l| larger(row[l], most[l]));
                }
                None => {
                    for (l, value) in row[first..].iter().enumerate() {
                        (none[l], most[l]) = (none[l] + 0.0 * value, larger(*value, most[l]));
                    }
                }
            }
        }
        all.extend(most.iter().zip(none).map(|(most, none)| if none == 0.0 { *most } else { f64::INFINITY }));
    }
    all.truncate(columns);
    all
}

/// |value|, if it is larger.
fn larger(value: f64, most: f64) -> f64 {
    if value.abs() > most { value.abs() } else { most }
}

impl Task<'_> {
    /// The error that was carried along, unless it cannot be believed. `evaluator` made the run, `outputs` is another one like it.
    pub(super) fn carried(
        &self,
        evaluator: &Evaluator,
        outputs: &mut Evaluator,
        outcome: &Outcome,
        kept: &mut Kept,
    ) -> Option<GlobalError> {
        let carried = outcome.error.as_ref().filter(|_| kept.all_told())?;
        let states = self.compiled.program.visible;
        // of the values of all columns after the time, and of the errors of the states
        let values = greatest(kept.rows(), kept.stored).split_off(1);
        let mut largest = greatest(kept.told(), states);
        if self.options.step.is_none() {
            // The error between the rows counts, too: it may be small again where a row is.
            let parts = carried.largest.iter().zip(&values).map(|(error, greatest)| error / greatest);
            let part = parts.filter(|part| !part.is_nan()).fold(0.0, f64::max);
            // Where no digit is right, that is all there is to say, if the rows say it.
            let no_digits = largest.iter().zip(&values).any(|(most, greatest)| *most > LOST * greatest);
            if part >= TRUSTED && !(no_digits && part <= BLOWN_UP) {
                return None;
            }
            // Nor does a method know much of what it need not follow.
            let below = |state: usize| (1e-300..Task::atol(self.options, state)).contains(&values[state]);
            if (0..states).any(|state| below(state) || self.begins_unseen(state, self.start.states[state])) {
                return None;
            }
        }
        let y: Vec<f64> = outcome.y.iter().zip(&carried.at_end).map(|(y, e)| y - e).collect();
        let own = final_numbers(self.compiled, outputs, outcome, &outcome.y);
        let mut last: Vec<f64> = own.iter().zip(&y).map(|(own, better)| better - own).collect();
        let mut errors: Vec<Vec<f64>> = (0..states).map(|c| kept.told().map(|told| -told[c]).collect()).collect();
        if kept.stored > states + 1 {
            let mut beside = evaluator.with_other_rounding();
            let better = final_numbers(self.compiled, &mut beside, outcome, &y);
            last = own.iter().zip(better).map(|(own, better)| better - own).collect();
            errors_of_outputs(&mut beside, kept, &mut errors, &mut largest);
        }
        // Nothing that was computed is better than its last bit.
        for (column, (most, greatest)) in largest.iter_mut().zip(&values).enumerate() {
            *most = size(*most, *greatest).max(kept.gone(column));
        }
        let digits_lost = largest[..states].iter().zip(&values).any(|(most, greatest)| *most > LOST * greatest);
        if kept.last_time().is_none_or(|t| t < outcome.t_reached) {
            let ends = own.iter().zip(&last);
            largest.iter_mut().zip(ends).for_each(|(most, (own, error))| *most = most.max(size(*error, *own)));
        }
        let mut without = WithoutDigits::default();
        if digits_lost {
            kept.settle();
            let asked = |state: usize| self.asked(state);
            without = without_digits(&kept.columns[..=states], &errors[..states], &mut largest, &asked);
        }
        let rows = if kept.stride > 1 { Vec::new() } else { errors };
        let names = kept.names[1..kept.stored].to_vec();
        let until = outcome.t_reached;
        let WithoutDigits { lost, faint } = without;
        let found = GlobalError { names, states, largest, last, rows, until, lost, faint, ..GlobalError::default() };
        Some(GlobalError { complete: true, ..found })
    }
}

/// Adds what the errors of the states make of the functions of them, which is not linear, and what rounding does in an evaluator
/// that rounds otherwise.
fn errors_of_outputs(beside: &mut Evaluator, kept: &Kept, errors: &mut Vec<Vec<f64>>, largest: &mut Vec<f64>) {
    let states = errors.len();
    let (values, width) = kept.values();
    let better = |row: usize, state: usize| values[row * width + 1 + state] + errors[state][row];
    let outputs = outputs_of_rows(beside, kept.rows().len(), |row| values[row * width], better);
    for (place, mut other) in (states + 1..kept.stored).zip(outputs) {
        other.iter_mut().zip(kept.rows()).for_each(|(other, row)| *other -= row[place]);
        // the rows of a column as columns, and those that are left over
        let most = [
            greatest(other.chunks_exact(WIDE), WIDE),
            greatest(other.chunks_exact(WIDE).remainder().chunks_exact(1), 1),
        ];
        largest.push(most.iter().flatten().fold(0.0, |most: f64, value| most.max(*value)));
        errors.push(other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_its_greatest_value_and_what_is_no_number_is_infinite() {
        for columns in 1..10usize {
            let mut values: Vec<f64> = (0..5 * columns).map(|k| ((k * 7 % 11) as f64 - 5.0) * 1.5).collect();
            let column =
                |values: &[f64], c: usize| -> Vec<f64> { values.iter().copied().skip(c).step_by(columns).collect() };
            let slowly =
                |values: &[f64], c: usize| column(values, c).iter().fold(0.0, |most: f64, v| most.max(v.abs()));
            let found = greatest(values.chunks_exact(columns), columns);
            assert_eq!(found, (0..columns).map(|c| slowly(&values, c)).collect::<Vec<f64>>(), "{columns} columns");
            for (bad, place) in [(f64::NAN, 0), (f64::NEG_INFINITY, columns - 1)] {
                values[2 * columns + place] = bad;
                assert_eq!(greatest(values.chunks_exact(columns), columns)[place], f64::INFINITY, "{columns} columns");
            }
        }
    }
}
