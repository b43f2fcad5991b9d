//! The stability of a method, alone or with the rates of a model: facts, numbers, pictures.

mod along;
mod beyond;
mod figures;

pub use along::{Along, along};
pub use beyond::BeyondStability;
pub(crate) use beyond::{Place, beyond};
pub use figures::{Picture, overlay};

use crate::methods::choose;
use crate::rates::{MOST_STATES, eigenvalues, jacobian};
use crate::start::StartValues;
use crate::{Compiled, RunError, RunOptions, short};
use ordinate_linalg::{Complex, Scalar};
use ordinate_program::Evaluator;
use ordinate_solve::stability::{Characteristic, Interval, NoCharacteristic, StabilityFacts, facts};
use ordinate_solve::{Choice, Interrupt, Mixture, Options, Outcome, Rows, Sink, Status, by_name};
use serde_json::{Value, json};
use std::fmt::Write;
use std::ops::ControlFlow;

/// The stability of a method, and the model it is to be used for.
#[derive(Clone, Debug)]
pub struct Stability {
    /// The method.
    pub method: &'static str,
    /// Its order.
    pub order: u32,
    /// What is known of it.
    pub facts: StabilityFacts,
    /// What makes the pictures.
    pub characteristic: Characteristic,
    /// The model, if there is one.
    pub model: Option<Rates>,
}

/// The rates of a model at its start, and a step.
#[derive(Clone, Debug)]
pub struct Rates {
    /// What the source is called.
    pub name: String,
    /// The step h.
    pub step: f64,
    /// Where the rates are taken.
    pub t: f64,
    /// The eigenvalues λ of ∂f/∂y, real and imaginary parts, by falling |λ|.
    pub lambda: Vec<(f64, f64)>,
    /// The model is linear with constant coefficients: these are its rates everywhere.
    pub constant: bool,
}

/// The stability of the method that the options name, with their order.
pub fn stability(options: &RunOptions) -> Result<Stability, RunError> {
    // a step keeps methods that cannot do without one from being refused
    let (choice, _) = choose(&RunOptions { step: options.step.or(Some(1.0)), ..options.clone() })?;
    let characteristic = choice.characteristic().map_err(|e| RunError::Usage(unclear(e, &choice)))?;
    let order = choice.order();
    Ok(Stability { method: choice.name(), order, facts: facts(&characteristic), characteristic, model: None })
}

/// The stability of several methods, each with every order where it has one to choose.
pub fn stabilities(methods: &[String], orders: &[u32]) -> Result<Vec<Stability>, RunError> {
    let takes = |name: &String| by_name(name).is_some_and(|choice| choice.with_order(Some(1), None).is_ok());
    // an order that belongs to another method of the list is no mistake
    let one_takes = methods.iter().any(takes);
    let mut found = Vec::new();
    for name in methods {
        let options = RunOptions { method: name.clone(), ..RunOptions::default() };
        if orders.is_empty() || (!takes(name) && one_takes) {
            found.push(stability(&options)?);
            continue;
        }
        for order in orders {
            found.push(stability(&RunOptions { order: Some(*order), ..options.clone() })?);
        }
    }
    Ok(found)
}

/// The same, with the rates of a model at its start times the step of the options.
pub fn stability_of_model(compiled: &Compiled, options: &RunOptions) -> Result<Stability, RunError> {
    let Some(step) = options.step else {
        return Err(RunError::Usage(
            "the products h·λ need a step: give `--step H`, or follow the eigenvalues over a run with `--along`".into(),
        ));
    };
    let mut stability = stability(options)?;
    stability.model = Some(rates(compiled, options, step)?);
    Ok(stability)
}

