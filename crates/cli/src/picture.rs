//! A figure to a file or to the terminal, as `--plot` asks.

use crate::output::write_file;
use crate::{Exit, message, print_out, usage};
use ordinate::Figure;
use std::io::{IsTerminal, stdout};

/// What `--plot` asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plot {
    /// Nothing.
    None,
    /// A plot in the terminal.
    Terminal,
    /// A file.
    Svg(String),
    /// A file.
    Png(String),
}

/// What a command line asks for, before anything is computed.
pub fn wish(plot: Option<&str>) -> Result<Plot, Exit> {
    let lower = plot.map(str::to_ascii_lowercase);
    match (plot, lower.as_deref()) {
        (None, _) => Ok(Plot::None),
        (Some(""), _) => Ok(Plot::Terminal),
        (Some(path), Some(lower)) if lower.ends_with(".svg") => Ok(Plot::Svg(path.into())),
        (Some(path), Some(lower)) if lower.ends_with(".png") => Ok(Plot::Png(path.into())),
        (Some(path), _) => Err(usage(&format!("`--plot {path}`: pictures end in .svg or .png"))),
    }
}

impl Plot {
    /// Draws a figure.
    pub fn draw(&self, figure: &Figure) -> Result<(), Exit> {
        let write = |path: &str, bytes: &[u8]| {
            write_file(path, bytes).map_err(|e| usage(&e))?;
            message(&format!("wrote   {path}"));
            Ok(())
        };
        match self {
            Plot::None => Ok(()),
            Plot::Svg(path) => write(path, figure.to_svg().as_bytes()),
            Plot::Png(path) => {
                let bytes = figure.to_png().map_err(|e| usage(&format!("the picture cannot be made: {e}")))?;
                write(path, &bytes)
            }
            Plot::Terminal => {
                let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<usize>().ok());
                let columns = number("COLUMNS").unwrap_or(80).clamp(40, 200);
                let rows = number("LINES").unwrap_or(24).clamp(12, 60);
                let color = stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
                match print_out(&figure.to_terminal(columns, rows, color)) {
                    Exit::Ok => Ok(()),
                    other => Err(other),
                }
            }
        }
    }
}
