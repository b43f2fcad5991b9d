//! Responses in time, exact at every point: between two of them the solution is a matrix exponential.

use crate::exponential::{exponential, hold};
use crate::linear::modulus;
use crate::{Complex, ControlError, Matrix, StateSpace};

/// Times and, for every output, its values.
#[derive(Clone, Debug)]
pub struct Response {
    /// Times.
    pub t: Vec<f64>,
    /// One list per output.
    pub y: Vec<Vec<f64>>,
}

/// What one reads off a step response.
#[derive(Clone, Debug, PartialEq)]
pub struct StepFacts {
    /// The steady-state value.
    pub last: f64,
    /// From a tenth to nine tenths of the way to the last value; of a sampled system interpolated.
    pub rise: Option<f64>,
    /// From here on within 2 % of the whole way around the last value.
    pub settling: Option<f64>,
    /// By how much the last value is exceeded, in per cent of the whole way; zero if it is not.
    pub overshoot: f64,
    /// How far it goes to the other side first, in per cent.
    pub undershoot: f64,
    /// The largest value (in the direction of the last one).
    pub peak: f64,
    /// When.
    pub peak_time: f64,
}

/// Points of a response, at least.
const POINTS: usize = 500;
/// And at most: a fast oscillation that takes long to come to rest.
const MOST_POINTS: usize = 20_000;

/// The answer of one input's unit step from rest. Without an end time one is chosen from the poles.
pub fn step(system: &StateSpace, input: usize, end: Option<f64>) -> Result<Response, ControlError> {
    let run = Run::new(system, input, end)?;
    Ok(run.response(vec![0.0; system.states()], 1.0))
}

/// The response to one input's unit impulse. Of a continuous system it begins just after the impulse, whose direct share (D)
/// is no function; a discrete one gets a pulse of area one, 1/h for the time h.
pub fn impulse(system: &StateSpace, input: usize, end: Option<f64>) -> Result<Response, ControlError> {
    let run = Run::new(system, input, end)?;
    match system.period {
        None => Ok(run.response(system.b.column(input), 0.0)),
        Some(h) => {
            let mut response = run.response(system.b.column(input).iter().map(|b| b / h).collect(), 0.0);
            // the state of B stands after the first sample, in which only D acts
            for (i, y) in response.y.iter_mut().enumerate() {
                y.insert(0, system.d.at(i, input) / h);
                y.pop();
            }
            Ok(response)
        }
    }
}

/// The facts of the step from one input to one output, each time refined to rounding for a continuous system. A system that
/// does not come to rest has none.
pub fn step_facts(system: &StateSpace, output: usize, input: usize) -> Result<StepFacts, ControlError> {
    let channel = system.channel(output, input).minimal();
    let last = channel.dc_gain().at(0, 0);
    // rounding may put the pole of an integrator a little to the left, but it has no last value
    if !channel.is_stable()? || !last.is_finite() {
        return Err(ControlError::Singular("the last value of a system that is not stable"));
    }
    let run = Run::new(&channel, 0, None)?;
    let response = run.response(vec![0.0; channel.states()], 1.0);
    let (t, y) = (&response.t, &response.y[0]);
    let sign = if last < 0.0 { -1.0 } else { 1.0 };
    let (peak_time, peak) = run.extreme(&channel, t, y, sign);
    let (_, lowest) = run.extreme(&channel, t, y, -sign);
    // what comes back to zero has no way but that to its largest value
    let size = if last == 0.0 { peak.abs().max(lowest.abs()) } else { last.abs() };
    let crossing = |level: f64, k: usize| run.crossing(&channel, t, y, k, level);
    // the first k after which the level is passed
    let first = |part: f64| {
        let level = part * last;
        (1..t.len()).find(|&k| sign * (y[k] - level) >= 0.0).map(|k| crossing(level, k))
    };
    let rise = match (sign * y[0] >= sign * 0.1 * last, last == 0.0) {
        (_, true) => None,
        (true, _) => first(0.9).map(|end| if sign * y[0] >= sign * 0.9 * last { 0.0 } else { end }),
        (false, _) => first(0.1).zip(first(0.9)).map(|(begin, end)| end - begin),
    };
    let band = 0.02 * size;
    let outside = (0..t.len()).rev().find(|&k| (y[k] - last).abs() > band);
    let settling = match outside {
        None => Some(0.0),
        Some(k) if k + 1 < t.len() => Some(crossing(last + band.copysign(y[k] - last), k + 1)),
        Some(_) => None,
    };
    let beyond = sign * (peak - last);
    Ok(StepFacts {
        last,
        rise,
        settling,
        overshoot: if size == 0.0 { 0.0 } else { (100.0 * beyond / size).max(0.0) },
        undershoot: if size == 0.0 { 0.0 } else { (-100.0 * sign * lowest / size).max(0.0) },
        peak,
        peak_time,
    })
}

