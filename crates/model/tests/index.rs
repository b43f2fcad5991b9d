//! Differential-algebraic systems: index, degrees of freedom, what is differentiated, what is solved how.

use ordinate_model::{IndexTreatment, Sorted, merge, resolve, sort_as};
use ordinate_syntax::{Diagnostic, Severity, parse};

fn sorted(text: &str, treatment: IndexTreatment) -> (Sorted, Vec<Diagnostic>) {
    let (tree, parsed) = parse(text);
    let resolved = resolve(&tree, text, &Vec::new(), &|_, _| Err("there is no such file".into()));
    let (sorted, found) = sort_as(resolved.model, false, treatment);
    let mut all = merge(&tree, parsed, resolved.diagnostics.into_iter().chain(found).collect());
    all.retain(|d| d.severity == Severity::Error);
    (sorted, all)
}

fn treated(text: &str, treatment: IndexTreatment) -> Sorted {
    let (sorted, mistakes) = sorted(text, treatment);
    assert!(mistakes.is_empty(), "{text}\n{mistakes:#?}");
    sorted
}

/// Index, degrees of freedom, states, algebraic variables, number of invariants.
fn shape(sorted: &Sorted) -> (u32, usize, String, String, usize) {
    let list = |names: &mut dyn Iterator<Item = String>| names.collect::<Vec<String>>().join(" ");
    let states = list(&mut sorted.states.iter().map(|state| sorted.model.name(state.var)));
    let algebraic = list(&mut sorted.algebraic.iter().map(|algebraic| sorted.model.name(algebraic.var)));
    let structure = &sorted.structure;
    (structure.index, structure.degrees_of_freedom, states, algebraic, sorted.invariants.len())
}

const PENDULUM: &str = "param m = 1, l = 1, g = 9.81
x'' = -2*lam*x/m; y'' = -2*lam*y/m + g; x^2 + y^2 = l^2";

const CIRCUIT: &str = "param om = 100; v = sin(om*t)
0 = -e1' + e2' - e1 - jV; 0 = e1' - 2*e2' - e2; 0 = -e1 - v; init e1 = 0, e2 = 0";

#[test]
fn the_structure_of_classical_systems() {
    type Found = (u32, usize, &'static str, &'static str, usize);
    let cases: &[(&str, Found)] = &[
        // ordinary differential equations, also with named parts
        ("x'' = -x; init x = 1, x' = 0", (0, 2, "x x'", "", 0)),
        ("f = -x; x' = f; init x = 1", (0, 1, "x", "", 0)),
        // index 1: semi-explicit, explicit or not, linear or not
        ("x' = -z; 0 = z + x - 1; init x = 1", (1, 1, "x", "", 0)),
        ("x' = -z; 0 = z^5 + z + x; init x = 1", (1, 1, "x", "z", 0)),
        ("z' = x + y; z(0) = 0; x = cos(y); y = sin(x)", (1, 1, "z", "y", 0)),
        // index 2 and 3 in Hessenberg form
        ("x' = -x + z; y' = x*z; 0 = x^2 + y^2 - 1; init x = 1, y = 0", (2, 1, "x y", "", 1)),
        ("x' = v; v' = -x + z; 0 = x - sin(t)", (3, 0, "", "", 0)),
        (
            "x' = v; v' = -x*z; y' = w; w' = -y*z; 0 = x^2 + y^2 - 1; init x = 1, v = 0, y = 0, w = 1",
            (3, 2, "x v y w", "", 2),
        ),
        // the circuit (15) of index 2
        (CIRCUIT, (2, 1, "e2", "", 0)),
        // descriptor systems E x' = A x with a singular E: a zero row, rows that repeat each other
        ("x' + y' = -x; 0 = x - 2*y; init x = 1", (1, 1, "x", "", 0)),
        ("x' + y' = -x; x' + y' = -2*y; init x = 1", (1, 1, "x", "", 0)),
        ("x' + 2*y' + z' = -x; 2*x' + 4*y' + 2*z' = y; z' = x; init x = 1, z = 0", (1, 2, "x z", "", 0)),
        // singular for the value of a parameter only
        ("param eps = 0; x' = -z; eps*z' = x - z; init x = 1", (1, 1, "x", "", 0)),
        ("param eps = 0.1; x' = -z; eps*z' = x - z; init x = 1, z = 1", (0, 2, "x z", "", 0)),
        // linear with coefficients of time: E(t) of rank 1
        ("(1 + t)*x' + (1 + t)^2*y' = x; x' + (1 + t)*y' = y + sin(t); init x = 1", (1, 1, "x y", "", 1)),
        // fully implicit
        ("0 = x'^5 + x' - cos(t) + x; init x = 1", (0, 1, "x", "x'", 0)),
        ("0 = exp(x') + y' - t; 0 = x' - y'^3 + x; init x = 0, y = 0", (0, 2, "x y", "x'", 0)),
    ];
    for (text, expected) in cases {
        let found = shape(&treated(text, IndexTreatment::Reduce));
        let found = (found.0, found.1, found.2.as_str(), found.3.as_str(), found.4);
        assert_eq!(found, *expected, "{text}");
    }
}

