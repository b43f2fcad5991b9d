//! Which equation determines which unknown: a maximum matching of the two, and, where it is not
//! complete, the part of the system that is to blame.

/// A bipartite graph of equations and unknowns, and a matching on it.
#[derive(Default)]
pub(super) struct Matching {
    /// Unknowns of each equation.
    pub incident: Vec<Vec<usize>>,
    /// Equations of each unknown.
    pub uses: Vec<Vec<usize>>,
    /// The unknown that an equation determines.
    pub unknown_of: Vec<Option<usize>>,
    /// The equation that determines an unknown.
    pub equation_of: Vec<Option<usize>>,
}

impl Matching {
    /// `preferred[e]`: the unknown that equation e is written for (`x' = …`). `firm[u]`: unknowns that must be
    /// determined before others, since those may be misspelt names.
    pub fn new(incident: Vec<Vec<usize>>, unknowns: usize, preferred: &[Option<usize>], firm: &[bool]) -> Matching {
        let mut uses = vec![Vec::new(); unknowns];
        for (e, list) in incident.iter().enumerate() {
            list.iter().for_each(|&u| uses[u].push(e));
        }
        let unknown_of = vec![None; incident.len()];
        let mut m = Matching { incident, uses, unknown_of, equation_of: vec![None; unknowns] };
        for (e, wish) in preferred.iter().enumerate() {
            if let Some(u) = wish.filter(|&u| m.equation_of[u].is_none()) {
                m.pair(e, u);
            }
        }
        // the rest one by one; in a sorted model few or none are left
        let mut seen = vec![usize::MAX; m.incident.len()];
        for round in 0..m.incident.len() {
            if m.unknown_of[round].is_none() {
                m.augment(round, &mut seen);
            }
        }
        for u in 0..unknowns {
            if firm[u] && m.equation_of[u].is_none() {
                m.displace(u, firm);
            }
        }
        m
    }

    fn pair(&mut self, e: usize, u: usize) {
        self.unknown_of[e] = Some(u);
        self.equation_of[u] = Some(e);
    }

    /// An augmenting path from equation `root` to a free unknown, breadth first without recursion.
    fn augment(&mut self, root: usize, seen: &mut [usize]) {
        // seen[e] = root marks e as visited; from[e] = the unknown that leads back
        let mut queue = vec![root];
        let mut came_by: Vec<(usize, usize)> = Vec::new(); // (equation, index of its predecessor in queue)
        came_by.push((usize::MAX, usize::MAX));
        seen[root] = root;
        let mut at = 0;
        while at < queue.len() {
            let e = queue[at];
            for k in 0..self.incident[e].len() {
                let u = self.incident[e][k];
                match self.equation_of[u] {
                    None => return self.flip(u, at, &queue, &came_by),
                    Some(next) if seen[next] != root => {
                        seen[next] = root;
                        queue.push(next);
                        came_by.push((u, at));
                    }
                    Some(_) => {}
                }
            }
            at += 1;
        }
    }

    /// Re-pairs along the path that ends with the free unknown `u` at queue position `at`.
    fn flip(&mut self, mut u: usize, mut at: usize, queue: &[usize], came_by: &[(usize, usize)]) {
        loop {
            let e = queue[at];
            self.pair(e, u);
            let (before, previous) = came_by[at];
            if previous == usize::MAX {
                return;
            }
            u = before;
            at = previous;
        }
    }

    /// Gives the firm unknown `start` an equation at the expense of one that is not firm.
    fn displace(&mut self, start: usize, firm: &[bool]) {
        let mut visited = vec![false; self.equation_of.len()];
        let mut queue: Vec<(usize, usize)> = vec![(start, usize::MAX)];
        let mut by: Vec<usize> = vec![usize::MAX]; // the equation through which an unknown was reached
        visited[start] = true;
        let mut at = 0;
        while at < queue.len() {
            let (u, _) = queue[at];
            for k in 0..self.uses[u].len() {
                let e = self.uses[u][k];
                let Some(other) = self.unknown_of[e].filter(|&other| !visited[other]) else { continue };
                visited[other] = true;
                queue.push((other, at));
                by.push(e);
                if !firm[other] {
                    // shift every unknown on the path to the equation it was reached through
                    self.equation_of[other] = None;
                    let mut position = queue.len() - 1;
                    while by[position] != usize::MAX {
                        let e = by[position];
                        let previous = queue[position].1;
                        self.pair(e, queue[previous].0);
                        position = previous;
                    }
                    return;
                }
            }
            at += 1;
        }
    }

    /// Whether every equation has an unknown and every unknown an equation.
    pub fn is_complete(&self) -> bool {
        self.unknown_of.iter().all(Option::is_some) && self.equation_of.iter().all(Option::is_some)
    }

    /// Equations without an unknown of their own.
    pub fn spare_equations(&self) -> Vec<usize> {
        (0..self.unknown_of.len()).filter(|&e| self.unknown_of[e].is_none()).collect()
    }

