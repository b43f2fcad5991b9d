//! The Riccati equations. A structure-preserving doubling algorithm finds the stabilising solution (E. K.-W. Chu,
//! H.-Y. Fan, W.-W. Lin, Linear Algebra Appl. 396 (2005) 55–80, after a Cayley transform; of the discrete equation,
//! with C.-S. Wang, Int. J. Control 77 (2004) 767–788), Newton's method in the form of a correction takes it to rounding
//! (D. L. Kleinman, IEEE Trans. Autom. Control 13 (1968) 114–115).
//!
//! ```text
//!   continuous   0 = AᵀP + PA − PGP + Q                     G = B R⁻¹ Bᵀ
//!   discrete     P = Aᵀ P (I + G P)⁻¹ A + Q
//! ```
//!
//! The states are scaled first, by powers of two, so that units of states and weights do not matter.

mod diagnosis;
mod doubling;
mod newton;
mod scaling;

use crate::eigen::{eigenvalues, sort_poles};
use crate::linear::Factors;
use crate::sylvester::{finite, square};
use crate::{Complex, ControlError, Matrix};

/// u = −K x that makes ∫ xᵀQx + uᵀRu (or the sum) smallest.
#[derive(Clone, Debug)]
pub struct Lqr {
    /// K, one row per input.
    pub gain: Matrix,
    /// P, with which xᵀPx is the cost from x on.
    pub cost: Matrix,
    /// Eigenvalues of A − BK, the slowest first.
    pub poles: Vec<Complex>,
    /// Relative residual of the Riccati equation.
    pub residual: f64,
}

/// AᵀP + PA − PBR⁻¹BᵀP + Q = 0, stabilising. The weights are full symmetric matrices.
pub fn lqr(a: &Matrix, b: &Matrix, q: &Matrix, r: &Matrix) -> Result<Lqr, ControlError> {
    regulator(a, b, q, r, Time::Continuous)
}

/// The same for x[k + 1] = A x[k] + B u[k].
pub fn dlqr(a: &Matrix, b: &Matrix, q: &Matrix, r: &Matrix) -> Result<Lqr, ControlError> {
    regulator(a, b, q, r, Time::Discrete)
}

/// The stabilising solution of AᵀP + PA − PBR⁻¹BᵀP + Q = 0.
pub fn care(a: &Matrix, b: &Matrix, q: &Matrix, r: &Matrix) -> Result<Matrix, ControlError> {
    lqr(a, b, q, r).map(|lqr| lqr.cost)
}

/// The stabilising solution of P = AᵀPA − AᵀPB(R + BᵀPB)⁻¹BᵀPA + Q.
pub fn dare(a: &Matrix, b: &Matrix, q: &Matrix, r: &Matrix) -> Result<Matrix, ControlError> {
    dlqr(a, b, q, r).map(|lqr| lqr.cost)
}

/// Which of the two equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Time {
    Continuous,
    Discrete,
}

impl Time {
    fn equation(self) -> &'static str {
        match self {
            Time::Continuous => "the Riccati equation",
            Time::Discrete => "the discrete Riccati equation",
        }
    }

    /// How far inside the region of stability an eigenvalue lies, relative to the size of the matrix.
    fn margin(self, value: Complex) -> f64 {
        match self {
            Time::Continuous => -value.re,
            Time::Discrete => 1.0 - value.re.hypot(value.im),
        }
    }
}

/// A larger relative residual is an error.
const MOST_RESIDUAL: f64 = 1e-10;

/// The data of an equation, in the form in which it is solved: B is B L⁻ᵀ of R = L Lᵀ, so that R is the identity.
#[derive(Clone, Debug)]
struct Equation {
    time: Time,
    a: Matrix,
    /// Aᵀ
    at: Matrix,
    b: Matrix,
    /// B Bᵀ
    g: Matrix,
    q: Matrix,
}

impl Equation {
    fn new(time: Time, a: Matrix, b: Matrix, q: Matrix) -> Equation {
        let g = (&b * &b.transposed()).symmetrised();
        let at = a.transposed();
        Equation { time, a, at, b, g, q }
    }

    /// The gain for inputs with the weight one: BᵀP, or (I + BᵀPB)⁻¹BᵀPA.
    fn gain(&self, p: &Matrix) -> Option<Matrix> {
        let bp = &self.b.transposed() * p;
        match self.time {
            Time::Continuous => Some(bp),
            Time::Discrete => {
                let weight = &Matrix::identity(self.b.columns()) + &(&bp * &self.b);
                Some(Factors::new(&weight.symmetrised())?.solve(&(&bp * &self.a)))
            }
        }
    }

    /// A − B K
    fn closed(&self, gain: &Matrix) -> Matrix {
        &self.a - &(&self.b * gain)
    }

    /// What is left of the equation, and relative to the largest of its terms.
    fn residual(&self, p: &Matrix, gain: &Matrix) -> (Matrix, f64) {
        let (rest, size) = match self.time {
            Time::Continuous => {
                let (pa, quadratic) = (p * &self.a, &gain.transposed() * gain);
                let linear = &pa + &pa.transposed();
                (&(&linear - &quadratic) + &self.q, pa.frobenius().max(quadratic.frobenius()))
            }
            Time::Discrete => {
                // P = AᵀP(A − BK) + Q
                let pa = p * &self.closed(gain);
                let inner = &self.at * &pa;
                (&(&inner - p) + &self.q, p.frobenius().max(inner.frobenius()))
            }
        };
        let size = size.max(self.q.frobenius());
        let rest = rest.symmetrised();
        let relative = if size == 0.0 { 0.0 } else { rest.frobenius() / size };
        (rest, relative)
    }
}

