//! Classical problems and small tools shared by the tests.

pub mod constrained;
pub mod hybrid;
pub mod implicit;

use std::ops::ControlFlow;

use ordinate_solve::{Interrupt, Layout, Method, Mixture, NewtonIterate, Options, Outcome, Sink, Start, System, solve};

/// y′ = f(t, y) given as a closure.
pub struct Ode<F> {
    layout: Layout,
    f: F,
    /// Evaluations of f, counted here to check what the methods count.
    pub evaluations: u64,
}

impl<F: FnMut(f64, &[f64], &mut [f64])> Ode<F> {
    pub fn new(states: usize, f: F) -> Ode<F> {
        Ode { layout: Layout { states, ..Layout::default() }, f, evaluations: 0 }
    }
}

impl<F: FnMut(f64, &[f64], &mut [f64])> System for Ode<F> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn derivative(&mut self, t: f64, y: &[f64], _d: &[f64], dy: &mut [f64]) {
        self.evaluations += 1;
        (self.f)(t, y, dy);
    }
}

/// y′ = −2 t y², y = 1 / (1 + t²): nonlinear and t-dependent, so no order condition hides.
pub fn witch() -> Ode<impl FnMut(f64, &[f64], &mut [f64])> {
    Ode::new(1, |t, y, dy| dy[0] = -2.0 * t * y[0] * y[0])
}

/// The solution of [`witch`] through (0, 1).
pub fn witch_solution(t: f64) -> f64 {
    1.0 / (1.0 + t * t)
}

/// y″ = −y as two equations; (cos t, −sin t).
pub fn circle() -> Ode<impl FnMut(f64, &[f64], &mut [f64])> {
    Ode::new(2, |_, y, dy| {
        dy[0] = y[1];
        dy[1] = -y[0];
    })
}

/// Two bodies in relative motion, DETEST class D: Hull, Enright, Fellen, Sedgwick, SIAM J. Numer. Anal. 9 (1972).
pub fn kepler() -> Ode<impl FnMut(f64, &[f64], &mut [f64])> {
    Ode::new(4, |_, y, dy| {
        let r3 = (y[0] * y[0] + y[1] * y[1]).powf(1.5);
        dy.copy_from_slice(&[y[2], y[3], -y[0] / r3, -y[1] / r3]);
    })
}

/// Start of [`kepler`] at the perihelion of an orbit of eccentricity `e` and period 2π.
pub fn kepler_start(e: f64) -> [f64; 4] {
    [1.0 - e, 0.0, 0.0, ((1.0 + e) / (1.0 - e)).sqrt()]
}

/// The restricted three-body problem, whose orbit closes after [`ARENSTORF_PERIOD`]:
/// Hairer, Nørsett, Wanner I, II.0, eq. (0.1)–(0.2).
pub fn arenstorf() -> Ode<impl FnMut(f64, &[f64], &mut [f64])> {
    const MU: f64 = 0.012277471;
    Ode::new(4, |_, y, dy| {
        let d1 = ((y[0] + MU).powi(2) + y[1] * y[1]).powf(1.5);
        let d2 = ((y[0] - 1.0 + MU).powi(2) + y[1] * y[1]).powf(1.5);
        dy[0] = y[2];
        dy[1] = y[3];
        dy[2] = y[0] + 2.0 * y[3] - (1.0 - MU) * (y[0] + MU) / d1 - MU * (y[0] - 1.0 + MU) / d2;
        dy[3] = y[1] - 2.0 * y[2] - (1.0 - MU) * y[1] / d1 - MU * y[1] / d2;
    })
}

/// Start of [`arenstorf`].
pub const ARENSTORF_START: [f64; 4] = [0.994, 0.0, 0.0, -2.001_585_106_379_082_4];
/// Its period.
pub const ARENSTORF_PERIOD: f64 = 17.065_216_560_157_964;

/// Keeps all rows.
#[derive(Default)]
pub struct Table {
    pub t: Vec<f64>,
    pub y: Vec<Vec<f64>>,
    pub d: Vec<Vec<f64>>,
    pub sliding: Vec<Option<Mixture>>,
    pub steps: Vec<f64>,
    pub iterates: Vec<NewtonIterate>,
}

impl Sink for Table {
    fn row(&mut self, t: f64, y: &[f64], d: &[f64], sliding: Option<&Mixture>) -> ControlFlow<Interrupt> {
        self.t.push(t);
        self.y.push(y.to_vec());
        self.d.push(d.to_vec());
        self.sliding.push(sliding.cloned());
        ControlFlow::Continue(())
    }

    fn step(&mut self, t: f64, _h: f64, _order: u32) -> ControlFlow<Interrupt> {
        self.steps.push(t);
        ControlFlow::Continue(())
    }

    fn iterate(&mut self, iterate: &NewtonIterate) {
        self.iterates.push(iterate.clone());
    }
}

/// A run from t = 0 with no held values.
pub fn run(
    system: &mut dyn System,
    method: &mut dyn Method,
    y: &[f64],
    t_end: f64,
    options: &Options,
) -> (Outcome, Table) {
    run_held(system, method, y, &[], t_end, options)
}

/// A run from t = 0.
pub fn run_held(
    system: &mut dyn System,
    method: &mut dyn Method,
    y: &[f64],
    held: &[f64],
    t_end: f64,
    options: &Options,
) -> (Outcome, Table) {
    let mut table = Table::default();
    let outcome = solve(system, method, &Start { t: 0.0, y, held, ..Start::default() }, t_end, options, &mut table)
        .expect("usage");
    (outcome, table)
}

/// A case of the golden data.
pub fn golden(file: &str, id: &str) -> serde_json::Value {
    let path = format!("{}/../../tests/golden/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let all: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let cases = all["cases"].as_array().expect("cases");
    cases.iter().find(|case| case["id"] == id).unwrap_or_else(|| panic!("{file} has no {id}")).clone()
}

/// A list of numbers of the golden data.
pub fn numbers(value: &serde_json::Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|y| y.as_f64().expect("a number")).collect()
}

/// The methods that choose their steps themselves; the others work with a given step only.
pub fn adaptive_names() -> impl Iterator<Item = &'static str> {
    let adaptive =
        |name: &&str| ordinate_solve::by_name(name).is_some_and(|m| m.build(1, false).error_exponent().is_some());
    ordinate_solve::names().filter(adaptive)
}
