//! From the states of the driver to rows of all columns.

use crate::output_domain::watched;
use crate::residual::{At, TextCheck};
use crate::start::StartValues;
use crate::{Compiled, RowError, RowSink};
use ordinate_numbers::{OCTET, Octet};
use ordinate_program::Evaluator;
use ordinate_solve::{DenseOutput, Interrupt, Mixture, NewtonIterate, Outcome, Piece, Sink, System};
use std::ops::ControlFlow;

/// Evaluates the outputs of each row and hands it on.
pub(crate) struct Recorder<'a> {
    compiled: &'a Compiled,
    evaluator: Evaluator,
    sink: &'a mut dyn RowSink,
    values: Vec<f64>,
    /// States that are stored.
    states: usize,
    pub rows: usize,
    /// Time of the last row.
    t: f64,
    wants_steps: bool,
    wants_path: bool,
    /// What is still to be compared with the first row.
    checks: &'a [(usize, String, f64)],
    /// The first row was not asked for: it is only compared.
    pub unasked: bool,
    /// The names of all columns and how many of them are stored, until they are announced.
    names: Option<(Vec<String>, usize)>,
    pub failure: Option<RowError>,
    /// Start values that the first row contradicts.
    pub inconsistent: Vec<Contradicted>,
    /// Column and time of the first value that is not finite.
    pub not_finite: Option<(usize, f64)>,
    /// What the equations determine, without saying in so many words what it is, and where it was not finite last.
    pub undetermined: Option<usize>,
    /// The columns that are such and may have no value.
    determined: Vec<usize>,
    /// Compares the equations as they were typed with what is computed.
    pub check: Option<TextCheck<'a>>,
    /// The polynomials of all steps, where they are kept.
    pub dense: Option<DenseOutput>,
}

/// A start value of a variable that follows from others.
pub struct Contradicted {
    pub name: String,
    pub given: f64,
    /// What follows.
    pub found: f64,
    /// The place of the equation that determines the variable without a formula for it, and its residual with what was given.
    pub equation: Option<(usize, f64)>,
}

impl<'a> Recorder<'a> {
    pub fn new(
        compiled: &'a Compiled,
        evaluator: Evaluator,
        sink: &'a mut dyn RowSink,
        start: &'a StartValues,
    ) -> Self {
        let states = compiled.program.visible;
        Recorder {
            compiled,
            evaluator,
            values: vec![0.0; 1 + states + compiled.program.outputs.results.len()],
            states,
            rows: 0,
            t: f64::NEG_INFINITY,
            wants_steps: sink.wants_steps(),
            wants_path: sink.wants_path(),
            sink,
            checks: &start.checks,
            unasked: false,
            names: None,
            failure: None,
            inconsistent: Vec::new(),
            not_finite: None,
            undetermined: None,
            determined: watched(compiled),
            check: None,
            dense: None,
        }
    }

    /// When the run begins, the sink is told these names.
    pub fn announce(&mut self, names: Vec<String>, stored: usize) {
        self.names = Some((names, stored));
    }

    /// The driver hands no row over once it was interrupted; where it got to is worth one all the same.
    pub fn last_row(&mut self, outcome: &Outcome) {
        let fine = self.failure.is_none() && self.inconsistent.is_empty() && outcome.y.iter().all(|y| y.is_finite());
        if fine && outcome.t_reached > self.t {
            if let Some(error) = &outcome.error {
                let errors: Vec<Octet> = error.at_end.iter().map(|error| Octet([*error; OCTET])).collect();
                self.sink.errors(1, &errors);
            }
            // a failure is kept in the recorder
            let d = [outcome.d.as_slice(), &outcome.delayed].concat();
            let _ = self.row(outcome.t_reached, &outcome.y, &d, outcome.sliding.as_ref());
        }
    }

    /// The algebraic equation of a variable, and its residual where that has the value `given`.
    fn violated_by(&mut self, name: &str, given: f64, t: f64, y: &[f64], d: &[f64]) -> Option<(usize, f64)> {
        let sorted = &self.compiled.sorted;
        let k = sorted.algebraic.iter().position(|algebraic| sorted.model.name(algebraic.var) == name)?;
        let place = sorted.states.len() + k;
        let (mut y, mut f) = (y.to_vec(), vec![0.0; y.len()]);
        *y.get_mut(place)? = given;
        self.evaluator.derivative(t, &y, d, &mut f);
        Some((place, f[place]))
    }
}

