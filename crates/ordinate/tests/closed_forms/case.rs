//! A model with its solution in closed form, and the judgement of what a run says of it.

use ordinate::{CompileOptions, Compiled, Memory, RowTimes, Run, RunOptions, Source, Status, compile, simulate};

pub type Known = Box<dyn Fn(f64) -> f64 + Sync + Send>;

/// The methods that must be right.
pub const METHODS: [&str; 6] = ["auto", "taylor", "mtsm", "radau", "dp5", "bdf"];

/// What a run may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expect {
    /// Every method gives the solution.
    Solution,
    /// The solution, or an end by name: explicit methods where the model is very stiff.
    SolutionOrStop,
    /// The solution, an end by name, or a mistake of the model: derivatives of jumps.
    SolutionOrRefusal,
    /// The solution, but mtsm may end by name: no polynomial system is regular where 0/0 is (A. Gofen, Unremovable “removable”
    /// singularities, 2008); w = 1/x, of which it is made, does have a pole at x = 0.
    SolutionOrPole,
}

pub struct Case {
    pub text: String,
    pub t_end: f64,
    pub known: Vec<(&'static str, Known)>,
    pub expect: Expect,
}

/// How many times the estimate an error may be, and the other way round (the estimate counts from this part of the size on).
const TOO_SMALL: f64 = 10.0;
const TOO_LARGE: f64 = 1e3;
const NOTICED: f64 = 1e-3;
/// Rounding of the closed forms and of the run, as a part of the size.
const ROUNDING: f64 = 2e-13;
/// Rows of a run.
const ROWS: usize = 61;

impl Case {
    fn options(&self, method: &str) -> RunOptions {
        RunOptions {
            method: method.into(),
            t_end: Some(format!("{:?}", self.t_end)),
            rows: RowTimes::Even(ROWS),
            max_steps: 200_000,
            ..RunOptions::default()
        }
    }

    /// What is wrong with the runs of the methods; empty if nothing is.
    pub fn judge(&self, digits: bool) -> Vec<String> {
        let compiled = match compile(&Source::text(&self.text), &CompileOptions::default()) {
            Ok(compiled) => compiled,
            Err(_) if self.expect == Expect::SolutionOrRefusal => return Vec::new(),
            Err(failure) => return vec![format!("refused: {failure:?}")],
        };
        let mut wrong: Vec<String> = METHODS
            .into_iter()
            .filter_map(|method| self.run(&compiled, method).err().map(|e| format!("{method}: {e}")))
            .collect();
        if digits {
            wrong.extend(self.certified(&compiled).err());
        }
        wrong
    }

    fn run(&self, compiled: &Compiled, method: &str) -> Result<(), String> {
        let mut rows = Memory::default();
        let run = simulate(compiled, &self.options(method), &mut rows).map_err(|e| format!("did not begin: {e:?}"))?;
        if run.outcome.status != Status::Ok {
            let reason = run.reason.as_ref().map_or(String::new(), |r| format!("{}: {}", r.kind, r.message));
            return match self.expect {
                Expect::SolutionOrPole if method == "mtsm" => Ok(()),
                Expect::Solution | Expect::SolutionOrPole => Err(format!("false stop: {reason}")),
                Expect::SolutionOrStop | Expect::SolutionOrRefusal => Ok(()),
            };
        }
        for (name, known) in &self.known {
            let (error, size) = self.error(&rows, name, known)?;
            let told = told(&run, name)?;
            if error > (TOO_SMALL * told).max(ROUNDING * size) {
                return Err(format!("silent error: {name} is wrong by {error:.1e} of {size:.1e}, told {told:.1e}"));
            }
            // what is wrong may be told as lost
            let is_lost = told.is_infinite() && error > NOTICED * size;
            if told > (TOO_LARGE * error).max(NOTICED * size) && !is_lost {
                return Err(format!("false alarm: {name} is wrong by {error:.1e} of {size:.1e}, told {told:.1e}"));
            }
        }
        Ok(())
    }

    /// The largest error of a column, and its size.
    fn error(&self, rows: &Memory, name: &str, known: &Known) -> Result<(f64, f64), String> {
        let column = rows.names.iter().position(|n| n == name).ok_or(format!("no column {name}: {:?}", rows.names))?;
        let mut error = 0.0f64;
        let mut size = 0.0f64;
        let mut last = f64::NAN;
        for (t, value) in rows.columns[0].iter().zip(&rows.columns[column]) {
            let difference = (value - known(*t)).abs();
            // rows of one instant are the two sides of a jump
            if *t != last || difference < error {
                error = if difference.is_nan() { f64::INFINITY } else { error.max(difference) };
            }
            size = size.max(known(*t).abs());
            last = *t;
        }
        if rows.columns[0].last() != Some(&self.t_end) {
            return Err(format!("silent end at {:?} of {}", rows.columns[0].last(), self.t_end));
        }
        Ok((error, size.max(1e-9)))
    }

    /// `--digits` must not certify what is wrong.
    fn certified(&self, compiled: &Compiled) -> Result<(), String> {
        const DIGITS: u32 = 8;
        let mut rows = Memory::default();
        let options = RunOptions { digits: Some(DIGITS), ..self.options("auto") };
        let run = simulate(compiled, &options, &mut rows).map_err(|e| format!("digits: did not begin: {e:?}"))?;
        if run.outcome.status != Status::Ok || !run.digits.as_ref().is_some_and(|digits| digits.delivered) {
            return Ok(());
        }
        for (name, known) in &self.known {
            let (error, size) = self.error(&rows, name, known)?;
            if error > 2.0 * 10f64.powi(-(DIGITS as i32)) * size {
                return Err(format!("digits: {DIGITS} of {name} certified, wrong by {error:.1e} of {size:.1e}"));
            }
        }
        Ok(())
    }
}

/// The error that the run tells for a column; infinite where it says that it does not know, or that digits were lost.
fn told(run: &Run, name: &str) -> Result<f64, String> {
    let error = run.error.as_ref().ok_or("no estimate")?;
    let column = error.names.iter().position(|n| n == name).ok_or(format!("no estimate of {name}"))?;
    let lost = error.lost.is_some_and(|(state, _)| error.names[state] == name);
    Ok(if !error.complete || lost { f64::INFINITY } else { error.largest[column] })
}

/// Judges cases one by one and lists what is wrong with them.
pub fn all_are_right(cases: impl Iterator<Item = Case>, at_least: usize) {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (k, case) in cases.enumerate() {
        count += 1;
        let found = case.judge(k % 5 == 0);
        if !found.is_empty() {
            wrong.push(format!("case {k}, to {}:\n{}\n  {}", case.t_end, case.text.trim(), found.join("\n  ")));
        }
    }
    assert!(count >= at_least, "{count} cases");
    assert!(wrong.is_empty(), "{} of {count} are wrong:\n\n{}", wrong.len(), wrong.join("\n\n"));
}
