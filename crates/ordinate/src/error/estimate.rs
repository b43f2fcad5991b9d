//! What is known of the global error of a run.

use crate::Compiled;

/// The global error of a run: |computed − true|, estimated.
#[derive(Clone, Debug, Default)]
pub struct GlobalError {
    /// The columns of the result without `time`.
    pub names: Vec<String>,
    /// The first so many of them are states; the others are functions of them.
    pub states: usize,
    /// Which of them are variables of the equations: the states, and what equations determine beside them.
    pub variables: Vec<bool>,
    /// The largest error of each column over all rows.
    pub largest: Vec<f64>,
    /// The error of each column where the run ended.
    pub last: Vec<f64>,
    /// The error of each column, row by row with its sign, true − computed; empty where there were too many rows to keep.
    pub rows: Vec<Vec<f64>>,
    /// The time of the last row with an estimate.
    pub until: f64,
    /// Whether that is the end.
    pub complete: bool,
    /// Someone ended the run that this one is compared with.
    pub interrupted: bool,
    /// From this time on no digit of this state is right.
    pub lost: Option<(usize, f64)>,
    /// A state that has no right digit either, but stayed below its absolute tolerance with its error, so nobody asked for one; and
    /// the greatest value that it had.
    pub faint: Option<(usize, f64)>,
    /// A state that ended the run by a singularity, but had lost its digits before it began to grow: another run need not have one.
    pub baseless: Option<usize>,
    /// Where a state has lost its digits: one that began too small for the absolute tolerance, and one that would see it.
    pub unseen: Option<(usize, f64)>,
    /// A state that was zero in all rows though its input may be nonzero between them: nothing is known of its error.
    pub idle: Option<usize>,
    /// Whether it was subtracted from the result. It is the error of the result before.
    pub corrected: bool,
}

impl GlobalError {
    /// The largest error of all variables, or of what there is.
    pub fn estimate(&self) -> f64 {
        let none = !self.variables.contains(&true);
        let counted = (0..self.names.len()).filter(|&column| none || self.is_variable(column));
        counted.map(|column| self.largest[column]).fold(0.0, f64::max)
    }

    /// Whether a column is a variable of the equations, not a function of them.
    pub fn is_variable(&self, column: usize) -> bool {
        self.variables.get(column) == Some(&true)
    }

    /// Nothing is known: the run has no meaning, and another one like it has none either.
    pub(crate) fn lose(&mut self) {
        self.largest.fill(f64::INFINITY);
        self.last.fill(f64::NAN);
        self.rows.iter_mut().flatten().for_each(|error| *error = f64::NAN);
        (self.until, self.complete) = (f64::NEG_INFINITY, false);
    }

    /// Takes of two estimates what is larger.
    pub(super) fn be_at_least(&mut self, other: &GlobalError) {
        let pairs = self.rows.iter_mut().zip(&other.rows).flat_map(|(own, other)| own.iter_mut().zip(other));
        for (own, other) in pairs.chain(self.last.iter_mut().zip(&other.last)) {
            *own = if own.abs() >= other.abs() || own.is_nan() { *own } else { *other };
        }
        self.largest.iter_mut().zip(&other.largest).for_each(|(own, other)| *own = own.max(*other));
        self.lost = self.lost.or(other.lost);
        self.baseless = self.baseless.or(other.baseless);
    }

    /// Looks for a state that nothing is known of, in the columns of the run, the first of which is the time.
    pub(crate) fn find_idle(&mut self, compiled: &Compiled, columns: &[Vec<f64>]) {
        let mut equations = compiled.program.pulsed.iter().zip(columns.iter().skip(1)).take(self.states);
        self.idle = equations.position(|(pulsed, column)| *pulsed && column.iter().all(|y| *y == 0.0));
        if let Some(state) = self.idle {
            (self.complete, self.largest[state], self.last[state]) = (false, f64::INFINITY, f64::NAN);
        }
    }

    /// What is not known of it, in words; `None` if all is.
    pub fn gap(&self) -> Option<String> {
        match self.until {
            _ if self.idle.is_some() => self.idle.map(|state| {
                format!(
                    "the error of `{}` is unknown: it is zero in all rows, but its input may be nonzero only \
                     between rows, as with exp(-t^2); `--max-step` finds what is shorter than a row",
                    self.names[state]
                )
            }),
            _ if self.complete => None,
            t if self.interrupted && t.is_finite() => {
                Some(format!("the error is known only up to t = {}: its estimate was interrupted", crate::short(t)))
            }
            _ if self.interrupted => Some("the error is unknown: its estimate was interrupted".into()),
            f64::NEG_INFINITY => Some("the error is unknown: there is no solution to compare with".into()),
            t => Some(format!(
                "the error is known only up to t = {}: the comparison run did not get further",
                crate::short(t)
            )),
        }
    }
}
