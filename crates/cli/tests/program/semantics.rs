//! The meaning of the language through the command line: precedence, functions, equality, events.

use crate::support::ordinate;

/// The value of an expression at t = 2 with x = 3, x′ = −2.
fn value(expression: &str) -> f64 {
    let text = format!("x' = -2; init x = 7; e = 0.5; a = {expression}");
    let s = ordinate(&["run", "-e", &text, "-t", "2", "--summary", "json", "-q"]).expect(0).json();
    s["final"]["a"].as_f64().unwrap_or_else(|| panic!("{expression}: {s}"))
}

#[test]
fn operators_bind_as_ruled() {
    for (expression, exact) in [
        ("-x^2", -9.0),
        ("(-x)^2", 9.0),
        ("2^-3", 0.125),
        ("2^3^2", 512.0),
        ("-2^2", -4.0),
        ("x'^2", 4.0),
        ("-x'^2", -4.0),
        ("2*-3", -6.0),
        ("1 - 2 - 3", -4.0),
        ("8/4/2", 1.0),
        ("8/4*2", 4.0),
        ("2 + 3*4^2/8", 8.0),
        ("-x*2", -6.0),
        ("2^0.5^2", 2f64.powf(0.25)),
        ("+x", 3.0),
        ("1e3 + .5 + 2.", 1002.5),
        ("if x > 2 then 1 else 2 + 10", 1.0),
        ("(if x > 2 then 1 else 2) + 10", 11.0),
        ("if not x > 2 then 1 else 2", 2.0),
        ("if x > 5 and x < 1 or x == x then 1 else 2", 1.0),
        ("if x > 1 or x > 2 and x > 9 then 1 else 2", 1.0),
        ("if not (x < 0) and 1 < 2 then 1 else 2", 1.0),
        ("if x > 5 then 1 else if x > 2 then 2 else 3", 2.0),
        ("if x != 3.5 then 1 else 2", 1.0),
    ] {
        let found = value(expression);
        assert!((found - exact).abs() < 1e-9, "{expression} is {found}, not {exact}");
    }
}

#[test]
fn functions_have_their_values() {
    let x = 3f64;
    for (expression, exact) in [
        ("sin(x)", x.sin()),
        ("cos(x)", x.cos()),
        ("tan(x)", x.tan()),
        ("asin(e)", 0.5f64.asin()),
        ("acos(e)", 0.5f64.acos()),
        ("atan(x)", x.atan()),
        ("atan2(x, -1)", x.atan2(-1.0)),
        ("atan2(-x, -1)", (-x).atan2(-1.0)),
        ("sinh(x)", x.sinh()),
        ("cosh(x)", x.cosh()),
        ("tanh(x)", x.tanh()),
        ("asinh(x)", x.asinh()),
        ("acosh(x)", x.acosh()),
        ("atanh(e)", 0.5f64.atanh()),
        ("exp(x)", x.exp()),
        ("log(x)", x.ln()),
        ("log10(x)", x.log10()),
        ("sqrt(x)", x.sqrt()),
        ("cbrt(-x)", (-x).cbrt()),
        ("pow(x, 2.5)", x.powf(2.5)),
        // Abramowitz and Stegun, table 7.1
        ("erf(e)", 0.520_499_877_813_046_5),
        ("erf(-x)", -0.999_977_909_503_001_4),
        ("abs(-x)", 3.0),
        ("min(x, 1, 2)", 1.0),
        ("max(x, 1, 2)", 3.0),
        ("sign(-x)", -1.0),
        ("floor(-x - e)", -4.0),
        ("step(x)", 1.0),
        ("step(-x)", 0.0),
        ("pulse(x - 2, 2)", 1.0),
        ("pulse(x - 2, 0.5)", 0.0),
        ("ramp(x - 1)", 2.0),
        ("ramp(1 - x)", 0.0),
        ("pi", std::f64::consts::PI),
        ("t", 2.0),
        ("time", 2.0),
    ] {
        let found = value(expression);
        assert!((found - exact).abs() < 1e-8 * exact.abs().max(1.0), "{expression} is {found}, not {exact}");
    }
}

