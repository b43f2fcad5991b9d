//! The global error that the Taylor method carries along, against solutions that are known.

use ordinate_model::{resolve, sort};
use ordinate_numbers::Octet;
use ordinate_program::{Evaluator, compile};
use ordinate_solve::{AbsoluteTolerance, Interrupt, Mixture, Options, Outcome, Rows, Sink, Start, Status, by_name};
use ordinate_syntax::parse;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Rows: time, state, error that was told.
#[derive(Default)]
struct Told {
    errors: VecDeque<Vec<f64>>,
    rows: Vec<(f64, Vec<f64>, Vec<f64>)>,
}

impl Sink for Told {
    fn errors(&mut self, rows: usize, errors: &[Octet]) {
        self.errors = (0..rows).map(|row| errors.iter().map(|error| error.0[row]).collect()).collect();
    }

    fn row(&mut self, t: f64, y: &[f64], _d: &[f64], _sliding: Option<&Mixture>) -> ControlFlow<Interrupt> {
        self.rows.push((t, y.to_vec(), self.errors.pop_front().unwrap_or_default()));
        ControlFlow::Continue(())
    }
}

fn run(text: &str, y: &[f64], t_end: f64, rtol: f64) -> (Outcome, Told) {
    let (tree, _) = parse(text);
    let resolved = resolve(&tree, text, &Vec::new(), &|_, _| panic!("no tables here"));
    let (mut sorted, diagnostics) = sort(resolved.model, false);
    assert!(!ordinate_syntax::has_errors(&diagnostics), "{text}: {diagnostics:?}");
    let mut evaluator = Evaluator::new(Arc::new(compile(&mut sorted, false)));
    let mut method = by_name("taylor").expect("a method").build(y.len(), false);
    assert!(method.follow_error(&vec![0.0; y.len()]));
    let start = Start { t: 0.0, y, held: &[], ..Start::default() };
    let atol = AbsoluteTolerance::Same(1e-3 * rtol);
    let options = Options { rtol, atol, rows: Rows::Even(200), ..Options::default() };
    let mut told = Told::default();
    let outcome =
        ordinate_solve::solve(&mut evaluator, method.as_mut(), &start, t_end, &options, &mut told).expect("a run");
    assert_eq!(outcome.status, Status::Ok);
    (outcome, told)
}

/// x, x′, y, y′ on the ellipse of eccentricity e after the time t since the pericentre.
fn kepler(e: f64, t: f64) -> [f64; 4] {
    let mut u = t + 0.8 * e * t.sin();
    for _ in 0..50 {
        u -= (u - e * u.sin() - t) / (1.0 - e * u.cos());
    }
    let (s, c, r, b) = (u.sin(), u.cos(), 1.0 - e * u.cos(), (1.0 - e * e).sqrt());
    [c - e, -s / r, b * s, b * c / r]
}

const KEPLER: &str = "x'' = -x/(x^2 + y^2)^1.5; y'' = -y/(x^2 + y^2)^1.5\ninit x = 1, x' = 0, y = 0, y' = 0";

/// In every row, inside of steps, too: what is left when the error is subtracted is a small part of the largest error.
#[test]
fn every_row_has_its_error() {
    for (e, turns, rtol) in [(0.5, 3.0, 1e-3), (0.5, 3.0, 1e-6), (0.8, 20.0, 1e-8), (0.3, 100.0, 1e-9)] {
        let start = kepler(e, 0.0);
        let (outcome, told) = run(KEPLER, &start, turns * std::f64::consts::TAU, rtol);
        let (mut worst, mut left) = (0.0f64, 0.0f64);
        for (t, y, error) in &told.rows {
            let exact = kepler(e, *t);
            assert_eq!(error.len(), 4, "t = {t}");
            for i in 0..4 {
                worst = worst.max((y[i] - exact[i]).abs());
                left = left.max((y[i] - error[i] - exact[i]).abs());
            }
        }
        assert!(left < 0.3 * worst, "e = {e}, {turns} turns, rtol {rtol:e}: {left:e} of {worst:e}");
        let last = &told.rows.last().expect("rows").2;
        assert_eq!(outcome.error.as_ref().map(|error| &error.at_end), Some(last), "the last row is the end");
    }
}

/// Errors grow and shrink with the system, over many orders of magnitude: x = 1/(1 + C exp(sin(3t)·k)) by its equation.
#[test]
fn errors_grow_and_shrink_with_the_solution() {
    for k in [2.0f64, 6.0] {
        let text = format!("x' = -{}*cos(3*t)*x*(1 - x)\ninit x = 0.5", 3.0 * k);
        let (_, told) = run(&text, &[0.5], 6.0, 1e-5);
        let exact = |t: f64| 1.0 / (1.0 + (k * (3.0 * t).sin()).exp());
        let worst = told.rows.iter().fold(0.0f64, |most, (t, y, _)| most.max((y[0] - exact(*t)).abs()));
        for (t, y, error) in &told.rows {
            let left = (y[0] - error[0] - exact(*t)).abs();
            assert!(left < 0.2 * worst, "k = {k}, t = {t}: {left:e} of {worst:e}");
        }
    }
}

/// Tolerances so small that rounding is what is left: the estimate is of its size.
#[test]
fn rounding_is_part_of_the_error() {
    let (outcome, _) = run(KEPLER, &kepler(0.5, 0.0), 40.0 * std::f64::consts::TAU, 1e-15);
    let exact = kepler(0.5, 0.0);
    let truth = (0..4).fold(0.0f64, |most, i| most.max((outcome.y[i] - exact[i]).abs()));
    let estimate = outcome.error.expect("it is carried").at_end.iter().fold(0.0f64, |most, e| most.max(e.abs()));
    assert!((0.1..10.0).contains(&(estimate / truth)), "{estimate:e} {truth:e}");
}

/// Where steps are as long as stability bears, the series would make of the error what does not become of it: Robertson's
/// reaction, whose error is below 1e-9.
#[test]
fn an_error_that_cannot_be_followed_is_not_told() {
    let text = "a' = -0.04*a + 1e4*b*c; b' = 0.04*a - 1e4*b*c - 3e7*b^2; c' = 3e7*b^2\ninit a = 1, b = 0, c = 0";
    let (outcome, _) = run(text, &[1.0, 0.0, 0.0], 1.0, 1e-6);
    let told = outcome.error.map(|error| error.at_end);
    assert!(told.as_ref().is_none_or(|error| error.iter().all(|e| e.abs() < 1e-9)), "{told:?}");
}
