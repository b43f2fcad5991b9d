//! The lines after a run, for people.

use ordinate::{BeyondStability, Compiled, GlobalError, Run, RunOptions, short};
use std::fmt::Write;

fn time_text(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} µs", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

/// `1 row`, `2 rows`
pub fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// What was done, how, and with what accuracy.
pub fn report(compiled: &Compiled, run: &Run, options: &RunOptions, verbose: bool) -> String {
    let mut out = String::new();
    let mut line = |head: &str, text: &str| writeln!(out, "{head:<7} {text}").expect("a string takes all text");
    let statistics = &run.outcome.statistics;
    let order = match run.orders() {
        (low, high, _) if low == high => format!("order {low}"),
        (low, high, _) => format!("order {low}–{high}"),
    };
    let verb = match &run.reason {
        None => "solved",
        // an end that the model asks for is no failure
        Some(reason) if reason.kind == "stop_condition" => "ended",
        Some(_) => "stopped",
    };
    let automatic = if run.automatic && run.method != "auto" { " (auto)" } else { "" };
    let rejected = if statistics.rejected > 0 { format!(", {} rejected", statistics.rejected) } else { String::new() };
    let (from, to) = (short(run.t_start), short(run.outcome.t_reached));
    let steps = count(statistics.steps as usize, "step");
    let time = time_text(run.seconds.solve);
    line(verb, &format!("{from} … {to}   {}{automatic}, {order}, {steps}{rejected}   {time}", run.methods()));
    if let Some(choice) = run.choice_text().filter(|_| verbose || !run.is_plain_choice()) {
        line("auto", &choice);
    }
    if let Some(reason) = &run.reason {
        line("reason", &reason.message);
        if reason.kind != "stop_condition" {
            line("next", &reason.hint);
        }
    } else if run.outcome.stiff {
        line(
            "note",
            "the model looks stiff: stability, not accuracy, limited the step size; `-m auto` or `radau` is faster",
        );
    }
    let hint = run.reason.as_ref().map(|reason| reason.hint.as_str());
    if let Some(beyond) = run.beyond.as_ref().map(BeyondStability::to_text).filter(|text| hint != Some(text)) {
        line("warning", &beyond);
    }
    if let Some(energy) = run.energy_text() {
        line("energy", &energy);
    }
    if let Some((name, t)) = &run.conflict {
        let again = "the last one in the model counts; all read the values before the event";
        line("note", &format!("several events set `{name}` at t = {}: {again}", short(*t)));
    }
    if let Some((name, t)) = &run.not_finite {
        line("note", &format!("`{name}` is not a finite number at t = {}", short(*t)));
    }
    for note in &run.notes {
        line("note", &note.message);
    }
    if let Some(digits) = &run.digits {
        line("digits", &digits.to_text());
    }
    if let Some(precise) = &run.precise {
        line("arithmetic", &format!("with {} digits", precise.digits));
    }
    match run.step {
        _ if options.digits.is_some() || (run.precise.is_some() && run.step.is_none()) => {}
        Some(h) => {
            line("step", &format!("fixed, {}: the error is not controlled", short(h)));
            let span = run.t_end - run.t_start;
            if h > span && span > 0.0 {
                line("note", &format!("the step {} is longer than the run and was cut to {}", short(h), short(span)));
            }
        }
        None => line("tolerances", &format!("rtol {:e}, atol {:e} (per step)", options.rtol, options.atol)),
    }
    if let Some(error) = &run.error {
        error_lines(error, &mut line);
    }
    if verbose {
        let work = format!(
            "{}, {} each, {}; steps {:.3e} … {:.3e}",
            count(statistics.evaluations.f as usize, "evaluation"),
            count(compiled.program.rhs.instructions.len(), "instruction"),
            count(statistics.events as usize, "event"),
            statistics.h_min,
            statistics.h_max
        );
        line("work", &work);
        let (parse, compile) = (time_text(compiled.parse_seconds), time_text(compiled.compile_seconds));
        line("time", &format!("parse {parse}, compile {compile}"));
    }
    out
}

/// The errors of so many variables are shown; `--summary json` has all.
const SHOWN: usize = 4;

fn size(error: f64) -> String {
    if error.is_finite() { format!("{error:.1e}") } else { "unknown".into() }
}

fn error_lines(error: &GlobalError, line: &mut dyn FnMut(&str, &str)) {
    if error.until == f64::NEG_INFINITY {
        error.gap().iter().for_each(|gap| line("note", gap));
        return;
    }
    let mut order: Vec<usize> = (0..error.names.len()).filter(|&column| error.is_variable(column)).collect();
    order.sort_by(|&a, &b| error.largest[b].total_cmp(&error.largest[a]));
    let parts: Vec<String> =
        order.iter().take(SHOWN).map(|&k| format!("{} {}", error.names[k], size(error.largest[k]))).collect();
    let rest = if order.len() > SHOWN { format!(", {} others smaller", order.len() - SHOWN) } else { String::new() };
    let what = if error.corrected { "subtracted from the result" } else { "estimated" };
    let list = if parts.is_empty() { size(error.estimate()) } else { parts.join(", ") };
    line("global", &format!("error {list}{rest}  ({what})"));
    if let Some((state, t)) = error.lost {
        line("note", &format!("from t = {} on no digit of `{}` can be trusted", short(t), error.names[state]));
    }
    if let Some((state, greatest)) = error.faint {
        let name = &error.names[state];
        let stays = format!(
            "`{name}` never exceeds {greatest:.1e}, which is below --atol: no digit of it can be \
                             trusted"
        );
        line("note", &stays);
    }
    if let Some((state, atol)) = error.unseen {
        let name = &error.names[state];
        line(
            "note",
            &format!("`{name}` starts below --atol, so the method does not resolve it: try --atol {}", short(atol)),
        );
    }
    if let Some(gap) = error.gap() {
        line("note", &gap);
    }
}
