//! Eigenvalues of a small dense real matrix: balancing, Hessenberg form, QR steps with a double shift.

/// Machine precision relative to which an element below the diagonal counts as zero.
const EPS: f64 = f64::EPSILON;
/// QR steps that one eigenvalue may take; a handful is usual.
const MOST_STEPS: usize = 60;

/// A square matrix by rows.
#[derive(Clone, Debug)]
pub struct Matrix {
    n: usize,
    elements: Vec<f64>,
}

impl Matrix {
    /// The zero matrix of size n.
    pub fn zero(n: usize) -> Matrix {
        Matrix { n, elements: vec![0.0; n * n] }
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.elements[i * self.n + j]
    }

    /// The element in row i and column j, to be written.
    pub fn at_mut(&mut self, i: usize, j: usize) -> &mut f64 {
        &mut self.elements[i * self.n + j]
    }

    /// All eigenvalues as (real, imaginary); `None` for elements that are not finite or an iteration without end.
    pub fn eigenvalues(mut self) -> Option<Vec<(f64, f64)>> {
        if !self.elements.iter().all(|a| a.is_finite()) {
            return None;
        }
        self.balance();
        self.reduce();
        self.iterate()
    }

    /// Scales rows and columns by powers of two until both have about the same norm: Parlett and Reinsch, Numer.
    /// Math. 13 (1969) 293–304. Rates of very different size would otherwise cost the small ones their digits.
    fn balance(&mut self) {
        let n = self.n;
        let mut again = true;
        while again {
            again = false;
            for i in 0..n {
                let others = || (0..n).filter(|&j| j != i);
                let column: f64 = others().map(|j| self.at(j, i).abs()).sum();
                let row: f64 = others().map(|j| self.at(i, j).abs()).sum();
                if column == 0.0 || row == 0.0 {
                    continue;
                }
                let f = 2f64.powi(((row / column).log2() / 2.0).round().clamp(-500.0, 500.0) as i32);
                if column * f + row / f < 0.95 * (column + row) {
                    again = true;
                    (0..n).for_each(|j| *self.at_mut(i, j) /= f);
                    (0..n).for_each(|j| *self.at_mut(j, i) *= f);
                }
            }
        }
    }

    /// A ← P A P with P = I − 2 v vᵀ/vᵀv acting on rows and columns first, first + 1, …; only the given columns of
    /// the product from the left and rows of that from the right are needed.
    fn reflect(&mut self, v: &[f64], first: usize, columns: std::ops::Range<usize>, rows: std::ops::Range<usize>) {
        let square: f64 = v.iter().map(|v| v * v).sum();
        if square == 0.0 {
            return;
        }
        // along the rows, as the elements lie in memory
        let mut sums = vec![0.0; columns.len()];
        let part = |i: usize| i * self.n + columns.start..i * self.n + columns.end;
        for (k, v) in v.iter().enumerate() {
            let row = &self.elements[part(first + k)];
            sums.iter_mut().zip(row).for_each(|(sum, a)| *sum += v * a);
        }
        for (k, v) in v.iter().enumerate() {
            let (row, f) = (&mut self.elements[part(first + k)], 2.0 / square * v);
            row.iter_mut().zip(&sums).for_each(|(a, sum)| *a -= f * sum);
        }
        for i in rows {
            let row = &mut self.elements[i * self.n + first..][..v.len()];
            let f = 2.0 / square * v.iter().zip(&*row).map(|(v, a)| v * a).sum::<f64>();
            row.iter_mut().zip(v).for_each(|(a, v)| *a -= f * v);
        }
    }

    /// Upper Hessenberg form by reflections: Golub and Van Loan, Matrix Computations, alg. 7.4.2.
    fn reduce(&mut self) {
        let n = self.n;
        for k in 0..n.saturating_sub(2) {
            let below: Vec<f64> = (k + 1..n).map(|i| self.at(i, k)).collect();
            self.reflect(&mirror(&below), k + 1, k..n, 0..n);
            (k + 2..n).for_each(|i| *self.at_mut(i, k) = 0.0);
        }
    }

