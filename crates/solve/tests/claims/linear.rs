//! Linear systems: the Taylor method of their own against closed solutions.

use ordinate_solve::{
    AbsoluteTolerance, Input, Layout, LinearForm, LinearTaylor, Linearity, Method, Options, Outcome, Point, Propagator,
    PropagatorError, Reason, Rows, Sampled, SparseRows, Start, Status, System, Tolerance, solve,
};
use serde_json::Value;

use crate::problems::{Table, circle};

/// A system given by its linear form.
struct Linear {
    layout: Layout,
    form: LinearForm,
}

impl Linear {
    fn new(form: LinearForm) -> Linear {
        Linear { layout: Layout { states: form.states(), ..Layout::default() }, form }
    }

    fn of(rows: &[&[(u32, f64)]], constant: &[f64]) -> Linear {
        let mut matrix = SparseRows::new();
        rows.iter().for_each(|row| matrix.push(row.iter().copied()));
        Linear::new(LinearForm::autonomous(matrix, constant.to_vec()))
    }
}

impl System for Linear {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn derivative(&mut self, t: f64, y: &[f64], _d: &[f64], dy: &mut [f64]) {
        let n = y.len();
        let mut hidden = vec![0.0; self.form.inputs.len()];
        self.form.hidden(t, &mut hidden);
        for (i, dy) in dy.iter_mut().enumerate() {
            let element = |j: usize| if j < n { y[j] } else { hidden[j - n] };
            *dy = self.form.constant[i] + self.form.matrix.row(i).map(|(j, a)| a * element(j)).sum::<f64>();
        }
    }

    fn linear(&mut self, _t: f64, _d: &[f64]) -> Option<LinearForm> {
        Some(self.form.clone())
    }
}

fn options(tolerance: f64) -> Options {
    Options { rtol: tolerance, atol: AbsoluteTolerance::Same(tolerance), ..Options::default() }
}

/// The outcome and the rows of a run from 0.
fn run(system: &mut Linear, y: &[f64], t_end: f64, options: &Options) -> (Outcome, Table) {
    let mut rows = Table::default();
    let mut method = match options.step {
        None => LinearTaylor::new(y.len()),
        Some(_) => LinearTaylor::with_given_steps(y.len()),
    };
    let start = Start { t: 0.0, y, held: &[], ..Start::default() };
    let outcome = solve(system, &mut method, &start, t_end, options, &mut rows).expect("a run that can begin");
    (outcome, rows)
}

fn end(system: &mut Linear, y: &[f64], t_end: f64, options: &Options) -> Vec<f64> {
    let (outcome, _) = run(system, y, t_end, options);
    assert_eq!(outcome.status, Status::Ok, "{:?}", outcome.reason);
    outcome.y
}

fn oscillator(omega: f64) -> Linear {
    Linear::of(&[&[(1, omega)], &[(0, -omega)]], &[0.0, 0.0])
}

/// A line of S segments whose neighbours alone act on each other: u′ = (i − i₊)/C, i′ = (u₋ − u)/L, by turns or in blocks.
fn line(segments: usize, blocks: bool) -> Linear {
    let (c, l, r) = (1e-12, 1e-8, 100.0);
    let u = |k: usize| if blocks { k as u32 } else { 2 * k as u32 + 1 };
    let i = |k: usize| if blocks { (segments + k) as u32 } else { 2 * k as u32 };
    let input = 2 * segments as u32;
    let mut rows: Vec<Vec<(u32, f64)>> = vec![Vec::new(); 2 * segments];
    for k in 0..segments {
        rows[i(k) as usize] = match k {
            0 => vec![(i(0), -r / l), (u(0), -1.0 / l), (input, 1.0 / l)],
            _ => vec![(u(k - 1), 1.0 / l), (u(k), -1.0 / l)],
        };
        rows[u(k) as usize] = match k {
            _ if k + 1 == segments => vec![(i(k), 1.0 / c), (u(k), -1.0 / (r * c))],
            _ => vec![(i(k), 1.0 / c), (i(k + 1), -1.0 / c)],
        };
    }
    let mut matrix = SparseRows::new();
    for row in &mut rows {
        row.sort_by_key(|&(column, _)| column);
        matrix.push(row.iter().copied());
    }
    matrix.push([(input + 1, 3e9)]);
    matrix.push([(input, -3e9)]);
    let wave = |sine| Input { power: 0, rate: 0.0, frequency: 3e9, sine };
    let constant = vec![0.0; 2 * segments];
    Linear::new(LinearForm { matrix, constant, inputs: vec![wave(true), wave(false)], origin: 0.0 })
}

