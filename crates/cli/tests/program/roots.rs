//! Points that a solution leaves though f has no derivative there, and such where it must not be chosen how.

use crate::support::ordinate;

fn end(model: &str, t: &str, more: &[&str]) -> serde_json::Value {
    ordinate(&[&["run", "-e", model, "-t", t, "--summary", "json", "-q"], more].concat()).expect(0).json()
}

/// Tanks that fill: the level, the inflow through a pipe from another one, and where it all came from nothing.
#[test]
fn an_empty_tank_is_filled() {
    // u = √h fulfils t = −2 u − ln(1 − 2 u)
    let time_of = |h: f64| -2.0 * h.sqrt() - (-2.0 * h.sqrt()).ln_1p();
    let forms = ["sqrt(h)", "sqrt(max(h, 0))", "sqrt(abs(h))*sign(h)", "h^0.5"];
    for (form, more) in forms.iter().flat_map(|form| [(form, &[][..]), (form, &["--step", "0.001"][..])]) {
        let summary = end(&format!("h' = 0.5 - {form}; h(0) = 0"), "3", more);
        let h = summary["final"]["h"].as_f64().expect("a value");
        // dt/dh = 1/h′
        let error = (time_of(h) - 3.0).abs() * (0.5 - h.sqrt());
        let estimate = summary["global_error"]["estimate"].as_f64().expect("an estimate");
        assert!(error < 1e-5 && error < 10.0 * estimate, "{form} {more:?}: {error:e}, estimated {estimate:e}");
        if more.is_empty() {
            assert!(error < 1e-7, "{form}: {error:e}");
            assert!(summary["chosen"].as_str().expect("a text").contains("no Taylor series"), "{summary}");
        }
    }
    // two tanks, both empty, the second of which is filled by the first one alone, and levels that are equal
    let f = "def f(x) = sqrt(abs(x))*sign(x);";
    for model in [
        "a' = 0.5 - sqrt(a); b' = sqrt(a) - sqrt(b); init a = 0, b = 0".to_string(),
        "a' = 0.5 + sqrt(a); b' = sqrt(a) - sqrt(b); init a = 0, b = 0".to_string(),
        format!("{f} a' = 0.5 - f(a - b); b' = f(a - b)/3 - 0.2*f(b); init a = 0, b = 0"),
        format!("{f} a' = 0.5 - f(a - b); b' = f(a - b)/3; init a = 1, b = 1"),
        "a' = if t < 1 then 0 else 0.5 - a^0.7; b' = -1e6*(b - cos(t)); init a = 0, b = 1".to_string(),
    ] {
        let (auto, other) =
            (end(&model, "4", &[]), end(&model, "4", &["-m", "dp8", "--rtol", "1e-9", "--atol", "1e-12"]));
        for state in ["a", "b"] {
            let [auto, other] = [&auto, &other].map(|summary| summary["final"][state].as_f64().expect("a value"));
            assert!((auto - other).abs() < 2e-6, "{model}: {state} {auto} {other}");
        }
    }
    // what has run empty stays so
    for model in ["h' = -sqrt(max(h, 0)); h(0) = 1", &format!("{f} h' = -f(h); h(0) = 1"), "h' = -sqrt(h); h(0) = 0"] {
        let summary = end(model, "5", &[]);
        assert!(summary["final"]["h"].as_f64().expect("a value").abs() < 1e-8, "{summary}");
        assert!(summary["steps"].as_u64().expect("a number") < 50, "{summary}");
    }
}

/// x = 0 and x = t²/4 both fulfil x′ = √x: nobody chooses.
#[test]
fn one_of_several_solutions_is_not_chosen() {
    for model in [
        "x' = sqrt(x); x(0) = 0",
        "x' = x^(1/3); x(0) = 0",
        "x' = 1e6*x + 1e-9*sqrt(x); x(0) = 0",
        // x″ = √x: also x = t⁴/144
        "x' = v; v' = sqrt(x); init x = 0, v = 0",
        "a' = sqrt(a); b' = 0.5 - sqrt(b); init a = 0, b = 0",
    ] {
        let answer = ordinate(&["run", "-e", model, "-t", "1", "-o", "o.csv"]).expect(3);
        assert!(
            answer.err.contains("no Taylor series at t = 0") && answer.err.contains("several solutions"),
            "{answer:?}"
        );
    }
}

/// An instant at which f cannot be evaluated is none for the integral, if f stays bounded.
#[test]
fn a_single_instant_does_not_stop_a_run() {
    // Si(10)
    for form in ["if t == 0 then 1 else sin(t)/t", "if t > 0 then sin(t)/t else 1", "sin(t)/t"] {
        for method in ["auto", "dp8", "radau"] {
            let summary = end(&format!("x' = {form}; x(0) = 0"), "10", &["-m", method]);
            let found = summary["final"]["x"].as_f64().expect("a value");
            assert!((found - 1.658_347_594_218_874).abs() < 1e-6, "{form} {method}: {found}");
        }
    }
    // sin(π) is positive by rounding where the branch after it begins; half of B(3/4, 1/2)
    let summary = end("x' = sign(sin(t))*sqrt(abs(sin(t))); x(0) = 0", "2.5*pi", &[]);
    assert!((summary["final"]["x"].as_f64().expect("a value") - 1.198_140_234_735_592).abs() < 1e-5, "{summary}");
    for model in ["x' = 1/t; x(0) = 0", "x' = 1/sqrt(t); x(0) = 0", "x' = log(t); x(0) = 0"] {
        ordinate(&["run", "-e", model, "-t", "1", "-q", "-o", "o.csv"]).expect(3);
    }
}
