//! Events are found, located, ordered and survived.

use ordinate_solve::{Options, Outcome, Reason, Rows, Status, System, Zeno, by_name};

use crate::problems::hybrid::{Hybrid, ball, friction};
use crate::problems::{Table, run_held};

const METHODS: [&str; 5] = ["bs23", "dp5", "fehlberg", "dp8", "rk4"];

fn solve_with(
    name: &str,
    system: &mut dyn System,
    y: &[f64],
    held: &[f64],
    t_end: f64,
    rows: Rows,
) -> (Outcome, Table) {
    let options = Options { rtol: 1e-10, rows, ..Options::default() };
    let mut method = by_name(name).unwrap().build(y.len(), false);
    run_held(system, &mut *method, y, held, t_end, &options)
}

fn dp8(system: &mut dyn System, y: &[f64], t_end: f64, rows: Rows) -> (Outcome, Table) {
    solve_with("dp8", system, y, &[], t_end, rows)
}

/// Times that occur twice.
fn doubled(table: &Table) -> Vec<f64> {
    table.t.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect()
}

/// Dropped from height 1, the impacts come at √(2/g) (1 + 2e + 2e² + …).
#[test]
fn a_ball_bounces_at_the_known_times() {
    for name in METHODS {
        let (outcome, table) = solve_with(name, &mut ball(0.0, 0.8), &[1.0, 0.0], &[], 3.0, Rows::Even(301));
        assert_eq!(outcome.status, Status::Ok, "{name}: {:?}", outcome.reason);
        let mut impact = (2.0f64 / 9.81).sqrt();
        let mut flight = 2.0 * impact;
        let found = doubled(&table);
        for (count, t) in found.iter().enumerate() {
            assert!((t - impact).abs() < 1e-10, "{name}, impact {count}: {t} {impact}");
            flight *= 0.8;
            impact += flight;
        }
        assert_eq!(found.len(), 6, "{name}");
        assert!(table.y.iter().all(|y| y[0] > -1e-12), "{name}: fell through the floor");
        // Before and after: the speed turns.
        let first = table.t.windows(2).position(|pair| pair[0] == pair[1]).unwrap();
        assert!((table.y[first + 1][1] + 0.8 * table.y[first][1]).abs() < 1e-14);
        assert_eq!(table.t.len(), 301 + 12);
    }
}

/// The impacts accumulate at √(2/g) (1 + e)/(1 − e); the floor need not be at zero, where doubles are finest.
#[test]
fn a_ball_coming_to_rest_is_recognised() {
    for name in METHODS {
        for (floor, e) in [(0.0, 0.8), (5.0, 0.8), (-1e6, 0.5), (0.0, 0.99)] {
            let (outcome, table) =
                solve_with(name, &mut ball(floor, e), &[floor + 1.0, 0.0], &[], 1e4, Rows::Even(100));
            let rest = (2.0f64 / 9.81).sqrt() * (1.0 + e) / (1.0 - e);
            let reason = outcome.reason.unwrap();
            assert!(
                matches!(reason, Reason::Zeno { cause: Zeno::Accumulation { switch: 0 }, .. }),
                "{name} {floor} {e}: {reason:?}"
            );
            let bound = if floor == 0.0 { 1e-5 } else { 1e-2 };
            assert!(
                (outcome.t_reached - rest).abs() < bound * rest,
                "{name} {floor} {e}: {} {rest}",
                outcome.t_reached
            );
            let lowest = table.y.iter().map(|y| y[0] - floor).fold(0.0, f64::min);
            assert!(lowest > -1e-9 * floor.abs().max(1.0), "{name} {floor}: {lowest:e}");
            assert!(outcome.statistics.steps < 50_000, "{name}: {}", outcome.statistics.steps);
        }
    }
}