#[test]
fn the_tolerance_is_kept_at_every_tolerance() {
    for tolerance in [1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 1e-13] {
        let options = options(tolerance);
        let decay = end(&mut Linear::of(&[&[(0, -1.0)]], &[0.0]), &[1.0], 20.0, &options);
        assert!((decay[0] - (-20f64).exp()).abs() <= 10.0 * tolerance, "decay {tolerance}: {decay:?}");
        for omega in [1.0, 100.0] {
            let (outcome, _) = run(&mut oscillator(omega), &[0.0, 1.0], 50.0, &options);
            let (sine, cosine) = (50.0 * omega).sin_cos();
            let error = (outcome.y[0] - sine).abs().max((outcome.y[1] - cosine).abs());
            let allowed = tolerance * outcome.statistics.steps as f64 + 1e-13 * omega;
            assert!(error <= allowed, "circle {omega} {tolerance}: {error} {allowed}");
        }
    }
}

/// More than a thousand equal steps, most of them by the precalculated matrix.
#[test]
fn long_oscillations_keep_all_but_the_last_digits() {
    let end = end(&mut oscillator(100.0), &[0.0, 1.0], 200.0, &options(1e-12));
    let (sine, cosine) = 20_000f64.sin_cos();
    assert!((end[0] - sine).abs() < 2e-11 && (end[1] - cosine).abs() < 2e-11, "{end:?}");
    let energy = end[0].hypot(end[1]);
    assert!((energy - 1.0).abs() < 1e-12, "{energy}");
}

#[test]
fn a_zero_matrix_and_chains_of_integrators_are_solved_exactly_in_one_step() {
    let (still, _) = run(&mut Linear::of(&[&[], &[]], &[0.0, 0.0]), &[1.0, 2.0], 1e6, &options(1e-6));
    assert_eq!((still.y, still.statistics.steps), (vec![1.0, 2.0], 1));
    // y″ = −1 from rest, then three integrators behind each other
    let (fall, _) = run(&mut Linear::of(&[&[(1, 1.0)], &[]], &[0.0, -1.0]), &[8.0, 0.0], 4.0, &options(1e-6));
    assert_eq!((fall.y, fall.statistics.steps), (vec![0.0, -4.0], 1));
    let chain = Linear::of(&[&[], &[(0, 1.0)], &[(1, 1.0)]], &[6.0, 0.0, 0.0]);
    let (chain, _) = run(&mut { chain }, &[0.0; 3], 2.0, &options(1e-6));
    assert_eq!((chain.y, chain.statistics.steps), (vec![12.0, 12.0, 8.0], 1));
}

#[test]
fn huge_and_tiny_rates_and_states_make_no_difference() {
    for scale in [1e-200, 1e200] {
        let end = end(&mut Linear::of(&[&[(0, -scale)]], &[0.0]), &[1.0], 20.0 / scale, &options(1e-10));
        assert!((end[0] - (-20f64).exp()).abs() < 1e-9, "rate {scale}: {end:?}");
        let tolerance = Options { atol: AbsoluteTolerance::Same(1e-10 * scale), ..options(1e-10) };
        let mut system = oscillator(1.0);
        let (outcome, _) = run(&mut system, &[0.0, scale], 10.0, &tolerance);
        assert!((outcome.y[0] / scale - 10f64.sin()).abs() < 1e-8, "size {scale}: {:?}", outcome.y);
    }
}

/// Volts beside picoamperes: u′ = i/C, i′ = −u/L with amplitudes 1 and 1e-12, each held to its own tolerance.
#[test]
fn components_far_apart_are_held_to_their_own_tolerances() {
    let mut system = Linear::of(&[&[(1, 1e12)], &[(0, -1e-12)]], &[0.0, 0.0]);
    let each = Options { rtol: 1e-10, atol: AbsoluteTolerance::Each(vec![1e-10, 1e-22]), ..options(1e-10) };
    let end = end(&mut system, &[1.0, 0.0], 30.0, &each);
    assert!((end[0] - 30f64.cos()).abs() < 1e-8, "{end:?}");
    assert!((end[1] + 1e-12 * 30f64.sin()).abs() < 1e-20, "{end:?}");
}

