//! `design fblin` and `design lyapunov`: laws and proofs made of the model's own formulas, against exact solutions, the
//! golden values and identities; and what is said where there is no law or no proof.

use crate::support::{Answer, Place, Table, ordinate, repository};
use serde_json::Value;
use std::f64::consts::PI;

const PENDULUM: &str = "param m = 1, l = 2, g = 10, d = 1\ninput u = 0\nphi'' = -d/m*phi' - g/l*sin(phi) + u\n\
                        init phi = pi/2, phi' = 0\nrun 0 .. 20\n";
const REVERSED: &str = "param mu = 1; x' = -y; y' = x - mu*(1 - x^2)*y; x(0) = 0.5; y(0) = 0; run 0 .. 20";

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn example(name: &str) -> String {
    repository().join("examples").join(name).to_string_lossy().into_owned()
}

/// Writes a closed loop and runs it.
fn closed(plant: &str, design: &[&str], run: &[&str]) -> (String, Table) {
    let place = Place::new().with("plant.eq", plant);
    let words = [&["design", "fblin", "plant.eq", "-o", "closed.eq"], design].concat();
    place.run(&words).expect(0);
    let words = [&["run", "closed.eq", "--rtol", "1e-10", "--atol", "1e-12"], run].concat();
    (place.text("closed.eq"), place.run(&words).expect(0).table())
}

/// e″ + 2 e′ + e = 0 from e(0) = 1 − π/2, e′(0) = 0: the friction is cancelled, too, and the error fades.
#[test]
fn the_pendulum_follows_the_cosine_exactly() {
    let design = ["--output", "phi", "--reference", "cos(t)", "--poles", "-1,-1"];
    let (text, table) = closed(PENDULUM, &design, &[]);
    let begin = 1.0 - PI / 2.0;
    let exact = |t: f64| t.cos() - begin * (1.0 + t) * (-t).exp();
    assert!(table.deviation("phi", exact) < 1e-8, "{}", table.deviation("phi", exact));
    assert!(text.contains("drift = -d*phi'/m - g*sin(phi)/l"), "{text}");
    assert!(!text.contains("stop when"), "the input always moves phi'':\n{text}");
}

/// The law of the thesis leaves the friction in: that of a pendulum without friction, on one that has it. Golden values.
#[test]
fn the_law_without_friction_is_that_of_the_thesis() {
    let plant = PENDULUM.replace("-d/m*phi' - g/l*sin(phi) + u", "-g/l*sin(phi) + u");
    let place = Place::new().with("plant.eq", plant.replace(", d = 1", ""));
    let words = ["design", "fblin", "plant.eq", "--output", "phi", "--reference", "cos(t)", "--poles", "-1,-1"];
    place.run(&[&words[..], &["-o", "closed.eq"]].concat()).expect(0);
    let with_friction = place.text("closed.eq").replace("phi'' = -g/l", "phi'' = -1*phi' - g/l");
    let place = place.with("thesis.eq", with_friction);
    let text = std::fs::read_to_string(repository().join("tests/golden/control.json")).expect("the data");
    let all: Value = serde_json::from_str(&text).expect("JSON");
    let mut cases = all["cases"].as_array().expect("a list").iter();
    let case = cases.find(|case| case["id"] == "pend-linearizing").expect("a case");
    let rows = case["reference"].as_array().expect("a list");
    let times: Vec<String> = rows.iter().map(|row| row["t"].to_string()).collect();
    let answer = place.run(&["run", "thesis.eq", "--digits", "10", "--at", &times.join(",")]).expect(0);
    let table = answer.table();
    for (row, phi) in rows.iter().zip(table.column("phi")) {
        assert!((number(&row["y"][1]) - phi).abs() < 1e-9, "t = {}: {phi}", row["t"]);
    }
}

