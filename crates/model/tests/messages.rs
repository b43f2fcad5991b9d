//! One mistake, one message that tells what to change: the diagnostics of all stages together.

use ordinate_model::{merge, resolve, sort};
use ordinate_syntax::{Diagnostic, has_errors, parse};

/// A text and its diagnostics in the order of the text: the code of each and words of its message or help.
type Row = (&'static str, &'static [(&'static str, &'static str)]);

fn check(text: &str) -> Vec<Diagnostic> {
    let (tree, parsed) = parse(text);
    let broken = has_errors(&parsed);
    let resolved = resolve(&tree, text, &Vec::new(), &|_, _| Err("there is no such file".into()));
    let (_, found) = sort(resolved.model, broken);
    merge(&tree, parsed, resolved.diagnostics.into_iter().chain(found).collect())
}

fn verify(rows: &[Row]) {
    for (text, expected) in rows {
        let found = check(text);
        let codes: Vec<&str> = found.iter().map(|d| d.code).collect();
        let wanted: Vec<&str> = expected.iter().map(|(code, _)| *code).collect();
        assert_eq!(codes, wanted, "{text}\n{found:#?}");
        for (diagnostic, (_, words)) in found.iter().zip(*expected) {
            let told = format!("{}; {}", diagnostic.message, diagnostic.help.as_deref().unwrap_or(""));
            assert!(told.contains(words), "{text}\n`{words}` is not in: {told}");
        }
    }
}

/// A continuous value meets a number for an instant, so `==` would silently do nothing.
#[test]
fn an_equality_of_continuous_values_is_no_event() {
    verify(&[
        ("x' = -x; x(0) = 1; when x == 0.5: x = 1", &[("instant-equality", "write `x > 0.5` or `x < 0.5`")]),
        ("x' = -x; x(0) = 1; when t == 1: x = 1", &[("instant-equality", "write `t >= 1`")]),
        ("x' = -x; x(0) = 1; stop when x == 0.5", &[("instant-equality", "write `x > 0.5`")]),
        ("x' = -x; x(0) = 1; stop when x > 0 and 2*x != 1", &[("instant-equality", "write `2*x > 1`")]),
        ("x' = -x; x(0) = 1; y = 2*x; stop when y == 1", &[("instant-equality", "write `y > 1`")]),
        ("x' = if x == 0.5 then 1 else 0; x(0) = 1", &[("instant-equality", "write `x > 0.5`")]),
        ("x' = -x; x(0) = 1; when x = 0: x = 1", &[("single-equals", "write a comparison such as `x < 0`")]),
        ("x' = -x; x(0) = 1; stop when x = 0", &[("single-equals", "write a comparison such as `x < 0`")]),
    ]);
    let branch = check("x' = if x == 0.5 then 1 else 0; x(0) = 1");
    assert!(!has_errors(&branch), "an equality in a branch may be meant: {branch:#?}");
}

#[test]
fn an_equality_of_values_that_jump_is_fine() {
    verify(&[
        ("x' = -x; x(0) = 1; init n = 0; when x < 0.5: n = n + 1\nstop when n == 3", &[]),
        ("x' = -x; x(0) = 1; n' = 0; n(0) = 0; when x < 0.5: n = n + 1\nstop when n == 3", &[]),
        ("x' = -x; x(0) = 1; init n = 0; m = 2*n; when x < 0.5: n = n + 1\nstop when m == 6", &[]),
        ("x' = cos(t); x(0) = 1; stop when sign(x) == -1", &[]),
        ("x' = cos(t); x(0) = 1; stop when floor(10*x) == 3", &[]),
        ("param k = 1; x' = if k == 1 then 1 else x; x(0) = 1", &[]),
        ("input u = step(t - 1); x' = if u == 1 then 1 else 0; x(0) = 1", &[]),
    ]);
}

