//! Events of models with constraints: what an action assigns stays, the rest changes as little as possible, whatever the
//! tolerances are; and a constraint that jumps by itself ends the run.

use ordinate::{
    CompileOptions, Discard, IndexTreatment, Memory, Run, RunOptions, Source, Status, compile, sensitivity, simulate,
};

const PENDULUM: &str = "x'' = -lam*x; y'' = -lam*y - 9.81; x^2 + y^2 = L^2; init x = 0.8, y = -0.6, x' = 0, y' = 0";

/// Two rods of length one, the second at the end of the first.
const DOUBLE: &str = "
x1'' = -2*l1*x1 + 2*l2*(x2 - x1); y1'' = -2*l1*y1 + 2*l2*(y2 - y1) - 9.81
x2'' = -2*l2*(x2 - x1);           y2'' = -2*l2*(y2 - y1) - 9.81
x1^2 + y1^2 = 1; (x2 - x1)^2 + (y2 - y1)^2 = 1
init x1 = 0.6, y1 = -0.8, x2 = 1.4, y2 = -1.4, x1' = 0, y1' = 0, x2' = 0, y2' = 0
";

fn run_with(text: &str, options: &RunOptions, index: IndexTreatment) -> (Run, Memory) {
    let compiled = compile(&Source::text(text), &CompileOptions { index, ..CompileOptions::default() });
    let compiled = compiled.unwrap_or_else(|failure| panic!("{text}\n{failure:?}"));
    let mut memory = Memory::default();
    (simulate(&compiled, options, &mut memory).expect("it can begin"), memory)
}

fn run(text: &str, t_end: &str, rtol: f64, atol: f64) -> (Run, Memory) {
    let options = RunOptions { t_end: Some(t_end.into()), rtol, atol, ..RunOptions::default() };
    run_with(text, &options, IndexTreatment::Reduce)
}

/// Values before and after the first event.
fn around(memory: &Memory, names: &[&str]) -> [Vec<f64>; 2] {
    let column = |name: &str| memory.names.iter().position(|known| known == name).expect("it is a column");
    let times = &memory.columns[column("time")];
    let event = times.windows(2).position(|pair| pair[0] == pair[1]).expect("two rows at the event");
    [event, event + 1].map(|row| names.iter().map(|name| memory.columns[column(name)][row]).collect())
}

fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < tolerance), "{found:?}, not {expected:?}");
}

/// x = 0.5 is assigned at the bottom, where y = −1 and the velocity is (−v, 0): y follows, and of the velocity the part along the
/// circle stays.
#[test]
fn a_position_that_is_assigned_stays_and_the_velocity_keeps_its_part_along_the_circle() {
    let text = format!("L = 1; {PENDULUM}; when x < 0: x = 0.5");
    for (rtol, atol) in [(1e-6, 1e-9), (1e-9, 1e-9), (1e-6, 1e-6), (1e-4, 1e-12)] {
        let (run, memory) = run(&text, "0.7", rtol, atol);
        assert_eq!(run.outcome.status, Status::Ok, "{:?}", run.reason);
        let [before, behind] = around(&memory, &["x", "y", "x'", "y'"]);
        let y = -0.75f64.sqrt();
        let along = before[2] * -y + before[3] * 0.5;
        assert_eq!(behind[0], 0.5);
        assert_near(&behind, &[0.5, y, -y * along, 0.5 * along], 1e-12);
        assert!(along < -2.0);
    }
}

