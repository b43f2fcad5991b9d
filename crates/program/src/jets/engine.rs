//! Series order by order: the inner sums of all products together, then the recurrences one by one.

use super::code::{JetCode, JetOp, Sum};
use super::kernel::{Four, Kernel, Portable};
use super::recurrence::{Factors, begin, finish};

/// The series of all nodes of a code. Only the factors of products are kept for all orders; of other nodes there is just
/// the newest coefficient. Everything lies in one block of memory, so that one address is enough to find it:
///
/// ```text
///   memory = [ newest coefficient of even and of odd order, per node | groups of four products | groups of four squares ]
///   product group = [ first factors: 4 per order | second factors: 4 per order | sums: 4 ]
///   square group  = [ factors: 4 per order | sums: 4 ]
/// ```
#[derive(Clone, Debug)]
pub(super) struct Engine {
    code: JetCode,
    steps: Vec<Step>,
    /// Steps of one kind that follow each other: the kind, and where they end.
    runs: Vec<(Kind, u32)>,
    /// Indices of the instructions whose factors need the values of later nodes.
    late: Vec<u32>,
    results: Vec<Derivative>,
    /// Derivatives that have more terms: the state, and the range of the others.
    long_results: Vec<(u32, [u32; 2])>,
    /// Terms of sums, with the places of their nodes.
    terms: Vec<(u32, f64)>,
    products: Vec<ProductGroup>,
    squares: Vec<SquareGroup>,
    /// 1/k
    inverse: Vec<f64>,
    /// Highest order that there is room for.
    room: usize,
    /// The coefficients computed up to here, in these units.
    done: usize,
    scale: f64,
    /// The values of all nodes.
    values: Vec<f64>,
    memory: Vec<f64>,
    vectors: bool,
}

/// An instruction ready to run, with the places of its operands.
#[derive(Clone, Copy, Debug)]
struct Step {
    factors: Factors,
    kind: Kind,
    out: u32,
    a: u32,
    b: u32,
    inner: Inner,
    /// The second product of a power.
    weighted: Inner,
}

/// The places of one product of series: its factors of order 0 and its sum.
#[derive(Clone, Copy, Debug, Default)]
struct Inner {
    first: u32,
    second: u32,
    sum: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Sum,
    /// One product, two newest coefficients.
    Binary,
    /// One product, one newest coefficient.
    Unary,
    Square,
    Power,
    Weigh,
    Antiproduct,
    Antiquotient,
}

/// The derivative of a state: its first two terms.
#[derive(Clone, Copy, Debug)]
struct Derivative {
    coefficients: [f64; 2],
    scale: f64,
    nodes: [u32; 2],
}

/// Four products of series: where they are, and their nodes; those that only fill it up are that of t.
#[derive(Clone, Copy, Debug)]
struct ProductGroup {
    place: usize,
    first: [u32; 4],
    second: [u32; 4],
}

/// Four squares of series.
#[derive(Clone, Copy, Debug)]
struct SquareGroup {
    place: usize,
    nodes: [u32; 4],
}

impl Engine {
    pub fn new(code: JetCode) -> Engine {
        let late = (0..code.instructions.len()).filter(|&i| is_late(&code.instructions[i].op)).map(|i| i as u32);
        let mut engine = Engine {
            late: late.collect(),
            steps: Vec::new(),
            runs: Vec::new(),
            long_results: Vec::new(),
            results: code.results.iter().map(|sum| derivative(sum, &code.terms)).collect(),
            terms: code.terms.iter().map(|&(node, c)| (2 * node, c)).collect(),
            products: Vec::new(),
            squares: Vec::new(),
            inverse: Vec::new(),
            room: 0,
            done: 0,
            scale: 1.0,
            values: vec![0.0; code.nodes],
            memory: Vec::new(),
            vectors: has_vectors(),
            code,
        };
        engine.make_room(24);
        engine
    }