/// The outputs at a point; while the solution slides along boundaries, a mixture like its derivative.
fn outputs(evaluator: &mut Evaluator, t: f64, y: &[f64], d: &[f64], sliding: Option<&Mixture>, out: &mut [f64]) {
    match sliding {
        None => evaluator.outputs(t, y, d, out),
        Some(mixture) => mixture.mix(&mut |d, out| evaluator.outputs(t, y, d, out), out),
    }
}

/// The outputs of many rows of a model without discrete values, column by column, from the times and states of the rows.
pub(crate) fn outputs_of_rows(
    evaluator: &mut Evaluator,
    rows: usize,
    t: impl Fn(usize) -> f64,
    y: impl Fn(usize, usize) -> f64,
) -> Vec<Vec<f64>> {
    let (count, states) = (evaluator.program().outputs.results.len(), evaluator.program().layout.states);
    let mut columns = vec![Vec::with_capacity(rows); count];
    if count == 0 {
        return columns;
    }
    let (mut eight, mut found) = (vec![Octet::default(); states], vec![Octet::default(); count]);
    let (mut one, mut out) = (vec![0.0; states], vec![0.0; count]);
    for first in (0..rows).step_by(OCTET) {
        // The places after the last row hold it, too.
        let places: [usize; OCTET] = std::array::from_fn(|k| (first + k).min(rows - 1));
        let here = OCTET.min(rows - first);
        for (state, eight) in eight.iter_mut().enumerate() {
            *eight = Octet(places.map(|row| y(row, state)));
        }
        if !evaluator.outputs_of_eight(here, &Octet(places.map(&t)), &eight, &mut found) {
            for k in 0..here {
                one.iter_mut().zip(&eight).for_each(|(one, eight)| *one = eight.0[k]);
                evaluator.outputs(t(first + k), &one, &[], &mut out);
                found.iter_mut().zip(&out).for_each(|(found, out)| found.0[k] = *out);
            }
        }
        columns.iter_mut().zip(&found).for_each(|(column, found)| column.extend_from_slice(&found.0[..here]));
    }
    columns
}

/// A given start value agrees with the one that follows from the equations within this part of them, or of the states that
/// it follows from, where those are below one.
const CONSISTENT: f64 = 1e-6;

