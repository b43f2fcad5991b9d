//! Linear least squares of any rank: of all x that make ‖A x − b‖ smallest the shortest one.
//!
//! ```text
//!   A P = Q R                Householder, the column with the largest rest first
//!   [R₁ R₂]ᵀ = Z T           where the rank r is below the number of columns
//!   x = P Z T⁻ᵀ (Qᵀ b)₁…ᵣ
//! ```
//!
//! Golub, Van Loan, Matrix Computations, 5.4 and 5.5.

/// What is left of a column below this part of the first one is rounding.
const RANK: f64 = 1e-11;

/// The decomposition of a matrix.
#[derive(Clone, Debug, Default)]
pub(super) struct LeastSquares {
    qr: Reflections,
    /// The column of A that stands at each place.
    pub order: Vec<usize>,
    pub rank: usize,
    /// Z and T, where the rank is below the number of columns.
    rest: Option<Reflections>,
}

/// A matrix by columns that reflections make triangular: R above the diagonal, the vectors of the reflections in the
/// others and in `heads`.
#[derive(Clone, Debug, Default)]
struct Reflections {
    rows: usize,
    columns: usize,
    a: Vec<f64>,
    heads: Vec<f64>,
}

impl Reflections {
    fn column(&self, j: usize) -> &[f64] {
        &self.a[j * self.rows..(j + 1) * self.rows]
    }

    /// Makes column k zero below the diagonal, and reflects the columns behind it.
    fn reflect(&mut self, k: usize) {
        let rows = self.rows;
        let (before, behind) = self.a.split_at_mut((k + 1) * rows);
        let v = &mut before[k * rows + k..];
        let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let diagonal = if v[0] > 0.0 { -norm } else { norm };
        let head = v[0] - diagonal;
        v[0] = diagonal;
        self.heads.push(head);
        for column in behind.chunks_exact_mut(rows) {
            reflect(head, &v[1..], diagonal, &mut column[k..]);
        }
    }

    /// Qᵀ b, in the place of b.
    fn forward(&self, b: &mut [f64]) {
        for (k, head) in self.heads.iter().enumerate() {
            let v = &self.column(k)[k..];
            reflect(*head, &v[1..], v[0], &mut b[k..]);
        }
    }

    /// Q b, in the place of b.
    fn backward(&self, b: &mut [f64]) {
        for (k, head) in self.heads.iter().enumerate().rev() {
            let v = &self.column(k)[k..];
            reflect(*head, &v[1..], v[0], &mut b[k..]);
        }
    }
}

/// x − 2 v (vᵀx)/(vᵀv) with v = (head, tail); by the choice of its sign vᵀv = −2·head·diagonal.
fn reflect(head: f64, tail: &[f64], diagonal: f64, x: &mut [f64]) {
    if head == 0.0 || diagonal == 0.0 {
        return;
    }
    let product = head * x[0] + tail.iter().zip(&x[1..]).map(|(v, x)| v * x).sum::<f64>();
    let factor = product / (head * diagonal);
    x[0] += factor * head;
    for (x, v) in x[1..].iter_mut().zip(tail) {
        *x += factor * v;
    }
}

impl LeastSquares {
    /// Decomposes a matrix that is given by columns.
    pub fn new(rows: usize, columns: usize, a: Vec<f64>) -> LeastSquares {
        LeastSquares::of_rank(rows, columns, a, RANK)
    }

