//! Models with a mistake: its code, its line, and what the message must say.

use super::{expect, report, sound};
use crate::support::Place;

/// Text, code of the diagnostic, line, words of the message.
type Mistake = (&'static str, &'static str, u64, &'static [&'static str]);

const EMPTY: &[Mistake] = &[
    ("", "empty", 1, &["no equation", "y' = -y"]),
    ("# only a comment\n# another\n", "empty", 1, &["no equation"]),
    ("\n\n\n", "empty", 1, &["no equation"]),
    ("run 0 .. 1\n", "empty", 1, &["no equation"]),
    ("param a = 1\n", "empty", 1, &["no equation"]),
    ("for k in 3..1: y[k]' = -y[k]\n", "empty", 1, &["no equation"]),
];

const NAMES: &[Mistake] = &[
    ("y' = -z; y(0) = 1", "unknown-name", 1, &["`z` is not defined", "param z"]),
    (
        "param omega0 = 2\ntheta'' = -omega^2*sin(theta)\ninit theta = 1, theta' = 0",
        "unknown-name",
        2,
        &["`omega` is not defined", "did you mean `omega0`?"],
    ),
    ("x' = y; y' = -x\nz = x + w\ninit x = 1, y = 0", "unknown-name", 2, &["`w` is not defined"]),
    ("def f(x) = x + q\ny' = f(y); y(0) = 1", "unknown-name", 1, &["`q` is not defined"]),
    ("y' = -y[-1]; y(0) = 1", "unknown-name", 1, &["`y[-1]` is not defined", "param y[-1]"]),
    ("y' = -u[4]; y(0) = 1\nfor k in 1..3: u[k] = k*y", "unknown-name", 1, &["`u[4]`", "`u[1]` … `u[3]`"]),
    ("for k in 1..3: y[k]' = -z[k]\nfor k in 1..3: init y[k] = 1", "unknown-name", 1, &["`z[1]`", "1 error in"]),
    ("y' = foo(y); y(0) = 1", "unknown-function", 1, &["`foo` is not a function", "def foo(x)"]),
    ("y' = Sin(y); y(0) = 1", "unknown-function", 1, &["did you mean `sin`?"]),
    ("y' = ln(y); y(0) = 1", "unknown-function", 1, &["`log`"]),
    ("y' = y(2); y(0) = 1", "unknown-function", 1, &["`y` is not a function", "y*(…)"]),
    ("sin = 2; y' = -y; y(0) = 1", "reserved-name", 1, &["`sin` is a function", "sin1"]),
    ("t' = 1; t(0) = 1", "reserved-name", 1, &["`t` is the time"]),
    ("pi = 3; y' = -y; y(0) = 1", "reserved-name", 1, &["`pi` is the number"]),
    ("y' = -y; y(0) = 1\nparam t = 3", "reserved-name", 2, &["`t` is the time"]),
    ("param time = 1\ny' = -y; y(0) = 1", "reserved-name", 1, &["`time` is the time"]),
    ("param for = 1", "reserved-name", 1, &["`for` is a word of the language"]),
    ("def sin(x) = x\ny' = -y; y(0) = 1", "reserved-name", 1, &["`sin`"]),
    ("param a = 1, a = 2\ny' = -a*y; y(0) = 1", "duplicate-name", 1, &["declared twice", "first declared here"]),
    ("param a[1] = 1\nparam a[1] = 2\ny' = -a[1]*y; y(0) = 1", "duplicate-name", 2, &["`a[1]` is declared twice"]),
    ("param a = 1\ninput a = 2\ny' = -a*y; y(0) = 1", "duplicate-name", 2, &["`a` is declared twice"]),
    ("def f(x) = x\ndef f(x) = 2*x\ny' = f(y); y(0) = 1", "duplicate-name", 2, &["`f` is declared twice"]),
    ("def f(x, x) = x\ny' = f(y, y); y(0) = 1", "duplicate-name", 1, &["`x` stands twice"]),
    ("param k = 1\nfor k in 1..2: y[k]' = 0\nfor j in 1..2: init y[j] = 0", "duplicate-name", 2, &["loop index `k`"]),
];

