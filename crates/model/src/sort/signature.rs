//! Pryce's structural analysis: how often each equation must be differentiated before the highest derivatives are
//! determined (J. D. Pryce, BIT 41 (2001) 364–394).
//!
//! ```text
//!   σᵢⱼ = order of the highest derivative of quantity j in equation i,  −∞ where it does not occur
//!   cᵢ, dⱼ ≥ 0 the smallest with   dⱼ − cᵢ ≥ σᵢⱼ,   equality on a transversal of highest value Σ σᵢⱼ
//! ```
//!
//! Equation i is differentiated cᵢ times and quantity j is solved for at its derivative dⱼ; Σd − Σc degrees of freedom
//! are left.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The signature matrix by rows, one row per equation.
#[derive(Clone, Debug, Default)]
pub(super) struct Signature {
    /// (quantity, σ) of each equation, by quantity.
    pub rows: Vec<Vec<(usize, u32)>>,
    /// Number of quantities.
    pub columns: usize,
}

/// The smallest offsets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Offsets {
    /// How often each equation is differentiated.
    pub c: Vec<u32>,
    /// The derivative at which each quantity is solved for.
    pub d: Vec<u32>,
}

impl Signature {
    /// The offsets, with dⱼ at least `needed[j]`; `None` if no transversal exists: the system is structurally singular.
    /// `preferred[i]` is the quantity that equation i is written for, which shortens the search.
    pub fn offsets(&self, preferred: &[Option<usize>], needed: &[u32]) -> Option<Offsets> {
        if self.rows.len() != self.columns {
            return None;
        }
        let column_of = Assignment::new(self).complete(preferred)?;
        Some(self.smallest(&column_of, needed))
    }

    /// Raises c and d from zero until they fit: each change is forced, so the result is the smallest.
    fn smallest(&self, column_of: &[usize], needed: &[u32]) -> Offsets {
        let mut c = vec![0; self.rows.len()];
        let mut d = needed.to_vec();
        let own: Vec<u32> = self.rows.iter().zip(column_of).map(|(row, &j)| value(row, j)).collect();
        let mut row_of = vec![0; self.columns];
        for (i, row) in self.rows.iter().enumerate() {
            row_of[column_of[i]] = i;
            row.iter().for_each(|&(j, sigma)| d[j] = d[j].max(sigma));
        }
        let mut open: Vec<usize> = (0..self.rows.len()).rev().collect();
        while let Some(i) = open.pop() {
            let wanted = d[column_of[i]] - own[i];
            if wanted <= c[i] {
                continue;
            }
            c[i] = wanted;
            for &(j, sigma) in &self.rows[i] {
                if sigma + wanted > d[j] {
                    d[j] = sigma + wanted;
                    open.push(row_of[j]);
                }
            }
        }
        Offsets { c, d }
    }
}

/// σ of a quantity that occurs in a row.
fn value(row: &[(usize, u32)], j: usize) -> u32 {
    row[row.binary_search_by_key(&j, |&(k, _)| k).expect("the transversal is in the pattern")].1
}

/// A transversal of highest value by shortest augmenting paths (Jonker and Volgenant, Computing 38 (1987) 325–340): the
/// reduced cost qⱼ − pᵢ − σᵢⱼ is never negative, and zero on the pairs.
struct Assignment<'a> {
    signature: &'a Signature,
    p: Vec<i64>,
    q: Vec<i64>,
    column_of: Vec<Option<usize>>,
    row_of: Vec<Option<usize>>,
    /// Distance of a column from the root of the search, and the row it was reached from.
    distance: Vec<i64>,
    from: Vec<usize>,
}

const FAR: i64 = i64::MAX;

impl<'a> Assignment<'a> {
    fn new(signature: &'a Signature) -> Self {
        let (rows, columns) = (signature.rows.len(), signature.columns);
        let mut q = vec![0; columns];
        for &(j, sigma) in signature.rows.iter().flatten() {
            q[j] = q[j].max(i64::from(sigma));
        }
        Assignment {
            signature,
            p: vec![0; rows],
            q,
            column_of: vec![None; rows],
            row_of: vec![None; columns],
            distance: vec![FAR; columns],
            from: vec![0; columns],
        }
    }

    fn complete(mut self, preferred: &[Option<usize>]) -> Option<Vec<usize>> {
        for (i, row) in self.signature.rows.iter().enumerate() {
            let best = |&&(j, sigma): &&(usize, u32)| self.q[j] == i64::from(sigma) && self.row_of[j].is_none();
            let wish = row.iter().filter(|&&(j, _)| preferred[i] == Some(j)).find(best);
            if let Some(&(j, _)) = wish {
                (self.column_of[i], self.row_of[j]) = (Some(j), Some(i));
            }
        }
        for i in 0..self.p.len() {
            if self.column_of[i].is_none() {
                self.augment(i)?;
            }
        }
        Some(self.column_of.into_iter().flatten().collect())
    }

