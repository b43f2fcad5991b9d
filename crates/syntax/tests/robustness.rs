//! Whatever the text: no panic, a tree that keeps its promises, and an error whenever something is left out.

use ordinate_syntax::{LONGEST_TEXT, Node, NodeKind, Statement, StatementKind, Tree, has_errors, parse, print, render};

/// A linear congruential generator (Knuth, TAOCP 2, section 3.3.4, line 26): the same texts on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

fn children(node: &Node) -> Vec<u32> {
    match &node.kind {
        NodeKind::Number | NodeKind::Time | NodeKind::Pi | NodeKind::Error => vec![],
        NodeKind::Variable { index, .. } => index.iter().map(|id| id.0).collect(),
        NodeKind::Call { arguments, .. } => arguments.iter().map(|id| id.0).collect(),
        NodeKind::Unary(_, a) => vec![a.0],
        NodeKind::Binary(_, a, b) => vec![a.0, b.0],
        NodeKind::If(a, b, c) => vec![a.0, b.0, c.0],
    }
}

/// Children stand before parents, each node has one parent or is a root, and spans can be sliced.
fn check(text: &str) {
    let (tree, found) = parse(text);
    let mut used = vec![false; tree.nodes.len()];
    for (id, node) in tree.nodes.iter().enumerate() {
        let slice = text.get(node.span.start as usize..node.span.end as usize);
        assert!(slice.is_some(), "{text:?}: {node:?}");
        if node.kind == NodeKind::Number {
            assert!(slice.is_some_and(|number| number.parse::<f64>().is_ok()), "{text:?}: {node:?}");
        }
        for child in children(node) {
            assert!((child as usize) < id, "{text:?}: {child} is not before {id}");
            assert!(!std::mem::replace(&mut used[child as usize], true), "{text:?}: {child} has two parents");
        }
    }
    check_statements(&tree, &tree.statements, text);
    for diagnostic in &found {
        assert!(
            text.get(diagnostic.span.start as usize..diagnostic.span.end as usize).is_some(),
            "{text:?}: {diagnostic:?}"
        );
        for (span, _) in &diagnostic.labels {
            assert!(text.get(span.start as usize..span.end as usize).is_some(), "{text:?}: {diagnostic:?}");
        }
    }
    if found.is_empty() && !text.contains('#') {
        let mut end = 0;
        for statement in &tree.statements {
            let gap = &text[end..statement.span.start as usize];
            assert!(gap.chars().all(|c| c.is_whitespace() || c == ';'), "{text:?}: {gap:?} is lost");
            end = statement.span.end as usize;
        }
        assert!(text[end..].chars().all(|c| c.is_whitespace() || c == ';'), "{text:?}: the end is lost");
    }
    let printed = print(&tree, text);
    assert!(!printed.contains("<error>") || has_errors(&found), "{text:?}: {printed}");
    render(&found, "m.eq", text, true);
}

fn check_statements(tree: &Tree, statements: &[Statement], text: &str) {
    for statement in statements {
        assert!(text.get(statement.span.start as usize..statement.span.end as usize).is_some(), "{text:?}");
        match &statement.kind {
            StatementKind::For { from, to, body, .. } => {
                check_ranges(tree, &[*from, *to], text);
                check_statements(tree, body, text);
            }
            StatementKind::Equation { left, right, .. } => check_ranges(tree, &[*left, *right], text),
            StatementKind::StartAt { at, value, .. } => check_ranges(tree, &[*at, *value], text),
            StatementKind::Run { from, to } => check_ranges(tree, &[*from, *to], text),
            _ => {}
        }
    }
}

/// All nodes of an expression stand within its range: those that a node names, and no others.
fn check_ranges(tree: &Tree, expressions: &[ordinate_syntax::Expr], text: &str) {
    for expression in expressions {
        let range = expression.range();
        let named: usize = range.clone().map(|id| children(&tree.nodes[id]).len()).sum();
        assert_eq!(named + 1, range.clone().count(), "{text:?}");
        assert!(
            range.clone().all(|id| children(&tree.nodes[id]).iter().all(|child| range.contains(&(*child as usize))))
        );
    }
}

const WORDS: &[&str] = &[
    "param",
    "input",
    "output",
    "init",
    "guess",
    "run",
    "for",
    "in",
    "def",
    "if",
    "then",
    "else",
    "when",
    "stop",
    "every",
    "from",
    "hold",
    "and",
    "or",
    "not",
    "x",
    "y",
    "k",
    "u",
    "t",
    "pi",
    "sin",
    "max",
    "dt",
    "dx",
    "1",
    "0.5",
    "2.",
    ".5",
    "1e-3",
    "\"u.csv\"",
    "\"",
    "+",
    "-",
    "*",
    "/",
    "^",
    "(",
    ")",
    "[",
    "]",
    ",",
    ":",
    ";",
    "=",
    "<",
    "<=",
    "==",
    "!=",
    "..",
    "'",
    "''",
    " [m]",
    "[",
    " ",
    "\n",
    "\n  ",
    "\n    ",
    "\r\n",
    "\t",
    "#",
    "φ",
    "²",
    "′",
    "\u{0}",
    "**",
    "%",
    ".",
    "x'",
    "u[k]",
    "x(0)",
    "y =",
    "for k in 1..3:",
    "when x:",
];