const DECLARATIONS: &[Mistake] = &[
    ("param k' = 1\ny' = -k*y; y(0) = 1", "misplaced-prime", 1, &["declares no derivatives", "1 error in"]),
    ("param k = 1\nk' = 2", "constant-derivative", 2, &["`k` is a parameter and has no derivative"]),
    (
        "param k = 1\nk = y\ny' = -y; y(0) = 1",
        "defined-twice",
        2,
        &["`k` is a parameter and has an equation", "1 error in"],
    ),
    ("input u = 1\nu = 2\ny' = -u; y(0) = 1", "defined-twice", 2, &["`u` is an input and has an equation"]),
    ("param k = 1\ny' = -k*y; y(0) = 1; k(0) = 1", "superfluous-start", 2, &["`k` is a parameter"]),
    ("input u = y\ny' = -u; y(0) = 1", "input-not-given", 1, &["depends on `y`", "without `input`"]),
    ("param a = y\ny' = -a*y; y(0) = 1", "not-constant", 1, &["numbers and other parameters only"]),
    ("param a = t\ny' = -a*y; y(0) = 1", "not-constant", 1, &["without `param`"]),
    ("param a = a\ny' = -a*y; y(0) = 1", "circular-parameter", 1, &["`a` is defined by itself"]),
    ("param a = b, b = a\ny' = -a*b*y; y(0) = 1", "circular-parameter", 1, &["defined by itself"]),
    ("param a = 1/0\ny' = -a*y; y(0) = 1", "bad-value", 1, &["`a` is not a finite number"]),
    ("param a = log(-1)\ny' = -a*y; y(0) = 1", "bad-value", 1, &["`a` is not a finite number"]),
    ("def f(x) = f(x)\ny' = f(y); y(0) = 1", "recursive-function", 1, &["`f` is defined by itself"]),
    ("def f(x) = g(x)\ndef g(x) = f(x)\ny' = f(y); y(0) = 1", "recursive-function", 2, &["defined by itself"]),
    ("def f(x) = x\ny' = f; y(0) = 1", "function-without-arguments", 2, &["`f` is a function", "f(…)"]),
    ("def f(x) = x\ny' = f(y, y); y(0) = 1", "arguments", 2, &["`f` takes 1 argument, here are 2", "defined here"]),
    ("y' = sin(y, 2); y(0) = 1", "arguments", 1, &["`sin` takes 1 argument, here are 2"]),
    ("y' = sin(); y(0) = 1", "arguments", 1, &["here are 0"]),
    ("y' = atan2(y); y(0) = 1", "arguments", 1, &["`atan2` takes 2 arguments"]),
    ("y' = min(y); y(0) = 1", "arguments", 1, &["at least 2 arguments"]),
    ("y' = delay(y', 1); y(0) = 1", "neutral", 1, &["neutral", "delay `y` itself"]),
    ("y' = pade(y, 1); y(0) = 1", "arguments", 1, &["`pade` takes 3 arguments, here are 2", "pade(z, T, n)"]),
    ("y' = pade(y, -1, 3); y(0) = 1", "bad-value", 1, &["must be positive, here it is -1"]),
    ("y = laplace(s^2/(s + 1), 1)", "improper", 1, &["degree 2", "its denominator 1"]),
    ("y' = -y; init y = 1\nrun 0 .. 1\nrun 0 .. 2", "duplicate-run", 3, &["more than one `run`"]),
    ("run 0 .. x\ny' = -y; init y = 1", "not-constant", 1, &["run time must be a constant"]),
    ("run 0 .. t\ny' = -y; init y = 1", "not-constant", 1, &["run time must be a constant"]),
    ("run 0\ny' = -y; init y = 1", "syntax", 1, &["start and its end", "run 0 .. 20"]),
    ("run 5\ny' = -y; init y = 1", "syntax", 1, &["start and its end", "run 0 .. 5"]),
];

