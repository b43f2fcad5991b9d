//! Series that fool the usual rules of Taylor methods: gaps, zeros, ends, extreme sizes. At every order and tolerance the
//! run is right within its tolerance, or says that it is not.

use ordinate::{CompileOptions, Compiled, Memory, RowTimes, Run, RunOptions, Source, compile, simulate};
use ordinate_solve::Status;

/// A problem, its end, and the exact values there; the absolute tolerance is in units of `size`. A relative disturbance
/// at the start is `growth` times as large at the end.
struct Problem {
    text: String,
    t: f64,
    exact: Vec<(&'static str, f64)>,
    size: f64,
    growth: f64,
}

fn problem(text: &str, t: f64, exact: &[(&'static str, f64)]) -> Problem {
    Problem { text: text.into(), t, exact: exact.to_vec(), size: 1.0, growth: 1.0 }
}

fn problems() -> Vec<Problem> {
    let e5 = (-5f64).exp();
    let mut all = vec![
        // from rest at 90 degrees: powers 2, 6, 10, …; reference of the benchmark, quadruple precision
        problem("phi'' = -5*sin(phi); init phi = pi/2, phi' = 0", 20.0, &[("phi", PENDULUM.0), ("phi'", PENDULUM.1)]),
        problem("y'' = -1; init y = 3, y' = 0", 10.0, &[("y", -47.0), ("y'", -10.0)]),
        problem("y' = 0; y(0) = 7", 5.0, &[("y", 7.0)]),
        problem("y' = -2*t*y^2; y(0) = 1", 3.0, &[("y", 0.1)]),
        problem("y' = 1 + y^2; y(0) = 0", 1.5, &[("y", 1.5f64.tan())]),
        problem("y'' = -y; init y = 1, y' = 0", 30.0, &[("y", 30f64.cos()), ("y'", -30f64.sin())]),
        Problem { growth: 1000.0, ..problem("y' = y^2; y(0) = 1", 0.999, &[("y", 1000.0)]) },
        problem("a' = -a; b' = -b; init a = 1e6, b = 1e-6", 3.0, &[("a", 1e6 * (-3f64).exp())]),
        // a gap of twenty powers, and one that the end of the run does not show
        problem("y' = 20*t^19/(1 + t^20)^2; y(0) = 0", 1.2, &[("y", 1.0 - 1.0 / (1.0 + 1.2f64.powi(20)))]),
        problem("y' = (4*t*(1 - t))^12; y(0) = 0", 1.0, &[("y", 0.2481693511764854)]),
        problem("y' = 4*t^3*exp(-t^4); y(0) = 0", 3.0, &[("y", 1.0)]),
        problem("y' = -40*y; y(0) = 1", 1.0, &[("y", (-40f64).exp())]),
        Problem { size: 1e200, ..problem("y' = -y; y(0) = 1e200", 5.0, &[("y", 1e200 * e5)]) },
        Problem { size: 1e-200, ..problem("y' = -y; y(0) = 1e-200", 5.0, &[("y", 1e-200 * e5)]) },
        Problem { size: 1e100, ..problem("y' = -y^2; y(0) = 1e100", 1e-99, &[("y", 1.0 / 1.1e-99)]) },
        Problem { size: 1e-100, ..problem("y' = -y^2; y(0) = 1e-100", 1e101, &[("y", 1.0 / 1.1e101)]) },
    ];
    for k in (1..=40).chain([50, 64, 70, 100]) {
        all.push(problem(&format!("y' = {k}*t^{}; y(0) = 0", k - 1), 1.5, &[("y", 1.5f64.powi(k))]));
    }
    all
}

/// phi and phi′ at t = 20.
const PENDULUM: (f64, f64) = (1.5458056794163624, -0.4998804478542391);

fn run(compiled: &Compiled, problem: &Problem, order: Option<u32>, tolerance: f64) -> Run {
    let options = RunOptions {
        t_end: Some(format!("{:?}", problem.t)),
        method: "taylor".into(),
        order,
        rtol: tolerance,
        atol: tolerance * problem.size,
        rows: RowTimes::At(vec![format!("{:?}", problem.t)]),
        ..RunOptions::default()
    };
    simulate(compiled, &options, &mut Memory::default()).expect("a run that begins")
}

#[test]
fn no_order_and_no_tolerance_is_silently_wrong() {
    let mut failures = Vec::new();
    for problem in problems() {
        let compiled = compile(&Source::text(&problem.text), &CompileOptions::default()).expect("a model");
        for tolerance in [1e-3, 1e-6, 1e-9, 1e-12, 1e-15] {
            for order in std::iter::once(None).chain((4..=40).map(Some)) {
                let run = run(&compiled, &problem, order, tolerance);
                let what = format!("{} order {order:?} tolerance {tolerance}", problem.text);
                if run.outcome.status != Status::Ok {
                    failures.push(format!("{what}: {:?}", run.reason.map(|reason| reason.message)));
                    continue;
                }
                for &(name, exact) in &problem.exact {
                    let found = run.final_value(name).expect("a column");
                    // The errors of the steps add up; rounding, too.
                    let steps_and_growth = 100.0 * problem.growth;
                    let allowed = steps_and_growth * tolerance * (exact.abs() + problem.size) + 1e-11 * exact.abs();
                    if (found - exact).abs() > allowed {
                        let steps = run.outcome.statistics.steps;
                        failures.push(format!("{what}: {name} = {found:?}, not {exact:?}; {steps} steps"));
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}
