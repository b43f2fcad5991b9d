//! Program to series code: the right-hand side with all that is constant within a step taken as a number. Branches
//! are chosen, sums become operands where they can, functions become recurrences.

use super::code::{JetCode, JetInstruction, JetOp, Operand, Sum, Value};
use super::lin::Lin;
use super::removable::Part;
use crate::constant::Constant;
use crate::scheduled_code::arity;
use crate::{Op, Program, Section};
use ordinate_expr::Function;
use ordinate_numbers::Precise;
use rustc_hash::FxHashMap;

/// A sum with fewer terms than this is written out wherever it is used.
const SHORT_SUM: usize = 3;

/// The series code of a section for discrete values that stand in `registers` with the constants. `None` where a choice
/// depends on the state itself. `bits` is the precision of the registers.
pub(crate) fn compile<N: Constant>(
    program: &Program,
    section: &Section,
    registers: &[N],
    bits: usize,
) -> Option<JetCode<N>> {
    compile_results(program, section, &section.results, registers, bits)
}

/// The same for some of the results of a section; what only the others need is left out.
pub(crate) fn compile_results<N: Constant>(
    program: &Program,
    section: &Section,
    results: &[u32],
    registers: &[N],
    bits: usize,
) -> Option<JetCode<N>> {
    // the row of an algebraic state is no derivative
    if program.layout.algebraic > 0 {
        return None;
    }
    let states = program.layout.states;
    let mut lins: Vec<Lin<N>> = Vec::with_capacity(program.first_temporary as usize + section.instructions.len());
    let (delayed, given) = (program.delayed_register(), program.layout.delays.len());
    for (register, value) in registers[..program.first_temporary as usize].iter().enumerate() {
        lins.push(match register {
            _ if register <= states => Lin::node(register as u32),
            _ if (delayed..delayed + given).contains(&register) => Lin::node((states + 1 + register - delayed) as u32),
            _ => Lin::constant(value.clone()),
        });
    }
    let first = program.first_temporary;
    let mut uses = vec![0u32; section.instructions.len()];
    let count = |uses: &mut [u32], register: u32| {
        if register >= first {
            uses[(register - first) as usize] += 1;
        }
    };
    results.iter().for_each(|&register| count(&mut uses, register));
    for (index, i) in section.instructions.iter().enumerate().rev() {
        if uses[index] > 0 {
            [i.a, i.b, i.c].into_iter().take(arity(i.op)).for_each(|register| count(&mut uses, register));
        }
    }
    let mut c = Compiler {
        code: JetCode { states, given, nodes: states + 1 + given, ..JetCode::empty() },
        bits,
        lists: &program.lists,
        shared: FxHashMap::default(),
        sums: FxHashMap::default(),
        products: FxHashMap::default(),
    };
    for (instruction, uses) in section.instructions.iter().zip(uses) {
        debug_assert_eq!(instruction.out as usize, lins.len(), "temporaries are written in their order");
        if uses == 0 {
            lins.push(Lin::constant(N::splat(f64::NAN)));
            continue;
        }
        let mut lin = c.instruction(instruction.op, instruction.a, instruction.b, instruction.c, &mut lins)?;
        if uses > 1 && lin.terms.len() >= SHORT_SUM {
            lin = c.as_node(&lin);
        }
        lins.push(lin);
    }
    for &register in results {
        let lin = &lins[register as usize];
        let sum = c.sum(lin);
        c.code.results.push(Sum { scale: lin.scale.clone(), ..sum });
    }
    sort(&mut c.code);
    Some(c.code)
}

/// Puts like instructions together, as far as none comes before what it needs.
fn sort<N: Clone>(code: &mut JetCode<N>) {
    let mut level = vec![0u32; code.nodes];
    let mut keys = Vec::with_capacity(code.instructions.len());
    for (index, instruction) in code.instructions.iter().enumerate() {
        let mut depth = 0;
        instruction.op.needs(&code.terms, |node| depth = depth.max(level[node as usize] + 1));
        let out = instruction.out as usize;
        level[out..out + instruction.op.nodes() as usize].fill(depth);
        keys.push((depth, instruction.op.rank(), index));
    }
    keys.sort_unstable();
    code.instructions = keys.into_iter().map(|(_, _, index)| code.instructions[index].clone()).collect();
}

