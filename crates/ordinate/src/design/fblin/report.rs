//! The result for people and for programs.

use super::{Fblin, ZeroDynamics};
use crate::{number::complex, short};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The result as text.
pub fn fblin_text(found: &Fblin) -> String {
    let mut out = String::new();
    let mut line = |name: &str, text: String| writeln!(out, "{name:<15} {text}").expect("a text can be written");
    let at: Vec<String> =
        found.states.iter().zip(&found.point).map(|(name, x)| format!("{name} = {}", short(*x))).collect();
    line("point", at.join(", "));
    for channel in &found.channels {
        let primes = "'".repeat(channel.relative_degree);
        let (name, degree) = (&channel.output, channel.relative_degree);
        line(
            "output",
            format!(
                "{name}, relative degree {degree}: {name}{primes} is the first derivative with {}",
                found.inputs.join(", ")
            ),
        );
        let poles: Vec<String> = channel.poles.iter().map(|(re, im)| complex(*re, *im)).collect();
        line("follows", format!("{}, error poles {}", channel.reference, poles.join(", ")));
    }
    let singular = match found.singular.as_slice() {
        [] => "never zero".to_string(),
        list => format!("zero where {}; the loop stops there", list.join(" or ")),
    };
    let matrix: Vec<String> = found.decoupling.iter().map(|row| row.join(", ")).collect();
    line("decoupling", format!("{} ({}; at the point {})", matrix.join("; "), singular, short(found.determinant)));
    line("zero dynamics", zero_text(found.zero_dynamics.as_ref()));
    for (k, text) in found.law.iter().enumerate() {
        line(if k == 0 { "law" } else { "" }, text.clone());
    }
    if let Some(tracking) = &found.tracking {
        let list = |names: &[String], values: &[f64]| {
            let all = names.iter().zip(values).map(|(name, value)| format!("|{name}| <= {}", short(*value)));
            all.collect::<Vec<_>>().join(", ")
        };
        let end = match &tracking.stopped {
            Some(reason) if tracking.t < tracking.t_end => format!("ended at t = {}: {reason}; ", short(tracking.t)),
            _ => format!("until t = {}: ", short(tracking.t)),
        };
        line(
            "closed loop",
            format!(
                "{end}{} at the end, {}",
                list(&found.errors, &tracking.errors),
                list(&found.inputs, &tracking.effort)
            ),
        );
    }
    for note in &found.notes {
        line("note", note.clone());
    }
    out
}

fn zero_text(zero: Option<&ZeroDynamics>) -> String {
    let Some(zero) = zero else { return "none: the relative degree is the number of states".into() };
    let states = if zero.order == 1 { "state" } else { "states" };
    let all: Vec<String> = zero.eigenvalues.iter().map(|(re, im)| complex(*re, *im)).collect();
    let kind = match (zero.stable, zero.eigenvalues.is_empty()) {
        (_, true) => "eigenvalues unknown".to_string(),
        (Some(true), _) => format!("stable (minimum phase), eigenvalues {}", all.join(", ")),
        (Some(false), _) => format!("UNSTABLE, eigenvalues {}", all.join(", ")),
        (None, _) => format!("on the stability boundary, eigenvalues {}", all.join(", ")),
    };
    format!("{} {states}, {kind}", zero.order)
}

/// The result as JSON.
pub fn fblin_json(found: &Fblin) -> String {
    let pair = |(re, im): &(f64, f64)| json!({"re": re, "im": im});
    let by_name = |names: &[String], values: &[f64]| -> Value {
        names.iter().cloned().zip(values.iter().map(|&x| json!(x))).collect::<Map<_, _>>().into()
    };
    let channels: Vec<Value> = found
        .channels
        .iter()
        .map(|channel| {
            json!({
                "output": channel.output,
                "relative_degree": channel.relative_degree,
                "derivatives": channel.derivatives,
                "drift": channel.drift,
                "reference": channel.reference,
                "poles": channel.poles.iter().map(pair).collect::<Vec<_>>(),
                "gains": channel.gains,
            })
        })
        .collect();
    let zero = found.zero_dynamics.as_ref().map(|zero| {
        let at = zero.at.as_ref().map(|(x, u)| {
            let names: Vec<String> = found.states.iter().chain(&found.inputs).cloned().collect();
            by_name(&names, &[x.as_slice(), u.as_slice()].concat())
        });
        json!({
            "order": zero.order,
            "at": at,
            "eigenvalues": zero.eigenvalues.iter().map(pair).collect::<Vec<_>>(),
            "stable": zero.stable,
        })
    });
    let tracking = found.tracking.as_ref().map(|tracking| {
        json!({
            "t": tracking.t,
            "stopped": tracking.stopped.as_ref().filter(|_| tracking.t < tracking.t_end),
            "error": by_name(&found.channels.iter().map(|c| c.output.clone()).collect::<Vec<_>>(), &tracking.errors),
            "effort": by_name(&found.inputs, &tracking.effort),
        })
    });
    json!({
        "schema": "ordinate.design/1",
        "kind": "fblin",
        "states": found.states,
        "inputs": found.inputs,
        "point": by_name(&found.states, &found.point),
        "relative_degree": found.channels.iter().map(|channel| channel.relative_degree).collect::<Vec<_>>(),
        "channels": channels,
        "decoupling": found.decoupling,
        "decoupling_at_point": found.determinant,
        "singular": found.singular,
        "zero_dynamics": zero,
        "law": found.law,
        "tracking": tracking,
        "refused": found.refusal,
        "notes": found.notes,
    })
    .to_string()
}
