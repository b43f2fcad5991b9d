//! Systems connected: one after the other, beside each other, in a loop; and gramians.

use crate::linear::Factors;
use crate::sylvester::{dlyapunov, lyapunov};
use crate::{Complex, ControlError, Matrix, StateSpace};

impl StateSpace {
    /// First self, then the other.
    pub fn series(&self, next: &StateSpace) -> Result<StateSpace, ControlError> {
        let period = common_period(self, next)?;
        if next.inputs() != self.outputs() {
            return Err(ControlError::Shape(format!("{} outputs feed {} inputs", self.outputs(), next.inputs())));
        }
        let (n, m) = (self.states(), next.states());
        let mut a = diagonal_blocks(&self.a, &next.a);
        a.put(n, 0, &(&next.b * &self.c));
        let b = self.b.above(&(&next.b * &self.d));
        let c = (&next.d * &self.c).beside(&next.c);
        debug_assert_eq!(a.rows(), n + m);
        StateSpace::new(a, b, c, &next.d * &self.d, period)
    }

    /// Both beside each other, outputs added.
    pub fn parallel(&self, other: &StateSpace) -> Result<StateSpace, ControlError> {
        let period = common_period(self, other)?;
        if (self.inputs(), self.outputs()) != (other.inputs(), other.outputs()) {
            return Err(ControlError::Shape(format!(
                "{} outputs of {} inputs beside {} of {}",
                self.outputs(),
                self.inputs(),
                other.outputs(),
                other.inputs()
            )));
        }
        let a = diagonal_blocks(&self.a, &other.a);
        StateSpace::new(a, self.b.above(&other.b), self.c.beside(&other.c), &self.d + &other.d, period)
    }

    /// self with `back` from its outputs to its inputs: u = r − back·y.
    ///
    /// ```text
    ///   E = (I + D_b D)⁻¹:   u = E (r − C_b x_b − D_b C x)
    /// ```
    ///
    /// An algebraic loop for which I + D_b D is singular has no solution.
    pub fn feedback(&self, back: &StateSpace) -> Result<StateSpace, ControlError> {
        let period = common_period(self, back)?;
        if (back.inputs(), back.outputs()) != (self.outputs(), self.inputs()) {
            return Err(ControlError::Shape(format!(
                "{} outputs of {} inputs are fed back by {} outputs of {} inputs",
                self.outputs(),
                self.inputs(),
                back.outputs(),
                back.inputs()
            )));
        }
        let loop_gain = &Matrix::identity(self.inputs()) + &(&back.d * &self.d);
        let mut factors = Factors::new(&loop_gain).ok_or(ControlError::Singular("the algebraic loop (I + D·D)"))?;
        // u = E r − E D_b C x − E C_b x_b
        let e = factors.solve(&Matrix::identity(self.inputs()));
        let from_x = -&factors.solve(&(&back.d * &self.c));
        let from_back = -&factors.solve(&back.c);
        let c = (&self.c + &(&self.d * &from_x)).beside(&(&self.d * &from_back));
        let top = (&self.a + &(&self.b * &from_x)).beside(&(&self.b * &from_back));
        let n = self.states();
        let d = &self.d * &e;
        let bottom = (&back.b * &c.block(0..c.rows(), 0..n))
            .beside(&(&back.a + &(&back.b * &c.block(0..c.rows(), n..n + back.states()))));
        StateSpace::new(top.above(&bottom), (&self.b * &e).above(&(&back.b * &d)), c, d, period)
    }

    /// Controllability and observability gramians of a stable system.
    ///
    /// ```text
    ///   A W + W Aᵀ + B Bᵀ = 0,  Aᵀ M + M A + CᵀC = 0        W = A W Aᵀ + B Bᵀ,  M = Aᵀ M A + CᵀC
    /// ```
    pub fn gramians(&self) -> Result<(Matrix, Matrix), ControlError> {
        let size = |p: &Complex| if self.period.is_some() { p.re.hypot(p.im) - 1.0 } else { p.re };
        let poles = self.poles()?;
        if let Some(worst) = poles.iter().max_by(|a, b| size(a).total_cmp(&size(b))).filter(|worst| size(worst) >= 0.0)
        {
            return Err(ControlError::Unstable(*worst));
        }
        let (bb, cc) = (&self.b * &self.b.transposed(), &self.c.transposed() * &self.c);
        let at = self.a.transposed();
        match self.period {
            None => Ok((lyapunov(&self.a, &bb.symmetrised())?, lyapunov(&at, &cc.symmetrised())?)),
            Some(_) => Ok((dlyapunov(&self.a, &bb.symmetrised())?, dlyapunov(&at, &cc.symmetrised())?)),
        }
    }
}

fn diagonal_blocks(a: &Matrix, b: &Matrix) -> Matrix {
    let (n, m) = (a.rows(), b.rows());
    let mut whole = Matrix::zero(n + m, n + m);
    whole.put(0, 0, a);
    whole.put(n, n, b);
    whole
}

/// The period of both; a system without states fits any.
fn common_period(one: &StateSpace, other: &StateSpace) -> Result<Option<f64>, ControlError> {
    if one.period == other.period || other.states() == 0 {
        return Ok(one.period);
    }
    if one.states() == 0 {
        return Ok(other.period);
    }
    let text = |period: Option<f64>| period.map_or("continuous".into(), |h| format!("sampled every {h}"));
    Err(ControlError::Shape(format!(
        "one system is {}, the other {}: discretise one of them",
        text(one.period),
        text(other.period)
    )))
}
