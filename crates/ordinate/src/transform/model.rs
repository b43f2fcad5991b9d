//! A polynomial system as the text of a model that runs: parameters, equations, events, start values.

use super::Polynomial;
use super::deviations::{Deviations, USUAL};
use crate::short;
use ordinate_expr::{Expr, ExprId, Function, Graph, VarId};
use ordinate_model::{Model, Watch};
use ordinate_syntax::{Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// Writing to a string does not fail.
const OK: &str = "a string takes all text";

/// Names that a text may use: those of the model, and new ones for states that its text does not name.
struct Names(Vec<String>);

impl Names {
    /// `pade(x,T,5)#2` becomes `pade_2`, or the next that is free.
    fn new(model: &Model) -> Names {
        let plain = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let mut taken: FxHashSet<String> = model.quantities.iter().map(|q| q.base.clone()).collect();
        let names = model.quantities.iter().map(|quantity| {
            if !quantity.hidden || plain(&quantity.name) {
                return quantity.name.clone();
            }
            let word: String = quantity.name.chars().take_while(|&c| c.is_alphanumeric() || c == '_').collect();
            let free =
                (1..).map(|k| format!("{word}_{k}")).find(|name| !taken.contains(name)).expect("numbers do not end");
            taken.insert(free.clone());
            free
        });
        Names(names.collect())
    }

    fn of(&self, model: &Model, v: VarId) -> String {
        let variable = model.variable(v);
        format!("{}{}", self.0[variable.quantity], "'".repeat(variable.primes as usize))
    }
}

/// Prints expressions with switches as they are written in the language: `g < 0` instead of a mode.
struct Writer<'a> {
    model: &'a Model,
    names: Names,
    graph: Graph,
    watches: FxHashMap<VarId, (Watch, Span)>,
    /// Where a switch was met that the language cannot express.
    table: Option<Span>,
    /// Whether there is noise, whose counters the text does not name.
    noise: bool,
}

impl Writer<'_> {
    fn text(&mut self, e: ExprId) -> String {
        let e = self.plain(e);
        self.graph.print(e, &|v| self.name(v))
    }

    fn name(&self, v: VarId) -> String {
        self.names.of(self.model, v)
    }

    /// The expression without modes. What a switch watches may itself have switches, of smaller numbers.
    fn plain(&mut self, e: ExprId) -> ExprId {
        let mut new: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        let zero = self.graph.integer(0);
        for id in self.graph.post_order(&[e]) {
            let node = self.graph.node(id);
            let image = match node {
                Expr::Var(v) => match self.watched(v) {
                    Some((f, g)) => self.graph.call(f, g),
                    None => id,
                },
                Expr::Less(a, b) | Expr::LessEqual(a, b) | Expr::Equal(a, b) => {
                    // the sign of g compared with zero is g compared with zero
                    let side = |writer: &mut Self, x: ExprId, other: ExprId| match writer.graph.node(x) {
                        Expr::Var(v) if other == zero => match writer.watched(v) {
                            Some((Function::Sign, g)) => g,
                            _ => new[&x],
                        },
                        _ => new[&x],
                    };
                    let (p, q) = (side(self, a, b), side(self, b, a));
                    match node {
                        Expr::Less(..) => self.graph.less(p, q),
                        Expr::LessEqual(..) => self.graph.less_equal(p, q),
                        _ => self.graph.equal(p, q),
                    }
                }
                Expr::Lookup(..) => {
                    self.table.get_or_insert(Span::default());
                    id
                }
                _ => {
                    self.noise |= matches!(node, Expr::Call(Function::Noise, _));
                    self.graph.rebuilt(id, |operand| new[&operand])
                }
            };
            new.insert(id, image);
        }
        new[&e]
    }

    fn watched(&mut self, v: VarId) -> Option<(Function, ExprId)> {
        let (watch, span) = *self.watches.get(&v)?;
        match watch {
            Watch::Sign(g) => Some((Function::Sign, self.plain(g))),
            Watch::Floor(g) => Some((Function::Floor, self.plain(g))),
            Watch::Segment(_) => {
                self.table.get_or_insert(span);
                None
            }
        }
    }

    fn has_modes(&mut self, e: ExprId) -> bool {
        self.graph.variables(e).iter().any(|v| self.watches.contains_key(v))
    }
}

