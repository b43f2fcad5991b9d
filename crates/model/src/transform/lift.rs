//! From expressions of a sorted model to polynomials in symbols, through its definitions. Innermost functions come
//! first by the order of the walk; the walk has its own stack.

use super::Trouble;
use super::polynomial::{Monomial, Polynomial};
use super::rational::Rational;
use super::symbols::{Kind, Symbols};
use crate::{Role, Sorted};
use ordinate_expr::{Expr, ExprId, Function, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Turns expressions into polynomials.
pub struct Lift<'a> {
    sorted: &'a Sorted,
    states: FxHashSet<VarId>,
    constant: FxHashMap<ExprId, bool>,
    done: FxHashMap<ExprId, Polynomial>,
}

impl<'a> Lift<'a> {
    pub fn new(sorted: &'a Sorted) -> Self {
        let states = sorted.states.iter().map(|state| state.var).collect();
        Lift { sorted, states, constant: FxHashMap::default(), done: FxHashMap::default() }
    }

    /// What a variable is equal to, unless it is a state or constant between events.
    fn definition(&self, v: VarId) -> Option<ExprId> {
        let role = self.sorted.model.variable(v).role;
        if self.states.contains(&v) || !matches!(role, Role::Unknown | Role::Input) {
            return None;
        }
        self.sorted.definitions.get(v.0 as usize).copied().flatten()
    }

    fn children(&self, table: &Symbols, id: ExprId) -> Vec<ExprId> {
        match table.graph.node(id) {
            Expr::Var(v) => self.definition(v).into_iter().collect(),
            node => node.operands().collect(),
        }
    }

    /// Finds out what is constant between events.
    fn mark(&mut self, table: &Symbols, root: ExprId) {
        let mut stack = vec![(root, false)];
        while let Some((id, ready)) = stack.pop() {
            if self.constant.contains_key(&id) {
                continue;
            }
            let children = self.children(table, id);
            if !ready {
                stack.push((id, true));
                stack.extend(children.into_iter().map(|child| (child, false)));
                continue;
            }
            let constant = match table.graph.node(id) {
                Expr::Time => false,
                Expr::Var(v) if self.states.contains(&v) => false,
                _ => children.iter().all(|child| self.constant[child]),
            };
            self.constant.insert(id, constant);
        }
    }

    /// The polynomial of an expression.
    pub fn lift(&mut self, table: &mut Symbols, root: ExprId) -> Result<Polynomial, Trouble> {
        self.mark(table, root);
        let mut stack = vec![(root, false)];
        while let Some((id, ready)) = stack.pop() {
            if self.done.contains_key(&id) {
                continue;
            }
            let parts = self.parts(table, id)?;
            if !ready {
                stack.push((id, true));
                stack.extend(parts.iter().map(|&(part, _)| (part, false)));
                continue;
            }
            let result = self.combine(table, id, &parts)?;
            self.done.insert(id, result);
        }
        Ok(self.done[&root].clone())
    }

    /// What must be lifted before a node; of a sum all its terms at once, with their factors, for a sum of many
    /// terms is a deep chain.
    fn parts(&self, table: &Symbols, id: ExprId) -> Result<Vec<(ExprId, Rational)>, Trouble> {
        let node = table.graph.node(id);
        let is_sum = |node| matches!(node, Expr::Add(..) | Expr::Sub(..) | Expr::Neg(_));
        if self.constant[&id] {
            let inner = match node {
                Expr::Neg(_) | Expr::Mul(..) | Expr::Div(..) | Expr::Var(_) => self.children(table, id),
                _ => Vec::new(),
            };
            return Ok(inner.into_iter().map(|part| (part, Rational::ONE)).collect());
        }
        if !is_sum(node) {
            let mut children = self.children(table, id);
            if let Expr::Select(..) = node {
                children.remove(0);
            }
            return Ok(children.into_iter().map(|part| (part, Rational::ONE)).collect());
        }
        // operands have smaller numbers than what they are used in, so the largest number first visits each once
        let mut open = BTreeMap::from([(id, Rational::ONE)]);
        let mut terms = Vec::new();
        let minus = Rational::integer(-1);
        while let Some((part, c)) = open.pop_last() {
            let node = table.graph.node(part);
            if !is_sum(node) || self.constant[&part] {
                terms.push((part, c));
                continue;
            }
            let signs = if matches!(node, Expr::Add(..)) { [Rational::ONE; 2] } else { [Rational::ONE, minus] };
            let signs = if matches!(node, Expr::Neg(_)) { [minus; 2] } else { signs };
            for (operand, sign) in node.operands().zip(signs) {
                let by = c.times(sign).ok_or(Trouble::TooLarge)?;
                let place = open.entry(operand).or_insert(Rational::ZERO);
                *place = place.plus(by).ok_or(Trouble::TooLarge)?;
            }
        }
        Ok(terms)
    }