/// The kick is along x2'; the other velocities change by Δ = Gᵀλ, where G are the derivatives of both constraints by them.
#[test]
fn a_kick_changes_the_other_velocities_by_the_least_squares() {
    let text = format!("{DOUBLE}; when y2 < -1.7: x2' = x2' + 1");
    let names = ["x1", "y1", "x2", "y2", "x1'", "y1'", "y2'", "x2'"];
    for (rtol, atol, index) in [
        (1e-6, 1e-9, IndexTreatment::Reduce),
        (1e-9, 1e-9, IndexTreatment::Reduce),
        (1e-6, 1e-6, IndexTreatment::Reduce),
        (1e-6, 1e-9, IndexTreatment::Direct),
    ] {
        let options = RunOptions { t_end: Some("0.4".into()), rtol, atol, ..RunOptions::default() };
        let (run, memory) = run_with(&text, &options, index);
        assert_eq!((run.outcome.status, run.outcome.statistics.events), (Status::Ok, 1), "{:?}", run.reason);
        let [before, behind] = around(&memory, &names);
        let (x, y) = (before[2] - before[0], before[3] - before[1]);
        // rows of G by x1', y1', y2'; the second constraint is violated by x·1 after the kick
        let g = [[before[0], before[1], 0.0], [-x, -y, y]];
        let dot = |a: &[f64; 3], b: &[f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (a, b, c) = (dot(&g[0], &g[0]), dot(&g[0], &g[1]), dot(&g[1], &g[1]));
        let second = -x * a / (a * c - b * b);
        let first = -second * b / a;
        let expected: Vec<f64> = (0..3).map(|k| before[4 + k] + first * g[0][k] + second * g[1][k]).collect();
        let exact = if index == IndexTreatment::Reduce { 1e-12 } else { 1e-4 };
        assert_near(&behind[4..7], &expected, exact);
        assert!((behind[7] - before[7] - 1.0).abs() < 1e-14);
        assert!((behind[4] - before[4]).abs() > 0.1, "{before:?} {behind:?}");
        if index == IndexTreatment::Reduce {
            assert_near(&behind[..4], &before[..4], 1e-15);
        }
    }
}

/// A body on an ellipse, moved off in one direction: the two others find the nearest point, here of x² + 4 z² = 1 − y².
#[test]
fn of_several_positions_the_nearest_ones_are_taken() {
    let text = "
        x'' = -lam*x; y'' = -lam*y; z'' = -4*lam*z; x^2 + y^2 + 4*z^2 = 1
        init x = 0.6, y = 0, z = 0.4, x' = 0, y' = 1, z' = 0
        when y > 0.3: y = 0.8
    ";
    for rtol in [1e-6, 1e-10] {
        let (run, memory) = run(text, "0.6", rtol, 1e-9);
        assert_eq!(run.outcome.status, Status::Ok, "{:?}", run.reason);
        let [before, behind] = around(&memory, &["x", "y", "z"]);
        let (x, z) = (behind[0], behind[2]);
        assert_eq!(behind[1], 0.8);
        assert!((x * x + 4.0 * z * z - 0.36).abs() < 1e-14, "{behind:?}");
        // what it moved by is across the ellipse: a multiple of (x, 4 z)
        let across = (x - before[0]) * 4.0 * z - (z - before[2]) * x;
        assert!(across.abs() < 1e-13 && x > 0.0 && z > 0.0, "{behind:?}: {across:e}");
    }
}

/// Also where a velocity is set to what it was: then it is assigned, and may not change.
#[test]
fn what_cannot_be_kept_is_named_with_its_equation() {
    for (action, equation) in [
        ("x' = x', y' = 1", "the derivative of `x^2 + y^2 = L^2`"),
        ("x' = -x', y' = y' + 0.01", "the derivative of `x^2 + y^2 = L^2`"),
        ("x = 2", "`x^2 + y^2 = L^2`"),
        ("x = 0.6, y = -0.7", "`x^2 + y^2 = L^2`"),
    ] {
        let (run, _) = run(&format!("L = 1; {PENDULUM}; when x < 0.1: {action}"), "0.7", 1e-6, 1e-9);
        let reason = run.reason.unwrap_or_else(|| panic!("{action}: no reason"));
        assert_eq!(reason.kind, "inconsistent_start", "{action}");
        assert!(reason.message.contains(equation) && reason.t > 0.4, "{action}: {}", reason.message);
    }
}

/// The derivative of what a kick leads to, by its strength, is the quotient of differences of two runs.
#[test]
fn derivatives_go_through_the_least_squares() {
    let names = ["x1", "y1", "x2", "y2", "x1'", "x2'"];
    let options = RunOptions { t_end: Some("0.5".into()), rtol: 1e-10, ..RunOptions::default() };
    for action in ["x2' = x2' + k", "x1 = x1 - 0.1*k"] {
        let end = |k: f64, by: Option<&str>| -> Vec<f64> {
            let text = format!("param k = {k}; {DOUBLE}; when y2 < -1.7: {action}");
            let mut compiled =
                compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes");
            if let Some(by) = by {
                compiled = sensitivity(&compiled, &[by.to_string()]).expect("it has derivatives");
            }
            let run = simulate(&compiled, &options, &mut Discard).expect("it can begin");
            assert_eq!(run.outcome.status, Status::Ok, "{action}: {:?}", run.reason);
            let column = |name: &&str| by.map_or(name.to_string(), |by| format!("d{name}/d{by}"));
            names.iter().map(|name| run.final_value(&column(name)).expect("it is a column")).collect()
        };
        let (above, below) = (end(1.0001, None), end(0.9999, None));
        let quotients: Vec<f64> = above.iter().zip(&below).map(|(a, b)| (a - b) / 2e-4).collect();
        assert_near(&end(1.0, Some("k")), &quotients, 1e-5);
        assert!(quotients.iter().any(|q| q.abs() > 0.05), "{quotients:?}");
    }
}

#[test]
fn a_constraint_that_jumps_ends_the_run_with_its_name() {
    for (branch, equation) in [
        ("if x < 0.3 then 1.2 else 1", "`x^2 + y^2 = L^2` jumps"),
        ("if x < 0.3 then 1.0001 else 1", "`x^2 + y^2 = L^2` jumps"),
        ("if x < 0.3 then 0.97 + x/10 else 1", "the derivative of `x^2 + y^2 = L^2` jumps"),
    ] {
        for (rtol, index) in
            [(1e-6, IndexTreatment::Reduce), (1e-9, IndexTreatment::Reduce), (1e-6, IndexTreatment::Direct)]
        {
            let options = RunOptions { t_end: Some("1".into()), rtol, ..RunOptions::default() };
            let (run, memory) = run_with(&format!("{PENDULUM}; L = {branch}"), &options, index);
            let reason = run.reason.unwrap_or_else(|| panic!("{branch}: no reason"));
            assert_eq!(reason.kind, "high_index", "{branch}: {}", reason.message);
            assert!(reason.message.contains(equation), "{}", reason.message);
            assert!(reason.hint.contains("`when`"), "{}", reason.hint);
            assert!((reason.t - 0.418_903).abs() < 1e-6, "{}", reason.t);
            assert!(memory.columns[0].len() > 200, "the rows so far are kept");
        }
    }
}

#[test]
fn a_constraint_whose_branches_meet_goes_on() {
    let plain = run(&format!("L = 1; {PENDULUM}"), "1", 1e-6, 1e-9).0.final_value("x").expect("x");
    for (branch, same) in [
        ("if x < 0.3 then 1 else 1", true),
        ("if x < 0.3 then 1 + 0*x else 1", true),
        // value and slope meet, the curvature does not
        ("if x < 0.3 then 1 + 0.1*(x - 0.3)^2 else 1", false),
    ] {
        let (run, _) = run(&format!("{PENDULUM}; L = {branch}"), "1", 1e-6, 1e-9);
        assert_eq!(run.outcome.status, Status::Ok, "{branch}: {:?}", run.reason);
        let x = run.final_value("x").expect("x");
        assert_eq!((x - plain).abs() < 1e-6, same, "{branch}: {x}");
    }
}

/// What the hint of such a run says: the assignment and the branch change at one instant.
#[test]
fn an_assignment_makes_up_for_a_constraint_that_jumps() {
    let text = format!("{PENDULUM}; L = if x < 0.3 then 1.2 else 1; when x < 0.3: x = 0.3");
    let (run, memory) = run(&text, "1", 1e-6, 1e-9);
    assert_eq!(run.outcome.status, Status::Ok, "{:?}", run.reason);
    let [_, behind] = around(&memory, &["x", "y"]);
    assert_near(&behind, &[0.3, -(1.44f64 - 0.09).sqrt()], 1e-12);
}
