//! Numbers known before a run: parameters, bounds of loops, indices, and overrides from outside.

use super::{Resolver, SetError, View};
use crate::{Given, Role, closest, constant};
use ordinate_expr::{ExprId, VarId};
use ordinate_syntax::{Declaration, Diagnostic, Name, NodeKind, Span, StatementKind};
use rustc_hash::FxHashMap;

impl Resolver<'_> {
    /// An integer for an index or a bound, or a report.
    pub(super) fn integer(&mut self, e: ExprId, span: Span, what: &str) -> Option<i64> {
        let Some(value) = self.model.constant(e) else {
            let variables = self.model.graph.variables(e);
            if variables.iter().any(|&v| self.model.variable_excused(v)) {
                return None;
            }
            let stranger = variables.into_iter().find(|&v| !self.introduced.contains(&self.model.quantity(v).base));
            if let Some(v) = stranger {
                let name = self.model.quantity(v).name.clone();
                self.report(
                    Diagnostic::error("unknown-name", span, format!("`{name}` is not defined"))
                        .help(format!("declare it with `for {name} in 1..3: …` or `param {name} = …`")),
                );
                self.model.doubtful.insert(name);
                return None;
            }
            self.report(
                Diagnostic::error("not-constant", span, format!("{what} must be a constant expression"))
                    .help("use numbers, parameters and loop indices only"),
            );
            return None;
        };
        self.model.mark_structural(e);
        let nearest = value.round();
        if (value - nearest).abs() > 1e-9 * nearest.abs().max(1.0) || nearest.abs() > 9e15 {
            self.error("not-integer", span, format!("{what} must be a whole number, here it is {value}"));
            return None;
        }
        Some(nearest as i64)
    }

    /// All top-level parameters, in an order in which each needs only earlier ones. The model's order
    /// of lines does not matter, so the declarations are visited by need.
    pub(super) fn parameters(&mut self) {
        let tree = self.tree;
        let declarations: Vec<&Declaration> = tree
            .statements
            .iter()
            .filter_map(|s| match &s.kind {
                StatementKind::Param(list) => Some(list),
                _ => None,
            })
            .flatten()
            .collect();
        let scalars = declarations.iter().enumerate().filter(|(_, d)| d.target.index.is_empty());
        let by_name: FxHashMap<Name, usize> = scalars.map(|(k, d)| (d.target.name, k)).collect();
        let needs = |this: &Self, k: usize| -> Vec<usize> {
            if this.override_of(tree.name(declarations[k].target.name)).is_some() {
                return Vec::new();
            }
            let nodes = declarations[k].value.into_iter().flat_map(|value| value.range());
            nodes
                .filter_map(|at| match tree.nodes[at].kind {
                    NodeKind::Variable { name, .. } => by_name.get(&name).copied(),
                    _ => None,
                })
                .collect()
        };
        #[derive(Clone, Copy, PartialEq)]
        enum Visit {
            Not,
            Open,
            Done,
        }
        let mut visit = vec![Visit::Not; declarations.len()];
        for first in 0..declarations.len() {
            let mut stack: Vec<(usize, Vec<usize>)> = Vec::new();
            let mut next = Some(first).filter(|&k| visit[k] == Visit::Not);
            loop {
                if let Some(k) = next.take() {
                    visit[k] = Visit::Open;
                    stack.push((k, needs(self, k)));
                }
                let Some((k, rest)) = stack.last_mut() else { break };
                match rest.pop() {
                    Some(needed) if visit[needed] == Visit::Not => next = Some(needed),
                    Some(needed) if visit[needed] == Visit::Open => {
                        let target = &declarations[needed].target;
                        let name = tree.name(target.name);
                        self.error(
                            "circular-parameter",
                            target.span,
                            format!("parameter `{name}` is defined by itself"),
                        );
                        visit[needed] = Visit::Done;
                        self.placeholder(declarations[needed]);
                    }
                    Some(_) => {}
                    None => {
                        let k = *k;
                        stack.pop();
                        if visit[k] == Visit::Open {
                            visit[k] = Visit::Done;
                            self.declare_parameter(declarations[k]);
                        }
                    }
                }
            }
        }
    }

    pub(super) fn declare_parameter(&mut self, declaration: &Declaration) {
        let Some(value) = declaration.value else { return self.placeholder(declaration) };
        let Some(var) = self.target_variable(&declaration.target, Role::Parameter) else { return };
        let value = match self.override_named(&self.model.name(var)) {
            Some(value) => value,
            None => self.number_expression(value, View::Instant),
        };
        if self.model.values.contains_key(&var) {
            // a plain name is reported where names are collected
            if !declaration.target.index.is_empty() {
                let name = self.model.name(var);
                self.error("duplicate-name", declaration.target.span, format!("`{name}` is declared twice"));
            }
            return;
        }
        match self.model.constant(value) {
            Some(number) if number.is_finite() => _ = self.model.values.insert(var, number),
            Some(number) => {
                let name = self.model.name(var);
                let span = self.tree.span(declaration.value.expect("checked above"));
                self.error("bad-value", span, format!("the value of `{name}` is not a finite number ({number})"));
                self.model.values.insert(var, 1.0);
            }
            None => {
                let span = self.tree.span(declaration.value.expect("checked above"));
                self.report(
                    Diagnostic::error("not-constant", span, "a parameter is made of numbers and other parameters only")
                        .help("write it as an equation, without `param`, if it changes during a run"),
                );
                self.model.values.insert(var, 1.0);
            }
        }
        self.model.parameters.push(Given { var, value, span: declaration.target.span, at: None });
    }

    /// A parameter without a usable value still has a name.
    fn placeholder(&mut self, declaration: &Declaration) {
        if let Some(var) = self.target_variable(&declaration.target, Role::Parameter) {
            let value = self.model.graph.integer(1);
            self.model.values.insert(var, 1.0);
            self.model.parameters.push(Given { var, value, span: declaration.target.span, at: None });
            self.mark_used(var);
        }
    }

    pub(super) fn mark_used(&mut self, v: VarId) {
        let at = v.0 as usize;
        if self.used_parameters.len() <= at {
            self.used_parameters.resize(at + 1, false);
        }
        self.used_parameters[at] = true;
    }

    /// Whether a variable is the highest derivative of its quantity.
    fn is_highest(&self, var: VarId) -> bool {
        self.model.quantity(var).members.last() == Some(&Some(var))
    }

    fn override_of(&self, name: &str) -> Option<usize> {
        self.overrides.iter().rposition(|(set, _)| set == name)
    }

    /// The value from outside for a name with its primes and index, if there is one.
    pub(super) fn override_named(&mut self, name: &str) -> Option<ExprId> {
        if self.overrides.is_empty() {
            return None;
        }
        let k = self.override_of(name)?;
        let (_, text) = &self.overrides[k];
        for (at, (set, _)) in self.overrides.iter().enumerate() {
            if set == name {
                self.override_used[at] = true;
            }
        }
        let (names, elements) = (&self.tree.names, &self.names.quantities);
        let (quantities, values) = (&self.model.quantities, &self.model.values);
        let mut used = None;
        let resolved = constant::read_constant(&mut self.model.graph, text, &mut |g, name| {
            let own = names.iter().position(|known| known == name)?;
            let quantity = *elements.get(&(Name(own as u32), Vec::new()))?;
            let var = quantities[quantity].members[0].filter(|var| values.contains_key(var))?;
            used = Some(var);
            Some(g.variable(var))
        });
        used.into_iter().for_each(|var| self.mark_used(var));
        let resolved = resolved.filter(|&e| self.model.constant(e).is_some_and(f64::is_finite));
        if resolved.is_none() {
            self.set_errors.push(SetError::BadValue { name: name.into(), value: text.clone() });
        }
        resolved
    }

    /// An override of a state without a start value in the text gives it one; every other one must have
    /// found its target by now.
    pub(super) fn finish_overrides(&mut self) {
        for k in 0..self.overrides.len() {
            if self.override_used[k] {
                continue;
            }
            let name = &self.overrides[k].0;
            let settable = |v: &VarId| {
                matches!(self.model.variable(*v).role, Role::Unknown | Role::Held) && !self.model.quantity(*v).hidden
            };
            let all = (0..self.model.variables.len() as u32).map(VarId);
            let found = all.clone().filter(settable).find(|&v| self.model.name(v) == *name);
            if let Some(var) = found {
                if self.is_highest(var) && self.model.variable(var).role == Role::Unknown {
                    self.set_errors.push(SetError::Follows { name: name.clone() });
                    continue;
                }
                if let Some(value) = self.override_named(name) {
                    self.model.starts.push(Given { var, value, span: Span::default(), at: None });
                }
                continue;
            }
            let named = all.filter(|&v| self.model.variable(v).role != Role::Mode && !self.model.quantity(v).hidden);
            let known: Vec<String> = named.map(|v| self.model.name(v)).collect();
            let suggestion = closest(name, known.iter().map(String::as_str)).map(str::to_string);
            self.set_errors.push(SetError::Unknown { name: name.clone(), suggestion });
        }
    }
}