    /// Dijkstra's algorithm over the columns; only what it touches costs.
    fn augment(&mut self, root: usize) -> Option<()> {
        let mut heap: BinaryHeap<Reverse<(i64, usize)>> = BinaryHeap::new();
        let (mut touched, mut done): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        let (mut row, mut base) = (root, 0);
        let end = loop {
            for &(j, sigma) in &self.signature.rows[row] {
                let length = base + self.q[j] - self.p[row] - i64::from(sigma);
                if length < self.distance[j] {
                    if self.distance[j] == FAR {
                        touched.push(j);
                    }
                    (self.distance[j], self.from[j]) = (length, row);
                    heap.push(Reverse((length, j)));
                }
            }
            // entries that were improved later are stale
            let next = loop {
                match heap.pop() {
                    Some(Reverse((length, j))) if length > self.distance[j] => {}
                    other => break other,
                }
            };
            let Some(Reverse((length, j))) = next else {
                touched.iter().for_each(|&j| self.distance[j] = FAR);
                return None;
            };
            match self.row_of[j] {
                None => break j,
                Some(next) => {
                    done.push(j);
                    (row, base) = (next, length);
                }
            }
        };
        let total = self.distance[end];
        self.p[root] += total;
        for &j in &done {
            let rise = total - self.distance[j];
            self.q[j] += rise;
            self.p[self.row_of[j].expect("passed through")] += rise;
        }
        let mut j = end;
        loop {
            let i = self.from[j];
            self.row_of[j] = Some(i);
            let Some(before) = self.column_of[i].replace(j) else { break };
            j = before;
        }
        touched.iter().for_each(|&j| self.distance[j] = FAR);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(rows: &[&[(usize, u32)]]) -> Option<(Vec<u32>, Vec<u32>)> {
        let signature = Signature { rows: rows.iter().map(|row| row.to_vec()).collect(), columns: rows.len() };
        let found = signature.offsets(&vec![None; rows.len()], &vec![0; rows.len()])?;
        Some((found.c, found.d))
    }

    /// Pryce's example 2.1: x″ + xλ = 0, y″ + yλ − g = 0, x² + y² − L² = 0.
    #[test]
    fn the_pendulum_needs_two_derivatives_of_its_constraint() {
        let found = offsets(&[&[(0, 2), (2, 0)], &[(1, 2), (2, 0)], &[(0, 0), (1, 0)]]);
        assert_eq!(found, Some((vec![0, 0, 2], vec![2, 2, 0])));
    }

    /// Pryce's second example: two pendulums, the length of the second depending on the first's force: index 5.
    #[test]
    fn a_chain_of_constraints_adds_up() {
        let rows: &[&[(usize, u32)]] = &[
            &[(0, 2), (2, 0)],
            &[(1, 2), (2, 0)],
            &[(0, 0), (1, 0)],
            &[(3, 2), (5, 0)],
            &[(4, 2), (5, 0)],
            &[(2, 0), (3, 0), (4, 0)],
        ];
        assert_eq!(offsets(rows), Some((vec![2, 2, 4, 0, 0, 2], vec![4, 4, 2, 2, 2, 0])));
    }

    #[test]
    fn a_system_without_a_transversal_has_no_offsets() {
        assert_eq!(offsets(&[&[(0, 1)], &[(0, 0)]]), None);
    }

    /// A derivative that is asked for elsewhere differentiates the equation that gives it.
    #[test]
    fn what_is_needed_raises_the_offsets() {
        let signature = Signature { rows: vec![vec![(0, 1)], vec![(0, 0), (1, 0)]], columns: 2 };
        let found = signature.offsets(&[Some(0), Some(1)], &[0, 2]).expect("it is regular");
        assert_eq!((found.c, found.d), (vec![1, 2], vec![2, 2]));
    }

    /// The pairs found are of highest value: all permutations of small random matrices tried.
    #[test]
    fn the_transversal_is_of_highest_value() {
        let mut seed = 7u64;
        let mut random = move |n: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % n
        };
        for _ in 0..200 {
            let mut rows: Vec<Vec<(usize, u32)>> = vec![Vec::new(); 4];
            for row in &mut rows {
                for j in 0..4 {
                    if random(3) > 0 {
                        row.push((j, random(4) as u32));
                    }
                }
            }
            let get = |i: usize, j: usize| rows[i].iter().find(|&&(k, _)| k == j).map(|&(_, sigma)| sigma);
            let mut best: Option<u32> = None;
            for code in 0..256usize {
                let columns: Vec<usize> = (0..4).map(|i| code >> (2 * i) & 3).collect();
                let distinct = (0..4).all(|j| columns.contains(&j));
                let sum = columns.iter().enumerate().map(|(i, &j)| get(i, j)).sum::<Option<u32>>();
                best = best.max(sum.filter(|_| distinct));
            }
            let signature = Signature { rows: rows.clone(), columns: 4 };
            let found = signature.offsets(&[None; 4], &[0; 4]);
            assert_eq!(found.is_some(), best.is_some());
            if let (Some(found), Some(best)) = (found, best) {
                // strong duality: Σd − Σc is the value of the transversal
                let difference = found.d.iter().sum::<u32>() - found.c.iter().sum::<u32>();
                assert_eq!(difference, best);
                let fits = |i: usize| rows[i].iter().all(|&(j, sigma)| found.d[j] >= found.c[i] + sigma);
                assert!((0..4).all(fits));
            }
        }
    }
}
