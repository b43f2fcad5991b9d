//! Switches that depend on time alone. Their crossings are computed, not searched for along the solution,
//! so that a pulse of a microsecond inside a step of a second is not stepped over.
//!
//! An expression a·t + b crosses where it is solved for t. Any other one is bounded by interval arithmetic: where
//! the bounds exclude zero there is no crossing, where those of the slope do there is at most one.

use crate::{Evaluator, Program, Section, compile::Compiler, interval, interval::Interval};
use ordinate_expr::{Expr, ExprId, sign};
use ordinate_model::Watch;
use std::sync::Arc;

/// A switch of time alone.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeSwitch {
    /// Computes g and dg/dt.
    pub section: Section,
    /// What it watches.
    pub kind: TimeKind,
}

/// How crossings are found.
#[derive(Clone, Debug, PartialEq)]
pub enum TimeKind {
    /// The sign of a·t + b.
    Line,
    /// The integer part of a·t + b.
    Staircase,
    /// The sign of any other expression.
    Curve,
    /// The break points of a table.
    Table(Vec<f64>),
}

/// Interval evaluations for one crossing; where they do not suffice, the search goes on from the place reached.
const BUDGET: usize = 20_000;

/// For each switch its code, if it depends on time alone.
pub(crate) fn compile(c: &mut Compiler, watched: &[ExprId]) -> Vec<Option<TimeSwitch>> {
    let switches: Vec<Watch> = c.sorted.model.switches.iter().map(|switch| switch.watch).collect();
    let mut list = Vec::with_capacity(switches.len());
    for (watch, &root) in switches.into_iter().zip(watched) {
        if let Watch::Segment(id) = watch {
            let breaks = c.sorted.model.lists[id.0 as usize].clone();
            list.push(Some(TimeSwitch { section: Section::default(), kind: TimeKind::Table(breaks) }));
            continue;
        }
        let inlined = inline(c, root);
        let graph = &mut c.sorted.model.graph;
        let parameters_only = inlined.is_some();
        let root = inlined.unwrap_or(root);
        let (zero, one) = (graph.integer(0), graph.integer(1));
        let slope = graph.derivative(root, |leaf| if leaf == Expr::Time { one } else { zero });
        let straight = !graph.uses_time(slope);
        let kind = match watch {
            Watch::Sign(_) if straight => Some(TimeKind::Line),
            Watch::Sign(_) => Some(TimeKind::Curve),
            Watch::Floor(_) if straight => Some(TimeKind::Staircase),
            // A curved staircase is followed along the solution like any other switch.
            Watch::Floor(_) | Watch::Segment(_) => None,
        };
        list.push(match kind {
            Some(kind) if parameters_only => Some(TimeSwitch { section: c.section(&[root, slope]), kind }),
            _ => None,
        });
    }
    list
}

/// The expression with inputs put in, if nothing but t and parameters is left.
fn inline(c: &mut Compiler, root: ExprId) -> Option<ExprId> {
    let mut e = root;
    // inputs may be made of inputs, but not in a circle
    for _ in 0..64 {
        let variables = c.sorted.model.graph.variables(e);
        let mut open = false;
        for &v in &variables {
            match c.sorted.model.variable(v).role {
                ordinate_model::Role::Parameter => {}
                ordinate_model::Role::Input => open = true,
                _ => return None,
            }
        }
        if !open {
            return Some(e);
        }
        let definitions = &c.sorted.definitions;
        e = c.sorted.model.graph.substitute(e, |v| definitions[v.0 as usize]);
    }
    None
}

fn of(program: &Program, switch: usize) -> &TimeSwitch {
    program.time_switches[switch].as_ref().expect("a switch of time")
}