/// What a stage finds only because an earlier one failed is not told.
#[test]
fn consequences_are_not_reported() {
    verify(&[
        ("x' = -x, x(0) = 1", &[("syntax", "start a new line")]),
        ("x' = -x; x(0) = 1; when x: x = 1", &[("type", "compare it with something")]),
        ("y\" = -y; y(0) = 1; y'(0) = 0", &[("bad-character", "''")]),
        ("x' = -x; init x = 1 V", &[("misplaced-unit", "`1 [V]`")]),
        ("dx/dt = -x; x(0) = 1", &[("leibniz", "write `x' = …`")]),
        ("x' = -x; x(0) == 1", &[("double-equals", "write `=`")]),
        ("x' = -x; ini x = 1", &[("unknown-statement", "did you mean `init`?")]),
        ("x' = -x; init: x = 1", &[("syntax", "`init` has no colon")]),
        ("par k = 2; x' = -k*x; x(0) = 1", &[("unknown-statement", "did you mean `param`?")]),
        ("function f(x) = x^2; x' = -f(x); x(0) = 1", &[("unknown-statement", "did you mean `def`?")]),
        ("def f(x): return x^2\nx' = -f(x); x(0) = 1", &[("syntax", "`def f(x) = …`")]),
        ("f(x) = x^2; x' = -f(x); x(0) = 1", &[("unknown-statement", "`def f(x) = …`")]),
        ("for k in 1..3: x(k)' = -x(k)\nfor k in 1..3: init x[k] = 1", &[("syntax", "write `x[k]'`")]),
        ("every 0.1 s: v = x\nx' = -v; x(0) = 1", &[("misplaced-unit", "write `0.1`")]),
        ("param g = 9.81 m/s^2; x' = -g; x(0) = 1", &[("misplaced-unit", "write `9.81 [m/s^2]`")]),
        ("param k = 2,\nx' = -k*x\nx(0) = 1", &[("syntax", "remove the comma")]),
        ("x'(0 = 3; x'' = -x; x(0) = 1", &[("unclosed", "write `x'(0) = …`")]),
        ("param k = 1; param k = 2; x' = -k*x; x(0) = 1", &[("duplicate-name", "declared twice")]),
        ("param k = 1; k = 2; x' = -k*x; x(0) = 1", &[("defined-twice", "`k` is a parameter")]),
        ("for k in 1..3:\nx[k]' = -x[k]\nx[k](0) = 1", &[("indentation", "indent the lines below")]),
        ("for t in 1..3: x[t]' = -x[t]\ninit x[1] = 1", &[("reserved-name", "`t` is the time")]),
        ("x[1]' = -x[1]; x[1](0) = 1; y' = x[i]; y(0) = 0", &[("unknown-name", "`for i in 1..3: …`")]),
        ("x' = -x; x(0) = x0", &[("unknown-name", "`x0` is not defined")]),
        ("x' = -x; 2*z + x = 1; x(0) = z", &[("start-not-known", "needs `z`")]),
        ("x' = -x; x(0) = 1; init y = 2", &[("superfluous-start", "`y' = …`")]),
    ]);
}

#[test]
fn a_mistake_does_not_hide_an_independent_one() {
    verify(&[
        ("x' = 2x; x(0) = 1; y' = -k*y; y(0) = 1", &[("implicit-multiplication", "2*x"), ("unknown-name", "`k`")]),
        ("x' = foo(x); x(0) = 1; y' = -y", &[("unknown-function", "foo"), ("missing-start", "`y`")]),
        ("x' = 2x; y' = -y", &[("implicit-multiplication", "2*x"), ("missing-start", "`y`")]),
    ]);
}

#[test]
fn a_model_with_thousands_of_mistakes_is_told_of_a_few() {
    let text = format!("x' = 1; x(0) = 0\n{}", "y = x\n".repeat(5000));
    let found = check(&text);
    assert!((1..=100).contains(&found.len()), "{}", found.len());
}

/// A loop from 3 to 1 makes nothing, which is right in a general model and a mistake only if something is missing.
#[test]
fn an_empty_loop_is_named_where_it_leaves_something_out() {
    verify(&[
        (
            "for k in 3..1: x[k]' = -x[k]\nfor k in 1..3: init x[k] = 1\ny' = x[1]; y(0) = 0",
            &[("empty-loop", "`1..3`")],
        ),
        ("param n = 1; for k in 2..n: x[k]' = -x[k], x[k](0) = 1\ny' = -y; y(0) = 1", &[]),
    ]);
}

#[test]
fn a_start_value_written_as_an_equation_is_recognised() {
    verify(&[
        ("x' = -x; x = 1", &[("too-many-equations", "write `x(0) = 1`")]),
        ("x'' = -x; x(0) = 1; x' = 0", &[("too-many-equations", "write `x'(0) = 0`")]),
        ("x' = -x; x(0) = 1; x = 2*t", &[("too-many-equations", "known quantities only")]),
    ]);
}

