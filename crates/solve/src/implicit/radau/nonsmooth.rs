//! The stages of a step at which a root comes to rest: with difference quotients for derivatives (`newton/nonsmooth.rs`).

use super::stages::{Stages, Task, Way};
use crate::domain::boundary::Edge;
use crate::implicit::newton::{BEST, Damping, MOST_RETREATS, MOST_WITH_SECANTS, PART};
use crate::{Point, System};

impl Stages {
    /// Solves for Z from where the step begins, with difference quotients over a part of the tolerance for derivatives that change
    /// within it; returns whether it did. For iterations that go astray within the tolerance.
    #[cold]
    pub fn solve_by_secants(&mut self, system: &mut dyn System, task: &Task) -> bool {
        // The way on which changes are kept.
        let task = &Task { way: Way::Patient, ..*task };
        let Point { t, y, d, .. } = *task.from;
        if self.jacobian.evaluate_beside(system, (t, y, d), task.f0, task.scale, &mut self.work).is_err()
            || !self.jacobian.by_secants(system, (t, y, d), task.f0, task.scale, &mut self.work)
        {
            return false;
        }
        // They serve for this step only.
        (self.stale, self.spread, self.eta, self.passing) = (true, false, 1.0, None);
        self.factored.1 = 0;
        self.z.fill(0.0);
        if self.factor(task).is_err() || self.residual(system, task, 0).is_err() {
            return false;
        }
        let count = task.method.stages * self.n;
        let mut damping = Damping::new(count);
        for iteration in 1..=MOST_WITH_SECANTS {
            if self.newton_change(system, task, f64::NAN).is_err() {
                return false;
            }
            let part = damping.part(&self.change, task.scale);
            self.change.iter_mut().for_each(|change| *change *= part);
            let size = self.size(task);
            if size.is_nan() || size > 1.0 {
                return false;
            }
            let mut taken = self.change.clone();
            let (mut retreats, mut outside) = (0, None);
            self.z[..count].iter_mut().zip(&taken).for_each(|(z, change)| *z += change);
            while self.residual(system, task, iteration).is_err() {
                outside = Some(self.z[..count].to_vec());
                retreats += 1;
                // At last as a whole: the edge of the domain of f is nearer than anything counts.
                let part = if retreats < MOST_RETREATS { 0.5 } else { 1.0 };
                for (z, change) in self.z[..count].iter_mut().zip(&mut taken) {
                    *z -= part * *change;
                    *change *= 1.0 - part;
                }
                if retreats > MOST_RETREATS {
                    return false;
                }
            }
            let ends = iteration == MOST_WITH_SECANTS || retreats == MOST_RETREATS;
            if size <= BEST || (size <= PART && ends) {
                (self.iterations, self.rate) = (iteration, 1.0);
                return outside.is_none_or(|outside| !self.leaves_domain(system, task, &outside));
            }
        }
        false
    }

    /// Whether one of the stages has come to the edge of the domain of f where solutions leave it; some of those `outside` are behind
    /// that edge.
    fn leaves_domain(&mut self, system: &mut dyn System, task: &Task, outside: &[f64]) -> bool {
        let Point { t, y, d, .. } = *task.from;
        let mut f = vec![0.0; self.n];
        for (i, &c) in task.method.c.iter().enumerate() {
            let t = t + c * task.h;
            let of = |z: &[f64]| -> Vec<f64> { y.iter().zip(&z[i * self.n..]).map(|(y, z)| y + z).collect() };
            let (inside, outside) = (of(&self.z), of(outside));
            system.derivative(t, &outside, d, &mut f);
            self.work.f += 1;
            if f.iter().all(|f| f.is_finite()) {
                continue;
            }
            let edge = Edge { t, d, inside: &inside, outside: &outside, scale: task.scale };
            if edge.is_left(system, &mut self.work.f) {
                return true;
            }
        }
        false
    }
}
