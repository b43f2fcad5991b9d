//! `stability` and `compare`: the fields of the contract, pictures and pages, and answers to slips.

use crate::support::{Place, ordinate};
use serde_json::{Value, json};

#[test]
fn stability_of_a_method_has_the_fields_of_the_contract() {
    let found = ordinate(&["stability", "rk4", "--format", "json"]).expect(0).json();
    assert_eq!(found["schema"], "ordinate.stability/1");
    assert_eq!(found["method"], "rk4");
    assert_eq!(found["real_interval"], -2.785293563405282);
    assert_eq!(found["imaginary_interval"], 2.8284271247461903);
    assert_eq!(json!([found["a_stable"], found["l_stable"], found["h_lambda"]]), json!([false, false, []]));
    // unbounded is null, and none at all is zero
    let found = ordinate(&["stability", "radau5", "--format", "json"]).expect(0).json();
    assert_eq!(json!([found["real_interval"], found["a_stable"], found["l_stable"]]), json!([null, true, true]));
    let found = ordinate(&["stability", "taylor", "--order", "2", "--format", "json"]).expect(0).json();
    assert_eq!(json!([found["real_interval"], found["imaginary_interval"]]), json!([-2.0, 0.0]));
    // the names of other programs are known here, too
    let found = ordinate(&["stability", "RK45", "--format", "json"]).expect(0).json();
    assert_eq!(found["method"], "dp5");
}

/// λ = −50 and −2 ± 3i, h = 0.1; the first one leaves the disc of Euler's method.
#[test]
fn stability_of_a_model_has_its_products() {
    let text = "x' = -50*x\ny' = -2*y + 3*z\nz' = -3*y - 2*z\ninit x = 1, y = 1, z = 0\nrun 0 .. 1\n";
    let place = Place::new().with("m.eq", text);
    let words = ["stability", "m.eq", "-m", "euler", "--step", "0.1", "--format", "json"];
    let found = place.run(&words).expect(0).json();
    let products = found["h_lambda"].as_array().expect("a list");
    let near = |z: &Value, re: f64, im: f64| {
        (z["re"].as_f64().expect("a number") - re).abs() < 1e-12
            && (z["im"].as_f64().expect("a number") - im).abs() < 1e-12
    };
    assert!(
        near(&products[0], -5.0, 0.0) && near(&products[1], -0.2, 0.3) && near(&products[2], -0.2, -0.3),
        "{found}"
    );
    assert_eq!(found["unstable"], 1);
    let said = place.run(&["stability", "m.eq", "-m", "euler", "--step", "0.1"]).expect(0);
    assert!(said.out.contains("unstable with this step: 1 eigenvalue"), "{}", said.out);
    let said = place.run(&["stability", "m.eq", "-m", "bdf2", "--step", "0.1", "--plot", "s.svg"]).expect(0);
    assert!(said.out.contains("stable with this step") && said.err.contains("wrote   s.svg"), "{said:?}");
    assert!(place.text("s.svg").starts_with("<svg"));
}

/// ge3 is stable on the imaginary axis within ±2 without the ends: at h = 2/ω errors grow linearly, and no line says otherwise.
#[test]
fn a_limit_that_is_not_stable_itself_is_not_called_so() {
    let text = "x'' = -100*x; init x = 1, x' = 0; run 0 .. 5";
    let said = ordinate(&["stability", "-e", text, "-m", "ge3", "--step", "0.2"]).expect(0);
    assert!(
        said.out.contains("unstable with this step") && said.out.contains("steps below 0.2 are stable"),
        "{said:?}"
    );
    let said = ordinate(&["stability", "-e", text, "-m", "rk4", "--step", "0.2"]).expect(0);
    // 2√2/10, rounded down: what is shown is stable itself
    assert!(said.out.contains("steps up to 0.282842 are stable"), "{said:?}");
    let decay = "x' = -3*x; init x = 1; run 0 .. 5";
    let said = ordinate(&["stability", "-e", decay, "-m", "euler", "--step", "0.666667"]).expect(0);
    assert!(said.out.contains("unstable with") && said.out.contains("steps up to 0.666666 are stable"), "{said:?}");
    let whole = "x' = -10*x; init x = 1; run 0 .. 5";
    let said = ordinate(&["stability", "-e", whole, "-m", "euler", "--step", "0.2"]).expect(0);
    assert!(said.out.contains("steps up to 0.2 are stable"), "{said:?}");
}

