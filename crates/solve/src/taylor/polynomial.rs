//! Values of the polynomial of a step. Its coefficients lie order by order, c[k n + i], with [`PADDING`] numbers behind
//! the last one, so that blocks of four components can be read everywhere.

use ordinate_numbers::{OCTET, Octet};

/// How many numbers must follow the coefficients.
pub(super) const PADDING: usize = 3;

/// What a step needs: where the polynomial is evaluated, and what comes out.
pub(super) struct Step<'a> {
    /// Coefficients.
    pub c: &'a [f64],
    /// Highest power used.
    pub order: usize,
    /// h in units of the scale of the coefficients.
    pub x: f64,
    /// What the sums before left over.
    pub carry: &'a [f64],
    /// The end of the step.
    pub y: &'a mut [f64],
    /// What this sum leaves over.
    pub rest: &'a mut [f64],
    /// h·p′ at the end of the step.
    pub slope: &'a mut [f64],
}

impl Step<'_> {
    /// Computes value and slope at x, the value in twice the precision:
    ///
    /// ```text
    ///   p(x) = c₀ + c₁ x + x² s,    s = Σ cₖ xᵏ⁻²
    ///   x p′ =      c₁ x + x² d,    d = Σ k cₖ xᵏ⁻²       k ≥ 2, by Horner's rule two powers at a time
    /// ```
    ///
    /// c₀ + c₁ x + carry is summed without rounding but at the end; what is rounded off then is the carry of the next step.
    /// So only x² s, a small part of the change, brings an error of its own into the sum.
    pub fn evaluate(&mut self) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            // SAFETY: the processor has both.
            return unsafe { self.evaluate_avx2() };
        }
        self.all(|a, b, c| a * b + c);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn evaluate_avx2(&mut self) {
        self.all(f64::mul_add);
    }

    #[inline(always)]
    fn all(&mut self, fma: impl Fn(f64, f64, f64) -> f64 + Copy) {
        let n = self.y.len();
        for i in (0..n).step_by(4) {
            self.block(i, (n - i).min(4), fma);
        }
    }

    /// Four components from i on, of which `count` exist.
    #[inline(always)]
    fn block(&mut self, i: usize, count: usize, fma: impl Fn(f64, f64, f64) -> f64 + Copy) {
        let (n, x) = (self.y.len(), self.x);
        let square = x * x;
        let row = |place: usize| -> &[f64; 4] { self.c[place..].first_chunk().expect("padded coefficients") };
        let (mut s, mut d) = ([0.0; 4], [0.0; 4]);
        let mut place = self.order * n + i;
        let mut k = self.order as i32 as f64;
        // An odd number of powers: the highest one alone.
        if self.order >= 2 && self.order.is_multiple_of(2) {
            s = *row(place);
            d = s.map(|c| c * k);
            (place, k) = (place - n, k - 1.0);
        }
        while k > 2.5 {
            let (high, low) = (row(place), row(place - n));
            let lower = k - 1.0;
            for l in 0..4 {
                s[l] = fma(s[l], square, fma(high[l], x, low[l]));
                d[l] = fma(d[l], square, fma(k * high[l], x, lower * low[l]));
            }
            place -= 2 * n;
            k -= 2.0;
        }
        let (c0, c1) = (row(i), row(n + i));
        for l in 0..count {
            let first = c1[l] * x;
            let lost = fma(c1[l], x, -first);
            let (sum, error) = two_sum(c0[l], first);
            let tail = fma(square, s[l], error + lost + self.carry[i + l]);
            let (y, rest) = two_sum(sum, tail);
            (self.y[i + l], self.rest[i + l]) = (y, rest);
            self.slope[i + l] = fma(square, d[l], first);
        }
    }
}

/// a + b and what rounding took from it: D. E. Knuth, The Art of Computer Programming 2, 4.2.2, theorem B.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// The polynomial at x, for the dense output.
pub(super) fn value(c: &[f64], order: usize, x: f64, y: &mut [f64]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        // SAFETY: the processor has both.
        return unsafe { value_avx2(c, order, x, y) };
    }
    value_blocks(c, order, x, y, |a, b, c| a * b + c);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn value_avx2(c: &[f64], order: usize, x: f64, y: &mut [f64]) {
    value_blocks(c, order, x, y, f64::mul_add);
}

