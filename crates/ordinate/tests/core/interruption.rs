//! A wish to end is heard by whatever takes long.

use ordinate::{
    BatchOptions, CompileOptions, Compiled, Discard, EquilibriaError, EquilibriaOptions, ErrorWish, Memory,
    PeriodicError, PeriodicOptions, RowTimes, RunOptions, Source, Status, StopFlag, Trajectory, batch, compile,
    equilibria, periodic, simulate,
};
use std::time::{Duration, Instant};

/// Far more than the tenth of a second that is promised, for machines that do other things, too; far less than what is ended.
const SOON: Duration = Duration::from_secs(3);

fn model(text: &str) -> (Compiled, StopFlag) {
    let stop = StopFlag::new();
    let options = CompileOptions { stop: stop.clone(), ..CompileOptions::default() };
    (compile(&Source::text(text), &options).expect("a model without mistakes"), stop)
}

/// Raises the flag after a while; returns what the work says and how long it took after that.
fn interrupted<T>(stop: &StopFlag, after: f64, work: impl FnOnce() -> T) -> (T, Duration) {
    std::thread::scope(|scope| {
        let waker = scope.spawn(|| {
            std::thread::sleep(Duration::from_secs_f64(after));
            stop.raise();
            Instant::now()
        });
        let result = work();
        let end = Instant::now();
        (result, end.saturating_duration_since(waker.join().expect("it only sleeps")))
    })
}

fn assert_ends(what: &str, text: &str, options: &RunOptions) {
    let (compiled, stop) = model(text);
    let mut rows = Memory::default();
    let (run, took) = interrupted(&stop, 0.3, || simulate(&compiled, options, &mut rows).expect("a run"));
    assert_eq!(run.outcome.status, Status::Interrupted, "{what}: {:?}", run.reason);
    assert!(took < SOON, "{what}: {took:?}");
}

/// 100 masses on rods whose start speeds stretch them: the search for consistent values takes more than a minute.
fn contradictory_chain() -> String {
    let mut text = String::new();
    for k in 1..=100 {
        let (x, y) = if k == 1 {
            ("x1".into(), "y1".into())
        } else {
            (format!("(x{k} - x{})", k - 1), format!("(y{k} - y{})", k - 1))
        };
        let (lx, ly) = match k {
            100 => (String::new(), String::new()),
            _ => (format!(" + l{}*(x{} - x{k})", k + 1, k + 1), format!(" + l{}*(y{} - y{k})", k + 1, k + 1)),
        };
        text += &format!("x{k}'' = -l{k}*{x}{lx}\ny{k}'' = -l{k}*{y}{ly} - 9.81\n{x}^2 + {y}^2 = 1\n");
        text += &format!("init x{k} = {k}, x{k}' = {k}, y{k} = 0, y{k}' = 0\nguess l{k} = 0\n");
    }
    text + "run 0 .. 1\n"
}

#[test]
fn the_search_for_start_values_hears_it() {
    assert_ends("start", &contradictory_chain(), &RunOptions::default());
}

/// Runs by methods of all kinds, beyond doubles, and one whose single step has many rows.
#[test]
fn every_run_hears_it() {
    let plain = RunOptions { error: ErrorWish::Off, ..RunOptions::default() };
    let circle = "x'' = -x - 0.001*x^3; x(0) = 1; x'(0) = 0; run 0 .. 1e9";
    for method in ["auto", "dp8", "radau", "bdf", "adams", "mtsm"] {
        let options = RunOptions { method: method.into(), max_steps: u64::MAX, ..plain.clone() };
        assert_ends(method, circle, &options);
    }
    let precise = RunOptions { precision: Some(100), max_steps: u64::MAX, ..plain.clone() };
    assert_ends("precision", circle, &precise);
    let rows = RunOptions { rows: RowTimes::Every(1e-7), ..plain.clone() };
    assert_ends("rows", "x' = 1; x(0) = 0; run 0 .. 9", &rows);
}

/// The first wish ends the solution, which still gets its estimate; the second one ends that.
#[test]
fn the_estimate_hears_the_second_wish() {
    let (compiled, stop) = model("x'' = -sin(x); x(0) = 1; x'(0) = 0; run 0 .. 1e9");
    let options = RunOptions { method: "dp5".into(), max_steps: u64::MAX, ..RunOptions::default() };
    let (run, _) = interrupted(&stop, 0.3, || simulate(&compiled, &options, &mut Discard).expect("a run"));
    let error = run.error.expect("an estimate");
    assert!(run.outcome.status == Status::Interrupted && error.until > 0.0 && !error.interrupted, "{error:?}");
}

/// Trajectories side by side end as one by one: with what they have.
#[test]
fn a_batch_hears_it() {
    let (compiled, stop) = model("x'' = -sin(x); x(0) = 1; x'(0) = 0; run 0 .. 1e9");
    let starts = (0..20).map(|k| Trajectory { model: &compiled, start: Some(vec![0.1 * f64::from(k), 0.5]) });
    let starts: Vec<Trajectory> = starts.collect();
    let options = BatchOptions { max_steps: u64::MAX, ..BatchOptions::default() };
    let (results, took) = interrupted(&stop, 0.3, || batch(&starts, &options));
    assert!(took < SOON, "{took:?}");
    for result in results {
        assert_eq!(result.expect("a trajectory that begins").outcome.status, Status::Interrupted);
    }
}

/// Searches end without a result.
#[test]
fn searches_hear_it() {
    let rows = |k: usize| {
        format!("x{k}' = x{}*x{} - x{k}^3 + 0.{k}1*sin(x{})\n", k % 60 + 1, (k + 7) % 60 + 1, (k + 3) % 60 + 1)
    };
    let starts = |k: usize| format!("init x{k} = 0.{k}\n");
    let text: String = (1..=60).map(|k| rows(k) + &starts(k)).collect::<String>() + "run 0 .. 100\n";
    let (compiled, stop) = model(&text);
    stop.raise();
    let begin = Instant::now();
    let found = equilibria(&compiled, &EquilibriaOptions::default());
    assert!(matches!(found, Err(EquilibriaError::Interrupted)), "{found:?}");
    let found = periodic(&compiled, &PeriodicOptions::default());
    assert!(matches!(found, Err(PeriodicError::Interrupted)), "{found:?}");
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
}
