//! Exact decimals. A literal of the model stays what was written until a run rounds it to its own
//! precision; constants are folded only where the result is exact again.

use std::fmt;

/// `mantissa · 10^exponent`, without trailing zeros in the mantissa, so that equal values are equal structs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    mantissa: i128,
    exponent: i32,
}

/// Significant digits that one `Decimal` holds; also the bound for folded results.
pub const MAX_DIGITS: usize = 36;

/// Ten to a power that fits.
fn power_of_ten(n: u32) -> Option<i128> {
    10i128.checked_pow(n)
}

impl Decimal {
    /// 0
    pub const ZERO: Decimal = Decimal { mantissa: 0, exponent: 0 };
    /// 1
    pub const ONE: Decimal = Decimal { mantissa: 1, exponent: 0 };

    /// The normal form of `mantissa · 10^exponent`, or `None` if it has too many digits.
    pub fn new(mut mantissa: i128, mut exponent: i32) -> Option<Decimal> {
        if mantissa == 0 {
            return Some(Decimal::ZERO);
        }
        while mantissa % 10 == 0 {
            mantissa /= 10;
            exponent = exponent.checked_add(1)?;
        }
        let fits = mantissa.unsigned_abs() < 10u128.pow(MAX_DIGITS as u32);
        fits.then_some(Decimal { mantissa, exponent })
    }

    /// An integer.
    pub fn integer(n: i64) -> Decimal {
        Decimal::new(i128::from(n), 0).expect("19 digits fit")
    }

    /// Reads `12`, `0.5`, `.5`, `2.`, `1e-3` into pieces whose sum is exactly the literal: one piece up to
    /// [`MAX_DIGITS`] digits, more for longer ones. `None` if it is no number or outside the range of doubles.
    pub fn parse(text: &str) -> Option<Vec<Decimal>> {
        let (digits_part, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], text[at + 1..].parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = digits_part.split_once('.').unwrap_or((digits_part, ""));
        let all: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        if all.is_empty() || !all.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let leading = all.iter().take_while(|&&c| c == b'0').count();
        let end = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
        let significant = &all[leading..];
        let mut pieces = Vec::new();
        for (k, chunk) in significant.chunks(MAX_DIGITS).enumerate() {
            let value = chunk.iter().fold(0i128, |v, c| v * 10 + i128::from(c - b'0'));
            let below = significant.len() - k * MAX_DIGITS - chunk.len();
            let piece = Decimal::new(value, end.checked_add(i32::try_from(below).ok()?)?)?;
            if piece != Decimal::ZERO {
                pieces.push(piece);
            }
        }
        let Some(first) = pieces.first() else { return Some(vec![Decimal::ZERO]) };
        let size = first.to_f64();
        (size.is_finite() && size != 0.0).then_some(pieces)
    }

    /// The nearest double.
    pub fn to_f64(self) -> f64 {
        // Exact in double arithmetic when both fit: the common case, and much faster than parsing.
        if self.exponent >= 0 && self.exponent <= 22 && self.mantissa.unsigned_abs() < 1 << 53 {
            return self.mantissa as f64 * 10f64.powi(self.exponent);
        }
        if self.exponent < 0 && self.exponent >= -22 && self.mantissa.unsigned_abs() < 1 << 53 {
            return self.mantissa as f64 / 10f64.powi(-self.exponent);
        }
        format!("{}e{}", self.mantissa, self.exponent).parse().expect("a decimal is a number")
    }

    /// The value as an integer, if it is one that fits.
    pub fn as_integer(self) -> Option<i64> {
        let scale = power_of_ten(u32::try_from(self.exponent).ok()?)?;
        i64::try_from(self.mantissa.checked_mul(scale)?).ok()
    }

    /// m and n of m · 10ⁿ, m without trailing zeros.
    pub fn parts(self) -> (i128, i32) {
        (self.mantissa, self.exponent)
    }

    /// Whether it is below zero.
    pub fn is_negative(self) -> bool {
        self.mantissa < 0
    }

    /// −a
    pub fn negate(self) -> Decimal {
        Decimal { mantissa: -self.mantissa, exponent: self.exponent }
    }

    /// a + b, if it fits exactly.
    pub fn plus(self, other: Decimal) -> Option<Decimal> {
        let (low, high) = if self.exponent <= other.exponent { (self, other) } else { (other, self) };
        if high == Decimal::ZERO {
            return Some(low);
        }
        let shift = u32::try_from(high.exponent.checked_sub(low.exponent)?).ok()?;
        let raised = high.mantissa.checked_mul(power_of_ten(shift)?)?;
        Decimal::new(raised.checked_add(low.mantissa)?, low.exponent)
    }

