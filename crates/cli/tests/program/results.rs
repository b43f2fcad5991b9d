//! Result files: the order and the names of columns, rows at events, comments, digits, formats.

use crate::support::{Place, ordinate};
use serde_json::Value;

/// States in the order of their first appearance in an equation (x in that of F), each followed by its primes; then
/// named expressions, then outputs.
#[test]
fn columns_have_the_order_and_the_names_of_the_model() {
    let text = "output E = x'^2\nF = -x\nphi''' = 0\nx'' = F\nv' = 1\n\
                init v = 0, x = 1, x' = 0, phi = 0, phi' = 1, phi'' = 2\noutput twice = 2*v";
    let place = Place::new().with("m.eq", text);
    let table = place.run(&["run", "m.eq", "-t", "1", "--at", "1"]).expect(0).table();
    assert_eq!(table.names, ["time", "x", "x'", "phi", "phi'", "phi''", "v", "F", "E", "twice"]);
}

#[test]
fn elements_of_arrays_are_named_with_their_index() {
    let text = "for k in 1..3: u[k]' = -k*u[k]\nfor k in 1..3: init u[k] = 1\n\
                for i in 1..2: for j in 1..2: m[i,j]'' = 0\nfor i in 1..2: for j in 1..2: init m[i,j] = i, m[i,j]' = j\ns = u[1] + u[3]";
    let place = Place::new().with("m.eq", text);
    let answer = place.run(&["run", "m.eq", "-t", "1", "--at", "0,1"]).expect(0);
    let names = "time,u[1],u[2],u[3],\"m[1,1]\",\"m[1,1]'\",\"m[1,2]\",\"m[1,2]'\",\"m[2,1]\",\"m[2,1]'\",\"m[2,2]\",\"m[2,2]'\",s";
    assert!(answer.out.lines().any(|line| line == names), "{}", answer.out);
    let table = answer.table();
    assert!(table.deviation("u[3]", |t| (-3.0 * t).exp()) < 1e-6);
    assert!(table.deviation("m[2,1]", |t| 2.0 + t) < 1e-9);
    assert!(table.deviation("s", |t| (-t).exp() + (-3.0 * t).exp()) < 1e-6);
}

/// `final` holds every column at the end.
#[test]
fn the_last_row_is_what_the_summary_calls_final() {
    let place = Place::new();
    let text = "x'' = -x; F = 2*x; output E = x^2 + x'^2; init x = 1, x' = 0";
    let s = place.run(&["run", "-e", text, "-t", "3", "-o", "o.csv", "--summary", "json", "-q"]).expect(0).json();
    let table = place.table("o.csv");
    for (name, value) in s["final"].as_object().expect("an object") {
        assert_eq!(table.column(name).last().copied(), value.as_f64(), "{name}");
    }
    assert_eq!(s["final"].as_object().expect("an object").len(), table.names.len() - 1);
}

/// Reading a number back gives the same bits: the fixed point of one more conversion.
#[test]
fn numbers_read_back_as_they_were() {
    let place = Place::new();
    let text = "x'' = -x/3; init x = 1/3, x' = 1e-17; big = 1e300*x; small = 1e-300*x";
    place.run(&["run", "-e", text, "-t", "10", "-o", "o.csv", "-o", "o.json", "-q"]).expect(0);
    let table = place.table("o.csv");
    let json: Value = serde_json::from_str(&place.text("o.json")).expect("JSON");
    assert_eq!(json["schema"], "ordinate.result/1");
    for (k, name) in table.names.iter().enumerate() {
        let column: Vec<f64> =
            json["columns"][name].as_array().expect(name).iter().map(|v| v.as_f64().expect(name)).collect();
        let same = column.iter().zip(&table.rows).all(|(a, row)| a.to_bits() == row[k].to_bits());
        assert!(same && column.len() == table.rows.len(), "{name}");
    }
}

/// Two rows at an event: the values before and after it, at the same time.
#[test]
fn an_event_has_two_rows() {
    let text = "h' = v; v' = -10; init h = 5, v = 0\nwhen h < 0: v = -0.5*v";
    let place = Place::new().with("m.eq", text);
    // it falls for a second, hits the floor with −10, and flies with 5 until t = 2
    let table = place.run(&["run", "m.eq", "-t", "1.5", "--every", "0.5", "--rtol", "1e-10", "-q"]).expect(0).table();
    let (t, v) = (table.column("time"), table.column("v"));
    let pair: Vec<usize> = (0..t.len() - 1).filter(|&k| t[k] == t[k + 1]).collect();
    assert_eq!(pair.len(), 1, "{table:?}");
    let k = pair[0];
    assert!((t[k] - 1.0).abs() < 1e-9 && (v[k] + 10.0).abs() < 1e-8 && (v[k + 1] - 5.0).abs() < 1e-8, "{table:?}");
    assert!((v.last().expect("rows")).abs() < 1e-8);
    assert!(t.windows(2).all(|pair| pair[0] <= pair[1]));
}

