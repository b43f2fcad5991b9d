//! Series of switches along a path: they are those of g itself, and no coefficient is above the bound of its disc.

use ordinate_model::{resolve, sort};
use ordinate_program::{Evaluator, compile};
use ordinate_solve::{Path, System};
use ordinate_syntax::parse;
use std::sync::Arc;

/// A model of two states with one switch, g > 0.
fn evaluator(g: &str) -> Evaluator {
    let text = format!("x' = 1; y' = 1; n' = 0; init x = 0, y = 0, n = 0; when {g} > 0: n = 1");
    let (tree, diagnostics) = parse(&text);
    assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
    let resolved = resolve(&tree, &text, &Vec::new(), &|_, _| panic!("no tables here"));
    let (mut sorted, diagnostics) = sort(resolved.model, false);
    assert!(!ordinate_syntax::has_errors(&diagnostics), "{text}: {diagnostics:?}");
    Evaluator::new(Arc::new(compile(&mut sorted, false)))
}

/// Every function of the language, at arguments where it is defined.
const FUNCTIONS: [&str; 39] = [
    "x + 2*y - t",
    "x*y - 3",
    "(x - y)^2 + x^3",
    "x/y",
    "1/(x + y)",
    "sqrt(x + 1)",
    "cbrt(y - 4)",
    "(x + 1)^1.7",
    "(x + 1)^(-2.3)",
    "(x + 2)^y",
    "2^x - y",
    "exp(x*y)",
    "exp(-9*(x - y)^2)",
    "log(x + y)",
    "log10(x + 2)",
    "sin(3*x)",
    "cos(x - 5*y)",
    "tan(x/2)",
    "tanh(3*x)",
    "tanh(40*y)",
    "sinh(x)",
    "cosh(x + y)",
    "asin(x/4)",
    "acos(y/9)",
    "atan(x*y)",
    "asinh(x - 3*y)",
    "acosh(x + y)",
    "atanh(x/5)",
    "atan2(y, x)",
    "atan2(y - 5, 3)",
    "erf(x - 1)",
    "expm1(x - y)",
    "log1p(x*y)",
    "1/(1 + exp(-4*(x - y)))",
    "log(1 + exp(9*x))",
    "x/expm1(x)",
    "(x - 0.8)/(1 - exp(0.8 - x))",
    "expm1(y)/y",
    "t*sin(y)/(2 + cos(x))",
];

/// x and y over pieces of different length.
fn states(length: f64) -> [Vec<f64>; 2] {
    let scaled = |c: &[f64]| c.iter().enumerate().map(|(k, c)| c * length.powi(k as i32)).collect();
    [scaled(&[0.8, 0.6, -0.3, 0.05]), scaled(&[1.9, -0.7, 0.2, 0.1, -0.02])]
}

/// Those of them that the switch of a system depends on.
fn path(system: &mut Evaluator, length: f64) -> Vec<Vec<f64>> {
    let all = states(length);
    system.switch_series(&[1.0]).expect("a series").states().iter().map(|&state| all[state].clone()).collect()
}

fn value(c: &[f64], x: f64) -> f64 {
    c.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

#[test]
fn the_series_of_a_switch_is_that_of_g() {
    for g in FUNCTIONS {
        let mut system = evaluator(g);
        let length = 0.1;
        let (all, y) = (states(length), path(&mut system, length));
        let path = Path { t: 0.4, length, y: &y };
        let mut series = vec![Vec::new()];
        system.switch_series(&[1.0]).expect("a series").expand(&path, 30, &mut series);
        for x in [0.0, 0.3, 0.7, 1.0] {
            let state = [value(&all[0], x), value(&all[1], x), 0.0];
            let mut exact = [0.0];
            system.switch_values(path.t + x * length, &state, &[1.0], &mut exact);
            let found = value(&series[0], x);
            assert!((found - exact[0]).abs() < 1e-13 * (1.0 + exact[0].abs()), "{g} at {x}: {found}, not {}", exact[0]);
        }
    }
}

/// |gₖ| ≤ bound / ρᵏ for all k: Cauchy's estimate. For short pieces there is a bound.
#[test]
fn no_coefficient_is_above_its_bound() {
    for g in FUNCTIONS {
        let mut system = evaluator(g);
        let mut bounded = 0;
        for length in [1.0, 0.5, 0.2, 0.1, 0.03] {
            let y = path(&mut system, length);
            let path = Path { t: 0.4, length, y: &y };
            let mut series = vec![Vec::new()];
            let switches = system.switch_series(&[1.0]).expect("a series");
            switches.expand(&path, 60, &mut series);
            for rho in [1.1, 1.4, 2.0, 4.0] {
                let mut bounds = [f64::NAN];
                switches.bounds(&path, rho, &mut bounds);
                bounded += i32::from(bounds[0].is_finite());
                for (k, c) in series[0].iter().enumerate().skip(1) {
                    let bound = bounds[0] * rho.powi(-(k as i32));
                    assert!(c.abs() <= bound * (1.0 + 1e-9) + 1e-15, "{g}, {length}, {rho}: {c:e} > {bound:e} at {k}");
                }
                assert!(length > 0.03 || bounds[0].is_finite(), "{g}, {rho}");
            }
        }
        assert!(bounded >= 8, "{g}: only {bounded} of 20 bounds");
    }
}

/// The degree is that of the polynomial, and there is none for other functions.
#[test]
fn degrees_are_exact_for_polynomials() {
    for (g, degree) in
        [("x", 3), ("x*y - 3", 7), ("(x - y)^2 + x^3", 9), ("t*y^2", 9), ("sin(x)", usize::MAX), ("x/2", 3)]
    {
        let mut system = evaluator(g);
        let y = path(&mut system, 0.5);
        let switches = system.switch_series(&[1.0]).expect("a series");
        let mut degrees = [0];
        switches.degrees(&Path { t: 0.4, length: 0.5, y: &y }, &mut degrees);
        assert_eq!(degrees[0], degree, "{g}");
    }
}
