//! The methods by name.

use crate::doubling::StepDoubling;
use crate::explicit::ExplicitRk;
use crate::tableau::ExplicitTableau;
use crate::{
    LinearTaylor, MAX_ORDER, Method, NewtonOptions, OneStage, OneStageRule, Radau, RadauOrder, Taylor, TaylorOptions,
    WhereLinear, tableaus,
};

/// Other names of the methods: those of SciPy and MATLAB, and of the literature.
static ALIASES: &[(&str, &str)] = &[
    ("forward-euler", "euler"),
    ("explicit-euler", "euler"),
    ("midpoint", "rk2"),
    ("rk23", "bs23"),
    ("ode23", "bs23"),
    ("bogacki-shampine", "bs23"),
    ("rk45", "dp5"),
    ("ode45", "dp5"),
    ("dopri5", "dp5"),
    ("dormand-prince", "dp5"),
    ("dop853", "dp8"),
    ("ode78", "dp8"),
    ("fehlberg56", "fehlberg"),
    ("rkf56", "fehlberg"),
    ("implicit-euler", "backward-euler"),
    ("ode23t", "trapezoid"),
];

/// A method chosen by name, for systems of any size.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    family: Family,
}

/// A family of methods and what is free in it.
#[derive(Clone, Copy, Debug)]
enum Family {
    Explicit { tableau: &'static ExplicitTableau<'static>, phi: Option<f64> },
    Taylor { name: &'static str, options: TaylorOptions },
    Implicit { name: &'static str, rule: ImplicitRule, newton: NewtonOptions },
}

/// The implicit one-step methods.
#[derive(Clone, Copy, Debug)]
enum ImplicitRule {
    OneStage(OneStageRule),
    Radau(RadauOrder),
}

/// The Taylor methods: on the equations as they are, and on those transformed to polynomials.
const TAYLOR: [&str; 2] = ["taylor", "mtsm"];

static IMPLICIT: [(&str, ImplicitRule); 7] = [
    ("backward-euler", ImplicitRule::OneStage(OneStageRule::BackwardEuler)),
    ("trapezoid", ImplicitRule::OneStage(OneStageRule::Trapezoid)),
    ("radau3", ImplicitRule::Radau(RadauOrder::Three)),
    ("radau5", ImplicitRule::Radau(RadauOrder::Five)),
    ("radau9", ImplicitRule::Radau(RadauOrder::Nine)),
    ("radau13", ImplicitRule::Radau(RadauOrder::Thirteen)),
    ("radau", ImplicitRule::Radau(RadauOrder::Variable)),
];

/// The method called `name`; capital letters do not matter.
pub fn by_name(name: &str) -> Option<Choice> {
    let name = name.to_ascii_lowercase();
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(&name[..], |(_, name)| name);
    if let Some(name) = TAYLOR.into_iter().find(|taylor| *taylor == name) {
        return Some(Choice { family: Family::Taylor { name, options: TaylorOptions::default() } });
    }
    if let Some((name, rule)) = IMPLICIT.into_iter().find(|(implicit, _)| *implicit == name) {
        return Some(Choice { family: Family::Implicit { name, rule, newton: NewtonOptions::default() } });
    }
    let tableau = tableaus::ALL.iter().find(|tableau| tableau.name == name)?;
    Some(Choice { family: Family::Explicit { tableau, phi: None } })
}

/// The names of all methods, without the aliases.
pub fn names() -> impl Iterator<Item = &'static str> {
    let implicit = IMPLICIT.iter().map(|(name, _)| *name);
    TAYLOR.into_iter().chain(tableaus::ALL.iter().map(|tableau| tableau.name)).chain(implicit)
}

/// Why a parameter does not fit a method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BadParameter {
    /// Only `rk2` has a parameter φ.
    NoPhi {
        /// The method.
        method: &'static str,
    },
    /// Only the Taylor methods have an order to choose.
    NoOrder {
        /// The method.
        method: &'static str,
    },
    /// The order must lie between 1 and the highest of double precision.
    OrderOutOfRange {
        /// The value.
        order: u32,
        /// The highest one.
        highest: u32,
    },
    /// Only the Taylor methods scale a fixed step, and the factor must be above one.
    BadScale {
        /// The method.
        method: &'static str,
        /// The factor.
        scale: f64,
    },
    /// Only implicit methods use Newton's.
    NoNewton {
        /// The method.
        method: &'static str,
    },
    /// φ must be positive and at most one, so that the second stage lies within the step.
    PhiOutOfRange {
        /// The value.
        phi: f64,
    },
}

