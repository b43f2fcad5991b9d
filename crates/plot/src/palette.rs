//! Colours, dashes and marker shapes. Okabe and Ito, "Color universal design" (2008), without its yellow,
//! which is too light for lines on white, in the order of falling contrast.

use crate::figure::Colour;
use crate::scene::{Paint, Point};

/// Blue, vermilion, bluish green, reddish purple, orange, sky blue, dark grey for black.
const COLOURS: [[u8; 3]; 7] =
    [[0, 114, 178], [213, 94, 0], [0, 158, 115], [204, 121, 167], [230, 159, 0], [86, 180, 233], [64, 64, 64]];

/// The nearest of the sixteen ANSI colours, in the same order.
const ANSI: [u8; 7] = [34, 31, 32, 35, 33, 36, 37];

const DASHES: [&[f64]; 4] = [&[], &[8.0, 4.0], &[2.0, 3.0], &[9.0, 3.0, 2.0, 3.0]];

/// Text and curves that matter most.
pub const INK: Paint = Paint { rgb: [38, 38, 38], opacity: 1.0 };
/// Labels of ticks, less loud than the names of axes.
pub const SOFT_INK: Paint = Paint { rgb: [82, 82, 82], opacity: 1.0 };
/// Axis lines and ticks.
pub const FRAME: Paint = Paint { rgb: [120, 120, 120], opacity: 1.0 };
/// Helping curves.
pub const HELP: Paint = Paint { rgb: [140, 140, 140], opacity: 1.0 };
/// Lines of marks, of which there may be many.
pub const MARK: Paint = Paint { rgb: [165, 165, 165], opacity: 1.0 };
/// Grid lines.
pub const GRID: Paint = Paint { rgb: [230, 230, 230], opacity: 1.0 };
/// Grid lines between the decades of a logarithmic axis.
pub const MINOR_GRID: Paint = Paint { rgb: [243, 243, 243], opacity: 1.0 };
/// The grid line at zero.
pub const ZERO: Paint = Paint { rgb: [196, 196, 196], opacity: 1.0 };
/// The page.
pub const WHITE: Paint = Paint { rgb: [255, 255, 255], opacity: 1.0 };

/// The colour itself.
pub fn paint(colour: Colour) -> Paint {
    match colour {
        Colour::Cycle(index) => Paint { rgb: COLOURS[index % COLOURS.len()], opacity: 1.0 },
        Colour::Ink => INK,
        Colour::Grey => HELP,
    }
}

/// Solid for the first round of the palette, then dashes that differ from round to round.
pub fn dash(colour: Colour) -> &'static [f64] {
    match colour {
        Colour::Cycle(index) => DASHES[index / COLOURS.len() % DASHES.len()],
        Colour::Ink | Colour::Grey => &[],
    }
}

/// The ANSI foreground code.
pub fn ansi(colour: Colour) -> u8 {
    match colour {
        Colour::Cycle(index) => ANSI[index % ANSI.len()],
        Colour::Ink => 39,
        Colour::Grey => 90,
    }
}

/// The corners of a marker around `at`, or `None` for a disc. Areas are about equal.
pub fn marker(colour: Colour, at: Point, radius: f64) -> Option<Vec<Point>> {
    let corners: &[(f64, f64)] = match colour {
        Colour::Ink | Colour::Grey => return None,
        Colour::Cycle(index) => match index % 5 {
            0 => return None,
            1 => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
            2 => &[(0.0, -1.3), (1.2, 0.85), (-1.2, 0.85)],
            3 => &[(0.0, -1.35), (1.2, 0.0), (0.0, 1.35), (-1.2, 0.0)],
            _ => &[(-1.2, -0.85), (1.2, -0.85), (0.0, 1.3)],
        },
    };
    Some(corners.iter().map(|(x, y)| Point { x: at.x + radius * x, y: at.y + radius * y }).collect())
}

/// The paint with another opacity.
pub fn faded(paint: Paint, opacity: f64) -> Paint {
    Paint { opacity, ..paint }
}
