//! The positive roots of a polynomial with whole coefficients, in their order, none missed.
//!
//! Descartes' rule: a polynomial has at most as many positive roots as its coefficients change their signs, and exactly one if
//! they do so once. Intervals are halved until that decides. G. E. Collins, A. G. Akritas, Proc. SYMSAC 1976, 272–275.

use super::polynomial::Polynomial;
use ordinate_exact::Integer;
use std::cmp::Ordering;

/// n / 2ᵉ
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dyadic {
    pub n: Integer,
    pub e: i64,
}

impl Dyadic {
    pub fn to_f64(&self) -> f64 {
        self.n.ratio(&Integer::from(1), -self.e)
    }

    /// The exact value of a positive number.
    pub fn from_f64(value: f64) -> Dyadic {
        let e = 52 - i64::from(((value.to_bits() >> 52) & 0x7ff) as i32 - 1023);
        let mut n = (value.to_bits() & ((1 << 52) - 1)) | (1 << 52);
        let zeros = i64::from(n.trailing_zeros());
        n >>= zeros;
        Dyadic { n: Integer::from(i128::from(n)), e: e - zeros }
    }

    /// With e not negative.
    pub fn plain(&self) -> (Integer, usize) {
        if self.e < 0 { (self.n.shifted(-self.e as usize), 0) } else { (self.n.clone(), self.e as usize) }
    }
}

/// An interval is not halved more often: what cannot be told apart then is one root, multiple or not.
const MOST_HALVINGS: i64 = 120;
/// Roots are refined to this relative width, in binary digits.
const DIGITS: i64 = 66;

/// The positive roots, refined until their floating-point values are right, in ascending order.
pub(crate) fn positive_roots(p: &Polynomial) -> Vec<Dyadic> {
    let zeros = p.0.iter().take_while(|c| c.is_zero()).count();
    let p = Polynomial::new(p.0[zeros..].to_vec());
    if p.0.len() < 2 {
        return Vec::new();
    }
    let bound = bound(&p);
    // q(u) = p(2^bound u) 2^…, so that all roots are in 0 < u < 1
    let n = p.0.len() as i64 - 1;
    let least = if bound < 0 { bound * n } else { 0 };
    let scaled = p.0.iter().enumerate().map(|(k, c)| c.shifted((bound * k as i64 - least) as usize));
    // Intervals still to be looked at, the leftmost last: index at its level, and the polynomial on it.
    let mut open = vec![(Integer::ZERO, 0i64, scaled.collect::<Vec<Integer>>())];
    let mut found = Vec::new();
    while let Some((index, level, q)) = open.pop() {
        let changes = sign_changes(&q);
        if changes == 0 {
            continue;
        }
        if changes == 1 || level >= MOST_HALVINGS {
            let low = Dyadic { n: index, e: level - bound };
            found.push(if changes == 1 { refined(&p, low, q[0].sign()) } else { low });
            continue;
        }
        let left = halved(&q);
        let mut right = shifted_by_one(&left);
        let middle = index.shifted(1).plus(&Integer::from(1));
        let zeros = right.iter().take_while(|c| c.is_zero()).count();
        if zeros > 0 {
            right.drain(..zeros);
            found.push(Dyadic { n: middle.clone(), e: level + 1 - bound });
        }
        open.push((middle, level + 1, right));
        open.push((index.shifted(1), level + 1, left));
    }
    found.sort_by(compare);
    found.dedup();
    found
}

fn compare(a: &Dyadic, b: &Dyadic) -> Ordering {
    let e = a.e.max(b.e);
    a.n.shifted((e - a.e) as usize).minus(&b.n.shifted((e - b.e) as usize)).sign()
}

