//! Polynomials with whole coefficients, also complex ones, by increasing power.

use ordinate_exact::Integer;
use std::cmp::Ordering;

/// A polynomial of one real variable; the last coefficient is not zero, and zero has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Polynomial(pub Vec<Integer>);

impl Polynomial {
    pub fn new(mut coefficients: Vec<Integer>) -> Polynomial {
        while coefficients.last().is_some_and(Integer::is_zero) {
            coefficients.pop();
        }
        Polynomial(coefficients)
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub fn plus(&self, other: &Polynomial) -> Polynomial {
        let (long, short) = if self.0.len() >= other.0.len() { (self, other) } else { (other, self) };
        let parts = long.0.iter().enumerate();
        Polynomial::new(parts.map(|(k, a)| short.0.get(k).map_or_else(|| a.clone(), |b| a.plus(b))).collect())
    }

    pub fn negated(&self) -> Polynomial {
        Polynomial(self.0.iter().map(Integer::negated).collect())
    }

    pub fn minus(&self, other: &Polynomial) -> Polynomial {
        self.plus(&other.negated())
    }

    pub fn times(&self, other: &Polynomial) -> Polynomial {
        if self.is_zero() || other.is_zero() {
            return Polynomial::default();
        }
        let mut product = vec![Integer::ZERO; self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate().filter(|(_, a)| !a.is_zero()) {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] = product[i + j].plus(&a.times(b));
            }
        }
        Polynomial::new(product)
    }

    /// self / divisor where that is a polynomial with whole coefficients.
    pub fn divided(&self, divisor: &Polynomial) -> Option<Polynomial> {
        let last = divisor.0.last()?;
        let mut rest = self.0.clone();
        let mut quotient = vec![Integer::ZERO; (rest.len() + 1).saturating_sub(divisor.0.len())];
        for k in (0..quotient.len()).rev() {
            let digit = rest[k + divisor.0.len() - 1].divided(last)?;
            for (j, d) in divisor.0.iter().enumerate() {
                rest[k + j] = rest[k + j].minus(&digit.times(d));
            }
            quotient[k] = digit;
        }
        rest.iter().all(Integer::is_zero).then(|| Polynomial::new(quotient))
    }

    /// 2^(e·degree) times the value at n / 2ᵉ, by Horner's rule.
    pub fn scaled_value(&self, n: &Integer, e: usize) -> Integer {
        let mut sum = Integer::ZERO;
        for (k, c) in self.0.iter().rev().enumerate() {
            sum = sum.times(n).plus(&c.shifted(e * k));
        }
        sum
    }

    /// Its sign at n / 2ᵉ.
    pub fn sign_at(&self, n: &Integer, e: usize) -> Ordering {
        self.scaled_value(n, e).sign()
    }
}

/// A complex polynomial of a real variable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gaussian {
    pub re: Polynomial,
    pub im: Polynomial,
}

impl Gaussian {
    pub fn is_zero(&self) -> bool {
        self.re.is_zero() && self.im.is_zero()
    }

    pub fn conjugate(&self) -> Gaussian {
        Gaussian { re: self.re.clone(), im: self.im.negated() }
    }

    pub fn plus(&self, other: &Gaussian) -> Gaussian {
        Gaussian { re: self.re.plus(&other.re), im: self.im.plus(&other.im) }
    }

    pub fn minus(&self, other: &Gaussian) -> Gaussian {
        Gaussian { re: self.re.minus(&other.re), im: self.im.minus(&other.im) }
    }

    pub fn times(&self, other: &Gaussian) -> Gaussian {
        Gaussian {
            re: self.re.times(&other.re).minus(&self.im.times(&other.im)),
            im: self.re.times(&other.im).plus(&self.im.times(&other.re)),
        }
    }

    /// |self|²
    pub fn square(&self) -> Polynomial {
        self.re.times(&self.re).plus(&self.im.times(&self.im))
    }

    /// k times it.
    pub fn multiple(&self, k: usize) -> Gaussian {
        let factor = Polynomial::new(vec![Integer::from(k as i128)]);
        Gaussian { re: self.re.times(&factor), im: self.im.times(&factor) }
    }

    /// self / divisor where that has whole coefficients.
    pub fn divided(&self, divisor: &Polynomial) -> Option<Gaussian> {
        Some(Gaussian { re: self.re.divided(divisor)?, im: self.im.divided(divisor)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(coefficients: &[i128]) -> Polynomial {
        Polynomial::new(coefficients.iter().map(|&c| Integer::from(c)).collect())
    }

    #[test]
    fn a_product_can_be_divided_by_its_factors_and_by_nothing_else() {
        let (a, b) = (of(&[3, -1, 0, 4]), of(&[-7, 2, 5]));
        assert_eq!(a.times(&b).divided(&b), Some(a.clone()));
        assert_eq!(a.times(&b).plus(&of(&[1])).divided(&b), None);
        assert_eq!(a.times(&b).divided(&of(&[2])), None);
    }

    /// 4x² − 9 at 3/2, and above and below.
    #[test]
    fn signs_at_binary_fractions_are_exact() {
        let p = of(&[-9, 0, 4]);
        assert_eq!(p.sign_at(&Integer::from(3), 1), Ordering::Equal);
        assert_eq!(p.sign_at(&Integer::from(3 * 1024 + 1), 11), Ordering::Greater);
        assert_eq!(p.sign_at(&Integer::from(3 * 1024 - 1), 11), Ordering::Less);
    }
}
