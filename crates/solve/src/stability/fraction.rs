//! Fractions of whole numbers, for the coefficients of formulas.

/// A fraction in lowest terms, the denominator positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fraction {
    /// Numerator.
    pub above: i128,
    /// Denominator.
    pub below: i128,
}

fn common_divisor(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}

impl Fraction {
    pub const ZERO: Fraction = Fraction::whole(0);
    pub const ONE: Fraction = Fraction::whole(1);

    pub const fn whole(value: i128) -> Fraction {
        Fraction { above: value, below: 1 }
    }

    pub fn new(above: i128, below: i128) -> Fraction {
        assert!(below != 0, "a fraction has a denominator");
        let divisor = common_divisor(above, below) * below.signum();
        Fraction { above: above / divisor, below: below / divisor }
    }

    pub fn plus(self, other: Fraction) -> Fraction {
        let shared = common_divisor(self.below, other.below);
        Fraction::new(
            self.above * (other.below / shared) + other.above * (self.below / shared),
            self.below / shared * other.below,
        )
    }

    pub fn minus(self, other: Fraction) -> Fraction {
        self.plus(Fraction { above: -other.above, ..other })
    }

    pub fn times(self, other: Fraction) -> Fraction {
        let (left, right) = (Fraction::new(self.above, other.below), Fraction::new(other.above, self.below));
        Fraction { above: left.above * right.above, below: left.below * right.below }
    }

    /// The smallest number that both denominators divide.
    pub fn common_denominator(a: i128, b: i128) -> i128 {
        a / common_divisor(a, b) * b
    }

    pub fn to_f64(self) -> f64 {
        self.above as f64 / self.below as f64
    }

    /// The fraction that a table of coefficients means by a number: the simplest one that rounds to it, by its continued
    /// fraction, if its denominator is small enough to be no coincidence; otherwise the number itself, which is a fraction,
    /// too. `slack` is the relative error that the number may have.
    pub fn meant_by(value: f64, slack: f64) -> Fraction {
        const LARGEST: i128 = 1_000_000;
        let (mut p, mut q) = ((1i128, 0i128), (0i128, 1i128));
        let mut rest = value.abs();
        for _ in 0..40 {
            let whole = rest.floor();
            if whole > 1e15 {
                break;
            }
            (p, q) = ((whole as i128 * p.0 + p.1, p.0), (whole as i128 * q.0 + q.1, q.0));
            if q.0 > LARGEST {
                break;
            }
            if (p.0 as f64 / q.0 as f64 - value.abs()).abs() <= slack * value.abs() {
                return Fraction::new(if value < 0.0 { -p.0 } else { p.0 }, q.0);
            }
            rest = 1.0 / (rest - whole);
        }
        Fraction::of(value)
    }

    /// The number itself, to 100 binary digits behind the point.
    fn of(value: f64) -> Fraction {
        const PLACES: i32 = 100;
        Fraction::new((value * 2f64.powi(PLACES)) as i128, 1i128 << PLACES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_of_tables_are_recognised() {
        let slack = 4.0 * f64::EPSILON;
        for (above, below) in [(19372, 6561), (-25360, 2187), (1, 600), (-5103, 18656), (0, 1), (1, 2880), (-37, 200)] {
            assert_eq!(Fraction::meant_by(above as f64 / below as f64, slack), Fraction::new(above, below));
        }
        // no fraction of small numbers
        let root = 2f64.sqrt();
        assert_eq!(Fraction::meant_by(root, slack).to_f64(), root);
    }

    #[test]
    fn sums_and_products_are_in_lowest_terms() {
        let (a, b) = (Fraction::new(1, 6), Fraction::new(-1, 10));
        assert_eq!(a.plus(b), Fraction::new(1, 15));
        assert_eq!(a.minus(b), Fraction::new(4, 15));
        assert_eq!(a.times(b), Fraction::new(-1, 60));
    }
}
