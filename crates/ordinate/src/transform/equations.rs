//! The equations as text: for people, and for models.

use super::Polynomial;
use crate::short;
use ordinate_expr::{Expr, ExprId, Graph};
use ordinate_model::Term;
use ordinate_syntax::Diagnostic;
use std::fmt::Write;

/// Writing to a string does not fail.
const OK: &str = "a string takes all text";

/// A coefficient without its sign, and whether it was negative.
pub(super) fn unsigned(g: &mut Graph, e: ExprId) -> (bool, ExprId) {
    match g.node(e) {
        Expr::Neg(a) => (true, a),
        Expr::Const(value) if value.is_negative() => (true, g.neg(e)),
        _ => (false, e),
    }
}

/// Equal factors together: (state, exponent).
pub(super) fn powers(factors: &[usize]) -> Vec<(usize, usize)> {
    let mut out: Vec<(usize, usize)> = Vec::new();
    for &f in factors {
        match out.last_mut() {
            Some((last, n)) if *last == f => *n += 1,
            _ => out.push((f, 1)),
        }
    }
    out
}

impl Polynomial {
    /// Names of all states.
    pub fn names(&self) -> &[String] {
        &self.program.state_names
    }

    /// A right-hand side in the notation of the language; `name` prints states, `text` coefficients.
    pub(super) fn side(
        &self,
        graph: &Graph,
        terms: &[Term],
        name: &dyn Fn(usize) -> String,
        text: &dyn Fn(&Graph, ExprId) -> String,
    ) -> String {
        let mut graph = graph.clone();
        let mut out = String::new();
        for term in terms {
            let (negative, size) = unsigned(&mut graph, term.coefficient);
            let sign = match (out.is_empty(), negative) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            out.push_str(sign);
            let one = graph.constant_value(size) == Some(ordinate_expr::Decimal::ONE);
            let factors: Vec<String> = powers(&term.factors)
                .into_iter()
                .map(|(f, n)| if n == 1 { name(f) } else { format!("{}^{n}", name(f)) })
                .collect();
            let mut parts: Vec<String> = Vec::new();
            if !one || factors.is_empty() {
                let coefficient = text(&graph, size);
                let loose = matches!(graph.node(size), Expr::Add(..) | Expr::Sub(..) | Expr::Neg(_) | Expr::Select(..));
                // a subtracted sum needs its parentheses even without factors
                let choice = matches!(graph.node(size), Expr::Select(..));
                let alone = factors.is_empty() && !negative && (!choice || terms.len() == 1);
                parts.push(if loose && !alone { format!("({coefficient})") } else { coefficient });
            }
            parts.extend(factors);
            out.push_str(&parts.join("*"));
        }
        if out.is_empty() { "0".into() } else { out }
    }

    /// The equations, one line each.
    pub fn equation_lines(&self) -> Vec<String> {
        let names = self.names();
        let model = &self.sorted.model;
        let name = |k: usize| names[k].clone();
        let text = |g: &Graph, e: ExprId| g.print(e, &|v| model.name(v));
        let sides = self.equations.iter().map(|terms| self.side(&model.graph, terms, &name, &text));
        names.iter().zip(sides).map(|(name, side)| format!("{name}' = {side}")).collect()
    }

    /// `ordinate transform` for people.
    pub fn text(&self) -> Result<String, Vec<Diagnostic>> {
        let (start, _) = self.start()?;
        let model = &self.sorted.model;
        let mut out = String::new();
        let auxiliary = self.meanings.len();
        let count = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
        writeln!(
            out,
            "{}: {} ({} of the model, {auxiliary} auxiliary), {} per Taylor term, longest {}\n",
            self.compiled.name,
            count(self.names().len(), "state", "states"),
            self.visible,
            count(self.products, "product", "products"),
            count(self.longest_product(), "factor", "factors"),
        )
        .expect(OK);
        for line in self.equation_lines() {
            writeln!(out, "  {line}").expect(OK);
        }
        if auxiliary > 0 {
            writeln!(out, "\nwhere").expect(OK);
            for ((name, &meaning), start) in
                self.names()[self.visible..].iter().zip(&self.meanings).zip(&start[self.visible..])
            {
                writeln!(out, "  {name} = {}, at the start {}", model.print(meaning), short(*start)).expect(OK);
            }
        }
        if !model.switches.is_empty() {
            writeln!(out, "\nbetween events, with").expect(OK);
            for switch in &model.switches {
                let what = match switch.watch {
                    ordinate_model::Watch::Sign(e) => format!("sign({})", model.print(e)),
                    ordinate_model::Watch::Floor(e) => format!("floor({})", model.print(e)),
                    ordinate_model::Watch::Segment(_) => "the segment of a table".to_string(),
                };
                writeln!(out, "  {} = {what}", model.name(switch.mode)).expect(OK);
            }
        }
        Ok(out)
    }
}