/// Relative degree 3: e = (a + b t + c t²) e^−10t by the default poles of a run of two seconds.
#[test]
fn the_ball_follows_a_sine_by_its_third_derivative() {
    let place = Place::new();
    let reference = "0.010 + 0.001*sin(5*t)";
    let model = example("maglev.eq");
    let words = ["design", "fblin", &model, "--output", "x", "--reference", reference, "-o", "closed.eq"];
    let found = place.run(&[&words[..], &["--format", "json"]].concat()).expect(0).json();
    assert_eq!(found["schema"], "ordinate.design/1");
    assert_eq!((&found["kind"], &found["relative_degree"][0]), (&"fblin".into(), &3.into()));
    assert_eq!(found["zero_dynamics"], Value::Null);
    assert_eq!(found["channels"][0]["gains"], serde_json::json!([1000.0, 300.0, 30.0]));
    assert_eq!(found["singular"], serde_json::json!(["i = 0"]));
    assert!(place.text("closed.eq").contains("stop when decoupling > "), "{}", place.text("closed.eq"));
    let table = place.run(&["run", "closed.eq", "--rtol", "1e-11", "--atol", "1e-14"]).expect(0).table();
    let force = 2.48315632e-5 * 0.8f64.powi(2) / 0.009f64.powi(2);
    let (a, slope, bend) = (0.001, 0.005, -(9.81 - force / 0.02));
    let b = slope + 10.0 * a;
    let c = (bend + 20.0 * b - 100.0 * a) / 2.0;
    let exact = |t: f64| 0.010 + 0.001 * (5.0 * t).sin() - (a + b * t + c * t * t) * (-10.0 * t).exp();
    assert!(table.deviation("x", exact) < 1e-10, "{}", table.deviation("x", exact));
}

/// Zero dynamics of the cart's position: the pendulum hangs (on the stability boundary, ±i √(g/l)) or stands (unstable).
#[test]
fn the_zero_dynamics_of_the_cart_are_the_pendulum() {
    let model = example("cart.eq");
    let words = ["design", "fblin", &model, "--output", "x", "--format", "json"];
    let place = Place::new();
    let hanging = place.run(&words).expect(0).json();
    let frequency = (9.81f64 / 1.5).sqrt();
    assert_eq!((&hanging["relative_degree"][0], &hanging["zero_dynamics"]["order"]), (&2.into(), &2.into()));
    assert_eq!(hanging["zero_dynamics"]["stable"], Value::Null);
    assert_eq!(hanging["singular"], serde_json::json!([]), "1/(M + m sin²) is never zero");
    let first = &hanging["zero_dynamics"]["eigenvalues"][0];
    assert!((number(&first["im"]).abs() - frequency).abs() < 1e-9 && number(&first["re"]).abs() < 1e-9, "{first}");
    let upright = [&words[..], &["--at", "phi=0", "-o", "closed.eq"]].concat();
    let refused = place.run(&upright).expect(3);
    assert!(refused.err.contains("zero dynamics are unstable"), "{}", refused.err);
    assert_eq!(refused.json()["zero_dynamics"]["stable"], false);
    assert!((number(&refused.json()["zero_dynamics"]["eigenvalues"][0]["re"]) - frequency).abs() < 1e-9);
    assert!(place.files().is_empty(), "nothing is written: {:?}", place.files());
    place.run(&[&upright[..], &["--force"]].concat()).expect(3);
    assert_eq!(place.files(), ["closed.eq"]);
}

/// −cos φ/(…) moves the angle: no law where it vanishes, and a loop that is led there stops with the reason.
#[test]
fn a_decoupling_term_that_vanishes_is_named() {
    let model = example("cart.eq");
    let words = ["design", "fblin", &model, "--output", "phi"];
    let refused = ordinate(&[&words[..], &["--at", "phi=pi/2"]].concat()).expect(3);
    assert!(refused.err.contains("vanishes at the point") && refused.err.contains("cos(phi) = 0"), "{}", refused.err);
    let place = Place::new();
    let led = ["--at", "phi=0", "--start", "phi=0.2, x=0", "--reference", "0.2 + t", "-o", "closed.eq"];
    let designed = place.run(&[&words[..], &led[..]].concat()).expect(0);
    assert!(designed.out.contains("zero where cos(phi) = 0; the loop stops there"), "{}", designed.out);
    let run = place.run(&["run", "closed.eq", "--summary", "json"]).expect(0).json();
    assert_eq!(run["reason"]["kind"], "stop_condition");
    let angle = number(&run["final"]["phi"]);
    assert!(angle < PI / 2.0 && angle > PI / 2.0 - 0.002, "cos(phi) has fallen to a thousandth: {angle}");
}

