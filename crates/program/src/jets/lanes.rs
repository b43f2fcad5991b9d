//! Series of several trajectories side by side. The recurrences are those of `recurrence.rs`; the numbers of a code (sums,
//! factors, constants) may differ from lane to lane, its structure may not.

use super::code::{JetCode, JetInstruction, JetOp, Sum};
use super::recurrence::{self, Factors, Form, Kind, begin, finish, next};
use ordinate_numbers::{LANES, Lanes, Number, Processor, Task};
use ordinate_solve::{JetCost, LaneJets, MAX_ORDER, Refusal, StopFlag};
use std::sync::Arc;

/// The series of all nodes of codes of one structure:
///
/// ```text
///   memory[node · stride + k] = coefficient k of a node, one per lane
/// ```
#[derive(Clone, Debug)]
pub struct LaneSeries {
    /// The codes there are, and which one each trajectory has.
    codes: Vec<Arc<JetCode>>,
    of: Vec<usize>,
    /// The code whose numbers are in each lane.
    loaded: [usize; LANES],
    code: JetCode<Lanes>,
    steps: Vec<Step>,
    factors: Vec<Factors<Lanes>>,
    memory: Vec<Lanes>,
    stride: usize,
    /// Scale of time times the scale of each derivative.
    scales: Vec<Lanes>,
    /// 1/k
    inverse: Vec<f64>,
    processor: Processor,
    stop: StopFlag,
}

/// An instruction as the recurrences need it: its nodes, those of its inner sum among them.
#[derive(Clone, Copy, Debug)]
struct Step {
    work: Work,
    out: u32,
    a: u32,
    b: u32,
    first: u32,
    second: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Work {
    One(Kind),
    /// A binary one, and the next step is another one whose product has the same first factor.
    Pair,
}

impl LaneSeries {
    /// For trajectories that have these codes, all of the same structure, of which there is at least one. Trajectory i
    /// has the code of index `of[i]`.
    pub fn new(codes: Vec<Arc<JetCode>>, of: Vec<usize>, processor: Processor) -> LaneSeries {
        let first = &codes[0];
        first.check();
        let structure = first.structure();
        assert!(codes.iter().all(|code| code.structure() == structure), "codes of one structure");
        let zero = Factors { sum: Lanes::ZERO, a: Lanes::ZERO, b: Lanes::ZERO };
        let stride = stride_for(24);
        LaneSeries {
            code: first.map(Lanes::splat),
            steps: pairs(first.instructions.iter().map(step).collect()),
            factors: vec![zero; first.instructions.len()],
            memory: vec![Lanes::ZERO; first.nodes * stride],
            stride,
            scales: vec![Lanes::ZERO; first.states],
            inverse: (0..=MAX_ORDER + 1).map(|k| 1.0 / f64::from(k)).collect(),
            loaded: [0; LANES],
            codes,
            of,
            processor,
            stop: StopFlag::default(),
        }
    }

    /// The same, refusing to be evaluated once this is raised.
    pub fn stopped_by(self, stop: StopFlag) -> LaneSeries {
        LaneSeries { stop, ..self }
    }

