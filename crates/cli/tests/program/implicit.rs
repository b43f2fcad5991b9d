//! Stiff and algebraic models, Newton's method made visible, and runs against the clock.

use crate::support::{Place, ordinate, repository};

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

/// Enright's E5 has states of 1e-10 and less: with the default atol they are noise, and the run says so. If the noise grows, that ends
/// the run, which names an atol that serves. Reference by SciPy's Radau with rtol 1e-10, atol 1e-26.
#[test]
fn states_below_their_tolerance_are_named() {
    let model = "param A = 7.89e-10, B = 1.1e7, C = 1.13e3, M = 1e6; y1' = -A*y1 - B*y1*y3; y2' = A*y1 - M*C*y2*y3
        y3' = A*y1 - B*y1*y3 - M*C*y2*y3 + C*y4; y4' = B*y1*y3 - C*y4; init y1 = 1.76e-3, y2 = 0, y3 = 0, y4 = 0";
    let exact = [("y1", 3.13178171e-14), ("y2", 1.48414788e-16), ("y3", 1.48407519e-16)];
    let mut ended = 0;
    for method in ["auto", "radau", "radau5", "radau9", "bdf"] {
        let args = ["run", "-e", model, "-t", "1e13", "-m", method, "-o", "o.csv"];
        let answer = ordinate(&args);
        if answer.code == 0 {
            assert!(answer.err.contains("less than --atol: no digit of it can be trusted"), "{method}: {answer:?}");
            let summary = ["run", "-e", model, "-t", "1e9", "-m", method, "--summary", "json"];
            let summary = ordinate(&summary).expect(0).json();
            for (name, exact) in exact {
                let error = (summary["final"][name].as_f64().unwrap() - exact).abs();
                let told = summary["global_error"]["by_variable"][name].as_f64().unwrap();
                assert!(told > 0.3 * error, "{method}: {name}: error {error:e}, told {told:e}");
            }
            continue;
        }
        ended += 1;
        assert_eq!(answer.code, 3, "{answer:?}");
        assert!(answer.err.contains("below atol 1e-9") && !answer.err.contains("singularity is near"), "{answer:?}");
        let atol = answer.err.split("`--atol ").nth(1).and_then(|rest| rest.split('`').next()).expect("a tolerance");
        ordinate(&[&args[..], &["--atol", atol]].concat()).expect(0);
        let row = ordinate(&["run", "-e", model, "-t", "1e9", "-m", method, "--at", "1e9", "--atol", atol, "-o", "-"]);
        let row = row.expect(0).table();
        for (name, exact) in exact {
            let found = row.column(name)[0];
            assert!((found / exact - 1.0).abs() < 1e-3, "{method}: {name} = {found:e} with atol {atol}");
        }
    }
    assert!(ended > 1, "{ended} runs ended early");
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
    // its error is that of the same steps without a clock
    assert!(real["global_error"]["estimate"].as_f64().is_some_and(|e| e > 0.0), "{}", real["global_error"]);
    assert_eq!(real["global_error"], plain["global_error"]);
    let rows = |more: &[&str]| {
        let words = ["run", "-e", model, "-t", "0.5", "-m", "radau5", "-q", "--error", "-o", "o.csv"];
        place.run(&[&words[..], more].concat()).expect(0);
        place.table("o.csv")
    };
    let (real, plain) = (rows(&["--realtime", "--dry", "--rate", "400"]), rows(&["--step", "0.0025"]));
    assert_eq!(real.names, ["time", "x", "v", "error(x)", "error(v)"]);
    assert_eq!(real.rows, plain.rows);
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
        "--summary",
        "json",
        "-q",
    ];
    let answer = ordinate(&hopeless).expect(4);
    assert!(answer.err.contains("deadline"), "{answer:?}");
    let summary = answer.json();
    assert_eq!((&summary["status"], &summary["reason"]), (&"ok".into(), &serde_json::Value::Null), "{summary}");
    let stopped = &summary["realtime"]["stopped"];
    assert!(stopped.as_f64().is_some_and(|t| t < 0.001) && stopped == &summary["t_reached"], "{summary}");
}

/// The file of a run against the clock says by which method and step it was made.
#[test]
fn a_run_against_the_clock_names_its_method_and_step() {
    let place = Place::new();
    let args = ["run", "-e", "x' = -x; init x = 1", "-t", "0.1", "--realtime", "--dry", "--rate", "100", "-q"];
    place.run(&[&args[..], &["--substeps", "2", "-o", "o.csv"]].concat()).expect(0);
    let text = std::fs::read_to_string(place.path("o.csv")).expect("the file");
    assert!(text.contains("method radau3 ") && text.contains("  step 0.005\n"), "{text}");
}

