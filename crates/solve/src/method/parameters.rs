//! What is free in a method: its order, the parameter of a family, how its equations are solved.

use super::registry::{Choice, Family, ImplicitRule, VARIABLE_ADAMS};
use crate::{AdamsForm, BdfOptions, MAX_ORDER, NewtonOptions, TaylorOptions};

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
}
