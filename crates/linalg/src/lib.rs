//! Linear equations A x = b, as of Newton's method, with a matrix whose pattern is known once and whose values change often.
//! [`Lu::new`] looks at the pattern and chooses the storage and the order of the unknowns; [`Lu::factor`] takes values.

mod band;
mod blocks;
mod choice;
mod columns;
mod condition;
mod degree;
mod dense;
mod narrow;
mod pattern;
mod product;
mod scalar;
mod scaling;
mod shifted;
mod small;
mod sparse;
#[cfg(test)]
mod tests;

pub use blocks::transversal;
pub use choice::costs;
pub use narrow::narrow_order;
pub use pattern::Pattern;
pub use scalar::{Complex, Scalar};
pub use shifted::{MOST_SHIFTED, Shifted};

use std::fmt;

use band::Band;
use choice::{Chosen, choose};
use dense::Dense;
use small::Small;
use sparse::Sparse;

/// A matrix that has no inverse as far as rounding lets one see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Singular {
    /// The unknown, by its column, that found no pivot: nothing is left of its column after the unknowns before it are
    /// eliminated, or an element of the column is not a finite number.
    pub column: usize,
}

impl fmt::Display for Singular {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "the matrix is singular: there is no pivot for unknown {}", self.column)
    }
}

impl std::error::Error for Singular {}

/// How a matrix is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// All elements, few enough for the registers and the fastest memory.
    Small,
    /// All elements, by blocks.
    Dense,
    /// A band around the diagonal, perhaps after reordering.
    Band {
        /// Diagonals below the main one.
        lower: usize,
        /// Diagonals above it.
        upper: usize,
    },
    /// Single elements.
    Sparse {
        /// Number of diagonal blocks that are solved one after another.
        blocks: usize,
        /// Rows of the largest block.
        largest: usize,
    },
}

impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Structure::Small => write!(f, "small dense"),
            Structure::Dense => write!(f, "dense"),
            Structure::Band { lower, upper } => write!(f, "band ({lower} below, {upper} above)"),
            Structure::Sparse { blocks: 1, .. } => write!(f, "sparse"),
            Structure::Sparse { blocks, largest } => write!(f, "sparse ({blocks} blocks, the largest of {largest})"),
        }
    }
}

#[derive(Clone, Debug)]
enum Kind<T> {
    Small(Small<T>),
    Dense(Dense<T>),
    Band(Band<T>),
    Sparse(Box<Sparse<T>>),
    /// No values make a matrix of this pattern regular: there is no equation for this unknown.
    Singular(usize),
}

/// The factors of a matrix whose rows are scaled by D and exchanged by P: P D A = L U.
#[derive(Clone, Debug)]
pub struct Lu<T> {
    pattern: Pattern,
    kind: Kind<T>,
    /// Where the values go in a matrix with all elements; empty for other kinds.
    places: Vec<u32>,
    /// The values of the last factorisation, for the condition.
    values: Vec<T>,
    factored: bool,
}

impl<T: Scalar> Lu<T> {
    /// Chooses storage and ordering once, for all matrices of this pattern.
    pub fn new(pattern: &Pattern) -> Lu<T> {
        Lu::with(pattern, choose(pattern))
    }

    /// The same with room for what pivots may fill, so that the first factorisation takes no memory either. Only where they fill
    /// a sparse matrix so much that it needs another ordering is more asked for.
    pub fn with_room(pattern: &Pattern) -> Lu<T> {
        let mut lu = Lu::new(pattern);
        if let Kind::Sparse(sparse) = &mut lu.kind {
            sparse.make_room(pattern);
        }
        lu
    }

    fn with(pattern: &Pattern, chosen: Chosen) -> Lu<T> {
        let kind = match chosen {
            Chosen::Small => Kind::Small(Small::new(pattern.n)),
            Chosen::Dense => Kind::Dense(Dense::new(pattern.n)),
            Chosen::Band(order) => Kind::Band(Band::new(pattern, order)),
            Chosen::Sparse(plan) => Kind::Sparse(Box::new(Sparse::new(pattern, plan))),
            Chosen::Singular(column) => Kind::Singular(column),
        };
        let places = match &kind {
            Kind::Small(small) => places(pattern, |i, j| small.place(i, j)),
            Kind::Dense(dense) => places(pattern, |i, j| dense.place(i, j)),
            Kind::Band(_) | Kind::Sparse(_) | Kind::Singular(_) => Vec::new(),
        };
        Lu { pattern: pattern.clone(), kind, places, values: vec![T::default(); pattern.len()], factored: false }
    }

