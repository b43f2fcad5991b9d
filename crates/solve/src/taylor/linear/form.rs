//! What the linear methods ask of a system: y′ = A y + b + inputs, as plain numbers.
//!
//! Inputs are functions of time that satisfy linear equations themselves. They become hidden states behind the states
//! of the system, so the whole is linear with constant coefficients:
//!
//! ```text
//!   ⎡ y ⎤′   ⎡ A  C ⎤ ⎡ y ⎤   ⎡ b ⎤
//!   ⎣ g ⎦  = ⎣ 0  H ⎦ ⎣ g ⎦ + ⎣ 0 ⎦
//! ```

/// A matrix by rows, nonzero elements only, columns ascending.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseRows {
    /// Where each row begins in the lists, and where the last one ends.
    pub starts: Vec<usize>,
    /// Columns.
    pub columns: Vec<u32>,
    /// Values.
    pub values: Vec<f64>,
}

impl SparseRows {
    /// A matrix without rows.
    pub fn new() -> SparseRows {
        SparseRows { starts: vec![0], ..SparseRows::default() }
    }

    /// Adds a row; zeros are left out.
    pub fn push(&mut self, row: impl IntoIterator<Item = (u32, f64)>) {
        for (column, value) in row {
            if value != 0.0 {
                self.columns.push(column);
                self.values.push(value);
            }
        }
        self.starts.push(self.columns.len());
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Columns and values of a row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[row]..self.starts[row + 1];
        self.columns[range.clone()].iter().zip(&self.values[range]).map(|(&column, &value)| (column as usize, value))
    }
}

/// A function of time that linear equations with constant coefficients generate:
///
/// ```text
///   g(τ) = τᵖ e^(λτ) cos ωτ   or   τᵖ e^(λτ) sin ωτ,     τ = t − origin
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Input {
    /// p
    pub power: u32,
    /// λ
    pub rate: f64,
    /// ω, not negative
    pub frequency: f64,
    /// The sine, not the cosine.
    pub sine: bool,
}

impl Input {
    /// Its value.
    pub fn value(&self, tau: f64) -> f64 {
        let (sine, cosine) = (self.frequency * tau).sin_cos();
        let wave = if self.sine { sine } else { cosine };
        let growth = if self.rate == 0.0 { 1.0 } else { (self.rate * tau).exp() };
        tau.powi(self.power as i32) * growth * wave
    }

    /// Its derivative as a sum of functions of the same kind.
    ///
    /// ```text
    ///   (τᵖ e^(λτ) cos ωτ)′ = p τᵖ⁻¹ e^(λτ) cos ωτ + λ τᵖ e^(λτ) cos ωτ − ω τᵖ e^(λτ) sin ωτ
    /// ```
    pub fn derivative(&self) -> Vec<(Input, f64)> {
        let mut terms = Vec::with_capacity(3);
        if self.power > 0 {
            terms.push((Input { power: self.power - 1, ..*self }, f64::from(self.power)));
        }
        if self.rate != 0.0 {
            terms.push((*self, self.rate));
        }
        if self.frequency != 0.0 {
            let sign = if self.sine { 1.0 } else { -1.0 };
            terms.push((Input { sine: !self.sine, ..*self }, sign * self.frequency));
        }
        terms
    }
}

/// y′ = A y + b + C g, g′ = H g, valid as long as the discrete values stay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinearForm {
    /// The rows of [A C] and then those of [0 H].
    pub matrix: SparseRows,
    /// b, of the states only.
    pub constant: Vec<f64>,
    /// The hidden states g, in the order of their columns.
    pub inputs: Vec<Input>,
    /// Where τ = 0.
    pub origin: f64,
}

impl LinearForm {
    /// Number of states, hidden ones not counted.
    pub fn states(&self) -> usize {
        self.constant.len()
    }

    /// A form without inputs.
    pub fn autonomous(matrix: SparseRows, constant: Vec<f64>) -> LinearForm {
        LinearForm { matrix, constant, inputs: Vec::new(), origin: 0.0 }
    }

    /// The values of the hidden states at time t.
    pub fn hidden(&self, t: f64, values: &mut [f64]) {
        for (value, input) in values.iter_mut().zip(&self.inputs) {
            *value = input.value(t - self.origin);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By a difference quotient, for all shapes of functions.
    #[test]
    fn the_derivative_of_an_input_is_its_derivative() {
        for power in 0..4 {
            for (rate, frequency, sine) in [(0.0, 0.0, false), (-0.5, 0.0, false), (0.3, 2.0, true), (0.0, 3.0, false)]
            {
                let input = Input { power, rate, frequency, sine };
                let exact: f64 = input.derivative().iter().map(|(part, c)| c * part.value(0.7)).sum();
                let step = 1e-5;
                let quotient = (input.value(0.7 + step) - input.value(0.7 - step)) / (2.0 * step);
                assert!((exact - quotient).abs() < 1e-8, "{input:?}: {exact} {quotient}");
            }
        }
    }
}
