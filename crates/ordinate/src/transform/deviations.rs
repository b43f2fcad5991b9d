//! Whether deviations of the auxiliary states from what they stand for grow, and what keeps them from it.
//!
//! ```text
//!   x′ = P(x, w),  w′ = Q(x, w),  w = g(t, x):        e = w − g(t, x),   e′ = (∂Q/∂w − ∂g/∂x ∂P/∂w) e = M e
//! ```
//!
//! A run of the written text begins with e = 0 but for rounding, and adds errors of the tolerance at each step. With −k e in the
//! equations of w the matrix is M − k I, whose logarithmic norm in the units of w is not positive where k is that of M.

use super::Polynomial;
use super::matrices::Values;
use crate::short;
use crate::start::StartValues;
use ordinate_control::{Matrix, eigenvalues, exponential};
use ordinate_expr::{Expr, ExprId};
use ordinate_program::Evaluator;
use ordinate_solve::{Interrupt, Mixture, Options, Rows, Sink, System, by_name};
use std::ops::ControlFlow;

/// Where a model without a `run` line is looked at.
pub(super) const USUAL: (f64, f64) = (0.0, 10.0);
/// Places where M is looked at.
const PLACES: usize = 101;
/// More auxiliary states than this are not looked at: the work grows with the third power.
const MOST: usize = 24;
/// Growth over the run that needs no damping: tolerances times this are still small.
const HARMLESS: f64 = 1e3;
/// Neighbours that tell the present size of a state, and the part of its largest value below which it does not count.
const AROUND: usize = 2;
const FLOOR: f64 = 1e-6;
/// Sweeps of balancing.
const SWEEPS: usize = 20;
/// Relative displacement for differences of both sides, whose error is about its square.
const DISPLACEMENT: f64 = 1e-5;

/// What becomes of deviations along the run of the model.
pub(super) enum Deviations {
    /// There are no auxiliary states.
    None,
    /// They grow by this factor at most, in units of the largest values of the states or of the present ones.
    Bounded(f64),
    /// They grow by more without the factor of damping that is told.
    Damped { growth: f64, by: f64 },
    /// What this auxiliary state stands for has a pole at this time, where the model has none.
    Pole(String, f64),
    /// Why that is not known.
    Unknown(String),
}

impl Polynomial {
    /// Follows the run of the model.
    pub(super) fn deviations(&self) -> Deviations {
        let count = self.meanings.len();
        if count == 0 {
            return Deviations::None;
        }
        if count > MOST {
            return Deviations::Unknown(format!("more than {MOST} auxiliary states are not looked at"));
        }
        let places = match self.places() {
            Ok(places) => places,
            Err(why) => return Deviations::Unknown(why),
        };
        if let Some((name, t)) = self.pole(&places) {
            return Deviations::Pole(name, t);
        }
        let largest: Vec<f64> =
            (0..count).map(|i| places.iter().map(|place| place.w[i].abs()).fold(0.0, f64::max)).collect();
        let balance = balance(&places, &largest);
        let scaled = |m: &Matrix| Matrix::from_fn(count, count, |i, j| m.at(i, j) * balance[j] / balance[i]);
        let matrices: Vec<Matrix> = places.iter().map(|place| scaled(&place.m)).collect();
        let lengths: Vec<f64> = places.windows(2).map(|pair| pair[1].t - pair[0].t).collect();
        // of the size that a state has at the time, as it has it for a while
        let present = |k: usize, i: usize| {
            let around = &places[k.saturating_sub(AROUND)..(k + AROUND + 1).min(places.len())];
            around.iter().map(|place| place.w[i].abs()).fold(FLOOR * largest[i], f64::max)
        };
        let part = |k: usize, i: usize| if largest[i] > 0.0 { present(k, i) / largest[i] } else { 1.0 };
        let Some(transitions) = transitions(&matrices, &lengths) else {
            return Deviations::damped(f64::INFINITY, &matrices);
        };
        let relative = transitions.iter().enumerate();
        let relative: Vec<Matrix> = relative
            .map(|(k, m)| Matrix::from_fn(count, count, |i, j| m.at(i, j) * part(k, j) / part(k + 1, i)))
            .collect();
        let growth = growth(&transitions).min(growth(&relative));
        if growth <= HARMLESS { Deviations::Bounded(growth) } else { Deviations::damped(growth, &matrices) }
    }

