//! `ordinate check` and `ordinate info`.

use crate::args::{CheckArgs, Format};
use crate::report::count as counted;
use crate::{Exit, message, print_out, source};
use ordinate::{CompileOptions, Diagnostic, Failure, Severity, Source, compile, has_errors, render};
use serde_json::{Value, json};

/// Reports every mistake at once.
pub fn check(args: &CheckArgs) -> Exit {
    let (source, options) = match prepare(args) {
        Ok(ready) => ready,
        Err(exit) => return exit,
    };
    let (diagnostics, (states, hidden)) = match compile(&source, &options) {
        Ok(compiled) => {
            let found = ordinate::check_starts(&compiled);
            let (all, shown) = (compiled.program.layout.states, compiled.program.visible);
            ([compiled.warnings, found].concat(), (shown, all - shown))
        }
        Err(Failure::Model(diagnostics)) => (diagnostics, (0, 0)),
        Err(failure @ Failure::Set(_)) => return source::show_failure(&failure, &source),
    };
    let failed = has_errors(&diagnostics);
    let shown = match args.format {
        Format::Json => print_out(&format!("{}\n", diagnostics_json(&diagnostics, &source))),
        Format::Text => {
            if !diagnostics.is_empty() {
                message(render(&diagnostics, &source.name, &source.text, source::color()).trim_end());
            }
            let count = |severity| diagnostics.iter().filter(|d| d.severity == severity).count();
            let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
            let hidden = if hidden > 0 { format!(" and {hidden} hidden") } else { String::new() };
            let verdict = match failed {
                true => counted(errors, "error"),
                false => format!("ok, {}{hidden}", counted(states, "state")),
            };
            let rest = if warnings > 0 { format!(", {}", counted(warnings, "warning")) } else { String::new() };
            print_out(&format!("{}: {verdict}{rest}\n", source.name))
        }
    };
    if failed { Exit::Model } else { shown }
}

/// With derivatives: consistent start values and rates are found by them.
fn prepare(args: &CheckArgs) -> Result<(Source, CompileOptions), Exit> {
    let options = CompileOptions { jacobian: true, ..source::compile_options(&args.model)? };
    Ok((source::load(&args.model)?, options))
}

fn diagnostics_json(diagnostics: &[Diagnostic], source: &Source) -> Value {
    let lines = ordinate::LineIndex::new(&source.text);
    let list: Vec<Value> = diagnostics
        .iter()
        .map(|d| {
            let (line, column) = lines.line_column(d.span.start);
            let (start, end) = (d.span.start as usize, (d.span.end as usize).min(source.text.len()));
            let length = source.text.get(start..end).map_or(0, |text| text.chars().count());
            let severity = match d.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            json!({
                "severity": severity, "code": d.code, "line": line, "column": column, "length": length,
                "message": d.message, "help": d.help,
            })
        })
        .collect();
    json!({"ok": !has_errors(diagnostics), "diagnostics": list})
}

/// Says what a model consists of.
pub fn info(args: &CheckArgs) -> Exit {
    let (source, options) = match prepare(args) {
        Ok(ready) => ready,
        Err(exit) => return exit,
    };
    // what a model consists of does not depend on its start values, and it says which can be given
    let options = CompileOptions { without_starts: true, ..options };
    match compile(&source, &options) {
        Ok(compiled) => match args.format {
            Format::Json => print_out(&format!("{}\n", ordinate::info_json(&compiled))),
            Format::Text => print_out(&ordinate::info(&compiled)),
        },
        Err(failure) => source::show_failure(&failure, &source),
    }
}
