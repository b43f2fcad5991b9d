//! Statements that hold no others: declarations, equations, `run`, `def`. `block.rs` has the rest.

use std::collections::HashMap;

use crate::lexer::{Token, TokenKind};
use crate::parser::{Failed, Parser};
use crate::{
    BinaryOp, Declaration, Diagnostic, Expr, NodeKind, Span, Statement, StatementKind, Table, Target, UnitText,
};

use TokenKind as T;

/// The declaration lists, which differ in what a declaration may look like.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    Param,
    Input,
    Output,
    Init,
    Guess,
}

impl List {
    fn word(self) -> &'static str {
        match self {
            List::Param => "param",
            List::Input => "input",
            List::Output => "output",
            List::Init => "init",
            List::Guess => "guess",
        }
    }
}

impl Parser<'_> {
    /// One statement, `None` where nothing of it can be used. Stands at its end, or at the rest that
    /// [`Parser::end_of_statement`] reports.
    pub(crate) fn statement(&mut self) -> Option<Statement> {
        self.listen();
        let start = self.token();
        if start.kind.begins_statement() && matches!(self.ahead(1).kind, T::Eq | T::Prime) {
            let word = self.word(start);
            let found = Diagnostic::error(
                "reserved-name",
                start.span,
                format!("`{word}` is a word of the language and cannot be declared"),
            );
            self.lost(found.help(format!("choose another name, such as `{word}1`")));
            self.skip_statement();
            return None;
        }
        let kind = match start.kind {
            T::Param => Some(StatementKind::Param(self.declarations(List::Param))),
            T::Input => Some(StatementKind::Input(self.declarations(List::Input))),
            T::Output => Some(StatementKind::Output(self.declarations(List::Output))),
            T::Init => Some(StatementKind::Init(self.declarations(List::Init))),
            T::Guess => Some(StatementKind::Guess(self.declarations(List::Guess))),
            T::Run => self.run(),
            T::Def => self.definition(),
            T::For => self.for_loop(),
            T::When => self.when(),
            T::Stop => self.stop(),
            T::Every => self.every(),
            _ => self.equation(),
        };
        let end = self.previous().span.end.max(start.span.end);
        Some(Statement { kind: kind?, span: Span { start: start.span.start, end } })
    }

    /// After a statement: reports what is left of it and skips that.
    pub(crate) fn end_of_statement(&mut self) {
        if self.at_end() {
            return;
        }
        let token = self.token();
        let new_statement = token.kind.begins_statement() || self.definition_follows();
        let what = self.describe(token);
        let found = match token.kind {
            T::Eq => Diagnostic::error("syntax", token.span, "a statement has only one `=`")
                .help("write `==` to compare; several equations need a line each"),
            T::Comma if self.previous().kind == T::Number && self.ahead(1).kind == T::Number => {
                Diagnostic::error("bad-number", token.span, "a number has no comma")
                    .help("a decimal point is `.`, as in `0.5`")
            }
            T::Comma => Diagnostic::error("syntax", token.span, "a comma does not separate statements")
                .help("start a new line, or write `;`"),
            T::RParen | T::RBracket => self.unopened(token),
            T::Unit if self.previous().kind == T::Unit => {
                Diagnostic::error("misplaced-unit", token.span, "this is a second unit")
            }
            T::Unit => self.unit_in_expression(token),
            T::If => Diagnostic::error("syntax", token.span, "`if` stands before both values")
                .help("write `if a then b else c`"),
            _ if self.previous().kind == T::Unit && !new_statement => self.unit_in_expression(self.previous()),
            _ if new_statement => {
                Diagnostic::error("syntax", token.span, format!("a new statement begins at {what} on the same line"))
                    .help("start a new line, or write `;` before it")
            }
            _ => Diagnostic::error("syntax", token.span, format!("{what} is not expected here"))
                .help("a statement ends with its line or with `;`"),
        };
        self.lost(found);
        if !new_statement {
            self.skip_statement();
        }
    }

    pub(crate) fn declarations(&mut self, list: List) -> Vec<Declaration> {
        let keyword = self.bump();
        let mut declarations = Vec::new();
        if self.kind() == T::Colon && self.ahead(1).kind == T::Name {
            let found = Diagnostic::error("syntax", self.token().span, format!("`{}` has no colon", list.word()));
            self.mistake(found.help("remove it"));
            self.bump();
        }
        if self.at_end() {
            let message = format!("`{}` declares nothing", list.word());
            let help = match list {
                List::Output => "write `output x`".into(),
                _ => format!("write `{} x = 1`", list.word()),
            };
            self.lost(Diagnostic::error("syntax", keyword.span, message).help(help));
        }
        while !self.at_end() {
            self.listen();
            declarations.extend(self.declaration(list));
            if self.kind() == T::Comma {
                let comma = self.bump();
                if matches!(list, List::Param | List::Input) && self.equation_below(comma) {
                    break;
                }
                if self.at_end() {
                    self.lost(
                        Diagnostic::error("syntax", comma.span, "a declaration is missing after this comma")
                            .help("remove the comma"),
                    );
                }
            } else if self.at_end() {
                break;
            } else if self.definition_follows() && !self.is_lost() {
                let token = self.token();
                let message = format!("a comma is missing before `{}`", self.quote(token.span));
                self.mistake(Diagnostic::error("syntax", token.span, message).help("separate declarations with `,`"));
            } else {
                self.end_of_declaration(list);
                if self.kind() != T::Comma {
                    break;
                }
                self.bump();
            }
        }
        declarations
    }

    /// `param k = 2,` and then a line with an equation: the comma joins them.
    fn equation_below(&mut self, comma: Token) -> bool {
        let between = Span { start: comma.span.end, end: self.token().span.start };
        let equation = self.definition_follows() && matches!(self.ahead(1).kind, T::Prime | T::LParen);
        let joined = equation && self.slice(between).contains('\n');
        if joined {
            self.lost(
                Diagnostic::error("syntax", comma.span, "this comma continues the declaration in the next line")
                    .help("remove the comma"),
            );
        }
        joined
    }

    /// Reports what stands where a comma or the end should; goes to the next comma.
    fn end_of_declaration(&mut self, list: List) {
        let token = self.token();
        if list == List::Output
            && !matches!(token.kind, T::Unit | T::Eq | T::RParen | T::RBracket)
            && !token.kind.begins_statement()
        {
            let found = Diagnostic::error("syntax", token.span, "an output expression needs a name");
            self.lost(found.help("write `output y = …`"));
        }
        if token.kind.begins_statement() || !self.is_lost() {
            self.end_of_statement();
            return;
        }
        self.skip_to_comma();
    }

    fn declaration(&mut self, list: List) -> Option<Declaration> {
        if list == List::Output && self.kind() == T::Name && self.ahead(1).kind == T::LParen {
            let found = Diagnostic::error("syntax", self.token().span, "an output expression needs a name");
            self.lost(found.help("write `output y = …`"));
            return None;
        }
        let target = self.target()?;
        let word = self.quote(target.span);
        if target.primes > 0 && matches!(list, List::Param | List::Input) {
            let found =
                Diagnostic::error("misplaced-prime", target.span, format!("`{}` declares no derivatives", list.word()));
            self.mistake(found.help(format!("write `{} {}`", list.word(), self.quote(target.name_span))));
        }
        let mut declaration = Declaration { target, value: None, table: None, unit: None };
        let token = self.token();
        if token.kind == T::Unit && self.ahead(1).kind == T::Eq {
            self.unit_before_value(list, word);
        }
        let token = self.token();
        match token.kind {
            T::Eq => {
                if list == List::Output && declaration.target.primes > 0 {
                    let found =
                        Diagnostic::error("misplaced-prime", declaration.target.span, "a new output has no prime");
                    self.mistake(found.help(format!("write `output {word}`, or give the expression another name")));
                }
                self.bump();
                declaration.value = Some(self.expression());
            }
            T::EqEq => {
                self.mistake(
                    Diagnostic::error("double-equals", token.span, "`==` compares").help("write `=` to give a value"),
                );
                self.bump();
                declaration.value = Some(self.expression());
            }
            T::Name if list == List::Input && self.word(token) == "from" => declaration.table = self.table(),
            T::LParen if matches!(list, List::Init | List::Guess) => {
                let found = Diagnostic::error("syntax", token.span, format!("`{}` needs no time", list.word()));
                self.lost(found.help(format!("write `{} {word} = …`, or the line `{word}(0) = …`", list.word())));
                self.skip_expression();
                declaration.value = Some(if self.eat(T::Eq) { self.expression() } else { self.missing(token.span) });
            }
            T::LParen | T::Plus | T::Minus | T::Star | T::Slash | T::Caret if list == List::Output => {
                let found = Diagnostic::error("syntax", token.span, "an output expression needs a name");
                self.lost(found.help("write `output y = …`"));
                return None;
            }
            _ if list == List::Output => {}
            _ => {
                let help = match list {
                    List::Input => format!("write `input {word} = …` or `input {word} from \"file.csv\"`"),
                    _ => format!("write `{} {word} = …`", list.word()),
                };
                self.lost(
                    Diagnostic::error("syntax", declaration.target.span, format!("`{word}` gets no value")).help(help),
                );
                declaration.value = Some(self.missing(token.span));
            }
        }
        declaration.unit = self.unit();
        Some(declaration)
    }

    /// `param g [m/s^2] = 9.81`: reads over the unit.
    fn unit_before_value(&mut self, list: List, word: &str) {
        let unit = self.bump();
        let value = self.ahead(1);
        let ends = matches!(self.ahead(2).kind, T::Comma | T::Newline | T::Semicolon | T::Eof);
        let value = if ends { self.quote(value.span) } else { "…" };
        let found = Diagnostic::error("misplaced-unit", unit.span, "the unit stands after the value");
        self.mistake(found.help(format!("write `{} {word} = {value} {}`", list.word(), self.quote(unit.span))));
    }

    /// `from "u.csv" hold`.
    fn table(&mut self) -> Option<Table> {
        self.bump();
        let token = self.token();
        if token.kind != T::Text {
            let found = Diagnostic::error("syntax", token.span, "the name of a file is missing after `from`");
            self.lost(found.help("write it in double quotes: `from \"file.csv\"`"));
            return None;
        }
        self.bump();
        let text = self.word(token);
        let mut table = Table { path: text[1..text.len() - 1].to_owned(), span: token.span, hold: false };
        if table.path.is_empty() {
            self.mistake(Diagnostic::error("syntax", token.span, "the name of the file is empty"));
        }
        let next = self.token();
        if next.kind == T::Name {
            match self.word(next) {
                "hold" => table.hold = true,
                "linear" => {}
                other => {
                    let found = Diagnostic::error(
                        "syntax",
                        next.span,
                        format!(
                            "`{other}` is not a way to read a \
                     table"
                        ),
                    );
                    self.mistake(found.help("write `hold` for steps or `linear` for straight lines between the rows"));
                }
            }
            self.bump();
        }
        Some(table)
    }

    /// A unit, if one stands here.
    pub(crate) fn unit(&mut self) -> Option<UnitText> {
        let token = self.token();
        if token.kind != T::Unit {
            return None;
        }
        self.bump();
        let text = self.word(token);
        Some(UnitText { text: text[1..text.len() - 1].trim().to_owned(), span: token.span })
    }

    /// What is declared or assigned: `x`, `x'`, `u[k]'`.
    pub(crate) fn target(&mut self) -> Option<Target> {
        let token = self.token();
        if token.kind != T::Name {
            self.no_target(token);
            return None;
        }
        self.bump();
        self.check_name(token);
        let name = self.intern(self.word(token));
        let mut index = Vec::new();
        if self.kind() == T::LBracket {
            let opening = self.bump();
            loop {
                index.push(self.expression());
                if !self.eat(T::Comma) {
                    break;
                }
            }
            if let Err(Failed) = self.close(T::RBracket, opening) {
                self.skip_expression();
                self.eat(T::RBracket);
            }
        }
        let mut primes = 0;
        while self.eat(T::Prime) {
            primes += 1;
        }
        if self.kind() == T::LBracket && self.nothing_after_element(token, primes).is_err() {
            self.skip_expression();
        }
        Some(Target { name, name_span: token.span, index, primes, span: token.span.to(self.previous().span) })
    }

    fn no_target(&mut self, token: Token) {
        let before = self.previous();
        let what = self.describe(token);
        let found = match token.kind {
            T::Number if before.kind == T::Comma => {
                Diagnostic::error("bad-number", before.span, "a comma separates declarations")
                    .help("a decimal point is `.`, as in `0.5`")
            }
            T::Newline | T::Eof | T::Semicolon => {
                Diagnostic::error("syntax", before.span, format!("a name is missing after {}", self.describe(before)))
            }
            kind if kind.begins_statement() || matches!(kind, T::If | T::Then | T::Else | T::And | T::Or | T::Not) => {
                Diagnostic::error(
                    "reserved-name",
                    token.span,
                    format!("{what} is a word of the language and cannot be declared"),
                )
                .help("choose another name")
            }
            _ => Diagnostic::error("syntax", token.span, format!("a name is expected here, not {what}")),
        };
        self.lost(found);
        self.skip_to_comma();
    }

    /// To the next item of a list.
    fn skip_to_comma(&mut self) {
        while !self.at_end() && self.kind() != T::Comma {
            self.bump();
        }
    }

    pub(crate) fn run(&mut self) -> Option<StatementKind> {
        let keyword = self.bump();
        if self.at_end() {
            self.lost(
                Diagnostic::error("syntax", keyword.span, "the times of the run are missing")
                    .help("write `run 0 .. 20`"),
            );
            return None;
        }
        self.before_range = true;
        let from = self.expression();
        self.before_range = false;
        if self.kind() != T::DotDot {
            let times = self.tree.span(from);
            let end = self.quote(times);
            let message = "a run needs its start and its end with `..` between";
            let help = match self.last_number() {
                Some(last) if !self.at_end() => format!("write `run {end} .. {last}`"),
                // `run 0-10` and `run 0 - 10`
                _ if let NodeKind::Binary(BinaryOp::Sub, a, b) = self.tree.node(from.root).kind
                    && self.tree.node(a).kind == NodeKind::Number =>
                {
                    let (from, to) = (self.tree.node(a).span, self.tree.node(b).span);
                    format!("write `run {} .. {}`", self.quote(from), self.quote(to))
                }
                _ if end == "0" => "write `run 0 .. 20`".into(),
                _ => format!("write `run 0 .. {end}`"),
            };
            self.lost(Diagnostic::error("syntax", times, message).help(help));
            self.skip_statement();
            return None;
        }
        self.bump();
        self.timing = true;
        let to = self.expression();
        self.timing = false;
        Some(StatementKind::Run { from, to })
    }

    /// The number at the end of this statement.
    fn last_number(&self) -> Option<&str> {
        let rest = (0..8).map(|count| self.ahead(count));
        let rest = rest.take_while(|token| !matches!(token.kind, T::Newline | T::Semicolon | T::Eof));
        rest.filter(|token| token.kind == T::Number).last().map(|token| self.word(token))
    }

    pub(crate) fn definition(&mut self) -> Option<StatementKind> {
        self.bump();
        self.function_definition()
    }

    /// `f(x) = …`
    pub(crate) fn function_definition(&mut self) -> Option<StatementKind> {
        let token = self.token();
        let failed = |parser: &mut Self, span: Span, message: String| {
            parser.lost(Diagnostic::error("syntax", span, message).help("write `def f(x) = …`"));
            parser.skip_statement();
            None
        };
        if token.kind != T::Name {
            return failed(
                self,
                token.span,
                format!("the name of a function is expected here, not {}", self.describe(token)),
            );
        }
        self.bump();
        self.check_name(token);
        let opening = self.token();
        if !self.eat(T::LParen) {
            return failed(self, token.span, format!("the function `{}` has no parameters", self.quote(token.span)));
        }
        let name = self.intern(self.word(token));
        let mut parameters = Vec::new();
        let mut places = HashMap::new();
        loop {
            let parameter = self.token();
            if parameter.kind != T::Name {
                return failed(
                    self,
                    parameter.span,
                    format!("the name of a parameter is expected here, not {}", self.describe(parameter)),
                );
            }
            self.bump();
            self.check_name(parameter);
            let id = self.intern(self.word(parameter));
            if let Some(first) = places.insert(id, parameter.span) {
                let message = format!("the parameter `{}` stands twice", self.quote(parameter.span));
                self.mistake(Diagnostic::error("duplicate-name", parameter.span, message).label(first, "first here"));
            }
            parameters.push((id, parameter.span));
            if !self.eat(T::Comma) {
                break;
            }
        }
        if self.close(T::RParen, opening).is_err() {
            self.skip_statement();
            return None;
        }
        let equals = self.token();
        if equals.kind == T::Colon {
            let found = Diagnostic::error("syntax", equals.span, "a function is defined with `=`, not with `:`");
            self.lost(found.help(format!("write `def {} = …`", self.quote(token.span.to(self.previous().span)))));
            self.bump();
            if self.word(self.token()) == "return" {
                self.bump();
            }
        } else if !self.eat(T::Eq) {
            return failed(self, equals.span, format!("`=` is missing before {}", self.describe(equals)));
        }
        let body = self.expression();
        Some(StatementKind::Def { name, name_span: token.span, parameters, body })
    }

    /// `left = right`, or `y(0) = 1`.
    fn equation(&mut self) -> Option<StatementKind> {
        if let Some(foreign) = self.foreign() {
            return foreign;
        }
        if let Some(start) = self.start_value() {
            return start;
        }
        let first = self.token();
        self.left_side = true;
        let left = self.expression();
        self.left_side = false;
        let token = self.token();
        if token.kind != T::Eq {
            return self.without_equals(first, left);
        }
        if left.first == left.root && matches!(self.tree.node(left.root).kind, NodeKind::Time | NodeKind::Pi) {
            self.check_name(first);
        }
        self.bump();
        let right = self.expression();
        let unit = self.unit();
        Some(StatementKind::Equation { left, right, unit })
    }

    fn without_equals(&mut self, first: Token, left: Expr) -> Option<StatementKind> {
        let root = self.tree.node(left.root).clone();
        if let (NodeKind::Binary(BinaryOp::Equal, a, b), true) = (&root.kind, self.at_end() || self.kind() == T::Unit) {
            let between = Span { start: self.tree.node(*a).span.end, end: self.tree.node(*b).span.start };
            let start = between.start + self.slice(between).find("==").unwrap_or(0) as u32;
            let between = Span { start, end: between.end.min(start + 2) };
            self.mistake(
                Diagnostic::error("double-equals", between, "an equation has one `=`; `==` compares").help("write `=`"),
            );
            // The comparison is the last node, so without it both sides are expressions of their own.
            self.tree.nodes.pop();
            let (left, right) =
                (Expr { first: left.first, root: *a }, Expr { first: crate::NodeId(a.0 + 1), root: *b });
            let unit = self.unit();
            return Some(StatementKind::Equation { left, right, unit });
        }
        if self.at_end() {
            let minus = first.kind == T::Minus || first.kind == T::Plus;
            let help = if minus {
                "to go on with the line before, end that line with the operator or use parentheses"
            } else {
                "write an equation such as `x' = -x`"
            };
            self.lost(Diagnostic::error("syntax", root.span, "this is not an equation: it has no `=`").help(help));
        }
        None
    }

    /// `y(0 = 1`
    fn unclosed_start(&mut self) -> Option<Option<StatementKind>> {
        let mut count = 1;
        while self.ahead(count).kind == T::Prime {
            count += 1;
        }
        let (opening, time) = (self.ahead(count), self.ahead(count + 1));
        if opening.kind != T::LParen || time.kind != T::Number || self.ahead(count + 2).kind != T::Eq {
            return None;
        }
        let shown = self.quote(self.token().span.to(time.span));
        let found = Diagnostic::error("unclosed", opening.span, "this `(` is never closed");
        self.lost(found.help(format!("write `{shown}) = …`")));
        self.skip_statement();
        Some(None)
    }

    /// `y(0) = 1`; `None` where this statement is something else.
    fn start_value(&mut self) -> Option<Option<StatementKind>> {
        let first = self.token();
        if first.kind != T::Name {
            return None;
        }
        let Some((length, opening)) = self.after_target(usize::MAX) else {
            return self.unclosed_start();
        };
        let opening = opening?;
        let word = self.word(first);
        let equals = self.ahead(length);
        if !matches!(equals.kind, T::Eq | T::EqEq) || self.callable(word) || matches!(word, "t" | "time" | "pi") {
            return None;
        }
        let time = length == opening + 3 && matches!(self.word(self.ahead(opening + 1)), "t" | "time");
        let target = self.target()?;
        let parenthesis = self.bump();
        let at = self.expression();
        if time {
            let span = target.span.to(self.token().span);
            let word = self.quote(target.span);
            self.lost(
                Diagnostic::error("syntax", span, format!("`{word}` is not a function"))
                    .help(format!("write `{word} = …`; every variable depends on the time")),
            );
        } else if self.kind() == T::Comma {
            let found = Diagnostic::error("syntax", self.token().span, "a start value has one time");
            self.lost(found.help(format!("to define a function write `def {}(…) = …`", self.quote(target.name_span))));
        }
        if self.is_lost() || self.close(T::RParen, parenthesis).is_err() {
            self.skip_statement();
            return Some(None);
        }
        if self.kind() == T::EqEq {
            let found = Diagnostic::error("double-equals", equals.span, "`==` compares");
            self.mistake(found.help("write `=` to give a start value"));
        }
        self.bump();
        let value = self.expression();
        let unit = self.unit();
        Some(Some(StatementKind::StartAt { target, at, value, unit }))
    }
}
