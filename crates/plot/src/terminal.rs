//! A figure as text. A braille character (Unicode 2800 …) holds 2 × 4 dots, which are about square, so
//! series are traced as for SVG, in units of dots. Bands are not shown.

use crate::axis::{self, Span};
use crate::figure::{Colour, Direction, Figure, Panel, Series, Style};
use crate::layout::ticks_of;
use crate::legend;
use crate::palette;
use crate::scene::{Point, Rect};
use crate::ticks::{Steps, Tick, Ticks};
use crate::trace::{self, Frame};

/// The smallest plot in characters; less is not worth reading.
const LEAST: (usize, usize) = (24, 6);

/// Without colours series differ by their dashes: lengths in dots, and how they look in the legend.
const DASHES: [(&[usize], &str); 4] = [(&[1, 0], "⠤⠤⠤"), (&[5, 3], "⠤⠀⠤"), (&[1, 2], "⠄⠠⠀"), (&[7, 2, 1, 2], "⠤⠤⠠")];

/// A panel with its ranges and its share of the rows.
struct Placed<'a> {
    panel: &'a Panel,
    frame: Frame,
    width: usize,
    height: usize,
    y_ticks: Ticks,
}

/// The figure in at most `columns` × `rows` characters, but never fewer than [`LEAST`].
pub fn write(figure: &Figure, columns: usize, rows: usize, color: bool) -> String {
    let (columns, rows) = (columns.clamp(LEAST.0, 1000), rows.clamp(LEAST.1, 1000));
    let mut out: Vec<String> = Vec::new();
    let title = !figure.title.is_empty() && rows > 8;
    if title {
        out.push(shortened(&figure.title, columns));
    }
    let rows = rows - usize::from(title);
    let placed = place(figure, columns, rows);
    let gutter = placed.iter().map(|panel| widest(&panel.y_ticks)).max().unwrap_or(0);
    for (index, panel) in placed.iter().enumerate() {
        out.push(head(panel, columns, color));
        out.extend(body(panel, gutter, color));
        if !figure.shared_x || index + 1 == placed.len() {
            out.extend(foot(panel, gutter, columns));
        }
    }
    let mut text: String = out.iter().map(|line| line.trim_end().to_string() + "\n").collect();
    text.shrink_to_fit();
    text
}

fn place<'a>(figure: &'a Figure, columns: usize, rows: usize) -> Vec<Placed<'a>> {
    let spans = axis::spans(figure);
    // As many panels as have two rows of dots each, beside their head and the labels below.
    let foot = |index: usize, count: usize| if !figure.shared_x || index + 1 == count { 3 } else { 0 };
    let fixed = |count: usize| (0..count).map(|index| 1 + foot(index, count)).sum::<usize>();
    let count = (1..=figure.panels.len()).rev().find(|count| fixed(*count) + 2 * count <= rows).unwrap_or(0);
    let panels = &figure.panels[..count.max(figure.panels.len().min(1))];
    let free = rows.saturating_sub(fixed(panels.len()));
    let share = |panel: &Panel| if panel.share.is_finite() { panel.share.clamp(0.01, 100.0) } else { 1.0 };
    let shares: f64 = panels.iter().map(share).sum();
    let mut heights: Vec<usize> =
        panels.iter().map(|panel| ((free as f64 * share(panel) / shares) as usize).max(2)).collect();
    // Rounding leaves some rows over or takes too many: the largest panel bears it.
    if let Some(tallest) = (0..heights.len()).max_by_key(|index| heights[*index]) {
        let others: usize = heights.iter().sum::<usize>() - heights[tallest];
        heights[tallest] = free.saturating_sub(others).max(1);
    }
    let mut placed = Vec::new();
    let mut gutter = 6;
    // Equal aspect needs the width, the width needs the labels: the second round knows them.
    for _ in 0..2 {
        let width = columns.saturating_sub(gutter + 1).max(4);
        placed = panels
            .iter()
            .zip(&spans)
            .zip(&heights)
            .map(|((panel, spans), height)| place_panel(panel, *spans, width, *height))
            .collect();
        gutter = placed.iter().map(|panel| widest(&panel.y_ticks)).max().unwrap_or(0);
    }
    placed
}

fn place_panel(panel: &Panel, (mut x, mut y): (Span, Span), width: usize, height: usize) -> Placed<'_> {
    // The range ends at the middles of the outermost dots.
    let rect = Rect { left: 0.0, top: 0.0, width: (2 * width - 1) as f64, height: (4 * height - 1) as f64 };
    if panel.equal_aspect {
        axis::equalise(&mut x, &mut y, rect.width, rect.height);
    }
    // A little more than a row, so that rounding cannot put two labels into one.
    let apart = (height as f64 / 5.0).max(1.2);
    let fits = |ticks: &[Tick], gap: f64| gap * height as f64 >= apart || ticks.len() <= 1;
    let y_ticks = ticks_of(&y, axis::y_steps(panel), &fits);
    Placed { panel, frame: Frame { x, y, rect }, width, height, y_ticks }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

