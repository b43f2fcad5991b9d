//! Events of the Taylor methods are roots of polynomials: all are found, however close they are within long steps.

use ordinate::{CompileOptions, Memory, RowTimes, Run, RunOptions, Source, compile, simulate};
use ordinate_solve::Status;

const TAYLOR: [&str; 2] = ["taylor", "mtsm"];

fn run(text: &str, method: &str, t: &str) -> Run {
    let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model");
    let options = RunOptions {
        t_end: Some(t.into()),
        method: method.into(),
        rtol: 1e-10,
        atol: 1e-12,
        rows: RowTimes::At(vec![t.into()]),
        ..RunOptions::default()
    };
    simulate(&compiled, &options, &mut Memory::default()).expect("a run that begins")
}

fn end(text: &str, method: &str, t: &str, name: &str) -> f64 {
    let run = run(text, method, t);
    assert_eq!(run.outcome.status, Status::Ok, "{text} {method}: {:?}", run.reason.map(|reason| reason.message));
    run.final_value(name).expect("a column")
}

/// g is below zero for 1e-4 to 1e-7 of steps that are as long as the run, or nearly: polynomials, a pole beside the path, a
/// bell that is zero to the last bit where the step begins, and a turning point. The search of other methods does not see
/// all of them.
#[test]
fn the_narrowest_excursions_are_seen() {
    let mut missed = 0;
    for width in [1e-4f64, 1e-5, 1e-6, 1e-7] {
        let cases = [
            ("p' = 1; init p = 0", format!("(p - 3.7)^2 < {width:e}^2/4")),
            ("p' = 1; init p = 0", format!("1 - 2/(1 + ((p - 3.7)/{width:e})^2) < 0")),
            ("p' = 1; init p = 0", format!("exp(-((p - 3.7)/{width:e})^2) > 0.5")),
            ("p' = 1; init p = 0", format!("tanh(((p - 3.7)/{width:e})^2) < 0.5")),
            ("p' = 1/(1 + p); init p = 0", format!("(p - 2.1)^2 < {width:e}^2/4")),
            ("p' = p*(2 - p); init p = 0.1", format!("(p - 1.3)*(p - 1.3 - {width:e}) < 0")),
            ("p'' = -p; init p = 0, p' = 1", format!("p > 1 - {:e}", width.max(1e-5).powi(2) / 8.0)),
        ];
        for (equation, condition) in cases {
            let text = format!("{equation}; n' = 0; init n = 0; when {condition}: n = n + 1");
            let excursions = if equation.contains("p''") { 2.0 } else { 1.0 };
            for method in TAYLOR {
                assert_eq!(end(&text, method, "10", "n"), excursions, "{text} {method}");
            }
            missed += i32::from(end(&text, "dp8", "10", "n") != excursions);
        }
    }
    assert!(missed > 5, "if a search sees nearly all of them, they are no test: {missed} of 28 missed");
}

/// Every crossing of a sine is counted, whether the step or the switch has it, and whatever the level.
#[test]
fn oscillations_are_counted() {
    for method in TAYLOR {
        for (text, t, count) in [
            ("p' = 1; n' = 0; init p = 0, n = 0; when sin(100*p) > 0.3: n = n + 1", "20", 319.0),
            ("p' = 1; n' = 0; init p = 0, n = 0; when sin(100*p) > 0.9999999999: n = n + 1", "20", 319.0),
            ("y'' = -y; n' = 0; init y = 0, y' = 1, n = 0; when y > 0.5: n = n + 1", "2000", 319.0),
            ("y'' = -sin(y); n' = 0; init y = 2, y' = 0, n = 0; when y < 0: n = n + 1", "100", 12.0),
            ("p' = 7; n' = 0; init p = 0.5, n = 0; when floor(p) > floor(p - 0.25): n = n + 1", "10", 70.0),
        ] {
            assert_eq!(end(text, method, t, "n"), count, "{text} {method}");
        }
    }
}

