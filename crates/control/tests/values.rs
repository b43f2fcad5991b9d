//! Systems as values: conversions, connections, zeros, sampling and responses against closed forms.

mod systems;

use ordinate_control::{
    Complex, ControlError, Hold, Matrix, StateSpace, Transfer, bode, controllability, discretise, impulse, margins,
    observability, step, step_facts,
};
use systems::{Random, golden, golden_numbers, matrix};

fn distance(a: Complex, b: Complex) -> f64 {
    (a.re - b.re).hypot(a.im - b.im)
}

/// 1/(s² + 2ζs + 1) in state space.
fn oscillator(damping: f64) -> StateSpace {
    Transfer::new(&[1.0], &[1.0, 2.0 * damping, 1.0], None).and_then(|g| g.state_space()).expect("proper")
}

fn random_system(random: &mut Random, n: usize, inputs: usize, outputs: usize) -> StateSpace {
    let (a, b, c) = (random.matrix(n, n), random.matrix(n, inputs), random.matrix(outputs, n));
    StateSpace::new(a, b, c, random.matrix(outputs, inputs), None).expect("sizes fit")
}

/// A = [0 1; −4 −0.5], B = (0, 1), h = 0.1: matrices of the golden case `discretisation`.
#[test]
fn the_sampled_forms_of_the_course() {
    let (a, b) = (matrix(2, &[0.0, 1.0, -4.0, -0.5]), matrix(2, &[0.0, 1.0]));
    let system = StateSpace::new(a, b, Matrix::identity(2), Matrix::zero(2, 1), None).expect("sizes fit");
    let sampled = |hold: Hold| discretise(&system, 0.1, hold).expect("regular");
    let close = |found: &Matrix, exact: &[f64]| {
        let worst = found.elements().iter().zip(exact).map(|(f, e)| (f - e).abs()).fold(0.0, f64::max);
        assert!(worst < 3e-16, "{found:?} instead of {exact:?}");
    };
    let golden = golden("methods.json", "discretisation");
    let exact = |key: &str| golden_numbers(&golden[key]);
    close(&sampled(Hold::Forward).a, &exact("F_fe"));
    close(&sampled(Hold::Forward).b, &exact("G_fe"));
    close(&sampled(Hold::Backward).a, &exact("F_be"));
    close(&sampled(Hold::Backward).b, &exact("G_be"));
    close(&sampled(Hold::Zero).a, &exact("F_exact"));
}

/// Ranks, controllability and observability matrices and eigenvalues of the golden cases `lin-…`.
#[test]
fn the_linearised_plants_of_the_thesis() {
    for name in ["lin-cart-hanging", "lin-pendulum", "lin-dcmotor"] {
        let case = golden("linearise.json", name);
        let n = case["states"].as_array().map_or(0, Vec::len);
        let a = matrix(n, &golden_numbers(&case["A"]));
        let close = |found: &Matrix, key: &str| {
            let exact = golden_numbers(&case[key]);
            let worst = found.elements().iter().zip(&exact).map(|(f, e)| (f - e).abs()).fold(0.0, f64::max);
            assert!(found.elements().len() == exact.len() && worst < 1e-14, "{name} {key}: {found:?}");
        };
        let reach = controllability(&a, &matrix(n, &golden_numbers(&case["E"]))).expect("sizes fit");
        close(&reach.matrix, "controllability");
        let shown = observability(&a, &matrix(1, &golden_numbers(&case["C"]))).expect("sizes fit");
        close(&shown.matrix, "observability");
        let ranks = (case["rank_controllability"].as_u64(), case["rank_observability"].as_u64());
        assert_eq!((Some(reach.rank as u64), Some(shown.rank as u64)), ranks, "{name}");
    }
}

/// Tustin and backward Euler are substitutions: G_d(z) = G(s) with s = 2(z − 1)/(h(z + 1)), s = (z − 1)/(hz); forward Euler
/// s = (z − 1)/h. The input that is held has the same final value as the continuous one.
#[test]
fn sampling_is_a_substitution() {
    let mut random = Random::new(2);
    let system = random_system(&mut random, 5, 2, 3);
    let h = 0.13;
    let z = Complex::new(0.3, 0.8);
    let one = Complex::from(1.0);
    let cases = [
        (Hold::Tustin, (z - one) * (2.0 / h) / (z + one)),
        (Hold::Backward, (z - one) / (z * h)),
        (Hold::Forward, (z - one) * (1.0 / h)),
    ];
    for (hold, s) in cases {
        let (found, exact) = (discretise(&system, h, hold).expect("regular").at(z), system.at(s));
        for (f, e) in found.iter().flatten().zip(exact.iter().flatten()) {
            assert!(distance(*f, *e) < 1e-12, "{hold:?}: {f:?} instead of {e:?}");
        }
    }
    let held = discretise(&system, h, Hold::Zero).expect("regular");
    assert!((&held.dc_gain() - &system.dc_gain()).largest() < 1e-11 * system.dc_gain().largest());
}

