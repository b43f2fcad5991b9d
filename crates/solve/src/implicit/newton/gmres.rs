//! Linear equations solved only as well as needed: GMRES, Y. Saad, M. H. Schultz, SIAM J. Sci. Stat. Comput. 7 (1986)
//! 856–869, without restarts, preconditioned from the right.

/// Memory of the iteration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gmres {
    /// Orthonormal vectors of the Krylov space, one after the other.
    basis: Vec<f64>,
    /// Columns of the triangular factor.
    triangle: Vec<f64>,
    rotations: Vec<(f64, f64)>,
    right: Vec<f64>,
}

/// The largest dimension of the Krylov space.
const LARGEST: usize = 30;

impl Gmres {
    /// Finds x with ‖A x − b‖ ≤ `forcing` ‖b‖ as far as the largest Krylov space allows; returns the number of products.
    ///
    /// `b` becomes x in terms of the preconditioned unknown u, A P⁻¹ u = b: the caller applies P⁻¹ to it. `product` writes
    /// A P⁻¹ v into its second argument.
    pub fn solve(&mut self, b: &mut [f64], forcing: f64, product: &mut dyn FnMut(&[f64], &mut [f64])) -> usize {
        let n = b.len();
        let beta = norm(b);
        if beta == 0.0 || !beta.is_finite() {
            return 0;
        }
        let most = LARGEST.min(n);
        self.basis.resize((most + 1) * n, 0.0);
        self.triangle.resize(most * (most + 1), 0.0);
        self.rotations.clear();
        self.right.clear();
        self.right.push(beta);
        self.basis[..n].iter_mut().zip(b.iter()).for_each(|(v, b)| *v = b / beta);
        let mut dimension = 0;
        while dimension < most && self.right[dimension].abs() > forcing * beta {
            let k = dimension;
            let (known, next) = self.basis.split_at_mut((k + 1) * n);
            let next = &mut next[..n];
            product(&known[k * n..], next);
            let column = &mut self.triangle[k * (most + 1)..(k + 1) * (most + 1)];
            for (v, element) in known.chunks_exact(n).zip(column.iter_mut()) {
                *element = dot(v, next);
                next.iter_mut().zip(v).for_each(|(next, v)| *next -= *element * v);
            }
            let length = norm(next);
            for (i, (c, s)) in self.rotations.iter().enumerate() {
                (column[i], column[i + 1]) = (c * column[i] + s * column[i + 1], c * column[i + 1] - s * column[i]);
            }
            let diagonal = column[k].hypot(length);
            if diagonal == 0.0 || !diagonal.is_finite() {
                break;
            }
            let (c, s) = (column[k] / diagonal, length / diagonal);
            column[k] = diagonal;
            self.rotations.push((c, s));
            let rest = self.right[k];
            self.right[k] = c * rest;
            self.right.push(-s * rest);
            dimension += 1;
            if length > 0.0 {
                next.iter_mut().for_each(|v| *v /= length);
            }
        }
        b.fill(0.0);
        for k in (0..dimension).rev() {
            let later: f64 = (k + 1..dimension).map(|j| self.triangle[j * (most + 1) + k] * self.right[j]).sum();
            self.right[k] = (self.right[k] - later) / self.triangle[k * (most + 1) + k];
        }
        for (weight, v) in self.right[..dimension].iter().zip(self.basis.chunks_exact(n)) {
            b.iter_mut().zip(v).for_each(|(b, v)| *b += weight * v);
        }
        dimension
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_system_is_solved_as_well_as_asked_for() {
        let a = [[4.0, 1.0, -1.0, 0.5], [0.0, 3.0, 2.0, -1.0], [1.0, -2.0, 5.0, 0.0], [2.0, 0.0, 1.0, -6.0]];
        let right = [1.0, -2.0, 3.0, 0.5];
        for forcing in [0.5, 1e-2, 1e-14] {
            let mut x = right;
            let products = Gmres::default().solve(&mut x, forcing, &mut |v, product| {
                product.iter_mut().zip(&a).for_each(|(product, row)| *product = dot(row, v));
            });
            let residual: Vec<f64> = a.iter().zip(&right).map(|(row, b)| dot(row, &x) - b).collect();
            let reached = norm(&residual) / norm(&right);
            assert!(reached <= forcing.max(1e-15), "{reached:e} instead of {forcing:e}");
            assert!(products <= 4 && (forcing < 1e-3 || reached > 1e-6), "{products} products for {forcing:e}");
        }
    }
}
