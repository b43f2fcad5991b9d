//! The evaluator against the definition of what it evaluates: the expressions of the sorted model.

use ordinate_expr::{Expr, ExprId, VarId};
use ordinate_model::{Sorted, resolve, sort};
use ordinate_numbers::{OCTET, Octet};
use ordinate_program::{Evaluator, Program, compile};
use ordinate_solve::System;
use ordinate_syntax::parse;
use std::path::Path;
use std::sync::Arc;

fn sorted(text: &str) -> Option<Sorted> {
    let (tree, diagnostics) = parse(text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let resolved = resolve(&tree, text, &Vec::new(), &|path, name| {
        ordinate_model::parse_table(&std::fs::read_to_string(folder.join(path)).unwrap(), name)
    });
    let (sorted, diagnostics) = sort(resolved.model, false);
    (!ordinate_syntax::has_errors(&diagnostics)).then_some(sorted)
}

fn gallery() -> Vec<(String, Sorted)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "eq"));
    files.sort();
    let read = |path: &Path| (path.display().to_string(), std::fs::read_to_string(path).unwrap());
    files.iter().map(|path| read(path)).filter_map(|(name, text)| Some((name, sorted(&text)?))).collect()
}

/// What the vector y of a model consists of: its states, then those that are algebraic.
fn unknowns(s: &Sorted) -> impl Iterator<Item = VarId> {
    s.states.iter().map(|state| state.var).chain(s.algebraic.iter().map(|algebraic| algebraic.var))
}

/// The value of an expression by plain recursion through definitions.
fn value(s: &Sorted, e: ExprId, t: f64, y: &[f64], d: &[f64]) -> f64 {
    let leaf = |v: VarId| -> Option<f64> {
        if let Some(k) = unknowns(s).position(|unknown| unknown == v) {
            return Some(y[k]);
        }
        if let Some(k) = s.model.switches.iter().position(|switch| switch.mode == v) {
            return Some(d[k]);
        }
        if let Some(parameter) = s.model.parameters.iter().find(|given| given.var == v) {
            return Some(value(s, parameter.value, t, y, d));
        }
        Some(value(s, s.definitions[v.0 as usize]?, t, y, d))
    };
    let mut graph = s.model.graph.clone();
    let lists = &s.model.lists;
    let segment = s.model.switches.iter().position(|w| matches!(w.watch, ordinate_model::Watch::Segment(_)));
    graph
        .evaluate(e, |node| match node {
            Expr::Time => Some(t),
            Expr::Var(v) => leaf(v),
            Expr::Lookup(list, _) => Some(lists[list.0 as usize][d[segment?] as usize]),
            _ => None,
        })
        .unwrap_or(f64::NAN)
}

/// A point that is nowhere special.
fn point(s: &Sorted) -> (f64, Vec<f64>, Vec<f64>) {
    let y = (0..unknowns(s).count()).map(|k| 0.3 + 0.17 * ((k * 7 % 11) as f64)).collect();
    (0.37, y, vec![1.0; s.model.switches.len()])
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a.is_nan() && b.is_nan()) || a == b || (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1e-300)
}

#[test]
fn derivatives_are_those_of_the_sorted_model() {
    let mut checked = 0;
    for (name, mut s) in gallery() {
        // the past of a delay is no matter of the expressions
        let remembers = !s.model.delays.is_empty();
        if s.states.len() > 60 || remembers || s.model.samples.len() + s.model.actions.len() > 0 {
            continue;
        }
        let program = Arc::new(compile(&mut s, false));
        let mut evaluator = Evaluator::new(program);
        let (t, y, d) = point(&s);
        let mut dy = vec![0.0; y.len()];
        evaluator.derivative(t, &y, &d, &mut dy);
        let derivatives: Vec<ExprId> = s.states.iter().map(|state| s.model.graph.variable(state.derivative)).collect();
        let residuals = s.algebraic.iter().map(|algebraic| algebraic.residual);
        for (k, (v, expression)) in unknowns(&s).zip(derivatives.into_iter().chain(residuals)).enumerate() {
            let expected = value(&s, expression, t, &y, &d);
            assert!(close(dy[k], expected, 1e-12), "{name}: {} {} {expected}", s.model.name(v), dy[k]);
            checked += 1;
        }
    }
    assert!(checked > 150, "{checked}");
}

