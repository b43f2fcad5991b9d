//! From which states and periods shooting is tried, and what is made of what it finds.

use super::PeriodicError;
use super::map::{Accuracy, Map};
use super::shooting::{Fixed, Search, Trouble, refined, shoot};
use crate::exploratory_run::{Piece, simulate};
use crate::halton::halton;
use crate::{Compiled, short};

/// The first search may be this coarse; what it finds is made exact.
const COARSE: f64 = 1e-7;
/// Periods simulated before the search, to see which region the solution visits.
const PERIODS: f64 = 20.0;
/// Orbits are the same if they start nearer to each other than this, in usual sizes.
const SAME: f64 = 1e-5;
/// After so many starts from which a period could not be computed, no further ones are tried.
const MOST_STOPPED: usize = 4;
/// How often the sizes are taken anew from the orbits.
const MOST_SCALES: usize = 2;
/// How often a simulation that shows no cycle is made longer, and how much.
const EXTENSIONS: usize = 7;
const LONGER: f64 = 3.0;
/// How often Newton's method may fail from what looks like a cycle.
const MOST_FAILED: usize = 3;
/// How often a period is looked at more closely.
const MOST_CLOSER: usize = 4;
/// Rows of a simulation.
const ROWS: usize = 4001;

/// Orbits, that nearest to the given start first, and notes about what was left out.
pub(super) fn search(
    compiled: &Compiled,
    map: &mut Map,
    search: &Search,
    guess: Option<Vec<f64>>,
    period: Option<f64>,
) -> Result<(Vec<Fixed>, Vec<String>), PeriodicError> {
    match (search.autonomous, period) {
        (false, Some(period)) => forced(compiled, map, search, guess, period),
        (true, Some(period)) => {
            let start = guess.unwrap_or_else(|| map.start());
            look_around(compiled, map, &start, period);
            let found = one(map, search, &start, period)?;
            Ok((vec![shortest(compiled, map, search, found)], Vec::new()))
        }
        (true, None) => autonomous(compiled, map, search, guess),
        (false, None) => Err(PeriodicError::Usage("the period is not known: give it with `--period T`".into())),
    }
}

/// Many starts around what a simulation shows; a guess alone if there is one.
fn forced(
    compiled: &Compiled,
    map: &mut Map,
    search: &Search,
    guess: Option<Vec<f64>>,
    period: f64,
) -> Result<(Vec<Fixed>, Vec<String>), PeriodicError> {
    let start = guess.clone().unwrap_or_else(|| map.start());
    let piece = look_around(compiled, map, &start, PERIODS * period);
    if guess.is_some() {
        return one(map, search, &start, period).map(|found| (vec![found], Vec::new()));
    }
    let mut starts = vec![start.clone()];
    if let (None, Some(last)) = (&piece.stopped, piece.y.last()) {
        starts.push(map.unknowns(last, &piece.held));
    }
    let m = map.states.len();
    // Held values are as the simulation leaves them: most of them are assigned at once.
    let held = map.unknowns(&map.full(&start), &piece.held).split_off(m);
    let mut centre: Vec<f64> = (0..m).map(|i| middle(&piece, map.states[i], start[i])).collect();
    for attempt in 0..MOST_SCALES {
        let found = match scattered(map, search, &starts, (&centre, &held), period) {
            // Of a simulation that ended early the size says nothing.
            Err(_) if attempt == 0 && piece.stopped.is_some() => {
                let size = |value: &f64| if *value != 0.0 { value.abs() } else { 1.0 };
                map.scale = start.iter().map(size).collect();
                centre = start[..m].to_vec();
                continue;
            }
            found => found?,
        };
        let Some((middle, sizes)) = strayed(compiled, map, &found, period) else { return Ok((found, Vec::new())) };
        (centre, map.scale) = (middle, sizes);
        starts.truncate(1);
        starts.extend(found.into_iter().map(|fixed| fixed.y));
    }
    scattered(map, search, &starts, (&centre, &held), period).map(|found| (found, Vec::new()))
}

