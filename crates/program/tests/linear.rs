//! Which models are linear, and what their linear form is: A y + b + C g must be what the evaluator computes.

use ordinate_model::{resolve, sort};
use ordinate_program::{Evaluator, compile};
use ordinate_solve::{LinearForm, System};
use ordinate_syntax::parse;
use std::sync::Arc;

fn evaluator(text: &str) -> Evaluator {
    let (tree, diagnostics) = parse(text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let resolved = resolve(&tree, text, &Vec::new(), &|_, _| unreachable!("no tables"));
    let (mut sorted, diagnostics) = sort(resolved.model, false);
    assert!(!ordinate_syntax::has_errors(&diagnostics), "{diagnostics:?}");
    Evaluator::new(Arc::new(compile(&mut sorted, false)))
}

/// A y + b + C g at a point.
fn derivative(form: &LinearForm, t: f64, y: &[f64]) -> Vec<f64> {
    let n = y.len();
    let mut hidden = vec![0.0; form.inputs.len()];
    form.hidden(t, &mut hidden);
    let element = |j: usize| if j < n { y[j] } else { hidden[j - n] };
    (0..n).map(|i| form.constant[i] + form.matrix.row(i).map(|(j, a)| a * element(j)).sum::<f64>()).collect()
}

/// The form, expanded at two times, agrees with the evaluator at several points; and its hidden states satisfy their
/// equations.
fn check(text: &str, d: &[f64]) -> LinearForm {
    let mut system = evaluator(text);
    let n = system.layout().states;
    for origin in [0.0, 1.5] {
        let form = system.linear(origin, d).unwrap_or_else(|| panic!("linear: {text}"));
        for t in [0.0, 0.4, 1.5, 3.7] {
            let y: Vec<f64> = (0..n).map(|k| 0.3 + 0.17 * ((k * 7 % 11) as f64) - t).collect();
            let mut expected = vec![0.0; n];
            system.derivative(t, &y, d, &mut expected);
            for (found, expected) in derivative(&form, t, &y).iter().zip(&expected) {
                assert!(
                    (found - expected).abs() <= 1e-12 * expected.abs().max(1.0),
                    "{text}: {found} {expected} at {t}"
                );
            }
            for (k, input) in form.inputs.iter().enumerate() {
                let tau = t - origin;
                let slope: f64 = input.derivative().iter().map(|(part, c)| c * part.value(tau)).sum();
                let by_row: f64 = form.matrix.row(n + k).map(|(j, a)| a * form.inputs[j - n].value(tau)).sum();
                assert!((slope - by_row).abs() <= 1e-12 * slope.abs().max(1.0), "{text}: input {k}");
            }
        }
    }
    system.linear(0.0, d).expect("just found")
}

#[test]
fn constant_coefficients_and_generated_inputs_are_recognised() {
    for (text, inputs) in [
        ("y' = -y; y(0) = 1", 0),
        ("x'' = -4*x - 0.1*x' + 3; x(0) = 1; x'(0) = 0", 0),
        ("param a = 2, b = 3\nx' = (a*x - y)/b + sqrt(a)\ny' = -(x - 2*(y - x*b))\nx(0) = 1; y(0) = 0", 0),
        ("input u = sin(3*t + 1)\ny' = -y + 2*u\ny(0) = 0", 2),
        ("y' = -y + cos(-2*t)*exp(-t/2)\ny(0) = 0", 2),
        ("y' = t^2 - y\ny(0) = 0", 3),
        ("y' = (t - 2)*(t + 1)*t - y\ny(0) = 0", 4),
        ("y' = sin(t)^2 + sin(t)*cos(2*t)\ny(0) = 0", 6),
        ("y' = -y + cosh(t/3) + t*sin(5*t)\ny(0) = 0", 6),
        ("w = 2*x - y\nx' = w + t\ny' = -w\nx(0) = 1; y(0) = 0", 2),
    ] {
        let form = check(text, &[]);
        assert_eq!(form.inputs.len(), inputs, "{text}");
    }
}

#[test]
fn what_is_not_linear_is_not_recognised() {
    for text in [
        "y' = -y^2; y(0) = 1",
        "x' = x*y; y' = -y; x(0) = 1; y(0) = 1",
        "y' = sin(y); y(0) = 1",
        "y' = t*y; y(0) = 1",
        "y' = y/(1 + t); y(0) = 1",
        "y' = -y + sqrt(t + 1); y(0) = 1",
        "y' = -y + exp(t^2); y(0) = 1",
        "y' = -y + tan(t); y(0) = 1",
        "y' = -y + t^9; y(0) = 1",
        "y' = 1/y; y(0) = 1",
        "y' = -y + 1/(1 - 1); y(0) = 1",
    ] {
        assert!(evaluator(text).linear(0.0, &[]).is_none(), "{text}");
    }
}

/// Between events a branch is one of its sides, and the side not taken may be anything.
#[test]
fn the_form_is_that_of_the_branches_taken() {
    let mut system = evaluator("y' = if y > 1 then -2*y else y^2 + 1\ny(0) = 0.5");
    let form = system.linear(0.0, &[1.0]).expect("the linear side");
    assert_eq!((form.matrix.values.clone(), form.constant.clone()), (vec![-2.0], vec![0.0]));
    assert!(system.linear(0.0, &[-1.0]).is_none(), "the other side is not");
    let form = check("input u = if t < 1 then 5 else 7\ny' = u - y\ny(0) = 0", &[1.0]);
    assert_eq!(form.constant.len(), 1);
}

/// Held values are constants of the form.
#[test]
fn held_values_are_part_of_the_constants() {
    let mut system = evaluator("y' = u - y\nu(0) = 0\nevery 0.1: u = -3*y\ny(0) = 1");
    assert_eq!(system.linear(0.0, &[0.75]).expect("linear").constant, vec![0.75]);
    assert_eq!(system.linear(0.0, &[-2.0]).expect("linear").constant, vec![-2.0]);
}

/// Twenty thousand states, and one sum over all of them: the work must stay in proportion.
#[test]
fn large_models_are_recognised_in_time_proportional_to_their_size() {
    let text = std::fs::read_to_string(format!("{}/../../examples/telegraph-harmonic.eq", env!("CARGO_MANIFEST_DIR")));
    let text = text.expect("an example").replace("S  = 100 ", "S  = 10000 ");
    let form = evaluator(&text).linear(0.0, &[]).expect("linear");
    assert_eq!((form.states(), form.inputs.len(), form.matrix.values.len()), (20_000, 2, 40_003));
    let terms: Vec<String> = (1..=5000).rev().map(|k| format!("x[{k}]")).collect();
    let sum = format!(
        "for k in 1..5000: x[k]' = -x[k]\nfor k in 1..5000: init x[k] = 1\ny' = {} - y\ny(0) = 0",
        terms.join(" + ")
    );
    assert_eq!(evaluator(&sum).linear(0.0, &[]).expect("linear").matrix.values.len(), 10_001);
}