#[test]
fn eight_points_side_by_side_have_the_bits_of_one_after_another() {
    let mut checked = 0;
    for (name, mut s) in gallery() {
        if s.states.is_empty() || !s.model.delays.is_empty() || s.model.samples.len() + s.model.actions.len() > 0 {
            continue;
        }
        let mut evaluator = Evaluator::new(Arc::new(compile(&mut s, false)));
        let (t, y, d) = point(&s);
        let n = y.len();
        for count in [3, OCTET] {
            let lane = |k: usize| k.min(count - 1) as f64;
            let times = Octet(std::array::from_fn(|k| t + 0.01 * lane(k)));
            let points: Vec<Octet> =
                y.iter().map(|y| Octet(std::array::from_fn(|k| y * (1.0 + 0.03 * lane(k))))).collect();
            let mut all = vec![Octet([f64::MAX; OCTET]); n];
            if !evaluator.derivative_of_eight(count, &times, &points, &d, &mut all) {
                assert!(all.iter().all(|f| f.0 == [f64::MAX; OCTET]), "{name}: what is refused is left alone");
                continue;
            }
            for k in 0..OCTET {
                let own: Vec<f64> = points.iter().map(|y| y.0[k]).collect();
                let mut one = vec![0.0; n];
                evaluator.derivative(times.0[k], &own, &d, &mut one);
                let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
                assert!((0..n).all(|i| same(one[i], all[i].0[k])), "{name}: point {k} of {count}");
                checked += 1;
            }
        }
    }
    assert!(checked > 400, "{checked}");
}

#[test]
fn the_jacobian_is_the_derivative_of_f_and_its_pattern_misses_nothing() {
    let mut checked = 0;
    for (name, mut s) in gallery() {
        let n = unknowns(&s).count();
        if n > 60 || s.model.samples.len() + s.model.actions.len() > 0 {
            continue;
        }
        let program = Arc::new(compile(&mut s, true));
        let jacobian = program.jacobian.clone().unwrap();
        let mut evaluator = Evaluator::new(program);
        let (t, y, d) = point(&s);
        let mut elements = vec![0.0; jacobian.pattern.len()];
        evaluator.jacobian(t, &y, &d, &mut elements);
        let mut dense = vec![vec![0.0; n]; n];
        for (&(i, j), &element) in jacobian.pattern.iter().zip(&elements) {
            dense[i as usize][j as usize] = element;
        }
        for j in 0..n {
            let h = 1e-6 * y[j].abs();
            let mut f = |x: f64| {
                let (mut at, mut dy) = (y.clone(), vec![0.0; n]);
                at[j] += x;
                evaluator.derivative(t, &at, &d, &mut dy);
                dy
            };
            let (up, down) = (f(h), f(-h));
            for i in 0..n {
                let difference = (up[i] - down[i]) / (2.0 * h);
                let noise = 1e-9 * (up[i].abs() + down[i].abs()) / h;
                let found = dense[i][j];
                let same = (found - difference).abs() <= 1e-5 * found.abs() + noise * 1e-2 + 1e-7;
                assert!(same || (found.is_nan() && difference.is_nan()), "{name} [{i}, {j}]: {found} {difference}");
                checked += 1;
            }
        }
    }
    assert!(checked > 500, "{checked}");
}

fn evaluator(text: &str) -> Evaluator {
    let mut s = sorted(text).expect("a right model");
    Evaluator::new(Arc::new(compile(&mut s, false)))
}

