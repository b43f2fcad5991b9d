//! The parts of an order as machine code: inner sums, recurrences, next coefficients of states, rows of factors.

use super::assembler::{Base, Last, Op, Vector, Width};
use super::emit::{BIAS, Emitter, UNKNOWN, Weight};
use super::plan::{Lane, Recurrence};
use super::registers::NEVER;
use crate::jets::code::Sum;
use crate::jets::engine::divisor;
use crate::jets::recurrence::{Factors, Kind};
use std::mem::offset_of;

/// A sum being made: a value as it is or negated, or a register of its own.
enum Partial {
    Value(u32, bool),
    Own(Vector),
}

impl Emitter<'_> {
    /// Σ fⱼ rₖ₋ⱼ over 1 ≤ j < k of all lanes of a group.
    pub fn sums(&mut self, index: u32) {
        let (k, plan) = (self.k, self.plan);
        let group = &plan.groups[index as usize];
        let width = group.width();
        if k == 1 {
            return;
        }
        let last = if group.square { (k - 1) / 2 } else { (k - 2).max(1) };
        let [even, odd] = [self.take(), self.take()];
        let old = self.take();
        for j in 2..=last {
            let other = self.factors(group, !group.square, k - j);
            self.asm.op(Op::Load, width, old, 0, self.factors(group, false, j));
            let (op, sum) = (if j < 4 { Op::Mul } else { Op::Fma231 }, if j % 2 == 0 { even } else { odd });
            self.asm.op(op, width, sum, old, other);
        }
        if last >= 3 {
            self.asm.op(Op::Add, width, even, even, Last::Register(odd));
        }
        self.registers.free(old);
        self.registers.free(odd);
        // the newest ones: Fₖ₋₁ S₁, then F₁ Sₖ₋₁
        let begin = if last >= 2 { Op::Fma231 } else { Op::Mul };
        let first = self.register(plan.row(index, false));
        if group.square {
            if k > 2 {
                self.asm.op(begin, width, even, first, self.factors(group, false, 1));
            }
            match (k, k % 2) {
                (2, _) => self.asm.op(Op::Mul, width, even, first, Last::Register(first)),
                (_, 0) => {
                    let middle = self.take();
                    let half = self.factors(group, false, k / 2);
                    self.asm.op(Op::Load, width, middle, 0, half);
                    self.asm.op(Op::Mul, width, middle, middle, Last::Register(middle));
                    let two = self.two(width);
                    self.asm.op(Op::Fma132, width, even, middle, two);
                    self.registers.free(middle);
                }
                _ => self.asm.op(Op::Add, width, even, even, Last::Register(even)),
            }
        } else {
            let one = self.factors(group, true, 1);
            self.asm.op(begin, width, even, first, one);
            if k > 2 {
                let second = self.register(plan.row(index, true));
                self.asm.op(Op::Fma231, width, even, second, self.factors(group, false, 1));
            }
        }
        let value = plan.sums(index);
        self.registers.give(even, value, plan.first[value as usize], false);
    }

    /// 2 in all lanes.
    fn two(&mut self, width: Width) -> Last {
        let lanes = width.lanes();
        let known = self.pool.windows(lanes).position(|c| c.iter().all(|&c| c == 2.0));
        let index = known.unwrap_or_else(|| {
            self.pool.extend(std::iter::repeat_n(2.0, lanes));
            self.pool.len() - lanes
        });
        self.pooled(index)
    }

    /// A sum of a group in a register of its own.
    fn lane(&mut self, (group, lane): Lane) -> Vector {
        let to = self.take();
        if self.k == 1 {
            self.asm.op(Op::Xor, Width::Two, to, to, Last::Register(to));
            return to;
        }
        let sums = self.plan.sums(group);
        match (self.registers.places[sums as usize].register, lane) {
            (None, _) => {
                let place = self.memory(self.plan.groups[group as usize].sum + lane as usize, 1);
                self.asm.op(Op::Load, Width::One, to, 0, place);
            }
            (Some(from), 0) => self.asm.op(Op::Load, Width::Two, to, 0, Last::Register(from)),
            (Some(from), 1) => self.asm.op(Op::High, Width::Two, to, from, Last::Register(from)),
            (Some(from), _) => self.asm.lane(to, from, lane),
        }
        to
    }

    /// The first product of a step times its factor, and whether it is still to be negated.
    fn product(&mut self, index: usize, step: &Recurrence) -> (Vector, bool) {
        let sum = self.lane(step.product);
        match step.constant {
            Some(1.0) => (sum, false),
            Some(-1.0) => (sum, true),
            _ => {
                let factor = self.factor(index, offset_of!(Factors, sum));
                self.asm.op(Op::Mul, Width::One, sum, sum, factor);
                (sum, false)
            }
        }
    }

    /// factor · aₖ + product
    fn with_newest(&mut self, index: usize, step: &Recurrence) -> Vector {
        let (sum, negative) = self.product(index, step);
        let a = self.register(step.a);
        let op = if negative { Op::Fms231 } else { Op::Fma231 };
        self.asm.op(op, Width::One, sum, a, self.factor(index, offset_of!(Factors, a)));
        sum
    }

    pub fn step(&mut self, index: usize, step: &Recurrence) {
        let k = self.k;
        let one = Width::One;
        let value = match step.kind {
            Kind::Sum => {
                let terms = &self.plan.terms[step.a as usize..step.b as usize];
                match self.sum(terms) {
                    Partial::Own(register) => register,
                    Partial::Value(node, _) => {
                        let (from, to) = (self.register(node), self.take());
                        self.asm.op(Op::Load, Width::Two, to, 0, Last::Register(from));
                        to
                    }
                }
            }
            Kind::Binary => {
                let sum = self.with_newest(index, step);
                let b = self.register(step.b);
                self.asm.op(Op::Fma231, one, sum, b, self.factor(index, offset_of!(Factors, b)));
                sum
            }
            Kind::Unary | Kind::Square => self.with_newest(index, step),
            Kind::Power => {
                let (plain, weighted) = (self.product(index, step).0, self.lane(step.weighted));
                let factor = self.take();
                let inverse = self.constant(self.engine.inverse[k]);
                self.asm.op(Op::Load, one, factor, 0, inverse);
                self.asm.op(Op::Mul, one, factor, factor, self.factor(index, offset_of!(Factors, b)));
                self.asm.op(Op::Fms213, one, factor, weighted, Last::Register(plain));
                let a = self.register(step.a);
                self.asm.op(Op::Fma231, one, factor, a, self.factor(index, offset_of!(Factors, a)));
                self.registers.free(plain);
                self.registers.free(weighted);
                factor
            }
            Kind::Weigh => {
                let factor = step.constant.expect("the factor of k is known") * k as f64;
                let (a, to) = (self.register(step.a), self.take());
                let factor = self.constant(factor);
                self.asm.op(Op::Mul, one, to, a, factor);
                to
            }
            Kind::Antiproduct => {
                let sum = self.with_newest(index, step);
                let inverse = self.constant(self.engine.inverse[k]);
                self.asm.op(Op::Mul, one, sum, sum, inverse);
                sum
            }
            Kind::Antiquotient => {
                let rate = self.with_newest(index, step);
                let (inverse, to) = (self.constant(self.engine.inverse[k]), self.take());
                self.asm.op(Op::Mul, one, to, rate, inverse);
                self.define(to, step.out + 1);
                rate
            }
        };
        self.define(value, step.out);
    }

    fn define(&mut self, register: Vector, node: u32) {
        self.registers.give(register, node, self.plan.first[node as usize], false);
    }

    /// Σ c · node, beginning with the first; factors of ±1 cost nothing.
    fn sum(&mut self, terms: &[(u32, f64)]) -> Partial {
        let one = Width::One;
        let &(node, c) = terms.first().expect("sums have terms");
        let mut sum = match c {
            1.0 => Partial::Value(node, false),
            -1.0 if terms.len() > 1 && terms[1].1 != -1.0 => Partial::Value(node, true),
            _ => {
                let (from, to, c) = (self.register(node), self.take(), self.constant(c));
                self.asm.op(Op::Mul, one, to, from, c);
                Partial::Own(to)
            }
        };
        for &(node, c) in &terms[1..] {
            sum = Partial::Own(match (sum, c) {
                (Partial::Own(to), 1.0 | -1.0) => {
                    let operand = self.operand(node);
                    self.asm.op(if c == 1.0 { Op::Add } else { Op::Sub }, one, to, to, operand);
                    to
                }
                (Partial::Own(to), _) => {
                    let (from, c) = (self.register(node), self.constant(c));
                    self.asm.op(Op::Fma231, one, to, from, c);
                    to
                }
                (Partial::Value(first, false), 1.0 | -1.0) => {
                    let (first, operand, to) = (self.register(first), self.operand(node), self.take());
                    self.asm.op(if c == 1.0 { Op::Add } else { Op::Sub }, one, to, first, operand);
                    to
                }
                (Partial::Value(first, true), 1.0) => {
                    let (second, operand, to) = (self.register(node), self.operand(first), self.take());
                    self.asm.op(Op::Sub, one, to, second, operand);
                    to
                }
                (Partial::Value(first, negative), _) => {
                    let (second, operand, to) = (self.register(node), self.operand(first), self.take());
                    let c = self.constant(c);
                    self.asm.op(Op::Load, one, to, 0, c);
                    self.asm.op(if negative { Op::Fms213 } else { Op::Fma213 }, one, to, second, operand);
                    to
                }
            });
        }
        sum
    }

    /// Coefficient k + 1 of a state.
    pub fn result(&mut self, state: u32, sum: &Sum) {
        let (k, plan, one) = (self.k, self.plan, Width::One);
        let terms = &plan.terms[sum.from as usize..sum.to as usize];
        // −0 · t, as in the other implementation
        let minus_nothing = (0, -0.0);
        let (terms, rate): (&[_], f64) = match *terms {
            [] => (&[(0, 0.0), minus_nothing], sum.scale),
            [term] if k == 1 => (&[term, minus_nothing], sum.scale),
            [(node, -1.0)] => (&[(node, 1.0)], -sum.scale),
            _ => (terms, sum.scale),
        };
        let weight = self.weight(rate, k + 1);
        let value = match self.sum(terms) {
            Partial::Own(register) => {
                self.asm.op(Op::Mul, one, register, register, weight);
                register
            }
            Partial::Value(node, _) => {
                let (from, to) = (self.register(node), self.take());
                self.asm.op(Op::Mul, one, to, from, weight);
                to
            }
        };
        if let Some(divisor) = divisor(k + 1) {
            let divisor = self.constant(divisor);
            self.asm.op(Op::Div, one, value, value, divisor);
        }
        let place = 8 * ((k + 1) * plan.states + state as usize);
        self.asm.op(Op::Store, one, value, 0, Last::Memory(Base::Rdx, place as i32 - BIAS as i32));
        let next = match plan.first[state as usize + 1] {
            NEVER => NEVER,
            next => plan.parts.len() as u32 + next,
        };
        self.registers.give(value, plan.next_state(state), next, false);
    }

    /// rate · scale / order
    fn weight(&mut self, rate: f64, order: usize) -> Last {
        let like = |w: &&Weight| w.order == order && w.rate.to_bits() == rate.to_bits();
        let index = match self.weights.iter().rev().take_while(|w| w.order == order).find(like) {
            Some(weight) => weight.index,
            None => {
                let index = self.new_constant(UNKNOWN);
                let part = if divisor(order).is_some() { 1.0 } else { self.engine.inverse[order] };
                self.weights.push(Weight { index, rate, part, order });
                index
            }
        };
        self.pooled(index)
    }

    /// The newest coefficients of up to four nodes join a group.
    pub fn row(&mut self, index: u32, second: bool) {
        let plan = self.plan;
        let group = &plan.groups[index as usize];
        let nodes = &group.nodes[usize::from(second)];
        let to = match *nodes.as_slice() {
            [a] => {
                let (from, to) = (self.register(a), self.take());
                self.asm.op(Op::Load, Width::Two, to, 0, Last::Register(from));
                to
            }
            [a, b] => self.pair(a, b),
            [a, b, c] => self.two_pairs([a, b, c, c]),
            [a, b, c, d] => self.two_pairs([a, b, c, d]),
            _ => unreachable!("groups have one to four lanes"),
        };
        self.asm.op(Op::Store, group.width(), to, 0, self.factors(group, second, self.k));
        let row = plan.row(index, second);
        self.registers.give(to, row, plan.parts.len() as u32 + plan.first[row as usize], true);
    }

    fn pair(&mut self, a: u32, b: u32) -> Vector {
        let to = self.take();
        if a == b {
            let from = self.operand(a);
            self.asm.op(Op::Twice, Width::Two, to, 0, from);
            return to;
        }
        let low = self.register(a);
        let high = self.operand(b);
        let op = if matches!(high, Last::Register(_)) { Op::Low } else { Op::LoadHigh };
        self.asm.op(op, Width::Two, to, low, high);
        to
    }

    fn two_pairs(&mut self, [a, b, c, d]: [u32; 4]) -> Vector {
        let (low, high) = (self.pair(a, b), self.pair(c, d));
        self.asm.insert_upper(low, low, high);
        self.registers.free(high);
        low
    }
}
