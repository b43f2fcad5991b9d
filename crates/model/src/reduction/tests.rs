//! Identities of the reductions: their transfer functions, and start values there and back.

use super::*;
use ordinate_expr::{ExprId, Graph, VarId};

fn numbers(g: &mut Graph, list: &[i64]) -> Vec<ExprId> {
    list.iter().map(|&c| g.integer(c)).collect()
}

fn value(g: &mut Graph, e: ExprId) -> f64 {
    g.evaluate(e, |_| None).expect("a constant")
}

fn values(g: &mut Graph, list: &[ExprId]) -> Vec<f64> {
    list.iter().map(|&e| value(g, e)).collect()
}

/// c (sI − A)⁻¹ B (1, s, …) + d (1, s, …) at a real s, by elimination.
fn transfer(g: &mut Graph, system: &Realisation, s: f64) -> f64 {
    let n = system.order();
    let powers = |g: &mut Graph, row: &[ExprId]| -> f64 {
        values(g, row).iter().rev().fold(0.0, |sum, coefficient| sum * s + coefficient)
    };
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for i in 0..n {
        let mut row: Vec<f64> = values(g, &system.matrix[i]).into_iter().map(|entry| -entry).collect();
        row[i] += s;
        row.push(powers(g, &system.input[i]));
        rows.push(row);
    }
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| rows[i][k].abs().total_cmp(&rows[j][k].abs())).expect("a row");
        rows.swap(k, pivot);
        for i in 0..n {
            if i != k {
                let factor = rows[i][k] / rows[k][k];
                let source = rows[k].clone();
                rows[i].iter_mut().zip(source).for_each(|(entry, other)| *entry -= factor * other);
            }
        }
    }
    let output = values(g, &system.output);
    let inner: f64 = (0..n).map(|k| output[k] * rows[k][n] / rows[k][k]).sum();
    inner + powers(g, &system.direct)
}

/// 2.6.4: all three are the same system, whatever the degrees are.
#[test]
fn every_method_realises_the_fraction() {
    let fractions: [(&[i64], &[i64]); 6] = [
        (&[3, 2, 1], &[1, 13, 8]),
        (&[3, 2, 5], &[7]),
        (&[0, 0, 2], &[4, 3]),
        (&[-6, 11, -6, 1], &[1, 0, 0, 2]),
        (&[4, 1], &[0, 3]),
        (&[2], &[6]),
    ];
    for (a, b) in fractions {
        let mut g = Graph::new();
        let (below, above) = (numbers(&mut g, a), numbers(&mut g, b));
        let systems = [
            mdor(&mut g, &below, &above),
            mdorav(&mut g, &below, &above).expect("proper"),
            msi(&mut g, &below, &above).expect("proper"),
        ];
        for s in [-0.7, 0.3, 1.9, 5.5] {
            let polynomial = |list: &[i64]| list.iter().rev().fold(0.0, |sum, &c| sum * s + c as f64);
            let expected = polynomial(b) / polynomial(a);
            for (k, system) in systems.iter().enumerate() {
                let found = transfer(&mut g, system, s);
                assert!(
                    (found - expected).abs() < 1e-12 * expected.abs().max(1.0),
                    "{a:?} {b:?} {k}: {found} {expected}"
                );
            }
        }
    }
}

#[test]
fn a_fraction_with_the_larger_numerator_is_improper() {
    let mut g = Graph::new();
    let (a, b) = (numbers(&mut g, &[1, 1]), numbers(&mut g, &[0, 0, 1]));
    let wrong = Improper { numerator: 2, denominator: 1 };
    assert_eq!(msi(&mut g, &a, &b), Err(wrong));
    assert_eq!(mdorav(&mut g, &a, &b), Err(wrong));
    assert_eq!(mdor(&mut g, &a, &b).input[0].len(), 3, "with derivatives of z it can be done");
}