#[test]
fn a_ball_on_the_floor_moving_down_bounces_at_once() {
    let (outcome, table) = dp8(&mut ball(0.0, 0.5), &[0.0, -4.0], 0.2, Rows::Even(3));
    assert_eq!(outcome.status, Status::Ok);
    assert_eq!(doubled(&table), [0.0]);
    assert!((outcome.y[0] - (2.0 * 0.2 - 0.5 * 9.81 * 0.04)).abs() < 1e-12);
}

/// g = 4t(1 − t) − level is positive for a short while in the middle of a step of length 1.
#[test]
fn two_crossings_in_one_step_are_both_found() {
    for level in [0.5, 0.9, 0.99, 0.999, 0.999999] {
        // The held value counts the crossings, upwards by 1 and downwards by 100.
        let mut system = Hybrid::new(1, |_, _, _, dy| dy[0] = 1.0)
            .held(1)
            .sign(move |t, y, _| (t - y[0]) + 4.0 * t * (1.0 - t) - level, |t, _, _| 4.0 - 8.0 * t)
            .when(|d| d[0] > 0.0, |_, _, d, _, new_d| new_d[1] = d[1] + 1.0)
            .when(|d| d[0] < 0.0, |_, _, d, _, new_d| new_d[1] = d[1] + 100.0);
        let options = Options { h_max: Some(10.0), first_step: Some(1.0), ..Options::default() };
        for name in METHODS {
            let mut method = by_name(name).unwrap().build(1, false);
            let (outcome, table) = run_held(&mut system, &mut *method, &[0.0], &[0.0], 1.0, &options);
            assert_eq!(outcome.d[1], 101.0, "{name} {level}");
            let half = 0.5 * (1.0 - level).sqrt();
            let found = doubled(&table);
            assert!((found[0] - (0.5 - half)).abs() < 1e-12 / half, "{name} {level}: {found:?}");
            assert!((found[1] - (0.5 + half)).abs() < 1e-12 / half, "{name} {level}: {found:?}");
        }
    }
}

/// (t − 1)² ≤ 0 holds at one instant only; y = 1 − cos t leaves zero without a slope.
#[test]
fn touches_are_noticed() {
    for start in [0.0, 0.013] {
        let mut system = Hybrid::new(1, |_, _, _, dy| dy[0] = 1.0)
            .held(1)
            .sign(|_, y, _| (y[0] - 1.0) * (y[0] - 1.0), |_, y, dy| 2.0 * (y[0] - 1.0) * dy[0])
            .when(|d| d[0] <= 0.0, |t, _, d, _, new_d| new_d[1] = d[1] + t);
        let (outcome, table) = solve_with("dp8", &mut system, &[start], &[0.0], 2.0, Rows::Even(11));
        assert_eq!(outcome.status, Status::Ok);
        assert!((outcome.d[1] - (1.0 - start)).abs() < 1e-4, "{}", outcome.d[1]);
        assert_eq!(doubled(&table).len(), 1);
    }
    let mut system = Hybrid::new(2, |_, y, _, dy| {
        dy[0] = y[1];
        dy[1] = 1.0 - y[0];
    })
    .held(1)
    .sign(|_, y, _| y[0], |_, _, dy| dy[0])
    .when(|d| d[0] > 0.0, |_, _, d, _, new_d| new_d[1] = d[1] + 1.0);
    let (outcome, _) = solve_with("dp8", &mut system, &[0.0, 0.0], &[0.0], 3.0, Rows::Even(11));
    assert_eq!((outcome.d[0], outcome.d[1]), (1.0, 1.0));
    assert!((outcome.y[0] - (1.0 - 3f64.cos())).abs() < 1e-8);
}

