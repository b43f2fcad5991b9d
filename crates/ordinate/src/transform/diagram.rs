//! A block diagram of a polynomial system: per state a row of multipliers, gains, an adder and an integrator. Signals
//! are joined by their names, which stay legible where hundreds of lines would not.

use super::Polynomial;
use super::equations::{powers, unsigned};
use crate::short;
use ordinate_plot::scene::{Anchor, Paint, Point, Primitive, Scene, Text};

const INK: Paint = Paint { rgb: [0x33, 0x33, 0x33], opacity: 1.0 };
const FAINT: Paint = Paint { rgb: [0x77, 0x77, 0x77], opacity: 1.0 };
const BLUE: Paint = Paint { rgb: [0x1f, 0x5f, 0xa8], opacity: 1.0 };
const PAPER: Paint = Paint { rgb: [0xff, 0xff, 0xff], opacity: 1.0 };
const SHADE: Paint = Paint { rgb: [0xee, 0xf3, 0xfa], opacity: 1.0 };
/// Height of one term and space between two rows.
const TERM: f64 = 34.0;
const GAP: f64 = 22.0;
const SIZE: f64 = 13.0;
const MARGIN: f64 = 24.0;
/// Where the legend is.
const LEGEND: f64 = 46.0;

struct Drawing {
    items: Vec<Primitive>,
}

fn at(x: f64, y: f64) -> Point {
    Point { x, y }
}

fn width(text: &str) -> f64 {
    let text = Text { at: at(0.0, 0.0), text: text.into(), size: SIZE, anchor: Anchor::Start, paint: INK, halo: false };
    text.bounds().width
}

impl Drawing {
    fn line(&mut self, points: &[Point]) {
        self.items.push(Primitive::Stroke { paths: vec![points.to_vec()], paint: INK, width: 1.2, dash: &[] });
    }

    fn arrow(&mut self, points: &[Point]) {
        self.line(points);
        let [.., from, to] = points else { return };
        let length = (to.x - from.x).hypot(to.y - from.y).max(1e-9);
        let (ux, uy) = ((to.x - from.x) / length, (to.y - from.y) / length);
        let wing = |side: f64| at(to.x - 7.0 * ux - side * 3.0 * uy, to.y - 7.0 * uy + side * 3.0 * ux);
        self.items.push(Primitive::Fill { rings: vec![vec![*to, wing(1.0), wing(-1.0)]], paint: INK, even_odd: false });
    }

    fn shape(&mut self, ring: Vec<Point>, fill: Paint) {
        let mut outline = ring.clone();
        outline.push(ring[0]);
        self.items.push(Primitive::Fill { rings: vec![ring], paint: fill, even_odd: false });
        self.line(&outline);
    }

    fn circle(&mut self, centre: Point, radius: f64, sign: &str) {
        let ring = (0..32).map(|k| {
            let angle = f64::from(k) * std::f64::consts::TAU / 32.0;
            at(centre.x + radius * angle.cos(), centre.y + radius * angle.sin())
        });
        self.shape(ring.collect(), PAPER);
        self.text(at(centre.x, centre.y + 5.0), sign, Anchor::Middle, INK, 15.0);
    }

    /// An adder as tall as its inputs need.
    fn adder(&mut self, centre: Point, half: f64) {
        if half <= 13.0 {
            return self.circle(centre, 13.0, "Σ");
        }
        let corner = |x: f64, y: f64| at(centre.x + x * 13.0, centre.y + y * half);
        self.shape(vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)], PAPER);
        self.text(at(centre.x, centre.y + 5.0), "Σ", Anchor::Middle, INK, 15.0);
    }

    fn text(&mut self, at: Point, text: &str, anchor: Anchor, paint: Paint, size: f64) {
        self.items.push(Primitive::Text(Text { at, text: text.into(), size, anchor, paint, halo: false }));
    }
}

