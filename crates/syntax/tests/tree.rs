//! What the parser understands, read off the printed tree.

use ordinate_syntax::{parse, print};

fn printed(text: &str) -> String {
    let (tree, found) = parse(text);
    assert!(found.is_empty(), "{text:?}: {found:?}");
    print(&tree, text)
}

#[test]
fn operators_bind_as_on_paper() {
    let table = [
        ("-x^2", "-(x ^ 2)"),
        ("2^-3", "2 ^ (-3)"),
        ("2^3^4", "2 ^ (3 ^ 4)"),
        ("2^-3^2", "2 ^ (-(3 ^ 2))"),
        ("x'^2", "x' ^ 2"),
        ("u[k]'", "u[k]'"),
        ("u[k-1, 2]''", "u[k - 1, 2]''"),
        ("a - b - c", "(a - b) - c"),
        ("a / b * c", "(a / b) * c"),
        ("a + b * c", "a + (b * c)"),
        ("-a * b", "(-a) * b"),
        ("a * -b", "a * (-b)"),
        ("a - -b", "a - (-b)"),
        ("+a", "a"),
        ("- - a", "-(-a)"),
        ("a + 1 < b * 2", "(a + 1) < (b * 2)"),
        ("not a < b", "not (a < b)"),
        ("not a and b", "(not a) and b"),
        ("a or b and c", "a or (b and c)"),
        ("a == b or c != d", "(a == b) or (c != d)"),
        ("if a then b else c + 1", "if a then b else (c + 1)"),
        ("if a then b else if c then d else f", "if a then b else (if c then d else f)"),
        ("if a then if b then 1 else 2 else 3", "if a then (if b then 1 else 2) else 3"),
        ("1 + (if a then b else c)", "1 + (if a then b else c)"),
        ("((a))", "a"),
        ("max(-1, min(1, x))", "max(-1, min(1, x))"),
        ("time + t + pi", "(t + t) + pi"),
        (".5 + 2. + 1e-3 + 1.5E+2", "((.5 + 2.) + 1e-3) + 1.5E+2"),
        ("φ′ − ω₁·x×2", "φ' - ((ω₁ * x) * 2)"),
        ("φ″", "φ''"),
        ("a ≤ b", "a <= b"),
        ("a ≥ b", "a >= b"),
        ("a ≠ b", "a != b"),
        ("e + s + in + from + hold + linear", "((((e + s) + in) + from) + hold) + linear"),
    ];
    for (source, expected) in table {
        assert_eq!(printed(&format!("y = {source}")), format!("equation  y = {expected}\n"), "{source}");
    }
}

