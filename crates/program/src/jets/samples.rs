//! Series codes to compare engines with, and the comparison: bit for bit, whatever is asked for.

use super::compile::compile as series;
use super::engine::Engine;
use super::price::cost;
use super::{Choice, JetCode, Series};
use crate::{Evaluator, compile};
use ordinate_model::{resolve, sort};
use ordinate_solve::Jets;
use ordinate_syntax::parse;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// The models of the gallery: name and text.
pub(super) fn examples() -> Vec<(String, String)> {
    let mut files: Vec<_> = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "eq"));
    files.sort();
    files.iter().map(|path| (path.display().to_string(), std::fs::read_to_string(path).unwrap())).collect()
}

/// The series code of a model with all discrete values 1.
pub(super) fn code(text: &str) -> Option<JetCode> {
    let (tree, _) = parse(text);
    let resolved = resolve(&tree, text, &Vec::new(), &|path, name| {
        ordinate_model::parse_table(&std::fs::read_to_string(folder().join(path)).unwrap(), name)
    });
    let (mut sorted, diagnostics) = sort(resolved.model, false);
    // the series of delayed quantities come from the past, which there is none of here
    if ordinate_syntax::has_errors(&diagnostics) || !sorted.model.delays.is_empty() {
        return None;
    }
    let program = Arc::new(compile(&mut sorted, false));
    let mut registers = Evaluator::new(program.clone()).registers().to_vec();
    let first = program.discrete_register();
    registers[first..first + program.layout.discrete()].fill(1.0);
    series(&program, &program.rhs, &registers, super::DOUBLE)
}

fn assert_same(name: &str, at: &str, n: usize, one: &[f64], other: &[f64]) {
    for (i, (a, b)) in one.iter().zip(other).enumerate() {
        let same = a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        assert!(same, "{name}, {at}: coefficient {} of state {} is {a:e}, not {b:e}", i / n, i % n);
    }
}

/// Series of a code that this engine computes.
pub(super) fn series_of(code: &JetCode, engine: Choice) -> Series {
    Series { engine, f: vec![0.0; code.states], cost: cost(code) }
}

/// Series computed one instruction after the other.
pub(super) fn interpreted(code: &JetCode) -> Series {
    let mut engine = Engine::new(code.clone());
    engine.use_native(false);
    series_of(code, Choice::Steps(Box::new(engine)))
}

/// Compares all coefficients of `n` states for series asked for in one go and in parts.
pub(super) fn compare(name: &str, n: usize, one: &mut Series, other: &mut Series) {
    let asked: [&[usize]; 10] = [
        &[2],
        &[3, 4, 5, 6, 7, 8, 9],
        &[12],
        &[1, 15, 17],
        &[24],
        &[5, 24, 25],
        &[31, 33, 40],
        &[39, 40, 41, 64],
        &[7, 11, 64],
        &[20, 9, 22],
    ];
    let mut c = [vec![0.0; 65 * n], vec![0.0; 65 * n]];
    for (try_, &orders) in asked.iter().enumerate() {
        for (point, scale) in [1.0, 0.125, -0.25, 0.3].into_iter().enumerate() {
            let y: Vec<f64> = (0..n).map(|i| 0.3 + 0.17 * ((i * 7 % 11 + point) as f64)).collect();
            let y = if try_ % 2 == 0 { y } else { y.iter().map(|y| 0.7 - y).collect() };
            let mut f = [vec![0.0; n], vec![0.0; n]];
            one.begin(0.37, &y, &mut f[0]);
            other.begin(0.37, &y, &mut f[1]);
            assert_same(name, "f", n, &f[0], &f[1]);
            for c in &mut c {
                c.fill(f64::NAN);
            }
            for &order in orders {
                one.extend(scale, order, &mut c[0]);
                other.extend(scale, order, &mut c[1]);
                let at = format!("scale {scale}, orders {orders:?} up to {order}");
                assert_same(name, &at, n, &c[0][..(order + 1) * n], &c[1][..(order + 1) * n]);
            }
        }
    }
}

/// Numbers as random as a test needs them: D. E. Knuth's multiplier, upper bits.
pub(super) struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % sides
    }

    /// An expression of these leaves.
    pub fn expression(&mut self, depth: u32, leaves: &[&str]) -> String {
        if depth == 0 {
            return leaves[self.roll(leaves.len() as u64) as usize].into();
        }
        let (kind, a, b) = (self.roll(27), self.expression(depth - 1, leaves), self.expression(depth - 1, leaves));
        match kind {
            0..=2 => format!("({a} + {b})"),
            3..=4 => format!("({a} - {b})"),
            5..=8 => format!("{a}*{b}"),
            9 => format!("{a}/(3 + ({b}))"),
            10 => format!("1/(4 + ({a}))"),
            11 => format!("({a})^2"),
            12 => format!("sin({a})*cos({a})"),
            13 => format!("exp(-({a}))"),
            14 => format!("sqrt(5 + ({a}))"),
            15 => format!("(6 + ({a}))^1.3"),
            16 => format!("log(7 + ({a}))"),
            17 => format!("tan(0.1*({a}))"),
            18 => format!("atan({a})"),
            19 => format!("-3*({a}) + 2*({b}) - ({a})"),
            20 => format!("atan2({a}, 3 + ({b}))"),
            21 => format!("tanh({a})"),
            22 => format!("1/(1 + exp({a}))"),
            23 => format!("log(1 + exp({a}))"),
            24 => format!("expm1(0.3*({a}))"),
            25 => format!("log1p(0.1*({a}))"),
            _ => format!("(({a}) - 1)/expm1(({a}) - 1)"),
        }
    }

    /// A model of four states.
    pub fn model(&mut self, depth: u32) -> String {
        let [a, b, c, d] = std::array::from_fn(|_| self.expression(depth, &["x", "y", "z", "t", "2", "x", "w", "0.7"]));
        format!("x' = {a}\ny' = {b}\nz' = {c}\nw' = {d}\ninit x = 1, y = 1, z = 1, w = 1\n")
    }
}
