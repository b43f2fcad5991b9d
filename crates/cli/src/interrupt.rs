//! Ctrl-C: the first one ends the computation and keeps its result, the second one ends what is still made of that, the third
//! one ends the program.

use crate::Exit;
use ordinate::StopFlag;
use std::sync::OnceLock;

/// A signal has nobody to ask but the process.
static FLAG: OnceLock<StopFlag> = OnceLock::new();

/// What Ctrl-C raises, once the program listens.
pub fn flag() -> StopFlag {
    FLAG.get_or_init(StopFlag::new).clone()
}

/// How many there were.
pub fn count() -> u32 {
    flag().count()
}

/// Counts them from now on.
pub fn listen() {
    static ONCE: OnceLock<()> = OnceLock::new();
    ONCE.get_or_init(|| {
        let flag = flag();
        // Without a handler Ctrl-C still ends the program, only without the partial result.
        let _ = ctrlc::set_handler(move || {
            if flag.raise() >= 2 {
                std::process::exit(Exit::Interrupted as i32);
            }
        });
    });
}
