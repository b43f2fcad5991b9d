//! Series of large systems whose equations are like each other: chains, grids, many bodies.
//!
//! Instructions of one kind that do not need each other are one *run*. An order is a sequence of passes: all inner sums,
//! then run after run, then the derivatives. The newest coefficients of all nodes lie side by side, those of a run in its
//! sequence, so that a pass reads and writes whole vectors; only where the operands of neighbours are not neighbours are
//! they gathered. The bits of all coefficients are those of the other engine, which does what is small or all different.
//!
//! Series without their beginning, in microseconds; the best of three hundred on a busy Ice Lake server at 2.8 GHz:
//!
//! ```text
//!                                            order    one by one    in passes
//!   Fermi–Pasta–Ulam chain of 5000 masses       22          2950          830
//!   1000 coupled van der Pol oscillators        22           450          190
//!   1000 coupled Lorenz systems                 22           570          360
//!   1000 coupled pendulums                      22           500          285
//!   100 bodies                                  18         31200         6100
//! ```

mod columns;
mod inner;
mod pass;
mod schedule;
#[cfg(test)]
mod tests;

use super::code::{JetCode, JetOp};
use super::engine::has_vectors;
use super::kernel::{Kernel, Portable};
use super::layout::{inverses, room_for};
use super::native;
use super::recurrence::{Factors, Kind, Order, begin, finish};
use columns::BLOCK;
use inner::Inner;
use pass::{Next, Pass, blocks};
use schedule::Schedule;

/// Smaller systems are left to the other engine, also where there is no machine code.
const FEWEST: usize = 400;

/// Likewise those whose runs are shorter than this on average.
const SHORTEST: usize = 8;

/// The series of all nodes of a code.
#[derive(Clone, Debug)]
pub(super) struct Passes {
    schedule: Schedule,
    inner: Inner,
    /// Of all instructions.
    factors: Side,
    /// Scales of the derivatives.
    scales: Vec<f64>,
    /// Values of all nodes.
    values: Vec<f64>,
    /// The newest coefficients of all nodes: those of even orders, and those of odd ones.
    newest: [Vec<f64>; 2],
    /// 1/k
    inverse: Vec<f64>,
    /// Highest order that there is room for.
    room: usize,
    /// The coefficients computed up to here, in these units.
    done: usize,
    scale: f64,
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only x86-64 has a choice"))]
    vectors: bool,
}

/// Factors of recurrences side by side.
#[derive(Clone, Debug)]
struct Side {
    sum: Vec<f64>,
    a: Vec<f64>,
    b: Vec<f64>,
}

impl Side {
    fn set(&mut self, index: usize, factors: Factors) {
        (self.sum[index], self.a[index], self.b[index]) = (factors.sum, factors.a, factors.b);
    }
}

impl Passes {
    /// `None` if the code is small, if there will be machine code, or if its instructions are too different.
    pub fn new(code: &JetCode) -> Option<Passes> {
        let native = has_vectors() && native::fits(code);
        if native || code.given > 0 || code.instructions.len() + code.states < FEWEST {
            return None;
        }
        Passes::with_runs_of(code, SHORTEST)
    }

    fn with_runs_of(code: &JetCode, least: usize) -> Option<Passes> {
        code.check();
        let mut schedule = Schedule::new(code, least)?;
        let inner = Inner::new(&schedule.code, &mut schedule.runs);
        let zeros = vec![0.0; schedule.code.instructions.len()];
        let nodes = vec![0.0; schedule.code.nodes];
        let mut passes = Passes {
            inner,
            scales: schedule.code.results.iter().map(|sum| sum.scale).collect(),
            factors: Side { sum: zeros.clone(), a: zeros.clone(), b: zeros },
            values: nodes.clone(),
            newest: [nodes.clone(), nodes],
            inverse: Vec::new(),
            room: 0,
            done: 0,
            scale: 1.0,
            vectors: has_vectors(),
            schedule,
        };
        passes.make_room(24);
        Some(passes)
    }

    fn make_room(&mut self, order: usize) {
        self.room = room_for(order);
        self.inverse = inverses(self.room);
        self.inner.make_room(self.room);
        self.done = 0;
    }

