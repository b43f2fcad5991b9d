//! Models that are well formed and yet difficult: unusual characters, and runs that cannot reach their end.

use super::{expect, report, sound};
use crate::support::Place;

/// Text, end time, kind of the reason, words.
const STOPPED: &[(&str, &str, &str, &[&str])] = &[
    ("y' = 1/0; y(0) = 1", "1", "not_finite", &["`y`", "at the start", "division by zero"]),
    ("y' = 1/y; y(0) = 0", "1", "not_finite", &["`y`", "at the start"]),
    ("y' = log(y); y(0) = -1", "1", "not_finite", &["`y`", "domain"]),
    ("y' = y^1e300; y(0) = 2", "1", "not_finite", &["`y`"]),
    ("y' = 9^9^9^9^9*y; y(0) = 1", "1", "not_finite", &["`y`"]),
    ("y' = y^2; y(0) = 1", "2", "singularity", &["`y` has a pole of order 1", "near t = 1"]),
    ("y' = sqrt(1 - t); y(0) = 0", "2", "not_finite", &["`y`", "beyond t = "]),
    ("h' = v; v' = -9.81; init h = 0.1, v = 0\nwhen h < 0: v = -0.5*v", "1", "zeno", &["accumulate", "stop when"]),
    (
        "y' = 1; y(0) = 0; z' = 0; z(0) = 0\nwhen z > 0.5: z = 0\nwhen z < 0.5: z = 1\nwhen y > 0.5: z = 1",
        "1",
        "zeno",
        &["trigger each other without end", "hysteresis"],
    ),
    (
        "a = if b > 0 then 1 else -1\nb = if a > 0 then -1 else 1\ny' = a; y(0) = 0",
        "1",
        "zeno",
        &["contradict each other"],
    ),
];

/// What was reached is kept, the summary says why it ended, the exit code is 3.
#[test]
fn a_run_that_cannot_go_on_says_when_and_why_and_keeps_its_rows() {
    let mut wrong = Vec::new();
    for &(text, end, kind, words) in STOPPED {
        let place = Place::new().with("m.eq", text);
        let answer = place.run(&["run", "m.eq", "-t", end, "-o", "out.csv", "--summary", "json"]);
        sound(text, &answer, &place);
        wrong.extend(expect(text, &answer, 3, words).err());
        let summary = answer.json();
        if summary["status"] != "stopped" || summary["reason"]["kind"] != kind || summary["reason"]["hint"] == "" {
            wrong.push(format!("{text}: {summary}"));
        }
        let table = place.table("out.csv");
        let last = table.comments.last().cloned().unwrap_or_default();
        if !last.contains(kind) || table.rows.iter().flatten().any(|value| value.is_nan()) {
            wrong.push(format!("{text}: {table:?}"));
        }
    }
    report(wrong, STOPPED.len(), 10);
}

/// Mistakes that show only when the run begins.
#[test]
fn start_values_are_checked_when_the_run_begins() {
    let cases: &[(&str, i32, &[&str])] = &[
        ("y' = -y; y(1) = 2", 1, &["error[start-time]", "given at 1", "starts at 0", "--t-start"]),
        ("y' = -y; x + y = 3; init y = 1, x = 5", 3, &["`x`", "contradicts the equations"]),
    ];
    let mut wrong = Vec::new();
    for &(text, code, words) in cases {
        let place = Place::new().with("m.eq", text);
        let answer = place.run(&["run", "m.eq", "-t", "1", "-o", "out.csv"]);
        sound(text, &answer, &place);
        wrong.extend(expect(text, &answer, code, words).err());
    }
    report(wrong, cases.len(), 2);
}

