//! Pictures of linear systems: Bode, Nyquist, root locus, poles and zeros, step and impulse responses, and the linear
//! beside the nonlinear response.

use super::analysis::explained;
use super::text::digits;
use super::{Linearization, LinearizeError};
use ordinate_control::{Complex, StateSpace, bode, impulse, margins, root_locus, step};
use ordinate_plot::{Colour, Figure, Mark, Panel, Scale, Series, Style};

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinearPicture {
    /// Gain and phase over the frequency.
    Bode,
    /// The frequency response in the complex plane.
    Nyquist,
    /// The poles of the closed loop for rising gain.
    Locus,
    /// Poles and zeros.
    Poles,
    /// The answer to a step.
    Step,
    /// The answer to an impulse.
    Impulse,
    /// The linear beside the nonlinear response.
    Response,
}

impl LinearPicture {
    /// All of them, with the names they are asked for by.
    pub const ALL: [(&'static str, LinearPicture); 7] = [
        ("bode", LinearPicture::Bode),
        ("nyquist", LinearPicture::Nyquist),
        ("locus", LinearPicture::Locus),
        ("poles", LinearPicture::Poles),
        ("step", LinearPicture::Step),
        ("impulse", LinearPicture::Impulse),
        ("response", LinearPicture::Response),
    ];
}

/// Which channels are drawn, and how long.
#[derive(Clone, Debug, Default)]
pub struct LinearFigureOptions {
    /// The input; all of them if not given.
    pub from: Option<String>,
    /// The output; all of them if not given.
    pub to: Option<String>,
    /// Length of responses.
    pub span: Option<f64>,
}

/// More panels below each other are not readable.
const MOST_PANELS: usize = 8;
/// More curves in a panel are not.
const MOST_CURVES: usize = 12;
/// A Nyquist curve that goes to infinity is cut here.
const FAR: f64 = 8.0;
/// Pieces between two frequencies of a Bode plot.
const FINER: usize = 4;
/// One that is smaller than this is hard to see beside −1.
const SMALL: f64 = 0.3;

/// The figure of a linear system; `name` is what the model is called.
pub fn linear_figure(
    linear: &Linearization,
    picture: LinearPicture,
    options: &LinearFigureOptions,
    name: &str,
) -> Result<Figure, LinearizeError> {
    let chosen = channels(linear, options)?;
    let title = |what: &str| match chosen.as_slice() {
        [(output, input)] => {
            format!("{what} of {name}, {} / {}", linear.outputs[*output], linear.inputs[*input])
        }
        _ => format!("{what} of {name}"),
    };
    match picture {
        LinearPicture::Bode => bode_figure(linear, &chosen, &title("Bode plot")),
        LinearPicture::Nyquist => nyquist_figure(linear, &chosen, &title("Nyquist plot")),
        LinearPicture::Locus => {
            let one = only(linear, &chosen, "a root locus")?;
            locus_figure(&linear.system.channel(one.0, one.1), &title("Root locus"))
        }
        LinearPicture::Poles => poles_figure(linear, &chosen, options, name),
        LinearPicture::Step => time_figure(linear, &chosen, options, &title("Step response"), true),
        LinearPicture::Impulse => time_figure(linear, &chosen, options, &title("Impulse response"), false),
        LinearPicture::Response => unreachable!("drawn with the model"),
    }
}

/// (output, input) of what is to be drawn.
fn channels(linear: &Linearization, options: &LinearFigureOptions) -> Result<Vec<(usize, usize)>, LinearizeError> {
    let pick = |wish: &Option<String>, names: &[String], option: &str, what: &str| match wish {
        None => Ok((0..names.len()).collect::<Vec<usize>>()),
        Some(name) => match names.iter().position(|known| known == name) {
            Some(k) => Ok(vec![k]),
            None => {
                let instead = ordinate_model::instead(name, names.iter().map(String::as_str));
                Err(LinearizeError::Usage(format!("`{option} {name}`: there is no {what} `{name}`; {instead}")))
            }
        },
    };
    let outputs = pick(&options.to, &linear.outputs, "--to", "output")?;
    let inputs = pick(&options.from, &linear.inputs, "--from", "input")?;
    Ok(outputs.iter().flat_map(|&output| inputs.iter().map(move |&input| (output, input))).collect())
}

/// The one channel that a picture is of.
fn only(linear: &Linearization, chosen: &[(usize, usize)], what: &str) -> Result<(usize, usize), LinearizeError> {
    match chosen {
        [one] => Ok(*one),
        [] => Err(no_channel()),
        _ => Err(LinearizeError::Usage(format!(
            "{what} is of one channel: choose it with `--from INPUT --to OUTPUT`; inputs are {}, outputs {}",
            linear.inputs.join(", "),
            linear.outputs.join(", ")
        ))),
    }
}

fn no_channel() -> LinearizeError {
    LinearizeError::Usage("the model has no input, so no response to one can be drawn; declare `input u = 0`, or name a parameter with `--input`".into())
}

/// Curves that exist; more than can be told apart are refused.
fn some(chosen: &[(usize, usize)]) -> Result<(), LinearizeError> {
    match chosen.len() {
        0 => Err(no_channel()),
        n if n > MOST_CURVES => Err(LinearizeError::Usage(format!(
            "{n} channels in one picture cannot be told apart; choose with `--from INPUT` and `--to OUTPUT`"
        ))),
        _ => Ok(()),
    }
}

fn label(linear: &Linearization, (output, input): (usize, usize)) -> String {
    format!("{} / {}", linear.outputs[output], linear.inputs[input])
}

/// The phase in degrees without jumps of a turn, from a value in (−270, 90] on.
fn phase(values: &[Complex]) -> Vec<f64> {
    let mut last: Option<f64> = None;
    let mut phases = Vec::with_capacity(values.len());
    for z in values {
        let mut angle = z.im.atan2(z.re).to_degrees();
        match last {
            None if angle > 90.0 + 1e-9 => angle -= 360.0,
            None => {}
            Some(last) => angle += 360.0 * ((last - angle) / 360.0).round(),
        }
        last = Some(angle);
        phases.push(angle);
    }
    phases
}

fn decibels(z: Complex) -> f64 {
    20.0 * z.re.hypot(z.im).log10()
}

fn bode_figure(linear: &Linearization, chosen: &[(usize, usize)], title: &str) -> Result<Figure, LinearizeError> {
    some(chosen)?;
    let mut figure = Figure::new(title);
    (figure.width, figure.height) = (800.0, 620.0);
    let mut gain = Panel::new("", "gain [dB]");
    let mut angle = Panel::new("frequency [rad/s]", "phase [°]");
    (gain.x.scale, angle.x.scale) = (Scale::Log, Scale::Log);
    for &channel in chosen {
        let own = linear.system.channel(channel.0, channel.1);
        let (frequencies, values) = bode(&own).map_err(explained)?;
        let name = label(linear, channel);
        gain.add(&name, frequencies.clone(), values.iter().map(|&z| decibels(z)).collect(), Style::Line);
        angle.add(&name, frequencies, phase(&values), Style::Line);
    }
    if let [(output, input)] = chosen {
        let state = mark_margins(&mut gain, &mut angle, &linear.system.channel(*output, *input))?;
        figure.title.push_str(&format!(": {state}"));
    }
    angle.legend = ordinate_plot::Legend::Hidden;
    figure.panels.extend([gain, angle]);
    Ok(figure)
}

/// Gain and phase margin of the loop that is closed with −1, as lines at their frequencies; and whether it is stable.
fn mark_margins(gain: &mut Panel, angle: &mut Panel, open: &StateSpace) -> Result<&'static str, LinearizeError> {
    let found = margins(open).map_err(explained)?;
    let decibel = |factor: f64| 20.0 * factor.log10();
    let nearest = |list: &[(f64, f64)], size: &dyn Fn(f64) -> f64| {
        list.iter().copied().filter(|m| m.1.is_finite()).min_by(|a, b| size(a.1).total_cmp(&size(b.1)))
    };
    let rounded = |value: f64| digits((value * 1e3).round() / 1e3);
    gain.marks.push(Mark::horizontal(0.0, ""));
    gain.title = "no gain margin: the phase is never −180°".into();
    if let Some((w, factor)) = nearest(&found.gain, &|factor| decibel(factor).abs()) {
        gain.title = format!("gain margin {} dB at {} rad/s", rounded(decibel(factor)), digits(w));
        if w > 0.0 {
            gain.marks.push(Mark::vertical(w, "gain margin"));
            angle.marks.push(Mark::vertical(w, ""));
            gain.series.push(drop(w, 0.0, -decibel(factor)));
        }
    }
    angle.title = "no phase margin: the gain is never 0 dB".into();
    if let Some((w, degrees)) = nearest(&found.phase, &f64::abs) {
        angle.title = format!("phase margin {}° at {} rad/s", rounded(degrees), digits(w));
        angle.marks.push(Mark::vertical(w, "phase margin"));
        gain.marks.push(Mark::vertical(w, ""));
        // the odd multiple of 180° that the curve is above by the margin
        let series = &angle.series[0];
        let k = series.x.iter().position(|&x| x >= w).unwrap_or(series.x.len().saturating_sub(1));
        let here = series.y.get(k).copied().unwrap_or(-180.0);
        let level = 360.0 * ((here - degrees + 180.0) / 360.0).round() - 180.0;
        angle.marks.push(Mark::horizontal(level, ""));
        angle.series.push(drop(w, level, level + degrees));
    }
    Ok(if found.stable { "stable with unit negative feedback" } else { "UNSTABLE with unit negative feedback" })
}

