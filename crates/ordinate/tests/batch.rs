//! Batches: every trajectory as if it were alone, whatever shares its lanes.

use ordinate::{
    BatchOptions, BatchResult, CompileOptions, Compiled, Discard, RunOptions, Source, Status, Trajectory, batch,
    compile, simulate,
};

fn model(text: &str, set: &[(&str, f64)]) -> Compiled {
    let set = set.iter().map(|(name, value)| (name.to_string(), format!("{value:?}"))).collect();
    compile(&Source::text(text), &CompileOptions { set, ..CompileOptions::default() })
        .expect("a model without mistakes")
}

fn tight() -> BatchOptions {
    BatchOptions { rtol: 1e-12, atol: 1e-12, ..BatchOptions::default() }
}

fn run(trajectories: &[Trajectory], options: &BatchOptions) -> Vec<BatchResult> {
    batch(trajectories, options).into_iter().map(|result| result.expect("it can begin")).collect()
}

/// The end of the same trajectory by `-m taylor`.
fn alone(model: &Compiled, options: &BatchOptions) -> Vec<f64> {
    let options = RunOptions {
        method: "taylor".into(),
        rtol: options.rtol,
        atol: options.atol,
        t_end: options.t_end.map(|t| t.to_string()),
        ..RunOptions::default()
    };
    let run = simulate(model, &options, &mut Discard).expect("it can begin");
    assert_eq!(run.outcome.status, Status::Ok);
    run.outcome.y
}

/// Every model by lanes and alone; the ends agree within `within` of the size of the solution.
fn agree(models: &[Compiled], within: f64) {
    let trajectories: Vec<Trajectory> = models.iter().map(|model| Trajectory { model, start: None }).collect();
    for (k, (result, model)) in run(&trajectories, &tight()).iter().zip(models).enumerate() {
        assert_eq!(result.outcome.status, Status::Ok, "trajectory {k}: {:?}", result.reason);
        let expected = alone(model, &tight());
        let size = expected.iter().fold(1.0, |most: f64, y| most.max(y.abs()));
        for (a, b) in result.outcome.y.iter().zip(&expected) {
            assert!((a - b).abs() <= within * size, "trajectory {k}: {a} instead of {b}");
        }
    }
}

const LORENZ: &str = "
param s = 10, r = 28, b = 8/3
x' = s*(y - x)
y' = x*(r - z) - y
z' = x*y - b*z
init x = 1, y = 1, z = 1
run 0 .. 5
";

const KEPLER: &str = "
param e = 0.5
x'' = -x/(x^2 + y^2)^1.5
y'' = -y/(x^2 + y^2)^1.5
init x = 1 - e, x' = 0, y = 0, y' = sqrt((1 + e)/(1 - e))
run 0 .. 20
";

#[test]
fn lorenz_with_other_parameters_is_that_of_one_run() {
    let models: Vec<Compiled> = (0..20).map(|k| model(LORENZ, &[("r", 20.0 + 0.5 * f64::from(k))])).collect();
    agree(&models, 1e-9);
}

#[test]
fn orbits_of_any_eccentricity_close() {
    let models: Vec<Compiled> = (0..19).map(|k| model(KEPLER, &[("e", 0.05 * f64::from(k))])).collect();
    agree(&models, 1e-8);
    // after a period every orbit is where it began
    let period = 2.0 * std::f64::consts::PI;
    let trajectories: Vec<Trajectory> = models.iter().map(|model| Trajectory { model, start: None }).collect();
    for (k, result) in run(&trajectories, &BatchOptions { t_end: Some(period), ..tight() }).iter().enumerate() {
        let e = 0.05 * k as f64;
        assert!((result.outcome.y[0] - (1.0 - e)).abs() < 1e-9, "e = {e}: {:?}", result.outcome.y);
    }
}

#[test]
fn a_sweep_of_pendulums_is_that_of_single_runs() {
    let text = "param g = 9.81, l = 1, c = 0.1; phi'' = -g/l*sin(phi) - c*phi'; init phi = 2, phi' = 0; run 0 .. 10";
    let models: Vec<Compiled> = (0..17).map(|k| model(text, &[("l", 0.5 + 0.1 * f64::from(k))])).collect();
    agree(&models, 1e-9);
    // without damping a term vanishes: another structure in the same call
    let mixed: Vec<Compiled> = (0..17).map(|k| model(text, &[("c", 0.1 * f64::from(k % 3))])).collect();
    agree(&mixed, 1e-9);
}

