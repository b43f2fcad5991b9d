//! The inner loops of the explicit methods: sums over stages, and the norm of the error.
//!
//! The stages lie one after the other in `k`. Each sum runs over the nonzero coefficients only, for a few components
//! at a time: small systems stay in registers, and large ones read every stage once, a cache line at a time.

/// One nonzero coefficient.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Term {
    /// Where its stage begins in `k`.
    pub offset: usize,
    /// The coefficient.
    pub weight: f64,
}

/// The nonzero ones of `weights` for stages of length `n`.
pub(crate) fn terms(weights: &[f64], n: usize) -> Vec<Term> {
    let all = weights.iter().enumerate().map(|(j, &weight)| Term { offset: j * n, weight });
    all.filter(|term| term.weight != 0.0).collect()
}

/// out = y + h Σ weight · k.
#[inline]
pub(crate) fn combine(y: &[f64], h: f64, terms: &[Term], k: &[f64], out: &mut [f64]) {
    let n = y.len();
    let mut i = 0;
    while i + 8 <= n {
        combine_lanes::<8>(y, h, terms, k, out, i);
        i += 8;
    }
    if i + 4 <= n {
        combine_lanes::<4>(y, h, terms, k, out, i);
        i += 4;
    }
    if i + 2 <= n {
        combine_lanes::<2>(y, h, terms, k, out, i);
        i += 2;
    }
    if i < n {
        combine_lanes::<1>(y, h, terms, k, out, i);
    }
}

#[inline(always)]
fn combine_lanes<const L: usize>(y: &[f64], h: f64, terms: &[Term], k: &[f64], out: &mut [f64], i: usize) {
    let sum = weighted::<L>(terms, k, i);
    let (y, out) = (&y[i..i + L], &mut out[i..i + L]);
    for l in 0..L {
        out[l] = y[l] + h * sum[l];
    }
}

#[inline(always)]
fn weighted<const L: usize>(terms: &[Term], k: &[f64], i: usize) -> [f64; L] {
    let mut sum = [0.0; L];
    for term in terms {
        let stage = &k[term.offset + i..][..L];
        for l in 0..L {
            sum[l] += term.weight * stage[l];
        }
    }
    sum
}

/// The error of a step: its size in units of the tolerance and the component that has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Norm {
    pub error: f64,
    pub worst: usize,
    /// False if anything was not finite.
    pub finite: bool,
}

/// What the error of a step is measured by.
pub(crate) struct Measure<'a> {
    pub y0: &'a [f64],
    pub y1: &'a [f64],
    pub rtol: f64,
    pub atol: &'a [f64],
}

/// The weights of an error estimate; all but the first may be empty.
pub(crate) struct Rows<'a> {
    pub e: &'a [Term],
    pub e_low: &'a [Term],
    pub fallback: &'a [Term],
}

/// max |h Σ e k| / scale, or with the second row of DOP853 per component
///
/// ```text
///   |h| e² / √(e² + 0.01 e_low²) / scale  =  |h e| / √(1 + 0.01 (e_low/e)²) / scale
/// ```
///
/// Hairer combines the norms of both rows instead; then a component with a large `e_low` would lower the error of
/// another one. Squares are compared, so that one root is enough.
pub(crate) fn error_norm(measure: &Measure, h: f64, rows: &Rows, k: &[f64]) -> Norm {
    let n = measure.y0.len();
    let mut norm = Running { largest: 0.0, worst: 0, finite: true };
    let mut i = 0;
    while i + 8 <= n {
        norm.lanes::<8>(measure, h, rows, k, i);
        i += 8;
    }
    while i + 2 <= n {
        norm.lanes::<2>(measure, h, rows, k, i);
        i += 2;
    }
    if i < n {
        norm.lanes::<1>(measure, h, rows, k, i);
    }
    Norm { error: norm.largest.sqrt(), worst: norm.worst, finite: norm.finite }
}

struct Running {
    /// Square of the largest error so far.
    largest: f64,
    worst: usize,
    finite: bool,
}

impl Running {
    #[inline(always)]
    fn lanes<const L: usize>(&mut self, m: &Measure, h: f64, rows: &Rows, k: &[f64], i: usize) {
        let high = weighted::<L>(rows.e, k, i);
        let crude = weighted::<L>(rows.e_low, k, i);
        let cautious = weighted::<L>(rows.fallback, k, i);
        let (y0, y1, atol) = (&m.y0[i..i + L], &m.y1[i..i + L], &m.atol[i..i + L]);
        for l in 0..L {
            let mut error = h * high[l];
            self.finite &= error.is_finite() & y1[l].is_finite();
            // Zero but for rounding; where it is so much smaller for another reason, both are below every tolerance.
            if error.abs() < 1e-11 * (h * cautious[l]).abs() {
                error = h * cautious[l];
            }
            if error == 0.0 {
                continue; // also where the scale is zero
            }
            let scaled = error / (atol[l] + m.rtol * y0[l].abs().max(y1[l].abs()));
            let ratio = if rows.e_low.is_empty() { 0.0 } else { crude[l] / high[l] };
            let square = scaled * scaled / (1.0 + 0.01 * ratio * ratio);
            // A NaN (∞/∞, both squares overflow) counts as infinite.
            if square > self.largest || square.is_nan() {
                self.largest = if square.is_nan() { f64::INFINITY } else { square };
                self.worst = i + l;
            }
        }
    }
}
