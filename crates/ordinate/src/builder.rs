//! Models without a text: states, parameters and equations as expressions of the program that makes them.
//!
//! ```
//! use ordinate::{CompileOptions, Discard, ModelBuilder, RunOptions, simulate};
//!
//! let model = ModelBuilder::new();
//! let [omega, x, v] = [model.parameter("omega", 2.0), model.state("x", 1.0), model.state("v", 0.0)];
//! model.derivative(x, v);
//! model.derivative(v, -omega * omega * x);
//! model.run(0.0, 1.0);
//! let compiled = model.compile(&CompileOptions::default()).unwrap();
//! let run = simulate(&compiled, &RunOptions::default(), &mut Discard).unwrap();
//! assert!((run.final_value("x").unwrap() - 2f64.cos()).abs() < 1e-5);
//! ```
//!
//! The expressions are written down as a text of the language, which is compiled as any other: messages point into it, every run is
//! compared with it, and [`ModelBuilder::to_text`] shows it. Numbers are written so that the same doubles are read.

use crate::compile::compile_in_order;
use crate::{CompileOptions, Compiled, Diagnostic, Failure, Source};
use ordinate_syntax::Span;
use std::cell::RefCell;
use std::fmt::Write;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// What an expression is made of; operands have smaller numbers.
#[derive(Clone, Debug)]
enum Node {
    Number(f64),
    /// A name, or `t`.
    Name(String),
    Minus(u32),
    Binary(char, u32, u32),
    Call(&'static str, Vec<u32>),
    Derivative(u32),
}

/// A model in the making.
#[derive(Debug, Default)]
pub struct ModelBuilder {
    parts: RefCell<Parts>,
}

#[derive(Debug, Default)]
struct Parts {
    nodes: Vec<Node>,
    /// Names of the states, in their order.
    order: Vec<String>,
    lines: Vec<Line>,
    mistakes: Vec<String>,
}

#[derive(Debug)]
enum Line {
    Parameter(String, f64),
    Start(&'static str, String, f64),
    Equation(u32, u32),
    Output(String, u32),
    Run(f64, f64),
}

/// An expression of a model: a handle that may be used as often as wanted.
#[derive(Clone, Copy, Debug)]
pub struct Expression<'a> {
    model: &'a ModelBuilder,
    id: u32,
}

/// A text of more characters is not made: what is used twice is written twice.
const LONGEST: f64 = 1e7;

impl ModelBuilder {
    /// One without anything.
    pub fn new() -> ModelBuilder {
        ModelBuilder::default()
    }

    fn expression(&self, node: Node) -> Expression<'_> {
        let nodes = &mut self.parts.borrow_mut().nodes;
        nodes.push(node);
        Expression { model: self, id: nodes.len() as u32 - 1 }
    }

    fn line(&self, line: Line) {
        self.parts.borrow_mut().lines.push(line);
    }

