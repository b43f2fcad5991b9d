//! The symbols of the polynomials, each with its derivative along a solution, which is a polynomial in symbols again.
//! A function is a symbol of its own; a power is an exponent, not a symbol.

use super::Trouble;
use super::polynomial::{Monomial, Polynomial, Symbol};
use super::rational::Rational;
use ordinate_expr::{Decimal, ExprId, Function, Graph, VarId};
use rustc_hash::FxHashMap;

/// What a symbol stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A state of the model.
    State(VarId),
    /// t
    Time,
    /// An expression that is constant between events.
    Constant(ExprId),
    /// 1 where the condition (constant between events) has this truth, otherwise 0.
    Choice(ExprId, bool),
    /// A sum.
    Sum(Polynomial),
    /// f(a)
    Call(Function, Polynomial),
    /// atan2(y, x)
    Angle(Polynomial, Polynomial),
    /// aᵇ with a constant b that is no small fraction.
    Power(Polynomial, ExprId),
    /// aᵇ
    General(Polynomial, Polynomial),
}

/// The growing table of symbols over a graph of expressions.
#[derive(Clone)]
pub struct Symbols {
    pub graph: Graph,
    kinds: Vec<Kind>,
    index: FxHashMap<Kind, Symbol>,
    derivatives: Vec<Option<Polynomial>>,
    values: Vec<Option<ExprId>>,
    /// By symbol: whether its positive powers are kept instead of multiplied out.
    named: Vec<bool>,
    /// Whether rates of sums with several terms become symbols, and factors that are sums.
    pub name_rates: bool,
    pub name_factors: bool,
    /// How many times a sum is the rate of another one.
    generation: Vec<u32>,
    any_choice: bool,
    /// Work that may still be done, in terms looked at.
    work: std::cell::Cell<u64>,
    /// Values of parameters.
    pub parameters: FxHashMap<VarId, f64>,
}

/// A product of sums with more terms than this is not multiplied out.
const MOST_TERMS: usize = 400;

/// Rates of rates of … sums that get a name: without a bound there would be no end of them.
const MOST_GENERATIONS: u32 = 2;

impl Symbols {
    pub fn new(graph: Graph, parameters: FxHashMap<VarId, f64>, name_rates: bool, name_factors: bool) -> Self {
        Symbols {
            graph,
            kinds: Vec::new(),
            index: FxHashMap::default(),
            derivatives: Vec::new(),
            values: Vec::new(),
            named: Vec::new(),
            name_rates,
            name_factors,
            generation: Vec::new(),
            any_choice: false,
            work: std::cell::Cell::new(0),
            parameters,
        }
    }

    /// Sets the work that may be done from now on.
    pub fn allow_work(&self, terms: u64) {
        self.work.set(terms);
    }

    /// Notes that so many terms are looked at.
    pub fn spend(&self, terms: usize) -> Result<(), Trouble> {
        let left = self.work.get().checked_sub(terms as u64).ok_or(Trouble::TooLong)?;
        self.work.set(left);
        Ok(())
    }

    /// The symbol of a kind, made at its first use.
    pub fn symbol(&mut self, kind: Kind) -> Symbol {
        if let Some(&known) = self.index.get(&kind) {
            return known;
        }
        let id = Symbol(self.kinds.len() as u32);
        self.any_choice |= matches!(kind, Kind::Choice(..));
        self.kinds.push(kind.clone());
        self.index.insert(kind, id);
        self.derivatives.push(None);
        self.values.push(None);
        self.named.push(false);
        self.generation.push(0);
        id
    }

    pub fn kind(&self, s: Symbol) -> &Kind {
        &self.kinds[s.0 as usize]
    }

    /// All symbols made so far.
    pub fn all(&self) -> impl Iterator<Item = Symbol> + use<> {
        (0..self.kinds.len() as u32).map(Symbol)
    }

    pub fn known(&self, kind: &Kind) -> Option<Symbol> {
        self.index.get(kind).copied()
    }

    /// Whether a symbol is constant between events.
    pub fn is_constant(&self, s: Symbol) -> bool {
        matches!(self.kind(s), Kind::Constant(_) | Kind::Choice(..))
    }

    pub fn is_named(&self, s: Symbol) -> bool {
        self.named[s.0 as usize]
    }

    pub fn set_derivative(&mut self, s: Symbol, derivative: Polynomial) {
        self.derivatives[s.0 as usize] = Some(derivative);
    }

