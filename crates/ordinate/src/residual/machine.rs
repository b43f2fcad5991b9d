//! Evaluates the operations of a text at a point, in interval arithmetic. Nothing of the model that was made from it takes part but the
//! values of names.
//!
//! A condition that is open within the bounds of what it compares has both outcomes, and so has what depends on it.

use super::code::Op;
use super::series::Series;
use ordinate_expr::{Function, Interval, PER_SEED};
use ordinate_syntax::BinaryOp;

const TRUE: Interval = Interval::ONE;
const FALSE: Interval = Interval::ZERO;
const OPEN: Interval = Interval { low: 0.0, high: 1.0 };

/// Who decides conditions.
pub(super) enum Decisions {
    /// What they compare.
    Own,
    /// The same, written down in the order of evaluation.
    Record(Vec<Interval>),
    /// What was written down, from this place on.
    Replay(Vec<Interval>, usize),
}

/// Results of operations at one time.
pub(super) struct Machine<const N: usize> {
    t: Interval,
    results: Vec<Series<N>>,
    pub decisions: Decisions,
}

impl Machine<1> {
    /// An operation on constants.
    pub fn of_constants(op: Op, constant: impl Fn(u32) -> Interval) -> Interval {
        let mut machine = Machine::<1>::new(Interval::ALL);
        let op = op.moved(|operand| {
            machine.results.push(Series::constant(constant(operand)));
            (machine.results.len() - 1) as u32
        });
        machine.result(op, &[], &mut |_| Series::UNKNOWN).value()
    }
}

impl<const N: usize> Machine<N> {
    pub fn new(t: Interval) -> Machine<N> {
        Machine { t, results: Vec::new(), decisions: Decisions::Own }
    }

    /// Evaluates operations inside of loops with these indices; `value` gives what the references stand for.
    pub fn run(&mut self, ops: &[Op], loops: &[i64], mut value: impl FnMut(u32) -> Series<N>) {
        self.results.clear();
        self.results.reserve(ops.len());
        for op in ops {
            let result = self.result(*op, loops, &mut value);
            self.results.push(result);
        }
    }

    /// The result of an operation of the last list.
    pub fn at(&self, place: u32) -> Series<N> {
        self.results[place as usize]
    }

    fn result(&mut self, op: Op, loops: &[i64], value: &mut impl FnMut(u32) -> Series<N>) -> Series<N> {
        let zero = Series::integer(0);
        let truth = Series::constant;
        let at = |place: u32| self.results[place as usize];
        match op {
            Op::Unknown => Series::UNKNOWN,
            Op::Constant(value) => Series::constant(value),
            Op::Time => Series::time(self.t),
            Op::Index(loop_) => loops.get(loop_ as usize).map_or(Series::UNKNOWN, |k| Series::integer(*k)),
            Op::Value(reference) => value(reference),
            Op::Negated(a) => at(a).negated(),
            Op::Not(a) => truth(not(at(a).value())),
            Op::Binary(op, a, b) => {
                let (a, b) = (at(a), at(b));
                self.binary(op, a, b)
            }
            Op::If(c, a, b) => choose(at(c).value(), at(a), at(b)),
            Op::Call(f, a) => at(a).call(f),
            Op::Angle(y, x) => at(y).angle(at(x)),
            Op::Least(a, b) => {
                let (a, b) = (at(a), at(b));
                let first = self.less(a, b);
                choose(first, a, b)
            }
            Op::Greatest(a, b) => {
                let (a, b) = (at(a), at(b));
                let first = self.less(b, a);
                choose(first, a, b)
            }
            Op::Abs(a) => {
                let a = at(a);
                let negative = self.less(a, zero);
                choose(negative, a.negated(), a)
            }
            Op::Step(a) => {
                let a = at(a);
                truth(not(self.less(a, zero)))
            }
            Op::Sign(a) => {
                let a = at(a);
                let (below, above) = (self.less(a, zero), self.less(zero, a));
                truth(Interval { low: above.low - below.high, high: above.high - below.low })
            }
            Op::Pulse(x, width) => {
                let (x, width) = (at(x), at(width));
                let (before, inside) = (self.less(x, zero), self.less(x, width));
                truth(both(not(before), inside))
            }
            Op::Floor(a) => {
                let a = at(a).value();
                truth(self.floor(a))
            }
            Op::Quantize(x, q) => {
                let (x, q) = (at(x), at(q));
                let half = Series::constant(Interval::point(0.5));
                q.times(Series::constant(self.floor(x.over(q).plus(half).value())))
            }
            Op::Noise(seed, sigma, period) => {
                let (seed, sigma, period) = (at(seed), at(sigma), at(period));
                let number = self.floor(Series::time(self.t).over(period).value());
                // a sample is shared by two neighbours at most
                if !(number.is_bounded() && number.width() <= 1.0) {
                    return Series::UNKNOWN;
                }
                let drawn = |k: f64| Interval::point(Function::Noise.evaluate(PER_SEED * seed.value().low + k));
                sigma.times(Series::constant(drawn(number.low).hull(drawn(number.high))))
            }
        }
    }

