//! Nelder and Mead's search for a smallest value (Comput. J. 7 (1965) 308–313): no derivatives, and the same steps always.

/// The best place and its value, after at most `most` evaluations. Values that are no numbers count as infinite.
pub(super) fn smallest(start: &[f64], step: f64, most: usize, f: &mut dyn FnMut(&[f64]) -> f64) -> (Vec<f64>, f64) {
    let n = start.len();
    let mut count = 0;
    let mut value = |x: &[f64]| {
        count += 1;
        let found = f(x);
        (if found.is_nan() { f64::INFINITY } else { found }, count)
    };
    let mut corners: Vec<(Vec<f64>, f64)> = vec![(start.to_vec(), value(start).0)];
    for k in 0..n {
        let mut x = start.to_vec();
        x[k] += step;
        let found = value(&x).0;
        corners.push((x, found));
    }
    loop {
        corners.sort_by(|a, b| a.1.total_cmp(&b.1));
        let (best, worst) = (corners[0].1, corners[n].1);
        let wide = corners.iter().flat_map(|(x, _)| x.iter().zip(&corners[0].0)).map(|(a, b)| (a - b).abs());
        let wide = wide.fold(0.0, f64::max);
        let flat = worst.is_finite() && worst - best <= FLAT * best.abs();
        if (flat && wide < NARROW) || wide < NARROW * FLAT {
            break;
        }
        let centre: Vec<f64> = (0..n).map(|k| corners[..n].iter().map(|(x, _)| x[k]).sum::<f64>() / n as f64).collect();
        let along = |by: f64| -> Vec<f64> { centre.iter().zip(&corners[n].0).map(|(c, w)| c + by * (w - c)).collect() };
        let (reflected, expanded) = (along(-1.0), along(-2.0));
        let (at_reflected, used) = value(&reflected);
        if used >= most {
            break;
        }
        if at_reflected < best {
            let at_expanded = value(&expanded).0;
            corners[n] = if at_expanded < at_reflected { (expanded, at_expanded) } else { (reflected, at_reflected) };
        } else if at_reflected < corners[n - 1].1 {
            corners[n] = (reflected, at_reflected);
        } else {
            let inside = along(if at_reflected < worst { -0.5 } else { 0.5 });
            let at_inside = value(&inside).0;
            if at_inside < worst.min(at_reflected) {
                corners[n] = (inside, at_inside);
            } else {
                let first = corners[0].0.clone();
                for (x, found) in &mut corners[1..] {
                    x.iter_mut().zip(&first).for_each(|(x, f)| *x = f + 0.5 * (*x - f));
                    *found = value(x).0;
                }
            }
        }
    }
    corners.swap_remove(0)
}

/// Values that differ by less are the same.
const FLAT: f64 = 1e-5;
/// Places that differ by less are the same.
const NARROW: f64 = 1e-3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_valley_of_rosenbrock_is_walked_to_its_end() {
        let mut f = |x: &[f64]| (1.0 - x[0]).powi(2) + 100.0 * (x[1] - x[0] * x[0]).powi(2) + 1.0;
        let (x, value) = smallest(&[-1.2, 1.0], 0.5, 500, &mut f);
        assert!((x[0] - 1.0).abs() < 1e-2 && (x[1] - 1.0).abs() < 2e-2 && value < 1.0001, "{x:?} {value}");
    }

    #[test]
    fn places_without_a_value_are_left() {
        let mut f = |x: &[f64]| if x[0] < 1.0 { f64::NAN } else { (x[0] - 3.0).abs() + 1.0 };
        let (x, _) = smallest(&[2.0], 0.5, 200, &mut f);
        assert!((x[0] - 3.0).abs() < 1e-2, "{x:?}");
    }
}