    /// A constant expression as a factor.
    pub fn constant(&mut self, e: ExprId) -> Polynomial {
        let known = self.graph.constant_value(e).and_then(Rational::from_decimal);
        match known {
            Some(value) => Polynomial::constant(value),
            None => Polynomial::symbol(self.symbol(Kind::Constant(e))),
        }
    }

    /// A fraction as an expression.
    pub fn fraction(&mut self, value: Rational) -> ExprId {
        let part = |g: &mut Graph, n: i128| {
            let decimal = Decimal::new(n, 0).expect("a fraction of fewer than 36 digits");
            g.constant(decimal)
        };
        let (n, d) = (part(&mut self.graph, value.numerator()), part(&mut self.graph, value.denominator()));
        self.graph.div(n, d)
    }

    /// a · b. A choice is its own square, and two opposite ones exclude each other.
    pub fn times(&mut self, a: &Polynomial, b: &Polynomial) -> Result<Polynomial, Trouble> {
        if a.len() > 1 && b.len() > 1 && (self.name_factors || a.len() * b.len() > MOST_TERMS) {
            let (p, q) = (self.name(a)?, self.name(b)?);
            return self.multiplied(&p, &q);
        }
        self.multiplied(a, b)
    }

    fn multiplied(&self, a: &Polynomial, b: &Polynomial) -> Result<Polynomial, Trouble> {
        self.spend(a.len() * b.len())?;
        let mut out = Polynomial::default();
        for (m, &c) in &a.0 {
            for (n, &d) in &b.0 {
                if let Some(product) = self.monomial_times(m, n)? {
                    out.add_term(product, c.times(d).ok_or(Trouble::TooLarge)?)?;
                }
            }
        }
        Ok(out)
    }

    /// m · n, `None` for 0.
    fn monomial_times(&self, m: &Monomial, n: &Monomial) -> Result<Option<Monomial>, Trouble> {
        let mut product = m.times(n)?;
        if self.any_choice {
            let mut truths: Vec<(ExprId, bool)> = Vec::new();
            for (s, e) in &mut product.0 {
                if let Kind::Choice(condition, truth) = *self.kind(*s) {
                    *e = Rational::ONE;
                    truths.push((condition, truth));
                }
            }
            if truths.iter().any(|&(condition, truth)| truths.contains(&(condition, !truth))) {
                return Ok(None);
            }
        }
        Ok(Some(product))
    }

    /// A sum of several terms as one symbol times a number.
    pub fn name(&mut self, p: &Polynomial) -> Result<Polynomial, Trouble> {
        if p.len() < 2 {
            return Ok(p.clone());
        }
        let (content, primitive) = p.primitive(true)?;
        let s = self.symbol(Kind::Sum(primitive));
        self.named[s.0 as usize] = true;
        Ok(Polynomial::term(Monomial::symbol(s), content))
    }

    /// c · (other things constant) to a power as a factor.
    fn constant_power(&mut self, base: ExprId, e: Rational) -> Polynomial {
        let exponent = self.fraction(e);
        let power = self.graph.pow(base, exponent);
        self.constant(power)
    }

    /// pᵉ
    pub fn power(&mut self, p: &Polynomial, e: Rational) -> Result<Polynomial, Trouble> {
        let whole = e.is_integer().then(|| i64::try_from(e.numerator()).ok()).flatten();
        match whole {
            Some(0) => return Ok(Polynomial::constant(Rational::ONE)),
            Some(1) => return Ok(p.clone()),
            _ => {}
        }
        if p.is_zero() {
            return if e.is_negative() { Err(Trouble::DivisionByZero) } else { Ok(Polynomial::default()) };
        }
        if let Some((m, c)) = p.single() {
            let m = m.clone();
            return self.monomial_power(&m, c, e, whole);
        }
        if let Some(n) = whole.filter(|&n| n > 1 && !self.name_factors) {
            // C(terms + n − 1, n) terms at most
            let terms = (0..n).fold(1.0, |c, k| c * (p.len() as f64 + k as f64) / (k as f64 + 1.0));
            if terms <= MOST_TERMS as f64 {
                let mut out = p.clone();
                for _ in 1..n {
                    out = self.multiplied(&out, p)?;
                }
                return Ok(out);
            }
        }
        // q and −q are one symbol where the sign can be taken out
        let negative = whole.is_some() && p.0.values().next().is_some_and(|c| c.is_negative());
        let sign = Rational::integer(if negative { -1 } else { 1 });
        let s = self.symbol(Kind::Sum(p.scaled(sign)?));
        self.named[s.0 as usize] |= whole.is_some_and(|n| n > 0);
        let number = self.number_power(sign, e, whole)?;
        self.multiplied(&number, &Polynomial::term(Monomial::power_of(s, e), Rational::ONE))
    }

