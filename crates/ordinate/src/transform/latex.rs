//! The system for documents: an `align*` environment of amsmath.

use super::Polynomial;
use super::equations::{powers, unsigned};
use ordinate_expr::{Expr, ExprId, Function, Graph, VarId};
use std::fmt::Write;

/// Writing to a string does not fail.
const OK: &str = "a string takes all text";

/// Names that have a letter of their own.
const GREEK: [&str; 24] = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Omega", "Phi",
];

/// A name with its index as a subscript: `w12` is w₁₂, `u[3]` is u₃, `phi'` is φ′.
fn latex_name(name: &str) -> String {
    let bare = name.trim_end_matches('\'');
    let primes = &name[bare.len()..];
    let (head, index) = match bare.split_once('[') {
        Some((head, index)) => (head, index.trim_end_matches(']')),
        None => match bare.split_once('_').filter(|(head, index)| !head.is_empty() && !index.is_empty()) {
            Some((head, index)) => (head, index),
            None => {
                let digits = bare.trim_end_matches(|c: char| c.is_ascii_digit());
                if digits.is_empty() { (bare, "") } else { (digits, &bare[digits.len()..]) }
            }
        },
    };
    let escaped = |text: &str| text.replace('_', "\\_");
    let letter = match head {
        _ if GREEK.contains(&head) => format!("\\{head}"),
        _ if head.chars().count() == 1 => head.to_string(),
        _ => format!("\\mathrm{{{}}}", escaped(head)),
    };
    let index = match index {
        "" => String::new(),
        _ if index.chars().all(|c| c.is_ascii_digit() || c == ',') => format!("_{{{index}}}"),
        _ => format!("_{{\\mathrm{{{}}}}}", escaped(index)),
    };
    format!("{letter}{index}{primes}")
}

/// How tightly a node binds: sums, products, powers, atoms.
fn level(node: Expr) -> u8 {
    match node {
        Expr::Or(..) | Expr::And(..) | Expr::Not(_) | Expr::Less(..) | Expr::LessEqual(..) | Expr::Equal(..) => 0,
        Expr::Add(..) | Expr::Sub(..) | Expr::Neg(_) => 1,
        Expr::Const(value) if value.is_negative() => 1,
        Expr::Mul(..) => 2,
        Expr::Pow(..) => 3,
        Expr::Const(_) | Expr::Pi | Expr::Time | Expr::Var(_) | Expr::Div(..) => 4,
        Expr::Call(..) | Expr::Atan2(..) | Expr::Select(..) | Expr::Lookup(..) => 4,
    }
}

fn number(text: &str) -> String {
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{mantissa}\\cdot 10^{{{exponent}}}"),
        None => text.to_string(),
    }
}

/// An expression; meanings and coefficients are as deep as the user nested them.
fn latex(g: &Graph, e: ExprId, least: u8, name: &dyn Fn(VarId) -> String) -> String {
    let node = g.node(e);
    let go = |e, least| latex(g, e, least, name);
    let text = match node {
        Expr::Const(value) => number(&value.to_string()),
        Expr::Pi => "\\pi".into(),
        Expr::Time => "t".into(),
        Expr::Var(v) => latex_name(&name(v)),
        Expr::Neg(a) => format!("-{}", go(a, 2)),
        Expr::Add(a, b) => format!("{} + {}", go(a, 1), go(b, 2)),
        Expr::Sub(a, b) => format!("{} - {}", go(a, 1), go(b, 2)),
        Expr::Mul(a, b) if a == b => format!("{}^{{2}}", go(a, 5)),
        Expr::Mul(a, b) => format!("{}\\,{}", go(a, 2), go(b, 2)),
        Expr::Div(a, b) => format!("\\frac{{{}}}{{{}}}", go(a, 0), go(b, 0)),
        Expr::Pow(a, b) => format!("{}^{{{}}}", go(a, 5), go(b, 0)),
        Expr::Call(f, a) => call(f, &go(a, 0)),
        Expr::Atan2(a, b) => format!("\\operatorname{{atan2}}\\left({}, {}\\right)", go(a, 0), go(b, 0)),
        Expr::Less(a, b) => format!("{} < {}", go(a, 1), go(b, 1)),
        Expr::LessEqual(a, b) => format!("{} \\le {}", go(a, 1), go(b, 1)),
        Expr::Equal(a, b) => format!("{} = {}", go(a, 1), go(b, 1)),
        Expr::Not(a) => format!("\\neg {}", go(a, 4)),
        Expr::And(a, b) => format!("{} \\wedge {}", go(a, 1), go(b, 1)),
        Expr::Or(a, b) => format!("{} \\vee {}", go(a, 1), go(b, 1)),
        Expr::Select(c, a, b) => format!(
            "\\begin{{cases}} {} & \\text{{if }} {} \\\\ {} & \\text{{otherwise}} \\end{{cases}}",
            go(a, 0),
            go(c, 0),
            go(b, 0)
        ),
        Expr::Lookup(list, a) => format!("\\mathrm{{list}}_{{{}}}\\left[{}\\right]", list.0, go(a, 0)),
    };
    // a power of a function or a fraction needs parentheses, too
    let atom = matches!(node, Expr::Pi | Expr::Time | Expr::Var(_)) && !text.contains('\'');
    let plain = matches!(node, Expr::Const(value) if !value.is_negative()) && !text.contains("cdot");
    if level(node) < least && !atom && !plain { format!("\\left({text}\\right)") } else { text }
}

