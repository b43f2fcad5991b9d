//! Solutions at a number of times, to be compared with each other.

use crate::precise::{DOUBLE_DOUBLE_DIGITS, Session};
use crate::{Compiled, Memory, RowTimes, Run, RunError, RunOptions, run};
use ordinate_program::Constant;
use ordinate_solve::{Arithmetic, Big, DoubleDouble, Precise, PreciseSink, Reason};
use std::f64::consts::LOG10_2;
use std::ops::ControlFlow;

/// The stored states at the times k/parts of the run, as far as it got.
pub(super) struct Samples {
    rows: Vec<Option<Vec<Big>>>,
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
        let mut found = Difference { digits: ALL_DIGITS, state: 0, lost: None };
        let parts = self.rows.len().max(2) as f64 - 1.0;
        for (k, (a, b)) in self.rows.iter().zip(&other.rows).enumerate() {
            let (Some(a), Some(b)) = (a, b) else { continue };
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                let size = (a.clone() - b.clone()).log2();
                if size == f64::NEG_INFINITY {
                    continue;
                }
                // what should be zero all the time and is not has no digit
                let digits = if scales[i].is_finite() { (scales[i] - size) * LOG10_2 } else { 0.0 };
                if digits < found.digits || digits.is_nan() {
                    (found.digits, found.state) = (if digits.is_nan() { 0.0 } else { digits }, i);
                }
                if digits < 1.0 && found.lost.is_none() {
                    found.lost = Some((k as f64 / parts).max(1.0 / parts));
                }
            }
        }
        found
    }

    /// Whether both cover the same part of the run.
    pub fn reaches_as_far_as(&self, other: &Samples) -> bool {
        self.rows.iter().zip(&other.rows).all(|(a, b)| a.is_some() == b.is_some())
    }
}

/// Where solutions are compared.
pub(super) struct Grid<'a> {
    pub compiled: &'a Compiled,
    pub parts: usize,
    pub range: (f64, f64),
}

impl Grid<'_> {
    /// A run in double precision, and what it gives.
    pub fn doubles(&self, options: &RunOptions) -> Result<(Run, Samples), RunError> {
        let (from, to) = self.range;
        let time = |k: usize| if k == self.parts { to } else { from + (to - from) * (k as f64 / self.parts as f64) };
        let times: Vec<f64> = (0..=self.parts).map(time).collect();
        let texts = times.iter().map(|t| format!("{t:?}")).collect();
        let mut memory = Memory::default();
        let options = RunOptions { rows: RowTimes::At(texts), repeat: 1, ..options.clone() };
        let run = run::simulate(self.compiled, &options, &mut memory)?;
        let states = self.compiled.program.visible;
        let column = memory.columns.first().map_or(&[][..], Vec::as_slice);
        let row = |t: &f64| {
            // after an event, where it falls on a row
            let k = column.iter().rposition(|known| known == t)?;
            Some(memory.columns[1..=states].iter().map(|column| Big::splat(column[k])).collect())
        };
        Ok((run, Samples { rows: times.iter().map(row).collect() }))
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
        let mut collector = Collector { times, states: self.compiled.program.visible, rows: Vec::new() };
        let outcome = session.run(&options, max_products, &mut collector);
        let mut rows: Vec<Option<Vec<Big>>> = collector.rows.into_iter().map(Some).collect();
        rows.resize_with(self.parts + 1, || None);
        Ok((Samples { rows }, outcome.reason))
    }
}

struct Collector<N> {
    times: crate::precise::Times<N>,
    states: usize,
    rows: Vec<Vec<Big>>,
}

impl<N: Constant> PreciseSink<N> for Collector<N> {
    fn row_time(&mut self, k: usize) -> Option<N> {
        self.times.get(k)
    }

    fn row(&mut self, _t: &N, y: &[N]) -> ControlFlow<()> {
        self.rows.push(y[..self.states].iter().map(N::to_big).collect());
        ControlFlow::Continue(())
    }

    fn step(&mut self, _t: f64, _h: f64, _order: usize) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