    fn number_power(&mut self, c: Rational, e: Rational, whole: Option<i64>) -> Result<Polynomial, Trouble> {
        if c == Rational::ONE {
            return Ok(Polynomial::constant(c));
        }
        if let Some(exact) = whole.and_then(|n| c.power(n)) {
            return Ok(Polynomial::constant(exact));
        }
        let base = self.fraction(c);
        Ok(self.constant_power(base, e))
    }

    /// (c m)ᵉ: taken apart where that is right for every sign of the factors.
    fn monomial_power(
        &mut self,
        m: &Monomial,
        c: Rational,
        e: Rational,
        whole: Option<i64>,
    ) -> Result<Polynomial, Trouble> {
        let has_choice = m.0.iter().any(|&(s, _)| matches!(self.kind(s), Kind::Choice(..)));
        if has_choice && whole.is_none_or(|n| n < 0) {
            let s = self.symbol(Kind::Sum(Polynomial::term(m.clone(), c)));
            return Ok(Polynomial::term(Monomial::power_of(s, e), Rational::ONE));
        }
        if whole.is_some() {
            let number = self.number_power(c, e, whole)?;
            return self.multiplied(&number, &Polynomial::term(m.power(e)?, Rational::ONE));
        }
        // a factor that has a broken exponent already, or is an exponential, is positive
        let (mut apart, mut rest) = (Monomial::default(), Monomial::default());
        let mut constants = Polynomial::constant(Rational::ONE);
        for &(s, f) in &m.0 {
            let factor = Monomial::power_of(s, f);
            match self.kind(s).clone() {
                Kind::Call(Function::Exp, _) => apart = apart.times(&factor.power(e)?)?,
                Kind::Constant(k) if self.constant_value(k).is_some_and(|value| value > 0.0) => {
                    let power = f.times(e).ok_or(Trouble::TooLarge)?;
                    let factor = match power.is_integer() {
                        true => Polynomial::term(Monomial::power_of(s, power), Rational::ONE),
                        false => self.constant_power(k, power),
                    };
                    constants = self.multiplied(&constants, &factor)?;
                }
                _ if !f.is_integer() => apart = apart.times(&factor.power(e)?)?,
                _ => rest = rest.times(&factor)?,
            }
        }
        let positive = !c.is_negative();
        let number = self.number_power(if positive { c } else { c.negate() }, e, None)?;
        let rest = match (rest.0.as_slice(), positive) {
            ([], true) => Monomial::default(),
            (&[(s, f)], true) if f == Rational::ONE => Monomial::power_of(s, e),
            _ => {
                let sign = Rational::integer(if positive { 1 } else { -1 });
                Monomial::power_of(self.symbol(Kind::Sum(Polynomial::term(rest, sign))), e)
            }
        };
        let product = self.multiplied(&number, &constants)?;
        self.multiplied(&product, &Polynomial::term(apart.times(&rest)?, Rational::ONE))
    }

    /// The value of a constant of numbers and parameters.
    pub fn constant_value(&mut self, e: ExprId) -> Option<f64> {
        let parameters = &self.parameters;
        self.graph.evaluate(e, |leaf| match leaf {
            ordinate_expr::Expr::Var(v) => parameters.get(&v).copied(),
            _ => None,
        })
    }

