//! What a command line that is not understood may have meant.

use crate::args::Line;
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Commands of the documentation that belong to later versions.
const LATER: [&str; 3] = ["sweep", "export", "serve"];

/// Words of other programs for `run`.
const RUN: [&str; 8] = ["simulate", "solve", "sim", "plot", "integrate", "start", "exec", "go"];

/// Options of other programs, and what they are called here.
const OPTIONS: [(&str, &str); 12] = [
    ("--dt", "`--step H` fixes the step, `--every DT` is the distance of rows"),
    ("-T", "`-t T` is the end time"),
    ("--tend", "`-t T` is the end time"),
    ("--tmax", "`-t T` is the end time"),
    ("--t", "`-t T` is the end time"),
    ("--end", "`-t T` is the end time"),
    ("--tol", "`--rtol R` and `--atol A` are the tolerances"),
    ("--solver", "`-m METHOD` chooses the method; `ordinate help methods` lists them"),
    ("-p", "`--set name=value` sets a parameter"),
    ("--param", "`--set name=value` sets a parameter"),
    ("--csv", "`-o FILE.csv` writes a file"),
    ("--json", "`--summary json` prints the summary, `-o FILE.json` writes the rows"),
];

fn context(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text),
        _ => None,
    }
}

/// A plain sentence instead of the general message, where more is known about what was meant.
pub fn meant(error: &clap::Error, words: &[String]) -> Option<String> {
    match error.kind() {
        ErrorKind::InvalidSubcommand => command(context(error, ContextKind::InvalidSubcommand)?),
        ErrorKind::UnknownArgument => {
            let given = context(error, ContextKind::InvalidArg)?;
            if words.get(1).is_some_and(|first| first.starts_with('-')) && known_to_run(given) {
                return Some(format!("`{given}` belongs to a command; write `ordinate run {}`", words[1..].join(" ")));
            }
            let bare = given.split(['=', ' ']).next().unwrap_or(given);
            let (_, tip) = OPTIONS.iter().find(|(option, _)| *option == bare)?;
            Some(format!("there is no option `{bare}`; {tip}"))
        }
        _ => None,
    }
}

fn known_to_run(option: &str) -> bool {
    let line = Line::command();
    let run = line.find_subcommand("run");
    run.is_some_and(|run| {
        run.get_arguments().any(|arg| {
            arg.get_short().is_some_and(|short| option == format!("-{short}"))
                || arg.get_long().is_some_and(|long| option == format!("--{long}"))
        })
    })
}

fn command(word: &str) -> Option<String> {
    let lower = word.to_lowercase();
    if LATER.contains(&lower.as_str()) {
        return Some(format!("`ordinate {lower}` is not available in this version; `ordinate --help` lists what is"));
    }
    if RUN.contains(&lower.as_str()) {
        return Some(format!("unknown command `{word}`; did you mean `ordinate run`?"));
    }
    if crate::help::TOPICS.iter().any(|(topic, ..)| *topic == lower) {
        return Some(format!("`{lower}` is a topic; write `ordinate help {lower}`"));
    }
    if word.ends_with(".eq") || word == "-" || std::path::Path::new(word).is_file() {
        return Some(format!("a command is missing; write `ordinate run {word}`"));
    }
    if word.contains('=') {
        return Some(format!("a command is missing; write `ordinate run -e \"{word}\"`"));
    }
    None
}
