//! The innermost loop of large systems of one pattern: whole vectors, two rows of coefficients in turn.

use ordinate_numbers::Instructions;
#[cfg(target_arch = "x86_64")]
use ordinate_numbers::vector::x86;
use ordinate_numbers::vector::{Lanes, Vector};

/// The most diagonals that the loops are made for.
pub(crate) const MAX_OFFSETS: usize = 6;

/// next[i] = base[i] + factor · Σ coefficient · current[i + offset]
pub(crate) struct Sweep<'a> {
    pub current: *const Lanes,
    /// May be `current`, a band to the left.
    pub next: *mut Lanes,
    pub base: *const Lanes,
    pub count: usize,
    pub offsets: &'a [isize],
    /// Of the first vector, the third, …, and of the second, the fourth, …
    pub coefficients: [&'a [f64]; 2],
    pub factor: f64,
}

/// # Safety
/// All vectors that the sweep reads and writes must exist.
#[inline(always)]
unsafe fn body<V: Vector, const K: usize>(sweep: &Sweep) {
    // copies: what is written might be them, as far as the compiler knows
    let offsets: [isize; K] = *sweep.offsets.first_chunk().expect("as many offsets as diagonals");
    let (current, next, base) = (sweep.current, sweep.next, sweep.base);
    let coefficients = sweep.coefficients.map(|given| {
        let given: &[f64; K] = given.first_chunk().expect("as many coefficients as diagonals");
        given.map(|c| V::splat(sweep.factor * c))
    });
    let one = |i: usize, coefficients: &[V; K]| {
        // SAFETY: the caller's promise.
        unsafe {
            let mut sum = V::load(&*base.add(i));
            for k in 0..K {
                let source = current.offset(i as isize + offsets[k]);
                sum = coefficients[k].multiply_add(V::load(&*source), sum);
            }
            sum.store(&mut *next.add(i));
        }
    };
    let even = sweep.count - sweep.count % 2;
    for i in (0..even).step_by(2) {
        one(i, &coefficients[0]);
        one(i + 1, &coefficients[1]);
    }
    if even < sweep.count {
        one(even, &coefficients[0]);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
unsafe fn body_avx512<const K: usize>(sweep: &Sweep) {
    unsafe { body::<std::arch::x86_64::__m512d, K>(sweep) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn body_avx2<const K: usize>(sweep: &Sweep) {
    unsafe { body::<x86::Pair, K>(sweep) }
}

unsafe fn sweep_of<const K: usize>(instructions: Instructions, sweep: &Sweep) {
    // SAFETY: the instructions are chosen only where they were detected; the rest is the caller's promise.
    unsafe {
        match instructions {
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => body_avx512::<K>(sweep),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => body_avx2::<K>(sweep),
            Instructions::Portable => body::<Lanes, K>(sweep),
        }
    }
}

/// Performs a sweep.
///
/// # Safety
/// All vectors that the sweep reads and writes must exist.
pub(crate) unsafe fn sweep(instructions: Instructions, sweep: &Sweep) {
    // SAFETY: the caller's promise.
    unsafe {
        match sweep.offsets.len() {
            1 => sweep_of::<1>(instructions, sweep),
            2 => sweep_of::<2>(instructions, sweep),
            3 => sweep_of::<3>(instructions, sweep),
            4 => sweep_of::<4>(instructions, sweep),
            5 => sweep_of::<5>(instructions, sweep),
            6 => sweep_of::<6>(instructions, sweep),
            other => unreachable!("patterns have at most {MAX_OFFSETS} diagonals here, not {other}"),
        }
    }
}
