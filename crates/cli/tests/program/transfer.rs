//! Delays, transfer functions and equations with derivatives of their input, against closed forms and reference data.

use crate::support::{Place, Table, ordinate, repository};
use serde_json::Value;

const EXACT: f64 = 1e-10;

fn rows(text: &str, times: &str, extra: &[&str]) -> Table {
    rows_in(&Place::new(), text, times, extra)
}

fn rows_in(place: &Place, text: &str, times: &str, extra: &[&str]) -> Table {
    let end = times.rsplit(',').next().expect("a time");
    let mut args = vec!["run", "-e", text, "-t", end, "--at", times, "--rtol", "1e-12", "--atol", "1e-14", "-q"];
    args.extend(extra);
    place.run(&args).expect(0).table()
}

/// The column `name` of a text agrees with a function of time.
fn agrees(text: &str, name: &str, times: &str, exact: impl Fn(f64) -> f64) {
    let table = rows(text, times, &[]);
    compare(&table, name, exact, text);
    assert_eq!(table.rows.len(), times.split(',').count(), "{text}");
}

fn compare(table: &Table, name: &str, exact: impl Fn(f64) -> f64, text: &str) {
    let column = table.names.iter().position(|known| known == name).unwrap_or_else(|| panic!("{text}: no {name}"));
    for row in &table.rows {
        let (found, expected) = (row[column], exact(row[0]));
        assert!(
            (found - expected).abs() < EXACT * expected.abs().max(1.0),
            "{text}\n{name}({}) = {found}, not {expected}",
            row[0]
        );
    }
}

#[test]
fn transfer_functions_begin_at_rest_and_follow_their_closed_forms() {
    let times = "0,0.25,1,2.5";
    agrees("y = laplace(1/(s + 1), 1)", "y", times, |t| 1.0 - (-t).exp());
    agrees("y = laplace(1/s, cos(t))", "y", times, f64::sin);
    agrees("y = laplace(1/s^2, 1)", "y", times, |t| t * t / 2.0);
    agrees("y = laplace(s/(s + 1), 1)", "y", times, |t| (-t).exp());
    agrees("y = laplace((3*s + 5)/(s + 1), 1)", "y", times, |t| 5.0 - 2.0 * (-t).exp());
    agrees("y = laplace(3, t)", "y", times, |t| 3.0 * t);
    agrees("y = laplace(2/((s + 1)*(s + 2)), 1)", "y", times, |t| 1.0 - 2.0 * (-t).exp() + (-2.0 * t).exp());
    agrees("param a = 2, w = 3\ny = laplace(w/((s + a)^2 + w^2), exp(-a*t))", "y", times, |t| {
        (-2.0 * t).exp() * (1.0 - (3.0 * t).cos()) / 3.0
    });
    // a controller: proportional, integral and filtered derivative; the derivative is switched off
    agrees("param Kd = 0\ny = laplace(2 + 3/s + Kd*s/(0.1*s + 1), 1)", "y", times, |t| 2.0 + 3.0 * t);
    agrees("def lag(x, T) = laplace(1/(T*s + 1), x)\ny = lag(lag(1, 1), 1)", "y", times, |t| {
        1.0 - (1.0 + t) * (-t).exp()
    });
    agrees("for k in 1..3: y[k] = laplace(k/(s + k), 1)", "y[3]", times, |t| 1.0 - (-3.0 * t).exp());
    // s is a name like any other elsewhere
    agrees("param s = 7\ny = s*laplace(1/(s + 1), s)", "y", times, |t| 49.0 * (1.0 - (-t).exp()));
}

/// Rest means rest at the start of the run, wherever it is.
#[test]
fn a_transfer_function_begins_at_rest_at_any_start_time() {
    let text = "y = laplace(1/(s + 1), 1)";
    let table = rows(text, "-3,-2,1", &["--t-start", "-3"]);
    compare(&table, "y", |t| 1.0 - (-(t + 3.0)).exp(), text);
}

/// The states are scaled to the time of the system, so its unit of time does not matter.
#[test]
fn fast_and_slow_transfer_functions_take_the_same_steps() {
    let steps = |exponent: i32| {
        let text = format!("param a = 1e{exponent}\ny = laplace(a^10*s^4/(s + a)^14, step(t - 1/a))");
        let end = format!("50/1e{exponent}");
        let s = ordinate(&["run", "-e", &text, "-t", &end, "--summary", "json", "-q"]).expect(0).json();
        s["steps"].as_f64().expect("a number")
    };
    let plain = steps(0);
    for exponent in [6, 3, -3, -6] {
        let found = steps(exponent);
        assert!((0.7..1.5).contains(&(found / plain)), "1e{exponent}: {found} steps, {plain} for 1");
    }
}