/// What to write instead of a method that has no one region.
fn unclear(reason: NoCharacteristic, choice: &Choice) -> String {
    let name = choice.name();
    match reason {
        NoCharacteristic::OrderVaries { method } => {
            let highest = choice.order();
            let own = if method == "bdf" { "; `bdf1` … `bdf6` are the classical formulas" } else { "" };
            format!(
                "`{method}` chooses its order for each step, so it has not one region of stability; give `--order P` with 1 to {highest}, as in `ordinate stability {method} --order {}`{own}",
                highest.min(4)
            )
        }
        NoCharacteristic::StagesVary => format!(
            "`{name}` chooses its number of stages for each step, so it has not one stability function; write `radau3`, `radau5`, `radau9` or `radau13`"
        ),
        NoCharacteristic::Automatic => format!(
            "`{name}` chooses between methods while it runs; name one, as in `ordinate stability taylor --order 20` or `ordinate stability radau5`"
        ),
    }
}

/// States and discrete values of a run at its start, where they are consistent.
fn at_start(compiled: &Compiled, evaluator: &mut Evaluator, t: f64) -> Result<Outcome, RunError> {
    let n = compiled.program.layout.states;
    let start = StartValues::new(compiled, evaluator, t)?;
    let mut method = by_name("auto").expect("a method of every version").build(n, false);
    let options = Options { rows: Rows::At(Vec::new()), ..Options::default() };
    let outcome = ordinate_solve::solve(evaluator, method.as_mut(), &start.from(t), t, &options, &mut Nowhere)
        .map_err(|e| RunError::Usage(crate::explain::usage_error(&e, compiled)))?;
    match (outcome.status, crate::explain::explain(&outcome, compiled)) {
        (Status::Stopped, Some(reason)) => {
            Err(RunError::Usage(format!("the model has no state to start from: {}", reason.message)))
        }
        _ => Ok(outcome),
    }
}

/// Where the rates are taken. The end of the run does not matter, but a wrong one is a slip.
fn start_time(compiled: &Compiled, options: &RunOptions) -> Result<f64, RunError> {
    if options.t_end.is_some() {
        return Ok(crate::run::rounded_times(compiled, options)?.0);
    }
    match &options.t_start {
        Some(text) => compiled.time(text, "--t-start").map_err(RunError::Usage),
        None => Ok(compiled.run.map_or(0.0, |(from, _)| from)),
    }
}

fn too_large(states: usize) -> RunError {
    RunError::Usage(format!(
        "the model has {states} states, more than the {MOST_STATES} whose eigenvalues are looked for; make it smaller with `--set`"
    ))
}

/// The rates of a model with delays are not those of its Jacobian.
fn refuse_delays(compiled: &Compiled) -> Result<(), RunError> {
    match compiled.program.layout.delays.is_empty() {
        true => Ok(()),
        false => Err(RunError::Usage(
            "the model has a `delay`, so it has infinitely many eigenvalues, which the Jacobian does not give; use \
             `pade(z, T, 5)`"
                .into(),
        )),
    }
}

fn rates(compiled: &Compiled, options: &RunOptions, step: f64) -> Result<Rates, RunError> {
    refuse_delays(compiled)?;
    let n = compiled.program.layout.states;
    if n > MOST_STATES {
        return Err(too_large(n));
    }
    let t = start_time(compiled, options)?;
    let mut evaluator = compiled.evaluator();
    let start = at_start(compiled, &mut evaluator, t)?;
    let matrix = jacobian(&mut evaluator, t, &start.y, &start.d);
    let Some(mut lambda) = matrix.and_then(|matrix| eigenvalues(&matrix)) else {
        return Err(RunError::Usage(
            "the Jacobian at the start is singular in its algebraic part or not finite, so there are no eigenvalues \
             to draw; other start values (`--set`) may help"
                .into(),
        ));
    };
    let size = |l: &(f64, f64)| l.0.hypot(l.1);
    lambda.sort_by(|a, b| size(b).total_cmp(&size(a)).then(b.1.total_cmp(&a.1)));
    let constant = crate::info::has_constant_rates(compiled);
    Ok(Rates { name: compiled.name.clone(), step, t, lambda, constant })
}

/// Rows are of no interest here.
struct Nowhere;

