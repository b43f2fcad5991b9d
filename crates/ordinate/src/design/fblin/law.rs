//! The law as lines of a model: short ones, with names for what is long.
//!
//! ```text
//!   v = r⁽ⁿ⁾ + kₙ₋₁ (r⁽ⁿ⁻¹⁾ − y⁽ⁿ⁻¹⁾) + … + k₀ (r − y)          u = (v − L_fⁿ h) / (L_g L_fⁿ⁻¹ h)
//! ```

use super::lie::Chain;
use super::wish::Reference;
use crate::design::field::Field;
use crate::design::{Law, Names, Parameter, Sum, plain_name};
use ordinate_control::Complex;
use ordinate_expr::ExprId;

/// Formulas that are no longer than this stand where they are used.
const SHORT: usize = 16;

/// The text of a controller.
#[derive(Default)]
pub(super) struct Written {
    pub parameters: Vec<Parameter>,
    pub laws: Vec<Law>,
    pub lines: Vec<String>,
    /// Names of the errors.
    pub errors: Vec<String>,
    /// Names of the references.
    pub references: Vec<String>,
}

impl Written {
    /// The lines of the law, for a report.
    pub fn shown(&self) -> Vec<String> {
        let laws = self.laws.iter().map(|law| format!("{} = {}", law.input, law.value));
        laws.chain(self.lines.iter().filter(|line| !line.starts_with("output")).cloned()).collect()
    }

    fn define(&mut self, name: &str, value: &str, comment: &str) {
        self.lines.push(format!("{name} = {value}  # {comment}"));
    }
}

/// k₀, k₁, … of Π (s − p) = sⁿ + kₙ₋₁ sⁿ⁻¹ + … + k₀.
pub(super) fn gains(poles: &[Complex]) -> Vec<f64> {
    let mut coefficients = vec![Complex::new(1.0, 0.0)];
    for pole in poles {
        let mut next = vec![Complex::new(0.0, 0.0); coefficients.len() + 1];
        for (k, c) in coefficients.iter().enumerate() {
            next[k + 1] += *c;
            next[k] -= *c * *pole;
        }
        coefficients = next;
    }
    coefficients.pop();
    coefficients.into_iter().map(|c| c.re).collect()
}

/// The law; with `stop`, the run ends where the decoupling term has fallen to this.
pub(super) fn write(
    field: &mut Field,
    names: &mut Names,
    chains: &[Chain],
    references: &[Reference],
    poles: &[Vec<Complex>],
    stop: Option<f64>,
) -> Written {
    let mut out = Written::default();
    let several = chains.len() > 1;
    let suffix = |chain: &Chain| if several { format!("_{}", plain_name(&chain.output)) } else { String::new() };
    let mut wanted = Vec::new();
    for ((chain, reference), poles) in chains.iter().zip(references).zip(poles) {
        let tail = suffix(chain);
        let gains: Vec<String> = (0..chain.degree()).map(|k| names.fresh(&format!("k{k}{tail}"))).collect();
        for (k, (name, value)) in gains.iter().zip(self::gains(poles)).enumerate() {
            let what = match k {
                0 => format!("gain of the error of {}", chain.output),
                1 => "gain of its rate".into(),
                k => format!("gain of its derivative of order {k}"),
            };
            out.parameters.push(Parameter { name: name.clone(), value, comment: what });
        }
        let follows = follow(field, names, &mut out, chain, reference);
        let outputs = derivatives(field, names, &mut out, chain);
        let mut sum = Sum::default();
        if let Some(highest) = follows.last().filter(|text| text.as_str() != "0" && follows.len() > chain.degree()) {
            sum.add(highest);
        }
        for k in (0..chain.degree()).rev() {
            match follows.get(k).map(String::as_str) {
                None | Some("0") => sum.sub(&format!("{}*{}", gains[k], outputs[k])),
                Some(text) => sum.add(&format!("{}*({text} - {})", gains[k], outputs[k])),
            }
        }
        let v = names.fresh(&format!("v{tail}"));
        let primes = "'".repeat(chain.degree());
        out.define(&v, &sum.finish(), &format!("what {}{primes} is to be", chain.output));
        let drift = named(
            field,
            names,
            &mut out,
            &format!("drift{tail}"),
            chain.drift,
            &format!("{}{primes} without the input", chain.output),
        );
        let error = names.fresh(&format!("e{tail}"));
        let reference = follows.first().cloned().unwrap_or("0".into());
        out.lines.push(format!("output {error} = {reference} - {}", chain.output));
        out.errors.push(error);
        out.references.push(reference);
        wanted.push(if drift == "0" { v } else { format!("({v} - {drift})") });
    }
    inputs(field, names, &mut out, chains, &wanted, stop);
    out
}

/// The name of a formula, given to it if it is long.
fn named(field: &Field, names: &mut Names, out: &mut Written, wish: &str, e: ExprId, comment: &str) -> String {
    let text = field.text(e);
    let plain = !text.contains(['+', '-', '*', '/', ' ']);
    if plain && text.len() <= SHORT {
        return text;
    }
    let name = names.fresh(wish);
    out.define(&name, &text, comment);
    name
}

