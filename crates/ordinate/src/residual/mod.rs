//! The equations as they were typed, held against what a run computes.
//!
//! Between the text and the rows the equations are sorted, differentiated, solved, transformed and compiled. At some points of every
//! run the sides of each typed equation are evaluated from the tree, with the states, their rates and the other values of the run, in
//! interval arithmetic; derivatives of expressions (`z'`) by differentiating the text. Two sides whose bounds have no number in common
//! say that the equations that were solved are not those of the text, whatever the method and its error estimate say.

mod series;
#[cfg(test)]
mod tests;
mod text;
mod values;

use crate::{Compiled, Note, NoteKind};
use ordinate_expr::Interval;
use ordinate_model::TextNames;
use ordinate_program::Evaluator;
use ordinate_solve::{AbsoluteTolerance, Options, System};
use ordinate_syntax::{Declaration, Expr, Name, NodeKind, Span, Statement, StatementKind, Target, Tree};
use rustc_hash::FxHashMap;
use series::Series;
use text::{Decisions, Evaluation, Names, Text};
pub(crate) use values::At;
use values::{Bounds, Place, Values};

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

/// A side of a typed equation.
#[derive(Clone, Copy)]
enum Side {
    Expression(Expr),
    /// The name of an output.
    Name(usize),
}

/// A typed equation, one for each pass of the loops around it.
struct Equation {
    left: Side,
    right: Expr,
    span: Span,
    /// Loop indices.
    bound: Vec<(Name, i64)>,
}

/// The comparison of one run.
pub(crate) struct TextCheck<'a> {
    compiled: &'a Compiled,
    typed: &'a Typed,
    places: Vec<Place>,
    equations: Vec<Equation>,
    targets: Vec<(Name, Vec<i64>)>,
    words: Text<'a>,
    in_order: FxHashMap<Span, bool>,
    /// How many derivatives of values the text needs that are no rates of states.
    order: u32,
    /// How often constraints were differentiated.
    reduced: u32,
    /// Points so far.
    points: u32,
    evaluator: Evaluator,
    /// What is left open of the states: of those that equations determine without a formula.
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

/// Names of which nothing is known but the parameters: for bounds of loops.
struct Constants<'a>(&'a Compiled, &'a TextNames, &'a [Place]);

impl Names<1> for Constants<'_> {
    fn variable(&mut self, name: Name, index: &[i64], primes: u32) -> Series<1> {
        let quantity = self.1.quantities.get(&(name, index.to_vec()));
        let place = quantity.and_then(|&quantity| values::anchor(self.0, self.2, quantity, primes));
        match place.map(|(var, _)| self.2[var.0 as usize]) {
            Some(Place::Parameter(value)) => Series::constant(Interval::point(value)),
            _ => Series::UNKNOWN,
        }
    }

    fn operator(&mut self, _place: Span, _k: usize) -> Series<1> {
        Series::UNKNOWN
    }
}

