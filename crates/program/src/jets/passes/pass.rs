//! One pass: the newest coefficients of a run, or the next ones of states whose derivatives are alike.

use super::Side;
use super::columns::{BLOCK, Columns, Scratch};
use super::schedule::{Results, Run};
use crate::jets::engine::divisor;
use crate::jets::kernel::Kernel;
use crate::jets::recurrence::{Factors, Kind, Order, next};
use std::ops::Range;

/// The parts of a range that are blocks of a column, numbered.
pub(super) fn blocks(range: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> {
    range.clone().step_by(BLOCK).map(move |from| from..range.end.min(from + BLOCK)).enumerate()
}

/// What a run needs.
pub(super) struct Pass<'a> {
    pub run: &'a Run,
    pub columns: &'a Columns,
    pub order: Order,
    pub factors: &'a Side,
    pub sums: &'a [f64],
}

/// # Safety
/// Of both functions: everything belongs to the schedule of the run, whose nodes all have places in `now`.
impl Pass<'_> {
    /// Coefficient k of sums.
    #[inline(always)]
    pub unsafe fn sum<K: Kernel>(&self, now: &mut [f64], scratch: &mut Scratch) {
        let (known, out) = now.split_at_mut(self.run.out);
        for (block, out) in out[..self.run.range.len()].chunks_mut(BLOCK).enumerate() {
            // SAFETY: operands have places before those of the run.
            unsafe { self.columns.sum::<K>(&self.run.terms, block, known, scratch, out) };
        }
    }

    /// Coefficient k of all others; the kind is told so that it is known where this is compiled.
    #[inline(always)]
    pub unsafe fn run<K: Kernel>(&self, kind: Kind, now: &mut [f64], [one, other, ..]: &mut Scratch) {
        let Run { range, out, a, b, sums, .. } = self.run;
        let (known, out) = now.split_at_mut(*out);
        let (out, second) = out.split_at_mut(range.len());
        for (block, range) in blocks(range.clone()) {
            let (from, n) = (block * BLOCK, range.len());
            // SAFETY: operands have places before those of the run; all else has one number per instruction.
            let (a, b, sum, weighted) = unsafe {
                let a = self.columns.read(*a, block, n, known, one);
                let b = if kind == Kind::Binary { self.columns.read(*b, block, n, known, other) } else { a };
                let sum = |begin: usize| self.sums.get_unchecked(begin + from..begin + from + n);
                let none = kind == Kind::Weigh;
                let sum_of = if none { a } else { sum(sums[0]) };
                (a, b, sum_of, if kind == Kind::Power { sum(sums[1]) } else { a })
            };
            let out = &mut out[from..from + n];
            let (fs, fa, fb) =
                (&self.factors.sum[range.clone()], &self.factors.a[range.clone()], &self.factors.b[range]);
            for i in 0..n {
                let factors = Factors { sum: fs[i], a: fa[i], b: fb[i] };
                out[i] = next(kind, &factors, self.order, [sum[i], weighted[i]], [a[i], b[i]], K::fma);
            }
            if kind == Kind::Antiquotient {
                for (y, rate) in second[from..from + n].iter_mut().zip(&*out) {
                    *y = rate * self.order.inverse;
                }
            }
        }
    }
}

/// What the next coefficients of the states need.
pub(super) struct Next {
    pub k: usize,
    /// The unit of time.
    pub scale: f64,
    /// 1/(k + 1)
    pub inverse: f64,
}

impl Next {
    /// Coefficient k + 1 of states; `scales` and `to` have one number per state.
    ///
    /// # Safety
    /// Everything belongs to the schedule, and all its nodes have places in `now`.
    #[inline(always)]
    pub unsafe fn results<K: Kernel>(
        &self,
        class: &Results,
        columns: &Columns,
        scales: &[f64],
        now: &[f64],
        scratch: &mut Scratch,
        to: &mut [f64],
    ) {
        let divisor = divisor(self.k + 1);
        let factor = if divisor.is_none() { self.scale * self.inverse } else { self.scale };
        for (block, range) in blocks(class.range.clone()) {
            let (to, scales) = (&mut to[range.clone()], &scales[range]);
            unsafe { columns.sum::<K>(&class.terms, block, now, scratch, to) };
            // The other engine has two terms at least, the missing ones being 0 · t and −0 · t.
            let t = now[0];
            match class.terms.count() {
                0 => to.fill(K::fma(-0.0, t, 0.0 * t)),
                // from order 2 on it changes nothing
                1 if self.k == 1 => {
                    for value in &mut *to {
                        *value = K::fma(-0.0, t, *value);
                    }
                }
                _ => {}
            }
            for (value, scale) in to.iter_mut().zip(scales) {
                *value *= scale * factor;
            }
            if let Some(divisor) = divisor {
                for value in to {
                    *value /= divisor;
                }
            }
        }
    }
}
