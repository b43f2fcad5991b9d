//! Recognises y′ = A y + b + inputs in the right-hand side of a program, for given discrete values.
//!
//! Every register is an affine form in the states and in functions of time τᵖ e^(λτ) cos ωτ, τᵖ e^(λτ) sin ωτ, which
//! are closed under products and derivatives. What leaves these forms is not linear: never wrong, at worst not recognised.
//! τ = t − origin, so that inputs such as (t − 1e6)² do not cancel where the run is.

use crate::{Instruction, Op, Program, Section};
use ordinate_expr::{Function, power};
use ordinate_solve::{Input, LinearForm, SparseRows};
use rustc_hash::FxHashMap;

/// Powers of time beyond this are left to other methods: their sums cancel.
const MAX_POWER: u32 = 8;
/// More functions of time than this are left to other methods.
const MAX_INPUTS: usize = 256;

/// What a register holds.
#[derive(Clone, Debug)]
enum Value {
    Constant(f64),
    Affine(Form),
    /// Something else; harmless where no result needs it.
    Other,
}

/// Σ coefficient · column + constant; columns ascending, those from `states` on are functions of time.
#[derive(Clone, Debug, Default)]
struct Form {
    terms: Vec<(u32, f64)>,
    constant: f64,
}

/// The functions of time met so far.
struct Basis {
    states: u32,
    inputs: Vec<Input>,
    known: FxHashMap<(u32, u64, u64, bool), u32>,
    /// Elements still to be written before the matrix counts as not sparse.
    budget: usize,
}

/// The linear form of the right-hand side of `program`; `registers` holds its constants, and d where it stands.
pub(crate) fn recognise(program: &Program, registers: &[f64], t: f64) -> Option<LinearForm> {
    // the row of an algebraic state is no derivative, a delayed value no function of time that is known here
    if program.layout.algebraic > 0 || !program.layout.delays.is_empty() {
        return None;
    }
    let section = &program.rhs;
    let states = program.layout.states as u32;
    let budget = 1_000_000 + 64 * (section.instructions.len() + program.layout.states);
    let mut basis = Basis { states, inputs: Vec::new(), known: FxHashMap::default(), budget };
    let mut walk =
        Walk { section, first: program.first_temporary, registers, t, states, values: Vec::new(), uses: Vec::new() };
    walk.count_uses();
    for instruction in &section.instructions {
        let value = walk.evaluate(instruction, &program.lists, &mut basis).unwrap_or(Value::Other);
        walk.values.push(value);
        if basis.budget == 0 {
            return None;
        }
    }
    let rows: Option<Vec<Form>> =
        section.results.iter().map(|&register| walk.take(register, &mut basis).form()).collect();
    basis.close(rows?, t)
}

/// How many operands an operation has.
fn operands(op: Op) -> usize {
    match op {
        Op::Neg | Op::Square | Op::HalfPower(_) | Op::Call(_) | Op::Not | Op::Lookup(_) => 1,
        Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Pow | Op::Atan2 => 2,
        Op::Less | Op::LessEqual | Op::Equal | Op::And | Op::Or => 2,
        Op::Select => 3,
    }
}

struct Walk<'a> {
    section: &'a Section,
    first: u32,
    registers: &'a [f64],
    t: f64,
    states: u32,
    values: Vec<Value>,
    /// How often each result is still read: the last reader may take it.
    uses: Vec<u32>,
}