/// Middle and size of the orbits where they are far smaller than what the simulation showed: it went away from them, as beside
/// an orbit that repels, and its size is not theirs.
fn strayed(compiled: &Compiled, map: &Map, found: &[Fixed], period: f64) -> Option<(Vec<f64>, Vec<f64>)> {
    const FAR: f64 = 1e4;
    let extents: Vec<_> = found.iter().filter_map(|fixed| map.extent(compiled, &fixed.y, period)).collect();
    let m = map.states.len();
    let whole = |i: usize| {
        let of = |(low, high): (f64, f64), other: &(f64, f64)| (low.min(other.0), high.max(other.1));
        extents.iter().map(|extent| &extent[i]).fold((f64::INFINITY, f64::NEG_INFINITY), of)
    };
    let ranges: Vec<(f64, f64)> = (0..m).map(whole).collect();
    let largest = ranges.iter().map(|(low, high)| 0.5 * (high - low)).fold(0.0, f64::max);
    let size = |(low, high): &(f64, f64)| match 0.5 * (high - low) {
        size if size > 1e-6 * largest => size,
        _ => largest,
    };
    let sizes: Vec<f64> = ranges.iter().map(size).chain(map.scale[m..].iter().copied()).collect();
    let far = sizes.iter().zip(&map.scale).any(|(own, seen)| *seen > FAR * own);
    (far && largest > 0.0 && largest.is_finite())
        .then(|| (ranges.iter().map(|(low, high)| 0.5 * (low + high)).collect(), sizes))
}

/// Shooting from given starts and from others around a centre; the error says why there is no orbit.
fn scattered(
    map: &mut Map,
    search: &Search,
    given: &[Vec<f64>],
    around: (&[f64], &[f64]),
    period: f64,
) -> Result<Vec<Fixed>, PeriodicError> {
    let (centre, held) = around;
    let many = match centre.len() + held.len() {
        0..=3 => 30,
        4..=8 => 12,
        9..=40 => 4,
        _ => 0,
    };
    let widths: Vec<f64> = map.scale[..centre.len()].iter().map(|scale| 1.5 * scale).collect();
    let mut starts = given.to_vec();
    starts.extend(halton(many, centre, &widths).into_iter().map(|point| [&point, held].concat()));
    // With given steps the map is another one, but its orbits are near: they are looked for in the same way.
    let coarse =
        Search { accuracy: Accuracy::Tolerance(COARSE), correct: false, tolerance: 1e-5, singular: 1e6, ..*search };
    let (mut rough, mut found, mut first_trouble) = (Vec::<Fixed>::new(), Vec::<Fixed>::new(), None);
    let mut stopped = 0;
    for start in &starts {
        match shoot(map, &coarse, start, period) {
            Ok(fixed) if !rough.iter().any(|known| same(map, known, &fixed, 1e-3)) => rough.push(fixed),
            Ok(_) => {}
            Err(trouble) => {
                stopped += usize::from(matches!(trouble, Trouble::Stopped(_)));
                first_trouble = first_trouble.or(Some(trouble));
            }
        }
        if stopped > MOST_STOPPED && rough.is_empty() {
            break;
        }
    }
    // What a coarse search cannot tell from a singular matrix, an exact one may.
    if rough.is_empty() && stopped <= MOST_STOPPED {
        match shoot(map, search, &starts[0], period) {
            Ok(fixed) => rough.push(fixed),
            Err(trouble) => first_trouble = Some(trouble),
        }
    }
    for fixed in &rough {
        match exactly(map, search, fixed) {
            Ok(fixed) if !found.iter().any(|known| same(map, known, &fixed, SAME)) => found.push(fixed),
            Ok(_) => {}
            Err(trouble) => first_trouble = first_trouble.or(Some(trouble)),
        }
    }
    match first_trouble {
        _ if !found.is_empty() => Ok(found),
        Some(trouble) => Err(explain(&trouble, starts.len(), period, false)),
        None => Err(none("no orbit was found", "give a start near one with `--guess`")),
    }
}

/// The orbit of which a coarse search has found an approximation.
fn exactly(map: &mut Map, search: &Search, rough: &Fixed) -> Result<Fixed, Trouble> {
    let (y, period) = refined(map, search, rough);
    shoot(map, search, &y, period)
}

/// Shooting from one start.
fn one(map: &mut Map, search: &Search, start: &[f64], period: f64) -> Result<Fixed, PeriodicError> {
    shoot(map, search, start, period).map_err(|trouble| explain(&trouble, 1, period, search.autonomous))
}

