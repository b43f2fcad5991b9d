//! Observers: an estimate of the state from what is measured.
//!
//! ```text
//!   x̂′ = A x̂ + B u + L (y − C x̂ − D u)          x̂[k + 1] = F x̂[k] + G u[k] + L (y[k] − C x̂[k] − D u[k])
//! ```
//!
//! in deviations from the point. L comes from poles, or as a Kalman filter from the intensities of noise.

use super::DesignError;
use super::gains::sampled_noise;
use super::point::{Basis, Output};
use super::text::{Names, Sum, deviation, number, plain_name};
use super::{Held, Parameter};
use ordinate_control::{Complex, ControlError, Matrix, StateSpace, dlqr, lqr, observability, place};

/// How the gains of an observer are found.
#[derive(Clone, Debug, PartialEq)]
pub enum ObserverChoice {
    /// From poles; of a sampled one in s, too, unless the design's own are in z.
    Poles(Vec<Complex>),
    /// From the intensities of white noise on the states and on the measured outputs.
    Kalman(Matrix, Matrix),
}

/// An observer.
#[derive(Clone, Debug)]
pub(super) struct Observer {
    pub measured: Vec<Output>,
    pub c: Matrix,
    pub d: Matrix,
    pub gain: Matrix,
}

impl Observer {
    pub fn new(
        basis: &Basis,
        system: &StateSpace,
        measured: Vec<Output>,
        choice: &ObserverChoice,
    ) -> Result<Observer, DesignError> {
        let (n, m) = (system.a.rows(), system.b.columns());
        let join = |part: &dyn Fn(&Output) -> Vec<f64>, columns: usize| {
            Matrix::from_elements(measured.len(), columns, measured.iter().flat_map(part).collect())
        };
        let c = join(&|output| output.c.row(0).to_vec(), n);
        let d = join(&|output| output.d.row(0).to_vec(), m);
        let (at, ct) = (system.a.transposed(), c.transposed());
        let seen = observability(&basis.system.a, &c)?;
        if !seen.lost.is_empty() {
            return Err(ControlError::Unobservable(seen.lost).into());
        }
        let gain = match (choice, system.period) {
            (ObserverChoice::Poles(poles), _) => {
                if poles.len() != n {
                    let names = basis.states.join(", ");
                    let given = poles.len();
                    return Err(DesignError::Usage(format!(
                        "`--observer-poles`: {given} where {n} are needed, one for each state ({names})"
                    )));
                }
                place(&at, &ct, poles)?
            }
            (ObserverChoice::Kalman(q, r), None) => lqr(&at, &ct, q, r)?.gain,
            (ObserverChoice::Kalman(q, r), Some(period)) => {
                // a sample of white noise of intensity R has the variance R/T
                let noise = sampled_noise(&basis.system.a, q, period)?;
                dlqr(&at, &ct, &noise, &r.scaled(1.0 / period))?.gain
            }
        };
        Ok(Observer { measured, c, d, gain: gain.transposed() })
    }

    /// Names of the estimates.
    pub fn estimates(basis: &Basis, names: &mut Names) -> Vec<String> {
        basis.states.iter().map(|state| names.fresh(&format!("{}_hat", plain_name(state)))).collect()
    }

    /// Parameters, the deviations of the measured outputs from the estimated ones as named expressions, and the
    /// right-hand sides of the estimates. `commands` are what the inputs are named in them.
    pub fn write(
        &self,
        basis: &Basis,
        system: &StateSpace,
        estimates: &[String],
        commands: &[String],
        names: &mut Names,
    ) -> (Vec<Parameter>, Vec<String>, Vec<String>) {
        let (mut parameters, mut lines) = (Vec::new(), Vec::new());
        let mut surprises = Vec::new();
        let dev = |k: usize| deviation(&estimates[k], basis.x0[k]);
        for (row, output) in self.measured.iter().enumerate() {
            let name = names.fresh(&format!("{}_error", plain_name(&output.name)));
            let mut sum = Sum::default();
            sum.add(&output.name);
            sum.add_number(-output.at);
            (0..estimates.len()).for_each(|k| sum.add_product(-self.c.at(row, k), &dev(k)));
            let inputs = basis.inputs.iter().zip(&basis.u0).enumerate();
            inputs.for_each(|(j, (input, u0))| sum.add_product(-self.d.at(row, j), &deviation(input, *u0)));
            lines.push(format!("{name} = {}  # measured less estimated", sum.finish()));
            surprises.push(name);
        }
        let mut right = Vec::new();
        for (i, state) in basis.states.iter().enumerate() {
            let mut sum = Sum::default();
            // a sampled one changes from sample to sample
            let kept = |k: usize| if system.period.is_some() && k == i { 1.0 } else { 0.0 };
            if system.period.is_some() {
                sum.add(&estimates[i]);
            }
            (0..estimates.len()).for_each(|k| sum.add_product(system.a.at(i, k) - kept(k), &dev(k)));
            let inputs = commands.iter().zip(&basis.u0).enumerate();
            inputs.for_each(|(j, (input, u0))| sum.add_product(system.b.at(i, j), &deviation(input, *u0)));
            for (row, (output, surprise)) in self.measured.iter().zip(&surprises).enumerate() {
                let gain = self.gain.at(i, row);
                if gain != 0.0 {
                    let name = names.fresh(&format!("l_{}_{}", plain_name(state), plain_name(&output.name)));
                    sum.add(&format!("{name}*{surprise}"));
                    let comment = format!("of the observer: {state} from {}", output.name);
                    parameters.push(Parameter { name, value: gain, comment });
                }
            }
            right.push(sum.finish());
        }
        (parameters, lines, right)
    }

    /// The estimates of a sampled observer.
    pub fn held(estimates: &[String], right: Vec<String>, x0: &[f64]) -> Vec<Held> {
        let all = estimates.iter().zip(right).zip(x0);
        all.map(|((name, value), start)| Held { name: name.clone(), value, start: number(*start) }).collect()
    }
}
