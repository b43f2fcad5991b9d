//! `design pid`: P, PI, PD and PID with set-point weights, a filtered derivative, limits and anti-windup.
//!
//! ```text
//!   u = u₀ + kp (b r − y) + z + kd s (c r − y)/(1 + s Tf),      z′ = ki (r − y) + kb (u − what was asked for)
//! ```
//!
//! b and c weight deviations of the reference from the point (K. J. Åström, T. Hägglund, Advanced PID Control, ISA 2006,
//! ch. 3). A sampled one takes the derivative's filter by backward, the integral by forward differences.

use super::linear_loop::{LinearLoop, Reference};
use super::point::{Basis, Output, value};
use super::text::{Names, Sum, deviation, number, plain_name};
use super::tune::{self, Form, Tune};
use super::{ControllerText, Design, DesignError, DesignOptions, Draft, Held, Law, Parameter, Plant};
use ordinate_control::{Matrix, StateSpace};

/// What keeps the integral from running away while the limits cut off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AntiWindup {
    /// It is driven back by what was cut off, with the time constant √(Ti Td), or Ti without a derivative.
    #[default]
    Back,
    /// It stands still while it would make things worse.
    Clamp,
    /// Nothing.
    None,
}

/// `design pid`
#[derive(Clone, Debug, Default)]
pub struct PidWish {
    /// The controlled output; the only one if not given.
    pub output: Option<String>,
    /// `VALUE` or `OUT=VALUE` of the reference, an expression; that of the point if not given.
    pub reference: Option<String>,
    /// Proportional gain.
    pub kp: Option<f64>,
    /// Integral gain.
    pub ki: Option<f64>,
    /// Derivative gain.
    pub kd: Option<f64>,
    /// N of the filter Tf = kd/(kp N).
    pub filter: Option<f64>,
    /// Lowest and highest value of the input.
    pub limits: Option<(f64, f64)>,
    /// Anti-windup.
    pub windup: AntiWindup,
    /// Weights b and c; 1 and 0 if not given.
    pub weight: Option<(f64, f64)>,
    /// How gains are found.
    pub tune: Option<Tune>,
    /// Which of them are found.
    pub form: Option<Form>,
}

/// kp, ki, kd.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PidGains {
    /// Proportional.
    pub kp: f64,
    /// Integral.
    pub ki: f64,
    /// Derivative.
    pub kd: f64,
}

impl PidGains {
    /// `P`, `PI`, …
    pub fn form(&self) -> &'static str {
        match (self.kp != 0.0, self.ki != 0.0, self.kd != 0.0) {
            (_, false, false) => "P",
            (true, true, false) => "PI",
            (_, false, true) => "PD",
            (_, true, true) => "PID",
            (false, true, false) => "I",
        }
    }
}

/// N of the derivative's filter, where none is given.
const FILTER: f64 = 10.0;

/// A PID controller but for its gains.
pub(super) struct Pid<'a> {
    pub basis: &'a Basis,
    pub output: Output,
    pub reference: f64,
    weight: (f64, f64),
    filter: Option<f64>,
    limits: Option<(f64, f64)>,
    windup: AntiWindup,
    pub period: Option<f64>,
    /// The derivative of the output, where that is a state and no filter is wanted: its place.
    direct: Option<usize>,
}

