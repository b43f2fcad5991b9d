//! What an input reaches and an output shows.

use crate::eigen::{eigenvalues, sort_poles};
use crate::staircase::Staircase;
use crate::sylvester::{finite, square};
use crate::{Complex, ControlError, Matrix};

/// Controllability or observability.
#[derive(Clone, Debug)]
pub struct Reach {
    /// (B, AB, …) or (C; CA; …).
    pub matrix: Matrix,
    /// The singular values that decide the rank, the largest first, one per state: of the blocks of the orthogonal
    /// staircase form of the scaled pair, relative to its size. The columns of `matrix` itself become parallel long
    /// before the pair loses its rank, so they decide nothing.
    pub singular_values: Vec<f64>,
    /// Numerical rank.
    pub rank: usize,
    /// Modes (eigenvalues of A) that are not reached or not shown: those λ at which (A − λI, B) loses rank, the test of
    /// Popov, Belevitch and Hautus. They are the eigenvalues of the block that the staircase does not reach.
    pub lost: Vec<Complex>,
}

/// What the inputs reach.
pub fn controllability(a: &Matrix, b: &Matrix) -> Result<Reach, ControlError> {
    square(a, "A")?;
    if b.rows() != a.rows() {
        return Err(ControlError::Shape(format!("B has {} rows, A has {}", b.rows(), a.rows())));
    }
    finite(&[(a, "A"), (b, "B")])?;
    let (n, m) = (a.rows(), b.columns());
    let mut matrix = Matrix::zero(n, n * m);
    let mut power = b.clone();
    for k in 0..n {
        matrix.put(0, k * m, &power);
        if k + 1 < n {
            power = a * &power;
        }
    }
    let (rank, singular_values, lost) = reached(a, b)?;
    Ok(Reach { matrix, singular_values, rank, lost })
}

/// What the outputs show.
pub fn observability(a: &Matrix, c: &Matrix) -> Result<Reach, ControlError> {
    square(a, "A")?;
    if c.columns() != a.rows() {
        return Err(ControlError::Shape(format!("C has {} columns, A has {}", c.columns(), a.rows())));
    }
    finite(&[(a, "A"), (c, "C")])?;
    let mut dual = controllability(&a.transposed(), &c.transposed())?;
    dual.matrix = dual.matrix.transposed();
    Ok(dual)
}

fn reached(a: &Matrix, b: &Matrix) -> Result<(usize, Vec<f64>, Vec<Complex>), ControlError> {
    let n = a.rows();
    let form = Staircase::new(a, b);
    let rank = form.rank();
    let rest = form.a.block(rank..n, rank..n);
    let mut lost = eigenvalues(&rest).ok_or(ControlError::Inaccurate("the eigenvalues of A", f64::NAN))?;
    sort_poles(&mut lost, false);
    Ok((rank, form.couplings, lost))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: usize, elements: &[f64]) -> Matrix {
        Matrix::from_elements(rows, elements.len() / rows, elements.to_vec())
    }

    /// Cart with a hanging pendulum, pendulum and motor of the thesis: its controllability matrices and full ranks.
    #[test]
    fn the_plants_of_the_thesis_are_controllable_and_observable() {
        let cart = matrix(4, &[0.0, -7.521, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, -1.4715, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        let force = matrix(4, &[1.0 / 15.0, 0.0, 0.1, 0.0]);
        let reach = controllability(&cart, &force).expect("sizes fit");
        assert_eq!(reach.rank, 4);
        assert!(reach.lost.is_empty());
        assert!((reach.matrix.at(0, 2) + 0.5014).abs() < 1e-15 && (reach.matrix.at(3, 3) + 0.0981).abs() < 1e-15);
        let shown = observability(&cart, &matrix(1, &[0.0, 0.0, 0.0, 1.0])).expect("sizes fit");
        assert_eq!((shown.rank, shown.matrix.at(3, 0)), (4, -1.4715));
        let angle = observability(&cart, &matrix(1, &[0.0, 1.0, 0.0, 0.0])).expect("sizes fit");
        assert_eq!((angle.rank, angle.lost), (2, vec![Complex::default(); 2]));
    }

    /// A mode of another part that no input reaches is named, whatever turns and units hide it.
    #[test]
    fn an_unreached_mode_is_named_in_any_coordinates() {
        for n in [4, 12, 20] {
            let plain = Matrix::from_fn(n, n, |i, j| match (i, j) {
                (i, j) if i == j => -1.0 - i as f64,
                (i, j) if i + 1 == n || j + 1 == n => 0.0,
                (i, j) => ((i * 7 + j * 3) % 5) as f64 / 10.0,
            });
            let input = Matrix::from_fn(n, 1, |i, _| if i + 1 == n { 0.0 } else { 1.0 });
            let whole = Matrix::from_fn(n, n, |i, j| ((i * i + 3 * i * j + j) % 7) as f64 - 3.0);
            let (q, _) = turns(&whole);
            let units = Matrix::from_fn(n, n, |i, j| if i == j { 10f64.powi((i % 7) as i32 - 3) } else { 0.0 });
            let back = Matrix::from_fn(n, n, |i, j| if i == j { 10f64.powi(3 - (i % 7) as i32) } else { 0.0 });
            let a = &(&units * &(&(&q * &plain) * &q.transposed())) * &back;
            let b = &units * &(&q * &input);
            let reach = controllability(&a, &b).expect("sizes fit");
            assert_eq!(reach.rank, n - 1, "{n}: {:?}", reach.singular_values);
            assert!((reach.lost[0].re + n as f64).abs() < 1e-8, "{:?}", reach.lost);
        }
    }

    fn turns(m: &Matrix) -> (Matrix, Matrix) {
        let qr = crate::orthogonal::PivotedQr::new(m);
        let mut q = Matrix::identity(m.rows());
        qr.apply_right(&mut q, 0);
        (q, qr.r)
    }

    /// A chain of twenty lags whose Krylov matrix has a condition beyond 1e20 is controllable all the same; units that
    /// differ by many powers of ten change nothing.
    #[test]
    fn a_long_chain_and_unequal_units_keep_the_rank() {
        let n = 20;
        let chain = Matrix::from_fn(n, n, |i, j| match i as isize - j as isize {
            0 => -1.0 - i as f64,
            1 => 0.5,
            _ => 0.0,
        });
        let input = Matrix::from_fn(n, 1, |i, _| if i == 0 { 1.0 } else { 0.0 });
        assert_eq!(controllability(&chain, &input).expect("sizes fit").rank, n);
        // magnetic levitation: position, speed, current
        let levitation = matrix(3, &[0.0, 1.0, 0.0, 1962.0, 0.0, -2.5e-3, 0.0, 4.0e-3, -200.0]);
        let voltage = matrix(3, &[0.0, 0.0, 25.0]);
        assert_eq!(controllability(&levitation, &voltage).expect("sizes fit").rank, 3);
        let weak = matrix(2, &[-1.0, 1e-14, 0.0, -2.0]);
        assert_eq!(controllability(&weak, &matrix(2, &[0.0, 1e9])).expect("sizes fit").rank, 2);
    }

    #[test]
    fn wrong_sizes_and_numbers_are_named() {
        let a = Matrix::identity(2);
        assert!(matches!(controllability(&a, &Matrix::zero(3, 1)), Err(ControlError::Shape(_))));
        assert!(matches!(observability(&a, &Matrix::zero(1, 3)), Err(ControlError::Shape(_))));
        let bad = matrix(2, &[f64::NAN, 0.0]);
        assert_eq!(controllability(&a, &bad).expect_err("no number"), ControlError::NotFinite("B"));
    }
}