/// y′ = −sign(y) + ½ reaches 0 at t = 2 and slides there; −sign(y) + t leaves again at t = 1.
#[test]
fn sliding_motions_are_followed_and_left() {
    for name in METHODS {
        let (outcome, _) = solve_with(name, &mut friction(|_| 0.5), &[1.0], &[], 10.0, Rows::Even(11));
        assert_eq!(outcome.status, Status::Ok, "{name}: {:?}", outcome.reason);
        assert!(outcome.y[0].abs() < 1e-12, "{name}: {}", outcome.y[0]);
        assert_eq!(outcome.d[0], 0.0, "{name}");
        assert!(outcome.statistics.steps < 1000, "{name}");

        for start in [0.0, 0.25, -0.25] {
            let (outcome, table) = solve_with(name, &mut friction(|t| t), &[start], &[], 3.0, Rows::Even(301));
            assert_eq!(outcome.status, Status::Ok, "{name}: {:?}", outcome.reason);
            // After t = 1: y = (t − 1)²/2.
            for (t, y) in table.t.iter().zip(&table.y).filter(|(t, _)| **t > 0.7) {
                let exact = if *t < 1.0 { 0.0 } else { 0.5 * (t - 1.0) * (t - 1.0) };
                assert!((y[0] - exact).abs() < 1e-8, "{name} {start} at {t}: {} {exact}", y[0]);
            }
            assert_eq!(outcome.d[0], 1.0, "{name}");
        }
    }
}

/// A block on a belt sticks and slips: x″ = −x − sign(v − 1)·2 starts sticking as long as |x| < 2.
#[test]
fn a_block_on_a_belt_sticks_and_slips() {
    let mut system = Hybrid::new(2, |_, y, d, dy| {
        dy[0] = y[1];
        dy[1] = -y[0] - 2.0 * d[0];
    })
    .sign(|_, y, _| y[1] - 1.0, |_, _, dy| dy[1]);
    let (outcome, table) = dp8(&mut system, &[0.0, 1.0], 4.0, Rows::Even(401));
    assert_eq!(outcome.status, Status::Ok, "{:?}", outcome.reason);
    for (t, y) in table.t.iter().zip(&table.y) {
        // Sticking until x = 2 at t = 2, then x = 2 + sin(t − 2).
        let exact = if *t < 2.0 { *t } else { 2.0 + (t - 2.0).sin() };
        assert!((y[0] - exact).abs() < 1e-8, "at {t}: {} {exact}", y[0]);
    }
}

/// Two blocks with friction of their own come to rest one after the other, and each leaves when it is pushed enough.
#[test]
fn two_independent_sliding_surfaces_are_followed() {
    for name in METHODS {
        let mut system = Hybrid::new(2, |t, _, d, dy| {
            dy[0] = -d[0];
            dy[1] = 0.5 * t - 2.0 * d[1];
        })
        .sign(|_, y, _| y[0], |_, _, dy| dy[0])
        .sign(|_, y, _| y[1], |_, _, dy| dy[1]);
        let (outcome, table) = solve_with(name, &mut system, &[1.0, 1.0], &[], 6.0, Rows::Even(601));
        assert_eq!(outcome.status, Status::Ok, "{name}: {:?}", outcome.reason);
        // The second one rests from t²/4 − 2t + 1 = 0 on, until the push of t/2 reaches 2 at t = 4.
        let rest = 4.0 - 12f64.sqrt();
        for (t, y) in table.t.iter().zip(&table.y) {
            let second = match *t {
                t if t < rest => 1.0 - 2.0 * t + 0.25 * t * t,
                t if t < 4.0 => 0.0,
                t => 0.25 * (t - 4.0) * (t - 4.0),
            };
            assert!((y[0] - (1.0 - t).max(0.0)).abs() < 1e-8, "{name} at {t}: {}", y[0]);
            assert!((y[1] - second).abs() < 1e-8, "{name} at {t}: {} {second}", y[1]);
        }
    }
}

