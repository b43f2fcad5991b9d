//! The three reductions of section 2.6 on the reference data: the Padé approximations of a delay, order 1 to 15, through
//! the form with an additional variable and through successive integration, written out as model texts.

use ordinate::{CompileOptions, Memory, RowTimes, RunOptions, Source, compile, simulate};
use ordinate_expr::{ExprId, Graph, VarId};
use ordinate_model::reduction::{Realisation, mdor, mdorav, msi, pade_fraction};
use serde_json::Value;
use std::f64::consts::FRAC_PI_2;
use std::fmt::Write;

/// Solves a model text; all columns at the given times.
fn solve(text: &str, times: &[f64], end: f64, atol: f64) -> Memory {
    let compiled = match compile(&Source::text(text), &CompileOptions::default()) {
        Ok(compiled) => compiled,
        Err(failure) => panic!("{text}\n{failure:?}"),
    };
    let options = RunOptions {
        t_end: Some(format!("{end:?}")),
        method: "dp8".into(),
        rtol: 1e-12,
        atol,
        rows: RowTimes::At(times.iter().map(|t| format!("{t:?}")).collect()),
        ..RunOptions::default()
    };
    let mut rows = Memory::default();
    let run = simulate(&compiled, &options, &mut rows).expect("a run");
    assert_eq!(run.reason.map(|reason| reason.message), None, "{text}");
    rows
}

/// A realisation with input z as text: states x1, x2, … from rest, output y.
fn written(g: &mut Graph, system: &Realisation, inputs: &[&str]) -> String {
    let n = system.order() as u32;
    let states: Vec<ExprId> = (0..n).map(|k| g.variable(VarId(k))).collect();
    let z: Vec<ExprId> = (0..inputs.len() as u32).map(|k| g.variable(VarId(n + k))).collect();
    let (rates, value) = (system.rates(g, &states, &z), system.value(g, &states, &z));
    let name = |v: VarId| match v.0 {
        k if k < n => format!("x{}", k + 1),
        k => inputs[(k - n) as usize].to_string(),
    };
    let mut text = String::new();
    for (k, &rate) in rates.iter().enumerate() {
        writeln!(text, "x{}' = {}", k + 1, g.print(rate, &name)).expect("a string");
        writeln!(text, "init x{} = 0", k + 1).expect("a string");
    }
    writeln!(text, "y = {}", g.print(value, &name)).expect("a string");
    text
}

