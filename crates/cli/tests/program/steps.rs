//! The methods that stand on several steps, as they are called: what they need, what they refuse, what they report.

use crate::support::{Place, ordinate, repository};
use serde_json::Value;

const CIRCLE: &str = "y' = z; z' = -y; init y = 1, z = 0; run 0 .. 6";

#[test]
fn adams_methods_of_one_order_ask_for_a_step() {
    for method in ["ab1", "ab6", "am0", "am5", "abm", "ge3"] {
        let model = if method == "ge3" { "x'' = -x; init x = 1, x' = 0; run 0 .. 6" } else { CIRCLE };
        let refused = ordinate(&["run", "-e", model, "-m", method]).expect(2);
        assert!(refused.err.contains("--step"), "{method}: {}", refused.err);
        let summary = ordinate(&["run", "-e", model, "-m", method, "--step", "0.01", "--summary", "json"]).expect(0);
        assert_eq!((&summary.json()["method"], &summary.json()["steps"]), (&method.into(), &600.into()));
    }
}

#[test]
fn orders_are_chosen_and_refused() {
    let run = |more: &[&str]| ordinate(&[&["run", "-e", CIRCLE, "--summary", "json"], more].concat());
    let summary = run(&["-m", "ode113", "--max-order", "5"]).expect(0).json();
    assert_eq!((&summary["method"], &summary["order"]["max"]), (&"adams".into(), &5.into()));
    let summary = run(&["-m", "abm", "--order", "6", "--step", "0.1"]).expect(0).json();
    assert_eq!(summary["order"]["max"], 6);
    for (arguments, word) in [
        (["-m", "abm", "--order", "7"], "between 1 and 6"),
        (["-m", "adams", "--order", "13"], "between 1 and 12"),
        (["-m", "abm", "--max-order", "3"], "`--order`"),
        (["-m", "ab4", "--order", "3"], "its own"),
    ] {
        let refused = run(&arguments).expect(2);
        assert!(refused.err.contains(word), "{arguments:?}: {}", refused.err);
    }
}

/// The sitting body without damping keeps its energy; with it `ge3` names the equation.
#[test]
fn ge3_keeps_the_energy_and_refuses_damping() {
    let examples = repository().join("examples");
    let example = |name: &str| examples.join(name).display().to_string();
    for name in ["human-body-free.eq", "spring-chain.eq"] {
        let summary = ordinate(&["run", &example(name), "-m", "ge3", "--step", "0.002", "--summary", "json"]).expect(0);
        let drift = summary.json()["energy_drift"].as_f64().expect("a number");
        assert!(drift > 0.0 && drift < 1e-12, "{name}: {drift:e}");
    }
    let damped = ordinate(&["run", &example("human-body.eq"), "-m", "ge3", "--step", "0.01"]).expect(2);
    assert!(damped.err.contains("`x2''`") && damped.err.contains("`x2'`"), "{}", damped.err);
    let refused = ordinate(&["run", "-e", "y' = -y; y(0) = 1", "-t", "1", "-m", "ge3", "--step", "0.01"]).expect(2);
    assert!(refused.err.contains("`y`"), "{}", refused.err);
    let place = Place::new().with("n.eq", "x'' = -sin(x); init x = 1, x' = 0; run 0 .. 9");
    let summary = place.run(&["run", "n.eq", "-m", "ge3", "--step", "0.01", "--summary", "json"]).expect(0);
    assert!(summary.json()["energy_drift"].is_null(), "only linear systems have a known energy");
}

/// A fixed step of the Taylor method ends with small terms. Where a bound of the order leaves no room for them, that is said.
#[test]
fn a_bound_of_the_order_that_no_step_keeps_is_named() {
    let args = ["run", "-e", "x' = -x^3 + sin(t); x(0) = 1", "-t", "1", "-m", "taylor", "--step", "0.1", "-q"];
    let summary = ordinate(&[&args[..], &["--max-order", "3", "--summary", "json"]].concat()).expect(3).json();
    assert!(summary["reason"]["hint"].as_str().is_some_and(|hint| hint.contains("--max-order")), "{summary}");
    ordinate(&[&args[..], &["--order", "3", "--summary", "json"]].concat()).expect(0);
}

