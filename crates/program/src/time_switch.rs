//! Switches that depend on time alone. Their crossings are computed, not searched for along the solution,
//! so that a pulse of a microsecond inside a step of a second is not stepped over.
//!
//! An expression a·t + b crosses where it is solved for t. Any other one is bounded by interval arithmetic: where
//! the bounds stay on one side there is no crossing, where g is bounded and its slope has one sign there is at most one.
//! Elsewhere the interval is halved, down to 10⁻¹² of the time that is searched.

use crate::{Evaluator, Program, Section, compile::Compiler, interval, interval::Interval};
use ordinate_expr::{Expr, ExprId, sign};
use ordinate_model::{Role, Watch};
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
    /// The integer part of any other expression.
    CurvedStaircase,
    /// The break points of a table.
    Table(Vec<f64>),
}

/// Interval evaluations for one crossing; where they do not suffice, the search goes on from the place reached.
const BUDGET: usize = 1_000_000;
/// What happens within this part of the time searched is not resolved.
const RESOLUTION: f64 = 1e-12;

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
            Watch::Floor(_) => Some(TimeKind::CurvedStaircase),
            Watch::Segment(_) => None,
        };
        list.push(match kind {
            Some(kind) if parameters_only => Some(TimeSwitch { section: c.section(&[root, slope]), kind }),
            _ => None,
        });
    }
    list
}

/// The expression with inputs and named expressions put in, if nothing but t and parameters is left.
fn inline(c: &mut Compiler, root: ExprId) -> Option<ExprId> {
    let mut e = root;
    loop {
        let mut open = false;
        for v in c.sorted.model.graph.variables(e) {
            match (c.sorted.model.variable(v).role, c.sorted.definitions[v.0 as usize]) {
                (Role::Parameter, _) => {}
                // definitions are not circular, so this comes to an end
                (Role::Input | Role::Unknown, Some(_)) => open = true,
                _ => return None,
            }
        }
        if !open {
            return Some(e);
        }
        let definitions = &c.sorted.definitions;
        e = c.sorted.model.graph.substitute(e, |v| definitions[v.0 as usize]);
    }
}

