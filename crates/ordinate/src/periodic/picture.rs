//! A picture of periodic solutions: the orbits in the phase plane, and their multipliers beside the unit circle.

use super::Periodic;
use crate::exploratory_run::simulate;
use crate::{Compiled, methods};
use ordinate_plot::{Colour, Figure, Panel, Style};
use std::f64::consts::TAU;

/// Rows of an orbit.
const ROWS: usize = 1201;

/// Draws the orbits in the plane of their first two states (of a model with one state against time) and the multipliers.
pub fn periodic_figure(compiled: &Compiled, found: &Periodic) -> Figure {
    let names = &compiled.program.state_names;
    let plane = compiled.program.visible >= 2;
    let mut figure = Figure::new(&format!("periodic orbits of {}", compiled.name));
    figure.shared_x = false;
    (figure.width, figure.height) = (700.0, 950.0);
    let mut orbits = match plane {
        true => Panel::new(&names[0], &names[1]),
        false => Panel::new("time", &names[0]),
    };
    let mut circle = Panel::new("Re μ", "Im μ");
    circle.equal_aspect = true;
    let angles = (0..=240).map(|k| TAU * f64::from(k) / 240.0);
    circle.add("", angles.clone().map(f64::cos).collect(), angles.map(f64::sin).collect(), Style::Curve).colour =
        Colour::Grey;
    for (k, orbit) in found.orbits.iter().enumerate() {
        let (state, held) = &orbit.state;
        let choice = methods::automatic();
        let piece = simulate(compiled, &choice, (found.t_start, state, held), orbit.period, ROWS);
        let column = |state: usize| piece.y.iter().map(|y| y[state]).collect::<Vec<f64>>();
        let (x, y) = if plane { (column(0), column(1)) } else { (piece.t.clone(), column(0)) };
        let stability = match orbit.stable {
            Some(true) => "stable",
            Some(false) => "unstable",
            None => "neutral",
        };
        let label = format!("{} {stability}", k + 1);
        orbits.add(&label, x, y, if plane { Style::Curve } else { Style::Line });
        let (re, im) = orbit.multipliers.iter().copied().unzip();
        circle.add(&label, re, im, Style::Points);
    }
    figure.panels = vec![orbits, circle];
    figure
}
