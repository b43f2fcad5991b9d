//! Motion along the boundary of a switch towards which both sides point: Filippov's convex combination.

use crate::{Layout, System};

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

/// The memory of a sliding motion.
#[derive(Clone, Debug)]
pub(crate) struct Sliding {
    pub boundary: Boundary,
    d: Vec<f64>,
    f: Vec<f64>,
    slopes: [Vec<f64>; 2],
    /// Evaluations of f beyond one per call.
    pub extra_evaluations: u64,
}

impl Sliding {
    pub fn new(boundary: Boundary, layout: &Layout) -> Sliding {
        let slopes = vec![0.0; layout.switches.len()];
        Sliding {
            boundary,
            d: vec![0.0; layout.discrete()],
            f: vec![0.0; layout.states],
            slopes: [slopes.clone(), slopes],
            extra_evaluations: 0,
        }
    }

    /// dg/dt above and below the boundary.
    pub fn both_slopes(&mut self, system: &mut dyn System, t: f64, y: &[f64], d: &[f64]) -> (f64, f64) {
        let Boundary { switch, above, below, .. } = self.boundary;
        self.d.copy_from_slice(d);
        for (slopes, mode) in self.slopes.iter_mut().zip([above, below]) {
            self.d[switch] = mode;
            system.switch_slopes(t, y, &self.d, slopes);
        }
        (self.slopes[0][switch], self.slopes[1][switch])
    }

    /// The weight α of the side above, for which g stays constant:
    ///
    /// ```text
    ///   f = α f⁺ + (1 − α) f⁻,   α g′⁺ + (1 − α) g′⁻ = 0,   0 ≤ α ≤ 1
    /// ```
    ///
    /// A. F. Filippov, Differential Equations with Discontinuous Righthand Sides, 1988, §4.
    fn weight(&mut self, system: &mut dyn System, t: f64, y: &[f64], d: &[f64]) -> f64 {
        let (up, down) = self.both_slopes(system, t, y, d);
        // Inside a step just before the end of the sliding motion α may leave its interval a little; it must be
        // smooth there for the sake of the dense output, on which the end is located.
        match (up.is_nan(), down.is_nan()) {
            // f of one side may not exist a little beyond the boundary.
            (true, false) => 0.0,
            (false, true) => 1.0,
            _ if down == up => 0.5,
            _ => down / (down - up),
        }
    }
}

/// The system while it slides.
struct Slide<'a> {
    system: &'a mut dyn System,
    sliding: &'a mut Sliding,
}

impl System for Slide<'_> {
    fn layout(&self) -> &Layout {
        self.system.layout()
    }

    fn derivative(&mut self, t: f64, y: &[f64], d: &[f64], dy: &mut [f64]) {
        let alpha = self.sliding.weight(self.system, t, y, d);
        let Boundary { switch, above, below, .. } = self.sliding.boundary;
        if alpha != 0.0 {
            self.sliding.d[switch] = above;
            self.system.derivative(t, y, &self.sliding.d, dy);
        }
        if alpha == 1.0 {
            return;
        }
        self.sliding.d[switch] = below;
        self.system.derivative(t, y, &self.sliding.d, &mut self.sliding.f);
        self.sliding.extra_evaluations += 1;
        for (dy, below) in dy.iter_mut().zip(&self.sliding.f) {
            *dy = if alpha == 0.0 { *below } else { alpha * *dy + (1.0 - alpha) * below };
        }
    }

    fn switch_values(&mut self, t: f64, y: &[f64], d: &[f64], g: &mut [f64]) {
        self.system.switch_values(t, y, d, g);
    }

    fn switch_slopes(&mut self, t: f64, y: &[f64], d: &[f64], slope: &mut [f64]) {
        let alpha = self.sliding.weight(self.system, t, y, d);
        for (slope, (up, down)) in slope.iter_mut().zip(self.sliding.slopes[0].iter().zip(&self.sliding.slopes[1])) {
            *slope = alpha * up + (1.0 - alpha) * down;
        }
    }
}

/// A system and the way it is followed at the moment.
pub(crate) struct Flow<'a> {
    pub system: &'a mut dyn System,
    pub sliding: Option<Sliding>,
    /// Extra evaluations of sliding motions that ended.
    past_evaluations: u64,
}

impl<'a> Flow<'a> {
    pub fn new(system: &'a mut dyn System) -> Flow<'a> {
        Flow { system, sliding: None, past_evaluations: 0 }
    }

    /// Does `work` with the system to be integrated: the given one itself unless it slides.
    #[inline]
    pub fn with<R>(&mut self, work: impl FnOnce(&mut dyn System) -> R) -> R {
        match &mut self.sliding {
            None => work(self.system),
            Some(sliding) => work(&mut Slide { system: self.system, sliding }),
        }
    }

    pub fn slide(&mut self, boundary: Option<Boundary>) {
        self.past_evaluations = self.extra_evaluations();
        self.sliding = boundary.map(|boundary| Sliding::new(boundary, self.system.layout()));
    }

    /// Evaluations of f that the methods do not see.
    pub fn extra_evaluations(&self) -> u64 {
        self.past_evaluations + self.sliding.as_ref().map_or(0, |sliding| sliding.extra_evaluations)
    }
}
