//! Circuits with diodes as they are written down: conductances from 10⁻⁸⁵ to 10 in one system of equations, in any order of the
//! lines. References are solutions of equivalent ordinary equations by SciPy's Radau (rtol 1e-11) with the algebraic unknown by
//! bisection.

use ordinate::{
    CompileOptions, Discard, ErrorWish, IndexTreatment, Run, RunOptions, Source, Status, compile, simulate,
};

fn run(text: &str, t_end: f64) -> Run {
    run_by("auto", text, t_end)
}

fn run_by(method: &str, text: &str, t_end: f64) -> Run {
    let compiled = compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes");
    let options = RunOptions { t_end: Some(format!("{t_end:?}")), method: method.into(), ..RunOptions::default() };
    simulate(&compiled, &options, &mut Discard).expect("it can begin")
}

/// It ends with these values, and its error is known: not below a tenth of what it is.
fn check(text: &str, t_end: f64, exact: &[(&str, f64)], within: f64) {
    let run = run(text, t_end);
    assert_eq!(run.outcome.status, Status::Ok, "{text}: {:?}", run.reason);
    let estimate = run.error.as_ref().expect("its error is estimated");
    for (name, exact) in exact {
        let value = run.final_value(name).expect("a column");
        let error = (value - exact).abs();
        assert!(error < within, "{text}: {name} = {value:e}, not {exact:e}");
        let column = estimate.names.iter().position(|known| known == name).expect("a column");
        let told = estimate.largest[column];
        assert!(error < 10.0 * told.max(1e-10), "{text}: {name} is off by {error:e}, {told:e} was told");
    }
}

const DIODES: &str = "param Is = 1e-12, Vt = 0.02585, R = 1000, C = 1e-4, Rs = 1
input u = 10*sin(2*pi*50*t)
d1 = Is*(exp((a - p)/Vt) - 1); d2 = Is*(exp((b - p)/Vt) - 1)
d3 = Is*(exp((0 - a)/Vt) - 1); d4 = Is*(exp((0 - b)/Vt) - 1)
C*p' = d1 + d2 - p/R; init p = 0
";

/// While all diodes block, a + b = p is held by currents of 10⁻⁸⁵ A beside that of the source. At the start all is zero.
#[test]
fn the_middle_of_a_blocked_bridge_is_where_its_equations_say() {
    for lines in [
        "i = (u - (a - b))/Rs; i = d1 - d3; i = d4 - d2",
        "i = d1 - d3; i = (u - (a - b))/Rs; i = d4 - d2",
        "(u - (a - b))/Rs = d1 - d3; d1 - d3 = d4 - d2",
    ] {
        let text = format!("{DIODES}{lines}");
        let exact = [("p", 8.366976945224), ("a", 4.183488472612), ("b", 4.183488472612)];
        check(&text, 0.03, &exact, 1e-5);
        check(&text, 0.033, &[("p", 8.119695405737), ("a", 0.014762730994), ("b", 8.104932674743)], 1e-5);
    }
}

/// A charge of 10⁻¹⁵ C is far below its tolerance, and so is all that it could tell about the voltage; its start value is zero.
#[test]
fn a_given_charge_is_what_is_given() {
    let text = "param Is = 1e-12, Vt = 0.02585, C = 1e-11, R = 1e9
        input u = 0.5*sin(2*pi*10*t)
        i = Is*(exp(vd/Vt) - 1); vd + 1e8*i + q/C = u; q' = i - q/C/R; init q = 0";
    check(text, 0.2, &[("vd", 0.000413492887), ("q", -4.15105335e-15)], 1e-6);
}

/// Two stages by Cockcroft and Walton: node voltages, and the voltages of the capacitors, whose derivatives are formulas.
#[test]
fn a_voltage_doubler_is_the_same_in_any_variables() {
    let given = "param Is = 1e-12, Vt = 0.02585, R = 1e5, C = 1e-5, Rs = 10
        input u = 10*sin(2*pi*50*t)
        def D(v) = Is*(exp(v/Vt) - 1)
        ";
    let nodes = "i = (u - n0)/Rs; C*(n0' - n1') = i; C*(n0' - n1') = C*(n1' - n3') + D(n1 - n2) - D(0 - n1)
        C*(n1' - n3') = D(n3 - n4) - D(n2 - n3); C*n2' = C*(n4' - n2') + D(n1 - n2) - D(n2 - n3)
        C*(n4' - n2') = D(n3 - n4) - n4/R; init n1 = 0, n2 = 0, n3 = 0, n4 = 0";
    let capacitors = "Rs*i + c1 + n1 = u; n3 = n1 - c3; n2 = c2; n4 = c2 + c4; C*c1' = i
        i = C*c3' + D(n1 - n2) - D(0 - n1); C*c3' = D(n3 - n4) - D(n2 - n3)
        C*c2' = C*c4' + D(n1 - n2) - D(n2 - n3); C*c4' = D(n3 - n4) - n4/R
        init c1 = 0, c2 = 0, c3 = 0, c4 = 0";
    for text in [nodes, capacitors] {
        let exact = [("n1", 4.66004540612), ("n2", 10.4269179697), ("n3", 9.83062671893), ("n4", 13.8643157314)];
        check(&format!("{given}{text}"), 0.05, &exact, 1e-5);
    }
}

