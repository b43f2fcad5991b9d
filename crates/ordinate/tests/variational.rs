//! Derivatives of solutions by parameters and start values: closed forms, and difference quotients of tight runs, across
//! events, switches, sliding motion and constraints.

use ordinate::{CompileOptions, Discard, Run, RunOptions, Source, Status, compile, sensitivity, simulate};

fn run(text: &str, set: &[(&str, f64)], by: &[&str], method: &str) -> Run {
    let set = set.iter().map(|(name, value)| (name.to_string(), format!("{value:?}"))).collect();
    let options = CompileOptions { set, ..CompileOptions::default() };
    let mut compiled = compile(&Source::text(text), &options).expect("a model without mistakes");
    if !by.is_empty() {
        let names: Vec<String> = by.iter().map(|name| name.to_string()).collect();
        compiled = sensitivity(&compiled, &names).expect("names of the model");
    }
    let options = RunOptions { method: method.into(), rtol: 1e-12, atol: 1e-13, ..RunOptions::default() };
    let run = simulate(&compiled, &options, &mut Discard).expect("it can begin");
    assert_eq!(run.outcome.status, Status::Ok, "{text}: {:?}", run.reason);
    run
}

/// Compares every column `dx/dq` with a difference quotient.
fn check(text: &str, by: &[(&str, f64)], method: &str) {
    let names: Vec<&str> = by.iter().map(|(name, _)| *name).collect();
    let derivatives = run(text, &[], &names, method);
    for &(name, value) in by {
        let h = 1e-5 * value.abs().max(1.0);
        let [more, less] = [h, -h].map(|h| run(text, &[(name, value + h)], &[], method));
        let mut compared = 0;
        for (column, more) in &more.final_values {
            let quotient = (more - less.final_value(column).expect("the same model")) / (2.0 * h);
            let found = [format!("d{column}/d{name}"), format!("d{column}/d{name}(0)")]
                .iter()
                .find_map(|name| derivatives.final_value(name));
            let found = found.unwrap_or_else(|| panic!("{text}: no column for {column} by {name}"));
            let bound = 3e-7 * (1.0 + quotient.abs());
            assert!((found - quotient).abs() < bound, "{method}: d{column}/d{name} = {found}, {quotient} in\n{text}");
            compared += 1;
        }
        assert!(compared > 0);
    }
}

/// x = x₀ e^(−a t)
#[test]
fn a_decay_has_the_derivatives_of_its_formula() {
    let text = "param a = 2; x' = -a*x; init x = 3; run 0 .. 1";
    for method in ["taylor", "dp8", "radau", "mtsm", "adams"] {
        let run = run(text, &[], &["a", "x"], method);
        let decay = (-2.0f64).exp();
        for (column, expected) in [("x", 3.0 * decay), ("dx/da", -3.0 * decay), ("dx/dx(0)", decay)] {
            let found = run.final_value(column).expect("a column");
            assert!((found - expected).abs() < 1e-10, "{method}: {column} = {found}, not {expected}");
        }
    }
}

/// A ball dropped from h falls for τ = √(2h/g) and leaves with e·g·τ: after the first impact
///
/// ```text
///   y = e g τ s − g s²/2,  s = t − τ,    dy/dh = (e g s − (e g τ − g s)) / (g τ)
/// ```
///
/// so without the saltation, by which V jumps, the derivative would be wrong by its whole size.
#[test]
fn an_impact_changes_the_derivative_by_its_saltation() {
    let (h, g, e, t) = (1.0f64, 9.81, 0.8, 0.7);
    let text = "param g = 9.81, e = 0.8; y'' = -g; when y < 0: y' = -e*y'; init y = 1, y' = 0; run 0 .. 0.7";
    let tau = (2.0 * h / g).sqrt();
    let (s, tau_h) = (t - tau, 1.0 / (g * tau));
    let expected = [
        ("dy/dy(0)", (e * g * s - (e * g * tau - g * s)) * tau_h),
        ("dy'/dy(0)", (e * g + g) * tau_h),
        ("dy/de", g * tau * s),
        ("dy'/de", g * tau),
    ];
    let run = run(text, &[], &["y", "e"], "taylor");
    for (column, expected) in expected {
        let found = run.final_value(column).expect("a column");
        assert!((found - expected).abs() < 1e-10, "{column} = {found}, not {expected}");
    }
}

