//! Which instructions are like each other, and where their nodes go: like ones follow each other, and so do their nodes.

use super::columns::{Column, Columns, Terms};
use crate::jets::code::{JetCode, JetInstruction, JetOp};
use crate::jets::recurrence::Kind;
use std::ops::Range;

/// Like instructions that do not need each other at the same order.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub kind: Kind,
    /// Which instructions.
    pub range: Range<usize>,
    /// The place of the first one's node; those of the others follow. The second nodes of antiquotients follow after.
    pub out: usize,
    pub a: Column,
    pub b: Column,
    /// Of sums.
    pub terms: Terms,
    /// Where their inner sums begin, and the second ones of powers.
    pub sums: [usize; 2],
}

/// Derivatives with the same number of terms.
#[derive(Clone, Debug)]
pub(super) struct Results {
    pub range: Range<usize>,
    pub terms: Terms,
}

/// A code whose nodes have the numbers of their places, with like instructions together.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    /// Its results are sorted as its states are.
    pub code: JetCode,
    /// Which state of the original code each one is.
    pub states: Vec<u32>,
    pub runs: Vec<Run>,
    pub results: Vec<Results>,
    pub columns: Columns,
}

/// What instructions of one run have in common: level, kind, number of terms.
type Likeness = (u32, Kind, u32);

/// How many there are of each likeness, as sorted keys with the index of the instruction.
fn likeness(code: &JetCode) -> Vec<(Likeness, u32)> {
    let mut level = vec![0u32; code.nodes];
    let mut keys = Vec::with_capacity(code.instructions.len());
    for (index, instruction) in (0..).zip(&code.instructions) {
        let mut depth = 0;
        instruction.op.needs(&code.terms, |node| depth = depth.max(level[node as usize] + 1));
        let out = instruction.out as usize;
        level[out..out + instruction.op.nodes() as usize].fill(depth);
        let terms = match &instruction.op {
            JetOp::Sum(sum) => sum.to - sum.from,
            _ => 0,
        };
        keys.push(((depth, instruction.form().kind, terms), index));
    }
    // mostly sorted already, which this sort makes use of
    keys.sort();
    keys
}

impl Schedule {
    /// The schedule of a code, if its runs are long enough: `least` instructions and derivatives each, on average.
    pub fn new(code: &JetCode, least: usize) -> Option<Schedule> {
        let keys = likeness(code);
        let mut states: Vec<u32> = (0..code.states as u32).collect();
        let terms = |state: u32| {
            let sum = &code.results[state as usize];
            sum.to - sum.from
        };
        states.sort_by_key(|&state| terms(state));
        let runs: Vec<&[(Likeness, u32)]> = keys.chunk_by(|one, other| one.0 == other.0).collect();
        let classes: Vec<&[u32]> = states.chunk_by(|&one, &other| terms(one) == terms(other)).collect();
        if keys.len() + states.len() < least * (runs.len() + classes.len()) {
            return None;
        }
        // the places: t, the states, the nodes of each run
        let mut places = vec![0; code.nodes];
        for (place, state) in (1..).zip(&states) {
            places[*state as usize + 1] = place;
        }
        let mut next = code.states as u32 + 1;
        for run in &runs {
            let nodes = code.instructions[run[0].1 as usize].op.nodes();
            for second in 0..nodes {
                for (_, index) in *run {
                    places[(code.instructions[*index as usize].out + second) as usize] = next;
                    next += 1;
                }
            }
        }
        let renumber = |node: &mut u32| *node = places[*node as usize];
        let instructions = keys.iter().map(|(_, index)| {
            let JetInstruction { mut op, mut out } = code.instructions[*index as usize];
            op.nodes_mut(renumber);
            renumber(&mut out);
            JetInstruction { op, out }
        });
        let code = JetCode {
            states: code.states,
            given: code.given,
            nodes: code.nodes,
            instructions: instructions.collect(),
            terms: code.terms.iter().map(|&(node, c)| (places[node as usize], c)).collect(),
            results: states.iter().map(|state| code.results[*state as usize]).collect(),
        };
        let mut columns = Columns::default();
        let mut begin = 0;
        let runs = runs.iter().map(|run| {
            let range = begin..begin + run.len();
            begin = range.end;
            like(&code, range, &mut columns)
        });
        let runs = runs.collect();
        let mut begin = 0;
        let results = classes.iter().map(|class| {
            let range = begin..begin + class.len();
            begin = range.end;
            let of = |i: usize| (code.results[i].from, code.results[i].to);
            Results { terms: columns.terms(range.clone().map(of), &code.terms), range }
        });
        let results = results.collect();
        Some(Schedule { code, states, runs, results, columns })
    }
}

fn like(code: &JetCode, range: Range<usize>, columns: &mut Columns) -> Run {
    let instructions = &code.instructions[range.clone()];
    let kind = instructions[0].form().kind;
    let out = instructions[0].out as usize;
    let (mut a, mut b, mut terms) = (Column::default(), Column::default(), Terms::default());
    if kind == Kind::Sum {
        let of = |i: &JetInstruction| (i.form().a, i.form().b);
        terms = columns.terms(instructions.iter().map(of), &code.terms);
    } else {
        a = columns.column(instructions.iter().map(|i| i.form().a));
        if kind == Kind::Binary {
            b = columns.column(instructions.iter().map(|i| i.form().b));
        }
    }
    Run { kind, range, out, a, b, terms, sums: [0; 2] }
}
