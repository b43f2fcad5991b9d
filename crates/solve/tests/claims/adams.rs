//! The Adams family: coefficients, golden values, orders, stability, events, and what it refuses.

use crate::orders::{fraction, golden, number};
use crate::problems::hybrid::{Hybrid, ball};
use crate::problems::implicit::Dae;
use crate::problems::*;
use ordinate_solve::{
    AbsoluteTolerance, Adams, AdamsForm, BadParameter, Method, NewtonOptions, Options, Past, Rows, Start, Status,
    System, UsageError, by_name, solve, solve_with_past,
};

fn fixed(step: f64) -> Options {
    Options { step: Some(step), rows: Rows::At(vec![]), ..Options::default() }
}

fn tolerances(tolerance: f64) -> Options {
    let atol = AbsoluteTolerance::Same(tolerance);
    Options { rtol: tolerance, atol, rows: Rows::At(vec![]), ..Options::default() }
}

fn forms() -> Vec<AdamsForm> {
    let bashforth = (1..=6).map(AdamsForm::Bashforth);
    let moulton = (0..=5).map(AdamsForm::Moulton);
    bashforth.chain(moulton).chain((1..=6).map(AdamsForm::Pece)).collect()
}

fn build(form: AdamsForm, states: usize) -> Adams {
    Adams::new(form, states, NewtonOptions::default())
}

/// A run of fixed steps from exact values at t = 0, h, … (`points` of them).
fn from_exact(
    system: &mut dyn System,
    method: &mut dyn Method,
    exact: impl Fn(f64) -> Vec<f64>,
    points: usize,
    h: f64,
    steps: usize,
) -> Vec<f64> {
    let values: Vec<Vec<f64>> = (0..points).map(|i| exact(i as f64 * h)).collect();
    let (start, past) = values.split_last().unwrap();
    let past: Vec<Past> = past.iter().enumerate().map(|(i, y)| Past { t: i as f64 * h, y }).collect();
    let start = Start { t: (points - 1) as f64 * h, y: start, held: &[], ..Start::default() };
    let mut table = Table::default();
    let end = h * steps as f64;
    let outcome = solve_with_past(system, method, &past, &start, end, &fixed(h), &mut table).unwrap();
    assert_eq!(outcome.status, Status::Ok);
    assert_eq!(outcome.statistics.steps as usize, steps + 1 - points);
    outcome.y
}

/// One step from f = (0, …, 1, …, 0) at the points behind shows every coefficient.
#[test]
fn coefficients_are_the_golden_fractions() {
    let case = golden("methods.json", "tableaus");
    for (key, explicit) in [("adams_bashforth", true), ("adams_moulton", false)] {
        for (index, row) in case[key].as_array().unwrap().iter().enumerate() {
            let k = index as u32 + u32::from(explicit);
            let expected: Vec<f64> = row.as_array().unwrap().iter().map(|c| fraction(c.as_str().unwrap())).collect();
            let form = if explicit { AdamsForm::Bashforth(k) } else { AdamsForm::Moulton(k) };
            let behind = k as usize;
            // The coefficients begin with the latest point: t = 0, or for the implicit ones t = 1.
            for (i, expected) in expected.iter().enumerate() {
                let place = if explicit { -(i as f64) } else { 1.0 - i as f64 };
                let mut system = Ode::new(1, move |t: f64, _, dy| dy[0] = f64::from(u8::from(t == place)));
                let zero = [0.0];
                let past: Vec<Past> = (1..behind.max(1)).rev().map(|i| Past { t: -(i as f64), y: &zero }).collect();
                let start = Start { t: 0.0, y: &zero, held: &[], ..Start::default() };
                let mut table = Table::default();
                let found =
                    solve_with_past(&mut system, &mut build(form, 1), &past, &start, 1.0, &fixed(1.0), &mut table)
                        .unwrap()
                        .y[0];
                assert!((found - expected).abs() < 4e-15, "{form:?} {i}: {found} {expected}");
            }
        }
    }
}

