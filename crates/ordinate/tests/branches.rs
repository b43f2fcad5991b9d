//! Points where the index changes: two solutions meet, and what determines the solution vanishes. Every method passes along the
//! smooth solution, or says where it ends and why; none goes over to the other solution with a good word.

use ordinate::{
    CompileOptions, Discard, ErrorWish, IndexTreatment, RowTimes, Run, RunOptions, Source, compile, simulate,
};

const METHODS: [&str; 12] = [
    "auto",
    "taylor",
    "dp5",
    "dp8",
    "bs23",
    "adams",
    "trapezoid",
    "backward-euler",
    "radau3",
    "radau5",
    "radau",
    "bdf",
];
const FIXED: [(&str, f64); 5] = [("rk4", 0.01), ("radau5", 0.01), ("bdf3", 0.01), ("am3", 0.01), ("euler", 0.003)];

fn run(text: &str, index: IndexTreatment, method: &str, step: Option<f64>) -> Run {
    let compiled = compile(&Source::text(text), &CompileOptions { index, ..CompileOptions::default() });
    let options = RunOptions { method: method.into(), step, ..RunOptions::default() };
    simulate(&compiled.expect("a model without mistakes"), &options, &mut Discard).expect("it can begin")
}

/// Either the end is that of the smooth solution, or the run ended before or just after `meeting` for a named reason.
fn check(text: &str, (name, end): (&str, f64), meeting: f64, most: f64) {
    let controlled = METHODS.iter().map(|method| (*method, None));
    let fixed = FIXED.iter().map(|(method, step)| (*method, Some(*step)));
    for index in [IndexTreatment::Reduce, IndexTreatment::Direct] {
        for (method, step) in controlled.clone().chain(fixed.clone()) {
            if index == IndexTreatment::Direct && !["radau3", "radau5", "radau", "bdf"].contains(&method) {
                continue;
            }
            let found = run(text, index, method, step);
            let told = format!("{text}: {index:?} {method} {step:?}: {:?}", found.reason);
            match &found.reason {
                None => {
                    let value = found.final_value(name).expect("a state");
                    assert!((value - end).abs() < most, "{told}: {value}");
                }
                Some(reason) => {
                    let known = ["singular_jacobian", "newton_failed", "singularity", "step_too_small", "not_finite"];
                    assert!(known.contains(&reason.kind) && reason.variable.is_some(), "{told}");
                    // An error of the tolerance, or of a step, decides how near solutions come to each other.
                    assert!(reason.t > 0.0 && reason.t < meeting + 0.6, "{told}");
                }
            }
        }
    }
}

/// A crank of length a turns, coupler b and rocker c follow; their other closure is never near. Long steps over it neither end as if it
/// were, nor go over to it or to an angle that is 2π farther.
#[test]
fn linkages_stay_closed_as_they_are() {
    let cranks = [
        [0.157, 1.096, 1.064, 1.457, 9.7],
        [0.25, 0.8, 0.7, 0.9, 3.0],
        [0.303, 0.802, 1.17, 1.283, 9.733],
        [0.287, 1.071, 1.098, 1.46, 7.919],
        [0.219, 1.19, 0.823, 1.485, 9.138],
    ];
    for [a, b, c, d, omega] in cranks {
        let text = format!(
            "param a = {a}, b = {b}, c = {c}, d = {d}; th' = {omega}; a*cos(th) + b*cos(be) = d + c*cos(ga); \
             a*sin(th) + b*sin(be) = c*sin(ga); th(0) = 0.5; guess be = 0.9, ga = 1.8; run 0 .. 20"
        );
        let th: f64 = 0.5 + 20.0 * omega;
        let (x, y) = (d - a * th.cos(), -a * th.sin());
        let length = x.hypot(y);
        let exact = y.atan2(x) + ((b * b + length * length - c * c) / (2.0 * b * length)).acos();
        let compiled = compile(&Source::text(&text), &CompileOptions::default()).expect("a model without mistakes");
        for method in ["auto", "radau5", "taylor", "dp5", "bdf"] {
            for rtol in [1e-3, 1e-6] {
                let rows = RowTimes::At(vec!["20".into()]);
                let options = RunOptions { method: method.into(), rtol, rows, ..RunOptions::default() };
                let found = simulate(&compiled, &options, &mut Discard).expect("it can begin");
                assert!(found.reason.is_none(), "{text}: {method}, {rtol:e}: {:?}", found.reason);
                let off = found.final_value("be").expect("a state") - exact;
                assert!(off.abs() < 10.0 * rtol, "{text}: {method}, {rtol:e}: off by {off:e}");
            }
        }
    }
}

