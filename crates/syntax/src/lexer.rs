//! Text to tokens. Besides cutting the text it decides three things that depend on white space: where
//! a line goes on (inside brackets, after an operator or a comma), where a `[` opens an index and where
//! a unit, and where a forgotten bracket must have ended, so that one mistake stays one mistake.

use crate::diagnostic::Collector;
use crate::{Diagnostic, Span};

/// Longer names are refused: they are rubbish, and messages quote names.
pub(crate) const LONGEST_NAME: usize = 255;

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Name,
    Number,
    Text,
    /// A whole unit with its brackets.
    Unit,
    Param,
    Input,
    Output,
    Init,
    Guess,
    Run,
    For,
    Def,
    When,
    Stop,
    Every,
    If,
    Then,
    Else,
    And,
    Or,
    Not,
    Plus,
    Minus,
    Star,
    Slash,
    Caret,
    LParen,
    RParen,
    LBracket,
    RBracket,
    Comma,
    Colon,
    Semicolon,
    Eq,
    EqEq,
    NotEq,
    Less,
    LessEq,
    Greater,
    GreaterEq,
    DotDot,
    Prime,
    /// Ends a statement; stands also before the first. Spans all line ends up to the next token's line.
    Newline,
    /// A line end that does not end a statement; not in the result of [`lex`].
    Continued,
    /// Something already reported.
    Unknown,
    Eof,
}

use TokenKind as T;

impl TokenKind {
    /// Whether it begins a statement and stands nowhere else.
    pub(crate) fn begins_statement(self) -> bool {
        matches!(
            self,
            T::Param
                | T::Input
                | T::Output
                | T::Init
                | T::Guess
                | T::Run
                | T::For
                | T::Def
                | T::When
                | T::Stop
                | T::Every
        )
    }

    /// Whether a line that ends with it goes on in the next.
    fn wants_more(self) -> bool {
        matches!(
            self,
            T::Plus
                | T::Minus
                | T::Star
                | T::Slash
                | T::Caret
                | T::Comma
                | T::Eq
                | T::EqEq
                | T::NotEq
                | T::Less
                | T::LessEq
                | T::Greater
                | T::GreaterEq
                | T::DotDot
                | T::If
                | T::Then
                | T::Else
                | T::And
                | T::Or
                | T::Not
        )
    }
}

/// A token and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

/// All tokens of a text, a `Newline` first and one `Eof` last.
pub(crate) fn lex(text: &str, diagnostics: &mut Collector) -> Vec<Token> {
    let mut lexer =
        Lexer { text, at: 0, tokens: Vec::new(), open: Vec::new(), continued: None, equals: false, diagnostics };
    lexer.push(T::Newline, 0);
    if text.starts_with('\u{feff}') {
        lexer.at = '\u{feff}'.len_utf8();
        lexer.tokens[0].span.end = lexer.at as u32;
    }
    while let Some(c) = lexer.peek() {
        lexer.token(c);
    }
    lexer.push(T::Eof, text.len());
    let mut tokens = lexer.tokens;
    tokens.retain(|token| token.kind != T::Continued);
    tokens
}

struct Lexer<'a, 'd> {
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
    /// Token indices of the open brackets.
    open: Vec<usize>,
    /// Token index of the last `Continued` of this statement.
    continued: Option<usize>,
    /// Whether this statement has an `=`.
    equals: bool,
    diagnostics: &'d mut Collector,
}

