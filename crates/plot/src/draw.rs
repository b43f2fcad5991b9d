//! One placed panel as primitives: grid, series, marks, axes, labels, legend — in this order, so that
//! nothing hides what matters more.

use crate::axis::Span;
use crate::figure::{Direction, Mark, Scale, Series, Style};
use crate::font;
use crate::layout::{Placed, TICK, TICK_GAP, TICK_SIZE, X_TICK_GAP};
use crate::legend;
use crate::palette::{self, faded};
use crate::scene::{Anchor, Paint, Point, Primitive, Rect, Text};
use crate::ticks::Ticks;
use crate::trace::{self, Trace};

const LINE: f64 = 2.0;
const MARKER: f64 = 3.6;

/// Draws a panel.
pub fn panel(placed: &Placed, items: &mut Vec<Primitive>) {
    let rect = placed.frame.rect;
    grid(placed, items);
    // Half a line width more, so that a curve along the edge is not thinner than elsewhere.
    items.push(Primitive::Clip(Some(rect.grown(LINE / 2.0))));
    mark_lines(placed, items);
    let traces: Vec<Trace> = placed.panel.series.iter().map(|series| trace::trace(series, &placed.frame)).collect();
    for (series, trace) in placed.panel.series.iter().zip(&traces) {
        areas(series, trace, items);
    }
    for (series, trace) in placed.panel.series.iter().zip(&traces) {
        // A curve that fills its panel is drawn finer, so that its windings can be told apart.
        let dense = LINE * length_of(&trace.lines) > 0.6 * rect.width * rect.height;
        lines(series, trace, if dense { LINE / 2.0 } else { width_of(series) }, items);
    }
    items.push(Primitive::Clip(None));
    for (series, trace) in placed.panel.series.iter().zip(&traces) {
        markers(series, &trace.dots, items);
    }
    axes(placed, items);
    if !placed.panel.series.iter().any(|series| trace::is_drawable(series, &placed.frame)) {
        let (x, y) = (rect.left + rect.width / 2.0, rect.top + rect.height / 2.0);
        items.push(text(x, y, trace::NOTHING, TICK_SIZE, Anchor::Middle, palette::SOFT_INK));
    }
    tick_labels(placed, items);
    mark_labels(placed, items);
    head(placed, items);
}

fn solid(paths: Vec<Vec<Point>>, paint: Paint, width: f64) -> Primitive {
    Primitive::Stroke { paths, paint, width, dash: &[] }
}

fn text(x: f64, y: f64, text: &str, size: f64, anchor: Anchor, paint: Paint) -> Primitive {
    Primitive::Text(Text { at: Point { x, y }, text: text.to_string(), size, anchor, paint, halo: false })
}

/// The middle of a pixel, where a line one pixel wide is sharp.
fn crisp(position: f64) -> f64 {
    position.floor() + 0.5
}

fn upright(x: f64, rect: &Rect) -> Vec<Point> {
    vec![Point { x, y: rect.top }, Point { x, y: rect.bottom() }]
}

fn level(y: f64, rect: &Rect) -> Vec<Point> {
    vec![Point { x: rect.left, y }, Point { x: rect.right(), y }]
}

fn x_at(span: &Span, rect: &Rect, value: f64) -> Option<f64> {
    let fraction = span.fraction(value).filter(|fraction| (-1e-6..=1.0 + 1e-6).contains(fraction))?;
    Some(rect.left + rect.width * fraction)
}

fn y_at(span: &Span, rect: &Rect, value: f64) -> Option<f64> {
    let fraction = span.fraction(value).filter(|fraction| (-1e-6..=1.0 + 1e-6).contains(fraction))?;
    Some(rect.bottom() - rect.height * fraction)
}