/// All crossings of a switch of time in an interval, as the driver asks for them.
fn crossings(e: &mut Evaluator, switch: usize, mut t: f64, until: f64) -> Vec<(f64, f64)> {
    let mut found = Vec::new();
    while let Some(next) = e.next_crossing(switch, t, until) {
        assert!(next > t, "{next} after {t}");
        found.push((next, e.mode_from(switch, next)));
        t = next;
    }
    found
}

#[test]
fn a_line_crosses_exactly_where_it_is_written() {
    for (text, at) in [("t - 4.7", 4.7), ("0.3 - t", 0.3), ("7*t - 3", 3.0 / 7.0), ("1e-12*t - 2e-12", 2.0)] {
        let mut e = evaluator(&format!("x' = if {text} < 0 then 1 else 2\ninit x = 0"));
        let found = crossings(&mut e, 0, 0.0, 10.0);
        assert_eq!(found.len(), 1, "{text}");
        assert!((found[0].0 - at).abs() <= 1e-15 * at, "{text}: {found:?}");
        assert!(found[0].1 == 1.0 || text == "0.3 - t" && found[0].1 == -1.0);
    }
}

#[test]
fn a_staircase_gives_every_step_once() {
    let mut e = evaluator("x' = floor(t/0.1)\ninit x = 0");
    let found = crossings(&mut e, 0, 0.0, 1000.05);
    assert_eq!(found.len(), 10_000);
    for (k, (t, mode)) in found.iter().enumerate() {
        assert!((t - 0.1 * (k + 1) as f64).abs() < 1e-12 * t, "{t}");
        assert_eq!(*mode, (k + 1) as f64);
    }
    let mut e = evaluator("x' = floor(-2*t)\ninit x = 0");
    assert_eq!(e.mode_from(0, 0.0), -1.0);
    let found = crossings(&mut e, 0, 0.0, 2.2);
    assert_eq!(found, [(0.5, -2.0), (1.0, -3.0), (1.5, -4.0), (2.0, -5.0)]);
}

/// sin(1000 t) = 0.3 has two solutions in each of its periods; a run of one second has 319.
#[test]
fn a_fast_oscillation_is_not_stepped_over() {
    let mut e = evaluator("x' = if sin(1000*t) > 0.3 then 1 else 0\ninit x = 0");
    let found = crossings(&mut e, 0, 0.0, 1.0);
    let mut expected = Vec::new();
    for k in 0..200 {
        let period = 2.0 * std::f64::consts::PI * f64::from(k);
        expected.push((period + 0.3f64.asin()) / 1000.0);
        expected.push((period + std::f64::consts::PI - 0.3f64.asin()) / 1000.0);
    }
    expected.retain(|&t| t <= 1.0);
    assert_eq!(found.len(), expected.len());
    for (k, ((t, mode), right)) in found.iter().zip(&expected).enumerate() {
        assert!((t - right).abs() < 1e-13, "{t} {right}");
        assert_eq!(*mode, if k % 2 == 0 { 1.0 } else { -1.0 });
    }
}

#[test]
fn a_narrow_dip_of_a_polynomial_is_found() {
    // (t − 5)² − 1e-8 is negative for 2e-4 only
    let mut e = evaluator("x' = if (t - 5)^2 < 1e-8 then 1 else 0\ninit x = 0");
    let found = crossings(&mut e, 0, 0.0, 1000.0);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!((found[0].0 - 4.9999).abs() < 1e-10 && (found[1].0 - 5.0001).abs() < 1e-10);
}

/// What the first crossing and the mode after it are, for `if EXPRESSION > 0`.
fn first(expression: &str, from: f64, until: f64) -> (f64, Option<(f64, f64)>) {
    let mut e = evaluator(&format!("x' = if {expression} > 0 then 1 else 0\ninit x = 0"));
    let mode = e.mode_from(0, from);
    let next = e.next_crossing(0, from, until);
    (mode, next.map(|t| (t, e.mode_from(0, t))))
}