/// Unusual, but well formed.
#[test]
fn unusual_characters_are_understood() {
    let cases = [
        ("Windows line ends", "y' = -y\r\ny(0) = 1\r\nrun 0 .. 1\r\n"),
        ("old Macintosh line ends", "y' = -y\ry(0) = 1\r"),
        ("a byte order mark", "\u{feff}y' = -y\ny(0) = 1\n"),
        ("tabs", "\ty'\t=\t-y\n\ty(0)\t=\t1\n"),
        ("no line end", "y' = -y; y(0) = 1"),
        ("Unicode minus and dot", "y' = \u{2212}1·y; y(0) = 1"),
        ("only semicolons", ";;;y' = -y;;;;y(0) = 1;;;"),
        ("comments everywhere", "# a\ny' = -y # b ' \" [ (\n#\ny(0) = 1 # c"),
        ("a name like another language's keyword", "y' = -y*while; y(0) = 1; param while = 1"),
    ];
    for (what, text) in cases {
        let place = Place::new().with("m.eq", text);
        let answer = place.run(&["run", "m.eq", "-t", "1", "--summary", "json", "-q"]);
        sound(what, &answer, &place);
        let y = answer.expect(0).json()["final"]["y"].as_f64().expect(what);
        assert!((y - (-1f64).exp()).abs() < 1e-6, "{what}: {y}");
    }
    let answer = Place::new()
        .with("m.eq", "param ω = 2\nφ' = -ω*φ; φ(0) = 1\n日本 = 2*φ")
        .run(&["run", "m.eq", "-t", "1", "--at", "1"])
        .expect(0);
    assert_eq!(answer.table().names, ["time", "φ", "日本"]);
}

/// A switch that would be crossed back and forth is followed along its surface.
#[test]
fn sliding_along_a_switch_ends_at_the_surface() {
    for text in ["y' = -sign(y); y(0) = 0.5", "y' = if y > 0 then -1 else 1; y(0) = 0.5"] {
        let place = Place::new().with("m.eq", text);
        let answer = place.run(&["run", "m.eq", "-t", "2", "--summary", "json", "-q"]);
        sound(text, &answer, &place);
        let summary = answer.expect(0).json();
        assert!(summary["final"]["y"].as_f64().is_some_and(|y| y.abs() < 1e-9), "{text}: {summary}");
    }
}

#[test]
fn units_that_do_not_fit_are_told_as_the_option_says() {
    let cases: &[(&str, &[&str])] = &[
        ("param m = 1 [kg], a = 2 [m]\nx' = m + a\nx(0) = 1", &["unit-mismatch", "[kg] and [m]"]),
        ("param m = 1 [bananas]\nx' = -m*x\nx(0) = 1", &["unknown-unit", "`bananas`"]),
        ("param m = 1 []\nx' = -m*x\nx(0) = 1", &["unknown-unit", "missing"]),
        ("param m = 1 [kg^]\nx' = -m*x\nx(0) = 1", &["unknown-unit", "exponent"]),
        ("param m = 1 [m^99999999999]\nx' = m*x\nx(0) = 1", &["unknown-unit", "too large"]),
        ("param m = 1 [m]\nx' = sin(m)*x\nx(0) = 1", &["unit-mismatch", "`sin`", "[m]"]),
        ("param m = 1 [m]\nx' = 1\ninit x = 1 [s]\noutput y = x + m", &["unit-mismatch", "[s] and [m]"]),
        ("param m[1] = 2 [kg], m[2] = 3 [s]\nx' = m[1]*m[2]; x(0) = 1", &["unit-mismatch", "[kg] and [s]"]),
    ];
    let mut wrong = Vec::new();
    for &(text, words) in cases {
        let place = Place::new().with("m.eq", text);
        let answer = |mode| place.run(&["run", "m.eq", "-t", "1", "--summary", "json", "--units", mode]);
        let [warn, strict, off] = [answer("warn"), answer("strict"), answer("off")];
        [&warn, &strict, &off].into_iter().for_each(|answer| sound(text, answer, &place));
        wrong.extend(expect(text, &warn, 0, &[words, &["warning["]].concat()).err());
        wrong.extend(expect(text, &strict, 1, &[words, &["error["]].concat()).err());
        wrong.extend(expect(text, &off, 0, &[]).err());
        if off.err.contains("unit") {
            wrong.push(format!("{text}: {}", off.err));
        }
    }
    report(wrong, cases.len(), 8);
}
