//! Estimates of the global error against true errors, which a run with far smaller tolerances tells: the gallery under eight settings,
//! and random smooth chains. None exceeds the true error more than a thousand times, unless it is small beside the variable, and none
//! is below a tenth of it. A part of them is tried; with `ESTIMATES=all` in the environment all of them are.

use ordinate::{CompileOptions, Compiled, Memory, RowTimes, Run, RunOptions, Source, Status, compile, simulate};

/// Method, and both tolerances.
const SETTINGS: [(&str, f64, f64); 8] = [
    ("auto", 1e-6, 1e-9),
    ("auto", 1e-3, 1e-6),
    ("taylor", 1e-11, 1e-14),
    ("mtsm", 1e-7, 1e-10),
    ("radau", 1e-6, 1e-9),
    ("radau", 1e-3, 1e-6),
    ("dp5", 1e-6, 1e-9),
    ("bdf", 1e-5, 1e-8),
];
const ROWS: usize = 41;
/// Every so many models and chains.
const STRIDE: [usize; 2] = [3, 4];
/// How many times the estimate an error may be, and the other way round, which counts from this part of the size on.
const TOO_SMALL: f64 = 10.0;
const TOO_LARGE: f64 = 1e3;
const NOTICED: f64 = 1e-3;
/// An error is known if it is so many times what the run with small tolerances says of itself.
const KNOWN: f64 = 10.0;

fn options(method: &str, rtol: f64, atol: f64) -> RunOptions {
    RunOptions {
        method: method.into(),
        rtol,
        atol,
        rows: RowTimes::Even(ROWS),
        max_steps: 50_000,
        ..RunOptions::default()
    }
}

fn all() -> bool {
    std::env::var("ESTIMATES").is_ok_and(|wish| wish == "all")
}

fn stride(part: usize) -> usize {
    if all() { 1 } else { STRIDE[part] }
}

fn solved(compiled: &Compiled, options: &RunOptions) -> Option<(Run, Memory)> {
    let mut rows = Memory::default();
    let run = simulate(compiled, options, &mut rows).ok()?;
    (run.outcome.status == Status::Ok).then_some((run, rows))
}

/// The error of a column, and its size: at the times that are rows once in both; those of an event are both of its sides.
fn apart(own: &Memory, right: &Memory, column: usize) -> (f64, f64) {
    let alone = |times: &[f64], k: usize| {
        (k == 0 || times[k - 1] != times[k]) && times.get(k + 1).is_none_or(|next| *next != times[k])
    };
    let (times, known) = (&own.columns[0], &right.columns[0]);
    let (mut error, mut size) = (0.0f64, 0.0f64);
    for k in (0..times.len()).filter(|&k| alone(times, k)) {
        let Some(same) = known.iter().position(|t| *t == times[k]).filter(|&same| alone(known, same)) else { continue };
        let [own, right] = [own.columns[column][k], right.columns[column][same]];
        (error, size) = (error.max((own - right).abs()), size.max(right.abs()));
    }
    (error, size)
}

/// What is wrong with the estimate of a run, judged by one with far smaller tolerances.
fn judge(found: &(Run, Memory), right: &(Run, Memory)) -> Vec<String> {
    let (Some(error), Some(unsure)) = (&found.0.error, &right.0.error) else { return vec!["no estimate".into()] };
    let mut wrong = Vec::new();
    for column in (0..error.names.len()).filter(|&column| error.is_variable(column)) {
        let name = &error.names[column];
        let (true_error, size) = apart(&found.1, &right.1, column + 1);
        let lost = error.lost.is_some_and(|(state, _)| state == column);
        let told = if lost || !error.complete { f64::INFINITY } else { error.largest[column] };
        let unknown = KNOWN * unsure.largest[column].max(4.0 * f64::EPSILON * size);
        if true_error > unknown && told < true_error / TOO_SMALL {
            wrong.push(format!("{name} is wrong by {true_error:.1e} of {size:.1e}, told {told:.1e}"));
        }
        let is_lost = told.is_infinite() && true_error > NOTICED * size;
        if told > (TOO_LARGE * true_error.max(unknown)).max(NOTICED * size) && !is_lost {
            wrong
                .push(format!("{name} is told to be wrong by {told:.1e}, but it is by {true_error:.1e} of {size:.1e}"));
        }
    }
    wrong
}

/// A run that is right: by a method of another kind where there is one that comes to the end.
fn reference(compiled: &Compiled) -> Option<(Run, Memory)> {
    [("auto", 1e-13, 1e-17), ("radau", 1e-12, 1e-15)]
        .into_iter()
        .filter_map(|(method, rtol, atol)| solved(compiled, &options(method, rtol, atol)))
        .find(|(run, _)| run.error.as_ref().is_some_and(|error| error.complete && error.lost.is_none()))
}

