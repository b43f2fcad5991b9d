//! Many trajectories side by side by the Taylor method. Each lane has its own time, step, order and rejections; the series
//! of all lanes are computed together, up to the highest order that one of them wants. A lane whose trajectory has ended
//! takes the next one. No lane knows of the others: what comes out of a trajectory does not depend on its company.
//!
//! ```text
//!   f at the ends of all steps → judge: accept, reject, finish, load → series → steps → their ends → …
//! ```
//!
//! A rejected step costs its lane this round, not the others: its series is computed once more with theirs.

mod lane;
mod tail;
mod tasks;

use crate::options::{check_start, tolerance};
use crate::rows::RowTimes;
use crate::taylor::{HIGHEST_CHOSEN, LOOKS, MIN_ORDER};
use crate::{JetCost, MAX_ORDER, Options, Outcome, Reason, Refusal, Start, Tolerance};
use lane::{Lane, Series};
use ordinate_numbers::{LANES, Lanes, Processor};
use tasks::{Accept, Advance, Judge, State};

/// Series of several trajectories side by side. As for [`crate::Jets`], the same numbers of a lane always give the same
/// bits, whatever the other lanes have.
pub trait LaneJets {
    /// Number of states.
    fn states(&self) -> usize;

    /// From now on this lane belongs to the trajectory of this index.
    fn load(&mut self, lane: usize, trajectory: usize);

    /// Begins at a point: writes f(t, y). The coefficients of the states beyond the first stay as they are.
    fn begin(&mut self, t: &Lanes, y: &[Lanes], f: &mut [Lanes]);

    /// Goes on from the point begun last, where f was found, up to the power `order`, in units of `scale`: see
    /// [`crate::Jets::extend`].
    fn extend(&mut self, f: &[Lanes], scale: &Lanes, order: usize);

    /// The coefficients of the states, c[i · stride + k] for k ≥ 1, and the stride.
    fn coefficients(&self) -> (&[Lanes], usize);

    /// What series of all lanes together cost.
    fn cost(&self) -> JetCost;

    /// Where it is computed.
    fn processor(&self) -> Processor;

    /// What keeps it from being evaluated, once there is something: trajectories that have not ended are left to others then.
    fn refusal(&self) -> Option<Refusal>;
}

/// One trajectory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaneStart<'a> {
    /// Start time.
    pub t: f64,
    /// States there.
    pub y: &'a [f64],
    /// End time.
    pub t_end: f64,
}

/// What came out of a trajectory.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneRun {
    /// How it ended.
    pub outcome: Outcome,
    /// The rows: t and the states of each, one after the other.
    pub rows: Vec<f64>,
}

/// The order is considered anew after so many steps, and after each of the first ones.
const CONSIDER: f64 = 8.0;

/// Computes trajectories side by side. `None` for those that lanes have no means for (poles, steps lost against t, series
/// that do not exist, starts and options that are refused): the ordinary driver knows what to say about them.
pub fn solve_lanes(jets: &mut dyn LaneJets, starts: &[LaneStart], options: &Options) -> Vec<Option<LaneRun>> {
    let given = [options.step, options.first_step, options.h_max];
    match tolerance(options, jets.states()) {
        Ok(tol) if given == [None; 3] => {
            let mut batch = Batch::new(jets, starts, options, tol);
            batch.go();
            batch.runs
        }
        Ok(_) | Err(_) => vec![None; starts.len()],
    }
}

struct Batch<'a> {
    jets: &'a mut dyn LaneJets,
    starts: &'a [LaneStart<'a>],
    options: &'a Options,
    tol: Tolerance,
    state: State,
    lanes: [Lane<'a>; LANES],
    /// How many lanes have a trajectory.
    busy: usize,
    /// The first trajectory that has not begun.
    next: usize,
    runs: Vec<Option<LaneRun>>,
    /// log₂ of the cost of each order.
    costs: Vec<f64>,
    processor: Processor,
}

