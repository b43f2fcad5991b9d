//! Where a controller is designed: the linear system at an equilibrium, with the inputs that the controller drives.

use super::text::number;
use super::{DesignError, DesignOptions, Plant};
use crate::{Compiled, LinearizeError, LinearizeOptions, linearize, short};
use ordinate_control::{Matrix, StateSpace};
use ordinate_model::{constant, instead};

/// A linear system in deviations from an equilibrium.
#[derive(Clone, Debug)]
pub(super) struct Basis {
    /// From the driven inputs to all outputs.
    pub system: StateSpace,
    pub states: Vec<String>,
    /// Whether there are states that the text does not name, so that no law can read them.
    pub has_hidden: bool,
    /// The states at the point.
    pub x0: Vec<f64>,
    /// The driven inputs.
    pub inputs: Vec<String>,
    /// The inputs at the point: what holds it.
    pub u0: Vec<f64>,
    pub outputs: Vec<String>,
    pub y0: Vec<f64>,
    pub notes: Vec<String>,
}

/// One output of the linear system: y − y₀ = c (x − x₀) + d (u − u₀).
#[derive(Clone, Debug)]
pub(super) struct Output {
    pub name: String,
    pub c: Matrix,
    pub d: Matrix,
    pub at: f64,
    /// Whether it is a state.
    pub is_state: bool,
}

/// So often the inputs that hold the point are improved; a model that is linear in them needs one.
const MOST_CORRECTIONS: usize = 20;

impl Basis {
    /// Linearises the plant at the point of the options.
    pub fn new(plant: &Plant, options: &DesignOptions) -> Result<Basis, DesignError> {
        let inputs = driven(plant, options)?;
        check_start(plant, options)?;
        let named = |name: &String| options.at.iter().any(|(known, _)| known == name);
        let states_named = options.at.iter().any(|(name, _)| !inputs.contains(name));
        let free: Vec<String> = inputs.iter().filter(|name| !named(name)).cloned().collect();
        let mut wish = LinearizeOptions {
            at: options.at.clone(),
            time: options.time,
            equilibrium: options.equilibrium,
            // a state that is named stays where it is, and the inputs hold it there
            free: if options.equilibrium && states_named { free.clone() } else { Vec::new() },
            ..LinearizeOptions::default()
        };
        let mut linear = linearize(plant.compiled, &wish)?;
        let mut notes = Vec::new();
        if !linear.is_rest() && !options.equilibrium {
            // what the text gives the inputs is no wish about the point: the controller drives them
            for _ in 0..MOST_CORRECTIONS {
                let columns: Vec<usize> = positions(&linear.inputs, &free);
                let Some(change) = balance(&columns_of(&linear.system.b, &columns), &linear.rates) else { break };
                for (name, change) in free.iter().zip(&change) {
                    let value = linear.at(name).expect("an input has a value at the point") + change;
                    wish.at.retain(|(known, _)| known != name);
                    wish.at.push((name.clone(), number(value)));
                }
                linear = linearize(plant.compiled, &wish)?;
                if linear.is_rest() {
                    break;
                }
            }
            if linear.is_rest() {
                let held = free.iter().map(|name| format!("{name} = {}", short(linear.at(name).unwrap_or(0.0))));
                notes.push(format!("the point is held by {}", held.collect::<Vec<_>>().join(", ")));
            }
        }
        if !linear.is_rest() {
            // the rates of the point that was asked for, not of the last attempt
            let asked = LinearizeOptions { at: options.at.clone(), ..wish };
            let linear = linearize(plant.compiled, &asked)?;
            return Err(not_at_rest(&linear.states, &linear.rates));
        }
        notes.extend(linear.notes.iter().cloned());
        let columns = positions(&linear.inputs, &inputs);
        let at = |name: &String| linear.at(name).expect("states and inputs have values at the point");
        Ok(Basis {
            x0: linear.states.iter().map(at).collect(),
            u0: inputs.iter().map(at).collect(),
            system: StateSpace {
                a: linear.system.a.clone(),
                b: columns_of(&linear.system.b, &columns),
                c: linear.system.c.clone(),
                d: columns_of(&linear.system.d, &columns),
                period: None,
            },
            has_hidden: {
                let program = &plant.compiled.program;
                linear.states.iter().any(|state| !program.state_names[..program.visible].contains(state))
            },
            states: linear.states,
            inputs,
            outputs: linear.outputs,
            y0: linear.outputs_at,
            notes,
        })
    }

    /// An output or a state by its name.
    pub fn output(&self, name: &str, option: &str) -> Result<Output, DesignError> {
        let (n, m) = (self.states.len(), self.inputs.len());
        if let Some(k) = self.states.iter().position(|known| known == name) {
            let mut c = Matrix::zero(1, n);
            *c.at_mut(0, k) = 1.0;
            return Ok(Output { name: name.into(), c, d: Matrix::zero(1, m), at: self.x0[k], is_state: true });
        }
        if let Some(k) = self.outputs.iter().position(|known| known == name) {
            let c = Matrix::from_elements(1, n, self.system.c.row(k).to_vec());
            let d = Matrix::from_elements(1, m, self.system.d.row(k).to_vec());
            return Ok(Output { name: name.into(), c, d, at: self.y0[k], is_state: false });
        }
        let mut all: Vec<&str> = self.outputs.iter().map(String::as_str).collect();
        all.extend(self.states.iter().map(String::as_str).filter(|state| !self.outputs.iter().any(|o| o == state)));
        let instead = instead(name, all.iter().copied());
        Err(DesignError::Usage(format!("`{option} {name}`: there is no output or state `{name}`; {instead}")))
    }
}

