//! The methods by name: which there are, which are meant, which belong to later versions.

use crate::{RunError, RunOptions, closest};
use ordinate_solve::{AUTOMATIC, BadParameter, Choice, FirstIterate, NewtonOptions, by_name, names};

/// Methods that are named in the documentation but belong to later versions.
#[rustfmt::skip]
const LATER: &[&str] = &["lsoda", "ode23s"];

/// Methods for stiff or algebraic models that other tools have.
const STIFF_ELSEWHERE: &[&str] = &[
    "lsoda",
    "lsode",
    "vode",
    "cvode",
    "ida",
    "dassl",
    "daspk",
    "rodas",
    "ode23s",
    "ode23tb",
    "ode15i",
    "seulex",
    "stiff",
    "radauiia",
    "rosenbrock",
    "esdirk",
    "kvaerno5",
    "tr-bdf2",
];

/// A method for people who choose one.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodInfo {
    /// Its name.
    pub name: &'static str,
    /// Its order, the highest one where it varies.
    pub order: u32,
    /// Whether the order is chosen for each step.
    pub order_varies: bool,
    /// Whether it estimates its error; otherwise two half steps do.
    pub estimates: bool,
    /// Whether it runs with a given step only.
    pub needs_step: bool,
    /// What SciPy, MATLAB and the literature call it.
    pub aliases: &'static [&'static str],
}

/// The available methods, `auto` not among them.
pub fn methods() -> Vec<MethodInfo> {
    let info = |name: &'static str| {
        let choice = by_name(name)?;
        Some(MethodInfo {
            name,
            order: choice.order(),
            order_varies: choice.order_varies(),
            estimates: choice.build(1, true).error_exponent().is_some(),
            needs_step: choice.needs_step(),
            aliases: choice.aliases(),
        })
    };
    names().filter_map(info).collect()
}

/// The available methods in one line.
pub fn methods_text() -> String {
    names().chain([AUTOMATIC]).collect::<Vec<_>>().join(", ")
}

/// Whether a method, or `auto`, is called by this name.
pub fn is_method(name: &str) -> bool {
    by_name(name).is_some()
}

/// The method that is meant by a misspelt name, if one is near enough.
pub fn closest_method(name: &str) -> Option<&'static str> {
    closest(name, names().chain([AUTOMATIC]))
}

/// The method that suits most models.
pub(crate) fn automatic() -> Choice {
    by_name(AUTOMATIC).expect("a method of every version")
}

/// The method that the options name, and whether it was chosen automatically.
pub(crate) fn choose(options: &RunOptions) -> Result<(Choice, bool), RunError> {
    let automatic = options.method.eq_ignore_ascii_case(AUTOMATIC);
    let name = &options.method;
    let Some(choice) = by_name(name) else {
        let lower = name.to_ascii_lowercase();
        let problem = if LATER.contains(&lower.as_str()) {
            format!("method `{name}` is not available in this version")
        } else if let Some(meant) = closest_method(name).filter(|_| !STIFF_ELSEWHERE.contains(&lower.as_str())) {
            format!("there is no method `{name}` (did you mean `{meant}`?)")
        } else {
            format!("there is no method `{name}`")
        };
        let problem = match STIFF_ELSEWHERE.contains(&lower.as_str()) {
            true => format!("{problem}; for stiff and algebraic models use `auto`, `radau` or `bdf`"),
            false => problem,
        };
        return Err(RunError::Usage(format!("{problem}; available: {}", methods_text())));
    };
    let choice = with_parameters(choice, options).map_err(|e| {
        RunError::Usage(match e {
            BadParameter::NoNewton { method } => format!(
                "`--newton`, `--newton-tol`, `--newton-max`, `--newton-start` and `--trace newton` belong to implicit methods such as `radau5`, not to `{method}`"
            ),
            BadParameter::NoPhi { method } => format!("`--phi` belongs to `rk2`, not to `{method}`"),
            BadParameter::PhiOutOfRange { phi } => format!("`--phi` must lie in (0, 1], not {phi}"),
            BadParameter::NoOrder { method } => {
                format!("`--order` and `--max-order` belong to `taylor`, `mtsm`, `abm`, `adams` and `bdf`; the order of `{method}` is its own")
            }
            BadParameter::NoMaxOrder { method } => {
                format!("`{method}` does not choose its order, so it has no `--max-order`; give `--order`")
            }
            BadParameter::OrderOutOfRange { method, order, highest } => {
                format!("the order of `{method}` must lie between 1 and {highest}, not {order}")
            }
            BadParameter::BadScale { method, .. } if !TAYLOR.contains(&method) => {
                format!("`--h-scale` belongs to `taylor` and `mtsm`, not to `{method}`")
            }
            BadParameter::BadScale { scale, .. } => format!("`--h-scale` must be above 1, not {scale}"),
        })
    })?;
    let newton = &options.newton;
    if options.step.is_none() && (newton.tolerance.is_some() || matches!(newton.first, FirstIterate::Given(_))) {
        return Err(RunError::Usage(
            "`--newton-tol` and a value of `--newton-start` are for a fixed step: give `--step H`; with controlled steps the iteration follows from the tolerances".into(),
        ));
    }
    if options.step.is_none() && choice.needs_step() {
        let name = choice.name();
        return Err(RunError::Usage(format!(
            "`{name}` has no error estimate and needs a fixed step: give `--step H`, or choose a method that controls its error, such as `auto`"
        )));
    }
    if options.h_scale.is_some() && options.step.is_none() {
        return Err(RunError::Usage("`--h-scale` scales a fixed step; give it by `--step`".into()));
    }
    if options.min_ord.is_some() && options.h_scale.is_none() {
        return Err(RunError::Usage("`--min-ord` says when `--h-scale` applies; give that, too".into()));
    }
    Ok((choice, automatic))
}

/// The methods that work by Taylor series.
const TAYLOR: &[&str] = &["taylor", "mtsm"];

fn with_parameters(choice: Choice, options: &RunOptions) -> Result<Choice, BadParameter> {
    let mut choice = choice;
    if let Some(phi) = options.phi {
        choice = choice.with_phi(phi)?;
    }
    if options.order.is_some() || options.max_order.is_some() {
        choice = choice.with_order(options.order, options.max_order)?;
    }
    if let Some(scale) = options.h_scale {
        choice = choice.with_scaling(scale, options.min_ord.unwrap_or(10))?;
    }
    if options.newton != NewtonOptions::default() {
        choice = choice.with_newton(options.newton)?;
    }
    Ok(choice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alias_belongs_to_a_method() {
        for method in methods() {
            assert!(method.aliases.iter().all(|alias| by_name(alias).is_some_and(|same| same.name() == method.name)));
        }
        let pair = methods().into_iter().find(|method| method.name == "dp5").expect("listed");
        assert_eq!(
            (pair.order, pair.estimates, pair.aliases),
            (5, true, &["RK45", "ode45", "dopri5", "dormand-prince"][..])
        );
    }

    #[test]
    fn an_unknown_method_is_answered_with_those_there_are() {
        for name in ["rk5", "ode999", "ode23s"] {
            let Err(RunError::Usage(text)) = choose(&RunOptions { method: name.into(), ..RunOptions::default() })
            else {
                panic!("{name} is no method");
            };
            assert!(text.contains("available") && text.contains("dp5") && text.contains("auto"), "{text}");
        }
    }
}