impl Lexer<'_, '_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    fn last(&self) -> Token {
        self.tokens.last().copied().unwrap_or(Token { kind: T::Newline, span: Span::default() })
    }

    fn span_from(&self, start: usize) -> Span {
        Span { start: start as u32, end: self.at as u32 }
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        self.tokens.push(Token { kind, span: self.span_from(start) });
    }

    fn mistake(&mut self, code: &'static str, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, message).help(help));
    }

    fn skip_while(&mut self, keep: impl Fn(char) -> bool) {
        self.at += self.text[self.at..].find(|c| !keep(c)).unwrap_or(self.text.len() - self.at);
    }

    fn skip_line(&mut self) {
        self.skip_while(|c| c != '\n' && c != '\r');
    }

    fn token(&mut self, c: char) {
        match c {
            '\n' | '\r' => self.line_end(),
            '#' => self.skip_line(),
            '"' => self.quoted(),
            '[' => self.bracket(),
            '0'..='9' => self.number(),
            '.' if self.byte(1).is_ascii_digit() => self.number(),
            '/' if self.byte(1) == b'/' => self.foreign_comment("//"),
            '/' if self.byte(1) == b'*' => self.foreign_comment("/*"),
            '!' if self.byte(1) != b'=' && self.last().kind == T::Newline => self.foreign_comment("!"),
            _ if c.is_whitespace() => self.at += c.len_utf8(),
            _ if starts_name(c) => self.name(),
            _ => self.operator(c),
        }
    }

    /// A comment of another language, read over after saying so.
    fn foreign_comment(&mut self, sign: &str) {
        let start = self.at;
        match self.text[start..].find("*/") {
            Some(length) if sign == "/*" => self.at += length + 2,
            _ => self.skip_line(),
        }
        let span = Span { start: start as u32, end: (start + sign.len()) as u32 };
        self.mistake("bad-character", span, format!("a comment does not start with `{sign}`"), "write `#` instead");
    }

    fn line_end(&mut self) {
        let start = self.at;
        self.at += 1;
        match self.last().kind {
            // Several line ends in a row are one; its end is where the next token's line begins.
            T::Newline | T::Continued => {
                let end = self.at as u32;
                if let Some(last) = self.tokens.last_mut() {
                    last.span.end = end;
                }
            }
            kind if !self.open.is_empty() || kind.wants_more() => {
                self.continued = Some(self.tokens.len());
                self.push(T::Continued, start);
            }
            _ => {
                self.continued = None;
                self.equals = false;
                self.push(T::Newline, start);
            }
        }
    }

    /// The line that seemed to go on ended there after all: brackets opened before it were forgotten.
    fn end_line_at(&mut self, continued: usize) {
        self.tokens[continued].kind = T::Newline;
        self.open.retain(|&bracket| bracket > continued);
        self.continued = None;
        self.equals = false;
    }

    fn name(&mut self) {
        let start = self.at;
        self.skip_while(continues_name);
        if self.at - start > LONGEST_NAME {
            let span = self.span_from(start);
            let help = format!("a name has at most {LONGEST_NAME} bytes");
            self.mistake("too-long", span, format!("this name of {} bytes is too long", self.at - start), help);
        }
        let kind = keyword(&self.text[start..self.at]);
        match (kind, self.last().kind) {
            (T::Then | T::Else | T::And | T::Or, T::Newline) if self.tokens.len() > 1 => {
                self.tokens.pop();
            }
            (_, T::Continued) if kind.begins_statement() => self.end_line_at(self.tokens.len() - 1),
            _ => {}
        }
        self.push(kind, start);
    }

    /// Digits, a fraction, an exponent; `0..1` has no fraction.
    fn number(&mut self) {
        let start = self.at;
        let digits = |c: char| c.is_ascii_digit();
        self.skip_while(digits);
        if self.byte(0) == b'.' && self.byte(1) != b'.' {
            self.at += 1;
            self.skip_while(digits);
        }
        let sign = usize::from(matches!(self.byte(1), b'+' | b'-'));
        if matches!(self.byte(0), b'e' | b'E') && self.byte(1 + sign).is_ascii_digit() {
            self.at += 1 + sign;
            let exponent = self.at;
            self.skip_while(digits);
            // Exact arithmetic on such a literal would need that many digits; no number type reaches it.
            if self.text[exponent..self.at].trim_start_matches('0').len() > 4 {
                let span = self.span_from(start);
                self.mistake(
                    "bad-number",
                    span,
                    "the exponent of this number is too large",
                    "at most four digits are possible",
                );
            }
        }
        let end = self.at;
        if self.byte(0) == b'_' && self.byte(1).is_ascii_digit() {
            self.skip_while(|c| c.is_ascii_digit() || c == '_');
            let plain: String = self.text[start..self.at].chars().filter(|&c| c != '_').take(40).collect();
            self.mistake("bad-number", self.span_from(start), "a number has no `_`", format!("write `{plain}`"));
        } else if self.byte(0) == b'.' && self.byte(1).is_ascii_digit() {
            self.skip_while(|c| c.is_ascii_digit() || c == '.');
            self.mistake(
                "bad-number",
                self.span_from(start),
                "a number has only one decimal point",
                "remove the other",
            );
        } else if &self.text[start..end] == "0"
            && matches!(self.byte(0), b'x' | b'X' | b'b')
            && self.byte(1).is_ascii_hexdigit()
        {
            self.skip_while(|c| c.is_ascii_alphanumeric());
            self.mistake(
                "bad-number",
                self.span_from(start),
                "numbers are decimal",
                "write the number in decimal digits",
            );
        }
        // The token keeps the part that is a number, so that its text can always be read as one.
        self.tokens.push(Token { kind: T::Number, span: Span { start: start as u32, end: end as u32 } });
    }

    fn quoted(&mut self) {
        let start = self.at;
        let last = self.last();
        self.at += 1;
        if matches!(last.kind, T::Name | T::Prime) && last.span.end as usize == start {
            self.mistake(
                "bad-character",
                self.span_from(start),
                "a derivative is written with `'`, not with `\"`",
                "write `''` for the second derivative",
            );
            self.push(T::Prime, start);
            self.push(T::Prime, start);
            return;
        }
        self.skip_while(|c| !matches!(c, '"' | '\n' | '\r'));
        if self.byte(0) == b'"' {
            self.at += 1;
            self.push(T::Text, start);
        } else {
            let opening = Span { start: start as u32, end: start as u32 + 1 };
            self.mistake("unclosed", opening, "this text has no closing `\"`", "end it with `\"` on the same line");
            self.push(T::Unknown, start);
        }
    }

    /// `u[` is an index, ` [` a unit.
    fn bracket(&mut self) {
        let start = self.at;
        let last = self.last();
        self.at += 1;
        if last.span.end as usize == start && matches!(last.kind, T::Name | T::Prime | T::RBracket) {
            self.open.push(self.tokens.len());
            self.push(T::LBracket, start);
            return;
        }
        self.skip_while(|c| !matches!(c, ']' | '[' | '\n' | '\r' | '#' | ';'));
        if last.kind == T::Eq {
            return self.matrix(start);
        }
        if self.byte(0) == b']' {
            self.at += 1;
            self.push(T::Unit, start);
        } else {
            let opening = Span { start: start as u32, end: start as u32 + 1 };
            self.mistake("unclosed", opening, "this unit has no closing `]`", "end it with `]` on the same line");
            self.push(T::Unknown, start);
        }
    }

    /// `[1 2; 3 4]` where a value should stand.
    fn matrix(&mut self, start: usize) {
        self.skip_while(|c| !matches!(c, ']' | '\n' | '\r' | '#'));
        self.at += usize::from(self.byte(0) == b']');
        let span = self.span_from(start);
        self.mistake(
            "bad-character",
            span,
            "matrices and lists are not part of the language",
            "write an array by its elements, `a[1] = …`, or with `for k in 1..n: a[k] = …`",
        );
        self.push(T::Unknown, start);
    }

    fn operator(&mut self, c: char) {
        let start = self.at;
        let next = self.byte(c.len_utf8());
        let (kind, length) = match (c, next) {
            ('*', b'*') => return self.replaced(T::Caret, 2, "`**` is not an operator", "`^` is power"),
            ('=', b'=') => (T::EqEq, 2),
            ('=', b'<') => return self.replaced(T::LessEq, 2, "`=<` is not an operator", "write `<=`"),
            ('=', b'>') => return self.replaced(T::GreaterEq, 2, "`=>` is not an operator", "write `>=`"),
            ('!', b'=') => (T::NotEq, 2),
            ('<', b'=') => (T::LessEq, 2),
            ('<', b'>') => return self.replaced(T::NotEq, 2, "`<>` is not an operator", "write `!=`"),
            ('~', b'=') => return self.replaced(T::NotEq, 2, "`~=` is not an operator", "write `!=`"),
            ('>', b'=') => (T::GreaterEq, 2),
            (':', b'=') => return self.replaced(T::Eq, 2, "`:=` is not an operator", "write `=`"),
            ('.', b'.') if self.byte(2) == b'.' => {
                let dots = self.text[start..].bytes().take_while(|&b| b == b'.').count();
                return self.replaced(T::DotDot, dots, "a range has two dots", "write `..`, as in `0 .. 5`");
            }
            ('.', b'.') => (T::DotDot, 2),
            ('.', b'*') => return self.replaced(T::Star, 2, "`.*` is not an operator", "write `*`"),
            ('.', b'/') => return self.replaced(T::Slash, 2, "`./` is not an operator", "write `/`"),
            ('.', b'^') => return self.replaced(T::Caret, 2, "`.^` is not an operator", "write `^`"),
            ('&', b'&') => return self.replaced(T::And, 2, "`&&` is not an operator", "write `and`"),
            ('|', b'|') => return self.replaced(T::Or, 2, "`||` is not an operator", "write `or`"),
            ('+', _) => (T::Plus, 1),
            ('-' | '−', _) => (T::Minus, c.len_utf8()),
            ('*' | '·' | '⋅' | '×', _) => (T::Star, c.len_utf8()),
            ('/', _) => (T::Slash, 1),
            ('^', _) => (T::Caret, 1),
            ('(', _) => (T::LParen, 1),
            (')', _) => (T::RParen, 1),
            (']', _) => (T::RBracket, 1),
            (',', _) => (T::Comma, 1),
            (':', _) => (T::Colon, 1),
            (';', _) => (T::Semicolon, 1),
            ('=', _) => (T::Eq, 1),
            ('<', _) => (T::Less, 1),
            ('≤', _) => (T::LessEq, c.len_utf8()),
            ('>', _) => (T::Greater, 1),
            ('≥', _) => (T::GreaterEq, c.len_utf8()),
            ('≠', _) => (T::NotEq, c.len_utf8()),
            ('\'' | '′', _) => (T::Prime, c.len_utf8()),
            ('″', _) => return self.primes(2),
            ('‴', _) => return self.primes(3),
            ('’' | '‘' | '´' | '`', _) => {
                return self.replaced(T::Prime, c.len_utf8(), format!("`{c}` is not a prime"), "write a plain `'`");
            }
            ('–' | '—', _) => {
                return self.replaced(T::Minus, c.len_utf8(), format!("`{c}` is a dash, not a minus"), "write `-`");
            }
            ('÷', _) => return self.replaced(T::Slash, c.len_utf8(), "`÷` is not an operator", "write `/`"),
            ('!', _) if self.after_value() => {
                self.at += 1;
                let help = "write the product: 4! is `2*3*4`";
                return self.mistake("bad-character", self.span_from(start), "there is no factorial", help);
            }
            ('!', _) => return self.replaced(T::Not, 1, "`!` is not an operator", "write `not`"),
            _ => return self.unknown(c),
        };
        self.at += length;
        match kind {
            T::LParen => self.open.push(self.tokens.len()),
            T::RParen | T::RBracket => {
                self.open.pop();
            }
            T::Semicolon => {
                self.open.clear();
                self.continued = None;
                self.equals = false;
            }
            T::Eq => self.equals_sign(),
            _ => {}
        }
        self.push(kind, start);
    }

    /// Whether a value ends just here.
    fn after_value(&self) -> bool {
        let last = self.last();
        last.span.end as usize == self.at
            && matches!(last.kind, T::Name | T::Number | T::RParen | T::RBracket | T::Prime)
    }

    /// No bracket holds a `=`, and no statement two of them but in a list: a line that begins with
    /// `name =` where the one before seemed to go on shows that something is missing there.
    fn equals_sign(&mut self) {
        if let Some(continued) = self.continued {
            let line = &self.tokens[continued + 1..];
            let target = line.len() < 12
                && line.first().is_some_and(|token| token.kind == T::Name)
                && line.iter().all(|token| {
                    use TokenKind::{LBracket, LParen, Minus, Name, Number, Plus, Prime, RBracket, RParen};
                    matches!(token.kind, Name | Number | Prime | LBracket | RBracket | LParen | RParen | Plus | Minus)
                });
            let before = continued.checked_sub(1).map(|index| self.tokens[index].kind);
            let in_bracket = self.open.first().is_some_and(|&bracket| bracket < continued);
            let second = self.equals && before != Some(T::Comma) && target;
            if in_bracket || second {
                self.end_line_at(continued);
            }
        }
        self.equals = true;
    }

    fn primes(&mut self, count: usize) {
        let start = self.at;
        self.at += '″'.len_utf8();
        for _ in 0..count {
            self.push(T::Prime, start);
        }
    }

    /// A sign of another language, read as ours after saying so.
    fn replaced(&mut self, kind: TokenKind, length: usize, message: impl Into<String>, help: &str) {
        let start = self.at;
        self.at += length;
        self.mistake("bad-character", self.span_from(start), message, help);
        if kind == T::Eq {
            self.equals_sign();
        }
        self.push(kind, start);
    }

    fn unknown(&mut self, c: char) {
        let start = self.at;
        self.at += c.len_utf8();
        if c == '%' {
            self.skip_line();
            let span = Span { start: start as u32, end: start as u32 + 1 };
            return self.mistake("bad-character", span, "`%` is not an operator", "a comment starts with `#`");
        }
        // Binary rubbish is one mistake, not thousands.
        self.skip_while(|other| other == c || (!known(other) && !known(c)));
        let span = self.span_from(start);
        let shown = if c.is_control() || !known(c) && c.is_whitespace() || invisible(c) {
            format!("the invisible character U+{:04X}", c as u32)
        } else {
            format!("`{c}`")
        };
        let mut found = Diagnostic::error("bad-character", span, format!("{shown} has no meaning here"));
        found.help = hint(c).map(str::to_owned);
        self.diagnostics.push(found);
        self.push(T::Unknown, start);
    }
}

