//! The range of an axis, from the data or as asked, and the map from a value to its place on the axis.

use crate::figure::{Axis, Figure, Panel, Scale, Style};
use crate::ticks::Steps;

/// Fractions are kept within ±FAR, so that device coordinates stay finite for any value.
const FAR: f64 = 1e6;

/// Values below this count as zero: further down decimal steps would leave the normal numbers.
const TINY: f64 = 1e-290;

/// An axis whose range is known: `lo < hi`, both finite, both positive on a logarithmic axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    pub lo: f64,
    pub hi: f64,
    pub scale: Scale,
}

/// The dimension of a panel that is being looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Along {
    X,
    Y,
}

impl Span {
    /// The place of a value on the axis, 0 at `lo` and 1 at `hi`; `None` if it has none.
    ///
    /// ```text
    ///   (v/2 − lo/2) / (hi/2 − lo/2)
    /// ```
    /// Halved first, for hi − lo may overflow where both are finite.
    pub fn fraction(&self, value: f64) -> Option<f64> {
        if !value.is_finite() {
            return None;
        }
        let (v, lo, hi) = match self.scale {
            Scale::Linear => (value, self.lo, self.hi),
            Scale::Log if value > 0.0 => (value.log10(), self.lo.log10(), self.hi.log10()),
            Scale::Log => return None,
        };
        Some(((v / 2.0 - lo / 2.0) / (hi / 2.0 - lo / 2.0)).clamp(-FAR, FAR))
    }
}

/// The x and y spans of every panel.
pub fn spans(figure: &Figure) -> Vec<(Span, Span)> {
    let mut found: Vec<(Span, Span)> =
        figure.panels.iter().map(|panel| (span(panel, Along::X), span(panel, Along::Y))).collect();
    if figure.shared_x {
        share_x(figure, &mut found);
    }
    found
}

/// Widens one of two linear spans about its middle, so that a unit is equally long on both axes.
pub fn equalise(x: &mut Span, y: &mut Span, width: f64, height: f64) {
    if x.scale != Scale::Linear || y.scale != Scale::Linear || width <= 0.0 || height <= 0.0 {
        return;
    }
    let per_x = (x.hi / 2.0 - x.lo / 2.0) / width;
    let per_y = (y.hi / 2.0 - y.lo / 2.0) / height;
    let per_unit = per_x.max(per_y);
    for (span, length) in [(x, width), (y, height)] {
        let middle = span.lo / 2.0 + span.hi / 2.0;
        let (lo, hi) = (middle - per_unit * length, middle + per_unit * length);
        if lo.is_finite() && hi.is_finite() && lo < hi {
            (span.lo, span.hi) = (lo, hi);
        }
    }
}

/// What the y axis may count in: whole numbers held over steps, such as the order of a method, get
/// whole ticks, and degrees those of a right angle.
pub fn y_steps(panel: &Panel) -> Steps {
    let mut values = panel.series.iter().flat_map(|series| series.y.iter()).filter(|y| y.is_finite()).peekable();
    let whole = values.peek().is_some()
        && panel.series.iter().all(|series| series.style == Style::Steps)
        && values.all(|y| y.fract() == 0.0 && y.abs() < 1e6);
    if whole {
        Steps::Whole
    } else if panel.y.label.ends_with("[°]") || panel.y.label.ends_with("[deg]") {
        Steps::Degrees
    } else {
        Steps::Decimal
    }
}

/// All panels of the same scale take the union of their x ranges; a range asked for in any panel wins.
fn share_x(figure: &Figure, spans: &mut [(Span, Span)]) {
    for scale in [Scale::Linear, Scale::Log] {
        let alike = |index: &usize| figure.panels[*index].x.scale == scale;
        let asked = (0..spans.len()).filter(alike).find_map(|index| asked_range(&figure.panels[index].x));
        // Panels without a single point would widen the union by their default range.
        let filled = |index: &usize| data_range(&figure.panels[*index], Along::X).is_some();
        let union = (0..spans.len())
            .filter(alike)
            .filter(filled)
            .map(|index| (spans[index].0.lo, spans[index].0.hi))
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        if let Some((lo, hi)) = asked.or(union) {
            for index in (0..spans.len()).filter(alike) {
                spans[index].0 = Span { lo, hi, scale };
            }
        }
    }
}

