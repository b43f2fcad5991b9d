//! The three reductions of P. Veigend's thesis (Brno 2023), section 2.6, and what their states mean at the start.
//!
//! Zero states of [`mdorav`] and [`msi`] mean *rest before the start*: z and y were zero until then. So y may begin
//! with a jump, y(0) = bₙ z(0), y′(0) = bₙ z′(0) + (bₙ₋₁ − aₙ₋₁ bₙ) z(0), … (aₙ = 1).

use super::Realisation;
use super::realisation::dot;
use crate::sort::solve_block;
use ordinate_expr::{ExprId, Graph, VarId};

/// The right-hand side has the higher derivative: y would hold derivatives of z, which a state cannot give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Improper {
    /// m
    pub numerator: usize,
    /// n
    pub denominator: usize,
}

/// aₖ/aₙ for k < n, and bₖ/aₙ filled up to k = n.
fn normal(g: &mut Graph, a: &[ExprId], b: &[ExprId]) -> Result<(Vec<ExprId>, Vec<ExprId>), Improper> {
    let n = a.len() - 1;
    if b.len() > a.len() {
        return Err(Improper { numerator: b.len() - 1, denominator: n });
    }
    let zero = g.integer(0);
    let (lower, mut b) = (over(g, &a[..n], a[n]), over(g, b, a[n]));
    b.resize(n + 1, zero);
    Ok((lower, b))
}

/// The coefficients divided by the leading one, which is not zero; so a zero stays what it is.
fn over(g: &mut Graph, list: &[ExprId], leading: ExprId) -> Vec<ExprId> {
    let zero = g.integer(0);
    list.iter().map(|&c| if c == zero { zero } else { g.div(c, leading) }).collect()
}

/// The rows of a chain x₁′ = x₂, x₂′ = x₃, …, whose last one is −a.
fn chain(g: &mut Graph, a: &[ExprId]) -> Vec<Vec<ExprId>> {
    let n = a.len();
    let mut matrix = unit_rows(g, n, |i| Some(i + 1).filter(|&j| j < n));
    if let Some(last) = matrix.last_mut() {
        *last = a.iter().map(|&c| g.neg(c)).collect();
    }
    matrix
}

/// Rows with a one in the given column and zeros elsewhere.
fn unit_rows(g: &mut Graph, n: usize, column: impl Fn(usize) -> Option<usize>) -> Vec<Vec<ExprId>> {
    let (zero, one) = (g.integer(0), g.integer(1));
    (0..n).map(|i| (0..n).map(|j| if column(i) == Some(j) { one } else { zero }).collect()).collect()
}

/// Method of derivative order reduction (2.21): the states are y, y′, …, y⁽ⁿ⁻¹⁾, so start values are states. Derivatives
/// of z enter as they are, so z must have them. The last of `a` is not zero.
///
/// ```text
///   y⁽ⁿ⁾ = Σ bⱼ z⁽ʲ⁾ − Σ aₖ y⁽ᵏ⁾        k < n
/// ```
pub fn mdor(g: &mut Graph, a: &[ExprId], b: &[ExprId]) -> Realisation {
    let n = a.len() - 1;
    let (zero, one) = (g.integer(0), g.integer(1));
    let (lower, forcing) = (over(g, &a[..n], a[n]), over(g, b, a[n]));
    let mut input = vec![vec![zero; b.len()]; n];
    if let Some(last) = input.last_mut() {
        last.clone_from(&forcing);
    }
    let output = (0..n).map(|k| if k == 0 { one } else { zero }).collect();
    let direct = if n == 0 { forcing } else { vec![zero; b.len()] };
    Realisation { matrix: chain(g, &lower), input, output, direct }
}

/// Method of derivative order reduction with an additional variable (2.26), (2.27): the states are v, v′, …, v⁽ⁿ⁻¹⁾.
/// The last of `a` is not zero.
///
/// ```text
///   v⁽ⁿ⁾ = z − Σ aₖ v⁽ᵏ⁾,   y = Σ bₖ v⁽ᵏ⁾ = Σ (bₖ − aₖ bₙ) v⁽ᵏ⁾ + bₙ z        k < n
/// ```
pub fn mdorav(g: &mut Graph, a: &[ExprId], b: &[ExprId]) -> Result<Realisation, Improper> {
    let (a, b) = normal(g, a, b)?;
    let n = a.len();
    let (zero, one) = (g.integer(0), g.integer(1));
    let input = (0..n).map(|k| vec![if k + 1 == n { one } else { zero }]).collect();
    Ok(Realisation { matrix: chain(g, &a), input, output: residues(g, &a, &b), direct: vec![b[n]] })
}

