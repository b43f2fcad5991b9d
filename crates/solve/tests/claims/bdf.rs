//! The BDF methods: golden values, orders, stability, the choice of order and step, events. Stiff problems and failures that
//! they share with the Radau methods stand there.

use crate::problems::hybrid::Hybrid;
use crate::problems::implicit::{
    Dae, PENDULUM_START, pendulum, prothero_robinson, robertson, rotating_dae, van_der_pol,
};
use crate::problems::{Table, circle, golden, kepler, kepler_start, numbers, run, witch, witch_solution};
use ordinate_solve::{
    AbsoluteTolerance, FixedBdf, Method, NewtonOptions, Options, Outcome, Reason, Rows, Start, Status, System,
    UsageError, bdf_coefficients, bdf_parasitic_root, by_name, solve,
};

/// So many steps of length h from t = 0.
fn fixed(method: &mut dyn Method, system: &mut dyn System, y: &[f64], h: f64, steps: u32) -> Vec<f64> {
    let options = Options { step: Some(h), rows: Rows::At(vec![]), ..Options::default() };
    let (outcome, _) = run(system, method, y, h * f64::from(steps), &options);
    assert_eq!((outcome.status, outcome.statistics.steps), (Status::Ok, u64::from(steps)), "{outcome:?}");
    outcome.y
}

fn formula(states: usize, steps: usize) -> FixedBdf {
    FixedBdf::new(states, steps, NewtonOptions::default())
}

/// With steps and orders of its own choice.
fn adaptive(system: &mut dyn System, y: &[f64], t_end: f64, rtol: f64, atol: f64) -> Outcome {
    let mut method = by_name("bdf").unwrap().build(y.len(), false);
    let options = Options { rtol, atol: AbsoluteTolerance::Same(atol), rows: Rows::At(vec![]), ..Options::default() };
    run(system, method.as_mut(), y, t_end, &options).0
}

#[test]
fn the_coefficients_are_those_of_the_golden_table() {
    let table = golden("methods.json", "tableaus")["bdf"].clone();
    for steps in 1..=6 {
        let row = table[steps.to_string()].as_array().unwrap().clone();
        let alpha = bdf_coefficients(steps);
        assert_eq!(alpha.len(), row.len());
        for (alpha, fraction) in alpha.iter().zip(&row) {
            let text = fraction.as_str().unwrap();
            let (top, bottom) = text.split_once('/').unwrap_or((text, "1"));
            let expected = top.parse::<f64>().unwrap() / bottom.parse::<f64>().unwrap();
            assert!((alpha - expected).abs() < 1e-14 * expected.abs(), "{steps} steps: {alpha} {text}");
        }
    }
}

/// Started by one Radau step of two stages, and by two of three stages.
#[test]
fn radau_starts_reproduce_the_golden_values() {
    let case = golden("methods.json", "dae-methods-ex1");
    let mut compared = 0;
    for row in case["rows"].as_array().unwrap() {
        let name = row["method"].as_str().unwrap();
        if !name.starts_with("bdf") {
            continue;
        }
        let h: f64 = row["h"].as_str().unwrap().parse().unwrap();
        let mut method = by_name(name).unwrap().build(4, true);
        let steps = row["steps"].as_u64().unwrap() as u32;
        let y = fixed(method.as_mut(), &mut rotating_dae(), &numbers(&case["y0"]), h, steps);
        for (y, expected) in y.iter().zip(numbers(&row["y"])) {
            assert!((y - expected).abs() < 1e-10 * expected.abs(), "{name}, h = {h}: {y} {expected}");
        }
        compared += 1;
    }
    assert_eq!(compared, 3);
}

/// A series circuit with a harmonic voltage, from rest: L C U″ + R C U′ + U = A sin ωt, I = C U′.
mod circuit {
    pub const R: f64 = 10.0;
    pub const L: f64 = 1e-3;
    pub const C: f64 = 1e-7;
    pub const A: f64 = 10.0;
    pub const PERIOD: f64 = 62.5e-6;
    pub const OMEGA: f64 = 2.0 * std::f64::consts::PI / PERIOD;

