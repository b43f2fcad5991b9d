//! Coefficients of the backward differentiation formulas, for any number of steps, and whether they are stable.

/// The formula of k steps,
///
/// ```text
///   Σⱼ ∇ʲyₙ₊₁ / j = h f(tₙ₊₁, yₙ₊₁)      j = 1 … k
///   Σᵢ αᵢ yₙ₊₁₋ᵢ  = h f(tₙ₊₁, yₙ₊₁)      αᵢ = (−1)ⁱ Σⱼ C(j, i) / j,   i = 0 … k,  j = max(i, 1) … k
/// ```
///
/// C. F. Curtiss, J. O. Hirschfelder, Proc. Natl. Acad. Sci. 38 (1952) 235–243; Hairer, Nørsett, Wanner I, III.1, eq.
/// (1.22). Returns α₀ … αₖ.
pub fn bdf_coefficients(steps: usize) -> Vec<f64> {
    let mut alpha = vec![0.0; steps + 1];
    // One row of Pascal's triangle after the other; the signs alternate.
    let mut binomials = vec![1.0];
    for j in 1..=steps {
        binomials.push(0.0);
        for i in (1..=j).rev() {
            binomials[i] -= binomials[i - 1];
        }
        alpha.iter_mut().zip(&binomials).for_each(|(alpha, binomial)| *alpha += binomial / j as f64);
    }
    alpha
}

/// The largest modulus of the roots of ρ(ζ) = Σ αᵢ ζᵏ⁻ⁱ other than the root 1 that every consistent formula has. Above
/// one, errors grow by this factor in every step however short the step is: the formula is of no use (root condition;
/// C. W. Cryer, BIT 12 (1972) 17–25, shows that this is so from seven steps on).
///
/// ```text
///   ρ(ζ) = (ζ − 1) σ(ζ),     σᵢ = α₀ + … + αᵢ
/// ```
pub fn bdf_parasitic_root(steps: usize) -> f64 {
    let mut sum = 0.0;
    let sums = bdf_coefficients(steps).into_iter().map(|alpha| {
        sum += alpha;
        sum
    });
    // The last sum is ρ(1) = 0.
    let quotient: Vec<f64> = sums.take(steps).collect();
    let inside = |radius: f64| {
        let mut power = 1.0;
        let scaled = quotient.iter().rev().map(|sigma| {
            power *= radius;
            sigma * power
        });
        let mut scaled: Vec<f64> = scaled.collect();
        scaled.reverse();
        roots_inside_unit_circle(scaled)
    };
    let (mut low, mut high) = (0.0, 4.0);
    while high - low > 4.0 * f64::EPSILON * high {
        let middle = 0.5 * (low + high);
        if inside(middle) { high = middle } else { low = middle }
    }
    0.5 * (low + high)
}

/// Whether all roots of p₀ζᵐ + … + pₘ lie inside of the unit circle: they do if |pₘ| < |p₀| and those of the polynomial
/// (p₀ p(ζ) − pₘ p*(ζ)) / ζ, with p* the reversed one, do. I. Schur, J. reine angew. Math. 147 (1917) 205–232.
fn roots_inside_unit_circle(mut p: Vec<f64>) -> bool {
    while p.len() > 1 {
        let (first, last) = (p[0], p[p.len() - 1]);
        if first.abs() <= last.abs() {
            return false;
        }
        let reversed: Vec<f64> = p.iter().rev().copied().collect();
        p.iter_mut().zip(&reversed).for_each(|(p, q)| *p -= last / first * q);
        p.pop();
    }
    true
}

/// The highest order of the variable-order method. The sixth formula is stable, but only for |arg(−hλ)| < 18°.
pub(super) const HIGHEST: usize = 5;

