//! A linear system as a model that runs: the same names, and the values near the point that the model itself has there.

use super::Linearization;
use crate::{Compiled, short};
use std::fmt::Write;

/// The linear model as a text of the language.
pub fn linearize_model(linear: &Linearization, compiled: &Compiled) -> String {
    let names = Names::new(linear);
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{text}").expect("a string takes all text");
    let point: Vec<String> = linear.point.iter().map(|(name, value)| format!("{name} = {}", short(*value))).collect();
    let name = compiled.name.rsplit('/').next().unwrap_or(&compiled.name);
    line(format!("# The linear model of {name} near {},", point.join(", ")));
    line(format!(
        "# t = {}; written by `ordinate linearize`. Variables are those of the model, not deviations.",
        short(linear.time)
    ));
    for (own, name) in names.states.iter().zip(&linear.states).filter(|(own, name)| own != name) {
        line(format!("# {own} is {name}"));
    }
    let given: Vec<(&String, f64)> = linear
        .inputs
        .iter()
        .chain(&linear.disturbances)
        .zip(&names.inputs)
        .map(|(name, own)| (own, linear.at(name).unwrap_or(0.0)))
        .collect();
    for (name, value) in &given {
        line(format!("input {name} = {}", number(*value)));
    }
    line(String::new());
    let states: Vec<(&String, f64)> =
        linear.states.iter().zip(&names.states).map(|(name, own)| (own, linear.at(name).unwrap_or(0.0))).collect();
    let (controls, disturbing) = given.split_at(linear.inputs.len());
    let system = &linear.system;
    for (k, (own, _)) in states.iter().enumerate().filter(|(k, _)| !names.chained[*k]) {
        let parts = [(system.a.row(k), &states[..]), (system.b.row(k), controls), (linear.g.row(k), disturbing)];
        line(format!("{own}' = {}", sum(linear.rates[k], parts)));
    }
    line(String::new());
    let starts: Vec<String> = states.iter().map(|(name, value)| format!("{name} = {}", number(*value))).collect();
    line(format!("init {}", starts.join(", ")));
    let mut shown: Vec<String> = Vec::new();
    for (k, name) in linear.outputs.iter().enumerate() {
        let known = linear.states.iter().position(|state| state == name).map(|k| names.states[k].clone());
        let parts = [(system.c.row(k), &states[..]), (system.d.row(k), controls), (linear.dg.row(k), disturbing)];
        shown.push(match known {
            Some(own) => own,
            None => format!("{} = {}", names.outputs[k], sum(linear.outputs_at[k], parts)),
        });
    }
    if !shown.is_empty() {
        line(format!("output {}", shown.join(",\n       ").replace(",\n       ", "\noutput ")));
    }
    if let Some((from, to)) = compiled.run {
        line(format!("run {} .. {}", number(from), number(to)));
    }
    out
}

/// Factors, and the names and values at the point of what they belong to.
type Part<'a> = (&'a [f64], &'a [(&'a String, f64)]);

/// constant + Σ factor·(name − at)
fn sum(constant: f64, parts: [Part; 3]) -> String {
    let mut text = if constant == 0.0 { String::new() } else { number(constant) };
    for (factors, variables) in parts {
        for (&factor, &(name, at)) in factors.iter().zip(variables).filter(|(factor, _)| **factor != 0.0) {
            text.push_str(&term(factor, name, at, text.is_empty()));
        }
    }
    if text.is_empty() { "0".into() } else { text }
}

/// How states, inputs and outputs are written.
struct Names {
    states: Vec<String>,
    /// Inputs, then disturbances.
    inputs: Vec<String>,
    outputs: Vec<String>,
    /// States whose rate is the next state, as x' is that of x: they need no equation.
    chained: Vec<bool>,
}

impl Names {
    fn new(linear: &Linearization) -> Names {
        let next: Vec<Option<usize>> = (0..linear.states.len()).map(|k| next(linear, k)).collect();
        let mut taken: Vec<String> = Vec::new();
        let mut plain = |name: &str| {
            let mut own = if is_name(name) { name.to_string() } else { format!("h{}", taken.len() + 1) };
            while taken.contains(&own) {
                own.push('_');
            }
            taken.push(own.clone());
            own
        };
        // a chain is written with primes, from its lowest member on
        let mut states: Vec<String> = vec![String::new(); next.len()];
        for first in 0..next.len() {
            if next.contains(&Some(first)) {
                continue;
            }
            let mut own = plain(&linear.states[first]);
            let mut k = Some(first);
            while let Some(here) = k {
                states[here] = own.clone();
                own.push('\'');
                k = next[here];
            }
        }
        let inputs = linear.inputs.iter().chain(&linear.disturbances).map(|name| plain(name)).collect();
        let outputs = linear.outputs.iter().map(|name| {
            let state = linear.states.contains(name);
            if state { String::new() } else { plain(name) }
        });
        Names { outputs: outputs.collect(), states, inputs, chained: next.iter().map(Option::is_some).collect() }
    }
}

/// Whether this is a name or an element of an array, and not a derivative or what the text does not name.
fn is_name(name: &str) -> bool {
    let (base, index) = name.split_once('[').unwrap_or((name, ""));
    base.chars().all(|c| c.is_alphanumeric() || c == '_')
        && index.chars().all(|c| c.is_ascii_digit() || "],-".contains(c))
        && base.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The state that is the derivative of state k, by its name and by its row.
fn next(linear: &Linearization, k: usize) -> Option<usize> {
    let name = format!("{}'", linear.states[k]);
    let next = linear.states.iter().position(|known| *known == name)?;
    let system = &linear.system;
    let unit = system.a.row(k).iter().enumerate().all(|(j, &a)| a == f64::from(u8::from(j == next)));
    let alone = system.b.row(k).iter().chain(linear.g.row(k)).all(|&b| b == 0.0);
    (unit && alone && Some(linear.rates[k]) == linear.at(&name)).then_some(next)
}

/// factor·(name − at) with its sign.
fn term(factor: f64, name: &str, at: f64, first: bool) -> String {
    let sign = match (first, factor < 0.0) {
        (true, true) => "-",
        (true, false) => "",
        (false, true) => " - ",
        (false, false) => " + ",
    };
    let deviation = match at {
        0.0 => name.to_string(),
        at if at < 0.0 => format!("({name} + {})", number(-at)),
        at => format!("({name} - {})", number(at)),
    };
    if factor.abs() == 1.0 {
        format!("{sign}{deviation}")
    } else {
        format!("{sign}{}*{deviation}", number(factor.abs()))
    }
}

/// A number that is read back as the same one.
fn number(value: f64) -> String {
    let plain = value == 0.0 || (1e-5..1e15).contains(&value.abs());
    if plain { format!("{}", value + 0.0) } else { format!("{value:e}") }
}