/// y′ = −y + t², y = t² − 2t + 2 − 2 e^(−t); and y′ = −y + e^(−t) sin 5t.
#[test]
fn inputs_are_generated_by_equations_of_their_own() {
    let input = |power, rate, frequency, sine| Input { power, rate, frequency, sine };
    let mut matrix = SparseRows::new();
    matrix.push([(0, -1.0), (1, 1.0)]);
    matrix.push([(2, 2.0)]);
    matrix.push([(3, 1.0)]);
    matrix.push([]);
    let inputs = (0..3).rev().map(|power| input(power, 0.0, 0.0, false)).collect();
    let form = LinearForm { matrix, constant: vec![0.0], inputs, origin: 0.0 };
    let t: f64 = 30.0;
    let found = end(&mut Linear::new(form), &[0.0], t, &options(1e-10))[0];
    let exact = t * t - 2.0 * t + 2.0 - 2.0 * (-t).exp();
    assert!((found - exact).abs() < 1e-8 * exact, "{found} {exact}");

    let mut matrix = SparseRows::new();
    matrix.push([(0, -1.0), (1, 1.0)]);
    matrix.push([(1, -1.0), (2, 5.0)]);
    matrix.push([(1, -5.0), (2, -1.0)]);
    let inputs = vec![input(0, -1.0, 5.0, true), input(0, -1.0, 5.0, false)];
    let form = LinearForm { matrix, constant: vec![0.0], inputs, origin: 0.0 };
    let found = end(&mut Linear::new(form), &[0.0], 3.0, &options(1e-11))[0];
    let exact = (-3f64).exp() * (1.0 - 15f64.cos()) / 5.0;
    assert!((found - exact).abs() < 1e-10, "{found} {exact}");
}

#[test]
fn rows_inside_of_steps_are_as_good_as_ends() {
    let options = Options { rows: Rows::Even(97), ..options(1e-10) };
    let (outcome, rows) = run(&mut oscillator(1.0), &[0.0, 1.0], 50.0, &options);
    assert!(outcome.statistics.steps < 10, "steps are long: {}", outcome.statistics.steps);
    assert_eq!(rows.t.len(), 97);
    for (t, y) in rows.t.iter().zip(&rows.y) {
        assert!((y[0] - t.sin()).abs() < 1e-8 && (y[1] - t.cos()).abs() < 1e-8, "{t}: {y:?}");
    }
}

/// The line of the thesis, 4.4, in the loops for many rows of one pattern and in those for any rows; in blocks of voltages
/// and currents it must be put in order first.
#[test]
fn a_long_line_is_the_same_by_turns_and_in_blocks() {
    let (segments, t_end) = (800, 300e-10);
    let mut options = options(1e-11);
    options.rows = Rows::Even(5);
    let (turns, turns_rows) = run(&mut line(segments, false), &vec![0.0; 2 * segments], t_end, &options);
    let (blocks, blocks_rows) = run(&mut line(segments, true), &vec![0.0; 2 * segments], t_end, &options);
    let mut largest = 0.0f64;
    for k in 0..segments {
        largest = largest.max(turns.y[2 * k + 1].abs());
        assert!((turns.y[2 * k + 1] - blocks.y[k]).abs() < 1e-10, "u[{k}]");
        assert!((turns.y[2 * k] - blocks.y[segments + k]).abs() < 1e-12, "i[{k}]");
    }
    assert!((0.4..0.7).contains(&largest), "half of the input travels along a matched line: {largest}");
    for (a, b) in turns_rows.y.iter().zip(&blocks_rows.y) {
        assert!((0..segments).all(|k| (a[2 * k + 1] - b[k]).abs() < 1e-10));
    }
    // The same by steps of given length, which compute terms instead of sums.
    let given = Options { step: Some(1e-10), atol: AbsoluteTolerance::Same(1e-13), ..options };
    let (given, _) = run(&mut line(segments, false), &vec![0.0; 2 * segments], t_end, &given);
    assert!((0..2 * segments).all(|k| (given.y[k] - turns.y[k]).abs() < 1e-10));
}

fn golden(file: &str) -> Vec<Value> {
    let path = format!("{}/../../tests/golden/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the reference data");
    let data: Value = serde_json::from_str(&text).expect("valid data");
    data["cases"].as_array().expect("cases").clone()
}

