//! Gains of state feedback u − u₀ = −K (x − x₀) + kr (r − y₀) + ki ∫(r − y), continuous and sampled.

use super::DesignError;
use super::point::{Basis, Output};
use ordinate_control::{
    Complex, ControlError, Hold, Matrix, StateSpace, controllability, discretise, dlqr, lqr, place,
};

/// Gains, one row per input.
#[derive(Clone, Debug)]
pub(super) struct Gains {
    pub k: Matrix,
    pub ki: Option<Matrix>,
    /// The solution of the Riccati equation; the integral is the last state.
    pub p: Option<Matrix>,
}

/// The system that the gains are made for: as it is, or sampled exactly.
pub(super) fn sampled_system(system: &StateSpace, period: Option<f64>) -> Result<StateSpace, ControlError> {
    match period {
        None => Ok(system.clone()),
        Some(period) => discretise(system, period, Hold::Zero),
    }
}

/// The system with the integral z of r − y as a further state, r left out:
///
/// ```text
///   x′ = A x + B u,   z′ = −c x − d u         z[k + 1] = z[k] − T (c x[k] + d u[k])
/// ```
pub(super) fn augmented(system: &StateSpace, output: &Output) -> (Matrix, Matrix) {
    let (n, m) = (system.a.rows(), system.b.columns());
    let (mut a, mut b) = (Matrix::zero(n + 1, n + 1), Matrix::zero(n + 1, m));
    a.put(0, 0, &system.a);
    b.put(0, 0, &system.b);
    let width = system.period.unwrap_or(1.0);
    a.put(n, 0, &output.c.scaled(-width));
    b.put(n, 0, &output.d.scaled(-width));
    if system.period.is_some() {
        *a.at_mut(n, n) = 1.0;
    }
    (a, b)
}

/// K and ki from the gain of the augmented system: u = −K x − (last column) z.
fn split(gain: &Matrix, p: Option<Matrix>) -> Gains {
    let n = gain.columns() - 1;
    Gains { k: gain.block(0..gain.rows(), 0..n), ki: Some(-&gain.block(0..gain.rows(), n..n + 1)), p }
}

/// Why there are no gains with an integral: with all of the plant reached it is the integral that is not, as where the
/// output does not stay moved by inputs that do.
fn of_integral(error: ControlError, system: &StateSpace, output: &Output) -> DesignError {
    let (a, b) = augmented(system, output);
    let lost = |a: &Matrix, b: &Matrix| controllability(a, b).map_or(0, |reach| reach.lost.len());
    match lost(&a, &b) > lost(&system.a, &system.b) {
        true => no_static_gain(output, "integral"),
        false => error.into(),
    }
}

fn no_static_gain(output: &Output, option: &str) -> DesignError {
    DesignError::Stopped {
        message: format!(
            "no constant input holds `{}` at another value: the static gain from the inputs to it is zero",
            output.name
        ),
        hint: format!("choose another output for `--{option}`"),
    }
}

/// Gains that give the closed loop these poles: with an integrator without a gain of its own one more than there are
/// states.
pub(super) fn placed(
    basis: &Basis,
    system: &StateSpace,
    integral: Option<&Output>,
    ki: Option<f64>,
    poles: &[Complex],
) -> Result<Gains, DesignError> {
    let (n, m) = (system.a.rows(), system.b.columns());
    let names = basis.states.join(", ");
    let wanted = if integral.is_some() && ki.is_none() { n + 1 } else { n };
    if poles.len() != wanted {
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        let why = match (integral, ki) {
            (None, _) => format!("one for each state ({names})"),
            (Some(_), None) => format!(
                "one for each state ({names}) and one for the integrator; or {n} with the integrator's gain given by `--ki`"
            ),
            (Some(_), Some(_)) => format!("one for each state ({names}), as `--ki` gives the integrator's gain"),
        };
        let given = poles.len();
        return Err(DesignError::Usage(format!("{given} pole{} where {wanted} are needed: {why}", plural(given))));
    }
    match (integral, ki) {
        (Some(output), None) => {
            let (a, b) = augmented(system, output);
            let gain = place(&a, &b, poles).map_err(|error| of_integral(error, system, output))?;
            Ok(split(&gain, None))
        }
        (integral, ki) => {
            let k = place(&system.a, &system.b, poles)?;
            let ki = integral.and(ki).map(|ki| Matrix::from_elements(m, 1, vec![ki; m]));
            Ok(Gains { k, ki, p: None })
        }
    }
}