/// A dry run may be repeated to tell what the model costs from what the machine does meanwhile; the clock runs once.
#[test]
fn repeated_dry_runs_keep_the_shortest_time_of_each_sample() {
    let args =
        ["run", "-e", "x' = -x; init x = 1", "-t", "1", "--realtime", "--rate", "1kHz", "--summary", "json", "-q"];
    let mut once = ordinate(&[&args[..], &["--dry"]].concat()).expect(0).json();
    let mut often = ordinate(&[&args[..], &["--dry", "--repeat", "9"]].concat()).expect(0).json();
    let (once_of, often_of) = (once["realtime"].take(), often["realtime"].take());
    assert_eq!((&once_of["runs"], &often_of["runs"]), (&1.into(), &9.into()));
    assert_eq!((&once_of["samples"], &often_of["samples"]), (&1000.into(), &1000.into()));
    assert_eq!(once["final"], often["final"]);
    let refused = ordinate(&[&args[..], &["--repeat", "9"]].concat()).expect(2);
    assert!(refused.err.contains("--dry"), "{refused:?}");
}

/// A limit of the iterations is no reason to refuse what is solved within it: a state that starts at zero, a step that needs
/// another Jacobian, an iteration that only stirs the last digits.
#[test]
fn a_limit_of_iterations_refuses_nothing_that_converges() {
    let zero = "b' = 1 - b; c' = b^2; init b = 0, c = 0";
    let cubic = "x' = -x^3 + sin(t); x(0) = 1";
    for (model, rate, t, methods) in [
        (zero, "1000", "1", &["radau3", "radau5", "bdf1", "bdf2", "bdf3", "trapezoid"][..]),
        (cubic, "10", "2", &["bdf1", "bdf2", "radau3", "radau5", "trapezoid"]),
        (cubic, "3.3", "0.5", &["radau3", "radau5", "bdf2"]),
    ] {
        for method in methods {
            let args = ["run", "-e", model, "-t", t, "-m", method, "--summary", "json", "-q", "--no-error"];
            let real = ordinate(&[&args[..], &["--realtime", "--dry", "--rate", rate]].concat()).expect(0).json();
            let step = format!("{:?}", 1.0 / rate.parse::<f64>().expect("a number"));
            let plain = ordinate(&[&args[..], &["--step", &step]].concat()).expect(0).json();
            for (name, value) in plain["final"].as_object().expect("values") {
                let (value, other) = (value.as_f64().expect("a value"), real["final"][name].as_f64().expect("a value"));
                assert!((value - other).abs() <= 1e-12 * value.abs().max(1.0), "{method}: {name} = {value}, {other}");
            }
        }
    }
}

/// The gallery's stiff models at a kilohertz, and with a limit of the iterations.
#[test]
fn stiff_models_start_within_a_limit_of_iterations() {
    for name in ["detest-b3", "robertson", "robertson-dae"] {
        let path = repository().join(format!("examples/{name}.eq")).to_string_lossy().into_owned();
        let args = ["run", &path, "-t", "1", "--summary", "json", "-q", "--no-error"];
        ordinate(&[&args[..], &["--realtime", "--dry"]].concat()).expect(0);
        for most in ["10", "1000"] {
            let fixed = ["-m", "radau3", "--step", "0.001", "--newton-max", most];
            ordinate(&[&args[..], &fixed].concat()).expect(0);
        }
    }
}

/// Who limits the iterations is told so where they do not suffice.
#[test]
fn a_limit_of_iterations_is_named_where_they_fail() {
    let args = ["run", "-e", "x' = -1000*(x^3 - cos(t)); init x = 3", "-t", "1", "-m", "radau5", "--step", "0.5", "-q"];
    let limited = ordinate(&[&args[..], &["--newton-max", "2", "--summary", "json"]].concat()).expect(3).json();
    assert_eq!(limited["reason"]["kind"], "newton_failed", "{limited}");
    let hint = limited["reason"]["hint"].as_str().expect("a hint");
    assert!(hint.starts_with("more iterations than 2 with `--newton-max`"), "{hint}");
}

/// Standard output is one JSON object, whoever looks on.
#[test]
fn iterates_stand_aside_of_a_summary() {
    let args = ["run", "-e", "x' = -x^3; init x = 1", "-t", "0.2", "-m", "bdf1", "--step", "0.1", "--trace", "newton"];
    let answer = ordinate(&[&args[..], &["--summary", "json", "-q"]].concat()).expect(0);
    assert_eq!(answer.json()["status"], "ok");
    assert!(answer.err.contains("step from t = 0"), "{answer:?}");
}

