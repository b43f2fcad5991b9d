//! `check`, `info`, `new`, `examples`, `completions`, and the stages that `--emit` prints.

use crate::support::{Place, ordinate};
use serde_json::{Value, json};

#[test]
fn check_reports_every_mistake_with_its_place() {
    let text = "param k = 2, unused = 3\ny'' = -k*z\nx' = foo(x)\ninit y = 1, x = 0\n";
    let place = Place::new().with("m.eq", text);
    let found = place.run(&["check", "m.eq", "--format", "json"]).expect(1).json();
    assert_eq!(found["ok"], false);
    let list = found["diagnostics"].as_array().expect("a list");
    for d in list {
        let keys: Vec<&String> = d.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["severity", "code", "line", "column", "length", "message", "help"]);
    }
    let places: Vec<Value> =
        list.iter().map(|d| json!([d["severity"], d["code"], d["line"], d["column"], d["length"]])).collect();
    let expected = [
        json!(["error", "missing-start", 2, 1, 3]),
        json!(["error", "unknown-name", 2, 10, 1]),
        json!(["error", "unknown-function", 3, 6, 3]),
    ];
    assert_eq!(places, expected);
}

/// Columns and lengths count characters, not bytes.
#[test]
fn places_count_characters() {
    let text = "param größe = 1\nφφ' = -größe*ωω; φφ(0) = 1";
    let found = Place::new().with("m.eq", text).run(&["check", "m.eq", "--format", "json"]).expect(1).json();
    let d = &found["diagnostics"][0];
    assert_eq!(json!([d["line"], d["column"], d["length"]]), json!([2, 14, 2]), "{found}");
}

#[test]
fn check_of_a_good_model_is_ok() {
    let answer = ordinate(&["check", "-e", "y' = -y; y(0) = 1"]).expect(0);
    assert_eq!((answer.out.as_str(), answer.err.as_str()), ("-e: ok, 1 state\n", ""));
    let found = ordinate(&["check", "-e", "y' = -y; y(0) = 1", "--format", "json"]).expect(0).json();
    assert_eq!(found, json!({"ok": true, "diagnostics": []}));
}

/// A warning does not make a model wrong.
#[test]
fn a_warning_keeps_the_exit_code_zero() {
    let answer = ordinate(&["check", "-e", "param a = 1; y' = -y; y(0) = 1"]).expect(0);
    assert!(answer.err.contains("warning[unused-parameter]"), "{}", answer.err);
    assert!(answer.out.contains("1 warning"), "{}", answer.out);
    let run = ordinate(&["run", "-e", "param a = 1; y' = -y; y(0) = 1", "-t", "1"]).expect(0);
    assert!(run.err.contains("warning[unused-parameter]"), "{}", run.err);
}

/// A parameter that is only an output is in use.
#[test]
fn an_output_uses_its_parameter() {
    let answer = ordinate(&["check", "-e", "param a = 1; y' = -y; y(0) = 1; output a"]).expect(0);
    assert_eq!(answer.err, "");
}

/// The rendered form: file, line, caret, remedy.
#[test]
fn a_mistake_is_shown_with_its_line_and_a_caret() {
    let text = "# pendulum\nparam omega0 = 2\n\ntheta'' = -omega^2*sin(theta)\ninit theta = 1, theta' = 0*omega0\n";
    let answer = Place::new().with("p.eq", text).run(&["check", "p.eq"]).expect(1);
    let expected = "\
error[unknown-name]: `omega` is not defined
 --> p.eq:4:12
  |
4 | theta'' = -omega^2*sin(theta)
  |            ^^^^^
  |
  = help: did you mean `omega0`? or add `param omega = …`
";
    assert_eq!(answer.err, expected);
    assert_eq!(answer.out, "p.eq: 1 error\n");
}

#[test]
fn info_tells_what_a_model_consists_of() {
    let text = "param a = 2, b = a^2; input u = sin(t); x'' = -a*x + b*u; output E = x^2; z = 2*x; init x = 1, x' = 0; run 0 .. 3";
    let info = ordinate(&["info", "-e", text, "--format", "json"]).expect(0).json();
    assert_eq!(info["schema"], "ordinate.info/1");
    assert_eq!(info["states"], json!(["x", "x'"]));
    assert_eq!(info["parameters"], json!({"a": 2.0, "b": 4.0}));
    assert_eq!((&info["inputs"], &info["outputs"]), (&json!(["u"]), &json!(["E"])));
    assert_eq!((&info["index"], &info["degrees_of_freedom"]), (&json!(0), &json!(2)));
    assert_eq!(info["linear"], true);
    assert!(info["stiffness"].as_f64().is_some_and(|s| s >= 1.0));
    let set = ordinate(&["info", "-e", text, "--format", "json", "--set", "a=3"]).expect(0).json();
    assert_eq!(set["parameters"], json!({"a": 3.0, "b": 9.0}));
    let shown = ordinate(&["info", "-e", text]).expect(0).out;
    for word in ["linear", "x, x'", "a = 2", "u", "E", "0 … 3"] {
        assert!(shown.contains(word), "{word}: {shown}");
    }
}

