//! `ordinate periodic`.

use crate::args::{Format, PeriodicArgs};
use crate::output::write_file;
use crate::run::terminal_size;
use crate::{Exit, message, print_out, source, usage};
use ordinate::{Figure, PeriodicError, PeriodicOptions, periodic_figure, periodic_json, periodic_text};
use std::io::{IsTerminal, stdout};

/// Shows the periodic solutions of a model.
pub fn periodic(args: &PeriodicArgs) -> Exit {
    match work(args) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn work(args: &PeriodicArgs) -> Result<Exit, Exit> {
    let options = PeriodicOptions {
        period: args.period.clone(),
        guess: source::guesses(&args.guess)?,
        method: args.method.clone(),
        steps: args.steps,
        correct: args.correct,
    };
    let picture = args.plot.as_deref().map(Picture::new).transpose()?;
    let compiled = source::compiled(&args.model)?;
    let found = match ordinate::periodic(&compiled, &options) {
        Ok(found) => found,
        Err(PeriodicError::Usage(text)) => return Err(usage(&text)),
        Err(PeriodicError::Interrupted) => return Ok(Exit::Interrupted),
        Err(PeriodicError::None { message: text, hint }) => {
            if args.format == Format::Json {
                print_out("{\"schema\":\"ordinate.periodic/1\",\"orbits\":[]}\n");
            }
            message(&format!("stopped {text}"));
            message(&format!("next    {hint}"));
            return Ok(Exit::Stopped);
        }
    };
    if let Some(picture) = picture {
        picture.draw(&periodic_figure(&compiled, &found))?;
    }
    Ok(print_out(&match args.format {
        Format::Json => format!("{}\n", periodic_json(&found)),
        Format::Text => periodic_text(&found),
    }))
}

/// Where a picture goes.
enum Picture<'a> {
    Terminal,
    Svg(&'a str),
    Png(&'a str),
}

impl Picture<'_> {
    fn new(path: &str) -> Result<Picture<'_>, Exit> {
        match path.to_ascii_lowercase() {
            lower if lower.is_empty() => Ok(Picture::Terminal),
            lower if lower.ends_with(".svg") => Ok(Picture::Svg(path)),
            lower if lower.ends_with(".png") => Ok(Picture::Png(path)),
            _ => Err(usage(&format!("`--plot {path}`: pictures are .svg or .png"))),
        }
    }

    fn draw(&self, figure: &Figure) -> Result<(), Exit> {
        let (path, bytes) = match self {
            Picture::Terminal => {
                let (columns, rows) = terminal_size();
                let color = stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
                return match print_out(&figure.to_terminal(columns, rows, color)) {
                    Exit::Ok => Ok(()),
                    exit => Err(exit),
                };
            }
            Picture::Svg(path) => (path, figure.to_svg().into_bytes()),
            Picture::Png(path) => {
                (path, figure.to_png().map_err(|e| usage(&format!("the picture cannot be made: {e}")))?)
            }
        };
        write_file(path, &bytes).map_err(|e| usage(&e))?;
        message(&format!("wrote   {path}"));
        Ok(())
    }
}
