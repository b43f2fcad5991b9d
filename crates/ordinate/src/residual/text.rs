//! The value of an expression as it was typed: a sweep over its nodes in the tree, children before parents. Nothing of the model that
//! was made from it takes part but the values of names.
//!
//! A condition that is open within the bounds of what it compares has both outcomes, and so has what depends on it.

use super::series::Series;
use ordinate_expr::{Decimal, Function, Interval, PER_SEED};
use ordinate_syntax::{BinaryOp, Expr, Name, NodeId, NodeKind, Span, Statement, StatementKind, Tree, UnaryOp};
use rustc_hash::FxHashMap;

const TRUE: Interval = Interval::ONE;
const FALSE: Interval = Interval::ZERO;
const OPEN: Interval = Interval { low: 0.0, high: 1.0 };

/// Values of names, and of calls that have a memory.
pub(super) trait Names<const N: usize> {
    /// A variable of the model.
    fn variable(&mut self, name: Name, index: &[i64], primes: u32) -> Series<N>;

    /// A call of `delay`, `pade` or `laplace` at its place in the text, the k-th time that it is evaluated.
    fn operator(&mut self, place: Span, k: usize) -> Series<N>;
}

/// Who decides conditions.
pub(super) enum Decisions {
    /// What they compare.
    Own,
    /// The same, written down in the order of evaluation.
    Record(Vec<Interval>),
    /// What was written down, from this place on.
    Replay(Vec<Interval>, usize),
}

/// A text, ready to be evaluated.
pub(super) struct Text<'a> {
    pub tree: &'a Tree,
    /// The literals, by node.
    numbers: FxHashMap<usize, Interval>,
    definitions: FxHashMap<Name, (Vec<Name>, Expr)>,
    /// Whether there is a transfer function, in which s is no name of the model.
    has_transfer: bool,
}

impl<'a> Text<'a> {
    pub fn new(tree: &'a Tree, text: &str) -> Text<'a> {
        let mut numbers = FxHashMap::default();
        let mut has_transfer = false;
        for (k, node) in tree.nodes.iter().enumerate() {
            match node.kind {
                NodeKind::Number => {
                    let literal = &text[node.span.start as usize..node.span.end as usize];
                    let pieces = Decimal::parse(literal).unwrap_or_default();
                    let sum = pieces.iter().map(|piece| Interval::decimal(*piece)).reduce(Interval::plus);
                    numbers.insert(k, sum.unwrap_or(Interval::ALL));
                }
                NodeKind::Call { name, .. } => has_transfer |= tree.name(name) == "laplace",
                _ => {}
            }
        }
        let mut found = FxHashMap::default();
        definitions(&tree.statements, &mut found);
        Text { tree, numbers, definitions: found, has_transfer }
    }
}

/// Evaluates expressions of a text.
pub(super) struct Evaluation<'a, const N: usize> {
    text: &'a Text<'a>,
    pub names: &'a mut dyn Names<N>,
    pub t: Interval,
    /// Loop indices and arguments, innermost last.
    pub bound: Vec<(Name, Series<N>)>,
    pub decisions: Decisions,
    /// How often each operator was evaluated.
    counts: FxHashMap<Span, usize>,
    /// Nodes of function bodies that may still be evaluated: functions that call others several times multiply.
    budget: usize,
}

/// Nodes of function bodies per equation.
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

impl<'a, const N: usize> Evaluation<'a, N> {
    pub fn new(text: &'a Text<'a>, names: &'a mut dyn Names<N>, t: Interval) -> Self {
        let (bound, decisions, counts) = (Vec::new(), Decisions::Own, FxHashMap::default());
        Evaluation { text, names, t, bound, decisions, counts, budget: MOST_NODES }
    }

    /// Another equation begins.
    pub fn begin(&mut self, bound: Vec<(Name, Series<N>)>) {
        (self.bound, self.budget) = (bound, MOST_NODES);
    }

    /// Of two evaluations of the same equations the second counts operators as the first did.
    pub fn counts(&self) -> FxHashMap<Span, usize> {
        self.counts.clone()
    }

    pub fn count_from(&mut self, counts: &FxHashMap<Span, usize>) {
        self.counts.clone_from(counts);
    }

