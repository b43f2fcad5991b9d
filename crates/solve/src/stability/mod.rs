//! Linear stability: what a method makes of y′ = λy with a fixed step, z = hλ.
//!
//! Its solutions are powers of the roots ζ of a polynomial whose coefficients are polynomials of z,
//!
//! ```text
//!   π(ζ, z) = Σ cⱼₘ ζʲ zᵐ = 0
//!   one step:    Q(z) ζ − P(z),  R = P/Q          many steps:  ρ(ζ) − z σ(ζ)
//! ```
//!
//! and they stay bounded where no root is outside of the unit circle and those on it are simple. The coefficients are whole
//! numbers here, so that the ends of intervals, A- and L-stability are decided exactly ([`facts`]); pictures need only the
//! floating-point values of the roots ([`Characteristic::roots`]). E. Hairer, G. Wanner, Solving Ordinary Differential
//! Equations II, IV.2, IV.3, V.1.

mod facts;
mod fraction;
mod growth;
mod polynomial;
mod roots;
mod schur;
mod tables;
#[cfg(test)]
mod tests;

pub use facts::{Interval, StabilityFacts, facts};
pub(crate) use tables::bashforth;

use crate::method::registry::{Family, ImplicitRule};
use crate::{Choice, RadauOrder};
use ordinate_exact::Integer;

/// The polynomial π(ζ, z) of a method.
#[derive(Clone, Debug)]
pub struct Characteristic {
    /// Of ζʲ zᵐ in row j and column m.
    whole: Vec<Vec<Integer>>,
    /// The same divided by that of the highest power of ζ at z = 0.
    numbers: Vec<Vec<f64>>,
    /// Where ζ = R(z) with a polynomial R, the coefficients of R(z) − e^z; otherwise none.
    defects: Vec<f64>,
}

/// Why a method has no characteristic polynomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoCharacteristic {
    /// It chooses its order for each step; one must be given.
    OrderVaries {
        /// The method.
        method: &'static str,
    },
    /// It chooses its number of stages; one of its members is meant.
    StagesVary,
    /// It chooses the method.
    Automatic,
}

impl Characteristic {
    fn new(whole: Vec<Vec<Integer>>) -> Characteristic {
        let first = whole.last().and_then(|row| row.first()).cloned().unwrap_or_default();
        let numbers = whole.iter().map(|row| row.iter().map(|c| c.ratio(&first, 0)).collect()).collect();
        let defects = defects(&whole);
        Characteristic { whole, numbers, defects }
    }

    /// How many roots there are: 1 for a one-step method.
    pub fn degree(&self) -> usize {
        self.whole.len() - 1
    }
}

/// rₖ − 1/k! where q ζ = −Σ pₖ zᵏ with a constant q, rₖ = −pₖ/q: exact, so that those up to the order are zero.
fn defects(whole: &[Vec<Integer>]) -> Vec<f64> {
    /// Terms behind those of the polynomial; e^z needs no more for |z| where the difference is small.
    const BEHIND: usize = 60;
    let [p, q] = whole else { return Vec::new() };
    if q.iter().skip(1).any(|c| !c.is_zero()) {
        return Vec::new();
    }
    let mut factorial = Integer::from(1);
    let terms = (0..p.len() + BEHIND).map(|k| {
        factorial = factorial.times(&Integer::from(k.max(1) as i128));
        let term = p.get(k).cloned().unwrap_or_default().times(&factorial).plus(&q[0]);
        term.negated().ratio(&q[0].times(&factorial), 0)
    });
    terms.collect()
}

impl Choice {
    /// The characteristic polynomial of the method; its order must be fixed.
    pub fn characteristic(&self) -> Result<Characteristic, NoCharacteristic> {
        let varies = NoCharacteristic::OrderVaries { method: self.name() };
        match self.family {
            // All two-stage methods of order 2 have the same.
            Family::Explicit { tableau, .. } => Ok(tables::explicit(tableau)),
            Family::Taylor { options, .. } => options.order.map(tables::taylor).ok_or(varies),
            Family::Adams { form, .. } => Ok(tables::adams(form)),
            Family::VariableAdams { order, .. } => {
                order.map(|order| tables::pece(order as usize, order as usize)).ok_or(varies)
            }
            Family::Ge3 => Ok(tables::ge3()),
            Family::Implicit { rule, .. } => match rule {
                ImplicitRule::OneStage(rule) => Ok(tables::one_stage(rule)),
                ImplicitRule::FixedBdf(steps) => Ok(tables::bdf(steps)),
                ImplicitRule::Bdf(options) => options.order.map(|order| tables::ndf(order as usize)).ok_or(varies),
                ImplicitRule::Radau(order) => match order {
                    RadauOrder::Three => Ok(tables::radau(2)),
                    RadauOrder::Five => Ok(tables::radau(3)),
                    RadauOrder::Nine => Ok(tables::radau(5)),
                    RadauOrder::Thirteen => Ok(tables::radau(7)),
                    RadauOrder::Variable => Err(NoCharacteristic::StagesVary),
                },
            },
            Family::Automatic { .. } => Err(NoCharacteristic::Automatic),
        }
    }
}