/// What may be shared.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Shared {
    Weighted,
    Square,
    Function(Function),
    Part(Part),
}

/// What is shared: the function, the node, its factor and its constant.
type SharedKey<N> = (Shared, u32, <N as Precise>::Key, <N as Precise>::Key);

/// A sum of two terms: its nodes, their coefficients and the constant.
type SumKey<N> = ([u32; 2], [<N as Precise>::Key; 3]);

fn key<N: Constant>(what: Shared, a: &Operand<N>) -> SharedKey<N> {
    (what, a.node, a.factor.key(), a.constant.key())
}

pub(super) struct Compiler<'a, N: Constant> {
    pub(super) code: JetCode<N>,
    /// The precision of its numbers.
    pub(super) bits: usize,
    lists: &'a [Vec<f64>],
    /// Nodes that several functions of one operand share.
    shared: FxHashMap<SharedKey<N>, u32>,
    /// Nodes of sums of two terms, by these with the first one positive; and which sign it has.
    sums: FxHashMap<SumKey<N>, (u32, f64)>,
    /// Nodes of products of two nodes.
    products: FxHashMap<[u32; 2], u32>,
}

impl<N: Constant> Compiler<'_, N> {
    pub(super) fn emit(&mut self, op: JetOp<N>) -> u32 {
        let out = self.code.nodes as u32;
        self.code.nodes += op.nodes() as usize;
        self.code.instructions.push(JetInstruction { op, out });
        out
    }

    pub(super) fn sum(&mut self, lin: &Lin<N>) -> Sum<N> {
        let from = self.code.terms.len() as u32;
        self.code.terms.extend_from_slice(&lin.terms);
        Sum { scale: N::splat(1.0), constant: lin.constant.clone(), from, to: self.code.terms.len() as u32 }
    }

    /// The same with its sum as a node of its own, if it has several terms. A difference is shared with its opposite: what
    /// attracts one body in x₁ − x₂ attracts another one in x₂ − x₁.
    fn as_node(&mut self, lin: &Lin<N>) -> Lin<N> {
        let key = match lin.terms.as_slice() {
            [] | [_] => return lin.clone(),
            [one, other] => {
                let [(a, c), (b, d)] = if one.0 < other.0 { [one, other] } else { [other, one] };
                let sign = if c.to_f64() < 0.0 { -1.0 } else { 1.0 };
                // 0 also where it would be −0
                let numbers = [c, d, &lin.constant].map(|x| (N::splat(sign) * x.clone() + N::splat(0.0)).key());
                Some((([*a, *b], numbers), sign))
            }
            _ => None,
        };
        if let Some((node, other)) = key.as_ref().and_then(|(key, sign)| Some((self.sums.get(key)?, sign))) {
            return Lin::node(node.0).times(lin.scale.clone() * N::splat(node.1 * other));
        }
        let sum = self.sum(lin);
        let node = self.emit(JetOp::Sum(sum));
        if let Some((key, sign)) = key {
            self.sums.insert(key, (node, sign));
        }
        Lin::node(node).times(lin.scale.clone())
    }

    /// A register as an operand; one that is a sum becomes a node, once.
    fn operand(&mut self, register: u32, lins: &mut [Lin<N>]) -> Operand<N> {
        let lin = &mut lins[register as usize];
        if lin.terms.len() >= 2 {
            *lin = self.as_node(lin);
        }
        match lin.terms.as_slice() {
            [(node, c)] => Operand {
                node: *node,
                factor: lin.scale.clone() * c.clone(),
                constant: lin.scale.clone() * lin.constant.clone(),
            },
            _ => unreachable!("constants are no operands of recurrences"),
        }
    }

    /// a + sign · b
    fn add(&mut self, a: u32, b: u32, sign: f64, lins: &mut [Lin<N>]) -> Lin<N> {
        let mut total = self.unscaled(a, lins);
        let other = self.unscaled(b, lins);
        total.constant = total.constant + N::splat(sign) * other.constant;
        for (node, c) in other.terms {
            match total.terms.iter_mut().find(|(known, _)| *known == node) {
                Some((_, known)) => *known = known.clone() + N::splat(sign) * c,
                None => total.terms.push((node, N::splat(sign) * c)),
            }
        }
        total.terms.retain(|(_, c)| *c != N::splat(0.0));
        total
    }

    /// The same with a scale of one.
    fn unscaled(&mut self, register: u32, lins: &mut [Lin<N>]) -> Lin<N> {
        let lin = &mut lins[register as usize];
        let factor = lin.scale.clone();
        if factor == N::splat(1.0) {
            return lin.clone();
        }
        let constant = lin.constant != N::splat(0.0);
        if factor != N::splat(-1.0) && (lin.terms.len() > 1 || (lin.terms.len() == 1 && constant)) {
            if lin.terms.len() == 1 {
                let sum = self.sum(lin);
                *lin = Lin::node(self.emit(JetOp::Sum(sum))).times(factor);
            } else {
                *lin = self.as_node(lin);
            }
            return lin.clone();
        }
        let terms = lin.terms.iter().map(|(node, c)| (*node, c.clone() * factor.clone())).collect();
        Lin { scale: N::splat(1.0), constant: lin.constant.clone() * factor, terms }
    }

    /// t a′ of an operand; its constant does not matter.
    pub(super) fn weigh(&mut self, a: Operand<N>) -> u32 {
        let a = Operand { constant: N::splat(0.0), ..a };
        self.shared(Shared::Weighted, a.clone(), JetOp::Weigh(a))
    }

    /// a²
    pub(super) fn square_of(&mut self, a: Operand<N>) -> u32 {
        self.shared(Shared::Square, a.clone(), JetOp::Square(a))
    }

    pub(super) fn shared(&mut self, what: Shared, a: Operand<N>, op: JetOp<N>) -> u32 {
        self.known(what, &a).unwrap_or_else(|| {
            let node = self.emit(op);
            self.remember(what, &a, node);
            node
        })
    }

    pub(super) fn known(&self, what: Shared, a: &Operand<N>) -> Option<u32> {
        self.shared.get(&key(what, a)).copied()
    }

    pub(super) fn remember(&mut self, what: Shared, a: &Operand<N>, node: u32) {
        self.shared.insert(key(what, a), node);
    }

    /// A number in the precision of the run.
    pub(super) fn number(&self, x: f64) -> N {
        N::exact(x, self.bits)
    }

    fn instruction(&mut self, op: Op, a: u32, b: u32, c: u32, lins: &mut [Lin<N>]) -> Option<Lin<N>> {
        let value = |register: u32| lins[register as usize].as_constant();
        let fold = |f: &dyn Fn(&N, &N) -> N| Some(Lin::constant(f(&value(a)?, &value(b)?)));
        let truth = |t: bool| N::exact(f64::from(u8::from(t)), self.bits);
        Some(match op {
            Op::Neg => lins[a as usize].clone().times(N::splat(-1.0)),
            Op::Add => self.add(a, b, 1.0, lins),
            Op::Sub => self.add(a, b, -1.0, lins),
            Op::Mul => self.product(a, b, lins),
            Op::Square => self.square(a, lins),
            Op::Div => self.quotient(a, b, lins),
            Op::Pow => match (value(a), value(b)) {
                (Some(a), Some(b)) => Lin::constant(a.power(&b)),
                (None, Some(r)) => self.constant_power(a, r, lins),
                (_, None) => self.general_power(a, b, lins),
            },
            Op::HalfPower(n) => {
                let exponent = self.number(f64::from(n) / 2.0);
                match value(a) {
                    Some(a) => Lin::constant(a.power(&exponent)),
                    None => self.constant_power(a, exponent, lins),
                }
            }
            Op::Call(f) => self.call(f, a, lins)?,
            Op::Atan2 => self.atan2(a, b, lins),
            Op::Less => fold(&|a, b| truth(a < b))?,
            Op::LessEqual => fold(&|a, b| truth(a <= b))?,
            Op::Equal => fold(&|a, b| truth(a == b))?,
            Op::Not => Lin::constant(self.number(1.0) - value(a)?),
            Op::And => fold(&|a, b| a.clone() * b.clone())?,
            Op::Or => fold(&|a, b| if a > b { a.clone() } else { b.clone() })?,
            Op::Select => lins[if value(a)? != N::splat(0.0) { b } else { c } as usize].clone(),
            Op::Lookup(list) => {
                let values = &self.lists[list as usize];
                Lin::constant(self.number(values[(value(a)?.to_f64() as usize).min(values.len() - 1)]))
            }
        })
    }

    fn product(&mut self, a: u32, b: u32, lins: &mut [Lin<N>]) -> Lin<N> {
        match (lins[a as usize].as_constant(), lins[b as usize].as_constant()) {
            (Some(a), Some(b)) => Lin::constant(a * b),
            (Some(factor), None) => lins[b as usize].clone().times(factor),
            (None, Some(factor)) => lins[a as usize].clone().times(factor),
            (None, None) => {
                let (a, b) = (self.operand(a, lins), self.operand(b, lins));
                let zero = N::splat(0.0);
                if a.node == b.node && a.constant == zero && b.constant == zero {
                    let square = self.square_of(Operand::plain(a.node));
                    return Lin::node(square).times(a.factor * b.factor);
                }
                if a == b {
                    return Lin::node(self.square_of(a));
                }
                // ±a · ±b: one product for all signs
                let signed = |a: &Operand<N>| {
                    a.factor.to_f64().abs() == 1.0 && a.factor == N::splat(a.factor.to_f64()) && a.constant == zero
                };
                if !(signed(&a) && signed(&b)) {
                    return Lin::node(self.emit(JetOp::Mul(a, b)));
                }
                let key = [a.node.min(b.node), a.node.max(b.node)];
                let node = match self.products.get(&key) {
                    Some(&node) => node,
                    None => {
                        let node = self.emit(JetOp::Mul(Operand::plain(a.node), Operand::plain(b.node)));
                        self.products.insert(key, node);
                        node
                    }
                };
                Lin::node(node).times(a.factor * b.factor)
            }
        }
    }

    fn square(&mut self, a: u32, lins: &mut [Lin<N>]) -> Lin<N> {
        if let Some(a) = lins[a as usize].as_constant() {
            return Lin::constant(a.clone() * a);
        }
        let a = self.operand(a, lins);
        Lin::node(self.square_of(a))
    }

    fn quotient(&mut self, a: u32, b: u32, lins: &mut [Lin<N>]) -> Lin<N> {
        match (lins[a as usize].as_constant(), lins[b as usize].as_constant()) {
            (Some(a), Some(b)) => Lin::constant(a / b),
            (None, Some(divisor)) => lins[a as usize].clone().times(N::splat(1.0) / divisor),
            (Some(numerator), None) => {
                let b = self.operand(b, lins);
                Lin::node(self.emit(JetOp::Reciprocal(numerator, b)))
            }
            (None, None) => {
                let (a, b) = (self.operand(a, lins), self.operand(b, lins));
                Lin::node(self.emit(JetOp::Div(a, b)))
            }
        }
    }

    /// aʳ: whole powers by products, so that a may be zero; roots and others by their recurrences.
    fn constant_power(&mut self, a: u32, exponent: N, lins: &mut [Lin<N>]) -> Lin<N> {
        let r = exponent.to_f64();
        let exact = exponent == N::splat(r);
        if exact && r == 0.0 {
            return Lin::constant(self.number(1.0));
        }
        let a = self.operand(a, lins);
        if exact && r.fract() == 0.0 && (1.0..=1024.0).contains(&r) {
            let Operand { node, factor, constant } = self.whole_power(a, r as u32);
            return Lin { scale: N::splat(1.0), constant, terms: vec![(node, factor)] };
        }
        if exact && r == 0.5 {
            return Lin::node(self.emit(JetOp::Sqrt(a)));
        }
        if exact && r == -1.0 {
            return Lin::node(self.emit(JetOp::Reciprocal(self.number(1.0), a)));
        }
        Lin::node(self.real_power(a, exponent, false))
    }

    fn real_power(&mut self, a: Operand<N>, r: N, cube_root: bool) -> u32 {
        let weighted = self.weigh(Operand { factor: N::splat(1.0), ..a.clone() });
        self.emit(JetOp::Power { a, weighted, r, cube_root })
    }

    /// aⁿ by squaring, n ≥ 1
    fn whole_power(&mut self, a: Operand<N>, n: u32) -> Operand<N> {
        match n {
            1 => a,
            _ if n.is_multiple_of(2) => {
                let half = self.whole_power(a, n / 2);
                Operand::plain(self.square_of(half))
            }
            _ => {
                let rest = self.whole_power(a.clone(), n - 1);
                Operand::plain(self.emit(JetOp::Mul(rest, a)))
            }
        }
    }

    /// aᵇ = exp(b log a), with the value of the power itself.
    fn general_power(&mut self, a: u32, b: u32, lins: &mut [Lin<N>]) -> Lin<N> {
        let of = match lins[a as usize].as_constant() {
            Some(base) => {
                let b = self.operand(b, lins);
                let factor = b.factor.clone() * base.call(Function::Log);
                let weighted = self.weigh(Operand { node: b.node, factor, constant: N::splat(0.0) });
                let base = Operand { node: b.node, factor: N::splat(0.0), constant: base };
                (weighted, [base, b])
            }
            None => {
                let a = self.operand(a, lins);
                let log = self.logarithm(a.clone());
                let exponent = match lins[b as usize].as_constant() {
                    Some(_) => unreachable!("constant exponents are powers of their own"),
                    None => self.operand(b, lins),
                };
                let product = self.emit(JetOp::Mul(exponent.clone(), log));
                (self.weigh(Operand::plain(product)), [a, exponent])
            }
        };
        Lin::node(self.exponential(of.0, Value::Power, of.1))
    }

    fn exponential(&mut self, weighted: u32, value: Value, of: [Operand<N>; 2]) -> u32 {
        let out = self.code.nodes as u32;
        self.emit(JetOp::Antiproduct { weighted, w: Operand::plain(out), factor: N::splat(1.0), value, of })
    }

    fn logarithm(&mut self, a: Operand<N>) -> Operand<N> {
        Operand::plain(self.antiquotient(Function::Log, a.clone(), a))
    }

    /// y of w y′ = a′
    fn antiquotient(&mut self, f: Function, a: Operand<N>, w: Operand<N>) -> u32 {
        let weighted = self.weigh(a.clone());
        self.emit(JetOp::Antiquotient { weighted, w, value: Value::Call(f), of: [a.clone(), a] }) + 1
    }

    /// f(a), one of two functions with s′ = c a′, c′ = factor · s a′, which are made together.
    fn pair(&mut self, f: Function, a: Operand<N>, functions: [Function; 2], factor: f64) -> u32 {
        if let Some(&node) = self.shared.get(&key(Shared::Function(f), &a)) {
            return node;
        }
        let weighted = self.weigh(a.clone());
        let (s, c) = (self.code.nodes as u32, self.code.nodes as u32 + 1);
        for (f, w, factor) in [(functions[0], c, 1.0), (functions[1], s, factor)] {
            let (w, factor, of) = (Operand::plain(w), N::splat(factor), [a.clone(), a.clone()]);
            let node = self.emit(JetOp::Antiproduct { weighted, w, factor, value: Value::Call(f), of });
            self.shared.insert(key(Shared::Function(f), &a), node);
        }
        self.shared[&key(Shared::Function(f), &a)]
    }

    /// y′ = (1 + sign · y²) a′
    pub(super) fn tangent(&mut self, a: Operand<N>, f: Function, sign: f64) -> u32 {
        let weighted = self.weigh(a.clone());
        let y = self.code.nodes as u32;
        let w = Operand { node: y + 1, factor: N::splat(sign), constant: N::splat(1.0) };
        let of = [a.clone(), a];
        self.emit(JetOp::Antiproduct { weighted, w, factor: N::splat(1.0), value: Value::Call(f), of });
        self.emit(JetOp::Square(Operand::plain(y)));
        y
    }

    /// The node sign·√(constant + factor · a²) as an operand.
    fn root_of_square(&mut self, a: &Operand<N>, constant: f64, factor: f64, sign: f64) -> Operand<N> {
        let node = self.square_of(a.clone());
        let square = Operand { node, factor: N::splat(factor), constant: N::splat(constant) };
        Operand { node: self.emit(JetOp::Sqrt(square)), factor: N::splat(sign), constant: N::splat(0.0) }
    }

    fn call(&mut self, f: Function, a: u32, lins: &mut [Lin<N>]) -> Option<Lin<N>> {
        if let Some(a) = lins[a as usize].as_constant() {
            return Some(Lin::constant(a.call(f)));
        }
        let a = self.operand(a, lins);
        let node = match f {
            Function::Sin | Function::Cos => self.pair(f, a, [Function::Sin, Function::Cos], -1.0),
            Function::Sinh | Function::Cosh => self.pair(f, a, [Function::Sinh, Function::Cosh], 1.0),
            Function::Tan => self.tangent(a, f, 1.0),
            Function::Tanh => self.tangent(a, f, -1.0),
            Function::Exp => self.exp_of(&a),
            Function::Expm1 | Function::Softplus => {
                let w = match f {
                    Function::Expm1 => self.exp_of(&a),
                    _ => self.logistic(a.clone()),
                };
                let weighted = self.weigh(a.clone());
                let (w, factor, value) = (Operand::plain(w), N::splat(1.0), Value::Call(f));
                self.emit(JetOp::Antiproduct { weighted, w, factor, value, of: [a.clone(), a] })
            }
            Function::Logistic => self.logistic(a),
            Function::Bernoulli => self.bernoulli(a),
            Function::Langevin => self.langevin(a),
            Function::LangevinSlope => self.langevin_slope(a),
            Function::Log1p => {
                let w = Operand { constant: a.constant.clone() + N::splat(1.0), ..a.clone() };
                self.antiquotient(f, a, w)
            }
            Function::Log => self.antiquotient(f, a.clone(), a),
            Function::Log10 => {
                let ln10 = self.number(10.0).call(Function::Log);
                let (factor, constant) = (ln10.clone() * a.factor.clone(), ln10 * a.constant.clone());
                let w = Operand { node: a.node, factor, constant };
                self.antiquotient(f, a, w)
            }
            Function::Asin => {
                let w = self.root_of_square(&a, 1.0, -1.0, 1.0);
                self.antiquotient(f, a, w)
            }
            Function::Acos => {
                let w = self.root_of_square(&a, 1.0, -1.0, -1.0);
                self.antiquotient(f, a, w)
            }
            Function::Asinh => {
                let w = self.root_of_square(&a, 1.0, 1.0, 1.0);
                self.antiquotient(f, a, w)
            }
            Function::Acosh => {
                let w = self.root_of_square(&a, -1.0, 1.0, 1.0);
                self.antiquotient(f, a, w)
            }
            Function::Atan | Function::Atanh => {
                let node = self.square_of(a.clone());
                let factor = N::splat(if f == Function::Atan { 1.0 } else { -1.0 });
                self.antiquotient(f, a, Operand { node, factor, constant: N::splat(1.0) })
            }
            Function::Sqrt => self.emit(JetOp::Sqrt(a)),
            Function::Cbrt => self.real_power(a, self.number(1.0) / N::splat(3.0), true),
            Function::Erf => {
                // y′ = 2/√π · exp(−a²) a′
                let square = self.square_of(a.clone());
                let minus = Operand { node: square, factor: N::splat(-1.0), constant: N::splat(0.0) };
                let w = self.exp_of(&minus);
                let weighted = self.weigh(a.clone());
                let factor = N::splat(2.0) / N::pi(self.bits).sqrt();
                let (w, value) = (Operand::plain(w), Value::Call(f));
                self.emit(JetOp::Antiproduct { weighted, w, factor, value, of: [a.clone(), a] })
            }
            // On a trajectory these are switches; what is left of them depends on the state at one instant.
            Function::Abs | Function::Sign | Function::Floor | Function::Noise => return None,
        };
        Some(Lin::node(node))
    }

    /// The angle θ of (x, y): (x² + y²) θ′ = x y′ − y x′
    fn atan2(&mut self, y: u32, x: u32, lins: &mut [Lin<N>]) -> Lin<N> {
        match (lins[y as usize].as_constant(), lins[x as usize].as_constant()) {
            (Some(y), Some(x)) => Lin::constant(y.atan2(&x)),
            (None, Some(x)) => {
                let y = self.operand(y, lins);
                let factor = x.clone() * y.factor.clone();
                let rate = Operand { node: y.node, factor, constant: N::splat(0.0) };
                self.angle_of_one(y.clone(), x, rate, |zero| [y, zero])
            }
            (Some(y), None) => {
                let x = self.operand(x, lins);
                let factor = -y.clone() * x.factor.clone();
                let rate = Operand { node: x.node, factor, constant: N::splat(0.0) };
                self.angle_of_one(x.clone(), y, rate, |zero| [zero, x])
            }
            (None, None) => {
                let (y, x) = (self.operand(y, lins), self.operand(x, lins));
                let (wy, wx) = (self.weigh(y.clone()), self.weigh(x.clone()));
                let forward = self.emit(JetOp::Mul(x.clone(), Operand::plain(wy)));
                let backward = self.emit(JetOp::Mul(y.clone(), Operand::plain(wx)));
                let weighted = self.sum_of([(forward, 1.0), (backward, -1.0)]);
                let squares = [self.square_of(x.clone()), self.square_of(y.clone())];
                let w = Operand::plain(self.sum_of(squares.map(|node| (node, 1.0))));
                let value = Value::Atan2;
                Lin::node(self.emit(JetOp::Antiquotient { weighted, w, value, of: [y, x] }) + 1)
            }
        }
    }

    /// The same where one of both is a constant: (c² + a²) θ′ = rate′, its value that of the operands `of` a zero series
    /// with the constant.
    fn angle_of_one(
        &mut self,
        a: Operand<N>,
        c: N,
        rate: Operand<N>,
        of: impl FnOnce(Operand<N>) -> [Operand<N>; 2],
    ) -> Lin<N> {
        let zero = Operand { node: a.node, factor: N::splat(0.0), constant: c.clone() };
        let square = self.square_of(a);
        let weighted = self.weigh(rate);
        let w = Operand { node: square, factor: N::splat(1.0), constant: c.clone() * c };
        Lin::node(self.emit(JetOp::Antiquotient { weighted, w, value: Value::Atan2, of: of(zero) }) + 1)
    }

    /// A node for a sum of two.
    pub(super) fn sum_of(&mut self, terms: [(u32, f64); 2]) -> u32 {
        let terms = terms.map(|(node, c)| (node, N::splat(c))).to_vec();
        let sum = self.sum(&Lin { scale: N::splat(1.0), constant: N::splat(0.0), terms });
        self.emit(JetOp::Sum(sum))
    }
}
