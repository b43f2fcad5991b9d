//! Newton's method of implicit steps, three ways: its iterates, its convergence and its named failures.

use crate::problems::implicit::{Dae, cubic};
use crate::problems::run;
use ordinate_solve::{
    FirstIterate, Goal, NewtonEquation, NewtonKind, NewtonOptions, NewtonSolver, Options, Rows, Status, StepFailure,
    by_name,
};
use serde_json::Value;

fn golden(id: &str) -> Value {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/methods.json")).unwrap();
    let all: Value = serde_json::from_str(&text).unwrap();
    all["cases"].as_array().unwrap().iter().find(|case| case["id"] == id).unwrap().clone()
}

fn number(value: &Value) -> f64 {
    value.as_str().unwrap().parse().unwrap()
}

/// The equation of a backward Euler step from 0 to 0.01.
fn euler(psi: &[f64]) -> NewtonEquation<'_> {
    NewtonEquation { step: (0.0, 0.01), stage: 0, t: 0.01, d: &[], psi, gamma_h: 0.01 }
}

#[test]
fn the_iterates_of_the_lecture_example() {
    let golden = golden("newton-x3");
    let options =
        NewtonOptions { kind: NewtonKind::Full, tolerance: Some(0.01), trace: true, ..NewtonOptions::default() };
    let mut stage = NewtonSolver::new(1, options);
    let (mut x, mut guess) = ([10.0], 5.0);
    for (step, row) in golden["steps"].as_array().unwrap().iter().enumerate() {
        let mut y = [guess];
        let result = stage.solve(&mut cubic(), &euler(&x), &[1.0], Goal::Rounding, &mut y).unwrap();
        assert_eq!(u64::from(result.iterations), row["iterations"].as_u64().unwrap());
        assert!((y[0] - number(&row["x_newton_eps"])).abs() < 1e-13, "{row}: {}", y[0]);
        let iterates = stage.take_iterates();
        assert_eq!(iterates.len() as u32, result.iterations + 1);
        if step == 0 {
            for (iterate, row) in iterates.iter().zip(golden["first_step_iterates"].as_array().unwrap()) {
                assert!((iterate.y[0] - number(&row["x"])).abs() < 1e-14);
                assert!((iterate.residual[0] + number(&row["F"])).abs() < 1e-14, "F is minus the residual");
            }
        }
        x = y;
        guess = y[0];
    }
}

/// The same through a run, as the command line does it.
#[test]
fn a_run_shows_the_iterates() {
    let golden = golden("newton-x3");
    let first = FirstIterate::Given(5.0);
    let newton =
        NewtonOptions { kind: NewtonKind::Full, tolerance: Some(0.01), first, trace: true, ..NewtonOptions::default() };
    let mut method = by_name("implicit-euler").unwrap().with_newton(newton).unwrap().build(1, true);
    let options = Options { step: Some(0.01), rows: Rows::Steps, ..Options::default() };
    let (outcome, table) = run(&mut cubic(), method.as_mut(), &[10.0], 0.1, &options);
    assert_eq!(outcome.status, Status::Ok);
    for (k, row) in golden["steps"].as_array().unwrap().iter().enumerate() {
        assert!((table.y[k + 1][0] - number(&row["x_newton_eps"])).abs() < 1e-12);
        let t = 0.01 * k as f64;
        let iterates: Vec<_> = table.iterates.iter().filter(|i| (i.t - t).abs() < 1e-9).collect();
        assert_eq!(iterates.len() as u64, row["iterations"].as_u64().unwrap() + 1, "step {k}");
        assert!(iterates.iter().enumerate().all(|(k, iterate)| iterate.iteration as usize == k));
    }
    assert!(by_name("rk4").unwrap().with_newton(newton).is_err());
}

#[test]
fn all_three_kinds_solve_to_rounding() {
    for kind in [NewtonKind::Simplified, NewtonKind::Full, NewtonKind::Inexact] {
        let mut stage = NewtonSolver::new(1, NewtonOptions { kind, ..NewtonOptions::default() });
        let mut x = [10.0];
        for value in golden("newton-x3")["converged_trajectory"].as_array().unwrap() {
            let mut y = x;
            stage.solve(&mut cubic(), &euler(&x), &[1e-6], Goal::Rounding, &mut y).unwrap();
            assert!((y[0] - number(value)).abs() < 1e-14, "{kind:?}: {} {value}", y[0]);
            x = y;
        }
    }
}

#[test]
fn the_jacobian_is_kept_as_long_as_it_serves() {
    let mut stage = NewtonSolver::new(1, NewtonOptions::default());
    let mut x = [1.0];
    for _ in 0..20 {
        let mut y = x;
        stage.solve(&mut cubic(), &euler(&x), &[1e-8], Goal::Part(0.01), &mut y).unwrap();
        assert!((y[0] - x[0] + 0.01 * y[0].powi(3)).abs() < 1e-9);
        x = y;
    }
    assert_eq!((stage.work().jacobian, stage.work().lu), (1, 1));
}

#[test]
fn failures_have_names() {
    let solve = |f: fn(f64) -> f64, slope: fn(f64) -> f64, first: f64| {
        let mut system = Dae::new(1, 1, move |_, y, g| g[0] = f(y[0]), move |_, y, j| j[0] = slope(y[0]));
        let mut y = [first];
        NewtonSolver::new(1, NewtonOptions::default()).solve(
            &mut system,
            &euler(&[0.0]),
            &[1e-6],
            Goal::Part(0.01),
            &mut y,
        )
    };
    // No solution.
    assert_eq!(solve(|y| 1.0 + y * y, |y| 2.0 * y, 0.3), Err(StepFailure::Newton { component: 0 }));
    assert_eq!(solve(|y| 1.0 + y * y, |y| 2.0 * y, 0.0), Err(StepFailure::Singular { component: 0 }));
    assert_eq!(
        solve(|y| y.sqrt() + 1.0, |y| 0.5 / y.sqrt(), 1.0),
        Err(StepFailure::NotFinite { t: 0.01, component: 0 })
    );
    assert!(solve(|y| y - 2.0, |_| 1.0, 0.0).is_ok());
}
