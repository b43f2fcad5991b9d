//! The model with its inputs open, and all its values and derivatives at a point.

use super::point::Point;
use crate::{Compiled, rates};
use ordinate_control::Matrix;
use ordinate_expr::{ExprId, VarId};
use ordinate_model::{Sorted, Watch, with_kept, with_open};
use ordinate_program::Evaluator;
use ordinate_solve::Layout;
use std::sync::Arc;

/// The same model in another form, compiled with its Jacobian.
pub(super) fn recompiled(compiled: &Compiled, mut sorted: Sorted) -> Compiled {
    let program = Arc::new(ordinate_program::compile(&mut sorted, true));
    Compiled { sorted: Arc::new(sorted), program, ..compiled.clone() }
}

/// A program of the states and inputs that computes rates, residuals, invariants, outputs and switches with their
/// derivatives.
pub(super) struct Opened {
    pub sorted: Arc<Sorted>,
    pub evaluator: Evaluator,
    pub layout: Layout,
    inputs: usize,
    outputs: usize,
    invariants: usize,
}

/// Values and derivatives at a point. Columns of derivatives are [states | inputs | algebraic variables].
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Slopes {
    pub states: usize,
    pub inputs: usize,
    pub rates: Vec<f64>,
    pub outputs: Vec<f64>,
    pub switches: Vec<f64>,
    pub by_rates: Matrix,
    pub by_residuals: Matrix,
    pub by_invariants: Matrix,
    pub by_outputs: Matrix,
    pub by_switches: Matrix,
}

impl Opened {
    pub fn new(compiled: &Compiled, inputs: &[VarId], outputs: &[VarId]) -> Opened {
        let mut open = with_open(&compiled.sorted, inputs);
        let g = &mut open.model.graph;
        let zero = g.integer(0);
        let shown = outputs.iter().map(|&v| g.variable(v)).collect::<Vec<ExprId>>();
        let watched = open.model.switches.iter().map(|switch| match switch.watch {
            Watch::Sign(e) | Watch::Floor(e) => e,
            Watch::Segment(_) => zero,
        });
        let kept: Vec<ExprId> = shown.into_iter().chain(watched).collect();
        let open = recompiled(compiled, with_kept(&open, &kept));
        Opened {
            evaluator: Evaluator::new(open.program.clone()),
            layout: open.program.layout.clone(),
            inputs: inputs.len(),
            outputs: outputs.len(),
            invariants: compiled.sorted.invariants.len(),
            sorted: open.sorted,
        }
    }

    /// y and the held values of a point.
    pub fn place(&self, point: &Point) -> (Vec<f64>, Vec<f64>) {
        point.of(&self.sorted)
    }

    /// Everything at a point, for these discrete values.
    pub fn slopes(&mut self, t: f64, y: &[f64], d: &[f64]) -> Slopes {
        let n = y.len();
        let states = self.layout.differential() - self.inputs;
        let values = rates::all_values(&mut self.evaluator, t, y, d);
        let elements = rates::all_slopes(&mut self.evaluator, t, y, d);
        let rows = |from: usize, count: usize| {
            Matrix::from_elements(count, n, elements[from * n..(from + count) * n].to_vec())
        };
        let first_output = n + self.invariants;
        let first_switch = first_output + self.outputs;
        Slopes {
            states,
            inputs: self.inputs,
            rates: values[..states].to_vec(),
            outputs: values[first_output..first_switch].to_vec(),
            switches: values[first_switch..].to_vec(),
            by_rates: rows(0, states),
            by_residuals: rows(self.layout.differential(), self.layout.algebraic),
            by_invariants: rows(n, self.invariants),
            by_outputs: rows(first_output, self.outputs),
            by_switches: rows(first_switch, self.layout.switches.len()),
        }
    }
}
