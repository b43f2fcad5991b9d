//! From stored rows to a figure: the solution with the strips of order and step below, or a phase plane.

use crate::{Compiled, Memory, Run};
use ordinate_plot::{Band, Colour, Figure, Legend, Mark, Panel, Scale, Series, Style};
use ordinate_program::Program;

/// What is shown.
#[derive(Clone, Debug, Default)]
pub struct PlotOptions {
    /// Names of the curves; the states if empty.
    pub variables: Vec<String>,
    /// A phase plane of two names.
    pub phase: Option<(String, String)>,
    /// The rows were asked for one by one, so each is worth a mark if there are few.
    pub points: bool,
    /// For a terminal, where rows are few: strips that say nothing are left out.
    pub terminal: bool,
    /// A logarithmic axis of time, for rows of [`crate::shown`].
    pub decades: bool,
}

/// More curves than this are not drawn unless asked for by name.
const MAX_CURVES: usize = 8;
/// Variables of different units get a panel each, but no more than this.
const MAX_PANELS: usize = 3;
/// More marks than this are a curve.
const MAX_MARKS: usize = 60;

/// The figure of a run. The error names a variable that does not exist.
pub fn figure(compiled: &Compiled, run: &Run, rows: &Memory, options: &PlotOptions) -> Result<Figure, String> {
    let steps = run.outcome.statistics.steps;
    let steps = format!("{steps} step{}", if steps == 1 { "" } else { "s" });
    let mut title = format!("{}  ({}, {steps})", compiled.name, run.methods());
    let mut figure = Figure::new("");
    match &options.phase {
        Some((x, y)) => {
            figure.panels.push(phase_plane(compiled, rows, x, y)?);
            figure.height = 640.0;
        }
        None => {
            figure.panels = solution(compiled, rows, options)?;
            let errors = show_errors(run, rows, &mut figure.panels, &time_label(compiled));
            if blew_up(run) && cut_at_pole(&mut figure.panels) {
                title.push_str("  (y axis cut: the end is far beyond)");
            }
            let count = figure.panels.len() as f64;
            figure.height = 480.0 + 120.0 * count;
            figure.panels.extend(errors.filter(|_| !options.terminal));
            figure.panels.extend(strips(&time_label(compiled), rows, options.terminal));
            // more panels must not press the strips flat
            figure
                .panels
                .iter_mut()
                .filter(|panel| panel.share < 1.0)
                .for_each(|strip| strip.share *= (1.0 + count) / 2.0);
            if let ([first, .., last], true) = (rows.columns[0].as_slice(), options.decades) {
                for panel in &mut figure.panels {
                    (panel.x.scale, panel.x.range) = (Scale::Log, Some((*first, *last)));
                    // the first step begins at zero, which is at no place of such an axis
                    panel.series.iter_mut().for_each(|s| s.x.iter_mut().for_each(|x| *x = x.max(*first)));
                }
            }
        }
    }
    for note in figure_notes(compiled, options) {
        title.push_str(&format!("  {note}"));
    }
    figure.title = title;
    if options.terminal && figure.panels.len() > MAX_PANELS {
        // a few characters of height each are better spent on the solution
        figure.panels.truncate(MAX_PANELS);
    }
    figure.shared_x = options.phase.is_none();
    if let (Some(reason), None) = (&run.reason, &options.phase)
        && reason.kind != "interrupted"
    {
        figure.panels[0].marks.push(Mark::vertical(reason.t, reason.kind));
    }
    Ok(figure)
}

/// What the figure of a run does not show, and how to see it.
pub fn figure_notes(compiled: &Compiled, options: &PlotOptions) -> Vec<String> {
    let (all, shown) = (default_curves(compiled).len(), options.variables.len());
    if options.phase.is_some() || shown > 0 || all <= MAX_CURVES {
        return Vec::new();
    }
    vec![format!("{MAX_CURVES} of {all} shown; choose with --plot-vars")]
}

/// The figure of a table: every column against the first.
pub fn table_figure(title: &str, rows: &Memory) -> Figure {
    let columns = rows.names.len().saturating_sub(1);
    let note = if columns > MAX_CURVES {
        format!("  {MAX_CURVES} of {columns} shown; choose with --vars")
    } else {
        String::new()
    };
    let mut figure = Figure::new(&format!("{title}{note}"));
    let mut panel = Panel::new(rows.names.first().map_or("", String::as_str), "");
    for (name, values) in rows.names.iter().zip(&rows.columns).skip(1).take(MAX_CURVES) {
        panel.add(name, rows.columns[0].clone(), values.clone(), Style::Line);
    }
    figure.panels.push(panel);
    figure
}

