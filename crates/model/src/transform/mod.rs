//! The automatic transformation: any sorted model to an equivalent autonomous system whose right-hand sides are
//! polynomials in the states (Veigend, PhD thesis, Brno 2023, sec. 3.4), then shorter products.
//!
//! ```text
//!   Sorted ─lift→ polynomials in symbols ─shorten→ set of states ─assemble→ Sorted, terms
//! ```
//!
//! The states of the model come first, in their order; auxiliary ones follow, each with a definition in the
//! quantities of the model, which gives its start value and its value after an event. Modes of switches and held values
//! count as constants: they are, between events.

mod algebra;
mod assemble;
mod branches;
mod lift;
mod polynomial;
mod rational;
mod reduce;
mod sharing;
mod shorten;
mod symbols;

use crate::Sorted;
pub use algebra::{Group, Squares, simplified, squares, vanishes};
use ordinate_expr::{ExprId, Function};
use ordinate_syntax::Diagnostic;
use polynomial::{Monomial, Symbol};
use symbols::{Kind, Symbols};

/// c · Π of states.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// Constant between events.
    pub coefficient: ExprId,
    /// Indices of states, in increasing order; none for a constant.
    pub factors: Vec<usize>,
}

/// A model as a system of polynomials.
#[derive(Clone, Debug)]
pub struct Transformed {
    /// The transformed model: it compiles and runs like any other.
    pub sorted: Sorted,
    /// How many of the states are those of the model.
    pub visible: usize,
    /// The right-hand sides, one per state.
    pub equations: Vec<Vec<Term>>,
    /// What the auxiliary states stand for, in quantities of the model.
    pub meanings: Vec<ExprId>,
    /// Products of two series that one more Taylor term costs, common parts counted once.
    pub products: usize,
}

impl Transformed {
    /// The number of factors of the longest product.
    pub fn longest_product(&self) -> usize {
        self.equations.iter().flatten().map(|term| term.factors.len()).max().unwrap_or(0)
    }
}

/// What stands in the way of a transformation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// An exact number does not fit.
    TooLarge,
    /// A function that is not smooth and no switch.
    NotSmooth(Function),
    /// The polynomials become too long to go on.
    TooLong,
    /// A quotient by what is always zero.
    DivisionByZero,
}

/// Longest product of the default: beyond three factors the systems of the thesis are always shortened.
const DEFAULT_PRODUCT: usize = 3;
/// With more auxiliary states than this for three factors, two are not tried.
const PAYS: usize = 16;
/// Whether rates of sums and factors that are sums become states of their own: what is tried, in this order.
const NAMINGS: [(bool, bool); 4] = [(false, false), (true, true), (true, false), (false, true)];
const NAMINGS_OF_MANY: [(bool, bool); 4] = [(false, true), (true, true), (true, false), (false, false)];
/// What one more power in an auxiliary state costs, where a product costs a hundred.
const POWER: f64 = 50.0;
/// Models with more states are searched only once.
const SMALL: usize = 24;
/// Terms looked at in one search: about a tenth of a second.
const WORK: u64 = 500_000;
/// Auxiliary states of the system with long products beyond which it is not shortened.
const NESTED: usize = 14;
/// Trials for a smaller set of states.
const BUDGET: usize = 1500;

/// Transforms a model that was sorted without errors. `products` bounds the factors of a product; without it the bound
/// is three, and two where that costs neither more products nor more states in sum; where no such system is found with
/// reasonable work, products are as long as they come.
pub fn transform(sorted: &Sorted, products: Option<usize>) -> Result<Transformed, Vec<Diagnostic>> {
    if let Some(algebraic) = sorted.algebraic.first() {
        return Err(vec![unsolved(sorted, algebraic)]);
    }
    let small = sorted.states.len() <= SMALL;
    let mut attempts = Attempts { sorted, made: Default::default() };
    // a small model with very many functions has no short form worth the search
    let long = (small && products.is_none()).then(|| long_products(&mut attempts));
    let nested = matches!(&long, Some(Some(long)) if long.meanings.len() > NESTED);
    if !nested && let Some(best) = best_of_namings(&mut attempts, products, small, WORK)? {
        return Ok(best);
    }
    let long = long.unwrap_or_else(|| long_products(&mut attempts));
    if let Some(long) = long.filter(|long| products.is_none_or(|n| long.longest_product() <= n)) {
        return Ok(long);
    }
    let patient = if products.is_some() { best_of_namings(&mut attempts, products, small, 10 * WORK)? } else { None };
    patient.ok_or_else(|| vec![not_found(sorted, products)])
}

/// The system without any shortening, for models whose products cannot be shortened with reasonable work. One way of naming
/// may take hundreds of times the work of another, and what takes long is long: patience is for models that have no other.
fn long_products(attempts: &mut Attempts) -> Option<Transformed> {
    long_products_within(attempts, WORK).or_else(|| long_products_within(attempts, 100 * WORK))
}

