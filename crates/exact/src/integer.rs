//! Whole numbers of any size: just what exact decisions need.

use std::cmp::Ordering;
use std::fmt;

/// A whole number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Integer {
    negative: bool,
    /// Digits in base 2³², the lowest first; the last one is not zero. Zero has none and is not negative.
    limbs: Vec<u32>,
}

impl From<i128> for Integer {
    fn from(value: i128) -> Integer {
        let mut rest = value.unsigned_abs();
        let mut limbs = Vec::new();
        while rest > 0 {
            limbs.push(rest as u32);
            rest >>= 32;
        }
        Integer { negative: value < 0, limbs }
    }
}

impl Integer {
    /// 0
    pub const ZERO: Integer = Integer { negative: false, limbs: Vec::new() };

    fn new(negative: bool, mut limbs: Vec<u32>) -> Integer {
        while limbs.last() == Some(&0) {
            limbs.pop();
        }
        Integer { negative: negative && !limbs.is_empty(), limbs }
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.limbs.is_empty()
    }

    /// Compared with zero.
    pub fn sign(&self) -> Ordering {
        match (self.is_zero(), self.negative) {
            (true, _) => Ordering::Equal,
            (false, true) => Ordering::Less,
            (false, false) => Ordering::Greater,
        }
    }

    /// Length of |self| in binary digits.
    pub fn bits(&self) -> i64 {
        self.limbs.last().map_or(0, |last| 32 * self.limbs.len() as i64 - i64::from(last.leading_zeros()))
    }

    /// −a
    pub fn negated(&self) -> Integer {
        Integer::new(!self.negative, self.limbs.clone())
    }

    /// a + b
    pub fn plus(&self, other: &Integer) -> Integer {
        if self.negative == other.negative {
            return Integer::new(self.negative, sum(&self.limbs, &other.limbs));
        }
        match compare(&self.limbs, &other.limbs) {
            Ordering::Less => Integer::new(other.negative, difference(&other.limbs, &self.limbs)),
            Ordering::Equal => Integer::ZERO,
            Ordering::Greater => Integer::new(self.negative, difference(&self.limbs, &other.limbs)),
        }
    }

    /// a − b
    pub fn minus(&self, other: &Integer) -> Integer {
        self.plus(&other.negated())
    }

    /// a · b
    pub fn times(&self, other: &Integer) -> Integer {
        let mut limbs = vec![0u32; self.limbs.len() + other.limbs.len()];
        for (i, &a) in self.limbs.iter().enumerate() {
            let mut carry = 0u64;
            for (j, &b) in other.limbs.iter().enumerate() {
                let digit = u64::from(a) * u64::from(b) + u64::from(limbs[i + j]) + carry;
                limbs[i + j] = digit as u32;
                carry = digit >> 32;
            }
            limbs[i + other.limbs.len()] = carry as u32;
        }
        Integer::new(self.negative != other.negative, limbs)
    }

    /// self · 2ⁿ
    pub fn shifted(&self, n: usize) -> Integer {
        let (whole, part) = (n / 32, n % 32);
        let mut limbs = vec![0u32; whole];
        let mut carry = 0u64;
        for &limb in &self.limbs {
            let wide = (u64::from(limb) << part) | carry;
            limbs.push(wide as u32);
            carry = wide >> 32;
        }
        limbs.push(carry as u32);
        Integer::new(self.negative, limbs)
    }

    /// |self| / 2ⁿ without what lies behind the point.
    fn shifted_down(&self, n: usize) -> Vec<u32> {
        let (whole, part) = (n / 32, n % 32);
        let digits = self.limbs.get(whole..).unwrap_or(&[]);
        let above = digits.iter().skip(1).copied().chain([0]);
        let parts = digits.iter().zip(above);
        parts.map(|(&low, high)| (((u64::from(high) << 32) | u64::from(low)) >> part) as u32).collect()
    }

    /// The power of two that divides it.
    fn trailing_zeros(&self) -> usize {
        self.limbs.iter().position(|&limb| limb != 0).map_or(0, |i| 32 * i + self.limbs[i].trailing_zeros() as usize)
    }

