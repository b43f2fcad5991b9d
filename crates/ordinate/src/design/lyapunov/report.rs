//! The result for people and for programs.

use super::point::place;
use super::{Conclusion, Lyapunov, Verdict};
use crate::design::{ClosedLoopError, ControllerText, Names, closed_loop};
use crate::{CompileOptions, Source, short};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::Path;

/// The result as text.
pub fn lyapunov_text(found: &Lyapunov) -> String {
    let mut out = String::new();
    let mut line = |name: &str, text: String| writeln!(out, "{name:<11} {text}").expect("a text can be written");
    line("point", place(&found.states, &found.point));
    line("V", found.v.clone());
    line("V'", found.rate.clone());
    let sides: Vec<String> = found
        .states
        .iter()
        .zip(&found.region)
        .map(|(name, (low, high))| format!("{name} = {}..{}", short(*low), short(*high)))
        .collect();
    line("region", sides.join(", "));
    line("V > 0", verdict(found, &found.positive, "V", "everywhere but at the point"));
    line("V' <= 0", verdict(found, &found.not_rising, "V'", "and V' < 0 everywhere but at the point"));
    if let Some((c, at_most)) = found.level {
        let sharp = match at_most.is_finite() {
            true => format!(" (not beyond {})", short(at_most)),
            false => String::new(),
        };
        line("level set", format!("V <= {} lies in the region, and both hold there{sharp}", short(c)));
    } else {
        line("level set", "none: V > 0 and V' <= 0 are not proved around the point".into());
    }
    if let Some(found_set) = &found.lasalle {
        let zeros: Vec<String> = found_set.zero.iter().map(|zero| format!("{zero} = 0")).collect();
        let set = if zeros.is_empty() { "could not be described".into() } else { zeros.join(" and ") };
        line("V' = 0", format!("E: {set}"));
        let only = match (found_set.only_the_point, &found_set.open) {
            (Some(false), _) => "V is conserved: its level curves are invariant".into(),
            (Some(true), _) => "the only invariant set in E with V <= c is the point".into(),
            (_, Some(open)) => {
                format!("whether E has another invariant set is open; look at {}", box_text(&found.states, open))
            }
            _ => "whether E has another invariant set than the point is open".into(),
        };
        line("LaSalle", only);
    }
    let what = match (found.conclusion, found.level) {
        (Conclusion::Nothing, _) | (_, None) => "nothing is proved about the point by this V".to_string(),
        (conclusion, Some((c, _))) => {
            let attracted = match conclusion {
                Conclusion::Stable => "solutions that begin in it stay in it",
                _ => "all solutions that begin in it go to the point",
            };
            format!("the point is {}; V <= {}: {attracted}", conclusion.words(), short(c))
        }
    };
    line("result", what);
    for note in &found.notes {
        line("note", note.clone());
    }
    out
}

fn verdict(found: &Lyapunov, verdict: &Verdict, name: &str, strictly: &str) -> String {
    match verdict {
        Verdict::Proved { strict: true } => format!("proved, {strictly}"),
        Verdict::Proved { strict: false } => "proved".into(),
        Verdict::Refuted { at, value } => {
            format!("refuted: {name} = {} at {}", short(0.5 * (value.0 + value.1)), place(&found.states, at))
        }
        Verdict::Undecided { boxes, count } => {
            let first = boxes.first().map_or(String::new(), |first| box_text(&found.states, first));
            format!("undecided in {count} boxes; the one nearest to the point is {first}")
        }
    }
}

fn box_text(names: &[String], sides: &[(f64, f64)]) -> String {
    let side = |(name, (low, high)): (&String, &(f64, f64))| format!("{name} = {}..{}", short(*low), short(*high));
    names.iter().zip(sides).map(side).collect::<Vec<_>>().join(", ")
}

/// The model with V and V′ as outputs, so that a run shows both.
pub fn lyapunov_model(
    source: &Source,
    options: &CompileOptions,
    found: &Lyapunov,
    folder: &Path,
) -> Result<String, ClosedLoopError> {
    let mut names = Names::new(&source.text);
    let (v, rate) = (names.fresh("V"), names.fresh("V_prime"));
    let lines = vec![
        format!("# the point {} is {}", place(&found.states, &found.point), found.conclusion.words()),
        format!("output {v} = {}", found.v),
        format!("output {rate} = {}", found.rate),
    ];
    let controller = ControllerText { lines, ..ControllerText::default() };
    closed_loop(source, options, &controller, folder).map(|written| written.text)
}

/// The result as JSON.
pub fn lyapunov_json(found: &Lyapunov) -> String {
    let by_name = |values: &[f64]| -> Value {
        found.states.iter().cloned().zip(values.iter().map(|&x| json!(x))).collect::<Map<_, _>>().into()
    };
    let sides = |values: &[(f64, f64)]| -> Value {
        let pairs = values.iter().map(|(low, high)| json!([low, high]));
        found.states.iter().cloned().zip(pairs).collect::<Map<_, _>>().into()
    };
    let verdict = |verdict: &Verdict| match verdict {
        Verdict::Proved { strict } => json!({"status": "proved", "strict": strict}),
        Verdict::Refuted { at, value } => {
            json!({"status": "refuted", "counterexample": by_name(at), "value": [value.0, value.1]})
        }
        Verdict::Undecided { boxes, count } => {
            json!({"status": "undecided", "open_boxes": count, "boxes": boxes.iter().map(|x| sides(x)).collect::<Vec<_>>()})
        }
    };
    let level = found.level.map(|(c, at_most)| json!({"c": c, "at_most": at_most.is_finite().then_some(at_most)}));
    let lasalle = found.lasalle.as_ref().map(|set| {
        json!({"zero": set.zero, "only_the_point": set.only_the_point, "open": set.open.as_ref().map(|open| sides(open))})
    });
    json!({
        "schema": "ordinate.design/1",
        "kind": "lyapunov",
        "states": found.states,
        "point": by_name(&found.point),
        "V": found.v,
        "V_prime": found.rate,
        "region": sides(&found.region),
        "positive": verdict(&found.positive),
        "not_rising": verdict(&found.not_rising),
        "level": level,
        "lasalle": lasalle,
        "conclusion": found.conclusion.words(),
        "boxes": found.boxes,
        "notes": found.notes,
    })
    .to_string()
}