#[test]
fn the_order_of_given_steps_is_that_of_the_rule_of_three_small_terms() {
    let cases = golden("onestep.json");
    let case = cases.iter().find(|case| case["id"] == "ord-counts").expect("the case");
    let number = |value: &Value| value.as_str().expect("a number").parse::<f64>().expect("a number");
    for row in case["rows"].as_array().expect("rows") {
        let (h, amplitude, tolerance) = (number(&row["lambda_h"]), number(&row["amplitude"]), number(&row["TOL"]));
        let options = Options { step: Some(h), atol: AbsoluteTolerance::Same(tolerance), ..options(1e-3) };
        let (grows, _) = run(&mut Linear::of(&[&[(0, 1.0)]], &[0.0]), &[amplitude], h, &options);
        assert_eq!(u64::from(grows.statistics.order_max), row["ORD"].as_u64().expect("an order"), "{row}");
        assert_eq!(grows.statistics.steps, 1);
    }
}

/// h·λ = 100 needs far more than 64 terms: the step is halved inside, and its rows are still good.
#[test]
fn a_given_step_that_is_too_long_is_halved_inside() {
    let options =
        Options { step: Some(1.0), atol: AbsoluteTolerance::Same(1e-12), rows: Rows::Even(41), ..options(1e-12) };
    let (outcome, rows) = run(&mut oscillator(100.0), &[0.0, 1.0], 2.0, &options);
    assert_eq!(outcome.statistics.steps, 2);
    assert!(outcome.statistics.order_max <= 64);
    for (t, y) in rows.t.iter().zip(&rows.y) {
        assert!((y[0] - (100.0 * t).sin()).abs() < 1e-8, "{t}: {y:?}");
    }
}

/// y′ = u − y, where an action at every 0.5 sets u to 1, then to −1, …: b changes, the matrix does not.
struct Switched {
    layout: Layout,
    linear: Linear,
}

impl System for Switched {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn derivative(&mut self, _t: f64, y: &[f64], d: &[f64], dy: &mut [f64]) {
        dy[0] = d[0] - y[0];
    }

    fn act(&mut self, _action: usize, _t: f64, _y: &[f64], d: &[f64], _new_y: &mut [f64], new_d: &mut [f64]) {
        new_d[0] = -d[0];
    }

    fn linear(&mut self, _t: f64, d: &[f64]) -> Option<LinearForm> {
        self.linear.form.constant[0] = d[0];
        Some(self.linear.form.clone())
    }
}

#[test]
fn an_event_that_changes_the_constants_is_followed() {
    let sampled = vec![Sampled { period: 0.5, action: 0 }];
    let layout = Layout { states: 1, held: 1, sampled, ..Layout::default() };
    let mut system = Switched { layout, linear: Linear::of(&[&[(0, -1.0)]], &[0.0]) };
    let mut method = LinearTaylor::new(1);
    let start = Start { t: 0.0, y: &[0.0], held: &[-1.0], ..Start::default() };
    let outcome = solve(&mut system, &mut method, &start, 50.0, &options(1e-12), &mut Table::default()).expect("a run");
    let mut exact = 0.0;
    for k in 0..100 {
        let u = if k % 2 == 0 { 1.0 } else { -1.0 };
        exact = u + (exact - u) * (-0.5f64).exp();
    }
    assert_eq!(outcome.status, Status::Ok);
    assert!((outcome.y[0] - exact).abs() < 1e-11, "{} {exact}", outcome.y[0]);
}

#[test]
fn growth_beyond_all_numbers_ends_with_its_place() {
    let (outcome, _) =
        run(&mut Linear::of(&[&[(0, 0.0)], &[(1, 100.0)]], &[0.0; 2]), &[0.0, 1.0], 10.0, &options(1e-6));
    assert!(outcome.t_reached > 6.9 && outcome.t_reached < 7.2, "e^(100 t) leaves the numbers at 7.1: {outcome:?}");
    assert!(matches!(outcome.reason, Some(Reason::NotFinite { component: 1, .. })), "{:?}", outcome.reason);
}

#[test]
fn a_system_that_gives_no_linear_form_is_left_to_others() {
    let mut method = LinearTaylor::new(2);
    let tolerance = Tolerance { rtol: 1e-6, atol: vec![1e-6; 2] };
    let from = Point { t: 0.0, y: &[0.0, 1.0], d: &[], f: None };
    assert_eq!(method.begin_at(&mut circle(), &from, &tolerance), Linearity::NotRecognised);
    assert_eq!(method.begin_at(&mut oscillator(1.0), &from, &tolerance), Linearity::Linear);
    method.restart();
    assert_eq!(method.begin_at(&mut circle(), &from, &tolerance), Linearity::NotRecognised);
}

