//! The wish to end what is computed, from another thread or a signal handler.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Shared by all its copies: whoever has one can raise it, and all who compute with one hear that within a step or an iteration. The
/// default one cannot be raised.
///
/// Each wish ends what is at work: [`StopFlag::from_now`] makes a copy for what is to come after it, such as the estimate of the
/// error of what there is so far, which ends at the next wish.
#[derive(Clone, Debug, Default)]
pub struct StopFlag {
    wishes: Option<Arc<AtomicU32>>,
    /// So many are not meant for this copy.
    earlier: u32,
}

impl StopFlag {
    /// One that can be raised.
    pub fn new() -> StopFlag {
        StopFlag { wishes: Some(Arc::new(AtomicU32::new(0))), earlier: 0 }
    }

    /// Wishes the end. Returns how often that was wished before.
    pub fn raise(&self) -> u32 {
        self.wishes.as_ref().map_or(0, |wishes| wishes.fetch_add(1, Ordering::Relaxed))
    }

    /// How often the end was wished.
    pub fn count(&self) -> u32 {
        self.wishes.as_ref().map_or(0, |wishes| wishes.load(Ordering::Relaxed))
    }

    /// Whether the end is wished of what has this copy.
    #[inline]
    pub fn is_raised(&self) -> bool {
        self.count() > self.earlier
    }

    /// A copy that hears later wishes only.
    pub fn from_now(&self) -> StopFlag {
        StopFlag { wishes: self.wishes.clone(), earlier: self.count() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wish_ends_what_is_at_work() {
        let flag = StopFlag::new();
        let run = flag.clone();
        assert!(!run.is_raised());
        assert_eq!(flag.raise(), 0);
        assert!(run.is_raised());
        let estimate = run.from_now();
        assert!(!estimate.is_raised());
        assert_eq!(flag.raise(), 1);
        assert!(estimate.is_raised());
        let never = StopFlag::default();
        never.raise();
        assert!(!never.is_raised());
    }
}
