//! The classical methods without an error estimate: Euler 1768, Runge 1895, Heun 1900, Kutta 1901, Ralston 1962.

use crate::explicit::tableau::{ErrorRows, ExplicitTableau, HERMITE};

/// Euler's method.
pub static EULER: ExplicitTableau<'static> = ExplicitTableau {
    name: "euler",
    title: "explicit Euler",
    order: 1,
    c: &[0.0],
    a: &[&[]],
    b: &[1.0],
    error: ErrorRows::None,
    dense: HERMITE,
    real_stability: None,
};

/// The two-stage methods of order 2, one for each node φ ≠ 0:
///
/// ```text
///   0 │
///   φ │ φ
///   ──┼────────────────────
///     │ 1 − 1/(2φ)   1/(2φ)
/// ```
///
/// A tableau borrows its rows, here from this very function: `build` makes of it what it needs.
pub fn rk2<R>(phi: f64, build: impl FnOnce(&ExplicitTableau) -> R) -> R {
    let last = 1.0 / (2.0 * phi);
    build(&ExplicitTableau {
        name: "rk2",
        title: "two-stage Runge–Kutta",
        c: &[0.0, phi],
        a: &[&[], &[phi]],
        b: &[1.0 - last, last],
        ..MIDPOINT
    })
}

/// The midpoint rule, φ = 1/2.
pub static MIDPOINT: ExplicitTableau<'static> = ExplicitTableau {
    name: "rk2",
    title: "midpoint rule",
    order: 2,
    c: &[0.0, 0.5],
    a: &[&[], &[0.5]],
    b: &[0.0, 1.0],
    error: ErrorRows::None,
    dense: HERMITE,
    real_stability: None,
};

/// Heun's method, φ = 1.
pub static HEUN: ExplicitTableau<'static> = ExplicitTableau {
    name: "heun",
    title: "Heun's method",
    c: &[0.0, 1.0],
    a: &[&[], &[1.0]],
    b: &[0.5, 0.5],
    real_stability: Some(2.0),
    ..MIDPOINT
};

/// Ralston's method, φ = 2/3: the smallest bound of the local error among its kind.
pub static RALSTON: ExplicitTableau<'static> = ExplicitTableau {
    name: "ralston",
    title: "Ralston's method",
    c: &[0.0, 2.0 / 3.0],
    a: &[&[], &[2.0 / 3.0]],
    b: &[0.25, 0.75],
    ..MIDPOINT
};

/// The classical method of order 4.
#[rustfmt::skip]
pub static RK4: ExplicitTableau<'static> = ExplicitTableau {
    name: "rk4",
    title: "classical Runge–Kutta",
    order: 4,
    c: &[0.0, 0.5, 0.5, 1.0],
    a: &[&[], &[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0]],
    b: &[1.0/6.0, 1.0/3.0, 1.0/3.0, 1.0/6.0],
    error: ErrorRows::None,
    dense: HERMITE,
    real_stability: Some(2.785),
};
