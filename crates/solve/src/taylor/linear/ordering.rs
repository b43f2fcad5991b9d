//! An order of the states in which the matrix has a narrow band, so that several terms of the series can be computed
//! while a piece of the state is in the fast memory: E. Cuthill, J. McKee, Proc. 24th ACM National Conference (1969) 157.

use super::form::LinearForm;
use ordinate_linalg::narrow_order;

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
