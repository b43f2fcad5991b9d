//! Tokens to tree: the parser's state, and how it reports and recovers. `statement.rs` and
//! `expression.rs` hold the grammar. An expression never fails for its caller: what cannot be read
//! becomes [`NodeKind::Error`], so that a statement with a mistake still declares its names.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::diagnostic::Collector;
use crate::lexer::{LONGEST_NAME, Token, TokenKind, lex};
use crate::spelling::common;
use crate::words::{UNRESERVED_FUNCTIONS, is_function, reserved};
use crate::{Diagnostic, Expr, Name, Node, NodeId, NodeKind, Severity, Span, Tree};

/// Longer texts are refused: no hand-written model comes near, and offsets and memory stay bounded.
pub const LONGEST_TEXT: usize = 10_000_000;

/// Deeper nesting is refused, so that the parser cannot run out of stack.
pub(crate) const DEEPEST: u32 = 200;

/// The tree of a text and what is wrong with it. There is always a tree, and whenever some part of the text is not
/// in the tree there is an error that says so.
pub fn parse(text: &str) -> (Tree, Vec<Diagnostic>) {
    if text.len() > LONGEST_TEXT {
        let message = format!("this text has more than the {} MB that a model may have", LONGEST_TEXT / 1_000_000);
        let help = "write repeated equations with `for`, and tables with `input … from \"file.csv\"`";
        return (Tree::default(), vec![Diagnostic::error("too-long", Span::default(), message).help(help)]);
    }
    let mut lexical = Collector::default();
    let tokens = lex(text, &mut lexical);
    let mut parser = Parser::new(text, tokens);
    let statements = parser.file();
    parser.tree.statements = statements;
    let found = lexical.merge(parser.diagnostics);
    parser.tree.mistaken = mistaken(&parser.places, &found);
    (parser.tree, found)
}

/// The smallest places around the mistakes.
fn mistaken(places: &[Span], found: &[Diagnostic]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for diagnostic in found.iter().filter(|diagnostic| diagnostic.severity == Severity::Error) {
        let at = diagnostic.span.start;
        let around = places.iter().filter(|place| place.start <= at && at <= place.end);
        spans.extend(around.min_by_key(|place| place.end - place.start));
    }
    spans.sort_unstable();
    spans.dedup();
    spans
}

/// An expression cannot be read further; the reason is already reported.
pub(crate) struct Failed;

/// How names are used.
#[derive(Default)]
pub(crate) struct Uses<'a> {
    /// Those that stand before `=`, a prime or an index: the text gives them a meaning.
    pub(crate) declared: HashSet<&'a str>,
    /// Those that have a derivative.
    pub(crate) primed: HashSet<&'a str>,
    /// Those that stand somewhere without parentheses.
    pub(crate) plain: HashSet<&'a str>,
}