    /// [U, I] = P sin ωt + Q cos ωt + e^(−δt) (a cos νt + b sin νt)
    pub fn solution(t: f64) -> Vec<f64> {
        let (real, imaginary) = (1.0 - L * C * OMEGA * OMEGA, R * C * OMEGA);
        let size = real * real + imaginary * imaginary;
        let (p, q) = (A * real / size, -A * imaginary / size);
        let delta = R / (2.0 * L);
        let nu = (1.0 / (L * C) - delta * delta).sqrt();
        let a = -q;
        let b = (delta * a - p * OMEGA) / nu;
        let ((sine, cosine), (fast_sine, fast_cosine)) = ((OMEGA * t).sin_cos(), (nu * t).sin_cos());
        let decay = (-delta * t).exp();
        let slope = OMEGA * (p * cosine - q * sine)
            + decay * ((nu * b - delta * a) * fast_cosine - (nu * a + delta * b) * fast_sine);
        vec![p * sine + q * cosine + decay * (a * fast_cosine + b * fast_sine), C * slope]
    }
}

/// The start values x₀ … xₖ are exact; the first step computes xₖ₊₁. The global error is carried along, and the solution without
/// it is closer to the true one.
#[test]
fn exact_start_values_reproduce_the_golden_values_and_their_global_error() {
    use circuit::*;
    let case = golden("global_error.json", "rlc-bdf-4T");
    let end = 4.0 * PERIOD;
    let exact = solution(end);
    for (exact, expected) in exact.iter().zip(numbers(&case["exact_end"])) {
        assert!((exact - expected).abs() < 1e-12 * expected.abs(), "{exact} {expected}");
    }
    for row in case["rows"].as_array().unwrap() {
        let (order, h) = (row["order"].as_u64().unwrap() as usize, row["h"].as_f64().unwrap());
        let history: Vec<Vec<f64>> = (0..=order).map(|i| solution(i as f64 * h)).collect();
        let t = order as f64 * h;
        let mut method = formula(2, order).with_history(t, h, &history);
        assert!(method.follow_error(&[0.0; 2]));
        let f = |t: f64, y: &[f64], f: &mut [f64]| {
            f.copy_from_slice(&[y[1] / C, (A * (OMEGA * t).sin() - R * y[1] - y[0]) / L]);
        };
        let mut system = Dae::new(2, 0, f, |_, _, j| j.copy_from_slice(&[0.0, 1.0 / C, -1.0 / L, -R / L]));
        let options = Options { step: Some(h), rows: Rows::At(vec![]), ..Options::default() };
        let start = Start { t, y: &history[order], held: &[], ..Start::default() };
        let outcome = solve(&mut system, &mut method, &start, end, &options, &mut Table::default()).unwrap();
        let steps = 4 * row["steps_per_period"].as_u64().unwrap() - order as u64;
        assert_eq!((outcome.status, outcome.statistics.steps), (Status::Ok, steps));
        for (y, expected) in outcome.y.iter().zip(numbers(&row["calculated"])) {
            assert!((y - expected).abs() < 1e-10 * expected.abs(), "order {order}, h = {h}: {y} {expected}");
        }
        let delta = method.error().expect("there was no event");
        // The difference of order k + 1 loses digits to rounding.
        for (delta, expected) in delta.iter().zip(numbers(&row["delta"])) {
            assert!((delta - expected).abs() < 1e-6 * expected.abs(), "order {order}, h = {h}: δ {delta} {expected}");
        }
        for i in 0..2 {
            let (left, before) = ((outcome.y[i] - delta[i] - exact[i]).abs(), (outcome.y[i] - exact[i]).abs());
            assert!(left < before / 4.0, "order {order}, h = {h}: {left:e} of {before:e} is left");
        }
    }
}

/// (computed − true) of a nonlinear system that starts by itself: with Radau steps, and for one step with the slope at the start.
#[test]
fn the_global_error_is_followed_from_the_start() {
    for order in 1..=5usize {
        for (steps, tolerance) in [(100, 0.35), (400, 0.1)] {
            let mut method = formula(1, order);
            assert!(method.follow_error(&[0.0]) && method.error().is_none(), "no step, no error");
            let y = fixed(&mut method, &mut witch(), &[1.0], 1.0 / f64::from(steps), steps);
            let (estimate, error) = (method.error().expect("no event")[0], y[0] - witch_solution(1.0));
            assert!((estimate / error - 1.0).abs() < tolerance, "bdf{order}, {steps} steps: {estimate:e} {error:e}");
        }
    }
    assert!(!by_name("rk4").unwrap().build(1, true).follow_error(&[0.0]));
}

