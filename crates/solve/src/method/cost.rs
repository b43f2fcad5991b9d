//! What the steps of methods cost: operations counted and weighed, never timed, so that a decision that follows from them is the
//! same on every machine.
//!
//! Units are those of [`JetCost`], about a nanosecond of a processor of 2020. The weights were fitted to Lorenz, Robertson, a
//! reactor and Kuramoto's oscillators (n = 3 … 200), that of series without machine code to counted instructions
//! (`program/src/jets/price.rs`); a weight that is wrong by half moves a decision only where the methods cost nearly the same.

use crate::{JetCost, System, Work};
use ordinate_linalg::costs;

/// What an attempt costs beside the operations that are counted: the driver, norms, and for each state what is done with it.
const ATTEMPT: f64 = 160.0;
const PER_STATE: f64 = 3.0;
/// The stages of an explicit method, for each evaluation of f and each state.
const STAGE: f64 = 1.2;
/// What a series costs beside its coefficients: envelope, order and step from it, its value and slope at the end.
const SERIES: f64 = 100.0;
/// A coefficient of a linear system costs a part of an evaluation of f: there is nothing to interpret.
const LINEAR_TERM: f64 = 0.8;

/// What the operations of explicit methods cost for one system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prices {
    states: f64,
    f: f64,
    series: Option<JetCost>,
}

impl Prices {
    /// `d`: the discrete values, where there may be series.
    pub fn new(system: &mut dyn System, d: Option<&[f64]>) -> Prices {
        let series = d.and_then(|d| Some(system.jets(d)?.cost()));
        Prices { states: system.layout().states as f64, f: system.cost_of_f(), series }
    }

    /// Whether the price of a series is known that is not that of a linear system.
    pub fn has_series(&self) -> bool {
        self.series.is_some()
    }

    /// What explicit methods did in so many attempts.
    pub fn of(&self, work: &Work, attempts: f64) -> f64 {
        attempts * (ATTEMPT + PER_STATE * self.states)
            + work.f as f64 * (self.f + STAGE * self.states)
            + self.of_series(work.jets as f64, work.coefficients as f64)
    }

    fn of_series(&self, count: f64, orders: f64) -> f64 {
        if count == 0.0 {
            return 0.0;
        }
        match &self.series {
            Some(cost) => {
                count * (SERIES + (cost.fixed - FIXED_STEP).max(0.0))
                    + orders * (cost.per_order + cost.per_product * orders / count)
            }
            None => orders * LINEAR_TERM * self.f,
        }
    }

    /// A step of a series of this order.
    pub fn of_order(&self, order: f64) -> f64 {
        ATTEMPT + PER_STATE * self.states + self.f + self.of_series(1.0, order)
    }

    /// A step of so many evaluations of f.
    pub fn of_evaluations(&self, evaluations: f64) -> f64 {
        ATTEMPT + PER_STATE * self.states + evaluations * (self.f + STAGE * self.states)
    }

    /// Less than any implicit step costs.
    pub fn least_implicit(&self) -> f64 {
        ATTEMPT + PER_STATE * self.states + 11.0 * self.f + 500.0
    }
}

/// What [`JetCost`] counts for the step around a series.
const FIXED_STEP: f64 = 180.0;

/// What the operations of implicit methods cost for one system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImplicitPrices {
    attempt: f64,
    f: f64,
    jacobian: f64,
    /// A factorisation of a real matrix, a solution with it.
    factor: f64,
    solve: f64,
    /// Before the first step.
    pub preparation: f64,
}

/// What an attempt of a backward differentiation formula costs beside, as a part of Radau's.
const BDF_ATTEMPT: f64 = 0.3;

/// Radau's matrices are complex but for one: on average so many real ones each.
const COMPLEX: f64 = 3.0;

impl ImplicitPrices {
    /// `None` where the preparation costs more than `most`.
    pub fn new(system: &mut dyn System, most: f64) -> Option<ImplicitPrices> {
        let jacobian = system.cost_of_jacobian(most)?;
        let (factor, solve) = costs(&jacobian.pattern.with_diagonal());
        let n = system.layout().states as f64;
        Some(ImplicitPrices {
            attempt: 500.0 + 100.0 * n,
            f: system.cost_of_f(),
            jacobian: jacobian.evaluation,
            factor,
            solve,
            preparation: jacobian.preparation + 4.0 * factor,
        })
    }

    /// A step of Radau's method of three stages: a new Jacobian in every other step, about three iterations.
    pub fn radau_step(&self) -> f64 {
        self.attempt + 11.0 * self.f + 0.5 * self.jacobian + 4.0 * self.factor + 16.0 * self.solve
    }

    /// A step of a backward differentiation formula: little more than one iteration, and old matrices.
    pub fn bdf_step(&self) -> f64 {
        BDF_ATTEMPT * self.attempt + 1.4 * (self.f + self.solve) + 0.15 * self.factor + 0.05 * self.jacobian
    }

    /// What Radau's method did in so many attempts.
    pub fn of_radau(&self, work: &Work, attempts: f64) -> f64 {
        attempts * self.attempt
            + work.f as f64 * self.f
            + work.jacobian as f64 * self.jacobian
            + COMPLEX * work.lu as f64 * self.factor
            + 5.0 * work.newton as f64 * self.solve
    }

    /// What a backward differentiation formula did in so many attempts.
    pub fn of_bdf(&self, work: &Work, attempts: f64) -> f64 {
        BDF_ATTEMPT * attempts * self.attempt
            + work.f as f64 * self.f
            + work.jacobian as f64 * self.jacobian
            + work.lu as f64 * self.factor
            + work.newton as f64 * self.solve
    }
}
