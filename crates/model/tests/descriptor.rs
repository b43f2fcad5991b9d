//! Linear descriptor systems E x' + A x = f(t) with a singular E, rows and columns mixed so that every equation has several
//! derivatives. The solution is known, and so are index and degrees of freedom: what the analysis finds is compared with them,
//! exactly, in one point of the solution.

use ordinate_expr::{Expr, VarId};
use ordinate_model::{Sorted, merge, resolve, sort};
use ordinate_syntax::{Diagnostic, Severity, parse};
use std::collections::HashMap;
use std::fmt::Write;

fn sorted(text: &str) -> (Sorted, Vec<Diagnostic>) {
    let (tree, parsed) = parse(text);
    let resolved = resolve(&tree, text, &Vec::new(), &|_, _| Err("there is no such file".into()));
    let (sorted, found) = sort(resolved.model, false);
    let mut all = merge(&tree, parsed, resolved.diagnostics.into_iter().chain(found).collect());
    all.retain(|d| d.severity == Severity::Error);
    (sorted, all)
}

/// Index, degrees of freedom, free states.
fn structure(text: &str) -> (u32, usize, String) {
    let (sorted, _) = sorted(text);
    let names: Vec<String> = sorted.structure.free.iter().map(|&v| sorted.model.name(v)).collect();
    (sorted.structure.index, sorted.structure.degrees_of_freedom, names.join(" "))
}

/// 3·(1) + (2) + (3) is 2.1·x3 = 2.1·cos(2t): x3 follows, x1 is free, and 0.3 − 3·0.1 is nothing.
const TENTHS: &str = "(-1/10)*x1' + (-1/50)*x1 + (1/5)*x3 = -sin(t + 1)/50 + cos(2*t)/5 - cos(t + 1)/10
(1/10)*x2 + (1/10)*x3' + (1)*x3 = -sin(2*t)/5 + sin(t + 1)/10 + cos(2*t)
(3/10)*x1' + (3/50)*x1 + (-1/10)*x2 + (-1/10)*x3' + (1/2)*x3 = sin(2*t)/5 - sin(t + 1)/25 + cos(2*t)/2 + 3*cos(t + 1)/10
";

#[test]
fn a_start_value_that_follows_does_not_stand_for_one_that_is_free() {
    assert_eq!(structure(TENTHS), (2, 1, "x1".into()));
    let (_, mistakes) = sorted(&format!("{TENTHS}init x3 = 1"));
    let [one] = mistakes.as_slice() else { panic!("{mistakes:#?}") };
    assert_eq!((one.code, one.message.as_str()), ("missing-start", "`x1` has no start value"));
    assert!(sorted(&format!("{TENTHS}init x1 = sin(1)")).1.is_empty());
}

/// The same with parameters, exact ones and one that is not a fraction.
#[test]
fn parameters_are_exact_too() {
    let cases = [("1/10", "3*a", "1/3"), ("0.1", "0.3", "2"), ("sqrt(2)", "3*a", "pi")];
    for (a, b, c) in cases {
        let text = format!(
            "param a = {a}, b = {b}, c = {c}
-a*x1' - a*c*x1 + x3 = cos(t); a*x2 + a*x3' + x3 = sin(t); b*x1' + b*c*x1 - a*x2 - a*x3' + x3/2 = 1"
        );
        assert_eq!(structure(&text), (2, 1, "x1".into()), "{text}");
    }
}

/// With a = 0.3 and b = 0.1 the constraint has no x, so y follows and x is free.
#[test]
fn a_coefficient_that_is_zero_is_none() {
    let text = "param a = 0.3, b = 0.1; x' = -x; y' = z; (a - 3*b)*x + y = sin(t)";
    assert_eq!(structure(text), (2, 1, "x".into()));
    let (_, mistakes) = sorted(&format!("{text}; init y = 0"));
    assert!(mistakes.iter().any(|mistake| mistake.message == "`x` has no start value"), "{mistakes:#?}");
}

