//! Large systems of one pattern, with the rows dealt out to the lanes of the vectors:
//!
//! ```text
//!   vector p = rows  p, M + p, 2M + p, …, 7M + p        p = 0 … M − 1
//! ```
//!
//! so that neighbours of a row are in neighbouring vectors: all loads are whole vectors. Before vector 0 and behind vector
//! M − 1 stand ghosts: the ends of the neighbouring lanes. Every level of y₁ = y + h u₁, u_k = f + h/(k+1) A u_{k+1}
//! is written a band to the left of the one before, so one buffer holds them all, and a tile of positions goes through
//! all levels while it is in the fastest memory:
//!
//! ```text
//!   level 3   ────────┤lo₃      hi₃├──
//!   level 2   ─────────┤lo₂      hi₂├─          tile: positions lo … hi of every level
//!   level 1   ──────────┤lo₁      hi₁├
//! ```

use std::ops::Range;

use super::fused::{self, DEPTH, Fused, Irregular};
use super::operator::{Pattern, Rows};
use super::scaling::MAX_TERMS;
use super::sweep::{self, MAX_OFFSETS, Sweep};
use ordinate_numbers::Instructions;
use ordinate_numbers::vector::{LANES, Lanes};

/// Positions of a tile: its levels and f, some 30 kB, fit into the fastest memory of the processors of today.
const TILE: usize = 128;
/// Up to so many positions the whole is one tile.
const ONE_TILE: usize = 384;
/// Vectors before f that sweeps of several levels read, but not use.
const MARGIN: usize = 2 * DEPTH;
/// Bands wider than this are left to other loops.
const MAX_BAND: usize = 8;

/// Eight numbers where a cache line begins.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Block(pub Lanes);

/// A row that does not have the pattern.
#[derive(Clone, Copy, Debug)]
struct Patch {
    /// Position, negative or beyond the last where it is a ghost.
    position: isize,
    lane: usize,
    /// Its elements.
    elements: (u32, u32),
    /// What hidden states do to it.
    inputs: (u32, u32),
}

/// A matrix whose rows have one pattern, but for a few.
#[derive(Clone, Debug)]
pub(crate) struct LaneOperator {
    instructions: Instructions,
    /// M
    positions: usize,
    band: usize,
    /// Column − row of the diagonals.
    offsets: Vec<isize>,
    /// Coefficients of the diagonals at even and at odd positions.
    coefficients: [Vec<f64>; 2],
    /// By position.
    patches: Vec<Patch>,
    /// Distance from the diagonal, value.
    elements: Vec<(i32, f64)>,
    /// Hidden state, coefficient.
    inputs: Vec<(u32, f64)>,

    /// Positions with coefficients of their own, for sweeps of several levels: only of band one.
    irregular: Vec<(isize, usize)>,
    tables: Vec<Irregular>,
    /// f with its ghosts, and the levels.
    base: Vec<Block>,
    levels: Vec<Block>,
}

/// The values of the hidden states on all levels, one after the other.
pub(crate) struct HiddenLevels<'a> {
    pub values: &'a [f64],
    pub count: usize,
}

impl LaneOperator {
    /// The operator, if the rows are many and of one pattern, but for a few.
    pub fn new(rows: &Rows, pattern: &Pattern, band: usize, instructions: Instructions) -> Option<LaneOperator> {
        let n = rows.states.len();
        let positions = n.div_ceil(LANES).next_multiple_of(2);
        let fits = (1..=MAX_BAND).contains(&band)
            && positions >= band * MAX_TERMS
            && pattern.period <= 2
            && (1..=MAX_OFFSETS).contains(&pattern.offsets.len());
        // A row of its own in the middle of a line parts it in two runs of one pattern.
        let is_patch = |row: &usize| !pattern.fits(*row, &rows.states[*row], n) || !rows.inputs[*row].is_empty();
        let patches: Vec<usize> = if fits { (0..n).filter(is_patch).collect() } else { Vec::new() };
        if !fits || patches.len() * 64 > n + 1024 {
            return None;
        }
        let phase = |p: usize| (p + 2 - pattern.rows.start % 2) % 2;
        let of_phase = |p: usize| pattern.coefficients.iter().map(|c| c[phase(p)]).collect();
        let mut operator = LaneOperator {
            instructions,
            positions,
            band,
            offsets: pattern.offsets.clone(),
            coefficients: [of_phase(0), of_phase(1)],
            patches: Vec::new(),
            elements: Vec::new(),
            inputs: Vec::new(),
            irregular: Vec::new(),
            tables: Vec::new(),
            base: vec![Block::default(); MARGIN + positions + 2 * band * MAX_TERMS + 2 * DEPTH],
            levels: vec![Block::default(); positions + 3 * band * MAX_TERMS + 3 * DEPTH],
        };
        for row in patches {
            operator.patch(row, rows);
        }
        operator.patches.sort_by_key(|patch| (patch.position, patch.lane));
        if band == 1 {
            operator.find_irregular();
        }
        Some(operator)
    }

