//! Steps of small linear systems: a dense matrix, hidden states included, in registers or in the fastest memory.

use super::form::LinearForm;
use super::large::Vectors;
use ordinate_numbers::Instructions;
use ordinate_numbers::vector::{PORTABLE_FUSED, multiply_add};

/// States of a small system, hidden ones included.
pub(crate) const MAX_SMALL: usize = 32;

/// A small linear system.
#[derive(Clone, Debug)]
pub(crate) struct Small {
    pub instructions: Instructions,
    /// States, hidden ones not counted.
    n: usize,
    /// All states.
    all: usize,
    /// `all`, rounded up to a length that has a loop of its own.
    padded: usize,
    /// By columns of padded length.
    matrix: Vec<f64>,
    pub constant: Vec<f64>,
    /// f of all states, and u of the step.
    f: Vec<f64>,
    u: Vec<f64>,
}

/// The lengths that have loops of their own.
const LENGTHS: [usize; 8] = [1, 2, 3, 4, 8, 16, 24, 32];

impl Small {
    pub fn new(form: &LinearForm, instructions: Instructions) -> Small {
        let all = form.matrix.len();
        let padded = LENGTHS.into_iter().find(|&length| length >= all).expect("small systems have few states");
        let mut matrix = vec![0.0; all * padded];
        for i in 0..all {
            form.matrix.row(i).for_each(|(j, a)| matrix[j * padded + i] = a);
        }
        Small {
            instructions,
            n: form.states(),
            all,
            padded,
            matrix,
            constant: form.constant.clone(),
            f: vec![0.0; padded],
            u: vec![0.0; padded],
        }
    }

    /// The matrix by columns and the length of those.
    pub fn matrix(&self) -> (&[f64], usize) {
        (&self.matrix, self.padded)
    }

    /// f = A y + b + C g, and f of the hidden states.
    pub fn derivative(&mut self, y: &[f64], hidden: &[f64], f: &mut [f64], hidden_f: &mut [f64]) {
        self.u[..self.n].copy_from_slice(y);
        self.u[self.n..self.all].copy_from_slice(hidden);
        self.f.fill(0.0);
        self.f[..self.n].copy_from_slice(&self.constant);
        self.levels(&[1.0]);
        f.copy_from_slice(&self.u[..self.n]);
        hidden_f.copy_from_slice(&self.u[self.n..self.all]);
    }

    /// next = factor · (matrix · current).
    pub fn next_term(
        &mut self,
        current: &[f64],
        hidden: &[f64],
        next: &mut [f64],
        hidden_next: &mut [f64],
        factor: f64,
    ) {
        self.u[..self.n].copy_from_slice(current);
        self.u[self.n..self.all].copy_from_slice(hidden);
        self.f.fill(0.0);
        self.levels(&[factor]);
        next.copy_from_slice(&self.u[..self.n]);
        hidden_next.copy_from_slice(&self.u[self.n..self.all]);
    }

    /// One step with the factors h/m, h/(m−1), …, h/2. The sums are made of h f, which is about as large as the state:
    /// products of f and the matrix could leave the range of numbers.
    pub fn step(&mut self, vectors: Vectors, hidden_f: &[f64], h: f64, factors: &[f64]) {
        self.f[..self.n].iter_mut().zip(vectors.f).for_each(|(to, f)| *to = h * f);
        self.f[self.n..self.all].iter_mut().zip(hidden_f).for_each(|(to, f)| *to = h * f);
        self.f[self.all..].fill(0.0);
        self.u.copy_from_slice(&self.f);
        self.levels(factors);
        for i in 0..self.n {
            let change = self.u[i] + vectors.lost[i];
            let end = vectors.y[i] + change;
            vectors.lost_next[i] = change - (end - vectors.y[i]);
            vectors.end[i] = end;
        }
    }

    /// u ← f + factor · A u, once for each factor.
    fn levels(&mut self, factors: &[f64]) {
        match self.padded {
            1 => self.levels_of::<1>(factors),
            2 => self.levels_of::<2>(factors),
            3 => self.levels_of::<3>(factors),
            4 => self.levels_of::<4>(factors),
            8 => self.levels_of::<8>(factors),
            16 => self.levels_of::<16>(factors),
            24 => self.levels_of::<24>(factors),
            32 => self.levels_of::<32>(factors),
            other => unreachable!("{other} is not one of the lengths"),
        }
    }

    fn levels_of<const P: usize>(&mut self, factors: &[f64]) {
        let (columns, rest) = self.matrix.as_chunks::<P>();
        assert!(rest.is_empty(), "columns are padded");
        let f: &[f64; P] = self.f.first_chunk().expect("vectors are padded");
        let u: &mut [f64; P] = self.u.first_chunk_mut().expect("vectors are padded");
        match self.instructions {
            // SAFETY: these instructions are chosen only where they were detected.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 if P >= 8 => unsafe { levels_avx512(columns, f, u, factors) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 | Instructions::Avx2 => unsafe { levels_avx2(columns, f, u, factors) },
            Instructions::Portable => levels_body::<P, PORTABLE_FUSED>(columns, f, u, factors),
        }
    }
}

#[inline(always)]
fn levels_body<const P: usize, const FUSED: bool>(
    columns: &[[f64; P]],
    f: &[f64; P],
    u: &mut [f64; P],
    factors: &[f64],
) {
    let mut current = *u;
    for &factor in factors {
        let mut sum = [0.0; P];
        for (column, &x) in columns.iter().zip(&current) {
            for l in 0..P {
                sum[l] = multiply_add::<FUSED>(column[l], x, sum[l]);
            }
        }
        for l in 0..P {
            current[l] = multiply_add::<FUSED>(factor, sum[l], f[l]);
        }
    }
    *u = current;
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
unsafe fn levels_avx512<const P: usize>(columns: &[[f64; P]], f: &[f64; P], u: &mut [f64; P], factors: &[f64]) {
    levels_body::<P, true>(columns, f, u, factors);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn levels_avx2<const P: usize>(columns: &[[f64; P]], f: &[f64; P], u: &mut [f64; P], factors: &[f64]) {
    levels_body::<P, true>(columns, f, u, factors);
}
