//! ∂f/∂y with its sparsity pattern: exact, by differentiation of the expressions.

use crate::Section;
use crate::compile::{Compiler, state_variables};
use ordinate_expr::{Expr, ExprId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The nonzero elements of ∂f/∂y.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Jacobian {
    /// (row, column) of each element, by rows.
    pub pattern: Vec<(u32, u32)>,
    /// Computes the elements in the order of the pattern.
    pub section: Section,
}

/// Only the columns from `first` on.
pub(crate) fn compile(c: &mut Compiler, derivatives: &[ExprId], first: u32) -> Jacobian {
    let column: FxHashMap<VarId, u32> = state_variables(c.sorted).zip(0..).collect();
    let (mut pattern, mut elements) = (Vec::new(), Vec::new());
    let mut reached: FxHashMap<VarId, Vec<VarId>> = FxHashMap::default();
    // Derivatives of definitions by each state: rows share what they are made of.
    let mut known: FxHashMap<VarId, FxHashMap<VarId, ExprId>> = FxHashMap::default();
    for (row, &root) in derivatives.iter().enumerate() {
        let mut states: Vec<VarId> = states_of(c, root, &column, &mut reached);
        states.retain(|v| column[v] >= first);
        states.sort_by_key(|v| column[v]);
        for v in states {
            let element = partial(c, root, v, &column, known.entry(v).or_default());
            if c.sorted.model.graph.constant_value(element).is_none_or(|value| value.to_f64() != 0.0) {
                pattern.push((row as u32, column[&v]));
                elements.push(element);
            }
        }
    }
    Jacobian { pattern, section: c.section(&elements) }
}

/// The states that an expression depends on, through definitions.
fn states_of(
    c: &mut Compiler,
    root: ExprId,
    column: &FxHashMap<VarId, u32>,
    reached: &mut FxHashMap<VarId, Vec<VarId>>,
) -> Vec<VarId> {
    let mut found: FxHashSet<VarId> = FxHashSet::default();
    for v in c.sorted.model.graph.variables(root) {
        if column.contains_key(&v) {
            found.insert(v);
        } else if let Some(definition) = c.sorted.definitions[v.0 as usize] {
            if !reached.contains_key(&v) {
                let below = states_of(c, definition, column, reached);
                reached.insert(v, below);
            }
            found.extend(&reached[&v]);
        }
    }
    let mut list: Vec<VarId> = found.into_iter().collect();
    list.sort_unstable();
    list
}

/// ∂root/∂v through definitions.
fn partial(
    c: &mut Compiler,
    root: ExprId,
    v: VarId,
    column: &FxHashMap<VarId, u32>,
    known: &mut FxHashMap<VarId, ExprId>,
) -> ExprId {
    let (zero, one) = (c.sorted.model.graph.integer(0), c.sorted.model.graph.integer(1));
    for w in c.sorted.model.graph.variables(root) {
        if known.contains_key(&w) {
            continue;
        }
        let value = if w == v {
            one
        } else if column.contains_key(&w) {
            zero
        } else if let Some(definition) = c.sorted.definitions[w.0 as usize] {
            partial(c, definition, v, column, known)
        } else {
            zero
        };
        known.insert(w, value);
    }
    c.sorted.model.graph.derivative(root, |leaf| match leaf {
        Expr::Var(w) => known[&w],
        _ => zero,
    })
}
