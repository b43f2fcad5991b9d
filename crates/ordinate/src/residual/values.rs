//! What the names of a text are at a point of a solution: states and their rates, algebraic and named values as the program has them,
//! the rest by the formulas of the model; with bounds.

use super::series::Series;
use super::text::Names;
use crate::Compiled;
use ordinate_expr::{Expr, ExprId, Interval, VarId};
use ordinate_model::{Role, TextNames};
use ordinate_program::Evaluator;
use ordinate_solve::{Mixture, System};
use ordinate_syntax::{Name, Span};
use rustc_hash::FxHashMap;

/// A point of a solution as the sink of a run gets it.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    pub t: f64,
    pub y: &'a [f64],
    pub d: &'a [f64],
    pub sliding: Option<&'a Mixture>,
}

/// Where the value of a variable is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    State(usize),
    /// The rate of a state.
    Rate(usize),
    /// A result of the program beside the states.
    Output(usize),
    /// A mode, a held or a delayed value.
    Discrete(usize),
    Parameter(f64),
    /// By its formula, if it has one.
    Formula,
}

/// Where the values of all variables are found.
pub(super) fn places(compiled: &Compiled) -> Vec<Place> {
    let sorted = &compiled.sorted;
    let model = &sorted.model;
    let mut places = vec![Place::Formula; model.variables.len()];
    for (&var, &value) in &model.values {
        places[var.0 as usize] = Place::Parameter(value);
    }
    for (k, &var) in sorted.columns.iter().enumerate() {
        if model.variable(var).primes == 0 {
            places[var.0 as usize] = Place::Output(k);
        }
    }
    let held = (0..model.variables.len()).filter(|&v| model.variables[v].role == Role::Held);
    let modes = model.switches.iter().map(|switch| switch.mode.0 as usize);
    let delayed = model.delays.iter().map(|delayed| delayed.var.0 as usize);
    for (k, var) in modes.chain(held).chain(delayed).enumerate() {
        places[var] = Place::Discrete(k);
    }
    // (the members of a quantity, not the variable of the rate: a transformed model has one of its own)
    for (k, state) in sorted.states.iter().enumerate() {
        let variable = model.variable(state.var);
        let members = &model.quantities[variable.quantity].members;
        if let Some(&Some(rate)) = members.get(variable.primes as usize + 1) {
            places[rate.0 as usize] = Place::Rate(k);
        }
    }
    let states = sorted.states.iter().map(|state| state.var);
    let algebraic = sorted.algebraic.iter().map(|algebraic| algebraic.var);
    for (k, var) in states.chain(algebraic).enumerate() {
        places[var.0 as usize] = Place::State(k);
    }
    places
}

/// Bounds of what a program computes at a point.
#[derive(Clone, Default)]
pub(super) struct Bounds {
    pub y: Vec<Interval>,
    pub rates: Vec<Interval>,
    pub outputs: Vec<Interval>,
    pub d: Vec<Interval>,
}

/// A result of the program is as good as this part of it, unless digits cancel: then it is compared more closely.
const USUAL: f64 = 1e-10;
/// Digits of a state that rounding may have taken where it was put on its equations.
const LAST_PLACES: f64 = 4.0 * f64::EPSILON;
/// A program may compute a formula in another order: rounding may do so many times what it does to the formula.
const ROUNDING: f64 = 16.0;

fn around(value: f64, by: f64) -> Interval {
    if value.is_nan() || by.is_nan() { Interval::ALL } else { Interval::new(value - by, value + by) }
}

impl Bounds {
    /// Rates and outputs at a point, each within [`USUAL`]; algebraic states within `tolerance`.
    pub fn usual(evaluator: &mut Evaluator, at: &At, tolerance: &[f64]) -> Bounds {
        let (rates, outputs, d) = results(evaluator, at);
        let wide = |value: &Interval| Interval {
            low: value.low - USUAL * value.low.abs(),
            high: value.high + USUAL * value.high.abs(),
        };
        Bounds {
            y: at
                .y
                .iter()
                .zip(tolerance)
                .map(|(y, tolerance)| around(*y, *tolerance + LAST_PLACES * y.abs()))
                .collect(),
            rates: rates.iter().map(wide).collect(),
            outputs: outputs.iter().map(wide).collect(),
            d,
        }
    }

