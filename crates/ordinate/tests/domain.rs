//! Solutions that leave the domain of their equations: the run ends at the edge, at once, and says which equation it was.

use ordinate::{CompileOptions, Memory, Run, RunOptions, Source, Status, compile, simulate};

/// All families, implicit and explicit.
const METHODS: [&str; 14] = [
    "auto",
    "taylor",
    "radau",
    "radau3",
    "radau5",
    "radau9",
    "radau13",
    "bdf",
    "trapezoid",
    "backward-euler",
    "dp5",
    "dp8",
    "rk4",
    "adams",
];

fn run(text: &str, t_end: f64, method: &str) -> (Run, Memory) {
    let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes");
    let mut rows = Memory::default();
    let options = RunOptions { method: method.into(), t_end: Some(format!("{t_end:?}")), ..RunOptions::default() };
    let run = simulate(&compiled, &options, &mut rows).expect("it can begin");
    (run, rows)
}

/// Every method ends at `edge` within `near`, after few attempts, with a reason that names one of `names`.
fn ends_at(text: &str, t_end: f64, (edge, near): (f64, f64), names: &[&str]) {
    for method in METHODS {
        let (run, rows) = run(text, t_end, method);
        let told = format!("{text}: {method}: {:?}", run.reason);
        assert_eq!(run.outcome.status, Status::Stopped, "{told}");
        let reason = run.reason.as_ref().expect("a run that stopped has a reason");
        assert!(["not_finite", "singularity"].contains(&reason.kind), "{told}");
        assert!(names.contains(&reason.variable.as_deref().unwrap_or("")), "{told}");
        assert!((reason.t - edge).abs() < near && (run.outcome.t_reached - edge).abs() < near, "{told}");
        let times = rows.column("time").expect("every result has it");
        assert_eq!(times.last(), Some(&run.outcome.t_reached), "{told}");
        let finite = |name: &str| rows.column(name).expect("a column").iter().all(|value| value.is_finite());
        assert!(run.final_values.iter().all(|(name, _)| finite(name)), "{told}");
        let done = run.outcome.statistics.steps + run.outcome.statistics.rejected;
        assert!(done < 10_000, "{told}: {done} attempts");
    }
}

/// What moves with a speed that does not vanish at the edge must not be held there, however little it is beyond it.
#[test]
fn a_state_that_leaves_the_domain_ends_the_run() {
    for f in [
        "sqrt(x)",
        "log(x)",
        "x^1.5",
        "x^0.5",
        "acos(1 - x)",
        "asin(1 - x)",
        "sqrt(1 - (1-x)^2)",
        "sqrt(x) - sqrt(2*x)",
    ] {
        ends_at(&format!("x' = -1; y' = {f}; init x = 1, y = 0"), 3.0, (1.0, 2e-9), &["y"]);
    }
    ends_at("x' = -1; y' = sqrt(x) + sqrt(x - 0.5); init x = 1, y = 0", 3.0, (0.5, 2e-9), &["y"]);
    ends_at("x' = -1e-4; y' = sqrt(x); init x = 1e-4, y = 0", 3.0, (1.0, 2e-5), &["y"]);
    ends_at("x' = -1; z^3 + z = sqrt(x); y' = z; init x = 1, y = 0", 3.0, (1.0, 2e-9), &["x", "y", "z"]);
    // it would come back; backward-euler is as coarse as that
    ends_at("x' = cos(t); y' = sqrt(x + 0.5); init x = 0, y = 0", 10.0, (3.665191429188092, 2e-3), &["y"]);
}

/// It slows down like a tank that runs empty, but not to rest: 2 + 2 ln(1/2).
#[test]
fn a_state_that_slows_down_at_the_edge_leaves_it_all_the_same() {
    ends_at("x' = -1 - sqrt(x); x(0) = 1", 5.0, (2.0 + 2.0 * 0.5f64.ln(), 2e-4), &["x"]);
    for method in ["auto", "radau", "radau5", "bdf"] {
        let (run, _) = run("x' = -1e-6 - sqrt(x); x(0) = 1", 5.0, method);
        let reason = run.reason.expect("it does not rest at zero");
        assert!(reason.kind == "not_finite" && (reason.t - 2.0).abs() < 1e-3, "{method}: {reason:?}");
    }
}

/// x = (t − 1)² touches the edge; a method whose x is negative there by its own error says so.
#[test]
fn a_state_that_touches_the_edge_passes_or_ends_there() {
    for method in METHODS {
        let (run, _) = run("x' = 2*(t - 1); y' = sqrt(x); init x = 1, y = 0", 3.0, method);
        match run.reason {
            None => assert!((run.final_value("y").expect("a column") - 2.5).abs() < 5e-3, "{method}"),
            Some(reason) => {
                assert!(reason.kind == "not_finite" && (reason.t - 1.0).abs() < 0.05, "{method}: {reason:?}")
            }
        }
    }
}

/// No method knows of z, for which the equations have a formula; it has no value after the edge, and there are no rows there.
#[test]
fn an_unknown_that_ceases_to_exist_ends_the_run() {
    for (text, unknown) in [
        ("x' = 1; exp(z) + x = 0; x(0) = -1", "z"),
        ("x' = -1; 0 = y - sqrt(x); x(0) = 1", "y"),
        ("x' = -1; exp(y) = x; w = 2*y; x(0) = 1; when x < 0.5: x = 0.25", "y"),
    ] {
        let edge = if text.contains("when") { 0.75 } else { 1.0 };
        ends_at(text, 3.0, (edge, 1e-9), &[unknown]);
    }
}

/// What the model only watches is noted, and the run goes on.
#[test]
fn an_output_without_a_value_is_a_note() {
    for method in ["auto", "radau", "dp5"] {
        let (run, _) = run("x' = -1; output w = log(x); x(0) = 1", 3.0, method);
        assert_eq!(run.outcome.status, Status::Ok, "{method}: {:?}", run.reason);
        assert!(run.not_finite.is_some_and(|(name, t)| name == "w" && (1.0..1.01).contains(&t)), "{method}");
    }
}
