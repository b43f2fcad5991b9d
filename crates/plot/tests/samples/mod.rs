//! Figures as the program will make them, from closed formulas; shared by the gallery and the tests.

use ordinate_plot::{Band, Colour, Figure, Mark, Panel, Scale, Style};
use std::f64::consts::{PI, TAU};

/// Every sample with its name.
pub fn all() -> Vec<(&'static str, Figure)> {
    vec![
        ("oscillation", oscillation()),
        ("kepler", kepler()),
        ("work_precision", work_precision()),
        ("error_band", error_band()),
        ("bouncing_ball", bouncing_ball()),
        ("nanoseconds", nanoseconds()),
        ("stability", stability()),
        ("bode", bode()),
        ("twenty_series", twenty_series()),
        ("energy_drift", energy_drift()),
    ]
}

fn grid(lo: f64, hi: f64, count: usize) -> Vec<f64> {
    (0..=count).map(|k| lo + (hi - lo) * k as f64 / count as f64).collect()
}

fn map(x: &[f64], f: impl Fn(f64) -> f64) -> Vec<f64> {
    x.iter().map(|x| f(*x)).collect()
}

/// A damped oscillation with the strips of order and step below.
pub fn oscillation() -> Figure {
    let mut figure = Figure::new("Pendulum on a cart: taylor, 10 digits");
    figure.height = 600.0;
    let t = grid(0.0, 12.0, 2000);
    let mut top = Panel::new("t [s]", "");
    top.add("x [m]", t.clone(), map(&t, |t| 1.6 * (-0.25 * t).exp() * (2.2 * t).cos()), Style::Line);
    top.add("phi [rad]", t.clone(), map(&t, |t| (-0.12 * t).exp() * (3.1 * t + 0.4).sin()), Style::Line);
    top.share = 1.0;

    let mut times = vec![0.0];
    let mut step = Vec::new();
    let mut order = Vec::new();
    while times[times.len() - 1] < 12.0 {
        let k = step.len() as f64;
        let wave = 0.16 * (0.4 * (0.7 * k).sin() + 0.3 * (1.9 * k).cos()).exp();
        let h = if step.len() % 17 == 16 { 0.2 * wave } else { wave };
        step.push(h);
        order.push((20.0 + 2.4 * (0.5 * k).sin()).round());
        times.push((times[times.len() - 1] + h).min(12.0));
    }
    step.push(step[step.len() - 1]);
    order.push(order[order.len() - 1]);
    let mut orders = Panel::new("t [s]", "ORD");
    orders.share = 0.26;
    orders.add("ORD", times.clone(), order, Style::Steps);
    let mut steps = Panel::new("t [s]", "step [s]");
    steps.share = 0.26;
    steps.y.scale = Scale::Log;
    steps.add("step", times, step, Style::Steps).colour = Colour::Cycle(1);
    figure.panels = vec![top, orders, steps];
    figure
}

/// An orbit of eccentricity 0.6 around its focus.
pub fn kepler() -> Figure {
    let mut figure = Figure::new("Kepler orbit, e = 0.6");
    (figure.width, figure.height) = (720.0, 600.0);
    let mut panel = Panel::new("x [AU]", "y [AU]");
    panel.equal_aspect = true;
    let angle = grid(0.0, TAU, 1500);
    panel.add("orbit", map(&angle, |a| a.cos() - 0.6), map(&angle, |a| 0.8 * a.sin()), Style::Curve);
    let sun = panel.add("focus", vec![0.0], vec![0.0], Style::Points);
    sun.colour = Colour::Ink;
    let starts: Vec<f64> = grid(0.0, TAU, 24)[..24].to_vec();
    let dots = panel.add("steps", map(&starts, |a| a.cos() - 0.6), map(&starts, |a| 0.8 * a.sin()), Style::Points);
    dots.colour = Colour::Cycle(1);
    figure.panels.push(panel);
    figure
}

