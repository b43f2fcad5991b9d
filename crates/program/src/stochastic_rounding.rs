//! A program whose operations round otherwise, to see what rounding does to a solution.
//!
//! The last place of a result becomes a large part where it cancels in a sum, or where a function changes faster than its argument.
//! So of each sum and difference the operand that is computed last is moved by about a last place, and so is the argument of such
//! functions:
//!
//! ```text
//!   r = p · q,   s = r − a        becomes        r = p · q,   r̃ = r · (1 ± ε),   s = r̃ − a
//! ```
//!
//! The other operand need not move: it does not depend on the last one, and where both cancel they are of one size. To which side
//! depends on the place of the instruction and on the time: f stays a function, and what is off to one side in one step is off to
//! the other in the next, as rounding is. This is stochastic arithmetic (J. Vignes, Math. Comput. Simul. 35 (1993) 233–261) in which
//! a compiler and a clock of the model draw, so that results repeat; sections, series and linear forms are disturbed by one rule.

use crate::{Instruction, Literal, Op, Program, Rounding, Section};
use ordinate_expr::Function;
use std::sync::Arc;

/// Doubles next to one that are as far from it on both sides: nothing is to be left of many moves to either side but chance.
const FACTORS: [f64; 2] = [1.0 + f64::EPSILON, 1.0 - f64::EPSILON];

/// What rounding is of a move, where it is added up over many steps: a factor moves by 1.4 last places in the mean square, rounding
/// by 1/√12.
pub(crate) const USUAL: f64 = 0.25;

/// The disturbed program; its constants are moved, too. Events stay: a solution may start on one, and what is switched by time
/// keeps its time.
pub(crate) fn disturbed(program: &Program) -> Program {
    let polynomial = program.polynomial.as_deref().map(|polynomial| Arc::new(disturbed(polynomial)));
    let mut other = Program { rounding: Rounding::Otherwise, polynomial, ..program.clone() };
    let first_factor = program.first_computed;
    let added = FACTORS.len() as u32;
    let places = first_factor..first_factor + added;
    other.literals.extend(places.zip(FACTORS.map(Literal::Double)));
    (other.first_computed, other.first_temporary) = (program.first_computed + added, program.first_temporary + added);
    let place = |register: &mut u32| *register += if *register >= first_factor { added } else { 0 };
    other.sections_mut().into_iter().for_each(|section| section.relocate(&place));
    let first = other.first_temporary;
    for section in
        [&mut other.rhs, &mut other.invariants, &mut other.outputs, &mut other.delayed, &mut other.definitions]
    {
        *section = disturb(section, first, first_factor);
    }
    let most = other.sections_mut().iter().map(|section| section.instructions.len()).max();
    other.registers = first as usize + most.unwrap_or(0);
    other
}

/// The first register of the factors, where there are such.
pub(crate) fn factors(program: &Program) -> Option<usize> {
    (program.rounding == Rounding::Otherwise).then(|| program.first_computed as usize - FACTORS.len())
}

/// The factors at a time.
pub(crate) fn factors_at(t: f64) -> [f64; 2] {
    let [up, down] = FACTORS;
    if is_odd(t.to_bits()) { [down, up] } else { [up, down] }
}

/// Whether a number that looks random is odd. G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014, 453–472: multiples of the golden ratio, mixed.
fn is_odd(k: u64) -> bool {
    let z = k.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) & 1 == 1
}

fn disturb(section: &Section, first: u32, first_factor: u32) -> Section {
    let moved = moved(section, first);
    let mut other = Section::default();
    let mut places: Vec<u32> = Vec::with_capacity(section.instructions.len());
    let next = |other: &Section| first + other.instructions.len() as u32;
    for (k, (&instruction, moved)) in section.instructions.iter().zip(moved).enumerate() {
        let mut instruction = Instruction { out: next(&other), ..instruction };
        for operand in [&mut instruction.a, &mut instruction.b, &mut instruction.c] {
            *operand = operand.checked_sub(first).map_or(*operand, |k| places[k as usize]);
        }
        other.instructions.push(instruction);
        if moved {
            let factor = first_factor + u32::from(is_odd(k as u64 + 1));
            let out = next(&other);
            other.instructions.push(Instruction { op: Op::Mul, out, a: instruction.out, b: factor, c: 0 });
        }
        places.push(next(&other) - 1);
    }
    let place = |&register: &u32| register.checked_sub(first).map_or(register, |k| places[k as usize]);
    other.results = section.results.iter().map(place).collect();
    other
}

