//! Transfer functions.

use crate::coefficients::without_rounding;
use crate::eigen::sort_poles;
use crate::linear::modulus;
use crate::polynomial::{from_roots, roots, value};
use crate::{Complex, ControlError, Matrix, StateSpace};

/// b(s)/a(s), coefficients from the highest power down; a discrete one in z.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfer {
    /// Numerator.
    pub numerator: Vec<f64>,
    /// Denominator, its first coefficient 1.
    pub denominator: Vec<f64>,
    /// The sampling period of a discrete one.
    pub period: Option<f64>,
}

impl Transfer {
    /// The function, normalised: without zeros in front, and with the denominator's first coefficient one. Neither may
    /// the numerator have the higher degree, nor the denominator be zero.
    pub fn new(numerator: &[f64], denominator: &[f64], period: Option<f64>) -> Result<Transfer, ControlError> {
        if !numerator.iter().all(|c| c.is_finite()) {
            return Err(ControlError::NotFinite("the numerator"));
        }
        if !denominator.iter().all(|c| c.is_finite()) {
            return Err(ControlError::NotFinite("the denominator"));
        }
        if period.is_some_and(|h| !(h > 0.0 && h.is_finite())) {
            return Err(ControlError::Shape("a period of sampling is a positive number".into()));
        }
        let Some(first) = denominator.iter().position(|c| *c != 0.0) else {
            return Err(ControlError::Singular("the denominator, which is zero,"));
        };
        let scale = denominator[first];
        let denominator: Vec<f64> = denominator[first..].iter().map(|c| c / scale).collect();
        let begin = numerator.iter().position(|c| *c != 0.0).unwrap_or(numerator.len());
        let mut numerator: Vec<f64> = numerator[begin..].iter().map(|c| c / scale).collect();
        if numerator.is_empty() {
            numerator.push(0.0);
        }
        if numerator.len() > denominator.len() {
            return Err(ControlError::Improper);
        }
        if !numerator.iter().chain(&denominator).all(|c| c.is_finite()) {
            return Err(ControlError::NotFinite("a coefficient divided by the first one of the denominator"));
        }
        Ok(Transfer { numerator, denominator, period })
    }

    /// Roots of the denominator, the rightmost (of a discrete one: the outermost) first.
    pub fn poles(&self) -> Vec<Complex> {
        let mut poles = roots(&self.denominator).unwrap_or_default();
        sort_poles(&mut poles, self.period.is_some());
        poles
    }

    /// Roots of the numerator, in the same order.
    pub fn zeros(&self) -> Vec<Complex> {
        let mut zeros = roots(&self.numerator).unwrap_or_default();
        sort_poles(&mut zeros, self.period.is_some());
        zeros
    }

    /// Its value; infinite at a pole.
    pub fn at(&self, s: Complex) -> Complex {
        let below = value(&self.denominator, s);
        if modulus(below) == 0.0 {
            return Complex::new(f64::INFINITY, 0.0);
        }
        value(&self.numerator, s) / below
    }

    /// The controllable canonical form:
    ///
    /// ```text
    ///       ⎡ −a₁ −a₂ … −aₙ ⎤       ⎡ 1 ⎤
    ///   A = ⎢  1   0  …  0  ⎥   B = ⎢ 0 ⎥   C = (b₁ − b₀a₁, …, bₙ − b₀aₙ)   D = b₀
    ///       ⎣  0   1  …  0  ⎦       ⎣ 0 ⎦
    /// ```
    pub fn state_space(&self) -> Result<StateSpace, ControlError> {
        let n = self.denominator.len() - 1;
        let a = Matrix::from_fn(n, n, |i, j| match i {
            0 => -self.denominator[j + 1],
            _ if i == j + 1 => 1.0,
            _ => 0.0,
        });
        let b = Matrix::from_fn(n, 1, |i, _| if i == 0 { 1.0 } else { 0.0 });
        // as many coefficients as the denominator has
        let mut padded = vec![0.0; n + 1 - self.numerator.len()];
        padded.extend(&self.numerator);
        let c = Matrix::from_fn(1, n, |_, j| padded[j + 1] - padded[0] * self.denominator[j + 1]);
        StateSpace::new(a, b, c, Matrix::diagonal(&[padded[0]]), self.period)
    }
}

impl StateSpace {
    /// Its transfer function, for one input and one output: det(sI − A) below, above it the zeros with the factor that
    /// gives the right value at a point away from all poles and zeros. Coefficients that are only rounding are zero. Nothing
    /// is cancelled; [`StateSpace::minimal`] does.
    pub fn transfer(&self) -> Result<Transfer, ControlError> {
        self.single_channel()?;
        let (poles, zeros) = (self.poles()?, self.zeros()?);
        let reach = poles.iter().chain(&zeros).map(|&z| modulus(z)).fold(0.0, f64::max);
        let point = Complex::new(2.0 * reach + if reach == 0.0 { 1.0 } else { 0.0 }, 0.0);
        let ratio = |roots: &[Complex]| roots.iter().fold(Complex::from(1.0), |p, &root| p * (point - root));
        let gain = (self.at(point)[0][0] * ratio(&poles) / ratio(&zeros)).re;
        let mut numerator: Vec<f64> = from_roots(&zeros).iter().map(|c| c * gain).collect();
        let mut denominator = from_roots(&poles);
        without_rounding(self, &mut numerator, &mut denominator);
        Transfer::new(&numerator, &denominator, self.period)
    }

    /// Whether there is one input and one output.
    pub(crate) fn single_channel(&self) -> Result<(), ControlError> {
        if (self.inputs(), self.outputs()) == (1, 1) {
            return Ok(());
        }
        let sizes = format!("{} inputs and {} outputs where one of each is asked for", self.inputs(), self.outputs());
        Err(ControlError::Shape(sizes))
    }
}
