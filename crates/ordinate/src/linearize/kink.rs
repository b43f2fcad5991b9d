//! Whether the model has derivatives at the point: at the border of a branch it has one on every side, and a linear
//! system only if they agree.

use super::LinearizeError;
use super::point::Point;
use super::slopes::{Opened, Slopes};
use crate::transform::modes;
use crate::{Compiled, short};
use ordinate_control::Matrix;
use ordinate_expr::VarId;
use ordinate_model::Watch;
use ordinate_solve::SwitchKind;

/// What a switch watches is zero below this part of the terms that it is made of.
const ON_BORDER: f64 = 1e-12;
/// More switches than this on their borders at once are not looked at from all sides.
const MOST_BORDERS: usize = 8;
/// Elements on both sides of a border agree to this part of the largest in their row.
const AGREE: f64 = 1e-9;

/// Values and derivatives at the point; the error names a kink, or an element that does not exist.
pub(super) fn slopes(opened: &mut Opened, point: &Point, compiled: &Compiled) -> Result<Slopes, LinearizeError> {
    let (y, held) = opened.place(point);
    let mut d = modes(&mut opened.evaluator, point.t, &y, &held, 1.0);
    let slopes = opened.slopes(point.t, &y, &d);
    let borders = borders(opened, &slopes, &y);
    if borders.len() > MOST_BORDERS {
        let first = describe(compiled, borders[0].0);
        return Err(kink(format!("{} branches change at the point, {first} among them", borders.len())));
    }
    for sides in 0..1usize << borders.len() {
        for (bit, &(switch, [above, below])) in borders.iter().enumerate() {
            d[switch] = if sides >> bit & 1 == 0 { above } else { below };
        }
        let other = opened.slopes(point.t, &y, &d);
        if !agree(&slopes, &other) {
            let changed: Vec<usize> =
                borders.iter().enumerate().filter(|(bit, _)| sides >> bit & 1 == 1).map(|(_, b)| b.0).collect();
            let names: Vec<String> = changed.iter().map(|&switch| describe(compiled, switch)).collect();
            return Err(kink(format!(
                "the model has a kink or a jump at the point: {} changes there",
                names.join(" and ")
            )));
        }
    }
    finite(&slopes, opened, compiled)?;
    Ok(slopes)
}

fn kink(message: String) -> LinearizeError {
    LinearizeError::None {
        message,
        hint:
            "linearise beside it, where one side holds, with another `--at`; or replace the branch by something smooth"
                .into(),
    }
}

/// Switches whose border the point lies on, and their modes on both sides. Time goes on, so its own switches have one.
fn borders(opened: &Opened, slopes: &Slopes, y: &[f64]) -> Vec<(usize, [f64; 2])> {
    let mut found = Vec::new();
    for (k, switch) in opened.layout.switches.iter().enumerate().filter(|(_, switch)| !switch.of_time) {
        let g = slopes.switches[k];
        let size: f64 = slopes.by_switches.row(k).iter().zip(y).map(|(slope, y)| (slope * y).abs()).sum();
        let whole = g.round();
        match switch.kind {
            SwitchKind::Sign if g.abs() <= ON_BORDER * size => found.push((k, [1.0, -1.0])),
            SwitchKind::Floor if (g - whole).abs() <= ON_BORDER * size.max(g.abs()) => {
                found.push((k, [whole, whole - 1.0]));
            }
            SwitchKind::Sign | SwitchKind::Floor | SwitchKind::Segment => {}
        }
    }
    found
}

/// What a switch watches, as the text has it.
fn describe(compiled: &Compiled, switch: usize) -> String {
    let model = &compiled.sorted.model;
    match model.switches[switch].watch {
        Watch::Sign(e) => format!("the sign of `{}`", model.print_plain(e)),
        Watch::Floor(e) => format!("the integer part of `{}`", model.print_plain(e)),
        Watch::Segment(_) => "the segment of a table".into(),
    }
}

fn agree(a: &Slopes, b: &Slopes) -> bool {
    let same = |p: &[f64], q: &[f64]| {
        let size = p.iter().chain(q).fold(0.0, |most: f64, value| most.max(value.abs()));
        p.iter().zip(q).all(|(p, q)| p == q || (p - q).abs() <= AGREE * size)
    };
    let rows = |p: &Matrix, q: &Matrix| (0..p.rows()).all(|i| same(p.row(i), q.row(i)));
    same(&a.rates, &b.rates)
        && same(&a.outputs, &b.outputs)
        && rows(&a.by_rates, &b.by_rates)
        && rows(&a.by_residuals, &b.by_residuals)
        && rows(&a.by_invariants, &b.by_invariants)
        && rows(&a.by_outputs, &b.by_outputs)
}

/// Every value and derivative must be a finite number.
fn finite(slopes: &Slopes, opened: &Opened, compiled: &Compiled) -> Result<(), LinearizeError> {
    let model = &compiled.sorted.model;
    let sorted = &opened.sorted;
    let algebraic = sorted.algebraic.iter().map(|algebraic| algebraic.var);
    let columns: Vec<VarId> = sorted.states.iter().map(|state| state.var).chain(algebraic).collect();
    let none = |message: String| {
        let hint =
            "a division by zero, or a root or logarithm at the edge of its domain; choose another point with `--at`";
        Err(LinearizeError::None { message, hint: hint.into() })
    };
    if let Some(k) = slopes.rates.iter().position(|rate| !rate.is_finite()) {
        let name = model.name(sorted.states[k].var);
        return none(format!("the rate of `{name}` is not finite at the point ({})", slopes.rates[k]));
    }
    let parts = [&slopes.by_rates, &slopes.by_residuals, &slopes.by_invariants, &slopes.by_outputs];
    for (part, matrix) in parts.into_iter().enumerate() {
        for i in 0..matrix.rows() {
            let Some(j) = matrix.row(i).iter().position(|value| !value.is_finite()) else { continue };
            let of = match part {
                0 => format!("the rate of `{}`", model.name(sorted.states[i].var)),
                1 => format!("the equation of `{}`", model.name(sorted.algebraic[i].var)),
                2 => "a constraint".to_string(),
                _ => "an output".to_string(),
            };
            let by = model.name(columns[j]);
            return none(format!("{of} has no finite derivative by `{by}` at the point ({})", short(matrix.at(i, j))));
        }
    }
    if let Some(value) = slopes.outputs.iter().find(|value| !value.is_finite()) {
        return none(format!("an output is not finite at the point ({value})"));
    }
    Ok(())
}
