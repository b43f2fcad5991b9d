//! The staircase form of a pair (A, B): P. Van Dooren, IEEE Trans. Autom. Control 26 (1981) 111–129. Reflections bring B
//! to its first rows, then what these reach to the next ones, and so on; what is never reached stands last.
//!
//! ```text
//!         ⎡ A₁₁ A₁₂ …        ⎤         ⎡ B₁ ⎤
//!   QᵀAQ =⎢ A₂₁ A₂₂ …        ⎥   QᵀB = ⎢ 0  ⎥      B₁, A₂₁, A₃₂, … of full row rank
//!         ⎢     A₃₂ …        ⎥         ⎢    ⎥
//!         ⎣          0   A_r ⎦         ⎣ 0  ⎦      A_r: not reached
//! ```

use crate::Matrix;
use crate::eigen::{balance_factor, eigenvalues};
use crate::orthogonal::{PivotedQr, singular_values};
use crate::pbh_test::unreached;

/// A pair in staircase form.
pub(crate) struct Staircase {
    /// Qᵀ D⁻¹ A D Q
    pub a: Matrix,
    /// Qᵀ D⁻¹ B
    pub b: Matrix,
    /// D Q: x = T z
    pub t: Matrix,
    /// Qᵀ D⁻¹: z = T⁻¹ x
    pub inverse: Matrix,
    /// How much the units of the states differ from those given: the ratio of the largest and the smallest element of D.
    pub spread: f64,
    /// The sizes of the steps; their sum is the rank.
    pub steps: Vec<usize>,
    /// The singular values of the blocks, relative to the size of B and of A; those of the last block, which is none, and
    /// zeros make them as many as there are states.
    pub couplings: Vec<f64>,
}

/// A coupling below this, per state, is rounding.
const ROUNDING: f64 = 500.0 * f64::EPSILON;

/// A coupling below this may be the rounding of the steps before it, which each of them may magnify: then the modes behind
/// it are tested one by one.
const SUSPICIOUS: f64 = 1e-7;

impl Staircase {
    pub fn new(a: &Matrix, b: &Matrix) -> Staircase {
        let n = a.rows();
        let (mut a, mut b, scales) = scaled(a, b);
        let (mut t, mut inverse) =
            (Matrix::diagonal(&scales), Matrix::diagonal(&scales.iter().map(|d| 1.0 / d).collect::<Vec<_>>()));
        let (low, high) = scales.iter().fold((f64::INFINITY, 0.0), |(l, h): (f64, f64), &d| (l.min(d), h.max(d)));
        let spread = if n == 0 { 1.0 } else { high / low };
        let size = a.frobenius();
        let tolerance = ROUNDING * n as f64;
        let mut steps = Vec::new();
        let mut couplings = Vec::new();
        let (mut done, mut last) = (0, 0);
        while done < n {
            let first = steps.is_empty();
            let block = if first { unit_columns(&b) } else { a.block(done..n, last..done) };
            let unit = if first { 1.0 } else { size };
            let values = singular_values(&block).unwrap_or_default();
            let relative = |value: f64| if unit == 0.0 { 0.0 } else { value / unit };
            let mut rank = values.iter().filter(|&&value| relative(value) > tolerance).count();
            if !first && rank > 0 && values.iter().all(|&value| relative(value) < SUSPICIOUS) {
                let modes = eigenvalues(&a.block(done..n, done..n)).unwrap_or_default();
                let inputs = unit_columns(&b).scaled(size);
                if !modes.is_empty() && modes.iter().all(|&mode| unreached(&a, &inputs, mode) <= tolerance * size) {
                    rank = 0;
                }
            }
            if rank == 0 {
                couplings.extend(values.iter().take(n - done).map(|&value| relative(value)));
                break;
            }
            couplings.extend(values[..rank].iter().map(|&value| relative(value)));
            let qr = PivotedQr::new(&block);
            qr.apply_left(&mut a, done);
            qr.apply_right(&mut a, done);
            qr.apply_left(&mut b, done);
            qr.apply_right(&mut t, done);
            qr.apply_left(&mut inverse, done);
            // what lies below the step is rounding
            for i in done + rank..n {
                match first {
                    true => b.row_mut(i).fill(0.0),
                    false => a.row_mut(i)[last..done].fill(0.0),
                }
            }
            steps.push(rank);
            (last, done) = (done, done + rank);
        }
        couplings.resize(n, 0.0);
        couplings.sort_by(|a, b| b.total_cmp(a));
        Staircase { a, b, t, inverse, spread, steps, couplings }
    }

    /// How many states are reached.
    pub fn rank(&self) -> usize {
        self.steps.iter().sum()
    }
}

/// Columns of length one: the unit of an input does not matter.
fn unit_columns(b: &Matrix) -> Matrix {
    let lengths: Vec<f64> = (0..b.columns())
        .map(|j| {
            let most = (0..b.rows()).map(|i| b.at(i, j).abs()).fold(0.0, f64::max);
            if most == 0.0 {
                1.0
            } else {
                most * (0..b.rows()).map(|i| (b.at(i, j) / most).powi(2)).sum::<f64>().sqrt()
            }
        })
        .collect();
    Matrix::from_fn(b.rows(), b.columns(), |i, j| b.at(i, j) / lengths[j])
}

/// Rounds of scaling.
const ROUNDS: usize = 20;

/// D⁻¹AD, D⁻¹B and D such that what comes into a state has the size of what goes out of it. A state that acts on nothing
/// may have any unit; it gets one in which its row is as large as the others, for a small unit is no weak coupling.
fn scaled(a: &Matrix, b: &Matrix) -> (Matrix, Matrix, Vec<f64>) {
    let n = a.rows();
    let (mut a, mut b) = (a.clone(), b.clone());
    let mut scales = vec![1.0; n];
    for _ in 0..ROUNDS {
        let mut changed = false;
        let inputs = unit_columns(&b);
        let size = (0..n).map(|i| a.at(i, i).abs()).fold(0.0, f64::max).max(a.frobenius() / (n as f64).sqrt());
        for (i, scale) in scales.iter_mut().enumerate() {
            let others = || (0..n).filter(|&j| j != i);
            let out: f64 = others().map(|j| a.at(j, i).abs()).sum();
            let reached: f64 = others().map(|j| a.at(i, j).abs()).sum();
            let driven = size * inputs.row(i).iter().fold(0.0, |most: f64, b| most.max(b.abs()));
            let into = reached + driven;
            let out = if out == 0.0 { size } else { out };
            let Some(f) = balance_factor(into, out) else { continue };
            changed = true;
            *scale *= f;
            a.row_mut(i).iter_mut().for_each(|a| *a /= f);
            b.row_mut(i).iter_mut().for_each(|b| *b /= f);
            (0..n).for_each(|j| *a.at_mut(j, i) *= f);
        }
        if !changed {
            break;
        }
    }
    (a, b, scales)
}
