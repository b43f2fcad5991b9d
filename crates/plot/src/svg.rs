//! A scene as SVG. Coordinates are whole hundredths of a pixel, paths are relative: small files, and the
//! same bytes for the same scene. Clipping uses nested `svg` elements, which need no ids, so that several
//! figures can stand in one page.

use crate::font;
use crate::scene::{Anchor, Paint, Point, Primitive, Rect, Scene, Text};
use std::fmt::Write;

/// The SVG document.
pub fn write(scene: &Scene) -> String {
    let (width, height) = (number(scene.width), number(scene.height));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{}\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n",
        font::FAMILY
    );
    let mut clipped = false;
    for item in &scene.items {
        match item {
            Primitive::Clip(rect) => {
                if clipped {
                    out.push_str("</svg>\n");
                }
                clipped = rect.is_some();
                if let Some(rect) = rect {
                    open_clip(&mut out, rect);
                }
            }
            Primitive::Stroke { paths, paint, width, dash } => {
                let mut data = String::new();
                paths.iter().for_each(|path| path_data(&mut data, path, false));
                let dash = if dash.is_empty() {
                    String::new()
                } else {
                    let lengths: Vec<String> = dash.iter().map(|length| number(*length)).collect();
                    format!(" stroke-dasharray=\"{}\"", lengths.join(" "))
                };
                let (colour, width) = (colour("stroke", *paint), number(*width));
                push(
                    &mut out,
                    &format!(
                        "<path fill=\"none\" {colour} stroke-width=\"{width}\"{dash} stroke-linejoin=\"round\" d=\"{data}\"/>"
                    ),
                );
            }
            Primitive::Fill { rings, paint, even_odd } => {
                let mut data = String::new();
                rings.iter().for_each(|ring| path_data(&mut data, ring, true));
                let rule = if *even_odd { " fill-rule=\"evenodd\"" } else { "" };
                push(&mut out, &format!("<path {}{rule} d=\"{data}\"/>", colour("fill", *paint)));
            }
            Primitive::Dots { centres, radius, paint } => {
                // A line of no length with round caps is a disc.
                let mut data = String::new();
                for centre in centres {
                    let _ = write!(data, "M{} {}h0", number(centre.x), number(centre.y));
                }
                let (colour, width) = (colour("stroke", *paint), number(2.0 * radius));
                push(
                    &mut out,
                    &format!(
                        "<path fill=\"none\" {colour} stroke-width=\"{width}\" stroke-linecap=\"round\" d=\"{data}\"/>"
                    ),
                );
            }
            Primitive::Text(text) => write_text(&mut out, text),
        }
    }
    if clipped {
        out.push_str("</svg>\n");
    }
    out.push_str("</svg>\n");
    out
}

fn push(out: &mut String, element: &str) {
    out.push_str(element);
    out.push('\n');
}

fn open_clip(out: &mut String, rect: &Rect) {
    let (x, y, width, height) = (number(rect.left), number(rect.top), number(rect.width), number(rect.height));
    push(
        out,
        &format!(
            "<svg x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" viewBox=\"{x} {y} {width} {height}\" \
             overflow=\"hidden\">"
        ),
    );
}

fn write_text(out: &mut String, text: &Text) {
    let anchor = match text.anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let halo = if text.halo { " stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\"" } else { "" };
    let (x, y, size) = (number(text.at.x), number(text.at.y), number(text.size));
    let fill = colour("fill", text.paint);
    push(
        out,
        &format!("<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{anchor} {fill}{halo}>{}</text>", escaped(&text.text)),
    );
}

fn colour(attribute: &str, paint: Paint) -> String {
    let [r, g, b] = paint.rgb;
    let mut out = format!("{attribute}=\"#{r:02x}{g:02x}{b:02x}\"");
    if paint.opacity < 1.0 {
        let _ = write!(out, " {attribute}-opacity=\"{}\"", number(paint.opacity));
    }
    out
}

/// Relative moves between points rounded first, so that rounding errors do not add up.
fn path_data(out: &mut String, points: &[Point], closed: bool) {
    let mut before: Option<(i64, i64)> = None;
    for point in points {
        let here = (hundredths(point.x), hundredths(point.y));
        match before {
            None => {
                let _ = write!(out, "M{}{}l", decimal(here.0), spaced(here.1));
            }
            Some(last) if last == here && points.len() > 2 => continue,
            Some(last) => {
                let (dx, dy) = (here.0 - last.0, here.1 - last.1);
                let first = if out.ends_with('l') { decimal(dx) } else { spaced(dx) };
                out.push_str(&first);
                out.push_str(&spaced(dy));
            }
        }
        before = Some(here);
    }
    if out.ends_with('l') {
        out.push_str("0 0");
    }
    if closed {
        out.push('z');
    }
}

fn hundredths(value: f64) -> i64 {
    (value * 100.0).round() as i64
}

fn number(value: f64) -> String {
    decimal(hundredths(value))
}

/// Hundredths as a decimal without needless characters: `-50` is `-.5`.
fn decimal(hundredths: i64) -> String {
    let sign = if hundredths < 0 { "-" } else { "" };
    let (whole, part) = (hundredths.unsigned_abs() / 100, hundredths.unsigned_abs() % 100);
    let whole = if whole == 0 && part != 0 { String::new() } else { whole.to_string() };
    match (part, part % 10) {
        (0, _) => format!("{sign}{whole}"),
        (_, 0) => format!("{sign}{whole}.{}", part / 10),
        _ => format!("{sign}{whole}.{part:02}"),
    }
}

/// A minus sign already separates two numbers.
fn spaced(hundredths: i64) -> String {
    let text = decimal(hundredths);
    if text.starts_with('-') { text } else { format!(" {text}") }
}

/// Text for XML 1.0, which forbids most control characters even when escaped.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_short_as_they_can_be() {
        for (value, text) in [(0.0, "0"), (-0.5, "-.5"), (12.0, "12"), (3.456, "3.46"), (-0.004, "0"), (1.05, "1.05")] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn relative_paths_do_not_collect_rounding_errors() {
        let points: Vec<Point> = (0..=1000).map(|k| Point { x: f64::from(k) * 0.333_333, y: 0.0 }).collect();
        let mut data = String::new();
        path_data(&mut data, &points, false);
        let steps: Vec<f64> =
            data.split(['M', 'l', ' ']).filter(|part| !part.is_empty()).map(|part| part.parse().unwrap()).collect();
        let end: f64 = steps.iter().step_by(2).sum();
        assert!((end - 333.333).abs() < 0.01, "{end}");
    }

    #[test]
    fn text_cannot_break_the_document() {
        assert_eq!(escaped("a<b & \"c\"\u{1}"), "a&lt;b &amp; \"c\" ");
    }
}
