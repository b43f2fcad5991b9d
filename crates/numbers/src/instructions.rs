//! The vector instructions that the processor has.

/// The instructions to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// AVX-512 with fused multiplication.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// AVX2 with fused multiplication.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// What every processor of its kind has.
    Portable,
}

impl Instructions {
    /// The best of this processor.
    pub fn best() -> Instructions {
        Instructions::all().next().expect("at least the portable ones")
    }

    /// All that this processor has, the best first.
    pub fn all() -> impl Iterator<Item = Instructions> {
        Instructions::KNOWN.into_iter().filter(|instructions| instructions.are_here())
    }

    #[cfg(target_arch = "x86_64")]
    const KNOWN: [Instructions; 3] = [Instructions::Avx512, Instructions::Avx2, Instructions::Portable];
    #[cfg(not(target_arch = "x86_64"))]
    const KNOWN: [Instructions; 1] = [Instructions::Portable];

    fn are_here(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => {
                Instructions::Avx2.are_here()
                    && std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512vl")
            }
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => {
                std::arch::is_x86_feature_detected!("fma") && std::arch::is_x86_feature_detected!("avx2")
            }
            Instructions::Portable => true,
        }
    }
}
