//! Draws the picture of the README from the tables of `BENCHMARKS.md`: the time of Ordinate against that of other codes at
//! the same error, one point for each problem. `cargo xtask picture` runs it; the suffix chooses SVG or PNG.

use ordinate_plot::{Colour, Figure, Panel, Scale, Series, Style};
use std::{env, fs};

/// Name in the legend; heading of the section; columns with the times of Ordinate and of the other code.
type Comparison = (&'static str, &'static str, &'static str, &'static str);

const NOT_STIFF: [Comparison; 3] = [
    ("taylor / heyoka, 1e-9", "### taylor against heyoka, error ≤ 1e-09", "taylor µs", "heyoka µs"),
    (
        "taylor / DOP853 in C, 1e-6",
        "### taylor against DOP853 compiled from C, error ≤ 1e-06",
        "taylor µs",
        "DOP853 µs",
    ),
    ("dp8 / DOP853 in C, 1e-6", "### dp8 against DOP853 compiled from C, error ≤ 1e-06", "dp8 µs", "DOP853 µs"),
];

const STIFF: [Comparison; 3] = [
    ("radau / RADAU in Fortran", "### At error 1e-06", "radau µs", "RADAU µs"),
    ("bdf / diffsol in Rust", "### At error 1e-06", "bdf µs", "diffsol µs"),
    ("radau / SciPy Radau", "### At error 1e-06", "radau µs", "SciPy Radau µs"),
];

fn main() {
    let mut arguments = env::args().skip(1);
    let (Some(tables), Some(out)) = (arguments.next(), arguments.next()) else {
        panic!("usage: benchmark BENCHMARKS.md OUT.svg|OUT.png");
    };
    let text = fs::read_to_string(&tables).expect("the tables can be read");
    let mut figure = Figure::new("Time to solve a problem to the same error; below the line Ordinate is faster");
    (figure.width, figure.height, figure.columns, figure.shared_x) = (900.0, 520.0, 2, false);
    figure.panels = vec![
        panel("non-stiff, 34 problems", &NOT_STIFF, &text),
        panel("stiff and differential-algebraic, 5 problems, error 1e-6", &STIFF, &text),
    ];
    let picture =
        if out.ends_with(".png") { figure.to_png().expect("it is small") } else { figure.to_svg().into_bytes() };
    fs::write(out, picture).expect("the picture can be written");
}

fn panel(title: &str, comparisons: &[Comparison], text: &str) -> Panel {
    let mut panel = Panel::new("time of the other code [µs]", "time of Ordinate [µs]");
    panel.title = title.into();
    (panel.x.scale, panel.y.scale) = (Scale::Log, Scale::Log);
    for (label, section, own, other) in comparisons {
        let (own, other) = times(text, section, own, other).into_iter().unzip();
        panel.add(label, other, own, Style::Points);
    }
    let all = || panel.series.iter().flat_map(|series| series.x.iter().chain(&series.y)).copied();
    let ends = vec![all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max)];
    let equal = Series {
        label: String::new(),
        x: ends.clone(),
        y: ends,
        style: Style::Curve,
        colour: Colour::Grey,
        band: None,
    };
    panel.series.insert(0, equal);
    panel
}

/// The pairs of two columns of the first table after a heading, of rows where both are numbers.
fn times(text: &str, section: &str, own: &str, other: &str) -> Vec<(f64, f64)> {
    let rows: Vec<Vec<&str>> = text
        .lines()
        .skip_while(|line| *line != section)
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    let column = |name: &str| {
        rows.first()
            .and_then(|head| head.iter().position(|cell| *cell == name))
            .unwrap_or_else(|| panic!("{section}: {name}"))
    };
    let (own, other) = (column(own), column(other));
    let number = |row: &[&str], k: usize| row.get(k).and_then(|cell| cell.parse().ok());
    rows.iter().filter_map(|row| Some((number(row, own)?, number(row, other)?))).collect()
}
