//! `cargo xtask thesis`: the tables of the thesis again, ours beside the printed figures, as one report.

mod chapter;
mod counts;
mod report;
mod solve;
mod tables;

use crate::{cargo, root, target};
use report::{Line, Section};
use solve::{METHODS, Solver, controlled, fixed_step};
use std::path::PathBuf;
use tables::{Entry, Tables, Truth};

/// The Taylor method with the steps of the thesis: after the transformation to a polynomial system, or, where a version does
/// not have that, on the equations as they stand. Terms and ORD are the same.
const FIXED: [&str; 2] = ["mtsm", "taylor"];
/// The Taylor method with its own steps.
const VARIABLE: &str = "taylor";

/// What this version can do: the fixed-step method, and the others by MATLAB's name and ours.
struct Methods {
    fixed: &'static str,
    others: Vec<(&'static str, &'static str)>,
}

/// Solves all tables and writes the report: `target/thesis/report.md`, or the file named; `quick` runs each solver once
/// and leaves out ode23. `control` is chapter 6 alone, and makes its report in `docs/` again.
pub fn thesis(arguments: &[String]) -> bool {
    let [quick, control] = ["quick", "control"].map(|word| arguments.iter().any(|a| a == word));
    let file = arguments.iter().find(|a| *a != "quick" && *a != "control").map(|name| root().join(name));
    let file = file.unwrap_or_else(|| target().join("thesis/report.md"));
    let mut tables = match tables::read() {
        Ok(tables) => tables,
        Err(reason) => return failed(&reason),
    };
    if control {
        tables.entries.retain(|entry| entry.table.starts_with("6."));
    }
    if !cargo(&["build", "--release"]) || std::fs::create_dir_all(target().join("thesis")).is_err() {
        return false;
    }
    let solver = Solver::new(if quick { 0.0 } else { 0.2 });
    let Some(fixed) = FIXED.into_iter().find(|method| solver.knows(method)) else {
        return failed("the program has no Taylor method");
    };
    let wanted = |&(name, method): &(&str, &str)| solver.knows(method) && !(quick && name == "ode23");
    let methods = Methods { fixed, others: METHODS.into_iter().filter(wanted).collect() };
    let sections: Vec<Section> = tables.entries.iter().map(|entry| section(&solver, entry, &methods)).collect();
    if control {
        return match chapter::refresh(&|numbers| report::rows(&tables, &sections, numbers)) {
            Ok(file) => {
                println!("wrote {}", file.display());
                true
            }
            Err(reason) => failed(&reason),
        };
    }
    write(&file, &tables, &sections)
}

fn write(file: &PathBuf, tables: &Tables, sections: &[Section]) -> bool {
    let counts = match counts::section() {
        Ok(counts) => counts,
        Err(reason) => return failed(&reason),
    };
    let text = report::markdown(tables, sections) + &counts;
    if let Err(reason) = std::fs::write(file, text) {
        return failed(&format!("{}: {reason}", file.display()));
    }
    print!("{}", report::summary(tables, sections));
    println!("wrote {}", file.display());
    let broken =
        sections.iter().flat_map(|s| &s.lines).filter(|line| line.outcome.as_ref().is_some_and(Result::is_err));
    broken.count() == 0
}

fn failed(reason: &str) -> bool {
    println!("failed: {reason}");
    false
}

/// All solvers on one entry.
fn section(solver: &Solver, entry: &Entry, methods: &Methods) -> Section {
    let truth = match tables::truth(entry) {
        Ok(Some(truth)) => Ok(truth),
        Ok(None) => solver.tight(entry),
        Err(reason) => Err(reason),
    };
    let truth = match truth {
        Ok(truth) => truth,
        Err(reason) => {
            println!("failed: {}: no reference: {reason}", entry.id);
            let line = Line {
                name: methods.fixed.into(),
                printed: None,
                outcome: Some(Err(format!("no reference: {reason}"))),
            };
            return Section { t: f64::NAN, lines: vec![line] };
        }
    };
    let lines = lines(solver, entry, methods, &truth);
    for line in &lines {
        if let Some(Err(reason)) = &line.outcome {
            println!("failed: {}: {}: {reason}", entry.id, line.name);
        }
    }
    Section { t: truth.t, lines }
}

fn lines(solver: &Solver, entry: &Entry, methods: &Methods, truth: &Truth) -> Vec<Line> {
    let mut lines = Vec::new();
    for settings in &entry.mtsm {
        let name = settings.name.as_ref().map_or(String::new(), |variant| format!(", {variant}"));
        let name = format!("{}, fixed step{name}", methods.fixed);
        let outcome = solver.run(entry, &fixed_step(methods.fixed, settings), truth);
        lines.push(Line { name, printed: Some((settings.steps, settings.error)), outcome: Some(outcome) });
    }
    let own = solver.run(entry, &controlled(VARIABLE, entry), truth);
    lines.push(Line { name: format!("{VARIABLE}, variable step"), printed: None, outcome: Some(own) });
    for other in &entry.others {
        let ours = methods.others.iter().find(|(name, _)| *name == other.solver);
        let outcome = ours.map(|(_, method)| solver.run(entry, &controlled(method, entry), truth));
        let name = match ours {
            Some((name, method)) if name != method => format!("{method} ({name})"),
            _ => other.solver.clone(),
        };
        lines.push(Line { name, printed: Some((other.steps, other.error)), outcome });
    }
    lines
}
