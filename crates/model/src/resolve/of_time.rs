//! Functions of time: inputs and named expressions of t, parameters, inputs and held values. What their derivatives are, and
//! how many of them have no impulses.

use super::Resolver;
use crate::model::NamedDerivative;
use crate::sort::Switches;
use crate::{Equation, Quantity, Role, Variable, Watch};
use ordinate_expr::{Expr as Term, ExprId, VarId};
use ordinate_syntax::Span;
use rustc_hash::{FxHashMap, FxHashSet};

impl Resolver<'_> {
    /// u′ of `u = …` where u is a function of time: a named expression of its own, or an impulse.
    pub(super) fn named_derivatives(&mut self) {
        let explicit = self.named_expressions();
        for quantity in 0..self.model.quantities.len() {
            let members: Vec<VarId> = self.model.quantities[quantity].members.iter().flatten().copied().collect();
            let [u, higher @ ..] = members.as_slice() else { continue };
            let (true, Some(&value)) = (!higher.is_empty(), explicit.get(u)) else { continue };
            let started = self.model.starts.iter().any(|given| self.model.variable(given.var).quantity == quantity);
            let own = |e: &Equation| matches!(self.model.graph.node(e.left), Term::Var(v) if higher.contains(&v));
            if started || self.model.equations.iter().any(own) || !self.is_of_time(value, &explicit) {
                continue;
            }
            let value = self.inlined(value, &explicit);
            let inside = self.model.graph.variables(value);
            let value = self.with_inputs(value);
            let allowed = self.derivatives_of(value);
            self.model.quantities[quantity].members.truncate(1);
            let mut slope = value;
            for (k, &v) in higher.iter().enumerate() {
                let span = self.model.variable(v).span;
                slope = self.time_derivative(slope);
                if allowed.is_some_and(|allowed| k + 1 > allowed) {
                    self.model.variables[v.0 as usize].role = Role::Input;
                    continue;
                }
                let primes = self.model.variable(v).primes;
                self.name_derivative(v, slope, span);
                let (own, equation) = (self.model.variable(v).quantity, self.model.equations.len() - 1);
                self.model.named_derivatives.push(NamedDerivative { quantity: own, of: quantity, primes, equation });
                self.model.differentiated.extend(&inside);
            }
            // impulses still look up their function here
            self.jumping_values.insert(*u, value);
        }
    }

    /// `output u'` of an input u that has the derivative.
    pub(super) fn input_outputs(&mut self) {
        for k in 0..self.model.outputs.len() {
            let v = self.model.outputs[k];
            let Variable { role, primes, quantity, span } = *self.model.variable(v);
            let input = self.model.quantities[quantity].members[0].and_then(|u| self.input_index.get(&u).copied());
            let (Some(input), true) = (input, role == Role::Input && primes > 0) else { continue };
            let mut slope = self.with_inputs(self.model.inputs[input].value);
            if self.derivatives_of(slope).is_none_or(|allowed| primes as usize <= allowed) {
                for _ in 0..primes {
                    slope = self.time_derivative(slope);
                }
                self.name_derivative(v, slope, span);
                self.model.differentiated.insert(self.model.inputs[input].var);
            }
        }
    }

    /// Makes a derivative a named expression of its own.
    fn name_derivative(&mut self, v: VarId, value: ExprId, span: Span) {
        let name = self.model.name(v);
        let new = Quantity {
            name: name.clone(),
            base: name,
            members: vec![Some(v)],
            declared: true,
            reported: false,
            hidden: false,
        };
        let before = self.model.variable(v).quantity;
        self.model.quantities[before].members.retain(|member| *member != Some(v));
        self.model.quantities.push(new);
        let quantity = self.model.quantities.len() - 1;
        let variable = &mut self.model.variables[v.0 as usize];
        (variable.quantity, variable.primes, variable.role) = (quantity, 0, Role::Unknown);
        let left = self.model.graph.variable(v);
        self.model.equations.push(Equation { left, right: value, span });
    }

    /// Right-hand sides of `v = …`.
    fn named_expressions(&mut self) -> FxHashMap<VarId, ExprId> {
        let mut explicit = FxHashMap::default();
        for equation in &self.model.equations {
            if let Term::Var(v) = self.model.graph.node(equation.left)
                && self.model.variable(v).primes == 0
                && self.model.variable(v).role == Role::Unknown
            {
                explicit.insert(v, equation.right);
            }
        }
        explicit
    }

    /// Whether an expression is made of t, parameters, inputs, held values and named expressions of such.
    fn is_of_time(&mut self, e: ExprId, explicit: &FxHashMap<VarId, ExprId>) -> bool {
        let watches: FxHashMap<VarId, Watch> = self.model.switches.iter().map(|s| (s.mode, s.watch)).collect();
        let mut seen = FxHashSet::default();
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            for v in self.model.graph.variables(e) {
                if !seen.insert(v) {
                    continue;
                }
                match self.model.variable(v).role {
                    Role::Parameter | Role::Input | Role::Held => {}
                    Role::Mode => match watches.get(&v) {
                        Some(Watch::Sign(g) | Watch::Floor(g)) => open.push(*g),
                        Some(Watch::Segment(_)) | None => {}
                    },
                    Role::Delayed => return false,
                    Role::Unknown => match explicit.get(&v) {
                        Some(&value) => open.push(value),
                        None => return false,
                    },
                }
            }
        }
        true
    }

    /// Whether an expression changes along a solution: it is not made of numbers, parameters and inputs of such alone. What
    /// has no equation does not count, it is reported elsewhere.
    pub(super) fn changes_in_time(&mut self, e: ExprId) -> bool {
        let watches: FxHashMap<VarId, Watch> = self.model.switches.iter().map(|s| (s.mode, s.watch)).collect();
        let mut seen = FxHashSet::default();
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            if self.model.graph.uses_time(e) {
                return true;
            }
            for v in self.model.graph.variables(e) {
                if !seen.insert(v) {
                    continue;
                }
                match self.model.variable(v).role {
                    Role::Parameter => {}
                    Role::Input => open.extend(self.input_index.get(&v).map(|&k| self.model.inputs[k].value)),
                    Role::Mode => match watches.get(&v) {
                        Some(Watch::Sign(g) | Watch::Floor(g)) => open.push(*g),
                        Some(Watch::Segment(_)) | None => return true,
                    },
                    Role::Unknown if !self.model.quantity(v).declared => {}
                    Role::Unknown | Role::Held | Role::Delayed => return true,
                }
            }
        }
        false
    }

    /// An expression with named expressions put in. One that needs itself is left: it is a loop, not a function of time.
    fn inlined(&mut self, e: ExprId, explicit: &FxHashMap<VarId, ExprId>) -> ExprId {
        let mut e = e;
        for _ in 0..explicit.len() {
            if !self.model.graph.variables(e).iter().any(|v| explicit.contains_key(v)) {
                break;
            }
            e = self.model.graph.substitute(e, |v| explicit.get(&v).copied());
        }
        e
    }

    /// An expression with inputs put in that are made of other inputs.
    pub(super) fn with_inputs(&mut self, e: ExprId) -> ExprId {
        let mut e = e;
        for _ in 0..=self.model.inputs.len() {
            let variables = self.model.graph.variables(e);
            if !variables.iter().any(|v| self.input_index.contains_key(v)) {
                break;
            }
            let (index, inputs) = (&self.input_index, &self.model.inputs);
            e = self.model.graph.substitute(e, |v| index.get(&v).map(|&k| inputs[k].value));
        }
        e
    }

    /// de/dt of a function of time without inputs, between its jumps.
    pub(super) fn time_derivative(&mut self, e: ExprId) -> ExprId {
        let g = &mut self.model.graph;
        let (zero, one) = (g.integer(0), g.integer(1));
        g.derivative(e, |leaf| if leaf == Term::Time { one } else { zero })
    }

    /// How many derivatives of a function of time without inputs are free of impulses; `None` if all are.
    pub(super) fn derivatives_of(&mut self, e: ExprId) -> Option<usize> {
        let variables = self.model.graph.variables(e);
        let jumps = |v: &VarId| matches!(self.model.variable(*v).role, Role::Mode | Role::Held);
        if !variables.iter().any(jumps) {
            return None;
        }
        Some(usize::from(self.model.is_smooth(e, 1, Switches::All)))
    }
}
