//! Gains of a PID controller by rules for the linear model (SIMC, Ziegler–Nichols), or by the smallest integral of the
//! error of the nonlinear loop.

use super::nelder_mead::smallest;
use super::pid::{Pid, PidGains};
use super::text::{Names, number};
use super::{DesignError, DesignOptions, Plant, closed_loop, trial};
use crate::number::complex;
use crate::{CompileOptions, ErrorWish, Memory, RowTimes, RunOptions, Status, short, simulate};
use ordinate_control::{Complex, StateSpace, margins};

/// How gains are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tune {
    /// Skogestad's rules (J. Process Control 13 (2003) 291–309) for the linear model, reduced by the half rule.
    Simc,
    /// Ziegler and Nichols (Trans. ASME 64 (1942) 759–768), from the ultimate gain of the linear model.
    ZieglerNichols,
    /// The smallest ∫ t |r − y| dt of the nonlinear loop.
    Itae,
    /// The smallest ∫ (r − y)² dt of the nonlinear loop.
    Ise,
}

/// Which gains are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// kp
    P,
    /// kp, ki
    Pi,
    /// kp, kd
    Pd,
    /// kp, ki, kd
    Pid,
}

/// The gains, and how they came about.
pub(super) fn tuned(
    plant: &Plant,
    options: &DesignOptions,
    pid: &Pid,
    rule: Tune,
    form: Option<Form>,
) -> Result<(PidGains, Option<String>), DesignError> {
    let system = channel(pid);
    let (gains, remark) = match rule {
        Tune::Simc => simc(&system, form.unwrap_or(Form::Pi), pid.period)?,
        Tune::ZieglerNichols => ziegler_nichols(&system, form.unwrap_or(Form::Pid))?,
        Tune::Itae | Tune::Ise => searched(plant, options, pid, rule, form.unwrap_or(Form::Pid))?,
    };
    Ok((gains, Some(remark)))
}

fn channel(pid: &Pid) -> StateSpace {
    let system = &pid.basis.system;
    let whole = StateSpace { c: pid.output.c.clone(), d: pid.output.d.clone(), ..system.clone() };
    whole.minimal()
}

fn stopped<T>(message: String, hint: &str) -> Result<T, DesignError> {
    Err(DesignError::Stopped { message, hint: hint.into() })
}

/// A model of first or second order with dead time: k e^(−θs)/((τ₁s + 1)(τ₂s + 1)), or k e^(−θs)/(s (τ₂s + 1)).
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reduced {
    k: f64,
    /// Infinite of an integrating one, whose k is that of k/s.
    tau1: f64,
    tau2: f64,
    theta: f64,
}

/// Skogestad's half rule: the largest neglected time constant is shared between the smallest kept one and the dead time,
/// the others and inverse responses become dead time. Zeros in the left half plane cancel the next larger time constant, or
/// the largest: (Ts + 1)/(τs + 1) ≈ 1/((τ − T)s + 1) for T < τ, and T/τ otherwise.
fn reduced(system: &StateSpace, kept: usize, period: Option<f64>) -> Result<Reduced, DesignError> {
    let hint = "use `--tune itae`, or give the gains";
    let poles = system.poles()?;
    let zeros = system.zeros()?;
    let size = poles.iter().map(|p| p.re.hypot(p.im)).fold(0.0, f64::max);
    let is_zero = |p: &Complex| p.re.hypot(p.im) <= 1e-9 * size;
    let bad = |p: &&Complex| p.im.abs() > 1e-9 * size || (p.re > 0.0 && !is_zero(p));
    if let Some(p) = poles.iter().find(bad) {
        let p = complex(p.re, p.im);
        return stopped(format!("SIMC is made for stable poles without oscillation; the linear model has {p}"), hint);
    }
    if let Some(z) = zeros.iter().find(|z| z.im.abs() > 1e-9 * (size + z.re.abs())) {
        let z = complex(z.re, z.im);
        return stopped(format!("SIMC is made for real zeros; the linear model has {z}"), hint);
    }
    let integrators = poles.iter().filter(|p| is_zero(p)).count();
    if integrators > 1 {
        return stopped(format!("SIMC is made for one integrator at most; the linear model has {integrators}"), hint);
    }
    let mut taus: Vec<f64> = poles.iter().filter(|p| !is_zero(p)).map(|p| -1.0 / p.re).collect();
    taus.sort_by(|a, b| b.total_cmp(a));
    let mut k = match integrators {
        0 => system.dc_gain().at(0, 0),
        _ => {
            // s G(s) near s = 0
            let s = 1e-7 * if size > 0.0 { size } else { 1.0 };
            s * system.at(Complex::new(s, 0.0))[0][0].re
        }
    };
    let mut theta = period.map_or(0.0, |period| period / 2.0);
    let mut leads: Vec<f64> = zeros.iter().filter(|z| z.re < 0.0).map(|z| -1.0 / z.re).collect();
    leads.sort_by(|a, b| b.total_cmp(a));
    theta += zeros.iter().filter(|z| z.re > 0.0).map(|z| 1.0 / z.re).sum::<f64>();
    for lead in leads {
        // the next larger one, otherwise the largest
        let Some(near) = taus.iter().rposition(|&tau| tau >= lead).or((!taus.is_empty()).then_some(0)) else {
            continue;
        };
        if lead >= taus[near] {
            k *= lead / taus.remove(near);
        } else {
            taus[near] -= lead;
            taus.sort_by(|a, b| b.total_cmp(a));
        }
    }
    if !(k.is_finite() && k != 0.0) {
        return stopped("the output does not respond to the input: the static gain is zero".into(), hint);
    }
    let mut all = if integrators == 1 { vec![f64::INFINITY] } else { Vec::new() };
    all.extend(&taus);
    all.resize(all.len().max(kept + 1), 0.0);
    let neglected = all[kept];
    theta += neglected / 2.0 + all[kept + 1..].iter().sum::<f64>();
    all[kept - 1] += neglected / 2.0;
    Ok(Reduced { k, tau1: all[0], tau2: if kept == 2 { all[1] } else { 0.0 }, theta })
}

