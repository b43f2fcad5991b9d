//! diffsol's BDF on a stiff problem, as a peer of `bench/stiff.py`: `diffsol-race NAME RTOL ATOL SECONDS` prints one object
//! of JSON with the smallest time of as many runs as fit into the seconds.

mod problems;

use diffsol::{
    NalgebraContext, NalgebraLU, NalgebraMat, NalgebraVec, OdeBuilder, OdeEquationsImplicit, OdeSolverMethod,
    OdeSolverProblem, OdeSolverStopReason,
};
use problems::{Problem, Task};
use std::process::ExitCode;
use std::time::{Duration, Instant};

type Matrix = NalgebraMat<f64>;

/// What a run came to.
struct Run {
    time: Duration,
    steps: usize,
    y: Vec<f64>,
}

fn main() -> ExitCode {
    let Task { problem, rtol, atol, seconds } = match problems::task("diffsol-race") {
        Ok(task) => task,
        Err(usage) => {
            eprintln!("{usage}");
            return ExitCode::from(2);
        }
    };
    match measure(&problem, rtol, atol, seconds) {
        Ok(run) => {
            println!("{{\"time\": {:e}, \"steps\": {}, \"y\": {:?}}}", run.time.as_secs_f64(), run.steps, run.y);
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::from(3)
        }
    }
}

/// The fastest of as many runs as fit into the seconds, at least three.
fn measure(problem: &Problem, rtol: f64, atol: f64, seconds: f64) -> Result<Run, String> {
    let (n, f, jacobian) = (problem.start.len(), problem.f, problem.jacobian);
    let start = problem.start.clone();
    let product = move |y: &[f64], _p: &[f64], t: f64, v: &[f64], jv: &mut [f64]| {
        let mut rows = [0.0; 64];
        let rows = &mut rows[..n * n];
        jacobian(t, y, rows);
        for (out, row) in jv.iter_mut().zip(rows.chunks_exact(n)) {
            *out = row.iter().zip(v).map(|(a, v)| a * v).sum();
        }
    };
    let builder = OdeBuilder::<Matrix>::new()
        .rtol(rtol)
        .atol(vec![atol; n])
        .rhs_implicit(move |y: &[f64], _p: &[f64], t: f64, out: &mut [f64]| f(t, y, out), product)
        .init(move |_p: &[f64], _t: f64, y: &mut [f64]| y.copy_from_slice(&start), n);
    if problem.algebraic == 0 {
        return repeat(&builder.build().map_err(|e| e.to_string())?, problem.end, seconds);
    }
    let differential = n - problem.algebraic;
    let mass = move |v: &[f64], _p: &[f64], _t: f64, beta: f64, y: &mut [f64]| {
        for (k, (y, v)) in y.iter_mut().zip(v).enumerate() {
            *y = beta * *y + if k < differential { *v } else { 0.0 };
        }
    };
    repeat(&builder.mass(mass).build().map_err(|e| e.to_string())?, problem.end, seconds)
}

fn repeat<Equations>(problem: &OdeSolverProblem<Equations>, end: f64, seconds: f64) -> Result<Run, String>
where
    Equations: OdeEquationsImplicit<M = Matrix, V = NalgebraVec<f64>, T = f64, C = NalgebraContext>,
{
    let (mut best, mut count, all) = (None, 0, Instant::now());
    while count < 3 || (all.elapsed().as_secs_f64() < seconds && count < 5000) {
        let begin = Instant::now();
        let mut solver = problem.bdf::<NalgebraLU<f64>>().map_err(|e| e.to_string())?;
        solver.set_stop_time(end).map_err(|e| e.to_string())?;
        while !matches!(solver.step().map_err(|e| e.to_string())?, OdeSolverStopReason::TstopReached) {}
        let time = begin.elapsed();
        if best.as_ref().is_none_or(|run: &Run| time < run.time) {
            let y = solver.state().y;
            let steps = solver.get_statistics().number_of_steps;
            best = Some(Run { time, steps, y: (0..problem.eqn.nstates()).map(|k| y[k]).collect() });
        }
        count += 1;
    }
    best.ok_or_else(|| "no run".into())
}
