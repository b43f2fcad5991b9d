//! Roots that come to rest: tanks that run empty, levels that even out, flows that turn round. ∂f/∂y is infinite there, f is not,
//! and every method goes on: the solution is known, and nothing of it needs many steps.

use ordinate::{CompileOptions, Discard, Run, RunOptions, Source, Status, compile, simulate};

const METHODS: [&str; 4] = ["auto", "radau", "radau5", "bdf"];

fn run(text: &str, t_end: f64, method: &str, rtol: f64) -> Run {
    let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes");
    let t_end = Some(format!("{t_end:?}"));
    let options = RunOptions { method: method.into(), t_end, rtol, atol: 1e-3 * rtol, ..RunOptions::default() };
    simulate(&compiled, &options, &mut Discard).expect("it can begin")
}

/// Every method reaches the end with these values, after few attempts.
fn check(text: &str, t_end: f64, exact: &[(&str, f64)], within: f64, attempts: u64) {
    for method in METHODS {
        let run = run(text, t_end, method, 1e-6);
        let told = format!("{text}: {method}, t = {t_end}: {:?}", run.reason);
        assert_eq!(run.outcome.status, Status::Ok, "{told}");
        for (name, exact) in exact {
            let value = run.final_value(name).expect("a column");
            assert!((value - exact).abs() < within, "{told}: {name} = {value:e}, not {exact:e}");
        }
        let statistics = &run.outcome.statistics;
        let done = statistics.steps + statistics.rejected;
        assert!(done < attempts, "{told}: {done} attempts");
    }
}

/// s = √h of h′ = a − √h that was empty a time `t` ago: t = −2 s − 2 a ln(1 − s/a), by bisection.
fn refilled(a: f64, t: f64) -> f64 {
    let (mut low, mut high) = (0.0, a);
    for _ in 0..200 {
        let s = 0.5 * (low + high);
        if -2.0 * s - 2.0 * a * (1.0 - s / a).ln() < t { low = s } else { high = s }
    }
    low * low
}

#[test]
fn an_empty_tank_is_refilled() {
    let text = "h' = 0.2*step(t-2) - sqrt(max(h,0)); h(0) = 0.1";
    check(text, 1.9, &[("h", 0.0)], 1e-8, 200);
    for t in [2.5, 6.0] {
        check(text, t, &[("h", refilled(0.2, t - 2.0))], 3e-6, 500);
    }
    // and runs empty again, 2 √h/0.1 after the inflow has ended; for time in units of 1/0.1 it is h′ = 2 − √h
    let text = "h' = 0.2*pulse(t-20,10) - 0.1*sqrt(max(h,0)); h(0) = 0.1";
    let full = refilled(2.0, 1.0).sqrt();
    check(text, 35.0, &[("h", (full - 0.25f64).powi(2))], 3e-5, 500);
    check(text, 60.0, &[("h", 0.0)], 1e-7, 500);
}

/// h = (1 − c t/2)² until it is zero; y = (1 − 2 c t/3)^(3/2).
#[test]
fn what_has_come_to_rest_stays_there() {
    for (c, t) in [("0.5", 10.0), ("1e3", 1.0)] {
        check(&format!("h' = -{c}*sqrt(abs(h))*sign(h); h(0) = 1"), t, &[("h", 0.0)], 1e-8, 200);
    }
    check("h' = -0.5*sqrt(abs(h))*sign(h); h(0) = 1", 3.0, &[("h", 0.0625)], 1e-6, 200);
    check("y' = -1e3*cbrt(y); y(0) = 1", 1.0, &[("y", 0.0)], 1e-8, 500);
    check("y' = -1e3*cbrt(y); y(0) = 1", 1e-3, &[("y", (1.0f64 / 3.0).powf(1.5))], 1e-5, 500);
}

/// a − b = (1 − 200 t)², while a + b stays.
#[test]
fn levels_even_out() {
    let text = "q = 100*sqrt(abs(a-b))*sign(a-b); a' = -q; b' = q; init a = 1, b = 0";
    check(text, 0.005, &[("a", 0.625), ("b", 0.375)], 2e-6, 200);
    check(text, 100.0, &[("a", 0.5), ("b", 0.5)], 1e-6, 200);
    let text = "q = 0.1*sqrt(abs(a-b))*sign(a-b); a' = -q; b' = q; init a = 1, b = 0";
    check(text, 60.0, &[("a", 0.5), ("b", 0.5)], 1e-6, 200);
}