fn grid(placed: &Placed, items: &mut Vec<Primitive>) {
    let (frame, rect) = (&placed.frame, &placed.frame.rect);
    let columns = |values: &mut dyn Iterator<Item = f64>| -> Vec<Vec<Point>> {
        values.filter_map(|v| x_at(&frame.x, rect, v)).map(|x| upright(crisp(x), rect)).collect()
    };
    let rows = |values: &mut dyn Iterator<Item = f64>| -> Vec<Vec<Point>> {
        values.filter_map(|v| y_at(&frame.y, rect, v)).map(|y| level(crisp(y), rect)).collect()
    };
    let minor_places = |ticks: &Ticks| ticks.minor.clone().into_iter();
    // Lines closer than a few pixels would be a grey wash.
    let sparse = |ticks: &Ticks, length: f64| length / (ticks.minor.len() as f64 + 1.0) > 5.0;
    let mut minor = Vec::new();
    if sparse(&placed.x_ticks, rect.width) {
        minor.extend(columns(&mut minor_places(&placed.x_ticks)));
    }
    if sparse(&placed.y_ticks, rect.height) {
        minor.extend(rows(&mut minor_places(&placed.y_ticks)));
    }
    let mut major = columns(&mut placed.x_ticks.major.iter().map(|tick| tick.value));
    major.extend(rows(&mut placed.y_ticks.major.iter().map(|tick| tick.value)));
    let mut zero = Vec::new();
    if frame.y.scale == Scale::Linear && frame.y.lo < 0.0 && frame.y.hi > 0.0 {
        zero.extend(rows(&mut std::iter::once(0.0)));
    }
    if placed.panel.equal_aspect && frame.x.lo < 0.0 && frame.x.hi > 0.0 {
        zero.extend(columns(&mut std::iter::once(0.0)));
    }
    for (paths, paint) in [(minor, palette::MINOR_GRID), (major, palette::GRID), (zero, palette::ZERO)] {
        if !paths.is_empty() {
            items.push(solid(paths, paint, 1.0));
        }
    }
}

fn areas(series: &Series, trace: &Trace, items: &mut Vec<Primitive>) {
    let paint = palette::paint(series.colour);
    for (rings, opacity) in [(&trace.band, 0.2), (&trace.region, 0.16)] {
        if !rings.is_empty() {
            items.push(Primitive::Fill { rings: rings.clone(), paint: faded(paint, opacity), even_odd: true });
        }
    }
}

fn lines(series: &Series, trace: &Trace, width: f64, items: &mut Vec<Primitive>) {
    let (paint, dash) = (palette::paint(series.colour), palette::dash(series.colour));
    if !trace.jumps.is_empty() {
        items.push(Primitive::Stroke {
            paths: trace.jumps.clone(),
            paint: faded(paint, 0.75),
            width: 1.2,
            dash: &[1.5, 3.0],
        });
    }
    if !trace.lines.is_empty() {
        items.push(Primitive::Stroke { paths: trace.lines.clone(), paint, width, dash });
    }
}

fn length_of(lines: &[Vec<Point>]) -> f64 {
    let segments = lines.iter().flat_map(|line| line.windows(2));
    segments.map(|pair| (pair[1].x - pair[0].x).hypot(pair[1].y - pair[0].y)).sum()
}

fn width_of(series: &Series) -> f64 {
    match series.colour {
        crate::Colour::Grey => 1.2,
        crate::Colour::Ink | crate::Colour::Cycle(_) => match series.style {
            Style::Region | Style::Steps => 1.6,
            Style::Line | Style::Curve | Style::Jumps | Style::Points | Style::Markers => LINE,
        },
    }
}

/// Marks with a white rim, so that they stay apart where they crowd; beyond a few hundred only dots.
fn markers(series: &Series, places: &[Point], items: &mut Vec<Primitive>) {
    if places.is_empty() {
        return;
    }
    let paint = palette::paint(series.colour);
    if places.len() > 300 {
        let radius = if places.len() > 2000 { 1.0 } else { 1.6 };
        items.push(Primitive::Dots { centres: places.to_vec(), radius, paint });
        return;
    }
    let shapes = |radius: f64| -> Vec<Vec<Point>> {
        places.iter().filter_map(|place| palette::marker(series.colour, *place, radius)).collect()
    };
    for (radius, paint) in [(MARKER + 1.2, palette::WHITE), (MARKER, paint)] {
        let rings = shapes(radius);
        if rings.is_empty() {
            items.push(Primitive::Dots { centres: places.to_vec(), radius, paint });
        } else {
            items.push(Primitive::Fill { rings, paint, even_odd: false });
        }
    }
}