/// The gains of the regulator. The weights are those of the continuous system, the integral's last; a sampled one gets
/// the cost between the samples, too.
pub(super) fn regulator(
    plant: &StateSpace,
    integral: Option<&Output>,
    q: &Matrix,
    r: &Matrix,
    period: Option<f64>,
) -> Result<Gains, DesignError> {
    let Some(period) = period else {
        return Ok(match integral {
            None => {
                let found = lqr(&plant.a, &plant.b, q, r)?;
                Gains { k: found.gain, ki: None, p: Some(found.cost) }
            }
            Some(output) => {
                let (a, b) = augmented(plant, output);
                let found = lqr(&a, &b, q, r).map_err(|error| of_integral(error, plant, output))?;
                split(&found.gain, Some(found.cost))
            }
        });
    };
    check_weights(q, r)?;
    let (n, m) = (plant.a.rows(), plant.b.columns());
    let system = sampled_system(plant, Some(period))?;
    let cost = sampled_cost(plant, &q.block(0..n, 0..n), r, period)?;
    let (a, b, states, cross) = match integral {
        None => (system.a.clone(), system.b.clone(), cost.states, cost.cross),
        Some(output) => {
            let (a, b) = augmented(&system, output);
            let mut states = q.scaled(period);
            states.put(0, 0, &cost.states);
            let mut cross = Matrix::zero(n + 1, m);
            cross.put(0, 0, &cost.cross);
            (a, b, states, cross)
        }
    };
    // cost xᵀQx + 2 xᵀN u + uᵀR u: u = v − R⁻¹Nᵀx has none between x and v
    let shift = solve(&cost.inputs, &cross.transposed());
    let a = &a - &(&b * &shift);
    let states = (&states - &(&cross * &shift)).symmetrised();
    let found = dlqr(&a, &b, &states, &cost.inputs).map_err(|error| match integral {
        Some(output) => of_integral(error, &system, output),
        None => error.into(),
    })?;
    let gain = &found.gain + &shift;
    Ok(match integral {
        None => Gains { k: gain, ki: None, p: Some(found.cost) },
        Some(_) => split(&gain, Some(found.cost)),
    })
}

/// The weights of the continuous cost, before they are mixed.
fn check_weights(q: &Matrix, r: &Matrix) -> Result<(), DesignError> {
    for (name, weight, least) in [("Q", q, false), ("R", r, true)] {
        let values = ordinate_control::eigenvalues(weight).ok_or(ControlError::NotFinite(name))?;
        let smallest = values.iter().map(|v| v.re).fold(f64::INFINITY, f64::min);
        let size = weight.elements().iter().fold(0.0, |most: f64, w| most.max(w.abs()));
        if *weight != weight.transposed() {
            return Err(ControlError::Indefinite(name, f64::NAN).into());
        }
        if smallest < -1e-12 * size || (least && smallest <= 0.0) {
            return Err(ControlError::Indefinite(name, smallest).into());
        }
    }
    Ok(())
}

/// The cost of one period in terms of the state at its beginning and the held input.
struct SampledCost {
    states: Matrix,
    cross: Matrix,
    inputs: Matrix,
}

/// ∫ xᵀQx + uᵀRu over a period with u held, by one exponential (C. F. Van Loan, IEEE Trans. Automatic Control 23 (1978)
/// 395–404): with Â = (A B; 0 0) and Q̂ = diag(Q, R)
///
/// ```text
///   exp( (−Âᵀ Q̂; 0 Â) T ) = (· G; 0 F),      cost = FᵀG
/// ```
fn sampled_cost(plant: &StateSpace, q: &Matrix, r: &Matrix, period: f64) -> Result<SampledCost, ControlError> {
    let (n, m) = (plant.a.rows(), plant.b.columns());
    let (mut joint, mut weights) = (Matrix::zero(n + m, n + m), Matrix::zero(n + m, n + m));
    joint.put(0, 0, &plant.a);
    joint.put(0, n, &plant.b);
    weights.put(0, 0, q);
    weights.put(n, n, r);
    let (gramian, forward) = integrated(&joint, &weights, period)?;
    let cost = (&forward.transposed() * &gramian).symmetrised();
    Ok(SampledCost {
        states: cost.block(0..n, 0..n),
        cross: cost.block(0..n, n..n + m),
        inputs: cost.block(n..n + m, n..n + m),
    })
}