    fn combine(
        &mut self,
        table: &mut Symbols,
        id: ExprId,
        parts: &[(ExprId, Rational)],
    ) -> Result<Polynomial, Trouble> {
        let get = |part: ExprId| &self.done[&part];
        let node = table.graph.node(id);
        if self.constant[&id] {
            return match node {
                Expr::Neg(a) => get(a).scaled(Rational::integer(-1)),
                Expr::Mul(a, b) => table.times(get(a), get(b)),
                Expr::Var(v) if self.definition(v).is_some() => {
                    Ok(get(self.definition(v).expect("just looked")).clone())
                }
                Expr::Div(a, b) if get(b).single().is_some() && !has_choice(table, get(b)) => {
                    let inverse = table.power(get(b), Rational::integer(-1))?;
                    table.times(get(a), &inverse)
                }
                _ => Ok(table.constant(id)),
            };
        }
        match node {
            Expr::Add(..) | Expr::Sub(..) | Expr::Neg(_) => {
                let mut sum = Polynomial::default();
                for &(part, c) in parts {
                    sum.add_scaled(get(part), c)?;
                }
                Ok(sum)
            }
            Expr::Time => Ok(Polynomial::symbol(table.symbol(Kind::Time))),
            Expr::Var(v) => match self.definition(v) {
                Some(definition) => Ok(get(definition).clone()),
                None => Ok(Polynomial::symbol(table.symbol(Kind::State(v)))),
            },
            Expr::Mul(a, b) if a == b => table.power(get(a), Rational::integer(2)),
            Expr::Mul(a, b) => table.times(get(a), get(b)),
            Expr::Div(a, b) => {
                let inverse = table.power(get(b), Rational::integer(-1))?;
                table.times(get(a), &inverse)
            }
            Expr::Pow(a, b) => self.power(table, a, b),
            Expr::Call(f, a) => table.call(f, get(a).clone()),
            Expr::Atan2(y, x) => {
                let kind = Kind::Angle(get(y).clone(), get(x).clone());
                Ok(Polynomial::symbol(table.symbol(kind)))
            }
            Expr::Select(c, a, b) if self.constant[&c] => choose(table, c, get(a), get(b)),
            Expr::Select(..)
            | Expr::Less(..)
            | Expr::LessEqual(..)
            | Expr::Equal(..)
            | Expr::Not(_)
            | Expr::And(..)
            | Expr::Or(..)
            | Expr::Lookup(..) => Err(Trouble::NotSmooth(Function::Sign)),
            Expr::Const(_) | Expr::Pi => unreachable!("constants are handled above"),
        }
    }

    fn power(&self, table: &mut Symbols, a: ExprId, b: ExprId) -> Result<Polynomial, Trouble> {
        let (base, exponent) = (self.done[&a].clone(), self.done[&b].clone());
        if !self.constant[&b] {
            return Ok(Polynomial::symbol(table.symbol(Kind::General(base, exponent))));
        }
        // a small fraction, as written or as the value of a parameter
        let written = if exponent.is_zero() { Some(Rational::ZERO) } else { None };
        let written = written.or(exponent.single().filter(|(m, _)| m.is_one()).map(|(_, c)| c));
        let fraction = written.or_else(|| {
            let twice = 2.0 * table.constant_value(b)?;
            (twice.fract() == 0.0 && twice.abs() < 64.0).then(|| Rational::new(twice as i128, 2)).flatten()
        });
        match fraction {
            Some(e) if e.denominator() <= 1000 && e.numerator().abs() <= 64 * e.denominator() => table.power(&base, e),
            _ => Ok(Polynomial::symbol(table.symbol(Kind::Power(base, b)))),
        }
    }
}

fn has_choice(table: &Symbols, p: &Polynomial) -> bool {
    p.0.keys().any(|m| m.0.iter().any(|&(s, _)| matches!(table.kind(s), Kind::Choice(..))))
}

/// if c then a else b: what both branches share needs no choice.
fn choose(table: &mut Symbols, c: ExprId, a: &Polynomial, b: &Polynomial) -> Result<Polynomial, Trouble> {
    let shared = |m: &Monomial, value: &Rational| a.coefficient(m) == *value && b.coefficient(m) == *value;
    let mut out = Polynomial::default();
    for (p, truth) in [(a, true), (b, false)] {
        let choice = Polynomial::symbol(table.symbol(Kind::Choice(c, truth)));
        for (m, value) in &p.0 {
            if shared(m, value) {
                if truth {
                    out.add_term(m.clone(), *value)?;
                }
            } else {
                let term = table.times(&choice, &Polynomial::term(m.clone(), *value))?;
                out.add_scaled(&term, Rational::ONE)?;
            }
        }
    }
    Ok(out)
}