    /// The same where nothing but this part of the first column counts as rounding.
    pub fn of_rank(rows: usize, columns: usize, a: Vec<f64>, rounding: f64) -> LeastSquares {
        assert_eq!(a.len(), rows * columns, "a full matrix");
        let mut qr = Reflections { rows, columns, a, heads: Vec::new() };
        let mut order: Vec<usize> = (0..columns).collect();
        let mut rank = 0;
        let mut first = 0.0;
        for k in 0..rows.min(columns) {
            let rest = |j: usize| qr.a[j * rows + k..(j + 1) * rows].iter().map(|x| x * x).sum::<f64>();
            let best = (k..columns).fold((k, -1.0), |best, j| if rest(j) > best.1 { (j, rest(j)) } else { best });
            let norm = best.1.max(0.0).sqrt();
            if k == 0 {
                first = norm;
            }
            if norm <= rounding * first || norm == 0.0 {
                break;
            }
            order.swap(k, best.0);
            (0..rows).for_each(|i| qr.a.swap(k * rows + i, best.0 * rows + i));
            qr.reflect(k);
            rank += 1;
        }
        let rest = (rank < columns).then(|| {
            let mut a = vec![0.0; columns * rank];
            for i in 0..rank {
                (i..columns).for_each(|j| a[i * columns + j] = qr.a[j * rows + i]);
            }
            let mut rest = Reflections { rows: columns, columns: rank, a, heads: Vec::new() };
            (0..rank).for_each(|k| rest.reflect(k));
            rest
        });
        LeastSquares { qr, order, rank, rest }
    }

    /// The shortest x that makes ‖A x − b‖ smallest.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let (rank, rows) = (self.rank, self.qr.rows);
        let mut c = b.to_vec();
        self.qr.forward(&mut c);
        let mut x = vec![0.0; self.qr.columns];
        x[..rank].copy_from_slice(&c[..rank]);
        match &self.rest {
            None => {
                for i in (0..rank).rev() {
                    let sum: f64 = (i + 1..rank).map(|j| self.qr.a[j * rows + i] * x[j]).sum();
                    x[i] = (x[i] - sum) / self.qr.a[i * rows + i];
                }
            }
            Some(rest) => {
                for i in 0..rank {
                    let sum: f64 = (0..i).map(|j| rest.column(i)[j] * x[j]).sum();
                    x[i] = (x[i] - sum) / rest.column(i)[i];
                }
                rest.backward(&mut x);
            }
        }
        let mut solution = vec![0.0; x.len()];
        self.order.iter().zip(x).for_each(|(&place, x)| solution[place] = x);
        solution
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(rows: usize, a: &[f64], x: &[f64]) -> Vec<f64> {
        (0..rows).map(|i| x.iter().enumerate().map(|(j, x)| a[j * rows + i] * x).sum()).collect()
    }

    fn near(a: &[f64], b: &[f64]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-13)
    }

    #[test]
    fn a_regular_system_has_its_solution() {
        let a = vec![0.0, 2.0, 1.0, 3.0, 1.0, 4.0, 1.0, -1.0, 2.0];
        let x = LeastSquares::new(3, 3, a.clone()).solve(&[1.0, 2.0, 3.0]);
        assert!(near(&product(3, &a, &x), &[1.0, 2.0, 3.0]), "{x:?}");
    }

    #[test]
    fn of_too_few_equations_the_shortest_solution_is_taken() {
        let squares = LeastSquares::new(1, 3, vec![1.0, 2.0, 2.0]);
        assert!(near(&squares.solve(&[9.0]), &[1.0, 2.0, 2.0]));
    }

    /// The third equation repeats the sum of the others, the third column the difference.
    #[test]
    fn a_repeated_equation_and_an_undetermined_unknown_do_no_harm() {
        let a = vec![1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, -1.0, 0.0];
        let squares = LeastSquares::new(3, 3, a.clone());
        let x = squares.solve(&[3.0, 3.0, 6.0]);
        assert_eq!(squares.rank, 2);
        assert!(near(&product(3, &a, &x), &[3.0, 3.0, 6.0]) && near(&x, &[3.0, 3.0, 0.0]), "{x:?}");
        // Where the equations contradict each other, the residual is orthogonal to what the columns reach.
        let x = squares.solve(&[3.0, 3.0, 9.0]);
        let r: Vec<f64> = product(3, &a, &x).iter().zip([3.0, 3.0, 9.0]).map(|(a, b)| a - b).collect();
        assert!(near(&[r[0] + r[2], r[1] + r[2]], &[0.0, 0.0]) && r[2] < -0.5, "{r:?}");
    }

    #[test]
    fn nothing_follows_from_nothing() {
        assert_eq!(LeastSquares::new(2, 2, vec![0.0; 4]).solve(&[1.0, 1.0]), [0.0, 0.0]);
        assert_eq!(LeastSquares::new(0, 1, vec![]).solve(&[]), [0.0]);
    }
}
