//! Systems for tests: given elements, and numbers that look random.

use ordinate_control::Matrix;
use serde_json::Value;

/// A matrix by rows.
pub fn matrix(rows: usize, elements: &[f64]) -> Matrix {
    Matrix::from_elements(rows, elements.len() / rows, elements.to_vec())
}

/// Numbers that look random: G. Marsaglia, J. Stat. Softw. 8 (2003) 14.
pub struct Random(u64);

impl Random {
    /// A sequence of its own for every seed.
    pub fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..10).for_each(|_| {
            random.next();
        });
        random
    }

    /// Between −1 and 1.
    pub fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Elements between −1 and 1.
    pub fn matrix(&mut self, rows: usize, columns: usize) -> Matrix {
        Matrix::from_elements(rows, columns, (0..rows * columns).map(|_| self.next()).collect())
    }
}

/// A case of the golden files.
pub fn golden(file: &str, id: &str) -> Value {
    let path = format!("{}/../../tests/golden/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let all: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
    let cases = all["cases"].as_array().expect("a list of cases");
    cases.iter().find(|case| case["id"] == id).unwrap_or_else(|| panic!("{path} has no {id}")).clone()
}

/// All numbers of a list or of lists in it, in order; they are written as text with more digits than fit.
pub fn golden_numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(parts) => parts.iter().flat_map(golden_numbers).collect(),
        Value::String(text) => vec![text.parse().unwrap_or_else(|_| panic!("{text} is no number"))],
        other => vec![other.as_f64().unwrap_or_else(|| panic!("{other} is no number"))],
    }
}