/// The rows of a golden case that start from exact values: `exact` solves the system to all digits.
fn check_golden(id: &str, states: usize, f: fn(f64, &[f64], &mut [f64])) {
    let case = golden("onestep.json", id);
    let (h, steps) = (number(&case["h"]), case["steps"].as_u64().unwrap() as usize);
    let y0: Vec<f64> = case["y0"].as_array().unwrap().iter().map(number).collect();
    let exact = |t: f64| {
        let mut method = by_name("dp8").unwrap().build(states, false);
        let options = tolerances(1e-15);
        run(&mut Ode::new(states, f), &mut *method, &y0, t, &options).0.y
    };
    let mut checked = 0;
    for row in case["rows"].as_array().unwrap() {
        let name = row["method"].as_str().unwrap();
        let (family, order) = name.split_at(name.len() - 1);
        let choice = match family {
            "ab" => by_name(name).unwrap(),
            "pece" => by_name("abm").unwrap().with_order(order.parse().ok(), None).unwrap(),
            _ => continue,
        };
        let points = choice.order() as usize;
        let mut method = choice.build(states, true);
        let y = from_exact(&mut Ode::new(states, f), &mut *method, exact, points, h, steps);
        for (y, expected) in y.iter().zip(row["y_end"].as_array().unwrap()) {
            let expected = number(expected);
            assert!((y - expected).abs() <= 1e-11 * expected.abs().max(1.0), "{id} {name}: {y} {expected}");
        }
        checked += 1;
    }
    assert_eq!(checked, 12, "ab1 to ab6, pece1 to pece6");
}

#[test]
fn runs_from_exact_values_reproduce_the_golden_rows() {
    check_golden("classical-yplust", 1, |t, y, dy| dy[0] = (y[0] + t) / (y[0] - t));
    check_golden("classical-pendulum", 2, |_, y, dy| {
        dy[0] = -(1.0 / 1.5) * y[0] - (9.81 / 1.5) * y[1].sin();
        dy[1] = y[0];
    });
}

fn observed(error: impl Fn(usize) -> f64, steps: usize) -> f64 {
    (error(steps) / error(2 * steps)).log2()
}

/// The largest error of a run from exact values over its rows, whose distance in steps is given.
fn worst(form: AdamsForm, steps: usize, distance: f64) -> f64 {
    let h = 2.0 / steps as f64;
    let points = form.order() as usize;
    let values: Vec<f64> = (0..points).map(|i| witch_solution(i as f64 * h)).collect();
    let past: Vec<Past> =
        (0..points - 1).map(|i| Past { t: i as f64 * h, y: std::slice::from_ref(&values[i]) }).collect();
    let start = Start { t: (points - 1) as f64 * h, y: &values[points - 1..], held: &[], ..Start::default() };
    let options = Options { step: Some(h), rows: Rows::Every(distance * h), ..Options::default() };
    let mut table = Table::default();
    solve_with_past(&mut witch(), &mut build(form, 1), &past, &start, 2.0, &options, &mut table).unwrap();
    table.t.iter().zip(&table.y).map(|(t, y)| (y[0] - witch_solution(*t)).abs()).fold(0.0, f64::max)
}

/// At the ends of the steps and inside of them.
#[test]
fn every_formula_reaches_its_order_from_exact_values() {
    for form in forms() {
        for distance in [1.0, 0.37] {
            let found = observed(|steps| worst(form, steps, distance), 160);
            assert!((found - f64::from(form.order())).abs() < 0.3, "{form:?}: {found:.2}");
        }
    }
}

/// The ladder begins with a step of order 1, or 2 for the implicit ones: no run has an order above 2, or 3.
#[test]
fn the_ladder_limits_the_order() {
    for form in forms() {
        let error = |steps: usize| {
            let (outcome, _) = run(&mut witch(), &mut build(form, 1), &[1.0], 2.0, &fixed(2.0 / steps as f64));
            (outcome.y[0] - witch_solution(2.0)).abs()
        };
        let highest = if matches!(form, AdamsForm::Moulton(_)) { 3 } else { 2 };
        let expected = form.order().min(highest);
        assert_eq!(form.order_of_run(), expected, "{form:?}");
        let found = observed(error, 320);
        // On this problem f′ is zero at the start in part, so more may be seen, never less.
        assert!(found > f64::from(expected) - 0.3, "{form:?}: {found:.2}");
    }
    // ab1, ab2 and ab3 by hand: y = 1, f = −y, h = 0.1.
    let mut decay = Ode::new(1, |_, y, dy| dy[0] = -y[0]);
    let (outcome, _) = run(&mut decay, &mut build(AdamsForm::Bashforth(3), 1), &[1.0], 0.3, &fixed(0.1));
    let y1 = 1.0 - 0.1;
    let y2 = y1 + 0.1 * (-1.5 * y1 + 0.5);
    let y3 = y2 + 0.1 * (-23.0 * y2 + 16.0 * y1 - 5.0) / 12.0;
    assert!((outcome.y[0] - y3).abs() < 1e-15);
}