    /// A whole number, as bounds of loops and indices are.
    pub fn integer(&mut self, e: Expr) -> i64 {
        rounded(self.expression(e))
    }

    pub fn expression(&mut self, e: Expr) -> Series<N> {
        let first = e.first.0 as usize;
        let tree = self.text.tree;
        let inside = if self.text.has_transfer { tree.inside_transfer(e) } else { Vec::new() };
        let mut values: Vec<Series<N>> = Vec::with_capacity(e.root.0 as usize + 1 - first);
        for at in e.range() {
            let node = &tree.nodes[at];
            let value = |id: NodeId| values[id.0 as usize - first];
            let result = match &node.kind {
                // s of a transfer function
                _ if inside.get(at - first) == Some(&true) => Series::UNKNOWN,
                NodeKind::Number => {
                    self.text.numbers.get(&at).map_or(Series::UNKNOWN, |value| Series::constant(*value))
                }
                NodeKind::Time => Series::time(self.t),
                NodeKind::Pi => Series::constant(Interval::PI),
                NodeKind::Error => Series::UNKNOWN,
                NodeKind::Unary(UnaryOp::Neg, a) => value(*a).negated(),
                NodeKind::Unary(UnaryOp::Not, a) => Series::constant(not(value(*a).value())),
                NodeKind::Binary(op, a, b) => self.binary(*op, value(*a), value(*b)),
                NodeKind::If(c, a, b) => choose(value(*c).value(), value(*a), value(*b)),
                NodeKind::Variable { name, index, primes, .. } => {
                    let bound = self.bound.iter().rev().find(|(bound, _)| bound == name);
                    match bound {
                        Some((_, value)) => *value,
                        None if index.is_empty() => self.names.variable(*name, &[], *primes),
                        None => {
                            let index: Vec<i64> = index.iter().map(|&i| rounded(value(i))).collect();
                            self.names.variable(*name, &index, *primes)
                        }
                    }
                }
                NodeKind::Call { name, arguments, .. } => {
                    let arguments: Vec<Series<N>> = arguments.iter().map(|&a| value(a)).collect();
                    self.call(*name, &arguments, node.span)
                }
            };
            values.push(result);
        }
        values.pop().unwrap_or(Series::UNKNOWN)
    }

    fn decide(&mut self, own: Interval) -> Interval {
        match &mut self.decisions {
            Decisions::Own => own,
            Decisions::Record(list) => {
                list.push(own);
                own
            }
            Decisions::Replay(list, next) => {
                *next += 1;
                // what is left open in two evaluations is open in both
                list.get(*next - 1).map_or(own, |known| known.hull(own))
            }
        }
    }

    /// Whether a < b.
    fn less(&mut self, a: Series<N>, b: Series<N>) -> Interval {
        let d = a.minus(b).value();
        self.decide(match () {
            () if d.high < 0.0 => TRUE,
            () if d.low >= 0.0 => FALSE,
            () => OPEN,
        })
    }

    fn at_most(&mut self, a: Series<N>, b: Series<N>) -> Interval {
        let greater = self.less(b, a);
        not(greater)
    }

    fn binary(&mut self, op: BinaryOp, a: Series<N>, b: Series<N>) -> Series<N> {
        let truth = Series::constant;
        match op {
            BinaryOp::Add => a.plus(b),
            BinaryOp::Sub => a.minus(b),
            BinaryOp::Mul => a.times(b),
            BinaryOp::Div => a.over(b),
            BinaryOp::Pow => a.raised(b),
            BinaryOp::Less => truth(self.less(a, b)),
            BinaryOp::Greater => truth(self.less(b, a)),
            BinaryOp::LessEqual => truth(self.at_most(a, b)),
            BinaryOp::GreaterEqual => truth(self.at_most(b, a)),
            BinaryOp::Equal => truth(self.equal(a, b)),
            BinaryOp::NotEqual => truth(not(self.equal(a, b))),
            BinaryOp::And => truth(both(a.value(), b.value())),
            BinaryOp::Or => truth(either(a.value(), b.value())),
        }
    }

    fn equal(&mut self, a: Series<N>, b: Series<N>) -> Interval {
        let d = a.minus(b).value();
        self.decide(match () {
            () if d == Interval::ZERO => TRUE,
            () if !d.contains_zero() => FALSE,
            () => OPEN,
        })
    }

