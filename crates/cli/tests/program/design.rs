//! `ordinate design`: gains against the reference data, closed loops that run, and what is refused.

use crate::golden::{cases, list, number};
use crate::support::{Answer, Place, ordinate, repository};
use serde_json::Value;

fn example(name: &str) -> String {
    std::fs::read_to_string(repository().join("examples").join(name)).expect("a model of the gallery")
}

fn place() -> Place {
    let names = ["dc-motor.eq", "cart.eq", "maglev.eq"];
    names.iter().fold(Place::new(), |place, name| place.with(name, example(name)))
}

fn design(place: &Place, args: &[&str]) -> Answer {
    let mut all = vec!["design"];
    all.extend(args);
    place.run(&all)
}

fn json(place: &Place, args: &[&str]) -> Value {
    let mut all = args.to_vec();
    all.extend(["--format", "json"]);
    design(place, &all).expect(0).json()
}

fn row(matrix: &Value) -> Vec<f64> {
    list(&matrix[0]).iter().map(number).collect()
}

fn assert_close(found: &[f64], expected: &[f64], relative: f64) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= relative * b.abs(), "{found:?} is not {expected:?}");
    }
}

/// Runs a closed loop at the times of a reference case and compares columns, in units of the scale of each.
fn follows(place: &Place, file: &str, id: &str, columns: &[(&str, usize)], more: &[&str]) {
    let all = cases("ode");
    let case = all.iter().find(|case| case["id"] == id).expect("a case of the data");
    let rows = list(&case["reference"]);
    let times: Vec<String> = rows.iter().map(|row| number(&row["t"]).to_string()).collect();
    let at = times.join(",");
    let end = number(&case["tend"]).to_string();
    let mut args = vec!["run", file, "--at", &at, "-t", &end, "--rtol", "1e-12", "--atol", "1e-14", "-q"];
    args.extend(more);
    let table = place.run(&args).expect(0).table();
    for &(name, k) in columns {
        let scale = number(&case["scale"][k]);
        for (value, row) in table.column(name).iter().zip(rows) {
            let expected = number(&row["y"][k]);
            assert!((value - expected).abs() < 1e-9 * scale, "{id}: {name} = {value}, expected {expected}");
        }
    }
}

#[test]
fn placed_poles_of_the_motor_give_the_gains_of_the_thesis_and_its_trajectory() {
    let place = place();
    let args = ["place", "dc-motor.eq", "--poles", "-5+1i,-5-1i", "--reference", "omega=0.5", "-o", "dc-sf.eq"];
    let found = json(&place, &args);
    assert_eq!(found["schema"], "ordinate.design/1");
    assert_eq!(found["states"], serde_json::json!(["omega", "i"]));
    assert_close(&row(&found["K"]), &[12.99, -1.0], 1e-12);
    assert_close(&row(&found["kr"]), &[13.0], 1e-12);
    let mut poles: Vec<(f64, f64)> =
        list(&found["closed_loop_eigenvalues"]).iter().map(|p| (number(&p["re"]), number(&p["im"]))).collect();
    poles.sort_by(|a, b| a.1.total_cmp(&b.1));
    assert_close(&[poles[0].0, poles[0].1, poles[1].0, poles[1].1], &[-5.0, -1.0, -5.0, 1.0], 1e-9);
    follows(&place, "dc-sf.eq", "dc-sf", &[("omega", 0), ("i", 1)], &[]);
}

#[test]
fn a_start_away_from_the_point_is_written_into_the_closed_loop() {
    let place = place();
    let at = ["--set", "omega=2", "--set", "i=-1", "--at", "omega=0,i=0", "-o", "loop.eq"];
    let mut args = vec!["place", "dc-motor.eq", "--poles", "-5+1i,-5-1i", "--reference", "omega=10"];
    args.extend(at);
    design(&place, &args).expect(0);
    assert!(place.text("loop.eq").contains("init omega = 2 [rad/s], i = -1 [A]"), "{}", place.text("loop.eq"));
    follows(&place, "loop.eq", "dc-sf-wr10", &[("omega", 0), ("i", 1)], &[]);
}

