//! Right-hand sides that are closures: they may fail, and they have no derivatives to offer.

use ordinate::{ErrorWish, FunctionSystem, RowTimes, RunOptions, SystemRun, simulate_system};
use ordinate_solve::{Reason, Start};

#[derive(Clone, Debug, PartialEq)]
struct SensorLost {
    at: f64,
}

type Answer = Result<(), SensorLost>;

fn options(method: &str) -> RunOptions {
    RunOptions { method: method.into(), rows: RowTimes::Even(11), ..RunOptions::default() }
}

fn run(
    f: impl FnMut(f64, &[f64], &mut [f64]) -> Answer,
    y: &[f64],
    t_end: f64,
    options: &RunOptions,
) -> (SystemRun, Option<SensorLost>) {
    let mut system = FunctionSystem::new(y.len(), f);
    let start = Start { t: 0.0, y, ..Start::default() };
    let run = simulate_system(&mut system, &start, t_end, options).expect("a run that begins");
    (run, system.take_failure())
}

fn oscillator(_: f64, y: &[f64], dy: &mut [f64]) -> Answer {
    (dy[0], dy[1]) = (y[1], -y[0]);
    Ok(())
}

/// The failure comes back as it was made, the run ends before it, and the rows up to there are kept.
#[test]
fn a_failure_ends_the_run_and_comes_back_unchanged() {
    for method in ["auto", "dp8", "rk4", "adams", "bdf", "radau"] {
        let mut calls_after = 0;
        let mut failed = false;
        let f = |t: f64, y: &[f64], dy: &mut [f64]| {
            calls_after += u32::from(failed);
            failed = t > 5.0;
            if failed { Err(SensorLost { at: t }) } else { oscillator(t, y, dy) }
        };
        let (run, failure) = run(f, &[1.0, 0.0], 10.0, &options(method));
        let reached = run.outcome.t_reached;
        assert_eq!(run.outcome.reason, Some(Reason::External { t: reached }), "{method}");
        assert!(reached <= 5.0 && failure.is_some_and(|failure| failure.at > 5.0), "{method}: {reached}");
        assert_eq!(calls_after, 0, "{method}: it is not asked again");
        assert!(run.rows.iter().all(|(t, y)| *t <= reached && (y[0] - t.cos()).abs() < 1e-4), "{method}");
        assert!(run.error.is_none(), "{method}: a system that failed is not run again");
    }
}

/// A failure at the very first evaluation, and one in the last step.
#[test]
fn a_failure_is_heard_at_both_ends() {
    let (first, failure) = run(|t, _, _| Err(SensorLost { at: t }), &[1.0], 1.0, &options("auto"));
    assert_eq!((first.outcome.reason, failure), (Some(Reason::External { t: 0.0 }), Some(SensorLost { at: 0.0 })));
    let mut count = 0;
    let f = |_: f64, _: &[f64], dy: &mut [f64]| {
        count += 1;
        dy[0] = 0.0;
        Ok(())
    };
    let silent = RunOptions { step: Some(1.0), error: ErrorWish::Off, ..options("euler") };
    run(f, &[1.0], 1.0, &silent);
    let mut left = count;
    let f = |t: f64, _: &[f64], dy: &mut [f64]| {
        left -= 1;
        dy[0] = 0.0;
        if left == 0 { Err(SensorLost { at: t }) } else { Ok(()) }
    };
    let (last, failure) = run(f, &[1.0], 1.0, &silent);
    assert!(matches!(last.outcome.reason, Some(Reason::External { .. })) && failure.is_some(), "{:?}", last.outcome);
}

/// What is not finite is no failure: the step becomes shorter, and the run goes on.
#[test]
fn a_value_that_is_not_defined_is_no_failure() {
    let f = |_: f64, y: &[f64], dy: &mut [f64]| -> Answer {
        dy[0] = if y[0] > 2.0 { f64::NAN } else { 1.0 - y[0] };
        Ok(())
    };
    let (run, failure) = run(f, &[0.0], 5.0, &options("dp5"));
    assert!(run.outcome.reason.is_none() && failure.is_none(), "{:?}", run.outcome.reason);
    assert!((run.outcome.y[0] - (1.0 - (-5.0f64).exp())).abs() < 1e-5);
}

/// Robertson's reaction, with differenced derivatives, against the reference of the test set: E. Hairer, G. Wanner, Solving Ordinary
/// Differential Equations II, IV.10; the values at t = 40 by Radau with 25 digits.
#[test]
fn stiff_systems_need_no_jacobian() {
    const END: [f64; 3] = [0.715_827_068_718_902, 9.185_534_764_557_3e-6, 0.284_163_745_746_333];
    let robertson = |_: f64, y: &[f64], dy: &mut [f64]| -> Answer {
        let [slow, back, fast] = [0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] * y[1]];
        (dy[0], dy[1], dy[2]) = (back - slow, slow - back - fast, fast);
        Ok(())
    };
    for method in ["radau", "bdf", "auto"] {
        let options = RunOptions { atol: 1e-12, ..options(method) };
        let (run, _) = run(robertson, &[1.0, 0.0, 0.0], 40.0, &options);
        assert!(run.outcome.reason.is_none(), "{method}: {:?}", run.outcome.reason);
        let error = run.error.expect("an estimate");
        for (k, end) in END.iter().enumerate() {
            let off = (run.outcome.y[k] - end).abs();
            assert!(off < 1e-4 * end, "{method} y{k}: {off:e}");
            assert!(
                off < 10.0 * error.largest[k] + 1e-9 * end,
                "{method} y{k}: {off:e}, estimated {:e}",
                error.largest[k]
            );
        }
        let steps = run.outcome.statistics.steps;
        assert!(steps < 2000, "{method}: {steps} steps");
    }
}

/// The estimate is near the error that there is, with controlled steps and with given ones.
#[test]
fn the_global_error_is_estimated() {
    for (method, step) in
        [("dp5", None), ("dp8", None), ("adams", None), ("bdf", None), ("radau", None), ("rk4", Some(0.1))]
    {
        let options = RunOptions { step, ..options(method) };
        let (run, _) = run(oscillator, &[1.0, 0.0], 20.0, &options);
        let error = run.error.expect("an estimate");
        assert!(error.complete, "{method}");
        let true_error = (run.outcome.y[0] - 20f64.cos()).abs().max((run.outcome.y[1] + 20f64.sin()).abs());
        let estimate = error.last.iter().fold(0.0, |most: f64, error| most.max(error.abs()));
        assert!(
            true_error < 5.0 * estimate && estimate < 20.0 * true_error,
            "{method}: {true_error:e}, estimated {estimate:e}"
        );
    }
}