    /// Makes room for this order; what is known stays.
    fn make_room(&mut self, order: usize) {
        let stride = stride_for(order);
        // The series of t must be zero from power 2 on, and is never written there.
        let mut memory = vec![Lanes::ZERO; self.code.nodes * stride];
        for (new, old) in memory.chunks_exact_mut(stride).zip(self.memory.chunks_exact(self.stride)) {
            new[..self.stride].copy_from_slice(old);
        }
        (self.memory, self.stride) = (memory, stride);
    }
}

/// The distance between the series of two nodes. It is no power of two: such a one would let the coefficients of all nodes
/// compete for the same places of the cache.
fn stride_for(order: usize) -> usize {
    (order + 1).next_multiple_of(8) + 3
}

/// Puts neighbours together whose products share a factor.
fn pairs(mut steps: Vec<Step>) -> Vec<Step> {
    let mut i = 0;
    while i + 1 < steps.len() {
        let [one, other] = [steps[i], steps[i + 1]];
        let both = [one.work, other.work] == [Work::One(Kind::Binary); 2];
        let common = [one.first, one.second].into_iter().find(|node| [other.first, other.second].contains(node));
        let Some(common) = common.filter(|_| both) else {
            i += 1;
            continue;
        };
        for step in &mut steps[i..i + 2] {
            if step.first != common {
                (step.first, step.second) = (step.second, step.first);
            }
        }
        steps[i].work = Work::Pair;
        i += 2;
    }
    steps
}

fn step(instruction: &JetInstruction) -> Step {
    let Form { kind, a, b, product, weighted } = instruction.form();
    let [first, second] = product.unwrap_or_default();
    // the second product of a power has the factors b and `second`
    let b = weighted.map_or(b, |[node, _]| node);
    Step { work: Work::One(kind), out: instruction.out, a, b, first, second }
}

impl LaneJets for LaneSeries {
    fn states(&self) -> usize {
        self.code.states
    }

    fn load(&mut self, lane: usize, trajectory: usize) {
        let which = self.of[trajectory];
        if self.loaded[lane] == which {
            return;
        }
        self.loaded[lane] = which;
        let mut numbers = Vec::new();
        self.codes[which].map(|number| numbers.push(number));
        let mut numbers = numbers.into_iter();
        self.code = self.code.map(|mut lanes: Lanes| {
            lanes[lane] = numbers.next().expect("the structures are the same");
            lanes
        });
    }

    fn begin(&mut self, t: &Lanes, y: &[Lanes], f: &mut [Lanes]) {
        assert!(y.len() == self.code.states && f.len() == self.code.states, "one per state");
        self.processor.run(Begin { series: self, t, y, f });
    }

    fn extend(&mut self, f: &[Lanes], scale: &Lanes, order: usize) {
        assert!(order <= MAX_ORDER as usize && f.len() == self.code.states, "a possible order, one f per state");
        if order >= self.stride {
            self.make_room(order);
        }
        self.processor.run(Extend { series: self, f, scale, order });
    }

    fn coefficients(&self) -> (&[Lanes], usize) {
        (&self.memory[self.stride..], self.stride)
    }

    fn cost(&self) -> JetCost {
        cost(&self.code)
    }

    fn processor(&self) -> Processor {
        self.processor
    }

    fn refusal(&self) -> Option<Refusal> {
        self.stop.is_raised().then_some(Refusal::Interrupted)
    }
}

/// The values of all nodes at a point, the factors of the recurrences, and f.
struct Begin<'a> {
    series: &'a mut LaneSeries,
    t: &'a Lanes,
    y: &'a [Lanes],
    f: &'a mut [Lanes],
}

impl Task for Begin<'_> {
    type Output = ();

    #[inline(always)]
    fn run<N: Number<Stored = Lanes>>(self) {
        let LaneSeries { code, factors, memory, stride, .. } = self.series;
        let stride = *stride;
        for (y, to) in std::iter::once(self.t).chain(self.y).zip(memory.iter_mut().step_by(stride)) {
            N::load(y).store(to);
        }
        let mut late = false;
        for (instruction, kept) in code.instructions.iter().zip(factors.iter_mut()) {
            let out = instruction.out as usize * stride;
            if let JetOp::Sum(sum) = &instruction.op {
                value_of::<N>(&code.terms, sum, memory, stride).store(&mut memory[out]);
                continue;
            }
            let (value, factors) = begin(&instruction.op, |node| N::load(&memory[node as usize * stride]));
            keep(factors, kept);
            if let JetOp::Antiquotient { .. } = instruction.op {
                memory[out] = Lanes::ZERO;
                value.store(&mut memory[out + stride]);
            } else {
                value.store(&mut memory[out]);
            }
            late |= matches!(instruction.op, JetOp::Antiproduct { .. } | JetOp::Antiquotient { .. });
        }
        if late {
            for (instruction, kept) in code.instructions.iter().zip(factors) {
                if let Some(factors) = finish(&instruction.op, |node| N::load(&memory[node as usize * stride])) {
                    keep(factors, kept);
                }
            }
        }
        for (f, sum) in self.f.iter_mut().zip(&code.results) {
            (N::load(&sum.scale) * value_of::<N>(&code.terms, sum, memory, stride)).store(f);
        }
    }
}

