//! Bounds of a section over an interval of time. Only what switches of time alone need.

use crate::{Evaluator, Instruction, Op, Section};
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
    let first = section.instructions.first().map_or(0, |i| i.out);
    let mut temporaries: Vec<Interval> = Vec::with_capacity(section.instructions.len());
    let value = |register: u32, temporaries: &[Interval]| match register {
        0 => t,
        r if r >= first && ((r - first) as usize) < temporaries.len() => temporaries[(r - first) as usize],
        r => Interval::point(registers[r as usize]),
    };
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
            Op::Less | Op::LessEqual | Op::Equal | Op::Not | Op::And | Op::Or => Interval { low: 0.0, high: 1.0 },
            Op::Select => y.hull(value(c, &temporaries)),
            Op::Lookup(_) => Interval::ALL,
        };
        temporaries.push(result);
    }
    [0, 1].map(|k| value(section.results[k], &temporaries))
}
