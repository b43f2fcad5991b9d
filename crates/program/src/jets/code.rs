//! Series code: what is left of a right-hand side when all that is constant within a step is known.
//!
//! A *node* is a series. The nodes are t, the states, and one or two per instruction. All functions of the language are
//! made of eight recurrences, for most functions satisfy y′ = w a′ or w y′ = a′ with a w that is easy to find:
//!
//! ```text
//!   exp   y′ = y a′          sin   s′ = c a′        tan   y′ = (1 + y²) a′      asin   √(1 − a²) y′ = a′
//!   log   a y′ = a′          cos   c′ = −s a′       tanh  y′ = (1 − y²) a′      atan   (1 + a²) y′ = a′     …
//! ```
//!
//! What is linear costs nothing where it is an operand: operands are `factor · node + constant`. The numbers in a code are
//! of the type `N`: one each, or one per lane where several models of the same structure are computed side by side.

use ordinate_expr::Function;
use ordinate_numbers::Arithmetic;

/// A linear function of one series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operand<N = f64> {
    /// The series.
    pub node: u32,
    /// Its factor.
    pub factor: N,
    /// Added to its value, thus to its coefficient 0 only.
    pub constant: N,
}

impl<N: Arithmetic> Operand<N> {
    /// The node itself.
    pub fn plain(node: u32) -> Operand<N> {
        Operand { node, factor: N::splat(1.0), constant: N::splat(0.0) }
    }
}

impl<N> Operand<N> {
    /// Its value where the series has the value `a0`.
    #[inline(always)]
    pub fn value<V: Arithmetic<Stored = N>>(&self, a0: V) -> V {
        V::load(&self.factor) * a0 + V::load(&self.constant)
    }
}

/// scale · (constant + Σ cᵢ · nodeᵢ), the terms being a range of [`JetCode::terms`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sum<N = f64> {
    /// Factor of everything; kept apart so that 10 (y − x) is exactly zero where y = x.
    pub scale: N,
    /// Added to the value.
    pub constant: N,
    /// First term.
    pub from: u32,
    /// Behind the last term.
    pub to: u32,
}

/// How a series begins: its value from those of its operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// f(a)
    Call(Function),
    /// aᵇ of two operands
    Power,
    /// angle of (b, a)
    Atan2,
}

/// One recurrence. The nodes of an instruction follow each other, beginning with `out`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JetOp<N = f64> {
    /// A sum that is an operand elsewhere.
    Sum(Sum<N>),
    /// a · b
    Mul(Operand<N>, Operand<N>),
    /// a²
    Square(Operand<N>),
    /// a / b
    Div(Operand<N>, Operand<N>),
    /// numerator / b with a constant numerator
    Reciprocal(N, Operand<N>),
    /// √a
    Sqrt(Operand<N>),
    /// aʳ for a constant r that is not a small whole number; the second node is [`JetOp::Weigh`] of a's node. The value
    /// at the point is that of `Cbrt` for the cube root, whose argument may be negative.
    Power {
        /// Base.
        a: Operand<N>,
        /// The node k·aₖ.
        weighted: u32,
        /// Exponent.
        r: N,
        /// Whether it is the cube root.
        cube_root: bool,
    },
    /// t a′, that is k·aₖ
    Weigh(Operand<N>),
    /// y with y′ = factor · w a′
    Antiproduct {
        /// The node t a′ of [`JetOp::Weigh`].
        weighted: u32,
        /// w; may be a node computed later.
        w: Operand<N>,
        /// Factor.
        factor: N,
        /// How it begins.
        value: Value,
        /// The operands of the value.
        of: [Operand<N>; 2],
    },
    /// t y′ and y with w y′ = a′
    Antiquotient {
        /// The node t a′.
        weighted: u32,
        /// w
        w: Operand<N>,
        /// How it begins.
        value: Value,
        /// The operands of the value.
        of: [Operand<N>; 2],
    },
}

