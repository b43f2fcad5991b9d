//! Motion along boundaries of switches towards which both sides point: Filippov's convex combination.

use crate::constraints::{ConstraintSolver, EliminatedSystem, Place};
use crate::{History, Layout, Reason, Refusal, Side, StepFailure, System};

/// A value of g at which the mode of a switch changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Boundary {
    pub switch: usize,
    /// The value of g.
    pub level: f64,
    /// The mode where g is larger.
    pub above: f64,
    /// The mode where g is smaller.
    pub below: f64,
    /// The mode where g stays at the level.
    pub on: f64,
}

impl Boundary {
    /// Where a mode is.
    pub fn side(&self, mode: f64) -> Side {
        match mode {
            mode if mode == self.below => Side::Below,
            mode if mode == self.on && self.on != self.above => Side::On,
            _ => Side::Above,
        }
    }
}

/// What holds while the solution slides along boundaries: a mixture of the sides of each.
///
/// ```text
///   f = f(base) + Σ αᵢ (f(partᵢ) − f(base))
/// ```
///
/// The base is below all boundaries, part i above the boundary i and below the others. The same holds for everything that
/// depends linearly on what the switches switch, such as the force of friction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mixture {
    /// Discrete values below all boundaries.
    pub base: Vec<f64>,
    /// Weight and discrete values above each boundary.
    pub parts: Vec<(f64, Vec<f64>)>,
}

impl Mixture {
    /// Puts delayed values behind all discrete values.
    pub(crate) fn extend(&mut self, delayed: &[f64]) {
        let sides = self.parts.iter_mut().map(|(_, d)| d);
        sides.chain([&mut self.base]).for_each(|d| d.extend_from_slice(delayed));
    }

    /// The mixture of values that depend on the discrete values d: `evaluate` writes them for given d.
    pub fn mix(&self, evaluate: &mut dyn FnMut(&[f64], &mut [f64]), values: &mut [f64]) {
        let mut base = vec![0.0; values.len()];
        let mut part = vec![0.0; values.len()];
        // One side may not exist a little beyond the boundary.
        if let [(1.0, above)] = self.parts.as_slice() {
            return evaluate(above, values);
        }
        evaluate(&self.base, &mut base);
        values.copy_from_slice(&base);
        for (alpha, d) in self.parts.iter().filter(|(alpha, _)| *alpha != 0.0) {
            evaluate(d, &mut part);
            for (value, (part, base)) in values.iter_mut().zip(part.iter().zip(&base)) {
                *value += alpha * (part - base);
            }
        }
    }
}

/// A sliding motion.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sliding {
    pub boundaries: Vec<Boundary>,
    mixture: Mixture,
    /// The slopes of all switches for the base and for each part.
    slopes: Vec<Vec<f64>>,
    /// The boundaries in an order in which each depends on earlier ones only, with those it depends on.
    order: Vec<(usize, Vec<usize>)>,
}

impl Sliding {
    /// Adds a boundary.
    fn add(&mut self, boundary: Boundary, layout: &Layout) {
        let slopes = || vec![0.0; layout.switches.len()];
        self.boundaries.push(boundary);
        self.mixture.base = vec![0.0; layout.discrete()];
        self.mixture.parts = vec![(0.0, vec![0.0; layout.discrete()]); self.boundaries.len()];
        self.slopes = (0..=self.boundaries.len()).map(|_| slopes()).collect();
        self.order = (0..self.boundaries.len()).map(|i| (i, Vec::new())).collect();
    }

    fn remove(&mut self, index: usize) {
        self.boundaries.remove(index);
        self.mixture.parts.remove(index);
        self.slopes.pop();
        let without = |i: &usize| if *i > index { i - 1 } else { *i };
        self.order.retain(|(i, _)| *i != index);
        for (i, others) in &mut self.order {
            *i = without(i);
            others.retain(|other| *other != index);
            others.iter_mut().for_each(|other| *other = without(other));
        }
    }

    /// dg/dt above and below the boundary i, where the slopes were evaluated last, with the weights of `others`, the
    /// boundaries it depends on.
    fn both_slopes(&self, i: usize, others: &[usize]) -> (f64, f64) {
        let k = self.boundaries[i].switch;
        let base = self.slopes[0][k];
        let by_others: f64 = others.iter().map(|&j| self.mixture.parts[j].0 * (self.slopes[j + 1][k] - base)).sum();
        (self.slopes[i + 1][k] + by_others, base + by_others)
    }