#[test]
fn curves_of_all_kinds_cross_where_they_do() {
    use std::f64::consts::PI;
    // expression, from, until, mode at the start, crossing, mode after it
    let cases = [
        ("2^t - 4", 0.0, 5.0, -1.0, 2.0, 1.0),
        ("10^(-t) - 0.01", 0.0, 5.0, 1.0, 2.0, -1.0),
        ("t^t - 4", 1.0, 5.0, -1.0, 2.0, 1.0),
        ("t^3", -1.0, 5.0, -1.0, 0.0, 1.0),
        ("sin(t)^3", 0.0, 5.0, 1.0, PI, -1.0),
        ("t*sin(t)", 0.0, 5.0, 1.0, PI, -1.0),
        ("t^3 - 3*t^2 + 3*t - 1", 0.0, 5.0, -1.0, 1.0, 1.0),
        ("t^2 - t^3", 0.0, 3.0, 1.0, 1.0, -1.0),
        ("tan(t)", 0.0, 5.0, 1.0, PI / 2.0, -1.0),
        ("tan(t) - 1", 1.0, 5.0, 1.0, PI / 2.0, -1.0),
        ("t^2 - 1", 0.0, 1.0, -1.0, 1.0, 1.0),
        ("1/(t - 2)", 0.0, 5.0, -1.0, 2.0, 1.0),
        ("atan2(sin(t), cos(t))", 0.0, 5.0, 1.0, PI, -1.0),
        ("atan2(sin(t), cos(t))", 4.0, 9.0, -1.0, 2.0 * PI, 1.0),
        ("atan2(t - 1, -1) - 3", 0.0, 5.0, -1.0, 1.0, 1.0),
        ("sqrt(t) - 0.5", 0.0, 1e6, -1.0, 0.25, 1.0),
    ];
    for (expression, from, until, mode, at, behind) in cases {
        let (found_mode, next) = first(expression, from, until);
        assert_eq!(found_mode, mode, "{expression}");
        let (t, found_behind) = next.unwrap_or_else(|| panic!("{expression}: no crossing"));
        let tolerance = if expression.starts_with("t^3 - 3") { 2e-5 } else { 1e-12 * until };
        assert!((t - at).abs() <= tolerance, "{expression}: {t} {at}");
        assert_eq!(found_behind, behind, "{expression}");
    }
}

#[test]
fn curves_that_only_touch_or_stay_do_not_change_their_mode() {
    for (expression, mode) in [
        ("1 - cos(t)", 1.0),
        ("exp(t) - 1 - t", 1.0),
        ("t - sin(t)", 1.0),
        ("t^2", 1.0),
        ("sin(t) - 1", -1.0),
        ("2 + sin(1e5*t)", 1.0),
    ] {
        let mut e = evaluator(&format!("x' = if {expression} > 0 then 1 else 0\ninit x = 0"));
        assert_eq!(e.mode_from(0, 0.0), mode, "{expression}");
        // a stop at a touch is harmless, a change of the mode is not
        for (t, behind) in crossings(&mut e, 0, 0.0, 20.0) {
            assert_eq!(behind, mode, "{expression} at {t}");
        }
    }
}

#[test]
fn where_a_curve_is_not_defined_its_mode_is_none() {
    let (mode, next) = first("sqrt(2 - t) - 0.5", 0.0, 3.0);
    assert_eq!((mode, next), (1.0, Some((1.75, -1.0))));
    let (_, next) = first("sqrt(2 - t) - 0.5", 1.75, 3.0);
    let (t, behind) = next.unwrap();
    assert!((t - 2.0).abs() < 1e-12 && behind.is_nan(), "{t} {behind}");
    assert!(first("log(t - 1)", 0.0, 3.0).0.is_nan());
}

