//! Which storage suits a pattern: the one that is expected to take the least time.

use crate::Pattern;
use crate::band::{bandwidths, inverted};
use crate::narrow::narrow_order;
use crate::small::MAX_SMALL;
use crate::sparse::{Graph, Plan};

/// Storage, with the order that was found for it.
pub(crate) enum Chosen {
    Small,
    Dense,
    Band(Vec<u32>),
    Sparse(Plan),
    /// An unknown without equation.
    Singular(usize),
}

/// Nanoseconds of a factorisation and a solution on a processor of 2020; only their ratios matter.
mod nanoseconds {
    pub fn dense(n: usize) -> f64 {
        let n = n as f64;
        0.05 * n * n * n + 4.0 * n * n
    }

    pub fn band(n: usize, lower: usize, upper: usize) -> f64 {
        let (lower, upper) = (lower as f64, upper as f64);
        n as f64 * (10.0 + lower * (4.0 + 0.3 * (lower + upper)))
    }

    pub fn sparse(n: usize, elements: f64, multiplications: f64) -> f64 {
        30.0 * n as f64 + 6.0 * elements + 1.0 * multiplications
    }
}

/// Chooses the storage.
pub(crate) fn choose(pattern: &Pattern) -> Chosen {
    let n = pattern.n;
    if n <= MAX_SMALL {
        return Chosen::Small;
    }
    if pattern.len() > n * n / 4 {
        return Chosen::Dense;
    }
    let (order, band) = narrowest(pattern);
    // No ordering can need less than the elements that are given.
    if band < nanoseconds::dense(n) && band < nanoseconds::sparse(n, pattern.len() as f64, 0.0) {
        return Chosen::Band(order);
    }
    let plan = match Plan::new(pattern, Graph::Sum) {
        Ok(plan) => plan,
        Err(column) => return Chosen::Singular(column),
    };
    let sparse = nanoseconds::sparse(n, plan.elements.max(pattern.len() as f64), plan.multiplications);
    if nanoseconds::dense(n) < sparse.min(band) {
        Chosen::Dense
    } else if band < sparse {
        Chosen::Band(order)
    } else {
        Chosen::Sparse(plan)
    }
}

/// What a factorisation and one solution with its factors cost in the storage that [`choose`] takes, in nanoseconds.
pub fn costs(pattern: &Pattern) -> (f64, f64) {
    let n = pattern.n;
    let (together, elements) = match choose(pattern) {
        Chosen::Small => (SMALL * nanoseconds::dense(n), SMALL * (n * n) as f64),
        Chosen::Dense | Chosen::Singular(_) => (nanoseconds::dense(n), (n * n) as f64),
        Chosen::Band(order) => {
            let (lower, upper) = bandwidths(pattern, &inverted(&order));
            (nanoseconds::band(n, lower, upper), (n * (2 * lower + upper)) as f64)
        }
        Chosen::Sparse(plan) => {
            let elements = plan.elements.max(pattern.len() as f64);
            (nanoseconds::sparse(n, elements, plan.multiplications), elements)
        }
    };
    (together, PER_STATE * n as f64 + PER_ELEMENT * elements)
}

/// What is kept in registers costs so much of what the formula for large matrices says.
const SMALL: f64 = 0.35;
/// Nanoseconds of a solution, of each unknown and of each element of the factors.
const PER_STATE: f64 = 4.0;
const PER_ELEMENT: f64 = 0.6;

/// The better one of the given order and of one in which neighbours stand together, with the time for its band.
fn narrowest(pattern: &Pattern) -> (Vec<u32>, f64) {
    let n = pattern.n;
    let mut neighbours = vec![Vec::new(); n];
    for (i, j) in pattern.elements().filter(|(i, j)| i != j) {
        neighbours[i as usize].push(j);
        neighbours[j as usize].push(i);
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    let time = |order: &[u32]| {
        let (lower, upper) = bandwidths(pattern, &inverted(order));
        nanoseconds::band(n, lower, upper)
    };
    let (given, narrow) = ((0..n as u32).collect::<Vec<u32>>(), narrow_order(&neighbours));
    let (before, after) = (time(&given), time(&narrow));
    if after < before { (narrow, after) } else { (given, before) }
}
