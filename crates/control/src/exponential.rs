//! The exponential of a matrix: Padé approximant of degree 13 with scaling and squaring (N. J. Higham, SIAM J. Matrix
//! Anal. Appl. 26 (2005) 1179–1193). The propagators of the crate `solve` are Taylor series for steps of the size of the
//! fastest mode; a period of sampling may be a million times that.

use crate::Matrix;
use crate::eigen::balance_above;
use crate::linear::Factors;

/// The coefficients of the approximant's numerator, from the constant up.
const PADE: [f64; 14] = [
    64_764_752_532_480_000.0,
    32_382_376_266_240_000.0,
    7_771_770_303_897_600.0,
    1_187_353_796_428_800.0,
    129_060_195_264_000.0,
    10_559_470_521_600.0,
    670_442_572_800.0,
    33_522_128_640.0,
    1_323_241_920.0,
    40_840_800.0,
    960_960.0,
    16_380.0,
    182.0,
    1.0,
];
/// Up to this norm the approximant is exact to rounding.
const LARGEST: f64 = 5.371_920_351_148_152;

/// e^A; `None` if it is not finite.
pub fn exponential(a: &Matrix) -> Option<Matrix> {
    if !a.is_finite() {
        return None;
    }
    let n = a.rows();
    let mut scaled = a.clone();
    let diagonal = (0..n).map(|i| a.at(i, i).abs()).fold(0.0, f64::max);
    let units = balance_above(&mut scaled, 0.1 * diagonal.max(1.0));
    // without the mean of its diagonal a matrix is smaller, and the scalar exponential is exact
    let mean = if n == 0 { 0.0 } else { scaled.trace() / n as f64 };
    let shifted = &scaled - &Matrix::identity(n).scaled(mean);
    let shift = if shifted.norm_one() < scaled.norm_one() { mean } else { 0.0 };
    let scaled = if shift == 0.0 { scaled } else { shifted };
    let halvings = (scaled.norm_one() / LARGEST).log2().ceil().clamp(0.0, 1000.0) as i32;
    let mut e = pade(&scaled.scaled(2f64.powi(-halvings)))?;
    // The factor of the shift is taken in at the end of the squaring only if neither alone overflows or vanishes.
    let part = (shift * 2f64.powi(-halvings)).exp();
    e = e.scaled(part);
    for _ in 0..halvings {
        e = &e * &e;
    }
    let e = Matrix::from_fn(n, n, |i, j| e.at(i, j) * (units[i] / units[j]));
    e.is_finite().then_some(e)
}

/// (V − U)⁻¹(V + U) = I + 2(V − U)⁻¹U, U the odd and V the even part.
fn pade(a: &Matrix) -> Option<Matrix> {
    let identity = Matrix::identity(a.rows());
    let a2 = a * a;
    let a4 = &a2 * &a2;
    let a6 = &a4 * &a2;
    let sum = |k: usize| {
        let low = &(&a6.scaled(PADE[k + 6]) + &a4.scaled(PADE[k + 4])) + &a2.scaled(PADE[k + 2]);
        &low + &identity.scaled(PADE[k])
    };
    let high = |k: usize| &(&a6.scaled(PADE[k + 12]) + &a4.scaled(PADE[k + 10])) + &a2.scaled(PADE[k + 8]);
    let u = a * &(&(&a6 * &high(1)) + &sum(1));
    let v = &(&a6 * &high(0)) + &sum(0);
    Some(&identity + &Factors::new(&(&v - &u))?.solve(&u.scaled(2.0)))
}

/// e^{Ah} and ∫₀ʰ e^{As}ds B, from one exponential that needs no inverse of A:
///
/// ```text
///       ⎛ A B ⎞     ⎛ F G ⎞
///   exp ⎝ 0 0 ⎠ h = ⎝ 0 I ⎠
/// ```
///
/// C. F. Van Loan, IEEE Trans. Autom. Control 23 (1978) 395–404.
pub(crate) fn hold(a: &Matrix, b: &Matrix, h: f64) -> Option<(Matrix, Matrix)> {
    let (n, m) = (a.rows(), b.columns());
    // A large B would ask for squarings that A does not need; its size is only a factor of G.
    let (size_a, size_b) = (a.norm_one() * h, b.norm_one() * h);
    let wanted = size_a.max(1e-3);
    let factor = if size_b > wanted { 2f64.powi((wanted / size_b).log2().floor() as i32) } else { 1.0 };
    let mut whole = Matrix::zero(n + m, n + m);
    whole.put(0, 0, &a.scaled(h));
    whole.put(0, n, &b.scaled(h * factor));
    let e = exponential(&whole)?;
    Some((e.block(0..n, 0..n), e.block(0..n, n..n + m).scaled(1.0 / factor)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: usize, elements: &[f64]) -> Matrix {
        Matrix::from_elements(rows, elements.len() / rows, elements.to_vec())
    }

    /// Rotation, nilpotent chain, and a matrix of unequal units, against closed forms.
    #[test]
    fn closed_forms_to_rounding() {
        for angle in [1e-8, 0.3, 2.0, 50.0] {
            let e = exponential(&matrix(2, &[0.0, angle, -angle, 0.0])).expect("finite");
            let error = (e.at(0, 0) - angle.cos()).abs().max((e.at(0, 1) - angle.sin()).abs());
            assert!(error < 4e-16 * angle.max(1.0) * 4.0, "{angle}: {error:e}");
        }
        let chain = exponential(&matrix(3, &[0.0, 2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0])).expect("finite");
        let error = (&chain - &matrix(3, &[1.0, 2.0, 3.0, 0.0, 1.0, 3.0, 0.0, 0.0, 1.0])).largest();
        assert!(error < 1e-15, "{chain:?}");
        let units = exponential(&matrix(2, &[-1.0, 1e12, 0.0, -2.0])).expect("finite");
        let exact = 1e12 * ((-1.0f64).exp() - (-2.0f64).exp());
        assert!((units.at(0, 1) / exact - 1.0).abs() < 1e-15, "{}", units.at(0, 1) / exact - 1.0);
    }

    #[test]
    fn decay_over_a_long_time_keeps_its_digits() {
        let e = exponential(&matrix(2, &[-300.0, 1.0, 0.0, -200.0])).expect("finite");
        assert!((e.at(0, 0) / (-300.0f64).exp() - 1.0).abs() < 1e-12);
        assert!((e.at(0, 1) / ((-200.0f64).exp() / 100.0) - 1.0).abs() < 1e-12);
    }

    /// Two integrators: h²/2 and h, though A has no inverse.
    #[test]
    fn a_held_input_of_integrators() {
        let (f, g) = hold(&matrix(2, &[0.0, 1.0, 0.0, 0.0]), &matrix(2, &[0.0, 1e9]), 0.5).expect("finite");
        assert!((&f - &matrix(2, &[1.0, 0.5, 0.0, 1.0])).largest() < 1e-15, "{f:?}");
        assert!((g.at(0, 0) / 1.25e8 - 1.0).abs() < 1e-15 && (g.at(1, 0) / 5e8 - 1.0).abs() < 1e-15);
    }
}
