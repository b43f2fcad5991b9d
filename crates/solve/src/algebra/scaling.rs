//! Rows are scaled to a largest element between 1 and 2 before pivots are compared, so that the unit of an equation does
//! not choose its pivots; what is left of a column is compared with its own rounding.

/// A pivot at least so large, in a row of size one, is one without looking closer.
pub(crate) const SUSPICIOUS: f64 = 1e-12;

/// A rest below so many times the sum of the terms that made it is nothing but their rounding.
pub(crate) const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// The power of two that brings a row to size one; `largest` has the bits of its largest element. A row of zeros, or one
/// that is not finite, gets some finite factor.
#[inline(always)]
pub(crate) fn row_scale(largest: u64) -> f64 {
    // Exponents e and 2046 − e have the product 1; exponent 0 would be no power of two.
    let exponent = (largest >> 52).min(2045);
    f64::from_bits((2046 - exponent) << 52)
}
