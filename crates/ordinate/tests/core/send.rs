//! Models, runs and results may go to another thread: that this compiles is the test.

use ordinate::{
    BatchResult, Comparison, Compiled, DenseOutput, Equilibria, Failure, GlobalError, Linearization, Memory, Periodic,
    Run, RunError, RunOptions, Source, Stability, StopFlag, SystemRun,
};
use ordinate_program::{Evaluator, Program};
use ordinate_solve::{History, Outcome};

fn is_send<T: Send>() {}

fn is_shared<T: Send + Sync>() {}

#[test]
fn what_is_computed_may_go_to_another_thread() {
    is_shared::<Compiled>();
    is_shared::<Program>();
    is_shared::<Source>();
    is_shared::<StopFlag>();
    is_shared::<RunOptions>();
    is_shared::<Run>();
    is_shared::<SystemRun>();
    is_shared::<DenseOutput>();
    is_shared::<Memory>();
    is_shared::<GlobalError>();
    is_shared::<Outcome>();
    is_shared::<BatchResult>();
    is_shared::<Equilibria>();
    is_shared::<Periodic>();
    is_shared::<Linearization>();
    is_shared::<Comparison>();
    is_shared::<Stability>();
    is_send::<Evaluator>();
    is_send::<History>();
    is_send::<Failure>();
    is_send::<RunError>();
}
