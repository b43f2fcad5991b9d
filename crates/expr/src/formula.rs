//! Printing for people: products are collected into factors with powers, numbers first, sums into terms, those that are
//! added before those that are subtracted. The text is of the language, like that of `print`, but rearranged.

use crate::{Decimal, Expr, ExprId, Graph, VarId};

/// A product: a number, and what stands above and below the line with its power.
struct Product {
    negative: bool,
    number: Vec<Decimal>,
    below_number: Vec<Decimal>,
    factors: Vec<(ExprId, i64)>,
}

impl Product {
    fn add(&mut self, id: ExprId, power: i64) {
        match self.factors.iter_mut().find(|(known, _)| *known == id) {
            Some((_, known)) => *known += power,
            None => self.factors.push((id, power)),
        }
    }
}

impl Graph {
    /// The expression as a formula; `name` gives the names of variables, `rank` their place in a product (parameters before
    /// states, as on paper).
    pub fn formula(&self, root: ExprId, name: &dyn Fn(VarId) -> String, rank: &dyn Fn(VarId) -> u32) -> String {
        Printer { graph: self, name, rank }.sum(root)
    }
}

struct Printer<'a> {
    graph: &'a Graph,
    name: &'a dyn Fn(VarId) -> String,
    rank: &'a dyn Fn(VarId) -> u32,
}

impl Printer<'_> {
    /// The terms of a sum with their signs. It has its own stack, for a sum of many terms is a deep chain.
    fn terms(&self, root: ExprId) -> Vec<(ExprId, bool)> {
        let mut terms = Vec::new();
        let mut open = vec![(root, false)];
        while let Some((id, negative)) = open.pop() {
            match self.graph.node(id) {
                Expr::Add(a, b) => open.extend([(b, negative), (a, negative)]),
                Expr::Sub(a, b) => open.extend([(b, !negative), (a, negative)]),
                Expr::Neg(a) => open.push((a, !negative)),
                _ => terms.push((id, negative)),
            }
        }
        terms
    }

    fn sum(&self, root: ExprId) -> String {
        let mut products: Vec<Product> =
            self.terms(root).into_iter().map(|(id, sign)| self.product(id, sign)).collect();
        // no sum begins with a minus if it need not
        if let Some(first) = products.iter().position(|product| !product.negative) {
            products[..=first].rotate_right(1);
        }
        let mut out = String::new();
        for (k, product) in products.iter().enumerate() {
            out.push_str(match (k, product.negative) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            });
            out.push_str(&self.factors(product));
        }
        out
    }

    /// The factors of a product or quotient with integer powers.
    fn product(&self, root: ExprId, negative: bool) -> Product {
        let mut all = Product { negative, number: Vec::new(), below_number: Vec::new(), factors: Vec::new() };
        let mut open = vec![(root, 1i64)];
        while let Some((id, power)) = open.pop() {
            match self.graph.node(id) {
                Expr::Mul(a, b) => open.extend([(b, power), (a, power)]),
                Expr::Div(a, b) => open.extend([(b, -power), (a, power)]),
                Expr::Neg(a) => {
                    all.negative ^= power % 2 != 0;
                    open.push((a, power));
                }
                Expr::Pow(a, b) => match self.graph.constant_value(b).and_then(Decimal::as_integer) {
                    Some(n) if n.abs() < 64 && power.abs() < 64 => open.push((a, power * n)),
                    _ => all.add(id, power),
                },
                Expr::Const(value) if power.abs() == 1 => {
                    all.negative ^= value.is_negative();
                    let size = if value.is_negative() { value.negate() } else { value };
                    if power > 0 { all.number.push(size) } else { all.below_number.push(size) }
                }
                _ => all.add(id, power),
            }
        }
        all.factors.retain(|&(_, power)| power != 0);
        all.factors.sort_by_key(|&(id, _)| self.order(id));
        all
    }

    /// Parameters, then states, then functions and sums; each in the order of the model.
    fn order(&self, id: ExprId) -> (u32, ExprId) {
        match self.graph.node(id) {
            Expr::Var(v) => ((self.rank)(v), id),
            Expr::Pi => (0, id),
            Expr::Add(..) | Expr::Sub(..) => (u32::MAX, id),
            _ => (u32::MAX - 1, id),
        }
    }

    fn factors(&self, product: &Product) -> String {
        let ones = |list: &[Decimal]| list.iter().copied().try_fold(Decimal::ONE, |a, b| a.times(b));
        let numbers = |list: &[Decimal]| match ones(list) {
            Some(Decimal::ONE) => Vec::new(),
            Some(product) => vec![product.to_string()],
            None => list.iter().map(Decimal::to_string).collect(),
        };
        let side = |sign: i64| {
            let list = product.factors.iter().filter(move |(_, power)| power.signum() == sign);
            list.map(|&(id, power)| self.factor(id, power.abs()))
        };
        let top: Vec<String> = numbers(&product.number).into_iter().chain(side(1)).collect();
        let bottom: Vec<String> = numbers(&product.below_number).into_iter().chain(side(-1)).collect();
        let above = if top.is_empty() { "1".to_string() } else { top.join("*") };
        match bottom.as_slice() {
            [] => above,
            [only] => format!("{above}/{only}"),
            _ => format!("{above}/({})", bottom.join("*")),
        }
    }

    fn factor(&self, id: ExprId, power: i64) -> String {
        let text = self.atom(id);
        if power == 1 { text } else { format!("{text}^{power}") }
    }

    /// What can stand as a factor, and below a power.
    fn atom(&self, id: ExprId) -> String {
        match self.graph.node(id) {
            Expr::Var(v) => (self.name)(v),
            Expr::Pi => "pi".into(),
            Expr::Time => "t".into(),
            Expr::Const(value) => value.to_string(),
            Expr::Call(f, a) => format!("{}({})", f.name(), self.sum(a)),
            Expr::Atan2(a, b) => format!("atan2({}, {})", self.sum(a), self.sum(b)),
            Expr::Pow(a, b) => format!("({}^{})", self.atom(a), self.atom(b)),
            Expr::Add(..) | Expr::Sub(..) | Expr::Neg(_) | Expr::Mul(..) | Expr::Div(..) => {
                format!("({})", self.sum(id))
            }
            Expr::Less(..)
            | Expr::LessEqual(..)
            | Expr::Equal(..)
            | Expr::Not(_)
            | Expr::And(..)
            | Expr::Or(..)
            | Expr::Select(..)
            | Expr::Lookup(..) => format!("({})", self.graph.print(id, self.name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Function;

    #[test]
    fn products_are_collected_and_sums_begin_without_a_sign() {
        let mut g = Graph::new();
        let names = ["m", "x", "y"];
        let [m, x, y] = [0, 1, 2].map(|k| g.variable(VarId(k)));
        let square = g.square(x);
        let product = g.mul(square, y);
        let quotient = g.div(product, m);
        let minus = g.neg(quotient);
        let sum = g.add(x, y);
        let sine = g.call(Function::Sin, sum);
        let two = g.integer(2);
        let doubled = g.mul(sine, two);
        let below = g.mul(m, sum);
        let cases = [
            (minus, "-x^2*y/m"),
            (g.add(minus, doubled), "2*sin(x + y) - x^2*y/m"),
            (g.div(x, below), "x/(m*(x + y))"),
            (g.mul(below, x), "m*x*(x + y)"),
            (g.sub(x, sum), "x - x - y"),
        ];
        for (e, text) in cases {
            assert_eq!(g.formula(e, &|v| names[v.0 as usize].into(), &|v| v.0), text);
        }
    }
}