/// Series, parallel and loop at a point are product, sum and (1 + GH)⁻¹G of matrices there.
#[test]
fn connections_are_arithmetic_of_transfer_functions() {
    let mut random = Random::new(4);
    let (g, k) = (random_system(&mut random, 4, 1, 1), random_system(&mut random, 3, 1, 1));
    let s = Complex::new(0.3, 1.7);
    let (x, y) = (g.at(s)[0][0], k.at(s)[0][0]);
    let check = |system: StateSpace, exact: Complex| {
        let found = system.at(s)[0][0];
        assert!(distance(found, exact) < 1e-12 * (1.0 + exact.re.abs()), "{found:?} instead of {exact:?}");
    };
    check(g.series(&k).expect("sizes fit"), x * y);
    check(g.parallel(&k).expect("sizes fit"), x + y);
    check(g.feedback(&k).expect("regular"), x / (Complex::from(1.0) + x * y));
    let static_gain = |d: f64| StateSpace::gain(Matrix::diagonal(&[d]), None).expect("a gain");
    let looped = static_gain(-1.0).feedback(&static_gain(1.0));
    assert!(matches!(looped, Err(ControlError::Singular(what)) if what.contains("algebraic loop")));
    let sampled = discretise(&k, 0.1, Hold::Zero).expect("regular");
    assert!(matches!(g.series(&sampled), Err(ControlError::Shape(_))));
}

#[test]
fn transfer_functions_and_state_space_are_two_forms_of_one_thing() {
    let g = Transfer::new(&[0.0, 2.0, 6.0], &[2.0, 8.0, 10.0, 4.0], None).expect("proper");
    assert_eq!((g.numerator.as_slice(), g.denominator.as_slice()), (&[1.0, 3.0][..], &[1.0, 4.0, 5.0, 2.0][..]));
    let back = g.state_space().and_then(|system| system.transfer()).expect("one channel");
    let same = |a: &[f64], b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(same(&back.numerator, &g.numerator) && same(&back.denominator, &g.denominator), "{back:?}");
    assert_eq!(Transfer::new(&[1.0, 0.0, 0.0], &[1.0, 1.0], None), Err(ControlError::Improper));
    assert!(matches!(Transfer::new(&[1.0], &[0.0], None), Err(ControlError::Singular(_))));
    assert!(matches!(Transfer::new(&[f64::NAN], &[1.0], None), Err(ControlError::NotFinite(_))));
}

/// Random systems of up to eight states have their values from numerator and denominator, too.
#[test]
fn the_transfer_function_has_the_values_of_the_system() {
    let mut random = Random::new(9);
    for n in 1..=8 {
        let mut system = random_system(&mut random, n, 1, 1);
        if n % 2 == 0 {
            system.d = Matrix::zero(1, 1);
        }
        let transfer = system.transfer().expect("one channel");
        assert_eq!(transfer.numerator.len(), if n % 2 == 0 { n } else { n + 1 });
        for omega in [0.0, 0.3, 1.0, 7.0] {
            let s = Complex::new(0.2, omega);
            let (found, exact) = (transfer.at(s), system.at(s)[0][0]);
            assert!(distance(found, exact) < 1e-10 * (1.0 + exact.re.hypot(exact.im)), "{n}: {found:?} {exact:?}");
        }
    }
}

/// What no input reaches or no output shows is left out, and nothing else.
#[test]
fn the_minimal_part_has_the_same_transfer_function() {
    let mut random = Random::new(10);
    let (one, other) = (random_system(&mut random, 3, 1, 2), random_system(&mut random, 2, 1, 2));
    let mut unreached = one.parallel(&other).expect("sizes fit");
    (3..5).for_each(|i| *unreached.b.at_mut(i, 0) = 0.0);
    let mut hidden = one.parallel(&other).expect("sizes fit");
    (0..2).for_each(|i| hidden.c.row_mut(i)[3..5].fill(0.0));
    for system in [unreached, hidden] {
        let small = system.minimal();
        assert_eq!(small.states(), 3);
        let s = Complex::new(0.1, 0.8);
        for (found, exact) in small.at(s).iter().flatten().zip(system.at(s).iter().flatten()) {
            assert!(distance(*found, *exact) < 1e-12, "{found:?} instead of {exact:?}");
        }
    }
}

