//! Whether the estimated global error can be believed: every smooth case of the reference data, by many methods, at many
//! tolerances, against values with 25 digits. `cargo xtask accuracy` writes the table into `docs/accuracy.md`.

use crate::golden::{Text, cases, implicit_text, list, number, string, text_of};
use crate::support::Place;
use crate::support::ordinate;
use serde_json::Value;
use std::fmt::Write;
use std::sync::Mutex;

/// Methods and their tolerances. Those of low order need millions of steps for more.
const METHODS: [(&str, &[&str]); 10] = [
    ("auto", &["1e-3", "1e-6", "1e-9", "1e-12"]),
    ("taylor", &["1e-3", "1e-6", "1e-9", "1e-12"]),
    ("mtsm", &["1e-3", "1e-6", "1e-9"]),
    ("dp8", &["1e-3", "1e-6", "1e-9", "1e-12"]),
    ("dp5", &["1e-3", "1e-6", "1e-9"]),
    ("rk4", &["1e-3", "1e-6"]),
    ("rk2", &["1e-3", "1e-5"]),
    ("adams", &["1e-3", "1e-6", "1e-9"]),
    ("radau", &["1e-3", "1e-6", "1e-9", "1e-12"]),
    ("bdf", &["1e-3", "1e-6", "1e-9"]),
];

/// An estimate is right within this factor in nine runs of ten, and never too small by the other one.
const FACTOR: f64 = 3.0;
const NEVER_BELOW: f64 = 0.1;

/// estimate/true of a run; `None` where it did not come to its end, as explicit methods on stiff models do not.
fn ratio(case: &Value, text: &Text, method: &str, rtol: &str) -> Option<f64> {
    let place = Place::new().with("case.eq", &text.text);
    let times: Vec<String> = list(&case["reference"]).iter().map(|r| format!("{:?}", number(&r["t"]))).collect();
    let (from, to) = (format!("{:?}", number(&case["t0"])), format!("{:?}", number(&case["tend"])));
    let atol = format!("{:e}", rtol.parse::<f64>().expect("a tolerance") * 1e-3);
    let run = ["run", "case.eq", "--t-start", &from, "-t", &to, "-m", method, "--rtol", rtol, "--atol", &atol];
    let rest = ["--at", &times.join(","), "--max-steps", "100000", "-o", "o.csv", "--summary", "json", "-q"];
    let answer = place.run(&[&run[..], &rest].concat());
    if answer.code != 0 {
        return None;
    }
    let summary = answer.json();
    let error = &summary["global_error"];
    assert_eq!(error["complete"], true, "{} {method} {rtol}: {error}", case["id"]);
    let table = place.table("o.csv");
    let (mut estimate, mut truth) = (0.0f64, 0.0f64);
    for (k, name) in text.names.iter().enumerate() {
        let column = table.names.iter().position(|known| known == name).expect("a column");
        let of = |kind: &str| error[kind].get(name).map(number);
        estimate = estimate.max(of("by_variable").or_else(|| of("by_output")).expect("an estimate"));
        for (row, reference) in table.rows.iter().zip(list(&case["reference"])) {
            truth = truth.max(difference(row[column], &reference["y_hp"][k], &reference["y"][k]));
        }
    }
    Some(if truth == 0.0 { 1.0 } else { estimate / truth })
}

/// |value − reference|, where the reference has more digits than a double.
fn difference(value: f64, digits: &Value, double: &Value) -> f64 {
    let near = number(double);
    // what the double leaves out: both are decimals, and their leading digits cancel
    let rest = digits.as_str().map_or(0.0, |text| beyond(text, near));
    ((value - near) - rest).abs()
}

/// reference − double, from the decimal digits of both.
fn beyond(text: &str, near: f64) -> f64 {
    let number = format!("{near:.40e}");
    let (Some((a, x)), Some((b, y))) = (scaled(text), scaled(&number)) else { return 0.0 };
    if x != y {
        return 0.0;
    }
    (a - b) as f64 * 10f64.powi(x - 30)
}

