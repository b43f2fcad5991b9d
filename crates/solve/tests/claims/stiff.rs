//! Stiff problems with known solutions, and what makes the Radau methods fit for them.

use crate::problems::implicit::{
    Dae, HeatChain, e5, hires, orego, prothero_robinson, robertson, robertson_dae, van_der_pol,
};
use crate::radau::{adaptive, fixed};
use ordinate_solve::{Status, System};

/// Every stiff problem with its solution: Mazzia, Magherini, Test Set for IVP Solvers, 2.4; Robertson at 40 from the golden data.
#[test]
fn stiff_problems_are_solved() {
    type Make = fn() -> Box<dyn System>;
    /// Name, start, end time, the solution there, absolute tolerance.
    type Problem<'a> = (&'static str, Make, &'a [f64], f64, &'a [f64], f64);
    let decay_start = [1.0, 0.0, 0.0];
    let hires_start = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057];
    let hires_end = [
        7.371312573325668e-4,
        1.442485726316185e-4,
        5.888729740967575e-5,
        1.175651343283149e-3,
        2.386356198831331e-3,
        6.238968252742796e-3,
        2.849998395185769e-3,
        2.850001604814231e-3,
    ];
    let problems: [Problem; 6] = [
        (
            "robertson",
            || Box::new(robertson()),
            &decay_start,
            40.0,
            &[0.715827068719405, 9.185534764557764e-6, 0.28416374574583037],
            1e-10,
        ),
        (
            "robertson",
            || Box::new(robertson()),
            &decay_start,
            1e11,
            &[2.083340149701255e-8, 8.333360770334713e-14, 0.999999979166505],
            1e-16,
        ),
        (
            "robertson dae",
            || Box::new(robertson_dae()),
            &decay_start,
            4e5,
            &[0.004938274520979815, 1.9849940879543756e-8, 0.9950617056290793],
            1e-12,
        ),
        (
            "van der pol",
            || Box::new(van_der_pol(1e3)),
            &[2.0, 0.0],
            2.0,
            &[1.706167732170483, -0.8928097010247975],
            1e-6,
        ),
        (
            "orego",
            || Box::new(orego()),
            &[1.0, 2.0, 3.0],
            360.0,
            &[1.000814870318523, 1228.178521549917, 132.0554942846706],
            1e-6,
        ),
        ("hires", || Box::new(hires()), &hires_start, 321.8122, &hires_end, 1e-10),
    ];
    for (problem, make, start, t_end, end, atol) in problems {
        for (name, factor) in
            [("radau3", 100.0), ("radau5", 10.0), ("radau9", 10.0), ("radau13", 10.0), ("radau", 10.0)]
        {
            let outcome = adaptive(name, make().as_mut(), start, t_end, 1e-6, atol);
            assert_eq!(outcome.status, Status::Ok, "{name} on {problem}: {:?}", outcome.reason);
            for (y, expected) in outcome.y.iter().zip(end) {
                let error = (y - expected).abs() / (expected.abs() + atol);
                assert!(error < factor * 1e-6, "{name} on {problem} to {t_end}: {y} instead of {expected}");
            }
        }
    }
}

/// Components between 10⁻³ and 10⁻²⁹⁰. y₂ − y₃ is the rounding of larger values long ago; their mean is well determined.
#[test]
fn tiny_components_are_followed() {
    let mean = 0.5 * (8.86765551764212e-23 + 8.854814626268838e-23);
    for name in ["radau5", "radau9", "radau13", "radau"] {
        let outcome = adaptive(name, &mut e5(), &[1.76e-3, 0.0, 0.0, 0.0], 1e13, 1e-7, 1e-28);
        assert_eq!(outcome.status, Status::Ok, "{name}: {:?}", outcome.reason);
        let found = 0.5 * (outcome.y[1] + outcome.y[2]);
        assert!((found / mean - 1.0).abs() < 1e-5, "{name}: {found} {mean}");
        assert!(outcome.statistics.steps < 2000, "{name}: {:?}", outcome.statistics);
    }
}