const HALF_PI: f64 = std::f64::consts::FRAC_PI_2;

/// z follows from 2 x z = …, and x passes through zero at π/2; x = |cos t| solves all equations, too.
#[test]
fn a_constraint_that_lets_go_is_passed_or_named() {
    let end = 3f64.cos();
    check("x' = z - y; y = sin(t)^2; x^2 + y = 1; init x = 1; run 0 .. 3", ("x", end), HALF_PI, 0.05);
    check("x' = z - y; y' = 2*sin(t)*cos(t); x^2 + y = 1; init x = 1, y = 0; run 0 .. 3", ("x", end), HALF_PI, 0.05);
}

/// x = sin t comes to 1, where z = 0 solves z² = 1 − x² twice, and x = 1 is a solution, too.
#[test]
fn a_solution_does_not_stay_where_nothing_determines_it() {
    let end = 3f64.sin();
    check("x' = z; z^2 = 1 - x^2; x(0) = 0; guess z = 1; run 0 .. 3", ("x", end), HALF_PI, 1e-3);
    check("x'^2 + x^2 = 1; x(0) = 0; guess x' = 1; run 0 .. 3", ("x", end), HALF_PI, 1e-3);
}

/// The branches 2 cos t and 0 cross at π/2.
#[test]
fn crossing_branches_of_an_algebraic_equation_are_not_confused() {
    check("(x - cos(t))^2 + sin(t)^2 = 1; guess x = 2; run 0 .. 3", ("x", 2.0 * 3f64.cos()), HALF_PI, 1e-3);
    check("w' = z; z^2 = (1 - t)^2; w(0) = 0; guess z = 1; run 0 .. 3", ("w", -1.5), 1.0, 1e-2);
    let four_bars =
        "th = t; cos(th) + cos(ph) = x; sin(th) = sin(ph); w' = x; w(0) = 0; guess ph = 0.1, x = 2; run 0 .. 3";
    check(four_bars, ("x", 2.0 * 3f64.cos()), HALF_PI, 1e-2);
}

/// What is not determined at the start is not chosen by the method.
#[test]
fn an_index_that_changes_at_the_start_is_named() {
    let text = "x' = z; x*w = sin(t)*cos(t); w' = cos(t); init x = 1, w = 0; run 0 .. 3";
    for (index, method) in [
        (IndexTreatment::Reduce, "auto"),
        (IndexTreatment::Reduce, "radau5"),
        (IndexTreatment::Reduce, "dp8"),
        (IndexTreatment::Direct, "radau5"),
        (IndexTreatment::Direct, "radau"),
    ] {
        let found = run(text, index, method, None);
        let reason = found.reason.expect("an end");
        assert_eq!((reason.kind, reason.t), ("singular_jacobian", 0.0), "{index:?} {method}");
    }
}

