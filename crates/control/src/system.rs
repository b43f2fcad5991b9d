//! State space.

use crate::eigen::{eigenvalues, sort_poles};
use crate::linear::ComplexMatrix;
use crate::staircase::Staircase;
use crate::sylvester::{finite, square};
use crate::{Complex, ControlError, Matrix};

/// x′ = A x + B u, y = C x + D u; with a sampling period x[k + 1] = A x[k] + B u[k].
#[derive(Clone, Debug, PartialEq)]
pub struct StateSpace {
    /// n × n.
    pub a: Matrix,
    /// n × inputs.
    pub b: Matrix,
    /// outputs × n.
    pub c: Matrix,
    /// outputs × inputs.
    pub d: Matrix,
    /// The sampling period of a discrete system.
    pub period: Option<f64>,
}

impl StateSpace {
    /// The system, if the sizes fit and all numbers are finite.
    pub fn new(a: Matrix, b: Matrix, c: Matrix, d: Matrix, period: Option<f64>) -> Result<StateSpace, ControlError> {
        square(&a, "A")?;
        let n = a.rows();
        if b.rows() != n {
            return Err(ControlError::Shape(format!("B has {} rows, A has {n}", b.rows())));
        }
        if c.columns() != n {
            return Err(ControlError::Shape(format!("C has {} columns, A has {n}", c.columns())));
        }
        if (d.rows(), d.columns()) != (c.rows(), b.columns()) {
            return Err(ControlError::Shape(format!(
                "D is {} × {}, for {} outputs and {} inputs",
                d.rows(),
                d.columns(),
                c.rows(),
                b.columns()
            )));
        }
        finite(&[(&a, "A"), (&b, "B"), (&c, "C"), (&d, "D")])?;
        if period.is_some_and(|h| !(h > 0.0 && h.is_finite())) {
            return Err(ControlError::Shape("a period of sampling is a positive number".into()));
        }
        Ok(StateSpace { a, b, c, d, period })
    }

    /// y = D u
    pub fn gain(d: Matrix, period: Option<f64>) -> Result<StateSpace, ControlError> {
        let (outputs, inputs) = (d.rows(), d.columns());
        StateSpace::new(Matrix::zero(0, 0), Matrix::zero(0, inputs), Matrix::zero(outputs, 0), d, period)
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.a.rows()
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.b.columns()
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.c.rows()
    }

    /// One input and one output of it.
    pub fn channel(&self, output: usize, input: usize) -> StateSpace {
        let n = self.states();
        StateSpace {
            a: self.a.clone(),
            b: self.b.block(0..n, input..input + 1),
            c: self.c.block(output..output + 1, 0..n),
            d: self.d.block(output..output + 1, input..input + 1),
            period: self.period,
        }
    }

    /// Eigenvalues of A, the rightmost (of a discrete system: the outermost) first.
    pub fn poles(&self) -> Result<Vec<Complex>, ControlError> {
        let mut poles = eigenvalues(&self.a).ok_or(ControlError::Inaccurate("the eigenvalues of A", f64::NAN))?;
        sort_poles(&mut poles, self.period.is_some());
        Ok(poles)
    }

    /// Whether all poles are inside the region of stability.
    pub fn is_stable(&self) -> Result<bool, ControlError> {
        let inside = |p: &Complex| if self.period.is_some() { p.re.hypot(p.im) < 1.0 } else { p.re < 0.0 };
        Ok(self.poles()?.iter().all(inside))
    }

    /// C(sI − A)⁻¹B + D at s (at z of a discrete system), by rows; infinite at a pole.
    pub fn at(&self, s: Complex) -> Vec<Vec<Complex>> {
        let (outputs, inputs) = (self.outputs(), self.inputs());
        let mut values: Vec<Vec<Complex>> =
            (0..outputs).map(|i| self.d.row(i).iter().map(|&d| d.into()).collect()).collect();
        let Some(mut lu) = ComplexMatrix::resolvent(&self.a, s).factors() else {
            return self.by_channels(s);
        };
        for j in 0..inputs {
            let mut x: Vec<Complex> = (0..self.states()).map(|i| self.b.at(i, j).into()).collect();
            lu.solve(&mut x);
            for (i, row) in values.iter_mut().enumerate() {
                row[j] += self.c.row(i).iter().zip(&x).fold(Complex::default(), |sum, (&c, &x)| sum + x * c);
            }
        }
        values
    }

    /// At a pole: channels in which it is cancelled have a value.
    fn by_channels(&self, s: Complex) -> Vec<Vec<Complex>> {
        let value = |i: usize, j: usize| {
            let channel = self.channel(i, j).minimal();
            let infinite = Complex::new(f64::INFINITY, 0.0);
            match ComplexMatrix::resolvent(&channel.a, s).factors() {
                None => infinite,
                Some(mut lu) => {
                    let mut x: Vec<Complex> = channel.b.elements().iter().map(|&b| b.into()).collect();
                    lu.solve(&mut x);
                    let sum = channel.c.elements().iter().zip(&x).fold(Complex::default(), |sum, (&c, &x)| sum + x * c);
                    sum + channel.d.at(0, 0).into()
                }
            }
        };
        (0..self.outputs()).map(|i| (0..self.inputs()).map(|j| value(i, j)).collect()).collect()
    }

    /// The part that the inputs reach and the outputs show, with the same transfer matrix.
    pub fn minimal(&self) -> StateSpace {
        let reached = |system: &StateSpace| {
            let form = Staircase::new(&system.a, &system.b);
            let (rank, inputs) = (form.rank(), system.inputs());
            StateSpace {
                a: form.a.block(0..rank, 0..rank),
                b: form.b.block(0..rank, 0..inputs),
                c: (&system.c * &form.t).block(0..system.outputs(), 0..rank),
                d: system.d.clone(),
                period: system.period,
            }
        };
        reached(&reached(self).dual()).dual()
    }

    /// Inputs and outputs exchanged: Aᵀ, Cᵀ, Bᵀ, Dᵀ.
    pub fn dual(&self) -> StateSpace {
        StateSpace {
            a: self.a.transposed(),
            b: self.c.transposed(),
            c: self.b.transposed(),
            d: self.d.transposed(),
            period: self.period,
        }
    }
}
