//! Several levels of a system of band one in one sweep: every vector is loaded once for all of them, and what one level
//! leaves for the next stays in registers.
//!
//! ```text
//!   level d, position q = i − d:   x_d[q] = f[q] + a x_{d−1}[q−1] + b x_{d−1}[q] + c x_{d−1}[q+1]
//! ```
//!
//! While x₀[i] is loaded, x₁[i−1], x₂[i−2], … are made, each from the three newest vectors of the level before.

use ordinate_numbers::Instructions;
#[cfg(target_arch = "x86_64")]
use ordinate_numbers::vector::x86;
use ordinate_numbers::vector::{Lanes, Vector};

/// Levels of a sweep.
pub(crate) const DEPTH: usize = 4;

/// Coefficients of a position whose rows are not all of the pattern, and what hidden states do to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Irregular {
    /// Of the neighbours −1, 0, +1.
    pub coefficients: [Lanes; 3],
    /// Lane, hidden state, coefficient.
    pub inputs: Vec<(usize, u32, f64)>,
}

/// What a sweep of several levels does.
pub(crate) struct Fused<'a> {
    /// Where x₀ of index 0 is; the indices from `begin` − DEPTH up to `end` + DEPTH are read.
    pub current: *const Lanes,
    /// Where the last level of index 0 goes.
    pub next: *mut Lanes,
    /// f of index 0; the indices from `begin` − 2 DEPTH on are read.
    pub base: *const Lanes,
    /// Indices of the last level to compute.
    pub begin: isize,
    pub end: isize,
    /// h/k of the levels.
    pub factors: [f64; DEPTH],
    /// Coefficients of the neighbours −1, 0, +1 at even and at odd indices.
    pub coefficients: [[f64; 3]; 2],
    /// Indices with coefficients of their own, ascending.
    pub irregular: &'a [(isize, usize)],
    pub tables: &'a [Irregular],
    /// The hidden states that each level sees.
    pub hidden: [&'a [f64]; DEPTH],
}

/// The two newest vectors of each level but the last, the older one first.
type Newest<V> = [[V; 2]; DEPTH];

/// One step of all levels.
#[inline(always)]
fn advance<V: Vector, const CENTRE: bool>(
    newest: &mut Newest<V>,
    input: V,
    bases: [V; DEPTH],
    coefficients: [[V; 3]; DEPTH],
) -> V {
    let mut new = input;
    for d in 0..DEPTH {
        let [a, b, c] = coefficients[d];
        let [before, here] = newest[d];
        let mut sum = a.multiply_add(before, bases[d]);
        if CENTRE {
            sum = b.multiply_add(here, sum);
        }
        sum = c.multiply_add(new, sum);
        newest[d] = [here, new];
        new = sum;
    }
    new
}

/// # Safety
/// All vectors that the sweep reads and writes must exist.
#[inline(always)]
unsafe fn body<V: Vector, const CENTRE: bool>(fused: &Fused) {
    const REACH: isize = DEPTH as isize;
    // those that the levels have at an even and at an odd index of x₀
    let mut coefficients = [[[V::splat(0.0); 3]; DEPTH]; 2];
    for (parity, coefficients) in coefficients.iter_mut().enumerate() {
        for (d, coefficients) in coefficients.iter_mut().enumerate() {
            for (k, c) in coefficients.iter_mut().enumerate() {
                *c = V::splat(fused.factors[d] * fused.coefficients[(parity + 1 + d) % 2][k]);
            }
        }
    }
    let mut newest: Newest<V> = [[V::splat(0.0); 2]; DEPTH];
    let next = fused.next;
    let (start, stop) = (fused.begin - REACH, fused.end + REACH);
    let mut pending = fused.irregular.partition_point(|&(index, _)| index < start - REACH);
    let mut i = start;
    while i < stop {
        // levels are at i − 1 … i − DEPTH
        while fused.irregular.get(pending).is_some_and(|&(index, _)| index < i - REACH) {
            pending += 1;
        }
        let regular_until = fused.irregular.get(pending).map_or(stop, |&(index, _)| (index + 1).min(stop));
        // SAFETY: the caller's promise.
        unsafe {
            // the first vectors only fill the levels
            let warm = regular_until.min(fused.begin + REACH);
            while i < warm {
                regular::<V, CENTRE>(fused, i, &mut newest, coefficients[(i & 1) as usize]);
                i += 1;
            }
            if i < regular_until && i & 1 == 1 {
                regular::<V, CENTRE>(fused, i, &mut newest, coefficients[1]).store(&mut *next.offset(i - REACH));
                i += 1;
            }
            while i + 1 < regular_until {
                let even = regular::<V, CENTRE>(fused, i, &mut newest, coefficients[0]);
                even.store(&mut *next.offset(i - REACH));
                let odd = regular::<V, CENTRE>(fused, i + 1, &mut newest, coefficients[1]);
                odd.store(&mut *next.offset(i + 1 - REACH));
                i += 2;
            }
            if i < regular_until {
                let last = regular::<V, CENTRE>(fused, i, &mut newest, coefficients[(i & 1) as usize]);
                last.store(&mut *next.offset(i - REACH));
                i += 1;
            }
            if i < stop {
                let result = irregular::<V>(fused, i, &mut newest);
                if i >= fused.begin + REACH {
                    result.store(&mut *next.offset(i - REACH));
                }
                i += 1;
            }
        }
    }
}

