//! Block triangular form: which equation may be solved for which unknown, and which of these hang together.
//! I. S. Duff, ACM Trans. Math. Softw. 7 (1981) 315–330 (maximum transversal); R. Tarjan, SIAM J. Comput. 1 (1972)
//! 146–160 (strong components). Both without recursion: chains of a million unknowns are ordinary.

use crate::Pattern;

const NONE: u32 = u32::MAX;

/// An equation for each unknown, such that no element of the resulting diagonal is structurally zero; or an unknown for
/// which none is left.
pub fn transversal(pattern: &Pattern) -> Result<Vec<u32>, usize> {
    let n = pattern.n;
    let mut row_of = vec![NONE; n];
    let mut free = Vec::new();
    // The diagonal where it can be had: the ordering relies on a nearly symmetric pattern.
    for (i, row) in row_of.iter_mut().enumerate() {
        match pattern.place(i, i) {
            Some(_) => *row = i as u32,
            None => free.push(i as u32),
        }
    }
    // Where the search for a column nobody has goes on in each row: such columns only become fewer.
    let mut cheap = pattern.starts[..n].to_vec();
    let mut visited = vec![NONE; n];
    for &root in &free {
        // (row, next element to look at)
        let mut path = vec![(root, pattern.starts[root as usize])];
        visited[root as usize] = root;
        while let Some((row, next)) = path.last_mut() {
            let i = *row as usize;
            let end = pattern.starts[i + 1];
            while cheap[i] < end && row_of[pattern.columns[cheap[i]] as usize] != NONE {
                cheap[i] += 1;
            }
            if cheap[i] < end {
                let mut column = pattern.columns[cheap[i]];
                // Every row of the path takes the column it was after, and leaves its old one to the row before it.
                while let Some((row, _)) = path.pop() {
                    row_of[column as usize] = row;
                    if let Some(&(_, before)) = path.last() {
                        column = pattern.columns[before - 1];
                    }
                }
                break;
            }
            let mut deeper = None;
            while *next < end && deeper.is_none() {
                let owner = row_of[pattern.columns[*next] as usize];
                *next += 1;
                if visited[owner as usize] != root {
                    visited[owner as usize] = root;
                    deeper = Some(owner);
                }
            }
            match deeper {
                Some(owner) => path.push((owner, pattern.starts[owner as usize])),
                None => {
                    path.pop();
                }
            }
        }
    }
    match row_of.iter().position(|&row| row == NONE) {
        Some(column) => Err(column),
        None => Ok(row_of),
    }
}

/// The unknowns in groups; those of a group depend on each other and on earlier groups only. `row_of` says which equation
/// determines which unknown.
pub(crate) fn components(pattern: &Pattern, row_of: &[u32]) -> Vec<Vec<u32>> {
    let n = pattern.n;
    let (mut index, mut low, mut on_stack) = (vec![NONE; n], vec![0; n], vec![false; n]);
    let (mut stack, mut groups, mut count) = (Vec::new(), Vec::new(), 0);
    let mut path: Vec<(u32, usize)> = Vec::new();
    for root in 0..n as u32 {
        if index[root as usize] != NONE {
            continue;
        }
        path.push((root, 0));
        while let Some((node, k)) = path.pop() {
            let v = node as usize;
            if k == 0 {
                (index[v], low[v]) = (count, count);
                count += 1;
                stack.push(node);
                on_stack[v] = true;
            }
            if let Some(&other) = pattern.row(row_of[v] as usize).get(k) {
                path.push((node, k + 1));
                if index[other as usize] == NONE {
                    path.push((other, 0));
                } else if on_stack[other as usize] {
                    low[v] = low[v].min(index[other as usize]);
                }
                continue;
            }
            if low[v] == index[v] {
                let from = stack.iter().rposition(|&member| member == node).expect("a root is on the stack");
                let mut group = stack.split_off(from);
                group.iter().for_each(|&member| on_stack[member as usize] = false);
                group.sort_unstable();
                groups.push(group);
            }
            if let Some(&(parent, _)) = path.last() {
                low[parent as usize] = low[parent as usize].min(low[v]);
            }
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_augmenting_path_moves_earlier_pairs() {
        // Row 0 has column 0 only; row 1 has 0, 1 and stands on the diagonal; row 2 has 1 only.
        let pattern = Pattern::from_elements(3, [(0, 0), (1, 1), (1, 2), (2, 1)].into_iter());
        assert_eq!(transversal(&pattern), Ok(vec![0, 2, 1]));
    }

    #[test]
    fn a_long_cycle_without_diagonal_is_matched() {
        let n = 100_000;
        let pattern = Pattern::from_elements(n, (0..n as u32).map(|i| (i, (i + 1) % n as u32)));
        let row_of = transversal(&pattern).expect("a permutation");
        assert!((0..n).all(|j| pattern.place(row_of[j] as usize, j).is_some()));
        assert_eq!(components(&pattern, &row_of).len(), n);
    }

    #[test]
    fn an_unknown_without_equation_is_named() {
        let pattern = Pattern::from_elements(3, [(0, 0), (1, 0), (2, 0), (2, 2)].into_iter());
        assert_eq!(transversal(&pattern), Err(1));
    }

    #[test]
    fn groups_come_after_what_they_depend_on() {
        let elements = [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 1), (3, 3)];
        let pattern = Pattern::from_elements(4, elements.into_iter());
        assert_eq!(components(&pattern, &[0, 1, 2, 3]), [vec![1, 2], vec![0], vec![3]]);
    }
}
