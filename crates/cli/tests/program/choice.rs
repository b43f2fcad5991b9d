//! What is told about the choice of a method, and what is wrong with one that fails.

use crate::support::ordinate;

fn run(model: &str, t: &str, more: &[&str]) -> crate::support::Answer {
    ordinate(&[&["run", "-e", model, "-t", t], more].concat())
}

#[test]
fn the_reason_of_a_choice_is_told_where_it_is_not_the_usual_one() {
    let algebraic = run("x' = -y; exp(y) + y = x; x(0) = 2", "1", &[]).expect(0);
    assert!(algebraic.err.contains("auto    radau") && algebraic.err.contains("algebraic"), "{}", algebraic.err);
    let usual = run("x' = -x^2; x(0) = 2", "1", &[]).expect(0);
    assert!(!usual.err.contains("auto    "), "{}", usual.err);
}

#[test]
fn a_model_is_stiff_in_all_places_or_in_none() {
    for (model, stiff) in [("x' = -1e5*(x^3 - cos(t)); x(0) = 1", true), ("x' = -x^2; x(0) = 2", false)] {
        let summary = run(model, "10", &["--summary", "json"]).expect(0).json();
        let chosen = summary["chosen"].as_str().expect("a text").contains("the model is stiff");
        assert_eq!((summary["stiff"].as_bool(), chosen), (Some(stiff), stiff), "{summary}");
    }
}

#[test]
fn a_trace_of_nothing_says_so() {
    let line = "no implicit step was taken: taylor";
    let answer = run("x' = -x^2; x(0) = 2", "1", &["--trace", "newton", "-q", "-o", "rows.csv"]).expect(0);
    assert!(answer.out.contains(line), "{answer:?}");
    let answer = run("x' = -x^2; x(0) = 2", "1", &["--trace", "newton", "-q", "--summary", "json"]).expect(0);
    assert!(answer.err.contains(line), "{answer:?}");
    let answer =
        run("x' = -x^2; x(0) = 2", "1", &["--trace", "newton", "-q", "-m", "radau", "-o", "rows.csv"]).expect(0);
    assert!(!answer.out.contains("no implicit step"), "{answer:?}");
}

#[test]
fn a_step_beyond_stability_is_named_and_so_are_numbers_that_end() {
    let stiff = "y' = -1e3*(y - cos(t)); y(0) = 0";
    for method in ["ab4", "rk4", "euler", "abm"] {
        let answer = run(stiff, "10", &["-m", method, "--step", "0.01", "--summary", "json", "-q"]).expect(3).json();
        let reason = &answer["reason"];
        let [message, hint] = ["message", "hint"].map(|part| reason[part].as_str().expect("a text"));
        assert!(message.contains("overflows"), "{method}: {reason}");
        assert!(hint.contains("stability") && hint.contains("--step"), "{method}: {reason}");
    }
    let growing = "y' = 100*(y - cos(t)) - sin(t); y(0) = 1";
    for method in ["auto", "radau", "dp5", "bdf"] {
        let answer = run(growing, "10", &["-m", method, "--summary", "json", "-q"]).expect(3).json();
        assert_eq!(answer["reason"]["kind"], "not_finite", "{method}: {answer}");
        let hint = answer["reason"]["hint"].as_str().expect("a text");
        assert!(hint.contains("growing term") && !hint.contains("--step"), "{method}: {hint}");
    }
}

#[test]
fn no_smaller_step_is_asked_for_where_none_was_given() {
    let more = ["-m", "trapezoid", "--rtol", "1e-13", "--atol", "1e-16", "--summary", "json", "-q"];
    // log(exp(300 + y)) has fewer digits than the tolerance asks for.
    let text = "y' = -1e6*(log(exp(300 + y)) - 300 - cos(t)) - sin(t); y(0) = 1";
    let answer = run(text, "10", &more).expect(3).json();
    let hint = answer["reason"]["hint"].as_str().expect("a text");
    assert!(!hint.contains("--step") && hint.contains("--rtol"), "{hint}");
}

/// Steps that end at samples and events are steps of some method, too.
#[test]
fn every_step_of_a_run_is_that_of_a_method() {
    let sampled = "x' = -x + u; every 0.1: u = -x; init x = 1";
    let events = "x' = -x*x; when x < 0.5: x = 1; init x = 1";
    let implicit = "x' = -z; z + z^3 = x; when x < 0.5: x = 1; init x = 1; guess z = 0.7";
    for (model, t) in [(sampled, "1"), (sampled, "0.95"), (events, "10"), (implicit, "3")] {
        let summary = run(model, t, &["--summary", "json", "-q"]).expect(0).json();
        let chosen = summary["chosen"].as_str().unwrap_or_else(|| panic!("no choice: {summary}"));
        let (shares, _) = chosen.split_once(": ").expect("the reason stands behind a colon");
        let steps: u64 = shares
            .split(", ")
            .map(|share| share.split(' ').nth(1).and_then(|n| n.parse::<u64>().ok()).expect("steps"))
            .sum();
        assert_eq!(Some(steps), summary["steps"].as_u64(), "{model}: {summary}");
        assert_ne!(summary["method"], "auto", "{model}: {summary}");
    }
}

#[test]
fn a_trace_without_a_step_does_not_blame_the_method() {
    let more = [
        "-m",
        "backward-euler",
        "--step",
        "0.01",
        "--newton-start",
        "1e200",
        "--trace",
        "newton",
        "-q",
        "-o",
        "rows.csv",
    ];
    let answer = run("x' = -x^3; init x = 10", "0.01", &more).expect(3);
    assert!(answer.out.contains("before a step was taken"), "{answer:?}");
}

/// Which equation it was, not only which variable.
#[test]
fn reasons_name_their_equations() {
    let cases = [
        ("x' = -x; z^2 = x - 0.5; init x = 1; guess z = 0.7", "auto", "z", "`z^2 = x - 0.5`"),
        ("x' = -1/sqrt(t - 1); init x = 1", "dp5", "x", "`x' = "),
        ("x' = 1; y' = sqrt(0.5 - x); init x = 0, y = 1", "dp5", "y", "`y' = sqrt(0.5 - x)`"),
    ];
    for (model, method, variable, equation) in cases {
        let summary = run(model, "3", &["-m", method, "--summary", "json", "-q"]).expect(3).json();
        let reason = &summary["reason"];
        assert_eq!(reason["variable"], variable, "{model}: {reason}");
        assert!(reason["message"].as_str().is_some_and(|text| text.contains(equation)), "{model}: {reason}");
    }
}
