//! Whether stability limits the steps of the series.

use super::Taylor;
use crate::Point;
use crate::driver::stiffness::hardly_changes;

/// So many tolerances are what counts.
const ONCE_LARGE: f64 = 1e3;

impl Taylor {
    /// The last coefficients of a solution that contains C e^(λt) go like λᵏ/k!, however small C is: their ratio gives
    /// |λ|. The stability interval of order p is about
    /// 0.3679 p + 1.3 long.
    pub(super) fn stiffness_of_series(&mut self, from: &Point) -> Option<f64> {
        if self.order < 2 {
            return None;
        }
        let n = from.y.len();
        let size = |k: usize| self.c[k * n..(k + 1) * n].iter().fold(0.0, |most: f64, c| most.max(c.abs()));
        let (last, before) = (size(self.order), size(self.order - 1));
        let order = self.order as f64;
        if last == 0.0 || before == 0.0 || !(hardly_changes(from.y, &self.y1) || self.has_faded(from)) {
            return Some(0.0);
        }
        // A step that is chosen swings below the limit that a given one may reach.
        let bears = if self.fixed_step { 0.3679 * order + 1.3 } else { 0.25 * order };
        Some(last / before * (self.h / self.scale) * order / bears)
    }

    /// Whether all that the solution once was has faded to where its changes are below the tolerance, which may be large
    /// compared with what is left. A solution that was never above it is followed as if it counted.
    fn has_faded(&mut self, from: &Point) -> bool {
        let of = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        let size = of(&mut from.y.iter().zip(&self.weights).map(|(y, w)| y.abs() * w));
        self.largest = self.largest.max(size);
        let change = of(&mut from.y.iter().zip(&self.y1).zip(&self.weights).map(|((a, b), w)| (b - a).abs() * w));
        change <= 1.0 && self.largest > ONCE_LARGE
    }
}