/// A short line from one value to another.
fn drop(x: f64, from: f64, to: f64) -> Series {
    Series {
        label: String::new(),
        x: vec![x, x],
        y: vec![from, to],
        style: Style::Curve,
        colour: Colour::Ink,
        band: None,
    }
}

/// The frequency response from ω = 0 on, where it is finite there, so finely that it looks round.
fn curve(own: &StateSpace) -> Result<Vec<Complex>, LinearizeError> {
    let (frequencies, values) = bode(own).map_err(explained)?;
    let at = |omega: f64| own.at(Complex::new(0.0, omega))[0][0];
    let rest = own.dc_gain().at(0, 0);
    let mut points: Vec<Complex> = Vec::new();
    if rest.is_finite() {
        points.push(Complex::new(rest, 0.0));
    }
    for (k, &value) in values.iter().enumerate() {
        let finer = if k == 0 { 1 } else { FINER };
        for part in 1..finer {
            let (from, to) = (frequencies[k - 1], frequencies[k]);
            points.push(at(from * (to / from).powf(part as f64 / finer as f64)));
        }
        points.push(value);
    }
    Ok(points)
}

fn nyquist_figure(linear: &Linearization, chosen: &[(usize, usize)], title: &str) -> Result<Figure, LinearizeError> {
    some(chosen)?;
    let mut figure = Figure::new(title);
    (figure.width, figure.height) = (720.0, 660.0);
    let mut panel = Panel::new("Re", "Im");
    panel.equal_aspect = true;
    let (mut reach, mut largest) = (1.5f64, 0.0f64);
    for &channel in chosen {
        let values = curve(&linear.system.channel(channel.0, channel.1))?;
        // what goes to infinity is cut, what is finite is shown whole
        let sizes: Vec<f64> = values.iter().map(|z| z.re.hypot(z.im)).filter(|size| size.is_finite()).collect();
        let own = sizes.iter().copied().fold(0.0, f64::max);
        largest = largest.max(own);
        let ends = sizes.first().copied().unwrap_or(0.0).max(sizes.last().copied().unwrap_or(0.0));
        let runs_off = own > FAR && (ends > 0.5 * own || own > 100.0 * ends);
        reach = reach.max(if runs_off { FAR } else { 1.1 * own });
        let (mut x, mut y): (Vec<f64>, Vec<f64>) = values.iter().map(|z| (z.re, z.im)).unzip();
        panel.add(&label(linear, channel), x.clone(), y.clone(), Style::Curve);
        let colour = panel.series.last().map_or(Colour::Ink, |series| series.colour);
        y.iter_mut().for_each(|im| *im = -*im);
        x.reverse();
        y.reverse();
        panel.series.push(Series { label: String::new(), x, y, style: Style::Curve, colour, band: None });
    }
    let turn = |k: usize| (k as f64 * std::f64::consts::TAU / 180.0).sin_cos();
    let (y, x) = (0..=180).map(turn).unzip();
    panel.series.push(Series { label: String::new(), x, y, style: Style::Curve, colour: Colour::Grey, band: None });
    panel.series.push(Series {
        label: "−1".into(),
        x: vec![-1.0],
        y: vec![0.0],
        style: Style::Points,
        colour: Colour::Ink,
        band: None,
    });
    panel.marks.extend([Mark::vertical(0.0, ""), Mark::horizontal(0.0, "")]);
    (panel.x.range, panel.y.range) = (Some((-reach, reach)), Some((-reach, reach)));
    if let [(output, input)] = chosen {
        let found = margins(&linear.system.channel(*output, *input)).map_err(explained)?;
        let state = if found.stable { "stable" } else { "UNSTABLE" };
        let distance = digits((found.modulus.0 * 1e4).round() / 1e4);
        figure.title.push_str(&format!(": {state} with unit negative feedback"));
        panel.title = format!("nearest to −1: {distance} at {} rad/s", digits(found.modulus.1));
    }
    if largest < SMALL {
        // far from −1 the curve is a dot: it is shown once more by itself
        let mut zoomed = panel.clone();
        zoomed.series.retain(|series| matches!(series.colour, Colour::Cycle(_)));
        (zoomed.x.range, zoomed.y.range) = (None, None);
        zoomed.title = "the same, larger".into();
        figure.panels.push(panel);
        figure.panels.push(zoomed);
        (figure.columns, figure.width, figure.height, figure.shared_x) = (2, 1120.0, 560.0, false);
        return Ok(figure);
    }
    figure.panels.push(panel);
    Ok(figure)
}

