//! Instructions as the evaluator in double precision runs them: ordered by the length of the chain before
//! them, then by operation, so that like ones stand together and do not wait for each other, in blocks that leave their
//! results in fast memory; a product that is used once, by a sum, is part of that sum. The numbers are the same as those of the plain list, bit for bit.
//!
//! ```text
//!   code = [ operation, count, operands of the first, operands of the second, … ]  …
//! ```
//!
//! Results go to consecutive temporaries, so they need no operand. Measured on the outer planets (36 states):
//! 766 ns per evaluation of the plain list, one by one with checks, became 321 ns, the stages of the method included.

use crate::{Instruction, Op, Section};
use ordinate_expr::{Function, power};
use ordinate_numbers::{OCTET, Octet};

/// So many instructions, one after another as they were compiled, are ordered among themselves. Fewer make shorter runs of like
/// ones; with more, what one leaves is out of the fastest memory when it is used.
const BLOCK: usize = 1024;

/// A section ready to run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packed {
    code: Vec<u32>,
    /// Registers of the results.
    pub results: Vec<u32>,
    first: usize,
    /// Number of registers that the code was checked for.
    least: usize,
}

/// What one entry of the code does; a superset of [`Op`].
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Plain(Op),
    /// a·b + c
    MulAdd,
    /// a·b − c
    MulSub,
    /// c − a·b
    SubMul,
}

/// Operation codes; the payload of an operation stands in the upper half of its word.
mod code {
    pub const NEG: u32 = 0;
    pub const ADD: u32 = 1;
    pub const SUB: u32 = 2;
    pub const MUL: u32 = 3;
    pub const SQUARE: u32 = 4;
    pub const DIV: u32 = 5;
    pub const POW: u32 = 6;
    pub const HALF_POWER: u32 = 7;
    pub const CALL: u32 = 8;
    pub const ATAN2: u32 = 9;
    pub const LESS: u32 = 10;
    pub const LESS_EQUAL: u32 = 11;
    pub const EQUAL: u32 = 12;
    pub const NOT: u32 = 13;
    pub const AND: u32 = 14;
    pub const OR: u32 = 15;
    pub const SELECT: u32 = 16;
    pub const LOOKUP: u32 = 17;
    pub const MUL_ADD: u32 = 18;
    pub const MUL_SUB: u32 = 19;
    pub const SUB_MUL: u32 = 20;
    pub const SQRT: u32 = 21;
    pub const INVERSE_THREE_HALVES: u32 = 22;
}

/// The word of an operation and its number of operands.
fn word(step: Step) -> (u32, usize) {
    let with = |code: u32, payload: u32| code | payload << 16;
    match step {
        Step::MulAdd => (code::MUL_ADD, 3),
        Step::MulSub => (code::MUL_SUB, 3),
        Step::SubMul => (code::SUB_MUL, 3),
        Step::Plain(op) => match op {
            Op::Neg => (code::NEG, 1),
            Op::Add => (code::ADD, 2),
            Op::Sub => (code::SUB, 2),
            Op::Mul => (code::MUL, 2),
            Op::Square => (code::SQUARE, 1),
            Op::Div => (code::DIV, 2),
            Op::Pow => (code::POW, 2),
            Op::HalfPower(1) | Op::Call(Function::Sqrt) => (code::SQRT, 1),
            Op::HalfPower(-3) => (code::INVERSE_THREE_HALVES, 1),
            Op::HalfPower(n) => (with(code::HALF_POWER, u32::from(n as u16)), 1),
            Op::Call(f) => {
                let k = Function::ALL.iter().position(|&g| g == f).expect("all functions are listed");
                (with(code::CALL, k as u32), 1)
            }
            Op::Atan2 => (code::ATAN2, 2),
            Op::Less => (code::LESS, 2),
            Op::LessEqual => (code::LESS_EQUAL, 2),
            Op::Equal => (code::EQUAL, 2),
            Op::Not => (code::NOT, 1),
            Op::And => (code::AND, 2),
            Op::Or => (code::OR, 2),
            Op::Select => (code::SELECT, 3),
            Op::Lookup(list) => {
                assert!(list < 1 << 16, "fewer than 65536 columns of tables");
                (with(code::LOOKUP, list), 1)
            }
        },
    }
}

/// The number of operands of an operation.
pub(crate) fn arity(op: Op) -> usize {
    word(Step::Plain(op)).1
}