impl Walk<'_> {
    fn count_uses(&mut self) {
        self.uses = vec![0; self.section.instructions.len()];
        let read = self.section.instructions.iter().flat_map(|i| [i.a, i.b, i.c].into_iter().take(operands(i.op)));
        for register in read.chain(self.section.results.iter().copied()) {
            if register >= self.first {
                self.uses[(register - self.first) as usize] += 1;
            }
        }
    }

    /// The value of a register for one of its readers.
    fn take(&mut self, register: u32, basis: &mut Basis) -> Value {
        if register >= self.first {
            let k = (register - self.first) as usize;
            self.uses[k] -= 1;
            if self.uses[k] == 0 {
                return std::mem::replace(&mut self.values[k], Value::Other);
            }
            let value = self.values[k].clone();
            if let Value::Affine(form) = &value {
                basis.spend(form.terms.len());
            }
            return value;
        }
        if register == 0 {
            let tau = Input { power: 1, rate: 0.0, frequency: 0.0, sine: false };
            return basis
                .column(tau)
                .map_or(Value::Other, |column| Value::Affine(Form { terms: vec![(column, 1.0)], constant: self.t }));
        }
        if register <= self.states {
            return Value::Affine(Form { terms: vec![(register - Program::STATES as u32, 1.0)], constant: 0.0 });
        }
        Value::Constant(self.registers[register as usize])
    }

    /// What an instruction makes; `None` if that is no affine form.
    fn evaluate(&mut self, i: &Instruction, lists: &[Vec<f64>], basis: &mut Basis) -> Option<Value> {
        use Value::{Affine, Constant};
        let a = self.take(i.a, basis);
        let b = if operands(i.op) > 1 { self.take(i.b, basis) } else { Constant(0.0) };
        if i.op == Op::Select {
            let c = self.take(i.c, basis);
            return match a {
                Constant(a) => Some(if a != 0.0 { b } else { c }),
                Affine(_) | Value::Other => None,
            };
        }
        match (i.op, a, b) {
            (op, Constant(a), Constant(b)) => constant(op, a, b, lists).map(Constant),
            (Op::Neg, Affine(a), _) => Some(Affine(a.scaled(|c| -c, basis))),
            (Op::Add, a, b) => Some(Affine(a.form()?.plus(b.form()?, basis))),
            (Op::Sub, a, b) => Some(Affine(a.form()?.plus(b.form()?.scaled(|c| -c, basis), basis))),
            (Op::Mul, Constant(c), Affine(form)) | (Op::Mul, Affine(form), Constant(c)) => {
                Some(Affine(form.scaled(|x| x * c, basis)))
            }
            (Op::Mul, Affine(a), Affine(b)) => a.times(&b, basis).map(Affine),
            (Op::Div, Affine(form), Constant(c)) => Some(Affine(form.scaled(|x| x / c, basis))),
            (Op::Square, Affine(a), _) => a.times(&a, basis).map(Affine),
            (Op::HalfPower(n), Affine(a), _) => a.to_power(f64::from(n) / 2.0, basis).map(Affine),
            (Op::Pow, Affine(a), Constant(n)) => a.to_power(n, basis).map(Affine),
            (Op::Call(f), Affine(a), _) => a.call(f, basis).map(Affine),
            _ => None,
        }
    }
}

/// An operation on constants, as the evaluator performs it.
fn constant(op: Op, a: f64, b: f64, lists: &[Vec<f64>]) -> Option<f64> {
    let truth = |value: bool| f64::from(u8::from(value));
    Some(match op {
        Op::Neg => -a,
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul | Op::And => a * b,
        Op::Square => a * a,
        Op::Div => a / b,
        Op::Pow => power(a, b),
        Op::HalfPower(n) => power(a, f64::from(n) / 2.0),
        Op::Call(f) => f.evaluate(a),
        Op::Atan2 => a.atan2(b),
        Op::Less => truth(a < b),
        Op::LessEqual => truth(a <= b),
        Op::Equal => truth(a == b),
        Op::Not => 1.0 - a,
        Op::Or => a.max(b),
        Op::Select => return None,
        Op::Lookup(list) => {
            let values = &lists[list as usize];
            values[(a as usize).min(values.len() - 1)]
        }
    })
}

impl Value {
    fn form(self) -> Option<Form> {
        match self {
            Value::Constant(constant) => Some(Form { terms: Vec::new(), constant }),
            Value::Affine(form) => Some(form),
            Value::Other => None,
        }
    }
}

impl Form {
    fn scaled(mut self, f: impl Fn(f64) -> f64, basis: &mut Basis) -> Form {
        basis.spend(self.terms.len());
        self.constant = f(self.constant);
        self.terms.iter_mut().for_each(|(_, c)| *c = f(*c));
        self
    }

