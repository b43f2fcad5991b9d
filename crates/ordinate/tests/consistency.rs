//! Start values of differential-algebraic equations from their texts: found, checked, and named where they contradict.

use ordinate::{CompileOptions, Discard, Memory, RowTimes, Run, RunOptions, Source, Status, compile, simulate};

const PENDULUM: &str = "
param m = 1, l = 1, g = 9.81
x'' = -2*lam*x/m
y'' = -2*lam*y/m + g
x^2 + y^2 = l^2
";

fn run(text: &str, method: &str, t_end: &str) -> Run {
    let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes");
    let options = RunOptions { method: method.into(), t_end: Some(t_end.into()), ..RunOptions::default() };
    simulate(&compiled, &options, &mut Discard).expect("it can begin")
}

fn value(run: &Run, name: &str) -> f64 {
    run.final_value(name).expect("it is a column")
}

#[test]
fn what_is_not_given_follows_and_the_guess_chooses_the_branch() {
    for (guess, sign) in [("0.3", 1.0), ("-0.3", -1.0)] {
        let text = format!("{PENDULUM}init x = 0.6, x' = 0.4\nguess y = {guess}\n");
        let run = run(&text, "taylor", "0");
        assert_eq!(run.outcome.status, Status::Ok, "{:?}", run.reason);
        // x x' + y y' = 0; 2 λ = (x'² + y'² + g y)/l²
        let (x, y, u, v) = (0.6, sign * 0.8, 0.4, -sign * 0.3);
        let lam = 0.5 * (u * u + v * v + 9.81 * y);
        for (name, expected) in [("x", x), ("y", y), ("x'", u), ("y'", v), ("lam", lam)] {
            assert!((value(&run, name) - expected).abs() < 1e-12, "{name}: {}", value(&run, name));
        }
    }
}

/// The energy and the constraint after twenty swings, by every kind of method.
#[test]
fn the_pendulum_as_on_paper_stays_on_its_circle() {
    let text = format!("{PENDULUM}init x = 1, y = 0, x' = 0, y' = 0\n");
    for method in ["taylor", "dp8", "rk4", "radau5"] {
        let run = run(&text, method, "40");
        assert_eq!(run.outcome.status, Status::Ok, "{method}: {:?}", run.reason);
        let [x, y, u, v] = ["x", "y", "x'", "y'"].map(|name| value(&run, name));
        assert!((x * x + y * y - 1.0).abs() < 1e-6, "{method}: {:e}", x * x + y * y - 1.0);
        assert!((x * u + y * v).abs() < 1e-5, "{method}: {:e}", x * u + y * v);
        let energy = 0.5 * (u * u + v * v) - 9.81 * y;
        assert!(energy.abs() < 1e-2, "{method}: {energy:e}");
    }
}

#[test]
fn contradicting_starts_name_the_equation_its_residual_and_what_to_leave_open() {
    let text = format!("{PENDULUM}init x = 0.6, y = 0.7, x' = 0, y' = 0\n");
    let run = run(&text, "taylor", "1");
    assert_eq!(run.outcome.status, Status::Stopped);
    let reason = run.reason.expect("it says why");
    assert_eq!((reason.kind, reason.t, reason.variable.as_deref()), ("inconsistent_start", 0.0, Some("y")));
    assert!(reason.message.contains("`x^2 + y^2 = l^2` is violated by -1.500e-1"), "{}", reason.message);
    assert!(reason.hint.contains("the start value of `y` open (or of `x`)"), "{}", reason.hint);
    let velocity = format!("{PENDULUM}init x = 0.6, y = 0.8, x' = 1, y' = 1\n");
    let reason = self::run(&velocity, "taylor", "1").reason.expect("it says why");
    assert!(reason.message.contains("the derivative of `x^2 + y^2 = l^2`"), "{}", reason.message);
}

/// A rope pulls only, so above its centre no force keeps the mass on the circle: what is violated is the second derivative of the
/// circle and not the circle itself, and the message says so.
#[test]
fn a_residual_is_told_with_the_derivative_that_it_is_of() {
    let text = "
x'' = -f^2*x
y'' = -f^2*y + 9.81
x^2 + y^2 = 1
init x = 0.6, y = -0.8, x' = 0, y' = 0
";
    let reason = run(text, "taylor", "1").reason.expect("it says why");
    let told = "the derivative of order 2 of `x^2 + y^2 = 1` is violated by ";
    assert!(reason.kind == "inconsistent_start" && reason.message.contains(told), "{}", reason.message);
}

