//! Which vectors the processor has, and how a task is run with them.

use super::portable::Portable;
use super::{Lanes, Number};

/// Something computed for all lanes. Whatever [`Task::run`] calls must be `#[inline(always)]`: it becomes part of a
/// function that is compiled for one kind of processor.
pub trait Task {
    /// What comes out.
    type Output;

    /// Computes it.
    fn run<N: Number<Stored = Lanes>>(self) -> Self::Output;
}

/// A kind of processor; there is a value only of those that this machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processor(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Processor {
    /// All that this machine has; the last one is the fastest.
    pub fn all() -> Vec<Processor> {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            let mut all = vec![Processor(Kind::Portable), Processor(Kind::Avx2)];
            if std::arch::is_x86_feature_detected!("avx512f") {
                all.push(Processor(Kind::Avx512));
            }
            return all;
        }
        vec![Processor(Kind::Portable)]
    }

    /// The fastest one.
    pub fn best() -> Processor {
        *Processor::all().last().expect("any machine is portable")
    }

    /// Whether it has fused operations: all of those give the same bits.
    pub fn fuses(self) -> bool {
        self.0 != Kind::Portable
    }

    /// Runs a task with its vectors.
    #[inline]
    pub fn run<T: Task>(self, task: T) -> T::Output {
        match self.0 {
            Kind::Portable => task.run::<Portable>(),
            // SAFETY: there is a value of this kind only where the processor was found to have it.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { avx2(task) },
            // SAFETY: likewise.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { avx512(task) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2<T: Task>(task: T) -> T::Output {
    task.run::<super::x86::Avx2>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx2,fma")]
fn avx512<T: Task>(task: T) -> T::Output {
    task.run::<super::x86::Avx512>()
}
