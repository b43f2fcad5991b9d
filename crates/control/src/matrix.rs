//! A dense real matrix.

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

    /// One row.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.elements[i * self.columns..(i + 1) * self.columns]
    }

    /// The element in row i and column j.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.elements[i * self.columns + j]
    }

    /// The element in row i and column j, to be written.
    pub fn at_mut(&mut self, i: usize, j: usize) -> &mut f64 {
        &mut self.elements[i * self.columns + j]
    }
}
