//! What a figure holds: panels below and beside each other, their axes, series and marks. No drawing here.

/// A picture: panels stacked from top to bottom, in one column or more.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// A short heading; empty for none.
    pub title: String,
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// From top to bottom; with several columns row by row, from left to right.
    pub panels: Vec<Panel>,
    /// Panels beside each other, at least 1. A terminal shows them below each other.
    pub columns: usize,
    /// All panels show one x range, and only the last one of a column carries its labels.
    pub shared_x: bool,
}

/// One pair of axes with what is drawn in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// A short heading of its own; empty for none.
    pub title: String,
    /// Height relative to the other panels: 1 for a solution, about 0.25 for a strip below it.
    pub share: f64,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Drawn in this order, later ones on top.
    pub series: Vec<Series>,
    /// Straight lines across the panel: events, margins, limits.
    pub marks: Vec<Mark>,
    /// One unit is equally long on both axes; a range grows where needed. For two linear axes.
    pub equal_aspect: bool,
    /// Whether the series are named above the panel.
    pub legend: Legend,
}

/// An axis before its range is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Written at the axis, as `name [unit]`.
    pub label: String,
    /// The range shown; `None` takes it from the data. A range that makes no sense is ignored.
    pub range: Option<(f64, f64)>,
    /// Linear or logarithmic.
    pub scale: Scale,
}

/// How values are spread along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally long.
    Linear,
    /// Equal ratios are equally long; values that are not positive are not drawn.
    Log,
}

/// Named points and the way they are drawn. A NaN or infinite coordinate breaks a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name in the legend; empty for none.
    pub label: String,
    /// Abscissas.
    pub x: Vec<f64>,
    /// Ordinates; surplus entries of the longer vector are not drawn.
    pub y: Vec<f64>,
    /// How the points are joined.
    pub style: Style,
    /// The colour, and with it the dash pattern and the marker shape.
    pub colour: Colour,
    /// A shaded band around the series, such as its error.
    pub band: Option<Band>,
}

/// How the points of a series are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A function of x. Two rows at the same x are a jump, drawn as a thin dotted line.
    Line,
    /// A parametric curve, such as a phase-plane orbit; nothing is a jump.
    Curve,
    /// Thin dotted lines between neighbouring points, such as the jumps of a phase-plane orbit; NaN separates them.
    Jumps,
    /// `y[i]` holds from `x[i]` up to `x[i + 1]`.
    Steps,
    /// Marks that are not joined; dots if there are many.
    Points,
    /// Marks joined by a line.
    Markers,
    /// Closed curves filled by the even-odd rule; NaN separates the curves.
    Region,
}

/// A colour by meaning, so that a renderer may choose its shade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// The n-th colour of the palette; past its end the palette repeats with dashes.
    Cycle(usize),
    /// The colour of text, for what matters most.
    Ink,
    /// For what only helps the eye: a unit circle, a reference slope.
    Grey,
}

/// Lower and upper bounds, one pair per point of the series.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// Lower bounds.
    pub lower: Vec<f64>,
    /// Upper bounds.
    pub upper: Vec<f64>,
}

/// A straight line across a panel at one value of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// The value on the axis that the line crosses.
    pub at: f64,
    /// A short name beside the line; left out where it would cover another one.
    pub label: String,
    /// The way the line runs.
    pub direction: Direction,
}

/// The way a mark runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From bottom to top, at a value of x.
    Vertical,
    /// From left to right, at a value of y.
    Horizontal,
}

/// Whether the series are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Legend {
    /// Named above the panel, unless the y label already names the only series.
    Auto,
    /// Not named.
    Hidden,
}

impl Figure {
    /// An empty figure of 800 × 500 whose panels share the x axis.
    pub fn new(title: &str) -> Figure {
        let (title, panels) = (title.to_string(), Vec::new());
        Figure { title, width: 800.0, height: 500.0, panels, columns: 1, shared_x: true }
    }
}

impl Panel {
    /// An empty panel with linear axes and the given labels.
    pub fn new(x_label: &str, y_label: &str) -> Panel {
        Panel {
            title: String::new(),
            share: 1.0,
            x: Axis::new(x_label),
            y: Axis::new(y_label),
            series: Vec::new(),
            marks: Vec::new(),
            equal_aspect: false,
            legend: Legend::Auto,
        }
    }

    /// Adds a series in the next colour of the palette.
    pub fn add(&mut self, label: &str, x: Vec<f64>, y: Vec<f64>, style: Style) -> &mut Series {
        let index = self.series.iter().filter(|series| matches!(series.colour, Colour::Cycle(_))).count();
        let colour = Colour::Cycle(index);
        self.series.push(Series { label: label.to_string(), x, y, style, colour, band: None });
        self.series.last_mut().expect("a series was just added")
    }
}

impl Axis {
    /// A linear axis whose range comes from the data.
    pub fn new(label: &str) -> Axis {
        Axis { label: label.to_string(), range: None, scale: Scale::Linear }
    }
}

impl Mark {
    /// A line from bottom to top at a value of x, such as an event.
    pub fn vertical(at: f64, label: &str) -> Mark {
        Mark { at, label: label.to_string(), direction: Direction::Vertical }
    }

    /// A line from left to right at a value of y, such as 0 dB.
    pub fn horizontal(at: f64, label: &str) -> Mark {
        Mark { at, label: label.to_string(), direction: Direction::Horizontal }
    }
}

impl Series {
    /// The points in order; the shorter vector ends them.
    pub(crate) fn points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.x.iter().copied().zip(self.y.iter().copied())
    }
}
