//! What one order computes, in which sequence, and which values each part uses: the same for all orders.

use super::registers::{NEVER, Value};
use crate::jets::code::JetOp;
use crate::jets::engine::Engine;
use crate::jets::recurrence::{Kind, constant_sum_factor};
use std::ops::Range;

/// A part of an order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    /// The inner sums of a group.
    Sums(u32),
    /// The recurrence of a step.
    Step(u32),
    /// The next coefficient of a state.
    Result(u32),
    /// Newest coefficients join a group: its first factors or its second ones.
    Row(u32, bool),
}

/// A group of up to four products or squares.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The places of its series in memory, as indices; those of squares are the same.
    pub first: usize,
    pub second: usize,
    /// The place of its sums.
    pub sum: usize,
    /// The nodes of its factors.
    pub nodes: [Vec<u32>; 2],
    pub square: bool,
}

/// One of the products of a step: group and lane.
pub(super) type Lane = (u32, u8);

/// A step with what does not change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recurrence {
    pub kind: Kind,
    pub out: u32,
    pub a: u32,
    pub b: u32,
    pub product: Lane,
    pub weighted: Lane,
    /// The factor of the sum where it is known, or that of k in k·aₖ.
    pub constant: Option<f64>,
}

/// The sequence of one order. Values are numbered: nodes, next coefficients of states, rows, sums.
#[derive(Debug)]
pub(super) struct Plan {
    pub nodes: usize,
    pub states: usize,
    pub groups: Vec<Group>,
    pub steps: Vec<Recurrence>,
    pub parts: Vec<Part>,
    /// Per part: its uses, each with the value's next use within the order.
    pub uses: Vec<(Value, u32)>,
    pub ranges: Vec<Range<usize>>,
    /// Per value: its first use.
    pub first: Vec<u32>,
    /// All sums: node and coefficient. The derivatives are those after the ones of the steps.
    pub terms: Vec<(u32, f64)>,
}

impl Plan {
    pub fn new(engine: &Engine) -> Plan {
        let code = &engine.code;
        let series = 4 * (engine.room + 1);
        let mut groups: Vec<Group> = Vec::new();
        for group in &engine.products {
            let second = group.place + series;
            let sum = second + series;
            groups.push(Group { first: group.place, second, sum, nodes: [vec![], vec![]], square: false });
        }
        for group in &engine.squares {
            let sum = group.place + series;
            groups.push(Group { first: group.place, second: group.place, sum, nodes: [vec![], vec![]], square: true });
        }
        let mut steps = Vec::with_capacity(engine.steps.len());
        let (mut pairs, mut squares) = (0, 4 * engine.products.len());
        for (step, instruction) in engine.steps.iter().zip(&code.instructions) {
            let mut lane = |square: bool| {
                let count = if square { &mut squares } else { &mut pairs };
                let (group, lane) = (*count / 4, *count % 4);
                *count += 1;
                let nodes = |of: &[u32; 4]| of[lane] / 2;
                let own = &mut groups[group];
                if square {
                    own.nodes[0].push(nodes(&engine.squares[group - engine.products.len()].nodes));
                } else {
                    own.nodes[0].push(nodes(&engine.products[group].first));
                    own.nodes[1].push(nodes(&engine.products[group].second));
                }
                (group as u32, lane as u8)
            };
            let none = (0, 0);
            let (product, weighted) = match step.kind {
                Kind::Sum | Kind::Weigh => (none, none),
                Kind::Binary | Kind::Unary | Kind::Antiproduct | Kind::Antiquotient => (lane(false), none),
                Kind::Square => (lane(true), none),
                Kind::Power => (lane(false), lane(false)),
            };
            let constant = match &instruction.op {
                JetOp::Weigh(a) => Some(a.factor),
                op => constant_sum_factor(op),
            };
            let halve = |place: u32| if step.kind == Kind::Sum { place } else { place / 2 };
            steps.push(Recurrence {
                kind: step.kind,
                out: instruction.out,
                a: halve(step.a),
                b: halve(step.b),
                product,
                weighted,
                constant,
            });
        }
        let mut plan = Plan {
            nodes: code.nodes,
            states: code.states,
            groups,
            steps,
            parts: Vec::new(),
            uses: Vec::new(),
            ranges: Vec::new(),
            first: Vec::new(),
            terms: code.terms.clone(),
        };
        plan.sequence(engine);
        plan
    }

    pub fn next_state(&self, state: u32) -> Value {
        self.nodes as u32 + state
    }

    pub fn row(&self, group: u32, second: bool) -> Value {
        (self.nodes + self.states) as u32 + 2 * group + u32::from(second)
    }

    pub fn sums(&self, group: u32) -> Value {
        (self.nodes + self.states + 2 * self.groups.len()) as u32 + group
    }

    pub fn values(&self) -> usize {
        self.nodes + self.states + 3 * self.groups.len()
    }

    /// The parts and their uses.
    fn sequence(&mut self, engine: &Engine) {
        let mut uses: Vec<(Value, u32)> = Vec::new();
        for g in 0..self.groups.len() as u32 {
            let rows: &[bool] = if self.groups[g as usize].square { &[false] } else { &[false, true] };
            uses.extend(rows.iter().map(|&second| (self.row(g, second), 0)));
            self.part(Part::Sums(g), &mut uses);
        }
        for i in 0..self.steps.len() {
            let step = self.steps[i];
            let mut lane = |lane: Lane| uses.push((self.sums(lane.0), 0));
            match step.kind {
                Kind::Sum => {
                    uses.extend(self.terms[step.a as usize..step.b as usize].iter().map(|&(node, _)| (node, 0)));
                }
                Kind::Weigh => uses.push((step.a, 0)),
                Kind::Binary => {
                    lane(step.product);
                    uses.extend([(step.a, 0), (step.b, 0)]);
                }
                Kind::Unary | Kind::Square | Kind::Antiproduct | Kind::Antiquotient => {
                    lane(step.product);
                    uses.push((step.a, 0));
                }
                Kind::Power => {
                    lane(step.product);
                    lane(step.weighted);
                    uses.push((step.a, 0));
                }
            }
            self.part(Part::Step(i as u32), &mut uses);
        }
        for (i, sum) in (0..).zip(&engine.code.results) {
            uses.extend(self.terms[sum.from as usize..sum.to as usize].iter().map(|&(node, _)| (node, 0)));
            self.part(Part::Result(i), &mut uses);
        }
        for g in 0..self.groups.len() as u32 {
            for second in [false, true] {
                let nodes = &self.groups[g as usize].nodes[usize::from(second)];
                if !nodes.is_empty() {
                    uses.extend(nodes.iter().map(|&node| (node, 0)));
                    self.part(Part::Row(g, second), &mut uses);
                }
            }
        }
        // backwards: the next use of each
        self.first = vec![NEVER; self.values()];
        for (position, range) in self.ranges.iter().enumerate().rev() {
            let range = range.clone();
            for (value, next) in &mut self.uses[range.clone()] {
                *next = self.first[*value as usize];
            }
            for (value, _) in &self.uses[range] {
                self.first[*value as usize] = position as u32;
            }
        }
    }

    fn part(&mut self, part: Part, uses: &mut Vec<(Value, u32)>) {
        let from = self.uses.len();
        self.parts.push(part);
        self.uses.append(uses);
        self.ranges.push(from..self.uses.len());
    }
}
