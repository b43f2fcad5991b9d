//! Series order by order: what there is for that, and who computes it (`steps.rs`, or machine code).

use super::code::{JetCode, JetOp, Sum};
use super::kernel::Portable;
use super::native::Native;
use super::recurrence::{Factors, Kind, begin, finish};

/// Machine code is made after so many series: where events follow each other closely, it would not pay.
const WARM: u32 = 16;

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
    pub code: JetCode,
    pub steps: Vec<Step>,
    /// Steps of one kind that follow each other: the kind, and where they end.
    pub runs: Vec<(Kind, u32)>,
    /// Indices of the instructions whose factors need the values of later nodes.
    pub late: Vec<u32>,
    pub results: Vec<Derivative>,
    /// Derivatives that have more terms: the state, and the range of the others.
    pub long_results: Vec<(u32, [u32; 2])>,
    /// Terms of sums, with the places of their nodes.
    pub terms: Vec<(u32, f64)>,
    pub products: Vec<ProductGroup>,
    pub squares: Vec<SquareGroup>,
    /// 1/k
    pub inverse: Vec<f64>,
    /// Highest order that there is room for.
    pub room: usize,
    /// The coefficients computed up to here, in these units.
    pub done: usize,
    pub scale: f64,
    /// The values of all nodes.
    pub values: Vec<f64>,
    /// The coefficients of the series that are given, in the units of the series at hand.
    pub given: Vec<Vec<f64>>,
    pub memory: Vec<f64>,
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only x86-64 has a choice"))]
    pub vectors: bool,
    /// Machine code, if there is any.
    pub native: Option<Native>,
    /// The highest order asked for so far.
    highest: usize,
    /// How many series have been begun, up to [`WARM`]; `None` if there is no machine code for these.
    begun: Option<u32>,
}

/// An instruction ready to run, with the places of its operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub factors: Factors,
    pub kind: Kind,
    pub out: u32,
    pub a: u32,
    pub b: u32,
    pub inner: Inner,
    /// The second product of a power.
    pub weighted: Inner,
}

/// The places of one product of series: its factors of order 0 and its sum.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Inner {
    pub first: u32,
    pub second: u32,
    pub sum: u32,
}

/// The derivative of a state: its first two terms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Derivative {
    pub coefficients: [f64; 2],
    pub scale: f64,
    pub nodes: [u32; 2],
}

/// Four products of series: where they are, and their nodes; those that only fill it up are that of t.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProductGroup {
    pub place: usize,
    pub first: [u32; 4],
    pub second: [u32; 4],
}

/// Four squares of series.
#[derive(Clone, Copy, Debug)]
pub(super) struct SquareGroup {
    pub place: usize,
    pub nodes: [u32; 4],
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
            given: vec![Vec::new(); code.given],
            memory: Vec::new(),
            vectors: has_vectors(),
            native: None,
            highest: 0,
            // machine code knows no series from outside
            begun: (has_vectors() && code.given == 0).then_some(0),
            code,
        };
        engine.make_room(24);
        engine
    }

    /// Machine code from the first series on where the processor can run it, or never.
    #[cfg(test)]
    pub fn use_native(&mut self, native: bool) {
        self.begun = (native && self.vectors).then_some(WARM);
    }

    /// Whether there is machine code.
    #[cfg(test)]
    pub fn is_native(&self) -> bool {
        self.native.is_some()
    }

    /// The values of all nodes at a point, and f.
    pub fn begin(&mut self, t: f64, y: &[f64], f: &mut [f64]) {
        self.done = 0;
        self.values[0] = t;
        self.values[1..=y.len()].copy_from_slice(y);
        for (value, given) in self.values[y.len() + 1..].iter_mut().zip(&self.given) {
            *value = given.first().copied().unwrap_or(0.0);
        }
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

    /// The coefficients of the states up to `order`, from the point begun last; those known already are not computed anew,
    /// but must still be in `c`.
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
            self.warm_up(order);
        }
        if self.done >= order {
            return;
        }
        let mut orders = [self.done, order];
        self.done = order;
        if self.native.is_some() {
            self.recall(orders[0], c);
        }
        if let Some(native) = &mut self.native {
            orders[0] = native.run(&mut self.memory, &self.steps, scale, orders, c);
            if orders[0] >= orders[1] {
                return;
            }
            self.recall(orders[0], c);
        }
        #[cfg(target_arch = "x86_64")]
        if self.vectors {
            // SAFETY: the processor has AVX2 and FMA; there is room for this order.
            return unsafe { self.passes_avx2(orders, c) };
        }
        // SAFETY: there is room for this order.
        unsafe { self.passes::<Portable>(orders, c) };
    }

    /// Puts coefficient k of t and of the states, which machine code writes only to c, where a pass finds them.
    fn recall(&mut self, k: usize, c: &[f64]) {
        if k > 1 {
            let n = self.code.states;
            self.memory[k % 2] = 0.0;
            for (i, value) in c[k * n..(k + 1) * n].iter().enumerate() {
                self.memory[2 * i + 2 + k % 2] = *value;
            }
        }
    }

    /// Makes machine code after some series, and anew when higher orders are asked for.
    #[inline]
    fn warm_up(&mut self, order: usize) {
        let Some(begun) = self.begun else { return };
        self.highest = self.highest.max(order);
        if begun < WARM {
            self.begun = Some(begun + 1);
        } else if self.native.as_ref().is_none_or(|native| native.is_short_of(order, self.room)) {
            self.native = Native::new(self, self.highest);
            if self.native.is_none() {
                self.begun = None;
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn passes_avx2(&mut self, orders: [usize; 2], c: &mut [f64]) {
        unsafe { self.passes::<super::kernel::Avx2>(orders, c) }
    }
}

/// What coefficients of an order are divided by, where a factor 1/order would not do: a rounded 1/3 would push the same
/// way in every step; 1/2, 1/4 are exact, and later terms too small to matter.
#[inline(always)]
pub(super) fn divisor(order: usize) -> Option<f64> {
    matches!(order, 3 | 5 | 6 | 7).then_some(order as f64)
}

fn value_of(terms: &[(u32, f64)], sum: &Sum, values: &[f64]) -> f64 {
    terms[sum.from as usize..sum.to as usize].iter().map(|&(node, c)| c * values[node as usize]).sum()
}

fn derivative(sum: &Sum, terms: &[(u32, f64)]) -> Derivative {
    let own = &terms[sum.from as usize..sum.to as usize];
    let (node, c) = own.first().copied().unwrap_or((0, 0.0));
    // −0 · t changes no bit of the first term from order 2 on
    let (other, d) = own.get(1).copied().unwrap_or((0, -0.0));
    Derivative { nodes: [2 * node, 2 * other], coefficients: [c, d], scale: sum.scale }
}

/// Whether an instruction needs the values of later nodes.
fn is_late(op: &JetOp) -> bool {
    finish(op, |_| 1.0).is_some()
}

/// Whether the processor has AVX2 and FMA.
pub(super) fn has_vectors() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}