/// The pattern of x + y + z, x + y + 2·z lets x and y follow; the numbers say that z does.
#[test]
fn what_constraints_say_of_a_state_is_their_rank() {
    let text = "x' = a + b; y' = a - b; z' = b; x + y + z = 1; x + y + 2*z = 1 + sin(t)";
    let (sorted, mistakes) = sorted(&format!("{text}\ninit z = 0"));
    assert_eq!(sorted.structure.degrees_of_freedom, 1);
    assert!(
        mistakes.iter().any(|mistake| mistake.code == "missing-start" || mistake.code == "underdetermined-start"),
        "{mistakes:#?}"
    );
}

/// A prescribed motion, its equation written for it or not.
#[test]
fn the_index_does_not_depend_on_the_spelling() {
    for written in ["q2 = sin(t)^3", "q2 - sin(t)^3 = 0", "sin(t)^3 = q2"] {
        let text = format!("q1'' = u + 10*(q2 - q1); 2*q2'' = -10*(q2 - q1); {written}");
        assert_eq!(structure(&text).0, 5, "{written}");
    }
}

/// Neither how a line is written nor where it stands says anything about the equations: as typed, as residuals, and in
/// shuffled order they have one index, one number of degrees of freedom, and the same start values that are free or follow.
#[test]
fn neither_form_nor_order_of_lines_matters() {
    let crane = "param m = 1, g = 9.81; guess r = 5, T = 9.81, s = 0, be = 0";
    let cases: &[(&str, u32, &[&str])] = &[
        // inverse dynamics: T follows from x″, T′ would need x‴
        ("", 3, &["x'' + T + T^3 = 0", "x = sin(t)"]),
        ("", 3, &["T = -x''", "x = sin(t)"]),
        ("", 4, &["x'' + T + T^3 = 0", "w = T'", "x = sin(t)"]),
        (
            crane,
            3,
            &[
                "m*x'' = -T*sin(be)",
                "m*z'' = -T*cos(be) + m*g",
                "x = r*sin(be) + s",
                "z = r*cos(be)",
                "x = 0.2*t^3*(1 - 0.3*t)",
                "z = 5 - 0.1*t^2",
            ],
        ),
        // a named part of states adds nothing to an index that there is
        ("init x = 1", 1, &["x' + y' = -x", "x = 2*y + y^3", "f = x*y"]),
        (
            "init x = 0.6, x' = 0; guess y = 0.8",
            3,
            &["x'' = -2*l*x", "y'' = 9.81 - 2*l*y", "x^2 + y^2 = 1", "e = x'^2"],
        ),
    ];
    let mut random = Random(11);
    for (first, index, lines) in cases {
        let told = |lines: &[String]| {
            let text = format!("{first}\n{}", lines.join("\n"));
            let (sorted, mistakes) = sorted(&text);
            assert!(mistakes.is_empty(), "{text}\n{mistakes:#?}");
            let structure = &sorted.structure;
            let names = |list: &[VarId]| {
                let mut names: Vec<String> = list.iter().map(|&v| sorted.model.name(v)).collect();
                names.sort();
                names
            };
            (structure.index, structure.degrees_of_freedom, names(&structure.free), names(&structure.follows))
        };
        let written: Vec<String> = lines.iter().map(|line| line.to_string()).collect();
        let expected = told(&written);
        assert_eq!(expected.0, *index, "{lines:?}");
        for _ in 0..40 {
            let mut other = written.clone();
            for line in &mut other {
                let (left, right) = line.split_once(" = ").expect("an equation");
                *line = match random.below(3) {
                    0 => format!("0 = {left} - ({right})"),
                    1 => format!("{right} - ({left}) = 0"),
                    _ => line.clone(),
                };
            }
            (1..other.len()).rev().for_each(|k| other.swap(k, random.below(k as u64 + 1)));
            assert_eq!(told(&other), expected, "{other:?}");
        }
    }
}

type Matrix = Vec<Vec<i128>>;

