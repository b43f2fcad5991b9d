//! Where everything goes: margins, panel rectangles, ranges and ticks. The only place that knows sizes;
//! renderers draw the scene made here.

use crate::axis::{self, Span};
use crate::draw;
use crate::figure::{Figure, Panel, Scale};
use crate::font;
use crate::legend::{self, Head};
use crate::palette;
use crate::scene::{Anchor, Point, Primitive, Rect, Scene, Text};
use crate::ticks::{self, Steps, Tick, Ticks};
use crate::trace::Frame;

/// Font size of tick labels.
pub const TICK_SIZE: f64 = 13.0;
/// Length of a tick.
pub const TICK: f64 = 4.0;
/// Between a tick and its label.
pub const TICK_GAP: f64 = 5.0;
/// The same below the x axis, where a y label at the corner must stay clear of the first x label.
pub const X_TICK_GAP: f64 = 7.0;

const TITLE_SIZE: f64 = 16.0;
const PAD: f64 = 16.0;
/// Right margin, with room for half of the last label of the x axis.
const RIGHT: f64 = 22.0;
const PANEL_GAP: f64 = 12.0;
/// Between columns, beside their own margins.
const COLUMN_GAP: f64 = 8.0;
const X_LABELS: f64 = TICK + X_TICK_GAP + 13.0;
const X_NAME: f64 = 22.0;
/// Empty room between neighbouring labels of the x axis.
const LABEL_GAP: f64 = 16.0;
/// A page is at least this large, and at most as large as an image can be.
const PAGE: std::ops::RangeInclusive<f64> = 40.0..=16_000.0;

/// A panel with everything decided.
pub struct Placed<'a> {
    pub panel: &'a Panel,
    pub frame: Frame,
    pub x_ticks: Ticks,
    pub y_ticks: Ticks,
    pub head: Head,
    /// The heading as far as there is room.
    pub title: String,
    /// Left end and top of the head.
    pub head_at: Point,
    /// Whether tick labels and the name of the x axis stand below the panel.
    pub x_labels: bool,
}

/// The figure as primitives.
pub fn scene(figure: &Figure) -> Scene {
    let side = |length: f64, fallback: f64| {
        if length.is_finite() { length.clamp(*PAGE.start(), *PAGE.end()) } else { fallback }
    };
    let (width, height) = (side(figure.width, 800.0), side(figure.height, 500.0));
    let mut items = Vec::new();
    let mut top = PAD;
    let title = font::fitted(&figure.title, TITLE_SIZE, width - 2.0 * PAD);
    if !title.is_empty() {
        let at = Point { x: PAD, y: top + TITLE_SIZE * 0.85 };
        let (size, paint) = (TITLE_SIZE, palette::INK);
        items.push(Primitive::Text(Text { at, text: title, size, anchor: Anchor::Start, paint, halo: false }));
        top += TITLE_SIZE + 10.0;
    }
    for placed in place(figure, width, height, top) {
        draw::panel(&placed, &mut items);
    }
    Scene { width, height, items }
}

/// Ticks of one axis of a panel, `fits` as in [`ticks::linear`].
pub fn ticks_of(span: &Span, steps: Steps, fits: ticks::Fits) -> Ticks {
    match span.scale {
        Scale::Linear => ticks::linear(span.lo, span.hi, steps, fits),
        Scale::Log => ticks::logarithmic(span.lo, span.hi, fits),
    }
}

