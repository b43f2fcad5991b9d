//! Where a square matrix has elements that may differ from zero.

/// Positions of the nonzero elements of an n × n matrix, by rows: the columns of row i are
/// `columns[starts[i]..starts[i + 1]]`, ascending. Values of the matrix are given in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// Number of rows, and of columns.
    pub n: usize,
    /// Where each row begins, and where the last one ends: n + 1 places.
    pub starts: Vec<usize>,
    /// The columns, row after row.
    pub columns: Vec<u32>,
}

impl Pattern {
    /// From (row, column) pairs in any order; pairs may repeat.
    pub fn from_elements(n: usize, elements: impl Iterator<Item = (u32, u32)>) -> Pattern {
        let mut elements: Vec<(u32, u32)> = elements.collect();
        elements.sort_unstable();
        elements.dedup();
        // The columns may be more than the rows: the derivatives of a few invariants by all states.
        let inside = elements.iter().all(|&(row, _)| (row as usize) < n);
        assert!(inside, "an element lies outside of a matrix of {n} rows");
        let mut starts = vec![0; n + 1];
        for &(row, _) in &elements {
            starts[row as usize + 1] += 1;
        }
        for i in 0..n {
            starts[i + 1] += starts[i];
        }
        Pattern { n, starts, columns: elements.into_iter().map(|(_, column)| column).collect() }
    }

    /// All n² elements.
    pub fn dense(n: usize) -> Pattern {
        let columns = (0..n).flat_map(|_| 0..n as u32).collect();
        Pattern { n, starts: (0..=n).map(|i| i * n).collect(), columns }
    }

    /// The diagonal alone.
    pub fn diagonal(n: usize) -> Pattern {
        Pattern { n, starts: (0..=n).collect(), columns: (0..n as u32).collect() }
    }

    /// The elements of both.
    pub fn union(&self, other: &Pattern) -> Pattern {
        assert_eq!(self.n, other.n, "matrices of one size");
        Pattern::from_elements(self.n, self.elements().chain(other.elements()))
    }

    /// The union with the diagonal: what I − h J fills.
    pub fn with_diagonal(&self) -> Pattern {
        self.union(&Pattern::diagonal(self.n))
    }

    /// Rows as columns. Element k of the result's values is element `k` of the list of the second part here.
    pub fn transposed(&self) -> (Pattern, Vec<u32>) {
        let mut starts = vec![0; self.n + 1];
        for &column in &self.columns {
            starts[column as usize + 1] += 1;
        }
        for i in 0..self.n {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let (mut columns, mut from) = (vec![0; self.len()], vec![0; self.len()]);
        for (k, (row, column)) in self.elements().enumerate() {
            let place = &mut next[column as usize];
            (columns[*place], from[*place]) = (row, k as u32);
            *place += 1;
        }
        (Pattern { n: self.n, starts, columns }, from)
    }

    /// Where the value of an element stands, if the pattern has it.
    pub fn place(&self, row: usize, column: usize) -> Option<usize> {
        let start = self.starts[row];
        self.row(row).binary_search(&(column as u32)).ok().map(|k| start + k)
    }

    /// The columns of a row.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.columns[self.starts[row]..self.starts[row + 1]]
    }

    /// All (row, column), in the order of the values.
    pub fn elements(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.n).flat_map(|i| self.row(i).iter().map(move |&column| (i as u32, column)))
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The largest distances from the diagonal: of elements below it, of elements above it.
    pub fn bandwidths(&self) -> (usize, usize) {
        self.elements().fold((0, 0), |(lower, upper), (i, j)| {
            (lower.max(i.saturating_sub(j) as usize), upper.max(j.saturating_sub(i) as usize))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_sorted_and_each_stands_once() {
        let pattern = Pattern::from_elements(3, [(2, 1), (0, 2), (2, 0), (0, 2)].into_iter());
        assert_eq!(pattern, Pattern { n: 3, starts: vec![0, 1, 1, 3], columns: vec![2, 0, 1] });
        assert_eq!((pattern.place(2, 1), pattern.place(1, 1), pattern.len()), (Some(2), None, 3));
        assert_eq!(pattern.bandwidths(), (2, 2));
        assert_eq!(pattern.with_diagonal().len(), 6);
        assert_eq!(Pattern::dense(3).union(&pattern), Pattern::dense(3));
    }

    #[test]
    fn a_pattern_transposed_twice_is_itself() {
        let pattern = Pattern::from_elements(4, [(0, 3), (1, 0), (1, 1), (3, 0)].into_iter());
        let (transposed, from) = pattern.transposed();
        for (k, (i, j)) in transposed.elements().enumerate() {
            assert_eq!(pattern.place(j as usize, i as usize), Some(from[k] as usize));
        }
        assert_eq!(transposed.transposed().0, pattern);
    }
}
