//! Command lines that make no sense: exit code 2, what is wrong and what to do.

use super::{expect, report, sound};
use crate::support::Place;

const MODEL: &str = "y' = -y; y(0) = 1";

/// Options after `run -e MODEL -t 1`, and the words of the message.
const OPTIONS: &[(&[&str], &[&str])] = &[
    (&["--rtol", "-1"], &["--rtol -1", "not negative"]),
    (&["--rtol", "nan"], &["--rtol", "not negative"]),
    (&["--rtol", "inf"], &["--rtol", "not negative"]),
    (&["--rtol", "abc"], &["--rtol", "abc"]),
    (&["--rtol", ""], &["--rtol"]),
    (&["--atol", "-1e-3"], &["--atol -0.001"]),
    (&["--atol", "nan"], &["--atol"]),
    (&["--rtol", "0", "--atol", "0"], &["both zero"]),
    (&["--step", "0"], &["--step 0", "positive"]),
    (&["--step", "-1"], &["--step -1", "positive"]),
    (&["--step", "nan"], &["--step"]),
    (&["--step", "inf"], &["--step inf"]),
    (&["--step", "x"], &["--step", "x"]),
    (&["--step", "1e-300"], &["--step 1e-300", "steps", "--max-steps"]),
    (&["--step", "0.1", "--max-step", "0.2"], &["--step", "--max-step"]),
    (&["--max-step", "0"], &["--max-step 0", "positive"]),
    (&["--max-steps", "-3"], &["-3"]),
    (&["--max-steps", "many"], &["--max-steps", "many"]),
    (&["--every", "0"], &["--every 0", "positive"]),
    (&["--every", "-1"], &["--every -1", "positive"]),
    (&["--every", "nan"], &["--every"]),
    (&["--every", "1e-12"], &["--every 1e-12", "1.0e12 rows"]),
    (&["--at", "0.5", "--every", "0.1"], &["--at", "--every"]),
    (&["--at", "5"], &["--at 5", "outside", "0 to 1"]),
    (&["--at", "-1"], &["--at -1", "outside"]),
    (&["--at", "0,1,2"], &["--at 2", "outside"]),
    (&["--at", "0.5,"], &["--at", "4*pi"]),
    (&["--at", "0.5,,0.6"], &["--at"]),
    (&["--at", "abc"], &["--at abc"]),
    (&["--at", "0.5;0.7"], &["0.5;0.7"]),
    (&["--at", "nan"], &["--at nan"]),
    (&["--at", ""], &["--at"]),
    (&["--at", "steps,1"], &["--at steps"]),
    (&["-t", "2"], &["--t-end", "multiple times"]),
    (&["--t-start", "2"], &["end time 1", "before the start time 2"]),
    (&["--t-start", "abc"], &["--t-start abc"]),
    (&["-m", "rk5"], &["no method `rk5`", "dp5"]),
    (&["-m", "lsoda"], &["`lsoda` is not available", "dp8"]),
    (&["-m", "ode23s"], &["`ode23s` is not available"]),
    (&["-m", "bdf3"], &["no error estimate", "--step"]),
    (&["-m", "bdf", "--order", "6"], &["between 1 and 5"]),
    (&["-m", "no-such-thing"], &["no method", "available: taylor"]),
    (&["-m", ""], &["no method"]),
    (&["--phi", "0.5"], &["--phi", "rk2"]),
    (&["-m", "rk2", "--phi", "0"], &["--phi", "(0, 1]"]),
    (&["-m", "rk2", "--phi", "nan"], &["--phi", "(0, 1]"]),
    (&["--set", "k"], &["--set k", "name=value"]),
    (&["--set", "k="], &["name=value"]),
    (&["--set", "=2"], &["name=value"]),
    (&["--set", "k=2"], &["no parameter, input or state `k`"]),
    (&["--set", "yy=3"], &["did you mean `y`?"]),
    (&["--set", "y=abc"], &["y=abc", "2*pi"]),
    (&["--set", "y=1/0"], &["y=1/0"]),
    (&["--set", "y=nan"], &["y=nan"]),
    (&["--set", "y=2=3"], &["y=2=3"]),
    (&["--set", "y=1;z=2"], &["y=1;z=2"]),
    (&["--set", "y=1e999"], &["y=1e999"]),
    (&["--set", "y'=2"], &["`y'` follows from the equations"]),
    (&["--set", "y''=2"], &["y''"]),
    (&["--set", "y[1]=2"], &["y[1]"]),
    (&["--set", "t=3"], &["`t`"]),
    (&["-q", "-v"], &["--quiet", "--verbose"]),
    (&["-o", "-", "--summary", "json"], &["`-o -`", "--summary", "standard output"]),
    (&["--plot", "--summary", "json"], &["plot", "--summary json"]),
    (&["--plot", "x.csv"], &["x.csv", ".svg or .png"]),
    (&["--plot", "x.pdf"], &["x.pdf", ".svg"]),
    (&["--phase", "y"], &["--phase y", "two variables"]),
    (&["--phase", "y,q"], &["`q`", "there are time, y"]),
    (&["--phase", "y,y", "--plot-vars", "y"], &["--phase", "--plot-vars"]),
    (&["--plot-vars", "q"], &["`q`", "time, y"]),
    (&["--repeat", "0"], &["--repeat", "at least 1"]),
    (&["--repeat", "-1"], &["-1"]),
    (&["--frobnicate"], &["--frobnicate"]),
    (&["--digits", "0"], &["--digits", "between 1 and 500"]),
    (&["--digits", "8", "--rtol", "1e-3"], &["--digits", "--rtol"]),
    (&["--digits", "8", "--step", "0.1"], &["cannot be used with"]),
    (&["--order", "3"], &["--order", "`taylor`"]),
    (&["-m", "taylor", "--order", "0"], &["between 1 and 64"]),
    (&["-m", "taylor", "--max-order", "65"], &["between 1 and 64"]),
    (&["-m", "taylor", "--order", "8", "--max-order", "9"], &["cannot be used with"]),
    (&["-m", "taylor", "--h-scale", "2"], &["--h-scale", "--step"]),
    (&["-m", "taylor", "--step", "0.1", "--h-scale", "0.5"], &["above 1"]),
    (&["-m", "rk4", "--step", "0.1", "--h-scale", "2"], &["`taylor`", "`rk4`"]),
    (&["-m", "taylor", "--step", "0.1", "--min-ord", "9"], &["--h-scale"]),
    (&["--precision", "0"], &["between 1 and 1000"]),
    (&["--precision", "1001"], &["between 1 and 1000"]),
    (&["--precision", "50", "-m", "dp8"], &["`dp8`", "double precision", "`taylor`"]),
    (&["--precision", "50", "--atol", "1e-3"], &["--precision", "--atol"]),
    (&["--precision", "50", "--max-order", "9"], &["--max-order", "--precision"]),
    (&["--precision", "50", "--digits", "9"], &["cannot be used with"]),
    (&["--units", "maybe"], &["maybe", "warn, strict, off"]),
    (&["--summary", "xml"], &["xml", "json"]),
    (&["--emit", "soul"], &["soul", "tree"]),
    (&["-o", "a.csv", "-o", "a.csv"], &["same file `a.csv`"]),
    (&["-o", "a.csv", "-o", "./a.csv"], &["same file"]),
    (&["-o", "a.svg", "--plot", "a.svg"], &["same file `a.svg`"]),
    (&["-o", "x.xyz"], &["x.xyz", ".csv"]),
    (&["-o", "noext"], &["noext", ".csv"]),
    (&["-o", ""], &["format"]),
    (&["other.eq"], &["either a model file or `-e`"]),
];

