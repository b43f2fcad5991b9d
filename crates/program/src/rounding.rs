//! Constants moved off the doubles nearest to them, to see what their rounding does to a solution.

use crate::constant::constants;
use crate::{Program, Section};
use ordinate_numbers::{Arithmetic, DoubleDouble, Precise};

/// Which registers may be moved: a time at which something is switched stays, as rows may be wanted there.
fn free(program: &Program) -> Vec<bool> {
    let mut free = vec![true; program.registers];
    let mut fix = |section: &Section, only_fixed: bool| {
        for instruction in section.instructions.iter().rev() {
            if !only_fixed || !free[instruction.out as usize] {
                [instruction.a, instruction.b, instruction.c].iter().for_each(|&r| free[r as usize] = false);
            }
        }
    };
    program.time_switches.iter().flatten().for_each(|switch| fix(&switch.section, false));
    // what they are computed from
    fix(&program.prologue, true);
    free
}

/// Moves every constant c of `registers`, which is a double, to the exact value and beyond it,
///
/// ```text
///   c + times · (exact − c),      at least to the neighbour on that side,
/// ```
///
/// so that a solution changes by about `times` what rounding of its constants did to it. What is exact stays.
pub(crate) fn move_constants(program: &Program, times: u32, registers: &mut [f64]) {
    let free = free(program);
    let exact: Vec<DoubleDouble> = constants(program, 106);
    let computed = program.prologue.instructions.iter().map(|instruction| instruction.out);
    for register in program.literals.iter().map(|(register, _)| *register).chain(computed) {
        let value = &mut registers[register as usize];
        let error = (exact[register as usize] - DoubleDouble::splat(*value)).to_f64();
        if !free[register as usize] || error == 0.0 || !error.is_finite() {
            continue;
        }
        let neighbour = if error > 0.0 { value.next_up() } else { value.next_down() };
        let moved = *value + f64::from(times) * error;
        *value = if moved == *value { neighbour } else { moved };
    }
}
