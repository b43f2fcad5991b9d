//! `ordinate transform`: formats, files, exit codes.

use crate::support::{Place, ordinate};
use serde_json::json;

const KEPLER: &str = "x'' = -x/(x^2 + y^2)^1.5; y'' = -y/(x^2 + y^2)^1.5; \
                      init x = 1, x' = 0, y = 0, y' = 1; run 0 .. 1";

#[test]
fn json_has_the_fields_of_the_contract() {
    let found = ordinate(&["transform", "-e", "x' = sin(x) + 2*t; x(0) = 0", "--format", "json"]).expect(0).json();
    assert_eq!(found["schema"], "ordinate.transform/1");
    assert_eq!(found["states"], json!(["x", "w1", "w2", "w3"]));
    assert_eq!(found["equations"].as_array().expect("a list").len(), 4);
    assert_eq!(found["start"]["x"], json!(0.0));
    for product in found["B"].as_array().expect("a list") {
        let columns = product["index"].as_array().expect("a list").len() as u64;
        assert!(product["factors"].as_u64().expect("a number") >= 2);
        for entry in product["matrix"].as_array().expect("a list") {
            assert!(entry[0].as_u64().expect("a row") < 4 && entry[1].as_u64().expect("a column") < columns);
        }
    }
    assert_eq!(found["b"].as_array().expect("a list").len(), 4);
    assert!(found["A"].is_array());
}

#[test]
fn products_are_as_short_as_asked_for() {
    for n in ["2", "3", "5"] {
        let args = ["transform", "-e", KEPLER, "--products", n, "--format", "json"];
        let found = ordinate(&args).expect(0).json();
        let longest = found["B"].as_array().expect("a list").iter().map(|b| b["factors"].as_u64()).max().flatten();
        assert!(longest.expect("products") <= n.parse().expect("a number"), "{found}");
    }
    let wrong = ordinate(&["transform", "-e", KEPLER, "--products", "1"]).expect(2);
    assert!(wrong.err.contains("--products"), "{}", wrong.err);
}

#[test]
fn the_printed_model_runs_to_the_same_end() {
    let text = ordinate(&["transform", "-e", KEPLER, "--format", "eq"]).expect(0).out;
    let place = Place::new().with("t.eq", &text);
    let end = |args: &[&str]| {
        let tolerance = ["-m", "dp8", "--rtol", "1e-10", "--atol", "1e-12", "--summary", "json"];
        place.run(&[args, &tolerance[..]].concat()).expect(0).json()["final"]["x"].as_f64().expect("a number")
    };
    let (original, printed) = (end(&["run", "-e", KEPLER]), end(&["run", "t.eq"]));
    assert!((original - printed).abs() < 1e-8, "{original} {printed}");
}

#[test]
fn latex_and_the_block_diagram_are_written() {
    let latex = ordinate(&["transform", "-e", KEPLER, "--format", "latex"]).expect(0).out;
    assert!(latex.contains("\\begin{align*}") && latex.contains("\\end{align*}"), "{latex}");
    let place = Place::new();
    place.run(&["transform", "-e", KEPLER, "-o", "blocks.svg"]).expect(0);
    let picture = place.text("blocks.svg");
    assert_eq!(picture.matches('∫').count(), 8, "seven integrators and the legend");
}

#[test]
fn mistakes_have_their_exit_codes() {
    let no_start = ordinate(&["transform", "-e", "x' = 1/x; x(0) = 0", "--format", "json"]).expect(1);
    assert!(no_start.err.contains("no-start-value") && no_start.out.is_empty(), "{}", no_start.err);
    ordinate(&["transform", "-e", "x' = y; x(0) = 0"]).expect(1);
    ordinate(&["transform", "nowhere.eq"]).expect(2);
    ordinate(&["transform", "-e", "x' = x; x(0) = 1", "--format", "pdf"]).expect(2);
    ordinate(&["transform", "-e", "x' = x; x(0) = 1", "-o", "picture.png"]).expect(2);
}