/// The first 31 digits of a number and its exponent of ten.
fn scaled(text: &str) -> Option<(i128, i32)> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let negative = mantissa.starts_with('-');
    let (whole, part) = mantissa.trim_start_matches('-').split_once('.').unwrap_or((mantissa, ""));
    let whole = whole.trim_start_matches('-');
    let all: String = whole.chars().chain(part.chars()).collect();
    let first = all.find(|c| c != '0')?;
    let exponent: i32 = exponent.parse().ok()?;
    let leading = exponent + whole.len() as i32 - 1 - first as i32;
    let digits: String = all[first..].chars().chain(std::iter::repeat('0')).take(31).collect();
    let value: i128 = digits.parse().ok()?;
    Some((if negative { -value } else { value }, leading))
}

/// One line of the table.
struct Line {
    method: &'static str,
    rtol: &'static str,
    ratios: Vec<(String, f64)>,
}

fn measure() -> Vec<Line> {
    let ordinary =
        cases("ode").into_iter().chain(cases("linear-ode")).filter_map(|c| text_of(&c).map(|t| (c, t, false)));
    let algebraic = cases("dae").into_iter().map(|c| {
        let text = implicit_text(&c);
        (c, text, true)
    });
    let all: Vec<(Value, Text, bool)> = ordinary.chain(algebraic).collect();
    let jobs: Vec<(&'static str, &'static str)> =
        METHODS.iter().flat_map(|(method, rtols)| rtols.iter().map(move |rtol| (*method, *rtol))).collect();
    let lines: Vec<Mutex<Vec<(String, f64)>>> = jobs.iter().map(|_| Mutex::new(Vec::new())).collect();
    let queue = Mutex::new((0..jobs.len()).flat_map(|j| (0..all.len()).map(move |c| (j, c))).collect::<Vec<_>>());
    let next = || queue.lock().expect("no panic").pop();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                while let Some((job, index)) = next() {
                    let ((method, rtol), (case, text, algebraic)) = (jobs[job], &all[index]);
                    if *algebraic && !["auto", "radau", "bdf"].contains(&method) {
                        continue;
                    }
                    if let Some(ratio) = ratio(case, text, method, rtol) {
                        lines[job].lock().expect("no panic").push((string(&case["id"]), ratio));
                    }
                }
            });
        }
    });
    let mut table = Vec::new();
    for ((method, rtol), ratios) in jobs.into_iter().zip(lines) {
        let mut ratios = ratios.into_inner().expect("no panic");
        ratios.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
        table.push(Line { method, rtol, ratios });
    }
    table
}

fn within(ratios: &[(String, f64)]) -> usize {
    ratios.iter().filter(|(_, ratio)| (1.0 / FACTOR..=FACTOR).contains(ratio)).count()
}

fn table(lines: &[Line]) -> String {
    let mut out = String::from(
        "# How far the error can be believed\n\n\
         Every smooth case of `tests/golden` (63 ordinary, 20 linear, 8 differential-algebraic ones), with `atol = rtol/1000`: the\n\
         global error that `ordinate run` estimates, divided by the true one, the largest of all states at six times. The test\n\
         `accuracy` asserts that nine of ten are within a factor of 3, and none below 1/10; `cargo xtask accuracy` writes this file.\n\
         Explicit methods do not finish some of the stiff cases in 100 000 steps; those are not counted.\n\n\
         | method | rtol | runs | within 3 | smallest | median | largest |\n|---|---|---|---|---|---|---|\n",
    );
    for Line { method, rtol, ratios } in lines {
        let (Some(low), Some(high)) = (ratios.first(), ratios.last()) else { continue };
        let share = 100.0 * within(ratios) as f64 / ratios.len() as f64;
        let median = ratios[ratios.len() / 2].1;
        let runs = ratios.len();
        writeln!(
            out,
            "| {method} | {rtol} | {runs} | {share:.0} % | {:.2} ({}) | {median:.2} | {:.3} ({}) |",
            low.1, low.0, high.1, high.0
        )
        .expect("a string");
    }
    let (runs, good) = lines.iter().fold((0, 0), |(n, k), line| (n + line.ratios.len(), k + within(&line.ratios)));
    writeln!(
        out,
        "\nTogether {good} of {runs} runs, {:.1} %, are within a factor of 3.",
        100.0 * good as f64 / runs as f64
    )
    .expect("a string");
    out
}

