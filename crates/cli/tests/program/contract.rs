//! The stable surface of `run`: options, where results go, the summary, exit codes.

use crate::support::{Place, ordinate};
use serde_json::Value;
use std::f64::consts::PI;

const OSCILLATOR: &str = "x'' = -x; init x = 1, x' = 0";

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap_or_else(|| panic!("an object is expected: {value}")).keys().map(String::as_str).collect()
}

#[test]
fn the_summary_has_every_field_with_its_type() {
    let s =
        ordinate(&["run", "-e", OSCILLATOR, "-t", "2*pi", "-m", "dp8", "--rtol", "1e-10", "--summary", "json", "-q"])
            .expect(0)
            .json();
    assert_eq!(s["schema"], "ordinate.run/1");
    assert_eq!(s["status"], "ok");
    assert!(s["reason"].is_null());
    assert_eq!(s["method"], "dp8");
    assert_eq!((s["t_start"].as_f64(), s["t_end"].as_f64()), (Some(0.0), Some(2.0 * PI)));
    assert_eq!(s["t_reached"], s["t_end"]);
    assert!(s["steps"].as_u64().is_some_and(|n| n > 0));
    assert!(s["rejected"].is_u64());
    assert_eq!(keys(&s["order"]), ["min", "max", "mean"]);
    assert!(s["order"].as_object().expect("an object").values().all(|v| v.as_f64() == Some(8.0)));
    assert_eq!(keys(&s["evaluations"]), ["f", "jets", "jacobian", "lu", "newton"]);
    assert!(s["evaluations"]["f"].as_u64() >= s["steps"].as_u64());
    assert!(keys(&s).contains(&"global_error"));
    assert_eq!(keys(&s["seconds"]), ["parse", "compile", "solve", "solve_median", "write"]);
    assert!(s["seconds"].as_object().expect("an object").values().all(|v| v.as_f64().is_some_and(|v| v >= 0.0)));
    assert_eq!(keys(&s["final"]), ["x", "x'"]);
    assert!((s["final"]["x"].as_f64().expect("a number") - 1.0).abs() < 1e-9);
}

#[test]
fn the_summary_is_one_line_and_nothing_else_is_on_standard_output() {
    let place = Place::new();
    let answer = place.run(&["run", "-e", OSCILLATOR, "-t", "1", "--summary", "json", "-o", "o.csv"]).expect(0);
    assert_eq!(answer.out.lines().count(), 1);
    assert_eq!(place.files(), ["o.csv"]);
}

/// Defaults of the contract: 501 even rows, rtol 1e-6, atol 1e-9, CSV to standard output.
#[test]
fn without_options_there_are_501_rows_on_standard_output() {
    let answer = ordinate(&["run", "-e", "y' = -y; y(0) = 1; run 0 .. 5"]).expect(0);
    let table = answer.table();
    assert_eq!(table.rows.len(), 501);
    let exact = (0..=500).map(|k| 5.0 * f64::from(k) / 500.0);
    assert!(table.column("time").into_iter().zip(exact).all(|(t, exact)| (t - exact).abs() <= 1e-15 * exact));
    assert!(table.deviation("y", |t| (-t).exp()) < 1e-5);
    assert!(table.comments.iter().any(|line| line.contains("rtol 1e-6") && line.contains("atol 1e-9")));
    assert!(answer.err.contains("solved") && answer.err.contains("taylor (auto)"), "{}", answer.err);
}

/// `--plot`, `--summary json` or a file take the place of the CSV on standard output.
#[test]
fn the_csv_goes_to_standard_output_only_if_nothing_else_is_asked_for() {
    let place = Place::new();
    let out = |more: &[&str]| place.run(&[&["run", "-e", OSCILLATOR, "-t", "1", "-q"], more].concat()).expect(0).out;
    assert!(out(&[]).contains("time,x,x'"));
    assert_eq!(out(&["-o", "a.csv"]), "");
    assert_eq!(out(&["--plot", "a.svg"]), "");
    assert!(out(&["-o", "-"]).contains("time,x,x'"));
    assert!(out(&["-o", "-", "-o", "b.csv"]).contains("time,x,x'"));
    assert!(!out(&["--plot"]).contains("time,x,x'"));
    assert_eq!(place.files(), ["a.csv", "a.svg", "b.csv"]);
}

