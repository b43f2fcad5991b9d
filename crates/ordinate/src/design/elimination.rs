//! Small dense systems of linear equations.

/// The right part of (A | B) after elimination with pivots: A⁻¹B; `None` if A is singular.
pub(super) fn solved(mut rows: Vec<Vec<f64>>, n: usize) -> Option<Vec<Vec<f64>>> {
    for k in 0..n {
        let best = (k..n).max_by(|&a, &b| rows[a][k].abs().total_cmp(&rows[b][k].abs()))?;
        rows.swap(k, best);
        let pivot = rows[k].clone();
        if pivot[k] == 0.0 || !pivot[k].is_finite() {
            return None;
        }
        for (i, row) in rows.iter_mut().enumerate() {
            let factor = if i == k { 1.0 - 1.0 / pivot[k] } else { row[k] / pivot[k] };
            row.iter_mut().zip(&pivot).for_each(|(a, p)| *a -= factor * p);
        }
    }
    Some(rows.into_iter().map(|row| row[n..].to_vec()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elimination_gives_the_inverse() {
        let found = solved(vec![vec![0.0, 2.0, 1.0, 0.0], vec![1.0, 1.0, 0.0, 1.0]], 2).unwrap();
        assert_eq!(found, [[-0.5, 1.0], [0.5, 0.0]]);
        assert!(solved(vec![vec![1.0, 2.0, 0.0], vec![2.0, 4.0, 0.0]], 2).is_none());
    }
}
