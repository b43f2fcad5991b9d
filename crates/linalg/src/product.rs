//! The product of blocks that takes most of the time of a large dense factorisation,
//!
//! ```text
//!   C ← C + A B        A: m × k tall, B: k × n wide, k ≤ BLOCK
//! ```
//!
//! A is packed in groups of rows and B in groups of columns, so that a group of C stays in registers for all k. Every
//! element is one chain of fused multiplications in the order of k: its bits do not depend on the groups.

use ordinate_numbers::vector::{LANES, Lanes, Vector};

/// Columns that are eliminated together.
pub(crate) const BLOCK: usize = 32;

/// Columns of a group. With one or two vectors of rows, eight registers hold a group of C.
const COLUMNS: usize = 4;

/// Copies of A and B in the order of their use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packed {
    a: Vec<Lanes>,
    b: Vec<[f64; COLUMNS]>,
}

impl Packed {
    /// Room for blocks of matrices of `n` rows.
    pub fn new(n: usize) -> Packed {
        Packed {
            a: Vec::with_capacity((n.div_ceil(LANES) + 1) * BLOCK),
            b: Vec::with_capacity(n.div_ceil(COLUMNS) * BLOCK),
        }
    }

    /// Takes the tall A in groups of R vectors: `rows` rows, column `k` given by its elements.
    #[inline(always)]
    pub fn pack_a<'a, const R: usize>(&mut self, depth: usize, rows: usize, column: impl Fn(usize) -> &'a [f64]) {
        self.a.clear();
        self.a.resize(rows.div_ceil(R * LANES) * R * depth, [0.0; LANES]);
        for k in 0..depth {
            for (vector, part) in column(k)[..rows].chunks(LANES).enumerate() {
                let place = (vector / R * depth + k) * R + vector % R;
                self.a[place][..part.len()].copy_from_slice(part);
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
            for (place, x) in self.b[start..start + depth].iter_mut().zip(column(j)) {
                place[j % COLUMNS] = sign * x;
            }
        }
    }

    /// C += A B for what is packed. C begins at `c[0]`; its columns are `stride` apart.
    #[inline(always)]
    pub fn add_product<V: Vector, const R: usize>(
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
            for (i, a) in self.a.chunks_exact(depth * R).enumerate() {
                let (from, to) = (i * R * LANES, rows.min((i + 1) * R * LANES));
                let mut sums = [[[0.0; LANES]; R]; COLUMNS];
                let whole = here == COLUMNS && to - from == R * LANES;
                for (j, sum) in sums.iter_mut().enumerate().take(here) {
                    let part = &c[(first + j) * stride + from..(first + j) * stride + to];
                    match part.as_chunks::<LANES>().0.first_chunk::<R>() {
                        Some(part) if whole => *sum = *part,
                        _ => sum.as_flattened_mut()[..to - from].copy_from_slice(part),
                    }
                }
                chain::<V, R>(&mut sums, a, b);
                for (j, sum) in sums.iter().enumerate().take(here) {
                    let part = &mut c[(first + j) * stride + from..(first + j) * stride + to];
                    match part.as_chunks_mut::<LANES>().0.first_chunk_mut::<R>() {
                        Some(part) if whole => *part = *sum,
                        _ => part.copy_from_slice(&sum.as_flattened()[..to - from]),
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn chain<V: Vector, const R: usize>(sums: &mut [[Lanes; R]; COLUMNS], a: &[Lanes], b: &[[f64; COLUMNS]]) {
    // No closures: they would be compiled for any processor.
    let mut registers = [[V::splat(0.0); R]; COLUMNS];
    for j in 0..COLUMNS {
        for r in 0..R {
            registers[j][r] = V::load(&sums[j][r]);
        }
    }
    for (a, b) in a.as_chunks::<R>().0.iter().zip(b) {
        for j in 0..COLUMNS {
            let factor = V::splat(b[j]);
            for r in 0..R {
                registers[j][r] = V::load(&a[r]).multiply_add(factor, registers[j][r]);
            }
        }
    }
    for (sum, registers) in sums.iter_mut().zip(registers) {
        for (lanes, register) in sum.iter_mut().zip(registers) {
            register.store(lanes);
        }
    }
}