    /// Francis steps with deflation: Golub and Van Loan, alg. 7.5.1 and 7.5.2.
    fn iterate(&mut self) -> Option<Vec<(f64, f64)>> {
        let mut found = Vec::with_capacity(self.n);
        let norm = self.elements.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        let mut end = self.n;
        let mut steps = 0;
        while end > 0 {
            let last = end - 1;
            // the block low … last has no zero below its diagonal
            let mut low = last;
            while low > 0 {
                let beside = self.at(low, low).abs() + self.at(low - 1, low - 1).abs();
                let size = if beside > 0.0 { beside } else { norm };
                if self.at(low, low - 1).abs() <= EPS * size {
                    break;
                }
                low -= 1;
            }
            if low == last {
                found.push((self.at(last, last), 0.0));
                (end, steps) = (end - 1, 0);
            } else if low + 1 == last {
                found.extend(self.pair(low));
                (end, steps) = (end - 2, 0);
            } else {
                steps += 1;
                if steps > MOST_STEPS {
                    return None;
                }
                self.francis(low, last, steps % 10 == 0);
            }
        }
        Some(found)
    }

    /// Both eigenvalues of the 2 × 2 block at k.
    fn pair(&self, k: usize) -> [(f64, f64); 2] {
        let (a, b, c, d) = (self.at(k, k), self.at(k, k + 1), self.at(k + 1, k), self.at(k + 1, k + 1));
        let half = (a - d) / 2.0;
        let under = half * half + b * c;
        if under < 0.0 {
            return [(d + half, (-under).sqrt()), (d + half, -(-under).sqrt())];
        }
        // no difference of equal numbers: z has the sign of its first part
        let z = half + under.sqrt().copysign(half);
        let other = if z == 0.0 { d } else { d - b * c / z };
        [(d + z, 0.0), (other, 0.0)]
    }

    /// One implicit double shift on the block low … last, from the eigenvalues of its last 2 × 2 block; now and then
    /// from another pair, for there are matrices on which the usual one runs in circles.
    fn francis(&mut self, low: usize, last: usize, exceptional: bool) {
        let (p, q) = (last, last - 1);
        let (sum, product) = if exceptional {
            let size = self.at(p, q).abs() + self.at(q, q - 1).abs();
            (1.5 * size, size * size)
        } else {
            let (a, b, c, d) = (self.at(q, q), self.at(q, p), self.at(p, q), self.at(p, p));
            (a + d, a * d - b * c)
        };
        let (a, b, c, d) = (self.at(low, low), self.at(low, low + 1), self.at(low + 1, low), self.at(low + 1, low + 1));
        let mut bulge = vec![a * a + b * c - sum * a + product, c * (a + d - sum), c * self.at(low + 2, low + 1)];
        for k in low..last {
            let size = bulge.len();
            let left = k.saturating_sub(1).max(low);
            self.reflect(&mirror(&bulge), k, left..last + 1, low..(k + 4).min(last + 1));
            if k > low {
                (1..size).for_each(|i| *self.at_mut(k + i, k - 1) = 0.0);
            }
            bulge = (k + 1..=last).take(3).map(|i| self.at(i, k)).collect();
        }
    }
}

