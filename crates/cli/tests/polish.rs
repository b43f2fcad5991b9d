//! What a newcomer types: slips of the command line, and what the program says to them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder of its own for one test, with a copy of a small model.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("polish").join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let text = "param k = 4, m = 1\nm*x'' = -k*x\ninit x = 1, x' = 0\nrun 0 .. 2\n";
    std::fs::write(folder.join("spring.eq"), text).unwrap();
    folder
}

struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

fn ordinate(folder: &Path, words: &[&str]) -> Said {
    let output = Command::new(env!("CARGO_BIN_EXE_ordinate")).args(words).current_dir(folder).output().unwrap();
    Said {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn slips_are_answered_with_what_was_meant() {
    let here = folder("slips");
    let cases: &[(&[&str], &str)] = &[
        (&["run", "spring.eq", "-o", "a.csv", "-o", "./a.csv"], "two outputs go to the same file"),
        (&["run", "spring.eq", "-o", "a.svg", "--plot", "a.svg"], "two outputs go to the same file"),
        (&["run", "-e", "y'=-y; y(0)=1", "--plot", "spring.eq"], "was taken as the file of `--plot`"),
        (&["spring.eq"], "`ordinate run spring.eq`"),
        (&["-e", "y'=-y"], "`ordinate run -e"),
        (&["serve", "spring.eq"], "not available in this version"),
        (&["simulate", "spring.eq"], "`ordinate run`"),
        (&["methods"], "`ordinate help methods`"),
        (&["run", "spring"], "did you mean `spring.eq`?"),
        (&["run", "sprign.eq"], "did you mean `spring.eq`?"),
        (&["run", "lorenz"], "`ordinate new lorenz`"),
        (&["run", "spring.eq", "-m", "rk5"], "dp5"),
        (&["run", "spring.eq", "--plot", "a.pdf"], "end in .svg or .png"),
        (&["run", "spring.eq", "-o", "a.mat"], "not available in this version"),
        (&["run", "spring.eq", "--dt", "0.1"], "`--step H`"),
        (&["run", "spring.eq", "-T", "5"], "`-t T`"),
        (&["run", "spring.eq", "--set", "k=5 [N/m]"], "`--set k=5`"),
        (&["run", "spring.eq", "--set", "k=5,m=2"], "`--set k=5 --set m=2`"),
        (&["run", "spring.eq", "--set", "k=5;m=2"], "`--set k=5 --set m=2`"),
        (&["run", "spring.eq", "--set", "k==5"], "write one `=`: `--set k=5`"),
        (&["run", "spring.eq", "--set", "k=5=3"], "as in `--set k=5 --set x=2`"),
        (&["run", "spring.eq", "--set", "k=0x10"], "numbers are decimal: 16"),
        (&["run", "spring.eq", "--set", "k=1e400"], "no number may be larger"),
        (&["run", "spring.eq", "-t", "1e400"], "no number may be larger"),
        (&["run", "spring.eq", "--set", "x(0)=2"], "`--set \"x=2\"`"),
        (&["run", "spring.eq", "-t", "5,0"], "5.0"),
        (&["run", "spring.eq", "-t", "5s"], "leave the unit out"),
        (&["run", "spring.eq", "-t", "2pi"], "2*pi"),
        (&["help", "langage"], "`ordinate help language`"),
    ];
    for (words, expected) in cases {
        let said = ordinate(&here, words);
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{words:?}: {}", said.err);
        assert!(said.err.starts_with("error: ") && said.err.contains(expected), "{words:?}: {}", said.err);
    }
}

#[test]
fn a_model_behind_plot_is_the_model() {
    let said = ordinate(&folder("behind"), &["run", "--plot", "spring.eq"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.starts_with("spring.eq") && said.out.contains('⠤'), "{}", said.out);
}

#[test]
fn the_lines_after_a_run_say_what_is_controlled_and_look_like_no_failure() {
    let here = folder("lines");
    let adaptive = ordinate(&here, &["run", "spring.eq", "-o", "a.csv"]).err;
    assert!(adaptive.contains("rtol 1e-6") && adaptive.contains("global  error x"), "{adaptive}");
    assert!(!adaptive.lines().any(|line| line.starts_with("error")), "{adaptive}");
    let fixed = ordinate(&here, &["run", "spring.eq", "-m", "rk4", "--step", "5", "-o", "a.csv"]).err;
    assert!(fixed.contains("the error is not controlled") && fixed.contains("longer than the run"), "{fixed}");
    assert!(fixed.contains(" 1 step "), "{fixed}");
    let stop = ordinate(&here, &["run", "-e", "y'=1; y(0)=0; stop when y > 1; run 0 .. 3", "-o", "a.csv"]).err;
    assert!(stop.starts_with("ended ") && stop.contains("t = 1\n") && !stop.contains("next"), "{stop}");
}

#[test]
fn a_summary_for_people_goes_to_standard_output() {
    let said = ordinate(&folder("summary"), &["run", "spring.eq", "--summary", "text"]);
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""));
    assert!(said.out.starts_with("solved  0 … 2 "), "{}", said.out);
}

/// More rows than a pipe holds, so that the program meets the closed end.
#[test]
fn a_reader_that_has_enough_is_no_error() {
    let here = folder("pipe");
    let mut child = Command::new(env!("CARGO_BIN_EXE_ordinate"))
        .args(["run", "spring.eq", "--every", "1e-5", "-o", "-", "-o", "all.csv"])
        .current_dir(&here)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{err}");
    assert!(!err.contains("error:"), "{err}");
    assert!(std::fs::read_to_string(here.join("all.csv")).unwrap().lines().count() > 200_000, "the file is complete");
}

#[test]
fn more_states_than_curves_is_said() {
    let here = folder("many");
    let text = "param S = 20; for k in 1..S: u[k]' = -k*u[k]; for k in 1..S: init u[k] = 1; run 0 .. 1";
    let said = ordinate(&here, &["run", "-e", text, "--plot", "many.svg"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let note = "8 of 20 shown; choose with --plot-vars";
    assert!(said.err.contains(note), "{}", said.err);
    assert!(std::fs::read_to_string(here.join("many.svg")).unwrap().contains(note));
}

#[test]
fn help_explains_language_functions_units_and_methods_on_one_screen_each() {
    let here = folder("help");
    for (topic, word) in [("language", "stop when"), ("functions", "atan2"), ("units", "N/m"), ("methods", "dp8")] {
        let said = ordinate(&here, &["help", topic]);
        assert_eq!(said.code, Some(0), "{}", said.err);
        assert!(said.out.contains(word) && said.out.lines().count() <= 30, "{}", said.out);
        assert!(said.out.lines().all(|line| line.chars().count() <= 110), "{}", said.out);
    }
    assert!(ordinate(&here, &["help", "run"]).out.contains("dp5"), "methods are listed at -m");
    let gallery = ordinate(&here, &["examples"]).out;
    assert!(gallery.starts_with("First steps\n") && !gallery.contains("Others"), "{gallery}");
}
