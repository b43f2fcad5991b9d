//! `ordinate run`.

use crate::args::{Emit, Format, RunArgs};
use crate::lists::names;
use crate::output::{AtomicFile, cannot_write, write_file};
use crate::report::{count, report};
use crate::wishes::{FileFormat, Wishes, columns_json, model_behind_plot};
use crate::{Exit, clock, interrupt, message, newton, print_out, source, usage};
use indicatif::{ProgressBar, ProgressStyle};
use ordinate::{
    Compiled, CsvRows, ErrorWish, Memory, NewtonIterate, PlotOptions, RealTimeReport, RowError, RowSink, RowTimes, Run,
    RunError, RunOptions, Source, Stage, Status, compile, emit, figure, figure_notes, list_parts, realtime, render,
    sensitivity, shown, simulate, summary_json,
};
use std::io::{IsTerminal, Stdout, stdout};
use std::time::{Duration, Instant};

/// Solves a model.
pub fn run(mut args: RunArgs) -> Exit {
    match model_behind_plot(&mut args).and_then(|()| work(&args)) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn work(args: &RunArgs) -> Result<Exit, Exit> {
    let source = source::load(&args.model)?;
    let mut compile_options = source::compile_options(&args.model)?;
    let against_clock = args.realtime.realtime.then(|| clock::how(&args.realtime)).transpose()?;
    if let Some(how) = &against_clock {
        compile_options.inputs = how.inputs();
    }
    if let Some(stage) = args.emit {
        let stage = match stage {
            Emit::Tree => Stage::Tree,
            Emit::Model => Stage::Model,
            Emit::Sorted => Stage::Sorted,
            Emit::Program => Stage::Program,
        };
        let text = emit(&source, &compile_options, stage).map_err(|f| source::show_failure(&f, &source))?;
        return Ok(print_out(&text));
    }
    let options = run_options(args)?;
    let wishes = Wishes::new(args)?;
    let mut compiled = compile(&source, &compile_options).map_err(|f| source::show_failure(&f, &source))?;
    let options = with_durations(args, &compiled, options)?;
    if !args.sensitivity.is_empty() {
        compiled =
            sensitivity(&compiled, &names(&args.sensitivity)).map_err(|e| usage(&format!("`--sensitivity`: {e}")))?;
    }
    if !compiled.warnings.is_empty() && !args.quiet {
        message(render(&compiled.warnings, &source.name, &source.text, source::color()).trim_end());
    }
    interrupt::listen();
    let comments = match &against_clock {
        Some(how) => comments(&compiled, &how.options(&options)),
        None => comments(&compiled, &options),
    };
    let mut outputs = Outputs::open(&wishes, args, &compiled, &options, comments)?;
    let result = match &against_clock {
        Some(how) => realtime(&compiled, &options, how, &mut outputs).map(|(run, r)| (run, Some(r))),
        None => simulate(&compiled, &options, &mut outputs).map(|run| (run, None)),
    };
    outputs.progress.finish();
    let (run, timing) = result.map_err(|e| show_error(&e, &source))?;
    if let Some(trace) = &outputs.trace {
        trace.finish(&run.methods(), run.outcome.statistics.steps);
    }
    let begin = Instant::now();
    let late = timing.as_ref().and_then(RealTimeReport::ending);
    let written = outputs.finish(&run, late.as_deref())?;
    let memory = written.memory;
    // A run against the clock is shown as it was.
    let again = if timing.is_some() { None } else { Some(&options) };
    let pictures = pictures(&wishes, &compiled, again, &run, &memory)?;
    let write_seconds = begin.elapsed().as_secs_f64();
    let summary = match args.summary {
        Some(Format::Json) => {
            let mut summary = summary_json(&compiled, &run, write_seconds);
            if let Some(timing) = &timing {
                summary["realtime"] = timing.to_json();
            }
            format!("{summary}\n")
        }
        Some(Format::Text) => report(&compiled, &run, &options, args.verbose) + &timing_text(&timing),
        None => String::new(),
    };
    if !args.quiet {
        if !pictures.is_empty() || wishes.terminal_plot {
            figure_notes(&compiled, &wishes.plot).iter().for_each(|note| message(&format!("note    {note}")));
        }
        if args.summary != Some(Format::Text) {
            message((report(&compiled, &run, &options, args.verbose) + &timing_text(&timing)).trim_end());
        }
        let rows = format!("({}, {})", count(run.final_values.len(), "variable"), count(run.rows, "row"));
        written.files.iter().for_each(|file| message(&format!("wrote   {file}  {rows}")));
        pictures.iter().for_each(|picture| message(&format!("wrote   {picture}")));
    } else if let Some(reason) = run.reason.as_ref().filter(|r| r.kind != "stop_condition") {
        message(&format!("stopped {}: {}", reason.kind, reason.message));
    } else if let Some(late) = &late {
        message(&format!("stopped {late}"));
    }
    let shown = print_out(&summary);
    if shown != Exit::Ok {
        return Ok(shown);
    }
    if timing.is_some_and(|timing| timing.missed > 0 && !timing.dry) && run.outcome.status == Status::Ok {
        return Ok(Exit::Deadline);
    }
    Ok(match (&run.reason, run.outcome.status) {
        (Some(reason), _) if reason.kind == "inconsistent_start" => Exit::Stopped,
        (_, Status::Ok) => Exit::Ok,
        (_, Status::Stopped) => Exit::Stopped,
        (_, Status::Interrupted) => Exit::Interrupted,
    })
}

fn timing_text(timing: &Option<RealTimeReport>) -> String {
    timing.as_ref().map_or_else(String::new, RealTimeReport::to_text)
}

/// What the options say without the model.
fn run_options(args: &RunArgs) -> Result<RunOptions, Exit> {
    crate::digits::check(args)?;
    for (name, value) in [("--rtol", args.rtol), ("--atol", args.atol)] {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(usage(&format!("`{name} {value}` must be a number that is not negative")));
        }
    }
    if args.rtol == 0.0 && args.atol == 0.0 {
        return Err(usage("--rtol and --atol are both zero; at least one must be positive"));
    }
    if args.repeat == 0 {
        return Err(usage("`--repeat` must be at least 1"));
    }
    let rows = match &args.at {
        Some(text) if text.trim() == "steps" => RowTimes::Steps,
        Some(text) => RowTimes::At(list_parts(text).into_iter().map(str::to_string).collect()),
        None => RowTimes::Even(501),
    };
    Ok(RunOptions {
        t_start: args.t_start.clone(),
        t_end: args.t_end.clone(),
        method: args.method.clone(),
        phi: args.phi,
        order: args.order,
        max_order: args.max_order,
        h_scale: args.h_scale,
        min_ord: args.min_ord,
        newton: newton::options(&args.newton)?,
        rtol: args.rtol,
        atol: args.atol,
        atol_each: None,
        digits: args.digits,
        precision: args.precision,
        step: None,
        h_max: None,
        max_steps: args.max_steps,
        rows,
        repeat: args.repeat,
        error: match args.no_error {
            true => ErrorWish::Off,
            false => ErrorWish::Estimate { columns: args.error, correct: args.correct },
        },
        rehearsal: 0,
        dense: false,
    })
}

