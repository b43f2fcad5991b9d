//! Bounds of a section over an interval of time. Only what switches of time alone need.

use crate::{Evaluator, Instruction, Op, Program, Section};
pub(crate) use ordinate_expr::Interval;

/// The bounds, as far as they lie within the value at the middle and the slope times half the width; that value is good to
/// some roundings of what it was computed from, which the size of the bounds stands for.
pub(crate) fn narrowed(bounds: Interval, middle: f64, slope: Interval, half: f64) -> Interval {
    let reach = slope.size() * half;
    let rounding = 1e-14 * (bounds.size() + middle.abs());
    let (low, high) = (middle - reach - rounding, middle + reach + rounding);
    if !bounds.is_bounded() || low.is_nan() || high.is_nan() {
        return bounds;
    }
    Interval { low: bounds.low.max(low), high: bounds.high.min(high) }
}

/// Bounds of the two results of a section when t lies in an interval. Modes and held values do not occur in it.
pub(crate) fn evaluate(section: &Section, evaluator: &Evaluator, t: Interval) -> [Interval; 2] {
    let registers = evaluator.registers();
    let given = |register: u32| if register == 0 { t } else { Interval::point(registers[register as usize]) };
    let temporaries = bounds(section, &given);
    [0, 1].map(|k| at(section, &temporaries, section.results[k], &given))
}

/// The registers of a section that are divided by and may change their sign, whatever the states are.
pub(crate) fn denominators(section: &Section, program: &Program, registers: &[f64]) -> Vec<u32> {
    // after the states, the discrete values and the rates of the algebraic states
    let layout = &program.layout;
    let first_constant = program.discrete_register() + layout.discrete() + layout.algebraic;
    let constants = first_constant..program.first_temporary as usize;
    let given = |register: u32| match constants.contains(&(register as usize)) {
        true => Interval::point(registers[register as usize]),
        false => Interval::ALL,
    };
    let temporaries = bounds(section, &given);
    let both_signs = |register: u32| {
        let of = at(section, &temporaries, register, &given);
        of.low < 0.0 && of.high > 0.0
    };
    let mut found = Vec::new();
    for &Instruction { op, a, b, .. } in &section.instructions {
        let below = match op {
            Op::Div => b,
            Op::Pow if at(section, &temporaries, b, &given).high < 0.0 => a,
            _ => continue,
        };
        if both_signs(below) && !found.contains(&below) {
            found.push(below);
        }
    }
    found
}

/// The bounds of a register.
fn at(section: &Section, temporaries: &[Interval], register: u32, given: &dyn Fn(u32) -> Interval) -> Interval {
    let first = section.instructions.first().map_or(0, |i| i.out);
    let own = register.checked_sub(first).and_then(|k| temporaries.get(k as usize));
    own.copied().unwrap_or_else(|| given(register))
}

/// Bounds of all that a section computes, from those of what it is given.
fn bounds(section: &Section, given: &dyn Fn(u32) -> Interval) -> Vec<Interval> {
    let mut temporaries: Vec<Interval> = Vec::with_capacity(section.instructions.len());
    let value = |register: u32, temporaries: &[Interval]| at(section, temporaries, register, given);
    for &Instruction { op, a, b, c, .. } in &section.instructions {
        let (x, y) = (value(a, &temporaries), value(b, &temporaries));
        let result = match op {
            Op::Neg => x.negated(),
            Op::Add => x.plus(y),
            Op::Sub => x.minus(y),
            Op::Mul => x.times(y),
            Op::Square => x.square(),
            Op::Div => x.over(y),
            Op::Pow => x.raised(y),
            Op::HalfPower(n) => x.power(f64::from(n) / 2.0),
            Op::Call(f) => x.call(f),
            Op::Atan2 => x.angle(y),
            Op::Less => truth(x.high < y.low, x.low >= y.high),
            Op::LessEqual => truth(x.high <= y.low, x.low > y.high),
            Op::Equal => truth(x.low == x.high && x == y, x.high < y.low || x.low > y.high),
            Op::Not => truth(x == Interval::ZERO, excludes_zero(x)),
            Op::And => truth(excludes_zero(x) && excludes_zero(y), x == Interval::ZERO || y == Interval::ZERO),
            Op::Or => truth(excludes_zero(x) || excludes_zero(y), x == Interval::ZERO && y == Interval::ZERO),
            Op::Select if excludes_zero(x) => y,
            Op::Select if x == Interval::ZERO => value(c, &temporaries),
            Op::Select => y.hull(value(c, &temporaries)),
            Op::Lookup(_) => Interval::ALL,
        };
        temporaries.push(result);
    }
    temporaries
}

fn excludes_zero(x: Interval) -> bool {
    x.low > 0.0 || x.high < 0.0
}

/// The bounds of a condition that is known to be true, known to be false, or neither.
fn truth(holds: bool, fails: bool) -> Interval {
    match (holds, fails) {
        (true, _) => Interval::ONE,
        (_, true) => Interval::ZERO,
        _ => Interval { low: 0.0, high: 1.0 },
    }
}
