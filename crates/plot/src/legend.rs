//! The head of a panel: the name of its y axis on the left, the legend on the right or in rows below.

use crate::figure::{Legend, Panel};
use crate::font;

/// Font size of axis names and legend.
pub const SIZE: f64 = 14.0;
/// Height of a row of the head.
pub const ROW: f64 = 21.0;
/// Length of the line sample before a name.
pub const SAMPLE: f64 = 22.0;
/// Between the sample and the name.
pub const SAMPLE_GAP: f64 = 7.0;

const ENTRY_GAP: f64 = 20.0;
const MOST_ROWS: usize = 4;

/// A name in the legend.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The series it stands for; `None` for the count of those left out.
    pub series: Option<usize>,
    /// The name as far as there is room.
    pub text: String,
    /// Left end, from the left end of the head.
    pub left: f64,
    /// Row, from the top.
    pub row: usize,
}

/// A head that has been laid out.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// The name of the y axis as far as there is room.
    pub label: String,
    /// Where the note of the axis goes, after the label.
    pub note_left: f64,
    /// The legend.
    pub entries: Vec<Entry>,
    /// Number of rows.
    pub rows: usize,
}

/// The series that the legend names.
pub fn named(panel: &Panel) -> Vec<usize> {
    let named: Vec<usize> = (0..panel.series.len()).filter(|index| !panel.series[*index].label.is_empty()).collect();
    // `phi [rad]` at the axis already names the series `phi`, and `u[3] [V]` the series `u[3]`.
    let bare = |label: &str| label.split(" [").next().unwrap_or("").trim().to_string();
    match (panel.legend, named.as_slice()) {
        (Legend::Hidden, _) => Vec::new(),
        (Legend::Auto, [only]) if bare(&panel.series[*only].label) == bare(&panel.y.label) => Vec::new(),
        (Legend::Auto, _) => named,
    }
}

/// Lays out the head of a panel in the given width; `note` is the width of the note of the y axis.
pub fn head(panel: &Panel, width: f64, note: f64) -> Head {
    let note_room = if note > 0.0 { note + 10.0 } else { 0.0 };
    let label = font::fitted(&panel.y.label, SIZE, (width - note_room).max(0.0));
    let label_width = font::width(&label, SIZE);
    let note_left = if label.is_empty() { 0.0 } else { label_width + 10.0 };
    let lead = if note > 0.0 { note_left + note } else { label_width };

    let indices = named(panel);
    let prefix = SAMPLE + SAMPLE_GAP;
    // One name may fill the row; of several each leaves room for the count of those left out.
    let limit = if indices.len() > 1 { 0.7 * width - prefix } else { width - prefix };
    let texts: Vec<String> =
        indices.iter().map(|index| font::fitted(&panel.series[*index].label, SIZE, limit.max(0.0))).collect();
    let widths: Vec<f64> = texts.iter().map(|text| prefix + font::width(text, SIZE)).collect();
    let total = widths.iter().sum::<f64>() + ENTRY_GAP * widths.len().saturating_sub(1) as f64;

    let one_row = lead + 2.0 * ENTRY_GAP + total <= width || (lead == 0.0 && total <= width);
    // Names in several rows stand below each other.
    let widest = widths.iter().copied().fold(0.0, f64::max);
    let widths = if one_row { widths } else { vec![widest; widths.len()] };
    let mut left = if one_row && lead > 0.0 { width - total } else { 0.0 };
    let mut row = usize::from(!one_row && lead > 0.0);
    let last_row = row + MOST_ROWS - 1;
    let mut entries = Vec::new();
    for (done, ((index, text), entry_width)) in indices.iter().zip(texts).zip(&widths).enumerate() {
        // In the last row room is kept for the count of names left out.
        let rest = format!("… {} more", indices.len() - done);
        let kept = if row == last_row && done + 1 < indices.len() { ENTRY_GAP + font::width(&rest, SIZE) } else { 0.0 };
        if left > 0.0 && left + entry_width + kept > width + 1e-6 {
            if row == last_row {
                entries.push(Entry { series: None, text: rest, left, row });
                break;
            }
            row += 1;
            left = 0.0;
        }
        entries.push(Entry { series: Some(*index), text, left, row });
        left += entry_width + ENTRY_GAP;
    }
    let rows = if lead == 0.0 && entries.is_empty() { 0 } else { row + 1 };
    Head { label, note_left, entries, rows }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Style;

    fn panel(label: &str, names: &[&str]) -> Panel {
        let mut panel = Panel::new("t", label);
        for name in names {
            panel.add(name, vec![0.0], vec![0.0], Style::Line);
        }
        panel
    }

    #[test]
    fn an_axis_that_names_its_only_series_needs_no_legend() {
        assert!(named(&panel("phi [rad]", &["phi"])).is_empty());
        assert!(named(&panel("u[3] [V]", &["u[3] [V]"])).is_empty());
        assert_eq!(named(&panel("angle [rad]", &["phi"])), [0]);
        assert_eq!(named(&panel("", &["x", "phi"])), [0, 1]);
    }

    #[test]
    fn a_long_legend_wraps_and_says_how_many_it_leaves_out() {
        let names: Vec<String> = (0..200).map(|k| format!("variable {k}")).collect();
        let panel = panel("u [V]", &names.iter().map(String::as_str).collect::<Vec<_>>());
        let head = head(&panel, 760.0, 0.0);
        let shown = head.entries.iter().filter(|entry| entry.series.is_some()).count();
        let last = head.entries.last().unwrap();
        assert_eq!(last.text, format!("… {} more", 200 - shown));
        assert!(last.left + font::width(&last.text, SIZE) <= 760.0);
        assert_eq!(head.rows, 1 + MOST_ROWS);
    }
}
