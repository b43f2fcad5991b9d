//! After an event: what it assigned has the value assigned, and of the rest as little changes as possible.
//!
//! Positions come first, then velocities with the positions as they are then. The stage of a state is how often its derivative is
//! a state: 1 for x of x″ = …, 0 for x′ and for y of y′ = … An equation belongs to the last of its states, so the equations
//! of a stage leave the stages before it alone, and determine states of their own: J. D. Pryce, BIT 41 (2001) 364–394,
//! section 4.

use super::equations::Equations;
use super::nearest::{self, Goal};
use super::newton::{self, Unknowns};
use super::search::{self, Effort};
use super::{ConstraintSolver, Inconsistency};
use crate::{Layout, Reason, System, Tolerance};

/// The equations of one stage and the states that may change.
struct Stage {
    /// The first `plain` ones have no algebraic states.
    rows: Vec<usize>,
    plain: usize,
    /// Those from `counted` on are algebraic, and count nothing.
    states: Vec<usize>,
    counted: usize,
}

impl Stage {
    /// The equations that do not hold, and by how much.
    fn violated(&self, equations: &mut Equations, y: &[f64]) -> Vec<(usize, f64)> {
        search::violated(equations, y).into_iter().filter(|(row, _)| self.rows.contains(row)).collect()
    }

    /// Changes the states as little as possible until the equations hold; or says which do not, and by how much.
    fn meet(&self, equations: &mut Equations, y: &mut [f64]) -> Result<(), Vec<(usize, f64)>> {
        let goal = |rows, count: usize| Goal {
            rows,
            states: self.states[..count].to_vec(),
            wanted: self.states[..count].iter().map(|&state| y[state]).collect(),
            counts: (0..self.counted).map(|k| (k, k)).collect(),
            is_distance: true,
        };
        // Where the algebraic states can answer for the other equations, this is all.
        let mut met = y.to_vec();
        nearest::find(equations, &goal(&self.rows[..self.plain], self.counted), &mut met);
        let goal = goal(&self.rows, self.states.len());
        nearest::find(equations, &goal, &mut met);
        if !self.violated(equations, &met).is_empty() {
            // From where they are met the nearest values may be found.
            met.copy_from_slice(y);
            let unknowns = Unknowns::chosen(equations, goal.states.clone(), self.rows.clone(), y.len());
            newton::solve_regularised(equations, &unknowns, &mut met);
            newton::solve(equations, &unknowns, &mut met);
            nearest::find(equations, &goal, &mut met);
        }
        let violated = self.violated(equations, &met);
        if violated.is_empty() {
            y.copy_from_slice(&met);
            return Ok(());
        }
        Err(violated)
    }

    /// The derivatives of the states by a quantity, which are the states of another stage, in the same order. `before` the states
    /// were met.
    fn vary(&self, varied: &Stage, equations: &mut Equations, before: &[f64], y: &mut [f64]) {
        let n = self.states.len();
        assert_eq!(varied.states.len(), n, "a derivative of an equation has the derivatives of its states");
        let states = [self.states.as_slice(), &varied.states].concat();
        let goal = Goal {
            rows: &[self.rows.as_slice(), &varied.rows].concat(),
            wanted: states.iter().map(|&state| before[state]).collect(),
            states,
            counts: (0..self.counted).map(|k| (k, n + k)).collect(),
            is_distance: false,
        };
        nearest::find(equations, &goal, y);
    }
}

/// What belongs to what.
struct Stages<'a> {
    /// The stage of each state and equation.
    of_states: Vec<usize>,
    of_rows: Vec<usize>,
    /// The states in each equation, and whether some of them are algebraic.
    of_row: Vec<Vec<usize>>,
    has_algebraic: Vec<bool>,
    /// The quantity by which each state and equation is a derivative.
    varied: Vec<Option<usize>>,
    varied_rows: Vec<Option<usize>>,
    /// So many equations are those of algebraic states, which belong to a stage where others of it need these states.
    of_algebraic: usize,
    differential: usize,
    assigned: &'a [bool],
}