/// An instruction of series code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JetInstruction<N = f64> {
    /// What it does.
    pub op: JetOp<N>,
    /// Its first node.
    pub out: u32,
}

impl<N> JetOp<N> {
    /// Visits the nodes whose coefficients of the same order it needs.
    pub fn needs(&self, terms: &[(u32, N)], mut visit: impl FnMut(u32)) {
        match self {
            JetOp::Sum(sum) => terms[sum.from as usize..sum.to as usize].iter().for_each(|(node, _)| visit(*node)),
            JetOp::Mul(a, b) | JetOp::Div(a, b) => [a, b].into_iter().for_each(|operand| visit(operand.node)),
            JetOp::Square(a) | JetOp::Reciprocal(_, a) | JetOp::Sqrt(a) | JetOp::Weigh(a) => visit(a.node),
            JetOp::Power { a, weighted, .. } => [a.node, *weighted].into_iter().for_each(visit),
            JetOp::Antiproduct { weighted, of, .. } | JetOp::Antiquotient { weighted, of, .. } => {
                [*weighted, of[0].node, of[1].node].into_iter().for_each(visit);
            }
        }
    }

    /// Visits all nodes it mentions, so that they can be numbered anew.
    pub(super) fn nodes_mut(&mut self, mut visit: impl FnMut(&mut u32)) {
        match self {
            JetOp::Sum(_) => {}
            JetOp::Mul(a, b) | JetOp::Div(a, b) => [a, b].into_iter().for_each(|a| visit(&mut a.node)),
            JetOp::Square(a) | JetOp::Reciprocal(_, a) | JetOp::Sqrt(a) | JetOp::Weigh(a) => visit(&mut a.node),
            JetOp::Power { a, weighted, .. } => [&mut a.node, weighted].into_iter().for_each(visit),
            JetOp::Antiproduct { weighted, w, of: [a, b], .. }
            | JetOp::Antiquotient { weighted, w, of: [a, b], .. } => {
                [weighted, &mut w.node, &mut a.node, &mut b.node].into_iter().for_each(visit);
            }
        }
    }

    /// A number for each kind, by which like instructions are put together.
    pub fn rank(&self) -> u32 {
        match self {
            JetOp::Sum(_) => 0,
            JetOp::Weigh(_) => 1,
            JetOp::Mul(..) => 2,
            JetOp::Div(..) => 3,
            JetOp::Reciprocal(..) => 4,
            JetOp::Square(_) => 5,
            JetOp::Sqrt(_) => 6,
            JetOp::Power { .. } => 7,
            JetOp::Antiproduct { .. } => 8,
            JetOp::Antiquotient { .. } => 9,
        }
    }

    /// Number of nodes it makes.
    pub fn nodes(&self) -> u32 {
        match self {
            JetOp::Antiquotient { .. } => 2,
            JetOp::Sum(_)
            | JetOp::Mul(..)
            | JetOp::Square(_)
            | JetOp::Div(..)
            | JetOp::Reciprocal(..)
            | JetOp::Sqrt(_)
            | JetOp::Power { .. }
            | JetOp::Weigh(_)
            | JetOp::Antiproduct { .. } => 1,
        }
    }
}

/// Series code for given discrete values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JetCode<N = f64> {
    /// Number of states; their nodes follow that of t, which is 0.
    pub states: usize,
    /// Number of series that are given from outside, delayed values; their nodes follow the states.
    pub given: usize,
    /// Number of nodes.
    pub nodes: usize,
    /// In an order in which values can be computed; series need only lower orders of later nodes.
    pub instructions: Vec<JetInstruction<N>>,
    /// Terms of all sums: node and coefficient.
    pub terms: Vec<(u32, N)>,
    /// The derivatives of the states.
    pub results: Vec<Sum<N>>,
}

impl<N: Copy> Operand<N> {
    fn map<M>(&self, f: &mut impl FnMut(N) -> M) -> Operand<M> {
        Operand { node: self.node, factor: f(self.factor), constant: f(self.constant) }
    }
}

