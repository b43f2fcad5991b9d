//! One order of an engine's series: the inner sums of all products together, then the recurrences one by one.

use super::engine::{Derivative, Engine, Inner, Step, divisor};
use super::kernel::{Four, Kernel};
use super::recurrence::{self, Kind, next};

impl Engine {
    /// # Safety
    /// orders[1] ≤ room, and c has room for it.
    #[inline(always)]
    pub(super) unsafe fn passes<K: Kernel>(&mut self, orders: [usize; 2], c: &mut [f64]) {
        for k in orders[0]..orders[1] {
            // The shortest sums are special; everywhere else their being so costs nothing.
            unsafe {
                match k {
                    1 => self.pass::<K, 1>(k, c),
                    2 => self.pass::<K, 2>(k, c),
                    _ => self.pass::<K, 3>(k, c),
                }
            }
        }
    }

    /// Coefficient k of all nodes, then k + 1 of the states. `SHORT` is k, but at most 3.
    ///
    /// # Safety
    /// k < room, and c has room for order k + 1.
    #[inline(always)]
    unsafe fn pass<K: Kernel, const SHORT: usize>(&mut self, k: usize, c: &mut [f64]) {
        let series = self.room + 1;
        let first_given = 2 * (self.code.states + 1);
        for (j, given) in self.given.iter().enumerate() {
            self.memory[first_given + 2 * j + k % 2] = given.get(k).copied().unwrap_or(0.0);
        }
        let memory = self.memory.as_mut_ptr();
        unsafe {
            if SHORT == 3 {
                for group in &self.products {
                    let first = memory.add(group.place).cast::<Four>();
                    let second = first.add(series);
                    *second.add(series) = K::inner(first, second, k, k - 2);
                }
                for group in &self.squares {
                    let first = memory.add(group.place).cast::<Four>();
                    *first.add(series) = K::inner(first, first, k, (k - 1) / 2);
                }
            }
            let now = memory.add(k % 2);
            let mut order =
                Order::<SHORT> { memory, now, before: memory.add(4 * (k - 1)), k, inverse: self.inverse[k] };
            let mut step = self.steps.as_ptr();
            for &(kind, end) in &self.runs {
                let end = self.steps.as_ptr().add(end as usize);
                while step < end {
                    // The kind is the same for the whole run: the compiler makes one loop for each.
                    let value = order.value::<K>(kind, &*step, &self.terms);
                    *now.add((*step).out as usize) = value;
                    step = step.add(1);
                }
            }
            // The newest coefficients join their series.
            for group in &self.products {
                let first = memory.add(group.place).cast::<Four>();
                *first.add(k) = K::gather(now, &group.first);
                *first.add(series + k) = K::gather(now, &group.second);
            }
            for group in &self.squares {
                *memory.add(group.place).cast::<Four>().add(k) = K::gather(now, &group.nodes);
            }
            order.results::<K>(&self.results, &self.long_results, &self.terms, self.scale, self.inverse[k + 1], c);
        }
    }
}

/// What the recurrences of one order need.
struct Order<const SHORT: usize> {
    memory: *mut f64,
    /// Where the newest coefficients are.
    now: *mut f64,
    /// Where coefficient k − 1 of a series is, whose coefficient 0 is at the same distance from `memory`.
    before: *const f64,
    k: usize,
    inverse: f64,
}

/// # Safety
/// Of all its functions: steps, terms and results must be those of the memory, which has room for the order.
impl<const SHORT: usize> Order<SHORT> {
    #[inline(always)]
    unsafe fn at(&self, node: u32) -> f64 {
        unsafe { *self.now.add(node as usize) }
    }

    /// Σ fⱼ rₖ₋ⱼ over 1 ≤ j < k
    #[inline(always)]
    unsafe fn product<K: Kernel>(&self, inner: &Inner) -> f64 {
        let (first, second) = (inner.first as usize, inner.second as usize);
        unsafe {
            match SHORT {
                1 => 0.0,
                2 => *self.before.add(first) * *self.before.add(second),
                _ => {
                    let sum = *self.memory.add(inner.sum as usize);
                    let newest = K::fma(*self.before.add(first), *self.memory.add(second + 4), sum);
                    K::fma(*self.memory.add(first + 4), *self.before.add(second), newest)
                }
            }
        }
    }

