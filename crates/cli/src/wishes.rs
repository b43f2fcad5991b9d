//! Where results and pictures are to go: the output options of `ordinate run`, checked.

use crate::args::RunArgs;
use crate::lists::names;
use crate::{Exit, usage};
use ordinate::{Memory, PlotOptions, list_parts};
use std::path::{Path, PathBuf};

/// Formats of files, by suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// Comma-separated values.
    Csv,
    /// One JSON object of columns.
    Json,
    /// A picture.
    Svg,
    /// A picture.
    Png,
}

fn suffix(path: &str) -> Option<String> {
    Path::new(path).extension().map(|s| s.to_string_lossy().to_ascii_lowercase())
}

/// Devices such as /dev/null.
fn is_device(path: &str) -> bool {
    std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir())
}

/// The format of a file name.
pub fn format_of(path: &str) -> Result<FileFormat, String> {
    match suffix(path).as_deref() {
        Some("csv" | "txt") => Ok(FileFormat::Csv),
        Some("json") => Ok(FileFormat::Json),
        Some("svg") => Ok(FileFormat::Svg),
        Some("png") => Ok(FileFormat::Png),
        None if is_device(path) => Ok(FileFormat::Csv),
        Some(later @ ("mat" | "parquet" | "arrow" | "feather" | "html")) => {
            Err(format!("`{path}`: .{later} files are not available in this version; use .csv, .json, .svg or .png"))
        }
        Some("eq") => Err(format!("`{path}` looks like a model, not like a result; use .csv, .json, .svg or .png")),
        _ => Err(format!("the format of `{path}` is not known; use .csv, .json, .svg or .png")),
    }
}

/// All columns as one JSON object.
pub fn columns_json(rows: &Memory) -> String {
    let stored = rows.names.iter().zip(&rows.columns).take(rows.stored);
    let columns: serde_json::Map<String, serde_json::Value> =
        stored.map(|(name, values)| (name.clone(), serde_json::json!(values))).collect();
    format!("{}\n", serde_json::json!({"schema": "ordinate.result/1", "columns": columns}))
}

/// `run --plot spring.eq`: an option that may stand alone takes the model for its file. Gives it back.
pub fn model_behind_plot(args: &mut RunArgs) -> Result<(), Exit> {
    let Some(path) = args.plot.clone().filter(|path| suffix(path).as_deref() == Some("eq")) else { return Ok(()) };
    if args.model.model.is_some() || !args.model.text.is_empty() {
        return Err(usage(&format!("`{path}` was taken as the file of `--plot`, which must end in .svg or .png")));
    }
    args.model.model = Some(path);
    args.plot = Some(String::new());
    Ok(())
}

/// Where results and pictures are to go.
pub struct Wishes {
    /// Whether rows go to standard output.
    pub stdout_csv: bool,
    /// Files of rows.
    pub files: Vec<(String, FileFormat)>,
    /// Files of pictures.
    pub pictures: Vec<(String, FileFormat)>,
    /// Whether a plot goes to standard output.
    pub terminal_plot: bool,
    /// What is plotted.
    pub plot: PlotOptions,
}

impl Wishes {
    /// The outputs that a command line asks for.
    pub fn new(args: &RunArgs) -> Result<Wishes, Exit> {
        let mut wishes = Wishes {
            stdout_csv: args.output.is_empty()
                && args.plot.is_none()
                && args.summary.is_none()
                && args.newton.trace.is_none(),
            files: Vec::new(),
            pictures: Vec::new(),
            terminal_plot: false,
            plot: PlotOptions {
                variables: names(&args.plot_vars),
                points: args.at.as_ref().is_some_and(|at| at.trim() != "steps"),
                ..PlotOptions::default()
            },
        };
        for path in &args.output {
            match path.as_str() {
                "-" if args.newton.trace.is_some() => {
                    return Err(usage("`-o -` and `--trace` both want standard output; give a file to `-o`"));
                }
                "-" if args.summary.is_some() => {
                    return Err(usage("`-o -` and `--summary` both want standard output; give a file to `-o`"));
                }
                "-" => wishes.stdout_csv = true,
                path => match format_of(path).map_err(|e| usage(&e))? {
                    format @ (FileFormat::Csv | FileFormat::Json) => wishes.files.push((path.into(), format)),
                    format @ (FileFormat::Svg | FileFormat::Png) => wishes.pictures.push((path.into(), format)),
                },
            }
        }
        wishes.add_plot(args)?;
        if wishes.terminal_plot && args.output.iter().any(|path| path == "-") {
            return Err(usage(
                "`-o -` and a plot in the terminal both want standard output; give a file to `-o`, or `--plot FILE.svg`",
            ));
        }
        wishes.refuse_twins()?;
        wishes.stdout_csv &= !(wishes.terminal_plot && args.output.is_empty());
        Ok(wishes)
    }

    fn add_plot(&mut self, args: &RunArgs) -> Result<(), Exit> {
        match args.plot.as_deref() {
            None => {}
            Some("") => self.terminal_plot = true,
            Some(path) => match suffix(path).as_deref() {
                Some("svg") => self.pictures.push((path.into(), FileFormat::Svg)),
                Some("png") => self.pictures.push((path.into(), FileFormat::Png)),
                _ => {
                    let advice = if args.model.model.is_none() && args.model.text.is_empty() {
                        "; a model is written before `--plot`"
                    } else {
                        "; variables to draw are given with `--plot-vars`"
                    };
                    return Err(usage(&format!("`--plot {path}`: pictures end in .svg or .png{advice}")));
                }
            },
        }
        if let Some(text) = &args.phase {
            let names = list_parts(text);
            let [x, y] = names.as_slice() else {
                return Err(usage(&format!("`--phase {text}` must name two variables, as in \"x,x'\"")));
            };
            self.plot.phase = Some(((*x).into(), (*y).into()));
            self.terminal_plot |= self.pictures.is_empty();
        }
        if !args.plot_vars.is_empty() && self.pictures.is_empty() {
            self.terminal_plot = true;
        }
        if self.terminal_plot && args.summary == Some(crate::args::Format::Json) {
            return Err(usage(
                "a plot in the terminal and `--summary json` both want standard output; use `--plot FILE.svg`",
            ));
        }
        Ok(())
    }

    /// Two results cannot be written to one file.
    fn refuse_twins(&self) -> Result<(), Exit> {
        let mut seen: Vec<PathBuf> = Vec::new();
        for (path, _) in self.files.iter().chain(&self.pictures).filter(|(path, _)| !is_device(path)) {
            let place = std::path::absolute(path).unwrap_or_else(|_| path.into());
            if seen.contains(&place) {
                return Err(usage(&format!("two outputs go to the same file `{path}`; give each its own name")));
            }
            seen.push(place);
        }
        Ok(())
    }

    /// Whether all rows must be kept until the end.
    pub fn needs_memory(&self) -> bool {
        self.terminal_plot || !self.pictures.is_empty() || self.files.iter().any(|(_, f)| *f == FileFormat::Json)
    }
}
