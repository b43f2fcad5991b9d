//! The equations of a model as expressions: x′ = f(x, u, t) with everything put in that has a name, so that they can be
//! differentiated along the solution, simplified, bounded and printed in the model's own words.

use super::symbolic::SymbolicError;
use crate::Compiled;
use ordinate_expr::{Expr, ExprId, Graph, Interval, Leaf, Tape, VarId};
use ordinate_model::{Role, Sorted, instead, read_constant, simplified, vanishes};
use rustc_hash::FxHashMap;

/// x′ = f(x, u, t). Parameters stay symbols; inputs that are not driven are the functions of time that the model gives.
pub(super) struct Field {
    sorted: Sorted,
    /// All expressions.
    pub graph: Graph,
    /// The states.
    pub states: Vec<VarId>,
    /// Their names.
    pub names: Vec<String>,
    /// The driven inputs.
    pub inputs: Vec<VarId>,
    /// f, one per state.
    pub rates: Vec<ExprId>,
    /// Parameters as expressions of numbers.
    parameters: FxHashMap<VarId, ExprId>,
    place: FxHashMap<VarId, usize>,
}

/// An expression longer than this is not multiplied out for readability: it would become longer.
const LONGEST: usize = 4000;

impl Field {
    /// The equations; the error says what they have that has no derivatives.
    pub fn new(compiled: &Compiled, driven: &[VarId]) -> Result<Field, SymbolicError> {
        let mut sorted = Sorted::clone(&compiled.sorted);
        if let Some(algebraic) = sorted.algebraic.first() {
            return Err(SymbolicError::model(
                format!("`{}` has no formula: its equation is implicit", sorted.model.name(algebraic.var)),
                "solve that equation for it by hand, so that every rate is a formula of the states",
            ));
        }
        if sorted.structure.index > 1 || !sorted.invariants.is_empty() {
            return Err(SymbolicError::model(
                "the model has constraints between its states (its index is above 1)",
                "write it in coordinates that are free, such as an angle instead of x and y",
            ));
        }
        if sorted.visible < sorted.states.len() {
            return Err(SymbolicError::model(
                "the model has states that its text does not name, of `laplace`, `pade` or a derivative of an input",
                "write their equations out",
            ));
        }
        driven.iter().for_each(|v| sorted.definitions[v.0 as usize] = None);
        let states: Vec<VarId> = sorted.states.iter().map(|state| state.var).collect();
        let mut graph = std::mem::take(&mut sorted.model.graph);
        let mut parameters: FxHashMap<VarId, ExprId> = FxHashMap::default();
        for given in &sorted.model.parameters {
            let value = graph.substitute(given.value, |v| parameters.get(&v).copied());
            parameters.insert(given.var, value);
        }
        let places = states.iter().chain(driven).enumerate().map(|(k, &v)| (v, k)).collect();
        let mut field = Field {
            names: states.iter().map(|&v| sorted.model.name(v)).collect(),
            rates: Vec::new(),
            inputs: driven.to_vec(),
            place: places,
            sorted,
            graph,
            states,
            parameters,
        };
        for k in 0..field.states.len() {
            let derivative = field.sorted.states[k].derivative;
            let derivative = field.graph.variable(derivative);
            let what = format!("the rate of `{}`", field.names[k]);
            let rate = field.inlined(derivative, &what)?;
            field.rates.push(rate);
        }
        Ok(field)
    }

    /// Number of states.
    pub fn order(&self) -> usize {
        self.states.len()
    }

    /// The name of a variable.
    pub fn name(&self, v: VarId) -> String {
        self.sorted.model.name(v)
    }

    /// The variable of a name that stands for an expression: a state, a named expression, an output.
    pub fn by_name(&self, name: &str) -> Option<VarId> {
        let model = &self.sorted.model;
        let all = (0..model.variables.len() as u32).map(VarId);
        let known = |v: &VarId| model.variable(*v).role == Role::Unknown && model.name(*v) == name;
        all.into_iter().find(known)
    }

    /// What a variable is, in states, parameters, driven inputs and t.
    pub fn expression_of(&mut self, v: VarId, what: &str) -> Result<ExprId, SymbolicError> {
        let e = self.graph.variable(v);
        self.inlined(e, what)
    }

    /// The expression with all that has a definition put in; `what` it is for messages.
    fn inlined(&mut self, mut e: ExprId, what: &str) -> Result<ExprId, SymbolicError> {
        loop {
            let mut open = false;
            for v in self.graph.variables(e) {
                let known = self.place.contains_key(&v) || self.parameters.contains_key(&v);
                match self.sorted.model.variable(v).role {
                    _ if known => {}
                    Role::Mode => return Err(not_smooth(what)),
                    Role::Held => {
                        return Err(SymbolicError::model(
                            format!(
                                "{what} has `{}`, which `when` or `every` changes discontinuously",
                                self.sorted.model.name(v)
                            ),
                            "take the continuous form of the controller or of the plant",
                        ));
                    }
                    Role::Delayed => {
                        return Err(SymbolicError::model(
                            format!("{what} has a delay, and so a state that is a function"),
                            "write `pade(z, T, n)` instead of `delay(z, T)`",
                        ));
                    }
                    Role::Parameter | Role::Input | Role::Unknown => open = true,
                }
            }
            if !open {
                break;
            }
            let (definitions, place) = (&self.sorted.definitions, &self.place);
            let next = self.graph.substitute(e, |v| definitions[v.0 as usize].filter(|_| !place.contains_key(&v)));
            if next == e {
                return Err(SymbolicError::model(format!("{what} has no formula"), "give every name an equation"));
            }
            e = next;
        }
        let rough = |node: Expr| {
            use ordinate_expr::Function::{Abs, Floor, Sign};
            matches!(node, Expr::Select(..) | Expr::Lookup(..) | Expr::Call(Abs | Sign | Floor, _))
        };
        match self.graph.post_order(&[e]).into_iter().any(|id| rough(self.graph.node(id))) {
            true => Err(not_smooth(what)),
            false => Ok(e),
        }
    }