#[test]
fn token_soup_is_survived() {
    let mut random = Random(1);
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..random.below(30) {
            text.push_str(WORDS[random.below(WORDS.len())]);
            if random.below(2) == 0 {
                text.push(' ');
            }
        }
        check(&text);
    }
}

#[test]
fn random_characters_are_survived() {
    let mut random = Random(2);
    for _ in 0..5_000 {
        let bytes: Vec<u8> = (0..random.below(60)).map(|_| random.below(256) as u8).collect();
        check(&String::from_utf8_lossy(&bytes));
        check(&bytes.iter().map(|&byte| char::from(byte)).collect::<String>());
    }
}

/// Cutting a good model anywhere is the commonest half-written text there is.
#[test]
fn every_prefix_of_a_model_is_survived() {
    let model = "param g = 9.81 [m/s^2], l = 1\nphi'' = -g/l*sin(phi)\nfor k in 1..3:\n  u[k]' = if u[k] > 0 then -1 else 1\n\
                 when phi < 0: phi' = -phi'\ninit phi = pi, phi' = 0\ninput u from \"ω.csv\" hold\nx'(0) = 1\nrun 0 .. 20\n";
    for (end, _) in model.char_indices() {
        check(&model[..end]);
        check(&model[end..]);
    }
}

#[test]
fn deep_nesting_is_refused_and_not_fatal() {
    let many = 100_000;
    let table = [
        format!("y = {}x{}", "(".repeat(many), ")".repeat(many)),
        format!("y = {}x", "(".repeat(many)),
        format!("y = {}x{}", "sin(".repeat(many), ")".repeat(many)),
        format!("y = {}1{}", "u[".repeat(many), "]".repeat(many)),
        format!("y = {}x", "-".repeat(many)),
        format!("y = {}x", "not ".repeat(many)),
        format!("y = x{}", "^x".repeat(many)),
        format!("y = {}", "a or b and c < 1 + 2 * (".repeat(many)),
        format!("y = {}x", "if a then ".repeat(many)),
        "for k in 1..2: ".repeat(many),
        (0..1000).map(|level| format!("{}for k in 1..2:\n", " ".repeat(level))).collect(),
        format!("u{}", "[u".repeat(many)),
    ];
    for text in table {
        // As little stack as any thread has that a program is likely to parse in.
        let small = std::thread::Builder::new().stack_size(512 * 1024);
        let codes =
            small.spawn(move || parse(&text).1.iter().map(|d| d.code).collect::<Vec<_>>()).unwrap().join().unwrap();
        assert!(codes.contains(&"too-deep"), "{codes:?}");
    }
}

#[test]
fn two_hundred_levels_are_allowed() {
    let text = format!("y = {}x{}", "(".repeat(199), ")".repeat(199));
    assert!(parse(&text).1.is_empty());
}

#[test]
fn long_is_not_deep() {
    let terms = 1_000_000;
    let text = format!("y = 1{}", "+1".repeat(terms - 1));
    let (tree, found) = parse(&text);
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(tree.nodes.len(), 1 + 2 * terms - 1);
    assert!(print(&tree, &text).ends_with("1) + 1\n"));

    let chain = format!("y = {}0", "if x < 1 then 2 else ".repeat(10_000));
    assert!(parse(&chain).1.is_empty());
}

#[test]
fn a_text_past_the_limit_is_refused() {
    let (tree, found) = parse(&"#".repeat(LONGEST_TEXT));
    assert!(tree.statements.is_empty() && found.is_empty());
    let (tree, found) = parse(&"x = 1\n".repeat(LONGEST_TEXT / 5));
    assert!(tree.statements.is_empty());
    assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), ["too-long"]);
}

/// Each of these once took time quadratic in its length in some parser; here they end at once or the test never does.
#[test]
fn long_rubbish_ends() {
    let many = 200_000;
    for piece in [
        "(",
        ")",
        "[",
        "u[",
        "\"",
        "x ",
        "2 ",
        "= ",
        ", ",
        "param ",
        "x = (\n",
        "x' = 1 +\n",
        "'",
        " [m",
        "$",
        "for ",
        "when a:",
        "def f(a,",
        ";",
        "x(0)",
        "if ",
        "a=",
    ] {
        let text = piece.repeat(many);
        let (_, found) = parse(&text);
        render(&found, "m.eq", &text, false);
        assert!(piece == ";" || has_errors(&found), "{piece}");
    }
}
