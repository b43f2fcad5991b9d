//! Algebraic equations hold at every row, invariants stay zero, and starts that contradict them are named.

use crate::problems::constrained::*;
use crate::problems::hybrid::Hybrid;
use crate::problems::*;
use ordinate_solve::{AbsoluteTolerance, Options, Outcome, Reason, Rows, Start, Status, System, by_name, solve};

fn tolerances(rtol: f64) -> Options {
    Options { rtol, atol: AbsoluteTolerance::Same(1e-3 * rtol), ..Options::default() }
}

fn plain_pendulum() -> Constrained {
    pendulum(Hybrid::new(4, |_, y, _, dy| pendulum_motion(y, dy)))
}

fn plain_cubic() -> Constrained {
    cubic(Hybrid::new(2, |_, y, _, dy| cubic_motion(y, dy)))
}

/// A run of dp8 from a start of which only some states are given.
fn run_from(system: &mut dyn System, y: &[f64], fixed: &[bool], t_end: f64) -> (Outcome, Table) {
    let mut table = Table::default();
    let mut method = by_name("dp8").unwrap().build(y.len(), false);
    let start = Start { t: 0.0, y, held: &[], fixed: Some(fixed), ..Start::default() };
    let outcome = solve(system, &mut *method, &start, t_end, &tolerances(1e-8), &mut table).expect("usage");
    (outcome, table)
}

/// A hundred swings from the horizontal; the period is 4 K(sin²(45°)) / √g.
#[test]
fn a_pendulum_stays_on_its_circle_for_a_hundred_periods() {
    let period = 4.0 * 1.854_074_677_301_372 / GRAVITY.sqrt();
    for (name, rtol) in [("dp8", 1e-6), ("dp5", 1e-6), ("rk4", 1e-6), ("taylor", 1e-6), ("dp8", 1e-11)] {
        let options = Options { rows: Rows::Even(3001), ..tolerances(rtol) };
        let mut method = by_name(name).unwrap().build(4, false);
        let (outcome, table) =
            run(&mut plain_pendulum(), &mut *method, &[1.0, 0.0, 0.0, 0.0], 100.0 * period, &options);
        assert_eq!((outcome.status, table.t.len()), (Status::Ok, 3001), "{name}");
        let mut residual: f64 = 0.0;
        let mut energy: f64 = 0.0;
        for y in &table.y {
            residual = residual.max((y[0] * y[0] + y[1] * y[1] - 1.0).abs()).max((y[0] * y[2] + y[1] * y[3]).abs());
            energy = energy.max((0.5 * (y[2] * y[2] + y[3] * y[3]) - GRAVITY * y[1]).abs());
        }
        assert!(residual <= rtol, "{name}: {residual:e}");
        assert!(energy <= 1e4 * rtol, "{name}: {energy:e}");
    }
}

/// Without the invariants the same run drifts: what keeps it is the projection.
#[test]
fn without_its_invariants_the_pendulum_drifts() {
    let mut method = by_name("dp5").unwrap().build(4, false);
    let mut system = Ode::new(4, |_, y, dy| pendulum_motion(y, dy));
    let (outcome, _) = run(&mut system, &mut *method, &[1.0, 0.0, 0.0, 0.0], 200.0, &tolerances(1e-6));
    let residual = outcome.y[0].powi(2) + outcome.y[1].powi(2) - 1.0;
    assert!(residual.abs() > 1e-5, "{residual:e}");
}

/// The projection must not lower the order: the error falls with the tolerance as before.
#[test]
fn projected_steps_keep_their_accuracy() {
    let quarter = 1.854_074_677_301_372 / GRAVITY.sqrt();
    for name in ["dp8", "dp5", "rk4"] {
        for rtol in [1e-6, 1e-9] {
            let mut method = by_name(name).unwrap().build(4, false);
            let start = [1.0, 0.0, 0.0, 0.0];
            let (outcome, _) = run(&mut plain_pendulum(), &mut *method, &start, 3.0 * quarter, &tolerances(rtol));
            let lowest = [0.0, 1.0, (2.0 * GRAVITY).sqrt(), 0.0];
            let error = outcome.y.iter().zip(lowest).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error < 100.0 * rtol, "{name} at {rtol:e}: {error:e}");
        }
    }
}

