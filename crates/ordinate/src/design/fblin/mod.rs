//! `ordinate design fblin`: feedback linearisation. The law that makes the errors of the outputs obey linear equations with
//! given poles, found from the model's own equations by differentiation.

mod law;
mod lie;
mod picture;
mod report;
mod zero;

use super::field::Field;
use super::symbolic::{Added, SymbolicError, extended};
use super::{ClosedLoop, ClosedLoopError, ControllerText, DesignError, Names, closed_loop, read};
use crate::{CompileOptions, Compiled, ErrorWish, Memory, RunOptions, Source, short, simulate};
use lie::{Chain, affine, chain, everywhere, zero_factors};
use ordinate_control::Complex;
use ordinate_expr::{ExprId, Interval, VarId};
use ordinate_model::closest;
use std::path::Path;

pub use picture::fblin_figure;
pub use report::{fblin_json, fblin_text};
pub use zero::ZeroDynamics;

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct FblinOptions {
    /// The outputs that follow their references: names of states, named expressions, outputs.
    pub outputs: Vec<String>,
    /// As many inputs that drive them; all inputs of the model if none is given.
    pub inputs: Vec<String>,
    /// Their references, expressions of t; what is missing stays at its value at the point.
    pub references: Vec<String>,
    /// Poles of the errors, those of the first output first.
    pub poles: Option<String>,
    /// The point: names and values.
    pub at: Vec<(String, String)>,
    /// Start values of the closed loop that are others than the model's.
    pub starts: Vec<(String, String)>,
    /// The command that made it, for the first lines of the closed loop.
    pub command: String,
}

/// One output: how it is moved and what it follows.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Its name.
    pub output: String,
    /// r: the input shows in its r-th derivative.
    pub relative_degree: usize,
    /// Its derivatives below that, in the words of the model; the output itself first.
    pub derivatives: Vec<String>,
    /// The r-th one without the inputs.
    pub drift: String,
    /// What it follows.
    pub reference: String,
    /// Poles of its error.
    pub poles: Vec<(f64, f64)>,
    /// Gains of the error and its derivatives.
    pub gains: Vec<f64>,
}

/// How the closed loop did.
#[derive(Clone, Debug)]
pub struct Tracking {
    /// Until when it ran.
    pub t: f64,
    /// The end that was asked for.
    pub t_end: f64,
    /// Why it ended before.
    pub stopped: Option<String>,
    /// The largest |error| of each output in the last tenth of the run.
    pub errors: Vec<f64>,
    /// The largest |u| of each input.
    pub effort: Vec<f64>,
}

/// A linearising controller.
pub struct Fblin {
    /// Names of the states.
    pub states: Vec<String>,
    /// Names of the driven inputs.
    pub inputs: Vec<String>,
    /// The point.
    pub point: Vec<f64>,
    /// The outputs.
    pub channels: Vec<Channel>,
    /// How the inputs move the highest derivatives, in the words of the model: one row per output.
    pub decoupling: Vec<Vec<String>>,
    /// Its determinant at the point.
    pub determinant: f64,
    /// Where it vanishes, as factors that are zero; empty if nowhere.
    pub singular: Vec<String>,
    /// What the other states do.
    pub zero_dynamics: Option<ZeroDynamics>,
    /// The law as it is written.
    pub law: Vec<String>,
    /// The closed loop.
    pub closed_loop: ClosedLoop,
    /// Its run, if the model says how long.
    pub tracking: Option<Tracking>,
    /// Rows of that run, for a picture.
    pub rows: Memory,
    /// The columns of the errors in it.
    pub errors: Vec<String>,
    /// The columns of the references in it.
    pub references: Vec<String>,
    /// Why the loop should not be used.
    pub refusal: Option<String>,
    /// What else is to be said.
    pub notes: Vec<String>,
}

/// Why there is none.
#[derive(Clone, Debug)]
pub enum FblinError {
    /// No law.
    Law(SymbolicError),
    /// A law, but no closed loop.
    Loop(ClosedLoopError),
}