/// The limit cycle that a simulation runs into: the transient is followed until the solution repeats itself, and farther where
/// Newton's method does not converge from there.
fn autonomous(
    compiled: &Compiled,
    map: &mut Map,
    search: &Search,
    guess: Option<Vec<f64>>,
) -> Result<(Vec<Fixed>, Vec<String>), PeriodicError> {
    let given = guess.is_some();
    let start = guess.unwrap_or_else(|| map.start());
    let coarse =
        Search { accuracy: Accuracy::Tolerance(COARSE), correct: false, tolerance: 1e-5, singular: 1e6, ..*search };
    let mut span = compiled.run.map_or(50.0, |(from, to)| to - from).max(f64::MIN_POSITIVE);
    let mut state = map.full(&start);
    let mut piece = Piece::default();
    let mut failed = Vec::new();
    for _ in 0..EXTENSIONS {
        let held = map.held.clone();
        piece = simulate(compiled, &map.free_choice(), (map.t_start, &state, &held), span, ROWS);
        let Some(last) = piece.y.last().cloned() else { break };
        map.held.clone_from(&piece.held);
        state = last;
        if piece.stopped.is_some() || at_rest(&piece, &map.states) || failed.len() == MOST_FAILED {
            break;
        }
        if let Some(period) = piece.recurrence(&map.states, &map.kept) {
            let period = closer(compiled, map, &mut state, period);
            // A given start may lie on an orbit that repels.
            let near = if given { shoot(map, &coarse, &start, period).ok() } else { None };
            let from = map.unknowns(&state, &map.held);
            match near.map_or_else(|| shoot(map, &coarse, &from, period), Ok) {
                Ok(rough) => {
                    let found = exactly(map, search, &rough)
                        .map_err(|trouble| explain(&trouble, 1, rough.period, search.autonomous))?;
                    return Ok((vec![shortest(compiled, map, search, found)], Vec::new()));
                }
                Err(trouble) => failed.push(explain(&trouble, 1, period, search.autonomous)),
            }
        }
        span *= LONGER;
    }
    Err(failed.into_iter().next().unwrap_or_else(|| no_cycle(map, &piece, span)))
}

/// The period, as rows close to each other show it: those of a long simulation may be too far apart for the shortest recurrence.
/// The state goes on meanwhile.
fn closer(compiled: &Compiled, map: &mut Map, state: &mut Vec<f64>, mut period: f64) -> f64 {
    for _ in 0..MOST_CLOSER {
        let held = map.held.clone();
        let closer = simulate(compiled, &map.free_choice(), (map.t_start, state, &held), 2.2 * period, ROWS);
        let Some(finer) = closer.recurrence(&map.states, &map.kept) else { break };
        set_scale(map, &closer, 0);
        if let Some(last) = closer.y.last() {
            state.clone_from(last);
        }
        map.held.clone_from(&closer.held);
        let same = (finer - period).abs() < 0.3 * period;
        period = finer;
        if same {
            break;
        }
    }
    period
}

/// The same orbit with its least period, if it was gone through several times.
fn shortest(compiled: &Compiled, map: &mut Map, search: &Search, found: Fixed) -> Fixed {
    let held = map.full_held(&found.y);
    let from = (map.t_start, found.image.first.as_slice(), held.as_slice());
    let piece = simulate(compiled, &map.free_choice(), from, found.period, ROWS);
    let Some(shorter) = piece.recurrence(&map.states, &map.kept).filter(|shorter| *shorter < 0.7 * found.period) else {
        return found;
    };
    match shoot(map, search, &found.y, shorter) {
        Ok(least) if same(map, &least, &found, 1e-3) => least,
        _ => found,
    }
}

fn at_rest(piece: &Piece, states: &[usize]) -> bool {
    let rows = piece.y.len();
    states.iter().all(|&k| {
        let ((low, high), (first, last)) = (piece.range(k, 9 * rows / 10), piece.range(k, 0));
        high - low <= 1e-6 * (last - first).max(1e-3 * high.abs()) || high - low < 1e-9
    })
}

