//! Models that would fool a test for zero at ordinary points: branches whose sides agree there, numbers of 1e-300, parameters that
//! cancel exactly or nearly, coefficients that pass through zero, identities. Each is right with every method, or ends by name.

use ordinate::{CompileOptions, ErrorWish, Memory, RunOptions, Source, Status, compile, simulate};

const METHODS: [&str; 6] = ["auto", "taylor", "mtsm", "radau", "dp5", "bdf"];

/// A text, a name, and its value at the end.
type Case = (&'static str, &'static str, f64);

fn are_right(cases: &[Case]) {
    for (text, name, right) in cases {
        let model =
            compile(&Source::text(*text), &CompileOptions::default()).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        for method in METHODS {
            let options = RunOptions { method: method.into(), error: ErrorWish::Off, ..RunOptions::default() };
            let run = simulate(&model, &options, &mut Memory::default()).expect("it begins");
            assert_eq!(run.outcome.status, Status::Ok, "{text}\n{method}: {:?}", run.reason);
            let found = run.final_values.iter().find(|(known, _)| known == name).expect("a column").1;
            let within = if *right == 0.0 { 1e-6 } else { 1e-3 * right.abs() };
            assert!((found - right).abs() <= within, "{text}\n{method}: {name} = {found}, right is {right}");
        }
    }
}

#[test]
fn branches_that_differ_only_elsewhere_are_not_zero() {
    are_right(&[
        (
            "x'' = -x\nz = if x > 0.97 then (if x > 0.98 then x - 0.98 else 0) else 0\ny' = z'\ninit x = 1, x' = 0, y = 0\nrun 0 .. 5",
            "y",
            -0.02,
        ),
        (
            "x' = 1\nz = if x < 3 then 0 else (if x < 4 then x - 3 else 1)\ny' = z'\ninit x = 0, y = 0\nrun 0 .. 3.5",
            "y",
            0.5,
        ),
        ("x' = 1\nz = if x > 50 then x - 50 else 0\ny' = z'\ninit x = 0, y = 0\nrun 0 .. 60", "y", 10.0),
        ("x' = 1\ny' = if abs(x) > 10 then 1 else 0\ninit x = 0, y = 0\nrun 0 .. 12", "y", 2.0),
        ("x' = -1\nz = abs(x - 7) - (x - 7)\ny' = z'\ninit x = 7.5, y = 0\nrun 0 .. 3", "y", 5.0),
        ("x' = 1\nz = abs(x - 7) - (x - 7)\ny' = z'\ninit x = 7.5, y = 0\nrun 0 .. 3", "y", 0.0),
        ("x' = 1\nz = ramp(x - 30)\ny' = z'\ninit x = 0, y = 0\nrun 0 .. 31", "y", 1.0),
        ("x' = -1\nz = sqrt(x^2) - x\ny' = z'\ninit x = 1, y = 0\nrun 0 .. 2", "y", 2.0),
        ("x''' = 0\ninit x = 0, x' = 0, x'' = 2\nz = max(4, x)\ny' = z'\ninit y = 0\nrun 0 .. 3", "y", 5.0),
        ("x' = 1\nu = saturate(0.01*x, -0.5, 0.5)\ny' = 100*u'\ninit x = 0, y = 0\nrun 0 .. 60", "y", 50.0),
        ("x' = 1\ny' = sign(x - 9)*2\ninit x = 0, y = 0\nrun 0 .. 10", "y", -16.0),
        ("y' = pulse(t - 3.3, 1e-6)*1e6\ninit y = 0\nrun 0 .. 10", "y", 1.0),
    ]);
}

#[test]
fn numbers_far_from_one_are_not_zero() {
    let e = std::f64::consts::E;
    are_right(&[
        ("x' = 1\nz = 1e-300*x\ny' = 1e300*z'\ninit x = 0, y = 0\nrun 0 .. 2", "y", 2.0),
        ("x' = -x\n1e-300*z = 1e-300*x\ninit x = 1\nrun 0 .. 1", "z", 1.0 / e),
        ("x' = 1\nz = exp(-(x - 40)^2)\ny' = z'\ninit x = 0, y = 0\nrun 0 .. 40", "y", 1.0),
        ("x' = 1\nz = tanh(x - 50)\ny' = z'\ninit x = 0, y = 0\nrun 0 .. 100", "y", 2.0),
        ("x' = 1\nz = erf(x - 20)\ny' = z'\ninit x = 0, y = 0\nrun 0 .. 40", "y", 2.0),
    ]);
}

