//! The states that fulfil the equations at an instant and the modes of the switches depend on each other: |z| z = x has a
//! solution for any x, but on one side of z = 0 only.

use super::equations::{Equations, Which};
use super::search::{self, Effort};
use super::{ConstraintSolver, StartConditions};
use crate::events::modes::ModeResolver;
use crate::{Reason, Selected, Selection, SwitchKind, System, Zeno};

/// The sides of so many switches are tried in all combinations; those of more one by one, up to so many.
const COMBINED: usize = 6;
const SINGLE: usize = 24;
/// Not for more states than this.
const LARGEST: usize = 200;
/// A solution is nearer to what is stated by this, a variable counting between −1 and 1.
const NEARER: f64 = 0.1;
/// Two solutions are two if a state differs by this part of its size.
const APART: f64 = 0.1;
/// A given value counts so many times as much as a guess.
const GIVEN: f64 = 1e3;

/// An instant, and what is found there.
pub(crate) struct Place<'a> {
    pub t: f64,
    pub y: &'a mut [f64],
    pub d: &'a mut [f64],
}

impl Place<'_> {
    fn set(&mut self, y: &[f64], d: &[f64]) {
        self.y.copy_from_slice(y);
        self.d.copy_from_slice(d);
    }
}

impl ConstraintSolver {
    /// The start: states that fulfil the equations, with the modes that belong to them. First the modes are those of the guess;
    /// where they have no solution, or one on another side, they follow the states; and at last all sides are tried. Of
    /// several solutions the one is taken that is nearest to what is given and guessed.
    pub fn begin(
        &mut self,
        system: &mut dyn System,
        switches: &mut ModeResolver,
        at: &mut Place,
        wishes: &StartConditions,
    ) -> Result<(), Reason> {
        self.find_start(system, switches, at, wishes)?;
        if at.y.len() <= LARGEST {
            self.tell_root(system, switches, at, wishes);
        }
        Ok(())
    }

    /// Tells of another solution at the start, with the algebraic states of the other sign: z of z² = 2.
    fn tell_root(
        &mut self,
        system: &mut dyn System,
        switches: &mut ModeResolver,
        at: &Place,
        wishes: &StartConditions,
    ) {
        let mut free = wishes.free(at.y.len(), self.differential);
        free[..self.differential].fill(false);
        let near = at.y.iter().zip(&free).map(|(y, free)| if *free { -y } else { *y }).collect();
        if let Some((component, other)) = self.another(system, (at.t, at.y), near, at.d, &free) {
            let mut modes = at.d.to_vec();
            switches.exact_modes(system, at.t, &other, &mut modes);
            if modes == at.d {
                let (taken, other) = (at.y[component], other[component]);
                switches.tell(Selection { t: at.t, what: Selected::Root { component, taken, other } });
            }
        }
    }

    /// Another solution of the equations than y, looked for from `near` in the free states, and the state that differs most in it.
    pub fn another(
        &mut self,
        system: &mut dyn System,
        (t, y): (f64, &[f64]),
        mut near: Vec<f64>,
        d: &[f64],
        free: &[bool],
    ) -> Option<(usize, Vec<f64>)> {
        let mut equations = Equations::new(system, t, d, &self.tol, &mut self.work);
        let found = near != y && search::find(&mut equations, free, &mut near, Effort::Near);
        let apart = |i: usize| (near[i] - y[i]).abs() / (near[i].abs() + y[i].abs() + self.tol.of(i, [y[i]; 2]));
        let most = (0..y.len()).max_by(|&i, &j| apart(i).total_cmp(&apart(j)))?;
        (found && apart(most) > APART).then_some((most, near))
    }

    fn find_start(
        &mut self,
        system: &mut dyn System,
        switches: &mut ModeResolver,
        at: &mut Place,
        wishes: &StartConditions,
    ) -> Result<(), Reason> {
        self.approach(system, at.t, at.y, at.d, wishes);
        switches.exact_modes(system, at.t, at.y, at.d);
        let (guess, modes) = (at.y.to_vec(), at.d.to_vec());
        let mut result = self.agree(system, switches, at, wishes, Effort::All);
        if result.is_err() && !switches.of_state().is_empty() {
            let failed = (at.y.to_vec(), at.d.to_vec(), self.found.take());
            at.set(&guess, &modes);
            let free = wishes.free(guess.len(), self.differential);
            let given = wishes.start_residuals && system.layout().start_residuals[0] > 0;
            let tried: &[Which] = if given { &[Which::Given, Which::Always] } else { &[Which::Always] };
            for &which in tried {
                if result.is_err() && self.follow(which, system, at, &free, &[]) {
                    result = self.agree(system, switches, at, wishes, Effort::Near).or(result);
                }
            }
            if result.is_err() {
                at.set(&failed.0, &failed.1);
                self.found = failed.2;
            }
        }
        if guess.len() > LARGEST || (result.is_ok() && self.meets(system, at, wishes)) {
            return result;
        }
        let found = self.found.take();
        let mut best = (at.y.to_vec(), at.d.to_vec(), result.is_ok().then(|| self.missed(system, at)));
        for sides in other_sides(switches.of_state(), &modes) {
            at.set(&guess, &sides);
            if self.agree(system, switches, at, wishes, Effort::Near).is_err() {
                continue;
            }
            let missed = self.missed(system, at);
            let given = system.layout().start_residuals[0];
            if best.2.as_ref().is_none_or(|before| is_nearer(&missed, before, given)) {
                best = (at.y.to_vec(), at.d.to_vec(), Some(missed));
                result = Ok(());
            }
            if !wishes.start_residuals || best.2.as_ref().is_some_and(Vec::is_empty) {
                break;
            }
        }
        self.found = found.filter(|_| result.is_err());
        at.set(&best.0, &best.1);
        result
    }

