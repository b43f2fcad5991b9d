//! A [`Figure`] is plain data. One layout turns it into a list of primitives ([`scene::Scene`]), and the
//! SVG and PNG writers draw that list; the terminal renderer draws the same traces with braille dots.
//!
//! ```text
//! Figure ─axis, ticks, trace→ layout → Scene ─→ SVG, PNG
//!        └────────────────────────────────────→ braille text
//! ```

mod axis;
mod clip;
mod draw;
mod figure;
mod font;
mod layout;
mod legend;
mod palette;
mod png;
mod region;
pub mod scene;
mod svg;
mod terminal;
mod thin;
pub mod ticks;
mod trace;

pub use figure::{Axis, Band, Colour, Direction, Figure, Legend, Mark, Panel, Scale, Series, Style};
pub use png::PlotError;
pub use region::region;

/// A drawing of one's own as an SVG document.
pub fn svg_of(scene: &scene::Scene) -> String {
    svg::write(scene)
}

impl Figure {
    /// The figure as a list of primitives in device coordinates, which every renderer draws.
    pub fn scene(&self) -> scene::Scene {
        layout::scene(self)
    }

    /// The figure as an SVG document. The same figure always gives the same bytes.
    pub fn to_svg(&self) -> String {
        svg::write(&self.scene())
    }

    /// The figure as a PNG file with two pixels per unit of `width` and `height`.
    pub fn to_png(&self) -> Result<Vec<u8>, PlotError> {
        png::write(&self.scene())
    }

    /// The figure as text of at most `columns` × `rows` characters (but at least 24 × 6), drawn with braille
    /// dots. `color` adds ANSI colours; without them series differ by dashes. Lower panels that have no room
    /// are left out.
    pub fn to_terminal(&self, columns: usize, rows: usize, color: bool) -> String {
        terminal::write(self, columns, rows, color)
    }
}
