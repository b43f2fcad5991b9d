//! The equilibrium and the region around it: given, or found.

use super::function::Box;
use super::prove::Problem;
use crate::design::field::Field;
use crate::design::symbolic::SymbolicError;
use crate::exploratory_run::simulate;
use crate::{Compiled, EquilibriaError, EquilibriaOptions, equilibria, methods, short};
use ordinate_expr::{ExprId, Interval};
use std::f64::consts::FRAC_PI_2;

/// A coordinate that was found is taken for a simple number that is nearer than this, if the rates vanish there.
const NEAR: f64 = 1e-7;

/// The point: what is given, with start values for the rest; or the nearest equilibrium with V = 0.
pub(super) fn point(
    field: &mut Field,
    compiled: &Compiled,
    v: ExprId,
    at: &[(String, String)],
    notes: &mut Vec<String>,
) -> Result<Box, SymbolicError> {
    if !at.is_empty() {
        let t = compiled.run.map_or(0.0, |(from, _)| from);
        let mut point: Box =
            compiled.evaluator().starts(t)[..field.order()].iter().map(|&x| Interval::point(x)).collect();
        for (k, value) in field.given("--at", at, false)? {
            point[k] = value;
        }
        return Ok(point);
    }
    let found = match equilibria(compiled, &EquilibriaOptions::default()) {
        Ok(found) => found,
        Err(EquilibriaError::Usage(text)) => return Err(SymbolicError::Usage(text)),
        Err(EquilibriaError::Interrupted) => {
            return Err(SymbolicError::none("the search for an equilibrium was ended", "name it with `--at`"));
        }
        Err(EquilibriaError::None { message, .. }) => {
            return Err(SymbolicError::none(message, "name the equilibrium with `--at`"));
        }
    };
    let rates = field.rates.clone();
    let (rates, value) = (field.tape(&rates), field.tape(&[v]));
    let points: Vec<Box> = found
        .points
        .iter()
        .map(|rest| {
            let mut at: Box = rest.at.iter().map(|(_, x)| Interval::point(*x)).collect();
            for k in 0..at.len() {
                let x = at[k].low;
                for simple in simple_numbers(x) {
                    let mut other = at.clone();
                    other[k] = simple;
                    if (simple.middle() - x).abs() <= NEAR * x.abs().max(1.0)
                        && rates.bounds(&other).iter().all(|rate| rate.width() < 1e-6 && rate.size() < 1e-6)
                    {
                        at = other;
                        break;
                    }
                }
            }
            at
        })
        .collect();
    let zero = points.iter().position(|at| is_zero(value.bounds(at)[0]));
    let chosen = &points[zero.unwrap_or(0)];
    if points.len() > 1 {
        let text = place(&field.names, &chosen.iter().map(|side| side.middle()).collect::<Vec<_>>());
        notes.push(format!("{} equilibria were found; this is about {text}; `--at` names another", points.len()));
    }
    Ok(chosen.clone())
}

/// Numbers that people write, near to one: 0, multiples of π/2, decimals of a few digits.
fn simple_numbers(x: f64) -> Vec<Interval> {
    let mut simple = vec![Interval::ZERO];
    let turns = (x / FRAC_PI_2).round();
    if turns != 0.0 && turns.abs() < 64.0 {
        simple.push(Interval::PI.times(Interval::point(0.5 * turns)));
    }
    for digits in 0..7 {
        let scale = 10f64.powi(digits);
        simple.push(Interval::point((x * scale).round() / scale));
    }
    simple
}

/// Whether bounds are those of a zero that was rounded.
fn is_zero(value: Interval) -> bool {
    value.size() < 1e-9
}

/// `phi = 0, phi' = 1`
pub(super) fn place(names: &[String], at: &[f64]) -> String {
    let all: Vec<String> = names.iter().zip(at).map(|(name, x)| format!("{name} = {}", short(*x))).collect();
    all.join(", ")
}

