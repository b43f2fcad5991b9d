//! A system of first order with one input and one output, its coefficients expressions of a graph.

use ordinate_expr::{ExprId, Graph};

/// ```text
///   x′ = A x + B (z, z′, …)
///   y  = c x + d (z, z′, …)
/// ```
/// Most realisations need z alone; then B and d have one column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Realisation {
    /// A, by rows.
    pub matrix: Vec<Vec<ExprId>>,
    /// B, by rows: the coefficients of z, z′, …
    pub input: Vec<Vec<ExprId>>,
    /// c
    pub output: Vec<ExprId>,
    /// d: the coefficients of z, z′, …
    pub direct: Vec<ExprId>,
}

impl Realisation {
    /// Number of states.
    pub fn order(&self) -> usize {
        self.matrix.len()
    }

    /// x′ at states x and an input with its derivatives z.
    pub fn rates(&self, g: &mut Graph, x: &[ExprId], z: &[ExprId]) -> Vec<ExprId> {
        let rows = self.matrix.iter().zip(&self.input);
        rows.map(|(row, input)| {
            let (inner, outer) = (dot(g, row, x), dot(g, input, z));
            g.add(inner, outer)
        })
        .collect()
    }

    /// y at states x and an input with its derivatives z.
    pub fn value(&self, g: &mut Graph, x: &[ExprId], z: &[ExprId]) -> ExprId {
        let (inner, outer) = (dot(g, &self.output, x), dot(g, &self.direct, z));
        g.add(inner, outer)
    }

    /// y, y′, …, y⁽ⁿ⁻¹⁾ at states x and an input with its derivatives z, z′, …: what start values the states mean.
    ///
    /// ```text
    ///   y⁽ⁱ⁾ = cᵢ x + Σ dᵢⱼ z⁽ʲ⁾        cᵢ₊₁ = cᵢ A,  dᵢ₊₁ = (cᵢ B, 0, …) + (0, dᵢ)
    /// ```
    /// Derivatives of z that are not given count as zero.
    pub fn start_values(&self, g: &mut Graph, x: &[ExprId], z: &[ExprId]) -> Vec<ExprId> {
        let zero = g.integer(0);
        let (mut c, mut d) = (self.output.clone(), self.direct.clone());
        let mut values = Vec::with_capacity(self.order());
        for _ in 0..self.order() {
            let (inner, outer) = (dot(g, &c, x), dot(g, &d, z));
            values.push(g.add(inner, outer));
            let column = |k: usize| self.matrix.iter().map(move |row| row[k]);
            let width = self.input.first().map_or(0, Vec::len);
            let through: Vec<ExprId> = (0..width)
                .map(|j| {
                    let inputs: Vec<ExprId> = self.input.iter().map(|row| row[j]).collect();
                    dot(g, &c, &inputs)
                })
                .collect();
            d.insert(0, zero);
            for (j, more) in through.into_iter().enumerate() {
                d[j] = g.add(d[j], more);
            }
            c = (0..self.order())
                .map(|k| {
                    let entries: Vec<ExprId> = column(k).collect();
                    dot(g, &c, &entries)
                })
                .collect();
        }
        values
    }

    /// The same system for the states wₖ = xₖ/σₖ, so that numbers of one size take the place of a long span.
    pub fn scaled(&self, g: &mut Graph, factors: &[ExprId]) -> Realisation {
        let mut new = self.clone();
        for (i, row) in new.matrix.iter_mut().enumerate() {
            for (entry, &factor) in row.iter_mut().zip(factors) {
                let ratio = g.div(factor, factors[i]);
                *entry = g.mul(*entry, ratio);
            }
        }
        for (row, &factor) in new.input.iter_mut().zip(factors) {
            row.iter_mut().for_each(|entry| *entry = g.div(*entry, factor));
        }
        for (entry, &factor) in new.output.iter_mut().zip(factors) {
            *entry = g.mul(*entry, factor);
        }
        new
    }
}

/// Σ aₖ bₖ over the shorter of the two.
pub(super) fn dot(g: &mut Graph, a: &[ExprId], b: &[ExprId]) -> ExprId {
    let zero = g.integer(0);
    a.iter().zip(b).fold(zero, |sum, (&p, &q)| {
        let product = g.mul(p, q);
        g.add(sum, product)
    })
}
