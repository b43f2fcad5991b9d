//! Where a matrix may have elements different from zero.

/// Positions of the elements of a matrix, by rows: the columns of row i are `columns[starts[i]..starts[i + 1]]`, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// Number of rows.
    pub n: usize,
    /// Where each row begins, and the end of the last one.
    pub starts: Vec<usize>,
    /// The columns of the elements.
    pub columns: Vec<u32>,
}

impl Pattern {
    /// From the elements (row, column) in any order.
    pub fn from_elements(n: usize, elements: impl Iterator<Item = (u32, u32)>) -> Pattern {
        let mut all: Vec<(u32, u32)> = elements.collect();
        all.sort_unstable();
        all.dedup();
        let mut starts = vec![0; n + 1];
        all.iter().for_each(|&(row, _)| starts[row as usize + 1] += 1);
        for row in 0..n {
            starts[row + 1] += starts[row];
        }
        Pattern { n, starts, columns: all.into_iter().map(|(_, column)| column).collect() }
    }
}
