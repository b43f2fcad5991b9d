//! Program to series code: the right-hand side with all that is constant within a step taken as a number. Branches
//! are chosen, sums become operands where they can, functions become recurrences.

use super::code::{JetCode, JetInstruction, JetOp, Operand, Sum, Value};
use crate::packed::arity;
use crate::{Op, Program, Section};
use ordinate_expr::{Function, power};
use rustc_hash::FxHashMap;

/// A sum with fewer terms than this is written out wherever it is used.
const SHORT_SUM: usize = 3;

/// The series code of a section for discrete values that stand in `registers` with the constants. `None` where a choice
/// depends on the state itself.
pub(crate) fn compile(program: &Program, section: &Section, registers: &[f64]) -> Option<JetCode> {
    compile_results(program, section, &section.results, registers)
}

/// The same for some of the results of a section; what only the others need is left out.
pub(crate) fn compile_results(
    program: &Program,
    section: &Section,
    results: &[u32],
    registers: &[f64],
) -> Option<JetCode> {
    // the row of an algebraic state is no derivative
    if program.layout.algebraic > 0 {
        return None;
    }
    let states = program.layout.states;
    let mut lins: Vec<Lin> = Vec::with_capacity(program.first_temporary as usize + section.instructions.len());
    for (register, &value) in registers[..program.first_temporary as usize].iter().enumerate() {
        lins.push(if register <= states { Lin::node(register as u32) } else { Lin::constant(value) });
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
    let code = JetCode { states, nodes: states + 1, ..JetCode::default() };
    let mut c = Compiler {
        code,
        lists: &program.lists,
        shared: FxHashMap::default(),
        sums: FxHashMap::default(),
        products: FxHashMap::default(),
    };
    for (instruction, uses) in section.instructions.iter().zip(uses) {
        debug_assert_eq!(instruction.out as usize, lins.len(), "temporaries are written in their order");
        if uses == 0 {
            lins.push(Lin::constant(f64::NAN));
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
        c.code.results.push(Sum { scale: lin.scale, ..sum });
    }
    sort(&mut c.code);
    Some(c.code)
}

/// Puts like instructions together, as far as none comes before what it needs.
fn sort(code: &mut JetCode) {
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
    code.instructions = keys.into_iter().map(|(_, _, index)| code.instructions[index]).collect();
}

/// scale · (constant + Σ c · node)
#[derive(Clone, Debug, PartialEq)]
struct Lin {
    scale: f64,
    constant: f64,
    terms: Vec<(u32, f64)>,
}

impl Lin {
    fn node(node: u32) -> Lin {
        Lin { scale: 1.0, constant: 0.0, terms: vec![(node, 1.0)] }
    }

    fn constant(value: f64) -> Lin {
        Lin { scale: 1.0, constant: value, terms: Vec::new() }
    }

    fn as_constant(&self) -> Option<f64> {
        self.terms.is_empty().then_some(self.scale * self.constant)
    }

    fn times(mut self, factor: f64) -> Lin {
        self.scale *= factor;
        if let ([(_, c)], true) = (self.terms.as_mut_slice(), self.constant == 0.0) {
            *c *= self.scale;
            self.scale = 1.0;
        }
        self
    }
}

/// What may be shared.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Shared {
    Weighted,
    Square,
    Function(Function),
}

fn key(what: Shared, a: Operand) -> (Shared, u32, u64, u64) {
    (what, a.node, a.factor.to_bits(), a.constant.to_bits())
}

struct Compiler<'a> {
    code: JetCode,
    lists: &'a [Vec<f64>],
    /// Nodes that several functions of one operand share.
    shared: FxHashMap<(Shared, u32, u64, u64), u32>,
    /// Nodes of sums of two terms, by these with the first one positive; and which sign it has.
    sums: FxHashMap<([u32; 2], [u64; 3]), (u32, f64)>,
    /// Nodes of products of two nodes.
    products: FxHashMap<[u32; 2], u32>,
}