/// l + l³ follows x, and p = 1 whatever x is: the digits of x that both equations lose are the same ones.
#[test]
fn what_large_terms_have_in_common_leaves_an_unknown_determined() {
    let text = "
x' = -x
p^5 + p + l + l^3 - 1e9*x = 2
p^3 + p - 2*(l + l^3 - 1e9*x) = 2
init x = 1
guess p = 0.9, l = 900
";
    let run = run(text, "radau", "1");
    assert_eq!(run.outcome.status, Status::Ok, "{:?}", run.reason);
    assert!((value(&run, "p") - 1.0).abs() < 1e-6, "{}", value(&run, "p"));
}

/// q is nearly zero at the start, the difference of numbers of 1e5: it is known to their digits.
#[test]
fn an_unknown_that_is_small_beside_others_is_determined() {
    let text = "
x' = -x
p + p^3 = 1e15*x
q + p + 1e-9*q^3 = 1e5*x^2
init x = 1
guess p = 1e5
";
    let run = run(text, "radau", "1");
    assert_eq!(run.outcome.status, Status::Ok, "{:?}", run.reason);
    let (x, p, q) = (value(&run, "x"), value(&run, "p"), value(&run, "q"));
    assert!((p + p.powi(3) - 1e15 * x).abs() < 1e-6 * 1e15 * x, "{p}");
    assert!((q + p + 1e-9 * q.powi(3) - 1e5 * x * x).abs() < 1e-6 * p, "{q}");
}

#[test]
fn more_start_values_than_needed_are_fine_if_they_agree() {
    let run = run(&format!("{PENDULUM}init x = 0.6, y = 0.8, x' = 0.4, y' = -0.3\n"), "dp8", "1");
    assert_eq!(run.outcome.status, Status::Ok, "{:?}", run.reason);
}

/// x′ = −z with z⁵ + z = x: z has no formula; where z falls below 1/2, t = 5/4 (z₀⁴ − z⁴) + ln(z₀/z).
#[test]
fn switches_of_algebraic_variables_are_located() {
    for method in ["dp8", "radau5"] {
        let run = run("x' = -z\nz^5 + z = x\ninit x = 34\nguess z = 1\nstop when z < 1/2\n", method, "60");
        assert_eq!(run.reason.as_ref().map(|reason| reason.kind), Some("stop_condition"), "{method}: {:?}", run.reason);
        let expected = 1.25 * (16.0 - 0.0625) + 4f64.ln();
        assert!((run.outcome.t_reached - expected).abs() < 1e-3, "{method}: {}", run.outcome.t_reached - expected);
        assert!((value(&run, "z") - 0.5).abs() < 1e-6, "{method}: {}", value(&run, "z"));
    }
}

/// Rows of a run at the given times, by the name of the column.
fn rows(text: &str, options: &RunOptions, times: &[&str]) -> (Run, Memory) {
    let compiled = match compile(&Source::text(text), &CompileOptions::default()) {
        Ok(compiled) => compiled,
        Err(failure) => panic!("{text}\n{failure:?}"),
    };
    let mut memory = Memory::default();
    let at = RowTimes::At(times.iter().map(|t| t.to_string()).collect());
    let run = simulate(&compiled, &RunOptions { rows: at, ..options.clone() }, &mut memory).expect("it can begin");
    (run, memory)
}

fn column<'a>(memory: &'a Memory, name: &str) -> &'a [f64] {
    let place = memory.names.iter().position(|known| known == name).expect("it is a column");
    &memory.columns[place]
}

/// (x' − t y', x − t y): the second row times d/dt repeats the first, whatever t is. The combination that is free of
/// derivatives is x + y, and t (x + y) says nothing at t = 0. Solution: x = sin t + 2, y = cos 2t + 3.
#[test]
fn rows_that_repeat_each_other_are_combined_without_a_division_by_zero() {
    let right = ["cos(t) + 2*t*sin(2*t) + sin(t) + 2", "sin(t) + 2 - t*(cos(2*t) + 3)"];
    let text = format!("x' - t*y' + x = {}; x - t*y = {}", right[0], right[1]);
    for text in [text.clone(), format!("{text}; init x = 2, y = 4")] {
        let options = RunOptions { t_end: Some("5".into()), ..RunOptions::default() };
        let (run, memory) = rows(&text, &options, &["0", "1", "5"]);
        assert_eq!(run.outcome.status, Status::Ok, "{:?}", run.reason);
        for (k, t) in [0.0f64, 1.0, 5.0].into_iter().enumerate() {
            assert!((column(&memory, "x")[k] - (t.sin() + 2.0)).abs() < 1e-14, "{t}: {}", column(&memory, "x")[k]);
            assert!((column(&memory, "y")[k] - ((2.0 * t).cos() + 3.0)).abs() < 1e-14);
        }
    }
    // through t = 0, with an integral of the solution: z = sin(2t)/2
    let text = format!("{text}; z' = y - 3; init z = sin(-1)/2");
    let options = RunOptions { t_start: Some("-0.5".into()), t_end: Some("2".into()), ..RunOptions::default() };
    let (run, memory) = rows(&text, &options, &["-0.5", "0", "2"]);
    assert_eq!(run.outcome.status, Status::Ok, "{:?}", run.reason);
    assert!((column(&memory, "z")[1]).abs() < 1e-6 && (column(&memory, "y")[1] - 4.0).abs() < 1e-14);
    assert!((column(&memory, "z")[2] - 0.5 * 4f64.sin()).abs() < 1e-6);
}

