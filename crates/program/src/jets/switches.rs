//! Series of the switches along a step: here the states are given polynomials, so nothing is integrated. In contrast to the
//! series of the solutions these are short and asked for only where events are looked for.

use super::code::{JetCode, JetOp, Operand, Sum, Value};
use super::compile::compile_results;
use super::disc::Disc;
use super::recurrence::{Factors, begin, finish};
use crate::{Program, Section};
use ordinate_solve::{Path, SwitchSeries};

/// The series of the switches that depend on the state.
#[derive(Clone, Debug)]
pub(crate) struct AlongStep {
    /// Its results are the switches of `of`.
    code: JetCode,
    of: Vec<usize>,
    states: Vec<usize>,
    factors: Vec<Factors>,
    /// series[node · stride + k]
    series: Vec<f64>,
    stride: usize,
    /// One number per node.
    degrees: Vec<usize>,
    radii: Vec<f64>,
}

impl AlongStep {
    /// Series for the discrete values that stand in the registers; `None` if there are none.
    pub fn new(program: &Program, registers: &[f64]) -> Option<AlongStep> {
        let switches = program.layout.switches.iter().zip(&program.switches.results).enumerate();
        let of_state = switches.filter(|(_, (switch, _))| !switch.of_time);
        let (of, results): (Vec<usize>, Vec<u32>) = of_state.map(|(index, (_, &result))| (index, result)).unzip();
        AlongStep::of_results(program, &program.switches, (of, &results), registers)
    }

    /// The same of some results of a section, which are those of `of`.
    fn of_results(
        program: &Program,
        section: &Section,
        (of, results): (Vec<usize>, &[u32]),
        registers: &[f64],
    ) -> Option<AlongStep> {
        let code = compile_results(program, section, results, registers, super::DOUBLE)?;
        let mut used = vec![false; code.nodes];
        for instruction in &code.instructions {
            instruction.op.needs(&code.terms, |node| used[node as usize] = true);
            if let JetOp::Antiproduct { w, .. } | JetOp::Antiquotient { w, .. } = &instruction.op {
                used[w.node as usize] = true;
            }
        }
        code.terms.iter().for_each(|&(node, _)| used[node as usize] = true);
        Some(AlongStep {
            of,
            states: (0..code.states).filter(|&state| used[state + 1]).collect(),
            factors: vec![Factors::default(); code.instructions.len()],
            series: Vec::new(),
            stride: 0,
            degrees: vec![0; code.nodes],
            radii: vec![0.0; code.nodes],
            code,
        })
    }

    /// The same with so much added to each switch.
    pub fn shifted(mut self, shifts: &[f64]) -> AlongStep {
        for (&switch, sum) in self.of.iter().zip(&mut self.code.results) {
            sum.constant += shifts.get(switch).copied().unwrap_or(0.0) / sum.scale;
        }
        self
    }

    /// The coefficients of all results along a path that has all states; those of the delayed values are `given`.
    fn expand_all(&mut self, path: &Path, given: &[Vec<f64>], order: usize, out: &mut [Vec<f64>]) {
        self.make_room(order);
        let (first, stride) = (self.code.states + 1, self.stride);
        for (j, given) in given.iter().enumerate() {
            copy_series(given, &mut self.series[(first + j) * stride..][..stride]);
        }
        let needed: Vec<Vec<f64>> = self.states.iter().filter_map(|&state| path.y.get(state).cloned()).collect();
        self.expand(&Path { y: &needed, ..*path }, order, out);
    }

    fn make_room(&mut self, order: usize) {
        if order >= self.stride {
            self.stride = order + 1;
            self.series = vec![0.0; self.code.nodes * self.stride];
        }
    }

    /// The values of all nodes and the factors of the recurrences.
    fn begin(&mut self) {
        let (code, stride) = (&self.code, self.stride);
        for (instruction, factors) in code.instructions.iter().zip(&mut self.factors) {
            let out = instruction.out as usize * stride;
            if let JetOp::Sum(sum) = &instruction.op {
                self.series[out] = sum.constant + total(sum, &code.terms, |node| self.series[node as usize * stride]);
                continue;
            }
            let (value, found) = begin(&instruction.op, |node| self.series[node as usize * stride]);
            *factors = found;
            if let JetOp::Antiquotient { .. } = instruction.op {
                self.series[out] = 0.0;
                self.series[out + stride] = value;
            } else {
                self.series[out] = value;
            }
        }
        for (instruction, factors) in code.instructions.iter().zip(&mut self.factors) {
            if let Some(found) = finish(&instruction.op, |node| self.series[node as usize * stride]) {
                *factors = found;
            }
        }
    }