impl Polynomial {
    /// The block diagram as an SVG document.
    pub fn diagram(&self) -> String {
        let mut graph = self.sorted.model.graph.clone();
        let model = &self.sorted.model;
        let names = self.names();
        let start = self.start().ok().map(|(y, _)| y);
        // columns as wide as their widest text
        let mut inputs: f64 = 40.0;
        let mut gains: f64 = 20.0;
        let mut rows: Vec<Vec<(Vec<String>, String, bool)>> = Vec::with_capacity(names.len());
        for terms in &self.equations {
            let mut row = Vec::with_capacity(terms.len());
            for term in terms {
                let (negative, size) = unsigned(&mut graph, term.coefficient);
                let one = graph.constant_value(size) == Some(ordinate_expr::Decimal::ONE);
                let gain = if one { String::new() } else { graph.print(size, &|v| model.name(v)) };
                let factors: Vec<String> = powers(&term.factors)
                    .into_iter()
                    .flat_map(|(f, n)| std::iter::repeat_n(names[f].clone(), n))
                    .collect();
                let gain = if factors.is_empty() && gain.is_empty() { "1".into() } else { gain };
                inputs = factors.iter().map(|f| width(f)).fold(inputs, f64::max);
                gains = gains.max(width(&gain));
                row.push((factors, gain, negative));
            }
            rows.push(row);
        }
        let times = MARGIN + inputs + 46.0;
        let gain_from = times + 34.0;
        let gain_to = gain_from + gains + 34.0;
        let sum = gain_to + 60.0;
        let integrator = sum + 54.0;
        let out = integrator + 44.0;
        let last = names.iter().map(|name| width(name)).fold(0.0, f64::max);
        let meaning_at = out + 40.0 + last + 18.0;
        let meanings: Vec<String> = self.meanings.iter().map(|&e| format!("= {}", model.print(e))).collect();
        let meanings: Vec<String> = meanings.into_iter().map(|m| clipped(&m, 60)).collect();
        let right = meanings.iter().map(|m| width(m)).fold(0.0, f64::max);
        let mut drawing = Drawing { items: Vec::new() };
        let mut y = MARGIN + LEGEND;
        for (k, row) in rows.iter().enumerate() {
            let heights: Vec<f64> =
                row.iter().map(|(factors, ..)| TERM.max(17.0 * factors.len() as f64 + 8.0)).collect();
            let height = heights.iter().sum::<f64>().max(TERM);
            let middle = y + height / 2.0;
            let mut top = y;
            for ((factors, gain, negative), height) in row.iter().zip(&heights) {
                let from = top + height / 2.0;
                top += height;
                draw_term(&mut drawing, factors, gain, from, (times, gain_from, gain_to));
                drawing.arrow(&[at(gain_to, from), at(sum - 13.0, from)]);
                let sign = if *negative { "−" } else { "+" };
                drawing.text(at(sum - 28.0, from - 5.0), sign, Anchor::Middle, INK, 15.0);
            }
            if row.is_empty() {
                drawing.text(at(sum - 40.0, middle + 5.0), "0", Anchor::Middle, INK, SIZE);
                drawing.arrow(&[at(sum - 32.0, middle), at(sum - 13.0, middle)]);
            }
            drawing.adder(at(sum, middle), if row.len() > 1 { height / 2.0 - 5.0 } else { 13.0 });
            drawing.arrow(&[at(sum + 13.0, middle), at(integrator, middle)]);
            let (l, r) = (integrator, integrator + 44.0);
            let shape = vec![
                at(l, middle - 16.0),
                at(r - 12.0, middle - 16.0),
                at(r, middle),
                at(r - 12.0, middle + 16.0),
                at(l, middle + 16.0),
            ];
            drawing.shape(shape, SHADE);
            drawing.text(at(l + 17.0, middle + 6.0), "∫", Anchor::Middle, INK, 18.0);
            if let Some(start) = &start {
                drawing.text(at(l + 16.0, middle - 19.0), &short(start[k] + 0.0), Anchor::Middle, FAINT, 10.0);
            }
            drawing.arrow(&[at(r, middle), at(r + 32.0, middle)]);
            drawing.text(at(r + 38.0, middle + 4.5), &names[k], Anchor::Start, BLUE, SIZE);
            if k >= self.visible {
                drawing.text(at(meaning_at, middle + 4.5), &meanings[k - self.visible], Anchor::Start, FAINT, SIZE);
            }
            y += height + GAP;
        }
        let page = (meaning_at + right + MARGIN).max(520.0);
        let head =
            format!("{}: {} integrators, longest product {}", self.compiled.name, names.len(), self.longest_product());
        drawing.text(at(MARGIN, MARGIN + 8.0), &head, Anchor::Start, INK, 15.0);
        let legend = "× multiplier   ▷ gain   Σ adder   ∫ integrator with its start value; equal names are joined";
        drawing.text(at(MARGIN, MARGIN + 28.0), legend, Anchor::Start, FAINT, 11.0);
        ordinate_plot::svg_of(&Scene { width: page, height: y - GAP + MARGIN, items: drawing.items })
    }
}

/// Inputs, multiplier and gain of one term, up to the column of the adder.
fn draw_term(drawing: &mut Drawing, factors: &[String], gain: &str, y: f64, (times, from, to): (f64, f64, f64)) {
    match factors {
        [] => {
            let half = width(gain) / 2.0 + 8.0;
            let middle = (from + to) / 2.0;
            let ring = vec![
                at(middle - half, y - 12.0),
                at(middle + half, y - 12.0),
                at(middle + half, y + 12.0),
                at(middle - half, y + 12.0),
            ];
            drawing.shape(ring, PAPER);
            drawing.text(at(middle, y + 4.5), gain, Anchor::Middle, INK, SIZE);
            drawing.line(&[at(middle + half, y), at(to, y)]);
            return;
        }
        [only] => {
            drawing.text(at(times - 46.0, y + 4.5), only, Anchor::End, BLUE, SIZE);
            drawing.line(&[at(times - 40.0, y), at(from, y)]);
        }
        several => {
            let n = several.len() as f64;
            for (k, name) in several.iter().enumerate() {
                let own = y + 17.0 * (k as f64 - (n - 1.0) / 2.0);
                drawing.text(at(times - 46.0, own + 4.5), name, Anchor::End, BLUE, SIZE);
                drawing.line(&[at(times - 40.0, own), at(times - 24.0, own), at(times - 10.0, y + (own - y) * 0.3)]);
            }
            drawing.circle(at(times, y), 11.0, "×");
            drawing.line(&[at(times + 11.0, y), at(from, y)]);
        }
    }
    if gain.is_empty() {
        drawing.line(&[at(from, y), at(to, y)]);
        return;
    }
    let end = from + width(gain) + 34.0;
    let ring =
        vec![at(from, y - 14.0), at(end - 14.0, y - 14.0), at(end, y), at(end - 14.0, y + 14.0), at(from, y + 14.0)];
    drawing.shape(ring, PAPER);
    drawing.text(at(from + 8.0, y + 4.5), gain, Anchor::Start, INK, SIZE);
    drawing.line(&[at(end, y), at(to, y)]);
}

/// At most so many characters.
fn clipped(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    let head: String = text.chars().take(most - 1).collect();
    format!("{head}…")
}