#[test]
fn derivatives_agree_with_difference_quotients() {
    let oscillator = "param mu = 2; x'' = mu*(1 - x^2)*x' - x; init x = 1, x' = 0; output E = x^2 + x'^2; run 0 .. 5";
    check(oscillator, &[("mu", 2.0), ("x", 1.0)], "taylor");
    // a parameter and a start value that follow from another one
    let chain = "param a = 2, b = 3*a; x' = -b*y; y' = x; init x = a^2, y = 2*x; run 0 .. 1";
    check(chain, &[("a", 2.0)], "taylor");
}

/// Impacts, a kink, a jump of the force, sticking and slipping, a thermostat, and actions that follow each other and read the
/// time.
#[test]
fn derivatives_go_through_events() {
    let cases: [(&str, &[(&str, f64)]); 7] = [
        (
            "param g = 9.81, e = 0.8; h'' = -g; when h < 0: h' = -e*h'; init h = 1, h' = 0; run 0 .. 2",
            &[("g", 9.81), ("e", 0.8), ("h", 1.0), ("h'", 0.0)],
        ),
        ("param k = 1; x'' = -k*x - 0.3*abs(x); init x = 1, x' = 0; run 0 .. 7", &[("k", 1.0), ("x", 1.0)]),
        ("param c = 0.2; x'' = -x - c*sign(x); init x = 1, x' = 0; run 0 .. 7", &[("c", 0.2), ("x", 1.0)]),
        (
            "param k = 1, mu = 0.5, w = 1.3; x'' = -k*x - mu*sign(x') + 0.9*cos(w*t); init x = 0.1, x' = 1; run 0 .. 9",
            &[("k", 1.0), ("mu", 0.5), ("w", 1.3), ("x", 0.1)],
        ),
        (
            "param a = 0.5, P = 3; T' = -a*(T - 10) + P*q; when T < 19: q = 4; when T > 21: q = 0; \
             init T = 20, q = 4; run 0 .. 9.3",
            &[("a", 0.5), ("P", 3.0), ("T", 20.0)],
        ),
        ("param w = 1.7; x' = w; when x > 1: x = x - 1 + 0.1*sin(3*t); init x = 0; run 0 .. 4.1", &[("w", 1.7)]),
        (
            "param e = 0.7; v' = -9.81; y' = v; n' = 0; when y < 0: v = -e*v; when v > 1: n = n + y + t*e; \
             init y = 1, v = 0, n = 0; run 0 .. 1",
            &[("e", 0.7), ("y", 1.0)],
        ),
    ];
    for (text, by) in cases {
        for method in ["taylor", "dp8"] {
            check(text, by, method);
        }
    }
}

/// A step whose time is a parameter, a square wave whose frequency is one, and a sampled controller, whose held value has a
/// derivative, too.
#[test]
fn derivatives_go_through_instants_of_time() {
    check("param p = 0.7, a = 2; x' = -a*x + step(t - p); init x = 1; run 0 .. 2", &[("p", 0.7), ("a", 2.0)], "taylor");
    check("param w = 3; x' = -2*x + sign(sin(w*t)); init x = 1; run 0 .. 2.2", &[("w", 3.0)], "taylor");
    let sampled = "param K = 2, r = 1; x' = -x + u; every 0.1: u = K*(r - x); init x = 0, u = 0; run 0 .. 1.234";
    check(sampled, &[("K", 2.0), ("r", 1.0), ("x", 0.0)], "taylor");
}