fn locus_figure(open: &StateSpace, title: &str) -> Result<Figure, LinearizeError> {
    let transfer = open.transfer().map_err(explained)?;
    let (_, poles) = root_locus(&transfer).map_err(explained)?;
    let mut figure = Figure::new(title);
    (figure.width, figure.height) = (720.0, 620.0);
    let mut panel = Panel::new("Re s [rad/s]", "Im s [rad/s]");
    panel.equal_aspect = true;
    for branch in 0..poles.first().map_or(0, Vec::len) {
        let (x, y) = poles.iter().map(|row| (row[branch].re, row[branch].im)).unzip();
        panel.add("", x, y, Style::Curve);
    }
    let (starts, ends) = (transfer.poles(), transfer.zeros());
    let size = starts.iter().chain(&ends).fold(1e-9, |most: f64, z| most.max(z.re.hypot(z.im)));
    points(&mut panel, "open-loop poles", &starts, 0);
    points(&mut panel, "zeros", &ends, 1);
    panel.marks.extend([Mark::vertical(0.0, ""), Mark::horizontal(0.0, "")]);
    // branches go to infinity: what happens near the poles and zeros is to be seen
    let reach = 2.0 * size;
    (panel.x.range, panel.y.range) = (Some((-reach, reach)), Some((-reach, reach)));
    figure.panels.push(panel);
    Ok(figure)
}

