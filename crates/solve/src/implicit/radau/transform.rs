//! Products of a small matrix with the vectors of all stages, and what a Newton iteration does between two solutions of its
//! linear systems in one go: long vectors come from slow memory each time they are looked at.

use super::coefficients::Coefficients;
use ordinate_linalg::Complex;

/// result = (matrix ⊗ I) vectors, for the first `count` of the `n` components of each vector.
///
/// The number of stages is known to the compiler in the inner loops: a step of a small system consists of little else.
pub(super) fn multiply(matrix: &[f64], stages: usize, n: usize, count: usize, vectors: &[f64], result: &mut [f64]) {
    match stages {
        2 => product::<2>(matrix, n, count, vectors, result),
        3 => product::<3>(matrix, n, count, vectors, result),
        5 => product::<5>(matrix, n, count, vectors, result),
        7 => product::<7>(matrix, n, count, vectors, result),
        _ => unreachable!("there are methods of 2, 3, 5 and 7 stages"),
    }
}

fn product<const S: usize>(matrix: &[f64], n: usize, count: usize, vectors: &[f64], result: &mut [f64]) {
    let rows: [&[f64]; S] = std::array::from_fn(|i| &matrix[i * S..(i + 1) * S]);
    let vectors: [&[f64]; S] = std::array::from_fn(|j| &vectors[j * n..j * n + count]);
    for k in 0..count {
        let x: [f64; S] = std::array::from_fn(|j| vectors[j][k]);
        for i in 0..S {
            let mut sum = 0.0;
            for j in 0..S {
                sum += rows[i][j] * x[j];
            }
            result[i * n + k] = sum;
        }
    }
}

/// What a Newton iteration does to the vectors of all stages.
pub(super) struct Vectors<'a> {
    pub n: usize,
    /// The first so many components are not algebraic.
    pub differential: usize,
    /// Z, stage after stage.
    pub z: &'a mut [f64],
    /// The tolerance of each component.
    pub scale: &'a [f64],
    /// The transformed systems: the real one, if there is one, and the complex ones, one after another.
    pub real: &'a mut [f64],
    pub complex: &'a mut [Complex],
}

impl Vectors<'_> {
    /// The transformed residual, T⁻¹ (f − σ M A⁻¹ Z). Returns the largest part of f − σ M A⁻¹ Z in units of the tolerance; not
    /// finite if any is not.
    pub fn residual(&mut self, method: &Coefficients, sigma: f64, f: &[f64]) -> f64 {
        match method.stages {
            2 => self.residual_of::<2>(method, sigma, f),
            3 => self.residual_of::<3>(method, sigma, f),
            5 => self.residual_of::<5>(method, sigma, f),
            7 => self.residual_of::<7>(method, sigma, f),
            _ => unreachable!("there are methods of 2, 3, 5 and 7 stages"),
        }
    }

    /// Adds ΔZ = T W to Z, and returns its largest part in units of the tolerance; not finite if any is not.
    pub fn change(&mut self, method: &Coefficients) -> f64 {
        match method.stages {
            2 => self.change_of::<2>(method),
            3 => self.change_of::<3>(method),
            5 => self.change_of::<5>(method),
            7 => self.change_of::<7>(method),
            _ => unreachable!("there are methods of 2, 3, 5 and 7 stages"),
        }
    }

    fn residual_of<const S: usize>(&mut self, method: &Coefficients, sigma: f64, f: &[f64]) -> f64 {
        let n = self.n;
        let z: [&[f64]; S] = std::array::from_fn(|j| &self.z[j * n..(j + 1) * n]);
        let f: [&[f64]; S] = std::array::from_fn(|j| &f[j * n..(j + 1) * n]);
        let inverse: [[f64; S]; S] = square(method.inverse);
        let from_stages: [[f64; S]; S] = square(method.from_stages);
        let (mut size, mut sum) = (0.0, 0.0);
        for k in 0..n {
            let mut r: [f64; S] = std::array::from_fn(|i| f[i][k]);
            if k < self.differential {
                let own: [f64; S] = std::array::from_fn(|j| z[j][k]);
                r = std::array::from_fn(|i| r[i] - sigma * product_of(&inverse[i], &own));
            }
            measure(&r, self.scale[k], &mut size, &mut sum);
            let w: [f64; S] = std::array::from_fn(|i| product_of(&from_stages[i], &r));
            if S % 2 == 1 {
                self.real[k] = w[0];
            }
            for pair in 0..S / 2 {
                let first = S % 2 + 2 * pair;
                self.complex[pair * n + k] = Complex::new(w[first], w[first + 1]);
            }
        }
        if f64::is_finite(sum) { size } else { sum }
    }

    fn change_of<const S: usize>(&mut self, method: &Coefficients) -> f64 {
        let n = self.n;
        let to_stages: [[f64; S]; S] = square(method.to_stages);
        let (mut size, mut sum) = (0.0, 0.0);
        for k in 0..n {
            let mut w = [0.0; S];
            if S % 2 == 1 {
                w[0] = self.real[k];
            }
            for pair in 0..S / 2 {
                let Complex { re, im } = self.complex[pair * n + k];
                (w[S % 2 + 2 * pair], w[S % 2 + 2 * pair + 1]) = (re, im);
            }
            let change: [f64; S] = std::array::from_fn(|i| product_of(&to_stages[i], &w));
            for (i, change) in change.iter().enumerate() {
                self.z[i * n + k] += change;
            }
            measure(&change, self.scale[k], &mut size, &mut sum);
        }
        if f64::is_finite(sum) { size } else { sum }
    }
}

/// A matrix of which the compiler knows the size.
fn square<const S: usize>(matrix: &[f64]) -> [[f64; S]; S] {
    std::array::from_fn(|i| std::array::from_fn(|j| matrix[i * S + j]))
}

#[inline(always)]
fn product_of<const S: usize>(row: &[f64; S], x: &[f64; S]) -> f64 {
    let mut sum = 0.0;
    for j in 0..S {
        sum += row[j] * x[j];
    }
    sum
}

/// The largest size in units of the tolerance, and a sum that is finite only if all are.
#[inline(always)]
fn measure<const S: usize>(x: &[f64; S], scale: f64, size: &mut f64, sum: &mut f64) {
    let (mut largest, mut total) = (0.0, 0.0);
    for x in x {
        let x = x.abs();
        total += x;
        largest = if x > largest { x } else { largest };
    }
    *sum += total;
    // Of nothing, no tolerance is nothing.
    if largest > *size * scale {
        *size = largest / scale;
    }
}