/// Two inputs: with their decoupling matrix inverted both errors are those of their own poles.
#[test]
fn two_outputs_are_decoupled() {
    let plant = "input u1 = 0, u2 = 0\na'' = -a^2*b + u1 + 0.5*u2\nb' = a*b + sin(a)*u1 + 2*u2\n\
                 init a = 0.1, a' = 0, b = -0.2\nrun 0 .. 4\n";
    let design = ["--output", "a,b", "--reference", "0", "--reference", "sin(t)", "--poles", "-2,-3,-4"];
    let (_, table) = closed(plant, &design, &[]);
    // e″ + 5 e′ + 6 e = 0 and e′ + 4 e = 0
    let a = |t: f64| 0.1 * (3.0 * (-2.0 * t).exp() - 2.0 * (-3.0 * t).exp());
    let b = |t: f64| t.sin() - 0.2 * (-4.0 * t).exp();
    assert!(table.deviation("a", a) < 1e-9, "{}", table.deviation("a", a));
    assert!(table.deviation("b", b) < 1e-9, "{}", table.deviation("b", b));
    let unicycle = "input v = 1, w = 0; x' = v*cos(th); y' = v*sin(th); th' = w; x(0) = 0; y(0) = 0; th(0) = 0";
    let refused = ordinate(&["design", "fblin", "-e", unicycle, "--output", "x,y"]).expect(1);
    assert!(refused.err.contains("singular everywhere") && refused.err.contains("integrator"), "{}", refused.err);
}

#[test]
fn what_has_no_linearising_law_is_said_by_name() {
    let design = |model: &str, words: &[&str]| {
        let answer: Answer = ordinate(&[&["design", "fblin", "-e", model], words].concat());
        (answer.code, answer.err)
    };
    let plain = "input u = 0; x' = y; y' = -x + u; x(0) = 1; y(0) = 0; run 0 .. 5";
    let cases: [(&str, &[&str], i32, &str); 11] = [
        ("input u = 0; x' = -x + u^2; x(0) = 1", &["--output", "x"], 1, "not affine in `u`: its slope by `u` is 2*u"),
        ("input u = 0; x' = -x; y' = u; x(0) = 1; y(0) = 0", &["--output", "x"], 1, "`u` does not reach `x`"),
        ("x' = -x; x(0) = 1", &["--output", "x"], 1, "no input"),
        (plain, &["--output", "z"], 2, "there is no `z`"),
        (plain, &["--output", "x,y"], 2, "as many inputs as outputs"),
        (plain, &["--output", "x", "--input", "v"], 2, "there is no input `v`"),
        (plain, &["--output", "x", "--poles", "-1"], 2, "1 poles, but the errors have 2"),
        (plain, &["--output", "x", "--poles", "-1+1i,-2"], 2, "no conjugate"),
        (plain, &["--output", "x", "--poles", "-1,1"], 2, "does not fade"),
        (plain, &["--output", "x", "--reference", "abs(sin(t))"], 2, "not smooth"),
        (plain, &["--output", "x", "--reference", "cos(tau)"], 2, "`tau` is not defined"),
    ];
    for (model, words, code, part) in cases {
        let (found, err) = design(model, words);
        assert!(found == code && err.contains(part), "{words:?} of {model}: {found} {err}");
    }
    let (_, misspelt) = design("input u = 0; speed' = u; speed(0) = 0", &["--output", "sped"]);
    assert!(misspelt.contains("did you mean `speed`"), "{misspelt}");
    let (code, rough) = design("input u = 0; x' = abs(x) + u; x(0) = 1", &["--output", "x"]);
    assert!(code == 1 && rough.contains("the rate of `x` is not smooth"), "{rough}");
}

fn lyapunov(model: &[&str], words: &[&str]) -> (i32, Value) {
    let answer = ordinate(&[&["design", "lyapunov"], model, words, &["--format", "json"]].concat());
    (answer.code, answer.json())
}