impl Packed {
    /// Packs a section whose temporaries begin at `first` among `registers` registers.
    pub fn new(section: &Section, first: u32, registers: usize) -> Packed {
        Packed::pack(section, fuse(section, first), first, registers, true)
    }

    /// Packs a section whose results stay in the order they have, since others refer to them.
    pub fn in_order(section: &Section, first: u32, registers: usize) -> Packed {
        let steps = section.instructions.iter().enumerate();
        let steps = steps.map(|(k, i)| (k, Step::Plain(i.op), [i.a, i.b, i.c])).collect();
        Packed::pack(section, steps, first, registers, false)
    }

    fn pack(
        section: &Section,
        steps: Vec<(usize, Step, [u32; 3])>,
        first: u32,
        registers: usize,
        by_level: bool,
    ) -> Packed {
        let count = section.instructions.len();
        // levels: how long a chain an instruction has to wait for
        let mut level = vec![0u32; count];
        let at = |register: u32| (register >= first).then(|| (register - first) as usize);
        let mut order: Vec<(usize, u32, u32, usize)> = Vec::with_capacity(steps.len());
        for (k, &(index, step, operands)) in steps.iter().enumerate() {
            let (word, used) = word(step);
            // in order, each instruction is a level of its own
            let waits = if by_level { 0 } else { k as u32 };
            let depth =
                operands[..used].iter().filter_map(|&r| at(r)).map(|i| level[i] + 1).max().unwrap_or(0).max(waits);
            level[index] = depth;
            order.push((index / BLOCK, depth, word, k));
        }
        order.sort_unstable();
        let mut place = vec![0u32; count];
        for (position, &(.., k)) in order.iter().enumerate() {
            place[steps[k].0] = first + position as u32;
        }
        let moved = |register: u32| at(register).map_or(register, |i| place[i]);
        let mut packed = Packed { code: Vec::new(), results: Vec::new(), first: first as usize, least: registers };
        let (mut head, mut counter) = (None, 0);
        for &(block, depth, word_of_step, k) in &order {
            let (_, step, operands) = steps[k];
            if head != Some((block, depth, word_of_step)) {
                head = Some((block, depth, word_of_step));
                packed.code.extend([word_of_step, 0]);
                counter = packed.code.len() - 1;
            }
            packed.code[counter] += 1;
            packed.code.extend(operands[..word(step).1].iter().map(|&r| moved(r)));
        }
        packed.results = section.results.iter().map(|&r| moved(r)).collect();
        packed.check(registers);
        packed
    }

    /// The invariant that `run` relies on: every operand and every result is a register.
    fn check(&self, registers: usize) {
        let (mut p, mut out) = (0, self.first);
        while p < self.code.len() {
            let (operands, count) = (operands_of(self.code[p]), self.code[p + 1] as usize);
            let list = &self.code[p + 2..p + 2 + count * operands];
            assert!(list.iter().all(|&r| (r as usize) < registers), "operands are registers");
            p += 2 + count * operands;
            out += count;
        }
        assert!(p == self.code.len() && out <= registers, "results are registers");
        assert!(self.results.iter().all(|&r| (r as usize) < registers), "results are registers");
    }

    /// Runs the section over the registers.
    #[inline]
    pub fn run(&self, lists: &[Vec<f64>], registers: &mut [f64]) {
        self.run_cells(lists, registers, 1);
    }