fn axes(placed: &Placed, items: &mut Vec<Primitive>) {
    let (frame, rect) = (&placed.frame, &placed.frame.rect);
    let mut paths = vec![vec![
        Point { x: rect.left, y: rect.top },
        Point { x: rect.left, y: rect.bottom() },
        Point { x: rect.right(), y: rect.bottom() },
    ]];
    for x in placed.x_ticks.major.iter().filter_map(|tick| x_at(&frame.x, rect, tick.value)) {
        let (x, y) = (crisp(x), rect.bottom());
        paths.push(vec![Point { x, y }, Point { x, y: y + TICK }]);
    }
    for y in placed.y_ticks.major.iter().filter_map(|tick| y_at(&frame.y, rect, tick.value)) {
        let (x, y) = (rect.left, crisp(y));
        paths.push(vec![Point { x: x - TICK, y }, Point { x, y }]);
    }
    items.push(solid(paths, palette::FRAME, 1.0));
}

fn tick_labels(placed: &Placed, items: &mut Vec<Primitive>) {
    let (frame, rect, paint) = (&placed.frame, &placed.frame.rect, palette::SOFT_INK);
    for tick in &placed.y_ticks.major {
        if let Some(y) = y_at(&frame.y, rect, tick.value) {
            let (x, y) = (rect.left - TICK - TICK_GAP, y + font::DIGIT_HEIGHT * TICK_SIZE / 2.0);
            items.push(text(x, y, &tick.label, TICK_SIZE, Anchor::End, paint));
        }
    }
    if !placed.x_labels {
        return;
    }
    let y = rect.bottom() + TICK + X_TICK_GAP + font::DIGIT_HEIGHT * TICK_SIZE;
    for tick in &placed.x_ticks.major {
        if let Some(x) = x_at(&frame.x, rect, tick.value) {
            items.push(text(x, y, &tick.label, TICK_SIZE, Anchor::Middle, paint));
        }
    }
    let y = y + 22.0;
    let note = &placed.x_ticks.note;
    let note_width = font::width(note, TICK_SIZE);
    let name = font::fitted(&placed.panel.x.label, legend::SIZE, (rect.width - 2.0 * note_width - 20.0).max(0.0));
    if !name.is_empty() {
        items.push(text(rect.left + rect.width / 2.0, y, &name, legend::SIZE, Anchor::Middle, palette::INK));
    }
    if !note.is_empty() {
        items.push(text(rect.right(), y, note, TICK_SIZE, Anchor::End, paint));
    }
}

/// Positions of the marks inside the frame, at least a few pixels apart: a thousand bounces must not
/// become a grey block.
fn mark_places<'a>(placed: &'a Placed) -> Vec<(&'a Mark, f64)> {
    let (frame, rect) = (&placed.frame, &placed.frame.rect);
    let mut places: Vec<(&Mark, f64)> = Vec::new();
    for mark in &placed.panel.marks {
        let place = match mark.direction {
            Direction::Vertical => x_at(&frame.x, rect, mark.at),
            Direction::Horizontal => y_at(&frame.y, rect, mark.at),
        };
        let near =
            |other: &(&Mark, f64), place: f64| other.0.direction == mark.direction && (other.1 - place).abs() < 3.0;
        if let Some(place) = place.filter(|place| !places.iter().any(|other| near(other, *place))) {
            places.push((mark, place));
        }
    }
    places
}

fn mark_lines(placed: &Placed, items: &mut Vec<Primitive>) {
    let rect = &placed.frame.rect;
    let paths: Vec<Vec<Point>> = mark_places(placed)
        .into_iter()
        .map(|(mark, place)| match mark.direction {
            Direction::Vertical => upright(crisp(place), rect),
            Direction::Horizontal => level(crisp(place), rect),
        })
        .collect();
    if !paths.is_empty() {
        items.push(Primitive::Stroke { paths, paint: palette::MARK, width: 1.0, dash: &[4.0, 3.0] });
    }
}

