//! Expressions, by precedence climbing: an operator's operands are what binds tighter than itself.

use crate::lexer::{Token, TokenKind};
use crate::parser::{DEEPEST, Failed, Parser};
use crate::words::{EXPRESSION_WORDS, is_function};
use crate::{BinaryOp, Diagnostic, Expr, NodeId, NodeKind, Span, UnaryOp};

use TokenKind as T;

// Binding strengths, loosest first. Primes bind tightest, as part of a name.
const LOOSEST: u8 = 0;
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const COMPARISON: u8 = 4;
const SUM: u8 = 5;
const PRODUCT: u8 = 6;
const POWER: u8 = 7;

/// A node and its place with the parentheses around it (a node's own span has none, so that a
/// number's span is always the text of the number).
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) id: NodeId,
    pub(crate) span: Span,
}

type Parsed<T> = Result<T, Failed>;

fn binary(kind: TokenKind) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        T::Plus => (BinaryOp::Add, SUM),
        T::Minus => (BinaryOp::Sub, SUM),
        T::Star => (BinaryOp::Mul, PRODUCT),
        T::Slash => (BinaryOp::Div, PRODUCT),
        T::Caret => (BinaryOp::Pow, POWER),
        T::Less => (BinaryOp::Less, COMPARISON),
        T::LessEq => (BinaryOp::LessEqual, COMPARISON),
        T::Greater => (BinaryOp::Greater, COMPARISON),
        T::GreaterEq => (BinaryOp::GreaterEqual, COMPARISON),
        T::EqEq => (BinaryOp::Equal, COMPARISON),
        T::NotEq => (BinaryOp::NotEqual, COMPARISON),
        T::And => (BinaryOp::And, AND),
        T::Or => (BinaryOp::Or, OR),
        _ => return None,
    })
}

