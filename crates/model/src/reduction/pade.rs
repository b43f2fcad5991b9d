//! The [n/n] Padé approximation of a delay.
//!
//! ```text
//!   e^(−sT) ≈ Σ cₖ (−sT)ᵏ / Σ cₖ (sT)ᵏ,      cₖ = (2n − k)! / (k! (n − k)!)
//! ```
//! Baker and Graves-Morris, Padé Approximants (1996), section 1.2; thesis section 4.2.

use ordinate_expr::{Decimal, ExprId, Graph};

/// c₀ … cₙ, whole numbers: from cₙ = 1 by cₖ₋₁ = cₖ k (2n − k + 1)/(n − k + 1).
fn coefficients(n: u32) -> Vec<i128> {
    let n = i128::from(n);
    let mut c = vec![1; n as usize + 1];
    for k in (1..=n).rev() {
        c[k as usize - 1] = c[k as usize] * k * (2 * n - k + 1) / (n - k + 1);
    }
    c
}

/// The coefficients a and b of the approximation as an equation in the time t/T: Σ aᵢ y⁽ⁱ⁾ = Σ bᵢ z⁽ⁱ⁾. The order is
/// at most 20.
pub fn pade_fraction(g: &mut Graph, n: u32) -> (Vec<ExprId>, Vec<ExprId>) {
    let number = |c: i128| Decimal::new(c, 0).expect("40!/20! has 30 digits");
    let c: Vec<Decimal> = coefficients(n).into_iter().map(number).collect();
    let a = c.iter().map(|&c| g.constant(c)).collect();
    let alternating = c.iter().enumerate().map(|(k, &c)| if k % 2 == 1 { c.negate() } else { c });
    (a, alternating.map(|c| g.constant(c)).collect())
}

/// x′ and y of the approximation with the states x, in a form without large numbers. The coefficients of [`pade_fraction`]
/// reach 2·10²⁰ for n = 15, and scaled to one size they still lose some eight digits; the continued fraction of tanh loses
/// none. With σ = sT/2
///
/// ```text
///   e^(−2σ) = (1 − tanh σ)/(1 + tanh σ),   tanh σ = 1/(1/σ + 1/(3/σ + 1/(5/σ + …)))
/// ```
/// cut off after n terms is the [n/n] approximation. Let p₀ + p₁ = z, p₁ = p₀ tanh σ and pₖ the signals of the nested
/// fractions; then
///
/// ```text
///   pₖ₋₁ = pₖ₊₁ + (2k − 1) xₖ,   xₖ′ = (2/T) pₖ,   pₙ₊₁ = 0,   y = p₀ − p₁        k = 1 … n
/// ```
/// Without input Σ (2k − 1) xₖ² decreases, so no disturbance of the states can grow. For a constant z all of it is in
/// x₁ = z. Derived here; the signals of one parity follow from above, those of the other from z − p₀ or z − p₁.
pub fn pade(g: &mut Graph, delay: ExprId, x: &[ExprId], z: ExprId) -> (Vec<ExprId>, ExprId) {
    let n = x.len();
    let zero = g.integer(0);
    let term = |g: &mut Graph, k: usize| {
        let odd = g.integer(2 * k as i64 - 1);
        g.mul(odd, x[k - 1])
    };
    let mut p = vec![zero; n + 2];
    for k in (1..=n).rev().step_by(2) {
        let own = term(g, k);
        p[k - 1] = g.add(p[k + 1], own);
    }
    // of p₀ and p₁ the loop ended with the one of the parity of n − 1
    let (known, other) = if n % 2 == 1 { (0, 1) } else { (1, 0) };
    p[other] = g.sub(z, p[known]);
    for k in (other + 1..n).step_by(2) {
        let own = term(g, k);
        p[k + 1] = g.sub(p[k - 1], own);
    }
    let two = g.integer(2);
    let rate = g.div(two, delay);
    let rates = (1..=n).map(|k| g.mul(rate, p[k])).collect();
    (rates, g.sub(p[0], p[1]))
}