/// All positive roots are below 2^bound: 2 max |aᵢ/aₙ|^(1/(n−i)) (Fujiwara).
fn bound(p: &Polynomial) -> i64 {
    let n = p.0.len() - 1;
    let last = p.0[n].bits();
    let quotient = |i: usize| (p.0[i].bits() - last + 1).div_euclid((n - i) as i64) + 1;
    (0..n).filter(|&i| !p.0[i].is_zero()).map(quotient).max().unwrap_or(0) + 1
}

/// The sign changes of (1 + x)ⁿ q(1/(1 + x)): at least as many as q has roots in 0 < u < 1.
fn sign_changes(q: &[Integer]) -> usize {
    let reversed: Vec<Integer> = q.iter().rev().cloned().collect();
    let signs = shifted_by_one(&reversed).into_iter().map(|c| c.sign()).filter(|s| *s != Ordering::Equal);
    let signs: Vec<Ordering> = signs.collect();
    signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// q(x + 1), by the scheme of Horner and Ruffini.
fn shifted_by_one(q: &[Integer]) -> Vec<Integer> {
    let mut c = q.to_vec();
    for k in 0..c.len().saturating_sub(1) {
        for j in (k..c.len() - 1).rev() {
            c[j] = c[j].plus(&c[j + 1]);
        }
    }
    c
}

/// 2ⁿ q(x/2)
fn halved(q: &[Integer]) -> Vec<Integer> {
    q.iter().rev().enumerate().map(|(k, c)| c.shifted(k)).rev().collect()
}

/// The one root between low and the next number of its level, above which p has not the sign that it has just above low.
fn refined(p: &Polynomial, low: Dyadic, before: Ordering) -> Dyadic {
    let one = Integer::from(1);
    let mut low = low;
    while low.n.bits() < DIGITS {
        let middle = Dyadic { n: low.n.shifted(1).plus(&one), e: low.e + 1 };
        let (n, e) = middle.plain();
        match p.sign_at(&n, e) {
            Ordering::Equal => return middle,
            sign if sign == before => low = middle,
            _ => low = Dyadic { n: low.n.shifted(1), e: low.e + 1 },
        }
    }
    // the middle of what is left rounds as the root does
    Dyadic { n: low.n.shifted(1).plus(&one), e: low.e + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots(coefficients: &[i128]) -> Vec<f64> {
        let p = Polynomial::new(coefficients.iter().map(|&c| Integer::from(c)).collect());
        positive_roots(&p).iter().map(Dyadic::to_f64).collect()
    }

    #[test]
    fn roots_are_found_to_the_last_digit() {
        assert_eq!(roots(&[-8, 0, 1]), [8f64.sqrt()]);
        assert_eq!(roots(&[0, 0, -2, 0, 1]), [2f64.sqrt()]);
        // (x − 1)(x − 2)(x − 3), and (x − 1)(x² + 1)
        assert_eq!(roots(&[-6, 11, -6, 1]), [1.0, 2.0, 3.0]);
        assert_eq!(roots(&[-1, 1, -1, 1]), [1.0]);
        assert!(roots(&[1, 0, 1]).is_empty());
        assert!(roots(&[3, 1]).is_empty());
        // (3x − 1)(1000x − 333)
        assert_eq!(roots(&[333, -1999, 3000]), [0.333, 1.0 / 3.0]);
        // 10⁶ x² − 1 and x² − 10⁶
        assert_eq!(roots(&[-1, 0, 1_000_000]), [1e-3]);
        assert_eq!(roots(&[-1_000_000, 0, 1]), [1e3]);
    }

    /// (x² − 2)² has a double root that no halving separates.
    #[test]
    fn a_double_root_is_found_once() {
        let found = roots(&[4, 0, -4, 0, 1]);
        assert_eq!(found.len(), 1);
        assert!((found[0] - 2f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn floating_point_numbers_are_exact_fractions() {
        for value in [1.0, 0.1, 1e-9, 12345.678, 2f64.powi(80)] {
            assert_eq!(Dyadic::from_f64(value).to_f64(), value);
        }
    }
}