/// At equality: `<` is false, sign(0) = 0, step(0) = 1, a pulse includes its beginning and not its end.
#[test]
fn equality_is_decided_as_ruled() {
    for (expression, exact) in [
        ("if 1 < 1 then 1 else 2", 2.0),
        ("if 1 <= 1 then 1 else 2", 1.0),
        ("if z < 0 then 1 else 2", 2.0),
        ("if z <= 0 then 1 else 2", 1.0),
        ("if z > 0 then 1 else 2", 2.0),
        ("if z >= 0 then 1 else 2", 1.0),
        ("if z == 0 then 1 else 2", 1.0),
        ("sign(z)", 0.0),
        ("step(z)", 1.0),
        ("ramp(z)", 0.0),
        ("pulse(z, 1)", 1.0),
        ("pulse(z + 1, 1)", 0.0),
        ("floor(z + 2)", 2.0),
        ("abs(z)", 0.0),
    ] {
        let text = format!("z' = 0; init z = 0; a = {expression}");
        let s = ordinate(&["run", "-e", &text, "-t", "1", "--summary", "json", "-q"]).expect(0).json();
        assert_eq!(s["final"]["a"].as_f64(), Some(exact), "{expression}: {s}");
    }
}

/// Decimal literals are exact until they are rounded once.
#[test]
fn decimals_are_rounded_once() {
    for (expression, exact) in
        [("0.1 + 0.2", 0.3), ("1.1*1.1", 1.21), ("0.1*3", 0.3), ("1e22 + 1 - 1e22", 1.0), ("4.35*100", 435.0)]
    {
        let text = format!("param a = {expression}; y' = -a*y; y(0) = 1");
        let info = ordinate(&["info", "-e", &text, "--format", "json"]).expect(0).json();
        assert_eq!(info["parameters"]["a"].as_f64(), Some(exact), "{expression}");
    }
}

fn end(text: &str, t: &str) -> serde_json::Value {
    let args = ["run", "-e", text, "-t", t, "--rtol", "1e-10", "--atol", "1e-12", "--summary", "json", "-q"];
    ordinate(&args).expect(0).json()["final"].clone()
}

fn near(found: &serde_json::Value, exact: f64) -> bool {
    found.as_f64().is_some_and(|found| (found - exact).abs() < 1e-8)
}

/// Right-hand sides use the values before the event, all at once: two values change places.
#[test]
fn assignments_of_an_event_happen_at_once() {
    let last = end("t1' = 1; x' = 0; y' = 0; init t1 = 0, x = 3, y = 8; when t1 > 1: x = y, y = x", "2");
    assert!(near(&last["x"], 8.0) && near(&last["y"], 3.0), "{last}");
}

/// An event acts when its condition becomes true, not while it is, and not at the start.
#[test]
fn an_event_acts_on_the_rising_edge() {
    let last = end("p' = 1; n' = 0; init p = 0, n = 0; when sin(p) > 0.5: n = n + 1", "4*pi + 1");
    assert!(near(&last["n"], 3.0), "{last}");
    let last = end("p' = 1; n' = 0; init p = 5, n = 0; when p > 1: n = n + 1", "2");
    assert!(near(&last["n"], 0.0), "true at the start is no edge: {last}");
}

/// An event that makes another condition true triggers it at the same time.
#[test]
fn events_trigger_events() {
    let text = "p' = 1; a' = 0; b' = 0; init p = 0, a = 0, b = 0; when p > 1: a = 1; when a > 0.5: b = p + 10";
    let last = end(text, "3");
    assert!(near(&last["a"], 1.0) && near(&last["b"], 11.0), "{last}");
}

/// A ball that keeps the part e of its speed: times and heights of bounces are known.
#[test]
fn a_bouncing_ball_is_where_it_should_be() {
    let text =
        "param g = 9.81, e = 0.8; h' = v; v' = -g; n' = 0; init h = 1, v = 0, n = 0; when h < 0: v = -e*v, n = n + 1";
    let (g, e) = (9.81f64, 0.8f64);
    let fall = (2.0 / g).sqrt();
    // three bounces, then half a second less than the fourth flight
    let t = fall * (1.0 + 2.0 * e + 2.0 * e * e) + 0.1;
    let speed = (2.0 * g).sqrt() * e.powi(3);
    let last = end(text, &format!("{t:?}"));
    assert!(near(&last["n"], 3.0) && near(&last["v"], speed - g * 0.1), "{last}");
    assert!(near(&last["h"], speed * 0.1 - 0.5 * g * 0.01), "{last}");
}

/// Two crossings within one step are both found.
#[test]
fn a_short_excursion_is_not_stepped_over() {
    // true for 0.002 of the two seconds
    let text = "c' = 1; n' = 0; init c = -1, n = 0; when c^2 < 1e-6: n = n + 1";
    let last = end(text, "2");
    assert!(near(&last["n"], 1.0), "{last}");
}

