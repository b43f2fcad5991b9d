//! `design place` and `design lqr`: state feedback by poles or by weights, with what belongs to it.

use super::cost::{self, Weights};
use super::gains::{Gains, placed, reference_gain, regulator, sampled_system};
use super::observer::{Observer, ObserverChoice};
use super::pid::feed_through;
use super::point::{Basis, value};
use super::read::{poles, weight};
use super::state_feedback::{Following, StateFeedback};
use super::text::{Names, plain_name};
use super::{Design, DesignError, DesignOptions, Draft, Plant};
use ordinate_control::{Complex, Matrix};

/// Which outputs follow references.
#[derive(Clone, Debug, Default)]
pub struct FollowWish {
    /// `OUT` or `OUT=VALUE`: kr makes its static gain one.
    pub reference: Option<String>,
    /// `OUT` or `OUT=VALUE`, or nothing for the output of the reference or the only output: its deviation is integrated.
    pub integral: Option<String>,
}

/// What is measured, and how the state is estimated from it.
#[derive(Clone, Debug, Default)]
pub struct ObserverWish {
    /// Outputs; without any the state is known.
    pub measured: Vec<String>,
    /// Poles of the observer.
    pub poles: Option<String>,
    /// Intensities of the noise on states and on outputs.
    pub noise: Option<(String, Option<String>)>,
}

/// `design place`
#[derive(Clone, Debug, Default)]
pub struct PlaceWish {
    /// The poles.
    pub poles: String,
    /// Whether those of a sampled loop are in z.
    pub discrete: bool,
    /// References.
    pub follow: FollowWish,
    /// The gain of the integral, if the poles do not count it.
    pub ki: Option<f64>,
    /// Observer.
    pub observer: ObserverWish,
}

/// `design lqr`
#[derive(Clone, Debug, Default)]
pub struct LqrWish {
    /// Weights of the states, that of the integral last; from the model's parameters `q_…` if not given.
    pub q: Option<String>,
    /// Weights of the inputs; from the model's parameters `r_…` if not given.
    pub r: Option<String>,
    /// References.
    pub follow: FollowWish,
    /// Observer.
    pub observer: ObserverWish,
}

/// State feedback with given poles.
pub fn place(plant: &Plant, options: &DesignOptions, wish: &PlaceWish) -> Result<Design, DesignError> {
    let lookup = parameters(plant);
    let wanted = poles("--poles", &wish.poles, &lookup)?;
    let basis = Basis::new(plant, options)?;
    let system = sampled_system(&basis.system, options.sampled)?;
    let mapped = |poles: Vec<Complex>| match options.sampled {
        Some(period) if !wish.discrete => poles.into_iter().map(|pole| in_z(pole, period)).collect(),
        _ => poles,
    };
    let wanted = mapped(wanted);
    let (reference, integral) = follow(plant, &basis, &wish.follow, options.sampled)?;
    let gains = placed(&basis, &system, integral.as_ref().map(|f| &f.output), wish.ki, &wanted)?;
    let observer = observer(plant, &basis, &system, &wish.observer, &mapped)?;
    let title = "state feedback by placed poles";
    finish(plant, options, &basis, "place", title, Parts { gains, reference, integral, observer, weights: None })
}

/// The linear-quadratic regulator.
pub fn lqr(plant: &Plant, options: &DesignOptions, wish: &LqrWish) -> Result<Design, DesignError> {
    let basis = Basis::new(plant, options)?;
    let system = sampled_system(&basis.system, options.sampled)?;
    let (reference, integral) = follow(plant, &basis, &wish.follow, options.sampled)?;
    let mut names = basis.states.clone();
    names.extend(integral.as_ref().map(|integral| format!("the integral of {}", integral.output.name)));
    let q = weights(plant, "--q", 'q', wish.q.as_deref(), &names)?;
    let r = weights(plant, "--r", 'r', wish.r.as_deref(), &basis.inputs)?;
    let gains = regulator(&basis.system, integral.as_ref().map(|f| &f.output), &q, &r, options.sampled)?;
    let mapped = |poles: Vec<Complex>| match options.sampled {
        Some(period) => poles.into_iter().map(|pole| in_z(pole, period)).collect(),
        None => poles,
    };
    let observer = observer(plant, &basis, &system, &wish.observer, &mapped)?;
    let (kind, title) = match integral {
        None => ("lqr", "linear-quadratic regulator"),
        Some(_) => ("lqi", "linear-quadratic regulator with an integrator"),
    };
    let weights = Some(Weights { q, r });
    let mut design =
        finish(plant, options, &basis, kind, title, Parts { gains, reference, integral, observer, weights })?;
    if options.sampled.is_some() {
        design.notes.push("the cost counts what happens between the samples, too".into());
    }
    Ok(design)
}