/// Steps that are cut at instants where nothing happens, and those behind them, are as good as the others.
#[test]
fn cut_steps_do_no_harm() {
    for form in forms() {
        let h = 0.02;
        let error = |period: f64| {
            let mut system =
                Hybrid::new(1, |t, y, _, dy| dy[0] = -2.0 * t * y[0] * y[0]).held(1).every(period, |_, _, _, _, _| {});
            let points = form.order() as usize;
            let values: Vec<f64> = (0..points).map(|i| witch_solution(i as f64 * h)).collect();
            let past: Vec<Past> =
                (0..points - 1).map(|i| Past { t: i as f64 * h, y: std::slice::from_ref(&values[i]) }).collect();
            let start =
                Start { t: (points - 1) as f64 * h, y: &values[points - 1..], held: &[0.0], ..Start::default() };
            let options = Options { rows: Rows::Steps, ..fixed(h) };
            let mut table = Table::default();
            let mut method = build(form, 1);
            solve_with_past(&mut system, &mut method, &past, &start, 2.013, &options, &mut table).unwrap();
            let errors = table.t.iter().zip(&table.y).map(|(t, y)| (y[0] - witch_solution(*t)).abs());
            (errors.fold(0.0, f64::max), table.steps.len())
        };
        let (plain, steps) = error(100.0);
        for period in [0.611, 0.21, 0.073, 0.020_000_001] {
            let (cut, more) = error(period);
            assert!(more > steps && cut < 1.5 * plain + 1e-14, "{form:?} {period}: {cut:e} {plain:e}");
        }
    }
}

/// h·λ on the negative real axis: ab2 bears 1, am2 6, abm --order 2 2; the trapezoidal rule everything.
#[test]
fn stability_ends_where_theory_says() {
    for (name, order, limit) in
        [("ab1", None, 2.0), ("ab2", None, 1.0), ("ab3", None, 6.0 / 11.0), ("am2", None, 6.0), ("abm", Some(2), 2.0)]
    {
        let size = |z: f64| {
            let choice = by_name(name).unwrap();
            let choice = if order.is_some() { choice.with_order(order, None).unwrap() } else { choice };
            let mut system = Dae::new(1, 0, move |_, y, dy| dy[0] = -z * y[0], move |_, _, j| j[0] = -z);
            let (outcome, _) = run(&mut system, &mut *choice.build(1, true), &[1.0], 4000.0, &fixed(1.0));
            outcome.y[0].abs()
        };
        assert!(size(0.99 * limit) < 1e-3, "{name}");
        let grown = size(1.01 * limit);
        assert!(grown.is_nan() || grown >= 1e3, "{name}");
    }
    let mut system = Dae::new(1, 0, |_, y, dy| dy[0] = -1e6 * y[0], |_, _, j| j[0] = -1e6);
    for (name, size) in [("am0", 1e-100), ("am1", 1.0)] {
        let (outcome, _) = run(&mut system, &mut *by_name(name).unwrap().build(1, true), &[1.0], 100.0, &fixed(1.0));
        assert!(outcome.y[0].abs() < size, "{name}: {}", outcome.y[0]);
    }
}

