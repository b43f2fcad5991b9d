//! Series of functions whose formula is 0/0 at a point although they are analytic there: B(u) = u/(eᵘ − 1), Langevin's function
//! L(x) = coth x − 1/x and L′.
//!
//! No recurrence is regular at this zero, so there are two forms, and the value at the start of a step says which holds. It makes
//! a series that does not change: s = 1 near the zero, otherwise 0. The code itself has no branch, so lanes, machine code and
//! numbers of any precision need nothing of their own. With v = s x, which is zero far away, x̃ = x + 2 s, which is not small, and
//! S(v²) = sinh v/v = Σ v²ʲ/(2j + 1)!:
//!
//! ```text
//!   near   B(2x) = e⁻ˣ/S                     L = 2 x S₁/S         L′ = 2 S₁/S + 4 x² (S₂/S − (S₁/S)²)       Sᵢ = dⁱS/d(x²)ⁱ
//!   far    B(u) = a (e⁻ᵃ or 1)/(1 − e⁻ᵃ)     L = coth x − 1/x     L′ = 1 − coth² x + 1/x²                   a = |u|
//! ```

use super::code::{JetOp, Operand, Value};
use super::compile::{Compiler, Shared};
use super::lin::Lin;
use crate::constant::Constant;
use ordinate_expr::Function;

/// The form near the zero holds for x² below this …
const NEAR: f64 = 0.5;
/// … and S has so many terms that it is exact up to this |x|: as far as a step may go from there. Poles of B are at |x| = π.
const REACH: f64 = 2.25;
/// What is added near the zero, so that the other form stays finite.
const APART: f64 = 2.0;

/// Nodes that several of these functions of one argument share.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Part {
    /// 2 s − 1
    Selector,
    /// v
    Small,
    /// The derivative of S of this order.
    Power(usize),
    /// coth x̃
    Cotangent,
    /// 1/x̃
    Inverse,
}