/// Coefficients from 1 to 1e18.
#[test]
fn fast_and_slow_transfer_functions_keep_their_digits() {
    let fast = "y = laplace(1e18/(s + 1e6)^3, 1)";
    let cubic = |x: f64| 1.0 - (1.0 + x + x * x / 2.0) * (-x).exp();
    agrees(fast, "y", "0,1e-6,5e-6", |t| cubic(1e6 * t));
    let slow = "y = laplace(1e-18/(s + 1e-6)^3, 1)";
    agrees(slow, "y", "0,1e6,5e6", |t| cubic(1e-6 * t));
}

/// x′ = −x(t − 1) with x = 1 before the start: 1 − t, then 1 − t + (t − 1)²/2, …; the approximation of order 10 is within 1e-3
/// where the solution has a kink in some derivative.
#[test]
fn a_loop_with_a_delay_follows_the_delayed_equation() {
    let table = rows("x' = -pade(x, 1, 10); x(0) = 1", "0,0.5,1.5,2", &[]);
    let exact = [1.0, 0.5, -0.375, -0.5];
    for (row, exact) in table.rows.iter().zip(exact) {
        assert!((row[1] - exact).abs() < 1e-3, "{row:?}");
    }
    assert_eq!(table.names, ["time", "x"]);
}

/// Before the start the argument was what it is just before the start.
#[test]
fn a_delay_begins_with_the_value_just_before_the_start() {
    let settled = |text: &str, value: f64| agrees(text, "y", "0,0.5,3", |_| value);
    settled("y = pade(7, 1, 5)", 7.0);
    settled("y = pade(pade(7, 1, 5), 0.3, 4)", 7.0);
    settled("x' = 0; x(0) = 3; z = x^2; y = pade(z + 1, 0.5, 3)", 10.0);
    settled("input u = 2 + step(t - 9); y = pade(u, 1, 4)", 2.0);
    settled("y = pade(z, 1, 0); z = 4", 4.0);
    // the loop y = (1 − y)/2 holds at the start, too
    settled("param K = 0.5; y = K*(1 - pade(y, 1, 3))", 1.0 / 3.0);
    let start = |text: &str, extra: &[&str], times: &str, value: f64| {
        let table = rows(text, times, extra);
        let column = table.names.iter().position(|name| name == "y").expect("y");
        let last = &table.rows[table.rows.len() - 1];
        // an approximation of order 15 rings by a sixth of the jump
        assert!((last[column] - value).abs() < 0.25, "{text} {extra:?}: {}", last[column]);
    };
    // a step at the very start has not happened before it, so half the delay later it is not seen
    for (t_start, times) in [("0", "0,0.5"), ("-4", "-4,-3.5"), ("2", "2,2.5")] {
        let text = format!("y = pade(step(t - ({t_start})), 1, 15)");
        start(&text, &["--t-start", t_start], times, 0.0);
        // just before it was one less
        let text = format!("y = pade(floor(t - ({t_start})), 1, 15)");
        start(&text, &["--t-start", t_start], times, -1.0);
    }
    start("y = pade(pulse(t, 0.5), 1, 15)", &[], "0,0.3", 0.0);
    start("y = pade(if t < 0 then 2 else 1, 1, 15)", &[], "0,0.3", 2.0);
    start("y = pade(u, 1, 15); input u = 3; every 10: u = 4", &[], "0,0.3", 3.0);
}

#[test]
fn a_table_is_delayed_from_its_value_at_the_start() {
    let place = Place::new().with("u.csv", "t,u\n0,1\n2,5\n4,5\n");
    let text = "input u from \"u.csv\"; y = pade(u, 0.5, 12)";
    let table = rows_in(&place, text, "1,1.2,1.9", &["--t-start", "1"]);
    // u(1) = 3 is held before, then the line goes on
    for (row, exact) in table.rows.iter().zip([3.0, 3.0, 3.8]) {
        assert!((row[1] - exact).abs() < 0.02, "{row:?}");
    }
    let text = "input u from \"u.csv\" hold; y = pade(u, 0.5, 12)";
    let table = rows_in(&place, text, "2,2.25,3", &["--t-start", "2"]);
    // before the jump from 1 to 5 at the start has come through, and after
    assert!((table.rows[table.rows.len() - 2][1] - 1.0).abs() < 0.7, "{:?}", table.rows);
    assert!((table.rows[table.rows.len() - 1][1] - 5.0).abs() < 0.05, "{:?}", table.rows);
}

