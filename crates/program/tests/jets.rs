//! Series against coefficients found without any recurrence, against identities, and against the equations.

use ordinate_model::{resolve, sort};
use ordinate_program::{Evaluator, Program, compile};
use ordinate_solve::{Jets, System};
use ordinate_syntax::parse;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

fn program(text: &str) -> Program {
    let (tree, diagnostics) = parse(text);
    assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
    let resolved = resolve(&tree, text, &Vec::new(), &|_, _| panic!("no tables here"));
    let (mut sorted, diagnostics) = sort(resolved.model, false);
    assert!(!ordinate_syntax::has_errors(&diagnostics), "{text}: {diagnostics:?}");
    compile(&mut sorted, false)
}

fn evaluator(text: &str) -> Evaluator {
    Evaluator::new(Arc::new(program(text)))
}

/// The coefficients c[k][i] of the solution through (t, y) up to an order.
fn series(system: &mut Evaluator, t: f64, y: &[f64], scale: f64, order: usize) -> Vec<Vec<f64>> {
    let (n, mut c) = (y.len(), vec![0.0; (order + 1) * y.len()]);
    let jets: &mut dyn Jets = system.jets(&[]).expect("series exist");
    jets.begin(t, y, &mut vec![0.0; n]);
    jets.extend(scale, order, &mut c);
    c.chunks(n).map(<[f64]>::to_vec).collect()
}

/// The coefficients of an expression of t: y′ is the expression, so c[k + 1] (k + 1) is its coefficient k.
fn expression(text: &str, t: f64, order: usize) -> Vec<f64> {
    let mut system = evaluator(&format!("y' = {text}\ny(0) = 0"));
    let c = series(&mut system, t, &[0.0], 1.0, order + 1);
    (0..=order).map(|k| c[k + 1][0] * (k + 1) as f64).collect()
}

fn golden(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).expect("golden data")).expect("JSON")
}

/// Every function, and random expressions of all of them, up to order 63: an error of two units in the last place per
/// order. It is measured against the largest of the neighbouring coefficients, for where coefficients change their sign they
/// are small by cancellation; and against the parts of an expression, whose radius of convergence is about two, where it
/// converges faster than they do.
#[test]
fn every_function_has_its_series() {
    let data = golden("series.json");
    for case in data["cases"].as_array().expect("cases") {
        let text = case["expression"].as_str().expect("text");
        let t: f64 = case["t"].as_str().expect("text").parse().expect("a number");
        let exact = numbers(&case["coefficients"]);
        let found = expression(text, t, exact.len() - 1);
        let largest = exact.iter().fold(0.0, |most: f64, c| most.max(c.abs()));
        for (k, (found, reference)) in found.iter().zip(&exact).enumerate() {
            let near = &exact[k.saturating_sub(6)..(k + 7).min(exact.len())];
            let size = near.iter().fold(largest * 0.5f64.powi(k as i32), |most: f64, c| most.max(c.abs()));
            let ulps = (found - reference).abs() / (f64::EPSILON * size);
            let allowed = 2.0 * (k + 1) as f64;
            assert!(ulps < allowed, "{ulps:.0} ulps: {text} at {t}, power {k}: {found:e}, not {reference:e}");
        }
    }
}

fn numbers(list: &Value) -> Vec<f64> {
    let number = |value: &Value| value.as_str().map_or(value.as_f64(), |text| text.parse().ok()).expect("a number");
    list.as_array().expect("a list").iter().map(number).collect()
}

/// Identities hold for all coefficients: the series of the left-hand side is a constant.
#[test]
fn identities_hold_for_all_coefficients() {
    let identities = [
        ("sin(A)^2 + cos(A)^2", 1.0),
        ("exp(A)*exp(-A)", 1.0),
        ("cosh(A)^2 - sinh(A)^2", 1.0),
        ("tan(A)*cos(A)/sin(A)", 1.0),
        ("log(exp(A)) - A", 0.0),
        ("sqrt(A)^2 - A", 0.0),
        ("cbrt(A)^3 - A", 0.0),
        ("A^1.7*A^(-1.7)", 1.0),
        ("A*(1/A)", 1.0),
        ("sin(asin(A/4)) - A/4", 0.0),
        ("cos(acos(A/4)) - A/4", 0.0),
        ("tan(atan(A)) - A", 0.0),
        ("sinh(asinh(A)) - A", 0.0),
        ("cosh(acosh(1 + A)) - A", 1.0),
        ("tanh(atanh(A/4)) - A/4", 0.0),
        ("atan2(A*sin(A/3), A*cos(A/3)) - A/3", 0.0),
        ("10^log10(A) - A", 0.0),
        ("A^5 - A*A^2*A^2", 0.0),
        ("A^A/exp(A*log(A))", 1.0),
        ("exp(A) - expm1(A)", 1.0),
        ("log1p(A) - log(1 + A)", 0.0),
        ("1/(1 + exp(-A)) - tanh(A/2)/2", 0.5),
        ("log(1 + exp(A)) - log(exp(A)*(1 + exp(-A)))", 0.0),
        ("A/expm1(A) + A/2 - A/(2*tanh(A/2))", 0.0),
    ];
    let arguments = ["(1 + t)", "(0.5 + t^2)", "(1.3 - 0.4*t + 0.2*t^3)", "(0.8 + 0.3*sin(2*t))", "((1 + exp(-t))/2)"];
    for (identity, constant) in identities {
        for argument in arguments {
            let text = identity.replace('A', argument);
            let c = expression(&text, 0.25, 63);
            assert!((c[0] - constant).abs() < 1e-14, "{text}: {}", c[0]);
            // The parts have coefficients up to about 3ᵏ at this point.
            for (k, c) in c.iter().enumerate().skip(1) {
                assert!(c.abs() < 1e-13 * 3.2f64.powi(k as i32), "{text}, power {k}: {c:e}");
            }
        }
    }
}