/// With `--at` an event adds no rows of its own, but doubles a row that falls on it.
#[test]
fn rows_at_given_times_double_only_at_an_event() {
    let run = ["run", "-e", "y' = 1; y(0) = 0; when y > 0.5: y = 0", "-t", "0.75", "-q", "--at"];
    let at = |times: &str| ordinate(&[&run[..], &[times]].concat()).expect(0).table();
    assert_eq!(at("0.25,0.75").column("time"), [0.25, 0.75]);
    let on = at("0.5");
    assert_eq!((on.column("time"), on.column("y")[1]), (vec![0.5, 0.5], 0.0));
    assert!((on.column("y")[0] - 0.5).abs() < 1e-12);
}

/// A sampled action sets its variable at t0 + k·Ts, holds it between, and adds no rows.
#[test]
fn sampled_values_are_held_and_add_no_rows() {
    let text = "y' = u; y(0) = 0; every 0.5: u = y + 1";
    let table = ordinate(&["run", "-e", text, "-t", "1.25", "--every", "0.25", "-q"]).expect(0).table();
    assert_eq!(table.column("time"), [0.0, 0.25, 0.5, 0.75, 1.0, 1.25]);
    // y grows by half of itself plus a half in each half second
    let exact_u = [1.0, 1.0, 1.5, 1.5, 2.25, 2.25];
    let exact_y = [0.0, 0.25, 0.5, 0.875, 1.25, 1.8125];
    for k in 0..6 {
        assert!((table.column("u")[k] - exact_u[k]).abs() < 1e-12, "{table:?}");
        assert!((table.column("y")[k] - exact_y[k]).abs() < 1e-12, "{table:?}");
    }
}

#[test]
fn comments_hold_the_data_of_the_run_and_are_the_same_each_time() {
    let run = ["run", "-e", "param k = 2; y' = -k*y; y(0) = 1", "-t", "1", "--rtol", "1e-7", "-m", "dp5", "-q"];
    let (first, second) = (ordinate(&run).expect(0), ordinate(&run).expect(0));
    assert_eq!(first.out, second.out);
    let comments = first.table().comments.join("\n");
    for word in ["ordinate", "model -e", "dp5", "rtol 1e-7", "atol 1e-9", "k = 2"] {
        assert!(comments.contains(word), "{word}: {comments}");
    }
    assert!(first.out.starts_with('#'));
}

#[test]
fn several_files_are_written_at_once_in_the_format_of_their_suffix() {
    let place = Place::new();
    let args = ["run", "-e", "x'' = -x; init x = 1, x' = 0", "-t", "6", "-q"];
    let files = ["-o", "a.csv", "-o", "b.CSV", "-o", "c.json", "-o", "d.svg", "-o", "e.png", "--plot", "f.svg"];
    place.run(&[&args[..], &files].concat()).expect(0);
    assert_eq!(place.files(), ["a.csv", "b.CSV", "c.json", "d.svg", "e.png", "f.svg"]);
    assert_eq!(place.text("a.csv"), place.text("b.CSV"));
    assert_eq!(place.text("d.svg"), place.text("f.svg"));
    assert!(place.text("d.svg").starts_with("<svg") || place.text("d.svg").starts_with("<?xml"));
    assert!(place.text("d.svg").trim_end().ends_with("</svg>"));
    let png = std::fs::read(place.path("e.png")).expect("a file");
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
}

#[test]
fn a_phase_plane_and_chosen_variables_can_be_drawn() {
    let place = Place::new();
    let run = ["run", "-e", "x'' = -x; E = x^2 + x'^2; init x = 1, x' = 0", "-t", "6", "-q"];
    place.run(&[&run[..], &["--phase", "x,x'", "--plot", "p.svg"]].concat()).expect(0);
    place.run(&[&run[..], &["--plot-vars", "E", "--plot", "v.svg"]].concat()).expect(0);
    let terminal = place.run(&[&run[..], &["--plot"]].concat()).expect(0).out;
    assert!(terminal.chars().any(|c| ('\u{2801}'..='\u{28ff}').contains(&c)), "{terminal}");
    assert!(place.text("v.svg").contains('E'));
}