/// The states, with what is solved for beside them if there is room; or everything stored where there are none.
fn default_curves(compiled: &Compiled) -> Vec<String> {
    let states = &compiled.program.state_names[..compiled.program.visible];
    let (sorted, stored) = (&compiled.sorted, compiled.stored_names());
    let algebraic = sorted.algebraic.iter().map(|algebraic| sorted.model.name(algebraic.var));
    let algebraic: Vec<String> = algebraic.filter(|name| stored.contains(name)).collect();
    match states.len() {
        0 => stored.into_iter().skip(1).collect(),
        n if n + algebraic.len() <= MAX_CURVES => states.iter().cloned().chain(algebraic).collect(),
        _ => states.to_vec(),
    }
}

fn column_index(rows: &Memory, name: &str) -> Result<usize, String> {
    let same = |known: &String| known == name || (name == "t" && known == "time");
    rows.names.iter().position(same).ok_or_else(|| {
        let instead = ordinate_model::instead(name, rows.names.iter().map(String::as_str));
        format!("there is no variable `{name}` to plot; {instead}")
    })
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
    compiled.sorted.model.unit_text(base, primes)
}

/// Time is in seconds where any unit is declared.
fn time_label(compiled: &Compiled) -> String {
    if compiled.sorted.model.units.is_empty() { "t".into() } else { "t [s]".into() }
}

/// Which columns are constant between events, by index: held values, modes, and what is made of them alone.
fn held_columns(compiled: &Compiled) -> Vec<bool> {
    let program = &compiled.program;
    let zeros = |register: u32| {
        let value = |&(r, literal): &(u32, ordinate_program::Literal)| {
            r == register && matches!(literal, ordinate_program::Literal::Decimal(d) if d.to_f64() == 0.0)
        };
        program.literals.iter().any(value)
    };
    let mut moving = vec![false; program.registers];
    moving[0] = true;
    for (k, &derivative) in program.rhs.results.iter().enumerate() {
        moving[Program::STATES + k] = k >= program.layout.differential() || !zeros(derivative);
    }
    // what is delayed was moving
    let delayed = program.delayed_register();
    moving[delayed..delayed + program.layout.delays.len()].fill(true);
    let states: Vec<bool> =
        moving[Program::STATES..Program::STATES + program.visible].iter().map(|moves| !moves).collect();
    for i in &program.outputs.instructions {
        // operands that an operation does not have are register 0, which is the time
        let operands = [Some(i.a), (arity(i.op) > 1).then_some(i.b), (arity(i.op) > 2).then_some(i.c)];
        moving[i.out as usize] = operands.into_iter().flatten().any(|r| moving[r as usize]);
    }
    let outputs = program.outputs.results.iter().map(|&r| !moving[r as usize]);
    std::iter::once(false).chain(states).chain(outputs).collect()
}

fn arity(op: ordinate_program::Op) -> usize {
    use ordinate_program::Op;
    match op {
        Op::Neg | Op::Square | Op::HalfPower(_) | Op::Call(_) | Op::Not | Op::Lookup(_) => 1,
        Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Pow | Op::Atan2 => 2,
        Op::Less | Op::LessEqual | Op::Equal | Op::And | Op::Or => 2,
        Op::Select => 3,
    }
}

/// The curves in one panel, or in one for each unit where there are two or three.
fn solution(compiled: &Compiled, rows: &Memory, options: &PlotOptions) -> Result<Vec<Panel>, String> {
    let chosen: Vec<String> = match options.variables.as_slice() {
        [] => default_curves(compiled).into_iter().take(MAX_CURVES).collect(),
        list => list.to_vec(),
    };
    let mut groups: Vec<(Option<String>, Vec<String>)> = Vec::new();
    for name in &chosen {
        let unit = unit(compiled, name);
        match groups.iter_mut().find(|(known, _)| *known == unit) {
            Some((_, names)) => names.push(name.clone()),
            None => groups.push((unit, vec![name.clone()])),
        }
    }
    if groups.len() > MAX_PANELS {
        groups = vec![(None, chosen)];
    }
    let held = held_columns(compiled);
    let marked = options.points && rows.columns[0].len() <= MAX_MARKS;
    let mut panels = Vec::new();
    for (unit, names) in groups {
        let y_label = match (names.as_slice(), unit) {
            ([one], _) => label(compiled, one),
            (_, Some(unit)) => format!("[{unit}]"),
            (_, None) => String::new(),
        };
        let mut panel = Panel::new(&time_label(compiled), &y_label);
        for name in &names {
            let k = column_index(rows, name)?;
            let style = match (held.get(k), marked) {
                (Some(true), _) => Style::Steps,
                (_, true) => Style::Markers,
                (_, false) => Style::Line,
            };
            // the unit stands at the axis if the panel has one
            let label = if y_label.is_empty() { label(compiled, name) } else { name.clone() };
            let (times, values) = (&rows.columns[0], &rows.columns[k]);
            let x = if style == Style::Steps { at_samples(compiled, times, values) } else { times.clone() };
            panel.add(&label, x, values.clone(), style);
        }
        panels.push(panel);
    }
    Ok(panels)
}

