//! Trial runs of the nonlinear closed loop: from where it settles at the point, how fast, and with how much control effort.

use super::linear_loop::LinearLoop;
use super::point::Basis;
use super::text::number;
use super::{ClosedLoop, ClosedLoopError, ControllerText, DesignOptions, Plant, closed_loop};
use crate::{Compiled, ErrorWish, Memory, RowTimes, RunOptions, Status, simulate};

/// Rows of a trial.
const ROWS: usize = 2001;
/// A loop that needs more steps than this, and than some in each sample, does not come to rest.
const MOST_STEPS: f64 = 10_000.0;
const STEPS_PER_SAMPLE: f64 = 10.0;
/// So many time constants of the slowest pole a trial lasts: e⁻¹² is 6e-6.
pub(super) const TIME_CONSTANTS: f64 = 12.0;
/// A loop is at rest when nothing moves by more than this part of its range any more.
const REST: f64 = 0.01;
/// The band of a settling time.
const BAND: f64 = 0.02;
/// Start values that replace the author's are away from the point by this part of its values, or by this where they are zero.
const DISPLACEMENT: f64 = 0.1;

/// What a simulation of the closed loop showed.
#[derive(Clone, Debug)]
pub struct Trial {
    /// How long it lasted.
    pub duration: f64,
    /// Whether it came to rest where it should.
    pub at_rest: bool,
    /// Why not, or what else is to be said.
    pub remark: Option<String>,
    /// Time after which all states stay within 2 % of their largest deviation from where they end.
    pub settling: Option<f64>,
    /// What is followed, or the state that is farthest from its end at the start: its name and its overshoot in percent.
    pub overshoot: Option<(String, f64)>,
    /// The inputs and the largest |u| of each.
    pub effort: Vec<(String, f64)>,
    /// Whether anything moves at all.
    pub moves: bool,
    /// The rows, for a picture.
    pub rows: Memory,
}

/// What the closed loop shall do.
pub(super) struct Goal<'a> {
    pub basis: &'a Basis,
    /// An output and its reference.
    pub following: Option<(String, f64)>,
    /// Whether it must get there exactly.
    pub exact: bool,
    pub duration: f64,
    /// The sampling period, if there is one.
    pub period: Option<f64>,
}

/// How long a trial of a loop lasts; `None` for one that is not stable.
pub(super) fn duration(linear: &LinearLoop, poles: &[ordinate_control::Complex]) -> Option<f64> {
    let slowest = poles.iter().map(|&pole| linear.rate(pole).re).fold(f64::NEG_INFINITY, f64::max);
    let duration = -TIME_CONSTANTS / slowest;
    // a deadbeat loop has no slowest pole
    let least = linear.period.map_or(0.0, |period| 20.0 * period);
    (slowest < 0.0).then(|| if duration.is_finite() { duration.max(least) } else { least })
}

/// A time of one digit that is no shorter.
pub(super) fn round_up(duration: f64) -> f64 {
    let decade = 10f64.powf(duration.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0];
    let found = steps.iter().map(|step| step * decade).find(|&t| t >= duration * (1.0 - 1e-9)).unwrap_or(duration);
    // such as 0.5, not 0.50000000000000011
    format!("{found:.3e}").parse().unwrap_or(found)
}

/// The steps that a run may take.
pub(super) fn most_steps(duration: f64, period: Option<f64>) -> u64 {
    (MOST_STEPS + period.map_or(0.0, |period| STEPS_PER_SAMPLE * duration / period)) as u64
}

/// Runs a closed loop and judges it.
pub(super) fn run(closed: &Compiled, goal: &Goal) -> Trial {
    let t_start = closed.run.map_or(0.0, |(from, _)| from);
    let options = RunOptions {
        t_end: Some(number(t_start + goal.duration)),
        rows: RowTimes::Even(ROWS),
        max_steps: most_steps(goal.duration, goal.period),
        error: ErrorWish::Off,
        ..RunOptions::default()
    };
    let mut rows = Memory::default();
    let outcome = simulate(closed, &options, &mut rows);
    let mut trial = Trial {
        duration: goal.duration,
        at_rest: false,
        remark: None,
        settling: None,
        overshoot: None,
        effort: Vec::new(),
        moves: false,
        rows,
    };
    match outcome {
        Err(_) => {
            trial.remark = Some("it does not start".into());
            return trial;
        }
        Ok(run) if run.outcome.status != Status::Ok => {
            let reason = run.reason.map_or("it stopped".into(), |reason| reason.message);
            trial.remark = Some(format!("it ended early: {reason}"));
        }
        Ok(_) => judge(&mut trial, goal),
    }
    let size = |name: &String| {
        let values = trial.rows.column(name).unwrap_or_default();
        (name.clone(), values.iter().fold(0.0, |most: f64, u| most.max(u.abs())))
    };
    trial.effort = goal.basis.inputs.iter().map(size).collect();
    trial
}

fn range(values: &[f64]) -> f64 {
    let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
    high - low
}

