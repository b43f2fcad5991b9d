//! Where the roots of a polynomial lie with respect to the unit circle, decided exactly.
//!
//! ```text
//!   f*(ζ) = ζᵏ conj f(1/conj ζ),      f₁(ζ) = (conj(fₖ) f(ζ) − f₀ f*(ζ)) / ζ
//! ```
//!
//! All roots are inside of the circle if |f₀| < |fₖ| and those of f₁ are; they are inside or on it, those on it simple, if
//! |f₀| < |fₖ| and this holds for f₁, or if f₁ vanishes and the roots of f′ are inside. I. Schur, J. reine angew. Math. 147 (1917)
//! 205–232; J. J. H. Miller, J. Inst. Math. Appl. 8 (1971) 397–406.

use super::polynomial::{Gaussian, Polynomial};
use std::cmp::Ordering;

/// Coefficients by increasing power of ζ.
pub(crate) type InZeta = Vec<Gaussian>;

/// f₁.
fn reduced(f: &[Gaussian]) -> InZeta {
    let k = f.len() - 1;
    let (last, first) = (f[k].conjugate(), &f[0]);
    (0..k).map(|j| last.times(&f[j + 1]).minus(&first.times(&f[k - 1 - j].conjugate()))).collect()
}

fn derivative(f: &[Gaussian]) -> InZeta {
    f.iter().enumerate().skip(1).map(|(j, c)| c.multiple(j)).collect()
}

/// |fₖ|² − |f₀|² compared with zero, for constants.
fn outweighs(f: &[Gaussian]) -> Ordering {
    let difference = f[f.len() - 1].square().minus(&f[0].square());
    difference.0.first().map_or(Ordering::Equal, |c| c.sign())
}

/// f₁, f₂, …, each divided by the leading coefficient of the one before the last: what is left are minors of the matrix of
/// Schur and Cohn, whose size grows with their number and not with a power of two.
struct Reductions {
    f: InZeta,
    /// The leading coefficient of the polynomial before, where there is a use for it.
    before: Option<Polynomial>,
    taken: usize,
}

impl Reductions {
    fn new(f: InZeta) -> Reductions {
        Reductions { f, before: None, taken: 0 }
    }

    fn step(&mut self) {
        let mut next = reduced(&self.f);
        if let Some(before) = self.before.take().filter(|before| !before.is_zero()) {
            let quotient: Option<InZeta> = next.iter().map(|c| c.divided(&before)).collect();
            next = quotient.unwrap_or(next);
        }
        // the leading coefficient of a reduced polynomial is real
        self.before = (self.taken > 0).then(|| self.f[self.f.len() - 1].re.clone());
        self.taken += 1;
        self.f = next;
    }
}

/// Whether all roots are inside of the unit circle, for a polynomial whose coefficients are constants.
pub(crate) fn all_inside(f: InZeta) -> bool {
    if f.last().is_none_or(Gaussian::is_zero) {
        return false;
    }
    let mut chain = Reductions::new(f);
    while chain.f.len() > 1 {
        if outweighs(&chain.f) != Ordering::Greater {
            return false;
        }
        chain.step();
    }
    true
}

/// Whether no root is outside of the unit circle, and those on it are simple, for a polynomial whose coefficients are
/// constants. A leading coefficient of zero is a root at infinity.
pub(crate) fn none_outside(f: InZeta) -> bool {
    if f.last().is_none_or(Gaussian::is_zero) {
        return false;
    }
    let mut chain = Reductions::new(f);
    while chain.f.len() > 1 {
        match outweighs(&chain.f) {
            Ordering::Greater => chain.step(),
            Ordering::Less => return false,
            Ordering::Equal if reduced(&chain.f).iter().all(Gaussian::is_zero) => {
                return all_inside(derivative(&chain.f));
            }
            Ordering::Equal => return false,
        }
    }
    true
}

/// For coefficients that are polynomials of x: a polynomial that is zero wherever a root crosses the unit circle, the
/// determinant of Schur and Cohn. Where all roots stay on the circle, those of f′ decide. `None` where some roots stay on the circle
/// and others do not.
pub(crate) fn crossings(f: InZeta) -> Option<Polynomial> {
    let mut chain = Reductions::new(f);
    while chain.f.len() > 1 {
        let k = chain.f.len() - 1;
        if chain.f[k].square() != chain.f[0].square() {
            chain.step();
        } else if reduced(&chain.f).iter().all(Gaussian::is_zero) {
            chain = Reductions::new(derivative(&chain.f));
        } else {
            return None;
        }
    }
    Some(chain.f.swap_remove(0).re)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordinate_exact::Integer;

    /// From real constants, the highest power first.
    fn of(coefficients: &[i128]) -> InZeta {
        let constant = |&c: &i128| Gaussian { re: Polynomial::new(vec![Integer::from(c)]), im: Polynomial::default() };
        coefficients.iter().rev().map(constant).collect()
    }

    #[test]
    fn roots_are_told_apart_by_the_unit_circle() {
        // (10ζ − 9)(10ζ + 8), (10ζ − 11)(10ζ + 8), ζ² + 1, (ζ − 1)², (ζ − 1)(2ζ + 1), ζ³ − 1, ζ(ζ − 1)
        let cases: [(&[i128], bool, bool); 7] = [
            (&[100, -10, -72], true, true),
            (&[100, -30, -88], false, false),
            (&[1, 0, 1], false, true),
            (&[1, -2, 1], false, false),
            (&[2, -1, -1], false, true),
            (&[1, 0, 0, -1], false, true),
            (&[1, -1, 0], false, true),
        ];
        for (f, inside, not_outside) in cases {
            assert_eq!((all_inside(of(f)), none_outside(of(f))), (inside, not_outside), "{f:?}");
        }
        assert!(!none_outside(of(&[0, 1, -1])), "a root at infinity");
    }

    /// (2ζ − 1)(3ζ − 1)(4ζ + 1)(5ζ − 2)(ζ − c): stable as long as |c| ≤ 1.
    #[test]
    fn long_chains_keep_their_meaning() {
        let product = |c: i128| {
            let factors: [[i128; 2]; 5] = [[2, -1], [3, -1], [4, 1], [5, -2], [100, -c]];
            factors.iter().fold(vec![1i128], |p, f| {
                let mut next = vec![0; p.len() + 1];
                for (i, a) in p.iter().enumerate() {
                    next[i] += a * f[0];
                    next[i + 1] += a * f[1];
                }
                next
            })
        };
        for (c, inside, not_outside) in [(99, true, true), (100, false, true), (-100, false, true), (101, false, false)]
        {
            let f = product(c);
            assert_eq!((all_inside(of(&f)), none_outside(of(&f))), (inside, not_outside), "{c}");
        }
    }
}