fn span(panel: &Panel, along: Along) -> Span {
    let axis = match along {
        Along::X => &panel.x,
        Along::Y => &panel.y,
    };
    let scale = axis.scale;
    if let Some((lo, hi)) = asked_range(axis) {
        return Span { lo, hi, scale };
    }
    // A function of time fills its axis; marks at the rim would be cut, and curves should not touch it.
    let fills = |style| matches!(style, Style::Line | Style::Steps);
    let pad = if along == Along::X && panel.series.iter().all(|series| fills(series.style)) { 0.0 } else { 0.05 };
    let (lo, hi) = match (data_range(panel, along), scale) {
        (Some(range), Scale::Linear) => padded_linear(range, pad),
        (Some(range), Scale::Log) => padded_log(range, pad),
        (None, Scale::Linear) => (0.0, 1.0),
        (None, Scale::Log) => (1.0, 10.0),
    };
    Span { lo, hi, scale }
}

fn asked_range(axis: &Axis) -> Option<(f64, f64)> {
    let (a, b) = axis.range?;
    let (lo, hi) = (a.min(b), a.max(b));
    let positive = axis.scale == Scale::Linear || lo > f64::MIN_POSITIVE;
    let wide = hi / 2.0 - lo / 2.0 > 1e-14 * lo.abs().max(hi.abs()) && hi / 2.0 - lo / 2.0 > TINY;
    (lo.is_finite() && hi.is_finite() && positive && wide).then_some((lo, hi))
}

fn padded_linear((lo, hi): (f64, f64), pad: f64) -> (f64, f64) {
    let size = lo.abs().max(hi.abs());
    if size < TINY {
        return (-1.0, 1.0);
    }
    let half = hi / 2.0 - lo / 2.0;
    // A spread of rounding errors is shown as the constant that it is.
    let by = if half <= 1e-14 * size { 0.1 * size } else { 2.0 * pad * half };
    ((lo - by).max(-1e308), (hi + by).min(1e308))
}

fn padded_log((lo, hi): (f64, f64), pad: f64) -> (f64, f64) {
    let (a, b) = (lo.log10(), hi.log10());
    let by = if b - a < 1e-9 { 0.5 } else { pad * (b - a) };
    (10f64.powf((a - by).max(-307.0)), 10f64.powf((b + by).min(308.0)))
}

/// The smallest and largest value that can be drawn.
fn data_range(panel: &Panel, along: Along) -> Option<(f64, f64)> {
    let (x, y) = (panel.x.scale, panel.y.scale);
    let drawable = |value: f64, scale| value.is_finite() && (scale == Scale::Linear || value >= f64::MIN_POSITIVE);
    let mut range: Option<(f64, f64)> = None;
    let mut bands: Option<(f64, f64)> = None;
    for series in &panel.series {
        for (index, point) in series.points().enumerate() {
            if !drawable(point.0, x) || !drawable(point.1, y) {
                continue;
            }
            let value = if along == Along::X { point.0 } else { point.1 };
            range = Some(widened(range, value));
            if let (Along::Y, Some(band)) = (along, &series.band) {
                let bounds = [band.lower.get(index), band.upper.get(index)];
                for bound in bounds.into_iter().flatten().copied().filter(|bound| drawable(*bound, y)) {
                    bands = Some(widened(bands, bound));
                }
            }
        }
    }
    match (range, bands) {
        (Some(range), Some(bands)) => Some(with_bands(range, bands, y)),
        _ => range,
    }
}