fn points(panel: &mut Panel, label: &str, values: &[Complex], colour: usize) {
    if values.is_empty() {
        return;
    }
    let (x, y) = values.iter().map(|z| (z.re, z.im)).unzip();
    panel.add(label, x, y, Style::Points).colour = Colour::Cycle(colour);
}

fn poles_figure(
    linear: &Linearization,
    chosen: &[(usize, usize)],
    options: &LinearFigureOptions,
    name: &str,
) -> Result<Figure, LinearizeError> {
    let system = &linear.system;
    // of a channel without what cancels, or else of the whole system
    let one = chosen.first().filter(|_| chosen.len() == 1 && (options.from.is_some() || options.to.is_some()));
    let (what, poles, zeros) = match one {
        Some(&(output, input)) => {
            let transfer = system.channel(output, input).transfer().map_err(explained)?;
            (format!("{}, {}", name, label(linear, (output, input))), transfer.poles(), transfer.zeros())
        }
        None => {
            let zeros = if linear.inputs.is_empty() { Vec::new() } else { system.zeros().map_err(explained)? };
            (name.to_string(), system.poles().map_err(explained)?, zeros)
        }
    };
    let mut figure = Figure::new(&format!("Poles and zeros of {what}"));
    (figure.width, figure.height) = (720.0, 620.0);
    let mut panel = Panel::new("Re s [rad/s]", "Im s [rad/s]");
    panel.equal_aspect = true;
    points(&mut panel, "poles", &poles, 0);
    points(&mut panel, "zeros", &zeros, 1);
    panel.marks.extend([Mark::vertical(0.0, ""), Mark::horizontal(0.0, "")]);
    let size = 1.25 * poles.iter().chain(&zeros).fold(1e-3, |most: f64, z| most.max(z.re.abs().max(z.im.abs())));
    (panel.x.range, panel.y.range) = (Some((-size, size)), Some((-size, size)));
    figure.panels.push(panel);
    Ok(figure)
}