/// Options whose values may contain parameters of the model.
fn with_durations(args: &RunArgs, compiled: &Compiled, mut options: RunOptions) -> Result<RunOptions, Exit> {
    options.step = source::duration(compiled, "--step", args.step.as_ref())?;
    options.h_max = source::duration(compiled, "--max-step", args.max_step.as_ref())?;
    if let Some(every) = source::duration(compiled, "--every", args.every.as_ref())? {
        options.rows = RowTimes::Every(every);
    }
    Ok(options)
}

/// The data of the run as comments of a result file: nothing that differs from run to run.
fn comments(compiled: &Compiled, options: &RunOptions) -> Vec<String> {
    let mut lines = vec![format!("ordinate {}  model {}", env!("CARGO_PKG_VERSION"), compiled.name)];
    let step = options.step.map_or(String::new(), |h| format!("  step {h:?}"));
    let accuracy =
        crate::digits::comment(options).unwrap_or_else(|| format!("rtol {:?}  atol {:?}", options.rtol, options.atol));
    lines.push(format!("method {}  {accuracy}{step}", options.method));
    let parameters = compiled.parameter_values();
    if !parameters.is_empty() {
        let list: Vec<String> = parameters.iter().map(|(name, value)| format!("{name} = {value:?}")).collect();
        lines.push(format!("param {}", list.join(", ")));
    }
    lines
}

/// A progress bar that appears on a terminal after half a second.
struct Progress {
    bar: Option<ProgressBar>,
    wanted: bool,
    begin: Instant,
    range: Option<(f64, f64)>,
}

impl Progress {
    fn show(&mut self, t: f64) {
        let Some((from, to)) = self.range.filter(|_| self.wanted) else { return };
        if self.begin.elapsed() < Duration::from_millis(500) {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::new(1000);
            let style = ProgressStyle::with_template(
                "solving {bar:40} {percent:>3} %  {elapsed}, {eta} left  (Ctrl-C keeps the result so far)",
            );
            bar.set_style(style.expect("a valid template"));
            bar
        });
        bar.set_position(((t - from) / (to - from) * 1000.0) as u64);
    }

    fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// All places that rows go to.
