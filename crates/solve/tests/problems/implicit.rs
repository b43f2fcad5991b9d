//! Systems with Jacobians: stiff ones, and those with algebraic equations.

use std::sync::Arc;

use ordinate_linalg::Pattern;
use ordinate_solve::{Layout, System};

/// A function of t and y that writes its values.
type Function = Box<dyn FnMut(f64, &[f64], &mut [f64])>;

/// y′ = f(t, y) and 0 = g(t, y) with its Jacobian by rows, all given as closures.
pub struct Dae {
    pub layout: Layout,
    f: Function,
    jacobian: Function,
    pattern: Arc<Pattern>,
}

impl Dae {
    /// All n² elements of the Jacobian are given, row by row; the last `algebraic` states are algebraic.
    pub fn new(
        states: usize,
        algebraic: usize,
        f: impl FnMut(f64, &[f64], &mut [f64]) + 'static,
        jacobian: impl FnMut(f64, &[f64], &mut [f64]) + 'static,
    ) -> Dae {
        let layout = Layout { states, algebraic, ..Layout::default() };
        Dae { layout, f: Box::new(f), jacobian: Box::new(jacobian), pattern: Arc::new(Pattern::dense(states)) }
    }

    /// The same, of higher index.
    pub fn with_indices(mut self, indices: &[u8]) -> Dae {
        self.layout.indices = indices.to_vec();
        self
    }
}

