//! f at the points passed as modified divided differences, which bear steps of any length.
//!
//! With the points xₙ, xₙ₋₁, … behind and xₙ₊₁ = xₙ + h ahead, after Krogh; Hairer, Nørsett, Wanner I, III.5, eq. (5.6)–(5.10):
//!
//! ```text
//!   Φ₀(n) = fₙ,   Φⱼ(n+1) = Φⱼ₋₁(n+1) − Φ*ⱼ₋₁(n),   Φ*ⱼ(n) = βⱼ Φⱼ(n)
//!   βⱼ = Π (xₙ₊₁ − xₙ₋ᵢ) / (xₙ − xₙ₋ᵢ₋₁)                      i = 0 … j−1
//!   P(x) = Σ Φ*ⱼ(n) Π (x − xₙ₋ᵢ) / (xₙ₊₁ − xₙ₋ᵢ)              i = 0 … j−1
//! ```
//!
//! With equal steps β = 1, and Φ are the backward differences.

use crate::explicit::kernels::{Term, combine};

/// Most points that are kept.
pub(super) const MOST: usize = 13;

/// A step so much longer than the one before would magnify the rounding of f in the differences: the earlier points are
/// left out of it.
const LONGER: f64 = 20.0;
/// After a step so much shorter than the one before (it was cut, to end at a given time), the point between them is
/// dropped: two points almost at the same place say nothing about the steps to come.
const SHORTER: f64 = 0.1;

/// The weights of the differences in one sum.
pub(super) struct Terms {
    terms: [Term; MOST + 1],
    count: usize,
}

impl Terms {
    fn new() -> Terms {
        Terms { terms: [(0.0, 0); MOST + 1], count: 0 }
    }

    fn push(&mut self, weight: f64, place: usize) {
        self.terms[self.count] = (weight, place);
        self.count += 1;
    }

    pub fn as_slice(&self) -> &[Term] {
        &self.terms[..self.count]
    }
}

/// The differences at the current point, and what a step from it needs.
#[derive(Clone, Debug)]
pub(super) struct Differences {
    states: usize,
    /// Most points of this method.
    most: usize,
    /// Φⱼ(n) one after the other, and behind `most` of them f at the end of the step.
    phi: Vec<f64>,
    count: usize,
    /// The same at the point before.
    before: Vec<f64>,
    count_before: usize,
    /// xₙ − xₙ₋₁, xₙ₋₁ − xₙ₋₂, …
    spacing: Vec<f64>,
    /// The last step was a crumb, and became part of the one before.
    merged: bool,
    h: f64,
    /// (xₙ − xₙ₋ᵢ) / h.
    back: [f64; MOST],
    beta: [f64; MOST],
}

impl Differences {
    pub fn new(states: usize, most: usize) -> Differences {
        assert!((1..=MOST).contains(&most), "more points than MOST");
        Differences {
            states,
            most,
            phi: vec![0.0; (most + 1) * states],
            count: 0,
            before: vec![0.0; (most + 1) * states],
            count_before: 0,
            spacing: Vec::with_capacity(MOST + 1),
            merged: false,
            h: 0.0,
            back: [0.0; MOST],
            beta: [1.0; MOST],
        }
    }

    pub fn clear(&mut self) {
        (self.count, self.count_before, self.merged) = (0, 0, false);
        self.spacing.clear();
    }

    /// How many points a step can use.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether the last `steps` steps were as long as the one that is prepared.
    pub fn uniform(&self, steps: usize) -> bool {
        self.spacing.len() >= steps && self.spacing[..steps].iter().all(|s| (s - self.h).abs() <= 1e-6 * self.h)
    }

    /// Prepares a step of length h.
    pub fn prepare(&mut self, h: f64) {
        if self.spacing.first().is_some_and(|last| h > LONGER * last) {
            self.count = self.count.min(1);
            self.spacing.clear();
            self.count_before = 0;
        }
        self.h = h;
        (self.back, self.beta) = ratios(h, &self.spacing, self.count);
    }

    /// (xₙ₊₁ − xₙ₋ᵢ) / h.
    pub fn ahead(&self, i: usize) -> f64 {
        1.0 + self.back[i]
    }

    /// Where f at the end of the step belongs.
    pub fn end(&mut self) -> &mut [f64] {
        &mut self.phi[self.most * self.states..]
    }

    /// The place of f at the end of the step among the differences.
    fn end_place(&self) -> usize {
        self.most
    }

