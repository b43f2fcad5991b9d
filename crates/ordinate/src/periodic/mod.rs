//! Periodic states by shooting: `ordinate periodic`.
//!
//! The error of an orbit follows from that of the map over its period, Y. Shmygelsky, V. Brygilevych, Simulation of Dynamic Systems
//! Using Global Calculation Error, eq. (18): with the error δ of P̃ and the rest d of Newton's method
//!
//! ```text
//!   η = ỹ* − y* ≈ (I − P′)⁻¹ (δ + d)
//! ```

mod map;
mod picture;
mod repeats;
mod report;
mod search;
mod shooting;

use crate::rates::eigenvalues_of;
use crate::{Compiled, RunOptions, methods, short};
use map::{Accuracy, Map};
use ordinate_control::Matrix;
use ordinate_model::{Forcing, constant, forcing, instead};
use ordinate_solve::{Choice, by_name};
use repeats::{Repeat, Repeats};
use shooting::{Fixed, Inverse, Search, map_error};

pub use picture::periodic_figure;
pub use report::{periodic_json, periodic_text};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct PeriodicOptions {
    /// The period, an expression; otherwise that of the model, or found.
    pub period: Option<String>,
    /// Where to begin, by the names of states; the values are expressions.
    pub guess: Vec<(String, String)>,
    /// Name of the method.
    pub method: String,
    /// Use N equal steps over the period instead of step size control.
    pub steps: Option<u64>,
    /// Whether the estimated error of the map is subtracted from it.
    pub correct: bool,
}

impl Default for PeriodicOptions {
    fn default() -> Self {
        PeriodicOptions { period: None, guess: Vec::new(), method: "auto".into(), steps: None, correct: false }
    }
}

