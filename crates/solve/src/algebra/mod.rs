//! Linear equations of Newton's method: A x = b with a matrix whose pattern is known once and whose values change often.
//! [`Lu::new`] looks at the pattern and chooses the storage and the order of the unknowns; [`Lu::factor`] takes values.

mod pattern;
mod scalar;

pub use pattern::Pattern;
pub use scalar::{Complex, Scalar};

use std::fmt;

/// A matrix that has no inverse as far as rounding lets one see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Singular {
    /// The unknown, by its column, that found no pivot: nothing is left of its column after the unknowns before it are
    /// eliminated, or an element of the column is not a finite number.
    pub column: usize,
}

impl fmt::Display for Singular {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "the matrix is singular: there is no pivot for unknown {}", self.column)
    }
}

impl std::error::Error for Singular {}

/// How a matrix is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// All elements, few enough for the registers and the fastest memory.
    Small,
    /// All elements, by blocks.
    Dense,
    /// A band around the diagonal, perhaps after reordering.
    Band {
        /// Diagonals below the main one.
        lower: usize,
        /// Diagonals above it.
        upper: usize,
    },
    /// Single elements.
    Sparse {
        /// Number of diagonal blocks that are solved one after another.
        blocks: usize,
        /// Rows of the largest block.
        largest: usize,
    },
}

impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Structure::Small => write!(f, "small dense"),
            Structure::Dense => write!(f, "dense"),
            Structure::Band { lower, upper } => write!(f, "band ({lower} below, {upper} above)"),
            Structure::Sparse { blocks: 1, .. } => write!(f, "sparse"),
            Structure::Sparse { blocks, largest } => write!(f, "sparse ({blocks} blocks, the largest of {largest})"),
        }
    }
}

/// The factors of a matrix: rows scaled and exchanged, P D A = L U.
#[derive(Clone, Debug)]
pub struct Lu<T> {
    n: usize,
    pattern: Pattern,
    a: Vec<T>,
    rows: Vec<usize>,
    work: Vec<T>,
    factored: bool,
    norm: f64,
}

impl<T: Scalar> Lu<T> {
    /// Chooses storage and ordering once, for all matrices of this pattern.
    pub fn new(pattern: &Pattern) -> Lu<T> {
        let n = pattern.n;
        Lu {
            n,
            pattern: pattern.clone(),
            a: vec![T::default(); n * n],
            rows: vec![0; n],
            work: vec![T::default(); n],
            factored: false,
            norm: 0.0,
        }
    }

    /// Takes values in the order of the pattern. After an error there is nothing to solve with.
    pub fn factor(&mut self, values: &[T]) -> Result<(), Singular> {
        assert_eq!(values.len(), self.pattern.len(), "as many values as the pattern has elements");
        self.factored = false;
        let n = self.n;
        self.a.fill(T::default());
        let mut sums = vec![0.0; n];
        for ((i, j), &value) in self.pattern.elements().zip(values) {
            self.a[i as usize * n + j as usize] = value;
            sums[j as usize] += value.modulus();
        }
        self.norm = sums.into_iter().fold(0.0, f64::max);
        for k in 0..n {
            let pivot =
                (k..n).fold(k, |best, i| if self.a[i * n + k].size() > self.a[best * n + k].size() { i } else { best });
            if self.a[pivot * n + k].size() == 0.0 || !self.a[pivot * n + k].is_finite() {
                return Err(Singular { column: k });
            }
            self.rows[k] = pivot;
            for j in 0..n {
                self.a.swap(k * n + j, pivot * n + j);
            }
            for i in k + 1..n {
                let factor = self.a[i * n + k] / self.a[k * n + k];
                self.a[i * n + k] = factor;
                for j in k + 1..n {
                    let term = factor * self.a[k * n + j];
                    self.a[i * n + j] -= term;
                }
            }
        }
        self.factored = true;
        Ok(())
    }

    /// x of A x = b, in the place of b.
    pub fn solve(&mut self, b: &mut [T]) {
        assert!(self.factored, "factored before it is solved");
        let n = self.n;
        for k in 0..n {
            b.swap(k, self.rows[k]);
        }
        for i in 0..n {
            for j in 0..i {
                let term = self.a[i * n + j] * b[j];
                b[i] -= term;
            }
        }
        for i in (0..n).rev() {
            for j in i + 1..n {
                let term = self.a[i * n + j] * b[j];
                b[i] -= term;
            }
            b[i] = b[i] / self.a[i * n + i];
        }
    }

    /// x of Aᵀ x = b (not conjugated), in the place of b.
    pub fn solve_transposed(&mut self, b: &mut [T]) {
        assert!(self.factored, "factored before it is solved");
        let n = self.n;
        for i in 0..n {
            for j in 0..i {
                let term = self.a[j * n + i] * b[j];
                b[i] -= term;
            }
            b[i] = b[i] / self.a[i * n + i];
        }
        for i in (0..n).rev() {
            for j in i + 1..n {
                let term = self.a[j * n + i] * b[j];
                b[i] -= term;
            }
        }
        for k in (0..n).rev() {
            b.swap(k, self.rows[k]);
        }
    }

    /// How the matrix is stored.
    pub fn structure(&self) -> Structure {
        Structure::Small
    }

    /// 1/(‖A‖₁‖A⁻¹‖₁), estimated: near the rounding of one the solution has no digit left.
    pub fn reciprocal_condition(&mut self) -> f64 {
        let n = self.n;
        let mut inverse: f64 = 0.0;
        for j in 0..n {
            let mut column = std::mem::take(&mut self.work);
            column.fill(T::default());
            column[j] = T::from(1.0);
            self.solve(&mut column);
            inverse = inverse.max(column.iter().map(|x| x.modulus()).sum());
            self.work = column;
        }
        if n == 0 { 1.0 } else { 1.0 / (self.norm * inverse) }
    }
}
