//! Series code prints itself, and counts what an order costs.

use super::code::{JetCode, JetOp, Operand, Sum, Value};
use std::fmt::Write;

/// Writing to a string does not fail.
const OK: &str = "a string takes all text";

impl JetCode {
    /// The multiplications of coefficients with each other that the coefficient of power k of all nodes needs, those with
    /// constants not counted. A product of series has k + 1 of them, a square half as many; a product of several factors
    /// is a chain of products, each of them computed once and kept, however often it occurs.
    pub fn multiplications(&self, k: usize) -> usize {
        let of = |op: &JetOp| match op {
            JetOp::Sum(_) | JetOp::Weigh(_) => 0,
            JetOp::Mul(..) => k + 1,
            JetOp::Square(_) | JetOp::Sqrt(_) => k / 2 + 1,
            JetOp::Div(..) | JetOp::Reciprocal(..) | JetOp::Antiproduct { .. } | JetOp::Antiquotient { .. } => k.max(1),
            JetOp::Power { .. } => (2 * k).max(1),
        };
        self.instructions.iter().map(|instruction| of(&instruction.op)).sum()
    }

    /// The code as text; `names` are those of the states.
    pub fn to_text(&self, names: &[String]) -> String {
        let mut out = String::new();
        let node = |node: u32| match node {
            0 => "t".to_string(),
            i if i as usize <= self.states => names.get(i as usize - 1).cloned().unwrap_or_else(|| format!("y{i}")),
            i => format!("s{i}"),
        };
        let operand = |a: &Operand| linear(a.factor, &node(a.node), a.constant);
        let sum = |sum: &Sum| {
            let mut text: String = String::new();
            for (i, &(n, c)) in self.terms[sum.from as usize..sum.to as usize].iter().enumerate() {
                let sign = if c < 0.0 { "-" } else { "+" };
                let term = match c.abs() {
                    1.0 => node(n),
                    c => format!("{c}*{}", node(n)),
                };
                match (i, sign) {
                    (0, "+") => text.push_str(&term),
                    (0, _) => write!(text, "-{term}").expect(OK),
                    _ => write!(text, " {sign} {term}").expect(OK),
                }
            }
            if sum.constant != 0.0 || text.is_empty() {
                write!(text, "{}{}", if text.is_empty() { "" } else { " + " }, sum.constant).expect(OK);
            }
            if sum.scale == 1.0 { text } else { format!("{}*({text})", sum.scale) }
        };
        for i in &self.instructions {
            let begins = |value: &Value, of: &[Operand; 2]| match value {
                Value::Call(f) => format!("{}({})", f.name(), operand(&of[0])),
                Value::Power => format!("({})^({})", operand(&of[0]), operand(&of[1])),
                Value::Atan2 => format!("atan2({}, {})", operand(&of[0]), operand(&of[1])),
            };
            let text = match &i.op {
                JetOp::Sum(terms) => sum(terms),
                JetOp::Mul(a, b) => format!("({}) * ({})", operand(a), operand(b)),
                JetOp::Square(a) => format!("({})^2", operand(a)),
                JetOp::Div(a, b) => format!("({}) / ({})", operand(a), operand(b)),
                JetOp::Reciprocal(a, b) => format!("{a} / ({})", operand(b)),
                JetOp::Sqrt(a) => format!("sqrt({})", operand(a)),
                JetOp::Power { a, r, .. } => format!("({})^({r})", operand(a)),
                JetOp::Weigh(a) => format!("t * ({})'", operand(a)),
                JetOp::Antiproduct { weighted, w, factor, value, of } => {
                    format!("{}, of t y' = {factor}*({}) * {}", begins(value, of), operand(w), node(*weighted))
                }
                JetOp::Antiquotient { weighted, w, value, of } => {
                    writeln!(out, "  s{} = t * s{}'", i.out, i.out + 1).expect(OK);
                    let text = format!("{}, of ({}) t y' = {}", begins(value, of), operand(w), node(*weighted));
                    writeln!(out, "  s{} = {text}", i.out + 1).expect(OK);
                    continue;
                }
            };
            writeln!(out, "  s{} = {text}", i.out).expect(OK);
        }
        for (i, result) in self.results.iter().enumerate() {
            writeln!(out, "  {}' = {}", node(i as u32 + 1), sum(result)).expect(OK);
        }
        let counts: Vec<String> = (0..12).map(|k| self.multiplications(k).to_string()).collect();
        writeln!(out, "  multiplications for terms 1, 2, …: {}, …", counts.join(", ")).expect(OK);
        out
    }
}

/// factor · name + constant
fn linear(factor: f64, name: &str, constant: f64) -> String {
    let product = match factor {
        0.0 => return constant.to_string(),
        1.0 => name.to_string(),
        -1.0 => format!("-{name}"),
        _ => format!("{factor}*{name}"),
    };
    if constant == 0.0 { product } else { format!("{constant} + {product}") }
}
