//! The history of a multistep method as backward differences at equal steps, and its change to another step.

use super::coefficients::HIGHEST;

/// ∇⁰y … ∇ᵏ⁺²y at the end of the last step, h apart, component by component: most models have few, and passes over short
/// rows would spend their time beginning.
#[derive(Clone, Debug)]
pub(super) struct Differences {
    /// Differences of a component.
    width: usize,
    table: Vec<f64>,
    /// [`change`] for steps of the same length.
    same: Change,
}

/// Differences kept beyond the order: one for the error of the next higher order, one to make that from.
const EXTRA: usize = 2;

/// A matrix that changes the step.
type Change = [[f64; HIGHEST]; HIGHEST];

impl Differences {
    /// For formulas of up to `highest` steps.
    pub fn new(n: usize, highest: usize) -> Differences {
        let width = highest + EXTRA + 1;
        Differences { width, table: vec![0.0; width * n], same: change(1.0) }
    }

    /// ∇ʲy.
    pub fn row(&self, j: usize) -> impl Iterator<Item = f64> {
        self.table.chunks_exact(self.width).map(move |column| column[j])
    }

    /// ∇ʲy becomes what is given.
    pub fn set_row(&mut self, j: usize, values: impl Iterator<Item = f64>) {
        self.table.chunks_exact_mut(self.width).zip(values).for_each(|(column, value)| column[j] = value);
    }

    /// No history: y alone is known.
    pub fn begin(&mut self, y: &[f64]) {
        self.table.fill(0.0);
        self.set_row(0, y.iter().copied());
    }

    /// The value becomes y, and the second half of the components, which are errors of the first, move by as much.
    pub fn move_pairs(&mut self, y: &[f64]) {
        let (values, errors) = self.table.split_at_mut(y.len() * self.width);
        let columns = values.chunks_exact_mut(self.width).zip(errors.chunks_exact_mut(self.width));
        for ((value, error), y) in columns.zip(y) {
            error[0] += y - value[0];
            value[0] = *y;
        }
    }

    /// The polynomial of degree `order` at the end of the next step, and the known part of its derivative there:
    ///
    /// ```text
    ///   predicted = Σⱼ ∇ʲy            j = 0 … k
    ///   known     = Σⱼ γⱼ ∇ʲy         j = 1 … k
    /// ```
    pub fn predict(&self, order: usize, gamma: &[f64], predicted: &mut [f64], known: &mut [f64]) {
        match order {
            1 => self.predict_first::<2>(gamma, predicted, known),
            2 => self.predict_first::<3>(gamma, predicted, known),
            3 => self.predict_first::<4>(gamma, predicted, known),
            4 => self.predict_first::<5>(gamma, predicted, known),
            5 => self.predict_first::<6>(gamma, predicted, known),
            _ => {
                let gamma = &gamma[..=order];
                for ((column, predicted), known) in self.table.chunks_exact(self.width).zip(predicted).zip(known) {
                    (*predicted, *known) = sums(&column[..=order], gamma);
                }
            }
        }
    }

    /// [`Differences::predict`] from the first `N` differences: the loops over them are unrolled.
    fn predict_first<const N: usize>(&self, gamma: &[f64], predicted: &mut [f64], known: &mut [f64]) {
        let gamma: &[f64; N] = gamma.first_chunk().expect("a coefficient for every difference");
        for ((column, predicted), known) in self.table.chunks_exact(self.width).zip(predicted).zip(known) {
            let column: &[f64; N] = column.first_chunk().expect("as many differences as the order needs");
            (*predicted, *known) = sums(column, gamma);
        }
    }

    /// A step of this order has ended `correction` beside its prediction, which is ∇ᵏ⁺¹y there.
    pub fn advance(&mut self, order: usize, correction: &[f64]) {
        match order {
            1 => self.advance_first::<4>(correction),
            2 => self.advance_first::<5>(correction),
            3 => self.advance_first::<6>(correction),
            4 => self.advance_first::<7>(correction),
            5 => self.advance_first::<8>(correction),
            _ => {
                for (column, correction) in self.table.chunks_exact_mut(self.width).zip(correction) {
                    move_on(&mut column[..=order + EXTRA], *correction);
                }
            }
        }
    }

    /// [`Differences::advance`] for the first `N` differences: the loops over them are unrolled.
    fn advance_first<const N: usize>(&mut self, correction: &[f64]) {
        for (column, correction) in self.table.chunks_exact_mut(self.width).zip(correction) {
            let column: &mut [f64; N] = column.first_chunk_mut().expect("as many differences as the order needs");
            move_on(column, *correction);
        }
    }

    /// The differences of the same polynomial of degree `order` at steps that are `factor` times as long:
    ///
    /// ```text
    ///   ∇ʲ → Σᵢ (R U)ᵢⱼ ∇ⁱ       Rᵢⱼ = Π (m − 1 − j·factor)/m,  m = 1 … i;    U = R for factor 1
    /// ```
    ///
    /// Shampine and Reichelt (1997), sec. 2.
    pub fn rescale(&mut self, order: usize, factor: f64) {
        // All of R U whatever the order is: loops whose length the compiler knows take less time than shorter ones.
        let (r, mut product) = (change(factor), [[0.0; HIGHEST]; HIGHEST]);
        for (r, product) in r.iter().zip(&mut product) {
            for (r, same) in r.iter().zip(&self.same) {
                product.iter_mut().zip(same).for_each(|(product, same)| *product += r * same);
            }
        }
        for column in self.table.chunks_exact_mut(self.width) {
            let mut new = [0.0; HIGHEST];
            for (old, product) in column[1..=order].iter().zip(&product) {
                new.iter_mut().zip(product).for_each(|(new, product)| *new += product * old);
            }
            column[1..=order].copy_from_slice(&new[..order]);
        }
    }

