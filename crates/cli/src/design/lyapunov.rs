//! `ordinate design lyapunov`.

use super::show_symbolic_error;
use crate::args::{Format, ModelArgs};
use crate::output::write_file;
use crate::{Exit, message, picture, print_out, source, usage};
use clap::Args;
use ordinate::design::{LyapunovOptions, lyapunov, lyapunov_figure, lyapunov_json, lyapunov_model, lyapunov_text};

/// The options.
#[derive(Args, Debug)]
pub struct LyapunovArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// The candidate, an expression of the states, as in "phi'^2/2 + 1 - cos(phi)"
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub v: String,
    /// The equilibrium, as in "phi=0"; unnamed variables keep their start values; found if not given (repeatable)
    #[arg(long, value_name = "NAME=VALUE,…", allow_hyphen_values = true)]
    pub at: Vec<String>,
    /// Where V > 0 and V' <= 0 are to hold, as in "x=-1..1, phi=-pi..pi"; the reach of the run if not given
    #[arg(long, value_name = "NAME=LOW..HIGH,…", allow_hyphen_values = true)]
    pub region: Option<String>,
    /// Where to write the model with V and V' as outputs
    #[arg(short = 'o', value_name = "FILE.eq")]
    pub file: Option<String>,
    /// Picture (.svg, .png) of V, V' and solutions from many starts; without FILE a plot in the terminal
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "")]
    pub plot: Option<String>,
    /// For people or for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Examines a candidate.
pub fn run(args: &LyapunovArgs) -> Result<Exit, Exit> {
    let plot = picture::wish(args.plot.as_deref())?;
    let folder = super::folder(args.file.as_deref(), args.format, &args.model)?;
    let at = source::assignments(&args.at, "--at", "phi=0")?;
    let wish = LyapunovOptions { v: args.v.clone(), at, region: args.region.clone() };
    let source = source::load(&args.model)?;
    let (options, compiled) = super::compiled(&source, &args.model)?;
    let found = lyapunov(&source, &options, &compiled, &wish).map_err(|error| show_symbolic_error(&error, &source))?;
    if plot != picture::Plot::None {
        plot.draw(&lyapunov_figure(&compiled, &found))?;
    }
    let shown = match args.format {
        Format::Json => print_out(&format!("{}\n", lyapunov_json(&found))),
        Format::Text if args.file.as_deref() == Some("-") => {
            message(lyapunov_text(&found).trim_end());
            Exit::Ok
        }
        Format::Text => print_out(&lyapunov_text(&found)),
    };
    if shown != Exit::Ok {
        return Err(shown);
    }
    if let Some(path) = &args.file {
        let text = lyapunov_model(&source, &options, &found, &folder).map_err(|e| super::show_closed_loop_error(&e))?;
        if path == "-" {
            return Ok(print_out(&text));
        }
        write_file(path, text.as_bytes()).map_err(|e| usage(&e))?;
        message(&format!("wrote   {path}"));
    }
    Ok(if found.is_proved() { Exit::Ok } else { Exit::Stopped })
}
