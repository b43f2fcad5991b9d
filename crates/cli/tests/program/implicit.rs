//! Stiff and algebraic models, Newton's method made visible, and runs against the clock.

use crate::support::{Place, ordinate};

/// Robertson to 1e11, van der Pol with μ = 1e6, a stiff model with a jump: all on defaults.
#[test]
fn stiff_models_finish_on_defaults() {
    let robertson = "a' = -0.04*a + 1e4*b*c; b' = 0.04*a - 1e4*b*c - 3e7*b^2; c' = 3e7*b^2; init a = 1, b = 0, c = 0";
    let answer =
        ordinate(&["run", "-e", robertson, "-t", "1e11", "--atol", "1e-16", "--summary", "json", "-q"]).expect(0);
    let summary = answer.json();
    assert!(
        summary["chosen"].as_str().is_some_and(|text| text.contains("radau") && text.contains("stiff")),
        "{summary}"
    );
    // Mazzia, Magherini, Test Set for IVP Solvers, release 2.4
    let a = summary["final"]["a"].as_f64().expect("a");
    assert!((a / 2.083340149701255e-8 - 1.0).abs() < 1e-4, "{a:e}");

    let oscillator = "param mu = 1e6; x' = v; v' = mu*((1 - x^2)*v) - x; init x = 2, v = 0";
    let summary = ordinate(&["run", "-e", oscillator, "-t", "2e6", "--summary", "json", "-q"]).expect(0).json();
    assert!(summary["steps"].as_u64().expect("steps") < 5000, "{summary}");

    let jump = "y' = -1e5*(y - (if t < 0.5 then 1 else 2)); init y = 0";
    let summary = ordinate(&["run", "-e", jump, "-t", "1", "--summary", "json", "-q"]).expect(0).json();
    assert!((summary["final"]["y"].as_f64().expect("y") - 2.0).abs() < 1e-5, "{summary}");
}

/// The constraint of the pendulum and its derivative hold at every row, by methods of every kind; the energy stays.
#[test]
fn constraints_hold_at_every_row() {
    let model = "param g = 9.81; x'' = -2*lam*x; y'' = -2*lam*y + g; x^2 + y^2 = 1
        init x = 0.6, x' = 0, y = 0.8, y' = 0\noutput off = x^2 + y^2 - 1, slip = x*x' + y*y', E = (x'^2 + y'^2)/2 - g*y";
    for method in ["auto", "taylor", "dp8", "dp5", "radau", "radau5", "bdf", "adams"] {
        let place = Place::new().with("m.eq", model);
        let answer = place.run(&["run", "m.eq", "-t", "20", "-m", method, "-o", "o.csv", "-q"]);
        assert_eq!(answer.code, 0, "{method}: {}", answer.err);
        let table = place.table("o.csv");
        let column = |name: &str| table.names.iter().position(|known| known == name).expect(name);
        for row in &table.rows {
            for name in ["off", "slip"] {
                assert!(row[column(name)].abs() < 1e-5, "{method}, t = {}: {name} = {:e}", row[0], row[column(name)]);
            }
            assert!((row[column("E")] + 9.81 * 0.8).abs() < 2e-2, "{method}, t = {}: E = {}", row[0], row[column("E")]);
        }
    }
}

/// Golden `newton-x3`: backward Euler for x′ = −x³ with h = 0.01, first guess 5, |F| ≤ 0.01.
#[test]
fn newtons_iterates_can_be_seen() {
    let args = ["run", "-e", "x' = -x^3; init x = 10", "-t", "0.03", "-m", "backward-euler", "--step", "0.01"];
    let newton = ["--newton", "full", "--newton-start", "5", "--newton-tol", "0.01", "--trace", "newton", "-q"];
    let answer = ordinate(&[&args[..], &newton].concat()).expect(0);
    let numbers: Vec<Vec<f64>> = answer
        .out
        .lines()
        .filter_map(|line| line.split_whitespace().map(|word| word.parse().ok()).collect::<Option<Vec<f64>>>())
        .collect();
    // iterations of the steps, the guess included: 4, 3, 3
    assert_eq!(numbers.iter().map(|row| row[0]).collect::<Vec<_>>(), [0., 1., 2., 3., 0., 1., 2., 0., 1., 2.]);
    for (row, x) in numbers.iter().zip([5.0, 7.142857142857143, 6.831797235023041, 6.823284233045783]) {
        assert!((row[1] - x).abs() < 1e-13, "{row:?}");
    }
    let refused = ordinate(&["run", "-e", "x' = -x; init x = 1", "-t", "1", "-m", "dp5", "--trace", "newton"]);
    assert!(refused.code == 2 && refused.err.contains("implicit"), "{refused:?}");
}

/// A dry run measures; what it reports are counts and times of all samples, and the results are those of the same steps
/// without a clock.
#[test]
fn a_dry_run_measures_every_sample() {
    let place = Place::new();
    let model = "x' = v; v' = -x; init x = 1, v = 0";
    let common = ["run", "-e", model, "-t", "0.5", "-m", "radau5", "--summary", "json", "-q"];
    let real = place
        .run(&[&common[..], &["--realtime", "--dry", "--rate", "200 Hz", "--substeps", "2"]].concat())
        .expect(0)
        .json();
    assert_eq!(real["realtime"]["samples"], 100);
    assert_eq!(real["steps"], 200);
    assert_eq!(real["realtime"]["period"], 0.005);
    let times = &real["realtime"]["compute"];
    let of = |name: &str| times[name].as_f64().expect(name);
    assert!(of("mean") > 0.0 && of("worst") >= of("p999"), "{times}");
    let plain = place.run(&[&common[..], &["--step", "0.0025"]].concat()).expect(0).json();
    assert_eq!(plain["final"], real["final"]);
}

/// Against the clock a run of 0.2 s cannot be over sooner; missed deadlines are counted and have their exit code.
#[test]
fn a_run_against_the_clock_waits() {
    let begin = std::time::Instant::now();
    let args =
        ["run", "-e", "x' = -x; init x = 1", "-t", "0.2", "--realtime", "--rate", "100", "--summary", "json", "-q"];
    let answer = ordinate(&args);
    assert!(begin.elapsed().as_secs_f64() > 0.19, "it did not wait");
    let summary = answer.json();
    let missed = summary["realtime"]["missed"].as_u64().expect("a count");
    assert_eq!(answer.code, if missed > 0 { 4 } else { 0 }, "{summary}");
    assert_eq!((&summary["realtime"]["samples"], &summary["status"]), (&20.into(), &"ok".into()));
    // a million samples a second is more than any machine does
    let hopeless = [
        "run",
        "-e",
        "x' = -x; init x = 1",
        "-t",
        "0.001",
        "--realtime",
        "--rate",
        "100 MHz",
        "--on-overrun",
        "stop",
        "-q",
    ];
    let answer = ordinate(&hopeless).expect(4);
    assert!(answer.err.contains("deadline"), "{answer:?}");
}

#[test]
fn options_of_the_clock_need_it() {
    for args in [
        &["--rate", "1kHz"][..],
        &["--dry"],
        &["--fifo"],
        &["--realtime", "--rate", "fast"],
        &["--realtime", "--step", "1"],
    ] {
        let answer = ordinate(&[&["run", "-e", "x' = -x; init x = 1", "-t", "1"], args].concat());
        assert!(answer.code == 2 && answer.err.contains("--"), "{args:?}: {answer:?}");
    }
}
