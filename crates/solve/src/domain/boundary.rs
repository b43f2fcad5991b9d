//! The edge of the domain of f: a solution may leave the domain there, as x′ = −1 leaves that of √x, or come to rest, as h′ = −√h does.
//!
//! Both look the same to an iteration that is drawn over the edge by less than the tolerance. They differ in the speed with which the
//! edge is approached: with p right at it, and q a thousand times as far from it,
//!
//! ```text
//!   s:  the time in which q + s f(q) reaches the edge
//!   the solution comes to rest if q + s f(p) does not even come near to it in that time, so that f vanishes towards the edge
//! ```
//!
//! No normal to the edge is needed for that, and motions along it, however fast, do not count.

use crate::System;

/// The edge is found to this part, as a power of two, of the distance of the points that it lies between.
const HALVINGS: u32 = 40;
/// How many times as far from the edge q is as p may be. A speed like d^α falls by this factor to the power of α.
const FARTHER: f64 = 1024.0;
/// The motion is followed for so many tolerances.
const FAR: f64 = 1e3;

/// Two points that the edge lies between.
pub(crate) struct Edge<'a> {
    pub t: f64,
    pub d: &'a [f64],
    /// Where f exists.
    pub inside: &'a [f64],
    /// Where it does not.
    pub outside: &'a [f64],
    /// The tolerance of each state.
    pub scale: &'a [f64],
}

impl Edge<'_> {
    /// Whether solutions leave the domain of f between the two points. `evaluations` counts those of f.
    pub fn is_left(&self, system: &mut dyn System, evaluations: &mut u64) -> bool {
        let (n, differential) = (self.inside.len(), system.layout().differential());
        let mut f = vec![0.0; n];
        let mut exists = |t: f64, y: &[f64], f: &mut [f64]| {
            system.derivative(t, y, self.d, f);
            *evaluations += 1;
            f.iter().all(|f| f.is_finite())
        };
        let (mut p, mut beyond) = (self.inside.to_vec(), self.outside.to_vec());
        for _ in 0..HALVINGS {
            let middle: Vec<f64> = p.iter().zip(&beyond).map(|(p, beyond)| p + 0.5 * (beyond - p)).collect();
            if middle == p || middle == beyond {
                break;
            }
            if exists(self.t, &middle, &mut f) { p = middle } else { beyond = middle }
        }
        let q: Vec<f64> = p.iter().zip(&beyond).map(|(p, beyond)| p + FARTHER * (p - beyond)).collect();
        let mut slow = vec![0.0; n];
        if !exists(self.t, &p, &mut slow) || !exists(self.t, &q, &mut f) {
            return true;
        }
        let moves = || (0..differential).filter(|&i| f[i] != 0.0);
        let shortest =
            moves().map(|i| (q[i] - p[i]).abs() / f[i].abs()).filter(|s| *s > 0.0).fold(f64::INFINITY, f64::min);
        let longest = moves().map(|i| FAR * self.scale[i] / f[i].abs()).fold(f64::INFINITY, f64::min);
        let (mut s, mut y, mut ignored) = (shortest, q.clone(), vec![0.0; n]);
        let mut stays = |s: f64, f: &[f64]| {
            (0..differential).for_each(|i| y[i] = q[i] + s * f[i]);
            exists(self.t + s, &y, &mut ignored)
        };
        while s <= longest {
            if !stays(s, &f) {
                // Found to a factor of two.
                return !stays(2.0 * s, &slow);
            }
            s *= 2.0;
        }
        // It goes along the edge, or away from it; but algebraic states that follow the others may lead over it.
        differential < n
    }
}
