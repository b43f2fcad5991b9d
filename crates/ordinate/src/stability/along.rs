//! Stiffness along a run: G. Söderlind, L. Jay, M. Calvo, BIT 55 (2015) 531–558.

use super::too_large;
use crate::methods::choose;
use crate::rates::{MOST_STATES, eigenvalues, jacobian};
use crate::start::StartValues;
use crate::{Compiled, RunError, RunOptions, short};
use ordinate_plot::{Band, Figure, Mark, Panel, Scale, Style};
use ordinate_program::Evaluator;
use ordinate_solve::{AbsoluteTolerance, Interrupt, Mixture, Options, Rows, Sink, Status};
use serde_json::{Value, json};
use std::fmt::Write;
use std::ops::ControlFlow;

/// The stiffness indicator over a run,
///
/// ```text
///   σ = (m + M)/2,   m and M the smallest and the largest eigenvalue of (J + Jᵀ)/2,   J = ∂f/∂y
/// ```
///
/// M bounds the rate at which neighbouring solutions part, m that at which they meet, both in the Euclidean norm. Where σ < 0, −1/σ is
/// the time in which most of the solution would settle; a run that is much longer than that is stiff. σ depends on the units of
/// the states.
#[derive(Clone, Debug)]
pub struct Along {
    /// What the source is called.
    pub name: String,
    /// The method of the run.
    pub method: &'static str,
    /// Times.
    pub t: Vec<f64>,
    /// σ; NaN where there is no Jacobian.
    pub sigma: Vec<f64>,
    /// m.
    pub lower: Vec<f64>,
    /// M.
    pub upper: Vec<f64>,
    /// The largest |λ|.
    pub fastest: Vec<f64>,
    /// The end of the run that was asked for.
    pub t_end: f64,
    /// Why it ended early.
    pub reason: Option<String>,
    /// Whether that was neither the end nor a stop condition of the model.
    pub stopped: bool,
}

/// Rows of the run.
const ROWS: usize = 401;
/// Eigenvalues of n rates are known to so many n ε ‖J‖.
const ROUNDING: f64 = 4.0;
/// A run so many times longer than −1/σ is called stiff.
const STIFF: f64 = 100.0;

/// σ(t) along the run that the options describe.
pub fn along(compiled: &Compiled, options: &RunOptions) -> Result<Along, RunError> {
    super::refuse_delays(compiled)?;
    let n = compiled.program.layout.states;
    if n > MOST_STATES {
        return Err(too_large(n));
    }
    if compiled.program.layout.differential() == 0 {
        return Err(RunError::Usage("the model has no states, so it has no eigenvalues".into()));
    }
    let (choice, _) = choose(options)?;
    let (from, to) = crate::run::rounded_times(compiled, options)?;
    let mut evaluator = compiled.evaluator();
    let start = StartValues::new(compiled, &mut evaluator, from)?;
    let mut method = choice.build(n, options.step.is_some());
    let solver = Options {
        rtol: options.rtol,
        atol: AbsoluteTolerance::Same(options.atol),
        step: options.step,
        h_max: options.h_max,
        max_steps: options.max_steps,
        rows: Rows::Even(ROWS),
        ..Options::default()
    };
    let empty = Vec::new;
    let along = Along {
        name: compiled.name.clone(),
        method: choice.name(),
        t: empty(),
        sigma: empty(),
        lower: empty(),
        upper: empty(),
        fastest: empty(),
        t_end: to,
        reason: None,
        stopped: false,
    };
    let mut watch = Watch { evaluator: compiled.evaluator(), along };
    let outcome = ordinate_solve::solve(&mut evaluator, method.as_mut(), &start.from(from), to, &solver, &mut watch)
        .map_err(|e| RunError::Usage(crate::explain::usage_error(&e, compiled)))?;
    let reason = crate::explain::explain(&outcome, compiled);
    let stopped = outcome.status != Status::Ok;
    Ok(Along { reason: reason.map(|r| format!("{}: {}", r.kind, r.message)), stopped, ..watch.along })
}

struct Watch {
    evaluator: Evaluator,
    along: Along,
}

/// σ, m, M and the largest |λ| at a point. What is not above the rounding of an eigenvalue is zero: that of a motion without
/// damping, for which m = −M.
fn bounds(evaluator: &mut Evaluator, t: f64, y: &[f64], d: &[f64]) -> Option<[f64; 4]> {
    let j = jacobian(evaluator, t, y, d)?;
    let n = j.len();
    let norm = j.iter().map(|row| row.iter().map(|a| a.abs()).sum::<f64>()).fold(0.0, f64::max);
    let rounding = ROUNDING * n as f64 * f64::EPSILON * norm;
    let known = |value: f64| if value.abs() <= rounding { 0.0 } else { value };
    let symmetric: Vec<Vec<f64>> = (0..n).map(|r| (0..n).map(|c| 0.5 * (j[r][c] + j[c][r])).collect()).collect();
    let values = eigenvalues(&symmetric)?;
    let (lower, upper) =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), (re, _)| (lo.min(*re), hi.max(*re)));
    let fastest = eigenvalues(&j)?.iter().map(|(re, im)| re.hypot(*im)).fold(0.0, f64::max);
    Some([0.5 * (lower + upper), lower, upper, fastest].map(known))
}

