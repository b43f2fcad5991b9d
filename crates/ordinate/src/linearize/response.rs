//! The linear beside the nonlinear response: both from the same start, with the inputs as they are at the point.

use super::analysis::explained;
use super::point::find;
use super::slopes::recompiled;
use super::{LinearFigureOptions, Linearization, LinearizeError};
use crate::exploratory_run::{Piece, simulate};
use crate::{Compiled, methods, short};
use ordinate_control::{Hold, Matrix, StateSpace, discretise};
use ordinate_model::{instead, with_fixed};
use ordinate_plot::{Colour, Figure, Panel, Style};

/// Rows of both responses.
const ROWS: usize = 401;
/// More panels below each other are not readable.
const MOST_PANELS: usize = 6;
/// The linear response is cut at so many times the range of the nonlinear one.
const CUT: f64 = 0.5;
/// A deviation where the start values have none, of the size of the state or 1.
const SMALL: f64 = 0.01;

/// Both responses from the start values of the model; from a small deviation, if these are the point itself.
pub fn response_figure(
    linear: &Linearization,
    compiled: &Compiled,
    options: &LinearFigureOptions,
    name: &str,
) -> Result<Figure, LinearizeError> {
    let shown = shown(linear, options)?;
    let model = &compiled.sorted.model;
    let given = linear.inputs.iter().chain(&linear.disturbances);
    let fixed: Vec<_> = given.filter_map(|name| Some((find(model, name)?, linear.at(name)?))).collect();
    let still = recompiled(compiled, with_fixed(&compiled.sorted, &fixed));
    let span = options.span.or(compiled.run.map(|(from, to)| to - from)).unwrap_or(10.0);
    let (start, held, small) = start(linear, &still);
    let piece = simulate(&still, &methods::automatic(), (linear.time, &start, &held), span, ROWS);
    let Some(first) = piece.y.first() else {
        let why = piece.stopped.unwrap_or_default();
        return Err(LinearizeError::None {
            message: format!("the nonlinear response cannot begin: {why}"),
            hint: "give other start values with `--set`".into(),
        });
    };
    let places: Vec<usize> = places(linear, &still);
    let deviation: Vec<f64> =
        linear.states.iter().zip(&places).map(|(name, &k)| first[k] - linear.at(name).unwrap_or(0.0)).collect();
    let lines = linear_response(linear, &deviation, span)?;
    let mut figure = Figure::new(&title(linear, &deviation, small, name));
    (figure.width, figure.height) = (800.0, 160.0 + 220.0 * shown.len() as f64);
    for &k in &shown {
        figure.panels.push(panel(linear, k, places[k], &piece, &lines, span));
    }
    if let Some(why) = &piece.stopped {
        let end = piece.t.last().copied().unwrap_or(linear.time);
        figure.title.push_str(&format!("; the nonlinear one ends at {}: {why}", short(end)));
    }
    Ok(figure)
}

/// Which states are drawn: the one asked for, or those that are no derivatives of others.
fn shown(linear: &Linearization, options: &LinearFigureOptions) -> Result<Vec<usize>, LinearizeError> {
    let states = &linear.states;
    if let Some(name) = &options.to {
        return match states.iter().position(|known| known == name) {
            Some(k) => Ok(vec![k]),
            None => {
                let instead = instead(name, states.iter().map(String::as_str));
                Err(LinearizeError::Usage(format!("`--to {name}`: there is no state `{name}`; {instead}")))
            }
        };
    }
    let lower = |name: &String| name.strip_suffix('\'').is_some_and(|lower| states.iter().any(|known| known == lower));
    Ok((0..states.len()).filter(|&k| !lower(&states[k])).take(MOST_PANELS).collect())
}

/// Where the states of the linear system are among those of the model.
fn places(linear: &Linearization, compiled: &Compiled) -> Vec<usize> {
    let names = &compiled.program.state_names;
    let place = |name: &String| names.iter().position(|known| known == name).expect("a state of the model");
    linear.states.iter().map(place).collect()
}

