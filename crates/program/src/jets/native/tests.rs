//! Machine code against the interpreter, bit for bit.

use crate::jets::JetCode;
use crate::jets::compile::compile as series;
use crate::jets::engine::{Engine, has_vectors};
use crate::{Evaluator, compile};
use ordinate_model::{resolve, sort};
use ordinate_syntax::parse;
use std::path::Path;
use std::sync::Arc;

/// The series code of a model with all discrete values 1.
fn code(text: &str) -> Option<JetCode> {
    let (tree, _) = parse(text);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let resolved = resolve(&tree, text, &Vec::new(), &|path, name| {
        ordinate_model::parse_table(&std::fs::read_to_string(folder.join(path)).unwrap(), name)
    });
    let (mut sorted, diagnostics) = sort(resolved.model, false);
    if ordinate_syntax::has_errors(&diagnostics) {
        return None;
    }
    let program = Arc::new(compile(&mut sorted, false));
    let mut registers = Evaluator::new(program.clone()).registers().to_vec();
    let first = program.discrete_register();
    registers[first..first + program.layout.discrete()].fill(1.0);
    series(&program, &program.rhs, &registers)
}

fn assert_same(name: &str, at: &str, n: usize, one: &[f64], other: &[f64]) {
    for (i, (a, b)) in one.iter().zip(other).enumerate() {
        let same = a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        assert!(same, "{name}, {at}: coefficient {} of state {} is {a:e}, not {b:e}", i / n, i % n);
    }
}

/// Compares all coefficients for series asked for in one go and in parts; whether there was machine code.
fn compare(name: &str, code: &JetCode) -> bool {
    let n = code.states;
    let mut native = Engine::new(code.clone());
    let mut interpreted = Engine::new(code.clone());
    native.use_native(true);
    interpreted.use_native(false);
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
            native.begin(0.37, &y, &mut f[0]);
            interpreted.begin(0.37, &y, &mut f[1]);
            for c in &mut c {
                c.fill(f64::NAN);
            }
            for &order in orders {
                native.extend(&f[0], scale, order, &mut c[0]);
                interpreted.extend(&f[1], scale, order, &mut c[1]);
                let at = format!("scale {scale}, orders {orders:?} up to {order}");
                assert_same(name, &at, n, &c[0][..(order + 1) * n], &c[1][..(order + 1) * n]);
            }
        }
    }
    native.is_native()
}

#[test]
fn examples_have_the_bits_of_the_interpreter() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "eq"));
    files.sort();
    let mut compared = 0;
    for path in files {
        let Some(code) = code(&std::fs::read_to_string(&path).unwrap()) else { continue };
        compared += u32::from(compare(&path.display().to_string(), &code));
    }
    assert!(!has_vectors() || compared > 60, "{compared}");
}

/// Numbers as random as a test needs them: D. E. Knuth's multiplier, upper bits.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % sides
    }

    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 {
            return ["x", "y", "z", "t", "2", "x", "w", "0.7"][self.roll(8) as usize].into();
        }
        let (kind, a, b) = (self.roll(22), self.expression(depth - 1), self.expression(depth - 1));
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
            _ => format!("tanh({a})"),
        }
    }
}

#[test]
fn random_expressions_have_the_bits_of_the_interpreter() {
    let mut dice = Dice(3);
    let mut compared = 0;
    for round in 0..300 {
        let depth = 1 + round % 3;
        let [a, b, c, d] = std::array::from_fn(|_| dice.expression(depth));
        let text = format!("x' = {a}\ny' = {b}\nz' = {c}\nw' = {d}\ninit x = 1, y = 1, z = 1, w = 1\n");
        let Some(code) = code(&text) else { continue };
        compared += u32::from(compare(&text, &code));
    }
    assert!(!has_vectors() || compared > 250, "{compared}");
}