    /// self / divisor where that is a whole number; `None` where it is not. From the lowest digit on, each digit of the
    /// quotient follows by the inverse of the divisor's lowest one modulo 2³² (T. Jebelean, J. Symb. Comput. 15 (1993)
    /// 169–180); what is left must be nothing.
    pub fn divided(&self, divisor: &Integer) -> Option<Integer> {
        if self.is_zero() {
            return Some(Integer::ZERO);
        }
        let zeros = divisor.trailing_zeros();
        if divisor.is_zero() || self.trailing_zeros() < zeros {
            return None;
        }
        let (mut rest, below) = (self.shifted_down(zeros), Integer::new(false, divisor.shifted_down(zeros)).limbs);
        let digits = (rest.len() + 1).checked_sub(below.len())?;
        // Newton's iteration doubles the number of right digits; an odd number is its own inverse modulo 8.
        let mut inverse = below[0];
        for _ in 0..4 {
            inverse = inverse.wrapping_mul(2u32.wrapping_sub(below[0].wrapping_mul(inverse)));
        }
        let mut quotient = vec![0u32; digits];
        for i in 0..digits {
            let digit = rest[i].wrapping_mul(inverse);
            quotient[i] = digit;
            let (mut carry, mut borrow) = (0u64, false);
            for j in 0..rest.len() - i {
                if j >= below.len() && carry == 0 && !borrow {
                    break;
                }
                let product = u64::from(digit) * u64::from(below.get(j).copied().unwrap_or(0)) + carry;
                carry = product >> 32;
                let (once, under) = rest[i + j].overflowing_sub(product as u32);
                let (twice, under_again) = once.overflowing_sub(u32::from(borrow));
                (rest[i + j], borrow) = (twice, under || under_again);
            }
            if carry != 0 || borrow {
                return None;
            }
        }
        rest.iter().all(|&limb| limb == 0).then(|| Integer::new(self.negative != divisor.negative, quotient))
    }

    /// What is left of division by a modulus, from 0 to below it.
    pub fn remainder(&self, modulus: u64) -> u64 {
        let rest =
            self.limbs.iter().rev().fold(0u128, |rest, &limb| (rest << 32 | u128::from(limb)) % u128::from(modulus));
        if self.negative && rest > 0 { modulus - rest as u64 } else { rest as u64 }
    }

    /// The greatest number that divides both, 1 for zeros: Euclid's algorithm where both fit a machine number, before that
    /// the binary one, which needs no division.
    pub fn common_divisor(&self, other: &Integer) -> Integer {
        if self.is_zero() && other.is_zero() {
            return Integer::from(1);
        }
        if self.is_zero() || other.is_zero() {
            let limbs = if self.is_zero() { &other.limbs } else { &self.limbs };
            return Integer::new(false, limbs.clone());
        }
        let (up, across) = (self.trailing_zeros(), other.trailing_zeros());
        let mut a = Integer::new(false, self.shifted_down(up)).limbs;
        let mut b = Integer::new(false, other.shifted_down(across)).limbs;
        // both are odd from here on
        let divisor = loop {
            if let (Some(a), Some(b)) = (machine(&a), machine(&b)) {
                let (mut a, mut b) = (a, b);
                while b != 0 {
                    (a, b) = (b, a % b);
                }
                let wide = Integer::from((a >> 1) as i128).shifted(1);
                break wide.plus(&Integer::from((a & 1) as i128));
            }
            match compare(&a, &b) {
                Ordering::Equal => break Integer::new(false, a),
                Ordering::Less => std::mem::swap(&mut a, &mut b),
                Ordering::Greater => {}
            }
            let rest = Integer::new(false, difference(&a, &b));
            a = Integer::new(false, rest.shifted_down(rest.trailing_zeros())).limbs;
        };
        divisor.shifted(up.min(across))
    }

    /// The value as m · 2ᵉ with |m| below 2⁶⁴, cut off.
    fn leading(&self) -> (f64, i64) {
        let drop = (self.bits() - 64).max(0);
        let top = self.shifted_down(drop as usize);
        let m = top.iter().rev().fold(0u64, |m, &limb| (m << 32) | u64::from(limb));
        (if self.negative { -(m as f64) } else { m as f64 }, drop)
    }

    /// self / divisor · 2ᵉ as a floating-point number, right within two units of its last digit.
    pub fn ratio(&self, divisor: &Integer, exponent: i64) -> f64 {
        let ((a, up), (b, down)) = (self.leading(), divisor.leading());
        // In two steps, so that a power beyond the range does not make an infinity or zero of a result within it.
        let power = (up - down + exponent).clamp(-4000, 4000) as i32;
        a / b * 2f64.powi(power / 2) * 2f64.powi(power - power / 2)
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // digits in base 10⁹, the lowest first
        let (mut rest, mut digits) = (self.limbs.clone(), Vec::new());
        while !rest.is_empty() {
            let mut carry = 0u64;
            for limb in rest.iter_mut().rev() {
                let wide = (carry << 32) | u64::from(*limb);
                *limb = (wide / 1_000_000_000) as u32;
                carry = wide % 1_000_000_000;
            }
            digits.push(carry);
            while rest.last() == Some(&0) {
                rest.pop();
            }
        }
        let mut text = digits.pop().unwrap_or(0).to_string();
        digits.iter().rev().for_each(|digit| text.push_str(&format!("{digit:09}")));
        f.pad_integral(!self.negative, "", &text)
    }
}