#[test]
fn statements_are_recognised() {
    let table = [
        ("param a = 1 [kg], b = 2*a", "param     a = 1 [kg], b = 2 * a\n"),
        ("param R[3] = 1 [ m / s^2 ]", "param     R[3] = 1 [m / s^2]\n"),
        ("param a = 1[kg]", "param     a = 1 [kg]\n"),
        ("param T = 20 [°C], w = 1 [µm·Ω]", "param     T = 20 [°C], w = 1 [µm·Ω]\n"),
        ("input u = step(t-1) [V]", "input     u = step(t - 1) [V]\n"),
        ("input u from \"u.csv\" hold [V]", "input     u from \"u.csv\" hold [V]\n"),
        (
            "input u from \"a b.csv\", v from \"v.csv\" linear",
            "input     u from \"a b.csv\" linear, v from \"v.csv\" linear\n",
        ),
        ("output E = x^2 [J], phi, x', u[3] [m]", "output    E = x ^ 2 [J], phi, x', u[3] [m]\n"),
        ("init x = -1, x' = 0 [m/s], phi = pi + 0.1", "init      x = -1, x' = 0 [m/s], phi = pi + 0.1\n"),
        ("guess z = 0.5", "guess     z = 0.5\n"),
        ("y(0) = 1", "start     y(0) = 1\n"),
        ("x'(0) = 2 [m/s]", "start     x'(0) = 2 [m/s]\n"),
        ("u[3](0) = 1", "start     u[3](0) = 1\n"),
        ("run 0..20", "run       0 .. 20\n"),
        ("run 0.5..1.5", "run       0.5 .. 1.5\n"),
        ("run -1 .. 4*pi", "run       -1 .. (4 * pi)\n"),
        ("def f(x, y) = x*y\nf(x, 1) = 2", "def       f(x, y) = x * y\nequation  f(x, 1) = 2\n"),
        ("sin(x) = 0.5", "equation  sin(x) = 0.5\n"),
        ("0 = x^2 + y^2 - L^2", "equation  0 = ((x ^ 2) + (y ^ 2)) - (L ^ 2)\n"),
        ("v + R*i = u [V]", "equation  v + (R * i) = u [V]\n"),
        ("-y = x", "equation  -y = x\n"),
        ("stop when theta > pi", "stop when theta > pi\n"),
        ("when h < 0: v = -0.8*v, h = 0", "when      h < 0\n  assign    v = (-0.8) * v\n  assign    h = 0\n"),
        ("every Ts: u[1] = K*(r - y)", "every     Ts\n  assign    u[1] = K * (r - y)\n"),
        ("when a: b' = 1; c = 2", "when      a\n  assign    b' = 1\nequation  c = 2\n"),
        ("for k in 2..S: i[k]' = u[k-1]", "for       k in 2 .. S\n  equation  i[k]' = u[k - 1]\n"),
        (
            "for k in 1..2: a[k]' = 1, b[k]' = 2; c = 3",
            "for       k in 1 .. 2\n  equation  a[k]' = 1\n  equation  b[k]' = 2\nequation  c = 3\n",
        ),
        (
            "for i in 1..2: for k in 1..3: init a[i,k] = 0, b[i,k] = 1",
            "for       i in 1 .. 2\n  for       k in 1 .. 3\n    init      a[i, k] = 0, b[i, k] = 1\n",
        ),
    ];
    for (source, expected) in table {
        let expected = expected.replace("(4 * pi)", "4 * pi");
        assert_eq!(printed(source), expected, "{source}");
    }
}

#[test]
fn line_ends_matter_only_where_they_should() {
    let one = "equation  x = a + b\nequation  y = 2\n";
    for source in [
        "x = a + b\ny = 2",
        "x = a + b; y = 2;",
        "x = a +\n  b\ny = 2\n",
        "x =\n  a + b\n\n\n# comment\n   # comment\ny = 2",
        "x = (a\n + b)\r\ny = 2\r\n",
        "\u{feff}x = a + b # comment; z = 3\ny = 2",
        "\n\n  x = a + b\n  y = 2",
        "\tx = a + b\ny = 2",
    ] {
        assert_eq!(printed(source), one, "{source:?}");
    }
    assert_eq!(printed("init x = 1,\n     y = 2"), "init      x = 1, y = 2\n");
    assert_eq!(printed("F = if a then 1\n    else 2"), "equation  F = if a then 1 else 2\n");
    assert_eq!(printed("y = u[1,\n 2]"), "equation  y = u[1, 2]\n");
    assert_eq!(printed(""), "");
    assert_eq!(printed("\n # nothing\n;;\n"), "");
}

#[test]
fn blocks_end_where_their_indentation_ends() {
    let source = "\
for i in 1..2:
    a[i]' = 1   # comment

    for k in 1..3:
        b[i,k]' = 2
        when b[i,k] > 1:
            b[i,k] = 0
            c = 1, d = 2
    init a[i] = 0
# comment at the margin
    guess z[i] = 1; param q[i] = 2
every 1:
\tu = 1
run 0 .. 1";
    let expected = "\
for       i in 1 .. 2
  equation  a[i]' = 1
  for       k in 1 .. 3
    equation  b[i, k]' = 2
    when      b[i, k] > 1
      assign    b[i, k] = 0
      assign    c = 1
      assign    d = 2
  init      a[i] = 0
  guess     z[i] = 1
  param     q[i] = 2
every     1
  assign    u = 1
run       0 .. 1
";
    assert_eq!(printed(source), expected);
    assert_eq!(printed(&source.replace('\n', "\r\n")), expected);
}

#[test]
fn names_stand_once_in_the_order_of_their_appearance() {
    let (tree, _) = parse("x' = sin(y) + x\ny = x + k\nparam k = 1\nx(0) = 1");
    assert_eq!(tree.names, ["x", "y", "sin", "k"]);
}
