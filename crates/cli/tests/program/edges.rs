//! Where stiff and algebraic models come to an end, and what must not be stepped over.

use crate::support::{ordinate, repository};
use serde_json::Value;

/// x′ = exp(−(t−50)²) − x from rest: the input is zero in double precision for the first twenty seconds, and everywhere that a
/// first step over the whole run looks.
#[test]
fn an_input_that_is_silent_at_first_is_not_stepped_over() {
    // ∫ exp(−(s−50)²) exp(−(51−s)) ds to 51, which is e^(−3/4) √π/2 (1 + erf(1/2))
    let exact = (-0.75f64).exp() * std::f64::consts::PI.sqrt() / 2.0 * (1.0 + 0.520499877813046_5);
    for method in ["auto", "taylor", "dp8", "dp5", "bs23", "rk4", "radau", "radau5", "bdf", "adams", "trapezoid"] {
        let args = ["run", "-e", "x' = exp(-(t-50)^2) - x; x(0) = 0", "-t", "100", "-m", method, "--at", "51", "-q"];
        let found = ordinate(&args).expect(0).table().column("x")[0];
        assert!((found - exact).abs() < 1e-3, "{method}: {found} instead of {exact}");
    }
}

/// x of x′ = u(t) − x from zero at multiples of `every`, by Simpson's rule on steps that are shorter than anything in u.
fn response(u: impl Fn(f64) -> f64, every: f64, rows: usize) -> Vec<f64> {
    const PARTS: usize = 200;
    let h = every / PARTS as f64;
    let (whole, half) = ((-h).exp(), (-0.5 * h).exp());
    let mut x = 0.0;
    let mut found = vec![x];
    for row in 1..rows {
        for part in 0..PARTS {
            let t = every * (row - 1) as f64 + h * part as f64;
            x = whole * x + h / 6.0 * (whole * u(t) + 4.0 * half * u(t + 0.5 * h) + u(t + h));
        }
        found.push(x);
    }
    found
}

/// Pulses that come again and again leave no trace in a series between two of them: each of them must be seen, whatever the
/// steps were.
#[test]
fn no_pulse_of_a_periodic_input_is_stepped_over() {
    for (sharpness, phase) in [(50, 1.3), (100, 3.7), (100, 8.3), (300, 2.9), (300, 6.1)] {
        let u = |t: f64| (-f64::from(sharpness) * (0.1 * std::f64::consts::PI * (t - phase)).sin().powi(2)).exp();
        let exact = response(u, 0.5, 121);
        let model = format!("x' = exp(-{sharpness}*sin(pi*(t - {phase})/10)^2) - x; x(0) = 0");
        for method in ["auto", "taylor", "radau", "bdf", "dp8"] {
            let args = ["run", "-e", &model, "-t", "60", "-m", method, "--every", "0.5", "-q"];
            let found = ordinate(&args).expect(0).table().column("x");
            for (row, (found, exact)) in found.iter().zip(&exact).enumerate() {
                let t = 0.5 * row as f64;
                assert!((found - exact).abs() < 1e-4, "{method}, {model}, t = {t}: {found} instead of {exact}");
            }
        }
    }
}

/// A bump on the way of a particle is no input, but a straight line leads over it in one step all the same; and so does one in
/// numbers of many digits.
#[test]
fn what_lies_on_the_way_of_the_states_is_not_stepped_over() {
    // the energy x′² + 0.4 exp(−((x − 37)/2)²) is kept, so the bump only delays
    let model = "x'' = 0.1*(x - 37)*exp(-((x - 37)/2)^2); init x = 0, x' = 1";
    for how in [["-m", "auto"], ["-m", "taylor"], ["-m", "dp8"], ["--digits", "6"], ["--precision", "20"]] {
        let args = ["run", "-e", model, "-t", "100", "--at", "100", "-q", how[0], how[1]];
        let found = ordinate(&args).expect(0).table().column("x")[0];
        assert!((found - 99.08124).abs() < 1e-4, "{how:?}: {found}");
    }
}

