//! Malformed and difficult inputs. Whatever comes in, the answer is an exit code of the table and a message with the
//! place, the reason and the remedy: never a panic, a hang, an excess of memory, or half a file.

mod command;
mod files;
mod generated;
mod runs;
mod texts;

use crate::support::{Answer, Place};

/// What holds for every answer.
fn sound(what: &str, answer: &Answer, place: &Place) {
    assert!(answer.code >= 0, "{what}: killed or too slow: {answer:?}");
    for word in ["panicked", "internal error", "overflow", "RUST_BACKTRACE"] {
        assert!(!answer.err.contains(word), "{what}: {}", answer.err);
    }
    assert!(answer.err.len() < 100_000, "{what}: a message of {} bytes", answer.err.len());
    let left: Vec<String> = place.files().into_iter().filter(|name| name.ends_with(".part")).collect();
    assert!(left.is_empty(), "{what}: left behind: {left:?}");
    if matches!(answer.code, 1 | 2) {
        assert_eq!(answer.out, "", "{what}: standard output of a run that did not take place");
        assert!(answer.err.contains("error"), "{what}: {}", answer.err);
    }
}

/// Insists on an exit code and on words in the messages.
fn expect(what: &str, answer: &Answer, code: i32, words: &[&str]) -> Result<(), String> {
    if answer.code != code {
        return Err(format!("{what}: exit code {} instead of {code}: {}", answer.code, answer.err));
    }
    match words.iter().find(|word| !answer.err.contains(**word)) {
        Some(word) => Err(format!("{what}: `{word}` is not said: {}", answer.err)),
        None => Ok(()),
    }
}

/// Fails with all that is wrong at once.
fn report(wrong: Vec<String>, cases: usize, least: usize) {
    assert!(wrong.is_empty(), "{} of {cases} cases:\n{}", wrong.len(), wrong.join("\n"));
    assert!(cases >= least, "only {cases} cases");
}

/// A text of any size, cut for a message.
fn head(text: &str) -> String {
    text.chars().take(120).collect()
}