/// A start time that is not zero moves the samples: they act at t0 + k·Ts.
#[test]
fn samples_count_from_the_start_time() {
    let text = "p' = 1; init p = 0; every 0.5: u = t";
    let args = ["run", "-e", text, "--t-start", "0.2", "-t", "1.3", "--at", "0.6,0.71,1.1,1.3", "-q"];
    let u = ordinate(&args).expect(0).table().column("u");
    for (found, exact) in u.into_iter().zip([0.2, 0.7, 0.7, 1.2]) {
        assert!((found - exact).abs() < 1e-12, "{found} {exact}");
    }
}

/// Lines in any order give the same model; only the order of the columns follows the text.
#[test]
fn the_order_of_lines_does_not_matter() {
    let mut lines = [
        "param k = 2*w",
        "param w = 3",
        "F = -k*x - d",
        "x'' = F",
        "d = 0.1*x'",
        "init x = 1, x' = v0",
        "param v0 = w/2",
        "run 0 .. 3",
    ];
    let solve = |lines: &[&str]| {
        let s = ordinate(&["run", "-e", &lines.join("\n"), "--summary", "json", "-q"]).expect(0).json();
        (s["final"]["x"].as_f64(), s["final"]["F"].as_f64())
    };
    let forward = solve(&lines);
    lines.reverse();
    assert_eq!(solve(&lines), forward);
}

/// Behind t = 2 the condition has no value: the run ends there instead of going on with a guess.
#[test]
fn a_condition_of_time_that_is_not_defined_ends_the_run() {
    let text = "y' = if sqrt(2 - t) - 0.5 > 0 then 1 else 0; y(0) = 0";
    let answer = ordinate(&["run", "-e", text, "-t", "3", "--summary", "json"]).expect(3);
    let summary = answer.json();
    assert_eq!(summary["reason"]["kind"], "not_finite");
    assert!((summary["final"]["y"].as_f64().unwrap() - 1.75).abs() < 1e-9);
    assert!((summary["t_reached"].as_f64().unwrap() - 2.0).abs() < 1e-9);
}

/// A named expression may have a pole that the states do not see: the rows are kept, and a note tells.
#[test]
fn a_value_that_is_not_finite_is_noted() {
    let answer = ordinate(&["run", "-e", "y' = -y; a = 1/t; y(0) = 1", "-t", "1", "--at", "0,1"]).expect(0);
    assert!(answer.err.contains("`a` is not a finite number at t = 0"), "{}", answer.err);
    let summary =
        ordinate(&["run", "-e", "y' = -y; a = 1/t; y(0) = 1", "-t", "1", "--summary", "json"]).expect(0).json();
    assert_eq!(summary["not_finite"]["variable"], "a");
}

/// Blocks that act at the same instant act at once, also where the instants are decimals that are no doubles.
#[test]
fn samples_at_decimal_times_meet() {
    let at = |model: &str, t_end: &str, column: &str| {
        let summary = ordinate(&["run", "-e", model, "-t", t_end, "--summary", "json", "-q"]).expect(0).json();
        summary["final"][column].as_f64().expect("a value")
    };
    let blocks = "x'=a; x(0)=0; init a=0, b=0; every 0.1: a = b + 1; every 0.3: b = a + 10";
    let tenfold = "x'=a; x(0)=0; init a=0, b=0; every 1: a = b + 1; every 3: b = a + 10";
    for t in 1..=30 {
        let decimal = at(blocks, &format!("{}.{}5", t / 10, t % 10), "a");
        assert_eq!(decimal, at(tenfold, &format!("{t}.5"), "a"), "t = {t}/10 + 0.05");
    }
    let counter = "x'=n; x(0)=0; init n=0; every 0.1: n = n + 1";
    for t in 1..=30 {
        assert_eq!(at(counter, &format!("{}.{}", t / 10, t % 10), "n"), f64::from(t + 1), "after the sample at {t}/10");
    }
    // a step that the sample at the same time sees
    assert!((at("x'=u; x(0)=0; input r = step(t-0.9); every 0.3: u = r", "2", "x") - 1.1).abs() < 1e-12);
}