/// Solutions that turn before a wall, or near zero, are followed to their end.
#[test]
fn real_turns_are_followed() {
    // x² = 1 + (t − 5)²·v² + …: the distance of a particle that a 1/x³ force turns back
    let far = |v: f64| ((5.0 * v).powi(2) + 1.0 / (v * v)).sqrt();
    for v in [1.0f64, 10.0, 30.0] {
        let (x0, slope) = (far(v), -5.0 * v * v / far(v));
        let text = format!("x'' = 1/x^3; init x = {x0:?}, x' = {slope:?}; run 0 .. 10");
        for method in ["auto", "dp8", "dp5", "radau5", "bdf", "adams"] {
            let found = run(&text, IndexTreatment::Reduce, method, None);
            assert!(found.reason.is_none(), "{method}, v = {v}: {:?}", found.reason);
            let end = found.final_value("x").expect("a state");
            assert!((end / x0 - 1.0).abs() < 0.05, "{method}, v = {v}: {end} instead of {x0}");
        }
    }
    // a denominator that comes near to zero and goes back, smoothly
    let text = "y' = 1/(t^2 + 1e-4 + 0*y) - y; y(-1) = 0; run -1 .. 1";
    assert!(run(text, IndexTreatment::Reduce, "dp8", None).reason.is_none());
}

/// A run whose rows are asked for elsewhere ends as well or as badly.
#[test]
fn rows_do_not_decide_where_a_run_ends() {
    let text = "y'^2 = 4*y; init y = 1; guess y' = -2; run 0 .. 2";
    let found = run(text, IndexTreatment::Reduce, "auto", None);
    assert!(found.reason.is_none(), "{:?}", found.reason);
    assert!((found.final_value("y").expect("a state") - 1.0).abs() < 1e-5);
}

/// A strong acid is neutralised: h > 0 and h < 0 solve the equations, and at t = 1 they are 2·10⁻⁷ apart. No method leaps from the
/// one to the other, however long its steps are; written as h = … + 10⁻¹⁴/h it may have to end there.
#[test]
fn a_long_step_does_not_leap_to_a_solution_that_comes_near() {
    let model = "h - o = 1 - t; h*o = 1e-14; x' = o - x; init x = 0; guess h = 1; run 0 .. 3";
    let divided = "h = 1 - t + 1e-14/h; x' = h - x; init x = 0; guess h = 1; run 0 .. 3";
    let controlled = METHODS.iter().map(|method| (*method, None));
    let fixed = [("radau5", 0.3), ("bdf2", 0.05), ("trapezoid", 0.3), ("rk4", 0.1)].map(|(name, h)| (name, Some(h)));
    for (method, step) in controlled.chain(fixed) {
        let found = run(model, IndexTreatment::Reduce, method, step);
        let o = found.final_value("o").expect("a column");
        // x' = o − x with o = t − 1 after t = 1 and nothing before
        let (x, exact) = (found.final_value("x").expect("a column"), 1.0 + (-2f64).exp());
        match &found.reason {
            None => assert!((o - 2.0).abs() < 1e-6 && (x - exact).abs() < 0.05, "{method} {step:?}: {o}, {x}"),
            Some(reason) => assert!(step.is_some() && reason.t < 1.1, "{method} {step:?}: {reason:?}"),
        }
        let found = run(divided, IndexTreatment::Reduce, method, step);
        let h = found.final_value("h").expect("a column");
        assert!(found.reason.is_some() || h.abs() < 1e-6, "{method} {step:?}: {h}");
    }
}

/// Three roots: the first and the last one have the same sign of the derivative, so a leap over both is seen by its size.
#[test]
fn a_titration_stays_on_its_branch() {
    let model = "v = 1 + t; na = 0.1/v; nb = 0.1*t/v; ha + a = na; h*a = 1.8e-5*ha; h*o = 1e-14; h + nb = o + a
x' = h; init x = 0; guess h = 1e-3; run 0 .. 2";
    for method in ["auto", "radau5", "bdf", "trapezoid", "dp5"] {
        let found = run(model, IndexTreatment::Reduce, method, None);
        let o = found.final_value("o").expect("a column");
        assert!(found.reason.is_some() || (o - 1.0 / 30.0).abs() < 1e-6, "{method}: {o}");
    }
}

