//! One mistake, one message that tells what to change: the diagnostics of all stages together.

use ordinate_model::{merge, parse_table, resolve, sort};
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

/// `expm1` and `log1p` came later: models may use these names, and are told where a function is hidden.
#[test]
fn a_model_may_use_the_names_of_functions_that_came_later() {
    verify(&[
        ("x' = expm1(x) - log1p (x); x(0) = 1", &[]),
        ("log1p(x) = t + 1", &[]),
        ("expm1' = -expm1; expm1(0) = 1", &[]),
        ("param log1p = 2; x' = -log1p*x; x(0) = 1", &[]),
        ("def expm1(a) = 2*a; x' = expm1(x); x(0) = 1", &[("own-function", "the model's own is used")]),
        ("param expm1 = 2; x' = expm1(x); x(0) = 1", &[("unknown-function", "to multiply, write `expm1*(…)`")]),
        ("x' = expm1(x, 1); x(0) = 1", &[("arguments", "`expm1` takes")]),
        ("param exp = 2; x' = -x; x(0) = 1", &[("reserved-name", "a function")]),
    ]);
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
        ("x' = -x; x(0) = 1; when x == 0.5: x = 1", &[("instant-equality", "true for an instant only")]),
        ("x' = -x; x(0) = 1; when x != 0.5: x = 1", &[("instant-equality", "false for an instant only")]),
        ("x' = if x != 0.5 then 1 else 0; x(0) = 1", &[("instant-equality", "the other branch has no effect")]),
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

/// An index hides the quantity of the same name: `u[k]' = k` would not mean what it says.
#[test]
fn a_loop_index_has_a_name_of_its_own() {
    const INDEX: &[(&str, &str)] = &[("duplicate-name", "the loop index `k` is declared elsewhere, too")];
    verify(&[
        ("param k = 1; for k in 1..3: u[k]' = k, u[k](0) = 0", INDEX),
        ("k' = 1; k(0) = 0; for k in 1..3: u[k]' = k, u[k](0) = 0", INDEX),
        ("k = sin(t); for k in 1..3: u[k]' = k, u[k](0) = 0", INDEX),
        ("for k in 1..3: u[k]' = k, u[k](0) = 0\nfor k in 1..2: v[k]' = k, v[k](0) = 0", &[]),
    ]);
}

#[test]
fn an_array_without_an_index_is_told_its_elements() {
    verify(&[
        ("for k in 1..3: u[k]' = -1, u[k](0) = 1\ns = u", &[("unknown-name", "has the elements `u[1]` … `u[3]`")]),
        ("for k in 1..3: u[k]' = -1\ninit u = 0", &[("superfluous-start", "has the elements `u[1]` … `u[3]`")]),
        ("u[1]' = -1; u[1](0) = 1; s = u", &[("unknown-name", "`u` has only the element `u[1]`")]),
    ]);
}

/// What is advised holds the arguments that were written.
#[test]
fn functions_of_other_languages_are_translated() {
    verify(&[
        ("x' = mod(5, 3); x(0) = 1", &[("unknown-function", "write `5 - 3*floor(5/3)`")]),
        ("x' = mod(x+1, 2*pi); x(0) = 1", &[("unknown-function", "`(x+1) - (2*pi)*floor((x+1)/(2*pi))`")]),
        ("x' = mod(x); x(0) = 1", &[("unknown-function", "write `x - n*floor(x/n)`")]),
        ("x' = sinn(x); x(0) = 1", &[("unknown-function", "did you mean `sin`?")]),
        ("u[1]' = 1; u[1](0) = 0; s = sum(u[1])", &[("unknown-function", "s[k] = s[k-1] + u[k]")]),
    ]);
}

#[test]
fn a_kind_has_the_right_article() {
    let found = check("output y = 1; output y = 2; x' = -x; x(0) = 1");
    assert_eq!(found[0].labels[0].1, "first declared here as an output");
    verify(&[("input u = 1; init u = 1; x' = -u; x(0) = 1", &[("superfluous-start", "`u` is an input")])]);
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
        ("x' = sat(x); x(0) = 1", &[("unknown-function", "write `saturate(x, low, high)`")]),
        ("x' = mod(x, 2); x(0) = 1", &[("unknown-function", "write `x - 2*floor(x/2)`")]),
        ("x' = round(x + 1); x(0) = 1", &[("unknown-function", "write `quantize((x + 1), 1)`")]),
        ("x' = log2(x); x(0) = 1", &[("unknown-function", "write `log(x)/log(2)`")]),
        ("x' = sind(x); x(0) = 1", &[("unknown-function", "write `sin(x*pi/180)`")]),
        ("x' = sqr(x); x(0) = 1", &[("unknown-function", "write `x^2`")]),
        ("x' = -x(t - 1); x(0) = 1", &[("unknown-function", "`delay(x, T)`")]),
        ("x' = 2 + x(3); x(0) = 1", &[("unknown-function", "to multiply")]),
        ("x' = foo(x); x(0) = 1", &[("unknown-function", "`def foo(x) = …`, or use one of sin cos")]),
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

/// Its first value would be kept until the event, which may never come.
#[test]
fn an_input_of_time_is_not_assigned() {
    verify(&[
        (
            "x' = u; x(0) = 0; input u = sin(t); when t > 10: u = 0",
            &[("assigned-input", "`v = if chosen > 0.5 then held else u`")],
        ),
        ("x' = u; x(0) = 0; input u = step(t - 0.5); every 1: u = 0", &[("assigned-input", "cannot be assigned, too")]),
        ("x' = u; x(0) = 0; input u = w; input w = t; when x > 1: u = 0", &[("assigned-input", "`u`")]),
        ("x' = u; x(0) = 0; input u = 2*x; when x > 1: u = 0", &[("assigned-input", "`u`")]),
        ("x' = u; x(0) = 0; input u = sin(t); init u = 1; when x > 1: u = 0", &[("assigned-input", "`u`")]),
        (
            "x' = u[1] + u[2]; x(0) = 0; input u[1] = sin(t), u[2] = sin(2*t); when t > 10: u[1] = 0",
            &[("assigned-input", "`u`")],
        ),
        ("x' = u; x(0) = 0; input u = 3; when t > 10: u = 0", &[]),
        ("x' = u; x(0) = 0; param k = 2; input u = if k > 1 then w else 0; input w = 2*k; when t > 10: u = 0", &[]),
        ("x' = u; x(0) = 0; input u = 0; every 1: u = -x", &[]),
        // as the help says
        (
            "x' = v; x(0) = 0; input u = sin(t); init held = 0, chosen = 0; when t > 10: held = 2, chosen = 1\n\
             v = if chosen > 0.5 then held else u",
            &[],
        ),
    ]);
    let text = "x' = u; x(0) = 0; input u = sin(t); when t > 10: u = 0";
    let found = check(text);
    let at = |from: u32, to: u32| &text[from as usize..to as usize];
    assert_eq!(found[0].span.start as usize, text.rfind('u').expect("it is assigned"));
    assert_eq!(at(found[0].labels[0].0.start, found[0].labels[0].0.end), "u");
    assert_eq!(found[0].labels[0].0.start as usize, text.find("u = sin").expect("it is declared"));
}

/// A table is a function of time; a value from outside is a constant, whatever the text says.
#[test]
fn an_input_from_a_table_is_not_assigned_unless_it_is_set() {
    let text = "x' = u; x(0) = 0; input u from \"u.csv\"; when t > 10: u = 0";
    let codes = |overrides: &[(String, String)]| {
        let (tree, _) = parse(text);
        let resolved = resolve(&tree, text, &overrides.to_vec(), &|_, name| parse_table("time,u\n0,1\n1,2\n", name));
        resolved.diagnostics.iter().map(|d| d.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(&[]), ["assigned-input"]);
    assert!(codes(&[("u".into(), "3".into())]).is_empty());
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

/// Time is in seconds, wherever a quantity with a unit is taken as one or stands beside t.
#[test]
fn a_time_that_is_not_in_seconds_is_told() {
    const FACTOR: &str = "1 ms = 0.001 s; units are checked, not converted";
    verify(&[
        ("param Ts = 5 [ms]; x' = u; x(0) = 0; init u = 0; every Ts: u = t", &[("unit-mismatch", FACTOR)]),
        ("param T = 5 [ms]; x' = -x; x(0) = 1; run 0 .. T", &[("unit-mismatch", "a run time is a time")]),
        ("param m = 5 [kg]; x' = step(t - m); x(0) = 0", &[("unit-mismatch", "[s] and [kg]")]),
        ("param m = 5 [kg]; x' = sin(m*t); x(0) = 0", &[("unit-mismatch", "the argument of `sin`")]),
        ("param T = 5 [ms]; x' = pulse(t, T); x(0) = 0", &[("unit-mismatch", FACTOR)]),
        ("param T = 5 [ms]; x' = -x; x(0) = 1; stop when t - 1 > T", &[("unit-mismatch", FACTOR)]),
        ("param v = 5 [m/s]; x = v*t [m]; y = x + v; output y", &[("unit-mismatch", "[m] and [m/s]")]),
        ("param T = 5 [ms]; y = laplace(1/(T*s + 1), 1)", &[("unit-mismatch", "s is in 1/s")]),
        ("param T = 5 [s], w = 3 [rad/s]; y = laplace(w^2/(s^2 + 2*T*w*s*s + w^2), 1)", &[]),
        ("param Ts = 5 [s], w = 2 [rad/s]; x' = u + sin(w*t); x(0) = 0; init u = 0; every Ts: u = t", &[]),
        // t alone and its powers fit everything
        ("x' = sin(t) + t; x(0) = 0 [m]", &[]),
        ("x' = t^2 - 3*t + t + 1; x(0) = 0 [m]", &[]),
        ("param T = 5 [s]; x' = exp(-(t - 1)^2)*(t + t^2); x(0) = 0 [m]; when t > T: x = 0", &[]),
    ]);
}

#[test]
fn the_units_of_own_functions_are_those_of_their_bodies() {
    verify(&[
        ("def f(z) = z^2; param a = 2 [m]; x' = f(a); x(0) = 0 [m]", &[("unit-mismatch", "[m/s] and [m^2]")]),
        ("def f(z) = sin(z); param a = 2 [m]; x' = f(a); x(0) = 0", &[("unit-mismatch", "the argument of `sin`")]),
        (
            "def g(z) = f(z); def f(z) = z + b; param a = 2 [m], b = 1 [kg]; y = g(a)",
            &[("unit-mismatch", "[m] and [kg]")],
        ),
        ("def f(z, a) = z/a; param a = 2 [m], T = 3 [s]; x' = f(a, T); x(0) = 0 [m]", &[]),
        ("def sat(x) = max(-1, min(1, x)); param a = 2 [m/s]; x' = sat(a); x(0) = 0 [m]", &[]),
    ]);
    let text = "def f(z) = sin(z); param a = 2 [m]; x' = f(a); x(0) = 0";
    let found = check(text);
    assert_eq!(found[0].span.start as usize, text.find("f(a)").expect("the call"));
    assert_eq!(found[0].labels[0].0.start as usize, text.find("z);").expect("the place in the body"));
}

#[test]
fn the_unit_of_a_derivative_fits_that_of_its_quantity() {
    verify(&[
        ("x' = 5 [m]; x(0) = 0 [m]", &[("unit-mismatch", "`x` is given two different units")]),
        ("x(0) = 0 [m]; x' = 5 [m]", &[("unit-mismatch", "`x'` is given two different units")]),
        ("x' = 5 [m/s]; x(0) = 0 [m]", &[]),
    ]);
}

#[test]
fn a_delay_says_what_is_wrong_with_its_arguments() {
    verify(&[
        ("y' = pade(y, 1); y(0) = 1", &[("arguments", "write `pade(z, T, n)`")]),
        ("y' = pade(); y(0) = 1", &[("arguments", "takes 3 arguments, here are 0")]),
        ("y' = pade(y, 1, y); y(0) = 1", &[("not-constant", "the order of `pade` must be a constant")]),
        ("y' = pade(y, 1, 2.5); y(0) = 1", &[("not-integer", "here it is 2.5")]),
        ("y' = pade(y, 1, -1); y(0) = 1", &[("bad-value", "between 0 and 20, here it is -1")]),
        ("y' = pade(y, 1, 200); y(0) = 1", &[("bad-value", "between 0 and 20, here it is 200")]),
        ("y' = pade(y, -1, 3); y(0) = 1", &[("bad-value", "check the sign")]),
        ("y' = pade(y, 0, 3); y(0) = 1", &[("bad-value", "write the first argument alone")]),
        ("y' = pade(y, 1/0, 3); y(0) = 1", &[("bad-value", "here it is inf")]),
        ("y' = pade(y, y, 3); y(0) = 1", &[("not-constant", "`y` is not constant")]),
        ("y' = pade(y, t, 3); y(0) = 1", &[("not-constant", "declare it with `param`")]),
        ("y' = pade(y, T, 3); y(0) = 1", &[("unknown-name", "did you mean `t`, the time?")]),
        ("y' = pade(y, 1, n); y(0) = 1", &[("unknown-name", "`n` is not defined")]),
        ("y' = pade(z, 1, 3); y(0) = 1", &[("unknown-name", "`z` is not defined")]),
        ("y' = pade(y > 1, 1, 3); y(0) = 1", &[("type", "a number is expected")]),
        ("y' = pade(y, 1, 0); y(0) = 1", &[]),
        ("y' = delay(y, 1); y(0) = 1", &[]),
        // a multiplier under two names: nothing else is wrong
        (
            "x'' = -lam*x; y'' = -lamm*y - 9.81; x^2 + y^2 = 1; init x = 0.6, x' = 0",
            &[("unknown-name", "did you mean `lam`? give the quantity one name")],
        ),
        ("y' = -delay(y, 1)", &[("missing-start", "`y` has no start value")]),
        ("y' = delay(y); y(0) = 1", &[("arguments", "write `delay(z, T)`")]),
        ("param k = pade(1, 1, 3); y = k", &[("operator-place", "`d = pade(…)`, and use `d` here")]),
        ("x' = -x; x(0) = pade(1, 1, 3)", &[("operator-place", "a value of one instant")]),
        ("x' = -x; x(0) = 1; input u = 0; every 1: u = pade(x, 1, 3)", &[("operator-place", "equation of its own")]),
        ("param pade = 2", &[("reserved-name", "`pade` is a function")]),
    ]);
}

#[test]
fn a_transfer_function_says_what_is_wrong_with_it() {
    verify(&[
        ("y = laplace(1/(s + 1))", &[("arguments", "a fraction of s, then its input")]),
        ("y = laplace(1/(s + 1), u)", &[("unknown-name", "`u` is not defined")]),
        ("y = laplace(1/(s + 1), t, 3)", &[("arguments", "here are 3")]),
        ("y = laplace(s^2/(s + 1), 1)", &[("improper", "numerator has degree 2, its denominator 1")]),
        ("y = laplace(s, 1)", &[("improper", "add a fast pole")]),
        ("y = laplace(1/(s + 1), s)", &[("unknown-name", "in the first argument of `laplace` only")]),
        ("y = s + laplace(1/(s + 1), 1)", &[("unknown-name", "in the first argument of `laplace` only")]),
        ("y = laplace(exp(-s), 1)", &[("transfer", "write `delay(u, T)`")]),
        ("y = laplace(2*sin(s), 1)", &[("transfer", "with `sin(s)` this is not a fraction")]),
        ("y = laplace(s^-0.5, 1)", &[("transfer", "with `s^(-0.5)` this is not a fraction")]),
        ("y = laplace(1/s^100, 1)", &[("transfer", "degree 100, more than 64")]),
        ("param a = 0; y = laplace(1/(a*s^2 + s + 1), 1)", &[("transfer", "`a` of s^2, is zero")]),
        ("param a = 0; y = laplace(1/(a*s), 1)", &[("transfer", "the denominator of this transfer function is zero")]),
        ("y = laplace(1/(s - s), 1)", &[("bad-value", "not a finite number")]),
        ("y = laplace(1/(t*s + 1), 1)", &[("not-constant", "a coefficient of a transfer function")]),
        ("x' = -x; x(0) = 1; y = laplace(1/(x*s + 1), 1)", &[("not-constant", "`x` is not constant")]),
        ("y = laplace(1/(b*s + 1), 1)", &[("unknown-name", "`b` is not defined")]),
        ("y = laplace(1/(s' + 1), 1)", &[("syntax", "a plain name")]),
        ("y = laplace(if s > 0 then 1 else 2, 1)", &[("transfer", "not a fraction of polynomials")]),
        ("y = laplace(laplace(1/(s + 1), 1), 1)", &[("not-constant", "is not constant")]),
        ("0 = x - 3*t; y = laplace(1/(x*s + 1), 1)", &[("not-constant", "`x` is not constant")]),
    ]);
}

/// The derivative of a jump is an impulse: an equation is written for it, or refused, but it is never taken as zero.
#[test]
fn the_derivative_of_a_jump_is_used_rightly_or_refused() {
    verify(&[
        ("input u = step(t - 1); y' = y*u'; y(0) = 1", &[("input-derivative", "not linear with constant")]),
        ("input u = step(t - 1); y' = u'*t; y(0) = 1", &[("input-derivative", "not linear with constant")]),
        ("input u = step(t - 1); y = u'", &[("input-derivative", "laplace(s/(0.01*s + 1), u)")]),
        ("u = step(t - 1); y = u'", &[("input-derivative", "which no number can be")]),
        ("input u = step(t - 1); y' + y = u''; y(0) = 1", &[("input-derivative", "2 primes in this equation")]),
        ("input u = ramp(t - 1); y = u''", &[("input-derivative", "which no number can be")]),
        ("input u = ramp(t - 1); y = u'", &[]),
        ("input u = sin(t); y = u'''", &[]),
        ("input u = sin(t); output u''", &[]),
        ("input u = step(t - 1); output u'", &[("input-derivative", "no number")]),
        ("input a = b; input b = a; y = a", &[("circular-input", "`b` is defined by itself")]),
        ("input a = a + 1; y = a'", &[("circular-input", "`a` is defined by itself")]),
        ("u = sin(t); y = u'''", &[]),
        ("input u = step(t - 1); y'' + y = u'; y(0) = 1", &[("missing-start", "its value just before the start")]),
        (
            "input u = step(t - 1); y'' + y = u'; z = y''; init y = 0, y' = 0",
            &[("input-derivative", "`y''` has impulses where `u` jumps")],
        ),
        (
            "input u = step(t - 1); y'' + z'' = u'; z'' = -z; init y = 0, y' = 0, z = 1, z' = 0",
            &[("input-derivative", "which no number can be")],
        ),
        ("input u = step(t - 1); y = laplace(1/(s + 1), u')", &[("input-derivative", "which no number can be")]),
        ("input u = step(t - 1); x' = -x; x(0) = 1; when u' > 1: x = 1", &[("input-derivative", "no number")]),
        ("input u = 0; every 1: u = u + 1\nx = u'", &[("constant-derivative", "`u` jumps")]),
        ("x' = -x; x(0) = 1; u = x^2; y = u'", &[]),
    ]);
}

/// What cannot be a delay, a quantiser, a limit or a noise is named with the place and what to write.
#[test]
fn misused_delays_and_imperfections_are_named() {
    let model = |part: &str| format!("x' = 1; init x = 0; {part}");
    for (part, code, words) in [
        ("y = delay(x, 0)", "bad-value", "write the first argument alone"),
        ("y = delay(x, -1)", "bad-value", "must be positive, here it is -1"),
        ("y = delay(x)", "arguments", "`delay` takes 2 or 3 arguments"),
        ("y = delay(x, x)", "not-constant", "`x` is not constant"),
        ("y = delay(x, 1, x)", "bad-past", "t and parameters; `x` is neither"),
        ("y = delay(x, 1, step(t))", "bad-past", "must be smooth"),
        ("y = delay(x', 1)", "neutral", "delay `x` itself"),
        ("every 1: z = delay(x, 1)", "operator-place", "give it a name"),
        ("y = delay(x, 1); z = y'", "neutral", "the derivative of `delay(x,1)`"),
        ("y = dealy(x, 1)", "unknown-function", "did you mean `delay`?"),
        ("y = x(t - 1)", "unknown-function", "`delay(x, T)`"),
        ("y = quantize(x, 0)", "bad-value", "must be positive, here it is 0"),
        ("y = quantize(x, x)", "not-constant", "`x` is not constant"),
        ("y = quantize(x)", "arguments", "takes 2 arguments"),
        ("y = saturate(x, 3, 1)", "bad-value", "above the upper one"),
        ("y = saturate(x, -1)", "bad-value", "must not be negative"),
        ("y = saturate(x)", "arguments", "2 or 3 arguments"),
        ("y = noise(1, 1)", "noise-place", "write `noise(seed, sigma, Ts)`"),
        ("y = noise(1.5, 1, 1)", "bad-value", "a whole number from 0 to 2097151"),
        ("y = noise(-1, 1, 1)", "bad-value", "here it is -1"),
        ("y = noise(1, -1, 1)", "bad-value", "standard deviation"),
        ("y = noise(1, 1, 0)", "bad-value", "sample time"),
        ("every 1: z = noise(1, 1, 1)", "noise-place", "write `noise(seed, sigma)` here"),
        ("y = randn(1)", "unknown-function", "noise(seed, sigma)"),
    ] {
        let text = model(part);
        let found = check(&text);
        assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), [code], "{text}\n{found:#?}");
        let told = format!("{}; {}", found[0].message, found[0].help.as_deref().unwrap_or(""));
        assert!(told.contains(words), "{text}\n`{words}` is not in: {told}");
    }
}