    /// Everything that is not a state by its formula, and the states within a tolerance; delayed values, behind the first
    /// `discrete` ones of d, within that of what they are.
    pub fn loose(at: &At, tolerance: &[f64], discrete: usize, delayed: impl Fn(f64) -> f64) -> Bounds {
        let y = at.y.iter().zip(tolerance).map(|(y, tolerance)| around(*y, *tolerance)).collect();
        let mut d = sides(at);
        for d in d.iter_mut().skip(discrete) {
            let by = delayed(d.size());
            *d = Interval::new(d.low - by, d.high + by);
        }
        Bounds { y, rates: Vec::new(), outputs: Vec::new(), d }
    }
}

/// d; while the solution slides between all sides.
fn sides(at: &At) -> Vec<Interval> {
    let mut d: Vec<Interval> = at.d.iter().map(|d| Interval::point(*d)).collect();
    if let Some(mixture) = at.sliding {
        for side in mixture.parts.iter().map(|(_, d)| d).chain([&mixture.base]) {
            d.iter_mut().zip(side).for_each(|(d, side)| *d = d.hull(Interval::point(*side)));
        }
    }
    d
}

/// Rates, outputs and d at a point. While the solution slides, rates are the mixture, and outputs are between all sides.
fn results(evaluator: &mut Evaluator, at: &At) -> (Vec<Interval>, Vec<Interval>, Vec<Interval>) {
    let (states, outputs) = (at.y.len(), evaluator.program().outputs.results.len());
    let (mut rates, mut values) = (vec![0.0; states], vec![0.0; outputs]);
    let point = |values: &[f64]| values.iter().map(|v| around(*v, 0.0)).collect::<Vec<Interval>>();
    let Some(mixture) = at.sliding else {
        evaluator.derivative(at.t, at.y, at.d, &mut rates);
        evaluator.outputs(at.t, at.y, at.d, &mut values);
        return (point(&rates), point(&values), sides(at));
    };
    mixture.mix(&mut |d, rates| evaluator.derivative(at.t, at.y, d, rates), &mut rates);
    let mut hull: Option<Vec<Interval>> = None;
    for side in mixture.parts.iter().map(|(_, d)| d).chain([&mixture.base]) {
        evaluator.outputs(at.t, at.y, side, &mut values);
        hull = Some(match hull {
            None => point(&values),
            Some(hull) => hull.iter().zip(point(&values)).map(|(a, b)| a.hull(b)).collect(),
        });
    }
    (point(&rates), hull.unwrap_or_default(), sides(at))
}

/// The names of a text at a point.
pub(super) struct Values<'a, const N: usize> {
    compiled: &'a Compiled,
    names: &'a TextNames,
    places: &'a [Place],
    /// Operators that are evaluated as often as they are known, in this order.
    in_order: &'a FxHashMap<Span, bool>,
    bounds: Bounds,
    t: Interval,
    /// Coefficients of the states from the second derivative on.
    higher: Vec<Vec<Interval>>,
    known: FxHashMap<ExprId, Series<N>>,
}

impl<'a, const N: usize> Values<'a, N> {
    pub fn new(
        compiled: &'a Compiled,
        names: &'a TextNames,
        places: &'a [Place],
        in_order: &'a FxHashMap<Span, bool>,
        bounds: Bounds,
        t: Interval,
    ) -> Self {
        let mut values =
            Values { compiled, names, places, in_order, bounds, t, higher: Vec::new(), known: FxHashMap::default() };
        if N > 2 {
            values.complete_states();
        }
        values
    }

    /// The bounds it was made with.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Coefficient k + 1 of a state is coefficient k of its rate, divided by k + 1.
    fn complete_states(&mut self) {
        let states = &self.compiled.sorted.states;
        self.higher = vec![Vec::new(); states.len()];
        for k in 1..N - 1 {
            self.known.clear();
            let rate = |var: VarId| match self.places[var.0 as usize] {
                Place::State(k) => self.state(k),
                _ => self.by_formula(var),
            };
            let rates: Vec<Series<N>> = states.iter().map(|state| state.derivative).map(rate).collect();
            for (higher, rate) in self.higher.iter_mut().zip(rates) {
                higher.push(rate.0[k].over(Interval::point((k + 1) as f64)));
            }
        }
        self.known.clear();
    }

    fn state(&self, k: usize) -> Series<N> {
        let mut series = Series::UNKNOWN;
        series.0[0] = self.bounds.y[k];
        let differential = k < self.compiled.sorted.states.len();
        if N > 1 && differential {
            series.0[1] = self.bounds.rates.get(k).copied().unwrap_or(Interval::ALL);
            let higher = self.higher.get(k).map_or(&[][..], Vec::as_slice);
            series.0[2..].iter_mut().zip(higher).for_each(|(c, known)| *c = *known);
        }
        series
    }

