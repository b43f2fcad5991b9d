//! Switches that are on their boundaries at once and depend on each other: each side of one may hold with another side of the others.
//!
//! ```text
//!   u₁′ = 0.4 − 0.6 [u₂ ≥ 0],   u₂′ = 0.4 − 0.6 [u₁ ≥ 0]      from 0 either one may rise while the other one falls
//! ```
//!
//! Where several combinations of sides hold, the one is taken that all switches come to when each goes where its slope points, all of
//! them at once and from the branches of equality. So nothing depends on the order of the switches, and what is symmetric stays so.
//! Where they come to none in this way, none is taken.

use crate::events::modes::{ModeResolver, Moment};
use crate::events::sliding::{Boundary, Flow};
use crate::{Selected, Selection, Zeno};

/// Of more switches on boundaries at once each is looked at by itself.
const MOST: usize = 64;
/// Combinations are tried for so many that depend on each other.
const COMBINED: usize = 8;

impl ModeResolver {
    /// Decides about those on boundaries that depend on each other, where there is more than one way to go.
    pub(super) fn decide_together(&mut self, flow: &mut Flow, now: &Moment, d: &mut [f64]) -> Result<(), Zeno> {
        if self.of_state().len() < 2 || flow.sliding.is_some() || flow.consistency.is_some() {
            return Ok(());
        }
        let boundaries = self.undecided(flow, now, d);
        if !(2..=MOST).contains(&boundaries.len()) {
            return Ok(());
        }
        let mut modes = d.to_vec();
        boundaries.iter().for_each(|at| modes[at.switch] = at.on);
        for group in self.groups(flow, now, &boundaries, &modes) {
            if !(2..=COMBINED).contains(&group.len()) || self.combinations(flow, now, &group, &modes) < 2 {
                continue;
            }
            let taken =
                self.all_at_once(flow, now, &group, &modes).ok_or(Zeno::Undecided { switch: group[0].switch })?;
            for (at, &mode) in group.iter().zip(&taken) {
                d[at.switch] = mode;
                if mode != at.on {
                    self.let_go(at.switch);
                    self.force(at.switch, mode);
                }
            }
            let sides = group.iter().zip(&taken).map(|(at, &mode)| (at.switch, at.side(mode))).collect();
            self.tell(Selection { t: now.t, what: Selected::Sides { sides } });
        }
        Ok(())
    }

    fn slopes_of(&mut self, flow: &mut Flow, now: &Moment, group: &[Boundary], modes: &[f64]) -> Vec<f64> {
        let mut slopes = vec![0.0; flow.system.layout().switches.len()];
        flow.with(|system| system.switch_slopes(now.t, now.y, modes, &mut slopes));
        group.iter().map(|at| slopes[at.switch]).collect()
    }

    /// Those whose slopes depend on the modes of others, directly or by others, together.
    fn groups(&mut self, flow: &mut Flow, now: &Moment, all: &[Boundary], modes: &[f64]) -> Vec<Vec<Boundary>> {
        let mut group: Vec<usize> = (0..all.len()).collect();
        let mut modes = modes.to_vec();
        for (i, at) in all.iter().enumerate() {
            let [above, below] = [at.above, at.below].map(|mode| {
                modes[at.switch] = mode;
                self.slopes_of(flow, now, all, &modes)
            });
            modes[at.switch] = at.on;
            for j in (0..all.len()).filter(|&j| above[j] != below[j]) {
                let (from, to) = (group[i], group[j]);
                group.iter_mut().filter(|of| **of == from).for_each(|of| *of = to);
            }
        }
        let members = |k: usize| (0..all.len()).filter(|&i| group[i] == k).map(|i| all[i]).collect();
        (0..all.len()).map(members).collect()
    }

    /// How many combinations of sides hold: of each the slope points to its side.
    fn combinations(&mut self, flow: &mut Flow, now: &Moment, group: &[Boundary], modes: &[f64]) -> usize {
        let mut modes = modes.to_vec();
        let holds = |bits: &usize| {
            let above = |i: usize| bits >> i & 1 == 1;
            for (i, at) in group.iter().enumerate() {
                modes[at.switch] = if above(i) { at.above } else { at.below };
            }
            let slopes = self.slopes_of(flow, now, group, &modes);
            slopes.iter().enumerate().all(|(i, slope)| if above(i) { *slope > 0.0 } else { *slope < 0.0 })
        };
        (0..1 << group.len()).filter(holds).count()
    }

    /// The modes that all come to when each follows its slope, all at once; `None` if they come to none.
    fn all_at_once(&mut self, flow: &mut Flow, now: &Moment, group: &[Boundary], modes: &[f64]) -> Option<Vec<f64>> {
        let mut modes = modes.to_vec();
        for _ in 0..=2 * group.len() {
            let slopes = self.slopes_of(flow, now, group, &modes);
            let next: Vec<f64> = group
                .iter()
                .zip(slopes)
                .map(|(at, slope)| match slope {
                    slope if slope > 0.0 => at.above,
                    slope if slope < 0.0 => at.below,
                    _ => at.on,
                })
                .collect();
            if group.iter().zip(&next).all(|(at, mode)| modes[at.switch] == *mode) {
                return Some(next);
            }
            group.iter().zip(&next).for_each(|(at, mode)| modes[at.switch] = *mode);
        }
        None
    }
}
