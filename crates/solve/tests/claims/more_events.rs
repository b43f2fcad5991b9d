//! Harder events: many of them, at odd places, and together.

use ordinate_solve::{Options, Reason, Rows, Status, UsageError, Zeno, by_name};

use crate::problems::hybrid::{Hybrid, ball, friction};
use crate::problems::{Table, adaptive_names, run_held};

fn run_with(
    name: &str,
    system: &mut Hybrid,
    y: &[f64],
    held: &[f64],
    t_end: f64,
    options: &Options,
) -> (ordinate_solve::Outcome, Table) {
    let mut method = by_name(name).unwrap().build(y.len(), false);
    run_held(system, &mut *method, y, held, t_end, options)
}

/// Numbers that look random but are the same every time.
fn scatter(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A cubic in t with zeros at random places, closer together than a step is long: each is found once, in order.
#[test]
fn random_zeros_are_all_found() {
    for seed in 0..300 {
        let mut random = scatter(seed + 1);
        let mut zeros = [random(), random(), random()];
        zeros.sort_by(f64::total_cmp);
        if zeros[1] - zeros[0] < 1e-3 || zeros[2] - zeros[1] < 1e-3 {
            continue;
        }
        let [a, b, c] = zeros;
        let g = move |t: f64| (t - a) * (t - b) * (t - c);
        let slope = move |t: f64| (t - b) * (t - c) + (t - a) * (t - c) + (t - a) * (t - b);
        for name in ["dp5", "dp8"] {
            let mut system = Hybrid::new(1, |_, _, _, dy| dy[0] = 1.0)
                .held(1)
                .sign(move |_, y, _| g(y[0]), move |_, y, _| slope(y[0]))
                .when(|d| d[0] > 0.0, |_, _, d, _, new_d| new_d[1] = d[1] + 1.0)
                .when(|d| d[0] < 0.0, |_, _, d, _, new_d| new_d[1] = d[1] + 100.0);
            let options = Options { h_max: Some(1.0), first_step: Some(1.0), ..Options::default() };
            let (outcome, table) = run_with(name, &mut system, &[0.0], &[0.0], 1.0, &options);
            assert_eq!(outcome.d[1], 102.0, "{name} seed {seed}: {zeros:?}");
            let found: Vec<f64> = table.t.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
            for (found, zero) in found.iter().zip(zeros) {
                assert!((found - zero).abs() < 1e-10, "{name} seed {seed}: {found} {zero}");
            }
        }
    }
}

/// A dip right behind the start of a step of length 1, or right before its end.
#[test]
fn dips_at_the_ends_of_a_step_are_found() {
    for [a, b] in [[1e-3, 3e-3], [0.997, 0.999], [1e-5, 2e-5]] {
        let mut system = Hybrid::new(1, |_, _, _, dy| dy[0] = 1.0)
            .held(1)
            .sign(move |_, y, _| (y[0] - a) * (y[0] - b), move |_, y, _| 2.0 * y[0] - a - b)
            .when(|d| d[0] < 0.0, |_, _, d, _, new_d| new_d[1] = d[1] + 1.0);
        let options = Options { h_max: Some(1.0), first_step: Some(1.0), ..Options::default() };
        let (outcome, _) = run_with("dp5", &mut system, &[0.0], &[0.0], 1.0, &options);
        assert_eq!(outcome.d[1], 1.0, "between {a} and {b}");
        assert_eq!(outcome.statistics.events, 2, "between {a} and {b}");
    }
}

/// Three things at t = 0.7: a crossing, a breakpoint of time and a sample. One instant, one pair of rows.
#[test]
fn a_crossing_that_misses_an_instant_by_rounding_is_there() {
    for name in ["bs23", "dp5", "dp8"] {
        let mut system = Hybrid::new(1, |_, _, _, dy| dy[0] = 1.0)
            .held(1)
            .sign(|_, y, _| 3.0 * (y[0] - 0.7), |_, _, dy| 3.0 * dy[0])
            .table(vec![0.7])
            .every(0.7, |_, _, d, _, new_d| new_d[2] = d[2] + 1.0)
            .when(|d| d[0] > 0.0, |_, _, d, _, new_d| new_d[2] = d[2] + 10.0);
        let options = Options { rows: Rows::Steps, ..Options::default() };
        let (outcome, table) = run_with(name, &mut system, &[0.0], &[0.0], 1.0, &options);
        assert_eq!(outcome.d, [1.0, 1.0, 12.0], "{name}");
        assert_eq!(table.t.iter().filter(|t| (*t - 0.7).abs() < 1e-9).count(), 2, "{name}: {:?}", table.t);
        assert_eq!(outcome.statistics.events, 1, "{name}");
    }
}

/// Samples cut the steps, but do not make them short: one step from sample to sample. Levels that are no doubles leave
/// the state a rounding error on the wrong side; it bounces once all the same.
#[test]
fn events_cost_no_more_than_they_must() {
    let mut system = Hybrid::new(1, |_, y, d, dy| dy[0] = 0.1 * (d[0] - y[0]))
        .held(1)
        .every(0.1, |_, y, _, _, new_d| new_d[0] = -y[0]);
    let options = Options { rows: Rows::At(vec![]), ..Options::default() };
    let (outcome, _) = run_with("dp8", &mut system, &[1.0], &[0.0], 10.0, &options);
    assert!(outcome.statistics.steps <= 105, "{} steps for 100 samples", outcome.statistics.steps);
    for floor in [0.1, 0.7, -1e3 / 3.0] {
        let (outcome, _) = run_with("dp8", &mut ball(floor, 0.8), &[floor + 1.0, 0.0], &[], 3.0, &options);
        assert_eq!(outcome.statistics.events, 6, "floor at {floor}");
    }
}

/// Two breakpoints 10⁻¹³ apart make one tiny step, not a dozen growing ones behind it.
#[test]
fn a_tiny_step_does_not_make_the_next_ones_small() {
    let steps = |breakpoints: Vec<f64>| {
        let mut system = Hybrid::new(1, |t, _, d, dy| dy[0] = t.cos() + d[0]).table(breakpoints);
        run_with("dp8", &mut system, &[0.0], &[], 3.0, &Options::default()).0.statistics.steps
    };
    assert!(steps(vec![0.7, 0.7 + 1e-13]) <= steps(vec![0.7]) + 2);
}

/// The floor is where doubles are coarse, and what hits it creeps away so slowly that it stays a rounding error below.
#[test]
fn creeping_away_from_a_boundary_is_no_second_crossing() {
    for k in 1..20 {
        let floor = 1e6 / (2.0 + f64::from(k));
        let mut system = Hybrid::new(2, |_, y, _, dy| (dy[0], dy[1]) = (y[1], 0.0))
            .sign(move |_, y, _| 7.0 * y[0] - 7e6 / (2.0 + f64::from(k)), |_, _, dy| 7.0 * dy[0])
            .when(|d| d[0] < 0.0, |_, _, _, new_y, _| new_y[1] = 1e-10);
        let (outcome, _) = run_with("dp5", &mut system, &[floor + 1.0, -1.0], &[], 2.0, &Options::default());
        assert_eq!(outcome.status, Status::Ok, "{floor}: {:?}", outcome.reason);
        assert_eq!((outcome.statistics.events, outcome.d[0]), (1, 1.0), "{floor}");
    }
}

/// A thermostat: heating 20 K/s below 18, off above 22, loss (T − 10)/s. The period follows from two exponentials.
#[test]
fn a_thermostat_keeps_its_period() {
    let mut system = Hybrid::new(1, |_, y, d, dy| dy[0] = 20.0 * d[2] - (y[0] - 10.0))
        .held(2)
        .sign(|_, y, _| y[0] - 18.0, |_, _, dy| dy[0])
        .sign(|_, y, _| y[0] - 22.0, |_, _, dy| dy[0])
        .when(|d| d[0] < 0.0, |_, _, d, _, new_d| (new_d[2], new_d[3]) = (1.0, d[3] + 1.0))
        .when(|d| d[1] > 0.0, |_, _, _, _, new_d| new_d[2] = 0.0);
    let period = (12.0f64 / 8.0).ln() + (12.0f64 / 8.0).ln();
    let options = Options { rtol: 1e-9, rows: Rows::At(vec![]), ..Options::default() };
    for name in ["bs23", "dp5", "dp8"] {
        let (outcome, _) = run_with(name, &mut system, &[18.0 + 1e-9], &[1.0, 0.0], 200.5 * period, &options);
        assert_eq!(outcome.status, Status::Ok, "{name}: {:?}", outcome.reason);
        assert_eq!(outcome.d[3], 200.0, "{name}");
    }
}

/// y rests at zero until the input of time begins: sign(y) is 0, then 1.
#[test]
fn a_switch_at_rest_leaves_when_something_moves_it() {
    let mut system = Hybrid::new(2, |_, _, d, dy| {
        dy[0] = d[1];
        dy[1] = d[0];
    })
    .sign(|_, y, _| y[0], |_, _, dy| dy[0])
    .table(vec![1.0]);
    let (outcome, table) = run_with("dp5", &mut system, &[0.0, 0.0], &[], 3.0, &Options::default());
    assert_eq!(outcome.status, Status::Ok);
    assert!(table.t.iter().zip(&table.d).all(|(t, d)| d[0] == if *t < 1.0 { 0.0 } else { 1.0 }));
    assert!((outcome.y[1] - 2.0).abs() < 1e-12, "the integral of sign(y) is {}", outcome.y[1]);
}

/// y = t⁶ leaves zero so flatly that no probe sees it: the mode 0 is left as soon as y is not zero any more.
#[test]
fn a_flat_start_leaves_zero() {
    let mut system = Hybrid::new(2, |t, _, d, dy| {
        dy[0] = 6.0 * t.powi(5);
        dy[1] = d[0];
    })
    .sign(|_, y, _| y[0], |_, _, dy| dy[0]);
    let (outcome, _) = run_with("dp8", &mut system, &[0.0, 0.0], &[], 2.0, &Options::default());
    assert_eq!(outcome.d[0], 1.0);
    assert!((outcome.y[1] - 2.0).abs() < 1e-2, "{}", outcome.y[1]);
}

/// y′ = −sign(y) + 2 sin t sticks while |2 sin t| < 1 and slips otherwise, both ways.
#[test]
fn sticking_and_slipping_alternate() {
    for name in ["bs23", "dp5", "dp8"] {
        let options = Options { rtol: 1e-9, ..Options::default() };
        let (outcome, table) = run_with(name, &mut friction(|t| 2.0 * t.sin()), &[0.0], &[], 7.0, &options);
        assert_eq!(outcome.status, Status::Ok, "{name}: {:?}", outcome.reason);
        let start = std::f64::consts::FRAC_PI_6;
        for (t, y) in table.t.iter().zip(&table.y) {
            let slipping = 2.0 * (start.cos() - t.cos()) - (t - start);
            // Slipping ends where y returns to zero, at t ≈ 3.0, inside the next interval of sticking or not.
            if *t > start && *t < 2.5 {
                assert!((y[0] - slipping).abs() < 1e-6, "{name} at {t}: {} {slipping}", y[0]);
            }
            if *t <= start {
                assert!(y[0].abs() < 1e-12, "{name} at {t}: {}", y[0]);
            }
        }
    }
}

/// While one switch slides, another one is crossed: 1000 small kicks of a table do not end the sliding motion.
#[test]
fn sliding_survives_other_events() {
    let breakpoints: Vec<f64> = (1..1000).map(|k| f64::from(k) * 0.01).collect();
    let mut system = Hybrid::new(2, |_, _, d, dy| {
        dy[0] = -d[0] + if d[1] % 2.0 == 0.0 { 0.5 } else { -0.5 };
        dy[1] = 1.0;
    })
    .sign(|_, y, _| y[0], |_, _, dy| dy[0])
    .table(breakpoints)
    .sign(|_, y, _| y[1] - 3.3, |_, _, dy| dy[1]);
    let (outcome, _) = run_with("dp5", &mut system, &[0.1, 0.0], &[], 10.0, &Options::default());
    assert_eq!(outcome.status, Status::Ok, "{:?}", outcome.reason);
    assert!(outcome.y[0].abs() < 1e-12);
    assert_eq!((outcome.d[0], outcome.d[2]), (0.0, 1.0));
}

/// A sample at the same instant as a crossing and the end; a period lost against t; a period of zero.
#[test]
fn odd_sampling_periods() {
    let every = |period: f64| {
        Hybrid::new(1, |_, _, _, dy| dy[0] = 1.0)
            .held(1)
            .sign(|_, y, _| y[0] - 1.0, |_, _, dy| dy[0])
            .every(period, |_, _, d, _, new_d| new_d[1] = d[1] + 1.0)
            .when(|d| d[0] >= 0.0, |_, _, d, _, new_d| new_d[1] = d[1] + 1000.0)
    };
    let (outcome, _) = run_with("dp5", &mut every(0.1), &[0.0], &[0.0], 1.0, &Options::default());
    assert_eq!(outcome.d[1], 1011.0);
    let start = ordinate_solve::Start { t: 1e6, y: &[0.0], held: &[0.0], ..Default::default() };
    let mut method = by_name("dp5").unwrap().build(1, false);
    let mut solve = |period: f64| {
        ordinate_solve::solve(&mut every(period), &mut *method, &start, 2e6, &Options::default(), &mut Table::default())
    };
    let outcome = solve(1e-12).unwrap();
    assert!(matches!(outcome.reason, Some(Reason::Zeno { cause: Zeno::Sampling { sampled: 0 }, .. })));
    assert!(matches!(solve(0.0), Err(UsageError::BadStep { what: "sampling period", .. })));
}

/// y circles around the origin in a square for ever: y₁ and y₂ cross by turns, and that is all right.
#[test]
fn switches_by_turns_are_not_zeno() {
    let mut system = Hybrid::new(2, |_, _, d, dy| {
        dy[0] = d[1];
        dy[1] = -d[0];
    })
    .sign(|_, y, _| y[0], |_, _, dy| dy[0])
    .sign(|_, y, _| y[1], |_, _, dy| dy[1]);
    let (outcome, _) = run_with("dp5", &mut system, &[1.0, 0.5], &[], 50.0, &Options::default());
    assert_eq!(outcome.status, Status::Ok, "{:?}", outcome.reason);
    assert!(outcome.statistics.events > 20);
    assert!((outcome.y[0].abs() + outcome.y[1].abs() - 1.5).abs() < 1e-9);
}

/// A spiral into the corner of two switches has infinitely many crossings in finite time.
#[test]
fn a_spiral_into_a_corner_is_zeno() {
    let mut system = Hybrid::new(2, |_, _, d, dy| {
        dy[0] = d[1] - 0.2 * d[0];
        dy[1] = -d[0] - 0.2 * d[1];
    })
    .sign(|_, y, _| y[0], |_, _, dy| dy[0])
    .sign(|_, y, _| y[1], |_, _, dy| dy[1]);
    for name in ["bs23", "dp5", "dp8"] {
        let (outcome, table) = run_with(name, &mut system, &[1.0, 0.5], &[], 50.0, &Options::default());
        assert!(matches!(outcome.reason, Some(Reason::Zeno { .. })), "{name}: {:?}", outcome.reason);
        assert!(outcome.statistics.steps < 5000, "{name}");
        assert!(outcome.y[0].abs() + outcome.y[1].abs() < 1e-6, "{name}: {:?}", outcome.y);
        assert!(table.t.len() > 10);
    }
}

/// g is zero but for rounding, then it is not: y = max(0, t − 1) without a switch of its own.
#[test]
fn the_mode_zero_is_left_where_g_leaves_zero() {
    let mut system = Hybrid::new(1, |_, _, d, dy| dy[0] = d[0])
        .sign(|t, _, _| (t - 1.0).max(0.0), |t, _, _| if t > 1.0 { 1.0 } else { 0.0 });
    let (outcome, _) =
        run_with("dp5", &mut system, &[0.0], &[], 3.0, &Options { h_max: Some(0.7), ..Options::default() });
    assert!((outcome.y[0] - 2.0).abs() < 1e-9, "{}", outcome.y[0]);
}

/// A ball that lies on the floor does not fall through it.
#[test]
fn a_ball_at_rest_on_the_floor_is_zeno() {
    let (outcome, _) = run_with("dp5", &mut ball(0.0, 0.8), &[0.0, 0.0], &[], 1.0, &Options::default());
    assert_eq!(outcome.reason, Some(Reason::Zeno { t: 0.0, cause: Zeno::Accumulation { switch: 0 } }));
}

/// A model may have nothing but sampled values.
#[test]
fn a_system_without_states_runs() {
    for name in adaptive_names() {
        let mut system = Hybrid::new(0, |_, _, _, _| {})
            .held(1)
            .every(0.25, |_, _, d, _, new_d| new_d[1] = 2.0 * d[1])
            .sign(|t, _, _| t - 0.6, |_, _, _| 1.0)
            .stop_when(|d| d[0] > 0.0);
        let (outcome, table) =
            run_with(name, &mut system, &[], &[1.0], 2.0, &Options { rows: Rows::Every(0.1), ..Options::default() });
        assert!(matches!(outcome.reason, Some(Reason::StopCondition { .. })), "{name}: {:?}", outcome.reason);
        assert_eq!(outcome.d[1], 8.0, "{name}");
        assert!((outcome.t_reached - 0.6).abs() < 1e-15, "{name}");
        assert_eq!(table.t.len(), 7, "{name}");
    }
}

/// Two hundred switches in one system: every one crosses once, at its own time.
#[test]
fn many_switches_are_no_trouble() {
    let mut system = Hybrid::new(1, |_, _, _, dy| dy[0] = 1.0).held(1);
    for k in 1..=200 {
        let level = f64::from(k) / 201.0;
        system = system
            .sign(move |_, y, _| y[0] - level, |_, _, dy| dy[0])
            .when(move |d| d[k as usize - 1] > 0.0, |_, _, d, _, new_d| new_d[200] = d[200] + 1.0);
    }
    let (outcome, _) = run_with("dp5", &mut system, &[0.0], &[0.0], 1.0, &Options::default());
    assert_eq!((outcome.d[200], outcome.statistics.events), (200.0, 200));
}
