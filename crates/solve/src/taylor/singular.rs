//! The singularity that a series sees: where it is, and of which kind.

use crate::Singularity;

/// The singularity on the positive axis next to the point of a series c[k n + i], in units of its scale of time.
///
/// For y ∼ C (T − t)^−α, T being ρ away, the ratios of successive coefficients go like
///
/// ```text
///   cₖ / cₖ₋₁ ≈ (1 + (α − 1)/k) / ρ
/// ```
///
/// so two of them give ρ and α. Y. F. Chang, G. Corliss, J. Inst. Math. Appl. 25 (1980) 349–358. Only a component whose last
/// ratios agree is believed: complex singularities let the coefficients oscillate.
pub(super) fn nearest(c: &[f64], n: usize, order: usize) -> Option<Singularity> {
    if order < 6 {
        return None;
    }
    let mut found: Option<Singularity> = None;
    for component in 0..n {
        let ratio = |k: usize| c[k * n + component] / c[(k - 1) * n + component];
        let inverse = |k: usize| k as f64 * ratio(k) - (k - 1) as f64 * ratio(k - 1);
        let (last, before) = (inverse(order), inverse(order - 1));
        if !(last > 0.0 && last.is_finite() && (last - before).abs() <= 0.02 * last) {
            continue;
        }
        let distance = 1.0 / last;
        let exponent = 1.0 + order as f64 * (ratio(order) * distance - 1.0);
        // The strongest one is what the user sees first.
        if found.is_none_or(|found| exponent > found.exponent + 0.05) {
            found = Some(Singularity { distance, component, exponent });
        }
    }
    found
}
