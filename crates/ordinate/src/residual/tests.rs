//! Models that are broken on purpose between the text and the program: every method must end with the equation that does not hold.

use crate::{CompileOptions, Compiled, Discard, ErrorWish, NoteKind, RunOptions, Source, Status, compile, simulate};
use ordinate_expr::{Expr, ExprId, Graph};
use ordinate_model::Sorted;
use std::sync::Arc;

const METHODS: [&str; 6] = ["auto", "taylor", "mtsm", "radau", "dp5", "bdf"];

fn compiled(text: &str) -> Compiled {
    compile(&Source::text(text), &CompileOptions::default()).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

/// The model with another formula for a variable.
fn with_formula(model: &Compiled, name: &str, change: impl Fn(&mut Graph, ExprId) -> ExprId) -> Compiled {
    let mut sorted = Sorted::clone(&model.sorted);
    let var = (0..sorted.model.variables.len())
        .find(|&k| sorted.model.name(ordinate_expr::VarId(k as u32)) == name)
        .unwrap_or_else(|| panic!("no {name}"));
    let formula = sorted.definitions[var].unwrap_or_else(|| panic!("{name} has no formula"));
    let changed = change(&mut sorted.model.graph, formula);
    assert_ne!(changed, formula, "nothing was broken");
    sorted.definitions[var] = Some(changed);
    let program = ordinate_program::compile(&mut sorted, false);
    Compiled { sorted: Arc::new(sorted), program: Arc::new(program), ..model.clone() }
}

fn is_found(what: &str, broken: &Compiled, line: usize) {
    for method in METHODS {
        let options = RunOptions { method: method.into(), error: ErrorWish::Off, ..RunOptions::default() };
        let run = match simulate(broken, &options, &mut Discard) {
            Ok(run) => run,
            // the polynomial system is made from the start values, which are another one's
            Err(_) if method == "mtsm" => continue,
            Err(e) => panic!("{what}, {method}: {e:?}"),
        };
        let reason = run.reason.as_ref().unwrap_or_else(|| panic!("{what}, {method}: it went unnoticed"));
        assert_eq!((run.outcome.status, reason.kind), (Status::Stopped, "residual"), "{what}, {method}: {reason:?}");
        assert!(reason.message.contains(&format!("line {line} ")), "{what}, {method}: {}", reason.message);
    }
}

const OSCILLATOR: &str = "x'' = -x - 0.1*x' + sin(t)\nE = x^2 + x'^2\ninit x = 1, x' = 0\nrun 0 .. 5";

#[test]
fn a_term_that_is_lost_is_found() {
    let broken = with_formula(&compiled(OSCILLATOR), "x''", |g, formula| match g.node(formula) {
        Expr::Add(a, _) | Expr::Sub(a, _) => a,
        _ => formula,
    });
    is_found("a lost term", &broken, 1);
}

#[test]
fn a_wrong_sign_is_found() {
    let broken = with_formula(&compiled(OSCILLATOR), "x''", |g, formula| g.neg(formula));
    is_found("a wrong sign", &broken, 1);
}

/// Numbers of any precision, and digits on demand, are held against the text, too.
#[test]
fn a_wrong_sign_is_found_beyond_double_precision() {
    let broken = with_formula(&compiled(OSCILLATOR), "x''", |g, formula| g.neg(formula));
    for (precision, digits) in [(Some(30), None), (None, Some(20)), (None, Some(8))] {
        let options = RunOptions { precision, digits, ..RunOptions::default() };
        let run = simulate(&broken, &options, &mut Discard).expect("it begins");
        let kind = run.reason.as_ref().map(|reason| reason.kind);
        assert_eq!(kind, Some("residual"), "{precision:?} {digits:?}: {:?}", run.reason);
    }
}

#[test]
fn a_named_value_that_is_wrong_is_found() {
    let broken = with_formula(&compiled(OSCILLATOR), "E", |g, formula| {
        let two = g.integer(2);
        g.mul(two, formula)
    });
    is_found("a wrong output", &broken, 2);
}

#[test]
fn branches_that_are_exchanged_are_found() {
    let model = compiled("x' = if x < 2 then 1 else -0.5 + t\ninit x = 0\nrun 0 .. 4");
    let broken = with_formula(&model, "x'", |g, formula| match g.node(formula) {
        Expr::Select(c, a, b) => g.select(c, b, a),
        _ => formula,
    });
    is_found("exchanged branches", &broken, 1);
}

/// The multiplier of the pendulum follows from the second derivative of its constraint.
#[test]
fn a_wrong_index_reduction_is_found() {
    let text = "x'' = -T*x\ny'' = -T*y - 1\nx^2 + y^2 = 1\ninit x = 0.6, x' = 0, y = -0.8, y' = 0\nrun 0 .. 3";
    let broken = with_formula(&compiled(text), "T", |g, formula| {
        let one = g.integer(1);
        g.add(formula, one)
    });
    is_found("a wrong multiplier", &broken, 3);
}

/// What happened once: a branch that is constant at usual points was taken for a constant, and its derivative for zero.
#[test]
fn a_derivative_that_is_taken_for_zero_is_found() {
    let model = compiled("x'' = -x\nz = max(-0.5, x)\ny' = z'\ninit x = 1, x' = 0, y = 0\nrun 0 .. 5");
    let broken = with_formula(&model, "y'", |g, _| g.integer(0));
    is_found("a derivative of zero", &broken, 3);
}

/// Everything that the language has runs without a finding: operators with a memory, loops, functions, tables of branches, events,
/// sliding, samples, algebraic equations, derivatives of what is no state.
#[test]
fn what_is_right_is_not_blamed() {
    let models = [
        "def f(a, b) = if a > b then a else 2*b\nparam n = 3\nfor k in 1..n: x[k]' = f(x[k], 0.3) - x[k]^2 + k\nfor k in 1..n: init x[k] = k/10\nrun 0 .. 3",
        "x' = -delay(x, 1) + pade(x, 0.5, 3) + laplace(1/(s + 2), sin(t))\ninit x = 1\nrun 0 .. 6",
        "for k in 1..3: x[k]' = -delay(x[k], 0.1*k)\nfor k in 1..3: init x[k] = k\nrun 0 .. 3",
        "x' = if x > 0 then -1 else 1\ny' = if x > 0 then 2 else 0\ninit x = 0.5, y = 0\nrun 0 .. 2",
        "v' = -9.81\nh' = v\nwhen h < 0: v = -0.8*v\noutput E = 0.5*v^2 + 9.81*h\ninit h = 1, v = 0\nrun 0 .. 2",
        "x' = quantize(sin(3*t), 0.1) - saturate(2*x, 0.4) + noise(3, 0.1, 0.25)\ninit x = 0\nrun 0 .. 4",
        "x' = u - x\nevery 0.1: u = 1 - floor(10*x)/10\ninit x = 0, u = 0\nrun 0 .. 2",
        "z^3 + z = x\nx' = -z + sin(t)\ninit x = 2\nguess z = 1\nrun 0 .. 3",
        "y''' + 3*y'' + 3*y' + y = 2*u' + u\ninput u = step(t - 1)\ninit y = 0, y' = 0, y'' = 0\nrun 0 .. 4",
        "x = sin(t)^2\nw = x*exp(-t)\ny' = w'' + abs(x - 0.5)\ninit y = 0\nrun 0 .. 4",
        "param n = 2, k[2] = 3\nx' = 0.1*(x - 2)^n - k[n]*x\ninit x = 1\nrun 0 .. 3",
        "x'' = -abs(x)*x^1.5 + min(x, x', 0.3)*cbrt(t + 1)\ninit x = 1, x' = 0\nrun 0 .. 1",
    ];
    for text in models {
        let model = compiled(text);
        for method in METHODS {
            for step in [None, Some(0.01)] {
                let method = if step.is_some() && method == "bdf" { "bdf2" } else { method };
                let options =
                    RunOptions { method: method.into(), step, error: ErrorWish::Off, ..RunOptions::default() };
                let Ok(run) = simulate(&model, &options, &mut Discard) else { continue };
                let kind = run.reason.as_ref().map(|reason| reason.kind);
                assert_ne!(kind, Some("residual"), "{text}\n{method} {step:?}: {:?}", run.reason);
                let unchecked = run.notes.iter().find(|note| note.kind == NoteKind::Unchecked);
                assert!(unchecked.is_none(), "{text}\n{method} {step:?}: {unchecked:?}");
            }
        }
    }
}

#[test]
fn what_has_no_value_as_typed_is_said() {
    let model = compiled("y' = (if t == 0 then 1 else sin(t)/t) + (exp(t) - 1)/t\ny(0) = 0\nrun 0 .. 1");
    let run = simulate(&model, &RunOptions::default(), &mut Discard).expect("it begins");
    let note = run.notes.iter().find(|note| note.kind == NoteKind::Unchecked).expect("it is said");
    assert_eq!((note.line, note.t), (Some(1), Some(0.0)), "{}", note.message);
}

/// Of thousands of equations a part is compared at each point, and each of them at some point.
#[test]
fn one_wrong_equation_of_many_is_found() {
    let text = "param S = 4000\nfor k in 1..S: x[k]' = -x[k] + sin(t)\nfor k in 1..S: init x[k] = 1\nrun 0 .. 2";
    let model = compiled(text);
    for k in [7, 1234, 3999] {
        let broken = with_formula(&model, &format!("x[{k}]'"), |g, formula| g.neg(formula));
        let options = RunOptions { method: "dp5".into(), error: ErrorWish::Off, ..RunOptions::default() };
        let run = simulate(&broken, &options, &mut Discard).expect("it begins");
        let reason = run.reason.as_ref().expect("it is found");
        assert!(reason.kind == "residual" && reason.message.contains(&format!("k = {k}")), "{}", reason.message);
    }
}

/// Series of other equations shorten the steps until their defect is within the tolerance; their order tells what they are.
#[test]
fn a_wrong_series_is_found() {
    let cases = [
        ("x'' = -x - x^3", "x'' = -x - 0.9*x^3"),
        ("x'' = -x + 0.1*x'*x^2", "x'' = -x - 0.1*x'*x^2"),
        ("x'' = -x*x'", "x'' = -x*x' + t^4/1000"),
    ];
    let start = "\ninit x = 1, x' = 0.5\nrun 0 .. 5";
    for (right, wrong) in cases {
        let model = compiled(&format!("{right}{start}"));
        let mut program = model.program.as_ref().clone();
        program.polynomial = Some(Arc::clone(&compiled(&format!("{wrong}{start}")).program));
        let broken = Compiled { program: Arc::new(program), ..model };
        for rtol in [1e-4, 1e-6, 1e-9] {
            let options = RunOptions { method: "taylor".into(), rtol, error: ErrorWish::Off, ..RunOptions::default() };
            let run = simulate(&broken, &options, &mut Discard).expect("it begins");
            let reason = run
                .reason
                .as_ref()
                .unwrap_or_else(|| panic!("{right}, {rtol}: it went unnoticed, {:?}", run.outcome.statistics));
            assert_eq!((run.outcome.status, reason.kind), (Status::Stopped, "residual"), "{right}: {reason:?}");
            assert!(reason.message.contains("Taylor series"), "{right}: {}", reason.message);
        }
    }
}