/// μ = 10⁶ over one and a half periods: the methods agree, in few steps.
#[test]
fn a_very_stiff_oscillator_finishes() {
    let solve = |name: &str, rtol: f64| adaptive(name, &mut van_der_pol(1e6), &[2.0, 0.0], 2.0, rtol, rtol);
    let exact = solve("radau13", 1e-11).y;
    for (name, steps) in [("radau5", 2000), ("radau9", 500), ("radau", 800)] {
        let outcome = solve(name, 1e-6);
        assert_eq!(outcome.status, Status::Ok, "{name}: {:?}", outcome.reason);
        assert!((outcome.y[0] - exact[0]).abs() < 1e-5, "{name}: {} {}", outcome.y[0], exact[0]);
        assert!(outcome.statistics.steps < steps, "{name}: {:?}", outcome.statistics);
    }
}

/// y′ = λ (y − φ) + φ′: an L-stable, stiffly accurate method has the error of its stages divided by hλ.
#[test]
fn stiff_components_are_followed_accurately() {
    let exact = (2.0 + std::f64::consts::FRAC_PI_4).sin();
    let start = [std::f64::consts::FRAC_PI_4.sin()];
    for (name, bound) in [("radau3", 3e-9), ("radau5", 3e-11), ("radau9", 1e-14), ("radau13", 1e-14)] {
        let y = fixed(name, &mut prothero_robinson(-1e6), &start, 0.1, 20).y[0];
        assert!((y - exact).abs() < bound, "{name}: {:e}", y - exact);
    }
    // From beside the solution: it is on it after one step, but for (hλ)^−1.
    for name in ["backward-euler", "radau3", "radau5", "radau9", "radau13"] {
        let y = fixed(name, &mut prothero_robinson(-1e9), &[5.0], 2.0, 1).y[0];
        assert!((y - exact).abs() < 1e-7, "{name}: {:e}", y - exact);
    }
}

/// Two solutions of ⟨f(u) − f(v), u − v⟩ ≤ 0 never move apart, however long the steps: Hairer, Wanner II, IV.12.
#[test]
fn contractive_equations_stay_contractive() {
    let system = || {
        let f = |_: f64, y: &[f64], f: &mut [f64]| {
            f[0] = -y[0].powi(3) + 20.0 * y[1];
            f[1] = -y[1].powi(3) - 20.0 * y[0];
        };
        Dae::new(2, 0, f, |_, y, j| j.copy_from_slice(&[-3.0 * y[0] * y[0], 20.0, -20.0, -3.0 * y[1] * y[1]]))
    };
    for name in ["backward-euler", "radau3", "radau5", "radau9", "radau13"] {
        for h in [0.03, 0.3, 3.0] {
            let (mut u, mut v) = (vec![2.0, -1.0], vec![-1.5, 0.5]);
            for step in 0..20 {
                let distance = |u: &[f64], v: &[f64]| (u[0] - v[0]).hypot(u[1] - v[1]);
                let before = distance(&u, &v);
                (u, v) = (fixed(name, &mut system(), &u, h, 1).y, fixed(name, &mut system(), &v, h, 1).y);
                let after = distance(&u, &v);
                assert!(after <= before * (1.0 + 1e-12), "{name}, h = {h}, step {step}: {before} → {after}");
            }
        }
    }
}

/// Three diagonals stay three diagonals: a thousand cells, whose matrix would have a million elements. The Jacobian of a linear
/// system is evaluated once.
#[test]
fn a_large_system_uses_its_structure() {
    let mut chain = HeatChain::new(1000);
    let (start, rate) = chain.mode();
    for name in ["trapezoid", "radau3", "radau5", "radau"] {
        let rtol = if name == "trapezoid" { 1e-4 } else { 1e-6 };
        let outcome = adaptive(name, &mut chain, &start, 0.1, rtol, 1e-9);
        assert_eq!(outcome.status, Status::Ok, "{name}: {:?}", outcome.reason);
        let decay = (-rate * 0.1).exp();
        let error = outcome.y.iter().zip(&start).map(|(y, y0)| (y - decay * y0).abs()).fold(0.0, f64::max);
        assert!(error < 20.0 * rtol, "{name}: {error:e}");
        assert!(outcome.statistics.evaluations.jacobian <= 2, "{name}: {:?}", outcome.statistics);
    }
}
