//! `linearize` through the command line: golden cases, the shape of its JSON, files, messages.

use crate::golden::{cases, list, string};
use crate::support::{Answer, Place, ordinate, repository};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<Vec<f64>> {
    let row = |row: &Value| list(row).iter().map(|v| v.as_f64().expect("a number")).collect();
    list(value).iter().map(row).collect()
}

/// Reference values are decimal strings.
fn reference(value: &Value) -> Vec<Vec<f64>> {
    let number = |v: &Value| string(v).parse::<f64>().expect("a number");
    list(value).iter().map(|row| list(row).iter().map(number).collect()).collect()
}

fn assert_close(what: &str, found: &[Vec<f64>], expected: &[Vec<f64>]) {
    assert_eq!(found.len(), expected.len(), "{what}: {found:?}");
    for (f, e) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!((f - e).abs() <= 1e-13 * (1.0 + e.abs()), "{what}: {found:?} instead of {expected:?}");
    }
}

/// `(-0.3 - 2.5j)` or `0.0` as real and imaginary part.
fn complex(text: &str) -> (f64, f64) {
    let inner = text.trim_matches(['(', ')']);
    let Some((re, im)) = inner.split_once(' ') else { return (inner.parse().expect("a number"), 0.0) };
    let im: f64 = im.replace([' ', 'j'], "").parse().expect("a number");
    (re.parse().expect("a number"), im)
}

fn eigenvalues(value: &Value) -> Vec<(f64, f64)> {
    let part = |v: &Value, name: &str| v[name].as_f64().expect("a number");
    list(value).iter().map(|v| (part(v, "re"), part(v, "im"))).collect()
}

/// The linearisations of the thesis: A, B (there E), both matrices, ranks, eigenvalues.
#[test]
fn golden_linearisations() {
    let all: Vec<Value> = cases("facts").into_iter().filter(|case| string(&case["id"]).starts_with("lin-")).collect();
    assert_eq!(all.len(), 3);
    for case in all {
        let id = string(&case["id"]);
        let pairs = |value: &Value| {
            let map = value.as_object().expect("names and values");
            map.iter().map(|(name, value)| format!("{name}={}", string(value))).collect::<Vec<_>>()
        };
        let states: Vec<String> = list(&case["states"]).iter().map(string).collect();
        let mut text = format!("param {}\ninput u = 1\n", pairs(&case["params"]).join(", "));
        list(&case["equations"]).iter().for_each(|e| text.push_str(&(string(e).replace("**", "^") + "\n")));
        let starts: Vec<String> = states.iter().map(|name| format!("{name} = 0.5")).collect();
        let seen = list(&case["C"]).iter().position(|c| string(c) == "1").expect("one state is measured");
        text.push_str(&format!("init {}\noutput {}\n", starts.join(", "), states[seen]));
        let point = pairs(&case["point"]).join(",");
        let place = Place::new().with("model.eq", text);
        let found = place.run(&["linearize", "model.eq", "--at", &point, "--format", "json"]).expect(0).json();
        assert_eq!(list(&found["states"]).iter().map(string).collect::<Vec<_>>(), states, "{id}");
        assert_close(&id, &numbers(&found["A"]), &reference(&case["A"]));
        assert_close(&id, &numbers(&found["B"]), &reference(&case["E"]));
        assert_close(&id, &numbers(&found["controllability"]), &reference(&case["controllability"]));
        assert_close(&id, &numbers(&found["observability"]), &reference(&case["observability"]));
        assert_eq!(found["controllability_rank"], case["rank_controllability"], "{id}");
        assert_eq!(found["observability_rank"], case["rank_observability"], "{id}");
        assert_eq!(found["equilibrium"], true, "{id}");
        let mut expected: Vec<(f64, f64)> = list(&case["eigenvalues"]).iter().map(|v| complex(&string(v))).collect();
        for (re, im) in eigenvalues(&found["eigenvalues"]) {
            let near = |e: &(f64, f64)| (e.0 - re).hypot(e.1 - im);
            let k = (0..expected.len()).min_by(|&a, &b| near(&expected[a]).total_cmp(&near(&expected[b])));
            let e = expected.remove(k.expect("as many eigenvalues"));
            // a double zero is determined to half of the digits only; others are given with 15
            assert!(
                near(&e) <= 2e-14 * (1.0 + e.0.hypot(e.1)) || (e == (0.0, 0.0) && near(&e) < 1e-7),
                "{id}: {re} {im}"
            );
        }
        assert!(expected.is_empty());
    }
}