#[test]
fn the_regulator_of_the_motor_has_the_gains_of_the_reference_to_twelve_digits() {
    let place = place();
    let args = ["lqr", "dc-motor.eq", "--q", "15,2", "--r", "1", "--reference", "omega=0.5", "-o", "dc-lqr.eq"];
    let found = json(&place, &args);
    assert_close(&row(&found["K"]), &[0.109_656_754_594_337_9, 0.763_421_887_863_008_8], 1e-12);
    assert_close(&row(&found["kr"]), &[17.753_875_633_224_426], 1e-12);
    follows(&place, "dc-lqr.eq", "dc-lqr", &[("omega", 0), ("i", 1)], &[]);
    let full = json(&place, &["lqr", "dc-motor.eq", "--q", "[[15, 0], [0, 2]]", "--r", "1"]);
    assert_eq!(full["K"], found["K"]);
}

#[test]
fn an_integrator_with_a_gain_of_its_own_removes_a_disturbance() {
    let text = example("dc-motor.eq").replace("param w = 0 [N*m] ", "input w = if t < 4.7 then 0 else 0.02 [N*m] ");
    let place = Place::new().with("motor.eq", text);
    let args = ["place", "motor.eq", "--input", "u", "--poles", "-5+1i,-5-1i"];
    let follow = ["--reference", "omega=0.5", "--integral", "omega", "--ki", "15", "-o", "dc-int.eq"];
    let found = json(&place, &[&args[..], &follow].concat());
    assert_close(&[row(&found["K"]), row(&found["kr"]), row(&found["ki"])].concat(), &[12.99, -1.0, 13.0, 15.0], 1e-12);
    assert_eq!(list(&found["closed_loop_eigenvalues"]).len(), 3);
    follows(&place, "dc-int.eq", "dc-int", &[("omega", 0), ("i", 1), ("z", 2)], &[]);
}

#[test]
fn the_integrator_counts_among_the_poles_without_a_gain_of_its_own() {
    let place = place();
    let found = json(&place, &["place", "dc-motor.eq", "--poles", "-4,-5,-6", "--integral", "omega"]);
    let mut poles: Vec<f64> = list(&found["closed_loop_eigenvalues"]).iter().map(|p| number(&p["re"])).collect();
    poles.sort_by(f64::total_cmp);
    assert_close(&poles, &[-6.0, -5.0, -4.0], 1e-9);
    // s³ + 15 s² + 74 s + 120 with the motor's a(s) = s² + 12 s + 20.02 and b = 2
    assert_close(&row(&found["ki"]), &[60.0], 1e-9);
}

#[test]
fn the_hanging_cart_has_the_true_gains() {
    let found = json(&place(), &["place", "cart.eq", "--at", "phi=pi", "--poles", "-1.5,-1.6,-1.7,-1.8"]);
    assert_eq!(found["states"], serde_json::json!(["x", "x'", "phi", "phi'"]));
    assert_close(&row(&found["K"]), &[11.2293578, 27.34862385, 114.9909633, 57.97706422], 1e-9);
}

#[test]
fn levitation_follows_the_reference_from_its_poles() {
    let place = place();
    let poles = "-47.25970780968909,-33.4927940580516,-7.90894762208634+7.022775210328858i,-7.90894762208634-7.022775210328858i";
    let args = ["place", "maglev.eq", "--at", "x=0.009", "--equilibrium", "--poles", poles];
    let found = json(&place, &[&args[..], &["--integral", "x", "-o", "loop.eq"]].concat());
    assert_eq!(found["states"], serde_json::json!(["i", "x", "x'"]));
    assert_close(&row(&found["K"]), &[25.8, -2762.6, -57.7], 1e-9);
    assert_close(&row(&found["ki"]), &[-2000.0], 1e-9);
    // the reference has no constant input at the point: there the integral begins with it
    let (u0, i0) = (number(&found["point"]["u"]), number(&found["point"]["i"]));
    let z = format!("z={:e}", (u0 + 25.8 * (i0 - 0.8)) / 2000.0);
    let start = ["--set", "x=0.012", "--set", "i=0.8", "--set", &z];
    follows(&place, "loop.eq", "maglev-sf", &[("x'", 0), ("x", 1), ("i", 2)], &start);
}

