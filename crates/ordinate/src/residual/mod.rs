//! The equations as they were typed, held against what a run computes.
//!
//! Between the text and the rows the equations are sorted, differentiated, solved, transformed and compiled. At some points of every
//! run the sides of each typed equation are evaluated from the tree, with the states, their rates and the other values of the run, in
//! interval arithmetic; derivatives of expressions (`z'`) by differentiating the text. Two sides whose bounds have no number in common
//! say that the equations that were solved are not those of the text, whatever the method and its error estimate say.

mod bounds;
mod code;
mod equations;
mod machine;
mod series;
#[cfg(test)]
mod tests;
mod values;

use crate::{Compiled, Note, NoteKind};
pub(crate) use bounds::At;
use bounds::{Bounds, Results};
use equations::Equations;
use machine::{Decisions, Machine};
use ordinate_expr::{Interval, VarId};
use ordinate_model::TextNames;
use ordinate_program::Evaluator;
use ordinate_solve::{AbsoluteTolerance, Options, System};
use ordinate_syntax::{Span, Tree};
use series::Series;
use std::sync::Arc;
use values::{Place, Values};

/// A text as it was typed, and what its names stand for in the model.
#[derive(Debug)]
pub(crate) struct Typed {
    pub tree: Tree,
    pub text: String,
    pub names: TextNames,
}

/// An equation that the computed values do not satisfy.
#[derive(Clone, Debug)]
pub(crate) struct Violation {
    pub line: usize,
    /// The equation as typed.
    pub text: String,
    pub t: f64,
    /// The values of its sides; of their first derivative that differs.
    pub sides: [f64; 2],
    /// How often the sides are differentiated.
    pub derivative: usize,
}

/// The comparison of one run.
pub(crate) struct TextCheck<'a> {
    compiled: &'a Compiled,
    typed: &'a Typed,
    places: Arc<[Place]>,
    equations: Equations<'a>,
    /// How many derivatives of values the text needs that are no rates of states.
    order: u32,
    /// How often constraints were differentiated.
    reduced: u32,
    /// Points so far.
    points: u32,
    results: Results,
    bounds: Bounds,
    /// The length of the run.
    span: f64,
    rtol: f64,
    atol: AbsoluteTolerance,
    /// So many states are solved for only as well as a tolerance asks, the last ones.
    open: usize,
    pub violation: Option<Violation>,
    /// The place and time of the first equation that had no value.
    pub not_compared: Option<(Span, f64)>,
}

/// Derivatives that can be compared.
const MOST: u32 = 7;
/// A mistake of the index reduction shows in the derivatives of constraints, at one point as at another: these are looked at.
const DIFFERENTIATED: [u32; 2] = [0, 3];
/// More equations than this are compared by turns, at as many points as a run without events has.
const MOST_AT_ONCE: usize = 1000;
const POINTS: usize = 10;
/// Conditions may differ where what they compare is within so many tolerances of their border.
const NEAR: f64 = 10.0;

/// A derivative of a constraint is zero within so many tolerances of the states.
const DRIFT: f64 = 1e3;
/// Times this part of a run apart are one instant.
const INSTANT: f64 = 1e-12;

