//! Steps of given length: as many terms as the tolerance needs, halved where that would be too many.

use super::method::LinearTaylor;
use super::terms::Unfinished;
use crate::{Point, StepFailure, Trial};

/// A step is not halved further than into so many parts.
const MAX_PARTS: u64 = 1 << 20;
/// h·N above which there is no need to try: more than 64 terms would be needed.
const TOO_LONG: f64 = 24.0;

impl LinearTaylor {
    /// A step of given length.
    pub(super) fn given_step(&mut self, from: &Point, h: f64) -> Result<Trial, StepFailure> {
        let norm = self.engine.as_ref().expect("prepared").scaling.norm;
        let mut parts = 1u64;
        while h * norm / parts as f64 > TOO_LONG && parts < MAX_PARTS {
            parts *= 2;
        }
        loop {
            match self.in_parts(from, h, parts) {
                Ok(order) => {
                    self.order = order;
                    return self.finish(from, h, 0.0);
                }
                Err(Unfinished::TooLong) if parts < MAX_PARTS => parts *= 2,
                Err(Unfinished::TooLong) => return Err(StepFailure::NotFinite { t: from.t + h, component: 0 }),
                Err(Unfinished::NotFinite { place }) => {
                    let component = self.engine.as_ref().expect("prepared").state(place);
                    return Err(StepFailure::NotFinite { t: from.t + h, component });
                }
            }
        }
    }

    /// The step as so many equal parts; the highest order among them.
    fn in_parts(&mut self, from: &Point, h: f64, parts: u64) -> Result<usize, Unfinished> {
        let engine = self.engine.as_mut().expect("prepared");
        let mut y = if engine.has_places() { self.y.clone() } else { from.y.to_vec() };
        let mut change = vec![0.0; y.len()];
        let width = 1.0 / parts as f64;
        self.terms.clear(y.len());
        self.lost_next.copy_from_slice(&self.lost);
        let mut highest = 0;
        for part in 0..parts {
            let begin = part as f64 * width;
            if parts > 1 {
                engine.begin(from.t + begin * h, &y);
                self.begun = false;
            }
            let order = self.terms.until_small(engine, &y, h * width, (begin, width))?;
            highest = highest.max(order);
            self.terms.change(&mut change);
            for ((y, change), lost) in y.iter_mut().zip(&change).zip(&mut self.lost_next) {
                let change = change + *lost;
                let end = *y + change;
                *lost = change - (end - *y);
                *y = end;
            }
        }
        engine.to_states(&y, &mut self.end);
        Ok(highest)
    }
}
