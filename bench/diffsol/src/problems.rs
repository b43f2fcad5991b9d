//! The stiff problems of `bench/stiff_problems.py` for diffsol: right-hand side, Jacobian by rows, start, end.

/// An initial value problem M y′ = f(t, y), M = diag(1, …, 1, 0, …, 0).
pub struct Problem {
    /// As in `stiff_problems.py`.
    pub name: &'static str,
    /// f(t, y).
    pub f: fn(f64, &[f64], &mut [f64]),
    /// ∂f/∂y by rows.
    pub jacobian: fn(f64, &[f64], &mut [f64]),
    /// y(0).
    pub start: Vec<f64>,
    /// How many of the last equations are algebraic.
    pub algebraic: usize,
    /// The end of the run.
    pub end: f64,
}

/// What a race asks for.
pub struct Task {
    /// The problem.
    pub problem: Problem,
    /// The tolerances.
    pub rtol: f64,
    /// The same for all components.
    pub atol: f64,
    /// How long runs are repeated.
    pub seconds: f64,
}

/// NAME RTOL ATOL SECONDS, the arguments of a race; or how `program` is used.
pub fn task(program: &str) -> Result<Task, String> {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |k: usize| arguments.get(k).and_then(|a| a.parse::<f64>().ok());
    let names: Vec<&str> = all().iter().map(|problem| problem.name).collect();
    let usage = format!("usage: {program} NAME RTOL ATOL SECONDS, where NAME is one of {}", names.join(", "));
    let problem = arguments.get(1).and_then(|name| all().into_iter().find(|problem| problem.name == name));
    let (Some(problem), Some(rtol), Some(atol), Some(seconds)) = (problem, number(2), number(3), number(4)) else {
        return Err(usage);
    };
    Ok(Task { problem, rtol, atol, seconds })
}

/// All of them.
fn all() -> Vec<Problem> {
    let kinetics_start = std::iter::once(1.0).chain((0..6).map(|k| BETA[k] / (TAU * LAMBDA[k]))).collect();
    vec![
        Problem {
            name: "robertson",
            f: robertson,
            jacobian: robertson_jacobian,
            start: vec![1.0, 0.0, 0.0],
            algebraic: 0,
            end: 40.0,
        },
        Problem {
            name: "van der Pol",
            f: van_der_pol,
            jacobian: van_der_pol_jacobian,
            start: vec![2.0, 0.0],
            algebraic: 0,
            end: 2000.0,
        },
        Problem {
            name: "kinetics",
            f: kinetics,
            jacobian: kinetics_jacobian,
            start: kinetics_start,
            algebraic: 0,
            end: 30.0,
        },
        Problem {
            name: "oscillating DAE",
            f: oscillating,
            jacobian: oscillating_jacobian,
            start: vec![5.0, 1.0, -1.0, 0.0],
            algebraic: 2,
            end: 10.0,
        },
        Problem {
            name: "pendulum (index 1)",
            f: pendulum,
            jacobian: pendulum_jacobian,
            start: vec![1.0, 0.0, 0.0, 0.0, 0.0],
            algebraic: 1,
            end: 5.0,
        },
    ]
}

fn robertson(_t: f64, y: &[f64], f: &mut [f64]) {
    let (forward, back, pairs) = (0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] * y[1]);
    f[0] = -forward + back;
    f[1] = forward - back - pairs;
    f[2] = pairs;
}

fn robertson_jacobian(_t: f64, y: &[f64], j: &mut [f64]) {
    let (a, b, q) = (1e4 * y[2], 1e4 * y[1], 6e7 * y[1]);
    j.copy_from_slice(&[-0.04, a, b, 0.04, -a - q, -b, 0.0, q, 0.0]);
}

const MU: f64 = 1000.0;

fn van_der_pol(_t: f64, y: &[f64], f: &mut [f64]) {
    f[0] = y[1];
    f[1] = MU * (1.0 - y[0] * y[0]) * y[1] - y[0];
}

fn van_der_pol_jacobian(_t: f64, y: &[f64], j: &mut [f64]) {
    j.copy_from_slice(&[0.0, 1.0, -2.0 * MU * y[0] * y[1] - 1.0, MU * (1.0 - y[0] * y[0])]);
}

const BETA: [f64; 6] = [0.000215, 0.001424, 0.001274, 0.002568, 0.000748, 0.000273];
const LAMBDA: [f64; 6] = [0.0124, 0.0305, 0.111, 0.301, 1.14, 3.01];
const TAU: f64 = 5e-5;
const KEF: f64 = 1.0 / (1.0 - 0.001);

fn kinetics(_t: f64, y: &[f64], f: &mut [f64]) {
    f[0] = (KEF * (1.0 - BETA.iter().sum::<f64>()) - 1.0) / TAU * y[0];
    for k in 0..6 {
        f[0] += LAMBDA[k] * y[k + 1];
        f[k + 1] = BETA[k] * KEF / TAU * y[0] - LAMBDA[k] * y[k + 1];
    }
}

fn kinetics_jacobian(_t: f64, _y: &[f64], j: &mut [f64]) {
    j.fill(0.0);
    j[0] = (KEF * (1.0 - BETA.iter().sum::<f64>()) - 1.0) / TAU;
    for k in 0..6 {
        j[k + 1] = LAMBDA[k];
        j[7 * (k + 1)] = BETA[k] * KEF / TAU;
        j[7 * (k + 1) + k + 1] = -LAMBDA[k];
    }
}

fn oscillating(t: f64, y: &[f64], f: &mut [f64]) {
    f[0] = -t * y[1] - (1.0 + t) * y[2];
    f[1] = t * y[0] - (1.0 + t) * y[3];
    f[2] = (y[0] - y[3]) / 5.0 - (t * t / 2.0).cos();
    f[3] = (y[1] + y[2]) / 5.0 - (t * t / 2.0).sin();
}

#[rustfmt::skip]
fn oscillating_jacobian(t: f64, _y: &[f64], j: &mut [f64]) {
    j.copy_from_slice(&[
        0.0, -t, -(1.0 + t), 0.0,
        t, 0.0, 0.0, -(1.0 + t),
        0.2, 0.0, 0.0, -0.2,
        0.0, 0.2, 0.2, 0.0,
    ]);
}

const GRAVITY: f64 = 9.81;

/// The index-1 form: the constraint differentiated twice.
fn pendulum(_t: f64, y: &[f64], f: &mut [f64]) {
    let (x, vx, q, vq, lambda) = (y[0], y[1], y[2], y[3], y[4]);
    f[0] = vx;
    f[1] = -2.0 * lambda * x;
    f[2] = vq;
    f[3] = -2.0 * lambda * q + GRAVITY;
    f[4] = vx * vx + vq * vq - 2.0 * lambda * (x * x + q * q) + GRAVITY * q;
}

#[rustfmt::skip]
fn pendulum_jacobian(_t: f64, y: &[f64], j: &mut [f64]) {
    let (x, vx, q, vq, lambda) = (y[0], y[1], y[2], y[3], y[4]);
    j.copy_from_slice(&[
        0.0, 1.0, 0.0, 0.0, 0.0,
        -2.0 * lambda, 0.0, 0.0, 0.0, -2.0 * x,
        0.0, 0.0, 0.0, 1.0, 0.0,
        0.0, 0.0, -2.0 * lambda, 0.0, -2.0 * q,
        -4.0 * lambda * x, 2.0 * vx, -4.0 * lambda * q + GRAVITY, 2.0 * vq, -2.0 * (x * x + q * q),
    ]);
}
