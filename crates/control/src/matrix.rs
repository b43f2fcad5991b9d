//! A dense real matrix and its arithmetic. Sizes that do not fit together are a mistake of the caller's program and
//! panic; what comes from a user is checked before it gets here.

use std::ops::{Add, Mul, Neg, Range, Sub};

/// A matrix by rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    elements: Vec<f64>,
}

impl Matrix {
    /// The zero matrix.
    pub fn zero(rows: usize, columns: usize) -> Matrix {
        Matrix { rows, columns, elements: vec![0.0; rows * columns] }
    }

    /// The identity.
    pub fn identity(n: usize) -> Matrix {
        Matrix::diagonal(&vec![1.0; n])
    }

    /// A matrix with these numbers on its diagonal.
    pub fn diagonal(values: &[f64]) -> Matrix {
        let mut matrix = Matrix::zero(values.len(), values.len());
        values.iter().enumerate().for_each(|(i, &value)| *matrix.at_mut(i, i) = value);
        matrix
    }

    /// From elements by rows.
    pub fn from_elements(rows: usize, columns: usize, elements: Vec<f64>) -> Matrix {
        assert_eq!(elements.len(), rows * columns, "as many elements as the matrix has places");
        Matrix { rows, columns, elements }
    }

    /// From a formula for row i and column j.
    pub fn from_fn(rows: usize, columns: usize, f: impl Fn(usize, usize) -> f64) -> Matrix {
        let elements = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))).map(|(i, j)| f(i, j)).collect();
        Matrix { rows, columns, elements }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The elements by rows.
    pub fn elements(&self) -> &[f64] {
        &self.elements
    }

    /// The elements by rows, to be written.
    pub fn elements_mut(&mut self) -> &mut [f64] {
        &mut self.elements
    }

    /// One row.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.elements[i * self.columns..(i + 1) * self.columns]
    }

    /// One row, to be written.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.elements[i * self.columns..(i + 1) * self.columns]
    }

    /// One column.
    pub fn column(&self, j: usize) -> Vec<f64> {
        (0..self.rows).map(|i| self.at(i, j)).collect()
    }

    /// The element in row i and column j.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.elements[i * self.columns + j]
    }

    /// The element in row i and column j, to be written.
    pub fn at_mut(&mut self, i: usize, j: usize) -> &mut f64 {
        &mut self.elements[i * self.columns + j]
    }

    /// Whether all elements are finite.
    pub fn is_finite(&self) -> bool {
        self.elements.iter().all(|a| a.is_finite())
    }

    /// Rows as columns.
    pub fn transposed(&self) -> Matrix {
        Matrix::from_fn(self.columns, self.rows, |i, j| self.at(j, i))
    }

    /// Some rows and columns.
    pub fn block(&self, rows: Range<usize>, columns: Range<usize>) -> Matrix {
        let elements = rows.clone().flat_map(|i| self.row(i)[columns.clone()].iter().copied()).collect();
        Matrix { rows: rows.len(), columns: columns.len(), elements }
    }

    /// Writes a block with its first element at row i and column j.
    pub fn put(&mut self, i: usize, j: usize, block: &Matrix) {
        for k in 0..block.rows {
            self.row_mut(i + k)[j..j + block.columns].copy_from_slice(block.row(k));
        }
    }

    /// The other matrix to the right of this one.
    pub fn beside(&self, other: &Matrix) -> Matrix {
        assert_eq!(self.rows, other.rows, "as many rows as the matrix to the left");
        let mut both = Matrix::zero(self.rows, self.columns + other.columns);
        both.put(0, 0, self);
        both.put(0, self.columns, other);
        both
    }

    /// The other matrix below this one.
    pub fn above(&self, other: &Matrix) -> Matrix {
        assert_eq!(self.columns, other.columns, "as many columns as the matrix above");
        let elements = [&self.elements[..], &other.elements].concat();
        Matrix { rows: self.rows + other.rows, columns: self.columns, elements }
    }

    /// Every element times a number.
    pub fn scaled(&self, factor: f64) -> Matrix {
        self.map(|a| a * factor)
    }

    fn map(&self, f: impl Fn(f64) -> f64) -> Matrix {
        Matrix { rows: self.rows, columns: self.columns, elements: self.elements.iter().map(|&a| f(a)).collect() }
    }

    fn zip(&self, other: &Matrix, f: impl Fn(f64, f64) -> f64) -> Matrix {
        assert_eq!((self.rows, self.columns), (other.rows, other.columns), "matrices of one size");
        let elements = self.elements.iter().zip(&other.elements).map(|(&a, &b)| f(a, b)).collect();
        Matrix { rows: self.rows, columns: self.columns, elements }
    }

    /// (A + Aᵀ)/2: takes away what rounding did to a symmetric matrix.
    pub fn symmetrised(&self) -> Matrix {
        assert_eq!(self.rows, self.columns, "a square matrix");
        Matrix::from_fn(self.rows, self.rows, |i, j| 0.5 * (self.at(i, j) + self.at(j, i)))
    }

    /// The sum of the diagonal.
    pub fn trace(&self) -> f64 {
        (0..self.rows.min(self.columns)).map(|i| self.at(i, i)).sum()
    }

    /// √Σ aᵢⱼ², without overflow.
    pub fn frobenius(&self) -> f64 {
        let most = self.largest();
        if most == 0.0 || !most.is_finite() {
            return most;
        }
        most * self.elements.iter().map(|a| (a / most).powi(2)).sum::<f64>().sqrt()
    }

    /// The largest |aᵢⱼ|.
    pub fn largest(&self) -> f64 {
        // not `max`, which loses what is no number
        self.elements.iter().fold(0.0, |most: f64, a| if most.is_nan() || a.abs() <= most { most } else { a.abs() })
    }

    /// The largest sum of absolute values of a column.
    pub fn norm_one(&self) -> f64 {
        let mut sums = vec![0.0; self.columns];
        for i in 0..self.rows {
            sums.iter_mut().zip(self.row(i)).for_each(|(sum, a)| *sum += a.abs());
        }
        sums.into_iter().fold(0.0, f64::max)
    }

    /// A x
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        assert_eq!(x.len(), self.columns, "as many elements as the matrix has columns");
        (0..self.rows).map(|i| dot(self.row(i), x)).collect()
    }
}