/// The times of a curve that is constant between events, where it jumps those of the samples: these add no rows, so that a jump is
/// first seen at the row after it. The last row stays where it is.
fn at_samples(compiled: &Compiled, times: &[f64], values: &[f64]) -> Vec<f64> {
    let mut moved = times.to_vec();
    let Some(&start) = times.first() else { return moved };
    for k in 1..times.len().saturating_sub(1) {
        let sampled = compiled.program.layout.sampled.iter().map(|sampled| sampled.period);
        let last = sampled.map(|period| start + ((times[k] - start) / period).floor() * period);
        let last = last.fold(f64::NEG_INFINITY, f64::max);
        if values[k] != values[k - 1] && last > times[k - 1] && last < times[k] {
            moved[k] = last;
        }
    }
    moved
}

/// Whether a run ended because something grew without bound.
fn blew_up(run: &Run) -> bool {
    run.reason.as_ref().is_some_and(|r| matches!(r.kind, "singularity" | "step_too_small" | "not_finite" | "max_steps"))
}

/// Values this many times beyond those before are left out of the range.
const EXPLOSION: f64 = 100.0;
/// The part of the rows that counts as before.
const BEFORE: f64 = 0.95;

/// Limits the y axis of panels whose last rows are far beyond all others; says whether there were any.
fn cut_at_pole(panels: &mut [Panel]) -> bool {
    let range = |values: &mut dyn Iterator<Item = f64>| {
        values.filter(|v| v.is_finite()).fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)))
    };
    let mut cut = false;
    for panel in panels {
        let (lo, hi) = range(&mut panel.series.iter().flat_map(|s| s.y.iter().copied()));
        let before = |n: usize| (n as f64 * BEFORE) as usize;
        let (low, high) = range(&mut panel.series.iter().flat_map(|s| s.y[..before(s.y.len())].iter().copied()));
        let width = high - low;
        // a constant before the explosion has no width of its own
        let width = if width > 0.0 { width } else { 0.1 * high.abs() };
        if width > 0.0 && width.is_finite() && (hi - lo) > EXPLOSION * width {
            let room = |beyond: bool| if beyond { width } else { 0.05 * width };
            panel.y.range = Some((low - room(lo < low - width), high + room(hi > high + width)));
            cut = true;
        }
    }
    cut
}

fn phase_plane(compiled: &Compiled, rows: &Memory, x: &str, y: &str) -> Result<Panel, String> {
    let mut panel = Panel::new(&label(compiled, x), &label(compiled, y));
    panel.equal_aspect = unit(compiled, x) == unit(compiled, y);
    let (xs, ys) = (&rows.columns[column_index(rows, x)?], &rows.columns[column_index(rows, y)?]);
    // Two rows at one time are a jump: no motion leads from one to the other.
    let mut curve: (Vec<f64>, Vec<f64>) = Default::default();
    let mut jumps: (Vec<f64>, Vec<f64>) = Default::default();
    for k in 0..xs.len() {
        if k > 0 && rows.columns[0][k] == rows.columns[0][k - 1] {
            curve.0.push(f64::NAN);
            curve.1.push(f64::NAN);
            jumps.0.extend([xs[k - 1], xs[k], f64::NAN]);
            jumps.1.extend([ys[k - 1], ys[k], f64::NAN]);
        }
        curve.0.push(xs[k]);
        curve.1.push(ys[k]);
    }
    panel.add("", curve.0, curve.1, Style::Curve);
    if !jumps.0.is_empty() {
        panel.add("", jumps.0, jumps.1, Style::Jumps).colour = Colour::Cycle(0);
    }
    Ok(panel)
}

