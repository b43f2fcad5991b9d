//! Inputs from tables against closed forms, and branches of time.

use crate::support::{Place, Table};

/// y′ = u from a table: y is the area under it.
fn area(csv: &str, kind: &str, end: &str, more: &[&str]) -> (Table, u64) {
    let text = format!("input u from \"u.csv\" {kind}\ny' = u\nw = u\ninit y = 0\n");
    let place = Place::new().with("m.eq", text).with("u.csv", csv);
    let args = ["run", "m.eq", "-t", end, "-o", "o.csv", "--summary", "json", "-q"];
    let summary = place.run(&[&args[..], more].concat()).expect(0).json();
    (place.table("o.csv"), summary["rejected"].as_u64().expect("a count"))
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-10
}

/// Straight lines between the rows; before the first and after the last row the value is held.
#[test]
fn a_linear_table_is_integrated_exactly_with_its_ends_held() {
    let (table, _) = area("time,u\n1,2\n2,4\n4,0\n", "", "6", &["--at", "0,0.5,1,1.5,2,3,4,6"]);
    let u = |t: f64| match t {
        t if t < 1.0 => 2.0,
        t if t < 2.0 => 2.0 * t,
        t if t < 4.0 => 8.0 - 2.0 * t,
        _ => 0.0,
    };
    let y = |t: f64| match t {
        t if t < 1.0 => 2.0 * t,
        t if t < 2.0 => 1.0 + t * t,
        t if t < 4.0 => 5.0 + 8.0 * (t - 2.0) - (t * t - 4.0),
        _ => 9.0,
    };
    assert!(table.deviation("w", u) < 1e-12, "{table:?}");
    assert!(table.deviation("y", y) < 1e-10, "{table:?}");
}

/// `hold` keeps the value of a row until the next one.
#[test]
fn a_held_table_is_a_staircase() {
    let (table, _) = area("0,1\n1,3\n2,-1\n", "hold", "4", &["--at", "0.5,0.999,1.001,1.5,2.5,4"]);
    let y = |t: f64| match t {
        t if t < 1.0 => t,
        t if t < 2.0 => 1.0 + 3.0 * (t - 1.0),
        t => 4.0 - (t - 2.0),
    };
    assert!(table.deviation("y", y) < 1e-10, "{table:?}");
    assert_eq!(table.column("w"), [1.0, 1.0, 3.0, 3.0, -1.0, -1.0]);
}

/// The corners are met exactly: no step is rejected, and the area under two hundred teeth is right to the last digits.
#[test]
fn breakpoints_are_met_exactly() {
    let csv: String = (0..=400).map(|k| format!("{},{}\n", f64::from(k) / 10.0, k % 2)).collect();
    let (table, rejected) = area(&csv, "linear", "40", &["--at", "40", "--rtol", "1e-3", "--atol", "1e-3"]);
    assert!(close(table.column("y")[0], 20.0), "{table:?}");
    assert_eq!(rejected, 0);
}

/// Two rows of the same time are a jump.
#[test]
fn a_doubled_time_is_a_jump() {
    let (table, _) = area("0,1\n1,1\n1,5\n2,5\n", "linear", "2", &["--at", "1.5,2"]);
    assert!(close(table.column("y")[0], 3.5) && close(table.column("y")[1], 6.0), "{table:?}");
}

/// The rows of a table lie beside the model, not where the program was started.
#[test]
fn the_path_is_relative_to_the_model() {
    let place = Place::new();
    std::fs::create_dir(place.path("models")).expect("a folder");
    let place = place
        .with("models/m.eq", "input u from \"data.csv\"; y' = u; y(0) = 0; run 0 .. 1")
        .with("models/data.csv", "0,2\n1,2\n");
    let s = place.run(&["run", "models/m.eq", "--summary", "json", "-q"]).expect(0).json();
    assert!(close(s["final"]["y"].as_f64().expect("a number"), 2.0));
}

/// Separators, headers and line ends of other programs.
#[test]
fn tables_of_other_programs_are_read() {
    for csv in [
        "0,1\r\n2,3\r\n",
        "\u{feff}time,u\n0,1\n2,3\n",
        "time;u\n0;1\n2;3\n",
        "# made by hand\n0 1\n2\t3\n",
        "\"time\",\"x\",\"u\"\n0,9,1\n2,9,3\n",
        "0,1,7\n2,3,7\n",
    ] {
        let (table, _) = area(csv, "", "2", &["--at", "2"]);
        assert!(close(table.column("y")[0], 4.0), "{csv}: {table:?}");
    }
}

/// Branches of time are met, never stepped over, even a pulse much shorter than a step.
#[test]
fn branches_of_time_are_not_stepped_over() {
    for (input, exact) in [
        ("if t < 50 then 1 else -1", 0.0),
        ("pulse(t - 33.3, 1e-6)", 1e-6),
        ("step(t - 99.999)", 0.001),
        ("ramp(t - 99)", 0.5),
        ("abs(t - 50)", 2500.0),
        ("floor(t/10)", 450.0),
        ("min(t, 20)", 1800.0),
        ("if t > 10 and t < 10.001 or t > 99.5 then 1 else 0", 0.501),
    ] {
        let text = format!("input u = {input}; y' = u; y(0) = 0");
        let s = Place::new().run(&["run", "-e", &text, "-t", "100", "--summary", "json", "-q"]).expect(0).json();
        let y = s["final"]["y"].as_f64().expect("a number");
        assert!((y - exact).abs() < 1e-9 * exact.abs().max(1.0), "{input}: {y} instead of {exact}");
    }
}

/// A switch of the state is located: the exact solution is left by less than the tolerance.
#[test]
fn branches_of_the_state_are_located() {
    // y' = 1 until y = 1, then y' = 2
    let args = ["run", "-e", "y' = if y < 1 then 1 else 2; y(0) = 0", "-t", "2", "--every", "0.125", "-q"];
    let table = Place::new().run(&args).expect(0).table();
    let worst = table.deviation("y", |t| if t < 1.0 { t } else { 2.0 * t - 1.0 });
    assert!(worst < 1e-9, "{worst:e}");
}

/// What a table does not say clearly is refused, or at least told.
#[test]
fn tables_are_not_misread_without_a_word() {
    let model = "input u from \"u.csv\"; y' = u - y; y(0) = 0; run 0 .. 3";
    let run = |table: &str, words: &[&str]| Place::new().with("m.eq", model).with("u.csv", table).run(words);
    for (table, words) in [
        ("time,u\n0,5,1,0\n", "line 2 has 4 fields, the header 2; are these decimal commas?"),
        ("time,u\n0,1\n1,\"1,000\"\n", "line 3: `1,000` is not a number"),
        ("u,v\n0,1\n", "a column `time` is missing"),
        ("time,u,u\n0,1,2\n", "both called `u`"),
    ] {
        let answer = run(table, &["run", "m.eq", "-q"]).expect(1);
        assert!(answer.err.contains(words) && answer.out.is_empty(), "{answer:?}");
    }
    let numbered = run("n,time,u\n5,0,1\n6,1,1\n", &["run", "m.eq", "--summary", "json", "-q"]).expect(0).json();
    let y = numbered["final"]["y"].as_f64().expect("y");
    assert!((y - (1.0 - (-3.0f64).exp())).abs() < 1e-6, "{y}");
    let other = run("time,v\n0,1\n", &["check", "m.eq", "--format", "json"]).expect(0).json();
    let told = &other["diagnostics"][0];
    assert!(told["severity"] == "warning" && told["message"].as_str().is_some_and(|m| m.contains("`v`")), "{other}");
}
