//! The times that a step must end at: crossings of switches of time alone, and samples.

use crate::driver::grid::Grid;
use crate::{Layout, Reason, System, UsageError, Zeno};

/// The next of each kind of instants.
#[derive(Clone, Debug)]
pub(crate) struct Instants {
    /// Switch and time of its next crossing, infinite if there is none.
    crossings: Vec<(usize, f64)>,
    /// Switches from this one on end a step.
    located: usize,
    samples: Vec<Sample>,
    t_end: f64,
    next: f64,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    grid: Grid,
    action: usize,
    /// How many were taken.
    taken: u64,
    next: f64,
}

impl Instants {
    pub fn new(layout: &Layout, t_start: f64, t_end: f64) -> Result<Instants, UsageError> {
        if let Some(sampled) = layout.sampled.iter().find(|s| !(s.period > 0.0 && s.period.is_finite())) {
            return Err(UsageError::BadStep { what: "sampling period", value: sampled.period });
        }
        let of_time = layout.switches.iter().enumerate().filter(|(_, switch)| switch.of_time);
        let sample = |s: &crate::Sampled| Sample {
            grid: Grid::new(t_start, s.period),
            action: s.action,
            taken: 0,
            next: t_start,
        };
        Ok(Instants {
            // Before the start, so that the first call of `enter` looks for the first crossing.
            crossings: of_time.map(|(k, _)| (k, t_start)).collect(),
            located: layout.sampled_switches,
            samples: layout.sampled.iter().map(sample).collect(),
            t_end,
            next: t_start,
        })
    }

    /// The next instant, infinite if there is none.
    pub fn next(&self) -> f64 {
        self.next
    }

    /// At time t: gives the switches of time alone their modes, lists the actions sampled now, and looks ahead.
    /// Returns whether a mode changed; a switch that is not defined from here on ends the run.
    pub fn enter(
        &mut self,
        system: &mut dyn System,
        t: f64,
        d: &mut [f64],
        actions: &mut Vec<usize>,
    ) -> Result<bool, Reason> {
        let mut changed = false;
        for (switch, next) in self.crossings.iter_mut().filter(|(_, next)| *next <= t) {
            let mode = system.mode_from(*switch, t);
            if mode.is_nan() {
                return Err(Reason::SwitchNotFinite { t, switch: *switch });
            }
            changed |= mode != d[*switch];
            d[*switch] = mode;
            // A crossing reported again would stop time.
            *next = system.next_crossing(*switch, t, self.t_end).filter(|next| *next > t).unwrap_or(f64::INFINITY);
        }
        for (index, sample) in self.samples.iter_mut().enumerate().filter(|(_, sample)| sample.next <= t) {
            actions.push(sample.action);
            sample.taken += 1;
            sample.next = sample.grid.at(sample.taken as f64);
            if sample.next <= t {
                return Err(Reason::Zeno { t, cause: Zeno::Sampling { sampled: index } });
            }
        }
        let crossing = self.crossings.iter().filter(|(switch, _)| *switch >= self.located).map(|(_, next)| *next);
        let sample = self.samples.iter().map(|sample| sample.next);
        self.next = crossing.chain(sample).fold(f64::INFINITY, f64::min);
        Ok(changed)
    }
}
