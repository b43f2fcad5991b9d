//! Benchmarks: start-up and compile time of the program, then the races of `bench/*.py` against peers that are installed
//! into a virtual environment. Everything is pinned to one core, solvers take turns, and the smallest time counts.

use crate::venv::python;
use crate::{cargo, cargo_program, root, run, target};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// What the races need: heyoka is a peer, SciPy has the coefficients that DOP853 in C is generated from.
const PACKAGES: [&str; 4] = ["numpy", "scipy", "heyoka", "control"];

/// Processes that are started for one figure; a busy machine delays most of them.
const STARTS: usize = 25;

/// A section of the report that a script prints, and its explanation.
struct Race {
    title: &'static str,
    script: &'static str,
    about: &'static str,
}

const RACES: [Race; 9] = [
    Race {
        title: "Solving, at equal error",
        script: "race.py",
        about: "34 problems that are not stiff; error = max over components of |y − ref| / max(1, |ref|) at the end, with \
                references in quadruple precision. Per problem the fastest tolerance of each solver that reaches the error \
                class; all have the same tolerances to choose from. Compiling and parsing do not count. An error class \
                that one of two solvers does not reach is not in the mean; it counts as won by the one that reaches it.",
    },
    Race {
        title: "Text to first result",
        script: "first_result.py",
        about: "Fresh processes, tolerance eps. Of Ordinate the whole process is timed by the wall clock, its start and its \
                output included; of heyoka only expression, compiling and run, after the import of its library, as CPU time \
                and without its cache on disk. That is to Ordinate's disadvantage; beside it stands parse + compile + solve \
                as the same process reports it.",
    },
    Race {
        title: "Telegraph line, linear with 2 S states",
        script: "telegraph.py",
        about: "Against a Taylor series on the stencil of exactly this line in C (`bench/native/telegraph.c`, gcc -O3 \
                -march=native -ffast-math). Error = max over |u − ref| and 100 Ω |i − ref| at the end; an answer that is \
                less exact than both the tolerance and the C program does not count as met.",
    },
    Race {
        title: "The choice of a method",
        script: "auto.py",
        about: "`auto` beside the four methods that it chooses from, without the estimate of the global error: the smooth models of the \
                gallery that it runs in more than 0.1 ms, and Kuramoto's oscillators. Error = max over 21 rows and all columns of \
                |y − ref| / max |ref| of the column; the time at an error is read off a line through the points around it. A first run \
                compiles Jacobians and series, which is not in these times but in the decisions.",
    },
    Race {
        title: "Many trajectories side by side",
        script: "ensemble.py",
        about: "1000 Lorenz trajectories to t = 10 through `ordinate::batch` against heyoka in batches of 8, both at the same \
                tolerance on one core; heyoka's compiling does not count.",
    },
    Race {
        title: "Stiff and algebraic, at equal error",
        script: "stiff.py",
        about: "Robertson to t = 40, van der Pol μ = 1000 to t = 2000, point kinetics of a reactor with six groups, an \
                oscillating DAE of index 1, and the pendulum as a DAE of index 1 and, where Ordinate stays on the constraints \
                and neither RADAU nor diffsol get through, of index 3. RADAU is the Fortran program of Hairer and Wanner, orders \
                5, 9, 13, by gfortran -O3 -march=native (`bench/radau`); it and diffsol (`bench/diffsol`) are compiled with \
                the right-hand sides and exact Jacobians in Rust; SciPy calls Python. Error as above; the time at an error is \
                read off a line through the points around it.",
    },
    Race {
        title: "Steps in real time, and size",
        script: "realtime.py",
        about: "Steps of 1 ms as fast as possible (`--realtime --dry`), radau3: two stages of Radau IIA with at most ten \
                iterations. Then a chain of cells that conduct heat, nonlinear, whose front passes through the first 200: what \
                20 000 cells cost more than 200, per step and state.",
    },
    Race {
        title: "The error beside the answer, orbits, digits",
        script: "trust.py",
        about: "What the estimate of the global error adds to a run with 501 rows, in per cent of the run without it. Then \
                periodic orbits and digits on demand.",
    },
    Race {
        title: "Linear-quadratic regulators",
        script: "regulators.py",
        about: "Random systems with some unstable modes, one input for seven states, weights one: the gain with checks of weights \
                and residual and the poles of the loop, against python-control (`method='scipy'`), which does the same, and \
                against the Riccati equation of SciPy alone.",
    },
];

