//! Pictures of stability: the region with the products h·λ of a model, damping and frequency along the axes, the order star of
//! the damping.

use super::{Rates, Stability};
use ordinate_linalg::{Complex, Scalar};
use ordinate_plot::{Colour, Figure, Panel, Style, region};
use std::f64::consts::PI;

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picture {
    /// Where the method is stable, with the products h·λ of the model.
    Region,
    /// The damping of the method against that of the solution, along both axes.
    Damping,
    /// The frequency of the method against that of the solution, along the imaginary axis.
    Frequency,
    /// Where the method damps less than the solution decays.
    Star,
}

impl Picture {
    /// All of them, with the names they are asked for by.
    pub const ALL: [(&'static str, Picture); 4] = [
        ("region", Picture::Region),
        ("damping", Picture::Damping),
        ("frequency", Picture::Frequency),
        ("star", Picture::Star),
    ];
}

/// A rectangle of the complex plane.
#[derive(Clone, Copy, Debug)]
struct View {
    re: (f64, f64),
    im: (f64, f64),
}

/// Values on a grid that is so much wider than what is to be seen: equal units on both axes show more of it.
const WIDER: f64 = 2.2;
/// Points of the grid along each axis; where each of them costs many roots; and of the look around beforehand.
const FINE: usize = 320;
const LESS_FINE: usize = 160;
const MANY_ROOTS: usize = 6;
const COARSE: usize = 72;
/// Points of a curve along an axis.
const POINTS: usize = 400;
/// Differences of ln|ζ| above this are no rounding.
const RESOLVED: f64 = 1e-12;
/// Half the height of the picture of a damping that is zero.
const NONE_SEEN: f64 = 0.1;
/// ln of a growth beyond which nobody looks.
const FAR: f64 = 60.0;

impl Stability {
    /// The pictures in one figure.
    pub fn figure(&self, pictures: &[Picture]) -> Figure {
        let mut figure = Figure::new(&format!("Stability of {}, order {}", self.method, self.order));
        figure.shared_x = false;
        let view = self.view();
        for picture in pictures {
            match picture {
                Picture::Region => figure.panels.push(self.region_panel(view, &mut figure.title)),
                Picture::Damping => figure.panels.extend(self.damping_panels()),
                Picture::Frequency => figure.panels.push(self.frequency_panel()),
                Picture::Star => figure.panels.push(self.star_panel(view)),
            }
        }
        let count = figure.panels.len();
        figure.columns = if count > 1 { 2 } else { 1 };
        (figure.width, figure.height) = match count {
            0 | 1 => (720.0, 640.0),
            _ => (1120.0, 60.0 + 430.0 * count.div_ceil(2) as f64),
        };
        figure
    }

    /// ln of the largest |ζ|.
    fn log_growth(&self, z: Complex) -> f64 {
        self.characteristic.growth(z).ln().clamp(-FAR, FAR)
    }

    /// What is worth looking at: the rim of the region, the origin, and the h·λ that are not far off.
    fn view(&self) -> View {
        let lengths = [self.facts.real.length, self.facts.imaginary.length].into_iter().flatten();
        let longest = lengths.fold(1.0, f64::max);
        let rim = [2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0].into_iter().filter(|half| *half > 1.1 * longest);
        let mut view =
            rim.filter_map(|half| self.rim(half)).next().unwrap_or(View { re: (-5.0, 5.0), im: (-5.0, 5.0) });
        let size = (view.re.1 - view.re.0).max(view.im.1 - view.im.0);
        for z in self.model.iter().flat_map(Rates::h_lambda).filter(|z| z.modulus() < 3.0 * size) {
            view = View { re: widened(view.re, z.re), im: widened(view.im, z.im) };
        }
        let pad = 0.12 * (view.re.1 - view.re.0).max(view.im.1 - view.im.0);
        View { re: (view.re.0 - pad, view.re.1 + pad), im: (view.im.0 - pad, view.im.1 + pad) }
    }

    /// The rectangle around the places where stability changes, within ±half; `None` if they reach its sides or there are none.
    fn rim(&self, half: f64) -> Option<View> {
        let at = |k: usize| half * (2.0 * k as f64 / COARSE as f64 - 1.0);
        let stable: Vec<bool> = (0..=COARSE)
            .flat_map(|j| (0..=COARSE).map(move |i| (i, j)))
            .map(|(i, j)| self.log_growth(Complex::new(at(i), at(j))) <= 0.0)
            .collect();
        let flag = |i: usize, j: usize| stable[j * (COARSE + 1) + i];
        let mut view = View { re: (0.0, 0.0), im: (0.0, 0.0) };
        let mut found = false;
        for j in 0..COARSE {
            for i in 0..COARSE {
                if flag(i, j) != flag(i + 1, j) || flag(i, j) != flag(i, j + 1) {
                    if [i, j].iter().any(|&k| k < 2 || k + 3 > COARSE) {
                        return None;
                    }
                    found = true;
                    view = View { re: widened(view.re, at(i)), im: widened(view.im, at(j)) };
                    view = View { re: widened(view.re, at(i + 1)), im: widened(view.im, at(j + 1)) };
                }
            }
        }
        found.then_some(view)
    }

