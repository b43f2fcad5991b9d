//! The transformed model and the model itself have the same solution; the systems of the thesis come out at least as
//! short.

use ordinate::transform::{Polynomial, polynomial};
use ordinate::{CompileOptions, Compiled, Diagnostic, Failure, Memory, RowTimes, RunOptions, Source};
use ordinate::{compile, simulate};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn gallery(name: &str) -> Source {
    let folder = examples();
    let text = fs::read_to_string(folder.join(format!("{name}.eq"))).expect("a model of the gallery");
    Source { name: name.into(), text, folder }
}

fn compiled(source: &Source) -> Result<Compiled, Failure> {
    compile(source, &CompileOptions::default())
}

fn transformed(name: &str, products: Option<usize>) -> Polynomial {
    let compiled = compiled(&gallery(name)).expect("a model without mistakes");
    polynomial(&compiled, products).expect("it can be transformed")
}

/// Rows of a run with the most accurate method that knows nothing of series, up to a part of the time span.
fn rows(compiled: &Compiled, rtol: f64, part: f64) -> Result<Memory, String> {
    rows_by("dp8", compiled, rtol, part)
}

fn rows_by(method: &str, compiled: &Compiled, rtol: f64, part: f64) -> Result<Memory, String> {
    let mut rows = Memory::default();
    let atol = rtol * 1e-3;
    let (from, to) = compiled.run.expect("models of the gallery have a `run` line");
    let options = RunOptions {
        method: method.into(),
        t_end: Some(format!("{:?}", from + part * (to - from))),
        rtol,
        atol,
        rows: RowTimes::Even(41),
        max_steps: 40_000,
        ..RunOptions::default()
    };
    let run = simulate(compiled, &options, &mut rows).map_err(|e| format!("{e:?}"))?;
    match run.reason {
        Some(reason) if reason.kind != "stop_condition" => Err(reason.message),
        _ => Ok(rows),
    }
}

/// The largest difference of each column, in units of the largest value of that column.
fn difference(a: &Memory, b: &Memory) -> f64 {
    assert_eq!(a.names, b.names);
    let mut worst: f64 = 0.0;
    for (p, q) in a.columns.iter().zip(&b.columns) {
        assert_eq!(p.len(), q.len(), "as many rows");
        let scale = p.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
        for (x, y) in p.iter().zip(q) {
            worst = worst.max((x - y).abs() / scale);
        }
    }
    worst
}

/// The models of the gallery.
fn names() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(examples())
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok()?.strip_suffix(".eq").map(String::from))
        .collect();
    names.sort();
    assert!(names.len() > 80);
    names
}

/// Models that `dp8` itself cannot run; everything else is transformed.
const NOT_RUN: [&str; 2] = ["dae-circuit-15", "pendulum-dae"];