/// Error against work for several methods.
pub fn work_precision() -> Figure {
    let mut figure = Figure::new("Work and precision: Arenstorf orbit, one period");
    let mut panel = Panel::new("evaluations of f", "error at the end");
    (panel.x.scale, panel.y.scale) = (Scale::Log, Scale::Log);
    for (name, order, start) in
        [("taylor", 18.0, 4e2), ("dp8", 8.0, 7e2), ("dp5", 5.0, 6e2), ("abm", 4.0, 5e2), ("rk4", 4.0, 1.5e3)]
    {
        let k = grid(0.0, 9.0, 9);
        let work: Vec<f64> = k.iter().map(|k| start * 10f64.powf(k * 9.0 / 9.0 / order * 1.3)).collect();
        let error: Vec<f64> = k
            .iter()
            .map(|k| 0.3 * 10f64.powf(-1.3 * k + 0.25 * (3.0 * k + order).sin()))
            .map(|e| e.max(2e-14))
            .collect();
        panel.add(name, work, error, Style::Markers);
    }
    figure.panels.push(panel);
    figure
}

/// A solution with a band of its estimated error.
pub fn error_band() -> Figure {
    let mut figure = Figure::new("Lorenz system: the digits run out");
    let t = grid(0.0, 20.0, 3000);
    let y = map(&t, |t| 9.0 * (3.1 * t).sin() * (0.45 * t).cos() + 4.0 * (1.3 * t).sin());
    let error = map(&t, |t| 1e-5 * (0.66 * t).exp());
    let lower = y.iter().zip(&error).map(|(y, e)| y - e).collect();
    let upper = y.iter().zip(&error).map(|(y, e)| y + e).collect();
    let mut panel = Panel::new("t [s]", "");
    panel.add("x with its error", t, y, Style::Line).band = Some(Band { lower, upper });
    panel.marks.push(Mark::vertical(16.3, "two digits left"));
    figure.panels.push(panel);
    figure
}

/// Height and velocity of a ball; the velocity jumps at every bounce.
pub fn bouncing_ball() -> Figure {
    let mut figure = Figure::new("Bouncing ball, restitution 0.8");
    let (mut t, mut h, mut v) = (Vec::new(), Vec::new(), Vec::new());
    let (mut start, mut speed) = (0.0, 0.0);
    let mut height = 1.0;
    let mut bounces = Vec::new();
    for _ in 0..9 {
        let flight = (speed + f64::sqrt(speed * speed + 2.0 * 9.81 * height)) / 9.81;
        for s in grid(0.0, flight, 60) {
            t.push(start + s);
            h.push(height + speed * s - 9.81 / 2.0 * s * s);
            v.push(speed - 9.81 * s);
        }
        start += flight;
        speed = 0.8 * (9.81 * flight - speed);
        height = 0.0;
        bounces.push(start);
    }
    let last = bounces.len() - 1;
    let mut position = Panel::new("t [s]", "h [m]");
    position.add("h", t.clone(), h, Style::Line);
    let mut velocity = Panel::new("t [s]", "v [m/s]");
    velocity.add("v", t, v, Style::Line).colour = Colour::Cycle(1);
    for panel in [&mut position, &mut velocity] {
        panel.marks = bounces[..last].iter().map(|t| Mark::vertical(*t, "")).collect();
    }
    position.marks[0].label = "h < 0".to_string();
    figure.panels = vec![position, velocity];
    figure
}

/// A pulse on a line, in nanoseconds and millivolts.
pub fn nanoseconds() -> Figure {
    let mut figure = Figure::new("Telegraph line, 100 segments");
    let t = grid(0.0, 2e-8, 1500);
    let mut panel = Panel::new("t [s]", "u [V]");
    for (index, delay) in [2e-9, 7e-9, 1.2e-8].iter().enumerate() {
        let rise = |t: f64| 4e-4 * (1.0 - (-(t - delay) / 8e-10).exp() * ((t - delay) * 4e9).cos());
        let u = map(&t, |t| if t < *delay { 0.0 } else { rise(t) });
        panel.add(&format!("u[{}]", 1 + 49 * index), t.clone(), u, Style::Line);
    }
    figure.panels.push(panel);
    figure
}