    fn evaluate_slopes(&mut self, system: &mut dyn System, t: f64, y: &[f64], d: &[f64]) {
        let Mixture { base, parts } = &mut self.mixture;
        base.copy_from_slice(d);
        for boundary in &self.boundaries {
            base[boundary.switch] = boundary.below;
        }
        system.switch_slopes(t, y, base, &mut self.slopes[0]);
        for ((boundary, (_, d)), slopes) in self.boundaries.iter().zip(parts).zip(&mut self.slopes[1..]) {
            d.copy_from_slice(base);
            d[boundary.switch] = boundary.above;
            system.switch_slopes(t, y, d, slopes);
        }
    }

    /// The weight α of the side above each boundary, for which its g stays constant:
    ///
    /// ```text
    ///   f = α f⁺ + (1 − α) f⁻,   α g′⁺ + (1 − α) g′⁻ = 0,   0 ≤ α ≤ 1
    /// ```
    ///
    /// A. F. Filippov, Differential Equations with Discontinuous Righthand Sides, 1988, §4. Of several boundaries each has a
    /// weight of its own, because its slope depends on earlier ones only, whose weights are known then.
    fn weigh(&mut self, system: &mut dyn System, t: f64, y: &[f64], d: &[f64]) {
        self.evaluate_slopes(system, t, y, d);
        for index in 0..self.order.len() {
            let (i, others) = &self.order[index];
            let (up, down) = self.both_slopes(*i, others);
            // Inside a step just before the end of the sliding motion α may leave its interval a little; it must be
            // smooth there for the sake of the dense output, on which the end is located.
            self.mixture.parts[*i].0 = match (up.is_nan(), down.is_nan()) {
                // f of one side may not exist a little beyond the boundary.
                (true, false) => 0.0,
                (false, true) => 1.0,
                _ if down == up => 0.5,
                _ => down / (down - up),
            };
        }
    }

    /// Where f is taken instead of at y, if one side of a boundary is not defined there: on the boundary, to which the other side
    /// leads. The state is a little beside it by rounding and by what a method leaves, and the sides are mixed on it only: a root
    /// that comes to rest has no slope there, but draws to it at any speed from beside.
    fn on_boundary(&mut self, system: &mut dyn System, t: f64, y: &[f64], d: &[f64]) -> Option<Vec<f64>> {
        self.weigh(system, t, y, d);
        let one_sided = |(i, others): &&(usize, Vec<usize>)| {
            let (up, down) = self.both_slopes(*i, others);
            up.is_nan() != down.is_nan()
        };
        let (i, others) = self.order.iter().find(one_sided)?;
        let (up, down) = self.both_slopes(*i, others);
        let (slope, side) = if up.is_nan() { (down, &self.mixture.base) } else { (up, &self.mixture.parts[*i].1) };
        let boundary = self.boundaries[*i];
        let (mut g, mut f) = (vec![0.0; self.slopes[0].len()], vec![0.0; y.len()]);
        system.switch_values(t, y, side, &mut g);
        system.derivative(t, y, side, &mut f);
        let time = (boundary.level - g[boundary.switch]) / slope;
        (time > 0.0 && time.is_finite()).then(|| y.iter().zip(&f).map(|(y, f)| y + time * f).collect())
    }

    /// Finds which boundaries depend on which; returns whether they can be put in order, and act on slopes independently.
    fn find_order(&mut self, system: &mut dyn System, t: f64, y: &[f64], d: &[f64]) -> bool {
        self.evaluate_slopes(system, t, y, d);
        let count = self.boundaries.len();
        let switch = |i: usize| self.boundaries[i].switch;
        let change = |of: usize, by: usize| self.slopes[by + 1][switch(of)] - self.slopes[0][switch(of)];
        let small = |i: usize| 1e-9 * (self.slopes[0][switch(i)].abs() + self.slopes[i + 1][switch(i)].abs());
        let mut order: Vec<(usize, Vec<usize>)> = Vec::with_capacity(count);
        let mut left: Vec<usize> = (0..count).collect();
        while !left.is_empty() {
            let depends = |i: usize, j: usize| j != i && change(i, j).abs() > small(i);
            let Some(index) = left.iter().position(|&i| !left.iter().any(|&j| depends(i, j))) else { return false };
            let i = left.remove(index);
            order.push((i, (0..count).filter(|&j| depends(i, j)).collect()));
        }
        // With all modes above at once the changes must add up.
        let mut above = self.mixture.base.clone();
        for boundary in &self.boundaries {
            above[boundary.switch] = boundary.above;
        }
        let mut slopes = vec![0.0; self.slopes[0].len()];
        system.switch_slopes(t, y, &above, &mut slopes);
        let adds_up = |i: usize| {
            let sum: f64 = (0..count).map(|j| change(i, j)).sum();
            let difference = slopes[switch(i)] - self.slopes[0][switch(i)] - sum;
            difference.is_nan() || difference.abs() <= 10.0 * small(i)
        };
        let possible = (0..count).all(adds_up);
        self.order = order;
        possible
    }
}