    /// The sum. Long sums grow by one term at a time, so a short operand is put into the long one.
    fn plus(self, other: Form, basis: &mut Basis) -> Form {
        let (mut long, short) = if self.terms.len() >= other.terms.len() { (self, other) } else { (other, self) };
        long.constant += short.constant;
        if short.terms.len() <= 4 {
            for &(column, c) in &short.terms {
                // columns mostly come in ascending order
                let at = match long.terms.last() {
                    Some(&(last, _)) if last < column => Err(long.terms.len()),
                    _ => long.terms.binary_search_by_key(&column, |&(column, _)| column),
                };
                match at {
                    Ok(at) => long.terms[at].1 += c,
                    Err(at) => {
                        basis.spend((long.terms.len() - at) / 16 + 1);
                        long.terms.insert(at, (column, c));
                    }
                }
            }
            return long;
        }
        basis.spend(long.terms.len() + short.terms.len());
        let mut terms = Vec::with_capacity(long.terms.len() + short.terms.len());
        let (mut a, mut b) = (long.terms.iter().peekable(), short.terms.iter().peekable());
        while let (Some(&&(i, x)), Some(&&(j, y))) = (a.peek(), b.peek()) {
            terms.push(if i == j {
                (i, x + y)
            } else if i < j {
                (i, x)
            } else {
                (j, y)
            });
            if i <= j {
                a.next();
            }
            if j <= i {
                b.next();
            }
        }
        terms.extend(a);
        terms.extend(b);
        Form { terms, constant: long.constant }
    }

    fn is_of_time(&self, basis: &Basis) -> bool {
        self.terms.iter().all(|&(column, _)| column >= basis.states)
    }

    /// The product of two functions of time.
    fn times(&self, other: &Form, basis: &mut Basis) -> Option<Form> {
        let few = self.terms.len() * other.terms.len() <= MAX_INPUTS;
        if !few || !self.is_of_time(basis) || !other.is_of_time(basis) {
            return None;
        }
        let mut product = Form { terms: Vec::new(), constant: self.constant * other.constant };
        let scaled = |form: &Form, by: f64| Form {
            terms: form.terms.iter().map(|&(column, c)| (column, c * by)).collect(),
            constant: 0.0,
        };
        product = product.plus(scaled(self, other.constant), basis).plus(scaled(other, self.constant), basis);
        for &(i, x) in &self.terms {
            for &(j, y) in &other.terms {
                let (a, b) = (basis.inputs[(i - basis.states) as usize], basis.inputs[(j - basis.states) as usize]);
                for (input, c) in multiply(a, b) {
                    product = product.plus(basis.single(input, c * x * y)?, basis);
                }
            }
        }
        Some(product)
    }

    fn to_power(&self, n: f64, basis: &mut Basis) -> Option<Form> {
        if n == 1.0 {
            return Some(self.clone());
        }
        if n.fract() != 0.0 || !(2.0..=f64::from(MAX_POWER)).contains(&n) {
            return None;
        }
        let mut product = self.clone();
        for _ in 1..n as u32 {
            product = product.times(self, basis)?;
        }
        Some(product)
    }

    /// f(c + k τ).
    ///
    /// ```text
    ///   sin(c + kτ) = sin c cos kτ + cos c sin kτ      exp(c + kτ) = eᶜ e^(kτ)
    ///   cos(c + kτ) = cos c cos kτ − sin c sin kτ      cosh, sinh from exp
    /// ```
    fn call(&self, f: Function, basis: &mut Basis) -> Option<Form> {
        let line = Input { power: 1, rate: 0.0, frequency: 0.0, sine: false };
        let k = match self.terms[..] {
            [(column, k)] if column >= basis.states && basis.inputs[(column - basis.states) as usize] == line => k,
            _ => return None,
        };
        let wave = |sine| Input { power: 0, rate: 0.0, frequency: k.abs(), sine };
        let growth = |rate| Input { power: 0, rate, frequency: 0.0, sine: false };
        let (sine, cosine) = self.constant.sin_cos();
        let sign = k.signum();
        let parts = match f {
            Function::Sin => [(wave(false), sine), (wave(true), sign * cosine)],
            Function::Cos => [(wave(false), cosine), (wave(true), -sign * sine)],
            Function::Exp => [(growth(k), self.constant.exp()), (growth(k), 0.0)],
            Function::Cosh => [(growth(k), 0.5 * self.constant.exp()), (growth(-k), 0.5 * (-self.constant).exp())],
            Function::Sinh => [(growth(k), 0.5 * self.constant.exp()), (growth(-k), -0.5 * (-self.constant).exp())],
            _ => return None,
        };
        let [(a, x), (b, y)] = parts;
        Some(basis.single(a, x)?.plus(basis.single(b, y)?, basis))
    }
}

