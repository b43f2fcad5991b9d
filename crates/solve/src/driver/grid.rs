//! Times at equal distances, as they are written: 0.1, 0.2, 0.3, where the third multiple of the double 0.1 is
//! 0.30000000000000004. What happens every 0.1 and what happens every 0.3 must meet there.

/// Integers up to this are exact.
const EXACT: f64 = 9007199254740992.0;

/// The times start + k·distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grid {
    pub start: f64,
    pub distance: f64,
    /// Integers with start = s/q and distance = p/q: [s, p, q].
    fraction: Option<[f64; 3]>,
}

impl Grid {
    pub fn new(start: f64, distance: f64) -> Grid {
        Grid { start, distance, fraction: fraction(start, distance) }
    }

    /// start + k·distance for an integer k, rounded once where both are short decimals.
    pub fn at(&self, k: f64) -> f64 {
        if let Some([s, p, q]) = self.fraction {
            let steps = k * p;
            if steps.abs() < EXACT && (s + steps).abs() < EXACT {
                return (s + steps) / q;
            }
        }
        // A product, not a sum: rounding does not add up.
        self.start + k * self.distance
    }
}

/// The smallest power of ten of which x is a multiple, but for the last rounding.
fn power_of_ten(x: f64) -> Option<f64> {
    let powers = std::iter::successors(Some(1.0f64), |power| (*power < 1e15).then_some(power * 10.0));
    powers.take_while(|power| (x * power).abs() < EXACT).find(|power| (x * power).round() / power == x)
}

fn fraction(start: f64, distance: f64) -> Option<[f64; 3]> {
    if let (Some(a), Some(b)) = (power_of_ten(start), power_of_ten(distance)) {
        let q = a.max(b);
        let [s, p] = [start, distance].map(|x| (x * q).round());
        return (s.abs() < EXACT && p.abs() < EXACT && s / q == start && p / q == distance).then_some([s, p, q]);
    }
    // 1/3, 1/60
    let q = (1.0 / distance).round();
    (start == 0.0 && q < EXACT && 1.0 / q == distance).then_some([0.0, 1.0, q])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_distances_give_decimal_times() {
        let tenths = Grid::new(0.0, 0.1);
        for k in 0..2000 {
            let text = format!("{}.{}", k / 10, k % 10);
            assert_eq!(tenths.at(f64::from(k)), text.parse::<f64>().unwrap());
        }
        assert_eq!(Grid::new(0.0, 0.3).at(3.0), 0.9);
        assert_eq!(Grid::new(0.7, 0.1).at(2.0), 0.9);
        assert_eq!(Grid::new(-0.3, 0.1).at(3.0), 0.0);
        assert_eq!(Grid::new(0.0, 1e-3).at(144.0), 0.144);
        assert_eq!(Grid::new(0.0, 2.5e-7).at(3.0), 7.5e-7);
        assert_eq!(Grid::new(0.0, 1.0 / 3.0).at(3e6), 1e6);
        assert_eq!(Grid::new(0.0, 1.0 / 60.0).at(6.0), 0.1);
        assert_eq!(Grid::new(1e6, 0.001).at(1.0), 1000000.001);
    }

    #[test]
    fn others_are_products() {
        for (start, distance) in
            [(0.0, 0.1 + 1e-17 * 3.0), (0.1, std::f64::consts::PI), (2f64.sqrt(), 0.1), (1e300, 1e290)]
        {
            let grid = Grid::new(start, distance);
            for k in [1.0, 7.0, 1e5] {
                let plain = start + k * distance;
                assert!((grid.at(k) - plain).abs() <= 2.0 * f64::EPSILON * plain.abs(), "{start} {distance} {k}");
            }
        }
        assert_eq!(Grid::new(0.0, 0.1).at(1e300), 1e299);
    }
}
