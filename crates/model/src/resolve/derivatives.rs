//! Derivatives of given functions of time: `y'' + y = 3*u' + u` with an input or a named expression u of time.
//!
//! Where u has the derivative it is put in (MDOR). Where u jumps its derivative has impulses, so the equation is
//! rewritten for states that do not need it, successive integration with y kept as far as it is continuous:
//!
//! ```text
//!   y⁽ⁱ⁾ = xᵢ + Σ βₗ u⁽ⁱ⁻ˡ⁾,  l = r … i        r = n − m,  xᵢ₊₁ = xᵢ′ − βᵢ₊₁ u
//! ```
//! with β such that all derivatives of u cancel (Ogata, Modern Control Engineering, 2010, section 2-4). The states
//! y, …, y⁽ʳ⁻¹⁾ stay; xᵣ … xₙ₋₁ take the place of the others. Start values of y are those just before the start.

use super::Resolver;
use crate::reduction::Improper;
use crate::{Equation, Given, Role, Variable, Watch};
use ordinate_expr::{Expr as Term, ExprId, VarId};
use ordinate_syntax::{Diagnostic, Span};
use rustc_hash::FxHashMap;

/// Why an equation cannot be rewritten.
enum Refused {
    /// It is not linear with constant coefficients where it must be.
    NotLinear,
    /// It determines none or several quantities with derivatives.
    NoQuantity,
    /// The input has more derivatives than the quantity.
    Improper(Improper),
}

/// An equation to be rewritten.
struct Reduction {
    /// Its index.
    equation: usize,
    residual: ExprId,
    /// The quantity it determines, and y, y′, …, y⁽ⁿ⁾.
    quantity: usize,
    members: Vec<VarId>,
    /// The lowest derivative that jumps.
    r: usize,
    /// Of each function βᵣ … βₙ₋₁.
    betas: Vec<(VarId, Vec<ExprId>)>,
    /// u′, u″, … as they stand in the equation.
    impulses: Vec<VarId>,
}