/// The product of two functions of time.
///
/// ```text
///   2 cos a cos b = cos(a−b) + cos(a+b)     2 sin a sin b = cos(a−b) − cos(a+b)     2 sin a cos b = sin(a+b) + sin(a−b)
/// ```
fn multiply(a: Input, b: Input) -> [(Input, f64); 2] {
    let (sum, difference) = (a.frequency + b.frequency, a.frequency - b.frequency);
    let base = Input { power: a.power + b.power, rate: a.rate + b.rate, frequency: 0.0, sine: a.sine != b.sine };
    let part = |frequency: f64| Input { frequency: frequency.abs(), ..base };
    let (first, second) = match (a.sine, b.sine) {
        (false, false) => (0.5, 0.5),
        (true, true) => (-0.5, 0.5),
        (true, false) => (0.5, 0.5 * difference.signum()),
        (false, true) => (0.5, -0.5 * difference.signum()),
    };
    [(part(sum), first), (part(difference), second)]
}

impl Basis {
    fn spend(&mut self, elements: usize) {
        self.budget = self.budget.saturating_sub(elements);
    }

    /// The column of a function of time, a new one if need be.
    fn column(&mut self, input: Input) -> Option<u32> {
        let key = (input.power, input.rate.to_bits(), input.frequency.to_bits(), input.sine);
        if let Some(&column) = self.known.get(&key) {
            return Some(column);
        }
        let good = input.power <= MAX_POWER && input.rate.is_finite() && input.frequency.is_finite();
        if !good || self.inputs.len() >= MAX_INPUTS {
            return None;
        }
        let column = self.states + self.inputs.len() as u32;
        self.inputs.push(input);
        self.known.insert(key, column);
        Some(column)
    }

    /// c · input; the sine of nothing is zero, and the constant function a constant.
    fn single(&mut self, mut input: Input, c: f64) -> Option<Form> {
        if input.rate == 0.0 {
            input.rate = 0.0; // not −0
        }
        if c == 0.0 || (input.frequency == 0.0 && input.sine) {
            return Some(Form::default());
        }
        if input == (Input { power: 0, rate: 0.0, frequency: 0.0, sine: false }) {
            return Some(Form { terms: Vec::new(), constant: c });
        }
        Some(Form { terms: vec![(self.column(input)?, c)], constant: 0.0 })
    }

    /// Adds the functions that derivatives need, leaves out those that no row needs, and makes the matrix.
    fn close(mut self, rows: Vec<Form>, origin: f64) -> Option<LinearForm> {
        let mut place: FxHashMap<u32, u32> = FxHashMap::default();
        let mut needed: Vec<Input> = Vec::new();
        let mut matrix = SparseRows::new();
        let mut constant = Vec::with_capacity(rows.len());
        for form in &rows {
            if !form.constant.is_finite() || form.terms.iter().any(|(_, c)| !c.is_finite()) {
                return None;
            }
            for &(column, _) in form.terms.iter().filter(|&&(column, c)| column >= self.states && c != 0.0) {
                self.place(column, &mut place, &mut needed);
            }
            let moved = |&(column, c): &(u32, f64)| (place.get(&column).copied().unwrap_or(column), c);
            let mut terms: Vec<(u32, f64)> = form.terms.iter().filter(|(_, c)| *c != 0.0).map(moved).collect();
            terms.sort_by_key(|&(column, _)| column);
            matrix.push(terms);
            constant.push(form.constant);
        }
        let mut k = 0;
        while k < needed.len() {
            let mut terms = Vec::new();
            for (input, c) in needed[k].derivative() {
                let form = self.single(input, c)?;
                // (τ)′ = 1 is an input of its own: the constant function
                let column = match form.terms.first() {
                    Some(&(column, _)) => column,
                    None => self.column(input)?,
                };
                terms.push((self.place(column, &mut place, &mut needed), c));
            }
            terms.sort_by_key(|&(column, _)| column);
            matrix.push(terms);
            k += 1;
        }
        Some(LinearForm { matrix, constant, inputs: needed, origin })
    }

    /// The final column of a function.
    fn place(&self, column: u32, place: &mut FxHashMap<u32, u32>, needed: &mut Vec<Input>) -> u32 {
        *place.entry(column).or_insert_with(|| {
            needed.push(self.inputs[(column - self.states) as usize]);
            self.states + needed.len() as u32 - 1
        })
    }
}