    fn region_panel(&self, view: View, title: &mut String) -> Panel {
        let mut panel = plane(view);
        let (x, y) = self.curves(view, &|z| self.log_growth(z));
        let empty = x.is_empty();
        panel.add("stable", x, y, Style::Region);
        if let (true, Some(length)) = (empty, self.facts.imaginary.length.filter(|length| *length > 0.0)) {
            // a piece of an axis has no area
            panel.series.clear();
            panel.add("stable", vec![0.0, 0.0], vec![-length, length], Style::Curve);
        }
        if let Some(model) = &self.model {
            let inside =
                |z: &Complex| (view.re.0..=view.re.1).contains(&z.re) && (view.im.0..=view.im.1).contains(&z.im);
            let (shown, hidden): (Vec<Complex>, Vec<Complex>) = model.h_lambda().into_iter().partition(inside);
            let (re, im) = shown.iter().map(|z| (z.re, z.im)).unzip();
            let name = model.name.rsplit('/').next().unwrap_or(&model.name);
            panel.add("hλ", re, im, Style::Points);
            title.push_str(&format!(", on {name} with h = {}", crate::short(model.step)));
            if !hidden.is_empty() {
                title.push_str(&format!("  ({} of {} hλ far outside)", hidden.len(), hidden.len() + shown.len()));
            }
        }
        panel
    }

    /// −ln|ζ| against −Re z along the negative real axis, and along the imaginary axis, where it should be zero.
    fn damping_panels(&self) -> [Panel; 2] {
        let reach = |length: Option<f64>, other: f64| length.filter(|length| *length > 0.0).map_or(other, |l| 1.3 * l);
        let curve = |end: Complex| -> (Vec<f64>, Vec<f64>) {
            let place = |k: usize| k as f64 / POINTS as f64;
            let damping = |k: usize| -self.log_growth(end * place(k));
            (0..=POINTS).map(|k| (place(k) * end.modulus(), damping(k))).unzip()
        };
        let real = reach(self.facts.real.length, if self.facts.real.length.is_none() { 10.0 } else { 2.0 });
        let mut along_real = Panel::new("damping of the solution  −z, real z", "damping of the method  −ln|ζ|");
        help(&mut along_real, "exact", &[0.0, real], &[0.0, real]);
        let (x, y) = curve(Complex::new(-real, 0.0));
        along_real.y.range = finite_range(&y, real);
        along_real.add(self.method, x, y, Style::Line);

        let imaginary = reach(self.facts.imaginary.length, PI);
        let mut along_imaginary =
            Panel::new("frequency of the solution  z/i, imaginary z", "damping of the method  −ln|ζ|");
        help(&mut along_imaginary, "exact", &[0.0, imaginary], &[0.0, 0.0]);
        let (x, y) = curve(Complex::new(0.0, imaginary));
        if y.iter().all(|damping| damping.abs() < RESOLVED) {
            // rounding of |ζ| = 1 must not fill the height
            along_imaginary.y.range = Some((-NONE_SEEN, NONE_SEEN));
        }
        along_imaginary.add(self.method, x, y, Style::Line);
        [along_real, along_imaginary]
    }

    /// arg ζ of the root that approximates e^z, against ωh, up to two samples in a period.
    fn frequency_panel(&self) -> Panel {
        let mut panel = Panel::new("frequency of the solution  z/i, imaginary z", "frequency of the method  arg ζ");
        help(&mut panel, "exact", &[0.0, PI], &[0.0, PI]);
        let roots = self.characteristic.principal(Complex::new(0.0, PI), POINTS);
        let x: Vec<f64> = (0..=POINTS).map(|k| PI * k as f64 / POINTS as f64).collect();
        let y = [0.0].into_iter().chain(roots.iter().map(|zeta| {
            let angle = zeta.im.atan2(zeta.re);
            // beyond half a turn the angle is the same as a negative one
            if angle < -1e-9 { angle + 2.0 * PI } else { angle }
        }));
        panel.add(self.method, x, y.collect(), Style::Line);
        panel.y.range = Some((0.0, 1.05 * PI));
        panel
    }

