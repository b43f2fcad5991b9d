//! An order in which neighbours stand near each other, so that the matrix has a narrow band:
//! E. Cuthill, J. McKee, Proc. 24th ACM National Conference (1969) 157.

/// The nodes of a graph in an order in which neighbours stand near each other; `neighbours` goes both ways.
pub fn narrow_order(neighbours: &[Vec<u32>]) -> Vec<u32> {
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
