//! Statements, in four passes over the text: parameters (everything may need them), inputs, equations
//! (their order is the order of the states), and the rest, which refers to them.

use super::names::Kind;
use super::{Inputs, MAX_EXPANDED, Resolver, Type, View};
use crate::{Action, Condition, EmptyLoop, Equation, Given, Role, Sample, Watch};
use ordinate_expr::{ExprId, ListId, VarId};
use ordinate_syntax::{
    Assignment, Declaration, Diagnostic, Expr, NodeKind, Span, Statement, StatementKind, Table, Target,
};
use std::collections::hash_map::Entry;

/// What is taken up while walking over the statements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    ArrayParameters,
    Inputs,
    Equations,
    Rest,
}

impl Resolver<'_> {
    pub(super) fn statements(&mut self) {
        self.parameters();
        for pass in [Pass::ArrayParameters, Pass::Inputs, Pass::Equations, Pass::Rest] {
            self.expanded = 0;
            self.walk(&self.tree.statements, pass, true);
            if pass == Pass::Inputs {
                self.check_inputs();
                self.hold_inputs();
            }
        }
        self.check_driven_inputs();
        self.finish_overrides();
        self.order_starts();
    }

    fn walk(&mut self, statements: &[Statement], pass: Pass, top: bool) {
        for statement in statements {
            match (&statement.kind, pass) {
                (StatementKind::For { .. }, _) => self.expand(statement, pass),
                (StatementKind::Param(list), Pass::ArrayParameters) if !top => {
                    list.iter().for_each(|d| self.declare_parameter(d));
                }
                (StatementKind::Input(list), Pass::Inputs) => list.iter().for_each(|d| self.declare_input(d)),
                (StatementKind::Equation { left, right, .. }, Pass::Equations) => {
                    self.equation(*left, *right, statement.span);
                }
                (StatementKind::Output(list), Pass::Rest) => list.iter().for_each(|d| self.declare_output(d)),
                (StatementKind::Init(list), Pass::Rest) => {
                    list.iter().for_each(|d| self.declare_start(d, None, false));
                }
                (StatementKind::Guess(list), Pass::Rest) => list.iter().for_each(|d| self.declare_start(d, None, true)),
                (StatementKind::StartAt { target, at, value, unit }, Pass::Rest) => {
                    let time = self.number_expression(*at, View::Instant);
                    let declaration =
                        Declaration { target: target.clone(), value: Some(*value), table: None, unit: unit.clone() };
                    self.declare_start(&declaration, Some((time, self.tree.span(*at))), false);
                }
                (StatementKind::Run { from, to }, Pass::Rest) => {
                    let bounds =
                        (self.number_expression(*from, View::Instant), self.number_expression(*to, View::Instant));
                    if self.model.run.replace(bounds).is_some() {
                        self.error("duplicate-run", statement.span, "there is more than one `run` line");
                    }
                    for (value, at) in [(bounds.0, *from), (bounds.1, *to)] {
                        if self.model.constant(value).is_none() {
                            self.error("not-constant", self.tree.span(at), "a run time must be a constant expression");
                        }
                    }
                }
                (StatementKind::When { condition, actions }, Pass::Rest) => {
                    let truth = self.condition(*condition);
                    let action = self.action(actions, statement.span);
                    let span = self.tree.span(*condition);
                    self.model.conditions.push(Condition { truth, action: Some(action), span });
                }
                (StatementKind::StopWhen { condition }, Pass::Rest) => {
                    let truth = self.condition(*condition);
                    let span = self.tree.span(*condition);
                    self.model.conditions.push(Condition { truth, action: None, span });
                }
                (StatementKind::Every { period, actions }, Pass::Rest) => {
                    self.every(*period, actions, statement.span);
                }
                _ => {}
            }
        }
    }

    fn expand(&mut self, statement: &Statement, pass: Pass) {
        let StatementKind::For { index, index_span, from, to, body } = &statement.kind else { return };
        if self.kinds.get(index).is_some_and(|kind| *kind != Kind::Unknown) || self.unknowns.contains(index) {
            let name = self.tree.name(*index);
            let message = format!("the loop index `{name}` is declared elsewhere, too");
            let found = Diagnostic::error("duplicate-name", *index_span, message);
            self.report(found.help("give the index a name of its own"));
        }
        let (low, high) = (self.number_expression(*from, View::Instant), self.number_expression(*to, View::Instant));
        let low = self.integer(low, self.tree.span(*from), "a loop bound");
        let high = self.integer(high, self.tree.span(*to), "a loop bound");
        let (Some(low), Some(high)) = (low, high) else { return };
        if high < low && pass == Pass::Equations && self.empty_seen.insert(statement.span) {
            let places: Vec<Span> = body.iter().map(|inner| inner.span).collect();
            let names = crate::consequences::names_in(self.text, &places);
            let span = self.tree.span(*from).to(self.tree.span(*to));
            self.model.empty_loops.push(EmptyLoop { bounds: (low, high), span, names, blamed: false });
        }
        let count = usize::try_from(high.saturating_sub(low).saturating_add(1)).unwrap_or(0);
        if self.expanded.saturating_add(count) > MAX_EXPANDED {
            let span = self.tree.span(*from).to(self.tree.span(*to));
            let message = if count > MAX_EXPANDED {
                format!("this loop makes {count} elements, more than the {MAX_EXPANDED} that a model may have")
            } else {
                format!("with this loop the model has more than {MAX_EXPANDED} elements; loops inside loops multiply")
            };
            self.report(Diagnostic::error("too-large", span, message).help("check its bounds"));
            self.expanded = usize::MAX;
            return;
        }
        self.expanded += count;
        for k in low..=high {
            let value = self.model.graph.integer(k);
            self.bound.push((*index, value, Type::Number));
            self.walk(body, pass, false);
            self.bound.pop();
            if self.expanded == usize::MAX || !self.may_grow(statement.span) {
                return;
            }
        }
    }

    /// The variable that a declaration or an assignment names.
    pub(super) fn target_variable(&mut self, target: &Target, role: Role) -> Option<VarId> {
        let mut index = Vec::with_capacity(target.index.len());
        for &e in &target.index {
            let value = self.number_expression(e, View::Instant);
            let Some(whole) = self.integer(value, self.tree.span(e), "an index") else {
                self.model.doubtful.insert(self.tree.name(target.name).to_string());
                return None;
            };
            index.push(whole);
        }
        if role == Role::Parameter && !self.names.quantities.contains_key(&(target.name, index.clone())) {
            let base = self.tree.name(target.name).to_string();
            let full = super::expression::element_name(&base, &index);
            let quantity = self.model.quantities.len();
            let var = self.new_quantity(full, base, Role::Parameter, target.span);
            self.names.quantities.insert((target.name, index), quantity);
            self.used_parameters.resize(self.model.variables.len(), false);
            return Some(var);
        }
        self.variable(target.name, index, target.primes, target.span)
    }

    fn declare_input(&mut self, declaration: &Declaration) {
        let target = &declaration.target;
        let Some(var) = self.target_variable(target, Role::Input) else { return };
        let name = self.model.name(var);
        let outside = self.override_named(&name);
        let value = match (outside, &declaration.table, declaration.value) {
            (Some(value), ..) => value,
            (None, Some(table), _) => self.table_input(table, &name),
            (None, None, Some(value)) => self.number_expression(value, self.inputs.view()),
            (None, None, None) => self.model.graph.integer(0),
        };
        if self.model.variable(var).role == Role::Held {
            // driven by `every` or `when`: the declared value is where it starts
            self.start_index.insert((var, false), self.model.starts.len());
            self.model.starts.push(Given { var, value, span: target.span, at: None });
            self.driven_inputs.insert(var);
            let assigned = self.assigned_at.get(&target.name).copied().unwrap_or(target.span);
            self.driven_values.push((Given { var, value, span: target.span, at: None }, assigned));
            self.model.driven.push(var);
            return;
        }
        for v in self.model.graph.variables(value) {
            if !matches!(self.model.variable(v).role, Role::Parameter | Role::Input | Role::Mode) {
                let other = self.model.name(v);
                self.report(
                    Diagnostic::error(
                        "input-not-given",
                        target.span,
                        format!("the input `{name}` depends on `{other}`; an input is a given function of time"),
                    )
                    .help(format!("write `{name} = …` as an equation, without `input`")),
                );
                break;
            }
        }
        self.model.quantities[self.model.variables[var.0 as usize].quantity].declared = true;
        self.input_index.insert(var, self.model.inputs.len());
        self.model.inputs.push(Given { var, value, span: target.span, at: None });
    }

    /// Inputs may use each other, but not in a circle.
    fn check_inputs(&mut self) {
        // 0: not seen, 1: open, 2: done
        let mut state = vec![0u8; self.model.inputs.len()];
        for first in 0..state.len() {
            let mut stack = vec![first];
            while let Some(&k) = stack.last() {
                if state[k] != 0 {
                    state[k] = 2;
                    stack.pop();
                    continue;
                }
                state[k] = 1;
                let Given { var, value, span, .. } = self.model.inputs[k];
                let variables = self.model.graph.variables(value);
                let needed: Vec<usize> = variables.iter().filter_map(|v| self.input_index.get(v).copied()).collect();
                if needed.iter().any(|&other| state[other] == 1) {
                    let name = self.model.name(var);
                    self.error("circular-input", span, format!("the input `{name}` is defined by itself"));
                    self.model.inputs[k].value = self.model.graph.integer(1);
                    continue;
                }
                stack.extend(needed.into_iter().filter(|&other| state[other] == 0));
            }
        }
    }

    /// An input that events assign starts with its declared value and keeps it until then, so this must be a constant: a
    /// function of time would silently stop at its first value.
    fn check_driven_inputs(&mut self) {
        let mut told: Option<Span> = None;
        for (Given { var, value, span, .. }, assigned) in std::mem::take(&mut self.driven_values) {
            if told == Some(assigned) || !self.changes_in_time(value) {
                continue;
            }
            told = Some(assigned);
            let name = self.model.quantity(var).base.clone();
            let message = format!("`{name}` is given for all times where it is declared, and cannot be assigned, too");
            let help = format!(
                "let the event set values of its own, `init held = 0, chosen = 0` and here `held = …, chosen = 1`, and use \
                 `v = if chosen > 0.5 then held else {name}` in the equations; or declare `{name}` with a constant to start from"
            );
            let found = Diagnostic::error("assigned-input", assigned, message).label(span, "given here").help(help);
            self.report(found);
        }
    }

    /// ```text
    ///   u(t) = value[k] + slope[k]·(t − from[k]),   k = mode of the switch
    /// ```
    fn table_input(&mut self, table: &Table, name: &str) -> ExprId {
        let data = match (self.tables)(&table.path, name) {
            Ok(data) => data,
            Err(reason) => {
                self.report(
                    Diagnostic::error(
                        "table",
                        table.span,
                        format!("the table \"{}\" cannot be used: {reason}", table.path),
                    )
                    .help("a table has a column `time`, or the time in its first column, and numbers below, separated by commas"),
                );
                return self.model.graph.integer(0);
            }
        };
        if let Some(other) = &data.other_name {
            let message = format!("the input `{name}` is read from the column `{other}` of \"{}\"", table.path);
            let help = format!("it has no column `{name}`, and no other one beside the time");
            self.report(Diagnostic::warning("table-column", table.span, message).help(help));
        }
        if self.inputs == Inputs::Open {
            return self.model.number(data.values[0]);
        }
        let segments = data.segments(table.hold);
        let mut list = |numbers: Vec<f64>| {
            self.model.lists.push(numbers);
            ListId(self.model.lists.len() as u32 - 1)
        };
        let (breaks, from) = (list(segments.breaks), list(segments.from));
        let (value, slope) = (list(segments.value), list(segments.slope));
        let mode = self.segment_mode(Watch::Segment(breaks), table.span);
        let g = &mut self.model.graph;
        let (start, value, slope) = (g.lookup(from, mode), g.lookup(value, mode), g.lookup(slope, mode));
        if table.hold {
            return value;
        }
        let time = g.time();
        let since = g.sub(time, start);
        let rise = g.mul(slope, since);
        let joined = g.add(value, rise);
        // two rows of one time are a jump
        if data.times.windows(2).all(|pair| pair[0] < pair[1]) {
            self.model.joined_tables.insert(joined);
        }
        joined
    }

    fn equation(&mut self, left: Expr, right: Expr, span: Span) {
        let before = self.diagnostics.len();
        let left_id = self.number_expression(left, View::Trajectory);
        if let NodeKind::Variable { name, name_span, primes, .. } = self.tree.node(left.root).kind
            && let ordinate_expr::Expr::Var(v) = self.model.graph.node(left_id)
        {
            let role = self.model.variable(v).role;
            let what = match role {
                Role::Parameter => Some("a parameter"),
                Role::Input => Some("an input"),
                Role::Held if self.model.driven.contains(&v) => Some("an input"),
                Role::Held => Some("a value that events assign"),
                Role::Unknown | Role::Mode | Role::Delayed => None,
            };
            if let (Some(what), 0) = (what, primes) {
                let text = self.tree.name(name);
                self.report(
                    Diagnostic::error(
                        "defined-twice",
                        name_span,
                        format!("`{text}` is {what} and has an equation, too"),
                    )
                    .help(format!(
                        "remove one of the two; an equation for something else has `{text}` on its right: `… = {text}`"
                    )),
                );
                return;
            }
            let quantity = self.model.variable(v).quantity;
            self.model.quantities[quantity].declared = true;
        }
        if self.diagnostics.len() > before && matches!(self.tree.node(left.root).kind, NodeKind::Variable { .. }) {
            // it was to define what cannot be defined; as an equation it would only be one too many
            self.number_expression(right, View::Trajectory);
            return;
        }
        let right_id = self.number_expression(right, View::Trajectory);
        self.model.equations.push(Equation { left: left_id, right: right_id, span });
    }

    fn declare_output(&mut self, declaration: &Declaration) {
        let Some(var) = self.target_variable(&declaration.target, Role::Unknown) else { return };
        if let Some(value) = declaration.value {
            let left = self.model.graph.variable(var);
            let right = self.number_expression(value, View::Trajectory);
            let quantity = self.model.variable(var).quantity;
            self.model.quantities[quantity].declared = true;
            let span = declaration.target.span.to(self.tree.span(value));
            if self.model.variable(var).role == Role::Unknown {
                self.model.equations.push(Equation { left, right, span });
            } else {
                let name = self.model.name(var);
                self.report(
                    Diagnostic::error(
                        "defined-twice",
                        declaration.target.span,
                        format!("`{name}` is already declared otherwise"),
                    )
                    .help("give the output another name"),
                );
            }
        }
        if self.model.variable(var).role == Role::Parameter {
            self.mark_used(var);
        }
        if self.output_set.insert(var) {
            self.model.outputs.push(var);
        }
    }

    fn declare_start(&mut self, declaration: &Declaration, at: Option<(ExprId, Span)>, guess: bool) {
        let target = &declaration.target;
        let Some(value) = declaration.value else { return };
        let kind = self.kinds.get(&target.name).copied();
        if matches!(kind, Some(Kind::Parameter | Kind::Input)) {
            let name = self.tree.name(target.name);
            let what = if kind == Some(Kind::Parameter) { "a parameter" } else { "an input" };
            return self.error("superfluous-start", target.span, format!("`{name}` is {what} and has no start value"));
        }
        let value_id = self.number_expression(value, View::Instant);
        let before = self.model.variables.len();
        let Some(var) = self.target_variable(target, Role::Unknown) else { return };
        let value_id = self.override_named(&self.model.name(var)).unwrap_or(value_id);
        if self.model.variables.len() > before && self.model.variable(var).role == Role::Unknown {
            // nothing else knows it: neither an equation nor an event
            let repeated = |last: &Diagnostic| last.code == "superfluous-start" && last.span == target.span;
            if self.model.variable_excused(var) {
                return;
            }
            let name = self.model.name(var);
            let quantity = self.model.variable(var).quantity;
            let known = self.model.quantities[quantity].members.iter().flatten().any(|v| (v.0 as usize) < before);
            self.model.quantities[quantity].reported |= !known;
            if self.diagnostics.last().is_some_and(repeated) {
                return;
            }
            let diagnostic = Diagnostic::error(
                "superfluous-start",
                target.span,
                format!("`{name}` has a start value but no equation"),
            );
            let others = &self.model.quantities[..self.model.quantities.len() - usize::from(!known)];
            let names: Vec<String> = others.iter().filter(|q| q.name == q.base).map(|q| q.name.clone()).collect();
            let (name, base) =
                (self.model.quantities[quantity].name.clone(), self.model.quantities[quantity].base.clone());
            let meant = if name == base { crate::closest(&base, names.iter().map(String::as_str)) } else { None };
            let elements = if name == base { self.model.elements_of(&base) } else { None };
            match meant.filter(|_| !known) {
                _ if let Some(elements) = elements => {
                    self.report(
                        diagnostic.help(format!("{elements}: give each its start value, `init {base}[1] = …`")),
                    );
                }
                Some(meant) => self.report(diagnostic.help(format!("did you mean `{meant}`?"))),
                None if known => {
                    let help = "the start value of the highest derivative follows from the equations";
                    self.model.pending.push((quantity, diagnostic.help(help)));
                    let members = &mut self.model.quantities[quantity].members;
                    members.retain(|member| member.is_none_or(|v| (v.0 as usize) < before));
                    return;
                }
                None => {
                    self.report(diagnostic.help(format!("add an equation such as `{name}' = …`, or remove this line")))
                }
            }
            self.model.doubtful.insert(base);
            return;
        }
        let given = Given { var, value: value_id, span: target.span, at };
        let list = if guess { &mut self.model.guesses } else { &mut self.model.starts };
        match self.start_index.entry((var, guess)) {
            Entry::Vacant(entry) => {
                entry.insert(list.len());
                list.push(given);
            }
            // the declared value of an input that events drive gives way to `init`
            Entry::Occupied(entry) if !guess && kind == Some(Kind::Held) && self.driven_inputs.remove(&var) => {
                list[*entry.get()] = given;
            }
            Entry::Occupied(entry) => {
                let first = list[*entry.get()].span;
                let name = self.model.name(var);
                self.report(
                    Diagnostic::error("duplicate-start", target.span, format!("`{name}` has two start values"))
                        .label(first, "the first one"),
                );
                return;
            }
        }
        let quantity = self.model.variable(var).quantity;
        self.model.quantities[quantity].declared = true;
    }

    fn condition(&mut self, e: Expr) -> ExprId {
        self.in_condition = true;
        let (id, kind) = self.expression(e, View::Trajectory);
        self.in_condition = false;
        let truth = self.expect_truth((id, kind), self.tree.span(e));
        if kind != Type::Truth || self.is_missing(e) {
            return truth;
        }
        if self.model.graph.variables(truth).is_empty() || !self.depends_on_modes(truth) {
            self.report(
                Diagnostic::warning(
                    "constant-condition",
                    self.tree.span(e),
                    "this condition never changes during a run",
                )
                .help("an event happens when its condition becomes true"),
            );
        }
        truth
    }

    fn depends_on_modes(&mut self, e: ExprId) -> bool {
        let variables = self.model.graph.variables(e);
        variables.into_iter().any(|v| self.model.variable(v).role == Role::Mode)
    }

    fn action(&mut self, list: &[Assignment], span: Span) -> usize {
        let mut assignments: Vec<(VarId, ExprId)> = Vec::with_capacity(list.len());
        self.counter = Some(None);
        for assignment in list {
            let value = self.number_expression(assignment.value, View::Instant);
            let Some(var) = self.target_variable(&assignment.target, Role::Unknown) else { continue };
            if assignments.iter().any(|(other, _)| *other == var) {
                let name = self.model.name(var);
                self.error("duplicate-assignment", assignment.target.span, format!("`{name}` is assigned twice here"));
            }
            let quantity = self.model.variable(var).quantity;
            self.model.quantities[quantity].declared = true;
            assignments.push((var, value));
        }
        assignments.extend(self.count_on());
        self.model.actions.push(Action { assignments, span });
        self.model.actions.len() - 1
    }

    fn every(&mut self, period: Expr, actions: &[Assignment], span: Span) {
        let value = self.number_expression(period, View::Instant);
        let at = self.tree.span(period);
        match self.model.constant(value) {
            Some(seconds) if seconds > 0.0 && seconds.is_finite() => {}
            Some(seconds) => {
                self.error("bad-value", at, format!("a sampling period must be positive, here it is {seconds}"))
            }
            None => self.error("not-constant", at, "a sampling period must be a constant expression"),
        }
        let action = self.action(actions, span);
        self.model.samples.push(Sample { period: value, action, span: at });
    }

    /// Start values may use each other: put them into an order in which they can be evaluated.
    fn order_starts(&mut self) {
        let starts = std::mem::take(&mut self.model.starts);
        let position: rustc_hash::FxHashMap<VarId, usize> =
            starts.iter().enumerate().map(|(k, given)| (given.var, k)).collect();
        let mut needs: Vec<Vec<usize>> = Vec::with_capacity(starts.len());
        for given in &starts {
            let mut list = Vec::new();
            for v in self.model.graph.variables(given.value) {
                match (position.get(&v), self.model.variable(v).role) {
                    (_, Role::Parameter | Role::Mode) => {}
                    (Some(&k), _) => list.push(k),
                    (None, Role::Input) if self.model.variable(given.var).role == Role::Held => {}
                    (None, _) if self.model.variable_excused(v) || self.model.variable_excused(given.var) => {}
                    (None, _) => {
                        let (name, other) = (self.model.name(given.var), self.model.name(v));
                        let message =
                            format!("the start value of `{name}` needs `{other}`, which has no start value of its own");
                        let found = Diagnostic::error("start-not-known", given.span, message)
                            .help("use parameters and other start values only");
                        // a name without any equation is reported as such
                        self.model.pending.push((self.model.variable(v).quantity, found));
                    }
                }
            }
            needs.push(list);
        }
        let mut order = Vec::with_capacity(starts.len());
        let mut state = vec![0u8; starts.len()];
        for first in 0..starts.len() {
            let mut stack = vec![(first, 0)];
            while let Some((k, next)) = stack.pop() {
                if next == 0 && state[k] != 0 {
                    if state[k] == 1 {
                        let name = self.model.name(starts[k].var);
                        self.error(
                            "circular-start",
                            starts[k].span,
                            format!("the start value of `{name}` needs itself"),
                        );
                    }
                    continue;
                }
                state[k] = 1;
                match needs[k].get(next) {
                    Some(&needed) => stack.extend([(k, next + 1), (needed, 0)]),
                    None => {
                        state[k] = 2;
                        order.push(starts[k]);
                    }
                }
            }
        }
        self.model.starts = order;
    }
}
