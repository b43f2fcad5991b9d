//! From the derivatives of all equations to A, B, C, D: algebraic variables are eliminated, and what the constraints of
//! an index-reduced model bind is expressed by the states that remain free.

use super::LinearizeError;
use super::slopes::Slopes;
use ordinate_control::Matrix;
use ordinate_linalg::{Lu, Pattern};
use ordinate_model::Sorted;

/// The linear system and which states are its own.
pub(super) struct Reduced {
    pub free: Vec<usize>,
    pub a: Matrix,
    pub b: Matrix,
    pub c: Matrix,
    pub d: Matrix,
}

/// Below this reciprocal condition the algebraic variables are not determined.
const SINGULAR: f64 = 1e-14;
/// A constraint whose derivatives are below this part of its largest, after the others are taken out, repeats them.
const DEPENDENT: f64 = 1e-10;

/// ```text
///   δz = −g_z⁻¹ (g_x δx + g_u δu)                  from 0 = g(x, u, z)
///   δx_bound = R_x δx_free + R_u δu                from 0 = invariants(x, u, z)
/// ```
pub(super) fn reduce(slopes: &Slopes, sorted: &Sorted) -> Result<Reduced, LinearizeError> {
    let follow = follow(slopes)?;
    let differential = slopes.states + slopes.inputs;
    let closed = |matrix: &Matrix| -> Vec<Vec<f64>> {
        let row = |i: usize| {
            let row = matrix.row(i);
            let by_z = |j: usize| row[differential..].iter().zip(&follow[j]).map(|(a, b)| a * b).sum::<f64>();
            (0..differential).map(|j| row[j] + by_z(j)).collect::<Vec<f64>>()
        };
        (0..matrix.rows()).map(row).collect()
    };
    let bound = bound(closed(&slopes.by_invariants), slopes.states, sorted)?;
    let is_bound = |j: &usize| bound.iter().any(|(own, _)| own == j);
    let free: Vec<usize> = (0..slopes.states).filter(|j| !is_bound(j)).collect();
    let columns: Vec<usize> = free.iter().copied().chain(slopes.states..differential).collect();
    // a row in terms of the free states and the inputs
    let put_in = |row: &[f64]| -> Vec<f64> {
        let part = |j: usize| row[j] + bound.iter().map(|(own, by)| row[*own] * by[j]).sum::<f64>();
        columns.iter().map(|&j| part(j)).collect()
    };
    let split = |rows: Vec<Vec<f64>>| {
        let n = free.len();
        let left = rows.iter().flat_map(|row| row[..n].to_vec()).collect();
        let right = rows.iter().flat_map(|row| row[n..].to_vec()).collect();
        (Matrix::from_elements(rows.len(), n, left), Matrix::from_elements(rows.len(), slopes.inputs, right))
    };
    let rates = closed(&slopes.by_rates);
    let (a, b) = split(free.iter().map(|&i| put_in(&rates[i])).collect());
    let (c, d) = split(closed(&slopes.by_outputs).iter().map(|row| put_in(row)).collect());
    Ok(Reduced { free, a, b, c, d })
}

/// dz by each state and input, by columns.
fn follow(slopes: &Slopes) -> Result<Vec<Vec<f64>>, LinearizeError> {
    let differential = slopes.states + slopes.inputs;
    let residuals = &slopes.by_residuals;
    let n = residuals.rows();
    let mut columns = vec![vec![0.0; n]; differential];
    if n == 0 {
        return Ok(columns);
    }
    let block: Vec<f64> = (0..n).flat_map(|i| residuals.row(i)[differential..].to_vec()).collect();
    let mut lu: Lu<f64> = Lu::new(&Pattern::dense(n));
    if lu.factor(&block).is_err() || lu.reciprocal_condition() < SINGULAR {
        return Err(LinearizeError::None {
            message: "the equations do not determine their algebraic variables near the point: their Jacobian is singular there".into(),
            hint: "choose another point with `--at`; `ordinate info` shows what follows from what".into(),
        });
    }
    for (j, column) in columns.iter_mut().enumerate() {
        column.iter_mut().enumerate().for_each(|(i, value)| *value = -residuals.at(i, j));
        lu.solve(column);
    }
    Ok(columns)
}

/// States that the constraints bind, and what their changes are in terms of those of all columns: Gauss–Jordan with the
/// largest pivot, among equals in the last column, so that what the text names first stays free.
fn bound(mut rows: Vec<Vec<f64>>, states: usize, sorted: &Sorted) -> Result<Vec<(usize, Vec<f64>)>, LinearizeError> {
    let total = rows.len();
    let none = |message: &str| {
        let hint = "choose another point with `--at`, or describe the model by coordinates without constraints";
        Err(LinearizeError::None { message: message.into(), hint: hint.into() })
    };
    for row in &mut rows {
        let size = row[..states].iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        if size > 0.0 {
            row.iter_mut().for_each(|value| *value /= size);
        }
    }
    let mut pivots: Vec<(usize, usize)> = Vec::new();
    loop {
        let mut best: Option<(usize, usize)> = None;
        let mut most = DEPENDENT;
        for i in (0..total).filter(|i| !pivots.iter().any(|(row, _)| row == i)) {
            for j in (0..states).rev() {
                // so much larger that it is no rounding
                if rows[i][j].abs() > most * (1.0 + 1e-9) {
                    (best, most) = (Some((i, j)), rows[i][j].abs());
                }
            }
        }
        let Some((i, j)) = best else { break };
        let pivot = rows[i][j];
        rows[i].iter_mut().for_each(|value| *value /= pivot);
        let own = rows[i].clone();
        for other in (0..total).filter(|&other| other != i) {
            let factor = rows[other][j];
            if factor != 0.0 {
                rows[other].iter_mut().zip(&own).for_each(|(value, own)| *value -= factor * own);
                rows[other][j] = 0.0;
            }
        }
        pivots.push((i, j));
    }
    let repeats = (0..total).filter(|i| !pivots.iter().any(|(row, _)| row == i));
    if repeats.clone().any(|i| rows[i][states..].iter().any(|value| value.abs() > DEPENDENT)) {
        return none("a constraint of the model binds its inputs, which are then not free");
    }
    let kept = states - pivots.len();
    if total > 0 && kept > sorted.structure.degrees_of_freedom && repeats.count() > 0 {
        return none("the constraints of the model are singular at the point: their derivatives depend on each other");
    }
    let mut found: Vec<(usize, Vec<f64>)> = pivots
        .iter()
        .map(|&(i, j)| {
            let mut by: Vec<f64> = rows[i].iter().map(|value| -value).collect();
            by[j] = 0.0;
            (j, by)
        })
        .collect();
    // what is bound is expressed by what is free alone
    let all: Vec<usize> = found.iter().map(|(j, _)| *j).collect();
    found.iter_mut().for_each(|(_, by)| all.iter().for_each(|&j| by[j] = 0.0));
    Ok(found)
}
