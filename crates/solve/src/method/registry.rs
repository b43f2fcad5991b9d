//! The methods by name. A family of methods is a variant of [`Family`], a method is a row of [`METHODS`]: the command line, its help,
//! comparisons and stability regions read nothing else.

use crate::explicit::rk::ExplicitRk;
use crate::explicit::tableau::ExplicitTableau;
use crate::explicit::tableaus;
use crate::method::step_doubling::StepDoubling;
use crate::{
    Adams, AdamsForm, AutoMethod, Bdf, BdfOptions, FixedBdf, Ge3, LinearTaylor, MAX_ORDER, Method, Named,
    NewtonOptions, OneStage, OneStageRule, Radau, RadauOrder, Taylor, TaylorOptions, VariableAdams,
};

/// A method: its name, what other tools and the literature call it, and its family with what is free in it.
struct Row {
    name: &'static str,
    aliases: &'static [&'static str],
    family: Family,
}

const fn row(name: &'static str, aliases: &'static [&'static str], family: Family) -> Row {
    Row { name, aliases, family }
}

const fn explicit(tableau: &'static ExplicitTableau<'static>, aliases: &'static [&'static str]) -> Row {
    row(tableau.name, aliases, Family::Explicit { tableau, phi: None })
}

const fn series(name: &'static str) -> Row {
    row(name, &[], Family::Taylor { name, options: TaylorOptions::DEFAULT })
}

