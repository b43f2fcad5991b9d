//! `ordinate design`: reads the model, lets the façade design, shows the result and writes the closed loop.

mod args;
mod lyapunov;

pub use args::{CommonArgs, DesignCommand};

use crate::args::{Format, ModelArgs};
use crate::output::write_file;
use crate::picture::{self, Plot};
use crate::{Exit, message, print_out, source, usage};
use ordinate::design::{ClosedLoopError, SymbolicError};
use ordinate::{CompileOptions, Compiled, Figure, Source, compile, has_errors, render};
use std::path::{Path, PathBuf};

/// Designs a controller.
pub fn design(kind: &DesignCommand) -> Exit {
    let done = match kind {
        DesignCommand::Place(args) => prepare(&args.common).map(|_| Exit::Ok),
        DesignCommand::Lqr(args) | DesignCommand::Lqi(args) => prepare(&args.common).map(|_| Exit::Ok),
        DesignCommand::Pid(args) => prepare(&args.common).map(|_| Exit::Ok),
        DesignCommand::Lyapunov(args) => lyapunov::run(args),
    };
    match done {
        Ok(exit) | Err(exit) => exit,
    }
}

/// A model that was read and compiled, and where results go.
pub struct Prepared {
    /// Its text.
    pub source: Source,
    /// How it was compiled, with the values of `--set`.
    pub options: CompileOptions,
    /// The plant.
    pub compiled: Compiled,
    /// The folder of the closed loop.
    pub folder: PathBuf,
    /// What `--plot` asks for.
    pub plot: Plot,
}

/// Reads and compiles the model; what is wrong with the options is said before.
pub fn prepare(args: &CommonArgs) -> Result<Prepared, Exit> {
    let plot = picture::wish(args.plot.as_deref())?;
    if let Some(period) = args.sampled.filter(|period| !(*period > 0.0 && period.is_finite())) {
        return Err(usage(&format!("`--sampled {period}` must be a positive time, such as 0.01")));
    }
    let folder = folder(args.file.as_deref(), args.format, &args.model)?;
    let source = source::load(&args.model)?;
    let (options, compiled) = compiled(&source, &args.model)?;
    Ok(Prepared { source, options, compiled, folder, plot })
}

/// The folder of the model that is to be written; what is wrong with its name is said before anything is computed.
fn folder(file: Option<&str>, format: Format, model: &ModelArgs) -> Result<PathBuf, Exit> {
    Ok(match file {
        None => PathBuf::new(),
        Some("-") if format == Format::Json => {
            return Err(usage("`-o -` and `--format json` both write to standard output; name a file"));
        }
        Some("-") => PathBuf::new(),
        Some(path) if !path.to_ascii_lowercase().ends_with(".eq") => {
            return Err(usage(&format!("`-o {path}`: a closed loop is a model; give it a name that ends in .eq")));
        }
        Some(path) if model.model.as_deref().is_some_and(|model| same_file(model, path)) => {
            return Err(usage(&format!("`-o {path}` is the model itself; give the closed loop another name")));
        }
        Some(path) => Path::new(path).parent().map(Path::to_path_buf).unwrap_or_default(),
    })
}

/// The plant, its warnings shown, and how it was compiled.
fn compiled(source: &Source, args: &ModelArgs) -> Result<(CompileOptions, Compiled), Exit> {
    let options = CompileOptions { jacobian: true, ..source::compile_options(args)? };
    let compiled = compile(source, &options).map_err(|failure| source::show_failure(&failure, source))?;
    if !compiled.warnings.is_empty() {
        message(render(&compiled.warnings, &source.name, &source.text, source::color()).trim_end());
    }
    let wrong = ordinate::check_starts(&compiled);
    if has_errors(&wrong) {
        return Err(source::show_failure(&ordinate::Failure::Model(wrong), source));
    }
    Ok((options, compiled))
}

fn same_file(a: &str, b: &str) -> bool {
    match (std::fs::canonicalize(a), std::fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

/// `name=value, name=value` of an option that may be repeated.
pub fn pairs(option: &str, texts: &[String]) -> Result<Vec<(String, String)>, Exit> {
    let mut all = Vec::new();
    for text in texts.iter().flat_map(|text| text.split(',')).filter(|text| !text.trim().is_empty()) {
        match text.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
                all.push((name.trim().to_string(), value.trim().to_string()));
            }
            _ => {
                return Err(usage(&format!(
                    "`{option} {text}` must have the form name=value, as in `{option} \"x=1\"`"
                )));
            }
        }
    }
    Ok(all)
}

/// What a design came to.
pub struct Delivery {
    /// The summary for people.
    pub text: String,
    /// The result for programs.
    pub json: String,
    /// The text of the closed loop.
    pub closed_loop: Option<String>,
    /// What `--plot` shows.
    pub figure: Option<Figure>,
    /// Why the closed loop must not be written (`--force` does so all the same).
    pub refusal: Option<String>,
}

/// Shows the result and writes the closed loop, which must be well for that.
pub fn deliver(args: &CommonArgs, prepared: &Prepared, delivery: &Delivery) -> Result<Exit, Exit> {
    if let (Some(figure), None) = (&delivery.figure, &delivery.refusal) {
        prepared.plot.draw(figure)?;
    }
    let to_stdout = args.file.as_deref() == Some("-");
    let shown = match args.format {
        Format::Json => print_out(&format!("{}\n", delivery.json)),
        Format::Text if to_stdout => {
            message(delivery.text.trim_end());
            Exit::Ok
        }
        Format::Text => print_out(&delivery.text),
    };
    if shown != Exit::Ok {
        return Err(shown);
    }
    if let Some(reason) = &delivery.refusal {
        message(&format!("stopped {reason}"));
        if args.file.is_some() && !args.force {
            message("next    nothing was written; `--force` writes it all the same");
        }
        if !args.force {
            return Ok(Exit::Stopped);
        }
    }
    match (args.file.as_deref(), &delivery.closed_loop) {
        (Some("-"), Some(text)) => return Ok(print_out(text)),
        (Some(path), Some(text)) => {
            write_file(path, text.as_bytes()).map_err(|e| usage(&e))?;
            message(&format!("wrote   {path}"));
        }
        _ => {}
    }
    Ok(if delivery.refusal.is_some() { Exit::Stopped } else { Exit::Ok })
}

/// Shows why a closed loop cannot be written.
pub fn show_closed_loop_error(error: &ClosedLoopError) -> Exit {
    match error {
        ClosedLoopError::Refused(text) => usage(text),
        ClosedLoopError::Defect(text, diagnostics) => {
            message(render(diagnostics, "closed loop", text, source::color()).trim_end());
            message(
                "internal error: the closed loop that ordinate wrote does not compile; please report it with the model",
            );
            Exit::Stopped
        }
    }
}

/// Shows why a design that works on formulas has no answer.
fn show_symbolic_error(error: &SymbolicError, source: &Source) -> Exit {
    match error {
        SymbolicError::Usage(text) => usage(text),
        SymbolicError::Expression(option, text, found) => {
            message(render(found, option, text, source::color()).trim_end());
            Exit::Usage
        }
        SymbolicError::Model(text, hint) => {
            message(&format!("error: {text} (in {})", source.name));
            message(&format!("next    {hint}"));
            Exit::Model
        }
        SymbolicError::None(text, hint) => {
            message(&format!("stopped {text}"));
            message(&format!("next    {hint}"));
            Exit::Stopped
        }
    }
}
