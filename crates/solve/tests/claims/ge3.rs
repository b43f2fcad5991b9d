//! GE3: golden values, its order, what it keeps, what it shows of frequencies, and what it refuses.

use crate::orders::{golden, number};
use crate::problems::{Ode, Table, circle, run};
use ordinate_linalg::Pattern;
use ordinate_solve::{
    Ge3, LinearVelocity, Options, Past, Rows, Start, Status, UsageError, by_name, ge3_frequency, ge3_growth, solve,
    solve_with_past,
};
use serde_json::Value;

fn fixed(step: f64) -> Options {
    Options { step: Some(step), rows: Rows::At(vec![]), ..Options::default() }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

/// M x″ + K x = 0 with diagonal masses.
fn springs(mass: Vec<f64>, k: Vec<Vec<f64>>) -> LinearVelocity {
    let n = mass.len();
    let (k2, mass2) = (k.clone(), mass.clone());
    let force = move |_: f64, x: &[f64], a: &mut [f64]| {
        for ((a, row), m) in a.iter_mut().zip(&k).zip(&mass) {
            *a = -row.iter().zip(x).map(|(k, x)| k * x).sum::<f64>() / m;
        }
    };
    let jacobian = move |_: f64, _: &[f64], values: &mut [f64]| {
        let elements = k2.iter().zip(&mass2).flat_map(|(row, m)| row.iter().map(move |k| -k / m));
        values.iter_mut().zip(elements).for_each(|(value, element)| *value = element);
    };
    LinearVelocity::new(&vec![0.0; n], &Pattern::dense(n), force, jacobian)
}

/// x₁ is exact, as the golden values ask for.
fn from_exact(system: &mut LinearVelocity, y0: &[f64], h: f64, steps: u32) -> Vec<f64> {
    let n = y0.len();
    let mut both = y0.to_vec();
    both.resize(2 * n, 0.0);
    let mut exact = by_name("dp8").unwrap().build(2 * n, false);
    let tight = Options { rtol: 1e-15, atol: ordinate_solve::AbsoluteTolerance::Same(1e-17), ..Options::default() };
    let (first, _) = run(system, &mut *exact, &both, h, &tight);
    let past = [Past { t: 0.0, y: &both }];
    let start = Start { t: h, y: &first.y, held: &[], ..Start::default() };
    let mut method = Ge3::new(2 * n);
    let end = h * f64::from(steps);
    let outcome = solve_with_past(system, &mut method, &past, &start, end, &fixed(h), &mut Table::default()).unwrap();
    assert_eq!(outcome.statistics.steps, u64::from(steps) - 1);
    outcome.y[..n].to_vec()
}

#[test]
fn runs_with_an_exact_first_step_reproduce_the_golden_values() {
    let mut checked = 0;
    for id in ["ge3-hb", "ge3-chain3"] {
        let case = golden("second_order.json", id);
        let k: Vec<Vec<f64>> = case["params"]["K"].as_array().unwrap().iter().map(numbers).collect();
        let mut system = springs(numbers(&case["params"]["M"]), k);
        let y0 = numbers(&case["y0"]);
        for row in case["ge3"].as_array().unwrap() {
            let x = from_exact(&mut system, &y0, number(&row["h"]), row["N"].as_u64().unwrap() as u32);
            for (x, expected) in x.iter().zip(numbers(&row["x_end_ge3"])) {
                assert!((x - expected).abs() < 1e-12, "{id} {}: {x} {expected}", row["N"]);
            }
            checked += 1;
        }
    }
    assert_eq!(checked, 9);
}

#[test]
fn growth_and_frequency_are_the_golden_facts() {
    let case = golden("second_order.json", "ge3-facts");
    for row in case["imaginary_axis"].as_array().unwrap() {
        let w = number(&row["w_h"]);
        let expected = number(&row["spectral_radius"]);
        assert!((ge3_growth(-w * w) / expected - 1.0).abs() < 1e-14, "{row}");
        let frequency = row.get("numeric_frequency_over_exact").map(number);
        match (ge3_frequency(w), frequency) {
            (Some(found), Some(expected)) => assert!((found - expected).abs() < 1e-14, "{row}"),
            (found, expected) => assert_eq!(found, expected, "{row}"),
        }
    }
    for row in case["real_axis"].as_array().unwrap() {
        let z = number(&row["lambda_h"]);
        let growth = ge3_growth(z * z);
        assert!((growth / number(&row["spectral_radius"]) - 1.0).abs() < 1e-13, "{row}");
        assert!((-growth.ln() - number(&row["numeric_damping"])).abs() < 1e-13, "{row}");
    }
}

/// x″ = −ω² x with the start of its own: order 2 in x and v, at the steps and between them.
#[test]
fn the_start_and_the_velocities_have_order_two() {
    let worst = |steps: u32| {
        let mut system = springs(vec![1.0], vec![vec![4.0]]);
        let h = 5.0 / f64::from(steps);
        let options = Options { rows: Rows::Every(0.3 * h), ..fixed(h) };
        let (outcome, table) = run(&mut system, &mut Ge3::new(2), &[1.0, 2.0], 5.0, &options);
        assert_eq!(outcome.status, Status::Ok);
        // One evaluation a step; the first one takes two more.
        assert_eq!(outcome.statistics.evaluations.f, u64::from(steps) + 2);
        let exact = |t: f64| [(2.0 * t).cos() + (2.0 * t).sin(), 2.0 * ((2.0 * t).cos() - (2.0 * t).sin())];
        let error = |(t, y): (&f64, &Vec<f64>)| (y[0] - exact(*t)[0]).abs().max((y[1] - exact(*t)[1]).abs());
        table.t.iter().zip(&table.y).map(error).fold(0.0, f64::max)
    };
    let found = (worst(200) / worst(400)).log2();
    assert!((found - 2.0).abs() < 0.05, "{found}");
}

/// Its frequency is the one that the formula says: x passes through zero when ω̂ t = π/2 + kπ.
#[test]
fn the_frequency_is_seen_in_a_run() {
    let mut system = springs(vec![1.0], vec![vec![1.0]]);
    let h = 0.5;
    let omega = ge3_frequency(h).unwrap();
    // Started on a solution of the recurrence.
    let x = |k: f64| (omega * k * h).cos();
    let past = [Past { t: -h, y: &[x(-1.0), 0.0] }];
    let start = Start { t: 0.0, y: &[x(0.0), 0.0], held: &[], ..Start::default() };
    let mut method = Ge3::new(2);
    let outcome =
        solve_with_past(&mut system, &mut method, &past, &start, 1000.0, &fixed(h), &mut Table::default()).unwrap();
    assert!((outcome.y[0] - x(2000.0)).abs() < 1e-11, "{} {}", outcome.y[0], x(2000.0));
}

#[test]
fn it_is_stable_below_two_and_not_above() {
    let size = |omega: f64| {
        let mut system = springs(vec![1.0], vec![vec![omega * omega]]);
        let (outcome, _) = run(&mut system, &mut Ge3::new(2), &[1.0, 0.0], 500.0, &fixed(1.0));
        outcome.y[0].abs()
    };
    assert!(size(1.99) < 20.0, "{}", size(1.99));
    assert!(size(2.01) > 1e10, "{}", size(2.01));
}

/// The golden case `lin-velocity`: x″ + 0.4 x′ = −4 x by its transform.
#[test]
fn a_linear_damping_is_transformed_away() {
    let case = golden("second_order.json", "lin-velocity");
    let error = |h: f64| {
        let mut system = LinearVelocity::new(
            &[0.4],
            &Pattern::dense(1),
            |_, x, a| a[0] = -4.0 * x[0],
            |_, _, values| values[0] = -4.0,
        );
        let start = system.transformed(0.0, &[1.0, 0.0]);
        assert_eq!(start, [1.0, 0.2]);
        let (outcome, _) = run(&mut system, &mut Ge3::new(2), &start, 10.0, &fixed(h));
        let reference = case["reference"].as_array().unwrap().last().unwrap();
        let found = system.original(10.0, &outcome.y);
        let expected = numbers(&reference["y"]);
        (found[0] - expected[0]).abs().max((found[1] - expected[1]).abs())
    };
    assert!(error(0.001) < 1e-5, "{:e}", error(0.001));
    let found = (error(0.01) / error(0.005)).log2();
    assert!((found - 2.0).abs() < 0.05, "{found}");
}

/// The Jacobian of the transformed system is its derivative: a stiff solver agrees with an explicit one.
#[test]
fn the_transformed_system_has_its_jacobian() {
    let mut system = LinearVelocity::new(
        &[0.4, 3.0],
        &Pattern::dense(2),
        |_, x, a| a.copy_from_slice(&[-4.0 * x[0] + x[1].sin(), x[0] - 9.0 * x[1]]),
        |_, x, values| values.copy_from_slice(&[-4.0, x[1].cos(), 1.0, -9.0]),
    );
    use ordinate_solve::System;
    let pattern = system.jacobian_pattern().unwrap();
    let (t, y, step) = (0.7, [0.3, -0.2, 0.5, 0.1], 1e-6);
    let mut values = vec![0.0; pattern.len()];
    system.jacobian(t, &y, &[], &mut values);
    for ((i, j), value) in pattern.elements().zip(&values) {
        let mut at = |change: f64| {
            let (mut moved, mut dy) = (y, [0.0; 4]);
            moved[j as usize] += change;
            system.derivative(t, &moved, &[], &mut dy);
            dy[i as usize]
        };
        let quotient = (at(step) - at(-step)) / (2.0 * step);
        assert!((quotient - value).abs() < 1e-8, "({i}, {j}): {quotient} {value}");
    }
}

#[test]
fn what_it_cannot_solve_is_refused() {
    let refuse = |system: &mut dyn ordinate_solve::System, y: &[f64]| {
        let start = Start { t: 0.0, y, held: &[], ..Start::default() };
        solve(system, &mut Ge3::new(y.len()), &start, 1.0, &fixed(0.1), &mut Table::default()).unwrap_err()
    };
    // Nothing is known about the states of a plain system.
    assert_eq!(refuse(&mut circle(), &[1.0, 0.0]), UsageError::NotSecondOrder { state: 0 });
    let mut system = Ode::new(3, |_, _, dy| dy.fill(0.0));
    assert_eq!(refuse(&mut system, &[0.0; 3]), UsageError::NotSecondOrder { state: 0 });
    let mut method = by_name("ge3").unwrap().build(2, false);
    let start = Start { t: 0.0, y: &[1.0, 0.0], held: &[], ..Start::default() };
    let mut spring = springs(vec![1.0], vec![vec![1.0]]);
    let refused = solve(&mut spring, &mut *method, &start, 1.0, &Options::default(), &mut Table::default());
    assert_eq!(refused.unwrap_err(), UsageError::StepRequired);
}
