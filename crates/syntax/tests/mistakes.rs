//! Every mistake is found, where it is, under its name, and hides no other.

use ordinate_syntax::{LineIndex, has_errors, parse, print};

/// Source, and code, line, column of each diagnostic.
type Row = (&'static str, &'static [(&'static str, usize, usize)]);

#[rustfmt::skip]
const TABLE: &[Row] = &[
    ("x' =\nx(0) = 1", &[("syntax", 1, 4)]),
    ("param a =\nx' = -x", &[("syntax", 1, 9)]),
    ("d/dt x = -x", &[("leibniz", 1, 1)]),
    ("s = sum(k in 1..3: u[k])", &[("syntax", 1, 5)]),
    ("for i in 1..2, j in 1..2: u[i, j] = 1", &[("syntax", 1, 14)]),
    ("for k in 1..9 step 2: u[k] = 1", &[("syntax", 1, 15)]),
    ("x' = -(x + 1)! + 3", &[("bad-character", 1, 14)]),
    ("x' = 1e", &[("bad-number", 1, 6)]),
    ("y' = 2x", &[("implicit-multiplication", 1, 6)]),
    ("y' = 2 (x+1) + (a)(b) + 3 4", &[("implicit-multiplication", 1, 6), ("implicit-multiplication", 1, 16), ("bad-number", 1, 27)]),
    ("y' == -y", &[("double-equals", 1, 4)]),
    ("dy/dt = -y", &[("leibniz", 1, 1)]),
    ("d2y/dt2 = -y", &[("leibniz", 1, 1)]),
    ("y(t) = 3", &[("syntax", 1, 1)]),
    ("y' = -y(t) + x'(t)", &[("syntax", 1, 7), ("syntax", 1, 16)]),
    ("x' = a ** b", &[("bad-character", 1, 8)]),
    ("x' = (a + b", &[("unclosed", 1, 6)]),
    ("x' = sin x + sin^2(x)", &[("syntax", 1, 6)]),
    ("Param a = 1", &[("unknown-statement", 1, 1)]),
    ("params a = 1", &[("unknown-statement", 1, 1)]),
    ("param a = 1 b = 2", &[("syntax", 1, 13)]),
    ("param a 1", &[("syntax", 1, 7)]),
    ("param a = 1,5", &[("bad-number", 1, 12)]),
    ("param t = 1, pi = 2, sin = 3, for = 4, b = 2", &[("reserved-name", 1, 7), ("reserved-name", 1, 14), ("reserved-name", 1, 22), ("reserved-name", 1, 31)]),
    ("init x(0) = 1", &[("syntax", 1, 7)]),
    ("init x = , y = 2", &[("syntax", 1, 10)]),
    ("run 20", &[("syntax", 1, 5)]),
    ("run 0...5", &[("bad-character", 1, 6)]),
    ("run 0 ... .5", &[("bad-character", 1, 7)]),
    ("for k in 1...3: x[k] = 1", &[("bad-character", 1, 11)]),
    ("run 0, 20", &[("syntax", 1, 5)]),
    ("run 0 to 20", &[("syntax", 1, 5)]),
    ("for k = 1..3: x[k]' = 1", &[("syntax", 1, 7)]),
    ("for k in 1..3 x[k]' = 1", &[("syntax", 1, 15)]),
    ("for k in 1..3", &[("syntax", 1, 14)]),
    ("for k in 1..3:", &[("syntax", 1, 1)]),
    ("when x = 0: v = 1", &[("single-equals", 1, 8)]),
    ("when x > 0 then v = 1", &[("syntax", 1, 12)]),
    ("when x > 0: stop", &[("misplaced-statement", 1, 13)]),
    ("stop if x > 3", &[("syntax", 1, 1)]),
    ("stop x > 3", &[("syntax", 1, 1)]),
    ("y' = if a then b", &[("syntax", 1, 17)]),
    ("y' = if a = b then c else d", &[("single-equals", 1, 11)]),
    ("y' = 1 + if a then b else c", &[("syntax", 1, 10)]),
    ("y' = a < b < c", &[("chained-comparison", 1, 12)]),
    ("u'[k] = 3", &[("syntax", 1, 3)]),
    ("(a*b)' = 3", &[("misplaced-prime", 1, 6)]),
    ("y' = 5'", &[("misplaced-prime", 1, 7)]),
    ("y\" = -y", &[("bad-character", 1, 2)]),
    ("y’ = −y", &[("bad-character", 1, 2)]),
    ("y' = x² + √2", &[("bad-character", 1, 7), ("bad-character", 1, 11)]),
    ("y' = a && b || !c", &[("bad-character", 1, 8), ("bad-character", 1, 13), ("bad-character", 1, 16)]),
    ("x := 3", &[("bad-character", 1, 3)]),
    ("x' = y, y' = -x", &[("syntax", 1, 7)]),
    ("x' = y y' = -x", &[("syntax", 1, 8)]),
    ("a = b = c", &[("syntax", 1, 7)]),
    ("m x'' = F", &[("implicit-multiplication", 1, 1)]),
    ("x' = a +", &[("syntax", 1, 8)]),
    ("y' = 1_000 + 1.2.3 + 0x10", &[("bad-number", 1, 6), ("bad-number", 1, 14), ("bad-number", 1, 22)]),
    ("param a = 2 kg", &[("misplaced-unit", 1, 13)]),
    ("param a = [1, 2, 3]", &[("bad-character", 1, 11)]),
    ("y' = u [3] + 1", &[("misplaced-unit", 1, 8)]),
    ("y' = 3 % comment", &[("bad-character", 1, 8)]),
    ("y' = 3 // comment", &[("bad-character", 1, 8)]),
    ("y' = \"abc", &[("unclosed", 1, 6)]),
    ("param a = 1 [kg", &[("unclosed", 1, 13)]),
    ("output sin(x), x^2, y", &[("syntax", 1, 8), ("syntax", 1, 17)]),
    ("output x' = 3", &[("misplaced-prime", 1, 8)]),
    ("input u", &[("syntax", 1, 7)]),
    ("input u from u.csv", &[("syntax", 1, 14), ("bad-character", 1, 15)]),
    ("input u from \"u.csv\" cubic", &[("syntax", 1, 22)]),
    ("def f = 3", &[("syntax", 1, 5)]),
    ("def f() = 3", &[("syntax", 1, 7)]),
    ("def f(x, x) = 3", &[("duplicate-name", 1, 10)]),
    ("f(x, y) = 3", &[("syntax", 1, 4)]),
    ("def f(x) 3", &[("syntax", 1, 10)]),
    ("y' = a AND b", &[("syntax", 1, 8)]),
    ("t = 5", &[("reserved-name", 1, 1)]),
    ("pi = 3", &[("reserved-name", 1, 1)]),
    ("stop = 3", &[("reserved-name", 1, 1)]),
    ("y' = run + 1", &[("reserved-name", 1, 6), ("syntax", 1, 12)]),
    ("y' = )", &[("unopened", 1, 6)]),
    ("y' = ()", &[("syntax", 1, 6)]),
    ("y' = sin(x,)", &[("syntax", 1, 12)]),
    ("y' = (a]", &[("unclosed", 1, 8)]),
    ("y' = a[1)", &[("unclosed", 1, 9)]),
    ("y' = u[]", &[("syntax", 1, 7)]),
    ("+ 3", &[("syntax", 1, 3)]),
    ("= 3", &[("syntax", 1, 1)]),
    ("y' = ", &[("syntax", 1, 4)]),
    ("* b", &[("syntax", 1, 1)]),
    ("hello", &[("syntax", 1, 1)]),
    ("a b x", &[("syntax", 1, 1)]),
    ("der(x) = -x", &[("leibniz", 1, 1)]),
    ("d(x)/dt = -x", &[("leibniz", 1, 1)]),
    ("f(x) = x^2; y' = f(y)", &[("unknown-statement", 1, 1)]),
    ("x(t0) = 2; x' = 1", &[]),
    ("x(0) == 1", &[("double-equals", 1, 6)]),
    ("init: x = 1", &[("syntax", 1, 5)]),
    ("par k = 2", &[("unknown-statement", 1, 1)]),
    ("def f(x): return x^2", &[("syntax", 1, 9)]),
    ("for k = 1:3\n  x[k] = 1\nend", &[("syntax", 1, 7), ("unknown-statement", 3, 1)]),
    ("for k in 1:3: x[k] = 1", &[("syntax", 1, 11)]),
    ("for k in 1..3: x(k)' = 1", &[("syntax", 1, 16)]),
    ("param g = 9.81 m/s^2", &[("misplaced-unit", 1, 16)]),
    ("param g = 9.81 (m/s^2)", &[("misplaced-unit", 1, 16)]),
    ("param g [m/s^2] = 9.81", &[("misplaced-unit", 1, 9)]),
    ("every 0.1 s: u = x", &[("misplaced-unit", 1, 11)]),
    ("param k = 2,\nx' = -k*x", &[("syntax", 1, 12)]),
    ("x' = if(x > 0, 1, 0)", &[("syntax", 1, 6)]),
    ("x' = if (x > 0) then 1 else 0", &[]),
    ("x' = x > 0 ? 1 : 0", &[("bad-character", 1, 12)]),
    ("x' = 1 if x > 0 else 0", &[("syntax", 1, 8)]),
    ("! comment", &[("bad-character", 1, 1)]),
    ("/* comment\n more */ x' = 1", &[("bad-character", 1, 1)]),
    ("when x < 1: x += 1", &[("syntax", 1, 15)]),
    ("run 0 .. 20 [s]", &[("misplaced-unit", 1, 13)]),
    ("for k in 1..3: run 0..3", &[("misplaced-statement", 1, 16)]),
    ("else", &[("syntax", 1, 1)]),
    ("y' = e^-t'", &[("misplaced-prime", 1, 10)]),
    ("Run 0 .. 3", &[("unknown-statement", 1, 1)]),
    ("when x: ", &[("syntax", 1, 1)]),
    ("every : u = 3", &[("syntax", 1, 7)]),
    ("when h < 0 v = 3", &[("syntax", 1, 12)]),
    ("x'(0 = 3", &[("unclosed", 1, 3)]),
    ("x = 3: y", &[("syntax", 1, 6)]),
    ("x' = $%&", &[("bad-character", 1, 6), ("bad-character", 1, 7)]),
    ("param = 3", &[("reserved-name", 1, 1)]),
    ("param", &[("syntax", 1, 1)]),
    ("y' = sin = 3", &[("reserved-name", 1, 6)]),
    ("x' = 1e99999", &[("bad-number", 1, 6)]),
    ("for k in 1..3:\nx[k] = 1", &[("indentation", 1, 1)]),
    ("for k in 1..3: a[k] = 1\n    b[k] = 2", &[("indentation", 2, 5)]),
    ("for i in 1..2:\n    a = 1\n  b = 2", &[("indentation", 3, 3)]),
    ("x' = f(a,\n  b\ny' = 1", &[("unclosed", 1, 7)]),
    ("x' = 2y\ny' = 3z\ninit x = (1", &[("implicit-multiplication", 1, 6), ("implicit-multiplication", 2, 6), ("unclosed", 3, 10)]),
    ("x' = (a\ny' = 3", &[("unclosed", 1, 6)]),
    ("for k in 1..3: stop when x > 1", &[("misplaced-statement", 1, 16)]),
    ("when a: x + 1", &[("syntax", 1, 11)]),
    ("when a: x == 1", &[("double-equals", 1, 11)]),
    ("when a:\n  run 0 .. 1", &[("misplaced-statement", 2, 3)]),
    ("param x' = 1", &[("misplaced-prime", 1, 7)]),
    ("param a == 1", &[("double-equals", 1, 9)]),
    ("param a = 1 [m] [s]", &[("misplaced-unit", 1, 17)]),
    ("y = 1,5", &[("bad-number", 1, 6)]),
    ("init x = 1,", &[("syntax", 1, 11)]),
    ("y = a.b", &[("bad-character", 1, 6)]),
    ("y = {a}", &[("bad-character", 1, 5), ("bad-character", 1, 7)]),
    ("y = 'a'", &[("misplaced-prime", 1, 5)]),
    ("x = 3 [m] + 2", &[("misplaced-unit", 1, 7)]),
    ("y = x'(0)", &[("syntax", 1, 7)]),
    ("time' = 1", &[("reserved-name", 1, 1), ("misplaced-prime", 1, 5)]),
    ("def sin(x) = 1", &[("reserved-name", 1, 5)]),
    ("def f(t) = 1", &[("reserved-name", 1, 7)]),
    ("for t in 1..3: x[t] = 1", &[("reserved-name", 1, 5)]),
    ("y = [1 2; 3 4]", &[("bad-character", 1, 5)]),
    ("y = and", &[("syntax", 1, 5)]),
    ("y = a ≤ b ≤ c", &[("chained-comparison", 1, 11)]),
    ("input u from", &[("syntax", 1, 13)]),
    ("y = u[1][2]", &[("syntax", 1, 9)]),
    ("y = a <> b", &[("bad-character", 1, 7)]),
    ("y = 5 > = 3", &[("syntax", 1, 9)]),
];

#[test]
fn every_mistake_is_found_at_its_place() {
    for (source, expected) in TABLE {
        let (_, found) = parse(source);
        let lines = LineIndex::new(source);
        let places: Vec<_> = found
            .iter()
            .map(|diagnostic| {
                let (line, column) = lines.line_column(diagnostic.span.start);
                (diagnostic.code, line, column)
            })
            .collect();
        assert_eq!(&places, expected, "{source}\n{found:#?}");
        assert_eq!(has_errors(&found), !expected.is_empty(), "{source}");
    }
}

#[test]
fn messages_are_one_line_without_full_stop() {
    for (source, _) in TABLE {
        for diagnostic in parse(source).1 {
            let message = &diagnostic.message;
            assert!(!message.is_empty() && !message.ends_with('.') && !message.contains('\n'), "{source}: {message}");
            assert!(message.len() < 90, "{source}: {message}");
        }
    }
}

/// What stands around a mistake is still read, so that a later stage does not report its absence.
#[test]
fn a_mistake_leaves_the_rest_of_the_text() {
    let table = [
        ("param a = 1 +, b = 2", "param     a = <error>, b = 2\n"),
        ("param a = 1 b = 2", "param     a = 1, b = 2\n"),
        ("x' = (a + b\ny' = 1", "equation  x' = <error>\nequation  y' = 1\n"),
        ("x' = (a + b\nrun 0 .. 1", "equation  x' = <error>\nrun       0 .. 1\n"),
        ("x' = f(a,\n  b\ny[1]' = 1", "equation  x' = <error>\nequation  y[1]' = 1\n"),
        ("x' =\ny' = 1", "equation  x' = <error>\nequation  y' = 1\n"),
        ("x' = a +\ny' = 1", "equation  x' = <error>\nequation  y' = 1\n"),
        ("init x = 1,\nrun 0 .. 1", "init      x = 1\nrun       0 .. 1\n"),
        ("x' = y y' = 1", "equation  x' = y\nequation  y' = 1\n"),
        ("y' == -y", "equation  y' = -y\n"),
        ("y' = 2x^2", "equation  y' = 2 * (x ^ 2)\n"),
        ("m x'' = F", "equation  m * x'' = F\n"),
        ("for k = 1..3: x[k] = 1", "for       k in 1 .. 3\n  equation  x[k] = 1\n"),
        ("for k in 1..3 x[k] = 1", "for       k in 1 .. 3\n  equation  x[k] = 1\n"),
        ("for k on 1..3:\n  x[k] = 1", "for       k in <error> .. <error>\n  equation  x[k] = 1\n"),
        ("when x = 0: v = 1", "when      <error>\n  assign    v = 1\n"),
        ("when x > 0 then v = 1", "when      x > 0\n  assign    v = 1\n"),
        ("y' = a && !b ** c", "equation  y' = a and (not (b ^ c))\n"),
    ];
    for (source, expected) in table {
        let (tree, found) = parse(source);
        assert!(has_errors(&found), "{source}");
        assert_eq!(print(&tree, source), expected, "{source}\n{found:#?}");
    }
}

/// The help is the point of a diagnostic: what to write instead, in the user's own words.
#[test]
fn help_says_what_to_write() {
    let table = [
        ("y' = 2x", "write `2*x`"),
        ("y' = 2 x''", "write `2*x''`, or `2 [x'']` if that is a unit"),
        ("m x'' = F", "write `m*x''`"),
        ("y' = a ** b", "`^` is power"),
        ("dy/dt = -y", "write `y' = …`"),
        ("d2x1/dt2 = -y", "write `x1'' = …`"),
        ("y' = -y(t)", "write `y`; every variable depends on the time"),
        ("y(t) = 1", "write `y = …`; every variable depends on the time"),
        ("run 20", "write `run 0 .. 20`"),
        ("run 0-10", "write `run 0 .. 10`"),
        ("run 1 to 5", "write `run 1 .. 5`"),
        ("run 0:0.1:5", "write `run 0 .. 5`"),
        ("der(x) = -x", "write `x' = …`"),
        ("d/dt x = -x", "write `x' = …`"),
        ("d2/dt2(x) = -x", "write `x'' = …`"),
        ("x' = -x; int x = 1", "did you mean `init`?"),
        ("int k = 1; x' = -k*x", "did you mean `param`?"),
        ("x' = 1e", "write `1e3`, or `1*exp(1)`"),
        ("param e = 2; x' = 3e", "write `3*e`"),
        ("x' = x!", "write the product: 4! is `2*3*4`"),
        (
            "for i in 1..2, j in 1..2: x[i, j] = 1",
            "write one `for` inside the other: `for i in 1..n: for k in 1..m: …`",
        ),
        ("for k in 1..9 step 2: x[k] = 1", "compute other indices from it, as in `for k in 1..n: u[2*k - 1] = …`"),
        ("d2(x)/dt2 = -x", "write `x'' = …`"),
        ("f(x) = x^2; y' = f(y)", "to define a function write `def f(x) = …`"),
        ("par k = 2", "did you mean `param`?"),
        ("p k = 2", "did you mean `param`?"),
        ("double k = 2", "did you mean `param`?"),
        ("x' = 1\nend", "remove `end`"),
        ("for k = 1:3\n  x[k] = 1", "write `for k in 1..3: …`"),
        ("for k in 1..3: x(k)' = 1", "write `x[k]'`"),
        ("param g = 9.81 m/s^2", "write `9.81 [m/s^2]`"),
        ("param g = 9.81 (m/s^2)", "write `9.81 [m/s^2]`"),
        ("param g [m/s^2] = 9.81", "write `param g = 9.81 [m/s^2]`"),
        ("every 0.1 s: u = x", "write `0.1`; times are in the unit of `t`"),
        ("param k = 2,\nx' = -k*x", "remove the comma"),
        ("x' = x > 0 ? 1 : 0", "write `if a then b else c`"),
        ("when x < 1: x += 1", "write `x = x + …`"),
        ("when x = 0: x = 1", "write a comparison such as `x < 0`"),
        ("x'(0 = 3", "write `x'(0) = …`"),
        ("Param a = 1", "did you mean `param`?"),
        ("pram a = 1", "did you mean `param`?"),
        ("u'[k] = 1", "write `u[…]'`; before a unit there is a space"),
        ("y = (a*b)'", "give it a name, `p = (a*b)`, and write `p'`"),
        ("y = u [3] + 1", "write an element without a space, `u[3]`"),
        ("y = sin x", "write `sin(x)`"),
        ("y = a < b < c", "write `a < b and b < c`"),
        ("f(x, y) = x", "to define a function write `def f(…) = …`"),
        ("param t = 1", "choose another name, such as `t1`"),
        ("y = x²", "write `^2`"),
        ("y = a AND b", "write `and`"),
    ];
    for (source, help) in table {
        let (_, found) = parse(source);
        assert_eq!(found[0].help.as_deref(), Some(help), "{source}");
    }
}

#[test]
fn mistakes_past_a_hundred_are_counted() {
    let (_, found) = parse(&"y = 2x\n".repeat(1000));
    assert_eq!(found.len(), 101);
    assert_eq!(found[100].code, "too-many");
    assert_eq!(found[100].message, "there are 900 more mistakes after this one");
}
