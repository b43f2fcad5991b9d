//! Periodic solutions and equilibria of models whose answers are known.

use ordinate::{
    CompileOptions, Compiled, EquilibriaError, EquilibriaOptions, Orbit, PeriodicError, PeriodicOptions, Source,
    compile, equilibria, periodic,
};

fn model(text: &str) -> Compiled {
    let options = CompileOptions { jacobian: true, ..CompileOptions::default() };
    compile(&Source::text(text), &options).expect("a model without mistakes")
}

fn orbits(text: &str, options: &PeriodicOptions) -> Vec<Orbit> {
    periodic(&model(text), options).unwrap_or_else(|error| panic!("{text}: {error:?}")).orbits
}

fn guess(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

fn value(orbit: &Orbit, name: &str) -> f64 {
    orbit.start.iter().find(|(known, _)| known == name).expect("a state").1
}

/// x = A cos(ωt) + B sin(ωt) of x″ + 2δx′ + x = cos(ωt), whose multipliers are e^{(−δ ± iν)T}.
#[test]
fn a_linear_oscillator_has_the_orbit_of_its_formula() {
    let (delta, omega) = (0.1f64, 2.0f64);
    let found = orbits("x'' = -2*0.1*x' - x + cos(2*t); init x = 5, x' = -3", &PeriodicOptions::default());
    assert_eq!(found.len(), 1, "a linear model has one");
    let (real, imaginary) = (1.0 - omega * omega, 2.0 * delta * omega);
    let size = real * real + imaginary * imaginary;
    let expected = [("x", real / size), ("x'", omega * imaginary / size)];
    for (name, expected) in expected {
        assert!((value(&found[0], name) - expected).abs() < 1e-13, "{name}: {}", value(&found[0], name));
    }
    let (period, nu) = (std::f64::consts::PI, (1.0 - delta * delta).sqrt());
    assert_eq!(found[0].period, period);
    let (re, im) = found[0].multipliers[0];
    let decay = (-delta * period).exp();
    assert!(
        (re - decay * (nu * period).cos()).abs() < 1e-12
            && (im.abs() - decay * (nu * period).sin().abs()).abs() < 1e-12
    );
    assert_eq!((found[0].stable, found[0].trivial), (Some(true), None));
    assert!(found[0].error > 0.0 && found[0].error < 1e-13);
}

/// Radius and period are known, and the multiplier follows from the radial equation r′ = r (1 − r²): e^{−2T}.
#[test]
fn a_limit_cycle_of_unknown_period_is_found() {
    let text = "x' = x*(1 - x^2 - y^2) - 3*y; y' = y*(1 - x^2 - y^2) + 3*x; init x = 0.2, y = 0; run 0 .. 10";
    let found = orbits(text, &PeriodicOptions::default());
    let orbit = &found[0];
    let period = 2.0 * std::f64::consts::PI / 3.0;
    assert!((orbit.period - period).abs() < 1e-12, "{}", orbit.period);
    assert!((value(orbit, "x").hypot(value(orbit, "y")) - 1.0).abs() < 1e-13);
    let trivial = orbit.trivial.expect("an autonomous model");
    let (one, other) = (orbit.multipliers[trivial], orbit.multipliers[1 - trivial]);
    assert!((one.0 - 1.0).abs() < 1e-11 && (other.0 - (-2.0 * period).exp()).abs() < 1e-12, "{:?}", orbit.multipliers);
    assert_eq!(orbit.stable, Some(true));
}

/// The same with the sign of time reversed: no simulation runs onto it, but Newton's method does.
#[test]
fn a_repelling_cycle_is_found_from_a_guess() {
    let text = "x' = -x*(1 - x^2 - y^2) - 3*y; y' = -y*(1 - x^2 - y^2) + 3*x; init x = 0.9, y = 0; run 0 .. 1";
    let options = PeriodicOptions { period: Some("2".into()), ..PeriodicOptions::default() };
    let orbit = &orbits(text, &options)[0];
    let period = 2.0 * std::f64::consts::PI / 3.0;
    assert!((orbit.period - period).abs() < 1e-12 && orbit.stable == Some(false), "{orbit:?}");
    assert!((orbit.multipliers[0].0 / (2.0 * period).exp() - 1.0).abs() < 1e-9, "{:?}", orbit.multipliers);
}

/// Periods of the van der Pol oscillator: J. D. Lambert's and others' values agree with the expansions
///
/// ```text
///   T = 2π (1 + μ²/16 − 5μ⁴/3072 + …)                                     μ → 0
///   T = (3 − 2 ln 2) μ + 7.014322 μ^(−1/3) − (2/3) ln μ / μ − 1.3233/μ     μ → ∞
/// ```
#[test]
fn the_van_der_pol_oscillator_has_its_period_for_weak_and_strong_damping() {
    let period = |mu: f64| {
        let text = format!("x'' = {mu:?}*(1 - x^2)*x' - x; init x = 2, x' = 0; run 0 .. 50");
        let found = orbits(&text, &PeriodicOptions::default());
        assert_eq!(found[0].stable, Some(true));
        found[0].period
    };
    let weak = |mu: f64| 2.0 * std::f64::consts::PI * (1.0 + mu.powi(2) / 16.0 - 5.0 * mu.powi(4) / 3072.0);
    assert!((period(0.1) - weak(0.1)).abs() < 1e-8, "{}", period(0.1));
    // to 12 digits: T(1) = 6.66328685932313
    assert!((period(1.0) - 6.663_286_859_323_13).abs() < 1e-12, "{}", period(1.0));
    let strong = |mu: f64| (3.0 - 4f64.ln()) * mu + 7.014322 / mu.cbrt() - (2.0 / 3.0 * mu.ln() + 1.3233) / mu;
    assert!((period(100.0) - strong(100.0)).abs() < 0.05, "{}", period(100.0));
    assert!((period(1000.0) - strong(1000.0)).abs() < 2e-3, "{}", period(1000.0));
}

/// Between its switches a thermostat has T = 10 + 16 on + c e^{−t/2}: from 16 to 20 and back it takes 4 ln(5/3). With the same
/// temperature it rises or falls, as `on` says: only both together come back.
#[test]
fn a_cycle_of_switches_is_found_without_its_period() {
    let thermostat = "T' = -0.5*(T - 10) + 8*on; init T = 18, on = 1; when T > 20: on = 0; when T < 16: on = 1";
    let relay = "param d = 0.5; x' = -x + 2*u; init x = 0, u = 1; when x > d: u = -1; when x < -d: u = 1";
    for (text, ln) in [(thermostat, 4.0), (relay, 2.0)] {
        let orbit = &orbits(text, &PeriodicOptions::default())[0];
        assert!((orbit.period - ln * (5.0f64 / 3.0).ln()).abs() < 1e-12, "{text}: {}", orbit.period);
        assert_eq!(orbit.stable, Some(true));
    }
}

/// r′ = r (1 − r²)² vanishes twice at r = 1: from inside the solution approaches the orbit, outside it leaves.
#[test]
fn an_orbit_that_attracts_on_one_side_only_is_not_called_stable() {
    let text = "x' = -y + x*(1 - x^2 - y^2)^2; y' = x + y*(1 - x^2 - y^2)^2; init x = 0.9, y = 0";
    let orbit = &orbits(text, &PeriodicOptions::default())[0];
    assert_eq!(orbit.stable, None, "{orbit:?}");
    assert!((value(orbit, "x").hypot(value(orbit, "y")) - 1.0).abs() < 1e-6);
}

/// A ball on a vibrating table: an impact per period multiplies areas by e², whatever the orbit is.
#[test]
fn an_orbit_with_impacts_has_the_determinant_of_its_restitution() {
    let text = "param e = 0.5, A = 0.3, w = 6; h'' = -9.81
                when h < A*sin(w*t): h' = -e*h' + (1 + e)*A*w*cos(w*t)
                init h = 1, h' = 0; run 0 .. 20";
    let found = orbits(text, &PeriodicOptions::default());
    assert!(found.iter().any(|orbit| orbit.stable == Some(true)) && found.iter().any(|o| o.stable == Some(false)));
    for orbit in &found {
        let [(a, b), (c, d)] = [orbit.multipliers[0], orbit.multipliers[1]];
        assert!((a * c - b * d - 0.25).abs() < 1e-10, "{:?}", orbit.multipliers);
    }
}

/// A mass on a belt sticks for a while in every period, and forgets everything: its second multiplier is zero.
#[test]
fn an_orbit_that_sticks_has_a_multiplier_of_zero() {
    let text = "v = x' - 0.5; x'' = -x - 0.4*sign(v)/(1 + 0.5*abs(v)); init x = 0.1, x' = 0; run 0 .. 60";
    let orbit = &orbits(text, &PeriodicOptions::default())[0];
    let other = orbit.multipliers[1 - orbit.trivial.expect("autonomous")];
    assert!(other.0.hypot(other.1) < 1e-9, "{:?}", orbit.multipliers);
}

/// A sampled integrator u ← u + 0.2 (cos(2πt) − x) remembers its value: it comes back together with the state. Between samples
/// x′ = u − x, so that with x⁺ = a x + (1 − a) u⁺, a = e^(−1/10), the orbit follows from ten linear equations.
#[test]
fn a_sampled_controller_with_memory_comes_back_with_its_memory() {
    let text = "x' = u - x; every 0.1: u = u + 0.2*(cos(2*pi*t) - x); init x = 0, u = 0";
    let orbit = &orbits(text, &PeriodicOptions::default())[0];
    let (mut x, mut u) = (value(orbit, "x"), value(orbit, "u"));
    let start = (x, u);
    assert!(x.hypot(u) > 0.05, "not at rest: {start:?}");
    let a = (-0.1f64).exp();
    for k in 0..10 {
        u += 0.2 * ((0.2 * std::f64::consts::PI * f64::from(k)).cos() - x);
        x = a * x + (1.0 - a) * u;
    }
    assert!((x - start.0).abs() < 1e-13 && (u - start.1).abs() < 1e-13, "{start:?} comes back as {:?}", (x, u));
    // the matrix of one sample is [[a − 0.2(1−a), 1−a], [−0.2, 1]], with the determinant a
    let [(p, q), (r, s)] = [orbit.multipliers[0], orbit.multipliers[1]];
    assert!((p * r - q * s - (-1.0f64).exp()).abs() < 1e-12, "{:?}", orbit.multipliers);
}

#[test]
fn a_fixed_step_has_an_orbit_of_its_own_whose_error_is_estimated() {
    let text = "x'' = -x^3 - 0.2*x' + 0.3*cos(t); init x = 0.6, x' = 1";
    let exact = [0.626_710_694_747_148, 1.033_053_684_204_277];
    for (method, steps) in [("bdf1", 2000), ("bdf2", 400), ("rk4", 60), ("trapezoid", 300)] {
        let base = PeriodicOptions { guess: guess(&[("x", "0.6"), ("x'", "1")]), ..PeriodicOptions::default() };
        let plain = PeriodicOptions { method: method.into(), steps: Some(steps), ..base };
        let orbit = &orbits(text, &plain)[0];
        let miss = |orbit: &Orbit| (value(orbit, "x") - exact[0]).abs().max((value(orbit, "x'") - exact[1]).abs());
        let ratio = orbit.error / miss(orbit);
        assert!((1.0 / 3.0..3.0).contains(&ratio), "{method}: estimate {:e}, true {:e}", orbit.error, miss(orbit));
        let corrected = &orbits(text, &PeriodicOptions { correct: true, ..plain })[0];
        assert!(miss(corrected) < 0.25 * miss(orbit), "{method}: {:e} {:e}", miss(corrected), miss(orbit));
    }
}

#[test]
fn what_has_no_orbit_says_why() {
    let cases = [
        ("x'' = -x + cos(t); init x = 0, x' = 0", "singular"),
        ("x'' = -x; init x = 1, x' = 0; run 0 .. 30", "family"),
        ("x' = -x; init x = 1; run 0 .. 10", "settles at an equilibrium"),
        ("x' = x; init x = 1; run 0 .. 10", "ended early"),
    ];
    for (text, part) in cases {
        match periodic(&model(text), &PeriodicOptions::default()) {
            Err(PeriodicError::None { message, hint }) => {
                assert!(message.contains(part) && !hint.is_empty(), "{text}: {message}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    for (text, part) in [
        ("x' = -x + sin(t) + sin(sqrt(2)*t); init x = 1", "no common multiple"),
        ("x' = -x + t; init x = 1", "--period"),
    ] {
        let error = periodic(&model(text), &PeriodicOptions::default()).expect_err("no period");
        assert!(matches!(&error, PeriodicError::Usage(message) if message.contains(part)), "{error:?}");
    }
}

fn with_period(period: &str) -> PeriodicOptions {
    PeriodicOptions { period: Some(period.into()), ..PeriodicOptions::default() }
}

/// What dies out, what has a second frequency, and what happens once do not come back, whatever period is claimed.
#[test]
fn a_period_after_which_the_equations_are_others_is_refused() {
    let cases = [
        ("x' = -x + exp(-t); init x = 0.4", "1", "x' is"),
        ("x' = -x + cos(t) + cos(sqrt(2)*t); init x = 0.4", "2*pi", "no common multiple"),
        ("input u = 0.5*step(t - 1); x' = -x + u + cos(t); init x = 0.4", "2*pi", "only once"),
        ("input u = 0.5*step(t - 1) - 0.5*step(t - 1.01); x' = -x + u + cos(t); init x = 0.4", "2*pi", "only once"),
        ("x' = -x + cos(t); when t > 30: x = 5; init x = 0.4", "2*pi", "an event"),
        ("x' = -x + u + cos(2*pi*t)^2; every 0.3: u = -x; init x = 0.4, u = 0", "1/2", "every 0.3"),
        ("x' = -x + cos(t); init x = 0.4", "5", "6.283185307"),
        ("x' = -x + cos(t)^2 + abs(sin(2*t)); init x = 0.4", "pi/2", "3.141592654"),
    ];
    for (text, period, part) in cases {
        let error = periodic(&model(text), &with_period(period)).expect_err(text);
        assert!(matches!(&error, PeriodicError::Usage(message) if message.contains(part)), "{text}: {error:?}");
    }
    // after the step everything comes back
    let late = "input u = 0.5*step(t - 1); x' = -x + u + cos(t); init x = 0.4; run 2*pi .. 20";
    let orbit = &orbits(late, &with_period("2*pi"))[0];
    assert!((value(orbit, "x") - 1.0).abs() < 1e-13, "{orbit:?}");
}

/// x′ = −x + sin²t = −x + (1 − cos 2t)/2 has the period π and the solution 1/2 − (cos 2t + 2 sin 2t)/10.
#[test]
fn the_shortest_period_of_the_equations_counts() {
    let text = "x' = -x + sin(t)^2; init x = 0";
    for options in [PeriodicOptions::default(), with_period("pi"), with_period("2*pi")] {
        let orbit = &orbits(text, &options)[0];
        let expected = if options.period.as_deref() == Some("2*pi") { 2.0 } else { 1.0 } * std::f64::consts::PI;
        assert!((orbit.period / expected - 1.0).abs() < 1e-15, "{options:?}: {}", orbit.period);
        assert!((value(orbit, "x") - 0.4).abs() < 1e-14, "{orbit:?}");
    }
    let half = &orbits("x' = -x + cos(t)^2 + abs(sin(2*t)); init x = 0", &with_period("pi"))[0];
    assert!(half.stable == Some(true));
    assert_eq!(
        orbits("x' = -x + sin(t)*cos(t); init x = 0", &PeriodicOptions::default())[0].period,
        std::f64::consts::PI
    );
    assert_eq!(
        orbits("x' = -x + abs(cos(1.5*t)); init x = 0", &PeriodicOptions::default())[0].period,
        2.0 / 3.0 * std::f64::consts::PI
    );
}

/// A simulation runs away from an orbit that repels, by e^{31} in a period; that is not the size of the orbit:
///
/// ```text
///   x′ = a x + cos t:    x(0) = −a/(1 + a²)
/// ```
#[test]
fn the_error_of_a_repelling_orbit_is_that_of_the_orbit() {
    for a in [0.5, 5.0] {
        let orbit = &orbits(&format!("x' = {a}*x + cos(t); init x = 0"), &with_period("2*pi"))[0];
        let miss = (value(orbit, "x") + a / (1.0 + a * a)).abs();
        assert!(miss <= orbit.error && orbit.error < 1e-14, "a = {a}: {miss:e} {:e}", orbit.error);
        assert_eq!(orbit.stable, Some(false));
    }
    // x″ = x/2 + x′/10 + cos 2t is solved by A cos 2t + B sin 2t with 4.5 A + 0.2 B = −1, 4.5 B = 0.2 A
    let orbit = &orbits("x'' = 0.5*x + 0.1*x' + cos(2*t); init x = 0.1, x' = 0", &PeriodicOptions::default())[0];
    let a = -1.0 / (4.5 + 0.04 / 4.5);
    let miss = (value(orbit, "x") - a).abs().max((value(orbit, "x'") - 2.0 * 0.2 / 4.5 * a).abs());
    assert!(miss <= orbit.error && orbit.error < 1e-14, "{miss:e} {:e}", orbit.error);
    // from a start where the simulation blows up
    let orbit = &orbits("x' = 0.5*x + 0.1*x^3 + 0.3*cos(t); init x = 1", &PeriodicOptions::default())[0];
    assert!(orbit.error < 1e-14 && orbit.residual < 1e-9, "{orbit:?}");
}

/// x′ = −x + cos²(10⁶ t) swings by 10⁻⁶ around 1/2, far from where it starts in units of that: x(0) = 1/2 + (1 + 4·10¹²)⁻¹/2.
#[test]
fn an_orbit_that_is_small_and_far_away_is_found() {
    let orbit = &orbits("x' = -x + cos(1e6*t)^2; init x = 0", &PeriodicOptions::default())[0];
    assert!((value(orbit, "x") - 0.5).abs() < 1e-9, "{orbit:?}");
    assert!((orbit.period / (std::f64::consts::PI * 1e-6) - 1.0).abs() < 1e-14);
}

/// With x′ = −10⁻⁹ x + cos t rounding of a period moves the orbit by 10⁻⁸: x(0) = 10⁻⁹ is found as far as that.
#[test]
fn an_orbit_that_hardly_attracts_is_found_as_well_as_rounding_permits() {
    let orbit = &orbits("x' = -1e-9*x + cos(t); init x = 1", &with_period("2*pi"))[0];
    let miss = (value(orbit, "x") - 1e-9).abs();
    assert!(miss <= orbit.error && orbit.error < 1e-5, "{miss:e} {:e}", orbit.error);
    assert_eq!(orbit.residual.max(1e-15), 1e-15);
}

fn kinds(text: &str) -> Vec<(&'static str, Vec<f64>)> {
    let found = equilibria(&model(text), &EquilibriaOptions::default()).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    found.points.iter().map(|p| (p.kind, p.at.iter().map(|(_, value)| *value).collect())).collect()
}

/// Lorenz: the origin and ±√(β(ρ−1)) = ±√72.
#[test]
fn all_equilibria_of_the_lorenz_system_are_found() {
    let text = "x' = 10*(y - x); y' = x*(28 - z) - y; z' = x*y - 8/3*z; init x = 1, y = 1, z = 1; run 0 .. 10";
    let found = kinds(text);
    assert_eq!(found.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), ["saddle", "saddle-focus", "saddle-focus"]);
    let mut x: Vec<f64> = found.iter().map(|(_, at)| at[0]).collect();
    x.sort_by(f64::total_cmp);
    for (x, expected) in x.iter().zip([-(72f64.sqrt()), 0.0, 72f64.sqrt()]) {
        assert!((x - expected).abs() < 1e-12, "{x} {expected}");
    }
}

#[test]
fn equilibria_have_their_types() {
    assert_eq!(kinds("x' = x*(1 - x); init x = 0.3; run 0 .. 5").len(), 2);
    let lotka = kinds("h' = h*(1 - l); l' = l*(h - 1); init h = 2, l = 1; run 0 .. 5");
    assert!(lotka.iter().any(|(kind, at)| *kind == "centre (linear)" && at == &[1.0, 1.0]), "{lotka:?}");
    assert!(lotka.iter().any(|(kind, at)| *kind == "saddle" && at == &[0.0, 0.0]), "{lotka:?}");
    let line = kinds("x' = y; y' = -y; init x = 1, y = 1; run 0 .. 5");
    assert_eq!(line.len(), 1, "a line is shown once: {line:?}");
    assert_eq!(line[0].0, "on a line of equilibria");
    assert_eq!(kinds("x' = x^2; init x = 1; run 0 .. 0.5")[0].0, "non-hyperbolic");
    assert_eq!(kinds("x' = -x^5; init x = 1")[0].0, "non-hyperbolic");
    let everywhere = kinds("x' = 0*x; init x = 1");
    assert!(everywhere.len() == 1 && everywhere[0].0 == "on a line of equilibria", "{everywhere:?}");
    // a circle of radius 1 around the origin, and the origin itself
    let ring = kinds("x' = x*(1 - x^2 - y^2); y' = y*(1 - x^2 - y^2); init x = 0.5, y = 0.1; run 0 .. 5");
    assert!(ring.iter().any(|(kind, _)| *kind == "unstable node") && ring.len() == 2, "{ring:?}");
}

/// On the constraint the pendulum has two degrees of freedom: hanging it swings with √(g/l), standing it falls.
#[test]
fn a_constrained_pendulum_has_two_points_of_rest() {
    let text =
        "x'' = -lam*x; y'' = -lam*y - 9.81; x^2 + y^2 = 1; init x = 0.6, x' = 0; guess y = -0.8, lam = 1; run 0 .. 1";
    let found = equilibria(&model(text), &EquilibriaOptions::default()).expect("points").points;
    assert_eq!(found.len(), 2);
    let hanging = found.iter().find(|p| p.kind == "centre (linear)").expect("one hangs");
    assert!((hanging.eigenvalues[0].1 - 9.81f64.sqrt()).abs() < 1e-10, "{:?}", hanging.eigenvalues);
    assert!(found.iter().any(|p| p.kind == "saddle"));
}

/// Zeros of polynomials are known: near and far, beside each other, and where a simulation never comes.
#[test]
fn equilibria_are_found_where_no_simulation_goes() {
    let cases: [(&str, &[f64]); 6] = [
        (
            "x' = x^3 - 2*x + 0.1; init x = 0",
            &[-1.438_580_196_746_534_9, 0.050_062_735_553_630_8, 1.388_517_461_192_904],
        ),
        ("x' = -(x - 1)*(x - 2)*(x - 3)*(x - 4)*(x - 5)*(x - 6); init x = 0", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        ("x' = x*(x - 1e4); init x = 1", &[0.0, 1e4]),
        ("x' = (x - 0.5)*(x - 0.501)*(x + 30); init x = 3", &[-30.0, 0.5, 0.501]),
        (
            "x' = y - x; 0 = y^3 - y - x + 0.1; init x = 0; guess y = 0",
            &[-1.438_580_196_746_534_9, 0.050_062_735_553_630_8, 1.388_517_461_192_904],
        ),
        ("x' = x*(x - 3)*(x + 7); y' = x - y; init x = 0.1, y = 0.1; run 0 .. 1", &[-7.0, 0.0, 3.0]),
    ];
    for (text, expected) in cases {
        let mut x: Vec<f64> = kinds(text).iter().map(|(_, at)| at[0]).collect();
        x.sort_by(f64::total_cmp);
        assert_eq!(x.len(), expected.len(), "{text}: {x:?}");
        for (x, expected) in x.iter().zip(expected) {
            assert!((x - expected).abs() <= 1e-13 * expected.abs().max(1.0), "{text}: {x} {expected}");
        }
    }
}

/// Only of a linear model is it proved that there is no other one.
#[test]
fn what_is_not_proved_about_equilibria_is_said() {
    let notes = |text: &str| equilibria(&model(text), &EquilibriaOptions::default()).expect("points").notes;
    assert!(notes("x' = x^3 - x; init x = 0.1").iter().any(|note| note.contains("not a proof")));
    assert_eq!(notes("x' = -2*x + y; y' = 1 - y; init x = 0, y = 0"), Vec::<String>::new());
}

/// sin x = 0 has a zero at every multiple of π: those near to each guess are among the points, and come from it.
#[test]
fn every_guess_is_a_start() {
    let options = EquilibriaOptions { guess: guess(&[("x", "900*pi + 0.1"), ("x", "1300*pi - 0.1")]) };
    let found = equilibria(&model("x' = sin(x); init x = 0.1"), &options).expect("points").points;
    for expected in [900.0, 1300.0].map(|k| k * std::f64::consts::PI) {
        assert!(found.iter().any(|p| (p.at[0].1 - expected).abs() < 1e-9), "{expected}");
    }
}

/// A zero of second or third order says nothing by its derivative, however small that is computed.
#[test]
fn a_multiple_zero_is_not_called_stable_or_unstable() {
    for text in [
        "x' = (x - 1)^2; init x = 0",
        "x' = x^2 - 2*x + 1; init x = 0",
        "x' = -(x - 1)^2*(x + 2); init x = 0",
        "x' = (x - 1)^3; init x = 0",
        "x' = x^3 - 3*x^2 + 3*x - 1; init x = 0",
        "x' = (x - 1)^2; y' = x - y; init x = 0, y = 0",
    ] {
        let found = kinds(text);
        let at_one: Vec<_> = found.iter().filter(|(_, at)| (at[0] - 1.0).abs() < 1e-3).collect();
        assert!(at_one.len() == 1 && at_one[0].0 == "non-hyperbolic", "{text}: {found:?}");
        assert!((at_one[0].1[0] - 1.0).abs() < 2e-5, "{text}: {found:?}");
    }
    assert_eq!(kinds("x' = -1e-9*(x - 1); init x = 0")[0].0, "stable node");
    assert_eq!(
        kinds("x' = (x - 1)*(x - 1.0001); init x = 0").iter().map(|(kind, _)| *kind).collect::<Vec<_>>(),
        ["stable node", "unstable node"]
    );
}

/// Between samples u is held at its start value, so that the point is not that of the loop, 2/3.
#[test]
fn what_samples_do_is_left_out_and_named() {
    let text = "x' = -x + u; every 0.1: u = 2*(1 - x); init x = 0, u = 0";
    let notes = equilibria(&model(text), &EquilibriaOptions::default()).expect("a point").notes;
    assert!(notes.iter().any(|note| note.contains("`u` is assigned by events and held")), "{notes:?}");
    assert!(!notes.iter().any(|note| note.contains("depends on time")), "{notes:?}");
}

/// Towards x = 0 the rates vanish, but there is no equilibrium.
#[test]
fn a_model_without_rest_says_so() {
    let texts = [
        "x' = 1; init x = 0; run 0 .. 1",
        "x' = x^2 + 1; init x = 0; run 0 .. 1",
        "x' = 1/(x - 2); init x = 0",
        // zero at x = 750 as a number, but not in truth
        "x' = exp(-x); init x = 0",
    ];
    for text in texts {
        let error = equilibria(&model(text), &EquilibriaOptions::default()).expect_err("it never rests");
        assert!(matches!(error, EquilibriaError::None { .. }), "{error:?}");
    }
    let options = EquilibriaOptions { guess: guess(&[("xx", "1")]) };
    let error = equilibria(&model("x1' = -x1; init x1 = 0; run 0 .. 1"), &options).expect_err("no such state");
    assert!(matches!(error, EquilibriaError::Usage(_)), "{error:?}");
}

fn file(name: &str, change: &[(&str, &str)]) -> String {
    let path = format!("{}/../../tests/sound/{name}.eq", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a model");
    change.iter().fold(text, |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

/// The stirred tank is near to itself at every slow place of its way, long before a period has passed. Period and orbit by SciPy's
/// Radau with rtol 1e-12 and section crossings.
#[test]
fn a_cycle_with_slow_places_is_found_from_the_default_start() {
    let found = orbits(&file("cstr", &[]), &PeriodicOptions::default());
    assert_eq!(found.len(), 1);
    assert!((found[0].period - 5.11248).abs() < 1e-5, "{}", found[0].period);
    assert_eq!(found[0].stable, Some(true));
}

/// The Brusselator with diffusion rests at u = A, v = B/A; with μ_k = 4 α (N + 1)² sin²(kπ/(2N + 2)) its eigenvalues are
/// 1/2 − μ_k ± i √3/2 for A = 1, B = 3.
#[test]
fn equilibria_of_hundreds_of_states_have_their_eigenvalues() {
    let n = 80;
    let compiled = model(&file("brusselator", &[("N = 200", &format!("N = {n}"))]));
    let found = equilibria(&compiled, &EquilibriaOptions::default()).expect("an equilibrium");
    let eigenvalues = &found.points[0].eigenvalues;
    assert_eq!((found.points.len(), eigenvalues.len()), (1, 2 * n));
    let mu = |k: usize| {
        let sine = (k as f64 * std::f64::consts::PI / (2 * n + 2) as f64).sin();
        4.0 * 0.02 * ((n + 1) * (n + 1)) as f64 * sine * sine
    };
    for (k, pair) in eigenvalues.chunks(2).enumerate() {
        for (re, im) in pair {
            assert!((re - 0.5 + mu(k + 1)).abs() < 1e-9, "{k}: {re}");
            assert!((im.abs() - 0.75f64.sqrt()).abs() < 1e-7, "{k}: {im}");
        }
    }
}

/// The start of the Brusselator is far from its equilibrium, and finer grids do not make that farther.
#[test]
fn linearize_finds_the_equilibrium_of_a_fine_grid() {
    let compiled = model(&file("brusselator", &[("N = 200", "N = 80")]));
    let options = ordinate::LinearizeOptions { equilibrium: true, ..Default::default() };
    let linear = ordinate::linearize(&compiled, &options).expect("a linear system");
    let analysis = ordinate::analyse(&linear, &ordinate::AnalysisOptions::default()).expect("eigenvalues");
    let rightmost = &analysis.modes[0];
    assert!((rightmost.value.re - 0.302_6).abs() < 1e-4, "{:?}", rightmost.value);
}

/// x′ = −a x + cos t has P′ = e^(−2πa).
#[test]
fn the_condition_of_an_orbit_is_the_size_of_the_inverse() {
    for a in [1e-3, 0.1, 1.0] {
        let orbit = &orbits(&format!("x' = -{a}*x + cos(t); init x = 0"), &PeriodicOptions::default())[0];
        let expected = 1.0 / (1.0 - (-2.0 * std::f64::consts::PI * a).exp());
        assert!((orbit.condition / expected - 1.0).abs() < 1e-9, "{a}: {} {expected}", orbit.condition);
    }
}
