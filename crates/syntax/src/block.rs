//! The file and the statements with a body: `for`, `when`, `every`; and `stop when`.

use crate::lexer::{Token, TokenKind};
use crate::parser::{DEEPEST, Parser};
use crate::{Assignment, Diagnostic, Expr, Span, Statement, StatementKind};

use TokenKind as T;

impl Parser<'_> {
    /// All statements of the text.
    pub(crate) fn file(&mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        loop {
            while matches!(self.kind(), T::Newline | T::Semicolon) {
                self.bump();
            }
            if self.kind() == T::Eof {
                return statements;
            }
            let before = self.token().span;
            statements.extend(self.statement());
            self.end_of_statement();
            self.places.push(before.to(self.previous().span));
            self.ensure_progress(before);
        }
    }

    /// A statement takes at least one token; should one not, the parser must go on all the same.
    fn ensure_progress(&mut self, before: Span) {
        if !self.at_end() && self.token().span == before {
            debug_assert!(false, "a statement at {before:?} took no token");
            self.bump();
        }
    }

    /// `for k in 1..n: …`
    pub(crate) fn for_loop(&mut self) -> Option<StatementKind> {
        let keyword = self.bump();
        let help = "write `for k in 1..n: …`";
        let token = self.token();
        let (mut index, mut by_equals) = (None, false);
        if token.kind == T::Name {
            self.bump();
            self.check_name(token);
            index = Some((self.intern(self.word(token)), token.span));
        } else {
            let message = format!("the name of an index is expected here, not {}", self.describe(token));
            self.lost(Diagnostic::error("syntax", self.here(), message).help(help));
        }
        let word = self.token();
        if word.kind == T::Name && self.word(word) == "in" || word.kind == T::Eq {
            self.bump();
            let shown = (1..=2).all(|count| self.ahead(count).kind != T::Newline)
                && matches!(self.ahead(1).kind, T::Colon | T::DotDot)
                && index.is_some();
            let help = if shown {
                let (from, to) = (self.quote(self.token().span), self.quote(self.ahead(2).span));
                format!("write `for {} in {from}..{to}: …`", self.quote(token.span))
            } else {
                help.into()
            };
            if word.kind == T::Eq {
                let found = Diagnostic::error("syntax", word.span, "the index of a `for` stands before `in`, not `=`");
                self.mistake(found.help(help));
                by_equals = true;
            }
        } else {
            let message = format!("`in` is missing before {}", self.describe(word));
            self.lost(Diagnostic::error("syntax", self.here(), message).help(help));
        }
        self.before_range = true;
        let from = self.header_part();
        self.before_range = false;
        let range = self.token();
        if range.kind == T::Colon && self.range_by_colon() {
            if !by_equals {
                let found = Diagnostic::error("syntax", range.span, "a range is written with `..`, not with `:`");
                self.mistake(found.help(help));
            }
            self.bump();
        } else if !self.eat(T::DotDot) {
            let message = format!("`..` is missing before {}", self.describe(range));
            self.lost(Diagnostic::error("syntax", self.here(), message).help(help));
        }
        let step = self.step_of_loop();
        self.before_range = step.is_some();
        let to = self.header_part();
        self.before_range = false;
        if self.kind() == T::Comma && self.ahead(1).kind == T::Name && self.word(self.ahead(2)) == "in" {
            let found = Diagnostic::error("syntax", self.token().span, "a `for` has one index");
            self.lost(found.help("write one `for` inside the other: `for i in 1..n: for k in 1..m: …`"));
            self.skip_to_colon();
        } else if let Some(step) = step.filter(|step| step.span == self.token().span) {
            let found = Diagnostic::error("syntax", step.span, "the index of a `for` counts in steps of one");
            self.lost(found.help("compute other indices from it, as in `for k in 1..n: u[2*k - 1] = …`"));
            self.skip_to_colon();
        }
        if by_equals && self.at_end() {
            self.hush();
        }
        self.colon(keyword, help);
        let body = self.body(keyword, |parser, body| {
            parser.statement_in_for(body);
            while parser.kind() == T::Comma
                && matches!(
                    body.last().map(|s| &s.kind),
                    Some(StatementKind::Equation { .. } | StatementKind::StartAt { .. })
                )
            {
                parser.bump();
                parser.statement_in_for(body);
            }
        });
        let (index, index_span) = index?;
        Some(StatementKind::For { index, index_span, from, to, body })
    }

    /// The `step` of `for k in 1..9 step 2:`, which other languages have.
    fn step_of_loop(&self) -> Option<Token> {
        let header = (1..20).take_while(|&count| {
            !matches!(self.ahead(count).kind, T::Colon | T::Newline | T::Semicolon | T::Eof | T::Eq)
        });
        let mut words = header.filter(|&count| matches!(self.word(self.ahead(count)), "step" | "by"));
        let at = words.find(|&count| {
            matches!(self.ahead(count - 1).kind, T::Name | T::Number | T::RParen | T::RBracket)
                && matches!(self.ahead(count + 1).kind, T::Name | T::Number | T::Minus)
        })?;
        Some(self.ahead(at))
    }

    fn skip_to_colon(&mut self) {
        while !self.at_end() && self.kind() != T::Colon {
            self.bump();
        }
    }

    /// Whether the colon here stands in `1:3` and not before a body.
    fn range_by_colon(&self) -> bool {
        let rest = (1..20).map(|count| self.ahead(count).kind);
        let next = rest.into_iter().find(|kind| matches!(kind, T::Newline | T::Semicolon | T::Eof | T::Colon | T::Eq));
        self.ahead(1).kind != T::Newline && next != Some(T::Eq)
    }

    fn statement_in_for(&mut self, body: &mut Vec<Statement>) {
        let token = self.token();
        if matches!(token.kind, T::Run | T::Def | T::Stop | T::Input) && !matches!(self.ahead(1).kind, T::Eq | T::Prime)
        {
            let message = format!("`{}` cannot stand in a `for`", self.word(token));
            self.mistake(
                Diagnostic::error("misplaced-statement", token.span, message)
                    .help("write it on a line of its own before the `for`"),
            );
        }
        let before = self.token().span;
        body.extend(self.statement());
        self.places.push(before.to(self.previous().span));
    }

    /// A bound of a `for`; nothing is read once the header is lost.
    fn header_part(&mut self) -> Expr {
        if self.is_lost() {
            let span = self.token().span;
            self.missing(span)
        } else {
            self.expression()
        }
    }

    /// `when c: …`
    pub(crate) fn when(&mut self) -> Option<StatementKind> {
        let keyword = self.bump();
        let mut condition = self.expression();
        if self.kind() == T::Eq {
            let span = self.tree.span(condition);
            condition = self.missing(span);
        }
        self.colon(keyword, "write `when h < 0: v = -v`");
        let actions = self.body(keyword, Self::assignments);
        Some(StatementKind::When { condition, actions })
    }

    /// `every Ts: …`
    pub(crate) fn every(&mut self) -> Option<StatementKind> {
        let keyword = self.bump();
        self.timing = true;
        let period = self.expression();
        self.timing = false;
        self.colon(keyword, "write `every 0.1: u = -x`");
        let actions = self.body(keyword, Self::assignments);
        Some(StatementKind::Every { period, actions })
    }

    /// `stop when c`
    pub(crate) fn stop(&mut self) -> Option<StatementKind> {
        let keyword = self.bump();
        if !self.eat(T::When) {
            let found = Diagnostic::error("syntax", keyword.span, "`when` is missing after `stop`");
            self.lost(found.help("write `stop when x > 1`"));
            self.skip_statement();
            return None;
        }
        let mut condition = self.expression();
        if self.kind() == T::Eq {
            let span = self.tree.span(condition);
            condition = self.missing(span);
            self.single_equals();
        }
        Some(StatementKind::StopWhen { condition })
    }

    /// `x = 1, v = 0`
    fn assignments(&mut self, actions: &mut Vec<Assignment>) {
        loop {
            self.listen();
            let token = self.token();
            if token.kind.begins_statement() {
                let word = self.word(token);
                let found = Diagnostic::error(
                    "misplaced-statement",
                    token.span,
                    format!("`{word}` cannot stand here: only assignments can"),
                );
                let help = if token.kind == T::Stop {
                    "write the line `stop when …` instead"
                } else {
                    "write assignments such as `x = 0`"
                };
                self.lost(found.help(help));
                self.skip_statement();
                return;
            }
            actions.extend(self.assignment());
            if !self.eat(T::Comma) {
                return;
            }
        }
    }

    fn assignment(&mut self) -> Option<Assignment> {
        let target = self.target()?;
        let token = self.token();
        if token.kind == T::EqEq {
            self.mistake(Diagnostic::error("double-equals", token.span, "`==` compares").help("write `=` to assign"));
        } else if matches!(token.kind, T::Plus | T::Minus | T::Star | T::Slash) && self.ahead(1).kind == T::Eq {
            let (name, sign) = (self.quote(target.span), self.word(token));
            let found = Diagnostic::error("syntax", token.span.to(self.ahead(1).span), "an assignment has a plain `=`");
            self.mistake(found.help(format!("write `{name} = {name} {sign} …`")));
            self.bump();
        } else if token.kind != T::Eq {
            let message = format!("`=` is missing before {}", self.describe(token));
            self.lost(Diagnostic::error("syntax", self.here(), message).help("write an assignment such as `x = 0`"));
            self.skip_expression();
            return None;
        }
        self.bump();
        let value = self.expression();
        Some(Assignment { target, value })
    }

    /// The `:` after a header. If the header is lost, looks for one, so that the body is still read.
    fn colon(&mut self, keyword: Token, help: &str) {
        if self.eat(T::Colon) {
            return;
        }
        let token = self.token();
        if token.kind == T::Eq && keyword.kind == T::When {
            self.single_equals();
        } else {
            let message = format!("`:` is missing before {}", self.describe(token));
            self.lost(Diagnostic::error("syntax", self.here(), message).help(help));
        }
        if self.definition_follows() {
            return;
        }
        if matches!(token.kind, T::Then | T::Comma) {
            self.bump();
            return;
        }
        while !self.at_end() {
            if self.eat(T::Colon) {
                return;
            }
            self.bump();
        }
    }

    /// What follows the `:`: the rest of the line, or the lines below that are indented more than this one.
    fn body<Item>(&mut self, keyword: Token, read: impl Fn(&mut Self, &mut Vec<Item>)) -> Vec<Item> {
        let mut items = Vec::new();
        let word = self.word(keyword);
        if self.depth >= DEEPEST {
            self.lost(Diagnostic::error(
                "too-deep",
                keyword.span,
                format!("this is nested more than {DEEPEST} levels deep"),
            ));
            self.skip_statement();
            return items;
        }
        self.depth += 1;
        let outer = self.indent;
        if self.kind() != T::Newline {
            if self.at_end() {
                self.lost(Diagnostic::error("syntax", keyword.span, format!("this `{word}` has no body")));
            } else {
                read(self, &mut items);
            }
            if self.kind() == T::Newline && self.ahead(1).kind != T::Eof && self.indent_after(0) > outer {
                let message = format!("this line is indented, but the `{word}` above ended with its line");
                let found = Diagnostic::error("indentation", self.ahead(1).span, message);
                self.lost(found.help(format!("start a new line after the `:` of the `{word}`, or do not indent")));
            }
        } else if self.indent_after(0) > outer && self.ahead(1).kind != T::Eof {
            self.indented(outer, read, &mut items);
        } else {
            let found = Diagnostic::error("indentation", keyword.span, format!("this `{word}` has no body"));
            self.lost(found.help("write it after the `:`, or indent the lines below"));
        }
        self.depth -= 1;
        items
    }

    fn indented<Item>(&mut self, outer: usize, read: impl Fn(&mut Self, &mut Vec<Item>), items: &mut Vec<Item>) {
        let inner = self.indent_after(0);
        loop {
            match self.kind() {
                T::Eof => return,
                T::Semicolon => {
                    self.bump();
                }
                T::Newline => {
                    let indent = self.indent_after(0);
                    if indent <= outer || self.ahead(1).kind == T::Eof {
                        return;
                    }
                    self.bump();
                    if indent < inner {
                        let found = Diagnostic::error(
                            "indentation",
                            self.token().span,
                            "this line is indented less than its block",
                        );
                        self.mistake(found.help("give all lines of a block the same indentation"));
                    }
                }
                _ => {
                    let before = self.token().span;
                    self.listen();
                    read(self, items);
                    self.end_of_statement();
                    self.ensure_progress(before);
                }
            }
        }
    }
}
