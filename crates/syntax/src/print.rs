//! The tree as text, for `--emit tree` and for tests: a line per statement, expressions fully
//! parenthesised, so that what the parser understood can be read without knowing its precedences.

use crate::{
    Assignment, BinaryOp, Declaration, Expr, NodeId, NodeKind, Span, Statement, StatementKind, Target, Tree, UnaryOp,
    UnitText,
};

/// The tree of `text` in a fixed form.
pub fn print(tree: &Tree, text: &str) -> String {
    let mut printer = Printer { tree, text, out: String::new() };
    printer.statements(&tree.statements, 0);
    printer.out
}

struct Printer<'a> {
    tree: &'a Tree,
    text: &'a str,
    out: String,
}

/// What is still to be written of an expression.
enum Piece {
    Node(NodeId),
    /// A node that gets parentheses if it is more than a word.
    Operand(NodeId),
    Text(&'static str),
    Primes(u32),
}

impl Printer<'_> {
    fn statements(&mut self, statements: &[Statement], indent: usize) {
        for statement in statements {
            self.statement(statement, indent);
        }
    }

    fn begin(&mut self, indent: usize, kind: &str) {
        self.out.push_str(&format!("{:indent$}{kind:<10}", ""));
    }

    fn statement(&mut self, statement: &Statement, indent: usize) {
        match &statement.kind {
            StatementKind::Param(list) => self.declarations(indent, "param", list),
            StatementKind::Input(list) => self.declarations(indent, "input", list),
            StatementKind::Output(list) => self.declarations(indent, "output", list),
            StatementKind::Init(list) => self.declarations(indent, "init", list),
            StatementKind::Guess(list) => self.declarations(indent, "guess", list),
            StatementKind::StartAt { target, at, value, unit } => {
                self.begin(indent, "start");
                self.target(target);
                self.out.push('(');
                self.expr(*at);
                self.out.push_str(") = ");
                self.expr(*value);
                self.unit(unit.as_ref());
                self.out.push('\n');
            }
            StatementKind::Equation { left, right, unit } => {
                self.begin(indent, "equation");
                self.expr(*left);
                self.out.push_str(" = ");
                self.expr(*right);
                self.unit(unit.as_ref());
                self.out.push('\n');
            }
            StatementKind::Run { from, to } => {
                self.begin(indent, "run");
                self.range(*from, *to);
            }
            StatementKind::For { index, from, to, body, .. } => {
                self.begin(indent, "for");
                self.out.push_str(&format!("{} in ", self.tree.name(*index)));
                self.range(*from, *to);
                self.statements(body, indent + 2);
            }
            StatementKind::Def { name, parameters, body, .. } => {
                self.begin(indent, "def");
                let names: Vec<&str> = parameters.iter().map(|(parameter, _)| self.tree.name(*parameter)).collect();
                self.out.push_str(&format!("{}({}) = ", self.tree.name(*name), names.join(", ")));
                self.expr(*body);
                self.out.push('\n');
            }
            StatementKind::When { condition, actions } => self.actions(indent, "when", *condition, actions),
            StatementKind::Every { period, actions } => self.actions(indent, "every", *period, actions),
            StatementKind::StopWhen { condition } => self.actions(indent, "stop when", *condition, &[]),
        }
    }

    fn range(&mut self, from: Expr, to: Expr) {
        self.expr(from);
        self.out.push_str(" .. ");
        self.expr(to);
        self.out.push('\n');
    }

    fn actions(&mut self, indent: usize, kind: &str, head: Expr, actions: &[Assignment]) {
        self.begin(indent, kind);
        self.expr(head);
        self.out.push('\n');
        for action in actions {
            self.begin(indent + 2, "assign");
            self.target(&action.target);
            self.out.push_str(" = ");
            self.expr(action.value);
            self.out.push('\n');
        }
    }

    fn declarations(&mut self, indent: usize, kind: &str, list: &[Declaration]) {
        self.begin(indent, kind);
        for (position, declaration) in list.iter().enumerate() {
            if position > 0 {
                self.out.push_str(", ");
            }
            self.target(&declaration.target);
            if let Some(value) = declaration.value {
                self.out.push_str(" = ");
                self.expr(value);
            }
            if let Some(table) = &declaration.table {
                let kind = if table.hold { "hold" } else { "linear" };
                self.out.push_str(&format!(" from \"{}\" {kind}", table.path));
            }
            self.unit(declaration.unit.as_ref());
        }
        self.out.push('\n');
    }