/// Where a run in many digits would have overlooked the same as another one, both agree to all digits.
#[test]
fn digits_of_a_pulse_are_those_of_the_pulse() {
    let model = "x' = exp(-((t - 37.3)/0.5)^2) - x; x(0) = 0";
    let u = |t: f64| (-((t - 37.3) / 0.5f64).powi(2)).exp();
    let exact = response(u, 0.5, 77)[76];
    for how in [["--digits", "6"], ["--digits", "17"], ["--precision", "20"]] {
        let args = ["run", "-e", model, "-t", "100", "--at", "38", "-q", how[0], how[1]];
        let found = ordinate(&args).expect(0).table().column("x")[0];
        assert!((found - exact).abs() < 1e-6, "{how:?}: {found} instead of {exact}");
    }
}

/// sin is odd about 2π: the errors of two half steps cancel there, and the row in the middle shows what the end does not.
#[test]
fn errors_that_cancel_at_the_end_of_a_step_are_seen_inside() {
    for method in ["heun", "rk2", "rk4", "trapezoid"] {
        let model = "y' = max(-0.5, min(0.5, sin(t))); y(0) = 0";
        let args = ["run", "-e", model, "-t", "20", "-m", method, "--rtol", "1e-6", "--at", "2*pi", "-q"];
        let found = ordinate(&args).expect(0).table().column("y")[0];
        assert!(found.abs() < 2e-4, "{method}: {found} instead of nothing");
    }
}

/// A population that begins below the absolute tolerance: bdf keeps it near zero, and the error that it carries along is that of
/// a wrong branch.
#[test]
fn a_state_that_begins_too_small_has_an_honest_error() {
    for start in ["1e-40", "1e-12", "1e-10", "3e-9"] {
        let y0: f64 = start.parse().unwrap();
        let end = (2.0 - y0.ln()).to_string();
        let text = format!("y' = y*(1 - y); y(0) = {start}");
        let exact = y0 * (2.0 - y0.ln()).exp() / (1.0 - y0 + y0 * (2.0 - y0.ln()).exp());
        for method in ["bdf", "radau", "adams", "taylor", "dp8", "dp5"] {
            let args = ["run", "-e", &text, "-t", &end, "-m", method, "--summary", "json"];
            let summary = ordinate(&args).expect(0).json();
            let error = (summary["final"]["y"].as_f64().unwrap() - exact).abs();
            // null: no digit is known
            let told = summary["global_error"]["final"]["y"].as_f64().unwrap_or(f64::INFINITY);
            assert!(told > 0.3 * error, "{method} from {start}: error {error}, told {told}");
        }
    }
    let said = ordinate(&["run", "-e", "y' = y*(1 - y); y(0) = 1e-12", "-t", "30", "-m", "bdf"]).expect(0).err;
    assert!(said.contains("try --atol 1e-18"), "{said}");
}

/// One long step before many short ones must not become part of each of them: the order would never grow again.
#[test]
fn adams_finds_its_order_behind_a_long_silence() {
    let model = "x'' = 3*exp(-((t - 60)/0.2)^2) - x; init x = 0, x' = 0";
    for rtol in ["1e-6", "1e-9"] {
        let args =
            ["run", "-e", model, "-t", "100", "-m", "adams", "--rtol", rtol, "--summary", "json", "-q", "--no-error"];
        let summary = ordinate(&args).expect(0).json();
        assert!(summary["steps"].as_u64().expect("steps") < 1000, "rtol {rtol}: {summary}");
    }
}

/// However tight the tolerance is, a stiff linear model is not solved by millions of explicit steps.
#[test]
fn auto_leaves_a_stiff_linear_model_to_the_implicit_method() {
    let model = "x' = v; v' = -x - 0.1*v; z' = 1e6*(x - z); init x = 1, v = 0, z = 1";
    for rtol in ["1e-6", "1e-9", "1e-11"] {
        let args = ["run", "-e", model, "-t", "20", "--rtol", rtol, "--summary", "json", "-q", "--no-error"];
        let steps = ordinate(&args).expect(0).json()["steps"].as_u64().expect("steps");
        assert!(steps < 1000, "rtol {rtol}: {steps} steps");
    }
}

