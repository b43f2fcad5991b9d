//! Series over numbers of other precisions: the same code gives the same coefficients, to the digits there are.

use ordinate_model::{resolve, sort};
use ordinate_numbers::{Big, DoubleDouble};
use ordinate_program::{Constant, PreciseProgram, Program, compile};
use ordinate_solve::PreciseSystem;
use std::sync::Arc;

fn program(text: &str) -> Arc<Program> {
    let (tree, diagnostics) = ordinate_syntax::parse(text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let resolved = resolve(&tree, text, &Vec::new(), &|_, _| Err("no files here".into()));
    let (mut sorted, found) = sort(resolved.model, false);
    assert!(!ordinate_syntax::has_errors(&found), "{found:?}");
    Arc::new(compile(&mut sorted, false))
}

/// The coefficients of all states at the start, as doubles.
fn coefficients<N: Constant>(text: &str, bits: usize, order: usize) -> Vec<Vec<N>> {
    let program = program(text);
    let mut precise: PreciseProgram<N> = PreciseProgram::new(program.clone(), bits).expect("it has series");
    let t = N::exact(0.0, bits);
    let y = precise.starts(&t)[..program.layout.states].to_vec();
    precise.begin(&t, &y, &mut Vec::new());
    precise.extend(0.5, order);
    (0..y.len()).map(|i| precise.coefficients(i).to_vec()).collect()
}

const ALL_FUNCTIONS: &str = "
    param a = 0.3, b = pi/7
    x' = sin(a*y)*cos(x) + tan(x/9) + exp(-y^2) + log(2 + x) + log10(3 + y) + sqrt(2 + x*y) + cbrt(2 + y)
    y' = asin(x/5) + acos(y/5) + atan(x + 1) + sinh(y/3) - cosh(x/3) + tanh(x) + asinh(x) + acosh(2 + y) + erf(x)
    z' = atanh(x/5) + atan2(x, 1 + y) + atan2(x, 2) + atan2(1, y) + (1 + x^2)^b + 2^y + (2 + x)^(1 + y) + x^5/y + 1/(3 + x) - t
    w' = expm1(x) + log1p(y) + 1/(1 + exp(y - 3*x)) + log(1 + exp(x*y)) + x/expm1(x) + expm1(2*y)/y
    near = x/expm1(x)
    far = (4 + x)/expm1(4 + x)
    v' = near'' + far''
    init x = 0.1, y = b, z = 1, w = 0, v = 0";

/// What doubles, double-doubles and long numbers say agrees to the digits of the shorter ones.
#[test]
fn all_recurrences_agree_over_all_numbers() {
    let order = 12;
    let long: Vec<Vec<Big>> = coefficients(ALL_FUNCTIONS, 320, order);
    let two: Vec<Vec<DoubleDouble>> = coefficients(ALL_FUNCTIONS, 106, order);
    let double: Vec<Vec<f64>> = coefficients(ALL_FUNCTIONS, 53, order);
    use ordinate_numbers::Precise;
    for (i, state) in long.iter().enumerate() {
        let size = state.iter().map(|c| c.to_f64().abs()).fold(0.0, f64::max);
        for (k, c) in state.iter().enumerate() {
            let error = |other: Big| (other - c.clone()).to_f64().abs() / size;
            let (d, dd) = (error(Big::exact(double[i][k], 320)), error(two[i][k].to_big()));
            assert!(d < 1e-14, "double, state {i}, order {k}: {d:e}");
            assert!(dd < 1e-29, "double-double, state {i}, order {k}: {dd:e}");
        }
    }
}

/// eᵗ: cₖ = 2⁻ᵏ/k!, and literals are exact until they are rounded to the run's precision.
#[test]
fn literals_are_rounded_to_the_precision_of_the_run() {
    use ordinate_numbers::Precise;
    let c: Vec<Vec<Big>> = coefficients("y' = y; y(0) = 0.1", 256, 30);
    let mut exact = Big::decimal(1, -1, 256);
    for (k, c) in c[0].iter().enumerate() {
        let error = (c.clone() - exact.clone()).log2() - exact.log2();
        assert!(error < -250.0, "order {k}: {error}");
        exact = exact * Big::exact(0.5, 256) / Big::exact(k as f64 + 1.0, 256);
    }
    assert_eq!(c[0][0].to_decimal(60), format!("0.1{}", "0".repeat(59)));
}