    /// Coefficients of the neighbours −1, 0, +1 at even and at odd positions.
    fn neighbours(&self) -> [[f64; 3]; 2] {
        let of = |parity: usize, neighbour: isize| {
            let found = self.offsets.iter().position(|&offset| offset == neighbour);
            found.map_or(0.0, |k| self.coefficients[parity][k])
        };
        [0, 1].map(|parity| [-1, 0, 1].map(|neighbour| of(parity, neighbour)))
    }

    /// Makes the tables of the positions with patches.
    fn find_irregular(&mut self) {
        let neighbours = self.neighbours();
        for patch in &self.patches {
            if self.irregular.last().is_none_or(|&(position, _)| position != patch.position) {
                let parity = patch.position.rem_euclid(2) as usize;
                self.irregular.push((patch.position, self.tables.len()));
                self.tables
                    .push(Irregular { coefficients: neighbours[parity].map(|c| [c; LANES]), inputs: Vec::new() });
            }
            let table = self.tables.last_mut().expect("just made");
            table.coefficients.iter_mut().for_each(|c| c[patch.lane] = 0.0);
            for &(offset, a) in &self.elements[patch.elements.0 as usize..patch.elements.1 as usize] {
                table.coefficients[(offset + 1) as usize][patch.lane] = a;
            }
            let inputs = &self.inputs[patch.inputs.0 as usize..patch.inputs.1 as usize];
            table.inputs.extend(inputs.iter().map(|&(hidden, c)| (patch.lane, hidden, c)));
        }
    }

    /// Adds a row, and its ghosts where a neighbouring lane sees them.
    fn patch(&mut self, row: usize, rows: &Rows) {
        let begin = (self.elements.len() as u32, self.inputs.len() as u32);
        self.elements.extend(rows.states[row].iter().map(|&(column, a)| (column as i32 - row as i32, a)));
        self.inputs.extend_from_slice(&rows.inputs[row]);
        let (lane, position) = (row / self.positions, (row % self.positions) as isize);
        let patch = Patch {
            position,
            lane,
            elements: (begin.0, self.elements.len() as u32),
            inputs: (begin.1, self.inputs.len() as u32),
        };
        self.patches.push(patch);
        let (m, halo) = (self.positions as isize, (self.band * MAX_TERMS) as isize);
        if lane > 0 && position < halo {
            self.patches.push(Patch { position: position + m, lane: lane - 1, ..patch });
        }
        if lane + 1 < LANES && position >= m - halo {
            self.patches.push(Patch { position: position - m, lane: lane + 1, ..patch });
        }
    }

    /// Length of the vectors: all lanes, those without a row included.
    pub fn len(&self) -> usize {
        self.positions * LANES
    }

    /// The row at each place of a vector.
    pub fn row(&self, place: usize) -> usize {
        place % LANES * self.positions + place / LANES
    }

    /// A vector by rows.
    pub fn to_rows(&self, places: &[f64], rows: &mut [f64]) {
        let (vectors, _) = places.as_chunks::<LANES>();
        for (lane, rows) in rows.chunks_mut(self.positions).enumerate() {
            for (row, vector) in rows.iter_mut().zip(vectors) {
                *row = vector[lane];
            }
        }
    }

    /// out = base + factor · (A · current + C · hidden)
    pub fn apply(&mut self, current: &[f64], base: &[f64], factor: f64, hidden: &[f64], out: &mut [f64]) {
        let halo = self.band;
        let mut source = std::mem::take(&mut self.levels);
        spread(current, halo, &mut source);
        let shape = Shape { factor, hidden, first: 0, positions: 0..self.positions };
        let memory = Memory {
            current: source.as_ptr().cast(),
            current_len: source.len(),
            current_at: halo as isize,
            next: out.as_mut_ptr().cast(),
            next_len: out.len() / LANES,
            next_at: 0,
            base: base.as_ptr().cast(),
            base_len: base.len() / LANES,
            base_at: 0,
        };
        // SAFETY: the slices are those of the memory, and none of them is another.
        unsafe { self.level(&shape, &memory) };
        self.levels = source;
    }

