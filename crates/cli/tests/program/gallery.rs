//! Every model of `examples/` runs as it stands, or says why not.

use crate::support::{Place, repository};
use std::path::PathBuf;

fn models() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(repository().join("examples")).expect("the gallery");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "eq"));
    paths.sort();
    paths
}

#[test]
fn every_model_of_the_gallery_runs() {
    let paths = models();
    let mut wrong = Vec::new();
    for path in &paths {
        let place = Place::new();
        let answer = place.run(&["run", &path.to_string_lossy(), "-o", "o.csv", "--summary", "json", "-q"]);
        if answer.code != 0 || !answer.err.is_empty() {
            wrong.push(format!("{}: exit code {}: {}", path.display(), answer.code, answer.err));
            continue;
        }
        let table = place.table("o.csv");
        if table.rows.len() < 2 || table.rows.iter().flatten().any(|value| !value.is_finite()) {
            wrong.push(format!("{}: rows are missing or not finite", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(paths.len() >= 80, "only {}", paths.len());
}

#[test]
fn no_model_of_the_gallery_has_a_warning() {
    let mut wrong = Vec::new();
    for path in models() {
        let answer = Place::new().run(&["check", &path.to_string_lossy(), "--format", "json", "--units", "strict"]);
        let found = answer.json();
        let list = found["diagnostics"].as_array().expect("a list");
        if !list.is_empty() {
            wrong.push(format!("{}: {found}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The picture of the README is what the command next to it makes; `cargo xtask picture` makes it again.
#[test]
fn the_picture_of_the_readme_is_made_by_the_command_next_to_it() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    assert!(readme.contains("docs/kepler.svg"));
    assert!(readme.contains("cargo run --release -- run examples/kepler.eq --plot kepler.svg"));
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("kepler.svg");
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_ordinate"))
        .current_dir(&root)
        .args(["run", "examples/kepler.eq", "--plot"])
        .arg(&made)
        .output()
        .unwrap();
    assert!(status.status.success());
    let (made, kept) = (std::fs::read(made).unwrap(), std::fs::read(root.join("docs/kepler.svg")).unwrap());
    assert!(made == kept, "the picture has changed; run `cargo xtask picture` and look at it");
}