/// Typed as on paper: four states, λ by a formula, the constraint and its derivative kept.
#[test]
fn the_pendulum_keeps_its_constraint_and_its_derivative() {
    let text = format!("{PENDULUM}; init x = 1, x' = 0, y = 0, y' = 0");
    let pendulum = treated(&text, IndexTreatment::Reduce);
    assert_eq!(shape(&pendulum), (3, 2, "x x' y y'".into(), String::new(), 2));
    let kept: Vec<String> = pendulum.invariants.iter().map(|kept| pendulum.model.print(kept.value)).collect();
    assert_eq!(kept, ["x^2 + y^2 - l^2", "2*x*x' + 2*y*y'"]);
}

/// A two-link arm whose hand slides on a wall: two equations of motion and a constraint of the positions.
#[test]
fn a_robot_on_a_wall_has_index_three() {
    let text = "param g = 9.81
        2*p'' + cos(p - q)*q'' + sin(p - q)*q'^2 + 2*g*sin(p) = cos(p)*f
        q'' + cos(p - q)*p'' - sin(p - q)*p'^2 + g*sin(q) = cos(q)*f
        sin(p) + sin(q) = 1
        init p = 0.5, p' = 0";
    let arm = treated(text, IndexTreatment::Reduce);
    assert_eq!(shape(&arm), (3, 2, "p p' q q'".into(), String::new(), 2));
    let follows: Vec<String> = arm.structure.follows.iter().map(|&v| arm.model.name(v)).collect();
    assert_eq!(follows, ["q", "q'"]);
}

/// A linear network with more unknowns than Cramer's rule takes.
#[test]
fn a_large_linear_loop_becomes_algebraic() {
    let text = "u[1] = 0; u[20] = 1; y' = u[10]; y(0) = 0\nfor k in 2..19: u[k-1] - 2*u[k] + u[k+1] = 0";
    let network = treated(text, IndexTreatment::Reduce);
    let (index, freedom, states, algebraic, _) = shape(&network);
    assert_eq!((index, freedom, states.as_str()), (1, 1, "y"));
    assert!((1..=18).contains(&algebraic.split(' ').count()), "{algebraic}");
}

/// What stands once, inside of functions with an inverse, gets a formula; what may have two values does not.
#[test]
fn an_unknown_inside_of_functions_is_had_by_their_inverses() {
    let formulas = [
        ("x = 0.025*log(z/1e-12 + 1)", "z := 1e-12*expm1(x/0.025)"),
        ("3 - exp(-2*z) = x", "z := log(3 - x)/-2"),
        ("log10(z) = x", "z := 10^x"),
        ("tanh(z/2) = x", "z := 2*atanh(x)"),
        ("asinh(4 - z) = x", "z := 4 - sinh(x)"),
        ("cbrt(z) + 1 = x", "z := (x - 1)^3"),
    ];
    for (line, formula) in formulas {
        let found = treated(&format!("x' = z; x(0) = 0.5; {line}"), IndexTreatment::Reduce);
        assert_eq!(shape(&found).3, "", "{line}");
        assert!(found.to_text().contains(formula), "{line}\n{}", found.to_text());
    }
    for line in ["sqrt(z) = x", "z^2 = x", "sin(z) = x", "z + exp(z) = x", "x*log(z) = 1"] {
        let found = treated(&format!("x' = z; x(0) = 0.5; {line}"), IndexTreatment::Reduce);
        assert_eq!(shape(&found).3, "z", "{line}");
    }
    // in a loop, the current of a diode is that of its voltage, not the other way round
    let loop_of_two = treated("x' = i; x(0) = 0; u = 0.025*log(i/1e-12 + 1); (x - u)/5 = i", IndexTreatment::Reduce);
    assert_eq!(shape(&loop_of_two).3, "u");
}

