//! Transmission zeros: A. Emami-Naeini, P. Van Dooren, Automatica 18 (1982) 415–430. Orthogonal transformations take away
//! states that the outputs fix and, in the same way, inputs that the states fix, until D is regular; then the zeros are
//! generalised eigenvalues.
//!
//! ```text
//!   ⎡ A − λI  B ⎤   loses rank at a zero λ
//!   ⎣   C     D ⎦
//! ```

use crate::eigen::{balance, eigenvalues, sort_poles};
use crate::linear::Factors;
use crate::orthogonal::{PivotedQr, singular_values};
use crate::{Complex, ControlError, Matrix, StateSpace};

/// Relative to the size of the system matrix, what is smaller is rounding.
const ROUNDING: f64 = 100.0 * f64::EPSILON;

impl StateSpace {
    /// Transmission zeros (invariant zeros: modes that no input reaches or no output shows are among them), the rightmost
    /// (of a discrete system: the outermost) first.
    pub fn zeros(&self) -> Result<Vec<Complex>, ControlError> {
        let scaled = scaled(self);
        let size = scaled.a.frobenius().max(scaled.b.frobenius()).max(scaled.c.frobenius()).max(scaled.d.frobenius());
        let tolerance = ROUNDING * (self.states() + self.inputs() + self.outputs()) as f64 * size;
        let reduced = reduce(reduce(scaled, tolerance).dual(), tolerance);
        let mut zeros = of_regular(&reduced)?;
        sort_poles(&mut zeros, self.period.is_some());
        Ok(zeros)
    }
}

/// States, inputs and outputs in units that make all parts of one size; by powers of two.
fn scaled(system: &StateSpace) -> StateSpace {
    let (n, inputs, outputs) = (system.states(), system.inputs(), system.outputs());
    let mut whole = Matrix::zero(n + 1, n + 1);
    whole.put(0, 0, &system.a);
    for i in 0..n {
        *whole.at_mut(i, n) = system.b.row(i).iter().fold(0.0, |most: f64, b| most.max(b.abs()));
        *whole.at_mut(n, i) = (0..outputs).fold(0.0, |most: f64, k| most.max(system.c.at(k, i).abs()));
    }
    let units = balance(&mut whole);
    let a = Matrix::from_fn(n, n, |i, j| system.a.at(i, j) * (units[j] / units[i]));
    let mut b = Matrix::from_fn(n, inputs, |i, j| system.b.at(i, j) / units[i]);
    let mut c = Matrix::from_fn(outputs, n, |i, j| system.c.at(i, j) * units[j]);
    let mut d = system.d.clone();
    let size = if a.largest() == 0.0 { 1.0 } else { a.largest() };
    let power = |found: f64| if found == 0.0 { 1.0 } else { 2f64.powi((size / found).log2().round() as i32) };
    for j in 0..inputs {
        let most =
            (0..n).map(|i| b.at(i, j)).chain((0..outputs).map(|i| d.at(i, j))).fold(0.0, |m: f64, x| m.max(x.abs()));
        let f = power(most);
        (0..n).for_each(|i| *b.at_mut(i, j) *= f);
        (0..outputs).for_each(|i| *d.at_mut(i, j) *= f);
    }
    for i in 0..outputs {
        let most = c.row(i).iter().chain(d.row(i)).fold(0.0, |m: f64, x| m.max(x.abs()));
        let f = power(most);
        c.row_mut(i).iter_mut().for_each(|x| *x *= f);
        d.row_mut(i).iter_mut().for_each(|x| *x *= f);
    }
    StateSpace { a, b, c, d, period: system.period }
}

fn rank(m: &Matrix, tolerance: f64) -> usize {
    singular_values(m).unwrap_or_default().iter().filter(|&&value| value > tolerance).count()
}

/// A system with the same zeros whose D has full row rank.
fn reduce(mut system: StateSpace, tolerance: f64) -> StateSpace {
    loop {
        let (n, inputs, outputs) = (system.states(), system.inputs(), system.outputs());
        // U D = (D₁; 0), U C = (C₁; C₂)
        let top = rank(&system.d, tolerance);
        if top == outputs {
            return system;
        }
        let rows = PivotedQr::new(&system.d);
        let (mut c, mut d) = (system.c, system.d);
        rows.apply_left(&mut c, 0);
        rows.apply_left(&mut d, 0);
        let (c1, d1) = (c.block(0..top, 0..n), d.block(0..top, 0..inputs));
        let c2 = c.block(top..outputs, 0..n);
        // C₂ x = 0 fixes some states, and their derivatives become outputs
        let fixed = rank(&c2, tolerance);
        if fixed == 0 {
            return StateSpace { a: system.a, b: system.b, c: c1, d: d1, period: system.period };
        }
        let columns = PivotedQr::new(&c2.transposed());
        let (mut a, mut b, mut c1) = (system.a, system.b, c1);
        columns.apply_left(&mut a, 0);
        columns.apply_right(&mut a, 0);
        columns.apply_left(&mut b, 0);
        columns.apply_right(&mut c1, 0);
        system = StateSpace {
            a: a.block(fixed..n, fixed..n),
            b: b.block(fixed..n, 0..inputs),
            c: c1.block(0..top, fixed..n).above(&a.block(0..fixed, fixed..n)),
            d: d1.above(&b.block(0..fixed, 0..inputs)),
            period: system.period,
        };
    }
}

/// The zeros of a system with a regular D: (C, D)Z = (R, 0) with an orthogonal Z leaves λE − A with a regular E.
fn of_regular(system: &StateSpace) -> Result<Vec<Complex>, ControlError> {
    let (n, inputs) = (system.states(), system.inputs());
    if n == 0 || system.outputs() != inputs {
        // A transfer matrix without full rank for any λ has no isolated zeros beside those that the reduction left.
        return Ok(Vec::new());
    }
    let failed = || ControlError::Inaccurate("the zeros", f64::NAN);
    if inputs == 0 {
        return eigenvalues(&system.a).ok_or_else(failed);
    }
    let qr = PivotedQr::new(&system.c.beside(&system.d).transposed());
    let mut z = Matrix::identity(n + inputs);
    qr.apply_right(&mut z, 0);
    let a = &system.a.beside(&system.b) * &z.block(0..n + inputs, inputs..n + inputs);
    let e = z.block(0..n, inputs..n + inputs);
    let mut factors = Factors::new(&e).ok_or_else(failed)?;
    eigenvalues(&factors.solve(&a)).ok_or_else(failed)
}
