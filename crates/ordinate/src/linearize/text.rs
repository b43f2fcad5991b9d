//! A linear system for people: `linearize`.

use super::report::hold_name;
use super::{Analysis, Channel, Linearization, Mode};
use crate::number::complex;
use crate::short;
use ordinate_control::{Complex, Matrix, Reach};
use std::fmt::Write;

/// Wider matrices are not printed.
const MOST_COLUMNS: usize = 14;
/// What is smaller beside its neighbours is rounding.
const NOISE: f64 = 1e-13;

/// The table of a linear system; `name` is what the model is called.
pub fn linearize_text(linear: &Linearization, analysis: &Analysis, name: &str) -> String {
    let mut out = Text::default();
    let rest = linear.is_rest();
    let what = if rest { "an equilibrium" } else { "NOT an equilibrium" };
    out.line(&format!("{name} at t = {}, {what}", short(linear.time)));
    point(&mut out, linear);
    if !rest {
        let rates = linear.states.iter().zip(&linear.rates).filter(|(_, rate)| **rate != 0.0);
        let rates: Vec<String> = rates.map(|(name, rate)| format!("{name}' = {}", digits(*rate))).collect();
        out.line(&format!("rates   {}: the linear system describes deviations from a moving point", rates.join(", ")));
    }
    let system = &linear.system;
    let rates: Vec<String> = linear.states.iter().map(|name| format!("{name}'")).collect();
    out.table("A", &rates, &linear.states, &system.a);
    out.table("B", &rates, &linear.inputs, &system.b);
    out.table("G", &rates, &linear.disturbances, &linear.g);
    out.table("C", &linear.outputs, &linear.states, &system.c);
    out.table("D", &linear.outputs, &linear.inputs, &system.d);
    out.table("Dg", &linear.outputs, &linear.disturbances, &linear.dg);
    let driven = !linear.inputs.is_empty();
    modes(&mut out, analysis, driven);
    out.line("");
    let lost = |seen: &dyn Fn(&Mode) -> bool| {
        analysis.modes.iter().filter(|mode| !seen(mode)).map(|mode| mode.value).collect::<Vec<_>>()
    };
    if driven {
        reach(&mut out, "controllable", &analysis.controllability, &lost(&|mode| mode.controllable));
    } else {
        out.line("controllable  there is no input");
    }
    reach(&mut out, "observable", &analysis.observability, &lost(&|mode| mode.observable));
    for channel in &analysis.channels {
        transfer(&mut out, linear, channel);
    }
    if let Some((reached, shown)) = &analysis.gramians {
        out.table("controllability gramian", &linear.states, &linear.states, reached);
        out.table("observability gramian", &linear.states, &linear.states, shown);
    }
    if let Some((sampled, hold)) = &analysis.sampled {
        let period = short(sampled.period.unwrap_or(f64::NAN));
        out.line(&format!(
            "\nsampled with {period} s ({}): x[k+1] = F x[k] + G u[k], y[k] = H x[k] + I u[k]",
            hold_name(*hold)
        ));
        out.table("F", &linear.states, &linear.states, &sampled.a);
        out.table("G", &linear.states, &linear.inputs, &sampled.b);
        out.table("H", &linear.outputs, &linear.states, &sampled.c);
        out.table("I", &linear.outputs, &linear.inputs, &sampled.d);
        let poles = sampled.poles().unwrap_or_default();
        out.line(&format!("\neigenvalues of F   {}", listed(&poles)));
    }
    if !linear.notes.is_empty() {
        out.line("");
    }
    linear.notes.iter().for_each(|note| out.line(&format!("note    {note}")));
    out.0
}

