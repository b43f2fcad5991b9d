//! Runs against the clock: how they end, what they read, what they refuse.

use crate::support::{Place, ordinate, repository};

/// Ctrl-C between two samples that are minutes apart ends the run there and then, and keeps its rows.
#[cfg(unix)]
#[test]
fn an_interrupt_does_not_wait_for_the_next_sample() {
    use std::process::{Command, Stdio};
    let place = Place::new();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ordinate"));
    command.args(["run", "-e", "x' = -x; x(0) = 1", "-t", "6000", "--realtime", "--rate", "0.005", "--every", "100"]);
    command.args(["-m", "backward-euler", "--trace", "newton", "--summary", "json", "-q"]);
    command.arg("-o").arg(place.path("o.csv")).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // The iterates of the first step are told when it was taken.
    let mut told = std::io::BufReader::new(child.stderr.take().expect("its messages"));
    let mut line = String::new();
    std::io::BufRead::read_line(&mut told, &mut line).expect("a line");
    let begin = std::time::Instant::now();
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(sent.success(), "the run was still under way");
    let answer = child.wait_with_output().expect("an end");
    assert!(begin.elapsed().as_secs() < 100, "it did not wait for the next sample");
    assert_eq!(answer.status.code(), Some(130));
    let summary: serde_json::Value = serde_json::from_slice(&answer.stdout).expect("a summary");
    assert_eq!((&summary["status"], &summary["t_reached"]), (&"interrupted".into(), &200.0.into()), "{summary}");
    assert_eq!(place.table("o.csv").column("time"), [0.0, 100.0, 200.0]);
}

/// The three forces of report 2014V005, section 5.2, held over a tenth of a second: more steps between two samples help where the
/// force is slow, not where it is fast, and one that does not change is none at all.
#[test]
fn substeps_help_slow_inputs_only() {
    let place = Place::new();
    let error = |example: &str, substeps: &str| {
        let path = repository().join(format!("examples/{example}.eq")).to_string_lossy().into_owned();
        let words = ["run", &path, "--realtime", "--dry", "--rate", "10Hz", "--substeps", substeps, "-q", "--every"];
        place.run(&[&words[..], &["0.1", "-o", "o.csv"]].concat()).expect(0);
        let table = place.table("o.csv");
        table.column("error").iter().fold(0.0f64, |most, error| most.max(error.abs()))
    };
    let (slow, finer) = (error("dae-spring", "1"), error("dae-spring", "10"));
    assert!(finer < 0.6 * slow, "{slow} and {finer}");
    let (fast, finer) = (error("dae-spring-fast", "1"), error("dae-spring-fast", "10"));
    assert!(finer > 0.8 * fast && finer > 0.05, "{fast} and {finer}");
    assert!(error("dae-spring-constant", "1") < 1e-12);
}

/// A table is read at the samples, too: 0 + 1 + 2 of u(t) = t.
#[test]
fn a_table_is_held_over_a_sample() {
    let model = "input u from \"u.csv\"\nx' = u\ninit x = 0\nrun 0 .. 3\n";
    let place = Place::new().with("u.csv", "time,u\n0,0\n0.3,0.3\n10,10\n").with("m.eq", model);
    for substeps in ["1", "3"] {
        let words =
            ["run", "m.eq", "--realtime", "--dry", "--rate", "1Hz", "--substeps", substeps, "--summary", "json"];
        let summary = place.run(&[&words[..], &["-q"]].concat()).expect(0).json();
        assert!((summary["final"]["x"].as_f64().expect("x") - 3.0).abs() < 1e-12, "{summary}");
        assert_eq!(summary["steps"].to_string(), if substeps == "1" { "3" } else { "9" });
    }
}

/// The reactivity of the reactor is an input: it may be set, and a table or formula of it would be held.
#[test]
fn the_reactivity_is_an_input() {
    let path = repository().join("examples/reactor.eq").to_string_lossy().into_owned();
    let info = ordinate(&["info", &path, "--format", "json"]).expect(0).json();
    assert_eq!(info["inputs"], serde_json::json!(["rho"]), "{info}");
    let power = |more: &[&str]| {
        let words = ["run", &path, "-t", "1", "--summary", "json", "-q"];
        ordinate(&[&words[..], more].concat()).expect(0).json()["final"]["P"].as_f64().expect("P")
    };
    assert!((power(&["--set", "rho=0"]) - 1.0).abs() < 1e-6);
    let (plain, real) = (power(&[]), power(&["--realtime", "--dry"]));
    assert!(plain > 1.1 && (plain - real).abs() < 1e-6 * plain, "{plain} and {real}");
}

#[test]
fn messages_speak_of_the_options_of_the_clock() {
    let place = Place::new();
    for (words, expected, not) in [
        (&["-e", "x' = -x; x(0) = 1", "--realtime", "--dry"][..], "no end time", "shorter than"),
        (&["-e", "x' = -x; x(0) = 1", "-t", "1e5", "--realtime", "--dry"], "lower `--rate`", "--step"),
        (&["-e", "x' = -delay(x, 5e-4); x(0) = 1", "-t", "1", "--realtime", "--dry"], "higher `--rate`", "--step"),
        (&["-e", "x' = -x; x(0) = 1", "-t", "1", "--realtime", "--rate", "-5"], "positive frequency", "-- -5"),
        (&["-e", "x' = -x; x(0) = 1", "-t", "1", "--realtime", "--rate", "-5kHz"], "positive frequency", "-- -5"),
    ] {
        let answer = place.run(&[&["run"], words].concat()).expect(2);
        assert!(answer.err.contains(expected) && !answer.err.contains(not), "{words:?}: {answer:?}");
    }
}
