//! Balancing by powers of two, which rounds nothing.

use crate::Matrix;

/// Scales rows and columns by powers of two until both have about the same norm: Parlett and Reinsch, Numer. Math. 13
/// (1969) 293–304. Rates of very different size would otherwise cost the small ones their digits. Gives the diagonal D
/// of D⁻¹ A D.
pub(crate) fn balance(a: &mut Matrix) -> Vec<f64> {
    balance_above(a, 0.0)
}

/// The same where norms below `floor` do no harm: then a row whose column is zero is brought down to it, too.
pub(crate) fn balance_above(a: &mut Matrix, floor: f64) -> Vec<f64> {
    let n = a.rows();
    let mut scales = vec![1.0; n];
    let mut again = true;
    while again {
        again = false;
        for (i, scale) in scales.iter_mut().enumerate() {
            let others = || (0..n).filter(|&j| j != i);
            let column: f64 = others().map(|j| a.at(j, i).abs()).sum();
            let row: f64 = others().map(|j| a.at(i, j).abs()).sum();
            let Some(f) = factor(row.max(floor), column.max(floor)) else { continue };
            again = true;
            *scale *= f;
            a.row_mut(i).iter_mut().for_each(|a| *a /= f);
            (0..n).for_each(|j| *a.at_mut(j, i) *= f);
        }
    }
    scales
}

/// The power of two by which a column is multiplied and its row divided, if that makes their sum clearly smaller.
pub(crate) fn factor(row: f64, column: f64) -> Option<f64> {
    if column == 0.0 || row == 0.0 {
        return None;
    }
    let f = 2f64.powi(((row / column).log2() / 2.0).round().clamp(-500.0, 500.0) as i32);
    (column * f + row / f < 0.95 * (column + row)).then_some(f)
}