/// Four components at a time, by Horner's rule.
#[inline(always)]
fn value_blocks(c: &[f64], order: usize, x: f64, y: &mut [f64], fma: impl Fn(f64, f64, f64) -> f64 + Copy) {
    let n = y.len();
    for (block, y) in y.chunks_mut(4).enumerate() {
        let mut place = order * n + 4 * block;
        let row = |place: usize| -> [f64; 4] { *c[place..].first_chunk().expect("padded coefficients") };
        let mut s = row(place);
        while place >= n {
            place -= n;
            let c = row(place);
            s = std::array::from_fn(|l| fma(s[l], x, c[l]));
        }
        y.copy_from_slice(&s[..y.len()]);
    }
}

/// The coefficients of one of n states in powers of a part of the step, which is x long.
pub(super) fn of_state(c: &[f64], n: usize, state: usize, order: usize, x: f64, to: &mut Vec<f64>) {
    let mut power = 1.0;
    to.clear();
    to.extend(c[..(order + 1) * n].iter().skip(state).step_by(n).map(|c| {
        let term = c * power;
        power *= x;
        term
    }));
}

/// The polynomial at eight places.
pub(super) fn eight_values(c: &[f64], order: usize, x: &Octet, y: &mut [Octet]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        // SAFETY: the processor has both.
        return unsafe { eight_values_avx2(c, order, x, y) };
    }
    eight_value_chains(c, order, x, y, |a, b, c| a * b + c);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn eight_values_avx2(c: &[f64], order: usize, x: &Octet, y: &mut [Octet]) {
    eight_value_chains(c, order, x, y, f64::mul_add);
}

/// Two states at a time: one chain after the other would wait for each of its operations.
#[inline(always)]
fn eight_value_chains(c: &[f64], order: usize, x: &Octet, y: &mut [Octet], fma: impl Fn(f64, f64, f64) -> f64 + Copy) {
    let n = y.len();
    for (pair, y) in y.chunks_mut(2).enumerate() {
        // Behind the last state stands padding.
        let row = |k: usize| -> [f64; 2] { *c[k * n + 2 * pair..].first_chunk().expect("padded coefficients") };
        let [mut one, mut two] = row(order).map(|c| [c; OCTET]);
        for k in (0..order).rev() {
            let c = row(k);
            one = std::array::from_fn(|l| fma(one[l], x.0[l], c[0]));
            two = std::array::from_fn(|l| fma(two[l], x.0[l], c[1]));
        }
        y.iter_mut().zip([one, two]).for_each(|(y, found)| *y = Octet(found));
    }
}

/// The polynomial and its derivative at eight places: eight chains of operations side by side take hardly longer than one.
pub(super) fn eight_values_and_slopes(c: &[f64], order: usize, x: &Octet, y: &mut [Octet], slope: &mut [Octet]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        // SAFETY: the processor has both.
        return unsafe { eight_avx2(c, order, x, y, slope) };
    }
    eight_chains(c, order, x, y, slope, |a, b, c| a * b + c);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn eight_avx2(c: &[f64], order: usize, x: &Octet, y: &mut [Octet], slope: &mut [Octet]) {
    eight_chains(c, order, x, y, slope, f64::mul_add);
}

#[inline(always)]
fn eight_chains(
    c: &[f64],
    order: usize,
    x: &Octet,
    y: &mut [Octet],
    slope: &mut [Octet],
    fma: impl Fn(f64, f64, f64) -> f64 + Copy,
) {
    let n = y.len();
    for i in 0..n {
        let (mut value, mut derivative) = ([c[order * n + i]; OCTET], [0.0; OCTET]);
        for k in (0..order).rev() {
            let c = c[k * n + i];
            derivative = std::array::from_fn(|l| fma(derivative[l], x.0[l], value[l]));
            value = std::array::from_fn(|l| fma(value[l], x.0[l], c));
        }
        (y[i], slope[i]) = (Octet(value), Octet(derivative));
    }
}

/// The polynomial and x times its derivative at x.
pub(super) fn value_and_slope(c: &[f64], order: usize, x: f64, y: &mut [f64], slope: &mut [f64]) {
    let n = y.len();
    slope.fill(0.0);
    y.copy_from_slice(&c[order * n..(order + 1) * n]);
    for row in c[..order * n].chunks_exact(n).rev() {
        for ((y, d), c) in y.iter_mut().zip(slope.iter_mut()).zip(row) {
            *d = *d * x + *y;
            *y = *y * x + c;
        }
    }
    slope.iter_mut().for_each(|d| *d *= x);
}
