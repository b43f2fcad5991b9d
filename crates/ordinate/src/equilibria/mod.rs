//! Points of rest and their types: `ordinate equilibria`.

mod kind;
mod newton;
mod report;

use crate::linearize::left_out;
use crate::scatter::halton;
use crate::survey::{Piece, simulate};
use crate::{Compiled, methods};
use newton::{Equations, Rest};
use ordinate_model::{Forcing, closest, constant, forcing};

pub use report::{equilibria_json, equilibria_text};

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct EquilibriaOptions {
    /// Where to begin, too: names of states and expressions.
    pub guess: Vec<(String, String)>,
}

/// A point of rest.
#[derive(Clone, Debug)]
pub struct Equilibrium {
    /// Names and values of the states, algebraic variables among them.
    pub at: Vec<(String, f64)>,
    /// The largest rate or residual that is left there.
    pub residual: f64,
    /// The eigenvalues of the linearised system as real and imaginary part, the rightmost first.
    pub eigenvalues: Vec<(f64, f64)>,
    /// Its type in words: "stable node", "saddle", …
    pub kind: &'static str,
    /// Whether there is no other point of rest in its neighbourhood.
    pub isolated: bool,
    /// Whether a switch changes there, so that the eigenvalues hold on one side of it only.
    pub on_switch: bool,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Equilibria {
    /// The points of rest, those nearest to the guess or to the start first.
    pub points: Vec<Equilibrium>,
    /// What else is to be said.
    pub notes: Vec<String>,
}

/// Why nothing was found.
#[derive(Clone, Debug, PartialEq)]
pub enum EquilibriaError {
    /// An option does not make sense.
    Usage(String),
    /// There is no point of rest, or none was found: what happened, and what to try.
    None {
        /// What happened.
        message: String,
        /// What to try.
        hint: String,
    },
}

/// Points are the same if they are nearer to each other than this, in usual sizes.
const SAME: f64 = 1e-6;
/// The same where one of them is badly determined.
const BLURRED: f64 = 1e-3;

/// Finds points of rest by Newton's method from many starts. Time, and with it every input, stands still at the start time.
pub fn equilibria(compiled: &Compiled, options: &EquilibriaOptions) -> Result<Equilibria, EquilibriaError> {
    let layout = &compiled.program.layout;
    if !layout.delays.is_empty() {
        return Err(EquilibriaError::Usage(
            "the model has a `delay`, whose past decides about its points of rest; replace `delay(z, T)` by `pade(z, T, 5)`, or by z where only the points matter".into(),
        ));
    }
    if layout.differential() == 0 {
        return Err(EquilibriaError::Usage("the model has no state that could come to rest".into()));
    }
    let t = compiled.run.map_or(0.0, |(from, _)| from);
    let mut equations = Equations::new(compiled, t);
    let start = equations.start.clone();
    let starts = starts(compiled, &mut equations, options, t, &start)?;
    let (mut found, mut families): (Vec<Rest>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut tried_best = f64::INFINITY;
    for start in &starts {
        let rest = match equations.solve(start) {
            Ok(rest) => rest,
            Err(residual) => {
                tried_best = tried_best.min(residual);
                continue;
            }
        };
        let near = |known: &Rest| if known.blurred || rest.blurred { BLURRED } else { SAME };
        if found.iter().any(|known| equations.distance(&known.y, &rest.y) < near(known)) {
            continue;
        }
        // Of a line or surface of points one is enough.
        let dimension = equations.family(&rest);
        if dimension > 0 && families.contains(&dimension) {
            continue;
        }
        families.push(dimension);
        found.push(rest);
    }
    if found.is_empty() {
        let count = starts.len();
        return Err(EquilibriaError::None {
            message: format!(
                "no point of rest was found from {count} starts: the largest rate is {tried_best:.1e} at the best place that was seen"
            ),
            hint: "give a start near to one with `--guess`; there is none where a rate cannot become zero".into(),
        });
    }
    let mut notes = Vec::new();
    // Time may act through samples alone.
    let sampled = !layout.sampled.is_empty();
    if forcing(&compiled.sorted) != Forcing::Autonomous && (layout.timed || !sampled) {
        notes.push(format!("the model depends on time, which stands still here at t = {}", crate::short(t)));
    }
    notes.extend(left_out(&compiled.sorted.model, &[]).map(|note| match sampled {
        true => format!("{note}; `ordinate periodic` finds where the whole comes back to itself"),
        false => note,
    }));
    let mut all: Vec<(Rest, usize)> = found.into_iter().zip(families).collect();
    let far = |rest: &Rest| equations.distance(&rest.y, &starts[0]);
    all.sort_by(|(a, _), (b, _)| far(a).total_cmp(&far(b)));
    let points: Vec<Equilibrium> = all
        .into_iter()
        .map(|(rest, dimension)| {
            let eigenvalues = equations.eigenvalues(&rest);
            let kind = if equations.on_switch(&rest) { "on a switch" } else { kind::kind(&eigenvalues, dimension) };
            let at = compiled.program.state_names.iter().cloned().zip(rest.y.iter().copied()).collect();
            let on_switch = equations.on_switch(&rest);
            Equilibrium { at, residual: rest.residual, eigenvalues, kind, isolated: dimension == 0, on_switch }
        })
        .collect();
    if points.iter().any(|point| !point.isolated) {
        notes.push("a line or surface of points of rest is shown by one of its points".into());
    }
    if points.iter().any(|point| point.on_switch) {
        notes.push(
            "at a point on a switch the eigenvalues hold on one side of it only, and more points of rest may lie on the switch"
                .into(),
        );
    }
    Ok(Equilibria { points, notes })
}

/// A point of rest near a guess.
pub(crate) struct Near {
    /// States and algebraic variables.
    pub y: Vec<f64>,
    /// The dimension of the set of points of rest that it belongs to; 0 if it is alone.
    pub dimension: usize,
}

/// The point of rest that Newton's method finds from a guess, with held values as they are; the error is the smallest
/// rate that was seen.
pub(crate) fn rest_near(compiled: &Compiled, t: f64, guess: &[f64], held: &[f64]) -> Result<Near, f64> {
    let mut equations = Equations::new(compiled, t);
    equations.start = guess.to_vec();
    equations.held = held.to_vec();
    let size = |&value: &f64| if value.abs() > 1e-12 { value.abs() } else { 1.0 };
    equations.set_scale(guess.iter().map(size).collect());
    let rest = equations.solve(guess)?;
    let dimension = equations.family(&rest);
    Ok(Near { y: rest.y, dimension })
}

/// The given start, the guess, the end of a simulation, and points around them.
fn starts(
    compiled: &Compiled,
    equations: &mut Equations,
    options: &EquilibriaOptions,
    t: f64,
    start: &[f64],
) -> Result<Vec<Vec<f64>>, EquilibriaError> {
    let span = compiled.run.map_or(10.0, |(from, to)| to - from);
    let held = equations.held.clone();
    let piece = simulate(compiled, &methods::automatic(), (t, start, &held), span, 101);
    equations.set_scale(sizes(&piece, start));
    let mut starts = Vec::new();
    if !options.guess.is_empty() {
        starts.push(guess(compiled, options, start)?);
    }
    starts.push(start.to_vec());
    starts.extend(piece.y.last().cloned());
    let many = match start.len() {
        0..=3 => 24,
        4..=10 => 16,
        11..=50 => 4,
        _ => 0,
    };
    let centre = starts[0].clone();
    for factor in [1.0, 4.0, 0.25] {
        let widths: Vec<f64> = equations.scale.iter().map(|scale| factor * scale).collect();
        starts.extend(halton(many, &centre, &widths));
    }
    // Most models have their origin somewhere near.
    starts.extend(halton(many, &vec![0.0; start.len()], &equations.scale));
    Ok(starts)
}

/// The usual size of each state.
fn sizes(piece: &Piece, start: &[f64]) -> Vec<f64> {
    let size = |k: usize| {
        let (low, high) = if piece.y.is_empty() { (start[k], start[k]) } else { piece.range(k, 0) };
        let size = (high - low).max(low.abs()).max(high.abs());
        if size.is_finite() && size > 1e-12 { size } else { 1.0 }
    };
    (0..start.len()).map(size).collect()
}

fn guess(compiled: &Compiled, options: &EquilibriaOptions, start: &[f64]) -> Result<Vec<f64>, EquilibriaError> {
    let parameters = compiled.parameter_values();
    let lookup = |name: &str| parameters.iter().find(|(known, _)| known == name).map(|&(_, value)| value);
    let names = &compiled.program.state_names;
    let mut y = start.to_vec();
    for (name, text) in &options.guess {
        let Some(k) = names.iter().position(|known| known == name) else {
            return Err(EquilibriaError::Usage(match closest(name, names.iter().map(String::as_str)) {
                Some(meant) => format!("`--guess {name}=…`: there is no state `{name}`; did you mean `{meant}`?"),
                None => format!("`--guess {name}=…`: there is no state `{name}`; there are {}", names.join(", ")),
            }));
        };
        y[k] = match constant(text, &lookup) {
            Some(value) if value.is_finite() => value,
            _ => {
                return Err(EquilibriaError::Usage(format!(
                    "`--guess {name}={text}`: the value is not a finite constant"
                )));
            }
        };
    }
    Ok(y)
}
