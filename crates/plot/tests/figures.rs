//! Claims about whole figures: readable layouts, well-formed files, and no input that breaks them.

mod samples;

use ordinate_plot::scene::{Primitive, Rect, Scene, Text};
use ordinate_plot::{Band, Colour, Figure, Mark, Panel, Scale, Style};

fn texts(scene: &Scene) -> Vec<&Text> {
    let mut texts = Vec::new();
    for item in &scene.items {
        if let Primitive::Text(text) = item {
            texts.push(text);
        }
    }
    texts
}

fn one_series(x: Vec<f64>, y: Vec<f64>, style: Style) -> Figure {
    let mut figure = Figure::new("");
    let mut panel = Panel::new("t [s]", "y [m]");
    panel.add("y", x, y, style);
    figure.panels.push(panel);
    figure
}

/// Figures that are hard on a layout: every degenerate set of data in every style and scale.
fn hard() -> Vec<Figure> {
    let nan = f64::NAN;
    let data: Vec<(Vec<f64>, Vec<f64>)> = vec![
        (vec![], vec![]),
        (vec![1.0], vec![2.0]),
        (vec![0.0, 1.0, 2.0], vec![7.0; 3]),
        (vec![3.0; 4], vec![1.0, 2.0, 3.0, 4.0]),
        (vec![nan; 3], vec![nan; 3]),
        (vec![0.0, 1.0, 2.0], vec![nan, f64::INFINITY, f64::NEG_INFINITY]),
        (vec![0.0, 1.0], vec![1e-300, 1e300]),
        (vec![1e-300, 1e300], vec![0.0, 1.0]),
        (vec![-f64::MAX, f64::MAX], vec![f64::MAX, -f64::MAX]),
        (vec![0.0, 5e-324, 1e-323], vec![5e-324, 0.0, 1e-310]),
        (vec![1e15, 1e15 + 1.0, 1e15 + 2.0], vec![1.0, 1.0 + f64::EPSILON, 1.0]),
        (vec![0.0, 1.0, 2.0, 3.0], vec![-1.0, -2.0]),
        (vec![2.0, 1.0, 0.0], vec![1.0, 5.0, 2.0]),
    ];
    let styles = [Style::Line, Style::Curve, Style::Jumps, Style::Steps, Style::Points, Style::Markers, Style::Region];
    let mut figures = Vec::new();
    for (x, y) in &data {
        for style in styles {
            for log in [false, true] {
                let mut figure = one_series(x.clone(), y.clone(), style);
                let panel = &mut figure.panels[0];
                if log {
                    (panel.x.scale, panel.y.scale) = (Scale::Log, Scale::Log);
                }
                panel.equal_aspect = style == Style::Curve;
                panel.marks = vec![Mark::vertical(1.0, "event"), Mark::horizontal(nan, "never")];
                panel.series[0].band = Some(Band { lower: vec![-1e300, nan, 0.0], upper: vec![1e300; 3] });
                figures.push(figure);
            }
        }
    }
    figures.extend(odd_figures());
    figures
}