/// The two solutions come nearer than the tolerance of the state that they depend on, and stay two: an error of that state moves
/// the time at which they are nearest, not their distance. Behind it the right one is tiny, the other one is not.
#[test]
fn two_solutions_are_two_however_near_they_come() {
    let models = [
        ("H", "c' = 0.01; init c = 0; H + c = 1e-14/H + 0.1; guess H = 0.1; run 0 .. 15"),
        ("h", "x' = -1; init x = 1; h*o = 1e-16; h = o + x; guess h = 1, o = 1e-6; run 0 .. 2"),
        ("z", "x' = -1; init x = 1; z - 1e-16/z = x; guess z = 1; run 0 .. 18"),
        ("z", "x' = -1; init x = 1; z^2 - x*z = 1e-16; guess z = 1; run 0 .. 2"),
    ];
    for (name, text) in models {
        let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes");
        for (method, rtol) in METHODS.into_iter().flat_map(|method| [(method, 1e-4), (method, 1e-6)]) {
            let options = RunOptions { method: method.into(), rtol, error: ErrorWish::Off, ..RunOptions::default() };
            let found = simulate(&compiled, &options, &mut Discard).expect("it can begin");
            let value = found.final_value(name).expect("a column");
            assert!(found.reason.is_some() || value.abs() < 1e-6, "{text}: {method}, {rtol}: {value}");
        }
    }
}

/// s′ = −s/(K + s): s comes to zero and stays there. Behind the pole at −K the same formula goes on to −1.
#[test]
fn a_pole_with_a_small_residue_is_not_stepped_over() {
    for k in ["1e-5", "1e-7", "1e-8", "1e-9", "1e-10"] {
        let text = format!("s' = -s/({k} + s); s(0) = 1; run 0 .. 2");
        for method in ["radau3", "radau5", "radau", "bdf", "trapezoid", "backward-euler"] {
            let found = run(&text, IndexTreatment::Reduce, method, None);
            let s = found.final_value("s").expect("a state");
            assert!(found.reason.is_none() && s.abs() < 1e-8, "{method}, {k}: {s} {:?}", found.reason);
        }
    }
}

/// The elastic beam of Hairer and Wanner II, IV.10, in 40 pieces: u is of the order 0.1 and follows from forces of 10⁶ times the
/// differences of angles, so that its last digits are rounding, which is no end of the solution.
#[test]
fn rounding_of_an_algebraic_state_is_not_the_end_of_its_solution() {
    let n = 40usize;
    let mut text = String::from("phi = if t < pi then 1.5*sin(t)^2 else 0\n");
    for l in 1..=n {
        let (below, above) = if l == 1 { ("-th[1]".into(), 2) } else { (format!("th[{}]", l - 1), (l + 1).min(n)) };
        text +=
            &format!("v[{l}] = {n}^4*({below} - 2*th[{l}] + th[{above}]) + {n}^2*phi*(cos(th[{l}]) + sin(th[{l}]))\n");
        let diagonal = if l == 1 { 1 } else { 2 + l / n };
        let beside = |function: &str, of: &str| -> String {
            let neighbours = [l - 1, l + 1].into_iter().filter(|m| (1..=n).contains(m));
            neighbours.map(|m| format!(" - {function}(th[{l}] - th[{m}])*{of}[{m}]")).collect()
        };
        let ([cos_u, cos_v], [sin_u, sin_v]) =
            (["u", "v"].map(|of| beside("cos", of)), ["u", "v"].map(|of| beside("sin", of)));
        text += &format!("{diagonal}*u[{l}]{cos_u} = th[{l}]'^2{sin_v}\n");
        text += &format!("th[{l}]'' = {diagonal}*v[{l}]{cos_v}{sin_u}; init th[{l}] = 0, th[{l}]' = 0\n");
    }
    let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes");
    let [fine, coarse] = [("radau5", 1e-9), ("radau", 1e-6)].map(|(method, rtol)| {
        let t_end = Some("1.5".into());
        let options = RunOptions { method: method.into(), rtol, t_end, error: ErrorWish::Off, ..RunOptions::default() };
        let found = simulate(&compiled, &options, &mut Discard).expect("it can begin");
        assert!(found.reason.is_none(), "{method}, {rtol}: {:?}", found.reason);
        found.final_value("th[40]").expect("a state")
    });
    assert!((fine - coarse).abs() < 1e-4, "{fine}, {coarse}");
}