/// Tables 4.18 and 4.20: the input held over each of 100 steps. y = b₅ sin t + v₅, where v₅ = y + u is what the states give.
#[test]
fn an_input_held_over_each_step_gives_the_reference_rows() {
    let file = std::fs::read_to_string(repository().join("tests/golden/pade_external.json")).expect("the data");
    let data: Value = serde_json::from_str(&file).expect("JSON");
    let mut compared = 0;
    for case in data["cases"].as_array().expect("a list") {
        let hold = if case["params"]["hold"] == "end" { "sin(t + h)" } else { "sin(t)" };
        let fraction = "(30240 - 15120*T*s + 3360*T^2*s^2 - 420*T^3*s^3 + 30*T^4*s^4 - T^5*s^5)
                       /(30240 + 15120*T*s + 3360*T^2*s^2 + 420*T^3*s^3 + 30*T^4*s^4 + T^5*s^5)";
        for operator in ["pade(u, T, 5)".to_string(), format!("laplace({fraction}, u)")] {
            let text =
                format!("param T = pi/2, h = 2*pi/100\ninput u = 0\nevery h: u = {hold}\ny = {operator} + u - sin(t)");
            for reference in case["rows"].as_array().expect("a list") {
                let t = format!("{:?}", reference["t"].as_f64().expect("a time"));
                let table = rows(&text, &t, &["-m", "dp8"]);
                let column = table.names.iter().position(|name| name == "y").expect("y");
                let expected = reference["y"].as_f64().expect("a number");
                for row in &table.rows {
                    assert!((row[column] - expected).abs() < EXACT, "{text} at {t}: {} {expected}", row[column]);
                }
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 2 * 2 * 6);
}

/// Between two jumps y follows a closed form; at a jump of u it takes its share at once. The derivative of a step is an
/// impulse, not zero.
#[test]
fn derivatives_of_an_input_that_jumps_are_impulses() {
    let times = "0,0.5,1.25,2,4";
    let after = |at: f64, value: fn(f64) -> f64| move |t: f64| if t < at { 0.0 } else { value(t - at) };
    let step = "input u = step(t - 1)";
    agrees(&format!("{step}; y' + 2*y = 3*u' + u; y(0) = 0"), "y", times, after(1.0, |x| 0.5 + 2.5 * (-2.0 * x).exp()));
    agrees(&format!("{step}; y'' + y = u'; init y = 0, y' = 0"), "y", times, after(1.0, f64::sin));
    agrees(&format!("{step}; y'' + y = u'; init y = 0, y' = 0"), "y'", times, after(1.0, f64::cos));
    agrees(&format!("{step}; y'' + y = u''; init y = 0, y' = 0"), "y", times, after(1.0, f64::cos));
    agrees(
        &format!("{step}; 2*y'' = -4*y' + 6*u''; init y = 0, y' = 0"),
        "y",
        times,
        after(1.0, |x| 3.0 * (-2.0 * x).exp()),
    );
    agrees(&format!("{step}; y' = u'; y(0) = 4"), "y", times, |t| if t < 1.0 { 4.0 } else { 5.0 });
    // start values hold just before the start, where u is 5 and not 0
    agrees("input u = 5 + step(t - 1); y' + y = u'; y(0) = 2", "y", times, |t| {
        2.0 * (-t).exp() + if t < 1.0 { 0.0 } else { (1.0 - t).exp() }
    });
    // a step at the start itself is seen
    agrees("input u = step(t); y' + y = u'; y(0) = 0", "y", times, |t| (-t).exp());
    // named expressions of time, two inputs, a nonlinear rest
    agrees("w = step(t - 1); u = 2*w; y' + y = u'; y(0) = 0", "y", times, after(1.0, |x| 2.0 * (-x).exp()));
    agrees("input u = step(t - 1), v = step(t - 2); y' + y = u' + 2*v'; y(0) = 0", "y", times, |t| {
        after(1.0, |x| (-x).exp())(t) + after(2.0, |x| 2.0 * (-x).exp())(t)
    });
    agrees(&format!("{step}; y' = u' - y^2; y(0) = 0"), "y", times, after(1.0, |x| 1.0 / (1.0 + x)));
    // smooth pieces between the jumps
    agrees("input u = if t < 1 then t^2 else 0; y' + y = u'; y(0) = 0", "y", times, |t| {
        let ramp = |t: f64| 2.0 * t - 2.0 + 2.0 * (-t).exp();
        if t < 1.0 { ramp(t) } else { (ramp(1.0) - 1.0) * (1.0 - t).exp() }
    });
    // inputs made of others, and derivatives as outputs
    agrees("input b = a^2, a = sin(t); y = b'", "y", times, |t| (2.0 * t).sin());
    agrees("input b = 2*a, a = step(t - 1); y' + y = b'; y(0) = 0", "y", times, after(1.0, |x| 2.0 * (-x).exp()));
    agrees("input u = sin(t); output u''", "u''", times, |t| -t.sin());
    // a kink has a derivative, but no second one
    agrees("input u = ramp(t - 1); y = u'", "y", times, after(1.0, |_| 1.0));
    agrees("input u = ramp(t - 1); y'' + y = u''; init y = 0, y' = 0", "y", times, after(1.0, f64::sin));
}

/// The same equation with a smooth input, with the same input written with a branch that is never taken, and as a transfer
/// function from the start values that rest means.
#[test]
fn the_ways_to_write_an_equation_with_derivatives_of_its_input_agree() {
    let equation = "y''' + 2*y'' + 3*y' + y = 4*u''' + u'' - u' + 2*u";
    // from rest with u = sin t: y = 4u + v, so y(0) = 0, y′(0) = 4, y″(0) = 1 − 8
    let start = "init y = 0, y' = 4, y'' = -7";
    let times = "0,0.5,2,5";
    let smooth = rows(&format!("input u = sin(t); {equation}; {start}"), times, &[]);
    let forms = [
        format!("input u = if t < 100 then sin(t) else 0; {equation}; {start}"),
        format!("u = sin(t); {equation}; {start}"),
        format!("u = if t < 100 then sin(t) else 0; {equation}; {start}"),
        "y = laplace((4*s^3 + s^2 - s + 2)/(s^3 + 2*s^2 + 3*s + 1), sin(t))".to_string(),
    ];
    for text in forms {
        let table = rows(&text, times, &[]);
        let column = table.names.iter().position(|name| name == "y").expect("y");
        for (row, expected) in table.rows.iter().zip(&smooth.rows) {
            assert!((row[column] - expected[1]).abs() < EXACT, "{text}: {row:?} {expected:?}");
        }
    }
}

#[test]
fn held_inputs_and_tables_have_derivatives_in_linear_equations() {
    let sampled = "input u = 0; every 1: u = t; y' + y = u'; y(0) = 0";
    // jumps of one at 1, 2
    agrees(sampled, "y", "0,0.5,1.5,2.5", |t| [1.0, 2.0].iter().filter(|&&at| t > at).map(|at| (at - t).exp()).sum());
    let place = Place::new().with("u.csv", "0,0\n1,2\n3,2\n");
    for (how, jump) in [("hold", 2.0), ("linear", 0.0)] {
        let text = format!("input u from \"u.csv\" {how}; y' + y = u'; y(0) = 0");
        let table = rows_in(&place, &text, "0.5,2", &[]);
        let line =
            |t: f64| if how == "linear" { 2.0 * (1.0 - (-t.min(1.0)).exp()) * (1.0 - t).min(0.0).exp() } else { 0.0 };
        let exact = |t: f64| line(t) + if t > 1.0 { jump * (1.0 - t).exp() } else { 0.0 };
        compare(&table, "y", exact, &text);
    }
}

/// A state that the text does not name is not stored, but `info` and `check` tell of it.
#[test]
fn states_that_the_text_does_not_name_are_not_stored() {
    let text = "x' = -pade(x, 1, 3) + laplace(1/(s + 1), x); x(0) = 1; y = 2*pade(x, 1, 3)";
    let s = ordinate(&["run", "-e", text, "-t", "1", "--summary", "json", "-q"]).expect(0).json();
    let names: Vec<&String> = s["final"].as_object().expect("an object").keys().collect();
    assert_eq!(names, ["x", "y"]);
    let info = ordinate(&["info", "-e", text, "--format", "json"]).expect(0).json();
    assert_eq!(info["states"], serde_json::json!(["x"]));
    // the same operator twice has its states once
    assert_eq!(info["hidden_states"].as_array().expect("a list").len(), 4);
    assert_eq!(info["degrees_of_freedom"], 5);
    let check = ordinate(&["check", "-e", text]).expect(0);
    assert!(check.out.contains("ok, 1 state and 4 hidden"), "{check:?}");
    let refused = ordinate(&["run", "-e", text, "-t", "1", "--set", "pade(x,1,3)#1=5"]);
    assert_eq!(refused.code, 2, "{refused:?}");
}