/// Without states, sampled, and first to the wrong side: (1 − s)/(s + 1)² falls to −0.2131 before it rises to one.
#[test]
fn steps_of_unusual_systems() {
    let gain = StateSpace::gain(Matrix::diagonal(&[-3.0]), None).expect("a gain");
    let facts = step_facts(&gain, 0, 0).expect("at rest at once");
    assert_eq!((facts.last, facts.rise, facts.settling, facts.overshoot), (-3.0, Some(0.0), Some(0.0), 0.0));
    let wrong = Transfer::new(&[-1.0, 1.0], &[1.0, 2.0, 1.0], None).and_then(|g| g.state_space()).expect("proper");
    let facts = step_facts(&wrong, 0, 0).expect("stable");
    // 1 − e^{−t} − 2t e^{−t} is smallest at t = 1/2
    let lowest = 1.0 - 2.0 * (-0.5f64).exp();
    assert!((facts.undershoot + 100.0 * lowest).abs() < 1e-10 && facts.overshoot == 0.0, "{facts:?}");
    let sampled = Transfer::new(&[0.5], &[1.0, -0.5], Some(0.1)).and_then(|g| g.state_space()).expect("proper");
    let response = step(&sampled, 0, Some(0.5)).expect("a response");
    assert_eq!(response.y[0], [0.0, 0.5, 0.75, 0.875, 0.9375, 0.96875]);
    let pulse = impulse(&sampled, 0, Some(0.3)).expect("a response");
    let exact = [0.0, 5.0, 2.5, 1.25];
    assert!(pulse.y[0].iter().zip(exact).all(|(y, e)| (y - e).abs() < 1e-14), "{pulse:?}");
    let unstable = Transfer::new(&[1.0], &[1.0, -1.0], None).and_then(|g| g.state_space()).expect("proper");
    assert!(matches!(step_facts(&unstable, 0, 0), Err(ControlError::Singular(_))));
    let integrator = Transfer::new(&[1.0, 2.0, 4.0], &[1.0, 11.4, 39.0, 43.6, 24.0, 0.0], None);
    let integrator = integrator.and_then(|g| g.state_space()).expect("proper");
    assert!(matches!(step_facts(&integrator, 0, 0), Err(ControlError::Singular(_))));
    assert!(step(&unstable, 0, None).expect("a response").y[0].iter().all(|y| y.is_finite()));
}