/// A fixed step is not shortened, however far the projection goes.
#[test]
fn fixed_steps_are_projected_too() {
    let options = Options { step: Some(0.02), rows: Rows::Steps, ..tolerances(1e-8) };
    let mut method = by_name("rk4").unwrap().build(4, true);
    let (outcome, table) = run(&mut plain_pendulum(), &mut *method, &[1.0, 0.0, 0.0, 0.0], 2.0, &options);
    assert_eq!((outcome.statistics.steps, outcome.statistics.rejected), (100, 0));
    for y in &table.y {
        assert!((y[0] * y[0] + y[1] * y[1] - 1.0).abs() < 1e-8, "{y:?}");
    }
}

#[test]
fn explicit_methods_solve_equations_of_index_one() {
    for name in ["dp8", "dp5", "rk4", "taylor", "bs23"] {
        let mut method = by_name(name).unwrap().build(2, false);
        let options = tolerances(1e-7);
        // z is to be found: x = 10 belongs to z = 2.
        let (outcome, table) = run(&mut plain_cubic(), &mut *method, &[10.0, 0.0], 4.0, &options);
        assert_eq!(outcome.status, Status::Ok, "{name}");
        for (t, y) in table.t.iter().zip(&table.y) {
            assert!((y[1].powi(3) + y[1] - y[0]).abs() < 1e-6, "{name} at {t}: {y:?}");
            let kept = 1.5 * y[1] * y[1] + y[1].ln() + t - (6.0 + 2f64.ln());
            assert!(kept.abs() < 1e-5, "{name} at {t}: {kept:e}");
        }
    }
}

#[test]
fn missing_start_values_follow_from_the_given_ones_and_the_guess_chooses_the_branch() {
    for (guess, sign) in [(0.3, 1.0), (-0.3, -1.0)] {
        let given = [true, false, true, false];
        let (outcome, table) = run_from(&mut plain_pendulum(), &[0.6, guess, 0.4, 0.0], &given, 0.0);
        assert_eq!(outcome.status, Status::Ok);
        let expected = [0.6, sign * 0.8, 0.4, -sign * 0.3];
        for (found, expected) in table.y[0].iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{:?}", table.y[0]);
        }
    }
}

#[test]
fn given_values_that_agree_may_be_too_many() {
    let (outcome, table) = run_from(&mut plain_pendulum(), &[0.6, 0.8, 0.4, -0.3], &[true; 4], 1.0);
    assert_eq!((outcome.status, &table.y[0][..2]), (Status::Ok, &[0.6, 0.8][..]));
    // Within the tolerance they are moved onto the constraint.
    let (outcome, table) = run_from(&mut plain_pendulum(), &[0.6 + 2e-9, 0.8, 0.4, -0.3], &[true; 4], 0.0);
    assert_eq!(outcome.status, Status::Ok);
    assert!((table.y[0][0].powi(2) + table.y[0][1].powi(2) - 1.0).abs() < 1e-15, "{:?}", table.y[0]);
}

#[test]
fn contradictions_are_named_with_what_would_have_to_be_freed() {
    let (outcome, table) = run_from(&mut plain_pendulum(), &[0.6, 0.7, 0.0, 0.0], &[true; 4], 1.0);
    assert_eq!(outcome.status, Status::Stopped);
    assert!(matches!(outcome.reason, Some(Reason::Inconsistent { t: 0.0, equation: 4, .. })), "{:?}", outcome.reason);
    let found = outcome.inconsistency.expect("it says why");
    assert_eq!(found.violated.len(), 1);
    assert!((found.violated[0].1 + 0.15).abs() < 1e-12, "{found:?}");
    // √(1 − 0.6²) − 0.7 = 0.1 is nearer than √(1 − 0.7²) − 0.6 = 0.114 in absolute, and relative terms.
    assert_eq!(found.free, [vec![1], vec![0]]);
    assert!(table.t.len() <= 1);

    // Both constraints are violated: one state is not enough.
    let (outcome, _) = run_from(&mut plain_pendulum(), &[0.6, 0.7, 1.0, 1.0], &[true; 4], 1.0);
    let found = outcome.inconsistency.expect("it says why");
    assert_eq!(found.violated.iter().map(|v| v.0).collect::<Vec<_>>(), [5, 4]);
    assert_eq!(found.free.len(), 1);
    assert_eq!(found.free[0].len(), 2, "{found:?}");
}

