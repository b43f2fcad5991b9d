//! Times an ensemble of Lorenz trajectories: `ensemble [count] [rtol] [atol] [threads]`. Prints one JSON object with the
//! seconds of the fastest of several rounds (of the clock, and of the processor where the system tells), the steps, and the largest difference from the same trajectories computed
//! with a tolerance a thousand times smaller; end states on request by a fifth argument `states`.

use ordinate::{BatchOptions, BatchResult, CompileOptions, Source, Trajectory, batch, compile};
use std::time::Instant;

const LORENZ: &str = "
param s = 10, r = 28, b = 8/3
x' = s*(y - x)
y' = x*(r - z) - y
z' = x*y - b*z
init x = 1, y = 1, z = 1
run 0 .. 10
";

/// Rounds timed together.
const ROUNDS: usize = 10;

/// Time that the first thread had on a processor; zero where the system does not tell.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).map_or(0.0, |ns| 1e-9 * ns)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, other: f64| arguments.get(k).map_or(other, |text| text.parse().expect("a number"));
    let count = number(0, 1000.0) as usize;
    let (rtol, atol) = (number(1, 1e-12), number(2, 1e-12));
    let options = BatchOptions { rtol, atol, threads: number(3, 1.0) as usize, ..BatchOptions::default() };
    let model = compile(&Source::text(LORENZ), &CompileOptions::default()).expect("a model without mistakes");
    let start = |k: usize| vec![1.0 + 0.1 * k as f64 / (count.max(2) - 1) as f64, 1.0, 1.0];
    let trajectories: Vec<Trajectory> =
        (0..count).map(|k| Trajectory { model: &model, start: Some(start(k)) }).collect();

    let run = |options: &BatchOptions| -> Vec<BatchResult> {
        batch(&trajectories, options).into_iter().map(|result| result.expect("it can begin")).collect()
    };
    let (mut seconds, mut cpu) = (f64::INFINITY, f64::INFINITY);
    let mut results = Vec::new();
    for _ in 0..20 {
        // The system counts in ticks of some milliseconds: several rounds together are told well enough.
        let cpu_begin = cpu_seconds();
        for _ in 0..ROUNDS {
            let begin = Instant::now();
            results = run(&options);
            seconds = begin.elapsed().as_secs_f64().min(seconds);
        }
        cpu = ((cpu_seconds() - cpu_begin) / ROUNDS as f64).min(cpu);
    }
    let reference = run(&BatchOptions { rtol: 1e-3 * rtol, atol: 1e-3 * atol, ..options.clone() });
    let pairs = results.iter().zip(&reference).flat_map(|(a, b)| a.outcome.y.iter().zip(&b.outcome.y));
    let difference = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let steps: u64 = results.iter().map(|r| r.outcome.statistics.steps).sum();
    let rejected: u64 = results.iter().map(|r| r.outcome.statistics.rejected).sum();
    let orders: u64 = results.iter().map(|r| r.outcome.statistics.order_sum).sum();
    let ended = results.iter().filter(|r| r.reason.is_some()).count();
    println!(
        "{{\"count\": {count}, \"rtol\": {rtol:e}, \"atol\": {atol:e}, \"seconds\": {seconds:.6}, \"cpu\": {cpu:.6}, \"steps\": {steps}, \
         \"rejected\": {rejected}, \"order\": {:.2}, \"ns_per_step\": {:.2}, \"difference\": {difference:.3e}, \"ended_early\": {ended}}}",
        orders as f64 / steps as f64,
        1e9 * cpu / steps as f64
    );
    if arguments.get(4).is_some_and(|word| word == "states") {
        for result in &results {
            let y: Vec<String> = result.outcome.y.iter().map(|y| format!("{y:?}")).collect();
            println!("{}", y.join(" "));
        }
    }
}
