//! The roots of a characteristic polynomial as floating-point numbers: how much a solution grows in a step.

use super::Characteristic;
use ordinate_linalg::{Complex, Scalar};

/// Rounds of the iteration for all roots; a dozen is usual.
const MOST_ROUNDS: usize = 80;

impl Characteristic {
    /// Coefficients by increasing power of ζ at z.
    fn at(&self, z: Complex) -> Vec<Complex> {
        let value = |row: &Vec<f64>| row.iter().rev().fold(Complex::default(), |sum, c| sum * z + Complex::from(*c));
        self.numbers.iter().map(value).collect()
    }

    /// The roots ζ at z = hλ: factors by which solutions of y′ = λy change in a step. Where one is infinite, there is one
    /// less.
    pub fn roots(&self, z: Complex) -> Vec<Complex> {
        roots(self.at(z))
    }

    /// The largest |ζ| at z; infinite at a pole.
    pub fn growth(&self, z: Complex) -> f64 {
        let roots = self.roots(z);
        if roots.len() < self.degree() {
            return f64::INFINITY;
        }
        roots.into_iter().map(Complex::modulus).fold(0.0, f64::max)
    }

    /// The root that approximates e^z, at z = w/n, 2w/n, … w: followed from 1 at z = 0.
    pub fn principal(&self, w: Complex, n: usize) -> Vec<Complex> {
        let turn = Complex::new((w.im / n as f64).cos(), (w.im / n as f64).sin()) * (w.re / n as f64).exp();
        let mut last = Complex::new(1.0, 0.0);
        let mut found = Vec::with_capacity(n);
        for k in 1..=n {
            let expected = last * turn;
            let nearer = |a: &Complex, b: &Complex| (*a - expected).modulus().total_cmp(&(*b - expected).modulus());
            let z = w * (k as f64 / n as f64);
            last = self.roots(z).into_iter().min_by(nearer).unwrap_or(Complex::new(f64::NAN, f64::NAN));
            found.push(last);
        }
        found
    }

    /// ln(max|ζ|/|e^z|): how much more a solution grows by the method than it should. For one-step methods whose R is a
    /// polynomial it keeps its digits near the origin, where R and e^z agree,
    ///
    /// ```text
    ///   R e^(−z) = 1 + e^(−z) Σ dₖ zᵏ,     dₖ = rₖ − 1/k!
    /// ```
    pub fn excess(&self, z: Complex) -> f64 {
        let direct = self.growth(z).ln() - z.re;
        if self.defects.is_empty() || direct.abs() > 1e-3 {
            return direct;
        }
        let sum = self.defects.iter().rev().fold(Complex::default(), |sum, d| sum * z + Complex::from(*d));
        let part = sum * Complex::new(z.im.cos(), -z.im.sin()) * (-z.re).exp();
        0.5 * (2.0 * part.re + part.re * part.re + part.im * part.im).ln_1p()
    }

    /// Whether [`Self::excess`] is right however small it is.
    pub fn has_exact_excess(&self) -> bool {
        !self.defects.is_empty()
    }

    /// For linear multistep methods, z for which ζ is a root; `None` for others.
    pub(super) fn locus(&self, zeta: Complex) -> Option<Complex> {
        let mut sums = [Complex::default(); 2];
        for row in self.numbers.iter().rev() {
            for (m, sum) in sums.iter_mut().enumerate() {
                *sum = *sum * zeta + Complex::from(row.get(m).copied().unwrap_or(0.0));
            }
            if row.len() > 2 {
                return None;
            }
        }
        Some(-(sums[0] / sums[1]))
    }
}

fn square_root(z: Complex) -> Complex {
    let size = z.modulus();
    let re = ((size + z.re.abs()) / 2.0).sqrt();
    if re == 0.0 {
        return Complex::default();
    }
    let im = z.im / (2.0 * re);
    if z.re >= 0.0 { Complex::new(re, im) } else { Complex::new(im.abs(), re.copysign(z.im)) }
}

/// All roots of Σ aⱼ ζʲ.
fn roots(mut a: Vec<Complex>) -> Vec<Complex> {
    while a.last().is_some_and(|last| last.size() == 0.0) {
        a.pop();
    }
    match a.as_slice() {
        [] | [_] => Vec::new(),
        [c, b] => vec![-(*c / *b)],
        [c, b, a] => {
            let half = -(*b / *a) * 0.5;
            let difference = square_root(half * half - *c / *a);
            // the larger one without cancellation, the other by their product
            let with = if half.re * difference.re + half.im * difference.im >= 0.0 { difference } else { -difference };
            let first = half + with;
            let second = if first.size() == 0.0 { first } else { *c / *a / first };
            vec![first, second]
        }
        _ => aberth(&a),
    }
}

/// Newton's method for all roots at once, which repel each other: O. Aberth, Math. Comput. 27 (1973) 339–344.
///
/// ```text
///   ζᵢ ← ζᵢ − q/(1 − q Σ 1/(ζᵢ − ζⱼ)),   q = f(ζᵢ)/f′(ζᵢ),   j ≠ i
/// ```
fn aberth(a: &[Complex]) -> Vec<Complex> {
    let n = a.len() - 1;
    let last = a[n].modulus();
    // roots of the size that the coefficients suggest, unsymmetrically spread
    let radius =
        a[..n].iter().enumerate().map(|(j, c)| (c.modulus() / last).powf(1.0 / (n - j) as f64)).fold(0.0, f64::max);
    let start = |i: usize| {
        let angle = 2.0 * std::f64::consts::PI * i as f64 / n as f64 + 0.4;
        Complex::new(angle.cos(), angle.sin()) * (radius * (0.5 + 0.5 * (i + 1) as f64 / n as f64))
    };
    let mut roots: Vec<Complex> = (0..n).map(start).collect();
    for _ in 0..MOST_ROUNDS {
        let mut change = 0.0f64;
        for i in 0..n {
            let zeta = roots[i];
            let (mut value, mut slope) = (Complex::default(), Complex::default());
            for c in a.iter().rev() {
                slope = slope * zeta + value;
                value = value * zeta + *c;
            }
            if value.size() == 0.0 {
                continue;
            }
            let others = (0..n).filter(|&j| j != i).map(|j| zeta - roots[j]).filter(|d| d.size() > 0.0);
            let push = others.fold(Complex::default(), |sum, d| sum + d.reciprocal());
            // f′/f − Σ avoids a division by f′ = 0
            let step = (slope / value - push).reciprocal();
            if step.is_finite() {
                roots[i] = zeta - step;
                change = change.max(step.modulus());
            }
        }
        if change <= 1e-15 * radius {
            break;
        }
    }
    roots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_roots_of_a_product_are_found() {
        for n in 2..=7 {
            // Π (ζ − r_k), r_k = k/10 e^{ik}
            let known: Vec<Complex> =
                (1..=n).map(f64::from).map(|k| Complex::new(k.cos(), k.sin()) * (k / 10.0)).collect();
            let mut a = vec![Complex::new(1.0, 0.0)];
            for r in &known {
                let mut next = vec![Complex::default(); a.len() + 1];
                for (j, c) in a.iter().enumerate() {
                    next[j + 1] += *c;
                    next[j] -= *c * *r;
                }
                a = next;
            }
            let found = roots(a);
            for r in known {
                let nearest = found.iter().map(|f| (*f - r).modulus()).fold(f64::INFINITY, f64::min);
                assert!(nearest < 1e-13, "{n}: {r:?} is missed by {nearest:e}");
            }
        }
    }
}