/// An input held over each step is a state that does not change: the delay of Padé of the thesis, 4.2.3.
#[test]
fn precalculated_steps_with_a_held_input_are_those_of_the_reference_data() {
    let cases = golden("pade_external.json");
    let c = [30240.0, 15120.0, 3360.0, 420.0, 30.0];
    let (n, delay) = (5, std::f64::consts::FRAC_PI_2);
    let (mut matrix, h) = (SparseRows::new(), std::f64::consts::TAU / 100.0);
    let a: Vec<f64> = (0..n).map(|k| c[k] / delay.powi((n - k) as i32)).collect();
    for (k, &a) in a.iter().enumerate() {
        // v₍ₖ₊₁₎′ = bₖ z − aₖ (b_n z + v_n) + vₖ with bₖ = (−1)ᵏ aₖ, b_n = −1
        let of_z = if k % 2 == 0 { a } else { -a } + a;
        let mut row: Vec<(u32, f64)> = Vec::new();
        if k > 0 {
            row.push((k as u32 - 1, 1.0));
        }
        match row.iter_mut().find(|(column, _)| *column == n as u32 - 1) {
            Some((_, value)) => *value -= a,
            None => row.push((n as u32 - 1, -a)),
        }
        row.push((n as u32, of_z));
        matrix.push(row);
    }
    matrix.push([]);
    let form = LinearForm::autonomous(matrix, vec![0.0; n + 1]);
    let propagator = Propagator::accurate(&form, h).expect("a short step");
    for case in cases.iter().filter(|case| case["family"] == "pade") {
        let ahead = if case["params"]["hold"] == "end" { 1.0 } else { 0.0 };
        let (mut y, mut next) = (vec![0.0; n + 1], vec![0.0; n + 1]);
        let mut found = Vec::new();
        for step in 0..100 {
            y[n] = ((step as f64 + ahead) * h).sin();
            propagator.step(step as f64 * h, &y, &mut next);
            std::mem::swap(&mut y, &mut next);
            found.push(-((step + 1) as f64 * h).sin() + y[n - 1]);
        }
        for row in case["rows"].as_array().expect("rows") {
            let (step, expected) =
                (row["step"].as_u64().expect("a step") as usize, row["y"].as_f64().expect("a number"));
            assert!(
                (found[step - 1] - expected).abs() < 1e-11,
                "{} {step}: {} {expected}",
                case["id"],
                found[step - 1]
            );
        }
    }
    assert_eq!(cases.iter().filter(|case| case["family"] == "pade").count(), 2);
}

#[test]
fn precalculated_matrices_do_not_depend_on_the_number_of_threads() {
    let form = line(100, false).form;
    let results: Vec<(Propagator, Vec<f64>)> = [1, 2, 3, 7]
        .into_iter()
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| {
                let propagator = Propagator::accurate(&form, 1e-10).expect("a short step");
                let mut y = vec![0.0; 200];
                propagator.run(0.0, &mut y, 150, |_, _| {});
                (propagator, y)
            })
        })
        .collect();
    assert!(results.iter().all(|other| *other == results[0]), "the same bits");
    let exact = end(&mut line(100, false), &vec![0.0; 200], 150e-10, &options(1e-12));
    assert!(results[0].1.iter().zip(&exact).all(|(a, b)| (a - b).abs() < 1e-10));
}

#[test]
fn a_propagator_that_cannot_be_is_refused_by_name() {
    let form = oscillator(1.0).form;
    assert_eq!(Propagator::new(&form, 0.0, 4), Err(PropagatorError::BadStep { h: 0.0 }));
    assert!(matches!(Propagator::new(&form, 1.0, 0), Err(PropagatorError::BadOrder { order: 0, .. })));
    assert_eq!(Propagator::accurate(&form, 20.0), Err(PropagatorError::StepTooLong { longest: 10.0 }));
    let huge = Linear::of(&[&[(0, 1e300)]], &[0.0]).form;
    assert_eq!(Propagator::new(&huge, 1.0, 4), Err(PropagatorError::NotFinite { column: 0 }));
    // The bound of a low order holds and is not much too large: one step of order 3.
    let propagator = Propagator::new(&form, 0.5, 3).expect("a propagator");
    let mut end = [0.0; 2];
    propagator.step(0.0, &[0.0, 1.0], &mut end);
    let error = (end[0] - 0.5f64.sin()).abs().max((end[1] - 0.5f64.cos()).abs());
    let bound = 0.5 * propagator.bound();
    assert!(error <= bound && bound < 20.0 * error, "{error} {bound}");
}
