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

/// q |q| + 0.1 q rises strictly, so there is one solution, on a side that no guess has named.
#[test]
fn modes_follow_the_search_for_a_start() {
    let root = -(0.05 + (0.0025f64 + 1.0).sqrt()) + 0.1;
    ends("x' = 1\nz*abs(z) + 0.1*z = x\ninit x = -1\n", "0", &[("z", root)]);
    for law in ["q1*abs(q1) = h1 - h2\nq2*abs(q2) = h2", "sign(q1)*q1^2 = h1 - h2\nsign(q2)*q2^2 = h2"] {
        let tanks = format!("h1' = -q1\nh2' = q1 - q2\n{law}\ninit h1 = 1, h2 = 2\n");
        ends(&tanks, "0", &[("q1", -1.0), ("q2", 2f64.sqrt())]);
    }
    let pipes = "a*abs(a) = 3 - p\nb*abs(b) = 1 - p\nc*abs(c) = p - r\na + b = c\nr' = c\ninit r = 0\n";
    let found = run(pipes, "0");
    let [a, b, c, p] = ["a", "b", "c", "p"].map(|name| found.final_value(name).expect("it is a column"));
    for rest in [a * a.abs() - 3.0 + p, b * b.abs() - 1.0 + p, c * c.abs() - p, a + b - c] {
        assert!(rest.abs() < 1e-8, "{rest:e}");
    }
}

#[test]
fn what_is_given_or_guessed_chooses_the_side_of_a_switch() {
    for line in ["guess z = -1", "init z = -1"] {
        ends(&format!("x' = 1\nabs(z) = x\ninit x = 1\n{line}\n"), "1", &[("z", -2.0)]);
        ends(&format!("abs(x') = 1\ninit x = 0\n{}\n", line.replace('z', "x'")), "1", &[("x", -1.0)]);
    }
    ends("x' = 1\nabs(z) = x\ninit x = 1\n", "1", &[("z", 2.0)]);
    ends("x' = 1\nmax(z, -2*z) = x\ninit x = 1\nguess z = -0.5\n", "1", &[("z", -1.0)]);
    let message = refused("x' = 1\nabs(z) = x\ninit x = 1, z = -2\n");
    assert!(message.contains("gives -1") && !message.contains("switch"), "{message}");
}

/// With the modes from before the event there is no solution.
#[test]
fn an_event_may_throw_an_algebraic_variable_to_the_other_side() {
    let root = 0.05 - (0.0025f64 + 1.0).sqrt();
    ends("x' = 0\nz*abs(z) + 0.1*z = x\ninit x = 1\nwhen t >= 0.5: x = -1\n", "1", &[("z", root)]);
    ends("w' = z\nz*abs(z) + 0.1*z = if t < 0.5 then 1 else -1\ninit w = 0\n", "1", &[("z", root), ("w", 0.0)]);
    ends("x' = 1\nz*abs(z) + 0.1*z = if x < 0.3 then 1 else -1\ninit x = 0\n", "1", &[("z", root)]);
}

/// As many start values as there are degrees of freedom, none of them that of a state.
#[test]
fn start_values_of_other_variables_stand_for_those_of_states() {
    let hold_up = "L' = -1\nn' = -y\nn = L*x\ny = 2.5*x/(1 + 1.5*x)\n";
    ends(&format!("{hold_up}init L = 10, x = 0.5\n"), "0", &[("n", 5.0), ("x", 0.5)]);
    for law in ["0 = z - 2*x", "z = 2*x"] {
        ends(&format!("x' = -z\n{law}\ninit z = 4\n"), "1", &[("x", 2.0 * (-2f64).exp())]);
    }
    // where no formula gives the state it is searched for
    ends("x' = -z\nz = exp(x) + x\ninit z = 4\n", "0", &[("x", 1.073728937556499)]);
    ends("x' = -z\nz^2 = 2*x + z\ninit z = 4\n", "0", &[("x", 6.0)]);
    let pendulum = "x'' = -2*lam*x\ny'' = -2*lam*y + 9.81\nx^2 + y^2 = 1\n";
    // 2 λ = x'² + y'² + g y with x x' + y y' = 0
    let speed = 0.8 * (10.0 - 9.81 * 0.8f64).sqrt();
    let text = format!("{pendulum}init x = 0.6, lam = 5\nguess x' = 0.3, y = 0.7\n");
    ends(&text, "0", &[("y", 0.8), ("x'", speed), ("y'", -0.75 * speed)]);
}

#[test]
fn more_start_values_than_needed_are_compared_whatever_they_are_of() {
    ends("y' = -y\nz = 2*y\nw = cos(t)\ninit y = 1, z = 2, w = 1, y' = -1\n", "0", &[("z", 2.0)]);
    let wrong = compile(&Source::text("y' = -y\nz = 2*y\ninit y = 1, z = 4\n"), &CompileOptions::default());
    let found = wrong.expect_err("a mistake");
    assert!(format!("{found:?}").contains("which gives 2 at the start"), "{found:?}");
}

/// A bridge of diodes from nothing: down exp(384) a Newton step is one thermal voltage.
#[test]
fn a_start_far_up_an_exponential_is_found() {
    let diode = |v: &str| format!("1e-12*(exp(({v})/0.026) - 1)");
    let [over, back, up, down] = ["10 - a", "0 - a", "b - 10", "b"].map(diode);
    let bridge = format!("{over} + {back} = (a - b)/50\n{up} + {down} = (a - b)/50\nw' = a - b\ninit w = 0\n");
    ends(&bridge, "0", &[("a", 9.3272), ("b", 0.6728)]);
}

/// z⁴ + z/2 + 1 has no real root; that is not proved, so it is not said, and no absurd value is left.
#[test]
fn a_start_that_was_not_found_is_not_called_impossible() {
    let text = "x' = 1\nz^4 + x*z + 1 = 0\ninit x = 0.5\n";
    let message = refused(text);
    assert!(message.contains("no solution of the equations was found at t = 0"), "{message}");
    assert!(run(text, "1").reason.expect("it says why").hint.contains("give a `guess` for `z`"));
    assert_eq!(run(text, "1").final_value("z"), Some(0.0));
}

#[test]
fn all_contradictions_are_named() {
    let message = refused("A + B = 1\nA - B = t\ninit A = 0.3, B = 0.9\n");
    assert!(message.contains("start value 0.3 of `A`") && message.contains("start value 0.9 of `B`"), "{message}");
}

/// What is searched for has no formula to differentiate: that is said, not taken for zero.
#[test]
fn a_start_that_is_searched_for_has_no_sensitivity() {
    for (law, known) in [("z = 2*x", true), ("z = exp(x) + x", false)] {
        let text = format!("param k = 4\nx' = -z\n{law}\ninit z = k\n");
        let compiled = compile(&Source::text(&text), &CompileOptions::default()).expect("a model without mistakes");
        assert_eq!(ordinate::sensitivity(&compiled, &["k".to_string()]).is_ok(), known, "{law}");
    }
}
