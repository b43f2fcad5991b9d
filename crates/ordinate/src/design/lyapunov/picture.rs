//! V and V′ over planes of two states, with the level set that was proved and solutions from many starts.

use super::{Lyapunov, Verdict};
use crate::exploratory_run::simulate;
use crate::{Compiled, methods, short};
use ordinate_plot::{Colour, Figure, Panel, Series, Style, region};

/// Points of the grid along each axis.
const GRID: usize = 161;
/// Level curves of V, and of V′ on each side of zero.
const LEVELS: usize = 9;
/// Starts along each side of the plane.
const STARTS: usize = 4;
/// Rows of a solution.
const ROWS: usize = 1201;
/// A solution is drawn until V has fallen to this part of its value at the start.
const AT_REST: f64 = 0.05;
/// Planes that are drawn of a model with more states than two.
const MOST_PLANES: usize = 3;

/// Two panels for each plane (at most three planes): the level curves of V with the proved level set and solutions, and V′
/// with where it is positive. States that are not drawn have their values at the point.
pub fn lyapunov_figure(compiled: &Compiled, found: &Lyapunov) -> Figure {
    let mut figure = Figure::new(&format!("V = {}", found.v));
    figure.shared_x = false;
    let n = found.states.len();
    if n == 1 {
        figure.panels = lines(found);
        (figure.width, figure.height) = (760.0, 700.0);
        return figure;
    }
    let planes = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).take(MOST_PLANES);
    for (i, j) in planes {
        figure.panels.extend(plane(compiled, found, i, j));
    }
    let rows = figure.panels.len() / 2;
    figure.columns = 2;
    (figure.width, figure.height) = (1180.0, 60.0 + 520.0 * rows as f64);
    figure
}

/// Of a model with one state: V and V′ against it.
fn lines(found: &Lyapunov) -> Vec<Panel> {
    let x = axis(found.region[0]);
    let values: Vec<Vec<f64>> = x.iter().map(|&x| found.values.values(&[x])).collect();
    ["V", "V'"]
        .into_iter()
        .enumerate()
        .map(|(k, name)| {
            let mut panel = Panel::new(&found.states[0], name);
            panel.add(name, x.clone(), values.iter().map(|pair| pair[k]).collect(), Style::Line);
            panel
        })
        .collect()
}

fn axis((low, high): (f64, f64)) -> Vec<f64> {
    (0..GRID).map(|k| low + (high - low) * k as f64 / (GRID - 1) as f64).collect()
}

fn plane(compiled: &Compiled, found: &Lyapunov, i: usize, j: usize) -> [Panel; 2] {
    let (x, y) = (axis(found.region[i]), axis(found.region[j]));
    let mut at = found.point.clone();
    let (mut v, mut rate) = (Vec::with_capacity(GRID * GRID), Vec::with_capacity(GRID * GRID));
    for &y in &y {
        for &x in &x {
            (at[i], at[j]) = (x, y);
            let values = found.values.values(&at);
            v.push(values[0]);
            rate.push(values[1]);
        }
    }
    let panel = |title: &str| {
        let mut panel = Panel::new(&found.states[i], &found.states[j]);
        panel.title = title.to_string();
        panel.x.range = Some(found.region[i]);
        panel.y.range = Some(found.region[j]);
        panel
    };
    let around = |values: &[f64], level: f64| {
        let shifted: Vec<f64> = values.iter().map(|value| value - level).collect();
        region(&x, &y, &shifted)
    };
    let rim = [found.region[i], found.region[j]];
    let mut levels = panel("level curves of V and solutions from many starts");
    if let Some((c, _)) = found.level {
        let (xs, ys) = around(&v, c);
        add(&mut levels, &format!("V ≤ {}", short(c)), (xs, ys), Style::Region, Colour::Cycle(2));
    }
    for (k, level) in spread(&v).into_iter().enumerate() {
        let label = if k == 0 { "level curves of V" } else { "" };
        add(&mut levels, label, curves(around(&v, level), rim), Style::Curve, Colour::Grey);
    }
    for (k, start) in starts(found, i, j).into_iter().enumerate() {
        let t = compiled.run.map_or(0.0, |(from, _)| from);
        let span = compiled.run.map_or(10.0, |(from, to)| to - from);
        let piece = simulate(compiled, &methods::automatic(), (t, &start, &[]), span, ROWS);
        let label = if k == 0 { "solutions" } else { "" };
        // what is almost at rest only blackens the picture
        let begin = found.values.values(&start)[0];
        let moving = piece.y.iter().take_while(|row| found.values.values(row)[0].abs() > AT_REST * begin.abs());
        let curve = moving.map(|row| (row[i], row[j])).unzip();
        add(&mut levels, label, curve, Style::Curve, Colour::Cycle(0));
    }
    add(&mut levels, "the point", (vec![found.point[i]], vec![found.point[j]]), Style::Points, Colour::Ink);
    let mut rates = panel("level curves of V'");
    // beyond rounding: an exact zero is no rise
    let size = rate.iter().filter(|value| value.is_finite()).fold(0.0, |most: f64, value| most.max(value.abs()));
    let rising: Vec<f64> = rate.iter().map(|value| 1e-9 * size - value).collect();
    let (xs, ys) = region(&x, &y, &rising);
    if !xs.is_empty() {
        add(&mut rates, "V' > 0", (xs, ys), Style::Region, Colour::Cycle(1));
    }
    let falling: Vec<f64> = rate.iter().map(|value| -value).collect();
    for (k, level) in spread(&falling).into_iter().enumerate() {
        let label = if k == 0 { "level curves of V'" } else { "" };
        add(&mut rates, label, curves(around(&falling, level), rim), Style::Curve, Colour::Grey);
    }
    if let Some((c, _)) = found.level {
        add(&mut rates, &format!("V = {}", short(c)), curves(around(&v, c), rim), Style::Curve, Colour::Cycle(2));
    }
    if let Verdict::Refuted { at, .. } = &found.not_rising {
        add(&mut rates, "counterexample", (vec![at[i]], vec![at[j]]), Style::Points, Colour::Cycle(3));
    }
    add(&mut rates, "the point", (vec![found.point[i]], vec![found.point[j]]), Style::Points, Colour::Ink);
    [levels, rates]
}

