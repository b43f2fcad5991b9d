//! Lanes for any processor.

use super::{LANES, Lanes, Number};
use crate::Arithmetic;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Numbers of all lanes as an array.
#[derive(Clone, Copy)]
pub struct Portable([f64; LANES]);

impl Portable {
    #[inline(always)]
    fn each(self, f: impl Fn(f64) -> f64) -> Portable {
        Portable(self.0.map(f))
    }

    #[inline(always)]
    fn with(self, other: Portable, f: impl Fn(f64, f64) -> f64) -> Portable {
        Portable(std::array::from_fn(|l| f(self.0[l], other.0[l])))
    }
}

impl Add for Portable {
    type Output = Portable;

    #[inline(always)]
    fn add(self, other: Portable) -> Portable {
        self.with(other, |a, b| a + b)
    }
}

impl Sub for Portable {
    type Output = Portable;

    #[inline(always)]
    fn sub(self, other: Portable) -> Portable {
        self.with(other, |a, b| a - b)
    }
}

impl Mul for Portable {
    type Output = Portable;

    #[inline(always)]
    fn mul(self, other: Portable) -> Portable {
        self.with(other, |a, b| a * b)
    }
}

impl Div for Portable {
    type Output = Portable;

    #[inline(always)]
    fn div(self, other: Portable) -> Portable {
        self.with(other, |a, b| a / b)
    }
}

impl Neg for Portable {
    type Output = Portable;

    #[inline(always)]
    fn neg(self) -> Portable {
        self.each(|a| -a)
    }
}

impl Arithmetic for Portable {
    type Stored = Lanes;

    #[inline(always)]
    fn load(from: &Lanes) -> Portable {
        Portable(from.0)
    }

    #[inline(always)]
    fn splat(x: f64) -> Portable {
        Portable([x; LANES])
    }

    #[inline(always)]
    fn sqrt(self) -> Portable {
        self.each(f64::sqrt)
    }
}

impl Number for Portable {
    type Mask = [bool; LANES];

    #[inline(always)]
    fn store(self, to: &mut Lanes) {
        to.0 = self.0;
    }

    #[inline(always)]
    fn fma(self, b: Portable, c: Portable) -> Portable {
        Portable(std::array::from_fn(|l| Number::fma(self.0[l], b.0[l], c.0[l])))
    }

    #[inline(always)]
    fn over(self, divisor: f64, inverse: f64) -> Portable {
        self.each(|a| a.over(divisor, inverse))
    }

    #[inline(always)]
    fn abs(self) -> Portable {
        self.each(f64::abs)
    }

    #[inline(always)]
    fn max(self, other: Portable) -> Portable {
        self.with(other, <f64 as Number>::max)
    }

    #[inline(always)]
    fn min(self, other: Portable) -> Portable {
        self.with(other, <f64 as Number>::min)
    }

    #[inline(always)]
    fn less(self, other: Portable) -> [bool; LANES] {
        std::array::from_fn(|l| self.0[l] < other.0[l])
    }

    #[inline(always)]
    fn select(mask: [bool; LANES], yes: Portable, no: Portable) -> Portable {
        Portable(std::array::from_fn(|l| if mask[l] { yes.0[l] } else { no.0[l] }))
    }

    #[inline(always)]
    fn bits(mask: [bool; LANES]) -> u32 {
        (0..LANES).map(|l| u32::from(mask[l]) << l).sum()
    }

    #[inline(always)]
    fn map(self, f: impl Fn(f64) -> f64) -> Portable {
        self.each(f)
    }

    #[inline(always)]
    fn map2(self, other: Portable, f: impl Fn(f64, f64) -> f64) -> Portable {
        self.with(other, f)
    }

    #[inline(always)]
    fn exponent(self) -> Portable {
        self.each(Number::exponent)
    }

    #[inline(always)]
    fn fraction(self) -> Portable {
        self.each(Number::fraction)
    }

    #[inline(always)]
    fn power_of_two(self) -> Portable {
        self.each(Number::power_of_two)
    }
}