/// A periodic solution.
#[derive(Clone, Debug)]
pub struct Orbit {
    /// Names and values of its states at the start time.
    pub start: Vec<(String, f64)>,
    /// Its period.
    pub period: f64,
    /// The eigenvalues of the map's derivative, as real and imaginary part, the largest first.
    pub multipliers: Vec<(f64, f64)>,
    /// The multiplier that is one because the model does not depend on time.
    pub trivial: Option<usize>,
    /// Whether it attracts nearby solutions; `None` where a multiplier lies on the unit circle.
    pub stable: Option<bool>,
    /// Estimated largest error of the start values.
    pub error: f64,
    /// Estimated error of the period, where it was found.
    pub period_error: Option<f64>,
    /// ‖(I − P′)⁻¹‖, the condition of the orbit: the largest sum of a row, in usual sizes, with the phase held where the period is
    /// found, too. An error of the map over a period is amplified by at most that. Infinite if the matrix is singular.
    pub condition: f64,
    /// Iterations of Newton's method.
    pub iterations: usize,
    /// What was left of P(y) − y in usual sizes.
    pub residual: f64,
    /// All states and held values where it starts.
    pub(crate) state: (Vec<f64>, Vec<f64>),
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Periodic {
    /// The orbits, that from the given start first.
    pub orbits: Vec<Orbit>,
    /// Whether the model does not depend on time.
    pub autonomous: bool,
    /// The method.
    pub method: &'static str,
    /// Steps over the period, if they were given, and whether the map was corrected.
    pub steps: Option<u64>,
    /// Whether the map was corrected.
    pub corrected: bool,
    /// Start time.
    pub t_start: f64,
    /// What else is to be said.
    pub notes: Vec<String>,
}

/// Why nothing was found.
#[derive(Clone, Debug, PartialEq)]
pub enum PeriodicError {
    /// An option does not make sense: the text says which and what to do.
    Usage(String),
    /// There is no orbit, or none was found: what happened, and what to try.
    None {
        /// What happened.
        message: String,
        /// What to try.
        hint: String,
    },
    /// The end of the search was wished.
    Interrupted,
}

/// A multiplier nearer to the unit circle than this may be on either side of it.
const ON_CIRCLE: f64 = 1e-7;
/// A change of the orbit, in usual sizes, changes a multiplier by at most so much: if that may be enough, it is looked.
const STEEPEST: f64 = 1e6;

/// Finds periodic solutions.
pub fn periodic(compiled: &Compiled, options: &PeriodicOptions) -> Result<Periodic, PeriodicError> {
    let choice = chosen_method(options)?;
    if !compiled.program.layout.delays.is_empty() {
        return Err(PeriodicError::Usage(
            "the model has a `delay`: its periodic solutions are functions of a whole delay, which are not searched \
             for; use `pade(z, T, 5)`"
                .into(),
        ));
    }
    if compiled.program.layout.differential() == 0 {
        return Err(PeriodicError::Usage("the model has no state, so it has no periodic solution to find".into()));
    }
    let forcing = forcing(&compiled.sorted);
    let autonomous = forcing == Forcing::Autonomous;
    let t_start = compiled.run.map_or(0.0, |(from, _)| from);
    let (period, note) = given_period(compiled, options, &forcing, t_start)?;
    let mut map = Map::new(compiled, of_formula(choice, options), options.steps.is_some(), t_start)
        .map_err(PeriodicError::Usage)?;
    let guess = guess(compiled, &map, options)?;
    let accuracy = match options.steps {
        Some(steps) => Accuracy::Steps(steps),
        None => Accuracy::Tolerance(1e-13),
    };
    let search = Search { autonomous, accuracy, correct: options.correct, tolerance: 1e-12, singular: 1e10 };
    let searched = search::search(compiled, &mut map, &search, guess, period);
    if compiled.stop.is_raised() {
        return Err(PeriodicError::Interrupted);
    }
    let (found, mut notes) = searched?;
    notes.extend(note);
    notes.push("no other periodic orbits found (not a proof): `--guess` starts elsewhere".into());
    let orbits = found.into_iter().map(|fixed| orbit(compiled, &mut map, &search, fixed)).collect();
    Ok(Periodic {
        orbits,
        autonomous,
        method: choice.name(),
        steps: options.steps,
        corrected: options.correct,
        t_start,
        notes,
    })
}

fn usage<T>(message: String) -> Result<T, PeriodicError> {
    Err(PeriodicError::Usage(message))
}

fn chosen_method(options: &PeriodicOptions) -> Result<Choice, PeriodicError> {
    if options.steps == Some(0) {
        return usage("`--steps` must be at least 1".into());
    }
    if options.correct && options.steps.is_none() {
        return usage("`--correct` is for a map of equal steps: give `--steps N`; with controlled steps the error is far below what is shown".into());
    }
    // A fixed step is only announced here: which one follows from the period.
    let wish = RunOptions { method: options.method.clone(), step: options.steps.map(|_| 1.0), ..RunOptions::default() };
    match methods::choose(&wish) {
        Ok((choice, _)) => Ok(choice),
        Err(crate::RunError::Usage(text)) => usage(text.replace("`--step H`", "`--steps N`")),
        Err(_) => usage(format!("there is no method `{}`", options.method)),
    }
}

/// The method of the map: implicit Euler has several names, and its error is carried along by the first of the BDF methods.
fn of_formula(choice: Choice, options: &PeriodicOptions) -> Choice {
    match choice.name() {
        "backward-euler" | "am0" if options.steps.is_some() => by_name("bdf1").unwrap_or(choice),
        _ => choice,
    }
}

/// The period of a forced model, or a guess of that of an autonomous one, and what is to be said about it.
fn given_period(
    compiled: &Compiled,
    options: &PeriodicOptions,
    forcing: &Forcing,
    t_start: f64,
) -> Result<(Option<f64>, Option<String>), PeriodicError> {
    let parameters = compiled.parameter_values();
    let lookup = |name: &str| parameters.iter().find(|(known, _)| known == name).map(|&(_, value)| value);
    let Some(text) = &options.period else { return Ok((own_period(compiled, forcing, t_start)?, None)) };
    let Some(period) = constant(text, &lookup).filter(|period| *period > 0.0 && period.is_finite()) else {
        return usage(format!(
            "`--period {text}` is not a positive number; write one, or an expression such as 2*pi/w"
        ));
    };
    // A whole number of periods that were read from the equations needs no further look.
    let known = match forcing {
        Forcing::Autonomous => true,
        Forcing::Periodic(own) => is_multiple(period, *own),
        Forcing::Several(_) | Forcing::Other(_) => false,
    };
    if known {
        return Ok((Some(period), None));
    }
    let next = || match forcing {
        Forcing::Autonomous => String::new(),
        Forcing::Periodic(own) => {
            let own = Repeats::new(compiled, t_start).least(*own);
            format!("the model has the period {}; give that or a multiple of it", short(own))
        }
        Forcing::Several(periods) => no_common(periods),
        Forcing::Other(_) => {
            "give a period after which everything repeats; if something happens only once, start the run after it; \
             leave out what dies out"
                .into()
        }
    };
    match Repeats::new(compiled, t_start).after(period) {
        Repeat::To(part) if part <= 1e-9 => Ok((Some(period), None)),
        // Of a period that can be read all digits are known.
        Repeat::To(_) if matches!(forcing, Forcing::Periodic(_)) => usage(format!("`--period {text}`: {}", next())),
        Repeat::To(part) => Ok((
            Some(period),
            Some(format!(
                "after the period the equations repeat only to within {part:.1e} of their variation in time: the \
                 orbit is not known more accurately than that"
            )),
        )),
        Repeat::Not(what) => {
            usage(format!("`--period {text}`: the equations do not repeat after it: {what}; {}", next()))
        }
    }
}

/// The period that can be read from the model.
fn own_period(compiled: &Compiled, forcing: &Forcing, t_start: f64) -> Result<Option<f64>, PeriodicError> {
    match forcing {
        Forcing::Autonomous => Ok(None),
        Forcing::Periodic(own) => Ok(Some(Repeats::new(compiled, t_start).least(*own))),
        Forcing::Several(periods) => usage(no_common(periods)),
        Forcing::Other(what) => usage(format!(
            "the period of the model is not known, because it depends on time through {what}: give it with `--period T`"
        )),
    }
}

fn no_common(periods: &[f64]) -> String {
    let list: Vec<String> = periods.iter().map(|period| short(*period)).collect();
    format!(
        "the model has the periods {}, which have no common multiple: its solutions are not periodic; change one of them so that there is one",
        list.join(", ")
    )
}

fn is_multiple(period: f64, own: f64) -> bool {
    let ratio = period / own;
    ratio.round() >= 1.0 && (ratio - ratio.round()).abs() <= 1e-9 * ratio
}

/// The guessed unknowns, if there are any; the others are as the model starts.
fn guess(compiled: &Compiled, map: &Map, options: &PeriodicOptions) -> Result<Option<Vec<f64>>, PeriodicError> {
    if options.guess.is_empty() {
        return Ok(None);
    }
    let parameters = compiled.parameter_values();
    let lookup = |name: &str| parameters.iter().find(|(known, _)| known == name).map(|&(_, value)| value);
    let (names, mut start) = (map.names(), map.start());
    for (name, text) in &options.guess {
        let Some(k) = names.iter().position(|known| known == name) else {
            let instead = instead(name, names.iter().map(String::as_str));
            return usage(format!("`--guess {name}=…`: there is no state `{name}` to choose; {instead}"));
        };
        if options.guess.iter().filter(|(other, _)| other == name).count() > 1 {
            return usage(format!("`--guess {name}=…` is given twice: one orbit is searched for at a time"));
        }
        match constant(text, &lookup) {
            Some(value) if value.is_finite() => start[k] = value,
            _ => return usage(format!("`--guess {name}={text}`: the value is not a finite constant")),
        }
    }
    Ok(Some(start))
}

/// The facts about an orbit.
fn orbit(compiled: &Compiled, map: &mut Map, search: &Search, fixed: Fixed) -> Orbit {
    let Fixed { y, period, image, iterations, residual } = fixed;
    let n = y.len();
    let multipliers = multipliers(map, &image);
    let from_one = |k: &usize| (multipliers[*k].0 - 1.0).hypot(multipliers[*k].1);
    let trivial = match search.autonomous {
        true => (0..multipliers.len()).min_by(|a, b| from_one(a).total_cmp(&from_one(b))),
        false => None,
    };
    let others = multipliers.iter().enumerate().filter(|(k, _)| trivial != Some(*k)).map(|(_, m)| m.0.hypot(m.1));
    let largest = others.fold(0.0, f64::max);
    let held = map.full_held(&y);
    let mut inverse = Inverse::new(map, search, period, &image);
    let condition = inverse.as_ref().map_or(f64::INFINITY, |inverse| inverse.norm);
    let known = orbit_error(compiled, map, search, &y, (period, &image), inverse.as_mut());
    let (error, period_error, known_to) = known;
    let circle = match (largest - 1.0).abs() < STEEPEST * shooting::size(map, &known_to) {
        true => doubt(map, search, &y, period, &known_to, &multipliers).max(ON_CIRCLE),
        false => ON_CIRCLE,
    };
    let stable = match largest {
        m if n > 0 && multipliers.is_empty() || m.is_nan() => None,
        m if m < 1.0 - circle => Some(true),
        m if m > 1.0 + circle => Some(false),
        _ => None,
    };
    Orbit {
        start: map.shown(&image.first, &y),
        period,
        multipliers,
        trivial,
        stable,
        error,
        period_error: period_error.filter(|_| search.autonomous),
        condition,
        iterations,
        residual,
        state: (image.first, held),
    }
}

/// The eigenvalues of the map's derivative, the largest first.
fn multipliers(map: &Map, image: &map::Image) -> Vec<(f64, f64)> {
    let n = image.end.len();
    let moving: Vec<usize> = (0..n).filter(|&i| !map.is_idle(image, i)).collect();
    let mut matrix = Matrix::zero(moving.len(), moving.len());
    for (row, i) in moving.iter().enumerate() {
        for (column, j) in moving.iter().enumerate() {
            *matrix.at_mut(row, column) = image.derivative[i * n + j];
        }
    }
    let mut multipliers = eigenvalues_of(&matrix).unwrap_or_default();
    multipliers.sort_by(|a, b| b.0.hypot(b.1).total_cmp(&a.0.hypot(a.1)).then(b.1.total_cmp(&a.1)));
    multipliers
}

/// How far the sizes of the multipliers may be from the computed ones: those beside the orbit, as far away as its error. Where two
/// orbits meet, which is where a multiplier is one, the orbit is known to half of the digits only, and so is the multiplier.
fn doubt(map: &mut Map, search: &Search, y: &[f64], period: f64, known_to: &[f64], multipliers: &[(f64, f64)]) -> f64 {
    let mut doubt: f64 = 0.0;
    for sign in [1.0, -1.0] {
        let beside: Vec<f64> = y.iter().zip(known_to).map(|(y, error)| y + sign * error).collect();
        let Ok(image) = map.apply(&beside, period, search.accuracy) else { return f64::INFINITY };
        for (a, b) in self::multipliers(map, &image).iter().zip(multipliers) {
            doubt = doubt.max((a.0.hypot(a.1) - b.0.hypot(b.1)).abs());
        }
    }
    doubt
}

/// The largest error of the start values, that of the period, and the direction in which the start is known worst, as long as
/// its error; infinite where they cannot be told.
fn orbit_error(
    compiled: &Compiled,
    map: &mut Map,
    search: &Search,
    y: &[f64],
    over: (f64, &map::Image),
    inverse: Option<&mut Inverse>,
) -> (f64, Option<f64>, Vec<f64>) {
    let (period, image) = over;
    let unknown = || (f64::INFINITY, None, vec![f64::INFINITY; y.len()]);
    let n = y.len();
    let Ok(delta) = map_error(map, search.accuracy, y, period, image) else { return unknown() };
    let left = match search.correct {
        false => delta.clone(),
        true => match left_by_correction(map, search, y, period, image, &delta) {
            Ok(left) => left,
            Err(_) => return unknown(),
        },
    };
    // Of the orbit itself: a simulation that looked for it may have gone far away.
    let (Some(extent), Some(inverse)) = (map.extent(compiled, y, period), inverse) else { return unknown() };
    let corrected = |i: usize| if search.correct { image.end[i] - delta[i] } else { image.end[i] };
    let size = n + usize::from(search.autonomous);
    let (mut worst, mut longest) = (vec![0.0; size], vec![0.0; size]);
    let mut add = |defects: Vec<f64>| match inverse.of(&defects) {
        Some(change) => {
            worst.iter_mut().zip(&change).for_each(|(worst, change)| *worst += change.abs());
            if shooting::size(map, &change[..n]) > shooting::size(map, &longest[..n]) {
                longest = change;
            }
        }
        None => worst.fill(f64::INFINITY),
    };
    add((0..n).map(|i| left[i] + y[i] - corrected(i)).collect());
    for (i, (low, high)) in extent.iter().enumerate() {
        let one = shooting::rounding(image) * low.abs().max(high.abs());
        add((0..n).map(|j| if i == j { one } else { 0.0 }).collect());
    }
    // No number is better than its last place.
    let error = worst[..n].iter().zip(y).map(|(worst, y)| worst.max(f64::EPSILON * y.abs())).fold(0.0, f64::max);
    let known_to = worst[..n].iter().zip(&longest).map(|(worst, way)| worst.copysign(*way)).collect();
    (error, worst.get(n).copied(), known_to)
}

/// The error of the corrected map, by comparison with one of twice as many steps; its order is one higher.
fn left_by_correction(
    map: &mut Map,
    search: &Search,
    y: &[f64],
    period: f64,
    image: &map::Image,
    delta: &[f64],
) -> Result<Vec<f64>, String> {
    let Accuracy::Steps(steps) = search.accuracy else { return Ok(vec![0.0; y.len()]) };
    let finer = Accuracy::Steps(2 * steps);
    let better = map.apply(y, period, finer)?;
    let better_delta = map_error(map, finer, y, period, &better)?;
    let power = 2f64.powi(map.order() as i32 + 1);
    let difference = |i: usize| (image.end[i] - delta[i]) - (better.end[i] - better_delta[i]);
    Ok((0..y.len()).map(|i| power / (power - 1.0) * difference(i)).collect())
}
