//! The report of the control chapter: what it tells readers to type works.

use crate::support::repository;
use std::process::Command;

#[test]
fn every_command_of_the_control_report_works_and_draws_what_it_shows() {
    let report = std::fs::read_to_string(repository().join("docs/control.md")).expect("the report");
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("examples")).expect("a folder");
    for entry in std::fs::read_dir(repository().join("examples")).expect("the gallery").flatten() {
        std::fs::copy(entry.path(), folder.path().join("examples").join(entry.file_name())).expect("a copy");
    }
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_ordinate")).parent().expect("a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(program.to_path_buf()).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(path).expect("a path");
    let mut commands = 0;
    for line in report.lines().filter(|line| line.starts_with("ordinate ")) {
        let mut shell = Command::new("sh");
        let out = shell.args(["-c", line]).env("PATH", &path).current_dir(&folder).output().expect("a shell");
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
