//! Pictures of a comparison: work against precision, the circle test, orders and steps side by side.

use super::{Comparison, Row, Traces};
use crate::short;
use ordinate_plot::{Colour, Figure, Mark, Panel, Scale, Style};

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chart {
    /// Error against time, and against evaluations.
    Work,
    /// The plane of the first two states for each method.
    Circle,
    /// Order and length of the steps, one column for each method.
    Strips,
}

impl Chart {
    /// All of them, with the names they are asked for by.
    pub const ALL: [(&'static str, Chart); 3] =
        [("work", Chart::Work), ("circle", Chart::Circle), ("strips", Chart::Strips)];
}

/// More curves in one panel cannot be told apart.
const MOST_CURVES: usize = 10;
/// More panels of the circle test are too small.
const MOST_CIRCLES: usize = 12;
/// Columns of strips in one figure.
const MOST_STRIPS: usize = 4;

impl Comparison {
    /// The figures of a chart; none where there is nothing to show.
    pub fn figures(&self, chart: Chart) -> Vec<Figure> {
        if self.rows.is_empty() {
            return Vec::new();
        }
        match chart {
            Chart::Work => vec![self.work()],
            Chart::Circle => self.circle().into_iter().collect(),
            Chart::Strips => self.strips(),
        }
    }

    /// What the source is called, without its folder.
    pub fn title(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// The methods by how near they come to the fastest at any error, at most `most`, in their own order.
    fn best(&self, most: usize) -> Vec<&str> {
        let mut ranked: Vec<(&str, f64, usize)> = Vec::new();
        for (k, row) in self.rows.iter().enumerate() {
            match ranked.iter_mut().find(|(name, ..)| *name == row.method) {
                Some((_, ratio, _)) => *ratio = ratio.min(row.ratio),
                None => ranked.push((&row.method, row.ratio, k)),
            }
        }
        ranked.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.2.cmp(&b.2)));
        ranked.truncate(most);
        ranked.sort_by_key(|(.., place)| *place);
        ranked.into_iter().map(|(name, ..)| name).collect()
    }

    /// `…, 10 of 30 methods shown`
    fn shown(&self, shown: usize) -> String {
        let all = self.traces.iter().filter(|t| self.rows.iter().any(|row| row.method == t.method)).count();
        if shown < all { format!("  ({shown} of {all} methods shown; choose with -m)") } else { String::new() }
    }

    fn work(&self) -> Figure {
        let methods = self.best(MOST_CURVES);
        let mut figure = Figure::new(&format!("{}: work and precision{}", self.title(), self.shown(methods.len())));
        (figure.width, figure.height, figure.columns, figure.shared_x) = (1120.0, 560.0, 2, false);
        let time: &dyn Fn(&Row) -> f64 = &|row| row.seconds;
        let evaluations: &dyn Fn(&Row) -> f64 = &|row| row.evaluations();
        for (label, value) in [("time [s]", time), ("evaluations", evaluations)] {
            let mut panel = Panel::new("error, relative to the largest value", label);
            (panel.x.scale, panel.y.scale) = (Scale::Log, Scale::Log);
            for name in &methods {
                let rows = self.rows.iter().filter(|row| row.method == *name);
                // an exact result has a place on a logarithmic axis, too
                let (x, y) = rows.map(|row| (row.error.max(1e-17), value(row))).unzip();
                panel.add(name, x, y, Style::Markers);
            }
            if self.reference.error > 0.0 && self.reference.error.is_finite() {
                panel.marks.push(Mark::vertical(self.reference.error, "reference"));
            }
            figure.panels.push(panel);
        }
        if let Some(panel) = self.honesty(&methods) {
            figure.panels.push(panel);
            (figure.columns, figure.width) = (3, 1500.0);
        }
        figure
    }

    /// What the runs say of their errors against the true ones, where they do.
    fn honesty(&self, methods: &[&str]) -> Option<Panel> {
        let mut panel = Panel::new("error, relative to the largest value", "estimate of the run itself");
        (panel.x.scale, panel.y.scale) = (Scale::Log, Scale::Log);
        let known = |row: &&Row| row.estimate.is_some_and(|estimate| estimate > 0.0) && row.error > 0.0;
        let (least, most) = self
            .rows
            .iter()
            .filter(known)
            .fold((f64::INFINITY, 0.0), |(lo, hi): (f64, f64), row| (lo.min(row.error), hi.max(row.error)));
        if most == 0.0 {
            return None;
        }
        panel.add("exact", vec![least, most], vec![least, most], Style::Line).colour = Colour::Grey;
        for name in methods {
            let rows = self.rows.iter().filter(|row| row.method == *name).filter(known);
            let (x, y) = rows.map(|row| (row.error, row.estimate.unwrap_or(f64::NAN))).unzip();
            panel.add(name, x, y, Style::Points);
        }
        Some(panel)
    }

    fn circle(&self) -> Option<Figure> {
        let (x, y) = self.reference.plane.as_ref()?;
        let names = &self.reference.states;
        let shown = self.best(MOST_CIRCLES);
        let planes: Vec<(&Traces, f64, &Vec<f64>, &Vec<f64>)> = shown
            .iter()
            .filter_map(|name| self.traces.iter().find(|trace| trace.method == *name))
            .filter_map(|trace| trace.plane.as_ref().map(|(rtol, x, y)| (trace, *rtol, x, y)))
            .collect();
        if planes.is_empty() {
            return None;
        }
        let title = format!("{}: circle test in the plane of {} and {}", self.title(), names[0], names[1]);
        let whole = (self.range.0, self.reference.t_end);
        let part = match self.reference.drawn.first() {
            Some(&from) if from > whole.0 + 0.25 * (whole.1 - whole.0) => {
                let digits = |t: f64| short(format!("{t:.3e}").parse().unwrap_or(t));
                format!(", the last turns, t = {} … {}", digits(from), digits(whole.1))
            }
            _ => String::new(),
        };
        let mut figure = Figure::new(&(title + &part + &self.shown(planes.len())));
        figure.columns = match planes.len() {
            1 => 1,
            2..=4 => 2,
            5..=9 => 3,
            _ => 4,
        };
        let rows = planes.len().div_ceil(figure.columns);
        (figure.width, figure.shared_x) = (300.0 * figure.columns as f64 + 60.0, false);
        figure.height = 50.0 + 310.0 * rows as f64;
        let (width, height) = (extent(x), extent(y));
        // a step size that makes a method blow up must not press the reference flat
        let range = |(lo, hi): (f64, f64)| {
            let pad = 0.25 * (hi - lo).max(f64::MIN_POSITIVE);
            Some((lo - pad, hi + pad))
        };
        let alike = (0.25..=4.0).contains(&((width.1 - width.0) / (height.1 - height.0)));
        for (trace, rtol, xs, ys) in planes {
            let mut panel = Panel::new(&names[0], &names[1]);
            let step = self.rows.iter().find(|row| row.method == trace.method).and_then(|row| row.step);
            panel.title = match step {
                Some(h) => format!("{}, step {}", trace.method, short(h)),
                None => format!("{}, rtol {rtol:e}", trace.method),
            };
            panel.equal_aspect = alike;
            (panel.x.range, panel.y.range) = (range(width), range(height));
            let within = |v: f64, range: Option<(f64, f64)>| range.is_some_and(|(lo, hi)| lo <= v && v <= hi);
            let seen = |(x, y): (&f64, &f64)| within(*x, panel.x.range) && within(*y, panel.y.range);
            if !xs.iter().zip(ys).any(seen) {
                panel.title.push_str(": far outside");
            }
            panel.add("", x.clone(), y.clone(), Style::Curve).colour = Colour::Grey;
            panel.add("", xs.clone(), ys.clone(), Style::Curve);
            figure.panels.push(panel);
        }
        Some(figure)
    }

    fn strips(&self) -> Vec<Figure> {
        let shown = self.best(MOST_CURVES);
        let strips: Vec<(&str, f64, &crate::Strip)> = shown
            .iter()
            .filter_map(|name| self.traces.iter().find(|trace| trace.method == *name))
            .filter_map(|trace| trace.strip.as_ref().map(|(rtol, strip)| (trace.method.as_str(), *rtol, strip)))
            .filter(|(.., strip)| !strip.is_empty())
            .collect();
        let steps = || strips.iter().flat_map(|(.., strip)| strip.iter());
        let highest = steps().map(|step| step.2).max().unwrap_or(1);
        let (least, most) =
            steps().fold((f64::INFINITY, 0.0), |(lo, hi): (f64, f64), step| (lo.min(step.1), hi.max(step.1)));
        let figure = |chunk: &[(&str, f64, &crate::Strip)]| {
            let mut figure = Figure::new(&format!("{}: order and step of each method", self.title()));
            figure.columns = chunk.len();
            (figure.width, figure.height) = (280.0 * chunk.len().max(2) as f64 + 60.0, 480.0);
            let times = |strip: &crate::Strip| -> Vec<f64> {
                strip.iter().map(|(t, h, _)| t - h).chain(strip.last().map(|(t, ..)| *t)).collect()
            };
            for (name, rtol, strip) in chunk {
                let mut panel = Panel::new("t", "ORD");
                panel.title = format!("{name}, rtol {rtol:e}");
                let orders = strip.iter().chain(strip.last()).map(|step| f64::from(step.2)).collect();
                panel.add("", times(strip), orders, Style::Steps);
                panel.y.range = Some((0.0, 1.1 * f64::from(highest)));
                figure.panels.push(panel);
            }
            for (.., strip) in chunk {
                let mut panel = Panel::new("t", "step");
                let lengths = strip.iter().chain(strip.last()).map(|step| step.1).collect();
                panel.add("", times(strip), lengths, Style::Steps);
                panel.y.scale = Scale::Log;
                panel.y.range = (least > 0.0).then_some((least / 2.0, most * 2.0));
                figure.panels.push(panel);
            }
            figure
        };
        strips.chunks(MOST_STRIPS).map(figure).collect()
    }
}

fn extent(values: &[f64]) -> (f64, f64) {
    let finite = values.iter().copied().filter(|v| v.is_finite());
    finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)))
}
