//! The model: variables, equations, events. Plain data, no behaviour but look-up.

use crate::Unit;
use ordinate_expr::{Decimal, Expr, ExprId, Function, Graph, ListId, VarId};
use ordinate_syntax::{Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a variable is in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Constant during a run.
    Parameter,
    /// A given function of time.
    Input,
    /// Determined by the equations, as a state or by an algebraic equation.
    Unknown,
    /// Assigned by `when` or `every`, constant in between.
    Held,
    /// On which side of a switch the solution is.
    Mode,
    /// What a quantity was some time ago.
    Delayed,
}

/// A variable: one derivative of one quantity.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The quantity it belongs to, an index into [`Model::quantities`].
    pub quantity: usize,
    /// Which derivative.
    pub primes: u32,
    /// What it is.
    pub role: Role,
    /// Where it was first used or declared.
    pub span: Span,
}

/// A name, or one element of an array, with all its derivatives.
#[derive(Clone, Debug)]
pub struct Quantity {
    /// As written: `phi`, `u[3]`.
    pub name: String,
    /// The name without an index.
    pub base: String,
    /// Its variables by number of primes.
    pub members: Vec<Option<VarId>>,
    /// Whether something besides its use says that it is a quantity of the model: it is the left-hand side
    /// of an equation, has a prime or a start value. Otherwise it may be a misspelt name.
    pub declared: bool,
    /// Whether it was reported already that nothing determines it.
    pub reported: bool,
    /// Whether the text does not name it: it is a state of `pade`, `laplace` or a reduced equation, or their s.
    pub hidden: bool,
}

/// A value given to a variable: of a parameter, an input, a start value, a guess.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    /// Whose value.
    pub var: VarId,
    /// The value.
    pub value: ExprId,
    /// The place.
    pub span: Span,
    /// `y(a) = …`: the time a that must be the start time.
    pub at: Option<(ExprId, Span)>,
}

/// left = right
#[derive(Clone, Copy, Debug)]
pub struct Equation {
    /// Left-hand side.
    pub left: ExprId,
    /// Right-hand side.
    pub right: ExprId,
    /// The place.
    pub span: Span,
}

/// What a switch watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Watch {
    /// The sign of an expression.
    Sign(ExprId),
    /// The integer part of an expression.
    Floor(ExprId),
    /// The segment of a table, by its break points.
    Segment(ListId),
}

impl Watch {
    /// What changes its sign, if that is watched.
    pub(crate) fn sign(self) -> Option<ExprId> {
        match self {
            Watch::Sign(g) => Some(g),
            Watch::Floor(_) | Watch::Segment(_) => None,
        }
    }
}

/// A switch: what it watches and the variable that holds its mode.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// What it watches.
    pub watch: Watch,
    /// Its mode.
    pub mode: VarId,
    /// Where it comes from.
    pub span: Span,
}

/// Assignments that happen together.
#[derive(Clone, Debug)]
pub struct Action {
    /// Targets and their new values.
    pub assignments: Vec<(VarId, ExprId)>,
    /// The place.
    pub span: Span,
}

/// `when` and `stop when`.
#[derive(Clone, Copy, Debug)]
pub struct Condition {
    /// Its truth, made of modes.
    pub truth: ExprId,
    /// The action to run, or `None` to stop.
    pub action: Option<usize>,
    /// The place of the condition.
    pub span: Span,
}

/// `every`.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// The period.
    pub period: ExprId,
    /// The action.
    pub action: usize,
    /// The place of the period.
    pub span: Span,
}

/// `delay(z, T, past)`.
#[derive(Clone, Copy, Debug)]
pub struct Delayed {
    /// The delayed value w(t) = z(t − T).
    pub var: VarId,
    /// z.
    pub of: ExprId,
    /// T, a constant expression.
    pub time: ExprId,
    /// What z was before the start, an expression of t, parameters and hidden values.
    pub past: ExprId,
    /// The place.
    pub span: Span,
}

/// A `for` from a larger to a smaller number.
#[derive(Clone, Debug)]
pub struct EmptyLoop {
    /// Its bounds.
    pub bounds: (i64, i64),
    /// Their place.
    pub span: Span,
    /// The names in its body.
    pub names: FxHashSet<String>,
    /// Whether something is missing that it would have made.
    pub blamed: bool,
}

/// u⁽ᵏ⁾ of `u = …` with a function of time, as a quantity of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedDerivative {
    /// Its own quantity.
    pub quantity: usize,
    /// That of u.
    pub of: usize,
    /// k
    pub primes: u32,
    /// Its own equation.
    pub equation: usize,
}