/// A system with one input, prepared for steps of one length.
struct Run {
    f: Matrix,
    g: Vec<f64>,
    c: Matrix,
    d: Vec<f64>,
    h: f64,
    steps: usize,
}

impl Run {
    fn new(system: &StateSpace, input: usize, end: Option<f64>) -> Result<Run, ControlError> {
        if input >= system.inputs() {
            return Err(ControlError::Shape(format!("input {input} of {}, counted from 0", system.inputs())));
        }
        if end.is_some_and(|end| !(end > 0.0 && end.is_finite())) {
            return Err(ControlError::Shape("a response ends at a positive time".into()));
        }
        let poles = system.poles()?;
        let end = end.unwrap_or_else(|| end_from(&poles, system.period));
        let b = system.b.block(0..system.states(), input..input + 1);
        let (c, d) = (system.c.clone(), system.d.column(input));
        if let Some(h) = system.period {
            let steps = ((end / h).round() as usize).clamp(1, MOST_POINTS);
            return Ok(Run { f: system.a.clone(), g: b.elements().to_vec(), c, d, h, steps });
        }
        // twenty points per oscillation of those that last
        let fastest = poles.iter().filter(|p| p.re * end > -40.0).map(|p| p.im.abs()).fold(0.0, f64::max);
        let wanted = (end * fastest * 20.0 / std::f64::consts::TAU).ceil() as usize;
        let steps = wanted.clamp(POINTS, MOST_POINTS);
        let h = end / steps as f64;
        let (f, g) = hold(&system.a, &b, h).ok_or(ControlError::NotFinite("the response"))?;
        Ok(Run { f, g: g.elements().to_vec(), c, d, h, steps })
    }

    /// From a state, with a constant input.
    fn response(&self, mut x: Vec<f64>, input: f64) -> Response {
        let mut y = vec![Vec::with_capacity(self.steps + 1); self.c.rows()];
        let t = (0..=self.steps).map(|k| k as f64 * self.h).collect();
        for k in 0..=self.steps {
            if k > 0 {
                x = self.f.times(&x);
                x.iter_mut().zip(&self.g).for_each(|(x, g)| *x += g * input);
            }
            for ((y, c), d) in y.iter_mut().zip(self.c.times(&x)).zip(&self.d) {
                y.push(c + d * input);
            }
        }
        Response { t, y }
    }

    /// The state of a step response at a point.
    fn state(&self, k: usize) -> Vec<f64> {
        let mut x = vec![0.0; self.g.len()];
        for _ in 0..k {
            x = self.f.times(&x);
            x.iter_mut().zip(&self.g).for_each(|(x, g)| *x += g);
        }
        x
    }

    /// y of a step response as a function of the time after point k.
    fn between(&self, channel: &StateSpace, k: usize) -> impl Fn(f64) -> f64 {
        let n = channel.states();
        let mut whole = Matrix::zero(n + 1, n + 1);
        whole.put(0, 0, &channel.a);
        whole.put(0, n, &channel.b);
        let mut start = self.state(k);
        start.push(1.0);
        let mut row = channel.c.row(0).to_vec();
        row.push(channel.d.at(0, 0));
        move |tau: f64| match exponential(&whole.scaled(tau)) {
            Some(e) => e.times(&start).iter().zip(&row).map(|(x, c)| x * c).sum(),
            None => f64::NAN,
        }
    }

