//! Which products of powers become states: so many that the derivative of each is a sum of products of at most N states.
//!
//! A set of states is *closed* when that holds. The search adds one product at a time, always one that makes an open
//! product of the derivatives short enough, first the one that leaves the fewest open; then it goes back and tries
//! others within a budget, for a smaller set. With N = 2 this is the quadratisation by monomials of Bychkov and
//! Pogudin (2021), here with negative and broken exponents as well.

use super::Trouble;
use super::polynomial::{Monomial, Polynomial, Symbol};
use super::rational::Rational;
use super::symbols::{Kind, Symbols};
use ordinate_expr::Function;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Alternatives that are tried for one open product.
const BRANCHES: usize = 6;
/// An open product with more divisors is only divided between its powers.
const MOST_DIVISORS: usize = 600;

pub struct Search<'a> {
    pub table: &'a mut Symbols,
    factors: usize,
    rates: FxHashMap<Monomial, Rc<Polynomial>>,
    chosen: Vec<Monomial>,
    position: FxHashMap<Monomial, usize>,
    by_symbol: FxHashMap<Symbol, Vec<usize>>,
    best: Option<Vec<Monomial>>,
    best_cost: (usize, usize, usize),
    most: usize,
    budget: usize,
    pairs: bool,
}

/// A closed set that begins with the given states and has at most so many, as small as the budget (a number of trials)
/// finds it; `None` where none was found.
pub fn closed_set(
    table: &mut Symbols,
    states: &[Symbol],
    factors: usize,
    budget: usize,
    most: usize,
) -> Result<Option<Vec<Monomial>>, Trouble> {
    let mut search = Search::new(table, factors, budget, most);
    let mut open = Vec::new();
    for &s in states {
        search.push(Monomial::symbol(s));
    }
    for &s in states {
        let rate = search.rate(&Monomial::symbol(s))?;
        search.extend_open(&rate, &mut open)?;
    }
    match search.descend(open) {
        // what was found before the work was too much is good
        Ok(()) | Err(Trouble::TooLong) => Ok(search.best),
        Err(trouble) => Err(trouble),
    }
}

/// A closed set that always exists, with products as long as they come: for each symbol the powers of one or two of
/// its exponents.
pub fn unit_set(table: &mut Symbols, states: &[Symbol]) -> Result<Vec<Monomial>, Trouble> {
    let mut search = Search::new(table, usize::MAX, 0, usize::MAX);
    states.iter().for_each(|&s| search.push(Monomial::symbol(s)));
    let mut k = 0;
    while k < search.chosen.len() {
        let rate = search.rate(&search.chosen[k].clone())?;
        for m in rate.0.keys() {
            for &(s, e) in &search.moving(m).0 {
                if search.unit_of(s, e).is_some() {
                    continue;
                }
                let exponential = matches!(search.table.kind(s), Kind::Call(Function::Exp, _));
                let sign = if e.is_negative() { -1 } else { 1 };
                let unit = Rational::new(sign, e.denominator()).expect("not zero");
                search.push(Monomial::power_of(s, if exponential { e } else { unit }));
            }
        }
        k += 1;
    }
    Ok(search.chosen)
}

impl<'a> Search<'a> {
    /// The state that is a power of s and how often it is taken for sᵉ, as few times as possible.
    fn unit_of(&self, s: Symbol, e: Rational) -> Option<(usize, usize)> {
        let own = self.by_symbol.get(&s)?.iter().filter(|&&k| self.chosen[k].0.len() == 1);
        let counts = own.filter_map(|&k| {
            let count = e.over(self.chosen[k].0[0].1).filter(|c| c.is_integer() && !c.is_negative())?;
            Some((usize::try_from(count.numerator()).ok()?, k))
        });
        counts.min().map(|(count, k)| (k, count))
    }

    pub fn new(table: &'a mut Symbols, factors: usize, budget: usize, most: usize) -> Self {
        Search {
            table,
            factors,
            rates: FxHashMap::default(),
            chosen: Vec::new(),
            position: FxHashMap::default(),
            by_symbol: FxHashMap::default(),
            best: None,
            best_cost: (0, 0, 0),
            most,
            budget,
            pairs: budget > 0,
        }
    }

    pub fn push(&mut self, m: Monomial) {
        let k = self.chosen.len();
        m.0.iter().for_each(|&(s, _)| self.by_symbol.entry(s).or_default().push(k));
        self.position.insert(m.clone(), k);
        self.chosen.push(m);
    }

