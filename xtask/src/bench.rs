//! Benchmarks: `bench/race.py` against compiled DOP853, start-up, compile time and memory. Everything is pinned to one
//! core, times are minima of repeats, and peers are measured beside Ordinate in one run.

use crate::{cargo, root, run};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Runs all benchmarks and writes `BENCHMARKS.md`.
pub fn bench(arguments: &[String]) -> bool {
    let quick = arguments.iter().any(|a| a.eq_ignore_ascii_case("quick"));
    if !cargo(&["build", "--release"]) {
        return false;
    }
    let binary = root().join("target/release/ordinate");
    let python = root().join("target/bench-venv/bin/python");
    if !python.exists() {
        let made = run(Command::new("python3").args(["-m", "venv", "target/bench-venv"]));
        // SciPy only for the coefficients of DOP853, which its C program is generated from
        if !made || !run(Command::new(&python).args(["-m", "pip", "install", "--quiet", "scipy"])) {
            return false;
        }
    }
    let mut report =
        String::from("# Benchmarks\n\nMade by `cargo xtask bench`; times are minima of repeats on one core.\n\n");
    writeln!(report, "Machine: {}\n", machine()).expect("a string takes all text");
    startup(&binary, &mut report);
    telegraph(&binary, &mut report);
    let ok = race(&binary, &python, quick, &mut report);
    print!("{report}");
    if !quick && std::fs::write(root().join("BENCHMARKS.md"), &report).is_err() {
        return false;
    }
    ok
}

fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or(": unknown");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {cores} cores", model.trim_start_matches([' ', '\t', ':']))
}

fn pinned(binary: &Path) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", "1"]).arg(binary);
    command
}

/// Process start to finished CSV for every model of the gallery that this version can solve.
fn startup(binary: &Path, report: &mut String) {
    let mut rows: Vec<(f64, f64, String)> = Vec::new();
    let out = root().join("target/bench.csv");
    let mut models: Vec<_> = std::fs::read_dir(root().join("examples"))
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    models.sort();
    for model in models.iter().filter(|path| path.extension().is_some_and(|e| e == "eq")) {
        let text = std::fs::read_to_string(model).unwrap_or_default();
        if text.contains("needs an implicit method") {
            continue;
        }
        let mut best = f64::INFINITY;
        for _ in 0..7 {
            let begin = Instant::now();
            let ok = pinned(binary).arg("run").arg(model).args(["-q", "-o"]).arg(&out).output();
            if ok.is_ok_and(|o| o.status.success()) {
                best = best.min(begin.elapsed().as_secs_f64());
            }
        }
        let compile = summary(pinned(binary).arg("run").arg(model).args(["-q", "--summary", "json"]))
            .map_or(f64::NAN, |s| number(&s, "\"parse\":") + number(&s, "\"compile\":"));
        rows.push((best, compile, model.file_stem().unwrap_or_default().to_string_lossy().into_owned()));
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let slowest: Vec<String> = rows.iter().take(5).map(|(t, _, n)| format!("{n} {:.1} ms", t * 1e3)).collect();
    let compile = rows.iter().map(|row| row.1).fold(0.0, f64::max);
    let median = rows.get(rows.len() / 2).map_or(f64::NAN, |row| row.0);
    writeln!(
        report,
        "## From the command to the finished CSV\n\n{} gallery models at default tolerance: median {:.1} ms; slowest: {}.\n\
         Parse and compile: at most {:.2} ms. Bars: 20 ms and 2 ms.\n",
        rows.len(),
        median * 1e3,
        slowest.join(", "),
        compile * 1e3
    )
    .expect("a string takes all text");
}

/// A telegraph line of 10 000 segments from text to its first step.
fn telegraph(binary: &Path, report: &mut String) {
    let model = root().join("examples/telegraph-harmonic.eq");
    let mut command = Command::new("/usr/bin/env");
    command.args(["taskset", "-c", "1"]).arg(binary).arg("run").arg(model);
    command.args(["--set", "S=10000", "-t", "1e-15", "--at", "1e-15", "-q", "--summary", "json"]);
    let begin = Instant::now();
    let text = summary(&mut command).unwrap_or_default();
    writeln!(
        report,
        "## 20 000 states from text to the first step\n\nTelegraph line, S = 10 000: {:.2} s in all (parse {:.0} ms, compile {:.0} ms). Bar: 1 s.\n",
        begin.elapsed().as_secs_f64(),
        number(&text, "\"parse\":") * 1e3,
        number(&text, "\"compile\":") * 1e3
    )
    .expect("a string takes all text");
}

fn summary(command: &mut Command) -> Option<String> {
    let out = command.output().ok()?;
    out.status.success().then(|| String::from_utf8_lossy(&out.stdout).into_owned())
}

/// The number behind a key of the summary.
fn number(text: &str, key: &str) -> f64 {
    let Some(at) = text.find(key) else { return f64::NAN };
    let rest = &text[at + key.len()..];
    let end = rest.find([',', '}']).unwrap_or(rest.len());
    rest[..end].trim().parse().unwrap_or(f64::NAN)
}

/// `dp8` against DOP853 compiled from C, per problem at equal error.
fn race(binary: &Path, python: &Path, quick: bool, report: &mut String) -> bool {
    let classes: &[&str] = if quick { &["1e-6"] } else { &["1e-6", "1e-9"] };
    let mut command = Command::new("taskset");
    command.args(["-c", "1"]).arg(python).arg(root().join("bench/race.py")).args(classes);
    command.env("ORDINATE", binary).env("BENCH_BUILD", root().join("target/bench-build"));
    let Ok(out) = command.output() else { return false };
    let text = String::from_utf8_lossy(&out.stdout);
    writeln!(report, "## dp8 on the interpreter against DOP853 compiled from C\n\n```text\n{text}```\nBar: 3.")
        .expect("a string takes all text");
    if !out.status.success() {
        println!("{}", String::from_utf8_lossy(&out.stderr));
    }
    out.status.success()
}