/// A random system in a known form, mixed:
///
/// ```text
///   E = P (I 0; 0 N) Q,   A = P (B 0; 0 I) Q,   N nilpotent: the index is its order
/// ```
struct Descriptor {
    index: u32,
    freedom: usize,
    /// times `below`
    e: Matrix,
    a: Matrix,
    below: i128,
    /// xⱼ = c₀ + c₁ sin t + c₂ cos 2t
    x: Vec<[i128; 3]>,
    /// The first columns of Q⁻¹: what the free states may do.
    space: Vec<Vec<f64>>,
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % n) as usize
    }

    fn entry(&mut self) -> i128 {
        [0, 0, 0, 1, -1, 2, 3, -3][self.below(8)]
    }

    fn regular(&mut self, n: usize) -> (Matrix, Vec<Vec<f64>>) {
        loop {
            let m: Matrix = (0..n).map(|_| (0..n).map(|_| self.entry()).collect()).collect();
            if let Some(inverse) = inverse(&m) {
                return (m, inverse);
            }
        }
    }

    fn descriptor(&mut self) -> Descriptor {
        let n = 2 + self.below(4);
        let freedom = 1 + self.below(n as u64 - 1);
        let index = 1 + self.below((n - freedom) as u64);
        let (mut e, mut a) = (vec![vec![0; n]; n], vec![vec![0; n]; n]);
        for i in 0..n {
            if i < freedom {
                e[i][i] = 1;
                (0..freedom).for_each(|j| a[i][j] = self.below(5) as i128 - 2);
            } else {
                a[i][i] = 1;
                if i + 1 < freedom + index {
                    e[i][i + 1] = 1;
                }
            }
        }
        let (p, _) = self.regular(n);
        let (q, inverse) = self.regular(n);
        let x = (0..n).map(|_| [0; 3].map(|_| self.below(7) as i128 - 3)).collect();
        let space = inverse.iter().map(|row| row[..freedom].to_vec()).collect();
        let below = [1, 10, 7][self.below(3)];
        let mixed = |m: &Matrix| product(&product(&p, m), &q);
        Descriptor { index: index as u32, freedom, e: mixed(&e), a: mixed(&a), below, x, space }
    }
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    a.iter().map(|row| (0..b[0].len()).map(|j| row.iter().zip(b).map(|(x, r)| x * r[j]).sum()).collect()).collect()
}

/// By elimination with pivots; the numbers are small.
fn inverse(m: &Matrix) -> Option<Vec<Vec<f64>>> {
    let n = m.len();
    let unit = |i: usize| (0..n).map(move |j| if i == j { 1.0 } else { 0.0 });
    let mut rows: Vec<Vec<f64>> =
        m.iter().enumerate().map(|(i, row)| row.iter().map(|&x| x as f64).chain(unit(i)).collect()).collect();
    for k in 0..n {
        let best = (k..n).max_by(|&i, &j| rows[i][k].abs().total_cmp(&rows[j][k].abs()))?;
        rows.swap(k, best);
        if rows[k][k].abs() < 1e-9 {
            return None;
        }
        let pivot: Vec<f64> = rows[k].iter().map(|x| x / rows[k][k]).collect();
        for (i, row) in rows.iter_mut().enumerate() {
            let factor = row[k];
            if i != k {
                row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
            }
        }
        rows[k] = pivot;
    }
    Some(rows.into_iter().map(|row| row[n..].to_vec()).collect())
}

impl Descriptor {
    fn text(&self) -> String {
        let mut text = String::new();
        for (e, a) in self.e.iter().zip(&self.a) {
            // f = E x' + A x of the solution
            let mut f = [0i128; 5];
            for (j, x) in self.x.iter().enumerate() {
                write!(text, "({}/{d})*x{k}' + ({}/{d})*x{k} + ", e[j], a[j], d = self.below, k = j + 1)
                    .expect("a string");
                let parts = [a[j] * x[0], a[j] * x[1], a[j] * x[2], e[j] * x[1], -2 * e[j] * x[2]];
                f.iter_mut().zip(parts).for_each(|(f, part)| *f += part);
            }
            let d = self.below;
            let functions = ["1", "sin(t)", "cos(2*t)", "cos(t)", "sin(2*t)"];
            let right: Vec<String> = f.iter().zip(functions).map(|(f, name)| format!("({f})*{name}/{d}")).collect();
            writeln!(text, "0 = {}", right.join(" + ")).expect("a string");
        }
        text
    }