#[inline(always)]
fn keep<N: Number<Stored = Lanes>>(factors: Factors<N>, to: &mut Factors<Lanes>) {
    factors.sum.store(&mut to.sum);
    factors.a.store(&mut to.a);
    factors.b.store(&mut to.b);
}

/// constant + Σ c · node, of the values.
#[inline(always)]
fn value_of<N: Number<Stored = Lanes>>(terms: &[(u32, Lanes)], sum: &Sum<Lanes>, memory: &[Lanes], stride: usize) -> N {
    let mut total = N::splat(0.0);
    for (node, c) in &terms[sum.from as usize..sum.to as usize] {
        total = total + N::load(c) * N::load(&memory[*node as usize * stride]);
    }
    N::load(&sum.constant) + total
}

/// The coefficients of all nodes but those of the states below `order`, and those of the states up to it.
struct Extend<'a> {
    series: &'a mut LaneSeries,
    f: &'a [Lanes],
    scale: &'a Lanes,
    order: usize,
}

impl Task for Extend<'_> {
    type Output = ();

    #[inline(always)]
    fn run<N: Number<Stored = Lanes>>(self) {
        let LaneSeries { code, steps, factors, memory, stride, scales, inverse, .. } = self.series;
        let stride = *stride;
        assert!(self.order < stride && memory.len() == code.nodes * stride, "room for this order");
        let time = N::load(self.scale);
        time.store(&mut memory[1]);
        for (i, f) in self.f.iter().enumerate() {
            (time * N::load(f)).store(&mut memory[(i + 1) * stride + 1]);
            (time * N::load(&code.results[i].scale)).store(&mut scales[i]);
        }
        for k in 1..self.order {
            // SAFETY: nodes and terms were checked when the series was made, and there is room for this order.
            unsafe {
                let mut order = Order { memory: memory.as_mut_ptr(), stride, k, inverse: N::splat(inverse[k]) };
                let mut i = 0;
                while i < steps.len() {
                    let step = steps.get_unchecked(i);
                    if let Work::Pair = step.work {
                        order.pair(
                            [step, steps.get_unchecked(i + 1)],
                            [factors.get_unchecked(i), factors.get_unchecked(i + 1)],
                        );
                        i += 2;
                    } else {
                        order.step(step, factors.get_unchecked(i), &code.terms);
                        i += 1;
                    }
                }
                for (i, (sum, scale)) in code.results.iter().zip(scales.iter()).enumerate() {
                    order.result(i, sum, scale, &code.terms, inverse[k + 1]);
                }
            }
        }
    }
}

/// What the recurrences of one order need.
struct Order<N> {
    memory: *mut Lanes,
    stride: usize,
    k: usize,
    inverse: N,
}

/// # Safety
/// Of all its functions: the nodes must be those of the memory, which has room for order k + 1, and 1 ≤ k.
impl<N: Number<Stored = Lanes>> Order<N> {
    /// Where the series of a node begins.
    #[inline(always)]
    unsafe fn series(&self, node: u32) -> *mut Lanes {
        unsafe { self.memory.add(node as usize * self.stride) }
    }

    /// The newest coefficient of a node.
    #[inline(always)]
    unsafe fn at(&self, node: u32) -> N {
        unsafe { N::load(&*self.series(node).add(self.k)) }
    }