#[test]
fn a_pid_controller_holds_the_pendulum_as_the_reference_does() {
    let text = "param m = 1.5, l = 1.5, g = 9.81, d = 1; input u = 0\nphi'' = -d/m*phi' - g/l*phi + u\ninit phi = pi/12, phi' = 0\n";
    let place = Place::new().with("pendulum.eq", text);
    let args = ["pid", "pendulum.eq", "--at", "phi=0", "--output", "phi", "--kp", "1", "--ki", "5", "--kd", "3"];
    let found = json(&place, &[&args[..], &["--reference", "pi/8", "-o", "loop.eq"]].concat());
    assert_eq!(found["pid"], serde_json::json!({"kp": 1.0, "ki": 5.0, "kd": 3.0}));
    follows(&place, "loop.eq", "pend-pid", &[("z", 0), ("phi'", 1), ("phi", 2)], &[]);
}

#[test]
fn the_pendulum_is_balanced_as_a_newcomer_types_it() {
    let place = place();
    let args = ["lqr", "cart.eq", "--at", "phi=0", "--q", "1,10,1,10", "--r", "0.1", "-o", "cart-lqr.eq"];
    let shown = design(&place, &args).expect(0).out;
    for word in ["k_phi", "poles", "damping", "margins", "cost", "comes to rest", "|u|"] {
        assert!(shown.contains(word), "{word} is missing:\n{shown}");
    }
    for set in [&["--set", "phi=0.3"][..], &[]] {
        let mut args = vec!["run", "cart-lqr.eq", "-t", "60", "--plot"];
        args.extend(set);
        place.run(&args).expect(0);
        let mut args = vec!["run", "cart-lqr.eq", "-t", "60", "-o", "rows.csv"];
        args.extend(set);
        place.run(&args).expect(0);
        let table = place.table("rows.csv");
        let (x, phi) = (table.column("x"), table.column("phi"));
        assert!(phi[0].abs() > 0.05, "something is to be balanced");
        assert!(phi[phi.len() - 1].abs() < 1e-6 && (x[x.len() - 1] + 1.0).abs() < 1e-6);
    }
}

#[test]
fn the_cost_is_that_of_the_simulated_loops() {
    let place = place();
    let start = ["--start", "phi=0.1", "--at", "phi=0", "--q", "1,10,1,10", "--r", "0.1"];
    for sampled in [&[][..], &["--sampled", "0.05"]] {
        let found = json(&place, &[&["lqr", "cart.eq"], &start[..], sampled].concat());
        let cost = number(&found["cost"]);
        assert!(cost > 0.0);
        assert_close(&[number(&found["cost_linear"])], &[cost], 1e-7);
        assert_close(&[number(&found["cost_nonlinear"])], &[cost], 0.05);
    }
}

#[test]
fn a_sampled_loop_has_the_poles_that_were_asked_for() {
    let place = place();
    let args = ["place", "dc-motor.eq", "--sampled", "0.05", "-o", "loop.eq", "--reference", "omega=0.5"];
    for poles in [&["--poles", "-5+1i,-5-1i"][..], &["--poles", "0.5,0.6", "--discrete-poles"]] {
        let found = json(&place, &[&args[..], poles].concat());
        let sizes: Vec<f64> =
            list(&found["closed_loop_eigenvalues"]).iter().map(|p| number(&p["re"]).hypot(number(&p["im"]))).collect();
        let expected = if poles.len() == 2 { [(-0.25f64).exp(); 2] } else { [0.6, 0.5] };
        assert_close(&sizes, &expected, 1e-9);
        let text = place.text("loop.eq");
        assert!(text.contains("param Ts = 0.05") && text.contains("every Ts:\n    u = "), "{text}");
        let end = place.run(&["run", "loop.eq", "--at", "10", "-q"]).expect(0).table();
        assert!((end.column("omega")[0] - 0.5).abs() < 1e-6);
    }
}