    /// f(p), p not constant.
    pub fn call(&mut self, f: Function, p: Polynomial) -> Result<Polynomial, Trouble> {
        let half = Rational::new(1, 2).expect("a half");
        match f {
            Function::Sqrt => self.power(&p, half),
            // exp(c p) = exp(p)ᶜ
            Function::Exp => {
                let (content, primitive) = p.primitive(true)?;
                let s = self.symbol(Kind::Call(f, primitive));
                Ok(Polynomial::term(Monomial::power_of(s, content), Rational::ONE))
            }
            Function::Log10 => {
                let ten = self.graph.integer(10);
                let log_ten = self.graph.call(Function::Log, ten);
                let scale = self.constant(log_ten);
                let scale = self.power(&scale, Rational::ONE.negate())?;
                let log = self.call(Function::Log, p)?;
                self.multiplied(&scale, &log)
            }
            // odd functions and even ones: the sign comes out
            Function::Sin
            | Function::Tan
            | Function::Sinh
            | Function::Tanh
            | Function::Asin
            | Function::Atan
            | Function::Asinh
            | Function::Atanh
            | Function::Erf
            | Function::Cbrt
            | Function::Cos
            | Function::Cosh => {
                let negative = p.0.values().next().is_some_and(|c| c.is_negative());
                let even = matches!(f, Function::Cos | Function::Cosh);
                let sign = Rational::integer(if negative { -1 } else { 1 });
                let s = self.symbol(Kind::Call(f, p.scaled(sign)?));
                Ok(Polynomial::term(Monomial::symbol(s), if even { Rational::ONE } else { sign }))
            }
            Function::Expm1 => {
                let mut less_one = self.call(Function::Exp, p)?;
                less_one.add_term(Monomial::default(), Rational::ONE.negate())?;
                Ok(less_one)
            }
            Function::Log1p => {
                let mut sum = p;
                sum.add_term(Monomial::default(), Rational::ONE)?;
                self.call(Function::Log, sum)
            }
            // p/(eᵖ − 1); there is no polynomial system that is regular where p is zero
            Function::Bernoulli => {
                let below = self.call(Function::Expm1, p.clone())?;
                let inverse = self.power(&below, Rational::integer(-1))?;
                self.times(&p, &inverse)
            }
            // 1/tanh p − 1/p and its derivative 1 − L² − 2L/p
            Function::Langevin | Function::LangevinSlope => {
                let tanh = self.call(Function::Tanh, p.clone())?;
                let [mut langevin, inverse] =
                    [self.power(&tanh, Rational::integer(-1))?, self.power(&p, Rational::integer(-1))?];
                langevin.add_scaled(&inverse, Rational::integer(-1))?;
                if f == Function::Langevin {
                    return Ok(langevin);
                }
                let mut slope = Polynomial::constant(Rational::ONE);
                slope.add_scaled(&self.times(&langevin, &langevin)?, Rational::integer(-1))?;
                slope.add_scaled(&self.times(&langevin, &inverse)?, Rational::integer(-2))?;
                Ok(slope)
            }
            Function::Acos | Function::Acosh | Function::Log | Function::Logistic | Function::Softplus => {
                Ok(Polynomial::symbol(self.symbol(Kind::Call(f, p))))
            }
            Function::Abs | Function::Sign | Function::Floor | Function::Noise => Err(Trouble::NotSmooth(f)),
        }
    }

    /// dp/dt
    pub fn derivative(&mut self, p: &Polynomial) -> Result<Polynomial, Trouble> {
        let mut out = Polynomial::default();
        for (m, &c) in &p.0 {
            for k in 0..m.0.len() {
                let (s, e) = m.0[k];
                if self.is_constant(s) {
                    continue;
                }
                let rate = self.rate(s)?;
                let lower = m.over(&Monomial::symbol(s))?;
                let factor = Polynomial::term(lower, c.times(e).ok_or(Trouble::TooLarge)?);
                out.add_scaled(&self.multiplied(&factor, &rate)?, Rational::ONE)?;
            }
        }
        Ok(out)
    }