/// Where events do work, or a step is too long for the method, nothing is said of the energy.
#[test]
fn ge3_does_not_count_energy_across_events() {
    let drift = |model: &str, t_end: &str, step: &str| {
        let words = ["run", "-e", model, "-t", t_end, "-m", "ge3", "--step", step, "--summary", "json", "-q"];
        ordinate(&words).expect(0).json()["energy_drift"].as_f64()
    };
    assert!(drift("x'' = -x; x(0) = 1; x'(0) = 0", "5", "0.05").is_some_and(|drift| drift < 1e-12));
    for model in [
        "x'' = -x - sign(x'); x(0) = 3; x'(0) = 0",
        "x'' = -x; x(0) = 1; x'(0) = 0; when x < 0: x' = 3*x'",
        "x'' = -x + 5*step(t - 1); x(0) = 1; x'(0) = 0",
    ] {
        assert_eq!(drift(model, "5", "0.05"), None, "{model}");
    }
    assert_eq!(drift("x'' = -x; x(0) = 1; x'(0) = 0", "100", "3"), None, "beyond the limit of stability");
}

/// What is not known of the energy is said, and why.
#[test]
fn ge3_says_why_it_does_not_know_the_energy() {
    for (model, step, word) in [
        ("x'' = -100*x; x(0) = 1; x'(0) = 0", "0.3", "unbounded"),
        ("x'' = -sin(x); x(0) = 1; x'(0) = 0", "0.1", "linear"),
        ("x'' = -x + sin(t); x(0) = 1; x'(0) = 0", "0.1", "time"),
        ("x'' = -3*x + y; y'' = -x - y; x(0) = 1; x'(0) = 0; y(0) = 0; y'(0) = 0", "0.1", "masses"),
        ("x'' = -x; x(0) = 1; x'(0) = 0; when x < 0: x' = 3*x'", "0.1", "events"),
    ] {
        let words = ["run", "-e", model, "-t", "20", "-m", "ge3", "--step", step, "--summary", "json"];
        let told = ordinate(&words).expect(0);
        let summary = told.json();
        assert!(summary["energy_drift"].is_null(), "{model}: {summary}");
        assert!(summary["energy"].as_str().is_some_and(|energy| energy.contains(word)), "{model}: {summary}");
        assert!(
            told.err.lines().any(|line| line.starts_with("energy") && line.contains(word)),
            "{model}: {}",
            told.err
        );
    }
}

/// A fixed step that lets solutions grow which do not is named, with the product of step and rate, the limit, and a step that works.
#[test]
fn a_step_beyond_stability_is_named() {
    let chain = "for k in 1..3: x[k]'' = 100*(l[k] - 2*x[k] + r[k]); for k in 2..3: l[k] = x[k-1]; l[1] = 0; \
                 for k in 1..2: r[k] = x[k+1]; r[3] = 0; for k in 1..3: init x[k] = 1/k, x[k]' = 0";
    for (model, method, step, t_end, words, stable) in [
        ("x'' = -100*x; x(0) = 1; x'(0) = 0", "ge3", "0.3", "100", ["h·ω = 3, the limit is 2", "below 0.2"], 0.2),
        ("x'' = -100*x + sin(t); x(0) = 1; x'(0) = 0", "ge3", "0.3", "100", ["h·ω = 3,", "below 0.2"], 0.2),
        ("x'' = -100*sin(x); x(0) = 0.1; x'(0) = 0", "ge3", "0.3", "100", ["at t = 0", "stable there"], 0.2005),
        (chain, "ge3", "0.12", "20", ["the limit is 2", "below 0.108239"], 0.108239220029239),
        (
            "x' = -100*x; x(0) = 1",
            "rk4",
            "1",
            "10",
            ["h·λ = -100, the limit is -2.78529", "up to 0.0278529"],
            0.0278529,
        ),
        ("x' = -100*x; x(0) = 1", "rk4", "1", "1000", ["h·λ = -100", "up to 0.0278529"], 0.0278529),
    ] {
        let run = |step: &str, code: i32| {
            let args = ["run", "-e", model, "-t", t_end, "-m", method, "--step", step, "--summary", "json"];
            ordinate(&args).expect(code)
        };
        let told = run(step, if t_end == "1000" { 3 } else { 0 });
        let found = told.json()["beyond_stability"].clone();
        let longest = found["longest_step"].as_f64().expect("a step");
        assert!((longest / stable - 1.0).abs() < 1e-3, "{model}: {found}");
        for word in words {
            assert!(told.err.contains(word), "{model}: no `{word}` in {}", told.err);
            assert!(found["hint"].as_str().is_some_and(|hint| hint.contains(word)), "{model}: {found}");
        }
        let within = run(&format!("{}", 0.5 * stable), 0);
        assert!(within.json()["beyond_stability"].is_null(), "{model}: {}", within.err);
    }
    // An end that the model asks for does not hide it.
    let ended =
        ["-e", "x'' = -100*x; x(0) = 1; x'(0) = 0; stop when x > 1e6", "-t", "100", "-m", "ge3", "--step", "0.3"];
    let told = ordinate(&[&["run"][..], &ended, &["--summary", "json"]].concat()).expect(0);
    assert!(told.err.contains("h·ω = 3, the limit is 2"), "{}", told.err);
    // Chaos and what grows by itself are not the fault of the step.
    for (model, method, step, t_end) in [
        ("x' = 10*(y - x); y' = x*(28 - z) - y; z' = x*y - 8/3*z; init x = 1, y = 1, z = 1", "rk4", "0.01", "40"),
        ("x'' = x; x(0) = 1; x'(0) = 0", "ge3", "0.5", "40"),
    ] {
        let told = ordinate(&["run", "-e", model, "-t", t_end, "-m", method, "--step", step, "--summary", "json"]);
        assert!(told.expect(0).json()["beyond_stability"].is_null(), "{model}");
    }
}