fn judge_model(text_of: &str, compiled: &Compiled, settings: &[(&str, f64, f64)], wrong: &mut Vec<String>) -> usize {
    let Some(right) = reference(compiled) else { return 0 };
    let mut judged = 0;
    for (method, rtol, atol) in settings {
        let Some(found) = solved(compiled, &options(method, *rtol, *atol)) else { continue };
        judged += 1;
        wrong
            .extend(judge(&found, &right).into_iter().take(3).map(|e| format!("{text_of}, {method} at {rtol:e}: {e}")));
    }
    judged
}

#[test]
fn estimates_of_the_gallery_are_near_to_true_errors() {
    let folder = format!("{}/../../examples", env!("CARGO_MANIFEST_DIR"));
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("the gallery")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".eq"))
        .collect();
    names.sort();
    let (mut wrong, mut judged) = (Vec::new(), 0);
    for (k, name) in names.iter().enumerate() {
        let taken = |s: &usize| k.is_multiple_of(stride(0)) && (all() || (k + s).is_multiple_of(2));
        let settings: Vec<_> = (0..SETTINGS.len()).filter(taken).map(|s| SETTINGS[s]).collect();
        if settings.is_empty() {
            continue;
        }
        let path = format!("{folder}/{name}");
        let text = std::fs::read_to_string(&path).expect("a model");
        let source = Source { name: name.clone(), text, folder: folder.clone().into() };
        let Ok(compiled) = compile(&source, &CompileOptions::default()) else { continue };
        judged += judge_model(name, &compiled, &settings, &mut wrong);
    }
    assert!(wrong.is_empty(), "{} of {judged}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(judged > 30, "{judged}");
}

/// Random numbers with a fixed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % count
    }

    /// A number with three digits.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        let value = low + (high - low) * self.below(1001) as f64 / 1000.0;
        format!("{value:.2e}").parse().expect("a number")
    }
}

/// A smooth chain: reaction and diffusion, masses and springs, phases of oscillators, or a wave that goes through.
fn chain(random: &mut Random) -> String {
    let n = [6, 20, 48, 100, 300][random.below(5) as usize];
    let (d, k) = (random.between(0.5, 60.0), random.between(0.2, 2.0));
    let end = random.between(1.0, 12.0);
    match random.below(5) {
        0 => format!(
            "for i in 1..{n}: u[i]' = -u[i] + v[i]*u[i]^2 + {d}*(u[i-1] - 2*u[i] + u[i+1])
for i in 1..{n}: v[i]' = {k} - v[i]*u[i]^2 + {}*(v[i-1] - 2*v[i] + v[i+1])
u[0] = u[1]
v[0] = v[1]
u[{m}] = u[{n}]
v[{m}] = v[{n}]
for i in 1..{n}: init u[i] = {k} + 0.5*exp(-i/3), v[i] = 1/{k}
run 0 .. {end}",
            8.0 * d,
            m = n + 1
        ),
        1 => format!(
            "for i in 1..{n}: x[i]'' = {k}*(x[i-1] - 2*x[i] + x[i+1]) + 0.1*((x[i+1] - x[i])^3 - (x[i] - x[i-1])^3)
x[0] = 0
x[{m}] = 0
for i in 1..{n}: init x[i] = sin(pi*i/{m}), x[i]' = 0
run 0 .. {end}",
            m = n + 1
        ),
        2 => format!(
            "for i in 1..{n}: p[i]' = {k}*i/{n} + sin(p[i-1] - p[i]) + sin(p[i+1] - p[i])
p[0] = p[1]
p[{m}] = p[{n}]
for i in 1..{n}: init p[i] = 3*sin(i)
run 0 .. {end}",
            m = n + 1
        ),
        3 => format!(
            "for i in 1..{n}: u[i]' = {d}*(u[i-1] - u[i]) + {k}*u[i]*(1 - u[i])
u[0] = exp(-(t - 1)^2)
for i in 1..{n}: init u[i] = 1e-3
run 0 .. {end}"
        ),
        _ => format!(
            "for i in 1..{n}: u[i]' = {d}*(u[i-1] - 2*u[i] + u[i+1]) + 5*u[i]*(1 - u[i])*(u[i] - 0.3)
u[0] = 1
u[{m}] = 0
for i in 1..{n}: init u[i] = exp(-i^2/20)
run 0 .. {end}",
            m = n + 1
        ),
    }
}

#[test]
fn estimates_of_smooth_chains_are_near_to_true_errors() {
    let mut random = Random(7);
    let (mut wrong, mut judged) = (Vec::new(), 0);
    for k in 0..40 {
        let text = chain(&mut random);
        if k % stride(1) != 0 {
            continue;
        }
        let compiled =
            compile(&Source::text(&text), &CompileOptions::default()).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        // a method in turn
        let settings = [SETTINGS[k % 8], SETTINGS[(k + 3) % 8]];
        judged += judge_model(&text, &compiled, &settings, &mut wrong);
    }
    assert!(wrong.is_empty(), "{} of {judged}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(judged >= 8, "{judged}");
}
