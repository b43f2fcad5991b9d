//! Rows beside a jump: an error of the time at which a solution jumps is one of the size of the jump there, also where two runs that
//! jump too early, or too late, agree.

use crate::support::ordinate;

/// The estimate of a run with one row, and the value there.
fn estimate(model: &str, t: f64, method: &str, rtol: &str, variable: &str) -> (f64, f64) {
    let (at, atol) = (format!("{t:?}"), format!("{:e}", rtol.parse::<f64>().expect("a tolerance") * 1e-3));
    let end = format!("{:?}", 1.01 * t);
    let args = ["run", "-e", model, "-t", &end, "-m", method, "--rtol", rtol, "--atol", &atol, "--at", &at];
    let rows = ordinate(&[&args[..], &["-q", "-o", "-"]].concat()).expect(0);
    let value = rows.out.lines().last().and_then(|line| line.split(',').nth(1)).expect("a row").parse();
    let summary = ordinate(&[&args[..], &["-q", "--summary", "json"]].concat()).expect(0).json();
    let told = summary["global_error"]["by_variable"][variable].as_f64();
    (told.unwrap_or(f64::INFINITY), value.expect("a number"))
}

/// The worst case of true errors and estimates: none may be below a tenth.
fn assert_told(cases: impl Iterator<Item = (String, f64, f64)>) {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (case, estimate, error) in cases {
        count += usize::from(error > 0.1);
        if estimate < 0.1 * error {
            wrong.push(format!("{case}: {estimate:e}, but the error is {error:e}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 3, "only {count} of the rows were on the wrong side of the jump");
}

/// The flame y′ = y² − y³ from δ reaches y at the time that 1/y + ln(1/y − 1) falls by then.
#[test]
fn an_ignition_at_another_time_is_told() {
    let level = |y: f64| 1.0 / y + (1.0 / y - 1.0).ln();
    let cases = [1e-6, 1e-4].into_iter().flat_map(move |small| {
        let model = format!("y' = y^2 - y^3; y(0) = {small:?}");
        [0.02, 0.3, 0.9, 0.99].into_iter().flat_map(move |y| {
            let (t, model) = (level(small) - level(y), model.clone());
            [("bdf", "1e-3"), ("bdf", "1e-4"), ("bdf", "1e-5"), ("radau", "1e-3"), ("radau", "1e-5"), ("auto", "1e-3")]
                .into_iter()
                .map(move |(method, rtol)| {
                    let (told, found) = estimate(&model, t, method, rtol, "y");
                    (format!("{method} at {rtol}, y = {y} from {small:e}"), told, (found - y).abs())
                })
        })
    });
    assert_told(cases);
}

/// A sawtooth x′ = 1 + x/10 that begins again at 1: every 10 ln 1.1.
#[test]
fn an_event_at_another_time_is_told() {
    let model = "x' = 1 + 0.1*x; when x > 1: x = 0; x(0) = 0";
    let cases =
        [("bdf", "1e-3"), ("bdf", "1e-5"), ("radau", "1e-3"), ("dp5", "1e-3"), ("dp8", "1e-3"), ("bs23", "1e-4")]
            .into_iter()
            .flat_map(move |(method, rtol)| {
                [(40.0, 1e-8), (70.0, -1e-8), (70.0, 1e-6), (100.0, -1e-6), (100.0, 1e-5)].into_iter().map(
                    move |(events, beside)| {
                        let t: f64 = events * 10.0 * 1.1f64.ln() + beside;
                        let since = if beside < 0.0 { beside + 10.0 * 1.1f64.ln() } else { beside };
                        let (told, found) = estimate(model, t, method, rtol, "x");
                        let error = (found - 10.0 * (0.1 * since).exp_m1()).abs();
                        (format!("{method} at {rtol}, {beside:e} beside event {events}"), told, error)
                    },
                )
            });
    assert_told(cases);
}

/// Far from jumps two runs say it all: nothing is lost because something jumps elsewhere.
#[test]
fn rows_far_from_jumps_keep_their_digits() {
    let model = "x' = 1 + 0.1*x; when x > 1: x = 0; x(0) = 0";
    for (method, rtol) in [("bdf", "1e-4"), ("radau", "1e-4"), ("dp5", "1e-4")] {
        let (told, _) = estimate(model, 50.5 * 10.0 * 1.1f64.ln(), method, rtol, "x");
        assert!(told < 0.1, "{method}: {told:e}");
        // rows on both sides of events are where the run has its events
        let args = ["run", "-e", model, "-t", "50", "-m", method, "--rtol", rtol, "--summary", "json", "-q"];
        let summary = ordinate(&args).expect(0).json();
        let told = summary["global_error"]["estimate"].as_f64().expect("a number");
        assert!(told < 0.1, "{method}: {told:e}");
    }
    let (told, _) = estimate("y' = y^2 - y^3; y(0) = 1e-4", 15000.0, "radau", "1e-5", "y");
    assert!(told < 1e-4, "{told:e}");
}

/// z of index 3 is as wrong as the step that it is in, and changes sides from step to step: a run and another one agree about it at
/// single rows, but not a third one.
#[test]
fn variables_of_higher_index_are_not_right_by_chance() {
    for (rtol, method) in [("1e-5", "radau5"), ("1e-3", "radau5"), ("1e-5", "radau")] {
        for k in 1..=30 {
            let t = 0.1 * f64::from(k);
            let (at, model) = (format!("{t:?}"), "x' = y; y' = z; x = sin(2*t)");
            let args = ["run", "-e", model, "-t", &at, "--at", &at, "-m", method, "--index", "direct"];
            let more = ["--rtol", rtol, "--atol", rtol, "-q", "--summary", "json"];
            let run = ordinate(&[&args[..], &more].concat()).expect(0).json();
            let error = (run["final"]["z"].as_f64().expect("a number") + 4.0 * (2.0 * t).sin()).abs();
            let told = run["global_error"]["by_variable"]["z"].as_f64().expect("an estimate");
            assert!(told > 0.05 * error, "{method} at {rtol}, t = {t}: {told:e}, but the error is {error:e}");
        }
    }
}