/// 501 rows of 500 periods all lie on one line; the picture shows the oscillation all the same, the file holds the rows.
#[test]
fn a_picture_shows_what_happens_between_the_rows() {
    let place = Place::new();
    let model = "x'' = -(10*pi)^2*x; x(0) = 0; x'(0) = 10*pi";
    place.run(&["run", "-e", model, "-t", "100", "-o", "a.csv", "-o", "a.svg", "--plot-vars", "x", "-q"]).expect(0);
    let picture = place.text("a.svg");
    assert!(picture.contains(">−1.0<") && picture.contains(">1.0<"), "{picture}");
    let text = place.text("a.csv");
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).collect();
    let largest = rows.iter().map(|row| row.split(',').nth(1).expect("x").parse::<f64>().expect("a number").abs());
    assert!(rows.len() == 501 && largest.fold(0.0, f64::max) < 1e-3);
    // rows that were asked for are those of the picture
    place.run(&["run", "-e", model, "-t", "100", "--every", "0.2", "-o", "b.svg", "--plot-vars", "x", "-q"]).expect(0);
    assert!(!place.text("b.svg").contains(">1.0<"));
}

#[test]
fn results_are_converted_without_loss() {
    let place = Place::new();
    let text = "for k in 1..2: u[k,1]' = -u[k,1]/3\nfor k in 1..2: init u[k,1] = k/7\nz = 2*u[1,1]";
    let place = place.with("m.eq", text);
    place.run(&["run", "m.eq", "-t", "1", "-o", "a.csv", "-o", "a.json", "-q"]).expect(0);
    place.run(&["convert", "a.csv", "-o", "b.csv"]).expect(0);
    place.run(&["convert", "a.csv", "-o", "b.json"]).expect(0);
    assert_eq!(place.table("a.csv").rows, place.table("b.csv").rows);
    assert_eq!(place.table("a.csv").names, place.table("b.csv").names);
    assert_eq!(place.text("a.json"), place.text("b.json"));
    let chosen = place.run(&["convert", "a.csv", "-o", "-", "--vars", "z"]).expect(0).table();
    assert_eq!((chosen.names.join(" "), chosen.column("z")), ("time z".into(), place.table("a.csv").column("z")));
    place.run(&["convert", "a.csv", "-o", "c.svg"]).expect(0);
    assert!(place.text("c.svg").contains("</svg>"));
    let input = place.text("a.csv");
    let piped = place.run_os(["convert", "-", "-o", "-"].map(Into::into).to_vec(), input.as_bytes()).expect(0);
    assert_eq!(piped.table().rows, place.table("a.csv").rows);
}

/// JSON comes back as CSV with the same numbers; what is no result is refused instead of becoming an empty table.
#[test]
fn results_in_json_are_converted_back() {
    let place = Place::new();
    place
        .run(&["run", "-e", "x'' = -x/3; init x = 1/3, x' = 0", "-t", "1", "-o", "a.csv", "-o", "a.json", "-q"])
        .expect(0);
    place.run(&["convert", "a.json", "-o", "b.csv"]).expect(0);
    assert_eq!(place.table("a.csv").rows, place.table("b.csv").rows);
    assert_eq!(place.table("a.csv").names, place.table("b.csv").names);
    for (text, words) in [
        ("{", "not valid JSON"),
        ("{}", "columns"),
        ("{\"columns\": {\"time\": 3}}", "`time` is not a list"),
        ("{\"columns\": {\"time\": [0, \"a\"]}}", "is not a number"),
        ("{\"columns\": {\"time\": [0, 1], \"y\": [2]}}", "1 rows instead of 2"),
    ] {
        let place = Place::new().with("a.json", text);
        let answer = place.run(&["convert", "a.json", "-o", "b.csv"]).expect(2);
        assert!(answer.err.contains(words), "{text}: {}", answer.err);
        assert_eq!(place.files(), ["a.json"]);
    }
}

/// Asking twice for a column gives it once.
#[test]
fn a_converted_column_is_there_once() {
    let place = Place::new().with("a.csv", "time,y\n0,1\n1,2\n");
    let table = place.run(&["convert", "a.csv", "-o", "-", "--vars", "y,time,y"]).expect(0).table();
    assert_eq!(table.names, ["time", "y"]);
}

