//! From stored rows to a figure: the solution with the strips of order and step below, or a phase plane.

use crate::{Compiled, Memory, Run};
use ordinate_plot::{Figure, Mark, Panel, Scale, Style};

/// What is shown.
#[derive(Clone, Debug, Default)]
pub struct PlotOptions {
    /// Names of the curves; the states if empty.
    pub variables: Vec<String>,
    /// A phase plane of two names.
    pub phase: Option<(String, String)>,
}

/// More curves than this are not drawn unless asked for by name.
const MAX_CURVES: usize = 8;

/// The figure of a run. The error names a variable that does not exist.
pub fn figure(compiled: &Compiled, run: &Run, rows: &Memory, options: &PlotOptions) -> Result<Figure, String> {
    let title = format!("{}  ({}, {} steps)", compiled.name, run.method, run.outcome.statistics.steps);
    let mut figure = Figure::new(&title);
    match &options.phase {
        Some((x, y)) => figure.panels.push(phase_plane(compiled, rows, x, y)?),
        None => {
            figure.panels.push(solution(compiled, rows, &options.variables)?);
            figure.panels.extend(strips(rows));
        }
    }
    figure.shared_x = options.phase.is_none();
    if figure.panels.len() > 1 {
        figure.height = 600.0;
    } else if options.phase.is_some() {
        figure.height = 640.0;
    }
    if let (Some(reason), None) = (&run.reason, &options.phase)
        && reason.kind != "interrupted"
    {
        figure.panels[0].marks.push(Mark::vertical(reason.t, reason.kind));
    }
    Ok(figure)
}

/// The figure of a table: every column against the first.
pub fn table_figure(title: &str, rows: &Memory) -> Figure {
    let mut figure = Figure::new(title);
    let mut panel = Panel::new(rows.names.first().map_or("", String::as_str), "");
    for (name, values) in rows.names.iter().zip(&rows.columns).skip(1).take(MAX_CURVES) {
        panel.add(name, rows.columns[0].clone(), values.clone(), Style::Line);
    }
    figure.panels.push(panel);
    figure
}

fn column<'a>(rows: &'a Memory, name: &str) -> Result<&'a [f64], String> {
    let same = |known: &String| known == name || (name == "t" && known == "time");
    let k = rows.names.iter().position(same).ok_or_else(|| {
        match ordinate_model::closest(name, rows.names.iter().map(String::as_str)) {
            Some(meant) => format!("there is no variable `{name}` to plot; did you mean `{meant}`?"),
            None => format!("there is no variable `{name}` to plot; there are: {}", rows.names.join(", ")),
        }
    })?;
    Ok(&rows.columns[k])
}

/// `name [unit]`
fn label(compiled: &Compiled, name: &str) -> String {
    match unit(compiled, name) {
        Some(unit) => format!("{name} [{unit}]"),
        None => name.to_string(),
    }
}

fn unit(compiled: &Compiled, name: &str) -> Option<String> {
    let base = name.trim_end_matches('\'');
    let primes = (name.len() - base.len()) as u32;
    let base = base.split('[').next().unwrap_or(base);
    let (_, unit) = compiled.sorted.model.units.iter().find(|(known, _)| known == base)?;
    Some(unit.per_time(primes).to_string())
}

/// Time is in seconds where any unit is declared.
fn time_label(compiled: &Compiled) -> String {
    if compiled.sorted.model.units.is_empty() { "t".into() } else { "t [s]".into() }
}

fn solution(compiled: &Compiled, rows: &Memory, variables: &[String]) -> Result<Panel, String> {
    let chosen: Vec<String> = match variables {
        [] => {
            let states = compiled.program.layout.states;
            let from = if states > 0 { 1..=states } else { 1..=rows.stored.saturating_sub(1) };
            rows.names[from].iter().take(MAX_CURVES).cloned().collect()
        }
        list => list.to_vec(),
    };
    let units: Vec<Option<String>> = chosen.iter().map(|name| unit(compiled, name)).collect();
    let y_label = match (chosen.as_slice(), units.first()) {
        ([one], _) => label(compiled, one),
        (_, Some(Some(first))) if units.iter().all(|u| u.as_ref() == Some(first)) => format!("[{first}]"),
        _ => String::new(),
    };
    let mut panel = Panel::new(&time_label(compiled), &y_label);
    for name in &chosen {
        let values = column(rows, name)?;
        panel.add(&label(compiled, name), rows.columns[0].clone(), values.to_vec(), Style::Line);
    }
    Ok(panel)
}

fn phase_plane(compiled: &Compiled, rows: &Memory, x: &str, y: &str) -> Result<Panel, String> {
    let mut panel = Panel::new(&label(compiled, x), &label(compiled, y));
    panel.equal_aspect = unit(compiled, x) == unit(compiled, y);
    panel.add("", column(rows, x)?.to_vec(), column(rows, y)?.to_vec(), Style::Curve);
    Ok(panel)
}

/// Order and length of the steps over time.
fn strips(rows: &Memory) -> Vec<Panel> {
    if rows.strip.is_empty() {
        return Vec::new();
    }
    // A step holds from its beginning; the last value is repeated to close the stairs.
    let last = rows.strip[rows.strip.len() - 1];
    let begin = rows.strip.iter().map(|&(t, h, _)| t - h).chain([last.0]);
    let times: Vec<f64> = begin.collect();
    let strip = |name: &str, values: Vec<f64>| {
        let mut panel = Panel::new("t", name);
        panel.share = 0.22;
        panel.add("", times.clone(), values, Style::Steps);
        panel
    };
    let orders = rows.strip.iter().map(|&(_, _, order)| f64::from(order)).chain([f64::from(last.2)]);
    let lengths = rows.strip.iter().map(|&(_, h, _)| h).chain([last.1]);
    let (mut order, mut step) = (strip("ORD", orders.collect()), strip("step", lengths.collect()));
    let top = rows.strip.iter().map(|&(_, _, order)| order).max().unwrap_or(1);
    order.y.range = Some((0.0, f64::from(top) * 1.25));
    step.y.scale = Scale::Log;
    vec![order, step]
}
