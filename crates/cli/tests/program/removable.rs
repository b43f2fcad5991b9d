//! Points where the equations are 0/0 and the solution is smooth: passed, within the tolerance; and poles, which are not.

use crate::support::ordinate;
use serde_json::Value;

fn end(model: &str, t: &str, more: &[&str]) -> Value {
    ordinate(&[&["run", "-e", model, "-t", t, "--summary", "json", "-q"], more].concat()).expect(0).json()
}

/// The largest difference of the final values.
fn apart(a: &Value, b: &Value) -> f64 {
    let values = a["final"].as_object().expect("values");
    let difference = |(name, value): (&String, &Value)| {
        (value.as_f64().expect("a value") - b["final"][name].as_f64().expect("a value")).abs()
    };
    values.iter().map(difference).fold(0.0, f64::max)
}

/// The mean logarithmic temperature difference at equal ones, with a simple and with a double zero, one whose time is given.
const MODELS: [(&str, &str); 4] = [
    ("x' = -x*y; y' = (x - 0.5)/log(x/0.5) - y; init x = 1, y = 0.5", "3"),
    ("x' = 1 - 2*x; y' = (x - 0.3)/(1 - exp(-10*(x - 0.3))) - 100*y; init x = 0, y = 0", "5"),
    ("x' = 1; y' = y*(1 - cos(x - 1))/(x - 1)^2; init x = 0, y = 5", "3"),
    ("y' = y*sin(t - 1)/(t - 1); y(0) = 1", "3"),
];

#[test]
fn a_removable_point_is_passed_at_every_tolerance() {
    for (model, t) in MODELS {
        let exact = end(model, t, &["-m", "dp8", "--rtol", "1e-13", "--atol", "1e-14", "--no-error"]);
        for (method, tolerance) in ["auto", "taylor"].into_iter().flat_map(|m| [(m, 1e-4), (m, 1e-6), (m, 1e-10)]) {
            let (rtol, atol) = (tolerance.to_string(), (1e-2 * tolerance).to_string());
            let summary = end(model, t, &["-m", method, "--rtol", &rtol, "--atol", &atol]);
            let (error, estimate) = (apart(&summary, &exact), summary["global_error"]["estimate"].as_f64());
            assert!(error < 50.0 * tolerance, "{model} {method} {tolerance}: {error:e}");
            assert!(error < 10.0 * estimate.expect("an estimate") + 1e-12, "{model} {method} {tolerance}: {error:e}");
        }
    }
    let summary = end(MODELS[0].0, "3", &[]);
    assert!(summary["steps"].as_u64().expect("a number") <= 5, "{summary}");
}

/// The rates of Hodgkin and Huxley are 0/0 at 10 and 25 mV, which every action potential passes four times. J. Physiol. 117 (1952)
/// 500–544, eqs. (12), (20).
#[test]
fn the_axon_of_hodgkin_and_huxley_fires() {
    let model = "V' = I - 120*m^3*h*(V - 115) - 36*n^4*(V + 12) - 0.3*(V - 10.6); \
        n' = 0.01*(10 - V)/(exp((10 - V)/10) - 1)*(1 - n) - 0.125*exp(-V/80)*n; \
        m' = 0.1*(25 - V)/(exp((25 - V)/10) - 1)*(1 - m) - 4*exp(-V/18)*m; \
        h' = 0.07*exp(-V/20)*(1 - h) - h/(exp((30 - V)/10) + 1); \
        param I = 10; init V = 0, n = 0.3177, m = 0.0529, h = 0.5961";
    for current in 0..8 {
        let set = format!("I={}", 6 + 2 * current);
        let more = |method, rtol| ["--set", set.as_str(), "-m", method, "--rtol", rtol, "--no-error"];
        let exact = end(model, "100", &more("dp8", "1e-12"));
        for method in ["auto", "taylor"] {
            let summary = end(model, "100", &more(method, "1e-6"));
            let error = apart(&summary, &exact);
            assert!(error < 2e-3, "{set} {method}: {error:e}");
            assert!(summary["steps"].as_u64().expect("a number") < 500, "{summary}");
        }
    }
}

#[test]
fn a_given_step_goes_over_the_point() {
    let (model, t) = MODELS[0];
    let exact = end(model, t, &["-m", "dp8", "--rtol", "1e-13", "--atol", "1e-14", "--no-error"]);
    // steps that end a little before the point, and the next one begins there
    for step in ["0.1", "0.248819766", "0.31102470768", "0.4"] {
        let summary = end(model, t, &["-m", "taylor", "--step", step]);
        assert!(apart(&summary, &exact) < 1e-8, "{step}: {summary}");
    }
}

#[test]
fn poles_are_still_named() {
    for (model, pole) in [
        ("y' = 1/(1 - t); y(0) = 0", 1.0),
        ("x' = 1; y' = sin(x - 1)/(x - 1)^2; init x = 0, y = 5", 1.0),
        ("x' = -1/log(x); x(0) = 2", 2.0 * 2f64.ln() - 1.0),
        ("y' = 1/(y - 2)^2; y(0) = 0", 8.0 / 3.0),
    ] {
        for method in ["auto", "taylor"] {
            let args = ["run", "-e", model, "-t", "5", "-m", method, "--summary", "json", "-q"];
            let summary = ordinate(&args).expect(3).json();
            assert_eq!(summary["reason"]["kind"], "singularity", "{model} {method}: {summary}");
            let t = summary["t_reached"].as_f64().expect("a time");
            assert!((t - pole).abs() < 1e-6, "{model} {method}: {t}");
        }
    }
}

/// 0/0 where the run starts is told; a little beside it the run begins.
#[test]
fn a_start_on_the_point_is_refused_and_one_beside_it_is_not() {
    let model = |start: &str| MODELS[0].0.replace("x = 1", &format!("x = {start}"));
    let summary = ordinate(&["run", "-e", &model("0.5"), "-t", "3", "--summary", "json", "-q"]).expect(3).json();
    assert_eq!(summary["reason"]["kind"], "not_finite");
    let hint = summary["reason"]["hint"].as_str().expect("a text");
    assert!(hint.contains("0/0") && hint.contains("beside"), "{hint}");
    for start in ["0.5000000001", "0.50001", "0.501"] {
        let exact = end(&model(start), "3", &["-m", "dp8", "--rtol", "1e-12", "--atol", "1e-13", "--no-error"]);
        let summary = end(&model(start), "3", &[]);
        assert!(apart(&summary, &exact) < 2e-6, "{start}: {summary}");
    }
}
