//! `delay(z, T)`: what z was a time T ago. The delayed value is a variable without an equation; who solves the model remembers
//! z along the solution.

use super::Resolver;
use super::transfer::Key;
use crate::{Delayed, Given, Role};
use ordinate_expr::{Expr as Term, ExprId, Function};
use ordinate_syntax::{Diagnostic, Span};

impl Resolver<'_> {
    pub(super) fn delay_operator(&mut self, a: &[ExprId], places: &[Span], span: Span) -> Option<ExprId> {
        let (of, time, past) = (a[0], a[1], a.get(2).copied());
        let positive = self.positive_delay("delay", time, places[1]);
        if let Some(past) = past.filter(|&past| !self.is_smooth_past(past, places[2])) {
            return Some(past);
        }
        if !positive || !self.may_grow(span) {
            return None;
        }
        let key = Key::Delay(of, time, past);
        if let Some(&known) = self.operators.get(&key) {
            return Some(known);
        }
        let name = self.short_text(span);
        let mut hidden = |name: String, role: Role| {
            let var = self.new_quantity(name.clone(), name, role, span);
            let quantity = self.model.quantities.last_mut().expect("just made");
            (quantity.hidden, quantity.declared) = (true, true);
            var
        };
        let past = match past {
            Some(past) => past,
            // z was always what it is just before the start: a value that nothing changes
            None => {
                let before = hidden(format!("{name} before"), Role::Held);
                self.model.hidden.push(Given { var: before, value: of, span, at: None });
                self.model.graph.variable(before)
            }
        };
        let var = self.new_quantity(name.clone(), name, Role::Delayed, span);
        let quantity = self.model.quantities.last_mut().expect("just made");
        (quantity.hidden, quantity.declared) = (true, true);
        self.model.delays.push(Delayed { var, of, time, past, span });
        let value = self.model.graph.variable(var);
        self.operators.insert(key, value);
        Some(value)
    }

    /// Whether a past is made of t and parameters, without branches; otherwise it is reported.
    fn is_smooth_past(&mut self, past: ExprId, place: Span) -> bool {
        let mut variables = self.model.graph.variables(past);
        variables.retain(|&v| self.model.variable(v).role != Role::Parameter);
        let nodes = self.model.graph.post_order(&[past]);
        let branch = nodes.into_iter().any(|id| {
            matches!(self.model.graph.node(id), Term::Call(Function::Abs | Function::Sign | Function::Floor, _))
                || matches!(self.model.graph.node(id), Term::Select(..) | Term::Lookup(..))
        });
        let mode = variables.iter().any(|&v| self.model.variable(v).role == Role::Mode);
        let message = match variables.first() {
            _ if branch || mode => "the past of `delay` must be smooth: no branch, no jump, no kink".to_string(),
            Some(&v) if self.model.variable_excused(v) => return false,
            Some(&v) => {
                format!("the past of `delay` is an expression of t and parameters; `{}` is neither", self.model.name(v))
            }
            None => return true,
        };
        let help =
            "write what z was before the start, such as `cos(t)`; without it z was always what it is at the start";
        self.report(Diagnostic::error("bad-past", place, message).help(help));
        false
    }
}
