//! One run of the program for one entry of the tables: steps, order, time, and the error against the reference.

use super::tables::{Entry, Fixed, Reference, Truth};
use crate::bench::pinned;
use crate::{root, target};
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What a run tells.
pub struct Outcome {
    /// Accepted steps.
    pub steps: u64,
    /// Smallest, largest and mean order.
    pub order: (f64, f64, f64),
    /// Smallest time of the repeats.
    pub seconds: f64,
    /// Largest deviation of a state in units of its size.
    pub error: f64,
    /// |output| at the end, or its norm over all steps, where the entry names one.
    pub output: Option<f64>,
}

/// The program, and how long a run may be repeated.
pub struct Solver {
    binary: PathBuf,
    /// Seconds to spend on the repeats of one run; 0 is once.
    budget: f64,
}

/// MATLAB's names and ours.
pub const METHODS: [(&str, &str); 6] =
    [("ode23", "bs23"), ("ode45", "dp5"), ("ode113", "adams"), ("ode15s", "bdf"), ("rk2", "rk2"), ("rk4", "rk4")];

/// Norms over more rows than this are left out.
const MOST_ROWS: u64 = 10_000;

/// Settings of dp8 where it serves as the reference.
const TIGHT: [&str; 6] = ["-m", "dp8", "--rtol", "1e-13", "--atol", "1e-16"];

impl Solver {
    /// A solver by the binary of the release build.
    pub fn new(budget: f64) -> Solver {
        Solver { binary: target().join("release/ordinate"), budget }
    }

    /// Whether the program knows a method.
    pub fn knows(&self, method: &str) -> bool {
        let mut command = pinned(&self.binary);
        command.args(["run", "-e", "y' = -y; y(0) = 1", "-t", "1", "-m", method, "-q", "--summary", "json"]);
        command.output().is_ok_and(|out| out.status.success())
    }

    /// Runs an entry with the arguments of one method.
    pub fn run(&self, entry: &Entry, arguments: &[String], truth: &Truth) -> Result<Outcome, String> {
        let first = self.once(entry, arguments, truth.t, 1)?;
        let seconds = |run: &(Value, Rows)| run.0["seconds"]["solve"].as_f64().unwrap_or(f64::NAN);
        let repeats = (self.budget / seconds(&first)).min(100.0) as u64;
        let (summary, rows) = if repeats > 1 { self.once(entry, arguments, truth.t, repeats)? } else { first };
        let mut error: f64 = 0.0;
        for (column, expected, scale) in &truth.values {
            let deviation = (rows.last(column)? - expected).abs() / scale;
            error = if deviation.is_nan() { f64::INFINITY } else { error.max(deviation) };
        }
        let steps = summary["steps"].as_u64().unwrap_or(0);
        let output = match &entry.output {
            Some(name) if entry.norm && steps <= MOST_ROWS => Some(self.norm(entry, arguments, name)?),
            Some(name) if !entry.norm => summary["final"][name].as_f64().map(f64::abs),
            _ => None,
        };
        let order = |key: &str| summary["order"][key].as_f64().unwrap_or(f64::NAN);
        Ok(Outcome {
            steps,
            order: (order("min"), order("max"), order("mean")),
            seconds: summary["seconds"]["solve"].as_f64().unwrap_or(f64::NAN),
            error,
            output,
        })
    }

    /// True values by dp8, with the largest size of each column over the run as its scale.
    pub fn tight(&self, entry: &Entry) -> Result<Truth, String> {
        let Reference::Dp8 { columns } = &entry.reference else {
            return Err(format!("{}: the reference is known", entry.id));
        };
        let every = entry.t_end / 200.0;
        let times: Vec<String> =
            (1..=200).map(|k| format!("{:?}", if k == 200 { entry.t_end } else { every * k as f64 })).collect();
        let (_, rows) = self.execute(entry, &TIGHT.map(String::from), &times.join(","), 1)?;
        let mut values = Vec::new();
        for column in columns {
            let scale = rows.column(column)?.into_iter().map(f64::abs).fold(0.0, f64::max);
            values.push((column.clone(), rows.last(column)?, if scale > 0.0 { scale } else { 1.0 }));
        }
        Ok(Truth { t: entry.t_end, values })
    }