fn regulator(a: &Matrix, b: &Matrix, q: &Matrix, r: &Matrix, time: Time) -> Result<Lqr, ControlError> {
    check_sizes(a, b, q, r)?;
    finite(&[(a, "A"), (b, "B"), (q, "Q"), (r, "R")])?;
    let q = weight(q, "Q")?;
    let r = weight(r, "R")?;
    semidefinite(&q)?;
    let root = cholesky(&r).ok_or_else(|| ControlError::Indefinite("R", least_eigenvalue(&r)))?;
    // B L⁻ᵀ: column after column from L X ᵀ = Bᵀ
    let unit = solve_lower(&root, &b.transposed()).transposed();
    let scaled = scaling::Scaled::new(a, &unit, &q, time);
    let (p, gain, residual) = solve(&scaled.equation)?;
    let cost = scaled.unscale(&p);
    let gain = solve_lower_transposed(&root, &scaled.unscale_gain(&gain));
    if residual.is_nan() || residual > MOST_RESIDUAL {
        return Err(ControlError::Inaccurate(time.equation(), residual));
    }
    let mut poles = eigenvalues(&(a - &(b * &gain))).ok_or(ControlError::Inaccurate(time.equation(), f64::NAN))?;
    sort_poles(&mut poles, time == Time::Discrete);
    match poles.first() {
        Some(&worst) if time.margin(worst) <= 0.0 => Err(ControlError::OnTheBorder(worst)),
        _ => Ok(Lqr { gain, cost, poles, residual }),
    }
}

/// P, the gain and the relative residual.
fn solve(equation: &Equation) -> Result<(Matrix, Matrix, f64), ControlError> {
    let mut found = doubling::starts(equation).filter_map(|start| newton::refine(equation, start));
    found.next().ok_or_else(|| diagnosis::why(equation))
}

fn check_sizes(a: &Matrix, b: &Matrix, q: &Matrix, r: &Matrix) -> Result<(), ControlError> {
    square(a, "A")?;
    let (n, m) = (a.rows(), b.columns());
    let wanted = |what: &str, found: &Matrix, rows: usize, columns: usize| {
        if (found.rows(), found.columns()) == (rows, columns) {
            return Ok(());
        }
        let sizes = format!("{} × {}, not {rows} × {columns}", found.rows(), found.columns());
        Err(ControlError::Shape(format!("{what} is {sizes}")))
    };
    wanted("B", b, n, m)?;
    wanted("the weight Q of the states", q, n, n)?;
    wanted("the weight R of the inputs", r, m, m)
}

/// The weight, exactly symmetric.
fn weight(w: &Matrix, name: &'static str) -> Result<Matrix, ControlError> {
    let half = w.symmetrised();
    let unlike = (w - &half).largest();
    if unlike > 1e-12 * w.largest() { Err(ControlError::Indefinite(name, f64::NAN)) } else { Ok(half) }
}

fn semidefinite(q: &Matrix) -> Result<(), ControlError> {
    let n = q.rows();
    // Rounding of a product CᵀC may leave an eigenvalue of zero a little below it.
    let shift = 1e-13 * n as f64 * q.largest();
    if q.largest() == 0.0 || cholesky(&(q + &Matrix::identity(n).scaled(shift))).is_some() {
        return Ok(());
    }
    Err(ControlError::Indefinite("Q", least_eigenvalue(q)))
}

fn least_eigenvalue(symmetric: &Matrix) -> f64 {
    eigenvalues(symmetric).map_or(f64::NAN, |values| values.iter().fold(f64::INFINITY, |least, v| least.min(v.re)))
}

/// L of L Lᵀ, if the matrix is positive definite.
fn cholesky(a: &Matrix) -> Option<Matrix> {
    let n = a.rows();
    let mut l = Matrix::zero(n, n);
    for i in 0..n {
        for j in 0..=i {
            let sum = a.at(i, j) - crate::matrix::dot(&l.row(i)[..j], &l.row(j)[..j]);
            if i > j {
                *l.at_mut(i, j) = sum / l.at(j, j);
            } else if sum > 0.0 {
                *l.at_mut(i, i) = sum.sqrt();
            } else {
                return None;
            }
        }
    }
    Some(l)
}

/// X of L X = B.
fn solve_lower(l: &Matrix, b: &Matrix) -> Matrix {
    let mut x = b.clone();
    for i in 0..l.rows() {
        for k in 0..i {
            let (done, rest) = x.elements_mut().split_at_mut(i * b.columns());
            crate::matrix::add_multiple(
                &mut rest[..b.columns()],
                -l.at(i, k),
                &done[k * b.columns()..(k + 1) * b.columns()],
            );
        }
        x.row_mut(i).iter_mut().for_each(|x| *x /= l.at(i, i));
    }
    x
}

/// X of Lᵀ X = B.
fn solve_lower_transposed(l: &Matrix, b: &Matrix) -> Matrix {
    let n = l.rows();
    let reversed = Matrix::from_fn(n, n, |i, j| l.at(n - 1 - j, n - 1 - i));
    let upside_down = |m: &Matrix| Matrix::from_fn(n, m.columns(), |i, j| m.at(n - 1 - i, j));
    upside_down(&solve_lower(&reversed, &upside_down(b)))
}
