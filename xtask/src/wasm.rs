//! The library in WebAssembly: it compiles, and models of the gallery give under node what they give natively.

use crate::{cargo, root, run, target};
use std::process::Command;

const TRIPLE: &str = "wasm32-unknown-unknown";

/// Stack of the module: the megabyte that there is by default is little for models of thousands of equations.
const STACK: &str = "link-arg=-zstack-size=8388608";

/// Left out, with one line that says why, where the target or node cannot be had.
pub fn wasm() -> bool {
    if let Some(missing) = missing() {
        println!("left out: the library in WebAssembly, for {missing}");
        return true;
    }
    let module = target().join(TRIPLE).join("wasm/examples/wasm.wasm");
    let build = ["rustc", "--quiet", "--profile", "wasm", "-p", "ordinate", "--example", "wasm", "--target", TRIPLE];
    // The tests have just built the native one.
    let binary = target().join("debug/ordinate");
    cargo(&[&build[..], &["--", "-C", STACK, "-D", "warnings"]].concat())
        && run(Command::new("node").arg(root().join("tests/external/wasm.mjs")).arg(module).env("ORDINATE", binary))
}

/// What is needed and is not there, after the target was added.
fn missing() -> Option<&'static str> {
    let succeeds = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(root()).output().is_ok_and(|output| output.status.success())
    };
    if !succeeds("node", &["--version"]) {
        return Some("there is no `node`");
    }
    let added = || succeeds("rustup", &["target", "add", TRIPLE]) && is_installed();
    if !(is_installed() || added()) {
        return Some("the target wasm32-unknown-unknown is not installed and `rustup target add` cannot add it");
    }
    None
}

/// Whether the compiler has the target's standard library.
fn is_installed() -> bool {
    let output =
        Command::new("rustc").args(["--print", "target-libdir", "--target", TRIPLE]).current_dir(root()).output();
    output.is_ok_and(|output| {
        let folder = String::from_utf8_lossy(&output.stdout).trim().to_string();
        output.status.success() && std::path::Path::new(&folder).is_dir()
    })
}