impl Stages<'_> {
    fn new<'a>(layout: &Layout, equations: &Equations, direct: bool, assigned: &'a [bool]) -> Stages<'a> {
        let next = |state: usize| layout.velocity.get(state).copied().flatten().map(|next| next as usize);
        let chain = |state| std::iter::successors(next(state), |&state| next(state)).take(layout.states).count();
        let mut varied = vec![None; layout.states];
        layout.variations.of.iter().for_each(|&[v, _, q]| varied[v] = Some(q));
        // those of algebraic states stand behind these
        let own = (layout.algebraic / (1 + layout.variations.by)).max(1);
        let algebraic = varied.iter_mut().skip(layout.differential()).enumerate();
        algebraic.for_each(|(k, by)| *by = (k / own).checked_sub(1));
        let mut stages = Stages {
            of_states: (0..layout.states).map(chain).collect(),
            of_rows: vec![usize::MAX; equations.count],
            of_row: vec![Vec::new(); equations.count],
            has_algebraic: vec![false; equations.count],
            varied,
            varied_rows: vec![None; equations.count],
            // A system of higher index that is solved as it is has its constraints there.
            of_algebraic: if direct { 0 } else { layout.algebraic },
            differential: layout.differential(),
            assigned,
        };
        // The time of an event has no stage.
        let times = &layout.variations.event_time;
        for (row, state, _) in equations.elements().filter(|(_, state, _)| !times.contains(state)) {
            stages.of_row[row].push(state);
            stages.of_rows[row] = stages.of_rows[row].min(stages.of_states[state]);
            stages.has_algebraic[row] |= state >= stages.differential;
            stages.varied_rows[row] = stages.varied_rows[row].or(stages.varied[state]);
        }
        stages
    }

    /// A stage of the states themselves, or of their derivatives by a quantity.
    fn stage(&self, stage: usize, by: Option<usize>) -> Stage {
        let own = |row: &usize| self.of_rows[*row] == stage && self.varied_rows[*row] == by;
        let mut rows: Vec<usize> = (self.of_algebraic..self.of_rows.len()).filter(own).collect();
        rows.sort_by_key(|&row| self.has_algebraic[row]);
        let plain = rows.iter().filter(|&&row| !self.has_algebraic[row]).count();
        let mut occurs = vec![false; self.varied.len()];
        rows.iter().flat_map(|&row| &self.of_row[row]).for_each(|&state| occurs[state] = true);
        let free = |&i: &usize| self.of_states[i] == stage && self.varied[i] == by && !self.assigned[i] && occurs[i];
        let mut states: Vec<usize> = (0..self.differential).filter(free).collect();
        let counted = states.len();
        if plain < rows.len() {
            rows.extend((0..self.of_algebraic).filter(|&row| self.varied_rows[row] == by));
            states.extend((self.differential..self.varied.len()).filter(|&i| self.varied[i] == by));
        }
        Stage { rows, plain, states, counted }
    }
}

/// What an equation may be off by rounding alone.
const ROUNDING: f64 = 1e-13;
/// What states may be off where a crossing was located, as a part of them.
const LOCATED: f64 = 1e-9;

impl ConstraintSolver {
    /// After an action that assigned some states: the others change as little as possible, so that the equations hold. If they
    /// cannot, the event asks the impossible.
    pub fn settle(
        &mut self,
        system: &mut dyn System,
        t: f64,
        y: &mut [f64],
        d: &[f64],
        assigned: &[bool],
    ) -> Result<(), Reason> {
        if self.projection.is_some() || self.direct {
            self.keep_assigned(system, t, y, d, assigned)?;
        }
        if self.direct {
            return Ok(());
        }
        if self.resolve(system, t, y, d).is_err() {
            self.search_algebraic(system, t, y, d)?;
        }
        // What was assigned with a few digits is near enough, but not on its equations.
        if !self.holds(system, t, y, d) {
            self.polish(system, t, y, d);
        }
        Ok(())
    }

    /// Whether the equations hold but for rounding.
    fn holds(&mut self, system: &mut dyn System, t: f64, y: &[f64], d: &[f64]) -> bool {
        let fine = Tolerance { rtol: ROUNDING, atol: vec![ROUNDING; y.len()] };
        search::violated(&mut Equations::new(system, t, d, &fine, &mut self.work), y).is_empty()
    }

    /// After an event that assigned nothing, but may have changed modes: the algebraic states follow, and the others are on their
    /// equations already.
    pub fn adapt(&mut self, system: &mut dyn System, t: f64, y: &mut [f64], d: &[f64]) -> Result<(), Reason> {
        let n = y.len();
        if self.direct {
            // The method need not keep to the derivatives of the constraints, but what is shown should.
            let free: Vec<bool> = (0..n).map(|i| i >= self.differential).collect();
            let mut found = y.to_vec();
            let mut equations = Equations::new(system, t, d, &self.tol, &mut self.work);
            if search::find(&mut equations, &free, &mut found, Effort::Near) {
                y.copy_from_slice(&found);
            }
            return Ok(());
        }
        let mut near = y.to_vec();
        if self.resolve(system, t, &mut near, d).is_ok() && self.holds(system, t, &near, d) {
            y.copy_from_slice(&near);
            return Ok(());
        }
        near.copy_from_slice(y);
        let moved = self.restore(system, t, &mut near, d, false);
        let within = |i: usize| (near[i] - y[i]).abs() <= 10.0 * (self.tol.atol[i] + self.tol.rtol * y[i].abs());
        if moved.is_ok() && (0..self.differential).all(within) {
            y.copy_from_slice(&near);
            return Ok(());
        }
        self.search_algebraic(system, t, y, d)?;
        self.polish(system, t, y, d);
        Ok(())
    }

