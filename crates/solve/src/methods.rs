//! The methods by name.

use crate::doubling::StepDoubling;
use crate::explicit::ExplicitRk;
use crate::tableau::ExplicitTableau;
use crate::{Method, tableaus};

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
];

/// A method chosen by name, for systems of any size.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    tableau: &'static ExplicitTableau<'static>,
    phi: Option<f64>,
}

/// The method called `name`; capital letters do not matter.
pub fn by_name(name: &str) -> Option<Choice> {
    let name = name.to_ascii_lowercase();
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(&name[..], |(_, name)| name);
    let tableau = tableaus::ALL.iter().find(|tableau| tableau.name == name)?;
    Some(Choice { tableau, phi: None })
}

/// The names of all methods, without the aliases.
pub fn names() -> impl Iterator<Item = &'static str> {
    tableaus::ALL.iter().map(|tableau| tableau.name)
}

/// Why a parameter does not fit a method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BadParameter {
    /// Only `rk2` has a parameter φ.
    NoPhi {
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
        self.tableau.name
    }

    /// Its order.
    pub fn order(&self) -> u32 {
        self.tableau.order
    }

    /// The two-stage method whose second stage lies at t + φ h, 0 < φ ≤ 1.
    pub fn with_phi(self, phi: f64) -> Result<Choice, BadParameter> {
        if self.name() != "rk2" {
            return Err(BadParameter::NoPhi { method: self.name() });
        }
        if !(phi > 0.0 && phi <= 1.0) {
            return Err(BadParameter::PhiOutOfRange { phi });
        }
        Ok(Choice { phi: Some(phi), ..self })
    }

    /// The method for `states` states. A method without an error estimate gets one by step doubling, unless the
    /// step is fixed.
    pub fn build(&self, states: usize, fixed_step: bool) -> Box<dyn Method> {
        let method = match self.phi {
            Some(phi) => tableaus::rk2(phi, |tableau| ExplicitRk::new(tableau, states)),
            None => ExplicitRk::new(self.tableau, states),
        };
        if fixed_step || method.error_exponent().is_some() {
            Box::new(method)
        } else {
            Box::new(StepDoubling::new(method))
        }
    }
}