fn typed(args: &[&str]) -> Answer {
    let mut command = crate::support::limited();
    command.current_dir(repository()).args(args);
    crate::support::finish(command, b"")
}

/// As a newcomer types it: a table with names, units and modes.
#[test]
fn the_cart_is_linearised_as_typed() {
    let answer = typed(&["linearize", "examples/cart.eq", "--at", "phi=0"]).expect(0);
    for part in [
        "cart.eq at t = 0, an equilibrium",
        "x    = -1 m\n",
        "u    = 0 N   input",
        "phi''",
        "2.74244",
        "controllable  yes, rank 4 of 4",
    ] {
        assert!(answer.out.contains(part), "{part:?} is missing in\n{}", answer.out);
    }
    // the energy is stationary there, so it shows nothing
    assert!(answer.out.contains("observable    NO, rank 0 of 4"), "{}", answer.out);
}

#[test]
fn the_json_has_the_fields_of_the_contract() {
    let found = typed(&["linearize", "examples/cart.eq", "--at", "phi=0", "--format", "json"]).expect(0).json();
    assert_eq!(found["schema"], "ordinate.linearize/1");
    assert_eq!(found["states"], serde_json::json!(["x", "x'", "phi", "phi'"]));
    assert_eq!(found["point"], serde_json::json!({"x": -1.0, "x'": 0.0, "phi": 0.0, "phi'": 0.0, "u": 0.0}));
    assert_eq!((&found["inputs"], &found["outputs"]), (&serde_json::json!(["u"]), &serde_json::json!(["E"])));
    let sizes = |name: &str| (numbers(&found[name]).len(), numbers(&found[name]).first().map_or(0, Vec::len));
    assert_eq!([sizes("A"), sizes("B"), sizes("C"), sizes("D")], [(4, 4), (4, 1), (1, 4), (1, 1)]);
    assert_eq!((&found["controllability_rank"], &found["observability_rank"]), (&4.into(), &0.into()));
    assert_eq!(list(&found["unobservable"]).len(), 4);
    let mode = &found["modes"][0];
    assert!((mode["eigenvalue"]["re"].as_f64().unwrap() - 7.521f64.sqrt()).abs() < 1e-12, "{mode}");
    assert_eq!(mode["damping"], -1.0);
    assert_eq!(found["units"]["states"], serde_json::json!(["m", "m/s", "rad", "rad/s"]));
}

/// The rates of a point that is none of rest are said, and it is not refused.
#[test]
fn a_moving_point_is_named_as_such() {
    let answer = ordinate(&["linearize", "-e", "x' = -x + 2; init x = 1"]).expect(0);
    assert!(answer.out.contains("NOT an equilibrium") && answer.out.contains("x' = 1"), "{}", answer.out);
}

#[test]
fn mistakes_are_named_with_their_exit_codes() {
    let model = "input u = 0; x' = -abs(x) + u; init x = 0";
    let cases: [(&[&str], i32, &str); 9] = [
        (&[], 3, "kink"),
        (&["--at", "y=1"], 2, "the model has no `y`"),
        (&["--at", "x"], 2, "name=value"),
        (&["--at", "x=1", "--free", "v"], 2, "the model has no `v`"),
        (&["--set", "u=-1", "--at", "x=1", "--equilibrium"], 3, "no equilibrium"),
        (&["--at", "x=1", "-t", "soon"], 2, "-t soon"),
        (&["--at", "x=1", "--sampled", "-1"], 2, "positive"),
        (&["--at", "x=1", "-o", "x.csv"], 2, ".mat"),
        (&["--at", "x=1", "--plot", "x.svg", "--picture", "bodee"], 2, "did you mean `bode`"),
    ];
    for (more, code, part) in cases {
        let place = Place::new();
        let args: Vec<&str> = ["linearize", "-e", model].iter().chain(more).copied().collect();
        let answer = place.run(&args).expect(code);
        assert!(answer.err.contains(part), "{more:?}: {}", answer.err);
        assert!(answer.out.is_empty() && place.files().is_empty(), "{more:?}: {:?}", place.files());
    }
}