    /// Takes memory for series of this order and finds all places in it.
    fn make_room(&mut self, order: usize) {
        // so that the distance between groups is no power of two, which caches do not like
        self.room = order.next_multiple_of(8) + 1;
        self.inverse = (0..=self.room + 1).map(|k| 1.0 / k as f64).collect();
        self.done = 0;
        let (mut pairs, mut squares) = (Vec::new(), Vec::new());
        for i in &self.code.instructions {
            match &i.op {
                JetOp::Mul(a, b) => pairs.push([a.node, b.node]),
                JetOp::Div(_, b) | JetOp::Reciprocal(_, b) => pairs.push([b.node, i.out]),
                JetOp::Power { a, weighted, .. } => pairs.extend([[a.node, i.out], [*weighted, i.out]]),
                JetOp::Antiproduct { weighted, w, .. } => pairs.push([*weighted, w.node]),
                JetOp::Antiquotient { w, .. } => pairs.push([i.out, w.node]),
                JetOp::Square(a) => squares.push(a.node),
                JetOp::Sqrt(_) => squares.push(i.out),
                JetOp::Sum(_) | JetOp::Weigh(_) => {}
            }
        }
        let series = 4 * (self.room + 1);
        let mut place = (2 * self.code.nodes).next_multiple_of(4);
        let mut next = |size: usize| {
            place += size;
            place - size
        };
        let fill = |nodes: &[u32]| std::array::from_fn(|l| 2 * nodes.get(l).copied().unwrap_or(0));
        self.products = pairs
            .chunks(4)
            .map(|four| {
                let nodes = |which: usize| fill(&four.iter().map(|pair| pair[which]).collect::<Vec<_>>());
                ProductGroup { place: next(2 * series + 4), first: nodes(0), second: nodes(1) }
            })
            .collect();
        self.squares =
            squares.chunks(4).map(|four| SquareGroup { place: next(series + 4), nodes: fill(four) }).collect();
        self.memory = vec![0.0; place];
        let (mut pair, mut square) = (0, 0);
        let mut next_pair = || {
            let (at, lane) = (self.products[pair / 4].place, pair % 4);
            pair += 1;
            Inner {
                first: (at + lane) as u32,
                second: (at + series + lane) as u32,
                sum: (at + 2 * series + lane) as u32,
            }
        };
        let mut next_square = || {
            let (at, lane) = (self.squares[square / 4].place, square % 4);
            square += 1;
            let first = (at + lane) as u32;
            Inner { first, second: first, sum: (at + series + lane) as u32 }
        };
        let none = Inner::default();
        let steps = self.code.instructions.iter().map(|i| {
            let (kind, a, b, inner) = match &i.op {
                JetOp::Sum(sum) => (Kind::Sum, sum.from, sum.to, none),
                JetOp::Mul(a, b) | JetOp::Div(a, b) => (Kind::Binary, 2 * a.node, 2 * b.node, next_pair()),
                JetOp::Reciprocal(_, b) => (Kind::Unary, 2 * b.node, 0, next_pair()),
                JetOp::Square(a) | JetOp::Sqrt(a) => (Kind::Square, 2 * a.node, 0, next_square()),
                JetOp::Power { a, .. } => (Kind::Power, 2 * a.node, 0, next_pair()),
                JetOp::Weigh(a) => (Kind::Weigh, 2 * a.node, 0, none),
                JetOp::Antiproduct { weighted, .. } => (Kind::Antiproduct, 2 * weighted, 0, next_pair()),
                JetOp::Antiquotient { weighted, .. } => (Kind::Antiquotient, 2 * weighted, 0, next_pair()),
            };
            let weighted = if kind == Kind::Power { next_pair() } else { none };
            Step { factors: Factors::default(), kind, out: 2 * i.out, a, b, inner, weighted }
        });
        self.steps = steps.collect();
        self.runs.clear();
        for (i, step) in self.steps.iter().enumerate() {
            match self.runs.last_mut() {
                Some((kind, end)) if *kind == step.kind => *end = i as u32 + 1,
                _ => self.runs.push((step.kind, i as u32 + 1)),
            }
        }
        let long = (0..).zip(&self.code.results).filter(|(_, sum)| sum.to - sum.from > 2);
        self.long_results = long.map(|(state, sum)| (state, [sum.from + 2, sum.to])).collect();
    }

    /// The values of all nodes at a point, and f.
    pub fn begin(&mut self, t: f64, y: &[f64], f: &mut [f64]) {
        self.done = 0;
        self.values[0] = t;
        self.values[1..=y.len()].copy_from_slice(y);
        for (instruction, step) in self.code.instructions.iter().zip(&mut self.steps) {
            let out = instruction.out as usize;
            if let JetOp::Sum(sum) = &instruction.op {
                self.values[out] = sum.constant + value_of(&self.code.terms, sum, &self.values);
                continue;
            }
            let (value, factors) = begin(&instruction.op, |node| self.values[node as usize]);
            step.factors = factors;
            if step.kind == Kind::Antiquotient {
                self.values[out] = 0.0;
                self.values[out + 1] = value;
            } else {
                self.values[out] = value;
            }
        }
        for &i in &self.late {
            let factors = finish(&self.code.instructions[i as usize].op, |node| self.values[node as usize]);
            self.steps[i as usize].factors = factors.expect("only late ones are listed");
        }
        for (f, sum) in f.iter_mut().zip(&self.code.results) {
            *f = sum.scale * (sum.constant + value_of(&self.code.terms, sum, &self.values));
        }
    }

