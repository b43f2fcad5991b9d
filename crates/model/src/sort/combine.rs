//! Where the structure promises more than the equations hold: rows of the Jacobian of the highest derivatives that depend
//! on each other whatever the values, as in `x' + y' = a, x' + y' = b`. Then a combination of the equations is free of
//! these derivatives and takes the place of one of them (the linear combination method of Tan, Nedialkov and Pryce,
//! "Conversion methods for improving structural analysis of differential-algebraic equation systems", BIT 57 (2017)):
//!
//! ```text
//!   Jᵢⱼ = ∂fᵢ/∂yⱼ⁽ᵈʲ⁻ᶜⁱ⁾,   Σ λᵢ Jᵢⱼ = 0,   c = min cᵢ over λᵢ ≠ 0:      f_l ← Σ λᵢ fᵢ⁽ᶜⁱ⁻ᶜ⁾,   c_l = c
//! ```
//!
//! λ comes from minors, so it is exact, and may depend on time and on derivatives below yⱼ⁽ᵈʲ⁻ᶜ⁾. Each replacement
//! lowers the degrees of freedom that the structure promises, so it ends.

use super::blocks::Singular;
use super::differentiate::total;
use super::linear::{MAX_CORE, Minors};
use super::probe::{Dependent, dependent_rows, value};
use super::reduce::{Line, System, members};
use super::report;
use crate::{Model, Role};
use ordinate_expr::{ExprId, VarId};
use ordinate_syntax::Diagnostic;
use rustc_hash::FxHashMap;

/// Replaces a line so that the block is not singular for the same reason again.
pub(super) fn combine(
    model: &mut Model,
    lines: &mut [Line],
    system: &System,
    block: &Singular,
) -> Result<(), Diagnostic> {
    let fail = |model: &Model| {
        let equations: Vec<usize> = block.lines.iter().map(|&e| system.lines[e].equation).collect();
        report::singular(model, &equations, &block.unknowns)
    };
    let rows: Option<Vec<usize>> = block.lines.iter().map(|&e| system.base[e]).collect();
    let mut position = vec![0; model.quantities.len()];
    system.quantities.iter().enumerate().for_each(|(j, &quantity)| position[quantity] = j);
    let columns: Vec<usize> = block.unknowns.iter().map(|&v| position[model.variable(v).quantity]).collect();
    let Some(rows) = rows else { return Err(fail(model)) };
    let work = Work { system, rows, columns };
    match work.combination(model, lines) {
        Some((at, new)) => {
            let free = model.graph.variables(new).into_iter().any(|v| model.variable(v).role == Role::Unknown);
            if !free || vanishes(model, new) {
                return Err(fail(model));
            }
            lines[at] = Line { left: new, right: model.graph.integer(0), ..lines[at] };
            Ok(())
        }
        None => Err(fail(model)),
    }
}

/// Whether an expression is zero wherever one looks.
fn vanishes(model: &mut Model, e: ExprId) -> bool {
    let mut defined = 0;
    for point in 0..6 {
        match value(&mut model.graph, e, &model.values, point) {
            Some(value) if value.abs() > 1e-9 => return false,
            Some(_) => defined += 1,
            None => {}
        }
    }
    defined > 0
}

struct Work<'a> {
    system: &'a System,
    /// Lines before differentiation.
    rows: Vec<usize>,
    /// Positions of quantities.
    columns: Vec<usize>,
}

impl Work<'_> {
    /// The line to replace and what is zero in its place.
    fn combination(&self, model: &mut Model, lines: &[Line]) -> Option<(usize, ExprId)> {
        let offsets = &self.system.offsets;
        let mut jacobian = Vec::with_capacity(self.rows.len());
        for &i in &self.rows {
            let residual = model.graph.sub(lines[i].left, lines[i].right);
            let mut row = Vec::with_capacity(self.columns.len());
            for &j in &self.columns {
                let entry = match offsets.d[j].checked_sub(offsets.c[i]) {
                    Some(order) => {
                        let v = members(model, self.system.quantities[j], order)[order as usize];
                        model.graph.partial(residual, v)
                    }
                    None => model.graph.integer(0),
                };
                row.push(entry);
            }
            jacobian.push(row);
        }
        let found = dependent_rows(&mut model.graph, &jacobian, &model.values)?;
        let lambda = multipliers(model, &jacobian, &found)?;
        let support: Vec<usize> = lambda.iter().map(|&(k, _)| self.rows[k]).collect();
        let c = support.iter().map(|&i| offsets.c[i]).min()?;
        // yⱼ at the order that cancels
        let mut cancelled: FxHashMap<VarId, u32> = FxHashMap::default();
        for &j in &self.columns {
            if let Some(order) = offsets.d[j].checked_sub(c) {
                cancelled.insert(members(model, self.system.quantities[j], order)[order as usize], order);
            }
        }
        for &(k, factor) in &lambda {
            let entries = jacobian[k].iter().copied().chain([factor]);
            if entries.into_iter().any(|e| self.too_high(model, e, c)) {
                return None;
            }
        }
        let zero = model.graph.integer(0);
        let mut sum = zero;
        for &(k, factor) in &lambda {
            let i = self.rows[k];
            let mut residual = model.graph.sub(lines[i].left, lines[i].right);
            for _ in c..offsets.c[i] {
                residual = total(model, residual);
            }
            let rest = model.graph.substitute(residual, |v| cancelled.contains_key(&v).then_some(zero));
            let product = model.graph.mul(factor, rest);
            sum = model.graph.add(sum, product);
        }
        // the one that was written last: it repeats the others
        let at = support.iter().copied().filter(|&i| offsets.c[i] == c).max()?;
        Some((at, sum))
    }

    /// Whether an expression has a derivative yⱼ⁽ᵈʲ⁻ᶜ⁾ or a higher one: then the combination does not free of it.
    fn too_high(&self, model: &mut Model, e: ExprId, c: u32) -> bool {
        let offsets = &self.system.offsets;
        let mut position: FxHashMap<usize, usize> = FxHashMap::default();
        position.extend(self.system.quantities.iter().enumerate().map(|(j, &quantity)| (quantity, j)));
        model.graph.variables(e).into_iter().any(|v| {
            let variable = model.variable(v);
            let d = position.get(&variable.quantity).map(|&j| offsets.d[j]);
            variable.role == Role::Unknown && d.is_some_and(|d| variable.primes + c >= d)
        })
    }
}

/// (row, λ) with Σ λᵢ Jᵢⱼ = 0: with B the independent rows in their columns,
///
/// ```text
///   λ_row = det B,   λₖ = −det(B with row k replaced by the dependent one)
/// ```
fn multipliers(model: &mut Model, jacobian: &[Vec<ExprId>], found: &Dependent) -> Option<Vec<(usize, ExprId)>> {
    let n = found.others.len();
    if n > MAX_CORE {
        return None;
    }
    let part = |row: usize| -> Vec<ExprId> { found.columns.iter().map(|&j| jacobian[row][j]).collect() };
    let square: Vec<Vec<ExprId>> = found.others.iter().map(|&row| part(row)).collect();
    let g = &mut model.graph;
    let mut lambda = vec![(found.row, Minors::new(&square, n).determinant(g))];
    for (k, &row) in found.others.iter().enumerate() {
        let mut replaced = square.clone();
        replaced[k] = part(found.row);
        let determinant = Minors::new(&replaced, n).determinant(g);
        lambda.push((row, g.neg(determinant)));
    }
    Some(lambda)
}
