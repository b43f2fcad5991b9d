//! A model in the precision of a run: its program, its times and its start values.

use crate::start::{StartValues, given_states};
use crate::{Compiled, RowTimes, RunError, RunOptions};
use ordinate_expr::{Decimal, ExprId};
use ordinate_model::{Sorted, read_constant};
use ordinate_program::{Constant, Evaluator, PreciseProgram, compile_constants, constant_outputs};
use ordinate_solve::{PreciseOptions, PreciseOutcome, PreciseSink, solve_precise};
use std::f64::consts::LOG2_10;

/// Digits that are computed and not shown: what the roundings of many steps add up to.
const GUARD_DIGITS: u32 = 5;

/// What keeps a model from other precisions, in words; `None` if nothing does.
pub(crate) fn obstacle(compiled: &Compiled) -> Option<String> {
    let layout = &compiled.program.layout;
    if layout.algebraic > 0 {
        return Some("the model has algebraic equations that are solved by iteration".into());
    }
    if !layout.delays.is_empty() {
        return Some("the model has a `delay`, whose past is kept in doubles".into());
    }
    if !compiled.sorted.model.lists.is_empty() {
        return Some("the model has an input from a file, whose numbers are doubles".into());
    }
    if !layout.sampled.is_empty() {
        return Some("the model has sampled actions (`every`)".into());
    }
    if !layout.switches.is_empty() || layout.held > 0 {
        return Some("the model has switches or events (`if`, `abs`, `when`, …), which are located in doubles".into());
    }
    if given_states(compiled).contains(&false) {
        return Some(
            "start values of this model follow from its equations by an iteration in double precision (unless those of all states are given)".into(),
        );
    }
    let program = PreciseProgram::<f64>::new(compiled.program.clone(), 53);
    program.is_none().then(|| "the right-hand side of the model has no Taylor series".into())
}

/// A model in the precision of a run.
pub(crate) struct Session<N> {
    pub program: PreciseProgram<N>,
    pub digits: u32,
    pub bits: usize,
    pub t_start: N,
    pub t_end: N,
    pub y: Vec<N>,
    /// Times of rows that were given one by one.
    pub at: Vec<N>,
}

impl<N: Constant> Session<N> {
    /// For numbers of so many digits. The options must make sense in double precision.
    pub fn new(compiled: &Compiled, options: &RunOptions, digits: u32) -> Result<Session<N>, RunError> {
        let bits = (f64::from(digits + GUARD_DIGITS) * LOG2_10).ceil() as usize;
        let Times::<N> { t_start, t_end, at } = times(compiled, options, bits)?;
        let start = t_start.to_f64();
        // for its messages about start values
        let given = StartValues::new(compiled, &mut Evaluator::new(compiled.program.clone()), start)?;
        let program = PreciseProgram::new(compiled.program.clone(), bits);
        let mut program = program.ok_or_else(|| RunError::Usage("this model has no series".into()))?;
        let values = program.starts(&t_start);
        let y = values[..compiled.program.layout.states].to_vec();
        let session = Session { program, digits, bits, t_start, t_end, y, at };
        session.checked(compiled, &given)
    }

    /// The equations that start values must fulfil, if there are any, must hold in all digits: they cannot be improved by
    /// an iteration in double precision.
    fn checked(mut self, compiled: &Compiled, given: &StartValues) -> Result<Session<N>, RunError> {
        let usage = |text: String| Err(RunError::Usage(text));
        if compiled.program.layout.invariants > 0 {
            let kept = self.program.invariants(&self.t_start, &self.y);
            let size = self.y.iter().map(N::log2).fold(0.0, f64::max);
            let worst = kept.iter().map(N::log2).fold(f64::NEG_INFINITY, f64::max);
            if worst > size - (f64::from(self.digits) - 2.0) * LOG2_10 {
                return usage(format!(
                    "the start values violate a constraint of the model by {:.1e}, too much for {} digits: give them exactly, e.g. as expressions",
                    worst.exp2(),
                    self.digits
                ));
            }
        }
        let outputs = self.program.outputs(&self.t_start, &self.y);
        for (column, name, value) in &given.checks {
            let found = outputs[*column].to_f64();
            if (found - value).abs() > 1e-6 * value.abs().max(1.0) || found.is_nan() {
                return usage(format!(
                    "the start value {value} of `{name}` contradicts the equations, which give {found}"
                ));
            }
        }
        Ok(self)
    }

    /// Integrates from start to end; a run that costs more products than this ends early.
    pub fn run(&mut self, options: &RunOptions, max_products: f64, sink: &mut dyn PreciseSink<N>) -> PreciseOutcome<N> {
        let wishes = PreciseOptions {
            digits: f64::from(self.digits) + 1.0,
            bits: self.bits,
            order: options.order.map(|order| order as usize),
            step: options.step.map(|h| as_written(h, self.bits)),
            max_steps: options.max_steps,
            max_products,
            every_step: options.rows == RowTimes::Steps,
            pulses: self.program.pulses(),
        };
        solve_precise(&mut self.program, self.t_start.clone(), self.y.clone(), &self.t_end, &wishes, sink)
    }
}

/// A number of the command line with the digits that it was written with: 0.1 is a tenth.
pub(crate) fn as_written<N: Constant>(x: f64, bits: usize) -> N {
    let pieces = Decimal::parse(&format!("{:?}", x.abs())).filter(|pieces| pieces.len() == 1);
    let Some((mantissa, exponent)) = pieces.map(|pieces| pieces[0].parts()) else { return N::exact(x, bits) };
    N::decimal(if x < 0.0 { -mantissa } else { mantissa }, exponent, bits)
}

struct Times<N> {
    t_start: N,
    t_end: N,
    at: Vec<N>,
}

/// Start, end and given rows in the precision of the run.
fn times<N: Constant>(compiled: &Compiled, options: &RunOptions, bits: usize) -> Result<Times<N>, RunError> {
    let mut sorted = Sorted::clone(&compiled.sorted);
    let names: Vec<(String, _)> =
        sorted.model.parameters.iter().map(|given| (sorted.model.name(given.var), given.var)).collect();
    let model = &mut sorted.model;
    let own = model.run;
    let zero = model.graph.integer(0);
    let mut read = |text: &str| -> Result<ExprId, RunError> {
        let mut name = |g: &mut ordinate_expr::Graph, name: &str| {
            names.iter().find(|(known, _)| known == name).map(|(_, var)| g.variable(*var))
        };
        read_constant(&mut model.graph, text, &mut name)
            .ok_or_else(|| RunError::Usage(format!("`{text}` is not a constant")))
    };
    let mut roots = vec![match (&options.t_start, own) {
        (Some(text), _) => read(text)?,
        (None, Some((from, _))) => from,
        (None, None) => zero,
    }];
    roots.push(match (&options.t_end, own) {
        (Some(text), _) => read(text)?,
        (None, Some((_, to))) => to,
        (None, None) => return Err(RunError::NoEndTime),
    });
    if let RowTimes::At(texts) = &options.rows {
        for text in texts {
            roots.push(read(text)?);
        }
    }
    let program = compile_constants(&mut sorted, &roots);
    let mut values: Vec<N> = constant_outputs(&program, bits);
    let mut at = values.split_off(2);
    at.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    at.dedup();
    let t_end = values.pop().expect("two times");
    let t_start = values.pop().expect("two times");
    // a row at the end may be written in other words than the end
    at.iter_mut().filter(|t| **t > t_end).for_each(|t| *t = t_end.clone());
    Ok(Times { t_start, t_end, at })
}
