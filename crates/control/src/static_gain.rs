//! The static gain: the value of a transfer matrix at s = 0, or z = 1. A pole there makes it infinite, and rounding makes
//! of such a pole one that is only near: a gain of 1e14 would be read off it. So every gain is compared with what the
//! rounding of the elements of A does to it.
//!
//! ```text
//!   g = c S⁻¹ b + d,   S = −A (I − A of a discrete system)
//!   δg = y δA x,       x = S⁻¹ b,  y = c S⁻¹,     |δA| ≤ ε |A|  element by element
//! ```

use crate::linear::Factors;
use crate::reachability::reached;
use crate::{Matrix, StateSpace};

/// What rounding may do to a gain, relative to its terms, before it is a pole that makes it: three digits must be left.
const MOST_CHANGE: f64 = 1e-3;

impl StateSpace {
    /// The value of the transfer matrix at s = 0 (z = 1); elements that do not exist are infinite.
    pub fn dc_gain(&self) -> Matrix {
        let size = |m: &Matrix| Matrix::from_fn(m.rows(), m.columns(), |i, j| m.at(i, j).abs());
        // turned by reflections, A is rounded as a whole
        let even = |m: &Matrix| Matrix::from_fn(m.rows(), m.columns(), |_, _| m.frobenius());
        let whole = regular(self, &size(&self.a));
        Matrix::from_fn(self.outputs(), self.inputs(), |i, j| {
            let known = whole.as_ref().map_or(f64::INFINITY, |gains| gains.at(i, j));
            if known.is_finite() {
                return known;
            }
            // a pole that this channel does not have, by its structure or by cancelling
            let channel = self.channel(i, j).connected();
            let alone = |system: &StateSpace, rounded: &Matrix| {
                regular(system, rounded).map(|gain| gain.at(0, 0)).filter(|gain| gain.is_finite())
            };
            alone(&channel, &size(&channel.a))
                .or_else(|| {
                    let minimal = channel.minimal();
                    alone(&minimal, &even(&minimal.a))
                })
                .unwrap_or(f64::INFINITY)
        })
    }

    /// Without the states that have no path of elements other than zero from the input and to the output: the same
    /// transfer function, without rounding.
    fn connected(&self) -> StateSpace {
        let n = self.states();
        let fed = |i: usize| self.b.row(i).iter().any(|b| *b != 0.0);
        let read = |i: usize| (0..self.outputs()).any(|k| self.c.at(k, i) != 0.0);
        let all = |wanted: &dyn Fn(usize) -> bool| (0..n).filter(|&i| wanted(i)).collect::<Vec<usize>>();
        let driven = reached(n, &all(&fed), &|from, to| self.a.at(to, from) != 0.0);
        let shown = reached(n, &all(&read), &|from, to| self.a.at(from, to) != 0.0);
        let kept = all(&|i| driven[i] && shown[i]);
        let size = kept.len();
        StateSpace {
            a: Matrix::from_fn(size, size, |i, j| self.a.at(kept[i], kept[j])),
            b: Matrix::from_fn(size, self.inputs(), |i, j| self.b.at(kept[i], j)),
            c: Matrix::from_fn(self.outputs(), size, |i, j| self.c.at(i, kept[j])),
            d: self.d.clone(),
            period: self.period,
        }
    }
}

/// The gains by one solution of S x = b; infinite where rounding leaves no digit, zero where only rounding is left.
/// `None` if S has no inverse. `rounded` is what the elements of A are rounded relative to.
fn regular(system: &StateSpace, rounded: &Matrix) -> Option<Matrix> {
    let n = system.states();
    let shifted = match system.period {
        None => -&system.a,
        Some(_) => &Matrix::identity(n) - &system.a,
    };
    let mut factors = Factors::new(&shifted)?;
    let (x, y) = (factors.solve(&system.b), factors.solve_left(&system.c));
    let size = |m: &Matrix| Matrix::from_fn(m.rows(), m.columns(), |i, j| m.at(i, j).abs());
    let (terms, others) = (&size(&system.c) * &size(&x), &size(&y) * &size(&system.b));
    let changes = (&(&size(&y) * rounded) * &size(&x)).scaled(n as f64 * f64::EPSILON);
    let gains = &system.c * &x;
    Some(Matrix::from_fn(gains.rows(), gains.columns(), |i, j| {
        let (gain, terms) = (gains.at(i, j), terms.at(i, j).max(others.at(i, j)));
        let change = changes.at(i, j) + f64::EPSILON * terms;
        match terms == 0.0 || change <= MOST_CHANGE * terms {
            false => f64::INFINITY,
            true if gain.abs() <= change => system.d.at(i, j),
            true => gain + system.d.at(i, j),
        }
    }))
}