    fn decide(&mut self, own: Interval) -> Interval {
        match &mut self.decisions {
            Decisions::Own => own,
            Decisions::Record(list) => {
                list.push(own);
                own
            }
            Decisions::Replay(list, next) => {
                *next += 1;
                // what is left open in two evaluations is open in both
                list.get(*next - 1).map_or(own, |known| known.hull(own))
            }
        }
    }

    /// Whether a < b.
    fn less(&mut self, a: Series<N>, b: Series<N>) -> Interval {
        let d = a.value().minus(b.value());
        self.decide(match () {
            () if d.high < 0.0 => TRUE,
            () if d.low >= 0.0 => FALSE,
            () => OPEN,
        })
    }

    fn at_most(&mut self, a: Series<N>, b: Series<N>) -> Interval {
        let greater = self.less(b, a);
        not(greater)
    }

    fn equal(&mut self, a: Series<N>, b: Series<N>) -> Interval {
        let d = a.value().minus(b.value());
        self.decide(match () {
            () if d == Interval::ZERO => TRUE,
            () if !d.contains_zero() => FALSE,
            () => OPEN,
        })
    }

    fn floor(&mut self, a: Interval) -> Interval {
        self.decide(Interval { low: a.low.floor(), high: a.high.floor() })
    }

    fn binary(&mut self, op: BinaryOp, a: Series<N>, b: Series<N>) -> Series<N> {
        let truth = Series::constant;
        match op {
            BinaryOp::Add => a.plus(b),
            BinaryOp::Sub => a.minus(b),
            BinaryOp::Mul => a.times(b),
            BinaryOp::Div => a.over(b),
            BinaryOp::Pow => a.raised(b),
            BinaryOp::Less => truth(self.less(a, b)),
            BinaryOp::Greater => truth(self.less(b, a)),
            BinaryOp::LessEqual => truth(self.at_most(a, b)),
            BinaryOp::GreaterEqual => truth(self.at_most(b, a)),
            BinaryOp::Equal => truth(self.equal(a, b)),
            BinaryOp::NotEqual => truth(not(self.equal(a, b))),
            BinaryOp::And => truth(both(a.value(), b.value())),
            BinaryOp::Or => truth(either(a.value(), b.value())),
        }
    }
}

fn not(a: Interval) -> Interval {
    Interval { low: 1.0 - a.high, high: 1.0 - a.low }
}

fn both(a: Interval, b: Interval) -> Interval {
    Interval { low: a.low.min(b.low), high: a.high.min(b.high) }
}

fn either(a: Interval, b: Interval) -> Interval {
    Interval { low: a.low.max(b.low), high: a.high.max(b.high) }
}

fn choose<const N: usize>(condition: Interval, then: Series<N>, otherwise: Series<N>) -> Series<N> {
    match condition {
        c if c.low > 0.0 => then,
        c if c.high <= 0.0 => otherwise,
        _ => then.hull(otherwise),
    }
}
