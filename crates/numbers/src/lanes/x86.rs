//! Lanes for processors with AVX2 and FMA, and for those with AVX-512.
//!
//! Values of these types exist only inside of functions compiled for such a processor, see `processor.rs`: that is what
//! makes the calls below safe.

use super::number::{BIASED, DIGITS, UNITS};
use super::{LANES, Lanes, Number};
use crate::Arithmetic;
use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Registers of four numbers.
#[derive(Clone, Copy)]
pub struct Avx2([__m256d; LANES / 4]);

/// Registers of eight numbers.
#[derive(Clone, Copy)]
pub struct Avx512([__m512d; LANES / 8]);

impl Add for Avx2 {
    type Output = Avx2;

    #[inline(always)]
    fn add(self, b: Avx2) -> Avx2 {
        let mut out = self;
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe { _mm256_add_pd(self.0[i], b.0[i]) };
        }
        out
    }
}

impl Add for Avx512 {
    type Output = Avx512;

    #[inline(always)]
    fn add(self, b: Avx512) -> Avx512 {
        let mut out = self;
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe { _mm512_add_pd(self.0[i], b.0[i]) };
        }
        out
    }
}

impl Sub for Avx2 {
    type Output = Avx2;

    #[inline(always)]
    fn sub(self, b: Avx2) -> Avx2 {
        let mut out = self;
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe { _mm256_sub_pd(self.0[i], b.0[i]) };
        }
        out
    }
}

impl Sub for Avx512 {
    type Output = Avx512;

    #[inline(always)]
    fn sub(self, b: Avx512) -> Avx512 {
        let mut out = self;
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe { _mm512_sub_pd(self.0[i], b.0[i]) };
        }
        out
    }
}

impl Mul for Avx2 {
    type Output = Avx2;

    #[inline(always)]
    fn mul(self, b: Avx2) -> Avx2 {
        let mut out = self;
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe { _mm256_mul_pd(self.0[i], b.0[i]) };
        }
        out
    }
}

impl Mul for Avx512 {
    type Output = Avx512;

    #[inline(always)]
    fn mul(self, b: Avx512) -> Avx512 {
        let mut out = self;
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe { _mm512_mul_pd(self.0[i], b.0[i]) };
        }
        out
    }
}

impl Div for Avx2 {
    type Output = Avx2;

    #[inline(always)]
    fn div(self, b: Avx2) -> Avx2 {
        let mut out = self;
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe { _mm256_div_pd(self.0[i], b.0[i]) };
        }
        out
    }
}

impl Div for Avx512 {
    type Output = Avx512;

    #[inline(always)]
    fn div(self, b: Avx512) -> Avx512 {
        let mut out = self;
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe { _mm512_div_pd(self.0[i], b.0[i]) };
        }
        out
    }
}

impl Neg for Avx2 {
    type Output = Avx2;

    #[inline(always)]
    fn neg(self) -> Avx2 {
        Avx2::splat(-0.0) - self
    }
}

impl Neg for Avx512 {
    type Output = Avx512;

    #[inline(always)]
    fn neg(self) -> Avx512 {
        Avx512::splat(-0.0) - self
    }
}

impl Arithmetic for Avx2 {
    type Stored = Lanes;

    #[inline(always)]
    fn load(from: &Lanes) -> Avx2 {
        let mut out = Avx2::splat(0.0);
        for i in 0..out.0.len() {
            // SAFETY: see above; lanes are aligned.
            out.0[i] = unsafe { _mm256_load_pd(from.0.as_ptr().add(4 * i)) };
        }
        out
    }

    #[inline(always)]
    fn splat(x: f64) -> Avx2 {
        // SAFETY: see above.
        Avx2([unsafe { _mm256_set1_pd(x) }; LANES / 4])
    }

    #[inline(always)]
    fn sqrt(self) -> Avx2 {
        let mut out = self;
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe { _mm256_sqrt_pd(self.0[i]) };
        }
        out
    }
}

impl Number for Avx2 {
    type Mask = Avx2;

    #[inline(always)]
    fn store(self, to: &mut Lanes) {
        for i in 0..self.0.len() {
            // SAFETY: see above; lanes are aligned.
            unsafe { _mm256_store_pd(to.0.as_mut_ptr().add(4 * i), self.0[i]) };
        }
    }