/// 0 = g(z) beside x′ = 0, from a guess from which Newton's method without help fails.
fn hard(g: fn(f64) -> f64, slope: fn(f64) -> f64, guess: f64) -> (Outcome, f64) {
    let mut system = Constrained::new(Hybrid::new(2, move |_, y, _, dy| {
        dy[0] = 0.0;
        dy[1] = g(y[1]);
    }))
    .algebraic(1, move |_, y, j| j.copy_from_slice(&[0.0, 0.0, 0.0, slope(y[1])]));
    let (outcome, table) = run_from(&mut system, &[0.0, guess], &[true, false], 0.0);
    (outcome, table.y.first().map_or(f64::NAN, |y| y[1]))
}

#[test]
fn poor_guesses_are_helped() {
    type Case = (&'static str, fn(f64) -> f64, fn(f64) -> f64, f64, f64);
    let cases: [Case; 7] = [
        ("cycle", |z| z.powi(3) - 2.0 * z + 2.0, |z| 3.0 * z * z - 2.0, 0.0, -1.769_292_354_238_631_4),
        ("minimum", |z| z.powi(3) - 2.0 * z + 2.0, |z| 3.0 * z * z - 2.0, 0.82, -1.769_292_354_238_631_4),
        ("flat", f64::atan, |z| 1.0 / (1.0 + z * z), 20.0, 0.0),
        ("steep", |z| z.exp() - 1e6, f64::exp, 0.0, 1e6f64.ln()),
        ("far", |z| z.exp() - 1e6, f64::exp, -50.0, 1e6f64.ln()),
        ("domain", |z| z.ln() + 3.0, |z| 1.0 / z, 10.0, (-3f64).exp()),
        ("singular", |z| z * z - 4.0, |z| 2.0 * z, 0.0, 2.0),
    ];
    for (name, g, slope, guess, root) in cases {
        let (outcome, z) = hard(g, slope, guess);
        assert_eq!(outcome.status, Status::Ok, "{name}");
        assert!((z - root).abs() < 1e-10 * (1.0 + root.abs()), "{name}: {z}");
    }
}

#[test]
fn equations_without_solution_are_named() {
    let (outcome, _) = hard(|z| z * z + 1.0, |z| 2.0 * z, 0.5);
    assert!(
        matches!(outcome.reason, Some(Reason::Inconsistent { equation: 1, residual, .. }) if residual >= 1.0),
        "{:?}",
        outcome.reason
    );
    assert_eq!(outcome.inconsistency.expect("it says why").free, Vec::<Vec<usize>>::new());
}

/// The pendulum hits a wall at x = 0.5 and bounces with 80 % of its horizontal speed: the other component follows from the
/// constraint, the position stays.
#[test]
fn after_an_event_the_constraints_hold_again_and_what_was_assigned_stays() {
    let mut system = pendulum(
        Hybrid::new(4, |_, y, _, dy| pendulum_motion(y, dy))
            .sign(|_, y, _| y[0] - 0.5, |_, _, dy| dy[0])
            .when(|d| d[0] < 0.0, |_, y, _, new_y, _| new_y[2] = -0.8 * y[2]),
    );
    let mut method = by_name("dp8").unwrap().build(4, false);
    let (outcome, table) = run(&mut system, &mut *method, &[1.0, 0.0, 0.0, 0.0], 1.0, &tolerances(1e-8));
    assert_eq!(outcome.status, Status::Ok);
    let impact = table.t.windows(2).position(|pair| pair[0] == pair[1]).expect("two rows at the impact");
    let (before, after) = (&table.y[impact], &table.y[impact + 1]);
    assert!((before[0] - 0.5).abs() < 1e-9);
    assert!((after[2] + 0.8 * before[2]).abs() < 1e-7 && (after[3] + 0.8 * before[3]).abs() < 1e-7, "{after:?}");
    assert!((after[0] - before[0]).abs() < 1e-8 && (after[1] - before[1]).abs() < 1e-8, "{after:?}");
    for y in &table.y {
        assert!((y[0] * y[2] + y[1] * y[3]).abs() < 1e-7 && y[0] > 0.5 - 1e-6, "{y:?}");
    }
}

/// A blow along the string, which no velocity across it can make up for: the event asks the impossible, and the run says so.
#[test]
fn a_blow_against_the_constraint_ends_the_run() {
    let mut system =
        pendulum(Hybrid::new(4, |_, y, _, dy| pendulum_motion(y, dy)).sign(|_, y, _| -y[0], |_, _, dy| -dy[0]).when(
            |d| d[0] > 0.0,
            |_, y, _, new_y, _| {
                new_y[2] = y[2];
                new_y[3] = 3.0;
            },
        ));
    let mut method = by_name("dp8").unwrap().build(4, false);
    let (outcome, table) = run(&mut system, &mut *method, &[1.0, 0.0, 0.0, 0.0], 1.0, &tolerances(1e-8));
    assert!(
        matches!(outcome.reason, Some(Reason::Inconsistent { t, .. }) if t > 0.5 && t < 0.7),
        "{:?}",
        outcome.reason
    );
    let (last, _) = table.y.split_last().expect("rows");
    assert!(last[0].abs() < 1e-6 && last[1] > 0.999, "{last:?}");
}

/// z falls below 0.5 where x = 0.625; t by the first integral.
#[test]
fn switches_of_algebraic_states_are_located() {
    for name in ["dp8", "rk4", "taylor"] {
        let mut system = cubic(
            Hybrid::new(2, |_, y, _, dy| cubic_motion(y, dy))
                // z′ = −z/(3z² + 1)
                .sign(|_, y, _| y[1] - 0.5, |_, y, _| -y[1] / (3.0 * y[1] * y[1] + 1.0))
                .stop_when(|d| d[0] < 0.0),
        );
        let mut method = by_name(name).unwrap().build(2, false);
        let (outcome, _) = run(&mut system, &mut *method, &[10.0, 1.0], 20.0, &tolerances(1e-9));
        assert!(matches!(outcome.reason, Some(Reason::StopCondition { .. })), "{name}: {:?}", outcome.reason);
        let expected = 1.5 * (4.0 - 0.25) + 4f64.ln();
        assert!((outcome.t_reached - expected).abs() < 1e-7, "{name}: {}", outcome.t_reached - expected);
        assert!((outcome.y[1] - 0.5).abs() < 1e-9, "{name}: {}", outcome.y[1]);
    }
}

/// 0 = z² − x with x′ = −1: where x is zero ∂g/∂z is, too, and behind it there is no solution.
#[test]
fn where_the_equations_do_not_determine_a_state_the_run_ends_with_a_name() {
    for name in ["dp8", "rk4", "taylor"] {
        let mut system = Constrained::new(Hybrid::new(2, |_, y, _, dy| {
            dy[0] = -1.0 + 0.0 * y[1];
            dy[1] = y[1] * y[1] - y[0];
        }))
        .algebraic(1, |_, y, j| j.copy_from_slice(&[0.0, 0.0, -1.0, 2.0 * y[1]]));
        let mut method = by_name(name).unwrap().build(2, false);
        let (outcome, _) = run(&mut system, &mut *method, &[1.0, 1.0], 2.0, &tolerances(1e-6));
        assert!(
            matches!(
                outcome.reason,
                Some(Reason::NewtonFailed { component: 1, .. } | Reason::SingularJacobian { component: 1, .. })
            ),
            "{name}: {:?}",
            outcome.reason
        );
        assert!((outcome.t_reached - 1.0).abs() < 1e-4, "{name}: {}", outcome.t_reached);
    }
}

/// A chain of algebraic states: z[k] + 0.3 sin z[k] = 0.99 z[k−1] + 0.01, which begins at x.
#[test]
fn many_algebraic_states_are_found_at_once() {
    const COUNT: usize = 150;
    let mut system = Constrained::new(Hybrid::new(1 + COUNT, |_, y, _, dy| {
        dy[0] = -y[0];
        for k in 1..=COUNT {
            dy[k] = y[k] + 0.3 * y[k].sin() - 0.99 * y[k - 1] - 0.01;
        }
    }))
    .algebraic(COUNT, |_, y, j| {
        j.fill(0.0);
        j[0] = -1.0;
        for k in 1..=COUNT {
            j[k * (COUNT + 1) + k] = 1.0 + 0.3 * y[k].cos();
            j[k * (COUNT + 1) + k - 1] = -0.99;
        }
    });
    let mut start = vec![0.0; 1 + COUNT];
    start[0] = 2.0;
    let options = Options { rows: Rows::Even(5), ..tolerances(1e-6) };
    let mut method = by_name("dp5").unwrap().build(1 + COUNT, false);
    let (outcome, table) = run(&mut system, &mut *method, &start, 0.5, &options);
    assert_eq!(outcome.status, Status::Ok);
    for y in &table.y {
        for k in 1..=COUNT {
            assert!((y[k] + 0.3 * y[k].sin() - 0.99 * y[k - 1] - 0.01).abs() < 1e-8);
        }
    }
}
