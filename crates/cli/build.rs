//! Puts the gallery into the program: every file of `examples/` by name and the
//! sections of its README, so that `ordinate new` and
//! `ordinate examples` work wherever the program is.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("../../examples");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files: Vec<_> = fs::read_dir(&folder)
        .expect("the gallery stands beside the crates")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|e| e == "eq" || e == "csv"))
        .collect();
    files.sort();
    let mut code = String::from("/// File names and texts of the gallery.\npub static FILES: &[(&str, &str)] = &[\n");
    for path in files {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let path = path.canonicalize().expect("a file");
        println!("cargo:rerun-if-changed={}", path.display());
        writeln!(code, "    ({name:?}, include_str!({path:?})),").expect("a string takes all text");
    }
    code.push_str("];\n");
    sections(&fs::read_to_string(folder.join("README.md")).expect("the gallery has a README"), &mut code);
    let out = Path::new(&env::var("OUT_DIR").expect("set by cargo")).join("gallery.rs");
    fs::write(out, code).expect("the output folder is writable");
}

/// The headings of the README with the models in the tables below them.
fn sections(readme: &str, code: &mut String) {
    let mut sections: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in readme.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            sections.push((heading.trim(), Vec::new()));
        } else if let (Some((name, _)), Some((_, names))) =
            (line.strip_prefix("| [").and_then(|rest| rest.split_once(".eq]")), sections.last_mut())
        {
            names.push(name);
        }
    }
    sections.retain(|(_, names)| !names.is_empty());
    code.push_str(
        "/// Headings of the gallery and the models below each.\npub static SECTIONS: &[(&str, &[&str])] = &[\n",
    );
    for (heading, names) in sections {
        writeln!(code, "    ({heading:?}, &{names:?}),").expect("a string takes all text");
    }
    code.push_str("];\n");
}