impl System for Dae {
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
pub fn cubic() -> Dae {
    Dae::new(1, 0, |_, y, dy| dy[0] = -y[0].powi(3), |_, y, j| j[0] = -3.0 * y[0] * y[0])
}

/// The autocatalytic reaction of Robertson, 1966: Hairer, Wanner II, IV.1, eq. (1.4).
pub fn robertson() -> Dae {
    Dae::new(3, 0, robertson_f, |_, y, j| {
        robertson_rows(y, j);
        j[6..].copy_from_slice(&[0.0, 6e7 * y[1], 0.0]);
    })
}

/// The same with the conservation of mass instead of the last equation.
pub fn robertson_dae() -> Dae {
    let f = |t: f64, y: &[f64], f: &mut [f64]| {
        robertson_f(t, y, f);
        f[2] = y[0] + y[1] + y[2] - 1.0;
    };
    Dae::new(3, 1, f, |_, y, j| {
        robertson_rows(y, j);
        j[6..].fill(1.0);
    })
}

fn robertson_f(_t: f64, y: &[f64], f: &mut [f64]) {
    f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    f[2] = 3e7 * y[1] * y[1];
    f[1] = -f[0] - f[2];
}

fn robertson_rows(y: &[f64], j: &mut [f64]) {
    j[..3].copy_from_slice(&[-0.04, 1e4 * y[2], 1e4 * y[1]]);
    j[3..6].copy_from_slice(&[0.04, -1e4 * y[2] - 6e7 * y[1], -1e4 * y[1]]);
}

/// Van der Pol's equation in the time of its slow part: Hairer, Wanner II, IV.1, eq. (1.5').
pub fn van_der_pol(mu: f64) -> Dae {
    let f = move |_: f64, y: &[f64], f: &mut [f64]| {
        f[0] = y[1];
        f[1] = mu * mu * ((1.0 - y[0] * y[0]) * y[1] - y[0]);
    };
    Dae::new(2, 0, f, move |_, y, j| {
        let fast = mu * mu;
        j.copy_from_slice(&[0.0, 1.0, fast * (-2.0 * y[0] * y[1] - 1.0), fast * (1.0 - y[0] * y[0])]);
    })
}

/// The oregonator of Field and Noyes: Hairer, Wanner II, IV.10, eq. (10.6).
pub fn orego() -> Dae {
    let f = |_: f64, y: &[f64], f: &mut [f64]| {
        f[0] = 77.27 * (y[1] + y[0] * (1.0 - 8.375e-6 * y[0] - y[1]));
        f[1] = (y[2] - (1.0 + y[0]) * y[1]) / 77.27;
        f[2] = 0.161 * (y[0] - y[2]);
    };
    Dae::new(3, 0, f, |_, y, j| {
        j[..3].copy_from_slice(&[77.27 * (1.0 - 2.0 * 8.375e-6 * y[0] - y[1]), 77.27 * (1.0 - y[0]), 0.0]);
        j[3..6].copy_from_slice(&[-y[1] / 77.27, -(1.0 + y[0]) / 77.27, 1.0 / 77.27]);
        j[6..].copy_from_slice(&[0.161, 0.0, -0.161]);
    })
}

/// HIRES, the high irradiance response of a plant: Hairer, Wanner II, IV.10, eq. (10.4).
pub fn hires() -> Dae {
    let f = |_: f64, y: &[f64], f: &mut [f64]| {
        let fast = 280.0 * y[5] * y[7];
        f[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
        f[1] = 1.71 * y[0] - 8.75 * y[1];
        f[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
        f[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
        f[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
        f[5] = -fast + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
        f[6] = fast - 1.81 * y[6];
        f[7] = -f[6];
    };
    Dae::new(8, 0, f, |_, y, j| {
        let (by_6, by_8) = (280.0 * y[7], 280.0 * y[5]);
        #[rustfmt::skip]
        j.copy_from_slice(&[
            -1.71, 0.43, 8.32, 0.0, 0.0, 0.0, 0.0, 0.0,
            1.71, -8.75, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            0.0, 0.0, -10.03, 0.43, 0.035, 0.0, 0.0, 0.0,
            0.0, 8.32, 1.71, -1.12, 0.0, 0.0, 0.0, 0.0,
            0.0, 0.0, 0.0, 0.0, -1.745, 0.43, 0.43, 0.0,
            0.0, 0.0, 0.0, 0.69, 1.71, -by_6 - 0.43, 0.69, -by_8,
            0.0, 0.0, 0.0, 0.0, 0.0, by_6, -1.81, by_8,
            0.0, 0.0, 0.0, 0.0, 0.0, -by_6, 1.81, -by_8,
        ]);
    })
}

/// E5 of Enright, Hull and Lindberg: Hairer, Wanner II, IV.10, eq. (10.5). Its components differ by twenty orders of magnitude.
pub fn e5() -> Dae {
    const A: f64 = 7.89e-10;
    const B: f64 = 1.1e7;
    const C: f64 = 1.13e3;
    const M: f64 = 1e6;
    let f = |_: f64, y: &[f64], f: &mut [f64]| {
        let (first, second, third, fourth) = (A * y[0], B * y[0] * y[2], M * C * y[1] * y[2], C * y[3]);
        f[0] = -first - second;
        f[1] = first - third;
        f[3] = second - fourth;
        f[2] = f[1] - f[3];
    };
    Dae::new(4, 0, f, |_, y, j| {
        let row_1 = [-A - B * y[2], 0.0, -B * y[0], 0.0];
        let row_2 = [A, -M * C * y[2], -M * C * y[1], 0.0];
        let row_4 = [B * y[2], 0.0, B * y[0], -C];
        for k in 0..4 {
            (j[k], j[4 + k], j[8 + k], j[12 + k]) = (row_1[k], row_2[k], row_2[k] - row_4[k], row_4[k]);
        }
    })
}

/// Index 1, two algebraic states: golden case `dae-ex1`. y₁ = 5 cos(t²/2) + sin t, y₂ = 5 sin(t²/2) + cos t, z = (−cos t, sin t).
pub fn rotating_dae() -> Dae {
    let f = |t: f64, y: &[f64], f: &mut [f64]| {
        f[0] = -t * y[1] - (1.0 + t) * y[2];
        f[1] = t * y[0] - (1.0 + t) * y[3];
        f[2] = (y[0] - y[3]) / 5.0 - (t * t / 2.0).cos();
        f[3] = (y[1] + y[2]) / 5.0 - (t * t / 2.0).sin();
    };
    Dae::new(4, 2, f, |t, _, j| {
        j[..4].copy_from_slice(&[0.0, -t, -1.0 - t, 0.0]);
        j[4..8].copy_from_slice(&[t, 0.0, 0.0, -1.0 - t]);
        j[8..12].copy_from_slice(&[0.2, 0.0, 0.0, -0.2]);
        j[12..].copy_from_slice(&[0.0, 0.2, 0.2, 0.0]);
    })
}

/// The plane pendulum with its rod as a constraint: x′ = v, v′ = −2λx + g, and the constraint itself (index 3), its derivative (2)
/// or the derivative of that (1). The states are x, vx, y, vy, λ; y points down.
pub fn pendulum(index: u8) -> Dae {
    const G: f64 = 9.81;
    let f = move |_: f64, y: &[f64], f: &mut [f64]| {
        let lambda = y[4];
        f[..4].copy_from_slice(&[y[1], -2.0 * lambda * y[0], y[3], G - 2.0 * lambda * y[2]]);
        let square = y[0] * y[0] + y[2] * y[2];
        f[4] = match index {
            3 => square - 1.0,
            2 => y[0] * y[1] + y[2] * y[3],
            _ => y[1] * y[1] + y[3] * y[3] - 2.0 * lambda * square + G * y[2],
        };
    };
    let jacobian = move |_: f64, y: &[f64], j: &mut [f64]| {
        let lambda = y[4];
        #[rustfmt::skip]
        j[..20].copy_from_slice(&[
            0.0, 1.0, 0.0, 0.0, 0.0,
            -2.0 * lambda, 0.0, 0.0, 0.0, -2.0 * y[0],
            0.0, 0.0, 0.0, 1.0, 0.0,
            0.0, 0.0, -2.0 * lambda, 0.0, -2.0 * y[2],
        ]);
        let square = y[0] * y[0] + y[2] * y[2];
        j[20..].copy_from_slice(&match index {
            3 => [2.0 * y[0], 0.0, 2.0 * y[2], 0.0, 0.0],
            2 => [y[1], y[0], y[3], y[2], 0.0],
            _ => [-4.0 * lambda * y[0], 2.0 * y[1], G - 4.0 * lambda * y[2], 2.0 * y[3], -2.0 * square],
        });
    };
    let indices: [u8; 5] = match index {
        3 => [1, 2, 1, 2, 3],
        2 => [1, 1, 1, 1, 2],
        _ => [1; 5],
    };
    Dae::new(5, 1, f, jacobian).with_indices(&indices)
}

/// A consistent start of [`pendulum`].
pub const PENDULUM_START: [f64; 5] = [0.6, 0.0, 0.8, 0.0, 3.924];

/// Heat in a rod of `n` cells with cold ends, y′ᵢ = (n+1)² (yᵢ₋₁ − 2yᵢ + yᵢ₊₁): three diagonals.
pub struct HeatChain {
    layout: Layout,
    pattern: Arc<Pattern>,
}

impl HeatChain {
    pub fn new(n: usize) -> HeatChain {
        let near = |i: u32| (i.max(1) - 1..=(i + 1).min(n as u32 - 1)).map(move |j| (i, j));
        let pattern = Arc::new(Pattern::from_elements(n, (0..n as u32).flat_map(near)));
        HeatChain { layout: Layout { states: n, ..Layout::default() }, pattern }
    }

    fn factor(&self) -> f64 {
        (self.layout.states as f64 + 1.0).powi(2)
    }

    /// The slowest mode, sin(πx), and the rate at which it decays.
    pub fn mode(&self) -> (Vec<f64>, f64) {
        let n = self.layout.states;
        let angle = std::f64::consts::PI / (n as f64 + 1.0);
        let rate = 4.0 * self.factor() * (0.5 * angle).sin().powi(2);
        ((1..=n).map(|i| (i as f64 * angle).sin()).collect(), rate)
    }
}

impl System for HeatChain {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn derivative(&mut self, _t: f64, y: &[f64], _d: &[f64], dy: &mut [f64]) {
        let (n, factor) = (y.len(), self.factor());
        for i in 0..n {
            let left = if i > 0 { y[i - 1] } else { 0.0 };
            let right = if i + 1 < n { y[i + 1] } else { 0.0 };
            dy[i] = factor * (left - 2.0 * y[i] + right);
        }
    }

    fn jacobian_pattern(&mut self) -> Option<Arc<Pattern>> {
        Some(self.pattern.clone())
    }

    fn jacobian(&mut self, _t: f64, _y: &[f64], _d: &[f64], values: &mut [f64]) {
        for ((i, j), value) in self.pattern.elements().zip(values) {
            *value = if i == j { -2.0 * self.factor() } else { self.factor() };
        }
    }
}

/// Prothero, Robinson, Math. Comp. 28 (1974) 145–162: y′ = λ (y − φ(t)) + φ′(t) with φ = sin(t + π/4).
pub fn prothero_robinson(lambda: f64) -> Dae {
    let f = move |t: f64, y: &[f64], f: &mut [f64]| {
        let (sine, cosine) = (t + std::f64::consts::FRAC_PI_4).sin_cos();
        f[0] = lambda * (y[0] - sine) + cosine;
    };
    Dae::new(1, 0, f, move |_, _, j| j[0] = lambda)
}

/// The kinetics of a point reactor with six groups of delayed neutrons; constants of golden case `nureact-001`.
pub fn reactor() -> Dae {
    const LAMBDA: [f64; 6] = [0.0124, 0.0305, 0.111, 0.301, 1.14, 3.01];
    const BETA: [f64; 6] = [0.000215, 0.001424, 0.001274, 0.002568, 0.000748, 0.000273];
    const TAU: f64 = 5e-5;
    let factor = 1.0 / (1.0 - 0.001);
    let power = (factor * (1.0 - BETA.iter().sum::<f64>()) - 1.0) / TAU;
    let f = move |_: f64, y: &[f64], f: &mut [f64]| {
        f[0] = power * y[0];
        for i in 0..6 {
            f[0] += LAMBDA[i] * y[i + 1];
            f[i + 1] = BETA[i] * factor / TAU * y[0] - LAMBDA[i] * y[i + 1];
        }
    };
    Dae::new(7, 0, f, move |_, _, j| {
        j.fill(0.0);
        j[0] = power;
        for i in 0..6 {
            j[i + 1] = LAMBDA[i];
            (j[(i + 1) * 7], j[(i + 1) * 8]) = (BETA[i] * factor / TAU, -LAMBDA[i]);
        }
    })
}
