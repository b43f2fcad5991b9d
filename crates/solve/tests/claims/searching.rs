//! Crossings that a coarse look at a step would miss, jumps, and switches that end to be numbers.

use std::cell::Cell;
use std::rc::Rc;

use ordinate_solve::{Options, Outcome, Reason, Rows, Status, by_name};

use crate::problems::hybrid::Hybrid;
use crate::problems::{Table, run_held};

const METHODS: [&str; 3] = ["bs23", "dp5", "dp8"];

fn run(name: &str, system: &mut Hybrid, y: &[f64], held: &[f64], t_end: f64) -> (Outcome, Table) {
    let mut method = by_name(name).unwrap().build(y.len(), false);
    let options = Options { rows: Rows::Even(11), ..Options::default() };
    run_held(system, &mut *method, y, held, t_end, &options)
}

/// Part of the time in [0, t] in which sin(ωt) > level.
fn above(t: f64, omega: f64, level: f64) -> f64 {
    let start = level.asin();
    let (turns, rest) = ((t * omega / std::f64::consts::TAU).floor(), (t * omega) % std::f64::consts::TAU);
    let length = std::f64::consts::PI - 2.0 * start;
    (turns * length + (rest - start).clamp(0.0, length)) / omega
}

/// x′ = 1 asks for no short steps, but sin(ωx) turns many times in each.
#[test]
fn oscillations_that_f_does_not_show_are_counted() {
    for name in METHODS {
        let mut wheel = Hybrid::new(1, |_, _, _, dy| dy[0] = 7.0)
            .held(1)
            .sign(|_, y, _| y[0].sin(), |_, y, dy| y[0].cos() * dy[0])
            .when(|d| d[0] > 0.0, |_, _, d, _, new_d| new_d[1] = d[1] + 1.0);
        let (outcome, _) = run(name, &mut wheel, &[0.0], &[0.0], 100.0);
        // Once at the start and each time 7t passes a multiple of 2π.
        assert_eq!(outcome.d[1], 1.0 + (700.0 / std::f64::consts::TAU).floor(), "{name}");
        for omega in [10.0, 50.0, 160.0 * std::f64::consts::PI, 1000.0] {
            for level in [0.3, 0.999] {
                let mut system = Hybrid::new(2, |_, _, d, dy| {
                    dy[0] = 1.0;
                    dy[1] = 0.5 + 0.5 * d[0];
                })
                .sign(
                    move |_, y, _| (omega * y[0]).sin() - level,
                    move |_, y, dy| omega * (omega * y[0]).cos() * dy[0],
                );
                let (outcome, _) = run(name, &mut system, &[0.0, 0.0], &[], 10.0);
                let exact = above(10.0, omega, level);
                assert!((outcome.y[1] - exact).abs() < 1e-8, "{name} {omega} {level}: {} {exact}", outcome.y[1]);
            }
        }
    }
}

/// A switch that f resolves anyway is looked at a dozen times per step and a few times more at each crossing.
#[test]
fn an_ordinary_switch_is_cheap() {
    for (name, most) in [("dp5", 20), ("dp8", 40)] {
        let count = Rc::new(Cell::new(0));
        let counter = Rc::clone(&count);
        let value = move |_: f64, y: &[f64], _: &[f64]| {
            counter.set(counter.get() + 1);
            y[0] - 0.3
        };
        let mut system = Hybrid::new(2, |_, y, _, dy| (dy[0], dy[1]) = (y[1], -y[0])).sign(value, |_, _, dy| dy[0]);
        let (outcome, _) = run(name, &mut system, &[1.0, 0.0], &[], 62.0);
        assert_eq!(outcome.statistics.events, 20, "{name}");
        let (looks, steps) = (count.get(), outcome.statistics.steps);
        assert!(looks < most * steps, "{name}: {looks} evaluations in {steps} steps");
    }
}

/// cos(8πx) is 1 with slope 0 at both ends of every step of length 1/4 and all samples in between.
#[test]
fn a_period_that_fits_the_samples_is_noticed() {
    for turns in [1.0, 2.0, 8.0, 16.0, 64.0] {
        let omega = turns * std::f64::consts::TAU;
        let mut system = Hybrid::new(2, |_, _, d, dy| {
            dy[0] = 1.0;
            dy[1] = d[0];
        })
        .sign(move |_, y, _| (omega * y[0]).cos() + 0.5, move |_, y, dy| -omega * (omega * y[0]).sin() * dy[0]);
        let mut method = by_name("dp5").unwrap().build(2, false);
        let options = Options { h_max: Some(1.0), first_step: Some(1.0), ..Options::default() };
        let (outcome, _) = run_held(&mut system, &mut *method, &[0.0, 0.0], &[], 4.0, &options);
        // Two thirds of the time above.
        assert!((outcome.y[1] - 4.0 / 3.0).abs() < 1e-9, "{turns} turns: {}", outcome.y[1]);
    }
}

