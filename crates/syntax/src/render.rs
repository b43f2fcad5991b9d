//! Diagnostics for a person: file, line, the line itself with carets, what to do. `annotate-snippets`
//! draws; what it gets is cut to a window first, so that a line of megabytes costs and shows no more than its place.

use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::{Diagnostic, Severity, Span};

/// Bytes of a line kept before the first and after the first mark.
const WINDOW: (usize, usize) = (60, 80);

/// Lines shown of a mark that spans many.
const LINES: usize = 4;

/// All of them as text for a terminal, in the order given, with a blank line between.
pub fn render(diagnostics: &[Diagnostic], file: &str, text: &str, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.decor_style(DecorStyle::Ascii);
    let lines = LineIndex::new(text);
    let mut out = String::new();
    for diagnostic in diagnostics {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&renderer.render(&[group(diagnostic, file, &lines)]));
        out.push('\n');
    }
    out
}

/// Line and column of a byte, both from 1, the column in characters.
///
/// This reads the text up to there; for many places build one [`LineIndex`].
pub fn line_column(text: &str, offset: u32) -> (usize, usize) {
    LineIndex::new(text).line_column(offset)
}

/// Finds lines and columns without reading the text again.
#[derive(Debug)]
pub struct LineIndex<'a> {
    text: &'a str,
    /// First byte of each line.
    starts: Vec<usize>,
    /// Characters before each multiple of [`LineIndex::BLOCK`] bytes: a column on a long line is found by counting in
    /// one block.
    characters: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    const BLOCK: usize = 4096;

    /// Reads the text once.
    pub fn new(text: &'a str) -> Self {
        let newlines = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let starts = std::iter::once(0).chain(newlines.map(|(position, _)| position + 1)).collect();
        let mut count = 0;
        let mut characters = vec![0];
        for block in text.as_bytes().chunks(Self::BLOCK) {
            count += begun(block);
            characters.push(count);
        }
        Self { text, starts, characters }
    }

    /// Line and column of a byte, both from 1, the column in characters. Past the end is the end.
    pub fn line_column(&self, offset: u32) -> (usize, usize) {
        let offset = (offset as usize).min(self.text.len());
        let line = self.line(offset);
        (line + 1, self.characters_before(offset) - self.characters_before(self.starts[line]) + 1)
    }

    /// The line, from 0, of a byte.
    fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset) - 1
    }

    fn characters_before(&self, offset: usize) -> usize {
        let block = offset / Self::BLOCK;
        self.characters[block] + begun(&self.text.as_bytes()[block * Self::BLOCK..offset])
    }

    /// One past the last byte of a line, its line end not counted.
    fn end_of_line(&self, line: usize) -> usize {
        let end = self.starts.get(line + 1).map_or(self.text.len(), |&next| next - 1);
        if self.text[self.starts[line]..end].ends_with('\r') { end - 1 } else { end }
    }
}

/// How many characters begin in these bytes.
fn begun(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

fn group<'a>(diagnostic: &'a Diagnostic, file: &'a str, lines: &LineIndex<'a>) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(diagnostic.message.as_str()).id(diagnostic.code);
    let mut group = Group::with_title(title);
    let main = window(diagnostic.span, lines);
    if main.start > lines.starts[lines.line(main.start)] {
        // The drawn line lacks its beginning, so the column must be said apart from it.
        let (line, column) = lines.line_column(diagnostic.span.start);
        group = group.element(Origin::path(file).line(line).char_column(column));
    }
    let mut shown = vec![Mark { kind: AnnotationKind::Primary, span: diagnostic.span, label: None }];
    let mut elsewhere = Vec::new();
    for (span, label) in &diagnostic.labels {
        let mark = Mark { kind: AnnotationKind::Context, span: *span, label: Some(label.as_str()) };
        if main.contains(&(span.start as usize)) { shown.push(mark) } else { elsewhere.push(mark) }
    }
    group = group.element(snippet(file, main, &shown, lines));
    for mark in elsewhere {
        let range = window(mark.span, lines);
        group = group.element(snippet(file, range, &[mark], lines));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    group
}

struct Mark<'a> {
    kind: AnnotationKind,
    span: Span,
    label: Option<&'a str>,
}

/// The bytes to show around a place: its lines, but not too much of them.
fn window(span: Span, lines: &LineIndex<'_>) -> Range<usize> {
    let text = lines.text;
    let start = (span.start as usize).min(text.len());
    let end = (span.end as usize).clamp(start, text.len());
    let first = lines.line(start);
    let last = lines.line(end.saturating_sub(1).max(start)).min(first + LINES - 1);
    let from = lines.starts[first].max(start.saturating_sub(WINDOW.0));
    let line_end = lines.end_of_line(last).max(start);
    let to = line_end.min(end.min(start + WINDOW.1) + WINDOW.1);
    text.ceil_char_boundary(from).min(start)..text.floor_char_boundary(to).max(start)
}

fn snippet<'a>(
    file: &'a str,
    range: Range<usize>,
    marks: &[Mark<'a>],
    lines: &LineIndex<'a>,
) -> Snippet<'a, Annotation<'a>> {
    let line = lines.line(range.start);
    let before = if range.start > lines.starts[line] { "…" } else { "" };
    let after = if range.end < lines.end_of_line(lines.line(range.end)) { "…" } else { "" };
    let source = format!("{before}{}{after}", &lines.text[range.clone()]);
    let annotations = marks.iter().map(|mark| {
        let start = lines.text.floor_char_boundary((mark.span.start as usize).clamp(range.start, range.end));
        let end = lines.text.floor_char_boundary((mark.span.end as usize).clamp(start, range.end));
        mark.kind.span(start + before.len() - range.start..end + before.len() - range.start).label(mark.label)
    });
    let snippet = Snippet::source(source).line_start(line + 1).annotations(annotations);
    // With a path the line and column are drawn from the snippet, which is right only for a whole line.
    if before.is_empty() { snippet.path(file) } else { snippet }
}
