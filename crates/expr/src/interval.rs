//! Intervals with bounds that hold: every operation rounds outward, by two numbers where the mathematical library is good
//! to one. Bounds need not be sharp; where there are none (a pole, outside of a domain) the answer is the whole line.

use crate::{Decimal, Function};

/// All numbers from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The least number.
    pub low: f64,
    /// The greatest number.
    pub high: f64,
}

/// The second number below. Neighbours of usual numbers have neighbouring bits.
#[inline]
fn down(x: f64) -> f64 {
    match x.abs() {
        size if !(f64::MIN_POSITIVE..1e308).contains(&size) => x.next_down().next_down(),
        _ if x > 0.0 => f64::from_bits(x.to_bits() - 2),
        _ => f64::from_bits(x.to_bits() + 2),
    }
}

/// The second number above.
#[inline]
fn up(x: f64) -> f64 {
    -down(-x)
}

impl Interval {
    /// The whole line: nothing is known.
    pub const ALL: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };
    /// 0, exactly.
    pub const ZERO: Interval = Interval { low: 0.0, high: 0.0 };
    /// 1, exactly.
    pub const ONE: Interval = Interval { low: 1.0, high: 1.0 };
    /// π
    pub const PI: Interval = Interval { low: std::f64::consts::PI, high: std::f64::consts::PI.next_up() };

    /// From the lower to the upper bound.
    pub fn new(low: f64, high: f64) -> Interval {
        Interval { low, high }
    }

    /// One number.
    pub fn point(x: f64) -> Interval {
        Interval { low: x, high: x }
    }

    /// A decimal: a point where it is a double, otherwise between its neighbours.
    pub fn decimal(value: Decimal) -> Interval {
        let near = value.to_f64();
        if is_double(value, near) {
            return Interval::point(near);
        }
        Interval { low: near.next_down(), high: near.next_up() }
    }

    /// Itself, shifted without rounding outward.
    pub fn shifted(self, by: f64) -> Interval {
        Interval { low: self.low + by, high: self.high + by }
    }

    /// Whether both bounds are finite.
    pub fn is_bounded(self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }

    /// Whether 0 is in it.
    pub fn contains_zero(self) -> bool {
        self.contains(0.0)
    }

    /// Whether a number is in it.
    pub fn contains(self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    /// high − low, rounded.
    pub fn width(self) -> f64 {
        self.high - self.low
    }

    /// A number near its middle.
    pub fn middle(self) -> f64 {
        (self.low + 0.5 * (self.high - self.low)).clamp(self.low, self.high)
    }

    /// The largest magnitude in it.
    pub fn size(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// The smallest interval around both.
    #[inline]
    pub fn hull(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// What both bounds allow. They hold for the same number, so they have one in common.
    pub fn both(self, other: Interval) -> Interval {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        if low <= high { Interval { low, high } } else { self }
    }

    /// The bounds of some numbers; a number that is none makes them useless, which is safe.
    fn around(numbers: &[f64]) -> Interval {
        if numbers.iter().any(|x| x.is_nan()) {
            return Interval::ALL;
        }
        let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Interval { low: down(low), high: up(high) }
    }

    /// The same where a result of zero is exact.
    fn around_exact_zero(numbers: &[f64]) -> Interval {
        let wide = Interval::around(numbers);
        let exact = |bound: f64, wide: f64| if bound == 0.0 { 0.0 } else { wide };
        if wide == Interval::ALL {
            return wide;
        }
        let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Interval { low: exact(low, wide.low), high: exact(high, wide.high) }
    }

    /// Wider by a few roundings.
    fn loosened(self) -> Interval {
        let by = 8.0 * f64::EPSILON;
        Interval { low: self.low - by * self.low.abs(), high: self.high + by * self.high.abs() }
    }

    fn monotone(self, f: impl Fn(f64) -> f64) -> Interval {
        Interval::around(&[f(self.low), f(self.high)])
    }

    /// −a
    #[inline]
    pub fn negated(self) -> Interval {
        Interval { low: -self.high, high: -self.low }
    }

    /// a + b. A sum of doubles that is zero is exact.
    #[inline]
    pub fn plus(self, other: Interval) -> Interval {
        let (low, high) = (self.low + other.low, self.high + other.high);
        if low.is_nan() || high.is_nan() {
            return Interval::ALL;
        }
        Interval { low: if low == 0.0 { 0.0 } else { down(low) }, high: if high == 0.0 { 0.0 } else { up(high) } }
    }

    /// a − b
    #[inline]
    pub fn minus(self, other: Interval) -> Interval {
        self.plus(other.negated())
    }

    /// a · b. A factor of zero gives zero exactly, so that squares and what they multiply keep their sign.
    #[inline]
    pub fn times(self, other: Interval) -> Interval {
        // the usual case, at a fraction of the cost
        if self.low > 0.0 && other.low > 0.0 {
            return Interval { low: down(self.low * other.low), high: up(self.high * other.high) };
        }
        let products = [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        let no_zero = self.low != 0.0 && self.high != 0.0 && other.low != 0.0 && other.high != 0.0;
        if no_zero && !products.iter().sum::<f64>().is_nan() {
            let [a, b, c, d] = products;
            return Interval { low: down(a.min(b).min(c.min(d))), high: up(a.max(b).max(c.max(d))) };
        }
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (a, b) in [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)] {
            let product = a * b;
            let (below, above) = match () {
                () if a == 0.0 || b == 0.0 => (0.0, 0.0),
                () if product.is_nan() => return Interval::ALL,
                () => (down(product), up(product)),
            };
            (low, high) = (low.min(below), high.max(above));
        }
        Interval { low, high }
    }

    /// a²
    pub fn square(self) -> Interval {
        let bounds = self.times(self);
        let low = if self.contains_zero() { 0.0 } else { bounds.low.max(0.0) };
        Interval { low, high: bounds.high }
    }

    /// 1 / a
    #[inline]
    pub fn inverse(self) -> Interval {
        match () {
            () if self.low > 0.0 || self.high < 0.0 => {
                Interval { low: down(1.0 / self.high), high: up(1.0 / self.low) }
            }
            () if self == Interval::ZERO => Interval::ALL,
            // one side of a pole
            () if self.low == 0.0 => Interval { low: down(1.0 / self.high), high: f64::INFINITY },
            () if self.high == 0.0 => Interval { low: f64::NEG_INFINITY, high: up(1.0 / self.low) },
            () => Interval::ALL,
        }
    }

    /// a / b
    #[inline]
    pub fn over(self, other: Interval) -> Interval {
        self.times(other.inverse())
    }

    /// aⁿ
    fn integer_power(self, n: u32) -> Interval {
        match n {
            1 => return self,
            2 => return self.square(),
            _ => {}
        }
        let raise = |x: f64| {
            let (mut result, mut square, mut left) = (Interval::ONE, Interval::point(x), n);
            while left > 0 {
                if left & 1 == 1 {
                    result = result.times(square);
                }
                left >>= 1;
                if left > 0 {
                    square = square.times(square);
                }
            }
            result
        };
        let bounds = raise(self.low).hull(raise(self.high));
        match n % 2 {
            0 if self.contains_zero() => Interval { low: 0.0, high: bounds.high },
            0 => Interval { low: bounds.low.max(0.0), high: bounds.high },
            _ => bounds,
        }
    }

    /// a to the power of a number.
    pub fn power(self, exponent: f64) -> Interval {
        /// Beyond this a power is computed as any other function.
        const MOST: f64 = 1024.0;
        if exponent < 0.0 {
            return self.power(-exponent).inverse();
        }
        if exponent.fract() == 0.0 && exponent <= MOST {
            return self.integer_power(exponent as u32);
        }
        if (2.0 * exponent).fract() == 0.0 && exponent <= MOST {
            return self.integer_power(exponent.trunc() as u32).times(self.call(Function::Sqrt));
        }
        if self.low < 0.0 { Interval::ALL } else { self.monotone(|x| x.powf(exponent)) }
    }

    /// aᵇ
    pub fn raised(self, exponent: Interval) -> Interval {
        match () {
            () if exponent.low == exponent.high => self.power(exponent.low),
            // aᵇ = exp(b log a)
            () if self.low > 0.0 => exponent.times(self.call(Function::Log)).call(Function::Exp),
            () => Interval::ALL,
        }
    }

    /// Bounds of sin or cos, whose extrema lie at (k + `first`) π, the maxima at even k.
    fn wave(self, f: fn(f64) -> f64, first: f64) -> Interval {
        use std::f64::consts::PI;
        let width = self.high - self.low;
        if width.is_nan() || width >= 2.0 * PI || self.size() > 1e12 {
            return Interval { low: -1.0, high: 1.0 };
        }
        let mut bounds = Interval::around_exact_zero(&[f(self.low), f(self.high)]);
        let mut k = (self.low / PI - first).floor();
        // a margin, since k·π is rounded; too wide is safe
        let margin = 4.0 * f64::EPSILON * self.size().max(1.0);
        let wide = Interval { low: self.low - margin, high: self.high + margin };
        while (k + first) * PI <= wide.high {
            if wide.contains((k + first) * PI) {
                bounds = bounds.hull(Interval::point(if k.rem_euclid(2.0) == 0.0 { 1.0 } else { -1.0 }));
            }
            k += 1.0;
        }
        Interval { low: bounds.low.max(-1.0), high: bounds.high.min(1.0) }
    }

    /// f(a)
    pub fn call(self, f: Function) -> Interval {
        if self == Interval::ZERO && matches!(f, Function::Cos | Function::Cosh | Function::Exp) {
            return Interval::ONE;
        }
        let even = |bounds: Interval, least: f64| match self.contains_zero() {
            true => Interval { low: least, high: bounds.high },
            false => bounds,
        };
        match f {
            Function::Cos => self.wave(f64::cos, 0.0),
            Function::Sin => self.wave(f64::sin, 0.5),
            Function::Tan if self.call(Function::Cos).contains_zero() => Interval::ALL,
            Function::Cosh => even(self.monotone(f64::cosh), 1.0),
            Function::Abs => even(self.monotone(f64::abs), 0.0),
            // whatever was drawn lies within twelve standard deviations
            Function::Noise => Interval { low: -12.0, high: 12.0 },
            // a value of zero may be one that is too small for a double
            Function::Exp => {
                let bounds = self.monotone(f64::exp);
                Interval { low: bounds.low.max(0.0), high: bounds.high }
            }
            Function::Tan
            | Function::Asin
            | Function::Acos
            | Function::Atan
            | Function::Sinh
            | Function::Tanh
            | Function::Asinh
            | Function::Acosh
            | Function::Atanh
            | Function::Log
            | Function::Log10
            | Function::Sqrt
            | Function::Cbrt
            | Function::Expm1
            | Function::Log1p
            | Function::Erf => Interval::around_exact_zero(&[f.evaluate(self.low), f.evaluate(self.high)]),
            // a few roundings each; none is ever negative
            Function::Logistic | Function::Softplus | Function::Bernoulli => {
                let bounds = self.monotone(|x| f.evaluate(x)).loosened();
                Interval { low: bounds.low.max(0.0), high: bounds.high }
            }
            Function::Langevin => self.monotone(|x| f.evaluate(x)).loosened(),
            Function::LangevinSlope => {
                let bounds = self.monotone(|x| f.evaluate(x)).loosened();
                let most = if self.contains_zero() { 0.334 } else { bounds.high };
                Interval { low: bounds.low.max(0.0), high: most }
            }
            Function::Sign | Function::Floor => self.monotone(|x| f.evaluate(x)),
        }
    }

    /// The angle of the points (x, y), y = self. Where they reach its cut, the negative x axis, it jumps: no bounds there, so
    /// that nobody takes it for continuous.
    pub fn angle(self, x: Interval) -> Interval {
        let quarter = Interval::PI.times(Interval::point(0.5));
        match () {
            () if x.low > 0.0 => self.over(x).call(Function::Atan),
            () if self.low > 0.0 => quarter.minus(x.over(self).call(Function::Atan)),
            () if self.high < 0.0 => quarter.negated().minus(x.over(self).call(Function::Atan)),
            () => Interval::ALL,
        }
    }
}

/// Whether a decimal is the double that is nearest to it.
fn is_double(value: Decimal, near: f64) -> bool {
    let (mantissa, exponent) = value.parts();
    if near == 0.0 {
        return mantissa == 0;
    }
    // near = m · 2ᵉ with an odd m
    let bits = near.abs().to_bits();
    let (field, stored) = ((bits >> 52) as i32, (bits & ((1 << 52) - 1)) as i128);
    let (m, e) = if field == 0 { (stored, -1074) } else { (stored | (1 << 52), field - 1075) };
    let (m, e) = (m >> m.trailing_zeros(), e + m.trailing_zeros() as i32);
    let scaled = |base: i128, power: i32| {
        let factor = u32::try_from(power).ok().and_then(|power| base.checked_pow(power));
        factor.unwrap_or(0)
    };
    // mantissa · 10ˣ = m · 2ᵉ, negative powers on the other side
    let left =
        mantissa.abs().checked_mul(scaled(10, exponent.max(0))).and_then(|v| v.checked_mul(scaled(2, (-e).max(0))));
    let right = m.checked_mul(scaled(10, (-exponent).max(0))).and_then(|v| v.checked_mul(scaled(2, e.max(0))));
    left.is_some_and(|left| left != 0) && left == right
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values inside of random intervals never leave the bounds; those of a product of sums are compared with a bound by
    /// a wider interval, too.
    #[test]
    fn bounds_hold_for_every_function() {
        for f in Function::ALL {
            for k in 0..400 {
                let low = -6.0 + 0.03 * f64::from(k);
                for width in [0.0, 1e-9, 0.1, 1.0, 4.0] {
                    let x = Interval::new(low, low + width);
                    let bounds = x.call(f);
                    for part in 0..=10 {
                        let at = low + width * f64::from(part) / 10.0;
                        let value = f.evaluate(at);
                        assert!(value.is_nan() || bounds.contains(value), "{} {x:?} {bounds:?} {value}", f.name());
                    }
                }
            }
        }
    }

    #[test]
    fn powers_hold_and_even_ones_are_not_negative() {
        for exponent in [2.0, 3.0, 4.0, 0.5, 1.5, 7.0, 2.7, -1.0, -2.0, -3.0] {
            for (low, high) in [(-2.0, 3.0), (0.5, 1.5), (-3.0, -1.0), (0.0, 2.0)] {
                let bounds = Interval::new(low, high).power(exponent);
                for part in 0..=20 {
                    let at: f64 = low + (high - low) * f64::from(part) / 20.0;
                    let value = at.powf(exponent);
                    assert!(value.is_nan() || bounds.contains(value), "[{low}, {high}]^{exponent} {bounds:?} {value}");
                }
            }
        }
        assert_eq!(Interval::new(-1.0, 2.0).power(2.0).low, 0.0);
        let inverse = Interval::new(-1.0, 2.0).power(-2.0);
        assert!((inverse.low - 0.25).abs() < 1e-15 && inverse.high == f64::INFINITY, "{inverse:?}");
    }

    #[test]
    fn zero_is_exact_where_it_is_a_factor_and_nowhere_else() {
        let square = Interval::new(-1.0, 1.0).square();
        let damped = square.times(Interval::point(-0.3));
        assert_eq!(damped.high, 0.0);
        assert_eq!(damped.plus(damped).high, 0.0);
        let tiny = Interval::point(1e-200);
        assert!(tiny.times(tiny).high > 0.0, "what is too small for a double is not zero");
    }

    #[test]
    fn decimals_are_points_only_if_they_are_doubles() {
        let decimal = |text: &str| Interval::decimal(Decimal::parse(text).unwrap()[0]);
        for exact in ["0.5", "3", "0.375", "1e3", "0"] {
            assert_eq!(decimal(exact).width(), 0.0, "{exact}");
        }
        for rounded in ["0.1", "9.81", "1e-7", "2.48315632e-5"] {
            let bounds = decimal(rounded);
            assert!(bounds.width() > 0.0 && bounds.contains(rounded.parse().unwrap()), "{rounded}");
        }
    }

    #[test]
    fn sines_between_extrema_are_sharp() {
        let x = Interval::new(0.1, 0.2).call(Function::Sin);
        assert!((x.low - 0.1f64.sin()).abs() < 1e-15 && (x.high - 0.2f64.sin()).abs() < 1e-15);
        assert_eq!(Interval::new(1.0, 2.0).call(Function::Sin).high, 1.0);
        assert_eq!(Interval::new(3.0, 4.0).call(Function::Cos).low, -1.0);
        assert_eq!(Interval::ZERO.call(Function::Sin), Interval::ZERO);
        assert_eq!(Interval::ONE.minus(Interval::ZERO.call(Function::Cos)), Interval::ZERO);
    }
}