    /// The polynomial of degree `order` through the end of the step just taken, `correction` beside its prediction, and
    /// the points before; the step is not part of the history yet. With θ from its beginning to its end
    ///
    /// ```text
    ///   y(θ) = Σⱼ bⱼ(θ) ∇ʲy + bₖ(θ) correction       bⱼ(θ) = θ (θ + 1) … (θ + j − 1) / j!
    /// ```
    pub fn interpolate(&self, order: usize, correction: &[f64], theta: f64, y: &mut [f64]) {
        for ((column, correction), y) in self.table.chunks_exact(self.width).zip(correction).zip(y) {
            let mut basis = 1.0;
            *y = column[0];
            for (j, difference) in column.iter().enumerate().take(order + 1).skip(1) {
                basis *= (theta + (j - 1) as f64) / j as f64;
                *y += basis * difference;
            }
            *y += basis * correction;
        }
    }
}

/// Σⱼ ∇ʲ and Σⱼ γⱼ ∇ʲ.
#[inline(always)]
fn sums(differences: &[f64], gamma: &[f64]) -> (f64, f64) {
    let (mut plain, mut weighted) = (0.0, 0.0);
    for (difference, gamma) in differences.iter().zip(gamma) {
        plain += difference;
        weighted += gamma * difference;
    }
    (plain, weighted)
}

/// The differences ∇⁰ … ∇ᵏ⁺² of one component at the end of a step, whose ∇ᵏ⁺¹ is `correction`.
#[inline(always)]
fn move_on(differences: &mut [f64], correction: f64) {
    let (history, extra) = differences.split_at_mut(differences.len() - EXTRA);
    (extra[0], extra[1]) = (correction, correction - extra[0]);
    let mut above = correction;
    for difference in history.iter_mut().rev() {
        above += *difference;
        *difference = above;
    }
}

/// What the polynomial of [`Differences::interpolate`] leaves out at θ: the next term of Newton's formula, in units of ∇ᵏ⁺¹y, which
/// is the correction.
///
/// ```text
///   (θ − 1) θ (θ + 1) … (θ + k − 1) / (k + 1)!
/// ```
pub fn left_out(order: usize, theta: f64) -> f64 {
    let basis = (1..=order).fold(1.0, |basis, j| basis * (theta + (j - 1) as f64) / j as f64);
    basis * (theta - 1.0) / (order + 1) as f64
}

/// R of [`Differences::rescale`], from i = j = 1 on.
fn change(factor: f64) -> Change {
    let mut r = [[0.0; HIGHEST]; HIGHEST];
    let mut above = [1.0; HIGHEST];
    for (i, row) in r.iter_mut().enumerate() {
        let (before, part) = (i as f64, 1.0 / (i + 1) as f64);
        for (j, (element, above)) in row.iter_mut().zip(&mut above).enumerate() {
            *above *= (before - factor * (j + 1) as f64) * part;
            *element = *above;
        }
    }
    r
}

#[cfg(test)]
mod tests {
    use super::*;

    /// p(t) of degree 5 and its backward differences at t with steps h.
    fn table(t: f64, h: f64, order: usize) -> Differences {
        let mut values: Vec<f64> = (0..=order).map(|i| polynomial(t - h * i as f64)).collect();
        let mut table = Differences::new(1, HIGHEST);
        for j in 0..=order {
            table.set_row(j, std::iter::once(values[0]));
            values = values.windows(2).map(|pair| pair[0] - pair[1]).collect();
        }
        table
    }

    fn only(table: &Differences, j: usize) -> f64 {
        table.row(j).next().expect("one component")
    }

    fn polynomial(t: f64) -> f64 {
        [3.0, -1.0, 0.5, 2.0, -0.25, 0.125].iter().rev().fold(0.0, |sum, c| sum * t + c)
    }

    #[test]
    fn another_step_leaves_the_polynomial_alone() {
        for factor in [0.1, 0.5, 0.9, 1.5, 4.0] {
            let mut changed = table(1.0, 0.5, 5);
            changed.rescale(5, factor);
            let expected = table(1.0, 0.5 * factor, 5);
            for j in 0..=5 {
                let (a, b) = (only(&changed, j), only(&expected, j));
                assert!((a - b).abs() < 1e-11 * (1.0 + b.abs()), "∇{j}, factor {factor}: {a} and {b}");
            }
        }
    }

    #[test]
    fn a_polynomial_is_predicted_exactly_and_its_table_moves_on() {
        let mut moving = table(1.0, 0.5, 5);
        let (mut predicted, mut known) = ([0.0], [0.0]);
        moving.predict(5, &[0.0; 6], &mut predicted, &mut known);
        assert!((predicted[0] - polynomial(1.5)).abs() < 1e-13);
        moving.advance(5, &[0.0]);
        for j in 0..=5 {
            assert!((only(&moving, j) - only(&table(1.5, 0.5, 5), j)).abs() < 1e-12, "∇{j}");
        }
    }

    #[test]
    fn the_interpolant_goes_through_both_ends_and_the_points_before() {
        let table = table(1.0, 0.5, 3);
        let mut y = [0.0];
        table.interpolate(3, &[0.25], 1.0, &mut y);
        let mut predicted = [0.0];
        table.predict(3, &[0.0; 4], &mut predicted, &mut [0.0]);
        assert!((y[0] - predicted[0] - 0.25).abs() < 1e-14);
        for back in 0..3 {
            table.interpolate(3, &[0.25], -f64::from(back), &mut y);
            assert!((y[0] - polynomial(1.0 - 0.5 * f64::from(back))).abs() < 1e-13, "{back} steps before");
        }
    }
}
