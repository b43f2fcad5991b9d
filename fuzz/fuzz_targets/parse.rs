//! Any text gives a tree and diagnostics, and both can be shown.
#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        let (tree, diagnostics) = ordinate_syntax::parse(text);
        let _ = ordinate_syntax::print(&tree, text);
        let _ = ordinate_syntax::render(&diagnostics, "fuzz", text, false);
    }
});