fn simc(system: &StateSpace, form: Form, period: Option<f64>) -> Result<(PidGains, String), DesignError> {
    let kept = if matches!(form, Form::Pd | Form::Pid) { 2 } else { 1 };
    let model = reduced(system, kept, period)?;
    // tight control is τc = θ; without dead time the neglected rest, or a fifth of the time constant, takes its place
    let rest = if kept == 2 { reduced(system, 1, period)?.theta } else { 0.0 };
    let tau_c = match (model.theta > 0.0, rest > 0.0) {
        (true, _) => model.theta,
        (false, true) => rest,
        (false, false) if model.tau1.is_finite() => model.tau1 / 5.0,
        (false, false) => 1.0,
    };
    let both = tau_c + model.theta;
    let (kc, tau_i) = match model.tau1.is_finite() {
        true => (model.tau1 / (model.k * both), model.tau1.min(4.0 * both)),
        false => (1.0 / (model.k * both), 4.0 * both),
    };
    let tau_d = if kept == 2 { model.tau2 } else { 0.0 };
    // the rules are for the series form
    let (kp, ki, kd) = (kc * (1.0 + tau_d / tau_i), kc / tau_i, kc * tau_d);
    let gains = match form {
        Form::P => PidGains { kp: kc, ..PidGains::default() },
        Form::Pd => PidGains { kp: kc, ki: 0.0, kd },
        Form::Pi | Form::Pid => PidGains { kp, ki, kd },
    };
    let words = format!(
        "SIMC: k = {}, time constants {} and {}, dead time {}; closed-loop time constant {}",
        short(model.k),
        short(model.tau1),
        short(model.tau2),
        short(model.theta),
        short(tau_c)
    );
    Ok((gains, words))
}

fn ziegler_nichols(system: &StateSpace, form: Form) -> Result<(PidGains, String), DesignError> {
    let static_gain = system.dc_gain().at(0, 0);
    let sign = if static_gain < 0.0 { -1.0 } else { 1.0 };
    let loop_of = StateSpace { c: system.c.scaled(sign), d: system.d.scaled(sign), ..system.clone() };
    let found = margins(&loop_of)?;
    let crossing = found.gain.iter().filter(|(w, factor)| *w > 0.0 && *factor > 0.0 && factor.is_finite());
    let Some(&(frequency, ultimate)) = { crossing }.min_by(|a, b| a.1.total_cmp(&b.1)) else {
        return stopped(
            "there is no ultimate gain: the phase of the linear model never reaches −180°".into(),
            "use `--tune simc` or `--tune itae`",
        );
    };
    let period = 2.0 * std::f64::consts::PI / frequency;
    let ku = sign * ultimate;
    let gains = match form {
        Form::P => PidGains { kp: 0.5 * ku, ..PidGains::default() },
        Form::Pi => PidGains { kp: 0.45 * ku, ki: 0.54 * ku / period, kd: 0.0 },
        Form::Pd => PidGains { kp: 0.8 * ku, ki: 0.0, kd: 0.1 * ku * period },
        Form::Pid => PidGains { kp: 0.6 * ku, ki: 1.2 * ku / period, kd: 0.075 * ku * period },
    };
    Ok((gains, format!("Ziegler–Nichols: ultimate gain {}, period {}", short(ku), short(period))))
}

