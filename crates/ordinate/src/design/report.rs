//! Designs for people and for programs, and their pictures.

use super::{Design, Trial};
use crate::number::complex;
use crate::short;
use ordinate_control::{Complex, Margins, Matrix};
use ordinate_plot::{Figure, Mark, Panel, Style};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// Why a loop is not used: its poles that are not stable.
pub(super) fn unstable(poles: &[Complex], sampled: Option<f64>) -> String {
    let bad = |p: &&Complex| if sampled.is_some() { p.re.hypot(p.im) >= 1.0 } else { p.re >= 0.0 };
    let list: Vec<String> = poles.iter().filter(bad).map(|p| complex(p.re, p.im)).collect();
    let (plural, place) = (if list.len() == 1 { "" } else { "s" }, if sampled.is_some() { "z" } else { "s" });
    format!("the closed loop is not stable: pole{plural} {} in {place}", list.join(", "))
}

/// A number with five digits.
fn brief(value: f64) -> String {
    let rounded: f64 = format!("{value:.4e}").parse().unwrap_or(value);
    short(rounded)
}

fn brief_complex(value: Complex) -> String {
    let part = |x: f64| format!("{x:.4e}").parse().unwrap_or(x);
    complex(part(value.re), part(value.im))
}

/// `design` for people: one page.
pub fn design_text(design: &Design, model: &str) -> String {
    let mut out = String::new();
    let mut line = |head: &str, text: String| writeln!(out, "{head:<8}{text}").expect("a string takes all text");
    let point: Vec<String> = design.point.iter().map(|(name, value)| format!("{name} = {}", brief(*value))).collect();
    let sampled = design.sampled.map_or(String::new(), |period| format!(", sampled every {}", short(period)));
    line(design.kind, format!("{model}{sampled}"));
    line("point", point.join(", "));
    let width = design.gains.iter().map(|gain| gain.name.chars().count()).max().unwrap_or(0);
    for (k, gain) in design.gains.iter().enumerate() {
        let padding = " ".repeat(width - gain.name.chars().count());
        let text = format!("{}{padding} = {:<14} {}", gain.name, short(gain.value), gain.comment);
        line(if k == 0 { "gains" } else { "" }, text.trim_end().into());
    }
    for (k, (pole, rate)) in design.poles.iter().zip(&design.rates).enumerate().filter(|(_, (p, _))| p.im >= 0.0) {
        let frequency = rate.re.hypot(rate.im);
        let damping = if frequency > 0.0 { -rate.re / frequency } else { 0.0 };
        let pair = if pole.im > 0.0 { brief_complex(*pole).replace(" + ", " ± ") } else { brief_complex(*pole) };
        let z = if design.sampled.is_some() { " in z" } else { "" };
        let speed = match frequency.is_finite() {
            true => format!("damping {}, {} rad/s", brief(damping), brief(frequency)),
            false => "deadbeat".into(),
        };
        line(if k == 0 { "poles" } else { "" }, format!("{:<28}{speed}", format!("{pair}{z}")));
    }
    for (input, margins) in &design.margins {
        line("margins", format!("{}, loop opened at {input}", margins_text(margins)));
    }
    if let (Some(step), Some((output, _))) = (&design.step, &design.following) {
        let settling = step.settling.map_or(String::new(), |time| format!("within 2 % after {}, ", brief(time)));
        let overshoot = brief(step.overshoot);
        let end = brief(step.last);
        line("step", format!("of {output} in the linear loop: {settling}overshoot {overshoot} %, static gain {end}"));
    }
    if let Some(cost) = design.cost.as_ref().filter(|cost| cost.value > 0.0) {
        let mut text = format!("{} = x'Px from the start of the closed loop", brief(cost.value));
        if let Some(linear) = cost.linear {
            write!(text, "; simulated: linear loop {}", brief(linear)).expect("a string takes all text");
        }
        if let Some(nonlinear) = cost.nonlinear {
            write!(text, ", nonlinear loop {}", brief(nonlinear)).expect("a string takes all text");
        }
        line("cost", text);
    }
    match &design.trial {
        Some(trial) => line("trial", trial_text(trial)),
        None => line("trial", "the nonlinear loop was not simulated".into()),
    }
    for note in &design.notes {
        line("note", note.clone());
    }
    out
}

fn margins_text(margins: &Margins) -> String {
    let decibel = |factor: f64| 20.0 * factor.log10();
    // up and down: factors above and below 1 bound the gain from both sides
    let nearest = |above: bool| {
        let side = margins.gain.iter().filter(|(_, factor)| (*factor > 1.0) == above);
        { side }.min_by(|a, b| decibel(a.1).abs().total_cmp(&decibel(b.1).abs()))
    };
    let mut parts = Vec::new();
    for (frequency, factor) in [nearest(true), nearest(false)].into_iter().flatten() {
        let (factor, db) = (brief(*factor), brief(decibel(*factor)));
        parts.push(format!("gain × {factor} ({db} dB) at {} rad/s", brief(*frequency)));
    }
    match margins.phase.iter().min_by(|a, b| a.1.abs().total_cmp(&b.1.abs())) {
        Some((frequency, degrees)) => parts.push(format!("phase {}° at {} rad/s", brief(*degrees), brief(*frequency))),
        None => parts.push("phase unlimited".into()),
    }
    parts.push(format!("distance from −1 {}", brief(margins.modulus.0)));
    parts.join(", ")
}