/// u/(eᵘ − 1) at its removable zero, whose coefficients are Bernoulli's numbers, Bₖ/k! = ±2 ζ(k)/(2π)ᵏ; right beside it they are
/// hardly different, and so they are on both sides of the border between its two forms.
#[test]
fn a_removable_zero_has_its_series() {
    let at = |t: f64| expression("t/expm1(t)", t, 24);
    let zero = at(0.0);
    assert!((zero[0] - 1.0).abs() < 1e-15 && (zero[1] + 0.5).abs() < 1e-15, "{zero:?}");
    for (k, c) in zero.iter().enumerate().skip(2) {
        let zeta = (1..40_000).map(|n| f64::from(n).powi(-(k as i32))).sum::<f64>();
        let sign = if k % 4 == 2 { 1.0 } else { -1.0 };
        let exact = if k % 2 == 1 { 0.0 } else { sign * 2.0 * zeta / std::f64::consts::TAU.powi(k as i32) };
        let tail = 2.0 / std::f64::consts::TAU.powi(k as i32);
        assert!((c - exact).abs() < 1e-4 * tail, "power {k}: {c:e}, not {exact:e}");
    }
    for (left, right) in [(0.0, 1e-9), (-1e-9, 0.0), (1.414, 1.4145), (-1.4145, -1.414)] {
        let (left_series, right_series) = (at(left), at(right));
        for (k, pair) in left_series.iter().zip(&right_series).take(20).enumerate() {
            let size = 0.2f64.powi(k as i32);
            let change = (right - left) * (k + 1) as f64 * size;
            assert!(
                (pair.0 - pair.1).abs() < change + 1e-13 * size.max(0.3f64.powi(k as i32)),
                "{left}, power {k}: {pair:?}"
            );
        }
    }
}

/// Gates whose exponentials overflow have series, and what is nearly 1 keeps the digits of the rest.
#[test]
fn saturated_functions_have_series() {
    for (text, value) in [
        ("1/(1 + exp(1000 - t))", 0.0),
        ("1/(1 + exp(-1000*(1 + t)))", 1.0),
        ("exp(1000*(1 + t))/(1 + exp(1000*(1 + t)))", 1.0),
        ("log(1 + exp(t - 1000))", 0.0),
        ("(t + 1000)/expm1(t + 1000)", 0.0),
        ("tanh(1000*(1 + t))", 1.0),
        ("exp(-(t - 100)^2)", 0.0),
        ("erf(t + 100)", 1.0),
    ] {
        let c = expression(text, 0.0, 12);
        assert_eq!(c[0], value, "{text}");
        assert!(c[1..].iter().all(|c| *c == 0.0), "{text}: {c:?}");
    }
    let c = expression("log(1 + exp(t + 1000))", 0.0, 12);
    assert!((c[0] - 1000.0).abs() < 1e-12 && c[1] == 1.0 && c[2..].iter().all(|c| *c == 0.0), "{c:?}");
    // 1 − σ = e⁻⁵⁰, although σ is 1
    let c = expression("1/(1 + exp(-50 - t))", 0.0, 4);
    assert!((c[1] / (-50f64).exp() - 1.0).abs() < 1e-13, "{c:?}");
}

/// Terms of two systems of the thesis, with the step as the unit of time.
#[test]
fn terms_are_those_of_the_thesis() {
    for id in ["mtsm-terms-327", "mtsm-terms-kepler462"] {
        let data = golden("onestep.json");
        let case = data["cases"].as_array().expect("cases").iter().find(|case| case["id"] == id).expect(id);
        let equations: Vec<&str> = case["equations"].as_array().unwrap().iter().map(|e| e.as_str().unwrap()).collect();
        let states: Vec<&str> = case["states"].as_array().unwrap().iter().map(|s| s.as_str().unwrap()).collect();
        let y0 = numbers(&case["y0"]);
        let starts: Vec<String> = states.iter().zip(&y0).map(|(name, y)| format!("init {name} = {y:?}")).collect();
        let mut system = evaluator(&[equations, starts.iter().map(String::as_str).collect()].concat().join("\n"));
        // The program orders the states as they appear.
        let order: Vec<usize> =
            system.program().state_names.iter().map(|name| states.iter().position(|s| s == name).unwrap()).collect();
        let y: Vec<f64> = order.iter().map(|&i| y0[i]).collect();
        let h = if id.ends_with("327") { 0.1 } else { std::f64::consts::PI / 50.0 };
        let rows = case["DY"].as_array().expect("terms");
        let terms = series(&mut system, 0.0, &y, h, rows.len() - 1);
        for (k, (found, row)) in terms.iter().zip(rows).enumerate() {
            let exact = numbers(row);
            for (&i, found) in order.iter().zip(found) {
                let exact = exact[i];
                assert!(
                    (found - exact).abs() <= 1e-13 * exact.abs() + 1e-30,
                    "{id} DY({k}) of {i}: {found:e}, {exact:e}"
                );
            }
        }
    }
}

