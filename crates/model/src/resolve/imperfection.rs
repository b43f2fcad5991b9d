//! What a real loop does to its signals: `quantize`, `saturate`, `noise`. All three are made of what the language has already:
//! floors and selections, whose thresholds are switches, and a counter that is a held value.

use super::{Resolver, View};
use crate::{Given, Role};
use ordinate_expr::{Decimal, ExprId, Function, PER_SEED, SEEDS, VarId};
use ordinate_syntax::{Diagnostic, Span};

/// Their names.
pub(super) const NAMES: [&str; 3] = ["quantize", "saturate", "noise"];

/// How each is written.
pub(super) fn usage(name: &str) -> &'static str {
    match name {
        "quantize" => "write `quantize(x, q)`: x rounded to the nearest multiple of q",
        "saturate" => "write `saturate(x, low, high)`, or `saturate(x, m)` for the limits -m and m",
        _ => "write `noise(seed, sigma)` inside `every` or `when`, `noise(seed, sigma, Ts)` elsewhere",
    }
}

impl Resolver<'_> {
    pub(super) fn imperfection(&mut self, name: &str, a: &[ExprId], places: &[Span], span: Span, view: View) -> ExprId {
        let result = match name {
            "quantize" => self.quantize(a, places, span, view),
            "saturate" => self.saturate(a, places, span, view),
            _ => self.noise(a, places, span, view),
        };
        result.unwrap_or(a[0])
    }

    /// ```text
    ///   quantize(x, q) = q ⌊x/q + 1/2⌋
    /// ```
    fn quantize(&mut self, a: &[ExprId], places: &[Span], span: Span, view: View) -> Option<ExprId> {
        let q = self.constant_of(a[1], places[1], "the step of `quantize`")?;
        if !(q > 0.0 && q.is_finite()) {
            let message = format!("the step of `quantize` must be positive, here it is {q}");
            let help = if q == 0.0 { "without steps, write the first argument alone" } else { usage("quantize") };
            self.report(Diagnostic::error("bad-value", places[1], message).help(help));
            return None;
        }
        let g = &mut self.model.graph;
        let half = g.constant(Decimal::new(5, -1).expect("one half"));
        let steps = g.div(a[0], a[1]);
        let shifted = g.add(steps, half);
        let level = self.call_known("floor", &[shifted], span, view);
        Some(self.model.graph.mul(a[1], level))
    }

    /// ```text
    ///   saturate(x, low, high) = max(low, min(x, high)),      saturate(x, m) = saturate(x, −m, m)
    /// ```
    fn saturate(&mut self, a: &[ExprId], places: &[Span], span: Span, view: View) -> Option<ExprId> {
        let low = if a.len() == 3 { a[1] } else { self.model.graph.neg(a[1]) };
        let high = a[a.len() - 1];
        if let (Some(below), Some(above)) = (self.model.constant(low), self.model.constant(high))
            && below > above
        {
            let message = match a.len() {
                3 => format!("the lower limit of `saturate`, {below}, is above the upper one, {above}"),
                _ => format!("the limit of `saturate` must not be negative, here it is {above}"),
            };
            self.report(Diagnostic::error("bad-value", places[1], message).help(usage("saturate")));
            return None;
        }
        let capped = self.call_known("min", &[a[0], high], span, view);
        Some(self.call_known("max", &[capped, low], span, view))
    }

    /// Inside `every` and `when` number k of the sequence when they act for the k-th time, from 0; elsewhere number ⌊t/Ts⌋.
    fn noise(&mut self, a: &[ExprId], places: &[Span], span: Span, view: View) -> Option<ExprId> {
        let seed = self.constant_of(a[0], places[0], "the seed of `noise`")?;
        self.model.mark_structural(a[0]);
        if seed.fract() != 0.0 || !(0.0..SEEDS).contains(&seed) {
            let message = format!("the seed of `noise` is a whole number from 0 to {}, here it is {seed}", SEEDS - 1.0);
            let help = "each seed has its own sequence; take another seed for independent numbers";
            self.report(Diagnostic::error("bad-value", places[0], message).help(help));
            return None;
        }
        if let Some(sigma) = self.model.constant(a[1]).filter(|sigma| !(*sigma >= 0.0 && sigma.is_finite())) {
            let message = format!("the standard deviation of `noise` must not be negative, here it is {sigma}");
            self.report(Diagnostic::error("bad-value", places[1], message).help(usage("noise")));
            return None;
        }
        let number = match (self.counter, a.get(2), view) {
            (Some(known), None, View::Instant) => {
                let counter = known.unwrap_or_else(|| self.new_counter(span));
                self.model.graph.variable(counter)
            }
            (None, Some(&period), View::Trajectory) => {
                let seconds = self.constant_of(period, places[2], "the sample time of `noise`")?;
                if !(seconds > 0.0 && seconds.is_finite()) {
                    let message = format!("the sample time of `noise` must be positive, here it is {seconds}");
                    self.report(Diagnostic::error("bad-value", places[2], message).help(usage("noise")));
                    return None;
                }
                let time = self.model.graph.time();
                let samples = self.model.graph.div(time, period);
                self.call_known("floor", &[samples], span, view)
            }
            (Some(_), Some(_), _) => {
                let message =
                    "inside `every` and `when` `noise` has no sample time: it is drawn anew each time they act";
                self.report(
                    Diagnostic::error("noise-place", places[2], message).help("write `noise(seed, sigma)` here"),
                );
                return None;
            }
            (None, None, View::Trajectory) => {
                let message = "noise in continuous time needs a sample time, between two samples it is held";
                let help = "write `noise(seed, sigma, Ts)`, or draw it in `every Ts: …`";
                self.report(Diagnostic::error("noise-place", span, message).help(help));
                return None;
            }
            (None, _, View::Instant) | (Some(_), None, View::Trajectory) => {
                let message = "`noise` cannot stand in a value of one instant: it is drawn again and again";
                let help = "use it in an equation, or inside `every` and `when`";
                self.report(Diagnostic::error("noise-place", span, message).help(help));
                return None;
            }
        };
        let g = &mut self.model.graph;
        let (per_seed, seed) = (g.integer(PER_SEED as i64), g.integer(seed as i64));
        let first = g.mul(per_seed, seed);
        let key = g.add(first, number);
        let drawn = g.call(Function::Noise, key);
        Some(g.mul(a[1], drawn))
    }

    /// What counts how often the assignments at hand happened.
    fn new_counter(&mut self, span: Span) -> VarId {
        let name = format!("count {}", self.model.actions.len() + 1);
        let counter = self.new_quantity(name.clone(), name, Role::Held, span);
        let quantity = self.model.quantities.last_mut().expect("just made");
        (quantity.hidden, quantity.declared) = (true, true);
        let zero = self.model.graph.integer(0);
        self.model.starts.push(Given { var: counter, value: zero, span, at: None });
        self.counter = Some(Some(counter));
        counter
    }

    /// The end of the assignments of `when` or `every`: counts them, if something asked for it.
    pub(super) fn count_on(&mut self) -> Option<(VarId, ExprId)> {
        let counter = self.counter.take().flatten()?;
        // What functions of the model drew from this count must not serve other assignments.
        self.called.retain(|(_, _, instant), _| !instant);
        let g = &mut self.model.graph;
        let (now, one) = (g.variable(counter), g.integer(1));
        Some((counter, g.add(now, one)))
    }
}
