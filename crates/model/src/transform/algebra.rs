//! Expressions multiplied out, for those who ask what cancels: the polynomials of the transformation, there and back.

use super::Trouble;
use super::lift::Lift;
use super::polynomial::{Monomial, Polynomial, Symbol};
use super::rational::Rational;
use super::reduce::reduce;
use super::symbols::Symbols;
use crate::Sorted;
use ordinate_expr::{ExprId, Graph};

/// Terms that one expression may cost.
const WORK: u64 = 20_000_000;

/// The expression as a sum of products, like terms collected, with sin² + cos² = 1 and its kind used where that is shorter.
/// Variables with a definition in the sorted model are put in. `None` if it is too long, or not smooth.
pub fn simplified(sorted: &Sorted, graph: &mut Graph, e: ExprId) -> Option<ExprId> {
    with(sorted, graph, |table, lift| {
        let p = reduced(table, lift, e)?;
        Ok(table.expression(&p))
    })
}

/// Whether the expression is zero for every value of what it is made of; `None` if that was not found out: sums of constants
/// and functions of different arguments are taken as independent, so a yes is certain, a no is not.
pub fn vanishes(sorted: &Sorted, graph: &mut Graph, e: ExprId) -> Option<bool> {
    with(sorted, graph, |table, lift| Ok(reduced(table, lift, e)?.is_zero()))
}

/// An expression as Σ a g² + Σ common · rest.
#[derive(Clone, Debug)]
pub struct Squares {
    /// The numbers a, positive or not, as expressions with their signs, and what is squared.
    pub squares: Vec<(ExprId, bool, ExprId)>,
    /// All other terms, in groups.
    pub groups: Vec<Group>,
    /// All of it as one expression.
    pub whole: ExprId,
}

/// Terms with something in common.
#[derive(Clone, Debug)]
pub struct Group {
    /// What they have in common: factors and their powers.
    pub common: Vec<(ExprId, i64)>,
    /// What is left of them.
    pub rest: ExprId,
}

/// Completes squares, exactly: for a symbol s (a state or a function) whose square has a number a for its factor,
///
/// ```text
///   a s² + b s + c = a (s + b/(2a))² + (c − b²/(4a))
/// ```
///
/// and so on with what is left. Of what remains the terms are collected by those that are even powers, the lowest first, as in
/// y² (x y − 1) − x⁴, so that signs can be seen.
pub fn squares(sorted: &Sorted, graph: &mut Graph, e: ExprId) -> Option<Squares> {
    with(sorted, graph, |table, lift| {
        let mut p = reduced(table, lift, e)?;
        let mut found = Vec::new();
        while let Some((s, a)) = pivot(table, &p) {
            let (linear, others) = apart(&p, s)?;
            let half = Rational::new(1, 2).expect("a half").over(a).ok_or(Trouble::TooLarge)?;
            let mut inside = linear.scaled(half)?;
            let product = table.times(&linear, &linear)?;
            let quarter = half.times(Rational::new(1, 2).expect("a half")).ok_or(Trouble::TooLarge)?;
            inside.add_term(Monomial::symbol(s), Rational::ONE)?;
            p = others;
            p.add_scaled(&product, quarter.negate())?;
            p = reduce(table, p)?;
            found.push((a, inside));
        }
        let mut whole = table.graph.integer(0);
        let mut squares = Vec::new();
        for (a, inside) in &found {
            let (factor, inside) = (table.fraction(*a), table.expression(inside));
            let square = table.graph.square(inside);
            let term = table.graph.mul(factor, square);
            whole = table.graph.add(whole, term);
            squares.push((factor, a.is_negative(), inside));
        }
        let mut groups = Vec::new();
        for (shared, left) in collected(&p)? {
            let rest = table.expression(&left);
            let product = table.product(&shared);
            let term = table.graph.mul(product, rest);
            whole = table.graph.add(whole, term);
            let mut common = Vec::new();
            for &(s, power) in &shared.0 {
                common.push((table.value(s), i64::try_from(power.numerator()).map_err(|_| Trouble::TooLarge)?));
            }
            groups.push(Group { common, rest });
        }
        Ok(Squares { squares, groups, whole })
    })
}

