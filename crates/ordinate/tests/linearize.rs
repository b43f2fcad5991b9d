//! Linear systems of models: exact derivatives, algebraic variables and constraints, equilibria, kinks.

use ordinate::{CompileOptions, Compiled, Linearization, LinearizeError, LinearizeOptions, Source, compile, linearize};

fn model(text: &str) -> Compiled {
    let options = CompileOptions { jacobian: true, ..CompileOptions::default() };
    compile(&Source::text(text), &options).expect("the model compiles")
}

fn pairs(at: &[(&str, &str)]) -> Vec<(String, String)> {
    at.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

fn at(text: &str, at: &[(&str, &str)]) -> Linearization {
    linearize(&model(text), &LinearizeOptions { at: pairs(at), ..Default::default() })
        .expect("there is a linear system")
}

fn failure(text: &str, options: LinearizeOptions) -> String {
    match linearize(&model(text), &options) {
        Ok(found) => panic!("a linear system: {found:?}"),
        Err(LinearizeError::Usage(text)) => text,
        Err(LinearizeError::None { message, hint }) => format!("{message}\n{hint}"),
        Err(LinearizeError::Model(found)) => found.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("\n"),
    }
}

/// Rows of a matrix.
fn rows(matrix: &ordinate_control::Matrix) -> Vec<Vec<f64>> {
    (0..matrix.rows()).map(|i| matrix.row(i).to_vec()).collect()
}

fn close(found: &[Vec<f64>], expected: &[&[f64]]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (f, e) in found.iter().zip(*expected) {
            assert!((f - e).abs() <= 1e-13 * (1.0 + e.abs()), "{found:?} instead of {expected:?}");
        }
    }
}

const PENDULUM: &str = "param d = 1, m = 1.5, g = 9.81, l = 1.5; input u = 0
phi'' = -(d/m)*phi' - (g/l)*sin(phi) + u/(l*m)
init phi = 0.3, phi' = 0";

#[test]
fn a_pendulum_has_its_textbook_matrices() {
    let found = at(PENDULUM, &[("phi", "0")]);
    close(&rows(&found.system.a), &[&[0.0, 1.0], &[-9.81 / 1.5, -1.0 / 1.5]]);
    close(&rows(&found.system.b), &[&[0.0], &[1.0 / 2.25]]);
    close(&rows(&found.system.c), &[&[1.0, 0.0], &[0.0, 1.0]]);
    assert_eq!((found.states, found.inputs), (vec!["phi".to_string(), "phi'".into()], vec!["u".to_string()]));
    assert_eq!(found.rates, [0.0, 0.0]);
}

/// Values are expressions of the language, parameters among them; a state that is not named has its start value.
#[test]
fn the_point_is_what_was_said() {
    let found = at(PENDULUM, &[("phi'", "2*l"), ("u", "-m")]);
    assert_eq!(found.point, [("phi".into(), 0.3), ("phi'".into(), 3.0), ("u".into(), -1.5)]);
    assert_eq!(found.rates[0], 3.0);
    assert!(!found.is_rest());
}

#[test]
fn named_expressions_are_looked_through() {
    let found = at("param k = 4; input u = 1; F = -k*x^2 + u*x; x'' = F; y = x*u; output y; init x = 1, x' = 0", &[]);
    close(&rows(&found.system.a), &[&[0.0, 1.0], &[-8.0 + 1.0, 0.0]]);
    close(&rows(&found.system.b), &[&[0.0], &[1.0]]);
    close(&rows(&found.system.c), &[&[1.0, 0.0]]);
    close(&rows(&found.system.d), &[&[1.0]]);
    assert_eq!(found.outputs_at, [1.0]);
}

/// x' = −z with z + z³ = x + u: dz = (dx + du)/(1 + 3z²).
#[test]
fn algebraic_variables_are_eliminated() {
    let found = at("input u = 1; x' = -z; z + z^3 = x + u; init x = 1; guess z = 1; output z", &[]);
    close(&rows(&found.system.a), &[&[-0.25]]);
    close(&rows(&found.system.b), &[&[-0.25]]);
    close(&rows(&found.system.c), &[&[0.25]]);
    close(&rows(&found.system.d), &[&[0.25]]);
    assert_eq!(found.algebraic, [("z".into(), 1.0)]);
}

