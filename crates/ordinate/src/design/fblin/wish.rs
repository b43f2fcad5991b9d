//! What is asked for, in the terms of the model: inputs, outputs, the point, references with their derivatives, poles.

use super::FblinOptions;
use super::lie::Chain;
use crate::design::field::Field;
use crate::design::symbolic::{Added, SymbolicError};
use crate::design::{self, DesignError, plain_name, read};
use crate::{Compiled, short};
use ordinate_control::Complex;
use ordinate_expr::{ExprId, Interval};
use ordinate_model::instead;

/// Larger decoupling matrices are not inverted as formulas.
const MOST_OUTPUTS: usize = 3;

/// The inputs that are driven: as many as there are outputs.
pub(super) fn driven(compiled: &Compiled, wish: &FblinOptions) -> Result<Vec<String>, SymbolicError> {
    let model = &compiled.sorted.model;
    let all: Vec<String> = model.inputs.iter().map(|given| model.name(given.var)).collect();
    let wrong = |text: String| Err(SymbolicError::Usage(text));
    if all.is_empty() {
        return Err(SymbolicError::model(
            "the model has no input that a controller could drive",
            "declare one, as in `input u = 0`",
        ));
    }
    for name in &wish.inputs {
        if !all.contains(name) {
            let instead = instead(name, all.iter().map(String::as_str));
            return wrong(format!("`--input {name}`: there is no input `{name}`; {instead}"));
        }
    }
    let chosen = if wish.inputs.is_empty() { all.clone() } else { wish.inputs.clone() };
    let (outputs, count) = (wish.outputs.len(), chosen.len());
    if outputs == 0 {
        return wrong("`--output` must name what is to follow a reference".into());
    }
    if outputs != count {
        return wrong(format!(
            "{outputs} output{} and {count} input{} ({}): a linearising law needs as many inputs as outputs; choose with `--input` and `--output a,b`",
            if outputs == 1 { "" } else { "s" },
            if count == 1 { "" } else { "s" },
            chosen.join(", ")
        ));
    }
    if outputs > MOST_OUTPUTS {
        return wrong(format!("{outputs} outputs: laws are written for at most {MOST_OUTPUTS}"));
    }
    if wish.references.len() > outputs {
        return wrong(format!("{} references for {outputs} outputs", wish.references.len()));
    }
    Ok(chosen)
}

pub(super) fn output_of(field: &mut Field, compiled: &Compiled, name: &str) -> Result<ExprId, SymbolicError> {
    if let Some(v) = field.by_name(name) {
        return field.expression_of(v, &format!("`{name}`"));
    }
    let model = &compiled.sorted.model;
    let outputs = model.outputs.iter().chain(&compiled.sorted.columns).map(|&v| model.name(v));
    let all: Vec<String> = field.names.iter().cloned().chain(outputs).collect();
    let instead = instead(name, all.iter().map(String::as_str));
    Err(SymbolicError::Usage(format!("`--output {name}`: there is no `{name}`; {instead}")))
}

/// The point as small intervals: what is given, otherwise start values.
pub(super) fn point(
    field: &mut Field,
    compiled: &Compiled,
    wish: &FblinOptions,
    t: f64,
) -> Result<Vec<Interval>, SymbolicError> {
    let values = compiled.evaluator().starts(t);
    let mut point: Vec<Interval> = values[..field.order()].iter().map(|&x| Interval::point(x)).collect();
    for (k, value) in field.given("--at", &wish.at, true)? {
        // the inputs at the point do not matter: the law says what they are
        if k < point.len() {
            point[k] = value;
        }
    }
    Ok(point)
}

/// What an output follows.
pub(super) struct Reference {
    /// Its name in the closed loop.
    pub name: String,
    /// r, r′, …, as formulas of t; `None` for a number.
    pub derivatives: Option<Vec<ExprId>>,
    pub text: String,
    /// Where the output is at rest: its value, or that of the output at the point if it moves.
    pub at_point: f64,
}