    /// A constraint that new modes make jump, so that states would have to jump with it: its place and by how much it is violated
    /// at y, where it was not with the state and the modes before.
    pub fn jumps(
        &mut self,
        system: &mut dyn System,
        t: f64,
        before: (&[f64], &[f64]),
        (y, d): (&[f64], &[f64]),
    ) -> Option<(usize, f64)> {
        let layout = system.layout().clone();
        if layout.invariants == 0 || d[..layout.switches.len()] == before.1[..layout.switches.len()] {
            return None;
        }
        let mut y = y.to_vec();
        self.resolve(system, t, &mut y, d).ok()?;
        // A crossing is located to rounding, whatever the tolerances are.
        let fine = Tolerance { rtol: LOCATED, atol: self.tol.atol.iter().map(|atol| atol.min(LOCATED)).collect() };
        let mut residuals = |y: &[f64], d: &[f64]| {
            let mut equations = Equations::new(system, t, d, &fine, &mut self.work);
            let mut r = vec![0.0; equations.count];
            let finite = equations.residuals(y, &mut r) && equations.derivatives(y);
            let scales = equations.scales(&equations.weights(y), &r);
            let stages = Stages::new(&layout, &equations, self.direct, &[]);
            // The equations of a system that is solved as it is are constraints where they have no algebraic states.
            let is_constraint = |row: usize| row >= stages.of_algebraic && !(self.direct && stages.has_algebraic[row]);
            let rows: Vec<(usize, f64, f64)> = (0..equations.count)
                .filter(|&row| is_constraint(row))
                .map(|row| (equations.place(row), r[row], scales[row]))
                .collect();
            finite.then_some(rows)
        };
        let (then, now) = (residuals(before.0, before.1)?, residuals(&y, d)?);
        let jump = |((place, r, scale), (_, then, _)): (&(usize, f64, f64), &(usize, f64, f64))| {
            let times = (r.abs() - 2.0 * then.abs()) / scale;
            (times > 1.0).then_some((times, *place, *r))
        };
        let jumping = now.iter().zip(&then).filter_map(jump);
        jumping.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, place, r)| (place, r))
    }

    /// The algebraic states from anywhere, the others being what they are.
    fn search_algebraic(&mut self, system: &mut dyn System, t: f64, y: &mut [f64], d: &[f64]) -> Result<(), Reason> {
        let free: Vec<bool> = (0..y.len()).map(|i| i >= self.differential).collect();
        let mut found = y.to_vec();
        let mut equations = Equations::new(system, t, d, &self.tol, &mut self.work);
        if search::find(&mut equations, &free, &mut found, Effort::All) {
            y.copy_from_slice(&found);
            return Ok(());
        }
        let violated = search::violated(&mut equations, y);
        let places = violated.iter().map(|&(row, r)| (equations.place(row), r)).collect();
        Err(self.contradicted(t, places))
    }

    fn contradicted(&mut self, t: f64, violated: Vec<(usize, f64)>) -> Reason {
        let found = Inconsistency { t, violated, ..Inconsistency::default() };
        let reason = found.reason();
        self.found = Some(found);
        reason
    }

    /// The states that are not algebraic, stage by stage.
    fn keep_assigned(
        &mut self,
        system: &mut dyn System,
        t: f64,
        y: &mut [f64],
        d: &[f64],
        assigned: &[bool],
    ) -> Result<(), Reason> {
        let layout = system.layout().clone();
        let mut equations = Equations::new(system, t, d, &self.tol, &mut self.work);
        let stages = Stages::new(&layout, &equations, self.direct, assigned);
        let mut touched = false;
        for stage in (0..=stages.of_states.iter().copied().max().unwrap_or(0)).rev() {
            let own = stages.stage(stage, None);
            touched |= own.rows.iter().any(|row| stages.of_row[*row].iter().any(|&state| assigned[state]));
            if !touched && own.violated(&mut equations, y).is_empty() {
                // A position that moves by what its tolerance allows may cross the boundary of the event once more.
                continue;
            }
            let before = y.to_vec();
            if let Err(violated) = own.meet(&mut equations, y) {
                let places = violated.iter().map(|&(row, r)| (equations.place(row), r)).collect();
                return Err(self.contradicted(t, places));
            }
            for q in 0..layout.variations.by {
                own.vary(&stages.stage(stage, Some(q)), &mut equations, &before, y);
            }
        }
        Ok(())
    }
}
