//! `--newton` and what belongs to it; the table of `--trace newton`.

use crate::args::{Newton, NewtonArgs, Trace};
use crate::{Exit, message, print_out, usage};
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
        in_time: false,
        trace: args.trace == Some(Trace::Newton),
    })
}

/// The iterates as a table on standard output, or on standard error where that has another use.
#[derive(Default)]
pub struct Table {
    aside: bool,
    /// Names of the states.
    names: Vec<String>,
    /// There was an iterate.
    begun: bool,
}

impl Table {
    /// On standard error if it must stand `aside`.
    pub fn new(aside: bool) -> Table {
        Table { aside, ..Table::default() }
    }

    /// The names of all columns, `time` first.
    pub fn begin(&mut self, names: &[String]) {
        self.names = names.iter().skip(1).cloned().collect();
    }

    /// Says so where there was nothing to trace; `methods` took so many steps.
    pub fn finish(&self, methods: &str, steps: u64) {
        if !self.begun && steps == 0 {
            self.show("nothing to trace: the run ended before a step was taken\n");
        } else if !self.begun {
            self.show(&format!("no implicit step was taken: {methods} needs no Newton iteration (`-m radau` does)\n"));
        }
    }

    fn show(&self, text: &str) {
        if self.aside {
            return message(text.trim_end());
        }
        // A reader that closed the pipe has what it wanted.
        let _ = print_out(text);
    }

    /// One iterate: in a line, if it is not too long, or else a line for each state.
    pub fn iterate(&mut self, iterate: &NewtonIterate) {
        let mut text = String::new();
        let wide = iterate.y.len() <= MOST_BESIDE;
        if iterate.iteration == 0 {
            let (from, to) = (short(iterate.t), short(iterate.t + iterate.h));
            let stage = if iterate.stage > 0 { format!(", stage {}", iterate.stage + 1) } else { String::new() };
            writeln!(text, "step from t = {from} to {to}{stage}").expect("a string takes all text");
            text += &if wide { self.heads_beside(iterate.y.len()) } else { heads_below() };
        }
        text += &if wide { beside(iterate) } else { self.below(iterate) };
        self.begun = true;
        self.show(&text);
    }

    fn name(&self, k: usize) -> &str {
        self.names.get(k).map_or("?", String::as_str)
    }

    fn heads_beside(&self, states: usize) -> String {
        let values: String = (0..states).map(|k| format!("  {:>22}", self.name(k))).collect();
        let residuals: String = (0..states).map(|k| format!("  {:>22}", format!("F[{}]", self.name(k)))).collect();
        format!("{:>4}{values}{residuals}\n", "k")
    }

    /// A line for each state; of many states those with the largest residuals.
    fn below(&self, iterate: &NewtonIterate) -> String {
        let mut shown: Vec<usize> = (0..iterate.y.len()).collect();
        shown.sort_by(|&a, &b| iterate.residual[b].abs().total_cmp(&iterate.residual[a].abs()));
        let others = shown.split_off(shown.len().min(MOST_BELOW));
        shown.sort_unstable();
        let mut text = String::new();
        for (line, &k) in shown.iter().enumerate() {
            let count = if line == 0 { iterate.iteration.to_string() } else { String::new() };
            let (value, residual) = (iterate.y[k], iterate.residual[k]);
            writeln!(text, "{count:>4}  {value:>22.15e}  {residual:>10.1e}  {}", self.name(k))
                .expect("a string takes all text");
        }
        if let Some(&next) = others.first() {
            let (more, most) = (others.len(), iterate.residual[next].abs());
            writeln!(text, "{:>4}  and {more} more states with |F| up to {most:.1e}", "")
                .expect("a string takes all text");
        }
        text
    }
}

/// So many states stand beside each other in one line.
const MOST_BESIDE: usize = 2;
/// So many states have a line of their own.
const MOST_BELOW: usize = 12;

fn heads_below() -> String {
    format!("{:>4}  {:>22}  {:>10}  state\n", "k", "value", "F")
}

fn beside(iterate: &NewtonIterate) -> String {
    let all = iterate.y.iter().chain(&iterate.residual);
    let values: String = all.map(|value| format!("  {value:>22.15e}")).collect();
    format!("{:>4}{values}\n", iterate.iteration)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(states: usize) -> (Table, NewtonIterate) {
        let mut table = Table::default();
        table.begin(&(0..=states).map(|k| format!("x{k}")).collect::<Vec<_>>());
        let residual = (0..states).map(|k| k as f64).collect();
        let iterate = NewtonIterate { t: 0.0, h: 0.1, stage: 0, iteration: 3, y: vec![0.25; states], residual };
        (table, iterate)
    }

    /// Whatever the number of states, a line fits on a screen, and a value keeps all its digits.
    #[test]
    fn no_line_is_longer_than_a_screen() {
        let (_, two) = table(2);
        assert!(beside(&two).lines().all(|line| line.chars().count() <= 100));
        let (names, forty) = table(40);
        let text = names.below(&forty);
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
        assert_eq!(text.lines().count(), MOST_BELOW + 1);
        assert!(text.contains("3    2.500000000000000e-1       2.8e1  x29"), "{text}");
        assert!(text.ends_with("and 28 more states with |F| up to 2.7e1\n"), "{text}");
    }
}