/// The modes just before t of the switches of tables, zero for the others: start values read no other mode.
pub(crate) fn segments_before(program: &Program, t: f64) -> Vec<f64> {
    let mode = |switch: &Option<TimeSwitch>| match switch.as_ref().map(|switch| &switch.kind) {
        Some(TimeKind::Table(breaks)) => breaks.partition_point(|&at| at < t) as f64,
        _ => 0.0,
    };
    program.time_switches.iter().map(mode).collect()
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
        TimeKind::Curve | TimeKind::CurvedStaircase => curve_crossing(evaluator, switch, section, after, until),
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
        TimeKind::Line | TimeKind::Curve => side(evaluator, switch, t, 0.0),
        TimeKind::CurvedStaircase => {
            let level = evaluator.time_value(switch, t).0.floor();
            // at a whole number the value just after tells whether the step goes down
            if side(evaluator, switch, t, level) < 0.0 { level - 1.0 } else { level }
        }
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

/// Sign of g − level right after t: where it is zero but for rounding, that of its slope, or of the first value after t
/// that is not zero. The bounds of g at one point tell what is rounding.
fn side(evaluator: &mut Evaluator, switch: usize, t: f64, level: f64) -> f64 {
    let program = Arc::clone(evaluator.program());
    let section = &of(&program, switch).section;
    let mut look = |t: f64| {
        let exact = evaluator.time_value(switch, t).0;
        let [g, slope] = interval::evaluate(section, evaluator, Interval { low: t, high: t });
        // without bounds, at a jump or a pole, the value itself is all there is, and it is far from the level
        let certain = !g.shifted(-level).contains_zero() || (!g.is_bounded() && exact != level);
        (exact, certain, slope)
    };
    let (g, certain, slope) = look(t);
    if g.is_nan() {
        return f64::NAN;
    }
    if certain {
        return sign(g - level);
    }
    if !slope.contains_zero() {
        return sign(slope.low);
    }
    // t² at 0 is zero in doubles up to 1e-162: look further and further ahead
    let mut ahead = (4.0 * f64::EPSILON * t.abs()).max(1e-300);
    for _ in 0..600 {
        let (g, certain, _) = look(t + ahead);
        if g.is_nan() || certain {
            return if g.is_nan() { g } else { sign(g - level) };
        }
        ahead *= 4.0;
    }
    0.0
}

/// The side on which g is: above or below zero, or between two whole numbers.
struct Side {
    low: f64,
    high: f64,
}

impl Side {
    fn of(kind: &TimeKind, mode: f64) -> Side {
        match kind {
            TimeKind::CurvedStaircase => Side { low: mode, high: mode + 1.0 },
            _ if mode > 0.0 => Side { low: 0.0, high: f64::INFINITY },
            _ if mode < 0.0 => Side { low: f64::NEG_INFINITY, high: 0.0 },
            _ => Side { low: 0.0, high: 0.0 },
        }
    }

    /// Whether a value has not left it; on its boundary it has not, so a touch is no crossing. No number has left, too.
    fn holds(&self, g: f64) -> bool {
        self.low <= g && g <= self.high
    }

    /// Whether a value is neither beyond nor on the boundary.
    fn inside(&self, g: f64) -> bool {
        self.low < g && g < self.high
    }
}

fn curve_crossing(evaluator: &mut Evaluator, switch: usize, section: &Section, after: f64, until: f64) -> Option<f64> {
    let mode = mode_from(evaluator, switch, after);
    let program = Arc::clone(evaluator.program());
    let side = Side::of(&of(&program, switch).kind, mode);
    let finest = RESOLUTION * (until - after);
    let mut stack = vec![(after, until)];
    let mut work = 0;
    while let Some((low, high)) = stack.pop() {
        work += 1;
        if work > BUDGET && low > after {
            // a harmless stop: the mode does not change there, and the search begins again
            return Some(low);
        }
        let [g, slope] = bounds(evaluator, switch, section, low, high);
        if side.holds(g.low) && side.holds(g.high) {
            continue;
        }
        let middle = low + 0.5 * (high - low);
        let smallest = high - low <= finest || middle <= low || middle >= high;
        let monotone = g.is_bounded() && !slope.contains_zero() && slope.is_bounded();
        if smallest || monotone {
            if !side.holds(evaluator.time_value(switch, high).0) {
                // the first number beyond the boundary, then the first one on it
                let beyond = bisect(evaluator, switch, low, high, &|g| side.holds(g));
                return Some(bisect(evaluator, switch, low, beyond, &|g| side.inside(g)));
            }
            continue;
        }
        stack.push((middle, high));
        stack.push((low, middle));
    }
    // a boundary that is reached at the very end
    (until > after && mode_from(evaluator, switch, until) != mode).then_some(until)
}

/// Bounds of g and its slope: those of the operations, narrowed by g(middle) + slope · half the width.
fn bounds(evaluator: &mut Evaluator, switch: usize, section: &Section, low: f64, high: f64) -> [Interval; 2] {
    let [g, slope] = interval::evaluate(section, evaluator, Interval { low, high });
    if !slope.is_bounded() {
        return [g, slope];
    }
    let middle = evaluator.time_value(switch, low + 0.5 * (high - low)).0;
    [interval::narrowed(g, middle, slope, 0.5 * (high - low)), slope]
}

/// The first number in (low, high] where g no longer is as it was.
fn bisect(evaluator: &mut Evaluator, switch: usize, low: f64, high: f64, stays: &dyn Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (low, high);
    loop {
        let middle = low + 0.5 * (high - low);
        if middle <= low || middle >= high {
            return high;
        }
        if stays(evaluator.time_value(switch, middle).0) {
            low = middle;
        } else {
            high = middle;
        }
    }
}
