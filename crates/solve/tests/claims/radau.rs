//! The Radau methods, backward Euler and the trapezoidal rule: golden values, orders on equations of index 0 to 3, failures.

use crate::problems::implicit::{
    Dae, PENDULUM_START, pendulum, prothero_robinson, reactor, robertson, robertson_dae, rotating_dae,
};
use crate::problems::{run, witch, witch_solution};
use ordinate_solve::{
    AbsoluteTolerance, NewtonKind, NewtonOptions, Options, Outcome, Point, Reason, Rows, Status, System, Tolerance,
    by_name,
};
use serde_json::Value;

fn golden(id: &str) -> Value {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/methods.json")).unwrap();
    let all: Value = serde_json::from_str(&text).unwrap();
    all["cases"].as_array().unwrap().iter().find(|case| case["id"] == id).unwrap().clone()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|y| y.as_f64().unwrap()).collect()
}

/// So many steps of a length that need not divide the time evenly in double precision.
pub fn fixed(name: &str, system: &mut dyn System, y: &[f64], h: f64, steps: u32) -> Outcome {
    let mut method = by_name(name).unwrap().build(y.len(), true);
    let options = Options { step: Some(h), rows: Rows::At(vec![]), ..Options::default() };
    let (outcome, _) = run(system, method.as_mut(), y, h * f64::from(steps), &options);
    assert_eq!((outcome.status, outcome.statistics.steps), (Status::Ok, u64::from(steps)), "{name}: {outcome:?}");
    outcome
}

pub fn adaptive(name: &str, system: &mut dyn System, y: &[f64], t_end: f64, rtol: f64, atol: f64) -> Outcome {
    let mut method = by_name(name).unwrap().build(y.len(), false);
    let options = Options { rtol, atol: AbsoluteTolerance::Same(atol), rows: Rows::At(vec![]), ..Options::default() };
    run(system, method.as_mut(), y, t_end, &options).0
}

/// The golden files count stages, the names here orders.
fn by_stages(method: &str) -> Option<&'static str> {
    match method {
        "radau2" => Some("radau3"),
        "radau3" => Some("radau5"),
        _ => None,
    }
}

