//! Compiles Hairer's RADAU from the folder that `RADAU_SOURCE` names; gfortran is needed.

use std::path::PathBuf;
use std::process::Command;

const SOURCES: [&str; 3] = ["radau", "decsol", "dc_decsol"];

fn main() {
    println!("cargo::rerun-if-env-changed=RADAU_SOURCE");
    let folder = PathBuf::from(variable("RADAU_SOURCE"));
    let out = PathBuf::from(variable("OUT_DIR"));
    let mut objects = Vec::new();
    for name in SOURCES {
        let object = out.join(name).with_extension("o");
        let mut compiler = Command::new("gfortran");
        compiler.args(["-O3", "-march=native", "-w", "-c"]).arg(folder.join(name).with_extension("f"));
        run(compiler.arg("-o").arg(&object));
        objects.push(object);
    }
    run(Command::new("ar").arg("crs").arg(out.join("libhairer.a")).args(&objects));
    println!("cargo::rustc-link-search=native={}", out.display());
    println!("cargo::rustc-link-lib=static=hairer");
    println!("cargo::rustc-link-lib=dylib=gfortran");
    // Where the compiler keeps its library, which is no folder that a linker looks into by itself.
    let found =
        Command::new("gfortran").arg("-print-file-name=libgfortran.so").output().expect("gfortran has just run");
    let library = PathBuf::from(String::from_utf8_lossy(&found.stdout).trim());
    if let Some(folder) = library.parent() {
        println!("cargo::rustc-link-search=native={}", folder.display());
    }
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set"))
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|reason| panic!("{command:?}: {reason}"));
    assert!(status.success(), "{command:?} ended with {status}");
}
