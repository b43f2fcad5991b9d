//! What the program computes at a point of a solution, with bounds.

use ordinate_expr::Interval;
use ordinate_program::Evaluator;
use ordinate_solve::{Mixture, System};

/// A point of a solution as the sink of a run gets it.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    pub t: f64,
    pub y: &'a [f64],
    pub d: &'a [f64],
    pub sliding: Option<&'a Mixture>,
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
fn around(value: f64, by: f64) -> Interval {
    if value.is_nan() || by.is_nan() { Interval::ALL } else { Interval::new(value - by, value + by) }
}

impl Bounds {
    /// Rates and outputs at a point, each within [`USUAL`]; algebraic states within their part of `tolerance`, the others have none.
    pub fn usual(&mut self, results: &mut Results, at: &At, tolerance: &[f64]) {
        results.compute(at);
        let wide = |value: &Interval| Interval {
            low: value.low - USUAL * value.low.abs(),
            high: value.high + USUAL * value.high.abs(),
        };
        let state =
            |(k, y): (usize, &f64)| around(*y, tolerance.get(k).copied().unwrap_or_default() + LAST_PLACES * y.abs());
        refill(&mut self.y, at.y.iter().enumerate().map(state));
        refill(&mut self.rates, results.rates.iter().map(|rate| wide(&around(*rate, 0.0))));
        refill(&mut self.outputs, results.outputs.iter().map(|output| wide(&around(*output, 0.0))));
        refill(&mut self.d, at.d.iter().map(|d| Interval::point(*d)));
        if let Some(mixture) = at.sliding {
            refill(&mut self.outputs, results.hulls.iter().map(wide));
            all_sides(&mut self.d, mixture);
        }
    }

    /// Everything that is not a state by its formula, and the states within a tolerance; delayed values, behind the first
    /// `discrete` ones of d, within that of what they are.
    pub fn loose(at: &At, tolerance: &[f64], discrete: usize, delayed: impl Fn(f64) -> f64) -> Bounds {
        let tolerance = |k: usize| tolerance.get(k).copied().unwrap_or_default();
        let y = at.y.iter().enumerate().map(|(k, y)| around(*y, tolerance(k))).collect();
        let mut d: Vec<Interval> = at.d.iter().map(|d| Interval::point(*d)).collect();
        if let Some(mixture) = at.sliding {
            all_sides(&mut d, mixture);
        }
        for d in d.iter_mut().skip(discrete) {
            let by = delayed(d.size());
            *d = Interval::new(d.low - by, d.high + by);
        }
        Bounds { y, rates: Vec::new(), outputs: Vec::new(), d }
    }
}

fn refill(list: &mut Vec<Interval>, with: impl Iterator<Item = Interval>) {
    list.clear();
    list.extend(with);
}

/// d while the solution slides: between all sides.
fn all_sides(d: &mut [Interval], mixture: &Mixture) {
    for side in mixture.parts.iter().map(|(_, d)| d).chain([&mixture.base]) {
        d.iter_mut().zip(side).for_each(|(d, side)| *d = d.hull(Interval::point(*side)));
    }
}

/// What the program computes at a point.
pub(super) struct Results {
    evaluator: Evaluator,
    rates: Vec<f64>,
    outputs: Vec<f64>,
    /// While the solution slides outputs are between all sides.
    hulls: Vec<Interval>,
}

impl Results {
    pub fn new(evaluator: Evaluator) -> Results {
        let outputs = evaluator.program().outputs.results.len();
        Results { evaluator, rates: Vec::new(), outputs: vec![0.0; outputs], hulls: Vec::new() }
    }

    fn compute(&mut self, at: &At) {
        let Results { evaluator, rates, outputs, hulls } = self;
        rates.resize(at.y.len(), 0.0);
        let Some(mixture) = at.sliding else {
            evaluator.derivative(at.t, at.y, at.d, rates);
            evaluator.outputs(at.t, at.y, at.d, outputs);
            return;
        };
        // rates are the mixture
        mixture.mix(&mut |d, rates| evaluator.derivative(at.t, at.y, d, rates), rates);
        hulls.clear();
        for side in mixture.parts.iter().map(|(_, d)| d).chain([&mixture.base]) {
            evaluator.outputs(at.t, at.y, side, outputs);
            let values = outputs.iter().map(|value| around(*value, 0.0));
            match hulls.is_empty() {
                true => hulls.extend(values),
                false => hulls.iter_mut().zip(values).for_each(|(hull, value)| *hull = hull.hull(value)),
            }
        }
    }
}
