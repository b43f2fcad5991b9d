//! Implicit methods of given step: what their equations leave, where their solutions end, and the errors they tell.

use ordinate::{
    CompileOptions, Discard, ErrorWish, Failure, IndexTreatment, Memory, NewtonOptions, RowTimes, Run, RunOptions,
    Source, Status, compile, simulate,
};

/// A run with an estimate of its error.
fn run(text: &str, index: IndexTreatment, options: RunOptions) -> Run {
    let compiled = compile(&Source::text(text), &CompileOptions { index, ..CompileOptions::default() });
    let options = RunOptions { error: ErrorWish::Estimate { columns: false, correct: false }, ..options };
    simulate(&compiled.expect("a model without mistakes"), &options, &mut Discard).expect("it can begin")
}

fn fixed(method: &str, step: f64, t_end: f64) -> RunOptions {
    RunOptions {
        method: method.into(),
        step: Some(step),
        t_end: Some(format!("{t_end:?}")),
        rows: RowTimes::At(vec![format!("{t_end:?}")]),
        ..RunOptions::default()
    }
}

/// The error of a state at the end, and what the run says of it.
fn errors(run: &Run, name: &str, exact: f64) -> (f64, f64) {
    let value = run.final_value(name).expect("it is a column");
    let error = run.error.as_ref().expect("an estimate");
    let column = error.names.iter().position(|known| known == name).expect("it is a column");
    ((value - exact).abs(), error.last[column].abs())
}

/// Linear systems of index 2 and 3 as they stand: changes that only stir the last digits end the iteration.
#[test]
fn newtons_method_ends_at_rounding_whatever_the_step() {
    // x = (cos t − sin t + exp(t/3))/2
    let second = "x' = -y + z; y' = x + 2*z; x + y = cos(t); init x = 1, y = 0";
    let exact = 0.5 * (2.0f64.cos() - 2.0f64.sin() + (2.0f64 / 3.0).exp());
    let third = "x'' = l - x; y'' = -l; x - y = sin(t); init x = 1, x' = 0, y = 1, y' = -1";
    for method in ["backward-euler", "bdf2", "bdf3", "bdf5", "bdf6", "radau5"] {
        for step in [0.01, 0.005, 0.002, 0.001] {
            let run = run(second, IndexTreatment::Direct, fixed(method, step, 2.0));
            assert_eq!(run.outcome.status, Status::Ok, "{method} {step}: {:?}", run.reason);
            let error = (run.final_value("x").expect("a column") - exact).abs();
            assert!(
                error < if method == "backward-euler" { step } else { 10.0 * step * step },
                "{method} {step}: {error:e}"
            );
            if method != "backward-euler" {
                let run = self::run(third, IndexTreatment::Direct, fixed(method, step, 2.0));
                assert_eq!(run.outcome.status, Status::Ok, "{method} {step}: {:?}", run.reason);
            }
        }
    }
}

/// x = 1/(1 + t). A step moves x by less than the tolerance of the residual, but it moves.
#[test]
fn what_newtons_method_leaves_is_part_of_the_error() {
    for (method, tolerance) in
        [("backward-euler", 0.01), ("bdf2", 0.01), ("bdf2", 1e-5), ("radau3", 0.01), ("radau5", 0.01)]
    {
        let newton = NewtonOptions { tolerance: Some(tolerance), ..NewtonOptions::default() };
        let run =
            run("x' = -x^2; init x = 1", IndexTreatment::Reduce, RunOptions { newton, ..fixed(method, 0.01, 5.0) });
        let (error, estimate) = errors(&run, "x", 1.0 / 6.0);
        assert!(error < 1e-3, "{method}: {error:e}");
        assert!(error < 1.5 * estimate && estimate < 5.0 * error, "{method}: {error:e}, estimated {estimate:e}");
    }
}

/// A ladder of diodes: its far end stays at 1e-37 V, where two runs have nothing in common. That says nothing of the near one.
#[test]
fn what_stays_below_the_tolerance_does_not_hide_the_errors_of_the_rest() {
    let text = "param N = 40; v[0] = 5*sin(100*pi*t); w[N+1] = v[N]; \
                for k in 1..N: (v[k-1] - w[k])/100 = 1e-9*(exp((w[k] - v[k])/0.026) - 1); \
                for k in 1..N: 1e-6*v[k]' = (v[k-1] - w[k])/100 - (v[k] - w[k+1])/100 - v[k]/1e5; \
                for k in 1..N: init v[k] = 0";
    let run = run(text, IndexTreatment::Reduce, RunOptions { t_end: Some("0.04".into()), ..RunOptions::default() });
    let error = run.error.as_ref().expect("an estimate");
    let estimate = error.estimate();
    assert!(estimate > 1e-8 && estimate < 1e-4, "{estimate:e}");
    let is_hidden = error.faint.is_none_or(|(_, greatest)| greatest < 1e-9);
    assert!(is_hidden && error.lost.is_none(), "{:?}, {:?}", error.faint, error.lost);
}