    fn pop(&mut self) {
        let m = self.chosen.pop().expect("as many are taken back as were added");
        m.0.iter().for_each(|(s, _)| _ = self.by_symbol.get_mut(s).expect("it was added").pop());
        self.position.remove(&m);
    }

    /// dm/dt
    pub fn rate(&mut self, m: &Monomial) -> Result<Rc<Polynomial>, Trouble> {
        if let Some(known) = self.rates.get(m) {
            return Ok(known.clone());
        }
        let raw = self.table.derivative(&Polynomial::term(m.clone(), Rational::ONE))?;
        let rate = Rc::new(super::reduce::reduce(self.table, raw)?);
        self.rates.insert(m.clone(), rate.clone());
        Ok(rate)
    }

    /// The part of a product that changes with time.
    pub fn moving(&self, m: &Monomial) -> Monomial {
        m.split(|s| !self.table.is_constant(s)).0
    }

    /// Adds the products of a derivative that are too long.
    fn extend_open(&self, rate: &Polynomial, open: &mut Vec<Monomial>) -> Result<(), Trouble> {
        for m in rate.0.keys() {
            let m = self.moving(m);
            if !open.contains(&m) && self.decomposition(&m)?.is_none() {
                open.push(m);
            }
        }
        Ok(())
    }

    /// States, then products, then terms.
    fn cost(&mut self) -> Result<(usize, usize, usize), Trouble> {
        let (mut products, mut terms) = (BTreeSet::new(), 0);
        for k in 0..self.chosen.len() {
            let rate = self.rate(&self.chosen[k].clone())?;
            terms += rate.len();
            for m in rate.0.keys() {
                products.extend(self.decomposition(&self.moving(m))?);
            }
        }
        let plan = super::sharing::Plan::new(products.iter().map(Vec::as_slice));
        Ok((self.chosen.len(), plan.count(), terms))
    }

