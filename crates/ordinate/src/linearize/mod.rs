//! A model near a point as a linear system: `ordinate linearize`.
//!
//! ```text
//!   x′ = f(t, x, z, u)                 δx′ = A δx + B δu
//!   0  = g(t, x, z, u)                 δy  = C δx + D δu
//!   y  = h(t, x, z, u)
//! ```
//!
//! by differentiation of the expressions. Algebraic variables z are eliminated (the theorem of implicit functions), and
//! where the index was reduced, the states are those that remain free on the constraints.

mod analysis;
mod equations;
mod export;
mod figures;
mod kink;
mod point;
mod reduce;
mod report;
mod response;
mod rest;
mod slopes;
mod text;

use crate::Compiled;
use ordinate_control::{Matrix, StateSpace};
use ordinate_expr::VarId;
use ordinate_model::{Model, Role, Watch, reads, with_open};
use ordinate_syntax::Diagnostic;
use point::Point;
use slopes::Opened;

pub use analysis::{Analysis, AnalysisOptions, Channel, Mode, analyse};
pub use equations::linearize_model;
pub use export::{linearize_mat, linearize_npz};
pub use figures::{LinearFigureOptions, LinearPicture, linear_figure};
pub use report::linearize_json;
pub use response::response_figure;
pub use text::linearize_text;

/// Where a model is linearised.
#[derive(Clone, Debug, Default)]
pub struct LinearizeOptions {
    /// Names of states and inputs, and expressions for their values. Others have their start values.
    pub at: Vec<(String, String)>,
    /// The point that the solution reaches at this time, instead of the start.
    pub time: Option<f64>,
    /// Whether that is only a guess, and the equilibrium near it is meant.
    pub equilibrium: bool,
    /// Inputs whose values are found together with the equilibrium; states named in `at` stay where they are then.
    pub free: Vec<String>,
    /// Parameters and held values that are inputs, too, after those of the model.
    pub inputs: Vec<String>,
    /// Inputs, parameters and held values that disturb: they have matrices of their own.
    pub disturbances: Vec<String>,
}

/// A linear system that agrees with a model near a point.
#[derive(Clone, Debug)]
pub struct Linearization {
    /// Names and values of all states of the model, then of the inputs, then of the disturbances.
    pub point: Vec<(String, f64)>,
    /// The same of the algebraic variables, which follow from those.
    pub algebraic: Vec<(String, f64)>,
    /// The time of the point.
    pub time: f64,
    /// The states of the linear system: those of the model, or those that remain free on its constraints.
    pub states: Vec<String>,
    /// The inputs.
    pub inputs: Vec<String>,
    /// The disturbances.
    pub disturbances: Vec<String>,
    /// The outputs of the model or, without any, every state that the text names.
    pub outputs: Vec<String>,
    /// Units of states, inputs and outputs, where they are known.
    pub units: Units,
    /// A, B, C, D of states, inputs and outputs.
    pub system: StateSpace,
    /// What the disturbances do to the rates, one column each: δx′ = A δx + B δu + G δw.
    pub g: Matrix,
    /// What they do to the outputs at once.
    pub dg: Matrix,
    /// The rates of the states at the point: zero at an equilibrium.
    pub rates: Vec<f64>,
    /// The outputs at the point.
    pub outputs_at: Vec<f64>,
    /// What else is to be said.
    pub notes: Vec<String>,
}

/// Units as the text has them.
#[derive(Clone, Debug, Default)]
pub struct Units {
    /// Of the point: of all states, inputs and disturbances.
    pub point: Vec<Option<String>>,
    /// Of the states.
    pub states: Vec<Option<String>>,
    /// Of the inputs.
    pub inputs: Vec<Option<String>>,
    /// Of the disturbances.
    pub disturbances: Vec<Option<String>>,
    /// Of the outputs.
    pub outputs: Vec<Option<String>>,
}

/// Why there is no linear system.
#[derive(Clone, Debug)]
pub enum LinearizeError {
    /// An option does not make sense.
    Usage(String),
    /// A mistake of the model that shows only now.
    Model(Vec<Diagnostic>),
    /// There is none at this point, or the point was not found: what happened, and what to try.
    None {
        /// What happened.
        message: String,
        /// What to try.
        hint: String,
    },
}

/// Larger systems are not written as dense matrices.
const MOST_STATES: usize = 1000;
/// Rates below this part of the terms that they are made of are those of values that were typed with some digits.
const AT_REST: f64 = 1e-6;

impl Linearization {
    /// The value of a state or input at the point.
    pub fn at(&self, name: &str) -> Option<f64> {
        self.point.iter().find(|(known, _)| known == name).map(|&(_, value)| value)
    }