/// One step of all levels, all at positions of the pattern.
///
/// # Safety
/// As for the whole sweep.
#[inline(always)]
unsafe fn regular<V: Vector, const CENTRE: bool>(
    fused: &Fused,
    i: isize,
    newest: &mut Newest<V>,
    coefficients: [[V; 3]; DEPTH],
) -> V {
    // SAFETY: the caller's promise.
    unsafe {
        let mut bases = [V::splat(0.0); DEPTH];
        for (d, f) in bases.iter_mut().enumerate() {
            *f = V::load(&*fused.base.offset(i - 1 - d as isize));
        }
        advance::<V, CENTRE>(newest, V::load(&*fused.current.offset(i)), bases, coefficients)
    }
}

/// One step of all levels, some of which are at positions with coefficients of their own.
///
/// # Safety
/// As for the whole sweep.
#[inline(always)]
unsafe fn irregular<V: Vector>(fused: &Fused, i: isize, newest: &mut Newest<V>) -> V {
    let mut bases = [V::splat(0.0); DEPTH];
    let mut coefficients = [[V::splat(0.0); 3]; DEPTH];
    for d in 0..DEPTH {
        let index = i - 1 - d as isize;
        // SAFETY: the caller's promise.
        let base = unsafe { &*fused.base.offset(index) };
        let factor = fused.factors[d];
        match fused.irregular.binary_search_by_key(&index, |&(index, _)| index) {
            Err(_) => {
                bases[d] = V::load(base);
                for (k, c) in coefficients[d].iter_mut().enumerate() {
                    *c = V::splat(factor * fused.coefficients[(index & 1) as usize][k]);
                }
            }
            Ok(at) => {
                let table = &fused.tables[fused.irregular[at].1];
                let mut with_inputs = *base;
                for &(lane, hidden, c) in &table.inputs {
                    with_inputs[lane] += factor * c * fused.hidden[d][hidden as usize];
                }
                bases[d] = V::load(&with_inputs);
                for (k, c) in coefficients[d].iter_mut().enumerate() {
                    *c = V::splat(factor).times(V::load(&table.coefficients[k]));
                }
            }
        }
    }
    // SAFETY: the caller's promise.
    advance::<V, true>(newest, unsafe { V::load(&*fused.current.offset(i)) }, bases, coefficients)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
unsafe fn body_avx512<const CENTRE: bool>(fused: &Fused) {
    unsafe { body::<std::arch::x86_64::__m512d, CENTRE>(fused) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn body_avx2<const CENTRE: bool>(fused: &Fused) {
    unsafe { body::<x86::Pair, CENTRE>(fused) }
}

/// Performs a sweep.
///
/// # Safety
/// All vectors that the sweep reads and writes must exist; `next` may be `current`, DEPTH vectors to the left.
pub(crate) unsafe fn sweep(instructions: Instructions, fused: &Fused) {
    let centre = fused.coefficients.iter().any(|of_parity| of_parity[1] != 0.0);
    // SAFETY: the instructions are chosen only where they were detected; the rest is the caller's promise.
    unsafe {
        match (instructions, centre) {
            #[cfg(target_arch = "x86_64")]
            (Instructions::Avx512, false) => body_avx512::<false>(fused),
            #[cfg(target_arch = "x86_64")]
            (Instructions::Avx512, true) => body_avx512::<true>(fused),
            #[cfg(target_arch = "x86_64")]
            (Instructions::Avx2, false) => body_avx2::<false>(fused),
            #[cfg(target_arch = "x86_64")]
            (Instructions::Avx2, true) => body_avx2::<true>(fused),
            (Instructions::Portable, false) => body::<Lanes, false>(fused),
            (Instructions::Portable, true) => body::<Lanes, true>(fused),
        }
    }
}