/// The rings of a region as curves: closed, and without what lies on the rim of the picture.
fn curves((x, y): (Vec<f64>, Vec<f64>), rim: [(f64, f64); 2]) -> (Vec<f64>, Vec<f64>) {
    let points: Vec<[f64; 2]> = x.into_iter().zip(y).map(|(x, y)| [x, y]).collect();
    let on_rim =
        |a: &[f64; 2], b: &[f64; 2]| (0..2).any(|k| [rim[k].0, rim[k].1].iter().any(|&end| a[k] == end && b[k] == end));
    let (mut xs, mut ys) = (Vec::new(), Vec::new());
    let mut push = |point: [f64; 2]| {
        xs.push(point[0]);
        ys.push(point[1]);
    };
    for ring in points.split(|point| point[0].is_nan()).filter(|ring| !ring.is_empty()) {
        let mut drawn = false;
        for k in 0..ring.len() {
            let (here, next) = (ring[k], ring[(k + 1) % ring.len()]);
            if on_rim(&here, &next) {
                drawn = false;
                continue;
            }
            if !drawn {
                push([f64::NAN; 2]);
                push(here);
            }
            push(next);
            drawn = true;
        }
    }
    (xs, ys)
}

fn add(panel: &mut Panel, label: &str, (x, y): (Vec<f64>, Vec<f64>), style: Style, colour: Colour) {
    panel.series.push(Series { label: label.to_string(), x, y, style, colour, band: None });
}

/// Levels between the least and the greatest value, denser where the function is small.
fn spread(values: &[f64]) -> Vec<f64> {
    let most = values.iter().copied().filter(|value| value.is_finite()).fold(0.0, f64::max);
    if most <= 0.0 {
        return Vec::new();
    }
    (1..=LEVELS).map(|k| most * (k as f64 / (LEVELS + 1) as f64).powi(2)).collect()
}

/// Starts on the border of the plane and halfway to the point.
fn starts(found: &Lyapunov, i: usize, j: usize) -> Vec<Vec<f64>> {
    let mut starts = Vec::new();
    let mut push = |a: f64, b: f64, shrunk: f64| {
        let place = |k: usize, part: f64| {
            let (low, high) = found.region[k];
            found.point[k] + shrunk * (low + (high - low) * part - found.point[k])
        };
        let mut start = found.point.clone();
        (start[i], start[j]) = (place(i, a), place(j, b));
        starts.push(start);
    };
    for k in 0..STARTS {
        let part = k as f64 / (STARTS - 1) as f64;
        for (a, b) in [(part, 0.0), (1.0, part), (1.0 - part, 1.0), (0.0, 1.0 - part)] {
            // the corner belongs to the next side
            if k + 1 < STARTS {
                push(a, b, 0.98);
            }
        }
    }
    for (a, b) in [(0.5, 0.0), (1.0, 0.5), (0.5, 1.0), (0.0, 0.5)] {
        push(a, b, 0.5);
    }
    starts
}
