//! Sparse LU: block triangular form, then each block by columns with partial pivoting in time proportional to the
//! multiplications: J. R. Gilbert, T. Peierls, SIAM J. Sci. Stat. Comput. 9 (1988) 862–874; the combination as in
//! T. A. Davis, E. Palamadai Natarajan, ACM Trans. Math. Softw. 37 (2010) 36. The pivots found once are kept for later
//! values as long as they stay large enough.

use crate::Pattern;
use crate::band::inverted;
use crate::blocks::{components, transversal};
use crate::columns::{Columns, Stop, Worker};
use crate::degree::minimum_degree;
use crate::scalar::Scalar;
use crate::scaling::row_scale;

/// For which graph an order is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Graph {
    /// A + Aᵀ: right as long as pivots are on the diagonal.
    Sum,
    /// AᵀA, which bounds the fill for any pivots: A. George, E. Ng, SIAM J. Sci. Stat. Comput. 6 (1985) 390–409.
    Product,
}

/// More elements than so many times the expected ones mean that the order does not suit the pivots. The other graph costs
/// about twice as many.
const TOO_MUCH_FILL: f64 = 3.0;

/// What is known before there are values.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Places of blocks: where each begins, and n.
    pub blocks: Vec<u32>,
    /// The unknown at a place.
    pub columns: Vec<u32>,
    /// The equation at a place; its element of the unknown there is in the pattern.
    pub rows: Vec<u32>,
    pub graph: Graph,
    /// Estimates of the work.
    pub multiplications: f64,
    pub elements: f64,
}

impl Plan {
    /// Gives an unknown for which no equation is left, if there is one.
    pub fn new(pattern: &Pattern, graph: Graph) -> Result<Plan, usize> {
        let n = pattern.n;
        let row_of = transversal(pattern)?;
        let groups = components(pattern, &row_of);
        let (mut blocks, mut columns) = (vec![0], Vec::with_capacity(n));
        let (mut multiplications, mut elements) = (0.0, 0.0);
        let mut local = vec![u32::MAX; n];
        for group in groups {
            if group.len() == 1 {
                columns.extend(group);
                elements += 1.0;
            } else {
                group.iter().enumerate().for_each(|(k, &j)| local[j as usize] = k as u32);
                let found = match graph {
                    Graph::Sum => minimum_degree(neighbours(pattern, &row_of, &group, &local), Vec::new()),
                    Graph::Product => {
                        minimum_degree(vec![Vec::new(); group.len()], rows(pattern, &row_of, &group, &local))
                    }
                };
                group.iter().for_each(|&j| local[j as usize] = u32::MAX);
                columns.extend(found.order.iter().map(|&k| group[k as usize]));
                multiplications += found.multiplications;
                elements += found.elements;
            }
            blocks.push(columns.len() as u32);
        }
        let rows = columns.iter().map(|&j| row_of[j as usize]).collect();
        Ok(Plan { blocks, columns, rows, graph, multiplications, elements })
    }
}

/// The unknowns of each equation of a block, in local numbers.
fn rows(pattern: &Pattern, row_of: &[u32], group: &[u32], local: &[u32]) -> Vec<Vec<u32>> {
    let row = |&j: &u32| pattern.row(row_of[j as usize] as usize).iter().map(|&other| local[other as usize]);
    group.iter().map(|j| row(j).filter(|&other| other != u32::MAX).collect()).collect()
}

/// The graph of a block and its transpose, in local numbers.
fn neighbours(pattern: &Pattern, row_of: &[u32], group: &[u32], local: &[u32]) -> Vec<Vec<u32>> {
    let mut neighbours = vec![Vec::new(); group.len()];
    for (k, &j) in group.iter().enumerate() {
        for &other in pattern.row(row_of[j as usize] as usize) {
            let other = local[other as usize];
            if other != u32::MAX && other as usize != k {
                neighbours[k].push(other);
                neighbours[other as usize].push(k as u32);
            }
        }
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    neighbours
}

#[derive(Clone, Debug)]
pub(crate) struct Sparse<T> {
    plan: Plan,
    /// The matrix by columns, in places.
    matrix: Given,
    /// Scaled values in the order of `matrix`.
    scaled: Vec<T>,
    /// Row factors by equations.
    scale: Vec<f64>,
    factors: Columns<T>,
    worker: Worker<T>,
    /// Whether there are pivots to begin with.
    pivoted: bool,
    work: Vec<T>,
}

/// Elements by columns.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub starts: Vec<usize>,
    /// Places of equations.
    pub rows: Vec<u32>,
    /// Which value of the pattern.
    pub source: Vec<u32>,
}

