//! The zero dynamics: what the states do while the outputs stay where they are.
//!
//! With T = ∂(h, L_f h, …)/∂x and the law u*(x) that makes all y⁽ʳ⁾ zero, the kernel of T is invariant under
//! A = ∂(f + g u*)/∂x, and A restricted to it has the eigenvalues of the zero dynamics (the transmission zeros of the linear
//! model). A. Isidori, Nonlinear Control Systems (3rd ed., Springer 1995), section 4.3.

use super::lie::Chain;
use crate::design::elimination::solved;
use crate::design::field::Field;
use crate::rates::eigenvalues;
use ordinate_expr::{ExprId, Tape};

/// What remains when the outputs are held.
#[derive(Clone, Debug)]
pub struct ZeroDynamics {
    /// How many states it has.
    pub order: usize,
    /// The equilibrium that was looked at: the states, and the inputs that hold it.
    pub at: Option<(Vec<f64>, Vec<f64>)>,
    /// Its eigenvalues there.
    pub eigenvalues: Vec<(f64, f64)>,
    /// Whether all are in the left half-plane (minimum phase), or one is in the right one; `None` on the border or unknown.
    pub stable: Option<bool>,
}

/// An eigenvalue is on the border within this part of the largest rate of the closed loop: a double zero is found only so well.
const BORDER: f64 = 1e-7;
const MOST_ITERATIONS: usize = 200;

/// The functions that the linearisation needs, with their slopes by states and inputs.
pub(super) struct Slopes {
    values: Tape,
    slopes: Tape,
    rows: usize,
    columns: usize,
}

impl Slopes {
    fn new(field: &mut Field, functions: &[ExprId]) -> Slopes {
        let variables: Vec<_> = field.states.iter().chain(&field.inputs).copied().collect();
        let mut all = Vec::new();
        for &function in functions {
            all.extend(variables.iter().map(|&v| field.graph.partial(function, v)));
        }
        Slopes {
            values: field.tape(functions),
            slopes: field.tape(&all),
            rows: functions.len(),
            columns: variables.len(),
        }
    }

    fn at(&self, place: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
        let slopes = self.slopes.values(place);
        (
            self.values.values(place),
            (0..self.rows).map(|i| slopes[i * self.columns..(i + 1) * self.columns].to_vec()).collect(),
        )
    }
}

/// The zero dynamics at the equilibrium near to a point where the outputs have the wanted values.
pub(super) fn zero_dynamics(
    field: &mut Field,
    chains: &[Chain],
    point: &[f64],
    wanted: &[f64],
    t: f64,
) -> Option<ZeroDynamics> {
    let n = field.order();
    let order = n - chains.iter().map(Chain::degree).sum::<usize>();
    if order == 0 {
        return None;
    }
    let unknown = ZeroDynamics { order, at: None, eigenvalues: Vec::new(), stable: None };
    let Some((x, u)) = equilibrium(field, chains, point, wanted, t) else { return Some(unknown) };
    let Some((matrix, scale)) = restricted(field, chains, &x, &u, t) else {
        return Some(ZeroDynamics { at: Some((x, u)), ..unknown });
    };
    let Some(mut eigenvalues) = eigenvalues(&matrix) else { return Some(ZeroDynamics { at: Some((x, u)), ..unknown }) };
    eigenvalues.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)));
    let rightmost = eigenvalues.first().map_or(f64::NEG_INFINITY, |value| value.0);
    let stable = match rightmost {
        re if re > BORDER * scale => Some(false),
        re if re < -BORDER * scale => Some(true),
        _ => None,
    };
    Some(ZeroDynamics { order, at: Some((x, u)), eigenvalues, stable })
}

/// x and u with f + g u = 0 and h = wanted, by Levenberg's method: outputs that leave a state free have many such points.
fn equilibrium(
    field: &mut Field,
    chains: &[Chain],
    point: &[f64],
    wanted: &[f64],
    t: f64,
) -> Option<(Vec<f64>, Vec<f64>)> {
    let (n, m) = (field.order(), field.inputs.len());
    let mut functions = field.rates.clone();
    functions.extend(chains.iter().map(|chain| chain.derivatives[0]));
    let system = Slopes::new(field, &functions);
    let residual = |place: &[f64]| {
        let (mut values, slopes) = system.at(place);
        values[n..].iter_mut().zip(wanted).for_each(|(value, wanted)| *value -= wanted);
        (values, slopes)
    };
    let mut place = point.to_vec();
    place.resize(n + m, 0.0);
    place.push(t);
    let (mut values, mut slopes) = residual(&place);
    let mut damping = 1e-3;
    for _ in 0..MOST_ITERATIONS {
        let size: f64 = values.iter().map(|value| value * value).sum();
        let scale: f64 = slopes.iter().flatten().map(|slope| slope * slope).sum();
        if size <= 1e-24 * (1.0 + scale) {
            let u = place[n..n + m].to_vec();
            return Some((place[..n].to_vec(), u));
        }
        let step = levenberg(&values, &slopes, damping)?;
        let mut next = place.clone();
        next.iter_mut().zip(&step).for_each(|(x, step)| *x += step);
        let (new_values, new_slopes) = residual(&next);
        if new_values.iter().map(|value| value * value).sum::<f64>() < size {
            (place, values, slopes) = (next, new_values, new_slopes);
            damping = (damping / 10.0).max(1e-14);
        } else {
            damping *= 10.0;
        }
    }
    None
}

