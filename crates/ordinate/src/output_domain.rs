//! Which columns of a result the equations determine without saying in so many words what they are, and which of these may have no
//! value at some time.

use crate::Compiled;
use ordinate_expr::{Expr, ExprId, Function, VarId};
use ordinate_model::{Role, Sorted};
use rustc_hash::{FxHashMap, FxHashSet};

/// Which of the stored columns without `time` are variables that equations are solved for: states, and others, of which the text
/// does not say in so many words what they are. A pole of `a = 1/t` is what the text says, one of x in `t*x = 1` is where its
/// equation does not determine x.
pub(crate) fn variables(compiled: &Compiled) -> Vec<bool> {
    let (sorted, states) = (&compiled.sorted, compiled.program.visible);
    let graph = &sorted.model.graph;
    let said: FxHashMap<_, Vec<_>> = sorted.model.equations.iter().fold(FxHashMap::default(), |mut said, equation| {
        if let Expr::Var(v) = graph.node(equation.left) {
            said.entry(v).or_insert_with(Vec::new).push(equation.right);
        }
        said
    });
    let determined = |v: &VarId| match sorted.definitions.get(v.0 as usize).copied().flatten() {
        None => sorted.algebraic.iter().any(|algebraic| algebraic.var == *v),
        Some(definition) => {
            sorted.model.variable(*v).role == Role::Unknown
                && !said.get(v).is_some_and(|rights| rights.contains(&definition))
        }
    };
    std::iter::repeat_n(true, states).chain(sorted.columns.iter().map(determined)).collect()
}

/// The columns, `time` being the first, that are such, follow from the states by a formula, and may have no value although f has
/// one: these are looked at in every step.
pub(crate) fn watched(compiled: &Compiled) -> Vec<usize> {
    let (sorted, states) = (&compiled.sorted, compiled.program.visible);
    if sorted.columns.is_empty() {
        return Vec::new();
    }
    let determined = variables(compiled);
    let mut safe = parts_of_f(sorted);
    let columns = sorted.columns.iter().enumerate().filter(|(k, _)| determined[states + k]);
    columns.filter(|(_, v)| may_fail(sorted, **v, &mut safe)).map(|(k, _)| 1 + states + k).collect()
}

/// Expressions without which f would have no value.
fn parts_of_f(sorted: &Sorted) -> FxHashSet<ExprId> {
    let graph = &sorted.model.graph;
    let definition = |v: VarId| sorted.definitions.get(v.0 as usize).copied().flatten();
    let rates = sorted.states.iter().filter_map(|state| definition(state.derivative));
    let mut open: Vec<ExprId> = rates.chain(sorted.algebraic.iter().map(|algebraic| algebraic.residual)).collect();
    let mut seen = FxHashSet::default();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        match graph.node(id) {
            Expr::Neg(a) | Expr::Div(a, _) | Expr::Call(Function::Sin | Function::Cos | Function::Sqrt, a) => {
                open.push(a)
            }
            Expr::Add(a, b) | Expr::Sub(a, b) | Expr::Mul(a, b) => open.extend([a, b]),
            Expr::Var(v) => open.extend(definition(v)),
            _ => {}
        }
    }
    seen
}

/// Whether the formula of a variable divides by something that changes, or leaves the domain or the range of a function somewhere.
/// `safe` are expressions of which it is known that they do not.
fn may_fail(sorted: &Sorted, v: VarId, safe: &mut FxHashSet<ExprId>) -> bool {
    let graph = &sorted.model.graph;
    let definition = |v: VarId| sorted.definitions.get(v.0 as usize).copied().flatten();
    let mut open: Vec<ExprId> = definition(v).into_iter().collect();
    let mut seen = FxHashSet::default();
    while let Some(id) = open.pop() {
        if safe.contains(&id) || !seen.insert(id) {
            continue;
        }
        let node = graph.node(id);
        let fails = match node {
            Expr::Div(_, by) => !is_constant(sorted, by),
            Expr::Pow(_, exponent) => match graph.node(exponent) {
                Expr::Const(exponent) => exponent.as_integer().is_none_or(|exponent| exponent < 0),
                _ => true,
            },
            Expr::Call(function, _) => match function {
                Function::Sin | Function::Cos | Function::Atan | Function::Tanh | Function::Asinh => false,
                Function::Cbrt | Function::Erf | Function::Abs | Function::Sign | Function::Floor => false,
                Function::Logistic | Function::Langevin | Function::LangevinSlope | Function::Noise => false,
                // for large arguments they are about as large as these
                Function::Softplus | Function::Bernoulli => false,
                Function::Tan | Function::Asin | Function::Acos | Function::Acosh | Function::Atanh => true,
                Function::Log | Function::Log10 | Function::Log1p | Function::Sqrt => true,
                // beyond all numbers
                Function::Sinh | Function::Cosh | Function::Exp | Function::Expm1 => true,
            },
            Expr::Lookup(..) => true,
            Expr::Const(_) | Expr::Pi | Expr::Time | Expr::Var(_) | Expr::Neg(_) | Expr::Add(..) | Expr::Sub(..) => {
                false
            }
            Expr::Mul(..) | Expr::Atan2(..) | Expr::Less(..) | Expr::LessEqual(..) | Expr::Equal(..) => false,
            Expr::Not(_) | Expr::And(..) | Expr::Or(..) | Expr::Select(..) => false,
        };
        if fails {
            return true;
        }
        open.extend(node.operands());
        if let Expr::Var(v) = node {
            open.extend(definition(v));
        }
    }
    safe.extend(seen);
    false
}

/// Whether an expression has one value throughout a run.
fn is_constant(sorted: &Sorted, e: ExprId) -> bool {
    let graph = &sorted.model.graph;
    let (mut open, mut seen) = (vec![e], FxHashSet::default());
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let node = graph.node(id);
        let changes = match node {
            Expr::Time => true,
            Expr::Var(v) => sorted.model.variable(v).role != Role::Parameter,
            _ => false,
        };
        if changes {
            return false;
        }
        open.extend(node.operands());
    }
    true
}