    /// Where |ζ| > |e^z|: G. Wanner, E. Hairer, S. P. Nørsett, BIT 18 (1978) 475–489; of the damping alone, for the largest
    /// root, F. E. Cellier.
    fn star_panel(&self, view: View) -> Panel {
        let half = [view.re.0.abs(), view.im.1.abs()].into_iter().fold(2.0, f64::max).min(40.0);
        let view = View { re: (-half, half), im: (-half, half) };
        let mut panel = plane(view);
        let (x, y) = self.curves(view, &|z| {
            // At the origin the difference is C zᵖ⁺¹; where it is lost in rounding, its sign is that of places further out.
            let outwards = (0..80).map(|k| -self.characteristic.excess(z * 1.2f64.powi(k)).clamp(-FAR, FAR));
            let resolved = if self.characteristic.has_exact_excess() { 0.0 } else { RESOLVED };
            outwards.into_iter().find(|v| v.abs() > resolved).unwrap_or(0.0)
        });
        panel.add("order star: |ζ| > |exp z|", x, y, Style::Region).colour = Colour::Cycle(1);
        panel
    }

    /// The curves around the places with v ≤ 0.
    fn curves(&self, view: View, v: &dyn Fn(Complex) -> f64) -> (Vec<f64>, Vec<f64>) {
        let (width, height) = (view.re.1 - view.re.0, view.im.1 - view.im.0);
        let count = if self.characteristic.degree() > MANY_ROOTS { LESS_FINE } else { FINE };
        let axis = |(lo, hi): (f64, f64), least: f64| -> Vec<f64> {
            let half = (0.55 * (hi - lo)).max(least / 2.0);
            let middle = 0.5 * (lo + hi);
            // not on the axes, where some methods are neither stable nor unstable
            (0..count).map(|k| middle + half * (2.0 * (k as f64 + 0.5) / count as f64 - 1.0)).collect()
        };
        let (x, y) = (axis(view.re, WIDER * height), axis(view.im, 1.2 * width));
        let values: Vec<f64> = y.iter().flat_map(|im| x.iter().map(|re| v(Complex::new(*re, *im)))).collect();
        region(&x, &y, &values)
    }
}

/// The regions of several methods in one panel.
pub fn overlay(methods: &[Stability]) -> Figure {
    let mut figure = Figure::new("Regions of stability");
    (figure.width, figure.height) = (720.0, 660.0);
    let views: Vec<View> = methods.iter().map(Stability::view).collect();
    let union = |a: View, b: &View| View {
        re: (a.re.0.min(b.re.0), a.re.1.max(b.re.1)),
        im: (a.im.0.min(b.im.0), a.im.1.max(b.im.1)),
    };
    let Some(first) = views.first() else { return figure };
    let view = views.iter().fold(*first, union);
    let mut panel = plane(view);
    for method in methods {
        let alone = methods.iter().filter(|other| other.method == method.method).count() == 1;
        let name = if alone { method.method.to_string() } else { format!("{} {}", method.method, method.order) };
        // a bounded region is drawn as finely as if it were alone
        let own = if method.facts.real.length.is_some() { method.view() } else { view };
        let part = method.region_panel(own, &mut String::new());
        for series in part.series {
            panel.add(&name, series.x, series.y, series.style);
        }
    }
    figure.panels.push(panel);
    figure
}

fn widened((lo, hi): (f64, f64), value: f64) -> (f64, f64) {
    (lo.min(value), hi.max(value))
}

/// A panel of the complex plane.
fn plane(view: View) -> Panel {
    let mut panel = Panel::new("Re z", "Im z");
    panel.equal_aspect = true;
    (panel.x.range, panel.y.range) = (Some(view.re), Some(view.im));
    panel
}

/// A line that only helps the eye.
fn help(panel: &mut Panel, label: &str, x: &[f64], y: &[f64]) {
    panel.add(label, x.to_vec(), y.to_vec(), Style::Line).colour = Colour::Grey;
}

/// The range of a damping, without the poles that a root at zero makes of it.
fn finite_range(y: &[f64], reach: f64) -> Option<(f64, f64)> {
    let least = y.iter().copied().fold(0.0, f64::min).max(-reach);
    let most = y.iter().copied().fold(0.0, f64::max).min(1.6 * reach);
    Some((1.1 * least - 0.02 * reach, 1.1 * most.max(reach)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RunOptions, stability};

    /// The trapezoidal rule damps nothing on the imaginary axis: |ζ| differs from 1 by rounding, and the picture shows none of it.
    #[test]
    fn rounding_does_not_fill_a_picture() {
        let of = |method: &str| {
            let options = RunOptions { method: method.into(), ..RunOptions::default() };
            stability(&options).expect("a method").figure(&[Picture::Damping]).panels[1].y.range
        };
        assert!(of("trapezoid").is_some_and(|(lo, hi)| lo < -1e-3 && hi > 1e-3));
        assert_eq!(of("rk4"), None);
    }
}
