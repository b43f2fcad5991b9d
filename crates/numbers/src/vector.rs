//! Eight numbers at a time, with the best instructions there are. The compiler would make gathers of plain loops over
//! interleaved rows. All kinds give the same bits, but for processors without fused multiplication.

/// Vectors are processed in blocks of so many elements.
pub const LANES: usize = 8;

/// Eight numbers, as many as the longest registers hold.
pub type Lanes = [f64; LANES];

/// Whether multiplication is fused without asking for it.
pub const PORTABLE_FUSED: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));

/// a·b + c
#[inline(always)]
pub fn multiply_add<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// Eight numbers in registers.
pub trait Vector: Copy {
    /// From memory.
    fn load(from: &Lanes) -> Self;
    /// To memory.
    fn store(self, to: &mut Lanes);
    /// The same number eight times.
    fn splat(x: f64) -> Self;
    /// |self|
    fn abs(self) -> Self;
    /// self + b
    fn plus(self, b: Self) -> Self;
    /// self − b
    fn minus(self, b: Self) -> Self;
    /// self · b
    fn times(self, b: Self) -> Self;
    /// self · b + c
    fn multiply_add(self, b: Self, c: Self) -> Self;
    /// The larger one; `b` if either is no number.
    fn larger(self, b: Self) -> Self;
    /// The smaller one; `b` if either is no number.
    fn smaller(self, b: Self) -> Self;
    /// Zero where |x| is below the limit.
    fn zero_where_below(self, x: Self, limit: Self) -> Self;
    /// The second half, then the first.
    fn swapped(self) -> Self;
    /// The first half twice.
    fn first_twice(self) -> Self;
    /// The second half twice.
    fn second_twice(self) -> Self;
}

fn each(a: Lanes, b: Lanes, f: impl Fn(f64, f64) -> f64) -> Lanes {
    std::array::from_fn(|l| f(a[l], b[l]))
}

impl Vector for Lanes {
    #[inline(always)]
    fn load(from: &Lanes) -> Self {
        *from
    }

    #[inline(always)]
    fn store(self, to: &mut Lanes) {
        *to = self;
    }

    #[inline(always)]
    fn splat(x: f64) -> Self {
        [x; LANES]
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.map(f64::abs)
    }

    #[inline(always)]
    fn plus(self, b: Self) -> Self {
        each(self, b, |a, b| a + b)
    }

    #[inline(always)]
    fn minus(self, b: Self) -> Self {
        each(self, b, |a, b| a - b)
    }

    #[inline(always)]
    fn times(self, b: Self) -> Self {
        each(self, b, |a, b| a * b)
    }

    #[inline(always)]
    fn multiply_add(self, b: Self, c: Self) -> Self {
        std::array::from_fn(|l| multiply_add::<PORTABLE_FUSED>(self[l], b[l], c[l]))
    }

    #[inline(always)]
    fn larger(self, b: Self) -> Self {
        each(self, b, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    fn smaller(self, b: Self) -> Self {
        each(self, b, |a, b| if a < b { a } else { b })
    }

    #[inline(always)]
    fn zero_where_below(self, x: Self, limit: Self) -> Self {
        std::array::from_fn(|l| if x[l].abs() < limit[l] { 0.0 } else { self[l] })
    }

    #[inline(always)]
    fn swapped(self) -> Self {
        std::array::from_fn(|l| self[(l + LANES / 2) % LANES])
    }

    #[inline(always)]
    fn first_twice(self) -> Self {
        std::array::from_fn(|l| self[l % (LANES / 2)])
    }

    #[inline(always)]
    fn second_twice(self) -> Self {
        std::array::from_fn(|l| self[LANES / 2 + l % (LANES / 2)])
    }
}

/// The vectors of x86.
#[cfg(target_arch = "x86_64")]
pub mod x86 {
    use super::{Lanes, Vector};
    use std::arch::x86_64::*;

    impl Vector for __m512d {
        #[inline(always)]
        fn load(from: &Lanes) -> Self {
            // SAFETY: there are eight numbers; only code compiled for AVX-512 has this type.
            unsafe { _mm512_loadu_pd(from.as_ptr()) }
        }

        #[inline(always)]
        fn store(self, to: &mut Lanes) {
            // SAFETY: as above.
            unsafe { _mm512_storeu_pd(to.as_mut_ptr(), self) }
        }

        #[inline(always)]
        fn splat(x: f64) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_set1_pd(x) }
        }

        #[inline(always)]
        fn abs(self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_abs_pd(self) }
        }

