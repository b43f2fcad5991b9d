//! An explicit Runge–Kutta method as data: its coefficients, its error estimate and its dense output.

/// An explicit Runge–Kutta method.
///
/// ```text
///   kᵢ  = f(t + cᵢ h,  y + h Σⱼ aᵢⱼ kⱼ)      j < i
///   y₁  = y + h Σᵢ bᵢ kᵢ
///   err =     h Σᵢ eᵢ kᵢ
/// ```
///
/// Where the last row of `a` equals `b`, the last stage is f(t + h, y₁) and serves as the first of the next step.
#[derive(Clone, Copy, Debug)]
pub struct ExplicitTableau<'a> {
    /// The name it is asked for by.
    pub name: &'static str,
    /// The name in the literature.
    pub title: &'static str,
    /// Order of y₁.
    pub order: u32,
    /// Nodes.
    pub c: &'a [f64],
    /// One row per stage, the first one empty.
    pub a: &'a [&'a [f64]],
    /// Weights of the result.
    pub b: &'a [f64],
    /// Weights of the error estimate.
    pub error: ErrorRows<'a>,
    /// How y is found inside a step.
    pub dense: Dense<'a>,
    /// Length of the interval of stability on the negative real axis; `None` where the test for stiffness, which
    /// needs a stage at t + h other than f(t + h, y₁), cannot be made.
    pub real_stability: Option<f64>,
}

/// The error estimate of a method. `exponent` is its leading power of h, which the step-size control needs.
#[derive(Clone, Copy, Debug)]
pub enum ErrorRows<'a> {
    /// No estimate.
    None,
    /// The difference of two formulas, e = b − b̂.
    One {
        /// Weights of the stages.
        e: &'a [f64],
        /// Weights for the components whose estimate vanishes, if that can happen without the error being small.
        fallback: &'a [f64],
        /// err ∼ h^exponent.
        exponent: u32,
    },
    /// Two differences combined as in DOP853 (Hairer, Nørsett, Wanner I, II.10): err = e² / √(e² + 0.01 e_low²).
    Two {
        /// The better estimate.
        e: &'a [f64],
        /// The cruder one, which keeps the better one from being zero by accident.
        e_low: &'a [f64],
        /// err ∼ h^exponent of the combination.
        exponent: u32,
    },
}

/// Dense output: the cubic Hermite interpolant of both ends, and terms that vanish doubly at both ends.
///
/// ```text
///   y(θ) = y₀ + θ (F₀ + (1−θ)(F₁ + θ (F₂ + (1−θ)(F₃ + θ (F₄ + (1−θ)(F₅ + θ F₆))))))
///   F₀ = h Σ bᵢkᵢ,   F₁ = h k₁ − F₀,   F₂ = 2 F₀ − h (k₁ + f(t+h, y₁)),   F₃₊ₘ = h Σ dₘᵢ kᵢ
/// ```
///
/// This is the form of Hairer, Nørsett, Wanner I, II.6. The stages are counted: those of the step, then
/// f(t + h, y₁) unless it is the last of them, then `stages`; the latter two are evaluated only when asked for.
#[derive(Clone, Copy, Debug)]
pub struct Dense<'a> {
    /// Order of the interpolant: its error is O(h^(order + 1)) within a step.
    pub order: u32,
    /// Nodes and rows of the further stages.
    pub stages: &'a [(f64, &'a [f64])],
    /// dₘᵢ.
    pub d: &'a [&'a [f64]],
}

/// The cubic Hermite interpolant alone.
pub const HERMITE: Dense<'static> = Dense { order: 3, stages: &[], d: &[] };

impl ExplicitTableau<'_> {
    /// Whether the last stage is f(t + h, y₁).
    pub fn first_same_as_last(&self) -> bool {
        let (last, row) = (self.b.len() - 1, self.a[self.b.len() - 1]);
        last > 0 && self.c[last] == 1.0 && self.b[last] == 0.0 && row == &self.b[..last]
    }

    /// Index of f(t + h, y₁) among the stages.
    pub fn end_stage(&self) -> usize {
        self.b.len() - usize::from(self.first_same_as_last())
    }

    /// Number of stages with those of the dense output.
    pub fn all_stages(&self) -> usize {
        self.end_stage() + 1 + self.dense.stages.len()
    }
}