const fn adams(name: &'static str, aliases: &'static [&'static str], form: AdamsForm) -> Row {
    row(name, aliases, Family::Adams { name, form, newton: NewtonOptions::DEFAULT })
}

const fn implicit(name: &'static str, aliases: &'static [&'static str], rule: ImplicitRule) -> Row {
    row(name, aliases, Family::Implicit { name, rule, newton: NewtonOptions::DEFAULT })
}

/// The choice between methods by the system and by what it does.
pub const AUTOMATIC: &str = "auto";

/// All methods; a new one is found by its name, listed and tested by having a row here.
#[rustfmt::skip]
static METHODS: &[Row] = &[
    row(AUTOMATIC, &[], Family::Automatic { newton: NewtonOptions::DEFAULT }),
    series("taylor"),
    series("mtsm"),
    explicit(&tableaus::EULER, &["forward-euler", "explicit-euler"]),
    explicit(&tableaus::MIDPOINT, &["midpoint"]),
    explicit(&tableaus::HEUN, &[]),
    explicit(&tableaus::RALSTON, &[]),
    explicit(&tableaus::RK4, &[]),
    explicit(&tableaus::BOGACKI_SHAMPINE, &["RK23", "ode23", "bogacki-shampine"]),
    explicit(&tableaus::DORMAND_PRINCE, &["RK45", "ode45", "dopri5", "dormand-prince"]),
    explicit(&tableaus::FEHLBERG, &["fehlberg56", "rkf56"]),
    explicit(&tableaus::DOP853, &["DOP853", "ode78"]),
    implicit("backward-euler", &["implicit-euler"], ImplicitRule::OneStage(OneStageRule::BackwardEuler)),
    implicit("trapezoid", &["ode23t"], ImplicitRule::OneStage(OneStageRule::Trapezoid)),
    implicit("radau3", &[], ImplicitRule::Radau(RadauOrder::Three)),
    implicit("radau5", &[], ImplicitRule::Radau(RadauOrder::Five)),
    implicit("radau9", &[], ImplicitRule::Radau(RadauOrder::Nine)),
    implicit("radau13", &[], ImplicitRule::Radau(RadauOrder::Thirteen)),
    implicit("radau", &[], ImplicitRule::Radau(RadauOrder::Variable)),
    implicit("bdf1", &[], ImplicitRule::FixedBdf(1)),
    implicit("bdf2", &[], ImplicitRule::FixedBdf(2)),
    implicit("bdf3", &[], ImplicitRule::FixedBdf(3)),
    implicit("bdf4", &[], ImplicitRule::FixedBdf(4)),
    implicit("bdf5", &[], ImplicitRule::FixedBdf(5)),
    implicit("bdf6", &[], ImplicitRule::FixedBdf(6)),
    implicit("bdf", &["ode15s"], ImplicitRule::Bdf(BdfOptions::DEFAULT)),
    adams("ab1", &[], AdamsForm::Bashforth(1)),
    adams("ab2", &[], AdamsForm::Bashforth(2)),
    adams("ab3", &[], AdamsForm::Bashforth(3)),
    adams("ab4", &[], AdamsForm::Bashforth(4)),
    adams("ab5", &[], AdamsForm::Bashforth(5)),
    adams("ab6", &[], AdamsForm::Bashforth(6)),
    adams("am0", &[], AdamsForm::Moulton(0)),
    adams("am1", &[], AdamsForm::Moulton(1)),
    adams("am2", &[], AdamsForm::Moulton(2)),
    adams("am3", &[], AdamsForm::Moulton(3)),
    adams("am4", &[], AdamsForm::Moulton(4)),
    adams("am5", &[], AdamsForm::Moulton(5)),
    adams("abm", &["adams-bashforth-moulton"], AdamsForm::Pece(4)),
    row(VARIABLE_ADAMS.0, &["ode113"], Family::VariableAdams { order: None, max_order: VARIABLE_ADAMS.1 }),
    row(GE3, &[], Family::Ge3),
];

/// The Adams method that chooses order and step, and its highest order.
pub(super) const VARIABLE_ADAMS: (&str, u32) = ("adams", 12);

/// The method for second derivatives.
const GE3: &str = "ge3";

/// The method called `name`, or with such an alias; capital letters do not matter.
pub fn by_name(name: &str) -> Option<Choice> {
    let is_meant = |known: &&str| known.eq_ignore_ascii_case(name);
    let row = METHODS.iter().find(|row| is_meant(&row.name) || row.aliases.iter().any(&is_meant))?;
    Some(Choice { family: row.family })
}

/// The names of all methods, without the aliases and `auto`.
pub fn names() -> impl Iterator<Item = &'static str> {
    METHODS.iter().map(|row| row.name).filter(|name| *name != AUTOMATIC)
}

/// The tableaus of the explicit Runge–Kutta methods.
pub fn explicit_tableaus() -> impl Iterator<Item = &'static ExplicitTableau<'static>> {
    METHODS.iter().filter_map(|row| match row.family {
        Family::Explicit { tableau, .. } => Some(tableau),
        Family::Taylor { .. }
        | Family::Adams { .. }
        | Family::VariableAdams { .. }
        | Family::Ge3
        | Family::Implicit { .. }
        | Family::Automatic { .. } => None,
    })
}

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

    /// What other tools and the literature call it.
    pub fn aliases(&self) -> &'static [&'static str] {
        METHODS.iter().find(|row| row.name == self.name()).map_or(&[], |row| row.aliases)
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

    /// The method for `states` states. A one-step method without an error estimate gets one by step doubling, unless the
    /// step is fixed.
    pub fn build(&self, states: usize, fixed_step: bool) -> Box<dyn Method> {
        let method = match self.family {
            Family::Taylor { options, .. } => return build_taylor(states, options, fixed_step),
            Family::Automatic { newton } => return build_automatic(states, newton, fixed_step),
            Family::Adams { form, newton, .. } => return Box::new(Adams::new(form, states, newton)),
            Family::Ge3 => return Box::new(Ge3::new(states)),
            Family::VariableAdams { order, max_order } => {
                return Box::new(VariableAdams::new(states, order, Some(max_order), fixed_step));
            }
            Family::Implicit { rule, newton, .. } => return build_implicit(states, rule, newton, fixed_step),
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

fn build_implicit(states: usize, rule: ImplicitRule, newton: NewtonOptions, fixed_step: bool) -> Box<dyn Method> {
    match rule {
        ImplicitRule::OneStage(rule) => Box::new(OneStage::new(states, rule, newton, fixed_step)),
        ImplicitRule::Radau(order) => Box::new(Radau::new(states, order, newton, fixed_step)),
        ImplicitRule::FixedBdf(steps) => Box::new(FixedBdf::new(states, steps, newton)),
        ImplicitRule::Bdf(options) => Box::new(Bdf::new(states, options, newton, fixed_step)),
    }
}

/// Taylor or Runge–Kutta methods where the system is not stiff, Radau's or BDF where it is, by what they cost. With a fixed step, whose error nobody looks at, Radau's
/// of fifth order: an explicit method would leave the finite numbers where the step is too long for its stability.
fn build_automatic(states: usize, newton: NewtonOptions, fixed_step: bool) -> Box<dyn Method> {
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
fn build_taylor(states: usize, options: TaylorOptions, fixed_step: bool) -> Box<dyn Method> {
    let general = Box::new(Taylor::new(states, options, fixed_step).alone());
    if options != TaylorOptions::default() {
        return general;
    }
    let linear = if fixed_step { LinearTaylor::with_given_steps(states) } else { LinearTaylor::new(states) };
    let named = |method| Named { name: "taylor", method };
    Box::new(AutoMethod::new(vec![named(Box::new(linear)), named(general)], 2))
}