/// What finds its way into the closed loop.
struct Parts {
    gains: Gains,
    reference: Option<Following>,
    integral: Option<Following>,
    observer: Option<Observer>,
    weights: Option<Weights>,
}

fn finish(
    plant: &Plant,
    options: &DesignOptions,
    basis: &Basis,
    kind: &'static str,
    title: &str,
    parts: Parts,
) -> Result<Design, DesignError> {
    let Parts { gains, reference, integral, observer, weights } = parts;
    if basis.has_hidden && observer.is_none() {
        return Err(DesignError::Stopped {
            message: "the model has states without a name (of `pade` or `laplace`), which a controller cannot read"
                .into(),
            hint: "estimate them, with `--measured OUT` and `--observer-poles`; or use `design pid`".into(),
        });
    }
    let system = sampled_system(&basis.system, options.sampled)?;
    let kr = reference.as_ref().map(|f| reference_gain(&system, &gains.k, &f.output)).transpose()?;
    let feedback = StateFeedback { basis, system, gains, kr, reference, integral, observer };
    let (controller, integral) = feedback.text(&mut Names::new(&plant.source.text));
    let following = feedback.following().map(|f| (f.output.name.clone(), f.value));
    let sampled = options.sampled.map_or(String::new(), |period| format!(", sampled every {}", crate::short(period)));
    let observed = if feedback.observer.is_some() { " and an observer" } else { "" };
    let draft = Draft {
        kind,
        basis,
        linear: feedback.linear_loop(),
        controller,
        following,
        least_duration: 0.0,
        exact: feedback.integral.is_some() || !feedback.moves(),
        title: format!("{title}{observed}{sampled}"),
    };
    let mut design = draft.complete(plant, options)?;
    if let (Some(weights), Some(p), false) = (&weights, &feedback.gains.p, basis.has_hidden) {
        let (cost, notes) = cost::verify(plant, options, &feedback, weights, p, integral.as_deref(), &design);
        design.cost = Some(cost);
        design.notes.extend(notes);
    }
    design.observer = feedback.observer.map(|o| (o.measured.iter().map(|m| m.name.clone()).collect(), o.gain));
    design.k = Some(feedback.gains.k);
    design.kr = feedback.kr;
    design.ki = feedback.gains.ki;
    design.p = feedback.gains.p;
    Ok(design)
}

/// exp(pT)
fn in_z(pole: Complex, period: f64) -> Complex {
    let (size, angle) = ((pole.re * period).exp(), pole.im * period);
    // a real pole stays real
    if pole.im == 0.0 { Complex::new(size, 0.0) } else { Complex::new(size * angle.cos(), size * angle.sin()) }
}

fn parameters(plant: &Plant) -> impl Fn(&str) -> Option<f64> {
    let known = plant.compiled.parameter_values();
    move |name: &str| known.iter().find(|(parameter, _)| parameter == name).map(|&(_, value)| value)
}

/// `OUT` or `OUT=VALUE`.
fn following(plant: &Plant, basis: &Basis, option: &str, text: &str) -> Result<Following, DesignError> {
    let (name, given) = text.split_once('=').map_or((text, None), |(name, given)| (name, Some(given.trim())));
    let output = basis.output(name.trim(), option)?;
    let value = given.map_or(Ok(output.at), |given| value(plant, given, &format!("{option} {name}=")))?;
    Ok(Following { output, value })
}

