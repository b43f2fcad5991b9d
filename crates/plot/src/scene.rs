//! The list of primitives between the layout and the renderers: device coordinates, y downwards.

/// A position in device coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Downwards.
    pub y: f64,
}

/// An upright rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub left: f64,
    /// Top edge.
    pub top: f64,
    /// Width, not negative.
    pub width: f64,
    /// Height, not negative.
    pub height: f64,
}

/// Red, green and blue, and an opacity from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paint {
    /// Red, green and blue.
    pub rgb: [u8; 3],
    /// 1 covers what is below.
    pub opacity: f64,
}

/// What a renderer draws, in this order.
#[derive(Clone, Debug, PartialEq)]
pub enum Primitive {
    /// From here on only what lies in the rectangle is drawn; `None` lifts the limit.
    Clip(Option<Rect>),
    /// Open polylines of one colour.
    Stroke {
        /// Each has at least two points.
        paths: Vec<Vec<Point>>,
        /// Colour.
        paint: Paint,
        /// Line width.
        width: f64,
        /// Lengths of dashes and gaps; empty for a solid line.
        dash: &'static [f64],
    },
    /// Closed polygons of one colour.
    Fill {
        /// Each has at least three points.
        rings: Vec<Vec<Point>>,
        /// Colour.
        paint: Paint,
        /// Where rings overlap an even number of times there is a hole; otherwise there is none.
        even_odd: bool,
    },
    /// Discs of one colour and size.
    Dots {
        /// The centres.
        centres: Vec<Point>,
        /// Radius of every disc.
        radius: f64,
        /// Colour.
        paint: Paint,
    },
    /// One line of text.
    Text(Text),
}

/// One line of text on its baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// The point on the baseline named by `anchor`.
    pub at: Point,
    /// What is written.
    pub text: String,
    /// Font size.
    pub size: f64,
    /// Which part of the text stands at `at`.
    pub anchor: Anchor,
    /// Colour.
    pub paint: Paint,
    /// A white rim keeps the text legible over curves.
    pub halo: bool,
}

/// Which part of a text stands at its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The left end.
    Start,
    /// The middle.
    Middle,
    /// The right end.
    End,
}

/// A finished drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Width of the page.
    pub width: f64,
    /// Height of the page.
    pub height: f64,
    /// Drawn in this order on white.
    pub items: Vec<Primitive>,
}

impl Rect {
    /// The right edge.
    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    /// The bottom edge.
    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// The rectangle grown by `by` on every side.
    pub fn grown(&self, by: f64) -> Rect {
        Rect { left: self.left - by, top: self.top - by, width: self.width + 2.0 * by, height: self.height + 2.0 * by }
    }

    /// Whether the point lies inside or on the edge.
    pub fn contains(&self, p: Point) -> bool {
        p.x >= self.left && p.x <= self.right() && p.y >= self.top && p.y <= self.bottom()
    }

    /// Whether two rectangles share some area.
    pub fn overlaps(&self, other: &Rect) -> bool {
        self.left < other.right() && other.left < self.right() && self.top < other.bottom() && other.top < self.bottom()
    }
}

impl Text {
    /// The box around the letters, from the metrics of the embedded font.
    pub fn bounds(&self) -> Rect {
        let width = crate::font::width(&self.text, self.size);
        let left = match self.anchor {
            Anchor::Start => self.at.x,
            Anchor::Middle => self.at.x - width / 2.0,
            Anchor::End => self.at.x - width,
        };
        let (ascent, descent) = (crate::font::ASCENT * self.size, crate::font::DESCENT * self.size);
        Rect { left, top: self.at.y - ascent, width, height: ascent + descent }
    }
}