/// Which results are moved.
fn moved(section: &Section, first: u32) -> Vec<bool> {
    let mut wanted = vec![false; section.instructions.len()];
    let want = |wanted: &mut Vec<bool>, register: u32| {
        if let Some(k) = register.checked_sub(first) {
            wanted[k as usize] = true;
        }
    };
    for (k, &Instruction { op, a, b, c, .. }) in section.instructions.iter().enumerate().rev() {
        match op {
            // later results have greater registers
            Op::Add | Op::Sub => want(&mut wanted, a.max(b)),
            Op::Call(f) if is_steep(f) => want(&mut wanted, a),
            _ => {}
        }
        // What rounds nothing itself is moved by what it is made of.
        match op {
            Op::Neg if wanted[k] => want(&mut wanted, a),
            Op::Select if wanted[k] => [b, c].into_iter().for_each(|register| want(&mut wanted, register)),
            _ => {}
        }
        wanted[k] &= rounds(op);
    }
    wanted
}

/// Whether the result of an operation is rounded.
fn rounds(op: Op) -> bool {
    match op {
        Op::Add | Op::Sub | Op::Mul | Op::Square | Op::Div | Op::Pow | Op::HalfPower(_) | Op::Atan2 => true,
        Op::Call(Function::Abs | Function::Sign | Function::Floor | Function::Noise) => false,
        Op::Call(_) => true,
        Op::Neg | Op::Less | Op::LessEqual | Op::Equal | Op::Not | Op::And | Op::Or | Op::Select => false,
        Op::Lookup(_) => false,
    }
}

/// Whether a function changes by more than the part by which a large argument does.
fn is_steep(f: Function) -> bool {
    matches!(f, Function::Sin | Function::Cos | Function::Tan | Function::Exp | Function::Sinh | Function::Cosh)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instruction(op: Op, out: u32, a: u32, b: u32) -> Instruction {
        Instruction { op, out, a, b, c: 0 }
    }

    /// r3 = r0·r1, r4 = −r3, r5 = r0 − r4: of the difference the product is moved, after the sign, and all read what was moved.
    #[test]
    fn what_goes_into_a_sum_is_moved_where_it_was_rounded() {
        let instructions =
            vec![instruction(Op::Mul, 3, 0, 1), instruction(Op::Neg, 4, 3, 0), instruction(Op::Sub, 5, 0, 4)];
        let section = Section { instructions, results: vec![3, 5, 1] };
        let other = disturb(&section, 3, 1);
        let found: Vec<(Op, u32, u32)> = other.instructions.iter().map(|i| (i.op, i.out, i.a)).collect();
        assert_eq!(found, [(Op::Mul, 3, 0), (Op::Mul, 4, 3), (Op::Neg, 5, 4), (Op::Sub, 6, 0)]);
        assert!([1, 2].contains(&other.instructions[1].b), "a factor");
        assert_eq!((other.instructions[3].b, other.results), (5, vec![4, 6, 1]));
    }

    /// A sum of states is not moved: nothing was rounded that could cancel in it. Nor is what only counts.
    #[test]
    fn what_is_not_rounded_stays() {
        let floor = Op::Call(Function::Floor);
        let instructions =
            vec![instruction(Op::Add, 3, 0, 1), instruction(floor, 4, 3, 0), instruction(Op::Add, 5, 0, 4)];
        let section = Section { instructions, results: vec![5] };
        assert_eq!(disturb(&section, 3, 1), section);
    }
}
