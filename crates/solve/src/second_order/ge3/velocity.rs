//! x″ + B x′ = f(x, t) made velocity-free, so that GE3 can solve it: ξ = exp(Bt/2) x.

use std::sync::Arc;

use crate::{Layout, System};
use ordinate_linalg::Pattern;

/// Writes f(t, x), or its derivatives.
type Force = Box<dyn FnMut(f64, &[f64], &mut [f64])>;

/// x″ + B x′ = f(x, t) with a diagonal B, as the velocity-free system of ξ = exp(Bt/2) x. Because B commutes with its
/// exponential,
///
/// ```text
///   ξ″ = B²/4 ξ + exp(Bt/2) f(exp(−Bt/2) ξ, t)
/// ```
///
/// Cellier, Numerical Simulation of Dynamic Systems IX, Linear Velocity Models; B = M⁻¹C of M x″ + C x′ + K x = F. The
/// states are all ξ, then all ξ′. The price is named there, too: ξ grows by exp(Bt/2), and with it its errors, where the
/// solution x does not. With B = 0 this is x″ = f(x, t) itself.
pub struct LinearVelocity {
    layout: Layout,
    pattern: Arc<Pattern>,
    /// The elements of ∂f/∂x, and where they and the other elements stand in the pattern of the whole.
    elements: Vec<(u32, u32)>,
    places: Vec<usize>,
    slopes: Vec<usize>,
    diagonal: Vec<usize>,
    b: Vec<f64>,
    force: Force,
    jacobian: Force,
    x: Vec<f64>,
    values: Vec<f64>,
}

impl LinearVelocity {
    /// The system with the diagonal `b` and the force f(t, x); ∂f/∂x has this pattern, and `jacobian` writes its elements.
    pub fn new(
        b: &[f64],
        pattern: &Pattern,
        force: impl FnMut(f64, &[f64], &mut [f64]) + 'static,
        jacobian: impl FnMut(f64, &[f64], &mut [f64]) + 'static,
    ) -> LinearVelocity {
        let n = b.len() as u32;
        assert_eq!(pattern.n, b.len(), "one row for each x");
        let own = (0..n).flat_map(|i| [(i, n + i), (n + i, i)]);
        let of_force: Vec<(u32, u32)> = pattern.elements().map(|(i, j)| (n + i, j)).collect();
        let whole = Pattern::from_elements(2 * b.len(), own.chain(of_force.iter().copied()));
        let place = |(i, j): (u32, u32)| whole.place(i as usize, j as usize).expect("the pattern was made of it");
        LinearVelocity {
            layout: Layout {
                states: 2 * b.len(),
                velocity: (n..2 * n).map(Some).chain((0..n).map(|_| None)).collect(),
                ..Layout::default()
            },
            elements: pattern.elements().collect(),
            places: of_force.into_iter().map(place).collect(),
            slopes: (0..n).map(|i| place((i, n + i))).collect(),
            diagonal: (0..n).map(|i| place((n + i, i))).collect(),
            b: b.to_vec(),
            force: Box::new(force),
            jacobian: Box::new(jacobian),
            x: vec![0.0; b.len()],
            values: vec![0.0; pattern.len()],
            pattern: Arc::new(whole),
        }
    }

    fn find_x(&mut self, t: f64, xi: &[f64]) {
        for ((x, xi), b) in self.x.iter_mut().zip(xi).zip(&self.b) {
            *x = (-0.5 * b * t).exp() * xi;
        }
    }

    /// ξ and ξ′ from x and x′.
    pub fn transformed(&self, t: f64, y: &[f64]) -> Vec<f64> {
        let n = self.b.len();
        let growth = |i: usize| (0.5 * self.b[i] * t).exp();
        let xi = (0..n).map(|i| growth(i) * y[i]);
        let slopes = (0..n).map(|i| growth(i) * (y[n + i] + 0.5 * self.b[i] * y[i]));
        xi.chain(slopes).collect()
    }

    /// x and x′ from ξ and ξ′.
    pub fn original(&self, t: f64, y: &[f64]) -> Vec<f64> {
        let n = self.b.len();
        let decay = |i: usize| (-0.5 * self.b[i] * t).exp();
        let x = (0..n).map(|i| decay(i) * y[i]);
        let slopes = (0..n).map(|i| decay(i) * (y[n + i] - 0.5 * self.b[i] * y[i]));
        x.chain(slopes).collect()
    }
}

impl System for LinearVelocity {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn derivative(&mut self, t: f64, y: &[f64], _d: &[f64], dy: &mut [f64]) {
        let n = self.b.len();
        let (slopes, accelerations) = dy.split_at_mut(n);
        slopes.copy_from_slice(&y[n..]);
        self.find_x(t, y);
        (self.force)(t, &self.x, accelerations);
        for ((a, xi), b) in accelerations.iter_mut().zip(y).zip(&self.b) {
            *a = 0.25 * b * b * xi + (0.5 * b * t).exp() * *a;
        }
    }

    fn jacobian_pattern(&mut self) -> Option<Arc<Pattern>> {
        Some(self.pattern.clone())
    }

    fn jacobian(&mut self, t: f64, y: &[f64], _d: &[f64], values: &mut [f64]) {
        values.fill(0.0);
        self.slopes.iter().for_each(|&place| values[place] = 1.0);
        self.diagonal.iter().zip(&self.b).for_each(|(&place, b)| values[place] = 0.25 * b * b);
        self.find_x(t, y);
        (self.jacobian)(t, &self.x, &mut self.values);
        for ((&(i, j), &place), value) in self.elements.iter().zip(&self.places).zip(&self.values) {
            values[place] += (0.5 * (self.b[i as usize] - self.b[j as usize]) * t).exp() * value;
        }
    }
}
