//! Reflections, and the upper Hessenberg form that they make.

use std::ops::Range;

use crate::Matrix;
use crate::matrix::{add_multiple, dot};

/// The vector whose reflection sends x to a multiple of the first unit vector.
pub(crate) fn mirror(x: &[f64]) -> Vec<f64> {
    let mut v = x.to_vec();
    mirror_in_place(&mut v);
    v
}

/// The same in the place of x. Zero if x is.
pub(crate) fn mirror_in_place(x: &mut [f64]) {
    let scale = x.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    if scale == 0.0 {
        return;
    }
    x.iter_mut().for_each(|x| *x /= scale);
    let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
    x[0] += norm.copysign(x[0]);
}

/// A ← P A with P = I − 2 v vᵀ/vᵀv acting on rows first, first + 1, …; only these columns.
pub(crate) fn reflect_left(a: &mut Matrix, v: &[f64], first: usize, columns: Range<usize>) {
    let square = dot(v, v);
    if square == 0.0 || columns.is_empty() {
        return;
    }
    // along the rows, as the elements lie in memory
    let mut sums = vec![0.0; columns.len()];
    for (k, &v) in v.iter().enumerate() {
        add_multiple(&mut sums, v, &a.row(first + k)[columns.clone()]);
    }
    for (k, v) in v.iter().enumerate() {
        add_multiple(&mut a.row_mut(first + k)[columns.clone()], -2.0 / square * v, &sums);
    }
}

/// A ← A P with the same P acting on columns first, first + 1, …; only these rows.
pub(crate) fn reflect_right(a: &mut Matrix, v: &[f64], first: usize, rows: Range<usize>) {
    let square = dot(v, v);
    if square == 0.0 {
        return;
    }
    for i in rows {
        let row = &mut a.row_mut(i)[first..first + v.len()];
        let f = -2.0 / square * dot(v, row);
        add_multiple(row, f, v);
    }
}

/// Upper Hessenberg form by reflections: Golub and Van Loan, Matrix Computations, alg. 7.4.2. If asked for, Q of
/// Q H Qᵀ is multiplied to what is there.
pub(crate) fn hessenberg(a: &mut Matrix, mut q: Option<&mut Matrix>) {
    let n = a.rows();
    for k in 0..n.saturating_sub(2) {
        let below: Vec<f64> = (k + 1..n).map(|i| a.at(i, k)).collect();
        if below[1..].iter().all(|b| *b == 0.0) {
            continue;
        }
        let v = mirror(&below);
        reflect_left(a, &v, k + 1, k..n);
        reflect_right(a, &v, k + 1, 0..n);
        (k + 2..n).for_each(|i| *a.at_mut(i, k) = 0.0);
        if let Some(q) = q.as_deref_mut() {
            reflect_right(q, &v, k + 1, 0..q.rows());
        }
    }
}