impl Choice {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self.family {
            Family::Explicit { tableau, .. } => tableau.name,
            Family::Taylor { name, .. } | Family::Implicit { name, .. } => name,
        }
    }

    /// Its order, the highest one where it varies.
    pub fn order(&self) -> u32 {
        match self.family {
            Family::Explicit { tableau, .. } => tableau.order,
            Family::Taylor { options, .. } => options.order.unwrap_or(options.max_order),
            Family::Implicit { .. } => self.build(0, true).order(),
        }
    }

    /// Whether the order is chosen for each step.
    pub fn order_varies(&self) -> bool {
        match self.family {
            Family::Taylor { options, .. } => options.order.is_none(),
            Family::Implicit { rule, .. } => matches!(rule, ImplicitRule::Radau(RadauOrder::Variable)),
            Family::Explicit { .. } => false,
        }
    }

    /// The two-stage method whose second stage lies at t + φ h, 0 < φ ≤ 1.
    pub fn with_phi(self, phi: f64) -> Result<Choice, BadParameter> {
        match self.family {
            Family::Explicit { tableau, .. } if tableau.name == "rk2" => {
                if phi > 0.0 && phi <= 1.0 {
                    Ok(Choice { family: Family::Explicit { tableau, phi: Some(phi) } })
                } else {
                    Err(BadParameter::PhiOutOfRange { phi })
                }
            }
            Family::Explicit { .. } | Family::Taylor { .. } | Family::Implicit { .. } => {
                Err(BadParameter::NoPhi { method: self.name() })
            }
        }
    }

    /// The same with this order, or this highest order.
    pub fn with_order(self, order: Option<u32>, max_order: Option<u32>) -> Result<Choice, BadParameter> {
        if let Some(order) = order.into_iter().chain(max_order).find(|order| !(1..=MAX_ORDER).contains(order)) {
            return Err(BadParameter::OrderOutOfRange { order, highest: MAX_ORDER });
        }
        match self.family {
            Family::Taylor { name, options } => {
                let max_order = max_order.unwrap_or(options.max_order);
                Ok(Choice { family: Family::Taylor { name, options: TaylorOptions { order, max_order, ..options } } })
            }
            Family::Explicit { .. } | Family::Implicit { .. } => Err(BadParameter::NoOrder { method: self.name() }),
        }
    }

    /// The same with a fixed step that grows once by a factor when the order stays low.
    pub fn with_scaling(self, scale: f64, min_ord: u32) -> Result<Choice, BadParameter> {
        match self.family {
            Family::Taylor { name, options } if scale > 1.0 && scale.is_finite() => {
                let options = TaylorOptions { h_scale: Some(scale), min_ord, ..options };
                Ok(Choice { family: Family::Taylor { name, options } })
            }
            Family::Explicit { .. } | Family::Taylor { .. } | Family::Implicit { .. } => {
                Err(BadParameter::BadScale { method: self.name(), scale })
            }
        }
    }

    /// The same with these options of Newton's method.
    pub fn with_newton(self, newton: NewtonOptions) -> Result<Choice, BadParameter> {
        match self.family {
            Family::Implicit { name, rule, .. } => Ok(Choice { family: Family::Implicit { name, rule, newton } }),
            Family::Explicit { .. } | Family::Taylor { .. } => Err(BadParameter::NoNewton { method: self.name() }),
        }
    }

    /// The method for `states` states. A method without an error estimate gets one by step doubling, unless the
    /// step is fixed.
    pub fn build(&self, states: usize, fixed_step: bool) -> Box<dyn Method> {
        let method = match self.family {
            Family::Taylor { options, .. } => return taylor(states, options, fixed_step),
            Family::Implicit { rule, newton, .. } => return implicit(states, rule, newton, fixed_step),
            Family::Explicit { phi: Some(phi), .. } => tableaus::rk2(phi, |tableau| ExplicitRk::new(tableau, states)),
            Family::Explicit { tableau, phi: None } => ExplicitRk::new(tableau, states),
        };
        if fixed_step || method.error_exponent().is_some() {
            Box::new(method)
        } else {
            Box::new(StepDoubling::new(method))
        }
    }
}

fn implicit(states: usize, rule: ImplicitRule, newton: NewtonOptions, fixed_step: bool) -> Box<dyn Method> {
    match rule {
        ImplicitRule::OneStage(rule) => Box::new(OneStage::new(states, rule, newton, fixed_step)),
        ImplicitRule::Radau(order) => Box::new(Radau::new(states, order, newton, fixed_step)),
    }
}

/// The Taylor method: that of linear systems where there is nothing to choose and the system is linear.
fn taylor(states: usize, options: TaylorOptions, fixed_step: bool) -> Box<dyn Method> {
    let general = Box::new(Taylor::new(states, options, fixed_step));
    if options != TaylorOptions::default() {
        return general;
    }
    let linear = if fixed_step { LinearTaylor::with_given_steps(states) } else { LinearTaylor::new(states) };
    Box::new(WhereLinear::new(linear, general))
}
