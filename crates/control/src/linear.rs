//! Linear equations with a dense matrix: the factors of `ordinate_linalg` with whole matrices on the right.

use ordinate_linalg::{Lu, Pattern, Scalar};

use crate::{Complex, Matrix};

/// The factors of a regular matrix.
pub(crate) struct Factors {
    lu: Lu<f64>,
}

impl Factors {
    /// `None` if the matrix is singular as far as rounding lets one see.
    pub fn new(a: &Matrix) -> Option<Factors> {
        assert_eq!(a.rows(), a.columns(), "a square matrix");
        let mut lu = Lu::new(&Pattern::dense(a.rows()));
        lu.factor(a.elements()).ok()?;
        Some(Factors { lu })
    }

    /// X of A X = B.
    pub fn solve(&mut self, b: &Matrix) -> Matrix {
        let mut x = b.transposed();
        (0..x.rows()).for_each(|i| self.lu.solve(x.row_mut(i)));
        x.transposed()
    }

    /// X of X A = B.
    pub fn solve_left(&mut self, b: &Matrix) -> Matrix {
        let mut x = b.clone();
        (0..x.rows()).for_each(|i| self.lu.solve_transposed(x.row_mut(i)));
        x
    }

    /// An estimate of 1/(‖A‖‖A⁻¹‖), rows scaled.
    pub fn reciprocal_condition(&mut self) -> f64 {
        self.lu.reciprocal_condition()
    }
}

/// A matrix of complex numbers by rows; only as much of it as is needed here.
#[derive(Clone, Debug)]
pub(crate) struct ComplexMatrix {
    pub rows: usize,
    pub columns: usize,
    pub elements: Vec<Complex>,
}

impl ComplexMatrix {
    pub fn from_fn(rows: usize, columns: usize, f: impl Fn(usize, usize) -> Complex) -> ComplexMatrix {
        let elements = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))).map(|(i, j)| f(i, j)).collect();
        ComplexMatrix { rows, columns, elements }
    }

    /// s I − A
    pub fn resolvent(a: &Matrix, s: Complex) -> ComplexMatrix {
        ComplexMatrix::from_fn(a.rows(), a.rows(), |i, j| {
            let off = Complex::from(-a.at(i, j));
            if i == j { s + off } else { off }
        })
    }

    pub fn at(&self, i: usize, j: usize) -> Complex {
        self.elements[i * self.columns + j]
    }

    pub fn at_mut(&mut self, i: usize, j: usize) -> &mut Complex {
        &mut self.elements[i * self.columns + j]
    }

    /// The factors, if there are any.
    pub fn factors(&self) -> Option<Lu<Complex>> {
        let mut lu = Lu::new(&Pattern::dense(self.rows));
        lu.factor(&self.elements).ok()?;
        Some(lu)
    }
}

/// The conjugate.
pub(crate) fn conjugate(z: Complex) -> Complex {
    Complex::new(z.re, -z.im)
}

/// |z|
pub(crate) fn modulus(z: Complex) -> f64 {
    z.modulus()
}
