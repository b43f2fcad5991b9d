//! Series in lanes: each lane as if it were alone, on every processor.

use ordinate_model::{resolve, sort};
use ordinate_numbers::{LANES, Lanes, Processor};
use ordinate_program::{Evaluator, JetCode, LaneSeries, compile};
use ordinate_solve::{AbsoluteTolerance, LaneJets, LaneStart, Options, System, solve_lanes};
use ordinate_syntax::parse;
use std::sync::Arc;

fn evaluator(text: &str, k: f64) -> Evaluator {
    let (tree, diagnostics) = parse(text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let resolved = resolve(&tree, text, &vec![("k".to_string(), format!("{k:?}"))], &|_, _| Err("no file".into()));
    let (mut sorted, diagnostics) = sort(resolved.model, false);
    assert!(!ordinate_syntax::has_errors(&diagnostics), "{diagnostics:?}");
    Evaluator::new(Arc::new(compile(&mut sorted, false)))
}

/// Every kind of recurrence.
const MODELS: [&str; 5] = [
    "param k = 1; x' = k*(y - x); y' = x*(28 - z) - y; z' = x*y - k*z; init x = 1, y = 2, z = 3",
    "param k = 1; x' = k*y/(x^2 + y^2)^1.5 + 1/x; y' = sqrt(x + k)*y^2 - x/(y + k); init x = 1, y = 2",
    "param k = 1; x' = 1/(1 + exp(y - k*x)) + expm1(x)/y; y' = (x - 0.8)/(1 - exp(k*(0.8 - x))) - log1p(y); init x = 1, y = 2",
    "param k = 1; x' = exp(-k*x) + log(y)*sin(k*t); y' = atan2(x, y + k) + tanh(k*x) - y; init x = 1, y = 2",
    "param k = 1; x' = (x + 1)^(k*y) - x^0.3*cbrt(y); y' = asin(0.1*k*x) - erf(y) + acosh(1 + y); init x = 1, y = 2",
];

const ORDER: usize = 20;

/// The parameter and the state of a lane. The parameter is never 1: `k*x` and `x` would share a node then.
fn lane(l: usize, states: usize) -> (f64, Vec<f64>) {
    let x = 0.3 * l as f64 / LANES as f64;
    (1.1 + x, (0..states).map(|i| 0.7 + x + 0.4 * i as f64).collect())
}

/// All coefficients of all states from k = 1 on, by lanes.
fn side_by_side(text: &str, processor: Processor) -> Vec<Lanes> {
    let codes: Vec<Arc<JetCode>> =
        (0..LANES).map(|l| Arc::new(evaluator(text, lane(l, 0).0).jet_code().expect("a smooth model"))).collect();
    let mut series = LaneSeries::new(codes, (0..LANES).collect(), processor);
    let n = series.states();
    let mut y = vec![Lanes::ZERO; n];
    for l in 0..LANES {
        series.load(l, l);
        for (y, value) in y.iter_mut().zip(lane(l, n).1) {
            y[l] = value;
        }
    }
    let mut f = vec![Lanes::ZERO; n];
    series.begin(&Lanes::splat(0.25), &y, &mut f);
    series.extend(&f, &Lanes::splat(0.5), ORDER);
    let (c, stride) = series.coefficients();
    (0..n).flat_map(|i| c[i * stride + 1..=i * stride + ORDER].to_vec()).collect()
}

#[test]
fn lanes_are_the_series_of_single_trajectories() {
    for text in MODELS {
        for processor in Processor::all() {
            let c = side_by_side(text, processor);
            for l in 0..LANES {
                let n = c.len() / ORDER;
                let (k, y) = lane(l, n);
                let mut single = evaluator(text, k);
                let (mut f, mut expected) = (vec![0.0; n], vec![0.0; n * (ORDER + 1)]);
                let jets = single.jets(&[]).expect("a smooth model");
                jets.begin(0.25, &y, &mut f);
                jets.extend(0.5, ORDER, &mut expected);
                for i in 0..n {
                    for k in 1..=ORDER {
                        let (a, b) = (c[i * ORDER + k - 1][l], expected[k * n + i]);
                        // Rounding adds up over the orders, in proportion to the largest coefficients around.
                        let near = (k.max(3) - 2..=(k + 2).min(ORDER)).map(|k| expected[k * n + i].abs());
                        let size = near.fold(0.0, f64::max);
                        assert!((a - b).abs() <= 1e-13 * k as f64 * size, "{text}: lane {l}, c[{k}] of {i}: {a} {b}");
                    }
                }
            }
        }
    }
}

#[test]
fn processors_that_fuse_give_the_same_bits() {
    let fusing: Vec<Processor> = Processor::all().into_iter().filter(|processor| processor.fuses()).collect();
    for text in MODELS {
        for pair in fusing.windows(2) {
            assert_eq!(side_by_side(text, pair[0]), side_by_side(text, pair[1]), "{text}: {pair:?}");
        }
    }
}

#[test]
fn whole_runs_have_the_same_bits_on_processors_that_fuse() {
    let fusing: Vec<Processor> = Processor::all().into_iter().filter(|processor| processor.fuses()).collect();
    let run = |text: &str, processor: Processor| {
        let code = Arc::new(evaluator(text, 1.5).jet_code().expect("a smooth model"));
        let mut series = LaneSeries::new(vec![code], vec![0; 50], processor);
        let y: Vec<Vec<f64>> = (0..50).map(|l| lane(l % LANES, series.states()).1).collect();
        let starts: Vec<LaneStart> = y.iter().map(|y| LaneStart { t: 0.0, y, t_end: 0.1 }).collect();
        let options = Options { rtol: 1e-10, atol: AbsoluteTolerance::Same(1e-10), ..Options::default() };
        solve_lanes(&mut series, &starts, &options)
    };
    for text in MODELS {
        for pair in fusing.windows(2) {
            let (first, second) = (run(text, pair[0]), run(text, pair[1]));
            assert!(first.iter().all(Option::is_some), "{text}");
            assert_eq!(first, second, "{text}: {pair:?}");
        }
    }
}

#[test]
fn numbers_are_not_structure_but_missing_terms_are() {
    let text = "param k = 1; x' = k*sin(x) + k^2*x; init x = 1";
    let structure = |k: f64| evaluator(text, k).jet_code().expect("a smooth model").structure();
    assert_eq!(structure(2.0), structure(3.0));
    assert_ne!(structure(2.0), structure(0.0), "without k nothing is left");
    let switch = "param k = 1; x' = abs(x - k); init x = 1";
    assert!(evaluator(switch, 1.0).jet_code().is_none(), "a switch has a mode");
}