/// The terms in groups with a common factor each: those that an even power divides, then the others with what they share.
fn collected(p: &Polynomial) -> Result<Vec<(Monomial, Polynomial)>, Trouble> {
    let two = Rational::integer(2);
    let even = |m: &&Monomial| {
        let half = |e: Rational| e.over(two).is_some_and(|half| half.is_integer() && !half.is_negative());
        !m.is_one() && m.0.iter().all(|&(_, e)| half(e))
    };
    let degree = |m: &Monomial| m.0.iter().map(|(_, e)| e.to_f64()).sum::<f64>();
    let mut evens: Vec<&Monomial> = p.0.keys().filter(even).collect();
    evens.sort_by(|a, b| degree(a).total_cmp(&degree(b)).then(a.cmp(b)));
    let mut groups: Vec<(Monomial, Polynomial)> = Vec::new();
    let mut others = Polynomial::default();
    for (m, &c) in &p.0 {
        let divides = |e: &&&Monomial| e.0.iter().all(|&(s, power)| m.exponent(s).to_f64() >= power.to_f64());
        let Some(&&common) = evens.iter().find(divides).as_ref() else {
            others.add_term(m.clone(), c)?;
            continue;
        };
        let left = m.over(common)?;
        match groups.iter_mut().find(|(known, _)| known == common) {
            Some((_, rest)) => rest.add_term(left, c)?,
            None => groups.push((common.clone(), Polynomial::term(left, c))),
        }
    }
    if !others.is_zero() {
        let shared = content(&others);
        let mut rest = Polynomial::default();
        for (m, &c) in &others.0 {
            rest.add_term(m.over(&shared)?, c)?;
        }
        groups.push((shared, rest));
    }
    Ok(groups)
}

fn with<T>(
    sorted: &Sorted,
    graph: &mut Graph,
    work: impl FnOnce(&mut Symbols, &mut Lift) -> Result<T, Trouble>,
) -> Option<T> {
    let mut table = Symbols::new(std::mem::take(graph), sorted.model.values.clone(), false, false);
    table.allow_work(WORK);
    let result = work(&mut table, &mut Lift::new(sorted));
    *graph = table.graph;
    result.ok()
}

fn reduced(table: &mut Symbols, lift: &mut Lift, e: ExprId) -> Result<Polynomial, Trouble> {
    let p = lift.lift(table, e)?;
    reduce(table, p)
}

/// A symbol that occurs as s² with a number and s only, and that number.
fn pivot(table: &Symbols, p: &Polynomial) -> Option<(Symbol, Rational)> {
    let two = Rational::integer(2);
    let fits = |s: Symbol| {
        let plain = |m: &Monomial| {
            let e = m.exponent(s);
            e.is_zero() || e == Rational::ONE || *m == Monomial::power_of(s, two)
        };
        p.0.keys().all(plain)
    };
    let number = |s: Symbol| p.coefficient(&Monomial::power_of(s, two));
    table.all().find(|&s| !table.is_constant(s) && !number(s).is_zero() && fits(s)).map(|s| (s, number(s)))
}

/// The factor of s, and what has no s.
fn apart(p: &Polynomial, s: Symbol) -> Result<(Polynomial, Polynomial), Trouble> {
    let (mut linear, mut others) = (Polynomial::default(), Polynomial::default());
    for (m, &c) in &p.0 {
        match m.exponent(s) {
            e if e.is_zero() => others.add_term(m.clone(), c)?,
            e if e == Rational::ONE => linear.add_term(m.over(&Monomial::symbol(s))?, c)?,
            _ => {}
        }
    }
    Ok((linear, others))
}

