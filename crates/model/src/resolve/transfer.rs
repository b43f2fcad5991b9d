//! `pade(z, T, n)` and `laplace(fraction of s, z)`: linear systems with states of their own, which the text does not
//! name. Both are realised by successive integration, which needs no derivative of z.

use super::expression::{count_of, wrong_count};
use super::{Resolver, View};
use crate::reduction::{NotRational, Rational, msi, pade, rational, time_scale};
use crate::{Equation, Given, Role};
use ordinate_expr::{Expr as Term, ExprId, Graph, VarId};
use ordinate_syntax::{Diagnostic, Span};

/// What makes two operators the same: the argument, the delay and its order or the past, or the transfer function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Pade(ExprId, ExprId, u32),
    Laplace(ExprId, ExprId),
    Delay(ExprId, ExprId, Option<ExprId>),
}

/// x′ and y of a system.
type RatesAndOutput = (Vec<ExprId>, ExprId);

/// The highest order of `pade`: beyond it the approximation rings more than it delays.
const MAX_PADE: i64 = 20;

impl Resolver<'_> {
    /// The s of a transfer function.
    pub(super) fn transfer_variable(&mut self, plain: bool, span: Span) -> ExprId {
        if !plain {
            self.error("syntax", span, "inside `laplace` s is the variable of the transfer function, a plain name");
        }
        let s = match self.transfer_s {
            Some(s) => s,
            None => {
                let s = self.new_quantity("s".into(), "s".into(), Role::Parameter, span);
                self.model.quantities.last_mut().expect("just made").hidden = true;
                self.transfer_s = Some(s);
                s
            }
        };
        self.model.graph.variable(s)
    }

    /// An operator with its arguments. After a mistake the last operand that can stand for it does.
    pub(super) fn operator(&mut self, text: &str, span: Span, a: &[ExprId], places: &[Span], view: View) -> ExprId {
        let instead = if text == "laplace" { a.get(1) } else { a.first() };
        let instead = instead.copied().unwrap_or_else(|| self.model.graph.integer(1));
        let (counts, example) = match text {
            "pade" => (3..=3, "write `pade(z, T, n)`: z delayed by T, approximated by order n such as 5"),
            "laplace" => (2..=2, "write `laplace((s + 2)/(s^2 + 3*s + 1), u)`: a fraction of s, then its input"),
            _ => (2..=3, "write `delay(z, T)`, or `delay(z, T, past)` with what z was before the start"),
        };
        if !counts.contains(&a.len()) {
            let wanted = match counts.start() == counts.end() {
                true => count_of(*counts.end()),
                false => format!("{} or {}", counts.start(), count_of(*counts.end())),
            };
            self.report(wrong_count(text, &wanted, a.len(), span).help(example));
            return instead;
        }
        if view == View::Instant {
            let message =
                format!("`{text}` follows its input all the time, so it cannot stand in a value of one instant");
            let help = format!("give it a name by an equation of its own, `d = {text}(…)`, and use `d` here");
            self.report(Diagnostic::error("operator-place", span, message).help(help));
            return instead;
        }
        let result = match text {
            "pade" => self.pade_operator(a, places, span),
            "delay" => self.delay_operator(a, places, span),
            _ => self.laplace_operator(a, places, span),
        };
        let value = result.unwrap_or(instead);
        self.names.operators.entry(span).or_default().push(value);
        value
    }

    /// Whether a delay is a positive constant, with a report if not.
    pub(super) fn positive_delay(&mut self, name: &str, delay: ExprId, place: Span) -> bool {
        match self.constant_of(delay, place, &format!("the delay of `{name}`")) {
            Some(time) if time > 0.0 && time.is_finite() => true,
            Some(time) => {
                let error = format!("the delay of `{name}` must be positive, here it is {time}");
                let help = match time == 0.0 {
                    true => "without a delay, write the first argument alone",
                    false => "a value of the future is not known; check the sign",
                };
                self.report(Diagnostic::error("bad-value", place, error).help(help));
                false
            }
            None => false,
        }
    }

    fn pade_operator(&mut self, a: &[ExprId], places: &[Span], span: Span) -> Option<ExprId> {
        let (z, delay) = (a[0], a[1]);
        let positive = self.positive_delay("pade", delay, places[1]);
        let n = self.integer(a[2], places[2], "the order of `pade`")?;
        if !(0..=MAX_PADE).contains(&n) {
            let error = format!("the order of `pade` lies between 0 and {MAX_PADE}, here it is {n}");
            let help = "5 is a good choice; higher orders follow faster changes";
            self.report(Diagnostic::error("bad-value", places[2], error).help(help));
            return None;
        }
        // [0/0] is 1: z itself
        if !positive || n == 0 {
            return None;
        }
        let n = n as u32;
        let key = Key::Pade(z, delay, n);
        if let Some(&known) = self.operators.get(&key) {
            return Some(known);
        }
        // z was always what it is just before the start; so y begins with that value
        let mut starts = vec![self.model.graph.integer(0); n as usize];
        starts[0] = z;
        Some(self.realise(key, &starts, span, &|g, x| pade(g, delay, x, z)))
    }

    fn laplace_operator(&mut self, a: &[ExprId], places: &[Span], span: Span) -> Option<ExprId> {
        let (fraction, z) = (a[0], a[1]);
        if self.transfer_s.is_some_and(|s| self.model.graph.variables(z).contains(&s)) {
            let message = "the input of `laplace` is a function of time, s stands in its first argument only";
            self.report(
                Diagnostic::error("transfer", places[1], message).help("write `laplace(fraction of s, input)`"),
            );
            return Some(self.model.graph.integer(1));
        }
        let key = Key::Laplace(fraction, z);
        if let Some(&known) = self.operators.get(&key) {
            return Some(known);
        }
        let (a, b) = self.transfer_function(fraction, places[0])?;
        let n = a.len() - 1;
        let sizes: Vec<f64> = a.iter().filter_map(|&c| self.model.constant(c)).collect();
        let g = &mut self.model.graph;
        let realisation = match msi(g, &a, &b) {
            Ok(realisation) => realisation,
            Err(improper) => {
                let (above, below) = (improper.numerator, improper.denominator);
                let message = format!(
                    "this transfer function is improper: its numerator has degree {above}, its denominator {below}, so its output would hold derivatives of the input"
                );
                let help = "the degree of the denominator must not be smaller; add a fast pole, such as a factor 1/(0.01*s + 1)";
                self.report(Diagnostic::error("improper", places[0], message).help(help));
                return None;
            }
        };
        // vₖ = ωⁿ⁻ᵏ wₖ
        let omega = power_of_two(g, time_scale(&sizes));
        let factors: Vec<ExprId> = (1..=n)
            .map(|k| {
                let exponent = g.integer((n - k) as i64);
                g.pow(omega, exponent)
            })
            .collect();
        let scaled = realisation.scaled(g, &factors);
        let rest = vec![g.integer(0); n];
        Some(self.realise(key, &rest, span, &|g, x| (scaled.rates(g, x, &[z]), scaled.value(g, x, &[z]))))
    }

    /// Coefficients of the denominator and the numerator, constants whose last one is not zero.
    fn transfer_function(&mut self, fraction: ExprId, span: Span) -> Option<(Vec<ExprId>, Vec<ExprId>)> {
        let s = match self.transfer_s {
            Some(s) => s,
            // no s anywhere: a plain factor
            None => VarId(u32::MAX),
        };
        let Rational { mut numerator, denominator } = match rational(&mut self.model.graph, fraction, s) {
            Ok(found) => found,
            Err(reason) => {
                let error = self.not_rational(reason, span);
                self.report(error);
                return None;
            }
        };
        let mut values = Vec::new();
        for &c in denominator.iter().chain(&numerator) {
            values.push(self.constant_of(c, span, "a coefficient of a transfer function")?);
        }
        let (below, above) = values.split_at(denominator.len());
        if let Some(value) = values.iter().find(|value| !value.is_finite()) {
            let message = format!("a coefficient of this transfer function is not a finite number ({value})");
            self.report(Diagnostic::error("bad-value", span, message).help("check its parameters"));
            return None;
        }
        if below.last() == Some(&0.0) {
            let n = below.len() - 1;
            let error = match below.iter().all(|&value| value == 0.0) {
                true => Diagnostic::error("transfer", span, "the denominator of this transfer function is zero"),
                false => {
                    let power = if n == 1 { "s".to_string() } else { format!("s^{n}") };
                    let printed = self.model.print(denominator[n]);
                    let message =
                        format!("the leading coefficient of the denominator, `{printed}` of {power}, is zero");
                    Diagnostic::error("transfer", span, message)
                }
            };
            self.report(error.help("give its parameters other values, or write the fraction without this term"));
            return None;
        }
        // a term that a parameter switches off, as in Kd*s with Kd = 0, does not count
        let degree = above.iter().rposition(|&value| value != 0.0).unwrap_or(0);
        numerator.drain(degree + 1..).for_each(|coefficient| self.model.mark_structural(coefficient));
        Some((denominator, numerator))
    }

    fn not_rational(&self, reason: NotRational, span: Span) -> Diagnostic {
        match reason {
            NotRational::Degree(degree) => {
                let message = format!("this transfer function has the degree {degree}, more than 64");
                Diagnostic::error("transfer", span, message)
                    .help("split it into factors, one `laplace` inside the other")
            }
            NotRational::Operation(part) => {
                let printed = self.model.print(part);
                let message = format!("with `{printed}` this is not a fraction of polynomials in s");
                let delay = matches!(self.model.graph.node(part), Term::Call(ordinate_expr::Function::Exp, _));
                let help = match delay {
                    true => "for a delay e^(-s*T) write `delay(u, T)` as the input",
                    false => "write sums, products, quotients and whole powers of s only",
                };
                Diagnostic::error("transfer", span, message).help(help)
            }
        }
    }

    /// The value of a constant expression, or a report.
    pub(super) fn constant_of(&mut self, e: ExprId, span: Span, what: &str) -> Option<f64> {
        if let Some(value) = self.model.constant(e) {
            return Some(value);
        }
        let variables = self.model.graph.variables(e);
        if variables.iter().any(|&v| self.model.variable_excused(v)) {
            return None;
        }
        let changing = variables.into_iter().find(|&v| self.model.variable(v).role != Role::Parameter);
        let cause = match changing {
            Some(v) => format!("; `{}` is not constant", self.model.name(v)),
            None => String::new(),
        };
        let message = format!("{what} must be a constant expression{cause}");
        let help = "use numbers and parameters only: declare it with `param`";
        let found = Diagnostic::error("not-constant", span, message).help(help);
        match changing {
            // it may turn out to have no equation at all, which is reported as such
            Some(v) => self.model.pending.push((self.model.variable(v).quantity, found)),
            None => self.report(found),
        }
        None
    }

    /// The text of a place as a name.
    pub(super) fn short_text(&self, span: Span) -> String {
        let text: String = self.text[span.start as usize..span.end as usize].split_whitespace().collect();
        if text.chars().count() > 40 { text.chars().take(39).chain(['…']).collect() } else { text }
    }

    /// Makes the states of a system, whose rates and output `system` gives; the expression is its output.
    fn realise(
        &mut self,
        key: Key,
        starts: &[ExprId],
        span: Span,
        system: &dyn Fn(&mut Graph, &[ExprId]) -> RatesAndOutput,
    ) -> ExprId {
        if !self.may_grow(span) {
            return self.model.graph.integer(1);
        }
        let short = self.short_text(span);
        let mut states = Vec::with_capacity(starts.len());
        for (k, &value) in starts.iter().enumerate() {
            let name = format!("{short}#{}", k + 1);
            let var = self.new_quantity(name.clone(), name, Role::Unknown, span);
            let quantity = self.model.quantities.last_mut().expect("just made");
            (quantity.hidden, quantity.declared) = (true, true);
            self.model.hidden.push(Given { var, value, span, at: None });
            states.push(var);
        }
        let x: Vec<ExprId> = states.iter().map(|&v| self.model.graph.variable(v)).collect();
        let (rates, y) = system(&mut self.model.graph, &x);
        for (&v, right) in states.iter().zip(rates) {
            let rate = self.model.new_variable(self.model.variable(v).quantity, 1, Role::Unknown, span);
            let left = self.model.graph.variable(rate);
            self.model.equations.push(Equation { left, right, span });
        }
        self.operators.insert(key, y);
        y
    }
}

/// A power of two as an exact constant.
fn power_of_two(g: &mut Graph, value: f64) -> ExprId {
    let (two, exponent) = (g.integer(2), g.integer(value.log2() as i64));
    g.pow(two, exponent)
}
