//! Stiff models that stick and slide: `auto` changes the method there, too, and what it shows is right.

use crate::support::ordinate;
use serde_json::Value;

/// A body held by friction and what follows it within microseconds.
const FOLLOWED: &str = "v' = 4*sin(t) - 3*sign(v); v(0) = 0; i' = 1e6*(v - i); i(0) = 0";

/// A motor with dry friction and hardly any inductance.
fn motor(inductance: &str) -> String {
    format!("i' = (0.5*sin(t) - i - 0.1*w)/{inductance}; w' = (0.1*i - 0.03*sign(w))/0.01; init i = 0, w = 0")
}

fn end(model: &str, t: &str, more: &[&str]) -> Value {
    ordinate(&[&["run", "-e", model, "-t", t, "--summary", "json", "-q"], more].concat()).expect(0).json()
}

#[test]
fn what_follows_a_body_at_rest_is_at_rest_in_every_row() {
    for method in ["auto", "radau"] {
        let table = ordinate(&["run", "-e", FOLLOWED, "-t", "0.8", "-m", method, "-q"]).expect(0).table();
        assert_eq!(table.rows.len(), 501);
        // the body begins to move where 4 sin t = 3, at 0.848
        let largest = table.deviation("i", |_| 0.0).max(table.deviation("v", |_| 0.0));
        assert!(largest < 1e-8, "{method}: {largest:e}");
    }
    let summary = end(FOLLOWED, "10", &["--at", "0.4"]);
    assert!(summary["global_error"]["estimate"].as_f64().expect("an estimate") < 1e-8, "{summary}");
}

#[test]
fn stiffness_is_noticed_while_a_solution_sticks() {
    for (model, t) in [(FOLLOWED.to_string(), "10"), (motor("1e-6"), "6"), (motor("1e-8"), "6")] {
        let summary = end(&model, t, &[]);
        let exact = end(&model, t, &["-m", "radau", "--rtol", "1e-10", "--atol", "1e-12", "--no-error"]);
        // a series costs a fraction of an implicit step, so some more of them come first
        assert!(summary["steps"].as_u64().expect("a number") < 500, "{model}: {summary}");
        assert!(summary["chosen"].as_str().expect("a text").contains("radau"), "{summary}");
        assert_eq!(summary["stiff"], true);
        for (name, value) in exact["final"].as_object().expect("values") {
            let [exact, value] = [value, &summary["final"][name]].map(|value| value.as_f64().expect("a value"));
            assert!((value - exact).abs() < 2e-6, "{model}: {name} {value} {exact}");
        }
    }
}

/// Friction alone is not stiff.
#[test]
fn an_easy_model_that_sticks_stays_with_taylor() {
    let summary = end("x' = v; v' = 2*sin(t) - x - sign(v); init x = 0, v = 0", "20", &[]);
    assert_eq!(summary["stiff"], false, "{summary}");
    assert!(!summary["chosen"].as_str().expect("a text").contains("radau"), "{summary}");
}

/// s′ = −s/(K + s) comes to its end at t = 1 + K ln …; what is left fades with the time constant K, far below the tolerance.
#[test]
fn a_solution_that_fades_fast_is_left_to_an_implicit_method() {
    for (constant, steps) in [("1e-4", 60), ("1e-5", 60), ("1e-8", 100), ("1e-9", 100)] {
        let summary = end(&format!("s' = -s/({constant} + s); s(0) = 1"), "2", &[]);
        assert!(summary["steps"].as_u64().expect("a number") < steps, "{constant}: {summary}");
        assert!(summary["final"]["s"].as_f64().expect("a value").abs() < 1e-8, "{constant}: {summary}");
        assert_eq!(summary["stiff"], true);
    }
    // what was never above the tolerance is followed as if it counted
    let small = end("x' = v; v' = -x - x^3*1e20; init x = 1e-11, v = 0", "300", &["--no-error"]);
    assert_eq!(small["stiff"], false, "{small}");
}

/// Friction that grows near to a standstill, 0.5 exp(−(v/0.1)²), leaves no trace in a series at v = 1: the step must see it before it
/// ends at v = 0. All methods agree.
#[test]
fn friction_that_wakes_up_before_a_standstill_is_seen() {
    let model = "param k1 = 10, k2 = 50
        1*x0'' = 3*sin(0.7*t) - k1*(x0 - x1) - 0.3*sign(x0') - 0.3*x0'
        2*x1'' = -x1 - k1*(x1 - x0) - k2*(x1 - x2) - 0.3*sign(x1') - 0.3*x1'
        2*x2'' = -x2 - k2*(x2 - x1) - 1.5*(1 + 0.5*exp(-(x2'/0.1)^2))*sign(x2') - 0.05*x2'
        init x0 = 1, x0' = 0, x1 = 1, x1' = 0, x2 = 0.5, x2' = 0";
    let run = |method: &str, rtol: &str| {
        let args = ["run", "-e", model, "-t", "12", "--at", "12", "-m", method, "--rtol", rtol, "--atol", rtol];
        let found = ordinate(&[&args[..], &["-q", "--summary", "json"]].concat()).expect(0).json();
        found["final"]["x1'"].as_f64().expect("a number")
    };
    let exact = run("dp8", "1e-12");
    for (method, rtol) in
        [("auto", "1e-6"), ("taylor", "1e-9"), ("taylor", "1e-11"), ("dp8", "1e-9"), ("radau", "1e-9")]
    {
        let found = run(method, rtol);
        assert!((found - exact).abs() < 1e-5, "{method} at {rtol}: {found} instead of {exact}");
    }
}

/// The same without a standstill: long steps of any method come down before what sleeps, or see it.
#[test]
fn what_sleeps_on_the_way_is_not_leapt_over() {
    for method in ["auto", "taylor", "dp5", "dp8", "bs23", "radau", "radau5", "radau3", "bdf", "trapezoid"] {
        for start in ["0.55", "0.8", "0.95", "1", "1.05"] {
            let model = format!("v' = -1 - 0.75*exp(-(v/0.1)^2); v(0) = {start}");
            let run = |method: &str| {
                let args = ["run", "-e", &model, "-t", "1.4", "--at", "1.4", "-m", method, "-q", "--summary", "json"];
                ordinate(&args).expect(0).json()["final"]["v"].as_f64().expect("a number")
            };
            let (found, exact) = (run(method), run("dp8"));
            assert!((found - exact).abs() < 1e-4, "{method} from {start}: {found} instead of {exact}");
        }
    }
}