/// Torricelli's law: the vessel is empty at t = 2, and stays it, though the root has no derivative there.
#[test]
fn a_vessel_that_runs_dry_stays_empty() {
    for model in [
        "h' = -sqrt(max(h, 0)); h(0) = 1",
        "h' = -max(0, h)^0.5; h(0) = 1",
        "h' = if h > 0 then -sqrt(h) else 0; h(0) = 1",
    ] {
        for method in ["auto", "taylor", "radau", "bdf", "dp8", "rk4"] {
            let args = ["run", "-e", model, "-t", "4", "-m", method, "--at", "1,2,4", "-q"];
            let found = ordinate(&args).expect(0).table().column("h");
            for (found, exact) in found.iter().zip([0.25, 0.0, 0.0]) {
                assert!((found - exact).abs() < 1e-5, "{method}, {model}: {found} instead of {exact}");
            }
        }
    }
}

/// w = √h fulfils w' = −1/2, and would go on below zero: the series begin with the root, and steps are verified by the model.
#[test]
fn the_polynomial_system_does_not_leave_its_branch() {
    let text = "h' = -sqrt(max(h, 0)); h(0) = 1";
    for end in ["1.5", "3"] {
        let args = ["run", "-e", text, "-m", "mtsm", "-t", end, "--summary", "json", "-q"];
        let h = ordinate(&args).expect(0).json()["final"]["h"].as_f64().expect("a value");
        let right = (1.0f64 - 0.5 * end.parse::<f64>().expect("a time")).max(0.0).powi(2);
        assert!((h - right).abs() < 1e-6, "{end}: {h}, {right}");
    }
}

/// exp(3500) is no number, so 1/(1 + exp(…)) has no series where it is zero; it has a value all the same.
#[test]
fn auto_does_without_a_series() {
    let model = "y' = 1/(1 + exp(-50*(t - 70))) - y; y(0) = 0";
    let summary = ordinate(&["run", "-e", model, "-t", "100", "--summary", "json", "-q"]).expect(0).json();
    let found = summary["final"]["y"].as_f64().expect("a value");
    assert!((found - 1.0).abs() < 1e-6, "{found}");
    // after the place without a series the explicit method takes over again, none the worse for it: Fresnel's integral
    let model = "x' = sqrt(t)*sin(5*t); x(0) = 0";
    let summary = ordinate(&["run", "-e", model, "-t", "20", "--summary", "json", "-q"]).expect(0).json();
    let found = summary["final"]["x"].as_f64().expect("a value");
    assert!((found + 0.717_515_18).abs() < 1e-6, "{found}");
    assert!(summary["chosen"].as_str().expect("a text").contains("taylor"), "{summary}");
    // where ∂f/∂y is infinite there is more than one solution, and none is chosen
    let answer = ordinate(&["run", "-e", "y' = sqrt(y); y(0) = 0", "-t", "1", "-q", "-o", "o.csv"]);
    assert_eq!(answer.code, 3, "{answer:?}");
}

const PENDULUM: &str =
    "x'' = -2*lam*x; y'' = -2*lam*y + 9.81; x^2 + y^2 = 1; init x = 1, x' = 0, y = 0, y' = 0; guess lam = 0";

fn after(action: &str, at: &str) -> crate::support::Answer {
    let model = format!("{PENDULUM}; when t > 0.5: {action}");
    ordinate(&["run", "-e", &model, "-t", "0.6", "--at", at, "-o", "-"])
}

/// What an action sets stays; the rest follows onto the constraint and its derivative.
#[test]
fn events_keep_what_they_set_on_a_constraint() {
    let row = after("x = 0.5", "0.500001").expect(0).table();
    let value = |name: &str| row.column(name)[0];
    assert!((value("x") - 0.5).abs() < 1e-4, "{}", value("x"));
    assert!((value("x").powi(2) + value("y").powi(2) - 1.0).abs() < 1e-6);
    assert!((value("x") * value("x'") + value("y") * value("y'")).abs() < 1e-5);
    let row = after("x' = 3", "0.500001").expect(0).table();
    assert!((row.column("x'")[0] - 3.0).abs() < 1e-3, "{}", row.column("x'")[0]);
}