/// The first row is t times the second: the one with the constant factor is replaced.
#[test]
fn a_row_that_is_a_multiple_of_another_by_time_is_the_one_that_goes() {
    // x = t, and 1 + y' = -y
    let text = "t*x' + t*y' + t - x = t*z; x' + y' = z; z = -y; init y = 1";
    let options = RunOptions { t_end: Some("1".into()), ..RunOptions::default() };
    let (run, memory) = rows(text, &options, &["0", "1"]);
    assert_eq!(run.outcome.status, Status::Ok, "{:?}", run.reason);
    for (x, t) in column(&memory, "x").iter().zip([0.0, 1.0]) {
        assert!((x - t).abs() < 1e-14, "{x}");
    }
    assert!((column(&memory, "y")[1] - (2.0 * (-1f64).exp() - 1.0)).abs() < 1e-6, "{:?}", column(&memory, "y"));
}

/// C (a' − b') = −G a, C (b' − a') = G (1 − b): a + b = 1, a = exp(−G t/(2 C)); a farad is a large unit.
#[test]
fn a_singular_matrix_of_capacitances_is_none_of_its_units() {
    for unit in [1.0, 1e-6, 1e-12] {
        let text = format!(
            "param C = {:e}, G = {:e}; C*a' - C*b' = -G*a; -C*a' + C*b' = -G*b + G; init a = 1, b = 0",
            1e-2 * unit,
            unit
        );
        let options = RunOptions { t_end: Some("0.1".into()), ..RunOptions::default() };
        let (run, memory) = rows(&text, &options, &["0", "0.1"]);
        assert_eq!(run.outcome.status, Status::Ok, "{unit}: {:?}", run.reason);
        let exact = (-5f64).exp();
        assert!((column(&memory, "a")[1] - exact).abs() < 1e-7, "{unit}: {}", column(&memory, "a")[1]);
        assert!((column(&memory, "b")[1] - 1.0 + exact).abs() < 1e-7);
    }
}

/// An equation that does not determine its unknown at one instant is no good run, though a pole that the text asks for is.
#[test]
fn a_row_that_the_equations_do_not_determine_ends_a_run_as_not_finite() {
    let options = RunOptions { t_start: Some("-1".into()), t_end: Some("1".into()), ..RunOptions::default() };
    let (run, _) = rows("y' = -y; y(-1) = 1; t*x + 2*w = y; w = x", &options, &["-1", "1"]);
    assert_eq!(run.outcome.status, Status::Ok, "{:?}", run.reason);
    for (text, t) in [("y' = -y; y(-1) = 1; t*x = y", 0.0), ("y' = -y; y(-1) = 1; t*x + w = y; x - w = 1", -1.0)] {
        let (run, _) = rows(text, &options, &["-1", "0", "1"]);
        let reason = run.reason.expect("a reason");
        assert_eq!((run.outcome.status, reason.kind), (Status::Stopped, "not_finite"), "{}", reason.message);
        assert_eq!((reason.t, reason.variable.as_deref()), (t, Some("x")));
    }
    let (run, _) = rows("y' = -y; y(-1) = 1; x = y/t", &options, &["-1", "0", "1"]);
    assert_eq!((run.outcome.status, run.not_finite), (Status::Ok, Some(("x".into(), 0.0))));
}

/// sin z = 0.3 from where the sine is flat: Newton's step leads to 10¹⁶, where no double is near a root, or to some wave
/// far away. The branch nearby is z = asin(x/2).
#[test]
fn a_guess_where_the_equation_is_flat_finds_a_root_nearby() {
    for guess in ["1.5707963267948966", "1.57", "1.6", "-1.6", "4.7"] {
        let text = format!("x' = -x; sin(z) = x/2; init x = 0.6; guess z = {guess}");
        let options = RunOptions { t_end: Some("1".into()), ..RunOptions::default() };
        let (run, memory) = rows(&text, &options, &["0", "1"]);
        assert_eq!(run.outcome.status, Status::Ok, "{guess}: {:?}", run.reason);
        for (x, z) in column(&memory, "x").iter().zip(column(&memory, "z")) {
            assert!((z.sin() - 0.5 * x).abs() < 1e-6 && z.abs() < 10.0, "{guess}: {z}");
        }
    }
}

