//! `ordinate design fblin`: feedback linearisation. The law that makes the errors of the outputs obey linear equations with
//! given poles, found from the model's own equations by differentiation.

mod decoupling;
mod law;
mod lie;
mod picture;
mod report;
mod wish;
mod zero;

use super::field::Field;
use super::symbolic::{Added, SymbolicError, extended};
use super::{ClosedLoop, ClosedLoopError, ControllerText, Names, closed_loop};
use crate::{CompileOptions, Compiled, ErrorWish, Memory, RunOptions, Source, short, simulate};
use decoupling::{decoupled, determinant};
use lie::{affine, chain, everywhere, zero_factors};
use ordinate_expr::VarId;
use std::path::Path;
use wish::{driven, output_of, point, poles, references, start_value};

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

/// The written loop stops where the decoupling term is below this part of its value at the start.
const STOP: f64 = 1e-3;

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
    if start.is_nan() || start.abs() <= 1e-9 * at_point.abs() {
        return Err(FblinError::Law(SymbolicError::none(
            format!("the decoupling term is {} where the closed loop starts: the law has no value there", short(start)),
            "choose other start values with `--start`",
        )));
    }
    let mut refusal = refusal(&field, zero_dynamics.as_ref(), &mut notes);
    if at_point * start < 0.0 {
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

/// Why a loop with these zero dynamics should not be used.
fn refusal(field: &Field, zero: Option<&ZeroDynamics>, notes: &mut Vec<String>) -> Option<String> {
    let zero = zero?;
    let Some((x, _)) = &zero.at else {
        notes.push(
            "zero dynamics: no equilibrium was found near the point, so nothing is known about their stability".into(),
        );
        return None;
    };
    let at: Vec<String> = field.names.iter().zip(x).map(|(name, x)| format!("{name} = {}", short(*x))).collect();
    let words: Vec<String> = zero.eigenvalues.iter().map(|(re, im)| crate::number::complex(*re, *im)).collect();
    match zero.stable {
        Some(true) => None,
        Some(false) => Some(format!(
            "the zero dynamics are unstable (not minimum phase): eigenvalues {} at {}; the output follows while \
             other states diverge",
            words.join(", "),
            at.join(", ")
        )),
        None => {
            notes.push(format!(
                "zero dynamics: eigenvalues {} at {} are on the stability boundary, so other states need not come \
                 to rest",
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