/// V of the errata: V′ = −(d/m) φ′², and where that is zero φ + 2 sin φ moves on unless φ = 0.
#[test]
fn the_pendulum_of_the_errata_is_stable_by_lasalle() {
    let model = example("pendulum-lyapunov.eq");
    let v = "phi'^2/2 + g/l*phi^2/2 + 2*g/l*(1 - cos(phi))";
    let (code, found) = lyapunov(&[&model], &["--v", v, "--region", "phi=-12..12, phi'=-30..30"]);
    assert_eq!(code, 0, "{found}");
    assert_eq!((&found["schema"], &found["kind"]), (&"ordinate.design/1".into(), &"lyapunov".into()));
    assert_eq!(found["V_prime"], "-d*phi'^2/m");
    assert_eq!((&found["positive"]["status"], &found["positive"]["strict"]), (&"proved".into(), &true.into()));
    assert_eq!((&found["not_rising"]["status"], &found["not_rising"]["strict"]), (&"proved".into(), &false.into()));
    assert_eq!(found["lasalle"], serde_json::json!({"zero": ["phi'"], "only_the_point": true, "open": null}));
    assert_eq!(found["conclusion"], "asymptotically stable (LaSalle)");
    assert_eq!(found["notes"], serde_json::json!([]), "V(0) and its slopes are zero exactly");
    // the border is nearest at φ′ = 30, φ = 0 or at φ = 12, φ′ = 0
    let least = (30.0f64.powi(2) / 2.0).min(9.81 / 1.5 * (72.0 + 2.0 * (1.0 - 12.0f64.cos())));
    let c = number(&found["level"]["c"]);
    assert!(c < least && c > 0.999 * least, "{c} {least}");
}

#[test]
fn a_wrong_candidate_is_refuted_by_a_point_that_anybody_can_check() {
    let model = example("pendulum-lyapunov.eq");
    let (code, found) = lyapunov(&[&model], &["--v", "phi'^2 + phi^2"]);
    assert_eq!((code, &found["not_rising"]["status"]), (3, &"refuted".into()));
    let at = &found["not_rising"]["counterexample"];
    let (phi, speed) = (number(&at["phi"]), number(&at["phi'"]));
    let force = -speed / 1.5 - 9.81 / 1.5 * (phi + 2.0 * phi.sin());
    let rate = 2.0 * phi * speed + 2.0 * speed * force;
    let bounds = &found["not_rising"]["value"];
    assert!(rate > 0.0, "V' = {rate} at {at}");
    assert!((rate - number(&bounds[0])).abs() < 1e-9 * rate && number(&bounds[0]) > 0.0, "{rate} {bounds}");
    assert_eq!((&found["level"], &found["conclusion"]), (&Value::Null, &"not proved".into()));
    let (_, flat) = lyapunov(&[&model], &["--v", "phi'^2"]);
    assert_eq!(flat["positive"]["status"], "refuted", "V = 0 wherever the pendulum stands still");
}

/// Van der Pol in reversed time: V′ = −2 μ y² (1 − x²) for x² + y², so that c = 1; another V gives more.
#[test]
fn the_level_set_inside_of_a_limit_cycle_is_found() {
    let region = ["--region", "x=-3..3, y=-3..3"];
    let (code, circle) = lyapunov(&["-e", REVERSED], &[&["--v", "x^2 + y^2"], &region[..]].concat());
    assert_eq!((code, &circle["not_rising"]["status"]), (3, &"refuted".into()));
    let c = number(&circle["level"]["c"]);
    assert!(c > 0.9998 && c < 1.0, "{c}");
    assert_eq!(circle["conclusion"], "asymptotically stable (LaSalle)");
    let (_, ellipse) = lyapunov(&["-e", REVERSED], &[&["--v", "1.5*x^2 - x*y + y^2"], &region[..]].concat());
    let (c, most) = (number(&ellipse["level"]["c"]), number(&ellipse["level"]["at_most"]));
    assert!(c > 0.999 * most && c < most, "{c} {most}");
    assert_eq!((&ellipse["lasalle"], &ellipse["conclusion"]), (&Value::Null, &"asymptotically stable".into()));
    // the least V on V′ ≥ 0, looked for on a grid
    let mut least = f64::INFINITY;
    for i in -1200..=1200 {
        for j in -1200..=1200 {
            let (x, y) = (f64::from(i) / 400.0, f64::from(j) / 400.0);
            let rate = -(3.0 * x - y) * y + (2.0 * y - x) * (x - (1.0 - x * x) * y);
            if rate > 0.0 {
                least = f64::min(least, 1.5 * x * x - x * y + y * y);
            }
        }
    }
    assert!(c < least && c > 0.99 * least, "{c} {least}");
}

