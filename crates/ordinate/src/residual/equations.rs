//! The typed equations of a model, one for each pass of the loops around them, and what their names stand for in it: this is all that
//! the comparison shares with the way from the text to the program.

use super::code::{Code, Op, Reference, Text};
use super::machine::Machine;
use super::series::Series;
use super::values::{self, Place, Values};
use super::{Typed, as_one_line};
use crate::Compiled;
use ordinate_expr::{ExprId, Interval, VarId};
use ordinate_syntax::{Declaration, Name, Span, Statement, StatementKind};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What a name of the text stands for at a point of a run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Known {
    /// Not known.
    Nothing,
    /// A derivative of a variable, so many times.
    Variable(VarId, u32),
    /// A call with a memory.
    Expression(ExprId),
    /// One of the calls at this place of the text; which one does not show.
    Several(Span),
}

/// A statement of the text.
struct Typing {
    code: Code,
    span: Span,
    loops: Vec<Name>,
}

/// A typed equation with values of the loop indices around it.
#[derive(Clone, Copy)]
struct Equation {
    typing: u32,
    /// Where its loop indices begin.
    loops: u32,
    /// Where the meanings of its references begin, once they were looked up.
    known: Option<u32>,
}

/// All of them.
pub(super) struct Equations<'a> {
    compiled: &'a Compiled,
    typed: &'a Typed,
    pub places: Arc<[Place]>,
    typings: Arc<Vec<Typing>>,
    list: Vec<Equation>,
    loops: Arc<Vec<i64>>,
    known: Vec<Known>,
    /// Evaluates indices.
    machine: Machine<1>,
    key: (Name, Vec<i64>),
}

/// One of them, ready to be evaluated.
pub(super) struct Ready<'a> {
    pub code: &'a Code,
    pub loops: &'a [i64],
    pub known: &'a [Known],
}

impl Ready<'_> {
    /// The values of its sides.
    pub fn sides<const N: usize>(&self, machine: &mut Machine<N>, values: &mut Values<N>) -> [Series<N>; 2] {
        machine.run(&self.code.ops, self.loops, |reference| values.known(self.known[reference as usize]));
        let [left, right] = [self.code.roots[0], self.code.roots[1]];
        [machine.at(left), machine.at(right)]
    }

    /// The variables whose values, or derivatives, it is made of.
    pub fn variables(&self) -> Vec<VarId> {
        let variable = |known: &Known| match known {
            Known::Variable(var, _) => Some(*var),
            _ => None,
        };
        self.known.iter().filter_map(variable).collect()
    }

    /// Whether a side is nothing but a name.
    pub fn is_name(&self, side: usize) -> bool {
        let root = self.code.ops[self.code.roots[side] as usize];
        matches!(root, Op::Value(r) if matches!(self.code.references[r as usize], Reference::Variable { .. }))
    }
}

/// The statements of a text with equations in them, as they are nested.
enum Nested {
    Equation(u32),
    Loop { bounds: Code, body: Vec<Nested> },
}

impl<'a> Equations<'a> {
    pub fn new(compiled: &'a Compiled, typed: &'a Typed) -> Equations<'a> {
        let mut equations = Equations {
            compiled,
            typed,
            places: values::places(compiled).into(),
            typings: Arc::default(),
            list: Vec::new(),
            loops: Arc::default(),
            known: Vec::new(),
            machine: Machine::new(Interval::ALL),
            key: (Name(0), Vec::new()),
        };
        let names = (0..typed.tree.names.len() as u32).map(Name);
        let parameters = names.filter_map(|name| Some((name, equations.parameter(name)?))).collect();
        let text = Text::new(&typed.tree, &typed.text, parameters);
        let (mut typings, mut loops) = (Vec::new(), Vec::new());
        let nested = nested(&text, &typed.tree.statements, &mut Vec::new(), &mut typings);
        equations.expand(&nested, &mut Vec::new(), &mut loops);
        (equations.typings, equations.loops) = (Arc::new(typings), Arc::new(loops));
        if !typed.names.operators.is_empty() {
            equations.look_up_in_order();
        }
        equations
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// A parameter that is no array.
    fn parameter(&mut self, name: Name) -> Option<Interval> {
        match self.look_up(name, &[], 0) {
            Known::Variable(var, 0) => match self.places[var.0 as usize] {
                Place::Parameter(value) => Some(values::parameter(value)),
                _ => None,
            },
            _ => None,
        }
    }

