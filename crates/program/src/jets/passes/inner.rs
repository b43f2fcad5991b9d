//! The inner sums of all recurrences of an order, four at a time.
//!
//! A *row* is the history of four nodes side by side. Groups of products that have the same four nodes as a factor share
//! its row: where like instructions follow each other, as they do in a chain or for all pairs of bodies, most of them do.

use super::schedule::Run;
use crate::jets::code::JetCode;
use crate::jets::kernel::{Four, Kernel};
use crate::jets::recurrence::Kind;
use rustc_hash::FxHashMap;

/// A run shorter than this shares its groups of four with others; the sums of a longer one have groups of their own, so
/// that their rows are those of other runs.
const OWN_GROUPS: usize = 8;

/// Four products of series, by their rows.
#[derive(Clone, Copy, Debug)]
struct Group {
    rows: [u32; 2],
    /// Whether it is the first one that has these rows and so adds the newest coefficients to them.
    first: [bool; 2],
}

/// The places of four nodes.
#[derive(Clone, Copy, Debug)]
struct Row {
    places: [u32; 4],
    /// Whether they follow each other.
    straight: bool,
}

/// The inner sums.
#[derive(Clone, Debug, Default)]
pub(super) struct Inner {
    products: Vec<Group>,
    squares: Vec<Group>,
    rows: Vec<Row>,
    /// Coefficients: all orders of a row, then the next row.
    history: Vec<Four>,
    /// Number of orders.
    stride: usize,
    /// Σ over 1 ≤ j < k of all products, then of all squares, as the runs know them.
    pub sums: Vec<Four>,
}

impl Inner {
    /// The sums of these runs, which are told where they will be.
    pub fn new(code: &JetCode, runs: &mut [Run]) -> Inner {
        let (mut pairs, mut squares) = (Vec::new(), Vec::new());
        for run in runs.iter_mut() {
            let instructions = &code.instructions[run.range.clone()];
            let list: &mut Vec<[u32; 2]> = if run.kind == Kind::Square { &mut squares } else { &mut pairs };
            let mut add = |nodes: &mut dyn Iterator<Item = [u32; 2]>| {
                let own = instructions.len() >= OWN_GROUPS;
                let begin = if own { list.len().next_multiple_of(4) } else { list.len() };
                list.resize(begin, [0; 2]);
                list.extend(nodes);
                begin
            };
            run.sums[0] = add(&mut instructions.iter().filter_map(|i| i.form().product));
            run.sums[1] = add(&mut instructions.iter().filter_map(|i| i.form().weighted));
        }
        let behind = pairs.len().next_multiple_of(4);
        for run in runs.iter_mut().filter(|run| run.kind == Kind::Square) {
            run.sums[0] += behind;
        }
        let mut inner = Inner::default();
        let mut known = FxHashMap::default();
        let mut groups = |list: &[[u32; 2]]| -> Vec<Group> {
            let group = |four: &[[u32; 2]]| {
                let mut first = [false; 2];
                let rows = [0, 1].map(|which| {
                    let places: [u32; 4] = std::array::from_fn(|l| four.get(l).map_or(0, |pair| pair[which]));
                    *known.entry(places).or_insert_with(|| {
                        first[which] = true;
                        let straight = places.iter().zip(places[0]..).all(|(place, expected)| *place == expected);
                        inner.rows.push(Row { places, straight });
                        inner.rows.len() as u32 - 1
                    })
                });
                Group { rows, first }
            };
            list.chunks(4).map(group).collect()
        };
        (inner.products, inner.squares) = (groups(&pairs), groups(&squares));
        inner.sums = vec![[0.0; 4]; inner.products.len() + inner.squares.len()];
        inner
    }

    /// Takes memory for series of this order.
    pub fn make_room(&mut self, order: usize) {
        self.stride = order + 1;
        self.history = vec![[0.0; 4]; self.rows.len() * self.stride];
    }

    /// All sums of order k; `before` has the coefficients k − 1 of all nodes.
    ///
    /// # Safety
    /// `before` has all places of the code, and there is room for order k.
    #[inline(always)]
    pub unsafe fn compute<K: Kernel>(&mut self, k: usize, before: &[f64]) {
        if k == 1 {
            return self.sums.fill([0.0; 4]);
        }
        let known = Known { history: self.history.as_mut_ptr(), rows: self.rows.as_ptr(), stride: self.stride };
        let (products, squares) = self.sums.split_at_mut(self.products.len());
        unsafe {
            for (sum, group) in products.iter_mut().zip(&self.products) {
                let [f, r] = known.series::<K>(group, k, before);
                *sum = product::<K>(f, r, k);
            }
            for (sum, group) in squares.iter_mut().zip(&self.squares) {
                *sum = square::<K>(known.series::<K>(group, k, before)[0], k);
            }
        }
    }
}

/// The series so far.
#[derive(Clone, Copy)]
struct Known {
    history: *mut Four,
    rows: *const Row,
    stride: usize,
}

impl Known {
    /// The series of a group, with their coefficients k − 1 where it is the first that needs them. No closure: a closure is compiled
    /// without the vector instructions of the function around it unless it is inlined.
    ///
    /// # Safety
    /// As [`Inner::compute`].
    #[inline(always)]
    unsafe fn series<K: Kernel>(self, group: &Group, k: usize, before: &[f64]) -> [*const Four; 2] {
        unsafe {
            for (row, first) in group.rows.into_iter().zip(group.first) {
                if first {
                    let Row { places, straight } = &*self.rows.add(row as usize);
                    *self.history.add(row as usize * self.stride + k - 1) = if *straight {
                        *before.as_ptr().add(places[0] as usize).cast::<Four>()
                    } else {
                        K::gather(before.as_ptr(), places)
                    };
                }
            }
            group.rows.map(|row| self.history.add(row as usize * self.stride).cast_const())
        }
    }
}

/// Σ fⱼ rₖ₋ⱼ over 1 ≤ j < k, the products with the newest coefficients last.
///
/// # Safety
/// Both have coefficients up to k − 1, and k ≥ 2.
#[inline(always)]
unsafe fn product<K: Kernel>(f: *const Four, r: *const Four, k: usize) -> Four {
    unsafe {
        if k == 2 {
            let (f, r) = (*f.add(1), *r.add(1));
            return std::array::from_fn(|l| f[l] * r[l]);
        }
        let mut sum = K::inner(f, r, k, k - 2);
        let (f, r, newest_f, newest_r) = (*f.add(1), *r.add(1), *f.add(k - 1), *r.add(k - 1));
        for l in 0..4 {
            sum[l] = K::fma(f[l], newest_r[l], K::fma(newest_f[l], r[l], sum[l]));
        }
        sum
    }
}

/// Σ xⱼ xₖ₋ⱼ over 1 ≤ j < k
///
/// # Safety
/// It has coefficients up to k − 1, and k ≥ 2.
#[inline(always)]
unsafe fn square<K: Kernel>(x: *const Four, k: usize) -> Four {
    unsafe {
        let half = *x.add(k / 2);
        let middle = if k.is_multiple_of(2) { half.map(|half| half * half) } else { [-0.0; 4] };
        if k == 2 {
            return middle;
        }
        let mut sum = K::inner(x, x, k, (k - 1) / 2);
        let (one, newest) = (*x.add(1), *x.add(k - 1));
        for l in 0..4 {
            sum[l] = K::fma(2.0, K::fma(one[l], newest[l], sum[l]), middle[l]);
        }
        sum
    }
}