/// The system while it slides.
struct Slide<'a> {
    system: &'a mut dyn System,
    sliding: &'a mut Sliding,
    extra_evaluations: &'a mut u64,
}

impl Slide<'_> {
    /// The weights depend on the state, so the variations have a part that no side has:
    ///
    /// ```text
    ///   V′ = V′ for constant α + Σ (fᵢ − f_base) dαᵢ/dq
    /// ```
    ///
    /// All solutions nearby stay on the boundary, so ∂g/∂y V + ∂g/∂q does not change, which determines dα/dq.
    fn vary_weights(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        let Layout { variations, switches, states, .. } = self.system.layout().clone();
        let Sliding { boundaries, mixture, slopes, order } = &*self.sliding;
        let mut rates = vec![0.0; variations.by * switches.len()];
        mixture.mix(&mut |d, rates| self.system.switch_variation_slopes(t, y, d, rates), &mut rates);
        let mut f = vec![vec![0.0; states]; 1 + boundaries.len()];
        let sides = std::iter::once(&mixture.base).chain(mixture.parts.iter().map(|(_, d)| d));
        f.iter_mut().zip(sides).for_each(|(f, d)| self.system.derivative(t, y, d, f));
        *self.extra_evaluations += f.len() as u64;
        let mut weights = vec![0.0; boundaries.len() * variations.by];
        for (i, others) in order {
            let k = boundaries[*i].switch;
            let gap = |j: usize| slopes[j + 1][k] - slopes[0][k];
            for q in 0..variations.by {
                let by_others: f64 = others.iter().map(|&j| weights[j * variations.by + q] * gap(j)).sum();
                let weight = -(rates[q * switches.len() + k] + by_others) / gap(*i);
                weights[i * variations.by + q] = if weight.is_finite() { weight } else { 0.0 };
            }
        }
        for &[v, of, q] in &variations.of {
            let change = |i: usize| weights[i * variations.by + q] * (f[i + 1][of] - f[0][of]);
            dy[v] += (0..boundaries.len()).map(change).sum::<f64>();
        }
    }
}

impl System for Slide<'_> {
    fn layout(&self) -> &Layout {
        self.system.layout()
    }

    fn derivative(&mut self, t: f64, y: &[f64], d: &[f64], dy: &mut [f64]) {
        let on_boundary = self.sliding.on_boundary(self.system, t, y, d);
        if let Some(y) = &on_boundary {
            self.sliding.weigh(self.system, t, y, d);
            *self.extra_evaluations += 1;
        }
        let y = on_boundary.as_deref().unwrap_or(y);
        self.sliding.mixture.mix(
            &mut |d, dy| {
                self.system.derivative(t, y, d, dy);
                *self.extra_evaluations += 1;
            },
            dy,
        );
        *self.extra_evaluations -= 1;
        if self.system.layout().variations.by > 0 {
            self.vary_weights(t, y, dy);
        }
    }

    fn refusal(&mut self) -> Option<Refusal> {
        self.system.refusal()
    }

    fn cost_of_f(&mut self) -> f64 {
        (1 + self.sliding.mixture.parts.len()) as f64 * self.system.cost_of_f()
    }

    fn history(&mut self) -> Option<&mut History> {
        self.system.history()
    }

    /// Mixed like f.
    fn delayed(&mut self, t: f64, y: &[f64], d: &[f64], z: &mut [f64]) {
        self.sliding.weigh(self.system, t, y, d);
        self.sliding.mixture.mix(&mut |d, z| self.system.delayed(t, y, d, z), z);
    }

    fn delayed_values(&mut self, t: f64, d: &[f64], w: &mut [f64]) {
        self.system.delayed_values(t, d, w);
    }

    fn switch_variations(&mut self, t: f64, y: &[f64], d: &[f64], values: &mut [f64]) {
        self.system.switch_variations(t, y, d, values);
    }

    fn switch_values(&mut self, t: f64, y: &[f64], d: &[f64], g: &mut [f64]) {
        self.system.switch_values(t, y, d, g);
    }

    fn switch_slopes(&mut self, t: f64, y: &[f64], d: &[f64], slope: &mut [f64]) {
        self.sliding.weigh(self.system, t, y, d);
        let (base, above) = self.sliding.slopes.split_first().expect("the slopes of the base come first");
        slope.copy_from_slice(base);
        let weights = self.sliding.mixture.parts.iter().map(|(alpha, _)| *alpha);
        for (alpha, above) in weights.zip(above).filter(|(alpha, _)| *alpha != 0.0) {
            for (slope, (above, base)) in slope.iter_mut().zip(above.iter().zip(base)) {
                *slope += alpha * (above - base);
            }
        }
    }
}

