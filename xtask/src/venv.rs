//! Virtual environments of Python, made when they are first needed.

use crate::{run, target};
use std::path::PathBuf;
use std::process::Command;

/// The interpreter of the environment called `name`, with all packages; a version may be asked for as in `numpy<1.25`.
pub fn python(name: &str, packages: &[&str]) -> Option<PathBuf> {
    let folder = target().join(name);
    let python = folder.join("bin/python");
    if !python.exists() && !run(Command::new("python3").args(["-m", "venv"]).arg(&folder)) {
        return None;
    }
    let names: Vec<&str> =
        packages.iter().map(|package| package.split(['<', '=', '>']).next().unwrap_or(package)).collect();
    let import = format!("import {}", names.join(", "));
    let complete = Command::new(&python).args(["-c", &import]).output().is_ok_and(|o| o.status.success());
    let installed = complete || run(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(packages));
    installed.then_some(python)
}