    /// Whether the point is one of rest: rates vanish but for rounding and for what a value typed with many digits is off.
    pub fn is_rest(&self) -> bool {
        let StateSpace { a, b, .. } = &self.system;
        let sizes = |names: &[String]| names.iter().map(|name| self.at(name).unwrap_or(0.0).abs()).collect::<Vec<_>>();
        let (x, u, w) = (sizes(&self.states), sizes(&self.inputs), sizes(&self.disturbances));
        let sum = |row: &[f64], sizes: &[f64]| row.iter().zip(sizes).map(|(a, size)| a.abs() * size).sum::<f64>();
        let size = |i: usize| sum(a.row(i), &x) + sum(b.row(i), &u) + sum(self.g.row(i), &w);
        self.rates.iter().enumerate().all(|(i, rate)| rate.abs() <= AT_REST * size(i) + f64::EPSILON)
    }
}

/// Linearises a model.
pub fn linearize(compiled: &Compiled, options: &LinearizeOptions) -> Result<Linearization, LinearizeError> {
    let sorted = &compiled.sorted;
    let model = &sorted.model;
    if sorted.states.is_empty() {
        return Err(LinearizeError::Usage("the model has no state, so there is nothing to linearise".into()));
    }
    if !sorted.indices.is_empty() {
        let text = "a model of higher index is linearised with its index reduced: leave `--index direct` out";
        return Err(LinearizeError::Usage(text.into()));
    }
    if compiled.program.layout.states > MOST_STATES {
        let n = compiled.program.layout.states;
        return Err(LinearizeError::Usage(format!(
            "the model has {n} states; matrices are written out up to {MOST_STATES}"
        )));
    }
    if let Some(delayed) = model.delays.first() {
        let what = model.print(delayed.of);
        return Err(LinearizeError::None {
            message: format!("the model delays `{what}`: a linear system with a delay has no finite A, B, C, D"),
            hint: format!("approximate it: `pade({what}, {}, 5)` instead of `delay`", model.print(delayed.time)),
        });
    }
    let (controls, disturbances) = inputs(model, options)?;
    let inputs: Vec<VarId> = controls.iter().chain(&disturbances).copied().collect();
    if let Some(&v) = inputs.iter().find(|v| model.differentiated.contains(v)) {
        let name = model.name(v);
        return Err(LinearizeError::None {
            message: format!(
                "the model needs the derivative of the input `{name}`, and x' = A x + B u has no place for it"
            ),
            hint: format!(
                "write the equation with `laplace((b1*s + b0)/(s^2 + a1*s + a0), {name})`, or let `{name}` act on a state"
            ),
        });
    }
    let mut point = Point::new(compiled, &inputs, options)?;
    if options.equilibrium || !options.free.is_empty() {
        rest::find(compiled, &inputs, options, &mut point)?;
    } else {
        point.make_consistent(compiled, &inputs)?;
    }
    let all_outputs = outputs(compiled);
    let mut opened = Opened::new(compiled, &inputs, &all_outputs);
    let slopes = kink::slopes(&mut opened, &point, compiled)?;
    let reduced = reduce::reduce(&slopes, sorted)?;
    let states: Vec<VarId> = reduced.free.iter().map(|&k| sorted.states[k].var).collect();
    // Without any output every state is one; states that follow from others on constraints are no states here.
    let seen = |k: &usize| !model.outputs.is_empty() || states.contains(&all_outputs[*k]);
    let rows: Vec<usize> = (0..all_outputs.len()).filter(seen).collect();
    let outputs: Vec<VarId> = rows.iter().map(|&k| all_outputs[k]).collect();
    let every: Vec<usize> = (0..states.len()).collect();
    let (first, second): (Vec<usize>, Vec<usize>) = (0..inputs.len()).partition(|&k| k < controls.len());
    let mut notes = std::mem::take(&mut point.notes);
    notes.extend(about(compiled, &inputs, &states, point.t));
    let names = |list: &[VarId]| list.iter().map(|&v| model.name(v)).collect::<Vec<_>>();
    let units = |list: &[VarId]| {
        let unit = |&v: &VarId| model.unit_text(&model.quantity(v).base, model.variable(v).primes);
        list.iter().map(unit).collect::<Vec<_>>()
    };
    let valued =
        |list: &mut dyn Iterator<Item = VarId>| list.map(|v| (model.name(v), point.value(v) + 0.0)).collect::<Vec<_>>();
    let all: Vec<VarId> = sorted.states.iter().map(|state| state.var).chain(inputs.iter().copied()).collect();
    Ok(Linearization {
        point: valued(&mut all.iter().copied()),
        algebraic: valued(&mut sorted.algebraic.iter().map(|algebraic| algebraic.var)),
        time: point.t,
        rates: reduced.free.iter().map(|&k| slopes.rates[k]).collect(),
        outputs_at: rows.iter().map(|&k| slopes.outputs[k]).collect(),
        units: Units {
            point: units(&all),
            states: units(&states),
            inputs: units(&controls),
            disturbances: units(&disturbances),
            outputs: units(&outputs),
        },
        system: StateSpace {
            b: part(&reduced.b, &every, &first),
            c: part(&reduced.c, &rows, &every),
            d: part(&reduced.d, &rows, &first),
            a: reduced.a,
            period: None,
        },
        g: part(&reduced.b, &every, &second),
        dg: part(&reduced.d, &rows, &second),
        states: names(&states),
        inputs: names(&controls),
        disturbances: names(&disturbances),
        outputs: names(&outputs),
        notes,
    })
}

