//! The problems of `docs/thesis-tables.json` with the settings of the thesis: fixed step, automatic order.

use crate::support::{Place, Table, repository};
use serde_json::Value;

/// Error allowed at the end in units of TOL and of the size of a state; the thesis bounds terms of one step, not the sum.
const SLACK: f64 = 10.0;

/// Growth of a disturbance up to the time of the reference, measured (`lorenz-160` of the golden data; of Kepler's orbit by
/// a start 1e-8 aside).
const AMPLIFIES: [(&str, f64); 2] = [("4.26 rho=160", 9.4e5), ("4.27 e=0.75", 4e3)];

fn json(path: &str) -> Value {
    let text = std::fs::read_to_string(repository().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("a text is expected: {value}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number is expected: {value}"))
}

/// A column, its true value and the size of the state.
struct Truth {
    column: String,
    value: f64,
    size: f64,
}

/// The latest reference within the run, if it is one of the golden cases: its time and values.
fn golden(entry: &Value) -> Option<(f64, Vec<Truth>)> {
    let id = entry["reference"]["golden"].as_str()?;
    let index = json("tests/golden/index.json");
    let listed = list(&index["cases"]).iter().find(|case| case["id"] == id).unwrap_or_else(|| panic!("no case {id}"));
    let file = json(&format!("tests/golden/{}", text(&listed["file"])));
    let case = list(&file["cases"]).iter().find(|case| case["id"] == id).expect("the index is right");
    let states = list(if case["observed"].is_array() { &case["observed"] } else { &case["states"] });
    let within = |row: &&Value| number(&row["t"]) <= number(&entry["t_end"]) * (1.0 + 1e-12);
    let row = list(&case["reference"]).iter().rfind(within).expect("a time within the run");
    let largest = list(&case["scale"]).iter().map(number).fold(0.0, f64::max);
    let names = entry["reference"]["names"].as_object().expect("names");
    let values = names.iter().map(|(state, column)| {
        let k = states.iter().position(|s| s == state).unwrap_or_else(|| panic!("{id} has no state {state}"));
        let size = number(&case["scale"][k]);
        let size = if size > 0.0 { size } else { largest };
        Truth { column: text(column).to_string(), value: number(&row["y"][k]), size }
    });
    Some((number(&row["t"]), values.collect()))
}

fn deviation(table: &Table, values: &[Truth]) -> f64 {
    let row = table.rows.last().expect("a row");
    let of = |Truth { column, value, size }: &Truth| {
        let k = table.names.iter().position(|name| name == column).unwrap_or_else(|| panic!("no column {column}"));
        (row[k] - value).abs() / size
    };
    values.iter().map(of).fold(0.0, f64::max)
}

/// What is wrong with one variant of one entry, if anything.
fn judge(entry: &Value, settings: &Value) -> Option<String> {
    let id = text(&entry["id"]);
    let reference = golden(entry);
    let (end, at) = (number(&entry["t_end"]), reference.as_ref().map_or(number(&entry["t_end"]), |(t, _)| *t));
    let model = repository().join("examples").join(text(&entry["model"]));
    let mut arguments = vec!["run".to_string(), model.to_string_lossy().into_owned()];
    list(&entry["set"]).iter().for_each(|set| arguments.extend(["--set".into(), text(set).into()]));
    arguments.extend(["-t".into(), format!("{end:?}"), "--at".into(), format!("{at:?}"), "-m".into(), "mtsm".into()]);
    arguments.extend(["--step", text(&settings["step"]), "--atol", text(&settings["tol"])].map(String::from));
    if let Some(scale) = settings["h_scale"].as_f64() {
        arguments.extend(["--h-scale".into(), scale.to_string(), "--min-ord".into(), settings["min_ord"].to_string()]);
    }
    arguments.extend(["--no-error", "--summary", "json", "-q", "-o", "o.csv"].map(String::from));
    let place = Place::new();
    let answer = place.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    if answer.code != 0 {
        return Some(format!("{id}: exit code {}: {}", answer.code, answer.err));
    }
    let (_, values) = reference?;
    let growth = AMPLIFIES.iter().find(|(known, _)| *known == id).map_or(1.0, |&(_, growth)| growth);
    let allowed = SLACK * growth * text(&settings["tol"]).parse::<f64>().expect("a tolerance");
    let found = deviation(&place.table("o.csv"), &values);
    (found.is_nan() || found > allowed).then(|| format!("{id}: {found:.1e} of size, allowed {allowed:.1e}"))
}

#[test]
fn every_problem_of_the_thesis_is_solved_with_its_settings() {
    let tables = json("docs/thesis-tables.json");
    let entries = list(&tables["tables"]);
    let variants = entries.iter().flat_map(|entry| list(&entry["mtsm"]).iter().map(move |settings| (entry, settings)));
    let wrong: Vec<String> = variants.filter_map(|(entry, settings)| judge(entry, settings)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(entries.len(), 79);
}