/// Every model of the gallery, hybrid ones included, within the tolerance times the growth of errors. The growth is
/// measured: how much the solution of the original moves when its tolerance is a hundred times larger.
#[test]
fn every_model_of_the_gallery_has_the_solution_of_its_transformed_form() {
    let mut wrong = Vec::new();
    for name in names() {
        let Ok(original) = compiled(&gallery(&name)) else {
            assert!(NOT_RUN.contains(&name.as_str()), "{name}");
            continue;
        };
        if let Err(found) = polynomial(&original, None) {
            let why = match original.sorted.model.delays.is_empty() {
                true => "has no formula",
                false => "`delay`",
            };
            assert!(found[0].message.contains(why), "{name}: {}", found[0].message);
            continue;
        }
        const RTOL: f64 = 1e-10;
        // stiff models are followed as far as an explicit method comes in reasonable time
        let part = [1.0, 1e-2, 1e-4, 1e-6].into_iter().find(|&part| rows(&original, RTOL, part).is_ok());
        let part = part.unwrap_or_else(|| panic!("{name} does not run"));
        let loose = rows(&original, 100.0 * RTOL, part).unwrap_or_else(|e| panic!("{name}: {e}"));
        let tight = rows(&original, RTOL, part).unwrap_or_else(|e| panic!("{name}: {e}"));
        let growth = (difference(&tight, &loose) / (100.0 * RTOL)).max(1.0);
        match rows_by("mtsm", &original, RTOL, part) {
            Err(e) => wrong.push(format!("{name}: {e}")),
            Ok(other) => {
                let found = difference(&tight, &other);
                if found > 100.0 * RTOL * growth {
                    wrong.push(format!("{name}: {found:.1e} with growth {growth:.1e}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// States and longest product of the final systems of the thesis: B4 as corrected (five equations), E5 (4.7), Kepler
/// (4.64), levitation (6.59), and the example (3.27).
#[test]
fn the_systems_are_at_least_as_short_as_those_of_the_thesis() {
    for (name, states, longest) in
        [("detest-b4", 5, 3), ("detest-e5", 11, 3), ("kepler", 12, 3), ("maglev", 7, 3), ("sin-sqrt-cos", 7, 4)]
    {
        for products in [None, Some(longest)] {
            let system = transformed(name, products);
            let found = (system.names().len(), system.longest_product());
            assert!(found.0 <= states && found.1 <= longest, "{name} {products:?}: {found:?}");
        }
    }
    // all of them with products of two, too
    for name in ["detest-b4", "detest-e5", "kepler", "maglev", "sin-sqrt-cos"] {
        assert!(transformed(name, Some(2)).longest_product() <= 2, "{name}");
    }
}

#[test]
fn the_pursuit_of_detest_e5_needs_two_auxiliary_states() {
    let system = transformed("detest-e5", None);
    assert_eq!(system.equation_lines(), ["y' = y'", "y'' = w1*w2", "w1' = y'*w2", "w2' = w2^2"]);
    assert!(
        system.text().expect("start values exist").contains("w1 = sqrt(1 + y'*y')"),
        "{}",
        system.text().expect("start values exist")
    );
}

fn golden(id: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/onestep.json");
    let all: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let cases = all.as_array().or(all["cases"].as_array()).expect("a list of cases").clone();
    cases.into_iter().find(|case| case["id"] == id).expect("a case of this name")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

/// The Taylor terms DY of a system in the form (3.19), from its matrices alone.
fn taylor_terms(json: &Value, y0: &[f64], h: f64, orders: usize) -> Vec<Vec<f64>> {
    let n = y0.len();
    let entry = |v: &Value| (v[0].as_u64().unwrap() as usize, v[1].as_u64().unwrap() as usize, v[2].as_f64().unwrap());
    let sparse = |v: &Value| v.as_array().unwrap().iter().map(entry).collect::<Vec<_>>();
    let mut terms = vec![y0.to_vec()];
    for k in 0..orders {
        let mut next = vec![0.0; n];
        for (i, j, a) in sparse(&json["A"]) {
            next[i] += a * terms[k][j];
        }
        for products in json["B"].as_array().unwrap() {
            let index = products["index"].as_array().unwrap();
            for (i, j, b) in sparse(&products["matrix"]) {
                let mut series: Vec<f64> = std::iter::once(1.0).chain(std::iter::repeat_n(0.0, k)).collect();
                for factor in index[j].as_array().unwrap() {
                    let f = factor.as_u64().unwrap() as usize;
                    series = (0..=k).map(|m| (0..=m).map(|l| series[l] * terms[m - l][f]).sum()).collect();
                }
                next[i] += b * series[k];
            }
        }
        if k == 0 {
            next.iter_mut().zip(numbers(&json["b"])).for_each(|(v, b)| *v += b);
        }
        terms.push(next.iter().map(|v| v * h / (k + 1) as f64).collect());
    }
    terms
}

/// The systems (3.27) and (4.62) as they are printed pass unchanged, and their matrices give the reference values of
/// the Taylor terms.
#[test]
fn the_matrices_of_polynomial_systems_give_their_taylor_terms() {
    for (id, h, longest) in [("mtsm-terms-327", 0.1, 4), ("mtsm-terms-kepler462", std::f64::consts::PI / 50.0, 5)] {
        let case = golden(id);
        let y0 = numbers(&case["y0"]);
        let strings = |v: &Value| -> Vec<String> {
            v.as_array().unwrap().iter().map(|s| s.as_str().unwrap().to_string()).collect()
        };
        let states = strings(&case["states"]);
        let init: Vec<String> =
            states.iter().zip(&y0).map(|(name, value)| format!("init {name} = {value:?}")).collect();
        let text = format!("{}\n{}\nrun 0 .. 1", strings(&case["equations"]).join("\n"), init.join("\n"));
        let model = compiled(&Source::text(text)).expect("a model");
        let system = polynomial(&model, Some(longest)).expect("it is polynomial");
        assert_eq!(system.names().len(), states.len(), "{id}: no auxiliary states");
        assert_eq!(system.longest_product(), longest, "{id}");
        let json = system.json().expect("start values");
        // the model orders its states by their first appearance
        let order: Vec<usize> =
            states.iter().map(|name| system.names().iter().position(|known| known == name).unwrap()).collect();
        let start = numbers(&Value::from(json["start"].as_object().unwrap().values().cloned().collect::<Vec<_>>()));
        let expected = case["DY"].as_array().unwrap();
        let found = taylor_terms(&json, &start, h, expected.len() - 1);
        for (k, row) in expected.iter().enumerate() {
            for (i, value) in numbers(row).into_iter().enumerate() {
                let difference = (found[k][order[i]] - value).abs();
                let scale = numbers(row).iter().fold(1e-300, |m: f64, v| m.max(v.abs()));
                assert!(difference <= 1e-13 * scale, "{id}, term {k} of {}: {difference:e}", states[i]);
            }
        }
    }
}

/// A small generator of random numbers, the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n
    }

    /// An expression of the whole language that exists for 0.5 < x, y < 2 and small t.
    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return ["x", "y", "t", "k", "0.7", "2", "x", "y"][self.below(8)].into();
        }
        let a = self.expression(depth - 1);
        let b = self.expression(depth - 1);
        // arguments brought into the domain of the function
        match self.below(30) {
            0 => format!("sin({a})"),
            1 => format!("cos({a} + {b})"),
            2 => format!("tan(0.3*tanh({a}))"),
            3 => format!("asin(0.5*sin({a}))"),
            4 => format!("acos(0.5*cos({a}))"),
            5 => format!("atan({a})"),
            6 => format!("sinh(tanh({a}))"),
            7 => format!("cosh(sin({a}))"),
            8 => format!("tanh({a}*{b})"),
            9 => format!("asinh({a})"),
            10 => format!("acosh(2 + sin({a}))"),
            11 => format!("atanh(0.5*cos({a}))"),
            12 => format!("exp(-({a})^2/4)"),
            13 => format!("log(2 + sin({a}))"),
            14 => format!("log10(3 + cos({a}))"),
            15 => format!("sqrt(1 + ({a})^2)"),
            16 => format!("cbrt(3 + sin({a}))"),
            17 => format!("erf({a})"),
            18 => format!("atan2({a}, 2 + sin({b}))"),
            19 => format!("(1.5 + sin({a}))^cos({b})"),
            20 => format!("(1.5 + sin({a}))^1.3"),
            21 => format!("(1.5 + cos({a}))^(-2)"),
            22 => format!("({a})/(2 + sin({b}))"),
            23 => format!("(if x > 0.6*y then {a} else {b})"),
            24 => format!("abs({a})"),
            25 => format!("max({a}, {b})"),
            26 => format!("2^sin({a})"),
            27 => format!("({a} - {b})"),
            28 => format!("({a} + {b})"),
            _ => format!("({a})*({b})"),
        }
    }
}

/// Random right-hand sides over the whole language: after a short run the transformed model has the same states.
#[test]
fn random_models_have_the_solution_of_their_transformed_form() {
    let mut random = Random(7);
    let mut compared = 0;
    for _ in 0..32 {
        let depth = 1 + random.below(3);
        let (f, g) = (random.expression(depth), random.expression(depth));
        let text = format!("param k = 0.8\nx' = sin({f})\ny' = cos({g})\ninit x = 1.1, y = 1.3\nrun 0 .. 0.3");
        let model = compiled(&Source::text(&text)).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let system = polynomial(&model, None).unwrap_or_else(|found| panic!("{text}: {}", found[0].message));
        let expected = rows(&model, 1e-10, 1.0).unwrap_or_else(|e| panic!("{text}: {e}"));
        match rows_by("mtsm", &model, 1e-10, 1.0) {
            Ok(found) => {
                let found = difference(&expected, &found);
                assert!(found < 1e-7, "{text}: {found:e}\n{}", system.text().expect("start values exist"));
                compared += 1;
            }
            Err(e) => panic!("{text}: {e}\n{}", system.text().expect("start values exist")),
        }
    }
    assert_eq!(compared, 32);
}

/// sqrt(x − 0.5) does not exist in the branch that does not use it, at the start, later, or both.
#[test]
fn a_function_of_one_branch_need_not_exist_in_the_other() {
    for text in [
        "x' = if x > 1 then sqrt(x - 0.5) else 0.7; x(0) = 0; run 0 .. 3",
        "x' = if x > 1 then -sqrt(x - 0.5) else -0.3; x(0) = 2; run 0 .. 6",
        "x' = if sin(t) > 0 then 1/(x + 0.5) else -log(3 + x); x(0) = 0; run 0 .. 9",
        "x' = -(if x > 0 then sqrt(1 + y^2) else -exp(y)); y' = x + 1; x(0) = 1; y(0) = 0; run 0 .. 2",
        "x' = 1; y' = if x > 0.1 and y < 2 then 1/x else 0.25; x(0) = -1; y(0) = 0; when x > 1.03: x = 0.77; run 0 .. 4",
    ] {
        let model = compiled(&Source::text(text)).unwrap();
        let system = polynomial(&model, None).unwrap();
        let expected = rows(&model, 1e-10, 1.0).unwrap_or_else(|e| panic!("{text}: {e}"));
        let found = rows_by("mtsm", &model, 1e-10, 1.0)
            .unwrap_or_else(|e| panic!("{text}: {e}\n{}", system.text().expect("start values exist")));
        let difference = difference(&expected, &found);
        assert!(difference < 1e-7, "{text}: {difference:e}\n{}", system.text().expect("start values exist"));
    }
}

fn refusal(text: &str) -> Vec<Diagnostic> {
    let model = compiled(&Source::text(text)).expect("a model without mistakes");
    let system = match polynomial(&model, None) {
        Ok(system) => system,
        Err(found) => return found,
    };
    assert!(system.json().is_err(), "{text}: no matrices without start values");
    system.model("refused").expect_err("no text without start values")
}

/// Each start value that does not exist is named with its expression and its place.
#[test]
fn a_start_value_that_does_not_exist_is_named() {
    for (text, expression) in [
        ("x' = 1/x; x(0) = 0; run 0 .. 1", "`1/x`"),
        ("x' = log(x - 2); x(0) = 1; run 0 .. 1", "`log(x - 2)`"),
        ("x' = sqrt(x); x(0) = 0; run 0 .. 1", "`x`"),
        ("x' = sqrt(x - 3); x(0) = 1; run 0 .. 1", "`sqrt(x - 3)`"),
        ("x' = asin(x); x(0) = 2; run 0 .. 1", "asin(x)"),
        ("x' = 1/(t - 1); init x = 0; run 1 .. 2", "1/(1 - t)"),
    ] {
        let found = refusal(text);
        assert_eq!(found[0].code, "no-start-value", "{text}");
        assert!(found[0].message.contains(expression), "{text}: {}", found[0].message);
        assert!(found[0].span.end > found[0].span.start, "{text} has a place");
    }
}

/// What `--format eq` prints is a model with the same solution, events and states without names included. What cannot be printed
/// is refused by name.
#[test]
fn every_printed_model_of_the_gallery_runs() {
    let mut wrong = Vec::new();
    for name in names() {
        let Ok(model) = compiled(&gallery(&name)) else { continue };
        let text = match polynomial(&model, None).and_then(|system| system.model(&name)) {
            Ok(text) => text,
            Err(found) => {
                assert!(["not-expressible", "transform-algebraic"].contains(&found[0].code), "{name}: {found:?}");
                continue;
            }
        };
        let printed = compiled(&Source::text(&text)).unwrap_or_else(|e| panic!("{text}\n{e:?}"));
        // x/(1 - exp(-x)) passes through 0/0, and 1/(1 - exp(-x)) as a state does not
        if text.contains("has a pole near t") {
            assert_eq!(name, "hodgkin-huxley");
            assert!(rows_by("auto", &printed, 1e-9, 1.0).is_err(), "{name}");
            continue;
        }
        const RTOL: f64 = 1e-9;
        let auto = |model, rtol| rows_by("auto", model, rtol, 1.0).unwrap_or_else(|e| panic!("{name}: {e}"));
        let (expected, loose, found) = (auto(&model, RTOL), auto(&model, 100.0 * RTOL), auto(&printed, RTOL));
        let growth = (difference(&expected, &loose) / (100.0 * RTOL)).max(1.0);
        let same: Vec<Vec<f64>> = expected.names.iter().map(|c| found.column(c).expect(c).to_vec()).collect();
        let mut others = expected.clone();
        others.columns = same;
        let found = difference(&expected, &others);
        // auto may take dp8 for one of them and taylor for the other
        if found > 1e4 * RTOL * growth {
            wrong.push(format!("{name}: {found:.1e} with growth {growth:.1e}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Off its definition w = y² of this system grows like exp(100 t): the text has terms against it, and its run comes to the root.
#[test]
fn deviations_that_would_grow_are_damped_in_the_text() {
    let model = compiled(&Source::text("y' = -(y-1)*(y-2)*(y-3)*(y-4); y(0) = 2.5; run 0 .. 10")).unwrap();
    let text = polynomial(&model, None).unwrap().model("quartic").unwrap();
    assert!(text.contains("make it decay") && text.contains("*(w1 - (y*y))"), "{text}");
    let printed = compiled(&Source::text(&text)).unwrap();
    for method in ["auto", "taylor", "mtsm", "radau", "dp5"] {
        let rows = rows_by(method, &printed, 1e-8, 1.0).unwrap_or_else(|e| panic!("{method}: {e}"));
        let y = *rows.column("y").expect("y").last().expect("a row");
        assert!((y - 2.0).abs() < 1e-6, "{method}: {y}");
    }
    // nothing is added where they stay small
    let kepler = polynomial(&compiled(&gallery("kepler")).unwrap(), None).unwrap().model("kepler").unwrap();
    assert!(kepler.contains("over the run at most") && !kepler.contains("make it decay"), "{kepler}");
    let open = compiled(&Source::text("y' = -(y-1)*(y-2)*(y-3)*(y-4); y(0) = 2.5")).unwrap();
    let text = polynomial(&open, None).unwrap().model("open").unwrap();
    assert!(text.contains("make it decay") && text.contains("no `run` line"), "{text}");
}

/// The series of `mtsm` and those of `taylor` are of the same solution: at equal tolerances both are as accurate.
#[test]
fn mtsm_is_as_accurate_as_taylor_on_the_gallery() {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for name in names() {
        let Ok(model) = compiled(&gallery(&name)) else { continue };
        if polynomial(&model, None).is_err() {
            continue;
        }
        for rtol in [1e-5, 1e-8] {
            let longest = |part: f64| Some((part, rows_by("taylor", &model, rtol, part).ok()?));
            let Some((part, taylor)) = [1.0, 1e-2, 1e-4].into_iter().find_map(longest) else { continue };
            let Ok(right) = rows_by("taylor", &model, 1e-12, part) else { continue };
            let taylor = difference(&right, &taylor);
            match rows_by("mtsm", &model, rtol, part) {
                Err(e) => wrong.push(format!("{name}, {rtol:e}: {e}")),
                Ok(rows) => {
                    let mtsm = difference(&right, &rows);
                    compared += 1;
                    if mtsm > (10.0 * taylor).max(rtol) {
                        wrong.push(format!("{name}, {rtol:e}: {mtsm:.1e}, taylor {taylor:.1e}"));
                    }
                }
            }
        }
    }
    assert!(compared > 150, "{compared}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A levitated ball under a linearising control: its auxiliary variables ran away from what they stand for, and steps became short
/// for their sake.
#[test]
fn a_controlled_levitation_takes_no_more_steps_than_by_taylor() {
    let ball = "param c = 1e-4, m = 0.05, a = 0.002, w = 60, x0 = 0.01, L = 0.1
        F = c*i^2/(x + a)^2/m
        x'' = 9.81 - F
        i' = (u - i)/L
        u = i + L*((x + a)^2*m/(2*c*i)*(3*w*(9.81 - F) + 3*w^2*x' + w^3*(x - x0)) + i*x'/(x + a))
        init x = 0.012, x' = 0, i = 0.84
        run 0 .. 20";
    let model = compiled(&Source::text(ball)).unwrap();
    let run = |method: &str| {
        let options = RunOptions { method: method.into(), rtol: 1e-8, atol: 1e-11, ..RunOptions::default() };
        simulate(&model, &options, &mut Memory::default()).unwrap()
    };
    let (mtsm, taylor) = (run("mtsm"), run("taylor"));
    assert!((mtsm.final_value("x").expect("a column") - 0.01).abs() < 1e-10);
    let steps = [mtsm.outcome.statistics.steps, taylor.outcome.statistics.steps];
    assert!(steps[0] < 2 * steps[1], "{steps:?}");
}

/// Where auxiliary variables do not exist, have no derivative or do not fit into a double, `mtsm` does what `taylor` does.
#[test]
fn mtsm_ends_where_taylor_does() {
    for text in [
        "x' = 1/x; x(0) = 0",
        "x' = sqrt(x); x(0) = 0",
        "x' = sqrt(x - 3); x(0) = 1",
        "x' = log(x - 2); x(0) = 1",
        "x' = -1/x; x(0) = 1",
        "x' = 1; y' = x/(1 + x*exp(800*x)); x(0) = 0.9; y(0) = 0",
        "x' = 1; y' = x*exp(-x^2); x(0) = -30; y(0) = 1",
        "x' = x^2; x(0) = 2",
    ] {
        let model = compiled(&Source::text(text)).unwrap();
        let run = |method: &str| {
            let options = RunOptions { method: method.into(), t_end: Some("1".into()), ..RunOptions::default() };
            let run = simulate(&model, &options, &mut Memory::default()).unwrap_or_else(|e| panic!("{text}: {e:?}"));
            (run.reason.map(|reason| reason.kind), run.outcome.t_reached, run.outcome.y)
        };
        let (mtsm, taylor) = (run("mtsm"), run("taylor"));
        assert_eq!(mtsm.0, taylor.0, "{text}");
        assert!((mtsm.1 - taylor.1).abs() < 1e-6, "{text}: {}, {}", mtsm.1, taylor.1);
        if mtsm.0.is_none() {
            let apart = mtsm.2.iter().zip(&taylor.2).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-5, "{text}: {apart:e}");
        }
    }
}

/// An event that sets a state sets what follows from it, too.
#[test]
fn auxiliary_states_follow_a_jump() {
    let text = "x' = -sin(x)*exp(-t/4); x(0) = 1; when x < 0.5: x = 2; run 0 .. 6";
    let model = compiled(&Source::text(text)).unwrap();
    let system = polynomial(&model, None).unwrap();
    let (expected, found) = (rows(&model, 1e-10, 1.0).unwrap(), rows_by("mtsm", &model, 1e-10, 1.0).unwrap());
    assert!(difference(&expected, &found) < 1e-8);
    let printed = compiled(&Source::text(system.model("jump").unwrap())).unwrap();
    let found = rows(&printed, 1e-10, 1.0).unwrap();
    assert!((found.column("x").unwrap().last().unwrap() - expected.column("x").unwrap().last().unwrap()).abs() < 1e-8);
}

#[test]
fn auxiliary_states_are_not_among_the_results() {
    let model = compiled(&gallery("kepler")).unwrap();
    let system = polynomial(&model, None).unwrap();
    assert!(system.names().len() > system.visible);
    assert_eq!(rows_by("mtsm", &model, 1e-8, 1.0).unwrap().names, rows(&model, 1e-8, 1.0).unwrap().names);
}

/// A way of naming sums that multiplies fifty auxiliary states out is given up where another has one: the search takes a second
/// or two here, and took the better part of a minute.
#[test]
fn a_double_pendulum_is_transformed_with_one_auxiliary_state() {
    let text = "param m1 = 1, m2 = 0.7, l1 = 1, l2 = 0.6, g = 9.81
        m1*x1'' = -A*x1 - B*(x1 - x2); m1*y1'' = -A*y1 - B*(y1 - y2) - m1*g
        m2*x2'' = -B*(x2 - x1); m2*y2'' = -B*(y2 - y1) - m2*g
        x1^2 + y1^2 = l1^2; (x2 - x1)^2 + (y2 - y1)^2 = l2^2
        init x1 = 0.6, x2 = 1.1, x1' = 0, x2' = 0.1; guess y1 = -0.8, y2 = -1.1";
    let model = compiled(&Source::text(text)).unwrap();
    let system = polynomial(&model, None).unwrap();
    assert_eq!((system.visible, system.names().len()), (8, 9));
}