/// An algebraic variable without a formula, one on which a switch depends, and a pendulum on its constraint.
#[test]
fn derivatives_of_algebraic_models_fulfil_their_equations() {
    let implicit = "param a = 1.3; x' = -z; z + z^3 = a*x; init x = 1; guess z = 0.5; run 0 .. 2";
    let switched =
        "param a = 1.3; x' = -z*s; s = if z > 0.4 then 1 else 2; z + z^3 = a*x; init x = 1; guess z = 0.5; run 0 .. 2";
    for text in [implicit, switched] {
        check(text, &[("a", 1.3), ("x", 1.0)], "radau");
    }
    let pendulum = "param g = 9.81; x'' = -lam*x; y'' = -lam*y - g; x^2 + y^2 = 1
                    init x = 1, x' = 0, y = 0, y' = 0; guess lam = 0; run 0 .. 1.3";
    check(pendulum, &[("g", 9.81)], "taylor");
}

/// Where a solution only touches a boundary beyond which it would jump, the time of the event has no derivative: that is said.
#[test]
fn a_grazing_event_ends_the_run_with_its_reason() {
    let text = "x'' = -x; when x >= 1: x' = 1; init x = 0, x' = 1; run 0 .. 3";
    let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes");
    let varied = sensitivity(&compiled, &["x'".into()]).expect("a state");
    let run = simulate(&varied, &RunOptions::default(), &mut Discard).expect("it can begin");
    match run.outcome.status {
        // rounding may make a crossing of the touch; its derivative is as large as rounding allows then
        Status::Ok => assert!(run.final_value("dx/dx'(0)").expect("a column").abs() > 1e4),
        Status::Stopped | Status::Interrupted => {
            let reason = run.reason.expect("a reason");
            assert_eq!(reason.kind, "not_finite", "{reason:?}");
            assert!(reason.variable.is_some_and(|name| name.contains("/dx'(0)")));
        }
    }
}

/// The states of `pade` begin with the start value of what they delay, those of an equation with a derivative of an input that
/// jumps with that of a derivative: by hand, x' = −k x of a delayed x is linear, so that ∂x/∂x₀ = x/x₀.
#[test]
fn hidden_states_begin_with_the_start_values_that_vary() {
    let linear = "param T = 0.5, k = 1.2; x' = -k*pade(x, T, 3); init x = 2; run 0 .. 3";
    let found = run(linear, &[], &["x"], "taylor");
    let (x, derivative) = (found.final_value("x").expect("a column"), found.final_value("dx/dx(0)").expect("a column"));
    assert!((derivative - x / 2.0).abs() < 1e-10, "{derivative} {x}");
    check(linear, &[("x", 2.0), ("T", 0.5)], "taylor");
    check("x' = -1.4*pade(x^2, 0.3, 2); init x = 0.5; run 0 .. 4", &[("x", 0.5)], "taylor");
    let nested = "x' = -pade(pade(x, 0.3, 2) + y, 0.3, 2); y' = x - y; init x = 1, y = x; run 0 .. 4";
    check(nested, &[("x", 1.0)], "taylor");
    let held = "x' = -pade(x + u, 0.3, 2); every 0.5: u = 0.3*x + 0.2*u; init x = 1, u = 0.4; run 0 .. 3.9";
    check(held, &[("x", 1.0), ("u", 0.4)], "taylor");
    let jumping = "param b = 0.7; input u = step(t - 0.5); x'' + x' + x = b*u' + u; init x = 1, x' = 0.4*x; run 0 .. 3";
    check(jumping, &[("b", 0.7), ("x", 1.0)], "taylor");
}

