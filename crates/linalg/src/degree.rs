//! An order of elimination that fills little: the unknown with the fewest neighbours next, with approximate degrees on
//! the quotient graph: P. R. Amestoy, T. A. Davis, I. S. Duff, SIAM J. Matrix Anal. Appl. 17 (1996) 886–905.
//!
//! An eliminated unknown becomes an element e, which stands for the clique of its neighbours Lₑ:
//!
//! ```text
//!   L_p = A_p ∪ ⋃ Lₑ   (e ∈ E_p)  without p
//!   dᵢ  = min( dᵢ + |L_p \ i|,  |Aᵢ \ L_p| + |L_p \ i| + Σ |Lₑ \ L_p|  (e ∈ Eᵢ) )      i ∈ L_p
//! ```

/// The order, and the multiplications that the elimination takes in it if no row is exchanged.
pub(crate) struct Elimination {
    pub order: Vec<u32>,
    pub multiplications: f64,
    /// Elements of L and U together.
    pub elements: f64,
}

/// Unknowns by degree, in doubly linked lists.
struct Queue {
    head: Vec<u32>,
    next: Vec<u32>,
    before: Vec<u32>,
    degree: Vec<u32>,
    lowest: usize,
}

const NONE: u32 = u32::MAX;

impl Queue {
    fn insert(&mut self, i: u32, degree: usize) {
        let first = self.head[degree];
        (self.next[i as usize], self.before[i as usize]) = (first, NONE);
        if first != NONE {
            self.before[first as usize] = i;
        }
        self.head[degree] = i;
        self.degree[i as usize] = degree as u32;
        self.lowest = self.lowest.min(degree);
    }

    fn remove(&mut self, i: u32) {
        let (next, before) = (self.next[i as usize], self.before[i as usize]);
        if next != NONE {
            self.before[next as usize] = before;
        }
        match before {
            NONE => self.head[self.degree[i as usize] as usize] = next,
            before => self.next[before as usize] = next,
        }
    }

    fn lowest(&mut self) -> Option<u32> {
        while self.lowest < self.head.len() {
            match self.head[self.lowest] {
                NONE => self.lowest += 1,
                i => return Some(i),
            }
        }
        None
    }
}

/// Orders the nodes of a graph. `neighbours` goes both ways, without loops; all nodes of a `given` clique are neighbours,
/// too.
pub(crate) fn minimum_degree(mut neighbours: Vec<Vec<u32>>, given: Vec<Vec<u32>>) -> Elimination {
    let n = neighbours.len();
    let mut found = Elimination { order: Vec::with_capacity(n), multiplications: 0.0, elements: n as f64 };
    // Whoever has very many neighbours comes last: to look at them in each step would take n² steps.
    let many = (10.0 * (n as f64).sqrt()).max(16.0) as usize;
    let mut elements: Vec<Vec<u32>> = vec![Vec::new(); n];
    let mut cliques: Vec<Vec<u32>> = vec![Vec::new(); n];
    for clique in given.into_iter().filter(|clique| clique.len() <= many) {
        clique.iter().for_each(|&i| elements[i as usize].push(cliques.len() as u32));
        cliques.push(clique);
    }
    let dense: Vec<bool> = neighbours.iter().zip(&elements).map(|(a, e)| a.len() + e.len() > many).collect();
    for clique in &mut cliques {
        clique.retain(|&i| !dense[i as usize]);
    }
    let crowded = dense.iter().filter(|&&dense| dense).count();
    let links = |value| vec![value; n];
    let mut queue =
        Queue { head: vec![NONE; n + 1], next: links(NONE), before: links(NONE), degree: links(0), lowest: 0 };
    for i in (0..n).rev().filter(|&i| !dense[i]) {
        neighbours[i].retain(|&j| !dense[j as usize]);
        let far = elements[i].iter().map(|&e| cliques[e as usize].len() - 1).sum::<usize>();
        queue.insert(i as u32, (neighbours[i].len() + far).min(n));
    }
    let mut gone = dense.clone();
    // Stamps: who is in L_p; outside[e] = |Lₑ \ L_p| where its stamp is the newest.
    let (mut member, mut stamp, mut outside) = (links(NONE), vec![NONE; cliques.len()], vec![0; cliques.len()]);
    let mut left = n - crowded;
    while let Some(p) = queue.lowest() {
        queue.remove(p);
        let pivot = p as usize;
        let mut clique = Vec::new();
        member[pivot] = p;
        gone[pivot] = true;
        let absorbed = std::mem::take(&mut elements[pivot]);
        let lists = absorbed.iter().map(|&e| std::mem::take(&mut cliques[e as usize]));
        for list in lists.chain([std::mem::take(&mut neighbours[pivot])]) {
            for i in list {
                if !gone[i as usize] && member[i as usize] != p {
                    member[i as usize] = p;
                    clique.push(i);
                }
            }
        }
        for &i in &clique {
            for &e in elements[i as usize].iter().filter(|&&e| !cliques[e as usize].is_empty()) {
                if stamp[e as usize] != p {
                    stamp[e as usize] = p;
                    outside[e as usize] = cliques[e as usize].len() as u32;
                }
                outside[e as usize] -= 1;
            }
        }
        let size = clique.len();
        found.order.push(p);
        left -= 1;
        let mut same = Vec::new();
        for &i in &clique {
            let v = i as usize;
            queue.remove(i);
            // A clique inside the new one says nothing more and is forgotten.
            let mut far = 0;
            elements[v].retain(|&e| {
                let open = !cliques[e as usize].is_empty() && outside[e as usize] > 0;
                far += if open { outside[e as usize] as usize } else { 0 };
                open
            });
            neighbours[v].retain(|&j| !gone[j as usize] && member[j as usize] != p);
            if elements[v].is_empty() && neighbours[v].is_empty() {
                same.push(i);
                continue;
            }
            elements[v].push(p);
            let degree = (queue.degree[v] as usize + size - 1).min(neighbours[v].len() + size - 1 + far);
            queue.insert(i, degree.min(left - 1));
        }
        // Unknowns that see nothing but this clique follow at once: they fill nothing more.
        for (k, &i) in same.iter().enumerate() {
            gone[i as usize] = true;
            found.order.push(i);
            found.count(size - 1 - k + crowded);
        }
        found.count(size + crowded);
        left -= same.len();
        clique.retain(|&i| !gone[i as usize]);
        cliques[pivot] = clique;
    }
    found.order.extend((0..n as u32).filter(|&i| dense[i as usize]));
    (0..crowded).for_each(|k| found.count(k));
    found
}

