//! The methods by name.

use crate::explicit::rk::ExplicitRk;
use crate::explicit::tableau::ExplicitTableau;
use crate::explicit::tableaus;
use crate::method::step_doubling::StepDoubling;
use crate::{
    Adams, AdamsForm, AutoMethod, Bdf, BdfOptions, FixedBdf, Ge3, LinearTaylor, MAX_ORDER, Method, Named,
    NewtonOptions, OneStage, OneStageRule, Radau, RadauOrder, Taylor, TaylorOptions, VariableAdams,
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
    ("adams-bashforth-moulton", "abm"),
    ("ode113", "adams"),
    ("implicit-euler", "backward-euler"),
    ("ode23t", "trapezoid"),
    ("ode15s", "bdf"),
];

/// A method chosen by name, for systems of any size.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    pub(crate) family: Family,
}

/// A family of methods and what is free in it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Family {
    Explicit { tableau: &'static ExplicitTableau<'static>, phi: Option<f64> },
    Taylor { name: &'static str, options: TaylorOptions },
    Adams { name: &'static str, form: AdamsForm, newton: NewtonOptions },
    VariableAdams { order: Option<u32>, max_order: u32 },
    Ge3,
    Implicit { name: &'static str, rule: ImplicitRule, newton: NewtonOptions },
    Automatic { newton: NewtonOptions },
}

/// The methods that solve equations in every step.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ImplicitRule {
    OneStage(OneStageRule),
    Radau(RadauOrder),
    /// The formula of so many steps.
    FixedBdf(usize),
    Bdf(BdfOptions),
}

/// The Taylor methods: on the equations as they are, and on those transformed to polynomials.
const TAYLOR: [&str; 2] = ["taylor", "mtsm"];

/// The Adams methods of a fixed order.
const ADAMS: [(&str, AdamsForm); 13] = [
    ("ab1", AdamsForm::Bashforth(1)),
    ("ab2", AdamsForm::Bashforth(2)),
    ("ab3", AdamsForm::Bashforth(3)),
    ("ab4", AdamsForm::Bashforth(4)),
    ("ab5", AdamsForm::Bashforth(5)),
    ("ab6", AdamsForm::Bashforth(6)),
    ("am0", AdamsForm::Moulton(0)),
    ("am1", AdamsForm::Moulton(1)),
    ("am2", AdamsForm::Moulton(2)),
    ("am3", AdamsForm::Moulton(3)),
    ("am4", AdamsForm::Moulton(4)),
    ("am5", AdamsForm::Moulton(5)),
    ("abm", AdamsForm::Pece(4)),
];

/// The Adams method that chooses order and step, and its highest order.
const VARIABLE_ADAMS: (&str, u32) = ("adams", 12);

static IMPLICIT: [(&str, ImplicitRule); 14] = [
    ("backward-euler", ImplicitRule::OneStage(OneStageRule::BackwardEuler)),
    ("trapezoid", ImplicitRule::OneStage(OneStageRule::Trapezoid)),
    ("radau3", ImplicitRule::Radau(RadauOrder::Three)),
    ("radau5", ImplicitRule::Radau(RadauOrder::Five)),
    ("radau9", ImplicitRule::Radau(RadauOrder::Nine)),
    ("radau13", ImplicitRule::Radau(RadauOrder::Thirteen)),
    ("radau", ImplicitRule::Radau(RadauOrder::Variable)),
    ("bdf1", ImplicitRule::FixedBdf(1)),
    ("bdf2", ImplicitRule::FixedBdf(2)),
    ("bdf3", ImplicitRule::FixedBdf(3)),
    ("bdf4", ImplicitRule::FixedBdf(4)),
    ("bdf5", ImplicitRule::FixedBdf(5)),
    ("bdf6", ImplicitRule::FixedBdf(6)),
    ("bdf", ImplicitRule::Bdf(BdfOptions::DEFAULT)),
];

/// The method for second derivatives.
const GE3: &str = "ge3";

/// The method called `name`; capital letters do not matter.
pub fn by_name(name: &str) -> Option<Choice> {
    let name = name.to_ascii_lowercase();
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(&name[..], |(_, name)| name);
    if let Some(name) = TAYLOR.into_iter().find(|taylor| *taylor == name) {
        return Some(Choice { family: Family::Taylor { name, options: TaylorOptions::default() } });
    }
    if let Some((name, form)) = ADAMS.into_iter().find(|(adams, _)| *adams == name) {
        return Some(Choice { family: Family::Adams { name, form, newton: NewtonOptions::default() } });
    }
    if name == GE3 {
        return Some(Choice { family: Family::Ge3 });
    }
    if name == VARIABLE_ADAMS.0 {
        return Some(Choice { family: Family::VariableAdams { order: None, max_order: VARIABLE_ADAMS.1 } });
    }
    if let Some((name, rule)) = IMPLICIT.into_iter().find(|(implicit, _)| *implicit == name) {
        return Some(Choice { family: Family::Implicit { name, rule, newton: NewtonOptions::default() } });
    }
    if name == AUTOMATIC {
        return Some(Choice { family: Family::Automatic { newton: NewtonOptions::default() } });
    }
    let tableau = tableaus::ALL.iter().find(|tableau| tableau.name == name)?;
    Some(Choice { family: Family::Explicit { tableau, phi: None } })
}

/// The choice between methods by the system and by what it does.
pub const AUTOMATIC: &str = "auto";

/// The names of all methods, without the aliases and `auto`.
pub fn names() -> impl Iterator<Item = &'static str> {
    let implicit = IMPLICIT.iter().map(|(name, _)| *name);
    let adams = ADAMS.into_iter().map(|(name, _)| name).chain([VARIABLE_ADAMS.0, GE3]);
    TAYLOR.into_iter().chain(tableaus::ALL.iter().map(|tableau| tableau.name)).chain(implicit).chain(adams)
}

