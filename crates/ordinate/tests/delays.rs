//! Delay equations against closed forms and values computed elsewhere, by every kind of method, with honest error estimates.

use ordinate::{CompileOptions, Failure, Memory, RowTimes, Run, RunOptions, Source, compile, simulate};

/// Methods that control their steps, one of each kind.
const METHODS: [&str; 6] = ["taylor", "dp5", "dp8", "radau", "bdf", "adams"];

fn run(text: &str, options: RunOptions) -> Run {
    let compiled = compile(&Source::text(text), &CompileOptions::default()).unwrap_or_else(|e| panic!("{text}\n{e:?}"));
    let run = simulate(&compiled, &options, &mut Memory::default()).unwrap_or_else(|e| panic!("{text}\n{e:?}"));
    assert_eq!(run.reason.as_ref().map(|reason| &reason.message), None, "{text}");
    run
}

fn with(method: &str, rtol: f64) -> RunOptions {
    RunOptions { method: method.into(), rtol, atol: 1e-3 * rtol, ..RunOptions::default() }
}

/// The error of column x at the end, and the estimate of the largest one.
fn error_and_estimate(run: &Run, exact: f64) -> (f64, f64) {
    let estimate = run.error.as_ref().expect("an estimate").estimate();
    ((run.final_value("x").expect("a column x") - exact).abs(), estimate)
}

/// Every method reaches a value to its tolerance times `growth`, and not less accurately than it says.
fn reached(text: &str, exact: f64, growth: f64) {
    for method in METHODS {
        for rtol in [1e-3, 1e-6, 1e-10] {
            let (error, estimate) = error_and_estimate(&run(text, with(method, rtol)), exact);
            assert!(error <= growth * rtol, "{text}\n{method} at {rtol}: {error:e}");
            assert!(error <= 1.3 * estimate + 1e-14, "{text}\n{method} at {rtol}: {error:e}, said {estimate:e}");
        }
    }
}

/// x(5) of x′ = −x(t − 1), x = 1 for t ≤ 0, by the method of steps: 1 − t, then one degree more in every interval.
#[test]
fn the_method_of_steps_is_met() {
    let text = "x' = -delay(x, 1); init x = 1; run 0 .. 5";
    reached(text, 19.0 / 120.0, 200.0);
    // the pieces are polynomials: series have no error at all, and one step per delay
    let series = run(text, with("taylor", 1e-6));
    assert!((series.final_value("x").expect("x") - 19.0 / 120.0).abs() < 1e-15);
    assert_eq!(series.outcome.statistics.steps, 5);
}

/// s = −(π/2) e^(−s) has the root iπ/2: with a cosine before the start, a cosine it stays.
#[test]
fn a_given_past_goes_on() {
    reached("x' = -pi/2*delay(x, 1, cos(pi/2*t)); init x = 1; run 0 .. 12", 1.0, 3000.0);
}

/// x = e^(λt) before the start and ever after where λ = a + b e^(−λT): with a = −1, b = 1/2, T = 2 by Lambert's function
/// λ = a + W(b T e^(−aT))/T, computed with 30 digits.
#[test]
fn exponentials_of_lambert_stay() {
    let lambda = -0.221_427_200_501_194_3_f64;
    let text = format!("param r = {lambda:?}; x' = -x + 0.5*delay(x, 2, exp(r*t)); init x = 1; run 0 .. 10");
    reached(&text, (10.0 * lambda).exp(), 100.0);
}

/// The Mackey–Glass equation, x(255), by Taylor series of order 40 with 50 digits on 40 steps per delay.
#[test]
fn mackey_and_glass_are_met() {
    let text = "x' = 0.2*w/(1 + w^10) - 0.1*x; w = delay(x, 17); init x = 1.2; run 0 .. 255";
    reached(text, MACKEY_GLASS, 3e4);
}

const MACKEY_GLASS: f64 = 1.038_642_005_838_314_4;

/// A Padé approximation agrees with the delay of a smooth signal as well as its order can, when the start is forgotten: order 2 to
/// 1e-4 (2!·2!/(4!·5!) times (ωT)⁵), order 6 to the tolerance.
#[test]
fn pade_is_near_to_the_delay_of_a_smooth_signal() {
    let text = |delay: &str| format!("x' = -x + {delay}; y' = x - y; init x = 0, y = 1; run 0 .. 40");
    let end = |delay: &str| run(&text(delay), with("taylor", 1e-10)).final_value("x").expect("x");
    let [exact, coarse, fine] = [("delay", ""), ("pade", ", 2"), ("pade", ", 6")]
        .map(|(name, order)| end(&format!("{name}(sin(t) + 0.1*y, 0.5{order})")));
    let (far, near) = ((exact - coarse).abs(), (exact - fine).abs());
    assert!(far > 1e-7 && far < 1e-3 && near < 1e-8, "{far:e} {near:e}");
}

/// Without feedback the delayed value is the old one: of a state, of an input that jumps, of a delay of a delay.
#[test]
fn a_delayed_value_is_the_old_value() {
    let text = "x' = 2*x; init x = 1; y = delay(x, 0.25); z = delay(delay(x*t, 0.1), 0.2); s = delay(step(t), 0.5); run 0 .. 1";
    for method in METHODS {
        let end = run(text, with(method, 1e-9));
        let value = |name: &str| end.final_value(name).expect("a column");
        assert!((value("y") - 1.5f64.exp()).abs() < 1e-6, "{method}: {}", value("y"));
        assert!((value("z") - 0.7 * 1.4f64.exp()).abs() < 1e-6, "{method}: {}", value("z"));
        assert_eq!(value("s"), 1.0, "{method}");
    }
    let rows = |at: &str| {
        let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model");
        let options = RunOptions { rows: RowTimes::At(vec![at.into()]), ..RunOptions::default() };
        simulate(&compiled, &options, &mut Memory::default()).expect("a run");
        let short = RunOptions { t_end: Some(at.into()), ..RunOptions::default() };
        simulate(&compiled, &short, &mut Memory::default()).expect("a run").final_value("s").expect("s")
    };
    assert_eq!([rows("0.499"), rows("0.5")], [0.0, 1.0]);
}