/// Runs all benchmarks and writes `BENCHMARKS.md`; `quick` only start-up and one race, and writes nothing; the names of
/// scripts, as in `cargo xtask bench stiff realtime`, only these, and renews their part of the file.
pub fn bench(arguments: &[String]) -> bool {
    let quick = arguments.iter().any(|a| a.eq_ignore_ascii_case("quick"));
    let mut chosen = Vec::new();
    for name in arguments.iter().filter(|a| !a.eq_ignore_ascii_case("quick")) {
        let Some(race) = RACES.iter().find(|race| race.script.strip_suffix(".py") == Some(name)) else {
            let known: Vec<_> = RACES.iter().filter_map(|race| race.script.strip_suffix(".py")).collect();
            println!("there is no benchmark '{name}'; there are {}", known.join(", "));
            return false;
        };
        chosen.push(race);
    }
    let some = !chosen.is_empty();
    let needed = |script: &str| !some || chosen.iter().any(|race| race.script == script);
    if !cargo(&["build", "--profile", "dist"])
        || needed("ensemble.py") && !cargo(&["build", "--profile", "dist", "-p", "ordinate", "--example", "ensemble"])
        || needed("regulators.py")
            && !cargo(&["build", "--profile", "dist", "-p", "ordinate-control", "--example", "answers"])
    {
        return false;
    }
    let binary = target().join("dist/ordinate");
    let Some(python) = python("bench-venv", &PACKAGES) else { return false };
    // The races say what they miss without them.
    let peers = if quick || !needed("stiff.py") {
        Peers::default()
    } else {
        Peers { diffsol: build_diffsol(), radau: build_radau() }
    };
    let mut body = String::new();
    if !some {
        startup(&binary, &mut body);
        first_step(&binary, &mut body);
        chosen.extend(&RACES[..if quick { 1 } else { RACES.len() }]);
    }
    let mut ok = true;
    for race in chosen {
        ok &= run_race(race, &binary, &python, &peers, quick, &mut body);
    }
    let mut report = head(&python) + &bars(&body) + &without_bars(&body);
    print!("{report}");
    let file = root().join("BENCHMARKS.md");
    if some {
        let Ok(old) = std::fs::read_to_string(&file) else {
            println!("failed: BENCHMARKS.md cannot be read");
            return false;
        };
        report = renewed(&old, &bars(&body), &without_bars(&body));
    }
    if !quick && ok && std::fs::write(&file, &report).is_err() {
        println!("failed: BENCHMARKS.md cannot be written");
        return false;
    }
    ok
}

fn head(python: &Path) -> String {
    let line = |command: &mut Command| {
        let out = command.output().map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
        out.lines().next().unwrap_or("unknown").to_string()
    };
    let versions = "import heyoka, scipy; print('heyoka', heyoka.__version__ + ', SciPy', scipy.__version__)";
    format!(
        "# Benchmarks\n\nMade by `cargo xtask bench`; on one core, solvers take turns, and the smallest of several times counts. \
         Absolute times do not carry over to another machine, ratios roughly do.\n\n\
         Machine: {}. {}; {}; {}.\n\n",
        machine(),
        line(Command::new(python).args(["-c", versions])),
        line(Command::new("gcc").arg("--version")),
        line(Command::new("rustc").arg("--version")),
    )
}

fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or(": unknown");
    format!("{}, {} cores", model.trim_start_matches([' ', '\t', ':']), cores())
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A command on the last core; the first one is where the system is busiest.
pub fn pinned(program: &Path) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", &(cores() - 1).to_string()]).arg(program);
    command
}

/// The lines `bar: what | found | bar | stretch | verdict` of all sections as one table.
fn bars(body: &str) -> String {
    let mut table = String::from("## Bars\n\n| work | found | bar | stretch | |\n|---|---|---|---|---|\n");
    for line in body.lines().filter_map(|line| line.strip_prefix("bar: ")) {
        writeln!(table, "| {line} |").expect("a string takes all text");
    }
    table + "\n"
}

fn without_bars(body: &str) -> String {
    body.lines().filter(|line| !line.starts_with("bar: ")).map(|line| format!("{line}\n")).collect()
}

/// The old report with the new rows of its table of bars and the new sections in their places.
fn renewed(old: &str, bars: &str, sections: &str) -> String {
    let subject = |row: &str| row.strip_prefix("| ").and_then(|row| Some(row.split_once(" | ")?.0.to_string()));
    let mut report = String::new();
    let mut replaced = false;
    for line in old.lines() {
        if line.starts_with("## ") {
            let new = sections.split_once(line).and_then(|(_, rest)| rest.starts_with('\n').then_some(rest));
            replaced = new.is_some();
            if let Some(rest) = new {
                let section = rest.split("\n## ").next().unwrap_or(rest).trim();
                writeln!(report, "{line}\n\n{section}\n").expect("a string takes all text");
            }
        }
        if !replaced {
            let row = subject(line).and_then(|what| bars.lines().find(|row| subject(row).as_ref() == Some(&what)));
            writeln!(report, "{}", row.unwrap_or(line)).expect("a string takes all text");
        }
    }
    report
}

fn bar(report: &mut String, what: &str, found: f64, limit: f64, unit: &str) {
    let verdict = if found <= limit { "met" } else { "not met" };
    writeln!(report, "bar: {what} | {found:.2} {unit} | {limit} {unit} | – | {verdict}")
        .expect("a string takes all text");
}