/// Loose tolerances and long steps come down after a pole without having seen it; there is no solution there.
#[test]
fn no_method_steps_over_a_pole() {
    let models = [
        ("x' = -1/log(x); x(0) = 2", 2.0 * 2f64.ln() - 1.0),
        ("x' = 1/cos(x); x(0) = 0", 1.0),
        ("x' = x/(1 - t); x(0) = 1", 1.0),
        ("x' = 1/(1 - t); x(0) = 0", 1.0),
        ("x' = -1/(x - y); y' = 1; init x = 1, y = 0", 1.0 - 2f64.ln()),
    ];
    for (model, pole) in models {
        for method in ["auto", "taylor", "dp5", "dp8", "bs23", "rk4", "adams", "radau", "bdf", "trapezoid", "euler"] {
            let how = ["run", "-e", model, "-t", "2.3", "-m", method, "-q", "--no-error", "--summary", "json"];
            for more in [["--rtol", "1e-3"], ["--rtol", "1e-4"], ["--step", "0.07"]] {
                // With a fixed step the stages in between may be on the other side, and the end not.
                let fixed = more[0] == "--step";
                if fixed && (["auto", "adams", "radau", "bdf"].contains(&method) || !model.contains("t)")) {
                    continue;
                }
                let answer = ordinate(&[&how[..], &more].concat()).expect(3);
                let summary: Value = serde_json::from_str(&answer.out).expect("a summary");
                let reached = summary["t_reached"].as_f64().expect("a time");
                assert!(reached < pole + 0.15, "{model} {method} {more:?}: {}", summary["reason"]);
            }
        }
    }
}

/// A quotient whose numerator vanishes, too, and one by something infinite are smooth.
#[test]
fn a_gap_in_a_quotient_is_no_pole() {
    let si = 0.946_083_070_367_183;
    for method in ["auto", "taylor", "dp5", "dp8", "rk4", "adams", "radau", "bdf"] {
        let model = "x' = 1; y' = sin(x)/x + 1/(1/x); init x = -1, y = 0";
        let found = ordinate(&["run", "-e", model, "-t", "2.1", "-m", method, "--at", "2", "-q"]).expect(0).table();
        assert!((found.column("y")[0] - 2.0 * si).abs() < 1e-4, "{method}: {}", found.column("y")[0]);
    }
}

/// Zero would be a claim that nobody has checked.
#[test]
fn a_run_that_never_began_has_no_error_of_zero() {
    let model = "x'' = -2*lam*x; y'' = -2*lam*y + 9.81; x^2 + y^2 = 1; init x = 2, x' = 0";
    let answer = ordinate(&["run", "-e", model, "-t", "1", "--summary", "json"]).expect(3);
    let summary: Value = serde_json::from_str(&answer.out).expect("a summary");
    assert_eq!(summary["reason"]["kind"], "inconsistent_start");
    assert!(summary["global_error"]["estimate"].is_null() && summary["global_error"]["final"]["x"].is_null());
    assert!(summary["global_error"]["gap"].as_str().is_some_and(|gap| gap.contains("unknown")), "{summary}");
    assert!(answer.err.contains("error is unknown"), "{}", answer.err);
}

/// An action that no state on the constraint can follow ends the run there.
#[test]
fn events_that_ask_the_impossible_end_the_run() {
    for action in ["x = 5", "x = 0.5, y = 0.5", "x' = 3, y' = 3"] {
        let answer = after(action, "0.6").expect(3);
        assert!(
            answer.err.contains("no solution at t = 0.5") && answer.err.contains("an event sets"),
            "{}",
            answer.err
        );
    }
}