/// x = e^(−k(t − T)) from T on, so ∂x/∂T = k x; with forces of time, start values that read it, events of state and time,
/// samples, which begin with the run, a table and hidden states.
#[test]
fn a_start_time_may_vary() {
    let decay = "param k = 1, T = 0.5; x' = -k*x; init x = 1; run T .. 2";
    let found = run(decay, &[], &["T"], "taylor").final_value("dx/dT").expect("a column");
    assert!((found - (-1.5f64).exp()).abs() < 1e-10, "{found}");
    for text in [
        "param T = 0.5; x'' = -x + sin(2*t); output E = x^2 + x'^2 + t; init x = T*t, x' = 0.2; run 2*T .. 4",
        "param T = 0.5; x' = -x + sign(sin(3*t)); when x > 0.5: x = x - 0.2*t; init x = 1; run T .. 2.2",
        "param T = 0.5; x' = -x + u + t; every 0.3: u = -0.5*x + t; init x = 1, u = 0; run T .. 3.95",
        "param T = 0.5; x' = -pade(x + sin(t), 0.4, 3); init x = 1; run T .. 4",
        "param T = 0.5; x' = -x + 0.5*sign(1 - x) + t; init x = 0.4; run T .. 1.5",
    ] {
        check(text, &[("T", 0.5)], "taylor");
    }
    let text = "param T = 0.5; x' = -z; z + z^3 = x + sin(t); init x = 1; guess z = 0.5; run T .. 4";
    let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes");
    let message = sensitivity(&compiled, &["T".into()]).expect_err("z' is not known");
    assert!(message.contains("`T`") && message.contains("`z`"), "{message}");
    let compiled = compile(&Source::text(decay), &CompileOptions::default()).expect("a model without mistakes");
    let varied = sensitivity(&compiled, &["T".into()]).expect("a parameter");
    let options = RunOptions { t_start: Some("0.7".into()), ..RunOptions::default() };
    let refused = simulate(&varied, &options, &mut Discard).expect_err("another start time");
    assert!(format!("{refused:?}").contains("--t-start"), "{refused:?}");
}

#[test]
fn what_decides_the_equations_has_no_derivative() {
    for text in [
        "param n = 2; for j in 1..n: x[j]' = -j*x[j]; for j in 1..n: init x[j] = 1; run 0 .. 1",
        "param n = 2, m = n + 1; x' = -pade(x, 0.4, m); init x = 1; run 0 .. 3",
        "param n = 2; x' = -noise(n, 1, 0.1); init x = 1; run 0 .. 3",
        "param n = 0; x' = -laplace((n*s + 1)/(0.2*s + 1), x); init x = 1; run 0 .. 2",
    ] {
        let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes");
        let message = sensitivity(&compiled, &["n".into()]).expect_err("no derivative");
        assert!(message.contains("`n` decides"), "{text}: {message}");
    }
}

/// x'³ + x' has no formula for x'.
#[test]
fn derivatives_that_have_no_formula_vary() {
    check("param w = 1.3; x'^3 + x' = -w*x; init x = 1; run 0 .. 3", &[("w", 1.3), ("x", 1.0)], "radau");
    let two = "param w = 1.3; x'^3 + x' = -w*x + y; y' = x - exp(y'); init x = 1, y = 0.2; run 0 .. 3";
    check(two, &[("w", 1.3), ("y", 0.2)], "radau");
}

#[test]
fn start_values_of_held_variables_vary() {
    let added = "param K = 0.5; x' = -x + u; when x < 0.6: u = u + K; init x = 1, u = 0.3; run 0 .. 3";
    check(added, &[("u", 0.3), ("K", 0.5)], "taylor");
    check("input u = 0.3; x' = -x + u; when x < 0.6: u = u + 1; init x = 1; run 0 .. 3", &[("u", 0.3)], "taylor");
}

/// Multistep methods that know nothing of algebraic variables, with an event to look for inside of their steps.
#[test]
fn adams_methods_carry_derivatives_of_algebraic_models_through_events() {
    let text = "param L = 1.3, k = 2; x' = y*k; 0 = y^3 + y + x - L; init x = 0.2; guess y = 1
                when y < 0.3: x = x - L/4; run 0 .. 2";
    let expected = run(text, &[], &["L"], "radau");
    let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes");
    let varied = sensitivity(&compiled, &["L".into()]).expect("a parameter");
    for method in ["ab1", "ab2", "ab3", "ab4", "abm"] {
        let options = RunOptions { method: method.into(), step: Some(0.002), ..RunOptions::default() };
        let found = simulate(&varied, &options, &mut Discard).expect("it can begin");
        assert_eq!(found.outcome.status, Status::Ok, "{method}: {:?}", found.reason);
        let bound = if method == "ab1" { 1e-2 } else { 2e-5 };
        for column in ["x", "y", "dx/dL", "dy/dL"] {
            let [found, expected] = [&found, &expected].map(|run| run.final_value(column).expect("a column"));
            assert!((found - expected).abs() < bound, "{method}: {column} = {found}, not {expected}");
        }
    }
}