    /// States from where they are, with the modes as they are, until those are the modes of what is found.
    fn agree(
        &mut self,
        system: &mut dyn System,
        switches: &mut ModeResolver,
        at: &mut Place,
        wishes: &StartConditions,
        effort: Effort,
    ) -> Result<(), Reason> {
        let (guess, mut before) = (at.y.to_vec(), at.d.to_vec());
        let mut unsettled = 0;
        for _ in 0..switches.of_state().len() + 4 {
            at.y.copy_from_slice(&guess);
            self.start(system, at.t, at.y, at.d, wishes, effort)?;
            before.copy_from_slice(at.d);
            switches.exact_modes(system, at.t, at.y, at.d);
            match at.d.iter().zip(&before).position(|(now, before)| now != before) {
                Some(switch) => unsettled = switch,
                None => return Ok(()),
            }
        }
        Err(Reason::Zeno { t: at.t, cause: Zeno::Contradiction { switch: unsettled } })
    }

    /// At an event the algebraic states may have to jump to the other side of a switch: where the modes leave no solution near,
    /// they follow the state, but for those of switches that are `held` on a boundary. Returns whether they do.
    pub fn change_sides(&mut self, system: &mut dyn System, at: &mut Place, held: &[usize]) -> bool {
        let switched = system.layout().switches.iter().any(|switch| !switch.of_time);
        if !switched || self.algebraic.is_none() || self.restore(system, at.t, &mut at.y.to_vec(), at.d, false).is_ok()
        {
            return false;
        }
        let free: Vec<bool> = (0..at.y.len()).map(|i| i >= self.differential).collect();
        self.follow(Which::Always, system, at, &free, held)
    }

    /// The free states from where they are, the modes following them; returns whether a solution was found. What was not is
    /// left alone.
    fn follow(&mut self, which: Which, system: &mut dyn System, at: &mut Place, free: &[bool], held: &[usize]) -> bool {
        let mut equations = Equations::of(which, system, at.t, at.d, &self.tol, &mut self.work).following(held);
        let mut y = at.y.to_vec();
        let found = search::find(&mut equations, free, &mut y, Effort::All);
        if found {
            // with the modes of this place
            equations.derivatives(&y);
            at.y.copy_from_slice(&y);
            at.d.copy_from_slice(&equations.d);
        }
        found
    }

    /// Whether everything is as it is given and guessed.
    fn meets(&mut self, system: &mut dyn System, at: &Place, wishes: &StartConditions) -> bool {
        let mut equations = Equations::of(Which::Stated, system, at.t, at.d, &self.tol, &mut self.work);
        !wishes.start_residuals || equations.count == 0 || search::violated(&mut equations, at.y).is_empty()
    }

    /// By how much each variable differs from what is given or guessed of it.
    fn missed(&mut self, system: &mut dyn System, at: &Place) -> Vec<f64> {
        let mut equations = Equations::of(Which::Stated, system, at.t, at.d, &self.tol, &mut self.work);
        let mut r = vec![0.0; equations.count];
        equations.residuals(at.y, &mut r);
        r.iter().map(|r| r.abs()).collect()
    }
}

/// Whether what is missed now is less than before, in no unit: each variable counts by which of two distances is the larger.
fn is_nearer(now: &[f64], before: &[f64], given: usize) -> bool {
    let part = |(k, (now, before)): (usize, (&f64, &f64))| {
        let sum = now + before;
        let weight = if k < given { GIVEN } else { 1.0 };
        if sum > 0.0 { weight * (before - now) / sum } else { 0.0 }
    };
    now.iter().zip(before).enumerate().map(part).sum::<f64>() > NEARER
}

/// Modes with some switches on other sides, near ones first.
fn other_sides(switches: &[(usize, SwitchKind)], modes: &[f64]) -> Vec<Vec<f64>> {
    let signs = switches.iter().filter(|(_, kind)| *kind == SwitchKind::Sign).map(|&(k, _)| k);
    let signs: Vec<usize> = signs.take(SINGLE).collect();
    let flipped = |set: &dyn Fn(usize) -> bool| {
        let mut sides = modes.to_vec();
        // at zero a switch was on neither side: the upper one is mostly that of equality
        signs.iter().enumerate().filter(|(place, _)| set(*place)).for_each(|(_, &k)| {
            sides[k] = if sides[k] == 0.0 { -1.0 } else { -sides[k] };
        });
        sides
    };
    if signs.len() > COMBINED {
        return (0..signs.len()).map(|k| flipped(&|place| place == k)).collect();
    }
    let mut sets: Vec<u32> = (1..1 << signs.len()).collect();
    sets.sort_by_key(|set| set.count_ones());
    sets.into_iter().map(|set| flipped(&|place| set >> place & 1 == 1)).collect()
}