/// The side of a switch is that of its argument, wherever its slope is infinite, a parameter decides a branch of it, or another
/// switch moves it.
#[test]
fn switches_are_on_the_side_of_their_arguments() {
    let tank = (0.55f64.exp() - 0.2) * (-0.95f64).exp() + 0.2;
    for (model, t, name, exact) in [
        ("param mode=1; r = if mode == 1 then t else 10; u = min(r, 1); x'=u; x(0)=0", "1", "x", 0.5),
        ("param p=4; r = abs((if p > 3 then t else 10) - 0.9); x'=1; x(0)=0", "0.337", "r", 0.563),
        ("param p=4; r = max(1, (if not (p <= 3 or p == 7) then t else 10)); x'=1; x(0)=0", "0.337", "r", 1.0),
        ("param mode=1; r = if mode < 0.5 then 10 else sin(t); u = max(r, 0); x'=u; x(0)=0", "5", "x", 2.0),
        ("h'=1; h(0)=0; r=min(0.5,sqrt(h))", "0.09", "r", 0.3),
        ("h'=1; h(0)=0; r=min(0.5,sqrt(h))", "0.9", "r", 0.5),
        ("h'=0.5; h(0)=0; n'=0; n(0)=0; when sqrt(h)>0.5: n=n+1", "0.4", "n", 0.0),
        ("h'=0.5; h(0)=0; n'=0; n(0)=0; when sqrt(h)>0.5: n=n+1", "0.6", "n", 1.0),
        ("x'=1; x(0)=0; r=max(0.9,sqrt(abs(t)))", "0.3", "r", 0.9),
        ("x'=1; x(0)=0; r=max(0.9,sqrt(abs(t-1)))", "1.5", "r", 0.9),
        ("h'=0.5; h(0)=0; y=min(1/h,1)", "0.25", "y", 1.0),
        ("h'=0.5; h(0)=0; y=min(1/h,1)", "4", "y", 0.5),
        ("h'=0.5; h(0)=0; y=max(log(h),-1)", "0.25", "y", -1.0),
        ("h'=1; h(0)=1; when t>1: h=0; r=min(0.5,sqrt(h))", "1.09", "r", 0.3),
        ("x'=1; x(0)=-1; y'=r-0.5*y; y(0)=1; r=min(if x >= 0.1 then 0.1 else y, y)", "3", "y", tank),
        // beyond a pole
        ("x''=-x; x(0)=1; x'(0)=0; y=saturate(1/x,10)", "1.6", "y", -10.0),
        ("x'=1; x(0)=-1; y=sign(1/x)", "2", "y", 1.0),
        ("x'=1; x(0)=-0.9; y=max(1/x,0)", "2", "y", 1.0 / 1.1),
        ("x'=1; x(0)=-0.9; y=saturate(-1/x^3,3)", "2", "y", -1.0 / 1.331),
        // what begins on a boundary does as the branch of equality
        ("y' = if y < 0 then -1 else 0; y(0) = 0", "1", "y", 0.0),
        ("y' = if y > 0 then 1 else 0; y(0) = 0", "1", "y", 0.0),
        ("y' = if y >= 0 then 1 else 0; y(0) = 0", "1", "y", 1.0),
        ("y' = floor(y); y(0) = 0", "1", "y", 0.0),
    ] {
        for method in ["auto", "dp8", "radau"] {
            // a row inside of a run: at its end a value is what it is without any memory
            let end = format!("{t} + 0.5");
            let text = ordinate(&["run", "-e", model, "-t", &end, "--at", t, "-m", method, "-q"]).expect(0).out;
            let mut lines = text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(','));
            let place = lines.next().and_then(|mut names| names.position(|column| column == name));
            let value = place.and_then(|place| lines.next()?.nth(place)?.parse::<f64>().ok());
            let found = value.unwrap_or_else(|| panic!("{model}: {text}"));
            assert!((found - exact).abs() < 1e-5, "{model}, {method}: {name}({t}) = {found}, not {exact}");
        }
    }
}

/// Events that would not come to an end are named as such, soon, with what switches.
#[test]
fn endless_events_are_named() {
    let model = "x' = 1; when x > 1: x = 0.9999999999; x(0) = 0";
    let s = ordinate(&["run", "-e", model, "-t", "3", "--at", "2", "--summary", "json", "-q"]).expect(3).json();
    assert_eq!((&s["reason"]["kind"], &s["reason"]["variable"]), (&"zeno".into(), &"x".into()), "{s}");
    assert!(s["reason"]["message"].as_str().is_some_and(|text| text.contains("`x - 1`")), "{s}");
}

/// All start values that the equations contradict are told, with the equations.
#[test]
fn every_contradicted_start_value_is_told() {
    let model = "x' = y; y' = -x; x + y + z = 3; z - w = 1; x(0)=1; y(0)=1; z(0)=5; w(0)=7";
    let answer = ordinate(&["run", "-e", model, "-t", "1"]).expect(3);
    for part in [
        "value 5 of `z` contradicts the equations: `z = 3 - ",
        "gives 1, it is violated by 4.000e0",
        "value 7 of `w` contradicts the equations: `w = z - 1` gives 0, it is violated by 7.000e0",
    ] {
        assert!(answer.err.contains(part), "{part}: {answer:?}");
    }
    // An equation without a formula for the variable is told as it is written, with its own residual.
    let answer = ordinate(&["run", "-e", "x'^2 + x^2 = 1; init x = 0.5, x' = 0.5", "-t", "1"]).expect(3);
    let part =
        "value 0.5 of `x'` contradicts the equations: `x'^2 + x^2 = 1` is violated by -5.000e-1, which gives 0.866";
    assert!(answer.err.contains(part), "{answer:?}");
}

