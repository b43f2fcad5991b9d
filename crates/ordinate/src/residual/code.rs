//! Typed equations as flat lists of operations, in the order of the tree: the work of reading names, literals and calls is done once
//! for a statement, whatever the number of its loop indices and of the points at which it is compared. Nothing is simplified but what
//! is made of literals and parameters alone.

use super::machine::Machine;
use ordinate_expr::{Decimal, Function, Interval};
use ordinate_syntax::{BinaryOp, Expr, Name, NodeKind, Span, Statement, StatementKind, Target, Tree, UnaryOp};
use rustc_hash::FxHashMap;

/// An operation on results before it, by their places in the list.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    /// Nothing is known.
    Unknown,
    Constant(Interval),
    Time,
    /// A loop index, counted from the outermost loop.
    Index(u32),
    /// One of the references.
    Value(u32),
    Negated(u32),
    Not(u32),
    Binary(BinaryOp, u32, u32),
    If(u32, u32, u32),
    Call(Function, u32),
    Angle(u32, u32),
    Least(u32, u32),
    Greatest(u32, u32),
    Abs(u32),
    Step(u32),
    Sign(u32),
    Pulse(u32, u32),
    Floor(u32),
    Quantize(u32, u32),
    Noise(u32, u32, u32),
}

impl Op {
    /// The operations that it needs; the first of them, and how many they are.
    fn operands(self) -> ([u32; 3], usize) {
        match self {
            Op::Unknown | Op::Constant(_) | Op::Time | Op::Index(_) | Op::Value(_) => ([0; 3], 0),
            Op::Negated(a) | Op::Not(a) | Op::Call(_, a) | Op::Abs(a) | Op::Step(a) | Op::Sign(a) | Op::Floor(a) => {
                ([a, 0, 0], 1)
            }
            Op::Binary(_, a, b)
            | Op::Angle(a, b)
            | Op::Least(a, b)
            | Op::Greatest(a, b)
            | Op::Pulse(a, b)
            | Op::Quantize(a, b) => ([a, b, 0], 2),
            Op::If(a, b, c) | Op::Noise(a, b, c) => ([a, b, c], 3),
        }
    }

    /// The same with operands elsewhere.
    pub(super) fn moved(self, mut to: impl FnMut(u32) -> u32) -> Op {
        match self {
            Op::Unknown | Op::Constant(_) | Op::Time | Op::Index(_) | Op::Value(_) => self,
            Op::Negated(a) => Op::Negated(to(a)),
            Op::Not(a) => Op::Not(to(a)),
            Op::Binary(op, a, b) => Op::Binary(op, to(a), to(b)),
            Op::If(a, b, c) => Op::If(to(a), to(b), to(c)),
            Op::Call(f, a) => Op::Call(f, to(a)),
            Op::Angle(a, b) => Op::Angle(to(a), to(b)),
            Op::Least(a, b) => Op::Least(to(a), to(b)),
            Op::Greatest(a, b) => Op::Greatest(to(a), to(b)),
            Op::Abs(a) => Op::Abs(to(a)),
            Op::Step(a) => Op::Step(to(a)),
            Op::Sign(a) => Op::Sign(to(a)),
            Op::Pulse(a, b) => Op::Pulse(to(a), to(b)),
            Op::Floor(a) => Op::Floor(to(a)),
            Op::Quantize(a, b) => Op::Quantize(to(a), to(b)),
            Op::Noise(a, b, c) => Op::Noise(to(a), to(b), to(c)),
        }
    }

    fn needs(self) -> impl Iterator<Item = u32> {
        let (operands, n) = self.operands();
        operands.into_iter().take(n)
    }
}

/// What a name stands for that has a value along the run.
#[derive(Clone, Debug)]
pub(super) enum Reference {
    /// A variable; its indices are operations among [`Code::indices`].
    Variable { name: Name, index: Vec<u32>, primes: u32 },
    /// A call of `delay`, `pade` or `laplace` at this place in the text.
    Operator(Span),
}

/// Operations whose last results are the sides of an equation, or one expression.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    pub ops: Vec<Op>,
    /// The results that were asked for.
    pub roots: Vec<u32>,
    pub references: Vec<Reference>,
    /// The operations that indices of references are made of.
    pub indices: Vec<Op>,
}

/// A text, ready to be compiled.
pub(super) struct Text<'a> {
    pub tree: &'a Tree,
    text: &'a str,
    definitions: FxHashMap<Name, (Vec<Name>, Expr)>,
    functions: FxHashMap<Name, Function>,
    /// Parameters that are no arrays.
    parameters: FxHashMap<Name, Interval>,
    /// Whether there is a transfer function, in which s is no name of the model.
    has_transfer: bool,
}

/// Nodes of function bodies per equation: functions that call others several times multiply.
const MOST_NODES: usize = 100_000;

/// The functions of the text.
fn definitions(statements: &[Statement], found: &mut FxHashMap<Name, (Vec<Name>, Expr)>) {
    for statement in statements {
        match &statement.kind {
            StatementKind::Def { name, parameters, body, .. } => {
                found.insert(*name, (parameters.iter().map(|(name, _)| *name).collect(), *body));
            }
            StatementKind::For { body, .. } => definitions(body, found),
            _ => {}
        }
    }
}

