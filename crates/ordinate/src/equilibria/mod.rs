//! Equilibria and their types: `ordinate equilibria`.

mod kind;
mod newton;
mod report;
mod search;

use crate::Compiled;
use crate::linearize::left_out;
use newton::{Equations, Rest};
use ordinate_model::{Forcing, constant, forcing, instead};
use search::{Found, starts};

pub use report::{equilibria_json, equilibria_text};

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct EquilibriaOptions {
    /// Where to begin, too: names of states and expressions. A name that comes again begins another point.
    pub guess: Vec<(String, String)>,
}

/// An equilibrium.
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
    /// Whether there is no other equilibrium in its neighbourhood.
    pub isolated: bool,
    /// Whether a switch changes there, so that the eigenvalues hold on one side of it only.
    pub on_switch: bool,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Equilibria {
    /// The equilibria, those nearest to the guess or to the start first.
    pub points: Vec<Equilibrium>,
    /// What else is to be said.
    pub notes: Vec<String>,
}

/// Why nothing was found.
#[derive(Clone, Debug, PartialEq)]
pub enum EquilibriaError {
    /// An option does not make sense.
    Usage(String),
    /// There is no equilibrium, or none was found: what happened, and what to try.
    None {
        /// What happened.
        message: String,
        /// What to try.
        hint: String,
    },
    /// The end of the search was wished.
    Interrupted,
}

/// So many points are shown: of an angle there may be endless ones.
const MOST_SHOWN: usize = 16;

/// Finds equilibria by Newton's method from many starts, and again with those known taken out. Time, and with it every input,
/// stands still at the start time.
pub fn equilibria(compiled: &Compiled, options: &EquilibriaOptions) -> Result<Equilibria, EquilibriaError> {
    let layout = &compiled.program.layout;
    if !layout.delays.is_empty() {
        return Err(EquilibriaError::Usage(
            "the model has a `delay`, whose past decides about its equilibria; replace `delay(z, T)` by `pade(z, T, 5)`, or by z where only the points matter".into(),
        ));
    }
    if layout.differential() == 0 {
        return Err(EquilibriaError::Usage("the model has no state, so it has no equilibrium to find".into()));
    }
    let t = compiled.run.map_or(0.0, |(from, _)| from);
    let mut equations = Equations::new(compiled, t);
    let start = equations.start.clone();
    let guesses = guesses(compiled, options, &start)?;
    let nearest = if guesses.is_empty() { vec![start] } else { guesses.clone() };
    let starts = starts(compiled, &mut equations, guesses, t);
    let Found { points: mut all, best, tried } = search::search(&mut equations, &starts);
    if compiled.stop.is_raised() {
        return Err(EquilibriaError::Interrupted);
    }
    if all.is_empty() {
        return Err(EquilibriaError::None {
            message: format!(
                "no equilibrium was found from {tried} starts: the largest rate is {best:.1e} at the best place that was seen"
            ),
            hint: "give a start near one with `--guess`; there is none where a rate cannot become zero".into(),
        });
    }
    let mut notes = Vec::new();
    // Time may act through samples alone.
    let sampled = !layout.sampled.is_empty();
    if forcing(&compiled.sorted) != Forcing::Autonomous && (layout.timed || !sampled) {
        notes.push(format!("the model depends on time, which is frozen here at t = {}", crate::short(t)));
    }
    notes.extend(left_out(&compiled.sorted.model, &[]).map(|note| match sampled {
        true => format!("{note}; `ordinate periodic` finds where the whole comes back to itself"),
        false => note,
    }));
    let far = |rest: &Rest| nearest.iter().map(|near| equations.distance(&rest.y, near)).fold(f64::INFINITY, f64::min);
    all.sort_by(|(a, _), (b, _)| far(a).total_cmp(&far(b)));
    if all.len() > MOST_SHOWN {
        let more = all.len() - MOST_SHOWN;
        notes.push(format!("{more} more equilibria were found farther away: `--guess` shows those near a point"));
        all.truncate(MOST_SHOWN);
    }
    let points: Vec<Equilibrium> = all
        .into_iter()
        .map(|(rest, dimension)| {
            let found = equations.eigenvalues(&rest);
            let on_switch = equations.on_switch(&rest);
            let kind = match &found {
                _ if on_switch => "on a switch",
                Ok(eigenvalues) => kind::kind(eigenvalues, dimension, equations.doubt(&rest, eigenvalues)),
                Err(_) => kind::UNKNOWN,
            };
            let eigenvalues = found.unwrap_or_else(|why| {
                notes.push(format!("the eigenvalues of an equilibrium are not known: {why}"));
                Vec::new()
            });
            let at = compiled.program.state_names.iter().cloned().zip(rest.y.iter().copied()).collect();
            Equilibrium { at, residual: rest.residual, eigenvalues, kind, isolated: dimension == 0, on_switch }
        })
        .collect();
    if points.iter().any(|point| !point.isolated) {
        notes.push("a line or surface of equilibria is shown by one of its points".into());
    }
    if points.iter().any(|point| point.on_switch) {
        notes.push(
            "at a point on a switch the eigenvalues hold on one side of it only, and more equilibria may lie on the switch"
                .into(),
        );
    }
    if points.iter().any(|point| point.kind == kind::UNDECIDED) {
        notes.push(
            "at a non-hyperbolic point an eigenvalue is zero as far as the point is known: the linearisation does \
             not decide its stability"
                .into(),
        );
    }
    if !equations.is_linear() {
        notes.push(format!("no others found from {tried} starts (not a proof): `--guess` starts elsewhere"));
    }
    Ok(Equilibria { points, notes })
}

/// An equilibrium near a guess.
pub(crate) struct Near {
    /// States and algebraic variables.
    pub y: Vec<f64>,
    /// The dimension of the set of equilibria that it belongs to; 0 if it is alone.
    pub dimension: usize,
}

/// The equilibrium that Newton's method finds from a guess, with held values as they are; the error is the smallest
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

/// The points of `--guess`; what is not named is as the model starts.
fn guesses(compiled: &Compiled, options: &EquilibriaOptions, start: &[f64]) -> Result<Vec<Vec<f64>>, EquilibriaError> {
    let parameters = compiled.parameter_values();
    let lookup = |name: &str| parameters.iter().find(|(known, _)| known == name).map(|&(_, value)| value);
    let names = &compiled.program.state_names;
    let (mut points, mut named): (Vec<Vec<f64>>, Vec<usize>) = (Vec::new(), Vec::new());
    for (name, text) in &options.guess {
        let Some(k) = names.iter().position(|known| known == name) else {
            let instead = instead(name, names.iter().map(String::as_str));
            return Err(EquilibriaError::Usage(format!("`--guess {name}=…`: there is no state `{name}`; {instead}")));
        };
        let value = match constant(text, &lookup) {
            Some(value) if value.is_finite() => value,
            _ => {
                return Err(EquilibriaError::Usage(format!(
                    "`--guess {name}={text}`: the value is not a finite constant"
                )));
            }
        };
        if points.is_empty() || named.contains(&k) {
            points.push(start.to_vec());
            named.clear();
        }
        named.push(k);
        points.last_mut().expect("a point was begun")[k] = value;
    }
    Ok(points)
}