/// γⱼ = Σ 1/i, i = 1 … j, for j = 0 … k: the formula of k steps in differences, see [`Differences::predict`].
///
/// [`Differences::predict`]: super::differences::Differences::predict
pub(super) fn harmonic(steps: usize) -> Vec<f64> {
    let mut sum = 0.0;
    let terms = (1..=steps).map(|j| {
        sum += 1.0 / j as f64;
        sum
    });
    std::iter::once(0.0).chain(terms).collect()
}

/// The first ones of [`harmonic`].
pub(super) const GAMMA: [f64; HIGHEST + 2] = [0.0, 1.0, 3.0 / 2.0, 11.0 / 6.0, 25.0 / 12.0, 137.0 / 60.0, 49.0 / 20.0];

/// κₖ of the numerical differentiation formulas,
///
/// ```text
///   Σⱼ ∇ʲyₙ₊₁ / j − κₖ γₖ (yₙ₊₁ − y⁰ₙ₊₁) = h f(tₙ₊₁, yₙ₊₁)      y⁰ₙ₊₁ = Σⱼ ∇ʲyₙ,  j = 0 … k
/// ```
///
/// which trade a few degrees of stability for a smaller error: L. F. Shampine, M. W. Reichelt, SIAM J. Sci. Comput. 18
/// (1997) 1–22, table 1.
pub(crate) const KAPPA: [f64; HIGHEST + 1] = [0.0, -0.1850, -1.0 / 9.0, -0.0823, -0.0415, 0.0];

/// (1 − κₖ) γₖ: the unknown yₙ₊₁ has this coefficient.
pub(super) fn leading(order: usize) -> f64 {
    (1.0 - KAPPA[order]) * GAMMA[order]
}

/// The error of a step is this times ∇ᵏ⁺¹yₙ₊₁.
///
/// ```text
///   κₖ γₖ + 1/(k + 1)
/// ```
pub(super) fn error_constant(order: usize) -> f64 {
    let kappa = KAPPA.get(order).copied().unwrap_or(0.0);
    kappa * GAMMA[order] + 1.0 / (order + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_of_k_steps_differentiates_polynomials_of_degree_k() {
        for steps in 1..=9 {
            let alpha = bdf_coefficients(steps);
            for degree in 0..=steps as i32 {
                // y = (t − tₙ₊₁)^degree, so that y′(tₙ₊₁) is one for degree 1 and zero otherwise
                let sum: f64 = alpha.iter().enumerate().map(|(i, alpha)| alpha * (-(i as f64)).powi(degree)).sum();
                let size: f64 = alpha.iter().enumerate().map(|(i, a)| a.abs() * (i as f64).powi(degree)).sum();
                let expected = if degree == 1 { 1.0 } else { 0.0 };
                assert!((sum - expected).abs() < 1e-14 * size, "{steps} steps, degree {degree}: {sum}");
            }
            assert!((alpha[0] - (1..=steps).map(|j| 1.0 / j as f64).sum::<f64>()).abs() < 1e-14);
        }
    }

    #[test]
    fn roots_are_told_apart_by_the_unit_circle() {
        // (ζ − 0.9)(ζ + 0.8) and (ζ − 1.1)(ζ + 0.8), (ζ² + 1.01)
        assert!(roots_inside_unit_circle(vec![1.0, -0.1, -0.72]));
        assert!(!roots_inside_unit_circle(vec![1.0, -0.3, -0.88]));
        assert!(!roots_inside_unit_circle(vec![1.0, 0.0, 1.01]));
    }

    /// The second formula has 3/2 ζ² − 2ζ + 1/2 with the roots 1 and 1/3.
    #[test]
    fn six_steps_are_stable_and_seven_are_not() {
        assert!((bdf_parasitic_root(2) - 1.0 / 3.0).abs() < 1e-14);
        for steps in 1..=6 {
            assert!(bdf_parasitic_root(steps) < 0.9, "{steps}: {}", bdf_parasitic_root(steps));
        }
        for steps in 7..=9 {
            assert!(bdf_parasitic_root(steps) > 1.02, "{steps}: {}", bdf_parasitic_root(steps));
        }
    }
}