/// A model whose names are understood.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// All expressions.
    pub graph: Graph,
    /// By [`VarId`].
    pub variables: Vec<Variable>,
    /// In the order of first appearance, those of equations first.
    pub quantities: Vec<Quantity>,
    /// In an order in which they can be evaluated.
    pub parameters: Vec<Given>,
    /// Their values.
    pub values: FxHashMap<VarId, f64>,
    /// Those whose values decided which equations there are: in bounds of loops, indices, orders, seeds, and in terms that a
    /// value of zero removes. In the order of the text.
    pub structural: Vec<VarId>,
    /// Inputs and their expressions.
    pub inputs: Vec<Given>,
    /// Inputs that `when` or `every` drives: held values, but inputs of what is controlled.
    pub driven: Vec<VarId>,
    /// Inputs that are held between samples, or set by whoever steps the model.
    pub held_inputs: FxHashSet<VarId>,
    /// Inputs, parameters and held values whose derivative in time stands somewhere, put in or zero: who lets them vary
    /// otherwise must give that, too.
    pub differentiated: FxHashSet<VarId>,
    /// The equations in the order of the text.
    pub equations: Vec<Equation>,
    /// Derivatives of named functions of time, which have names and equations of their own.
    pub(crate) named_derivatives: Vec<NamedDerivative>,
    /// Derivatives that were states but for the jumps of an input: shown like states, after them.
    pub jumping: Vec<VarId>,
    /// What is declared as an output.
    pub outputs: Vec<VarId>,
    /// Start values, in an order in which they can be evaluated.
    pub starts: Vec<Given>,
    /// Start values of hidden states, made of what holds just before the start.
    pub hidden: Vec<Given>,
    /// Where an iteration for a start value begins.
    pub guesses: Vec<Given>,
    /// The switches.
    pub switches: Vec<Switch>,
    /// So many of them, the first ones, are read by inputs that are sampled, and by nothing else.
    pub sampled_switches: usize,
    /// The actions of `when` and `every`.
    pub actions: Vec<Action>,
    /// `when` and `stop when`.
    pub conditions: Vec<Condition>,
    /// `every`.
    pub samples: Vec<Sample>,
    /// The delayed quantities.
    pub delays: Vec<Delayed>,
    /// Tables with straight lines between their points: their pieces meet.
    pub joined_tables: FxHashSet<ExprId>,
    /// Columns of tables.
    pub lists: Vec<Vec<f64>>,
    /// Start and end time.
    pub run: Option<(ExprId, ExprId)>,
    /// Declared units by name (without index and primes).
    pub units: Vec<(String, Unit)>,
    /// The same as written, by name and number of primes.
    pub unit_texts: Vec<(String, u32, String)>,
    /// Names (without index and primes) that stand in a statement with a mistake. Their equations and start values may
    /// be missing for that reason.
    pub doubtful: FxHashSet<String>,
    /// Loops that make no element.
    pub empty_loops: Vec<EmptyLoop>,
    /// Mistakes about a quantity that are told unless it turns out to have no equation at all.
    pub pending: Vec<(usize, Diagnostic)>,
}

impl Model {
    /// The variable behind an id.
    pub fn variable(&self, v: VarId) -> &Variable {
        &self.variables[v.0 as usize]
    }

    /// Its quantity.
    pub fn quantity(&self, v: VarId) -> &Quantity {
        &self.quantities[self.variable(v).quantity]
    }

    /// Which elements an array has, for the help of a message; `None` where the name is not that of an array.
    pub(crate) fn elements_of(&self, base: &str) -> Option<String> {
        let mut elements = self.quantities.iter().filter(|q| q.base == base && q.name != q.base && q.declared);
        let first = &elements.next()?.name;
        Some(match elements.next_back() {
            None => format!("`{base}` has only the element `{first}`"),
            Some(last) => format!("`{base}` has the elements `{first}` … `{}`", last.name),
        })
    }

    /// The name with index and primes.
    pub fn name(&self, v: VarId) -> String {
        let variable = self.variable(v);
        format!("{}{}", self.quantities[variable.quantity].name, "'".repeat(variable.primes as usize))
    }

    /// Whether what is missing about a name (without index) is the consequence of a mistake that is or will be
    /// reported: of a statement that was not understood, or of a loop that makes nothing.
    pub(crate) fn excused(&mut self, base: &str) -> bool {
        if self.doubtful.contains(base) {
            return true;
        }
        let mut empty = self.empty_loops.iter_mut().filter(|empty| empty.names.contains(base));
        empty.next().map(|empty| empty.blamed = true).is_some()
    }

    /// The same for the name of a variable.
    pub(crate) fn variable_excused(&mut self, v: VarId) -> bool {
        let base = self.quantity(v).base.clone();
        self.excused(&base)
    }

    /// The value of an expression of numbers and parameters; `None` if it has others.
    pub fn constant(&mut self, e: ExprId) -> Option<f64> {
        if let Some(value) = self.graph.constant_value(e) {
            return Some(value.to_f64());
        }
        let values = &self.values;
        self.graph.evaluate(e, |leaf| match leaf {
            Expr::Var(v) => values.get(&v).copied(),
            _ => None,
        })
    }

    /// A double as a constant: its shortest decimal is read back as the same double.
    pub(crate) fn number(&mut self, value: f64) -> ExprId {
        let pieces = Decimal::parse(&format!("{:e}", value.abs())).expect("a finite number is a literal");
        let size = self.graph.sum_of(&pieces);
        if value < 0.0 { self.graph.neg(size) } else { size }
    }