    #[inline(always)]
    fn fma(self, b: Avx2, c: Avx2) -> Avx2 {
        let mut out = self;
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe { _mm256_fmadd_pd(self.0[i], b.0[i], c.0[i]) };
        }
        out
    }

    /// One correction with the exact remainder: P. W. Markstein, IBM J. Res. Dev. 34 (1990) 111–119.
    #[inline(always)]
    fn over(self, divisor: f64, inverse: f64) -> Avx2 {
        let inverse = Avx2::splat(inverse);
        let quotient = self * inverse;
        let rest = quotient.fma(Avx2::splat(-divisor), self);
        rest.fma(inverse, quotient)
    }

    #[inline(always)]
    fn abs(self) -> Avx2 {
        let mut out = self;
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe { _mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0[i]) };
        }
        out
    }

    #[inline(always)]
    fn max(self, other: Avx2) -> Avx2 {
        let mut out = self;
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe { _mm256_max_pd(self.0[i], other.0[i]) };
        }
        out
    }

    #[inline(always)]
    fn min(self, other: Avx2) -> Avx2 {
        let mut out = self;
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe { _mm256_min_pd(self.0[i], other.0[i]) };
        }
        out
    }

    #[inline(always)]
    fn less(self, other: Avx2) -> Self::Mask {
        let mut out = self;
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe { _mm256_cmp_pd::<_CMP_LT_OQ>(self.0[i], other.0[i]) };
        }
        out
    }

    #[inline(always)]
    fn select(mask: Self::Mask, yes: Avx2, no: Avx2) -> Avx2 {
        let mut out = no;
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe { _mm256_blendv_pd(no.0[i], yes.0[i], mask.0[i]) };
        }
        out
    }

    #[inline(always)]
    fn bits(mask: Self::Mask) -> u32 {
        let mut bits = 0;
        for i in 0..mask.0.len() {
            // SAFETY: see above.
            bits |= (unsafe { _mm256_movemask_pd(mask.0[i]) } as u32) << (4 * i);
        }
        bits
    }

    #[inline(always)]
    fn map(self, f: impl Fn(f64) -> f64) -> Avx2 {
        let mut lanes = Lanes::ZERO;
        self.store(&mut lanes);
        lanes.0.iter_mut().for_each(|x| *x = f(*x));
        Avx2::load(&lanes)
    }

    #[inline(always)]
    fn map2(self, other: Avx2, f: impl Fn(f64, f64) -> f64) -> Avx2 {
        let (mut a, mut b) = (Lanes::ZERO, Lanes::ZERO);
        self.store(&mut a);
        other.store(&mut b);
        a.0.iter_mut().zip(&b.0).for_each(|(a, b)| *a = f(*a, *b));
        Avx2::load(&a)
    }

    #[inline(always)]
    fn exponent(self) -> Avx2 {
        let mut out = self;
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe {
                let field = _mm256_srli_epi64::<52>(_mm256_castpd_si256(self.0[i]));
                _mm256_castsi256_pd(_mm256_or_si256(field, _mm256_set1_epi64x(UNITS.to_bits() as i64)))
            };
        }
        out - Avx2::splat(UNITS + 1023.0)
    }

    #[inline(always)]
    fn fraction(self) -> Avx2 {
        let mut out = self;
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe {
                let digits = _mm256_and_si256(_mm256_castpd_si256(self.0[i]), _mm256_set1_epi64x(DIGITS as i64));
                _mm256_castsi256_pd(_mm256_or_si256(digits, _mm256_set1_epi64x(1f64.to_bits() as i64)))
            };
        }
        out
    }

    #[inline(always)]
    fn power_of_two(self) -> Avx2 {
        let mut out = self + Avx2::splat(BIASED);
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe { _mm256_castsi256_pd(_mm256_slli_epi64::<52>(_mm256_castpd_si256(out.0[i]))) };
        }
        out
    }
}

impl Arithmetic for Avx512 {
    type Stored = Lanes;

    #[inline(always)]
    fn load(from: &Lanes) -> Avx512 {
        let mut out = Avx512::splat(0.0);
        for i in 0..out.0.len() {
            // SAFETY: see above; lanes are aligned.
            out.0[i] = unsafe { _mm512_load_pd(from.0.as_ptr().add(8 * i)) };
        }
        out
    }

    #[inline(always)]
    fn splat(x: f64) -> Avx512 {
        // SAFETY: see above.
        Avx512([unsafe { _mm512_set1_pd(x) }; LANES / 8])
    }

    #[inline(always)]
    fn sqrt(self) -> Avx512 {
        let mut out = self;
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe { _mm512_sqrt_pd(self.0[i]) };
        }
        out
    }
}

