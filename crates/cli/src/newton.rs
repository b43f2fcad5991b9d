//! `--newton` and what belongs to it; the table of `--trace newton`.

use crate::args::{Newton, NewtonArgs, Trace};
use crate::{Exit, print_out, usage};
use ordinate::{FirstIterate, NewtonIterate, NewtonKind, NewtonOptions, short};
use std::fmt::Write;

/// The options of Newton's method.
pub fn options(args: &NewtonArgs) -> Result<NewtonOptions, Exit> {
    if let Some(tolerance) = args.newton_tol.filter(|tolerance| !(*tolerance > 0.0 && tolerance.is_finite())) {
        return Err(usage(&format!("`--newton-tol {tolerance}` must be a positive number")));
    }
    let first = match args.newton_start.as_deref().map(str::trim) {
        None | Some("extrapolated") => FirstIterate::Extrapolated,
        Some("previous") => FirstIterate::Previous,
        Some(text) => match text.parse::<f64>() {
            Ok(value) if value.is_finite() => FirstIterate::Given(value),
            _ => {
                return Err(usage(&format!("`--newton-start {text}` must be `previous`, `extrapolated` or a number")));
            }
        },
    };
    Ok(NewtonOptions {
        kind: match args.newton {
            None | Some(Newton::Simplified) => NewtonKind::Simplified,
            Some(Newton::Full) => NewtonKind::Full,
            Some(Newton::Inexact) => NewtonKind::Inexact,
        },
        tolerance: args.newton_tol,
        first,
        most: args.newton_max,
        trace: args.trace == Some(Trace::Newton),
    })
}

/// The iterates as a table on standard output.
#[derive(Default)]
pub struct Table {
    /// Names of the states.
    names: Vec<String>,
}

impl Table {
    /// The names of all columns, `time` first.
    pub fn begin(&mut self, names: &[String]) {
        self.names = names.iter().skip(1).cloned().collect();
    }

    /// One iterate.
    pub fn iterate(&mut self, iterate: &NewtonIterate) {
        let mut text = String::new();
        let name = |k: usize| self.names.get(k).map_or("?", String::as_str);
        if iterate.iteration == 0 {
            let (from, to) = (short(iterate.t), short(iterate.t + iterate.h));
            let stage = if iterate.stage > 0 { format!(", stage {}", iterate.stage + 1) } else { String::new() };
            writeln!(text, "step from t = {from} to {to}{stage}").expect("a string takes all text");
            write!(text, "{:>4}", "k").expect("a string takes all text");
            for k in 0..iterate.y.len() {
                write!(text, "  {:>22}", name(k)).expect("a string takes all text");
            }
            for k in 0..iterate.y.len() {
                write!(text, "  {:>22}", format!("F[{}]", name(k))).expect("a string takes all text");
            }
            text.push('\n');
        }
        write!(text, "{:>4}", iterate.iteration).expect("a string takes all text");
        for value in iterate.y.iter().chain(&iterate.residual) {
            write!(text, "  {value:>22.15e}").expect("a string takes all text");
        }
        text.push('\n');
        // A reader that closed the pipe has what it wanted.
        let _ = print_out(&text);
    }
}