impl<N: Constant> Compiler<'_, N> {
    /// eᵃ, which is shared.
    pub(super) fn exp_of(&mut self, a: &Operand<N>) -> u32 {
        let weighted = self.weigh(a.clone());
        let out = self.code.nodes as u32;
        let (w, factor, value) = (Operand::plain(out), N::splat(1.0), Value::Call(Function::Exp));
        let of = [a.clone(), a.clone()];
        self.shared(Shared::Function(Function::Exp), a.clone(), JetOp::Antiproduct { weighted, w, factor, value, of })
    }

    /// σ(a) from σ(a)′ = σ(a) σ(−a) a′ and the same of −a: what is nearly 1 keeps the digits of its rest.
    pub(super) fn logistic(&mut self, a: Operand<N>) -> u32 {
        // 0 also where it would be −0: both signs are known, or none is
        let zero = N::splat(0.0);
        let a = Operand { constant: a.constant + zero.clone(), ..a };
        let opposite = Operand { node: a.node, factor: -a.factor.clone(), constant: zero - a.constant.clone() };
        if let Some(known) = self.known(Shared::Function(Function::Logistic), &a) {
            return known;
        }
        let weighted = self.weigh(a.clone());
        let first = self.code.nodes as u32;
        let w = Operand::plain(first + 2);
        for (a, sign) in [(a, 1.0), (opposite, -1.0)] {
            let (factor, value) = (N::splat(sign), Value::Call(Function::Logistic));
            let op = JetOp::Antiproduct { weighted, w: w.clone(), factor, value, of: [a.clone(), a.clone()] };
            self.shared(Shared::Function(Function::Logistic), a, op);
        }
        self.emit(JetOp::Mul(Operand::plain(first), Operand::plain(first + 1)));
        first
    }

    /// A series that does not change: f of the value that the argument has where it begins.
    fn held(&mut self, f: Function, a: Operand<N>) -> u32 {
        let weighted = self.weigh(a.clone());
        let (w, factor, value) = (Operand::plain(a.node), N::splat(0.0), Value::Call(f));
        self.emit(JetOp::Antiproduct { weighted, w, factor, value, of: [a.clone(), a] })
    }

    fn part(&mut self, part: Part, x: &Operand<N>, make: impl FnOnce(&mut Self) -> u32) -> u32 {
        if let Some(known) = self.known(Shared::Part(part), x) {
            return known;
        }
        let node = make(self);
        self.remember(Shared::Part(part), x, node);
        node
    }

    /// 2 s − 1
    fn selector(&mut self, x: &Operand<N>) -> u32 {
        self.part(Part::Selector, x, |c| {
            let square = c.square_of(x.clone());
            let inside = Operand { node: square, factor: N::splat(-1.0), constant: N::splat(NEAR) };
            let sign = c.held(Function::Sign, inside);
            // the border itself belongs to one side
            let half = Operand { node: sign, factor: N::splat(1.0), constant: N::splat(0.5) };
            c.held(Function::Sign, half)
        })
    }

    /// s
    fn near(&mut self, x: &Operand<N>) -> Operand<N> {
        let half = N::splat(0.5);
        Operand { node: self.selector(x), factor: half.clone(), constant: half }
    }

    /// v = s x
    fn small(&mut self, x: &Operand<N>) -> u32 {
        self.part(Part::Small, x, |c| {
            let near = c.near(x);
            c.emit(JetOp::Mul(near, x.clone()))
        })
    }

    /// x + factor · s
    fn apart(&mut self, x: &Operand<N>, factor: f64) -> u32 {
        let near = self.selector(x);
        let half = N::splat(0.5 * factor);
        let constant = x.constant.clone() + half.clone();
        self.sum_node(constant, vec![(x.node, x.factor.clone()), (near, half)])
    }

    fn sum_node(&mut self, constant: N, terms: Vec<(u32, N)>) -> u32 {
        let sum = self.sum(&Lin { scale: N::splat(1.0), constant, terms });
        self.emit(JetOp::Sum(sum))
    }

    /// A derivative of S at v².
    fn power_series(&mut self, x: &Operand<N>, derivative: usize) -> u32 {
        self.part(Part::Power(derivative), x, |c| {
            let small = c.small(x);
            let square = c.square_of(Operand::plain(small));
            let fourth = c.square_of(Operand::plain(square));
            let sixth = c.emit(JetOp::Mul(Operand::plain(square), Operand::plain(fourth)));
            let eighth = c.square_of(Operand::plain(fourth));
            let blocks = c.coefficients(derivative);
            let mut sum = None;
            for block in blocks.chunks(4).rev() {
                let [constant, a, b, d] = block else { unreachable!("whole blocks") };
                let mut terms = vec![(square, a.clone()), (fourth, b.clone()), (sixth, d.clone())];
                if let Some(higher) = sum {
                    terms.push((c.emit(JetOp::Mul(Operand::plain(higher), Operand::plain(eighth))), N::splat(1.0)));
                }
                sum = Some(c.sum_node(constant.clone(), terms));
            }
            sum.expect("at least one block")
        })
    }

    /// Those of a derivative of S = Σ zʲ/(2j + 1)!, as many as the precision needs, in blocks of four.
    fn coefficients(&self, derivative: usize) -> Vec<N> {
        let mut found = Vec::new();
        let mut coefficient = self.number(1.0);
        let mut size: f64 = 0.0;
        for j in 0.. {
            let falling = (0..derivative).map(|i| j as f64 - i as f64).product::<f64>();
            if j >= derivative {
                found.push(coefficient.clone() * N::splat(falling));
            }
            let next = ((2 * j + 2) * (2 * j + 3)) as f64;
            coefficient = coefficient / N::splat(next);
            size += (REACH * REACH / next).log2();
            if size < -(self.bits as f64) && found.len().is_multiple_of(4) && !found.is_empty() {
                break;
            }
        }
        found
    }

    /// far + s (near − far)
    fn choose(&mut self, x: &Operand<N>, near: u32, far: u32) -> u32 {
        let difference = self.sum_of([(near, 1.0), (far, -1.0)]);
        let selector = self.near(x);
        let chosen = self.emit(JetOp::Mul(selector, Operand::plain(difference)));
        self.sum_of([(far, 1.0), (chosen, 1.0)])
    }

    pub(super) fn bernoulli(&mut self, u: Operand<N>) -> u32 {
        let half = N::splat(0.5);
        let x = Operand {
            node: u.node,
            factor: u.factor.clone() * half.clone(),
            constant: u.constant.clone() * half.clone(),
        };
        let small = self.small(&x);
        let below = self.power_series(&x, 0);
        let minus = Operand { node: small, factor: N::splat(-1.0), constant: N::splat(0.0) };
        let above = self.exp_of(&minus);
        let near = self.emit(JetOp::Div(Operand::plain(above), Operand::plain(below)));
        // u + 4 s and its sign
        let selector = self.selector(&x);
        let apart = u.constant.clone() + N::splat(APART);
        let apart = self.sum_node(apart, vec![(u.node, u.factor.clone()), (selector, N::splat(APART))]);
        let sign = self.held(Function::Sign, Operand::plain(apart));
        let size = self.emit(JetOp::Mul(Operand::plain(sign), Operand::plain(apart)));
        let minus = Operand { node: size, factor: N::splat(-1.0), constant: N::splat(0.0) };
        let decay = self.exp_of(&minus);
        // e⁻ᵃ where u is positive, otherwise 1
        let positive = Operand { node: sign, factor: half.clone(), constant: half.clone() };
        let decaying = self.emit(JetOp::Mul(positive, Operand::plain(decay)));
        let factor = self.sum_node(half.clone(), vec![(decaying, N::splat(1.0)), (sign, -half)]);
        let above = self.emit(JetOp::Mul(Operand::plain(size), Operand::plain(factor)));
        let below = Operand { node: decay, factor: N::splat(-1.0), constant: N::splat(1.0) };
        let far = self.emit(JetOp::Div(Operand::plain(above), below));
        self.choose(&x, near, far)
    }

    fn far_parts(&mut self, x: &Operand<N>) -> [u32; 2] {
        let cotangent = self.part(Part::Cotangent, x, |c| {
            let apart = c.apart(x, APART);
            let tangent = c.tangent(Operand::plain(apart), Function::Tanh, -1.0);
            c.emit(JetOp::Reciprocal(N::splat(1.0), Operand::plain(tangent)))
        });
        let inverse = self.part(Part::Inverse, x, |c| {
            let apart = c.apart(x, APART);
            c.emit(JetOp::Reciprocal(N::splat(1.0), Operand::plain(apart)))
        });
        [cotangent, inverse]
    }

    pub(super) fn langevin(&mut self, x: Operand<N>) -> u32 {
        let [s, s1] = [0, 1].map(|derivative| self.power_series(&x, derivative));
        let small = self.small(&x);
        let above = self.emit(JetOp::Mul(Operand::plain(small), Operand::plain(s1)));
        let above = Operand { node: above, factor: N::splat(2.0), constant: N::splat(0.0) };
        let near = self.emit(JetOp::Div(above, Operand::plain(s)));
        let [cotangent, inverse] = self.far_parts(&x);
        let far = self.sum_of([(cotangent, 1.0), (inverse, -1.0)]);
        self.choose(&x, near, far)
    }

    pub(super) fn langevin_slope(&mut self, x: Operand<N>) -> u32 {
        let [s, s1, s2] = [0, 1, 2].map(|derivative| self.power_series(&x, derivative));
        let small = self.small(&x);
        let square = self.square_of(Operand::plain(small));
        let [p, q] = [s1, s2].map(|above| self.emit(JetOp::Div(Operand::plain(above), Operand::plain(s))));
        let pp = self.square_of(Operand::plain(p));
        let difference = self.sum_of([(q, 1.0), (pp, -1.0)]);
        let product = self.emit(JetOp::Mul(Operand::plain(square), Operand::plain(difference)));
        let near = self.sum_of([(p, 2.0), (product, 4.0)]);
        let [cotangent, inverse] = self.far_parts(&x).map(|node| self.square_of(Operand::plain(node)));
        let far = self.sum_node(N::splat(1.0), vec![(cotangent, N::splat(-1.0)), (inverse, N::splat(1.0))]);
        self.choose(&x, near, far)
    }
}
