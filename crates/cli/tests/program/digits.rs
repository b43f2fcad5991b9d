//! `--precision` and `--digits`: runs beyond double precision, and digits that are checked before they are claimed.

use crate::golden::{Text, cases, list, number, string, text_of};
use crate::support::{Answer, Place, ordinate, repository};
use serde_json::Value;

fn run(args: &[&str]) -> Answer {
    ordinate(&[&["run"], args].concat())
}

fn summary(args: &[&str]) -> Value {
    run(&[args, &["--summary", "json", "-q"]].concat()).expect(0).json()
}

fn example(name: &str) -> String {
    repository().join("examples").join(name).to_string_lossy().into_owned()
}

/// The difference of two decimal texts as a double, by their digits up to 10⁻³⁰.
fn difference(a: &str, b: &str) -> f64 {
    (fixed(a) - fixed(b)) as f64 * 1e-30
}

fn fixed(text: &str) -> i128 {
    let (number, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().expect("an exponent");
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: i128 = format!("{whole}{fraction}").chars().take(38).collect::<String>().parse().expect("digits");
    let places = fraction.len() as i32 - exponent - ((whole.len() + fraction.len()) as i32 - 38).max(0);
    match 30 - places {
        up @ 0.. => digits * 10i128.pow(up as u32),
        down => digits / 10i128.pow(down.unsigned_abs().min(38)),
    }
}

/// Table 3.11: eᵗ in one step of each order; the difference to e is computed in the precision of the run.
#[test]
fn one_step_of_each_order_has_the_error_of_the_reference_data() {
    let file = repository().join("tests/golden/methods.json");
    let data: Value = serde_json::from_str(&std::fs::read_to_string(file).expect("the data")).expect("JSON");
    let cases = data["cases"].as_array().expect("cases");
    let table = cases.iter().find(|case| case["id"] == "exp-order-table").expect("the table");
    let model = ["-e", "y' = y; y(0) = 1; output d = y - exp(1)", "-t", "1", "--step", "1"];
    for row in table["rows"].as_array().expect("rows") {
        let order = row["ORD"].to_string();
        let expected: f64 = row["abs_error"].as_str().expect("a number").parse().expect("a number");
        let found = summary(&[&model[..], &["--order", &order, "--precision", "60"]].concat());
        let error = found["final"]["d"].as_f64().expect("a number").abs();
        assert!((error / expected - 1.0).abs() < 1e-8, "order {order}: {error:e} instead of {expected:e}");
    }
    // in 128 bits, 38 digits, the table says 4.4e-39 at 33 terms
    let found = summary(&[&model[..], &["--order", "33", "--precision", "38"]].concat());
    let error = found["final"]["d"].as_f64().expect("a number").abs();
    assert!(error < 4.4e-39 && error > 1e-39, "{error:e}");
    let text = found["final_text"]["y"].as_str().expect("a text");
    assert!(text.starts_with("2.71828182845904523536028747135266249775"), "{text}");
}

/// A thousand radians of a circle, with the numbers of both kinds.
#[test]
fn long_runs_keep_their_digits() {
    for (precision, allowed) in [("25", 1e-22), ("40", 1e-37), ("100", 1e-97)] {
        let found = summary(&[
            "-e",
            "x'' = -x; init x = 1, x' = 0; output d = x - cos(t)",
            "-t",
            "1000",
            "--precision",
            precision,
        ]);
        let error = found["final"]["d"].as_f64().expect("a number").abs();
        assert!(error < allowed, "{precision} digits: {error:e}");
    }
}

#[test]
fn literals_parameters_and_times_are_exact_decimals() {
    let text = "param k = 1, p = pi/7; y' = k; z' = 0; init y = 0.2, z = p";
    let answer = run(&["-e", text, "--set", "k=0.1", "-t", "1", "--precision", "40", "--at", "0.3,1"]).expect(0);
    let rows: Vec<&str> = answer.out.lines().filter(|line| !line.starts_with('#')).collect();
    let row = |t: &str, y: &str| {
        let padded = |text: &str| format!("{text}{}", "0".repeat(43 - text.trim_start_matches("0.").len() - 1));
        format!("{},{},0.448798950512827605494663340468500412028167", padded(t), padded(y))
    };
    assert_eq!(rows[0], "time,y,z");
    assert_eq!(rows[1], row("0.3", "0.23"));
    assert_eq!(rows[2].split_once(',').map(|(_, rest)| rest), row("1", "0.3").split_once(',').map(|(_, rest)| rest));
}

/// Kepler, pendulum, Lorenz and Duffing to twenty digits of the reference data.
#[test]
fn twenty_digits_are_those_of_the_reference_data() {
    let chosen = ["kepler-e0.75-t12.57", "lorenz-160", "pend-nonlin", "duffing-stable-large", "maglev-open"];
    let mut seen = 0;
    for file in ["basic", "control", "global_error"] {
        let path = repository().join(format!("tests/golden/{file}.json"));
        let data: Value = serde_json::from_str(&std::fs::read_to_string(path).expect("the data")).expect("JSON");
        for case in data["cases"].as_array().expect("cases") {
            let id = case["id"].as_str().expect("a name");
            if !chosen.contains(&id) {
                continue;
            }
            seen += 1;
            let text = crate::golden::model_text(case).expect("a text");
            let place = Place::new().with("case.eq", text);
            // a time of the reference data is a double, with all its digits
            let exactly = |t: &Value| format!("{:.60}", t.as_f64().expect("a time"));
            let (from, to) = (exactly(&case["t0"]), exactly(&case["tend"]));
            let args = ["run", "case.eq", "--t-start", &from, "-t", &to, "--digits", "20", "--summary", "json", "-q"];
            let found = place.run(&args).expect(0).json();
            assert_eq!(found["digits"]["delivered"], true, "{id}: {found}");
            let last = case["reference"].as_array().and_then(|rows| rows.last()).expect("a reference");
            for (k, state) in case["states"].as_array().expect("states").iter().enumerate() {
                let state = state.as_str().expect("a name");
                let expected = last["y_hp"][k].as_str().expect("digits");
                let own = found["final_text"][state].as_str().expect("digits");
                let scale = case["scale"][k].as_f64().expect("a number");
                let error = difference(own, expected).abs() / scale;
                assert!(error < 1e-20, "{id}, {state}: {own} instead of {expected}");
            }
        }
    }
    assert_eq!(seen, chosen.len());
}

/// Of y' = −y with four steps of order 8 the error is known from the solution itself, which stands beside it.
#[test]
fn runs_beyond_doubles_show_and_subtract_their_error() {
    let model = ["-e", "y' = -y; y(0) = 1; output d = exp(-t) - y", "-t", "2", "--at", "0,0.5,1,1.5,2"];
    let coarse = [&model[..], &["--precision", "40", "--order", "8", "--step", "0.5"]].concat();
    let table = |more: &[&str]| {
        let place = Place::new();
        place.run(&[&["run"], &coarse[..], more, &["-o", "o.csv"]].concat()).expect(0);
        place.table("o.csv")
    };
    let shown = table(&["--error"]);
    assert_eq!(shown.names, ["time", "y", "d", "error(y)", "error(d)"]);
    for row in &shown.rows[1..] {
        // |d| is e⁻ᵗ·t·h⁸/9!, 1e-9 of it are its own digits
        assert!(row[2].abs() > 1e-9 && (row[3] / row[2] + 1.0).abs() < 0.002, "{row:?}");
        assert!((row[4] / row[2] - 1.0).abs() < 0.01, "{row:?}");
    }
    let corrected = table(&["--correct"]);
    for (row, plain) in corrected.rows[1..].iter().zip(&shown.rows[1..]) {
        assert!(row[2].abs() < 0.01 * plain[2].abs(), "{row:?} {plain:?}");
    }
    let found = summary(&[&coarse[..], &["--correct"]].concat());
    assert_eq!((&found["global_error"]["corrected"], &found["global_error"]["gap"]), (&true.into(), &Value::Null));
    let text = found["final_text"]["y"].as_str().expect("digits");
    assert!(difference(text, "0.135335283236612691893999494972").abs() < 1e-11, "{text}");
    // rows at steps have their errors, too
    let steps = run(&["-e", "y' = -y; y(0) = 1", "-t", "2", "--at", "steps", "--precision", "30", "--error"]).expect(0);
    assert!(steps.out.contains("error(y)") && !steps.out.contains("NaN"), "{}", steps.out);
}

/// A run that ends early has an error up to where it came.
#[test]
fn a_pole_leaves_the_error_before_it() {
    let answer =
        run(&["-e", "y' = y^2; y(0) = 1", "-t", "2", "--precision", "30", "--summary", "json", "-q"]).expect(3);
    let error = &answer.json()["global_error"];
    assert!(error["estimate"].as_f64().is_some_and(|e| e > 0.0), "{error}");
    assert!(error["until"].as_f64().is_some_and(|t| t > 0.9), "{error}");
}

/// Cases that take a minute are run up to their first reference only.
const LONG: [&str; 1] = ["kepler-e0.75-t628.3"];

/// How far the digits of a case are from the reference data, in units of 10⁻¹² of the largest value; `None` if they were refused.
fn units_off(case: &Value, text: &str, names: &[String]) -> Option<f64> {
    let place = Place::new().with("case.eq", text);
    let mut references = list(&case["reference"]);
    if LONG.contains(&string(&case["id"]).as_str()) {
        references = &references[..1];
    }
    // a time of the reference data is a double, with all its digits
    let exactly = |t: &Value| format!("{:.60}", number(t));
    let times: Vec<String> = references.iter().map(|r| exactly(&r["t"])).collect();
    let (from, to) = (exactly(&case["t0"]), times.last().expect("a reference"));
    let at = times.join(",");
    let answer =
        place.run(&["run", "case.eq", "--t-start", &from, "-t", to, "--at", &at, "--digits", "12", "-o", "o.csv"]);
    if answer.code == 3 {
        return None;
    }
    assert!(answer.code == 0, "{}: {}", case["id"], answer.err);
    let table = place.table("o.csv");
    let largest = list(&case["scale"]).iter().map(number).fold(0.0, f64::max);
    let mut worst = 0.0f64;
    for (k, name) in names.iter().enumerate() {
        let column = table.names.iter().position(|known| known == name).expect("a column");
        // what stays zero is measured by the others
        let scale = Some(number(&case["scale"][k])).filter(|scale| *scale > 0.0).unwrap_or(largest);
        for (row, reference) in table.rows.iter().zip(references) {
            let error = (row[column] - number(&reference["y"][k])).abs() / scale;
            worst = if error.is_nan() { f64::INFINITY } else { worst.max(error) };
        }
    }
    Some(worst / 1e-12)
}

/// Every smooth case of the reference data gets its twelve digits, and they are right.
#[test]
fn twelve_digits_of_every_smooth_case_are_right() {
    let (mut seen, mut refused, mut wrong) = (0, Vec::new(), Vec::new());
    for case in ["ode", "linear-ode"].iter().flat_map(|kind| cases(kind)) {
        let Some(Text { text, names }) = text_of(&case) else { continue };
        seen += 1;
        match units_off(&case, &text, &names) {
            None => refused.push(string(&case["id"])),
            Some(units) if units > 1.0 => wrong.push(format!("{}: {units:.1}", string(&case["id"]))),
            Some(_) => {}
        }
    }
    assert!(wrong.is_empty() && refused.is_empty(), "wrong: {wrong:?}, refused: {refused:?}");
    assert!(seen >= 70, "{seen}");
}

/// Chaos: 12 digits at t = 40 need more than doubles have, and are those that 50 digits give.
#[test]
fn chaos_gets_the_precision_that_it_needs() {
    let lorenz = example("lorenz.eq");
    let found = summary(&[&lorenz, "-t", "40", "--digits", "12"]);
    assert!(found["digits"]["precision"].as_u64().expect("a number") > 24, "{found}");
    let exact = summary(&[&lorenz, "-t", "40", "--precision", "50"]);
    for state in ["x", "y", "z"] {
        let [own, exact] = [&found, &exact].map(|run| run["final_text"][state].as_str().expect("digits"));
        assert!(difference(own, exact).abs() < 1e-11, "{state}: {own} {exact}");
    }
    let text = run(&[&lorenz, "-t", "20", "--digits", "6", "--summary", "text"]).expect(0).out;
    assert!(text.contains("6 digits verified"), "{text}");
}

#[test]
fn digits_that_cannot_be_had_are_refused_with_the_result_kept() {
    let ball = example("bouncing-ball.eq");
    let answer = run(&[&ball, "-t", "3", "--digits", "17", "--summary", "json", "-o", "ball.csv"]).expect(3);
    let found = answer.json();
    assert_eq!(found["reason"]["kind"], "precision_unreachable", "{found}");
    let reached = found["digits"]["reached"].as_f64().expect("a number");
    assert!(reached > 9.0 && reached < 17.0, "{found}");
    assert_eq!(found["t_reached"], 3.0);
    assert!(answer.err.contains("wrote   ball.csv"), "{}", answer.err);
    // what they are asked for less is delivered
    let found = summary(&[&ball, "-t", "3", "--digits", "9"]);
    assert_eq!(found["digits"]["delivered"], true, "{found}");
}

/// What only doubles can do says so, and what to do.
#[test]
fn models_that_have_no_other_precision_are_named() {
    for (model, reason) in [
        (example("bouncing-ball.eq"), "events"),
        (example("dc-motor-sampled.eq"), "`every`"),
        (example("house-table.eq"), "file"),
    ] {
        let answer = run(&[&model, "--precision", "30"]).expect(2);
        assert!(answer.err.contains(reason) && answer.err.contains("--precision"), "{model}: {}", answer.err);
    }
}

/// All runs in doubles share the roundings of their constants: 0.1 is not a tenth, and a phase of 10⁴ radians shows it. The
/// switch, which never opens, keeps the model from other precisions.
#[test]
fn rounding_of_constants_is_counted() {
    let text = "param w = 0.1; x' = w*y; y' = -w*x + (if x > 3 then 1 else 0); init x = 0, y = 1";
    let found = run(&["-e", text, "-t", "1e5", "--digits", "12", "--summary", "json", "-q"]).json();
    let reached = found["digits"]["reached"].as_f64().expect("a number");
    // |sin(w t) − sin(w (1 + 5.55e-17) t)| is 5.55e-13 at most
    assert!((12.0..12.6).contains(&reached), "{found}");
    let checked = found["digits"]["checked_by"].as_str().expect("a text");
    assert!(checked.contains("perturbed constants"), "{found}");
}

/// What is granted for many digits is granted for few: a check by another method that is too coarse says nothing.
#[test]
fn fewer_digits_are_not_harder() {
    let lorenz = "x' = 10*(y - x); y' = x*(28 - z) - y; z' = x*y - 8/3*z; init x = 1, y = 1, z = 1";
    let relay = "x' = -x; x(0) = 1; when x < 0.5: x = 1";
    let touch = "x' = cos(t); y' = if x > 0.999999 then 1 else 0; init x = 0, y = 0";
    let root = "x' = sqrt(t); x(0) = 0";
    for (model, end, digits) in [
        (lorenz, "20", [3, 4, 5].as_slice()),
        (relay, "100", &[4, 9, 10]),
        (touch, "30", &[3, 5, 7]),
        (root, "3", &[6]),
    ] {
        for digits in digits {
            let summary = summary(&["-e", model, "-t", end, "--digits", &digits.to_string()]);
            assert_eq!(summary["digits"]["delivered"], true, "{model}: {digits} digits: {}", summary["digits"]);
        }
    }
}

/// The error of what is written is not smaller than half a unit of its last digit.
#[test]
fn the_last_digit_written_is_rounded() {
    let found = summary(&["-e", "x' = 0.3*x; x(0) = 0.1", "-t", "100", "--digits", "6"]);
    let value = number(&found["final"]["x"]);
    let exact = 0.1 * 30f64.exp();
    assert!((value / exact - 1.0).abs() < 1e-12);
    assert!(number(&found["global_error"]["estimate"]) >= 0.5e-16 * value, "{}", found["global_error"]);
}

/// Few digits need no more than doubles, so start values may follow from the equations.
#[test]
fn digits_of_a_pendulum_whose_start_follows() {
    let model = "x'' = -2*lam*x; y'' = -2*lam*y + 9.81; x^2 + y^2 = 1; init x = 0.6, x' = 0; guess y = 0.8";
    let found = ordinate(&["run", "-e", model, "-t", "1", "--digits", "6", "--at", "1", "--summary", "json"]).expect(0);
    let all = format!("{}; init y = 0.8, y' = 0", model.trim_end_matches("; guess y = 0.8"));
    let exact = ordinate(&["run", "-e", &all, "-t", "1", "--digits", "12", "--at", "1", "--summary", "json"]).expect(0);
    let x = |answer: &crate::support::Answer| answer.json()["final"]["x"].as_f64().expect("a number");
    assert!((x(&found) - x(&exact)).abs() < 1e-6, "{found:?}");
    let refused = ordinate(&["run", "-e", model, "-t", "1", "--precision", "30"]).expect(2);
    assert!(refused.err.contains("leave `--precision` out"), "{refused:?}");
}
