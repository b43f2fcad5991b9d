//! What rounding costs where terms cancel: it is told as a part of the error, of states and of what is computed from them.

use ordinate::{CompileOptions, ErrorWish, Memory, Run, RunOptions, Source, compile, simulate};

fn run(text: &str, method: &str, rtol: f64, t_end: &str) -> (Run, Memory) {
    let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes");
    let options = RunOptions {
        method: method.into(),
        rtol,
        atol: 1e-3 * rtol,
        t_end: Some(t_end.into()),
        error: ErrorWish::Estimate { columns: false, correct: false },
        ..RunOptions::default()
    };
    let mut rows = Memory::default();
    let run = simulate(&compiled, &options, &mut rows).expect("it can begin");
    (run, rows)
}

/// The estimate of a column, and its largest distance from what `exact` says of a row, whose values it finds by name.
fn told_and_true(run: &Run, rows: &Memory, name: &str, exact: impl Fn(&dyn Fn(&str) -> f64) -> f64) -> (f64, f64) {
    let place = |name: &str| rows.names.iter().position(|column| column == name).expect("a column");
    let error = run.error.as_ref().expect("an estimate");
    let largest = |row: usize| (rows.columns[place(name)][row] - exact(&|name| rows.columns[place(name)][row])).abs();
    let truth = (0..rows.columns[0].len()).map(largest).fold(0.0, f64::max);
    (error.largest[place(name) - 1], truth)
}

/// Two tiny conductances in series with a large one: a = (v + x)/(2 + G), and i = G a is what is left of v − (a − b).
#[test]
fn a_block_of_equations_that_is_ill_conditioned_tells_what_that_costs() {
    const G: f64 = 1e-12;
    let text = "param G = 1e-12; v = sin(300*t); i = v - (a - b); i = G*a; -i = G*(b - x); x' = -x + a; init x = 1";
    for method in ["auto", "taylor", "radau", "bdf", "dp8"] {
        let (run, rows) = run(text, method, 1e-6, "0.01");
        let a = |of: &dyn Fn(&str) -> f64| ((300.0 * of("time")).sin() + of("x")) / (2.0 + G);
        for (name, (told, truth)) in
            [("a", told_and_true(&run, &rows, "a", a)), ("i", told_and_true(&run, &rows, "i", |of| G * a(of)))]
        {
            assert!(truth > 1e-5 && (0.2..50.0).contains(&(told / truth)), "{method}, {name}: {told:e} for {truth:e}");
        }
    }
}

/// w = t², and x = t has no error that would let another run round otherwise.
#[test]
fn a_formula_whose_terms_cancel_tells_what_that_costs() {
    let text = "x' = 1; w = (1000 + x)^2 - 1000000 - 2000*x; init x = 0";
    for method in ["taylor", "dp8", "radau"] {
        let (run, rows) = run(text, method, 1e-12, "1");
        let (told, truth) = told_and_true(&run, &rows, "w", |of| of("time").powi(2));
        assert!(truth > 1e-10 && (0.2..20.0).contains(&(told / truth)), "{method}: {told:e} for {truth:e}");
    }
}

/// The same in f itself: x′ = −x, told as a difference of large terms.
#[test]
fn an_equation_whose_terms_cancel_tells_what_that_costs() {
    let text = "x' = 1000000 + 1998*x + x^2 - (1000 + x)^2 + x; init x = 1";
    for method in ["taylor", "dp8", "radau"] {
        let (run, rows) = run(text, method, 1e-13, "2");
        let (told, truth) = told_and_true(&run, &rows, "x", |of| (-of("time")).exp());
        assert!(truth > 1e-13 && (0.2..50.0).contains(&(told / truth)), "{method}: {told:e} for {truth:e}");
    }
}