impl<'a> Text<'a> {
    pub fn new(tree: &'a Tree, text: &'a str, parameters: FxHashMap<Name, Interval>) -> Text<'a> {
        let mut found = FxHashMap::default();
        definitions(&tree.statements, &mut found);
        let names = (0..tree.names.len() as u32).map(Name);
        let functions = names.filter_map(|name| Some((name, Function::by_name(tree.name(name))?))).collect();
        let has_transfer = tree.names.iter().any(|name| name == "laplace");
        Text { tree, text, definitions: found, functions, parameters, has_transfer }
    }

    /// The sides of an equation inside of loops with these indices.
    pub fn equation(&self, left: Expr, right: Expr, loops: &[Name]) -> Code {
        let mut compiler = Compiler::new(self);
        let scope = compiler.loops(loops);
        let roots = vec![compiler.expression(left, &scope), compiler.expression(right, &scope)];
        compiler.finished(roots)
    }

    /// A declared name and its value.
    pub fn declaration(&self, target: &Target, value: Expr, loops: &[Name]) -> Code {
        let mut compiler = Compiler::new(self);
        let scope = compiler.loops(loops);
        let index = target.index.iter().map(|e| compiler.expression(*e, &scope)).collect();
        let left = compiler.reference(Reference::Variable { name: target.name, index, primes: 0 });
        let roots = vec![left, compiler.expression(value, &scope)];
        compiler.finished(roots)
    }

    /// Bounds of a loop inside of others.
    pub fn bounds(&self, from: Expr, to: Expr, loops: &[Name]) -> Code {
        self.equation(from, to, loops)
    }

    fn literal(&self, span: Span) -> Interval {
        let pieces = Decimal::parse(&self.text[span.start as usize..span.end as usize]).unwrap_or_default();
        pieces.iter().map(|piece| Interval::decimal(*piece)).reduce(Interval::plus).unwrap_or(Interval::ALL)
    }
}

/// Results by name, innermost last.
type Scope = Vec<(Name, u32)>;

struct Compiler<'a> {
    text: &'a Text<'a>,
    ops: Vec<Op>,
    references: Vec<Reference>,
    /// Nodes of function bodies that may still be compiled.
    budget: usize,
}