#[test]
fn rows_at_given_times_may_be_expressions_and_come_in_order() {
    let answer = ordinate(&["run", "-e", OSCILLATOR, "-t", "4*pi", "--at", "4*pi,0,pi/2,1,1", "--rtol", "1e-10", "-q"]);
    let table = answer.expect(0).table();
    assert_eq!(table.column("time"), [0.0, 1.0, PI / 2.0, 4.0 * PI]);
    assert!(table.deviation("x", f64::cos) < 1e-8);
    assert!(table.deviation("x'", |t| -t.sin()) < 1e-8);
}

/// Times may use the parameters of the model.
#[test]
fn times_may_use_parameters() {
    let text = "param T = 3; y' = 1; y(0) = 0; run 0 .. 2*T";
    let table = ordinate(&["run", "-e", text, "--at", "T/2,T"]).expect(0).table();
    assert_eq!(table.column("time"), [1.5, 3.0]);
    let table = ordinate(&["run", "-e", text, "-t", "T", "--at", "T", "--set", "T=5"]).expect(0).table();
    assert_eq!(table.column("time"), [5.0]);
}

#[test]
fn rows_of_the_steps_and_rows_of_an_even_grid() {
    let run = ["run", "-e", "y' = -y; y(0) = 1", "-t", "1", "-q"];
    let steps = ordinate(&[&run[..], &["-m", "rk4", "--step", "0.25", "--at", "steps"]].concat()).expect(0).table();
    assert_eq!(steps.column("time"), [0.0, 0.25, 0.5, 0.75, 1.0]);
    let even = ordinate(&[&run[..], &["--every", "0.4"]].concat()).expect(0).table();
    assert_eq!(even.column("time")[..3], [0.0, 0.4, 0.8]);
    assert!(even.deviation("y", |t| (-t).exp()) < 1e-6);
}

/// The last step is shortened to end exactly.
#[test]
fn a_fixed_step_ends_exactly_at_the_end() {
    let args = ["run", "-e", "y' = 1; y(0) = 0", "-t", "1", "-m", "euler", "--step", "0.3", "--at", "steps", "-q"];
    let table = ordinate(&args).expect(0).table();
    let last = table.rows.last().expect("rows");
    // 0.3 + 0.3 + 0.3 + 0.1 is no more than that in doubles
    assert!(last[0] == 1.0 && (last[1] - 1.0).abs() <= f64::EPSILON, "{last:?}");
    assert_eq!(table.rows.len(), 5);
}

#[test]
fn parameters_inputs_and_start_values_can_be_set() {
    let text = "param a = 1, b = 2*a; input u = sin(t); x'' = -b*x' + u; init x = 0, x' = a";
    let run = |set: &[&str]| {
        let mut args = vec!["run", "-e", text, "-t", "1", "--rtol", "1e-10", "--summary", "json", "-q"];
        set.iter().for_each(|value| args.extend(["--set", value]));
        ordinate(&args).expect(0).json()["final"]["x'"].as_f64().expect("a number")
    };
    // v' = −b v + u with constant u: v = u/b + (v₀ − u/b) e^(−b t)
    let exact = |b: f64, u: f64, v: f64| u / b + (v - u / b) * (-b).exp();
    assert!((run(&["u=0"]) - exact(2.0, 0.0, 1.0)).abs() < 1e-8);
    assert!((run(&["u=3", "a=2"]) - exact(4.0, 3.0, 2.0)).abs() < 1e-8, "b follows a");
    assert!((run(&["u=3", "b=1/2"]) - exact(0.5, 3.0, 1.0)).abs() < 1e-8);
    assert!((run(&["u=0", "x'=-5"]) - exact(2.0, 0.0, -5.0)).abs() < 1e-8);
    assert!((run(&["u = 2*a", "a=3", "x'=0"]) - exact(6.0, 6.0, 0.0)).abs() < 1e-8);
    assert!((run(&["u=0", "x'=1", "x'=2"]) - exact(2.0, 0.0, 2.0)).abs() < 1e-8, "the last one counts");
}

