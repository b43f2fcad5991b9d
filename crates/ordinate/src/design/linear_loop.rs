//! A linear plant with its linear controller, cut open at the plant's inputs and closed again.
//!
//! ```text
//!   s′ = a s + b v + e r        s: states of the plant, then of the controller
//!   w  = −k s − d v + f r       what the controller asks for
//!   v  = w                      closes it
//! ```
//!
//! With a period s′ is the next sample.

use ordinate_control::{Complex, ControlError, Margins, Matrix, StateSpace, eigenvalues, margins};

/// The loop; see above.
#[derive(Clone, Debug)]
pub(super) struct LinearLoop {
    pub a: Matrix,
    pub b: Matrix,
    pub k: Matrix,
    /// Only a loop of one input has it.
    pub d: f64,
    /// How a reference acts, where there is one.
    pub reference: Option<Reference>,
    pub period: Option<f64>,
}

/// How a reference acts, and the output that follows it: y = c s + h v.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    pub e: Matrix,
    pub f: Matrix,
    pub c: Matrix,
    pub h: Matrix,
}

impl LinearLoop {
    /// The matrix of the closed loop: a − b k/(1 + d).
    pub fn closed(&self) -> Result<Matrix, ControlError> {
        if self.d == -1.0 {
            return Err(ControlError::Singular("the algebraic loop"));
        }
        Ok(&self.a - &(&self.b * &self.k).scaled(1.0 / (1.0 + self.d)))
    }

    /// Its poles, the rightmost (outermost) first.
    pub fn poles(&self) -> Result<Vec<Complex>, ControlError> {
        let mut poles = eigenvalues(&self.closed()?).ok_or(ControlError::NotFinite("the closed loop"))?;
        let size = |p: &Complex| if self.period.is_some() { p.re.hypot(p.im) } else { p.re };
        poles.sort_by(|p, q| size(q).total_cmp(&size(p)).then(q.im.total_cmp(&p.im)));
        Ok(poles)
    }

    /// A pole in s, whatever the loop is in.
    pub fn rate(&self, pole: Complex) -> Complex {
        match self.period {
            None => pole,
            Some(period) => Complex::new(pole.re.hypot(pole.im).ln() / period, pole.im.atan2(pole.re) / period),
        }
    }

    /// The loop cut at one input, the others closed: what comes back is −1 times what goes in where the loop is closed.
    pub fn open(&self, input: usize) -> StateSpace {
        let n = self.a.rows();
        let mut a = self.a.clone();
        for other in (0..self.b.columns()).filter(|&other| other != input) {
            for i in 0..n {
                for j in 0..n {
                    *a.at_mut(i, j) -= self.b.at(i, other) * self.k.at(other, j);
                }
            }
        }
        let b = Matrix::from_elements(n, 1, (0..n).map(|i| self.b.at(i, input)).collect());
        let c = Matrix::from_elements(1, n, self.k.row(input).to_vec());
        StateSpace { a, b, c, d: Matrix::diagonal(&[self.d]), period: self.period }
    }

    /// Margins at one input.
    pub fn margins(&self, input: usize) -> Result<Margins, ControlError> {
        margins(&self.open(input))
    }

    /// From the reference to its output.
    pub fn following(&self) -> Result<Option<StateSpace>, ControlError> {
        let Some(Reference { e, f, c, h }) = &self.reference else { return Ok(None) };
        let share = 1.0 / (1.0 + self.d);
        let (f, k) = (f.scaled(share), self.k.scaled(share));
        Ok(Some(StateSpace {
            a: self.closed()?,
            b: e + &(&self.b * &f),
            c: c - &(h * &k),
            d: h * &f,
            period: self.period,
        }))
    }
}