/// The pendulum in Cartesian coordinates with a force along x, against the angle: x = l sin φ, y = l cos φ.
#[test]
fn constraints_leave_the_degrees_of_freedom() {
    let text = "param m = 2, l = 1.5, g = 9.81; input u = 0
m*x'' = -2*lambda*x + u
m*y'' = -2*lambda*y + m*g
x^2 + y^2 = l^2
init x = 0, x' = 0, y = l, y' = 0
guess lambda = 1";
    let found = at(text, &[]);
    assert_eq!(found.states, ["x", "x'"]);
    close(&rows(&found.system.a), &[&[0.0, 1.0], &[-9.81 / 1.5, 0.0]]);
    close(&rows(&found.system.b), &[&[0.0], &[0.5]]);
    assert!(found.notes.iter().any(|note| note.contains("2 degrees of freedom")), "{:?}", found.notes);
    // A start value that is in the way gives way, and only that one.
    let swung = at(text, &[("x", "0.9")]);
    assert_eq!((swung.at("x"), swung.at("x'")), (Some(0.9), Some(0.0)));
    assert!((swung.at("y").unwrap() - 1.2).abs() < 1e-12, "{:?}", swung.point);
    assert!(swung.notes.iter().any(|note| note.contains("`y` = 1.2")), "{:?}", swung.notes);
    let upright = at(text, &[("x", "0"), ("y", "-l")]);
    close(&rows(&upright.system.a), &[&[0.0, 1.0], &[9.81 / 1.5, 0.0]]);
    // Held aside by a force: with the angle φ,  φ'' = (u cos φ − m g sin φ)/(m l).
    let aside = linearize(
        &model(text),
        &LinearizeOptions { at: pairs(&[("x", "0.9")]), free: vec!["u".into()], ..Default::default() },
    )
    .expect("a force holds it");
    let (sin, cos) = (0.6f64, 0.8f64);
    let force = 2.0 * 9.81 * sin / cos;
    assert!((aside.at("u").unwrap() - force).abs() < 1e-12, "{:?}", aside.point);
    let slope = -(force * sin + 2.0 * 9.81 * cos) / (2.0 * 1.5);
    let product: f64 = -aside.system.a.at(1, 0);
    assert!((product + slope).abs() < 1e-11, "{product} {slope}");
}

/// |v| v is smooth at zero, |v| is not.
#[test]
fn only_a_real_kink_is_refused() {
    close(&rows(&at("v' = -abs(v)*v; init v = 0", &[]).system.a), &[&[0.0]]);
    let text = failure("v' = -abs(v); init v = 0", LinearizeOptions::default());
    assert!(text.contains("kink") && text.contains("the sign of `v`"), "{text}");
    close(&rows(&at("v' = -abs(v); init v = 0", &[("v", "-2")]).system.a), &[&[1.0]]);
    let jump = failure("v' = if v > 1 then 1 else 0; init v = 1", LinearizeOptions::default());
    assert!(jump.contains("jump"), "{jump}");
    let root = failure("v' = -sqrt(v); init v = 0", LinearizeOptions::default());
    assert!(root.contains("the rate of `v` has no finite derivative by `v`"), "{root}");
    // both branches must be left at once for anything to change
    let corner = "x' = if x < 0 and y < 0 then x else 0; y' = -y; init x = 0, y = 0";
    assert!(failure(corner, LinearizeOptions::default()).contains("kink"));
}

/// What cannot be linearised is said, or refused.
#[test]
fn delays_are_refused_and_steps_are_noted() {
    let delayed = failure("x' = -delay(x, 0.5); init x = 1", LinearizeOptions::default());
    assert!(delayed.contains("delays `x`") && delayed.contains("pade(x, 0.5, 5)"), "{delayed}");
    let stepped = at("x' = -x + floor(x + 0.3); init x = 0.5", &[]);
    close(&rows(&stepped.system.a), &[&[-1.0]]);
    assert!(stepped.notes.iter().any(|note| note.contains("integer part")), "{:?}", stepped.notes);
}

/// A ball held by a magnet: c i²/x² = m g and u = R i.
#[test]
fn an_input_can_be_found_that_keeps_a_state() {
    let text = "param m = 0.02, g = 9.81, R = 0.95, L = 0.277, c = 2.48315632e-5; input u = 0
x'' = g - c*i^2/x^2/m; i' = (u - R*i + 2*c*i*x'/x^2)/L; init x = 0.009, x' = 0, i = 0.8";
    let options = LinearizeOptions { at: pairs(&[("x", "0.01")]), free: vec!["u".into()], ..Default::default() };
    let found = linearize(&model(text), &options).expect("there is a voltage");
    let i = 0.01 * (0.02f64 * 9.81 / 2.48315632e-5).sqrt();
    assert!((found.at("i").unwrap() - i).abs() < 1e-12 && (found.at("u").unwrap() - 0.95 * i).abs() < 1e-12);
    assert_eq!(found.at("x"), Some(0.01));
    assert!(found.is_rest());
    close(&rows(&found.system.a)[1..2], &[&[2.0 * 9.81 / 0.01, 0.0, -2.0 * 9.81 / i]]);
    let none = LinearizeOptions { free: vec!["u".into()], ..Default::default() };
    assert!(failure(text, none).contains("--at"));
}

