//! Orthogonal tools: QR with column pivoting, and singular values by one-sided rotations.

use crate::Matrix;
use crate::eigen::{mirror, reflect_left, reflect_right};
use crate::matrix::dot;

/// M Π = Q R with columns exchanged such that the diagonal of R falls (P. Businger, G. H. Golub, Numer. Math. 7 (1965)
/// 269–276), Q as reflections.
pub(crate) struct PivotedQr {
    reflectors: Vec<Vec<f64>>,
    /// R
    pub r: Matrix,
}

impl PivotedQr {
    pub fn new(m: &Matrix) -> PivotedQr {
        let (rows, columns) = (m.rows(), m.columns());
        let mut r = m.clone();
        let mut reflectors = Vec::new();
        for k in 0..rows.min(columns) {
            // Computed anew: the norms that are carried along lose their digits where it matters.
            let norm = |r: &Matrix, j: usize| (k..rows).map(|i| r.at(i, j).powi(2)).sum::<f64>();
            let mut best = k;
            for j in k + 1..columns {
                if norm(&r, j) > norm(&r, best) {
                    best = j;
                }
            }
            if best != k {
                for i in 0..rows {
                    r.row_mut(i).swap(k, best);
                }
            }
            let below: Vec<f64> = (k..rows).map(|i| r.at(i, k)).collect();
            let v = mirror(&below);
            reflect_left(&mut r, &v, k, k..columns);
            (k + 1..rows).for_each(|i| *r.at_mut(i, k) = 0.0);
            reflectors.push(v);
        }
        PivotedQr { reflectors, r }
    }

    /// X ← Qᵀ X, on the rows from `first` on.
    pub fn apply_left(&self, x: &mut Matrix, first: usize) {
        let columns = x.columns();
        for (k, v) in self.reflectors.iter().enumerate() {
            reflect_left(x, v, first + k, 0..columns);
        }
    }

    /// X ← X Q, on the columns from `first` on.
    pub fn apply_right(&self, x: &mut Matrix, first: usize) {
        let rows = x.rows();
        for (k, v) in self.reflectors.iter().enumerate() {
            reflect_right(x, v, first + k, 0..rows);
        }
    }
}

/// Sweeps; quadratic convergence ends them after about eight.
const MOST_SWEEPS: usize = 40;

/// The singular values, the largest first, each to nearly full relative precision as far as the columns allow: rotations
/// make the columns orthogonal (M. R. Hestenes, J. SIAM 6 (1958) 51–90; J. Demmel, K. Veselić, SIAM J. Matrix Anal.
/// Appl. 13 (1992) 1204–1245). `None` for elements that are not finite.
pub fn singular_values(a: &Matrix) -> Option<Vec<f64>> {
    if !a.is_finite() {
        return None;
    }
    let size = a.largest();
    if size == 0.0 || a.rows() == 0 {
        return Some(vec![0.0; a.rows().min(a.columns())]);
    }
    // The smaller dimension as rows here, which lie in memory one after another; the triangle of QR is nearly diagonal
    // already, and the rotations find less to do.
    let scale = 2f64.powi(-(size.log2().round() as i32).clamp(-1000, 1000));
    let tall = if a.rows() >= a.columns() { a.scaled(scale) } else { a.transposed().scaled(scale) };
    let columns = tall.columns();
    let mut u = PivotedQr::new(&tall).r.block(0..columns, 0..columns);
    for _ in 0..MOST_SWEEPS {
        let mut turned = false;
        for i in 0..columns {
            for j in i + 1..columns {
                turned |= rotate(&mut u, i, j);
            }
        }
        if !turned {
            break;
        }
    }
    let mut values: Vec<f64> = (0..columns).map(|i| dot(u.row(i), u.row(i)).sqrt() / scale).collect();
    values.sort_by(|a, b| b.total_cmp(a));
    Some(values)
}

/// Makes two rows orthogonal, if they are not.
fn rotate(u: &mut Matrix, i: usize, j: usize) -> bool {
    let columns = u.columns();
    let (above, below) = u.elements_mut().split_at_mut(j * columns);
    let (x, y) = (&mut above[i * columns..(i + 1) * columns], &mut below[..columns]);
    let (a, b, c) = (dot(x, x), dot(y, y), dot(x, y));
    if c.abs() <= f64::EPSILON * (a * b).sqrt() || c == 0.0 {
        return false;
    }
    let zeta = (b - a) / (2.0 * c);
    let t = 1.0_f64.copysign(zeta) / (zeta.abs() + zeta.hypot(1.0));
    let cos = 1.0 / t.hypot(1.0);
    let sin = cos * t;
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (cos * *x - sin * *y, sin * *x + cos * *y);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a Hilbert matrix the product of the singular values is the known determinant, the smallest one known to ten digits.
    #[test]
    fn small_singular_values_keep_their_digits() {
        let hilbert = Matrix::from_fn(6, 6, |i, j| 1.0 / (i + j + 1) as f64);
        let values = singular_values(&hilbert).expect("finite");
        assert!((values[0] / 1.618_899_858_924_339 - 1.0).abs() < 1e-14, "{values:?}");
        assert!((values[5] / 1.082_799_484_565_55e-7 - 1.0).abs() < 1e-8, "{values:?}");
        let determinant: f64 = values.iter().product();
        assert!((determinant * 186_313_420_339_200_000.0 - 1.0).abs() < 1e-8, "{determinant}");
    }

    #[test]
    fn singular_values_of_any_shape_and_size() {
        let wide = Matrix::from_elements(2, 3, vec![3e200, 0.0, 0.0, 0.0, 0.0, 4e200]);
        let values = singular_values(&wide).expect("finite");
        assert!(
            values.len() == 2 && (values[0] / 4e200 - 1.0).abs() < 1e-15 && (values[1] / 3e200 - 1.0).abs() < 1e-15
        );
        assert_eq!(singular_values(&Matrix::zero(3, 2)), Some(vec![0.0, 0.0]));
        assert_eq!(singular_values(&Matrix::from_elements(1, 1, vec![f64::NAN])), None);
    }

    /// Q R = M Π, with Q orthogonal.
    #[test]
    fn the_factors_give_the_matrix_back() {
        let m = Matrix::from_fn(5, 3, |i, j| ((3 * i + 7 * j * j) % 11) as f64 - 4.0);
        let qr = PivotedQr::new(&m);
        let mut turned = m.clone();
        qr.apply_left(&mut turned, 0);
        for j in 0..3 {
            let same = |k: usize| (0..5).all(|i| (turned.at(i, k) - qr.r.at(i, j)).abs() < 1e-13);
            assert!((0..3).any(same), "column {j}");
        }
        let mut q = Matrix::identity(5);
        qr.apply_right(&mut q, 0);
        assert!((&(&q.transposed() * &q) - &Matrix::identity(5)).largest() < 1e-14);
        assert!(qr.r.at(0, 0).abs() >= qr.r.at(1, 1).abs() && qr.r.at(1, 1).abs() >= qr.r.at(2, 2).abs());
    }
}