/// What is written is what is printed; a failure leaves nothing under the final name.
#[test]
fn files_hold_the_matrices() {
    let place = Place::new();
    let model = "input u = 0; x' = -2*x + y + 3*u; y' = -y; init x = 0, y = 0";
    let args =
        ["linearize", "-e", model, "-o", "a.json", "-o", "a.mat", "-o", "a.npz", "-o", "a.eq", "--format", "json"];
    let answer = place.run(&args).expect(0);
    assert_eq!(place.files(), ["a.eq", "a.json", "a.mat", "a.npz"]);
    assert_eq!(place.text("a.json"), answer.out);
    let mat = std::fs::read(place.path("a.mat")).unwrap();
    let integer = |k: usize| u32::from_le_bytes(mat[4 * k..4 * k + 4].try_into().unwrap());
    assert_eq!([0, 1, 2, 3, 4].map(integer), [0, 2, 2, 0, 2]);
    let element = |k: usize| f64::from_le_bytes(mat[22 + 8 * k..30 + 8 * k].try_into().unwrap());
    // by columns
    assert_eq!([0, 1, 2, 3].map(element), [-2.0, 0.0, 1.0, -1.0]);
    assert!(std::fs::read(place.path("a.npz")).unwrap().starts_with(b"PK\x03\x04"));
}

