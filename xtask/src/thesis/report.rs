//! The report as Markdown: a summary, then a table per entry with our figures beside the printed ones.

use super::solve::Outcome;
use super::tables::{Entry, Fixed, Reference, Tables};
use std::fmt::Write;

/// One solver of one entry.
pub struct Line {
    /// Its name here and in the thesis.
    pub name: String,
    /// Printed steps and error.
    pub printed: Option<(Option<u64>, Option<f64>)>,
    /// What we found; `None` where we have no such method.
    pub outcome: Option<Result<Outcome, String>>,
}

/// All solvers of one entry.
pub struct Section {
    /// When errors were measured.
    pub t: f64,
    /// The solvers: first those with fixed steps, then the variable one, then the others, as in the entry.
    pub lines: Vec<Line>,
}

impl Section {
    fn found(&self, k: usize) -> Option<&Outcome> {
        self.lines.get(k)?.outcome.as_ref()?.as_ref().ok()
    }
}

const HEAD: &str = "\
# The tables of the thesis, again

P. Veigend, High Order Numerical Method in Modelling and Control Systems, PhD thesis, Brno 2023, Tables 3.3–3.9, 4.1–4.31 and
6.2–6.27. Made by `cargo xtask thesis`; data and remarks are in `docs/thesis-tables.json`.

- The Taylor method runs twice: with the fixed step and the tolerance of the thesis and automatic order (`mtsm`, that is after the
  transformation to a polynomial system; `taylor --step`, that is without it, in a version that has no `mtsm`), and with its own
  steps (`taylor`). With `h_scale` the step grows once, when three steps in a row had an order of at most `min_ORD`. The thesis
  does not state `min_ORD`: it is chosen here so that the number of steps comes near to the printed one.
- Ratio is time(solver)/time(Taylor method with fixed step). The printed ones are those of MATLAB programs, which pay for every
  operation of an interpreter; ours compare the methods within one compiled program, each repeated in one process
  (`--repeat`), the smallest time counting. They tell what the methods cost, and are not expected to agree.
- Error is the largest |y − reference| over the states, in units of the size of the state, at the end of the run (or at the time
  named). The thesis mostly prints differences between solvers, or norms over all steps.
- The printed step counts of ode45 are points, of which MATLAB makes four per step (`Refine` = 4): all are of the form 4n + 1 (in
  Tables 4.26 and 4.31 4n). The column shows n.
- A solver without figures of ours does not exist in this version.

";

/// The whole report.
pub fn markdown(tables: &Tables, sections: &[Section]) -> String {
    let mut out = String::from(HEAD) + "## Summary\n\n" + &summary(tables, sections);
    let put = |out: &mut String, text: &str| out.push_str(text);
    put(
        &mut out,
        "\n## Ratios between forms of one problem\n\nThe thesis multiplies a product of five factors out term by term; here a product is taken in pairs and each pair is\ncomputed once (3.3.2), so that more states cost more.\n\n| table | what | ours | printed |\n|---|---|---|---|\n",
    );
    for quotient in &tables.quotients {
        let seconds = |id: &str| {
            let k = tables.entries.iter().position(|entry| entry.id == id)?;
            Some(sections.get(k)?.found(0)?.seconds)
        };
        let ours = seconds(&quotient.of[0]).zip(seconds(&quotient.of[1])).map(|(a, b)| a / b);
        let (table, title, printed) = (&quotient.table, &quotient.title, quotient.printed);
        writeln!(out, "| {table} | {title} | {} | {printed} |", cell(ours, |r| format!("{r:.2}"))).expect("a string");
    }
    put(&mut out, "\n");
    for (table, place) in &tables.elsewhere {
        writeln!(out, "Table {table}: {place}.\n").expect("a string");
    }
    for (entry, section) in tables.entries.iter().zip(sections) {
        put(&mut out, &details(entry, section));
    }
    out
}

/// One line per entry.
pub fn summary(tables: &Tables, sections: &[Section]) -> String {
    let all: Vec<&str> = tables.entries.iter().map(|entry| entry.table.as_str()).collect();
    rows(tables, sections, &all)
}

/// One line per entry of these tables.
pub fn rows(tables: &Tables, sections: &[Section], wanted: &[&str]) -> String {
    let mut out = String::from(
        "| table | problem | fixed step: steps | printed | ORD | error | own step: steps | error | time of dp5/fixed step | printed ode45/MTSM | time of adams/fixed step | printed ode113/MTSM |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (entry, section) in tables.entries.iter().zip(sections).filter(|(e, _)| wanted.contains(&e.table.as_str())) {
        for (k, fixed) in entry.mtsm.iter().enumerate() {
            let ours = section.found(k);
            let own = section.found(entry.mtsm.len());
            // Our ratio and the printed one.
            let ratios = |solver: &str| {
                let at = entry.others.iter().position(|other| other.solver == solver);
                let found = at.and_then(|at| section.found(entry.mtsm.len() + 1 + at));
                let ratio = found.zip(ours).map(|(a, b)| a.seconds / b.seconds);
                let printed = at.and_then(|at| entry.others[at].ratio.get(k));
                format!("{} | {}", cell(ratio, |r| format!("{r:.2}")), cell(printed, |r| r.to_string()))
            };
            let title = fixed.name.as_ref().map_or(entry.title.clone(), |name| format!("{}, {name}", entry.title));
            writeln!(
                out,
                "| {} | {title} | {} | {} | {} | {} | {} | {} | {} | {} |",
                entry.table,
                cell(ours, |o| o.steps.to_string()),
                cell(fixed.steps, |s| s.to_string()),
                cell(ours, order),
                cell(ours, |o| scientific(o.error)),
                cell(own, |o| o.steps.to_string()),
                cell(own, |o| scientific(o.error)),
                ratios("ode45"),
                ratios("ode113"),
            )
            .expect("a string");
        }
    }
    out
}