/// z² = x ends at x = 0, z³ − 3z = x at its fold: the message says so instead of blaming step or tolerance.
#[test]
fn a_fold_is_called_one() {
    for (equation, guess, end) in [("z^2 - x", "1", "t = 1"), ("z^3 - 3*z - x", "2", "t = 3")] {
        let model = format!("x' = -1; 0 = {equation}; x(0) = 1; guess z = {guess}");
        let answer = ordinate(&["run", "-e", &model, "-t", "5", "--at", "5"]).expect(3);
        assert!(answer.err.contains("cannot be solved beyond") && answer.err.contains(end), "{}", answer.err);
        assert!(answer.err.contains("fold") && !answer.err.contains("inf"), "{}", answer.err);
    }
}

#[test]
fn implicit_models_have_help_of_their_own() {
    for (topic, words) in
        [("dae", "guess"), ("index", "--index direct"), ("newton", "--trace newton"), ("realtime", "--rate")]
    {
        let answer = ordinate(&["help", topic]).expect(0);
        assert!(answer.out.contains(words), "{topic}: {}", answer.out);
        assert!(answer.out.lines().all(|line| line.chars().count() <= 110), "{topic}");
    }
}

/// Golden `discretisation`: x′ = A x + B u with a held input as x₊ = F x + G u, column by column from unit vectors.
#[test]
fn one_step_from_unit_vectors_gives_the_discrete_matrices() {
    let text = std::fs::read_to_string(repository().join("tests/golden/methods.json")).expect("golden data");
    let all: Value = serde_json::from_str(&text).expect("JSON");
    let case = all["cases"].as_array().expect("cases").iter().find(|case| case["id"] == "discretisation");
    let case = case.expect("the case");
    let number = |value: &Value| value.as_str().expect("a number").parse::<f64>().expect("a number");
    for (method, name) in [("euler", "fe"), ("backward-euler", "be")] {
        for (column, start) in [("1", "0", "0"), ("0", "1", "0"), ("0", "0", "1")].into_iter().enumerate() {
            let model =
                format!("x' = v; v' = -4*x - 0.5*v + u; input u = {}; init x = {}, v = {}", start.2, start.0, start.1);
            let args = ["run", "-e", &model, "-t", "0.1", "-m", method, "--step", "0.1", "--at", "0.1", "-q"];
            let row = ordinate(&args).expect(0).table();
            for (i, state) in ["x", "v"].into_iter().enumerate() {
                let expected = match column {
                    2 => &case[format!("G_{name}")][i][0],
                    _ => &case[format!("F_{name}")][i][column],
                };
                let (expected, found) = (number(expected), row.column(state)[0]);
                assert!((found - expected).abs() < 1e-13, "{method}, column {column}, {state}: {found}, {expected}");
            }
        }
    }
}

/// An auxiliary variable that underflows at the start is evaluated again at every step; a written system needs it.
#[test]
fn an_exponential_that_underflows_returns() {
    for (text, end) in [("y' = tanh(5*(t - 20)) - y; y(0) = -1", "40"), ("x' = exp(-(t - 50)^2) - x; x(0) = 0", "52")] {
        let last = |method: &str| {
            let args = ["run", "-e", text, "-t", end, "-m", method, "--summary", "json", "-q"];
            let summary = ordinate(&args).expect(0).json();
            summary["final"].as_object().expect("values").values().next().and_then(|v| v.as_f64()).expect("a number")
        };
        let (found, right) = (last("mtsm"), last("dp8"));
        assert!((found - right).abs() < 1e-5 && right.abs() > 0.1, "{text}: {found}, {right}");
        let written = ordinate(&["transform", "-e", text, "--format", "eq"]);
        assert!(written.code == 1 && written.err.contains("for a double"), "{written:?}");
    }
}

/// Beyond double precision the error is compared with a run of more digits, or of shorter steps.
#[test]
fn runs_of_many_digits_have_an_error_too() {
    let run = |extra: &[&str]| {
        let args = ["run", "-e", "y' = y; y(0) = 1", "-t", "1", "--precision", "40", "--summary", "json", "-q"];
        ordinate(&[&args[..], extra].concat()).expect(0).json()
    };
    let free = run(&[])["global_error"]["estimate"].as_f64().expect("an estimate");
    assert!(free > 0.0 && free < 1e-38, "{free:e}");
    // the true error of a step of order 10 is 2.7e-8
    let single = run(&["--step", "1", "--order", "10"])["global_error"]["estimate"].as_f64().expect("an estimate");
    assert!((single / 2.731e-8 - 1.0).abs() < 0.01, "{single:e}");
}

