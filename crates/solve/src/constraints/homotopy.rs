//! Continuation from a problem whose solution is the guess to the one that is asked for, along the length of the curve,
//! so that it may turn back:
//!
//! ```text
//!   F(y) − (1 − s) F(y₀) = 0                 Newton homotopy, in both directions
//!   s F(y) ± (1 − s) (y − y₀) = 0            fixed-point homotopy, in units of the scales
//! ```
//!
//! E. Allgower, K. Georg, Introduction to Numerical Continuation Methods, 1990, chapters 2 and 6.

use super::equations::Equations;
use super::least_squares::LeastSquares;
use super::newton::Unknowns;

/// Steps along one curve.
const STEPS: usize = 300;
/// Larger systems would take too long.
const LARGEST: usize = 200;

#[derive(Clone, Copy, Debug)]
enum Curve {
    Newton,
    FixedPoint(f64),
}

/// A curve of points (y, s) in units of the scales.
struct Continuation<'a, 'b> {
    equations: &'a mut Equations<'b>,
    unknowns: &'a Unknowns,
    curve: Curve,
    /// The guess, all states; and F there.
    start: &'a [f64],
    f_start: Vec<f64>,
    /// Units of the states and of the equations.
    units: Vec<f64>,
    scales: Vec<f64>,
    y: Vec<f64>,
    r: Vec<f64>,
}

/// The ends of all curves from the guess, for Newton's method to finish; an end where s = 1 was reached counts only.
pub(super) fn ends(equations: &mut Equations, unknowns: &Unknowns, guess: &[f64]) -> Vec<Vec<f64>> {
    let mut found = Vec::new();
    let Some(square) = square(equations, unknowns, guess) else { return found };
    let ways =
        [(Curve::Newton, 1.0), (Curve::FixedPoint(1.0), 1.0), (Curve::FixedPoint(-1.0), 1.0), (Curve::Newton, -1.0)];
    for (curve, direction) in ways {
        let Some(mut continuation) = Continuation::new(equations, &square, guess, curve) else { return found };
        found.extend(continuation.follow(direction));
    }
    found
}