/// Why a parameter does not fit a method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BadParameter {
    /// Only `rk2` has a parameter φ.
    NoPhi {
        /// The method.
        method: &'static str,
    },
    /// Only the Taylor methods, `abm`, `adams` and `bdf` have an order to choose.
    NoOrder {
        /// The method.
        method: &'static str,
    },
    /// Only methods that choose their order have a highest one.
    NoMaxOrder {
        /// The method.
        method: &'static str,
    },
    /// The order must lie between 1 and the highest of the method.
    OrderOutOfRange {
        /// The method.
        method: &'static str,
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
            Family::Taylor { name, .. } | Family::Adams { name, .. } | Family::Implicit { name, .. } => name,
            Family::VariableAdams { .. } => VARIABLE_ADAMS.0,
            Family::Automatic { .. } => AUTOMATIC,
            Family::Ge3 => GE3,
        }
    }

    /// Its order, the highest one where it varies.
    pub fn order(&self) -> u32 {
        match self.family {
            Family::Explicit { tableau, .. } => tableau.order,
            Family::Taylor { options, .. } => options.order.unwrap_or(options.max_order),
            Family::Adams { form, .. } => form.order(),
            Family::VariableAdams { order, max_order } => order.unwrap_or(max_order),
            Family::Ge3 => 2,
            Family::Implicit { .. } => self.build(0, true).order(),
            Family::Automatic { .. } => MAX_ORDER,
        }
    }

    /// The order with which the error of a whole run shrinks, where its start limits that.
    pub(crate) fn order_of_run(&self) -> u32 {
        match self.family {
            Family::Adams { form, .. } => form.order_of_run(),
            Family::Explicit { .. }
            | Family::Taylor { .. }
            | Family::VariableAdams { .. }
            | Family::Ge3
            | Family::Implicit { .. }
            | Family::Automatic { .. } => self.order(),
        }
    }

    /// Whether the order is chosen for each step.
    pub fn order_varies(&self) -> bool {
        match self.family {
            Family::Taylor { options, .. } => options.order.is_none(),
            Family::Implicit { rule, .. } => match rule {
                ImplicitRule::Radau(order) => order == RadauOrder::Variable,
                ImplicitRule::Bdf(options) => options.order.is_none(),
                ImplicitRule::OneStage(_) | ImplicitRule::FixedBdf(_) => false,
            },
            Family::VariableAdams { order, .. } => order.is_none(),
            Family::Automatic { .. } => true,
            Family::Explicit { .. } | Family::Adams { .. } | Family::Ge3 => false,
        }
    }

    /// Whether it is a multistep method that chooses the order of each step. Its error follows the tolerance in jumps: an order that
    /// is taken a little earlier or later may make up for a tenth of the tolerance.
    pub(crate) fn jumps(&self) -> bool {
        match self.family {
            Family::Implicit { rule: ImplicitRule::Bdf(_), .. } | Family::VariableAdams { .. } => self.order_varies(),
            Family::Implicit { .. }
            | Family::Taylor { .. }
            | Family::Automatic { .. }
            | Family::Explicit { .. }
            | Family::Adams { .. }
            | Family::Ge3 => false,
        }
    }

    /// Whether it runs with a given step only: it has no error estimate, and two half steps do not make one.
    pub fn needs_step(&self) -> bool {
        self.build(1, false).error_exponent().is_none()
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
            _ => Err(BadParameter::NoPhi { method: self.name() }),
        }
    }

    /// The same with this order, or this highest order.
    pub fn with_order(self, order: Option<u32>, max_order: Option<u32>) -> Result<Choice, BadParameter> {
        let (method, highest) = match self.family {
            Family::Taylor { name, .. } => (name, MAX_ORDER),
            Family::Adams { name, form: AdamsForm::Pece(_), .. } => (name, 6),
            Family::VariableAdams { .. } => VARIABLE_ADAMS,
            Family::Implicit { name, rule: ImplicitRule::Bdf(_), .. } => (name, BdfOptions::DEFAULT.max_order),
            Family::Explicit { .. }
            | Family::Implicit { .. }
            | Family::Adams { .. }
            | Family::Ge3
            | Family::Automatic { .. } => {
                return Err(BadParameter::NoOrder { method: self.name() });
            }
        };
        if let Some(order) = order.into_iter().chain(max_order).find(|order| !(1..=highest).contains(order)) {
            return Err(BadParameter::OrderOutOfRange { method, order, highest });
        }
        match self.family {
            Family::Implicit { name, rule: ImplicitRule::Bdf(options), newton } => {
                let rule = ImplicitRule::Bdf(BdfOptions { order, max_order: max_order.unwrap_or(options.max_order) });
                Ok(Choice { family: Family::Implicit { name, rule, newton } })
            }
            Family::Taylor { name, options } => {
                let max_order = max_order.unwrap_or(options.max_order);
                Ok(Choice { family: Family::Taylor { name, options: TaylorOptions { order, max_order, ..options } } })
            }
            Family::Adams { name, form, newton } => match (order, max_order) {
                (Some(order), None) => {
                    Ok(Choice { family: Family::Adams { name, form: AdamsForm::Pece(order), newton } })
                }
                (None, None) => Ok(Choice { family: Family::Adams { name, form, newton } }),
                (_, Some(_)) => Err(BadParameter::NoMaxOrder { method }),
            },
            Family::VariableAdams { max_order: highest, .. } => {
                let max_order = max_order.unwrap_or(highest);
                Ok(Choice { family: Family::VariableAdams { order, max_order } })
            }
            Family::Explicit { .. } | Family::Implicit { .. } | Family::Ge3 | Family::Automatic { .. } => {
                Err(BadParameter::NoOrder { method })
            }
        }
    }

    /// The same with a fixed step that grows once by a factor when the order stays low.
    pub fn with_scaling(self, scale: f64, min_ord: u32) -> Result<Choice, BadParameter> {
        match self.family {
            Family::Taylor { name, options } if scale > 1.0 && scale.is_finite() => {
                let options = TaylorOptions { h_scale: Some(scale), min_ord, ..options };
                Ok(Choice { family: Family::Taylor { name, options } })
            }
            _ => Err(BadParameter::BadScale { method: self.name(), scale }),
        }
    }

    /// The same with these options of Newton's method.
    pub fn with_newton(self, newton: NewtonOptions) -> Result<Choice, BadParameter> {
        match self.family {
            Family::Implicit { name, rule, .. } => Ok(Choice { family: Family::Implicit { name, rule, newton } }),
            Family::Automatic { .. } => Ok(Choice { family: Family::Automatic { newton } }),
            Family::Adams { name, form: form @ AdamsForm::Moulton(_), .. } => {
                Ok(Choice { family: Family::Adams { name, form, newton } })
            }
            _ => Err(BadParameter::NoNewton { method: self.name() }),
        }
    }

    /// The same with its implicit equations solved as well as they need be, whatever [`NewtonOptions::tolerance`] says: what a run
    /// with that is compared with.
    pub fn converging(self) -> Choice {
        let family = match self.family {
            Family::Implicit { name, rule, newton } => {
                Family::Implicit { name, rule, newton: NewtonOptions { tolerance: None, ..newton } }
            }
            Family::Automatic { newton } => Family::Automatic { newton: NewtonOptions { tolerance: None, ..newton } },
            Family::Adams { name, form, newton } => {
                Family::Adams { name, form, newton: NewtonOptions { tolerance: None, ..newton } }
            }
            family => family,
        };
        Choice { family }
    }

    /// The method for `states` states. A one-step method without an error estimate gets one by step doubling, unless the
    /// step is fixed.
    pub fn build(&self, states: usize, fixed_step: bool) -> Box<dyn Method> {
        let method = match self.family {
            Family::Taylor { options, .. } => return taylor(states, options, fixed_step),
            Family::Automatic { newton } => return automatic(states, newton, fixed_step),
            Family::Adams { form, newton, .. } => return Box::new(Adams::new(form, states, newton)),
            Family::Ge3 => return Box::new(Ge3::new(states)),
            Family::VariableAdams { order, max_order } => {
                return Box::new(VariableAdams::new(states, order, Some(max_order), fixed_step));
            }
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
        ImplicitRule::FixedBdf(steps) => Box::new(FixedBdf::new(states, steps, newton)),
        ImplicitRule::Bdf(options) => Box::new(Bdf::new(states, options, newton, fixed_step)),
    }
}