#[test]
fn an_observer_adds_its_own_poles_to_those_of_the_feedback() {
    let place = place();
    let feedback = ["place", "cart.eq", "--at", "phi=0", "--poles", "-1.5,-1.6,-1.7,-1.8", "--measured", "x,phi"];
    for sampled in [&[][..], &["--sampled", "0.02"]] {
        let observer = ["--observer-poles", "-5,-6,-7,-8", "-o", "loop.eq"];
        let found = json(&place, &[&feedback[..], &observer, sampled].concat());
        let mut rates: Vec<f64> = list(&found["closed_loop_eigenvalues"])
            .iter()
            .map(|p| if sampled.is_empty() { number(&p["re"]) } else { number(&p["re"]).ln() / 0.02 })
            .collect();
        rates.sort_by(f64::total_cmp);
        assert_close(&rates, &[-8.0, -7.0, -6.0, -5.0, -1.8, -1.7, -1.6, -1.5], 1e-5);
        assert_eq!(found["trial"]["at_rest"], true, "{found}");
        let text = place.text("loop.eq");
        assert!(text.contains("phi_dot_hat") && text.contains("measured less estimated"), "{text}");
        let run = place.run(&["run", "loop.eq", "--set", "phi=0.02", "-t", "30", "--at", "30", "-q"]).expect(0).table();
        assert!(run.column("phi")[0].abs() < 1e-6);
    }
    let kalman = ["--noise-q", "1", "--noise-r", "0.01"];
    let found = json(&place, &[&feedback[..], &kalman].concat());
    assert_eq!(found["stable"], true);
    assert_eq!(list(&found["observer"]["L"]).len(), 4);
}

#[test]
fn values_that_are_set_are_written_and_comments_stay() {
    let place = place();
    let args =
        ["lqr", "cart.eq", "--set", "m=2", "--set", "u=3", "--at", "phi=0", "--q", "1", "--r", "1", "-o", "loop.eq"];
    let found = json(&place, &args);
    let text = place.text("loop.eq");
    assert!(text.contains("param M = 10 [kg], m = 2 [kg], l = 1.5 [m]"), "{text}");
    assert!(text.contains("# A pendulum on a cart, free; phi = 0 is upright"), "{text}");
    assert!(text.contains("Written by: ordinate design lqr cart.eq --set m=2"), "{text}");
    assert!(!text.contains("input u"), "{text}");
    // gains round-trip
    let gain = row(&found["K"])[0];
    assert!(text.contains(&format!("param k_x = {gain:?} ")), "{gain:?}\n{text}");
    let plain = json(&place, &["lqr", "cart.eq", "--at", "phi=0", "--q", "1", "--r", "1"]);
    assert_ne!(plain["K"], found["K"], "another mass has other gains");
    place.run(&["check", "loop.eq"]).expect(0);
}

#[test]
fn models_without_a_file_are_designed_for_too() {
    let place = Place::new();
    let text = "v' = -v + k1*u + w; param k1 = 2; input w = 0.5, u = 0; init v = 1";
    let args = ["design", "place", "-e", text, "--input", "u", "--poles", "-3", "-o", "-"];
    let written = place.run(&args).expect(0).out;
    assert!(written.contains("input w = 0.5") && written.contains("run 0 .. "), "{written}");
    // `k1` is taken, and the gain of v is no name of the model
    assert!(written.contains("param k_v = 1\n") || written.contains("param k_v = 1 "), "{written}");
    let place = place.with("loop.eq", &written);
    let end = place.run(&["run", "loop.eq", "--at", "4", "-q", "-t", "4"]).expect(0).table();
    assert!((end.column("v")[0] - 1.0).abs() < 1e-9, "the point is the start, which u holds");
    let from_stdin = place.run_os(
        ["design", "lqr", "-", "--input", "u", "--q", "1", "--r", "1"].map(Into::into).to_vec(),
        text.as_bytes(),
    );
    from_stdin.expect(0);
}