struct Outputs {
    stdout: Option<CsvRows<Stdout>>,
    files: Vec<(String, CsvRows<AtomicFile>)>,
    json: Vec<String>,
    memory: Option<Memory>,
    trace: Option<newton::Table>,
    progress: Progress,
    patience: Patience,
}

/// How long an estimate of the error may take that nobody waits for: Ctrl-C ended its run.
const MOST_AFTER_INTERRUPT: Duration = Duration::from_secs(2);

/// What ends a computation: the next Ctrl-C and, behind one, the time.
#[derive(Default)]
struct Patience {
    solved: bool,
    /// So many were heard before the estimate began.
    heard: u32,
    until: Option<Instant>,
}

impl Patience {
    fn solved(&mut self) {
        if !std::mem::replace(&mut self.solved, true) {
            self.heard = interrupt::count();
            self.until = (self.heard > 0).then(|| Instant::now() + MOST_AFTER_INTERRUPT);
        }
    }

    fn lasts(&self) -> bool {
        interrupt::count() <= self.heard && self.until.is_none_or(|end| Instant::now() < end)
    }
}

struct Written {
    files: Vec<String>,
    memory: Option<Memory>,
}

impl Outputs {
    fn open(
        wishes: &Wishes,
        args: &RunArgs,
        compiled: &Compiled,
        options: &RunOptions,
        comments: Vec<String>,
    ) -> Result<Outputs, Exit> {
        let mut outputs = Outputs {
            stdout: wishes.stdout_csv.then(|| CsvRows::new(stdout(), "standard output", comments.clone())),
            files: Vec::new(),
            json: Vec::new(),
            memory: wishes.needs_memory().then(Memory::default),
            // one JSON object is all that standard output may hold
            trace: args.newton.trace.map(|_| newton::Table::new(args.summary == Some(Format::Json))),
            progress: Progress {
                bar: None,
                wanted: !args.quiet && std::io::stderr().is_terminal(),
                begin: Instant::now(),
                range: ordinate::run_range(compiled, options),
            },
            patience: Patience::default(),
        };
        for (path, format) in &wishes.files {
            match format {
                FileFormat::Json => {
                    // try now, not after an hour of computing
                    drop(AtomicFile::create(path).map_err(|e| usage(&e))?);
                    outputs.json.push(path.clone());
                }
                _ => {
                    let file = AtomicFile::create(path).map_err(|e| usage(&e))?;
                    outputs.files.push((path.clone(), CsvRows::new(file, path.as_str(), comments.clone())));
                }
            }
        }
        for (path, _) in &wishes.pictures {
            drop(AtomicFile::create(path).map_err(|e| usage(&e))?);
        }
        Ok(outputs)
    }

    /// Completes the files under their final names.
    fn finish(self, run: &Run, late: Option<&str>) -> Result<Written, Exit> {
        let reason = run.reason.iter().map(|r| format!("{}: {}", r.kind, r.message));
        let last: Vec<String> = reason.chain(late.map(str::to_string)).collect();
        if let Some(rows) = self.stdout {
            match rows.finish(&last) {
                Err(e) if e.closed_pipe => {}
                other => _ = other.map_err(|e| show_row_error(&e))?,
            }
        }
        let mut files = Vec::new();
        for (path, rows) in self.files {
            let file = rows.finish(&last).map_err(|e| show_row_error(&e))?;
            file.commit().map_err(|e| usage(&cannot_write(&path, &e)))?;
            files.push(path);
        }
        for path in self.json {
            let rows = self.memory.as_ref().expect("kept for JSON");
            write_file(&path, columns_json(rows).as_bytes()).map_err(|e| usage(&e))?;
            files.push(path);
        }
        Ok(Written { files, memory: self.memory })
    }
}

impl RowSink for Outputs {
    fn begin(&mut self, names: &[String], stored: usize) -> Result<(), RowError> {
        if let Some(trace) = &mut self.trace {
            trace.begin(names);
        }
        self.each(|sink| sink.begin(names, stored))
    }

    fn row(&mut self, values: &[f64]) -> Result<(), RowError> {
        self.each(|sink| sink.row(values))
    }

    fn precise_row(&mut self, values: &[f64], texts: &[String]) -> Result<(), RowError> {
        self.each(|sink| sink.precise_row(values, texts))
    }

    fn step(&mut self, t: f64, h: f64, order: u32) -> bool {
        self.memory.as_mut().is_none_or(|memory| memory.step(t, h, order))
    }

