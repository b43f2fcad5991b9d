//! Eigenvalues and the real Schur form of a dense real matrix: balancing, Hessenberg form, QR steps with a double shift.

mod balance;
mod francis;
mod hessenberg;

use crate::reachability::parts;
use crate::{Complex, Matrix};

pub(crate) use balance::{balance, balance_above, factor as balance_factor};
pub(crate) use hessenberg::{hessenberg, mirror, reflect_left, reflect_right};

/// All eigenvalues; `None` for elements that are not finite or an iteration without end. They are those of the parts
/// between which there is no loop, each taken alone: a slow part keeps its digits beside a fast one, and a pure integrator
/// its zero.
pub fn eigenvalues(a: &Matrix) -> Option<Vec<Complex>> {
    assert_eq!(a.rows(), a.columns(), "a square matrix");
    if !a.is_finite() {
        return None;
    }
    let mut values = Vec::with_capacity(a.rows());
    for part in parts(a) {
        let block = Matrix::from_fn(part.len(), part.len(), |i, j| a.at(part[i], part[j]));
        values.extend(of_part(block)?);
    }
    Some(values)
}

fn of_part(mut t: Matrix) -> Option<Vec<Complex>> {
    balance(&mut t);
    hessenberg(&mut t, None);
    francis::iterate(&mut t, None)
}

/// A = Q T Qᵀ with an orthogonal Q and a T that is triangular but for 2 × 2 blocks with conjugate pairs on its diagonal.
#[derive(Clone, Debug)]
pub(crate) struct Schur {
    pub t: Matrix,
    pub q: Matrix,
    pub values: Vec<Complex>,
}

impl Schur {
    /// The real Schur form; `None` as for [`eigenvalues`]. The matrix is not balanced, for that is not orthogonal.
    pub fn new(a: &Matrix) -> Option<Schur> {
        assert_eq!(a.rows(), a.columns(), "a square matrix");
        if !a.is_finite() {
            return None;
        }
        let (mut t, mut q) = (a.clone(), Matrix::identity(a.rows()));
        hessenberg(&mut t, Some(&mut q));
        let values = francis::iterate(&mut t, Some(&mut q))?;
        Some(Schur { t, q, values })
    }
}