    /// The same at several points side by side; those from `points` on repeat the last of them. Nothing is fused, so the bits are
    /// those of [`Packed::run`].
    #[inline]
    pub fn run_octets(&self, lists: &[Vec<f64>], registers: &mut [Octet], points: usize) {
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx512f") {
                // SAFETY: the processor has these instructions.
                return unsafe { self.run_avx512(lists, registers, points) };
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: as above.
                return unsafe { self.run_avx2(lists, registers, points) };
            }
        }
        self.run_cells(lists, registers, points);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    fn run_avx512(&self, lists: &[Vec<f64>], registers: &mut [Octet], points: usize) {
        self.run_cells(lists, registers, points);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn run_avx2(&self, lists: &[Vec<f64>], registers: &mut [Octet], points: usize) {
        self.run_cells(lists, registers, points);
    }

    #[inline(always)]
    fn run_cells<C: Cell>(&self, lists: &[Vec<f64>], registers: &mut [C], points: usize) {
        assert!(registers.len() >= self.least, "as many registers as the code was packed for");
        let base = registers.as_mut_ptr();
        // SAFETY: `check` saw that every operand is a register, that the operands of every run are in the code, and that
        // all results fit behind `first`; and there are as many registers as it was told.
        unsafe {
            let end = self.code.as_ptr().add(self.code.len());
            // All points: for the instructions of this loop that takes less than to leave some out.
            let mut m =
                Machine { next: self.code.as_ptr(), registers: base, out: base.add(self.first), points: C::POINTS };
            while m.next < end {
                let (word, count) = (*m.next, *m.next.add(1));
                m.next = m.next.add(2);
                match word & 0xffff {
                    code::NEG => m.one(count, |a| -a),
                    code::ADD => m.two(count, |a, b| a + b),
                    code::SUB => m.two(count, |a, b| a - b),
                    code::MUL => m.two(count, |a, b| a * b),
                    code::SQUARE => m.one(count, |a| a * a),
                    code::DIV => m.two(count, |a, b| a / b),
                    code::MUL_ADD => m.three(count, |a, b, c| a * b + c),
                    code::MUL_SUB => m.three(count, |a, b, c| a * b - c),
                    code::SUB_MUL => m.three(count, |a, b, c| c - a * b),
                    code::SQRT => m.one(count, f64::sqrt),
                    code::INVERSE_THREE_HALVES => m.one(count, |x| 1.0 / (x * x.sqrt())),
                    code::SELECT => m.three(count, |a, b, c| if a != 0.0 { b } else { c }),
                    // by value and back, so that the machine can stay in processor registers here
                    _ => m = Machine { points: C::POINTS, ..Machine { points, ..m }.rare(word, count, lists) },
                }
            }
        }
    }
}

/// What a register holds: a number, or one number per point.
trait Cell: Copy {
    const POINTS: usize;

    /// f of the first `points` numbers of all operands; the others repeat the last of them.
    fn each<const K: usize>(operands: [Self; K], points: usize, f: impl Fn([f64; K]) -> f64) -> Self;
}

impl Cell for f64 {
    const POINTS: usize = 1;

    #[inline(always)]
    fn each<const K: usize>(operands: [f64; K], _: usize, f: impl Fn([f64; K]) -> f64) -> f64 {
        f(operands)
    }
}

impl Cell for Octet {
    const POINTS: usize = OCTET;

    #[inline(always)]
    fn each<const K: usize>(operands: [Octet; K], points: usize, f: impl Fn([f64; K]) -> f64) -> Octet {
        let at = |lane: usize| {
            let mut numbers = [0.0; K];
            for k in 0..K {
                numbers[k] = operands[k].0[lane];
            }
            f(numbers)
        };
        let mut result = [0.0; OCTET];
        // A number of points known to the compiler makes vectors of this loop.
        let points = points.clamp(1, OCTET);
        for (lane, result) in result[..points].iter_mut().enumerate() {
            *result = at(lane);
        }
        let last = result[points - 1];
        result[points..].fill(last);
        Octet(result)
    }
}

/// The state of the interpreter: the next word, the registers, where the next result goes, and how many points count.
#[derive(Clone, Copy)]
struct Machine<C> {
    next: *const u32,
    registers: *const C,
    out: *mut C,
    points: usize,
}

/// # Safety
/// Of all its functions: the code must have been checked by [`Packed::check`] for these registers.
impl<C: Cell> Machine<C> {
    #[inline(always)]
    unsafe fn operand(&self, k: usize) -> C {
        unsafe { *self.registers.add(*self.next.add(k) as usize) }
    }

    #[inline(always)]
    unsafe fn store(&mut self, value: C, operands: usize) {
        unsafe {
            *self.out = value;
            self.out = self.out.add(1);
            self.next = self.next.add(operands);
        }
    }

    #[inline(always)]
    unsafe fn one(&mut self, count: u32, f: impl Fn(f64) -> f64) {
        for _ in 0..count {
            unsafe { self.store(C::each([self.operand(0)], self.points, |[a]| f(a)), 1) };
        }
    }

    #[inline(always)]
    unsafe fn two(&mut self, count: u32, f: impl Fn(f64, f64) -> f64) {
        for _ in 0..count {
            unsafe { self.store(C::each([self.operand(0), self.operand(1)], self.points, |[a, b]| f(a, b)), 2) };
        }
    }

    #[inline(always)]
    unsafe fn three(&mut self, count: u32, f: impl Fn(f64, f64, f64) -> f64) {
        for _ in 0..count {
            let operands = unsafe { [self.operand(0), self.operand(1), self.operand(2)] };
            unsafe { self.store(C::each(operands, self.points, |[a, b, c]| f(a, b, c)), 3) };
        }
    }