impl<'a> TextCheck<'a> {
    /// `None` where there is no text, or where what is solved is not meant to be it.
    pub fn new(compiled: &'a Compiled, evaluator: Evaluator, options: &Options, span: f64) -> Option<TextCheck<'a>> {
        let typed = compiled.typed.as_deref()?;
        let places = values::places(compiled);
        let words = Text::new(&typed.tree, &typed.text);
        let layout = evaluator.layout();
        let open = if layout.invariants > 0 || !layout.indices.is_empty() { layout.states } else { layout.algebraic };
        let mut check = TextCheck {
            compiled,
            typed,
            places,
            equations: Vec::new(),
            targets: Vec::new(),
            words,
            in_order: FxHashMap::default(),
            order: 0,
            reduced: 0,
            points: 0,
            evaluator,
            span,
            rtol: options.rtol,
            atol: options.atol.clone(),
            open,
            violation: None,
            not_compared: None,
        };
        check.collect(&typed.tree.statements, &mut Vec::new());
        check.order = check.needed_order();
        check.reduced = compiled.sorted.invariants.iter().map(|invariant| invariant.derivative + 1).max().unwrap_or(0);
        if !compiled.sorted.indices.is_empty() {
            // constraints are not differentiated then
            check.reduced = 0;
        }
        check.count_operators();
        Some(check)
    }

    fn collect(&mut self, statements: &[Statement], bound: &mut Vec<(Name, i64)>) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Equation { left, right, .. } => {
                    let left = Side::Expression(*left);
                    self.equations.push(Equation { left, right: *right, span: statement.span, bound: bound.clone() });
                }
                StatementKind::Output(list) => {
                    for Declaration { target, value, .. } in list {
                        if let Some(right) = value {
                            let target = self.target(target, bound);
                            self.targets.push(target);
                            let left = Side::Name(self.targets.len() - 1);
                            self.equations.push(Equation {
                                left,
                                right: *right,
                                span: statement.span,
                                bound: bound.clone(),
                            });
                        }
                    }
                }
                StatementKind::For { index, from, to, body, .. } => {
                    for k in self.constant(*from, bound)..=self.constant(*to, bound) {
                        bound.push((*index, k));
                        self.collect(body, bound);
                        bound.pop();
                    }
                }
                _ => {}
            }
        }
    }

    fn constant(&self, e: Expr, bound: &[(Name, i64)]) -> i64 {
        let mut names = Constants(self.compiled, &self.typed.names, &self.places);
        let mut evaluation = Evaluation::new(&self.words, &mut names, Interval::ZERO);
        evaluation.begin(bound_series(bound));
        evaluation.integer(e)
    }

    fn target(&self, target: &Target, bound: &[(Name, i64)]) -> (Name, Vec<i64>) {
        (target.name, target.index.iter().map(|e| self.constant(*e, bound)).collect())
    }

    /// The derivatives in the text that are neither states nor their rates, counted from what is.
    fn needed_order(&self) -> u32 {
        let tree = &self.typed.tree;
        let primed = tree.nodes.iter().filter_map(|node| match node.kind {
            NodeKind::Variable { name, primes, .. } if primes > 0 => Some((name, primes)),
            _ => None,
        });
        let mut most: FxHashMap<Name, u32> = FxHashMap::default();
        primed.for_each(|(name, primes)| {
            let known = most.entry(name).or_default();
            *known = primes.max(*known);
        });
        if most.is_empty() {
            return 0;
        }
        let needs = |((name, _), quantity): (&(Name, Vec<i64>), &usize)| {
            let primes = most.get(name)?;
            (1..=*primes).filter_map(|p| Some(values::anchor(self.compiled, &self.places, *quantity, p)?.1)).max()
        };
        self.typed.names.quantities.iter().filter_map(needs).max().unwrap_or(0)
    }

    /// Whether operators with several meanings are evaluated in the order in which these were made.
    fn count_operators(&mut self) {
        let several: Vec<Span> =
            self.typed.names.operators.iter().filter(|(_, known)| known.len() > 1).map(|(span, _)| *span).collect();
        if several.is_empty() {
            return;
        }
        let mut names = Constants(self.compiled, &self.typed.names, &self.places);
        let mut evaluation = Evaluation::new(&self.words, &mut names, Interval::ZERO);
        for equation in &self.equations {
            evaluation.begin(bound_series(&equation.bound));
            if let Side::Expression(left) = equation.left {
                evaluation.expression(left);
            }
            evaluation.expression(equation.right);
        }
        let counts = evaluation.counts();
        let known = &self.typed.names.operators;
        self.in_order =
            several.into_iter().map(|span| (span, counts.get(&span) == Some(&known[&span].len()))).collect();
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

    fn tolerances(&self, at: &At, factor: f64, open: usize) -> Vec<f64> {
        let first = at.y.len() - open;
        let of = |(k, y): (usize, &f64)| if k < first { 0.0 } else { factor * (self.rtol * y.abs() + self.atol.of(k)) };
        at.y.iter().enumerate().map(of).collect()
    }

    fn compare<const N: usize>(&mut self, at: &At) -> Option<Violation> {
        let typed = self.typed;
        let solved = self.tolerances(at, 1.0, self.open);
        let bounds = Bounds::usual(&mut self.evaluator, at, &solved);
        let now = Interval::point(at.t);
        let mut suspicious: Vec<(usize, FxHashMap<Span, usize>)> = Vec::new();
        let mut without_value = None;
        {
            let mut values = Values::<N>::new(self.compiled, &typed.names, &self.places, &self.in_order, bounds, now);
            let mut evaluation = Evaluation::new(&self.words, &mut values, now);
            let with_operators = !typed.names.operators.is_empty();
            // of many equations some at each point, all of them in the course of a run
            let parts = (self.equations.len() / MOST_AT_ONCE).clamp(1, POINTS);
            let turn = self.points as usize % parts;
            for (k, equation) in self.equations.iter().enumerate().filter(|(k, _)| k % parts == turn) {
                let before = if with_operators { evaluation.counts() } else { FxHashMap::default() };
                match sides(&mut evaluation, equation, &self.targets) {
                    [left, right] if !left.value().is_bounded() || !right.value().is_bounded() => {
                        // beside an event the program may have no rate where the text has a value
                        let alone = |side: Side| match side {
                            Side::Name(_) => true,
                            Side::Expression(e) => matches!(typed.tree.node(e.root).kind, NodeKind::Variable { .. }),
                        };
                        let lacks = |side: Side, value: &Series<N>| !alone(side) && !value.value().is_bounded();
                        if lacks(equation.left, &left) || lacks(Side::Expression(equation.right), &right) {
                            without_value = without_value.or(Some(equation.span));
                        }
                    }
                    [left, right] if disjoint(&left, &right).is_some() => suspicious.push((k, before)),
                    _ => {}
                }
            }
        }
        if self.not_compared.is_none() {
            self.not_compared = without_value.map(|span| (span, at.t));
        }
        if suspicious.is_empty() {
            return None;
        }
        self.compare_closely::<N>(at, &suspicious)
    }

    /// What seems to differ is compared with bounds for what rounding does to the values, and with conditions open near their border:
    /// at an event and beside it the solution is on either side.
    fn compare_closely<const N: usize>(
        &mut self,
        at: &At,
        suspicious: &[(usize, FxHashMap<Span, usize>)],
    ) -> Option<Violation> {
        let typed = self.typed;
        let solved = self.tolerances(at, 1.0, self.open);
        let near = self.tolerances(at, NEAR, at.y.len());
        let mut bounds = Bounds::usual(&mut self.evaluator, at, &solved);
        // a crossing of time alone is known to the last place
        let (now, by) = (Interval::point(at.t), INSTANT * self.span.max(at.t.abs()));
        let about = Interval::new(at.t - by, at.t + by);
        let discrete = self.compiled.program.layout.discrete();
        let delayed = |size: f64| NEAR * (self.rtol * size + self.atol.of(0));
        let within = Bounds::loose(at, &solved, discrete, |_| 0.0);
        Values::<1>::new(self.compiled, &typed.names, &self.places, &self.in_order, within, now).widen(&mut bounds);
        let mut loose = Values::<1>::new(
            self.compiled,
            &typed.names,
            &self.places,
            &self.in_order,
            Bounds::loose(at, &near, discrete, delayed),
            about,
        );
        let mut values = Values::<N>::new(self.compiled, &typed.names, &self.places, &self.in_order, bounds, now);
        let largest = bounds_size(&values);
        let slack = DRIFT * (self.rtol * largest + (0..at.y.len()).map(|k| self.atol.of(k)).fold(0.0, f64::max));
        suspicious.iter().find_map(|(k, counts)| {
            let equation = &self.equations[*k];
            let mut open = Evaluation::new(&self.words, &mut loose, about);
            open.decisions = Decisions::Record(Vec::new());
            open.count_from(counts);
            sides(&mut open, equation, &self.targets);
            let Decisions::Record(decisions) = open.decisions else { unreachable!("it records") };
            let mut evaluation = Evaluation::new(&self.words, &mut values, now);
            evaluation.decisions = Decisions::Replay(decisions, 0);
            evaluation.count_from(counts);
            let [left, right] = sides(&mut evaluation, equation, &self.targets);
            let derivative = disjoint(&left, &right)?;
            // states are on differentiated constraints within a tolerance, and their rates follow from them
            let apart = left.0[derivative].minus(right.0[derivative]);
            if derivative > 0 && self.open > 0 && apart.low.abs().min(apart.high.abs()) <= slack {
                return None;
            }
            let factorial: f64 = (1..=derivative).map(|k| k as f64).product();
            Some(Violation {
                line: ordinate_syntax::line_column(&typed.text, equation.span.start).0,
                text: self.as_typed(equation),
                t: at.t,
                sides: [left, right].map(|side| side.0[derivative].middle() * factorial),
                derivative,
            })
        })
    }

    fn as_typed(&self, equation: &Equation) -> String {
        let typed = &self.typed.text[equation.span.start as usize..equation.span.end as usize];
        let indices: Vec<String> =
            equation.bound.iter().map(|(name, k)| format!("{} = {k}", self.typed.tree.name(*name))).collect();
        let indices = if indices.is_empty() { String::new() } else { format!(" ({})", indices.join(", ")) };
        format!("{}{indices}", as_one_line(typed))
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

fn bound_series<const N: usize>(bound: &[(Name, i64)]) -> Vec<(Name, Series<N>)> {
    bound.iter().map(|(name, k)| (*name, Series::integer(*k))).collect()
}

fn sides<const N: usize>(
    evaluation: &mut Evaluation<N>,
    equation: &Equation,
    targets: &[(Name, Vec<i64>)],
) -> [Series<N>; 2] {
    evaluation.begin(bound_series(&equation.bound));
    let left = match equation.left {
        Side::Expression(left) => evaluation.expression(left),
        Side::Name(k) => evaluation.names.variable(targets[k].0, &targets[k].1, 0),
    };
    [left, evaluation.expression(equation.right)]
}

/// The first derivative in which two sides have no number in common.
fn disjoint<const N: usize>(left: &Series<N>, right: &Series<N>) -> Option<usize> {
    left.0.iter().zip(&right.0).position(|(a, b)| a.high < b.low || b.high < a.low)
}
