//! The words of the language that a model cannot use as names of its own.

/// How many arguments a function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// This many.
    Exactly(usize),
    /// This many or more.
    AtLeast(usize),
    /// This many or one more.
    OrOneMore(usize),
}

impl Arity {
    /// Whether a call with so many arguments is right.
    pub fn admits(self, count: usize) -> bool {
        match self {
            Arity::Exactly(n) => count == n,
            Arity::AtLeast(n) => count >= n,
            Arity::OrOneMore(n) => count == n || count == n + 1,
        }
    }
}

/// The functions of the language and their arguments. The parser only keeps their names from being
/// declared; the number of arguments is checked where calls are resolved.
#[rustfmt::skip]
pub const FUNCTIONS: &[(&str, Arity)] = &[
    ("sin", Arity::Exactly(1)), ("cos", Arity::Exactly(1)), ("tan", Arity::Exactly(1)),
    ("asin", Arity::Exactly(1)), ("acos", Arity::Exactly(1)), ("atan", Arity::Exactly(1)), ("atan2", Arity::Exactly(2)),
    ("sinh", Arity::Exactly(1)), ("cosh", Arity::Exactly(1)), ("tanh", Arity::Exactly(1)),
    ("asinh", Arity::Exactly(1)), ("acosh", Arity::Exactly(1)), ("atanh", Arity::Exactly(1)),
    ("exp", Arity::Exactly(1)), ("log", Arity::Exactly(1)), ("log10", Arity::Exactly(1)),
    ("sqrt", Arity::Exactly(1)), ("cbrt", Arity::Exactly(1)), ("pow", Arity::Exactly(2)), ("erf", Arity::Exactly(1)),
    ("expm1", Arity::Exactly(1)), ("log1p", Arity::Exactly(1)),
    ("abs", Arity::Exactly(1)), ("min", Arity::AtLeast(2)), ("max", Arity::AtLeast(2)),
    ("sign", Arity::Exactly(1)), ("floor", Arity::Exactly(1)),
    ("step", Arity::Exactly(1)), ("pulse", Arity::Exactly(2)), ("ramp", Arity::Exactly(1)),
    ("quantize", Arity::Exactly(2)), ("saturate", Arity::OrOneMore(2)), ("noise", Arity::OrOneMore(2)),
];

/// Those among them that came later: a function only before `(`, and a model may use the name for something of its own.
pub const UNRESERVED_FUNCTIONS: &[&str] = &["expm1", "log1p"];

/// Operators written like functions: reserved, but not functions of numbers.
pub const OPERATORS: &[&str] = &["pade", "laplace", "delay"];

/// Words that begin a statement.
pub const STATEMENTS: &[&str] =
    &["param", "input", "output", "init", "guess", "run", "for", "def", "when", "stop", "every"];

/// Words inside expressions.
pub const EXPRESSION_WORDS: &[&str] = &["if", "then", "else", "and", "or", "not"];

/// Whether a name is one of [`FUNCTIONS`] or [`OPERATORS`], wherever it stands.
pub fn is_function(name: &str) -> bool {
    let reserved = FUNCTIONS.iter().any(|&(function, _)| function == name) || OPERATORS.contains(&name);
    reserved && !UNRESERVED_FUNCTIONS.contains(&name)
}

/// What a reserved name already is, as the end of "`pi` is …"; `None` where a model may use the name.
pub fn reserved(name: &str) -> Option<&'static str> {
    match name {
        "t" | "time" => Some("the time"),
        "pi" => Some("the number 3.14159…"),
        _ if is_function(name) => Some("a function"),
        _ if STATEMENTS.contains(&name) || EXPRESSION_WORDS.contains(&name) => Some("a word of the language"),
        _ => None,
    }
}

/// The statement that a word at the start of a line probably means: another case, another language's
/// word, or one letter wrong.
pub(crate) fn statement_meant(word: &str) -> Option<&'static str> {
    let lower = word.to_lowercase();
    let known = match lower.as_str() {
        "parameter" | "parameters" | "params" | "par" | "const" | "constant" | "let" | "var" | "real" | "number"
        | "double" | "float" | "int" | "integer" | "parametr" => "param",
        "initial" | "start" | "initially" | "inits" => "init",
        "inputs" => "input",
        "outputs" | "aux" | "plot" | "print" => "output",
        "function" | "func" | "fun" | "fn" => "def",
        "simulate" | "integrate" | "time" | "tspan" => "run",
        "foreach" | "loop" => "for",
        "whenever" | "event" | "on" => "when",
        "guesses" => "guess",
        _ => STATEMENTS.iter().find(|statement| close(&lower, statement))?,
    };
    Some(known)
}

/// Whether two words differ by at most one letter: changed, added, left out, or two neighbours swapped.
fn close(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let same_start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[same_start..], &b[same_start..]);
    let same_end = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[..a.len() - same_end], &b[..b.len() - same_end]);
    match (a, b) {
        ([x, y], [v, w]) => x == w && y == v,
        _ => a.len() <= 1 && b.len() <= 1,
    }
}