fn widest(ticks: &Ticks) -> usize {
    ticks.major.iter().map(|tick| length(&tick.label)).max().unwrap_or(0)
}

fn shortened(text: &str, limit: usize) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if length(&text) <= limit {
        return text;
    }
    text.chars().take(limit.saturating_sub(1)).chain(['…']).collect()
}

fn coloured(text: &str, colour: Colour, color: bool) -> String {
    if color { format!("\x1b[{}m{text}\x1b[0m", palette::ansi(colour)) } else { text.to_string() }
}

/// Dashes of the `index`-th series of a panel and its sample in the legend.
fn dashes(series: &Series, index: usize, color: bool) -> (&'static [usize], &'static str) {
    let (dash, sample) = if color { DASHES[0] } else { DASHES[index % DASHES.len()] };
    match series.style {
        Style::Points => (dash, "⠂"),
        Style::Jumps => (dash, "⠐⠐⠐"),
        Style::Line | Style::Curve | Style::Steps | Style::Markers | Style::Region => (dash, sample),
    }
}

/// Name of the y axis, its note and the legend, as far as they fit.
fn head(placed: &Placed, columns: usize, color: bool) -> String {
    let note = &placed.y_ticks.note;
    let (title, label) = (&placed.panel.title, &placed.panel.y.label);
    let both = if title.is_empty() { label.clone() } else { format!("{title}   {label}") };
    let mut lead = shortened(&both, columns);
    if !note.is_empty() && length(&lead) + 1 + length(note) <= columns {
        lead = format!("{lead} {note}").trim_start().to_string();
    }
    let mut used = length(&lead);
    let named = legend::named(placed.panel);
    for (done, index) in named.iter().enumerate() {
        let series = &placed.panel.series[*index];
        let gap = if used == 0 { "" } else { "   " };
        let label = shortened(&series.label, columns / 3);
        let sample = dashes(series, *index, color).1;
        let entry = length(gap) + length(sample) + 1 + length(&label);
        // Behind every name but the last there is room for the count of those left out.
        let left_out = format!("  … {} more", named.len() - done);
        let rest = if done + 1 < named.len() { length(&left_out) } else { 0 };
        if used + entry + rest > columns {
            if used + length(&left_out) <= columns {
                lead.push_str(&left_out);
            }
            break;
        }
        let sample = coloured(sample, series.colour, color);
        lead.push_str(&format!("{gap}{sample} {label}"));
        used += entry;
    }
    lead
}

/// The rows of dots with the labels of the y axis.
fn body(placed: &Placed, gutter: usize, color: bool) -> Vec<String> {
    let mut canvas = Canvas::new(placed.width, placed.height);
    marks(placed, &mut canvas);
    for (index, series) in placed.panel.series.iter().enumerate() {
        draw(series, &placed.frame, &mut canvas, dashes(series, index, color).0);
    }
    let mut labels: Vec<Option<&str>> = vec![None; placed.height];
    for tick in &placed.y_ticks.major {
        if let Some(fraction) = placed.frame.y.fraction(tick.value) {
            let row = ((1.0 - fraction) * placed.frame.rect.height / 4.0) as usize;
            labels[row.min(placed.height - 1)] = Some(&tick.label);
        }
    }
    let empty = !placed.panel.series.iter().any(|series| trace::is_drawable(series, &placed.frame));
    let row = |(row, label): (usize, &Option<&str>)| {
        let dots = if empty && row == placed.height / 2 {
            let text = shortened(trace::NOTHING, placed.width);
            format!("{text:^width$}", width = placed.width)
        } else {
            canvas.row(row, color)
        };
        match label {
            Some(label) => format!("{label:>gutter$}┤{dots}"),
            None => format!("{:>gutter$}│{dots}", ""),
        }
    };
    labels.iter().enumerate().map(row).collect()
}

