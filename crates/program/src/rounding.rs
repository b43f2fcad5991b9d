//! The other rounding of constants: what a model does with a last bit that might be another one.

use crate::{Program, Section};

/// Significant bits of a constant that is meant as it is: 0.5, 3, 1e6. Others are rounded decimals or quotients.
const EXACT_BITS: u32 = 40;

/// Which registers may be moved: a time at which something is switched stays, as rows may be wanted there.
pub(crate) fn free(program: &Program) -> Vec<bool> {
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

/// Moves a rounded value to a neighbour; which one looks like chance, so that sums and products do not undo it.
pub(crate) fn move_on(registers: &mut [f64], register: u32, free: &[bool]) {
    let value = &mut registers[register as usize];
    let exact = value.to_bits().trailing_zeros() >= f64::MANTISSA_DIGITS - 1 - EXACT_BITS;
    if free[register as usize] && !exact && value.is_finite() {
        // Knuth's multiplicative hash
        let up = register.wrapping_mul(2_654_435_769) >> 31 == 0;
        *value = if up { value.next_up() } else { value.next_down() };
    }
}