/// The poles of tan and 1/x and the wrap of atan2: the other side is the one g jumps to, whatever its slope.
#[test]
fn jumps_change_the_mode() {
    type Function = fn(f64) -> f64;
    let cases: [(&str, Function, Function, f64, f64, f64); 4] = [
        ("tan x > 0", |x| x.tan(), |x| 1.0 / x.cos().powi(2), 0.0, 4.0, 4.0 - std::f64::consts::FRAC_PI_2),
        ("1/x > 1", |x| 1.0 / x - 1.0, |x| -1.0 / (x * x), -1.0, 3.0, 1.0),
        ("1/(x − 1) > 1", |x| 1.0 / (x - 1.0) - 1.0, |x| -1.0 / (x - 1.0).powi(2), 0.1, 3.0, 1.0),
        ("x − ⌊x⌋ > 1/2", |x| x - x.floor() - 0.5, |_| 1.0, 0.0, 20.0, 10.0),
    ];
    for name in METHODS {
        for (label, g, slope, start, t_end, exact) in cases {
            let mut system = Hybrid::new(2, |_, _, d, dy| {
                dy[0] = 1.0;
                dy[1] = 0.5 + 0.5 * d[0];
            })
            .sign(move |_, y, _| g(y[0]), move |_, y, _| slope(y[0]));
            let (outcome, _) = run(name, &mut system, &[start, 0.0], &[], t_end);
            assert_eq!(outcome.status, Status::Ok, "{name}, {label}: {:?}", outcome.reason);
            assert!((outcome.y[1] - exact).abs() < 1e-9, "{name}, {label}: {} {exact}", outcome.y[1]);
        }
        // |φ| with the angle φ wrapped into (−π, π]: the area of triangles.
        let mut system = Hybrid::new(2, |_, y, d, dy| {
            dy[0] = 1.0;
            dy[1] = d[0] * y[0].sin().atan2(y[0].cos());
        })
        .sign(|_, y, _| y[0].sin().atan2(y[0].cos()), |_, _, dy| dy[0]);
        let (outcome, _) = run(name, &mut system, &[0.0, 0.0], &[], 20.0);
        let pi = std::f64::consts::PI;
        let exact = 3.0 * pi * pi + 0.5 * (20.0 - 6.0 * pi) * (20.0 - 6.0 * pi);
        // Here f itself jumps inside of a step, so the tolerance of 1e-6 per step shows.
        assert!((outcome.y[1] - exact).abs() < 1e-5 * exact, "{name}: {} {exact}", outcome.y[1]);
    }
}

/// log x with x = 2 − t: what happens before t = 2 happens, then the run ends.
#[test]
fn a_switch_that_is_no_number_ends_the_run() {
    for name in METHODS {
        let system = || {
            Hybrid::new(2, |_, _, d, dy| {
                dy[0] = -1.0;
                dy[1] = 0.5 + 0.5 * d[0];
            })
            .held(1)
            .sign(|_, y, _| y[0].ln() + 5.0, |_, y, dy| dy[0] / y[0])
            .when(|d| d[0] < 0.0, |t, _, _, _, new_d| new_d[1] = t)
        };
        let (outcome, table) = run(name, &mut system(), &[2.0, 0.0], &[0.0], 3.0);
        let Some(Reason::SwitchNotFinite { t, switch: 0 }) = outcome.reason else {
            panic!("{name}: {:?}", outcome.reason);
        };
        let crossing = 2.0 - (-5f64).exp();
        assert!((t - 2.0).abs() < 1e-9 && (outcome.y[1] - crossing).abs() < 1e-9, "{name}: {t} {}", outcome.y[1]);
        assert!((outcome.d[1] - crossing).abs() < 1e-9, "{name}: the action ran at {}", outcome.d[1]);
        assert!(table.t.len() == 10 && table.t.iter().all(|t| *t < 2.0 + 1e-12), "{name}: {:?}", table.t);
        let (outcome, _) = run(name, &mut system(), &[-1.0, 0.0], &[0.0], 3.0);
        assert_eq!(outcome.reason, Some(Reason::SwitchNotFinite { t: 0.0, switch: 0 }), "{name}");
    }
}