    /// Unknowns without an equation of their own.
    pub fn free_unknowns(&self) -> Vec<usize> {
        (0..self.equation_of.len()).filter(|&u| self.equation_of[u].is_none()).collect()
    }

    /// The overdetermined part around a spare equation: all equations that compete with it, and the unknowns
    /// they compete for (Dulmage and Mendelsohn, Canad. J. Math. 10 (1958) 517–534).
    pub fn overdetermined(&self, spare: usize) -> (Vec<usize>, Vec<usize>) {
        let (mut equations, mut unknowns) = (vec![spare], Vec::new());
        let mut reached = vec![false; self.equation_of.len()];
        let mut at = 0;
        while at < equations.len() {
            for &u in &self.incident[equations[at]] {
                if !reached[u] {
                    reached[u] = true;
                    unknowns.push(u);
                    equations.extend(self.equation_of[u]);
                }
            }
            at += 1;
        }
        equations.sort_unstable();
        unknowns.sort_unstable();
        (equations, unknowns)
    }

    /// For each unknown the greatest value of the equations that it needs, its own block and all before it.
    pub fn behind(&self, value: impl Fn(usize) -> u32) -> Vec<u32> {
        let mut found = vec![0; self.uses.len()];
        for block in self.components() {
            let own = block.iter().map(|&e| value(e));
            let needed = block.iter().flat_map(|&e| &self.incident[e]).map(|&u| found[u]);
            let most = own.chain(needed).max().unwrap_or(0);
            block.iter().filter_map(|&e| self.unknown_of[e]).for_each(|u| found[u] = most);
        }
        found
    }

    /// Strongly connected components of the matched equations, dependencies first
    /// (Tarjan, SIAM J. Comput. 1 (1972) 146–160, without recursion).
    pub fn components(&self) -> Vec<Vec<usize>> {
        let n = self.incident.len();
        const NEW: usize = usize::MAX;
        let (mut index, mut low, mut on_stack) = (vec![NEW; n], vec![0; n], vec![false; n]);
        let (mut stack, mut components, mut next) = (Vec::new(), Vec::new(), 0);
        for root in 0..n {
            if index[root] != NEW {
                continue;
            }
            let mut work = vec![(root, 0)];
            while let Some((e, k)) = work.pop() {
                if k == 0 {
                    index[e] = next;
                    low[e] = next;
                    next += 1;
                    stack.push(e);
                    on_stack[e] = true;
                }
                if let Some(&u) = self.incident[e].get(k) {
                    work.push((e, k + 1));
                    match self.equation_of[u] {
                        Some(other) if other == e => {}
                        Some(other) if index[other] == NEW => work.push((other, 0)),
                        Some(other) if on_stack[other] => low[e] = low[e].min(index[other]),
                        _ => {}
                    }
                    continue;
                }
                if low[e] == index[e] {
                    let mut component = Vec::new();
                    while let Some(member) = stack.pop() {
                        on_stack[member] = false;
                        component.push(member);
                        if member == e {
                            break;
                        }
                    }
                    component.sort_unstable();
                    components.push(component);
                }
                if let Some(&(parent, _)) = work.last() {
                    low[parent] = low[parent].min(low[e]);
                }
            }
        }
        components
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matching(incident: &[&[usize]], unknowns: usize, firm: &[bool]) -> Matching {
        let none = vec![None; incident.len()];
        Matching::new(incident.iter().map(|list| list.to_vec()).collect(), unknowns, &none, firm)
    }

    #[test]
    fn an_augmenting_path_rearranges_earlier_pairs() {
        let m = matching(&[&[0, 1], &[0], &[1, 2]], 3, &[true; 3]);
        assert!(m.spare_equations().is_empty() && m.free_unknowns().is_empty());
        assert_eq!(m.unknown_of, [Some(1), Some(0), Some(2)]);
    }

    #[test]
    fn the_overdetermined_part_leaves_the_rest_out() {
        let m = matching(&[&[0], &[0], &[1]], 2, &[true; 2]);
        assert_eq!(m.spare_equations(), [1]);
        assert_eq!(m.overdetermined(1), (vec![0, 1], vec![0]));
    }

    #[test]
    fn a_doubtful_unknown_gives_way_to_a_firm_one() {
        let m = matching(&[&[0, 1], &[1, 2]], 3, &[false, true, true]);
        assert_eq!(m.free_unknowns(), [0]);
        assert_eq!(m.equation_of[1], Some(0));
        assert_eq!(m.equation_of[2], Some(1));
    }

    #[test]
    fn components_come_with_dependencies_first() {
        // 0 needs 1; 1 and 2 need each other; 3 stands alone
        let m = matching(&[&[0, 1], &[1, 2], &[2, 1], &[3]], 4, &[true; 4]);
        assert_eq!(m.components(), [vec![1, 2], vec![0], vec![3]]);
    }
}