fn no_cycle(map: &Map, piece: &Piece, span: f64) -> PeriodicError {
    if let Some(reason) = &piece.stopped {
        return none(
            &format!("the simulation that looks for the orbit ended early: {reason}"),
            "give a start near an orbit with `--guess`, and its period with `--period`",
        );
    }
    if at_rest(piece, &map.states) {
        return none(
            "the solution settles at an equilibrium, not on a periodic orbit",
            "start elsewhere with `--guess`, or give the period of an unstable orbit with `--period`; `ordinate \
             equilibria` lists equilibria",
        );
    }
    none(
        &format!("no recurrence was seen in {} units of time: the solution may be chaotic, or drift away", short(span)),
        "give a start near an orbit with `--guess` and its period with `--period`",
    )
}

/// Simulates to see how large the states are.
fn look_around(compiled: &Compiled, map: &mut Map, start: &[f64], span: f64) -> Piece {
    let state = map.full(start);
    let held = map.full_held(start);
    let piece = simulate(compiled, &map.free_choice(), (map.t_start, &state, &held), span, 401);
    set_scale(map, &piece, 0);
    piece
}

/// The usual size of each state: half of its range, where it has one.
fn set_scale(map: &mut Map, piece: &Piece, from: usize) {
    let mut sizes: Vec<f64> = map.states.iter().map(|&k| half_range(piece, k, from)).collect();
    let largest = sizes.iter().copied().filter(|size| size.is_finite()).fold(0.0, f64::max);
    for size in &mut sizes {
        // What does not move in the simulation may move elsewhere.
        if !(size.is_finite() && *size > 1e-6 * largest) {
            *size = if largest > 0.0 { largest } else { 1.0 };
        }
    }
    // Held values are as large as they are.
    let size = |k: &usize| piece.held.get(*k).copied().unwrap_or(0.0).abs().max(map.held[*k].abs());
    sizes.extend(map.kept.iter().map(|k| if size(k) > 0.0 { size(k) } else { 1.0 }));
    map.scale = sizes;
}

fn half_range(piece: &Piece, state: usize, from: usize) -> f64 {
    let (low, high) = piece.range(state, from);
    0.5 * (high - low)
}

fn middle(piece: &Piece, state: usize, otherwise: f64) -> f64 {
    let (low, high) = piece.range(state, 0);
    let middle = 0.5 * (low + high);
    if middle.is_finite() { middle } else { otherwise }
}

fn same(map: &Map, a: &Fixed, b: &Fixed, tolerance: f64) -> bool {
    (0..a.y.len()).all(|i| (a.y[i] - b.y[i]).abs() <= tolerance * map.scale[i])
}

fn none(message: &str, hint: &str) -> PeriodicError {
    PeriodicError::None { message: message.into(), hint: hint.into() }
}

/// What happened, and what to try.
fn explain(trouble: &Trouble, starts: usize, period: f64, autonomous: bool) -> PeriodicError {
    let from = if starts == 1 { "from the start".to_string() } else { format!("from {starts} starts") };
    let (message, hint) = match trouble {
        Trouble::Stopped(reason) => (
            format!("a run over the period {} ended early: {reason}", short(period)),
            "give a start closer to the orbit with `--guess`",
        ),
        Trouble::Singular { residual } if autonomous || *residual < 1e-6 => (
            "I − P′ is singular: the orbit is not isolated but one of a family, as in a model that keeps its energy, or it is at a bifurcation".to_string(),
            "add damping, change a parameter, or look at the solution through the start with `run`",
        ),
        Trouble::Singular { .. } => (
            "I − P′ is singular: the equations of the orbit determine no solution, as at resonance without damping".to_string(),
            "add damping, change the period or a parameter, or start elsewhere with `--guess`",
        ),
        Trouble::NoConvergence { residual, iterations } => (
            format!("no periodic orbit was found near {from}: after {iterations} iterations the state after one \
                     period still differs by {residual:.1e} of its size"),
            "give a start closer to an orbit with `--guess`, or another period with `--period`",
        ),
        Trouble::PeriodRuns { from, to } => (
            format!("the period search diverged, from {} to {}: there may be no orbit, or it ends in an \
                     equilibrium", short(*from), short(*to)),
            "give a start and a period closer to the orbit with `--guess` and `--period`",
        ),
        Trouble::Rest => (
            "the iteration converges to an equilibrium, which has every period".to_string(),
            "start farther away with `--guess`; `ordinate equilibria` lists equilibria",
        ),
    };
    none(&message.replace("near from", "from"), hint)
}
