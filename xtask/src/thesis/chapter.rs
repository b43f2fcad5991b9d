//! The report of chapter 6, `docs/control.md`: its commands are run again, what they print is put below them, their pictures go
//! to `docs/control/`, and its tables are filled with what was measured.
//!
//! The report is its own source. A block of `sh` holds commands as a reader would type them, in a folder with the examples;
//! a block of `text` behind it is replaced by what they print; so is what stands between `<!-- tables 6.2 6.3 -->` and
//! `<!-- end -->`, by the summary of these tables.

use crate::{root, target};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const COMMANDS: &str = "```sh";
const PRINTED: &str = "```text";
const FENCE: &str = "```";
const TABLES: &str = "<!-- tables ";
const END: &str = "<!-- end -->";

/// Makes the report again; `tables` gives the rows of tables by their numbers.
pub fn refresh(tables: &dyn Fn(&[&str]) -> String) -> Result<PathBuf, String> {
    let file = root().join("docs/control.md");
    let said = |what: &str, e: std::io::Error| format!("{what}: {e}");
    let text = std::fs::read_to_string(&file).map_err(|e| said("docs/control.md", e))?;
    let folder = target().join("thesis/control");
    // what an earlier version drew must not stay
    let _ = std::fs::remove_dir_all(&folder);
    copy(&root().join("examples"), &folder.join("examples"), |_| true).map_err(|e| said("examples", e))?;
    let text = rewritten(&text, tables, &|line| run(line, &folder))?;
    let pictures = root().join("docs/control");
    let _ = std::fs::remove_dir_all(&pictures);
    copy(&folder, &pictures, |name| name.ends_with(".svg")).map_err(|e| said("docs/control", e))?;
    std::fs::write(&file, text).map_err(|e| said("docs/control.md", e))?;
    Ok(file)
}

/// The files of a folder whose names are wanted.
fn copy(from: &Path, to: &Path, wanted: impl Fn(&str) -> bool) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() && wanted(&entry.file_name().to_string_lossy()) {
            std::fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// The text with its outputs and tables made again.
fn rewritten(
    text: &str,
    tables: &dyn Fn(&[&str]) -> String,
    run: &dyn Fn(&str) -> Result<String, String>,
) -> Result<String, String> {
    let mut out = String::new();
    let mut lines = text.lines();
    let mut printed = String::new();
    while let Some(line) = lines.next() {
        writeln!(out, "{line}").expect("a string");
        let skip_to = |end: &str, lines: &mut std::str::Lines| {
            lines.find(|line| *line == end).map(|_| ()).ok_or_else(|| format!("`{line}` has no end `{end}`"))
        };
        if line == COMMANDS {
            printed.clear();
            for command in lines.by_ref().take_while(|line| *line != FENCE) {
                printed += &run(command)?;
                writeln!(out, "{command}").expect("a string");
            }
            writeln!(out, "{FENCE}").expect("a string");
        } else if line == PRINTED {
            skip_to(FENCE, &mut lines)?;
            writeln!(out, "{}\n{FENCE}", printed.trim_end()).expect("a string");
        } else if let Some(numbers) = line.strip_prefix(TABLES) {
            skip_to(END, &mut lines)?;
            let numbers: Vec<&str> = numbers.trim_end_matches("-->").split_whitespace().collect();
            write!(out, "\n{}\n{END}\n", tables(&numbers)).expect("a string");
        }
    }
    Ok(out)
}

/// What a command prints to standard output. A shell reads it, as it reads what a user types.
fn run(line: &str, folder: &Path) -> Result<String, String> {
    println!("+ {line}");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(target().join("release")).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(path).map_err(|e| e.to_string())?;
    let mut shell = Command::new("sh");
    let found = shell.args(["-c", line]).env("PATH", path).current_dir(folder).output();
    let found = found.map_err(|e| format!("{line}: {e}"))?;
    if !found.status.success() {
        return Err(format!("{line}: {}\n{}", found.status, String::from_utf8_lossy(&found.stderr)));
    }
    Ok(String::from_utf8_lossy(&found.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_and_tables_are_replaced_and_all_else_is_kept() {
        let text =
            "a\n```sh\nordinate x \"y z\"\n```\n```text\nold\n```\n<!-- tables 6.2 6.3 -->\nold\n<!-- end -->\nb\n";
        let again = rewritten(text, &|n| format!("| {} |\n", n.join("+")), &|line| Ok(format!("[{line}]\n")));
        let expected = "a\n```sh\nordinate x \"y z\"\n```\n```text\n[ordinate x \"y z\"]\n```\n<!-- tables 6.2 6.3 -->\n\n| 6.2+6.3 |\n\n<!-- end -->\nb\n";
        assert_eq!(again.as_deref(), Ok(expected));
        assert_eq!(rewritten(expected, &|n| format!("| {} |\n", n.join("+")), &|l| Ok(format!("[{l}]\n"))), again);
        assert!(rewritten("```text\n", &|_| String::new(), &|_| Ok(String::new())).is_err());
    }
}