/// The friction of the first acts on the second: x rests from t = 1.25 on with the mean 0.2 of its sign, and then
/// y′ = 0.32 − sign(y) rests, too.
#[test]
fn a_sliding_surface_may_act_on_another_one() {
    for name in METHODS {
        let mut system = Hybrid::new(3, |t, _, d, dy| {
            dy[0] = 0.2 - d[0];
            dy[1] = 0.3 - d[1] + 0.1 * d[0] + 0.2 * (t - 3.0).max(0.0);
            dy[2] = d[1];
        })
        .sign(|_, y, _| y[0], |_, _, dy| dy[0])
        .sign(|_, y, _| y[1], |_, _, dy| dy[1]);
        let (outcome, _) = solve_with(name, &mut system, &[1.0, 1.0, 0.0], &[], 10.0, Rows::Even(11));
        assert_eq!(outcome.status, Status::Ok, "{name}: {:?}", outcome.reason);
        // y leaves where the push reaches 1: 0.32 + 0.2 (t − 3) = 1.
        let (leaves, push) = (3.0 + 0.68 / 0.2, 0.2);
        assert!(outcome.y[0].abs() < 1e-12, "{name}: {}", outcome.y[0]);
        assert!(
            (outcome.y[1] - 0.5 * push * (10.0 - leaves) * (10.0 - leaves)).abs() < 1e-7,
            "{name}: {}",
            outcome.y[1]
        );
        // y = 1 − 0.6 t until 1.25, then falls by 0.68: the integral of its sign is 0.32 or more while it rests.
        let rests = 1.25 + (1.0 - 0.6 * 1.25) / 0.68;
        let resting = 0.32 * (leaves - rests) + 0.5 * push * (leaves - 3.0) * (leaves - 3.0);
        let exact = rests + resting + (10.0 - leaves);
        assert!((outcome.y[2] - exact).abs() < 1e-7, "{name}: {} {exact}", outcome.y[2]);
    }
}

/// Two sliding surfaces that act on each other: this is said, not guessed.
#[test]
fn two_coupled_sliding_surfaces_at_once_are_named() {
    let mut system = Hybrid::new(2, |_, _, d, dy| {
        dy[0] = -d[0] - 0.3 * d[1];
        dy[1] = -d[1] + 0.3 * d[0];
    })
    .sign(|_, y, _| y[0], |_, _, dy| dy[0])
    .sign(|_, y, _| y[1], |_, _, dy| dy[1]);
    let (outcome, _) = dp8(&mut system, &[1.0, 2.0], 5.0, Rows::Even(11));
    assert!(
        matches!(outcome.reason, Some(Reason::Zeno { cause: Zeno::Chattering { .. }, .. })),
        "{:?}",
        outcome.reason
    );
}

/// While v rests under a push of 0.2, the friction is 0.2 and not that of one of the sides: in rows, at the end, and
/// in what is sampled.
#[test]
fn what_depends_on_a_sliding_switch_is_mixed() {
    let friction = |d: &[f64]| 0.5 * d[0];
    for name in METHODS {
        let mut system = Hybrid::new(1, move |_, _, d, dy| dy[0] = 0.2 - friction(d))
            .held(2)
            .sign(|_, y, _| y[0], |_, _, dy| dy[0])
            .every(0.5, move |_, _, d, _, new_d| (new_d[1], new_d[2]) = (friction(d), d[2] + 1.0));
        let (outcome, table) = solve_with(name, &mut system, &[0.3], &[0.0, 0.0], 3.0, Rows::Even(31));
        for (t, (d, sliding)) in table.t.iter().zip(table.d.iter().zip(&table.sliding)) {
            let mut force = [friction(d)];
            if let Some(mixture) = sliding {
                mixture.mix(&mut |d, force| force[0] = friction(d), &mut force);
            }
            let exact = if *t < 1.0 - 1e-9 { 0.5 } else { 0.2 };
            assert!((force[0] - exact).abs() < 1e-12, "{name} at {t}: {}", force[0]);
        }
        assert!((outcome.d[1] - 0.2).abs() < 1e-12, "{name}: {} was sampled", outcome.d[1]);
        assert_eq!(outcome.d[2], 7.0, "{name}: counting stays exact");
        let mixture = outcome.sliding.expect("it rests at the end");
        assert_eq!((mixture.parts.len(), mixture.base[0]), (1, -1.0), "{name}");
        assert!((mixture.parts[0].0 - 0.7).abs() < 1e-12, "{name}: {}", mixture.parts[0].0);
    }
}

