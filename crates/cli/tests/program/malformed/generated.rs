//! Inputs of unreasonable size or depth, made here since nobody keeps them in a file.

use super::{expect, head, report, sound};
use crate::support::Place;

fn repeated(text: &str, n: usize) -> String {
    text.repeat(n)
}

/// A chain of functions, each of which calls the one before twice.
fn functions(first: &str, second: &str) -> String {
    let link = |k: usize| format!("def f{k}(x) = f{}({first}) + f{}({second})\n", k - 1, k - 1);
    let chain: String = (1..=40).map(link).collect();
    format!("def f0(x) = x + 1\n{chain}y' = 0*f40(y); y(0) = 1\n")
}

/// Texts, exit codes, words.
fn cases() -> Vec<(String, i32, &'static [&'static str])> {
    let y = |e: String| format!("y' = {e}; y(0) = 1");
    vec![
        (
            y(repeated("(", 100_000) + "y" + &repeated(")", 100_000)),
            1,
            &["too-deep", "more than 200 levels", "1 error"],
        ),
        (y(repeated("(", 100_000)), 1, &["too-deep"]),
        (y(repeated("-", 100_000) + "y"), 1, &["too-deep"]),
        (y(repeated("sin(", 100_000) + "y" + &repeated(")", 100_000)), 1, &["too-deep"]),
        (y(repeated("2^", 100_000) + "1"), 1, &["too-deep"]),
        (y(repeated("if y > 0 then ", 50_000) + "1"), 1, &["too-deep"]),
        (y(repeated("not ", 100_000) + "y"), 1, &["too-deep"]),
        (y(format!("u{}1{}", repeated("[", 50_000), repeated("]", 50_000))), 1, &["error"]),
        (repeated("for k in 1..2: ", 1000) + "y' = 1", 1, &["too-deep"]),
        (format!("y' = {}y; y(0) = 0", repeated("y + ", 200_000)), 0, &[]),
        (y(repeated("9", 5000)), 1, &["bad-number", "outside the range"]),
        (format!("y{} = 1", repeated("'", 10_000)), 1, &["too-many-primes", "more than 64"]),
        (repeated("x", 100_000) + "' = -1", 1, &["too-long", "100000 bytes", "at most 255"]),
        (y(format!("-{}", repeated("z", 70_000))), 1, &["too-long"]),
        (repeated("y' = ((\n", 50_000), 1, &["error", "more mistakes"]),
        (repeated("@", 200_000), 1, &["bad-character"]),
        ("for k in 1..3000: for j in 1..3000: y[k,j]' = -y[k,j]".into(), 1, &["too-large", "variables", "multiply"]),
        ("for k in 1..500000: y[k]' = -y[k]".into(), 1, &["too-large"]),
        ("for k in 1..100000: init z[k] = 0\ny' = -y; y(0) = 1".into(), 1, &["superfluous-start", "1 error"]),
        (
            "for k in 1..100000: y[k]' = -z[k]\nfor k in 1..100000: init y[k] = 1".into(),
            1,
            &["`z[1]` is not defined", "1 error"],
        ),
        (functions("x", "x"), 0, &[]),
        (functions("x + 1", "2*x"), 1, &["too-large", "different expressions", "multiply"]),
    ]
}

#[test]
fn texts_of_unreasonable_depth_or_size_are_refused_in_time() {
    let cases = cases();
    let mut wrong = Vec::new();
    for (text, code, words) in &cases {
        let place = Place::new().with("m.eq", text);
        let answer = place.run(&["run", "m.eq", "-t", "1", "-q", "-o", "out.csv"]);
        sound(&head(text), &answer, &place);
        wrong.extend(expect(&head(text), &answer, *code, words).err().map(|message| head(&message)));
    }
    report(wrong, cases.len(), 22);
}

/// Chains of named expressions and parameters grow linearly, not as powers of two.
#[test]
fn long_chains_stay_small() {
    let names: String = (1..=300).map(|k| format!("a{k} = sin(a{}) + cos(a{})\n", k - 1, k - 1)).collect();
    let parameters: String = (1..=300).map(|k| format!("param p{k} = p{} + 0.1*p{}\n", k - 1, k - 1)).collect();
    for text in
        [format!("a0 = t\n{names}y' = 0*a300; y(0) = 1"), format!("param p0 = 1\n{parameters}y' = 0*p300*y; y(0) = 1")]
    {
        let place = Place::new().with("m.eq", &text);
        let answer = place.run(&["run", "m.eq", "-t", "1", "-q", "--at", "1", "--summary", "json"]);
        sound(&head(&text), &answer, &place);
        assert_eq!(answer.expect(0).json()["final"]["y"], 1.0);
    }
}

/// 100 MB in one line: only as much is read as is needed to refuse it.
#[test]
fn a_line_of_a_hundred_megabytes_is_refused() {
    let place = Place::new().with("m.eq", repeated("y", 100 << 20));
    for args in [["run", "m.eq", "-t", "1"], ["check", "m.eq", "--units", "off"]] {
        let answer = place.run(&args);
        assert_eq!(answer.code, 1, "{}", head(&answer.err));
        assert!(answer.err.contains("more than the 10 MB"), "{}", head(&answer.err));
        assert!(answer.err.len() < 10_000, "a message of {} bytes", answer.err.len());
    }
}

/// Ten thousand segments of a line, 20 000 states, are nothing unusual.
#[test]
fn a_large_model_that_is_meant_runs() {
    let text = "param S = 10000\nfor k in 1..S-1: u[k]' = i[k] - i[k+1]\nu[S]' = i[S] - u[S]\n\
                i[1]' = 1 - u[1] - i[1]\nfor k in 2..S: i[k]' = u[k-1] - u[k]\n\
                for k in 1..S: init u[k] = 0\nfor k in 1..S: init i[k] = 0\n";
    let place = Place::new().with("m.eq", text);
    let answer =
        place.run(&["run", "m.eq", "-t", "0.1", "-m", "rk4", "--step", "0.1", "--at", "0.1", "-q", "-o", "o.csv"]);
    answer.expect(0);
    assert_eq!(place.table("o.csv").names.len(), 20_001);
}
