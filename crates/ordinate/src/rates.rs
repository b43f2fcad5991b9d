//! The rates of a model at a point: its Jacobian as a dense matrix, algebraic states taken out, and its eigenvalues.

use ordinate_control::Matrix;
use ordinate_program::Evaluator;
use ordinate_solve::System;

/// Larger systems are not taken apart: a dense matrix of them costs too much.
pub(crate) const MOST_STATES: usize = 500;

/// ∂f/∂y of the states that are not algebraic, by rows; where 0 = g(y, z) determines algebraic states z,
///
/// ```text
///   f_y − f_z g_z⁻¹ g_y
/// ```
///
/// `None` where g_z is singular or an element is not finite.
pub(crate) fn jacobian(evaluator: &mut Evaluator, t: f64, y: &[f64], d: &[f64]) -> Option<Vec<Vec<f64>>> {
    let pattern = System::jacobian_pattern(evaluator)?;
    let mut elements = vec![0.0; pattern.columns.len()];
    System::jacobian(evaluator, t, y, d, &mut elements);
    let n = y.len();
    let mut rows = vec![vec![0.0; n]; n];
    for (i, row) in rows.iter_mut().enumerate() {
        for k in pattern.starts[i]..pattern.starts[i + 1] {
            row[pattern.columns[k] as usize] = elements[k];
        }
    }
    let differential = System::layout(evaluator).differential();
    for k in (differential..n).rev() {
        let best = (differential..=k).max_by(|&a, &b| rows[a][k].abs().total_cmp(&rows[b][k].abs()))?;
        rows.swap(best, k);
        let pivot = rows[k].clone();
        if pivot[k] == 0.0 {
            return None;
        }
        for row in rows[..k].iter_mut().filter(|row| row[k] != 0.0) {
            let factor = row[k] / pivot[k];
            row.iter_mut().zip(&pivot).for_each(|(a, p)| *a -= factor * p);
        }
    }
    rows.truncate(differential);
    rows.iter_mut().for_each(|row| row.truncate(differential));
    rows.iter().flatten().all(|a| a.is_finite()).then_some(rows)
}

/// F = (f, g, invariants) at a point.
pub(crate) fn all_values(evaluator: &mut Evaluator, t: f64, y: &[f64], d: &[f64]) -> Vec<f64> {
    let invariants = System::layout(evaluator).invariants;
    let mut values = vec![0.0; y.len() + invariants];
    let (rates, kept) = values.split_at_mut(y.len());
    evaluator.derivative(t, y, d, rates);
    evaluator.invariants(t, y, d, kept);
    values
}

/// ∂F/∂y by rows, of a program with its Jacobian.
pub(crate) fn all_slopes(evaluator: &mut Evaluator, t: f64, y: &[f64], d: &[f64]) -> Vec<f64> {
    let n = y.len();
    let program = evaluator.program().clone();
    let mut matrix = vec![0.0; (n + program.layout.invariants) * n];
    if let Some(jacobian) = &program.jacobian {
        let mut elements = vec![0.0; jacobian.pattern.len()];
        evaluator.jacobian(t, y, d, &mut elements);
        for (&(row, column), element) in jacobian.pattern.iter().zip(&elements) {
            matrix[row as usize * n + column as usize] = *element;
        }
    }
    if let Some(jacobian) = &program.invariants_jacobian {
        let mut elements = vec![0.0; jacobian.pattern.len()];
        evaluator.invariants_jacobian(t, y, d, &mut elements);
        for (&(row, column), element) in jacobian.pattern.iter().zip(&elements) {
            matrix[(n + row as usize) * n + column as usize] = *element;
        }
    }
    matrix
}

/// The eigenvalues of a matrix given by rows, as (real, imaginary).
pub(crate) fn eigenvalues(rows: &[Vec<f64>]) -> Option<Vec<(f64, f64)>> {
    let mut matrix = Matrix::zero(rows.len(), rows.len());
    for (i, row) in rows.iter().enumerate() {
        row.iter().enumerate().for_each(|(j, a)| *matrix.at_mut(i, j) = *a);
    }
    eigenvalues_of(&matrix)
}

/// The same of a matrix.
pub(crate) fn eigenvalues_of(matrix: &Matrix) -> Option<Vec<(f64, f64)>> {
    let values = ordinate_control::eigenvalues(matrix)?;
    Some(values.iter().map(|value| (value.re, value.im)).collect())
}
