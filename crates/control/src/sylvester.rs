//! Sylvester's and Lyapunov's equations by Schur forms: R. H. Bartels and G. W. Stewart, Commun. ACM 15 (1972) 820–826;
//! of the discrete kind G. Kitagawa, Int. J. Control 25 (1977) 745–753.
//!
//! ```text
//!   A = U S Uᵀ,  B = V T Vᵀ,  Y = Uᵀ X V,  F = Uᵀ C V
//!   A X + X B = C   ⇔   S Y + Y T = F          X − A X B = C   ⇔   Y − S Y T = F
//! ```
//!
//! T is triangular but for blocks of two, so the columns of Y follow from left to right, and in each of them the rows
//! from below.

use crate::eigen::{Schur, balance};
use crate::matrix::{add_multiple, dot};
use crate::{ControlError, Matrix};

/// Which of the two equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// S Y + Y T = F
    Continuous,
    /// Y − S Y T = F
    Discrete,
}

/// A X + X Aᵀ + Q = 0.
pub fn lyapunov(a: &Matrix, q: &Matrix) -> Result<Matrix, ControlError> {
    of_one_matrix(a, q, Kind::Continuous)
}

/// X = A X Aᵀ + Q.
pub fn dlyapunov(a: &Matrix, q: &Matrix) -> Result<Matrix, ControlError> {
    of_one_matrix(a, q, Kind::Discrete)
}

/// A X + X B = C.
pub fn sylvester(a: &Matrix, b: &Matrix, c: &Matrix) -> Result<Matrix, ControlError> {
    square(a, "A")?;
    square(b, "B")?;
    if (c.rows(), c.columns()) != (a.rows(), b.rows()) {
        return Err(ControlError::Shape(format!(
            "C is {} × {}, A and B ask for {} × {}",
            c.rows(),
            c.columns(),
            a.rows(),
            b.rows()
        )));
    }
    finite(&[(a, "A"), (b, "B"), (c, "C")])?;
    let name = "Sylvester's equation";
    // in units of their own: A = D Â D⁻¹, B = E B̂ E⁻¹
    let (mut a, mut b) = (a.clone(), b.clone());
    let (d, e) = (balance(&mut a), balance(&mut b));
    let c = &Matrix::from_fn(c.rows(), c.columns(), |i, j| c.at(i, j) / d[i] * e[j]);
    let (Some(left), Some(right)) = (Schur::new(&a), Schur::new(&b)) else {
        return Err(ControlError::Inaccurate(name, f64::NAN));
    };
    let x = solve(&left, &right, c, Kind::Continuous).ok_or(ControlError::Singular(name))?;
    let residual = |x: &Matrix| &(&(&a * x) + &(x * &b)) - c;
    let size = |x: &Matrix| (a.frobenius() + b.frobenius()) * x.frobenius() + c.frobenius();
    let x = checked(name, x, residual, size, |r| solve(&left, &right, r, Kind::Continuous))?;
    Ok(Matrix::from_fn(x.rows(), x.columns(), |i, j| x.at(i, j) * d[i] / e[j]))
}

fn of_one_matrix(a: &Matrix, q: &Matrix, kind: Kind) -> Result<Matrix, ControlError> {
    square(a, "A")?;
    if (q.rows(), q.columns()) != (a.rows(), a.rows()) {
        return Err(ControlError::Shape(format!("Q is {} × {}, A is {1} × {1}", q.rows(), q.columns())));
    }
    finite(&[(a, "A"), (q, "Q")])?;
    let name = match kind {
        Kind::Continuous => "Lyapunov's equation",
        Kind::Discrete => "the discrete Lyapunov equation",
    };
    // in units of their own: A = D Â D⁻¹, X = D X̂ D
    let mut a = a.clone();
    let d = balance(&mut a);
    let q = &Matrix::from_fn(q.rows(), q.columns(), |i, j| q.at(i, j) / d[i] / d[j]);
    let a = &a;
    let equation = Lyapunov::new(a, kind).ok_or(ControlError::Inaccurate(name, f64::NAN))?;
    let x = equation.solve(q).ok_or(ControlError::Singular(name))?;
    let at = a.transposed();
    let symmetric = *q == q.transposed();
    let residual = |x: &Matrix| match kind {
        Kind::Continuous => &(&(a * x) + &(x * &at)) + q,
        Kind::Discrete => &(&(&(a * x) * &at) - x) + q,
    };
    let size = |x: &Matrix| match kind {
        Kind::Continuous => 2.0 * a.frobenius() * x.frobenius() + q.frobenius(),
        Kind::Discrete => (1.0 + a.frobenius().powi(2)) * x.frobenius() + q.frobenius(),
    };
    let x = checked(name, x, residual, size, |r| equation.solve(&-r))?;
    let x = if symmetric { x.symmetrised() } else { x };
    Ok(Matrix::from_fn(x.rows(), x.columns(), |i, j| x.at(i, j) * d[i] * d[j]))
}