/// An unknown that stands as a power on each side of zero, or as a square and itself, takes each value once. What has no slope, or
/// does not rise all the way, has no formula; nor has what is solved for together with others.
#[test]
fn an_unknown_inside_of_signed_powers_is_had_by_roots() {
    let root = "cbrt(x/2)*(x/2*(x/2))^(1/12)";
    let formulas = [
        ("x = 2*z*abs(z)", root),
        ("0 = 2*sign(z)*z^2 - x", root),
        ("x = if z > 0 then 2*z^2 else -2*z^2", root),
        ("x = 2*max(z, 0)^2 - 2*min(z, 0)^2", root),
        ("x = z^3", "cbrt(x)"),
        ("x = 2*z*abs(z) + 3*z", "2*(x/3)/(1 + sqrt(1 + 4*(2/3*sqrt(x/3*(x/3)))))"),
    ];
    for (line, formula) in formulas {
        let found = treated(&format!("x' = -z; x(0) = 0.5; {line}"), IndexTreatment::Reduce);
        assert_eq!(shape(&found).3, "", "{line}");
        assert!(found.to_text().contains(&format!("z := {formula}")), "{line}\n{}", found.to_text());
    }
    let lines = ["x = z^2 + abs(z)", "x = z^2*sign(z) - z", "x = z*abs(z - 1)", "x = z*abs(z) + sign(z)", "x = z^4"];
    for line in lines {
        let found = treated(&format!("x' = -z; x(0) = 0.5; {line}"), IndexTreatment::Reduce);
        assert_eq!(shape(&found).3, "z", "{line}");
    }
    let pipes = "x' = -a; x(0) = 1; a = b + c; x - p = a*abs(a); p = b*abs(b); p = 2*c*abs(c)";
    assert_eq!(shape(&treated(pipes, IndexTreatment::Reduce)).3, "b c");
}

/// A derivative that only an output asks for differentiates the equation that defines it.
#[test]
fn the_derivative_of_a_named_expression_can_be_used() {
    let named = treated("x' = -x; x(0) = 1; u = x^2; y = u'", IndexTreatment::Reduce);
    assert_eq!(shape(&named).2, "x");
    let text = named.to_text();
    assert!(text.contains("u' := x'*(x*2)"), "{text}");
}

#[test]
fn start_values_are_counted_by_what_the_constraints_leave() {
    let missing = |starts: &str| {
        let (_, mistakes) = sorted(&format!("{PENDULUM}; {starts}"), IndexTreatment::Reduce);
        mistakes.into_iter().map(|d| format!("{}: {}", d.code, d.message)).collect::<Vec<String>>().join("; ")
    };
    assert_eq!(missing("init x = 1, y' = 0"), "");
    assert_eq!(missing("init x = 1, x' = 0, y = 0, y' = 0, lam = 0, y'' = 0"), "");
    let both = "missing-start: a start value is missing: one of `x'` and `y'`, the others follow from the equations";
    assert_eq!(missing("init x = 1, y = 0"), both);
    assert!(missing("init x' = 0").contains("a start value is missing"), "{}", missing("init x' = 0"));
    assert!(missing("").contains("2 start values are missing"), "{}", missing(""));
}

