//! Systems with Jacobians: stiff ones, and those with algebraic equations.

use std::sync::Arc;

use ordinate_solve::{Layout, Pattern, System};

/// y′ = f(t, y) and 0 = g(t, y) with its Jacobian by rows, all given as closures.
pub struct Dae<F, J> {
    pub layout: Layout,
    f: F,
    jacobian: J,
    pattern: Arc<Pattern>,
}

impl<F: FnMut(f64, &[f64], &mut [f64]), J: FnMut(f64, &[f64], &mut [f64])> Dae<F, J> {
    /// All n² elements of the Jacobian are given, row by row; the last `algebraic` states are algebraic.
    pub fn new(states: usize, algebraic: usize, f: F, jacobian: J) -> Dae<F, J> {
        let layout = Layout { states, algebraic, ..Layout::default() };
        Dae { layout, f, jacobian, pattern: Arc::new(Pattern::dense(states)) }
    }

    /// The same, of higher index.
    pub fn with_indices(mut self, indices: &[u8]) -> Dae<F, J> {
        self.layout.indices = indices.to_vec();
        self
    }
}

impl<F: FnMut(f64, &[f64], &mut [f64]), J: FnMut(f64, &[f64], &mut [f64])> System for Dae<F, J> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn derivative(&mut self, t: f64, y: &[f64], _d: &[f64], dy: &mut [f64]) {
        (self.f)(t, y, dy);
    }

    fn jacobian_pattern(&mut self) -> Option<Arc<Pattern>> {
        Some(self.pattern.clone())
    }

    fn jacobian(&mut self, t: f64, y: &[f64], _d: &[f64], values: &mut [f64]) {
        (self.jacobian)(t, y, values);
    }
}

/// x′ = −x³
pub fn cubic() -> Dae<impl FnMut(f64, &[f64], &mut [f64]), impl FnMut(f64, &[f64], &mut [f64])> {
    Dae::new(1, 0, |_, y, dy| dy[0] = -y[0].powi(3), |_, y, j| j[0] = -3.0 * y[0] * y[0])
}