/// The start values if the point is one of the start time and they are another one, or else a small deviation from it; y,
/// held values, and whether it is that.
fn start(linear: &Linearization, compiled: &Compiled) -> (Vec<f64>, Vec<f64>, bool) {
    let layout = &compiled.program.layout;
    let from = compiled.run.map_or(0.0, |(from, _)| from);
    let values = compiled.evaluator().starts(from);
    let held = values[layout.states..layout.states + layout.held].to_vec();
    let mut start = values[..layout.states].to_vec();
    let names = &compiled.program.state_names;
    let point: Vec<f64> = names
        .iter()
        .zip(&start)
        .map(|(name, own)| {
            let algebraic = linear.algebraic.iter().find(|(known, _)| known == name).map(|&(_, value)| value);
            linear.at(name).or(algebraic).unwrap_or(*own)
        })
        .collect();
    let apart = |k: &usize| (start[*k] - point[*k]).abs() > 1e-9 * (1.0 + point[*k].abs());
    if linear.time == from && places(linear, compiled).iter().any(apart) {
        return (start, held, false);
    }
    start = point;
    let chosen: Vec<usize> = places(linear, compiled).into_iter().filter(|&k| !names[k].ends_with('\'')).collect();
    chosen.into_iter().for_each(|k| start[k] += SMALL * start[k].abs().max(1.0));
    (start, held, true)
}

/// δ of each state over time: δ′ = A δ + rates, exactly at the grid.
fn linear_response(linear: &Linearization, start: &[f64], span: f64) -> Result<Vec<Vec<f64>>, LinearizeError> {
    let n = start.len();
    let system = StateSpace {
        a: linear.system.a.clone(),
        b: Matrix::from_elements(n, 1, linear.rates.clone()),
        c: Matrix::zero(0, n),
        d: Matrix::zero(0, 1),
        period: None,
    };
    let step = discretise(&system, span / (ROWS - 1) as f64, Hold::Zero).map_err(explained)?;
    let mut x = start.to_vec();
    let mut lines: Vec<Vec<f64>> = x.iter().map(|&x| vec![x]).collect();
    for _ in 1..ROWS {
        let next = |i: usize| step.a.row(i).iter().zip(&x).map(|(a, x)| a * x).sum::<f64>() + step.b.at(i, 0);
        x = (0..n).map(next).collect();
        lines.iter_mut().zip(&x).for_each(|(line, &x)| line.push(x));
    }
    Ok(lines)
}

fn panel(linear: &Linearization, k: usize, place: usize, piece: &Piece, lines: &[Vec<f64>], span: f64) -> Panel {
    let name = &linear.states[k];
    let unit = linear.units.states[k].as_ref().map_or(String::new(), |unit| format!(" [{unit}]"));
    let mut panel = Panel::new("t [s]", &format!("{name}{unit}"));
    let nonlinear: Vec<f64> = piece.y.iter().map(|y| y[place]).collect();
    let at = linear.at(name).unwrap_or(0.0);
    let line: Vec<f64> = lines[k].iter().map(|delta| at + delta).collect();
    let range = |values: &[f64]| {
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| (low.min(v), high.max(v)))
    };
    let (own, other) = (range(&nonlinear), range(&line));
    let width = (own.1 - own.0).max((lines[k][0]).abs()).max(1e-12 * (1.0 + at.abs()));
    let cut = (own.0 - CUT * width, own.1 + CUT * width);
    if !(other.0 >= cut.0 && other.1 <= cut.1) {
        panel.y.range =
            Some((cut.0.max(other.0.min(own.0)) - 0.05 * width, cut.1.min(other.1.max(own.1)) + 0.05 * width));
    }
    let t = (0..ROWS).map(|i| linear.time + span * i as f64 / (ROWS - 1) as f64).collect();
    panel.add("nonlinear", piece.t.clone(), nonlinear, Style::Line);
    panel.add("linear", t, line, Style::Line);
    let ends = vec![linear.time, linear.time + span];
    panel.add("point", ends, vec![at, at], Style::Line).colour = Colour::Grey;
    panel
}

fn title(linear: &Linearization, deviation: &[f64], small: bool, name: &str) -> String {
    let parts: Vec<String> = linear
        .states
        .iter()
        .zip(deviation)
        .filter(|(_, deviation)| deviation.abs() > 1e-12)
        .map(|(name, deviation)| format!("Δ{name} = {}", super::text::digits(*deviation)))
        .collect();
    let what = if small { "a small deviation" } else { "the start values" };
    match parts.len() {
        0 => format!("{name}: linear and nonlinear response"),
        1..=4 => format!("{name}: linear and nonlinear response from {what}, {}", parts.join(", ")),
        _ => format!("{name}: linear and nonlinear response from {what}"),
    }
}
