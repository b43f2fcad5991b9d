//! One input: G. S. Miminis, C. C. Paige, Int. J. Control 35 (1982) 341–354. In controller Hessenberg form
//! (A Hessenberg, b = β e₁) all rows but the first of A − λI determine the eigenvector x of a wanted λ; turning x into the
//! first unit vector splits λ off, and leaves a form of the same kind that is smaller by one. In complex numbers, so that
//! pairs need nothing special.

use ordinate_linalg::Scalar;

use crate::linear::{ComplexMatrix, conjugate};
use crate::{Complex, Matrix};

/// A rotation of neighbouring columns or rows k − 1 and k.
struct Rotation {
    k: usize,
    c: f64,
    s: Complex,
}

/// The gain for a pair in staircase form with one input.
pub(super) fn gain(a: &Matrix, b: &Matrix, poles: &[Complex]) -> Matrix {
    let n = a.rows();
    let mut h = ComplexMatrix::from_fn(n, n, |i, j| a.at(i, j).into());
    let mut beta: Complex = b.at(0, 0).into();
    let mut parts = Vec::with_capacity(n);
    let mut turns: Vec<Vec<Rotation>> = Vec::with_capacity(n);
    for (first, &pole) in poles.iter().enumerate() {
        for i in first..n {
            *h.at_mut(i, i) = h.at(i, i) - pole;
        }
        // (A − λI)Q is triangular, so its first column is r e₁
        let mut turn = Vec::with_capacity(n - first);
        for k in (first + 1..n).rev() {
            let rotation = Rotation::new(&h, k);
            (first..k + 1).for_each(|i| rotation.columns(&mut h, i));
            *h.at_mut(k, k - 1) = Complex::default();
            turn.push(rotation);
        }
        // β kᵀx = r
        parts.push(h.at(first, first) / beta);
        for rotation in &turn {
            (first..n).for_each(|j| rotation.rows(&mut h, j));
        }
        for i in first..n {
            *h.at_mut(i, i) = h.at(i, i) + pole;
        }
        if let Some(last) = turn.last() {
            beta = conjugate(last.s) * beta;
        }
        turns.push(turn);
    }
    // kᵀ = (g, k̂ᵀ)Qᴴ, from the smallest form up
    let mut k = parts;
    for turn in turns.iter().rev() {
        for rotation in turn.iter().rev() {
            rotation.back(&mut k);
        }
    }
    Matrix::from_elements(1, n, k.iter().map(|k| k.re).collect())
}

impl Rotation {
    /// Makes h[k][k − 1] zero when it acts on the columns:
    ///
    /// ```text
    ///   (x, y) → (c x − s̄ y, s x + c y)      c, s from h[k][k − 1], h[k][k]
    /// ```
    fn new(h: &ComplexMatrix, k: usize) -> Rotation {
        let (x, y) = (h.at(k, k - 1), h.at(k, k));
        let (p, q) = (x.modulus(), y.modulus());
        let size = p.hypot(q);
        if p == 0.0 {
            return Rotation { k, c: 1.0, s: Complex::default() };
        }
        if q == 0.0 {
            return Rotation { k, c: 0.0, s: Complex::from(1.0) };
        }
        // c x = s̄ y
        Rotation { k, c: q / size, s: conjugate(x / y * (q / size)) }
    }

    /// Row i of H times the rotation.
    fn columns(&self, h: &mut ComplexMatrix, i: usize) {
        let (x, y) = (h.at(i, self.k - 1), h.at(i, self.k));
        *h.at_mut(i, self.k - 1) = x * self.c - conjugate(self.s) * y;
        *h.at_mut(i, self.k) = self.s * x + y * self.c;
    }

    /// The conjugate transpose of the rotation times column j of H.
    fn rows(&self, h: &mut ComplexMatrix, j: usize) {
        let (x, y) = (h.at(self.k - 1, j), h.at(self.k, j));
        *h.at_mut(self.k - 1, j) = x * self.c - self.s * y;
        *h.at_mut(self.k, j) = conjugate(self.s) * x + y * self.c;
    }

    /// A row vector times the conjugate transpose of the rotation.
    fn back(&self, v: &mut [Complex]) {
        let (x, y) = (v[self.k - 1], v[self.k]);
        v[self.k - 1] = x * self.c + conjugate(self.s) * y;
        v[self.k] = y * self.c - self.s * x;
    }
}
