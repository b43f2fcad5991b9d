//! Shorter forms by what is known about symbols: q = y₁² + y₂², sin² + cos² = 1, cosh² − sinh² = 1.
//!
//! A multiple of an identity is subtracted where that leaves fewer terms. This is what closes
//! (y₁² + y₂²) y₃ q⁻² to y₃ q⁻¹.

use super::Trouble;
use super::polynomial::{Monomial, Polynomial, Symbol};
use super::rational::Rational;
use super::symbols::{Kind, Symbols};
use ordinate_expr::Function;

/// Polynomials and identities with more terms are left as they are: the search would be long.
const MOST_TERMS: usize = 600;
const LONGEST_IDENTITY: usize = 40;

/// The polynomial in fewer terms, where an identity allows it; powers of sums that have no name of their own are
/// multiplied out.
pub fn reduce(table: &mut Symbols, mut p: Polynomial) -> Result<Polynomial, Trouble> {
    if p.len() > 1 && p.len() <= MOST_TERMS {
        let identities = identities(table, &p)?;
        let mut again = true;
        while again {
            again = false;
            for identity in &identities {
                while let Some(shorter) = step(table, &p, identity)? {
                    p = shorter;
                    again = true;
                }
            }
        }
    }
    expand(table, p)
}

/// The identities among the symbols that may matter for a polynomial, each as a polynomial that is zero.
fn identities(table: &mut Symbols, p: &Polynomial) -> Result<Vec<Polynomial>, Trouble> {
    let mut present = vec![false; table.all().count()];
    for (s, _) in p.0.keys().flat_map(|m| &m.0) {
        present[s.0 as usize] = true;
    }
    let mut found = Vec::new();
    let square = |s| Monomial::power_of(s, Rational::integer(2));
    for s in table.all() {
        let identity = match table.kind(s).clone() {
            Kind::Sum(q) if q.len() <= LONGEST_IDENTITY => {
                let named = table.is_named(s);
                // a sum without a name can only lower a negative power that is there already
                if !named && !present[s.0 as usize] {
                    continue;
                }
                let mut identity = q;
                identity.add_term(Monomial::symbol(s), Rational::integer(-1))?;
                identity
            }
            Kind::Call(f @ (Function::Sin | Function::Sinh), q) => {
                let other = if f == Function::Sin { Function::Cos } else { Function::Cosh };
                let Some(other) = table.known(&Kind::Call(other, q)) else { continue };
                if !present[s.0 as usize] && !present[other.0 as usize] {
                    continue;
                }
                let sign = Rational::integer(if f == Function::Sin { 1 } else { -1 });
                let mut identity = Polynomial::term(square(s), sign);
                identity.add_term(square(other), Rational::ONE)?;
                identity.add_term(Monomial::default(), Rational::integer(-1))?;
                identity
            }
            _ => continue,
        };
        // two of its terms at least must be possible
        let possible = |m: &Monomial| m.0.iter().all(|(s, _)| present[s.0 as usize]);
        if identity.0.keys().filter(|m| possible(m)).count() >= 2 {
            found.push(identity);
        }
    }
    Ok(found)
}

/// p − c m · identity, if that has fewer terms and no worse powers.
fn step(table: &Symbols, p: &Polynomial, identity: &Polynomial) -> Result<Option<Polynomial>, Trouble> {
    // more than half of the terms must be hit, so one of the first half is
    let anchors = identity.len().div_ceil(2);
    table.spend(p.len() * anchors * identity.len())?;
    for (m, &c) in &p.0 {
        for (n, &d) in identity.0.iter().take(anchors) {
            let shift = m.over(n)?;
            let scale = c.over(d).ok_or(Trouble::TooLarge)?;
            let mut hit = 0;
            for (k, &value) in &identity.0 {
                let wanted = value.times(scale).ok_or(Trouble::TooLarge)?;
                hit += usize::from(p.coefficient(&k.times(&shift)?) == wanted);
            }
            if 2 * hit <= identity.len() {
                continue;
            }
            let mut shorter = p.clone();
            for (k, &value) in &identity.0 {
                let by = value.times(scale).ok_or(Trouble::TooLarge)?;
                shorter.add_term(k.times(&shift)?, by.negate())?;
            }
            if shorter.len() < p.len() && no_worse(table, p, &shorter) {
                return Ok(Some(shorter));
            }
        }
    }
    Ok(None)
}

/// No symbol has a negative exponent below those it had, and no sum without a name a positive integer one.
fn no_worse(table: &Symbols, before: &Polynomial, after: &Polynomial) -> bool {
    let lowest = |s: Symbol| {
        let exponents = before.0.keys().map(|m| m.exponent(s).to_f64());
        exponents.fold(0.0, f64::min)
    };
    after.0.keys().filter(|m| !before.0.contains_key(*m)).all(|m| {
        m.0.iter().all(|&(s, e)| {
            let plain_sum = matches!(table.kind(s), Kind::Sum(_)) && !table.is_named(s);
            e.to_f64() >= lowest(s) && !(plain_sum && e.is_integer() && !e.is_negative())
        })
    })
}

/// Positive integer powers of sums without a name are multiplied out.
fn expand(table: &mut Symbols, p: Polynomial) -> Result<Polynomial, Trouble> {
    let plain = |table: &Symbols, (s, e): (Symbol, Rational)| {
        matches!(table.kind(s), Kind::Sum(_)) && !table.is_named(s) && e.is_integer() && !e.is_negative()
    };
    if !p.0.keys().any(|m| m.0.iter().any(|&factor| plain(table, factor))) {
        return Ok(p);
    }
    let mut out = Polynomial::default();
    for (m, &c) in &p.0 {
        let mut term = Polynomial::constant(c);
        for &(s, e) in &m.0 {
            let factor = match table.kind(s).clone() {
                Kind::Sum(q) if plain(table, (s, e)) => {
                    let q = expand(table, q)?;
                    table.power(&q, e)?
                }
                _ => Polynomial::term(Monomial::power_of(s, e), Rational::ONE),
            };
            term = table.times(&term, &factor)?;
        }
        out.add_scaled(&term, Rational::ONE)?;
    }
    Ok(out)
}