impl<'a> TextCheck<'a> {
    /// `None` where there is no text, or where what is solved is not meant to be it.
    pub fn new(compiled: &'a Compiled, evaluator: Evaluator, options: &Options, span: f64) -> Option<TextCheck<'a>> {
        let typed = compiled.typed.as_deref()?;
        let equations = Equations::new(compiled, typed);
        let layout = evaluator.layout();
        let open = if layout.invariants > 0 || !layout.indices.is_empty() { layout.states } else { layout.algebraic };
        let differentiated = compiled.sorted.invariants.iter().map(|invariant| invariant.derivative + 1).max();
        // with `--index direct` constraints are not differentiated
        let reduced = if compiled.sorted.indices.is_empty() { differentiated.unwrap_or(0) } else { 0 };
        Some(TextCheck {
            compiled,
            typed,
            order: equations.needed_order(),
            places: equations.places.clone(),
            equations,
            reduced,
            points: 0,
            results: Results::new(evaluator),
            bounds: Bounds::default(),
            span,
            rtol: options.rtol,
            atol: options.atol.clone(),
            open,
            violation: None,
            not_compared: None,
        })
    }

    /// Compares all equations at a point; returns whether they hold there.
    pub fn holds(&mut self, at: &At) -> bool {
        if self.violation.is_some() || at.y.iter().any(|y| !y.is_finite()) {
            return self.violation.is_none();
        }
        let differentiated = if DIFFERENTIATED.contains(&self.points) { self.reduced } else { 0 };
        self.points += 1;
        self.violation = match self.order.max(differentiated) {
            0 => self.compare::<1>(at),
            1 => self.compare::<2>(at),
            2 => self.compare::<3>(at),
            3 => self.compare::<4>(at),
            4..=MOST => self.compare::<8>(at),
            _ => None,
        };
        self.violation.is_none()
    }

    /// What is to be said of equations that were not compared.
    pub fn note(&self) -> Option<Note> {
        let (span, t) = self.not_compared?;
        let line = ordinate_syntax::line_column(&self.typed.text, span.start).0;
        let text = as_one_line(&self.typed.text[span.start as usize..span.end as usize]);
        let message = format!(
            "line {line} was not compared with the result at t = {}: `{text}` has no finite value there as typed",
            crate::short(t)
        );
        Some(Note { kind: NoteKind::Unchecked, message, t: Some(t), line: Some(line) })
    }

    /// Of the last `open` states; an empty list where there are none.
    fn tolerances(&self, at: &At, factor: f64, open: usize) -> Vec<f64> {
        if open == 0 {
            return Vec::new();
        }
        let first = at.y.len() - open;
        let of = |(k, y): (usize, &f64)| if k < first { 0.0 } else { factor * (self.rtol * y.abs() + self.atol.of(k)) };
        at.y.iter().enumerate().map(of).collect()
    }

    fn compare<const N: usize>(&mut self, at: &At) -> Option<Violation> {
        let typed = self.typed;
        let solved = self.tolerances(at, 1.0, self.open);
        let mut bounds = std::mem::take(&mut self.bounds);
        bounds.usual(&mut self.results, at, &solved);
        let now = Interval::point(at.t);
        let mut values = Values::<N>::new(self.compiled, &typed.names, &self.places, bounds, now);
        let mut machine = Machine::<N>::new(now);
        // of many equations some at each point, all of them in the course of a run
        let parts = (self.equations.len() / MOST_AT_ONCE).clamp(1, POINTS);
        let (mut suspicious, mut without_value) = (Vec::new(), None);
        for k in (self.points as usize % parts..self.equations.len()).step_by(parts) {
            let equation = self.equations.ready(k);
            let sides = equation.sides(&mut machine, &mut values);
            if !sides.iter().all(|side| side.value().is_bounded()) {
                // beside an event the program may have no rate where the text has a value
                let lacks = |side: usize| !sides[side].value().is_bounded() && !equation.is_name(side);
                if lacks(0) || lacks(1) {
                    without_value = without_value.or(Some(k));
                }
            } else if disjoint(&sides).is_some() {
                suspicious.push(k);
            }
        }
        self.bounds = values.into_bounds();
        if self.not_compared.is_none() {
            self.not_compared = without_value.map(|k| (self.equations.span(k), at.t));
        }
        if suspicious.is_empty() {
            return None;
        }
        self.compare_closely::<N>(at, &suspicious)
    }

    /// What seems to differ is compared with bounds for what rounding does to the values, and with conditions open near their border:
    /// at an event and beside it the solution is on either side.
    fn compare_closely<const N: usize>(&mut self, at: &At, suspicious: &[usize]) -> Option<Violation> {
        let (compiled, typed) = (self.compiled, self.typed);
        let solved = self.tolerances(at, 1.0, self.open);
        let near = self.tolerances(at, NEAR, at.y.len());
        let mut bounds = Bounds::default();
        bounds.usual(&mut self.results, at, &solved);
        // a crossing of time alone is known to the last place
        let (now, by) = (Interval::point(at.t), INSTANT * self.span.max(at.t.abs()));
        let about = Interval::new(at.t - by, at.t + by);
        let discrete = compiled.program.layout.discrete();
        let delayed = |size: f64| NEAR * (self.rtol * size + self.atol.of(0));
        let within = Bounds::loose(at, &solved, discrete, |_| 0.0);
        // (derivatives follow from all rates)
        let wanted = (N == 1)
            .then(|| suspicious.iter().flat_map(|&k| self.equations.ready(k).variables()).collect::<Vec<VarId>>());
        Values::<1>::new(compiled, &typed.names, &self.places, within, now).widen(&mut bounds, wanted.as_deref());
        let within = Bounds::loose(at, &near, discrete, delayed);
        let mut loose = Values::<1>::new(compiled, &typed.names, &self.places, within, about);
        let mut values = Values::<N>::new(compiled, &typed.names, &self.places, bounds, now);
        let largest = bounds_size(&values);
        let slack = DRIFT * (self.rtol * largest + (0..at.y.len()).map(|k| self.atol.of(k)).fold(0.0, f64::max));
        suspicious.iter().find_map(|&k| {
            let equation = self.equations.ready(k);
            let mut open = Machine::<1>::new(about);
            open.decisions = Decisions::Record(Vec::new());
            equation.sides(&mut open, &mut loose);
            let Decisions::Record(decisions) = open.decisions else { unreachable!("it records") };
            let mut machine = Machine::<N>::new(now);
            machine.decisions = Decisions::Replay(decisions, 0);
            let sides = equation.sides(&mut machine, &mut values);
            let derivative = disjoint(&sides)?;
            // states are on differentiated constraints within a tolerance, and their rates follow from them
            let apart = sides[0].0[derivative].minus(sides[1].0[derivative]);
            if derivative > 0 && self.open > 0 && apart.low.abs().min(apart.high.abs()) <= slack {
                return None;
            }
            let factorial: f64 = (1..=derivative).map(|k| k as f64).product();
            Some(Violation {
                line: ordinate_syntax::line_column(&typed.text, self.equations.span(k).start).0,
                text: self.equations.as_typed(k),
                t: at.t,
                sides: sides.map(|side| side.0[derivative].middle() * factorial),
                derivative,
            })
        })
    }
}

/// The largest state or rate.
fn bounds_size<const N: usize>(values: &Values<N>) -> f64 {
    let all = values.bounds().y.iter().chain(&values.bounds().rates);
    all.map(|value| value.size()).filter(|size| size.is_finite()).fold(0.0, f64::max)
}

fn as_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// The first derivative in which two sides have no number in common.
fn disjoint<const N: usize>([left, right]: &[Series<N>; 2]) -> Option<usize> {
    (0..N).find(|&k| left.0[k].high < right.0[k].low || right.0[k].high < left.0[k].low)
}
