//! Series code to machine code, order by order. Every value is computed by the very operations of `Engine::pass`, in their
//! order, so the bits are the same; what differs is that all addresses are known and most values stay in registers.

use super::assembler::{Assembler, Base, Last, Op, Vector, Width};
use super::plan::{Group, Part, Plan};
use super::registers::{Place, Registers, Value};
use crate::jets::engine::{Engine, Step};
use std::mem::{offset_of, size_of};

/// Pointers are this far past the beginning of what they point to, so that short distances reach twice as far.
pub(super) const BIAS: usize = 128;

/// Numbers that are the same at all orders are looked for among so many.
const SHARED: usize = 24;

/// Stands in the pool for a number that depends on the scale: equal to no other, neither as a number nor in its bits.
pub(super) const UNKNOWN: f64 = f64::from_bits(0x7FF8_0000_0000_5CA1);

/// A factor of the derivatives that depends on the scale: rate · (scale · part), in the pool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight {
    pub index: usize,
    pub rate: f64,
    /// 1/order, or 1 where there is a division.
    pub part: f64,
    pub order: usize,
}

/// Machine code and what it reads.
#[derive(Debug)]
pub(super) struct Emitted {
    pub bytes: Vec<u8>,
    /// Where it begins at order 1, and at all others.
    pub first: usize,
    pub start: usize,
    /// Where to go from there with the coefficients up to k known, k = 2 … top − 1.
    pub entries: Vec<usize>,
    /// Numbers, and those among them that change with the scale.
    pub pool: Vec<f64>,
    pub weights: Vec<Weight>,
    /// How far the first pointer is after the beginning of the memory, in bytes.
    pub anchor: usize,
}

/// Writes the code.
pub(super) struct Emitter<'a> {
    pub plan: &'a Plan,
    pub engine: &'a Engine,
    pub asm: Assembler,
    pub registers: Registers,
    /// The order.
    pub k: usize,
    pub pool: Vec<f64>,
    pub weights: Vec<Weight>,
    /// Pointers into the memory and where they point, in bytes.
    pub anchors: Vec<(Base, usize)>,
}

/// Code for all orders up to `top`; `None` if the registers do not suffice.
pub(super) fn emit(engine: &Engine, plan: &Plan, top: usize) -> Option<Emitted> {
    assert!(2 <= top && top <= engine.room && top <= 127, "an order there is room for");
    let mut e = Emitter {
        plan,
        engine,
        asm: Assembler::with_capacity(8 << 10),
        registers: Registers::new(plan.values()),
        k: 1,
        pool: Vec::with_capacity(128),
        weights: Vec::new(),
        anchors: anchors(&plan.groups, engine.memory.len()),
    };
    let mut starts = vec![0];
    let mut held: Vec<(Value, Vector)> = Vec::new();
    let mut ends = vec![0];
    e.asm.leave();
    let first = e.asm.len();
    e.point();
    for node in 1..=plan.states {
        let next = plan.first[node];
        e.registers.places[node] = Place { register: None, stored: true, next };
    }
    for k in 1..top {
        e.k = k;
        starts.push(e.asm.len());
        held.extend(e.registers.held());
        ends.push(held.len());
        e.order();
        if k + 1 < top {
            e.asm.jump_if_r9_is(k as i8 + 1, 0);
        } else {
            e.asm.jump(0);
        }
    }
    let start = e.asm.len();
    e.point();
    e.asm.jump_to_r8();
    let mut entries = vec![0; 2];
    for k in 2..top {
        e.k = k;
        entries.push(e.asm.len());
        for &(value, register) in &held[ends[k - 1]..ends[k]] {
            let from = e.place_of(value);
            e.asm.op(Op::Load, e.width_of(value), register, 0, from);
        }
        e.asm.jump(starts[k]);
    }
    let anchor = e.anchors[0].1;
    let whole = !e.registers.exhausted;
    let emitted =
        Emitted { bytes: e.asm.into_bytes(), first, start, entries, pool: e.pool, weights: e.weights, anchor };
    whole.then_some(emitted)
}

/// Where the pointers into the memory point: near the coefficients of low orders, which are read most often.
fn anchors(groups: &[Group], length: usize) -> Vec<(Base, usize)> {
    let series = groups.iter().flat_map(|g| if g.square { vec![g.first] } else { vec![g.first, g.second] });
    let starts: Vec<usize> = series.collect();
    let windows = (0..4).flat_map(|part| starts.iter().map(move |start| 8 * start + 2 * BIAS * part + BIAS));
    let inside = windows.filter(|&at| at < 8 * length);
    let anchors: Vec<_> = [Base::Rdi, Base::Rax, Base::R10, Base::R11].into_iter().zip(inside).collect();
    if anchors.is_empty() { vec![(Base::Rdi, 0)] } else { anchors }
}

impl Group {
    /// How many lanes its instructions have.
    pub fn width(&self) -> Width {
        match self.nodes[0].len() {
            1 => Width::One,
            2 => Width::Two,
            _ => Width::Four,
        }
    }
}