/// Slow decay beside fast oscillation: λ = −c ± i. Euler's method is stable for h ≤ 2c/(c² + 1); |R|² of the midpoint rule is
/// 1 − 2ch + h⁴/4 + …, stable for h³ ≤ 8c.
#[test]
fn a_short_longest_step_is_found() {
    let slow = "x' = -0.001*x + y; y' = -x - 0.001*y; init x = 1, y = 0; run 0 .. 1";
    let faint = "x'' = -x - 1e-9*x'; init x = 1, x' = 0; run 0 .. 1";
    let cases = [(slow, "euler", "0.001", 0.002 / 1.000001), (faint, "rk2", "0.001", 4e-9f64.cbrt())];
    for (text, method, step, expected) in cases {
        let words = ["stability", "-e", text, "-m", method, "--step", step];
        let found = ordinate(&[&words[..], &["--format", "json"]].concat()).expect(0).json();
        let longest = found["longest_step"].as_f64().expect("a number");
        assert!((longest / expected - 1.0).abs() < 1e-3 && found["unstable"] == 0, "{method}: {found}");
        let said = ordinate(&words).expect(0).out;
        assert!(said.contains("stable with this step") && !said.contains("no step is stable"), "{said}");
    }
}

/// bdf3 is A(86.03°)-stable: at 86.0324° it grows by 3·10⁻⁷ around |z| = 1.1 and nowhere else.
#[test]
fn a_narrow_gap_of_stability_ends_the_steps() {
    let (sine, cosine) = 86.0324f64.to_radians().sin_cos();
    let text =
        format!("x' = -{cosine:?}*x + {sine:?}*y; y' = -{sine:?}*x - {cosine:?}*y; init x = 1, y = 0; run 0 .. 1");
    for step in ["1.1", "0.5", "3"] {
        let words = ["stability", "-e", &text, "-m", "bdf3", "--step", step, "--format", "json"];
        let found = ordinate(&words).expect(0).json();
        let longest = found["longest_step"].as_f64().unwrap_or_else(|| panic!("a limit: {found}"));
        assert!(longest > 0.9 && longest < 1.1, "{found}");
        assert_eq!(found["unstable"], if step == "1.1" { 2 } else { 0 });
    }
}

/// Coefficients that depend on time have other rates later, however linear the model is.
#[test]
fn rates_that_change_are_those_of_the_start() {
    let of = |text: &str| ordinate(&["stability", "-e", text, "-m", "euler", "--step", "0.1"]).expect(0).out;
    let said = of("x' = -(1+exp(t))*x; x(0)=1; run 0 .. 10");
    assert!(
        said.contains("eigenvalues at the start") && said.contains("steps up to 1 are stable, at the start"),
        "{said}"
    );
    let said = of("x' = -2*x + sin(t); x(0)=1; run 0 .. 10");
    assert!(said.contains("eigenvalues everywhere") && said.contains("steps up to 1 are stable\n"), "{said}");
}

/// An algebraic state is taken out: z = −x/2 makes x′ = −3x.
#[test]
fn the_rates_of_a_model_with_algebraic_states_are_those_of_its_motion() {
    let text = "x' = -2*x + 2*z; 0 = z^3 + z + x^3/8 + x/2; init x = 1; guess z = -0.5; run 0 .. 1";
    let found =
        ordinate(&["stability", "-e", text, "-m", "radau5", "--step", "1", "--format", "json"]).expect(0).json();
    let z = &found["h_lambda"][0];
    assert!((z["re"].as_f64().expect("a number") + 3.0).abs() < 1e-9, "{found}");
    assert_eq!(found["h_lambda"].as_array().expect("a list").len(), 1);
}