/// A knife edge on a slope: φ = t has no error but that of the move onto the constraint, inside of steps the ends of which stay.
#[test]
fn a_row_that_its_constraint_moves_has_the_error_of_the_move() {
    let text = "x'' = 2 + lam*sin(phi); y'' = -lam*cos(phi); phi'' = 0; x'*sin(phi) = y'*cos(phi); \
                init x = 0, x' = 0, y = 0, y' = 0, phi = 0, phi' = 1";
    let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes");
    let options = RunOptions {
        t_end: Some("5".into()),
        error: ErrorWish::Estimate { columns: false, correct: false },
        ..RunOptions::default()
    };
    let mut rows = Memory::default();
    let run = simulate(&compiled, &options, &mut rows).expect("it can begin");
    let phi = rows.names.iter().position(|name| name == "phi").expect("it is a column");
    let error = rows.columns[0].iter().zip(&rows.columns[phi]).map(|(t, phi)| (phi - t).abs()).fold(0.0, f64::max);
    let estimate = run.error.as_ref().expect("an estimate").largest[phi - 1];
    assert!(error > 1e-12, "the constraint moves no row: {error:e}");
    assert!((0.5..2.0).contains(&(estimate / error)), "{error:e}, estimated {estimate:e}");
}

/// The pendulum from rest: every step ends with a move onto the circle, which is part of the error and of its history.
#[test]
fn the_error_of_a_projected_solution_is_told() {
    let text =
        "x'' = -2*lam*x; y'' = -2*lam*y + 9.81; x^2 + y^2 = 1; init x = 0.5984721441039564, x' = 0; guess y = -0.8";
    let precise = RunOptions {
        rtol: 1e-13,
        atol: 1e-14,
        method: "taylor".into(),
        t_end: Some("10".into()),
        ..RunOptions::default()
    };
    let exact = run(text, IndexTreatment::Reduce, precise);
    for (method, step, most) in [
        ("bdf2", 0.005, 0.05),
        ("bdf3", 0.005, 0.02),
        ("bdf4", 0.005, 1e-4),
        ("bdf5", 0.002, 1e-6),
        ("bdf6", 0.01, 5e-5),
    ] {
        let run = run(text, IndexTreatment::Reduce, fixed(method, step, 10.0));
        for name in ["x", "x'", "y", "y'"] {
            let (error, estimate) = errors(&run, name, exact.final_value(name).expect("a column"));
            assert!(error < most, "{method}, {name}: {error:e}");
            assert!((error - estimate).abs() < 0.3 * error, "{method}, {name}: {error:e}, estimated {estimate:e}");
        }
    }
}

/// x = sin t, from which rounding leads away with exp 2t.
#[test]
fn rounding_is_part_of_the_error_that_is_carried_along() {
    let run = run("x' = 2*x + cos(t) - 2*sin(t); init x = 0", IndexTreatment::Reduce, fixed("bdf5", 0.001, 15.0));
    let (error, estimate) = errors(&run, "x", 15.0f64.sin());
    assert!(error > 1e-3, "rounding counts: {error:e}");
    assert!(estimate > 0.1 * error && estimate < 10.0 * error, "{error:e}, estimated {estimate:e}");
}

/// A transient within the first step, which the formula is not made of: x ≈ cos t − exp(−50 t).
#[test]
fn the_steps_of_the_start_have_errors() {
    let rows = RowTimes::At(vec!["0.02".into()]);
    let options = RunOptions { rows, ..fixed("bdf6", 0.2, 5.0) };
    let run = run("x' = -50*(x - cos(t)); init x = 0", IndexTreatment::Reduce, options);
    let estimate = run.error.expect("an estimate").rows[0][0].abs();
    assert!((0.05..0.5).contains(&estimate), "it is 0.149: {estimate:e}");
}

/// z falls from √3 to 1, where two solutions of its equation meet and end, at t = 1.352.
#[test]
fn a_given_step_does_not_jump_over_the_end_of_a_solution() {
    let text = "x' = z; z^3 - 3*z = -x; init x = 0; guess z = 1.7";
    for (method, step) in [("bdf2", 0.1), ("trapezoid", 0.25), ("backward-euler", 0.1), ("radau5", 0.1), ("rk4", 0.1)] {
        let run = run(text, IndexTreatment::Reduce, fixed(method, step, 3.0));
        assert_eq!(run.outcome.status, Status::Stopped, "{method}");
        assert!(run.outcome.t_reached < 1.4 && run.outcome.t_reached > 1.0, "{method}: {}", run.outcome.t_reached);
        assert_eq!(run.reason.expect("it says why").variable.as_deref(), Some("z"), "{method}");
    }
    // where a solution goes on, it may be as steep as it likes
    let diode = "v' = 50*(1 - v) - 1e3*i; v = 0.025*log(1 + i/1e-14); init v = 0";
    for method in ["bdf2", "backward-euler", "radau5"] {
        let run = run(diode, IndexTreatment::Reduce, fixed(method, 0.01, 1.0));
        assert_eq!(run.outcome.status, Status::Ok, "{method}: {:?}", run.reason);
    }
}

