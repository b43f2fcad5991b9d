//! Breaking points that are still to come.

/// Times at which a delayed value is not smooth, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Breaks {
    list: Vec<Break>,
    /// Jumps of derivatives beyond this order do not matter.
    pub highest: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Break {
    t: f64,
    /// Which delayed value.
    delay: usize,
    /// Which of its derivatives jumps, at least.
    level: u32,
}

impl Breaks {
    /// The derivative `level` of a delayed value may jump at t; times that differ by `near` are the same.
    pub fn add(&mut self, t: f64, delay: usize, level: u32, near: f64) {
        if level > self.highest && self.highest > 0 {
            return;
        }
        let from = self.list.partition_point(|known| known.t < t - near);
        // Several ways lead to the same point: the least smooth one counts.
        let same = self.list[from..].iter_mut().take_while(|known| known.t <= t + near).find(|k| k.delay == delay);
        match same {
            Some(known) => known.level = known.level.min(level),
            None => {
                let at = self.list.partition_point(|known| known.t <= t);
                self.list.insert(at, Break { t, delay, level });
            }
        }
    }

    /// The first one, infinite if there is none.
    pub fn next(&self) -> f64 {
        self.list.first().map_or(f64::INFINITY, |first| first.t)
    }

    /// Takes those up to t out: the delayed values and what jumps.
    pub fn pass(&mut self, t: f64) -> Option<Vec<(usize, u32)>> {
        let count = self.list.partition_point(|known| known.t <= t);
        (count > 0).then(|| self.list.drain(..count).map(|known| (known.delay, known.level)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_that_differ_by_rounding_are_one() {
        let mut breaks = Breaks { highest: 5, ..Breaks::default() };
        breaks.add(0.3, 0, 2, 1e-15);
        breaks.add(0.1 + 0.2, 0, 1, 1e-15);
        breaks.add(0.1, 1, 0, 1e-15);
        breaks.add(0.2, 0, 6, 1e-15);
        assert_eq!(breaks.next(), 0.1);
        assert_eq!(breaks.pass(0.1), Some(vec![(1, 0)]));
        assert_eq!(breaks.pass(0.2), None);
        assert_eq!(breaks.pass(0.3), Some(vec![(0, 1)]));
        assert_eq!(breaks.next(), f64::INFINITY);
    }
}
