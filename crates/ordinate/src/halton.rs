//! Places to begin a search: given ones, and others spread evenly around them, always the same ones.

/// Element `index` of the sequence of van der Corput in a prime base, in (0, 1): J. H. Halton, Numer. Math. 2 (1960) 84–90.
fn radical_inverse(mut index: u32, base: u32) -> f64 {
    let (mut value, mut place) = (0.0, 1.0 / f64::from(base));
    while index > 0 {
        value += f64::from(index % base) * place;
        index /= base;
        place /= f64::from(base);
    }
    value
}

/// So many points of a box; each coordinate has a prime of its own as its base.
pub(crate) fn halton(count: usize, centre: &[f64], half_width: &[f64]) -> Vec<Vec<f64>> {
    let primes: Vec<u32> = (2u32..).filter(|n| (2..*n).all(|d| n % d != 0)).take(centre.len()).collect();
    let coordinate = |index: usize, k: usize| {
        let part = radical_inverse(index as u32 + 1, primes[k]);
        centre[k] + (2.0 * part - 1.0) * half_width[k]
    };
    (0..count).map(|index| (0..centre.len()).map(|k| coordinate(index, k)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_fill_the_box_evenly() {
        let points = halton(64, &[1.0, -2.0], &[1.0, 3.0]);
        for quarter in 0..4 {
            let (right, upper) = (quarter % 2 == 1, quarter / 2 == 1);
            let inside = points.iter().filter(|p| (p[0] > 1.0) == right && (p[1] > -2.0) == upper).count();
            assert!((13..=19).contains(&inside), "{inside} of 64 points in a quarter");
        }
        assert!(points.iter().all(|p| (0.0..=2.0).contains(&p[0]) && (-5.0..=1.0).contains(&p[1])));
    }
}