/// Algebraic states have an error, too; it follows from that of the others.
#[test]
fn the_global_error_of_an_algebraic_state_is_followed() {
    let (sine, cosine) = 2f64.sin_cos();
    let exact = [5.0 * cosine + sine, 5.0 * sine + cosine, -cosine, sine];
    let mut method = formula(4, 2);
    method.follow_error(&[0.0; 4]);
    let y = fixed(&mut method, &mut rotating_dae(), &[5.0, 1.0, -1.0, 0.0], 2.0 / 400.0, 400);
    for (i, (estimate, y)) in method.error().expect("no event").iter().zip(&y).enumerate() {
        let error = y - exact[i];
        assert!((estimate - error).abs() < 0.2 * error.abs(), "component {i}: {estimate:e} {error:e}");
    }
}

/// Computed − true where order and step are chosen on the way: a nonlinear equation, an oscillation over three periods, an orbit
/// whose steps change by a factor of ten, stiff and algebraic states.
#[test]
fn the_global_error_is_followed_through_changes_of_order_and_step() {
    let (sine, cosine) = 2f64.sin_cos();
    let rotated = vec![5.0 * cosine + sine, 5.0 * sine + cosine, -cosine, sine];
    let (orbit, eighth) = (kepler_start(0.5).to_vec(), std::f64::consts::FRAC_PI_4);
    for rtol in [1e-6, 1e-8, 1e-10] {
        type Problem = (&'static str, Box<dyn System>, Vec<f64>, f64, Vec<f64>);
        let problems: [Problem; 5] = [
            ("witch", Box::new(witch()), vec![1.0], 1.0, vec![witch_solution(1.0)]),
            ("circle", Box::new(circle()), vec![1.0, 0.0], 20.0, vec![20f64.cos(), -20f64.sin()]),
            ("orbit", Box::new(kepler()), orbit.clone(), std::f64::consts::TAU, orbit.clone()),
            ("stiff", Box::new(prothero_robinson(-1e4)), vec![eighth.sin()], 10.0, vec![(10.0 + eighth).sin()]),
            ("algebraic", Box::new(rotating_dae()), vec![5.0, 1.0, -1.0, 0.0], 2.0, rotated.clone()),
        ];
        for (name, mut system, start, end, exact) in problems {
            let mut method = by_name("bdf").unwrap().build(start.len(), false);
            assert!(method.follow_error(&vec![0.0; start.len()]) && method.error().is_none(), "no step, no error");
            let atol = AbsoluteTolerance::Same(rtol * 1e-3);
            let options = Options { rtol, atol, rows: Rows::At(vec![]), ..Options::default() };
            let outcome = run(system.as_mut(), method.as_mut(), &start, end, &options).0;
            let Some(estimate) = outcome.error.map(|error| error.at_end) else {
                // the iteration for an algebraic state may give up; a companion has to run then
                assert!(name == "algebraic" && rtol < 1e-9, "{name}, rtol {rtol:e}");
                continue;
            };
            let error: Vec<f64> = outcome.y.iter().zip(&exact).map(|(y, exact)| y - exact).collect();
            let largest = error.iter().fold(0.0f64, |most, error| most.max(error.abs()));
            // What a stiff equation leaves of its errors is far below the tolerance, passes through zero, and is overestimated.
            let near = if name == "stiff" { (10.0 * largest).max(0.02 * rtol) } else { 0.4 * largest };
            for (i, (estimate, error)) in estimate.iter().zip(&error).enumerate() {
                assert!(
                    (estimate - error).abs() < near,
                    "{name}, rtol {rtol:e}, component {i}: {estimate:e} {error:e} of {largest:e}"
                );
            }
        }
    }
}

/// What an event does to the error is not known, and leading terms do not tell the error of very long steps.
#[test]
fn an_error_that_is_not_known_is_not_told() {
    let after = |rtol: f64, system: &mut dyn System, y: &[f64]| {
        let mut method = by_name("bdf").unwrap().build(y.len(), false);
        method.follow_error(&vec![0.0; y.len()]);
        let options = Options { rtol, rows: Rows::At(vec![]), ..Options::default() };
        let outcome = run(system, method.as_mut(), y, 1.0, &options).0;
        assert_eq!(outcome.status, Status::Ok);
        outcome.error
    };
    assert!(after(1e-6, &mut witch(), &[1.0]).is_some());
    assert!(after(1e-3, &mut witch(), &[1.0]).is_none());
    let mut jumping = Hybrid::new(1, |_, _, d, dy| dy[0] = if d[0] > 0.0 { -1.0 } else { 1.0 }).sign_of_time(0.5);
    assert!(after(1e-6, &mut jumping, &[1.0]).is_none());
}

/// On an ODE without a Jacobian of its own, and on an index-1 system: order k in all components.
#[test]
fn the_orders_are_reached() {
    for order in 1..=6usize {
        let steps = if order == 6 { 80 } else { 160 };
        // At t = 2 the leading terms of the error nearly vanish.
        let error = |steps: u32| {
            let y = fixed(&mut formula(1, order), &mut witch(), &[1.0], 1.0 / f64::from(steps), steps);
            (y[0] - witch_solution(1.0)).abs()
        };
        let observed = (error(steps) / error(2 * steps)).log2();
        assert!((observed - order as f64).abs() < 0.35, "bdf{order}: {observed:.2}");

        let (sine, cosine) = 2f64.sin_cos(); // t²/2 = t at t = 2
        let exact = [5.0 * cosine + sine, 5.0 * sine + cosine, -cosine, sine];
        let errors = |steps: u32| {
            let start = [5.0, 1.0, -1.0, 0.0];
            let y = fixed(&mut formula(4, order), &mut rotating_dae(), &start, 2.0 / f64::from(steps), steps);
            y.iter().zip(&exact).map(|(y, exact)| (y - exact).abs()).collect::<Vec<f64>>()
        };
        for (long, short) in errors(steps).iter().zip(errors(2 * steps)) {
            let observed = (long / short).log2();
            assert!((observed - order as f64).abs() < 0.4, "bdf{order} on index 1: {observed:.2}");
        }
    }
}

/// The seventh formula is more accurate than the sixth, and useless: its errors grow in every step.
#[test]
fn six_steps_are_stable_and_seven_are_not() {
    assert!(bdf_parasitic_root(6) < 0.9 && bdf_parasitic_root(7) > 1.02);
    let error = |order: usize, steps: u32| {
        let mut decay = Dae::new(1, 0, |_, y, f| f[0] = -y[0], |_, _, j| j[0] = -1.0);
        let y = fixed(&mut formula(1, order), &mut decay, &[1.0], 10.0 / f64::from(steps), steps);
        (y[0] - (-10f64).exp()).abs()
    };
    assert!(error(6, 2000) < 1e-12, "{:e}", error(6, 2000));
    let (coarse, fine) = (error(7, 1000), error(7, 2000));
    assert!(fine > 1.0 && fine > 1e6 * coarse, "{coarse:e} and, with half the step, {fine:e}");
    assert!(by_name("bdf7").is_none());
}

/// L-stability at infinity: a start beside the slow solution is forgotten at once.
#[test]
fn stiff_components_are_followed_at_fixed_steps() {
    let exact = (2.0 + std::f64::consts::FRAC_PI_4).sin();
    for order in 1..=6 {
        let y = fixed(&mut formula(1, order), &mut prothero_robinson(-1e8), &[5.0], 0.05, 40);
        assert!((y[0] - exact).abs() < 1e-8, "bdf{order}: {:e}", y[0] - exact);
    }
}

/// The formulas need equal steps: behind a switch off the grid they start anew, and keep their order.
#[test]
fn the_order_survives_an_event_between_two_steps() {
    // y′ = −y + sign(t − s): y = 2 e^−t − 1 before, y = 1 + (y(s) − 1) e^(s−t) behind
    let s: f64 = 0.7773;
    let exact = 1.0 + (2.0 * (-s).exp() - 2.0) * (s - 2.0).exp();
    for order in 1..=5usize {
        let error = |steps: u32| {
            let mut system = Hybrid::new(1, |_, y, d, f| f[0] = -y[0] + d[0]).sign_of_time(s);
            let mut method = by_name(&format!("bdf{order}")).unwrap().build(1, true);
            let options = Options { step: Some(2.0 / f64::from(steps)), rows: Rows::At(vec![]), ..Options::default() };
            let (outcome, _) = run(&mut system, method.as_mut(), &[1.0], 2.0, &options);
            assert_eq!((outcome.status, outcome.statistics.events), (Status::Ok, 1));
            (outcome.y[0] - exact).abs()
        };
        let steps = if order < 4 { 200 } else { 60 };
        let observed = (error(steps) / error(2 * steps)).log2();
        assert!((observed - order as f64).abs() < 0.5, "bdf{order}: {observed:.2}");
    }
}

#[test]
fn a_stiff_system_with_a_jumping_input_finishes() {
    for (rtol, steps) in [(1e-6, 500), (1e-9, 1200)] {
        let mut system = Hybrid::new(2, |_, y, d, f| {
            f.copy_from_slice(&[-1e5 * (y[0] - d[0]), y[0] - y[1]]);
        });
        system = system.sign_of_time(0.4321);
        let mut method = by_name("bdf").unwrap().build(2, false);
        let at = vec![0.43, 0.4321 + 2e-5, 0.8, 1.0];
        let options =
            Options { rtol, atol: AbsoluteTolerance::Same(1e-3 * rtol), rows: Rows::At(at), ..Options::default() };
        let (outcome, table) = run(&mut system, method.as_mut(), &[-1.0, 0.0], 1.0, &options);
        assert_eq!(outcome.status, Status::Ok, "{:?}", outcome.reason);
        let fast = [-1.0, 1.0 - 2.0 * (-2f64).exp(), 1.0, 1.0];
        for (row, expected) in table.y.iter().zip(fast) {
            assert!((row[0] - expected).abs() < 100.0 * rtol, "{row:?} instead of {expected}");
        }
        assert!(outcome.statistics.steps < steps, "{:?}", outcome.statistics);
    }
}

/// μ = 10⁶ over one and a half periods.
#[test]
fn a_very_stiff_oscillator_finishes() {
    let solve = |name: &str, rtol: f64| {
        let mut method = by_name(name).unwrap().build(2, false);
        let atol = AbsoluteTolerance::Same(rtol);
        let options = Options { rtol, atol, rows: Rows::At(vec![]), ..Options::default() };
        run(&mut van_der_pol(1e6), method.as_mut(), &[2.0, 0.0], 2.0, &options).0
    };
    let (exact, outcome) = (solve("radau13", 1e-11), solve("bdf", 1e-6));
    assert_eq!(outcome.status, Status::Ok, "{:?}", outcome.reason);
    assert!((outcome.y[0] - exact.y[0]).abs() < 5e-5, "{} {}", outcome.y[0], exact.y[0]);
    assert!(outcome.statistics.steps < 2600, "{:?}", outcome.statistics);
}

/// With local errors held at tol by formulas of orders up to 5 the global error follows tol^(5/6).
#[test]
fn the_error_follows_the_tolerance() {
    let error = |rtol: f64| {
        let y = adaptive(&mut rotating_dae(), &[5.0, 1.0, -1.0, 0.0], 10.0, rtol, rtol).y;
        let ((sine, cosine), (fast_sine, fast_cosine)) = (10f64.sin_cos(), 50f64.sin_cos());
        let exact = [sine + 5.0 * fast_cosine, cosine + 5.0 * fast_sine, -cosine, sine];
        y.iter().zip(&exact).map(|(y, exact)| (y - exact).abs()).fold(0.0, f64::max)
    };
    let (loose, tight) = (error(1e-4), error(1e-10));
    let slope = (loose / tight).log10() / 6.0;
    assert!((0.75..1.2).contains(&slope), "{loose:e} {tight:e}: {slope:.2}");
    assert!(tight < 3e-8 && loose < 0.03, "{loose:e} {tight:e}");
}

/// With order p the step goes with tol^(1/(p+1)).
#[test]
fn a_given_order_is_kept() {
    for order in 1..=5 {
        let steps = |rtol: f64| {
            let choice = by_name("bdf").unwrap().with_order(Some(order), None).unwrap();
            assert!(!choice.order_varies() && choice.order() == order);
            let options = Options { rtol, atol: AbsoluteTolerance::Same(rtol), ..Options::default() };
            let (outcome, _) = run(&mut circle(), choice.build(2, false).as_mut(), &[1.0, 0.0], 30.0, &options);
            assert_eq!((outcome.status, outcome.statistics.order_max), (Status::Ok, order));
            outcome.statistics.steps as f64
        };
        let observed = 4.0 / (steps(1e-7) / steps(1e-3)).log10() - 1.0;
        assert!((observed - f64::from(order)).abs() < 0.25 * f64::from(order), "order {order}: {observed:.2}");
    }
    let bounded = by_name("BDF").unwrap().with_order(None, Some(2)).unwrap().build(2, false).order();
    assert_eq!(bounded, 2);
    assert!(by_name("ode15s").unwrap().with_order(Some(6), None).is_err());
}

/// Between the steps the solution is as good as at their ends, algebraic states included.
#[test]
fn the_dense_output_keeps_the_tolerance() {
    let at: Vec<f64> = (1..400).map(|i| 0.025 * f64::from(i)).collect();
    for (name, step, bound) in [("bdf", None, 1e-5), ("bdf4", Some(0.002), 1e-6), ("bdf6", Some(0.004), 1e-7)] {
        let mut method = by_name(name).unwrap().build(4, step.is_some());
        let options = Options {
            rtol: 1e-8,
            atol: AbsoluteTolerance::Same(1e-8),
            step,
            rows: Rows::At(at.clone()),
            ..Options::default()
        };
        let (outcome, table) = run(&mut rotating_dae(), method.as_mut(), &[5.0, 1.0, -1.0, 0.0], 10.0, &options);
        assert_eq!((outcome.status, table.t.len()), (Status::Ok, at.len()), "{name}: {outcome:?}");
        for (t, y) in table.t.iter().zip(&table.y) {
            let ((sine, cosine), (fast_sine, fast_cosine)) = (t.sin_cos(), (0.5 * t * t).sin_cos());
            let exact = [sine + 5.0 * fast_cosine, cosine + 5.0 * fast_sine, -cosine, sine];
            for (y, exact) in y.iter().zip(&exact) {
                assert!((y - exact).abs() < bound, "{name} at {t}: {y} instead of {exact}");
            }
        }
    }
}

/// The multiplier of a system of index 2 is measured in units that grow with 1/h.
#[test]
fn an_index_two_pendulum_is_solved_directly() {
    let exact = {
        let mut method = by_name("radau13").unwrap().build(5, false);
        let options = Options { rtol: 1e-12, atol: AbsoluteTolerance::Same(1e-12), ..Options::default() };
        run(&mut pendulum(1), method.as_mut(), &PENDULUM_START, 5.0, &options).0.y
    };
    for index in [1, 2] {
        let outcome = adaptive(&mut pendulum(index), &PENDULUM_START, 5.0, 1e-8, 1e-8);
        assert_eq!(outcome.status, Status::Ok, "index {index}: {:?}", outcome.reason);
        for k in [0, 2] {
            let error = (outcome.y[k] - exact[k]).abs();
            assert!(error < 1e-5, "index {index}: {} instead of {}", outcome.y[k], exact[k]);
        }
    }
}

/// The work on Robertson's reaction to t = 40; the counts are those seen, with a margin of a tenth.
#[test]
fn robertson_takes_so_many_steps() {
    for (rtol, steps, newton) in [(1e-4, 110, 165), (1e-6, 230, 300), (1e-8, 420, 560)] {
        let mut method = by_name("bdf").unwrap().build(3, false);
        let atol = AbsoluteTolerance::Each(vec![1e-2 * rtol, 1e-6 * rtol, 1e-2 * rtol]);
        let options = Options { rtol, atol, rows: Rows::At(vec![]), ..Options::default() };
        let (outcome, _) = run(&mut robertson(), method.as_mut(), &[1.0, 0.0, 0.0], 40.0, &options);
        let (seen, work) = (outcome.statistics, outcome.statistics.evaluations);
        assert!(seen.steps <= steps && work.newton <= newton && seen.rejected <= 8, "{rtol:e}: {seen:?}");
        assert!(work.jacobian < 15 && 5 * work.lu < seen.steps + 100, "{rtol:e}: {seen:?}");
        assert_eq!(seen.order_max, 5);
    }
}

/// At t = 10¹⁰ the steps of the fast part are shorter than what t can tell apart: a run either has steps that move t, or ends
/// with a reason.
#[test]
fn every_step_moves_the_time() {
    for lambda in [-1e3, -1e8] {
        let f = move |t: f64, y: &[f64], f: &mut [f64]| f[0] = lambda * (y[0] - (1e-3 * t).cos());
        let mut system = Dae::new(1, 0, f, move |_, _, j| j[0] = lambda);
        let mut method = by_name("bdf").unwrap().build(1, false);
        let mut table = Table::default();
        let start = Start { t: 1e10, y: &[3.0], held: &[], ..Start::default() };
        let options = Options { rtol: 1e-6, rows: Rows::Steps, ..Options::default() };
        let outcome = solve(&mut system, method.as_mut(), &start, 1e10 + 10.0, &options, &mut table).unwrap();
        assert!(outcome.status == Status::Ok || outcome.reason.is_some());
        assert!(table.steps.windows(2).all(|pair| pair[0] < pair[1]), "λ = {lambda}");
        assert!(outcome.y[0].is_finite());
    }
}

#[test]
fn the_fixed_formulas_need_a_step() {
    for order in 1..=6 {
        let mut method = by_name(&format!("bdf{order}")).unwrap().build(1, false);
        let start = Start { t: 0.0, y: &[1.0], held: &[], ..Start::default() };
        let usage = solve(&mut witch(), method.as_mut(), &start, 1.0, &Options::default(), &mut Table::default());
        assert!(matches!(usage, Err(UsageError::StepRequired)), "bdf{order}");
    }
}

/// A given step over a pole or out of the domain of f ends with a reason, and what was computed is finite.
#[test]
fn failures_at_fixed_steps_are_named() {
    for order in 1..=6 {
        let mut pole = Dae::new(1, 0, |_, y, f| f[0] = y[0] * y[0], |_, y, j| j[0] = 2.0 * y[0]);
        let mut edge =
            Dae::new(1, 0, |_, y, f| f[0] = 1.0 + (1.0 - y[0]).sqrt(), |_, y, j| j[0] = -0.5 / (1.0 - y[0]).sqrt());
        let systems: [(&mut dyn System, f64); 2] = [(&mut pole, 1.0), (&mut edge, 0.0)];
        for (k, (system, start)) in systems.into_iter().enumerate() {
            let options = Options { step: Some(0.01), ..Options::default() };
            let (outcome, _) = run(system, &mut formula(1, order), &[start], 3.0, &options);
            let reason = outcome.reason;
            let is_named = match reason {
                Some(Reason::NewtonFailed { .. }) => true,
                Some(Reason::Singularity { .. }) => k == 0,
                Some(Reason::NotFinite { .. }) => k == 1,
                _ => false,
            };
            assert!(is_named, "bdf{order}: {reason:?}, {}", outcome.t_reached);
            assert!(outcome.y[0].is_finite() && (0.5..1.2).contains(&outcome.t_reached), "bdf{order}: {outcome:?}");
        }
    }
}

#[test]
fn a_system_without_states_runs() {
    let mut system = Hybrid::new(0, |_, _, _, _| {}).sign_of_time(0.6);
    let mut method = by_name("bdf").unwrap().build(0, false);
    let (outcome, _) = run(&mut system, method.as_mut(), &[], 2.0, &Options::default());
    assert_eq!((outcome.status, outcome.t_reached, outcome.d[0]), (Status::Ok, 2.0, 1.0));
}