/// x′ = −z, 0 = z − x²: Adams–Moulton solves algebraic equations, too; the explicit ones say that they cannot.
#[test]
fn algebraic_states_need_an_implicit_method() {
    // x = 1/(1 + t), z = x².
    let system = || {
        Dae::new(
            2,
            1,
            |_, y, dy| {
                dy[0] = -y[1];
                dy[1] = y[1] - y[0] * y[0];
            },
            |_, y, j| j.copy_from_slice(&[0.0, -1.0, -2.0 * y[0], 1.0]),
        )
    };
    for k in 0..=3 {
        let form = AdamsForm::Moulton(k);
        let error = |steps: usize| {
            let h = 1.0 / steps as f64;
            let options = Options { step: Some(h), rows: Rows::Every(0.4 * h), ..Options::default() };
            let (outcome, table) = run(&mut system(), &mut build(form, 2), &[1.0, 1.0], 1.0, &options);
            assert_eq!(outcome.status, Status::Ok);
            let exact = |t: f64| 1.0 / (1.0 + t);
            let off = |(t, y): (&f64, &Vec<f64>)| (y[0] - exact(*t)).abs().max((y[1] - exact(*t).powi(2)).abs());
            // Inside of the first step of the ladder z is a straight line.
            table.t.iter().zip(&table.y).filter(|(t, _)| **t > 0.5).map(off).fold(0.0, f64::max)
        };
        let found = observed(error, 100);
        assert!(found > f64::from(form.order().min(3)) - 0.2, "{form:?}: {found:.2}");
    }
    // For methods that know nothing of algebraic states, z is solved for inside of f.
    for name in ["ab3", "abm", "adams", "dp5", "taylor", "euler"] {
        let mut method = by_name(name).unwrap().build(2, true);
        let (outcome, _) = run(&mut system(), &mut *method, &[1.0, 1.0], 1.0, &fixed(0.01));
        let off = (outcome.y[0] - 0.5).abs().max((outcome.y[1] - 0.25).abs());
        assert!(off < 1e-2, "{name}: {off:e}");
    }
}

