//! Rows are scaled to a largest element between 1 and 2 before pivots are compared, so that the unit of an equation does
//! not choose its pivots; what is left of a column is compared with its own rounding.

use crate::scalar::Scalar;

/// A pivot at least so large, in a row of size one, is one without looking closer.
pub(crate) const SUSPICIOUS: f64 = 1e-12;

/// A rest below so many times its estimated error is nothing but rounding: fourteen digits cancelled. It is more than one
/// because a rest collects the errors of many rows, and the estimate takes the largest.
pub(crate) const ROUNDING: f64 = 64.0;

/// What is smaller is nothing, whatever the units are.
const NOTHING: f64 = 1e-290;

/// x, or zero where it is next to nothing. A solution that decays along a chain would end in the smallest numbers there are, of
/// which each is rounded to the one before and which processors take a hundred times as long for: zeros would be out of reach.
#[inline(always)]
pub(crate) fn or_nothing<T: Scalar>(x: T) -> T {
    if x.size() < NOTHING && x != T::default() { nothing() } else { x }
}

/// Apart, so that the rare case is a jump and nobody waits for the comparison.
#[cold]
#[inline(never)]
fn nothing<T: Scalar>() -> T {
    T::default()
}

/// Whether all that is left of column k is rounding. Rows are numbered in the order of elimination, candidates from k to
/// `end`; `lower` gives |lᵢⱼ|, `upper` |uⱼₖ|, `rest` what is left. The error of a row is that of its own terms, and the
/// largest one that it took over from a row before:
///
/// ```text
///   eᵢ = ε Σⱼ |lᵢⱼ| |uⱼₖ| + maxⱼ |lᵢⱼ| eⱼ        j < min(i, k)
/// ```
///
/// A strict bound would have the sum of the errors taken over; it grows exponentially where the error itself does not.
#[cold]
pub(crate) fn is_rounding(
    begin: usize,
    k: usize,
    end: usize,
    lower: impl Fn(usize, usize) -> f64,
    upper: impl Fn(usize) -> f64,
    rest: impl Fn(usize) -> f64,
    errors: &mut [f64],
) -> bool {
    for i in begin..end {
        let (mut own, mut carried) = (0.0, 0.0);
        for j in begin..i.min(k) {
            let l = lower(i, j);
            own += l * upper(j);
            carried = f64::max(carried, l * errors[j - begin]);
        }
        let error = f64::EPSILON * own + carried;
        if i < k {
            errors[i - begin] = error;
        } else if rest(i) > ROUNDING * error {
            return false;
        }
    }
    true
}

/// The power of two that brings a row to size one; `largest` has the bits of its largest element. A row of zeros, or one
/// that is not finite, gets some finite factor.
#[inline(always)]
pub(crate) fn row_scale(largest: u64) -> f64 {
    // Exponents e and 2046 − e have the product 1; exponent 0 would be no power of two.
    let exponent = (largest >> 52).min(2045);
    f64::from_bits((2046 - exponent) << 52)
}