#[test]
fn what_cannot_be_differentiated_or_determined_is_named() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("input u = step(t - 1); x' = z; 0 = x - u", "impulse", &["`u` jumps", "once", "`z`"]),
        ("input u = ramp(t - 1); x'' = z; 0 = x - u", "impulse", &["`u` jumps", "2 times"]),
        ("x' = z; 0 = x - (if t < 1 then 0 else 1)", "impulse", &["do not meet"]),
        ("x' = z; init r = 1; 0 = x - r; when t > 1: r = 2", "impulse", &["`r` jumps"]),
        ("x' + y' = 1; x' + y' = 2; init x = 0, y = 0", "singular-system", &["`x'` and `y'`", "contradict or repeat"]),
        ("x' + y' = x; 2*x' + 2*y' = 2*x; init x = 0, y = 0", "singular-system", &["contradict or repeat"]),
        ("0 = x^2 + y; 0 = x^2 + y - 1; z' = x; z(0) = 0", "singular-system", &["`x` and `y`"]),
    ];
    for (text, code, words) in cases {
        let (_, mistakes) = sorted(text, IndexTreatment::Reduce);
        let first = mistakes.first().unwrap_or_else(|| panic!("{text}: no mistake found"));
        assert_eq!(first.code, *code, "{text}: {}", first.message);
        words.iter().for_each(|word| assert!(first.message.contains(word), "{text}: {}", first.message));
    }
}

/// A kink can be differentiated once.
#[test]
fn an_input_without_jumps_can_be_differentiated_once() {
    treated("input u = ramp(t - 1); x' = z; 0 = x - u", IndexTreatment::Reduce);
}

/// Branches of time meet by their values at the time between them: exactly for decimals, for all values of a parameter where
/// it cancels, and otherwise for the values that there are.
#[test]
fn branches_of_time_that_meet_can_be_differentiated() {
    let (once, twice) = ("x' = z", "x'' = z");
    let cases = [
        (once, "if t < 1 then t else 2 - t", true),
        (once, "if t < 1 then t else 2.001 - t", false),
        (once, "if t < 0.1 then 3*t else 0.3", true),
        (once, "if 10*t > 1 then 0.3 else 3*t", true),
        (once, "if t < 0.1 then 3*t else 0.3000000000000001", false),
        (once, "if t < T then t else 2*T - t", true),
        (once, "if t < T then t^2 else 49*t/100", true),
        (once, "if t < T then t^2 else t/2", false),
        (once, "if t < 1 then t else (if t < 2 then 2 - t else 0)", true),
        (once, "if t < 1 then t else (if t < 2 then 2 - t else 1)", false),
        (once, "if t > 1 and t <= 3 then (t - 1)*(3 - t) else 0", true),
        (once, "if t > 1 and t <= 3 then (t - 1)*(4 - t) else 0", false),
        (once, "if t < pi/2 then sin(t) else 1", true),
        (once, "if sin(t) > 0 then 3*sin(t) else -sin(t)", true),
        (once, "if sin(t) > 0 then 3*sin(t) else 1", false),
        (twice, "if t < 1 then t else 2 - t", false),
        (twice, "if t < 1 then t^2 else 2*t - 1", true),
        (twice, "if t < 1 then t^3 else 2*t - 1", false),
    ];
    for (derivative, branch, meets) in cases {
        let text = format!("param T = 0.49; {derivative}; 0 = x - ({branch})");
        let (_, mistakes) = sorted(&text, IndexTreatment::Reduce);
        let codes: Vec<&str> = mistakes.iter().map(|d| d.code).filter(|code| *code == "impulse").collect();
        assert_eq!(codes.is_empty(), meets, "{derivative}, {branch}");
    }
}

