//! Polynomials by their coefficients, from the highest power down.

use crate::eigen::eigenvalues;
use crate::{Complex, Matrix};

/// All roots, as eigenvalues of the companion matrix; zeros in front are no power, zeros at the end are roots at zero.
pub(crate) fn roots(coefficients: &[f64]) -> Option<Vec<Complex>> {
    let first = coefficients.iter().position(|c| *c != 0.0)?;
    let last = coefficients.iter().rposition(|c| *c != 0.0)?;
    let rest = &coefficients[first..=last];
    let n = rest.len() - 1;
    let companion = Matrix::from_fn(n, n, |i, j| match i {
        0 => -rest[j + 1] / rest[0],
        _ if i == j + 1 => 1.0,
        _ => 0.0,
    });
    let mut roots = eigenvalues(&companion)?;
    roots.extend(vec![Complex::default(); coefficients.len() - 1 - last]);
    Some(roots)
}

/// The monic polynomial with these roots, conjugates in pairs.
pub(crate) fn from_roots(roots: &[Complex]) -> Vec<f64> {
    let mut p = vec![1.0];
    for root in roots {
        if root.im == 0.0 {
            p = product(&p, &[1.0, -root.re]);
        } else if root.im > 0.0 {
            p = product(&p, &[1.0, -2.0 * root.re, root.re * root.re + root.im * root.im]);
        }
    }
    p
}

/// The product of two.
pub(crate) fn product(p: &[f64], q: &[f64]) -> Vec<f64> {
    let mut product = vec![0.0; p.len() + q.len() - 1];
    for (i, a) in p.iter().enumerate() {
        q.iter().enumerate().for_each(|(j, b)| product[i + j] += a * b);
    }
    product
}

/// p(s), by Horner's rule.
pub(crate) fn value(p: &[f64], s: Complex) -> Complex {
    p.iter().fold(Complex::default(), |sum, &c| sum * s + c.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (s² + 2s + 5)(s + 3)s² has its factors' roots, and the roots give it back.
    #[test]
    fn roots_and_polynomials_belong_together() {
        let p = product(&product(&[1.0, 2.0, 5.0], &[1.0, 3.0]), &[1.0, 0.0, 0.0]);
        let found = roots(&[&[0.0, 0.0], &p[..]].concat()).expect("a polynomial");
        assert_eq!(found.len(), 5);
        let smallest: f64 = found.iter().map(|&s| value(&p, s).re.hypot(value(&p, s).im)).fold(0.0, f64::max);
        assert!(smallest < 1e-12, "{found:?}");
        let again = from_roots(&found);
        assert!(again.iter().zip(&p).all(|(a, b)| (a - b).abs() < 1e-12), "{again:?}");
        assert_eq!(roots(&[0.0, 0.0]), None);
        assert_eq!(roots(&[4.0]), Some(vec![]));
    }
}