/// 5 b′ = −b, and b is set to 3 at 0.5; the other half of it must follow. The pendulum that is slowed down on its way, too.
#[test]
fn an_event_of_a_system_as_written_keeps_its_hidden_constraints() {
    let text = "2*a' = i; 3*b' = -i - b; a = b; init b = 1; when t > 0.5: b = 3";
    for method in ["auto", "radau5", "bdf"] {
        let options = RunOptions { method: method.into(), t_end: Some("1".into()), ..RunOptions::default() };
        let run = run(text, IndexTreatment::Direct, options);
        for name in ["a", "b"] {
            let value = run.final_value(name).expect("a column");
            assert!((value - 3.0 * (-0.1f64).exp()).abs() < 1e-5, "{method}: {name} = {value}");
        }
    }
    let text = "x'' = -2*lam*x; y'' = -2*lam*y + 9.81; x^2 + y^2 = 1; init x = 0.717356, x' = 0; guess y = 0.7
        when x < -0.3: x' = -0.8*x'";
    let options = RunOptions { method: "radau5".into(), rtol: 1e-8, t_end: Some("5".into()), ..RunOptions::default() };
    let [reduced, direct] =
        [IndexTreatment::Reduce, IndexTreatment::Direct].map(|index| run(text, index, options.clone()));
    for name in ["x", "y"] {
        let [reduced, direct] = [&reduced, &direct].map(|run| run.final_value(name).expect("a column"));
        assert!((reduced - direct).abs() < 1e-3, "{name}: {reduced} {direct}");
    }
}

const SLIDER: &str = "param r = 1, l = 2, J = 0.5, m = 1, k = 3
J*ph'' = -a*r*sin(ph) + b*r*cos(ph)
0 = -a*l*sin(ps) - b*l*cos(ps)
m*x'' = -k*(x - 2) - a
x = r*cos(ph) + l*cos(ps)
r*sin(ph) = l*sin(ps)
init ph = 0.3, ph' = 5, x = 2.9333829515361427, x' = -2.1912375480765993
guess ps = 0.14830313118757033, b = 100
";

/// The forces of a crank drive follow from the accelerations, which the system as written does not know.
#[test]
fn a_system_as_written_begins_with_the_forces_of_the_reduced_one() {
    for (name, expected) in [("a", 22.9546), ("b", -3.4294)] {
        for index in [IndexTreatment::Reduce, IndexTreatment::Direct] {
            let options = RunOptions { method: "radau5".into(), t_end: Some("0".into()), ..RunOptions::default() };
            let value = run(SLIDER, index, options).final_value(name).expect("a column");
            assert!((value - expected).abs() < 1e-4, "{name}, {index:?}: {value}");
        }
    }
    let text = format!("{SLIDER}when t > 0.1: ph' = 0\n");
    let options = CompileOptions { index: IndexTreatment::Direct, ..CompileOptions::default() };
    let Err(Failure::Model(found)) = compile(&Source::text(&text), &options) else {
        panic!("what follows from ph' is not known");
    };
    assert!(found.iter().any(|d| d.code == "index-direct" && d.message.contains("`ph'`")), "{found:?}");
}

#[test]
fn a_corrected_solution_keeps_to_its_constraint() {
    let text = "x'' = -2*lam*x; y'' = -2*lam*y + 9.81; x^2 + y^2 = 1
        init x = 0.5984721441039564, x' = 0; guess y = -0.8; output off = x^2 + y^2 - 1";
    let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes");
    let options = RunOptions {
        method: "bdf".into(),
        t_end: Some("10".into()),
        error: ErrorWish::Estimate { columns: false, correct: true },
        ..RunOptions::default()
    };
    let mut rows = Memory::default();
    let run = simulate(&compiled, &options, &mut rows).expect("it can begin");
    let column = |name: &str| rows.names.iter().position(|known| known == name).expect("a column");
    let [x, y, off] = ["x", "y", "off"].map(column);
    assert!(rows.columns[x].len() > 100);
    for row in 0..rows.columns[x].len() {
        let [x, y, off] = [x, y, off].map(|column| rows.columns[column][row]);
        assert!((x * x + y * y - 1.0).abs() < 1e-6, "row {row}: {:e}", x * x + y * y - 1.0);
        assert!(off.abs() < 1e-6, "row {row}: {off:e}");
    }
    let [x, y] = ["x", "y"].map(|name| run.final_value(name).expect("a column"));
    assert!((x * x + y * y - 1.0).abs() < 1e-6);
}