    /// Coefficient k ≥ 1 of all nodes, by the formulas of `recurrence.rs`.
    fn order(&mut self, k: usize) {
        let (code, stride) = (&self.code, self.stride);
        let inverse = 1.0 / k as f64;
        for (instruction, factors) in code.instructions.iter().zip(&self.factors) {
            let at = |node: u32| self.series[node as usize * stride + k];
            let inner = |first: u32, second: u32| -> f64 {
                let first = &self.series[first as usize * stride..][1..k];
                let second = &self.series[second as usize * stride..][1..k];
                product(first, second)
            };
            let out = instruction.out;
            let unary = |a: u32, first: u32, second: u32| factors.a * at(a) + factors.sum * inner(first, second);
            let value = match &instruction.op {
                JetOp::Sum(sum) => total(sum, &code.terms, at),
                JetOp::Mul(a, b) => factors.b * at(b.node) + unary(a.node, a.node, b.node),
                JetOp::Square(a) => unary(a.node, a.node, a.node),
                JetOp::Div(a, b) => factors.b * at(b.node) + unary(a.node, b.node, out),
                JetOp::Reciprocal(_, b) => unary(b.node, b.node, out),
                JetOp::Sqrt(a) => unary(a.node, out, out),
                JetOp::Power { a, weighted, .. } => {
                    let both = factors.b * inverse * inner(*weighted, out) - factors.sum * inner(a.node, out);
                    factors.a * at(a.node) + both
                }
                JetOp::Weigh(a) => factors.a * k as f64 * at(a.node),
                JetOp::Antiproduct { weighted, w, .. } => unary(*weighted, *weighted, w.node) * inverse,
                JetOp::Antiquotient { weighted, w, .. } => {
                    let rate = unary(*weighted, out, w.node);
                    self.series[(out as usize + 1) * stride + k] = rate * inverse;
                    rate
                }
            };
            self.series[out as usize * stride + k] = value;
        }
    }

    /// An operand as a disc, its node being within the radius found for it.
    fn disc(&self, operand: &Operand) -> Disc {
        let node = operand.node as usize;
        Disc { c: operand.value(self.series[node * self.stride]), r: operand.factor.abs() * self.radii[node] }
    }

    /// How far the last node of an instruction can go from its value.
    fn radius(&self, op: &JetOp, value: f64) -> f64 {
        match op {
            JetOp::Sum(sum) => spread(sum, &self.code.terms, &self.radii),
            JetOp::Mul(a, b) => self.disc(a).product(self.disc(b)),
            JetOp::Square(a) => self.disc(a).square(),
            JetOp::Div(a, b) => self.disc(a).product(self.disc(b).reciprocal()),
            JetOp::Reciprocal(numerator, b) => numerator.abs() * self.disc(b).reciprocal().r,
            JetOp::Sqrt(a) => self.disc(a).sqrt(),
            JetOp::Power { a, r, .. } => self.disc(a).power(*r, value),
            // Only functions need these nodes, and they are bounded by their arguments.
            JetOp::Weigh(_) => f64::INFINITY,
            // a series that does not change
            JetOp::Antiproduct { factor: 0.0, .. } => 0.0,
            JetOp::Antiproduct { value: how, of, .. } | JetOp::Antiquotient { value: how, of, .. } => {
                let [a, b] = [self.disc(&of[0]), self.disc(&of[1])];
                match how {
                    Value::Call(f) => a.call(*f),
                    Value::Atan2 => Disc::atan2(a, b),
                    Value::Power => {
                        let log = Disc { c: a.c.ln(), r: a.log() };
                        Disc { c: b.c * log.c, r: b.product(log) }.exp()
                    }
                }
            }
        }
    }

    /// The highest power of the last node of an instruction that may differ from zero.
    fn degree(&self, op: &JetOp) -> usize {
        let of = |node: u32| self.degrees[node as usize];
        match op {
            JetOp::Sum(sum) => highest(sum, &self.code.terms, &self.degrees),
            JetOp::Mul(a, b) => of(a.node).saturating_add(of(b.node)),
            JetOp::Square(a) => of(a.node).saturating_mul(2),
            JetOp::Weigh(a) => of(a.node),
            JetOp::Div(a, b) if of(b.node) == 0 => of(a.node),
            JetOp::Reciprocal(_, a) | JetOp::Sqrt(a) | JetOp::Power { a, .. } if of(a.node) == 0 => 0,
            JetOp::Antiproduct { factor: 0.0, .. } => 0,
            JetOp::Antiproduct { of: [a, b], .. } | JetOp::Antiquotient { of: [a, b], .. }
                if of(a.node) == 0 && of(b.node) == 0 =>
            {
                0
            }
            JetOp::Div(..)
            | JetOp::Reciprocal(..)
            | JetOp::Sqrt(_)
            | JetOp::Power { .. }
            | JetOp::Antiproduct { .. }
            | JetOp::Antiquotient { .. } => usize::MAX,
        }
    }
}

/// The series of the results of a section along a step: of the delayed quantities, or of what they were before the start.
#[derive(Clone, Debug)]
pub(crate) struct AlongSection(AlongStep);

