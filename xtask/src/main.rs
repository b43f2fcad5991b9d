//! `cargo xtask …`: the project's own tasks, each one command that installs what it needs.

mod bench;
mod fuzz;
mod messages;
mod thesis;
mod venv;
mod wasm;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const HELP: &str = "\
cargo xtask test            format, lints, all tests, also in WebAssembly (what CI runs)
cargo xtask bench [QUICK or names, e.g. stiff]   speed against peers, measured side by side; results to BENCHMARKS.md
cargo xtask thesis [FILE]   the tables of the thesis again, as a report (target/thesis/report.md); `quick` for each solver once
cargo xtask thesis control  chapter 6 (control) alone, and its report docs/control.md with all pictures
cargo xtask fuzz [SECONDS]  fuzz the parser and the compiler (installs cargo-fuzz; needs a nightly toolchain)
cargo xtask picture         draw the pictures of the README again: a run, and the benchmark from BENCHMARKS.md
cargo xtask accuracy        measure estimated against true errors, into docs/accuracy.md
cargo xtask messages        print all help texts and messages of the program, to be read for their words
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rest = arguments.get(1..).unwrap_or_default();
    let done = match arguments.first().map(String::as_str) {
        Some("test") => test(),
        Some("bench") => bench::bench(rest),
        Some("thesis") => thesis::thesis(rest),
        Some("fuzz") => fuzz::fuzz(rest),
        Some("picture") => picture(),
        Some("accuracy") => accuracy(),
        Some("messages") => messages::messages(),
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
        && outside()
        && wasm::wasm()
}

/// Ordinate against codes that others wrote, on problems that all know.
fn outside() -> bool {
    let Some(python) = venv::python("outside-venv", &["numpy", "scipy", "pydiffsol", "control", "mpmath"]) else {
        println!("failed: the outside suite needs python3 with venv, and the package registry");
        return false;
    };
    // The tests have just built both.
    let binary = target().join("debug/ordinate");
    let answers = target().join("debug/examples/answers");
    ["agree.py", "linear.py", "control_agree.py"].into_iter().all(|script| {
        let mut command = Command::new(&python);
        command.arg(root().join("tests/external").join(script)).env("ORDINATE", &binary).env("ANSWERS", &answers);
        run(command.env("OMP_NUM_THREADS", "1"))
    })
}

/// The pictures of the README: by the command next to the first one, and from the tables of `BENCHMARKS.md`.
fn picture() -> bool {
    let Some(program) = binary() else { return false };
    let draw = ["run", "--quiet", "-p", "ordinate-plot", "--example", "benchmark", "--"];
    run(Command::new(program).args(["run", "examples/kepler.eq", "--plot", "docs/kepler.svg"]))
        && run(Command::new(cargo_program()).args(draw).args(["BENCHMARKS.md", "docs/benchmark.svg"]))
}

/// The program, built quickly.
fn binary() -> Option<PathBuf> {
    let built =
        Command::new(cargo_program()).args(["build", "-q", "--profile", "quick", "-p", "ordinate-cli"]).status();
    built.is_ok_and(|status| status.success()).then(|| target().join("quick/ordinate"))
}

/// The table of estimated and true errors, by the test that asserts it.
fn accuracy() -> bool {
    let test = ["test", "-p", "ordinate-cli", "--test", "program", "the_estimated_error_can_be_believed"];
    run(Command::new(cargo_program()).args(test).env("ORDINATE_ACCURACY", root().join("docs/accuracy.md")))
}

/// The folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_path_buf()
}

/// The folder of what is built.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// Runs cargo, saying what it runs.
fn cargo(arguments: &[&str]) -> bool {
    run(Command::new(cargo_program()).args(arguments))
}

fn cargo_program() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".into())
}

/// Runs a command in the workspace, saying what it runs.
fn run(command: &mut Command) -> bool {
    let words: Vec<String> = command.get_args().map(|a| a.to_string_lossy().into_owned()).collect();
    let name = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    println!("+ {name} {}", words.join(" "));
    let status = command.current_dir(root()).status();
    let ok = status.as_ref().is_ok_and(std::process::ExitStatus::success);
    if !ok {
        println!("failed: {name} {}: {status:?}", words.join(" "));
    }
    ok
}
