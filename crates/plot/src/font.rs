//! The embedded font: widths for the layout, outlines for PNG. Noto Sans, SIL Open Font License
//! (`font/OFL.txt`), cut down to Latin, Greek, Cyrillic, super- and subscripts and some operators.

use std::sync::OnceLock;
use ttf_parser::{Face, GlyphId};

static FILE: &[u8] = include_bytes!("../font/NotoSans-subset.ttf");

/// The name by which SVG asks for the same font; the others are about as wide.
pub const FAMILY: &str = "Noto Sans,Open Sans,Segoe UI,Helvetica Neue,Arial,sans-serif";

/// Height of capitals with an accent, per unit of font size.
pub const ASCENT: f64 = 0.86;
/// Depth of letters such as g, per unit of font size.
pub const DESCENT: f64 = 0.24;
/// Height of digits, per unit of font size.
pub const DIGIT_HEIGHT: f64 = 0.714;

/// The parsed font. Parsing reads only the table directory, so it costs microseconds.
pub fn face() -> &'static Face<'static> {
    static FACE: OnceLock<Face<'static>> = OnceLock::new();
    FACE.get_or_init(|| Face::parse(FILE, 0).expect("the embedded font is valid"))
}

/// The glyph of a character; glyph 0 is a box that stands for characters the font lacks.
pub fn glyph(c: char) -> GlyphId {
    face().glyph_index(c).unwrap_or(GlyphId(0))
}

/// The advance of a glyph, per unit of font size.
pub fn advance(glyph: GlyphId) -> f64 {
    f64::from(face().glyph_hor_advance(glyph).unwrap_or(0)) / f64::from(face().units_per_em())
}

/// The width of a line of text.
pub fn width(text: &str, size: f64) -> f64 {
    text.chars().map(|c| advance(glyph(c))).sum::<f64>() * size
}

/// The text, or as much of its beginning as fits into `limit` with an ellipsis.
pub fn fitted(text: &str, size: f64, limit: f64) -> String {
    if width(text, size) <= limit {
        return text.to_string();
    }
    let room = limit - width("…", size);
    let mut used = 0.0;
    let kept: String = text
        .chars()
        .take_while(|c| {
            used += advance(glyph(*c)) * size;
            used <= room
        })
        .collect();
    if kept.is_empty() { String::new() } else { format!("{}…", kept.trim_end()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_symbol_of_the_labels_is_in_the_font() {
        for c in "azAZ09[]()'′″−×·±°µΩαβφϕωλΔΣ⁰¹²³⁴⁵⁶⁷⁸⁹⁻₀₁₉ₙ√∞∂≤≥≈→…ěščřžЖ".chars()
        {
            assert_ne!(glyph(c), GlyphId(0), "{c}");
        }
        assert_eq!(glyph('漢'), GlyphId(0));
    }

    #[test]
    fn fitted_text_is_never_wider_than_its_limit() {
        for limit in [0.0, 5.0, 20.0, 60.0, 500.0] {
            assert!(width(&fitted("angular velocity of the cart", 14.0, limit), 14.0) <= limit);
        }
        assert_eq!(fitted("phi", 14.0, 500.0), "phi");
    }
}
