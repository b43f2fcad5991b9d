//! Where the structure promises more than the equations hold: rows of the Jacobian of the highest derivatives that depend
//! on each other whatever the values, as in `x' + y' = a, x' + y' = b`. Then a combination of the equations is free of
//! these derivatives and takes the place of one of them (the linear combination method of Tan, Nedialkov and Pryce,
//! "Conversion methods for improving structural analysis of differential-algebraic equation systems", BIT 57 (2017)):
//!
//! ```text
//!   Jᵢⱼ = ∂fᵢ/∂yⱼ⁽ᵈʲ⁻ᶜⁱ⁾,   Σ λᵢ Jᵢⱼ = 0,   c = min cᵢ over λᵢ ≠ 0:      f_l ← Σ λᵢ fᵢ⁽ᶜⁱ⁻ᶜ⁾,   c_l = c
//! ```
//!
//! λ is exact, and may depend on time and on derivatives below yⱼ⁽ᵈʲ⁻ᶜ⁾. The line that is replaced has a constant λ where
//! that can be: what takes its place says as much as it did, while t·f = 0 says nothing at t = 0. Each replacement lowers
//! the degrees of freedom that the structure promises, so it ends. It does so only where what cancels is gone: a coefficient
//! of 1e-17 that rounding leaves would be a variable that the line determines. So numbers are exact on the way, and what is
//! left of a variable is looked at.

use super::blocks::Singular;
use super::differentiate::total;
use super::linear::{MAX_CORE, Minors};
use super::proof::{Dependent, Known, dependent_rows, divisor, vanishes};
use super::reduce::{Line, System, members};
use super::report;
use super::vanishing::{mark_if_by_value, tidy};
use crate::{Model, Role};
use ordinate_exact::Rational;
use ordinate_expr::{ExprId, Graph, VarId};
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
    let known = Known::of(model);
    let work = Work { system, rows, columns, known: &known };
    match work.combination(model, lines) {
        Some((at, new)) => {
            let new = tidy(model, new, &known);
            let free = model.graph.variables(new).into_iter().any(|v| model.variable(v).role == Role::Unknown);
            if !free || vanishes(&mut model.graph, new, &known) {
                return Err(fail(model));
            }
            lines[at] = Line { left: new, right: model.graph.integer(0), ..lines[at] };
            Ok(())
        }
        None => Err(fail(model)),
    }
}

struct Work<'a> {
    system: &'a System,
    known: &'a Known,
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
                        let slope = model.graph.partial(residual, v);
                        let zero = vanishes(&mut model.graph, slope, self.known);
                        if zero { model.graph.integer(0) } else { model.graph.folded(slope) }
                    }
                    None => model.graph.integer(0),
                };
                row.push(entry);
            }
            jacobian.push(row);
        }
        let found = dependent_rows(&mut model.graph, &jacobian, self.known)?;
        let dependent: Vec<Vec<ExprId>> =
            found.others.iter().chain([&found.row]).map(|&k| jacobian[k].clone()).collect();
        mark_if_by_value(model, &dependent);
        let times: Vec<u32> = self.rows.iter().map(|&i| offsets.c[i]).collect();
        let lambda = multipliers(model, &jacobian, &found, &times, self.known)?;
        let support: Vec<usize> = lambda.iter().map(|&(k, _)| self.rows[k]).collect();
        let c = support.iter().map(|&i| offsets.c[i]).min()?;
        // yⱼ at the order that cancels
        let mut cancelled: FxHashMap<VarId, u32> = FxHashMap::default();
        for &j in &self.columns {
            if let Some(order) = offsets.d[j].checked_sub(c) {
                cancelled.insert(members(model, self.system.quantities[j], order)[order as usize], order);
            }
        }
        if lambda.iter().any(|&(_, factor)| self.too_high(model, factor, c)) {
            return None;
        }
        let zero = model.graph.integer(0);
        let mut sum = zero;
        for &(k, factor) in &lambda {
            let i = self.rows[k];
            let mut residual = model.graph.sub(lines[i].left, lines[i].right);
            for _ in c..offsets.c[i] {
                residual = total(model, residual);
            }
            let product = model.graph.mul(factor, residual);
            sum = model.graph.add(sum, product);
        }
        // Where lines are linear in what cancels, Σ λ J = 0 says that it does; where they are not, the sum is looked at.
        let linear =
            |model: &mut Model| lambda.iter().all(|&(k, _)| !jacobian[k].iter().any(|&e| self.too_high(model, e, c)));
        if !linear(model) {
            for &v in cancelled.keys() {
                let slope = model.graph.partial(sum, v);
                if !vanishes(&mut model.graph, slope, self.known) {
                    return None;
                }
            }
        }
        let sum = model.graph.substitute(sum, |v| cancelled.contains_key(&v).then_some(zero));
        // of those with a constant factor the one that was written last: it repeats the others
        let lowest = lambda.iter().filter(|&&(k, _)| offsets.c[self.rows[k]] == c);
        let (_, at) = lowest.map(|&(k, factor)| (model.constant(factor).is_some(), self.rows[k])).max()?;
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