/// The outputs that follow references.
fn follow(
    plant: &Plant,
    basis: &Basis,
    wish: &FollowWish,
    sampled: Option<f64>,
) -> Result<(Option<Following>, Option<Following>), DesignError> {
    let reference = wish.reference.as_deref().map(|text| following(plant, basis, "--reference", text)).transpose()?;
    let integral = match (wish.integral.as_deref().map(str::trim), &reference, basis.outputs.as_slice()) {
        (None, _, _) => None,
        (Some(""), Some(reference), _) => Some(reference.clone()),
        (Some(""), None, [only]) => Some(following(plant, basis, "--integral", only)?),
        (Some(""), None, all) => {
            let all = all.join(", ");
            return Err(DesignError::Usage(format!(
                "say which output is integrated, as in `--integral OUT`; there are {all}"
            )));
        }
        (Some(text), reference, _) => {
            let mut found = following(plant, basis, "--integral", text)?;
            match reference {
                // one output has one reference
                Some(known) if known.output.name == found.output.name && !text.contains('=') => {
                    found.value = known.value
                }
                Some(known) if known.output.name == found.output.name && known.value != found.value => {
                    let name = &known.output.name;
                    return Err(DesignError::Usage(format!(
                        "`--reference` and `--integral` give `{name}` two values: {} and {}",
                        crate::short(known.value),
                        crate::short(found.value)
                    )));
                }
                _ => {}
            }
            Some(found)
        }
    };
    if let (Some(_), Some(found)) = (sampled, &integral)
        && let Some(k) = (0..basis.inputs.len()).find(|&k| found.output.d.at(0, k) != 0.0)
    {
        return Err(feed_through(&found.output.name, &basis.inputs[k]));
    }
    Ok((reference, integral))
}

/// Weights from the command line or from parameters of the model such as `q_phi`.
fn weights(
    plant: &Plant,
    option: &str,
    letter: char,
    text: Option<&str>,
    names: &[String],
) -> Result<Matrix, DesignError> {
    let lookup = parameters(plant);
    if let Some(text) = text {
        return weight(option, text, names, &lookup);
    }
    let parameter =
        |name: &String| format!("{letter}_{}", plain_name(name.strip_prefix("the integral of ").unwrap_or(name)));
    let found: Option<Vec<f64>> = names.iter().map(|name| lookup(&parameter(name))).collect();
    found.map(|values| Matrix::diagonal(&values)).ok_or_else(|| {
        let ones = vec!["1"; names.len()].join(",");
        let bryson = "a usual choice is 1/(largest acceptable deviation)^2 each (Bryson's rule)";
        DesignError::Usage(format!(
            "`{option}` is missing: give a weight for each of {}, as in `{option} {ones}`; {bryson}",
            names.join(", ")
        ))
    })
}

fn observer(
    plant: &Plant,
    basis: &Basis,
    system: &ordinate_control::StateSpace,
    wish: &ObserverWish,
    mapped: &dyn Fn(Vec<Complex>) -> Vec<Complex>,
) -> Result<Option<Observer>, DesignError> {
    if wish.measured.is_empty() {
        return Ok(None);
    }
    let lookup = parameters(plant);
    let measured: Vec<_> =
        wish.measured.iter().map(|name| basis.output(name.trim(), "--measured")).collect::<Result<_, _>>()?;
    let names: Vec<String> = measured.iter().map(|output| output.name.clone()).collect();
    let choice = match (&wish.poles, &wish.noise) {
        (Some(text), _) => ObserverChoice::Poles(mapped(poles("--observer-poles", text, &lookup)?)),
        (None, Some((q, r))) => ObserverChoice::Kalman(
            weight("--noise-q", q, &basis.states, &lookup)?,
            weight("--noise-r", r.as_deref().unwrap_or("1"), &names, &lookup)?,
        ),
        (None, None) => {
            return Err(DesignError::Usage(
                "an observer needs `--observer-poles`, or `--noise-q` and `--noise-r` for a Kalman filter".into(),
            ));
        }
    };
    Observer::new(basis, system, measured, &choice).map(Some)
}