    /// Σ xⱼ xₖ₋ⱼ over 1 ≤ j < k
    #[inline(always)]
    unsafe fn square<K: Kernel>(&self, inner: &Inner) -> f64 {
        let first = inner.first as usize;
        unsafe {
            let half = *self.memory.add(first + 4 * (self.k / 2));
            let middle = if self.k.is_multiple_of(2) { half * half } else { -0.0 };
            match SHORT {
                1 => 0.0,
                2 => middle,
                _ => {
                    let sum = *self.memory.add(inner.sum as usize);
                    K::fma(2.0, K::fma(*self.memory.add(first + 4), *self.before.add(first), sum), middle)
                }
            }
        }
    }

    /// Coefficient k of a step's node.
    #[inline(always)]
    unsafe fn value<K: Kernel>(&mut self, kind: Kind, step: &Step, terms: &[(u32, f64)]) -> f64 {
        let order = recurrence::Order { k: self.k as f64, inverse: self.inverse };
        unsafe {
            let sums = match kind {
                Kind::Sum => {
                    let terms = terms.get_unchecked(step.a as usize..step.b as usize);
                    return terms.iter().fold(-0.0, |sum, &(node, c)| K::fma(c, self.at(node), sum));
                }
                Kind::Weigh => [0.0; 2],
                Kind::Square => [self.square::<K>(&step.inner), 0.0],
                Kind::Power => [self.product::<K>(&step.inner), self.product::<K>(&step.weighted)],
                Kind::Binary | Kind::Unary | Kind::Antiproduct | Kind::Antiquotient => {
                    [self.product::<K>(&step.inner), 0.0]
                }
            };
            let newest = [self.at(step.a), self.at(step.b)];
            let value = next(kind, &step.factors, order, sums, newest, K::fma);
            if kind == Kind::Antiquotient {
                *self.now.add(step.out as usize + 2) = value * self.inverse;
            }
            value
        }
    }

    /// Coefficient k + 1 of the states, in units of `scale`; `inverse` is 1/(k + 1).
    #[inline(always)]
    unsafe fn results<K: Kernel>(
        &mut self,
        results: &[Derivative],
        long: &[(u32, [u32; 2])],
        terms: &[(u32, f64)],
        scale: f64,
        inverse: f64,
        c: &mut [f64],
    ) {
        let k = self.k;
        let divisor = divisor(k + 1);
        let factor = if divisor.is_none() { scale * inverse } else { scale };
        unsafe {
            let row = c.as_mut_ptr().add((k + 1) * results.len());
            let next = self.memory.add((k + 1) % 2);
            *next = 0.0;
            for (i, result) in results.iter().enumerate() {
                let Derivative { nodes, coefficients, scale } = result;
                let sum = K::fma(coefficients[1], self.at(nodes[1]), coefficients[0] * self.at(nodes[0]));
                let value = sum * (scale * factor);
                *row.add(i) = value;
                *next.add(2 * i + 2) = value;
            }
            for &(state, [from, to]) in long {
                let result = results.get_unchecked(state as usize);
                let mut sum = K::fma(
                    result.coefficients[1],
                    self.at(result.nodes[1]),
                    result.coefficients[0] * self.at(result.nodes[0]),
                );
                for &(node, c) in terms.get_unchecked(from as usize..to as usize) {
                    sum = K::fma(c, self.at(node), sum);
                }
                let value = sum * (result.scale * factor);
                *row.add(state as usize) = value;
                *next.add(2 * state as usize + 2) = value;
            }
            if let Some(divisor) = divisor {
                for i in 0..results.len() {
                    let value = *row.add(i) / divisor;
                    *row.add(i) = value;
                    *next.add(2 * i + 2) = value;
                }
            }
        }
    }
}