#[test]
fn named_expressions_of_time_are_looked_through() {
    let mut e = evaluator("w = sin(1000*t)\nv = 2*w\nx' = if v > 0.6 then 1 else 0\ninit x = 0");
    assert!(e.layout().switches[0].of_time);
    assert_eq!(crossings(&mut e, 0, 0.0, 1.0).len(), 319);
}

#[test]
fn a_curved_staircase_goes_up_and_down() {
    let mut e = evaluator("x' = floor(2*sin(t))\ninit x = 0");
    let mut modes: Vec<f64> = crossings(&mut e, 0, 0.0, 6.0).iter().map(|(_, mode)| *mode).collect();
    modes.dedup();
    assert_eq!(modes, [1.0, 0.0, -1.0, -2.0, -1.0]);
}

/// Of y′ = a the derivative is the constant itself.
fn moved(text: &str, times: u32) -> [f64; 2] {
    let own = evaluator(&format!("{text}; init y = 0"));
    let rounding = ordinate_program::Rounding::Moved(times);
    let other = Program { rounding, ..Program::clone(own.program()) };
    [own, Evaluator::new(Arc::new(other))].map(|mut e| {
        let mut f = [0.0];
        e.derivative(0.0, &[0.0], &[], &mut f);
        f[0]
    })
}

/// The double next to 0.1 is above it, that next to 0.3 below; 1/8 and 3·0.5 are exact.
#[test]
fn constants_move_to_the_other_side_of_their_exact_values() {
    for (text, up) in [("y' = 0.1", false), ("y' = 0.3", true), ("y' = 0.7/7", false), ("y' = pi/3", true)] {
        let [own, other] = moved(text, 1);
        assert_eq!(other, if up { own.next_up() } else { own.next_down() }, "{text}");
    }
    for text in ["y' = 0.125", "y' = 3*0.5", "y' = 1e15"] {
        let [own, other] = moved(text, 1000);
        assert_eq!(own, other, "{text}");
    }
    // 0.1 = 0x1.999999999999999999…p-4 and its double …999ap-4: off by 0.4 of the last place
    let [own, other] = moved("y' = 0.1", 1000);
    assert_eq!((own - other) / (own.next_up() - own), 400.0);
}

/// (1e8 + y)² − 1e16 − 2e8 y = y², but for rounding: f is off by more than it is, and f rounded otherwise tells by how much in the mean
/// square.
#[test]
fn rounding_otherwise_shows_what_cancels() {
    let mut e = evaluator("y' = (1e8 + y)^2 - 1e16 - 2e8*y\ninit y = 0.3");
    let (mut truth, mut told) = (0.0f64, 0.0f64);
    for k in 1..40 {
        let (t, y) = (0.1 * f64::from(k), 0.3 + 0.01 * f64::from(k));
        let ([mut own], [mut other]) = ([0.0], [0.0]);
        e.derivative(t, &[y], &[], std::slice::from_mut(&mut own));
        assert!(e.derivative_rounded_otherwise(t, &[y], &[], std::slice::from_mut(&mut other)));
        truth += (own - y * y).powi(2);
        told += (own - other).powi(2);
    }
    let part = (told / truth).sqrt();
    assert!(truth > 1.0 && (0.3..3.0).contains(&part), "{part} of {truth}");
}

/// The run itself has nothing of it, and the same model is always disturbed alike.
#[test]
fn rounding_otherwise_is_the_same_each_time() {
    let text = "y' = sin(3*y) - 0.1*y*y + 0.7*cos(y)\ninit y = 0.3";
    let told = || {
        let mut e = evaluator(text);
        let mut all = Vec::new();
        for k in 0..20 {
            let mut f = [0.0; 2];
            e.derivative(0.0, &[0.1 * f64::from(k)], &[], &mut f[..1]);
            e.derivative_rounded_otherwise(0.0, &[0.1 * f64::from(k)], &[], &mut f[1..]);
            all.extend(f);
        }
        all
    };
    assert_eq!(told(), told());
}