impl<N: Copy> Sum<N> {
    fn map<M>(&self, f: &mut impl FnMut(N) -> M) -> Sum<M> {
        Sum { scale: f(self.scale), constant: f(self.constant), from: self.from, to: self.to }
    }
}

impl<N: Copy> JetOp<N> {
    fn map<M>(&self, f: &mut impl FnMut(N) -> M) -> JetOp<M> {
        match self {
            JetOp::Sum(sum) => JetOp::Sum(sum.map(f)),
            JetOp::Mul(a, b) => JetOp::Mul(a.map(f), b.map(f)),
            JetOp::Square(a) => JetOp::Square(a.map(f)),
            JetOp::Div(a, b) => JetOp::Div(a.map(f), b.map(f)),
            JetOp::Reciprocal(numerator, b) => JetOp::Reciprocal(f(*numerator), b.map(f)),
            JetOp::Sqrt(a) => JetOp::Sqrt(a.map(f)),
            JetOp::Power { a, weighted, r, cube_root } => {
                JetOp::Power { a: a.map(f), weighted: *weighted, r: f(*r), cube_root: *cube_root }
            }
            JetOp::Weigh(a) => JetOp::Weigh(a.map(f)),
            JetOp::Antiproduct { weighted, w, factor, value, of: [a, b] } => JetOp::Antiproduct {
                weighted: *weighted,
                w: w.map(f),
                factor: f(*factor),
                value: *value,
                of: [a.map(f), b.map(f)],
            },
            JetOp::Antiquotient { weighted, w, value, of: [a, b] } => {
                JetOp::Antiquotient { weighted: *weighted, w: w.map(f), value: *value, of: [a.map(f), b.map(f)] }
            }
        }
    }
}

impl<N> JetCode<N> {
    /// No code at all.
    pub(super) fn empty() -> JetCode<N> {
        let (instructions, terms, results) = (Vec::new(), Vec::new(), Vec::new());
        JetCode { states: 0, given: 0, nodes: 0, instructions, terms, results }
    }
}

impl<N: Copy> JetCode<N> {
    /// The same code with other numbers; they are visited in an order that depends on the structure alone.
    pub fn map<M>(&self, mut f: impl FnMut(N) -> M) -> JetCode<M> {
        let f = &mut f;
        JetCode {
            states: self.states,
            given: self.given,
            nodes: self.nodes,
            instructions: self.instructions.iter().map(|i| JetInstruction { op: i.op.map(f), out: i.out }).collect(),
            terms: self.terms.iter().map(|&(node, c)| (node, f(c))).collect(),
            results: self.results.iter().map(|sum| sum.map(f)).collect(),
        }
    }

    /// Makes sure that all nodes and terms exist, for evaluators that do not look.
    pub(super) fn check(&self) {
        let node = |node: u32| assert!((node as usize) < self.nodes, "node {node} of {}", self.nodes);
        let sum = |sum: &Sum<N>| {
            assert!(sum.from <= sum.to && sum.to as usize <= self.terms.len(), "terms {} to {}", sum.from, sum.to);
        };
        for i in &self.instructions {
            node(i.out + i.op.nodes() - 1);
            i.op.needs(&self.terms, node);
            match &i.op {
                JetOp::Sum(own) => sum(own),
                JetOp::Antiproduct { w, .. } | JetOp::Antiquotient { w, .. } => node(w.node),
                JetOp::Mul(..)
                | JetOp::Square(_)
                | JetOp::Div(..)
                | JetOp::Reciprocal(..)
                | JetOp::Sqrt(_)
                | JetOp::Power { .. }
                | JetOp::Weigh(_) => {}
            }
        }
        self.terms.iter().for_each(|(of, _)| node(*of));
        self.results.iter().for_each(sum);
        assert!(self.results.len() == self.states && self.states < self.nodes, "one derivative per state");
    }

    /// What is left without the numbers: codes of the same structure can be computed side by side.
    pub fn structure(&self) -> JetCode<()> {
        self.map(|_| ())
    }
}
