//! Printing in the notation of the language, with as few parentheses as its precedence allows.

use crate::{Expr, ExprId, Function, Graph, VarId};

/// How tightly a printed node binds, as in the language.
fn precedence(node: Expr) -> u8 {
    match node {
        Expr::Select(..) => 0,
        Expr::Or(..) => 1,
        Expr::And(..) => 2,
        Expr::Not(_) => 3,
        Expr::Less(..) | Expr::LessEqual(..) | Expr::Equal(..) => 4,
        Expr::Add(..) | Expr::Sub(..) => 5,
        Expr::Mul(..) | Expr::Div(..) => 6,
        Expr::Neg(_) => 7,
        Expr::Const(value) if value.is_negative() => 7,
        Expr::Pow(..) => 8,
        Expr::Call(Function::Logistic | Function::Bernoulli, _) => 6,
        Expr::Call(Function::Langevin | Function::LangevinSlope, _) => 5,
        Expr::Const(_) | Expr::Pi | Expr::Time | Expr::Var(_) => 9,
        Expr::Call(..) | Expr::Atan2(..) | Expr::Lookup(..) => 9,
    }
}

enum Piece {
    Text(&'static str),
    Node(ExprId, u8),
}

impl Graph {
    /// The expression as text; `name` gives the names of variables.
    pub fn print(&self, root: ExprId, name: &dyn Fn(VarId) -> String) -> String {
        self.print_within(root, name, usize::MAX)
    }

    /// The beginning of the expression as text of at most about so many bytes, for messages: one with many shared parts may be
    /// longer than what fits into memory.
    pub fn print_within(&self, root: ExprId, name: &dyn Fn(VarId) -> String, most: usize) -> String {
        use Piece::{Node, Text};
        let mut out = String::new();
        let mut stack = vec![Node(root, 0)];
        while let Some(piece) = stack.pop() {
            if out.len() > most {
                out.push_str(" …");
                break;
            }
            let (id, least) = match piece {
                Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Node(id, least) => (id, least),
            };
            let node = self.node(id);
            let infix = |a, left, sign, b, right| vec![Node(a, left), Text(sign), Node(b, right)];
            let mut pieces = match node {
                Expr::Const(value) => {
                    let text = value.to_string();
                    if least > precedence(node) {
                        out.push_str(&format!("({text})"));
                    } else {
                        out.push_str(&text);
                    }
                    continue;
                }
                Expr::Pi => vec![Text("pi")],
                Expr::Time => vec![Text("t")],
                Expr::Var(v) => {
                    out.push_str(&name(v));
                    continue;
                }
                // Above the level of products, so that a sign never stands directly after an operator.
                Expr::Neg(a) => vec![Text("-"), Node(a, 7)],
                Expr::Add(a, b) => infix(a, 5, " + ", b, 6),
                Expr::Sub(a, b) => infix(a, 5, " - ", b, 6),
                Expr::Mul(a, b) => infix(a, 6, "*", b, 7),
                Expr::Div(a, b) => infix(a, 6, "/", b, 7),
                Expr::Pow(a, b) => infix(a, 9, "^", b, 8),
                // internal functions as what they stand for
                Expr::Call(Function::Logistic, a) => match self.node(a) {
                    Expr::Neg(a) => vec![Text("1/(1 + exp("), Node(a, 0), Text("))")],
                    _ => vec![Text("1/(1 + exp(-"), Node(a, 7), Text("))")],
                },
                Expr::Call(Function::Softplus, a) => vec![Text("log(1 + exp("), Node(a, 0), Text("))")],
                Expr::Call(Function::Bernoulli, a) => vec![Node(a, 6), Text("/expm1("), Node(a, 0), Text(")")],
                Expr::Call(Function::Langevin, a) => {
                    vec![Text("1/tanh("), Node(a, 0), Text(") - 1/"), Node(a, 7)]
                }
                Expr::Call(Function::LangevinSlope, a) => {
                    vec![Text("1/"), Node(a, 9), Text("^2 - 1/sinh("), Node(a, 0), Text(")^2")]
                }
                Expr::Call(f, a) => vec![Text(f.name()), Text("("), Node(a, 0), Text(")")],
                Expr::Atan2(a, b) => vec![Text("atan2("), Node(a, 0), Text(", "), Node(b, 0), Text(")")],
                Expr::Less(a, b) => infix(a, 5, " < ", b, 5),
                Expr::LessEqual(a, b) => infix(a, 5, " <= ", b, 5),
                Expr::Equal(a, b) => infix(a, 5, " == ", b, 5),
                Expr::Not(a) => vec![Text("not "), Node(a, 3)],
                Expr::And(a, b) => infix(a, 2, " and ", b, 3),
                Expr::Or(a, b) => infix(a, 1, " or ", b, 2),
                Expr::Select(c, a, b) => {
                    vec![Text("if "), Node(c, 1), Text(" then "), Node(a, 0), Text(" else "), Node(b, 0)]
                }
                Expr::Lookup(list, a) => {
                    out.push_str(&format!("list{}", list.0));
                    vec![Text("["), Node(a, 0), Text("]")]
                }
            };
            // A unary minus as right operand gets parentheses although the grammar does not need them.
            if precedence(node) < least || (matches!(node, Expr::Neg(_)) && least == 7) {
                pieces.insert(0, Text("("));
                pieces.push(Text(")"));
            }
            stack.extend(pieces.into_iter().rev());
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_needed_parentheses_are_printed() {
        let mut g = Graph::new();
        let name = |v: VarId| ["x", "y", "z"][v.0 as usize].to_string();
        let [x, y, z] = [0, 1, 2].map(|k| g.variable(VarId(k)));
        let sum = g.add(x, y);
        let two = g.integer(2);
        let cases = [
            (g.mul(sum, z), "z*(x + y)"),
            (g.sub(x, sum), "x - (x + y)"),
            (g.pow(sum, two), "(x + y)^2"),
            (g.call(Function::Sin, sum), "sin(x + y)"),
            (g.select(sum, x, y), "if x + y then x else y"),
        ];
        let power = g.pow(x, two);
        let minus = g.neg(power);
        let quotient = {
            let q = g.div(y, z);
            g.div(x, q)
        };
        for (e, text) in cases.into_iter().chain([(minus, "-x^2"), (quotient, "x/(y/z)")]) {
            assert_eq!(g.print(e, &name), text);
        }
    }

    /// A product that doubles itself 200 times is longer than any memory, its beginning is not.
    #[test]
    fn a_long_expression_is_cut() {
        let mut g = Graph::new();
        let mut product = g.variable(VarId(0));
        for _ in 0..200 {
            let root = g.call(Function::Sin, product);
            product = g.mul(root, product);
        }
        let text = g.print_within(product, &|_| "x".into(), 100);
        assert!(text.ends_with('…') && text.len() < 200, "{text}");
    }
}