/// Steps so long that a method damps what does not come to rest: shorter ones do the same, and agree about it.
#[test]
fn runs_that_come_to_the_same_false_rest_are_not_right() {
    let lorenz = "x' = 10*(y - x); y' = x*(28 - z) - y; z' = x*y - 8/3*z; init x = 1, y = 1, z = 1";
    let prey = "x' = x - x*y; y' = x*y - y; init x = 2, y = 1";
    let oscillator = "x' = y; y' = -x; init x = 1, y = 0";
    for (model, end) in [(lorenz, "10"), (prey, "30"), (oscillator, "50")] {
        let run = |method: &[&str]| {
            let args = ["run", "-e", model, "-t", end, "--at", end, "-q", "--summary", "json"];
            ordinate(&[&args[..], method].concat()).expect(0).json()
        };
        let exact = run(&["-m", "taylor", "--rtol", "1e-12", "--atol", "1e-12"]);
        for (method, step) in [("backward-euler", "0.5"), ("bdf1", "0.75"), ("bdf2", "0.75"), ("radau3", "0.6")] {
            let found = run(&["-m", method, "--step", step]);
            for name in ["x", "y"] {
                let value = |run: &Value| run["final"][name].as_f64().expect("a number");
                let error = (value(&found) - value(&exact)).abs();
                let told = found["global_error"]["by_variable"][name].as_f64().unwrap_or(f64::INFINITY);
                assert!(told > 0.5 * error, "{method} {step}, {name} in {model}: {told:e} instead of {error:e}");
            }
        }
    }
}

/// The equations of a long step have several solutions: that of the Robertson reaction begins with no yB at all, where the derivatives
/// say nothing of what is to come, and a first change with them leads to a root with yB < 0.
#[test]
fn given_steps_take_the_right_one_of_several_roots() {
    for model in ["robertson", "robertson-dae"] {
        let path = repository().join(format!("examples/{model}.eq"));
        for method in ["backward-euler", "am0", "bdf1", "bdf2", "bdf3", "bdf4", "radau3", "radau5"] {
            for step in ["0.01", "0.02", "0.05", "0.1", "0.2"] {
                let args =
                    ["run", path.to_str().expect("a path"), "-t", "3", "--at", "3", "-m", method, "--step", step];
                let run = ordinate(&[&args[..], &["-q", "--summary", "json"]].concat()).expect(0).json();
                let value = |name: &str| run["final"][name].as_f64().expect("a number");
                assert!((value("yA") - 0.92188450).abs() < 2e-3, "{model}, {method} {step}: {}", value("yA"));
                assert!((value("yB") - 2.4383339e-5).abs() < 1e-6, "{model}, {method} {step}: {}", value("yB"));
            }
        }
    }
}