/// A ball that keeps the part e of its speed, and a thermostat: their events are at known times.
#[test]
fn known_events_are_where_they_should_be() {
    let ball = "param g = 9.81, e = 0.8; h' = v; v' = -g; n' = 0; last' = 0; clock' = 1; \
        init h = 1, v = 0, n = 0, last = 0, clock = 0; when h < 0: v = -e*v, n = n + 1, last = clock";
    let (g, e) = (9.81f64, 0.8f64);
    let fall = (2.0 / g).sqrt();
    let bounce = |k: i32| fall * (1.0 + 2.0 * e * (1.0 - e.powi(k - 1)) / (1.0 - e));
    let room = "T' = 3*on - (T - 0)/2; on' = 0; n' = 0; last' = 0; clock' = 1; \
        init T = 1, on = 1, n = 0, last = 0, clock = 0; \
        when T < 2: on = 1, n = n + 1, last = clock; when T > 4: on = 0, n = n + 1, last = clock";
    // 6 − 5 e^(−t/2) = 4, then 4 to 2 takes 2 ln 2, and back as long
    let first = 2.0 * 2.5f64.ln();
    for method in TAYLOR {
        for k in [1, 2, 5, 20] {
            let t = format!("{:?}", bounce(k) + 0.4 * (bounce(k + 1) - bounce(k)));
            let (n, last) = (end(ball, method, &t, "n"), end(ball, method, &t, "last"));
            assert_eq!(n, f64::from(k), "{method}");
            assert!((last - bounce(k)).abs() < 1e-11, "{method}, bounce {k}: {last} not {}", bounce(k));
        }
        for k in [0, 1, 10, 51] {
            let at = first + f64::from(k) * 2.0 * 2f64.ln();
            let t = format!("{:?}", at + 0.5);
            let (n, last) = (end(room, method, &t, "n"), end(room, method, &t, "last"));
            assert_eq!(n, f64::from(k + 1), "{method}");
            assert!((last - at).abs() < 1e-9, "{method}, change {k}: {last} not {at}");
        }
    }
}

/// What only touches zero is equal to it for an instant: `>=` becomes true there, `>` does not.
#[test]
fn a_touch_is_no_crossing() {
    for method in TAYLOR {
        for (condition, count) in [("p >= 1", 2.0), ("p > 1", 0.0), ("p > 0.999999999", 2.0), ("p <= -1", 1.0)] {
            let text = format!("p'' = -p; n' = 0; init p = 0, p' = 1, n = 0; when {condition}: n = n + 1");
            assert_eq!(end(&text, method, "10", "n"), count, "{text} {method}");
        }
        let text = "q' = 1; n' = 0; init q = 0, n = 0; when (q - 1)^2*(q - 3)^2 <= 0: n = n + 1";
        assert_eq!(end(text, method, "4", "n"), 2.0, "{text} {method}");
    }
}

/// Long steps do not need a limit for the sake of events, and cost few of them.
#[test]
fn steps_are_as_long_as_without_events() {
    for method in TAYLOR {
        let plain = run("p' = p*(2 - p); init p = 0.1", method, "10").outcome.statistics.steps;
        let watched = run("p' = p*(2 - p); init p = 0.1; n' = 0; init n = 0; when p > 3: n = 1", method, "10");
        assert!(watched.outcome.statistics.steps <= plain, "{method}: {plain} {}", watched.outcome.statistics.steps);
    }
}

/// What the refusal of an assigned input of time advises: x(2) = 1 − cos 1 + 5 where the event comes at 1, 1 − cos 2 without.
#[test]
fn an_input_of_time_gives_way_to_a_held_value() {
    for method in TAYLOR {
        for (at, x) in [("1", 6.0 - 1f64.cos()), ("10", 1.0 - 2f64.cos())] {
            let text = format!(
                "x' = v; x(0) = 0; input u = sin(t); init held = 0, chosen = 0; when t > {at}: held = 5, chosen = 1\n\
                 v = if chosen > 0.5 then held else u"
            );
            let found = end(&text, method, "2", "x");
            assert!((found - x).abs() < 1e-8, "{text} {method}: {found}");
        }
    }
}