    /// A variable whose value is found somewhere.
    fn of(&mut self, var: VarId) -> Series<N> {
        let place = self.places[var.0 as usize];
        let own = match place {
            Place::Rate(k) => self.bounds.rates.get(k),
            Place::Output(k) => self.bounds.outputs.get(k),
            _ => None,
        };
        match (place, own.copied()) {
            (Place::State(k), _) => self.state(k),
            (Place::Parameter(value), _) => parameter(value),
            (Place::Discrete(k), _) => self.discrete(k),
            // derivatives follow from the formula, the value is what the program has
            (_, Some(own)) if N > 1 => {
                let mut series = self.by_formula(var);
                series.0[0] = own;
                series
            }
            (_, Some(own)) => Series::constant(own),
            (Place::Rate(_) | Place::Output(_) | Place::Formula, None) => self.by_formula(var),
        }
    }

    fn discrete(&self, k: usize) -> Series<N> {
        let discrete = self.compiled.program.layout.discrete();
        match self.bounds.d.get(k) {
            Some(value) if k < discrete => Series::constant(*value),
            // of a delayed value nothing is known but itself
            Some(value) => {
                let mut series = Series::UNKNOWN;
                series.0[0] = *value;
                series
            }
            None => Series::UNKNOWN,
        }
    }

    fn by_formula(&mut self, var: VarId) -> Series<N> {
        match self.definition(var) {
            Some(formula) => self.evaluate(formula),
            None => Series::UNKNOWN,
        }
    }

    fn definition(&self, var: VarId) -> Option<ExprId> {
        self.compiled.sorted.definitions.get(var.0 as usize).copied().flatten()
    }

    /// Rates and outputs are known within what rounding, and the bounds of the states here, do to their formulas.
    pub fn widen(&mut self, bounds: &mut Bounds) {
        let (places, states) = (self.places, &self.compiled.sorted.states);
        let mut widen = |bounds: &mut Interval, var: VarId| {
            if self.definition(var).is_some() {
                let by = ROUNDING * self.by_formula(var).value().width();
                *bounds = if by.is_finite() { Interval::new(bounds.low - by, bounds.high + by) } else { Interval::ALL };
            }
        };
        // a transformed model has variables of its own for the rates
        bounds.rates.iter_mut().zip(states).for_each(|(rate, state)| widen(rate, state.derivative));
        for (k, place) in places.iter().enumerate() {
            if let Place::Output(output) = place {
                widen(&mut bounds.outputs[*output], VarId(k as u32));
            }
        }
    }

    /// What an expression of the model stands on: its operands, or the formula of a variable.
    fn needs(&self, id: ExprId) -> impl Iterator<Item = ExprId> + use<N> {
        let node = self.compiled.sorted.model.graph.node(id);
        let formula = match node {
            Expr::Var(v) => match self.places[v.0 as usize] {
                Place::State(_) | Place::Discrete(_) | Place::Parameter(_) => None,
                Place::Rate(_) | Place::Output(_) | Place::Formula => self.definition(v),
            },
            _ => None,
        };
        node.operands().chain(formula)
    }

    fn evaluate(&mut self, root: ExprId) -> Series<N> {
        let mut open = vec![root];
        while let Some(&id) = open.last() {
            if self.known.contains_key(&id) {
                open.pop();
                continue;
            }
            let before = open.len();
            open.extend(self.needs(id).filter(|need| !self.known.contains_key(need)));
            if open.len() == before {
                let value = self.node(id);
                self.known.insert(id, value);
                open.pop();
            }
        }
        self.known[&root]
    }