/// Near the point the linear model runs as the model does: the difference of second order in the deviation.
#[test]
fn the_linear_model_runs_beside_the_model() {
    let place = Place::new();
    let model = repository().join("examples/cart.eq");
    let model = model.to_str().expect("a path of characters");
    place.run(&["linearize", model, "--at", "phi=pi", "-o", "linear.eq"]).expect(0);
    let end = |name: &str, phi: &str| {
        let phi = format!("phi={phi}");
        let args = ["run", name, "-t", "2", "--set", &phi, "--rtol", "1e-11", "--atol", "1e-13", "--summary", "json"];
        let found = place.run(&args).expect(0).json();
        ["x", "x'", "phi", "phi'"].map(|name| found["final"][name].as_f64().expect("a number"))
    };
    let apart = |deviation: f64| {
        let phi = format!("pi + {deviation}");
        let (a, b) = (end(model, &phi), end("linear.eq", &phi));
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    let (far, near) = (apart(0.02), apart(0.01));
    // the pendulum is odd around the point: third order
    let order = (far / near).log2();
    assert!((2.7..3.3).contains(&order), "{far} {near}");
}

/// Hidden states, feed-through and a chain of derivatives survive as a model text.
#[test]
fn the_linear_model_of_a_transfer_function_answers_alike() {
    let place = Place::new();
    let model = "input u = 1; y = laplace((2*s^2 + s + 4)/(s^2 + 3*s + 2), u); z'' = -z + y; init z = 0, z' = 0; output y; run 0 .. 3";
    place.run(&["linearize", "-e", model, "-o", "linear.eq"]).expect(0);
    let end = |args: &[&str]| {
        let all: Vec<&str> =
            ["run"].iter().chain(args).chain(&["--rtol", "1e-11", "--summary", "json"]).copied().collect();
        let found = place.run(&all).expect(0).json();
        [found["final"]["y"].as_f64().unwrap(), found["final"]["z"].as_f64().unwrap()]
    };
    let (a, b) = (end(&["-e", model]), end(&["linear.eq"]));
    assert!((a[0] - b[0]).abs() < 1e-9 && (a[1] - b[1]).abs() < 1e-9, "{a:?} {b:?}");
}

/// The disturbance of a motor has a matrix of its own, also if it is a parameter.
#[test]
fn disturbances_are_apart() {
    let model = "param w = 0; input u = 0; x' = -x + 2*u - 3*w; init x = 0; output y = x + 5*w";
    let found = ordinate(&["linearize", "-e", model, "--disturbance", "w", "--format", "json"]).expect(0).json();
    assert_eq!((&found["B"], &found["G"]), (&serde_json::json!([[2.0]]), &serde_json::json!([[-3.0]])));
    assert_eq!((&found["disturbances"], &found["Dg"]), (&serde_json::json!(["w"]), &serde_json::json!([[5.0]])));
}

/// x' = −a x + b u sampled: F = e^(−a T), G = b (1 − F)/a; Tustin and both Euler rules by their formulas.
#[test]
fn the_sampled_system_is_that_of_its_rule() {
    let (a, b, h) = (2.0f64, 3.0, 0.1);
    let model = "input u = 0; x' = -2*x + 3*u; init x = 0";
    let sampled = |hold: &str| {
        let args = ["linearize", "-e", model, "--sampled", "0.1", "--hold", hold, "--format", "json"];
        ordinate(&args).expect(0).json()
    };
    let exact = (-a * h).exp();
    let cases = [("zoh", exact, b * (1.0 - exact) / a), ("forward", 1.0 - a * h, b * h)];
    for (hold, f, g) in cases {
        let found = sampled(hold);
        let found = &found["sampled"];
        assert_close(hold, &numbers(&found["F"]), &[vec![f]]);
        assert_close(hold, &numbers(&found["G"]), &[vec![g]]);
        assert_eq!(found["hold"], hold);
    }
    // the other rules keep the transfer function at their places: H (z − F)⁻¹ G + I at z is the continuous one at s
    for (hold, s) in [("tustin", 2.0 / h * (2.0 - 1.0) / (2.0 + 1.0)), ("backward", (2.0 - 1.0) / (2.0 * h))] {
        let found = sampled(hold);
        let element = |name: &str| numbers(&found["sampled"][name])[0][0];
        let value = element("H") / (2.0 - element("F")) * element("G") + element("I");
        assert!((value - b / (s + a)).abs() < 1e-13, "{hold}: {value}");
    }
}

/// (3 s + 4)/(s² + 3 s + 2) from a model of it.
#[test]
fn transfer_functions_are_those_of_the_model() {
    let model = "input u = 0; x' = -x + u; y' = -2*y + x + 3*u; init x = 0, y = 0; output y";
    let found = ordinate(&["linearize", "-e", model, "--transfer", "--gramians", "--format", "json"]).expect(0).json();
    let channel = &found["transfer"][0];
    let close = |value: &Value, expected: &[f64]| {
        let found: Vec<f64> = list(value).iter().map(|v| v.as_f64().expect("a number")).collect();
        assert_eq!(found.len(), expected.len(), "{found:?}");
        found.iter().zip(expected).for_each(|(f, e)| assert!((f - e).abs() < 1e-12, "{found:?}"));
    };
    close(&channel["numerator"], &[3.0, 4.0]);
    close(&channel["denominator"], &[1.0, 3.0, 2.0]);
    assert!((channel["dc_gain"].as_f64().unwrap() - 2.0).abs() < 1e-13);
    // A W + W Aᵀ + B Bᵀ = 0
    close(&found["gramians"]["controllability"][0], &[0.5, 7.0 / 6.0]);
}

/// Every picture is drawn for a plant with one input and one output.
#[test]
fn every_picture_is_drawn() {
    let model = "input u = 0; x'' = -0.4*x' - 4*sin(x) + 2*u; init x = 0.5, x' = 0; output x; run 0 .. 10";
    for picture in ["bode", "nyquist", "locus", "poles", "step", "impulse", "response"] {
        let place = Place::new();
        let args = ["linearize", "-e", model, "--at", "x=0", "--plot", "a.svg", "--picture", picture];
        place.run(&args).expect(0);
        let svg = place.text("a.svg");
        assert!(svg.contains("<svg") && svg.len() > 2000, "{picture}");
        match picture {
            "bode" => assert!(svg.contains("phase margin"), "{svg}"),
            "nyquist" => assert!(svg.contains("−1")),
            "response" => assert!(svg.contains("nonlinear")),
            _ => {}
        }
    }
}