/// The error follows the tolerance over eight decades, and so does the work: high orders cost little more.
#[test]
fn errors_of_adams_are_proportional_to_the_tolerance() {
    let mut evaluations = vec![];
    for exponent in 3..=11 {
        let tolerance = 10f64.powi(-exponent);
        let mut method = by_name("adams").unwrap().build(4, false);
        let (outcome, _) =
            run(&mut kepler(), &mut *method, &kepler_start(0.3), std::f64::consts::TAU, &tolerances(tolerance));
        let error = outcome.y.iter().zip(kepler_start(0.3)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(error < 60.0 * tolerance && error > 0.01 * tolerance, "{tolerance:e}: {error:e}");
        evaluations.push(outcome.statistics.evaluations.f);
    }
    assert!(evaluations.windows(2).all(|w| w[1] as f64 > w[0] as f64 && w[1] < 2 * w[0]), "{evaluations:?}");
}

#[test]
fn adams_uses_orders_up_to_the_one_allowed() {
    for (order, max_order, expected) in [(None, None, 9..=12), (None, Some(4), 4..=4), (Some(3), None, 3..=3)] {
        let choice = by_name("ode113").unwrap().with_order(order, max_order).unwrap();
        let mut method = choice.build(4, false);
        let (outcome, _) = run(&mut kepler(), &mut *method, &kepler_start(0.1), 20.0, &tolerances(1e-11));
        assert_eq!(outcome.status, Status::Ok);
        assert!(expected.contains(&outcome.statistics.order_max), "{order:?} {max_order:?}: {:?}", outcome.statistics);
    }
    let refuse = |name: &str, order, max_order| by_name(name).unwrap().with_order(order, max_order).unwrap_err();
    assert!(matches!(refuse("adams", Some(13), None), BadParameter::OrderOutOfRange { highest: 12, .. }));
    assert!(matches!(refuse("abm", Some(7), None), BadParameter::OrderOutOfRange { highest: 6, .. }));
    assert!(matches!(refuse("abm", None, Some(3)), BadParameter::NoMaxOrder { method: "abm" }));
    assert!(matches!(refuse("ab4", Some(3), None), BadParameter::NoOrder { method: "ab4" }));
}

/// The rows inside of the steps are as good as the steps.
#[test]
fn dense_output_of_adams_is_as_good_as_its_steps() {
    for tolerance in [1e-4, 1e-7, 1e-10] {
        let options = Options { rows: Rows::Even(2001), ..tolerances(tolerance) };
        let mut method = by_name("adams").unwrap().build(2, false);
        let (_, table) = run(&mut circle(), &mut *method, &[1.0, 0.0], 20.0, &options);
        for (t, y) in table.t.iter().zip(&table.y) {
            let error = (y[0] - t.cos()).abs().max((y[1] + t.sin()).abs());
            assert!(error < 100.0 * tolerance, "{tolerance:e} at {t}: {error:e}");
        }
    }
}

/// The ball of [`crate::events`]: it falls from 1 m and keeps 0.8 of its speed; bounces at √(2/g)(1 + 2 Σ 0.8ⁱ).
#[test]
fn a_ball_bounces_with_adams() {
    let exact = |k: i32| (2.0 / 9.81f64).sqrt() * (1.0 + 2.0 * (1..=k).map(|i| 0.8f64.powi(i)).sum::<f64>());
    for (name, step, bound) in [("adams", None, 1e-5), ("abm", Some(0.01), 2e-3), ("ab2", Some(0.01), 2e-2)] {
        let mut method = by_name(name).unwrap().build(2, step.is_some());
        let options = Options { step, rows: Rows::Steps, ..Options::default() };
        let (outcome, table) = run_held(&mut ball(0.0, 0.8), &mut *method, &[1.0, 0.0], &[], 2.0, &options);
        assert_eq!(outcome.status, Status::Ok, "{name}");
        let bounces: Vec<f64> = table.t.windows(2).filter(|w| w[0] == w[1]).map(|w| w[0]).collect();
        assert!(bounces.len() >= 3, "{name}: {bounces:?}");
        for (k, t) in bounces.iter().enumerate() {
            assert!((t - exact(k as i32)).abs() < bound, "{name}: bounce {k} at {t}, not {}", exact(k as i32));
        }
    }
}

#[test]
fn a_step_costs_two_evaluations() {
    let mut method = by_name("adams").unwrap().build(4, false);
    let (outcome, _) = run(&mut kepler(), &mut *method, &kepler_start(0.5), 20.0, &tolerances(1e-8));
    let s = outcome.statistics;
    // The start takes two more.
    assert_eq!(s.evaluations.f, 2 * s.steps + s.rejected + 2);
    for (name, per_step) in [("ab4", 1), ("abm", 2)] {
        let mut method = by_name(name).unwrap().build(1, true);
        let (outcome, _) = run(&mut witch(), &mut *method, &[1.0], 2.0, &fixed(0.02));
        assert_eq!(outcome.statistics.evaluations.f, 100 * per_step, "{name}: the last f is not needed");
    }
}

#[test]
fn adams_notices_stiffness() {
    let mut system = Ode::new(1, |t: f64, y, dy| dy[0] = -1e4 * (y[0] - t.cos()));
    let mut method = by_name("adams").unwrap().build(1, false);
    let options = Options { max_steps: 20_000, ..Options::default() };
    assert!(run(&mut system, &mut *method, &[0.0], 10.0, &options).0.stiff);
    let mut method = by_name("adams").unwrap().build(4, false);
    assert!(!run(&mut kepler(), &mut *method, &kepler_start(0.5), 500.0, &Options::default()).0.stiff);
}

#[test]
fn values_before_the_start_must_lie_before_it() {
    let start = Start { t: 1.0, y: &[1.0], held: &[], ..Start::default() };
    let refuse = |past: &[Past]| {
        let mut method = build(AdamsForm::Bashforth(2), 1);
        solve_with_past(&mut witch(), &mut method, past, &start, 2.0, &fixed(0.1), &mut Table::default()).unwrap_err()
    };
    assert_eq!(refuse(&[Past { t: 1.0, y: &[1.0] }]), UsageError::BadPast { t: 1.0 });
    assert!(matches!(refuse(&[Past { t: 0.5, y: &[1.0, 2.0] }]), UsageError::WrongLength { .. }));
    assert!(matches!(refuse(&[Past { t: 0.5, y: &[f64::NAN] }]), UsageError::NotFinite { .. }));
    let mut method = by_name("ab2").unwrap().build(1, false);
    let refused = solve(&mut witch(), &mut *method, &start, 2.0, &Options::default(), &mut Table::default());
    assert_eq!(refused.unwrap_err(), UsageError::StepRequired);
}