#[test]
fn names_that_the_model_has_are_not_taken_again() {
    let text = "x' = k_x*x + kr*z + u; z' = -z + x; param k_x = 1, kr = 1, Ts = 3; x_r' = x - Ts*x_r; input u = 0; init x = 0, z = 0, x_r = 0";
    let args = ["design", "place", "-e", text, "--poles", "-2,-3,-4,-3", "--integral", "x=1", "--reference", "x=1"];
    let place = Place::new();
    for sampled in [&[][..], &["--sampled", "0.1"]] {
        let written = place.run(&[&args[..], sampled, &["-o", "-"]].concat()).expect(0).out;
        for name in ["input x_r_c = 1", "param k_x_c = ", "param kr_c = ", "z_c"] {
            assert!(written.contains(name), "{name} is missing:\n{written}");
        }
        let place = Place::new().with("loop.eq", &written);
        let end = place.run(&["run", "loop.eq", "-t", "20", "--at", "20", "-q"]).expect(0).table();
        assert!((end.column("x")[0] - 1.0).abs() < 1e-6);
    }
}

#[test]
fn states_without_a_name_are_estimated_or_refused() {
    let text = "y' = -y + pade(u, 0.5, 2); input u = 0; init y = 0";
    let lqr = ["lqr", "-e", text, "--q", "1", "--r", "1", "--start", "y=1"];
    let place = Place::new();
    let refused = design(&place, &lqr).expect(3);
    assert!(refused.err.contains("states without a name"), "{}", refused.err);
    let found = json(&place, &[&lqr[..], &["--measured", "y", "--observer-poles", "-6,-7,-8"]].concat());
    assert_eq!(found["trial"]["at_rest"], true, "{found}");
    let found = json(&place, &["pid", "-e", text, "--kp", "0.5", "--ki", "0.5", "--reference", "1"]);
    assert_eq!(found["trial"]["at_rest"], true, "{found}");
}

#[test]
fn several_inputs_share_the_work() {
    let text = "x' = x + u; y' = x + 2*y + v; input u = 0, v = 0; init x = 0.5, y = -1; output y";
    let place = Place::new();
    let at = ["--at", "x=0,y=0", "-o", "loop.eq"];
    let found = json(&place, &[&["place", "-e", text, "--poles", "-2,-3", "--reference", "y=1"], &at[..]].concat());
    let mut poles: Vec<f64> = list(&found["closed_loop_eigenvalues"]).iter().map(|p| number(&p["re"])).collect();
    poles.sort_by(f64::total_cmp);
    assert_close(&poles, &[-3.0, -2.0], 1e-9);
    assert_eq!((list(&found["K"]).len(), list(&found["kr"]).len()), (2, 2));
    let end = place.run(&["run", "loop.eq", "-t", "20", "--at", "20", "-q"]).expect(0).table();
    assert!((end.column("y")[0] - 1.0).abs() < 1e-9, "the reference gains act together");
    let found = json(&place, &[&["lqr", "-e", text, "--q", "1", "--r", "1,2"], &at[..]].concat());
    assert_close(&[number(&found["cost_linear"])], &[number(&found["cost"])], 1e-7);
}

#[test]
fn weights_may_stand_in_the_model() {
    let text = example("dc-motor.eq") + "param q_omega = 15, q_i = 2, r_u = 1\n";
    let place = Place::new().with("motor.eq", text);
    let found = json(&place, &["lqr", "motor.eq"]);
    assert_close(&row(&found["K"]), &[0.109_656_754_594_337_9, 0.763_421_887_863_008_8], 1e-12);
    let by_name = json(&place, &["lqr", "motor.eq", "--q", "q_omega, q_i", "--r", "r_u"]);
    assert_eq!(by_name["K"], found["K"]);
}

#[test]
fn skogestads_rules_are_those_of_his_paper() {
    // 1/((5s + 1)(s + 1)): half rule 5.5 and 0.5, Kc = 5.5, τI = min(5.5, 4)
    let text = "5*a' = u - a; y' = a - y; input u = 0; output y; init a = 0, y = 0";
    let found = json(&Place::new(), &["pid", "-e", text, "--tune", "simc", "--reference", "1"]);
    assert_close(&[number(&found["pid"]["kp"]), number(&found["pid"]["ki"])], &[5.5, 5.5 / 4.0], 1e-9);
}

