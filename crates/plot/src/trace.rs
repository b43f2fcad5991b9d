//! From the numbers of a series to its shape in device coordinates: broken at NaN, split at jumps,
//! cut at the frame and thinned.

use crate::axis::Span;
use crate::clip;
use crate::figure::{Scale, Series, Style};
use crate::scene::{Point, Rect};
use crate::thin;

/// Points this far outside the frame are still kept, so that the caps of cut lines do not show.
const MARGIN: f64 = 8.0;

/// Where values land: the axes of a panel and its rectangle.
#[derive(Clone, Copy)]
pub struct Frame {
    pub x: Span,
    pub y: Span,
    pub rect: Rect,
}

/// The shape of one series.
#[derive(Debug, Default)]
pub struct Trace {
    /// Lines, each of at least two points.
    pub lines: Vec<Vec<Point>>,
    /// The upright connections of jumps.
    pub jumps: Vec<Vec<Point>>,
    /// Places of markers, and lines of a single point.
    pub dots: Vec<Point>,
    /// Closed rings of a region.
    pub region: Vec<Vec<Point>>,
    /// Closed rings of the band.
    pub band: Vec<Vec<Point>>,
}

impl Frame {
    /// The place of a pair of values, which may lie outside the rectangle.
    pub fn place(&self, x: f64, y: f64) -> Option<Point> {
        Some(Point {
            x: self.rect.left + self.rect.width * self.x.fraction(x)?,
            y: self.rect.bottom() - self.rect.height * self.y.fraction(y)?,
        })
    }
}

/// What an empty panel says, for blank axes could be taken for a result.
pub const NOTHING: &str = "no finite values";

/// Whether a series has a point that can be drawn on these axes, be it outside their ranges.
pub fn is_drawable(series: &Series, frame: &Frame) -> bool {
    series.points().any(|(x, y)| frame.place(x, y).is_some())
}

/// The shape of a series in a frame.
pub fn trace(series: &Series, frame: &Frame) -> Trace {
    let mut trace = Trace::default();
    let rect = frame.rect.grown(MARGIN);
    let runs = runs(series, frame);
    match series.style {
        Style::Line => {
            for run in runs {
                let (lines, jumps) = split_at_jumps(&run);
                trace.jumps.extend(jumps.iter().flat_map(|jump| clip::polyline(jump, &rect)));
                add_lines(&mut trace, &lines, &rect);
            }
        }
        Style::Curve => add_lines(&mut trace, &runs, &rect),
        Style::Jumps => trace.jumps.extend(runs.iter().flat_map(|run| clip::polyline(run, &rect))),
        Style::Steps => {
            let stairs: Vec<Vec<Point>> = runs.iter().map(|run| stairs(run)).collect();
            add_lines(&mut trace, &stairs, &rect);
        }
        Style::Points => trace.dots = visible(runs.into_iter().flatten(), &frame.rect),
        Style::Markers => {
            add_lines(&mut trace, &runs, &rect);
            trace.dots = visible(runs.into_iter().flatten(), &frame.rect);
        }
        Style::Region => {
            for mut run in runs.into_iter().filter(|run| run.len() > 2) {
                trace.region.push(thin::polyline(clip::polygon(&run, &rect)));
                run.push(run[0]);
                add_lines(&mut trace, &[run], &rect);
            }
            trace.region.retain(|ring| ring.len() > 2);
        }
    }
    trace.lines = thin::crowd(std::mem::take(&mut trace.lines));
    trace.dots = thin::dots(std::mem::take(&mut trace.dots));
    trace.band = band(series, frame, &rect);
    trace
}

/// Stretches of points that have a place, between points that have none.
fn runs(series: &Series, frame: &Frame) -> Vec<Vec<Point>> {
    let places: Vec<Option<Point>> = series.points().map(|(x, y)| frame.place(x, y)).collect();
    places
        .split(Option::is_none)
        .map(|run| run.iter().flatten().copied().collect())
        .filter(|run: &Vec<_>| !run.is_empty())
        .collect()
}

fn add_lines(trace: &mut Trace, lines: &[Vec<Point>], rect: &Rect) {
    for piece in lines.iter().flat_map(|line| clip::polyline(line, rect)) {
        let thin = thin::polyline(piece);
        match thin.as_slice() {
            [] => {}
            [only] => trace.dots.push(*only),
            _ => trace.lines.push(thin),
        }
    }
}

fn visible(points: impl Iterator<Item = Point>, rect: &Rect) -> Vec<Point> {
    // A hair more than the rectangle, for a point on its edge may be off by a rounding error.
    points.filter(|point| rect.grown(1e-6).contains(*point)).collect()
}

/// Cuts a run where two neighbours share their x. The pieces are lines, the cuts are jumps.
fn split_at_jumps(run: &[Point]) -> (Vec<Vec<Point>>, Vec<Vec<Point>>) {
    let lines: Vec<Vec<Point>> = run.chunk_by(|a, b| a.x != b.x).map(<[Point]>::to_vec).collect();
    let jumps = run.windows(2).filter(|pair| pair[0].x == pair[1].x && pair[0].y != pair[1].y);
    let jumps: Vec<Vec<Point>> = jumps.map(<[Point]>::to_vec).collect();
    // Between two jumps at one time the value is held for no time at all: no dot for it.
    let single = |line: &Vec<Point>| line.len() == 1 && run.len() > 1;
    (lines.into_iter().filter(|line| !single(line)).collect(), jumps)
}