#[test]
fn options_of_the_clock_need_it() {
    for args in [
        &["--rate", "1kHz"][..],
        &["--dry"],
        &["--fifo"],
        &["--realtime", "--rate", "fast"],
        &["--realtime", "--rate", "2 mhz"],
        &["--realtime", "--step", "1"],
        &["--realtime", "--max-step", "1"],
        &["--realtime", "-m", "taylor", "--h-scale", "4", "--min-ord", "20"],
    ] {
        let answer = ordinate(&[&["run", "-e", "x' = -x; init x = 1", "-t", "1"], args].concat());
        assert!(answer.code == 2 && answer.err.contains("--"), "{args:?}: {answer:?}");
    }
}

/// Where a solution ends, at the branch point of a root or at a pole of f, a step must not land on the far side of it: the
/// Jacobian is so large there that every change of Newton's method looks small.
#[test]
fn no_step_jumps_over_the_edge_of_the_domain() {
    // where it ends, and to what its solution comes near
    let models = [
        ("x' = -sqrt(x); x(0) = 1", "2.1", 0.0),
        ("x' = -x^0.3; x(0) = 1", "2", 0.0),
        // both sides of x = 1 lead to it, so a solution of a low tolerance may stay there
        ("x' = -1/log(x); x(0) = 0.5", "0.3", 1.0),
    ];
    for method in ["radau", "radau3", "radau5", "bdf", "backward-euler", "trapezoid"] {
        for rtol in ["1e-2", "1e-3", "1e-6"] {
            for (model, end, limit) in models {
                let most = ["--max-steps", "5000", "--summary", "json", "-q"];
                let args = ["run", "-e", model, "-t", end, "-m", method, "--rtol", rtol];
                let x = ordinate(&[&args[..], &most].concat()).json()["final"]["x"].as_f64().expect("x");
                assert!((x - limit).abs() < 0.15, "{model}, {method}, rtol {rtol}: x = {x}");
            }
        }
    }
}

/// What is a function of states that are moved onto a constraint moves with them, in a transformed model, too.
#[test]
fn a_transformed_model_keeps_to_its_constraint() {
    let circle = "x'' = -l*x; y'' = -l*y; x^2 + y^2 = 1; init x = 1, y = 0, y' = 1";
    let summary =
        ordinate(&["run", "-e", circle, "-m", "mtsm", "-t", "25", "--summary", "json", "-q"]).expect(0).json();
    let off = (summary["final"]["x"].as_f64().expect("x") - 25f64.cos()).abs();
    assert!(off < 1e-5, "{off:e}");
    assert!(summary["steps"].as_u64().expect("steps") < 100, "{summary}");

    // large sums, for which machine code has too few registers
    let links = "param g = 9.81; x1'' = -x1*l1 - (x1-x2)*l2; y1'' = -g - y1*l1 - (y1-y2)*l2; x2'' = -(x2-x1)*l2
        y2'' = -g - (y2-y1)*l2; x1^2 + y1^2 = 1; (x2-x1)^2 + (y2-y1)^2 = 1
        init x1 = 1, y1 = 0, x2 = 2, y2 = 0, x1' = 0, x2' = 0, y1' = 0, y2' = 0";
    let end = |method: &str| {
        let args = ["run", "-e", links, "-m", method, "-t", "0.5", "--rtol", "1e-9", "--summary", "json", "-q"];
        ordinate(&args).expect(0).json()["final"]["x2"].as_f64().expect("x2")
    };
    assert!((end("mtsm") - end("dp8")).abs() < 1e-6);
}

/// Start values that contradict the constraint, or leave something open at a point where it does not follow, end in words, not
/// in a velocity of thousands.
#[test]
fn starts_must_be_determined() {
    let model = "x'' = -L*x; y'' = -L*y - 9.81; x^2 + y^2 = 1; init ";
    for (starts, word) in [
        ("x = 1, x' = 0.1", "violated"),
        ("x = 0.5, y = 0.5, x' = 0", "violated"),
        ("x = 1, x' = 0", "do not determine"),
        ("x = 1, y = 0, x' = 0", "do not determine"),
    ] {
        let answer = ordinate(&["run", "-e", &format!("{model}{starts}"), "-t", "1", "-o", "o.csv"]);
        assert!(answer.code == 3 && answer.err.contains(word), "{starts}: {answer:?}");
    }
    for starts in ["x = 0.6, x' = 0.1", "x = 1, y = 0, x' = 0, y' = 0"] {
        ordinate(&["run", "-e", &format!("{model}{starts}"), "-t", "1", "-o", "o.csv", "-q"]).expect(0);
    }
    // what is open is named, also where the guess of another one is no solution
    let open = format!("{model} x = 1, x' = 0; guess y = 0.5");
    let answer = ordinate(&["run", "-e", &open, "-t", "1", "-o", "o.csv"]).expect(3);
    assert!(answer.err.contains("do not determine `y'`"), "{answer:?}");
}