/// The same for flows that an equation determines, which has no slope where the flow is zero: q falls linearly to zero, d = h₁ − h₂
/// with it: k q² = d, d′ = −2 q, so q′ = −1/k; and (q²)′ = −4/3 where q³ = d.
#[test]
fn flows_that_an_equation_determines_come_to_rest() {
    let tanks = "h1' = -q; h2' = q; init h1 = 1, h2 = 0; h1 - h2 =";
    let turbulent = ["2*q*abs(q)", "2*sign(q)*q^2", "if q > 0 then 2*q^2 else -2*q^2"];
    for law in turbulent {
        let (text, q) = (format!("{tanks} {law}"), 0.5f64.sqrt() - 0.5);
        check(&text, 1.0, &[("h1", 0.5 + q * q), ("q", q)], 3e-6, 300);
        check(&text, 10.0, &[("h1", 0.5), ("h2", 0.5)], 1e-6, 300);
    }
    let (text, q) = (format!("{tanks} q^3"), (1.0f64 - 0.8).sqrt());
    check(&text, 0.6, &[("h1", 0.5 + 0.5 * q.powi(3)), ("q", q)], 1e-5, 300);
    // with a laminar part the end comes as slowly as e^(−2t/r)
    for r in ["1e-3", "1e-6"] {
        let text = format!("{tanks} 2*q*abs(q) + {r}*q");
        check(&text, 10.0, &[("h1", 0.5), ("h2", 0.5)], 1e-6, 2000);
    }
    let three = "h1' = -a; h2' = a - b; h3' = b; h1 - h2 = 2*a*abs(a); h2 - h3 = 2*b*abs(b); \
                 init h1 = 1, h2 = 0, h3 = 0";
    let third = 1.0 / 3.0;
    check(three, 10.0, &[("h1", third), ("h2", third), ("h3", third)], 1e-6, 500);
    let ring = "h1' = -a - c; h2' = a - b; h3' = b + c; init h1 = 1, h2 = 0.3, h3 = 0; \
                h1 - h2 = 2*a*abs(a); h2 - h3 = 3*b*abs(b); h1 - h3 = 5*c*abs(c)";
    let mean = 1.3 / 3.0;
    check(ring, 10.0, &[("h1", mean), ("h2", mean), ("h3", mean)], 1e-6, 1000);
}

/// They turn round, at other resistances forth and back; compared at a tolerance that is a thousand times smaller.
#[test]
fn flows_that_an_equation_determines_turn_round() {
    let tanks = "h1' = -q + 0.9*sin(t); h2' = q; init h1 = 1, h2 = 0; h1 - h2 =";
    for law in ["2*q*abs(q)", "if q > 0 then 2*q^2 else -3*q^2", "2*q*abs(q) + 1e-3*q"] {
        let text = format!("{tanks} {law}");
        let reference = run(&text, 20.0, "auto", 1e-9);
        assert_eq!(reference.outcome.status, Status::Ok, "{law}: {:?}", reference.reason);
        let exact = ["h1", "h2"].map(|name| (name, reference.final_value(name).expect("a column")));
        check(&text, 20.0, &exact, 1e-5, 1500);
    }
}

/// Beside the edge of the domain of an unguarded root there is the same solution: h = (1 − t/2)², then zero.
#[test]
fn rest_at_the_edge_of_the_domain_is_no_end() {
    check("h' = -sqrt(h); h(0) = 1", 1.0, &[("h", 0.25)], 1e-6, 2000);
    check("h' = -sqrt(h); h(0) = 1", 5.0, &[("h", 0.0)], 1e-7, 2000);
}

/// Compared with a Taylor method at a tolerance that is a thousand times smaller.
#[test]
fn empty_tanks_fill_and_flows_turn_round() {
    let filling = "a' = -sqrt(abs(a-b))*sign(a-b) + 0.1; b' = sqrt(abs(a-b))*sign(a-b) - 0.1*sqrt(max(b,0)); \
                   a(0) = 0; b(0) = 0";
    let tide = "q = 0.1*sqrt(abs(a-b))*sign(a-b); a' = -q + 0.1*sin(t); b' = q; init a = 0, b = 0";
    for (text, t, attempts) in [(filling, 100.0, 500), (tide, 60.0, 4000)] {
        let reference = run(text, t, "auto", 1e-9);
        assert_eq!(reference.outcome.status, Status::Ok, "{text}: {:?}", reference.reason);
        let exact = ["a", "b"].map(|name| (name, reference.final_value(name).expect("a column")));
        check(text, t, &exact, 1e-5, attempts);
    }
}

/// p follows sin t within 1e-6, so that errors within the tolerance decide when it is overtaken: not infinitely often. The value
/// at the end is that of LSODA, BDF and Radau of SciPy.
#[test]
fn a_difference_within_the_tolerance_does_not_change_its_sign_for_ever() {
    for eps in ["1e-6", "1e-4"] {
        let text = format!("p' = 1e3*(sin(t)-p)/sqrt(abs(sin(t)-p)+{eps}); p(0) = 0");
        check(&text, 10.0, &[("p", -0.54401985)], 1e-5, 8000);
    }
}

/// x = 0 and x = t²/4 both solve x′ = √x, x(0) = 0: no implicit method chooses.
#[test]
fn where_several_solutions_begin_the_run_says_so() {
    for text in ["x' = sqrt(x); x(0) = 0", "x' = sqrt(abs(x)); x(0) = 0", "x' = cbrt(x); x(0) = 0"] {
        for method in METHODS {
            let run = run(text, 1.0, method, 1e-6);
            assert_eq!(run.outcome.status, Status::Stopped, "{text}: {method}");
            assert!(run.reason.expect("a reason").t < 1e-300, "{text}: {method}");
        }
    }
}