    /// M along the run, where the auxiliary states exist.
    fn places(&self) -> Result<Vec<Place>, String> {
        let model = &self.compiled;
        let (from, to) = model.run.unwrap_or(USUAL);
        let mut evaluator = model.evaluator();
        let failed = || "the model does not run".to_string();
        let start = StartValues::new(model, &mut evaluator, from).map_err(|_| failed())?;
        let mut method = by_name("auto").expect("a method of every version").build(start.states.len(), false);
        let options = Options { rows: Rows::Even(PLACES), max_steps: 100_000, ..Options::default() };
        let polynomial = Evaluator::new(self.program.clone());
        let mut look =
            Look { polynomial, own: self.visible, system: self, divisors: self.divisors(), places: Vec::new() };
        ordinate_solve::solve(&mut evaluator, method.as_mut(), &start.from(from), to, &options, &mut look)
            .map_err(|_| failed())?;
        if look.places.len() < 2 { Err(failed()) } else { Ok(look.places) }
    }
}

impl Polynomial {
    /// What the auxiliary states divide by, with the number of the state.
    fn divisors(&self) -> Vec<(usize, ExprId)> {
        let mut graph = self.sorted.model.graph.clone();
        let of = |(k, &meaning): (usize, &ExprId)| {
            let nodes: Vec<Expr> = graph.post_order(&[meaning]).into_iter().map(|id| graph.node(id)).collect();
            nodes
                .into_iter()
                .filter_map(move |node| if let Expr::Div(_, below) = node { Some((k, below)) } else { None })
        };
        self.meanings.iter().enumerate().flat_map(of).collect()
    }

    /// The first state that divides by what passes through zero between two places.
    fn pole(&self, places: &[Place]) -> Option<(String, f64)> {
        let divisors = self.divisors();
        places.windows(2).find_map(|pair| {
            let mut both = pair[0].divisors.iter().zip(&pair[1].divisors);
            let (k, _) = divisors[both.position(|(a, b)| pair[0].t < pair[1].t && a * b < 0.0)?];
            let name =
                format!("`{}` = {}", self.names()[self.visible + k], self.sorted.model.print_short(self.meanings[k]));
            Some((name, 0.5 * (pair[0].t + pair[1].t)))
        })
    }
}

/// The auxiliary states, what they divide by, and M at one time.
struct Place {
    t: f64,
    w: Vec<f64>,
    divisors: Vec<f64>,
    m: Matrix,
}

struct Look<'a> {
    polynomial: Evaluator,
    own: usize,
    system: &'a Polynomial,
    divisors: Vec<(usize, ExprId)>,
    places: Vec<Place>,
}

impl Sink for Look<'_> {
    fn row(&mut self, t: f64, y: &[f64], d: &[f64], sliding: Option<&Mixture>) -> ControlFlow<Interrupt> {
        if sliding.is_none() {
            let place = self.place(t, y, d);
            self.places.extend(place);
        }
        ControlFlow::Continue(())
    }
}

impl Look<'_> {
    /// By differences: they need no derivatives of g.
    fn place(&mut self, t: f64, x: &[f64], d: &[f64]) -> Option<Place> {
        let own = self.own;
        let mut y = x.to_vec();
        y.resize(self.polynomial.program().layout.states, 0.0);
        self.polynomial.define(t, d, &mut y);
        let w = y[own..].to_vec();
        let size = |values: &[f64]| values.iter().fold(0.0, |most: f64, v| most.max(v.abs())).max(f64::MIN_POSITIVE);
        let mut columns = Vec::with_capacity(w.len());
        for j in own..y.len() {
            let h = DISPLACEMENT * if y[j] == 0.0 { 1.0 } else { y[j].abs() };
            let slope = |sides: [Vec<f64>; 2], h: f64| -> Vec<f64> {
                sides[0].iter().zip(&sides[1]).map(|(up, down)| (up - down) / (2.0 * h)).collect()
            };
            let rates = slope(
                [h, -h].map(|h| {
                    let (mut beside, mut rates) = (y.clone(), vec![0.0; y.len()]);
                    beside[j] += h;
                    self.polynomial.derivative(t, &beside, d, &mut rates);
                    rates
                }),
                h,
            );
            // along ∂P/∂wⱼ
            let h = DISPLACEMENT * size(x) / size(&rates[..own]);
            let moved = slope(
                [h, -h].map(|h| {
                    let mut beside = y.clone();
                    beside.iter_mut().zip(&rates[..own]).for_each(|(y, rate)| *y += h * rate);
                    self.polynomial.define(t, d, &mut beside);
                    beside.split_off(own)
                }),
                h,
            );
            columns.push(rates[own..].iter().zip(&moved).map(|(rate, moved)| rate - moved).collect::<Vec<f64>>());
        }
        let m = Matrix::from_fn(w.len(), w.len(), |i, j| columns[j][i]);
        let mut values = Values::new(&self.system.sorted, t, &y, d);
        let divisors = self.divisors.iter().map(|&(_, below)| values.of(below)).collect();
        m.is_finite().then_some(Place { t, w, divisors, m })
    }
}