    /// Coefficient k of a step's node.
    #[inline(always)]
    unsafe fn step(&mut self, step: &Step, factors: &Factors<Lanes>, terms: &[(u32, Lanes)]) {
        unsafe {
            let out = &mut *self.series(step.out).add(self.k);
            // The kind is written out, so that each arm has its own recurrence and no more.
            let value = match step.work {
                Work::One(Kind::Sum) => self.sum(step.a, step.b, terms),
                Work::One(Kind::Binary) | Work::Pair => self.with_product(Kind::Binary, step, factors),
                Work::One(Kind::Unary) => self.with_product(Kind::Unary, step, factors),
                Work::One(Kind::Square) => self.next(Kind::Square, step, factors, [self.square(step.first); 2]),
                Work::One(Kind::Power) => {
                    let sums = [self.product(step.first, step.second), self.product(step.b, step.second)];
                    self.next(Kind::Power, step, factors, sums)
                }
                Work::One(Kind::Weigh) => self.next(Kind::Weigh, step, factors, [N::splat(0.0); 2]),
                Work::One(Kind::Antiproduct) => self.with_product(Kind::Antiproduct, step, factors),
                Work::One(Kind::Antiquotient) => {
                    let rate = self.with_product(Kind::Antiquotient, step, factors);
                    (rate * self.inverse).store(&mut *self.series(step.out + 1).add(self.k));
                    rate
                }
            };
            value.store(out);
        }
    }

    /// The recurrence of a step that has one product.
    #[inline(always)]
    unsafe fn with_product(&self, kind: Kind, step: &Step, factors: &Factors<Lanes>) -> N {
        unsafe { self.next(kind, step, factors, [self.product(step.first, step.second); 2]) }
    }

    /// The recurrence of a step, its inner sums being known.
    #[inline(always)]
    unsafe fn next(&self, kind: Kind, step: &Step, factors: &Factors<Lanes>, sums: [N; 2]) -> N {
        let factors = Factors { sum: N::load(&factors.sum), a: N::load(&factors.a), b: N::load(&factors.b) };
        let order = recurrence::Order { k: N::splat(self.k as f64), inverse: self.inverse };
        let newest = unsafe { [self.at(step.a), self.at(step.b)] };
        next(kind, &factors, order, sums, newest, N::fma)
    }

    /// Coefficient k of the nodes of two steps whose products share a factor, which is thus loaded once. They are summed
    /// in one go each: two chains of operations are as good as the two of a single product.
    #[inline(always)]
    unsafe fn pair(&mut self, steps: [&Step; 2], factors: [&Factors<Lanes>; 2]) {
        unsafe {
            let (f, k) = (self.series(steps[0].first), self.k);
            let [r, s] = steps.map(|step| self.series(step.second));
            let (mut p, mut q) = (N::splat(0.0), N::splat(0.0));
            // the newest coefficients last
            for j in 2..k {
                let f = N::load(&*f.add(j));
                p = f.fma(N::load(&*r.add(k - j)), p);
                q = f.fma(N::load(&*s.add(k - j)), q);
            }
            if k > 1 {
                let f = N::load(&*f.add(1));
                p = f.fma(N::load(&*r.add(k - 1)), p);
                q = f.fma(N::load(&*s.add(k - 1)), q);
            }
            for (step, (factors, sum)) in steps.into_iter().zip(factors.into_iter().zip([p, q])) {
                self.next(Kind::Binary, step, factors, [sum; 2]).store(&mut *self.series(step.out).add(k));
            }
        }
    }

    /// Coefficient k + 1 of state i; `inverse` is 1/(k + 1).
    #[inline(always)]
    unsafe fn result(&mut self, i: usize, sum: &Sum<Lanes>, scale: &Lanes, terms: &[(u32, Lanes)], inverse: f64) {
        unsafe {
            let (total, scale) = (self.sum(sum.from, sum.to, terms), N::load(scale));
            // A rounded 1/3 would push the same way in every step; 1/2, 1/4 are exact, and later terms too small to
            // matter.
            let value = if matches!(self.k, 2 | 4 | 5 | 6) {
                (total * scale).over((self.k + 1) as f64, inverse)
            } else {
                total * (scale * N::splat(inverse))
            };
            value.store(&mut *self.series(i as u32 + 1).add(self.k + 1));
        }
    }

