//! The product of blocks that takes most of the time of a large dense factorisation,
//!
//! ```text
//!   C ← C − A B        A: m × k tall, B: k × n wide, k ≤ BLOCK
//! ```
//!
//! A is packed in groups of rows and B in groups of columns, so that a group of C stays in registers for all k. Every
//! element is one chain of fused multiplications in the order of k: its bits do not depend on the groups.

use crate::linear::multiply_add;

/// Columns that are eliminated together.
pub(crate) const BLOCK: usize = 32;

/// Rows of a group: four registers of AVX2, two of AVX-512.
const ROWS: usize = 16;

/// Columns of a group.
const COLUMNS: usize = 3;

/// Copies of A and B in the order of their use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packed {
    a: Vec<[f64; ROWS]>,
    b: Vec<[f64; COLUMNS]>,
}

impl Packed {
    /// Room for blocks of matrices of `n` rows.
    pub fn new(n: usize) -> Packed {
        Packed { a: Vec::with_capacity(n.div_ceil(ROWS) * BLOCK), b: Vec::with_capacity(n.div_ceil(COLUMNS) * BLOCK) }
    }

    /// Takes the tall A: `rows` rows, column `k` given by its elements.
    #[inline(always)]
    pub fn pack_a<'a>(&mut self, depth: usize, rows: usize, column: impl Fn(usize) -> &'a [f64]) {
        self.a.clear();
        self.a.resize(rows.div_ceil(ROWS) * depth, [0.0; ROWS]);
        for k in 0..depth {
            for (group, part) in column(k)[..rows].chunks(ROWS).enumerate() {
                self.a[group * depth + k][..part.len()].copy_from_slice(part);
            }
        }
    }

    /// Takes `sign`·B: `columns` columns, column `j` given by its elements.
    #[inline(always)]
    pub fn pack_b<'a>(&mut self, depth: usize, columns: usize, sign: f64, column: impl Fn(usize) -> &'a [f64]) {
        self.b.clear();
        self.b.resize(columns.div_ceil(COLUMNS) * depth, [0.0; COLUMNS]);
        for j in 0..columns {
            let start = j / COLUMNS * depth;
            for (k, x) in column(j)[..depth].iter().enumerate() {
                self.b[start + k][j % COLUMNS] = sign * x;
            }
        }
    }

    /// C += A B for what is packed. C begins at `c[0]`; its columns are `stride` apart.
    #[inline(always)]
    pub fn add_product<const FUSED: bool>(
        &self,
        depth: usize,
        c: &mut [f64],
        stride: usize,
        rows: usize,
        columns: usize,
    ) {
        for (group, b) in self.b.chunks_exact(depth).enumerate() {
            let first = group * COLUMNS;
            let here = COLUMNS.min(columns - first);
            for (i, a) in self.a.chunks_exact(depth).enumerate() {
                let (from, to) = (i * ROWS, rows.min((i + 1) * ROWS));
                let mut sums = [[0.0; ROWS]; COLUMNS];
                if here == COLUMNS && to - from == ROWS {
                    for (j, sum) in sums.iter_mut().enumerate() {
                        let start = (first + j) * stride + from;
                        sum.copy_from_slice(&c[start..start + ROWS]);
                    }
                    sums = chain::<FUSED>(sums, a, b);
                    for (j, sum) in sums.iter().enumerate() {
                        let start = (first + j) * stride + from;
                        c[start..start + ROWS].copy_from_slice(sum);
                    }
                } else {
                    for (j, sum) in sums.iter_mut().enumerate().take(here) {
                        let start = (first + j) * stride;
                        sum[..to - from].copy_from_slice(&c[start + from..start + to]);
                    }
                    sums = chain::<FUSED>(sums, a, b);
                    for (j, sum) in sums.iter().enumerate().take(here) {
                        let start = (first + j) * stride;
                        c[start + from..start + to].copy_from_slice(&sum[..to - from]);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn chain<const FUSED: bool>(
    mut sums: [[f64; ROWS]; COLUMNS],
    a: &[[f64; ROWS]],
    b: &[[f64; COLUMNS]],
) -> [[f64; ROWS]; COLUMNS] {
    for (a, b) in a.iter().zip(b) {
        for j in 0..COLUMNS {
            for i in 0..ROWS {
                sums[j][i] = multiply_add::<FUSED>(a[i], b[j], sums[j][i]);
            }
        }
    }
    sums
}