    /// The values of all nodes at a point, and f.
    pub fn begin(&mut self, t: f64, y: &[f64], f: &mut [f64]) {
        self.done = 0;
        let Schedule { code, states, runs, results, columns } = &self.schedule;
        let (values, mut scratch) = (&mut self.values, [[0.0; BLOCK]; 4]);
        values[0] = t;
        for (value, state) in values[1..].iter_mut().zip(states) {
            *value = y[*state as usize];
        }
        for run in runs {
            if run.kind == Kind::Sum {
                let (known, out) = values.split_at_mut(run.out);
                for (block, out) in out[..run.range.len()].chunks_mut(BLOCK).enumerate() {
                    // SAFETY: the places of operands are those of earlier runs.
                    unsafe { columns.sum::<Portable>(&run.terms, block, known, &mut scratch, out) };
                    let instructions = &code.instructions[run.range.start + block * BLOCK..];
                    for (out, instruction) in out.iter_mut().zip(instructions) {
                        if let JetOp::Sum(sum) = &instruction.op {
                            *out += sum.constant;
                        }
                    }
                }
                continue;
            }
            let second = run.out + run.range.len();
            for (i, instruction) in run.range.clone().zip(&code.instructions[run.range.clone()]) {
                let (value, factors) = begin(&instruction.op, |node| values[node as usize]);
                self.factors.set(i, factors);
                if run.kind == Kind::Antiquotient {
                    values[instruction.out as usize] = 0.0;
                    values[second + i - run.range.start] = value;
                } else {
                    values[instruction.out as usize] = value;
                }
            }
        }
        for run in runs.iter().filter(|run| matches!(run.kind, Kind::Antiproduct | Kind::Antiquotient)) {
            for i in run.range.clone() {
                let factors = finish(&code.instructions[i].op, |node| values[node as usize]);
                self.factors.set(i, factors.expect("these need later values"));
            }
        }
        let mut sums = [0.0; BLOCK];
        for class in results {
            for (block, range) in blocks(class.range.clone()) {
                let sums = &mut sums[..range.len()];
                // SAFETY: all values are known.
                unsafe { columns.sum::<Portable>(&class.terms, block, values, &mut scratch, sums) };
                for (i, value) in range.zip(sums) {
                    let sum = &code.results[i];
                    f[states[i] as usize] = sum.scale * (sum.constant + *value);
                }
            }
        }
    }

    /// The coefficients of the states up to `order`, from the point begun last; those known already are not computed anew,
    /// but must still be in `c`.
    pub fn extend(&mut self, f: &[f64], scale: f64, order: usize, c: &mut [f64]) {
        let n = self.schedule.code.states;
        assert!(c.len() >= (order + 1) * n && f.len() >= n, "room for all coefficients");
        if order > self.room {
            self.make_room(order);
        }
        if self.done == 0 || scale != self.scale {
            self.newest[0][0] = 0.0;
            self.newest[1][0] = scale;
            for (i, state) in self.schedule.states.iter().enumerate() {
                let state = *state as usize;
                c[state] = self.values[i + 1];
                c[n + state] = scale * f[state];
                self.newest[1][i + 1] = scale * f[state];
            }
            (self.done, self.scale) = (1, scale);
        }
        for k in self.done..order {
            let row = &mut c[(k + 1) * n..(k + 2) * n];
            #[cfg(target_arch = "x86_64")]
            if self.vectors {
                // SAFETY: the processor has AVX2 and FMA; there is room for this order.
                unsafe { self.order_avx2(k, row) };
                continue;
            }
            // SAFETY: there is room for this order.
            unsafe { self.order::<Portable>(k, row) };
        }
        self.done = self.done.max(order);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn order_avx2(&mut self, k: usize, row: &mut [f64]) {
        unsafe { self.order::<super::kernel::Avx2>(k, row) }
    }

    /// Coefficient k of all nodes, then k + 1 of the states, of which there is one each in `row`.
    ///
    /// # Safety
    /// 1 ≤ k < room.
    #[inline(always)]
    unsafe fn order<K: Kernel>(&mut self, k: usize, row: &mut [f64]) {
        let Schedule { states, runs, results, columns, .. } = &self.schedule;
        let [even, odd] = &mut self.newest;
        let (now, other) = if k.is_multiple_of(2) { (even, odd) } else { (odd, even) };
        let scratch = &mut [[0.0; BLOCK]; 4];
        let order = Order { k: k as f64, inverse: self.inverse[k] };
        unsafe {
            self.inner.compute::<K>(k, other);
            let sums = self.inner.sums.as_flattened();
            for run in runs {
                let pass = Pass { run, columns, order, factors: &self.factors, sums };
                // each with a loop of its own
                match run.kind {
                    Kind::Sum => pass.sum::<K>(now, scratch),
                    Kind::Binary => pass.run::<K>(Kind::Binary, now, scratch),
                    Kind::Unary => pass.run::<K>(Kind::Unary, now, scratch),
                    Kind::Square => pass.run::<K>(Kind::Square, now, scratch),
                    Kind::Power => pass.run::<K>(Kind::Power, now, scratch),
                    Kind::Weigh => pass.run::<K>(Kind::Weigh, now, scratch),
                    Kind::Antiproduct => pass.run::<K>(Kind::Antiproduct, now, scratch),
                    Kind::Antiquotient => pass.run::<K>(Kind::Antiquotient, now, scratch),
                }
            }
            other[0] = 0.0;
            let next = Next { k, scale: self.scale, inverse: self.inverse[k + 1] };
            for class in results {
                next.results::<K>(class, columns, &self.scales, now, scratch, &mut other[1..]);
            }
            for (value, state) in other[1..].iter().zip(states) {
                *row.get_unchecked_mut(*state as usize) = *value;
            }
        }
    }
}
