//! An order of the states in which the matrix has a narrow band, so that several terms of the series can be computed
//! while a piece of the state is in the fast memory: E. Cuthill, J. McKee, Proc. 24th ACM National Conference (1969) 157.

use super::form::LinearForm;

/// The largest distance of an element from the diagonal, states only, when state `i` stands at `place[i]`.
pub(crate) fn bandwidth(form: &LinearForm, place: impl Fn(usize) -> usize) -> usize {
    let n = form.states();
    let rows =
        (0..n).map(|i| form.matrix.row(i).filter(|&(j, _)| j < n).map(|(j, _)| place(j).abs_diff(place(i))).max());
    rows.flatten().max().unwrap_or(0)
}

/// The states in an order of narrow band: element k is the state that comes at place k.
pub(crate) fn narrow(form: &LinearForm) -> Vec<u32> {
    narrow_order(&neighbours(form))
}

/// The nodes of a graph in an order in which neighbours stand near each other; `neighbours` goes both ways.
pub(crate) fn narrow_order(neighbours: &[Vec<u32>]) -> Vec<u32> {
    let n = neighbours.len();
    let mut met = vec![0; n];
    let degree = |i: u32| neighbours[i as usize].len();
    let mut order: Vec<u32> = Vec::with_capacity(n);
    let mut seen = vec![false; n];
    for root in 0..n as u32 {
        if seen[root as usize] {
            continue;
        }
        let begin = order.len();
        let root = far_end(neighbours, root, &mut met);
        seen[root as usize] = true;
        order.push(root);
        let mut head = begin;
        while head < order.len() {
            let i = order[head];
            head += 1;
            let mut next: Vec<u32> = neighbours[i as usize].iter().copied().filter(|&j| !seen[j as usize]).collect();
            next.sort_by_key(|&j| (degree(j), j));
            next.iter().for_each(|&j| seen[j as usize] = true);
            order.extend(next);
        }
    }
    order
}

/// Who acts on whom, in either direction.
fn neighbours(form: &LinearForm) -> Vec<Vec<u32>> {
    let n = form.states();
    let mut neighbours = vec![Vec::new(); n];
    for i in 0..n {
        for (j, _) in form.matrix.row(i).filter(|&(j, _)| j < n && j != i) {
            neighbours[i].push(j as u32);
            neighbours[j].push(i as u32);
        }
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    neighbours
}

/// A state far from all others: the last one met from the last one met from `root`.
/// `met` says in which round a node was met; the nodes around `root` were not met before.
fn far_end(neighbours: &[Vec<u32>], root: u32, met: &mut [u8]) -> u32 {
    let mut end = root;
    for round in 1..=2 {
        let mut queue = vec![end];
        met[end as usize] = round;
        let mut head = 0;
        while head < queue.len() {
            for &j in &neighbours[queue[head] as usize] {
                if met[j as usize] != round {
                    met[j as usize] = round;
                    queue.push(j);
                }
            }
            head += 1;
        }
        end = queue[queue.len() - 1];
    }
    end
}
