//! Solutions at a number of times, to be compared with each other.

use crate::precise::{DOUBLE_DOUBLE_DIGITS, Session};
use crate::{Compiled, ErrorWish, Memory, RowError, RowSink, RowTimes, Run, RunError, RunOptions, run};
use ordinate_numbers::{Arithmetic, Big, DoubleDouble, Precise};
use ordinate_program::{Constant, PreciseProgram};
use ordinate_solve::{PreciseSink, Reason, StopFlag};
use std::cell::{Cell, RefCell};
use std::f64::consts::{LOG2_10, LOG10_2};
use std::ops::ControlFlow;

/// The stored states, or what is stored where no state is, at the times k/parts of the run, as far as it got.
pub(super) struct Samples {
    rows: Vec<Option<Vec<Big>>>,
    /// −log₂ of what may be nothing but rounding, in units of the largest state.
    noise: f64,
}

/// How two solutions differ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Difference {
    /// Digits that agree: −log₁₀ of the largest difference in units of the largest value of the same state.
    pub digits: f64,
    /// The state that differs most.
    pub state: usize,
    /// The part of the run after which no digit agrees.
    pub lost: Option<f64>,
}

/// log₂ of the roundings that add up in a run.
const NOISE: f64 = 13.0;

/// Digits of solutions that are the same to the last bit.
const ALL_DIGITS: f64 = 999.0;

impl Samples {
    /// The largest value of each state.
    pub fn scales(&self) -> Vec<f64> {
        let states = self.rows.iter().flatten().next().map_or(0, Vec::len);
        let largest = |i: usize| self.rows.iter().flatten().map(|row| row[i].to_f64().abs()).fold(0.0, f64::max);
        (0..states).map(largest).collect()
    }

    /// How far another solution is from this one.
    pub fn difference(&self, other: &Samples) -> Difference {
        let scales: Vec<f64> = self.scales().iter().map(|scale| scale.log2()).collect();
        let largest = scales.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let noise = largest - self.noise.min(other.noise);
        let mut found = Difference { digits: ALL_DIGITS, state: 0, lost: None };
        for (i, &scale) in scales.iter().enumerate() {
            let own = self.of_state(other, i, scale);
            // What should be zero and is nothing but rounding has no digits of its own.
            let state = if own.digits < 3.0 && scale <= noise { self.of_state(other, i, largest) } else { own };
            if state.digits < found.digits {
                (found.digits, found.state) = (state.digits, i);
            }
            found.lost = match (found.lost, state.lost) {
                (Some(a), Some(b)) => Some(f64::min(a, b)),
                (a, b) => a.or(b),
            };
        }
        found
    }

    /// The same for one state, in units of 2^scale.
    fn of_state(&self, other: &Samples, state: usize, scale: f64) -> Difference {
        let mut found = Difference { digits: ALL_DIGITS, state, lost: None };
        let parts = self.rows.len().max(2) as f64 - 1.0;
        for (k, (a, b)) in self.rows.iter().zip(&other.rows).enumerate() {
            let (Some(a), Some(b)) = (a, b) else { continue };
            let size = (a[state].clone() - b[state].clone()).log2();
            if size == f64::NEG_INFINITY {
                continue;
            }
            let digits = if scale.is_finite() && !size.is_nan() { (scale - size) * LOG10_2 } else { 0.0 };
            found.digits = found.digits.min(digits);
            if digits < 1.0 && found.lost.is_none() {
                found.lost = Some((k as f64 / parts).max(1.0 / parts));
            }
        }
        found
    }

    /// Whether both cover the same part of the run.
    pub fn reaches_as_far_as(&self, other: &Samples) -> bool {
        self.rows.iter().zip(&other.rows).all(|(a, b)| a.is_some() == b.is_some())
    }
}

/// What all runs of a search share: the one who may end them, and the work that is left to them.
pub(super) struct Allowance<'a> {
    sink: RefCell<&'a mut dyn RowSink>,
    interrupted: Cell<bool>,
    products: Cell<f64>,
    /// Digits and products of the last run beyond double precision.
    last: Cell<(f64, f64)>,
    stop: StopFlag,
}

impl<'a> Allowance<'a> {
    /// Rows are not given to the sink; it is only asked whether to go on.
    pub fn new(sink: &'a mut dyn RowSink, products: f64, stop: StopFlag) -> Allowance<'a> {
        Allowance {
            sink: RefCell::new(sink),
            interrupted: Cell::new(false),
            products: Cell::new(products),
            last: Cell::default(),
            stop,
        }
    }

    /// Whether somebody ended a run.
    pub fn interrupted(&self) -> bool {
        self.interrupted.get() || self.stop.is_raised()
    }

    /// Whether a run of so many digits, and one to compare it with, fits into a limit per run and into what is left: the order
    /// grows with the digits, the steps do not, so there are products as the square of the digits.
    pub fn affords(&self, digits: u32, limit: f64) -> bool {
        let (known, products) = self.last.get();
        let expected = products * (f64::from(digits) / known).powi(2) * weight(digits);
        expected <= limit && 2.0 * expected <= self.products.get()
    }

    fn keep_going(&self, t: f64) -> bool {
        let going = !self.interrupted.get() && !self.stop.is_raised() && self.sink.borrow_mut().keep_going(t);
        self.interrupted.set(!going);
        going
    }
}

/// Rows in memory, of a run that can be ended.
struct Held<'a, 's> {
    memory: Memory,
    allowance: &'a Allowance<'s>,
}

impl RowSink for Held<'_, '_> {
    fn begin(&mut self, names: &[String], stored: usize) -> Result<(), RowError> {
        self.memory.begin(names, stored)
    }

