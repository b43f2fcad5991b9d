//! The [n/n] Padé approximation of a delay.
//!
//! ```text
//!   e^(−sT) ≈ Σ cₖ (−sT)ᵏ / Σ cₖ (sT)ᵏ,      cₖ = (2n − k)! / (k! (n − k)!)
//! ```
//! Baker and Graves-Morris, Padé Approximants (1996), section 1.2; thesis section 4.2.

use super::{Realisation, msi, msi_settled};
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

/// wₖ = vₖ/σₖ with σₖ = cₖ₋₁/cₙ₋₁, so that all coefficients lie between 1 and n(n + 1) and y = (−1)ⁿ z + wₙ: as they
/// are, those of n = 15 reach 2·10²⁰.
fn factors(g: &mut Graph, n: u32) -> Vec<ExprId> {
    let (a, _) = pade_fraction(g, n);
    let n = n as usize;
    (0..n).map(|k| g.div(a[k], a[n - 1])).collect()
}

/// The approximation by successive integration, in states of one size. No derivative of the input is needed.
pub fn pade(g: &mut Graph, delay: ExprId, n: u32) -> Realisation {
    let (a, b) = pade_fraction(g, n);
    let factors = factors(g, n);
    let realisation = msi(g, &a, &b).expect("numerator and denominator have one degree");
    realisation.scaled(g, &factors).slowed(g, delay)
}

/// The states of [`pade`] in which an input 1 has held for ever.
pub fn pade_settled(g: &mut Graph, n: u32) -> Vec<ExprId> {
    let (a, b) = pade_fraction(g, n);
    let factors = factors(g, n);
    let settled = msi_settled(g, &a, &b).expect("numerator and denominator have one degree");
    settled.into_iter().zip(factors).map(|(value, factor)| g.div(value, factor)).collect()
}
