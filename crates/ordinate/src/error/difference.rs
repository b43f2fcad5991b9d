//! The difference of a run and its companion, row by row.

use super::{GlobalError, Kept, LOST, Task, greatest, size};

/// Where two runs ended, both in the same way, and the columns there.
pub(super) struct Ends<'a> {
    pub times: [f64; 2],
    pub columns: &'a [Vec<f64>; 2],
}

impl Ends<'_> {
    /// How far a column of the first run is off at its end, if the second one ended before: that one goes on along the slope of the
    /// last row before.
    fn beyond(&self, c: usize, (t, y): (f64, f64)) -> f64 {
        let ([end, other_end], [own, other]) = (self.times, self.columns);
        let slope = (own[c] - y) / (end - t);
        other[c] + slope * (end - other_end) - own[c]
    }
}

impl Task<'_> {
    /// Differences row by row. Rows that only one of the runs has at a time are those of an event that the other one puts elsewhere:
    /// they keep the error of the row before.
    pub(super) fn compare(&self, kept: &Kept, other: &[Vec<f64>], factor: f64, ends: Option<&Ends>) -> GlobalError {
        let columns = kept.stored - 1;
        let states = self.compiled.program.visible;
        let time = &kept.columns[0];
        let mut rows: Vec<Vec<f64>> = vec![Vec::with_capacity(time.len()); columns];
        let mut largest = vec![0.0f64; columns];
        let (mut i, mut j, mut until) = (0, 0, f64::NEG_INFINITY);
        let end_of = |time: &[f64], from: usize| from + time[from..].iter().take_while(|t| **t == time[from]).count();
        let there = other.first().map_or(&[][..], Vec::as_slice);
        while i < time.len() && j < there.len() {
            let next = end_of(time, i);
            if there[j] < time[i] {
                j = end_of(there, j);
                continue;
            }
            let behind = if there[j] == time[i] { end_of(there, j) } else { j };
            for k in i..next {
                // the last ones of both belong together, where an action runs at this very time in both
                let partner = (behind - j == next - i).then(|| j + k - i);
                for c in 0..columns {
                    let own = kept.columns[c + 1][k];
                    let before = rows[c].last().copied().unwrap_or(0.0);
                    let error = partner.map_or(before, |p| factor * (other[c + 1][p] - own));
                    if partner.is_some() {
                        largest[c] = largest[c].max(size(error, own));
                    }
                    rows[c].push(error);
                }
            }
            until = time[i];
            (i, j) = (next, behind);
        }
        // A run that the model ends may do so a little later than the other one: its last row has no partner.
        if let (Some(ends), Some(row)) = (ends, i.checked_sub(1))
            && time[i..].iter().all(|t| *t == ends.times[0])
            && time[row] < ends.times[0]
        {
            for c in 0..columns {
                let error = factor * ends.beyond(c, (time[row], kept.columns[c + 1][row]));
                time[i..].iter().for_each(|_| rows[c].push(error));
                largest[c] = largest[c].max(size(error, ends.columns[0][c]));
            }
            (i, until) = (time.len(), ends.times[0]);
        }
        let complete = i == time.len();
        if until == f64::NEG_INFINITY {
            // nothing was compared, so nothing is known
            largest.fill(f64::INFINITY);
        }
        let last: Vec<f64> = match ends.map(|ends| ends.columns) {
            _ if until == f64::NEG_INFINITY => vec![f64::NAN; columns],
            Some([own, other]) => own.iter().zip(other).map(|(own, other)| factor * (other - own)).collect(),
            None => rows.iter().map(|column| column.last().copied().unwrap_or(f64::NAN)).collect(),
        };
        let asked = |state: usize| self.asked(state);
        let WithoutDigits { lost, faint } =
            without_digits(&kept.columns[..=states], &rows[..states], &mut largest, &asked);
        if kept.stride > 1 || !complete {
            // rows of the file and rows of the estimate would not be the same
            let missing = time.len() - rows.first().map_or(time.len(), Vec::len);
            match kept.stride {
                1 => rows.iter_mut().for_each(|column| column.extend(vec![f64::NAN; missing])),
                _ => rows.clear(),
            }
        }
        let names = kept.names[1..kept.stored].to_vec();
        GlobalError { names, states, largest, last, rows, until, complete, lost, faint, ..GlobalError::default() }
    }
}

/// States that have no right digit.
#[derive(Default)]
pub(crate) struct WithoutDigits {
    /// The first that lost them, and when.
    pub lost: Option<(usize, f64)>,
    /// One that is, with its error, never larger than what is asked of it, and its greatest value.
    pub faint: Option<(usize, f64)>,
}

/// Looks for them. The error of such states is anything that they can be: two solutions that have nothing in common any more may meet by
/// chance. What is `asked` of a state is the error that it may have whatever its size.
pub(crate) fn without_digits(
    columns: &[Vec<f64>],
    rows: &[Vec<f64>],
    largest: &mut [f64],
    asked: &dyn Fn(usize) -> f64,
) -> WithoutDigits {
    let mut found = WithoutDigits::default();
    for (state, errors) in rows.iter().enumerate() {
        let values = &columns[state + 1];
        let most = greatest(values);
        let Some(row) = errors.iter().position(|error| error.abs() > LOST * most) else { continue };
        // A solution that grows had lost them before, when it was smaller.
        let so_far: Vec<f64> = values[..row]
            .iter()
            .scan(0.0, |most: &mut f64, y| {
                *most = most.max(y.abs());
                Some(*most)
            })
            .collect();
        let right = errors[..row].iter().zip(&so_far).rposition(|(error, most)| error.abs() <= LOST * most);
        let row = right.map_or(0, |right| right + 1);
        let bounds = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), y| (l.min(*y), h.max(*y)));
        largest[state] = largest[state].max(bounds.1 - bounds.0);
        if most.max(largest[state]) < asked(state) {
            found.faint = found.faint.or(Some((state, most)));
        } else if found.lost.is_none_or(|(_, t)| columns[0][row] < t) {
            found.lost = Some((state, columns[0][row]));
        }
    }
    found
}