    /// The derivative along the solution: ∂e/∂t + ∂e/∂x f.
    pub fn along(&mut self, e: ExprId) -> ExprId {
        let (zero, one) = (self.graph.integer(0), self.graph.integer(1));
        let (place, rates, states) = (&self.place, &self.rates, self.states.len());
        self.graph.derivative(e, |leaf| match leaf {
            Expr::Time => one,
            Expr::Var(v) => place.get(&v).filter(|k| **k < states).map_or(zero, |k| rates[*k]),
            _ => zero,
        })
    }

    /// Whether an expression is zero everywhere. With numbers for the parameters if need be, so that 2 m − (m + m) is seen.
    pub fn vanishes(&mut self, e: ExprId) -> bool {
        if vanishes(&self.sorted, &mut self.graph, e) == Some(true) {
            return true;
        }
        let numbers = self.with_numbers(e);
        vanishes(&self.sorted, &mut self.graph, numbers) == Some(true)
    }

    /// The expression multiplied out, if that is shorter.
    pub fn simple(&mut self, e: ExprId) -> ExprId {
        if self.text(e).len() > LONGEST {
            return e;
        }
        match simplified(&self.sorted, &mut self.graph, e) {
            Some(simple) if self.text(simple).len() <= self.text(e).len() => simple,
            _ => e,
        }
    }

    /// The expression multiplied out.
    pub fn multiplied_out(&mut self, e: ExprId) -> Option<ExprId> {
        simplified(&self.sorted, &mut self.graph, e)
    }

    /// Squares completed, with numbers for the parameters.
    pub fn squares(&mut self, e: ExprId) -> Option<ordinate_model::Squares> {
        let numbers = self.with_numbers(e);
        ordinate_model::squares(&self.sorted, &mut self.graph, numbers)
    }

    /// The values of the parameters put in, exactly.
    pub fn with_numbers(&mut self, e: ExprId) -> ExprId {
        let parameters = &self.parameters;
        self.graph.substitute(e, |v| parameters.get(&v).copied())
    }

    /// In the names of the model.
    pub fn text(&self, e: ExprId) -> String {
        let model = &self.sorted.model;
        let rank = |v: VarId| match model.variable(v).role {
            Role::Parameter => v.0,
            _ => 1 << 30 | v.0,
        };
        self.graph.formula(e, &|v| model.name(v), &rank)
    }

    /// A tape of expressions over [states | driven inputs | t].
    pub fn tape(&mut self, roots: &[ExprId]) -> Tape {
        let numbers: Vec<ExprId> = roots.iter().map(|&root| self.with_numbers(root)).collect();
        let (place, last) = (&self.place, self.states.len() + self.inputs.len());
        let leaf = |leaf: Expr| match leaf {
            Expr::Time => Some(Leaf::Place(last)),
            Expr::Var(v) => place.get(&v).map(|&k| Leaf::Place(k)),
            _ => None,
        };
        self.graph.tape(&numbers, leaf).expect("expressions of a field have states, inputs and t only")
    }

    /// ∂e/∂x by all states.
    pub fn gradient(&mut self, e: ExprId) -> Vec<ExprId> {
        let states = self.states.clone();
        states.into_iter().map(|v| self.graph.partial(e, v)).collect()
    }

    /// Whether t occurs in an expression.
    pub fn uses_time(&mut self, e: ExprId) -> bool {
        self.graph.uses_time(e)
    }

    /// A constant text such as `2*pi` or `-k/m` as an interval around its exact value.
    pub fn constant(&mut self, text: &str) -> Option<Interval> {
        let (model, parameters) = (&self.sorted.model, &self.parameters);
        let e = read_constant(&mut self.graph, text, &mut |_, name| {
            parameters.iter().find(|(v, _)| model.name(**v) == name).map(|(_, &value)| value)
        })?;
        let tape = self.graph.tape(&[e], |_| None)?;
        let value = tape.bounds(&[])[0];
        value.is_bounded().then_some(value)
    }

    /// Values of states (and, if they are asked for, of driven inputs) that are given as name and text.
    pub fn given(
        &mut self,
        option: &str,
        pairs: &[(String, String)],
        inputs: bool,
    ) -> Result<Vec<(usize, Interval)>, SymbolicError> {
        let mut names = self.names.clone();
        let driven: Vec<String> = self.inputs.iter().map(|&v| self.name(v)).collect();
        names.extend(driven.into_iter().filter(|_| inputs));
        let mut found = Vec::new();
        for (name, text) in pairs {
            let Some(k) = names.iter().position(|known| known == name) else {
                let instead = instead(name, names.iter().map(String::as_str));
                return Err(SymbolicError::Usage(format!(
                    "`{option} {name}=…`: there is no state `{name}`; {instead}"
                )));
            };
            let value = self.constant(text).ok_or_else(|| {
                SymbolicError::Usage(format!("`{option} {name}={text}`: the value is not a finite constant"))
            })?;
            found.push((k, value));
        }
        Ok(found)
    }
}

fn not_smooth(what: &str) -> SymbolicError {
    SymbolicError::model(
        format!("{what} is not smooth: it has a branch (`if`, `abs`, `min`, `max`, `sign`, a table)"),
        "take a smooth form, or the branch that holds where the loop works",
    )
}