impl AlongSection {
    /// Series for the discrete values that stand in the registers; `None` if there are none.
    pub fn new(program: &Program, section: &Section, registers: &[f64]) -> Option<AlongSection> {
        let all = (0..section.results.len()).collect();
        AlongStep::of_results(program, section, (all, &section.results), registers).map(AlongSection)
    }

    /// The coefficients of all results; see [`Path`]. Those of the delayed values are `given`.
    pub fn expand(&mut self, path: &Path, given: &[Vec<f64>], order: usize, out: &mut [Vec<f64>]) {
        self.0.expand_all(path, given, order, out);
    }
}

/// Copies a series; where it is shorter, zeros follow.
fn copy_series(from: &[f64], to: &mut [f64]) {
    let count = from.len().min(to.len());
    to[..count].copy_from_slice(&from[..count]);
    to[count..].fill(0.0);
}

impl SwitchSeries for AlongStep {
    fn states(&self) -> &[usize] {
        &self.states
    }

    fn degrees(&mut self, path: &Path, degrees: &mut [usize]) {
        self.degrees[0] = 1;
        for (&state, y) in self.states.iter().zip(path.y) {
            self.degrees[state + 1] = y.iter().rposition(|c| *c != 0.0).unwrap_or(0);
        }
        for i in 0..self.code.instructions.len() {
            let instruction = &self.code.instructions[i];
            let (out, nodes) = (instruction.out as usize, instruction.op.nodes() as usize);
            let degree = self.degree(&instruction.op);
            self.degrees[out..out + nodes].fill(degree);
        }
        for (&switch, sum) in self.of.iter().zip(&self.code.results) {
            degrees[switch] = highest(sum, &self.code.terms, &self.degrees);
        }
    }

    fn expand(&mut self, path: &Path, order: usize, g: &mut [Vec<f64>]) {
        self.make_room(order);
        let stride = self.stride;
        self.series[..stride].fill(0.0);
        (self.series[0], self.series[1]) = (path.t, path.length);
        for (&state, y) in self.states.iter().zip(path.y) {
            copy_series(y, &mut self.series[(state + 1) * stride..][..stride]);
        }
        self.begin();
        for k in 1..=order {
            if !self.code.instructions.is_empty() {
                self.order(k);
            }
        }
        let code = &self.code;
        for (&switch, sum) in self.of.iter().zip(&code.results) {
            let g = &mut g[switch];
            g.clear();
            g.extend((0..=order).map(|k| {
                let constant = if k == 0 { sum.constant } else { 0.0 };
                sum.scale * (constant + total(sum, &code.terms, |node| self.series[node as usize * stride + k]))
            }));
        }
    }

    fn bounds(&mut self, path: &Path, rho: f64, bounds: &mut [f64]) {
        self.radii[0] = rho * path.length;
        for (&state, y) in self.states.iter().zip(path.y) {
            let all = y.iter().skip(1).rev().fold(0.0, |sum: f64, c| (sum + c.abs()) * rho);
            self.radii[state + 1] = all;
        }
        for i in 0..self.code.instructions.len() {
            let instruction = &self.code.instructions[i];
            let (out, nodes) = (instruction.out as usize, instruction.op.nodes() as usize);
            let last = out + nodes - 1;
            let radius = self.radius(&instruction.op, self.series[last * self.stride]);
            self.radii[out] = f64::INFINITY;
            self.radii[last] = if radius.is_nan() { f64::INFINITY } else { radius };
        }
        for (&switch, sum) in self.of.iter().zip(&self.code.results) {
            bounds[switch] = sum.scale.abs() * spread(sum, &self.code.terms, &self.radii);
        }
    }
}

/// Σ c · node
fn total(sum: &Sum, terms: &[(u32, f64)], at: impl Fn(u32) -> f64) -> f64 {
    terms[sum.from as usize..sum.to as usize].iter().map(|&(node, c)| c * at(node)).sum()
}

/// Σ aⱼ bₙ₋ⱼ, in four sums that do not wait for each other.
fn product(a: &[f64], b: &[f64]) -> f64 {
    let (a, a_rest) = a.as_chunks::<4>();
    let (b_rest, b) = b.as_rchunks::<4>();
    let mut sums = [0.0; 4];
    for (a, b) in a.iter().zip(b.iter().rev()) {
        for j in 0..4 {
            sums[j] += a[j] * b[3 - j];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest.iter().rev()).map(|(a, b)| a * b).sum();
    rest + ((sums[0] + sums[2]) + (sums[1] + sums[3]))
}

/// Σ |c| · radius
fn spread(sum: &Sum, terms: &[(u32, f64)], radii: &[f64]) -> f64 {
    terms[sum.from as usize..sum.to as usize].iter().map(|&(node, c)| c.abs() * radii[node as usize]).sum()
}

fn highest(sum: &Sum, terms: &[(u32, f64)], degrees: &[usize]) -> usize {
    terms[sum.from as usize..sum.to as usize].iter().map(|&(node, _)| degrees[node as usize]).max().unwrap_or(0)
}