const STARTS: &[Mistake] = &[
    ("y' = -y", "missing-start", 1, &["`y` has no start value", "init y = 0"]),
    ("y'' = -y\ninit y = 1", "missing-start", 1, &["`y'` has no start value", "init y' = 0"]),
    ("for k in 1..3: y[k]' = -y[k]", "missing-start", 1, &["3 elements from `y[1]` to `y[3]`", "init y[k] = 0"]),
    ("y' = -y; init y = 1\ninit y = 2", "duplicate-start", 2, &["two start values", "the first one"]),
    ("y' = -y; y(0) = 1; y(0) = 2", "duplicate-start", 1, &["two start values"]),
    ("y' = -y; init y = 1, y' = 2", "superfluous-start", 1, &["`y'` follows from its equation"]),
    ("y' = -y; init y = 1\nz = 2*y; init z = 4", "superfluous-start", 2, &["`z` follows from its equation"]),
    ("y' = -y; init y = 1, q = 2", "superfluous-start", 1, &["`q` has a start value but no equation", "1 error in"]),
    ("init y = 1", "superfluous-start", 1, &["no equation"]),
    ("phi' = -phi; init phi = 1\ninit ph = 2", "superfluous-start", 2, &["did you mean `phi`?"]),
    ("for k in 1..9: init z[k] = 0\ny' = -y; y(0) = 1", "superfluous-start", 1, &["`z[1]`", "1 error in"]),
    ("y' = -y\ninit y = y", "circular-start", 2, &["needs itself"]),
    ("x' = -x; y' = -y\ninit x = y, y = x", "circular-start", 2, &["needs itself"]),
    ("init y = z\nz = 2*y\ny' = -y", "start-not-known", 1, &["needs `z`"]),
    ("y' = 1; y(0) = 0\nevery 0.1: u = u + 1\nz = u", "missing-start", 3, &["`u` has no start value"]),
    ("y' = -y; y(0) = 1/0", "bad-value", 1, &["`y` is not finite (inf)", "division by zero"]),
    ("y' = -y; y(0) = sqrt(-1)", "bad-value", 1, &["`y` is not finite (NaN)"]),
    ("y' = -y; y(1) = 2\nrun 0 .. 3", "start-time", 1, &["given at 1", "starts at 0", "--t-start"]),
    ("y' = -y; init y(0) = 1", "syntax", 1, &["`init` needs no time"]),
];

const COUNTING: &[Mistake] = &[
    ("y' = -y\ny' = y\ny(0) = 1", "too-many-equations", 2, &["2 equations for `y'`", "competes with it"]),
    ("x = 1\nx = 2\ny' = x; y(0) = 1", "too-many-equations", 2, &["2 equations for `x`"]),
    ("y' = -y; y(0) = 1\n0 = 1", "too-many-equations", 2, &["nothing that it could determine"]),
    ("y' = -y; y(0) = 1\noutput y = 3", "too-many-equations", 2, &["nothing that it could determine"]),
    (
        "x' + y' = 1; x' - y' = 2\nz' = x + y + q'\ninit x = 0, y = 0, z = 0, q = 0",
        "too-few-equations",
        2,
        &["nothing determines `q'`", "this equation determines `z'`"],
    ),
    ("0*y' = 1; y(0) = 1", "too-few-equations", 1, &["nothing determines `y'`"]),
    ("z' = x; z(0) = 0\n0 = x - y\n0 = 2*x - 2*y", "singular-system", 2, &["`x` and `y` contradict or repeat"]),
    ("z' = x; z(0) = 0\n0 = x + y - 1; 0 = x + y - 2", "singular-system", 2, &["contradict or repeat"]),
    ("x'' + y'' = 1; x'' + y'' = 2; init x = 0, x' = 0, y = 0, y' = 0", "singular-system", 1, &["`x''` and `y''`"]),
    ("a' = b'; b' = a'; init a = 0, b = 0", "singular-system", 1, &["`a'` and `b'`"]),
    ("y' = y'; y(0) = 1", "singular-system", 1, &["`y'`"]),
    ("input u = step(t - 1); x' = z\n0 = x - u", "impulse", 2, &["`u` jumps", "differentiated once", "`z`"]),
    (
        "x' = v; v' = -L*x; y' = w; w' = -L*y - 9.81\n0 = x^2 + y^2 - 1\ninit x = 1, y = 0",
        "missing-start",
        1,
        &["a start value is missing: one of `v` and `w`, the others follow"],
    ),
];

