//! Instants at which two things meet: starts and ends on a boundary, samples on a crossing.

use ordinate_solve::{Options, Outcome, Rows, Status, by_name};

use crate::problems::hybrid::Hybrid;
use crate::problems::run_held;

const METHODS: [&str; 3] = ["bs23", "dp5", "dp8"];

fn run(name: &str, system: &mut Hybrid, y: &[f64], held: &[f64], t_end: f64) -> Outcome {
    let mut method = by_name(name).unwrap().build(y.len(), false);
    let options = Options { rows: Rows::Even(11), ..Options::default() };
    run_held(system, &mut *method, y, held, t_end, &options).0
}

/// x = t is 1 when the sample at t = 1 is taken: x ≥ 1 and t ≥ 1 are true then, x > 1 and t > 1 are not.
#[test]
fn a_sample_on_a_crossing_sees_equality() {
    for name in METHODS {
        for (period, least) in [(0.5, 0.0), (0.1, 0.0), (0.2, 0.0), (0.5, 1.0), (0.1, 1.0)] {
            let mut system = Hybrid::new(1, |_, _, _, dy| dy[0] = 1.0)
                .held(1)
                .sign(|_, y, _| y[0] - 1.0, |_, _, dy| dy[0])
                .sign_of_time(1.0)
                .every(period, move |_, _, d, _, new_d| {
                    new_d[2] = d[2] + if d[0] >= least { 1.0 } else { 0.0 } + if d[1] >= least { 100.0 } else { 0.0 };
                });
            let outcome = run(name, &mut system, &[0.0], &[0.0], 2.0);
            let count = (1.0 / period).round() + 1.0 - least;
            assert_eq!(outcome.d[2], 101.0 * count, "{name}, every {period}, mode ≥ {least}");
        }
    }
}

/// The sum of sign(x − 0.3) over the samples 0, 0.1, …, 1 of x = t: 0.3 is no double, and x is there but for rounding.
#[test]
fn a_sample_misses_a_crossing_by_rounding() {
    for name in METHODS {
        let mut system = Hybrid::new(1, |_, _, _, dy| dy[0] = 1.0)
            .held(1)
            .sign(|_, y, _| y[0] - 0.3, |_, _, dy| dy[0])
            .every(0.1, |_, _, d, _, new_d| new_d[1] = d[1] + d[0]);
        assert_eq!(run(name, &mut system, &[0.0], &[0.0], 1.0).d[1], 4.0, "{name}");
    }
}

/// t > 0 and x > 0 with x = t become true right behind the start alike, and t ≥ 0 is true at the start itself.
#[test]
fn conditions_of_time_and_state_fire_alike_behind_the_start() {
    for name in METHODS {
        for (least, fired) in [(1.0, 1.0), (0.0, 0.0)] {
            let mut of_state = Hybrid::new(1, |_, _, _, dy| dy[0] = 1.0)
                .held(1)
                .sign(|_, y, _| y[0], |_, _, dy| dy[0])
                .when(move |d| d[0] >= least, |_, _, d, _, new_d| new_d[1] = d[1] + 1.0);
            assert_eq!(run(name, &mut of_state, &[0.0], &[0.0], 1.0).d[1], fired, "{name}, x ≥ {least}");
            let mut of_time = Hybrid::new(1, |_, _, _, dy| dy[0] = 1.0)
                .held(1)
                .sign_of_time(0.0)
                .when(move |d| d[0] >= least, |_, _, d, _, new_d| new_d[1] = d[1] + 1.0);
            assert_eq!(run(name, &mut of_time, &[0.0], &[0.0], 1.0).d[1], fired, "{name}, t ≥ {least}");
        }
    }
}

/// At the end t = 2 the condition t > 2 is not true yet, t ≥ 2 is.
#[test]
fn a_condition_of_time_at_the_end() {
    for (least, fired) in [(1.0, 0.0), (0.0, 1.0)] {
        let mut system = Hybrid::new(1, |_, _, _, dy| dy[0] = 1.0)
            .held(1)
            .sign_of_time(2.0)
            .when(move |d| d[0] >= least, |_, _, d, _, new_d| new_d[1] = d[1] + 1.0);
        assert_eq!(run("dp5", &mut system, &[0.0], &[0.0], 2.0).d[1], fired, "mode ≥ {least}");
    }
}

/// x′ = 1 for x > 0 and −1 otherwise, from 0: both sides lead away, and equality belongs to the second.
#[test]
fn a_start_between_two_ways_away_takes_the_branch_of_equality() {
    for name in METHODS {
        let branch = |equal: f64| move |mode: f64| if mode == 0.0 { equal } else { mode };
        for (equal, end) in [(-1.0, -2.0), (1.0, 2.0), (0.0, 0.0)] {
            let value = branch(equal);
            let mut system =
                Hybrid::new(1, move |_, _, d, dy| dy[0] = value(d[0])).sign(|_, y, _| y[0], |_, _, dy| dy[0]);
            let outcome = run(name, &mut system, &[0.0], &[], 2.0);
            assert_eq!(outcome.status, Status::Ok, "{name} {equal}: {:?}", outcome.reason);
            assert!((outcome.y[0] - end).abs() < 1e-12, "{name} {equal}: {}", outcome.y[0]);
        }
    }
}

/// x = tⁿ leaves zero so flatly that errors within the tolerance could take it back: it is positive from the start.
#[test]
fn a_flat_start_is_no_accumulation() {
    for name in METHODS {
        for power in [2, 3, 6, 9, 12] {
            let mut system = Hybrid::new(2, move |t, _, d, dy| {
                dy[0] = f64::from(power) * t.powi(power - 1);
                dy[1] = d[0];
            })
            .sign(|_, y, _| y[0], |_, _, dy| dy[0]);
            let outcome = run(name, &mut system, &[0.0, 0.0], &[], 2.0);
            assert_eq!(outcome.status, Status::Ok, "{name}, power {power}: {:?}", outcome.reason);
            assert!((outcome.y[1] - 2.0).abs() < 1e-9, "{name}, power {power}: {}", outcome.y[1]);
        }
    }
}