/// (x² − 1)/(x − 1) is x + 1 but for x = 1, at the start and on a sample.
#[test]
fn a_single_undefined_point_is_passed() {
    for start in [0.0, 1.0, 0.5] {
        let mut system = Hybrid::new(2, |_, _, d, dy| {
            dy[0] = 1.0;
            dy[1] = d[0];
        })
        .sign(|_, y, _| (y[0] * y[0] - 1.0) / (y[0] - 1.0) - 2.5, |_, _, dy| dy[0]);
        let mut method = by_name("dp5").unwrap().build(2, false);
        let options = Options { h_max: Some(1.0), first_step: Some(1.0), ..Options::default() };
        let (outcome, _) = run_held(&mut system, &mut *method, &[start, 0.0], &[], 2.0, &options);
        assert_eq!(outcome.status, Status::Ok, "from {start}: {:?}", outcome.reason);
        let before = 1.5 - start;
        assert!((outcome.y[1] - (2.0 - 2.0 * before)).abs() < 1e-9, "from {start}: {}", outcome.y[1]);
    }
}

/// sqrt and powers whose argument ends at the boundary: a trial beyond it cannot be computed with the old branch.
#[test]
fn a_branch_ends_where_it_is_not_defined_any_more() {
    type Derivative = fn(f64, &[f64], &[f64], &mut [f64]);
    let cases: [(&str, Derivative, f64); 4] = [
        ("sqrt|x|", |_, y, d, dy| (dy[0], dy[1]) = (-1.0, (d[0] * y[0]).sqrt()), 4.0 / 3.0),
        ("|x|^1.5", |_, y, d, dy| (dy[0], dy[1]) = (-1.0, (d[0] * y[0]).powf(1.5)), 4.0 / 5.0),
        (
            "sqrt(max(x, 0))",
            |_, y, d, dy| (dy[0], dy[1]) = (-1.0, if d[0] > 0.0 { y[0].sqrt() } else { 0.0 }),
            2.0 / 3.0,
        ),
        // x = (1 − t/2)² until it is empty at t = 2; y = 1 − x.
        (
            "tank",
            |_, y, d, dy| {
                dy[0] = if d[0] > 0.0 { -y[0].sqrt() } else { 0.0 };
                dy[1] = -dy[0];
            },
            1.0,
        ),
    ];
    for (label, f, exact) in cases {
        for name in METHODS {
            for step in [None, Some(0.01)] {
                let mut system = Hybrid::new(2, f).sign(|_, y, _| y[0], |_, _, dy| dy[0]);
                let mut method = by_name(name).unwrap().build(2, step.is_some());
                let options = Options { step, rows: Rows::Even(11), ..Options::default() };
                let t_end = if label == "tank" { 5.0 } else { 2.0 };
                let (outcome, table) = run_held(&mut system, &mut *method, &[1.0, 0.0], &[], t_end, &options);
                assert_eq!(outcome.status, Status::Ok, "{name}, {label}, {step:?}: {:?}", outcome.reason);
                let bound = if step.is_some() { 1e-3 } else { 2e-5 };
                assert!((outcome.y[1] - exact).abs() < bound, "{name}, {label}, {step:?}: {} {exact}", outcome.y[1]);
                assert_eq!(table.t.len(), 11, "{name}, {label}");
                assert!(outcome.statistics.steps < 1000, "{name}, {label}: {}", outcome.statistics.steps);
            }
        }
    }
}

/// x″ = −x − c·sign(x′)·sqrt|x′| against the same with the square root of a smooth |x′|.
#[test]
fn root_friction_passes_its_turning_points() {
    let friction = |v: f64, smooth: f64| 0.1 * v / (v * v + smooth).powf(0.25);
    for name in METHODS {
        let mut system =
            Hybrid::new(2, |_, y, d, dy| (dy[0], dy[1]) = (y[1], -y[0] - 0.1 * d[0] * (d[0] * y[1]).sqrt()))
                .sign(|_, y, _| y[1], |_, _, dy| dy[1]);
        let (outcome, _) = run(name, &mut system, &[1.0, 0.0], &[], 10.0);
        assert_eq!(outcome.status, Status::Ok, "{name}: {:?}", outcome.reason);
        let mut smooth = Hybrid::new(2, move |_, y, _, dy| (dy[0], dy[1]) = (y[1], -y[0] - friction(y[1], 1e-14)));
        let mut method = by_name("dp8").unwrap().build(2, false);
        let options = Options { rtol: 1e-10, ..Options::default() };
        let (reference, _) = run_held(&mut smooth, &mut *method, &[1.0, 0.0], &[], 10.0, &options);
        assert!((outcome.y[0] - reference.y[0]).abs() < 1e-4, "{name}: {} {}", outcome.y[0], reference.y[0]);
    }
}