/// A start value that the text lacks can come from the command line.
#[test]
fn a_missing_start_value_can_be_set() {
    let run = ["run", "-e", "y' = -y", "-t", "1", "--summary", "json", "-q"];
    ordinate(&run).expect(1);
    let s = ordinate(&[&run[..], &["--set", "y=2"]].concat()).expect(0).json();
    assert!((s["final"]["y"].as_f64().expect("a number") - 2.0 * (-1f64).exp()).abs() < 1e-6);
}

#[test]
fn the_model_comes_from_a_file_from_standard_input_or_from_the_line() {
    let text = "y' = -y\ny(0) = 1\nrun 0 .. 1\n";
    let place = Place::new().with("m.eq", text);
    let file = place.run(&["run", "m.eq", "--at", "1", "-q"]).expect(0);
    let input = place.run_os(["run", "-", "--at", "1", "-q"].map(Into::into).to_vec(), text.as_bytes()).expect(0);
    let line = place.run(&["run", "-e", "y' = -y", "-e", "y(0) = 1; run 0 .. 1", "--at", "1", "-q"]).expect(0);
    assert_eq!(file.table().rows, input.table().rows);
    assert_eq!(file.table().rows, line.table().rows);
}

#[test]
fn the_start_time_is_an_option() {
    let text = "y' = t; init y = 0; run 0 .. 1";
    let s = ordinate(&["run", "-e", text, "--t-start", "1", "-t", "3", "--summary", "json", "-q"]).expect(0).json();
    assert!((s["final"]["y"].as_f64().expect("a number") - 4.0).abs() < 1e-9);
    assert_eq!(s["t_start"], 1.0);
}

#[test]
fn repeated_solutions_are_timed_and_stored_once() {
    let run = ["run", "-e", OSCILLATOR, "-t", "1", "-q", "--repeat"];
    let s = ordinate(&[&run[..], &["5", "--summary", "json"]].concat()).expect(0).json();
    let (best, median) = (s["seconds"]["solve"].as_f64(), s["seconds"]["solve_median"].as_f64());
    assert!(best <= median && best > Some(0.0), "{best:?} {median:?}");
    let once = ordinate(&[&run[..], &["1"]].concat()).expect(0);
    let often = ordinate(&[&run[..], &["4"]].concat()).expect(0);
    assert_eq!(once.out, often.out);
}

#[test]
fn quiet_says_nothing_and_verbose_more() {
    let run = ["run", "-e", OSCILLATOR, "-t", "1", "-o", "o.csv"];
    let said = |more: &[&str]| ordinate(&[&run[..], more].concat()).expect(0).err;
    assert_eq!(said(&["-q"]), "");
    let (plain, verbose) = (said(&[]), said(&["-v"]));
    assert!(plain.contains("wrote") && plain.contains("o.csv") && plain.contains("501 rows"), "{plain}");
    assert!(verbose.len() > plain.len() && verbose.contains("evaluation"), "{verbose}");
}

/// Methods under all the names that the documentation promises.
#[test]
fn methods_have_their_names_and_aliases() {
    for (name, known, order) in [
        ("euler", "euler", 1.0),
        ("rk2", "rk2", 2.0),
        ("heun", "heun", 2.0),
        ("ralston", "ralston", 2.0),
        ("rk4", "rk4", 4.0),
        ("bs23", "bs23", 3.0),
        ("dp5", "dp5", 5.0),
        ("fehlberg", "fehlberg", 5.0),
        ("dp8", "dp8", 8.0),
        ("RK45", "dp5", 5.0),
        ("RK23", "bs23", 3.0),
        ("DOP853", "dp8", 8.0),
        ("ode45", "dp5", 5.0),
        ("ode23", "bs23", 3.0),
        ("radau5", "radau5", 5.0),
        ("Radau5", "radau5", 5.0),
    ] {
        let args =
            ["run", "-e", "y' = -y; y(0) = 1", "-t", "1", "-m", name, "--rtol", "1e-4", "--summary", "json", "-q"];
        let s = ordinate(&args).expect(0).json();
        assert_eq!((&s["method"], s["order"]["max"].as_f64()), (&Value::from(known), Some(order)), "{name}");
        assert!((s["final"]["y"].as_f64().expect(name) - (-1f64).exp()).abs() < 0.02, "{name}");
    }
}

