//! The transformed model and the model itself have the same solution; the systems of the thesis come out at least as
//! short.

use ordinate::transform::{Polynomial, polynomial};
use ordinate::{CompileOptions, Compiled, Failure, Memory, RowTimes, RunOptions, Source, compile, simulate};
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

/// Rows of a run with the most accurate method, up to a part of the time span.
fn rows(compiled: &Compiled, rtol: f64, part: f64) -> Result<Memory, String> {
    let mut rows = Memory::default();
    let atol = rtol * 1e-3;
    let (from, to) = compiled.run.expect("models of the gallery have a `run` line");
    let options = RunOptions {
        method: "dp8".into(),
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

/// Models that `dp8` itself cannot run; everything else is transformed.
const NOT_RUN: [&str; 2] = ["dae-circuit-15", "pendulum-dae"];

/// Every model of the gallery, hybrid ones included, within the tolerance times the growth of errors. The growth is
/// measured: how much the solution of the original moves when its tolerance is a hundred times larger.
#[test]
fn every_model_of_the_gallery_has_the_solution_of_its_transformed_form() {
    let mut names: Vec<String> = fs::read_dir(examples())
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok()?.strip_suffix(".eq").map(String::from))
        .collect();
    names.sort();
    assert!(names.len() > 80);
    let mut wrong = Vec::new();
    for name in names {
        let Ok(original) = compiled(&gallery(&name)) else {
            assert!(NOT_RUN.contains(&name.as_str()), "{name}");
            continue;
        };
        let system = match polynomial(&original, None) {
            Ok(system) => system,
            Err(found) => {
                wrong.push(format!("{name}: {}", found[0].message));
                continue;
            }
        };
        const RTOL: f64 = 1e-10;
        // stiff models are followed as far as an explicit method comes in reasonable time
        let part = [1.0, 1e-2, 1e-4, 1e-6].into_iter().find(|&part| rows(&original, RTOL, part).is_ok());
        let part = part.unwrap_or_else(|| panic!("{name} does not run"));
        let loose = rows(&original, 100.0 * RTOL, part).unwrap_or_else(|e| panic!("{name}: {e}"));
        let tight = rows(&original, RTOL, part).unwrap_or_else(|e| panic!("{name}: {e}"));
        let growth = (difference(&tight, &loose) / (100.0 * RTOL)).max(1.0);
        match rows(&system.compiled, RTOL, part) {
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