/// Products of two to five series, and what their coefficients cost: partial products are kept.
#[test]
fn products_of_many_factors_cost_one_product_per_factor() {
    let data = golden("methods.json");
    let counts =
        data["cases"].as_array().expect("cases").iter().find(|case| case["id"] == "product-counts").expect("counts");
    for row in counts["rows"].as_array().expect("rows") {
        let factors = row["factors"].as_u64().expect("a number") as usize;
        let names: Vec<String> = (1..=factors).map(|i| format!("x{i}")).collect();
        let states: Vec<String> = names.iter().map(|name| format!("{name}' = 1\ninit {name} = 1")).collect();
        let text = format!("y' = {}\ninit y = 0\n{}", names.join("*"), states.join("\n"));
        let code = program(&text).series(&[]).expect("series exist");
        for (k, stored) in numbers(&row["mults_with_partial_products_stored"]).into_iter().enumerate() {
            assert_eq!(code.multiplications(k) as f64, stored, "{factors} factors, term {}", k + 1);
        }
    }
}

/// Differences and products that occur with both signs are computed once: the forces of two bodies on each other.
#[test]
fn opposites_are_computed_once() {
    let code = |text: &str| program(text).series(&[]).expect("series exist");
    let force = "r = ((x2 - x1)^2 + 1)^(-1.5)\ninit x1 = 0, x2 = 1\n";
    let both = code(&format!("{force}x1' = r*(x2 - x1)\nx2' = r*(x1 - x2)"));
    let one = code(&format!("{force}x1' = r*(x2 - x1)\nx2' = 0"));
    assert_eq!(both.instructions.len(), one.instructions.len());
    let [first, second] = [&both.results[0], &both.results[1]].map(|sum| both.terms[sum.from as usize]);
    assert_eq!((first.0, first.1), (second.0, -second.1), "the same force, with opposite signs");
    // a constant is part of the difference
    let shifted = code(&format!("{force}x1' = r*(x2 - x1 + 1)\nx2' = r*(x1 - x2 + 1)"));
    assert!(shifted.instructions.len() > both.instructions.len());
}

/// The scale of time is a unit: with a power of two the coefficients are the same but for that power, bit for bit.
#[test]
fn the_scale_is_only_a_unit() {
    let text = "x' = sin(x)*y + t^2\ny' = exp(-x)/(1 + y^2)^1.5\ninit x = 0.3, y = -0.7";
    let (mut a, mut b) = (evaluator(text), evaluator(text));
    let (one, other) = (series(&mut a, 0.5, &[0.3, -0.7], 1.0, 40), series(&mut b, 0.5, &[0.3, -0.7], 0.125, 40));
    for (k, (one, other)) in one.iter().zip(&other).enumerate() {
        for (one, other) in one.iter().zip(other) {
            assert_eq!(*one, other * 8f64.powi(k as i32), "power {k}");
        }
    }
}

/// A series continued later is the same as one computed at once.
#[test]
fn a_series_can_be_continued() {
    let text = "x' = sin(x)*y + t^2\ny' = sqrt(2 + x)/(1 + y^2)\ninit x = 0.3, y = -0.7";
    let whole = series(&mut evaluator(text), 0.5, &[0.3, -0.7], 0.25, 61);
    let mut system = evaluator(text);
    let mut c = vec![0.0; 62 * 2];
    let jets = system.jets(&[]).expect("series exist");
    jets.begin(0.5, &[0.3, -0.7], &mut [0.0; 2]);
    for order in [1, 2, 3, 7, 24, 25, 40, 61] {
        jets.extend(0.25, order, &mut c);
    }
    assert_eq!(c, whole.concat());
}

/// Branches are chosen by the modes, so each of them has its own series.
#[test]
fn each_branch_has_its_series() {
    let mut system = evaluator("x' = if x > 0 then exp(x) else x^2\ninit x = 1");
    for (mode, exact) in [(1.0, [2.0, 2.0f64.exp(), 4.0f64.exp() / 2.0]), (-1.0, [2.0, 4.0, 8.0])] {
        let mut c = [0.0; 3];
        let jets = system.jets(&[mode]).expect("series exist");
        jets.begin(0.0, &[2.0], &mut [0.0]);
        jets.extend(1.0, 2, &mut c);
        for (c, exact) in c.iter().zip(exact) {
            assert!((c - exact).abs() <= 1e-14 * exact, "mode {mode}: {c} {exact}");
        }
    }
}
