//! Which functions are known from afar, and which may hold a pulse that a series does not see.

use ordinate_model::{resolve, sort};
use ordinate_program::compile;
use ordinate_solve::LocalFeatures;
use ordinate_syntax::parse;

fn pulses(text: &str) -> LocalFeatures {
    let (tree, diagnostics) = parse(text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let resolved = resolve(&tree, text, &Vec::new(), &|_, _| unreachable!("no tables"));
    let (mut sorted, diagnostics) = sort(resolved.model, false);
    assert!(!ordinate_syntax::has_errors(&diagnostics), "{diagnostics:?}");
    compile(&mut sorted, false).layout.pulses
}

#[test]
fn polynomials_roots_and_harmonic_inputs_are_known_from_afar() {
    for f in [
        "1",
        "t",
        "y^3 - t*y",
        "(y - t)/(y + t)",
        "cos(3*t + 1) - y",
        "y*sin(y + t)",
        "sqrt(1 + y^2)/(25 - t)",
        "log(1 + t)",
        "t^2.5",
        "1/(1 + t^4)",
        "sin(t)^4",
        "abs(sin(t))",
        "if t < 3 then 1 else y",
        "atan(100*(t - 5))",
    ] {
        assert_eq!(pulses(&format!("y' = {f}\ninit y = 1")), LocalFeatures::None, "{f}");
    }
}

#[test]
fn exponentials_and_high_powers_are_not() {
    for f in [
        "exp(-(t - 50)^2)",
        "sin(t)^101",
        "t^8/(1 + t^8)",
        "tanh(t - 5)",
        "1/cosh(t)",
        "2^t",
        "y + exp(sin(t))",
        "sin(t^3)",
        "y*((t - 1)*(t - 2)*(t - 3))^2",
        "t^y",
        "exp(y*t)",
        "erf(t)",
    ] {
        assert_eq!(pulses(&format!("y' = {f}\ninit y = 1")), LocalFeatures::InTime, "{f}");
    }
    // Series are longer than a power of eight, and see it.
    assert_eq!(pulses("y' = y^8\ninit y = 1"), LocalFeatures::None);
    for f in ["exp(-y^2)", "y^9", "y^(1/7)*y^8", "t*exp(y)", "tanh(y) + cos(t)", "t*y^9"] {
        assert_eq!(pulses(&format!("y' = {f}\ninit y = 1")), LocalFeatures::InState, "{f}");
    }
}

#[test]
fn parameters_and_definitions_count_with_what_they_stand_for() {
    assert_eq!(pulses("a = 7\ny' = t^a\ninit y = 1"), LocalFeatures::InTime);
    assert_eq!(pulses("a = 2\ny' = a^a*t^a\ninit y = 1"), LocalFeatures::None);
    assert_eq!(pulses("u = exp(-t)\ny' = -y + u\ninit y = 1"), LocalFeatures::InTime);
    assert_eq!(pulses("u = exp(-t)\ny' = -y\noutput u\ninit y = 1"), LocalFeatures::None);
}
