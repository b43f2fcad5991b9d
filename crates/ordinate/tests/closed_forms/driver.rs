//! A state x whose solution is known: what other equations of a model are driven by.

use crate::random::Random;

#[derive(Clone, Copy, Debug)]
pub enum Driver {
    /// x′ = v
    Ramp { start: f64, speed: f64 },
    /// x′ = −a (x − c)
    Decay { start: f64, rate: f64, rest: f64 },
    /// x″ = −ω² x
    Wave { start: f64, speed: f64, omega: f64 },
}

impl Driver {
    pub fn ramp(start: f64, speed: f64) -> Driver {
        Driver::Ramp { start, speed }
    }

    pub fn random(random: &mut Random) -> Driver {
        match random.below(3) {
            0 => Driver::monotone(random),
            1 => Driver::monotone(random),
            _ => Driver::Wave {
                start: random.between(0.5, 2.0),
                speed: random.between(-1.0, 1.0),
                omega: random.between(0.5, 3.0),
            },
        }
    }

    pub fn monotone(random: &mut Random) -> Driver {
        match random.one_in(2) {
            true => Driver::Ramp { start: random.between(-3.0, 1.0), speed: random.between(0.3, 2.0) },
            false => Driver::Decay {
                start: random.between(1.0, 4.0),
                rate: random.between(0.2, 1.5),
                rest: random.between(-2.0, 0.0),
            },
        }
    }

    pub fn text(self) -> String {
        match self {
            Driver::Ramp { start, speed } => format!("x' = {speed:?}\ninit x = {start:?}\n"),
            Driver::Decay { start, rate, rest } => format!("x' = -{rate:?}*(x - ({rest:?}))\ninit x = {start:?}\n"),
            Driver::Wave { start, speed, omega } => {
                format!("x'' = -{omega:?}^2*x\ninit x = {start:?}, x' = {speed:?}\n")
            }
        }
    }

    pub fn at(self, t: f64) -> f64 {
        match self {
            Driver::Ramp { start, speed } => start + speed * t,
            Driver::Decay { start, rate, rest } => rest + (start - rest) * (-rate * t).exp(),
            Driver::Wave { start, speed, omega } => start * (omega * t).cos() + speed / omega * (omega * t).sin(),
        }
    }

    /// ∫ x from 0 to t.
    pub fn integral(self, t: f64) -> f64 {
        match self {
            Driver::Ramp { start, speed } => t * (start + 0.5 * speed * t),
            Driver::Decay { start, rate, rest } => rest * t - (start - rest) * (-rate * t).exp_m1() / rate,
            Driver::Wave { start, speed, omega } => {
                start / omega * (omega * t).sin() + 2.0 * speed / omega.powi(2) * (0.5 * omega * t).sin().powi(2)
            }
        }
    }

    /// When x of a monotone driver is `level`, if it ever is.
    pub fn when(self, level: f64) -> Option<f64> {
        let t = match self {
            Driver::Ramp { start, speed } => (level - start) / speed,
            Driver::Decay { start, rate, rest } => -((level - rest) / (start - rest)).ln() / rate,
            Driver::Wave { .. } => return None,
        };
        (t.is_finite() && t > 0.0).then_some(t)
    }
}
