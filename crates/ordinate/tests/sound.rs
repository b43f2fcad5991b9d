//! Models on which an earlier version was wrong without a word, called a right answer worthless, or hung (`tests/sound/`). Each now
//! gives what is right, with an error that holds, or ends by name.

use ordinate::{
    CompileOptions, Compiled, Memory, NoteKind, RowTimes, Run, RunOptions, Source, Status, compile, sensitivity,
    simulate,
};

const ALL: [&str; 6] = ["auto", "taylor", "mtsm", "radau", "dp5", "bdf"];

fn model(name: &str) -> Compiled {
    let path = format!("{}/../../tests/sound/{name}.eq", env!("CARGO_MANIFEST_DIR"));
    text(&std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}")))
}

fn text(text: &str) -> Compiled {
    compile(&Source::text(text), &CompileOptions::default()).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

fn with(method: &str) -> RunOptions {
    RunOptions { method: method.into(), ..RunOptions::default() }
}

fn at(method: &str, t: &str) -> RunOptions {
    RunOptions { t_end: Some(t.into()), rows: RowTimes::At(vec![t.into()]), ..with(method) }
}

fn run(compiled: &Compiled, options: &RunOptions) -> Run {
    simulate(compiled, options, &mut Memory::default()).unwrap_or_else(|e| panic!("{}: {e:?}", options.method))
}

fn finished(compiled: &Compiled, options: &RunOptions) -> Run {
    let run = run(compiled, options);
    let reason = run.reason.as_ref().map(|reason| reason.message.clone());
    assert_eq!(run.outcome.status, Status::Ok, "{}: {reason:?}", options.method);
    run
}

/// The error told for a column; infinite where it is not known or called lost.
fn told(run: &Run, name: &str) -> f64 {
    let error = run.error.as_ref().expect("an estimate");
    let at = error.names.iter().position(|n| n == name).unwrap_or_else(|| panic!("no {name}: {:?}", error.names));
    let lost = error.lost.is_some_and(|(state, _)| error.names[state] == name);
    if lost || !error.complete { f64::INFINITY } else { error.largest[at] }
}

/// The final value is right, and the error told is neither a tenth of the true one nor an alarm.
fn is_right(method: &str, run: &Run, name: &str, right: f64, digits: f64) {
    let error = (run.final_value(name).expect("a column") - right).abs();
    let told = told(run, name);
    assert!(error <= digits.max(10.0 * told), "{method}: {name} is wrong by {error:e}, told {told:e}");
    assert!(told <= 1e-3 * right.abs().max(1e-3), "{method}: {name} is wrong by {error:e}, told {told:e}");
}

#[test]
fn derivatives_of_what_is_constant_at_usual_points() {
    let (constant, lead, bump) = (model("constant-branch"), model("lead-saturated"), model("bump-underflow"));
    for method in ALL {
        let branch = finished(&constant, &at(method, "5"));
        is_right(method, &branch, "z", 5f64.cos(), 1e-9);
        is_right(method, &branch, "y", 5f64.cos() - 1.0, 1e-9);
        is_right(method, &finished(&lead, &with(method)), "y", 1.001_789_072, 1e-8);
        is_right(method, &finished(&bump, &with(method)), "y", 1.0, 1e-9);
    }
}

/// z jumps from 0 to 1 at t = 5, so y would jump by as much.
#[test]
fn the_derivative_of_a_jump_is_an_impulse() {
    let path = format!("{}/../../tests/sound/step-derivative.eq", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the model");
    let failure = compile(&Source::text(&text), &CompileOptions::default()).expect_err("it is refused");
    assert!(format!("{failure:?}").contains("impulse"), "{failure:?}");
}

#[test]
fn friction_that_grows_towards_a_standstill_has_an_honest_error() {
    let friction = model("stick-slip");
    for method in ["auto", "radau13", "radau", "dp5"] {
        let run = run(&friction, &with(method));
        let error = (run.final_value("x").expect("a column") - 3.602_799).abs();
        assert!(error <= (10.0 * told(&run, "x")).max(1e-6), "{method}: {error:e}, told {:e}", told(&run, "x"));
    }
}

#[test]
fn events_that_accumulate_end_the_run() {
    for (name, when) in [("super-twisting", 2.576), ("twisting", 1.742)] {
        let model = model(name);
        for method in ["auto", "taylor", "radau", "dp5", "dp8", "bdf", "adams"] {
            let run = run(&model, &with(method));
            let kind = run.reason.as_ref().map(|reason| reason.kind);
            assert_eq!(kind, Some("zeno"), "{name}, {method}, t = {}", run.outcome.t_reached);
            assert!((run.outcome.t_reached - when).abs() < 0.02, "{name}, {method}, t = {}", run.outcome.t_reached);
        }
    }
}

#[test]
fn choices_among_solutions_are_told() {
    for name in ["thresholds-at-start", "thresholds-symmetric", "relay-self", "sqrtdae2"] {
        let run = run(&model(name), &with("auto"));
        let told = run.notes.iter().any(|note| note.kind == NoteKind::Choice);
        assert!(told || run.outcome.status != Status::Ok, "{name}: {:?}", run.notes);
    }
    let symmetric = run(&model("thresholds-symmetric"), &with("auto"));
    let value = |name: &str| symmetric.final_value(name).expect("a column");
    assert_eq!((value("u1"), value("u2")), (value("u5"), value("u4")));
    let equal = run(&model("thresholds-at-start"), &with("auto"));
    assert_eq!(equal.final_value("u1"), equal.final_value("u3"));
}

/// The extreme of x touches the threshold within the errors, on either side of it: actions, and a branch that adds 5·2·acos(1 − 1e-8)
/// three times.
#[test]
fn a_grazed_threshold_is_found_or_doubted() {
    let above = text("x'' = -x; n' = 0; when x > 1 + 1e-8: n = n + 1; init x = 0, x' = 1, n = 0; run 0 .. 20");
    let branch = text("x'' = -x; n' = if x > 1 - 1e-8 then 5 else 0; init x = 0, x' = 1, n = 0; run 0 .. 20");
    let models = [(model("grazing2"), 3.0), (above, 0.0), (branch, 30.0 * (1f64 - 1e-8).acos())];
    for (grazing, right) in &models {
        for method in ["auto", "taylor", "mtsm", "dp5", "radau", "bdf", "trapezoid", "adams"] {
            for (rtol, atol) in [(1e-4, 1e-6), (1e-6, 1e-9), (1e-8, 1e-11)] {
                let run = run(grazing, &RunOptions { rtol, atol, ..with(method) });
                let error = (run.final_value("n").expect("a column") - right).abs();
                let told = told(&run, "n");
                assert!(error <= (10.0 * told).max(1e-9), "{method}, {rtol:e}: {error:e}, told {told:e}");
                // taylor resolves them all
                assert!(told < 1e-3 || method != "taylor", "{rtol:e}: {error:e}, told {told:e}");
            }
        }
    }
}

/// x leaves the domain of the root with a slope: where all is below the tolerance a series that comes back on the other branch of the
/// root is within it, too. With a slope of 1e-9 the time in which x moves by its tolerance is 1.
#[test]
fn a_series_does_not_come_back_from_the_edge_of_a_root() {
    for (slope, end, within) in [("-1e-3", 1.986_182_5, 1e-4), ("-1e-6", 1.999_972_4, 1e-4), ("-1e-9", 2.0, 1e-2)] {
        for equations in ["", "+ y; y' = 0; y(0) = 0"] {
            let model = text(&format!("x' = {slope} - sqrt(x) {equations}; x(0) = 1; run 0 .. 3"));
            for method in ["auto", "taylor", "mtsm"] {
                let run = run(&model, &RunOptions { max_steps: 2000, ..with(method) });
                let kind = run.reason.as_ref().map(|reason| reason.kind);
                assert!(matches!(kind, Some("not_finite" | "singularity")), "{method}, {slope}: {kind:?}");
                assert!((run.outcome.t_reached - end).abs() < within, "{method}, {slope}: {}", run.outcome.t_reached);
            }
        }
    }
}

#[test]
fn taylor_passes_where_others_do() {
    let (lane_emden, root) = (model("laneemden"), model("cbrtext3"));
    for method in ["auto", "taylor"] {
        is_right(method, &finished(&lane_emden, &with(method)), "y", LANE_EMDEN, 1e-8);
        let emptied = finished(&root, &RunOptions { max_steps: 10_000, ..with(method) });
        assert!(emptied.final_value("y").is_some_and(|y| y.abs() < 1e-8), "{method}");
    }
}

/// y(5) of the Lane–Emden equation of index 3 by radau at rtol 1e-12.
const LANE_EMDEN: f64 = 0.110_819_835_1;

/// Chains without a jump: the estimate is not made of crossings of levels.
#[test]
fn smooth_chains_have_no_false_alarms() {
    let turing = finished(&model("turing-96"), &with("auto"));
    assert!(told(&turing, "u25") < 1e-4, "{:e}", told(&turing, "u25"));
    let options = RunOptions { rtol: 1e-7, atol: 1e-10, ..with("radau") };
    let schnakenberg = finished(&model("schnakenberg"), &options);
    assert!(schnakenberg.error.as_ref().is_some_and(|error| error.estimate() < 1e-4));
}

/// What damping methods lose is told as lost: y is 3.6e4 at the end of the first, 1.58 at that of the second,
/// of the sign with which it began.
#[test]
fn growth_that_a_method_damps_is_lost() {
    let first = text("x' = 100*(t-1)*x; x(0) = 1");
    let second = text("x' = z*x - x^3; z' = 0.05; x(0) = 0.1; z(0) = -2");
    for method in ["bdf", "trapezoid", "backward-euler", "radau", "auto", "dp5"] {
        for (model, end, right) in [(&first, "2.1", 10.5f64.exp()), (&second, "90", 1.577_947_512)] {
            let run = run(model, &at(method, end));
            let error = (run.final_value("x").expect("a column") - right).abs();
            let small = 1e-3 * right;
            assert!(
                error <= small || told(&run, "x") >= 0.1 * error.min(right) || run.outcome.status != Status::Ok,
                "{method} to {end}: {error:e}, told {:e}",
                told(&run, "x")
            );
        }
    }
}

/// There is no singularity: 1 − y leaves double precision.
#[test]
fn what_leaves_double_precision_is_no_singularity() {
    let run = run(&text("y' = 500*y*(1-y)*cos(t); y(0) = 0.5"), &at("auto", "10"));
    assert_ne!(run.reason.as_ref().map(|reason| reason.kind), Some("singularity"));
    assert!(run.outcome.status != Status::Ok || told(&run, "y") > 0.01);
}

/// y rests at 1, and what attracted it there repels it later. y = 1/(1 + exp(−k sin t)): growth that long steps damp is told, and so is
/// the rounding that leaves y exactly at rest.
#[test]
fn growth_around_a_state_at_rest_is_told() {
    for k in [15.0, 40.0, 100.0, 500.0f64] {
        let model = text(&format!("y' = {k}*y*(1-y)*cos(t); y(0) = 0.5; run 0 .. 5"));
        let right = 1.0 / (1.0 + (-k * 5f64.sin()).exp());
        for method in ["auto", "taylor", "radau", "dp5", "bdf", "trapezoid", "backward-euler"] {
            for (rtol, atol) in [(1e-4, 1e-6), (1e-6, 1e-9), (1e-8, 1e-11)] {
                let run = run(&model, &RunOptions { rtol, atol, ..with(method) });
                let error = (run.final_value("y").expect("a column") - right).abs();
                let named = run.outcome.status != Status::Ok;
                assert!(named || error <= (10.0 * told(&run, "y")).max(1e-6), "{method}, {k}, {rtol:e}: {error:e}");
            }
        }
    }
}

#[test]
fn gates_and_removable_points_are_passed() {
    let gate = text("x' = 20; y' = 1/(1+exp(-(x-20)/0.02)); x(0) = 0; y(0) = 0");
    for method in ALL {
        is_right(method, &finished(&gate, &at(method, "2")), "y", 1.0, 1e-8);
    }
}

/// u/(1 − exp(−u)) through u = 0, with the derivatives of the solution by a start value and by a parameter.
#[test]
fn removable_points_are_passed_with_variations() {
    let ramp = text("param k = 2; x' = 1; y' = x/(1 - exp(-k*x)) + (exp(x) - 1)/x; x(0) = -1; y(0) = 0");
    let ramp = sensitivity(&ramp, &["x".into(), "k".into()]).expect("a state and a parameter");
    let rate = |x: f64| x / (1.0 - (-2.0 * x).exp()) + x.exp_m1() / x;
    for method in ["auto", "taylor", "radau", "dp5", "bdf"] {
        let options = RunOptions { t_end: Some("2".into()), rows: RowTimes::Even(501), ..with(method) };
        is_right(method, &finished(&ramp, &options), "dy/dx(0)", rate(1.0) - rate(-1.0), 1e-7);
    }
    let at_zero = text("x' = 1; y' = x/(1 - exp(-x)); x(0) = 0; y(0) = 0");
    for method in ["auto", "taylor", "radau", "dp5", "bdf"] {
        // 1/2 + the integral of x/(exp(x) − 1), by Simpson's rule with 2000 parts
        is_right(method, &finished(&at_zero, &at(method, "1")), "y", 1.277_504_634_112_248, 1e-8);
    }
}

#[test]
fn the_gates_of_hodgkin_and_huxley_have_variations() {
    let path = format!("{}/../../tests/sound/hodgkin-huxley.eq", env!("CARGO_MANIFEST_DIR"));
    let source = Source::text(std::fs::read_to_string(path).expect("the model"));
    let with_conductance = |g: &str| {
        let set = vec![("I".into(), "10".into()), ("gNa".into(), g.into())];
        compile(&source, &CompileOptions { set, ..CompileOptions::default() }).expect("the model")
    };
    let exact = RunOptions { rtol: 1e-10, atol: 1e-12, ..at("radau", "20") };
    let [above, below] =
        ["120.01", "119.99"].map(|g| finished(&with_conductance(g), &exact).final_value("V").expect("a column"));
    let difference = (above - below) / 0.02;
    let varied = sensitivity(&with_conductance("120"), &["gNa".into()]).expect("a parameter");
    for method in ["auto", "taylor", "radau", "dp5", "bdf"] {
        let run = finished(&varied, &RunOptions { rtol: 1e-8, atol: 1e-10, ..at(method, "20") });
        let slope = run.final_value("dV/dgNa").expect("a column");
        assert!((slope / difference - 1.0).abs() < 1e-3, "{method}: {slope}, not {difference}");
    }
}

#[test]
fn a_quartic_goes_to_its_root_in_polynomial_form() {
    let quartic = text("y' = -(y-1)*(y-2)*(y-3)*(y-4); y(0) = 2.5");
    for method in ALL {
        is_right(method, &finished(&quartic, &at(method, "10")), "y", 2.0, 1e-8);
    }
}