/// The region: what is given, elsewhere the reach of the model's own run, in round numbers.
pub(super) fn region(
    field: &mut Field,
    compiled: &Compiled,
    point: &[Interval],
    given: Option<&str>,
) -> Result<Box, SymbolicError> {
    let mut region = usual_region(compiled, point);
    for part in crate::list_parts(given.unwrap_or("")).into_iter().filter(|part| !part.is_empty()) {
        let wrong = || {
            SymbolicError::Usage(format!(
                "`--region {}` must have the form name=low..high, as in `--region \"x=-1..1, phi=-pi..pi\"`",
                part.trim()
            ))
        };
        let (name, range) = part.split_once('=').ok_or_else(wrong)?;
        let (low, high) = range.split_once("..").ok_or_else(wrong)?;
        let name = name.trim().to_string();
        let pair = |text: &str| vec![(name.clone(), text.trim().to_string())];
        let (k, low) = field.given("--region", &pair(low), false)?[0];
        let (_, high) = field.given("--region", &pair(high), false)?[0];
        let side = Interval::new(low.low, high.high);
        if !(side.low < point[k].low && point[k].high < side.high) {
            return Err(SymbolicError::Usage(format!(
                "`--region {}`: {name} = {} of the point must lie between both",
                part.trim(),
                short(point[k].middle())
            )));
        }
        region[k] = side;
    }
    Ok(region)
}

fn usual_region(compiled: &Compiled, point: &[Interval]) -> Box {
    let t = compiled.run.map_or(0.0, |(from, _)| from);
    let span = compiled.run.map_or(10.0, |(from, to)| to - from);
    let mut evaluator = compiled.evaluator();
    let values = evaluator.starts(t);
    let (start, held) = values.split_at(point.len().min(values.len()));
    let piece = simulate(compiled, &methods::automatic(), (t, start, held), span, 201);
    let rows: Vec<&[f64]> = match piece.stopped {
        None => piece.y.iter().map(Vec::as_slice).collect(),
        Some(_) => vec![start],
    };
    let side = |(k, place): (usize, &Interval)| {
        let centre = place.middle();
        let reach = rows.iter().map(|y| (y[k] - centre).abs()).fold(0.0, f64::max);
        let half = match reach {
            reach if reach.is_finite() && reach > 1e-6 * centre.abs().max(1e-6) => round_up(1.1 * reach),
            _ if centre != 0.0 => round_up(0.5 * centre.abs()),
            _ => 1.0,
        };
        Interval::new(centre - half, centre + half)
    };
    point.iter().enumerate().map(side).collect()
}

/// The next of 1, 2, 5, 10, … that is not smaller.
fn round_up(x: f64) -> f64 {
    let unit = 10f64.powi(x.log10().floor() as i32);
    let steps = [1.0, 2.0, 5.0, 10.0];
    steps.into_iter().map(|step| step * unit).find(|&rounded| rounded >= x).unwrap_or(10.0 * unit)
}

/// The rates and V must vanish at the point. The answer is whether ∇V does, too.
pub(super) fn check(field: &Field, problem: &Problem, notes: &mut Vec<String>) -> Result<bool, SymbolicError> {
    let at: Vec<f64> = problem.point.iter().map(|side| side.middle()).collect();
    let here = place(&field.names, &at);
    let rates = problem.rates.bounds(&problem.point);
    for (k, rate) in rates.iter().copied().enumerate() {
        if rate.contains_zero() || is_zero(rate) {
            continue;
        }
        let value = short(rate.middle());
        return Err(SymbolicError::Usage(format!(
            "{here} is not an equilibrium: {}' is {value} there; `ordinate equilibria` lists the equilibria",
            field.names[k]
        )));
    }
    let value = problem.v.at(&at);
    if !value.contains_zero() && !is_zero(value) {
        let constant = short(value.middle());
        return Err(SymbolicError::Usage(format!(
            "V is {constant} at the point ({here}), not 0; write V in deviations from the point, or name another one with `--at`"
        )));
    }
    let exact = |bounds: &Interval| bounds.size() < 1e-300;
    let slopes = problem.v.slopes(&problem.point);
    let flat = slopes.iter().all(|slope| is_zero(*slope));
    if flat && !slopes.iter().chain(&rates).chain([&value]).all(exact) {
        notes.push("at the point V, its gradient and the rates are zero up to rounding and are treated as zero".into());
    }
    Ok(flat)
}