    /// Takes values in the order of the pattern. After an error there is nothing to solve with.
    pub fn factor(&mut self, values: &[T]) -> Result<(), Singular> {
        assert_eq!(values.len(), self.pattern.len(), "as many values as the pattern has elements");
        self.values.copy_from_slice(values);
        let whole = self.pattern.len() == self.pattern.n * self.pattern.n;
        let done = match &mut self.kind {
            Kind::Small(small) => {
                small.fill(&self.places, values, whole);
                small.factor()
            }
            Kind::Dense(dense) => {
                dense.fill(&self.places, values, whole);
                dense.factor()
            }
            Kind::Band(band) => band.factor(values),
            Kind::Sparse(sparse) => sparse.factor(values, &self.pattern),
            Kind::Singular(column) => Err(*column),
        };
        self.factored = done.is_ok();
        done.map_err(|column| Singular { column })
    }

    /// x of A x = b, in the place of b.
    pub fn solve(&mut self, b: &mut [T]) {
        self.check(b);
        match &mut self.kind {
            Kind::Small(small) => small.solve(b),
            Kind::Dense(dense) => dense.solve(b),
            Kind::Band(band) => band.solve(b),
            Kind::Sparse(sparse) => sparse.solve(b),
            Kind::Singular(_) => unreachable!("it is never factored"),
        }
    }

    /// x of Aᵀ x = b (not conjugated), in the place of b.
    pub fn solve_transposed(&mut self, b: &mut [T]) {
        self.check(b);
        match &mut self.kind {
            Kind::Small(small) => small.solve_transposed(b),
            Kind::Dense(dense) => dense.solve_transposed(b),
            Kind::Band(band) => band.solve_transposed(b),
            Kind::Sparse(sparse) => sparse.solve_transposed(b),
            Kind::Singular(_) => unreachable!("it is never factored"),
        }
    }

    fn check(&self, b: &[T]) {
        assert!(self.factored, "a matrix is factored before it is solved");
        assert_eq!(b.len(), self.pattern.n, "as many right-hand sides as rows");
    }

    /// How the matrix is stored.
    pub fn structure(&self) -> Structure {
        match &self.kind {
            Kind::Small(_) => Structure::Small,
            Kind::Dense(_) => Structure::Dense,
            Kind::Band(band) => {
                let (lower, upper) = band.widths();
                Structure::Band { lower, upper }
            }
            Kind::Sparse(sparse) => {
                let (blocks, largest) = sparse.blocks();
                Structure::Sparse { blocks, largest }
            }
            Kind::Singular(_) => Structure::Sparse { blocks: 1, largest: self.pattern.n },
        }
    }

    /// 1/(‖DA‖₁‖(DA)⁻¹‖₁), estimated, with the rows scaled to size one: the unit of an equation has no influence. Near the
    /// rounding of one the solution has no digit left.
    pub fn reciprocal_condition(&mut self) -> f64 {
        assert!(self.factored, "a matrix is factored before its condition is asked for");
        condition::reciprocal(self)
    }

    /// Row factors.
    fn scales(&self) -> Vec<f64> {
        let n = self.pattern.n;
        match &self.kind {
            Kind::Small(small) => small.scale().to_vec(),
            Kind::Dense(dense) => dense.scale().to_vec(),
            Kind::Band(band) => band.scale(),
            Kind::Sparse(sparse) => sparse.scale().to_vec(),
            Kind::Singular(_) => vec![1.0; n],
        }
    }
}

fn places(pattern: &Pattern, place: impl Fn(usize, usize) -> usize) -> Vec<u32> {
    pattern.elements().map(|(i, j)| place(i as usize, j as usize) as u32).collect()
}