#[test]
fn fixed_steps_reproduce_the_golden_values() {
    type Make = fn() -> Box<dyn System>;
    let cases: [(&str, Make); 3] = [
        ("dae-methods-ex1", || Box::new(rotating_dae())),
        ("dae-methods-pendulum", || Box::new(pendulum(3))),
        ("dae-methods-robertson", || Box::new(robertson_dae())),
    ];
    let mut compared = 0;
    for (id, make) in cases {
        let case = golden(id);
        for row in case["rows"].as_array().unwrap() {
            let Some(name) = by_stages(row["method"].as_str().unwrap()) else { continue };
            let h: f64 = row["h"].as_str().unwrap().parse().unwrap();
            let steps = row["steps"].as_u64().unwrap() as u32;
            let y = fixed(name, make().as_mut(), &numbers(&case["y0"]), h, steps).y;
            for (y, expected) in y.iter().zip(numbers(&row["y"])) {
                assert!((y - expected).abs() < 1e-10 * expected.abs(), "{id}, {name}, h = {h}: {y} {expected}");
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 7);
}

#[test]
fn the_reactor_block_is_reproduced() {
    let case = golden("nureact-001");
    for row in case["rows"].as_array().unwrap() {
        let y = fixed("radau3", &mut reactor(), &numbers(&case["y0"]), 0.01, row["step"].as_u64().unwrap() as u32).y;
        for (y, expected) in y.iter().zip(numbers(&row["y"])) {
            assert!((y - expected).abs() < 1e-11 * expected, "{row}: {y}");
        }
    }
}

#[test]
fn backward_euler_reproduces_the_golden_decay() {
    for row in golden("euler-decay")["rows"].as_array().unwrap() {
        let number = |key: &str| row[key].as_str().unwrap().parse::<f64>().unwrap();
        let mut decay = Dae::new(1, 0, |_, y, f| f[0] = -y[0], |_, _, j| j[0] = -1.0);
        let y = fixed("backward-euler", &mut decay, &[1.0], number("h"), row["steps"].as_u64().unwrap() as u32).y[0];
        assert!((y - number("be")).abs() < 1e-12 * number("be"), "{row}: {y}");
    }
}

/// Errors of the components at the end for h and h/2, as observed orders.
fn orders(
    name: &str,
    make: &dyn Fn() -> Box<dyn System>,
    start: &[f64],
    exact: &[f64],
    h: f64,
    steps: u32,
) -> Vec<f64> {
    let errors = |h, steps| {
        let y = fixed(name, make().as_mut(), start, h, steps).y;
        y.iter().zip(exact).map(|(y, exact)| (y - exact).abs()).collect::<Vec<f64>>()
    };
    let (long, short) = (errors(h, steps), errors(0.5 * h, 2 * steps));
    long.iter().zip(&short).map(|(long, short)| (long / short).log2()).collect()
}

/// On an ODE without a Jacobian of its own, and on the index-1 example: order 2s − 1 in all components.
#[test]
fn the_orders_are_reached() {
    for (name, order, steps) in [
        ("backward-euler", 1.0, 160),
        ("trapezoid", 2.0, 80),
        ("radau3", 3.0, 40),
        ("radau5", 5.0, 20),
        ("radau9", 9.0, 4),
        ("radau13", 13.0, 2),
    ] {
        let make = || Box::new(witch()) as Box<dyn System>;
        let observed = orders(name, &make, &[1.0], &[witch_solution(2.0)], 2.0 / f64::from(steps), steps)[0];
        // Steps short enough for the asymptotic order have errors below rounding where it is high.
        let fits = |observed: f64| observed > 0.92 * order && observed < 1.05 * order + 1.0;
        assert!(fits(observed), "{name}: {observed:.2}");

        let make = || Box::new(rotating_dae()) as Box<dyn System>;
        let (sine, cosine) = 2f64.sin_cos();
        let (sine_2, cosine_2) = (sine, cosine); // t²/2 = t at t = 2
        let exact = [5.0 * cosine_2 + sine, 5.0 * sine_2 + cosine, -cosine, sine];
        let observed = orders(name, &make, &[5.0, 1.0, -1.0, 0.0], &exact, 2.0 / f64::from(steps), steps);
        assert!(observed.iter().all(|observed| fits(*observed)), "{name} on index 1: {observed:.2?}");
    }
}

/// The solution of the pendulum at t = 0.5, from the formulation of index 1 with an accuracy that the others cannot reach.
fn pendulum_at_half() -> Vec<f64> {
    fixed("radau13", &mut pendulum(1), &PENDULUM_START, 0.0125, 40).y
}

/// Hairer, Lubich, Roche 1989, tables 5.1 and 6.1: of s stages, index 2 has 2s − 1 in the differential and s in the algebraic
/// components; index 3 has at least 2s − 2 (positions), s (velocities), s − 1 (the multiplier).
#[test]
fn higher_index_has_the_orders_of_theory() {
    let exact = pendulum_at_half();
    for (name, s, steps) in [("radau3", 2.0, 40), ("radau5", 3.0, 20), ("radau9", 5.0, 5)] {
        let of = |index: u8| {
            let make = move || Box::new(pendulum(index)) as Box<dyn System>;
            orders(name, &make, &PENDULUM_START, &exact, 0.5 / f64::from(steps), steps)
        };
        let (two, three) = (of(2), of(3));
        for k in 0..4 {
            assert!(two[k] > 2.0 * s - 1.0 - 0.5, "{name}, index 2: {two:.2?}");
        }
        assert!(two[4] > s - 0.3 && two[4] < s + 0.8, "{name}, index 2: {two:.2?}");
        for k in [0, 2] {
            assert!(three[k] > 2.0 * s - 2.0 - 0.5, "{name}, index 3: {three:.2?}");
            assert!(three[k + 1] > s - 0.5, "{name}, index 3: {three:.2?}");
        }
        assert!((three[4] - (s - 1.0)).abs() < 0.5, "{name}, index 3: {three:.2?}");
    }
}

/// Directly and with the index reduced, the pendulum moves in the same way, and its rod keeps its length.
#[test]
fn the_pendulum_is_solved_directly() {
    let exact = adaptive("radau13", &mut pendulum(1), &PENDULUM_START, 5.0, 1e-12, 1e-12).y;
    for index in 1..=3 {
        for name in ["radau5", "radau"] {
            let outcome = adaptive(name, &mut pendulum(index), &PENDULUM_START, 5.0, 1e-8, 1e-8);
            assert_eq!(outcome.status, Status::Ok, "{name}, index {index}: {outcome:?}");
            let y = outcome.y;
            for k in [0, 2] {
                assert!((y[k] - exact[k]).abs() < 1e-6, "{name}, index {index}: {} {}", y[k], exact[k]);
            }
            assert!((y[0] * y[0] + y[2] * y[2] - 1.0).abs() < 1e-6);
        }
    }
}

/// Inside a step the polynomial of s stages has the order s + 1 of its local error, and it joins both ends.
#[test]
fn the_dense_output_has_the_order_of_the_stages() {
    let tol = Tolerance { rtol: 1.0, atol: vec![1.0] };
    for (name, s) in [("backward-euler", 1.0), ("trapezoid", 2.0), ("radau3", 2.0), ("radau5", 3.0), ("radau9", 5.0)] {
        let error = |h: f64| {
            let mut method = by_name(name).unwrap().build(1, true);
            let from = Point { t: 0.4, y: &[witch_solution(0.4)], d: &[], f: None };
            method.try_step(&mut witch(), &from, h, &tol).unwrap();
            method.make_dense(&mut witch(), &from).unwrap();
            let mut y = [0.0];
            for (theta, end) in [(0.0, from.y[0]), (1.0, method.end()[0])] {
                method.interpolate(theta, &mut y);
                assert!((y[0] - end).abs() < 1e-15, "{name} at {theta}");
            }
            let errors = (1..20).map(|i| {
                let theta = f64::from(i) / 20.0;
                method.interpolate(theta, &mut y);
                (y[0] - witch_solution(0.4 + theta * h)).abs()
            });
            errors.fold(0.0, f64::max)
        };
        let h = if s > 4.0 { 0.2 } else { 0.05 };
        let observed = (error(h) / error(0.5 * h)).log2();
        assert!((observed - (s + 1.0)).abs() < 0.5, "{name}: {observed:.2}");
    }
}

/// The end of a step of a stiff equation is right however long the step is; the rows inside must be, too.
#[test]
fn rows_inside_long_stiff_steps_keep_the_tolerance() {
    let exact = |t: f64| (t + std::f64::consts::FRAC_PI_4).sin();
    for name in ["radau3", "radau5", "radau9", "radau13", "radau"] {
        for lambda in [-1e3, -1e6, -1e9] {
            let mut method = by_name(name).unwrap().build(1, false);
            let rows = Rows::At((1..200).map(|i| 0.05 * f64::from(i)).collect());
            let options = Options { rtol: 1e-6, atol: AbsoluteTolerance::Same(1e-9), rows, ..Options::default() };
            let system = &mut prothero_robinson(lambda);
            let (outcome, table) = run(system, method.as_mut(), &[exact(0.0)], 10.0, &options);
            assert_eq!(outcome.status, Status::Ok);
            let rows = table.t.iter().zip(&table.y);
            let worst = rows.map(|(t, y)| (y[0] - exact(*t)).abs()).fold(0.0, f64::max);
            assert!(worst < 2e-6, "{name}, λ = {lambda:e}: {worst:e} inside, {:?}", outcome.statistics);
        }
    }
}

/// Full, simplified and inexact Newton find the same steps; the simplified one evaluates few Jacobians.
#[test]
fn three_ways_of_newton_agree() {
    let solve = |kind: NewtonKind| {
        let newton = NewtonOptions { kind, ..NewtonOptions::default() };
        let mut method = by_name("radau5").unwrap().with_newton(newton).unwrap().build(3, true);
        let options = Options { step: Some(0.05), rows: Rows::At(vec![]), ..Options::default() };
        let (outcome, _) = run(&mut robertson(), method.as_mut(), &[1.0, 0.0, 0.0], 1.0, &options);
        assert_eq!(outcome.status, Status::Ok, "{kind:?}: {:?}", outcome.reason);
        outcome
    };
    let [simplified, full, inexact] = [NewtonKind::Simplified, NewtonKind::Full, NewtonKind::Inexact].map(solve);
    for other in [&full, &inexact] {
        for (a, b) in simplified.y.iter().zip(&other.y) {
            assert!((a - b).abs() < 1e-13 * a.abs(), "{a} {b}");
        }
    }
    let works = [&simplified, &full, &inexact].map(|outcome| outcome.statistics.evaluations);
    assert!(2 * works[0].jacobian < works[1].jacobian, "{works:?}");
    assert!(works[2].lu < works[1].lu, "{works:?}");
}

#[test]
fn failures_are_named() {
    for name in ["backward-euler", "trapezoid", "radau3", "radau5", "radau9", "radau13", "radau"] {
        // z is in no equation.
        let mut loose = Dae::new(
            2,
            1,
            |_, y, f| f.copy_from_slice(&[-y[0], y[0] - 1.0]),
            |_, _, j| j.copy_from_slice(&[-1.0, 0.0, 1.0, 0.0]),
        );
        let outcome = adaptive(name, &mut loose, &[1.0, 0.0], 1.0, 1e-6, 1e-9);
        let singular = matches!(outcome.reason, Some(Reason::SingularJacobian { component: 1, .. }));
        assert!(singular, "{name}: {:?}", outcome.reason);

        // Beyond y = 1 there is no f.
        let f = |_: f64, y: &[f64], f: &mut [f64]| f[0] = 1.0 + (1.0 - y[0]).sqrt();
        let mut edge = Dae::new(1, 0, f, |_, y, j| j[0] = -0.5 / (1.0 - y[0]).sqrt());
        let outcome = adaptive(name, &mut edge, &[0.0], 2.0, 1e-6, 1e-9);
        assert!(matches!(outcome.reason, Some(Reason::NotFinite { .. })), "{name}: {:?}", outcome.reason);
        assert!(outcome.t_reached > 0.5 && outcome.y[0].is_finite(), "{name}: {outcome:?}");

        // 0 = 1 + z² has no solution.
        let f = |_: f64, y: &[f64], f: &mut [f64]| f.copy_from_slice(&[1.0, y[0] + y[1] * y[1]]);
        let mut gone = Dae::new(2, 1, f, |_, y, j| j.copy_from_slice(&[0.0, 0.0, 1.0, 2.0 * y[1]]));
        let outcome = adaptive(name, &mut gone, &[-1.0, 1.0], 3.0, 1e-6, 1e-9);
        assert_eq!(outcome.status, Status::Stopped, "{name}: {outcome:?}");
        assert!((outcome.t_reached - 1.0).abs() < 1e-3, "{name}: {outcome:?}");
        assert!(
            matches!(
                outcome.reason,
                Some(
                    Reason::NewtonFailed { .. }
                        | Reason::SingularJacobian { .. }
                        | Reason::BranchPoint { .. }
                        | Reason::StepTooSmall { .. }
                        | Reason::Singularity { .. }
                        | Reason::NoSeries { .. }
                )
            ),
            "{name}: {:?}",
            outcome.reason
        );

        // A pole at t = 1, with given steps and with chosen ones.
        let pole = || Dae::new(1, 0, |_, y, f| f[0] = y[0] * y[0], |_, y, j| j[0] = 2.0 * y[0]);
        let outcome = adaptive(name, &mut pole(), &[1.0], 2.0, 1e-6, 1e-9);
        assert_eq!(outcome.status, Status::Stopped, "{name}: {outcome:?}");
        assert!((outcome.t_reached - 1.0).abs() < 2e-3, "{name}: {outcome:?}");
        assert!(outcome.y[0].is_finite());
    }
    let mut method = by_name("backward-euler").unwrap().build(1, true);
    let options = Options { step: Some(1.0), ..Options::default() };
    let mut growth = Dae::new(1, 0, |_, y, f| f[0] = y[0] * y[0], |_, y, j| j[0] = 2.0 * y[0]);
    let (outcome, _) = run(&mut growth, method.as_mut(), &[1.0], 2.0, &options);
    assert!(matches!(outcome.reason, Some(Reason::NewtonFailed { t: 0.0, h: 1.0, .. })), "{outcome:?}");
}

/// The order rises where Newton's method converges fast and the tolerance is tight; the counts are those seen, with a margin.
#[test]
fn the_order_follows_the_tolerance() {
    let solve = |rtol: f64| adaptive("radau", &mut robertson(), &[1.0, 0.0, 0.0], 1e6, rtol, 1e-4 * rtol).statistics;
    let (loose, tight) = (solve(1e-3), solve(1e-10));
    assert_eq!((loose.order_min, tight.order_max), (5, 13));
    assert!(loose.order_mean() < tight.order_mean());
    assert!(tight.steps < 300 && tight.evaluations.lu < 1100, "{tight:?}");
}

/// The inexact way works with chosen steps, too, and factorises less often than the full one.
#[test]
fn all_ways_of_newton_choose_steps() {
    let mut works = Vec::new();
    for kind in [NewtonKind::Simplified, NewtonKind::Full, NewtonKind::Inexact] {
        for name in ["backward-euler", "trapezoid", "radau3", "radau5", "radau"] {
            let newton = NewtonOptions { kind, ..NewtonOptions::default() };
            let mut method = by_name(name).unwrap().with_newton(newton).unwrap().build(3, false);
            let rtol = if name == "backward-euler" { 1e-4 } else { 1e-6 };
            let options = Options {
                rtol,
                atol: AbsoluteTolerance::Same(1e-4 * rtol),
                rows: Rows::At(vec![]),
                ..Options::default()
            };
            let (outcome, _) = run(&mut robertson(), method.as_mut(), &[1.0, 0.0, 0.0], 40.0, &options);
            assert_eq!(outcome.status, Status::Ok, "{name}, {kind:?}: {:?}", outcome.reason);
            assert!((outcome.y[0] - 0.715827068719405).abs() < 100.0 * rtol, "{name}, {kind:?}: {}", outcome.y[0]);
            works.push((name, kind, outcome.statistics.evaluations));
        }
    }
    for (simplified, inexact) in works[2..5].iter().zip(&works[12..15]) {
        assert!(inexact.2.jacobian > simplified.2.jacobian, "{simplified:?} {inexact:?}");
    }
}