    /// gⱼ(θ) for j = 0 … q: the integral from 0 to θ of Π (s + backᵢ) / (1 + backᵢ), i < j. By parts,
    ///
    /// ```text
    ///   c₀,r = θʳ/r,   cⱼ,r = ((θ + backⱼ₋₁) cⱼ₋₁,r − cⱼ₋₁,r₊₁) / (1 + backⱼ₋₁),   gⱼ = cⱼ,₁
    /// ```
    ///
    /// where cⱼ,r is (r−1)! times the r-fold integral; for θ = 1 eq. (5.13) there.
    pub fn integrals(&self, theta: f64, q: usize) -> [f64; MOST + 1] {
        let mut g = [0.0; MOST + 1];
        let mut c = [0.0; MOST + 2];
        let mut power = 1.0;
        for r in 1..=q + 1 {
            power *= theta;
            c[r - 1] = power / r as f64;
        }
        g[0] = c[0];
        for (j, (g, back)) in g[1..=q].iter_mut().zip(&self.back).enumerate() {
            for r in 0..q - j {
                c[r] = ((theta + back) * c[r] - c[r + 1]) / (1.0 + back);
            }
            *g = c[0];
        }
        g
    }

    /// Π (θ + backᵢ) / (1 + backᵢ), i < j, for j = 0 … q.
    fn products(&self, theta: f64, q: usize) -> [f64; MOST + 1] {
        let mut l = [1.0; MOST + 1];
        for j in 1..=q {
            l[j] = l[j - 1] * (theta + self.back[j - 1]) / (1.0 + self.back[j - 1]);
        }
        l
    }

    /// The integral over [0, θ] of the polynomial through the last q points: Σ gⱼ Φ*ⱼ, j < q.
    pub fn explicit(&self, theta: f64, q: usize) -> Terms {
        let g = self.integrals(theta, q.max(1) - 1);
        let mut terms = Terms::new();
        (0..q).for_each(|j| terms.push(g[j] * self.beta[j], j));
        terms
    }

    /// The integral over [0, θ] of the polynomial through the last q points and f at the end of the step:
    /// Σ gⱼ Φ*ⱼ + g_q (f − Σ Φ*ⱼ), j < q. The last weight is that of f.
    pub fn implicit(&self, theta: f64, q: usize) -> Terms {
        self.through_end(&self.integrals(theta, q), q)
    }

    /// The polynomial itself.
    pub fn value(&self, theta: f64, q: usize) -> Terms {
        self.through_end(&self.products(theta, q), q)
    }

    fn through_end(&self, w: &[f64], q: usize) -> Terms {
        let mut terms = Terms::new();
        (0..q).for_each(|j| terms.push((w[j] - w[q]) * self.beta[j], j));
        terms.push(w[q], self.end_place());
        terms
    }

    /// Σ Φ*ⱼ, j < q: the polynomial through the last q points at the end of the step; with a factor.
    pub fn extrapolated(&self, q: usize, factor: f64) -> Terms {
        let mut terms = Terms::new();
        (0..q).for_each(|j| terms.push(factor * self.beta[j], j));
        terms
    }

    /// Φ_q(n+1) = f − Σ Φ*ⱼ, j < q.
    pub fn difference(&self, q: usize) -> Terms {
        let mut terms = self.extrapolated(q, -1.0);
        terms.push(1.0, self.end_place());
        terms
    }

    /// out = y + h · the sum of these terms.
    pub fn add(&self, y: &[f64], h: f64, terms: &Terms, out: &mut [f64]) {
        self.add_some(y, h, terms.as_slice(), out);
    }

    /// The same with some of them.
    pub fn add_some(&self, y: &[f64], h: f64, terms: &[Term], out: &mut [f64]) {
        combine(y, h, terms, &self.phi, out);
    }

    /// out = the sum of these terms.
    pub fn sum(&self, terms: &Terms, out: &mut [f64]) {
        out.fill(0.0);
        for &(weight, place) in terms.as_slice() {
            let part = &self.phi[place * self.states..(place + 1) * self.states];
            out.iter_mut().zip(part).for_each(|(sum, part)| *sum += weight * part);
        }
    }

    /// βⱼ and Φⱼ.
    pub fn part(&self, j: usize) -> (f64, &[f64]) {
        (self.beta[j], &self.phi[j * self.states..(j + 1) * self.states])
    }

    /// One component of the sum of these terms.
    pub fn component(&self, terms: &Terms, i: usize) -> f64 {
        terms.as_slice().iter().map(|&(weight, place)| weight * self.phi[place * self.states + i]).sum()
    }

    /// The end of the step becomes the first point.
    fn begin(&mut self) {
        let (phi, end) = self.phi.split_at_mut(self.most * self.states);
        phi[..self.states].copy_from_slice(end);
        self.count = 1;
    }