fn odd_figures() -> Vec<Figure> {
    let mut figures = vec![Figure::new("nothing at all")];
    let sizes = [(0.0, 0.0), (f64::NAN, 1e9), (30.0, 900.0), (900.0, 30.0), (120.0, 90.0)];
    for (width, height) in sizes {
        let mut figure = samples::oscillation();
        (figure.width, figure.height) = (width, if height > 1e8 { 200.0 } else { height });
        figures.push(figure);
    }
    for range in [(5.0, 5.0), (9.0, -3.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (-1.0, 1e-320)] {
        let mut figure = samples::work_precision();
        figure.panels[0].x.range = Some(range);
        figure.panels[0].y.range = Some(range);
        figures.push(figure);
    }
    let mut wordy = samples::twenty_series();
    wordy.title = "<&> \u{0} long ".repeat(80);
    wordy.panels[0].y.label = "a very long name [furlong per fortnight] ".repeat(9);
    wordy.panels[0].x.label = wordy.panels[0].y.label.clone();
    for series in &mut wordy.panels[0].series {
        series.label = series.label.repeat(40);
        series.colour = Colour::Cycle(usize::MAX);
    }
    wordy.panels[0].share = f64::NAN;
    figures.push(wordy);
    figures
}

#[test]
fn no_two_texts_overlap_and_none_leaves_the_page() {
    // The odd figures at the end have pages too small for their words.
    let degenerate = hard().into_iter().filter(|figure| figure.width == 800.0 && figure.panels.len() == 1);
    let figures = samples::all().into_iter().chain(degenerate.map(|figure| ("degenerate", figure)));
    for (name, figure) in figures {
        let scene = figure.scene();
        let page = Rect { left: 0.0, top: 0.0, width: scene.width, height: scene.height };
        let texts = texts(&scene);
        assert!(texts.len() > 3, "{name} has {} texts", texts.len());
        for (index, text) in texts.iter().enumerate() {
            let bounds = text.bounds();
            assert!(bounds.left >= 0.0 && bounds.right() <= page.width, "{name}: {}", text.text);
            assert!(bounds.top >= 0.0 && bounds.bottom() <= page.height, "{name}: {}", text.text);
            assert!(text.size >= 13.0, "{name}: {}", text.text);
            for other in &texts[..index] {
                assert!(!bounds.overlaps(&other.bounds()), "{name}: {} and {}", text.text, other.text);
            }
        }
    }
}

#[test]
fn panels_that_share_time_have_their_axes_below_each_other() {
    let scene = samples::oscillation().scene();
    let clips: Vec<Rect> = scene
        .items
        .iter()
        .filter_map(|item| if let Primitive::Clip(Some(rect)) = item { Some(*rect) } else { None })
        .collect();
    assert_eq!(clips.len(), 3);
    for pair in clips.windows(2) {
        assert_eq!((pair[0].left, pair[0].width), (pair[1].left, pair[1].width));
        assert!(pair[0].bottom() < pair[1].top);
    }
}

/// A circle drawn with equal aspect is as wide as it is high, on a page that is not.
#[test]
fn equal_aspect_draws_a_circle_round() {
    let angle: Vec<f64> = (0..=360).map(|degree| f64::from(degree).to_radians()).collect();
    let (x, y) = (angle.iter().map(|a| a.cos()).collect(), angle.iter().map(|a| a.sin()).collect());
    let mut figure = one_series(x, y, Style::Curve);
    figure.panels[0].equal_aspect = true;
    figure.panels[0].series[0].colour = Colour::Cycle(4);
    let scene = figure.scene();
    let curve = scene.items.iter().find_map(|item| match item {
        Primitive::Stroke { paths, paint, .. } if paint.rgb == [230, 159, 0] => Some(paths),
        _ => None,
    });
    let extent = |f: &dyn Fn(&ordinate_plot::scene::Point) -> f64| {
        let values: Vec<f64> = curve.expect("the circle is drawn").iter().flatten().map(f).collect();
        values.iter().copied().fold(f64::MIN, f64::max) - values.iter().copied().fold(f64::MAX, f64::min)
    };
    let (width, height) = (extent(&|p| p.x), extent(&|p| p.y));
    assert!((width - height).abs() < 0.3 && width > 100.0, "{width} × {height}");
}

#[test]
fn no_figure_breaks_a_renderer() {
    for figure in hard() {
        let svg = figure.to_svg();
        assert_well_formed(&svg);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{figure:?}");
        for (columns, rows) in [(80, 24), (0, 0), (24, 7)] {
            let text = figure.to_terminal(columns, rows, false);
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
            assert!(text.lines().count() <= rows.max(7) && widest <= columns.max(24), "{figure:?}\n{text}");
        }
    }
    // Rasterising is slow in a debug build, so every ninth figure has to do.
    for figure in hard().iter().step_by(9) {
        assert!(figure.to_png().is_ok(), "{figure:?}");
    }
}

#[test]
fn svg_of_every_sample_is_well_formed_small_and_always_the_same() {
    for (name, figure) in samples::all() {
        let svg = figure.to_svg();
        assert_well_formed(&svg);
        assert_eq!(svg, figure.to_svg());
        assert!(svg.len() < 40_000, "{name}: {} bytes", svg.len());
    }
}

#[test]
fn a_million_points_give_a_small_file_that_still_shows_the_spike() {
    let n = 1_000_000;
    let t: Vec<f64> = (0..n).map(|k| k as f64 / n as f64).collect();
    let mut y: Vec<f64> = t.iter().map(|t| (5000.0 * t).sin()).collect();
    y[654_321] = 10.0;
    let figure = one_series(t, y, Style::Line);
    let svg = figure.to_svg();
    assert!(svg.len() < 60_000, "{} bytes", svg.len());
    let highest = figure
        .scene()
        .items
        .iter()
        .filter_map(|item| match item {
            Primitive::Stroke { paths, paint, .. } if paint.rgb == [0, 114, 178] => Some(paths.clone()),
            _ => None,
        })
        .flatten()
        .flatten()
        .filter(|point| (point.x - (50.0 + 0.654 * 730.0)).abs() < 20.0)
        .map(|point| point.y)
        .fold(f64::INFINITY, f64::min);
    assert!(highest < 80.0, "{highest}");
}

#[test]
fn png_has_twice_the_size_and_colour_where_the_curve_is() {
    let mut figure = one_series(vec![0.0, 1.0], vec![0.0, 1.0], Style::Line);
    (figure.width, figure.height) = (400.0, 300.0);
    let scene = figure.scene();
    let clip =
        scene.items.iter().find_map(|item| if let Primitive::Clip(Some(rect)) = item { Some(*rect) } else { None });
    let rect = clip.expect("a panel clips its curves");
    let bytes = figure.to_png().unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (800, 600));
    let pixel = |x: f64, y: f64| {
        let start = ((2.0 * y) as usize * 800 + (2.0 * x) as usize) * 3;
        [pixels[start], pixels[start + 1], pixels[start + 2]]
    };
    // The diagonal goes through the middle of the panel; a corner of the page is empty.
    assert_eq!(pixel(rect.left + rect.width / 2.0, rect.top + rect.height / 2.0), [0, 114, 178]);
    assert_eq!(pixel(1.0, 1.0), [255, 255, 255]);
}