    /// a · b, if it fits exactly.
    pub fn times(self, other: Decimal) -> Option<Decimal> {
        Decimal::new(self.mantissa.checked_mul(other.mantissa)?, self.exponent.checked_add(other.exponent)?)
    }

    /// a / b, if the quotient is a decimal that fits.
    pub fn over(self, other: Decimal) -> Option<Decimal> {
        if other == Decimal::ZERO {
            return None;
        }
        // 10^18 makes every divisor 2^i 5^j with i, j ≤ 18 come out even.
        let raised = self.mantissa.checked_mul(power_of_ten(18)?)?;
        if raised % other.mantissa != 0 {
            return None;
        }
        Decimal::new(raised / other.mantissa, self.exponent.checked_sub(other.exponent)?.checked_sub(18)?)
    }

    /// a^n for a small integer n, if it fits exactly.
    pub fn power(self, n: i64) -> Option<Decimal> {
        if n < 0 {
            return Decimal::ONE.over(self.power(n.checked_neg()?)?);
        }
        let mut result = Decimal::ONE;
        for _ in 0..u32::try_from(n).ok().filter(|&n| n <= 128)? {
            result = result.times(self)?;
        }
        Some(result)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Decimal { mantissa, exponent } = *self;
        if (0..=6).contains(&exponent) {
            return write!(f, "{}{}", mantissa, "0".repeat(exponent as usize * usize::from(mantissa != 0)));
        }
        let sign = if mantissa < 0 { "-" } else { "" };
        let digits = mantissa.unsigned_abs().to_string();
        let point = digits.len() as i32 + exponent;
        if (-4..=0).contains(&point) {
            write!(f, "{sign}0.{}{digits}", "0".repeat(-point as usize))
        } else if point > 0 && exponent < 0 {
            write!(f, "{sign}{}.{}", &digits[..point as usize], &digits[point as usize..])
        } else {
            let fraction = if digits.len() > 1 { format!(".{}", &digits[1..]) } else { String::new() };
            write!(f, "{sign}{}{fraction}e{}", &digits[..1], point - 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Decimal {
        let pieces = Decimal::parse(text).unwrap();
        assert_eq!(pieces.len(), 1, "{text}");
        pieces[0]
    }

    #[test]
    fn a_literal_rounds_like_the_compiler_rounds_it() {
        for text in ["0", "1", "0.1", "2.", ".5", "6.02e23", "1e-12", "0.0001", "123456789.123456789", "4.9e-324"] {
            assert_eq!(one(text).to_f64(), text.trim_end_matches('.').parse::<f64>().unwrap(), "{text}");
        }
    }

    #[test]
    fn what_is_printed_reads_back_as_the_same_decimal() {
        for text in ["0", "1", "-1", "0.1", "1e6", "1e7", "1.5e-7", "0.00012", "123.456", "9.81", "6.02e23", "1e-300"] {
            let value = if let Some(positive) = text.strip_prefix('-') { one(positive).negate() } else { one(text) };
            let printed = value.to_string();
            let back = if let Some(p) = printed.strip_prefix('-') { one(p).negate() } else { one(&printed) };
            assert_eq!(back, value, "{text} printed as {printed}");
        }
    }

    #[test]
    fn arithmetic_is_exact_or_refused() {
        assert_eq!(one("0.1").plus(one("0.2")), Some(one("0.3")));
        assert_eq!(one("0.3").over(one("0.1")), Some(one("3")));
        assert_eq!(one("1").over(one("3")), None);
        assert_eq!(one("1").over(Decimal::ZERO), None);
        assert_eq!(one("2").power(-3), Some(one("0.125")));
        assert_eq!(one("1e300").plus(one("1")), None);
        assert_eq!(one("1e30").as_integer(), None);
    }

    #[test]
    fn long_literals_keep_every_digit() {
        let text = format!("0.{}", "142857".repeat(15));
        let pieces = Decimal::parse(&text).unwrap();
        assert_eq!(pieces.len(), 3);
        let digits: String = pieces.iter().map(|p| p.mantissa.to_string()).collect();
        assert_eq!(digits, text[2..]);
    }

    #[test]
    fn numbers_outside_the_range_of_doubles_are_refused() {
        for text in ["1e400", "1e-400", "1e99999999999", "", ".", "1e", "x"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }
}