/// Branches of states must meet where the solution changes them, on the border itself: for all sides of other switches that can
/// be together there. The derivative of a jump is never zero.
#[test]
fn branches_of_states_that_meet_can_be_differentiated() {
    let (once, twice) = ("y' = z'", "y'' = z''");
    let cases = [
        (once, "max(-0.5, x)", true),
        (once, "saturate(2*(1 - x), -0.5, 0.5)", true),
        (once, "abs(x)*x + min(x, v)", true),
        (once, "if x < 0 then 0 else if x < 1 then x^2 else 2*x - 1", true),
        (once, "if x < 0 then 0 else if x < 1 then x^2 else 2*x - 2", false),
        (once, "if abs(x) < d then x^2/(2*d) else abs(x) - d/2", true),
        (once, "if abs(x) < d then x^2/(2*d) else abs(x) - d", false),
        (once, "if x < -pi/2 then -1 else if x < pi/2 then sin(x) else 1", true),
        (once, "if x < -pi/2 then -1 else if x < pi/2 then sin(x) else 0.9", false),
        (once, "if x^2 + v^2 < 1 then 1 else x^2 + v^2", true),
        (once, "if x^2 + v^2 < 1 then 1 else 2*x^2 + v^2", false),
        (once, "if x < v then exp(x - v) else 1", true),
        (once, "max(1.16 - 2*x, 0.37 - 2*x)", true),
        (once, "max(min(0.37 - 2*x, 3*x), 1.16 - 2*x)", true),
        (once, "step(x - 0.3)", false),
        (once, "sign(v)", false),
        (once, "v*sign(v)", true),
        (once, "x*sign(v)", false),
        (once, "floor(3*x)", false),
        (once, "quantize(x, 0.1)", false),
        (twice, "abs(x)", false),
        (twice, "x*abs(x)", true),
        (twice, "if x < 1 then x^2 else 2*x - 1", true),
    ];
    for (derivative, branch, meets) in cases {
        let text =
            format!("param d = 0.1; x' = v; v' = -x; z = {branch}; {derivative}; init x = 1, v = 0, y = 0, y' = 0");
        let (_, mistakes) = sorted(&text, IndexTreatment::Reduce);
        let codes: Vec<&str> = mistakes.iter().map(|d| d.code).filter(|code| *code == "impulse").collect();
        assert_eq!(codes.is_empty(), meets, "{derivative}, {branch}: {codes:?}");
    }
}

/// A variable stays unless its derivative is proved to be nothing: neither branches that are constant at usual points nor functions
/// that underflow there are.
#[test]
fn what_is_constant_at_some_points_is_not_constant() {
    for z in [
        "max(-0.5, x)",
        "exp(-((x - 100)/2)^2)",
        "tanh(40*x - 4000)",
        "erf(x - 30)",
        "if x < 5 then 0 else (x - 5)^2",
        "1e-300*x^2",
        "(a - 3*b)*x^2 + 1e-30*x",
        "if x < 2 then 0 else if x < 3 then x - 2 else 1",
    ] {
        let text = format!("param a = 0.3, b = 0.1; x' = v; v' = -x; z = {z}; y' = z'; init x = 1, v = 0, y = 0");
        let mut sorted = treated(&text, IndexTreatment::Reduce);
        let y = sorted.states.iter().find(|state| sorted.model.name(state.var) == "y").expect("y is a state");
        let mut slope = sorted.model.graph.variable(y.derivative);
        for _ in 0..5 {
            slope = sorted.model.graph.substitute(slope, |v| sorted.definitions[v.0 as usize]);
        }
        assert_ne!(sorted.model.print(slope), "0", "{z}");
    }
}

/// Hairer's indices: positions 1, velocities 2, the force 3; what follows the force by integration one less.
#[test]
fn without_reduction_every_variable_has_its_index() {
    let text = format!("{PENDULUM}; w' = lam; v' = -v; init x = 1, x' = 0, y = 0, y' = 0, w = 0, v = 1");
    let pendulum = treated(&text, IndexTreatment::Direct);
    assert_eq!(shape(&pendulum), (3, 4, "x x' y y' w v".into(), "lam".into(), 2));
    assert_eq!(pendulum.indices, [1, 2, 1, 2, 2, 1, 3]);
    let circuit = treated(CIRCUIT, IndexTreatment::Direct);
    assert_eq!(shape(&circuit), (2, 1, "e1 e2".into(), "jV".into(), 1));
    assert_eq!(circuit.indices, [1, 1, 2]);
    let plain = treated("x' = -z; 0 = z + x - 1; init x = 1", IndexTreatment::Direct);
    assert!(plain.indices.is_empty() && plain.algebraic.is_empty());
}

/// x′ + y′ stands in all three lines, and a derivative of x − sin t = 0 alone sets two of them apart: without it they are
/// combined until one has x′ + y′, one z, and one nothing but x.
#[test]
fn without_reduction_equations_of_the_same_derivatives_are_told_apart() {
    let text = "x' + y' + x + y = 0; x' + y' + 2*x + y = sin(t); x' + y' + 2*x + 2*y + z = t; init y = 1";
    let sorted = treated(text, IndexTreatment::Direct);
    assert_eq!((sorted.states.len(), sorted.algebraic.len()), (2, 1));
    assert_eq!(sorted.model.print(sorted.algebraic[0].residual), "x - sin(t)");
}

