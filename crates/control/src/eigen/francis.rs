//! Francis steps with deflation on a Hessenberg matrix: Golub and Van Loan, Matrix Computations, alg. 7.5.1 and 7.5.2.

use std::ops::Range;

use super::hessenberg::mirror_in_place;
use crate::{Complex, Matrix};

/// Machine precision relative to which an element below the diagonal counts as zero.
const EPS: f64 = f64::EPSILON;
/// QR steps that one eigenvalue may take; a handful is usual.
const MOST_STEPS: usize = 60;

/// The eigenvalues of a Hessenberg matrix. With Q the matrix becomes its Schur form, and Q is multiplied by the
/// vectors; without Q only the blocks that the eigenvalues need are kept up to date.
pub(super) fn iterate(h: &mut Matrix, mut q: Option<&mut Matrix>) -> Option<Vec<Complex>> {
    let n = h.rows();
    let mut found = vec![Complex::default(); n];
    let norm = h.largest();
    let mut end = n;
    let mut steps = 0;
    while end > 0 {
        let last = end - 1;
        // the block low … last has no zero below its diagonal
        let mut low = last;
        while low > 0 {
            let beside = h.at(low, low).abs() + h.at(low - 1, low - 1).abs();
            let size = if beside > 0.0 { beside } else { norm };
            if h.at(low, low - 1).abs() <= EPS * size {
                *h.at_mut(low, low - 1) = 0.0;
                break;
            }
            low -= 1;
        }
        if low == last {
            found[last] = h.at(last, last).into();
            (end, steps) = (end - 1, 0);
        } else if low + 1 == last {
            let pair = pair(h, low);
            found[low..end].copy_from_slice(&pair);
            if let Some(q) = q.as_deref_mut()
                && pair[0].im == 0.0
            {
                split(h, q, low, pair);
            }
            (end, steps) = (end - 2, 0);
        } else {
            steps += 1;
            if steps > MOST_STEPS {
                return None;
            }
            francis(h, q.as_deref_mut(), low, last, steps % 10 == 0);
        }
    }
    Some(found)
}

/// Both eigenvalues of the 2 × 2 block at k.
fn pair(h: &Matrix, k: usize) -> [Complex; 2] {
    let (a, b, c, d) = (h.at(k, k), h.at(k, k + 1), h.at(k + 1, k), h.at(k + 1, k + 1));
    let half = (a - d) / 2.0;
    let under = half * half + b * c;
    if under < 0.0 {
        let im = (-under).sqrt();
        return [Complex::new(d + half, im), Complex::new(d + half, -im)];
    }
    // no difference of equal numbers: z has the sign of its first part
    let z = half + under.sqrt().copysign(half);
    let other = if z == 0.0 { d } else { d - b * c / z };
    [(d + z).into(), other.into()]
}

/// Makes a 2 × 2 block with real eigenvalues triangular: its first column becomes the eigenvector of the first one.
fn split(h: &mut Matrix, q: &mut Matrix, k: usize, pair: [Complex; 2]) {
    // (A − λ)x = 0, from the row in which nothing cancels
    let (a, b, c, d) = (h.at(k, k), h.at(k, k + 1), h.at(k + 1, k), h.at(k + 1, k + 1));
    let value = pair[0].re;
    let x = if (a - value).abs() + b.abs() > c.abs() + (d - value).abs() { [-b, a - value] } else { [value - d, c] };
    let size = x[0].hypot(x[1]);
    if size == 0.0 {
        return;
    }
    let (cos, sin) = (x[0] / size, x[1] / size);
    let n = h.rows();
    for j in k..n {
        let (u, v) = (h.at(k, j), h.at(k + 1, j));
        *h.at_mut(k, j) = cos * u + sin * v;
        *h.at_mut(k + 1, j) = cos * v - sin * u;
    }
    let rotate = |m: &mut Matrix, rows: Range<usize>| {
        for i in rows {
            let (u, v) = (m.at(i, k), m.at(i, k + 1));
            *m.at_mut(i, k) = cos * u + sin * v;
            *m.at_mut(i, k + 1) = cos * v - sin * u;
        }
    };
    rotate(h, 0..k + 2);
    rotate(q, 0..q.rows());
    *h.at_mut(k + 1, k) = 0.0;
}