#[test]
fn one_quantity_under_two_names_is_one_mistake() {
    verify(&[
        ("fi'' = -sin(phi); init phi = 1, phi' = 0", &[("two-names", "did you mean `phi`?")]),
        ("y = x + 1; init x = 1; z = x", &[("too-few-equations", "`x' = …`")]),
        ("x = sin(t); y' = x; y(0) = 1; init x' = 0", &[("superfluous-start", "follows from the equations")]),
    ]);
}

#[test]
fn a_derivative_of_another_notation_is_recognised() {
    verify(&[
        ("xdot = -x; x(0) = 1", &[("leibniz", "write `x' = …` instead of `xdot = …`")]),
        ("x_dot = -x; x(0) = 1", &[("leibniz", "write `x' = …`")]),
        ("der(x) = -x; x(0) = 1", &[("leibniz", "write `x' = …`")]),
        ("d(x)/dt = -x; x(0) = 1", &[("leibniz", "write `x' = …`")]),
        ("x' = -x; x(0) = 1; y = d(x)/dt", &[("unknown-function", "written with primes: `x'`")]),
        ("x' = -xdot; xdot = 2*x; x(0) = 1", &[]),
    ]);
}

#[test]
fn names_of_other_programs_lead_to_ours() {
    verify(&[
        ("x' = Sin(x); x(0) = 1", &[("unknown-function", "did you mean `sin`?")]),
        ("x' = Heaviside(t - 1); x(0) = 1", &[("unknown-function", "write `step(…)`")]),
        ("x' = sat(x); x(0) = 1", &[("unknown-function", "`def sat(x) = max(-1, min(1, x))`")]),
        ("x' = mod(x, 2); x(0) = 1", &[("unknown-function", "write `x - n*floor(x/n)`")]),
        ("x' = round(x + 1); x(0) = 1", &[("unknown-function", "write `floor((x + 1) + 0.5)`")]),
        ("x' = log2(x); x(0) = 1", &[("unknown-function", "write `log(x)/log(2)`")]),
        ("x' = sind(x); x(0) = 1", &[("unknown-function", "write `sin(x*pi/180)`")]),
        ("x' = sqr(x); x(0) = 1", &[("unknown-function", "write `x^2`")]),
        ("x' = -x(t - 1); x(0) = 1", &[("unknown-function", "delay")]),
        ("x' = 2 + x(3); x(0) = 1", &[("unknown-function", "to multiply")]),
        ("x' = foo(x); x(0) = 1", &[("unknown-function", "`def foo(x) = …`, or use one of sin cos")]),
        ("x' = laplace(1/(s + 1), u); x(0) = 1; input u = 1", &[("not-yet", "`laplace` is not available")]),
        ("x' = Pi*x; x(0) = 1", &[("unknown-name", "write `pi`")]),
        ("x' = π*x; x(0) = 1", &[("unknown-name", "write `pi`")]),
        ("x' = e^x; x(0) = 1", &[("unknown-name", "`exp(x)`")]),
        ("x' = sin(T); x(0) = 1", &[("unknown-name", "did you mean `t`")]),
        ("ϕ' = -φ; ϕ(0) = 1", &[("unknown-name", "the two look alike")]),
        ("x' = if true then 1 else 0; x(0) = 1", &[("unknown-name", "write a comparison")]),
        ("x' = -x; x0 = 1", &[("missing-start", "write `x(0) = x0`")]),
        ("x[1]' = -x[1]; x[1](0) = 1; y = x[2]", &[("unknown-name", "only the element `x[1]`")]),
    ]);
}

/// Units are told as the user wrote them, with the factor between them.
#[test]
fn units_that_differ_by_a_factor_say_so() {
    verify(&[
        ("param v = 36 [km/h]; init x = 0 [m]; x' = v", &[("unit-mismatch", "1 km/h = 0.2778 m/s; units are checked")]),
        (
            "param a = 30 [deg]; x' = sin(a); x(0) = 0",
            &[("unit-mismatch", "degrees are not converted; write `a*pi/180`")],
        ),
        ("param a = 9.81 [m/s²]; v' = a; init v = 0 [m/s]", &[]),
        ("param a = 9.81 [m/s2]; v' = a; v(0) = 0", &[("unknown-unit", "write `s^2`")]),
        (
            "param R = 1 [kOhm], C = 1 [uF], T = 1 [s]; y = R*C + T",
            &[("unit-mismatch", "[0.001 s] and [s]; they differ by the factor 1000")],
        ),
        ("param F = 1 [kN]; m = F; y = F + G; param G = 1 [N]", &[("unit-mismatch", "[kN] and [N]")]),
    ]);
}
