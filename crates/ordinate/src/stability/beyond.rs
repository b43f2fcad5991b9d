//! A run whose fixed step was too long for the method: solutions grew that do not.

use super::{Rates, Stability, bound, complex_text, rounded};
use crate::rates::{MOST_STATES, eigenvalues, jacobian};
use crate::{Compiled, short};
use ordinate_linalg::Complex;
use ordinate_solve::Choice;
use ordinate_solve::stability::facts;
use serde_json::{Value, json};

/// A rate of a model whose solution the method makes grow, but should not.
#[derive(Clone, Debug)]
pub struct BeyondStability {
    /// The method.
    pub method: &'static str,
    /// The step h.
    pub step: f64,
    /// Where the rate is taken; `None` where it is the same everywhere.
    pub t: Option<f64>,
    /// The rate λ, real and imaginary part.
    pub lambda: (f64, f64),
    /// How far from zero hλ may be, where λ is real or imaginary.
    pub limit: Option<f64>,
    /// How much its solution grows in a step.
    pub growth: f64,
    /// The longest step with which nothing grows that should not there, and whether that one is within.
    pub longest: (f64, bool),
}

/// A solution that grows by less in all steps of a run is not what spoils it.
const SPOILS: f64 = 10.0;

/// A point of a run.
pub(crate) struct Place<'a> {
    pub t: f64,
    pub y: &'a [f64],
    pub d: &'a [f64],
}

/// The rate that grows most without reason in so many steps from this place; `None` if there is none, or nothing is known. What
/// grows no faster than solutions of the model do is not of interest.
pub(crate) fn beyond(
    compiled: &Compiled,
    choice: &Choice,
    (step, steps): (f64, u64),
    place: &Place,
) -> Option<BeyondStability> {
    let layout = &compiled.program.layout;
    if !layout.delays.is_empty() || layout.states > MOST_STATES {
        return None;
    }
    let characteristic = choice.characteristic().ok()?;
    // one that makes its Jacobian when it is asked for it
    let mut evaluator = compiled.evaluator();
    let lambda = eigenvalues(&jacobian(&mut evaluator, place.t, place.y, place.d)?)?;
    let own = lambda.iter().fold(0.0, |most: f64, (re, _)| most.max(step * re));
    let constant =
        crate::info::has_constant_rates(&Compiled { program: evaluator.program().clone(), ..compiled.clone() });
    let model = Rates { name: compiled.name.clone(), step, t: place.t, lambda, constant };
    let facts = facts(&characteristic);
    let stability =
        Stability { method: choice.name(), order: choice.order(), facts, characteristic, model: Some(model) };
    let model = stability.model.as_ref()?;
    let wrong = model.lambda.iter().zip(model.h_lambda()).filter(|(_, z)| stability.is_wrong_at(*z));
    let grown = wrong.map(|(lambda, z)| (*lambda, stability.characteristic.growth(z)));
    let (lambda, growth) = grown.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let spoils = (growth.ln() - own) * steps as f64 > SPOILS.ln();
    let longest = stability.limit().filter(|_| spoils)?;
    Some(BeyondStability {
        method: stability.method,
        step,
        t: (!constant).then_some(place.t),
        lambda,
        limit: stability.interval(Complex::new(lambda.0, lambda.1)).and_then(|interval| interval.length),
        growth,
        longest,
    })
}

impl BeyondStability {
    /// `beyond_stability` of the summary.
    pub fn to_json(&self) -> Value {
        let (re, im) = self.lambda;
        json!({
            "t": self.t, "step": self.step, "lambda": {"re": re, "im": im}, "limit": self.limit, "growth": self.growth,
            "longest_step": self.longest.0, "hint": self.to_text(),
        })
    }

    /// For people: what is beyond what, and which step is not.
    pub fn to_text(&self) -> String {
        let BeyondStability { method, step, lambda: (re, im), growth, .. } = self;
        let product = match self.limit {
            Some(limit) if *im == 0.0 => format!("h·λ = {}, the limit is {}", rounded(step * re), rounded(-limit)),
            Some(limit) => format!("h·ω = {}, the limit is {}", rounded(step * im.abs()), rounded(limit)),
            None => format!("h·λ = {}", complex_text((step * re, step * im.abs()))),
        };
        let (place, there) = self.t.map_or((String::new(), ""), |t| (format!(" at t = {}", short(t)), " there"));
        let next = match self.longest {
            (0.0, _) => "no `--step` is stable: use another method".to_string(),
            (longest, true) => format!("a `--step` up to {} is stable{there}", bound(longest)),
            (longest, false) => format!("a `--step` below {} is stable{there}", bound(longest)),
        };
        format!(
            "the step {} is outside the stability region of `{method}`{place}: {product}; errors grow by a factor \
             of {} in each \
             step; {next}",
            short(*step),
            rounded(*growth)
        )
    }
}
