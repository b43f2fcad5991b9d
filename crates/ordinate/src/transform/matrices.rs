//! The matrix–vector form of a polynomial system (Veigend, PhD thesis, Brno 2023, (3.19)):
//!
//! ```text
//!   y′ = A y + B₁ (yⱼ yₖ) + B₂ (yⱼ yₖ yₗ) + … + b
//! ```

use super::Polynomial;
use ordinate_expr::{Expr, ExprId, Graph, VarId};
use ordinate_model::{Role, Sorted};
use ordinate_syntax::Diagnostic;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A sparse matrix: row, column, value.
pub type Sparse = Vec<(usize, usize, f64)>;

/// The products of one length and the matrix that they are multiplied by.
#[derive(Clone, Debug, PartialEq)]
pub struct Products {
    /// Number of factors.
    pub factors: usize,
    /// The factors of each product, numbers of states.
    pub index: Vec<Vec<usize>>,
    /// One row per state, one column per product.
    pub matrix: Sparse,
}

/// The form (3.19), with the values that parameters, modes and held values have at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrices {
    /// The linear part.
    pub a: Sparse,
    /// The products by their length.
    pub b: Vec<Products>,
    /// The constant part.
    pub constant: Vec<f64>,
    /// Start values of all states.
    pub start: Vec<f64>,
}

impl Polynomial {
    /// The matrices; where a start value does not exist, what is missing.
    pub fn matrices(&self) -> Result<Matrices, Vec<Diagnostic>> {
        let (start, d) = self.start()?;
        let t = self.compiled.run.map_or(0.0, |(from, _)| from);
        let mut values = Values::new(&self.sorted, t, &start, &d);
        let mut number = |e| values.of(e);
        let mut a: Sparse = Vec::new();
        let mut constant = vec![0.0; self.equations.len()];
        let mut long: BTreeMap<usize, (BTreeMap<Vec<usize>, usize>, Sparse)> = BTreeMap::new();
        for (row, terms) in self.equations.iter().enumerate() {
            for term in terms {
                let value = number(term.coefficient);
                match term.factors.as_slice() {
                    [] => constant[row] += value,
                    [column] => a.push((row, *column, value)),
                    factors => {
                        let (index, matrix) = long.entry(factors.len()).or_default();
                        let next = index.len();
                        let column = *index.entry(factors.to_vec()).or_insert(next);
                        matrix.push((row, column, value));
                    }
                }
            }
        }
        let b = long
            .into_iter()
            .map(|(factors, (by_product, matrix))| {
                let mut index = vec![Vec::new(); by_product.len()];
                by_product.into_iter().for_each(|(product, column)| index[column] = product);
                Products { factors, index, matrix }
            })
            .collect();
        Ok(Matrices { a, b, constant, start })
    }

    /// `ordinate transform --format json`.
    pub fn json(&self) -> Result<Value, Vec<Diagnostic>> {
        let matrices = self.matrices()?;
        let names = self.names();
        let sparse = |m: &Sparse| Value::from(m.iter().map(|&(i, j, v)| json!([i, j, v])).collect::<Vec<_>>());
        let start: Map<String, Value> =
            names.iter().zip(&matrices.start).map(|(name, value)| (name.clone(), json!(value))).collect();
        let model = &self.sorted.model;
        let auxiliary: Map<String, Value> = names[self.visible..]
            .iter()
            .zip(&self.meanings)
            .map(|(name, &meaning)| (name.clone(), json!(model.print(meaning))))
            .collect();
        let b: Vec<Value> = matrices
            .b
            .iter()
            .map(|p| json!({"factors": p.factors, "index": p.index, "matrix": sparse(&p.matrix)}))
            .collect();
        Ok(json!({
            "schema": "ordinate.transform/1",
            "states": names,
            "equations": self.equation_lines(),
            "start": start,
            "A": sparse(&matrices.a),
            "B": b,
            "b": matrices.constant,
            "auxiliary": auxiliary,
            "products": self.products,
        }))
    }
}

/// Values of expressions of a model at one point.
pub(super) struct Values<'a> {
    graph: Graph,
    sorted: &'a Sorted,
    t: f64,
    known: FxHashMap<VarId, f64>,
}

impl<'a> Values<'a> {
    pub fn new(sorted: &'a Sorted, t: f64, y: &[f64], d: &[f64]) -> Self {
        let model = &sorted.model;
        let modes = model.switches.iter().map(|switch| switch.mode);
        let all = (0..model.variables.len() as u32).map(VarId);
        let held = all.filter(|&v| model.variable(v).role == Role::Held);
        let mut known = model.values.clone();
        known.extend(modes.chain(held).zip(d.iter().copied()));
        known.extend(sorted.states.iter().map(|state| state.var).zip(y.iter().copied()));
        Values { graph: model.graph.clone(), sorted, t, known }
    }

    /// The value of an expression. The recursion is as deep as definitions refer to each other.
    pub fn of(&mut self, e: ExprId) -> f64 {
        let mut leaves: FxHashMap<Expr, f64> = FxHashMap::default();
        for id in self.graph.post_order(&[e]) {
            let node = self.graph.node(id);
            let found = match node {
                Expr::Time => self.t,
                Expr::Var(v) => match (self.known.get(&v), self.sorted.definitions[v.0 as usize]) {
                    (Some(&value), _) => value,
                    (None, Some(definition)) => self.of(definition),
                    (None, None) => f64::NAN,
                },
                Expr::Lookup(list, at) => {
                    let at = self.graph.evaluate(at, |leaf| leaves.get(&leaf).copied()).unwrap_or(f64::NAN);
                    self.sorted.model.lists[list.0 as usize].get(at as usize).copied().unwrap_or(f64::NAN)
                }
                _ => continue,
            };
            leaves.insert(node, found);
        }
        self.graph.evaluate(e, |leaf| leaves.get(&leaf).copied()).unwrap_or(f64::NAN)
    }
}