/// |R(z)| ≤ 1 of the explicit methods of order 1 and 2 (closed curves by angle), with values h·λ.
pub fn stability() -> Figure {
    let mut figure = Figure::new("Stability regions and h·λ of the model");
    (figure.width, figure.height) = (640.0, 560.0);
    let mut panel = Panel::new("Re hλ", "Im hλ");
    panel.equal_aspect = true;
    let angle = grid(0.0, TAU, 720);
    // 1 + z + z²/2 = e^{iθ} has the roots z = −1 ± √(2 e^{iθ} − 1).
    let (mut re, mut im) = (Vec::new(), Vec::new());
    for a in grid(0.0, 2.0 * TAU, 1440) {
        let (x, y) = (2.0 * a.cos() - 1.0, 2.0 * a.sin());
        let root = x.hypot(y).sqrt();
        // The angle of the radicand grows with θ without a cut, so the root follows one branch.
        let turn = y.atan2(x) + TAU * ((a - y.atan2(x)) / TAU).round();
        re.push(root * (turn / 2.0).cos() - 1.0);
        im.push(root * (turn / 2.0).sin());
    }
    panel.add("rk2", re, im, Style::Region);
    panel.add("euler", map(&angle, |a| a.cos() - 1.0), map(&angle, |a| a.sin()), Style::Region);
    panel.add("h·λ", vec![-0.4, -0.4, -1.7, -2.3], vec![0.9, -0.9, 0.0, 0.0], Style::Points).colour = Colour::Ink;
    let circle = panel.add("unit circle", map(&angle, f64::cos), map(&angle, f64::sin), Style::Curve);
    circle.colour = Colour::Grey;
    figure.panels.push(panel);
    figure
}

/// Magnitude and phase of a second-order system with a delay.
pub fn bode() -> Figure {
    let mut figure = Figure::new("Open loop");
    figure.height = 560.0;
    let w: Vec<f64> = map(&grid(-2.0, 2.0, 400), |e| 10f64.powf(e));
    let mut magnitude = Panel::new("ω [rad/s]", "magnitude [dB]");
    let gain = |w: f64| 4.0 / ((1.0 - w * w).hypot(0.3 * w));
    magnitude.add("magnitude", w.clone(), map(&w, |w| 20.0 * gain(w).log10()), Style::Line);
    magnitude.marks.push(Mark::horizontal(0.0, "0 dB"));
    let mut phase = Panel::new("ω [rad/s]", "phase [°]");
    phase.add("phase", w.clone(), map(&w, |w| -(0.3 * w).atan2(1.0 - w * w) * 180.0 / PI), Style::Line);
    phase.marks.push(Mark::vertical(2.2, "crossover"));
    phase.marks.push(Mark::horizontal(-180.0, ""));
    for panel in [&mut magnitude, &mut phase] {
        panel.x.scale = Scale::Log;
    }
    figure.panels = vec![magnitude, phase];
    figure
}

/// More series than colours.
pub fn twenty_series() -> Figure {
    let mut figure = Figure::new("Twenty segments of a line");
    let t = grid(0.0, 10.0, 500);
    let mut panel = Panel::new("t [s]", "u [V]");
    for k in 0..20 {
        let shift = 0.3 * f64::from(k);
        panel.add(
            &format!("u[{k}]"),
            t.clone(),
            map(&t, |t| (t - shift).max(0.0).sqrt() * (t - shift).cos()),
            Style::Line,
        );
    }
    figure.panels.push(panel);
    figure
}

/// A value that is almost constant: the common constant goes into the note of the axis.
pub fn energy_drift() -> Figure {
    let mut figure = Figure::new("Energy, symplectic against not");
    figure.height = 360.0;
    let t = grid(0.0, 1000.0, 4000);
    let mut panel = Panel::new("t [s]", "E [J]");
    panel.add("trapezoid", t.clone(), map(&t, |t| -0.5 + 2e-9 * (0.3 * t).sin()), Style::Line);
    panel.add("rk4", t.clone(), map(&t, |t| -0.5 + 1.1e-11 * t + 1e-10 * t.sin()), Style::Line);
    figure.panels.push(panel);
    figure
}
