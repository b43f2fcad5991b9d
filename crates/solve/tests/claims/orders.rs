//! Every method and every dense output has its order, and the tableaus reproduce the golden values.

use crate::problems::{Ode, run, witch, witch_solution};
use ordinate_solve::explicit::tableau::ExplicitTableau;
use ordinate_solve::explicit::tableaus::{self, rk2};
use ordinate_solve::explicit_tableaus;
use ordinate_solve::{ExplicitRk, Method, Options, Point, Rows, Tolerance, by_name};

fn fixed(step: f64) -> Options {
    Options { step: Some(step), rows: Rows::At(vec![]), ..Options::default() }
}

/// Error at t = 2 after so many steps of the same length.
fn error_after(method: &mut dyn Method, steps: u32) -> f64 {
    let (outcome, _) = run(&mut witch(), method, &[1.0], 2.0, &fixed(2.0 / f64::from(steps)));
    assert_eq!(outcome.statistics.steps, u64::from(steps));
    (outcome.y[0] - witch_solution(2.0)).abs()
}

fn observed_order(tableau: &ExplicitTableau) -> f64 {
    let error = |steps| error_after(&mut ExplicitRk::new(tableau, 1), steps);
    let steps = if tableau.order < 8 { 40 } else { 10 }; // rounding would hide the eighth power
    (error(steps) / error(2 * steps)).log2()
}

#[test]
fn explicit_methods_reach_their_order() {
    for tableau in explicit_tableaus() {
        let observed = observed_order(tableau);
        assert!((observed - f64::from(tableau.order)).abs() < 0.35, "{}: {observed:.2}", tableau.name);
    }
    for phi in [0.3, 0.5, 0.75, 0.9, 1.0] {
        let observed = rk2(phi, observed_order);
        assert!((observed - 2.0).abs() < 0.2, "rk2 with φ = {phi}: {observed:.2}");
    }
}

/// The largest error inside one step that begins on the solution at t = 0.3.
fn error_inside(tableau: &ExplicitTableau, h: f64) -> f64 {
    let mut method = ExplicitRk::new(tableau, 1);
    let from = Point { t: 0.3, y: &[witch_solution(0.3)], d: &[], f: None };
    let tol = Tolerance { rtol: 1.0, atol: vec![1.0] };
    let mut system = witch();
    method.try_step(&mut system, &from, h, &tol).unwrap();
    method.make_dense(&mut system, &from).unwrap();
    let mut y = [0.0];
    let errors = (1..20).map(|i| {
        let theta = f64::from(i) / 20.0;
        method.interpolate(theta, &mut y);
        (y[0] - witch_solution(0.3 + theta * h)).abs()
    });
    errors.fold(0.0, f64::max)
}

/// The error of one step is O(h^(q+1)) where q is the lower one of the orders of the method and of its dense output.
#[test]
fn dense_outputs_reach_their_order() {
    for tableau in explicit_tableaus() {
        let h = if tableau.order == 8 { 0.4 } else { 0.1 };
        let observed = (error_inside(tableau, h) / error_inside(tableau, h / 2.0)).log2() - 1.0;
        let expected = tableau.order.min(tableau.dense.order);
        assert!(observed > f64::from(expected) - 0.35, "{}: {observed:.2}, not {expected}", tableau.name);
        assert!(tableau.dense.order + 1 >= tableau.order, "{}", tableau.name);
    }
}

#[test]
fn dense_outputs_join_the_ends() {
    for tableau in explicit_tableaus() {
        let mut method = ExplicitRk::new(tableau, 1);
        let from = Point { t: 0.3, y: &[0.9], d: &[], f: None };
        let tol = Tolerance { rtol: 1.0, atol: vec![1.0] };
        method.try_step(&mut witch(), &from, 0.1, &tol).unwrap();
        method.make_dense(&mut witch(), &from).unwrap();
        let mut y = [0.0];
        method.interpolate(0.0, &mut y);
        assert_eq!(y[0], 0.9, "{}", tableau.name);
        method.interpolate(1.0, &mut y);
        assert!((y[0] - method.end()[0]).abs() < 4e-16, "{}", tableau.name);
    }
}

#[test]
fn rows_of_a_tableau_sum_to_its_nodes() {
    for tableau in explicit_tableaus() {
        for (c, row) in tableau.c.iter().zip(tableau.a) {
            assert!((row.iter().sum::<f64>() - c).abs() < 2e-14, "{}", tableau.name);
        }
        for (c, row) in tableau.dense.stages {
            assert!((row.iter().sum::<f64>() - c).abs() < 1e-14, "{}", tableau.name);
        }
        assert!((tableau.b.iter().sum::<f64>() - 1.0).abs() < 1e-14, "{}", tableau.name);
        for row in tableau.dense.d {
            assert!(row.iter().sum::<f64>().abs() < 2e-12, "{}", tableau.name);
        }
    }
}