    /// When the level is passed between points k − 1 and k; by a straight line for a sampled system.
    fn crossing(&self, channel: &StateSpace, t: &[f64], y: &[f64], k: usize, level: f64) -> f64 {
        let (mut from, mut to) = (0.0, t[k] - t[k - 1]);
        if channel.period.is_some() {
            let part = if y[k] == y[k - 1] { 1.0 } else { (level - y[k - 1]) / (y[k] - y[k - 1]) };
            return t[k - 1] + part.clamp(0.0, 1.0) * to;
        }
        let value = self.between(channel, k - 1);
        let rising = y[k] > y[k - 1];
        for _ in 0..60 {
            let middle = 0.5 * (from + to);
            if (value(middle) >= level) == rising {
                to = middle;
            } else {
                from = middle;
            }
        }
        t[k - 1] + to
    }

    /// The time and value of the largest y (the smallest if the sign is negative).
    fn extreme(&self, channel: &StateSpace, t: &[f64], y: &[f64], sign: f64) -> (f64, f64) {
        let at = (0..t.len()).fold(0, |best, k| if sign * y[k] > sign * y[best] { k } else { best });
        if channel.period.is_some() || at == 0 || at + 1 == t.len() {
            return (t[at], y[at]);
        }
        let value = self.between(channel, at - 1);
        let (mut from, mut to) = (0.0, t[at + 1] - t[at - 1]);
        let golden = 0.5 * (5f64.sqrt() - 1.0);
        for _ in 0..50 {
            let (p, q) = (to - golden * (to - from), from + golden * (to - from));
            if sign * value(p) >= sign * value(q) {
                to = q;
            } else {
                from = p;
            }
        }
        let tau = 0.5 * (from + to);
        (t[at - 1] + tau, value(tau))
    }
}

/// Long enough to see where it goes: until the slowest mode has shrunk to a ten-thousandth, or an unstable one has grown
/// a hundredfold; of integrators and oscillators some multiples of the times that there are.
fn end_from(poles: &[Complex], period: Option<f64>) -> f64 {
    let rates: Vec<Complex> = poles
        .iter()
        .filter_map(|&p| match period {
            None => Some(p),
            Some(_) if modulus(p) == 0.0 => None,
            Some(h) => Some(Complex::new(modulus(p).ln() / h, p.im.atan2(p.re) / h)),
        })
        .collect();
    let size = rates.iter().map(|&p| modulus(p)).fold(0.0, f64::max);
    let still = 1e-8 * size;
    let growing = rates.iter().map(|p| p.re).fold(0.0, f64::max);
    let slowest = rates.iter().map(|p| -p.re).filter(|re| *re > still).fold(f64::INFINITY, f64::min);
    let swinging = rates.iter().filter(|p| p.re.abs() <= still && p.im.abs() > still).map(|p| p.im.abs());
    let slow_swing = swinging.fold(f64::INFINITY, f64::min);
    let resting = rates.iter().any(|&p| modulus(p) <= still);
    let end = if growing > still {
        100f64.ln() / growing
    } else if slow_swing.is_finite() {
        10.0 * std::f64::consts::TAU / slow_swing
    } else if slowest.is_finite() {
        if resting { 20.0 / slowest } else { 1e4f64.ln() / slowest }
    } else {
        period.map_or(10.0, |h| 20.0 * h)
    };
    nice(end)
}

/// The next larger of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten.
fn nice(x: f64) -> f64 {
    let decade = 10f64.powf(x.log10().floor());
    let steps = [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    steps.iter().map(|s| s * decade).find(|s| *s >= x * (1.0 - 1e-9)).unwrap_or(x)
}