/// Zero states mean rest before the start, so y begins with what z brings (errata to (2.22) and (2.32)).
#[test]
fn zero_states_mean_rest_and_not_zero_start_values() {
    let mut g = Graph::new();
    let (a, b) = (numbers(&mut g, &[3, 2, 1]), numbers(&mut g, &[1, 13, 8]));
    let zero = numbers(&mut g, &[0, 0]);
    for system in [msi(&mut g, &a, &b).expect("proper"), mdorav(&mut g, &a, &b).expect("proper")] {
        // z = sin t: z(0) = 0, z′(0) = 1
        let z = numbers(&mut g, &[0, 1]);
        let start = system.start_values(&mut g, &zero, &z);
        assert_eq!(values(&mut g, &start), [0.0, 8.0]);
        // z(0) = 1: y(0) = b₂, y′(0) = b₁ − a₁ b₂
        let z = numbers(&mut g, &[1]);
        let start = system.start_values(&mut g, &zero, &z);
        assert_eq!(values(&mut g, &start), [8.0, 13.0 - 2.0 * 8.0]);
    }
}

#[test]
fn start_values_and_states_determine_each_other() {
    let mut g = Graph::new();
    let (a, b) = (numbers(&mut g, &[5, -3, 2, 4]), numbers(&mut g, &[1, 7, -2, 3]));
    let (y, z) = (numbers(&mut g, &[2, -1, 6]), numbers(&mut g, &[4, 3, -5]));
    let expected = values(&mut g, &y);
    let by_integration = msi_start(&mut g, &a, &b, &y, &z).expect("proper");
    let by_variable = mdorav_start(&mut g, &a, &b, &y, &z).expect("proper").expect("no common root");
    let systems = [
        (msi(&mut g, &a, &b).expect("proper"), by_integration),
        (mdorav(&mut g, &a, &b).expect("proper"), by_variable),
        (mdor(&mut g, &a, &b), y.clone()),
    ];
    for (system, states) in systems {
        let back = system.start_values(&mut g, &states, &z);
        for (found, expected) in values(&mut g, &back).iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }
    // (s + 1)/(s² + 3s + 2) has the common root −1: v is not seen in full
    let (a, b) = (numbers(&mut g, &[2, 3, 1]), numbers(&mut g, &[1, 1]));
    assert_eq!(mdorav_start(&mut g, &a, &b, &y, &z), Ok(None));
}

/// The form of the language as a realisation, by differentiation.
fn pade_system(g: &mut Graph, delay: i64, n: u32) -> Realisation {
    let delay = g.integer(delay);
    let x: Vec<VarId> = (0..n).map(VarId).collect();
    let states: Vec<ExprId> = x.iter().map(|&v| g.variable(v)).collect();
    let z = g.variable(VarId(n));
    let (rates, y) = pade(g, delay, &states, z);
    let row = |g: &mut Graph, e: ExprId| -> Vec<ExprId> { x.iter().map(|&v| g.partial(e, v)).collect() };
    Realisation {
        matrix: rates.iter().map(|&rate| row(g, rate)).collect(),
        input: rates.iter().map(|&rate| vec![g.partial(rate, VarId(n))]).collect(),
        output: row(g, y),
        direct: vec![g.partial(y, VarId(n))],
    }
}

/// The [n/n] approximation is unique, so the continued fraction and the coefficients are one function.
#[test]
fn the_continued_fraction_is_the_quotient_of_the_coefficients() {
    for n in 1..=20 {
        let mut g = Graph::new();
        let system = pade_system(&mut g, 2, n);
        let (a, b) = pade_fraction(&mut g, n);
        let (a, b) = (values(&mut g, &a), values(&mut g, &b));
        for s in [0.1, 0.9, 3.0, 20.0] {
            let polynomial = |list: &[f64]| list.iter().rev().fold(0.0, |sum, c| sum * 2.0 * s + c);
            let expected = polynomial(&b) / polynomial(&a);
            let found = transfer(&mut g, &system, s);
            // b alternates, so the quotient itself loses digits
            let allowed = 1e-15 * polynomial(&a) / polynomial(&b).abs() + 1e-13;
            assert!((found - expected).abs() < allowed, "{n} {s}: {found} {expected}");
            if s < 1.0 && n > 6 {
                assert!((found - (-2.0 * s).exp()).abs() < 1e-9, "{n} {s}: {found}");
            }
        }
    }
}