/// What is below the absolute tolerance is a contradiction like any other: values are compared with each other.
#[test]
fn small_values_that_contradict_are_not_moved() {
    let nano = "x'' = -2*lam*x; y'' = -2*lam*y + 9.81; x^2 + y^2 = 1e-18";
    for text in [
        "x' = -x; x + y = 3e-9; init x = 1e-9, y = 5e-9".to_string(),
        format!("{nano}; init x = 5e-10, y = 5e-10, x' = 0, y' = 0"),
    ] {
        let run = run(&text, "auto", "1e-9");
        assert_eq!(run.reason.map(|reason| reason.kind), Some("inconsistent_start"), "{text}");
    }
    for text in [
        "x' = -x; x + y = 3e-9; init x = 1e-9, y = 2e-9".to_string(),
        format!("{nano}; init x = 6e-10, y = 8e-10, x' = 0, y' = 0"),
        // rounding of constants is no contradiction
        "x' = y; x + z = sin(pi); y = -z; init x = 0, z = 0".to_string(),
    ] {
        let run = run(&text, "auto", "1e-9");
        assert_eq!(run.reason.map(|reason| reason.message), None, "{text}");
    }
}

/// A pendulum of a nanometre that swings within nanoseconds: x x' + y y' = 0 gives y' as well as for one of a metre.
#[test]
fn velocities_follow_at_any_length() {
    for (l, second) in [(1.0, 1.0), (1e-9, 1e-9), (1e-12, 1e-9), (1e6, 1e3)] {
        let (x, u) = (0.6 * l, 0.4 * l / second);
        let g = 9.81 * l / (second * second);
        let text = format!(
            "x'' = -2*lam*x; y'' = -2*lam*y + {g:e}; x^2 + y^2 = {:e}; init x = {x:e}, x' = {u:e}; guess y = {:e}",
            l * l,
            0.7 * l
        );
        let run = run(&text, "auto", "0");
        assert_eq!(run.outcome.status, Status::Ok, "{l}: {:?}", run.reason);
        assert!((value(&run, "y'") * second / l + 0.3).abs() < 1e-9, "{l}: {}", value(&run, "y'"));
    }
}

/// Enough start values are enough, whichever variables they are of.
#[test]
fn start_values_of_what_an_equation_gives_count() {
    // 5 b' = −b
    let coupled = "2*a' = i; 3*b' = -i - b; a = b";
    let springs = "x'' = l - x; y'' = -l; x - y = sin(t)";
    let exact = (-0.2f64).exp();
    for (text, name, expected) in [
        (format!("{coupled}; init a = 1"), "b", exact),
        (format!("{coupled}; init a = 1; guess b = 1"), "b", exact),
        (format!("{coupled}; init b = 1"), "b", exact),
    ] {
        let run = run(&text, "auto", "1");
        assert_eq!(run.outcome.status, Status::Ok, "{text}: {:?}", run.reason);
        assert!((value(&run, name) - expected).abs() < 1e-6, "{text}: {}", value(&run, name));
    }
    // y³ + y = 2 at y = 1
    let cubic = run("x' + y' = -x; x = y^3 + y; init x = 2; guess y = 1.5", "auto", "0");
    assert_eq!(cubic.outcome.status, Status::Ok, "{:?}", cubic.reason);
    assert!((value(&cubic, "y") - 1.0).abs() < 1e-12, "{}", value(&cubic, "y"));
    for starts in ["x = 1, y' = -1", "x = 1, x' = 0, y = 1", "x = 1, x' = 0", "y = 1, y' = -1", "x' = 0, y = 1"] {
        let run = run(&format!("{springs}; init {starts}"), "auto", "0");
        assert_eq!(run.outcome.status, Status::Ok, "{starts}: {:?}", run.reason);
        let found = ["x", "y", "x'", "y'"].map(|name| run.final_value(name));
        for (found, expected) in found.into_iter().zip([1.0, 1.0, 0.0, -1.0]) {
            assert!(found.is_none_or(|found| (found - expected).abs() < 1e-12), "{starts}: {found:?}");
        }
    }
    // x(1) from 2 x'' = −x − sin t: three ways of saying the same
    let ends = ["x = 1, x' = 0", "x = 1, y' = -1", "x' = 0, y = 1"]
        .map(|starts| value(&run(&format!("{springs}; init {starts}"), "auto", "1"), "x"));
    assert!(ends.iter().all(|x| (x - ends[0]).abs() < 1e-6), "{ends:?}");
}