/// A jump of a held value at k·Ts comes back at k·Ts + T, with its two sides, whether or not T is a multiple of Ts.
#[test]
fn jumps_come_back_as_jumps() {
    for (delay, exact) in [(0.25, 0.1 * (0.05 + 0.1 * 36.0)), (0.3, 0.1 * 36.0)] {
        // u = k from k/10 on, delayed by T: ∫ u(t − T) dt up to 1.2 is 0.1 (0 + … + 8) and half of the 9 for T = 0.25
        let exact = if delay == 0.25 { 0.1 * 36.0 + 0.05 * 9.0 } else { exact };
        let text = format!("x' = delay(u, {delay}); every 0.1: u = u + 1\ninit x = 0, u = -1; run 0 .. 1.2");
        // before the start u was −1
        let exact = exact - delay;
        for method in METHODS {
            let end = run(&text, with(method, 1e-8));
            let x = end.final_value("x").expect("x");
            assert!((x - exact).abs() < 1e-12, "{method}, {delay}: {x} instead of {exact}");
        }
    }
}

/// A sampled action reads the delayed value before a jump that falls on its instant, however the times are rounded.
#[test]
fn a_sample_reads_what_was_before_the_jump() {
    let text = "w = delay(u, 0.3); every 0.1: u = u + 1, v = w\nx' = 0; init x = 0, u = 0, v = 0; run 0 .. 2.05";
    for method in ["taylor", "dp5", "radau"] {
        let end = run(text, with(method, 1e-6));
        // the sample at 2.0 reads u(1.7) before its jump: 17 assignments since 0
        assert_eq!(end.final_value("v"), Some(17.0), "{method}");
    }
}

/// x′ = −sign(x(t − 1)) from x = 1/2: a triangle whose switches follow from the past: zeros at 1/2 and 7/2, turns one later.
#[test]
fn switches_of_delayed_values_are_located() {
    let text = "x' = -sign(delay(x, 1)); init x = 0.5; run 0 .. 5.25";
    for method in METHODS {
        let end = run(text, with(method, 1e-8));
        // down to −1 at 1.5, up to 1 at 3.5, down from then on
        let x = end.final_value("x").expect("x");
        assert!((x + 0.75).abs() < 1e-9, "{method}: {x}");
    }
}

/// A signal of time that no state shows is remembered as it was: a short pulse, and a fast sine.
#[test]
fn what_is_delayed_may_be_faster_than_the_states() {
    let text = "x' = delay(exp(-100*(t - 50)^2) + 20*cos(20*t), 3); init x = 0; run 0 .. 100";
    let exact = (std::f64::consts::PI / 100.0).sqrt() + (20.0f64 * 97.0).sin() + 60.0;
    for method in ["taylor", "dp8", "radau"] {
        for rtol in [1e-3, 1e-7] {
            let (error, estimate) = error_and_estimate(&run(text, with(method, rtol)), exact);
            assert!(error <= 1000.0 * rtol && error <= 1.3 * estimate, "{method} at {rtol}: {error:e} {estimate:e}");
        }
    }
}

/// Fixed steps keep their order: the error of `rk4` falls by 16 where the step is halved, also where the delay is no multiple.
#[test]
fn fixed_steps_keep_their_order() {
    let text = "x' = -pi/2*delay(x, 1, cos(pi/2*t)); init x = 1; run 0 .. 3.7";
    let exact = (std::f64::consts::FRAC_PI_2 * 3.7).cos();
    for (method, order) in [("rk4", 4.0), ("radau5", 5.0), ("heun", 2.0)] {
        let error = |step: f64| {
            let options = RunOptions { step: Some(step), ..with(method, 1e-6) };
            error_and_estimate(&run(text, options), exact).0
        };
        let observed = (error(0.04) / error(0.02)).log2();
        assert!(observed > order - 0.5, "{method}: {observed}");
    }
}

/// A step beyond the delay, and who cannot do delays, say so.
#[test]
fn what_cannot_be_done_is_refused_by_name() {
    let text = "x' = -delay(x, 1, 1); init x = 1; run 0 .. 5";
    let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model");
    let refused = |options: RunOptions| {
        format!("{:?}", simulate(&compiled, &options, &mut Memory::default()).expect_err("a refusal"))
    };
    assert!(refused(RunOptions { step: Some(2.0), ..with("rk4", 1e-6) }).contains("longer than the shortest delay"));
    assert!(refused(RunOptions { step: Some(0.1), ..with("ge3", 1e-6) }).contains("`delay`"));
    assert!(refused(with("mtsm", 1e-6)).contains("`delay`"));
    assert!(refused(RunOptions { precision: Some(30), ..with("auto", 1e-6) }).contains("`delay`"));
    let varied = ordinate::sensitivity(&compiled, &["x".into()]).expect_err("a refusal");
    assert!(varied.contains("`delay`"), "{varied}");
    let neutral = compile(&Source::text("x' = -delay(x', 1); init x = 1; run 0 .. 5"), &CompileOptions::default());
    let Err(Failure::Model(found)) = neutral else { panic!("a neutral model") };
    assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), ["neutral"]);
}