/// The rightmost first (outermost first if `discrete`), of a pair the one with positive imaginary part.
pub(crate) fn sort_poles(poles: &mut [Complex], discrete: bool) {
    let key = |p: &Complex| if discrete { p.re.hypot(p.im) } else { p.re };
    poles.sort_by(|a, b| key(b).total_cmp(&key(a)).then(b.im.abs().total_cmp(&a.im.abs())).then(b.im.total_cmp(&a.im)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: &[&[f64]]) -> Matrix {
        Matrix::from_elements(rows.len(), rows.len(), rows.concat())
    }

    /// Eigenvalues in ascending order of real, then imaginary part.
    fn sorted(matrix: &Matrix) -> Vec<(f64, f64)> {
        let values = eigenvalues(matrix).expect("the iteration ends");
        let mut values: Vec<(f64, f64)> = values.iter().map(|v| (v.re, v.im)).collect();
        values.sort_by(|a, b| (a.0 + 1e-6 * a.1).total_cmp(&(b.0 + 1e-6 * b.1)));
        values
    }

    fn assert_close(found: &[(f64, f64)], expected: &[(f64, f64)], tolerance: f64) {
        assert_eq!(found.len(), expected.len());
        for (f, e) in found.iter().zip(expected) {
            assert!((f.0 - e.0).hypot(f.1 - e.1) <= tolerance, "{found:?} instead of {expected:?}");
        }
    }

    /// A full matrix with no structure.
    fn full(n: usize) -> Matrix {
        let mut seed = 1_u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        Matrix::from_elements(n, n, (0..n * n).map(|_| next()).collect())
    }

    /// Lags one behind the other, the slowest in the middle, and an integrator of the last: the eigenvalues are the numbers
    /// on the diagonal, to the last bit.
    #[test]
    fn a_chain_of_parts_keeps_the_digits_of_each() {
        let chain =
            matrix(&[&[-1e6, 0.0, 0.0, 0.0], &[1.0, -1e-12, 0.0, 0.0], &[0.0, 1.0, -1e3, 0.0], &[0.0, 0.0, 1.0, 0.0]]);
        assert_eq!(sorted(&chain).iter().map(|v| v.0).collect::<Vec<_>>(), [-1e6, -1e3, -1e-12, 0.0]);
    }

    #[test]
    fn small_matrices_have_the_eigenvalues_of_their_polynomials() {
        assert_close(&sorted(&matrix(&[&[0.0, 1.0], &[-4.0, 0.0]])), &[(0.0, -2.0), (0.0, 2.0)], 1e-15);
        assert_close(&sorted(&matrix(&[&[3.0]])), &[(3.0, 0.0)], 0.0);
        assert_close(&sorted(&Matrix::zero(4, 4)), &[(0.0, 0.0); 4], 0.0);
        assert_eq!(eigenvalues(&Matrix::zero(0, 0)), Some(Vec::new()));
        // (λ + 1)(λ² + 2λ + 5)
        let companion = matrix(&[&[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0], &[-5.0, -7.0, -3.0]]);
        assert_close(&sorted(&companion), &[(-1.0, -2.0), (-1.0, 0.0), (-1.0, 2.0)], 1e-12);
    }

    /// u'' on a grid with fixed ends: −4 sin²(kπ/(2(n + 1))).
    #[test]
    fn a_chain_has_its_known_spectrum() {
        let n = 40;
        let chain = Matrix::from_fn(n, n, |i, j| match i.abs_diff(j) {
            0 => -2.0,
            1 => 1.0,
            _ => 0.0,
        });
        let angle = |k: usize| k as f64 * std::f64::consts::PI / (2.0 * (n + 1) as f64);
        let expected: Vec<(f64, f64)> = (1..=n).rev().map(|k| (-4.0 * angle(k).sin().powi(2), 0.0)).collect();
        assert_close(&sorted(&chain), &expected, 1e-13);
    }

    /// On a cyclic shift the usual shifts change nothing at all.
    #[test]
    fn a_cyclic_shift_has_the_roots_of_unity() {
        let n = 6;
        let mut shift = Matrix::zero(n, n);
        (0..n).for_each(|i| *shift.at_mut((i + 1) % n, i) = 1.0);
        let values = eigenvalues(&shift).expect("the iteration ends");
        for Complex { re, im } in values {
            let turns = im.atan2(re) / (std::f64::consts::TAU / n as f64);
            assert!((re.hypot(im) - 1.0).abs() < 1e-13 && (turns - turns.round()).abs() < 1e-12, "{re} {im}");
        }
    }

    /// D A D⁻¹ has the eigenvalues of A, but without balancing the unequal units of D drown them.
    #[test]
    fn states_in_very_different_units_change_nothing() {
        let scaled = matrix(&[&[-2.0, 1e-10, 0.0], &[1e10, -2.0, 1e20], &[0.0, 1e-20, -2.0]]);
        let root = 2f64.sqrt();
        assert_close(&sorted(&scaled), &[(-2.0 - root, 0.0), (-2.0, 0.0), (-2.0 + root, 0.0)], 1e-14);
        let stiff = matrix(&[&[-1e6, 1e8, 0.0], &[0.0, -1e-3, 1e-9], &[0.0, 0.0, -20.0]]);
        assert_close(&sorted(&stiff), &[(-1e6, 0.0), (-20.0, 0.0), (-1e-3, 0.0)], 1e-9);
    }

    /// The Brusselator with diffusion (A = 1, B = 3, α = 0.02) at rest: B − 1 and −A² on the diagonal, A² and −B beside, and the
    /// eigenvalues −μ of diffusion beside both. Of each μ there is a pair with real part 1/2 − μ, and all parts are coupled.
    #[test]
    fn two_chains_of_diffusion_have_their_known_spectrum() {
        for n in [10, 80, 200] {
            let between = 0.02 * ((n + 1) * (n + 1)) as f64;
            let chains = Matrix::from_fn(2 * n, 2 * n, |i, j| {
                let diffusion = match (i % n).abs_diff(j % n) {
                    0 => -2.0 * between,
                    1 => between,
                    _ => 0.0,
                };
                match (i / n, j / n) {
                    (0, 0) => diffusion + if i == j { 2.0 } else { 0.0 },
                    (1, 1) => diffusion - if i == j { 1.0 } else { 0.0 },
                    (0, 1) => f64::from(i + n == j),
                    _ => -3.0 * f64::from(i == j + n),
                }
            });
            let mut found: Vec<(f64, f64)> =
                eigenvalues(&chains).expect("the iteration ends").iter().map(|v| (v.re, v.im)).collect();
            found.sort_by(|a, b| b.0.total_cmp(&a.0));
            for k in 1..=n {
                let mu = 4.0 * between * (k as f64 * std::f64::consts::PI / (2 * n + 2) as f64).sin().powi(2);
                let pair = &mut found[2 * k - 2..2 * k];
                pair.sort_by(|a, b| b.1.total_cmp(&a.1));
                let im = 0.75_f64.sqrt();
                assert_close(pair, &[(0.5 - mu, im), (0.5 - mu, -im)], 1e-13 * between);
            }
        }
    }

    /// The same away from rest, at u = 1 + sin 2πx, v = 3 and with the states of a point beside each other: the sum of the eigenvalues
    /// is the trace, and that of their squares the trace of the square.
    #[test]
    fn two_chains_with_varying_coefficients_have_a_spectrum() {
        let n = 200;
        let between = 0.02 * ((n + 1) * (n + 1)) as f64;
        let chains = Matrix::from_fn(2 * n, 2 * n, |i, j| {
            let u = 1.0 + (std::f64::consts::TAU * (i / 2 + 1) as f64 / (n + 1) as f64).sin();
            let v = 3.0;
            match ((i / 2).abs_diff(j / 2), i % 2, j % 2) {
                (0, 0, 0) => 2.0 * u * v - 4.0 - 2.0 * between,
                (0, 0, 1) => u * u,
                (0, 1, 0) => 3.0 - 2.0 * u * v,
                (0, 1, 1) => -u * u - 2.0 * between,
                (1, 0, 0) | (1, 1, 1) => between,
                _ => 0.0,
            }
        });
        let values = eigenvalues(&chains).expect("the iteration ends");
        let (sum, squares) = values.iter().fold((0.0, 0.0), |(a, b), v| (a + v.re, b + v.re * v.re - v.im * v.im));
        assert!((sum / chains.trace() - 1.0).abs() < 1e-12);
        assert!((squares / (&chains * &chains).trace() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_matrix_that_is_not_finite_has_no_answer() {
        assert_eq!(eigenvalues(&matrix(&[&[f64::NAN, 1.0], &[1.0, 0.0]])), None);
    }

    /// Trace and trace of the square.
    #[test]
    fn the_eigenvalues_of_a_full_matrix_add_up_to_its_trace() {
        let full = full(60);
        let values = eigenvalues(&full).expect("the iteration ends");
        assert_eq!(values.len(), 60);
        assert!((values.iter().map(|v| v.re).sum::<f64>() - full.trace()).abs() < 1e-11);
        let squares = (&full * &full).trace();
        assert!((values.iter().map(|v| v.re * v.re - v.im * v.im).sum::<f64>() - squares).abs() < 1e-10);
    }

    /// Q T Qᵀ = A, QᵀQ = I, and below the diagonal only blocks with conjugate pairs; the eigenvalues are those found without Q.
    #[test]
    fn the_schur_form_is_an_orthogonal_similarity() {
        for n in [1, 2, 3, 7, 40] {
            let a = full(n);
            let Schur { t, q, values } = Schur::new(&a).expect("the iteration ends");
            let back = &(&q * &t) * &q.transposed();
            assert!((&back - &a).frobenius() < 1e-14 * n as f64 * a.frobenius(), "{n}");
            assert!((&(&q.transposed() * &q) - &Matrix::identity(n)).frobenius() < 1e-14 * n as f64);
            for i in 0..n {
                (0..i.saturating_sub(1)).for_each(|j| assert_eq!(t.at(i, j), 0.0));
                if i > 0 && t.at(i, i - 1) != 0.0 {
                    let half = (t.at(i, i) - t.at(i - 1, i - 1)) / 2.0;
                    assert!(half * half + t.at(i, i - 1) * t.at(i - 1, i) < 0.0, "a pair");
                    assert!(i < 2 || t.at(i - 1, i - 2) == 0.0, "blocks stand apart");
                }
            }
            let (mut one, mut other) = (values, eigenvalues(&a).expect("the iteration ends"));
            sort_poles(&mut one, false);
            sort_poles(&mut other, false);
            let pairs = |v: &[Complex]| v.iter().map(|v| (v.re, v.im)).collect::<Vec<_>>();
            assert_close(&pairs(&one), &pairs(&other), 1e-11);
        }
    }
}