/// The integer powers that all terms have.
fn content(p: &Polynomial) -> Monomial {
    let mut symbols: Vec<Symbol> = p.0.keys().flat_map(|m| m.0.iter().map(|&(s, _)| s)).collect();
    symbols.sort_unstable();
    symbols.dedup();
    let least = |s: Symbol| {
        let powers = p.0.keys().map(|m| m.exponent(s));
        powers.reduce(|a, b| if b.to_f64() < a.to_f64() { b } else { a }).unwrap_or(Rational::ZERO)
    };
    let powers = symbols.into_iter().map(|s| (s, least(s)));
    Monomial(powers.filter(|(_, e)| e.is_integer() && !e.is_zero()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{resolve, sort};

    /// A model whose `output e` is the expression to look at.
    fn sorted(e: &str) -> (Sorted, ExprId) {
        let text = format!("param k = 3\nx' = y\ny' = -x\ninit x = 1, y = 0\noutput e = {e}\n");
        let (tree, _) = ordinate_syntax::parse(&text);
        let resolved = resolve(&tree, &text, &Vec::new(), &|_, _| Err(String::new()));
        let (sorted, found) = sort(resolved.model, false);
        assert!(!ordinate_syntax::has_errors(&found), "{found:?}");
        let output = sorted.model.outputs[0];
        let e = sorted.definitions[output.0 as usize].expect("the output has a definition");
        (sorted, e)
    }

    fn text(of: &str, make: impl Fn(&Sorted, &mut Graph, ExprId) -> ExprId) -> String {
        let (sorted, e) = sorted(of);
        let mut graph = sorted.model.graph.clone();
        let e = make(&sorted, &mut graph, e);
        graph.formula(e, &|v| sorted.model.name(v), &|v| v.0)
    }

    #[test]
    fn what_cancels_is_gone() {
        let simple = |e| text(e, |s, g, e| simplified(s, g, e).unwrap());
        assert_eq!(simple("(x + y)^2 - x^2 - 2*x*y"), "y^2");
        assert_eq!(simple("y*(k*sin(x) - y) - k*y*sin(x)"), "-y^2");
        assert_eq!(simple("cos(x)^2*y + y*sin(x)^2 - x"), "y - x");
        let zero = |e: &str| {
            let (sorted, e) = sorted(e);
            vanishes(&sorted, &mut sorted.model.graph.clone(), e)
        };
        assert_eq!(zero("(x - y)*(x + y) - x^2 + y^2"), Some(true));
        assert_eq!(zero("x*y - y"), Some(false));
    }

    #[test]
    fn squares_are_completed_exactly() {
        let (sorted, e) = sorted("-x^2 - 2*x*y - y^2");
        let mut graph = sorted.model.graph.clone();
        let found = squares(&sorted, &mut graph, e).unwrap();
        assert!(found.squares.len() == 1 && found.squares[0].1 && found.groups.is_empty(), "-(x + y)^2: {found:?}");
        let name = |v| sorted.model.name(v);
        assert_eq!(graph.formula(found.squares[0].2, &name, &|v| v.0), "y + x");
        let (sorted, e) = super::tests::sorted("-y^2*(1 - x^2)*0.5 - x*y^5 - x^6");
        let mut graph = sorted.model.graph.clone();
        let found = squares(&sorted, &mut graph, e).unwrap();
        let text = |e| graph.formula(e, &|v| sorted.model.name(v), &|v| v.0);
        let mut groups: Vec<String> = found
            .groups
            .iter()
            .map(|group| {
                let common: Vec<String> = group.common.iter().map(|&(e, n)| format!("{}^{n}", text(e))).collect();
                format!("{}: {}", common.join("*"), text(group.rest))
            })
            .collect();
        groups.sort();
        assert_eq!(groups, ["x^6: -1", "y^2: 0.5*x^2 - 0.5 - x*y^3"]);
    }
}