const TYPES: &[Mistake] = &[
    ("y' = if y then 1 else 2; y(0) = 1", "type", 1, &["a condition is expected here", "x > 0"]),
    ("y' = (y > 0) + 1; y(0) = 1", "type", 1, &["a number is expected here"]),
    ("y' = y and 1; y(0) = 1", "type", 1, &["a condition is expected here"]),
    ("y' = not y; y(0) = 1", "type", 1, &["a condition is expected here"]),
    ("y' = if y > 0 then 1 else y > 2; y(0) = 1", "type", 1, &["the branches are a number and a condition"]),
    ("y' = sin(y > 0); y(0) = 1", "type", 1, &["a number is expected here"]),
    ("y' = 1; y(0) = 0\nwhen y: y = 2", "type", 2, &["a condition is expected here"]),
    ("y' = 1; y(0) = 0\nstop when y", "type", 2, &["a condition is expected here"]),
    ("for k in 1..2.5: y[k]' = -y[k]", "not-integer", 1, &["whole number, here it is 2.5"]),
    ("for k in a..3: y[k]' = -y[k]", "unknown-name", 1, &["`a` is not defined"]),
    ("y' = -y[1.5]; y(0) = 1", "not-integer", 1, &["an index must be a whole number"]),
    ("y' = -u[y]; u[1] = 2; y(0) = 1", "not-constant", 1, &["an index must be a constant"]),
    ("param p[1] = 2\ny' = -p[2]; y(0) = 1", "unknown-name", 2, &["`p[2]`", "other indices"]),
    (
        "param p[9] = 1\nfor k in 1..8: param p[k] = 2*p[k+1]\ny' = -p[1]; y(0) = 1",
        "unknown-name",
        2,
        &["`p[2]` is not a declared parameter", "1 error in"],
    ),
    ("for k in 1..1e12: y[k]' = -y[k]", "too-large", 1, &["1000000000000 elements"]),
    ("for k in 1..1e6: for j in 1..1e6: y[k,j]' = 0", "too-large", 1, &["elements", "check its bounds"]),
    ("for k in 0..1e300: y[k]' = 0", "not-integer", 1, &["whole number"]),
];

const EVENTS: &[Mistake] = &[
    ("y' = 1; y(0) = 0\nevery 0: u = y\nz = u", "bad-value", 2, &["must be positive, here it is 0"]),
    ("y' = 1; y(0) = 0\nevery -1: u = y\nz = u", "bad-value", 2, &["must be positive, here it is -1"]),
    ("y' = 1; y(0) = 0\nevery 1/0: u = y\nz = u", "bad-value", 2, &["must be positive, here it is inf"]),
    ("y' = 1; y(0) = 0\nevery y: u = y\nz = u", "not-constant", 2, &["sampling period must be a constant"]),
    ("y' = 1; y(0) = 0\nevery 1: y' = 2", "not-assignable", 2, &["`y'` follows from an equation"]),
    ("y' = 1; y(0) = 0\nz = 2*y\nwhen y > 1: z = 2", "not-assignable", 3, &["`z` follows from an equation"]),
    ("param a = 1\ny' = a; y(0) = 0\nwhen y > 1: a = 2", "assigned-parameter", 3, &["`a` is a parameter", "init a"]),
    (
        "input u = sin(t)\ny' = u; y(0) = 0\nwhen t > 9: u = 2",
        "assigned-input",
        3,
        &["given for all times", "chosen > 0.5"],
    ),
    ("y' = 1; y(0) = 0\nwhen y > 1: y = 2, y = 3", "duplicate-assignment", 2, &["assigned twice"]),
    ("y' = 1; y(0) = 0\nwhen y > 1:\n  init y = 3", "misplaced-statement", 3, &["only assignments can"]),
    ("y' = 1; y(0) = 0\nwhen y > 1", "syntax", 2, &["`:` is missing"]),
    ("y' = 1; y(0) = 0\nstop y > 2", "syntax", 2, &["`when` is missing"]),
];