/// Method of successive integration (2.30), (2.31): the states are v₁ … vₙ. The last of `a` is not zero.
///
/// ```text
///   vₖ₊₁′ = bₖ z − aₖ y + vₖ = (bₖ − aₖ bₙ) z − aₖ vₙ + vₖ,   v₀ = 0
///   y     = bₙ z + vₙ                                            k < n
/// ```
pub fn msi(g: &mut Graph, a: &[ExprId], b: &[ExprId]) -> Result<Realisation, Improper> {
    let (a, b) = normal(g, a, b)?;
    let n = a.len();
    let (zero, one) = (g.integer(0), g.integer(1));
    let mut matrix = unit_rows(g, n, |i| i.checked_sub(1));
    for (row, &c) in matrix.iter_mut().zip(&a) {
        row[n - 1] = g.sub(row[n - 1], c);
    }
    let input = residues(g, &a, &b).into_iter().map(|gain| vec![gain]).collect();
    let output = (0..n).map(|k| if k + 1 == n { one } else { zero }).collect();
    Ok(Realisation { matrix, input, output, direct: vec![b[n]] })
}

/// bₖ − aₖ bₙ for k < n.
fn residues(g: &mut Graph, a: &[ExprId], b: &[ExprId]) -> Vec<ExprId> {
    let n = a.len();
    (0..n)
        .map(|k| {
            let product = g.mul(a[k], b[n]);
            g.sub(b[k], product)
        })
        .collect()
}

/// The states of [`msi`] that mean the start values y, y′, …, y⁽ⁿ⁻¹⁾ under an input with derivatives z, z′, …: (2.30)
/// solved for v. Derivatives of z that are not given count as zero.
///
/// ```text
///   vₖ = y⁽ⁿ⁻ᵏ⁾ − bₙ z⁽ⁿ⁻ᵏ⁾ − Σ (bⱼ z⁽ʲ⁻ᵏ⁾ − aⱼ y⁽ʲ⁻ᵏ⁾)        j = k … n−1
/// ```
pub fn msi_start(
    g: &mut Graph,
    a: &[ExprId],
    b: &[ExprId],
    y: &[ExprId],
    z: &[ExprId],
) -> Result<Vec<ExprId>, Improper> {
    let (mut a, b) = normal(g, a, b)?;
    let n = a.len();
    a.push(g.integer(1));
    Ok((1..=n)
        .map(|k| {
            let kept = dot(g, &a[k..], y);
            let given = dot(g, &b[k..], z);
            g.sub(kept, given)
        })
        .collect())
}

/// The states of [`mdorav`] that mean the start values y, y′, …, y⁽ⁿ⁻¹⁾ under an input with derivatives z, z′, …;
/// `None` where they do not follow: numerator and denominator have a common root, or n is more than 8.
pub fn mdorav_start(
    g: &mut Graph,
    a: &[ExprId],
    b: &[ExprId],
    y: &[ExprId],
    z: &[ExprId],
) -> Result<Option<Vec<ExprId>>, Improper> {
    let realisation = mdorav(g, a, b)?;
    // names of their own for the unknowns: no model has so many variables
    let unknowns: Vec<VarId> = (0..realisation.order() as u32).map(|k| VarId(u32::MAX - k)).collect();
    let x: Vec<ExprId> = unknowns.iter().map(|&v| g.variable(v)).collect();
    let values = realisation.start_values(g, &x, z);
    let equations: Vec<(ExprId, ExprId)> = values.into_iter().zip(y.iter().copied()).collect();
    let none = Default::default();
    let Ok(solution) = solve_block(g, &equations, &unknowns, &none) else { return Ok(None) };
    Ok(Some(unknowns.iter().filter_map(|v| solution.iter().find(|(w, _)| w == v)).map(|&(_, e)| e).collect()))
}

/// A power of two near the largest root of Σ aᵢ sⁱ, from the bound |s| ≤ 2 max |aₖ/aₙ|^(1/(n−k)) (Fujiwara, Tôhoku Math.
/// J. 10 (1916) 167–171): with vₖ = ωⁿ⁻ᵏ wₖ no element of the matrix of [`msi`] is much larger than ω.
pub fn time_scale(a: &[f64]) -> f64 {
    let n = a.len() - 1;
    let size = |k: usize| (a[k] / a[n]).abs().powf(1.0 / (n - k) as f64);
    let largest = (0..n).map(size).fold(0.0, f64::max);
    if largest > 0.0 && largest.is_finite() { largest.log2().round().exp2() } else { 1.0 }
}
