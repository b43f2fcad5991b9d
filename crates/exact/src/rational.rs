//! Fractions of whole numbers of any size.

use crate::Integer;
use std::cmp::Ordering;
use std::fmt;

/// A fraction in lowest terms, the denominator positive, so that equal values are equal structs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rational {
    above: Integer,
    below: Integer,
}

impl From<i128> for Rational {
    fn from(value: i128) -> Rational {
        Rational { above: Integer::from(value), below: Integer::from(1) }
    }
}

impl Rational {
    /// above / below; `None` if that is no number.
    pub fn new(above: Integer, below: Integer) -> Option<Rational> {
        if below.is_zero() {
            return None;
        }
        let divisor = above.common_divisor(&below);
        let reduced = |n: &Integer| n.divided(&divisor).expect("a divisor divides");
        let (above, below) = (reduced(&above), reduced(&below));
        Some(match below.sign() {
            Ordering::Less => Rational { above: above.negated(), below: below.negated() },
            _ => Rational { above, below },
        })
    }

    /// Numerator.
    pub fn above(&self) -> &Integer {
        &self.above
    }

    /// Denominator.
    pub fn below(&self) -> &Integer {
        &self.below
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.above.is_zero()
    }

    /// Whether it is below 0.
    pub fn is_negative(&self) -> bool {
        self.above.sign() == Ordering::Less
    }

    /// Binary digits of numerator and denominator together.
    pub fn bits(&self) -> i64 {
        self.above.bits() + self.below.bits()
    }

    /// Right within two units of the last digit.
    pub fn to_f64(&self) -> f64 {
        self.above.ratio(&self.below, 0)
    }

    /// −a
    pub fn negated(&self) -> Rational {
        Rational { above: self.above.negated(), below: self.below.clone() }
    }

    /// a + b
    pub fn plus(&self, other: &Rational) -> Rational {
        let above = self.above.times(&other.below).plus(&other.above.times(&self.below));
        Rational::new(above, self.below.times(&other.below)).expect("denominators are not zero")
    }

    /// a − b
    pub fn minus(&self, other: &Rational) -> Rational {
        self.plus(&other.negated())
    }

    /// a · b
    pub fn times(&self, other: &Rational) -> Rational {
        Rational::new(self.above.times(&other.above), self.below.times(&other.below))
            .expect("denominators are not zero")
    }

    /// a / b; `None` if b is zero.
    pub fn over(&self, other: &Rational) -> Option<Rational> {
        Rational::new(self.above.times(&other.below), self.below.times(&other.above))
    }

    /// aⁿ; `None` if a is zero and n negative.
    pub fn power(&self, n: i64) -> Option<Rational> {
        let mut result = Rational::from(1);
        for _ in 0..n.unsigned_abs() {
            result = result.times(self);
        }
        if n < 0 { Rational::from(1).over(&result) } else { Some(result) }
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.below == Integer::from(1) {
            true => write!(f, "{}", self.above),
            false => write!(f, "{}/{}", self.above, self.below),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(above: i128, below: i128) -> Rational {
        Rational::new(Integer::from(above), Integer::from(below)).expect("a fraction")
    }

    #[test]
    fn arithmetic_is_exact_and_in_lowest_terms() {
        let (a, b) = (fraction(1, 6), fraction(1, -10));
        assert_eq!(a.plus(&b), fraction(1, 15));
        assert_eq!(a.minus(&b), fraction(4, 15));
        assert_eq!(a.times(&b), fraction(-1, 60));
        assert_eq!(a.over(&b), Some(fraction(-5, 3)));
        assert_eq!(a.over(&Rational::from(0)), None);
        assert_eq!(b.power(-2), Some(Rational::from(100)));
        assert!(b.is_negative() && !a.minus(&a).is_negative());
    }

    /// 0.3 / 0.1 − 3 is zero, as it is not with doubles.
    #[test]
    fn three_tenths_are_three_times_one_tenth() {
        let quotient = fraction(3, 10).over(&fraction(1, 10)).expect("not by zero");
        assert!(quotient.minus(&Rational::from(3)).is_zero());
    }
}
