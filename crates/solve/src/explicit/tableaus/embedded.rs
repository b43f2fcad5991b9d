//! Embedded pairs: Bogacki–Shampine 3(2), Dormand–Prince 5(4), Fehlberg 5(6).

use crate::explicit::tableau::{Dense, ErrorRows, ExplicitTableau, HERMITE};

/// Bogacki–Shampine 3(2): Appl. Math. Lett. 2 (1989) 321–325. The last stage serves as the first of the next step.
#[rustfmt::skip]
pub static BOGACKI_SHAMPINE: ExplicitTableau<'static> = ExplicitTableau {
    name: "bs23",
    title: "Bogacki–Shampine 3(2)",
    order: 3,
    c: &[0.0, 1.0/2.0, 3.0/4.0, 1.0],
    a: &[&[], &[1.0/2.0], &[0.0, 3.0/4.0], &[2.0/9.0, 1.0/3.0, 4.0/9.0]],
    b: &[2.0/9.0, 1.0/3.0, 4.0/9.0, 0.0],
    error: ErrorRows::One { e: &[-5.0/72.0, 1.0/12.0, 1.0/9.0, -1.0/8.0], fallback: &[], exponent: 3 },
    dense: HERMITE,
    real_stability: None,
};

/// Dormand–Prince 5(4): J. Comput. Appl. Math. 6 (1980) 19–26.
/// The last stage is f(t + h, y₁) and serves as the first of the next step. The dense output of order 4 needs no
/// further stage: Hairer, Nørsett, Wanner I, II.6, eq. (6.12), in the form of their program DOPRI5.
#[rustfmt::skip]
pub static DORMAND_PRINCE: ExplicitTableau<'static> = ExplicitTableau {
    name: "dp5",
    title: "Dormand–Prince 5(4)",
    order: 5,
    c: &[0.0, 1.0/5.0, 3.0/10.0, 4.0/5.0, 8.0/9.0, 1.0, 1.0],
    a: &[
        &[],
        &[1.0/5.0],
        &[3.0/40.0, 9.0/40.0],
        &[44.0/45.0, -56.0/15.0, 32.0/9.0],
        &[19372.0/6561.0, -25360.0/2187.0, 64448.0/6561.0, -212.0/729.0],
        &[9017.0/3168.0, -355.0/33.0, 46732.0/5247.0, 49.0/176.0, -5103.0/18656.0],
        &[35.0/384.0, 0.0, 500.0/1113.0, 125.0/192.0, -2187.0/6784.0, 11.0/84.0],
    ],
    b: &[35.0/384.0, 0.0, 500.0/1113.0, 125.0/192.0, -2187.0/6784.0, 11.0/84.0, 0.0],
    error: ErrorRows::One {
        e: &[71.0/57600.0, 0.0, -71.0/16695.0, 71.0/1920.0, -17253.0/339200.0, 22.0/525.0, -1.0/40.0],
        fallback: &[],
        exponent: 5,
    },
    dense: Dense {
        order: 4,
        stages: &[],
        d: &[&[
            -12715105075.0/11282082432.0, 0.0, 87487479700.0/32700410799.0, -10690763975.0/1880347072.0,
            701980252875.0/199316789632.0, -1453857185.0/822651844.0, 69997945.0/29380423.0,
        ]],
    },
    real_stability: Some(3.3),
};

/// Fehlberg 5(6): Computing 4 (1969) 93–106. It goes on with the formula of order 5; the one of order 6 estimates
/// its error.
///
/// Both formulas are the same quadrature where f depends on t alone, so the estimate is exactly zero for such a
/// component however wrong it is. There the difference to the quadrature of order 4 without the node 4/15 serves:
/// it is cautious, but not blind.
///
/// The dense output is one step of the bootstrap of Enright, Jackson, Nørsett, Thomsen, ACM TOMS 12 (1986) 193–218:
/// the cubic Hermite interpolant u has an error of O(h⁴), hence f(t + h/3, u(1/3)) too, and the quartic that has this
/// derivative at θ = 1/3 besides the data of u has O(h⁵), order 4:
///
/// ```text
///   u(1/3) = y₀ + h (7/27 Σ bᵢkᵢ + 4/27 k₁ − 2/27 f₁),      u′(1/3) = 4/3 Σ bᵢkᵢ − 1/3 f₁,      f₁ = f(t + h, y₁)
///   F₃     = h (f(t + h/3, u(1/3)) − u′(1/3)) / (4/27),     4/27 = d/dθ [θ²(1−θ)²] at 1/3
/// ```
#[rustfmt::skip]
pub static FEHLBERG: ExplicitTableau<'static> = ExplicitTableau {
    name: "fehlberg",
    title: "Fehlberg 5(6)",
    order: 5,
    c: &[0.0, 1.0/6.0, 4.0/15.0, 2.0/3.0, 4.0/5.0, 1.0, 0.0, 1.0],
    a: &[
        &[],
        &[1.0/6.0],
        &[4.0/75.0, 16.0/75.0],
        &[5.0/6.0, -8.0/3.0, 5.0/2.0],
        &[-8.0/5.0, 144.0/25.0, -4.0, 16.0/25.0],
        &[361.0/320.0, -18.0/5.0, 407.0/128.0, -11.0/80.0, 55.0/128.0],
        &[-11.0/640.0, 0.0, 11.0/256.0, -11.0/160.0, 11.0/256.0, 0.0],
        &[93.0/640.0, -18.0/5.0, 803.0/256.0, -11.0/160.0, 99.0/256.0, 0.0, 1.0],
    ],
    b: &[31.0/384.0, 0.0, 1125.0/2816.0, 9.0/32.0, 125.0/768.0, 5.0/66.0, 0.0, 0.0],
    error: ErrorRows::One {
        e: &[5.0/66.0, 0.0, 0.0, 0.0, 0.0, 5.0/66.0, -5.0/66.0, -5.0/66.0],
        fallback: &[-15.0/128.0, 0.0, 1125.0/2816.0, -45.0/32.0, 375.0/256.0, -15.0/44.0],
        exponent: 6,
    },
    dense: Dense {
        order: 4,
        stages: &[(1.0/3.0, &[
            7.0/27.0 * 31.0/384.0 + 4.0/27.0, 0.0, 7.0/27.0 * 1125.0/2816.0, 7.0/27.0 * 9.0/32.0,
            7.0/27.0 * 125.0/768.0, 7.0/27.0 * 5.0/66.0, 0.0, 0.0, -2.0/27.0,
        ])],
        d: &[&[
            -9.0 * 31.0/384.0, 0.0, -9.0 * 1125.0/2816.0, -9.0 * 9.0/32.0,
            -9.0 * 125.0/768.0, -9.0 * 5.0/66.0, 0.0, 0.0, 9.0/4.0, 27.0/4.0,
        ]],
    },
    real_stability: Some(3.18),
};
