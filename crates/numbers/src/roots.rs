//! Zeros and minima of functions of one variable, for the search for events.

/// A point and the value there.
pub type At = (f64, f64);

/// A sign change to the last digits: from `v(a) > 0` and `v(b) <= 0` to such points whose distance is at most `width`. T. R. Chandrupatla, Adv. Eng. Softw. 28 (1997) 145–149:
/// inverse quadratic interpolation where it is safe, bisection elsewhere.
pub fn first_beyond(v: &mut dyn FnMut(f64) -> f64, before: At, beyond: At, width: f64) -> (At, At) {
    let ((mut a, mut va), (mut b, mut vb)) = (before, beyond);
    let mut fraction: f64 = 0.5;
    // 200 halvings are more than any interval of doubles has within its exponent range of interest.
    for _ in 0..200 {
        if b - a <= width || vb == 0.0 {
            break;
        }
        // A little aside of the guess, so that the zero is soon enclosed from both sides.
        let aside = (0.5 * width / (b - a)).min(0.5);
        let mut middle = a + fraction.clamp(aside, 1.0 - aside) * (b - a);
        if middle <= a || middle >= b {
            // A width below the resolution of the numbers.
            middle = a + 0.5 * (b - a);
        }
        if middle <= a || middle >= b {
            break;
        }
        let value = v(middle);
        let (gone, v_gone);
        if value > 0.0 {
            (gone, v_gone, a, va) = (a, va, middle, value);
        } else {
            (gone, v_gone, b, vb) = (b, vb, middle, value);
        }
        fraction = inverse_quadratic((a, va), (b, vb), (gone, v_gone)).unwrap_or(0.5);
    }
    ((a, va), (b, vb))
}

/// The neighbours of the first zero of v between `before` and `beyond`. Right after an event v begins at zero and
/// rises; if it does not even do that, the crossing is at once.
pub fn locate(v: &mut dyn FnMut(f64) -> f64, before: At, beyond: At, width: f64) -> (At, At) {
    if before.1 > 0.0 {
        return first_beyond(v, before, beyond, width);
    }
    let mut length = beyond.0 - before.0;
    for _ in 0..40 {
        length *= 0.5;
        let value = v(before.0 + length);
        if value > 0.0 {
            return first_beyond(v, (before.0 + length, value), beyond, width);
        }
    }
    (before, before)
}

/// Where, as a part of [a, b], the inverse parabola through three points is zero; `None` where it is not monotone.
fn inverse_quadratic((a, va): At, (b, vb): At, (c, vc): At) -> Option<f64> {
    // From the end the new point replaced: u, w as in the paper with x₁, x₂ the ends and x₃ the point gone.
    let from_a = (c - a).abs() < (c - b).abs();
    let ((x1, v1), (x2, v2)) = if from_a { ((a, va), (b, vb)) } else { ((b, vb), (a, va)) };
    let xi = (x1 - x2) / (c - x2);
    let phi = (v1 - v2) / (vc - v2);
    if !(phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi) {
        return None;
    }
    let t = v1 / (v2 - v1) * vc / (v2 - vc) + (c - x1) / (x2 - x1) * v1 / (vc - v1) * v2 / (vc - v2);
    let part = if from_a { t } else { 1.0 - t };
    (part > 0.0 && part < 1.0).then_some(part)
}

/// The lowest point of v between two points around a lower one, by the golden section; ends early where v < 0.
pub fn lowest(v: &mut dyn FnMut(f64) -> f64, low: f64, middle: At, high: f64) -> At {
    const GOLDEN: f64 = 0.381966011250105;
    let (mut low, mut high, mut best) = (low, high, middle);
    for _ in 0..60 {
        // A parabola is flat to rounding within the root of the unit roundoff.
        if best.1 < 0.0 || high - low <= 1e-8 * (high - low).max(1e-3) || high - low < 1e-9 {
            break;
        }
        let left = best.0 - low > high - best.0;
        let x = if left { best.0 - GOLDEN * (best.0 - low) } else { best.0 + GOLDEN * (high - best.0) };
        let value = v(x);
        match (value < best.1, left) {
            (true, true) => (high, best) = (best.0, (x, value)),
            (true, false) => (low, best) = (best.0, (x, value)),
            (false, true) => low = x,
            (false, false) => high = x,
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_found_to_the_last_digits_in_few_steps() {
        type Known = (fn(f64) -> f64, f64);
        let functions: [Known; 4] = [
            (|x| 0.5 - x * x, 0.5f64.sqrt()),
            (|x| (0.3 - x).powi(3), 0.3),
            (|x| if x < 0.7 { 1.0 } else { -1.0 }, 0.7),
            (|x| (-50.0 * x).exp() - 1e-9, 1e9f64.ln() / 50.0),
        ];
        for (index, (f, zero)) in functions.into_iter().enumerate() {
            let mut count = 0;
            let mut counted = |x| {
                count += 1;
                f(x)
            };
            let (_, (x, _)) = first_beyond(&mut counted, (0.0, f(0.0)), (1.0, f(1.0)), 1e-16);
            assert!((x - zero).abs() < if index == 1 { 1e-5 } else { 3e-16 }, "{index}: {x}");
            assert!(f(x) <= 0.0, "{index}");
            // Halving alone takes 53.
            assert!(count <= [12, 60, 55, 12][index], "{index}: {count}");
        }
    }

    #[test]
    fn minima_are_found() {
        let mut f = |x: f64| (x - 0.3).powi(2) + 1.0;
        let middle = (0.5, f(0.5));
        let (x, value) = lowest(&mut f, 0.0, middle, 1.0);
        assert!((x - 0.3).abs() < 1e-7 && value < 1.0 + 1e-14);
        let mut dips = |x: f64| (x - 0.3).powi(2) - 1e-3;
        let middle = (0.5, dips(0.5));
        assert!(lowest(&mut dips, 0.0, middle, 1.0).1 < 0.0);
    }
}