/// What to write instead of a character that we do not know.
fn hint(c: char) -> Option<&'static str> {
    Some(match c {
        '&' => "write `and`",
        '|' => "write `or`, and `abs(x)` for an absolute value",
        '~' => "write `not`",
        '{' | '}' => "group with `(` and `)`",
        '²' => "write `^2`",
        '³' => "write `^3`",
        _ if superscript(c) => "write a power with `^`",
        '½' => "write `1/2`",
        '√' => "write `sqrt(…)`",
        '“' | '”' | '„' => "write plain double quotes `\"`",
        '\\' => "a line goes on after an operator, a comma or inside parentheses",
        '.' => "a name has no dot, and a number has digits beside its dot",
        '?' => "write `if a then b else c`",
        '∞' => "leave the bound out, or write a large number",
        _ => return None,
    })
}

fn superscript(c: char) -> bool {
    matches!(c, '²' | '³' | '¹' | '\u{2070}'..='\u{207f}')
}

fn invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Letters of any script. Superscripts are letters or digits to Unicode, but `x²` must not be a name.
fn starts_name(c: char) -> bool {
    c == '_' || (c.is_alphabetic() && !superscript(c))
}

pub(crate) fn continues_name(c: char) -> bool {
    let fraction = matches!(c, '\u{bc}'..='\u{be}' | '\u{2150}'..='\u{215f}');
    let accent = matches!(c, '\u{300}'..='\u{36f}');
    starts_name(c) || accent || (c.is_numeric() && !superscript(c) && !fraction)
}

/// Whether a character can begin or be some token, or is white space.
fn known(c: char) -> bool {
    c.is_whitespace() || starts_name(c) || c.is_ascii_graphic() || "−·⋅×≤≥≠′″‴".contains(c)
}

fn keyword(word: &str) -> TokenKind {
    match word {
        "param" => T::Param,
        "input" => T::Input,
        "output" => T::Output,
        "init" => T::Init,
        "guess" => T::Guess,
        "run" => T::Run,
        "for" => T::For,
        "def" => T::Def,
        "when" => T::When,
        "stop" => T::Stop,
        "every" => T::Every,
        "if" => T::If,
        "then" => T::Then,
        "else" => T::Else,
        "and" => T::And,
        "or" => T::Or,
        "not" => T::Not,
        _ => T::Name,
    }
}