fn long_products_within(attempts: &mut Attempts, work: u64) -> Option<Transformed> {
    let mut best: Option<(usize, Transformed)> = None;
    for naming in NAMINGS_OF_MANY {
        let Ok(mut attempt) = attempts.named(naming) else { continue };
        attempt.table.allow_work(work);
        let Ok(set) = shorten::unit_set(&mut attempt.table, &attempt.states) else { continue };
        let Ok((closed, cost)) = attempt.cost(set, usize::MAX) else { continue };
        if best.as_ref().is_none_or(|(known, _)| cost < *known) {
            best = assemble::assemble(attempts.sorted, &attempt, closed).ok().map(|result| (cost, result)).or(best);
        }
    }
    best.map(|(_, result)| result)
}

/// The cheapest system over the ways of naming sums; `None` where none was found with so much work each.
fn best_of_namings(
    attempts: &mut Attempts,
    products: Option<usize>,
    small: bool,
    work: u64,
) -> Result<Option<Transformed>, Vec<Diagnostic>> {
    let mut best: Option<(usize, Transformed)> = None;
    let mut trouble: Option<Vec<Diagnostic>> = None;
    let sorted = attempts.sorted;
    for naming in if small { NAMINGS } else { NAMINGS_OF_MANY } {
        let mut attempt = match attempts.named(naming) {
            Ok(attempt) => attempt,
            Err(found) => {
                trouble.get_or_insert(found);
                continue;
            }
        };
        let bounds: &[usize] = match &products {
            Some(n) => std::slice::from_ref(n),
            None => &[DEFAULT_PRODUCT, 2],
        };
        for &bound in bounds {
            let known = best.as_ref().map(|(cost, _)| *cost);
            // two factors do not pay for a model that needs very many states for three
            let many = best.as_ref().is_some_and(|(_, t)| t.meanings.len() > PAYS);
            if bound < DEFAULT_PRODUCT && products.is_none() && many {
                continue;
            }
            attempt.table.allow_work(work);
            let most = known.map_or(60 + 6 * sorted.states.len(), |cost| cost / 100);
            let budget = if small { BUDGET } else { 0 };
            let found = shorten::closed_set(&mut attempt.table, &attempt.states, bound, budget, most);
            // where three factors are too much work, two are more
            let Ok(Some(set)) = found else { break };
            attempt.table.allow_work(u64::MAX);
            let Ok((closed, cost)) = attempt.cost(set, bound) else { continue };
            if known.is_none_or(|known| cost < known) {
                let Ok(result) = assemble::assemble(sorted, &attempt, closed) else { continue };
                best = Some((cost, result));
            }
        }
        // without auxiliary states the other ways of naming change nothing; of a large model the first is good
        if best.as_ref().is_some_and(|(_, t)| t.meanings.is_empty() || !small) {
            break;
        }
    }
    match (best, trouble) {
        (Some((_, best)), _) => Ok(Some(best)),
        (None, Some(found)) => Err(found),
        (None, None) => Ok(None),
    }
}

/// The polynomials of a model, lifted once under each way of naming sums: that may be most of the work.
struct Attempts<'a> {
    sorted: &'a Sorted,
    made: rustc_hash::FxHashMap<(bool, bool), Result<Attempt, Vec<Diagnostic>>>,
}

impl Attempts<'_> {
    /// A copy, for a search adds symbols that another need not have.
    fn named(&mut self, naming: (bool, bool)) -> Result<Attempt, Vec<Diagnostic>> {
        let new = || Attempt::new(self.sorted, naming.0, naming.1);
        self.made.entry(naming).or_insert_with(new).clone()
    }
}

/// The polynomials of a model under one way of naming sums.
#[derive(Clone)]
struct Attempt {
    table: Symbols,
    states: Vec<Symbol>,
}

/// A closed set of states with its equations.
struct Closed {
    set: Vec<Monomial>,
    /// Per state: constant parts and factors.
    equations: Vec<Vec<(polynomial::Polynomial, Vec<usize>)>>,
    /// Per auxiliary state: where it is needed.
    branches: Vec<std::collections::BTreeSet<branches::Branch>>,
}

