//! Series over numbers of another precision: the same code and the same recurrences as in double precision, one
//! coefficient after the other, all of them kept. Numbers of many digits are slow enough to make nothing else pay.

use super::code::{JetCode, JetOp, Value};
use super::compile::compile;
use super::recurrence::{self, Factors, Form, Kind, begin_with, finish, next};
use crate::constant::{self, Constant};
use crate::{Program, Section};
use ordinate_solve::{LocalFeatures, PreciseSystem};
use std::sync::Arc;

/// A smooth program over numbers of another precision: its constants, sections and series.
pub struct PreciseProgram<N> {
    program: Arc<Program>,
    bits: usize,
    registers: Vec<N>,
    series: Series<N>,
}

struct Series<N> {
    code: JetCode<N>,
    forms: Vec<Form>,
    factors: Vec<Factors<N>>,
    /// The coefficients of each node.
    nodes: Vec<Vec<N>>,
    /// 1/k
    inverse: Vec<N>,
    one: N,
    /// Products of series.
    products: usize,
}

impl<N: Constant> PreciseProgram<N> {
    /// What f may hold that is not known from afar.
    pub fn pulses(&self) -> LocalFeatures {
        self.program.layout.pulses
    }

    /// The program with its constants rounded to so many bits; `None` where it has no series, or where what it does
    /// depends on discrete values.
    pub fn new(program: Arc<Program>, bits: usize) -> Option<PreciseProgram<N>> {
        if program.layout.discrete() > 0 {
            return None;
        }
        let registers = constant::constants(&program, bits);
        let series = Series::new(compile(&program, &program.rhs, &registers, bits)?, bits);
        Some(PreciseProgram { program, bits, registers, series })
    }

    /// Start values at time t, of the states and of the checks.
    pub fn starts(&mut self, t: &N) -> Vec<N> {
        let program = self.program.clone();
        self.results(&program.starts, t, &[])
    }

    /// Named expressions and outputs, then the inputs.
    pub fn outputs(&mut self, t: &N, y: &[N]) -> Vec<N> {
        let program = self.program.clone();
        self.results(&program.outputs, t, y)
    }

    /// What the solution keeps at zero.
    pub fn invariants(&mut self, t: &N, y: &[N]) -> Vec<N> {
        let program = self.program.clone();
        self.results(&program.invariants, t, y)
    }

    fn results(&mut self, section: &Section, t: &N, y: &[N]) -> Vec<N> {
        self.registers[0] = t.clone();
        self.registers[Program::STATES..Program::STATES + y.len()].clone_from_slice(y);
        constant::run(section, &self.program.lists, self.bits, &mut self.registers);
        section.results.iter().map(|&register| self.registers[register as usize].clone()).collect()
    }
}

impl<N: Constant> PreciseSystem<N> for PreciseProgram<N> {
    fn begin(&mut self, t: &N, y: &[N], f: &mut Vec<N>) {
        self.series.begin(t, y);
        *f = self.series.derivatives(0);
    }

    fn extend(&mut self, scale: f64, order: usize) {
        let bits = self.bits;
        self.series.extend(scale, order, |k| N::exact(1.0, bits) / N::splat(k as f64));
    }

    fn coefficients(&self, state: usize) -> &[N] {
        &self.series.nodes[state + 1]
    }

    fn products(&self, order: usize) -> f64 {
        let (order, linear) = (order as f64, self.series.code.terms.len() + 4 * self.series.forms.len());
        order * (0.5 * order * self.series.products as f64 + linear as f64)
    }
}

/// How a series begins.
fn function<N: Constant>(how: Value, x: N, y: N) -> N {
    match how {
        Value::Call(f) => x.call(f),
        Value::Power => x.power(&y),
        Value::Atan2 => x.atan2(&y),
    }
}

impl<N: Constant> Series<N> {
    fn new(code: JetCode<N>, bits: usize) -> Series<N> {
        let forms: Vec<Form> = code.instructions.iter().map(|i| i.form()).collect();
        let products =
            forms.iter().map(|form| usize::from(form.product.is_some()) + usize::from(form.weighted.is_some()));
        let zero = || N::splat(0.0);
        Series {
            products: products.sum(),
            factors: forms.iter().map(|_| Factors { sum: zero(), a: zero(), b: zero() }).collect(),
            forms,
            nodes: vec![Vec::new(); code.nodes],
            inverse: vec![zero()],
            one: N::exact(1.0, bits),
            code,
        }
    }