/// As many equations as unknowns: those that determine most at the guess.
fn square(equations: &mut Equations, unknowns: &Unknowns, guess: &[f64]) -> Option<Unknowns> {
    if unknowns.states.len().max(unknowns.rows.len()) > LARGEST || unknowns.states.is_empty() {
        return None;
    }
    if unknowns.is_square() {
        return Some(unknowns.clone());
    }
    let mut r = vec![0.0; equations.count];
    if !(equations.residuals(guess, &mut r) && equations.derivatives(guess)) {
        return None;
    }
    let weights = equations.weights(guess);
    let scales = equations.scales(&weights, &r);
    let (m, n) = (unknowns.rows.len(), unknowns.states.len());
    let a = unknowns.matrix(equations, &weights, &scales);
    let columns = LeastSquares::new(m, n, a.clone());
    let best = &columns.order[..columns.rank];
    let transposed = (0..m).flat_map(|i| best.iter().map(move |&j| (i, j))).map(|(i, j)| a[j * m + i]).collect();
    let rows = LeastSquares::new(best.len(), m, transposed);
    if rows.rank < best.len() || best.is_empty() {
        return None;
    }
    let pick = |from: &[usize], order: &[usize]| {
        let mut picked: Vec<usize> = order.iter().map(|&k| from[k]).collect();
        picked.sort_unstable();
        picked
    };
    let (states, rows) = (pick(&unknowns.states, best), pick(&unknowns.rows, &rows.order[..rows.rank]));
    Some(Unknowns::chosen(equations, states, rows, guess.len()))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl<'a, 'b> Continuation<'a, 'b> {
    fn new(
        equations: &'a mut Equations<'b>,
        unknowns: &'a Unknowns,
        start: &'a [f64],
        curve: Curve,
    ) -> Option<Continuation<'a, 'b>> {
        let mut r = vec![0.0; equations.count];
        if !(equations.residuals(start, &mut r) && equations.derivatives(start)) {
            return None;
        }
        // Relative to the states, not to their tolerances: s goes from 0 to 1.
        let finest = equations.tol.rtol.max(1e-12);
        let units: Vec<f64> = equations.weights(start).iter().map(|w| w / finest).collect();
        let scales = equations.scales(&units, &r);
        let f_start = unknowns.rows.iter().map(|&row| r[row] / scales[row]).collect();
        Some(Continuation { equations, unknowns, curve, start, f_start, units, scales, y: start.to_vec(), r })
    }

    fn size(&self) -> usize {
        self.unknowns.states.len()
    }

    /// H and its derivatives, by columns with one more row for the tangent; `None` where they are not finite.
    fn evaluate(&mut self, v: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
        let (n, s) = (self.size(), v[self.size()]);
        for (&state, v) in self.unknowns.states.iter().zip(v) {
            self.y[state] = self.start[state] + v * self.units[state];
        }
        let finite = self.equations.residuals(&self.y, &mut self.r) && self.equations.derivatives(&self.y);
        let a = self.unknowns.matrix(self.equations, &self.units, &self.scales);
        let f: Vec<f64> = self.unknowns.rows.iter().map(|&row| self.r[row] / self.scales[row]).collect();
        let mut h = vec![0.0; n];
        let mut matrix = vec![0.0; (n + 1) * (n + 1)];
        for i in 0..n {
            let place = |j: usize| j * (n + 1) + i;
            match self.curve {
                Curve::Newton => {
                    h[i] = f[i] - (1.0 - s) * self.f_start[i];
                    (0..n).for_each(|j| matrix[place(j)] = a[j * n + i]);
                    matrix[place(n)] = self.f_start[i];
                }
                Curve::FixedPoint(sign) => {
                    h[i] = s * f[i] + sign * (1.0 - s) * v[i];
                    (0..n).for_each(|j| matrix[place(j)] = s * a[j * n + i]);
                    matrix[place(i)] += sign * (1.0 - s);
                    matrix[place(n)] = f[i] - sign * v[i];
                }
            }
        }
        (finite && h.iter().chain(&matrix).all(|x| x.is_finite())).then_some((h, matrix))
    }

    /// The unit vector along the curve that goes on like `before`.
    fn tangent(&self, mut matrix: Vec<f64>, before: &[f64]) -> Option<Vec<f64>> {
        let n = self.size();
        (0..=n).for_each(|j| matrix[j * (n + 1) + n] = before[j]);
        let mut along = vec![0.0; n + 1];
        along[n] = 1.0;
        let tangent = LeastSquares::new(n + 1, n + 1, matrix).solve(&along);
        let length = dot(&tangent, &tangent).sqrt();
        (length > 0.0 && length.is_finite()).then(|| tangent.iter().map(|x| x / length).collect())
    }

    /// Newton's method across the tangent; the number of iterations it took.
    fn correct(&mut self, v: &mut [f64], tangent: &[f64]) -> Option<usize> {
        let n = self.size();
        let predicted = v.to_vec();
        for iteration in 1..=6 {
            let (h, mut matrix) = self.evaluate(v)?;
            (0..=n).for_each(|j| matrix[j * (n + 1) + n] = tangent[j]);
            let across: f64 = (0..=n).map(|j| tangent[j] * (v[j] - predicted[j])).sum();
            let b: Vec<f64> = h.iter().map(|h| -h).chain([-across]).collect();
            let delta = LeastSquares::new(n + 1, n + 1, matrix).solve(&b);
            v.iter_mut().zip(&delta).for_each(|(v, delta)| *v += delta);
            if dot(&delta, &delta).sqrt() <= 1e-7 * (1.0 + dot(v, v).sqrt()) {
                return Some(iteration);
            }
        }
        None
    }

    /// Follows the curve until s = 1; the state there.
    fn follow(&mut self, direction: f64) -> Option<Vec<f64>> {
        let n = self.size();
        let mut v = vec![0.0; n + 1];
        let mut tangent = vec![0.0; n + 1];
        tangent[n] = direction;
        let (_, matrix) = self.evaluate(&v)?;
        tangent = self.tangent(matrix, &tangent)?;
        let mut length: f64 = 0.05;
        for _ in 0..STEPS {
            let mut next: Vec<f64> = v.iter().zip(&tangent).map(|(v, t)| v + length * t).collect();
            let iterations = self.correct(&mut next, &tangent);
            let turned = iterations.and_then(|_| {
                let (_, matrix) = self.evaluate(&next)?;
                self.tangent(matrix, &tangent)
            });
            // A sharp turn may be a jump to another branch.
            match turned.filter(|turned| dot(turned, &tangent) > 0.7) {
                Some(turned) => tangent = turned,
                None => {
                    length *= 0.5;
                    if length < 1e-7 {
                        return None;
                    }
                    continue;
                }
            }
            if v[n] < 1.0 && next[n] >= 1.0 {
                let part = (1.0 - v[n]) / (next[n] - v[n]);
                let mut y = self.start.to_vec();
                for (place, &state) in self.unknowns.states.iter().enumerate() {
                    y[state] += self.units[state] * (v[place] + part * (next[place] - v[place]));
                }
                return Some(y);
            }
            v = next;
            if dot(&v, &v) > 1e12 {
                return None;
            }
            length *= if iterations.is_some_and(|i| i <= 3) { 2.0 } else { 1.0 };
        }
        None
    }
}
