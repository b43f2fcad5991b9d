//! Adaptive runs reach their tolerance at a known cost, hit their end, and say why they stop early.

use std::ops::ControlFlow;

use crate::problems::*;
use ordinate_solve::{
    AbsoluteTolerance, Interrupt, Mixture, Options, Reason, Rows, Sink, Start, Status, UsageError, by_name, solve,
};

fn tolerances(rtol: f64, atol: f64) -> Options {
    Options { rtol, atol: AbsoluteTolerance::Same(atol), rows: Rows::At(vec![]), ..Options::default() }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Global errors exceed the tolerance per step by a factor of the problem; 100 bears all of these.
#[test]
fn adaptive_runs_reach_their_tolerance() {
    for name in adaptive_names() {
        for rtol in [1e-4, 1e-6] {
            let options = tolerances(rtol, rtol);
            let (outcome, _) =
                run(&mut circle(), &mut *by_name(name).unwrap().build(2, false), &[1.0, 0.0], 6.0, &options);
            let error = distance(&outcome.y, &[6f64.cos(), -6f64.sin()]);
            // The errors of the thousands of steps of the lowest orders add up.
            let bound = [1e4, 1e3, 100.0][by_name(name).unwrap().order().min(3) as usize - 1];
            assert!(error < bound * rtol, "{name} at {rtol:e}: {error:e}");
            assert_eq!(outcome.status, Status::Ok);
            assert_eq!(outcome.t_reached, 6.0);
        }
    }
}

/// y′ = cos 10t, a mere quadrature, with y′ = y beside it: an estimate must not be blind to either.
#[test]
fn no_error_estimate_is_blind_to_quadratures() {
    for name in adaptive_names().filter(|name| by_name(name).unwrap().order() > 1) {
        let mut system = Ode::new(2, |t: f64, y, dy| {
            dy[0] = (10.0 * t).cos();
            dy[1] = y[1];
        });
        let options = Options { h_max: Some(100.0), ..tolerances(1e-6, 1e-6) };
        let mut method = by_name(name).unwrap().build(2, false);
        let (outcome, _) = run(&mut system, &mut *method, &[0.0, 1.0], 3.0, &options);
        let error = distance(&outcome.y, &[30f64.sin() / 10.0, 3f64.exp()]);
        assert!(error < 5e-3, "{name}: {error:e}");
    }
}

#[test]
fn classical_orbits_close() {
    for (name, rtol, bound) in [("dp5", 1e-9, 1e-6), ("dp8", 1e-12, 2e-9), ("fehlberg", 1e-10, 1e-6)] {
        let start = kepler_start(0.5);
        let period = std::f64::consts::TAU;
        let (outcome, _) = run(
            &mut kepler(),
            &mut *by_name(name).unwrap().build(4, false),
            &start,
            3.0 * period,
            &tolerances(rtol, 1e-14),
        );
        assert!(distance(&outcome.y, &start) < bound, "{name}: {:e}", distance(&outcome.y, &start));
    }
    let (outcome, _) = run(
        &mut arenstorf(),
        &mut *by_name("dp8").unwrap().build(4, false),
        &ARENSTORF_START,
        ARENSTORF_PERIOD,
        &tolerances(1e-13, 1e-14),
    );
    assert!(distance(&outcome.y, &ARENSTORF_START) < 1e-5, "{:e}", distance(&outcome.y, &ARENSTORF_START));
}

/// A slowdown shows here: these are the counts of this driver, near those of the original programs.
#[test]
fn the_work_is_what_it_was() {
    for (name, steps, rejected, evaluations) in
        [("bs23", 1432, 64, 4490), ("dp5", 142, 19, 968), ("fehlberg", 108, 15, 970), ("dp8", 62, 10, 855)]
    {
        let (outcome, _) = run(
            &mut kepler(),
            &mut *by_name(name).unwrap().build(4, false),
            &kepler_start(0.5),
            20.0,
            &tolerances(1e-6, 1e-9),
        );
        let s = outcome.statistics;
        assert_eq!((s.steps, s.rejected, s.evaluations.f), (steps, rejected, evaluations), "{name}");
        assert_eq!((s.order_min, s.order_max), (by_name(name).unwrap().order(), by_name(name).unwrap().order()));
    }
}

/// The counts of the system agree with those reported.
#[test]
fn every_evaluation_is_counted() {
    for name in adaptive_names() {
        let mut system = kepler();
        let options = Options { rtol: 1e-4, ..Options::default() };
        let mut method = by_name(name).unwrap().build(4, false);
        let (outcome, _) = run(&mut system, &mut *method, &kepler_start(0.3), 1.0, &options);
        assert_eq!(outcome.statistics.evaluations.f, system.evaluations, "{name}");
    }
}

#[test]
fn rows_come_at_the_times_asked_for_with_the_accuracy_of_the_steps() {
    for (name, bound) in [("bs23", 1e-5), ("dp5", 1e-5), ("fehlberg", 1e-5), ("dp8", 1e-5), ("rk4", 1e-5)] {
        let options = Options { rtol: 1e-7, rows: Rows::Even(101), ..Options::default() };
        let mut method = by_name(name).unwrap().build(1, false);
        let (outcome, table) = run(&mut witch(), &mut *method, &[1.0], 5.0, &options);
        assert_eq!((table.t.len(), table.t[0], table.t[100]), (101, 0.0, 5.0));
        assert_eq!(table.y[100], outcome.y);
        for (t, y) in table.t.iter().zip(&table.y) {
            assert!((y[0] - witch_solution(*t)).abs() < bound, "{name} at {t}");
        }
    }
}

/// Asking for more rows does not change the steps.
#[test]
fn rows_do_not_disturb_the_steps() {
    let end = |rows| {
        let options = Options { rows, ..Options::default() };
        run(&mut kepler(), &mut *by_name("dp8").unwrap().build(4, false), &kepler_start(0.5), 7.0, &options).0.y
    };
    assert_eq!(end(Rows::Even(5000)), end(Rows::At(vec![])));
    assert_eq!(end(Rows::Steps), end(Rows::At(vec![3.0])));
}

#[test]
fn steps_as_rows_are_the_steps() {
    let options = Options { step: Some(0.1), rows: Rows::Steps, ..Options::default() };
    let (_, table) = run(&mut circle(), &mut *by_name("rk4").unwrap().build(2, true), &[1.0, 0.0], 1.05, &options);
    assert_eq!(table.t.len(), 12);
    assert_eq!(table.t[1..], table.steps[..]);
    // t₀ + k·h, not a sum: 0.1 added ten times is not 1.
    assert_eq!(table.t[10], 1.0);
    assert_eq!(table.t[11], 1.05);
}

/// Millions of fixed steps are counted right; a step lost against t is refused.
#[test]
fn fixed_steps_neither_drift_nor_vanish() {
    let mut system = Ode::new(1, |_, _, dy| dy[0] = 1.0);
    let options = Options { step: Some(1e-7), rows: Rows::At(vec![]), ..Options::default() };
    let (outcome, _) = run(&mut system, &mut *by_name("euler").unwrap().build(1, true), &[0.0], 0.4, &options);
    assert_eq!((outcome.statistics.steps, outcome.status), (4_000_000, Status::Ok));
    assert_eq!(outcome.statistics.h_max, 1e-7);

    let start = Start { t: 1e6, y: &[0.0], held: &[], ..Start::default() };
    let options = Options { step: Some(1e-12), ..Options::default() };
    let mut method = by_name("euler").unwrap().build(1, true);
    let outcome = solve(&mut system, &mut *method, &start, 2e6, &options, &mut Table::default()).unwrap();
    assert!(matches!(outcome.reason, Some(Reason::StepTooSmall { .. })));
}

#[test]
fn an_empty_interval_gives_one_row() {
    let (outcome, table) =
        run(&mut circle(), &mut *by_name("dp5").unwrap().build(2, false), &[1.0, 0.0], 0.0, &Options::default());
    assert_eq!((outcome.status, table.t.len()), (Status::Ok, 1));
}

#[test]
fn bad_requests_are_refused() {
    let refuse = |t_end: f64, options: &Options| {
        let mut method = by_name("dp5").unwrap().build(2, false);
        let start = Start { t: 0.0, y: &[1.0, 0.0], held: &[], ..Start::default() };
        solve(&mut circle(), &mut *method, &start, t_end, options, &mut Table::default()).unwrap_err()
    };
    let good = Options::default();
    assert_eq!(refuse(-1.0, &good), UsageError::EndBeforeStart { t_start: 0.0, t_end: -1.0 });
    assert!(matches!(refuse(f64::NAN, &good), UsageError::NotFinite { what: "end time", .. }));
    assert!(matches!(refuse(1.0, &tolerances(-1.0, 1.0)), UsageError::BadTolerance { .. }));
    assert!(matches!(refuse(1.0, &tolerances(0.0, 0.0)), UsageError::BadTolerance { .. }));
    assert!(matches!(refuse(1.0, &Options { step: Some(0.0), ..good.clone() }), UsageError::BadStep { .. }));
    assert!(matches!(refuse(1.0, &Options { rows: Rows::At(vec![2.0]), ..good.clone() }), UsageError::BadRow { .. }));
    let each = AbsoluteTolerance::Each(vec![1.0]);
    assert!(matches!(refuse(1.0, &Options { atol: each, ..good }), UsageError::WrongLength { .. }));
}

/// y′ = y², y(0) = 1 has a pole at 1; y′ = −1/(2y) ends at 1 with a vertical tangent.
#[test]
fn singularities_are_found_and_located() {
    for name in ["bs23", "dp5", "fehlberg", "dp8", "rk4"] {
        let mut method = by_name(name).unwrap().build(1, false);
        let mut square = Ode::new(1, |_, y, dy| dy[0] = y[0] * y[0]);
        let (outcome, table) = run(&mut square, &mut *method, &[1.0], 2.0, &Options::default());
        match outcome.reason {
            Some(Reason::Singularity { t, pole, component: 0, .. }) => {
                assert!((pole - 1.0).abs() < 1e-4 && t < pole, "{name}: {pole}");
            }
            reason => panic!("{name}: {reason:?}"),
        }
        assert_eq!(outcome.status, Status::Stopped);
        assert_eq!(table.t.last(), Some(&outcome.t_reached));
        assert!(table.y.iter().all(|y| y[0].is_finite()));

        let mut root = Ode::new(1, |_, y, dy| dy[0] = -0.5 / y[0]);
        let (outcome, _) = run(&mut root, &mut *method, &[1.0], 2.0, &Options::default());
        let reason = outcome.reason.unwrap();
        assert!(matches!(reason, Reason::Singularity { .. }), "{name}: {reason:?}");
        assert!((outcome.t_reached - 1.0).abs() < 1e-4, "{name}: {}", outcome.t_reached);
    }
}

/// y′ = √(1−t) ends at 1; 1/t cannot begin at 0; e^t overflows.
#[test]
fn the_end_of_the_domain_is_found() {
    for name in ["euler", "bs23", "dp5", "fehlberg", "dp8"] {
        let mut method = by_name(name).unwrap().build(1, false);
        let options = tolerances(1e-4, 1e-7);
        let mut root = Ode::new(1, |t, _, dy| dy[0] = (1.0 - t).sqrt());
        let (outcome, _) = run(&mut root, &mut *method, &[0.0], 2.0, &options);
        assert!(matches!(outcome.reason, Some(Reason::NotFinite { at_start: false, .. })), "{:?}", outcome.reason);
        assert!((outcome.t_reached - 1.0).abs() < 1e-6, "{name}: {}", outcome.t_reached);
        assert!((outcome.y[0] - 2.0 / 3.0).abs() < 5e-3, "{name}: {}", outcome.y[0]);

        let mut pole = Ode::new(1, |t, _, dy| dy[0] = 1.0 / t);
        let (outcome, _) = run(&mut pole, &mut *method, &[0.0], 2.0, &options);
        assert_eq!(outcome.reason, Some(Reason::NotFinite { t: 0.0, component: 0, at_start: true }), "{name}");
    }
    let mut growth = Ode::new(1, |_, y, dy| dy[0] = y[0]);
    let mut method = by_name("dp8").unwrap().build(1, false);
    let (outcome, _) = run(&mut growth, &mut *method, &[1.0], 1000.0, &Options::default());
    assert!(matches!(outcome.reason, Some(Reason::NotFinite { .. })));
    // Sums within a step overflow a little earlier than the solution at 709.78.
    assert!(outcome.t_reached > 700.0 && outcome.t_reached < 709.79);
}

/// y′ = −10⁶ (y − cos t): stability limits the steps of an explicit method, which is said; limits end a run.
#[test]
fn stiffness_is_noticed_and_limits_hold() {
    for name in ["dp5", "dp8"] {
        let mut method = by_name(name).unwrap().build(1, false);
        let mut system = Ode::new(1, |t: f64, y, dy| dy[0] = -1e6 * (y[0] - t.cos()));
        let options = Options { max_steps: 20_000, ..Options::default() };
        let (outcome, table) = run(&mut system, &mut *method, &[0.0], 10.0, &options);
        assert!(outcome.stiff, "{name}");
        assert!(matches!(outcome.reason, Some(Reason::MaxSteps { limit: 20_000, .. })));
        assert!(!table.t.is_empty());
        let (outcome, _) = run(
            &mut kepler(),
            &mut *by_name(name).unwrap().build(4, false),
            &kepler_start(0.5),
            500.0,
            &Options::default(),
        );
        assert!(!outcome.stiff, "{name}: the Kepler problem is not stiff");
    }
}

/// One bad component among 20 000 good ones has the same steps as alone.
#[test]
fn a_component_is_not_swamped_by_many_others() {
    let n = 20_000;
    let mut many = Ode::new(n, |t: f64, _, dy| {
        dy.fill(0.0);
        dy[7] = (10.0 * t).cos();
    });
    let mut alone = Ode::new(1, |t: f64, _, dy| dy[0] = (10.0 * t).cos());
    for name in ["dp5", "dp8", "rk4"] {
        let choice = by_name(name).unwrap();
        let (big, _) = run(&mut many, &mut *choice.build(n, false), &vec![0.0; n], 3.0, &tolerances(1e-6, 1e-6));
        let (small, _) = run(&mut alone, &mut *choice.build(1, false), &[0.0], 3.0, &tolerances(1e-6, 1e-6));
        assert_eq!(big.statistics.steps, small.statistics.steps, "{name}");
        assert_eq!(big.y[7], small.y[0], "{name}");
    }
}

/// The same problem in other units takes the same steps: time in units of 10^±12, states in units of 10^±200.
#[test]
fn units_do_not_matter() {
    for name in ["bs23", "dp5", "dp8", "rk4"] {
        let steps = |time: f64, size: f64| {
            let mut system = Ode::new(2, move |_, y: &[f64], dy: &mut [f64]| {
                dy[0] = y[1] / time;
                dy[1] = -y[0] / time;
            });
            let mut method = by_name(name).unwrap().build(2, false);
            let options = tolerances(1e-6, 1e-9 * size);
            let (outcome, _) = run(&mut system, &mut *method, &[size, 0.0], 10.0 * time, &options);
            assert_eq!(outcome.status, Status::Ok, "{name} {time:e} {size:e} {:?}", outcome.reason);
            assert!((outcome.y[0] / size - 10f64.cos()).abs() < 1e-3, "{name} {time:e} {size:e}");
            outcome.statistics.steps as i64
        };
        let usual = steps(1.0, 1.0);
        for (time, size) in [(1e-12, 1.0), (1e12, 1.0), (1.0, 1e200), (1.0, 1e-200), (1e12, 1e-200), (1e-200, 1e12)] {
            assert!((steps(time, size) - usual).abs() <= 1, "{name} {time:e} {size:e}");
        }
    }
}

/// Nothing at the start tells a time scale: y = 0, f = 0.
#[test]
fn starts_from_rest_are_mastered() {
    for name in ["dp5", "dp8"] {
        let mut system = Ode::new(2, |t: f64, y, dy| {
            dy[0] = y[1];
            dy[1] = t - y[0];
        });
        let (outcome, _) =
            run(&mut system, &mut *by_name(name).unwrap().build(2, false), &[0.0, 0.0], 10.0, &tolerances(1e-8, 1e-10));
        assert!((outcome.y[0] - (10.0 - 10f64.sin())).abs() < 1e-6, "{name}");
        let mut still = Ode::new(1, |_, _, dy| dy[0] = 0.0);
        let (outcome, _) =
            run(&mut still, &mut *by_name(name).unwrap().build(1, false), &[0.0], 10.0, &tolerances(1e-8, 0.0));
        assert_eq!((outcome.status, outcome.y[0]), (Status::Ok, 0.0), "{name}");
    }
}

struct Impatient {
    rows: usize,
    asked: usize,
}

impl Sink for Impatient {
    fn row(&mut self, _t: f64, _y: &[f64], _d: &[f64], _sliding: Option<&Mixture>) -> ControlFlow<Interrupt> {
        self.rows += 1;
        ControlFlow::Continue(())
    }

    fn progress(&mut self, _t: f64) -> ControlFlow<Interrupt> {
        self.asked += 1;
        if self.asked == 5 { ControlFlow::Break(Interrupt) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn a_run_can_be_interrupted_and_keeps_its_rows() {
    let mut sink = Impatient { rows: 0, asked: 0 };
    let start = Start { t: 0.0, y: &kepler_start(0.5), held: &[], ..Start::default() };
    let mut method = by_name("dp5").unwrap().build(4, false);
    let outcome = solve(
        &mut kepler(),
        &mut *method,
        &start,
        1e6,
        &Options { rows: Rows::Steps, ..Options::default() },
        &mut sink,
    )
    .unwrap();
    assert_eq!(outcome.status, Status::Interrupted);
    assert!(outcome.t_reached > 0.0 && sink.rows as u64 == outcome.statistics.steps + 1);
}

/// 1/(1 − t) up to t = 1 itself: there is no answer, though a step may happen to end there. Well before it there is.
#[test]
fn a_pole_at_the_end_is_no_solution() {
    for name in ["bs23", "dp5", "dp8"] {
        for rtol in [1e-4, 1e-6, 1e-8] {
            let mut system = Ode::new(1, |_, y, dy| dy[0] = y[0] * y[0]);
            let mut solve_to = |t_end: f64| {
                let mut method = by_name(name).unwrap().build(1, false);
                run(&mut system, &mut *method, &[1.0], t_end, &tolerances(rtol, 1e-9)).0
            };
            let outcome = solve_to(1.0);
            assert!(matches!(outcome.reason, Some(Reason::Singularity { .. })), "{name} {rtol}: {:?}", outcome.reason);
            let outcome = solve_to(0.99);
            assert_eq!(outcome.status, Status::Ok, "{name} {rtol}");
            assert!((outcome.y[0] / 100.0 - 1.0).abs() < 1e3 * rtol, "{name} {rtol}: {}", outcome.y[0]);
        }
    }
}

/// The Arenstorf orbit (Hairer, Nørsett, Wanner I, II.0) ends where it began, close to the moon: short steps, and
/// components that pass through zero fast. That is an end like any other, not a pole.
#[test]
fn a_close_approach_at_the_end_is_no_pole() {
    let mu = 0.012277471;
    let force = |_: f64, y: &[f64], dy: &mut [f64]| {
        let d1 = ((y[0] + mu).powi(2) + y[1] * y[1]).powf(-1.5);
        let d2 = ((y[0] - 1.0 + mu).powi(2) + y[1] * y[1]).powf(-1.5);
        dy[0] = y[2];
        dy[1] = y[3];
        dy[2] = y[0] + 2.0 * y[3] - (1.0 - mu) * (y[0] + mu) * d1 - mu * (y[0] - 1.0 + mu) * d2;
        dy[3] = y[1] - 2.0 * y[2] - (1.0 - mu) * y[1] * d1 - mu * y[1] * d2;
    };
    let start = [0.994, 0.0, 0.0, -2.001_585_106_379_082_5];
    for tolerance in [1e-6, 1e-9, 1e-12, 1e-14] {
        let mut system = Ode::new(4, force);
        let mut method = by_name("dp8").unwrap().build(4, false);
        let outcome =
            run(&mut system, &mut *method, &start, 17.065_216_560_157_964, &tolerances(tolerance, tolerance)).0;
        assert_eq!(outcome.status, Status::Ok, "{tolerance}: {:?}", outcome.reason);
    }
}