impl Sink for Nowhere {
    fn row(&mut self, _t: f64, _y: &[f64], _d: &[f64], _sliding: Option<&Mixture>) -> ControlFlow<Interrupt> {
        ControlFlow::Continue(())
    }
}

impl Rates {
    /// h·λ.
    pub fn h_lambda(&self) -> Vec<Complex> {
        self.lambda.iter().map(|&(re, im)| Complex::new(re * self.step, im * self.step)).collect()
    }
}

/// Growth by less than this in a step is rounding of the eigenvalues and of the roots.
const NO_GROWTH: f64 = 1e-12;
/// Eigenvalues are known to this part of their size.
const RATE_ROUNDING: f64 = 1e-14;
/// An eigenvalue is on an axis if it is so near to it.
const ON_AXIS: f64 = 1e-12;

impl Stability {
    /// Whether no solution grows at z: exact on the axes, where that may be a matter of less than rounding.
    fn is_stable_at(&self, z: Complex) -> bool {
        let within = |interval: &Interval, x: f64| match interval.length {
            None => true,
            Some(length) if interval.closed => x <= length,
            Some(length) => x < length || x == 0.0,
        };
        match self.interval(z) {
            Some(interval) => within(interval, z.re.abs().max(z.im.abs())),
            None => self.surplus(z) <= 0.0,
        }
    }

    /// What a step lets a solution grow at z beyond rounding; negative where it decays. Where the polynomial of the method is known
    /// to differ little from e^z, slow decay is not lost in the rounding of |ζ|:
    ///
    /// ```text
    ///   ln|ζ| = ln(|ζ|/|e^z|) + Re z
    /// ```
    fn surplus(&self, z: Complex) -> f64 {
        match self.characteristic.has_exact_excess() {
            true => self.characteristic.excess(z) + z.re - RATE_ROUNDING * z.modulus(),
            false => self.characteristic.growth(z) - 1.0 - NO_GROWTH,
        }
    }

    /// Whether the method makes a solution grow that does not.
    fn is_wrong_at(&self, z: Complex) -> bool {
        z.re <= ON_AXIS * z.im.abs() && !self.is_stable_at(z)
    }

    /// How many solutions e^(λt) of the model that do not grow are made to grow by the method.
    fn unstable(&self) -> usize {
        self.model.iter().flat_map(Rates::h_lambda).filter(|z| self.is_wrong_at(*z)).count()
    }

    /// The longest step with which no solution of the model that does not grow is made to grow; `None` if there is no limit.
    pub fn longest_step(&self) -> Option<f64> {
        self.limit().map(|(h, _)| h)
    }

    /// The same, and whether that step itself is stable, too.
    fn limit(&self) -> Option<(f64, bool)> {
        let model = self.model.as_ref()?;
        let ends = model.lambda.iter().filter_map(|&(re, im)| {
            let size = re.hypot(im);
            let direction = Complex::new(re / size, im / size);
            let reach = (size > 0.0).then(|| self.reach(direction, size * model.step))??;
            Some((reach / size, self.interval(direction).is_none_or(|interval| interval.closed)))
        });
        ends.reduce(|one, other| match one.0 == other.0 {
            true => (one.0, one.1 && other.1),
            false if one.0 < other.0 => one,
            false => other,
        })
    }

    /// What is known exactly along the axis on which z is.
    fn interval(&self, z: Complex) -> Option<&Interval> {
        match z {
            z if z.re.abs() <= ON_AXIS * z.im.abs() => Some(&self.facts.imaginary),
            z if z.im.abs() <= ON_AXIS * z.re.abs() && z.re < 0.0 => Some(&self.facts.real),
            _ => None,
        }
    }