fn point(out: &mut Text, linear: &Linearization) {
    let width = linear.point.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let units = linear.units.point.iter().cloned().chain(std::iter::repeat(None));
    for ((name, value), unit) in linear.point.iter().chain(&linear.algebraic).zip(units) {
        let what = match name {
            name if linear.inputs.contains(name) => "   input",
            name if linear.disturbances.contains(name) => "   disturbance",
            _ => "",
        };
        let unit = unit.map_or(String::new(), |unit| format!(" {unit}"));
        out.line(&format!("  {} = {}{unit}{what}", padded(name, width), short(*value)));
    }
}

fn modes(out: &mut Text, analysis: &Analysis, driven: bool) {
    out.line("");
    let mut rows = vec![["eigenvalue", "damping", "frequency [rad/s]", "time constant [s]", ""].map(String::from)];
    for mode in &analysis.modes {
        let lost = match (mode.controllable || !driven, mode.observable) {
            (true, true) => "",
            (false, true) => "uncontrollable",
            (true, false) => "unobservable",
            (false, false) => "uncontrollable and unobservable",
        };
        let or_dash = |value: Option<f64>| value.map_or("–".to_string(), digits);
        rows.push([
            value(mode.value),
            or_dash(mode.damping),
            digits(mode.frequency),
            or_dash(mode.time_constant),
            lost.to_string(),
        ]);
    }
    let widths: Vec<usize> = (0..5).map(|k| rows.iter().map(|row| row[k].chars().count()).max().unwrap_or(0)).collect();
    for row in rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| padded(cell, *width)).collect();
        out.line(format!("  {}", cells.join("   ")).trim_end());
    }
}

fn reach(out: &mut Text, what: &str, reach: &Reach, lost: &[Complex]) {
    let Reach { rank, singular_values, .. } = reach;
    let n = singular_values.len();
    let sizes = match (singular_values.first(), singular_values.last()) {
        (Some(first), Some(last)) if n > 1 => format!("   (singular values {} … {})", digits(*first), digits(*last)),
        _ => String::new(),
    };
    if *rank == n {
        return out.line(&format!("{what:<13} yes, rank {rank} of {n}{sizes}"));
    }
    let plural = if lost.len() == 1 { "mode" } else { "modes" };
    out.line(&format!("{what:<13} NO, rank {rank} of {n}{sizes}: un{what} {plural} {}", listed(lost)));
}

fn transfer(out: &mut Text, linear: &Linearization, channel: &Channel) {
    let (output, input) = (&linear.outputs[channel.output], &linear.inputs[channel.input]);
    let function = &channel.transfer;
    // rounding that is left of a coefficient or a zero, in the frequencies of the poles
    let scale = channel.poles.iter().fold(0.0, |most: f64, z| most.max(z.re.hypot(z.im)));
    let numerator = polynomial(&without_noise(&function.numerator, scale));
    let denominator = polynomial(&function.denominator);
    let width = numerator.chars().count().max(denominator.chars().count());
    let head = format!("{output} / {input} = ");
    let indent = " ".repeat(head.chars().count());
    let centred = |text: &str| format!("{}{text}", " ".repeat((width - text.chars().count()) / 2));
    out.line("");
    out.line(&format!("{indent}{}", centred(&numerator)));
    out.line(&format!("{head}{}", "─".repeat(width)));
    out.line(&format!("{indent}{}", centred(&denominator)));
    out.line(&format!("  poles   {}", listed(&channel.poles)));
    let clean = |part: f64| if part.abs() <= NOISE * scale { 0.0 } else { part };
    let zeros: Vec<Complex> = channel.zeros.iter().map(|z| Complex::new(clean(z.re), clean(z.im))).collect();
    out.line(&format!("  zeros   {}", listed(&zeros)));
    let gain = if channel.dc_gain.is_finite() { digits(channel.dc_gain) } else { "infinite".into() };
    out.line(&format!("  static gain (s = 0)   {gain}"));
}

