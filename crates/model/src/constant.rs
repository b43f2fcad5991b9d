//! Constant expressions given outside of a model: `--set k=2*pi`, `-t 4*pi`.

use ordinate_expr::{Decimal, ExprId, Function, Graph};
use ordinate_syntax::{BinaryOp, NodeId, NodeKind, StatementKind, UnaryOp, parse};

/// The expression that a text stands for; `name` gives what the names in it mean. `None` if it is not made of
/// numbers, operations, functions of one argument and such names.
pub fn read_constant(
    g: &mut Graph,
    text: &str,
    name: &mut dyn FnMut(&mut Graph, &str) -> Option<ExprId>,
) -> Option<ExprId> {
    // Written as a declaration, so that the parser of the language is the only one.
    let source = format!("param value = {text}");
    let (tree, diagnostics) = parse(&source);
    let [statement] = tree.statements.as_slice() else { return None };
    let e = match &statement.kind {
        StatementKind::Param(list) if diagnostics.is_empty() && list.len() == 1 && list[0].unit.is_none() => {
            list[0].value?
        }
        _ => return None,
    };
    let mut values: Vec<ExprId> = Vec::new();
    for at in e.range() {
        let get = |id: NodeId| values[id.0 as usize - e.first.0 as usize];
        let node = &tree.nodes[at];
        let id = match &node.kind {
            NodeKind::Number => {
                let pieces = Decimal::parse(&source[node.span.start as usize..node.span.end as usize])?;
                g.sum_of(&pieces)
            }
            NodeKind::Pi => g.pi(),
            NodeKind::Unary(UnaryOp::Neg, a) => g.neg(get(*a)),
            NodeKind::Binary(op, a, b) => arithmetic(g, *op, get(*a), get(*b))?,
            NodeKind::Call { name, arguments, .. } => match arguments.as_slice() {
                [a] => g.call(Function::by_name(tree.name(*name))?, get(*a)),
                _ => return None,
            },
            NodeKind::Variable { name: text, index, primes: 0, .. } if index.is_empty() => name(g, tree.name(*text))?,
            _ => return None,
        };
        values.push(id);
    }
    values.pop()
}

/// The value of a text such as `4*pi`; `lookup` gives the values of names.
pub fn constant(text: &str, lookup: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
    let mut g = Graph::new();
    let mut names: Vec<f64> = Vec::new();
    let e = read_constant(&mut g, text, &mut |g, name| {
        names.push(lookup(name)?);
        Some(g.variable(ordinate_expr::VarId(names.len() as u32 - 1)))
    })?;
    let value = g.evaluate(e, |leaf| match leaf {
        ordinate_expr::Expr::Var(v) => Some(names[v.0 as usize]),
        _ => None,
    })?;
    value.is_finite().then_some(value)
}

/// An operation on numbers; `None` for comparisons and connectives.
pub(crate) fn arithmetic(g: &mut Graph, op: BinaryOp, a: ExprId, b: ExprId) -> Option<ExprId> {
    match op {
        BinaryOp::Add => Some(g.add(a, b)),
        BinaryOp::Sub => Some(g.sub(a, b)),
        BinaryOp::Mul => Some(g.mul(a, b)),
        BinaryOp::Div => Some(g.div(a, b)),
        BinaryOp::Pow => Some(g.pow(a, b)),
        BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual
        | BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::And
        | BinaryOp::Or => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_expressions_of_the_language() {
        let none = |_: &str| None;
        assert_eq!(constant("4*pi", &none), Some(4.0 * std::f64::consts::PI));
        assert_eq!(constant("-1e-3", &none), Some(-1e-3));
        assert_eq!(constant("2*T", &|name| (name == "T").then_some(3.0)), Some(6.0));
        for bad in ["", "x", "1 2", "1; 2", "1 [kg]", "1, b = 2", "t", "1/0", "if 1 < 2 then 1 else 0"] {
            assert_eq!(constant(bad, &none), None, "{bad}");
        }
    }
}
