//! The solution as a function of time, against rows and against f.

use ordinate::{CompileOptions, Compiled, Memory, RowTimes, Run, RunOptions, Source, compile, methods, simulate};

fn model(text: &str) -> Compiled {
    compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes")
}

fn run(text: &str, options: &RunOptions) -> (Run, Memory) {
    let mut rows = Memory::default();
    let run = simulate(&model(text), &RunOptions { dense: true, ..options.clone() }, &mut rows).expect("a run");
    (run, rows)
}

/// The largest distance of rows inside of steps from the function, in sizes of their columns; those at events are left out.
fn distance(run: &Run, rows: &Memory, states: usize) -> f64 {
    let dense = run.dense.as_ref().expect("it was asked for");
    let time = &rows.columns[0];
    let mut most: f64 = 0.0;
    for state in 0..states {
        let column = &rows.columns[state + 1];
        let size = column.iter().fold(1e-300, |most: f64, y| most.max(y.abs()));
        for (k, t) in time.iter().enumerate() {
            let twice = (k > 0 && time[k - 1] == *t) || time.get(k + 1) == Some(t);
            if !twice {
                most = most.max((dense.value(*t).expect("within the run")[state] - column[k]).abs() / size);
            }
        }
    }
    most
}

/// Every method, with its own steps or given ones: rows are what the function says.
#[test]
fn rows_are_values_of_the_function() {
    let mut far = Vec::new();
    for method in methods() {
        let step = method.needs_step.then_some(0.05);
        let options = RunOptions { method: method.name.into(), step, ..RunOptions::default() };
        let (run, rows) = run("x'' = -x; x(0) = 1; x'(0) = 0; run 0 .. 10", &options);
        assert_eq!(run.dense.as_ref().and_then(|dense| dense.range()), Some((0.0, 10.0)), "{}", method.name);
        let off = distance(&run, &rows, 2);
        // what is no polynomial is kept to a small part of the tolerance
        if off > 1e-9 {
            far.push(format!("{}: {off:e}", method.name));
        }
    }
    assert!(far.is_empty(), "{far:?}");
}

/// The slope is f of the value, as far as the tolerances say.
#[test]
fn its_derivative_follows_the_equation() {
    for method in ["auto", "dp5", "dp8", "radau", "bdf", "adams"] {
        let options = RunOptions { method: method.into(), rtol: 1e-8, atol: 1e-10, ..RunOptions::default() };
        let (run, _) = run("x' = -x*y + cos(t); y' = x - y; x(0) = 1; y(0) = 0; run 0 .. 5", &options);
        let dense = run.dense.expect("it was asked for");
        for k in 0..200 {
            let t = 5.0 * (f64::from(k) + 0.37) / 200.0;
            let (value, slope) = dense.value_and_slope(t).expect("within the run");
            let f = [-value[0] * value[1] + t.cos(), value[0] - value[1]];
            let off = (slope[0] - f[0]).abs().max((slope[1] - f[1]).abs());
            assert!(off < 1e-4, "{method} at {t}: {off:e}");
        }
    }
}

/// Constraints hold between the steps, too; nonlinear ones are no polynomials, so there are enough values to show them.
#[test]
fn constraints_hold_at_any_time() {
    let text = "x'' = -2*l*x; y'' = -2*l*y + 9.81; x^2 + y^2 = 1; x(0) = 1; x'(0) = 0; y(0) = 0; y'(0) = 0; guess l = 0; run 0 .. 3";
    for method in ["auto", "radau", "bdf", "dp8"] {
        let (run, rows) = run(text, &RunOptions { method: method.into(), ..RunOptions::default() });
        let names = &rows.names[1..];
        let place = |name: &str| names.iter().position(|known| known == name).expect("a column");
        let (x, y) = (place("x"), place("y"));
        let dense = run.dense.as_ref().expect("it was asked for");
        for k in 0..=300 {
            let value = dense.value(0.01 * f64::from(k).min(300.0)).expect("within the run");
            let left = (value[x].powi(2) + value[y].powi(2) - 1.0).abs();
            assert!(left < 1e-7, "{method} at {k}: {left:e}");
        }
    }
}

/// Impacts: the function has the speed behind each, and no value of one side on the other.
#[test]
fn events_part_the_function() {
    let text = "h'' = -9.81\nwhen h < 0:\n    h' = -0.8*h'\ninit h = 1, h' = 0\nrun 0 .. 3";
    for method in ["auto", "dp8", "radau", "bdf"] {
        let (run, rows) = run(text, &RunOptions { method: method.into(), ..RunOptions::default() });
        let dense = run.dense.as_ref().expect("it was asked for");
        assert!(distance(&run, &rows, 2) < 1e-9, "{method}");
        let impact = (2.0f64 / 9.81).sqrt();
        let speed = |t: f64| dense.value(t).expect("within the run")[1];
        // the impact is found as exactly as the tolerances say
        let (before, behind) = (speed(impact - 1e-4), speed(impact + 1e-4));
        assert!((before + 9.81 * impact).abs() < 5e-3, "{method}: {before}");
        assert!((behind - 0.8 * 9.81 * impact).abs() < 5e-3, "{method}: {behind}");
        assert!(dense.value(impact).expect("within the run")[0].abs() < 1e-4, "{method}");
    }
}

/// Without the wish there is none, and beyond doubles it is refused.
#[test]
fn only_who_asks_pays() {
    let compiled = model("x' = -x; x(0) = 1; run 0 .. 1");
    let plain = simulate(&compiled, &RunOptions::default(), &mut Memory::default()).expect("a run");
    assert!(plain.dense.is_none());
    let precise = RunOptions { dense: true, precision: Some(40), ..RunOptions::default() };
    assert!(simulate(&compiled, &precise, &mut Memory::default()).is_err());
    let at = RunOptions { dense: true, rows: RowTimes::At(vec!["1".into()]), ..RunOptions::default() };
    let run = simulate(&compiled, &at, &mut Memory::default()).expect("a run");
    let half = run.dense.expect("it was asked for").value(0.5).expect("within the run")[0];
    assert!((half - (-0.5f64).exp()).abs() < 1e-6, "{half}");
}