/// Rows of a run, over which the error is integrated.
const ROWS: usize = 1001;
/// Evaluations of the search.
const MOST_RUNS: usize = 250;
/// Without limits of its own the input may be so many times as large as at the start of the search.
const EFFORT: f64 = 3.0;

/// The search stays within this factor of the gains that it begins with: without noise and delay more is always better.
const REACH: f64 = 30.0;

/// The gains with the smallest integral, by Nelder and Mead's search over the logarithms of the gains.
fn searched(
    plant: &Plant,
    options: &DesignOptions,
    pid: &Pid,
    rule: Tune,
    form: Form,
) -> Result<(PidGains, String), DesignError> {
    let system = channel(pid);
    let first = first_guess(pid, &system, form);
    let Some(first) = first else {
        return stopped(
            "no gains that stabilise the linear loop were found, so the search has no starting point".into(),
            "give gains with `--kp`, `--ki`, `--kd`",
        );
    };
    let linear = pid.linear_loop(&first)?;
    let poles = linear.poles()?;
    let duration = trial::duration(&linear, &poles).unwrap_or(10.0);
    let duration = plant.compiled.run.map_or(duration, |(from, to)| (to - from).max(duration));
    let pick = |gains: &PidGains| match form {
        Form::P => vec![gains.kp],
        Form::Pi => vec![gains.kp, gains.ki],
        Form::Pd => vec![gains.kp, gains.kd],
        Form::Pid => vec![gains.kp, gains.ki, gains.kd],
    };
    let signs: Vec<f64> = pick(&first).iter().map(|gain| gain.signum()).collect();
    let gains_of = |x: &[f64]| {
        let value = |k: usize| signs[k] * x[k].exp();
        match form {
            Form::P => PidGains { kp: value(0), ..PidGains::default() },
            Form::Pi => PidGains { kp: value(0), ki: value(1), kd: 0.0 },
            Form::Pd => PidGains { kp: value(0), ki: 0.0, kd: value(1) },
            Form::Pid => PidGains { kp: value(0), ki: value(1), kd: value(2) },
        }
    };
    let scene = Scene { plant, options, pid, rule, duration };
    let Some((begin, effort)) = scene.integral(&first) else {
        return stopped(
            "the nonlinear loop does not run with the gains from which the search starts".into(),
            "give gains with `--kp`, `--ki`, `--kd`, or start values closer to the point with `--start`",
        );
    };
    if begin == 0.0 {
        return stopped(
            "nothing happens in the closed loop, so no integral can be made smaller".into(),
            "give another value with `--reference`, or a start away from the point with `--start`",
        );
    }
    let start: Vec<f64> = pick(&first).iter().map(|gain| gain.abs().ln()).collect();
    let limited = pid.is_limited();
    let mut runs = 0;
    let (best, value) = smallest(&start, 0.5, MOST_RUNS, &mut |x| {
        runs += 1;
        if x.iter().zip(&start).any(|(x, first)| (x - first).abs() > REACH.ln()) {
            return f64::INFINITY;
        }
        match scene.integral(&gains_of(x)) {
            None => f64::INFINITY,
            Some((integral, _)) if limited => integral,
            Some((integral, most)) => integral * (1.0 + 10.0 * (most / (EFFORT * effort) - 1.0).max(0.0)),
        }
    });
    let name = if rule == Tune::Itae { "ITAE" } else { "ISE" };
    let kept = if limited {
        String::new()
    } else {
        format!(", the input kept below {} from its value at the point", short(EFFORT * effort))
    };
    let words =
        format!("{name} {} over {}, found in {runs} runs of the nonlinear loop{kept}", short(value), short(duration));
    Ok((gains_of(&best), words))
}