/// φ = 1 is Heun's method, φ = ½ the midpoint rule; all agree on a linear equation, so a quadratic one.
#[test]
fn the_general_second_order_method_has_the_special_ones() {
    let end = |method: &[&str]| {
        let args = ["run", "-e", "y' = -y^2 + t; y(0) = 1", "-t", "1", "--step", "0.1", "--summary", "json", "-q"];
        ordinate(&[&args[..], method].concat()).expect(0).json()["final"]["y"].as_f64().expect("a number")
    };
    let (midpoint, heun) = (end(&["-m", "rk2"]), end(&["-m", "heun"]));
    assert!((end(&["-m", "rk2", "--phi", "1"]) - heun).abs() < 1e-14);
    assert!((end(&["-m", "rk2", "--phi", "0.5"]) - midpoint).abs() < 1e-14);
    assert!((heun - midpoint).abs() > 1e-6, "they differ");
}

/// Exit code 3 and the rows so far when the run stops early; a stop that the model asks for is no failure.
#[test]
fn a_stop_condition_is_a_good_end() {
    let place = Place::new();
    let args = [
        "run",
        "-e",
        "y' = 1; y(0) = 0; stop when y > 0.3",
        "-t",
        "1",
        "--every",
        "0.25",
        "--summary",
        "json",
        "-o",
        "o.csv",
    ];
    let s = place.run(&args).expect(0).json();
    assert_eq!((&s["status"], &s["reason"]["kind"]), (&Value::from("ok"), &Value::from("stop_condition")));
    assert!((s["t_reached"].as_f64().expect("a number") - 0.3).abs() < 1e-12);
    let times = place.table("o.csv").column("time");
    assert_eq!(times[..2], [0.0, 0.25]);
    assert!((times[2] - 0.3).abs() < 1e-12 && times.len() == 3, "{times:?}");
}

#[test]
fn too_many_steps_stop_the_run_with_what_was_reached() {
    let place = Place::new();
    let args = ["run", "-e", OSCILLATOR, "-t", "1000", "--max-steps", "20", "--summary", "json", "-o", "o.csv"];
    let answer = place.run(&args).expect(3);
    let s = answer.json();
    assert_eq!((&s["status"], &s["reason"]["kind"]), (&Value::from("stopped"), &Value::from("max_steps")));
    let (reached, last) = (s["t_reached"].as_f64().expect("a number"), place.table("o.csv"));
    let times = last.column("time");
    assert!(reached > 0.0 && reached < 1000.0 && times.iter().all(|&t| t <= reached));
    assert!(last.deviation("x", f64::cos) < 1e-5);
    assert!(answer.err.contains("--max-steps"), "{}", answer.err);
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_the_rows_so_far() {
    use std::process::{Command, Stdio};
    let place = Place::new();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ordinate"));
    command.args(["run", "-e", OSCILLATOR, "-t", "1e8", "--every", "1", "--summary", "json"]);
    command.arg("-o").arg(place.path("o.csv")).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the program starts");
    // once rows are on the disk the run is under way
    let begin = std::time::Instant::now();
    let written = || place.files().iter().any(|name| std::fs::metadata(place.path(name)).is_ok_and(|m| m.len() > 0));
    while !written() && begin.elapsed().as_secs() < 30 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(sent.success(), "the run was still under way");
    let answer = child.wait_with_output().expect("an end");
    assert_eq!(answer.status.code(), Some(130), "{}", String::from_utf8_lossy(&answer.stderr));
    let s: Value = serde_json::from_slice(&answer.stdout).expect("a summary");
    assert_eq!((&s["status"], &s["reason"]["kind"]), (&Value::from("interrupted"), &Value::from("interrupted")));
    let table = place.table("o.csv");
    assert!(table.rows.len() > 1 && place.files() == ["o.csv"]);
    // the error is known at least from the start on
    let error = &s["global_error"];
    assert!(error["estimate"].as_f64().is_some_and(|e| e > 0.0) && error["until"].is_number(), "{error}");
    assert!(table.column("time").last() <= s["t_reached"].as_f64().as_ref());
}

/// The search for consistent start values of many masses on rods takes the better part of a minute; Ctrl-C ends it at any moment.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_search_for_start_values() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let from =
        |k: usize, axis: &str| if k == 1 { format!("{axis}1") } else { format!("({axis}{k} - {axis}{})", k - 1) };
    let mass = |k: usize| {
        let pull = |axis: &str| match k {
            100 => format!("-l{k}*{}", from(k, axis)),
            _ => format!("-l{k}*{} + l{}*{}", from(k, axis), k + 1, from(k + 1, axis)),
        };
        let (x, y) = (from(k, "x"), from(k, "y"));
        format!(
            "x{k}'' = {}\ny{k}'' = {} - 9.81\n{x}^2 + {y}^2 = 1\ninit x{k} = {k}, x{k}' = {k}, y{k} = 0, y{k}' = 0\nguess l{k} = 0\n",
            pull("x"),
            pull("y")
        )
    };
    let place = Place::new();
    let text: String = (1..=100).map(mass).collect();
    std::fs::write(place.path("chain.eq"), text + "run 0 .. 1\n").expect("a file");
    for wait in [1.0, 2.0, 4.0] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ordinate"));
        command.arg("run").arg(place.path("chain.eq")).args(["--summary", "json", "-q"]);
        let child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a start");
        std::thread::sleep(Duration::from_secs_f64(wait));
        let begin = Instant::now();
        let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
        assert!(sent.success(), "the search was still under way");
        let answer = child.wait_with_output().expect("an end");
        // a tenth of a second is what is promised; other things go on here
        assert!(begin.elapsed() < Duration::from_secs(3), "after {wait} s: {:?}", begin.elapsed());
        // a machine that does other things may not have come to the run itself: then the signal ends the program at once
        if answer.status.code().is_some() {
            assert_eq!(answer.status.code(), Some(130), "{}", String::from_utf8_lossy(&answer.stderr));
            let s: Value = serde_json::from_slice(&answer.stdout).expect("a summary");
            assert_eq!(s["reason"]["kind"], "interrupted");
        }
    }
}

