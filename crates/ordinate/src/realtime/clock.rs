//! The wall clock: waiting until an absolute time, and what the operating system can do for punctuality.

use std::time::{Duration, Instant};

/// What a run asks of the operating system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Privileges {
    /// Pin the run to this processor.
    pub cpu: Option<usize>,
    /// Run before all ordinary processes (`SCHED_FIFO`) with locked memory.
    pub fifo: bool,
}

/// What was granted; it is given back when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Granted {
    /// What was refused, in words.
    pub refused: Vec<String>,
    #[cfg(target_os = "linux")]
    before: linux::Before,
}

impl Granted {
    /// Asks for what a run wants.
    pub fn ask(wanted: Privileges) -> Granted {
        #[cfg(target_os = "linux")]
        return linux::ask(wanted);
        #[cfg(not(target_os = "linux"))]
        {
            let mut granted = Granted::default();
            if wanted.fifo {
                granted.refused.push("real-time scheduling is available on Linux only".into());
            }
            if wanted.cpu.is_some() {
                granted.refused.push("choosing a processor is available on Linux only".into());
            }
            granted
        }
    }
}

#[cfg(target_os = "linux")]
impl Drop for Granted {
    fn drop(&mut self) {
        linux::give_back(&self.before);
    }
}

/// Waits until `until`; returns at once if it has passed.
pub(crate) fn sleep_until(until: Instant) {
    let now = Instant::now();
    if until > now {
        #[cfg(target_os = "linux")]
        linux::sleep_until(until - now);
        #[cfg(not(target_os = "linux"))]
        std::thread::sleep(until - now);
    }
}

/// The same length of time, as a number.
pub(crate) fn seconds(time: Duration) -> f64 {
    time.as_secs_f64()
}

#[cfg(target_os = "linux")]
mod linux {
    use super::{Granted, Privileges};
    use std::time::Duration;

    /// In the middle of the range, above the threads of the kernel that serve interrupts.
    const PRIORITY: i32 = 80;

    /// How the thread was scheduled before.
    #[derive(Debug, Default)]
    pub struct Before {
        policy: Option<(i32, i32)>,
        processors: Option<Processors>,
        locked: bool,
    }

    /// A set of processors.
    pub struct Processors(libc::cpu_set_t);

    impl std::fmt::Debug for Processors {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("Processors")
        }
    }

    fn reason() -> String {
        match std::io::Error::last_os_error().kind() {
            std::io::ErrorKind::PermissionDenied => "not permitted".into(),
            std::io::ErrorKind::InvalidInput => "there is no such processor".into(),
            _ => "refused by the system".into(),
        }
    }

    pub fn ask(wanted: Privileges) -> Granted {
        let mut granted = Granted::default();
        if let Some(cpu) = wanted.cpu {
            // SAFETY: the set is plain data that the calls fill or read; its size is passed.
            let bound = unsafe {
                let mut before: libc::cpu_set_t = std::mem::zeroed();
                let size = size_of::<libc::cpu_set_t>();
                libc::sched_getaffinity(0, size, &raw mut before);
                granted.before.processors = Some(Processors(before));
                let mut set: libc::cpu_set_t = std::mem::zeroed();
                let known = cpu < 8 * size && libc::CPU_ISSET(cpu, &before);
                if known {
                    libc::CPU_SET(cpu, &mut set);
                }
                known && libc::sched_setaffinity(0, size, &raw const set) == 0
            };
            if !bound {
                granted.refused.push(format!("processor {cpu}: no such processor may be used"));
                granted.before.processors = None;
            }
        }
        if wanted.fifo {
            // SAFETY: the parameters are plain data on the stack.
            unsafe {
                // Pages are locked when they are first touched: the stack alone reserves far more than is used.
                if libc::mlockall(libc::MCL_CURRENT | libc::MCL_FUTURE | libc::MCL_ONFAULT) == 0 {
                    granted.before.locked = true;
                } else {
                    granted.refused.push(format!("locked memory: {}", reason()));
                }
                let mut before: libc::sched_param = std::mem::zeroed();
                let policy = libc::sched_getscheduler(0);
                libc::sched_getparam(0, &raw mut before);
                let wanted = libc::sched_param { sched_priority: PRIORITY };
                if libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const wanted) == 0 {
                    granted.before.policy = Some((policy, before.sched_priority));
                } else {
                    granted.refused.push(format!("SCHED_FIFO: {}", reason()));
                }
            }
        }
        granted
    }

    pub fn give_back(before: &Before) {
        // SAFETY: as above; a failure leaves the thread as it is.
        unsafe {
            if let Some((policy, sched_priority)) = before.policy {
                let param = libc::sched_param { sched_priority };
                libc::sched_setscheduler(0, policy, &raw const param);
            }
            if before.locked {
                libc::munlockall();
            }
            if let Some(Processors(set)) = &before.processors {
                libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const *set);
            }
        }
    }

    /// Sleeps to an absolute time, so that being woken between the two calls does not add to the delay.
    pub fn sleep_until(left: Duration) {
        // SAFETY: the times are plain data; the call is repeated when a signal ends it early.
        unsafe {
            let mut now: libc::timespec = std::mem::zeroed();
            libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now);
            let nanoseconds = now.tv_nsec + i64::from(left.subsec_nanos());
            let until = libc::timespec {
                tv_sec: now.tv_sec + left.as_secs() as i64 + nanoseconds / 1_000_000_000,
                tv_nsec: nanoseconds % 1_000_000_000,
            };
            while libc::clock_nanosleep(
                libc::CLOCK_MONOTONIC,
                libc::TIMER_ABSTIME,
                &raw const until,
                std::ptr::null_mut(),
            ) == libc::EINTR
            {}
        }
    }
}
