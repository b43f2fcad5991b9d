//! What users of other languages write: recognised at the start of a statement, reported once, and read as what is
//! meant, so that nothing else is wrong because of it.

use crate::expression::Part;
use crate::lexer::{Token, TokenKind};
use crate::parser::Parser;
use crate::statement::List;
use crate::words::{is_function, statement_meant};
use crate::{Diagnostic, Expr, NodeKind, Span, StatementKind};

use TokenKind as T;

impl Parser<'_> {
    /// A statement of another language; `None` where it is one of ours. The inner `None` is one that cannot be used.
    pub(crate) fn foreign(&mut self) -> Option<Option<StatementKind>> {
        let (token, next) = (self.token(), self.ahead(1));
        if token.kind != T::Name {
            return None;
        }
        if self.word(token) == "end" && matches!(next.kind, T::Newline | T::Semicolon | T::Eof) {
            let found = Diagnostic::error("unknown-statement", token.span, "a block ends where its indentation ends");
            self.lost(found.help("remove `end`"));
            self.skip_statement();
            return Some(None);
        }
        let other = self.derivative().or_else(|| self.function()).or_else(|| self.other_word(token, next));
        other.or_else(|| self.prose(next))
    }

    /// `f(x) = x^2`, where `f` is used in calls only: a definition without its `def`.
    fn function(&mut self) -> Option<Option<StatementKind>> {
        let token = self.token();
        let word = self.word(token);
        let argument = self.ahead(2);
        if self.ahead(1).kind != T::LParen
            || argument.kind != T::Name
            || matches!(self.word(argument), "t" | "time")
            || self.ahead(3).kind != T::RParen
            || self.ahead(4).kind != T::Eq
            || self.callable(word)
            || self.uses().plain.contains(word)
        {
            return None;
        }
        let shown = self.quote(token.span.to(self.ahead(3).span));
        let found = Diagnostic::error("unknown-statement", token.span, format!("`{shown} = …` is not a start value"));
        self.mistake(found.help(format!("to define a function write `def {shown} = …`")));
        Some(self.function_definition())
    }

    /// Words in a row and no `=`.
    fn prose(&mut self, next: Token) -> Option<Option<StatementKind>> {
        let rest = (1..100).map(|count| self.ahead(count).kind);
        let mut rest = rest.take_while(|kind| !matches!(kind, T::Newline | T::Semicolon | T::Eof));
        if next.kind != T::Name || rest.any(|kind| matches!(kind, T::Eq | T::EqEq | T::Unknown)) {
            return None;
        }
        let span = self.token().span;
        self.skip_statement();
        let span = span.to(self.previous().span);
        let found = Diagnostic::error("syntax", span, "this is not an equation: it has no `=`");
        self.lost(found.help("write an equation such as `x' = -x`; a comment starts with `#`"));
        Some(None)
    }

    /// `par k = 2`, `Param k = 2`, `function f(x) = …`.
    fn other_word(&mut self, token: Token, next: Token) -> Option<Option<StatementKind>> {
        let word = self.word(token);
        let odd = matches!(next.kind, T::Name | T::Number | T::Text) || next.kind.begins_statement();
        if !odd || matches!(word, "t" | "pi") || is_function(word) {
            return None;
        }
        // `p k = 2` is XPP's; any other single letter is a factor.
        let meant = if word == "p" && self.ahead(2).kind == T::Eq { "param" } else { statement_meant(word)? };
        // What has a derivative is no constant: its first word is to give a start value.
        let target = self.word(next);
        let state = self.ahead(2).kind == T::Prime || self.uses().primed.contains(target);
        let meant = if meant == "param" && state { "init" } else { meant };
        let found = Diagnostic::error("unknown-statement", token.span, format!("`{word}` is not a statement"));
        self.lost(found.help(format!("did you mean `{meant}`?")));
        // Only the first word is wrong: the rest is read as the statement that is meant.
        let declares = matches!(self.ahead(2).kind, T::Eq | T::Prime | T::LBracket);
        let list = |parser: &mut Self, list| parser.declarations(list);
        let statement = match meant {
            "param" | "input" | "init" | "guess" if !declares => None,
            "param" => Some(StatementKind::Param(list(self, List::Param))),
            "input" => Some(StatementKind::Input(list(self, List::Input))),
            "init" => Some(StatementKind::Init(list(self, List::Init))),
            "guess" => Some(StatementKind::Guess(list(self, List::Guess))),
            "def" => self.definition(),
            "run" => self.run(),
            _ => None,
        };
        // What else is wrong with a line of another language is not worth telling.
        self.skip_statement();
        Some(statement)
    }

    /// `dx/dt = …`, `d(x)/dt = …`, `der(x) = …`, `d2x/dt2 = …`, `d/dt x = …`.
    fn derivative(&mut self) -> Option<Option<StatementKind>> {
        let token = self.token();
        let word = self.word(token);
        let (name, primes, length) = if matches!(word, "d" | "d2" | "d3") && self.ahead(1).kind == T::Slash {
            let order = self.below(1, &word[1..])?;
            let parenthesis = self.ahead(3).kind == T::LParen && self.ahead(5).kind == T::RParen;
            let at = if parenthesis { 4 } else { 3 };
            (self.ahead(at).span, order, if parenthesis { 6 } else { 4 })
        } else if self.ahead(1).kind == T::LParen && self.ahead(3).kind == T::RParen {
            let argument = self.ahead(2);
            let order = self.below(4, word.strip_prefix('d').unwrap_or("?"));
            let count = match (word, order) {
                ("der" | "Der" | "diff" | "D", _) if self.ahead(4).kind == T::Eq => 1,
                ("d" | "d2" | "d3", Some(order)) => order,
                _ => return None,
            };
            let end = if self.ahead(4).kind == T::Eq { 4 } else { 6 };
            (argument.span, count, end)
        } else {
            let rest = word.strip_prefix('d')?;
            let digits = rest.len() - rest.trim_start_matches(['2', '3']).len();
            let order = self.below(1, &rest[..digits])?;
            let start = token.span.start + 1 + digits as u32;
            (Span { start, end: token.span.end }, order, 3)
        };
        let name_text = self.slice(name);
        if self.ahead(length).kind != T::Eq || self.own_dt || !is_name(name_text) || self.callable(word) {
            return None;
        }
        let marks = "'".repeat(primes as usize);
        let span = token.span.to(self.ahead(length - 1).span);
        self.mistake(
            Diagnostic::error("leibniz", span, "a derivative is written with primes")
                .help(format!("write `{name_text}{marks} = …`")),
        );
        (0..length).for_each(|_| _ = self.bump());
        let id = self.intern(name_text);
        let left = self.node(NodeKind::Variable { name: id, name_span: name, index: Vec::new(), primes }, name);
        self.bump();
        let right = self.expression();
        let unit = self.unit();
        Some(Some(StatementKind::Equation { left: Expr { first: left, root: left }, right, unit }))
    }

    /// The order of a derivative whose `/dt` is `count` tokens ahead, if the number above agrees with it.
    fn below(&self, count: usize, above: &str) -> Option<u32> {
        let bottom = self.word(self.ahead(count + 1)).strip_prefix("dt")?;
        if self.ahead(count).kind != T::Slash || above != bottom {
            return None;
        }
        match bottom {
            "" => Some(1),
            "2" => Some(2),
            "3" => Some(3),
            _ => None,
        }
    }
}