#[test]
fn an_image_that_cannot_be_held_is_an_error_that_says_what_to_do() {
    let mut figure = Figure::new("");
    (figure.width, figure.height) = (1e9, 1e9);
    let error = figure.to_png().unwrap_err();
    assert!(error.to_string().contains("SVG"), "{error}");
}

/// Tags nest and close, attributes are quoted, and no bare `<` or `&` stands in text.
fn assert_well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        let text = &rest[..start];
        for entity in text.split('&').skip(1) {
            let known = ["amp;", "lt;", "gt;"];
            assert!(known.iter().any(|name| entity.starts_with(name)), "bare & in {text}");
        }
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "control character in {text:?}");
        let end = start + rest[start..].find('>').expect("every tag ends");
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "closing tag without its opening one");
            continue;
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "quotes of <{tag}>");
        assert!(!tag.contains('<'), "<{tag}>");
        if !tag.ends_with('/') {
            open.push(tag.split(' ').next().expect("a tag has a name"));
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} left open");
}

/// Five panels in two columns: rows have one height, columns one width, and nothing overlaps.
#[test]
fn panels_stand_beside_each_other_in_columns() {
    let mut figure = Figure::new("columns");
    figure.columns = 2;
    for k in 0..5 {
        let mut panel = Panel::new("t", &format!("y{k}"));
        panel.title = format!("panel {k}");
        panel.add("a", vec![0.0, 1.0], vec![0.0, 10f64.powi(k)], Style::Line);
        panel.add("b", vec![0.0, 1.0], vec![1.0, 0.0], Style::Line);
        figure.panels.push(panel);
    }
    for shared in [true, false] {
        figure.shared_x = shared;
        let scene = figure.scene();
        let rects: Vec<Rect> = scene
            .items
            .iter()
            .filter_map(|item| if let Primitive::Clip(Some(rect)) = item { Some(*rect) } else { None })
            .collect();
        assert_eq!(rects.len(), 5);
        for row in [(0, 1), (2, 3)] {
            assert_eq!((rects[row.0].top, rects[row.0].height), (rects[row.1].top, rects[row.1].height));
            assert!(rects[row.0].right() < rects[row.1].left && rects[row.1].right() < scene.width);
        }
        for column in [(0, 2), (2, 4), (1, 3)] {
            assert_eq!((rects[column.0].left, rects[column.0].width), (rects[column.1].left, rects[column.1].width));
            assert!(rects[column.0].bottom() < rects[column.1].top && rects[column.1].bottom() < scene.height);
        }
        let titles =
            scene.items.iter().filter(|item| matches!(item, Primitive::Text(text) if text.text.starts_with("panel")));
        assert_eq!(titles.count(), 5);
    }
}