/// Gains with which the linear loop is stable, to begin a search with.
fn first_guess(pid: &Pid, system: &StateSpace, form: Form) -> Option<PidGains> {
    let stable = |gains: &PidGains| {
        let Ok(linear) = pid.linear_loop(gains) else { return false };
        let Ok(poles) = linear.poles() else { return false };
        poles.iter().all(|&pole| linear.rate(pole).re < 0.0)
    };
    let rules = [simc(system, form, pid.period), ziegler_nichols(system, form)];
    let by_rule = rules.into_iter().flatten().map(|(gains, _)| gains).find(|gains| stable(gains));
    by_rule.or_else(|| {
        // over decades of size and speed, both signs; the first that is stable
        let poles = system.poles().ok()?;
        let rate = poles.iter().map(|p| p.re.hypot(p.im)).fold(0.0, f64::max);
        let rate = if rate > 0.0 { rate } else { 1.0 };
        let gain = system.at(Complex::new(0.0, rate))[0][0];
        let unit = 1.0 / gain.re.hypot(gain.im);
        for size in [1.0, 3.0, 10.0, 30.0, 0.3, 0.1, 100.0, 0.03, 0.01] {
            for sign in [1.0, -1.0] {
                for slow in [0.1, 0.01] {
                    let kp = sign * size * unit;
                    let gains = match form {
                        Form::P => PidGains { kp, ..PidGains::default() },
                        Form::Pi => PidGains { kp, ki: kp * rate * slow, kd: 0.0 },
                        Form::Pd => PidGains { kp, ki: 0.0, kd: kp / rate },
                        Form::Pid => PidGains { kp, ki: kp * rate * slow, kd: kp / rate },
                    };
                    if stable(&gains) {
                        return Some(gains);
                    }
                }
            }
        }
        None
    })
}

/// The nonlinear loop in which gains are compared.
struct Scene<'a> {
    plant: &'a Plant<'a>,
    options: &'a DesignOptions,
    pid: &'a Pid<'a>,
    rule: Tune,
    duration: f64,
}

impl Scene<'_> {
    /// The integral, and the largest |u − u₀|; `None` where the loop does not reach the end. The integral is that of the
    /// rows: as a further state it would switch with the sign of an error that is nothing but rounding in the end.
    fn integral(&self, gains: &PidGains) -> Option<(f64, f64)> {
        let mut text = self.pid.text(gains, &mut Names::new(&self.plant.source.text));
        text.starts = self.options.start.clone();
        let options = CompileOptions { jacobian: false, ..self.plant.options.clone() };
        let closed = closed_loop(self.plant.source, &options, &text, &self.options.folder).ok()?;
        let from = self.plant.compiled.run.map_or(0.0, |(from, _)| from);
        let options = RunOptions {
            t_end: Some(number(from + self.duration)),
            rows: RowTimes::Even(ROWS),
            max_steps: trial::most_steps(self.duration, self.pid.period),
            error: ErrorWish::Off,
            ..RunOptions::default()
        };
        let mut rows = Memory::default();
        let run = simulate(&closed.compiled, &options, &mut rows).ok()?;
        let u0 = self.pid.basis.u0[0];
        let (t, y) = (rows.column("time")?, rows.column(&self.pid.output.name)?);
        let u = rows.column(&self.pid.basis.inputs[0])?;
        let most = u.iter().fold(0.0, |most: f64, u| most.max((u - u0).abs()));
        let weighted = |k: usize| match (self.rule, self.pid.reference - y[k]) {
            (Tune::Itae, error) => (t[k] - from) * error.abs(),
            (Tune::Simc | Tune::ZieglerNichols | Tune::Ise, error) => error * error,
        };
        let value: f64 = (1..t.len()).map(|k| 0.5 * (t[k] - t[k - 1]) * (weighted(k - 1) + weighted(k))).sum();
        (run.outcome.status == Status::Ok && value.is_finite()).then_some((value, most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordinate_control::Transfer;

    fn product(factors: &[[f64; 2]]) -> Vec<f64> {
        factors.iter().fold(vec![1.0], |all, &[a, b]| {
            let mut next = vec![0.0; all.len() + 1];
            for (k, c) in all.iter().enumerate() {
                next[k] += a * c;
                next[k + 1] += b * c;
            }
            next
        })
    }

    /// Example E1 of Skogestad's paper, table 4.
    #[test]
    fn the_half_rule_reduces_as_in_the_paper() {
        let numerator = product(&[[-0.3, 1.0], [0.08, 1.0]]);
        let poles = [[2.0, 1.0], [1.0, 1.0], [0.4, 1.0], [0.2, 1.0], [0.05, 1.0], [0.051, 1.0], [0.049, 1.0]];
        let system = Transfer::new(&numerator, &product(&poles), None).unwrap().state_space().unwrap();
        let close = |a: f64, b: f64| (a - b).abs() < 1e-6;
        let first = reduced(&system, 1, None).unwrap();
        assert!(close(first.k, 1.0) && close(first.tau1, 2.5) && close(first.theta, 1.47), "{first:?}");
        let second = reduced(&system, 2, None).unwrap();
        assert!(close(second.tau1, 2.0) && close(second.tau2, 1.2) && close(second.theta, 0.77), "{second:?}");
    }
}
