//! Fractions that tables of coefficients mean.

use ordinate_exact::{Integer, Rational};

/// above / below
pub(super) fn ratio(above: i128, below: i128) -> Rational {
    Rational::new(Integer::from(above), Integer::from(below)).expect("a fraction has a denominator")
}

/// The fraction that a table of coefficients means by a number: the simplest one that rounds to it, by its continued
/// fraction, if its denominator is small enough to be no coincidence; otherwise the number itself, which is a fraction,
/// too. `slack` is the relative error that the number may have.
pub(super) fn meant_by(value: f64, slack: f64) -> Rational {
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
            return ratio(if value < 0.0 { -p.0 } else { p.0 }, q.0);
        }
        rest = 1.0 / (rest - whole);
    }
    itself(value)
}

/// The number itself, to 100 binary digits behind the point.
fn itself(value: f64) -> Rational {
    const PLACES: i32 = 100;
    ratio((value * 2f64.powi(PLACES)) as i128, 1i128 << PLACES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_of_tables_are_recognised() {
        let slack = 4.0 * f64::EPSILON;
        for (above, below) in [(19372, 6561), (-25360, 2187), (1, 600), (-5103, 18656), (0, 1), (1, 2880), (-37, 200)] {
            assert_eq!(meant_by(above as f64 / below as f64, slack), ratio(above, below));
        }
        // no fraction of small numbers
        let root = 2f64.sqrt();
        assert!((meant_by(root, slack).to_f64() - root).abs() <= f64::EPSILON);
    }
}
