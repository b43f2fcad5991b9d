//! A model as a block: what it computes, what it takes, what it refuses. A program of its own, for its allocator counts.

#[path = "../../../tests/support/counting.rs"]
mod counting;

use ordinate::{
    Block, BlockStatus, CompileOptions, ErrorWish, Inputs, RealTime, RowError, RowSink, RunError, RunOptions, Source,
    compile, realtime, simulate,
};

fn block_of(text: &str, method: &str, substeps: u32) -> Result<Block, RunError> {
    let options = CompileOptions { inputs: Inputs::Open, ..CompileOptions::default() };
    Block::new(&compile(&Source::text(text), &options).expect("a model"), method, substeps)
}

/// x₂″ = u/M − ω² x₂ with a massless node; for a constant u the solution is known: report 2014V005, (27), (28). Beside it a z that
/// has no formula.
const SPRINGS: &str = "param k1 = 5, k2 = 10, M = 0.2
    input u = 3*cos(50*t)
    x2' = v2
    v2' = k2/M*x1 - k2/M*x2 + u/M
    0 = -(k1 + k2)*x1 + k2*x2
    0 = z^3 + z - 10*u
    init x2 = 1, v2 = 0; guess x1 = 0, z = 0";

#[test]
fn a_block_solves_a_descriptor_system_and_takes_no_memory() {
    for method in Block::METHODS {
        let mut block = block_of(SPRINGS, method, 10).expect("a block");
        assert_eq!((&block.inputs[..], &block.given[..]), (&["u".to_string()][..], &[3.0][..]));
        let mut state = block.start.clone();
        let at = |name: &str| block.states.iter().position(|state| state == name).expect("a state");
        let (x2, z) = (at("x2"), at("z"));
        assert!((state[z] - 3.0).abs() < 1e-9, "{method}: the start is consistent");
        let before = counting::so_far();
        for k in 0..100 {
            let status = block.step(&[3.0], 0.01 * f64::from(k), 0.01, &mut state);
            assert_eq!(status, BlockStatus::Ok, "{method}");
        }
        assert_eq!(counting::so_far() - before, 0, "{method}");
        let (rest, omega) = (0.9, (50.0f64 / 3.0).sqrt());
        let exact = rest + (1.0 - rest) * omega.cos();
        assert!((state[x2] - exact).abs() < 1e-5, "{method}: {} for {exact}", state[x2]);
        assert!((state[z] - 3.0).abs() < 1e-9, "{method}: {}", state[z]);
    }
}

#[test]
fn what_is_not_for_a_block_is_refused() {
    let refusal = |text: &str, method: &str| match block_of(text, method, 1) {
        Err(RunError::Usage(message)) => message,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("{text} is a block"),
    };
    assert!(refusal("x' = -x; x(0) = 1", "dp5").contains("radau3"));
    assert!(refusal("x' = -abs(x); x(0) = 1", "radau3").contains("branches"));
    assert!(refusal("x' = -delay(x, 1); x(0) = 1", "radau3").contains("delays"));
    let pendulum = "x'' = -l*x; y'' = -l*y - 1; 0 = x^2 + y^2 - 1; init x = 1, x' = 0; guess y = 0, y' = 0, l = 0";
    assert!(refusal(pendulum, "radau3").contains("Direct"));
    // inputs that are functions of time would be read within the step
    let model = compile(&Source::text("input u = t; x' = u; x(0) = 0"), &CompileOptions::default()).expect("a model");
    assert!(matches!(Block::new(&model, "radau3", 1), Err(RunError::Usage(message)) if message.contains("Open")));
}

/// Notes how much memory was asked for when the clock starts, and after each step.
#[derive(Default)]
struct Watching {
    started: Option<usize>,
    steps: Vec<usize>,
}

impl RowSink for Watching {
    fn row(&mut self, _values: &[f64]) -> Result<(), RowError> {
        Ok(())
    }

    fn keep_going(&mut self, _t: f64) -> bool {
        self.started.get_or_insert(counting::so_far());
        true
    }

    fn step(&mut self, _t: f64, _h: f64, _order: u32) -> bool {
        let (count, started) = (counting::so_far(), self.started.expect("the clock has started"));
        // What this list itself takes was reserved.
        self.steps.push(count - started);
        true
    }
}

/// Memory is taken and the Jacobian compiled before the clock starts: the first sample takes as little as the others, nothing.
#[test]
fn samples_of_a_run_against_the_clock_take_no_memory() {
    let forced = "input u = cos(50*t); x' = v; v' = u - x^3; init x = 1, v = 0";
    let chain =
        "param S = 400; y[1]' = -y[1]; for k in 2..S: y[k]' = y[k-1]^2 - sin(y[k]); for k in 1..S: init y[k] = 0.1";
    for (text, method) in [(chain, "radau3"), (chain, "bdf2"), (forced, "radau3"), (forced, "bdf3")] {
        let how = RealTime { dry: true, ..RealTime::default() };
        let options = CompileOptions { inputs: how.inputs(), ..CompileOptions::default() };
        let model = compile(&Source::text(text), &options).expect("a model");
        let options = RunOptions {
            t_end: Some("0.1".into()),
            method: method.into(),
            error: ErrorWish::Off,
            ..RunOptions::default()
        };
        let mut watching = Watching { started: None, steps: Vec::with_capacity(1000) };
        let (run, report) = realtime(&model, &options, &how, &mut watching).expect("a run");
        assert_eq!((run.outcome.statistics.steps, report.samples, watching.steps.len()), (100, 100, 100));
        assert_eq!(watching.steps, [0; 100], "{method}, {} states", run.outcome.y.len());
    }
}

/// What was rehearsed is forgotten: values, steps and evaluations are those of a run that was not.
#[test]
fn a_rehearsal_leaves_no_trace() {
    let model = compile(&Source::text("x' = -50*(x^3 - cos(t)); x(0) = 0; run 0 .. 1"), &CompileOptions::default());
    let model = model.expect("a model");
    for method in ["radau3", "radau5", "bdf2", "bdf3", "rk4", "taylor"] {
        for error in [ErrorWish::Off, ErrorWish::Estimate { columns: false, correct: false }] {
            let run = |rehearsal: u32| {
                let (step, method) = (Some(0.01), method.into());
                let options = RunOptions { step, method, error, rehearsal, ..RunOptions::default() };
                simulate(&model, &options, &mut ordinate::Discard).expect("a run").outcome
            };
            let (plain, rehearsed) = (run(0), run(20));
            assert_eq!((&plain.y, &plain.statistics), (&rehearsed.y, &rehearsed.statistics), "{method}");
        }
    }
}