impl Emitter<'_> {
    /// Sets the pointers into the memory.
    fn point(&mut self) {
        let (base, at) = self.anchors[0];
        for &(to, place) in &self.anchors[1..] {
            self.asm.address(to, base, place as i32 - at as i32);
        }
    }

    /// Coefficient k of all nodes, then k + 1 of the states.
    pub fn order(&mut self) {
        let plan = self.plan;
        self.registers.places[0] = Place { register: None, stored: true, next: plan.first[0] };
        for (part, range) in plan.parts.iter().zip(&plan.ranges) {
            match *part {
                Part::Sums(group) => self.sums(group),
                Part::Step(step) => self.step(step as usize, &plan.steps[step as usize]),
                Part::Result(state) => self.result(state, &self.engine.code.results[state as usize]),
                Part::Row(group, second) => self.row(group, second),
            }
            self.registers.unlock();
            for &(value, next) in &plan.uses[range.clone()] {
                self.registers.used(value, next);
            }
        }
        for state in 0..plan.states as u32 {
            let node = state + 1;
            self.registers.rename(plan.next_state(state), node);
            self.registers.places[node as usize].next = plan.first[node as usize];
        }
    }

    /// `count` numbers of the memory from an index on.
    pub fn memory(&self, index: usize, count: usize) -> Last {
        assert!(index + count <= self.engine.memory.len(), "a place in the memory");
        let distance = |at: usize| 8 * index as i32 - at as i32;
        let near = self.anchors.iter().find(|(_, at)| i8::try_from(distance(*at)).is_ok());
        let (base, at) = near.unwrap_or(&self.anchors[0]);
        Last::Memory(*base, distance(*at))
    }

    pub fn constant(&mut self, value: f64) -> Last {
        let shared = self.pool.iter().take(SHARED).position(|c| c.to_bits() == value.to_bits());
        let index = shared.unwrap_or_else(|| self.new_constant(value));
        self.pooled(index)
    }

    pub fn new_constant(&mut self, value: f64) -> usize {
        self.pool.push(value);
        self.pool.len() - 1
    }

    pub fn pooled(&self, index: usize) -> Last {
        Last::Memory(Base::Rcx, 8 * index as i32 - BIAS as i32)
    }

    pub fn factor(&self, step: usize, field: usize) -> Last {
        assert!(step < self.engine.steps.len(), "a step");
        let place = step * size_of::<Step>() + offset_of!(Step, factors) + field;
        Last::Memory(Base::Rsi, place as i32 - BIAS as i32)
    }

    /// Row j of a group's factors.
    pub fn factors(&self, group: &Group, second: bool, j: usize) -> Last {
        assert!(j <= self.engine.room, "an order there is room for");
        self.memory(if second { group.second } else { group.first } + 4 * j, group.width().lanes())
    }

    /// The index of a coefficient of a node; t has none but those of order 0 and 1.
    fn slot(&self, node: u32, order: usize) -> usize {
        let parity = if node == 0 && order > 1 { 0 } else { order % 2 };
        2 * node as usize + parity
    }

    /// Where a value is in memory, if it is there.
    fn place_of(&self, value: Value) -> Last {
        let plan = self.plan;
        let (nodes, states) = (plan.nodes as u32, plan.states as u32);
        if value < nodes {
            return self.memory(self.slot(value, self.k), 1);
        }
        if value < nodes + states {
            return self.memory(self.slot(value - nodes + 1, self.k + 1), 1);
        }
        let group = self.group_of(value);
        let rest = value - nodes - states;
        if rest < 2 * plan.groups.len() as u32 {
            return self.factors(group, rest % 2 == 1, self.k - 1);
        }
        self.memory(group.sum, group.width().lanes())
    }

    fn group_of(&self, value: Value) -> &Group {
        let plan = self.plan;
        let rest = value as usize - plan.nodes - plan.states;
        let groups = plan.groups.len();
        &plan.groups[if rest < 2 * groups { rest / 2 } else { rest - 2 * groups }]
    }

    fn width_of(&self, value: Value) -> Width {
        let numbers = self.plan.nodes + self.plan.states;
        if (value as usize) < numbers { Width::One } else { self.group_of(value).width() }
    }

    pub fn take(&mut self) -> Vector {
        match self.registers.take() {
            Ok(register) => register,
            Err((register, value)) => {
                let (width, to) = (self.width_of(value), self.place_of(value));
                self.asm.op(Op::Store, width, register, 0, to);
                register
            }
        }
    }

    /// A value's register, until the part ends.
    pub fn register(&mut self, value: Value) -> Vector {
        let place = self.registers.places[value as usize];
        let register = place.register.unwrap_or_else(|| {
            let register = self.take();
            let (width, from) = (self.width_of(value), self.place_of(value));
            self.asm.op(Op::Load, width, register, 0, from);
            self.registers.give(register, value, place.next, true);
            register
        });
        self.registers.lock(register);
        register
    }

    /// A value's register or its place in memory.
    pub fn operand(&mut self, value: Value) -> Last {
        match self.registers.places[value as usize].register {
            Some(register) => {
                self.registers.lock(register);
                Last::Register(register)
            }
            None => self.place_of(value),
        }
    }
}