impl<'a> Batch<'a> {
    fn new(jets: &'a mut dyn LaneJets, starts: &'a [LaneStart], options: &'a Options, tol: Tolerance) -> Batch<'a> {
        let cost = jets.cost();
        Batch {
            state: State::new(jets.states()),
            lanes: std::array::from_fn(|_| Lane::idle()),
            busy: 0,
            next: 0,
            runs: vec![None; starts.len()],
            costs: (0..=MAX_ORDER as usize).map(|p| cost.of_order(p).log2()).collect(),
            processor: jets.processor(),
            jets,
            starts,
            options,
            tol,
        }
    }

    fn go(&mut self) {
        for lane in 0..LANES {
            self.load(lane);
        }
        self.begin_fresh();
        while self.busy > 0 && self.jets.refusal().is_none() {
            self.jets.extend(&self.state.f, &self.state.scale, self.state.range.high);
            let (c, stride) = self.jets.coefficients();
            let advance = Advance { state: &mut self.state, tol: &self.tol, c, stride };
            if self.processor.run(advance) {
                self.look_at_series();
            }
            self.jets.begin(&self.state.t1, &self.state.y1, &mut self.state.f);
            let judged = self.processor.run(Judge { state: &mut self.state, tol: &self.tol });
            if judged.consider != 0 {
                self.consider_orders(judged.consider);
            }
            if judged.open != 0 {
                self.look_at_steps(judged.open);
            }
        }
    }

    /// Gives a lane the next trajectory that needs a step, if there is one.
    fn load(&mut self, l: usize) {
        self.busy -= usize::from(std::mem::take(&mut self.lanes[l].busy));
        while self.next < self.starts.len() {
            let index = self.next;
            self.next += 1;
            let start = &self.starts[index];
            let from = Start { t: start.t, y: start.y, ..Start::default() };
            let rows = RowTimes::new(&self.options.rows, start.t, start.t_end);
            let (Ok(()), Ok(rows)) = (check_start(&from, start.t_end, self.state.y.len(), 0), rows) else { continue };
            self.lanes[l] = Lane::new(index, rows);
            self.jets.load(l, index);
            self.state.start(l, start, self.options.max_steps);
            self.lanes[l].rows_at_start(start);
            self.state.next_row[l] = self.lanes[l].next_row();
            self.busy += 1;
            if start.t < start.t_end {
                return;
            }
            self.finish(l, None);
        }
        // An idle lane goes on computing what nobody looks at.
        self.state.rest_lane(l);
    }

    fn finish(&mut self, l: usize, reason: Option<Reason>) {
        let lane = &mut self.lanes[l];
        self.runs[lane.index] = Some(lane.run(&self.state, l, reason));
        lane.busy = false;
        self.busy -= 1;
    }

    /// Begins where lanes were put to a new point. Trajectories that cannot even begin are left to others.
    fn begin_fresh(&mut self) {
        loop {
            self.jets.begin(&self.state.t1, &self.state.y1, &mut self.state.f);
            let mut again = false;
            for l in 0..LANES {
                if !self.lanes[l].busy || !self.lanes[l].fresh {
                    continue;
                }
                if self.state.f.iter().any(|f| !f[l].is_finite()) {
                    self.load(l);
                    again = true;
                } else {
                    self.lanes[l].fresh = false;
                    self.state.first_guess(l, &self.tol);
                }
            }
            if !again {
                return;
            }
        }
    }

    /// Lanes whose series is not finite or in unfit units stay where they are for this round.
    fn look_at_series(&mut self) {
        let (c, stride) = self.jets.coefficients();
        let mut given_up = 0;
        for (l, lane) in self.lanes.iter_mut().enumerate() {
            if !lane.busy {
                self.state.stay(l);
                continue;
            }
            match lane.look_at_series(&mut self.state, l, c, stride) {
                Series::Fine => {}
                Series::Again => self.state.stay(l),
                Series::GiveUp => given_up |= 1 << l,
            }
        }
        self.load_all(given_up);
    }

    /// Loads the next trajectories into some lanes, and begins there.
    fn load_all(&mut self, which: u32) {
        for l in lanes_of(which) {
            self.load(l);
        }
        if which != 0 {
            self.begin_fresh();
        }
    }

    /// Lanes whose step was not simply accepted, and those that have finished; `open` are all of them.
    fn look_at_steps(&mut self, open: u32) {
        let (state, tol) = (&self.state, &self.tol);
        let mut errors = [0.0; LANES];
        let (mut tried, mut unclear) = (0, 0);
        for l in lanes_of(open) {
            if self.lanes[l].busy && state.trial[l] != 0.0 {
                tried |= 1 << l;
                errors[l] = state.defect(l, 1.0, &state.y1, &state.slope, &state.f, tol);
                if errors[l] <= 1.0 && state.clear[l] == 0.0 {
                    unclear |= 1 << l;
                }
            }
        }
        if unclear != 0 {
            self.look_inside(unclear, &mut errors);
        }
        let (c, stride) = self.jets.coefficients();
        let (mut accepted, mut ended) = (0, 0);
        for l in lanes_of(tried) {
            let lane = &mut self.lanes[l];
            if errors[l] <= 1.0 {
                accepted |= 1 << l;
                lane.rows_of_step(&self.state, l, c, stride);
                self.state.next_row[l] = lane.next_row();
            } else if !lane.reject(&mut self.state, l, errors[l]) {
                ended |= 1 << l;
            }
        }
        self.processor.run(Accept { state: &mut self.state, lanes: accepted });
        for l in lanes_of(open & !ended) {
            let state = &self.state;
            let reason = if !self.lanes[l].busy {
                continue;
            } else if state.t[l] >= state.t_end[l] {
                None
            } else if state.steps[l] >= state.most_steps[l] {
                Some(Reason::MaxSteps { t: state.t[l], h: state.h[l], limit: self.options.max_steps })
            } else {
                continue;
            };
            self.finish(l, reason);
            ended |= 1 << l;
        }
        self.load_all(ended);
        if ended == 0 && (unclear != 0 || accepted != tried) {
            // Some lanes are not where the series was begun.
            self.begin_fresh();
        }
    }

    /// The errors by the defect at points inside of steps whose series do not tell how they go on; the largest ones count.
    fn look_inside(&mut self, unclear: u32, errors: &mut [f64; LANES]) {
        let n = self.state.y.len();
        let mut f = vec![Lanes::ZERO; n];
        for theta in LOOKS {
            let (c, stride) = self.jets.coefficients();
            let (mut t, mut y) = (self.state.t1, self.state.y1.clone());
            let mut slopes = vec![Lanes::ZERO; n];
            for l in lanes_of(unclear) {
                let h = theta * self.state.h[l];
                t[l] = self.state.t[l] + h;
                for i in 0..n {
                    (y[i][l], slopes[i][l]) = self.state.polynomial(l, i, &c[i * stride..], h);
                }
            }
            self.jets.begin(&t, &y, &mut f);
            for l in lanes_of(unclear) {
                errors[l] = errors[l].max(self.state.defect(l, theta, &y, &slopes, &f, &self.tol));
            }
        }
    }

    /// Chooses the orders of some lanes, given as bits, anew.
    fn consider_orders(&mut self, which: u32) {
        for l in lanes_of(which) {
            let steps = self.state.steps[l];
            self.state.consider[l] = if steps < CONSIDER { steps + 1.0 } else { steps + CONSIDER };
            let order = self.state.order[l] as usize;
            let range = [MIN_ORDER, HIGHEST_CHOSEN];
            let better = tail::better_order(self.state.level[l], order, range, &self.costs);
            if better != order {
                self.state.set_order(l, better);
            }
        }
    }
}

/// The lanes whose bits are set.
fn lanes_of(bits: u32) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |l| bits >> l & 1 != 0)
}