/// Some rows and columns of a matrix.
fn part(matrix: &Matrix, rows: &[usize], columns: &[usize]) -> Matrix {
    let elements = rows.iter().flat_map(|&i| columns.iter().map(move |&j| matrix.at(i, j))).collect();
    Matrix::from_elements(rows.len(), columns.len(), elements)
}

/// The inputs of the model, those that a sampled controller drives among them, then those asked for; and the disturbances.
fn inputs(model: &Model, options: &LinearizeOptions) -> Result<(Vec<VarId>, Vec<VarId>), LinearizeError> {
    let declared = model.inputs.iter().map(|given| given.var).chain(model.driven.iter().copied());
    let mut inputs: Vec<VarId> = declared.collect();
    inputs.sort_by_key(|&v| model.variable(v).span);
    for name in &options.inputs {
        let v = given_from_outside(model, name.trim(), "--input")?;
        if !inputs.contains(&v) {
            inputs.push(v);
        }
    }
    let mut disturbances: Vec<VarId> = Vec::new();
    for name in &options.disturbances {
        let v = given_from_outside(model, name.trim(), "--disturbance")?;
        if !disturbances.contains(&v) {
            disturbances.push(v);
        }
    }
    inputs.retain(|v| !disturbances.contains(v));
    Ok((inputs, disturbances))
}

/// An input, a parameter or a held value.
fn given_from_outside(model: &Model, name: &str, option: &str) -> Result<VarId, LinearizeError> {
    let fits = |v: VarId| matches!(model.variable(v).role, Role::Parameter | Role::Held | Role::Input);
    match point::find(model, name) {
        None => Err(point::unknown(model, name, option, &fits)),
        Some(v) if fits(v) => Ok(v),
        Some(_) => Err(LinearizeError::Usage(format!(
            "`{option} {name}`: `{name}` follows from the equations; inputs are inputs, parameters and held values"
        ))),
    }
}

/// The outputs of the model or, without any, the states that the text names.
fn outputs(compiled: &Compiled) -> Vec<VarId> {
    let sorted = &compiled.sorted;
    match sorted.model.outputs.as_slice() {
        [] => sorted.states[..sorted.visible].iter().map(|state| state.var).collect(),
        outputs => outputs.to_vec(),
    }
}

/// What events do, which no linear system at a point knows; held values that are inputs are known.
pub(crate) fn left_out(model: &Model, inputs: &[VarId]) -> Option<String> {
    let held = (0..model.variables.len() as u32).map(VarId);
    let held: Vec<VarId> = held.filter(|v| model.variable(*v).role == Role::Held && !inputs.contains(v)).collect();
    let quoted: Vec<String> = held.iter().map(|&v| format!("`{}`", model.name(v))).collect();
    if !held.is_empty() {
        return Some(format!(
            "{} {} assigned by events and held here: what `every` and `when` do is no part of the linear system",
            quoted.join(", "),
            if held.len() == 1 { "is" } else { "are" },
        ));
    }
    let acts = !model.samples.is_empty() || model.conditions.iter().any(|condition| condition.action.is_some());
    acts.then(|| "what `every` and `when` do is no part of the linear system".into())
}

/// What a reader of the matrices should know.
fn about(compiled: &Compiled, inputs: &[VarId], states: &[VarId], t: f64) -> Vec<String> {
    let sorted = &compiled.sorted;
    let model = &sorted.model;
    let quoted = |list: &[VarId]| list.iter().map(|&v| format!("`{}`", model.name(v))).collect::<Vec<_>>().join(", ");
    let mut notes = Vec::new();
    let reads = reads(&with_open(sorted, inputs), &outputs(compiled));
    if reads.time {
        notes.push(format!("the model depends on time, which is frozen here at t = {}", crate::short(t)));
    }
    if states.len() < sorted.states.len() {
        let all = sorted.states.iter().map(|state| state.var);
        let bound: Vec<VarId> = all.filter(|v| !states.contains(v)).collect();
        notes.push(format!(
            "the constraints leave {} degrees of freedom, described by {}; {} follow{}",
            states.len(),
            quoted(states),
            quoted(&bound),
            if bound.len() == 1 { "s" } else { "" },
        ));
    }
    notes.extend(left_out(model, inputs));
    let steps = reads.switches.iter().find_map(|&k| match model.switches[k].watch {
        Watch::Floor(e) => Some(e),
        Watch::Sign(_) | Watch::Segment(_) => None,
    });
    if let Some(e) = steps {
        notes.push(format!(
            "the integer part of `{}` has the slope zero here: what acts through it is not in the matrices",
            model.print(e)
        ));
    }
    let hidden = sorted.states.iter().filter(|state| model.quantity(state.var).hidden).count();
    if hidden > 0 {
        let plural = if hidden == 1 { "" } else { "s" };
        notes.push(format!(
            "{hidden} state{plural} of `pade`, `laplace` or a rewritten equation {} among the states",
            if hidden == 1 { "is" } else { "are" }
        ));
    }
    notes
}