#[test]
fn the_estimated_error_can_be_believed() {
    let lines = measure();
    let text = table(&lines);
    if let Some(path) = std::env::var_os("ORDINATE_ACCURACY") {
        std::fs::write(path, &text).expect("the table can be written");
    }
    let runs: usize = lines.iter().map(|line| line.ratios.len()).sum();
    let good: usize = lines.iter().map(|line| within(&line.ratios)).sum();
    assert!(runs > 2600, "{runs} runs came to their end");
    assert!(10 * good >= 9 * runs, "{good} of {runs}\n{text}");
    let low = lines.iter().flat_map(|line| line.ratios.first().map(|(id, ratio)| (*ratio, line.method, line.rtol, id)));
    let worst = low.min_by(|a, b| a.0.total_cmp(&b.0)).expect("runs");
    assert!(worst.0 >= NEVER_BELOW, "{worst:?}\n{text}");
}

/// The digits beyond a double are counted.
#[test]
fn references_have_more_digits_than_a_double() {
    let rest = beyond("1.051271096376024042615381", 1.0512710963760241);
    assert!((rest + 7.412e-17).abs() < 1e-20, "{rest:e}");
    assert_eq!(beyond("0.5", 0.5), 0.0);
    assert!((beyond("-0.02881336103897665104457128", -0.02881336103897665) + 1.371e-19).abs() < 1e-22);
}

/// By classical methods with fixed steps, which nothing controls, the estimate is the first thing that tells whether to believe
/// the result; the correction takes most of the error away.
#[test]
fn fixed_steps_show_their_error_and_can_be_corrected() {
    let model = "y'' = -y; init y = 1, y' = 0";
    for (method, h) in [
        ("euler", "0.001"),
        ("rk2", "0.01"),
        ("rk4", "0.1"),
        ("backward-euler", "0.001"),
        ("trapezoid", "0.02"),
        ("ab3", "0.02"),
        ("am2", "0.02"),
        ("bdf2", "0.005"),
        ("bdf4", "0.02"),
        ("radau3", "0.1"),
        ("ge3", "0.02"),
    ] {
        let run = |extra: &[&str]| {
            let args = ["run", "-e", model, "-t", "10", "-m", method, "--step", h, "--summary", "json", "-q"];
            Place::new().run(&[&args[..], extra].concat()).expect(0).json()
        };
        let (plain, corrected) = (run(&[]), run(&["--correct"]));
        let truth = (number(&plain["final"]["y"]) - 10f64.cos()).abs();
        let estimate = number(&plain["global_error"]["final"]["y"]);
        assert!((0.5..2.0).contains(&(estimate / truth)), "{method}: {estimate:e} {truth:e}");
        let left = (number(&corrected["final"]["y"]) - 10f64.cos()).abs();
        assert!(4.0 * left < truth, "{method}: {left:e} of {truth:e} is left");
        assert_eq!(corrected["global_error"]["corrected"], true);
        assert_eq!(run(&["--no-error"])["global_error"], Value::Null);
    }
}

/// (estimate of the run, true error of a column over its rows)
fn both(model: &str, more: &[&str], exact: impl Fn(f64) -> f64) -> (f64, f64) {
    let words = [&["run", "-e", model, "-q"][..], more].concat();
    let summary = ordinate(&[&words[..], &["--summary", "json"]].concat()).expect(0).json();
    let estimate = summary["global_error"]["estimate"].as_f64().expect("an estimate");
    let table = ordinate(&words).expect(0).table();
    (estimate, table.deviation("x", exact))
}

/// Between its steps a formula interpolates, which may leave out more than the steps do.
#[test]
fn fixed_steps_of_bdf_have_the_error_of_rows_between_them() {
    let model = "x' = -1000*(x - cos(t)); x(0) = 1";
    let exact = |t: f64| {
        let (a, b) = (1e6 / (1e6 + 1.0), 1e3 / (1e6 + 1.0));
        a * t.cos() + b * t.sin() + (1.0 - a) * (-1e3 * t).exp()
    };
    for method in ["bdf1", "bdf2", "bdf3", "bdf4", "bdf5", "bdf"] {
        let (estimate, error) = both(model, &["-t", "2", "-m", method, "--step", "0.125"], exact);
        assert!((0.5..2.0).contains(&(estimate / error)), "{method}: {estimate:e} for {error:e}");
    }
}

