//! Expressions as a flat list, to be evaluated very often: with intervals, or with doubles. The values of states lie in
//! the order that the caller gives; parameters are values.

use crate::{Expr, ExprId, Function, Graph, Interval, evaluate::truth, power};
use rustc_hash::FxHashMap;

/// What a leaf of an expression is for a tape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Leaf {
    /// The value at this place of the argument.
    Place(usize),
    /// A known number.
    Value(Interval),
}

/// Expressions in an order in which they can be evaluated.
#[derive(Clone, Debug)]
pub struct Tape {
    steps: Vec<Step>,
    roots: Vec<u32>,
}

/// One operation; operands are earlier steps.
#[derive(Clone, Copy, Debug)]
enum Step {
    Leaf(Leaf),
    Neg(u32),
    Add(u32, u32),
    Sub(u32, u32),
    Mul(u32, u32),
    Square(u32),
    Div(u32, u32),
    Pow(u32, u32),
    Call(Function, u32),
    Atan2(u32, u32),
    Less(u32, u32),
    LessEqual(u32, u32),
    Select(u32, u32, u32),
    /// A truth value of others, of which nothing is known over an interval.
    Truth(Expr, [u32; 2]),
}

impl Graph {
    /// The tape of some expressions; `leaf` gives what [`Expr::Time`], [`Expr::Var`] and [`Expr::Lookup`] are, `None` if
    /// that is not known: then there is no tape.
    pub fn tape(&mut self, roots: &[ExprId], mut leaf: impl FnMut(Expr) -> Option<Leaf>) -> Option<Tape> {
        let mut at: FxHashMap<ExprId, u32> = FxHashMap::default();
        let mut steps = Vec::new();
        for id in self.post_order(roots) {
            let node = self.node(id);
            let step = match node {
                Expr::Const(value) => Step::Leaf(Leaf::Value(Interval::decimal(value))),
                Expr::Pi => Step::Leaf(Leaf::Value(Interval::PI)),
                Expr::Time | Expr::Var(_) | Expr::Lookup(..) => Step::Leaf(leaf(node)?),
                Expr::Neg(a) => Step::Neg(at[&a]),
                Expr::Add(a, b) => Step::Add(at[&a], at[&b]),
                Expr::Sub(a, b) => Step::Sub(at[&a], at[&b]),
                Expr::Mul(a, b) if a == b => Step::Square(at[&a]),
                Expr::Mul(a, b) => Step::Mul(at[&a], at[&b]),
                Expr::Div(a, b) => Step::Div(at[&a], at[&b]),
                Expr::Pow(a, b) => Step::Pow(at[&a], at[&b]),
                Expr::Call(f, a) => Step::Call(f, at[&a]),
                Expr::Atan2(a, b) => Step::Atan2(at[&a], at[&b]),
                Expr::Less(a, b) => Step::Less(at[&a], at[&b]),
                Expr::LessEqual(a, b) => Step::LessEqual(at[&a], at[&b]),
                Expr::Equal(a, b) | Expr::And(a, b) | Expr::Or(a, b) => Step::Truth(node, [at[&a], at[&b]]),
                Expr::Not(a) => Step::Truth(node, [at[&a]; 2]),
                Expr::Select(c, a, b) => Step::Select(at[&c], at[&a], at[&b]),
            };
            at.insert(id, steps.len() as u32);
            steps.push(step);
        }
        Some(Tape { steps, roots: roots.iter().map(|root| at[root]).collect() })
    }
}

