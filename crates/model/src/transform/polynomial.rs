//! Sums of products of powers of symbols. Exponents are fractions: 1/√q is the symbol q with the exponent −1/2, and
//! the rules of powers come for free.

use super::Trouble;
use super::rational::Rational;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// A symbol of the table that owns the polynomials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub u32);

/// Π sᵉ, sorted by symbol, without exponents of zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Monomial(pub Vec<(Symbol, Rational)>);

impl Monomial {
    /// s
    pub fn symbol(s: Symbol) -> Monomial {
        Monomial(vec![(s, Rational::ONE)])
    }

    /// sᵉ
    pub fn power_of(s: Symbol, e: Rational) -> Monomial {
        if e.is_zero() { Monomial::default() } else { Monomial(vec![(s, e)]) }
    }

    /// Whether it is 1.
    pub fn is_one(&self) -> bool {
        self.0.is_empty()
    }

    /// The exponent of a symbol.
    pub fn exponent(&self, s: Symbol) -> Rational {
        self.0.binary_search_by_key(&s, |&(known, _)| known).map_or(Rational::ZERO, |k| self.0[k].1)
    }

    /// a · b
    pub fn times(&self, other: &Monomial) -> Result<Monomial, Trouble> {
        let mut out = Vec::with_capacity(self.0.len() + other.0.len());
        let (mut a, mut b) = (self.0.iter().peekable(), other.0.iter().peekable());
        loop {
            match (a.peek(), b.peek()) {
                (Some(&&(s, e)), Some(&&(r, f))) if s == r => {
                    let sum = e.plus(f).ok_or(Trouble::TooLarge)?;
                    if !sum.is_zero() {
                        out.push((s, sum));
                    }
                    a.next();
                    b.next();
                }
                (Some(&&(s, e)), Some(&&(r, _))) if s < r => {
                    out.push((s, e));
                    a.next();
                }
                (Some(&&left), None) => {
                    out.push(left);
                    a.next();
                }
                (_, Some(&&right)) => {
                    out.push(right);
                    b.next();
                }
                (None, None) => return Ok(Monomial(out)),
            }
        }
    }

    /// aᵉ
    pub fn power(&self, e: Rational) -> Result<Monomial, Trouble> {
        let mut out = Vec::with_capacity(self.0.len());
        if !e.is_zero() {
            for &(s, f) in &self.0 {
                out.push((s, f.times(e).ok_or(Trouble::TooLarge)?));
            }
        }
        Ok(Monomial(out))
    }

    /// a / b
    pub fn over(&self, other: &Monomial) -> Result<Monomial, Trouble> {
        self.times(&other.power(Rational::ONE.negate())?)
    }

    /// The factors that pass a test, and the others.
    pub fn split(&self, test: impl Fn(Symbol) -> bool) -> (Monomial, Monomial) {
        let (yes, no) = self.0.iter().partition(|&&(s, _)| test(s));
        (Monomial(yes), Monomial(no))
    }
}

/// A sum of monomials with coefficients that are not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Polynomial(pub BTreeMap<Monomial, Rational>);

impl Polynomial {
    /// A number.
    pub fn constant(value: Rational) -> Polynomial {
        Polynomial::term(Monomial::default(), value)
    }

    /// c · m
    pub fn term(m: Monomial, c: Rational) -> Polynomial {
        let mut p = Polynomial::default();
        if !c.is_zero() {
            p.0.insert(m, c);
        }
        p
    }

    /// s
    pub fn symbol(s: Symbol) -> Polynomial {
        Polynomial::term(Monomial::symbol(s), Rational::ONE)
    }

    /// Number of terms.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The only term, if there is just one.
    pub fn single(&self) -> Option<(&Monomial, Rational)> {
        let (m, &c) = self.0.first_key_value()?;
        (self.len() == 1).then_some((m, c))
    }

    /// The coefficient of a monomial.
    pub fn coefficient(&self, m: &Monomial) -> Rational {
        self.0.get(m).copied().unwrap_or(Rational::ZERO)
    }

    /// self += c · m
    pub fn add_term(&mut self, m: Monomial, c: Rational) -> Result<(), Trouble> {
        if c.is_zero() {
            return Ok(());
        }
        match self.0.entry(m) {
            Entry::Vacant(place) => {
                place.insert(c);
            }
            Entry::Occupied(mut place) => {
                let sum = place.get().plus(c).ok_or(Trouble::TooLarge)?;
                if sum.is_zero() {
                    place.remove();
                } else {
                    place.insert(sum);
                }
            }
        }
        Ok(())
    }

    /// self += c · other
    pub fn add_scaled(&mut self, other: &Polynomial, c: Rational) -> Result<(), Trouble> {
        for (m, &value) in &other.0 {
            self.add_term(m.clone(), value.times(c).ok_or(Trouble::TooLarge)?)?;
        }
        Ok(())
    }

    /// c · self
    pub fn scaled(&self, c: Rational) -> Result<Polynomial, Trouble> {
        let mut out = Polynomial::default();
        out.add_scaled(self, c)?;
        Ok(out)
    }

    /// The positive number c and p with self = c · p, where the coefficients of p are integers without a common
    /// divisor. With `signed`, c has the sign of the first coefficient, so that −q and q have the same p.
    pub fn primitive(&self, signed: bool) -> Result<(Rational, Polynomial), Trouble> {
        let (mut numerator, mut denominator) = (0i128, 1i128);
        for c in self.0.values() {
            numerator = super::rational::gcd(numerator, c.numerator());
            let d = c.denominator();
            let common = super::rational::gcd(denominator, d);
            denominator = (denominator / common).checked_mul(d).ok_or(Trouble::TooLarge)?;
        }
        let Some(first) = self.0.values().next() else { return Ok((Rational::ONE, self.clone())) };
        let mut content = Rational::new(numerator, denominator).ok_or(Trouble::TooLarge)?;
        if signed && first.is_negative() {
            content = content.negate();
        }
        let inverse = Rational::ONE.over(content).ok_or(Trouble::TooLarge)?;
        Ok((content, self.scaled(inverse)?))
    }
}
