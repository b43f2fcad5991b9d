//! Any text compiles or is refused with diagnostics; what compiles runs a few steps without a panic.
#![no_main]
use libfuzzer_sys::fuzz_target;
use ordinate::{CompileOptions, Discard, Failure, RowTimes, RunOptions, Source, compile, render, simulate};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    // tables would read files of the machine
    if text.contains("from") {
        return;
    }
    match compile(&Source::text(text), &CompileOptions { jacobian: true, ..Default::default() }) {
        Err(Failure::Model(diagnostics)) => {
            let _ = render(&diagnostics, "fuzz", text, false);
        }
        Err(Failure::Set(_)) => unreachable!("nothing is overridden"),
        Ok(compiled) => {
            let options = RunOptions {
                t_start: Some("0".into()),
                t_end: Some("1".into()),
                max_steps: 50,
                rows: RowTimes::Even(3),
                ..Default::default()
            };
            let _ = simulate(&compiled, &options, &mut Discard);
        }
    }
});