        #[inline(always)]
        fn multiply_add(self, b: Self, c: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_fmadd_pd(self, b, c) }
        }

        #[inline(always)]
        fn plus(self, b: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_add_pd(self, b) }
        }

        #[inline(always)]
        fn minus(self, b: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_sub_pd(self, b) }
        }

        #[inline(always)]
        fn times(self, b: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_mul_pd(self, b) }
        }

        #[inline(always)]
        fn larger(self, b: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_max_pd(self, b) }
        }

        #[inline(always)]
        fn smaller(self, b: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_min_pd(self, b) }
        }

        #[inline(always)]
        fn zero_where_below(self, x: Self, limit: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_maskz_mov_pd(_mm512_cmp_pd_mask::<_CMP_NLT_UQ>(_mm512_abs_pd(x), limit), self) }
        }

        #[inline(always)]
        fn swapped(self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_shuffle_f64x2::<0b01_00_11_10>(self, self) }
        }

        #[inline(always)]
        fn first_twice(self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_shuffle_f64x2::<0b01_00_01_00>(self, self) }
        }

        #[inline(always)]
        fn second_twice(self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_shuffle_f64x2::<0b11_10_11_10>(self, self) }
        }
    }

    /// Two halves.
    pub type Pair = (__m256d, __m256d);

    impl Vector for Pair {
        #[inline(always)]
        fn load(from: &Lanes) -> Self {
            // SAFETY: there are eight numbers; only code compiled for AVX2 and FMA has this type.
            unsafe { (_mm256_loadu_pd(from.as_ptr()), _mm256_loadu_pd(from[4..].as_ptr())) }
        }

        #[inline(always)]
        fn store(self, to: &mut Lanes) {
            // SAFETY: as above.
            unsafe {
                _mm256_storeu_pd(to.as_mut_ptr(), self.0);
                _mm256_storeu_pd(to[4..].as_mut_ptr(), self.1);
            }
        }

        #[inline(always)]
        fn splat(x: f64) -> Self {
            // SAFETY: as above.
            unsafe { (_mm256_set1_pd(x), _mm256_set1_pd(x)) }
        }

        #[inline(always)]
        fn abs(self) -> Self {
            // SAFETY: as above.
            unsafe {
                let sign = _mm256_set1_pd(-0.0);
                (_mm256_andnot_pd(sign, self.0), _mm256_andnot_pd(sign, self.1))
            }
        }

        #[inline(always)]
        fn multiply_add(self, b: Self, c: Self) -> Self {
            // SAFETY: as above.
            unsafe { (_mm256_fmadd_pd(self.0, b.0, c.0), _mm256_fmadd_pd(self.1, b.1, c.1)) }
        }

        #[inline(always)]
        fn plus(self, b: Self) -> Self {
            // SAFETY: as above.
            unsafe { (_mm256_add_pd(self.0, b.0), _mm256_add_pd(self.1, b.1)) }
        }

        #[inline(always)]
        fn minus(self, b: Self) -> Self {
            // SAFETY: as above.
            unsafe { (_mm256_sub_pd(self.0, b.0), _mm256_sub_pd(self.1, b.1)) }
        }

        #[inline(always)]
        fn times(self, b: Self) -> Self {
            // SAFETY: as above.
            unsafe { (_mm256_mul_pd(self.0, b.0), _mm256_mul_pd(self.1, b.1)) }
        }

        #[inline(always)]
        fn larger(self, b: Self) -> Self {
            // SAFETY: as above.
            unsafe { (_mm256_max_pd(self.0, b.0), _mm256_max_pd(self.1, b.1)) }
        }

        #[inline(always)]
        fn smaller(self, b: Self) -> Self {
            // SAFETY: as above.
            unsafe { (_mm256_min_pd(self.0, b.0), _mm256_min_pd(self.1, b.1)) }
        }

        #[inline(always)]
        fn zero_where_below(self, x: Self, limit: Self) -> Self {
            let x = x.abs();
            // SAFETY: as above.
            unsafe {
                let first = _mm256_and_pd(_mm256_cmp_pd::<_CMP_NLT_UQ>(x.0, limit.0), self.0);
                let second = _mm256_and_pd(_mm256_cmp_pd::<_CMP_NLT_UQ>(x.1, limit.1), self.1);
                (first, second)
            }
        }

        #[inline(always)]
        fn swapped(self) -> Self {
            (self.1, self.0)
        }

        #[inline(always)]
        fn first_twice(self) -> Self {
            (self.0, self.0)
        }

        #[inline(always)]
        fn second_twice(self) -> Self {
            (self.1, self.1)
        }
    }
}