impl Polynomial {
    /// The system as a model that runs. Tables cannot be written, nor auxiliary states that change where a switch does.
    pub fn model(&self, name: &str) -> Result<String, Vec<Diagnostic>> {
        let sorted = &self.sorted;
        let model = &sorted.model;
        let mut writer = Writer {
            model,
            names: Names::new(model),
            graph: model.graph.clone(),
            watches: model.switches.iter().map(|s| (s.mode, (s.watch, s.span))).collect(),
            table: None,
            noise: false,
        };
        let (start, _) = self.start()?;
        let mut out = String::new();
        let mut line = |text: String| writeln!(out, "{text}").expect(OK);
        line(format!("# The polynomial system of {name}, written by `ordinate transform`."));
        for state in &sorted.states[..self.visible] {
            let (own, name) = (model.name(state.var), writer.name(state.var));
            if own != name {
                line(format!("# {name} is the state {own}."));
            }
        }
        let deviations = self.deviations();
        if let Some(comment) = deviations.comment() {
            line(comment);
            if model.run.is_none() {
                line(format!("# (The model has no `run` line: it was followed from t = {} to {}.)", USUAL.0, USUAL.1));
            }
        }
        for given in &model.parameters {
            line(format!("param {} = {}", writer.name(given.var), writer.text(given.value)));
        }
        for given in &model.inputs {
            line(format!("input {} = {}", writer.name(given.var), writer.text(given.value)));
        }
        line(String::new());
        self.write_equations(&mut writer, &deviations, &mut line);
        line(String::new());
        for &v in sorted.columns.iter().filter(|v| sorted.definitions[v.0 as usize].is_some()) {
            let definition = sorted.definitions[v.0 as usize].expect("filtered");
            let head = if model.outputs.contains(&v) { "output " } else { "" };
            line(format!("{head}{} = {}", writer.name(v), writer.text(definition)));
        }
        self.write_events(&mut writer, &mut line)?;
        line(String::new());
        for given in &model.starts {
            let state = sorted.states.iter().position(|state| state.var == given.var);
            let mut value = writer.text(given.value);
            if let Some(k) = state.filter(|_| writer.has_modes(given.value) || writer.graph.uses_time(given.value)) {
                value = format!("{:?}", start[k]);
            }
            line(format!("init {} = {value}", writer.name(given.var)));
        }
        if let Some((from, to)) = model.run {
            line(format!("run {} .. {}", writer.text(from), writer.text(to)));
        }
        if writer.noise {
            let message = "a model with `noise` cannot be written as polynomial equations";
            let found = Diagnostic::error("not-expressible", Span::default(), message);
            return Err(vec![found.help("use `--format text` or `json`")]);
        }
        match writer.table {
            None => Ok(out),
            Some(span) => Err(vec![
                Diagnostic::error("not-expressible", span, "a model with a table cannot be written as equations")
                    .help("use `--format text` or `json`, or give the input as an expression"),
            ]),
        }
    }

    fn write_equations(&self, writer: &mut Writer, deviations: &Deviations, line: &mut dyn FnMut(String)) {
        let names: Vec<String> = self.sorted.states.iter().map(|state| writer.name(state.var)).collect();
        for (k, terms) in self.equations.iter().enumerate() {
            let terms: Vec<ordinate_model::Term> = terms
                .iter()
                .map(|term| ordinate_model::Term { coefficient: writer.plain(term.coefficient), ..term.clone() })
                .collect();
            let name = |k: usize| names[k].clone();
            let mut side = self.side(&writer.graph, &terms, &name, &|g, e| g.print(e, &|v| writer.name(v)));
            let left = format!("{}'", names[k]);
            if let (Some(by), Some(place)) = (deviations.damping(), k.checked_sub(self.visible)) {
                let definition = writer.text(self.sorted.auxiliary[place]);
                side += &format!(" - {}*({} - ({definition}))", short(by), names[k]);
            }
            // x' is a state because x'' has an equation
            if left != side {
                line(format!("{left} = {side}"));
            }
        }
    }

    fn write_events(&self, writer: &mut Writer, line: &mut dyn FnMut(String)) -> Result<(), Vec<Diagnostic>> {
        let model = &self.sorted.model;
        for condition in &model.conditions {
            let truth = writer.text(condition.truth);
            match condition.action {
                None => line(format!("stop when {truth}")),
                Some(action) => line(format!("when {truth}: {}", self.assignments(writer, action))),
            }
        }
        for sample in &model.samples {
            line(format!("every {}: {}", writer.text(sample.period), self.assignments(writer, sample.action)));
        }
        // what exists in one branch only gets its value where the branch begins
        let auxiliary = &self.sorted.auxiliary;
        for ((&value, &meaning), name) in auxiliary.iter().zip(&self.meanings).zip(&self.names()[self.visible..]) {
            if writer.has_modes(meaning) {
                let span = self.sorted.states[0].var;
                return Err(vec![
                    Diagnostic::error(
                        "not-expressible",
                        model.variable(span).span,
                        format!("`{}` jumps where a switch changes, which a model cannot say", model.print(meaning)),
                    )
                    .help("use `--format text` or `json`"),
                ]);
            }
            if let Expr::Select(condition, ..) = writer.graph.node(value)
                && value != meaning
            {
                let (condition, meaning) = (writer.text(condition), writer.text(meaning));
                line(format!("when {condition}: {name} = {meaning}"));
            }
        }
        Ok(())
    }

    /// The assignments of an action, and what follows from them for the auxiliary states.
    fn assignments(&self, writer: &mut Writer, action: usize) -> String {
        let model = &self.sorted.model;
        let list = &model.actions[action].assignments;
        let new: FxHashMap<VarId, ExprId> = list.iter().copied().collect();
        let mut parts: Vec<String> =
            list.iter().map(|&(v, value)| format!("{} = {}", writer.name(v), writer.text(value))).collect();
        for (name, &meaning) in self.names()[self.visible..].iter().zip(&self.meanings) {
            let value = writer.graph.substitute(meaning, |v| new.get(&v).copied());
            if value != meaning {
                parts.push(format!("{name} = {}", writer.text(value)));
            }
        }
        parts.join(", ")
    }
}
