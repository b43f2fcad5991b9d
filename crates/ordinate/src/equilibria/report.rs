//! Equilibria for people and for programs.

use super::Equilibria;
use crate::number::complex;
use crate::short;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// `equilibria --format json`.
pub fn equilibria_json(found: &Equilibria) -> Value {
    let points: Vec<Value> = found
        .points
        .iter()
        .map(|point| {
            let at: Map<String, Value> = point.at.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
            let eigenvalues: Vec<Value> =
                point.eigenvalues.iter().map(|(re, im)| json!({ "re": re, "im": im })).collect();
            json!({
                "at": at,
                "residual": point.residual,
                "eigenvalues": eigenvalues,
                "type": point.kind,
                "isolated": point.isolated,
                "on_switch": point.on_switch,
            })
        })
        .collect();
    json!({ "schema": "ordinate.equilibria/1", "points": points, "notes": found.notes })
}

/// `equilibria` for people.
pub fn equilibria_text(found: &Equilibria) -> String {
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{text}").expect("a string takes all text");
    line(match found.points.len() {
        1 => "1 equilibrium".to_string(),
        n => format!("{n} equilibria"),
    });
    for (k, point) in found.points.iter().enumerate() {
        line(format!("\n{}  {}", k + 1, point.kind));
        for (name, value) in &point.at {
            line(format!("   {name:<12} = {}", short(*value)));
        }
        for (m, (re, im)) in point.eigenvalues.iter().enumerate() {
            let value = complex(*re, *im);
            line(format!("   {:<12}   {value}", if m == 0 { "eigenvalues" } else { "" }));
        }
    }
    found.notes.iter().for_each(|note| line(format!("note    {note}")));
    out
}