/// The symmetric part of the Jacobian of x″ = −x − c x′ is diag(0, −c).
#[test]
fn the_stiffness_indicator_along_a_run_is_the_mean_of_the_extreme_rates() {
    let text = "x'' = -x - 0.4*x'; init x = 1, x' = 0; run 0 .. 5";
    let found = ordinate(&["stability", "-e", text, "--along", "--format", "json"]).expect(0).json();
    let sigma = found["sigma"].as_array().expect("a list");
    assert!(sigma.len() > 100 && sigma.iter().all(|s| (s.as_f64().expect("a number") + 0.2).abs() < 1e-14), "{found}");
    assert_eq!(found["stiff"], false);
    // neighbouring solutions part at first although both eigenvalues are negative: m, M = −1.5 ∓ √25.25
    let sheared = "x' = -x + 10*y; y' = -2*y; init x = 1, y = 1; run 0 .. 1";
    let found = ordinate(&["stability", "-e", sheared, "--along", "--format", "json"]).expect(0).json();
    for (name, rate) in [("lower", -1.5 - 25.25f64.sqrt()), ("upper", -1.5 + 25.25f64.sqrt()), ("fastest_rate", 2.0)] {
        assert!((found[name][7].as_f64().expect("a number") - rate).abs() < 1e-12, "{name}: {}", found[name][7]);
    }
    let stiff = "x' = -5000*(x - cos(t)); init x = 1; run 0 .. 5";
    let found = ordinate(&["stability", "-e", stiff, "--along", "--format", "json"]).expect(0).json();
    assert_eq!(json!([found["stiffness_factor"], found["stiff"]]), json!([25000.0, true]));
}