/// The inputs that the controller drives.
fn driven(plant: &Plant, options: &DesignOptions) -> Result<Vec<String>, DesignError> {
    let model = &plant.compiled.sorted.model;
    let all: Vec<String> = model.inputs.iter().map(|given| model.name(given.var)).collect();
    if all.is_empty() {
        return Err(DesignError::Usage(
            "the model has no input that a controller could drive; declare one, as in `input u = 0`".into(),
        ));
    }
    for name in &options.inputs {
        if !all.contains(name) {
            let instead = instead(name, all.iter().map(String::as_str));
            return Err(DesignError::Usage(format!("`--input {name}`: there is no input `{name}`; {instead}")));
        }
    }
    Ok(match options.inputs.is_empty() {
        true => all,
        false => all.into_iter().filter(|name| options.inputs.contains(name)).collect(),
    })
}

/// Start values of the closed loop are values of states of the plant.
fn check_start(plant: &Plant, options: &DesignOptions) -> Result<(), DesignError> {
    let program = &plant.compiled.program;
    let states = &program.state_names[..program.visible];
    for (name, text) in &options.start {
        value(plant, text, &format!("--start {name}="))?;
        if !states.contains(name) {
            let instead = instead(name, states.iter().map(String::as_str));
            return Err(DesignError::Usage(format!("`--start {name}=…`: there is no state `{name}`; {instead}")));
        }
    }
    Ok(())
}

fn positions(all: &[String], wanted: &[String]) -> Vec<usize> {
    wanted.iter().map(|name| all.iter().position(|known| known == name).expect("an input of the model")).collect()
}

fn columns_of(matrix: &Matrix, columns: &[usize]) -> Matrix {
    let elements = (0..matrix.rows()).flat_map(|i| columns.iter().map(move |&j| matrix.at(i, j))).collect();
    Matrix::from_elements(matrix.rows(), columns.len(), elements)
}

/// The smallest change of the inputs with B δu = −rates, in the sense of least squares; `None` where B has dependent
/// columns.
fn balance(b: &Matrix, rates: &[f64]) -> Option<Vec<f64>> {
    let m = b.columns();
    if m == 0 {
        return None;
    }
    // modified Gram–Schmidt: the columns are few
    let mut columns: Vec<Vec<f64>> = (0..m).map(|j| (0..b.rows()).map(|i| b.at(i, j)).collect()).collect();
    let mut right: Vec<f64> = rates.iter().map(|rate| -rate).collect();
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let mut r = Matrix::zero(m, m);
    let mut coefficients = vec![0.0; m];
    for j in 0..m {
        let before = dot(&columns[j], &columns[j]).sqrt();
        for i in 0..j {
            let part = dot(&columns[i].clone(), &columns[j]);
            *r.at_mut(i, j) = part;
            let earlier = columns[i].clone();
            columns[j].iter_mut().zip(&earlier).for_each(|(x, q)| *x -= part * q);
        }
        let norm = dot(&columns[j], &columns[j]).sqrt();
        if norm.is_nan() || norm <= 1e-10 * before {
            return None;
        }
        *r.at_mut(j, j) = norm;
        columns[j].iter_mut().for_each(|x| *x /= norm);
        coefficients[j] = dot(&columns[j], &right);
        let (q, part) = (columns[j].clone(), coefficients[j]);
        right.iter_mut().zip(&q).for_each(|(x, q)| *x -= part * q);
    }
    for j in (0..m).rev() {
        let above: f64 = (j + 1..m).map(|k| r.at(j, k) * coefficients[k]).sum();
        coefficients[j] = (coefficients[j] - above) / r.at(j, j);
    }
    coefficients.iter().all(|x| x.is_finite()).then_some(coefficients)
}

fn not_at_rest(states: &[String], rates: &[f64]) -> DesignError {
    let moving = states.iter().zip(rates).filter(|(_, rate)| **rate != 0.0);
    let all: Vec<String> = moving.map(|(name, rate)| format!("{name}' = {}", short(*rate))).collect();
    let shown = all.iter().take(4).cloned().collect::<Vec<_>>().join(", ");
    let more = if all.len() > 4 { ", …" } else { "" };
    DesignError::Stopped {
        message: format!("the point is not an equilibrium: there {shown}{more}, and no value of the inputs holds it"),
        hint: "move it with `--at`, or let `--equilibrium` move it to the next equilibrium".into(),
    }
}

/// The value of a number or an expression with parameters of the model.
pub fn constant_value(compiled: &Compiled, text: &str) -> Option<f64> {
    let parameters = compiled.parameter_values();
    let lookup = |name: &str| parameters.iter().find(|(known, _)| known == name).map(|&(_, value)| value);
    constant(text, &lookup)
}

/// The same for an option, with its mistake.
pub(super) fn value(plant: &Plant, text: &str, option: &str) -> Result<f64, DesignError> {
    constant_value(plant.compiled, text).ok_or_else(|| {
        let hint = crate::number_hint(text).unwrap_or("write a number or an expression such as pi/8".into());
        DesignError::Usage(format!("`{option} {text}` is not a finite constant; {hint}"))
    })
}

impl From<LinearizeError> for DesignError {
    fn from(error: LinearizeError) -> DesignError {
        match error {
            LinearizeError::Usage(text) => DesignError::Usage(text),
            LinearizeError::Model(found) => DesignError::Model(found),
            LinearizeError::None { message, hint } => DesignError::Stopped { message, hint },
        }
    }
}