/// The corners of a function that holds each value until the next point.
fn stairs(run: &[Point]) -> Vec<Point> {
    let mut corners = Vec::with_capacity(2 * run.len());
    for pair in run.windows(2) {
        corners.push(pair[0]);
        corners.push(Point { x: pair[1].x, y: pair[0].y });
    }
    corners.extend(run.last());
    corners
}

/// Rings around the stretches where both bounds are known.
fn band(series: &Series, frame: &Frame, rect: &Rect) -> Vec<Vec<Point>> {
    let Some(band) = &series.band else {
        return Vec::new();
    };
    // On a logarithmic axis a lower bound that is not positive reaches down for ever.
    let floor = |bound: f64| if frame.y.scale == Scale::Log && bound <= 0.0 { f64::MIN_POSITIVE } else { bound };
    let mut rings = Vec::new();
    let (mut upper, mut lower): (Vec<Point>, Vec<Point>) = (Vec::new(), Vec::new());
    let mut close = |upper: &mut Vec<Point>, lower: &mut Vec<Point>| {
        let mut ring = thin::polyline(std::mem::take(upper));
        ring.extend(thin::polyline(std::mem::take(lower)).into_iter().rev());
        let ring = clip::polygon(&ring, rect);
        if ring.len() > 2 {
            rings.push(ring);
        }
    };
    for ((x, y), (lo, hi)) in series.points().zip(band.lower.iter().zip(&band.upper)) {
        let places = frame.place(x, floor(*lo)).zip(frame.place(x, floor(*hi)));
        match places {
            Some((below, above)) if y.is_finite() => {
                lower.push(below);
                upper.push(above);
            }
            _ => close(&mut upper, &mut lower),
        }
    }
    close(&mut upper, &mut lower);
    rings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Band, Colour};

    fn frame() -> Frame {
        let span = Span { lo: 0.0, hi: 10.0, scale: Scale::Linear };
        Frame { x: span, y: span, rect: Rect { left: 0.0, top: 0.0, width: 100.0, height: 100.0 } }
    }

    fn series(x: &[f64], y: &[f64], style: Style) -> Series {
        Series { label: String::new(), x: x.to_vec(), y: y.to_vec(), style, colour: Colour::Cycle(0), band: None }
    }

    #[test]
    fn nan_and_infinity_break_a_line() {
        let x = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let y = [1.0, 2.0, f64::NAN, 3.0, 5.0, f64::INFINITY, 4.0];
        let trace = trace(&series(&x, &y, Style::Line), &frame());
        assert_eq!(trace.lines.len(), 2);
        assert_eq!(trace.dots.len(), 1, "a lone point is still shown");
    }

    #[test]
    fn two_rows_at_one_time_are_a_jump_in_a_line_but_not_in_a_curve() {
        let (x, y) = ([0.0, 5.0, 5.0, 9.0], [9.0, 1.0, 8.0, 2.0]);
        let line = trace(&series(&x, &y, Style::Line), &frame());
        assert_eq!((line.lines.len(), line.jumps.len()), (2, 1));
        let curve = trace(&series(&x, &y, Style::Curve), &frame());
        assert_eq!((curve.lines.len(), curve.jumps.len()), (1, 0));
    }

    #[test]
    fn jumps_are_dotted_and_apart() {
        let (x, y) = ([1.0, 1.0, f64::NAN, 5.0, 7.0], [1.0, 9.0, f64::NAN, 2.0, 3.0]);
        let trace = trace(&series(&x, &y, Style::Jumps), &frame());
        assert_eq!((trace.lines.len(), trace.jumps.len(), trace.dots.len()), (0, 2, 0));
    }

    #[test]
    fn steps_hold_each_value_until_the_next_point() {
        let trace = trace(&series(&[0.0, 4.0, 8.0], &[2.0, 6.0, 6.0], Style::Steps), &frame());
        let corners: Vec<(f64, f64)> = trace.lines[0].iter().map(|p| (p.x, p.y)).collect();
        assert_eq!(corners, [(0.0, 80.0), (40.0, 80.0), (40.0, 40.0), (80.0, 40.0)]);
    }

    #[test]
    fn a_band_ends_where_a_bound_is_unknown() {
        let mut series = series(&[0.0, 1.0, 2.0, 3.0, 4.0], &[5.0; 5], Style::Line);
        series.band = Some(Band { lower: vec![4.0; 5], upper: vec![6.0, 6.0, f64::NAN, 7.0, 7.0] });
        assert_eq!(trace(&series, &frame()).band.len(), 2);
    }

    #[test]
    fn values_far_outside_stay_near_the_frame() {
        let trace = trace(&series(&[0.0, 5.0, 10.0], &[5.0, 1e300, 5.0], Style::Line), &frame());
        assert!(!trace.lines.is_empty());
        for point in trace.lines.iter().flatten() {
            assert!(frame().rect.grown(MARGIN + 1e-6).contains(*point), "{point:?}");
        }
    }
}