    /// Σ c · node, of coefficient k.
    #[inline(always)]
    unsafe fn sum(&self, from: u32, to: u32, terms: &[(u32, Lanes)]) -> N {
        unsafe {
            let mut terms = terms.get_unchecked(from as usize..to as usize).iter();
            let Some((node, c)) = terms.next() else { return N::splat(0.0) };
            let mut total = N::load(c) * self.at(*node);
            for (node, c) in terms {
                total = N::load(c).fma(self.at(*node), total);
            }
            total
        }
    }

    /// Σ fⱼ rₖ₋ⱼ over 1 ≤ j < k. The products with the newest coefficients come last, because the processor has to wait
    /// for these.
    #[inline(always)]
    unsafe fn product(&self, first: u32, second: u32) -> N {
        unsafe {
            let (f, r, k) = (self.series(first), self.series(second), self.k);
            if k < 3 {
                return if k < 2 { N::splat(0.0) } else { N::load(&*f.add(1)) * N::load(&*r.add(1)) };
            }
            let sum = inner::<N>(f.add(2), r.add(k - 2), k - 3);
            let sum = N::load(&*f.add(k - 1)).fma(N::load(&*r.add(1)), sum);
            N::load(&*f.add(1)).fma(N::load(&*r.add(k - 1)), sum)
        }
    }

    /// The same of a series and itself.
    #[inline(always)]
    unsafe fn square(&self, node: u32) -> N {
        unsafe {
            let (f, k) = (self.series(node), self.k);
            let half = N::load(&*f.add(k / 2));
            let middle = if k.is_multiple_of(2) { half * half } else { N::splat(0.0) };
            if k < 3 {
                return middle;
            }
            let sum = inner::<N>(f.add(2), f.add(k - 2), (k - 1) / 2 - 1);
            let sum = N::load(&*f.add(1)).fma(N::load(&*f.add(k - 1)), sum);
            N::splat(2.0).fma(sum, middle)
        }
    }
}

/// Σ f[i] r[−i] over 0 ≤ i < n, in sums of their own for even and odd i.
///
/// # Safety
/// f must be readable forwards and r backwards.
#[inline(always)]
unsafe fn inner<N: Number<Stored = Lanes>>(f: *const Lanes, r: *const Lanes, n: usize) -> N {
    unsafe {
        let at = |p: *const Lanes| N::load(&*p);
        let (mut f, mut r, mut left) = (f, r, n);
        let (mut even, mut odd) = (N::splat(0.0), N::splat(0.0));
        while left >= 2 {
            even = at(f).fma(at(r), even);
            odd = at(f.add(1)).fma(at(r.sub(1)), odd);
            (f, r, left) = (f.add(2), r.sub(2), left - 2);
        }
        if left > 0 {
            even = at(f).fma(at(r), even);
        }
        even + odd
    }
}

/// What series of all lanes together cost, in nanoseconds as measured once on one machine: only the proportions matter.
fn cost(code: &JetCode<Lanes>) -> JetCost {
    let mut cost = JetCost { fixed: 60.0 + 30.0 * code.states as f64, per_order: 2.0, per_product: 0.0 };
    for instruction in &code.instructions {
        let (products, fixed) = match instruction.op {
            JetOp::Sum(sum) => {
                cost.per_order += 1.0 + 0.4 * f64::from(sum.to - sum.from);
                continue;
            }
            JetOp::Weigh(_) => (0.0, 1.0),
            JetOp::Square(_) | JetOp::Sqrt(_) => (0.5, 8.0),
            JetOp::Mul(..) => (1.0, 3.0),
            JetOp::Div(..) | JetOp::Reciprocal(..) => (1.0, 12.0),
            JetOp::Power { .. } => (2.0, 150.0),
            JetOp::Antiproduct { .. } | JetOp::Antiquotient { .. } => (1.0, 100.0),
        };
        cost.fixed += fixed;
        cost.per_order += 2.0 + products;
        cost.per_product += 0.2 * products;
    }
    for sum in &code.results {
        cost.per_order += 2.0 + 0.4 * f64::from(sum.to - sum.from);
    }
    cost
}