/// What users of other languages write inside expressions. Not inlined: see `expression.rs`.
impl Parser<'_> {
    /// `9.81 m/s^2` where a declaration or equation ends: reports it and reads over the unit.
    #[inline(never)]
    pub(crate) fn unit_without_brackets(&mut self, number: Part) -> bool {
        let token = self.token();
        if self.open > 0
            || self.left_side
            || self.before_range
            || !matches!(token.kind, T::Name | T::LParen)
            || self.tree.node(number.id).kind != NodeKind::Number
            || number.span.end == token.span.start
        {
            return false;
        }
        let rest = (0..16).map(|count| self.ahead(count));
        let unit: Vec<Token> = rest
            .take_while(|token| {
                matches!(
                    token.kind,
                    T::Name | T::Number | T::Star | T::Slash | T::Caret | T::Minus | T::LParen | T::RParen
                )
            })
            .collect();
        let names: Vec<&str> = unit.iter().filter(|t| t.kind == T::Name).map(|&t| self.word(t)).collect();
        let after = self.ahead(unit.len());
        let ends = matches!(after.kind, T::Newline | T::Semicolon | T::Eof | T::Comma | T::Colon);
        if !ends || !names.iter().all(|name| looks_like_unit(name) && !self.uses().declared.contains(name)) {
            return false;
        }
        let value = self.quote(number.span);
        let text = self.quote(token.span.to(unit[unit.len() - 1].span));
        let text = text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(text);
        let help = if self.timing {
            format!("write `{value}`; times are in the unit of `t`")
        } else {
            format!("write `{value} [{text}]`")
        };
        let found =
            Diagnostic::error("misplaced-unit", token.span.to(unit[unit.len() - 1].span), "a unit stands in brackets");
        self.mistake(found.help(help));
        unit.iter().for_each(|_| _ = self.bump());
        true
    }

    /// `if(x > 0, 1, 0)`: whether the `if` here is written like a function.
    #[inline(never)]
    pub(crate) fn if_called(&mut self) -> bool {
        let mut depth = 0;
        for count in 1..200 {
            match self.ahead(count).kind {
                T::LParen | T::LBracket => depth += 1,
                T::RParen | T::RBracket => depth -= 1,
                T::Newline | T::Semicolon | T::Eof => return false,
                T::Comma if depth == 1 => {
                    let found = Diagnostic::error("syntax", self.token().span, "`if` is not a function");
                    self.lost(found.help("write `if a then b else c`"));
                    return true;
                }
                _ => {}
            }
            if depth == 0 {
                return false;
            }
        }
        false
    }

    /// `x(k)'`: an element in parentheses.
    #[inline(never)]
    pub(crate) fn no_prime_after_call(&mut self, name: Token, part: Part) {
        if self.kind() == T::Prime && !self.callable(self.word(name)) {
            let span = name.span.to(self.previous().span);
            let inside = Span { start: name.span.end, end: span.end };
            let inside = self.quote(inside).trim_start_matches('(').trim_end_matches(')');
            let found = Diagnostic::error("syntax", span, "an element is written in brackets");
            self.mistake(found.help(format!("write `{}[{inside}]'`", self.word(name))));
            while self.eat(T::Prime) {}
            return;
        }
        self.no_prime(part, "only a name can have a prime");
    }
}

/// Whether a word is a usual unit, perhaps with a prefix. The full list is with the check of units; this one decides
/// only which advice is given.
fn looks_like_unit(word: &str) -> bool {
    const UNITS: [&str; 26] = [
        "m", "g", "s", "A", "K", "mol", "cd", "rad", "deg", "Hz", "N", "Pa", "J", "W", "C", "V", "F", "Ohm", "ohm",
        "Ω", "H", "T", "Wb", "min", "h", "l",
    ];
    let plain = |word: &str| UNITS.contains(&word);
    plain(word)
        || matches!(word, "sec" | "meter" | "meters" | "seconds" | "Nm" | "Kg" | "rpm" | "bar")
        || ["k", "M", "G", "m", "u", "µ", "n", "c", "d"]
            .iter()
            .any(|prefix| word.strip_prefix(prefix).is_some_and(plain))
}

fn is_name(text: &str) -> bool {
    text.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
}
