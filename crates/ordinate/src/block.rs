//! A model as a block: whoever owns the loop steps it.

use crate::start::at_start;
use crate::{Compiled, Inputs, RunError};
use ordinate_program::Evaluator;
use ordinate_solve::{BlockError, BlockStatus, System};

/// A model that is stepped from outside: state, input, t, h → next state and status. A step has a fixed length and a bounded
/// number of iterations, and takes no memory; the inputs, all that the text declares, are held over it.
///
/// ```
/// use ordinate::{Block, BlockStatus, CompileOptions, Inputs, Source, compile};
///
/// let text = "input u = 0; x' = v; v' = u - x - 0.2*v; init x = 1, v = 0";
/// let options = CompileOptions { inputs: Inputs::Open, ..CompileOptions::default() };
/// let model = compile(&Source::text(text), &options).unwrap();
/// let mut block = Block::new(&model, "radau3", 1).unwrap();
///
/// let (mut state, h) = (block.start.clone(), 0.01);
/// for k in 0..2000 {
///     let u = -2.0 * state[1]; // a controller that measures v
///     let status = block.step(&[u], f64::from(k) * h, h, &mut state);
///     assert_eq!(status, BlockStatus::Ok);
/// }
/// assert_eq!((block.states.as_slice(), block.inputs.as_slice()), (&["x".to_string(), "v".into()][..], &["u".to_string()][..]));
/// assert!(state[0].abs() < 1e-4);
/// ```
///
/// A model with branches, `when`, `every`, delays, or whose index was reduced is not for a block: it takes the driver of
/// [`realtime`](crate::realtime()) to find its events and to keep its constraints.
pub struct Block {
    inner: ordinate_solve::Block,
    evaluator: Evaluator,
    /// Names of the states, algebraic ones last.
    pub states: Vec<String>,
    /// Names of the inputs.
    pub inputs: Vec<String>,
    /// The states at the start of the model, with the inputs as the text gives them.
    pub start: Vec<f64>,
    /// The inputs there.
    pub given: Vec<f64>,
}

impl Block {
    /// The methods that are made for blocks.
    pub const METHODS: [&'static str; 4] = ordinate_solve::Block::METHODS;

    /// A block of a model that was compiled with [`Inputs::Open`], by one of [`Block::METHODS`], which takes `substeps` steps for
    /// one of its own. All memory is taken here.
    pub fn new(compiled: &Compiled, method: &str, substeps: u32) -> Result<Block, RunError> {
        if compiled.inputs != Inputs::Open && !compiled.sorted.model.inputs.is_empty() {
            return Err(RunError::Usage(
                "the inputs of a block are open: compile the model with `Inputs::Open`".into(),
            ));
        }
        let mut evaluator = compiled.evaluator();
        let inner = ordinate_solve::Block::new(method, &mut evaluator, substeps).map_err(|e| refused(e, method))?;
        let run = at_start(compiled, compiled.run.map_or(0.0, |(from, _)| from))?;
        if let Some(reason) = run.reason {
            return Err(RunError::Usage(format!("{}; {}", reason.message, reason.hint)));
        }
        let (start, given) = (run.outcome.y, run.outcome.d);
        // The first evaluation takes what memory there is to take.
        let mut rates = vec![0.0; start.len()];
        evaluator.derivative(run.t_start, &start, &given, &mut rates);
        if let Some(pattern) = evaluator.jacobian_pattern() {
            evaluator.jacobian(run.t_start, &start, &given, &mut vec![0.0; pattern.len()]);
        }
        let program = &compiled.program;
        let (states, inputs) = (program.state_names.clone(), program.held_names.clone());
        Ok(Block { inner, evaluator, states, inputs, start, given })
    }

    /// The next state after a step of length h from t with these inputs; after anything but `Ok` the state is left as it was. A
    /// state, time or input that does not continue the step before begins a new history.
    pub fn step(&mut self, input: &[f64], t: f64, h: f64, state: &mut [f64]) -> BlockStatus {
        self.inner.step(&mut self.evaluator, input, t, h, state)
    }
}

fn refused(error: BlockError, method: &str) -> RunError {
    RunError::Usage(match error {
        BlockError::NoSuchMethod => {
            format!("`{method}` is not made for a block; choose one of {}", Block::METHODS.join(", "))
        }
        BlockError::HasEvents => {
            "a model with branches, events, samples or delays is not for a block; run it with `realtime`".into()
        }
        BlockError::HasInvariants => {
            "a model whose index was reduced is not for a block; compile it with `IndexTreatment::Direct`".into()
        }
    })
}