/// While all diodes block, the conductances change by orders of magnitude from one stage of a step to the next, and what holds the
/// potentials is far below the tolerance of any current: neither makes the steps shorter than the solution does.
#[test]
fn blocked_diodes_take_no_more_steps_than_their_smooth_potentials() {
    let bridge = format!("{DIODES}i = (u - (a - b))/Rs; i = d1 - d3; i = d4 - d2");
    let doubler = "param Is = 1e-9, Vt = 0.02585, Rs = 1, R = 10000, C = 1e-4
        input u = 10*sin(2*pi*50*t)
        def D(v) = Is*(exp(v/Vt) - 1)
        i = (u - s)/Rs; C*c' = i; n = s - c; i = D(n - p) - D(0 - n); C*p' = D(n - p) - p/R; init c = 0, p = 0";
    let half_wave = "param Is = 1e-12, Vt = 0.02585, Rs = 1, R = 1000, C = 1e-4
        input u = 10*sin(2*pi*50*t)
        i = (u - a)/Rs; i = Is*(exp((a - p)/Vt) - 1); C*p' = i - p/R; init p = 0";
    for (text, p) in [(bridge.as_str(), 8.366976945224), (doubler, 17.7293178059), (half_wave, 8.0938138952)] {
        for (method, most) in [("auto", 1000), ("radau5", 1200), ("bdf", 2200)] {
            let run = run_by(method, text, 0.1);
            assert_eq!(run.outcome.status, Status::Ok, "{method}: {:?}", run.reason);
            let statistics = &run.outcome.statistics;
            let attempts = statistics.steps + statistics.rejected;
            assert!(attempts < most, "{text} by {method}: {attempts} attempts");
            let value = run.final_value("p").expect("a column");
            assert!((value - p).abs() < 3e-5, "{text} by {method}: p = {value}");
        }
    }
}

/// A coil draws its current through the diodes until they can carry no more backwards, -2 Is, and no voltage of theirs goes on.
#[test]
fn a_coil_that_empties_itself_through_a_bridge_ends_with_its_equation() {
    let text = format!("{DIODES}i = (u - (a - b))/Rs; i = d1 - d3; i = d4 - d2")
        .replace("C*p' = d1 + d2 - p/R; init p = 0", "d1 + d2 = j; 0.01*j' = p - q; C*q' = j - q/R; init q = 0, j = 0");
    for method in ["auto", "radau5", "bdf"] {
        let run = run_by(method, &text, 0.1);
        let reason = run.reason.expect("it ends early");
        assert!(!reason.message.contains("without bound"), "{method}: {}", reason.message);
        assert!(reason.message.contains("d1 + d2 = j"), "{method}: {}", reason.message);
        assert!((run.outcome.t_reached - 0.005201).abs() < 1e-6, "{method}: {}", run.outcome.t_reached);
    }
}

/// The transistor amplifier of the IVP test set (F. Mazzia, C. Magherini, Test Set for Initial Value Problem Solvers 2.4, II-1),
/// whose mass matrix is singular; y8 passes through zero in every period, and with it its tolerance.
#[test]
fn the_transistor_amplifier_is_solved_as_it_is() {
    let text = "param Ub = 6, UF = 0.026, alpha = 0.99, beta = 1e-6, R0 = 1000, R = 9000
        param C1 = 1e-6, C2 = 2e-6, C3 = 3e-6, C4 = 4e-6, C5 = 5e-6
        def g(x) = beta*(exp(x/UF) - 1)
        C1*(y2' - y1') = y1/R0 - 0.1*sin(200*pi*t)/R0
        C1*(y1' - y2') = -Ub/R + y2*(2/R) - (alpha - 1)*g(y2 - y3)
        -C2*y3' = -g(y2 - y3) + y3/R
        C3*(y5' - y4') = -Ub/R + y4/R + alpha*g(y2 - y3)
        C3*(y4' - y5') = -Ub/R + y5*(2/R) - (alpha - 1)*g(y5 - y6)
        -C4*y6' = -g(y5 - y6) + y6/R
        C5*(y8' - y7') = -Ub/R + y7/R + alpha*g(y5 - y6)
        C5*(y7' - y8') = y8/R
        init y1 = 0, y2 = 3, y3 = 3, y4 = 6, y5 = 3, y6 = 3, y7 = 6, y8 = 0
        run 0 .. 0.2";
    for index in [IndexTreatment::Reduce, IndexTreatment::Direct] {
        let options = CompileOptions { index, ..CompileOptions::default() };
        let compiled = compile(&Source::text(text), &options).expect("a model without mistakes");
        for (method, rtol) in ["radau5", "radau", "bdf"]
            .into_iter()
            .flat_map(|method| [1e-3, 1e-4, 1e-5, 1e-6, 1e-8].map(|r| (method, r)))
        {
            let options = RunOptions { method: method.into(), rtol, error: ErrorWish::Off, ..RunOptions::default() };
            let run = simulate(&compiled, &options, &mut Discard).expect("it can begin");
            assert_eq!(run.outcome.status, Status::Ok, "{index:?} {method} {rtol}: {:?}", run.reason);
            let y8 = run.final_value("y8").expect("a column");
            assert!((y8 - 1.236995868091548).abs() < (1e3 * rtol).min(0.2), "{index:?} {method} {rtol}: {y8}");
        }
    }
}