/// Names beside the marks, where they cover neither each other nor the edge.
fn mark_labels(placed: &Placed, items: &mut Vec<Primitive>) {
    let rect = &placed.frame.rect;
    let mut taken: Vec<Rect> = Vec::new();
    for (mark, place) in mark_places(placed).into_iter().filter(|(mark, _)| !mark.label.is_empty()) {
        let (near, far) = match mark.direction {
            Direction::Vertical => {
                let y = rect.top + TICK_SIZE;
                ((place + 5.0, y, Anchor::Start), (place - 5.0, y, Anchor::End))
            }
            Direction::Horizontal => {
                let x = rect.right() - 5.0;
                ((x, place - 5.0, Anchor::End), (x, place + TICK_SIZE, Anchor::End))
            }
        };
        for (x, y, anchor) in [near, far] {
            let (at, size, paint) = (Point { x, y }, TICK_SIZE, palette::SOFT_INK);
            let label = Text { at, text: mark.label.clone(), size, anchor, paint, halo: true };
            let bounds = label.bounds();
            let inside = bounds.left >= rect.left
                && bounds.right() <= rect.right()
                && bounds.top >= rect.top - 3.0
                && bounds.bottom() <= rect.bottom();
            if inside && !taken.iter().any(|other| other.overlaps(&bounds)) {
                taken.push(bounds);
                items.push(Primitive::Text(label));
                break;
            }
        }
    }
}

fn head(placed: &Placed, items: &mut Vec<Primitive>) {
    let Point { x: left, y: top } = placed.head_at;
    let head = &placed.head;
    let baseline = |row: usize| top + row as f64 * legend::ROW + 14.0;
    if !placed.title.is_empty() {
        let (x, y) = (left, baseline(0) - legend::ROW);
        items.push(text(x, y, &placed.title, legend::SIZE, Anchor::Start, palette::INK));
    }
    if !head.label.is_empty() {
        items.push(text(left, baseline(0), &head.label, legend::SIZE, Anchor::Start, palette::INK));
    }
    if !placed.y_ticks.note.is_empty() {
        let note = &placed.y_ticks.note;
        items.push(text(left + head.note_left, baseline(0), note, TICK_SIZE, Anchor::Start, palette::SOFT_INK));
    }
    for entry in &head.entries {
        let (x, y) = (left + entry.left, baseline(entry.row));
        let Some(index) = entry.series else {
            items.push(text(x, y, &entry.text, legend::SIZE, Anchor::Start, palette::SOFT_INK));
            continue;
        };
        sample(&placed.panel.series[index], x, y - 5.0, items);
        let name_left = x + legend::SAMPLE + legend::SAMPLE_GAP;
        items.push(text(name_left, y, &entry.text, legend::SIZE, Anchor::Start, palette::INK));
    }
}

/// A short piece of the series as it is drawn in the panel.
fn sample(series: &Series, x: f64, y: f64, items: &mut Vec<Primitive>) {
    let (left, right) = (Point { x, y }, Point { x: x + legend::SAMPLE, y });
    let box_around = |half: f64| {
        vec![
            Point { x: left.x, y: y - half },
            Point { x: right.x, y: y - half },
            Point { x: right.x, y: y + half },
            Point { x: left.x, y: y + half },
        ]
    };
    let mut trace = Trace::default();
    match series.style {
        Style::Points => {}
        Style::Region => {
            let mut ring = box_around(5.0);
            trace.region.push(ring.clone());
            ring.push(ring[0]);
            trace.lines.push(ring);
        }
        Style::Line | Style::Curve | Style::Steps | Style::Markers => trace.lines.push(vec![left, right]),
        Style::Jumps => trace.jumps.push(vec![left, right]),
    }
    if series.band.is_some() {
        trace.band.push(box_around(5.0));
    }
    areas(series, &trace, items);
    lines(series, &trace, width_of(series), items);
    if matches!(series.style, Style::Points | Style::Markers) {
        markers(series, &[Point { x: x + legend::SAMPLE / 2.0, y }], items);
    }
}