    fn named(&self, name: &str) -> Expression<'_> {
        let letter = |c: char| c.is_alphabetic() || c == '_';
        if !name.starts_with(letter) || !name.chars().all(|c| letter(c) || c.is_ascii_digit()) {
            self.parts
                .borrow_mut()
                .mistakes
                .push(format!("`{name}` is no name: letters, digits and `_`, a letter first"));
        }
        self.expression(Node::Name(name.into()))
    }

    /// The time.
    pub fn time(&self) -> Expression<'_> {
        self.expression(Node::Name("t".into()))
    }

    fn check(&self, value: f64) {
        if !value.is_finite() {
            self.parts.borrow_mut().mistakes.push(format!("{value} is no number of an equation"));
        }
    }

    /// A number.
    pub fn number(&self, value: f64) -> Expression<'_> {
        self.check(value);
        self.expression(Node::Number(value))
    }

    /// A parameter, which `CompileOptions::set` may change.
    pub fn parameter(&self, name: &str, value: f64) -> Expression<'_> {
        self.check(value);
        self.line(Line::Parameter(name.into(), value));
        self.named(name)
    }

    /// A state with its start value. Columns are in the order in which states are made.
    pub fn state(&self, name: &str, start: f64) -> Expression<'_> {
        self.check(start);
        self.parts.borrow_mut().order.push(name.into());
        self.line(Line::Start("init", name.into(), start));
        self.named(name)
    }

    /// A variable that equations determine, with a guess of its start value. Its column is in the order of states where it is one.
    pub fn variable(&self, name: &str, guess: f64) -> Expression<'_> {
        self.check(guess);
        self.parts.borrow_mut().order.push(name.into());
        self.line(Line::Start("guess", name.into(), guess));
        self.named(name)
    }

    /// state′ = value
    pub fn derivative(&self, state: Expression, value: Expression) {
        let slope = self.derivative_of(state);
        self.equation(slope, value);
    }

    /// The derivative by time of a state or a variable, for equations.
    pub fn derivative_of(&self, state: Expression) -> Expression<'_> {
        self.expression(Node::Derivative(state.id))
    }

    /// left = right
    pub fn equation(&self, left: Expression, right: Expression) {
        for side in [left, right] {
            if !std::ptr::eq(side.model, self) {
                self.parts.borrow_mut().mistakes.push("an expression belongs to another model".into());
            }
        }
        self.line(Line::Equation(left.id, right.id));
    }

    /// A column that is computed from others.
    pub fn output(&self, name: &str, value: Expression) {
        self.named(name);
        self.line(Line::Output(name.into(), value.id));
    }

    /// Start and end of a run.
    pub fn run(&self, from: f64, to: f64) {
        [from, to].iter().for_each(|t| self.check(*t));
        self.line(Line::Run(from, to));
    }

    /// The model as it is compiled, or why it cannot be written down.
    pub fn to_text(&self) -> Result<String, Failure> {
        let parts = self.parts.borrow();
        let wrong = |message: &str| Diagnostic::error("builder", Span::default(), message);
        if !parts.mistakes.is_empty() {
            return Err(Failure::Model(parts.mistakes.iter().map(|mistake| wrong(mistake)).collect()));
        }
        let lengths = lengths(&parts.nodes);
        let wanted = |line: &Line| match line {
            Line::Equation(left, right) => lengths[*left as usize] + lengths[*right as usize],
            Line::Output(_, value) => lengths[*value as usize],
            Line::Parameter(..) | Line::Start(..) | Line::Run(..) => 0.0,
        };
        if parts.lines.iter().map(wanted).sum::<f64>() > LONGEST {
            let help = "what is used twice is written twice: make a `variable` of it, with an equation";
            return Err(Failure::Model(vec![wrong("written out, the equations are too long").help(help)]));
        }
        let mut text = String::new();
        for line in &parts.lines {
            match line {
                Line::Parameter(name, value) => {
                    let _ = write!(text, "param {name} = {value:?}");
                }
                Line::Start(word, name, value) => {
                    let _ = write!(text, "{word} {name} = {value:?}");
                }
                Line::Equation(left, right) => {
                    write(&parts.nodes, *left, &mut text);
                    text.push_str(" = ");
                    write(&parts.nodes, *right, &mut text);
                }
                Line::Output(name, value) => {
                    let _ = write!(text, "output {name} = ");
                    write(&parts.nodes, *value, &mut text);
                }
                Line::Run(from, to) => {
                    let _ = write!(text, "run {from:?} .. {to:?}");
                }
            }
            text.push('\n');
        }
        Ok(text)
    }

    /// The model as from a text, its states in the order in which they were made.
    pub fn compile(&self, options: &CompileOptions) -> Result<Compiled, Failure> {
        compile_in_order(&Source::text(self.to_text()?), options, &self.parts.borrow().order)
    }
}

/// Characters of each expression, written out, at most.
fn lengths(nodes: &[Node]) -> Vec<f64> {
    let mut lengths: Vec<f64> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let of = |id: &u32| lengths[*id as usize];
        lengths.push(match node {
            Node::Number(_) => 26.0,
            Node::Name(name) => name.len() as f64,
            Node::Minus(a) | Node::Derivative(a) => 4.0 + of(a),
            Node::Binary(_, a, b) => 4.0 + of(a) + of(b),
            Node::Call(name, operands) => (name.len() + 2) as f64 + operands.iter().map(|id| 2.0 + of(id)).sum::<f64>(),
        });
    }
    lengths
}

/// How strongly an operator binds; of equal ones the left one comes first.
fn strength(sign: char) -> u32 {
    match sign {
        '+' | '-' => 1,
        '*' | '/' => 2,
        _ => 3,
    }
}