fn widened(range: Option<(f64, f64)>, value: f64) -> (f64, f64) {
    range.map_or((value, value), |(lo, hi)| (lo.min(value), hi.max(value)))
}

/// A band widens the range by at most the spread of the data on either side: an error that grows
/// without bound must not press the solution flat.
fn with_bands(range: (f64, f64), bands: (f64, f64), scale: Scale) -> (f64, f64) {
    let (lo, hi) = range;
    let (least, most) = match scale {
        Scale::Linear if hi - lo > 0.0 && (hi - lo).is_finite() => (lo - (hi - lo), hi + (hi - lo)),
        Scale::Log if hi > lo => (lo * (lo / hi), hi * (hi / lo)),
        Scale::Linear | Scale::Log => (f64::NEG_INFINITY, f64::INFINITY),
    };
    (lo.min(bands.0.max(least)).max(-1e308), hi.max(bands.1.min(most)).min(1e308))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(y: &[f64], scale: Scale) -> Span {
        let mut panel = Panel::new("t", "y");
        panel.y.scale = scale;
        panel.add("y", (0..y.len()).map(|k| k as f64).collect(), y.to_vec(), Style::Line);
        span(&panel, Along::Y)
    }

    #[test]
    fn every_range_is_finite_and_not_empty() {
        let data: [&[f64]; 9] = [
            &[],
            &[0.0],
            &[3.0, 3.0],
            &[1e-300, 1e300],
            &[-1.7e308, 1.7e308],
            &[f64::NAN, f64::INFINITY],
            &[5e-324, 1e-320],
            &[1.0, 1.0 + f64::EPSILON],
            &[-4.0, f64::NAN, -7.0],
        ];
        for y in data {
            for scale in [Scale::Linear, Scale::Log] {
                let span = of(y, scale);
                assert!(span.lo < span.hi && span.lo.is_finite() && span.hi.is_finite(), "{y:?} {span:?}");
                assert!(scale == Scale::Linear || span.lo > 0.0, "{y:?} {span:?}");
                let middle = span.fraction(span.lo / 2.0 + span.hi / 2.0).unwrap();
                assert!((0.0..=1.0).contains(&middle), "{y:?} {span:?}");
            }
        }
    }

    #[test]
    fn equal_aspect_keeps_both_ranges_in_sight() {
        let mut x = Span { lo: -2.0, hi: 0.5, scale: Scale::Linear };
        let mut y = Span { lo: -1.0, hi: 1.0, scale: Scale::Linear };
        equalise(&mut x, &mut y, 600.0, 300.0);
        assert!(x.lo <= -2.0 && x.hi >= 0.5 && y.lo <= -1.0 && y.hi >= 1.0);
        assert!(((x.hi - x.lo) / 600.0 - (y.hi - y.lo) / 300.0).abs() < 1e-12);
    }

    #[test]
    fn a_band_widens_the_range_but_cannot_press_the_data_flat() {
        let mut panel = Panel::new("t", "y");
        let series = panel.add("y", vec![0.0, 1.0], vec![0.0, 1.0], Style::Line);
        series.band = Some(crate::Band { lower: vec![-0.2, -1e9], upper: vec![0.2, 1e9] });
        let (lo, hi) = data_range(&panel, Along::Y).unwrap();
        assert_eq!((lo, hi), (-1.0, 2.0));
    }

    #[test]
    fn panels_that_share_x_show_the_union_of_their_times() {
        let mut figure = Figure::new("");
        for (a, b) in [(0.0, 5.0), (2.0, 9.0)] {
            let mut panel = Panel::new("t", "y");
            panel.add("y", vec![a, b], vec![0.0, 1.0], Style::Line);
            figure.panels.push(panel);
        }
        figure.panels.push(Panel::new("t", "empty"));
        for (x, _) in spans(&figure) {
            assert_eq!((x.lo, x.hi), (0.0, 9.0));
        }
    }
}
