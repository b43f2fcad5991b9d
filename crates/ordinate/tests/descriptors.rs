//! Linear descriptor systems E x′ + A x = f(t) of any index whose solutions are known: the errors that runs tell, beside those that
//! they have.

use ordinate::{CompileOptions, ErrorWish, Memory, RunOptions, Source, Status, compile, simulate};
use std::fmt::Write;

/// A random system in a known form, mixed:
///
/// ```text
///   E = P (I 0; 0 N) Q,   A = P (B 0; 0 I) Q,   x = Q⁻¹ z,   zᵢ = cᵢ sin ωᵢt + dᵢ exp(−bᵢt)
/// ```
///
/// with N nilpotent, B diagonal and d = 0 after its end; P, Q and Q⁻¹ are whole numbers.
struct Descriptor {
    e: Matrix,
    /// times 4
    a: Matrix,
    /// f = Σ f_sin sin ωⱼt + f_cos cos ωⱼt, times 4 and times 4000
    f: [Matrix; 2],
    inverse: Matrix,
    c: Vec<i64>,
    d: Vec<i64>,
    /// times 4
    b: Vec<i64>,
    /// ω, times 1000
    omega: Vec<i64>,
}

type Matrix = Vec<Vec<i64>>;

fn square(n: usize, element: impl Fn(usize, usize) -> i64) -> Matrix {
    (0..n).map(|i| (0..n).map(|j| element(i, j)).collect()).collect()
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    square(a.len(), |i, j| (0..b.len()).map(|k| a[i][k] * b[k][j]).sum())
}

struct Random(u64);

impl Random {
    fn between(&mut self, low: i64, high: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        low + ((self.0 >> 33) % (high - low + 1) as u64) as i64
    }

    /// A matrix of determinant one and its inverse.
    fn mixing(&mut self, n: usize) -> [Matrix; 2] {
        let unit = square(n, |i, j| i64::from(i == j));
        let [mut matrix, mut inverse] = [unit.clone(), unit];
        for _ in 0..self.between(2, 2 * n as i64) {
            let (i, k) = (self.between(0, n as i64 - 1) as usize, [1, -1, 2, -1][self.between(0, 3) as usize]);
            let j = (i + self.between(1, n as i64 - 1) as usize) % n;
            let other = matrix[j].clone();
            matrix[i].iter_mut().zip(other).for_each(|(x, y)| *x += k * y);
            inverse.iter_mut().for_each(|row| row[j] -= k * row[i]);
        }
        [matrix, inverse]
    }

    fn descriptor(&mut self) -> Descriptor {
        let n = self.between(2, 5) as usize;
        let free = self.between(1, n as i64 - 1) as usize;
        let index = self.between(1, (n - free) as i64) as usize;
        let ([p, _], [q, inverse]) = (self.mixing(n), self.mixing(n));
        let mut each = |low, high| -> Vec<i64> { (0..n).map(|_| self.between(low, high)).collect() };
        let (c, mut d, b, omega) = (each(1, 3), each(1, 3), each(1, 6), each(500, 2999));
        d[free..].fill(0);
        let chained = |i: usize, j: usize| j == i + 1 && i >= free && j < free + index;
        let e = square(n, |i, j| i64::from(i == j && i < free || chained(i, j)));
        let a = square(n, |i, j| {
            if i != j {
                0
            } else if i < free {
                b[i]
            } else {
                4
            }
        });
        let of_sine = square(n, |i, j| a[i][j] * c[j]);
        let of_cosine = square(n, |i, j| 4 * e[i][j] * c[j] * omega[j]);
        let f = [product(&p, &of_sine), product(&p, &of_cosine)];
        let mixed = |matrix: &Matrix| product(&product(&p, matrix), &q);
        Descriptor { e: mixed(&e), a: mixed(&a), f, inverse, c, d, b, omega }
    }
}

impl Descriptor {
    fn text(&self) -> String {
        let mut text = String::new();
        let [sine, cosine] = &self.f;
        for i in 0..self.c.len() {
            for j in 0..self.c.len() {
                let frequency = self.omega[j] as f64 / 1000.0;
                write!(text, "+ ({})*x{j}' + ({}/4)*x{j}", self.e[i][j], self.a[i][j]).expect("a string");
                write!(text, " - ({}/4)*sin({frequency}*t)", sine[i][j]).expect("a string");
                write!(text, " - ({}/4000)*cos({frequency}*t)", cosine[i][j]).expect("a string");
            }
            text.push_str(" = 0\n");
        }
        for (j, row) in self.inverse.iter().enumerate() {
            let start: i64 = row.iter().zip(&self.d).map(|(x, d)| x * d).sum();
            writeln!(text, "init x{j} = {start}").expect("a string");
        }
        text
    }

    fn solution(&self, j: usize, t: f64) -> f64 {
        let z = |k: usize| {
            let (frequency, rate) = (self.omega[k] as f64 / 1000.0, self.b[k] as f64 / 4.0);
            self.c[k] as f64 * (frequency * t).sin() + self.d[k] as f64 * (-rate * t).exp()
        };
        self.inverse[j].iter().enumerate().map(|(k, x)| *x as f64 * z(k)).sum()
    }
}

/// An error may be so many times its estimate.
const TOO_SMALL: f64 = 5.0;

#[test]
fn no_error_of_a_descriptor_system_is_told_much_too_small() {
    let mut random = Random(7);
    for round in 0..150 {
        let system = random.descriptor();
        let text = system.text();
        let compiled = compile(&Source::text(&text), &CompileOptions::default()).expect("a model without mistakes");
        let rtol = [1e-3, 1e-4, 1e-6, 1e-9][round % 4];
        for method in ["auto", "taylor", "radau", "bdf", "dp8"] {
            let options = RunOptions {
                method: method.into(),
                rtol,
                t_end: Some("3".into()),
                error: ErrorWish::Estimate { columns: false, correct: false },
                ..RunOptions::default()
            };
            let mut rows = Memory::default();
            let run = simulate(&compiled, &options, &mut rows).expect("it can begin");
            assert_eq!(run.outcome.status, Status::Ok, "{round}, {method}: {:?}\n{text}", run.reason);
            let estimate = run.error.as_ref().expect("an estimate").estimate();
            let mut error = 0.0f64;
            for (name, column) in rows.names.iter().zip(&rows.columns) {
                let Some(j) = name.strip_prefix('x').and_then(|number| number.parse().ok()) else { continue };
                for (t, x) in rows.columns[0].iter().zip(column) {
                    error = error.max((x - system.solution(j, *t)).abs());
                }
            }
            assert!(
                error <= TOO_SMALL * estimate,
                "{round}, {method}, rtol {rtol}: {estimate:e} for {error:e}\n{text}"
            );
        }
    }
}