    /// u₁ of a step of m terms.
    pub fn horner(&mut self, f: &[f64], hidden: &HiddenLevels, h: f64, m: usize) -> &[f64] {
        let (positions, band, last) = (self.positions, self.band, m - 1);
        let tiled = positions > ONE_TILE;
        // how many levels one sweep makes
        let depth = if band == 1 { DEPTH } else { 1 };
        let halo = if tiled { band * last } else { band * depth };
        let mut base = std::mem::take(&mut self.base);
        let mut levels = std::mem::take(&mut self.levels);
        spread(f, halo, &mut base[MARGIN..]);
        let all = positions + 2 * halo;
        // what a level writes begins here, counted from the position −halo
        let slot = |s: usize| band * (last - s);
        let edge = |s: usize| if tiled { band * s } else { halo };
        let first = -(halo as isize);
        let irregular: Vec<(isize, usize)> = match depth {
            1 => Vec::new(),
            _ => self.irregular.iter().map(|&(position, table)| (position - first, table)).collect(),
        };
        let mut right = 0;
        while right < all {
            let before = right;
            // the levels of the first tile begin further and further to the right
            right += if before == 0 { TILE + 2 * halo } else { TILE };
            if !tiled || right + TILE / 2 >= all {
                right = all;
            }
            let mut s = 0;
            while s < last {
                let made = if s + depth <= last { depth } else { 1 };
                if !tiled && s > 0 {
                    exchange(&mut levels[slot(s)..][..all], halo);
                }
                let from = s;
                s += made;
                let low = if before == 0 { edge(s) } else { before - band * s };
                let high = if right == all { all - edge(s) } else { right - band * s };
                let memory = Memory {
                    current: if from == 0 { base.as_ptr().cast() } else { levels.as_ptr().cast() },
                    current_len: if from == 0 { base.len() } else { levels.len() },
                    current_at: if from == 0 { MARGIN as isize } else { slot(from) as isize },
                    next: levels.as_mut_ptr().cast(),
                    next_len: levels.len(),
                    next_at: slot(s) as isize,
                    base: base.as_ptr().cast(),
                    base_len: base.len(),
                    base_at: MARGIN as isize,
                };
                let factor = |s: usize| h / (m - s + 1) as f64;
                let seen = |s: usize| &hidden.values[(s - 1) * hidden.count..s * hidden.count];
                // SAFETY: the lengths are those of the vectors. What is written at a position was read a band before it,
                // and is needed by no later one: see the head of this file.
                unsafe {
                    if made > 1 {
                        let factors = std::array::from_fn(|d| factor(from + 1 + d));
                        let hidden = std::array::from_fn(|d| seen(from + 1 + d));
                        self.several(&memory, low..high, halo, factors, hidden, &irregular);
                    } else {
                        let shape = Shape { factor: factor(s), hidden: seen(s), first, positions: low..high };
                        self.level(&shape, &memory);
                    }
                }
            }
        }
        (self.base, self.levels) = (base, levels);
        let blocks = if last == 0 { &self.base[MARGIN + halo..] } else { &self.levels[slot(last) + halo..] };
        let blocks = &blocks[..positions];
        // SAFETY: a block is eight numbers without anything between them.
        unsafe { std::slice::from_raw_parts(blocks.as_ptr().cast(), positions * LANES) }
    }

    /// Several levels at once, the indices `range` of the last.
    ///
    /// # Safety
    /// As for one level.
    unsafe fn several(
        &self,
        memory: &Memory,
        range: Range<usize>,
        halo: usize,
        factors: [f64; DEPTH],
        hidden: [&[f64]; DEPTH],
        irregular: &[(isize, usize)],
    ) {
        let (begin, end, depth) = (range.start as isize, range.end as isize, DEPTH as isize);
        let inside = begin - depth + memory.current_at >= 0
            && end + depth + memory.current_at <= memory.current_len as isize
            && begin + memory.next_at >= 0
            && end + memory.next_at <= memory.next_len as isize
            && begin - 2 * depth + memory.base_at >= 0
            && end + depth + memory.base_at <= memory.base_len as isize;
        assert!(inside, "the levels have room for all ghosts");
        let [even, odd] = self.neighbours();
        // SAFETY: just checked; the rest is the caller's promise.
        unsafe {
            let fused = Fused {
                current: memory.current.offset(memory.current_at),
                next: memory.next.offset(memory.next_at),
                base: memory.base.offset(memory.base_at),
                begin,
                end,
                factors,
                coefficients: if halo.is_multiple_of(2) { [even, odd] } else { [odd, even] },
                irregular,
                tables: &self.tables,
                hidden,
            };
            fused::sweep(self.instructions, &fused);
        }
    }