/// Taylor or Runge–Kutta methods where the system is not stiff, Radau's or BDF where it is, by what they cost. With a fixed step, whose error nobody looks at, Radau's
/// of fifth order: an explicit method would leave the finite numbers where the step is too long for its stability.
fn automatic(states: usize, newton: NewtonOptions, fixed_step: bool) -> Box<dyn Method> {
    let named = |name, method| Named { name, method };
    let dop853 = Box::new(ExplicitRk::new(&tableaus::DOP853, states));
    let bridge = Named { name: tableaus::DOP853.name, method: dop853 };
    if fixed_step {
        let radau = Box::new(Radau::new(states, RadauOrder::Five, newton, true));
        return Box::new(AutoMethod::new(vec![named("radau5", radau)], 0).with_bridge(bridge));
    }
    let linear = Box::new(LinearTaylor::new(states));
    let general = Box::new(Taylor::new(states, TaylorOptions::default(), false));
    let radau = Box::new(Radau::new(states, RadauOrder::Variable, newton, false));
    let dp8 = Box::new(ExplicitRk::new(&tableaus::DOP853, states));
    let bdf = Box::new(Bdf::new(states, BdfOptions::DEFAULT, newton, false));
    let methods = vec![
        named("taylor", linear),
        named("taylor", general),
        named(tableaus::DOP853.name, dp8),
        named("radau", radau),
        named("bdf", bdf),
    ];
    Box::new(AutoMethod::new(methods, 3).with_bridge(bridge))
}

/// The Taylor method: that of linear systems where there is nothing to choose and the system is linear.
fn taylor(states: usize, options: TaylorOptions, fixed_step: bool) -> Box<dyn Method> {
    let general = Box::new(Taylor::new(states, options, fixed_step).alone());
    if options != TaylorOptions::default() {
        return general;
    }
    let linear = if fixed_step { LinearTaylor::with_given_steps(states) } else { LinearTaylor::new(states) };
    let named = |method| Named { name: "taylor", method };
    Box::new(AutoMethod::new(vec![named(Box::new(linear)), named(general)], 2))
}
