//! The global error of a run beyond double precision: its difference from a companion of more digits or, where steps or
//! order are given, of shorter steps or a higher order.

use super::{DOUBLE_DOUBLE_DIGITS, Session, Times};
use crate::error::without_digits;
use crate::{Compiled, GlobalError, RowSink, RowTimes, RunError, RunOptions};
use ordinate_numbers::{Big, DoubleDouble, Precise};
use ordinate_program::{Constant, PreciseProgram};
use ordinate_solve::{PreciseOutcome, PreciseSink, StopFlag};
use std::ops::ControlFlow;

/// Digits that the companion has more.
const MORE_DIGITS: u32 = 4;
/// Its order, where that is given, is so much higher.
const MORE_ORDER: u32 = 2;
/// Numbers that are kept of a run; of more rows every second one is.
const MAX_KEPT: usize = 1 << 21;

/// The rows of a run with all digits: time, then the columns, the stored ones first.
pub(super) struct Kept<N> {
    pub rows: Vec<Vec<N>>,
    /// Whether rows were left out.
    pub thinned: bool,
    stride: usize,
    skipped: usize,
}

impl<N: Constant> Kept<N> {
    pub fn new() -> Kept<N> {
        Kept { rows: Vec::new(), thinned: false, stride: 1, skipped: 0 }
    }

    pub fn keep(&mut self, row: Vec<N>) {
        self.skipped += 1;
        if self.skipped < self.stride {
            return;
        }
        self.skipped = 0;
        self.rows.push(row);
        if self.rows.len() * self.rows[0].len() > MAX_KEPT {
            let mut index = 0;
            self.rows.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            (self.thinned, self.stride) = (true, 2 * self.stride);
        }
    }
}

/// The error of the rows in `kept` and of the last row, `end`; the companion is asked through `sink` whether to go on.
pub(super) fn global_error<N: Constant>(
    compiled: &Compiled,
    options: &RunOptions,
    [digits, shown]: [u32; 2],
    kept: &Kept<N>,
    end: &[N],
    sink: &mut dyn RowSink,
) -> GlobalError {
    // Times in so many digits are those of the run to more than its own.
    let text = |t: &N| t.to_decimal((digits + 2 * MORE_DIGITS) as usize);
    let step = options.step.map(|h| 0.5 * h);
    let order = options.order.map(|p| if step.is_some() { p } else { p + MORE_ORDER });
    let rows = RowTimes::At(kept.rows.iter().map(|row| text(&row[0])).collect());
    let options = RunOptions { step, order, rows, t_end: Some(text(&end[0])), ..options.clone() };
    let more = digits + MORE_DIGITS;
    let found = match more <= DOUBLE_DOUBLE_DIGITS {
        true => companion::<DoubleDouble>(compiled, &options, more, sink),
        false => companion::<Big>(compiled, &options, more, sink),
    };
    // Of half the step at order p the error is 2⁻ᵖ, of more digits or terms next to nothing.
    let left = match (options.step, options.order) {
        (Some(_), Some(p)) => 0.5f64.powi(p as i32),
        _ => 0.0,
    };
    // A companion that does not begin is one without rows.
    let (other, other_end) = found.unwrap_or_default();
    // Both may compute with the same number of words; more digits than were asked for are not promised, and of those written the
    // last one is rounded.
    let last_digit = 10f64.powf(-f64::from(digits)).max(0.5 * 10f64.powf(1.0 - f64::from(shown)));
    compare(compiled, last_digit, kept, end, &other, other_end.as_deref(), 1.0 / (1.0 - left))
}

type Rows = Vec<Vec<Big>>;

/// The rows of the companion and its end, if it reaches that.
fn companion<N: Constant>(
    compiled: &Compiled,
    options: &RunOptions,
    digits: u32,
    sink: &mut dyn RowSink,
) -> Result<(Rows, Option<Vec<Big>>), RunError> {
    let mut session = Session::<N>::new(compiled, options, digits)?;
    let program = PreciseProgram::new(compiled.program.clone(), session.bits).expect("the session has one");
    let stored = compiled.stored_names().len();
    let times = Times::new(&options.rows, &session);
    let (states, stop) = (compiled.program.visible, compiled.stop.from_now());
    let mut beside = Beside { program, times, states, stored, rows: Vec::new(), sink, stop };
    let PreciseOutcome { t, y, reason, .. } = session.run(options, f64::INFINITY, &mut beside);
    let end = reason.is_none().then(|| beside.values(&t, &y));
    Ok((beside.rows, end))
}

