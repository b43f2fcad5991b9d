//! Braille plots as text.

use ordinate_plot::{Figure, Mark, Panel, Style};

fn figure(series: &[(&str, &[f64], &[f64])]) -> Figure {
    let mut figure = Figure::new("");
    let mut panel = Panel::new("t [s]", "y");
    for (label, x, y) in series {
        panel.add(label, x.to_vec(), y.to_vec(), Style::Line);
    }
    figure.panels.push(panel);
    figure
}

fn show(series: &[(&str, &[f64], &[f64])]) -> String {
    figure(series).to_terminal(32, 9, false)
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

#[test]
fn a_ramp_runs_from_corner_to_corner() {
    let text = show(&[("y", &[0.0, 1.0], &[0.0, 1.0])]);
    let expected = [
        "y",
        "1.0┤                       ⢀⣀⠤⠔⠒",
        "   │                 ⣀⣀⠤⠔⠒⠉⠁",
        "0.5┤           ⣀⡠⠤⠒⠊⠉",
        "   │    ⢀⣀⠤⠔⠒⠉⠉",
        "  0┤⠤⠔⠒⠉⠁",
        "   └┬────────────┬─────────────┬",
        "    0           0.5          1.0",
        "               t [s]",
    ];
    assert_eq!(lines(&text), expected);
}

#[test]
fn a_constant_is_a_level_line_at_its_tick() {
    let text = show(&[("y", &[0.0, 1.0, 2.0], &[3.0; 3])]);
    assert_eq!(lines(&text)[3], "3.0┤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤");
}

#[test]
fn a_single_point_is_one_dot() {
    let text = show(&[("y", &[2.0], &[3.0])]);
    assert_eq!(lines(&text)[3], "3.0┤             ⠠");
    assert_eq!(braille(&text), 1);
}

#[test]
fn nan_leaves_a_gap() {
    let text = show(&[("y", &[0.0, 1.0, 2.0, 3.0, 4.0], &[0.0, 1.0, f64::NAN, 1.0, 0.0])]);
    assert_eq!(lines(&text)[1], "1.0┤      ⡠⠂            ⠐⢄");
    assert_eq!(lines(&text)[5], "  0┤⠔⠁                        ⠈⠢");
}

#[test]
fn nothing_to_draw_is_said() {
    for series in [&[][..], &[("y", &[f64::NAN][..], &[f64::NAN][..])]] {
        let text = show(series);
        assert_eq!(braille(&text), 0);
        assert!(text.contains("no finite values"), "{text}");
    }
}

#[test]
fn without_colours_a_second_series_is_dashed_and_notes_are_shown() {
    let text = show(&[("up", &[0.0, 2e-9], &[0.0, 1e6]), ("down", &[0.0, 2e-9], &[1e6, 0.0])]);
    let expected = [
        "y ×10⁶   ⠤⠤⠤ up   ⠤⠀⠤ down",
        "1.0┤⠒⠢⠄ ⡀                  ⢀⣀⠤⠔⠒",
        "   │    ⠈⠉⠂ ⠤⣀⡀      ⣀⣀⠤⠔⠒⠉⠁",
        "0.5┤           ⣀⡱⠶⠖⠊⣉",
        "   │    ⢀⣀⠤⠔⠒⠉⠉      ⠉⠁ ⠢⠤⡀",
        "  0┤⠤⠔⠒⠉⠁                   ⠉⠒⠂",
        "   └┬────────────┬─────────────┬",
        "    0            1             2",
        "            t [s] ×10⁻⁹",
    ];
    assert_eq!(lines(&text), expected);
}

#[test]
fn a_name_without_room_is_counted() {
    let text = show(&[("temperature", &[0.0, 1.0], &[0.0, 1.0]), ("pressure", &[0.0], &[1.0]), ("p", &[0.0], &[1.0])]);
    assert_eq!(lines(&text)[0], "y   ⠤⠤⠤ temperatu…  … 2 more");
}

#[test]
fn a_jump_is_a_dotted_upright() {
    let text = show(&[("y", &[0.0, 1.0, 1.0, 2.0], &[0.0, 0.0, 1.0, 1.0])]);
    let expected = [
        "1.0┤              ⡒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒",
        "   │              ⡂",
        "0.5┤              ⠆",
        "   │              ⠅",
        "  0┤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠅",
    ];
    assert_eq!(lines(&text)[1..6], expected);
}

#[test]
fn colours_change_nothing_but_escapes() {
    let mut figure = figure(&[("y", &[0.0, 1.0], &[0.0, 1.0])]);
    figure.panels[0].marks.push(Mark::vertical(0.25, ""));
    let coloured = figure.to_terminal(32, 9, true);
    let mut plain = String::new();
    for (index, part) in coloured.split('\x1b').enumerate() {
        plain.push_str(if index == 0 { part } else { part.split_once('m').expect("an escape ends with m").1 });
    }
    let strip = |text: &str| text.lines().map(|line| line.trim_end().to_string()).collect::<Vec<_>>();
    assert_eq!(strip(&plain), strip(&figure.to_terminal(32, 9, false)));
    assert!(coloured.contains("\x1b[34m") && coloured.contains("\x1b[90m"));
    assert_eq!(coloured.matches("\x1b[0m").count() * 2, coloured.matches('\x1b').count(), "every colour is reset");
}

fn braille(text: &str) -> usize {
    text.chars().filter(|c| ('\u{2801}'..='\u{28ff}').contains(c)).count()
}
