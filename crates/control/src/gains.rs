//! Gains and the matrix equations behind them.

use crate::{Complex, ControlError, Matrix};

/// u = −K x that makes ∫ xᵀQx + uᵀRu (or the sum) smallest.
#[derive(Clone, Debug)]
pub struct Lqr {
    /// K, one row per input.
    pub gain: Matrix,
    /// P, with which xᵀPx is the cost from x on.
    pub cost: Matrix,
    /// Eigenvalues of A − BK.
    pub poles: Vec<Complex>,
    /// Relative residual of the Riccati equation.
    pub residual: f64,
}

/// AᵀP + PA − PBR⁻¹BᵀP + Q = 0, stabilising. The weights are full symmetric matrices.
pub fn lqr(_a: &Matrix, _b: &Matrix, _q: &Matrix, _r: &Matrix) -> Result<Lqr, ControlError> {
    todo!()
}

/// The same for x[k + 1] = A x[k] + B u[k].
pub fn dlqr(_a: &Matrix, _b: &Matrix, _q: &Matrix, _r: &Matrix) -> Result<Lqr, ControlError> {
    todo!()
}

/// The stabilising solution of AᵀP + PA − PBR⁻¹BᵀP + Q = 0.
pub fn care(_a: &Matrix, _b: &Matrix, _q: &Matrix, _r: &Matrix) -> Result<Matrix, ControlError> {
    todo!()
}

/// The stabilising solution of P = AᵀPA − AᵀPB(R + BᵀPB)⁻¹BᵀPA + Q.
pub fn dare(_a: &Matrix, _b: &Matrix, _q: &Matrix, _r: &Matrix) -> Result<Matrix, ControlError> {
    todo!()
}

/// A X + X Aᵀ + Q = 0.
pub fn lyapunov(_a: &Matrix, _q: &Matrix) -> Result<Matrix, ControlError> {
    todo!()
}

/// X = A X Aᵀ + Q.
pub fn dlyapunov(_a: &Matrix, _q: &Matrix) -> Result<Matrix, ControlError> {
    todo!()
}

/// A X + X B = C.
pub fn sylvester(_a: &Matrix, _b: &Matrix, _c: &Matrix) -> Result<Matrix, ControlError> {
    todo!()
}

/// K such that A − BK has the given poles, in any order, conjugates in pairs.
pub fn place(_a: &Matrix, _b: &Matrix, _poles: &[Complex]) -> Result<Matrix, ControlError> {
    todo!()
}