impl Attempt {
    fn new(sorted: &Sorted, name_rates: bool, name_factors: bool) -> Result<Attempt, Vec<Diagnostic>> {
        let model = &sorted.model;
        let mut table = Symbols::new(model.graph.clone(), model.values.clone(), name_rates, name_factors);
        let mut lift = lift::Lift::new(sorted);
        let states: Vec<Symbol> = sorted.states.iter().map(|state| table.symbol(Kind::State(state.var))).collect();
        table.allow_work(100 * WORK);
        let mut rates = Vec::with_capacity(states.len());
        let mut diagnostics = Vec::new();
        for state in &sorted.states {
            let root = table.graph.variable(state.derivative);
            match lift.lift(&mut table, root) {
                Ok(rate) => rates.push(rate),
                Err(trouble) => diagnostics.push(explain(sorted, state, trouble)),
            }
        }
        if !diagnostics.is_empty() {
            return Err(diagnostics);
        }
        // identities are known only now
        for (&s, rate) in states.iter().zip(rates) {
            let rate = reduce::reduce(&mut table, rate).map_err(|trouble| vec![general(sorted, trouble)])?;
            table.set_derivative(s, rate);
        }
        Ok(Attempt { table, states })
    }

    /// The equations of a closed set and what they cost: products, states, powers, and a little for every term.
    fn cost(&mut self, set: Vec<Monomial>, bound: usize) -> Result<(Closed, usize), Trouble> {
        let mut search = shorten::Search::new(&mut self.table, bound, 0, 0);
        set.iter().for_each(|m| search.push(m.clone()));
        let mut equations = Vec::with_capacity(set.len());
        for m in &set {
            let rate = search.rate(m)?;
            let mut terms: Vec<(polynomial::Polynomial, Vec<usize>)> = Vec::new();
            let mut place: rustc_hash::FxHashMap<Vec<usize>, usize> = Default::default();
            for (product, &c) in &rate.0 {
                let (moving, constant) = product.split(|s| !search.table.is_constant(s));
                let factors = search.decomposition(&moving)?.ok_or(Trouble::TooLarge)?;
                let k = *place.entry(factors.clone()).or_insert(terms.len());
                if k == terms.len() {
                    terms.push((polynomial::Polynomial::default(), factors));
                }
                terms[k].0.add_term(constant, c)?;
            }
            terms.retain(|(coefficient, _)| !coefficient.is_zero());
            terms.sort_by(|a, b| (a.1.len(), &a.1).cmp(&(b.1.len(), &b.1)));
            equations.push(terms);
        }
        let mut closed = Closed { set, equations, branches: Vec::new() };
        branches::prune(&self.table, &mut closed, self.states.len());
        let equations = &closed.equations;
        let products = sharing::Plan::new(equations.iter().flatten().map(|(_, factors)| factors.as_slice()));
        let terms: usize = equations.iter().map(Vec::len).sum();
        // 1/r⁵ varies over many powers of ten where 1/r varies over few: high powers are worth an extra product
        let degree: f64 = closed.set[self.states.len()..].iter().map(shorten::degree).sum();
        let cost = 100 * (products.count() + closed.set.len()) + terms + (POWER * degree) as usize;
        Ok((closed, cost))
    }
}

fn explain(sorted: &Sorted, state: &crate::State, trouble: Trouble) -> Diagnostic {
    let model = &sorted.model;
    let span = model.variable(state.derivative).span;
    let name = format!("{}'", model.name(state.var));
    match trouble {
        Trouble::TooLarge | Trouble::TooLong => Diagnostic::error(
            "transform-size",
            span,
            format!("the polynomial of `{name}` becomes too long, or its exact coefficients do"),
        )
        .help("use a method that needs no transformation, such as `taylor` or `dp8`"),
        Trouble::NotSmooth(f) => Diagnostic::error(
            "not-smooth",
            span,
            format!("`{name}` has `{}` of a state outside of a switch: it has no derivative", f.name()),
        )
        .help("write it as a branch: `if … then … else …`"),
        Trouble::DivisionByZero => {
            Diagnostic::error("bad-value", span, format!("`{name}` divides by something that is always zero"))
                .help("change the equation")
        }
    }
}

fn general(sorted: &Sorted, trouble: Trouble) -> Diagnostic {
    match sorted.states.first() {
        Some(state) => explain(sorted, state, trouble),
        None => Diagnostic::error("transform-size", Default::default(), "the model has no states"),
    }
}

fn unsolved(sorted: &Sorted, algebraic: &crate::Algebraic) -> Diagnostic {
    let name = sorted.model.name(algebraic.var);
    let span = sorted.model.equations[algebraic.equation].span;
    let message = format!("`{name}` has no formula, only an equation, so there is no polynomial system");
    Diagnostic::error("transform-algebraic", span, message).help("use an implicit method such as `radau`")
}

fn not_found(sorted: &Sorted, products: Option<usize>) -> Diagnostic {
    let span = sorted.states.first().map_or(Default::default(), |s| sorted.model.variable(s.var).span);
    let bound = products.unwrap_or(DEFAULT_PRODUCT);
    Diagnostic::error(
        "transform-products",
        span,
        format!("no system with products of at most {bound} factors was found for this model"),
    )
    .help("allow longer products, or leave `--products` out")
}
