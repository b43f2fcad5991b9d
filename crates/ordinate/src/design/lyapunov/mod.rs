//! `ordinate design lyapunov`: whether a candidate V proves that an equilibrium is stable. V′ = ∇V·f by differentiation of
//! the model's own expressions; V > 0 and V′ ≤ 0 are proved over a region or refuted by a point.

mod function;
mod lasalle;
mod picture;
mod point;
mod prove;
mod report;

use super::Names;
use super::field::Field;
use super::symbolic::{Added, SymbolicError, extended};
use crate::{CompileOptions, Compiled, Source};
use function::Function;
use ordinate_expr::{ExprId, Tape};
use prove::{Claim, Problem};

pub use lasalle::LaSalle;
pub use picture::lyapunov_figure;
pub use prove::Verdict;
pub use report::{lyapunov_json, lyapunov_model, lyapunov_text};

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct LyapunovOptions {
    /// The candidate, an expression of the model's names.
    pub v: String,
    /// The equilibrium: names and values of states; found from the start values if none is given.
    pub at: Vec<(String, String)>,
    /// The region, as in `x=-1..1, phi=-pi..pi`.
    pub region: Option<String>,
}

/// What was proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// V′ < 0 but at the point.
    AsymptoticallyStable,
    /// V′ ≤ 0, and the point is the only invariant set where V′ = 0.
    AsymptoticallyStableByLaSalle,
    /// V′ ≤ 0.
    Stable,
    /// Nothing.
    Nothing,
}

impl Conclusion {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Conclusion::AsymptoticallyStable => "asymptotically stable",
            Conclusion::AsymptoticallyStableByLaSalle => "asymptotically stable (LaSalle)",
            Conclusion::Stable => "stable",
            Conclusion::Nothing => "not proved",
        }
    }
}

/// What is known about a candidate.
pub struct Lyapunov {
    /// Names of the states.
    pub states: Vec<String>,
    /// The equilibrium.
    pub point: Vec<f64>,
    /// V as it was given.
    pub v: String,
    /// V′ in the words of the model.
    pub rate: String,
    /// Lower and upper bounds of the states.
    pub region: Vec<(f64, f64)>,
    /// Whether V > 0 but at the point, over the region.
    pub positive: Verdict,
    /// Whether V′ ≤ 0 over the region.
    pub not_rising: Verdict,
    /// V ≤ c lies inside of the region, and both claims hold there: c, and a bound above which they do not.
    pub level: Option<(f64, f64)>,
    /// Where V′ = 0, if it is zero elsewhere than at the point.
    pub lasalle: Option<LaSalle>,
    /// What follows for the point.
    pub conclusion: Conclusion,
    /// Boxes that were looked at.
    pub boxes: usize,
    /// What else is to be said.
    pub notes: Vec<String>,
    /// V and V′ in double precision, for pictures.
    values: Tape,
}

impl Lyapunov {
    /// Whether the candidate does what was asked, over the whole region.
    pub fn is_proved(&self) -> bool {
        let proved = |verdict: &Verdict| matches!(verdict, Verdict::Proved { .. });
        proved(&self.positive) && proved(&self.not_rising)
    }
}

/// Examines a candidate. `compiled` is the model itself, which is compiled again with V as a further output.
pub fn lyapunov(
    source: &Source,
    options: &CompileOptions,
    compiled: &Compiled,
    wish: &LyapunovOptions,
) -> Result<Lyapunov, SymbolicError> {
    let mut names = Names::new(&source.text);
    let candidate = [Added::new("--v", &wish.v, "V", &mut names)?];
    let with_v = extended(source, options, &candidate)?;
    if with_v.sorted.states.len() != compiled.sorted.states.len() {
        return Err(SymbolicError::Usage(
            "`--v` has a derivative that is no state of the model; write V in the states".into(),
        ));
    }
    let mut field = Field::new(&with_v, &[])?;
    let v = field.by_name(&candidate[0].name).expect("the output was just added");
    let v = field.expression_of(v, "V").map_err(|error| match error {
        SymbolicError::Model(message, _) => {
            SymbolicError::Usage(format!("`--v \"{}\"`: {message}; a candidate needs derivatives", wish.v))
        }
        other => other,
    })?;
    autonomous(&mut field, v)?;
    let mut notes = Vec::new();
    let point = point::point(&mut field, compiled, v, &wish.at, &mut notes)?;
    let region = point::region(&mut field, compiled, &point, wish.region.as_deref())?;
    let rate = field.along(v);
    let rate_text = field.simple(rate);
    let rate_text = field.text(rate_text);
    let squares = field.squares(rate);
    let mut problem = Problem {
        v: forms(&mut field, v, None),
        rate: forms(&mut field, rate, squares.as_ref().map(|squares| squares.whole)),
        rates: {
            let rates = field.rates.clone();
            field.tape(&rates)
        },
        flat: false,
        point,
        region,
    };
    problem.flat = point::check(&field, &problem, &mut notes)?;
    let (positive, first) = problem.decide(Claim::Positive);
    let (not_rising, second) = problem.decide(Claim::NotRising);
    let level = problem.level();
    let proved = level.proved > 0.0;
    let mut found = None;
    if proved && !level.strict {
        let zeros = squares.as_ref().and_then(|squares| lasalle::zeros(&mut field, squares, &level.weak));
        found = match zeros {
            Some(zeros) => lasalle::decide(&mut field, &problem, &zeros, &level.weak, level.proved),
            None if field.vanishes(rate) => Some(LaSalle::everywhere()),
            None => Some(LaSalle::unknown()),
        };
    }
    let conclusion = match &found {
        _ if !proved => Conclusion::Nothing,
        None => Conclusion::AsymptoticallyStable,
        Some(found) if found.only_the_point == Some(true) => Conclusion::AsymptoticallyStableByLaSalle,
        Some(_) => Conclusion::Stable,
    };
    Ok(Lyapunov {
        states: field.names.clone(),
        point: problem.point.iter().map(|side| side.middle()).collect(),
        v: wish.v.trim().to_string(),
        rate: rate_text,
        region: problem.region.iter().map(|side| (side.low, side.high)).collect(),
        positive,
        not_rising,
        level: proved.then_some((level.proved, level.at_most)),
        lasalle: found,
        conclusion,
        boxes: first + second + level.boxes,
        notes,
        values: field.tape(&[v, rate]),
    })
}

/// A function by all forms of it: as it is, multiplied out, and with squares completed. Bounds of one are narrow where those
/// of another are not.
fn forms(field: &mut Field, e: ExprId, more: Option<ExprId>) -> Function {
    let numbers = field.with_numbers(e);
    let mut forms: Vec<ExprId> = field.multiplied_out(numbers).into_iter().collect();
    forms.push(numbers);
    let squares = more.or_else(|| field.squares(e).map(|squares| squares.whole));
    forms.extend(squares);
    Function::new(field, &forms)
}

fn autonomous(field: &mut Field, v: ExprId) -> Result<(), SymbolicError> {
    if field.uses_time(v) {
        return Err(SymbolicError::Usage("`--v` depends on time; V is a function of the states".into()));
    }
    for k in 0..field.order() {
        if field.uses_time(field.rates[k]) {
            return Err(SymbolicError::model(
                format!("the rate of `{}` depends on time, so there is no equilibrium", field.names[k]),
                "set the inputs to constants with `--set`, such as `--set u=0`",
            ));
        }
    }
    Ok(())
}