/// A panel per output, a curve per input.
fn time_figure(
    linear: &Linearization,
    chosen: &[(usize, usize)],
    options: &LinearFigureOptions,
    title: &str,
    of_step: bool,
) -> Result<Figure, LinearizeError> {
    some(chosen)?;
    let mut outputs: Vec<usize> = chosen.iter().map(|(output, _)| *output).collect();
    outputs.dedup();
    if outputs.len() > MOST_PANELS {
        return Err(LinearizeError::Usage(format!(
            "{} outputs in one picture are too many; choose one with `--to OUTPUT`",
            outputs.len()
        )));
    }
    let mut inputs: Vec<usize> = chosen.iter().map(|(_, input)| *input).collect();
    inputs.sort_unstable();
    inputs.dedup();
    let answer = |input: usize| match of_step {
        true => step(&linear.system, input, options.span),
        false => impulse(&linear.system, input, options.span),
    };
    let answers = inputs.iter().map(|&input| answer(input).map_err(explained)).collect::<Result<Vec<_>, _>>()?;
    let mut figure = Figure::new(title);
    (figure.width, figure.height) = (800.0, 160.0 + 220.0 * outputs.len() as f64);
    for &output in &outputs {
        let unit = linear.units.outputs[output].as_ref().map_or(String::new(), |unit| format!(" [{unit}]"));
        let mut panel = Panel::new("t [s]", &format!("Δ{}{unit}", linear.outputs[output]));
        for (response, &input) in answers.iter().zip(&inputs) {
            let what = if of_step { "step" } else { "impulse" };
            let name = format!("{what} of {}", linear.inputs[input]);
            panel.add(&name, response.t.clone(), response.y[output].clone(), Style::Line);
        }
        figure.panels.push(panel);
    }
    Ok(figure)
}
