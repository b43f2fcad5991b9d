//! The Jacobian of a system and the matrices of Newton's method that are made of it.

use std::sync::Arc;

use crate::{StepFailure, System, Work};
use ordinate_linalg::{Complex, Pattern, Scalar};

/// J = ∂(f, g)/∂y at the point where it was evaluated last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Jacobian {
    /// Where J has elements, as the system says.
    own: Arc<Pattern>,
    /// Whether the values are difference quotients, because the system has no derivatives to offer.
    differences: bool,
    /// Whether the pattern is that of the system at hand.
    pattern_known: bool,
    differential: usize,
    /// The elements of J.
    values: Vec<f64>,
    /// Where σ M − J may have elements.
    pattern: Pattern,
    /// The places in `pattern` of the elements of J and of the diagonal.
    places: Vec<u32>,
    diagonal: Vec<u32>,
    scratch: [Vec<f64>; 2],
}

impl Jacobian {
    /// The system may be another one from now on.
    pub fn forget(&mut self) {
        self.pattern_known = false;
    }

    /// Looks at the pattern; whether it is another one than before, so that matrices must be taken anew.
    pub fn look(&mut self, system: &mut dyn System) -> bool {
        if self.pattern_known {
            return false;
        }
        self.pattern_known = true;
        let (n, differential) = (system.layout().states, system.layout().differential());
        let offered = system.jacobian_pattern();
        let differences = offered.is_none();
        if self.pattern.n == n && n > 0 && self.differential == differential && self.differences == differences {
            // Without a pattern of its own a system of the same size has the same one, which need not be made again.
            let same = offered.as_ref().is_none_or(|own| Arc::ptr_eq(own, &self.own) || *own == self.own);
            if same {
                return false;
            }
        }
        let own = offered.unwrap_or_else(|| Arc::new(Pattern::dense(n)));
        let pattern = own.with_diagonal();
        let place = |(i, j): (u32, u32)| {
            pattern.place(i as usize, j as usize).expect("the pattern with the diagonal has all elements") as u32
        };
        self.places = own.elements().map(place).collect();
        self.diagonal = (0..n as u32).map(|i| place((i, i))).collect();
        self.values = vec![0.0; own.len()];
        self.scratch = if differences { [vec![0.0; n], vec![0.0; n]] } else { [Vec::new(), Vec::new()] };
        (self.pattern, self.own, self.differences, self.differential) = (pattern, own, differences, differential);
        true
    }

    /// Where σ M − J may have elements.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Evaluates J; `f` is f(t, y, d).
    pub fn evaluate(
        &mut self,
        system: &mut dyn System,
        (t, y, d): (f64, &[f64], &[f64]),
        f: &[f64],
        work: &mut Work,
    ) -> Result<(), StepFailure> {
        if self.differences {
            self.by_differences(system, (t, y, d), f, work);
        } else {
            system.jacobian(t, y, d, &mut self.values);
        }
        work.jacobian += 1;
        match self.values.iter().position(|value| !value.is_finite()) {
            None => Ok(()),
            Some(k) => Err(StepFailure::NotFinite { t, component: self.own.starts.partition_point(|&s| s <= k) - 1 }),
        }
    }

    /// One column per evaluation of f. Only how fast Newton's method converges depends on these values.
    fn by_differences(
        &mut self,
        system: &mut dyn System,
        (t, y, d): (f64, &[f64], &[f64]),
        f: &[f64],
        work: &mut Work,
    ) {
        let n = y.len();
        let [moved, changed] = &mut self.scratch;
        let largest = y.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
        moved.copy_from_slice(y);
        for j in 0..n {
            let delta = f64::EPSILON.sqrt() * y[j].abs().max(1e-5 * largest).max(f64::MIN_POSITIVE.sqrt());
            moved[j] = y[j] + delta;
            system.derivative(t, moved, d, changed);
            // Beyond the edge of the domain of f: the other side.
            if changed.iter().any(|f| !f.is_finite()) {
                moved[j] = y[j] - delta;
                system.derivative(t, moved, d, changed);
                work.f += 1;
            }
            let width = moved[j] - y[j];
            for i in 0..n {
                self.values[i * n + j] = (changed[i] - f[i]) / width;
            }
            moved[j] = y[j];
        }
        work.f += n as u64;
    }

    /// Whether the elements are difference quotients.
    pub fn is_approximate(&self) -> bool {
        self.differences
    }

    /// Where J has elements.
    pub fn own(&self) -> &Pattern {
        &self.own
    }

    /// The elements of J, in the order of its own pattern.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    pub(super) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// All elements of J, by rows.
    pub fn all_elements(&self, elements: &mut [f64]) {
        let n = self.own.n;
        elements.fill(0.0);
        for i in 0..n {
            self.row(i).for_each(|(j, value)| elements[i * n + j] = value);
        }
    }

    /// σ M − J in the order of [`Jacobian::pattern`].
    pub fn matrix<T: Scalar>(&self, sigma: T, matrix: &mut [T]) {
        matrix.fill(T::default());
        for (&place, &value) in self.places.iter().zip(&self.values) {
            matrix[place as usize] = T::from(-value);
        }
        for &place in &self.diagonal[..self.differential] {
            matrix[place as usize] += sigma;
        }
    }

    /// product = (σ M − J) x
    pub fn shifted(&self, sigma: f64, x: &[f64], product: &mut [f64]) {
        for (i, product) in product.iter_mut().enumerate() {
            let row: f64 = self.row(i).map(|(j, value)| value * x[j]).sum();
            *product = if i < self.differential { sigma * x[i] - row } else { -row };
        }
    }

    /// The same in complex numbers; the product is its real parts, then its imaginary parts.
    pub fn shifted_pair(&self, sigma: Complex, x: &[Complex], product: &mut [f64]) {
        for i in 0..x.len() {
            let row = self.row(i).fold(Complex::default(), |sum, (j, value)| sum + x[j] * value);
            let y = if i < self.differential { sigma * x[i] - row } else { -row };
            (product[i], product[x.len() + i]) = (y.re, y.im);
        }
    }

    /// The columns and values of row i of J.
    fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> {
        let values = &self.values[self.own.starts[i]..self.own.starts[i + 1]];
        self.own.row(i).iter().zip(values).map(|(&j, &value)| (j as usize, value))
    }

    /// Number of states that are not algebraic.
    pub fn differential(&self) -> usize {
        self.differential
    }
}