#[test]
fn what_cancels_exactly_is_zero_and_what_cancels_nearly_is_not() {
    let e = std::f64::consts::E;
    are_right(&[
        ("param a = 0.1, b = 0.2, c = 0.3\nx' = -x + (a + b - c)*exp(20*t)\ninit x = 1\nrun 0 .. 1", "x", 1.0 / e),
        ("param a = 0.1, b = 0.2, c = 0.3000001\nx' = z\n(a + b - c)*z = -1e-7*x\ninit x = 1\nrun 0 .. 1", "x", e),
        (
            "param a = 2, b = 2\nx' = z - x\n(a - b)*z + x = exp(-2*t)\nguess x = 1, z = -1\nrun 0 .. 1",
            "z",
            -1.0 / (e * e),
        ),
        (
            "x' = z - x\n(sinh(x)^2 - cosh(x)^2 + 1)*z + x = exp(-2*t)\nguess x = 1, z = -1\nrun 0 .. 1",
            "z",
            -1.0 / (e * e),
        ),
        (
            "x' = z\n(1/(1 + exp(-x)) + 1/(1 + exp(x)) - 1)*z + x = cos(t)\ninit x = 1\nguess z = 0\nrun 0 .. 1",
            "x",
            1.0_f64.cos(),
        ),
    ]);
}

#[test]
fn coefficients_pass_through_zero() {
    let e = std::f64::consts::E;
    are_right(&[
        ("x' = -x\n(x - 0.5)*z = x^2 - 0.25\ninit x = 1\nrun 0 .. 2", "z", 0.5 + 1.0 / (e * e)),
        ("x'' = -x\nsin(t)*z = sin(2*t)\ninit x = 1, x' = 0\nguess z = 2\nrun 0.5 .. 5", "z", 2.0 * 5.0_f64.cos()),
        ("(t - 1)*x' = (t - 1)*x\ninit x = 1\nrun 0 .. 2", "x", e * e),
        ("(1 - x)*x' = (1 - x)*1\ninit x = 0\nrun 0 .. 2", "x", 2.0),
        ("y' = (t - 1)*cos(t - 1)/(t - 1)\ninit y = 0\nrun 0 .. 2", "y", 2.0 * 1.0_f64.sin()),
    ]);
}

/// Identities that the prover does not know: the coefficient of z is rounding, and no run goes on with what it determines.
#[test]
fn an_identity_that_is_not_known_ends_the_run_by_name() {
    for text in [
        "x' = -x\n(log(2*x) - log(2) - log(x))*z = x - exp(-t)\ninit x = 1\nguess z = 0\nrun 0 .. 3",
        "x' = z\n(log(x^2) - 2*log(x))*z + x = 2 + sin(t)\ninit x = 2\nguess z = 1\nrun 0 .. 3",
        "x' = z\n(cbrt(x)^3 - x)*z + x = 2 + cos(t)\ninit x = 3\nguess z = 0\nrun 0 .. 3",
        "x' = -x\n(sqrt(x)*sqrt(x + 1) - sqrt(x*(x + 1)))*z = 1\ninit x = 1\nrun 0 .. 3",
    ] {
        let model =
            compile(&Source::text(text), &CompileOptions::default()).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        for method in METHODS {
            let options = RunOptions { method: method.into(), error: ErrorWish::Off, ..RunOptions::default() };
            let run = simulate(&model, &options, &mut Memory::default()).expect("it begins");
            let kind = run.reason.as_ref().map(|reason| reason.kind);
            assert_eq!(kind, Some("not_finite"), "{text}\n{method}: {:?}", run.reason);
        }
    }
}