    fn call(&mut self, name: Name, a: &[Series<N>], span: Span) -> Series<N> {
        if let Some((parameters, body)) = self.text.definitions.get(&name) {
            let nodes = body.range().count();
            if self.budget < nodes {
                return Series::UNKNOWN;
            }
            self.budget -= nodes;
            let inner = parameters.iter().copied().zip(a.iter().copied()).collect();
            let outer = std::mem::replace(&mut self.bound, inner);
            let result = self.expression(*body);
            self.bound = outer;
            return result;
        }
        let zero = Series::integer(0);
        let name = self.text.tree.name(name);
        match (name, a) {
            ("pade" | "laplace" | "delay", _) => {
                let count = self.counts.entry(span).or_default();
                *count += 1;
                self.names.operator(span, *count - 1)
            }
            ("atan2", [y, x]) => y.angle(*x),
            ("pow", [a, b]) => a.raised(*b),
            ("min", [first, rest @ ..]) => rest.iter().fold(*first, |least, b| self.least(least, *b)),
            ("max", [first, rest @ ..]) => rest.iter().fold(*first, |most, b| self.greatest(most, *b)),
            ("abs", [a]) => {
                let negative = self.less(*a, zero);
                choose(negative, a.negated(), *a)
            }
            ("ramp", [a]) => self.greatest(zero, *a),
            ("step", [a]) => Series::constant(not(self.less(*a, zero))),
            ("sign", [a]) => {
                let (below, above) = (self.less(*a, zero), self.less(zero, *a));
                Series::constant(Interval { low: above.low - below.high, high: above.high - below.low })
            }
            ("pulse", [x, width]) => {
                let (before, inside) = (self.less(*x, zero), self.less(*x, *width));
                Series::constant(both(not(before), inside))
            }
            ("floor", [a]) => Series::constant(self.floor(a.value())),
            ("quantize", [x, q]) => {
                let half = Series::constant(Interval::point(0.5));
                let level = self.floor(x.over(*q).plus(half).value());
                q.times(Series::constant(level))
            }
            ("saturate", [x, limits @ ..]) if !limits.is_empty() => {
                let high = limits[limits.len() - 1];
                let low = if limits.len() > 1 { limits[0] } else { high.negated() };
                let capped = self.least(*x, high);
                self.greatest(capped, low)
            }
            ("noise", [seed, sigma, period]) => {
                let number = self.floor(Series::time(self.t).over(*period).value());
                // a sample is shared by two neighbours at most
                if !(number.is_bounded() && number.width() <= 1.0) {
                    return Series::UNKNOWN;
                }
                let drawn = |k: f64| Interval::point(Function::Noise.evaluate(PER_SEED * seed.value().low + k));
                sigma.times(Series::constant(drawn(number.low).hull(drawn(number.high))))
            }
            (_, [a]) => match Function::by_name(name) {
                Some(f) => a.call(f),
                None => Series::UNKNOWN,
            },
            _ => Series::UNKNOWN,
        }
    }

    fn floor(&mut self, a: Interval) -> Interval {
        self.decide(Interval { low: a.low.floor(), high: a.high.floor() })
    }

    fn least(&mut self, a: Series<N>, b: Series<N>) -> Series<N> {
        let first = self.less(a, b);
        choose(first, a, b)
    }

    fn greatest(&mut self, a: Series<N>, b: Series<N>) -> Series<N> {
        let first = self.less(b, a);
        choose(first, a, b)
    }
}

fn rounded<const N: usize>(value: Series<N>) -> i64 {
    value.value().middle().round() as i64
}

fn not(a: Interval) -> Interval {
    Interval { low: 1.0 - a.high, high: 1.0 - a.low }
}

fn both(a: Interval, b: Interval) -> Interval {
    Interval { low: a.low.min(b.low), high: a.high.min(b.high) }
}

fn either(a: Interval, b: Interval) -> Interval {
    Interval { low: a.low.max(b.low), high: a.high.max(b.high) }
}

fn choose<const N: usize>(condition: Interval, then: Series<N>, otherwise: Series<N>) -> Series<N> {
    match condition {
        c if c.low > 0.0 => then,
        c if c.high <= 0.0 => otherwise,
        _ => then.hull(otherwise),
    }
}