/// Every kind of recurrence, with numbers that differ from lane to lane.
#[test]
fn all_functions_have_lanes() {
    let text = "
        param k = 1
        a' = exp(-k*a) - 0.3*a
        b' = log(2 + b^2)/(1 + k) - b
        c' = atan2(a + 1, k + c^2) - 0.5*c
        d' = (2 + sin(c))^(0.7*k) - d
        f' = sqrt(1 + b^2) - f*cbrt(1 + a^2)
        g' = tanh(a - g) + tan(0.3*sin(g)) + erf(k*b) - g
        h' = asin(0.5*sin(k*t)) + acos(0.3*cos(h)) - asinh(h) + 2^cos(a)
        i' = atanh(0.2*sin(i)) - acosh(2 + k*cos(t)^2) + log10(3 + i^2) + sinh(0.1*a)*cosh(0.1*i)
        j' = (1.5 + 0.5*sin(t))^(b + k) - j^3/(1 + j^2)
        init a = 0.1, b = 0.2, c = 0.3, d = 0.4, f = 0.5, g = 0.6, h = 0.7, i = 0.8, j = 0.9
        run 0 .. 3
    ";
    let models: Vec<Compiled> = (0..9).map(|k| model(text, &[("k", 0.6 + 0.1 * f64::from(k))])).collect();
    agree(&models, 1e-10);
}

#[test]
fn a_pole_stops_its_own_trajectory_only() {
    let text = "y' = y^2; y(0) = 1; run 0 .. 1";
    let compiled = model(text, &[]);
    let start = |k: usize| if k == 5 { 2.0 } else { 0.01 * k as f64 };
    let trajectories: Vec<Trajectory> =
        (0..20).map(|k| Trajectory { model: &compiled, start: Some(vec![start(k)]) }).collect();
    for (k, result) in run(&trajectories, &tight()).iter().enumerate() {
        if k == 5 {
            let reason = result.reason.as_ref().expect("a pole at 1/2");
            assert_eq!(result.outcome.status, Status::Stopped);
            assert!((reason.t - 0.5).abs() < 1e-6, "{reason:?}");
            assert_eq!(reason.variable.as_deref(), Some("y"));
        } else {
            assert_eq!(result.outcome.t_reached, 1.0);
            let expected = start(k) / (1.0 - start(k));
            assert!((result.outcome.y[0] - expected).abs() < 1e-12 * (1.0 + expected), "{k}: {:?}", result.outcome.y);
        }
    }
}

#[test]
fn a_start_that_is_not_defined_is_named_and_the_others_go_on() {
    let compiled = model("y' = log(y) - y; y(0) = 1; run 0 .. 0.5", &[]);
    let start = |k: usize| if k == 3 { -1.0 } else { 1.0 + 0.1 * k as f64 };
    let trajectories: Vec<Trajectory> =
        (0..10).map(|k| Trajectory { model: &compiled, start: Some(vec![start(k)]) }).collect();
    for (k, result) in run(&trajectories, &tight()).iter().enumerate() {
        assert_eq!(result.outcome.status == Status::Ok, k != 3, "{k}: {:?}", result.reason);
    }
}

#[test]
fn what_cannot_begin_is_refused_alone() {
    let compiled = model(LORENZ, &[]);
    let mut trajectories = lorenz_starts(&compiled, 20);
    let expected = run(&trajectories, &tight());
    trajectories[3].start = Some(vec![1.0, 2.0]);
    trajectories[4].start = Some(vec![1.0, f64::NAN, 1.0]);
    let endless = model("x' = -x; y' = -y; z' = -z; init x = 1, y = 1, z = 1", &[]);
    trajectories[5].model = &endless;
    for (k, result) in batch(&trajectories, &tight()).into_iter().enumerate() {
        match result {
            Ok(result) => assert_eq!(result, expected[k], "{k} does not notice the others"),
            Err(error) => assert!((3..=5).contains(&k), "{k}: {error:?}"),
        }
    }
    let trajectories = lorenz_starts(&compiled, 20);
    for options in [
        BatchOptions { rtol: -1.0, ..tight() },
        BatchOptions { rtol: 0.0, atol: 0.0, ..tight() },
        BatchOptions { at: vec![2.0, 1.0], ..tight() },
        BatchOptions { at: vec![6.0], ..tight() },
        BatchOptions { t_end: Some(-1.0), ..tight() },
        BatchOptions { t_end: Some(f64::INFINITY), ..tight() },
    ] {
        assert!(batch(&trajectories, &options).iter().all(Result::is_err), "{options:?}");
    }
    assert!(batch(&[], &tight()).is_empty());
}

/// Oscillators from microhertz to megahertz, each for a few of its own periods.
#[test]
fn lanes_may_live_on_very_different_scales_of_time() {
    let text = "param w = 1; x'' = -w^2*x; init x = 1, x' = 0; run 0 .. 20/w";
    let rates: Vec<f64> = (-6..=6).map(|k| 10f64.powi(k)).collect();
    let models: Vec<Compiled> = rates.iter().map(|&w| model(text, &[("w", w)])).collect();
    let trajectories: Vec<Trajectory> = models.iter().map(|model| Trajectory { model, start: None }).collect();
    for (w, result) in rates.iter().zip(run(&trajectories, &tight())) {
        assert_eq!(result.outcome.status, Status::Ok);
        assert!((result.outcome.y[0] - 20f64.cos()).abs() < 1e-9, "w = {w}: {:?}", result.outcome.y);
    }
}

