//! Pieces of model text as a controller needs them: names that are free, numbers, deviations from a point, sums.

use ordinate_syntax::{parse, reserved};
use std::f64::consts::PI;

/// Hands out names that the model does not use.
#[derive(Clone, Debug)]
pub struct Names {
    taken: Vec<String>,
}

impl Names {
    /// All names of a model text are taken.
    pub fn new(text: &str) -> Names {
        Names { taken: parse(text).0.names }
    }

    /// The name itself if it is free, otherwise one that begins like it.
    pub fn fresh(&mut self, wish: &str) -> String {
        let free = |name: &String| reserved(name).is_none() && !self.taken.contains(name);
        let others = (2..).map(|k| format!("{wish}_c{k}"));
        let all = [wish.to_string(), format!("{wish}_c")].into_iter().chain(others);
        let name = { all }.find(free).expect("one of infinitely many names is free");
        self.taken.push(name.clone());
        name
    }
}

/// A name for something that belongs to a variable, which may have primes and indices: `x'` gives `x_dot`, `u[3]` `u_3`.
pub fn plain_name(variable: &str) -> String {
    let bare = variable.trim_end_matches('\'');
    let joined = bare.replace(['[', ','], "_").replace([']', ' '], "");
    // states that the text does not name have names that it could not have either
    let joined: String = joined.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    let joined = if joined.starts_with(|c: char| c.is_alphabetic()) { joined } else { format!("s{joined}") };
    match variable.len() - bare.len() {
        0 => joined,
        1 => format!("{joined}_dot"),
        2 => format!("{joined}_ddot"),
        n => format!("{joined}_d{n}"),
    }
}

/// A number as the language reads it back bit by bit: the shortest such digits, and π and its simple parts by name.
pub fn number(value: f64) -> String {
    let parts = [
        (PI, "pi"),
        (2.0 * PI, "2*pi"),
        (PI / 2.0, "pi/2"),
        (PI / 3.0, "pi/3"),
        (PI / 4.0, "pi/4"),
        (PI / 6.0, "pi/6"),
    ];
    if let Some((_, name)) = parts.iter().find(|(part, _)| *part == value.abs()) {
        return if value < 0.0 { format!("-{name}") } else { name.to_string() };
    }
    let digits = format!("{value:?}");
    digits.strip_suffix(".0").map_or(digits.clone(), str::to_string)
}

/// `name - value`, written as a person would: without a zero, and without a minus before a minus. With parentheses where
/// it is a difference, so that it can be a factor.
pub fn deviation(name: &str, value: f64) -> String {
    match value {
        0.0 => name.to_string(),
        value if value < 0.0 => format!("({name} + {})", number(-value)),
        value => format!("({name} - {})", number(value)),
    }
}

/// A sum that is written term by term, each with its sign.
#[derive(Clone, Debug, Default)]
pub struct Sum {
    text: String,
}

impl Sum {
    /// Adds a term.
    pub fn add(&mut self, term: &str) {
        let separator = if self.text.is_empty() { "" } else { " + " };
        self.text += &format!("{separator}{term}");
    }

    /// Subtracts a term, which must be a product or a name.
    pub fn sub(&mut self, term: &str) {
        let separator = if self.text.is_empty() { "-" } else { " - " };
        self.text += &format!("{separator}{term}");
    }

    /// Adds a number, unless it is zero.
    pub fn add_number(&mut self, value: f64) {
        match value {
            0.0 => {}
            value if value < 0.0 => self.sub(&number(-value)),
            value => self.add(&number(value)),
        }
    }

    /// Adds a number times a factor, unless it is zero.
    pub fn add_product(&mut self, value: f64, factor: &str) {
        let term = |size: f64| if size == 1.0 { factor.to_string() } else { format!("{}*{factor}", number(size)) };
        match value {
            0.0 => {}
            value if value < 0.0 => self.sub(&term(-value)),
            value => self.add(&term(value)),
        }
    }

    /// The sum; `0` if it has no terms.
    pub fn finish(self) -> String {
        if self.text.is_empty() { "0".into() } else { self.text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_have_neither_zeros_nor_double_signs() {
        assert_eq!(deviation("phi", 0.0), "phi");
        assert_eq!(deviation("phi", -0.0), "phi");
        assert_eq!(deviation("phi", PI), "(phi - pi)");
        assert_eq!(deviation("x", -1.0), "(x + 1)");
    }

    #[test]
    fn numbers_read_back_as_the_same_bits() {
        for value in [0.1, 1.0 / 3.0, 57.977_064_220_183_49, 1e-300, -2.5e17, PI, -PI / 2.0, 5.0] {
            let text = number(value);
            assert_eq!(ordinate_model::constant(&text, &|_| None), Some(value), "{text}");
        }
        assert_eq!(number(5.0), "5");
    }

    #[test]
    fn a_sum_carries_its_signs() {
        let mut sum = Sum::default();
        sum.add_number(-2.0);
        sum.sub("k*x");
        sum.add_product(-1.0, "y");
        sum.add_product(0.0, "z");
        assert_eq!(sum.finish(), "-2 - k*x - y");
        assert_eq!(Sum::default().finish(), "0");
    }

    #[test]
    fn taken_and_reserved_names_are_not_given_again() {
        let mut names = Names::new("k1' = -kr*k1; param kr = 1");
        assert_eq!(names.fresh("k1"), "k1_c");
        assert_eq!(names.fresh("k1"), "k1_c2");
        assert_eq!(names.fresh("step"), "step_c");
        assert_eq!(names.fresh("ki"), "ki");
        assert_eq!(names.fresh("ki"), "ki_c");
    }

    #[test]
    fn names_for_what_belongs_to_a_variable_are_names() {
        assert_eq!(plain_name("phi"), "phi");
        assert_eq!(plain_name("phi'"), "phi_dot");
        assert_eq!(plain_name("x''"), "x_ddot");
        assert_eq!(plain_name("u[3]'"), "u_3_dot");
        assert_eq!(plain_name("a[1, 2]"), "a_1_2");
        assert_eq!(plain_name("#3.pade"), "s_3_pade");
    }
}