impl<'a> Compiler<'a> {
    fn new(text: &'a Text<'a>) -> Compiler<'a> {
        Compiler { text, ops: Vec::new(), references: Vec::new(), budget: MOST_NODES }
    }

    /// Appends an operation; what is made of constants is one.
    fn push(&mut self, op: Op) -> u32 {
        let is_constant = |at: u32| matches!(self.ops[at as usize], Op::Constant(_));
        let op = match op.operands() {
            (_, 0) => op,
            (operands, n) if operands[..n].iter().all(|&at| is_constant(at)) => {
                let value = |at: u32| match self.ops[at as usize] {
                    Op::Constant(value) => value,
                    _ => unreachable!("it is constant"),
                };
                Op::Constant(Machine::of_constants(op, value))
            }
            _ => op,
        };
        self.ops.push(op);
        (self.ops.len() - 1) as u32
    }

    fn loops(&mut self, loops: &[Name]) -> Scope {
        loops.iter().enumerate().map(|(k, name)| (*name, self.push(Op::Index(k as u32)))).collect()
    }

    fn reference(&mut self, reference: Reference) -> u32 {
        self.references.push(reference);
        self.push(Op::Value((self.references.len() - 1) as u32))
    }

    fn expression(&mut self, e: Expr, scope: &Scope) -> u32 {
        let (first, tree) = (e.first.0 as usize, self.text.tree);
        let inside = if self.text.has_transfer { tree.inside_transfer(e) } else { Vec::new() };
        let mut results: Vec<u32> = Vec::with_capacity(e.root.0 as usize + 1 - first);
        for at in e.range() {
            let node = &tree.nodes[at];
            let of = |id: ordinate_syntax::NodeId| results[id.0 as usize - first];
            let result = match &node.kind {
                // s of a transfer function
                _ if inside.get(at - first) == Some(&true) => self.push(Op::Unknown),
                NodeKind::Number => self.push(Op::Constant(self.text.literal(node.span))),
                NodeKind::Time => self.push(Op::Time),
                NodeKind::Pi => self.push(Op::Constant(Interval::PI)),
                NodeKind::Error => self.push(Op::Unknown),
                NodeKind::Unary(UnaryOp::Neg, a) => self.push(Op::Negated(of(*a))),
                NodeKind::Unary(UnaryOp::Not, a) => self.push(Op::Not(of(*a))),
                NodeKind::Binary(op, a, b) => self.push(Op::Binary(*op, of(*a), of(*b))),
                NodeKind::If(c, a, b) => self.push(Op::If(of(*c), of(*a), of(*b))),
                NodeKind::Variable { name, index, primes, .. } => {
                    let index: Vec<u32> = index.iter().map(|&i| of(i)).collect();
                    self.variable(*name, index, *primes, scope)
                }
                NodeKind::Call { name, arguments, .. } => {
                    let arguments: Vec<u32> = arguments.iter().map(|&a| of(a)).collect();
                    self.call(*name, &arguments, node.span)
                }
            };
            results.push(result);
        }
        results.pop().unwrap_or_else(|| self.push(Op::Unknown))
    }

    fn variable(&mut self, name: Name, index: Vec<u32>, primes: u32, scope: &Scope) -> u32 {
        if let Some((_, bound)) = scope.iter().rev().find(|(bound, _)| *bound == name) {
            return *bound;
        }
        match self.text.parameters.get(&name) {
            Some(value) if index.is_empty() && primes == 0 => self.push(Op::Constant(*value)),
            _ => self.reference(Reference::Variable { name, index, primes }),
        }
    }

    fn call(&mut self, name: Name, a: &[u32], span: Span) -> u32 {
        if let Some((parameters, body)) = self.text.definitions.get(&name) {
            let nodes = body.range().count();
            if self.budget < nodes {
                return self.push(Op::Unknown);
            }
            self.budget -= nodes;
            let scope = parameters.iter().copied().zip(a.iter().copied()).collect();
            return self.expression(*body, &scope);
        }
        match (self.text.tree.name(name), a) {
            ("pade" | "laplace" | "delay", _) => self.reference(Reference::Operator(span)),
            ("atan2", [y, x]) => self.push(Op::Angle(*y, *x)),
            ("pow", [a, b]) => self.push(Op::Binary(BinaryOp::Pow, *a, *b)),
            ("min", [first, rest @ ..]) => rest.iter().fold(*first, |least, b| self.push(Op::Least(least, *b))),
            ("max", [first, rest @ ..]) => rest.iter().fold(*first, |most, b| self.push(Op::Greatest(most, *b))),
            ("abs", [a]) => self.push(Op::Abs(*a)),
            ("ramp", [a]) => {
                let zero = self.push(Op::Constant(Interval::ZERO));
                self.push(Op::Greatest(zero, *a))
            }
            ("step", [a]) => self.push(Op::Step(*a)),
            ("sign", [a]) => self.push(Op::Sign(*a)),
            ("pulse", [x, width]) => self.push(Op::Pulse(*x, *width)),
            ("floor", [a]) => self.push(Op::Floor(*a)),
            ("quantize", [x, q]) => self.push(Op::Quantize(*x, *q)),
            ("saturate", [x, limits @ ..]) if !limits.is_empty() => {
                let high = limits[limits.len() - 1];
                let low = if limits.len() > 1 { limits[0] } else { self.push(Op::Negated(high)) };
                let capped = self.push(Op::Least(*x, high));
                self.push(Op::Greatest(capped, low))
            }
            ("noise", [seed, sigma, period]) => {
                let noise = Op::Noise(*seed, *sigma, *period);
                // it depends on the time, whatever its arguments are
                self.ops.push(noise);
                (self.ops.len() - 1) as u32
            }
            (_, [a]) => match self.text.functions.get(&name) {
                Some(f) => self.push(Op::Call(*f, *a)),
                None => self.push(Op::Unknown),
            },
            _ => self.push(Op::Unknown),
        }
    }

    /// What the results need, in two lists: the values, and the indices of references.
    fn finished(self, roots: Vec<u32>) -> Code {
        let mut code = Code { references: self.references, ..Code::default() };
        let mut places = needed(&self.ops, roots.iter().copied());
        code.ops = extracted(&self.ops, &mut places);
        code.roots = roots.iter().map(|&root| places[root as usize]).collect();
        let indices: Vec<u32> = code.references.iter().flat_map(|reference| reference.index().to_vec()).collect();
        if !indices.is_empty() {
            let mut places = needed(&self.ops, indices.into_iter());
            code.indices = extracted(&self.ops, &mut places);
            for reference in &mut code.references {
                if let Reference::Variable { index, .. } = reference {
                    index.iter_mut().for_each(|at| *at = places[*at as usize]);
                }
            }
        }
        code
    }
}

impl Reference {
    /// The operations of its indices.
    pub fn index(&self) -> &[u32] {
        match self {
            Reference::Variable { index, .. } => index,
            Reference::Operator(_) => &[],
        }
    }
}

const ABSENT: u32 = u32::MAX;

/// Marks what some results need by a place that is not [`ABSENT`].
fn needed(ops: &[Op], roots: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut marks = vec![ABSENT; ops.len()];
    roots.for_each(|root| marks[root as usize] = 0);
    for at in (0..ops.len()).rev() {
        if marks[at] != ABSENT {
            ops[at].needs().for_each(|operand| marks[operand as usize] = 0);
        }
    }
    marks
}

/// The marked operations; the marks become their places.
fn extracted(ops: &[Op], marks: &mut [u32]) -> Vec<Op> {
    let mut list = Vec::new();
    for (at, op) in ops.iter().enumerate() {
        if marks[at] != ABSENT {
            marks[at] = list.len() as u32;
            list.push(op.moved(|operand| marks[operand as usize]));
        }
    }
    list
}