/// At x = 1 the circle has only y = 0, as a double root: no derivative says so, and yet it is the one consistent start. The
/// same motion as with all start values given.
#[test]
fn a_start_at_a_double_root_of_the_constraint_is_found() {
    let model = "x'' = -L*x; y'' = -L*y - 9.81; x^2 + y^2 = 1; init ";
    let end = |starts: &str| {
        let text = format!("{model}{starts}");
        let args = ["run", "-e", &text, "-t", "0.5", "--rtol", "1e-10", "--summary", "json", "-q"];
        ordinate(&args).expect(0).json()["final"].clone()
    };
    let (given, found) = (end("x = 1, y = 0, x' = 0, y' = 2"), end("x = 1, y' = 2"));
    for name in ["x", "y", "x'", "y'"] {
        let (a, b) = (given[name].as_f64().expect("a number"), found[name].as_f64().expect("a number"));
        assert!((a - b).abs() < 1e-8, "{name}: {a} and {b}");
    }
}

/// `check` finds what a run would find at its start.
#[test]
fn check_sees_start_values_that_contradict_the_constraint() {
    let model = "x'' = -L*x; y'' = -L*y - 9.81; x^2 + y^2 = 1; run 0 .. 1; init x' = 0, x = 0.6, y = ";
    let answer = ordinate(&["check", "-e", &format!("{model}0.9"), "--format", "json"]).expect(1);
    let found = &answer.json()["diagnostics"][0];
    assert_eq!(found["code"], "inconsistent-start", "{found}");
    assert!(found["message"].as_str().is_some_and(|text| text.contains("`x^2 + y^2 = 1` is violated by 1.700e-1")));
    ordinate(&["check", "-e", &format!("{model}0.8")]).expect(0);
}

/// Without a start value `info` still says what can be given.
#[test]
fn info_needs_no_start_values() {
    let model = "x'' = -L*x; y'' = -L*y - 9.81; x^2 + y^2 = 1";
    let info = ordinate(&["info", "-e", model, "--format", "json"]).expect(0).json();
    assert_eq!((&info["index"], &info["degrees_of_freedom"]), (&3.into(), &2.into()), "{info}");
    assert!(info["missing_starts"][0].as_str().is_some_and(|text| text.contains("2 start values are missing")));
    let text = ordinate(&["info", "-e", "y' = -y"]).expect(0).out;
    assert!(text.contains("missing     `y` has no start value"), "{text}");
    ordinate(&["info", "-e", "y' = -z"]).expect(1);
}

/// |z| = x has no solution for x < 0: neither side of the switch holds, and a mixture of both is no solution of an equation
/// that determines z by the sign of z.
#[test]
fn an_algebraic_equation_does_not_slide() {
    for equation in ["0 = abs(z) - x", "0 = max(z, -2*z) - x"] {
        let text = format!("x' = -1; {equation}; guess z = 1; init x = 1");
        let answer = ordinate(&["run", "-e", &text, "-t", "2", "--summary", "json"]).expect(3);
        let summary = answer.json();
        let t = summary["t_reached"].as_f64().expect("a time");
        assert!((t - 1.0).abs() < 1e-6, "{equation}: {summary}");
    }
}

/// z jumps with the sign of x, along which the solution would slide: that is said, and not that x is no number.
#[test]
fn a_variable_that_jumps_with_a_switch_is_named() {
    let text = "x' = -z; 0 = z^3 + z - sign(x); init x = 1";
    let answer = ordinate(&["run", "-e", text, "-t", "3", "-o", "o.csv"]).expect(3);
    assert!(answer.err.contains("the equation of `z` could not be solved on the other side"), "{answer:?}");
    assert!(!answer.err.contains("is not a number"), "{answer:?}");
}