impl Sink for Recorder<'_> {
    fn begin(&mut self) -> ControlFlow<Interrupt> {
        match self.names.take().map(|(names, stored)| self.sink.begin(&names, stored)) {
            Some(Err(error)) => {
                self.failure = Some(error);
                ControlFlow::Break(Interrupt)
            }
            Some(Ok(())) | None => ControlFlow::Continue(()),
        }
    }

    fn row(&mut self, t: f64, y: &[f64], d: &[f64], sliding: Option<&Mixture>) -> ControlFlow<Interrupt> {
        self.values[0] = t;
        self.values[1..=self.states].copy_from_slice(&y[..self.states]);
        let out = &mut self.values[self.states + 1..];
        outputs(&mut self.evaluator, t, y, d, sliding, out);
        for (column, name, given) in std::mem::take(&mut self.checks) {
            let found = self.values[1 + self.states + column];
            let largest = y.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
            let size = given.abs().max(found.abs()).max(largest.min(1.0));
            // The equations may have terms as large as anything in this row.
            let finite = self.values[1..].iter().filter(|value| value.is_finite());
            let terms = finite.fold(0.0, |most: f64, value| most.max(value.abs()));
            let rounding = 4.0 * f64::EPSILON * t.abs().max(1.0).max(4.0 * terms);
            if (found - given).abs() > (CONSISTENT * size).max(rounding) || found.is_nan() {
                let equation = self.violated_by(name, *given, t, y, d);
                self.inconsistent.push(Contradicted { name: name.clone(), given: *given, found, equation });
            }
        }
        if !self.inconsistent.is_empty() {
            return ControlFlow::Break(Interrupt);
        }
        if std::mem::take(&mut self.unasked) {
            return ControlFlow::Continue(());
        }
        self.rows += 1;
        if self.not_finite.is_none() {
            self.not_finite = self.values.iter().position(|value| !value.is_finite()).map(|column| (column, t));
        }
        self.t = t;
        match self.sink.row(&self.values) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.failure = Some(error);
                ControlFlow::Break(Interrupt)
            }
        }
    }

    fn step(&mut self, t: f64, h: f64, order: u32) -> ControlFlow<Interrupt> {
        if !self.wants_steps || self.sink.step(t, h, order) {
            return ControlFlow::Continue(());
        }
        ControlFlow::Break(Interrupt)
    }

    fn keeps_pieces(&self) -> bool {
        self.dense.is_some()
    }

    fn piece(&mut self, piece: Piece) {
        if let Some(dense) = &mut self.dense {
            dense.push(piece);
        }
    }

    fn passed(&mut self, t: f64, y: &[f64]) {
        if self.wants_path {
            self.sink.passed(t, &y[..self.states]);
        }
    }

    fn side_of_event(&mut self, switch: usize, behind: bool, t: f64, y: &[f64], d: &[f64], sliding: Option<&Mixture>) {
        if self.wants_path {
            self.values[0] = t;
            self.values[1..=self.states].copy_from_slice(&y[..self.states]);
            outputs(&mut self.evaluator, t, y, d, sliding, &mut self.values[self.states + 1..]);
            self.sink.side_of_event(switch, behind, &self.values);
        }
    }

    fn errors(&mut self, rows: usize, errors: &[Octet]) {
        // that of a row which is only compared is not wanted either
        if !self.unasked {
            self.sink.errors(rows, errors);
        }
    }

    fn watches(&self) -> bool {
        !self.determined.is_empty()
    }

    fn is_defined(&mut self, t: f64, y: &[f64], d: &[f64], sliding: Option<&Mixture>) -> bool {
        outputs(&mut self.evaluator, t, y, d, sliding, &mut self.values[self.states + 1..]);
        let bad = self.determined.iter().copied().find(|&column| !self.values[column].is_finite());
        self.undetermined = bad.or(self.undetermined);
        bad.is_none()
    }

    fn examines(&self) -> bool {
        self.check.is_some()
    }

    fn examine(&mut self, t: f64, y: &[f64], d: &[f64], sliding: Option<&Mixture>) -> ControlFlow<Interrupt> {
        match self.check.as_mut().is_none_or(|check| check.holds(&At { t, y, d, sliding })) {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(Interrupt),
        }
    }

    fn iterate(&mut self, iterate: &NewtonIterate) {
        self.sink.iterate(iterate);
    }

    fn progress(&mut self, t: f64) -> ControlFlow<Interrupt> {
        if self.sink.keep_going(t) { ControlFlow::Continue(()) } else { ControlFlow::Break(Interrupt) }
    }
}

/// Names of the stored columns without `time`, and their values where a run ended.
pub(crate) fn final_values(compiled: &Compiled, evaluator: &mut Evaluator, outcome: &Outcome) -> Vec<(String, f64)> {
    let names = compiled.stored_names().into_iter().skip(1);
    names.zip(final_numbers(compiled, evaluator, outcome, &outcome.y)).collect()
}

/// The values of the stored columns without `time` where a run ended, if its state is `y` there.
pub(crate) fn final_numbers(compiled: &Compiled, evaluator: &mut Evaluator, outcome: &Outcome, y: &[f64]) -> Vec<f64> {
    let states = compiled.program.visible;
    let mut all = vec![0.0; states + compiled.program.outputs.results.len()];
    all[..states].copy_from_slice(&y[..states]);
    if y.iter().all(|v| v.is_finite()) {
        let d = [outcome.d.as_slice(), &outcome.delayed].concat();
        outputs(evaluator, outcome.t_reached, y, &d, outcome.sliding.as_ref(), &mut all[states..]);
    }
    all.truncate(states + compiled.sorted.columns.len());
    all
}