/// A PID controller.
pub fn pid(plant: &Plant, options: &DesignOptions, wish: &PidWish) -> Result<Design, DesignError> {
    let basis = Basis::new(plant, options)?;
    if basis.inputs.len() > 1 {
        let all = basis.inputs.join(", ");
        return Err(DesignError::Usage(format!(
            "a PID controller drives one input: choose one of {all} with `--input`"
        )));
    }
    let given = wish.reference.as_deref().map(|text| match text.split_once('=') {
        Some((name, value)) => (Some(name.trim()), value.trim()),
        None => (None, text),
    });
    let named = given.and_then(|(name, _)| name);
    if let (Some(output), Some(named)) = (&wish.output, named.filter(|named| wish.output.as_deref() != Some(named))) {
        return Err(DesignError::Usage(format!(
            "`--reference {named}=…`: the controlled output is `{output}`, and the reference is its own"
        )));
    }
    let output = match (wish.output.as_deref().or(named), basis.outputs.as_slice()) {
        (Some(name), _) => basis.output(name, if wish.output.is_some() { "--output" } else { "--reference" })?,
        (None, [only]) => basis.output(only, "--output")?,
        (None, all) => {
            let all = all.join(", ");
            return Err(DesignError::Usage(format!("say which output is controlled with `--output`: there are {all}")));
        }
    };
    let reference = given.map_or(Ok(output.at), |(_, text)| value(plant, text, "--reference"))?;
    if let Some((low, high)) = wish.limits
        && !(low < high && (low..=high).contains(&basis.u0[0]))
    {
        return Err(DesignError::Usage(format!(
            "`--limits {low},{high}`: the lower comes first, and the input at the point, {}, must lie between them",
            crate::short(basis.u0[0])
        )));
    }
    let weight = wish.weight.unwrap_or((1.0, 0.0));
    let rate = basis.states.iter().position(|state| *state == format!("{}'", output.name));
    let direct = rate.filter(|_| wish.filter.is_none() && weight.1 == 0.0);
    if options.sampled.is_some() && output.d.at(0, 0) != 0.0 {
        return Err(feed_through(&output.name, &basis.inputs[0]));
    }
    let pid = Pid {
        basis: &basis,
        reference,
        weight,
        filter: wish.filter,
        limits: wish.limits,
        windup: wish.windup,
        period: options.sampled,
        direct,
        output,
    };
    for (option, gain) in [("--kp", wish.kp), ("--ki", wish.ki), ("--kd", wish.kd)] {
        if let Some(gain) = gain.filter(|gain| !gain.is_finite()) {
            return Err(DesignError::Usage(format!("`{option} {gain}` is not a finite number")));
        }
    }
    let (gains, remark) = match wish.tune {
        Some(rule) => tune::tuned(plant, options, &pid, rule, wish.form)?,
        None => {
            let gain = |gain: Option<f64>| gain.unwrap_or(0.0);
            let gains = PidGains { kp: gain(wish.kp), ki: gain(wish.ki), kd: gain(wish.kd) };
            if gains == PidGains::default() {
                return Err(DesignError::Usage(
                    "give gains with `--kp`, `--ki`, `--kd`, or let them be found with `--tune simc|zn|itae|ise`"
                        .into(),
                ));
            }
            (gains, None)
        }
    };
    pid.check_filter(&gains)?;
    let sampled = options.sampled.map_or(String::new(), |period| format!(", sampled every {}", crate::short(period)));
    let draft = Draft {
        kind: "pid",
        basis: &basis,
        linear: pid.linear_loop(&gains)?,
        controller: pid.text(&gains, &mut Names::new(&plant.source.text)),
        following: Some((pid.output.name.clone(), reference)),
        least_duration: pid.least_duration(plant)?,
        exact: gains.ki != 0.0 || reference == pid.output.at,
        title: format!("{} controller of {}{sampled}", gains.form(), pid.output.name),
    };
    let mut design = draft.complete(plant, options)?;
    design.pid = Some((gains.kp, gains.ki, gains.kd));
    design.notes.extend(remark);
    if pid.output.d.at(0, 0) != 0.0 {
        let (y, u) = (&pid.output.name, &basis.inputs[0]);
        design.notes.push(format!("`{y}` contains `{u}` itself, so the law is solved as an algebraic equation"));
    }
    Ok(design)
}

pub(super) fn feed_through(output: &str, input: &str) -> DesignError {
    DesignError::Stopped {
        message: format!(
            "`{output}` contains `{input}` itself, so a sample of it shows the input of the sample before"
        ),
        hint: "take an output that the input reaches through a state, or a controller that is not sampled".into(),
    }
}