/// A row of the Jacobian from which multiples of others were taken.
#[derive(Clone)]
struct Reduced {
    entries: Vec<ExprId>,
    /// (row, factor): what it is made of.
    made: Vec<(usize, ExprId)>,
}

/// (row, λ) with Σ λᵢ Jᵢⱼ = 0 over rows of which one depends on the others: elimination as long as there are constant
/// pivots, which are zero nowhere, then minors of what is left. The rows that are differentiated most (`times`) are taken
/// from the others, so that the row left over can be replaced.
fn multipliers(
    model: &mut Model,
    jacobian: &[Vec<ExprId>],
    found: &Dependent,
    times: &[u32],
    known: &Known,
) -> Option<Vec<(usize, ExprId)>> {
    let one = model.graph.integer(1);
    let mut rows: Vec<usize> = found.others.iter().copied().chain([found.row]).collect();
    rows.sort_by_key(|&k| (std::cmp::Reverse(times[k]), k));
    let mut open: Vec<Reduced> =
        rows.iter().map(|&k| Reduced { entries: jacobian[k].clone(), made: vec![(k, one)] }).collect();
    while open.len() > 1 {
        let Some((at, column)) = constant_pivot(model, &open) else { break };
        let pivot = open.remove(at);
        open.iter_mut().for_each(|row| row.subtract(&mut model.graph, &pivot, column, known));
    }
    let mut lambda: Vec<(usize, ExprId)> = Vec::new();
    for (row, factor) in core(model, &open, known)? {
        for &(k, part) in &row.made {
            let product = model.graph.mul(factor, part);
            let product = model.graph.folded(product);
            match lambda.iter_mut().find(|(known, _)| *known == k) {
                Some((_, sum)) => {
                    *sum = model.graph.add(*sum, product);
                    *sum = model.graph.folded(*sum);
                }
                None => lambda.push((k, product)),
            }
        }
    }
    lambda.retain(|&(_, factor)| !vanishes(&mut model.graph, factor, known));
    Some(lambda)
}

/// The first row with an entry that has one value other than zero, and where it stands.
fn constant_pivot(model: &mut Model, rows: &[Reduced]) -> Option<(usize, usize)> {
    let mut constant = |e: ExprId| divisor(model, e).is_some();
    let mut places = rows.iter().enumerate().flat_map(|(i, row)| (0..row.entries.len()).map(move |j| (i, j)));
    places.find(|&(i, j)| constant(rows[i].entries[j]))
}

impl Reduced {
    /// Makes an entry zero with a multiple of another row.
    fn subtract(&mut self, g: &mut Graph, pivot: &Reduced, column: usize, known: &Known) {
        let zero = g.integer(0);
        if self.entries[column] == zero {
            return;
        }
        let factor = g.div(self.entries[column], pivot.entries[column]);
        let factor = g.folded(factor);
        for (j, (entry, &other)) in self.entries.iter_mut().zip(&pivot.entries).enumerate() {
            let product = g.mul(factor, other);
            let rest = g.sub(*entry, product);
            *entry = g.folded(rest);
            // a zero that does not look like one would pass for a pivot of the core
            if j == column || vanishes(g, *entry, known) {
                *entry = zero;
            }
        }
        for &(k, part) in &pivot.made {
            let product = g.mul(factor, part);
            let opposite = g.neg(product);
            self.made.push((k, g.folded(opposite)));
        }
    }
}

/// Rows and factors whose sum is zero, of rows without a constant entry: with B the independent ones in their columns,
///
/// ```text
///   λ_row = det B,   λₖ = −det(B with row k replaced by the dependent one)
/// ```
///
/// A factor that is common to all is left out where it is easy to see.
fn core(model: &mut Model, rows: &[Reduced], known: &Known) -> Option<Vec<(Reduced, ExprId)>> {
    let entries: Vec<Vec<ExprId>> = rows.iter().map(|row| row.entries.clone()).collect();
    let found = dependent_rows(&mut model.graph, &entries, known)?;
    let n = found.others.len();
    if n > MAX_CORE {
        return None;
    }
    let part = |row: usize| -> Vec<ExprId> { found.columns.iter().map(|&j| entries[row][j]).collect() };
    let square: Vec<Vec<ExprId>> = found.others.iter().map(|&row| part(row)).collect();
    let g = &mut model.graph;
    let mut lambda = vec![(rows[found.row].clone(), Minors::new(&square, n).determinant(g))];
    for (k, &row) in found.others.iter().enumerate() {
        let mut replaced = square.clone();
        replaced[k] = part(found.row);
        let determinant = Minors::new(&replaced, n).determinant(g);
        lambda.push((rows[row].clone(), g.neg(determinant)));
    }
    // determinants are products of the same factors in another order
    let common = lambda[0].1;
    let ratios: Option<Vec<Rational>> = lambda.iter().map(|&(_, factor)| known.ratio(g, factor, common)).collect();
    let constants: Option<Vec<ExprId>> = ratios.and_then(|ratios| ratios.iter().map(|ratio| g.exact(ratio)).collect());
    if let Some(constants) = constants {
        lambda.iter_mut().zip(constants).for_each(|((_, factor), constant)| *factor = constant);
    }
    Some(lambda)
}
