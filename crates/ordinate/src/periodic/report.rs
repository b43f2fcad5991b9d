//! Periodic solutions for people and for programs.

use super::{Orbit, Periodic};
use crate::number::complex;
use crate::short;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// `periodic --format json`.
pub fn periodic_json(found: &Periodic) -> Value {
    let orbits: Vec<Value> = found.orbits.iter().map(orbit_json).collect();
    json!({
        "schema": "ordinate.periodic/1",
        "method": found.method,
        "steps": found.steps,
        "corrected": found.corrected,
        "autonomous": found.autonomous,
        "t_start": found.t_start,
        "orbits": orbits,
        "notes": found.notes,
    })
}

fn orbit_json(orbit: &Orbit) -> Value {
    let start: Map<String, Value> = orbit.start.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let multipliers: Vec<Value> = orbit.multipliers.iter().map(|(re, im)| json!({ "re": re, "im": im })).collect();
    json!({
        "start": start,
        "period": orbit.period,
        "multipliers": multipliers,
        "trivial": orbit.trivial,
        "stable": orbit.stable,
        "error": orbit.error,
        "period_error": orbit.period_error,
        "condition": orbit.condition,
        "residual": orbit.residual,
        "iterations": orbit.iterations,
    })
}

/// `periodic` for people.
pub fn periodic_text(found: &Periodic) -> String {
    let mut out = String::new();
    let steps = found.steps.map_or(String::new(), |steps| format!(", {steps} steps per period"));
    let corrected = if found.corrected { ", its estimated error subtracted" } else { "" };
    let count = match found.orbits.len() {
        1 => "1 periodic orbit".to_string(),
        n => format!("{n} periodic orbits"),
    };
    let mut line = |text: String| writeln!(out, "{text}").expect("a string takes all text");
    line(format!("{count}   {}{steps}{corrected}", found.method));
    for (k, orbit) in found.orbits.iter().enumerate() {
        let word = match orbit.stable {
            Some(true) => "stable",
            Some(false) => "unstable",
            None => "neither stable nor unstable by its multipliers",
        };
        let shown = shown_digits(orbit.error);
        line(format!(
            "\n{}  {word}, period {}",
            k + 1,
            digits(orbit.period, orbit.period_error.map_or(13, shown_digits))
        ));
        for (name, value) in &orbit.start {
            line(format!("   {name:<12} = {}", digits(*value, shown)));
        }
        line(format!("   {:<12}   about {:.1e} in the start values", "error", orbit.error));
        line(format!(
            "   {:<12}   {} = ‖(I − P′)⁻¹‖: an error of the map over a period is amplified by that",
            "condition",
            short(format!("{:.3e}", orbit.condition).parse().unwrap_or(orbit.condition))
        ));
        for (m, (re, im)) in orbit.multipliers.iter().enumerate() {
            let size = re.hypot(*im);
            let note = if orbit.trivial == Some(m) { "   trivial: along the orbit" } else { "" };
            let value = complex(*re, *im);
            line(format!("   {:<12}   {value}   |μ| = {}{note}", if m == 0 { "multipliers" } else { "" }, short(size)));
        }
    }
    for note in &found.notes {
        line(format!("note    {note}"));
    }
    out
}

/// Decimals that an error leaves.
fn shown_digits(error: f64) -> usize {
    if error > 0.0 && error.is_finite() { (-error.log10()).ceil().clamp(3.0, 15.0) as usize } else { 6 }
}

fn digits(value: f64, decimals: usize) -> String {
    if value != 0.0 && value.abs() < 1e-3 { format!("{value:.6e}") } else { format!("{value:.decimals$}") }
}
