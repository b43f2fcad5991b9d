//! Several inputs: J. Kautsky, N. K. Nichols, P. Van Dooren, Int. J. Control 41 (1985) 1129–1155, method 0, with pairs in
//! complex numbers. An eigenvector of a wanted λ may be any x with (A − λI)x in the range of B; each in turn is brought as
//! near as it can be to the direction orthogonal to all others, so the poles become as insensitive as the freedom allows.
//!
//! ```text
//!   A − BK = X Λ X⁻¹        xⱼ ← S Sᴴ y/‖·‖,   y = row j of X⁻¹, conjugated,   S a basis of the allowed x
//! ```

use crate::linear::{ComplexMatrix, Factors, conjugate, modulus};
use crate::{Complex, ControlError, Matrix};

/// Rounds over all vectors; most of the gain is in the first ones.
const ROUNDS: usize = 30;
/// Poles nearer than this, relatively, are equal.
const EQUAL: f64 = 1e-10;

type Vector = Vec<Complex>;

/// The gain for a pair in staircase form whose first `independent` rows are those of B that are not zero.
pub(super) fn gain(a: &Matrix, b: &Matrix, independent: usize, poles: &[Complex]) -> Result<Matrix, ControlError> {
    let n = a.rows();
    let equal = |p: Complex, q: Complex| modulus(p - q) <= EQUAL * modulus(p).max(modulus(q));
    for &pole in poles {
        if poles.iter().filter(|&&other| equal(pole, other)).count() > independent {
            return Err(ControlError::Repeated(pole));
        }
    }
    let closed = if independent == n {
        block_diagonal(poles)
    } else {
        let vectors = robust(a, independent, poles);
        product(&vectors, poles).ok_or(ControlError::Inaccurate("pole placement", f64::NAN))?
    };
    // B₁K = (A − XΛX⁻¹) in the first rows, of all K the smallest
    let rows = &a.block(0..independent, 0..n) - &closed.block(0..independent, 0..n);
    let top = b.block(0..independent, 0..b.columns());
    let square = &top * &top.transposed();
    let mut factors = Factors::new(&square).ok_or(ControlError::Singular("B"))?;
    Ok(&top.transposed() * &factors.solve(&rows))
}

/// With the poles as its eigenvalues and orthogonal eigenvectors.
fn block_diagonal(poles: &[Complex]) -> Matrix {
    let n = poles.len();
    let mut m = Matrix::zero(n, n);
    for (i, pole) in poles.iter().enumerate() {
        *m.at_mut(i, i) = pole.re;
        if pole.im > 0.0 {
            *m.at_mut(i, i + 1) = pole.im;
            *m.at_mut(i + 1, i) = -pole.im;
        }
    }
    m
}

/// X Λ X⁻¹, real but for rounding.
fn product(vectors: &[Vector], poles: &[Complex]) -> Option<Matrix> {
    let n = poles.len();
    let x = ComplexMatrix::from_fn(n, n, |i, j| vectors[j][i]);
    let mut lu = x.factors()?;
    let mut m = Matrix::zero(n, n);
    for i in 0..n {
        let mut row: Vector = (0..n).map(|j| x.at(i, j) * poles[j]).collect();
        lu.solve_transposed(&mut row);
        m.row_mut(i).iter_mut().zip(&row).for_each(|(m, z)| *m = z.re);
    }
    Some(m)
}

/// Vectors of length one, of a pair the second the conjugate of the first; the best of all rounds.
fn robust(a: &Matrix, independent: usize, poles: &[Complex]) -> Vec<Vector> {
    let n = a.rows();
    let bases: Vec<Vec<Vector>> = poles.iter().map(|&pole| allowed(a, independent, pole)).collect();
    let mut vectors: Vec<Vector> = Vec::with_capacity(n);
    for (j, pole) in poles.iter().enumerate() {
        if pole.im < 0.0 {
            vectors.push(vectors[j - 1].iter().map(|&x| conjugate(x)).collect());
            continue;
        }
        // unlike for equal poles, and the first ones with weights of their own
        let weight = |l: usize| 1.0 / (1 + (l + independent - j % independent) % independent) as f64;
        let mut x = vec![Complex::default(); n];
        for (l, basis) in bases[j].iter().enumerate() {
            x.iter_mut().zip(basis).for_each(|(x, &b)| *x += b * weight(l));
        }
        normalise(&mut x);
        vectors.push(x);
    }
    let mut best = (f64::INFINITY, vectors.clone());
    for _ in 0..ROUNDS {
        let Some((mut inverse, size)) = inverse(&vectors) else { break };
        if size < best.0 {
            let little = size > 0.999 * best.0;
            best = (size, vectors.clone());
            if little {
                break;
            }
        }
        for j in 0..n {
            if poles[j].im < 0.0 {
                continue;
            }
            let y: Vector = inverse[j].iter().map(|&z| conjugate(z)).collect();
            let mut x = vec![Complex::default(); n];
            for basis in &bases[j] {
                let share = basis.iter().zip(&y).fold(Complex::default(), |sum, (&b, &y)| sum + conjugate(b) * y);
                x.iter_mut().zip(basis).for_each(|(x, &b)| *x += b * share);
            }
            if !normalise(&mut x) {
                continue;
            }
            if poles[j].im > 0.0 {
                let other = x.iter().map(|&x| conjugate(x)).collect();
                replace(&mut vectors, &mut inverse, j + 1, other);
            }
            replace(&mut vectors, &mut inverse, j, x);
        }
    }
    best.1
}