/// A polynomial needs no accuracy, so only the bound limits the steps.
#[test]
fn the_longest_step_can_be_bounded() {
    let steps = |more: &[&str]| {
        let args = ["run", "-e", "y' = 1; y(0) = 0", "-t", "100", "--summary", "json", "-q"];
        ordinate(&[&args[..], more].concat()).expect(0).json()["steps"].as_u64().expect("a count")
    };
    assert!(steps(&["--max-step", "0.5"]) >= 200);
    assert!(steps(&[]) < 50);
}

/// A run of no length has one row and the order of its method.
#[test]
fn a_run_of_no_length_has_one_row() {
    let place = Place::new();
    let s = place.run(&["run", "-e", OSCILLATOR, "-t", "0", "--summary", "json", "-o", "o.csv", "-q"]).expect(0).json();
    assert_eq!(place.table("o.csv").rows, [[0.0, 1.0, 0.0]]);
    assert_eq!((s["steps"].as_u64(), s["order"]["mean"].as_f64()), (Some(0), Some(64.0)));
}

#[test]
fn no_environment_variable_but_no_color_changes_messages() {
    let place = Place::new();
    let plain = place.run(&["check", "-e", "y' = z"]).expect(1);
    assert!(!plain.err.contains('\u{1b}'), "no colours into a pipe: {}", plain.err);
}

/// A run that the model ends has an error, whether its companion ends a little before or after it: at the end y = 1/2, and what it
/// is off is the slope times what the time is off.
#[test]
fn a_run_that_the_model_ends_knows_its_error() {
    for method in ["auto", "radau", "radau5", "bdf", "dp5", "dp8", "trapezoid"] {
        let words = ["run", "-e", "y' = -y; y(0) = 1; stop when y < 0.5", "-t", "5", "-m", method, "--summary", "json"];
        let summary = ordinate(&words).expect(0).json();
        let estimate = summary["global_error"]["estimate"].as_f64().unwrap_or_else(|| panic!("{method}: no estimate"));
        let t = summary["t_reached"].as_f64().expect("a time");
        let off = (0.5 - (-t).exp()).abs();
        assert!(estimate > 0.3 * off && estimate < 1e-4, "{method}: {estimate:e}, off by {off:e}");
    }
}
