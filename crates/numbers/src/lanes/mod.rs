//! Numbers side by side: one formula for `f64` and for the vectors of a processor, one number per trajectory.
//!
//! A formula is a [`Task`], generic over [`Number`]; [`Processor::run`] runs it with the widest vectors that there are.
//! All processors with fused operations give the same bits; without them the last digits may differ.

mod number;
mod portable;
mod processor;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use number::Number;
pub use processor::{Processor, Task};

/// Number of trajectories that are computed side by side.
pub const LANES: usize = 16;

/// One number per trajectory, as it lies in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Lanes(pub [f64; LANES]);

impl Lanes {
    /// Zeros.
    pub const ZERO: Lanes = Lanes([0.0; LANES]);

    /// The same number everywhere.
    pub const fn splat(x: f64) -> Lanes {
        Lanes([x; LANES])
    }
}

impl Default for Lanes {
    fn default() -> Lanes {
        Lanes::ZERO
    }
}

impl std::ops::Index<usize> for Lanes {
    type Output = f64;

    #[inline(always)]
    fn index(&self, lane: usize) -> &f64 {
        &self.0[lane]
    }
}

impl std::ops::IndexMut<usize> for Lanes {
    #[inline(always)]
    fn index_mut(&mut self, lane: usize) -> &mut f64 {
        &mut self.0[lane]
    }
}
