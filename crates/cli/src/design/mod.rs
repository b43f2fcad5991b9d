//! `ordinate design`: reads the model, lets the façade design, shows the result and writes the closed loop.

mod args;
mod fblin;
mod help;
mod lyapunov;

pub use args::{CommonArgs, DesignCommand};
pub use help::HELP;

use crate::args::{Format, ModelArgs};
use crate::lists::names;
use crate::output::write_file;
use crate::picture::{self, Plot};
use crate::{Exit, message, print_out, source, usage};
use args::{FollowArgs, LqrArgs, ObserverArgs, PidArgs, PlaceArgs};
use ordinate::design::{
    AntiWindup, ClosedLoopError, Design, DesignError, DesignOptions, FollowWish, Form, LqrWish, ObserverWish, PidWish,
    PlaceWish, Plant, SymbolicError, Tune, design_figure, design_json, design_text,
};
use ordinate::{CompileOptions, Compiled, Figure, Source, compile, has_errors, render};
use std::path::{Path, PathBuf};

/// Designs a controller.
pub fn design(kind: &DesignCommand) -> Exit {
    let done = match kind {
        DesignCommand::Place(args) => place(args),
        DesignCommand::Lqr(args) => lqr(args, false),
        DesignCommand::Lqi(args) => lqr(args, true),
        DesignCommand::Pid(args) => pid(args),
        DesignCommand::Fblin(args) => fblin::run(args),
        DesignCommand::Lyapunov(args) => lyapunov::run(args),
    };
    match done {
        Ok(exit) | Err(exit) => exit,
    }
}

fn place(args: &PlaceArgs) -> Result<Exit, Exit> {
    let Some(poles) = args.poles.clone() else {
        return Err(usage("`--poles` is missing: one for each state, as in `--poles \"-5+1i, -5-1i\"`"));
    };
    let wish = PlaceWish {
        poles,
        discrete: args.discrete_poles,
        follow: follow(&args.follow),
        ki: args.ki,
        observer: observer(&args.observer),
    };
    finish(&args.common, &|plant, options| ordinate::design::place(plant, options, &wish))
}

fn lqr(args: &LqrArgs, integral: bool) -> Result<Exit, Exit> {
    let mut wish = LqrWish {
        q: args.q.clone(),
        r: args.r.clone(),
        follow: follow(&args.follow),
        observer: observer(&args.observer),
    };
    if integral {
        wish.follow.integral.get_or_insert_default();
    }
    finish(&args.common, &|plant, options| ordinate::design::lqr(plant, options, &wish))
}

fn pid(args: &PidArgs) -> Result<Exit, Exit> {
    let two = |option: &str, text: &Option<String>, form: &str| -> Result<Option<(f64, f64)>, Exit> {
        let Some(text) = text else { return Ok(None) };
        let numbers: Option<Vec<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
        match numbers.as_deref() {
            Some([a, b]) => Ok(Some((*a, *b))),
            _ => Err(usage(&format!("`{option} {text}` must be two numbers, as in `{option} {form}`"))),
        }
    };
    let wish = PidWish {
        output: args.output.clone(),
        reference: args.reference.clone(),
        kp: args.kp,
        ki: args.ki,
        kd: args.kd,
        filter: args.filter,
        limits: two("--limits", &args.limits, "-5,5")?,
        windup: match args.anti_windup {
            None | Some(args::AntiWindup::Back) => AntiWindup::Back,
            Some(args::AntiWindup::Clamp) => AntiWindup::Clamp,
            Some(args::AntiWindup::None) => AntiWindup::None,
        },
        weight: two("--weight", &args.weight, "1,0")?,
        tune: args.tune.map(|rule| match rule {
            args::Tune::Simc => Tune::Simc,
            args::Tune::Zn => Tune::ZieglerNichols,
            args::Tune::Itae => Tune::Itae,
            args::Tune::Ise => Tune::Ise,
        }),
        form: args.form.map(|form| match form {
            args::Form::P => Form::P,
            args::Form::Pi => Form::Pi,
            args::Form::Pd => Form::Pd,
            args::Form::Pid => Form::Pid,
        }),
    };
    finish(&args.common, &|plant, options| ordinate::design::pid(plant, options, &wish))
}

fn follow(args: &FollowArgs) -> FollowWish {
    FollowWish { reference: args.reference.clone(), integral: args.integral.clone() }
}

fn observer(args: &ObserverArgs) -> ObserverWish {
    ObserverWish {
        measured: names(&args.measured),
        poles: args.observer_poles.clone(),
        noise: args.noise_q.clone().map(|q| (q, args.noise_r.clone())),
    }
}

/// Designs with what all kinds have in common, and delivers the result.
fn finish(
    args: &CommonArgs,
    make: &dyn Fn(&Plant, &DesignOptions) -> Result<Design, DesignError>,
) -> Result<Exit, Exit> {
    let prepared = prepare(args)?;
    let options = DesignOptions {
        at: source::assignments(&args.at, "--at", "phi=0")?,
        time: args.time.as_deref().map(|text| time(&prepared.compiled, text)).transpose()?,
        equilibrium: args.equilibrium,
        inputs: names(&args.input),
        sampled: source::duration(&prepared.compiled, "--sampled", args.sampled.as_ref())?,
        start: source::assignments(&args.start, "--start", "phi=0.3")?,
        folder: prepared.folder.clone(),
        command: command(),
    };
    let Prepared { source, options: compile_options, compiled, .. } = &prepared;
    let plant = Plant { source, options: compile_options, compiled };
    let design = make(&plant, &options).map_err(|error| show_design_error(&error, &prepared))?;
    let delivery = Delivery {
        text: design_text(&design, &source.name),
        json: design_json(&design).to_string(),
        figure: design_figure(&design, &source.name),
        closed_loop: Some(design.closed.text),
        refusal: design.refusal,
    };
    deliver(args, &prepared, &delivery)
}

/// The time of `-t`, a number or an expression with parameters of the model.
fn time(compiled: &Compiled, text: &str) -> Result<f64, Exit> {
    ordinate::design::constant_value(compiled, text).ok_or_else(|| {
        usage(&format!("`-t {text}` is not a finite constant; write a number or an expression such as 4*pi"))
    })
}

/// The command line as it was typed, in one line.
fn command() -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,+:".contains(c);
    let words = std::env::args().skip(1).map(|word| match word.chars().all(plain) && !word.is_empty() {
        true => word,
        false => format!("\"{}\"", word.replace('\n', "; ")),
    });
    format!("ordinate {}", words.collect::<Vec<_>>().join(" "))
}

/// Shows why there is no design.
pub fn show_design_error(error: &DesignError, prepared: &Prepared) -> Exit {
    match error {
        DesignError::Usage(text) => usage(text),
        DesignError::Model(found) => source::show_failure(&ordinate::Failure::Model(found.clone()), &prepared.source),
        DesignError::Stopped { message: text, hint } => {
            message(&format!("stopped {text}"));
            message(&format!("next    {hint}"));
            Exit::Stopped
        }
        DesignError::Loop(error) => show_closed_loop_error(error),
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
            message("next    nothing was written; `--force` writes it anyway");
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