    /// ds/dt. The recursion is as deep as functions are nested in each other.
    pub fn rate(&mut self, s: Symbol) -> Result<Polynomial, Trouble> {
        if let Some(known) = &self.derivatives[s.0 as usize] {
            return Ok(known.clone());
        }
        let one = Polynomial::constant(Rational::ONE);
        let symbol = Polynomial::symbol(s);
        let rate = match self.kind(s).clone() {
            Kind::State(_) => unreachable!("the rates of states are set when the table is made"),
            Kind::Time => one,
            Kind::Constant(_) | Kind::Choice(..) => Polynomial::default(),
            Kind::Sum(p) => {
                let raw = self.derivative(&p)?;
                let short = super::reduce::reduce(self, raw)?;
                let generation = self.generation[s.0 as usize];
                if self.name_rates && short.len() > 1 && generation < MOST_GENERATIONS {
                    let named = self.name(&short)?;
                    if let Some((&(rate, _), _)) = named.single().and_then(|(m, c)| m.0.first().zip(Some(c))) {
                        let known = &mut self.generation[rate.0 as usize];
                        *known = (*known).max(generation + 1);
                    }
                    named
                } else {
                    short
                }
            }
            Kind::Call(f, p) => {
                let slope = self.slope(f, &p, &symbol)?;
                let inner = self.derivative(&p)?;
                self.times(&slope, &inner)?
            }
            // atan2(y, x)′ = (x y′ − y x′) / (x² + y²)
            Kind::Angle(y, x) => {
                let (dy, dx) = (self.derivative(&y)?, self.derivative(&x)?);
                let mut top = self.times(&x, &dy)?;
                top.add_scaled(&self.times(&y, &dx)?, Rational::integer(-1))?;
                let (xx, yy) = (self.power(&x, Rational::integer(2))?, self.power(&y, Rational::integer(2))?);
                let mut bottom = xx;
                bottom.add_scaled(&yy, Rational::ONE)?;
                let inverse = self.power(&bottom, Rational::integer(-1))?;
                self.times(&top, &inverse)?
            }
            // (aᵇ)′ = b aᵇ a′ / a
            Kind::Power(a, b) => {
                let inner = self.derivative(&a)?;
                let inverse = self.power(&a, Rational::integer(-1))?;
                let exponent = self.constant(b);
                let product = self.times(&inner, &inverse)?;
                let product = self.times(&product, &exponent)?;
                self.times(&product, &symbol)?
            }
            // (aᵇ)′ = aᵇ (b′ log a + b a′ / a)
            Kind::General(a, b) => {
                let (da, db) = (self.derivative(&a)?, self.derivative(&b)?);
                let log = self.logarithm(&a)?;
                let mut sum = self.times(&db, &log)?;
                if !da.is_zero() {
                    let inverse = self.power(&a, Rational::integer(-1))?;
                    let product = self.times(&b, &da)?;
                    sum.add_scaled(&self.times(&product, &inverse)?, Rational::ONE)?;
                }
                self.times(&symbol, &sum)?
            }
        };
        let rate = super::reduce::reduce(self, rate)?;
        self.derivatives[s.0 as usize] = Some(rate.clone());
        Ok(rate)
    }

    fn logarithm(&mut self, a: &Polynomial) -> Result<Polynomial, Trouble> {
        if a.0.keys().all(|m| m.0.iter().all(|&(s, _)| self.is_constant(s))) {
            let base = self.expression(a);
            let log = self.graph.call(Function::Log, base);
            return Ok(self.constant(log));
        }
        self.call(Function::Log, a.clone())
    }

    /// f′(p), where `value` is the symbol f(p).
    fn slope(&mut self, f: Function, p: &Polynomial, value: &Polynomial) -> Result<Polynomial, Trouble> {
        let one = Polynomial::constant(Rational::ONE);
        let number = |n: i64| Rational::integer(n);
        let half = |n: i128| Rational::new(n, 2).expect("a half");
        // 1 + c a²
        let quadratic = |table: &mut Self, first: i64, c: i64, a: &Polynomial| {
            let mut sum = table.power(a, number(2))?.scaled(number(c))?;
            sum.add_term(Monomial::default(), number(first))?;
            Ok::<Polynomial, Trouble>(sum)
        };
        match f {
            Function::Exp => Ok(value.clone()),
            Function::Log => self.power(p, number(-1)),
            Function::Sin => Ok(Polynomial::symbol(self.symbol(Kind::Call(Function::Cos, p.clone())))),
            Function::Cos => Polynomial::symbol(self.symbol(Kind::Call(Function::Sin, p.clone()))).scaled(number(-1)),
            Function::Sinh => Ok(Polynomial::symbol(self.symbol(Kind::Call(Function::Cosh, p.clone())))),
            Function::Cosh => Ok(Polynomial::symbol(self.symbol(Kind::Call(Function::Sinh, p.clone())))),
            Function::Tan => quadratic(self, 1, 1, value),
            Function::Tanh => quadratic(self, 1, -1, value),
            Function::Asin | Function::Acos => {
                let inside = quadratic(self, 1, -1, p)?;
                self.power(&inside, half(-1))?.scaled(number(if f == Function::Asin { 1 } else { -1 }))
            }
            Function::Atan => {
                let inside = quadratic(self, 1, 1, p)?;
                self.power(&inside, number(-1))
            }
            Function::Atanh => {
                let inside = quadratic(self, 1, -1, p)?;
                self.power(&inside, number(-1))
            }
            Function::Asinh => {
                let inside = quadratic(self, 1, 1, p)?;
                self.power(&inside, half(-1))
            }
            Function::Acosh => {
                let inside = quadratic(self, -1, 1, p)?;
                self.power(&inside, half(-1))
            }
            Function::Cbrt => self.power(value, number(-2))?.scaled(Rational::new(1, 3).expect("a third")),
            // σ(p) σ(−p), and not σ − σ²: what is nearly 1 keeps the digits of its rest
            Function::Logistic => {
                let opposite = self.call(f, p.scaled(number(-1))?)?;
                self.times(value, &opposite)
            }
            Function::Softplus => self.call(Function::Logistic, p.clone()),
            // 2/√π exp(−p²)
            Function::Erf => {
                let (pi, two) = (self.graph.pi(), self.graph.integer(2));
                let root = self.graph.call(Function::Sqrt, pi);
                let factor = self.graph.div(two, root);
                let factor = self.constant(factor);
                let square = self.power(p, number(2))?.scaled(number(-1))?;
                let bell = self.call(Function::Exp, square)?;
                self.times(&factor, &bell)
            }
            // they are made of other symbols
            Function::Sqrt
            | Function::Log10
            | Function::Expm1
            | Function::Log1p
            | Function::Bernoulli
            | Function::Langevin
            | Function::LangevinSlope => Ok(one.scaled(Rational::ZERO)?),
            Function::Abs | Function::Sign | Function::Floor | Function::Noise => Err(Trouble::NotSmooth(f)),
        }
    }