#[test]
fn a_point_of_rest_is_found_from_the_guess() {
    let options = LinearizeOptions { at: pairs(&[("phi", "3")]), equilibrium: true, ..Default::default() };
    let found = linearize(&model(PENDULUM), &options).unwrap();
    assert!((found.at("phi").unwrap() - std::f64::consts::PI).abs() < 1e-14);
    assert!(found.is_rest());
    let never = failure("x' = 1 + x^2; init x = 0", LinearizeOptions { equilibrium: true, ..Default::default() });
    assert!(never.contains("no equilibrium"), "{never}");
}

/// y = e⁻ᵗ at 2; the input has the value of its definition there.
#[test]
fn a_point_along_the_solution_is_reached_by_running() {
    let options = LinearizeOptions { time: Some(2.0), ..Default::default() };
    let found = linearize(&model("input u = 3*t; y' = -y + 0*u; z' = y*u; init y = 1, z = 0"), &options).unwrap();
    let y = (-2.0f64).exp();
    assert!((found.at("y").unwrap() - y).abs() < 1e-9 && found.at("u") == Some(6.0));
    assert!((found.system.b.at(1, 0) - y).abs() < 1e-9);
}

/// The transfer function b2 s² + b1 s + b0 over s² + a1 s + a0 has its b2 in D, whichever way it is written.
#[test]
fn transfer_functions_bring_their_states_and_their_feed_through() {
    let same = "param a1 = 2, a0 = 3, b2 = 8, b1 = 13, b0 = 1; input z = step(t - 1)
y'' + a1*y' + a0*y = b2*z'' + b1*z' + b0*z
init y = 0, y' = 0
output y, w = laplace((b2*s^2 + b1*s + b0)/(s^2 + a1*s + a0), z)";
    let found = at(same, &[]);
    close(&rows(&found.system.d), &[&[8.0], &[8.0]]);
    assert_eq!(found.states.len(), 4);
    // the first Markov parameter C B = b1 − a1 b2 of both
    let cb = |k: usize| found.system.c.row(k).iter().zip(0..).map(|(c, i)| c * found.system.b.at(i, 0)).sum::<f64>();
    assert!((cb(0) + 3.0).abs() < 1e-12 && (cb(1) + 3.0).abs() < 1e-12, "{} {}", cb(0), cb(1));
}

/// With the derivative of an input in the equations B would be wrong.
#[test]
fn the_derivative_of_an_input_is_refused() {
    for text in ["input u = 0; y' = -y + u'; init y = 0", "input u = sin(t); w = 2*u; y' = -y + w'; init y = 0"] {
        let text = failure(text, LinearizeOptions::default());
        assert!(text.contains("derivative of the input `u`"), "{text}");
    }
    // a length that varies has a speed, which the constraint needs
    let text = "param l = 1; x'' = -2*z*x; y'' = -2*z*y + 9.81; x^2 + y^2 = l^2
init x = 0, x' = 0, y = l, y' = 0; guess z = 1";
    let text = failure(text, LinearizeOptions { inputs: vec!["l".into()], ..Default::default() });
    assert!(text.contains("derivative of the input `l`"), "{text}");
}

/// What a sampled controller drives is an input of the plant if it is declared as one.
#[test]
fn a_sampled_controller_is_no_part_of_the_plant() {
    let found = at("input u = 0; x' = -x + 2*u; every 0.1: u = -3*x\ninit x = 1", &[]);
    close(&rows(&found.system.b), &[&[2.0]]);
    assert!(found.notes.iter().any(|note| note.contains("every")), "{:?}", found.notes);
    let held = at("x' = -x + 2*u; init x = 1, u = 0; every 0.1: u = -3*x", &[]);
    assert!(held.inputs.is_empty() && held.notes.iter().any(|note| note.contains("`u` is assigned by events")));
}

/// A parameter as an input, with one that is made of it: x' = −x w − 2 w.
#[test]
fn a_parameter_can_be_an_input() {
    let compiled = model("param w = 3, v = 2*w; x' = -x*w - v; init x = 1");
    let options = LinearizeOptions { inputs: vec!["w".into()], ..Default::default() };
    let found = linearize(&compiled, &options).unwrap();
    close(&rows(&found.system.a), &[&[-3.0]]);
    close(&rows(&found.system.b), &[&[-3.0]]);
    assert_eq!(found.at("w"), Some(3.0));
}

#[test]
fn names_that_are_wrong_are_corrected() {
    let wrong = |at: &[(&str, &str)]| failure(PENDULUM, LinearizeOptions { at: pairs(at), ..Default::default() });
    assert!(wrong(&[("phy", "0")]).contains("did you mean `phi`"), "{}", wrong(&[("phy", "0")]));
    assert!(wrong(&[("m", "2")]).contains("--set m=2"));
    assert!(wrong(&[("phi''", "0")]).contains("follows from the equations"));
    assert!(wrong(&[("phi", "t")]).contains("not a finite constant"));
}