    /// The Euclidean norm of an output over all steps.
    fn norm(&self, entry: &Entry, arguments: &[String], output: &str) -> Result<f64, String> {
        let (_, rows) = self.execute(entry, arguments, "steps", 1)?;
        Ok(rows.column(output)?.iter().map(|e| e * e).sum::<f64>().sqrt())
    }

    fn once(&self, entry: &Entry, arguments: &[String], at: f64, repeats: u64) -> Result<(Value, Rows), String> {
        self.execute(entry, arguments, &format!("{at:?}"), repeats)
    }

    fn execute(&self, entry: &Entry, arguments: &[String], at: &str, repeats: u64) -> Result<(Value, Rows), String> {
        let csv = target().join("thesis/run.csv");
        let mut command = pinned(&self.binary);
        command.arg("run").arg(root().join("examples").join(&entry.model));
        for set in &entry.set {
            command.args(["--set", set]);
        }
        command.args(["-t", &format!("{:?}", entry.t_end), "--at", at]).args(arguments).arg("-o").arg(&csv);
        command.args(["--repeat", &repeats.to_string(), "--no-error", "--summary", "json", "-q"]);
        let out = command.output().map_err(|e| format!("the program did not start: {e}"))?;
        let summary: Value = serde_json::from_slice(&out.stdout).unwrap_or_default();
        if !out.status.success() {
            let reason = summary["reason"]["message"].as_str().map(String::from);
            let message = reason.unwrap_or_else(|| String::from_utf8_lossy(&out.stderr).trim().to_string());
            return Err(message.lines().next().unwrap_or("no message").to_string());
        }
        Ok((summary, Rows::read(&csv)?))
    }
}

/// Arguments of the Taylor method with fixed steps.
pub fn fixed_step(method: &str, settings: &Fixed) -> Vec<String> {
    let mut arguments = ["-m", method, "--step", &settings.step, "--atol", &settings.tol].map(String::from).to_vec();
    if let Some((scale, order)) = settings.scaling {
        arguments.extend(["--h-scale".into(), scale.to_string(), "--min-ord".into(), order.to_string()]);
    }
    arguments
}

/// Arguments of a method that controls its own step; the classical Runge–Kutta methods get the fixed one.
pub fn controlled(method: &str, entry: &Entry) -> Vec<String> {
    let [first, ..] = &entry.mtsm[..] else { return Vec::new() };
    match method {
        "rk2" | "rk4" => ["-m", method, "--step", &first.step].map(String::from).to_vec(),
        _ => ["-m", method, "--rtol", &entry.tol, "--atol", &entry.tol].map(String::from).to_vec(),
    }
}

/// The rows of a result file.
struct Rows {
    columns: HashMap<String, usize>,
    rows: Vec<Vec<f64>>,
}

impl Rows {
    fn read(path: &Path) -> Result<Rows, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let header = lines.next().ok_or("the result is empty")?;
        let columns = header.split(',').enumerate().map(|(k, name)| (name.to_string(), k)).collect();
        let number = |cell: &str| cell.parse().unwrap_or(f64::NAN);
        Ok(Rows { columns, rows: lines.map(|line| line.split(',').map(number).collect()).collect() })
    }

    fn column(&self, name: &str) -> Result<Vec<f64>, String> {
        let k = *self.columns.get(name).ok_or_else(|| format!("the result has no column `{name}`"))?;
        Ok(self.rows.iter().map(|row| row[k]).collect())
    }

    fn last(&self, name: &str) -> Result<f64, String> {
        self.column(name)?.last().copied().ok_or_else(|| "the result has no rows".into())
    }
}
