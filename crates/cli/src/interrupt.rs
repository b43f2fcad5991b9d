//! Ctrl-C: the first one ends the computation and keeps its result, the second one ends what is still made of that, the third
//! one ends the program.

use crate::Exit;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

static COUNT: AtomicU32 = AtomicU32::new(0);

/// How many there were.
pub fn count() -> u32 {
    COUNT.load(Ordering::Relaxed)
}

/// Counts them from now on.
pub fn listen() {
    static ONCE: OnceLock<()> = OnceLock::new();
    ONCE.get_or_init(|| {
        // Without a handler Ctrl-C still ends the program, only without the partial result.
        let _ = ctrlc::set_handler(|| {
            if COUNT.fetch_add(1, Ordering::Relaxed) >= 2 {
                std::process::exit(Exit::Interrupted as i32);
            }
        });
    });
}
