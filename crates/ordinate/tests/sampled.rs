//! Inputs in real time: read when a sample begins and held until the next one, by every method and over substeps.

use ordinate::{CompileOptions, Compiled, Memory, RealTime, RowTimes, RunError, RunOptions, Source, compile, realtime};

fn dry(rate: f64, substeps: u32) -> RealTime {
    RealTime { rate, substeps, dry: true, ..RealTime::default() }
}

fn sampled(text: &str, how: &RealTime) -> Compiled {
    let options = CompileOptions { inputs: how.inputs(), ..CompileOptions::default() };
    compile(&Source::text(text), &options).unwrap_or_else(|failure| panic!("{text}: {failure:?}"))
}

/// The values of a column at the given times.
fn column(text: &str, how: &RealTime, method: &str, times: &str, name: &str) -> Vec<f64> {
    let compiled = sampled(text, how);
    let rows = RowTimes::At(times.split(',').map(str::to_string).collect());
    let options = RunOptions { method: method.into(), rows, ..RunOptions::default() };
    let mut memory = Memory::default();
    realtime(&compiled, &options, how, &mut memory).expect("a run");
    memory.column(name).expect(name).to_vec()
}

/// The sum of the samples, whatever the method and however many its steps: ∫ of u held is Σ u(k).
#[test]
fn an_input_is_read_when_a_sample_begins() {
    for method in ["radau3", "radau5", "bdf2", "bdf3", "rk4", "taylor", "euler"] {
        for substeps in [1, 4] {
            let text = "input u = t; x' = u; x(0) = 0; output twice = 2*u; run 0 .. 3";
            let of = |name: &str| column(text, &dry(1.0, substeps), method, "0.5,1.5,3", name);
            let close = |found: &[f64], expected: [f64; 3]| {
                let near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12);
                assert!(near, "{method}, {substeps} substeps: {found:?} for {expected:?}");
            };
            close(&of("x"), [0.0, 0.5, 3.0]);
            close(&of("u"), [0.0, 1.0, 3.0]);
            close(&of("twice"), [0.0, 2.0, 6.0]);
        }
    }
}

/// What is not an input is not sampled, and what never changes is not an event.
#[test]
fn formulas_of_time_belong_to_the_model() {
    let x = |text: &str| column(text, &dry(1.0, 1), "radau5", "3", "x")[0];
    assert!((x("x' = t; x(0) = 0; run 0 .. 3") - 4.5).abs() < 1e-12);
    assert!((x("u = t; x' = u; x(0) = 0; run 0 .. 3") - 4.5).abs() < 1e-12);
    let constant = sampled("param p = 2; input u = p; x' = u; x(0) = 0", &dry(1.0, 1));
    assert!(constant.program.layout.sampled.is_empty() && constant.program.layout.held == 0);
    // an `every` of the model stays what it is
    assert!((x("input u = 0; every 0.5: u = t; x' = u; x(0) = 0; run 0 .. 3") - 3.75).abs() < 1e-12);
}

/// An input that is made of another one sees its value of now; a branch is taken as it is at the sample, and no step ends where it
/// changes in between.
#[test]
fn inputs_of_inputs_and_branches_are_those_of_the_sample() {
    let how = dry(1.0, 1);
    let text = "input u = step(t - 1); input w = 10*u + pulse(t - 1.5, 0.2); x' = w; x(0) = 0; run 0 .. 3";
    assert_eq!(column(text, &how, "radau3", "0,1,2,3", "w"), [0.0, 10.0, 10.0, 10.0]);
    let options = RunOptions::default();
    let (run, _) = realtime(&sampled(text, &how), &options, &how, &mut Memory::default()).expect("a run");
    assert_eq!(run.outcome.statistics.steps, 3);
    // the same branch in an equation is located
    let both = "input u = step(t - 1.5); x' = u + step(t - 1.5); x(0) = 0; run 0 .. 3";
    assert!((column(both, &how, "radau3", "3", "x")[0] - 2.5).abs() < 1e-12);
}

/// Numbers of noise that has the period of the samples come one by one: none twice, none left out.
#[test]
fn noise_of_the_same_period_is_read_number_by_number() {
    let text = "input u = noise(1, 1, 0.1); x' = u; x(0) = 0; run 0 .. 1";
    let u = column(text, &dry(10.0, 1), "radau3", "0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9", "u");
    assert!(u.windows(2).all(|pair| pair[0] != pair[1]), "{u:?}");
}

/// u′ of an input that is held has impulses: put in where the equation allows it, refused with advice where not.
#[test]
fn derivatives_of_held_inputs_are_impulses() {
    // y = ∫u + 3u: y′ = u + 3u′
    let text = "input u = t; y' = 3*u' + u; y(0) = 0; run 0 .. 3";
    let y = column(text, &dry(1.0, 1), "radau5", "3", "y")[0];
    assert!((y - 12.0).abs() < 1e-12, "{y}");
    let options = CompileOptions { inputs: dry(1.0, 1).inputs(), ..CompileOptions::default() };
    for text in ["input u = t; x'' + u'*x = 0; init x = 1, x' = 0", "input v = sin(t); e' - j = 0; e + v = 0; e(0) = 0"]
    {
        let message = format!("{:?}", compile(&Source::text(text), &options).expect_err("impulses"));
        assert!(message.contains("is sampled and held") && message.contains("without `input`"), "{message}");
    }
}

#[test]
fn a_model_that_was_not_compiled_for_the_clock_is_refused() {
    let how = dry(10.0, 1);
    let text = "input u = t; x' = u; x(0) = 0; run 0 .. 3";
    for inputs in [ordinate::Inputs::Given, dry(20.0, 1).inputs()] {
        let compiled = compile(&Source::text(text), &CompileOptions { inputs, ..CompileOptions::default() });
        let result = realtime(&compiled.expect("a model"), &RunOptions::default(), &how, &mut Memory::default());
        assert!(matches!(result, Err(RunError::Usage(message)) if message.contains("RealTime::inputs")));
    }
}