/// Writes an expression; nothing recurses, whatever its depth.
fn write(nodes: &[Node], root: u32, text: &mut String) {
    enum Task<'a> {
        Node(u32),
        Text(&'a str),
        Char(char),
    }
    let mut tasks = vec![Task::Node(root)];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Text(piece) => text.push_str(piece),
            Task::Char(c) => text.push(c),
            Task::Node(id) => match &nodes[id as usize] {
                Node::Number(value) if value.is_sign_negative() => {
                    let _ = write!(text, "({value:?})");
                }
                Node::Number(value) => {
                    let _ = write!(text, "{value:?}");
                }
                Node::Name(name) => text.push_str(name),
                Node::Minus(a) => tasks.extend([Task::Char(')'), Task::Node(*a), Task::Text("(-")]),
                Node::Derivative(a) => tasks.extend([Task::Char('\''), Task::Node(*a)]),
                Node::Binary(sign, a, b) => {
                    // a sum of many terms is a chain, not a nest
                    let own = strength(*sign);
                    let wrapped = |id: u32, least: u32| match &nodes[id as usize] {
                        Node::Binary(inner, ..) if strength(*inner) < least => ["(", ")"],
                        _ => ["", ""],
                    };
                    let [left, right] = [wrapped(*a, own + u32::from(*sign == '^')), wrapped(*b, own + 1)];
                    tasks.extend([Task::Text(right[1]), Task::Node(*b), Task::Text(right[0]), Task::Char(*sign)]);
                    tasks.extend([Task::Text(left[1]), Task::Node(*a), Task::Text(left[0])]);
                }
                Node::Call(name, operands) => {
                    tasks.push(Task::Char(')'));
                    for (k, id) in operands.iter().enumerate().rev() {
                        tasks.push(Task::Node(*id));
                        tasks.push(Task::Text(if k == 0 { "(" } else { ", " }));
                    }
                    tasks.push(Task::Text(name));
                }
            },
        }
    }
}

impl<'a> Expression<'a> {
    fn call(self, name: &'static str, others: &[Expression]) -> Expression<'a> {
        let operands = std::iter::once(self.id).chain(others.iter().map(|other| other.id)).collect();
        self.model.expression(Node::Call(name, operands))
    }

    fn binary(self, sign: char, other: u32) -> Expression<'a> {
        self.model.expression(Node::Binary(sign, self.id, other))
    }

    /// self^exponent
    pub fn pow(self, exponent: Expression<'a>) -> Expression<'a> {
        self.binary('^', exponent.id)
    }

    /// self^exponent
    pub fn powf(self, exponent: f64) -> Expression<'a> {
        self.pow(self.model.number(exponent))
    }

    /// The angle of the point (x, self).
    pub fn atan2(self, x: Expression<'a>) -> Expression<'a> {
        self.call("atan2", &[x])
    }

    /// The smaller one; a branch whose change is an event.
    pub fn min(self, other: Expression<'a>) -> Expression<'a> {
        self.call("min", &[other])
    }

    /// The larger one; a branch whose change is an event.
    pub fn max(self, other: Expression<'a>) -> Expression<'a> {
        self.call("max", &[other])
    }
}

/// Functions of one argument, by the names that they have in the language.
macro_rules! functions {
    ($($name:ident $word:literal;)*) => {
        impl<'a> Expression<'a> {
            $(#[doc = concat!("`", $word, "` of the language.")]
            pub fn $name(self) -> Expression<'a> {
                self.call($word, &[])
            })*
        }
    };
}

functions! {
    sin "sin"; cos "cos"; tan "tan"; asin "asin"; acos "acos"; atan "atan";
    sinh "sinh"; cosh "cosh"; tanh "tanh"; asinh "asinh"; acosh "acosh"; atanh "atanh";
    exp "exp"; ln "log"; log10 "log10"; sqrt "sqrt"; cbrt "cbrt"; erf "erf"; exp_m1 "expm1"; ln_1p "log1p";
    abs "abs"; sign "sign"; floor "floor";
}

impl<'a> Neg for Expression<'a> {
    type Output = Expression<'a>;

    fn neg(self) -> Expression<'a> {
        self.model.expression(Node::Minus(self.id))
    }
}

/// An operator between expressions, and with numbers on either side.
macro_rules! operators {
    ($($kind:ident $method:ident $sign:literal;)*) => {$(
        impl<'a> $kind for Expression<'a> {
            type Output = Expression<'a>;

            fn $method(self, other: Expression<'a>) -> Expression<'a> {
                self.binary($sign, other.id)
            }
        }

        impl<'a> $kind<f64> for Expression<'a> {
            type Output = Expression<'a>;

            fn $method(self, other: f64) -> Expression<'a> {
                self.binary($sign, self.model.number(other).id)
            }
        }

        impl<'a> $kind<Expression<'a>> for f64 {
            type Output = Expression<'a>;

            fn $method(self, other: Expression<'a>) -> Expression<'a> {
                other.model.number(self).binary($sign, other.id)
            }
        }
    )*};
}

operators! {
    Add add '+';
    Sub sub '-';
    Mul mul '*';
    Div div '/';
}