pub(super) fn references(
    field: &mut Field,
    chains: &[Chain],
    added: &[Added],
    point: &[Interval],
    t: f64,
) -> Result<Vec<Reference>, SymbolicError> {
    let mut place: Vec<f64> = point.iter().map(|side| side.middle()).collect();
    place.extend(vec![0.0; field.inputs.len()]);
    place.push(t);
    let mut all = Vec::new();
    for (k, chain) in chains.iter().enumerate() {
        let Some(given) = added.get(k) else {
            let value = field.tape(&[chain.derivatives[0]]).values(&place)[0];
            let name = format!("{}_ref", plain_name(&chain.output));
            all.push(Reference { name, derivatives: None, text: design::number(value), at_point: value });
            continue;
        };
        let v = field.by_name(&given.name).expect("the output was just added");
        let about = format!("the reference of `{}`", chain.output);
        let mut r = field.expression_of(v, &about).map_err(|error| match error {
            SymbolicError::Model(message, _) => {
                SymbolicError::Usage(format!("{message}; the law needs {} derivatives of it", chain.degree()))
            }
            other => other,
        })?;
        let variables = field.graph.variables(r);
        if let Some(&state) = variables.iter().find(|v| field.states.contains(v) || field.inputs.contains(v)) {
            return Err(SymbolicError::Usage(format!(
                "`--reference`: {about} has `{}`; it is an expression of t and parameters",
                field.name(state)
            )));
        }
        let text = field.text(r);
        // a reference that moves is no place of rest; the output at the point is
        let rest = if field.uses_time(r) { chain.derivatives[0] } else { r };
        let at_point = field.tape(&[rest]).values(&place)[0];
        let mut derivatives = vec![r];
        for _ in 0..chain.degree() {
            r = field.along(r);
            r = field.simple(r);
            derivatives.push(r);
        }
        all.push(Reference { name: given.name.clone(), derivatives: Some(derivatives), text, at_point });
    }
    Ok(all)
}

/// The poles of every output's error. By default all are equal and real, and the error settles within a quarter of the run.
pub(super) fn poles(
    compiled: &Compiled,
    wish: &FblinOptions,
    chains: &[Chain],
    notes: &mut Vec<String>,
) -> Result<Vec<Vec<Complex>>, SymbolicError> {
    /// Time constants of the default within a run: e^−5 is left after a quarter of it.
    const CONSTANTS: f64 = 20.0;
    let Some(text) = &wish.poles else {
        let span = compiled.run.map_or(CONSTANTS, |(from, to)| to - from);
        let rate = CONSTANTS / span;
        notes.push(format!("no `--poles`: all at -{}, so that errors fade within a quarter of the run", short(rate)));
        return Ok(chains.iter().map(|chain| vec![Complex::new(-rate, 0.0); chain.degree()]).collect());
    };
    let parameters = compiled.parameter_values();
    let lookup = |name: &str| parameters.iter().find(|(known, _)| known == name).map(|&(_, value)| value);
    let mut given = read::poles("--poles", text, &lookup).map_err(|error| match error {
        DesignError::Usage(text) => SymbolicError::Usage(text),
        other => SymbolicError::Usage(format!("`--poles \"{text}\"` cannot be read: {other:?}")),
    })?;
    let needed: usize = chains.iter().map(Chain::degree).sum();
    if given.len() != needed {
        let degrees: Vec<String> =
            chains.iter().map(|chain| format!("{} for `{}`", chain.degree(), chain.output)).collect();
        return Err(SymbolicError::Usage(format!(
            "`--poles \"{text}\"`: {} poles, but the errors have {needed} ({})",
            given.len(),
            degrees.join(", ")
        )));
    }
    let mut all = Vec::new();
    for chain in chains {
        let rest = given.split_off(chain.degree());
        let own = std::mem::replace(&mut given, rest);
        let conjugate = |pole: &Complex| own.iter().filter(|other| other.re == pole.re && other.im == -pole.im).count();
        let same = |pole: &Complex| own.iter().filter(|other| **other == *pole).count();
        if let Some(lonely) = own.iter().find(|pole| pole.im != 0.0 && conjugate(pole) != same(pole)) {
            return Err(SymbolicError::Usage(format!(
                "`--poles \"{text}\"`: {} of `{}` has no conjugate",
                crate::number::complex(lonely.re, lonely.im),
                chain.output
            )));
        }
        if let Some(right) = own.iter().find(|pole| pole.re >= 0.0) {
            return Err(SymbolicError::Usage(format!(
                "`--poles \"{text}\"`: with {} the error of `{}` does not fade; poles have negative real parts",
                crate::number::complex(right.re, right.im),
                chain.output
            )));
        }
        all.push(own);
    }
    Ok(all)
}

/// The decoupling term where the closed loop starts.
pub(super) fn start_value(
    field: &mut Field,
    compiled: &Compiled,
    wish: &FblinOptions,
    determinant: ExprId,
    t: f64,
) -> Result<f64, SymbolicError> {
    let values = compiled.evaluator().starts(t);
    let mut place = values[..field.order()].to_vec();
    for (k, value) in field.given("--start", &wish.starts, false)? {
        place[k] = value.middle();
    }
    place.extend(vec![0.0; field.inputs.len()]);
    place.push(t);
    Ok(field.tape(&[determinant]).values(&place)[0])
}