/// One implicit double shift on the block low … last, by the eigenvalues of its last 2 × 2 block; now and then by
/// another pair, for there are matrices on which the usual one runs in circles.
///
/// With x, y on the diagonal of that block and w the product of its other elements the first column of (H − σ₁)(H − σ₂) begins
/// with (x − h₁₁)(y − h₁₁) − w + h₁₂h₂₁. Multiplied out, h₁₁² − (x + y)h₁₁ + …, it would lose the shifts to rounding where h₁₁ is
/// large against the elements below the diagonal. The step begins where two of these in a row are so small that it may, for from
/// above the shifts would not come past them: `hqr` of Martin, Peters and Wilkinson, Numer. Math. 14 (1970) 219–231.
fn francis(h: &mut Matrix, mut q: Option<&mut Matrix>, low: usize, last: usize, exceptional: bool) {
    let n = h.rows();
    let (p, o) = (last, last - 1);
    let (x, y, w) = if exceptional {
        let size = h.at(p, o).abs() + h.at(o, o - 1).abs();
        let middle = h.at(p, p) + 0.75 * size;
        (middle, middle, -0.4375 * size * size)
    } else {
        (h.at(p, p), h.at(o, o), h.at(o, p) * h.at(p, o))
    };
    let column = |h: &Matrix, k: usize| {
        let (a, d) = (h.at(k, k), h.at(k + 1, k + 1));
        let (r, s) = (x - a, y - a);
        let below = h.at(k + 1, k);
        let bulge = [(r * s - w) / below + h.at(k, k + 1), d - a - r - s, h.at(k + 2, k + 1)];
        let size: f64 = bulge.iter().map(|part| part.abs()).sum();
        bulge.map(|part| part / size)
    };
    let starts_at = |h: &Matrix, k: usize| {
        let bulge = column(h, k);
        let across = h.at(k, k - 1).abs() * (bulge[1].abs() + bulge[2].abs());
        let beside = h.at(k - 1, k - 1).abs() + h.at(k, k).abs() + h.at(k + 1, k + 1).abs();
        across <= EPS * bulge[0].abs() * beside
    };
    let first = (low + 1..last - 1).rev().find(|&k| starts_at(h, k)).unwrap_or(low);
    let mut bulge = column(h, first);
    for k in first..last {
        let size = (last + 1 - k).min(3);
        mirror_in_place(&mut bulge[..size]);
        let left = k.saturating_sub(1).max(low);
        let (columns, rows) = if q.is_some() {
            (left..n, 0..(k + 4).min(last + 1))
        } else {
            (left..last + 1, low..(k + 4).min(last + 1))
        };
        if size == 3 {
            three_left(h, bulge, k, columns);
            three_right(h, bulge, k, rows);
            if let Some(q) = q.as_deref_mut() {
                three_right(q, bulge, k, 0..q.rows());
            }
        } else {
            super::reflect_left(h, &bulge[..size], k, columns);
            super::reflect_right(h, &bulge[..size], k, rows);
            if let Some(q) = q.as_deref_mut() {
                super::reflect_right(q, &bulge[..size], k, 0..q.rows());
            }
        }
        if k > low {
            (1..size).for_each(|i| *h.at_mut(k + i, k - 1) = 0.0);
        }
        for (i, next) in bulge.iter_mut().enumerate() {
            *next = if k + 1 + i <= last { h.at(k + 1 + i, k) } else { 0.0 };
        }
    }
}

/// A reflection of three rows, which almost all of the work consists of.
fn three_left(a: &mut Matrix, v: [f64; 3], first: usize, columns: Range<usize>) {
    let Some(f) = weights(v) else { return };
    let width = a.columns();
    let rows = &mut a.elements_mut()[first * width..(first + 3) * width];
    let (top, rest) = rows.split_at_mut(width);
    let (middle, bottom) = rest.split_at_mut(width);
    let three = top[columns.clone()].iter_mut().zip(&mut middle[columns.clone()]).zip(&mut bottom[columns]);
    for ((x, y), z) in three {
        let sum = v[0] * *x + v[1] * *y + v[2] * *z;
        *x -= f[0] * sum;
        *y -= f[1] * sum;
        *z -= f[2] * sum;
    }
}

/// The same of three columns.
fn three_right(a: &mut Matrix, v: [f64; 3], first: usize, rows: Range<usize>) {
    let Some(f) = weights(v) else { return };
    for i in rows {
        let row = &mut a.row_mut(i)[first..first + 3];
        let sum = v[0] * row[0] + v[1] * row[1] + v[2] * row[2];
        row[0] -= f[0] * sum;
        row[1] -= f[1] * sum;
        row[2] -= f[2] * sum;
    }
}

/// 2 v/vᵀv, if v is not zero.
fn weights(v: [f64; 3]) -> Option<[f64; 3]> {
    let square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    (square != 0.0).then(|| v.map(|v| 2.0 / square * v))
}