/// aₖ Tᵏ: the approximation in the time t itself.
fn in_time(g: &mut Graph, list: &[ExprId]) -> Vec<ExprId> {
    let (pi, two) = (g.pi(), g.integer(2));
    let delay = g.div(pi, two);
    let powers = list.iter().zip(0..);
    powers
        .map(|(&c, k)| {
            let exponent = g.integer(k);
            let power = g.pow(delay, exponent);
            g.mul(c, power)
        })
        .collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn cases() -> Vec<Value> {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/linear.json");
    let text = std::fs::read_to_string(file).expect("the data");
    let mut data: Value = serde_json::from_str(&text).expect("JSON");
    let Value::Array(cases) = data["cases"].take() else { panic!("a list") };
    cases.into_iter().filter(|case| case["family"] == "pade").collect()
}

/// States by name and the output; the states of the data are v, v′, … divided by Tⁿ in the one form, vₙ … v₁ in the
/// other. The states of the language's own form are others, so there the output alone is compared.
#[test]
fn pade_approximations_agree_with_the_data_through_every_form() {
    let mut compared = 0;
    for case in cases() {
        let id = case["id"].as_str().expect("an id").to_string();
        let n: u32 = case["params"]["n"].as_str().and_then(|n| n.parse().ok()).expect("an order");
        let mut g = Graph::new();
        let (a, b) = pade_fraction(&mut g, n);
        let given: Vec<String> = a.iter().map(|&c| g.print(c, &|_| String::new())).collect();
        let listed: Vec<&str> =
            case["params"]["c"].as_array().expect("a list").iter().flat_map(Value::as_str).collect();
        assert_eq!(given, listed, "{id}");
        let (a, b) = (in_time(&mut g, &a), in_time(&mut g, &b));
        let additional = id.ends_with("mdorav");
        let system = if additional { mdorav(&mut g, &a, &b) } else { msi(&mut g, &a, &b) }.expect("a proper fraction");
        let texts = [(written(&mut g, &system, &["z"]), "states"), (format!("y = pade(z, pi/2, {n})"), "language")];
        for (equations, form) in texts {
            let text = format!("z' = c; c' = -z; init z = 0, c = 1\n{equations}");
            let references = case["reference"].as_array().expect("a list");
            let times: Vec<f64> = references.iter().map(|r| number(&r["t"])).collect();
            // the derivatives of the additional variable lie far apart; the highest one, which is largest, governs
            let rows = solve(&text, &times, number(&case["tend"]), if additional { 1e-17 } else { 1e-14 });
            for (row, reference) in references.iter().enumerate() {
                let y = rows.column("y").expect("an output")[row];
                let expected = number(&reference["outputs"]["y"]);
                // cancellation among large terms costs the additional variable digits: 1e3, as the data says
                let allowed = if additional && form == "states" { 1e-8 } else { 1e-10 };
                assert!((y - expected).abs() < allowed, "{id} {form}, y at {}: {y} {expected}", times[row]);
                compared += 1;
                if form == "language" {
                    continue;
                }
                for k in 0..n as usize {
                    // both lists begin with the highest
                    let at = n as usize - 1 - k;
                    let scale = number(&case["scale"][at]);
                    let factor = if additional { FRAC_PI_2.powi(n as i32) } else { 1.0 };
                    let found = rows.column(&format!("x{}", k + 1)).expect("a state")[row] / factor;
                    let expected = number(&reference["y"][at]);
                    assert!((found - expected).abs() < 1e-8 * scale, "{id}, x{}: {found} {expected}", k + 1);
                }
            }
        }
    }
    assert!(compared >= 2 * 2 * 5 * 6, "only {compared}");
}

/// (2.32): y″ + 2y′ + 3y = 8z″ + 13z′ + z with z = sin t from rest is known in closed form. The derivatives that MDOR needs
/// begin with y(0) = 0, y′(0) = 8.
#[test]
fn the_three_methods_solve_the_example_of_the_thesis_alike() {
    let mut g = Graph::new();
    let numbers = |g: &mut Graph, list: &[i64]| -> Vec<ExprId> { list.iter().map(|&c| g.integer(c)).collect() };
    let (a, b) = (numbers(&mut g, &[3, 2, 1]), numbers(&mut g, &[1, 13, 8]));
    let known = |t: f64| {
        let w = 2f64.sqrt();
        1.5 * t.sin() + 5.0 * t.cos() + (-t).exp() * (1.5 / w * (w * t).sin() - 5.0 * (w * t).cos())
    };
    let (first, second, third) =
        (mdorav(&mut g, &a, &b).expect("proper"), msi(&mut g, &a, &b).expect("proper"), mdor(&mut g, &a, &b));
    let times: Vec<f64> = (0..=20).map(|k| f64::from(k) / 2.0).collect();
    for (system, inputs) in [(first, &["z"][..]), (second, &["z"]), (third, &["z", "z'", "z''"])] {
        let text = format!("input z = sin(t)\n{}", written(&mut g, &system, inputs));
        let text = if inputs.len() > 1 { text.replace("init x2 = 0", "init x2 = 8") } else { text };
        let rows = solve(&text, &times, 10.0, 1e-14);
        for (t, y) in times.iter().zip(rows.column("y").expect("an output")) {
            assert!((y - known(*t)).abs() < 1e-11, "{text} at {t}: {y} {}", known(*t));
        }
    }
}