/// G and F of Van Loan's exponential.
fn integrated(a: &Matrix, q: &Matrix, period: f64) -> Result<(Matrix, Matrix), ControlError> {
    let n = a.rows();
    let mut block = Matrix::zero(2 * n, 2 * n);
    block.put(0, 0, &-&a.transposed());
    block.put(0, n, q);
    block.put(n, n, a);
    let zero = |rows: usize, columns: usize| Matrix::zero(rows, columns);
    let system = StateSpace { a: block, b: zero(2 * n, 1), c: zero(1, 2 * n), d: zero(1, 1), period: None };
    let exponential = discretise(&system, period, Hold::Zero)?.a;
    Ok((exponential.block(0..n, n..2 * n), exponential.block(n..2 * n, n..2 * n)))
}

/// The covariance that white noise of intensity Q on the states adds in a period: ∫ exp(Aτ) Q exp(Aᵀτ) dτ.
pub(super) fn sampled_noise(a: &Matrix, q: &Matrix, period: f64) -> Result<Matrix, ControlError> {
    let (gramian, forward) = integrated(&a.transposed(), q, period)?;
    Ok((&forward.transposed() * &gramian).symmetrised())
}

/// A⁻¹B, as the static gain of x′ = −A x + B u; infinite elements where A is singular.
pub(super) fn solve(a: &Matrix, b: &Matrix) -> Matrix {
    let (n, m) = (a.rows(), b.columns());
    let zero = Matrix::zero(n, m);
    StateSpace { a: -a, b: b.clone(), c: Matrix::identity(n), d: zero, period: None }.dc_gain()
}

/// kr that makes the static gain from r to an output one; with several inputs the smallest such gains.
pub(super) fn reference_gain(system: &StateSpace, k: &Matrix, output: &Output) -> Result<Matrix, DesignError> {
    let closed = StateSpace {
        a: &system.a - &(&system.b * k),
        b: system.b.clone(),
        c: &output.c - &(&output.d * k),
        d: output.d.clone(),
        period: system.period,
    };
    let gain = closed.dc_gain();
    let size: f64 = gain.elements().iter().map(|g| g * g).sum();
    let scale = gain.elements().iter().fold(0.0, |most: f64, g| most.max(g.abs()));
    let largest = output.c.largest() * solve(&closed_identity(&closed), &closed.b).largest();
    if !size.is_finite() || scale <= 1e-12 * largest || size == 0.0 {
        return Err(no_static_gain(output, "reference"));
    }
    Ok(gain.transposed().scaled(1.0 / size))
}

