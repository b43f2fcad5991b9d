//! Chains of reaction and diffusion with known solutions.

use crate::case::{Case, Expect, Known};
use crate::random::Random;

/// Names that a test asks for; a case keeps them for as long as it lives.
const NAMES: [&str; 3] = ["u[1]", "u[2]", "u[3]"];

pub fn chain(random: &mut Random) -> Case {
    if random.one_in(2) { linear(random) } else { manufactured(random) }
}

/// uᵢ′ = D (uᵢ₋₁ − 2uᵢ + uᵢ₊₁) − k uᵢ with zeros at both ends, from two of its modes.
fn linear(random: &mut Random) -> Case {
    let n = random.pick(&[5usize, 10, 20, 40, 100]);
    let (d, k) = (random.between(0.1, 20.0), random.between(0.0, 0.5));
    let modes = [(1 + random.below(2), random.between(0.5, 2.0)), (3 + random.below(2), random.between(-1.0, 1.0))];
    let shape = move |m: usize, i: usize| (std::f64::consts::PI * (m * i) as f64 / (n + 1) as f64).sin();
    let rate = move |m: usize| k + 4.0 * d * shape_of_half(m, n).powi(2);
    let start = |(m, a): (usize, f64)| format!("({a:?})*sin({m}*pi*i/{})", n + 1);
    let text = format!(
        "for i in 1..{n}: u[i]' = {d:?}*(u[i-1] - 2*u[i] + u[i+1]) - {k:?}*u[i]\nu[0] = 0\nu[{}] = 0\n\
         for i in 1..{n}: init u[i] = {} + {}\n",
        n + 1,
        start(modes[0]),
        start(modes[1])
    );
    let known = (1..=3)
        .map(|i| {
            let value = move |t: f64| modes.iter().map(|&(m, a)| a * shape(m, i) * (-rate(m) * t).exp()).sum();
            (NAMES[i - 1], Box::new(value) as Known)
        })
        .collect();
    Case { text, t_end: 2.0, known, expect: Expect::Solution }
}

/// sin(m π / 2 (n + 1))
fn shape_of_half(m: usize, n: usize) -> f64 {
    (std::f64::consts::PI * m as f64 / (2 * (n + 1)) as f64).sin()
}

/// uᵢ′ = D (uᵢ₋₁ − 2uᵢ + uᵢ₊₁) + uᵢ − uᵢ³ + qᵢ(t) with q such that uᵢ = cos(ω t + φ i).
fn manufactured(random: &mut Random) -> Case {
    let n = random.pick(&[4usize, 8, 16, 30]);
    let (d, omega, phi) = (random.between(0.1, 5.0), random.between(0.3, 2.0), random.between(0.1, 0.8));
    let s = |shift: i32| format!("cos({omega:?}*t + {phi:?}*(i + ({shift})))");
    let text = format!(
        "for i in 1..{n}: u[i]' = {d:?}*(u[i-1] - 2*u[i] + u[i+1]) + u[i] - u[i]^3 - {omega:?}*sin({omega:?}*t + {phi:?}*i) \
         - {d:?}*({} - 2*{} + {}) - {} + {}^3\nu[0] = cos({omega:?}*t)\nu[{}] = cos({omega:?}*t + {phi:?}*{})\n\
         for i in 1..{n}: init u[i] = cos({phi:?}*i)\n",
        s(-1),
        s(0),
        s(1),
        s(0),
        s(0),
        n + 1,
        n + 1
    );
    let known =
        (1..=3).map(|i| (NAMES[i - 1], Box::new(move |t: f64| (omega * t + phi * i as f64).cos()) as Known)).collect();
    Case { text, t_end: 5.0, known, expect: Expect::Solution }
}