    /// The fewest states whose product it is.
    pub fn decomposition(&self, m: &Monomial) -> Result<Option<Vec<usize>>, Trouble> {
        if self.factors == usize::MAX {
            let mut found = Vec::new();
            for &(s, e) in &m.0 {
                let Some((k, count)) = self.unit_of(s, e) else { return Ok(None) };
                found.extend(std::iter::repeat_n(k, count));
            }
            found.sort_unstable();
            return Ok(Some(found));
        }
        for parts in 0..=self.factors {
            let mut found = Vec::new();
            if self.decompose(m, parts, &mut found)? {
                found.sort_unstable();
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn decompose(&self, m: &Monomial, parts: usize, found: &mut Vec<usize>) -> Result<bool, Trouble> {
        if m.is_one() || parts == 0 {
            return Ok(m.is_one() && parts == 0);
        }
        if parts == 1 {
            let Some(&k) = self.position.get(m) else { return Ok(false) };
            found.push(k);
            return Ok(true);
        }
        // one of the factors has the symbol that the fewest states have
        let none = Vec::new();
        let with = |s: Symbol| self.by_symbol.get(&s).unwrap_or(&none);
        let &(rare, _) = m.0.iter().min_by_key(|&&(s, _)| with(s).len()).expect("not 1");
        for &k in with(rare) {
            let factor = &self.chosen[k];
            // beyond three factors only divisors: detours over s · s⁻¹ lengthen the product
            let fits = factor.0.iter().all(|&(s, e)| {
                let own = m.exponent(s);
                let inside = own.is_negative() == e.is_negative() && own.abs().to_f64() >= e.abs().to_f64();
                !own.is_zero() && (inside || self.factors <= 3)
            });
            if !fits {
                continue;
            }
            self.table.spend(1)?;
            found.push(k);
            if self.decompose(&m.over(factor)?, parts - 1, found)? {
                return Ok(true);
            }
            found.pop();
        }
        Ok(false)
    }

    fn descend(&mut self, open: Vec<Monomial>) -> Result<(), Trouble> {
        let size = self.chosen.len();
        if open.is_empty() {
            let cost = self.cost()?;
            if self.best.is_none() || cost < self.best_cost {
                self.best = Some(self.chosen.clone());
                self.best_cost = cost;
            }
            return Ok(());
        }
        let limit = self.best.as_ref().map_or(self.most, Vec::len);
        if size + 1 > limit || (self.budget == 0 && self.best.is_some()) {
            return Ok(());
        }
        let next = open.iter().min_by_key(|m| divisor_count(self.table, m)).expect("not empty").clone();
        let mut ranked: Vec<Way> = Vec::new();
        for new in self.candidates(&next)? {
            new.iter().for_each(|h| self.push(h.clone()));
            let count = new.len();
            if self.decomposition(&next)?.is_some() {
                self.budget = self.budget.saturating_sub(1);
                let mut after = Vec::with_capacity(open.len());
                for m in &open {
                    let touched = new.iter().flat_map(|h| &h.0).any(|&(s, _)| !m.exponent(s).is_zero());
                    if !touched || self.decomposition(m)?.is_none() {
                        after.push(m.clone());
                    }
                }
                for h in &new {
                    let rate = self.rate(h)?;
                    self.extend_open(&rate, &mut after)?;
                }
                let weight: f64 = after.iter().chain(&new).map(degree).sum();
                ranked.push(Way { rank: (after.len() + new.len(), (weight * 16.0) as u64), new, open: after });
            }
            (0..count).for_each(|_| self.pop());
        }
        ranked.sort_by(|a, b| a.rank.cmp(&b.rank).then_with(|| a.new.cmp(&b.new)));
        for way in ranked.into_iter().take(BRANCHES) {
            let count = way.new.len();
            way.new.into_iter().for_each(|h| self.push(h));
            self.descend(way.open)?;
            (0..count).for_each(|_| self.pop());
        }
        Ok(())
    }

    /// What may be added for an open product: one of its divisors, or two that it is the product of.
    fn candidates(&self, m: &Monomial) -> Result<Vec<Vec<Monomial>>, Trouble> {
        let mut out = Vec::new();
        for h in divisors(self.table, m) {
            if self.position.contains_key(&h) {
                continue;
            }
            let rest = m.over(&h)?;
            // of large models only what is sure to help
            if self.pairs && !rest.is_one() && h < rest && !self.position.contains_key(&rest) {
                out.push(vec![h.clone(), rest]);
            }
            out.push(vec![h]);
        }
        Ok(out)
    }
}

/// A way to go on from a set of states.
struct Way {
    rank: (usize, u64),
    /// The states added.
    new: Vec<Monomial>,
    /// The products still too long.
    open: Vec<Monomial>,
}

/// The sum of the sizes of all exponents.
pub fn degree(m: &Monomial) -> f64 {
    m.0.iter().map(|&(_, e)| e.abs().to_f64()).sum()
}

/// The exponents between 0 and e that a divisor may have.
fn steps(table: &Symbols, s: Symbol, e: Rational) -> Vec<Rational> {
    let count = e.numerator().unsigned_abs();
    // exp(a)ᶜ needs no other power for its derivative, so broken ones are not divided
    let whole = matches!(table.kind(s), Kind::Call(Function::Exp, _)) && !e.is_integer();
    if whole || count > 12 {
        return vec![Rational::ZERO, e];
    }
    let sign = if e.is_negative() { -1 } else { 1 };
    (0..=count as i128).filter_map(|k| Rational::new(sign * k, e.denominator())).collect()
}

fn divisor_count(table: &Symbols, m: &Monomial) -> usize {
    m.0.iter().fold(1, |n: usize, &(s, e)| n.saturating_mul(steps(table, s, e).len()))
}

/// All divisors but 1.
fn divisors(table: &Symbols, m: &Monomial) -> Vec<Monomial> {
    let coarse = divisor_count(table, m) > MOST_DIVISORS;
    let mut all = vec![Monomial::default()];
    for &(s, e) in &m.0 {
        let exponents = if coarse { vec![Rational::ZERO, e] } else { steps(table, s, e) };
        if all.len() * exponents.len() > 2 * MOST_DIVISORS {
            // a product of very many factors: halves only
            all.iter_mut().for_each(|d| d.0.push((s, e)));
            continue;
        }
        let mut longer = Vec::with_capacity(all.len() * exponents.len());
        for d in &all {
            for &exponent in &exponents {
                let mut d = d.clone();
                if !exponent.is_zero() {
                    d.0.push((s, exponent));
                }
                longer.push(d);
            }
        }
        all = longer;
    }
    all.retain(|d| !d.is_one());
    all
}