fn details(entry: &Entry, section: &Section) -> String {
    let mut out = format!("## Table {}: {}\n\n", entry.table, entry.title);
    let mut about = format!("`{}`", entry.model);
    entry.set.iter().for_each(|set| write!(about, ", {set}").expect("a string"));
    write!(about, "; t = {:?}; {}; others: tolerance {}. ", entry.t_end, settings(&entry.mtsm), entry.tol)
        .expect("a string");
    let place = if (section.t - entry.t_end).abs() <= 1e-9 * entry.t_end {
        String::new()
    } else {
        format!(" at t = {}", section.t)
    };
    about += &match &entry.reference {
        Reference::Golden { case, .. } => format!("Reference{place}: golden case `{case}`."),
        Reference::Bench { problem, .. } => format!("Reference{place}: `bench/ref/{problem}.json`."),
        Reference::Dp8 { .. } => format!("Reference{place}: dp8 at 1e-13."),
    };
    let output = entry.output.as_ref().map_or(String::new(), |name| {
        if entry.norm { format!(" norm of {name} |") } else { format!(" \\|{name}\\| |") }
    });
    writeln!(out, "{about}\n\n| solver | steps | ORD | error |{output} time | ratio | printed steps | error | ratio |")
        .expect("a string");
    writeln!(out, "|---|---|---|---|{}---|---|---|---|---|", if entry.output.is_some() { "---|" } else { "" })
        .expect("a string");
    let variants = entry.mtsm.len();
    for (k, line) in section.lines.iter().enumerate() {
        let other = k.checked_sub(variants + 1).and_then(|at| entry.others.get(at));
        out += &row(entry, section, line, k, other.map_or(&[], |o| &o.ratio));
    }
    let seconds: Vec<String> = entry.mtsm.iter().filter_map(|m| m.seconds).map(|s| format!("{s:.3e} s")).collect();
    if !seconds.is_empty() {
        writeln!(out, "\nPrinted time of the MTSM: {}.", seconds.join(", ")).expect("a string");
    }
    if let Some(order) = entry.mtsm.iter().find_map(|m| m.order.as_ref()) {
        writeln!(out, "Printed order: {order}.").expect("a string");
    }
    if let Some(remark) = &entry.remark {
        writeln!(out, "\n*{remark}*").expect("a string");
    }
    out + "\n"
}

fn row(entry: &Entry, section: &Section, line: &Line, k: usize, printed_ratio: &[f64]) -> String {
    let variants = entry.mtsm.len();
    let found = line.outcome.as_ref().and_then(|o| o.as_ref().ok());
    let time = |variant: usize| found.zip(section.found(variant)).map(|(a, b)| a.seconds / b.seconds);
    let ratios: Vec<String> = (0..variants).filter_map(time).map(|r| format!("{r:.2}")).collect();
    let ratio = if k < variants { "–".into() } else { join(&ratios) };
    let (steps, error) = line.printed.unwrap_or_default();
    let steps = if line.name.contains("ode45") { steps.map(|points| points / 4) } else { steps };
    let output = match &entry.output {
        Some(_) => format!(" {} |", cell(found.and_then(|o| o.output), |v| format!("{v:.5e}"))),
        None => String::new(),
    };
    let name = match &line.outcome {
        Some(Err(reason)) => format!("{}: {reason}", line.name),
        _ => line.name.clone(),
    };
    let printed_ratio: Vec<String> = printed_ratio.iter().map(f64::to_string).collect();
    format!(
        "| {name} | {} | {} | {} |{output} {} | {ratio} | {} | {} | {} |\n",
        cell(found, |o| o.steps.to_string()),
        cell(found, order),
        cell(found, |o| scientific(o.error)),
        cell(found, |o| duration(o.seconds)),
        cell(steps, |s| s.to_string()),
        cell(error, |e| format!("{e:e}")),
        join(&printed_ratio),
    )
}

fn settings(variants: &[Fixed]) -> String {
    let one = |m: &Fixed| {
        let scaling = m.scaling.map(|(scale, order)| format!(", h_scale {scale}, min_ORD {order}")).unwrap_or_default();
        let name = m.name.as_ref().map_or(String::new(), |name| format!(" ({name})"));
        format!("fixed step{name}: h = {}, TOL {}{scaling}", m.step, m.tol)
    };
    variants.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn join(parts: &[String]) -> String {
    if parts.is_empty() { "–".into() } else { parts.join(" / ") }
}

fn cell<T>(value: Option<T>, show: impl Fn(T) -> String) -> String {
    value.map_or_else(|| "–".into(), show)
}

fn order(found: &Outcome) -> String {
    let (smallest, largest, mean) = found.order;
    if smallest == largest { format!("{smallest}") } else { format!("{smallest}–{largest}, mean {mean:.1}") }
}

fn scientific(value: f64) -> String {
    format!("{value:.1e}")
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}