pub(crate) struct Parser<'a> {
    pub(crate) text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    pub(crate) tree: Tree,
    names: HashMap<Cow<'a, str>, Name>,
    /// Functions that a `def` anywhere in the text defines.
    functions: HashSet<Cow<'a, str>>,
    /// The model has a `dt` of its own, so `dx/dt` may be a quotient.
    pub(crate) own_dt: bool,
    /// The places of all statements, with what could not be read of them.
    pub(crate) places: Vec<Span>,
    uses: Option<Uses<'a>>,
    diagnostics: Collector,
    /// A mistake was reported, and what follows in this statement may only be its consequence.
    quiet: bool,
    /// Levels of nesting at this place.
    pub(crate) depth: u32,
    /// Brackets open in the current expression.
    pub(crate) open: u32,
    /// On the left of an equation, where `2 x = 1` is a product and not two statements.
    pub(crate) left_side: bool,
    /// Before the `..` of a range, where `0 to 20` is a mistaken range and not a product.
    pub(crate) before_range: bool,
    /// In a statement whose number is a time, which has no unit of its own.
    pub(crate) timing: bool,
    /// Indentation of the current line.
    pub(crate) indent: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, tokens: Vec<Token>) -> Self {
        let word = |token: &Token| &text[token.span.start as usize..token.span.end as usize];
        let mut functions = HashSet::new();
        let mut own_dt = false;
        // functions only where the text has no variable of their name
        let mut unreserved: Vec<&str> = UNRESERVED_FUNCTIONS.to_vec();
        for pair in tokens.windows(2) {
            if pair[0].kind == TokenKind::Name && pair[1].kind != TokenKind::LParen {
                unreserved.retain(|name| *name != word(&pair[0]));
            }
            if pair[1].kind == TokenKind::Name {
                if pair[0].kind == TokenKind::Def {
                    functions.insert(common(word(&pair[1])));
                }
                own_dt |= pair[0].kind != TokenKind::Slash && word(&pair[1]) == "dt";
            }
        }
        functions.extend(unreserved.into_iter().map(common));
        Self {
            text,
            tokens,
            at: 0,
            tree: Tree::default(),
            names: HashMap::new(),
            functions,
            own_dt,
            places: Vec::new(),
            uses: None,
            diagnostics: Collector::default(),
            quiet: false,
            depth: 0,
            open: 0,
            left_side: false,
            before_range: false,
            timing: false,
            indent: 0,
        }
    }

    pub(crate) fn token(&self) -> Token {
        self.ahead(0)
    }

    pub(crate) fn kind(&self) -> TokenKind {
        self.token().kind
    }

    /// The token `count` further on; the last one is `Eof`, for ever.
    pub(crate) fn ahead(&self, count: usize) -> Token {
        let last = self.tokens.len() - 1;
        self.tokens[(self.at + count).min(last)]
    }

    pub(crate) fn previous(&self) -> Token {
        self.tokens[self.at.saturating_sub(1)]
    }

    pub(crate) fn before_previous(&self) -> Token {
        self.tokens[self.at.saturating_sub(2)]
    }

    pub(crate) fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind == TokenKind::Newline {
            self.indent = self.indent_after(0);
        }
        if token.kind != TokenKind::Eof {
            self.at += 1;
        }
        token
    }

    pub(crate) fn eat(&mut self, kind: TokenKind) -> bool {
        let here = self.kind() == kind;
        if here {
            self.bump();
        }
        here
    }

    pub(crate) fn slice(&self, span: Span) -> &'a str {
        &self.text[span.start as usize..span.end as usize]
    }

    pub(crate) fn word(&self, token: Token) -> &'a str {
        self.slice(token.span)
    }

    /// Text for a message: what stands at a place if it is short.
    pub(crate) fn quote(&self, span: Span) -> &'a str {
        let text = self.slice(span);
        if text.len() <= 30 && !text.contains(['\n', '\r']) { text } else { "…" }
    }

    /// Where to point for what is expected at this token: at the end of a line just after its last word.
    pub(crate) fn here(&self) -> Span {
        let end = self.previous().span.end;
        if self.at_end() { Span { start: end, end } } else { self.token().span }
    }

    /// The name of a place in a message.
    pub(crate) fn describe(&self, token: Token) -> String {
        match token.kind {
            TokenKind::Newline => "the end of the line".into(),
            TokenKind::Eof => "the end of the text".into(),
            _ => format!("`{}`", self.quote(token.span)),
        }
    }

    pub(crate) fn intern(&mut self, text: &'a str) -> Name {
        let names = &mut self.tree.names;
        // Results are headed as the name is spelled first.
        *self.names.entry(common(text)).or_insert_with(|| {
            names.push(readable(text));
            Name(names.len() as u32 - 1)
        })
    }

    pub(crate) fn callable(&self, name: &str) -> bool {
        is_function(name) || self.functions.contains(&common(name))
    }

    /// How the names of the text are used, found at the first question.
    pub(crate) fn uses(&mut self) -> &Uses<'a> {
        let (text, tokens) = (self.text, &self.tokens);
        self.uses.get_or_insert_with(|| {
            use TokenKind::{Eq, LBracket, LParen, Prime};
            let mut uses = Uses::default();
            for pair in tokens.windows(2).filter(|pair| pair[0].kind == TokenKind::Name) {
                let word = &text[pair[0].span.start as usize..pair[0].span.end as usize];
                if matches!(pair[1].kind, Eq | Prime | LBracket) {
                    uses.declared.insert(word);
                }
                if pair[1].kind == Prime {
                    uses.primed.insert(word);
                }
                if pair[1].kind != LParen {
                    uses.plain.insert(word);
                }
            }
            uses
        })
    }

    pub(crate) fn node(&mut self, kind: NodeKind, span: Span) -> NodeId {
        self.tree.nodes.push(Node { kind, span });
        NodeId(self.tree.nodes.len() as u32 - 1)
    }

    /// The expression that stands for one that is not there.
    pub(crate) fn missing(&mut self, span: Span) -> Expr {
        let id = self.node(NodeKind::Error, span);
        Expr { first: id, root: id }
    }

    /// Columns of white space before the token after the `Newline` that is `count` tokens ahead. A tab
    /// goes to the next multiple of eight.
    pub(crate) fn indent_after(&self, count: usize) -> usize {
        let (start, end) = (self.ahead(count).span.end, self.ahead(count + 1).span.start);
        self.slice(Span { start, end })
            .chars()
            .fold(0, |width, c| if c == '\t' { (width / 8 + 1) * 8 } else { width + 1 })
    }

    /// A mistake that does not hide the meaning of what follows.
    pub(crate) fn mistake(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// A mistake after which the rest of the statement is guesswork: only the first is reported.
    pub(crate) fn lost(&mut self, diagnostic: Diagnostic) -> Failed {
        if !self.quiet && self.kind() != TokenKind::Unknown {
            self.diagnostics.push(diagnostic);
        }
        self.quiet = true;
        Failed
    }

    /// What is wrong with the rest of this statement is already told.
    pub(crate) fn hush(&mut self) {
        self.quiet = true;
    }

    /// A new statement or list item: mistakes count again.
    pub(crate) fn listen(&mut self) {
        self.quiet = false;
    }

    /// Whether this statement already has a mistake.
    pub(crate) fn is_lost(&self) -> bool {
        self.quiet
    }

    pub(crate) fn at_end(&self) -> bool {
        matches!(self.kind(), TokenKind::Newline | TokenKind::Semicolon | TokenKind::Eof)
    }

    pub(crate) fn skip_statement(&mut self) {
        while !self.at_end() {
            self.bump();
        }
    }

    /// Skips to what can follow an expression, over whatever brackets are open.
    pub(crate) fn skip_expression(&mut self) {
        use TokenKind::{Colon, Comma, DotDot, Eq, LBracket, LParen, RBracket, RParen};
        while !self.at_end() {
            match self.kind() {
                LParen | LBracket => self.open += 1,
                RParen | RBracket if self.open > 0 => self.open -= 1,
                RParen | RBracket | Comma | Colon | Eq | DotDot if self.open == 0 => return,
                kind if kind.begins_statement() => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Whether `name`, `name'`, `name[…]'`, `name(…)` and then `=` come next: the start of another
    /// statement or list item. Looks at few tokens only, since it is asked at many places.
    pub(crate) fn definition_follows(&self) -> bool {
        self.kind() == TokenKind::Name
            && self.after_target(16).is_some_and(|(count, _)| self.ahead(count).kind == TokenKind::Eq)
    }

    /// How many tokens `name[…]'(…)` has from here, and which of them opens the parentheses, if any;
    /// `None` past `limit` or without a closing bracket.
    pub(crate) fn after_target(&self, limit: usize) -> Option<(usize, Option<usize>)> {
        let mut count = 1;
        if self.ahead(count).kind == TokenKind::LBracket {
            count = self.after_bracket(count, limit)?;
        }
        while self.ahead(count).kind == TokenKind::Prime && count < limit {
            count += 1;
        }
        if self.ahead(count).kind == TokenKind::LParen {
            let opening = count;
            return Some((self.after_bracket(count, limit)?, Some(opening)));
        }
        Some((count, None))
    }

    fn after_bracket(&self, mut count: usize, limit: usize) -> Option<usize> {
        let mut open = 0;
        while count < limit {
            match self.ahead(count).kind {
                TokenKind::LParen | TokenKind::LBracket => open += 1,
                TokenKind::RParen | TokenKind::RBracket => open -= 1,
                TokenKind::Newline | TokenKind::Semicolon | TokenKind::Eof => return None,
                _ => {}
            }
            count += 1;
            if open == 0 {
                return Some(count);
            }
        }
        None
    }

    /// Reports a name that a model cannot declare.
    pub(crate) fn check_name(&mut self, token: Token) {
        let name = self.word(token);
        if let Some(what) = reserved(name) {
            let found =
                Diagnostic::error("reserved-name", token.span, format!("`{name}` is {what} and cannot be declared"));
            self.mistake(found.help(format!("choose another name, such as `{name}1`")));
        }
    }
}

/// A name that is too long was reported; the later stages see its beginning.
fn readable(name: &str) -> String {
    if name.len() <= LONGEST_NAME { name.into() } else { name.chars().take(20).chain("…".chars()).collect() }
}