impl From<SymbolicError> for FblinError {
    fn from(error: SymbolicError) -> FblinError {
        FblinError::Law(error)
    }
}

/// The decoupling term is taken as zero at the point if it may be zero this near to it.
const NEAR: f64 = 1e-9;
/// The written loop stops where the decoupling term is below this part of its value at the start.
const STOP: f64 = 1e-3;
/// Larger decoupling matrices are not inverted as formulas.
const MOST_OUTPUTS: usize = 3;

/// Designs the controller and its closed loop, whose text will lie in `folder`.
pub fn fblin(
    source: &Source,
    options: &CompileOptions,
    compiled: &Compiled,
    wish: &FblinOptions,
    folder: &Path,
) -> Result<Fblin, FblinError> {
    let inputs = driven(compiled, wish)?;
    let mut names = Names::new(&source.text);
    let mut added = Vec::new();
    for (reference, output) in wish.references.iter().zip(&wish.outputs) {
        let name = format!("{}_ref", super::plain_name(output));
        added.push(Added::new("--reference", reference, &name, &mut names)?);
    }
    let with_references = extended(source, options, &added)?;
    let find = |name: &String| {
        let given = with_references.sorted.model.inputs.iter();
        given.map(|given| given.var).find(|&v| with_references.sorted.model.name(v) == *name)
    };
    let variables: Vec<VarId> = inputs.iter().filter_map(find).collect();
    let mut field = Field::new(&with_references, &variables)?;
    affine(&mut field)?;
    let mut chains = Vec::new();
    for output in &wish.outputs {
        let h = output_of(&mut field, compiled, output)?;
        chains.push(chain(&mut field, output, h)?);
    }
    let t = compiled.run.map_or(0.0, |(from, _)| from);
    let point = point(&mut field, compiled, wish, t)?;
    let mut notes = Vec::new();
    let determinant = determinant(&mut field, &chains);
    let at_point = decoupled(&mut field, &chains, determinant, &point, t)?;
    let references = references(&mut field, &chains, &added, &point, t)?;
    let poles = poles(compiled, wish, &chains, &mut notes)?;
    let middle: Vec<f64> = point.iter().map(|side| side.middle()).collect();
    let wanted: Vec<f64> = references.iter().map(|reference| reference.at_point).collect();
    let zero_dynamics = zero::zero_dynamics(&mut field, &chains, &middle, &wanted, t);
    let factors = match everywhere(&mut field, determinant).contains_zero() {
        true => zero_factors(&mut field, determinant),
        false => Vec::new(),
    };
    let start = start_value(&mut field, compiled, wish, determinant, t)?;
    let mut refusal = refusal(&field, zero_dynamics.as_ref(), &mut notes);
    if start != 0.0 && at_point * start < 0.0 {
        refusal.get_or_insert(format!(
            "the decoupling term is {} at the start and {} at the point: on the way it is zero and the law has no value",
            short(start),
            short(at_point)
        ));
    }
    let singular = !factors.is_empty();
    let law = law::write(&mut field, &mut names, &chains, &references, &poles, singular.then_some(STOP * start));
    let controller = ControllerText {
        header: header(wish),
        parameters: law.parameters.clone(),
        laws: law.laws.clone(),
        lines: law.lines.clone(),
        starts: wish.starts.clone(),
        ..ControllerText::default()
    };
    let written = closed_loop(source, options, &controller, folder).map_err(FblinError::Loop)?;
    let mut rows = Memory::default();
    let tracking = track(&written.compiled, &law.errors, &inputs, &mut rows);
    let channels = chains.iter().zip(&references).zip(&poles).map(|((chain, reference), poles)| Channel {
        output: chain.output.clone(),
        relative_degree: chain.degree(),
        derivatives: chain.derivatives.iter().map(|&e| field.text(e)).collect(),
        drift: field.text(chain.drift),
        reference: reference.text.clone(),
        gains: law::gains(poles),
        poles: poles.iter().map(|pole| (pole.re, pole.im)).collect(),
    });
    Ok(Fblin {
        states: field.names.clone(),
        channels: channels.collect(),
        decoupling: chains.iter().map(|chain| chain.gains.iter().map(|&e| field.text(e)).collect()).collect(),
        singular: factors.into_iter().map(|factor| format!("{} = 0", field.text(factor))).collect(),
        point: middle,
        determinant: at_point,
        inputs,
        zero_dynamics,
        law: law.shown(),
        closed_loop: written,
        tracking,
        rows,
        errors: law.errors,
        references: law.references,
        refusal,
        notes,
    })
}