fn lorenz_starts(model: &Compiled, count: usize) -> Vec<Trajectory<'_>> {
    (0..count).map(|k| Trajectory { model, start: Some(vec![1.0 + 1e-3 * k as f64, 1.0, 1.0]) }).collect()
}

#[test]
fn company_and_threads_leave_every_bit_as_it_is() {
    let compiled = model(LORENZ, &[]);
    let all = lorenz_starts(&compiled, 1000);
    let options = BatchOptions { at: vec![0.0, 0.1, 2.5, 5.0], ..tight() };
    let expected = run(&all, &options);
    for count in [1, 7, 8, 9, 16, 17] {
        assert_eq!(run(&all[..count], &options), expected[..count], "{count} trajectories");
    }
    let backwards: Vec<Trajectory> = all[..100].iter().rev().cloned().collect();
    let mut reversed = run(&backwards, &options);
    reversed.reverse();
    assert_eq!(reversed, expected[..100], "in the opposite order");
    for threads in [2, 3, 0] {
        assert_eq!(run(&all, &BatchOptions { threads, ..options.clone() }), expected, "{threads} threads");
    }
}

#[test]
fn rows_are_those_of_the_solution() {
    let text = "param w = 2; x'' = -w^2*x; output energy = x'^2 + w^2*x^2; init x = 1, x' = 0; run 0 .. 3";
    let models: Vec<Compiled> = (1..10).map(|k| model(text, &[("w", f64::from(k))])).collect();
    let trajectories: Vec<Trajectory> = models.iter().map(|model| Trajectory { model, start: None }).collect();
    let at = vec![0.0, 0.3, 0.30001, 1.7, 3.0];
    for (k, result) in (1..).zip(run(&trajectories, &BatchOptions { at: at.clone(), ..tight() })) {
        let w = f64::from(k);
        assert_eq!(result.rows.iter().map(|row| row[0]).collect::<Vec<_>>(), at);
        for row in &result.rows {
            assert!((row[1] - (w * row[0]).cos()).abs() < 1e-10, "{row:?}");
            assert!((row[3] - w * w).abs() < 1e-9, "{row:?}");
        }
    }
}

/// Polynomials, constants and gaps: the last coefficients are zero and say nothing, or those of cos(t) say nothing about
/// t^40; only the look at the equation does.
#[test]
fn series_that_end_are_followed_to_the_end() {
    for (text, expected) in [
        ("y' = 0; y(0) = 3; run 0 .. 10", 3.0),
        ("y' = -1; y(0) = 3; run 0 .. 10", -7.0),
        ("y' = 7*t^6; y(0) = 0; run 0 .. 2", 128.0),
        ("y' = 40*t^39; y(0) = 0; run 0 .. 1", 1.0),
        ("y' = 40*t^39 + cos(t); y(0) = 1; run 0 .. 1", 2.0 + 1f64.sin()),
        ("y' = if t < 5 then 1 else 2; y(0) = 0; run 0 .. 10", 15.0),
        ("when y > 1: y = 0\ny' = 1; y(0) = 0.5; run 0 .. 2", 0.5),
    ] {
        let compiled = model(text, &[]);
        let trajectories: Vec<Trajectory> = (0..9).map(|_| Trajectory { model: &compiled, start: None }).collect();
        for result in run(&trajectories, &tight()) {
            assert_eq!(result.outcome.status, Status::Ok, "{text}");
            assert!((result.outcome.y[0] - expected).abs() < 1e-9, "{text}: {:?}", result.outcome.y);
        }
    }
}

/// Released from rest at 90° the series has the powers 2, 6, 10, … only; the period is 4 K(sin 45°).
#[test]
fn a_pendulum_with_gaps_in_its_series_returns() {
    let compiled = model("phi'' = -sin(phi); init phi = pi/2, phi' = 0; run 0 .. 7.416298709205487", &[]);
    let trajectories: Vec<Trajectory> = (0..5).map(|_| Trajectory { model: &compiled, start: None }).collect();
    for digits in 3..=14 {
        let tol = 10f64.powi(-digits);
        for result in run(&trajectories, &BatchOptions { rtol: tol, atol: tol, ..BatchOptions::default() }) {
            let [phi, omega] = result.outcome.y[..] else { panic!("two states") };
            let error = (phi - std::f64::consts::FRAC_PI_2).abs().max(omega.abs());
            assert!(error <= 20.0 * tol + 1e-14, "tolerance {tol}: {error:.1e}");
        }
    }
}

#[test]
fn the_limit_of_steps_is_exact_and_named() {
    let compiled = model(LORENZ, &[]);
    let results = run(&lorenz_starts(&compiled, 9), &BatchOptions { max_steps: 20, ..tight() });
    for result in results {
        let statistics = &result.outcome.statistics;
        assert_eq!(statistics.steps + statistics.rejected, 20);
        assert_eq!(result.reason.expect("the limit").kind, "max_steps");
    }
}
