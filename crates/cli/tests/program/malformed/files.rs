//! Files that cannot be read, tables with mistakes, and results that cannot be written.

use super::{expect, report, sound};
use crate::support::{Place, finish, limited};
use std::io::Read;
use std::process::Stdio;

const MODEL: &str = "y' = -y; y(0) = 1\nrun 0 .. 1\n";

#[test]
fn a_model_that_is_no_text_is_refused_with_the_place() {
    let place = Place::new().with("bad.eq", b"y' = -y\n# \xff\xfe\n").with("cut.eq", b"y' = -y # \xe2\x82");
    std::fs::create_dir(place.path("folder.eq")).expect("a folder");
    for (name, words) in [
        ("bad.eq", &["not a text in UTF-8", "0xff", "line 2, column 3"][..]),
        ("cut.eq", &["not a text in UTF-8", "line 1"]),
        ("folder.eq", &["it is a folder"]),
        ("missing.eq", &["no model file"]),
    ] {
        let answer = place.run(&["run", name, "-t", "1"]);
        sound(name, &answer, &place);
        expect(name, &answer, 2, words).unwrap();
    }
    let empty = place.run(&["run", "-", "-t", "1"]);
    expect("no standard input", &empty, 1, &["error[empty]", "<stdin>"]).unwrap();
    let answer = place.run_os(["run", "-", "-t", "1"].map(Into::into).to_vec(), b"y' = \xff");
    expect("standard input", &answer, 2, &["standard input", "UTF-8"]).unwrap();
}

/// Contents of u.csv and the words of the message.
const TABLES: &[(&[u8], &[&str])] = &[
    (b"", &["no rows"]),
    (b"time,u\n", &["no rows"]),
    (b"# a comment only\n", &["no rows"]),
    (b"0,1\n1,NaN\n", &["line 2", "not finite (NaN)"]),
    (b"0,1\n1,inf\n", &["line 2", "not finite (inf)"]),
    (b"0,1\nnan,2\n", &["line 2", "the time is not finite"]),
    (b"0,1e999\n", &["line 1", "not finite"]),
    (b"0,1\n1,\n2,3\n", &["line 2", "column 2 is missing"]),
    (b"0,1\n1\n2,3\n", &["line 2", "column 2 is missing"]),
    (b"0,1\n,5\n", &["line 2", "column 1 is missing"]),
    (b"1,1\n0,2\n", &["line 2", "time goes back from 1 to 0"]),
    (b"0,1\n1,abc\n", &["line 2", "`abc` is not a number"]),
    (b"0,1\n\0\n", &["line 2", "is not a number"]),
    (b"\x89PNG\r\n\x1a\n\0\0\0\xff", &["not a text in UTF-8"]),
    (b"time,a,b\n0,1,2\n", &["no column `u` among a, b"]),
    (b"time,u\n0,1\ntime,u\n1,2\n", &["line 3", "`time` is not a number"]),
];

#[test]
fn a_table_with_a_mistake_is_named_with_its_line() {
    let mut wrong = Vec::new();
    for (bytes, words) in TABLES {
        let place = Place::new().with("m.eq", "y' = u; y(0) = 0\ninput u from \"u.csv\"\n").with("u.csv", bytes);
        let what = String::from_utf8_lossy(bytes).into_owned();
        let answer = place.run(&["run", "m.eq", "-t", "1", "-o", "out.csv"]);
        sound(&what, &answer, &place);
        wrong.extend(expect(&what, &answer, 1, &[*words, &["error[table]", "m.eq:2:14", "u.csv"]].concat()).err());
    }
    report(wrong, TABLES.len(), 16);
}

#[test]
fn a_table_that_is_no_file_is_named() {
    let place = Place::new().with("u.csv", format!("0,{}", "1".repeat(1_000_000)));
    std::fs::create_dir(place.path("folder.csv")).expect("a folder");
    for (name, words) in [
        ("missing.csv", &["there is no such file"][..]),
        ("folder.csv", &["it is a folder"]),
        ("", &["name of the file is empty"]),
        ("u.csv", &["line 1", "not finite (1111"]),
        ("/dev/zero", &["more than the 256 MB"]),
    ] {
        let text = format!("input u from \"{name}\"; y' = u; y(0) = 0");
        let answer = place.run(&["run", "-e", &text, "-t", "1"]);
        sound(name, &answer, &place);
        expect(name, &answer, 1, words).unwrap();
        assert!(answer.err.len() < 2000, "{name}: a message of {} bytes", answer.err.len());
    }
}