    /// Computes some positions: runs of vectors between the patches, which are computed one by one.
    ///
    /// # Safety
    /// The lengths must be those of the memory; where `next` is `current`, position p must be written to where position
    /// p − band was read.
    unsafe fn level(&self, shape: &Shape, memory: &Memory) {
        let mut begin = shape.positions.start;
        let actual = |p: usize| p as isize + shape.first;
        let mut k = self.patches.partition_point(|patch| patch.position < actual(begin));
        while begin < shape.positions.end {
            let next_patch = self.patches.get(k).map_or(isize::MAX, |patch| patch.position - shape.first);
            let end = (shape.positions.end as isize).min(next_patch) as usize;
            unsafe { self.run(shape, memory, begin..end, actual(begin)) };
            if end == shape.positions.end {
                break;
            }
            let same = self.patches[k..].iter().take_while(|patch| patch.position == self.patches[k].position).count();
            let patches = &self.patches[k..k + same];
            let mut values = [0.0; LANES];
            for patch in patches {
                values[patch.lane] = unsafe { self.single(shape, memory, patch, end) };
            }
            unsafe { self.run(shape, memory, end..end + 1, actual(end)) };
            for patch in patches {
                let at = end as isize + memory.next_at;
                assert!((at as usize) < memory.next_len, "patches are within the level");
                // SAFETY: just checked.
                unsafe { (*memory.next.offset(at))[patch.lane] = values[patch.lane] };
            }
            k += same;
            begin = end + 1;
        }
    }

    unsafe fn run(&self, shape: &Shape, memory: &Memory, range: Range<usize>, first: isize) {
        if range.is_empty() {
            return;
        }
        let lowest = *self.offsets.first().expect("there are diagonals");
        let highest = *self.offsets.last().expect("there are diagonals");
        let (begin, end) = (range.start as isize, range.end as isize);
        let inside = begin + lowest + memory.current_at >= 0
            && end + highest + memory.current_at <= memory.current_len as isize
            && end + memory.next_at <= memory.next_len as isize
            && end + memory.base_at <= memory.base_len as isize;
        assert!(inside, "the levels have room for all ghosts");
        let phase = first.rem_euclid(2) as usize;
        // SAFETY: just checked; the rest is the caller's promise.
        unsafe {
            let sweep = Sweep {
                current: memory.current.offset(begin + memory.current_at),
                next: memory.next.offset(begin + memory.next_at),
                base: memory.base.offset(begin + memory.base_at),
                count: range.len(),
                offsets: &self.offsets,
                coefficients: [&self.coefficients[phase], &self.coefficients[1 - phase]],
                factor: shape.factor,
            };
            sweep::sweep(self.instructions, &sweep);
        }
    }

    /// One row without the pattern.
    unsafe fn single(&self, shape: &Shape, memory: &Memory, patch: &Patch, at: usize) -> f64 {
        let read = |from: *const Lanes, len: usize, index: isize| {
            assert!(index >= 0 && (index as usize) < len, "patches see the levels only");
            // SAFETY: just checked.
            unsafe { (*from.offset(index))[patch.lane] }
        };
        let mut sum = read(memory.base, memory.base_len, at as isize + memory.base_at);
        for &(offset, a) in &self.elements[patch.elements.0 as usize..patch.elements.1 as usize] {
            let element = read(memory.current, memory.current_len, at as isize + memory.current_at + offset as isize);
            sum += shape.factor * a * element;
        }
        for &(hidden, c) in &self.inputs[patch.inputs.0 as usize..patch.inputs.1 as usize] {
            sum += shape.factor * c * shape.hidden[hidden as usize];
        }
        sum
    }
}

/// What a level is to compute.
struct Shape<'a> {
    factor: f64,
    hidden: &'a [f64],
    /// The position that index 0 means.
    first: isize,
    /// Indices of positions.
    positions: Range<usize>,
}

/// Where a level reads and writes: element i + at belongs to index i.
struct Memory {
    current: *const Lanes,
    current_len: usize,
    current_at: isize,
    next: *mut Lanes,
    next_len: usize,
    next_at: isize,
    base: *const Lanes,
    base_len: usize,
    base_at: isize,
}

/// Copies a vector to its place behind `halo` ghosts, and makes the ghosts on both sides.
fn spread(vector: &[f64], halo: usize, to: &mut [Block]) {
    let (vectors, _) = vector.as_chunks::<LANES>();
    let m = vectors.len();
    for (to, from) in to[halo..].iter_mut().zip(vectors) {
        to.0 = *from;
    }
    for j in 0..halo {
        to[j].0 = from_lane_before(&vectors[m - halo + j]);
        to[halo + m + j].0 = from_lane_behind(&vectors[j]);
    }
}

/// Renews the ghosts of a level.
fn exchange(level: &mut [Block], band: usize) {
    let m = level.len() - 2 * band;
    for j in 0..band {
        level[j].0 = from_lane_before(&level[m + j].0);
        level[band + m + j].0 = from_lane_behind(&level[band + j].0);
    }
}

fn from_lane_before(v: &Lanes) -> Lanes {
    [0.0, v[0], v[1], v[2], v[3], v[4], v[5], v[6]]
}

fn from_lane_behind(v: &Lanes) -> Lanes {
    [v[1], v[2], v[3], v[4], v[5], v[6], v[7], 0.0]
}
