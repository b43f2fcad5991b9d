//! Where everything is in an engine's memory: groups of four products or squares, and the places of each step's operands.

use super::engine::{Engine, Inner, ProductGroup, SquareGroup, Step};
use super::recurrence::{Factors, Kind};

impl Engine {
    /// Takes memory for series of this order and finds all places in it.
    pub(super) fn make_room(&mut self, order: usize) {
        self.room = room_for(order);
        self.inverse = inverses(self.room);
        self.done = 0;
        self.native = None;
        let (mut pairs, mut squares) = (Vec::new(), Vec::new());
        for form in self.code.instructions.iter().map(|i| i.form()) {
            match (form.kind, form.product) {
                (Kind::Square, Some([node, _])) => squares.push(node),
                (_, product) => pairs.extend(product.into_iter().chain(form.weighted)),
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
            let form = i.form();
            let inner = match (form.kind, form.product) {
                (_, None) => none,
                (Kind::Square, Some(_)) => next_square(),
                (_, Some(_)) => next_pair(),
            };
            let weighted = if form.weighted.is_some() { next_pair() } else { none };
            let place = |node: u32| if form.kind == Kind::Sum { node } else { 2 * node };
            let (a, b) = (place(form.a), place(form.b));
            Step { factors: Factors::default(), kind: form.kind, out: 2 * i.out, a, b, inner, weighted }
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
}

/// The highest order that there is room for if this one is asked for: such that the distance between groups of series is
/// no power of two, which caches do not like.
pub(super) fn room_for(order: usize) -> usize {
    order.next_multiple_of(8) + 1
}

/// 1/k for all k that may be divided by.
pub(super) fn inverses(room: usize) -> Vec<f64> {
    (0..=room + 1).map(|k| 1.0 / k as f64).collect()
}
