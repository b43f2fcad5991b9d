//! `cargo xtask …`: the project's own tasks, each one command.

use std::process::{Command, ExitCode};

const HELP: &str = "\
cargo xtask test     format, lints, all tests (what CI runs)
cargo xtask bench    speed against peers, measured side by side
cargo xtask fuzz     fuzz the parser and the resolver (installs cargo-fuzz)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.first().map(String::as_str) {
        Some("test") => test(),
        _ => {
            print!("{HELP}");
            return ExitCode::from(if arguments.is_empty() { 0 } else { 2 });
        }
    };
    if done { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Everything that must hold before a change lands.
fn test() -> bool {
    cargo(&["fmt", "--all", "--check"])
        && cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])
        && cargo(&["test", "--workspace"])
}

/// Runs cargo, saying what it runs.
fn cargo(arguments: &[&str]) -> bool {
    println!("+ cargo {}", arguments.join(" "));
    let program = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let status = Command::new(program).args(arguments).status();
    let ok = status.as_ref().is_ok_and(std::process::ExitStatus::success);
    if !ok {
        println!("failed: cargo {}: {status:?}", arguments.join(" "));
    }
    ok
}