fn judge(trial: &mut Trial, goal: &Goal) {
    let basis = goal.basis;
    let columns: Vec<(&String, f64, &[f64])> = basis
        .states
        .iter()
        .zip(&basis.x0)
        .filter_map(|(name, &x0)| trial.rows.column(name).map(|values| (name, x0, values)))
        .collect();
    let Some(times) = trial.rows.column("time").filter(|times| times.len() > 20) else { return };
    let last = times.len() - times.len() / 10;
    let noise = |value: f64| 1e-6 * (1e-3 + value.abs());
    let still = |values: &[f64]| range(&values[last..]) <= REST * range(values) + noise(values[values.len() - 1]);
    let end = |values: &[f64]| values[values.len() - 1];
    trial.moves = columns.iter().any(|(_, _, values)| range(values) > noise(end(values)));
    // all that is stored: the controller's own states, too
    let resting = trial.rows.columns[1..trial.rows.stored].iter().all(|values| still(values));
    if !resting {
        trial.remark = Some("it does not come to rest".into());
        return;
    }
    let missed = match &goal.following {
        Some((output, value)) => trial.rows.column(output).and_then(|values| {
            let away = (end(values) - value).abs();
            (away > REST * range(values) + noise(*value)).then(|| format!("{output} = {}", crate::short(end(values))))
        }),
        None => columns.iter().find_map(|(name, x0, values)| {
            let away = (end(values) - x0).abs();
            let reach = values.iter().fold(0.0, |most: f64, v| most.max((v - x0).abs()));
            (away > REST * reach + noise(*x0)).then(|| format!("{name} = {}", crate::short(end(values))))
        }),
    };
    if let Some(place) = missed {
        trial.remark = Some(format!("it comes to rest elsewhere, at {place}"));
        if goal.exact || goal.following.is_none() {
            return;
        }
    }
    trial.at_rest = true;
    if !trial.moves {
        return;
    }
    let settled = columns.iter().map(|(_, _, values)| {
        let reach = values.iter().fold(0.0, |most: f64, v| most.max((v - end(values)).abs()));
        let outside = values.iter().rposition(|v| (v - end(values)).abs() > BAND * reach + noise(end(values)));
        outside.map_or(times[0], |row| times[(row + 1).min(times.len() - 1)])
    });
    trial.settling = Some(settled.fold(times[0], f64::max) - times[0]);
    let watched = goal.following.as_ref().and_then(|(output, _)| Some((output, trial.rows.column(output)?)));
    let farthest = || {
        let away = |values: &[f64]| (values[0] - end(values)).abs();
        let moved = columns.iter().filter(|(_, _, values)| away(values) > noise(end(values)));
        { moved }.max_by(|a, b| away(a.2).total_cmp(&away(b.2))).map(|(name, _, values)| (*name, *values))
    };
    trial.overshoot = watched.or_else(farthest).and_then(|(name, values)| {
        let way = end(values) - values[0];
        let beyond = values.iter().fold(0.0, |most: f64, v| most.max((v - end(values)) / way));
        (way.abs() > noise(end(values))).then(|| (name.clone(), 100.0 * beyond))
    });
}

/// A closed loop with start values that make sense, and its trial.
pub(super) fn with_starts(
    plant: &Plant,
    options: &DesignOptions,
    controller: &ControllerText,
    goal: Option<&Goal>,
) -> Result<(ClosedLoop, Option<Trial>, Option<String>), ClosedLoopError> {
    let write = |starts: Vec<(String, String)>| {
        let text = ControllerText { starts, ..controller.clone() };
        closed_loop(plant.source, plant.options, &text, &options.folder)
    };
    let own = write(options.start.clone())?;
    let Some(goal) = goal else { return Ok((own, None, None)) };
    let trial = run(&own.compiled, goal);
    if trial.at_rest || !options.start.is_empty() {
        return Ok((own, Some(trial), None));
    }
    // from the author's own start it does not get to the point: perhaps from nearby
    let basis = goal.basis;
    let first: Vec<Option<f64>> =
        basis.states.iter().map(|name| trial.rows.column(name).and_then(|values| values.first().copied())).collect();
    for factor in [1.0, 0.1, 0.01, 0.0] {
        let mut starts = Vec::new();
        for ((name, &x0), start) in basis.states.iter().zip(&basis.x0).zip(&first) {
            let away = start.map_or(0.0, |start| start - x0);
            let most = DISPLACEMENT * if x0 == 0.0 { 1.0 } else { x0.abs() };
            if away != 0.0 {
                starts.push((name.clone(), number(x0 + factor * away.clamp(-most, most))));
            }
        }
        let Ok(closed) = write(starts.clone()) else { continue };
        let nearby = run(&closed.compiled, goal);
        if nearby.at_rest {
            let words: Vec<String> = starts.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            let note = format!(
                "the closed loop starts at {}: from the model's own start values it does not reach the point",
                words.join(", ")
            );
            return Ok((closed, Some(nearby), Some(note)));
        }
    }
    Ok((own, Some(trial), None))
}