/// The first crossing after `after`, not later than `until`.
pub(crate) fn next_crossing(evaluator: &mut Evaluator, switch: usize, after: f64, until: f64) -> Option<f64> {
    let program = Arc::clone(evaluator.program());
    let TimeSwitch { section, kind } = of(&program, switch);
    let found = match kind {
        TimeKind::Table(breaks) => breaks.get(breaks.partition_point(|&t| t <= after)).copied(),
        TimeKind::Line => {
            let (b, a) = evaluator.time_value(switch, 0.0);
            settle(evaluator, switch, -b / a, a).filter(|&t| t > after)
        }
        TimeKind::Staircase => {
            let (b, a) = evaluator.time_value(switch, 0.0);
            let level = mode_from(evaluator, switch, after);
            let next = if a > 0.0 { level + 1.0 } else { level };
            (a != 0.0).then(|| (next - b) / a).map(|t| if t > after { t } else { after.next_up() })
        }
        TimeKind::Curve => curve_crossing(evaluator, switch, section, after, until),
    };
    found.filter(|&t| t <= until)
}

/// Moves a computed crossing to the first number where g has its new sign or is zero.
fn settle(evaluator: &mut Evaluator, switch: usize, mut t: f64, slope: f64) -> Option<f64> {
    if !t.is_finite() || slope == 0.0 {
        return None;
    }
    for _ in 0..64 {
        if evaluator.time_value(switch, t).0 * slope >= 0.0 {
            return Some(t);
        }
        t = t.next_up();
    }
    Some(t)
}

/// The mode on an interval that begins at t.
pub(crate) fn mode_from(evaluator: &mut Evaluator, switch: usize, t: f64) -> f64 {
    let program = Arc::clone(evaluator.program());
    match &of(&program, switch).kind {
        TimeKind::Table(breaks) => breaks.partition_point(|&b| b <= t) as f64,
        TimeKind::Line | TimeKind::Curve => side(evaluator, switch, t),
        TimeKind::Staircase => {
            let (g, a) = evaluator.time_value(switch, t);
            let (b, _) = evaluator.time_value(switch, 0.0);
            // a·t + b is rounded: within its rounding of an integer it is meant to be there
            let near = g.round();
            let rounding = 4.0 * f64::EPSILON * ((a * t).abs() + b.abs());
            if (g - near).abs() > rounding {
                g.floor()
            } else if a < 0.0 {
                near - 1.0
            } else {
                near
            }
        }
    }
}

/// Sign of g right after t: where g is zero, that of its slope, or of g a little later.
fn side(evaluator: &mut Evaluator, switch: usize, t: f64) -> f64 {
    let (g, slope) = evaluator.time_value(switch, t);
    if g != 0.0 {
        return sign(g);
    }
    if slope != 0.0 {
        return sign(slope);
    }
    let later = t + 1e-9 * t.abs().max(f64::MIN_POSITIVE.sqrt());
    sign(evaluator.time_value(switch, later).0)
}

fn curve_crossing(evaluator: &mut Evaluator, switch: usize, section: &Section, after: f64, until: f64) -> Option<f64> {
    let before = side(evaluator, switch, after);
    let mut stack = vec![(after, until)];
    let mut work = 0;
    while let Some((low, high)) = stack.pop() {
        work += 1;
        if work > BUDGET && low > after {
            // a harmless stop: the mode does not change there, and the search begins again
            return Some(low);
        }
        let [g, slope] = interval::evaluate(section, evaluator, Interval { low, high });
        if !g.contains_zero() {
            continue;
        }
        let middle = low + 0.5 * (high - low);
        let smallest = middle <= low || middle >= high;
        if smallest || !slope.contains_zero() {
            let end = evaluator.time_value(switch, high).0;
            if sign(end) * before < 0.0 {
                return Some(bisect(evaluator, switch, low, high, before));
            }
            continue;
        }
        stack.push((middle, high));
        stack.push((low, middle));
    }
    None
}

/// The first number in (low, high] where g is no longer on the side it was.
fn bisect(evaluator: &mut Evaluator, switch: usize, mut low: f64, mut high: f64, before: f64) -> f64 {
    loop {
        let middle = low + 0.5 * (high - low);
        if middle <= low || middle >= high {
            return high;
        }
        if sign(evaluator.time_value(switch, middle).0) * before > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
}