/// x is a state of the reduced system, where its start value is one; of the system as written it is algebraic.
#[test]
fn without_reduction_a_start_value_of_what_is_no_state_counts() {
    let text = "4*y' + 4*z' + 2*x + 2*y - z = sin(t); y' + z' - x + z = t; x + y + z = 0; init x = 1";
    let sorted = treated(text, IndexTreatment::Direct);
    assert!(!sorted.states.iter().any(|state| sorted.model.name(state.var) == "x"));
    let checks: Vec<String> = sorted.checks.iter().map(|given| sorted.model.name(given.var)).collect();
    assert_eq!(checks, ["x"]);
}

/// ξ z′ = g with the sign that lets z return to g = 0.
#[test]
fn regularisation_turns_algebraic_equations_into_fast_ones() {
    let rate = |text: &str| {
        let sorted = treated(text, IndexTreatment::Regularise(0.001));
        let state = sorted.states.iter().find(|s| sorted.model.name(s.var) == "z").expect("z is a state");
        sorted.model.print(sorted.definitions[state.derivative.0 as usize].expect("its derivative is defined"))
    };
    assert_eq!(rate("x' = -z; 0 = x - 2*z; init x = 1; guess z = 1"), "-((z*2 - x)/0.001)");
    assert_eq!(rate("x' = -z; 0 = 2*z - x; init x = 1; guess z = 1"), "(x - z*2)/0.001");
    // where z is not part of it, as it is written
    let of_index_two = |line: &str| rate(&format!("x' = z - x; y' = -z; {line}; init x = 1; guess z = 0"));
    assert_eq!(of_index_two("0 = x + 3*y - sin(t)"), "-((sin(t) - (x + 3*y))/0.001)");
    assert_eq!(of_index_two("x + 3*y - sin(t) = 0"), "(x + 3*y - sin(t))/0.001");
}

/// What is eliminated before values are known: the linear current that two lines share, and constants that cancel.
#[test]
fn lines_that_share_a_linear_current_are_separated() {
    let diodes = "param Is = 1e-12, R = 1; input u = sin(t); d1 = Is*(exp(a - p) - 1); d2 = Is*(exp(b - p) - 1)
        d3 = Is*(exp(-a) - 1); d4 = Is*(exp(-b) - 1); p' = d1 + d2; init p = 0\n";
    for lines in ["i = (u - a + b)/R; i = d1 - d3; i = d4 - d2", "i = d1 - d3; i = (u - a + b)/R; i = d4 - d2"] {
        let text = treated(&format!("{diodes}{lines}"), IndexTreatment::Reduce).to_text();
        let separated: Vec<&str> =
            text.lines().filter(|line| line.starts_with("algebraic") && !line.contains("- 1")).collect();
        let alone = |line: &&str| line.matches("Is*exp").count() == 4 && !line.contains(" i ");
        assert!(separated.iter().any(alone), "{text}");
    }
}

/// A derivative that a line gives is a formula, though another line that is written for a current has it, too.
#[test]
fn derivatives_are_explicit_before_other_unknowns() {
    let text = "param C = 2; 3*i + c + n = 1; i = C*c' + exp(n); C*c' = exp(n - c) - 1; init c = 0";
    let (_, _, states, algebraic, _) = shape(&treated(text, IndexTreatment::Reduce));
    assert_eq!((states.as_str(), algebraic.as_str()), ("c", "n"));
}

/// The diodes of a ring modulator: a sum of four lines is free of all voltages, whatever their characteristic is, and says that
/// the currents add up to zero. Horneck's circuit without its parasitic capacitances is of index 2.
#[test]
fn nonlinear_terms_that_cancel_make_a_constraint() {
    let text = "def q(u) = exp(u) - 1; a = y3 - y5; b = y6 - y4; c = y4 + y5; d = -y3 - y6
        0 = i1 - q(a) + q(d); 0 = -i2 + q(b) - q(c); 0 = i3 + q(a) - q(c); 0 = -i4 - q(b) + q(d)
        i1' = -y3 - i1; i2' = y4 - i2; i3' = -y5 - i3; i4' = y6 - i4; init i1 = 0, i2 = 0, i3 = 0";
    let (index, freedom, ..) = shape(&treated(text, IndexTreatment::Reduce));
    assert_eq!((index, freedom), (2, 3));
}