    fn row(&mut self, values: &[f64]) -> Result<(), RowError> {
        self.memory.row(values)
    }

    fn keep_going(&mut self, t: f64) -> bool {
        self.allowance.keep_going(t)
    }
}

/// Where solutions are compared.
pub(super) struct Grid<'a, 's> {
    pub compiled: &'a Compiled,
    pub allowance: &'a Allowance<'s>,
    pub parts: usize,
    pub range: (f64, f64),
}

impl Grid<'_, '_> {
    /// How many columns are compared: the states that the text names, or all that are stored if it names none.
    fn compared(&self) -> usize {
        match self.compiled.program.visible {
            0 => self.compiled.sorted.columns.len(),
            states => states,
        }
    }

    /// A run in double precision, and what it gives.
    pub fn doubles(&self, options: &RunOptions) -> Result<(Run, Samples), RunError> {
        let (from, to) = self.range;
        let time = |k: usize| if k == self.parts { to } else { from + (to - from) * (k as f64 / self.parts as f64) };
        let times: Vec<f64> = (0..=self.parts).map(time).collect();
        let texts = times.iter().map(|t| format!("{t:?}")).collect();
        let mut held = Held { memory: Memory::default(), allowance: self.allowance };
        let options = RunOptions { rows: RowTimes::At(texts), repeat: 1, error: ErrorWish::Off, ..options.clone() };
        let run = run::simulate(self.compiled, &options, &mut held)?;
        let memory = held.memory;
        let compared = self.compared();
        let column = memory.columns.first().map_or(&[][..], Vec::as_slice);
        let row = |t: &f64| {
            // after an event, where it falls on a row
            let k = column.iter().rposition(|known| known == t)?;
            Some(memory.columns[1..=compared].iter().map(|column| Big::splat(column[k])).collect())
        };
        Ok((run, Samples { rows: times.iter().map(row).collect(), noise: 53.0 - NOISE }))
    }

    /// The same beyond double precision, and why it ended early.
    pub fn precise(
        &self,
        options: &RunOptions,
        digits: u32,
        max_products: f64,
    ) -> Result<(Samples, Option<Reason>), RunError> {
        if digits <= DOUBLE_DOUBLE_DIGITS {
            self.collect::<DoubleDouble>(options, digits, max_products)
        } else {
            self.collect::<Big>(options, digits, max_products)
        }
    }

    fn collect<N: Constant>(
        &self,
        options: &RunOptions,
        digits: u32,
        max_products: f64,
    ) -> Result<(Samples, Option<Reason>), RunError> {
        let options = RunOptions { rows: RowTimes::Even(self.parts + 1), ..options.clone() };
        let mut session = Session::<N>::new(self.compiled, &options, digits)?;
        let times = crate::precise::Times::new(&options.rows, &session);
        let program = self.compiled.program.clone();
        let outputs = (program.visible == 0).then(|| PreciseProgram::new(program, session.bits)).flatten();
        let (compared, allowance) = (self.compared(), self.allowance);
        let mut collector = Collector { times, outputs, compared, rows: Vec::new(), allowance };
        let weight = weight(digits);
        let left = allowance.products.get();
        let outcome = session.run(&options, max_products.min(left) / weight, &mut collector);
        allowance.products.set(left - outcome.products * weight);
        allowance.last.set((f64::from(digits), outcome.products));
        let mut rows: Vec<Option<Vec<Big>>> = collector.rows.into_iter().map(Some).collect();
        rows.resize_with(self.parts + 1, || None);
        Ok((Samples { rows, noise: f64::from(digits) * LOG2_10 - NOISE }, outcome.reason))
    }
}

/// What a product of such numbers costs, in units of one of four limbs: they are multiplied limb by limb.
fn weight(digits: u32) -> f64 {
    (f64::from(digits) * LOG2_10 / 256.0).powi(2).max(1.0)
}

struct Collector<'a, 's, N> {
    times: crate::precise::Times<N>,
    /// Where no state is stored.
    outputs: Option<PreciseProgram<N>>,
    compared: usize,
    rows: Vec<Vec<Big>>,
    allowance: &'a Allowance<'s>,
}

impl<N: Constant> PreciseSink<N> for Collector<'_, '_, N> {
    fn row_time(&mut self, k: usize) -> Option<N> {
        self.times.get(k)
    }

    fn row(&mut self, t: &N, y: &[N]) -> ControlFlow<()> {
        let outputs = self.outputs.as_mut().map(|program| program.outputs(t, y));
        let values = outputs.as_deref().unwrap_or(y);
        self.rows.push(values[..self.compared].iter().map(N::to_big).collect());
        ControlFlow::Continue(())
    }

    fn step(&mut self, t: f64, _h: f64, _order: usize) -> ControlFlow<()> {
        if self.allowance.keep_going(t) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