#[cfg(test)]
mod tests {
    use crate::coefficients::tests::system;

    /// Two masses 0.7 and 0.3 joined by a spring and a damper, pushed and free to move away: the spring's constants do not
    /// cancel exactly in A. A place and a speed have no static gain, the length of the spring has 0.7/(0.7 + 0.3)/k.
    #[test]
    fn a_free_body_has_no_static_gain_whatever_rounding_says() {
        let (k, d, m) = (1.1, 0.37, [0.7, 0.3]);
        let a: [&[f64]; 4] = [
            &[0.0, 1.0, 0.0, 0.0],
            &[-k / m[0], -d / m[0], k / m[0], d / m[0]],
            &[0.0, 0.0, 0.0, 1.0],
            &[k / m[1], d / m[1], -k / m[1], -d / m[1]],
        ];
        let force = [0.0, 0.0, 0.0, 1.0 / m[1]];
        for (output, expected) in [([1.0, 0.0, 0.0, 0.0], f64::INFINITY), ([0.0, 0.0, 0.0, 1.0], f64::INFINITY)] {
            assert_eq!(system(&a, &force, &output).dc_gain().at(0, 0), expected, "{output:?}");
        }
        let length = system(&a, &force, &[-1.0, 0.0, 1.0, 0.0]).dc_gain().at(0, 0);
        assert!((length - 0.7 / k).abs() < 1e-12, "{length}");
    }

    /// The cart with its pendulum: x has two poles at zero, the angle none.
    #[test]
    fn a_channel_is_judged_by_its_own_poles() {
        let a: [&[f64]; 4] =
            [&[0.0, 1.0, 0.0, 0.0], &[0.0, 0.0, -1.4715, 0.0], &[0.0, 0.0, 0.0, 1.0], &[0.0, 0.0, 7.521, 0.0]];
        let b = [0.0, 0.1, 0.0, -1.0 / 15.0];
        let gain = |c: &[f64]| system(&a, &b, c).dc_gain().at(0, 0);
        assert_eq!(gain(&[1.0, 0.0, 0.0, 0.0]), f64::INFINITY);
        assert_eq!(gain(&[0.0, 1.0, 0.0, 0.0]), f64::INFINITY);
        assert!((gain(&[0.0, 0.0, 1.0, 0.0]) - 1.0 / 15.0 / 7.521).abs() < 1e-16);
        assert_eq!(gain(&[0.0, 0.0, 0.0, 1.0]), 0.0);
    }

    /// A slow part beside a fast one is no pole at zero: 1/1e-10, not infinite.
    #[test]
    fn rates_of_very_different_size_keep_their_gains() {
        let slow = system(&[&[-1e6, 0.0], &[1.0, -1e-10]], &[1e6, 0.0], &[0.0, 1.0]);
        assert!((slow.dc_gain().at(0, 0) * 1e-10 - 1.0).abs() < 1e-12);
        let oscillator = system(&[&[0.0, 1.0], &[-1e-13, -1.0]], &[0.0, 1.0], &[1.0, 0.0]);
        assert!((oscillator.dc_gain().at(0, 0) * 1e-13 - 1.0).abs() < 1e-12);
    }

    /// A sampled integrator has its pole at one but for the rounding of the exponential.
    #[test]
    fn a_sampled_integrator_has_none() {
        let mut sampled = system(&[&[1.0 - f64::EPSILON]], &[0.1], &[1.0]);
        sampled.period = Some(0.1);
        assert_eq!(sampled.dc_gain().at(0, 0), f64::INFINITY);
    }
}