    /// How far from the origin the method is right along a ray, on which the place `own` is looked at, too; `None` if without end.
    fn reach(&self, direction: Complex, own: f64) -> Option<f64> {
        /// Nearer to the origin stability changes once at most: |ζ| = 1 − cx + Cxᵖ⁺¹.
        const NEAR: f64 = 1e-2;
        /// A rate that is not on the imaginary axis is stable here even with Euler's method, x < 2c.
        const NEAREST: f64 = 1e-13;
        const FAR: f64 = 1e4;
        const FACTOR: f64 = 1.02;
        if direction.re > ON_AXIS * direction.im.abs() {
            return None;
        }
        if let Some(interval) = self.interval(direction) {
            return interval.length;
        }
        let surplus = |x: f64| self.surplus(direction * x);
        // a method whose other roots grow however short the step is does so by less than rounding at last
        let nearest = if self.facts.real.length == Some(0.0) { NEAR } else { NEAREST };
        if surplus(nearest) > 0.0 {
            return Some(0.0);
        }
        let next = |x: &f64| (*x <= FAR).then_some(x * if *x < NEAR { 2.0 } else { FACTOR });
        let mut places: Vec<f64> = std::iter::successors(Some(nearest), next).collect();
        places.push(own.max(nearest));
        places.sort_by(f64::total_cmp);
        let mut before = [(nearest, surplus(nearest)); 2];
        for x in places {
            let here = (x, surplus(x));
            if here.1 > 0.0 {
                return Some(change(&surplus, before[1].0, x));
            }
            // a gap may be narrower than the distance of two places
            if before[1].1 > before[0].1 && before[1].1 >= here.1 {
                let top = summit(&surplus, before[0].0, x);
                if surplus(top) > 0.0 {
                    return Some(change(&surplus, before[0].0, top));
                }
            }
            before = [before[1], here];
        }
        None
    }

    /// `stability --format json`.
    pub fn to_json(&self) -> Value {
        let facts = &self.facts;
        // no negative zero
        let real = facts.real.length.map(|length| if length == 0.0 { 0.0 } else { -length });
        let points = self.model.iter().flat_map(Rates::h_lambda);
        let complex = |z: Complex| json!({"re": z.re, "im": z.im});
        let mut value = json!({
            "schema": "ordinate.stability/1",
            "method": self.method,
            "order": self.order,
            "real_interval": real,
            "imaginary_interval": facts.imaginary.length,
            "zero_stable": facts.zero_stable,
            "a_stable": facts.a_stable,
            "l_stable": facts.l_stable,
            "angle": facts.angle,
            "h_lambda": points.map(complex).collect::<Vec<Value>>(),
        });
        if let Some(model) = &self.model {
            value["step"] = json!(model.step);
            value["t"] = json!(model.t);
            value["constant"] = json!(model.constant);
            let lambda: Vec<Value> = model.lambda.iter().map(|&(re, im)| json!({"re": re, "im": im})).collect();
            value["lambda"] = json!(lambda);
            let growth: Vec<f64> = model.h_lambda().into_iter().map(|z| self.characteristic.growth(z)).collect();
            value["growth"] = json!(growth);
            value["unstable"] = json!(self.unstable());
            value["longest_step"] = json!(self.longest_step());
        }
        value
    }

    /// `stability` for people.
    pub fn to_text(&self) -> String {
        let facts = &self.facts;
        let mut out = String::new();
        let mut line = |name: &str, text: &str| writeln!(out, "{name:<11} {text}").expect("a string takes all text");
        line("method", &format!("{}, order {}", self.method, self.order));
        if !facts.zero_stable {
            line("stable", "nowhere: errors grow however short the step is");
            return out;
        }
        line("real", &interval(&facts.real, "z", "-", ""));
        line("imaginary", &interval(&facts.imaginary, "z/i", "±", ""));
        let yes = |is: bool| if is { "yes" } else { "no" };
        let sector = match facts.angle {
            Some(angle) if !facts.a_stable => format!("; A(α)-stable with α = {angle:.2}°"),
            _ => String::new(),
        };
        line("A-stable", &format!("{}{sector}", yes(facts.a_stable)));
        line("L-stable", yes(facts.l_stable));
        if let Some(model) = &self.model {
            self.model_text(model, &mut line);
        }
        out
    }