/// A constant that has held for ever is in the first state, and stays.
#[test]
fn a_settled_delay_gives_its_input() {
    for n in 1..=20usize {
        let mut g = Graph::new();
        let (delay, z) = (g.integer(3), g.integer(7));
        let mut x = vec![g.integer(0); n];
        x[0] = z;
        let (rates, y) = pade(&mut g, delay, &x, z);
        assert!(values(&mut g, &rates).iter().all(|&rate| rate == 0.0), "{n}");
        assert_eq!(value(&mut g, y), 7.0, "{n}");
    }
}

/// d/dt Σ (2k − 1) xₖ² ≤ 0 without input, whatever the states are: a disturbance does not grow.
#[test]
fn a_disturbance_of_a_delay_does_not_grow() {
    for n in 1..=20usize {
        for round in 0..10 {
            let mut g = Graph::new();
            let (delay, z) = (g.integer(3), g.integer(0));
            let x: Vec<ExprId> = (0..n).map(|k| g.integer(((k * k * 7 + round * 13 + k) % 23) as i64 - 11)).collect();
            let (rates, _) = pade(&mut g, delay, &x, z);
            let (x, rates) = (values(&mut g, &x), values(&mut g, &rates));
            let power: f64 = x.iter().zip(&rates).enumerate().map(|(k, (x, rate))| (2 * k + 1) as f64 * x * rate).sum();
            assert!(power <= 1e-9, "{n}: {power}");
        }
    }
}

#[test]
fn expressions_of_s_become_fractions() {
    let mut g = Graph::new();
    let v = VarId(0);
    let s = g.variable(v);
    let (one, two, three) = (g.integer(1), g.integer(2), g.integer(3));
    // 1/s + 2/(s + 3)^2 = (s² + 8s + 9)/(s³ + 6s² + 9s)
    let (first, sum) = (g.div(one, s), g.add(s, three));
    let square = g.pow(sum, two);
    let second = g.div(two, square);
    let both = g.add(first, second);
    let found = rational(&mut g, both, v).expect("a fraction");
    assert_eq!(values(&mut g, &found.numerator), [9.0, 8.0, 1.0]);
    assert_eq!(values(&mut g, &found.denominator), [0.0, 9.0, 6.0, 1.0]);
    // s²/s³ is 1/s
    let (high, low) = (g.pow(s, three), g.pow(s, two));
    let quotient = g.div(low, high);
    let found = rational(&mut g, quotient, v).expect("a fraction");
    assert_eq!((values(&mut g, &found.numerator), values(&mut g, &found.denominator)), (vec![1.0], vec![0.0, 1.0]));
    let sine = g.call(ordinate_expr::Function::Sin, s);
    let product = g.mul(sine, two);
    assert_eq!(rational(&mut g, product, v), Err(NotRational::Operation(sine)));
    let many = g.integer(65);
    let power = g.pow(s, many);
    assert_eq!(rational(&mut g, power, v), Err(NotRational::Degree(65)));
}

/// With the scale of time the matrix of widely spread roots stays within a few times that scale.
#[test]
fn the_scale_of_time_is_near_the_largest_root() {
    assert_eq!(time_scale(&[1e12, 2e6, 1.0]), 2f64.powi(21));
    assert_eq!(time_scale(&[0.0, 0.0, 1.0]), 1.0);
    assert_eq!(time_scale(&[3.0]), 1.0);
}