/// x' = v, v' = −x is x'' = −x, and x' = v, v' = x is x'' = x: the same numbers in every form, and damping is seen in all.
#[test]
fn second_derivatives_are_recognised_where_the_velocity_has_a_name() {
    let end = |text: &str| {
        let args = ["run", "-e", text, "-m", "ge3", "--step", "0.1", "-t", "1", "--summary", "json", "-q"];
        ordinate(&args).expect(0).json()["final"]["x"].as_f64().expect("x")
    };
    for sign in ["-", ""] {
        let primes = end(&format!("x'' = {sign}x; init x = 1, x' = 0"));
        assert_eq!(end(&format!("x' = v; v' = {sign}x; init x = 1, v = 0")), primes);
    }
    // where each is the velocity of the other, the first one named counts as the place
    let other = "v' = -x; x' = w; w = v; init x = 1, v = 0";
    assert_eq!(end(other), end("x'' = -x; init x = 1, x' = 0"));
    let damped = "x' = v; v' = -x - v; init x = 1, v = 0";
    let answer = ordinate(&["run", "-e", damped, "-m", "ge3", "--step", "0.1", "-t", "1"]).expect(2);
    assert!(answer.err.contains("damping"), "{answer:?}");
    // two places with one velocity are no such system
    ordinate(&[
        "run",
        "-e",
        "x' = v; y' = v; v' = -x; init x = 1, y = 0, v = 0",
        "-m",
        "ge3",
        "--step",
        "0.1",
        "-t",
        "1",
    ])
    .expect(2);
}

/// What cannot be done as asked is refused before anything is written.
#[test]
fn a_refused_run_writes_nothing() {
    let pendulum = "x'' = -l*x; y'' = -l*y - 9.81; x^2 + y^2 = 1; init x = 1, x' = 0, y = 0, y' = 0";
    for (model, args, word) in [
        ("x'' = -x - x'; init x = 1, x' = 0", &["-m", "ge3", "--step", "0.1"][..], "damping"),
        ("x' = -x; init x = 1", &["-m", "bdf", "--newton-tol", "1e-3"], "--step"),
        ("x' = -x; init x = 1", &["-m", "radau", "--newton-start", "1"], "--step"),
        (pendulum, &["--index", "direct", "-m", "trapezoid"], "index 3"),
        (pendulum, &["--index", "direct", "-m", "dp8"], "index 3"),
    ] {
        let answer = ordinate(&[&["run", "-e", model, "-t", "1"], args].concat());
        assert!(answer.code == 2 && answer.out.is_empty() && answer.err.contains(word), "{args:?}: {answer:?}");
    }
}

/// What equations determine is a variable, like a state; what the text says in so many words is a function of them.
#[test]
fn the_error_counts_algebraic_variables() {
    let example = repository().join("examples/pendulum-dae.eq").display().to_string();
    for method in ["auto", "radau", "bdf"] {
        let summary = ordinate(&["run", &example, "-m", method, "--summary", "json", "-q"]).expect(0).json();
        let error = &summary["global_error"];
        let of = |name: &str| error["by_variable"][name].as_f64().unwrap_or_else(|| panic!("{name}: {error}"));
        let most = ["x", "x'", "y", "y'", "lambda"].map(of).into_iter().fold(0.0, f64::max);
        assert_eq!(error["estimate"].as_f64(), Some(most), "{method}");
        assert_eq!(most, of("lambda"), "{method}: the force has the largest error");
        assert!(error["by_output"]["E"].is_f64() && error["by_variable"]["E"].is_null(), "{method}: {error}");
    }
}

/// A current of a diode that begins far below what --atol lets a method see: the logarithm bears no error of that size. What stops
/// the run is said with the way out, and that way is one.
#[test]
fn a_variable_below_the_tolerance_is_named_where_equations_fail() {
    // with a resistance of its own, so that there is no formula for its current
    let diode = "1e-12*v' = 1e-3*(5 - v) - i; v = 0.025*log(1 + i/1e-14) + 1e-3*i; init v = 0";
    let words = |method| ["run", "-e", diode, "-t", "1e-7", "-m", method, "--summary", "json", "-q"];
    // These follow the current all the same: their algebraic states must continue those before, by derivatives that serve there.
    for method in ["dp5", "bdf"] {
        let v = ordinate(&words(method)).expect(0).json()["final"]["v"].as_f64().expect("a value");
        assert!((v - 0.66985525).abs() < 1e-6, "{method}: {v}");
    }
    for method in ["auto", "taylor"] {
        let words = words(method);
        let stopped = ordinate(&words).expect(3);
        let hint = stopped.json()["reason"]["hint"].as_str().expect("a hint").to_string();
        assert!(hint.contains("`i`"), "{method}: {hint}");
        let atol = hint.rsplit_once("--atol ").unwrap_or_else(|| panic!("{method}: {hint}")).1;
        let done = ordinate(&[&words[..], &["--atol", atol]].concat()).expect(0).json();
        let v = done["final"]["v"].as_f64().expect("a value");
        assert!((v - 0.66985525).abs() < 1e-6, "{method}, --atol {atol}: {v}");
    }
}