    fn iterate(&mut self, iterate: &NewtonIterate) {
        if let Some(trace) = &mut self.trace {
            trace.iterate(iterate);
        }
    }

    fn wants_steps(&self) -> bool {
        self.memory.is_some()
    }

    fn solved(&mut self) {
        self.patience.solved();
    }

    fn keep_going(&mut self, t: f64) -> bool {
        self.progress.show(t);
        self.patience.lasts()
    }
}

impl Outputs {
    fn each(&mut self, mut act: impl FnMut(&mut dyn RowSink) -> Result<(), RowError>) -> Result<(), RowError> {
        if let Some(sink) = &mut self.stdout {
            match act(sink) {
                // whoever reads standard output has enough; files and pictures are still wanted
                Err(e) if e.closed_pipe && !(self.files.is_empty() && self.memory.is_none()) => self.stdout = None,
                other => other?,
            }
        }
        for (_, sink) in &mut self.files {
            act(sink)?;
        }
        if let Some(sink) = &mut self.memory {
            act(sink)?;
        }
        Ok(())
    }
}

fn show_row_error(error: &RowError) -> Exit {
    if error.closed_pipe {
        // the reader, such as `head`, has what it wanted
        return Exit::Ok;
    }
    usage(&format!("{} cannot be written: {}", error.place, error.reason))
}

fn show_error(error: &RunError, source: &Source) -> Exit {
    match error {
        RunError::NoEndTime => usage("no end time: add `run 0 .. 10` to the model, or give one with `-t 10`"),
        RunError::Usage(text) => usage(text),
        RunError::Rows(error) => show_row_error(error),
        RunError::Model(diagnostics) => source::show_failure(&ordinate::Failure::Model(diagnostics.clone()), source),
    }
}

/// Rows for a picture; Ctrl-C leaves it with those that there are.
struct Shown {
    rows: Memory,
    /// So many were heard before.
    heard: u32,
}

impl RowSink for Shown {
    fn begin(&mut self, names: &[String], stored: usize) -> Result<(), RowError> {
        self.rows.begin(names, stored)
    }

    fn row(&mut self, values: &[f64]) -> Result<(), RowError> {
        self.rows.row(values)
    }

    fn step(&mut self, t: f64, h: f64, order: u32) -> bool {
        self.rows.step(t, h, order)
    }

    fn wants_steps(&self) -> bool {
        true
    }

    fn keep_going(&mut self, _: f64) -> bool {
        interrupt::count() <= self.heard
    }
}

fn pictures(
    wishes: &Wishes,
    compiled: &Compiled,
    options: Option<&RunOptions>,
    run: &Run,
    memory: &Option<Memory>,
) -> Result<Vec<String>, Exit> {
    let Some(memory) = memory.as_ref().filter(|_| wishes.terminal_plot || !wishes.pictures.is_empty()) else {
        return Ok(Vec::new());
    };
    let over_time = wishes.plot.phase.is_none();
    let finer = options.and_then(|options| shown(options, run, memory, over_time)).and_then(|(options, decades)| {
        let mut shown = Shown { rows: Memory::default(), heard: interrupt::count() };
        let run = simulate(compiled, &options, &mut shown).ok()?;
        (run.outcome.status == Status::Ok).then_some((run, shown.rows, decades))
    });
    let wish = PlotOptions { decades: finer.as_ref().is_some_and(|&(_, _, decades)| decades), ..wishes.plot.clone() };
    let (run, memory) = finer.as_ref().map_or((run, memory), |(run, memory, _)| (run, memory));
    let picture = figure(compiled, run, memory, &wish).map_err(|e| usage(&e))?;
    let mut written = Vec::new();
    for (path, format) in &wishes.pictures {
        let bytes = match format {
            FileFormat::Png => picture.to_png().map_err(|e| usage(&format!("the picture cannot be made: {e}")))?,
            _ => picture.to_svg().into_bytes(),
        };
        write_file(path, &bytes).map_err(|e| usage(&e))?;
        written.push(path.clone());
    }
    if wishes.terminal_plot {
        let (columns, rows) = terminal_size();
        let color = stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let options = PlotOptions { terminal: true, ..wish };
        let plot = figure(compiled, run, memory, &options).map_err(|e| usage(&e))?;
        if print_out(&plot.to_terminal(columns, rows, color)) != Exit::Ok {
            return Err(Exit::Usage);
        }
    }
    Ok(written)
}

/// Columns and rows of the terminal.
pub fn terminal_size() -> (usize, usize) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<usize>().ok());
    (number("COLUMNS").unwrap_or(80).clamp(40, 200), number("LINES").unwrap_or(24).clamp(12, 60))
}