    /// The end of a step of length h, where f is known, becomes the current point.
    pub fn advance(&mut self, h: f64) {
        if self.count == 0 {
            return self.begin();
        }
        let split = self.most * self.states;
        let (phi, end) = self.phi.split_at_mut(split);
        // A second short step in turn is no crumb: steps are short from here on.
        let crumb = !self.merged && self.spacing.first().is_some_and(|last| h < SHORTER * last);
        self.merged = self.count_before > 0 && crumb;
        if self.merged {
            self.spacing[0] += h;
            let (whole, rest) = self.spacing.split_first().expect("there is one");
            self.count = move_on(&self.before[..split], self.count_before, *whole, rest, end, phi, self.most);
        } else {
            let before = &mut self.before[..split];
            let count = move_on(phi, self.count, h, &self.spacing, end, before, self.most);
            self.count_before = std::mem::replace(&mut self.count, count);
            std::mem::swap(&mut self.phi, &mut self.before);
            self.spacing.insert(0, h);
            self.spacing.truncate(self.most);
        }
    }
}

/// backᵢ and βⱼ of a step of length h behind points at these distances.
fn ratios(h: f64, spacing: &[f64], count: usize) -> ([f64; MOST], [f64; MOST]) {
    let (mut back, mut beta) = ([0.0; MOST], [1.0; MOST]);
    for j in 1..count {
        back[j] = back[j - 1] + spacing[j - 1] / h;
        beta[j] = beta[j - 1] * (1.0 + back[j - 1]) / back[j];
    }
    (back, beta)
}

/// The differences at the end of a step of length h from those where it began; returns their number.
fn move_on(old: &[f64], count: usize, h: f64, spacing: &[f64], f: &[f64], new: &mut [f64], most: usize) -> usize {
    let n = f.len();
    let (_, beta) = ratios(h, spacing, count);
    new[..n].copy_from_slice(f);
    let known = (count + 1).min(most);
    for j in 1..known {
        let (done, rest) = new.split_at_mut(j * n);
        let last = &done[(j - 1) * n..];
        let old = &old[(j - 1) * n..j * n];
        for ((new, last), old) in rest[..n].iter_mut().zip(last).zip(old) {
            *new = last - beta[j - 1] * old;
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The differences of f(t) = t³ − 2t at the points `times`, and a step of length h prepared.
    fn cubic(times: &[f64], most: usize, h: f64) -> Differences {
        let mut differences = Differences::new(1, most);
        for (i, t) in times.iter().enumerate() {
            differences.end()[0] = t * t * t - 2.0 * t;
            differences.advance(if i == 0 { 0.0 } else { t - times[i - 1] });
        }
        differences.prepare(h);
        differences
    }

    fn integral(a: f64, b: f64) -> f64 {
        let whole = |t: f64| t.powi(4) / 4.0 - t * t;
        whole(b) - whole(a)
    }

    /// Four points determine a cubic, at whatever distances: its values and integrals are exact.
    #[test]
    fn a_cubic_is_integrated_exactly_behind_any_steps() {
        for times in [[0.0, 1.0, 2.0, 3.0], [0.0, 0.3, 1.1, 1.25], [-1.0, -0.9, -0.5, 0.2]] {
            let t = times[3];
            let h = 0.4;
            let mut differences = cubic(&times, 4, h);
            for theta in [0.0, 0.25, 1.0] {
                let expected = integral(t, t + theta * h);
                let found = h * differences.component(&differences.explicit(theta, 4), 0);
                assert!((found - expected).abs() < 1e-13, "{times:?}: {found} {expected}");
                let x = t + h;
                differences.end()[0] = x * x * x - 2.0 * x;
                let found = h * differences.component(&differences.implicit(theta, 3), 0);
                assert!((found - expected).abs() < 1e-13, "{times:?}: {found} {expected}");
                let x = t + theta * h;
                let found = differences.component(&differences.value(theta, 3), 0);
                assert!((found - (x * x * x - 2.0 * x)).abs() < 1e-13, "{times:?}: {found}");
            }
        }
    }

    /// A point right behind another one replaces it, so that what comes does not stand on their difference.
    #[test]
    fn a_short_step_replaces_a_point() {
        let differences = cubic(&[0.0, 1.0, 2.0, 3.0, 3.000_000_1], 4, 1.0);
        assert_eq!(differences.count(), 4);
        assert!(differences.uniform(0) && (differences.ahead(1) - 2.000_000_1).abs() < 1e-12);
        let found = differences.component(&differences.explicit(1.0, 4), 0);
        assert!((found - integral(3.000_000_1, 4.000_000_1)).abs() < 1e-12, "{found}");
        let differences = cubic(&[0.0, 1e-9], 4, 1.0);
        assert_eq!(differences.count(), 1, "one point and a long step");
    }
}