impl Tape {
    /// Bounds of the expressions when each value lies in its interval.
    pub fn bounds(&self, of: &[Interval]) -> Vec<Interval> {
        let mut v: Vec<Interval> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let get = |at: u32| v[at as usize];
            let result = match *step {
                Step::Leaf(Leaf::Place(place)) => of[place],
                Step::Leaf(Leaf::Value(value)) => value,
                Step::Neg(a) => get(a).negated(),
                Step::Add(a, b) => get(a).plus(get(b)),
                Step::Sub(a, b) => get(a).minus(get(b)),
                Step::Mul(a, b) => get(a).times(get(b)),
                Step::Square(a) => get(a).square(),
                Step::Div(a, b) => get(a).over(get(b)),
                Step::Pow(a, b) => get(a).raised(get(b)),
                Step::Call(f, a) => get(a).call(f),
                Step::Atan2(a, b) => get(a).angle(get(b)),
                Step::Less(a, b) => decided(get(a).high < get(b).low, get(a).low >= get(b).high),
                Step::LessEqual(a, b) => decided(get(a).high <= get(b).low, get(a).low > get(b).high),
                Step::Select(c, a, b) => match get(c) {
                    Interval::ZERO => get(b),
                    Interval::ONE => get(a),
                    _ => get(a).hull(get(b)),
                },
                Step::Truth(..) => Interval::new(0.0, 1.0),
            };
            v.push(result);
        }
        self.roots.iter().map(|&root| v[root as usize]).collect()
    }

    /// The expressions at a point, in double precision.
    pub fn values(&self, at: &[f64]) -> Vec<f64> {
        let mut v: Vec<f64> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let get = |at: u32| v[at as usize];
            let result = match *step {
                Step::Leaf(Leaf::Place(place)) => at[place],
                Step::Leaf(Leaf::Value(value)) => value.middle(),
                Step::Neg(a) => -get(a),
                Step::Add(a, b) => get(a) + get(b),
                Step::Sub(a, b) => get(a) - get(b),
                Step::Mul(a, b) => get(a) * get(b),
                Step::Square(a) => get(a) * get(a),
                Step::Div(a, b) => get(a) / get(b),
                Step::Pow(a, b) => power(get(a), get(b)),
                Step::Call(f, a) => f.evaluate(get(a)),
                Step::Atan2(a, b) => get(a).atan2(get(b)),
                Step::Less(a, b) => truth(get(a) < get(b)),
                Step::LessEqual(a, b) => truth(get(a) <= get(b)),
                Step::Select(c, a, b) => get(if get(c) != 0.0 { a } else { b }),
                Step::Truth(Expr::Equal(..), [a, b]) => truth(get(a) == get(b)),
                Step::Truth(Expr::And(..), [a, b]) => get(a) * get(b),
                Step::Truth(Expr::Or(..), [a, b]) => get(a).max(get(b)),
                Step::Truth(_, [a, _]) => 1.0 - get(a),
            };
            v.push(result);
        }
        self.roots.iter().map(|&root| v[root as usize]).collect()
    }
}

fn decided(yes: bool, no: bool) -> Interval {
    match (yes, no) {
        (true, _) => Interval::ONE,
        (_, true) => Interval::ZERO,
        _ => Interval::new(0.0, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VarId;

    /// x² − x y + sin x over a box, against the values in it.
    #[test]
    fn bounds_hold_the_values_of_a_box() {
        let mut g = Graph::new();
        let (x, y) = (g.variable(VarId(0)), g.variable(VarId(1)));
        let (square, product) = (g.square(x), g.mul(x, y));
        let sine = g.call(Function::Sin, x);
        let difference = g.sub(square, product);
        let sum = g.add(difference, sine);
        let place = |leaf: Expr| match leaf {
            Expr::Var(v) => Some(Leaf::Place(v.0 as usize)),
            _ => None,
        };
        let tape = g.tape(&[sum, square], place).unwrap();
        let bounds = tape.bounds(&[Interval::new(-1.0, 0.5), Interval::new(2.0, 3.0)]);
        assert_eq!(bounds[1].low, 0.0, "a square is not negative");
        for i in 0..=10 {
            for j in 0..=10 {
                let at = [-1.0 + 0.15 * f64::from(i), 2.0 + 0.1 * f64::from(j)];
                let value = tape.values(&at)[0];
                assert_eq!(value, at[0] * at[0] - at[0] * at[1] + at[0].sin());
                assert!(bounds[0].contains(value));
            }
        }
        let time = g.time();
        assert!(g.tape(&[time], place).is_none(), "t has no place");
    }
}