    fn expand(&mut self, nested: &[Nested], loops: &mut Vec<i64>, all: &mut Vec<i64>) {
        for part in nested {
            match part {
                Nested::Equation(typing) => {
                    let equation = Equation { typing: *typing, loops: all.len() as u32, known: None };
                    self.list.push(equation);
                    all.extend_from_slice(loops);
                }
                Nested::Loop { bounds, body } => {
                    let mut machine = Machine::<1>::new(Interval::ALL);
                    machine.run(&bounds.ops, loops, |_| Series::UNKNOWN);
                    let [from, to] = [0, 1].map(|side| rounded(machine.at(bounds.roots[side]).value()));
                    for k in from..=to {
                        loops.push(k);
                        self.expand(body, loops, all);
                        loops.pop();
                    }
                }
            }
        }
    }

    /// Whether operators with several meanings are evaluated in the order in which these were made shows from their number.
    fn look_up_in_order(&mut self) {
        let mut counts: FxHashMap<Span, usize> = FxHashMap::default();
        for equation in &self.list {
            for reference in &self.typings[equation.typing as usize].code.references {
                if let Reference::Operator(place) = reference {
                    *counts.entry(*place).or_default() += 1;
                }
            }
        }
        let operators = &self.typed.names.operators;
        let in_order = |place: &Span| operators.get(place).is_some_and(|known| counts.get(place) == Some(&known.len()));
        let mut next: FxHashMap<Span, usize> = FxHashMap::default();
        for k in 0..self.list.len() {
            let first = self.known_of(k).0 as usize;
            let references = &self.typings[self.list[k].typing as usize].code.references;
            for (known, reference) in self.known[first..].iter_mut().zip(references) {
                let Reference::Operator(place) = reference else { continue };
                let next = next.entry(*place).or_default();
                *known = match operators.get(place).map(Vec::as_slice) {
                    Some([only]) => Known::Expression(*only),
                    Some(several) if in_order(place) => Known::Expression(several[*next]),
                    Some(_) => Known::Several(*place),
                    None => Known::Nothing,
                };
                *next += 1;
            }
        }
    }

    /// Where what the references of an equation stand for is found, and how many they are.
    fn known_of(&mut self, k: usize) -> (u32, usize) {
        let Equation { typing, loops, known } = self.list[k];
        let references = self.typings[typing as usize].code.references.len();
        if let Some(first) = known {
            return (first, references);
        }
        let first = self.known.len() as u32;
        for r in 0..references {
            let known = self.meaning(typing as usize, loops as usize, r);
            self.known.push(known);
        }
        self.list[k].known = Some(first);
        (first, references)
    }

    fn meaning(&mut self, typing: usize, loops: usize, reference: usize) -> Known {
        let (typings, all) = (self.typings.clone(), self.loops.clone());
        let Typing { code, loops: names, .. } = &typings[typing];
        let Reference::Variable { name, index, primes } = &code.references[reference] else { return Known::Nothing };
        let Some(last) = index.iter().max() else { return self.look_up(*name, &[], *primes) };
        let mut machine = std::mem::replace(&mut self.machine, Machine::new(Interval::ALL));
        // (what an index needs comes before it)
        machine.run(&code.indices[..=*last as usize], &all[loops..loops + names.len()], |r| {
            match self.meaning(typing, loops, r as usize) {
                Known::Variable(var, 0) => match self.places[var.0 as usize] {
                    Place::Parameter(value) => Series::constant(Interval::point(value)),
                    _ => Series::UNKNOWN,
                },
                _ => Series::UNKNOWN,
            }
        });
        let mut key = std::mem::take(&mut self.key.1);
        key.clear();
        key.extend(index.iter().map(|&place| rounded(machine.at(place).value())));
        (self.machine, self.key) = (machine, (*name, key));
        self.found(*primes)
    }