    /// The coefficients of the states up to `order`, from the point begun last; those known already are not computed anew.
    pub fn extend(&mut self, f: &[f64], scale: f64, order: usize, c: &mut [f64]) {
        let n = self.code.states;
        assert!(c.len() >= (order + 1) * n && f.len() >= n, "room for all coefficients");
        if order > self.room {
            // the factors are found anew with the places
            let (t, y) = (self.values[0], self.values[1..=n].to_vec());
            self.make_room(order);
            self.begin(t, &y, &mut vec![0.0; n]);
        }
        if self.done == 0 || scale != self.scale {
            self.memory[0] = 0.0;
            self.memory[1] = scale;
            for i in 0..n {
                c[i] = self.values[i + 1];
                c[n + i] = scale * f[i];
                self.memory[2 * i + 3] = scale * f[i];
            }
            (self.done, self.scale) = (1, scale);
        }
        let orders = [self.done, order];
        self.done = self.done.max(order);
        #[cfg(target_arch = "x86_64")]
        if self.vectors {
            // SAFETY: the processor has AVX2 and FMA; there is room for this order.
            return unsafe { self.passes_avx2(orders, c) };
        }
        // SAFETY: there is room for this order.
        unsafe { self.passes::<Portable>(orders, c) };
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn passes_avx2(&mut self, orders: [usize; 2], c: &mut [f64]) {
        unsafe { self.passes::<super::kernel::Avx2>(orders, c) }
    }

    /// # Safety
    /// orders[1] ≤ room, and c has room for it.
    #[inline(always)]
    unsafe fn passes<K: Kernel>(&mut self, orders: [usize; 2], c: &mut [f64]) {
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
            let middle = if self.k.is_multiple_of(2) { half * half } else { 0.0 };
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
        let factors = &step.factors;
        unsafe {
            match kind {
                Kind::Sum => {
                    let terms = terms.get_unchecked(step.a as usize..step.b as usize);
                    terms.iter().fold(0.0, |sum, &(node, c)| K::fma(c, self.at(node), sum))
                }
                Kind::Binary => {
                    let sum = factors.sum * self.product::<K>(&step.inner);
                    K::fma(factors.b, self.at(step.b), K::fma(factors.a, self.at(step.a), sum))
                }
                Kind::Unary => K::fma(factors.a, self.at(step.a), factors.sum * self.product::<K>(&step.inner)),
                Kind::Square => K::fma(factors.a, self.at(step.a), factors.sum * self.square::<K>(&step.inner)),
                Kind::Power => {
                    let plain = factors.sum * self.product::<K>(&step.inner);
                    let both = K::fma(factors.b * self.inverse, self.product::<K>(&step.weighted), -plain);
                    K::fma(factors.a, self.at(step.a), both)
                }
                Kind::Weigh => factors.a * self.k as f64 * self.at(step.a),
                Kind::Antiproduct => {
                    K::fma(factors.a, self.at(step.a), factors.sum * self.product::<K>(&step.inner)) * self.inverse
                }
                Kind::Antiquotient => {
                    let rate = K::fma(factors.a, self.at(step.a), factors.sum * self.product::<K>(&step.inner));
                    *self.now.add(step.out as usize + 2) = rate * self.inverse;
                    rate
                }
            }
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
        // A rounded 1/3 would push the same way in every step; 1/2, 1/4 are exact, and later terms too small to matter.
        let divisor = if matches!(k, 2 | 4 | 5 | 6) { (k + 1) as f64 } else { 1.0 };
        let factor = if divisor == 1.0 { scale * inverse } else { scale };
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
            if divisor != 1.0 {
                for i in 0..results.len() {
                    let value = *row.add(i) / divisor;
                    *row.add(i) = value;
                    *next.add(2 * i + 2) = value;
                }
            }
        }
    }
}

fn value_of(terms: &[(u32, f64)], sum: &Sum, values: &[f64]) -> f64 {
    terms[sum.from as usize..sum.to as usize].iter().map(|&(node, c)| c * values[node as usize]).sum()
}

fn derivative(sum: &Sum, terms: &[(u32, f64)]) -> Derivative {
    let own = &terms[sum.from as usize..sum.to as usize];
    let (node, c) = own.first().copied().unwrap_or((0, 0.0));
    let (other, d) = own.get(1).copied().unwrap_or((node, 0.0));
    Derivative { nodes: [2 * node, 2 * other], coefficients: [c, d], scale: sum.scale }
}

/// Whether an instruction needs the values of later nodes.
fn is_late(op: &JetOp) -> bool {
    finish(op, |_| 1.0).is_some()
}

fn has_vectors() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}
