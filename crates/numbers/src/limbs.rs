//! Sums of products of long numbers, exact to a limb beyond the last one that is kept. A number is ±0.m · 2^e with the
//! limbs of m from the lowest to the highest.
//!
//! All products are added as fixed-point numbers, in units of the largest one, and the sum is rounded once: one product
//! of series costs one rounding, and one piece of memory.

use crate::words::{Limbs, Word};

/// Limbs that the longest number has.
pub(crate) const MAX_LIMBS: usize = 64;

/// ±0.m · 2^e
#[derive(Clone, Copy, Debug)]
pub(crate) struct Raw<'a> {
    pub limbs: Limbs<'a>,
    pub negative: bool,
    pub exponent: i64,
}

/// 1
pub(crate) const ONE: Raw = Raw { limbs: Limbs::new(&[1 << (Word::BITS - 1)]), negative: false, exponent: 1 };

impl Raw<'_> {
    fn is_zero(&self) -> bool {
        self.limbs.last().is_none_or(|top| top == 0)
    }
}

/// A sum: the limbs of its mantissa, whether it is negative, its exponent.
pub(crate) struct Rounded {
    limbs: [u64; MAX_LIMBS],
    pub length: usize,
    pub negative: bool,
    pub exponent: i64,
}

impl Rounded {
    pub fn limbs(&self) -> &[u64] {
        &self.limbs[..self.length]
    }
}

/// Σ a b, with as many limbs as the longest operand has; `None` if it is zero.
pub(crate) fn dot<'a>(pairs: impl Iterator<Item = (Raw<'a>, Raw<'a>)> + Clone) -> (usize, Option<Rounded>) {
    let (mut length, mut top) = (1, i64::MIN);
    for (a, b) in pairs.clone() {
        length = length.max(a.limbs.len()).max(b.limbs.len());
        if !a.is_zero() && !b.is_zero() {
            top = top.max(a.exponent + b.exponent);
        }
    }
    assert!(length <= MAX_LIMBS, "precision is limited where a run begins");
    if top == i64::MIN {
        return (length, None);
    }
    // One limb below the last one for rounding, one above the first one for carries; two's complement.
    let mut sum = [0u64; MAX_LIMBS + 2];
    let sum = &mut sum[..length + 2];
    let mut product = [0u64; 2 * MAX_LIMBS];
    for (a, b) in pairs {
        let shift = top - (a.exponent + b.exponent);
        if a.is_zero() || b.is_zero() || shift >= 64 * (length as i64 + 1) {
            continue;
        }
        let product = &mut product[..a.limbs.len() + b.limbs.len()];
        multiply(a.limbs, b.limbs, product);
        add(sum, product, shift as usize, a.negative != b.negative);
    }
    (length, round(sum, length, top))
}

/// a · b
fn multiply(a: Limbs, b: Limbs, out: &mut [u64]) {
    out.fill(0);
    for (i, x) in a.iter().enumerate() {
        let mut carry = 0u64;
        for (j, y) in b.iter().enumerate() {
            let wide = u128::from(x) * u128::from(y) + u128::from(out[i + j]) + u128::from(carry);
            (out[i + j], carry) = (wide as u64, (wide >> 64) as u64);
        }
        out[i + b.len()] = carry;
    }
}

/// sum ± product · 2^−shift, the highest limb of the product being below the highest of the sum.
fn add(sum: &mut [u64], product: &[u64], shift: usize, minus: bool) {
    let (whole, bits) = (shift / 64, shift % 64);
    // limb k of the shifted product, counted from its lowest limb; there is one more below
    let limb = |k: isize| if k < 0 || k as usize >= product.len() { 0 } else { product[k as usize] };
    let shifted = |k: isize| if bits == 0 { limb(k) } else { (limb(k) >> bits) | (limb(k + 1) << (64 - bits)) };
    let highest = sum.len() as isize - 2 - whole as isize;
    let from = (highest + 1 - product.len() as isize - isize::from(bits > 0)).max(0);
    let mut carry = false;
    for place in from..sum.len() as isize {
        let part = shifted(place - highest - 1 + product.len() as isize);
        let now = &mut sum[place as usize];
        if place > highest && part == 0 && !carry {
            break;
        }
        let (next, one) = if minus { now.overflowing_sub(part) } else { now.overflowing_add(part) };
        let (next, two) =
            if minus { next.overflowing_sub(u64::from(carry)) } else { next.overflowing_add(u64::from(carry)) };
        (*now, carry) = (next, one || two);
    }
}

/// The sum with its sign, its leading bit on top, rounded to `length` limbs.
fn round(sum: &mut [u64], length: usize, top: i64) -> Option<Rounded> {
    let negative = sum[length + 1] >> 63 == 1;
    if negative {
        let mut carry = true;
        for limb in sum.iter_mut() {
            (*limb, carry) = (!*limb).overflowing_add(u64::from(carry));
        }
    }
    let last = sum.iter().rposition(|&limb| limb != 0)?;
    let zeros = sum[last].leading_zeros() as usize;
    let limb = |k: isize| if k < 0 { 0 } else { sum[k as usize] };
    let shifted = |k: isize| if zeros == 0 { limb(k) } else { (limb(k) << zeros) | (limb(k - 1) >> (64 - zeros)) };
    let mut rounded = Rounded { limbs: [0; MAX_LIMBS], length, negative, exponent: 0 };
    let first = last as isize + 1 - length as isize;
    let mut carry = shifted(first - 1) >> 63 == 1;
    for (k, out) in rounded.limbs[..length].iter_mut().enumerate() {
        (*out, carry) = shifted(first + k as isize).overflowing_add(u64::from(carry));
    }
    rounded.exponent = top + 64 * (last as i64 - length as i64) - zeros as i64;
    if carry {
        rounded.limbs[length - 1] = 1 << 63;
        rounded.exponent += 1;
    }
    Some(rounded)
}