impl Resolver<'_> {
    /// Replaces all derivatives of functions of time that jump, and of named expressions of time.
    pub(super) fn reduce_derivatives(&mut self) {
        self.named_derivatives();
        self.input_outputs();
        if !self.model.variables.iter().any(|variable| variable.role == Role::Input && variable.primes > 0) {
            return;
        }
        let mut dropped: FxHashMap<VarId, VarId> = FxHashMap::default();
        for k in 0..self.model.equations.len() {
            let Equation { left, right, span } = self.model.equations[k];
            if self.impulses(left).is_empty() && self.impulses(right).is_empty() {
                continue;
            }
            let residual = self.model.graph.sub(left, right);
            let jumping = self.impulses(residual);
            // u' - u' is nothing
            let Some(&first) = jumping.first() else {
                let zero = self.model.graph.integer(0);
                self.model.equations[k] = Equation { left: residual, right: zero, span };
                continue;
            };
            match self.reduction(k, residual, jumping) {
                Ok(reduction) => {
                    let above = &reduction.members[reduction.r + 1..];
                    dropped.extend(above.iter().map(|&v| (v, reduction.betas[0].0)));
                    self.rewrite(&reduction, span);
                }
                Err(refused) => self.refuse(refused, first, span),
            }
        }
        self.report_leftovers(&dropped);
    }

    /// The derivatives of functions that jump in an expression.
    fn impulses(&mut self, e: ExprId) -> Vec<VarId> {
        let variables = self.model.graph.variables(e);
        let jumping = |v: &VarId| {
            let variable = self.model.variable(*v);
            variable.role == Role::Input && variable.primes > 0
        };
        variables.into_iter().filter(jumping).collect()
    }

    /// How equation k can be rewritten, whose residual has the impulses given.
    fn reduction(&mut self, equation: usize, residual: ExprId, impulses: Vec<VarId>) -> Result<Reduction, Refused> {
        let quantity = self.determined(self.model.equations[equation].left, residual)?;
        let members: Vec<VarId> = self.model.quantities[quantity].members.iter().flatten().copied().collect();
        let n = members.len() - 1;
        let m = impulses.iter().map(|&v| self.model.variable(v).primes as usize).max().unwrap_or(0);
        if m > n {
            return Err(Refused::Improper(Improper { numerator: m, denominator: n }));
        }
        let r = n - m;
        // a[i] of y⁽ⁱ⁾ for i > r, all others are zero
        let zero = self.model.graph.integer(0);
        let mut a = vec![zero; n + 1];
        for i in r + 1..=n {
            a[i] = self.coefficient(residual, members[i])?;
        }
        // β of each function
        let mut functions: Vec<usize> = impulses.iter().map(|&v| self.model.variable(v).quantity).collect();
        functions.sort_unstable();
        functions.dedup();
        let mut betas: Vec<(VarId, Vec<ExprId>)> = Vec::new();
        for u in functions {
            let mut c = vec![zero; m + 1];
            for &v in &impulses {
                let variable = self.model.variable(v);
                if variable.quantity == u {
                    let primes = variable.primes as usize;
                    c[primes] = self.coefficient(residual, v)?;
                }
            }
            let base = self.model.quantities[u].members[0].expect("a function is declared without primes");
            betas.push((base, self.betas(&a, &c, n, r)));
        }
        Ok(Reduction { equation, residual, quantity, members, r, betas, impulses })
    }

    /// The quantity that an equation is for: the one whose highest derivative it is written for, or the only one whose
    /// highest derivative it has.
    fn determined(&mut self, left: ExprId, residual: ExprId) -> Result<usize, Refused> {
        let highest = |r: &Self, v: VarId| {
            let variable = r.model.variable(v);
            let quantity = &r.model.quantities[variable.quantity];
            let top = quantity.members.last() == Some(&Some(v));
            (variable.role == Role::Unknown && variable.primes > 0 && top && !quantity.hidden)
                .then_some(variable.quantity)
        };
        if let Term::Var(v) = self.model.graph.node(left)
            && let Some(quantity) = highest(self, v)
        {
            return Ok(quantity);
        }
        let variables = self.model.graph.variables(residual);
        let found: Vec<usize> = variables.into_iter().filter_map(|v| highest(self, v)).collect();
        match found.as_slice() {
            [only] => Ok(*only),
            _ => Err(Refused::NoQuantity),
        }
    }

    /// ∂residual/∂v, which must be a constant.
    fn coefficient(&mut self, residual: ExprId, v: VarId) -> Result<ExprId, Refused> {
        let slope = self.model.graph.partial(residual, v);
        match self.model.constant(slope) {
            Some(value) if value.is_finite() => Ok(slope),
            _ => Err(Refused::NotLinear),
        }
    }

    /// βᵣ … βₙ₋₁ from the coefficients a of y⁽ⁱ⁾ and c of u⁽ʲ⁾ in the residual: u⁽ʲ⁾ vanishes if
    ///
    /// ```text
    ///   Σ aᵢ βᵢ₋ⱼ + cⱼ = 0        i = r + j … n,   j = m … 1
    /// ```
    fn betas(&mut self, a: &[ExprId], c: &[ExprId], n: usize, r: usize) -> Vec<ExprId> {
        let g = &mut self.model.graph;
        let mut betas: Vec<ExprId> = Vec::new();
        for j in (1..c.len()).rev() {
            let mut sum = c[j];
            for i in r + j..n {
                let product = g.mul(a[i], betas[i - j - r]);
                sum = g.add(sum, product);
            }
            let quotient = g.div(sum, a[n]);
            betas.push(g.neg(quotient));
        }
        betas
    }

    /// Puts the new states in.
    fn rewrite(&mut self, reduction: &Reduction, span: Span) {
        let Reduction { equation, residual, quantity, members, r, betas, impulses } = reduction;
        let (r, n) = (*r, members.len() - 1);
        let name = self.model.quantities[*quantity].name.clone();
        let mut x: Vec<(VarId, VarId)> = Vec::new();
        for i in r..n {
            let label = format!("{name}{} (continuous part)", "'".repeat(i));
            let state = self.new_quantity(label.clone(), label, Role::Unknown, span);
            let new = self.model.quantities.last_mut().expect("just made");
            (new.hidden, new.declared) = (true, true);
            x.push((state, self.model.new_variable(self.model.variable(state).quantity, 1, Role::Unknown, span)));
        }
        // xᵢ + βᵢ u: y⁽ⁱ⁾ but for derivatives of u, which cancel
        let mut lower: Vec<ExprId> = Vec::new();
        for (i, &(state, _)) in x.iter().enumerate() {
            let g = &mut self.model.graph;
            let mut sum = g.variable(state);
            for (u, beta) in betas {
                let u = g.variable(*u);
                let term = g.mul(beta[i], u);
                sum = g.add(sum, term);
            }
            lower.push(sum);
        }
        self.start_reduced(reduction, &x);
        let g = &mut self.model.graph;
        let (zero, top) = (g.integer(0), g.variable(x[n - r - 1].1));
        let mut images: FxHashMap<VarId, ExprId> = impulses.iter().map(|&v| (v, zero)).collect();
        images.extend((r + 1..n).map(|i| (members[i], lower[i - r])));
        images.insert(members[n], top);
        let right = g.substitute(*residual, |v| images.get(&v).copied());
        self.model.equations[*equation] = Equation { left: zero, right, span };
        for (&(_, rate), &right) in x.iter().zip(&lower[1..]) {
            let left = self.model.graph.variable(rate);
            self.model.equations.push(Equation { left, right, span });
        }
        let left = self.model.graph.variable(members[r]);
        self.model.equations.push(Equation { left, right: lower[0], span });
        self.model.quantities[*quantity].members.truncate(r + 1);
        if r > 0 {
            self.model.jumping.push(members[r]);
        }
    }

    /// ```text
    ///   xᵢ = y⁽ⁱ⁾ − Σ βₗ u⁽ⁱ⁻ˡ⁾        l = r … i, just before the start
    /// ```
    fn start_reduced(&mut self, reduction: &Reduction, x: &[(VarId, VarId)]) {
        let Reduction { members, r, betas, .. } = reduction;
        for (i, &(state, _)) in x.iter().enumerate() {
            let v = members[r + i];
            let Some(at) = self.model.starts.iter().position(|given| given.var == v) else {
                let name = self.model.name(v);
                let u = self.model.name(betas[0].0);
                let message = format!("`{name}` has no start value");
                let help = format!(
                    "add `init {name} = 0`, its value just before the start; `laplace(fraction of s, {u})` begins at rest"
                );
                let span = self.model.variable(v).span;
                if !self.model.variable_excused(v) {
                    self.report(Diagnostic::error("missing-start", span, message).help(help));
                }
                continue;
            };
            let given = self.model.starts.remove(at);
            for other in &mut self.model.starts {
                other.value = self.model.graph.substitute(other.value, |w| (w == v).then_some(given.value));
            }
            let mut value = given.value;
            for (u, beta) in betas {
                let function = self.function_value(*u);
                let mut slopes = vec![self.with_inputs(function)];
                for l in 0..i {
                    let next = self.time_derivative(slopes[l]);
                    slopes.push(next);
                }
                for l in 0..=i {
                    let g = &mut self.model.graph;
                    let product = g.mul(beta[l], slopes[i - l]);
                    value = g.sub(value, product);
                }
            }
            self.model.hidden.push(Given { var: state, value, ..given });
        }
    }

    /// What a function of time is; a held value stays itself and has the derivative zero.
    fn function_value(&mut self, u: VarId) -> ExprId {
        let input = self.input_index.get(&u).map(|&k| self.model.inputs[k].value);
        match input.or_else(|| self.jumping_values.get(&u).copied()) {
            Some(value) => value,
            None => self.model.graph.variable(u),
        }
    }

    fn refuse(&mut self, refused: Refused, impulse: VarId, span: Span) {
        let name = self.model.quantity(impulse).name.clone();
        let at = self.model.variable(impulse).span;
        let at = if span.start <= at.start && at.end <= span.end { at } else { span };
        let base = self.model.quantity(impulse).members[0];
        let (jumps, smooth) = match base.is_some_and(|u| self.model.held_inputs.contains(&u)) {
            true => ("is sampled and held", format!("write `{name} = …` as an equation, without `input`")),
            false => ("jumps", format!("make `{name}` smooth")),
        };
        let (message, help) = match refused {
            Refused::NotLinear => (
                format!(
                    "`{name}` {jumps}, so its derivative has impulses, and this equation is not linear with constant coefficients in the derivatives concerned"
                ),
                format!("{smooth}, or give the equation constant coefficients"),
            ),
            Refused::NoQuantity => (
                format!("`{name}` {jumps}, so its derivative has impulses, which no number can be"),
                format!(
                    "use it in a linear equation such as `y' + a*y = {name}'`, write `laplace(s/(0.01*s + 1), {name})` for a filtered derivative, or {smooth}"
                ),
            ),
            Refused::Improper(Improper { numerator, denominator }) => (
                format!(
                    "`{name}` {jumps} and has {numerator} primes in this equation, more than the {denominator} of its solution, which would have impulses"
                ),
                format!("the solution must have at least as many primes as `{name}`; or {smooth}"),
            ),
        };
        let code = match self.model.quantity(impulse).members[0].map(|u| self.model.variable(u).role) {
            Some(Role::Held) => "constant-derivative",
            _ => "input-derivative",
        };
        self.report(Diagnostic::error(code, at, message).help(help));
    }

    /// Impulses outside of equations, and derivatives that went with a rewritten equation but are used elsewhere.
    fn report_leftovers(&mut self, dropped: &FxHashMap<VarId, VarId>) {
        let mut places: Vec<(ExprId, Span)> = Vec::new();
        places.extend(self.model.equations.iter().flat_map(|e| [(e.left, e.span), (e.right, e.span)]));
        for action in &self.model.actions {
            places.extend(action.assignments.iter().map(|&(_, value)| (value, action.span)));
        }
        for switch in &self.model.switches {
            if let Watch::Sign(g) | Watch::Floor(g) = switch.watch {
                places.push((g, switch.span));
            }
        }
        for (e, span) in places {
            for v in self.model.graph.variables(e) {
                let variable = self.model.variable(v);
                if variable.role == Role::Input && variable.primes > 0 {
                    self.refuse(Refused::NoQuantity, v, span);
                } else if let Some(&u) = dropped.get(&v) {
                    self.refuse_dropped(v, u, span);
                }
            }
        }
        for k in 0..self.model.outputs.len() {
            let v = self.model.outputs[k];
            let Variable { role, primes, span, .. } = *self.model.variable(v);
            if role == Role::Input && primes > 0 {
                self.refuse(Refused::NoQuantity, v, span);
            } else if let Some(&u) = dropped.get(&v) {
                self.refuse_dropped(v, u, span);
            }
        }
    }

    /// A derivative that went with a rewritten equation.
    fn refuse_dropped(&mut self, v: VarId, u: VarId, span: Span) {
        let (name, function) = (self.model.name(v), self.model.name(u));
        let message = format!("`{name}` has impulses where `{function}` jumps, so it cannot be used here");
        let help = format!("use lower derivatives only, or make `{function}` smooth");
        self.report(Diagnostic::error("input-derivative", span, message).help(help));
    }
}
