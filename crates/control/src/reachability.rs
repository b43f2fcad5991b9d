//! What acts on what: the elements other than zero of a matrix as a graph in which column j leads to row i.

use crate::Matrix;

/// What is reached from the given nodes, they themselves among it.
pub(crate) fn reached(n: usize, from: &[usize], leads: &dyn Fn(usize, usize) -> bool) -> Vec<bool> {
    let mut seen = vec![false; n];
    from.iter().for_each(|&i| seen[i] = true);
    let mut open = from.to_vec();
    while let Some(from) = open.pop() {
        for (to, seen) in seen.iter_mut().enumerate() {
            if !*seen && leads(from, to) {
                *seen = true;
                open.push(to);
            }
        }
    }
    seen
}

/// The sets of indices that lead to each other, by their first members: between two of them there is no loop, so the
/// determinant and the eigenvalues of a matrix are those of its parts.
pub(crate) fn parts(a: &Matrix) -> Vec<Vec<usize>> {
    let n = a.rows();
    let mut taken = vec![false; n];
    let mut parts = Vec::new();
    for first in 0..n {
        if taken[first] {
            continue;
        }
        let ahead = reached(n, &[first], &|from, to| !taken[to] && a.at(to, from) != 0.0);
        let both = reached(n, &[first], &|from, to| ahead[to] && a.at(from, to) != 0.0);
        let part: Vec<usize> = (first..n).filter(|&i| both[i]).collect();
        part.iter().for_each(|&i| taken[i] = true);
        parts.push(part);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 → 2 → 0 is a loop, 1 and 3 follow it one after the other, 4 leads into it.
    #[test]
    fn a_part_is_what_leads_back_to_itself() {
        let mut a = Matrix::zero(5, 5);
        for (to, from) in [(2, 0), (0, 2), (1, 2), (3, 1), (0, 4), (3, 3)] {
            *a.at_mut(to, from) = 1.0;
        }
        assert_eq!(parts(&a), [vec![0, 2], vec![1], vec![3], vec![4]]);
        assert_eq!(parts(&Matrix::from_fn(3, 3, |_, _| 1.0)), [vec![0, 1, 2]]);
        assert_eq!(reached(5, &[1], &|from, to| a.at(to, from) != 0.0), [false, true, false, true, false]);
    }
}