#[test]
fn linear_means_that_the_jacobian_depends_on_no_state() {
    for (text, linear) in [
        ("y' = -y; y(0) = 1", true),
        ("y' = -sin(t)*y + t^2; y(0) = 1", true),
        ("y' = -y^2; y(0) = 1", false),
        ("x'' = -sin(x); init x = 1, x' = 0", false),
        ("y' = -abs(y); y(0) = 1", false),
    ] {
        let info = ordinate(&["info", "-e", text, "--format", "json"]).expect(0).json();
        assert_eq!(info["linear"], linear, "{text}");
    }
}

#[test]
fn every_stage_prints_itself() {
    let emit = |text: &str, stage: &str| ordinate(&["run", "-e", text, "--emit", stage]).expect(0).out;
    let text = "param k = 4; x'' = -k*x; init x = 1, x' = 0; run 0 .. 1";
    let tree = "param     k = 4\nequation  x'' = (-k) * x\ninit      x = 1, x' = 0\nrun       0 .. 1\n";
    assert_eq!(emit(text, "tree"), tree);
    let model = "param     k = 4\nstart     x = 1\nstart     x' = 0\nequation  x'' = -(k*x)\nrun       0 .. 1\n";
    assert_eq!(emit(text, "model"), model);
    let sorted = emit(text, "sorted");
    assert!(sorted.contains("x'' := ") && sorted.contains("state     x,"), "{sorted}");
    let program = emit(text, "program");
    assert!(program.contains("rhs") && program.contains("jacobian"), "{program}");
}

/// Both accelerations on the left of two coupled equations are solved for; the result is that of the solved form.
#[test]
fn coupled_accelerations_run_like_the_solved_form() {
    let head =
        "param M = 10, m = 1.5, l = 1.5, g = 9.81, u = 0; init x = -1, x' = 0, phi = pi + 0.1, phi' = 0; run 0 .. 5; ";
    let coupled = "(M+m)*x'' + m*l*cos(phi)*phi'' = u + m*l*sin(phi)*phi'^2; cos(phi)*x'' + l*phi'' = g*sin(phi)";
    let solved = "x'' = (u + m*l*sin(phi)*phi'^2 - m*g*sin(phi)*cos(phi)) / (M + m*sin(phi)^2); \
                  phi'' = (-u*cos(phi) + (M+m)*g*sin(phi) - m*l*sin(phi)*cos(phi)*phi'^2) / (M*l + m*l*sin(phi)^2)";
    let end = |equations: &str| {
        let args =
            ["run", "-e", head, "-e", equations, "--rtol", "1e-11", "--atol", "1e-12", "--summary", "json", "-q"];
        ordinate(&args).expect(0).json()["final"].clone()
    };
    let (a, b) = (end(coupled), end(solved));
    for name in ["x", "x'", "phi", "phi'"] {
        let (a, b) = (a[name].as_f64().expect(name), b[name].as_f64().expect(name));
        assert!((a - b).abs() < 1e-8, "{name}: {a} {b}");
    }
}

#[test]
fn new_writes_a_model_that_runs() {
    let place = Place::new();
    place.run(&["new", "pendulum"]).expect(0);
    place.run(&["new", "my-idea"]).expect(0);
    place.run(&["new", "house-table", "-o", "house.eq"]).expect(0);
    assert_eq!(place.files(), ["house.eq", "my-idea.eq", "outside-temperature.csv", "pendulum.eq"]);
    for file in ["pendulum.eq", "my-idea.eq", "house.eq"] {
        let answer = place.run(&["check", file, "--units", "strict"]).expect(0);
        assert_eq!(answer.err, "", "{file}");
        place.run(&["run", file, "-q"]).expect(0);
    }
    assert!(place.text("my-idea.eq").starts_with("# my-idea.eq"));
    let again = place.run(&["new", "pendulum"]).expect(2);
    assert!(again.err.contains("exists already"), "{}", again.err);
}

#[test]
fn examples_are_listed_and_printed() {
    let list = ordinate(&["examples"]).expect(0).out;
    for name in ["kepler", "pendulum", "lorenz", "bouncing-ball"] {
        assert!(list.lines().any(|line| line.split_whitespace().next() == Some(name)), "{name}: {list}");
    }
    assert!(!list.contains("\noutside-temperature"), "a table is no model: {list}");
    let printed = ordinate(&["examples", "kepler"]).expect(0).out;
    let file = std::fs::read_to_string(crate::support::repository().join("examples/kepler.eq")).expect("the file");
    assert_eq!(printed, file);
}

#[test]
fn completions_are_printed_for_each_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = ordinate(&["completions", shell]).expect(0).out;
        assert!(script.contains("ordinate") && script.contains("convert"), "{shell}");
    }
}
