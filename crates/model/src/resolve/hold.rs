//! Inputs that are held: read at the beginning of a sample and constant until the next one, as a controller reads what it
//! measures. What `every Ts: u = …` would say is said here for every input that changes.

use super::names::Kind;
use super::{Resolver, View};
use crate::{Action, Given, Role, Sample};
use ordinate_expr::{ExprId, VarId};
use rustc_hash::FxHashSet;

/// What the inputs of a model are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Inputs {
    /// The functions of time that the text gives.
    #[default]
    Given,
    /// These functions, read once in each sample and held in between. Those that never change stay what they are.
    Sampled {
        /// The time between two samples.
        period: f64,
    },
    /// Held values that whoever steps the model sets; the text says where they start.
    Open,
}

impl Inputs {
    /// How the formula of an input is seen; of an open one the value at the start is all that counts.
    pub(super) fn view(self) -> View {
        match self {
            Inputs::Given | Inputs::Sampled { .. } => View::Trajectory,
            Inputs::Open => View::Instant,
        }
    }
}

impl Resolver<'_> {
    /// Makes inputs held values; called when all of them are known and nothing has used them yet.
    pub(super) fn hold_inputs(&mut self) {
        let inputs = self.model.inputs.clone();
        let held = match self.inputs {
            Inputs::Given => return,
            Inputs::Open => inputs,
            Inputs::Sampled { .. } => {
                // of an array all elements or none: a name has one meaning
                let changing = inputs.iter().filter(|given| self.changes_in_time(given.value)).map(|given| given.var);
                let changing: Vec<VarId> = changing.collect();
                let base = |var: VarId| &self.model.quantity(var).base;
                let names: FxHashSet<&String> = changing.into_iter().map(base).collect();
                inputs.into_iter().filter(|given| names.contains(base(given.var))).collect()
            }
        };
        // an input that is made of others is made of what they are now, not of what they were in the sample before
        let values: Vec<ExprId> = held.iter().map(|given| self.with_inputs(given.value)).collect();
        let assignments: Vec<(VarId, ExprId)> = held.iter().map(|given| given.var).zip(values).collect();
        let Some(span) = held.first().map(|given| given.span) else { return };
        for (given, &(var, value)) in held.iter().zip(&assignments) {
            self.model.variables[var.0 as usize].role = Role::Held;
            self.start_index.insert((var, false), self.model.starts.len());
            self.model.starts.push(Given { value, ..*given });
            self.model.driven.push(var);
            self.model.held_inputs.insert(var);
        }
        let quantities: FxHashSet<usize> = held.iter().map(|given| self.model.variable(given.var).quantity).collect();
        let names = self.names.quantities.iter().filter(|(_, quantity)| quantities.contains(quantity));
        let names: Vec<_> = names.map(|((name, _), _)| *name).collect();
        self.kinds.extend(names.into_iter().map(|name| (name, Kind::Held)));
        let taken = &self.model.held_inputs;
        self.model.inputs.retain(|given| !taken.contains(&given.var));
        self.input_index = self.model.inputs.iter().map(|given| given.var).zip(0..).collect();
        if let Inputs::Sampled { period } = self.inputs {
            self.model.actions.push(Action { assignments, span });
            let (period, action) = (self.model.number(period), self.model.actions.len() - 1);
            self.model.samples.push(Sample { period, action, span });
            // Branches of these formulas are looked at when they are read, not located in between. The same branch elsewhere is
            // a switch of its own.
            self.model.sampled_switches = self.model.switches.len();
            self.watched.clear();
        }
    }
}