/// Process start to finished CSV for every model of the gallery that this version can solve.
fn startup(binary: &Path, report: &mut String) {
    let mut rows: Vec<(f64, f64, String)> = Vec::new();
    let out = target().join("bench.csv");
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
        for _ in 0..STARTS {
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
         Parse and compile: at most {:.2} ms.\n",
        rows.len(),
        median * 1e3,
        slowest.join(", "),
        compile * 1e3
    )
    .expect("a string takes all text");
    let worst = rows.first().map_or(f64::NAN, |row| row.0);
    bar(report, "command to finished CSV, slowest model of the gallery", worst * 1e3, 20.0, "ms");
    bar(report, "parse and compile, slowest model of the gallery", compile * 1e3, 2.0, "ms");
}

/// A telegraph line of 10 000 segments from text to its first step.
fn first_step(binary: &Path, report: &mut String) {
    let model = root().join("examples/telegraph-harmonic.eq");
    let (mut took, mut text) = (f64::INFINITY, String::new());
    for _ in 0..STARTS {
        let mut command = pinned(binary);
        command.arg("run").arg(&model);
        command.args(["--set", "S=10000", "-t", "1e-15", "--at", "1e-15", "-q", "--summary", "json"]);
        let begin = Instant::now();
        let Some(answer) = summary(&mut command) else { continue };
        if begin.elapsed().as_secs_f64() < took {
            (took, text) = (begin.elapsed().as_secs_f64(), answer);
        }
    }
    writeln!(
        report,
        "## 20 000 states from text to the first step\n\nTelegraph line, S = 10 000: {took:.2} s in all (parse {:.0} ms, compile {:.0} ms).\n",
        number(&text, "\"parse\":") * 1e3,
        number(&text, "\"compile\":") * 1e3
    )
    .expect("a string takes all text");
    bar(report, "20 000 states from text to the first step", took, 1.0, "s");
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

/// Peers that are programs of their own: the workspace does not know them.
#[derive(Default)]
struct Peers {
    diffsol: Option<PathBuf>,
    radau: Option<PathBuf>,
}

fn build_diffsol() -> Option<PathBuf> {
    build_peer("diffsol", Command::new(cargo_program()))
}

/// Hairer's RADAU, whose source comes with the Python package pyradau13; gfortran compiles it.
fn build_radau() -> Option<PathBuf> {
    let folder = target().join("bench-radau-source");
    let source = folder.join("pyradau13-0.5/lib");
    if !source.exists() {
        // Its setup script, which pip runs to know what it brings, wants old tools.
        let python = python("radau-venv", &["numpy<1.25", "setuptools<60", "wheel"])?;
        let mut download = Command::new(python);
        download.args([
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--no-build-isolation",
            "pyradau13==0.5",
            "-d",
        ]);
        let archive = folder.join("pyradau13-0.5.tar.gz");
        if !run(download.arg(&folder)) || !run(Command::new("tar").arg("xzf").arg(archive).arg("-C").arg(&folder)) {
            return None;
        }
    }
    let installed = Command::new("gfortran").arg("--version").output().is_ok_and(|out| out.status.success());
    if !installed && !run(Command::new("apt-get").args(["install", "--yes", "--quiet", "gfortran"])) {
        println!("RADAU is not measured: it needs gfortran");
        return None;
    }
    let mut cargo = Command::new(cargo_program());
    cargo.env("RADAU_SOURCE", source);
    build_peer("radau", cargo)
}

/// The program `NAME-race` of the folder `bench/NAME`.
fn build_peer(name: &str, mut cargo: Command) -> Option<PathBuf> {
    let folder = target().join(format!("bench-{name}"));
    cargo
        .args(["build", "--release", "--locked", "--manifest-path"])
        .arg(root().join("bench").join(name).join("Cargo.toml"));
    run(cargo.arg("--target-dir").arg(&folder)).then(|| folder.join(format!("release/{name}-race")))
}

/// A script of `bench/`, which prints its tables and bars.
fn run_race(race: &Race, binary: &Path, python: &Path, peers: &Peers, quick: bool, report: &mut String) -> bool {
    println!("+ bench/{}", race.script);
    let mut command = pinned(python);
    command.arg(root().join("bench").join(race.script)).args(quick.then_some("quick"));
    command.env("ORDINATE", binary).env("BENCH_BUILD", target().join("bench-build")).env("OMP_NUM_THREADS", "1");
    command.env("ANSWERS", target().join("dist/examples/answers"));
    command.envs(peers.diffsol.iter().map(|program| ("DIFFSOL", program)));
    command.envs(peers.radau.iter().map(|program| ("RADAU", program)));
    let Ok(out) = command.stderr(std::process::Stdio::inherit()).output() else {
        println!("failed: bench/{} did not start", race.script);
        return false;
    };
    let text = String::from_utf8_lossy(&out.stdout);
    writeln!(report, "## {}\n\n{}\n\n{}", race.title, race.about, text.trim()).expect("a string takes all text");
    writeln!(report).expect("a string takes all text");
    if !out.status.success() {
        println!("failed: bench/{} ended with {}", race.script, out.status);
    }
    out.status.success()
}