    /// The expression of the model that a symbol stands for.
    pub fn value(&mut self, s: Symbol) -> ExprId {
        if let Some(known) = self.values[s.0 as usize] {
            return known;
        }
        let e = match self.kind(s).clone() {
            Kind::State(v) => self.graph.variable(v),
            Kind::Time => self.graph.time(),
            Kind::Constant(e) => e,
            Kind::Choice(condition, truth) => {
                let (zero, one) = (self.graph.integer(0), self.graph.integer(1));
                let (yes, no) = if truth { (one, zero) } else { (zero, one) };
                self.graph.select(condition, yes, no)
            }
            Kind::Sum(p) => self.expression(&p),
            Kind::Call(f, p) => {
                let inner = self.expression(&p);
                self.graph.call(f, inner)
            }
            Kind::Angle(y, x) => {
                let (y, x) = (self.expression(&y), self.expression(&x));
                self.graph.atan2(y, x)
            }
            Kind::Power(a, b) => {
                let a = self.expression(&a);
                self.graph.pow(a, b)
            }
            Kind::General(a, b) => {
                let (a, b) = (self.expression(&a), self.expression(&b));
                self.graph.pow(a, b)
            }
        };
        self.values[s.0 as usize] = Some(e);
        e
    }

    /// A product of powers as an expression: what has negative exponents below the line, roots as roots.
    pub fn product(&mut self, m: &Monomial) -> ExprId {
        let one = self.graph.integer(1);
        let (mut top, mut bottom) = (one, one);
        for &(s, e) in &m.0 {
            let base = self.value(s);
            let size = e.abs();
            let power = match (self.kind(s).clone(), size.numerator(), size.denominator()) {
                // exp(a)ᶜ = exp(c a): no detour over numbers that do not fit
                (Kind::Call(Function::Exp, p), ..) => {
                    let inner = self.expression(&p);
                    let c = self.fraction(e);
                    let exponent = self.graph.mul(c, inner);
                    let value = self.graph.call(Function::Exp, exponent);
                    top = self.graph.mul(top, value);
                    continue;
                }
                (_, 1, 2) => self.graph.call(Function::Sqrt, base),
                (_, 2, 1) => self.graph.square(base),
                _ => {
                    let exponent = self.fraction(size);
                    self.graph.pow(base, exponent)
                }
            };
            if e.is_negative() {
                bottom = self.graph.mul(bottom, power);
            } else {
                top = self.graph.mul(top, power);
            }
        }
        self.graph.div(top, bottom)
    }

    /// c · e as an expression.
    pub fn scaled(&mut self, c: Rational, e: ExprId) -> ExprId {
        let n = self.fraction(c);
        self.graph.mul(n, e)
    }

    /// A polynomial as an expression of the model.
    pub fn expression(&mut self, p: &Polynomial) -> ExprId {
        let mut sum = self.graph.integer(0);
        // what is added first, so that no sum begins with a minus if it need not
        for negative in [false, true] {
            for (m, &c) in p.0.iter().filter(|(_, c)| c.is_negative() == negative) {
                let product = self.product(m);
                let term = self.scaled(c.abs(), product);
                sum = if negative { self.graph.sub(sum, term) } else { self.graph.add(sum, term) };
            }
        }
        sum
    }
}
