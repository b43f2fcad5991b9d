//! What is wrong with a model: every stage from the parser to the program reports in this form.

use crate::Span;

/// How bad it is: an error prevents a run, a warning does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The model cannot be run.
    Error,
    /// The model can be run, but probably says something else than its author means.
    Warning,
}

/// One mistake: where it is, what it is, what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// A stable kebab-case name of the kind of mistake, e.g. `unknown-name`.
    pub code: &'static str,
    /// The place in the text.
    pub span: Span,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// What to do, where we can tell.
    pub help: Option<String>,
    /// Other places that belong to it, each with a short text.
    pub labels: Vec<(Span, String)>,
}

impl Diagnostic {
    /// An error without help or labels.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, code, span, message: message.into(), help: None, labels: Vec::new() }
    }

    /// A warning without help or labels.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, span, message) }
    }

    /// The same with a hint what to do.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same with one more marked place.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push((span, text.into()));
        self
    }
}

/// Whether any of them prevents a run.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity == Severity::Error)
}

/// Keeps the first mistakes and counts the others: rubbish of ten megabytes must not become millions of texts.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    found: Vec<Diagnostic>,
    more: usize,
}

impl Collector {
    /// As many mistakes as a person reads at once, and then some.
    const LIMIT: usize = 100;

    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if self.found.len() < Self::LIMIT {
            self.found.push(diagnostic);
        } else {
            self.more += 1;
        }
    }

    /// Both in the order of the text, and a last one if some were left out.
    pub(crate) fn merge(self, other: Collector) -> Vec<Diagnostic> {
        let mut found = self.found;
        found.extend(other.found);
        found.sort_by_key(|diagnostic| diagnostic.span);
        let kept = found.len().min(Self::LIMIT);
        let more = found.len() - kept + self.more + other.more;
        found.truncate(kept);
        if more > 0 {
            let span = found.last().map_or(Span::default(), |last| last.span);
            found.push(Diagnostic::error("too-many", span, format!("there are {more} more mistakes after this one")));
        }
        found
    }
}