/// The vector whose reflection sends x to a multiple of the first unit vector.
fn mirror(x: &[f64]) -> Vec<f64> {
    let scale = x.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    if scale == 0.0 {
        return vec![0.0; x.len()];
    }
    let mut v: Vec<f64> = x.iter().map(|x| x / scale).collect();
    let norm = v.iter().map(|v| v * v).sum::<f64>().sqrt();
    v[0] += norm.copysign(v[0]);
    v
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: &[&[f64]]) -> Matrix {
        Matrix { n: rows.len(), elements: rows.concat() }
    }

    /// Eigenvalues in ascending order of real, then imaginary part.
    fn sorted(matrix: Matrix) -> Vec<(f64, f64)> {
        let mut values = matrix.eigenvalues().expect("the iteration ends");
        values.sort_by(|a, b| (a.0 + 1e-6 * a.1).total_cmp(&(b.0 + 1e-6 * b.1)));
        values
    }

    fn assert_close(found: &[(f64, f64)], expected: &[(f64, f64)], tolerance: f64) {
        assert_eq!(found.len(), expected.len());
        for (f, e) in found.iter().zip(expected) {
            assert!((f.0 - e.0).hypot(f.1 - e.1) <= tolerance, "{found:?} instead of {expected:?}");
        }
    }

    #[test]
    fn small_matrices_have_the_eigenvalues_of_their_polynomials() {
        assert_close(&sorted(matrix(&[&[0.0, 1.0], &[-4.0, 0.0]])), &[(0.0, -2.0), (0.0, 2.0)], 1e-15);
        assert_close(&sorted(matrix(&[&[3.0]])), &[(3.0, 0.0)], 0.0);
        assert_close(&sorted(Matrix::zero(4)), &[(0.0, 0.0); 4], 0.0);
        assert_eq!(Matrix::zero(0).eigenvalues(), Some(Vec::new()));
        // (λ + 1)(λ² + 2λ + 5)
        let companion = matrix(&[&[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0], &[-5.0, -7.0, -3.0]]);
        assert_close(&sorted(companion), &[(-1.0, -2.0), (-1.0, 0.0), (-1.0, 2.0)], 1e-12);
    }

    /// u'' on a grid with fixed ends: −4 sin²(kπ/(2(n + 1))).
    #[test]
    fn a_chain_has_its_known_spectrum() {
        let n = 40;
        let mut chain = Matrix::zero(n);
        for i in 0..n {
            *chain.at_mut(i, i) = -2.0;
            if i + 1 < n {
                *chain.at_mut(i, i + 1) = 1.0;
                *chain.at_mut(i + 1, i) = 1.0;
            }
        }
        let angle = |k: usize| k as f64 * std::f64::consts::PI / (2.0 * (n + 1) as f64);
        let expected: Vec<(f64, f64)> = (1..=n).rev().map(|k| (-4.0 * angle(k).sin().powi(2), 0.0)).collect();
        assert_close(&sorted(chain), &expected, 1e-13);
    }

    /// On a cyclic shift the usual shifts change nothing at all.
    #[test]
    fn a_cyclic_shift_has_the_roots_of_unity() {
        let n = 6;
        let mut shift = Matrix::zero(n);
        (0..n).for_each(|i| *shift.at_mut((i + 1) % n, i) = 1.0);
        let values = shift.eigenvalues().expect("the iteration ends");
        for (re, im) in values {
            let turns = im.atan2(re) / (std::f64::consts::TAU / n as f64);
            assert!((re.hypot(im) - 1.0).abs() < 1e-13 && (turns - turns.round()).abs() < 1e-12, "{re} {im}");
        }
    }

    /// D A D⁻¹ has the eigenvalues of A, but without balancing the unequal units of D drown them.
    #[test]
    fn states_in_very_different_units_change_nothing() {
        let scaled = matrix(&[&[-2.0, 1e-10, 0.0], &[1e10, -2.0, 1e20], &[0.0, 1e-20, -2.0]]);
        let root = 2f64.sqrt();
        assert_close(&sorted(scaled), &[(-2.0 - root, 0.0), (-2.0, 0.0), (-2.0 + root, 0.0)], 1e-14);
        let stiff = matrix(&[&[-1e6, 1e8, 0.0], &[0.0, -1e-3, 1e-9], &[0.0, 0.0, -20.0]]);
        assert_close(&sorted(stiff), &[(-1e6, 0.0), (-20.0, 0.0), (-1e-3, 0.0)], 1e-9);
    }

    #[test]
    fn a_matrix_that_is_not_finite_has_no_answer() {
        assert_eq!(matrix(&[&[f64::NAN, 1.0], &[1.0, 0.0]]).eigenvalues(), None);
    }

    /// Trace and determinant of a full matrix with no structure.
    #[test]
    fn the_eigenvalues_of_a_full_matrix_add_up_to_its_trace() {
        let n = 60;
        let mut full = Matrix::zero(n);
        let mut seed = 1_u64;
        for element in &mut full.elements {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *element = (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
        }
        let trace: f64 = (0..n).map(|i| full.at(i, i)).sum();
        let squares: f64 =
            (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| full.at(i, j) * full.at(j, i)).sum();
        let values = full.eigenvalues().expect("the iteration ends");
        assert_eq!(values.len(), n);
        assert!((values.iter().map(|v| v.0).sum::<f64>() - trace).abs() < 1e-11);
        assert!((values.iter().map(|v| v.0 * v.0 - v.1 * v.1).sum::<f64>() - squares).abs() < 1e-10);
    }
}