/// At the ends of the steps that start a formula, the error is that of these steps.
#[test]
fn correction_at_the_ends_of_steps_brings_nearer() {
    for method in ["bdf2", "bdf3", "bdf4", "bdf5", "radau3", "radau5", "rk4", "dp5", "trapezoid"] {
        let words = ["run", "-e", "x' = -x; x(0) = 1", "-t", "1", "-m", method, "--step", "0.1", "--at", "steps", "-q"];
        let exact = |t: f64| (-t).exp();
        let plain = ordinate(&words).expect(0).table().deviation("x", exact);
        let corrected = ordinate(&[&words[..], &["--correct"]].concat()).expect(0).table().deviation("x", exact);
        assert!(corrected < 0.25 * plain, "{method}: {plain:e}, corrected {corrected:e}");
    }
}

/// Steps that are cut at instants, or longer than the run, are not the same in the run that tells the error.
#[test]
fn steps_that_are_cut_have_an_error() {
    for method in ["euler", "heun", "rk4", "dp5", "dp8", "radau5", "trapezoid", "backward-euler", "abm"] {
        for step in ["0.3", "2"] {
            let held = "x' = -2*x + u; x(0) = 1; every 0.5: u = 0";
            for model in ["x' = -2*x; x(0) = 1", held] {
                let more = ["-t", "1", "-m", method, "--step", step, "--at", "0.5,1"];
                let (estimate, error) = both(model, &more, |t| (-2.0 * t).exp());
                // An error of a tenth counts as that of a solution without digits, which is its whole range.
                assert!(
                    (0.2..8.0).contains(&(estimate / error)),
                    "{method}, {step}, {model}: {estimate:e} for {error:e}"
                );
            }
        }
    }
}

/// The trapezoidal rule damps nothing, and so must not grow either: what Newton's method leaves would stay.
#[test]
fn the_trapezoidal_rule_keeps_to_the_circle_and_knows_its_error() {
    let (estimate, error) =
        both("x' = x; x(0) = 1", &["-t", "1", "-m", "trapezoid", "--rtol", "1e-9", "--atol", "1e-12"], f64::exp);
    assert!((0.5..2.0).contains(&(estimate / error)), "{estimate:e} for {error:e}");
    let circle = "x' = 100*y; y' = -100*x; x(0) = 1; y(0) = 0";
    let words =
        ["run", "-e", circle, "-t", "10", "-m", "trapezoid", "--rtol", "1e-3", "--no-error", "--summary", "json", "-q"];
    let end = ordinate(&words).expect(0).json()["final"].clone();
    let radius = f64::hypot(end["x"].as_f64().expect("x"), end["y"].as_f64().expect("y"));
    assert!((radius - 1.0).abs() < 1e-2, "{radius}");
}

/// Few rows may lie where an error that has cost all digits in between is small again.
#[test]
fn an_error_between_rows_is_not_forgotten() {
    let kepler = "y1' = y3; y2' = y4; y3' = -y1/(y1^2+y2^2)^1.5; y4' = -y2/(y1^2+y2^2)^1.5
init y1 = 0.25, y2 = 0, y3 = 0, y4 = 2.6457513110645907";
    let words = ["run", "-e", kepler, "-t", "200*pi", "-m", "taylor", "--rtol", "1e-3", "--atol", "1e-6"];
    let rows = ["--at", "100,200,300,400,500,200*pi", "--summary", "json", "-q"];
    let summary = ordinate(&[&words[..], &rows].concat()).expect(0).json();
    // one hundred turns later it should be where it began
    let error = (summary["final"]["y3"].as_f64().expect("a value")).abs();
    let estimate = summary["global_error"]["estimate"].as_f64().expect("an estimate");
    assert!(error > 0.5 && estimate > 0.3 * error, "{estimate:e} for {error:e}");
}