/// One step of refinement, kept if it helps, and a look at what is left.
fn checked(
    name: &'static str,
    x: Matrix,
    residual: impl Fn(&Matrix) -> Matrix,
    size: impl Fn(&Matrix) -> f64,
    correct: impl Fn(&Matrix) -> Option<Matrix>,
) -> Result<Matrix, ControlError> {
    let rest = residual(&x);
    let relative = |rest: &Matrix, x: &Matrix| if rest.largest() == 0.0 { 0.0 } else { rest.frobenius() / size(x) };
    let mut best = (relative(&rest, &x), x);
    if let Some(step) = correct(&rest) {
        let better = &best.1 - &step;
        let left = relative(&residual(&better), &better);
        if left < best.0 {
            best = (left, better);
        }
    }
    if best.0 <= MOST_RESIDUAL { Ok(best.1) } else { Err(ControlError::Inaccurate(name, best.0)) }
}

/// A solution with a larger relative residual is none.
const MOST_RESIDUAL: f64 = 1e-10;

/// A X + X Aᵀ + Q = 0 or X = A X Aᵀ + Q for one A and several Q.
pub(crate) struct Lyapunov {
    left: Schur,
    right: Schur,
    kind: Kind,
}

impl Lyapunov {
    pub fn continuous(a: &Matrix) -> Option<Lyapunov> {
        Lyapunov::new(a, Kind::Continuous)
    }

    pub fn discrete(a: &Matrix) -> Option<Lyapunov> {
        Lyapunov::new(a, Kind::Discrete)
    }

    fn new(a: &Matrix, kind: Kind) -> Option<Lyapunov> {
        let left = Schur::new(a)?;
        // Aᵀ = U Sᵀ Uᵀ has its triangle below; with rows and columns in the opposite order it is above again.
        let n = a.rows();
        let t = Matrix::from_fn(n, n, |i, j| left.t.at(n - 1 - j, n - 1 - i));
        let q = Matrix::from_fn(n, n, |i, j| left.q.at(i, n - 1 - j));
        let right = Schur { t, q, values: left.values.iter().rev().copied().collect() };
        Some(Lyapunov { left, right, kind })
    }

    /// X, if the equation is regular.
    pub fn solve(&self, q: &Matrix) -> Option<Matrix> {
        let c = if self.kind == Kind::Continuous { -q } else { q.clone() };
        solve(&self.left, &self.right, &c, self.kind)
    }

    /// The eigenvalues of A.
    pub fn values(&self) -> &[crate::Complex] {
        &self.left.values
    }
}

fn solve(left: &Schur, right: &Schur, c: &Matrix, kind: Kind) -> Option<Matrix> {
    let (n, m) = (left.t.rows(), right.t.rows());
    let (s, t) = (&left.t, &right.t);
    // by columns, which become the rows of these
    let mut y = (&(&left.q.transposed() * c) * &right.q).transposed();
    let mut weighted = Matrix::zero(2, n);
    let smallest = f64::EPSILON * (s.largest() + t.largest());
    let mut j = 0;
    while j < m {
        let width = block(t, j);
        for p in 0..width {
            for l in 0..j {
                let factor = t.at(l, j + p);
                if factor == 0.0 {
                    continue;
                }
                match kind {
                    Kind::Continuous => {
                        let (done, rest) = y.elements_mut().split_at_mut((j + p) * n);
                        add_multiple(&mut rest[..n], -factor, &done[l * n..(l + 1) * n]);
                    }
                    Kind::Discrete => add_multiple(weighted.row_mut(p), factor, y.row(l)),
                }
            }
        }
        let mut end = n;
        while end > 0 {
            let height = if end > 1 && s.at(end - 1, end - 2) != 0.0 { 2 } else { 1 };
            let i = end - height;
            small_system(s, t, (i, height), (j, width), &mut y, &mut weighted, kind, smallest)?;
            end = i;
        }
        weighted.elements_mut().fill(0.0);
        j += width;
    }
    let x = &(&left.q * &y.transposed()) * &right.q.transposed();
    x.is_finite().then_some(x)
}