#[test]
fn a_stop_condition_ends_the_run_well() {
    for name in METHODS {
        let mut system = Hybrid::new(1, |_, y, _, dy| dy[0] = y[0])
            .sign(|_, y, _| y[0] - 2.0, |_, _, dy| dy[0])
            .stop_when(|d| d[0] > 0.0);
        let (outcome, table) = solve_with(name, &mut system, &[1.0], &[], 5.0, Rows::Even(51));
        assert_eq!(outcome.status, Status::Ok);
        assert!(matches!(outcome.reason, Some(Reason::StopCondition { condition: 0, .. })));
        assert!((outcome.t_reached - 2f64.ln()).abs() < 1e-8, "{name}: {}", outcome.t_reached);
        assert!(outcome.y[0] >= 2.0 - 1e-15, "{name}: on the old side");
        assert_eq!(table.t.last(), Some(&outcome.t_reached));
        let (outcome, table) = solve_with(name, &mut system, &[1.0], &[], 5.0, Rows::At(vec![0.1, 3.0]));
        assert_eq!(table.t, [0.1]);
        assert!((outcome.y[0] - 2.0).abs() < 1e-8);
    }
}

/// y′ = −y + u with u = −K y sampled: y at the samples is multiplied by e^(−h) − K (1 − e^(−h)).
#[test]
fn a_sampled_controller_follows_the_discrete_solution() {
    let (period, gain) = (0.1f64, 3.0);
    let factor = (-period).exp() - gain * (1.0 - (-period).exp());
    for name in METHODS {
        let mut system = Hybrid::new(1, |_, y, d, dy| dy[0] = d[0] - y[0])
            .held(1)
            .every(period, move |_, y, _, _, new_d| new_d[0] = -gain * y[0]);
        let times: Vec<f64> = (0..=20).map(|k| f64::from(k) / 10.0).collect();
        let (outcome, table) = solve_with(name, &mut system, &[1.0], &[99.0], 2.0, Rows::At(times));
        assert_eq!(table.t.len(), 21, "{name}: samples add no rows");
        assert_eq!(table.d[0], [-gain], "the row at the start is after the first sample");
        for (k, (y, d)) in table.y.iter().zip(&table.d).enumerate() {
            assert!((y[0] - factor.powi(k as i32)).abs() < 1e-9, "{name} at sample {k}");
            assert_eq!(d[0], -gain * y[0], "{name}: rows show the value held from here on");
        }
        assert_eq!(outcome.statistics.events, 20, "{name}");
    }
}

/// y′ = mode of a table with breakpoints, hit exactly: y is piecewise linear.
#[test]
fn breakpoints_of_time_are_hit_exactly() {
    for name in METHODS {
        let mut system = Hybrid::new(1, |_, _, d, dy| dy[0] = d[0]).table(vec![0.3, 0.7, 0.7 + 1e-13, 1.1]);
        let (outcome, table) = solve_with(name, &mut system, &[0.0], &[], 2.0, Rows::Steps);
        assert!((outcome.y[0] - (1.7 + 1.3 + 1.3 + 0.9)).abs() < 1e-12, "{name}: {}", outcome.y[0]);
        for breakpoint in [0.3, 0.7, 0.7 + 1e-13, 1.1] {
            assert!(table.t.contains(&breakpoint), "{name} missed {breakpoint}");
        }
        assert!(doubled(&table).is_empty(), "switches add no rows");
    }
}