/// The value, if it fits.
fn machine(limbs: &[u32]) -> Option<u128> {
    (limbs.len() <= 4).then(|| limbs.iter().rev().fold(0, |value, &limb| (value << 32) | u128::from(limb)))
}

fn compare(a: &[u32], b: &[u32]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

fn sum(a: &[u32], b: &[u32]) -> Vec<u32> {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let mut carry = 0u64;
    let digit = |(i, &limb): (usize, &u32)| {
        let wide = u64::from(limb) + u64::from(short.get(i).copied().unwrap_or(0)) + carry;
        carry = wide >> 32;
        wide as u32
    };
    let mut limbs: Vec<u32> = long.iter().enumerate().map(digit).collect();
    limbs.push(carry as u32);
    limbs
}

/// a − b for a ≥ b.
fn difference(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut borrow = 0i64;
    let digit = |(i, &limb): (usize, &u32)| {
        let wide = i64::from(limb) - i64::from(b.get(i).copied().unwrap_or(0)) + borrow;
        borrow = wide >> 32;
        wide as u32
    };
    a.iter().enumerate().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(value: i128) -> Integer {
        Integer::from(value)
    }

    /// A few numbers around the places where a digit overflows, of both signs.
    fn samples() -> Vec<i128> {
        let mut all = vec![0, 1, 2, 7, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, 0xffff_ffff_ffff, 1 << 60];
        all.extend([982_451_653, 4_294_967_291 * 3, 1_000_000_007 * 998_244_353]);
        let negative: Vec<i128> = all.iter().map(|v| -v).collect();
        all.extend(negative);
        all
    }

    #[test]
    fn arithmetic_agrees_with_that_of_the_processor() {
        for a in samples() {
            for b in samples() {
                assert_eq!(whole(a).plus(&whole(b)), whole(a + b));
                assert_eq!(whole(a).minus(&whole(b)), whole(a - b));
                assert_eq!(whole(a).times(&whole(b)), whole(a * b));
                let quotient = if b != 0 && a % b == 0 { Some(whole(a / b)) } else { None };
                if b != 0 {
                    assert_eq!(whole(a).divided(&whole(b)), quotient, "{a} / {b}");
                    assert_eq!(whole(a * b).divided(&whole(b)), Some(whole(a)), "{a} · {b} / {b}");
                    let (ratio, expected) = (whole(a).ratio(&whole(b), 3), 8.0 * a as f64 / b as f64);
                    assert!((ratio - expected).abs() <= 1e-15 * expected.abs(), "{a} / {b}");
                }
            }
            assert_eq!(whole(a).shifted(37), whole(a << 37));
            assert_eq!(whole(a).sign(), a.cmp(&0));
        }
    }

    #[test]
    fn divisors_and_digits_are_those_of_the_processor() {
        let euclid = |mut a: i128, mut b: i128| {
            while b != 0 {
                (a, b) = (b, a % b);
            }
            if a == 0 { 1 } else { a.abs() }
        };
        for a in samples() {
            assert_eq!(whole(a).to_string(), a.to_string());
            for b in samples() {
                assert_eq!(whole(a).common_divisor(&whole(b)), whole(euclid(a, b)), "{a}, {b}");
            }
        }
        // 60! and 2¹⁰⁰·3⁵⁰ have 2⁵⁶·3²⁸ in common, both beyond machine numbers
        let factorial = (1..=60).fold(whole(1), |product, k| product.times(&whole(k)));
        let other = (0..50).fold(whole(1), |product, _| product.times(&whole(12)));
        assert_eq!(factorial.common_divisor(&other), whole(3i128.pow(28)).shifted(56));
        assert_eq!(whole(10i128.pow(30)).times(&whole(10i128.pow(30))).to_string(), format!("1{}", "0".repeat(60)));
    }

    /// 40! / 38! = 1560, and 40! has 160 binary digits.
    #[test]
    fn factorials_divide_each_other() {
        let factorial = |n: i128| (1..=n).fold(whole(1), |product, k| product.times(&whole(k)));
        assert_eq!(factorial(40).divided(&factorial(38)), Some(whole(1560)));
        assert_eq!(factorial(40).plus(&whole(1)).divided(&factorial(38)), None);
        assert_eq!(factorial(40).bits(), 160);
        assert!((factorial(200).ratio(&factorial(198), 0) - 39800.0).abs() < 1e-11);
    }
}