/// The size of the block that begins at j.
fn block(t: &Matrix, j: usize) -> usize {
    if j + 1 < t.rows() && t.at(j + 1, j) != 0.0 { 2 } else { 1 }
}

/// The unknowns of one block of rows in one block of columns: at most four equations.
fn small_system(
    s: &Matrix,
    t: &Matrix,
    (i, height): (usize, usize),
    (j, width): (usize, usize),
    y: &mut Matrix,
    weighted: &mut Matrix,
    kind: Kind,
    smallest: f64,
) -> Option<()> {
    let n = s.rows();
    let size = height * width;
    let mut a = [[0.0; 4]; 4];
    let mut b = [0.0; 4];
    for p in 0..width {
        for r in 0..height {
            let k = p * height + r;
            let row = &s.row(i + r)[i + height..n];
            b[k] = match kind {
                Kind::Continuous => y.at(j + p, i + r) - dot(row, &y.row(j + p)[i + height..n]),
                Kind::Discrete => y.at(j + p, i + r) + dot(&s.row(i + r)[i..n], &weighted.row(p)[i..n]),
            };
            for q in 0..width {
                for c in 0..height {
                    let (left, right) = (s.at(i + r, i + c), t.at(j + q, j + p));
                    let same = |x: usize, y: usize| if x == y { 1.0 } else { 0.0 };
                    a[k][q * height + c] = match kind {
                        Kind::Continuous => left * same(p, q) + right * same(r, c),
                        Kind::Discrete => same(p, q) * same(r, c) - left * right,
                    };
                }
            }
        }
    }
    let bound = if kind == Kind::Continuous { smallest } else { f64::EPSILON };
    eliminate(&mut a, &mut b, size, bound)?;
    for p in 0..width {
        for r in 0..height {
            *y.at_mut(j + p, i + r) = b[p * height + r];
        }
    }
    if kind == Kind::Discrete {
        // the rows above see what this block adds to Y T
        for p in 0..width {
            for r in 0..height {
                let sum: f64 = (0..width).map(|q| y.at(j + q, i + r) * t.at(j + q, j + p)).sum();
                *weighted.at_mut(p, i + r) += sum;
            }
        }
    }
    Some(())
}

/// Gauss with complete pivoting; `None` if a pivot is not larger than `smallest`.
fn eliminate(a: &mut [[f64; 4]; 4], b: &mut [f64; 4], n: usize, smallest: f64) -> Option<()> {
    let mut order = [0, 1, 2, 3];
    for k in 0..n {
        let (mut p, mut q) = (k, k);
        for i in k..n {
            for j in k..n {
                if a[i][j].abs() > a[p][q].abs() {
                    (p, q) = (i, j);
                }
            }
        }
        if a[p][q].is_nan() || a[p][q].abs() <= smallest {
            return None;
        }
        a.swap(k, p);
        b.swap(k, p);
        order.swap(k, q);
        a.iter_mut().for_each(|row| row.swap(k, q));
        let pivot = a[k];
        for i in k + 1..n {
            let f = a[i][k] / pivot[k];
            (k..n).for_each(|j| a[i][j] -= f * pivot[j]);
            b[i] -= f * b[k];
        }
    }
    let mut x = [0.0; 4];
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| a[k][j] * x[j]).sum();
        x[k] = (b[k] - sum) / a[k][k];
    }
    (0..n).for_each(|k| b[order[k]] = x[k]);
    Some(())
}

/// Whether a matrix has as many rows as columns.
pub(crate) fn square(a: &Matrix, name: &'static str) -> Result<(), ControlError> {
    if a.rows() == a.columns() {
        return Ok(());
    }
    Err(ControlError::Shape(format!("{name} is {} × {}, not square", a.rows(), a.columns())))
}

/// Whether all of these are finite.
pub(crate) fn finite(matrices: &[(&Matrix, &'static str)]) -> Result<(), ControlError> {
    match matrices.iter().find(|(matrix, _)| !matrix.is_finite()) {
        Some((_, name)) => Err(ControlError::NotFinite(name)),
        None => Ok(()),
    }
}