#[test]
fn compare_has_the_fields_of_the_contract() {
    let place = Place::new().with("m.eq", "x' = y; y' = -x - 0.01*y; init x = 1, y = 0; run 0 .. 5\n");
    let words = ["compare", "m.eq", "-m", "dp5,taylor,ab2,ge3", "--rtols", "1e-3,1e-6", "--repeat", "1"];
    let found = place.run(&[&words[..], &["--format", "json"]].concat()).expect(0).json();
    assert_eq!(found["schema"], "ordinate.compare/1");
    let rows = found["rows"].as_array().expect("a list");
    assert_eq!(rows.len(), 6, "{found}");
    for row in rows {
        for field in ["method", "rtol", "steps", "rejected", "evaluations", "error", "estimate", "seconds"] {
            assert!(row.get(field).is_some(), "{field}: {row}");
        }
        let goal = row["rtol"].as_f64().unwrap_or(1e-3);
        assert!(row["error"].as_f64().expect("a number") < 10.0 * goal, "{row}");
    }
    assert_eq!(found["skipped"][0]["method"], "ge3");

    let said = place.run(&[&words[..], &["-o", "report.html", "--plot", "w.png"]].concat()).expect(0);
    assert!(
        said.out.contains("reference  14 digits verified") && said.out.contains("not in the table"),
        "{}",
        said.out
    );
    let page = place.text("report.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.matches("<figure>").count() == 3, "a page with three pictures");
    assert!(!page.contains("http://") || page.matches("http").count() == page.matches("http://www.w3.org").count());
}

/// Euler's method would take minutes here. Whoever ends that gets what is complete, with a named reason.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_comparison_shows_what_it_has() {
    use std::process::{Command, Stdio};
    let mut command = Command::new(env!("CARGO_BIN_EXE_ordinate"));
    command.args(["compare", "-e", "x' = y; y' = -x; init x = 1, y = 0", "-t", "5", "-m", "dp8,euler"]);
    command.args(["--rtols", "1e-3,1e-13", "--max-steps", "100000000000", "--repeat", "1", "--format", "json"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    // it listens once SIGINT, the second signal, is among those that it catches
    let status = format!("/proc/{}/status", child.id());
    let listens = || {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:")).map(str::trim).unwrap_or("0");
        u64::from_str_radix(caught, 16).is_ok_and(|signals| signals & 0b10 != 0)
    };
    while !listens() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_secs(3));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(sent.success(), "the comparison was still under way");
    let answer = child.wait_with_output().expect("an end");
    let (out, err) = (String::from_utf8_lossy(&answer.stdout), String::from_utf8_lossy(&answer.stderr));
    assert!(answer.status.code() == Some(130) && err.contains("interrupted while"), "{err}");
    // on a slow machine the reference may have been under way, and there is nothing yet
    if !err.contains("the reference") {
        let found: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(json!([found["status"], found["reason"]["kind"]]), json!(["interrupted", "interrupted"]));
        assert!(found["rows"].as_array().is_some_and(|rows| !rows.is_empty()), "{found}");
    }
}

/// The end of the run says nothing of the rates at its start.
#[test]
fn an_end_time_that_is_not_used_is_named() {
    let words = ["stability", "-e", "x' = -x; init x = 1", "-m", "rk4", "--step", "1", "-t", "3"];
    let said = ordinate(&words).expect(0);
    assert!(said.err.contains("`-t` is not used") && said.out.contains("stable with this step"), "{said:?}");
}

/// With a picture or without: no row is exit code 3, and the reason is shown.
#[test]
fn a_comparison_without_rows_says_why() {
    let place = Place::new();
    let words = ["compare", "-e", "x' = -x; init x = 1; run 0 .. 1", "-m", "ge3"];
    for more in [&[][..], &["--plot", "f.png"]] {
        let said = place.run(&[&words[..], more].concat()).expect(3);
        assert!(said.out.contains("`ge3` is for second derivatives"), "{said:?}");
    }
}

#[test]
fn slips_of_both_verbs_are_answered() {
    let place = Place::new().with("m.eq", "x' = -x; init x = 1; run 0 .. 1\n");
    let cases: &[(&[&str], i32, &str)] = &[
        (&["stability"], 2, "ordinate stability rk4"),
        (&["stability", "rk44"], 2, "did you mean `rk4`?"),
        (&["stability", "taylor"], 2, "--order P"),
        (&["stability", "auto"], 2, "radau5"),
        (&["stability", "radau"], 2, "`radau5`"),
        (&["stability", "bdf"], 2, "bdf1"),
        (&["stability", "rk4", "--order", "3"], 2, "is its own"),
        (&["stability", "rk4", "--step", "0.1"], 2, "belongs to a model"),
        (&["stability", "m.eq"], 2, "which method?"),
        (&["stability", "m.eq", "-m", "rk4"], 2, "--step H"),
        (&["stability", "m.eq", "-m", "rk4", "--step", "-1"], 2, "positive"),
        (&["stability", "none.eq", "-m", "rk4", "--step", "1"], 2, "no model file"),
        (&["stability", "rk4", "--show", "damping"], 2, "--plot"),
        (&["stability", "rk4", "--plot", "a.svg", "--show", "spiral"], 2, "region, damping, frequency, star"),
        (&["stability", "rk4", "--plot", "a.pdf"], 2, "end in .svg or .png"),
        (&["stability", "-e", "x' = x +", "-m", "rk4", "--step", "1"], 1, "error"),
        (&["stability", "rk4,dp5", "--order", "3"], 2, "is its own"),
        (&["stability", "rk4", "--plot", "a.svg", "--show", "all,spiral"], 2, "region, damping, frequency, star"),
        (&["stability", "m.eq", "-m", "rk4", "--step", "1", "-t", "foo"], 2, "`-t foo` is not a finite constant"),
        (&["stability", "m.eq", "--along", "-t", "foo"], 2, "`-t foo` is not a finite constant"),
        (&["stability", "m.eq", "--along", "-t", "-5"], 2, "the end time -5 lies before the start time 0"),
        (&["compare", "m.eq", "-m", "rk4", "-t", "foo"], 2, "`-t foo` is not a finite constant"),
        (&["compare", "m.eq", "-m", "rk4", "--t-start", "7"], 2, "the end time 1 lies before the start time 7"),
        (&["run", "m.eq", "--plot", "-o", "-", "-q"], 2, "both want standard output"),
        (&["compare", "m.eq", "-m", "dp55"], 2, "there is no method `dp55`"),
        (&["compare", "m.eq", "--rtols", "3"], 2, "between 0 and 1"),
        (&["compare", "m.eq", "-o", "a.csv"], 2, ".html or .json"),
        (&["compare", "-e", "y' = y^2; y(0) = 1", "-t", "2", "-m", "dp5"], 3, "nothing to compare with"),
        (&["compare", "-e", "y' = -y; y(0) = 1", "-m", "dp5"], 2, "no end time"),
    ];
    for (words, code, expected) in cases {
        let said = place.run(words).expect(*code);
        assert!(said.err.contains(expected) && said.out.is_empty(), "{words:?}: {said:?}");
    }
}
