//! Vector passes against one instruction after the other, bit for bit.

use super::Passes;
use crate::jets::samples::{Dice, code, compare, examples, interpreted, series_of};
use crate::jets::{Choice, JetCode};

/// Compares passes, however short their runs are, with the interpreter.
fn compared(name: &str, code: &JetCode) {
    let passes = Passes::with_runs_of(code, 0).expect("any runs are long enough");
    let mut series = series_of(code, Choice::Passes(Box::new(passes)));
    compare(name, code.states, &mut series, &mut interpreted(code));
}

#[test]
fn examples_have_the_bits_of_the_interpreter() {
    let codes = examples().into_iter().filter_map(|(name, text)| Some((name, code(&text)?)));
    let mut count = 0;
    for (name, code) in codes {
        compared(&name, &code);
        count += 1;
    }
    assert!(count > 60, "{count}");
}

#[test]
fn random_expressions_have_the_bits_of_the_interpreter() {
    let mut dice = Dice(7);
    for round in 0..300 {
        let text = dice.model(1 + round % 3);
        if let Some(code) = code(&text) {
            compared(&text, &code);
        }
    }
}

/// A random equation for all cells of a chain: one shape, several blocks, operands that are neighbours, that are not, and
/// that all cells share, factors that are the same and that are not.
#[test]
fn random_chains_have_the_bits_of_the_interpreter() {
    let mut dice = Dice(11);
    let leaves = ["x[k]", "v[k]", "x[k+1]", "x[k-1]", "v[k-1]", "x[N+1-k]", "x[1]", "t", "0.7", "(1 + k/N)"];
    for round in 0..30 {
        let [a, b] = std::array::from_fn(|_| dice.expression(1 + round % 3, &leaves));
        let cells = [70, 131, 66][round as usize % 3];
        let text = format!(
            "param N = {cells}\nfor k in 2..N-1:\n    x[k]' = {a}\n    v[k]' = {b} + k*x[k]\n\
             x[1]' = -x[2]\nv[1]' = 1\nx[N]' = x[1]*v[1]\nv[N]' = -x[N]\n\
             for k in 1..N: init x[k] = 1, v[k] = 1\n"
        );
        let code = code(&text).unwrap_or_else(|| panic!("no series: {text}"));
        compared(&text, &code);
    }
}

/// Bodies that all attract each other: runs of powers, derivatives with many terms.
#[test]
fn many_bodies_have_the_bits_of_the_interpreter() {
    let bodies = 12;
    let mut text = String::new();
    for i in 1..=bodies {
        for q in ["x", "y"] {
            let attraction = |j: u32| {
                let square = format!("(x[{i}]-x[{j}])^2 + (y[{i}]-y[{j}])^2");
                format!(" + ({q}[{j}] - {q}[{i}])*({square} + 0.1)^(-1.5)")
            };
            let sum: String = (1..=bodies).filter(|j| *j != i).map(attraction).collect();
            text += &format!("{q}[{i}]'' = 0{sum}\ninit {q}[{i}] = 1, {q}[{i}]' = 0\n");
        }
    }
    let code = code(&text).expect("series exist");
    compared("many bodies", &code);
}

/// Small systems and those without likeness are not for passes.
#[test]
fn passes_are_for_many_like_instructions() {
    let chain = |cells: u32| {
        let text = format!(
            "for k in 2..{cells}: x[k]' = x[k-1]*x[k] - x[k]\nx[1]' = -x[1]\nfor k in 1..{cells}: init x[k] = 1"
        );
        Passes::new(&code(&text).expect("series exist")).is_some()
    };
    assert!(chain(1000) && !chain(20));
    // a product of products: each needs the one before
    let names: Vec<String> = (1..=600).map(|k| format!("x{k}")).collect();
    let starts: Vec<String> = names.iter().map(|name| format!("{name}' = 1\ninit {name} = 1")).collect();
    let text = format!("y' = {}\ninit y = 0\n{}", names.join("*"), starts.join("\n"));
    assert!(Passes::new(&code(&text).expect("series exist")).is_none());
}