impl Parser<'_> {
    /// An expression; where there is none, says so and stands at what can follow one.
    pub(crate) fn expression(&mut self) -> Expr {
        let first = self.tree.nodes.len();
        let start = self.token().span;
        let depth = self.depth;
        self.open = 0;
        let parsed = self.operand_of(LOOSEST);
        self.depth = depth;
        match parsed {
            Ok(part) => Expr { first: NodeId(first as u32), root: part.id },
            Err(Failed) => {
                self.skip_expression();
                self.open = 0;
                self.tree.nodes.truncate(first);
                let end = self.previous().span.end.max(start.start);
                self.missing(Span { start: start.start, end })
            }
        }
    }

    /// The longest expression whose operators bind at least as tightly as `least`.
    fn operand_of(&mut self, least: u8) -> Parsed<Part> {
        let mut left = self.prefix(least)?;
        let mut told = false;
        loop {
            let (op, strength, written) = match binary(self.kind()) {
                Some((op, strength)) => (op, strength, true),
                None if self.unit_without_brackets(left) => return Ok(left),
                None if self.another_operand()? => (BinaryOp::Mul, PRODUCT, false),
                None => return Ok(left),
            };
            if strength < least {
                return Ok(left);
            }
            if written {
                self.bump();
            } else if !std::mem::replace(&mut told, true) {
                self.report_missing_operator(left);
            }
            let right = if op == BinaryOp::Pow {
                self.nested(|parser| parser.operand_of(POWER))?
            } else {
                self.operand_of(strength + 1)?
            };
            let span = left.span.to(right.span);
            left = Part { id: self.node(NodeKind::Binary(op, left.id, right.id), span), span };
            if strength == COMPARISON && binary(self.kind()).is_some_and(|(_, next)| next == COMPARISON) {
                return Err(self.chained_comparison());
            }
        }
    }

    // Reports stand in functions of their own that are not inlined: a diagnostic on the stack of each
    // level would multiply what two hundred levels need.
    #[inline(never)]
    fn chained_comparison(&mut self) -> Failed {
        let found = Diagnostic::error("chained-comparison", self.token().span, "comparisons cannot be chained");
        self.lost(found.help("write `a < b and b < c`"))
    }

    #[inline(never)]
    fn too_deep(&mut self) -> Failed {
        let message = format!("this is nested more than {DEEPEST} levels deep");
        let found = Diagnostic::error("too-deep", self.token().span, message);
        self.lost(found.help("name a part of it in an equation of its own"))
    }

    #[inline(never)]
    fn needs_parentheses(&mut self, token: Token) -> Failed {
        let word = self.word(token);
        let found = Diagnostic::error("syntax", token.span, format!("`{word}` inside an expression needs parentheses"));
        self.lost(found.help(format!("write `({word} …)`")))
    }

    /// One level of nesting deeper.
    fn nested<R>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<R>) -> Parsed<R> {
        if self.depth >= DEEPEST {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    #[inline(never)]
    fn prefix(&mut self, least: u8) -> Parsed<Part> {
        let token = self.token();
        match token.kind {
            T::Minus => {
                self.bump();
                let part = self.nested(|parser| parser.operand_of(POWER))?;
                let span = token.span.to(part.span);
                Ok(Part { id: self.node(NodeKind::Unary(UnaryOp::Neg, part.id), span), span })
            }
            T::Plus => {
                self.bump();
                let part = self.nested(|parser| parser.operand_of(POWER))?;
                Ok(Part { id: part.id, span: token.span.to(part.span) })
            }
            T::Not if least <= NOT => {
                self.bump();
                let part = self.nested(|parser| parser.operand_of(NOT))?;
                let span = token.span.to(part.span);
                Ok(Part { id: self.node(NodeKind::Unary(UnaryOp::Not, part.id), span), span })
            }
            T::If if least == LOOSEST && self.ahead(1).kind == T::LParen && self.if_called() => Err(Failed),
            T::If if least == LOOSEST => self.nested(Self::conditional),
            T::Not | T::If => Err(self.needs_parentheses(token)),
            _ => self.primary(),
        }
    }

    /// `if a then b else …`. A chain of `else if` is read in a loop, since a long one is not deep to its author.
    fn conditional(&mut self) -> Parsed<Part> {
        let mut branches = Vec::new();
        loop {
            let start = self.bump().span;
            let condition = self.operand_of(LOOSEST)?;
            self.expect_word(T::Then, "then", start)?;
            let value = self.operand_of(LOOSEST)?;
            self.expect_word(T::Else, "else", start)?;
            branches.push((start, condition, value));
            if self.kind() != T::If {
                break;
            }
        }
        let mut last = self.operand_of(LOOSEST)?;
        for (start, condition, value) in branches.into_iter().rev() {
            let span = start.to(last.span);
            last = Part { id: self.node(NodeKind::If(condition.id, value.id, last.id), span), span };
        }
        Ok(last)
    }

    #[inline(never)]
    fn expect_word(&mut self, kind: TokenKind, word: &str, start: Span) -> Parsed<()> {
        if self.eat(kind) {
            return Ok(());
        }
        if self.kind() == T::Eq {
            return Err(self.single_equals());
        }
        let token = self.token();
        let message = format!("`{word}` is missing before {}", self.describe(token));
        let help = match kind {
            T::Else => "an `if` always has both values: `if a then b else c`",
            _ => "write `if a then b else c`",
        };
        Err(self.lost(Diagnostic::error("syntax", self.here(), message).help(help).label(start, "this `if`")))
    }

    /// `=` where only a comparison makes sense.
    #[inline(never)]
    pub(crate) fn single_equals(&mut self) -> Failed {
        let found = Diagnostic::error("single-equals", self.token().span, "`=` is not a comparison");
        // The number of a mistaken `x = 0` is kept, but as an inequality: no event sees an equality.
        let (before, after) = (self.previous(), self.ahead(1));
        let example = if before.kind == T::Name && matches!(after.kind, T::Number | T::Name) {
            format!("{} < {}", self.quote(before.span), self.quote(after.span))
        } else {
            "x < 0".into()
        };
        self.lost(found.help(format!("write a comparison such as `{example}`")))
    }

    fn primary(&mut self) -> Parsed<Part> {
        let token = self.token();
        match token.kind {
            T::Number => {
                self.bump();
                let part = Part { id: self.node(NodeKind::Number, token.span), span: token.span };
                self.no_prime(part, "a number has no derivative");
                Ok(part)
            }
            T::Name => self.named(),
            T::LParen => {
                self.bump();
                self.open += 1;
                let inner = self.nested(|parser| parser.operand_of(LOOSEST))?;
                self.close(T::RParen, token)?;
                let part = Part { id: inner.id, span: token.span.to(self.previous().span) };
                self.no_prime(part, "only a name can have a prime");
                Ok(part)
            }
            _ => Err(self.no_operand()),
        }
    }

    /// A name, `t`, `pi`, an element or a call.
    fn named(&mut self) -> Parsed<Part> {
        let token = self.bump();
        let word = self.word(token);
        let span = token.span;
        match word {
            "t" | "time" | "pi" => {
                let kind = if word == "pi" { NodeKind::Pi } else { NodeKind::Time };
                let part = Part { id: self.node(kind, span), span };
                self.no_prime(part, "only a variable has a derivative");
                return Ok(part);
            }
            _ => {}
        }
        if self.kind() == T::LParen {
            let adjacent = self.token().span.start == span.end;
            if adjacent || self.callable(word) {
                return self.call(token);
            }
        } else if is_function(word) {
            return Err(self.function_without_argument(token));
        }
        let mut index = Vec::new();
        if self.kind() == T::LBracket {
            let opening = self.bump();
            self.open += 1;
            self.list(&mut index)?;
            self.close(T::RBracket, opening)?;
        }
        let mut primes = 0;
        while self.eat(T::Prime) {
            primes += 1;
        }
        self.nothing_after_element(token, primes)?;
        let span = span.to(self.previous().span);
        let name = self.intern(word);
        Ok(Part { id: self.node(NodeKind::Variable { name, name_span: token.span, index, primes }, span), span })
    }

    /// `u'[k]`, `u[i][k]` and `x'(0)` inside an expression.
    #[inline(never)]
    pub(crate) fn nothing_after_element(&mut self, name: Token, primes: u32) -> Parsed<()> {
        let token = self.token();
        let word = self.quote(name.span);
        let marks = if primes <= 3 { "'".repeat(primes as usize) } else { "'…".into() };
        match token.kind {
            T::LBracket if primes > 0 => {
                let found = Diagnostic::error("syntax", token.span, "an index stands before the primes");
                Err(self.lost(found.help(format!("write `{word}[…]{marks}`; before a unit there is a space"))))
            }
            T::LBracket => {
                let found = Diagnostic::error("syntax", token.span, "an element has only one pair of brackets");
                Err(self
                    .lost(found.help(format!("write two indices as `{word}[i, k]`; before a unit there is a space"))))
            }
            T::LParen if primes > 0 && token.span.start == self.previous().span.end => {
                let argument = self.ahead(1);
                let time = matches!(self.word(argument), "t" | "time") && self.ahead(2).kind == T::RParen;
                let found = Diagnostic::error("syntax", token.span, format!("`{word}{marks}` is not a function"));
                let help = if time {
                    format!("write `{word}{marks}`; every variable depends on the time")
                } else {
                    format!("write a product with `*`; a start value is a line of its own, `{word}{marks}(0) = …`")
                };
                Err(self.lost(found.help(help)))
            }
            _ => Ok(()),
        }
    }

    fn call(&mut self, name: Token) -> Parsed<Part> {
        let word = self.word(name);
        let opening = self.bump();
        if self.kind() == T::Name && self.word(self.ahead(1)) == "in" && self.ahead(1).kind == T::Name {
            return Err(self.call_over_index(name));
        }
        self.open += 1;
        let mut arguments = Vec::new();
        if self.kind() != T::RParen {
            self.list(&mut arguments)?;
        }
        self.close(T::RParen, opening)?;
        let span = name.span.to(self.previous().span);
        if let [only] = arguments[..]
            && !self.callable(word)
            && self.tree.node(only).kind == NodeKind::Time
        {
            let found = Diagnostic::error("syntax", span, format!("`{word}` is not a function"));
            self.mistake(found.help(format!("write `{word}`; every variable depends on the time")));
            self.tree.nodes.truncate(only.0 as usize);
            let name_id = self.intern(word);
            let kind = NodeKind::Variable { name: name_id, name_span: name.span, index: Vec::new(), primes: 0 };
            return Ok(Part { id: self.node(kind, span), span });
        }
        let name_id = self.intern(word);
        let part =
            Part { id: self.node(NodeKind::Call { name: name_id, name_span: name.span, arguments }, span), span };
        self.no_prime_after_call(name, part);
        Ok(part)
    }

    /// `sum(k in 1..3: u[k])`
    #[inline(never)]
    fn call_over_index(&mut self, name: Token) -> Failed {
        let span = name.span.to(self.ahead(1).span);
        let found = Diagnostic::error("syntax", span, format!("`{}` takes no index", self.quote(name.span)));
        self.lost(found.help("a sum is added up: `s[0] = 0; for k in 1..n: s[k] = s[k-1] + u[k]`, and `s[n]` is it"));
        self.skip_statement();
        Failed
    }

    /// One or more expressions with commas between.
    fn list(&mut self, items: &mut Vec<NodeId>) -> Parsed<()> {
        loop {
            items.push(self.nested(|parser| parser.operand_of(LOOSEST))?.id);
            if !self.eat(T::Comma) {
                return Ok(());
            }
        }
    }

    /// Primes after something that is not a name: reported, and read over.
    #[inline(never)]
    pub(crate) fn no_prime(&mut self, part: Part, message: &str) {
        let span = self.token().span;
        if !self.eat(T::Prime) {
            return;
        }
        while self.eat(T::Prime) {}
        let mut found = Diagnostic::error("misplaced-prime", span.to(self.previous().span), message);
        if matches!(
            self.tree.node(part.id).kind,
            NodeKind::Binary(..) | NodeKind::Call { .. } | NodeKind::Unary(..) | NodeKind::If(..)
        ) {
            found = found.help(format!("give it a name, `p = {}`, and write `p'`", self.quote(part.span)));
        } else if matches!(self.tree.node(part.id).kind, NodeKind::Variable { .. }) {
            found = found.help(format!("write `{}'`", self.quote(self.tree.node(part.id).span)));
        }
        self.mistake(found);
    }

    #[inline(never)]
    fn function_without_argument(&mut self, name: Token) -> Failed {
        let word = self.word(name);
        let next = self.token();
        let help = match next.kind {
            T::Caret => format!("write `{word}(x)^2`, with the power after the argument"),
            T::Name | T::Number => format!("write `{word}({})`", self.quote(next.span)),
            T::Eq => {
                let found = Diagnostic::error(
                    "reserved-name",
                    name.span,
                    format!("`{word}` is a function and cannot be declared"),
                );
                return self.lost(found.help(format!("choose another name, such as `{word}1`")));
            }
            _ => format!("write `{word}(…)`, or choose another name if you mean a variable"),
        };
        let found =
            Diagnostic::error("syntax", name.span, format!("the function `{word}` has no argument in parentheses"));
        self.lost(found.help(help))
    }

    /// Whether a further operand follows without an operator, which is never right.
    #[inline(never)]
    fn another_operand(&mut self) -> Parsed<bool> {
        let token = self.token();
        match token.kind {
            T::Number | T::LParen | T::Name if self.before_range && self.open == 0 => Ok(false),
            T::Number | T::LParen => Ok(true),
            T::Name => {
                let word = self.word(token);
                let lower = word.to_lowercase();
                if EXPRESSION_WORDS.contains(&lower.as_str()) {
                    let found =
                        Diagnostic::error("syntax", token.span, format!("`{word}` is not a word of the language"));
                    return Err(self.lost(found.help(format!("write `{lower}`"))));
                }
                Ok(self.left_side || !self.definition_follows())
            }
            _ => Ok(false),
        }
    }

    #[inline(never)]
    fn report_missing_operator(&mut self, left: Part) {
        let token = self.token();
        let before = self.quote(left.span);
        let mut last = token;
        for count in 1..4 {
            if self.ahead(count).kind == T::Prime {
                last = self.ahead(count);
            }
        }
        let after = if token.kind == T::LParen { "(…)" } else { self.quote(token.span.to(last.span)) };
        if matches!(after, "e" | "E")
            && self.previous().kind == T::Number
            && left.span.end == token.span.start
            && !self.uses().declared.contains(after)
        {
            let message = format!("the exponent of `{before}{after}` has no digits");
            let found = Diagnostic::error("bad-number", left.span.to(token.span), message);
            return self.mistake(found.help(format!("write `{before}{after}3`, or `{before}*exp(1)`")));
        }
        let numbers = token.kind == T::Number && self.tree.node(left.id).kind == NodeKind::Number;
        let found = if numbers {
            let message = format!("there is nothing between `{before}` and `{after}`");
            Diagnostic::error("bad-number", token.span, message)
                .help("write one number without spaces, or an operator between two")
        } else {
            let message = format!("a `*` is missing between `{before}` and `{after}`");
            let number = self.tree.node(left.id).kind == NodeKind::Number;
            let unit = number && token.kind == T::Name && left.span.end < token.span.start && !self.left_side;
            let other = if unit { format!(", or `{before} [{after}]` if that is a unit") } else { String::new() };
            Diagnostic::error("implicit-multiplication", left.span.to(token.span), message)
                .help(format!("write `{before}*{after}`{other}"))
        };
        self.mistake(found);
    }

    /// The closing bracket that belongs to `opening`.
    #[inline(never)]
    pub(crate) fn close(&mut self, kind: TokenKind, opening: Token) -> Parsed<()> {
        if self.eat(kind) {
            self.open = self.open.saturating_sub(1);
            return Ok(());
        }
        let token = self.token();
        let wanted = if kind == T::RParen { ")" } else { "]" };
        let bracket = self.word(opening);
        let found = match token.kind {
            T::Eq => return Err(self.single_equals()),
            T::Newline | T::Eof | T::Semicolon | T::Colon => {
                Diagnostic::error("unclosed", opening.span, format!("this `{bracket}` is never closed"))
                    .help(format!("write `{wanted}` where it ends"))
            }
            T::RParen | T::RBracket => {
                let message = format!("this `{}` does not close `{bracket}`", self.word(token));
                Diagnostic::error("unclosed", token.span, message)
                    .help(format!("write `{wanted}`"))
                    .label(opening.span, "opened here")
            }
            T::Unit => self.unit_in_expression(token),
            T::Comma => Diagnostic::error("syntax", token.span, "a comma has no meaning between these parentheses")
                .help("a decimal point is `.`, and only a function takes several arguments"),
            _ => {
                let message = format!("`{wanted}` is missing before {}", self.describe(token));
                Diagnostic::error("syntax", token.span, message).label(opening.span, "opened here")
            }
        };
        Err(self.lost(found))
    }

    /// A unit inside an expression, most often an index with a space before it.
    pub(crate) fn unit_in_expression(&self, unit: Token) -> Diagnostic {
        let at_unit = self.previous().span == unit.span;
        let before = if at_unit { self.before_previous() } else { self.previous() };
        let found = Diagnostic::error(
            "misplaced-unit",
            unit.span,
            "a unit stands only at the end of a declaration or equation",
        );
        if before.kind == T::Name {
            found.help(format!(
                "write an element without a space, `{}{}`",
                self.quote(before.span),
                self.quote(unit.span)
            ))
        } else {
            found.help("write a quantity as a parameter with a unit, `param a = 1 [m]`")
        }
    }

    /// What stands here is no operand.
    #[inline(never)]
    fn no_operand(&mut self) -> Failed {
        let token = self.token();
        let before = self.previous();
        let found = match token.kind {
            T::Newline | T::Eof | T::Semicolon => {
                let message = format!("an expression is missing after {}", self.describe(before));
                Diagnostic::error("syntax", before.span, message)
            }
            T::Unit => {
                let found = Diagnostic::error("syntax", token.span, "an expression is missing before this bracket");
                found.help("an array is written by its elements: `a[1] = …`")
            }
            T::Text => Diagnostic::error("syntax", token.span, "text has no meaning in an expression")
                .help("only `input u from \"file.csv\"` takes text"),
            T::Prime => Diagnostic::error("misplaced-prime", token.span, "a prime stands after a name")
                .help("write `x'`; text stands in double quotes"),
            T::RParen | T::RBracket if matches!(before.kind, T::LParen | T::LBracket) => {
                Diagnostic::error("syntax", before.span.to(token.span), "there is nothing between these brackets")
            }
            T::RParen | T::RBracket if self.open == 0 => self.unopened(token),
            T::Then | T::Else if before.kind != T::If && before.kind != T::Then => {
                Diagnostic::error("syntax", token.span, format!("this `{}` has no `if`", self.word(token)))
                    .help("write `if a then b else c`")
            }
            kind if kind.begins_statement() || matches!(kind, T::If | T::Then | T::Else) => {
                let word = self.word(token);
                Diagnostic::error(
                    "reserved-name",
                    token.span,
                    format!("`{word}` is a word of the language, not a variable"),
                )
                .help("choose another name")
            }
            _ if matches!(before.kind, T::Newline | T::Semicolon) => {
                let message = format!("a statement cannot begin with {}", self.describe(token));
                Diagnostic::error("syntax", token.span, message)
                    .help("to go on with the line before, end that line with the operator or use parentheses")
            }
            _ => {
                let message = format!("an expression is missing before {}", self.describe(token));
                Diagnostic::error("syntax", token.span, message)
            }
        };
        self.lost(found)
    }

    /// A closing bracket without an opening one.
    pub(crate) fn unopened(&self, token: Token) -> Diagnostic {
        let (close, open) = if token.kind == T::RParen { (")", "(") } else { ("]", "[") };
        Diagnostic::error("unopened", token.span, format!("this `{close}` closes nothing"))
            .help(format!("remove it, or write `{open}` where it should begin"))
    }
}
