//! Which of several solutions a run begins on: what is given or guessed of any variable chooses, whether it is a state or not.

use ordinate::{CompileOptions, Discard, Run, RunOptions, Source, Status, compile, simulate};

fn run(text: &str, t_end: &str) -> Run {
    let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes");
    let options = RunOptions { t_end: Some(t_end.into()), ..RunOptions::default() };
    simulate(&compiled, &options, &mut Discard).expect("it can begin")
}

/// The end of a run is this, within the tolerance.
fn ends(text: &str, t_end: &str, expected: &[(&str, f64)]) {
    let run = run(text, t_end);
    assert_eq!(run.outcome.status, Status::Ok, "{text}: {:?}", run.reason);
    for &(name, expected) in expected {
        let found = run.final_value(name).expect("it is a column");
        assert!((found - expected).abs() < 1e-5 * expected.abs().max(1.0), "{text}: {name} = {found}, not {expected}");
    }
}

fn refused(text: &str) -> String {
    let run = run(text, "1");
    let reason = run.reason.expect("it says why");
    assert_eq!(reason.kind, "inconsistent_start", "{text}: {}", reason.message);
    reason.message
}

#[test]
fn what_is_given_of_an_eliminated_variable_chooses_the_branch() {
    let circle = "a + b = 1\na^2 + b^2 = 25\nc' = a\ninit c = 0\n";
    for (line, a) in [("init a = -3", -3.0), ("init a = 4", 4.0), ("init b = 4", -3.0), ("guess a = -2", -3.0)] {
        ends(&format!("{circle}{line}\n"), "1", &[("a", a), ("b", 1.0 - a), ("c", a)]);
    }
    let message = refused(&format!("{circle}init a = -2\n"));
    assert!(message.contains("the start value -2 of `a` contradicts the equations"), "{message}");
    let chain = "p = 2*q\nr = q + 1\nr^2 = 4 + t\nc' = p\ninit c = 0\n";
    ends(&format!("{chain}guess q = -3\n"), "0", &[("r", -2.0), ("q", -3.0), ("p", -6.0)]);
    ends(&format!("{chain}guess p = 3\n"), "0", &[("r", 2.0), ("q", 1.0)]);
}

#[test]
fn so_does_that_of_a_derivative_or_of_what_the_reduced_system_eliminates() {
    let hidden = "x' = z^2\ny' = -z\nx + y = 1\ninit x = 1\n";
    for line in ["guess z = 0.9", "guess y' = -1", "init z = 1", "guess z = 5"] {
        ends(&format!("{hidden}{line}\n"), "1", &[("z", 1.0), ("x", 2.0), ("y", -1.0)]);
    }
    for line in ["guess z = -1", "init z = -1", "guess x' = -2"] {
        ends(&format!("x' = 2*z\nx'^2 = 4*x\ninit x = 1\n{line}\n"), "0.5", &[("z", -0.5), ("x", 0.25)]);
    }
}