impl Number for Avx512 {
    type Mask = [__mmask8; LANES / 8];

    #[inline(always)]
    fn store(self, to: &mut Lanes) {
        for i in 0..self.0.len() {
            // SAFETY: see above; lanes are aligned.
            unsafe { _mm512_store_pd(to.0.as_mut_ptr().add(8 * i), self.0[i]) };
        }
    }

    #[inline(always)]
    fn fma(self, b: Avx512, c: Avx512) -> Avx512 {
        let mut out = self;
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe { _mm512_fmadd_pd(self.0[i], b.0[i], c.0[i]) };
        }
        out
    }

    /// One correction with the exact remainder: P. W. Markstein, IBM J. Res. Dev. 34 (1990) 111–119.
    #[inline(always)]
    fn over(self, divisor: f64, inverse: f64) -> Avx512 {
        let inverse = Avx512::splat(inverse);
        let quotient = self * inverse;
        let rest = quotient.fma(Avx512::splat(-divisor), self);
        rest.fma(inverse, quotient)
    }

    #[inline(always)]
    fn abs(self) -> Avx512 {
        let mut out = self;
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe { _mm512_abs_pd(self.0[i]) };
        }
        out
    }

    #[inline(always)]
    fn max(self, other: Avx512) -> Avx512 {
        let mut out = self;
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe { _mm512_max_pd(self.0[i], other.0[i]) };
        }
        out
    }

    #[inline(always)]
    fn min(self, other: Avx512) -> Avx512 {
        let mut out = self;
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe { _mm512_min_pd(self.0[i], other.0[i]) };
        }
        out
    }

    #[inline(always)]
    fn less(self, other: Avx512) -> Self::Mask {
        let mut mask = [0; LANES / 8];
        for (i, mask) in mask.iter_mut().enumerate() {
            // SAFETY: see above.
            *mask = unsafe { _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0[i], other.0[i]) };
        }
        mask
    }

    #[inline(always)]
    fn select(mask: Self::Mask, yes: Avx512, no: Avx512) -> Avx512 {
        let mut out = no;
        for (i, mask) in mask.into_iter().enumerate() {
            // SAFETY: see above.
            out.0[i] = unsafe { _mm512_mask_blend_pd(mask, no.0[i], yes.0[i]) };
        }
        out
    }

    #[inline(always)]
    fn bits(mask: Self::Mask) -> u32 {
        let mut bits = 0;
        for (i, mask) in mask.into_iter().enumerate() {
            bits |= u32::from(mask) << (8 * i);
        }
        bits
    }

    #[inline(always)]
    fn map(self, f: impl Fn(f64) -> f64) -> Avx512 {
        let mut lanes = Lanes::ZERO;
        self.store(&mut lanes);
        lanes.0.iter_mut().for_each(|x| *x = f(*x));
        Avx512::load(&lanes)
    }

    #[inline(always)]
    fn map2(self, other: Avx512, f: impl Fn(f64, f64) -> f64) -> Avx512 {
        let (mut a, mut b) = (Lanes::ZERO, Lanes::ZERO);
        self.store(&mut a);
        other.store(&mut b);
        a.0.iter_mut().zip(&b.0).for_each(|(a, b)| *a = f(*a, *b));
        Avx512::load(&a)
    }

    #[inline(always)]
    fn exponent(self) -> Avx512 {
        let mut out = self;
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe {
                let field = _mm512_srli_epi64::<52>(_mm512_castpd_si512(self.0[i]));
                _mm512_castsi512_pd(_mm512_or_si512(field, _mm512_set1_epi64(UNITS.to_bits() as i64)))
            };
        }
        out - Avx512::splat(UNITS + 1023.0)
    }

    #[inline(always)]
    fn fraction(self) -> Avx512 {
        let mut out = self;
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe {
                let digits = _mm512_and_si512(_mm512_castpd_si512(self.0[i]), _mm512_set1_epi64(DIGITS as i64));
                _mm512_castsi512_pd(_mm512_or_si512(digits, _mm512_set1_epi64(1f64.to_bits() as i64)))
            };
        }
        out
    }

    #[inline(always)]
    fn power_of_two(self) -> Avx512 {
        let mut out = self + Avx512::splat(BIASED);
        for i in 0..out.0.len() {
            // SAFETY: see above.
            out.0[i] = unsafe { _mm512_castsi512_pd(_mm512_slli_epi64::<52>(_mm512_castpd_si512(out.0[i]))) };
        }
        out
    }
}
