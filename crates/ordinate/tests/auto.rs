//! Which methods `auto` takes, and what is called stiff: by counted costs, the same on every machine.

use ordinate::{CompileOptions, Compiled, ErrorWish, Memory, Run, RunOptions, Source, Status, compile, simulate};

fn model(path: &str) -> Compiled {
    let path = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    text(&std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}")))
}

fn text(text: &str) -> Compiled {
    compile(&Source::text(text), &CompileOptions::default()).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

fn with(method: &str, rtol: f64) -> RunOptions {
    RunOptions { method: method.into(), rtol, atol: 1e-3 * rtol, error: ErrorWish::Off, ..RunOptions::default() }
}

fn run(compiled: &Compiled, options: &RunOptions) -> Run {
    let run =
        simulate(compiled, options, &mut Memory::default()).unwrap_or_else(|e| panic!("{}: {e:?}", options.method));
    assert_eq!(run.outcome.status, Status::Ok, "{}: {:?}", options.method, run.reason);
    run
}

fn steps_of(run: &Run, name: &str) -> u64 {
    let shares = run.outcome.chosen.iter().flat_map(|chosen| &chosen.shares);
    shares.filter(|(method, _)| *method == name).map(|(_, steps)| steps).sum()
}

fn kuramoto(n: u32) -> Compiled {
    let full = std::fs::read_to_string(format!("{}/../../tests/sound/kuramoto-100.eq", env!("CARGO_MANIFEST_DIR")));
    let full = full.expect("the model").replace("N = 100", &format!("N = {n}"));
    text(&full.replace("(i - 50.5)/50", "(i - (N + 1)/2)/(N/2)"))
}

const STIFF: [(&str, &str); 3] = [
    ("x'' = mu*(1 - x^2)*x' - x; param mu = 1000; init x = 2, x' = 0; run 0 .. 2000", "van der Pol"),
    (
        "a' = -0.04*a + 1e4*b*c; b' = 0.04*a - 1e4*b*c - 3e7*b^2; c' = 3e7*b^2; init a = 1, b = 0, c = 0; run 0 .. 40",
        "Robertson",
    ),
    ("y' = -1e5*(y - cos(t)); init y = 0; run 0 .. 10", "Prothero and Robinson"),
];

#[test]
fn a_slow_return_to_an_equilibrium_is_not_stiff() {
    let compiled = model("examples/lorenz-stable.eq");
    for method in ["auto", "taylor", "dp8", "dp5"] {
        let options = RunOptions { t_end: Some("100".into()), ..with(method, 1e-10) };
        let run = run(&compiled, &options);
        assert!(!run.is_stiff(), "{method}: {:?}", run.choice_text());
        assert_eq!(steps_of(&run, "radau") + steps_of(&run, "bdf"), 0, "{method}: {:?}", run.choice_text());
    }
}

/// A Jacobian of 10⁴ elements is never worth it for the few steps that stability makes shorter in the end.
#[test]
fn many_coupled_oscillators_are_left_to_explicit_methods() {
    for n in [50, 100] {
        let compiled = kuramoto(n);
        for method in ["auto", "taylor"] {
            let run = run(&compiled, &with(method, 1e-6));
            assert!(!run.is_stiff(), "{n}, {method}: {:?}", run.choice_text());
            assert_eq!(run.outcome.statistics.evaluations.jacobian, 0, "{n}, {method}: {:?}", run.choice_text());
            assert!(run.outcome.statistics.steps < 100, "{n}, {method}: {:?}", run.choice_text());
        }
    }
}

/// Bodies that attract each other, softly, so that all of their series are long and none is near a pole.
fn bodies(count: usize) -> Compiled {
    use std::fmt::Write;
    let mut model = String::new();
    let pairs = |i: usize| (0..count).filter(move |j| *j != i);
    for i in 0..count {
        for axis in ["x", "y", "z"] {
            let pull = |j: usize| format!("({axis}{j} - {axis}{i})/d{}_{}^1.5", i.min(j), i.max(j));
            let sum: Vec<String> = pairs(i).map(pull).collect();
            writeln!(model, "{axis}{i}'' = ({})/{count}", sum.join(" + ")).expect("a string takes all text");
        }
        for j in i + 1..count {
            writeln!(model, "d{i}_{j} = (x{i} - x{j})^2 + (y{i} - y{j})^2 + (z{i} - z{j})^2 + 0.05")
                .expect("a string takes all text");
        }
        let at = |k: usize| (12.9898 * (3 * i + k) as f64).sin() * 1.5;
        writeln!(model, "init x{i} = {}, y{i} = {}, z{i} = {}", at(0), at(1), at(2)).expect("a string takes all text");
        writeln!(model, "init x{i}' = {}, y{i}' = {}, z{i}' = 0", 0.3 * at(5), 0.3 * at(7))
            .expect("a string takes all text");
    }
    text(&(model + "run 0 .. 3"))
}

/// Where a series is dear, steps of a Runge–Kutta method are taken almost from the start, and the solution is the same.
#[test]
fn a_series_that_is_dear_gives_way_to_runge_kutta() {
    let compiled = bodies(20);
    let run = run(&compiled, &with("auto", 1e-3));
    let [taylor, dp8] = ["taylor", "dp8"].map(|name| steps_of(&run, name));
    assert!(taylor <= 1 && dp8 > 5, "{:?}", run.choice_text());
    let reference = simulate(&compiled, &with("taylor", 1e-10), &mut Memory::default()).expect("a run");
    for (value, exact) in run.outcome.y.iter().zip(&reference.outcome.y) {
        assert!((value - exact).abs() < 0.1, "{value} is not {exact}");
    }
}

/// With the same tolerance dp8 does these runs with fewer operations, and an error that is 10⁴ times as large.
#[test]
fn explicit_methods_are_compared_at_the_same_error() {
    let compiled = kuramoto(100);
    let reference = simulate(&compiled, &with("taylor", 1e-10), &mut Memory::default()).expect("a run");
    let error = |run: &Run| {
        let ends = run.outcome.y.iter().zip(&reference.outcome.y);
        ends.map(|(value, exact)| (value - exact).abs()).fold(0.0, f64::max)
    };
    for rtol in [1e-3, 1e-5, 1e-7] {
        let [auto, dp8] = ["auto", "dp8"].map(|method| run(&compiled, &with(method, rtol)));
        assert_eq!(steps_of(&auto, "dp8"), 0, "{:?}", auto.choice_text());
        assert!(100.0 * error(&auto) < error(&dp8), "{}, {}", error(&auto), error(&dp8));
    }
}

#[test]
fn a_given_step_is_stiff_only_where_it_is_unstable() {
    let motor = model("examples/dc-motor.eq");
    for method in ["taylor", "mtsm"] {
        let options = RunOptions { step: Some(0.1), atol: 1e-9, ..with(method, 1e-6) };
        let run = run(&motor, &options);
        assert!(!run.is_stiff(), "{method}");
    }
    // The interval of rk4 ends at 2.785: λ h = −2.7 is stable, −2.8 is not.
    for (lambda, stiff) in [("270", false), ("280", true)] {
        let compiled = text(&format!("y' = -{lambda}*(y - 1); init y = 1.0001; run 0 .. 1"));
        let run = run(&compiled, &RunOptions { step: Some(0.01), ..with("rk4", 1e-6) });
        assert_eq!(run.is_stiff(), stiff, "λ = −{lambda}");
    }
}

#[test]
fn stiff_models_are_found_and_left_to_implicit_methods() {
    for (model, name) in STIFF {
        let run = run(&text(model), &with("auto", 1e-6));
        assert!(run.is_stiff(), "{name}: {:?}", run.choice_text());
        let implicit = steps_of(&run, "radau") + steps_of(&run, "bdf");
        let explicit = run.outcome.statistics.steps - implicit;
        assert!(implicit > 0 && explicit < 120, "{name}: {:?}", run.choice_text());
    }
}

/// With step doubling, too.
#[test]
fn named_explicit_methods_tell_of_stiffness() {
    let van_der_pol = "x'' = 1000*(1 - x^2)*x' - x; init x = 2, x' = 0; run 0 .. 20";
    for method in ["rk4", "heun", "dp5", "dp8", "adams", "taylor"] {
        assert!(run(&text(van_der_pol), &with(method, 1e-6)).is_stiff(), "{method}");
    }
    let lorenz = model("examples/lorenz.eq");
    for method in ["rk4", "dp5", "dp8", "adams", "taylor"] {
        assert!(!run(&lorenz, &with(method, 1e-6)).is_stiff(), "{method}");
    }
}

/// Stiff until t = 20, then not: the fast decay ends, and what is left is Lorenz' system.
#[test]
fn an_explicit_method_comes_back_when_it_pays() {
    let text_of = "g = 1/(1 + exp(5*(t - 20))); y' = -1e4*g*(y - cos(t)); init y = 1; \
                   p' = (1 - g)*10*(q - p); q' = (1 - g)*(p*(28 - r) - q); r' = (1 - g)*(p*q - 8/3*r); \
                   init p = 1, q = 1, r = 20; run 0 .. 60";
    let run = run(&text(text_of), &with("auto", 1e-6));
    let [taylor, radau] = ["taylor", "radau"].map(|name| steps_of(&run, name));
    assert!(run.is_stiff() && radau > 5, "{:?}", run.choice_text());
    assert!(taylor > 3 * radau, "{:?}", run.choice_text());
}

/// The relaxation oscillator goes to and fro; neither method may be held on to at any price.
#[test]
fn a_relaxation_oscillator_takes_no_more_than_either() {
    for mu in ["5", "30", "300"] {
        let compiled = text(&format!("x'' = {mu}*(1 - x^2)*x' - x; init x = 2, x' = 0; run 0 .. 10*{mu}"));
        let steps = |method: &str| run(&compiled, &with(method, 1e-6)).outcome.statistics.steps;
        let (auto, fewest) = (steps("auto"), steps("taylor").min(2 * steps("radau")));
        assert!(auto <= fewest + fewest / 2, "μ = {mu}: {auto} steps, {fewest}");
    }
}

#[test]
fn the_same_input_takes_the_same_steps() {
    let compiled = [text(STIFF[0].0), text(STIFF[1].0), kuramoto(100)];
    for compiled in &compiled {
        let first = run(compiled, &with("auto", 1e-6));
        // Also where the Jacobian has been compiled by another run.
        simulate(compiled, &with("radau", 1e-3), &mut Memory::default()).expect("a run");
        let again = run(compiled, &with("auto", 1e-6));
        assert_eq!(first.outcome.chosen, again.outcome.chosen);
        assert_eq!(first.outcome.y, again.outcome.y);
        assert_eq!(first.outcome.statistics.steps, again.outcome.statistics.steps);
    }
}
