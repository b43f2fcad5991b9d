//! Tree to model: what every name means, arrays and `for` written out, functions put in, every
//! branch turned into a switch. Reports all mistakes; a part that is not understood is replaced by
//! something harmless, so that one mistake does not hide the next.

mod delay;
mod derivatives;
mod equality;
mod expression;
mod hold;
mod imperfection;
mod names;
mod of_time;
mod order;
mod statements;
mod transfer;
mod values;

use crate::{Given, Model, TableData, Watch};
pub use hold::Inputs;
use names::Kind;
use ordinate_expr::{ExprId, VarId};
use ordinate_syntax::{Diagnostic, Expr, Name, Span, Tree};
use rustc_hash::{FxHashMap, FxHashSet};

/// Values from outside that replace those of the model: `--set name=value`.
pub type Overrides = Vec<(String, String)>;

/// Why an override is refused: it is not a matter of the model but of the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetError {
    /// Neither a parameter, nor an input, nor a state.
    Unknown {
        /// The name as given.
        name: String,
        /// A name of the model that may be meant.
        suggestion: Option<String>,
    },
    /// It follows from the equations at all times, so it cannot be given.
    Follows {
        /// The name as given.
        name: String,
    },
    /// The value is not a constant expression.
    BadValue {
        /// The name as given.
        name: String,
        /// Its value as given.
        value: String,
    },
}

/// A resolved model, the mistakes found, and the overrides that do not fit.
pub struct Resolved {
    /// Usable if there are no errors.
    pub model: Model,
    /// In the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// Overrides that do not fit.
    pub set_errors: Vec<SetError>,
    /// What the names of the text stand for.
    pub names: TextNames,
}

/// What the names of a text stand for in its model.
#[derive(Clone, Debug, Default)]
pub struct TextNames {
    /// Quantities by name and index.
    pub quantities: FxHashMap<(Name, Vec<i64>), usize>,
    /// What each call of `delay`, `pade` or `laplace` stands for, by its place, in the order of evaluation.
    pub operators: FxHashMap<Span, Vec<ExprId>>,
}

/// Elements that all `for` loops of a model may make together.
const MAX_EXPANDED: usize = 1_000_000;
/// Variables (with their derivatives) and expressions that a model may have: either takes some hundred megabytes.
const MAX_VARIABLES: usize = 600_000;
const MAX_EXPRESSIONS: usize = 2_000_000;
/// Primes that a variable may have.
const MAX_PRIMES: u32 = 64;
/// After so many mistakes of the text no more are collected.
const MAX_DIAGNOSTICS: usize = 100;

/// Whether an expression is seen along the solution, where branches are switches, or at one instant
/// (parameters, start values, right-hand sides of actions), where they are just evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    Trajectory,
    Instant,
}

/// A number or a truth value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Number,
    Truth,
    /// Not known because of a mistake that is already reported: fits everywhere.
    Any,
}

/// `def name(parameters) = body`
struct Definition {
    parameters: Vec<Name>,
    body: Expr,
    span: Span,
}

struct Resolver<'a> {
    tree: &'a Tree,
    text: &'a str,
    model: Model,
    kinds: FxHashMap<Name, Kind>,
    definitions: FxHashMap<Name, Definition>,
    /// Definitions being put in, to find one that needs itself.
    open: Vec<Name>,
    called: FxHashMap<(Name, Vec<ExprId>, bool), (ExprId, Type)>,
    /// Values of loop indices and arguments, innermost last.
    bound: Vec<(Name, ExprId, Type)>,
    /// Names that some statement introduces: on the left of an equation, declared, assigned.
    introduced: FxHashSet<String>,
    /// Names of states, named expressions and start values, which no loop index may have.
    unknowns: FxHashSet<Name>,
    names: TextNames,
    watched: FxHashMap<Watch, VarId>,
    /// The variable s of transfer functions, made at its first use.
    transfer_s: Option<VarId>,
    /// Operators with states of their own: the same one twice has its states once.
    operators: FxHashMap<transfer::Key, ExprId>,
    /// What named expressions of time are whose derivatives have impulses.
    jumping_values: FxHashMap<VarId, ExprId>,
    used_parameters: Vec<bool>,
    input_index: FxHashMap<VarId, usize>,
    /// Where the start value (or guess) of a variable stands in its list.
    start_index: FxHashMap<(VarId, bool), usize>,
    driven_inputs: FxHashSet<VarId>,
    /// Inputs that events assign: as declared, and the first assignment.
    driven_values: Vec<(Given, Span)>,
    /// Where events assign a name first.
    assigned_at: FxHashMap<Name, Span>,
    output_set: FxHashSet<VarId>,
    /// Comparisons with `==` and `!=` along the solution.
    equalities: Vec<equality::Equality>,
    /// Inside the condition of `when` or `stop when`.
    in_condition: bool,
    /// Inside the assignments of `when` or `every`: what counts how often they happened, once something asks for it.
    counter: Option<Option<VarId>>,
    /// Loops that are already known to make nothing.
    empty_seen: FxHashSet<Span>,
    expanded: usize,
    /// Whether it was reported that there are too many expressions.
    overgrown: bool,
    overrides: &'a Overrides,
    override_used: Vec<bool>,
    inputs: Inputs,
    set_errors: Vec<SetError>,
    diagnostics: Vec<Diagnostic>,
    tables: &'a dyn Fn(&str, &str) -> Result<TableData, String>,
}