fn header(wish: &FblinOptions) -> Vec<String> {
    let follow = if wish.outputs.len() == 1 { "follows its reference" } else { "follow their references" };
    let mut lines = vec![format!("Closed loop: {} {follow}, by feedback linearisation.", wish.outputs.join(", "))];
    lines.extend(Some(wish.command.clone()).filter(|command| !command.is_empty()));
    lines
}

/// The inputs that are driven: as many as there are outputs.
fn driven(compiled: &Compiled, wish: &FblinOptions) -> Result<Vec<String>, SymbolicError> {
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
            return wrong(match closest(name, all.iter().map(String::as_str)) {
                Some(meant) => format!("`--input {name}`: there is no input `{name}`; did you mean `{meant}`?"),
                None => format!("`--input {name}`: there is no input `{name}`; there are {}", all.join(", ")),
            });
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

fn output_of(field: &mut Field, compiled: &Compiled, name: &str) -> Result<ExprId, SymbolicError> {
    if let Some(v) = field.by_name(name) {
        return field.expression_of(v, &format!("`{name}`"));
    }
    let model = &compiled.sorted.model;
    let outputs = model.outputs.iter().chain(&compiled.sorted.columns).map(|&v| model.name(v));
    let all: Vec<String> = field.names.iter().cloned().chain(outputs).collect();
    Err(SymbolicError::Usage(match closest(name, all.iter().map(String::as_str)) {
        Some(meant) => format!("`--output {name}`: there is no `{name}`; did you mean `{meant}`?"),
        None => format!("`--output {name}`: there is no `{name}`; there are {}", all.join(", ")),
    }))
}

/// The point as small intervals: what is given, otherwise start values.
fn point(field: &mut Field, compiled: &Compiled, wish: &FblinOptions, t: f64) -> Result<Vec<Interval>, SymbolicError> {
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

/// det(L_gⱼ L_fʳ⁻¹ hᵢ) as a formula.
fn determinant(field: &mut Field, chains: &[Chain]) -> ExprId {
    let rows: Vec<Vec<ExprId>> = chains.iter().map(|chain| chain.gains.clone()).collect();
    let g = &mut field.graph;
    let determinant = match rows.as_slice() {
        [one] => one[0],
        [a, b] => {
            let (p, q) = (g.mul(a[0], b[1]), g.mul(a[1], b[0]));
            g.sub(p, q)
        }
        rows => {
            let mut sum = g.integer(0);
            for j in 0..3 {
                let (k, l) = ((j + 1) % 3, (j + 2) % 3);
                let (p, q) = (g.mul(rows[1][k], rows[2][l]), g.mul(rows[1][l], rows[2][k]));
                let minor = g.sub(p, q);
                let term = g.mul(rows[0][j], minor);
                sum = g.add(sum, term);
            }
            sum
        }
    };
    field.simple(determinant)
}

/// The determinant must not be zero: neither everywhere nor at the point.
fn decoupled(
    field: &mut Field,
    chains: &[Chain],
    determinant: ExprId,
    point: &[Interval],
    t: f64,
) -> Result<f64, SymbolicError> {
    if field.vanishes(determinant) {
        let degrees: Vec<String> =
            chains.iter().map(|chain| format!("{} of `{}`", chain.degree(), chain.output)).collect();
        return Err(SymbolicError::model(
            format!(
                "the decoupling matrix is singular everywhere (relative degrees {}): the inputs move the outputs together",
                degrees.join(", ")
            ),
            "choose other outputs, or put an integrator before the input that acts first (dynamic extension)",
        ));
    }
    let mut place: Vec<Interval> = point
        .iter()
        .map(|side| {
            let margin = NEAR * side.size().max(1.0);
            Interval::new(side.low - margin, side.high + margin)
        })
        .collect();
    place.extend(vec![Interval::ZERO; field.inputs.len()]);
    place.push(Interval::point(t));
    let tape = field.tape(&[determinant]);
    let bounds = tape.bounds(&place)[0];
    let middle: Vec<f64> = place.iter().map(|side| side.middle()).collect();
    let value = tape.values(&middle)[0];
    if bounds.contains_zero() || !value.is_finite() {
        let at: Vec<String> =
            field.names.iter().zip(&middle).map(|(name, x)| format!("{name} = {}", short(*x))).collect();
        let factors = zero_factors(field, determinant);
        let factors: Vec<String> = factors.into_iter().map(|factor| format!("{} = 0", field.text(factor))).collect();
        let whole = field.text(determinant);
        return Err(SymbolicError::none(
            format!(
                "the decoupling term {whole} vanishes at the point ({}): the relative degree is not defined there",
                at.join(", ")
            ),
            format!("choose a point away from {} with `--at`, or another output", factors.join(" and ")),
        ));
    }
    Ok(value)
}

/// What an output follows.
struct Reference {
    /// Its name in the closed loop.
    name: String,
    /// r, r′, …, as formulas of t; `None` for a number.
    derivatives: Option<Vec<ExprId>>,
    text: String,
    /// Its value at the start time.
    at_point: f64,
}

fn references(
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
            let name = format!("{}_ref", super::plain_name(&chain.output));
            all.push(Reference { name, derivatives: None, text: super::number(value), at_point: value });
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
        let at_point = field.tape(&[r]).values(&place)[0];
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

/// The poles of every output's error. Without a wish all are equal and real, and the error settles within a quarter of the run.
fn poles(
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
fn start_value(
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

/// Why a loop with these zero dynamics should not be used.
fn refusal(field: &Field, zero: Option<&ZeroDynamics>, notes: &mut Vec<String>) -> Option<String> {
    let zero = zero?;
    let Some((x, _)) = &zero.at else {
        notes.push(
            "zero dynamics: no point of rest was found near to the point, so nothing is known about their stability"
                .into(),
        );
        return None;
    };
    let at: Vec<String> = field.names.iter().zip(x).map(|(name, x)| format!("{name} = {}", short(*x))).collect();
    let words: Vec<String> = zero.eigenvalues.iter().map(|(re, im)| crate::number::complex(*re, *im)).collect();
    match zero.stable {
        Some(true) => None,
        Some(false) => Some(format!(
            "the zero dynamics are unstable (not minimum phase): eigenvalues {} at {}; the output follows while other states run away",
            words.join(", "),
            at.join(", ")
        )),
        None => {
            notes.push(format!(
                "zero dynamics: eigenvalues {} at {} are on the border of stability, so other states need not come to rest",
                words.join(", "),
                at.join(", ")
            ));
            None
        }
    }
}

/// Runs the closed loop.
fn track(compiled: &Compiled, errors: &[String], inputs: &[String], rows: &mut Memory) -> Option<Tracking> {
    let (_, t_end) = compiled.run?;
    let options = RunOptions { error: ErrorWish::Off, ..RunOptions::default() };
    let run = simulate(compiled, &options, rows).ok()?;
    let time = rows.column("time")?.to_vec();
    let t = *time.last()?;
    let last = time.len() - time.len().div_ceil(10);
    let largest = |name: &String, from: usize| {
        let column = rows.column(name).unwrap_or(&[]);
        column.iter().skip(from).fold(0.0, |most: f64, value| most.max(value.abs()))
    };
    Some(Tracking {
        t,
        t_end,
        stopped: run.reason.as_ref().map(|reason| reason.message.clone()),
        errors: errors.iter().map(|name| largest(name, last)).collect(),
        effort: inputs.iter().map(|name| largest(name, 0)).collect(),
    })
}
