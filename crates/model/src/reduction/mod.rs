//! Linear equations with derivatives of their input as systems of first order, and what is made of them.
//!
//! ```text
//!   a₀ y + a₁ y′ + … + aₙ y⁽ⁿ⁾ = b₀ z + b₁ z′ + … + bₘ z⁽ᵐ⁾        y/z = Σ bⱼ sʲ / Σ aᵢ sⁱ
//! ```
//! [`mdor`], [`mdorav`] and [`msi`] realise it; the language takes `msi`, which needs no derivative of z. A tool that
//! lets its user choose calls another one: all give the same [`Realisation`].

mod methods;
mod pade;
mod rational;
mod realisation;

pub use methods::{Improper, mdor, mdorav, mdorav_start, msi, msi_start, time_scale};
pub use pade::{pade, pade_fraction};
pub use rational::{NotRational, Rational, rational};
pub use realisation::Realisation;

#[cfg(test)]
mod tests;