/// Resolves a tree. `tables` reads the column of a given name from the file of a given path.
pub fn resolve(
    tree: &Tree,
    text: &str,
    overrides: &Overrides,
    tables: &dyn Fn(&str, &str) -> Result<TableData, String>,
) -> Resolved {
    resolve_as(tree, text, overrides, tables, Inputs::Given)
}

/// The same, with inputs that are held.
pub fn resolve_as(
    tree: &Tree,
    text: &str,
    overrides: &Overrides,
    tables: &dyn Fn(&str, &str) -> Result<TableData, String>,
    inputs: Inputs,
) -> Resolved {
    let mut r = Resolver {
        tree,
        text,
        model: Model::default(),
        kinds: FxHashMap::default(),
        definitions: FxHashMap::default(),
        open: Vec::new(),
        called: FxHashMap::default(),
        bound: Vec::new(),
        introduced: FxHashSet::default(),
        unknowns: FxHashSet::default(),
        names: TextNames::default(),
        watched: FxHashMap::default(),
        transfer_s: None,
        operators: FxHashMap::default(),
        jumping_values: FxHashMap::default(),
        used_parameters: Vec::new(),
        input_index: FxHashMap::default(),
        start_index: FxHashMap::default(),
        driven_inputs: FxHashSet::default(),
        driven_values: Vec::new(),
        assigned_at: FxHashMap::default(),
        output_set: FxHashSet::default(),
        equalities: Vec::new(),
        in_condition: false,
        counter: None,
        empty_seen: FxHashSet::default(),
        expanded: 0,
        overgrown: false,
        overrides,
        override_used: vec![false; overrides.len()],
        inputs,
        set_errors: Vec::new(),
        diagnostics: Vec::new(),
        tables,
    };
    r.model.doubtful = crate::consequences::names_in(text, &tree.mistaken);
    r.collect_names();
    r.statements();
    r.reduce_derivatives();
    r.check_equalities();
    r.warn_unused_parameters();
    r.diagnostics.extend(crate::units::check(tree, text, &mut r.model));
    r.diagnostics.sort_by_key(|d| d.span);
    r.diagnostics.dedup();
    r.diagnostics.truncate(MAX_DIAGNOSTICS);
    Resolved { model: r.model, diagnostics: r.diagnostics, set_errors: r.set_errors, names: r.names }
}

impl Resolver<'_> {
    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(code, span, message));
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        // A loop repeats the mistakes of its body with other indices; the first time is enough.
        let told = |d: &Diagnostic| d.code == diagnostic.code && d.span == diagnostic.span;
        let repeated = self.diagnostics.iter().rev().take(8).any(told);
        // Twice the limit, since duplicates are removed at the end.
        if self.diagnostics.len() < 2 * MAX_DIAGNOSTICS && !repeated {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Whether the model may still grow; says once if not.
    fn may_grow(&mut self, span: Span) -> bool {
        let (many, help) = if self.model.variables.len() > MAX_VARIABLES {
            (format!("{MAX_VARIABLES} variables"), "check the bounds of its loops; loops inside loops multiply")
        } else if self.model.graph.len() > MAX_EXPRESSIONS {
            let help = "functions that call others several times multiply; name parts by equations of their own";
            (format!("{MAX_EXPRESSIONS} different expressions"), help)
        } else {
            return true;
        };
        if !std::mem::replace(&mut self.overgrown, true) {
            let message = format!("written out, the model has more than {many}");
            self.report(Diagnostic::error("too-large", span, message).help(help));
        }
        false
    }

    fn warn_unused_parameters(&mut self) {
        // of an array one element in use is enough
        let base = |r: &Self, var: VarId| r.model.quantity(var).base.clone();
        let used: FxHashSet<String> = self
            .model
            .parameters
            .iter()
            .filter(|given| self.used_parameters[given.var.0 as usize])
            .map(|given| base(self, given.var))
            .collect();
        for k in 0..self.model.parameters.len() {
            let given = self.model.parameters[k];
            let repeated = k > 0 && self.model.parameters[k - 1].span == given.span;
            if !repeated && !used.contains(&base(self, given.var)) {
                let name = self.model.name(given.var);
                self.report(Diagnostic::warning(
                    "unused-parameter",
                    given.span,
                    format!("parameter `{name}` is not used"),
                ));
            }
        }
    }
}