/// Units of the auxiliary states, from their largest values on, in which each gives the others as much as it gets from them (E. E.
/// Osborne, J. ACM 7 (1960) 338–345): the size of a state that is zero but for rounding says nothing.
fn balance(places: &[Place], largest: &[f64]) -> Vec<f64> {
    let n = largest.len();
    let mut units: Vec<f64> = largest.iter().map(|&size| if size > 0.0 { size } else { 1.0 }).collect();
    let most = |i: usize, j: usize| places.iter().map(|place| place.m.at(i, j).abs()).fold(0.0, f64::max);
    let sizes = Matrix::from_fn(n, n, most);
    for _ in 0..SWEEPS {
        for i in 0..n {
            let others = || (0..n).filter(|&j| j != i);
            let gets: f64 = others().map(|j| sizes.at(i, j) * units[j] / units[i]).sum();
            let gives: f64 = others().map(|j| sizes.at(j, i) * units[i] / units[j]).sum();
            if gets > 0.0 && gives > 0.0 {
                units[i] *= (gets / gives).sqrt();
            }
        }
    }
    units
}

/// What becomes of deviations from one place to the next; `None` where it is no number.
fn transitions(matrices: &[Matrix], lengths: &[f64]) -> Option<Vec<Matrix>> {
    matrices.iter().zip(lengths).map(|(m, &length)| exponential(&m.scaled(length))).collect()
}

/// The largest norm of a product of neighbours.
fn growth(transitions: &[Matrix]) -> f64 {
    let mut most: f64 = 1.0;
    for (first, start) in transitions.iter().enumerate() {
        let mut product = start.clone();
        most = most.max(product.norm_one());
        for next in &transitions[first + 1..] {
            product = next * &product;
            if !product.is_finite() {
                return f64::INFINITY;
            }
            most = most.max(product.norm_one());
        }
    }
    most
}

/// The largest eigenvalue of the symmetric part.
fn logarithmic_norm(m: &Matrix) -> Option<f64> {
    let n = m.rows();
    let symmetric = Matrix::from_fn(n, n, |i, j| 0.5 * (m.at(i, j) + m.at(j, i)));
    eigenvalues(&symmetric).map(|values| values.iter().map(|value| value.re).fold(f64::NEG_INFINITY, f64::max))
}

/// To two digits.
fn rounded_up(x: f64) -> f64 {
    let unit = 10f64.powf(x.abs().max(f64::MIN_POSITIVE).log10().floor() - 1.0);
    let text = format!("{:.1e}", (x / unit).ceil() * unit);
    text.parse().unwrap_or(x)
}

impl Deviations {
    /// By the logarithmic norm of the matrices.
    fn damped(growth: f64, matrices: &[Matrix]) -> Deviations {
        match matrices.iter().map(logarithmic_norm).try_fold(0.0, |most: f64, norm| Some(most.max(norm?))) {
            Some(by) => Deviations::Damped { growth, by: rounded_up(by) },
            None => Deviations::Unknown("their rates are not finite".into()),
        }
    }

    /// The factor of w − definition.
    pub fn damping(&self) -> Option<f64> {
        match self {
            Deviations::Damped { by, .. } => Some(*by),
            Deviations::None | Deviations::Bounded(_) | Deviations::Pole(..) | Deviations::Unknown(_) => None,
        }
    }

    /// Lines of comment for the text; those for people of a model without auxiliary states are none.
    pub fn comment(&self) -> Option<String> {
        let times = |growth: f64| {
            if growth < 1e300 { format!("{} times", short(digits(growth))) } else { "without bound".into() }
        };
        Some(match self {
            Deviations::None => return None,
            Deviations::Bounded(growth) => {
                format!(
                    "# A deviation of an auxiliary state from its definition grows {} over the run at most.",
                    times(*growth)
                )
            }
            Deviations::Damped { growth, by } => format!(
                "# A deviation of an auxiliary state from its definition would grow {} over the run, by exp({} t) \
                 where it\n# is fastest: multiples of it are added to the equations, which make it decay.",
                times(*growth),
                short(*by),
            ),
            Deviations::Pole(name, t) => format!(
                "# {name} has a pole near t = {} that the model itself does not have: a run of these equations ends \
                 there.",
                short(digits(*t))
            ),
            Deviations::Unknown(why) => {
                format!("# How fast a deviation of an auxiliary state from its definition grows is not known: {why}.")
            }
        })
    }
}

fn digits(x: f64) -> f64 {
    format!("{x:.1e}").parse().unwrap_or(x)
}
