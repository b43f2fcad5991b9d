//! The inner sums of the recurrences, four at a time, for processors with AVX2 and FMA and for all others.
//!
//! All products of order k use only coefficients below k, so the sums of all instructions are computed together before
//! the order begins; only the two products with the newest coefficients are added later, by the recurrences themselves.
//! The factors of four pairs of series lie side by side:
//!
//! ```text
//!   f[j] = (f⁰ⱼ, f¹ⱼ, f²ⱼ, f³ⱼ),   r[j] likewise
//! ```
//!
//! Every lane is summed in the same order on every processor: first the even j, then the odd ones, each ascending.

/// Four numbers side by side.
pub(super) type Four = [f64; 4];

/// Arithmetic of a kind of processor.
pub(super) trait Kernel {
    /// a·b + c
    fn fma(a: f64, b: f64, c: f64) -> f64;

    /// Σ fⱼ rₖ₋ⱼ over 2 ≤ j ≤ last, zero if there are none.
    ///
    /// # Safety
    /// f must be readable up to `last`, r from k − last to k − 2, and k ≥ 2.
    unsafe fn inner(f: *const Four, r: *const Four, k: usize, last: usize) -> Four;

    /// The numbers at four places.
    ///
    /// # Safety
    /// They must be readable.
    #[inline(always)]
    unsafe fn gather(from: *const f64, places: &[u32; 4]) -> Four {
        places.map(|place| unsafe { *from.add(place as usize) })
    }
}

/// Any processor. Without fused operations the last digits may differ from those of processors that have them.
pub(super) struct Portable;

impl Kernel for Portable {
    #[inline(always)]
    fn fma(a: f64, b: f64, c: f64) -> f64 {
        a * b + c
    }

    #[inline(always)]
    unsafe fn inner(f: *const Four, r: *const Four, k: usize, last: usize) -> Four {
        let mut sums = [[0.0; 4]; 2];
        for j in 2..=last {
            let (f, r) = unsafe { (*f.add(j), *r.add(k - j)) };
            let sum = &mut sums[j % 2];
            for l in 0..4 {
                sum[l] = Self::fma(f[l], r[l], sum[l]);
            }
        }
        std::array::from_fn(|l| sums[0][l] + sums[1][l])
    }
}

/// Processors with AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
pub(super) struct Avx2;

#[cfg(target_arch = "x86_64")]
impl Kernel for Avx2 {
    #[inline(always)]
    fn fma(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }

    #[inline(always)]
    unsafe fn inner(f: *const Four, r: *const Four, k: usize, last: usize) -> Four {
        use std::arch::x86_64::*;
        unsafe {
            let load = |p: *const Four| _mm256_loadu_pd(p.cast());
            let (mut even, mut odd) = (_mm256_setzero_pd(), _mm256_setzero_pd());
            let (mut f, mut r) = (f.add(2), r.add(k - 2));
            let mut left = last as isize - 1;
            while left >= 4 {
                even = _mm256_fmadd_pd(load(f), load(r), even);
                odd = _mm256_fmadd_pd(load(f.add(1)), load(r.sub(1)), odd);
                even = _mm256_fmadd_pd(load(f.add(2)), load(r.sub(2)), even);
                odd = _mm256_fmadd_pd(load(f.add(3)), load(r.sub(3)), odd);
                (f, r, left) = (f.add(4), r.sub(4), left - 4);
            }
            if left >= 2 {
                even = _mm256_fmadd_pd(load(f), load(r), even);
                odd = _mm256_fmadd_pd(load(f.add(1)), load(r.sub(1)), odd);
                (f, r, left) = (f.add(2), r.sub(2), left - 2);
            }
            if left > 0 {
                even = _mm256_fmadd_pd(load(f), load(r), even);
            }
            let mut sum = [0.0; 4];
            _mm256_storeu_pd(sum.as_mut_ptr(), _mm256_add_pd(even, odd));
            sum
        }
    }

    #[inline(always)]
    unsafe fn gather(from: *const f64, places: &[u32; 4]) -> Four {
        use std::arch::x86_64::*;
        unsafe {
            let [a, b, c, d] = places.map(|place| from.add(place as usize));
            let low = _mm_loadh_pd(_mm_load_sd(a), b);
            let high = _mm_loadh_pd(_mm_load_sd(c), d);
            let mut four = [0.0; 4];
            _mm256_storeu_pd(four.as_mut_ptr(), _mm256_set_m128d(high, low));
            four
        }
    }
}