#[test]
fn ziegler_and_nichols_find_the_ultimate_gain() {
    // 1/(s + 1)³: ultimate gain 8 at √3 rad/s
    let text = "a' = u - a; b' = a - b; y' = b - y; input u = 0; output y; init a = 0, b = 0, y = 0";
    let found = json(&Place::new(), &["pid", "-e", text, "--tune", "zn", "--form", "pid", "--reference", "1"]);
    let period = 2.0 * std::f64::consts::PI / 3f64.sqrt();
    let pid = &found["pid"];
    assert_close(
        &[number(&pid["kp"]), number(&pid["ki"]), number(&pid["kd"])],
        &[4.8, 9.6 / period, 0.6 * period],
        1e-9,
    );
    let answer = ordinate(&["design", "pid", "-e", "y' = u - y; input u = 0; init y = 0", "--tune", "zn"]);
    assert!(answer.expect(3).err.contains("no ultimate gain"));
}

#[test]
fn a_search_on_the_nonlinear_model_makes_the_integral_smaller() {
    let text = "y' = -y^3 + a; 0.2*a' = u - a; input u = 0; output y; init y = 0, a = 0; run 0 .. 10";
    let place = Place::new();
    let integral = |gains: &[&str]| {
        let args = ["design", "pid", "-e", text, "--at", "y=0.5,a=0.125", "--start", "y=0,a=0", "--reference", "1"];
        place.run(&[&args[..], gains, &["--limits", "-5,5", "-o", "-"]].concat()).expect(0).out
    };
    let itae = |model: String| {
        let model = model + "\nJ' = t*abs(y_r - y)\ninit J = 0\n";
        let place = Place::new().with("loop.eq", model);
        place.run(&["run", "loop.eq", "-t", "10", "--at", "10", "-q"]).expect(0).table().column("J")[0]
    };
    let tuned = integral(&["--tune", "itae", "--form", "pi"]);
    // the same again, digit by digit
    assert_eq!(tuned, integral(&["--tune", "itae", "--form", "pi"]));
    let (rule, found) = (itae(integral(&["--tune", "simc"])), itae(tuned));
    assert!(found < 0.8 * rule, "{found} is not much better than {rule}");
}

#[test]
fn limits_hold_and_the_integral_does_not_run_away() {
    let place = place();
    let args = ["pid", "dc-motor.eq", "--kp", "10", "--ki", "60", "--reference", "0.5", "--limits", "-5.2,5.2"];
    let overshoot = |windup: &str, sampled: &[&str]| {
        let found = json(&place, &[&args[..], &["--anti-windup", windup, "-o", "loop.eq"], sampled].concat());
        assert!(number(&found["trial"]["largest_input"]["u"]) <= 5.2 + 1e-9);
        // an integral that has run away takes its time to come back
        assert_eq!(found["trial"]["at_rest"], windup != "none", "{windup} {sampled:?}: {found}");
        let table = place.run(&["run", "loop.eq", "-t", "60", "-q"]).expect(0).table();
        let omega = table.column("omega");
        assert!((omega[omega.len() - 1] - 0.5).abs() < 1e-4, "{windup} {sampled:?}");
        omega.iter().fold(0.0, |most: f64, w| most.max(w - 0.5))
    };
    for sampled in [&[][..], &["--sampled", "0.02"]] {
        let (none, back, clamp) = (overshoot("none", sampled), overshoot("back", sampled), overshoot("clamp", sampled));
        assert!(back < 0.5 * none && clamp < 0.5 * none, "{none} {back} {clamp}");
    }
}

