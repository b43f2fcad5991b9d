//! How a model depends on time: not at all, with a period that can be read from it, or otherwise.

use crate::{Sorted, Watch};
use ordinate_expr::{Expr, ExprId, Function};
use rustc_hash::FxHashSet;
use std::f64::consts::PI;

/// How the equations depend on time.
#[derive(Clone, Debug, PartialEq)]
pub enum Forcing {
    /// Not at all.
    Autonomous,
    /// With this period.
    Periodic(f64),
    /// With these periods, which have no common multiple.
    Several(Vec<f64>),
    /// In another way: this is a part that has no period.
    Other(String),
}

/// Multiples of the longest period that are tried for a common one.
const MOST_MULTIPLES: u32 = 64;

/// Looks at everything that determines the solution. Periods are those of sines, cosines and tangents of what is linear in t,
/// and of `every`.
pub fn forcing(sorted: &Sorted) -> Forcing {
    let mut sorted = sorted.clone();
    let mut open: Vec<ExprId> = Vec::new();
    for state in &sorted.states {
        open.push(sorted.model.graph.variable(state.derivative));
    }
    open.extend(sorted.algebraic.iter().map(|algebraic| algebraic.residual));
    open.extend(sorted.invariants.iter().map(|invariant| invariant.value));
    open.extend(sorted.model.actions.iter().flat_map(|action| action.assignments.iter().map(|&(_, value)| value)));
    let mut periods: Vec<f64> = Vec::new();
    for switch in &sorted.model.switches {
        match switch.watch {
            Watch::Sign(g) | Watch::Floor(g) => open.push(g),
            Watch::Segment(_) => return Forcing::Other("a table of time".into()),
        }
    }
    let samples: Vec<ExprId> = sorted.model.samples.iter().map(|sample| sample.period).collect();
    periods.extend(samples.into_iter().filter_map(|period| sorted.model.constant(period)));
    let states: FxHashSet<_> = sorted.states.iter().map(|state| state.var).collect();
    let mut seen: FxHashSet<ExprId> = FxHashSet::default();
    while let Some(e) = open.pop() {
        if !seen.insert(e) {
            continue;
        }
        match sorted.model.graph.node(e) {
            Expr::Time => return Forcing::Other("t outside of a sine or cosine".into()),
            Expr::Var(v) if states.contains(&v) => {}
            Expr::Var(v) => open.extend(sorted.definitions.get(v.0 as usize).copied().flatten()),
            Expr::Call(f @ (Function::Sin | Function::Cos | Function::Tan), a) => match frequency(&mut sorted, a) {
                Some(0.0) => {}
                Some(omega) if f == Function::Tan => periods.push(PI / omega.abs()),
                Some(omega) => periods.push(2.0 * PI / omega.abs()),
                None => open.push(a),
            },
            node => open.extend(node.operands()),
        }
    }
    common(periods)
}

/// ω if an expression is ω t + constant.
fn frequency(sorted: &mut Sorted, mut e: ExprId) -> Option<f64> {
    // Definitions are not circular; each round puts one level of them in.
    let own = |sorted: &Sorted, v: ordinate_expr::VarId| sorted.definitions.get(v.0 as usize).copied().flatten();
    loop {
        let definitions = sorted.definitions.clone();
        let inside = sorted.model.graph.variables(e);
        if !inside.iter().any(|&v| own(sorted, v).is_some()) {
            break;
        }
        e = sorted.model.graph.substitute(e, |v| definitions.get(v.0 as usize).copied().flatten());
    }
    let constant = sorted.model.graph.variables(e).iter().all(|v| sorted.model.values.contains_key(v));
    if !constant {
        return None;
    }
    let (zero, one) = (sorted.model.graph.integer(0), sorted.model.graph.integer(1));
    let slope = sorted.model.graph.derivative(e, |leaf| if leaf == Expr::Time { one } else { zero });
    sorted.model.constant(slope)
}

/// The least common multiple of periods.
fn common(mut periods: Vec<f64>) -> Forcing {
    periods.sort_by(|a, b| b.total_cmp(a));
    periods.dedup_by(|a, b| (*a - *b).abs() <= 1e-12 * b.abs());
    let Some(&longest) = periods.first() else { return Forcing::Autonomous };
    let fits = |multiple: u32| {
        let period = f64::from(multiple) * longest;
        periods.iter().all(|own| (period / own - (period / own).round()).abs() <= 1e-9 * period / own)
    };
    match (1..=MOST_MULTIPLES).find(|&multiple| fits(multiple)) {
        Some(multiple) => Forcing::Periodic(f64::from(multiple) * longest),
        None => Forcing::Several(periods),
    }
}