#[test]
fn a_conserved_v_proves_stability_and_no_more() {
    let circle = ["-e", "x' = y; y' = -x; x(0) = 1; y(0) = 0; run 0 .. 5"];
    let (code, found) = lyapunov(&circle, &["--v", "x^2 + y^2"]);
    assert_eq!((code, &found["conclusion"], &found["V_prime"]), (0, &"stable".into(), &"0".into()));
    assert_eq!(found["lasalle"]["only_the_point"], false);
    // strictly, though its Hessian vanishes at the point
    let cubes = ["-e", "x' = -x^3; y' = -y - x*y^2; x(0) = 1; y(0) = 1; run 0 .. 5"];
    let (_, cubes) = lyapunov(&cubes, &["--v", "x^2 + y^2", "--region", "x=-0.4..0.4, y=-0.4..0.4"]);
    assert_eq!(cubes["conclusion"], "asymptotically stable", "{cubes}");
}

/// The saddles at φ = ±π are rest points with V′ = 0, too: they are not in the level set.
#[test]
fn the_level_set_leaves_out_other_points_of_rest() {
    let model = example("pendulum-damped.eq");
    let words = ["--v", "phi'^2/2 + g/l*(1 - cos(phi))", "--region", "phi=-4..4, phi'=-6..6"];
    let (code, found) = lyapunov(&[&model], &words);
    assert_eq!((code, &found["conclusion"]), (0, &"asymptotically stable (LaSalle)".into()));
    let c = number(&found["level"]["c"]);
    assert!(c < 9.81 / 1.5 * (1.0 - 4f64.cos()), "{c}");
}

/// All terms are of the fourth degree: no Hessian decides near the point, and the work has an end.
#[test]
fn what_cannot_be_decided_is_said_with_its_place() {
    let model = ["-e", "x' = -x^3/2 + x^2*y/2; y' = -y^3/2; x(0) = 1; y(0) = 1; run 0 .. 5"];
    let (code, found) = lyapunov(&model, &["--v", "x^2 + y^2", "--at", "x=0,y=0"]);
    assert_eq!((code, &found["not_rising"]["status"]), (3, &"undecided".into()));
    let nearest = &found["not_rising"]["boxes"][0]["x"];
    assert!(number(&nearest[0]).abs() < 0.01 && number(&nearest[1]).abs() < 0.01, "{nearest}");
    assert!(number(&found["boxes"]) < 400_000.0);
}

#[test]
fn mistakes_in_a_candidate_are_told_with_what_to_do() {
    let model = example("pendulum-lyapunov.eq");
    let cases: [(&[&str], i32, &str); 8] = [
        (&["--v", "phi'^2 + phy^2"], 2, "did you mean `phi`"),
        (&["--v", "abs(phi)"], 2, "not smooth"),
        (&["--v", "phi'^2 + phi^2 + 1"], 2, "V is 1 at the point"),
        (&["--v", "phi'^2 +"], 2, "--v:1"),
        (&["--v", "phi'^2*t"], 2, "depends on time"),
        (&["--v", "phi'^2 + phi^2", "--at", "phi=1, phi'=0"], 2, "is not an equilibrium"),
        (&["--v", "phi'^2 + phi^2", "--region", "phi=1..2"], 2, "must lie between both"),
        (&["--v", "phi'^2 + phi^2", "--region", "psi=-1..1"], 2, "there is no state `psi`"),
    ];
    for (words, code, part) in cases {
        let answer = ordinate(&[&["design", "lyapunov", &model], words].concat());
        assert!(answer.code == code && answer.err.contains(part), "{words:?}: {} {}", answer.code, answer.err);
    }
    let forced = "x' = -x + sin(t); x(0) = 1; run 0 .. 5";
    let answer = ordinate(&["design", "lyapunov", "-e", forced, "--v", "x^2", "--at", "x=0"]).expect(1);
    assert!(answer.err.contains("depends on time"), "{}", answer.err);
}

#[test]
fn the_picture_and_the_model_with_v_are_written() {
    let place = Place::new();
    let words = ["design", "lyapunov", "-e", REVERSED, "--v", "x^2 + y^2", "--region", "x=-0.9..0.9, y=-0.9..0.9"];
    place.run(&[&words[..], &["--plot", "v.svg", "-o", "with-v.eq"]].concat()).expect(0);
    let picture = place.text("v.svg");
    assert!(picture.contains("V ≤ 0.80") && picture.contains("solutions"), "the level set and the solutions");
    let table = place.run(&["run", "with-v.eq"]).expect(0).table();
    let values = table.column("V");
    assert!(values.windows(2).all(|pair| pair[1] <= pair[0] + 1e-12), "V does not rise along a solution");
    assert!(table.column("V_prime").iter().all(|rate| *rate <= 0.0));
}