/// An event at the end of the run, at a requested row, and two at the same time.
#[test]
fn events_on_special_times() {
    let count_from = |least: f64, level: f64| {
        Hybrid::new(1, |_, _, _, dy| dy[0] = 1.0)
            .held(1)
            .sign(move |_, y, _| y[0] - level, |_, _, dy| dy[0])
            .when(move |d| d[0] >= least, |_, _, d, _, new_d| new_d[1] = d[1] + 1.0)
    };
    let count = |level: f64| count_from(1.0, level);
    for name in METHODS {
        // y ≥ 1 is true at the end, y > 1 is not yet.
        let (outcome, _) = solve_with(name, &mut count_from(0.0, 1.0), &[0.0], &[0.0], 1.0, Rows::Even(4));
        assert_eq!(outcome.d[1], 1.0, "{name}: at the end");
        let (outcome, _) = solve_with(name, &mut count(1.0), &[0.0], &[0.0], 1.0, Rows::Even(4));
        assert_eq!(outcome.d[1], 0.0, "{name}: only behind the end");
        let (_, table) = solve_with(name, &mut count(0.7), &[0.0], &[0.0], 1.0, Rows::At(vec![0.3, 0.7, 1.0]));
        assert_eq!(table.t, [0.3, 0.7, 0.7, 1.0], "{name}: at a row");
        assert_eq!((table.d[1][1], table.d[2][1]), (0.0, 1.0), "{name}");
        let (_, table) = solve_with(name, &mut count(0.65), &[0.0], &[0.0], 1.0, Rows::At(vec![0.3, 0.7]));
        assert_eq!(table.t, [0.3, 0.7], "{name}: not at a row");
    }
    // Both swap the same pair: each reads what was before.
    let mut system = Hybrid::new(3, |_, _, _, dy| dy.copy_from_slice(&[1.0, 0.0, 0.0]))
        .sign(|_, y, _| y[0] - 0.5, |_, _, dy| dy[0])
        .sign(|_, y, _| 2.0 * y[0] - 1.0, |_, _, dy| 2.0 * dy[0])
        .when(|d| d[0] > 0.0, |_, y, _, new_y, _| new_y[1] = y[2])
        .when(|d| d[1] > 0.0, |_, y, _, new_y, _| new_y[2] = y[1]);
    let (outcome, table) = dp8(&mut system, &[0.0, 3.0, 7.0], 1.0, Rows::Even(2));
    assert_eq!(outcome.y[1..], [7.0, 3.0]);
    assert_eq!(doubled(&table).len(), 1, "one pair of rows for both");
}

/// Floors, both ways: y′ = cos t counts up and down through integers.
#[test]
fn floors_are_followed_up_and_down() {
    for name in METHODS {
        let mut system = Hybrid::new(2, |t, _, d, dy| {
            dy[0] = 2.5 * t.cos();
            dy[1] = d[0];
        })
        .floor(|_, y, _| y[0], |_, _, dy| dy[0]);
        let (outcome, _) = solve_with(name, &mut system, &[0.0, 0.0], &[], std::f64::consts::TAU, Rows::Even(2));
        // The integral of ⌊2.5 sin t⌋ over a period: the areas above 1 and 2, less those below 0, −1, −2.
        let above = |level: f64| std::f64::consts::PI - 2.0 * (level / 2.5f64).asin();
        let exact = above(1.0) + above(2.0) - std::f64::consts::PI - above(1.0) - above(2.0);
        // The dense output of rk4 is one order below the method.
        let bound = if name == "rk4" { 1e-6 } else { 1e-7 };
        assert!((outcome.y[1] - exact).abs() < bound, "{name}: {} {exact}", outcome.y[1]);
        assert_eq!(outcome.status, Status::Ok);
    }
}

