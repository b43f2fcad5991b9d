//! Root loci: the poles of the loop 1 + k G = 0 as k rises from zero.

use crate::linear::modulus;
use crate::polynomial::{product, roots, value};
use crate::{Complex, ControlError, Transfer};

/// Gains per decade before refinement.
const PER_DECADE: usize = 12;
/// A pole that moves further than this part of the picture, from one gain to the next, needs a gain between.
const STEP: f64 = 0.02;
/// Gains at most.
const MOST: usize = 3000;

/// Poles of the loop 1 + k G = 0 for rising k: the gains, and for each of them the poles, in an order that follows the
/// branches. Gains begin with zero, have those of breakaway points (double roots) among them, and end where the branches
/// that end in zeros are near them and the others have left the picture.
pub fn root_locus(open: &Transfer) -> Result<(Vec<f64>, Vec<Vec<Complex>>), ControlError> {
    let failed = || ControlError::Inaccurate("the roots of a polynomial", f64::NAN);
    let at = |k: f64| roots(&closed(open, k)).ok_or_else(failed);
    let start = at(0.0)?;
    let degree = open.denominator.len() - 1;
    if degree == 0 || open.numerator.iter().all(|c| *c == 0.0) {
        return Ok((vec![0.0], vec![start]));
    }
    let (special, extent) = special_gains(open)?;
    let (low, high) = gain_range(open, &special, extent);
    let decades = (high / low).log10();
    let count = (PER_DECADE as f64 * decades).ceil().max(4.0) as usize;
    let mut wanted: Vec<f64> = (0..=count).map(|i| low * 10f64.powf(decades * i as f64 / count as f64)).collect();
    wanted.extend(special.iter().copied().filter(|k| *k > low && *k < high));
    wanted.sort_by(f64::total_cmp);
    wanted.dedup();
    let (mut gains, mut poles) = (vec![0.0], vec![start]);
    let mut stack: Vec<(f64, usize)> = wanted.iter().rev().map(|&k| (k, 0)).collect();
    while let Some((k, depth)) = stack.pop() {
        let (before, last) = (gains[gains.len() - 1], &poles[poles.len() - 1]);
        let found = at(k)?;
        if found.len() != degree {
            // 1 + kD = 0: a pole passes through infinity
            continue;
        }
        let followed = follow(last, found);
        let far = last.iter().zip(&followed).any(|(a, b)| {
            // what has left the picture moves as it likes
            let outside = modulus(*a).min(modulus(*b)) > 3.0 * extent;
            !outside && modulus(*a - *b) > STEP * extent
        });
        if far && depth < 12 && gains.len() + stack.len() < MOST {
            stack.push((k, depth + 1));
            stack.push((0.5 * (before + k), depth + 1));
            continue;
        }
        gains.push(k);
        poles.push(followed);
    }
    Ok((gains, poles))
}

/// a + k b
fn closed(open: &Transfer, k: f64) -> Vec<f64> {
    let mut p = open.denominator.clone();
    let shift = p.len() - open.numerator.len();
    open.numerator.iter().enumerate().for_each(|(i, b)| p[shift + i] += k * b);
    p
}

/// Positive gains at which roots meet (a b′ = a′ b), and the size of the picture: poles, zeros and meeting points.
fn special_gains(open: &Transfer) -> Result<(Vec<f64>, f64), ControlError> {
    let (a, b) = (&open.denominator, &open.numerator);
    let (first, second) = (product(a, &derivative(b)), product(&derivative(a), b));
    let length = first.len().max(second.len());
    let padded = |p: &[f64], i: usize| if i + p.len() < length { 0.0 } else { p[i + p.len() - length] };
    let difference: Vec<f64> = (0..length).map(|i| padded(&first, i) - padded(&second, i)).collect();
    let meeting = roots(&difference).unwrap_or_default();
    let mut extent = open.poles().iter().chain(&open.zeros()).map(|&z| modulus(z)).fold(0.0, f64::max);
    let mut gains = Vec::new();
    for s in meeting {
        let gain = -(value(a, s) / value(b, s));
        if gain.re > 0.0 && gain.re.is_finite() && gain.im.abs() <= 1e-6 * gain.re {
            gains.push(gain.re);
            extent = extent.max(modulus(s));
        }
    }
    Ok((gains, if extent == 0.0 { 1.0 } else { extent }))
}

