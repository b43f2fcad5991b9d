//! Memory for machine code: written first, then made readable and executable, never writable and executable at once.

use std::fmt::{Debug, Formatter, Result};

/// Machine code ready to run.
pub(super) struct Executable {
    start: *mut u8,
    length: usize,
}

// SAFETY: the memory is never written after it has been made, and released only with its owner.
unsafe impl Send for Executable {}
// SAFETY: the same.
unsafe impl Sync for Executable {}

impl Executable {
    /// A copy of these bytes; `None` if the system gives no executable memory.
    pub fn new(bytes: &[u8]) -> Option<Executable> {
        let length = bytes.len().max(1);
        // SAFETY: a new private mapping touches no other memory.
        let start = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_POPULATE;
            libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
        };
        if start == libc::MAP_FAILED {
            return None;
        }
        let memory = Executable { start: start.cast(), length };
        // SAFETY: the mapping is ours, writable and long enough; nothing else uses it yet.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), memory.start, bytes.len());
            (libc::mprotect(start, length, libc::PROT_READ | libc::PROT_EXEC) == 0).then_some(memory)
        }
    }

    /// The address of a byte.
    pub fn address(&self, offset: usize) -> *const u8 {
        assert!(offset < self.length, "an address within the code");
        self.start.wrapping_add(offset)
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nobody can run it any more.
        unsafe {
            libc::munmap(self.start.cast(), self.length);
        }
    }
}

impl Debug for Executable {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "Executable({} bytes)", self.length)
    }
}