impl Sink for Watch {
    fn row(&mut self, t: f64, y: &[f64], d: &[f64], sliding: Option<&Mixture>) -> ControlFlow<Interrupt> {
        // a mixture of two right-hand sides has no Jacobian of its own
        let found = if sliding.is_none() { bounds(&mut self.evaluator, t, y, d) } else { None };
        let [sigma, lower, upper, fastest] = found.unwrap_or([f64::NAN; 4]);
        let along = &mut self.along;
        along.t.push(t);
        along.sigma.push(sigma);
        along.lower.push(lower);
        along.upper.push(upper);
        along.fastest.push(fastest);
        ControlFlow::Continue(())
    }
}

impl Along {
    /// The place where σ is lowest.
    fn stiffest(&self) -> Option<(f64, f64)> {
        let places = self.t.iter().copied().zip(self.sigma.iter().copied()).filter(|(_, sigma)| sigma.is_finite());
        places.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The length of the run in units of −1/σ where that is shortest; zero where σ is never negative.
    pub fn factor(&self) -> Option<f64> {
        let (_, sigma) = self.stiffest()?;
        let length = self.t.last()? - self.t.first()?;
        Some((-sigma * length).max(0.0))
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        let stiffest = self.stiffest();
        json!({
            "schema": "ordinate.stability/1",
            "method": self.method,
            "t": self.t,
            "sigma": self.sigma,
            "lower": self.lower,
            "upper": self.upper,
            "fastest_rate": self.fastest,
            "stiffest": stiffest.map(|(t, sigma)| json!({"t": t, "sigma": sigma})),
            "stiffness_factor": self.factor(),
            "stiff": self.factor().map(|factor| factor > STIFF),
            "reason": self.reason,
        })
    }

    /// For people.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let mut line = |name: &str, text: &str| writeln!(out, "{name:<11} {text}").expect("a string takes all text");
        let (from, to) = (self.t.first().copied().unwrap_or(0.0), self.t.last().copied().unwrap_or(0.0));
        line("model", &format!("{}, {} … {}, solved by {}", self.name, short(from), short(to), self.method));
        let digits = |value: f64| short(format!("{value:.3e}").parse().unwrap_or(value));
        match self.stiffest() {
            None => line("sigma", "not known: the Jacobian is singular or not finite everywhere"),
            Some((t, sigma)) => {
                line("sigma", &format!("{} at t = {}, the lowest", digits(sigma), short(t)));
                let factor = self.factor().unwrap_or(0.0);
                let verdict = if factor > STIFF { "stiff" } else { "not stiff" };
                if sigma < 0.0 {
                    line("time scale", &format!("{} = −1/σ", digits(-1.0 / sigma)));
                    line("stiffness", &format!("the run is {} times longer: {verdict}", digits(factor)));
                } else {
                    line("stiffness", "σ is nowhere negative: not stiff");
                }
            }
        }
        let fastest = self.fastest.iter().copied().filter(|f| f.is_finite()).fold(0.0, f64::max);
        line("fastest", &format!("{} = max |λ|", digits(fastest)));
        if let Some(reason) = &self.reason {
            line("stopped", reason);
        }
        out
    }

    /// σ between its bounds, and the fastest rate below.
    pub fn figure(&self) -> Figure {
        let mut figure = Figure::new(&format!("Stiffness along {}  ({})", self.name, self.method));
        figure.height = 560.0;
        let mut panel = Panel::new("t", "");
        let series = panel.add("σ, between the rates m and M", self.t.clone(), self.sigma.clone(), Style::Line);
        series.band = Some(Band { lower: self.lower.clone(), upper: self.upper.clone() });
        panel.marks.push(Mark::horizontal(0.0, ""));
        let mut fastest = Panel::new("t", "fastest rate  max |λ|");
        fastest.share = 0.45;
        fastest.add("max |λ|", self.t.clone(), self.fastest.clone(), Style::Line);
        let known = self.fastest.iter().copied().filter(|f| *f > 0.0 && f.is_finite());
        let (least, most) = known.fold((f64::INFINITY, 0.0), |(lo, hi): (f64, f64), f| (lo.min(f), hi.max(f)));
        if most > 20.0 * least {
            fastest.y.scale = Scale::Log;
        }
        figure.panels = vec![panel, fastest];
        figure
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CompileOptions, Source, compile};

    /// Without damping m = −M: σ is zero, and what rounding makes of it is not shown.
    #[test]
    fn the_indicator_of_a_motion_without_damping_is_zero() {
        let text = "for i in 1..6: x[i]'' = sin(x[i-1] - x[i]) + 0.51*sin(x[i+1] - x[i]) - 0.37*sin(x[i])\n\
                    x[0] = 0; x[7] = 0; run 0 .. 10\n\
                    for i in 1..6: init x[i] = 0.3*i, x[i]' = 0\n";
        let options = CompileOptions { jacobian: true, ..CompileOptions::default() };
        let compiled = compile(&Source::text(text), &options).expect("a model without mistakes");
        let found = along(&compiled, &RunOptions::default()).expect("a run");
        assert!(found.sigma.iter().all(|sigma| *sigma == 0.0), "{:?}", found.stiffest());
        assert!(found.upper.iter().zip(&found.fastest).all(|(upper, fastest)| *upper > 0.1 && *fastest > 0.1));
    }
}
