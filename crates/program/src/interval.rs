//! Bounds of a section over an interval of time. Only what switches of time alone need: bounds need not be
//! sharp, but must hold; each operation widens them by one rounding.

use crate::{Evaluator, Instruction, Op, Section};
use ordinate_expr::{Function, power};

/// All numbers from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub low: f64,
    pub high: f64,
}

const ALL: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };

impl Interval {
    fn point(x: f64) -> Interval {
        Interval { low: x, high: x }
    }

    pub fn shifted(self, by: f64) -> Interval {
        Interval { low: self.low + by, high: self.high + by }
    }

    pub fn is_bounded(self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }

    /// Itself, as far as it lies within the value at the middle and the slope times half the width; that value is good to
    /// some roundings of what it was computed from, which the size of the bounds stands for.
    pub fn narrowed(self, middle: f64, slope: Interval, half: f64) -> Interval {
        let reach = slope.low.abs().max(slope.high.abs()) * half;
        let rounding = 1e-14 * (self.low.abs().max(self.high.abs()) + middle.abs());
        let (low, high) = (middle - reach - rounding, middle + reach + rounding);
        if !self.is_bounded() || low.is_nan() || high.is_nan() {
            return self;
        }
        Interval { low: self.low.max(low), high: self.high.min(high) }
    }

    /// The bounds of some numbers; a number that is none makes them useless, which is safe.
    fn around(numbers: &[f64]) -> Interval {
        if numbers.iter().any(|x| x.is_nan()) {
            return ALL;
        }
        let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // two numbers outward: the functions of the mathematical library are good to one
        Interval { low: low.next_down().next_down(), high: high.next_up().next_up() }
    }

    pub fn contains_zero(self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }

    fn contains(self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    fn monotone(self, f: impl Fn(f64) -> f64) -> Interval {
        Interval::around(&[f(self.low), f(self.high)])
    }

    fn hull(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    fn times(self, other: Interval) -> Interval {
        let product = |a: f64, b: f64| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
        Interval::around(&[
            product(self.low, other.low),
            product(self.low, other.high),
            product(self.high, other.low),
            product(self.high, other.high),
        ])
    }

    fn square(self) -> Interval {
        let bounds = self.times(self);
        if self.contains_zero() {
            return Interval { low: 0.0, high: bounds.high };
        }
        Interval { low: bounds.low.max(0.0), high: bounds.high }
    }

    fn inverse(self) -> Interval {
        if self.contains_zero() { ALL } else { self.monotone(|x| 1.0 / x) }
    }

    /// Bounds of cos x: its extrema lie at multiples of π.
    fn cosine(self) -> Interval {
        use std::f64::consts::PI;
        let width = self.high - self.low;
        if width.is_nan() || width >= 2.0 * PI || self.low.abs().max(self.high.abs()) > 1e12 {
            return Interval { low: -1.0, high: 1.0 };
        }
        let mut bounds = self.monotone(f64::cos);
        let mut k = (self.low / PI).floor();
        // a margin, since k·π is rounded; too wide is safe
        let margin = 4.0 * f64::EPSILON * self.low.abs().max(self.high.abs()).max(1.0);
        let wide = Interval { low: self.low - margin, high: self.high + margin };
        while k * PI <= wide.high {
            if wide.contains(k * PI) {
                bounds = bounds.hull(Interval::point(if k.rem_euclid(2.0) == 0.0 { 1.0 } else { -1.0 }));
            }
            k += 1.0;
        }
        bounds
    }
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
            Op::Neg => Interval { low: -x.high, high: -x.low },
            Op::Add => Interval::around(&[x.low + y.low, x.high + y.high]),
            Op::Sub => Interval::around(&[x.low - y.high, x.high - y.low]),
            Op::Mul => x.times(y),
            Op::Square => x.square(),
            Op::Div => x.times(y.inverse()),
            Op::Pow if y.low == y.high => powers(x, y.low),
            // xʸ = exp(y log x)
            Op::Pow if x.low > 0.0 => y.times(x.monotone(f64::ln)).monotone(f64::exp),
            Op::Pow => ALL,
            Op::HalfPower(n) => powers(x, f64::from(n) / 2.0),
            Op::Call(f) => call(f, x),
            Op::Atan2 => angle(x, y),
            Op::Less | Op::LessEqual | Op::Equal | Op::Not | Op::And | Op::Or => Interval { low: 0.0, high: 1.0 },
            Op::Select => y.hull(value(c, &temporaries)),
            Op::Lookup(_) => ALL,
        };
        temporaries.push(result);
    }
    [0, 1].map(|k| value(section.results[k], &temporaries))
}

/// atan2(y, x). Where the points reach its cut, the negative x axis, it jumps: no bounds there, so that nobody takes it for
/// continuous.
fn angle(y: Interval, x: Interval) -> Interval {
    use std::f64::consts::FRAC_PI_2;
    let quotient = |a: Interval, b: Interval| a.times(b.inverse()).monotone(f64::atan);
    let turned = |quarter: f64| {
        let a = quotient(x, y);
        Interval::around(&[quarter - a.high, quarter - a.low])
    };
    if x.low > 0.0 {
        quotient(y, x)
    } else if y.low > 0.0 {
        turned(FRAC_PI_2)
    } else if y.high < 0.0 {
        turned(-FRAC_PI_2)
    } else {
        ALL
    }
}

fn powers(x: Interval, exponent: f64) -> Interval {
    if exponent == 2.0 {
        return x.square();
    }
    if exponent < 0.0 {
        return powers(x, -exponent).inverse();
    }
    let odd = exponent.fract() == 0.0 && exponent.rem_euclid(2.0) == 1.0;
    let even = exponent.fract() == 0.0 && !odd;
    let bounds = x.monotone(|v| power(v, exponent));
    if even && x.contains_zero() { bounds.hull(Interval::point(0.0)) } else { bounds }
}

fn call(f: Function, x: Interval) -> Interval {
    use std::f64::consts::FRAC_PI_2;
    match f {
        Function::Cos => x.cosine(),
        Function::Sin => Interval::around(&[x.low - FRAC_PI_2, x.high - FRAC_PI_2]).cosine(),
        Function::Tan => call(Function::Sin, x).times(x.cosine().inverse()),
        Function::Cosh => {
            let bounds = x.monotone(f64::cosh);
            if x.contains_zero() { bounds.hull(Interval::point(1.0)) } else { bounds }
        }
        Function::Abs => {
            let bounds = x.monotone(f64::abs);
            if x.contains_zero() { bounds.hull(Interval::point(0.0)) } else { bounds }
        }
        // whatever was drawn lies within twelve standard deviations
        Function::Noise => Interval { low: -12.0, high: 12.0 },
        Function::Asin
        | Function::Acos
        | Function::Atan
        | Function::Sinh
        | Function::Tanh
        | Function::Asinh
        | Function::Acosh
        | Function::Atanh
        | Function::Exp
        | Function::Log
        | Function::Log10
        | Function::Sqrt
        | Function::Cbrt
        | Function::Erf
        | Function::Sign
        | Function::Floor => x.monotone(|v| f.evaluate(v)),
    }
}