/// −(JᵀJ + λ D)⁻¹ Jᵀ r with D the mean of the diagonal.
fn levenberg(values: &[f64], slopes: &[Vec<f64>], damping: f64) -> Option<Vec<f64>> {
    let n = slopes.first()?.len();
    let mut rows = vec![vec![0.0; n + 1]; n];
    for i in 0..n {
        for j in 0..n {
            rows[i][j] = slopes.iter().map(|row| row[i] * row[j]).sum();
        }
        rows[i][n] = -slopes.iter().zip(values).map(|(row, value)| row[i] * value).sum::<f64>();
    }
    let mean = (0..n).map(|i| rows[i][i]).sum::<f64>() / n as f64;
    (0..n).for_each(|i| rows[i][i] += damping * rows[i][i].max(1e-6 * mean));
    Some(solved(rows, n)?.into_iter().map(|row| row[0]).collect())
}

/// A on the kernel of T, by rows, and the size of A.
fn restricted(field: &mut Field, chains: &[Chain], x: &[f64], u: &[f64], t: f64) -> Option<(Vec<Vec<f64>>, f64)> {
    let (n, m) = (field.order(), field.inputs.len());
    let mut place = x.to_vec();
    place.extend(u);
    place.push(t);
    let rates = field.rates.clone();
    let (_, rates) = Slopes::new(field, &rates).at(&place);
    let derivatives: Vec<ExprId> = chains.iter().flat_map(|chain| chain.derivatives.clone()).collect();
    let (_, rows) = Slopes::new(field, &derivatives).at(&place);
    // b + a u = 0, so that u*ₓ = −a⁻¹ (b + a u)ₓ
    let highest: Vec<ExprId> = chains
        .iter()
        .map(|chain| {
            let inputs = field.inputs.clone();
            chain.gains.iter().zip(inputs).fold(chain.drift, |sum, (&gain, input)| {
                let input = field.graph.variable(input);
                let term = field.graph.mul(gain, input);
                field.graph.add(sum, term)
            })
        })
        .collect();
    let (_, highest) = Slopes::new(field, &highest).at(&place);
    let system = highest.iter().map(|row| {
        let (by_x, by_u) = row.split_at(n);
        by_u.iter().copied().chain(by_x.iter().map(|slope| -slope)).collect::<Vec<f64>>()
    });
    let law = solved(system.collect(), m)?;
    let a: Vec<Vec<f64>> = rates
        .iter()
        .map(|row| (0..n).map(|j| row[j] + (0..m).map(|k| row[n + k] * law[k][j]).sum::<f64>()).collect())
        .collect();
    let basis = kernel(rows.iter().map(|row| row[..n].to_vec()).collect(), n);
    let product =
        |v: &[f64]| a.iter().map(|row| row.iter().zip(v).map(|(a, v)| a * v).sum::<f64>()).collect::<Vec<_>>();
    let images: Vec<Vec<f64>> = basis.iter().map(|v| product(v)).collect();
    let scale = a.iter().flatten().fold(0.0, |most: f64, element| most.max(element.abs()));
    Some((basis.iter().map(|left| images.iter().map(|image| dot(left, image)).collect()).collect(), scale))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// An orthonormal basis of what is perpendicular to some independent rows, by Gram and Schmidt, twice each.
fn kernel(rows: Vec<Vec<f64>>, n: usize) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let rest = |basis: &[Vec<f64>], v: &[f64]| {
        let mut left = v.to_vec();
        for _ in 0..2 {
            for known in basis {
                let part = dot(known, &left);
                left.iter_mut().zip(known).for_each(|(a, b)| *a -= part * b);
            }
        }
        left
    };
    let unit = |v: Vec<f64>| {
        let length = dot(&v, &v).sqrt();
        v.into_iter().map(|x| x / length).collect::<Vec<f64>>()
    };
    for row in &rows {
        let left = rest(&basis, row);
        basis.push(unit(left));
    }
    while basis.len() < n {
        let axes = (0..n).map(|k| (0..n).map(|j| f64::from(u8::from(j == k))).collect::<Vec<f64>>());
        let longest = axes.map(|axis| rest(&basis, &axis)).reduce(|a, b| if dot(&b, &b) > dot(&a, &a) { b } else { a });
        basis.push(unit(longest.expect("a space has axes")));
    }
    basis.split_off(rows.len())
}