/// A band around every curve whose error is known, and a strip of the errors themselves: bands are rarely wide enough to be seen.
fn show_errors(run: &Run, rows: &Memory, panels: &mut [Panel], time: &str) -> Option<Panel> {
    let error = run.error.as_ref().filter(|error| !error.corrected)?;
    let mut strip = Panel::new(time, "error");
    strip.share = 0.3;
    strip.y.scale = Scale::Log;
    // In one panel the colours tell which error is whose; the curves of several have the same one.
    let several = panels.len() > 1;
    if !several {
        strip.legend = Legend::Hidden;
    }
    let (mut least, mut most) = (f64::INFINITY, 0.0f64);
    for series in panels.iter_mut().flat_map(|panel| &mut panel.series) {
        // the label may have a unit after the name
        let name = series.label.split(" [").next().unwrap_or_default();
        let Some(errors) = error.names.iter().position(|known| known == name).and_then(|k| error.rows.get(k)) else {
            continue;
        };
        if errors.len() != series.y.len() {
            continue;
        }
        let bound = |sign: f64| series.y.iter().zip(errors).map(|(y, e)| y + sign * e.abs()).collect();
        series.band = Some(Band { lower: bound(-1.0), upper: bound(1.0) });
        let sizes: Vec<f64> = errors.iter().map(|e| if *e == 0.0 { f64::NAN } else { e.abs() }).collect();
        if sizes.iter().all(|e| e.is_nan()) {
            continue;
        }
        most = sizes.iter().copied().filter(|e| e.is_finite()).fold(most, f64::max);
        let mut sorted: Vec<f64> = sizes.iter().copied().filter(|e| e.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        // an error that changes its sign is zero now and then
        least = least.min(sorted.get(sorted.len() / 10).copied().unwrap_or(f64::INFINITY));
        let mut line = Series { y: sizes, band: None, style: Style::Line, ..series.clone() };
        match several {
            true => (line.label, line.colour) = (name.to_string(), Colour::Cycle(strip.series.len())),
            false => line.label = String::new(),
        }
        strip.series.push(line);
    }
    strip.y.range = decades(least, most);
    (!strip.series.is_empty() && strip.y.range.is_some() && rows.columns[0].len() > 1).then_some(strip)
}

/// Order and length of the steps over time. In a terminal an order that never changes is no news.
fn strips(time: &str, rows: &Memory, terminal: bool) -> Vec<Panel> {
    let Some(&last) = rows.strip.last() else { return Vec::new() };
    // A step holds from its beginning; the last value is repeated to close the stairs.
    let begin = rows.strip.iter().map(|&(t, h, _)| t - h).chain([last.0]);
    let times: Vec<f64> = begin.collect();
    let strip = |name: &str, values: Vec<f64>| {
        let mut panel = Panel::new(time, name);
        panel.share = 0.22;
        panel.add("", times.clone(), values, Style::Steps);
        panel
    };
    let orders = rows.strip.iter().map(|&(_, _, order)| f64::from(order)).chain([f64::from(last.2)]);
    let lengths: Vec<f64> = rows.strip.iter().map(|&(_, h, _)| h).chain([last.1]).collect();
    let (shortest, longest) =
        lengths.iter().fold((f64::INFINITY, 0.0), |(lo, hi): (f64, f64), &h| (lo.min(h), hi.max(h)));
    let unit = time.strip_prefix('t').unwrap_or("");
    let (mut order, mut step) = (strip("ORD", orders.collect()), strip(&format!("step{unit}"), lengths));
    let (least, most) =
        rows.strip.iter().fold((u32::MAX, 0), |(lo, hi), &(_, _, order)| (lo.min(order), hi.max(order)));
    order.y.range = Some((0.0, f64::from(most) * 1.25));
    step.y.scale = Scale::Log;
    step.y.range = decades(shortest, longest);
    if terminal && least == most { vec![step] } else { vec![order, step] }
}

/// Whole decades around a range, at least one, so that both ends of a logarithmic axis are labelled.
fn decades(lo: f64, hi: f64) -> Option<(f64, f64)> {
    if !(lo > 0.0 && hi.is_finite()) {
        return None;
    }
    let (a, b) = ((lo.log10() + 1e-9).floor(), (hi.log10() - 1e-9).ceil());
    Some((10f64.powf(a.min(b - 1.0)), 10f64.powf(b)))
}