/// Values beyond the numbers are kept as such: in CSV by name, in JSON as null.
#[test]
fn a_named_expression_may_be_infinite() {
    let place = Place::new();
    place
        .run(&["run", "-e", "a = 1/t; y' = 1; y(0) = 0", "-t", "1", "--at", "0,1", "-o", "a.csv", "-o", "a.json", "-q"])
        .expect(0);
    assert_eq!(place.table("a.csv").column("a"), [f64::INFINITY, 1.0]);
    assert!(place.text("a.json").contains("\"a\":[null,1.0]"), "{}", place.text("a.json"));
}

/// Pictures of degenerate runs: one row, a constant, huge and tiny values, values that are not finite.
#[test]
fn degenerate_runs_can_be_drawn() {
    for (text, more) in [
        ("y' = -y; init y = 1", &["-t", "0"][..]),
        ("y' = -y; init y = 1", &["-t", "1", "--at", "0.5"]),
        ("y' = 0; init y = 5", &["-t", "1"]),
        ("y' = 1e300; init y = -1e300", &["-t", "1"]),
        ("y' = 1e-300; init y = 0", &["-t", "1"]),
        ("y' = 1; init y = 0", &["-t", "1e-300"]),
        ("y' = 1; init y = 0", &["-t", "1e300"]),
        ("a = 1/t; b = log(t - 0.5); y' = 1; init y = 0", &["-t", "1"]),
        ("for k in 1..300: y[k]' = -k*y[k]\nfor k in 1..300: init y[k] = k", &["-t", "1"]),
    ] {
        let place = Place::new().with("a<b&c>.eq", text);
        place.run(&[&["run", "a<b&c>.eq", "-q", "-o", "o.svg", "-o", "o.png"], more].concat()).expect(0);
        let svg = place.text("o.svg");
        assert!(svg.trim_end().ends_with("</svg>") && !svg.contains("b&c>"), "{text}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{text}");
        place.run(&[&["run", "a<b&c>.eq", "-q", "--plot"], more].concat()).expect(0);
    }
}

/// Stiff: the solution hardly changes in a step, and yet the step cannot be longer. The Taylor methods notice it, too.
#[test]
fn stiffness_is_noticed_by_the_taylor_methods_and_only_where_it_is() {
    let stiff =
        [("y' = -1e5*(y - cos(t)); y(0) = 1", "1"), ("x' = y; y' = 1000*(1 - x^2)*y - x; init x = 2, y = 0", "100")];
    let smooth = [
        ("y' = -y; y(0) = 1", "20"),
        ("y' = 100*z; z' = -100*y; init y = 0, z = 1", "50"),
        ("x' = 10*(y - x); y' = x*(28 - z) - y; z' = x*y - 8/3*z; init x = 1, y = 1, z = 1", "50"),
        ("phi'' = -5*sin(phi); init phi = 2, phi' = 0", "500"),
    ];
    for (models, expected) in [(stiff.as_slice(), true), (smooth.as_slice(), false)] {
        for (text, end) in models {
            for method in ["taylor", "mtsm"] {
                let options = ["run", "-e", text, "-t", end, "-m", method, "--summary", "json", "-q"];
                assert_eq!(Place::new().run(&options).expect(0).json()["stiff"], expected, "{method}: {text}");
            }
        }
    }
}

/// A fixed step is halved towards a pole until it is lost; the pole is named all the same, and the rows are kept.
#[test]
fn a_pole_is_named_with_a_fixed_step() {
    let place = Place::new();
    let options = ["run", "-e", "y' = y^2; y(0) = 1", "-t", "2", "-m", "taylor", "--step", "0.1", "-o", "o.csv"];
    let said = place.run(&options).expect(3);
    assert!(said.err.contains("a pole of order 1 near t = 1"), "{}", said.err);
    assert!(place.table("o.csv").rows.len() > 200);
}

/// An error is computed − true, and what is corrected is the result without it.
#[test]
fn the_columns_of_errors_have_the_sign_of_what_is_subtracted() {
    for method in ["taylor", "dp5", "radau", "bdf", "euler"] {
        let words = ["run", "-e", "y' = y; y(0) = 1", "-t", "1", "-m", method, "--rtol", "1e-4", "--at", "1", "-q"];
        let shown = ordinate(&[&words[..], &["--error"]].concat()).expect(0).table();
        let (y, error) = (shown.column("y")[0], shown.column("error(y)")[0]);
        let true_error = y - 1f64.exp();
        assert!(
            error * true_error > 0.0 && (0.3..3.0).contains(&(error / true_error)),
            "{method}: {error:e}, {true_error:e}"
        );
        let corrected = ordinate(&[&words[..], &["--correct"]].concat()).expect(0).table().column("y")[0];
        assert_eq!(corrected, y - error, "{method}");
    }
}
