//! The times of rows, generated one by one, and where the rows go.

use std::ops::ControlFlow;

use crate::driver::grid::Grid;
use crate::{Mixture, Piece, Rows, UsageError};
use ordinate_numbers::Octet;

/// The wish to end a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupt;

/// Where the rows go.
pub trait Sink {
    /// The run can be done as it was asked for, and begins.
    fn begin(&mut self) -> ControlFlow<Interrupt> {
        ControlFlow::Continue(())
    }

    /// A row of the result. While the solution slides along boundaries of switches, what depends on their modes is the
    /// mixture of `sliding`; d has the modes of the boundaries themselves then. A row exactly at a crossing shows what
    /// holds behind it.
    fn row(&mut self, t: f64, y: &[f64], d: &[f64], sliding: Option<&Mixture>) -> ControlFlow<Interrupt>;

    /// A step of length `h` up to `t` was accepted.
    fn step(&mut self, _t: f64, _h: f64, _order: u32) -> ControlFlow<Interrupt> {
        ControlFlow::Continue(())
    }

    /// Whether the polynomials of accepted steps are wanted.
    fn keeps_pieces(&self) -> bool {
        false
    }

    /// The states along an accepted step, up to where it ended.
    fn piece(&mut self, _piece: Piece) {}

    /// The solution at the start and at the end of every step, and once more where an event has changed it.
    fn passed(&mut self, _t: f64, _y: &[f64]) {}

    /// One side of an event at which the solution crossed this switch, given as to [`Sink::row`]: the one before it, then the one
    /// behind. Events of the clock are not told: every run has them at the same time.
    fn side_of_event(
        &mut self,
        _switch: usize,
        _behind: bool,
        _t: f64,
        _y: &[f64],
        _d: &[f64],
        _sliding: Option<&Mixture>,
    ) {
    }

    /// The estimates of (computed − true) of so many rows that follow, state by state, from methods that carry them along.
    fn errors(&mut self, _rows: usize, _errors: &[Octet]) {}

    /// Whether what rows show beside y may have no value, so that [`Sink::is_defined`] is to be asked.
    fn watches(&self) -> bool {
        false
    }

    /// Whether all that the equations determine has a value at a point, which is given as to [`Sink::row`]: a run ends where it has none.
    fn is_defined(&mut self, _t: f64, _y: &[f64], _d: &[f64], _sliding: Option<&Mixture>) -> bool {
        true
    }

    /// Whether [`Sink::examine`] is of use.
    fn examines(&self) -> bool {
        false
    }

    /// A point at which the equations are to be compared with the values, given as to [`Sink::row`].
    fn examine(&mut self, _t: f64, _y: &[f64], _d: &[f64], _sliding: Option<&Mixture>) -> ControlFlow<Interrupt> {
        ControlFlow::Continue(())
    }

    /// An iterate of Newton's method, from methods that are asked to keep them.
    fn iterate(&mut self, _iterate: &crate::NewtonIterate) {}

    /// Asked every few steps: whether to go on.
    fn progress(&mut self, _t: f64) -> ControlFlow<Interrupt> {
        ControlFlow::Continue(())
    }
}

/// The next time of a row; nothing is stored but what the caller listed.
#[derive(Clone, Debug)]
pub(crate) struct RowTimes<'a> {
    rows: &'a Rows,
    t_start: f64,
    t_end: f64,
    /// Index of the next row.
    index: usize,
    /// Of rows at given distances.
    grid: Grid,
}

impl<'a> RowTimes<'a> {
    pub fn new(rows: &'a Rows, t_start: f64, t_end: f64) -> Result<RowTimes<'a>, UsageError> {
        match rows {
            Rows::At(times) => {
                let mut previous = t_start;
                for &t in times {
                    if !(t >= previous && t <= t_end) {
                        return Err(UsageError::BadRow { t });
                    }
                    previous = t;
                }
            }
            Rows::Every(dt) if !(*dt > 0.0 && dt.is_finite()) => {
                return Err(UsageError::BadStep { what: "row distance", value: *dt });
            }
            Rows::Every(_) | Rows::Even(_) | Rows::Steps => {}
        }
        let grid = Grid::new(t_start, if let Rows::Every(dt) = rows { *dt } else { 1.0 });
        Ok(RowTimes { rows, t_start, t_end, index: 0, grid })
    }

    /// Whether actions and the end add rows of their own.
    pub fn adds_rows(&self) -> bool {
        !matches!(self.rows, Rows::At(_))
    }

    /// Whether every step is a row.
    pub fn is_steps(&self) -> bool {
        matches!(self.rows, Rows::Steps)
    }

    /// The time of the next row, if it is known before the steps are.
    pub fn peek(&self) -> Option<f64> {
        let k = self.index as f64;
        let t = match self.rows {
            Rows::At(times) => *times.get(self.index)?,
            Rows::Even(count) => {
                if self.index >= *count || (self.index > 0 && self.t_start == self.t_end) {
                    return None;
                }
                match (self.index, count - 1) {
                    (0, _) => self.t_start,
                    (index, last) if index == last => self.t_end,
                    // Decimal distances give decimal times only if the product comes first; it may overflow.
                    (_, last) => match (self.t_end - self.t_start) * k / last as f64 {
                        far if far.is_finite() => self.t_start + far,
                        _ => self.t_start + (self.t_end - self.t_start) * (k / last as f64),
                    },
                }
            }
            // A row that misses the end by rounding only is the end.
            Rows::Every(dt) => match self.grid.at(k) {
                t if (t - self.t_end).abs() <= 1e-9 * dt => self.t_end,
                t => t,
            },
            Rows::Steps => return None,
        };
        (t <= self.t_end).then_some(t)
    }

    pub fn advance(&mut self) {
        self.index += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(rows: &Rows) -> Vec<f64> {
        let mut times = RowTimes::new(rows, 0.0, 1.0).unwrap();
        std::iter::from_fn(|| times.peek().inspect(|_| times.advance())).take(20).collect()
    }

    #[test]
    fn an_even_grid_has_both_ends() {
        assert_eq!(all(&Rows::Even(5)), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(all(&Rows::Even(11))[3], 0.3, "a decimal distance gives decimal times");
        let huge = RowTimes { index: 3, ..RowTimes::new(&Rows::Even(5), 0.0, 1e308).unwrap() };
        assert_eq!(huge.peek(), Some(0.75e308));
        assert_eq!(all(&Rows::Even(1)), [0.0]);
        assert_eq!(all(&Rows::Even(0)), [0.0; 0]);
        assert_eq!(RowTimes { index: 1, ..RowTimes::new(&Rows::Even(9), 1.0, 1.0).unwrap() }.peek(), None);
    }

    #[test]
    fn a_grid_by_distance_ends_at_the_end_despite_rounding() {
        let grid = all(&Rows::Every(0.1));
        assert_eq!((grid.len(), grid[10]), (11, 1.0));
        assert_eq!(all(&Rows::Every(0.4)), [0.0, 0.4, 0.8]);
    }

    #[test]
    fn rows_outside_of_the_run_are_refused() {
        for times in [vec![-1.0], vec![0.5, 0.4], vec![1.5], vec![f64::NAN]] {
            assert!(RowTimes::new(&Rows::At(times), 0.0, 1.0).is_err());
        }
    }
}