/// Collects the rows of the companion.
struct Beside<'a, N> {
    program: PreciseProgram<N>,
    times: Times<N>,
    states: usize,
    stored: usize,
    rows: Rows,
    sink: &'a mut dyn RowSink,
    stop: StopFlag,
}

impl<N: Constant> Beside<'_, N> {
    fn values(&mut self, t: &N, y: &[N]) -> Vec<Big> {
        let outputs = self.program.outputs(t, y);
        let all = std::iter::once(t).chain(&y[..self.states]).chain(&outputs);
        all.take(self.stored).map(N::to_big).collect()
    }
}

impl<N: Constant> PreciseSink<N> for Beside<'_, N> {
    fn row_time(&mut self, k: usize) -> Option<N> {
        self.times.get(k)
    }

    fn row(&mut self, t: &N, y: &[N]) -> ControlFlow<()> {
        let values = self.values(t, y);
        self.rows.push(values);
        ControlFlow::Continue(())
    }

    fn step(&mut self, t: f64, _h: f64, _order: usize) -> ControlFlow<()> {
        if !self.stop.is_raised() && self.sink.keep_going(t) {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}

/// Differences row by row, as far as both came, times `factor`.
fn compare<N: Constant>(
    compiled: &Compiled,
    last_digit: f64,
    kept: &Kept<N>,
    end: &[N],
    other: &[Vec<Big>],
    other_end: Option<&[Big]>,
    factor: f64,
) -> GlobalError {
    let states = compiled.program.visible;
    let names: Vec<String> = compiled.stored_names().into_iter().skip(1).collect();
    let difference = |own: &N, other: &Big| factor * (other.clone() - own.to_big()).to_f64();
    let count = other.len().min(kept.rows.len());
    let column = |c: usize| kept.rows.iter().map(move |row| row[c].to_f64()).collect::<Vec<f64>>();
    let columns: Vec<Vec<f64>> = (0..=names.len()).map(column).collect();
    let errors = |c: usize| (0..count).map(|k| difference(&kept.rows[k][c], &other[k][c])).collect::<Vec<f64>>();
    let mut rows: Vec<Vec<f64>> = (1..=names.len()).map(errors).collect();
    let most = |values: &[f64]| {
        values.iter().fold(0.0f64, |most, v| if v.is_nan() { f64::INFINITY } else { most.max(v.abs()) })
    };
    let largest = |(errors, values): (&Vec<f64>, &Vec<f64>)| match count {
        // nothing was compared, so nothing is known
        0 => f64::INFINITY,
        _ => most(errors).max(last_digit * most(&values[..count])),
    };
    let mut largest: Vec<f64> = rows.iter().zip(&columns[1..]).map(largest).collect();
    let last = match other_end {
        Some(other) => end[1..].iter().zip(&other[1..]).map(|(own, other)| difference(own, other)).collect(),
        None => rows.iter().map(|errors| errors.last().copied().unwrap_or(f64::NAN)).collect(),
    };
    let lost = without_digits(&columns[..=states], &rows[..states], &mut largest, &|_| 0.0).lost;
    if kept.thinned {
        rows.clear();
    }
    rows.iter_mut().for_each(|errors| errors.resize(kept.rows.len(), f64::NAN));
    let mut error = GlobalError {
        names,
        states,
        variables: crate::output_domain::variables(compiled),
        largest,
        last,
        rows,
        until: count.checked_sub(1).map_or(f64::NEG_INFINITY, |k| columns[0][k]),
        complete: count == kept.rows.len() && other_end.is_some(),
        lost,
        ..GlobalError::default()
    };
    error.find_idle(compiled, &columns);
    error
}
