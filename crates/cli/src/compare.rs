//! `ordinate compare`.

use crate::args::{CompareArgs, Format};
use crate::output::{AtomicFile, write_file};
use crate::picture::{self, Plot};
use crate::{Exit, interrupt, message, print_out, source, usage};
use ordinate::{Chart, CompareError, CompareOptions, Comparison, Failure, RunError, compile};
use std::io::{IsTerminal, Write};

/// Runs a model with many methods.
pub fn compare(args: &CompareArgs) -> Exit {
    match work(args) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn work(args: &CompareArgs) -> Result<Exit, Exit> {
    let plot = picture::wish(args.plot.as_deref())?;
    let chart = chart(args)?;
    if plot == Plot::Terminal && args.format == Format::Json {
        return Err(usage(
            "a plot in the terminal and `--format json` both want standard output; use `--plot FILE.svg`",
        ));
    }
    let options = options(args)?;
    for path in &args.output {
        page_format(path)?;
        // try now, not after a minute of computing
        drop(AtomicFile::create(path).map_err(|e| usage(&e))?);
    }
    let source = source::load(&args.model)?;
    let compile_options = source::compile_options(&args.model)?;
    let compiled = compile(&source, &compile_options).map_err(|f| source::show_failure(&f, &source))?;
    let progress = std::io::stderr().is_terminal();
    let mut tell = |name: &str| {
        if progress {
            let _ = write!(std::io::stderr().lock(), "\r{name:<20}");
        }
    };
    interrupt::listen();
    let found = ordinate::compare(&compiled, &options, &mut tell, &|| interrupt::count() == 0);
    if progress {
        let _ = write!(std::io::stderr().lock(), "\r{:<20}\r", "");
    }
    let found = found.map_err(|error| match error {
        CompareError::NoReference(reason) => {
            message(&format!(
                "error: there is nothing to compare with: the reference run stops before the end time; give an \
                 earlier one with `-t`\n{reason}"
            ));
            Exit::Stopped
        }
        CompareError::Interrupted => {
            message("interrupted while the reference solution was computed: no results yet; `-t` shortens the run");
            Exit::Interrupted
        }
        CompareError::Run(RunError::NoEndTime) => {
            usage("no end time: add `run 0 .. 10` to the model, or give one with `-t 10`")
        }
        CompareError::Run(RunError::Usage(text)) => usage(&text),
        CompareError::Run(RunError::Rows(error)) => usage(&error.reason),
        CompareError::Run(RunError::Model(found)) => source::show_failure(&Failure::Model(found), &source),
    })?;
    show(args, &found, &plot, chart)
}

fn show(args: &CompareArgs, found: &Comparison, plot: &Plot, chart: Chart) -> Result<Exit, Exit> {
    for path in &args.output {
        let text = match page_format(path)? {
            Page::Html => found.to_html(),
            Page::Json => format!("{}\n", found.to_json()),
        };
        write_file(path, text.as_bytes()).map_err(|e| usage(&e))?;
        message(&format!("wrote   {path}"));
    }
    // what kept the methods from their rows is told below
    if *plot != Plot::None && found.rows.is_empty() && found.interruption().is_none() {
        message("note    there is nothing to plot: no method has a result");
    } else if *plot != Plot::None {
        let figures = found.figures(chart);
        let Some(figure) = figures.first() else {
            if let Some(text) = found.interruption() {
                message(&text);
                return Ok(Exit::Interrupted);
            }
            return Err(usage("there is nothing to draw: the model has one state only"));
        };
        plot.draw(figure)?;
        if figures.len() > 1 {
            message("note    the first methods are shown; choose others with -m, or all with `-o report.html`");
        }
    }
    let text = match args.format {
        Format::Json => format!("{}\n", found.to_json()),
        Format::Text if *plot == Plot::Terminal => {
            message(found.to_text().trim_end());
            String::new()
        }
        Format::Text => found.to_text(),
    };
    let shown = print_out(&text);
    if let Some(text) = found.interruption() {
        if args.format == Format::Json {
            message(&text);
        }
        return Ok(Exit::Interrupted);
    }
    Ok(if shown == Exit::Ok && found.rows.is_empty() { Exit::Stopped } else { shown })
}

fn options(args: &CompareArgs) -> Result<CompareOptions, Exit> {
    let defaults = CompareOptions::default();
    let mut rtols = Vec::new();
    for text in &args.rtols {
        match text.trim().parse::<f64>() {
            Ok(rtol) if rtol > 0.0 && rtol < 1.0 => rtols.push(rtol),
            _ => {
                return Err(usage(&format!("`--rtols {text}`: a tolerance is a number between 0 and 1, such as 1e-6")));
            }
        }
    }
    if args.repeat == 0 {
        return Err(usage("`--repeat` must be at least 1"));
    }
    Ok(CompareOptions {
        methods: args.method.iter().map(|name| name.trim().to_string()).collect(),
        rtols: if rtols.is_empty() { defaults.rtols } else { rtols },
        repeats: args.repeat,
        t_start: args.t_start.clone(),
        t_end: args.t_end.clone(),
        max_steps: args.max_steps,
    })
}

/// What a file of a comparison can be.
enum Page {
    Html,
    Json,
}

fn page_format(path: &str) -> Result<Page, Exit> {
    match path.to_ascii_lowercase().rsplit_once('.').map(|(_, suffix)| suffix) {
        Some("html" | "htm") => Ok(Page::Html),
        Some("json") => Ok(Page::Json),
        _ => Err(usage(&format!("`-o {path}`: a comparison is written as .html or .json; pictures go to `--plot`"))),
    }
}

fn chart(args: &CompareArgs) -> Result<Chart, Exit> {
    let Some(name) = &args.show else { return Ok(Chart::Work) };
    if args.plot.is_none() {
        return Err(usage("`--show` chooses what `--plot` draws; add `--plot`"));
    }
    let names = Chart::ALL.map(|(name, _)| name).join(", ");
    let found = Chart::ALL.iter().find(|(known, _)| known == name).map(|(_, chart)| *chart);
    found.ok_or_else(|| usage(&format!("`--show {name}`: no such picture; available: {names}")))
}