fn place(figure: &Figure, width: f64, height: f64, top: f64) -> Vec<Placed<'_>> {
    let mut spans = axis::spans(figure);
    let count = figure.panels.len();
    let columns = figure.columns.clamp(1, count.max(1));
    let has_x_labels = |index: usize| !figure.shared_x || index + columns >= count;
    let column_width = (width - COLUMN_GAP * (columns - 1) as f64) / columns as f64;

    // The head and the labels have fixed heights, the largest ones of a row; what is left is shared out.
    let heads: Vec<Head> = figure
        .panels
        .iter()
        .zip(&spans)
        .map(|(panel, (_, y))| {
            let note = y_ticks(panel, y, 200.0).note;
            legend::head(panel, column_width - PAD - RIGHT, font::width(&note, TICK_SIZE))
        })
        .collect();
    let below = |index: usize| {
        let name = if figure.panels[index].x.label.is_empty() { 0.0 } else { X_NAME };
        if has_x_labels(index) { X_LABELS + name } else { 0.0 }
    };
    let head_height = |index: usize| heads[index].rows as f64 * legend::ROW + 5.0;
    let title_height = |index: usize| if figure.panels[index].title.is_empty() { 0.0 } else { legend::ROW };
    let share = |index: usize| {
        let share = figure.panels[index].share;
        if share.is_finite() { share.clamp(0.01, 100.0) } else { 1.0 }
    };
    let largest = |row: usize, value: &dyn Fn(usize) -> f64| {
        (row * columns..((row + 1) * columns).min(count)).map(value).fold(0.0, f64::max)
    };
    let rows = count.div_ceil(columns);
    let above = |row: usize| largest(row, &head_height) + largest(row, &title_height);
    let fixed: f64 = (0..rows).map(|row| above(row) + largest(row, &below) + PANEL_GAP).sum();
    let free = height - top - PAD + PANEL_GAP - fixed;
    let shares: f64 = (0..rows).map(|row| largest(row, &share)).sum();

    let mut rects: Vec<Rect> = Vec::new();
    let mut next = top;
    for row in 0..rows {
        next += above(row);
        let panel_height = (free * largest(row, &share) / shares).max(10.0).round();
        let rect = Rect { left: 0.0, top: next.round() + 0.5, width: 1.0, height: panel_height };
        rects.extend((row * columns..((row + 1) * columns).min(count)).map(|_| rect));
        next += panel_height + largest(row, &below) + PANEL_GAP;
    }
    for column in 0..columns {
        let left = column as f64 * (column_width + COLUMN_GAP);
        set_sides(figure, &mut spans, &mut rects, (column, columns), left, left + column_width);
    }

    let panels = figure.panels.iter().zip(spans).zip(rects).zip(&heads).enumerate();
    let placed = panels.map(|(index, (((panel, (x, y)), rect), head))| {
        let left = (index % columns) as f64 * (column_width + COLUMN_GAP);
        Placed {
            panel,
            frame: Frame { x, y, rect },
            x_ticks: x_ticks(&x, rect.width),
            y_ticks: y_ticks(panel, &y, rect.height),
            head_at: Point { x: left + PAD, y: rect.top - head_height(index) },
            title: font::fitted(&panel.title, legend::SIZE, column_width - 2.0 * PAD),
            head: head.clone(),
            x_labels: has_x_labels(index),
        }
    });
    placed.collect()
}

/// Left and right margins, the same for all panels of a column so that their axes stand below each other. Equal aspect
/// changes ranges, these change labels, and labels change margins: a few rounds settle it.
fn set_sides(
    figure: &Figure,
    spans: &mut [(Span, Span)],
    rects: &mut [Rect],
    (column, columns): (usize, usize),
    from: f64,
    to: f64,
) {
    let asked = spans.to_vec();
    let (mut left, mut right) = (PAD, RIGHT);
    for _ in 0..3 {
        for index in (column..rects.len()).step_by(columns) {
            let rect = &mut rects[index];
            rect.left = (from + left).round() + 0.5;
            rect.width = (to - right - rect.left).floor().max(10.0);
            spans[index] = asked[index];
            if figure.panels[index].equal_aspect {
                let (x, y) = &mut spans[index];
                axis::equalise(x, y, rect.width, rect.height);
            }
            let (x, y) = &spans[index];
            let widest =
                |ticks: &Ticks| ticks.major.iter().map(|tick| font::width(&tick.label, TICK_SIZE)).fold(0.0, f64::max);
            let y_labels = widest(&y_ticks(&figure.panels[index], y, rect.height));
            left = left.max(PAD + y_labels + TICK_GAP + TICK);
            // The last label is centred below the end of the axis.
            let x_labels = widest(&x_ticks(x, rect.width)) / 2.0;
            right = right.max(x_labels + 6.0);
            left = left.max(x_labels + 6.0);
        }
    }
}

fn x_ticks(span: &Span, width: f64) -> Ticks {
    let fits = |ticks: &[Tick], gap: f64| {
        let widest = ticks.iter().map(|tick| font::width(&tick.label, TICK_SIZE)).fold(0.0, f64::max);
        let room = gap * width;
        room >= widest + LABEL_GAP && room >= 48.0
    };
    ticks_of(span, Steps::Decimal, &fits)
}

fn y_ticks(panel: &Panel, span: &Span, height: f64) -> Ticks {
    // Wider apart in a tall panel, where there is no need for many.
    let least = (height / 5.0).clamp(TICK_SIZE * 1.3, 36.0);
    ticks_of(span, axis::y_steps(panel), &|_: &[Tick], gap: f64| gap * height >= least)
}
