//! In which order products of several factors are multiplied, so that common parts are computed once.

use std::collections::{BTreeMap, BTreeSet};

/// More products than this are multiplied from left to right.
const MOST: usize = 1500;

/// Pairs to multiply, in order. Factor k below `first` is a state; `first + j` is the result of pair j.
pub struct Plan {
    first: usize,
    pairs: Vec<(usize, usize)>,
    results: BTreeMap<Vec<usize>, usize>,
}

impl Plan {
    /// A plan for products given by their sorted factors: the pair that most of them have goes first.
    pub fn new<'a>(products: impl Iterator<Item = &'a [usize]>) -> Plan {
        let all: BTreeSet<Vec<usize>> = products.filter(|p| p.len() > 1).map(<[usize]>::to_vec).collect();
        let first = all.iter().flatten().copied().max().map_or(0, |k| k + 1);
        let originals: Vec<Vec<usize>> = all.into_iter().collect();
        let mut plan = Plan { first, pairs: Vec::new(), results: BTreeMap::new() };
        let mut known: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let mut multiply = |pair: (usize, usize)| {
            *known.entry(pair).or_insert_with(|| {
                plan.pairs.push(pair);
                first + plan.pairs.len() - 1
            })
        };
        let mut open = originals.clone();
        if open.len() > MOST {
            for product in &mut open {
                let all = product.iter().copied().reduce(|a, b| multiply((a.min(b), a.max(b)))).expect("two at least");
                *product = vec![all];
            }
        }
        while let Some(pairs) = next_pairs(&open) {
            for pair in pairs {
                let result = multiply(pair);
                open.iter_mut().for_each(|product| replace(product, pair, result));
            }
        }
        for (product, rest) in originals.into_iter().zip(open) {
            plan.results.insert(product, rest[0]);
        }
        plan
    }

    /// Number of multiplications.
    pub fn count(&self) -> usize {
        self.pairs.len()
    }

    /// The multiplications in order.
    pub fn pairs(&self) -> &[(usize, usize)] {
        &self.pairs
    }

    /// Which factor a product is: a state, or from `first` on the result of a pair.
    pub fn result(&self, factors: &[usize]) -> usize {
        if let [only] = factors { *only } else { self.results[factors] }
    }

    /// The number of the first result.
    pub fn first(&self) -> usize {
        self.first
    }
}

/// The pairs to multiply next: products of two are due anyway; of the others the most frequent pair, the first of
/// several.
fn next_pairs(open: &[Vec<usize>]) -> Option<Vec<(usize, usize)>> {
    let due: BTreeSet<(usize, usize)> = open.iter().filter(|p| p.len() == 2).map(|p| (p[0], p[1])).collect();
    if !due.is_empty() {
        return Some(due.into_iter().collect());
    }
    let mut counts: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for product in open.iter().filter(|p| p.len() > 1) {
        let mut own = BTreeSet::new();
        for (i, &a) in product.iter().enumerate() {
            own.extend(product[i + 1..].iter().map(|&b| (a, b)));
        }
        own.into_iter().for_each(|pair| *counts.entry(pair).or_default() += 1);
    }
    let best = counts.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)))?;
    Some(vec![*best.0])
}

/// Replaces one occurrence of a pair.
fn replace(product: &mut Vec<usize>, (a, b): (usize, usize), result: usize) {
    let Some(i) = product.iter().position(|&k| k == a) else { return };
    let Some(j) = product.iter().skip(i + 1).position(|&k| k == b).map(|j| j + i + 1) else { return };
    product.remove(j);
    product.remove(i);
    let at = product.partition_point(|&k| k < result);
    product.insert(at, result);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_pairs_are_multiplied_once() {
        let products: [&[usize]; 4] = [&[0, 2, 3], &[1, 2, 3], &[2, 3], &[2, 2, 3, 3]];
        let plan = Plan::new(products.into_iter());
        // c = x₂x₃, x₀c, x₁c, c²
        assert_eq!(plan.count(), 4);
        assert_eq!(plan.pairs()[0], (2, 3));
        assert_eq!(plan.result(&[2, 3]), plan.first());
        assert_eq!(plan.result(&[7]), 7);
    }
}
