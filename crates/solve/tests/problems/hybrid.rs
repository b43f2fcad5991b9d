//! Systems with switches, conditions and actions, put together from closures.

use ordinate_solve::{Layout, Reaction, Sampled, Switch, SwitchKind, System};

type Derivative = Box<dyn Fn(f64, &[f64], &[f64], &mut [f64])>;
type Value = Box<dyn Fn(f64, &[f64], &[f64]) -> f64>;
type Slope = Box<dyn Fn(f64, &[f64], &[f64]) -> f64>;
type Condition = Box<dyn Fn(&[f64]) -> bool>;
type Action = Box<dyn Fn(f64, &[f64], &[f64], &mut [f64], &mut [f64])>;

/// A system made of closures.
pub struct Hybrid {
    layout: Layout,
    f: Derivative,
    /// g(t, y, d) and its slope (t, y, y′), one pair per switch.
    switches: Vec<(Value, Slope)>,
    /// The breakpoints of each switch of time alone, empty for the others.
    breakpoints: Vec<Vec<f64>>,
    conditions: Vec<Condition>,
    actions: Vec<Action>,
    dy: Vec<f64>,
}

impl Hybrid {
    pub fn new(states: usize, f: impl Fn(f64, &[f64], &[f64], &mut [f64]) + 'static) -> Hybrid {
        Hybrid {
            layout: Layout { states, ..Layout::default() },
            f: Box::new(f),
            switches: vec![],
            breakpoints: vec![],
            conditions: vec![],
            actions: vec![],
            dy: vec![0.0; states],
        }
    }

    pub fn held(mut self, held: usize) -> Hybrid {
        self.layout.held = held;
        self
    }

    fn switch(mut self, switch: Switch, g: Value, slope: Slope, breakpoints: Vec<f64>) -> Hybrid {
        self.layout.switches.push(switch);
        self.switches.push((g, slope));
        self.breakpoints.push(breakpoints);
        self
    }

    /// A switch whose mode is the sign of g; `slope` gets t, y and y′.
    pub fn sign(
        self,
        g: impl Fn(f64, &[f64], &[f64]) -> f64 + 'static,
        slope: impl Fn(f64, &[f64], &[f64]) -> f64 + 'static,
    ) -> Hybrid {
        let switch = Switch { kind: SwitchKind::Sign, of_time: false };
        self.switch(switch, Box::new(g), Box::new(slope), vec![])
    }

    /// A switch whose mode is ⌊g⌋.
    pub fn floor(
        self,
        g: impl Fn(f64, &[f64], &[f64]) -> f64 + 'static,
        slope: impl Fn(f64, &[f64], &[f64]) -> f64 + 'static,
    ) -> Hybrid {
        let switch = Switch { kind: SwitchKind::Floor, of_time: false };
        self.switch(switch, Box::new(g), Box::new(slope), vec![])
    }

    /// A table whose mode is the number of breakpoints not later than t.
    pub fn table(self, breakpoints: Vec<f64>) -> Hybrid {
        let switch = Switch { kind: SwitchKind::Segment, of_time: true };
        self.switch(switch, Box::new(|t, _, _| t), Box::new(|_, _, _| 1.0), breakpoints)
    }

    /// A switch whose mode is the sign of t − level.
    pub fn sign_of_time(self, level: f64) -> Hybrid {
        let switch = Switch { kind: SwitchKind::Sign, of_time: true };
        self.switch(switch, Box::new(move |t, _, _| t - level), Box::new(|_, _, _| 1.0), vec![level])
    }

    fn action(&mut self, action: impl Fn(f64, &[f64], &[f64], &mut [f64], &mut [f64]) + 'static) -> usize {
        self.actions.push(Box::new(action));
        self.actions.len() - 1
    }

    pub fn when(
        mut self,
        condition: impl Fn(&[f64]) -> bool + 'static,
        action: impl Fn(f64, &[f64], &[f64], &mut [f64], &mut [f64]) + 'static,
    ) -> Hybrid {
        let action = self.action(action);
        self.conditions.push(Box::new(condition));
        self.layout.conditions.push(Reaction::Act(action));
        self
    }

    pub fn stop_when(mut self, condition: impl Fn(&[f64]) -> bool + 'static) -> Hybrid {
        self.conditions.push(Box::new(condition));
        self.layout.conditions.push(Reaction::Stop);
        self
    }

    pub fn every(
        mut self,
        period: f64,
        action: impl Fn(f64, &[f64], &[f64], &mut [f64], &mut [f64]) + 'static,
    ) -> Hybrid {
        let action = self.action(action);
        self.layout.sampled.push(Sampled { period, action });
        self
    }
}

impl System for Hybrid {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn derivative(&mut self, t: f64, y: &[f64], d: &[f64], dy: &mut [f64]) {
        (self.f)(t, y, d, dy);
    }

    fn switch_values(&mut self, t: f64, y: &[f64], d: &[f64], g: &mut [f64]) {
        for (g, (value, _)) in g.iter_mut().zip(&self.switches) {
            *g = value(t, y, d);
        }
    }

    fn switch_slopes(&mut self, t: f64, y: &[f64], d: &[f64], slope: &mut [f64]) {
        (self.f)(t, y, d, &mut self.dy);
        for (slope, (_, value)) in slope.iter_mut().zip(&self.switches) {
            *slope = value(t, y, &self.dy);
        }
    }

    fn next_crossing(&mut self, switch: usize, after: f64, until: f64) -> Option<f64> {
        self.breakpoints[switch].iter().copied().find(|&t| t > after && t <= until)
    }

    fn mode_from(&mut self, switch: usize, t: f64) -> f64 {
        let passed = self.breakpoints[switch].iter().filter(|&&breakpoint| breakpoint <= t).count() as f64;
        if self.layout.switches[switch].kind == SwitchKind::Sign { 2.0 * passed - 1.0 } else { passed }
    }

    fn conditions(&mut self, d: &[f64], truth: &mut [bool]) {
        for (truth, condition) in truth.iter_mut().zip(&self.conditions) {
            *truth = condition(d);
        }
    }

    fn act(&mut self, action: usize, t: f64, y: &[f64], d: &[f64], new_y: &mut [f64], new_d: &mut [f64]) {
        (self.actions[action])(t, y, d, new_y, new_d);
    }

    /// What stays zero whatever was there before, or one, is written by the action.
    fn assigned(&self, action: usize) -> Vec<usize> {
        let (y, d) = (vec![0.5; self.layout.states], vec![0.5; self.layout.discrete()]);
        let written = |before: f64| {
            let mut new_y = vec![before; y.len()];
            (self.actions[action])(0.0, &y, &d, &mut new_y, &mut d.clone());
            new_y
        };
        let (zeros, ones) = (written(0.0), written(1.0));
        (0..y.len()).filter(|&k| zeros[k] == ones[k]).collect()
    }
}

/// A ball above a floor at height `floor`: y = (height, speed), restitution `e`, g = 9.81.
pub fn ball(floor: f64, e: f64) -> Hybrid {
    Hybrid::new(2, |_, y, _, dy| {
        dy[0] = y[1];
        dy[1] = -9.81;
    })
    .sign(move |_, y, _| y[0] - floor, |_, _, dy| dy[0])
    .when(|d| d[0] < 0.0, move |_, y, _, new_y, _| new_y[1] = -e * y[1])
}

/// y′ = −sign(y) + push(t).
pub fn friction(push: fn(f64) -> f64) -> Hybrid {
    Hybrid::new(1, move |t, _, d, dy| dy[0] = push(t) - d[0]).sign(|_, y, _| y[0], |_, _, dy| dy[0])
}