    /// An expression as text.
    pub fn print(&self, e: ExprId) -> String {
        self.graph.print(e, &|v| self.name(v))
    }

    /// The same for a message: without modes, which only we have names for, but what they are the sign or the integer part of; a
    /// long formula is cut.
    pub fn print_short(&self, e: ExprId) -> String {
        const LONG: usize = 240;
        let mut graph = self.graph.clone();
        let mut e = e;
        // what a switch watches may read the modes of those before it
        for switch in self.switches.iter().rev() {
            let meaning = match switch.watch {
                Watch::Sign(g) => graph.call(Function::Sign, g),
                Watch::Floor(g) => graph.call(Function::Floor, g),
                Watch::Segment(_) => continue,
            };
            e = graph.substitute(e, |v| (v == switch.mode).then_some(meaning));
        }
        graph.print_within(e, &|v| self.name(v), LONG)
    }

    /// The unit of a name with primes for people: as it was written, where it was.
    pub fn unit_text(&self, base: &str, primes: u32) -> Option<String> {
        let written = |primes: u32| {
            self.unit_texts.iter().find(|(name, p, _)| name == base && *p == primes).map(|(_, _, text)| text)
        };
        if let Some(text) = written(primes) {
            return Some(text.clone());
        }
        let (_, unit) = self.units.iter().find(|(name, _)| name == base)?;
        Some(match written(0).filter(|text| !text.contains(['/', ' '])) {
            Some(text) if primes == 1 => format!("{text}/s"),
            Some(text) => format!("{text}/s^{primes}"),
            None => unit.per_time(primes).to_string(),
        })
    }

    /// The unit of a variable, where one is declared or follows from the quantity's.
    pub fn unit(&self, v: VarId) -> Option<Unit> {
        let base = &self.quantity(v).base;
        let (_, unit) = self.units.iter().find(|(name, _)| name == base)?;
        Some(unit.per_time(self.variable(v).primes))
    }

    /// The derivative of an unknown, made if the text does not have it.
    pub(crate) fn derivative_of(&mut self, v: VarId) -> VarId {
        let Variable { quantity, primes, role, span } = *self.variable(v);
        let known = self.quantities[quantity].members.get(primes as usize + 1).copied().flatten();
        known.unwrap_or_else(|| self.new_variable(quantity, primes + 1, role, span))
    }

    /// What a delayed value was before the start, as an expression of the time at which it is read.
    pub fn past_of(&mut self, delayed: Delayed) -> ExprId {
        let now = self.graph.time();
        let then = self.graph.sub(now, delayed.time);
        self.graph.at_time(delayed.past, then)
    }

    /// The value of this expression decides which equations there are.
    pub(crate) fn mark_structural(&mut self, e: ExprId) {
        if self.graph.constant_value(e).is_some() {
            return;
        }
        for v in self.graph.variables(e) {
            if !self.structural.contains(&v) {
                self.structural.push(v);
            }
        }
    }

    /// The same for the parameters of an expression that may have other variables.
    pub(crate) fn mark_parameters_structural(&mut self, e: ExprId) {
        for v in self.graph.variables(e) {
            if self.variable(v).role == Role::Parameter && !self.structural.contains(&v) {
                self.structural.push(v);
            }
        }
    }

    /// Adds a quantity that the text does not name.
    pub(crate) fn new_hidden(&mut self, name: String) -> usize {
        self.quantities.push(Quantity {
            base: name.clone(),
            name,
            members: Vec::new(),
            declared: true,
            reported: false,
            hidden: true,
        });
        self.quantities.len() - 1
    }

    /// Adds a switch; returns its mode.
    pub(crate) fn new_switch(&mut self, watch: Watch, span: Span) -> VarId {
        let name = format!("switch {}", self.switches.len() + 1);
        let mode = self.new_quantity(name.clone(), name, Role::Mode, span);
        self.switches.push(Switch { watch, mode, span });
        mode
    }

    /// Adds a quantity; returns its variable.
    pub(crate) fn new_quantity(&mut self, name: String, base: String, role: Role, span: Span) -> VarId {
        let (members, declared, reported, hidden) = (Vec::new(), false, false, false);
        self.quantities.push(Quantity { name, base, members, declared, reported, hidden });
        self.new_variable(self.quantities.len() - 1, 0, role, span)
    }

    /// Adds a variable.
    pub(crate) fn new_variable(&mut self, quantity: usize, primes: u32, role: Role, span: Span) -> VarId {
        let id = VarId(u32::try_from(self.variables.len()).expect("fewer than 2^32 variables"));
        self.variables.push(Variable { quantity, primes, role, span });
        let members = &mut self.quantities[quantity].members;
        if members.len() <= primes as usize {
            members.resize(primes as usize + 1, None);
        }
        members[primes as usize] = Some(id);
        id
    }
}
