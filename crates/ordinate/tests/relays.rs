//! Relays: branches that depend on themselves stay on their side while it holds, and those that follow each other ever faster go on, or
//! end for what it is.

use ordinate::{CompileOptions, Discard, Run, RunOptions, Source, Status, compile, simulate};

fn run(text: &str, method: &str, t_end: &str) -> Run {
    let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes");
    let options = RunOptions { method: method.into(), t_end: Some(t_end.into()), ..RunOptions::default() };
    simulate(&compiled, &options, &mut Discard).expect("it can begin")
}

/// x of x' = u − x where u leaves its side of sin t − x + u/2 only when it must: x = u + (x₀ − u) exp(t₀ − t) in between.
fn schmitt(t_end: f64) -> (f64, u64) {
    let (mut t0, mut x0, mut u, mut switches) = (0.0f64, 0.0f64, -1.0f64, 0);
    loop {
        let x = |t: f64| u + (x0 - u) * (t0 - t).exp();
        let holds = |t: f64| (t.sin() - x(t) + 0.5 * u) * u > 0.0;
        let Some(beyond) = (1..).map(|k| t0 + 1e-4 * f64::from(k)).take_while(|t| *t < t_end).find(|t| !holds(*t))
        else {
            return (x(t_end), switches);
        };
        let (mut low, mut high) = (beyond - 1e-4, beyond);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if holds(middle) { low = middle } else { high = middle }
        }
        (x0, t0, u, switches) = (x(high), high, -u, switches + 1);
    }
}

#[test]
fn a_relay_with_hysteresis_stays_on_its_side_while_that_holds() {
    let (exact, switches) = schmitt(12.0);
    assert!(switches >= 4, "{switches}");
    for method in ["auto", "taylor", "dp8", "radau", "bdf"] {
        let run = run("u = if r - x + 0.5*u > 0 then 1 else -1; x' = u - x; r = sin(t); init x = 0", method, "12");
        assert_eq!(run.outcome.status, Status::Ok, "{method}: {:?}", run.reason);
        let x = run.final_value("x").expect("x");
        assert!((x - exact).abs() < 1e-4, "{method}: {x}, not {exact}");
        assert_eq!(run.outcome.statistics.events, switches, "{method}");
    }
}

/// The same with the other sign: each side leads to the other, and none holds.
#[test]
fn a_branch_that_contradicts_itself_ends_the_run() {
    let run = run("u = if r - x - 0.5*u > 0 then 1 else -1; x' = u - x; r = 2*sin(t); init x = 0", "auto", "5");
    let reason = run.reason.expect("it says why");
    assert!(reason.kind == "zeno" && reason.message.contains("no consistent side"), "{}", reason.message);
}

/// A relay after a lag swings ever faster, but nothing accumulates: s = x − 1 obeys s″ = −10 s′ ∓ 10, so that the time between two
/// events falls exponentially. About 830 of them come before t = 3.
#[test]
fn a_relay_with_a_lag_is_followed() {
    let lag = "x' = -10*(x - y); y' = if x > 1 then -1 else 1; init x = 0, y = 0";
    for method in ["auto", "taylor", "dp8", "radau"] {
        let run = run(lag, method, "3");
        assert_eq!(run.outcome.status, Status::Ok, "{method}: {:?}", run.reason);
        let events = run.outcome.statistics.events;
        assert!((780..880).contains(&events), "{method}: {events}");
    }
}

/// Where its motion is lost in the error of the steps, the run ends, but not by a limit that there is none of.
#[test]
fn a_relay_that_only_switches_is_not_told_to_accumulate() {
    let fast = "x' = -1e4*(x - y); y' = if x > 1 then -1 else 1; init x = 0, y = 0";
    // This one goes on: x and y stay at one within its tolerance.
    let followed = run(fast, "bdf", "1.05");
    for name in ["x", "y"] {
        let value = followed.final_value(name).expect("a state");
        assert!(followed.reason.is_some() || (value - 1.0).abs() < 1e-4, "{name} = {value}");
    }
    for method in ["auto", "radau"] {
        let reason = run(fast, method, "3").reason.expect("too many events");
        assert_eq!(reason.kind, "zeno", "{method}");
        assert!(reason.message.contains("cannot be told apart"), "{method}: {}", reason.message);
    }
    let ball = run("h'' = -9.81; when h < 0: h' = -0.8*h'; init h = 1, h' = 0", "radau", "10").reason.expect("a limit");
    assert!(ball.message.contains("infinitely many events in finite time"), "{}", ball.message);
}

/// Also where a flight is shorter than the error of a step: the floor does not sink below the tolerance, whoever falls on it.
#[test]
fn a_floor_does_not_sink_where_a_ball_comes_to_rest() {
    for factor in [0.3, 0.7, 0.9] {
        for method in ["bdf", "radau", "taylor", "adams", "dopri5"] {
            let text = format!("h' = v; v' = -9.81; when h < 0: v = -{factor}*v; init h = 1, v = 0");
            let ball = run(&text, method, "20");
            let reason = ball.reason.as_ref().expect("a limit");
            assert_eq!(reason.kind, "zeno", "{factor}, {method}: {}", reason.message);
            let h = ball.final_value("h").expect("a state");
            assert!(h > -2e-9, "{factor}, {method}: h = {h:e}");
            assert!(ball.outcome.statistics.events < 1000, "{factor}, {method}");
        }
    }
}