    fn look_up(&mut self, name: Name, index: &[i64], primes: u32) -> Known {
        self.key.0 = name;
        self.key.1.clear();
        self.key.1.extend_from_slice(index);
        self.found(primes)
    }

    /// What the key stands for.
    fn found(&self, primes: u32) -> Known {
        let Some(&quantity) = self.typed.names.quantities.get(&self.key) else { return Known::Nothing };
        match values::anchor(self.compiled, &self.places, quantity, primes) {
            Some((var, times)) => Known::Variable(var, times),
            None => Known::Nothing,
        }
    }

    /// An equation and what its references stand for.
    pub fn ready(&mut self, k: usize) -> Ready<'_> {
        let (first, references) = self.known_of(k);
        let Equation { typing, loops, .. } = self.list[k];
        let Typing { code, loops: names, .. } = &self.typings[typing as usize];
        let (loops, first) = (loops as usize, first as usize);
        Ready { code, loops: &self.loops[loops..loops + names.len()], known: &self.known[first..first + references] }
    }

    /// Its place in the text.
    pub fn span(&self, k: usize) -> Span {
        self.typings[self.list[k].typing as usize].span
    }

    /// Its text and the values of its loop indices.
    pub fn as_typed(&self, k: usize) -> String {
        let Equation { typing, loops, .. } = self.list[k];
        let Typing { span, loops: names, .. } = &self.typings[typing as usize];
        let typed = as_one_line(&self.typed.text[span.start as usize..span.end as usize]);
        let bound = names.iter().zip(&self.loops[loops as usize..]);
        let indices: Vec<String> = bound.map(|(name, k)| format!("{} = {k}", self.typed.tree.name(*name))).collect();
        if indices.is_empty() { typed } else { format!("{typed} ({})", indices.join(", ")) }
    }

    /// The derivatives in the text that are neither states nor their rates, counted from what is.
    pub fn needed_order(&self) -> u32 {
        let mut most: FxHashMap<Name, u32> = FxHashMap::default();
        let references = self.typings.iter().flat_map(|typing| &typing.code.references);
        for reference in references {
            if let Reference::Variable { name, primes, .. } = reference
                && *primes > 0
            {
                let known = most.entry(*name).or_default();
                *known = (*primes).max(*known);
            }
        }
        if most.is_empty() {
            return 0;
        }
        let needs = |((name, _), quantity): (&(Name, Vec<i64>), &usize)| {
            let primes = most.get(name)?;
            (1..=*primes).filter_map(|p| Some(values::anchor(self.compiled, &self.places, *quantity, p)?.1)).max()
        };
        self.typed.names.quantities.iter().filter_map(needs).max().unwrap_or(0)
    }
}

/// Compiles the equations and declarations of statements.
fn nested(text: &Text, statements: &[Statement], loops: &mut Vec<Name>, typings: &mut Vec<Typing>) -> Vec<Nested> {
    let mut found = Vec::new();
    for statement in statements {
        let mut add = |code: Code| {
            typings.push(Typing { code, span: statement.span, loops: loops.clone() });
            found.push(Nested::Equation((typings.len() - 1) as u32));
        };
        match &statement.kind {
            StatementKind::Equation { left, right, .. } => add(text.equation(*left, *right, loops)),
            StatementKind::Output(list) => {
                for Declaration { target, value, .. } in list {
                    if let Some(value) = value {
                        add(text.declaration(target, *value, loops));
                    }
                }
            }
            StatementKind::For { index, from, to, body, .. } => {
                let bounds = text.bounds(*from, *to, loops);
                loops.push(*index);
                let body = nested(text, body, loops, typings);
                loops.pop();
                found.push(Nested::Loop { bounds, body });
            }
            _ => {}
        }
    }
    found
}

fn rounded(value: Interval) -> i64 {
    value.middle().round() as i64
}
