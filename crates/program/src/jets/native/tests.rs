//! Machine code against the interpreter, bit for bit.

use crate::jets::engine::{Engine, has_vectors};
use crate::jets::samples::{Dice, code, compare, examples, interpreted, series_of};
use crate::jets::{Choice, JetCode};

/// Compares machine code with the interpreter; whether there was any.
fn compared(name: &str, code: &JetCode) -> bool {
    let mut engine = Engine::new(code.clone());
    engine.use_native(true);
    let mut native = series_of(code, Choice::Steps(Box::new(engine)));
    compare(name, code.states, &mut native, &mut interpreted(code));
    matches!(&native.engine, Choice::Steps(engine) if engine.is_native())
}

#[test]
fn examples_have_the_bits_of_the_interpreter() {
    let mut count = 0;
    for (name, text) in examples() {
        let Some(code) = code(&text) else { continue };
        count += u32::from(compared(&name, &code));
    }
    assert!(!has_vectors() || count > 60, "{count}");
}

#[test]
fn random_expressions_have_the_bits_of_the_interpreter() {
    let mut dice = Dice(3);
    let mut count = 0;
    for round in 0..300 {
        let text = dice.model(1 + round % 3);
        let Some(code) = code(&text) else { continue };
        count += u32::from(compared(&text, &code));
    }
    assert!(!has_vectors() || count > 250, "{count}");
}