/// A system and the way it is followed at the moment.
pub(crate) struct Flow<'a> {
    pub system: &'a mut dyn System,
    pub sliding: Option<Sliding>,
    /// What keeps it on its algebraic equations and invariants, if it has such.
    pub consistency: Option<Box<ConstraintSolver>>,
    /// Evaluations of f that the methods do not see.
    pub extra_evaluations: u64,
}

impl<'a> Flow<'a> {
    pub fn new(system: &'a mut dyn System, consistency: Option<Box<ConstraintSolver>>) -> Flow<'a> {
        Flow { system, sliding: None, consistency, extra_evaluations: 0 }
    }

    /// Does `work` with the system to be integrated: the given one itself unless it slides or has algebraic states.
    #[inline]
    pub fn with<R>(&mut self, work: impl FnOnce(&mut dyn System) -> R) -> R {
        match (&mut self.sliding, &mut self.consistency) {
            (None, None) => work(self.system),
            (None, Some(consistency)) => work(&mut EliminatedSystem { system: self.system, consistency }),
            (Some(sliding), None) => {
                let extra_evaluations = &mut self.extra_evaluations;
                work(&mut Slide { system: self.system, sliding, extra_evaluations })
            }
            (Some(sliding), Some(consistency)) => {
                let extra_evaluations = &mut self.extra_evaluations;
                let system = &mut EliminatedSystem { system: self.system, consistency };
                work(&mut Slide { system, sliding, extra_evaluations })
            }
        }
    }

    /// Does `work` with the system for given modes: not sliding, but with its algebraic states solved for.
    #[inline]
    pub fn resolved<R>(&mut self, work: impl FnOnce(&mut dyn System, Option<&mut Sliding>) -> R) -> R {
        let sliding = self.sliding.as_mut();
        match &mut self.consistency {
            None => work(self.system, sliding),
            Some(consistency) => work(&mut EliminatedSystem { system: self.system, consistency }, sliding),
        }
    }

    /// g of every switch, the state being on its equations.
    pub fn switch_values(&mut self, t: f64, y: &[f64], d: &[f64], g: &mut [f64]) {
        self.resolved(|system, _| system.switch_values(t, y, d, g));
    }

    /// g of every switch and its slope for given modes, the state staying where it is but for what is algebraic.
    pub fn switches_here(&mut self, t: f64, y: &[f64], d: &[f64], g: &mut [f64], slopes: &mut [f64]) {
        let mut y = y.to_vec();
        if let Some(consistency) = &mut self.consistency
            && consistency.resolve(self.system, t, &mut y, d).is_err()
        {
            return g.fill(f64::NAN);
        }
        self.system.switch_values(t, &y, d, g);
        self.system.switch_slopes(t, &y, d, slopes);
    }

    /// Takes y back onto the algebraic equations and the invariants; returns by how many tolerances it moved.
    pub fn restore(&mut self, t: f64, y: &mut [f64], d: &[f64]) -> Result<f64, StepFailure> {
        if self.consistency.is_none() {
            return Ok(0.0);
        }
        let mixture = self.mixture(t, y, d).cloned();
        let Some(consistency) = &mut self.consistency else { return Ok(0.0) };
        let Some(mixture) = mixture else { return consistency.restore(self.system, t, y, d, true) };
        // Each side has algebraic states of its own: they are mixed like f.
        let (before, mut result) = (y.to_vec(), Ok(0.0));
        let mut one_side = |d: &[f64], values: &mut [f64]| {
            values.copy_from_slice(&before);
            match (consistency.restore(self.system, t, values, d, false), &mut result) {
                (Ok(moved), Ok(most)) => *most = moved.max(*most),
                (Err(failure), _) => result = Err(failure),
                (Ok(_), Err(_)) => {}
            }
        };
        mixture.mix(&mut one_side, y);
        result
    }

    /// Whether the algebraic states at the end of a step continue those at its beginning; for steps of given length.
    pub fn continues(
        &mut self,
        from: (f64, &[f64]),
        to: (f64, &[f64]),
        d: &[f64],
        suspicious: bool,
    ) -> Result<(), StepFailure> {
        match &mut self.consistency {
            Some(consistency) if self.sliding.is_none() => consistency.continues(self.system, from, to, d, suspicious),
            _ => Ok(()),
        }
    }

    /// An event changed d, or y, of which an action `assigned` some states: what follows from others follows again.
    pub fn refresh(&mut self, t: f64, y: &mut [f64], d: &mut [f64], assigned: Option<&[bool]>) -> Result<(), Reason> {
        let below = assigned.and_then(|_| self.mixture(t, y, d)).map(|mixture| mixture.base.clone());
        let Some(consistency) = &mut self.consistency else { return Ok(()) };
        if let (Some(assigned), Some(below)) = (assigned, &below) {
            consistency.settle(self.system, t, y, below, assigned)?;
        }
        if self.sliding.is_some() {
            return self.restore(t, y, d).map(|_| ()).map_err(|failure| failure.without_step(t));
        }
        let given = y.to_vec();
        let settled = match assigned {
            Some(assigned) => consistency.settle(self.system, t, y, d, assigned),
            None => consistency.adapt(self.system, t, y, d),
        };
        settled.or_else(|reason| {
            y.copy_from_slice(&given);
            match consistency.change_sides(self.system, &mut Place { t, y, d }, &[]) {
                true => {
                    consistency.found = None;
                    Ok(())
                }
                false => Err(reason),
            }
        })
    }

    /// A constraint that jumps between a state with its modes before and now: its place and by how much it is violated. While it
    /// slides, that of every side must hold.
    pub fn jumps(&mut self, t: f64, before: (&[f64], &[f64]), now: (&[f64], &[f64])) -> Option<(usize, f64)> {
        self.consistency.as_ref()?;
        let sides: Vec<Vec<f64>> = match self.mixture(t, now.0, now.1) {
            None => vec![now.1.to_vec()],
            Some(mixture) => {
                std::iter::once(&mixture.base).chain(mixture.parts.iter().map(|(_, d)| d)).cloned().collect()
            }
        };
        let consistency = self.consistency.as_mut()?;
        sides.iter().find_map(|d| consistency.jumps(self.system, t, before, (now.0, d)))
    }

    /// Changes modes that leave the algebraic states no solution near, but those of switches that are held on a boundary;
    /// returns whether it did.
    pub fn change_sides(&mut self, t: f64, y: &mut [f64], d: &mut [f64], held: &[usize]) -> bool {
        match &mut self.consistency {
            Some(consistency) if self.sliding.is_none() => {
                consistency.change_sides(self.system, &mut Place { t, y, d }, held)
            }
            _ => false,
        }
    }

    /// The boundaries along which it slides.
    pub fn boundaries(&self) -> &[Boundary] {
        self.sliding.as_ref().map_or(&[], |sliding| &sliding.boundaries)
    }

    /// Slides along this boundary, too; returns whether that is possible together with the others.
    pub fn slide(&mut self, boundary: Boundary, t: f64, y: &[f64], d: &[f64]) -> bool {
        let layout = self.system.layout();
        let sliding = self.sliding.get_or_insert_default();
        sliding.add(boundary, layout);
        let possible = self.resolved(|system, sliding| {
            sliding.is_some_and(|sliding| sliding.boundaries.len() == 1 || sliding.find_order(system, t, y, d))
        });
        if !possible {
            self.stop_sliding(boundary.switch);
        }
        possible
    }

    /// Ends the motion along the boundary of a switch, if there is one.
    pub fn stop_sliding(&mut self, switch: usize) {
        let Some(sliding) = &mut self.sliding else { return };
        if let Some(index) = sliding.boundaries.iter().position(|boundary| boundary.switch == switch) {
            sliding.remove(index);
        }
        if sliding.boundaries.is_empty() {
            self.sliding = None;
        }
    }

    /// dg/dt above and below the boundary of each switch that slides.
    pub fn side_slopes(&mut self, t: f64, y: &[f64], d: &[f64], up: &mut [f64], down: &mut [f64]) {
        self.resolved(|system, sliding| {
            let Some(sliding) = sliding else { return };
            sliding.weigh(system, t, y, d);
            for (i, others) in &sliding.order {
                let switch = sliding.boundaries[*i].switch;
                (up[switch], down[switch]) = sliding.both_slopes(*i, others);
            }
        });
    }

    /// The mixture at a point, if it slides.
    pub fn mixture(&mut self, t: f64, y: &[f64], d: &[f64]) -> Option<&Mixture> {
        self.resolved(|system, sliding| sliding.map(|sliding| sliding.weigh(system, t, y, d)));
        self.sliding.as_ref().map(|sliding| &sliding.mixture)
    }
}
