//! The command line: verbs, options, exit codes. It contains no mathematics; it calls the facade and
//! shows what comes back.

mod args;
mod check;
mod clock;
mod compare;
mod convert;
mod design;
mod digits;
mod equilibria;
mod examples;
mod help;
mod hints;
mod interrupt;
mod linearize;
mod lists;
mod newton;
mod output;
mod periodic;
mod picture;
mod report;
mod run;
mod source;
mod stability;
mod transform;
mod wishes;

use args::{Command, Line};
use clap::{CommandFactory, Parser};
use std::io::Write;
use std::process::ExitCode;

/// How a command ended, as in the table of exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All is well.
    Ok = 0,
    /// The model has mistakes.
    Model = 1,
    /// The command line has mistakes, or a file cannot be read or written.
    Usage = 2,
    /// The solver stopped early.
    Stopped = 3,
    /// A deadline was missed.
    Deadline = 4,
    /// Ctrl-C.
    Interrupted = 130,
}

fn main() -> ExitCode {
    // Deep but legal models recurse a little in the analysis; the main thread's stack is too small on some systems.
    let worker = std::thread::Builder::new().stack_size(256 << 20).spawn(command).expect("a thread can be started");
    let exit = worker.join().unwrap_or_else(|_| {
        message(
            "internal error: this is a bug in Ordinate, not a mistake in your model; please report it with the \
                 model",
        );
        Exit::Stopped
    });
    ExitCode::from(exit as u8)
}

fn command() -> Exit {
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let line = match Line::try_parse() {
        Ok(line) => line,
        Err(error) => {
            if let Some(meant) = hints::meant(&error, &words) {
                return usage(&meant);
            }
            // whoever reads may have enough of a long help
            let _ = error.print();
            return if error.exit_code() == 0 { Exit::Ok } else { Exit::Usage };
        }
    };
    match line.command {
        Command::Help(args) => help::help(&args),
        Command::Run(args) => run::run(*args),
        Command::Check(args) => check::check(&args),
        Command::Info(args) => check::info(&args),
        Command::Transform(args) => transform::transform(&args),
        Command::Compare(args) => compare::compare(&args),
        Command::Stability(args) => stability::stability(&args),
        Command::Equilibria(args) => equilibria::equilibria(&args),
        Command::Linearize(args) => linearize::linearize(&args),
        Command::Periodic(args) => periodic::periodic(&args),
        Command::Design { kind } => design::design(&kind),
        Command::New(args) => examples::new(&args),
        Command::Examples(args) => examples::examples(&args),
        Command::Convert(args) => convert::convert(&args),
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Line::command(), "ordinate", &mut text);
            print_out(&String::from_utf8_lossy(&text))
        }
    }
}

/// Text to standard output. A pipe closed by its reader, such as `head`, is no mistake: it has what it wanted.
pub fn print_out(text: &str) -> Exit {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Exit::Ok,
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Exit::Ok,
        Err(e) => {
            message(&format!("error: standard output cannot be written: {e}"));
            Exit::Usage
        }
    }
}

/// A line to standard error; if that is closed there is nobody to tell.
pub fn message(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// `error: …` with exit code 2.
pub fn usage(text: &str) -> Exit {
    message(&format!("error: {text}"));
    Exit::Usage
}