/// −A, or I − A of a sampled system: what is inverted for a static gain.
fn closed_identity(system: &StateSpace) -> Matrix {
    match system.period {
        None => -&system.a,
        Some(_) => &Matrix::identity(system.a.rows()) - &system.a,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn system(a: &[f64], b: &[f64], n: usize) -> StateSpace {
        StateSpace {
            a: Matrix::from_elements(n, n, a.to_vec()),
            b: Matrix::from_elements(n, 1, b.to_vec()),
            c: Matrix::identity(n),
            d: Matrix::zero(n, 1),
            period: None,
        }
    }

    /// x′ = u from x with u held: ∫ (x + uτ)² + u² dτ = T x² + T² x u + (T³/3 + T) u².
    #[test]
    fn the_cost_of_a_period_is_the_integral() {
        let one = Matrix::diagonal(&[1.0]);
        let t = 0.3;
        let cost = sampled_cost(&system(&[0.0], &[1.0], 1), &one, &one, t).unwrap();
        assert!((cost.states.at(0, 0) - t).abs() < 1e-15);
        assert!((cost.cross.at(0, 0) - t * t / 2.0).abs() < 1e-15);
        assert!((cost.inputs.at(0, 0) - (t * t * t / 3.0 + t)).abs() < 1e-15);
    }

    /// ∫ 2 e^(−2τ) dτ = 1 − e^(−2T)
    #[test]
    fn noise_adds_up_over_a_period() {
        let found = sampled_noise(&Matrix::diagonal(&[-1.0]), &Matrix::diagonal(&[2.0]), 0.7).unwrap();
        assert!((found.at(0, 0) - (1.0 - (-1.4f64).exp())).abs() < 1e-14, "{found:?}");
    }

    /// With fast sampling the regulator is the continuous one.
    #[test]
    fn the_sampled_regulator_tends_to_the_continuous_one() {
        let plant = system(&[0.0, 1.0, 2.0, -0.3], &[0.0, 1.0], 2);
        let (q, r) = (Matrix::diagonal(&[1.0, 2.0]), Matrix::diagonal(&[0.5]));
        let continuous = regulator(&plant, None, &q, &r, None).unwrap().k;
        let distance = |period: f64| {
            let sampled = regulator(&plant, None, &q, &r, Some(period)).unwrap().k;
            (&sampled - &continuous).largest()
        };
        let ratio = distance(0.01) / distance(0.001);
        assert!((9.0..11.0).contains(&ratio), "the difference is of first order: {ratio}");
    }

    #[test]
    fn a_speed_has_no_static_gain_of_the_force_that_holds_a_place() {
        let plant = system(&[0.0, 1.0, 0.0, 0.0], &[0.0, 1.0], 2);
        let k = Matrix::from_elements(1, 2, vec![1.0, 2.0]);
        let output = |c: [f64; 2]| Output {
            name: "y".into(),
            c: Matrix::from_elements(1, 2, c.to_vec()),
            d: Matrix::zero(1, 1),
            at: 0.0,
            is_state: true,
        };
        assert_eq!(reference_gain(&plant, &k, &output([1.0, 0.0])).unwrap().elements(), [1.0]);
        assert!(matches!(reference_gain(&plant, &k, &output([0.0, 1.0])), Err(DesignError::Stopped { .. })));
    }

    /// x is not reached at all; y' = −y + u stays where it is for no constant u.
    #[test]
    fn an_output_without_a_static_gain_is_not_integrated() {
        let plant = system(&[-2.0, 0.0, 0.0, -1.0], &[0.0, 1.0], 2);
        let output = |c: [f64; 2], d: f64| Output {
            name: "y".into(),
            c: Matrix::from_elements(1, 2, c.to_vec()),
            d: Matrix::diagonal(&[d]),
            at: 0.0,
            is_state: false,
        };
        let (q, r) = (Matrix::identity(3), Matrix::identity(1));
        for output in [output([1.0, 0.0], 0.0), output([0.0, -1.0], 1.0)] {
            for period in [None, Some(0.1)] {
                let refused = regulator(&plant, Some(&output), &q, &r, period).expect_err("no static gain");
                let DesignError::Stopped { message, .. } = &refused else { panic!("{refused:?}") };
                assert!(message.contains("no constant input holds `y`"), "{message}");
            }
        }
    }

    #[test]
    fn a_weight_that_is_not_symmetric_is_called_so() {
        let plant = system(&[0.0, 1.0, 0.0, 0.0], &[0.0, 1.0], 2);
        let q = Matrix::from_elements(2, 2, vec![1.0, 2.0, 3.0, 4.0]);
        let refused = regulator(&plant, None, &q, &Matrix::identity(1), Some(0.1)).expect_err("not symmetric");
        assert!(matches!(&refused, DesignError::Usage(text) if text.contains("not symmetric")), "{refused:?}");
    }

    #[test]
    fn an_indefinite_weight_is_refused_before_it_is_mixed_with_others() {
        let plant = system(&[0.0], &[1.0], 1);
        let (minus, one) = (Matrix::diagonal(&[-1.0]), Matrix::diagonal(&[1.0]));
        for (q, r) in [(&minus, &one), (&one, &minus)] {
            assert!(matches!(regulator(&plant, None, q, r, Some(0.1)), Err(DesignError::Usage(_))));
        }
    }
}