const SYNTAX: &[Mistake] = &[
    ("y' = if y > 0 then 1; y(0) = 1", "syntax", 1, &["`else` is missing"]),
    ("y' = if y > 0 else 1; y(0) = 1", "syntax", 1, &["`then` is missing"]),
    ("u'[1] = 2", "syntax", 1, &["an index stands before the primes"]),
    ("x[1][2] = 2", "syntax", 1, &["x[i, k]"]),
    ("(y*y)' = 1; y(0) = 1", "misplaced-prime", 1, &["only a name can have a prime"]),
    ("y' = 2y; y(0) = 1", "implicit-multiplication", 1, &["write `2*y`"]),
    ("y' = a b; y(0) = 1", "implicit-multiplication", 1, &["write `a*b`"]),
    ("y' == -y; y(0) = 1", "double-equals", 1, &["an equation has one `=`"]),
    ("y' = if y = 1 then 1 else 2; y(0) = 1", "single-equals", 1, &["`=` is not a comparison"]),
    ("y' = 0 < y < 1; y(0) = 1", "chained-comparison", 1, &["a < b and b < c"]),
    ("y' = ; y(0) = 1", "syntax", 1, &["an expression is missing"]),
    ("= 2", "syntax", 1, &["cannot begin with `=`"]),
    ("y'", "syntax", 1, &["it has no `=`"]),
    ("y' = -y +; y(0) = 1", "syntax", 1, &["an expression is missing after `+`"]),
    ("y' = (y; y(0) = 1", "unclosed", 1, &["`(` is never closed"]),
    ("y' = y); y(0) = 1", "unopened", 1, &["`)` closes nothing"]),
    ("y' = {y}; y(0) = 1", "bad-character", 1, &["group with `(` and `)`"]),
    ("y' = @y; y(0) = 1", "bad-character", 1, &["`@` has no meaning"]),
    ("y' = -y**2; y(0) = 1", "bad-character", 1, &["`^` is power"]),
    ("y’ = -y; y(0) = 1", "bad-character", 1, &["`’` is not a prime", "plain `'`"]),
    ("α' = -2*α²; α(0) = 1", "bad-character", 1, &["write `^2`"]),
    ("😀' = 1", "bad-character", 1, &["`😀` has no meaning"]),
    ("y\u{200b}' = -y; y(0) = 1", "bad-character", 1, &["U+200B"]),
    ("y' = -y; y(0) = 1\n\0\0", "bad-character", 2, &["U+0000"]),
    ("y' = \"abc\"; y(0) = 1", "syntax", 1, &["text has no meaning in an expression"]),
    ("y' = \"abc; y(0) = 1", "unclosed", 1, &["no closing `\"`"]),
    ("y' = 1.2.3; y(0) = 1", "bad-number", 1, &["only one decimal point"]),
    ("y' = 1,5*y; y(0) = 1", "bad-number", 1, &["a decimal point is `.`"]),
    ("y' = 0x10; y(0) = 1", "bad-number", 1, &["decimal"]),
    ("y' = 1e400; y(0) = 1", "bad-number", 1, &["outside the range"]),
    ("y' = 1e99999999999; y(0) = 1", "bad-number", 1, &["exponent of this number is too large"]),
    ("y' = 1..2; y(0) = 1", "syntax", 1, &["`..` is not expected"]),
    ("init", "syntax", 1, &["`init` declares nothing"]),
    ("param a", "syntax", 1, &["`a` gets no value"]),
    ("for k in 1..3", "syntax", 1, &["`:` is missing"]),
    ("for k in 1..3:", "syntax", 1, &["has no body"]),
    ("def f(x) x\ny' = 1; y(0) = 1", "syntax", 1, &["`=` is missing"]),
    ("Param a = 1\ny' = -a*y; y(0) = 1", "unknown-statement", 1, &["did you mean `param`?"]),
    ("dy/dt = -y; y(0) = 1", "leibniz", 1, &["write `y' = …`"]),
    ("param m = 1 [kg\nx' = -m*x\nx(0) = 1", "unclosed", 1, &["no closing `]`"]),
    ("x' = 2 [m]*3; x(0) = 1", "misplaced-unit", 1, &["end of a declaration"]),
    ("input u from u.csv\ny' = u; y(0) = 0", "syntax", 1, &["double quotes"]),
    ("input u from \"u.csv\" cubic\ny' = u; y(0) = 0", "syntax", 1, &["`hold`", "`linear`"]),
];

/// Every model is run and checked: the run says it to people, the check to programs, with the same place.
fn judge((text, code, line, words): &Mistake) -> Result<(), String> {
    let place = Place::new().with("m.eq", text);
    let run = place.run(&["run", "m.eq", "-t", "1", "-o", "out.csv"]);
    sound(text, &run, &place);
    let header = format!("error[{code}]");
    let words: Vec<&str> = words.iter().copied().chain([header.as_str()]).collect();
    expect(text, &run, 1, &words)?;
    if place.files() != ["m.eq"] {
        return Err(format!("{text}: a result of a model with mistakes: {:?}", place.files()));
    }
    let check = place.run(&["check", "m.eq", "--format", "json"]);
    expect(text, &check, 1, &[])?;
    let found = check.json();
    let same = |d: &serde_json::Value| d["code"] == *code && d["line"] == *line && d["severity"] == "error";
    let list = found["diagnostics"].as_array().ok_or("no list of diagnostics")?;
    match found["ok"] == false && list.iter().any(same) {
        true => Ok(()),
        false => Err(format!("{text}: no {code} in line {line}: {found}")),
    }
}

#[test]
fn every_mistake_of_a_model_is_named_with_its_place_and_a_remedy() {
    let all: Vec<&Mistake> =
        [EMPTY, NAMES, DECLARATIONS, STARTS, COUNTING, TYPES, EVENTS, SYNTAX].into_iter().flatten().collect();
    let wrong: Vec<String> = all.iter().filter_map(|mistake| judge(mistake).err()).collect();
    report(wrong, all.len(), 140);
}
