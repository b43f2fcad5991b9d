//! A solution as a function of time: the polynomials of its accepted steps, one after the other.

use crate::Piece;

/// The states of a run at any time between its start and where it ended. A state that an event changes has two values there: what is
/// read is the one behind it, at the end of the run the one before it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DenseOutput {
    pieces: Vec<Piece>,
}

impl DenseOutput {
    /// Appends the next step.
    pub fn push(&mut self, piece: Piece) {
        self.pieces.push(piece);
    }

    /// The steps, each with one polynomial per state.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// From where to where the solution is known; `None` without a step.
    pub fn range(&self) -> Option<(f64, f64)> {
        Some((self.pieces.first()?.start, self.pieces.last()?.end))
    }

    /// The states at a time; `None` outside of the range.
    pub fn value(&self, t: f64) -> Option<Vec<f64>> {
        self.value_and_slope(t).map(|(value, _)| value)
    }

    /// The states and their derivatives: those of the polynomials, which are as exact as the steps allow, not f.
    pub fn value_and_slope(&self, t: f64) -> Option<(Vec<f64>, Vec<f64>)> {
        let (from, to) = self.range()?;
        if !(from..=to).contains(&t) {
            return None;
        }
        let piece = &self.pieces[self.pieces.partition_point(|piece| piece.start <= t) - 1];
        // A run may step over an instant at which f has no value: there is nothing between two pieces but rounding.
        let since = (t - piece.start).min(piece.end - piece.start);
        Some((0..piece.forms.len()).map(|state| piece.value_and_slope(state, since)).unzip())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Form;

    /// y = t on [0, 1], then y = 5 − t on [1, 3]: it jumps at 1.
    #[test]
    fn an_event_shows_what_is_behind_it() {
        let piece = |start: f64, end: f64, c: [f64; 2]| Piece {
            start,
            end,
            reach: end,
            unit: end - start,
            forms: vec![Form::Powers(c.to_vec())],
        };
        let mut dense = DenseOutput::default();
        assert_eq!((dense.range(), dense.value(0.0)), (None, None));
        dense.push(piece(0.0, 1.0, [0.0, 1.0]));
        assert_eq!(dense.value(1.0), Some(vec![1.0]));
        dense.push(piece(1.0, 3.0, [4.0, -2.0]));
        assert_eq!(dense.range(), Some((0.0, 3.0)));
        assert_eq!(dense.value_and_slope(0.5), Some((vec![0.5], vec![1.0])));
        assert_eq!(dense.value_and_slope(1.0), Some((vec![4.0], vec![-1.0])));
        assert_eq!(dense.value(3.0), Some(vec![2.0]));
        assert_eq!((dense.value(-0.1), dense.value(3.1), dense.value(f64::NAN)), (None, None, None));
    }
}