    fn unit(&mut self, unit: Option<&UnitText>) {
        if let Some(unit) = unit {
            self.out.push_str(&format!(" [{}]", unit.text));
        }
    }

    fn target(&mut self, target: &Target) {
        self.out.push_str(self.tree.name(target.name));
        for (position, index) in target.index.iter().enumerate() {
            self.out.push_str(if position == 0 { "[" } else { ", " });
            self.expr(*index);
        }
        if !target.index.is_empty() {
            self.out.push(']');
        }
        self.primes(target.primes);
    }

    fn primes(&mut self, count: u32) {
        self.out.extend(std::iter::repeat_n('\'', count as usize));
    }

    /// Writes an expression with a stack of its own: a sum of a million terms is a million levels deep.
    fn expr(&mut self, expr: Expr) {
        let mut pieces = vec![Piece::Node(expr.root)];
        while let Some(piece) = pieces.pop() {
            match piece {
                Piece::Text(text) => self.out.push_str(text),
                Piece::Primes(count) => self.primes(count),
                Piece::Operand(id) => match self.tree.node(id).kind {
                    NodeKind::Unary(..) | NodeKind::Binary(..) | NodeKind::If(..) => {
                        pieces.extend([Piece::Text(")"), Piece::Node(id), Piece::Text("(")]);
                    }
                    _ => pieces.push(Piece::Node(id)),
                },
                Piece::Node(id) => self.node(id, &mut pieces),
            }
        }
    }

    /// Writes the first word of a node and stacks the rest, last piece first.
    fn node(&mut self, id: NodeId, pieces: &mut Vec<Piece>) {
        let node = self.tree.node(id);
        match &node.kind {
            NodeKind::Number => {
                let Span { start, end } = node.span;
                self.out.push_str(&self.text[start as usize..end as usize]);
            }
            NodeKind::Time => self.out.push('t'),
            NodeKind::Pi => self.out.push_str("pi"),
            NodeKind::Error => self.out.push_str("<error>"),
            NodeKind::Variable { name, index, primes, .. } => {
                self.out.push_str(self.tree.name(*name));
                pieces.push(Piece::Primes(*primes));
                if !index.is_empty() {
                    stack_list(pieces, index, "[", "]");
                }
            }
            NodeKind::Call { name, arguments, .. } => {
                self.out.push_str(self.tree.name(*name));
                stack_list(pieces, arguments, "(", ")");
            }
            NodeKind::Unary(UnaryOp::Neg, a) => pieces.extend([Piece::Operand(*a), Piece::Text("-")]),
            NodeKind::Unary(UnaryOp::Not, a) => pieces.extend([Piece::Operand(*a), Piece::Text("not ")]),
            NodeKind::Binary(op, a, b) => {
                pieces.extend([Piece::Operand(*b), Piece::Text(sign(*op)), Piece::Operand(*a)])
            }
            NodeKind::If(condition, yes, no) => pieces.extend([
                Piece::Operand(*no),
                Piece::Text(" else "),
                Piece::Operand(*yes),
                Piece::Text(" then "),
                Piece::Operand(*condition),
                Piece::Text("if "),
            ]),
        }
    }
}

fn stack_list(pieces: &mut Vec<Piece>, items: &[NodeId], open: &'static str, close: &'static str) {
    pieces.push(Piece::Text(close));
    for (position, id) in items.iter().enumerate().rev() {
        pieces.push(Piece::Node(*id));
        if position > 0 {
            pieces.push(Piece::Text(", "));
        }
    }
    pieces.push(Piece::Text(open));
}

fn sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => " + ",
        BinaryOp::Sub => " - ",
        BinaryOp::Mul => " * ",
        BinaryOp::Div => " / ",
        BinaryOp::Pow => " ^ ",
        BinaryOp::Less => " < ",
        BinaryOp::LessEqual => " <= ",
        BinaryOp::Greater => " > ",
        BinaryOp::GreaterEqual => " >= ",
        BinaryOp::Equal => " == ",
        BinaryOp::NotEqual => " != ",
        BinaryOp::And => " and ",
        BinaryOp::Or => " or ",
    }
}