/// The reference and its derivatives, as texts.
fn follow(
    field: &mut Field,
    names: &mut Names,
    out: &mut Written,
    chain: &Chain,
    reference: &Reference,
) -> Vec<String> {
    let Some(derivatives) = &reference.derivatives else {
        let name = names.fresh(&reference.name);
        let value = reference.at_point;
        let comment = format!("reference of {}", chain.output);
        out.parameters.push(Parameter { name: name.clone(), value, comment });
        return vec![name];
    };
    let mut texts = Vec::new();
    for (k, &e) in derivatives.iter().enumerate() {
        let text = field.text(e);
        if text.parse::<f64>().is_ok() && k > 0 {
            texts.push(text);
            continue;
        }
        let (name, comment) = match k {
            0 => (reference.name.clone(), format!("reference of {}", chain.output)),
            1 => (names.fresh(&format!("{}_1", reference.name)), "and its derivatives".into()),
            k => (names.fresh(&format!("{}_{k}", reference.name)), String::new()),
        };
        out.lines.push(format!("{name} = {text}{}{comment}", if comment.is_empty() { "" } else { "  # " }));
        texts.push(name);
    }
    texts
}

/// The output and its derivatives, as texts that can be subtracted.
fn derivatives(field: &Field, names: &mut Names, out: &mut Written, chain: &Chain) -> Vec<String> {
    let mut texts = vec![chain.output.clone()];
    for (k, &e) in chain.derivatives.iter().enumerate().skip(1) {
        let wish = format!("{}_{k}", plain_name(&chain.output));
        let comment = format!("{}{}", chain.output, "'".repeat(k));
        texts.push(named(field, names, out, &wish, e, &comment));
    }
    texts
}

/// u = A⁻¹ (v − drift), by Cramer's rule.
fn inputs(
    field: &mut Field,
    names: &mut Names,
    out: &mut Written,
    chains: &[Chain],
    wanted: &[String],
    stop: Option<f64>,
) {
    let drives: Vec<String> = field.inputs.clone().into_iter().map(|v| field.name(v)).collect();
    let n = chains.len();
    let mut elements = vec![vec![String::new(); n]; n];
    for (i, chain) in chains.iter().enumerate() {
        for j in 0..n {
            let wish = if n == 1 { "decoupling".to_string() } else { format!("a_{}{}", i + 1, j + 1) };
            let comment = format!("how {} moves {}{}", drives[j], chain.output, "'".repeat(chain.degree()));
            elements[i][j] = match field.text(chain.gains[j]).as_str() {
                text @ ("0" | "1") => text.to_string(),
                _ => named(field, names, out, &wish, chain.gains[j], &comment),
            };
        }
    }
    let whole = match n {
        1 => elements[0][0].clone(),
        _ => {
            let name = names.fresh("decoupling");
            let all: Vec<usize> = (0..n).collect();
            out.define(&name, &minor(&elements, &all, &all), "determinant of the matrix of the a");
            name
        }
    };
    for (j, input) in drives.into_iter().enumerate() {
        let mut sum = Sum::default();
        if n == 1 {
            sum.add(&wanted[0]);
        }
        for i in (0..n).filter(|_| n > 1) {
            let others = |skip: usize| (0..n).filter(|&k| k != skip).collect::<Vec<usize>>();
            let cofactor = minor(&elements, &others(i), &others(j));
            let factor = if cofactor.contains(' ') { format!("({cofactor})") } else { cofactor };
            match (factor.as_str(), (i + j) % 2) {
                ("0", _) => {}
                ("1", 0) => sum.add(&wanted[i]),
                ("1", _) => sum.sub(&wanted[i]),
                (factor, 0) => sum.add(&format!("{factor}*{}", wanted[i])),
                (factor, _) => sum.sub(&format!("{factor}*{}", wanted[i])),
            }
        }
        let above = sum.finish();
        let value = match (whole.as_str(), n) {
            ("1", 1) => above.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(&above).to_string(),
            ("1", _) => above,
            (_, 1) => format!("{above}/{whole}"),
            _ => format!("({above})/{whole}"),
        };
        out.laws.push(Law { input, value, start: 0.0 });
    }
    if let Some(limit) = stop.filter(|limit| limit.is_finite() && *limit != 0.0) {
        let sign = if limit > 0.0 { '<' } else { '>' };
        let digits = format!("{limit:.1e}");
        out.lines.push(format!("stop when {whole} {sign} {digits}  # here the input no longer moves the output"));
    }
}

/// A determinant of elements given as texts, by its first row.
fn minor(elements: &[Vec<String>], rows: &[usize], columns: &[usize]) -> String {
    let Some((&first, rest)) = rows.split_first() else { return "1".into() };
    let mut sum = Sum::default();
    for (k, &column) in columns.iter().enumerate() {
        let element = &elements[first][column];
        let others: Vec<usize> = columns.iter().copied().filter(|&other| other != column).collect();
        let below = minor(elements, rest, &others);
        if element == "0" || below == "0" {
            continue;
        }
        let below = if below.contains(' ') { format!("({below})") } else { below };
        let term = match (element.as_str(), below.as_str()) {
            (element, "1") => element.to_string(),
            ("1", below) => below.to_string(),
            (element, below) => format!("{element}*{below}"),
        };
        if k % 2 == 0 { sum.add(&term) } else { sum.sub(&term) }
    }
    sum.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_the_coefficients_of_the_wanted_polynomial() {
        let pole = |re, im| Complex::new(re, im);
        assert_eq!(gains(&[pole(-1.0, 0.0), pole(-1.0, 0.0)]), [1.0, 2.0]);
        assert_eq!(gains(&[pole(-2.0, 1.0), pole(-2.0, -1.0), pole(-3.0, 0.0)]), [15.0, 17.0, 7.0]);
    }

    #[test]
    fn determinants_leave_out_what_is_zero() {
        let text = |rows: [[&str; 2]; 2]| {
            let elements: Vec<Vec<String>> = rows.iter().map(|row| row.map(String::from).to_vec()).collect();
            minor(&elements, &[0, 1], &[0, 1])
        };
        assert_eq!(text([["a", "b"], ["c", "d"]]), "a*d - b*c");
        assert_eq!(text([["a", "0"], ["c", "1"]]), "a");
    }
}