/// 12 evaluations a step for dp8, 6 for dp5, …: the last stage is used again where it can be.
#[test]
fn a_step_costs_what_its_stages_say() {
    for (name, per_step) in
        [("euler", 1), ("rk2", 2), ("rk4", 4), ("bs23", 3), ("dp5", 6), ("fehlberg", 8), ("dp8", 12)]
    {
        let mut system = witch();
        let mut method = by_name(name).unwrap().build(1, true);
        let (outcome, _) = run(&mut system, &mut *method, &[1.0], 2.0, &fixed(0.02));
        let first = u64::from(["bs23", "dp5"].contains(&name));
        assert_eq!(outcome.statistics.evaluations.f, 100 * per_step + first, "{name}");
        assert_eq!(system.evaluations, outcome.statistics.evaluations.f, "{name}");
    }
}

pub fn golden(file: &str, id: &str) -> serde_json::Value {
    let path = format!("{}/../../tests/golden/{file}", env!("CARGO_MANIFEST_DIR"));
    let data: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    data["cases"].as_array().unwrap().iter().find(|case| case["id"] == id).unwrap().clone()
}

pub fn number(value: &serde_json::Value) -> f64 {
    value.as_f64().unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
}

/// The explicit one-step rows of a golden case, each with the method of its name.
fn check_golden(id: &str, states: usize, f: fn(f64, &[f64], &mut [f64])) {
    let case = golden("onestep.json", id);
    let (h, steps) = (number(&case["h"]), case["steps"].as_f64().unwrap());
    let y0: Vec<f64> = case["y0"].as_array().unwrap().iter().map(number).collect();
    let mut checked = 0;
    for row in case["rows"].as_array().unwrap() {
        let name = match row["method"].as_str().unwrap() {
            "rk2-midpoint" => "midpoint",
            "rk2-heun" => "heun",
            "fehlberg5" => "fehlberg",
            name => name,
        };
        let Some(choice) = by_name(name).filter(|choice| !choice.needs_step()) else { continue };
        let (outcome, _) = run(&mut Ode::new(states, f), &mut *choice.build(states, true), &y0, h * steps, &fixed(h));
        for (y, expected) in outcome.y.iter().zip(row["y_end"].as_array().unwrap()) {
            let expected = number(expected);
            assert!((y - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{id} {name}: {y} {expected}");
        }
        checked += 1;
    }
    assert_eq!(checked, 6, "euler, midpoint, heun, rk4, dopri5, fehlberg5");
}

#[test]
fn fixed_steps_reproduce_the_golden_values() {
    check_golden("classical-yplust", 1, |t, y, dy| dy[0] = (y[0] + t) / (y[0] - t));
    check_golden("classical-pendulum", 2, |_, y, dy| {
        dy[0] = -(1.0 / 1.5) * y[0] - (9.81 / 1.5) * y[1].sin();
        dy[1] = y[0];
    });
    for row in golden("methods.json", "euler-decay")["rows"].as_array().unwrap() {
        let h = number(&row["h"]);
        let mut method = ExplicitRk::new(&tableaus::EULER, 1);
        let mut decay = Ode::new(1, |_, y, dy| dy[0] = -y[0]);
        let (outcome, _) = run(&mut decay, &mut method, &[1.0], h * number(&row["steps"]), &fixed(h));
        assert!((outcome.y[0] - number(&row["fe"])).abs() < 1e-15, "h = {h}");
    }
}

pub fn fraction(text: &str) -> f64 {
    let (p, q) = text.split_once('/').unwrap_or((text, "1"));
    p.parse::<f64>().unwrap() / q.parse::<f64>().unwrap()
}

#[test]
fn coefficients_are_the_golden_fractions() {
    let case = golden("methods.json", "tableaus");
    let list = |value: &serde_json::Value| -> Vec<f64> {
        value.as_array().unwrap().iter().map(|v| fraction(v.as_str().unwrap())).collect()
    };
    for (key, b, name) in [
        ("rk2_midpoint", "b", "rk2"),
        ("rk2_heun", "b", "heun"),
        ("rk4", "b", "rk4"),
        ("dopri5", "b5", "dp5"),
        ("fehlberg56", "b5", "fehlberg"),
    ] {
        let tableau = explicit_tableaus().find(|tableau| tableau.name == name).unwrap();
        assert_eq!(tableau.c, list(&case[key]["c"]), "{name}");
        assert_eq!(tableau.b, list(&case[key][b]), "{name}");
        let rows: Vec<Vec<f64>> = case[key]["A"].as_array().unwrap().iter().map(list).collect();
        for (row, golden) in tableau.a.iter().zip(&rows) {
            assert_eq!(row, golden, "{name}");
        }
    }
}

#[test]
fn names_and_aliases_find_their_method() {
    for (alias, name) in [("RK45", "dp5"), ("DOP853", "dp8"), ("ode23", "bs23"), ("Midpoint", "rk2"), ("rk4", "rk4")] {
        assert_eq!(by_name(alias).unwrap().name(), name);
    }
    assert!(by_name("magic").is_none());
    for name in ordinate_solve::names() {
        assert_eq!(by_name(name).unwrap().name(), name);
    }
    assert!(by_name("rk4").unwrap().with_phi(0.5).is_err());
    assert!(by_name("rk2").unwrap().with_phi(0.0).is_err());
    assert!(by_name("rk2").unwrap().with_phi(f64::NAN).is_err());
}
