//! A scene as PNG: tiny-skia fills the shapes, the outlines of the embedded font make the letters.

use crate::font;
use crate::palette;
use crate::scene::{Anchor, Paint, Point, Primitive, Rect, Scene, Text};
use std::fmt;
use tiny_skia::{FillRule, LineCap, LineJoin, Mask, Path, PathBuilder, Pixmap, Stroke, StrokeDash, Transform};

/// Pixels per unit of the scene: sharp on screens of high resolution and in print.
const SCALE: f64 = 2.0;

/// Why a picture could not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlotError {
    /// The image would have more pixels than can be held.
    TooLarge {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// The PNG encoder refused the image.
    Encoding(String),
}

impl fmt::Display for PlotError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            PlotError::TooLarge { width, height } => {
                write!(f, "an image of {width} × {height} pixels is too large; ask for a smaller figure or for SVG")
            }
            PlotError::Encoding(reason) => write!(f, "the image could not be encoded as PNG: {reason}"),
        }
    }
}

impl std::error::Error for PlotError {}

/// The PNG file.
pub fn write(scene: &Scene) -> Result<Vec<u8>, PlotError> {
    let (width, height) = ((scene.width * SCALE).round() as u32, (scene.height * SCALE).round() as u32);
    let too_large = PlotError::TooLarge { width, height };
    // 400 MB of pixels is more than any screen or printer takes.
    if u64::from(width) * u64::from(height) > 100_000_000 {
        return Err(too_large);
    }
    let mut pixmap = Pixmap::new(width, height).ok_or(too_large)?;
    pixmap.fill(tiny_skia::Color::WHITE);
    let mut canvas = Canvas { pixmap, mask: None, transform: Transform::from_scale(SCALE as f32, SCALE as f32) };
    for item in &scene.items {
        canvas.draw(item);
    }
    encode(&canvas.pixmap)
}

struct Canvas {
    pixmap: Pixmap,
    mask: Option<Mask>,
    transform: Transform,
}

impl Canvas {
    fn draw(&mut self, item: &Primitive) {
        match item {
            Primitive::Clip(rect) => self.mask = rect.as_ref().and_then(|rect| self.mask_of(rect)),
            Primitive::Stroke { paths, paint, width, dash } => {
                let dash = StrokeDash::new(dash.iter().map(|length| *length as f32).collect(), 0.0);
                let stroke = Stroke { width: *width as f32, line_join: LineJoin::Round, dash, ..Stroke::default() };
                if let Some(path) = path_of(paths, false) {
                    self.stroke(&path, *paint, &stroke);
                }
            }
            Primitive::Fill { rings, paint, even_odd } => {
                let rule = if *even_odd { FillRule::EvenOdd } else { FillRule::Winding };
                if let Some(path) = path_of(rings, true) {
                    self.fill(&path, *paint, rule);
                }
            }
            Primitive::Dots { centres, radius, paint } => {
                let mut builder = PathBuilder::new();
                for centre in centres {
                    builder.push_circle(centre.x as f32, centre.y as f32, *radius as f32);
                }
                if let Some(path) = builder.finish() {
                    self.fill(&path, *paint, FillRule::Winding);
                }
            }
            Primitive::Text(text) => self.text(text),
        }
    }

    fn fill(&mut self, path: &Path, paint: Paint, rule: FillRule) {
        self.pixmap.fill_path(path, &skia_paint(paint), rule, self.transform, self.mask.as_ref());
    }

    fn stroke(&mut self, path: &Path, paint: Paint, stroke: &Stroke) {
        self.pixmap.stroke_path(path, &skia_paint(paint), stroke, self.transform, self.mask.as_ref());
    }

    fn text(&mut self, text: &Text) {
        let Some(path) = letters(text) else {
            return;
        };
        if text.halo {
            let stroke =
                Stroke { width: 3.0, line_join: LineJoin::Round, line_cap: LineCap::Round, ..Stroke::default() };
            self.stroke(&path, palette::WHITE, &stroke);
        }
        self.fill(&path, text.paint, FillRule::Winding);
    }

    fn mask_of(&self, rect: &Rect) -> Option<Mask> {
        let mut mask = Mask::new(self.pixmap.width(), self.pixmap.height())?;
        let (left, top) = (rect.left as f32, rect.top as f32);
        let rect = tiny_skia::Rect::from_xywh(left, top, rect.width as f32, rect.height as f32)?;
        mask.fill_path(&PathBuilder::from_rect(rect), FillRule::Winding, true, self.transform);
        Some(mask)
    }
}

fn skia_paint(paint: Paint) -> tiny_skia::Paint<'static> {
    let [r, g, b] = paint.rgb;
    let mut out = tiny_skia::Paint::default();
    out.set_color_rgba8(r, g, b, (paint.opacity * 255.0).round() as u8);
    out
}

fn path_of(paths: &[Vec<Point>], closed: bool) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for path in paths {
        for (index, point) in path.iter().enumerate() {
            if index == 0 {
                builder.move_to(point.x as f32, point.y as f32);
            } else {
                builder.line_to(point.x as f32, point.y as f32);
            }
        }
        if closed {
            builder.close();
        }
    }
    builder.finish()
}

/// The outlines of all letters of a text.
fn letters(text: &Text) -> Option<Path> {
    let face = font::face();
    let scale = text.size / f64::from(face.units_per_em());
    let x = match text.anchor {
        Anchor::Start => text.at.x,
        Anchor::Middle => text.at.x - font::width(&text.text, text.size) / 2.0,
        Anchor::End => text.at.x - font::width(&text.text, text.size),
    };
    let mut pen = Pen { builder: PathBuilder::new(), x, y: text.at.y, scale };
    for c in text.text.chars() {
        let glyph = font::glyph(c);
        face.outline_glyph(glyph, &mut pen);
        pen.x += font::advance(glyph) * text.size;
    }
    pen.builder.finish()
}

/// Draws a glyph at the pen position; font coordinates have y upwards.
struct Pen {
    builder: PathBuilder,
    x: f64,
    y: f64,
    scale: f64,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        ((self.x + f64::from(x) * self.scale) as f32, (self.y - f64::from(y) * self.scale) as f32)
    }
}

impl ttf_parser::OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.builder.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.builder.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.builder.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.builder.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.builder.close();
    }
}

fn encode(pixmap: &Pixmap) -> Result<Vec<u8>, PlotError> {
    // The page is opaque, so the alpha channel says nothing.
    let rgb: Vec<u8> = pixmap.data().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    let mut out = Vec::new();
    let failed = |error: png::EncodingError| PlotError::Encoding(error.to_string());
    let mut encoder = png::Encoder::new(&mut out, pixmap.width(), pixmap.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    // 192 dots per inch: twice the 96 of a CSS pixel.
    let per_metre = (96.0 * SCALE / 0.0254).round() as u32;
    let dimensions = png::PixelDimensions { xppu: per_metre, yppu: per_metre, unit: png::Unit::Meter };
    encoder.set_pixel_dims(Some(dimensions));
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&rgb).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(out)
}