/// Coefficients without those that are rounding beside the largest term at a frequency.
fn without_noise(coefficients: &[f64], frequency: f64) -> Vec<f64> {
    let degree = coefficients.len().saturating_sub(1);
    let term = |k: usize| (coefficients[k] * frequency.powi((degree - k) as i32)).abs();
    let most = (0..coefficients.len()).map(term).fold(0.0, f64::max);
    (0..coefficients.len()).map(|k| if term(k) <= NOISE * most { 0.0 } else { coefficients[k] }).collect()
}

/// A polynomial in s, its highest power first.
fn polynomial(coefficients: &[f64]) -> String {
    let degree = coefficients.len().saturating_sub(1);
    let mut text = String::new();
    for (k, &c) in coefficients.iter().enumerate().filter(|(_, c)| **c != 0.0) {
        let power = match degree - k {
            0 => String::new(),
            1 => "s".to_string(),
            n => format!("s^{n}"),
        };
        let sign = match (text.is_empty(), c < 0.0) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        };
        let size = digits(c.abs());
        let size = if size == "1" && !power.is_empty() { String::new() } else { size };
        let space = if size.is_empty() || power.is_empty() { "" } else { " " };
        write!(text, "{sign}{size}{space}{power}").expect("a string takes all text");
    }
    if text.is_empty() { "0".into() } else { text }
}

/// At most six significant digits.
pub(super) fn digits(value: f64) -> String {
    let rounded = format!("{value:.5e}").parse().unwrap_or(value);
    // no negative zero
    short(rounded + 0.0)
}

pub(super) fn value(z: Complex) -> String {
    let round = |value: f64| format!("{value:.5e}").parse().unwrap_or(value) + 0.0;
    complex(round(z.re), round(z.im))
}

fn listed(values: &[Complex]) -> String {
    if values.is_empty() { "none".into() } else { values.iter().map(|&z| value(z)).collect::<Vec<_>>().join(",  ") }
}

fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.chars().count())))
}

#[derive(Default)]
struct Text(String);

impl Text {
    fn line(&mut self, text: &str) {
        writeln!(self.0, "{text}").expect("a string takes all text");
    }

    /// A matrix with its rows and columns named.
    fn table(&mut self, title: &str, rows: &[String], columns: &[String], matrix: &Matrix) {
        if matrix.rows() == 0 || matrix.columns() == 0 {
            return;
        }
        self.line("");
        if matrix.columns() > MOST_COLUMNS || matrix.rows() > 4 * MOST_COLUMNS {
            let (m, n) = (matrix.rows(), matrix.columns());
            let full = matrix.elements().iter().filter(|value| **value != 0.0).count();
            return self.line(&format!("{title} is {m} × {n} with {full} elements that are not zero; `--format json` or `-o FILE.json` has them"));
        }
        let left = rows.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(title.chars().count());
        let cells: Vec<Vec<String>> =
            (0..matrix.rows()).map(|i| matrix.row(i).iter().map(|&value| digits(value)).collect()).collect();
        let width = |j: usize| {
            let cells = cells.iter().map(|row| row[j].chars().count());
            cells.chain([columns[j].chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..matrix.columns()).map(width).collect();
        let right =
            |text: &str, width: usize| format!("{}{text}", " ".repeat(width.saturating_sub(text.chars().count())));
        let joined = |cells: &[String]| {
            cells.iter().zip(&widths).map(|(cell, &width)| right(cell, width)).collect::<Vec<_>>().join("  ")
        };
        self.line(&format!("{}  {}", padded(title, left), joined(columns)));
        for (name, row) in rows.iter().zip(&cells) {
            self.line(&format!("{}  {}", padded(name, left), joined(row)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_read_as_on_paper() {
        assert_eq!(polynomial(&[1.0, -2.5, 0.0, 3.0]), "s^3 - 2.5 s^2 + 3");
        assert_eq!(polynomial(&[-1.0, 0.0]), "-s");
        assert_eq!(polynomial(&[0.0]), "0");
        assert_eq!(digits(-0.0), "0");
    }
}