impl Pid<'_> {
    /// Whether the input has limits of its own.
    pub fn is_limited(&self) -> bool {
        self.limits.is_some()
    }

    /// At its limits a loop is no faster than the plant alone.
    fn least_duration(&self, plant: &Plant) -> Result<f64, DesignError> {
        if !self.is_limited() {
            return Ok(0.0);
        }
        let rates = self.basis.system.poles()?;
        let slowest = rates.iter().map(|p| -p.re).filter(|rate| *rate > 0.0).fold(f64::INFINITY, f64::min);
        let own = plant.compiled.run.map_or(0.0, |(from, to)| to - from);
        Ok(own.max(if slowest.is_finite() { super::trial::TIME_CONSTANTS / slowest } else { 0.0 }))
    }

    /// The time constant of the derivative's filter; `None` where no derivative is filtered.
    fn filter_time(&self, gains: &PidGains) -> Option<f64> {
        let n = self.filter.unwrap_or(FILTER);
        let time = if gains.kp == 0.0 { 1.0 / n } else { (gains.kd / (gains.kp * n)).abs() };
        (gains.kd != 0.0 && self.direct.is_none()).then_some(time)
    }

    fn check_filter(&self, gains: &PidGains) -> Result<(), DesignError> {
        match self.filter {
            Some(n) if !(n > 0.0 && n.is_finite()) => {
                Err(DesignError::Usage(format!("`--filter {n}` must be positive, such as 10")))
            }
            Some(_) if gains.kd == 0.0 => {
                Err(DesignError::Usage("`--filter` belongs to a derivative; there is none without `--kd`".into()))
            }
            _ => Ok(()),
        }
    }

    /// What drives the integral back, by what the limits cut off: 1/Tt with Tt = √(Ti Td), or Ti.
    fn back_gain(&self, gains: &PidGains) -> Option<f64> {
        let PidGains { kp, ki, kd } = *gains;
        let wanted = self.limits.is_some() && self.windup == AntiWindup::Back && ki != 0.0;
        let time = match (kp != 0.0, kd != 0.0) {
            (true, true) => (kd / ki).abs().sqrt(),
            (true, false) => (kp / ki).abs(),
            // an integral alone: as fast as it reaches one unit of the input per unit of the output
            (false, _) => 1.0 / ki.abs(),
        };
        wanted.then(|| 1.0 / time)
    }

    /// The linear loop; the controller's states are the integral, then the filter.
    pub fn linear_loop(&self, gains: &PidGains) -> Result<LinearLoop, DesignError> {
        let PidGains { kp, ki, kd } = *gains;
        let plant = super::gains::sampled_system(&self.basis.system, self.period)?;
        let StateSpace { a, b, .. } = &plant;
        let n = a.rows();
        let filter = self.filter_time(gains);
        let all = n + usize::from(ki != 0.0) + usize::from(filter.is_some());
        let (c, d) = (&self.output.c, self.output.d.at(0, 0));
        let width = self.period.unwrap_or(1.0);
        let kept = f64::from(u8::from(self.period.is_some()));
        let (mut open, mut into, mut k) = (Matrix::zero(all, all), Matrix::zero(all, 1), Matrix::zero(1, all));
        let (mut e, mut f) = (Matrix::zero(all, 1), kp * self.weight.0);
        let mut direct = kp * d;
        open.put(0, 0, a);
        into.put(0, 0, b);
        k.put(0, 0, &c.scaled(kp));
        let mut next = n;
        if ki != 0.0 {
            open.put(next, 0, &c.scaled(-width * ki));
            *open.at_mut(next, next) = kept;
            *into.at_mut(next, 0) = -width * ki * d;
            *e.at_mut(next, 0) = width * ki;
            *k.at_mut(0, next) = -1.0;
            next += 1;
        }
        if let Some(rate) = self.direct.filter(|_| kd != 0.0) {
            *k.at_mut(0, rate) += kd;
        }
        if let Some(time) = filter {
            let time = time + self.period.unwrap_or(0.0);
            let share = width / time;
            open.put(next, 0, &c.scaled(share));
            *open.at_mut(next, next) = kept - share;
            *into.at_mut(next, 0) = share * d;
            *e.at_mut(next, 0) = -share * self.weight.1;
            let through = &k.block(0..1, 0..n) + &c.scaled(kd / time);
            k.put(0, 0, &through);
            *k.at_mut(0, next) = -kd / time;
            direct += kd / time * d;
            f += kd / time * self.weight.1;
        }
        let mut y = Matrix::zero(1, all);
        y.put(0, 0, c);
        let reference = Some(Reference { e, f: Matrix::diagonal(&[f]), c: y, h: self.output.d.clone() });
        Ok(LinearLoop { a: open, b: into, k, d: direct, reference, period: self.period })
    }

    /// The controller as text.
    pub fn text(&self, gains: &PidGains, names: &mut Names) -> ControllerText {
        let PidGains { kp, ki, kd } = *gains;
        let (y, u) = (self.output.name.as_str(), self.basis.inputs[0].as_str());
        let sampled = self.period.map(|period| (names.fresh("Ts"), period));
        let mut text = ControllerText { sampled: sampled.clone(), ..ControllerText::default() };
        let reference = names.fresh(&format!("{}_r", plain_name(y)));
        let comment = format!("reference of {y}");
        text.inputs.push(Parameter { name: reference.clone(), value: self.reference, comment });
        let mut parameter = |names: &mut Names, wish: &str, value: f64, comment: &str| {
            let name = names.fresh(wish);
            text.parameters.push(Parameter { name: name.clone(), value, comment: comment.into() });
            name
        };
        let mut sum = Sum::default();
        sum.add_number(self.basis.u0[0]);
        if kp != 0.0 {
            let name = parameter(names, "kp", kp, "proportional");
            match self.weight.0 {
                1.0 => sum.add(&format!("{name}*({reference} - {y})")),
                b => {
                    let mut error = Sum::default();
                    error.add_product(b, &deviation(&reference, self.output.at));
                    error.sub(&deviation(y, self.output.at));
                    sum.add(&format!("{name}*({})", error.finish()));
                }
            }
        }
        let integral = (ki != 0.0).then(|| (names.fresh("z"), parameter(names, "ki", ki, "integral")));
        integral.iter().for_each(|(z, _)| sum.add(z));
        let mut lines = Vec::new();
        if kd != 0.0 {
            let name = parameter(names, "kd", kd, "derivative");
            match self.filter_time(gains) {
                None => sum.sub(&format!("{name}*{y}'")),
                Some(time) => {
                    let time = parameter(names, "Tf", time, "time constant of the derivative's filter");
                    let (slow, rate) = (format!("{}_f", plain_name(y)), format!("{}_rate", plain_name(y)));
                    let (slow, rate) = (names.fresh(&slow), names.fresh(&rate));
                    let mut signal = Sum::default();
                    signal.add(y);
                    signal.add_product(-self.weight.1, &reference);
                    let signal = signal.finish();
                    let divisor = sampled.as_ref().map_or(time.clone(), |(ts, _)| format!("({time} + {ts})"));
                    lines.push(format!("{rate} = ({signal} - {slow})/{divisor}"));
                    // without a jump at the start
                    let start = match self.output.is_state && self.weight.1 == 0.0 {
                        true => y.to_string(),
                        false => number(self.output.at - self.weight.1 * self.reference),
                    };
                    match &sampled {
                        None => lines.extend([format!("{slow}' = {rate}"), format!("init {slow} = {start}")]),
                        Some((ts, _)) => {
                            text.held.push(Held { value: format!("{slow} + {ts}*{rate}"), name: slow, start })
                        }
                    }
                    sum.sub(&format!("{name}*{rate}"));
                }
            }
        }
        let mut asked = sum.finish();
        let mut error = integral.as_ref().map(|(_, ki)| format!("{ki}*({reference} - {y})"));
        if let Some((low, high)) = self.limits {
            let (low, high) = (
                parameter(names, &format!("{}_min", plain_name(u)), low, "limits of the input"),
                parameter(names, &format!("{}_max", plain_name(u)), high, ""),
            );
            let wish = names.fresh(&format!("{}_wish", plain_name(u)));
            lines.insert(0, format!("{wish} = {asked}"));
            asked = format!("max({low}, min({high}, {wish}))");
            if let (Some(error), Some(back)) = (&mut error, self.back_gain(gains)) {
                let back = parameter(names, "kb", back, "drives the integral back from the limits");
                let cut = if sampled.is_some() { asked.clone() } else { u.to_string() };
                *error = format!("{error} + {back}*({cut} - {wish})");
            }
            if self.windup == AntiWindup::Clamp {
                let worse =
                    |error: &str| format!("({wish} > {high} and {error} > 0) or ({wish} < {low} and {error} < 0)");
                error = error.map(|error| format!("if {} then 0 else {error}", worse(&error)));
            }
        }
        if let (Some((z, _)), Some(error)) = (integral, error) {
            match &sampled {
                None => lines.extend([format!("{z}' = {error}"), format!("init {z} = 0")]),
                Some((ts, _)) => {
                    text.held.push(Held { value: format!("{z} + {ts}*({error})"), name: z, start: "0".into() });
                }
            }
        }
        text.laws.push(Law { input: u.to_string(), value: asked, start: self.basis.u0[0] });
        text.lines = lines;
        text
    }
}