fn trial_text(trial: &Trial) -> String {
    let effort: Vec<String> =
        trial.effort.iter().map(|(name, most)| format!("largest |{name}| {}", brief(*most))).collect();
    let mut parts = vec![match (&trial.remark, trial.moves) {
        (Some(remark), _) => format!("nonlinear loop, {} long: {remark}", brief(trial.duration)),
        (None, false) => "nonlinear loop: starts at rest, and stays there".into(),
        (None, true) => "nonlinear loop: comes to rest".into(),
    }];
    parts.extend(trial.settling.map(|time| format!("within 2 % after {}", brief(time))));
    parts.extend(trial.overshoot.as_ref().map(|(name, percent)| format!("{name} overshoots by {} %", brief(*percent))));
    parts.extend(effort);
    parts.join(", ")
}

fn rows(matrix: &Matrix) -> Value {
    json!((0..matrix.rows()).map(|i| matrix.row(i).to_vec()).collect::<Vec<_>>())
}

fn number(z: &Complex) -> Value {
    json!({ "re": z.re, "im": z.im })
}

/// `design --format json`
pub fn design_json(design: &Design) -> Value {
    let point: Map<String, Value> = design.point.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let gains: Map<String, Value> = design.gains.iter().map(|g| (g.name.clone(), json!(g.value))).collect();
    let matrix = |m: &Option<Matrix>| m.as_ref().map_or(Value::Null, rows);
    let pairs = |list: &[(f64, f64)], name: &str| {
        let one = |(frequency, value): &(f64, f64)| json!({ "frequency": frequency, name: value });
        list.iter().map(one).collect::<Vec<Value>>()
    };
    let margins: Map<String, Value> = design
        .margins
        .iter()
        .map(|(input, m)| {
            let value = json!({
                "gain": pairs(&m.gain, "factor"),
                "phase": pairs(&m.phase, "degrees"),
                "modulus": { "frequency": m.modulus.1, "distance": m.modulus.0 },
            });
            (input.clone(), value)
        })
        .collect();
    let trial = design.trial.as_ref().map(|trial| {
        let effort: Map<String, Value> = trial.effort.iter().map(|(name, u)| (name.clone(), json!(u))).collect();
        json!({
            "duration": trial.duration,
            "at_rest": trial.at_rest,
            "remark": trial.remark,
            "settling_time": trial.settling,
            "overshoot_percent": trial.overshoot.as_ref().map(|(_, percent)| percent),
            "overshoot_of": trial.overshoot.as_ref().map(|(name, _)| name),
            "largest_input": effort,
        })
    });
    json!({
        "schema": "ordinate.design/1",
        "kind": design.kind,
        "states": design.states,
        "inputs": design.inputs,
        "point": point,
        "K": matrix(&design.k),
        "kr": matrix(&design.kr),
        "ki": matrix(&design.ki),
        "P": matrix(&design.p),
        "cost": design.cost.as_ref().map(|cost| cost.value),
        "cost_linear": design.cost.as_ref().and_then(|cost| cost.linear),
        "cost_nonlinear": design.cost.as_ref().and_then(|cost| cost.nonlinear),
        "closed_loop_eigenvalues": design.poles.iter().map(number).collect::<Vec<_>>(),
        "stable": design.refusal.is_none(),
        "sampled": design.sampled,
        "reference": design.following.as_ref().map(|(output, value)| json!({ "output": output, "value": value })),
        "observer": design.observer.as_ref().map(|(measured, gain)| json!({ "measured": measured, "L": rows(gain) })),
        "pid": design.pid.map(|(kp, ki, kd)| json!({ "kp": kp, "ki": ki, "kd": kd })),
        "gains": gains,
        "margins": margins,
        "step": design.step.as_ref().map(|step| json!({
            "settling_time": step.settling, "overshoot_percent": step.overshoot, "rise_time": step.rise, "last": step.last,
        })),
        "trial": trial,
        "notes": design.notes,
    })
}

/// More curves than this are not drawn.
const MAX_CURVES: usize = 8;

/// The response of the closed nonlinear loop, and below it the control.
pub fn design_figure(design: &Design, model: &str) -> Option<Figure> {
    let rows = &design.trial.as_ref()?.rows;
    let times = rows.column("time")?;
    let mut figure = Figure::new(&format!("{model}, closed loop ({})", design.kind));
    let mut response = Panel::new("t", "");
    let followed = design.following.iter().map(|(output, _)| output);
    let others =
        design.states.iter().filter(|state| design.following.as_ref().is_none_or(|(output, _)| output != *state));
    for name in followed.chain(others).take(MAX_CURVES) {
        if let Some(values) = rows.column(name) {
            response.add(name, times.to_vec(), values.to_vec(), Style::Line);
        }
    }
    if let Some((output, value)) = &design.following {
        response.marks.push(Mark::horizontal(*value, &format!("reference of {output}")));
    }
    figure.panels.push(response);
    let mut control = Panel::new("t", "control");
    control.share = 0.6;
    for name in &design.inputs {
        let style = if design.sampled.is_some() { Style::Steps } else { Style::Line };
        if let Some(values) = rows.column(name) {
            control.add(name, times.to_vec(), values.to_vec(), style);
        }
    }
    figure.panels.push(control);
    figure.shared_x = true;
    figure.height = 720.0;
    Some(figure)
}
