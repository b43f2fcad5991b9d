//! Systems for tests: given elements, and numbers that look random.

use ordinate_control::Matrix;

/// A matrix by rows.
pub fn matrix(rows: usize, elements: &[f64]) -> Matrix {
    Matrix::from_elements(rows, elements.len() / rows, elements.to_vec())
}

/// Numbers that look random: G. Marsaglia, J. Stat. Softw. 8 (2003) 14.
pub struct Random(u64);

impl Random {
    /// A sequence of its own for every seed.
    pub fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..10).for_each(|_| {
            random.next();
        });
        random
    }

    /// Between −1 and 1.
    pub fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Elements between −1 and 1.
    pub fn matrix(&mut self, rows: usize, columns: usize) -> Matrix {
        Matrix::from_elements(rows, columns, (0..rows * columns).map(|_| self.next()).collect())
    }
}
