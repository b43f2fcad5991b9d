//! The report of the control chapter: what it tells readers to type works.

use crate::support::repository;
use std::process::Command;

/// The words of a command; quoted ones may hold spaces.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    let words = parts.flat_map(|(k, part)| match k % 2 {
        0 => part.split_whitespace().map(String::from).collect::<Vec<_>>(),
        _ => vec![part.to_string()],
    });
    words.collect()
}

#[test]
fn every_command_of_the_control_report_works_and_draws_what_it_shows() {
    let report = std::fs::read_to_string(repository().join("docs/control.md")).expect("the report");
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("examples")).expect("a folder");
    for entry in std::fs::read_dir(repository().join("examples")).expect("the gallery").flatten() {
        std::fs::copy(entry.path(), folder.path().join("examples").join(entry.file_name())).expect("a copy");
    }
    let mut commands = 0;
    for line in report.lines().filter(|line| line.starts_with("ordinate ")) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ordinate"));
        let out = command.args(&words(line)[1..]).current_dir(&folder).output().expect("the program");
        assert!(out.status.success(), "{line}\n{}", String::from_utf8_lossy(&out.stderr));
        commands += 1;
    }
    assert!(commands > 40, "{commands}");
    for line in report.lines().filter(|line| line.starts_with("![")) {
        let file = line.split("](control/").nth(1).and_then(|rest| rest.strip_suffix(')')).expect("a picture");
        assert!(folder.path().join(file).exists(), "no command draws {file}");
        assert!(repository().join("docs/control").join(file).exists(), "{file} is not in docs/control");
    }
}