/// Gains that move the poles just visibly, and ones beyond which nothing new happens.
fn gain_range(open: &Transfer, special: &[f64], extent: f64) -> (f64, f64) {
    let zeros = open.zeros();
    let moved = |k: f64| {
        let (start, now) = (roots(&open.denominator).unwrap_or_default(), roots(&closed(open, k)).unwrap_or_default());
        let moved = follow(&start, now);
        start.iter().zip(&moved).map(|(a, b)| modulus(*a - *b)).fold(0.0, f64::max)
    };
    let ended = |k: f64| {
        let now = roots(&closed(open, k)).unwrap_or_default();
        let near = |zero: &Complex| now.iter().any(|p| modulus(*p - *zero) < 0.01 * extent);
        let outside = now.iter().filter(|p| modulus(**p) > 3.0 * extent).count();
        zeros.iter().all(near) && outside + zeros.len() >= now.len()
    };
    let mut low = special.iter().fold(1.0, |least: f64, k| least.min(*k));
    while moved(low) > 0.01 * extent && low > 1e-12 {
        low *= 0.1;
    }
    while moved(10.0 * low) < 0.001 * extent && low < 1e12 {
        low *= 10.0;
    }
    let mut high = special.iter().fold(10.0 * low, |most: f64, k| most.max(10.0 * k));
    while !ended(high) && high < 1e12 * low {
        high *= 3.0;
    }
    (low, high)
}

fn derivative(p: &[f64]) -> Vec<f64> {
    let n = p.len() - 1;
    if n == 0 {
        return vec![0.0];
    }
    p[..n].iter().enumerate().map(|(i, c)| c * (n - i) as f64).collect()
}

/// The new poles in the order of the ones before: the nearest pairs first.
fn follow(before: &[Complex], found: Vec<Complex>) -> Vec<Complex> {
    let n = before.len();
    let mut pairs: Vec<(f64, usize, usize)> = Vec::with_capacity(n * n);
    for (i, a) in before.iter().enumerate() {
        pairs.extend(found.iter().enumerate().map(|(j, b)| (modulus(*a - *b), i, j)));
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    let mut ordered = vec![None; n];
    let mut used = vec![false; found.len()];
    for (_, i, j) in pairs {
        if ordered[i].is_none() && !used[j] {
            ordered[i] = Some(found[j]);
            used[j] = true;
        }
    }
    ordered.into_iter().map(|z| z.unwrap_or(Complex::new(f64::INFINITY, 0.0))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// k/(s(s + 2)): two real branches meet at −1 for k = 1, then leave at a right angle with real part −1.
    #[test]
    fn two_branches_meet_and_leave() {
        let (gains, poles) =
            root_locus(&Transfer::new(&[1.0], &[1.0, 2.0, 0.0], None).expect("proper")).expect("a locus");
        assert!(gains.windows(2).all(|k| k[0] < k[1]) && gains[0] == 0.0);
        assert!(gains.iter().any(|k| (k - 1.0).abs() < 1e-9), "the breakaway point is there");
        for (k, poles) in gains.iter().zip(&poles) {
            for s in poles {
                let residual = *s * *s + *s * 2.0 + Complex::from(*k);
                assert!(modulus(residual) < 1e-9 * (1.0 + k), "{k}: {s:?}");
            }
            if *k > 1.0 + 1e-6 {
                assert!((poles[0].re + 1.0).abs() < 1e-6 && (poles[0].im + poles[1].im).abs() < 1e-9, "{k} {poles:?}");
            }
        }
        for pair in poles.windows(2) {
            // within the picture, three times as large as poles and zeros need
            let inside = pair[0].iter().zip(&pair[1]).filter(|(a, _)| modulus(**a) < 6.0);
            let jumps = inside.map(|(a, b)| modulus(*a - *b));
            assert!(jumps.fold(0.0, f64::max) < 0.05, "a branch does not jump: {pair:?}");
        }
    }

    /// The branch from the pole −1 ends in the zero −3.
    #[test]
    fn branches_end_in_zeros() {
        let open = Transfer::new(&[2.0, 6.0], &[1.0, 3.0, 2.0, 0.0], None).expect("proper");
        let (_, poles) = root_locus(&open).expect("a locus");
        let last = poles.last().expect("more than the start");
        assert!(last.iter().any(|p| modulus(*p + Complex::from(3.0)) < 0.05), "{last:?}");
    }
}
