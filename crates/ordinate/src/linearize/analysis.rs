//! What is seen of a linear system: its modes, what its inputs reach and its outputs show, transfer functions, gramians,
//! its sampled form.

use super::{Linearization, LinearizeError};
use ordinate_control::{
    Complex, ControlError, Hold, Matrix, Reach, StateSpace, Transfer, controllability, discretise, observability,
};

/// What is looked at besides modes and ranks.
#[derive(Clone, Debug, Default)]
pub struct AnalysisOptions {
    /// The transfer function of every channel.
    pub transfer: bool,
    /// The gramians.
    pub gramians: bool,
    /// The system sampled with this period.
    pub sampled: Option<(f64, Hold)>,
}

/// An eigenvalue λ of A and what it means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode {
    /// λ
    pub value: Complex,
    /// |λ|, the natural frequency in rad/s.
    pub frequency: f64,
    /// −Re λ/|λ|; below 0 it grows. `None` at λ = 0, which neither decays nor swings.
    pub damping: Option<f64>,
    /// −1/Re λ, the time in which it decays to 1/e (negative: grows by e); `None` if it does neither.
    pub time_constant: Option<f64>,
    /// Whether an input reaches it.
    pub controllable: bool,
    /// Whether an output shows it.
    pub observable: bool,
}

/// The transfer function from an input to an output.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Index of the output.
    pub output: usize,
    /// Index of the input.
    pub input: usize,
    /// b(s)/a(s), without what cancels.
    pub transfer: Transfer,
    /// Its poles.
    pub poles: Vec<Complex>,
    /// Its zeros.
    pub zeros: Vec<Complex>,
    /// Its value at s = 0, which may be infinite.
    pub dc_gain: f64,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The modes, the rightmost first.
    pub modes: Vec<Mode>,
    /// What the inputs reach.
    pub controllability: Reach,
    /// What the outputs show.
    pub observability: Reach,
    /// The channels, if they were asked for.
    pub channels: Vec<Channel>,
    /// Of controllability and observability, if they were asked for.
    pub gramians: Option<(Matrix, Matrix)>,
    /// F, G, H, I, if they were asked for.
    pub sampled: Option<(StateSpace, Hold)>,
}

/// Looks at a linear system.
pub fn analyse(linear: &Linearization, options: &AnalysisOptions) -> Result<Analysis, LinearizeError> {
    let system = &linear.system;
    let controllability = controllability(&system.a, &system.b).map_err(explained)?;
    let observability = observability(&system.a, &system.c).map_err(explained)?;
    let poles = system.poles().map_err(explained)?;
    let unreached = places(&poles, &controllability.lost);
    let unseen = places(&poles, &observability.lost);
    let modes = poles.iter().enumerate().map(|(k, &value)| {
        let frequency = value.re.hypot(value.im);
        Mode {
            value,
            frequency,
            damping: (frequency > 0.0).then(|| -value.re / frequency + 0.0),
            time_constant: (value.re != 0.0).then(|| -1.0 / value.re),
            controllable: !unreached.contains(&k),
            observable: !unseen.contains(&k),
        }
    });
    let modes = modes.collect();
    let channels = if options.transfer { channels(system)? } else { Vec::new() };
    let gramians = match options.gramians {
        true => Some(system.gramians().map_err(explained)?),
        false => None,
    };
    let sampled = match options.sampled {
        Some((period, hold)) => Some((discretise(system, period, hold).map_err(explained)?, hold)),
        None => None,
    };
    Ok(Analysis { modes, controllability, observability, channels, gramians, sampled })
}

/// An error of the algebra for who asked.
pub(super) fn explained(error: ControlError) -> LinearizeError {
    LinearizeError::None { message: error.to_string(), hint: error.hint().into() }
}

fn channels(system: &StateSpace) -> Result<Vec<Channel>, LinearizeError> {
    let mut channels = Vec::new();
    for output in 0..system.c.rows() {
        for input in 0..system.b.columns() {
            let own = system.channel(output, input);
            let transfer = own.transfer().map_err(explained)?;
            let (poles, zeros) = (transfer.poles(), transfer.zeros());
            channels.push(Channel { output, input, poles, zeros, dc_gain: own.dc_gain().at(0, 0), transfer });
        }
    }
    Ok(channels)
}

/// Which of the modes the lost ones are: the nearest to each.
fn places(modes: &[Complex], lost: &[Complex]) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    for value in lost {
        let distance = |k: &usize| (modes[*k].re - value.re).hypot(modes[*k].im - value.im);
        let open = (0..modes.len()).filter(|k| !found.contains(k));
        found.extend(open.min_by(|a, b| distance(a).total_cmp(&distance(b))));
    }
    found
}