/// Rows with several derivatives and tenths as coefficients: x1 = t² − 1, x2 = cos 2t, x3 = −sin(t) exp(−t/2). The numbers
/// cancel only where they are exact; with doubles x2 began at 13.3 and ended at 171, with an error of 1e-15 as estimate.
const MIXED: &str = "
(3/20)*x1 + (7/20)*x3 = 3*t^2/20 - 3/20 - 7*exp(-t/2)*sin(t)/20
(2/5)*x1' + (11/50)*x1 + (1/10)*x2' + (7/100)*x2 + (1/5)*x3' + (-3/10)*x3 = 11*t^2/50 + 4*t/5 - sin(2*t)/5 + 7*cos(2*t)/100 - 11/50 + 2*exp(-t/2)*sin(t)/5 - exp(-t/2)*cos(t)/5
(19/100)*x1' + (-7/500)*x1 + (-1/50)*x2' + (-7/500)*x2 + (59/100)*x3' + (-7/50)*x3 = -7*t^2/500 + 19*t/50 + sin(2*t)/25 - 7*cos(2*t)/500 + 7/500 + 87*exp(-t/2)*sin(t)/200 - 59*exp(-t/2)*cos(t)/100
";

#[test]
fn rows_with_several_derivatives_are_combined_exactly() {
    let options = RunOptions { t_end: Some("3".into()), ..RunOptions::default() };
    for starts in ["init x2 = 1", "init x1 = -1, x2 = 1, x3 = 0"] {
        let (run, memory) = rows(&format!("{MIXED}{starts}"), &options, &["0", "1", "3"]);
        assert_eq!(run.outcome.status, Status::Ok, "{:?}", run.reason);
        for (k, t) in [0.0f64, 1.0, 3.0].into_iter().enumerate() {
            let exact = [("x1", t * t - 1.0), ("x2", (2.0 * t).cos()), ("x3", -t.sin() * (-0.5 * t).exp())];
            for (name, exact) in exact {
                let found = column(&memory, name)[k];
                assert!((found - exact).abs() < 1e-9, "{name} at {t}: {found}, not {exact}");
            }
        }
    }
    // what follows does not stand for what is free
    assert!(compile(&Source::text(format!("{MIXED}init x1 = -1, x3 = 0")), &CompileOptions::default()).is_err());
}

/// Five periods of a rectifier: the logarithm of a current that blocks is that of one part in 10¹⁷.
#[test]
fn a_diode_may_be_written_by_its_voltage() {
    let rectifier = |diode: &str| format!("vs = 10*sin(314*t); u = vs - v; {diode}; 1e-6*v' = i - v/1000; init v = 0");
    let by_voltage = run(&rectifier("u = 0.026*log(i/1e-12 + 1)"), "auto", "0.1");
    let by_current = run(&rectifier("i = 1e-12*(exp(u/0.026) - 1)"), "auto", "0.1");
    assert_eq!(by_voltage.outcome.status, Status::Ok, "{:?}", by_voltage.reason);
    for name in ["v", "i"] {
        assert!((value(&by_voltage, name) - value(&by_current, name)).abs() < 1e-9, "{name}");
    }
}

/// Newton's method from beyond may be led to the edge of a domain, where a root has no derivative; it goes on from before it.
#[test]
fn a_guess_outside_of_the_domain_is_only_a_guess() {
    for guess in ["-0.1", "-1", "-5", "-10", "-100", "45", "1000"] {
        let run = run(&format!("x' = z; sqrt(z) + z = 3 + x; init x = 0; guess z = {guess}"), "auto", "0");
        assert_eq!(run.outcome.status, Status::Ok, "{guess}: {:?}", run.reason);
        let root = 0.5 * (13f64.sqrt() - 1.0);
        assert!((value(&run, "z") - root * root).abs() < 1e-9, "{guess}: {}", value(&run, "z"));
    }
    // Where there is no solution, what has no value is not violated by a number that is none.
    for text in ["x' = z; sqrt(z) + z = -3; init x = 0; guess z = -10", "x' = z; sqrt(x) + z + z^3 = 0; init x = -1"] {
        let reason = run(text, "auto", "1").reason.expect("no solution");
        assert!(reason.kind == "inconsistent_start" && !reason.message.contains("NaN"), "{}", reason.message);
    }
}