fn call(f: Function, inner: &str) -> String {
    match f {
        Function::Sqrt => format!("\\sqrt{{{inner}}}"),
        Function::Cbrt => format!("\\sqrt[3]{{{inner}}}"),
        Function::Exp => format!("e^{{{inner}}}"),
        Function::Abs => format!("\\left|{inner}\\right|"),
        Function::Floor => format!("\\left\\lfloor {inner}\\right\\rfloor"),
        Function::Logistic => format!("\\frac{{1}}{{1+e^{{-\\left({inner}\\right)}}}}"),
        Function::Softplus => format!("\\ln\\left(1+e^{{{inner}}}\\right)"),
        Function::Bernoulli => format!("\\frac{{{inner}}}{{e^{{{inner}}}-1}}"),
        Function::Langevin => {
            format!("\\left(\\coth\\left({inner}\\right)-\\frac{{1}}{{{inner}}}\\right)")
        }
        Function::LangevinSlope => format!(
            "\\left(\\frac{{1}}{{\\left({inner}\\right)^{{2}}}}-\\frac{{1}}{{\\sinh^{{2}}\\left({inner}\\right)}}\\right)"
        ),
        Function::Log => format!("\\ln\\left({inner}\\right)"),
        Function::Sin | Function::Cos | Function::Tan | Function::Sinh | Function::Cosh | Function::Tanh => {
            format!("\\{}\\left({inner}\\right)", f.name())
        }
        Function::Asin
        | Function::Acos
        | Function::Atan
        | Function::Asinh
        | Function::Acosh
        | Function::Atanh
        | Function::Log10
        | Function::Erf
        | Function::Expm1
        | Function::Log1p
        | Function::Sign
        | Function::Noise => format!("\\operatorname{{{}}}\\left({inner}\\right)", f.name()),
    }
}

impl Polynomial {
    /// The equations and what the auxiliary states stand for, as `align*` environments (package amsmath).
    pub fn latex(&self) -> String {
        let model = &self.sorted.model;
        let mut graph = model.graph.clone();
        let names: Vec<String> = self.names().iter().map(|name| latex_name(name)).collect();
        let name = |v: VarId| model.name(v);
        let mut rows = Vec::with_capacity(names.len());
        for (k, terms) in self.equations.iter().enumerate() {
            let mut side = String::new();
            for term in terms {
                let (negative, size) = unsigned(&mut graph, term.coefficient);
                side.push_str(match (side.is_empty(), negative) {
                    (true, false) => "",
                    (true, true) => "-",
                    (false, false) => " + ",
                    (false, true) => " - ",
                });
                let factors: Vec<String> = powers(&term.factors)
                    .into_iter()
                    .map(|(f, n)| match n {
                        1 => names[f].clone(),
                        _ if names[f].contains('\'') => format!("{{{}}}^{{{n}}}", names[f]),
                        _ => format!("{}^{{{n}}}", names[f]),
                    })
                    .collect();
                let one = graph.constant_value(size) == Some(ordinate_expr::Decimal::ONE);
                let mut parts = Vec::new();
                if !one || factors.is_empty() {
                    parts.push(latex(&graph, size, if factors.is_empty() && !negative { 0 } else { 2 }, &name));
                }
                parts.extend(factors);
                side.push_str(&parts.join("\\,"));
            }
            rows.push(format!("{}' &= {}", names[k], if side.is_empty() { "0" } else { &side }));
        }
        let mut out = String::from("% needs \\usepackage{amsmath}\n");
        let mut environment = |rows: &[String]| {
            writeln!(out, "\\begin{{align*}}\n{}\n\\end{{align*}}", rows.join(" \\\\\n")).expect(OK);
        };
        environment(&rows);
        if !self.meanings.is_empty() {
            let meanings = names[self.visible..].iter().zip(&self.meanings);
            let rows: Vec<String> =
                meanings.map(|(left, &e)| format!("{left} &= {}", latex(&graph, e, 0, &name))).collect();
            environment(&rows);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_set_as_mathematics() {
        for (name, text) in [
            ("x", "x"),
            ("x'", "x'"),
            ("w12", "w_{12}"),
            ("phi'", "\\phi'"),
            ("u[3]", "u_{3}"),
            ("u[3,4]", "u_{3,4}"),
            ("T_out", "T_{\\mathrm{out}}"),
            ("speed", "\\mathrm{speed}"),
        ] {
            assert_eq!(latex_name(name), text);
        }
    }
}
