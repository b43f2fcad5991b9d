//! Operands of like instructions, side by side. They are taken a block at a time: where the places of a block follow each
//! other they are read where they are, otherwise they are gathered first.

use crate::jets::kernel::Kernel;
use std::ops::Range;

/// So many instructions at a time: what belongs to them stays in the first-level cache.
pub(super) const BLOCK: usize = 64;

/// One number per instruction of a block.
pub(super) type Block = [f64; BLOCK];

/// One operand of like instructions: where its places begin, and what is known of each block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Column {
    places: usize,
    blocks: usize,
}

/// The terms of like sums: term j of all of them is one column.
#[derive(Clone, Debug, Default)]
pub(super) struct Terms {
    columns: Range<usize>,
}

impl Terms {
    /// How many terms each sum has.
    pub fn count(&self) -> usize {
        self.columns.len()
    }
}

/// All columns.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    places: Vec<u32>,
    /// Whether the places of a block follow each other.
    straight: Vec<bool>,
    terms: Vec<Term>,
    factors: Vec<f64>,
    /// Whether the factors of a block are all the same.
    uniform: Vec<bool>,
}

/// A column and its factors, one per place.
#[derive(Clone, Copy, Debug)]
struct Term {
    column: Column,
    factors: usize,
    blocks: usize,
}

impl Columns {
    /// Adds a column.
    pub fn column(&mut self, places: impl Iterator<Item = u32>) -> Column {
        let column = Column { places: self.places.len(), blocks: self.straight.len() };
        self.places.extend(places);
        for block in self.places[column.places..].chunks(BLOCK) {
            self.straight.push(block.iter().zip(block[0]..).all(|(place, expected)| *place == expected));
        }
        column
    }

    /// Adds the terms of sums, all of the same length, each given by its range in `terms`.
    pub fn terms(&mut self, sums: impl Iterator<Item = (u32, u32)> + Clone, terms: &[(u32, f64)]) -> Terms {
        let from = self.terms.len();
        let count = sums.clone().next().map_or(0, |(from, to)| to - from);
        for j in 0..count {
            let column = self.column(sums.clone().map(|(from, _)| terms[(from + j) as usize].0));
            let (factors, blocks) = (self.factors.len(), self.uniform.len());
            self.factors.extend(sums.clone().map(|(from, _)| terms[(from + j) as usize].1));
            for block in self.factors[factors..].chunks(BLOCK) {
                self.uniform.push(block.iter().all(|factor| factor.to_bits() == block[0].to_bits()));
            }
            self.terms.push(Term { column, factors, blocks });
        }
        Terms { columns: from..self.terms.len() }
    }

    /// The numbers of block `block` of a column, of which there are `count`.
    ///
    /// # Safety
    /// There are such, and `from` has all places of the column.
    #[inline(always)]
    pub unsafe fn read<'a>(
        &self,
        column: Column,
        block: usize,
        count: usize,
        from: &'a [f64],
        buffer: &'a mut Block,
    ) -> &'a [f64] {
        unsafe {
            let begin = column.places + block * BLOCK;
            let places = self.places.get_unchecked(begin..begin + count);
            if *self.straight.get_unchecked(column.blocks + block) {
                let first = *places.get_unchecked(0) as usize;
                return from.get_unchecked(first..first + count);
            }
            for (to, place) in buffer.iter_mut().zip(places) {
                *to = *from.get_unchecked(*place as usize);
            }
            buffer.get_unchecked(..count)
        }
    }

    /// Σ c · node of the sums of a block, each in the order of its terms, beginning with −0.
    ///
    /// # Safety
    /// As for [`Columns::read`].
    #[inline(always)]
    pub unsafe fn sum<K: Kernel>(&self, terms: &Terms, block: usize, from: &[f64], sums: &mut [f64]) {
        let mut buffer = [0.0; BLOCK];
        sums.fill(-0.0);
        unsafe {
            for term in self.terms.get_unchecked(terms.columns.clone()) {
                let read = self.read(term.column, block, sums.len(), from, &mut buffer);
                let begin = term.factors + block * BLOCK;
                let factors = self.factors.get_unchecked(begin..begin + sums.len());
                if *self.uniform.get_unchecked(term.blocks + block) {
                    let factor = *factors.get_unchecked(0);
                    for (sum, x) in sums.iter_mut().zip(read) {
                        *sum = K::fma(factor, *x, *sum);
                    }
                } else {
                    for ((sum, x), factor) in sums.iter_mut().zip(read).zip(factors) {
                        *sum = K::fma(*factor, *x, *sum);
                    }
                }
            }
        }
    }
}