/// The x axis, its labels and its name.
fn foot(placed: &Placed, gutter: usize, columns: usize) -> [String; 3] {
    let width = placed.width;
    let fits = |ticks: &[Tick], gap: f64| {
        let widest = ticks.iter().map(|tick| length(&tick.label)).max().unwrap_or(0);
        gap * width as f64 >= (widest + 2).max(8) as f64
    };
    let ticks = ticks_of(&placed.frame.x, Steps::Decimal, &fits);
    let mut line = vec!['─'; width];
    let mut labels = String::new();
    for tick in &ticks.major {
        let Some(fraction) = placed.frame.x.fraction(tick.value) else {
            continue;
        };
        let column = ((fraction * placed.frame.rect.width / 2.0) as usize).min(width - 1);
        line[column] = '┬';
        let size = length(&tick.label);
        let start = (gutter + 1 + column).saturating_sub(size / 2).min(columns.saturating_sub(size));
        let used = length(&labels);
        // At the end of the axis a label moves inwards and may meet its neighbour.
        if used == 0 || start > used {
            labels.push_str(&" ".repeat(start - used));
            labels.push_str(&tick.label);
        }
    }
    let axis: String = line.into_iter().collect();
    let name = shortened(format!("{} {}", placed.panel.x.label, ticks.note).trim(), width);
    let indent = gutter + 1 + (width - length(&name)) / 2;
    [format!("{:>gutter$}└{axis}", ""), labels, format!("{}{name}", " ".repeat(indent))]
}

fn marks(placed: &Placed, canvas: &mut Canvas) {
    let rect = &placed.frame.rect;
    for mark in &placed.panel.marks {
        let span = match mark.direction {
            Direction::Vertical => &placed.frame.x,
            Direction::Horizontal => &placed.frame.y,
        };
        let Some(fraction) = span.fraction(mark.at).filter(|fraction| (0.0..=1.0).contains(fraction)) else {
            continue;
        };
        let ends = match mark.direction {
            Direction::Vertical => [(fraction * rect.width, 0.0), (fraction * rect.width, rect.height)],
            Direction::Horizontal => {
                [(0.0, (1.0 - fraction) * rect.height), (rect.width, (1.0 - fraction) * rect.height)]
            }
        };
        let path = ends.map(|(x, y)| Point { x, y });
        canvas.path(&path, Colour::Grey, &[1, 2]);
    }
}

fn draw(series: &Series, frame: &Frame, canvas: &mut Canvas, dash: &[usize]) {
    let trace = trace::trace(series, frame);
    for jump in &trace.jumps {
        canvas.path(jump, series.colour, &[1, 1]);
    }
    for line in &trace.lines {
        canvas.path(line, series.colour, dash);
    }
    for dot in &trace.dots {
        canvas.dot(*dot, series.colour);
    }
}

/// Dots and the colour of each character; where series meet the later one wins.
struct Canvas {
    width: usize,
    height: usize,
    dots: Vec<u8>,
    colours: Vec<Colour>,
}

impl Canvas {
    fn new(width: usize, height: usize) -> Canvas {
        Canvas { width, height, dots: vec![0; width * height], colours: vec![Colour::Ink; width * height] }
    }

    fn dot(&mut self, at: Point, colour: Colour) {
        let (x, y) = (at.x.round(), at.y.round());
        if x < 0.0 || y < 0.0 || x >= (2 * self.width) as f64 || y >= (4 * self.height) as f64 {
            return;
        }
        let (x, y) = (x as usize, y as usize);
        // Unicode numbers the dots down the columns, but the bottom row came later.
        const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        let cell = y / 4 * self.width + x / 2;
        self.dots[cell] |= BITS[y % 4][x % 2];
        self.colours[cell] = colour;
    }

    /// A polyline with dashes: lengths in dots, on and off in turn.
    fn path(&mut self, points: &[Point], colour: Colour, dash: &[usize]) {
        let period: usize = dash.iter().sum();
        let mut count = 0;
        for pair in points.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let steps = (b.x - a.x).abs().max((b.y - a.y).abs()).ceil().clamp(1.0, 1e4) as usize;
            for step in 0..=steps {
                let s = step as f64 / steps as f64;
                if is_on(dash, count % period.max(1)) {
                    self.dot(Point { x: a.x + s * (b.x - a.x), y: a.y + s * (b.y - a.y) }, colour);
                }
                // The end of a segment is the start of the next and counts once.
                count += usize::from(step < steps);
            }
        }
    }

    fn row(&self, row: usize, color: bool) -> String {
        let mut out = String::new();
        let mut current: Option<Colour> = None;
        for column in 0..self.width {
            let cell = row * self.width + column;
            let wanted = (color && self.dots[cell] != 0).then_some(self.colours[cell]);
            if wanted != current {
                if current.is_some() {
                    out.push_str("\x1b[0m");
                }
                if let Some(colour) = wanted {
                    out.push_str(&format!("\x1b[{}m", palette::ansi(colour)));
                }
                current = wanted;
            }
            let braille = char::from_u32(0x2800 + u32::from(self.dots[cell])).unwrap_or(' ');
            out.push(if self.dots[cell] == 0 { ' ' } else { braille });
        }
        if current.is_some() {
            out.push_str("\x1b[0m");
        }
        out
    }
}

fn is_on(dash: &[usize], mut place: usize) -> bool {
    for (index, length) in dash.iter().enumerate() {
        if place < *length {
            return index % 2 == 0;
        }
        place -= length;
    }
    true
}
