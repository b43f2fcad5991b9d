//! The inner loops of the linear methods, compiled for the best instructions there are:
//!
//! ```text
//!   nextᵢ = baseᵢ + Σₖ cₖᵢ · currentᵢ₊ₒₖ
//! ```
//!
//! Every element is one chain of fused multiplications in the order of k, so its bits do not depend on the width of the
//! vectors; only a processor without fused multiplication has other last digits.

use ordinate_numbers::Instructions;
#[cfg(target_arch = "x86_64")]
use ordinate_numbers::vector::x86;
use ordinate_numbers::vector::{LANES, Lanes, PORTABLE_FUSED, Vector, multiply_add};

/// Some rows of one pattern.
pub(crate) struct Run<'a> {
    /// The result; its length is the number of rows.
    pub next: &'a mut [f64],
    pub base: &'a [f64],
    /// From the smallest offset of the first row to the largest one of the last.
    pub current: &'a [f64],
}

#[inline(always)]
fn run_body<V: Vector, const K: usize, const FUSED: bool>(run: Run, offsets: &[usize; K], coefficients: &[Lanes; K]) {
    let Run { next, base, current } = run;
    let rows = next.len();
    let sources: [&[f64]; K] = std::array::from_fn(|k| &current[offsets[k]..offsets[k] + rows]);
    let vectors = coefficients.map(|c| V::load(&c));
    let (results, rest) = next.as_chunks_mut::<LANES>();
    let (bases, base_rest) = base[..rows].as_chunks::<LANES>();
    let blocks: [&[Lanes]; K] = sources.map(|source| source.as_chunks::<LANES>().0);
    for (i, (result, base)) in results.iter_mut().zip(bases).enumerate() {
        let mut sum = V::load(base);
        for k in 0..K {
            sum = vectors[k].multiply_add(V::load(&blocks[k][i]), sum);
        }
        sum.store(result);
    }
    let whole = rows - rest.len();
    for (l, (result, base)) in rest.iter_mut().zip(base_rest).enumerate() {
        let mut sum = *base;
        for k in 0..K {
            sum = multiply_add::<FUSED>(coefficients[k][l], sources[k][whole + l], sum);
        }
        *result = sum;
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
unsafe fn run_avx512<const K: usize>(run: Run, offsets: &[usize; K], coefficients: &[Lanes; K]) {
    run_body::<std::arch::x86_64::__m512d, K, true>(run, offsets, coefficients);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn run_avx2<const K: usize>(run: Run, offsets: &[usize; K], coefficients: &[Lanes; K]) {
    run_body::<x86::Pair, K, true>(run, offsets, coefficients);
}

fn run_of<const K: usize>(instructions: Instructions, run: Run, offsets: &[usize], coefficients: &[Lanes]) {
    let offsets: &[usize; K] = offsets.first_chunk().expect("as many offsets as diagonals");
    let coefficients: &[Lanes; K] = coefficients.first_chunk().expect("as many coefficients as diagonals");
    match instructions {
        // SAFETY: these instructions are chosen only where they were detected.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 => unsafe { run_avx512(run, offsets, coefficients) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => unsafe { run_avx2(run, offsets, coefficients) },
        Instructions::Portable => run_body::<Lanes, K, PORTABLE_FUSED>(run, offsets, coefficients),
    }
}

/// The most diagonals that a pattern may have.
pub(crate) const MAX_DIAGONALS: usize = 8;

/// Computes some rows of one pattern.
pub(crate) fn run(instructions: Instructions, run: Run, offsets: &[usize], coefficients: &[Lanes]) {
    match offsets.len() {
        0 => {
            let rows = run.next.len();
            run.next.copy_from_slice(&run.base[..rows]);
        }
        1 => run_of::<1>(instructions, run, offsets, coefficients),
        2 => run_of::<2>(instructions, run, offsets, coefficients),
        3 => run_of::<3>(instructions, run, offsets, coefficients),
        4 => run_of::<4>(instructions, run, offsets, coefficients),
        5 => run_of::<5>(instructions, run, offsets, coefficients),
        6 => run_of::<6>(instructions, run, offsets, coefficients),
        7 => run_of::<7>(instructions, run, offsets, coefficients),
        8 => run_of::<8>(instructions, run, offsets, coefficients),
        more => unreachable!("patterns have at most {MAX_DIAGONALS} diagonals, not {more}"),
    }
}

/// Single rows of a matrix, and where their elements are.
pub(crate) struct Single<'a> {
    /// Row, and the range of its elements.
    pub rows: &'a [(u32, u32, u32)],
    pub columns: &'a [u32],
    pub values: &'a [f64],
}

/// The vectors of a level.
pub(crate) struct Level<'a> {
    pub next: &'a mut [f64],
    pub current: &'a [f64],
    pub base: &'a [f64],
}

#[inline(always)]
fn single_body<const FUSED: bool>(single: &Single, level: &mut Level, factor: f64) {
    for &(row, from, to) in single.rows {
        let (row, range) = (row as usize, from as usize..to as usize);
        let mut sum = level.base[row];
        for (&column, &value) in single.columns[range.clone()].iter().zip(&single.values[range]) {
            sum = multiply_add::<FUSED>(factor * value, level.current[column as usize], sum);
        }
        level.next[row] = sum;
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn single_fused(single: &Single, level: &mut Level, factor: f64) {
    single_body::<true>(single, level, factor);
}

/// Computes single rows: next = base + factor · (matrix · current).
pub(crate) fn single(instructions: Instructions, rows: &Single, level: &mut Level, factor: f64) {
    match instructions {
        // SAFETY: these instructions are chosen only where they were detected.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 | Instructions::Avx2 => unsafe { single_fused(rows, level, factor) },
        Instructions::Portable => single_body::<PORTABLE_FUSED>(rows, level, factor),
    }
}

/// What a point of a run is like, in the norm of the weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Norms {
    /// ‖f‖
    pub f: f64,
    /// ‖y‖
    pub y: f64,
    /// min scaleᵢ/dᵢ
    pub scale: f64,
    /// Zero, unless an element of f is not finite.
    pub finite: f64,
}

/// The vectors that norms are taken of.
#[derive(Clone, Copy)]
pub(crate) struct Measured<'a> {
    pub f: &'a [f64],
    pub y: &'a [f64],
    pub atol: &'a [f64],
    pub rtol: f64,
    /// 1/d
    pub inverse: &'a [f64],
}

#[inline(always)]
fn norms_body<V: Vector>(m: Measured) -> Norms {
    let n = m.f.len();
    let (f, f_rest) = m.f.as_chunks::<LANES>();
    let (y, y_rest) = m.y[..n].as_chunks::<LANES>();
    let (atol, atol_rest) = m.atol[..n].as_chunks::<LANES>();
    let (inverse, inverse_rest) = m.inverse[..n].as_chunks::<LANES>();
    let mut norms =
        VectorNorms { f: V::splat(0.0), y: V::splat(0.0), scale: V::splat(f64::INFINITY), finite: V::splat(0.0) };
    for i in 0..f.len() {
        norms.add(V::load(&f[i]), V::load(&y[i]), V::load(&atol[i]), m.rtol, V::load(&inverse[i]));
    }
    if !f_rest.is_empty() {
        // zeros do not change a norm; an infinite tolerance does not count
        let whole = |rest: &[f64], filling: f64| -> V {
            let mut lanes = [filling; LANES];
            lanes[..rest.len()].copy_from_slice(rest);
            V::load(&lanes)
        };
        let (f, y) = (whole(f_rest, 0.0), whole(y_rest, 0.0));
        norms.add(f, y, whole(atol_rest, f64::INFINITY), m.rtol, whole(inverse_rest, 1.0));
    }
    let lanes = |v: V| {
        let mut lanes = [0.0; LANES];
        v.store(&mut lanes);
        lanes.into_iter()
    };
    Norms {
        f: lanes(norms.f).fold(0.0, f64::max),
        y: lanes(norms.y).fold(0.0, f64::max),
        scale: lanes(norms.scale).fold(f64::INFINITY, f64::min),
        finite: lanes(norms.finite).sum(),
    }
}

/// [`Norms`] lane by lane.
struct VectorNorms<V> {
    f: V,
    y: V,
    scale: V,
    finite: V,
}

impl<V: Vector> VectorNorms<V> {
    #[inline(always)]
    fn add(&mut self, f: V, y: V, atol: V, rtol: f64, inverse: V) {
        let size = y.abs();
        self.f = f.abs().times(inverse).larger(self.f);
        self.y = size.times(inverse).larger(self.y);
        self.scale = V::splat(rtol).times(size).plus(atol).times(inverse).smaller(self.scale);
        self.finite = f.times(V::splat(0.0)).plus(self.finite);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
unsafe fn norms_avx512(measured: Measured) -> Norms {
    norms_body::<std::arch::x86_64::__m512d>(measured)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn norms_avx2(measured: Measured) -> Norms {
    norms_body::<x86::Pair>(measured)
}

/// The norms of a point.
pub(crate) fn norms(instructions: Instructions, measured: Measured) -> Norms {
    match instructions {
        // SAFETY: these instructions are chosen only where they were detected.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 => unsafe { norms_avx512(measured) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => unsafe { norms_avx2(measured) },
        Instructions::Portable => norms_body::<Lanes>(measured),
    }
}

/// The end of a step: y₁ = y + h u + what was lost before; what is lost now is kept (W. Kahan, CACM 8 (1965) 40).
///
/// States far below their limit become zero. Ahead of a wave there are others smaller still, down to where numbers lose
/// their digits, and with those a processor needs a hundred times as long.
pub(crate) struct Accumulate<'a> {
    pub limit: &'a [f64],
    pub y: &'a [f64],
    pub u: &'a [f64],
    pub lost: &'a [f64],
    pub end: &'a mut [f64],
    pub lost_next: &'a mut [f64],
}

#[inline(always)]
fn accumulate_body<V: Vector>(a: Accumulate, h: f64) {
    let n = a.end.len();
    let (y, y_rest) = a.y[..n].as_chunks::<LANES>();
    let (u, u_rest) = a.u[..n].as_chunks::<LANES>();
    let (limit, limit_rest) = a.limit[..n].as_chunks::<LANES>();
    let (lost, lost_rest) = a.lost[..n].as_chunks::<LANES>();
    let (end, end_rest) = a.end.as_chunks_mut::<LANES>();
    let (lost_next, lost_next_rest) = a.lost_next[..n].as_chunks_mut::<LANES>();
    let h_lanes = V::splat(h);
    for i in 0..y.len() {
        let start = V::load(&y[i]);
        let change = h_lanes.times(V::load(&u[i])).plus(V::load(&lost[i]));
        let result = start.plus(change);
        let limit = V::load(&limit[i]);
        change.minus(result.minus(start)).zero_where_below(result, limit).store(&mut lost_next[i]);
        result.zero_where_below(result, limit).store(&mut end[i]);
    }
    for i in 0..y_rest.len() {
        let change = h * u_rest[i] + lost_rest[i];
        let result = y_rest[i] + change;
        let below = result.abs() < limit_rest[i];
        lost_next_rest[i] = if below { 0.0 } else { change - (result - y_rest[i]) };
        end_rest[i] = if below { 0.0 } else { result };
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
unsafe fn accumulate_avx512(a: Accumulate, h: f64) {
    accumulate_body::<std::arch::x86_64::__m512d>(a, h)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn accumulate_avx2(a: Accumulate, h: f64) {
    accumulate_body::<x86::Pair>(a, h)
}

/// Ends a step.
pub(crate) fn accumulate(instructions: Instructions, a: Accumulate, h: f64) {
    match instructions {
        // SAFETY: these instructions are chosen only where they were detected.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 => unsafe { accumulate_avx512(a, h) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => unsafe { accumulate_avx2(a, h) },
        Instructions::Portable => accumulate_body::<Lanes>(a, h),
    }
}
