//! Systems with algebraic states and invariants, put together from closures.

use std::sync::Arc;

use super::hybrid::Hybrid;
use ordinate_linalg::Pattern;
use ordinate_solve::{Layout, System};

type Values = Box<dyn Fn(f64, &[f64], &mut [f64])>;

/// A [`Hybrid`] with algebraic states, or invariants, or both. Derivatives are full matrices by rows.
pub struct Constrained {
    hybrid: Hybrid,
    layout: Layout,
    jacobian: Option<Values>,
    invariants: Option<[Values; 2]>,
}

impl Constrained {
    pub fn new(hybrid: Hybrid) -> Constrained {
        Constrained { layout: hybrid.layout().clone(), hybrid, jacobian: None, invariants: None }
    }

    /// The last states are algebraic; with the Jacobian of all.
    pub fn algebraic(mut self, count: usize, jacobian: impl Fn(f64, &[f64], &mut [f64]) + 'static) -> Constrained {
        self.layout.algebraic = count;
        self.jacobian = Some(Box::new(jacobian));
        self
    }

    /// What is kept at zero, and its derivatives.
    pub fn invariants(
        mut self,
        count: usize,
        values: impl Fn(f64, &[f64], &mut [f64]) + 'static,
        derivatives: impl Fn(f64, &[f64], &mut [f64]) + 'static,
    ) -> Constrained {
        self.layout.invariants = count;
        self.invariants = Some([Box::new(values), Box::new(derivatives)]);
        self
    }

    /// For each state the state that its derivative is.
    pub fn velocities(mut self, velocity: Vec<Option<u32>>) -> Constrained {
        self.layout.velocity = velocity;
        self
    }

    fn full(rows: usize, columns: usize) -> Arc<Pattern> {
        let all = (0..rows as u32).flat_map(|i| (0..columns as u32).map(move |j| (i, j)));
        Arc::new(Pattern::from_elements(rows, all))
    }
}

impl System for Constrained {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn derivative(&mut self, t: f64, y: &[f64], d: &[f64], dy: &mut [f64]) {
        self.hybrid.derivative(t, y, d, dy);
    }

    fn switch_values(&mut self, t: f64, y: &[f64], d: &[f64], g: &mut [f64]) {
        self.hybrid.switch_values(t, y, d, g);
    }

    fn switch_slopes(&mut self, t: f64, y: &[f64], d: &[f64], slope: &mut [f64]) {
        self.hybrid.switch_slopes(t, y, d, slope);
    }

    fn conditions(&mut self, d: &[f64], truth: &mut [bool]) {
        self.hybrid.conditions(d, truth);
    }

    fn act(&mut self, action: usize, t: f64, y: &[f64], d: &[f64], new_y: &mut [f64], new_d: &mut [f64]) {
        self.hybrid.act(action, t, y, d, new_y, new_d);
    }

    fn assigned(&self, action: usize) -> Vec<usize> {
        self.hybrid.assigned(action)
    }

    fn jacobian_pattern(&mut self) -> Option<Arc<Pattern>> {
        self.jacobian.as_ref().map(|_| Constrained::full(self.layout.states, self.layout.states))
    }

    fn jacobian(&mut self, t: f64, y: &[f64], _d: &[f64], values: &mut [f64]) {
        self.jacobian.as_ref().expect("asked for where there is one")(t, y, values);
    }

    fn invariants(&mut self, t: f64, y: &[f64], _d: &[f64], values: &mut [f64]) {
        self.invariants.as_ref().expect("asked for where there are some")[0](t, y, values);
    }

    fn invariants_pattern(&mut self) -> Option<Arc<Pattern>> {
        self.invariants.as_ref().map(|_| Constrained::full(self.layout.invariants, self.layout.states))
    }

    fn invariants_jacobian(&mut self, t: f64, y: &[f64], _d: &[f64], values: &mut [f64]) {
        self.invariants.as_ref().expect("asked for where there are some")[1](t, y, values);
    }
}

/// Standard gravity as the golden pendulum has it.
pub const GRAVITY: f64 = 9.81;

/// The pendulum of length 1 in Cartesian coordinates (x, y, x′, y′), y downwards, without its force of constraint: what
/// index reduction makes of x″ = −2λx, y″ = −2λy + g, x² + y² = 1, with 2λ = (x′² + y′² + g y)/(x² + y²).
pub fn pendulum_motion(y: &[f64], dy: &mut [f64]) {
    let [x, y, u, v] = [y[0], y[1], y[2], y[3]];
    let force = (u * u + v * v + GRAVITY * y) / (x * x + y * y);
    dy.copy_from_slice(&[u, v, -force * x, -force * y + GRAVITY]);
}

/// [`pendulum_motion`] with the constraint and its derivative as invariants.
pub fn pendulum(hybrid: Hybrid) -> Constrained {
    let velocity = vec![Some(2), Some(3), None, None];
    Constrained::new(hybrid).velocities(velocity).invariants(
        2,
        |_, y, e| {
            e[0] = y[0] * y[0] + y[1] * y[1] - 1.0;
            e[1] = y[0] * y[2] + y[1] * y[3];
        },
        |_, y, g| g.copy_from_slice(&[2.0 * y[0], 2.0 * y[1], 0.0, 0.0, y[2], y[3], y[0], y[1]]),
    )
}

/// x′ = −z, 0 = z³ + z − x: index 1, z has no simple formula. Along the solution 1.5 z² + ln z = C − t.
pub fn cubic(hybrid: Hybrid) -> Constrained {
    Constrained::new(hybrid).algebraic(1, |_, y, j| j.copy_from_slice(&[0.0, -1.0, -1.0, 3.0 * y[1] * y[1] + 1.0]))
}

/// The right-hand side and residual of [`cubic`].
pub fn cubic_motion(y: &[f64], dy: &mut [f64]) {
    dy[0] = -y[1];
    dy[1] = y[1].powi(3) + y[1] - y[0];
}
