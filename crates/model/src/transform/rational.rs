//! Exact fractions, for coefficients and exponents. What does not fit is refused, never rounded.

use ordinate_expr::Decimal;

/// A reduced fraction with a positive denominator. The derived order is one of the pair, good for sorting only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rational {
    numerator: i128,
    denominator: i128,
}

pub(super) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    // both are below 2¹²⁷ unless both are i128::MIN, which no fraction holds
    a as i128
}

impl Rational {
    /// 0
    pub const ZERO: Rational = Rational { numerator: 0, denominator: 1 };
    /// 1
    pub const ONE: Rational = Rational { numerator: 1, denominator: 1 };

    /// n / d in lowest terms; `None` for d = 0 and where it does not fit.
    pub fn new(n: i128, d: i128) -> Option<Rational> {
        if d == 0 || n == i128::MIN || d == i128::MIN {
            return None;
        }
        let g = gcd(n, d);
        let (n, d) = (n / g, d / g);
        Some(if d < 0 {
            Rational { numerator: -n, denominator: -d }
        } else {
            Rational { numerator: n, denominator: d }
        })
    }

    /// An integer has no common divisors to look for; most exponents and coefficients are integers.
    fn whole(n: i128) -> Option<Rational> {
        (n != i128::MIN).then_some(Rational { numerator: n, denominator: 1 })
    }

    /// An integer.
    pub fn integer(n: i64) -> Rational {
        Rational { numerator: i128::from(n), denominator: 1 }
    }

    /// A decimal of few digits; longer ones are better kept as they are.
    pub fn from_decimal(value: Decimal) -> Option<Rational> {
        const MOST: i128 = 100_000;
        let (mantissa, exponent) = value.parts();
        if mantissa.abs() >= MOST || exponent.abs() > 6 {
            return None;
        }
        let scale = 10i128.pow(exponent.unsigned_abs());
        if exponent < 0 { Rational::new(mantissa, scale) } else { Rational::new(mantissa.checked_mul(scale)?, 1) }
    }

    /// Above the line.
    pub fn numerator(self) -> i128 {
        self.numerator
    }

    /// Below the line, positive.
    pub fn denominator(self) -> i128 {
        self.denominator
    }

    /// Whether it is 0.
    pub fn is_zero(self) -> bool {
        self.numerator == 0
    }

    /// Whether it is below 0.
    pub fn is_negative(self) -> bool {
        self.numerator < 0
    }

    /// Whether it is an integer.
    pub fn is_integer(self) -> bool {
        self.denominator == 1
    }

    /// −a
    pub fn negate(self) -> Rational {
        Rational { numerator: -self.numerator, ..self }
    }

    /// a + b
    pub fn plus(self, other: Rational) -> Option<Rational> {
        if self.is_integer() && other.is_integer() {
            return Rational::whole(self.numerator.checked_add(other.numerator)?);
        }
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Rational::new(left.checked_add(right)?, self.denominator.checked_mul(other.denominator)?)
    }

    /// a · b
    pub fn times(self, other: Rational) -> Option<Rational> {
        if self.is_integer() && other.is_integer() {
            return Rational::whole(self.numerator.checked_mul(other.numerator)?);
        }
        // reduced crosswise first, so that what fits is found to fit
        let (g, h) = (gcd(self.numerator, other.denominator), gcd(other.numerator, self.denominator));
        if g == 0 || h == 0 {
            return Some(Rational::ZERO);
        }
        let n = (self.numerator / g).checked_mul(other.numerator / h)?;
        Rational::new(n, (self.denominator / h).checked_mul(other.denominator / g)?)
    }

    /// a / b
    pub fn over(self, other: Rational) -> Option<Rational> {
        if other == Rational::ONE {
            return Some(self);
        }
        self.times(Rational::new(other.denominator, other.numerator)?)
    }

    /// aⁿ
    pub fn power(self, n: i64) -> Option<Rational> {
        let base = if n < 0 { Rational::ONE.over(self)? } else { self };
        let mut result = Rational::ONE;
        for _ in 0..u32::try_from(n.unsigned_abs()).ok().filter(|&n| n <= 256)? {
            result = result.times(base)?;
        }
        Some(result)
    }

    /// |a|
    pub fn abs(self) -> Rational {
        Rational { numerator: self.numerator.abs(), ..self }
    }

    /// The nearest double.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_exact_or_refused() {
        let f = |n, d| Rational::new(n, d).unwrap();
        assert_eq!(f(1, 3).plus(f(1, 6)), Some(f(1, 2)));
        assert_eq!(f(-3, -6), f(1, 2));
        assert_eq!(f(2, 3).over(f(-4, 3)), Some(f(-1, 2)));
        assert_eq!(f(2, 3).power(-2), Some(f(9, 4)));
        assert_eq!(Rational::ONE.over(Rational::ZERO), None);
        assert_eq!(f(10, 1).power(60), None);
        assert_eq!(f(i128::MAX, 1).times(f(1, i128::MAX)), Some(Rational::ONE));
    }
}
