//! What a person sees.

use ordinate_syntax::{Diagnostic, Span, line_column, parse, render};

fn rendered(text: &str) -> String {
    render(&parse(text).1, "m.eq", text, false)
}

#[test]
fn a_mistake_shows_its_place_and_its_remedy() {
    let expected = "\
error[implicit-multiplication]: a `*` is missing between `2` and `x`
 --> m.eq:2:6
  |
2 | y' = 2x
  |      ^^
  |
  = help: write `2*x`
";
    assert_eq!(rendered("x' = 1\ny' = 2x\n"), expected);
}

#[test]
fn carets_stand_below_the_place_after_tabs_and_wide_characters() {
    let text = rendered("\tφ' = 日本 + 2x");
    assert!(text.contains("m.eq:1:12"), "{text}");
    assert!(text.contains("    φ' = 日本 + 2x\n  |                 ^^"), "{text}");
}

#[test]
fn the_end_of_the_text_can_be_shown() {
    let text = rendered("y = if a then b");
    assert!(text.contains("m.eq:1:16"), "{text}");
    let end = Span { start: 3, end: 3 };
    let text = render(&[Diagnostic::error("syntax", end, "here")], "m.eq", "ab\n", false);
    assert!(text.contains("m.eq:2:1"), "{text}");
}

#[test]
fn a_label_elsewhere_is_shown_with_its_line() {
    let text = "a = 1\n\n\n\n\nb = 2\n";
    let found =
        Diagnostic::error("x", Span { start: 10, end: 11 }, "twice").label(Span { start: 0, end: 1 }, "first here");
    let shown = render(&[found], "m.eq", text, false);
    assert!(shown.contains("6 | b = 2") && shown.contains("1 | a = 1") && shown.contains("first here"), "{shown}");
}

#[test]
fn a_line_of_megabytes_is_shown_as_a_window() {
    let text = format!("y = {}2x{}", "1 + ".repeat(1_000_000), " + 1".repeat(1_000_000));
    let shown = rendered(&text);
    assert!(shown.len() < 1000, "{}", shown.len());
    assert!(shown.contains("m.eq:1:4000005"), "{shown}");
    assert!(shown.contains("…") && shown.contains("2x"), "{shown}");
}

#[test]
fn color_adds_escapes_only() {
    let (_, found) = parse("y = 2x");
    assert!(render(&found, "m.eq", "y = 2x", true).contains("\u{1b}["));
    assert!(!render(&found, "m.eq", "y = 2x", false).contains('\u{1b}'));
    let text = "y = \u{1b}[31m2";
    assert!(!rendered(text).contains('\u{1b}'), "a control character of the text reaches the terminal");
}

#[test]
fn columns_count_characters() {
    let text = "aé日\r\nb\n";
    let table =
        [(0, (1, 1)), (1, (1, 2)), (3, (1, 3)), (6, (1, 4)), (8, (2, 1)), (9, (2, 2)), (10, (3, 1)), (99, (3, 1))];
    for (offset, place) in table {
        assert_eq!(line_column(text, offset), place, "{offset}");
    }
    let long = "é".repeat(5000);
    assert_eq!(line_column(&long, 9000), (1, 4501));
}
