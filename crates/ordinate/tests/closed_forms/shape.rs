//! Continuous functions of x made of branches: the text of the model, and the value.

use crate::random::Random;

#[derive(Clone, Debug)]
pub enum Shape {
    /// a + b x
    Line(f64, f64),
    Max(Box<Shape>, Box<Shape>),
    Min(Box<Shape>, Box<Shape>),
    Abs(Box<Shape>),
    Saturate(Box<Shape>, f64, f64),
    /// A condition of its own, with branches that meet: if x < c then a + b (x − c) else a + b₂ (x − c)
    Kink {
        at: f64,
        value: f64,
        below: f64,
        above: f64,
    },
    /// max(0, x − c)²: zero at ordinary points where c is large, and smooth at its threshold
    Late(f64),
    Sum(Box<Shape>, Box<Shape>),
}

impl Shape {
    pub fn random(random: &mut Random, depth: usize) -> Shape {
        let inner = |random: &mut Random| Box::new(Shape::random(random, depth - 1));
        if depth == 0 {
            return Shape::Line(random.between(-2.0, 2.0), random.between(-2.0, 2.0));
        }
        match random.below(7) {
            0 => Shape::Max(inner(random), inner(random)),
            1 => Shape::Min(inner(random), inner(random)),
            2 => Shape::Abs(inner(random)),
            3 => Shape::Saturate(inner(random), random.between(-2.0, -0.2), random.between(0.2, 2.0)),
            4 => Shape::Kink {
                at: random.between(-2.0, 2.0),
                value: random.between(-1.0, 1.0),
                below: random.between(-2.0, 2.0),
                above: random.between(-2.0, 2.0),
            },
            5 => Shape::Late(random.between(-1.0, 2.0)),
            _ => Shape::Sum(inner(random), inner(random)),
        }
    }

    pub fn text(&self) -> String {
        match self {
            Shape::Line(a, b) => format!("({a:?} + ({b:?})*x)"),
            Shape::Max(a, b) => format!("max({}, {})", a.text(), b.text()),
            Shape::Min(a, b) => format!("min({}, {})", a.text(), b.text()),
            Shape::Abs(a) => format!("abs({})", a.text()),
            Shape::Saturate(a, low, high) => format!("saturate({}, {low:?}, {high:?})", a.text()),
            Shape::Kink { at, value, below, above } => {
                format!("({value:?} + (if x < {at:?} then {below:?}*(x - ({at:?})) else {above:?}*(x - ({at:?}))))")
            }
            Shape::Late(c) => format!("max(0, x - ({c:?}))^2"),
            Shape::Sum(a, b) => format!("({} + {})", a.text(), b.text()),
        }
    }

    pub fn at(&self, x: f64) -> f64 {
        match self {
            Shape::Line(a, b) => a + b * x,
            Shape::Max(a, b) => a.at(x).max(b.at(x)),
            Shape::Min(a, b) => a.at(x).min(b.at(x)),
            Shape::Abs(a) => a.at(x).abs(),
            Shape::Saturate(a, low, high) => a.at(x).min(*high).max(*low),
            Shape::Kink { at, value, below, above } => value + (if x < *at { below } else { above }) * (x - at),
            Shape::Late(c) => (x - c).max(0.0).powi(2),
            Shape::Sum(a, b) => a.at(x) + b.at(x),
        }
    }
}
