//! `periodic`, `equilibria` and `run --sensitivity`: golden values, the surface for programs, and what is said about mistakes.

use crate::support::{Place, ordinate, repository};
use serde_json::Value;

const DUFFING: &str = "x1' = x2; x2' = -x1^3 - 0.2*x2 + 0.3*cos(t); init x1 = 0, x2 = 0";

fn golden(file: &str, id: &str) -> Value {
    let text = std::fs::read_to_string(repository().join("tests/golden").join(file)).expect("the data");
    let all: Value = serde_json::from_str(&text).expect("JSON");
    let mut cases = all["cases"].as_array().expect("a list").iter();
    cases.find(|case| case["id"] == id).expect("a case").clone()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// All three states come from the default starts; two of them are golden, with their multipliers.
#[test]
fn the_three_states_of_the_duffing_equation_are_found_to_twelve_digits() {
    let found = ordinate(&["periodic", "-e", DUFFING, "--format", "json"]).expect(0).json();
    assert_eq!(found["schema"], "ordinate.periodic/1");
    let orbits = found["orbits"].as_array().expect("a list");
    assert_eq!(orbits.len(), 3, "{found}");
    for id in ["duffing-stable-large", "duffing-unstable"] {
        let case = golden("global_error.json", id);
        let y: Vec<f64> = case["y0"].as_array().expect("a list").iter().map(number).collect();
        let near = |o: &&Value| {
            (number(&o["start"]["x1"]) - y[0]).abs() < 1e-12 && (number(&o["start"]["x2"]) - y[1]).abs() < 1e-12
        };
        let orbit = orbits.iter().find(near).unwrap_or_else(|| panic!("{id} is not among {found}"));
        assert_eq!(orbit["stable"], id == "duffing-stable-large");
        assert!((number(&orbit["period"]) - 2.0 * std::f64::consts::PI).abs() < 1e-15);
        assert!(number(&orbit["error"]) > 0.0 && number(&orbit["error"]) < 1e-12);
        let largest = case["periodic"]["floquet_abs"][0].as_str().expect("text").parse::<f64>().expect("a number");
        let multiplier = &orbit["multipliers"][0];
        let size = number(&multiplier["re"]).hypot(number(&multiplier["im"]));
        assert!((size - largest).abs() < 1e-11, "{size} {largest}");
    }
    assert!(found["notes"].to_string().contains("not a proof"), "{found}");
    for orbit in found["orbits"].as_array().expect("a list") {
        assert!((1.0..3.0).contains(&number(&orbit["condition"])), "{orbit}");
    }
    assert!(ordinate(&["periodic", "-e", DUFFING]).expect(0).out.contains("condition "));
    // damping determines the product of the multipliers of every orbit
    for orbit in orbits {
        let [a, b] = [0, 1].map(|k| &orbit["multipliers"][k]);
        let product = number(&a["re"]) * number(&b["re"]) - number(&a["im"]) * number(&b["im"]);
        assert!((product - (-0.4 * std::f64::consts::PI).exp()).abs() < 1e-12, "{product}");
    }
}

#[test]
fn shooting_by_the_implicit_euler_method_reproduces_the_golden_values() {
    let case = golden("global_error.json", "duffing-ie-shooting");
    for row in case["rows"].as_array().expect("a list") {
        let steps = row["N"].to_string();
        let guess = if row["orbit"] == "unstable" { "x1=-0.027,x2=0.729" } else { "x1=0.027,x2=1.1" };
        // all its names
        for method in ["bdf1", "backward-euler", "am0"] {
            let mut words = vec!["periodic", "-e", DUFFING, "--guess", guess, "-m", method, "--steps", &steps];
            if row["corrected"] == true {
                words.push("--correct");
            }
            words.extend(["--format", "json"]);
            let found = ordinate(&words).expect(0).json();
            assert_eq!(found["method"], method);
            for (name, expected) in ["x1", "x2"].iter().zip(row["y"].as_array().expect("a list")) {
                let value = number(&found["orbits"][0]["start"][name]);
                assert!((value - number(expected)).abs() < 1e-10, "{row}, {method}: {name} = {value}");
            }
        }
    }
}

#[test]
fn a_period_that_cannot_be_and_names_that_are_not_there_are_usage_errors() {
    let cases: [(&[&str], &str); 7] = [
        (&["--guess", "x3=1"], "did you mean"),
        (&["--guess", "x1"], "name=value"),
        (&["--period", "5"], "6.283185307"),
        (&["--period", "-1"], "not a positive number"),
        (&["-m", "bdf1"], "--steps N"),
        (&["--correct"], "--steps N"),
        (&["--plot", "a.txt"], ".svg or .png"),
    ];
    for (words, part) in cases {
        let all: Vec<&str> = ["periodic", "-e", DUFFING].into_iter().chain(words.iter().copied()).collect();
        let answer = ordinate(&all).expect(2);
        assert!(answer.err.contains(part) && answer.out.is_empty(), "{words:?}: {answer:?}");
    }
    let answer = ordinate(&["periodic", "-e", "x'' = -x + cos(t); init x = 0, x' = 0", "--format", "json"]).expect(3);
    assert_eq!(answer.json()["orbits"], serde_json::json!([]));
    assert!(answer.err.contains("singular") && answer.err.contains("next"), "{answer:?}");
}

#[test]
fn orbits_are_drawn() {
    let place = Place::new().with("m.eq", DUFFING);
    place.run(&["periodic", "m.eq", "--plot", "orbits.svg"]).expect(0);
    let picture = place.text("orbits.svg");
    assert!(picture.contains("unstable") && picture.contains("Re μ"), "{}", &picture[..300.min(picture.len())]);
}

#[test]
fn points_of_rest_are_listed_for_people_and_programs() {
    let text = "x' = x*(1 - x) - x*y; y' = y*(x - 0.5); init x = 0.5, y = 0.1; run 0 .. 10";
    let found = ordinate(&["equilibria", "-e", text, "--format", "json"]).expect(0).json();
    assert_eq!(found["schema"], "ordinate.equilibria/1");
    let points = found["points"].as_array().expect("a list");
    let at = |x: f64, y: f64| {
        let near = |p: &&Value| (number(&p["at"]["x"]) - x).abs() < 1e-12 && (number(&p["at"]["y"]) - y).abs() < 1e-12;
        points.iter().find(near).unwrap_or_else(|| panic!("({x}, {y}) is not among {found}"))
    };
    assert_eq!(points.len(), 3);
    assert_eq!(at(0.5, 0.5)["type"], "stable focus");
    assert_eq!((&at(0.0, 0.0)["type"], &at(1.0, 0.0)["type"]), (&"saddle".into(), &"saddle".into()));
    // λ² + x λ + x y = 0 at (1/2, 1/2)
    assert!((number(&at(0.5, 0.5)["eigenvalues"][0]["re"]) + 0.25).abs() < 1e-12);
    let answer = ordinate(&["equilibria", "-e", text]).expect(0);
    assert!(answer.out.contains("3 equilibria") && answer.out.contains("stable focus"), "{}", answer.out);
    let answer = ordinate(&["equilibria", "-e", "x' = 1; init x = 0"]).expect(3);
    assert!(answer.err.contains("no equilibrium") && answer.err.contains("next"), "{answer:?}");
    ordinate(&["equilibria", "-e", text, "--guess", "z=1"]).expect(2);
}

#[test]
fn every_guess_of_an_equilibrium_counts_and_an_orbit_has_one() {
    let sine = ["equilibria", "-e", "x' = sin(x); init x = 0.1", "--format", "json"];
    let words: Vec<&str> = sine.into_iter().chain(["--guess", "x=900*pi+0.1", "--guess", "x=1300*pi-0.1"]).collect();
    let found = ordinate(&words).expect(0).json();
    let points = found["points"].as_array().expect("a list");
    for expected in [900.0, 1300.0].map(|k| k * std::f64::consts::PI) {
        assert!(points.iter().any(|p| (number(&p["at"]["x"]) - expected).abs() < 1e-9), "{expected}: {found}");
    }
    let notes = found["notes"].to_string();
    assert!(notes.contains("more equilibria") && notes.contains("not a proof"), "{notes}");
    let answer = ordinate(&["periodic", "-e", DUFFING, "--guess", "x1=1", "--guess", "x1=0"]).expect(2);
    assert!(answer.err.contains("given twice"), "{answer:?}");
}

#[test]
fn what_does_not_come_back_has_no_periodic_orbit() {
    let answer = ordinate(&["periodic", "-e", "x' = -x + exp(-t); init x = 0.4", "--period", "1"]).expect(2);
    assert!(answer.err.contains("do not repeat") && answer.err.contains("t = ") && answer.out.is_empty(), "{answer:?}");
}

#[test]
fn sensitivities_are_columns() {
    let text = "param a = 2; x' = -a*x; init x = 3; run 0 .. 1";
    let answer = ordinate(&["run", "-e", text, "--sensitivity", "a,x", "--at", "1"]).expect(0);
    assert!(answer.out.contains("time,x,dx/da,dx/dx(0)"), "{}", answer.out);
    let found =
        ordinate(&["run", "-e", text, "--sensitivity", "a", "--summary", "json", "--rtol", "1e-10"]).expect(0).json();
    assert!((number(&found["final"]["dx/da"]) + 3.0 * (-2.0f64).exp()).abs() < 1e-9, "{found}");
    let answer = ordinate(&["run", "-e", text, "--sensitivity", "aa"]).expect(2);
    assert!(answer.err.contains("did you mean `a`") && answer.out.is_empty(), "{answer:?}");
}
