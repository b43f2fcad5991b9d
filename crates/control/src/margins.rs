//! Gain and phase margins: every crossing of the curve G(iω), found between neighbouring points of the Bode curve and
//! refined to rounding.

use crate::frequency::{Frequency, bode};
use crate::linear::modulus;
use crate::{Complex, ControlError, Matrix, StateSpace};

/// Margins of an open loop that is closed with −1.
#[derive(Clone, Debug, PartialEq)]
pub struct Margins {
    /// All (frequency, factor) at which the phase is −180°.
    pub gain: Vec<(f64, f64)>,
    /// All (frequency, degrees) at which the gain is 1.
    pub phase: Vec<(f64, f64)>,
    /// Smallest distance of the Nyquist curve from −1, and where.
    pub modulus: (f64, f64),
    /// Whether the closed loop is stable.
    pub stable: bool,
}

/// The margins of one channel, by ascending frequency. A factor is 1/|G| where G is real and negative, at ω = 0 and at half
/// of the sampling frequency, too; a phase margin is between −180° and 180°: the phase above −180°.
pub fn margins(open: &StateSpace) -> Result<Margins, ControlError> {
    let response = Frequency::new(open)?;
    let (frequencies, values) = bode(open)?;
    let closed = open.feedback(&StateSpace::gain(Matrix::identity(1), open.period)?);
    let stable = match closed {
        Ok(closed) => closed.is_stable()?,
        Err(ControlError::Singular(_)) => false,
        Err(other) => return Err(other),
    };
    let mut gain = Vec::new();
    let mut phase = Vec::new();
    let start = response.at(0.0);
    // a pole at zero is only large there, by rounding
    let bounded = values.first().is_some_and(|near| start.re.abs() < 10.0 * modulus(*near));
    if start.re < 0.0 && bounded {
        gain.push((0.0, -1.0 / start.re));
    }
    let inner = match open.period {
        Some(_) => frequencies.len().saturating_sub(1),
        None => frequencies.len(),
    };
    for k in 1..frequencies.len() {
        let (from, to) = (frequencies[k - 1], frequencies[k]);
        let (a, b) = (values[k - 1], values[k]);
        // at half of the sampling frequency G is real, but for rounding
        if k < inner && opposite(a.im, b.im) {
            let omega = root(|w| response.at(w).im, from, to);
            let value = response.at(omega).re;
            if value < 0.0 && value.is_finite() && value.abs() < 10.0 * (modulus(a) + modulus(b)) {
                gain.push((omega, -1.0 / value));
            }
        }
        if opposite(modulus(a) - 1.0, modulus(b) - 1.0) {
            let omega = root(|w| modulus(response.at(w)) - 1.0, from, to);
            let value = response.at(omega);
            phase.push((omega, (-value.im).atan2(-value.re).to_degrees() + 0.0));
        }
    }
    if let (Some(_), Some(&last), Some(value)) = (open.period, frequencies.last(), values.last())
        && value.re < 0.0
    {
        gain.push((last, -1.0 / value.re));
    }
    Ok(Margins { gain, phase, modulus: nearest(&response, &frequencies, &values), stable })
}

/// Whether the sign changes; zero belongs to the positive side.
fn opposite(a: f64, b: f64) -> bool {
    (a < 0.0) != (b < 0.0)
}

/// A root between two frequencies of opposite sign, by halving: safe at any shape, and exact after some sixty steps.
fn root(f: impl Fn(f64) -> f64, mut from: f64, mut to: f64) -> f64 {
    let negative = f(from) < 0.0;
    loop {
        let middle = 0.5 * (from + to);
        if middle <= from || middle >= to {
            return if f(from).abs() < f(to).abs() { from } else { to };
        }
        if (f(middle) < 0.0) == negative {
            from = middle;
        } else {
            to = middle;
        }
    }
}

/// The smallest |1 + G| and its frequency, by golden sections around the nearest points of the curve.
fn nearest(response: &Frequency, frequencies: &[f64], values: &[Complex]) -> (f64, f64) {
    let distance = |z: Complex| modulus(z + Complex::from(1.0));
    let at = |w: f64| distance(response.at(w));
    let mut best = (f64::INFINITY, 0.0);
    let start = at(0.0);
    if start.is_finite() {
        best = (start, 0.0);
    }
    for k in 0..frequencies.len() {
        let here = distance(values[k]);
        let lower = |j: usize| values.get(j).is_none_or(|&z| here <= distance(z));
        if !lower(k + 1) || (k > 0 && !lower(k - 1)) {
            continue;
        }
        let (mut from, mut to) = (frequencies[k.saturating_sub(1)], frequencies[(k + 1).min(frequencies.len() - 1)]);
        let golden = 0.5 * (5f64.sqrt() - 1.0);
        for _ in 0..60 {
            let (p, q) = (to - golden * (to - from), from + golden * (to - from));
            if at(p) <= at(q) {
                to = q;
            } else {
                from = p;
            }
        }
        let omega = 0.5 * (from + to);
        let candidates = [(at(omega), omega), (here, frequencies[k])];
        for found in candidates {
            if found.0 < best.0 {
                best = found;
            }
        }
    }
    best
}