impl Compiler<'_> {
    fn emit(&mut self, op: JetOp) -> u32 {
        let out = self.code.nodes as u32;
        self.code.nodes += op.nodes() as usize;
        self.code.instructions.push(JetInstruction { op, out });
        out
    }

    fn sum(&mut self, lin: &Lin) -> Sum {
        let from = self.code.terms.len() as u32;
        self.code.terms.extend_from_slice(&lin.terms);
        Sum { scale: 1.0, constant: lin.constant, from, to: self.code.terms.len() as u32 }
    }

    /// The same with its sum as a node of its own, if it has several terms. A difference is shared with its opposite: what
    /// attracts one body in x₁ − x₂ attracts another one in x₂ − x₁.
    fn as_node(&mut self, lin: &Lin) -> Lin {
        let key = match *lin.terms.as_slice() {
            [] | [_] => return lin.clone(),
            [one, other] => {
                let [(a, c), (b, d)] = if one.0 < other.0 { [one, other] } else { [other, one] };
                let sign = c.signum();
                // 0 also where it would be −0
                let numbers = [sign * c, sign * d, sign * lin.constant + 0.0];
                Some((([a, b], numbers.map(f64::to_bits)), sign))
            }
            _ => None,
        };
        if let Some((node, other)) = key.and_then(|(key, sign)| Some((self.sums.get(&key)?, sign))) {
            return Lin::node(node.0).times(lin.scale * (node.1 * other));
        }
        let sum = self.sum(lin);
        let node = self.emit(JetOp::Sum(sum));
        if let Some((key, sign)) = key {
            self.sums.insert(key, (node, sign));
        }
        Lin::node(node).times(lin.scale)
    }

    /// A register as an operand; one that is a sum becomes a node, once.
    fn operand(&mut self, register: u32, lins: &mut [Lin]) -> Operand {
        let lin = &mut lins[register as usize];
        if lin.terms.len() >= 2 {
            *lin = self.as_node(lin);
        }
        match lin.terms.as_slice() {
            [(node, c)] => Operand { node: *node, factor: lin.scale * c, constant: lin.scale * lin.constant },
            _ => unreachable!("constants are no operands of recurrences"),
        }
    }

    /// a + sign · b
    fn add(&mut self, a: u32, b: u32, sign: f64, lins: &mut [Lin]) -> Lin {
        let mut total = self.unscaled(a, lins);
        let other = self.unscaled(b, lins);
        total.constant += sign * other.constant;
        for (node, c) in other.terms {
            match total.terms.iter_mut().find(|(known, _)| *known == node) {
                Some((_, known)) => *known += sign * c,
                None => total.terms.push((node, sign * c)),
            }
        }
        total.terms.retain(|(_, c)| *c != 0.0);
        total
    }

    /// The same with a scale of one.
    fn unscaled(&mut self, register: u32, lins: &mut [Lin]) -> Lin {
        let lin = &mut lins[register as usize];
        let factor = lin.scale;
        if factor == 1.0 {
            return lin.clone();
        }
        if factor != -1.0 && (lin.terms.len() > 1 || (lin.terms.len() == 1 && lin.constant != 0.0)) {
            if lin.terms.len() == 1 {
                let sum = self.sum(lin);
                *lin = Lin::node(self.emit(JetOp::Sum(sum))).times(factor);
            } else {
                *lin = self.as_node(lin);
            }
            return lin.clone();
        }
        let terms = lin.terms.iter().map(|&(node, c)| (node, c * factor)).collect();
        Lin { scale: 1.0, constant: lin.constant * factor, terms }
    }

    /// t a′ of an operand; its constant does not matter.
    fn weigh(&mut self, a: Operand) -> u32 {
        let a = Operand { constant: 0.0, ..a };
        self.shared(Shared::Weighted, a, JetOp::Weigh(a))
    }

    /// a²
    fn square_of(&mut self, a: Operand) -> u32 {
        self.shared(Shared::Square, a, JetOp::Square(a))
    }

    fn shared(&mut self, what: Shared, a: Operand, op: JetOp) -> u32 {
        match self.shared.get(&key(what, a)) {
            Some(&node) => node,
            None => {
                let node = self.emit(op);
                self.shared.insert(key(what, a), node);
                node
            }
        }
    }

    fn instruction(&mut self, op: Op, a: u32, b: u32, c: u32, lins: &mut [Lin]) -> Option<Lin> {
        let value = |register: u32| lins[register as usize].as_constant();
        let both = value(a).zip(value(b));
        let fold = |f: &dyn Fn(f64, f64) -> f64| both.map(|(a, b)| Lin::constant(f(a, b)));
        let truth = |t: bool| f64::from(u8::from(t));
        Some(match op {
            Op::Neg => lins[a as usize].clone().times(-1.0),
            Op::Add => self.add(a, b, 1.0, lins),
            Op::Sub => self.add(a, b, -1.0, lins),
            Op::Mul => self.product(a, b, lins),
            Op::Square => self.square(a, lins),
            Op::Div => self.quotient(a, b, lins),
            Op::Pow => match (value(a), value(b)) {
                (Some(a), Some(b)) => Lin::constant(power(a, b)),
                (None, Some(r)) => self.constant_power(a, r, lins),
                (_, None) => self.general_power(a, b, lins),
            },
            Op::HalfPower(n) => match value(a) {
                Some(a) => Lin::constant(power(a, f64::from(n) / 2.0)),
                None => self.constant_power(a, f64::from(n) / 2.0, lins),
            },
            Op::Call(f) => self.call(f, a, lins)?,
            Op::Atan2 => self.atan2(a, b, lins),
            Op::Less => fold(&|a, b| truth(a < b))?,
            Op::LessEqual => fold(&|a, b| truth(a <= b))?,
            Op::Equal => fold(&|a, b| truth(a == b))?,
            Op::Not => Lin::constant(1.0 - value(a)?),
            Op::And => fold(&|a, b| a * b)?,
            Op::Or => fold(&f64::max)?,
            Op::Select => lins[if value(a)? != 0.0 { b } else { c } as usize].clone(),
            Op::Lookup(list) => {
                let values = &self.lists[list as usize];
                Lin::constant(values[(value(a)? as usize).min(values.len() - 1)])
            }
        })
    }

    fn product(&mut self, a: u32, b: u32, lins: &mut [Lin]) -> Lin {
        match (lins[a as usize].as_constant(), lins[b as usize].as_constant()) {
            (Some(a), Some(b)) => Lin::constant(a * b),
            (Some(factor), None) => lins[b as usize].clone().times(factor),
            (None, Some(factor)) => lins[a as usize].clone().times(factor),
            (None, None) => {
                let (a, b) = (self.operand(a, lins), self.operand(b, lins));
                if a.node == b.node && a.constant == 0.0 && b.constant == 0.0 {
                    let square = self.square_of(Operand::plain(a.node));
                    return Lin::node(square).times(a.factor * b.factor);
                }
                if a == b {
                    return Lin::node(self.square_of(a));
                }
                // ±a · ±b: one product for all signs
                let signed = |a: Operand| a.factor.abs() == 1.0 && a.constant == 0.0;
                if !(signed(a) && signed(b)) {
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

    fn square(&mut self, a: u32, lins: &mut [Lin]) -> Lin {
        if let Some(a) = lins[a as usize].as_constant() {
            return Lin::constant(a * a);
        }
        let a = self.operand(a, lins);
        Lin::node(self.square_of(a))
    }

    fn quotient(&mut self, a: u32, b: u32, lins: &mut [Lin]) -> Lin {
        match (lins[a as usize].as_constant(), lins[b as usize].as_constant()) {
            (Some(a), Some(b)) => Lin::constant(a / b),
            (None, Some(divisor)) => lins[a as usize].clone().times(1.0 / divisor),
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
    fn constant_power(&mut self, a: u32, r: f64, lins: &mut [Lin]) -> Lin {
        if r == 0.0 {
            return Lin::constant(1.0);
        }
        let a = self.operand(a, lins);
        if r.fract() == 0.0 && (1.0..=1024.0).contains(&r) {
            let Operand { node, factor, constant } = self.whole_power(a, r as u32);
            return Lin { scale: 1.0, constant, terms: vec![(node, factor)] };
        }
        if r == 0.5 {
            return Lin::node(self.emit(JetOp::Sqrt(a)));
        }
        if r == -1.0 {
            return Lin::node(self.emit(JetOp::Reciprocal(1.0, a)));
        }
        Lin::node(self.real_power(a, r, false))
    }

    fn real_power(&mut self, a: Operand, r: f64, cube_root: bool) -> u32 {
        let weighted = self.weigh(Operand { factor: 1.0, ..a });
        self.emit(JetOp::Power { a, weighted, r, cube_root })
    }

    /// aⁿ by squaring, n ≥ 1
    fn whole_power(&mut self, a: Operand, n: u32) -> Operand {
        match n {
            1 => a,
            _ if n.is_multiple_of(2) => {
                let half = self.whole_power(a, n / 2);
                Operand::plain(self.square_of(half))
            }
            _ => {
                let rest = self.whole_power(a, n - 1);
                Operand::plain(self.emit(JetOp::Mul(rest, a)))
            }
        }
    }

    /// aᵇ = exp(b log a), with the value of the power itself.
    fn general_power(&mut self, a: u32, b: u32, lins: &mut [Lin]) -> Lin {
        let of = match lins[a as usize].as_constant() {
            Some(base) => {
                let b = self.operand(b, lins);
                let exponent = Operand { factor: b.factor * base.ln(), constant: 0.0, ..b };
                let weighted = self.weigh(exponent);
                let base = Operand { node: b.node, factor: 0.0, constant: base };
                (weighted, [base, b])
            }
            None => {
                let a = self.operand(a, lins);
                let log = self.logarithm(a);
                let exponent = match lins[b as usize].as_constant() {
                    Some(_) => unreachable!("constant exponents are powers of their own"),
                    None => self.operand(b, lins),
                };
                let product = self.emit(JetOp::Mul(exponent, log));
                (self.weigh(Operand::plain(product)), [a, exponent])
            }
        };
        Lin::node(self.exponential(of.0, Value::Power, of.1))
    }

    fn exponential(&mut self, weighted: u32, value: Value, of: [Operand; 2]) -> u32 {
        let out = self.code.nodes as u32;
        self.emit(JetOp::Antiproduct { weighted, w: Operand::plain(out), factor: 1.0, value, of })
    }

    fn logarithm(&mut self, a: Operand) -> Operand {
        Operand::plain(self.antiquotient(Function::Log, a, a))
    }

    /// y of w y′ = a′
    fn antiquotient(&mut self, f: Function, a: Operand, w: Operand) -> u32 {
        let weighted = self.weigh(a);
        self.emit(JetOp::Antiquotient { weighted, w, value: Value::Call(f), of: [a, a] }) + 1
    }

    /// f(a), one of two functions with s′ = c a′, c′ = factor · s a′, which are made together.
    fn pair(&mut self, f: Function, a: Operand, functions: [Function; 2], factor: f64) -> u32 {
        if let Some(&node) = self.shared.get(&key(Shared::Function(f), a)) {
            return node;
        }
        let weighted = self.weigh(a);
        let (s, c) = (self.code.nodes as u32, self.code.nodes as u32 + 1);
        for (f, w, factor) in [(functions[0], c, 1.0), (functions[1], s, factor)] {
            let value = Value::Call(f);
            let node = self.emit(JetOp::Antiproduct { weighted, w: Operand::plain(w), factor, value, of: [a, a] });
            self.shared.insert(key(Shared::Function(f), a), node);
        }
        self.shared[&key(Shared::Function(f), a)]
    }

    /// y′ = (1 + sign · y²) a′
    fn tangent(&mut self, a: Operand, f: Function, sign: f64) -> u32 {
        let weighted = self.weigh(a);
        let y = self.code.nodes as u32;
        let w = Operand { node: y + 1, factor: sign, constant: 1.0 };
        self.emit(JetOp::Antiproduct { weighted, w, factor: 1.0, value: Value::Call(f), of: [a, a] });
        self.emit(JetOp::Square(Operand::plain(y)));
        y
    }

    /// The node sign·√(constant + factor · a²) as an operand.
    fn root_of_square(&mut self, a: Operand, constant: f64, factor: f64, sign: f64) -> Operand {
        let square = self.square_of(a);
        let root = self.emit(JetOp::Sqrt(Operand { node: square, factor, constant }));
        Operand { node: root, factor: sign, constant: 0.0 }
    }

    fn call(&mut self, f: Function, a: u32, lins: &mut [Lin]) -> Option<Lin> {
        if let Some(a) = lins[a as usize].as_constant() {
            return Some(Lin::constant(f.evaluate(a)));
        }
        let a = self.operand(a, lins);
        let node = match f {
            Function::Sin | Function::Cos => self.pair(f, a, [Function::Sin, Function::Cos], -1.0),
            Function::Sinh | Function::Cosh => self.pair(f, a, [Function::Sinh, Function::Cosh], 1.0),
            Function::Tan => self.tangent(a, f, 1.0),
            Function::Tanh => self.tangent(a, f, -1.0),
            Function::Exp => {
                let weighted = self.weigh(a);
                self.exponential(weighted, Value::Call(f), [a, a])
            }
            Function::Log => self.antiquotient(f, a, a),
            Function::Log10 => {
                let ln10 = std::f64::consts::LN_10;
                let w = Operand { node: a.node, factor: ln10 * a.factor, constant: ln10 * a.constant };
                self.antiquotient(f, a, w)
            }
            Function::Asin => {
                let w = self.root_of_square(a, 1.0, -1.0, 1.0);
                self.antiquotient(f, a, w)
            }
            Function::Acos => {
                let w = self.root_of_square(a, 1.0, -1.0, -1.0);
                self.antiquotient(f, a, w)
            }
            Function::Asinh => {
                let w = self.root_of_square(a, 1.0, 1.0, 1.0);
                self.antiquotient(f, a, w)
            }
            Function::Acosh => {
                let w = self.root_of_square(a, -1.0, 1.0, 1.0);
                self.antiquotient(f, a, w)
            }
            Function::Atan | Function::Atanh => {
                let node = self.square_of(a);
                let factor = if f == Function::Atan { 1.0 } else { -1.0 };
                self.antiquotient(f, a, Operand { node, factor, constant: 1.0 })
            }
            Function::Sqrt => self.emit(JetOp::Sqrt(a)),
            Function::Cbrt => self.real_power(a, 1.0 / 3.0, true),
            Function::Erf => {
                // y′ = 2/√π · exp(−a²) a′
                let square = self.square_of(a);
                let minus = Operand { node: square, factor: -1.0, constant: 0.0 };
                let exponent = self.weigh(minus);
                let w = self.exponential(exponent, Value::Call(Function::Exp), [minus, minus]);
                let weighted = self.weigh(a);
                let factor = std::f64::consts::FRAC_2_SQRT_PI;
                let (w, value) = (Operand::plain(w), Value::Call(f));
                self.emit(JetOp::Antiproduct { weighted, w, factor, value, of: [a, a] })
            }
            // On a trajectory these are switches; what is left of them depends on the state at one instant.
            Function::Abs | Function::Sign | Function::Floor => return None,
        };
        Some(Lin::node(node))
    }

    /// The angle θ of (x, y): (x² + y²) θ′ = x y′ − y x′
    fn atan2(&mut self, y: u32, x: u32, lins: &mut [Lin]) -> Lin {
        match (lins[y as usize].as_constant(), lins[x as usize].as_constant()) {
            (Some(y), Some(x)) => Lin::constant(y.atan2(x)),
            (None, Some(x)) => {
                let y = self.operand(y, lins);
                let (zero, square) = (Operand { node: y.node, factor: 0.0, constant: x }, self.square_of(y));
                let weighted = self.weigh(Operand { factor: x * y.factor, ..y });
                let w = Operand { node: square, factor: 1.0, constant: x * x };
                let value = Value::Atan2;
                Lin::node(self.emit(JetOp::Antiquotient { weighted, w, value, of: [y, zero] }) + 1)
            }
            (Some(y), None) => {
                let x = self.operand(x, lins);
                let (zero, square) = (Operand { node: x.node, factor: 0.0, constant: y }, self.square_of(x));
                let weighted = self.weigh(Operand { factor: -y * x.factor, ..x });
                let w = Operand { node: square, factor: 1.0, constant: y * y };
                let value = Value::Atan2;
                Lin::node(self.emit(JetOp::Antiquotient { weighted, w, value, of: [zero, x] }) + 1)
            }
            (None, None) => {
                let (y, x) = (self.operand(y, lins), self.operand(x, lins));
                let (wy, wx) = (self.weigh(y), self.weigh(x));
                let forward = self.emit(JetOp::Mul(x, Operand::plain(wy)));
                let backward = self.emit(JetOp::Mul(y, Operand::plain(wx)));
                let rate = Lin { scale: 1.0, constant: 0.0, terms: vec![(forward, 1.0), (backward, -1.0)] };
                let rate = self.sum(&rate);
                let weighted = self.emit(JetOp::Sum(rate));
                let squares = [self.square_of(x), self.square_of(y)];
                let radius = Lin { scale: 1.0, constant: 0.0, terms: squares.map(|node| (node, 1.0)).to_vec() };
                let radius = self.sum(&radius);
                let w = Operand::plain(self.emit(JetOp::Sum(radius)));
                let value = Value::Atan2;
                Lin::node(self.emit(JetOp::Antiquotient { weighted, w, value, of: [y, x] }) + 1)
            }
        }
    }
}