/// |y| is smooth on either side of zero: with its switch located, the tolerance is reached across it.
#[test]
fn switches_do_not_spoil_the_accuracy() {
    for name in ["dp5", "dp8"] {
        let mut system = Hybrid::new(2, |t, y, d, dy| {
            dy[0] = -d[0] * y[0] + t.cos() + d[0] * t.sin();
            dy[1] = d[0] * y[0];
        })
        .sign(|_, y, _| y[0], |_, _, dy| dy[0]);
        // y = sin t; ∫|sin t| over 10 half periods is 20.
        let (outcome, _) = solve_with(name, &mut system, &[0.0, 0.0], &[], 10.0 * std::f64::consts::PI, Rows::Even(2));
        assert!((outcome.y[1] - 20.0).abs() < 1e-7, "{name}: {}", outcome.y[1]);
    }
}

/// The same ball in units of 10^±12.
#[test]
fn events_do_not_depend_on_units() {
    for size in [1e-12, 1e12] {
        let mut system = Hybrid::new(2, move |_, y, _, dy| {
            dy[0] = y[1];
            dy[1] = -9.81 * size;
        })
        .sign(|_, y, _| y[0], |_, _, dy| dy[0])
        .when(|d| d[0] < 0.0, |_, y, _, new_y, _| new_y[1] = -0.8 * y[1]);
        let (_, table) = dp8(&mut system, &[size, 0.0], 2.0, Rows::Even(11));
        let impact = (2.0f64 / 9.81).sqrt();
        let found = doubled(&table);
        for (t, exact) in found.iter().zip([impact, 2.6 * impact, 3.88 * impact]) {
            assert!((t - exact).abs() < 1e-10, "{size:e}: {t} {exact}");
        }
        assert!(found.len() >= 3);
    }
}

#[test]
fn actions_that_trigger_themselves_are_stopped() {
    // Each time y passes a level, it is put back below it with a rising slope: at one instant, endlessly.
    let mut system = Hybrid::new(1, |_, _, _, dy| dy[0] = 1.0)
        .held(1)
        .sign(|_, y, d| y[0] - d[1], |_, _, dy| dy[0])
        .when(|d| d[0] > 0.0, |_, y, _, _, new_d| new_d[1] = y[0] + 1.0)
        .when(|d| d[0] < 0.0, |_, y, _, _, new_d| new_d[1] = y[0] - 1.0);
    let (outcome, _) = solve_with("dp5", &mut system, &[0.0], &[1.0], 5.0, Rows::Even(11));
    assert!(matches!(outcome.reason, Some(Reason::Zeno { cause: Zeno::Cascade { .. }, .. })), "{:?}", outcome.reason);
    assert!((outcome.t_reached - 1.0).abs() < 1e-9);
}

#[test]
fn fixed_steps_keep_their_grid_behind_an_event() {
    let options = Options { step: Some(0.1), rows: Rows::Steps, ..Options::default() };
    let mut method = by_name("rk4").unwrap().build(2, true);
    let (_, table) = run_held(&mut ball(0.0, 0.8), &mut *method, &[1.0, 0.0], &[], 1.0, &options);
    let impact = (2.0f64 / 9.81).sqrt();
    assert_eq!(table.t.len(), 13);
    assert!((table.t[5] - impact).abs() < 1e-14 && table.t[6] == table.t[5]);
    assert_eq!((table.t[7], table.t[12]), (0.5, 1.0));
}

/// An action that makes the state infinite, and one that jumps out of the domain.
#[test]
fn actions_cannot_smuggle_in_what_is_not_finite() {
    let mut system = Hybrid::new(1, |_, _, _, dy| dy[0] = 1.0)
        .sign(|_, y, _| y[0] - 0.5, |_, _, dy| dy[0])
        .when(|d| d[0] > 0.0, |_, _, _, new_y, _| new_y[0] = f64::NAN);
    let (outcome, table) = dp8(&mut system, &[0.0], 1.0, Rows::Even(11));
    assert!(matches!(outcome.reason, Some(Reason::ActionNotFinite { place: 0, .. })));
    assert!(table.y.iter().all(|y| y[0].is_finite()));
}
