//! What a run becomes as a figure, and where it ends when it is interrupted.

use ordinate::{
    CompileOptions, Compiled, Figure, Memory, PlotOptions, RowError, RowSink, RowTimes, Run, RunOptions, Source,
    compile, figure, shown, simulate,
};
use ordinate_plot::{Panel, Scale, Style};

fn run(text: &str, rows: RowTimes) -> (Compiled, Run, Memory) {
    let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes");
    let mut memory = Memory::default();
    let options = RunOptions { rows, ..RunOptions::default() };
    let run = simulate(&compiled, &options, &mut memory).expect("a run that begins");
    (compiled, run, memory)
}

fn picture(text: &str, options: &PlotOptions) -> Figure {
    let (compiled, run, memory) = run(text, RowTimes::Even(501));
    figure(&compiled, &run, &memory, options).expect("known names")
}

fn styles(panel: &Panel) -> Vec<Style> {
    panel.series.iter().map(|series| series.style).collect()
}

const BALL: &str = "param g = 9.81 [m/s^2]
h'' = -g
n' = 0
when h < 0: h' = -0.8*h', n = n + 1
init h = 1 [m], h' = 0 [m/s], n = 0
run 0 .. 2";

/// Half of Robertson's steps lie in the first fifth of a second of forty: the picture shows the decades before, where yB
/// rises. A circle has no such beginning, and z, which is solved for, is a curve like a state.
#[test]
fn a_fast_beginning_gets_an_axis_of_decades() {
    let text = "a' = -0.04*a + 1e4*b*c; b' = 0.04*a - 1e4*b*c - 3e7*b^2; c' = 3e7*b^2
                init a = 1, b = 0, c = 0; run 0 .. 40";
    let jacobian = CompileOptions { jacobian: true, ..CompileOptions::default() };
    let compiled = compile(&Source::text(text), &jacobian).expect("a model without mistakes");
    let mut even = Memory::default();
    let options = RunOptions::default();
    let run = simulate(&compiled, &options, &mut even).expect("a run that begins");
    let (finer, decades) = shown(&options, &run, &even, true).expect("a fast beginning");
    let mut rows = Memory::default();
    let finer = simulate(&compiled, &finer, &mut rows).expect("a run that begins");
    assert!(decades && shown(&options, &run, &even, false).is_none_or(|(_, decades)| !decades));
    let wish = PlotOptions { decades: true, ..PlotOptions::default() };
    let figure = figure(&compiled, &finer, &rows, &wish).expect("known names");
    let (from, to) = figure.panels[0].x.range.expect("a range");
    assert!(from <= 1e-3 && to == 40.0 && figure.panels.iter().all(|panel| panel.x.scale == Scale::Log));
    assert!(figure.panels.iter().all(|panel| panel.series.iter().all(|series| series.x[0] == from)));
    let b = rows.column("b").expect("a state");
    assert!(b[0] < 2e-5 && b.iter().any(|b| *b > 3.6e-5), "it rises: {}", b[0]);
    let circle = "x'' = -x; init x = 1, x' = 0; run 0 .. 10";
    let (_, run, memory) = self::run(circle, RowTimes::Even(501));
    assert!(shown(&options, &run, &memory, true).is_none());
    let implicit = compile(&Source::text("x' = -z; 0 = z^3 + z - x; init x = 1; run 0 .. 1"), &jacobian);
    let implicit = implicit.expect("a model without mistakes");
    let mut memory = Memory::default();
    let run = simulate(&implicit, &options, &mut memory).expect("a run that begins");
    let shown = ordinate::figure(&implicit, &run, &memory, &PlotOptions::default()).expect("known names");
    let names: Vec<&str> = shown.panels[0].series.iter().map(|series| series.label.as_str()).collect();
    assert_eq!(names, ["x", "z"]);
}

#[test]
fn each_unit_has_its_panel_and_counts_are_stairs() {
    let figure = picture(BALL, &PlotOptions::default());
    let labels: Vec<&str> = figure.panels.iter().map(|panel| panel.y.label.as_str()).collect();
    assert_eq!(labels, ["h [m]", "h' [m/s]", "n", "error", "ORD", "step [s]"]);
    assert_eq!(styles(&figure.panels[1]), [Style::Line]);
    assert_eq!(styles(&figure.panels[2]), [Style::Steps]);
    assert!(figure.panels.iter().all(|panel| panel.x.label == "t [s]"));
}

#[test]
fn what_is_sampled_or_made_of_branches_is_held() {
    let text = "x' = -x + u; every 0.1: u = 1 - x
side = if x > 0.3 then 2 else 5; twice = 2*x; init x = 0, u = 0; run 0 .. 1";
    let variables = ["x", "u", "side", "twice"].map(String::from).to_vec();
    let figure = picture(text, &PlotOptions { variables, ..PlotOptions::default() });
    assert_eq!(styles(&figure.panels[0]), [Style::Line, Style::Steps, Style::Steps, Style::Line]);
}

