//! `cargo xtask messages`: everything that the program says to its user, to be read in one go: the help of every command
//! and topic, then the string literals of the source that have the length of a message, by file and line.

use crate::{binary, root};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A literal of fewer words is an identifier, a key or a fragment of a format.
const LEAST_WORDS: usize = 3;

/// What is handed to these is read by us, not by the user.
const OURS: [&str; 9] =
    ["expect", "panic", "unreachable", "todo", "assert", "assert_eq", "assert_ne", "debug_assert", "debug_assert_eq"];

/// Prints all of it.
pub fn messages() -> bool {
    let Some(program) = binary() else { return false };
    for page in pages(&program) {
        let mut command = Command::new(&program);
        let Ok(output) = command.args(&page).output() else {
            println!("failed: ordinate {}", page.join(" "));
            return false;
        };
        println!("== ordinate {}\n{}", page.join(" "), String::from_utf8_lossy(&output.stdout));
    }
    let mut files = Vec::new();
    sources(&root().join("crates"), &mut files);
    files.sort();
    for file in files {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        let found: Vec<Literal> = literals(&text).into_iter().filter(is_message).collect();
        if found.is_empty() {
            continue;
        }
        println!("== {}", file.strip_prefix(root()).unwrap_or(&file).display());
        for literal in found {
            println!("{:>5}  {}", literal.line, literal.text.replace('\n', "\n       "));
        }
    }
    true
}

/// The arguments of every page of help: of the program, its commands and theirs, and the topics.
fn pages(program: &Path) -> Vec<Vec<String>> {
    let mut pages = vec![vec!["--help".to_string()]];
    let mut prefixes = vec![Vec::new()];
    while let Some(prefix) = prefixes.pop() {
        let mut arguments: Vec<String> = prefix.clone();
        arguments.push("--help".into());
        let Ok(output) = Command::new(program).args(&arguments).output() else { continue };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if prefix.is_empty() {
            let topics = text.lines().filter_map(|line| line.trim().strip_prefix("ordinate help "));
            pages.extend(topics.filter_map(|line| Some(vec!["help".into(), line.split_whitespace().next()?.into()])));
        } else {
            pages.push(arguments);
        }
        let commands = text.lines().skip_while(|line| *line != "Commands:").skip(1);
        for line in commands.take_while(|line| line.starts_with("  ")) {
            let name = line.split_whitespace().next().unwrap_or_default();
            if line.starts_with("   ") || name == "help" {
                continue; // the second line of a description
            }
            prefixes.push(prefix.iter().cloned().chain([name.to_string()]).collect());
        }
    }
    pages
}

/// The files of Rust below a folder that are no tests.
fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            if !matches!(name.as_str(), "tests" | "examples" | "benches") {
                sources(&path, into);
            }
        } else if name.ends_with(".rs") && !name.starts_with("test") {
            into.push(path);
        }
    }
}

/// A string literal of the source.
struct Literal {
    /// The line on which it begins, from 1.
    line: usize,
    /// What it says, with its escapes resolved.
    text: String,
    /// The last name before it: of the function or macro that it is handed to, or a field.
    before: String,
}

fn is_message(literal: &Literal) -> bool {
    let words = literal.text.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
    words >= LEAST_WORDS && !OURS.contains(&literal.before.as_str())
}

/// The string literals of a text of Rust, without those of comments, attributes and modules of tests.
fn literals(text: &str) -> Vec<Literal> {
    let chars: Vec<char> = text.chars().collect();
    let begins = |at: usize, what: &str| what.chars().enumerate().all(|(k, c)| chars.get(at + k) == Some(&c));
    let (mut found, mut before, mut at, mut line) = (Vec::new(), String::new(), 0, 1);
    while at < chars.len() {
        let start = at;
        if begins(at, "#[cfg(test)]\nmod ") {
            break; // tests stand last
        } else if begins(at, "//") {
            at += chars[at..].iter().position(|c| *c == '\n').unwrap_or(chars.len() - at);
        } else if begins(at, "#[") || begins(at, "#![") {
            at = end_of_attribute(&chars, at);
        } else if begins(at, "r\"") || begins(at, "r#") {
            let hashes = chars[at + 1..].iter().take_while(|c| **c == '#').count();
            let from = at + 2 + hashes;
            if chars.get(from - 1) != Some(&'"') {
                at += 1 + hashes; // a raw identifier
                continue;
            }
            let close = format!("\"{}", "#".repeat(hashes));
            let end = (from..chars.len()).find(|k| begins(*k, &close)).unwrap_or(chars.len());
            found.push(Literal { line, text: chars[from..end].iter().collect(), before: before.clone() });
            at = end + close.len();
        } else if chars[at] == '"' {
            let text;
            (text, at) = quoted(&chars, at + 1);
            found.push(Literal { line, text, before: before.clone() });
        } else if chars[at] == '\'' && (begins(at + 1, "\\") || chars.get(at + 2) == Some(&'\'')) {
            at += if begins(at + 1, "\\") { 2 } else { 1 }; // a character, not a lifetime
            at += chars[at + 1..].iter().position(|c| *c == '\'').map_or(1, |k| k + 2);
        } else if chars[at].is_alphabetic() || chars[at] == '_' {
            at += chars[at..].iter().take_while(|c| c.is_alphanumeric() || **c == '_').count();
            before = chars[start..at].iter().collect();
        } else {
            at += 1;
        }
        at = at.min(chars.len());
        line += chars[start..at].iter().filter(|c| **c == '\n').count();
    }
    found
}

/// Behind the `]` that closes the attribute at `at`.
fn end_of_attribute(chars: &[char], mut at: usize) -> usize {
    let mut depth = 0;
    while at < chars.len() {
        match chars[at] {
            '[' => depth += 1,
            ']' if depth == 1 => return at + 1,
            ']' => depth -= 1,
            '"' => at = quoted(chars, at + 1).1 - 1,
            _ => {}
        }
        at += 1;
    }
    at
}

/// The literal whose inside begins at `at`, and where the text goes on behind it.
fn quoted(chars: &[char], mut at: usize) -> (String, usize) {
    let mut text = String::new();
    while at < chars.len() && chars[at] != '"' {
        if chars[at] != '\\' {
            text.push(chars[at]);
            at += 1;
            continue;
        }
        match chars.get(at + 1) {
            Some('n') => text.push('\n'),
            Some('\n') => at += chars[at + 2..].iter().take_while(|c| c.is_whitespace()).count(),
            Some(other) => text.push(*other),
            None => {}
        }
        at += 2;
    }
    (text, at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_user_reads_is_found_and_nothing_else() {
        let text = concat!(
            "// \"a comment is no message\"\n",
            "#[doc = \"nor is an attribute\"]\n",
            "fn f<'a>(c: &'a char) { if *c == '\"' { say(\"first \\\n    \\\"message\\\" here\") } }\n",
            "let raw = r#\"the \"second\" message\"#; x.expect(\"not for the user\"); key(\"t_end\");\n",
            "#[cfg(test)]\nmod tests { const A: &str = \"not from a test\"; }\n",
        );
        let found: Vec<(usize, String)> =
            literals(text).into_iter().filter(is_message).map(|literal| (literal.line, literal.text)).collect();
        assert_eq!(found, [(3, "first \"message\" here".to_string()), (5, "the \"second\" message".to_string())]);
    }
}