    /// xⱼ⁽ᵏ⁾ at t.
    fn solution(&self, j: usize, k: u32, t: f64) -> f64 {
        let [constant, sine, cosine] = self.x[j].map(|c| c as f64);
        let turn = f64::from(k) * std::f64::consts::FRAC_PI_2;
        let constant = if k == 0 { constant } else { 0.0 };
        constant + sine * (t + turn).sin() + cosine * 2f64.powi(k as i32) * (2.0 * t + turn).cos()
    }
}

/// Which x, and which derivative of it; that of a function of time is a quantity of its own, with the prime in its name.
fn place(sorted: &Sorted, v: VarId) -> (usize, u32) {
    let name = sorted.model.name(v);
    let primes = name.chars().filter(|&c| c == '\'').count();
    let number: usize = name.trim_start_matches('x').trim_end_matches('\'').parse().expect("x1, x2, …");
    (number - 1, primes as u32)
}

/// All variables in a point of the solution, those with a definition by it.
fn values(sorted: &mut Sorted, system: &Descriptor, t: f64) -> HashMap<VarId, f64> {
    let mut known: HashMap<VarId, f64> = HashMap::new();
    for state in &sorted.states {
        let (j, primes) = place(sorted, state.var);
        known.insert(state.var, system.solution(j, primes, t));
    }
    let all: Vec<(VarId, ordinate_expr::ExprId)> =
        (0..sorted.definitions.len()).filter_map(|k| Some((VarId(k as u32), sorted.definitions[k]?))).collect();
    for _ in 0..all.len() {
        for &(v, e) in &all {
            let value = sorted.model.graph.evaluate(e, |leaf| match leaf {
                Expr::Var(w) => known.get(&w).copied(),
                Expr::Time => Some(t),
                _ => None,
            });
            if let Some(value) = value.filter(|_| !known.contains_key(&v)) {
                known.insert(v, value);
            }
        }
    }
    known
}

/// 200 systems of two to five equations.
#[test]
fn what_random_descriptor_systems_give_is_their_solution() {
    let mut random = Random(20);
    for round in 0..200 {
        let system = random.descriptor();
        let text = system.text();
        let (mut found, mistakes) = sorted(&text);
        let bad: Vec<&Diagnostic> = mistakes.iter().filter(|mistake| !mistake.code.contains("start")).collect();
        assert!(bad.is_empty(), "{round}\n{text}\n{bad:#?}");
        assert_eq!(found.structure.degrees_of_freedom, system.freedom, "{round}\n{text}");
        // a named expression makes no index 1
        let index = found.structure.index;
        let right = index == system.index || index == 0 && system.index == 1;
        assert!(right, "{round}: {index}, not {}\n{text}", system.index);
        let t = 0.7;
        let known = values(&mut found, &system, t);
        for (&v, &value) in &known {
            let (j, primes) = place(&found, v);
            let right = system.solution(j, primes, t);
            assert!((value - right).abs() < 1e-9, "{round}: x{} {primes} {value} {right}\n{text}", j + 1);
        }
        for invariant in found.invariants.clone() {
            let value = found.model.graph.evaluate(invariant.value, |leaf| match leaf {
                Expr::Var(w) => known.get(&w).copied(),
                Expr::Time => Some(t),
                _ => None,
            });
            assert!(value.expect("all is known").abs() < 1e-9, "{round}\n{text}");
        }
        // the free states can be chosen: they are coordinates of what the system leaves free
        let free = &found.structure.free;
        if free.iter().all(|&v| found.model.variable(v).primes == 0) {
            let chosen: Vec<Vec<f64>> = free.iter().map(|&v| system.space[place(&found, v).0].clone()).collect();
            assert!(rank(chosen) == free.len(), "{round}: {free:?}\n{text}");
        }
    }
}

fn rank(mut rows: Vec<Vec<f64>>) -> usize {
    let mut done = 0;
    for column in 0..rows.first().map_or(0, Vec::len) {
        let Some(best) = (done..rows.len()).max_by(|&i, &j| rows[i][column].abs().total_cmp(&rows[j][column].abs()))
        else {
            break;
        };
        if rows[best][column].abs() < 1e-6 {
            continue;
        }
        rows.swap(done, best);
        let pivot = rows[done].clone();
        for row in &mut rows[done + 1..] {
            let factor = row[column] / pivot[column];
            row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
        }
        done += 1;
    }
    done
}