/// Samples every 0.3, rows every 0.25: what is held jumps at the samples, not at the rows after them.
#[test]
fn what_is_sampled_jumps_at_the_samples() {
    let text = "n' = 0; x' = n; every 0.3: n = n + 1
init x = 0, n = 0; run 0 .. 2";
    let (compiled, run, rows) = run(text, RowTimes::Every(0.25));
    let options = PlotOptions { variables: vec!["n".into()], ..PlotOptions::default() };
    let figure = figure(&compiled, &run, &rows, &options).expect("known names");
    let series = &figure.panels[0].series[0];
    assert_eq!((series.style, series.x.len()), (Style::Steps, series.y.len()));
    let at = |t: f64| series.x.iter().rposition(|x| *x <= t).map(|k| series.y[k]);
    for k in 1..6 {
        let sample = 0.3 * f64::from(k);
        assert_eq!(
            (at(sample - 1e-9), at(sample + 1e-9)),
            (Some(f64::from(k)), Some(f64::from(k + 1))),
            "{:?}",
            series.x
        );
    }
    assert_eq!(series.x.last(), Some(&2.0));
}

#[test]
fn a_pole_does_not_press_the_solution_flat() {
    let figure = picture("y' = y^2; y(0) = 1; run 0 .. 2", &PlotOptions::default());
    let (lo, hi) = figure.panels[0].y.range.expect("the axis is cut");
    assert!(lo < 1.0 && (20.0..200.0).contains(&hi), "{lo} {hi}");
    assert!(figure.title.contains("cut"), "{}", figure.title);
    let tame = picture("y' = 10*y; y(0) = 1; run 0 .. 2", &PlotOptions::default());
    assert_eq!(tame.panels[0].y.range, None, "growth that reaches its end is shown in full");
}

#[test]
fn jumps_of_a_phase_plane_are_apart_from_its_motion() {
    let phase = Some(("h".to_string(), "h'".to_string()));
    let figure = picture(BALL, &PlotOptions { phase, ..PlotOptions::default() });
    let panel = &figure.panels[0];
    assert_eq!(styles(panel), [Style::Curve, Style::Jumps]);
    let breaks = panel.series[0].x.iter().filter(|x| x.is_nan()).count();
    assert_eq!((breaks, panel.series[1].x.len()), (3, 9), "three bounces in two seconds");
}

#[test]
fn few_rows_asked_for_are_marked() {
    let text = "y' = -y; y(0) = 1; run 0 .. 2";
    let (compiled, result, memory) = run(text, RowTimes::At(vec!["0".into(), "1".into(), "2".into()]));
    let options = PlotOptions { points: true, ..PlotOptions::default() };
    let figure = figure(&compiled, &result, &memory, &options).expect("known names");
    assert_eq!(styles(&figure.panels[0]), [Style::Markers]);
}

#[test]
fn an_order_that_never_changes_is_left_out_of_a_terminal() {
    let labels = |terminal| {
        let options = PlotOptions { terminal, ..PlotOptions::default() };
        let figure = picture("y' = -y; y(0) = 1; run 0 .. 2", &options);
        figure.panels.iter().map(|panel| panel.y.label.clone()).collect::<Vec<_>>()
    };
    assert_eq!(labels(false), ["y", "error", "ORD", "step"]);
    assert_eq!(labels(true), ["y", "step"]);
}

/// Asks for the end once a time is passed, and remembers the last row.
struct Impatient {
    until: f64,
    last: f64,
}

impl RowSink for Impatient {
    fn row(&mut self, values: &[f64]) -> Result<(), RowError> {
        self.last = values[0];
        Ok(())
    }

    fn keep_going(&mut self, t: f64) -> bool {
        t < self.until
    }
}

#[test]
fn an_interrupted_run_ends_with_the_row_where_it_got_to() {
    let text = "x'' = -x; init x = 1, x' = 0; run 0 .. 1000";
    let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes");
    let mut sink = Impatient { until: 300.0, last: 0.0 };
    let options = RunOptions { rows: RowTimes::Every(100.0), ..RunOptions::default() };
    let run = simulate(&compiled, &options, &mut sink).expect("a run that begins");
    assert!(run.outcome.t_reached > 300.0 && run.outcome.t_reached < 999.0, "{}", run.outcome.t_reached);
    assert_eq!(sink.last, run.outcome.t_reached);
    assert_eq!(run.reason.expect("it ended early").kind, "interrupted");
}

/// The search looks at several solutions before it writes one; whoever ends it must not wait for all of them.
#[test]
fn a_search_for_digits_ends_when_it_is_asked_to() {
    struct Counting(u32);
    impl RowSink for Counting {
        fn row(&mut self, _values: &[f64]) -> Result<(), RowError> {
            Ok(())
        }
        fn keep_going(&mut self, _t: f64) -> bool {
            self.0 += 1;
            self.0 < 3
        }
    }
    let text = "x'' = -sin(x); init x = 1, x' = 0; run 0 .. 1000";
    let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes");
    let mut sink = Counting(0);
    let options = RunOptions { digits: Some(30), ..RunOptions::default() };
    let run = simulate(&compiled, &options, &mut sink).expect("a run that begins");
    assert_eq!(run.reason.expect("it ended early").kind, "interrupted");
    assert!(sink.0 < 10, "it was asked {} times", sink.0);
    assert!(run.digits.is_none());
}

/// The unit as it was written, and with the seconds of a derivative where only the quantity has one.
#[test]
fn units_are_shown_as_they_were_written() {
    let text = "phi'' = -phi\ni' = -i\ninit phi = 1 [rad], phi' = 0, i = 2 [A]\nrun 0 .. 1";
    let labels = |name: &str| {
        let options = PlotOptions { variables: vec![name.into()], ..PlotOptions::default() };
        picture(text, &options).panels[0].y.label.clone()
    };
    assert_eq!(["phi", "phi'", "i"].map(labels), ["phi [rad]", "phi' [rad/s]", "i [A]"]);
}