impl<T: Scalar> Sparse<T> {
    pub fn new(pattern: &Pattern, plan: Plan) -> Sparse<T> {
        let n = pattern.n;
        let place_of_row = inverted(&plan.rows);
        let (transposed, from) = pattern.transposed();
        let mut matrix = Given {
            starts: vec![0],
            rows: Vec::with_capacity(pattern.len()),
            source: Vec::with_capacity(pattern.len()),
        };
        for &column in &plan.columns {
            let range = transposed.starts[column as usize]..transposed.starts[column as usize + 1];
            matrix.rows.extend(transposed.columns[range.clone()].iter().map(|&row| place_of_row[row as usize]));
            matrix.source.extend(&from[range]);
            matrix.starts.push(matrix.rows.len());
        }
        Sparse {
            scaled: vec![T::default(); pattern.len()],
            scale: vec![0.0; n],
            factors: Columns::new(n, plan.elements as usize),
            worker: Worker::new(n),
            pivoted: false,
            work: vec![T::default(); n],
            matrix,
            plan,
        }
    }

    /// So many elements mean that the order does not suit the pivots.
    fn too_much(&self, pattern: &Pattern) -> usize {
        (TOO_MUCH_FILL * (self.plan.elements + pattern.len() as f64)) as usize
    }

    /// Takes memory for all elements that suit the order.
    pub fn make_room(&mut self, pattern: &Pattern) {
        self.factors.make_room(self.too_much(pattern) + pattern.n, pattern.len());
    }

    /// The number of blocks and the size of the largest one.
    pub fn blocks(&self) -> (usize, usize) {
        let sizes = self.plan.blocks.windows(2).map(|pair| (pair[1] - pair[0]) as usize);
        (self.plan.blocks.len() - 1, sizes.max().unwrap_or(0))
    }

    /// Row factors.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// Elements of the factors.
    #[cfg(test)]
    pub fn fill(&self) -> usize {
        self.factors.len()
    }

    /// Gives the column without a pivot.
    pub fn factor(&mut self, values: &[T], pattern: &Pattern) -> Result<(), usize> {
        let mut not_finite = usize::MAX;
        for i in 0..pattern.n {
            let range = pattern.starts[i]..pattern.starts[i + 1];
            let sizes = values[range.clone()].iter().map(|x| x.re().abs().to_bits().max(x.im().abs().to_bits()));
            let largest = sizes.fold(0, u64::max);
            if largest >= f64::INFINITY.to_bits() {
                let found = range.clone().find(|&k| !values[k].is_finite());
                not_finite = not_finite.min(found.map_or(0, |k| pattern.columns[k] as usize));
            }
            self.scale[i] = row_scale(largest);
        }
        if not_finite != usize::MAX {
            return Err(not_finite);
        }
        let places = self.matrix.source.iter().zip(&self.matrix.rows);
        for (scaled, (&source, &row)) in self.scaled.iter_mut().zip(places) {
            *scaled = values[source as usize] * self.scale[self.plan.rows[row as usize] as usize];
        }
        if self.pivoted && self.factors.repeat(&self.matrix, &self.scaled, &mut self.worker) {
            return Ok(());
        }
        self.pivoted = false;
        let limit = match self.plan.graph {
            Graph::Sum => self.too_much(pattern),
            Graph::Product => usize::MAX,
        };
        let prefer_diagonal = self.plan.graph == Graph::Sum;
        let Sparse { plan, matrix, scaled, worker, .. } = self;
        match self.factors.pivot(&plan.blocks, matrix, scaled, worker, prefer_diagonal, limit) {
            Ok(()) => self.pivoted = true,
            Err(Stop::Singular(place)) => return Err(self.plan.columns[place] as usize),
            Err(Stop::Fill) => {
                *self = Sparse::new(pattern, Plan::new(pattern, Graph::Product)?);
                return self.factor(values, pattern);
            }
        }
        Ok(())
    }

    pub fn solve(&mut self, b: &mut [T]) {
        for (work, &row) in self.work.iter_mut().zip(&self.factors.pivot_rows) {
            let row = self.plan.rows[row as usize] as usize;
            *work = b[row] * self.scale[row];
        }
        for pair in self.plan.blocks.windows(2) {
            self.factors.solve_block(pair[0] as usize, pair[1] as usize, &mut self.work);
        }
        for (&x, &column) in self.work.iter().zip(&self.plan.columns) {
            b[column as usize] = x;
        }
    }

    pub fn solve_transposed(&mut self, b: &mut [T]) {
        for (work, &column) in self.work.iter_mut().zip(&self.plan.columns) {
            *work = b[column as usize];
        }
        for pair in self.plan.blocks.windows(2).rev() {
            self.factors.solve_block_transposed(pair[0] as usize, pair[1] as usize, &mut self.work);
        }
        for (&z, &row) in self.work.iter().zip(&self.factors.pivot_rows) {
            let row = self.plan.rows[row as usize] as usize;
            b[row] = z * self.scale[row];
        }
    }
}