/// The rows of X⁻¹ and the root of the sum of all |·|².
fn inverse(vectors: &[Vector]) -> Option<(Vec<Vector>, f64)> {
    let n = vectors.len();
    let mut lu = ComplexMatrix::from_fn(n, n, |i, j| vectors[j][i]).factors()?;
    let mut rows = Vec::with_capacity(n);
    let mut square = 0.0;
    for i in 0..n {
        let mut row = vec![Complex::default(); n];
        row[i] = 1.0.into();
        lu.solve_transposed(&mut row);
        square += row.iter().map(|z| z.re * z.re + z.im * z.im).sum::<f64>();
        rows.push(row);
    }
    square.is_finite().then(|| (rows, square.sqrt()))
}

/// Another column j of X, and X⁻¹ by the formula of Sherman and Morrison; a change that would make X singular is none.
fn replace(vectors: &mut [Vector], inverse: &mut [Vector], j: usize, x: Vector) {
    let n = x.len();
    let image: Vector =
        (0..n).map(|i| inverse[i].iter().zip(&x).fold(Complex::default(), |sum, (&row, &x)| sum + row * x)).collect();
    if modulus(image[j]) < 1e-10 {
        return;
    }
    let pivot: Vector = inverse[j].iter().map(|&z| z / image[j]).collect();
    for i in 0..n {
        if i != j {
            inverse[i].iter_mut().zip(&pivot).for_each(|(z, &p)| *z -= image[i] * p);
        }
    }
    inverse[j] = pivot;
    vectors[j] = x;
}

fn normalise(x: &mut [Complex]) -> bool {
    let length = x.iter().map(|z| z.re * z.re + z.im * z.im).sum::<f64>().sqrt();
    if length == 0.0 || !length.is_finite() {
        return false;
    }
    x.iter_mut().for_each(|z| *z = *z * (1.0 / length));
    true
}

/// An orthonormal basis of the x for which the last rows of (A − λI)x vanish: what is left when the rows' conjugates are
/// taken out of the space.
fn allowed(a: &Matrix, independent: usize, pole: Complex) -> Vec<Vector> {
    let n = a.rows();
    let mut basis: Vec<Vector> = Vec::with_capacity(n);
    for i in independent..n {
        let row = (0..n).map(|j| {
            let element = Complex::from(a.at(i, j));
            conjugate(if i == j { element - pole } else { element })
        });
        extend(&mut basis, row.collect());
    }
    let taken = basis.len();
    while basis.len() < n {
        // the unit vector of which most is left
        let left = |i: usize| 1.0 - basis.iter().map(|v| v[i].re.powi(2) + v[i].im.powi(2)).sum::<f64>();
        let i = (0..n).max_by(|&i, &j| left(i).total_cmp(&left(j)).then(j.cmp(&i))).unwrap_or(0);
        let mut unit = vec![Complex::default(); n];
        unit[i] = 1.0.into();
        if !extend(&mut basis, unit) {
            break;
        }
    }
    basis.split_off(taken)
}

/// Adds what of v is orthogonal to the basis; twice, for once leaves the rounding of what cancelled.
fn extend(basis: &mut Vec<Vector>, mut v: Vector) -> bool {
    if !normalise(&mut v) {
        return false;
    }
    for _ in 0..2 {
        for b in basis.iter() {
            let share = b.iter().zip(&v).fold(Complex::default(), |sum, (&b, &v)| sum + conjugate(b) * v);
            v.iter_mut().zip(b).for_each(|(v, &b)| *v -= b * share);
        }
        if !normalise(&mut v) {
            return false;
        }
    }
    basis.push(v);
    true
}