/// Where the solution starts on a boundary at which something jumps, a derivative by what leaves the boundary is another one
/// on each side, or none; where nothing jumps, or a motion along the boundary begins from both sides, there is one.
#[test]
fn a_start_on_a_boundary_has_a_derivative_only_if_both_sides_agree() {
    for (text, name) in [
        ("x' = 1 - 0.5*sign(x); init x = 0; run 0 .. 1", "x"),
        ("x'' = -x - 0.2*sign(x'); init x = 1, x' = 0; run 0 .. 2", "x'"),
        ("param a = 0; x' = -x + step(t - a); init x = 0.3; run 0 .. 1", "a"),
        ("x' = 1; n' = 0; when x > 0: n = n + 1 + x; init x = 0, n = 0; run 0 .. 1", "x"),
    ] {
        let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes");
        let varied = sensitivity(&compiled, &[name.to_string()]).expect("a name of the model");
        for method in ["taylor", "dp8", "radau"] {
            let options = RunOptions { method: method.into(), ..RunOptions::default() };
            let run = simulate(&varied, &options, &mut Discard).expect("it can begin");
            let reason = run.reason.unwrap_or_else(|| panic!("{text}: {:?}", run.final_values));
            assert!(reason.message.contains("starts on a switching boundary"), "{text}: {reason:?}");
        }
    }
    let sliding = "x'' = -x - 0.5*sign(x'); y' = -y + sign(x'); init x = 0.3, x' = 0, y = 1; run 0 .. 2";
    let run = run(sliding, &[], &["x'"], "taylor");
    // (f₊ − f₋)/(g′₊ − g′₋) of y is 2/−1, so x′₀ moves y by 2 at once, as both sides show
    for (column, expected) in [("dx/dx'(0)", 0.0), ("dx'/dx'(0)", 0.0), ("dy/dx'(0)", 2.0 * (-2.0f64).exp())] {
        let found = run.final_value(column).expect("a column");
        assert!((found - expected).abs() < 1e-9, "{column} = {found}, not {expected}");
    }
    check("x' = 1 - 0.5*abs(x) + y; y' = -y; init x = 0, y = 1; run 0 .. 1", &[("y", 1.0)], "taylor");
    check("x'' = -x - 0.2*sign(x'); init x = 1, x' = 0; run 0 .. 2", &[("x", 1.0)], "taylor");
    let thrown = "param e = 0.8; y'' = -9.81; when y < 0: y' = -e*y'; init y = 0, y' = 3; run 0 .. 1";
    check(thrown, &[("e", 0.8), ("y'", 3.0), ("y", 0.0)], "taylor");
}

/// A step that may move and a sample that does not, at the same instant: the sample sees the step from one side only.
#[test]
fn events_together_vary_together_or_not_at_all() {
    let text = "param p = 0.5, a = 1; x' = -x + a*step(t - p); y' = u; every 0.25: u = x; init x = 0, y = 0, u = 0; run 0 .. 1";
    check(text, &[("a", 1.0)], "taylor");
    let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes");
    let varied = sensitivity(&compiled, &["p".into()]).expect("a parameter");
    let run = simulate(&varied, &RunOptions::default(), &mut Discard).expect("it can begin");
    let reason = run.reason.expect("no derivative");
    assert!(reason.message.contains("does not exist from t = 0.5"), "{reason:?}");
}

#[test]
fn names_that_cannot_be_varied_are_answered() {
    let text = "param K = 2, h = 0.1; input u = sin(t); x' = -x + v + u; y = 2*x; every h: v = K*x; init x = 0, v = 0";
    let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes");
    for (name, part) in [
        ("KK", "did you mean `K`"),
        ("u", "is an input"),
        ("y", "follows from the equations"),
        ("h", "every"),
        ("zebra", "there are K, h, x, v"),
    ] {
        let message = sensitivity(&compiled, &[name.to_string()]).expect_err("no such derivative");
        assert!(message.contains(part), "{name}: {message}");
    }
}