    /// A node all of whose operands are known.
    fn node(&self, id: ExprId) -> Series<N> {
        let v = |id: ExprId| self.known[&id];
        let truth = |d: Interval, strict: bool| match () {
            () if d.high < 0.0 || (!strict && d.high <= 0.0) => Interval::ONE,
            () if d.low > 0.0 || (strict && d.low >= 0.0) => Interval::ZERO,
            () => Interval::new(0.0, 1.0),
        };
        match self.compiled.sorted.model.graph.node(id) {
            Expr::Const(value) => Series::constant(Interval::decimal(value)),
            Expr::Pi => Series::constant(Interval::PI),
            Expr::Time => Series::time(self.t),
            Expr::Var(var) => match self.places[var.0 as usize] {
                Place::State(k) => self.state(k),
                Place::Discrete(k) => self.discrete(k),
                Place::Parameter(value) => parameter(value),
                Place::Rate(_) | Place::Output(_) | Place::Formula => self.definition(var).map_or(Series::UNKNOWN, v),
            },
            Expr::Neg(a) => v(a).negated(),
            Expr::Add(a, b) => v(a).plus(v(b)),
            Expr::Sub(a, b) => v(a).minus(v(b)),
            Expr::Mul(a, b) => v(a).times(v(b)),
            Expr::Div(a, b) => v(a).over(v(b)),
            Expr::Pow(a, b) => v(a).raised(v(b)),
            Expr::Call(f, a) => v(a).call(f),
            Expr::Atan2(y, x) => v(y).angle(v(x)),
            Expr::Less(a, b) => Series::constant(truth(v(a).minus(v(b)).value(), true)),
            Expr::LessEqual(a, b) => Series::constant(truth(v(a).minus(v(b)).value(), false)),
            Expr::Equal(a, b) => Series::constant(match v(a).minus(v(b)).value() {
                Interval::ZERO => Interval::ONE,
                d if !d.contains_zero() => Interval::ZERO,
                _ => Interval::new(0.0, 1.0),
            }),
            Expr::Not(a) => Series::constant(Interval::new(1.0 - v(a).value().high, 1.0 - v(a).value().low)),
            Expr::And(a, b) => {
                let (a, b) = (v(a).value(), v(b).value());
                Series::constant(Interval::new(a.low.min(b.low), a.high.min(b.high)))
            }
            Expr::Or(a, b) => {
                let (a, b) = (v(a).value(), v(b).value());
                Series::constant(Interval::new(a.low.max(b.low), a.high.max(b.high)))
            }
            Expr::Select(c, a, b) => match v(c).value() {
                c if c.low > 0.0 => v(a),
                c if c.high <= 0.0 => v(b),
                _ => v(a).hull(v(b)),
            },
            Expr::Lookup(list, at) => {
                let (list, at) = (&self.compiled.sorted.model.lists[list.0 as usize], v(at).value());
                let last = list.len().saturating_sub(1) as f64;
                let [low, high] = [at.low, at.high].map(|place| place.round().clamp(0.0, last) as usize);
                let found = list.get(low..=high).unwrap_or_default();
                let hull = found.iter().map(|v| Interval::point(*v)).reduce(Interval::hull);
                Series::constant(hull.unwrap_or(Interval::ALL))
            }
        }
    }
}

/// A parameter was computed in doubles.
fn parameter<const N: usize>(value: f64) -> Series<N> {
    Series::constant(Interval::new(value.next_down(), value.next_up()))
}

/// Of a quantity the derivative whose value is found somewhere, and how often it is to be differentiated to get the one that is
/// asked for.
pub(super) fn anchor(compiled: &Compiled, places: &[Place], quantity: usize, primes: u32) -> Option<(VarId, u32)> {
    let members = &compiled.sorted.model.quantities[quantity].members;
    (0..=primes).rev().find_map(|p| {
        let var = members.get(p as usize).copied().flatten()?;
        let found = p == 0 || !matches!(places[var.0 as usize], Place::Formula);
        found.then_some((var, primes - p))
    })
}

impl<const N: usize> Names<N> for Values<'_, N> {
    fn variable(&mut self, name: Name, index: &[i64], primes: u32) -> Series<N> {
        let Some(&quantity) = self.names.quantities.get(&(name, index.to_vec())) else { return Series::UNKNOWN };
        match anchor(self.compiled, self.places, quantity, primes) {
            Some((var, times)) => (0..times).fold(self.of(var), |series, _| series.derivative()),
            None => Series::UNKNOWN,
        }
    }

    fn operator(&mut self, place: Span, k: usize) -> Series<N> {
        let Some(known) = self.names.operators.get(&place) else { return Series::UNKNOWN };
        match (known.as_slice(), self.in_order.get(&place)) {
            ([only], _) => self.evaluate(*only),
            (several, Some(true)) => several.get(k).map_or(Series::UNKNOWN, |id| self.evaluate(*id)),
            // which one it is does not show
            (several, _) => {
                let all: Vec<Series<N>> = several.iter().map(|id| self.evaluate(*id)).collect();
                all.into_iter().reduce(Series::hull).unwrap_or(Series::UNKNOWN)
            }
        }
    }
}