    fn model_text(&self, model: &Rates, line: &mut dyn FnMut(&str, &str)) {
        const SHOWN: usize = 12;
        let when = match model.constant {
            true => "everywhere, for it is linear with constant coefficients",
            false => "at the start; later ones may differ",
        };
        line("model", &format!("{}, h = {}, eigenvalues {when}", model.name, short(model.step)));
        for (k, (&(re, im), z)) in model.lambda.iter().zip(model.h_lambda()).enumerate() {
            if k == SHOWN {
                line("", &format!("… {} more", model.lambda.len() - SHOWN));
                break;
            }
            let growth = self.characteristic.growth(z);
            let verdict = match (z.re <= ON_AXIS * z.im.abs(), self.is_stable_at(z)) {
                (true, true) => "",
                (true, false) => "  unstable: grows, but should not",
                (false, true) => "  decays, but should grow",
                (false, false) => "  grows, as it should",
            };
            let name = if k == 0 { "hλ" } else { "" };
            let product = complex_text((z.re, z.im));
            line(name, &format!("{product:<24} λ = {:<24} |ζ| = {}{verdict}", complex_text((re, im)), factor(growth)));
        }
        if model.lambda.is_empty() {
            line("hλ", "none: the model has no states");
        }
        let bad = self.unstable();
        let verdict = match bad {
            0 => "stable with this step".to_string(),
            1 => "unstable with this step: 1 eigenvalue is outside the stability region".to_string(),
            n => format!("unstable with this step: {n} eigenvalues are outside the stability region"),
        };
        line("verdict", &verdict);
        let longest = match self.limit() {
            None => "any step is stable".into(),
            Some((0.0, _)) => "no step is stable".into(),
            // with that step itself errors grow linearly
            Some((h, false)) => format!("steps below {} are stable", bound(h)),
            Some((h, true)) => format!("steps up to {} are stable", bound(h)),
        };
        let until = if model.constant { "" } else { ", at the start" };
        line("steps", &format!("{longest}{until}"));
    }
}

fn interval(interval: &Interval, name: &str, sign: &str, unit: &str) -> String {
    let open = if interval.closed { "" } else { ", end point excluded: errors grow linearly there" };
    match interval.length {
        None => "stable on the whole axis".into(),
        Some(0.0) => "stable at 0 only".into(),
        Some(length) if sign == "±" => format!("stable for {name} within ±{length}{unit}{open}"),
        Some(length) => format!("stable for {name} from {sign}{length}{unit} to 0{open}"),
    }
}

/// The last place with v ≤ 0 between one that has it and one that has not.
fn change(v: &dyn Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if v(middle) <= 0.0 { low = middle } else { high = middle }
    }
    low
}

/// Where v is largest between two places with one maximum between them, by thirds.
fn summit(v: &dyn Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    for _ in 0..60 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if v(a) >= v(b) { high = b } else { low = a }
    }
    0.5 * (low + high)
}

/// A factor for people, which shows that it is not quite one.
fn factor(growth: f64) -> String {
    let rest = growth - 1.0;
    match rest.abs() {
        1e-15..1e-5 => format!("1 {} {:.0e}", if rest < 0.0 { "−" } else { "+" }, rest.abs()),
        _ => rounded(growth),
    }
}

/// A number for people, six digits.
fn rounded(value: f64) -> String {
    if value.is_infinite() {
        return "∞".into();
    }
    if value == 0.0 {
        return "0".into();
    }
    short(format!("{value:.5e}").parse().unwrap_or(value))
}

/// An upper bound for people: what is shown is itself within it, but for rounding.
fn bound(value: f64) -> String {
    let nearest: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    if nearest <= value * (1.0 + 1e-12) {
        return rounded(value);
    }
    // one unit of the sixth digit less; rounding again takes the noise of the subtraction away
    rounded(nearest - 10f64.powf(value.log10().floor() - 5.0))
}

fn complex_text((re, im): (f64, f64)) -> String {
    match im {
        0.0 => rounded(re),
        _ => format!("{} {} {}i", rounded(re), if im < 0.0 { "−" } else { "+" }, rounded(im.abs())),
    }
}
