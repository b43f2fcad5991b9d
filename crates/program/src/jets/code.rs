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
//! What is linear costs nothing where it is an operand: operands are `factor · node + constant`.

use ordinate_expr::Function;

/// A linear function of one series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operand {
    /// The series.
    pub node: u32,
    /// Its factor.
    pub factor: f64,
    /// Added to its value, thus to its coefficient 0 only.
    pub constant: f64,
}

impl Operand {
    /// The node itself.
    pub fn plain(node: u32) -> Operand {
        Operand { node, factor: 1.0, constant: 0.0 }
    }

    /// Its value where the series has the value `a0`.
    #[inline(always)]
    pub fn value(&self, a0: f64) -> f64 {
        self.factor * a0 + self.constant
    }
}

/// scale · (constant + Σ cᵢ · nodeᵢ), the terms being a range of [`JetCode::terms`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sum {
    /// Factor of everything; kept apart so that 10 (y − x) is exactly zero where y = x.
    pub scale: f64,
    /// Added to the value.
    pub constant: f64,
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
pub enum JetOp {
    /// A sum that is an operand elsewhere.
    Sum(Sum),
    /// a · b
    Mul(Operand, Operand),
    /// a²
    Square(Operand),
    /// a / b
    Div(Operand, Operand),
    /// numerator / b with a constant numerator
    Reciprocal(f64, Operand),
    /// √a
    Sqrt(Operand),
    /// aʳ for a constant r that is not a small whole number; the second node is [`JetOp::Weigh`] of a's node. The value
    /// at the point is that of `Cbrt` for the cube root, whose argument may be negative.
    Power {
        /// Base.
        a: Operand,
        /// The node k·aₖ.
        weighted: u32,
        /// Exponent.
        r: f64,
        /// Whether it is the cube root.
        cube_root: bool,
    },
    /// t a′, that is k·aₖ
    Weigh(Operand),
    /// y with y′ = factor · w a′
    Antiproduct {
        /// The node t a′ of [`JetOp::Weigh`].
        weighted: u32,
        /// w; may be a node computed later.
        w: Operand,
        /// Factor.
        factor: f64,
        /// How it begins.
        value: Value,
        /// The operands of the value.
        of: [Operand; 2],
    },
    /// t y′ and y with w y′ = a′
    Antiquotient {
        /// The node t a′.
        weighted: u32,
        /// w
        w: Operand,
        /// How it begins.
        value: Value,
        /// The operands of the value.
        of: [Operand; 2],
    },
}

/// An instruction of series code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JetInstruction {
    /// What it does.
    pub op: JetOp,
    /// Its first node.
    pub out: u32,
}

impl JetOp {
    /// Visits the nodes whose coefficients of the same order it needs.
    pub fn needs(&self, terms: &[(u32, f64)], mut visit: impl FnMut(u32)) {
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
pub struct JetCode {
    /// Number of states; their nodes follow that of t, which is 0.
    pub states: usize,
    /// Number of nodes.
    pub nodes: usize,
    /// In an order in which values can be computed; series need only lower orders of later nodes.
    pub instructions: Vec<JetInstruction>,
    /// Terms of all sums: node and coefficient.
    pub terms: Vec<(u32, f64)>,
    /// The derivatives of the states.
    pub results: Vec<Sum>,
}