/// Σ aᵢ bᵢ, in four sums that do not wait for each other.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a4.zip(b4) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// y += f x
pub(crate) fn add_multiple(y: &mut [f64], f: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += f * x);
}

impl Mul for &Matrix {
    type Output = Matrix;

    /// Two rows of the result at once, and four rows of the right factor: all of them lie in memory one after another.
    fn mul(self, right: &Matrix) -> Matrix {
        assert_eq!(self.columns, right.rows, "as many columns as the right factor has rows");
        let mut product = Matrix::zero(self.rows, right.columns);
        if right.columns == 0 || self.columns == 0 {
            return product;
        }
        let pairs = product.elements.chunks_mut(2 * right.columns).zip(self.elements.chunks(2 * self.columns));
        for (sums, factors) in pairs {
            match (sums.split_at_mut_checked(right.columns), factors.split_at_checked(self.columns)) {
                (Some((upper, lower)), Some((first, second))) if !lower.is_empty() => {
                    add_rows(upper, lower, first, second, right);
                }
                _ => add_row(sums, factors, right),
            }
        }
        product
    }
}

/// Both sums += both factors times the rows of a matrix.
fn add_rows(upper: &mut [f64], lower: &mut [f64], first: &[f64], second: &[f64], right: &Matrix) {
    let whole = first.len() / 4 * 4;
    for k in (0..whole).step_by(4) {
        let ([a, b, c, d], [p, q, r, s]) = ([0, 1, 2, 3].map(|i| first[k + i]), [0, 1, 2, 3].map(|i| second[k + i]));
        let rows = right.row(k).iter().zip(right.row(k + 1)).zip(right.row(k + 2)).zip(right.row(k + 3));
        for ((u, l), (((e, f), g), h)) in upper.iter_mut().zip(lower.iter_mut()).zip(rows) {
            *u += (a * e + b * f) + (c * g + d * h);
            *l += (p * e + q * f) + (r * g + s * h);
        }
    }
    for k in whole..first.len() {
        add_multiple(upper, first[k], right.row(k));
        add_multiple(lower, second[k], right.row(k));
    }
}

/// The same for the last row of an odd number, in the same order of additions.
fn add_row(sums: &mut [f64], factors: &[f64], right: &Matrix) {
    let whole = factors.len() / 4 * 4;
    for k in (0..whole).step_by(4) {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| factors[k + i]);
        let rows = right.row(k).iter().zip(right.row(k + 1)).zip(right.row(k + 2)).zip(right.row(k + 3));
        for (sum, (((e, f), g), h)) in sums.iter_mut().zip(rows) {
            *sum += (a * e + b * f) + (c * g + d * h);
        }
    }
    for (k, &factor) in factors.iter().enumerate().skip(whole) {
        add_multiple(sums, factor, right.row(k));
    }
}

impl Add for &Matrix {
    type Output = Matrix;

    fn add(self, other: &Matrix) -> Matrix {
        self.zip(other, |a, b| a + b)
    }
}

impl Sub for &Matrix {
    type Output = Matrix;

    fn sub(self, other: &Matrix) -> Matrix {
        self.zip(other, |a, b| a - b)
    }
}

impl Neg for &Matrix {
    type Output = Matrix;

    fn neg(self) -> Matrix {
        self.map(|a| -a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_sums_and_blocks_are_those_of_hand_calculation() {
        let a = Matrix::from_fn(2, 5, |i, j| (i * 5 + j) as f64);
        let b = Matrix::from_fn(5, 3, |i, j| i as f64 - j as f64);
        let expected = Matrix::from_elements(2, 3, vec![30.0, 20.0, 10.0, 80.0, 45.0, 10.0]);
        assert_eq!(&a * &b, expected);
        assert_eq!((&b.transposed() * &a.transposed()).transposed(), expected);
        assert_eq!(&(&a + &a) - &a, a);
        assert_eq!(a.block(0..2, 1..3).elements(), [1.0, 2.0, 6.0, 7.0]);
        assert_eq!(a.block(0..2, 0..2).beside(&a.block(0..2, 2..5)), a);
        assert_eq!(a.block(0..1, 0..5).above(&a.block(1..2, 0..5)), a);
        assert_eq!(a.times(&[1.0; 5]), [10.0, 35.0]);
        assert_eq!(a.norm_one(), 13.0);
    }

    #[test]
    fn norms_neither_overflow_nor_lose_what_is_no_number() {
        let norm = Matrix::from_elements(1, 2, vec![3e200, 4e200]).frobenius();
        assert!((norm / 5e200 - 1.0).abs() < 1e-15, "{norm}");
        assert!(Matrix::from_elements(1, 2, vec![f64::NAN, 1.0]).largest().is_nan());
        assert!(!Matrix::from_elements(1, 1, vec![f64::INFINITY]).is_finite());
    }
}