/// Zeros of products and of squares: those of the factors; a fast pole more or less changes nothing.
#[test]
fn zeros_of_one_and_of_several_channels() {
    let g =
        Transfer::new(&[1.0, 4.0, 13.0], &[1.0, 6.0, 11.0, 6.0], None).and_then(|g| g.state_space()).expect("proper");
    let zeros = g.zeros().expect("found");
    assert!(zeros.len() == 2 && distance(zeros[0], Complex::new(-2.0, 3.0)) < 1e-13, "{zeros:?}");
    assert_eq!(oscillator(0.5).zeros(), Ok(vec![]));
    // two inputs, two outputs: 1/(s + 1), 2/(s + 3); 1/(s + 1), 1/(s + 1) has the zero s = 1
    let a = Matrix::diagonal(&[-1.0, -3.0, -1.0]);
    let b = matrix(3, &[1.0, 0.0, 0.0, 2.0, 0.0, 1.0]);
    let c = matrix(2, &[1.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
    let square = StateSpace::new(a, b, c, Matrix::zero(2, 2), None).expect("sizes fit");
    let zeros = square.zeros().expect("found");
    assert!(zeros.len() == 1 && distance(zeros[0], 1.0.into()) < 1e-13, "{zeros:?}");
    // a fast filter in series
    let filter = Transfer::new(&[1e6], &[1.0, 1e6], None).and_then(|g| g.state_space()).expect("proper");
    let zeros = g.series(&filter).and_then(|system| system.zeros()).expect("found");
    assert!(zeros.len() == 2 && distance(zeros[0], Complex::new(-2.0, 3.0)) < 1e-9, "{zeros:?}");
}

/// An integrator's element is infinite, the others are values.
#[test]
fn the_gain_at_rest() {
    // x₁′ = x₂, x₂′ = −2 x₂ + 3 u: position and speed
    let a = matrix(2, &[0.0, 1.0, 0.0, -2.0]);
    let motor = StateSpace::new(a, matrix(2, &[0.0, 3.0]), Matrix::identity(2), Matrix::zero(2, 1), None);
    let gain = motor.expect("sizes fit").dc_gain();
    assert!(gain.at(0, 0).is_infinite() && (gain.at(1, 0) - 1.5).abs() < 1e-15, "{gain:?}");
    let value = oscillator(0.1).at(Complex::new(0.0, 1.0))[0][0];
    assert!(distance(value, Complex::new(0.0, -5.0)) < 1e-14, "{value:?}");
}

/// A = −1, B = C = 1: both gramians are 1/2; sampled with a = 1/2 they are 4/3.
#[test]
fn gramians_of_a_lag() {
    let one = Matrix::identity(1);
    let lag = |a: f64, period: Option<f64>| {
        StateSpace::new(Matrix::diagonal(&[a]), one.clone(), one.clone(), Matrix::zero(1, 1), period)
            .expect("sizes fit")
    };
    let (reach, show) = lag(-1.0, None).gramians().expect("stable");
    assert!((reach.at(0, 0) - 0.5).abs() < 1e-15 && (show.at(0, 0) - 0.5).abs() < 1e-15);
    let (reach, _) = lag(0.5, Some(1.0)).gramians().expect("stable");
    assert!((reach.at(0, 0) - 4.0 / 3.0).abs() < 1e-15);
    let told = lag(1.0, None).gramians().expect_err("it grows");
    assert!(matches!(&told, ControlError::Unstable(worst) if worst.re == 1.0), "{told}");
    assert!(told.to_string().contains("not stable") && !told.hint().contains("period"), "{told}");
}

/// 1 − e^{−ζt}(cos + ζ/√ sin): overshoot e^{−πζ/√(1 − ζ²)}, at π/√(1 − ζ²).
#[test]
fn the_step_of_an_oscillator_and_its_facts() {
    for damping in [0.1, 0.3, 0.7] {
        let system = oscillator(damping);
        let root = f64::sqrt(1.0 - damping * damping);
        let response = step(&system, 0, Some(12.0)).expect("a response");
        for (t, y) in response.t.iter().zip(&response.y[0]) {
            let exact = 1.0 - (-damping * t).exp() * ((root * t).cos() + damping / root * (root * t).sin());
            assert!((y - exact).abs() < 1e-13, "{t}: {y} instead of {exact}");
        }
        let facts = step_facts(&system, 0, 0).expect("stable");
        let overshoot = 100.0 * (-std::f64::consts::PI * damping / root).exp();
        assert!((facts.overshoot - overshoot).abs() < 1e-9, "{facts:?}");
        assert!((facts.peak_time - std::f64::consts::PI / root).abs() < 1e-6, "{facts:?}");
        assert!((facts.last - 1.0).abs() < 1e-14 && facts.undershoot == 0.0);
        let at = |t: f64| 1.0 - (-damping * t).exp() * ((root * t).cos() + damping / root * (root * t).sin());
        let settling = facts.settling.expect("it comes to rest");
        assert!(((at(settling) - 1.0).abs() - 0.02).abs() < 1e-9, "{facts:?}");
    }
    // a lag rises from 10 to 90 % in ln 9 and is within 2 % after ln 50
    let lag = Transfer::new(&[2.0], &[1.0, 1.0], None).and_then(|g| g.state_space()).expect("proper");
    let facts = step_facts(&lag, 0, 0).expect("stable");
    assert!((facts.rise.expect("it rises") - 9f64.ln()).abs() < 1e-12, "{facts:?}");
    assert!((facts.settling.expect("it settles") - 50f64.ln()).abs() < 1e-12, "{facts:?}");
    assert_eq!(facts.overshoot, 0.0);
    let impulse = impulse(&lag, 0, Some(2.0)).expect("a response");
    let error = impulse.t.iter().zip(&impulse.y[0]).map(|(t, y)| (y - 2.0 * (-t).exp()).abs()).fold(0.0, f64::max);
    assert!(error < 1e-14, "{error:e}");
}

/// 8/(s + 1)³: phase −180° at √3 with |G| = 1; 4/(s + 1)³ has the gain margin 2.
#[test]
fn margins_of_three_lags() {
    let open =
        |gain: f64| Transfer::new(&[gain], &[1.0, 3.0, 3.0, 1.0], None).and_then(|g| g.state_space()).expect("proper");
    let found = margins(&open(4.0)).expect("one channel");
    let (omega, factor) = found.gain[0];
    assert!((omega - 3f64.sqrt()).abs() < 1e-13 && (factor - 2.0).abs() < 1e-13, "{found:?}");
    let crossover = f64::sqrt(16f64.cbrt() - 1.0);
    let margin = 180.0 - 3.0 * crossover.atan().to_degrees();
    assert!((found.phase[0].0 - crossover).abs() < 1e-13 && (found.phase[0].1 - margin).abs() < 1e-11, "{found:?}");
    assert!(found.stable && !margins(&open(9.0)).expect("one channel").stable);
    // |1 + G| of the integrator 1/s at ω is √(1 + 1/ω²), which comes near 1; a gain of a million crosses far away
    let fast = Transfer::new(&[1e6], &[1.0, 0.0], None).and_then(|g| g.state_space()).expect("proper");
    let found = margins(&fast).expect("one channel");
    assert!((found.phase[0].0 / 1e6 - 1.0).abs() < 1e-12 && (found.phase[0].1 - 90.0).abs() < 1e-12, "{found:?}");
    let sampled = Transfer::new(&[0.5], &[1.0, -1.0], Some(0.1)).and_then(|g| g.state_space()).expect("proper");
    let found = margins(&sampled).expect("one channel");
    // at z = −1 G = −1/4
    assert!((found.gain[0].1 - 4.0).abs() < 1e-12 && found.stable, "{found:?}");
}

/// 0.3/(s(s² + 0.1s + 1)): the gain passes 1 before the resonance, at its foot and after it. With w = ω²
///
/// ```text
///   w((1 − w)² + w/100) = 9/100
/// ```
#[test]
fn every_crossing_has_its_margin() {
    let open = Transfer::new(&[0.3], &[1.0, 0.1, 1.0, 0.0], None).and_then(|g| g.state_space()).expect("proper");
    let found = margins(&open).expect("one channel");
    assert_eq!(found.phase.len(), 3, "{found:?}");
    for (omega, margin) in &found.phase {
        let w = omega * omega;
        assert!((w * ((1.0 - w).powi(2) + 0.01 * w) - 0.09).abs() < 1e-13, "{found:?}");
        let phase = -90.0 - (0.1 * omega).atan2(1.0 - w).to_degrees();
        assert!((margin - (180.0 + phase)).abs() < 1e-9, "{found:?}");
    }
    // the phase is −180° at ω = 1, where |G| = 3: too much
    assert!(
        found.gain.len() == 1 && (found.gain[0].0 - 1.0).abs() < 1e-12 && (found.gain[0].1 - 1.0 / 3.0).abs() < 1e-12
    );
    assert!(!found.stable);
}

/// A resonance with a damping of 1e-5 is not stepped over, and neighbours of the curve are near each other.
#[test]
fn the_bode_curve_shows_a_sharp_resonance() {
    let (frequencies, values) = bode(&oscillator(1e-5)).expect("one channel");
    let highest = values.iter().map(|z| z.re.hypot(z.im)).fold(0.0, f64::max);
    assert!((highest / 5e4 - 1.0).abs() < 1e-3, "{highest}");
    assert!(frequencies.windows(2).all(|w| w[0] < w[1]));
    let turn = |a: Complex, b: Complex| (a.im * b.re - a.re * b.im).atan2(a.re * b.re + a.im * b.im).abs();
    assert!(values.windows(2).all(|z| turn(z[0], z[1]) < 0.2));
    let nyquist = std::f64::consts::PI / 0.1;
    let sampled = discretise(&oscillator(0.5), 0.1, Hold::Zero).expect("regular");
    let (frequencies, _) = bode(&sampled).expect("one channel");
    assert!((frequencies.last().expect("points") / nyquist - 1.0).abs() < 1e-12);
}

#[test]
fn sizes_that_do_not_fit_are_named() {
    let (one, two) = (Matrix::identity(1), Matrix::identity(2));
    assert!(matches!(
        StateSpace::new(two.clone(), one.clone(), one.clone(), one.clone(), None),
        Err(ControlError::Shape(_))
    ));
    let pair = StateSpace::new(two.clone(), two.clone(), two.clone(), two, None).expect("sizes fit");
    assert!(matches!(pair.transfer(), Err(ControlError::Shape(_))));
    assert!(matches!(bode(&pair), Err(ControlError::Shape(_))));
    assert!(matches!(discretise(&pair, -1.0, Hold::Zero), Err(ControlError::Shape(_))));
    assert!(matches!(step(&pair, 2, None), Err(ControlError::Shape(_))));
    let bad = StateSpace::new(Matrix::diagonal(&[f64::NAN]), one.clone(), one.clone(), one, None);
    assert_eq!(bad, Err(ControlError::NotFinite("A")));
}
