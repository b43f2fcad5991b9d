//! The tree: what was written, with its places, before anything is understood.
//!
//! Expressions live in one arena, children before parents, and the nodes of one expression are
//! contiguous. So a later stage walks an expression by a plain sweep over a range of the arena:
//! no recursion, whatever the depth, and dropping a tree of a million terms is dropping a `Vec`.

use std::fmt;
use std::ops::RangeInclusive;

/// A range of bytes of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A name, as an index into [`Tree::names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(pub u32);

/// A node of the arena, as an index into [`Tree::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A whole expression: its nodes are `first ..= root` of the arena, children before parents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Expr {
    /// The first node of the expression in the arena.
    pub first: NodeId,
    /// Its root, the last node.
    pub root: NodeId,
}

impl Expr {
    /// The arena indices of its nodes, children before parents.
    pub fn range(self) -> RangeInclusive<usize> {
        self.first.0 as usize..=self.root.0 as usize
    }
}

/// One node of an expression and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// Where it stands, with its children.
    pub span: Span,
}

/// The kinds of expression nodes.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    /// A decimal literal; its text is the text at the node's span (exact until a run rounds it).
    Number,
    /// `t` or `time`.
    Time,
    /// `pi`.
    Pi,
    /// A name or an array element, with primes: `x`, `x''`, `u[k-1]'`, `a[i, j]`. `name_span` is the bare name.
    Variable {
        /// The name.
        name: Name,
        /// The place of the bare name.
        name_span: Span,
        /// The indices, empty for a plain name.
        index: Vec<NodeId>,
        /// The number of primes.
        primes: u32,
    },
    /// `-a`, `not a`.
    Unary(UnaryOp, NodeId),
    /// `a + b`, `a < b`, `a and b`, …
    Binary(BinaryOp, NodeId, NodeId),
    /// `if a then b else c`.
    If(NodeId, NodeId, NodeId),
    /// A call by name, of the language or of a `def`: `sin(x)`, `sat(u)`.
    Call {
        /// The name.
        name: Name,
        /// The place of the bare name.
        name_span: Span,
        /// The arguments.
        arguments: Vec<NodeId>,
    },
    /// Where an expression was expected and something else stood; already reported.
    Error,
}

impl NodeKind {
    /// The nodes directly below.
    pub fn children(&self) -> Vec<NodeId> {
        match self {
            NodeKind::Number | NodeKind::Time | NodeKind::Pi | NodeKind::Error => Vec::new(),
            NodeKind::Variable { index, .. } => index.clone(),
            NodeKind::Unary(_, a) => vec![*a],
            NodeKind::Binary(_, a, b) => vec![*a, *b],
            NodeKind::If(a, b, c) => vec![*a, *b, *c],
            NodeKind::Call { arguments, .. } => arguments.clone(),
        }
    }
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-a`
    Neg,
    /// `not a`
    Not,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`
    Div,
    /// `a ^ b`
    Pow,
    /// `a < b`
    Less,
    /// `a <= b`
    LessEqual,
    /// `a > b`
    Greater,
    /// `a >= b`
    GreaterEqual,
    /// `a == b`
    Equal,
    /// `a != b`
    NotEqual,
    /// `a and b`
    And,
    /// `a or b`
    Or,
}

/// What a declaration or assignment names: `x`, `phi'`, `u[k]`, `u[k]'`.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The name.
    pub name: Name,
    /// The place of the bare name.
    pub name_span: Span,
    /// Array indices, empty for a plain name.
    pub index: Vec<Expr>,
    /// Number of primes.
    pub primes: u32,
    /// The whole target.
    pub span: Span,
}

/// A unit as written between brackets, brackets not included: `kg*m/s^2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitText {
    /// The text between the brackets, trimmed.
    pub text: String,
    /// Its place, with the brackets.
    pub span: Span,
}

/// `target = value [unit]`; the value is missing in `output y` and in `input u from …`.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// What is declared.
    pub target: Target,
    /// Its value.
    pub value: Option<Expr>,
    /// A table: `input u from "u.csv" hold`.
    pub table: Option<Table>,
    /// Its unit.
    pub unit: Option<UnitText>,
}