    /// Operations that call functions. They stand apart so that the loop above needs no registers saved for calls.
    #[inline(never)]
    unsafe fn rare(mut self, word: u32, count: u32, lists: &[Vec<f64>]) -> Self {
        let (payload, m) = (word >> 16, &mut self);
        unsafe {
            match word & 0xffff {
                code::POW => m.two(count, power),
                code::HALF_POWER => m.half_power(count, payload as u16 as i16),
                code::CALL => m.call(count, Function::ALL[payload as usize]),
                code::ATAN2 => m.two(count, f64::atan2),
                code::LESS => m.two(count, |a, b| truth(a < b)),
                code::LESS_EQUAL => m.two(count, |a, b| truth(a <= b)),
                code::EQUAL => m.two(count, |a, b| truth(a == b)),
                code::NOT => m.one(count, |a| 1.0 - a),
                code::AND => m.two(count, |a, b| a * b),
                code::OR => m.two(count, f64::max),
                code::LOOKUP => {
                    let values = &lists[payload as usize];
                    m.one(count, |a| values[(a as usize).min(values.len() - 1)]);
                }
                other => unreachable!("operation {other} is not one of the packer's"),
            }
        }
        self
    }

    /// x^(n/2); the frequent ones without a loop.
    unsafe fn half_power(&mut self, count: u32, n: i16) {
        unsafe {
            match n {
                -2 => self.one(count, |x| 1.0 / x),
                -1 => self.one(count, |x| 1.0 / x.sqrt()),
                3 => self.one(count, |x| x * x.sqrt()),
                6 => self.one(count, |x| x * x * x),
                _ => self.one(count, |x| power(x, f64::from(n) / 2.0)),
            }
        }
    }

    /// The frequent functions have a loop of their own.
    unsafe fn call(&mut self, count: u32, f: Function) {
        unsafe {
            match f {
                Function::Sin => self.one(count, f64::sin),
                Function::Cos => self.one(count, f64::cos),
                Function::Exp => self.one(count, f64::exp),
                _ => self.one(count, |x| f.evaluate(x)),
            }
        }
    }
}

fn truth(value: bool) -> f64 {
    f64::from(u8::from(value))
}

fn operands_of(word: u32) -> usize {
    match word & 0xffff {
        code::NEG | code::SQUARE | code::HALF_POWER | code::CALL | code::NOT | code::LOOKUP => 1,
        code::SQRT | code::INVERSE_THREE_HALVES => 1,
        code::SELECT | code::MUL_ADD | code::MUL_SUB | code::SUB_MUL => 3,
        _ => 2,
    }
}

/// The steps of a section: index of the instruction whose result it is, what it does, its operands. Products that
/// went into a sum are left out.
fn fuse(section: &Section, first: u32) -> Vec<(usize, Step, [u32; 3])> {
    let at = |register: u32| (register >= first).then(|| (register - first) as usize);
    let mut uses = vec![0u32; section.instructions.len()];
    let operands = section.instructions.iter().flat_map(|i| [i.a, i.b, i.c].into_iter().take(arity(i.op)));
    operands.chain(section.results.iter().copied()).filter_map(at).for_each(|i| uses[i] += 1);
    let product = |register: u32| {
        let i = at(register).filter(|&i| uses[i] == 1)?;
        let Instruction { op, a, b, .. } = section.instructions[i];
        match op {
            Op::Mul => Some((i, a, b)),
            Op::Square => Some((i, a, a)),
            _ => None,
        }
    };
    let mut absorbed = vec![false; section.instructions.len()];
    let mut steps = Vec::with_capacity(section.instructions.len());
    for (k, &Instruction { op, a, b, c, .. }) in section.instructions.iter().enumerate() {
        let fused = match (op, product(a), product(b)) {
            (Op::Add, Some((i, p, q)), _) => Some((i, Step::MulAdd, [p, q, b])),
            (Op::Add, None, Some((i, p, q))) => Some((i, Step::MulAdd, [p, q, a])),
            (Op::Sub, Some((i, p, q)), _) => Some((i, Step::MulSub, [p, q, b])),
            (Op::Sub, None, Some((i, p, q))) => Some((i, Step::SubMul, [p, q, a])),
            _ => None,
        };
        match fused {
            Some((i, step, operands)) => {
                absorbed[i] = true;
                steps.push((k, step, operands));
            }
            None => steps.push((k, Step::Plain(op), [a, b, c])),
        }
    }
    steps.retain(|&(k, ..)| !absorbed[k]);
    steps
}
