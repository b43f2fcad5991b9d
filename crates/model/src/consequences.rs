//! One mistake, one message: what a later stage says only because an earlier one failed is left out.

use ordinate_syntax::{Diagnostic, Severity, Span, Tree, has_errors};
use rustc_hash::FxHashSet;

/// The names that stand in some places of a text. A comment there may add a word; that hides a message at worst.
pub(crate) fn names_in(text: &str, places: &[Span]) -> FxHashSet<String> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    places
        .iter()
        .flat_map(|place| text[place.start as usize..place.end as usize].split(|c| !word(c)))
        .filter(|name| name.chars().next().is_some_and(|c| !c.is_ascii_digit()))
        .map(str::to_owned)
        .collect()
}

/// The diagnostics of all stages in the order of the text, without those that follow from others: inside a statement
/// that the parser did not understand, and at a place that already has an error.
pub fn merge(tree: &Tree, parsed: Vec<Diagnostic>, later: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let inside =
        |d: &Diagnostic| tree.mistaken.iter().any(|place| place.start <= d.span.start && d.span.end <= place.end);
    let mut all = parsed;
    all.extend(later.into_iter().filter(|d| d.span == Span::default() || !inside(d)));
    // A stable sort: of two at one place the earlier stage comes first and stays.
    all.sort_by_key(|d| (d.span, d.severity));
    // Two of one kind stay, such as the missing start values of x and x' at one place.
    let mut last: Option<(Span, &'static str)> = None;
    all.retain(|d| {
        let echo = last.is_some_and(|(span, code)| span == d.span && code != d.code) && d.span != Span::default();
        if d.severity == Severity::Error && !echo {
            last = Some((d.span, d.code));
        }
        !echo || d.code == "too-many"
    });
    if has_errors(&all) {
        // Whether something is used cannot be told while parts are missing.
        all.retain(|d| d.code != "unused-parameter");
    }
    all.dedup();
    all
}