impl Elimination {
    fn count(&mut self, neighbours: usize) {
        let neighbours = neighbours as f64;
        self.multiplications += neighbours * (neighbours + 1.0);
        self.elements += 2.0 * neighbours;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(n: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<u32>> {
        let mut neighbours = vec![Vec::new(); n];
        for (a, b) in edges {
            neighbours[a].push(b as u32);
            neighbours[b].push(a as u32);
        }
        neighbours
    }

    fn is_order(order: &[u32], n: usize) -> bool {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        sorted.into_iter().eq(0..n as u32)
    }

    #[test]
    fn a_tree_does_not_fill() {
        let found = minimum_degree(graph(1000, (1..1000).map(|i| (i, (i - 1) / 3))), Vec::new());
        assert!(is_order(&found.order, 1000));
        assert_eq!(found.elements, 1000.0 + 2.0 * 999.0);
    }

    #[test]
    fn the_hub_of_a_star_comes_last() {
        let found = minimum_degree(graph(50_000, (1..50_000).map(|i| (0, i))), Vec::new());
        assert!(is_order(&found.order, 50_000));
        assert_eq!(found.order.last(), Some(&0));
    }

    #[test]
    fn a_clique_is_as_good_as_its_edges() {
        let rows: Vec<Vec<u32>> = (0..40u32).map(|i| vec![i, i + 1, (i + 7) % 41]).collect();
        let edges = rows.iter().flat_map(|row| [(row[0], row[1]), (row[1], row[2]), (row[0], row[2])]);
        let mut neighbours = graph(41, edges.map(|(a, b)| (a as usize, b as usize)).filter(|(a, b)| a != b));
        neighbours.iter_mut().for_each(|list| {
            list.sort_unstable();
            list.dedup();
        });
        let (cliques, whole) = (minimum_degree(vec![Vec::new(); 41], rows), minimum_degree(neighbours, Vec::new()));
        assert!(is_order(&cliques.order, 41));
        assert!(cliques.elements < 1.2 * whole.elements, "{} {}", cliques.elements, whole.elements);
    }

    /// Nested dissection fills 31 n log₂ n / 8 elements of L: A. George, SIAM J. Numer. Anal. 10 (1973) 345–363.
    #[test]
    fn a_grid_fills_about_as_little_as_nested_dissection() {
        let side = 60;
        let at = |i, j| i * side + j;
        let across = (0..side).flat_map(|i| (1..side).map(move |j| (at(i, j), at(i, j - 1))));
        let down = (1..side).flat_map(|i| (0..side).map(move |j| (at(i, j), at(i - 1, j))));
        let found = minimum_degree(graph(side * side, across.chain(down)), Vec::new());
        assert!(is_order(&found.order, side * side));
        let n = (side * side) as f64;
        assert!(found.elements / 2.0 < 31.0 / 8.0 * n * n.log2(), "{}", found.elements / 2.0);
    }
}