/// é as one code point or as two, the micro sign and the Greek letter: one name each, headed as it was written first.
#[test]
fn a_name_is_its_letters_however_they_are_encoded() {
    let model =
        "param \u{b5} = 2, e\u{301}ta = 1; def fe\u{300}(x) = 2*x; x' = \u{3bc} - \u{e9}ta*f\u{e8}(x)/2; x(0) = 0";
    let run = |more: &[&str]| ordinate(&[&["run", "-e", model, "-t", "40", "--summary", "json", "-q"], more].concat());
    let end = |more: &[&str]| run(more).expect(0).json()["final"]["x"].as_f64().expect("a value");
    assert!((end(&[]) - 2.0).abs() < 1e-6);
    assert!((end(&["--set", "\u{3bc}=3"]) - 3.0).abs() < 1e-6);
    assert!((end(&["--set", "\u{e9}ta=0.5*\u{3bc}"]) - 2.0).abs() < 1e-6);
    let names = ordinate(&["run", "-e", "\u{b5}' = -\u{3bc}; \u{3bc}(0) = 1", "-t", "1", "-o", "-", "-q"]).expect(0);
    assert!(names.out.contains("time,\u{b5}\n"), "{}", names.out);
}

/// A mass or a length of zero takes the derivative out of an equation, but not the start values out of the text.
#[test]
fn start_values_of_lost_derivatives_are_compared() {
    for (model, set) in [("pendulum", "l=0"), ("pendulum-dae", "m=0"), ("spring-chain", "m=0"), ("pade-mdorav", "T=0")]
    {
        let path = crate::support::repository().join(format!("examples/{model}.eq"));
        let args = ["run", path.to_str().expect("a path"), "--set", set, "-q", "--summary", "json"];
        assert_eq!(ordinate(&args).expect(3).json()["reason"]["kind"], "inconsistent_start", "{model}");
    }
    let rest = ordinate(&["run", "-e", "param l = 0; l*x'' = -sin(x); init x = 0, x' = 0", "-t", "1"]).expect(0);
    assert!(rest.out.ends_with("1.0,0.0,0.0\n"), "{}", rest.out);
}

/// A slider follows from the angles of its crank; the text speaks of its acceleration, so its speed is shown.
#[test]
fn derivatives_below_the_highest_are_columns_of_what_follows_too() {
    let crank = "J*a'' = 1.5 - 0.1*a' + l1*sin(a)*p - l1*cos(a)*q; J*b'' = l2*sin(b)*p - l2*cos(b)*q; m*x'' = -3*x' + p
        0 = l1*cos(a) + l2*cos(b) - x; 0 = l1*sin(a) + l2*sin(b)
        param l1 = 0.3, l2 = 0.8, J = 0.1, m = 0.5; init a = 0.5, a' = 1; guess x = 1, b = -0.2";
    let run = ordinate(&["run", "-e", crank, "-t", "1", "--at", "1", "-q", "--summary", "json"]).expect(0).json();
    let value = |name: &str| run["final"][name].as_f64().unwrap_or_else(|| panic!("no {name}: {run}"));
    let speed = -0.3 * value("a").sin() * value("a'") - 0.8 * value("b").sin() * value("b'");
    assert!((value("x'") - speed).abs() < 1e-9 && speed.abs() > 0.01, "{} instead of {speed}", value("x'"));
}

/// A start value of nothing is one mistake: the constraint beside it is as good as before.
#[test]
fn a_misspelt_start_value_makes_no_other_mistakes() {
    let pendulum = "x'' = -2*lambda*x; y'' = -2*lambda*y + 9.81; x^2 + y^2 = 1; init x = 1, y' = 0";
    for (more, help) in [("guess lamda = 0", "did you mean `lambda`?"), ("init z = 2", "remove this line")] {
        let answer = ordinate(&["check", "-e", &format!("{pendulum}; {more}")]).expect(1);
        let all = format!("{}{}", answer.out, answer.err);
        assert!(all.contains(help) && all.matches("error[").count() == 1, "{all}");
    }
}
