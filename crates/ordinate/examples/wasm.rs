//! The library inside of WebAssembly, without generated bindings: a request goes in as JSON text, an answer comes out as JSON text.
//!
//! ```text
//!   cargo rustc -p ordinate --example wasm --target wasm32-unknown-unknown -- -C link-arg=-zstack-size=8388608
//!   node tests/external/wasm.mjs target/wasm32-unknown-unknown/debug/examples/wasm.wasm
//! ```
//!
//! A request is an object with `model` (the text) and, where wanted, `method`, `precision` (digits), `rtol` and `trajectories` (how many are
//! to be computed side by side). The answer is that of `--summary json`, `{"ends": …}` of trajectories, or `{"error": …}`.
//!
//! The host asks for memory, writes the request into it and hands it over; the answer is its length in four bytes, the lowest
//! first, and the text. The host gives it back by `release`.

use ordinate::{
    BatchOptions, CompileOptions, Compiled, Discard, Failure, RunError, RunOptions, Source, Trajectory, batch, compile,
    render, simulate, summary_json,
};
use serde_json::{Value, json};

/// Memory for a request.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(length: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; length].into_boxed_slice()).cast()
}

/// Gives memory back.
///
/// # Safety
/// It came from `reserve` or `run`, with this length, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn release(memory: *mut u8, length: usize) {
    // SAFETY: as the caller says.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(memory, length)) });
}

/// Answers a request, whose memory is taken over.
///
/// # Safety
/// The memory came from `reserve` with this length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn run(request: *mut u8, length: usize) -> *mut u8 {
    // SAFETY: as the caller says.
    let request = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(request, length)) };
    let answer = serde_json::from_slice(&request)
        .map_err(|error| error.to_string())
        .and_then(|request| answer(&request))
        .unwrap_or_else(|error| json!({ "error": error }))
        .to_string();
    let mut bytes = (answer.len() as u32).to_le_bytes().to_vec();
    bytes.extend(answer.into_bytes());
    Box::into_raw(bytes.into_boxed_slice()).cast()
}

fn answer(request: &Value) -> Result<Value, String> {
    let text = request["model"].as_str().ok_or("a request has a `model`")?;
    let compiled = compile(&Source::text(text), &CompileOptions::default()).map_err(|failure| match failure {
        Failure::Model(found) => render(&found, "model", text, false),
        Failure::Set(_) => unreachable!("nothing was set"),
    })?;
    if let Some(count) = request["trajectories"].as_u64() {
        return trajectories(&compiled, count);
    }
    let mut options = RunOptions::default();
    if let Some(method) = request["method"].as_str() {
        options.method = method.into();
    }
    if let Some(rtol) = request["rtol"].as_f64() {
        options.rtol = rtol;
    }
    options.precision = request["precision"].as_u64().map(|digits| digits as u32);
    let run = simulate(&compiled, &options, &mut Discard).map_err(words)?;
    Ok(summary_json(&compiled, &run, f64::NAN))
}

/// The ends of trajectories whose first state begins elsewhere, computed by as many threads as there are.
fn trajectories(compiled: &Compiled, count: u64) -> Result<Value, String> {
    let starts = simulate(compiled, &RunOptions { t_end: Some("0".into()), ..RunOptions::default() }, &mut Discard);
    let start = starts.map_err(words)?.outcome.y;
    let elsewhere = |k: u64| {
        let mut start = start.clone();
        start[0] += 0.01 * k as f64;
        Trajectory { model: compiled, start: Some(start) }
    };
    let all: Vec<Trajectory> = (0..count).map(elsewhere).collect();
    let results = batch(&all, &BatchOptions { threads: 4, ..BatchOptions::default() });
    let ends: Result<Vec<Vec<f64>>, RunError> = results.into_iter().map(|one| Ok(one?.outcome.y)).collect();
    Ok(json!({ "ends": ends.map_err(words)? }))
}

fn words(error: RunError) -> String {
    match error {
        RunError::Usage(text) => text,
        RunError::NoEndTime | RunError::Model(_) | RunError::Rows(_) => format!("{error:?}"),
    }
}
