//! Fuzzing by cargo-fuzz (libFuzzer), from the corpus in `fuzz/corpus` and the gallery.

use crate::{root, run};
use std::process::Command;

const TARGETS: [&str; 2] = ["parse", "compile"];

/// Fuzzes each target for some seconds (60 if not given).
pub fn fuzz(arguments: &[String]) -> bool {
    let seconds: u32 = arguments.first().and_then(|text| text.parse().ok()).unwrap_or(60);
    let installed = Command::new("cargo").args(["fuzz", "--version"]).output().is_ok_and(|o| o.status.success());
    if !installed && !run(Command::new("cargo").args(["install", "--locked", "cargo-fuzz"])) {
        return false;
    }
    TARGETS.iter().all(|target| {
        // What is found goes to a scratch folder; a finding worth keeping is added to the corpus by hand.
        let found = root().join("target/fuzz-found").join(target);
        if std::fs::create_dir_all(&found).is_err() {
            return false;
        }
        run(Command::new("cargo").args(["+nightly", "fuzz", "run", target]).arg(&found).args([
            &format!("fuzz/corpus/{target}"),
            "examples",
            "--",
            &format!("-max_total_time={seconds}"),
            "-timeout=10",
            "-rss_limit_mb=2048",
            "-max_len=4096",
        ]))
    })
}