#[test]
fn a_result_that_cannot_be_written_is_a_usage_error_and_spoils_nothing() {
    let place = Place::new().with("m.eq", MODEL).with("old.csv", "kept\n");
    std::fs::create_dir(place.path("folder.csv")).expect("a folder");
    let mut permissions = std::fs::metadata(place.path("old.csv")).expect("there").permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(place.path("old.csv"), permissions).expect("changed");
    let before = place.files();
    for (path, words) in [
        ("nowhere/x.csv", &["nowhere/x.csv", "no such folder"][..]),
        ("nowhere/x.json", &["no such folder"]),
        ("nowhere/x.svg", &["no such folder"]),
        ("nowhere/x.png", &["no such folder"]),
        ("folder.csv", &["it is a folder"]),
        ("old.csv", &["write-protected"]),
        ("m.eq/x.csv", &["m.eq/x.csv"]),
        ("/dev/full", &["/dev/full", "disk is full"]),
        ("/proc/x.csv", &["/proc/x.csv"]),
    ] {
        if path.starts_with('/') && !cfg!(target_os = "linux") {
            continue;
        }
        let answer = place.run(&["run", "m.eq", "-q", "-o", path]);
        sound(path, &answer, &place);
        expect(path, &answer, 2, words).unwrap();
        assert_eq!(place.files(), before, "{path}");
    }
    assert_eq!(place.text("old.csv"), "kept\n");
}

/// A failing second output leaves no first one after: the run did not take place.
#[test]
fn one_output_of_several_that_cannot_be_written_stops_the_run_at_once() {
    let place = Place::new().with("m.eq", MODEL);
    place.run(&["run", "m.eq", "-q", "-o", "good.csv", "-o", "nowhere/bad.csv"]).expect(2);
    assert_eq!(place.files(), ["m.eq"]);
}

/// An existing result stays as it is when the new run fails on its model.
#[test]
fn a_result_is_replaced_only_by_a_complete_one() {
    let place = Place::new().with("m.eq", "y' = z").with("out.csv", "old\n");
    place.run(&["run", "m.eq", "-t", "1", "-o", "out.csv"]).expect(1);
    assert_eq!(place.text("out.csv"), "old\n");
    place.run(&["run", "-e", MODEL, "-o", "out.csv", "-q"]).expect(0);
    assert!(place.text("out.csv").contains("time,y"));
}

#[test]
fn a_reader_that_goes_away_is_no_reason_to_panic() {
    for args in [&["run", "-e", MODEL, "-t", "1", "--every", "1e-6"][..], &["completions", "bash"], &["examples"]] {
        let mut command = limited();
        command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        drop(child.stdout.take());
        let mut err = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut err).expect("text");
        let status = child.wait().expect("an end");
        assert!(matches!(status.code(), Some(0 | 2)), "{args:?}: {status}: {err}");
        assert!(!err.contains("panicked") && !err.contains("internal error"), "{args:?}: {err}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_under_standard_output_is_told() {
    for args in ["run -e 'y'\"'\"' = -y; y(0) = 1' -t 1", "examples", "check -e 'y = 1'"] {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &format!("exec {} {args} > /dev/full", env!("CARGO_BIN_EXE_ordinate"))]);
        let answer = finish(command, b"");
        expect(args, &answer, 2, &["standard output cannot be written"]).unwrap();
    }
}

/// Results to convert: contents and words.
#[test]
fn a_table_that_cannot_be_converted_is_named_with_its_line() {
    for (bytes, words) in [
        (&b""[..], &["no table"][..]),
        (b"# only\n", &["no table"]),
        (b"time,y\n0,1\n1\n", &["line 3", "1 cells instead of 2"]),
        (b"time,y\n0,1\n1,x\n", &["line 3", "`x` is not a number"]),
        (b"\xff\xfe", &["not a text in UTF-8"]),
    ] {
        let place = Place::new().with("in.csv", bytes);
        let answer = place.run(&["convert", "in.csv", "-o", "out.json"]);
        sound("convert", &answer, &place);
        expect("convert", &answer, 2, words).unwrap();
        assert_eq!(place.files(), ["in.csv"]);
    }
    let place = Place::new().with("in.csv", "time,y\n0,1\n");
    for args in [&["-o", "x.json", "--vars", "q"][..], &["-o", "x.pdf"], &["-o", "nowhere/x.json"]] {
        let answer = place.run(&[&["convert", "in.csv"], args].concat());
        sound("convert", &answer, &place);
        assert_eq!((answer.code, place.files().len()), (2, 1), "{args:?}");
    }
}