/// Two events at one instant read the values before: what both of them set is not the sum of both.
#[test]
fn two_events_that_set_one_value_at_one_instant_are_told() {
    let run = |model: &str| ordinate(&["run", "-e", model, "-t", "10", "--summary", "json"]).expect(0);
    let model = |second: &str| {
        format!("x' = 1; x(0) = 0; n(0) = 0; m(0) = 0; when t > 5: n = n + 1, m = 7; when x > 5: {second}")
    };
    let both = run(&model("n = n + 10"));
    assert_eq!(both.json()["conflict"], serde_json::json!({"variable": "n", "t": 5.0}));
    assert!(both.err.contains("several events set `n` at t = 5"), "{}", both.err);
    // neither the same value nor another variable is one
    assert!(run(&model("m = 7")).json()["conflict"].is_null());
    assert!(run(&model("x = 0")).json()["conflict"].is_null());
}

#[test]
fn an_event_that_sets_no_number_is_called_one() {
    for (set, name) in [("n = log(3 - x)", "n"), ("n = 1, x = 1/(x - 5)", "x")] {
        let model = format!("x' = 1; x(0) = 0; n(0) = 0; when t >= 5: {set}");
        let answer = ordinate(&["run", "-e", &model, "-t", "10", "--summary", "json"]).expect(3);
        assert_eq!(answer.json()["reason"]["variable"], name);
        assert!(answer.err.contains(&format!("an event at t = 5 sets `{name}`")), "{}", answer.err);
    }
}

/// A first step that is cut at an event has the same series in two runs of the same order: what they have in common is no error.
#[test]
fn two_runs_that_meet_an_event_in_their_first_step_differ() {
    let model = "x' = if x < 0.5 then 1 + y else 0.3 - x*y; y' = cos(2*t) - y; x(0) = 0; y(0) = 0";
    let at = |rtol: &str, t: &str, more: &[&str]| {
        let args = [&["run", "-e", model, "-t", "5", "--rtol", rtol, "--atol", rtol, "--at", t, "--error", "-q"], more]
            .concat();
        ordinate(&args).expect(0).table()
    };
    for (rtol, t) in [("1e-3", "5"), ("1e-3", "0.45"), ("1e-5", "0.3"), ("1e-6", "0.4")] {
        let (found, exact) = (at(rtol, t, &[]), at("1e-13", t, &[]));
        for name in ["x", "y"] {
            let error = (found.column(name)[0] - exact.column(name)[0]).abs();
            let told = found.column(&format!("error({name})"))[0].abs();
            assert!(told > 0.3 * error, "{name} at {t}, rtol {rtol}: {error:e}, told {told:e}");
        }
    }
}

/// Two runs that both find nothing do not confirm each other where an input may be nonzero between rows.
#[test]
fn nothing_found_is_not_zero_error() {
    let narrow = "x' = exp(-1e10*(t - 3)^2); z' = -z; x(0) = 0; z(0) = 0";
    for method in ["auto", "taylor", "dp8", "radau", "bdf"] {
        let summary =
            ordinate(&["run", "-e", narrow, "-t", "10", "-m", method, "--summary", "json", "-q"]).expect(0).json();
        let error = &summary["global_error"];
        assert!(
            error["estimate"].is_null() && error["gap"].as_str().expect("a reason").contains("`x`"),
            "{method}: {error}"
        );
        // nothing acts on z: it is zero
        assert_eq!(error["by_variable"]["z"], 0.0, "{method}");
    }
    let answer = ordinate(&["run", "-e", narrow, "-t", "10", "--digits", "5", "--summary", "json"]).expect(3);
    assert_eq!(answer.json()["reason"]["kind"], "precision_unreachable");
}