    /// The values of all nodes.
    fn begin(&mut self, t: &N, y: &[N]) {
        self.nodes.iter_mut().for_each(Vec::clear);
        self.nodes[0].push(t.clone());
        for (node, y) in self.nodes[1..].iter_mut().zip(y) {
            node.push(y.clone());
        }
        for (i, instruction) in self.code.instructions.iter().enumerate() {
            let out = instruction.out as usize;
            if let JetOp::Sum(sum) = &instruction.op {
                let value = sum.constant.clone() + self.sum(sum.from, sum.to, 0);
                self.nodes[out].push(value);
                continue;
            }
            let (value, factors) =
                begin_with(&instruction.op, |node| self.nodes[node as usize][0].clone(), function::<N>);
            self.factors[i] = factors;
            if self.forms[i].kind == Kind::Antiquotient {
                self.nodes[out].push(N::splat(0.0));
                self.nodes[out + 1].push(value);
            } else {
                self.nodes[out].push(value);
            }
        }
        for (instruction, factors) in self.code.instructions.iter().zip(&mut self.factors) {
            if let Some(late) = finish(&instruction.op, |node| self.nodes[node as usize][0].clone()) {
                *factors = late;
            }
        }
    }

    /// Σ c · node of order k
    fn sum(&self, from: u32, to: u32, k: usize) -> N {
        let terms = &self.code.terms[from as usize..to as usize];
        N::dot(terms.iter().map(|(node, c)| (c, &self.nodes[*node as usize][k])))
    }

    /// Coefficient k of the derivatives of the states.
    fn derivatives(&self, k: usize) -> Vec<N> {
        let derivative = |result: &super::Sum<N>| {
            let sum = self.sum(result.from, result.to, k);
            let sum = if k == 0 { sum + result.constant.clone() } else { sum };
            result.scale.clone() * sum
        };
        self.code.results.iter().map(derivative).collect()
    }

    /// Σ aⱼ bₖ₋ⱼ over 1 ≤ j < k
    fn product(&self, [a, b]: [u32; 2], k: usize) -> N {
        let (a, b) = (&self.nodes[a as usize], &self.nodes[b as usize]);
        if std::ptr::eq(a, b) {
            // every product but that in the middle stands there twice
            let half = (k - 1) / 2;
            let sum = N::dot(a[1..=half].iter().zip(a[k - half..k].iter().rev()));
            let twice = sum * N::splat(2.0);
            return if k.is_multiple_of(2) { twice + a[k / 2].clone() * a[k / 2].clone() } else { twice };
        }
        N::dot(a[1..k].iter().zip(b[1..k].iter().rev()))
    }

    fn extend(&mut self, scale: f64, order: usize, inverse: impl Fn(usize) -> N) {
        while self.inverse.len() <= order + 1 {
            let next = inverse(self.inverse.len());
            self.inverse.push(next);
        }
        self.nodes.iter_mut().for_each(|node| node.truncate(1));
        let n = self.code.states;
        self.nodes[0].push(N::splat(scale));
        for (i, f) in self.derivatives(0).into_iter().enumerate().take(n) {
            self.nodes[i + 1].push(f * N::splat(scale));
        }
        for k in 1..order {
            self.order(k);
            self.nodes[0].push(N::splat(0.0));
            let factor = self.inverse[k + 1].clone() * N::splat(scale);
            for (i, derivative) in self.derivatives(k).into_iter().enumerate() {
                self.nodes[i + 1].push(derivative * factor.clone());
            }
        }
    }

    /// Coefficient k of all nodes of instructions.
    fn order(&mut self, k: usize) {
        let zero = || N::splat(0.0);
        for (i, form) in self.forms.iter().enumerate() {
            let out = self.code.instructions[i].out as usize;
            if form.kind == Kind::Sum {
                let value = self.sum(form.a, form.b, k);
                self.nodes[out].push(value);
                continue;
            }
            let inner = |pair: Option<[u32; 2]>| pair.map_or_else(zero, |pair| self.product(pair, k));
            let sums = [inner(form.product), inner(form.weighted)];
            // what a kind does not look at may be a node that is not computed yet
            let newest = |node: u32| self.nodes[node as usize].get(k).cloned().unwrap_or_else(zero);
            let order = recurrence::Order { k: N::splat(k as f64), inverse: self.inverse[k].clone() };
            let fma = |a: N, b: N, c: N| N::dot([(&a, &b), (&c, &self.one)].into_iter());
            let value = next(form.kind, &self.factors[i], order, sums, [newest(form.a), newest(form.b)], fma);
            if form.kind == Kind::Antiquotient {
                let integral = value.clone() * self.inverse[k].clone();
                self.nodes[out + 1].push(integral);
            }
            self.nodes[out].push(value);
        }
    }
}