#[test]
fn options_that_make_no_sense_are_refused_with_a_remedy() {
    let mut wrong = Vec::new();
    for (options, words) in OPTIONS {
        let place = Place::new();
        let mut args = vec!["run", "-e", MODEL, "-t", "1"];
        args.extend(*options);
        let answer = place.run(&args);
        let what = options.join(" ");
        sound(&what, &answer, &place);
        wrong.extend(expect(&what, &answer, 2, words).err());
        if !place.files().is_empty() {
            wrong.push(format!("{what}: files are left: {:?}", place.files()));
        }
    }
    report(wrong, OPTIONS.len(), 80);
}

/// Whole command lines.
const LINES: &[(&[&str], &[&str])] = &[
    (&["frobnicate"], &["frobnicate"]),
    (&["run"], &["no model", "-e"]),
    (&["run", "nofile.eq"], &["no model file `nofile.eq`", "ordinate examples"]),
    (&["run", "y' = -y"], &["-e \"…\""]),
    (&["run", "-e", MODEL], &["no end time", "run 0 .. 10", "-t 10"]),
    (&["run", "-e", MODEL, "-t"], &["--t-end"]),
    (&["run", "-e", MODEL, "-t", "-1"], &["end time -1", "before the start time 0"]),
    (&["run", "-e", MODEL, "-t", "abc"], &["-t abc", "4*pi"]),
    (&["run", "-e", MODEL, "-t", "1/0"], &["-t 1/0"]),
    (&["run", "-e", MODEL, "-t", "nan"], &["-t nan"]),
    (&["run", "-e", MODEL, "-t", "1e400"], &["-t 1e400"]),
    (&["run", "-e", MODEL, "-t", ""], &["-t"]),
    (&["run", "-e", MODEL, "-t", "y"], &["-t y"]),
    (&["run", "-e", "y' = -y; init y = 1; run 2 .. 1"], &["end time 1", "before the start time 2"]),
    (&["run", "-e", "y' = -y; init y = 1; run 0 .. 1/0"], &["end time"]),
    (&["check"], &["no model"]),
    (&["check", "nofile.eq"], &["no model file"]),
    (&["check", "-e", MODEL, "--set", "q=1"], &["`q`"]),
    (&["info", "nofile.eq"], &["no model file"]),
    (&["info", "-e", MODEL, "--format", "xml"], &["xml", "json"]),
    (&["new"], &["<NAME>"]),
    (&["new", "pendulum", "-o", "nowhere/x.eq"], &["nowhere/x.eq", "no such folder"]),
    (&["examples", "kepller"], &["did you mean `kepler`?"]),
    (&["examples", "nothing-like-it"], &["no model `nothing-like-it`", "ordinate examples"]),
    (&["convert", "nofile.csv", "-o", "x.json"], &["no file `nofile.csv`"]),
    (&["convert", ".", "-o", "x.json"], &["it is a folder"]),
    (&["convert", "nofile.csv"], &["--output"]),
    (&["completions", "tcsh"], &["tcsh", "bash"]),
];

#[test]
fn command_lines_that_make_no_sense_are_refused_with_a_remedy() {
    let mut wrong = Vec::new();
    for (args, words) in LINES {
        let place = Place::new();
        let answer = place.run(args);
        let what = args.join(" ");
        sound(&what, &answer, &place);
        wrong.extend(expect(&what, &answer, 2, words).err());
    }
    report(wrong, LINES.len(), 28);
}

/// Without arguments the program says how to begin.
#[test]
fn without_a_command_there_is_help() {
    let place = Place::new();
    let answer = place.run(&[]).expect(2);
    for word in ["Usage", "run", "check", "info", "new", "examples", "convert", "completions"] {
        assert!(answer.err.contains(word), "{word}: {}", answer.err);
    }
    assert!(place.run(&["--help"]).expect(0).out.contains("ordinate run -e"));
    assert!(place.run(&["--version"]).expect(0).out.contains(env!("CARGO_PKG_VERSION")));
}
