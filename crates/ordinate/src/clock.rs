//! How long something took. `wasm32-unknown-unknown` has no clock: what took how long is not known there.

#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
use std::time::Instant;

/// Whether there is a clock.
pub(crate) const EXISTS: bool = cfg!(not(all(target_arch = "wasm32", target_os = "unknown")));

/// Runs from where it was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch {
    #[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
    begin: Instant,
}

impl Stopwatch {
    pub fn start() -> Stopwatch {
        Stopwatch {
            #[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
            begin: Instant::now(),
        }
    }

    /// Seconds since then; not a number where there is no clock.
    pub fn seconds(&self) -> f64 {
        #[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
        return self.begin.elapsed().as_secs_f64();
        #[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
        f64::NAN
    }
}
