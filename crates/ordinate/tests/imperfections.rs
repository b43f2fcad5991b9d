//! `quantize`, `saturate`, `noise` and the computation delay of a sample, in runs.

use ordinate::{CompileOptions, Memory, Run, RunOptions, Source, compile, simulate};

fn run(text: &str, method: &str) -> Run {
    let compiled = compile(&Source::text(text), &CompileOptions::default()).unwrap_or_else(|e| panic!("{text}\n{e:?}"));
    let options = RunOptions { method: method.into(), ..RunOptions::default() };
    simulate(&compiled, &options, &mut Memory::default()).unwrap_or_else(|e| panic!("{text}\n{e:?}"))
}

fn end(text: &str, method: &str, name: &str) -> f64 {
    run(text, method).final_value(name).expect("a column")
}

/// ∫ of t rounded to multiples of 1/4, from 0 to 2: each step is where the nearest multiple changes, so the integral is that of t.
#[test]
fn the_thresholds_of_quantize_are_located() {
    for method in ["taylor", "dp5", "radau", "bdf"] {
        let text = "z' = 1; x' = quantize(z, 0.25); init x = 0, z = 0; run 0 .. 2";
        let found = run(text, method);
        let x = found.final_value("x").expect("x");
        assert!((x - 2.0).abs() < 1e-9, "{method}: {x}");
        assert_eq!(found.outcome.statistics.events, 8, "{method}");
    }
}

/// Half way between two multiples it goes up; that of a parameter is just a number.
#[test]
fn halves_are_rounded_upwards() {
    let text = "param a = quantize(0.5, 1), b = quantize(-0.5, 1), c = quantize(-0.6, 0.25), d = quantize(7, 2)\nx' = 0; y = a; z = b; u = c; v = d; init x = 0; run 0 .. 1";
    let found = run(text, "dp5");
    let value = |name: &str| found.final_value(name).expect("a column");
    assert_eq!(["y", "z", "u", "v"].map(value), [1.0, 0.0, -0.5, 8.0]);
}

/// ∫ of a sine cut off at ±1/2 over a quarter of its period: 1 − cos(π/6) + (π/2 − π/6)/2.
#[test]
fn saturation_is_located() {
    let exact = 1.0 - (std::f64::consts::PI / 6.0).cos() + std::f64::consts::PI / 6.0;
    for method in ["taylor", "dp5", "radau"] {
        for cut in ["saturate(sin(z), 0.5)", "saturate(sin(z), -0.5, 0.5)", "saturate(sin(z), -7, 0.5)"] {
            let text = format!("z' = 1; x' = {cut}; init x = 0, z = 0; run 0 .. pi/2");
            let x = end(&text, method, "x");
            assert!((x - exact).abs() < 1e-6, "{method}, {cut}: {x} {exact}");
        }
    }
}

/// Number k of a seed is the same in `every`, in `when` and in continuous time, for every method and step.
#[test]
fn noise_depends_on_seed_and_count_alone() {
    let text = "s' = 1; c = noise(5, 2, 0.25); every 0.25: n = noise(5, 2)\nwhen s > 1.9: w = noise(5, 2)\ninit s = 0, n = 0, w = 0; run 0 .. 2.1";
    let first = run(text, "taylor");
    let value = |run: &Run, name: &str| run.final_value(name).expect("a column");
    // the ninth sample, number 8, was taken at 2; `when` acted for the first time
    assert_eq!(value(&first, "c"), value(&first, "n"));
    assert_ne!(value(&first, "n"), value(&first, "w"));
    for method in ["dp5", "radau", "bdf", "adams"] {
        let other = run(text, method);
        assert_eq!(["c", "n", "w"].map(|name| value(&other, name)), ["c", "n", "w"].map(|name| value(&first, name)));
    }
    let zero = end("every 1: n = noise(5, 2)\nx' = 0; init x = 0, n = 0; run 0 .. 0.5", "dp5", "n");
    assert_eq!(zero, value(&first, "w"), "both are number 0");
}

/// A function of the model that draws noise draws by the count of where it is used.
#[test]
fn functions_draw_where_they_are_used() {
    let text = "def sensor(x) = x + noise(3, 1)\nx' = 0; every 0.1: a = sensor(0)\nevery 0.5: b = sensor(0)\ninit x = 0, a = 0, b = 0; run 0 .. 0.55";
    let found = run(text, "dp5");
    let own = run("x' = 0; every 0.1: a = noise(3, 1)\ninit x = 0, a = 0; run 0 .. 0.15", "dp5");
    // the second drawing of b is the second of a
    assert_eq!(found.final_value("b"), own.final_value("a"));
    assert_ne!(found.final_value("a"), found.final_value("b"));
}

/// u(k) = K (r − y(k − 1)): what is computed from one sample goes out with the next.
#[test]
fn a_computation_takes_one_sample() {
    let text = "y' = 1; every 0.5: u = next, next = 10*y\ninit y = 0, u = -1, next = -2; run 0 .. 1.75";
    let found = run(text, "taylor");
    // at 1.5 goes out what was computed at 1
    assert_eq!(found.final_value("u"), Some(10.0));
    assert!((found.final_value("next").expect("next") - 15.0).abs() < 1e-9);
}