#[test]
fn what_makes_no_controller_is_said_and_nothing_is_written() {
    let lost = "x' = -x + u; y' = 2*y; input u = 0; init x = 0, y = 0";
    let cases: &[(&[&str], i32, &str)] = &[
        (&["place", "dc-motor.eq"], 2, "`--poles` is missing"),
        (&["place", "dc-motor.eq", "--poles", "-5"], 2, "1 pole where 2 are needed: one for each state (omega, i)"),
        (&["place", "dc-motor.eq", "--poles", "-5+1i,-6"], 2, "conjugate"),
        (&["place", "dc-motor.eq", "--poles", "-5,x"], 2, "`x` is not a pole"),
        (&["place", "dc-motor.eq", "--poles", "1,-5"], 3, "not stable: pole 1 in s"),
        (&["place", "dc-motor.eq", "--poles", "-4,-5", "--reference", "omga"], 2, "did you mean `omega`?"),
        (&["place", "dc-motor.eq", "--poles", "-4,-5", "--input", "v"], 2, "there is no input `v`"),
        (&["place", "dc-motor.eq", "--poles", "-4,-5", "--at", "omga=0"], 2, "did you mean `omega`?"),
        (&["place", "-e", lost, "--poles", "-3,-4"], 3, "mode 2 is uncontrollable: no input reaches it"),
        (&["lqr", "-e", lost, "--q", "1", "--r", "1"], 3, "2"),
        (&["lqr", "dc-motor.eq", "--q", "-1,2", "--r", "1"], 2, "Q"),
        (&["lqr", "dc-motor.eq", "--q", "1,2", "--r", "0"], 2, "R"),
        (&["lqr", "dc-motor.eq", "--q", "1,2,3", "--r", "1"], 2, "3 weights for 2: one for each of omega, i"),
        (&["lqr", "dc-motor.eq", "--r", "1"], 2, "Bryson"),
        (&["lqr", "dc-motor.eq", "--q", "1,2", "--r", "1", "--sampled", "-1"], 2, "positive"),
        (&["lqr", "dc-motor.eq", "--q", "1,2", "--r", "1", "--at", "omega=1"], 3, "not an equilibrium"),
        (&["lqr", "-e", "x' = -x; init x = 1", "--q", "1", "--r", "1"], 2, "no input"),
        (&["lqr", "-e", "x' = -x + y", "--q", "1", "--r", "1"], 1, "y"),
        (&["lqr", "dc-motor.eq", "--q", "1", "--r", "1", "--start", "omga=1"], 2, "did you mean `omega`?"),
        (&["pid", "dc-motor.eq"], 2, "--tune"),
        (&["pid", "dc-motor.eq", "--kp", "-100", "--ki", "5"], 3, "not stable"),
        (&["pid", "cart.eq", "--at", "phi=0", "--tune", "simc", "--output", "phi"], 3, "SIMC"),
        (&["pid", "dc-motor.eq", "--kp", "1", "--limits", "5"], 2, "two numbers"),
    ];
    for (args, code, words) in cases {
        let place = place();
        let before = place.files();
        let answer = design(&place, &[args, &["-o", "loop.eq"][..]].concat());
        assert_eq!(answer.code, *code, "{args:?}: {}", answer.err);
        assert!(answer.err.contains(words), "{args:?}: {}", answer.err);
        assert_eq!(place.files(), before, "{args:?} wrote something");
    }
    let place = place();
    design(&place, &["place", "dc-motor.eq", "--poles", "1,-5", "-o", "loop.eq", "--force"]).expect(3);
    place.run(&["check", "loop.eq"]).expect(0);
    let answer = design(&place, &["place", "dc-motor.eq", "--poles", "-4,-5", "-o", "dc-motor.eq"]).expect(2);
    assert!(answer.err.contains("is the model itself"));
}

/// 0.76 V holds the ball at 9 mm but for the ninth digit of a constant of the model.
#[test]
fn a_point_of_rest_may_be_typed_with_the_digits_of_a_data_sheet() {
    let model = repository().join("examples/maglev.eq");
    let model = model.to_str().expect("a path");
    let point = ["--at", "x=0.009, i=0.8, u=0.76", "--q", "1,1,1", "--r", "1", "--format", "json"];
    let found = ordinate(&[&["design", "lqr", model], &point[..]].concat()).expect(0).json();
    assert_eq!(found["stable"], true);
    let off = ["--at", "x=0.009, i=0.81, u=0.76", "--q", "1,1,1", "--r", "1"];
    assert!(ordinate(&[&["design", "lqr", model], &off[..]].concat()).expect(3).err.contains("not an equilibrium"));
}
