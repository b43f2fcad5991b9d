//! Operands of like instructions, side by side. They are taken a block at a time: where the places of a block follow each
//! other they are read where they are, otherwise they are gathered first.

use crate::jets::kernel::Kernel;
use std::ops::Range;

/// So many instructions at a time: what belongs to them stays in the first-level cache.
pub(super) const BLOCK: usize = 128;

/// One number per instruction of a block.
pub(super) type Block = [f64; BLOCK];

/// Room for what is gathered.
pub(super) type Scratch = [Block; 4];

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
    pub unsafe fn sum<K: Kernel>(
        &self,
        terms: &Terms,
        block: usize,
        from: &[f64],
        scratch: &mut Scratch,
        sums: &mut [f64],
    ) {
        let terms = unsafe { self.terms.get_unchecked(terms.columns.clone()) };
        // several columns at a time, so that their sums stay in registers
        let (fours, rest) = terms.as_chunks::<4>();
        let mut add = Add { columns: self, block, from, scratch, sums, first: true };
        unsafe {
            // no closure around this: it would be compiled without the instructions of the kernel
            for four in fours {
                add.terms::<K, 4>(four);
            }
            match *rest {
                [a, b, c] => add.terms::<K, 3>(&[a, b, c]),
                [a, b] => add.terms::<K, 2>(&[a, b]),
                [a] => add.terms::<K, 1>(&[a]),
                _ if terms.is_empty() => sums.fill(-0.0),
                _ => {}
            }
        }
    }
}

/// A block of sums, some of whose terms may have been added.
struct Add<'a> {
    columns: &'a Columns,
    block: usize,
    from: &'a [f64],
    scratch: &'a mut Scratch,
    sums: &'a mut [f64],
    /// Whether there is nothing yet.
    first: bool,
}

impl Add<'_> {
    /// Adds M terms.
    ///
    /// # Safety
    /// As for [`Columns::read`].
    #[inline(always)]
    unsafe fn terms<K: Kernel, const M: usize>(&mut self, terms: &[Term; M]) {
        let Columns { factors, uniform, .. } = self.columns;
        let (n, block) = (self.sums.len(), self.block);
        let mut reads: [&[f64]; M] = [&[]; M];
        for ((term, buffer), read) in terms.iter().zip(&mut *self.scratch).zip(&mut reads) {
            *read = unsafe { self.columns.read(term.column, block, n, self.from, buffer) };
        }
        let factors = terms.map(|term| unsafe { factors.as_ptr().add(term.factors + block * BLOCK) });
        if terms.iter().all(|term| unsafe { *uniform.get_unchecked(term.blocks + block) }) {
            let same = factors.map(|factors| unsafe { *factors });
            add::<K, M>(self.sums, self.first, &reads, |j, _| same[j]);
        } else {
            add::<K, M>(self.sums, self.first, &reads, |j, i| unsafe { *factors[j].add(i) });
        }
        self.first = false;
    }
}

/// Adds M terms to sums, of which the factor of term j of sum i is told.
#[inline(always)]
fn add<K: Kernel, const M: usize>(
    sums: &mut [f64],
    first: bool,
    reads: &[&[f64]; M],
    factor: impl Fn(usize, usize) -> f64,
) {
    /// What stays in registers; vectors of all widths divide it.
    const WIDTH: usize = 8;
    let reads = reads.map(|read| &read[..sums.len()]);
    let (blocks, rest) = sums.as_chunks_mut::<WIDTH>();
    for (block, sums) in blocks.iter_mut().enumerate() {
        let from = block * WIDTH;
        let mut total = if first { [-0.0; WIDTH] } else { *sums };
        for (j, read) in reads.iter().enumerate() {
            let read: &[f64; WIDTH] = read[from..].first_chunk().expect("columns are as long as sums");
            for l in 0..WIDTH {
                total[l] = K::fma(factor(j, from + l), read[l], total[l]);
            }
        }
        *sums = total;
    }
    let from = WIDTH * blocks.len();
    for (i, sum) in (from..).zip(rest) {
        let mut total = if first { -0.0 } else { *sum };
        for (j, read) in reads.iter().enumerate() {
            total = K::fma(factor(j, i), read[i], total);
        }
        *sum = total;
    }
}