/// `from "u.csv" hold|linear`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The path as written.
    pub path: String,
    /// The place of the path.
    pub span: Span,
    /// Zero-order hold instead of linear interpolation.
    pub hold: bool,
}

/// `target = value` inside `when` and `every`.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// What changes.
    pub target: Target,
    /// Its new value.
    pub value: Expr,
}

/// One statement and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What it says.
    pub kind: StatementKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `param a = 1 [kg], b = 2*a`
    Param(Vec<Declaration>),
    /// `input u = step(t - 1) [V]`, `input u from "u.csv" hold`
    Input(Vec<Declaration>),
    /// `output E = …`, `output phi`
    Output(Vec<Declaration>),
    /// `init x = 1, x' = 0 [m/s]`
    Init(Vec<Declaration>),
    /// `y(0) = 1`: a start value that says its time
    StartAt {
        /// What starts.
        target: Target,
        /// The time.
        at: Expr,
        /// Its value then.
        value: Expr,
        /// The unit.
        unit: Option<UnitText>,
    },
    /// `guess z = 0.5`
    Guess(Vec<Declaration>),
    /// `left = right [unit]`
    Equation {
        /// The left side.
        left: Expr,
        /// The right side.
        right: Expr,
        /// The unit.
        unit: Option<UnitText>,
    },
    /// `run 0 .. 20`
    Run {
        /// Its start.
        from: Expr,
        /// Its end.
        to: Expr,
    },
    /// `for k in 1..n: …`
    For {
        /// The name of the index.
        index: Name,
        /// The place of the index.
        index_span: Span,
        /// The first index.
        from: Expr,
        /// The last index.
        to: Expr,
        /// What it holds.
        body: Vec<Statement>,
    },
    /// `def sat(x) = …`
    Def {
        /// The name.
        name: Name,
        /// The place of the bare name.
        name_span: Span,
        /// The parameters and their places.
        parameters: Vec<(Name, Span)>,
        /// What it holds.
        body: Expr,
    },
    /// `when c: x = …, v = …`
    When {
        /// The condition.
        condition: Expr,
        /// What changes.
        actions: Vec<Assignment>,
    },
    /// `stop when c`
    StopWhen {
        /// The condition.
        condition: Expr,
    },
    /// `every Ts: u = …`
    Every {
        /// The time between two samples.
        period: Expr,
        /// What changes.
        actions: Vec<Assignment>,
    },
}

/// A parsed text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// The statements in the order of the text.
    pub statements: Vec<Statement>,
    /// The arena of expression nodes.
    pub nodes: Vec<Node>,
    /// The distinct names in the order of their first appearance.
    pub names: Vec<String>,
    /// The innermost statements that have a mistake: what a later stage finds wrong in them may be a consequence.
    pub mistaken: Vec<Span>,
}

impl Tree {
    /// The node behind an id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The text of a name.
    pub fn name(&self, name: Name) -> &str {
        &self.names[name.0 as usize]
    }

    /// Which nodes of an expression stand inside the transfer function of a `laplace`, where `s` is its variable; by
    /// position in the expression, empty where there is none.
    pub fn inside_transfer(&self, e: Expr) -> Vec<bool> {
        let mut open: Vec<NodeId> = Vec::new();
        for at in e.range() {
            if let NodeKind::Call { name, arguments, .. } = &self.nodes[at].kind
                && self.name(*name) == "laplace"
            {
                open.extend(arguments.first());
            }
        }
        if open.is_empty() {
            return Vec::new();
        }
        let mut inside = vec![false; e.range().count()];
        while let Some(id) = open.pop() {
            let mark = &mut inside[(id.0 - e.first.0) as usize];
            if !std::mem::replace(mark, true) {
                open.extend(self.node(id).kind.children());
            }
        }
        inside
    }

    /// The place of a whole expression.
    pub fn span(&self, expr: Expr) -> Span {
        self.node(expr.root).span
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}
