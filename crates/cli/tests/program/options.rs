//! Options that name several things, lengths of time as expressions, and the list of reasons.

use crate::support::{Place, ordinate};

/// A grid of 900 temperatures.
const GRID: &str = "for i in 1..30: for j in 1..30: T[i,j]' = -T[i,j]/(i + j)
for i in 1..30: for j in 1..30: init T[i,j] = i
run 0 .. 1
";

/// The comma inside of brackets belongs to the name.
#[test]
fn lists_of_names_take_elements_of_two_indices() {
    let text = "param k[1,2] = 3, k[2,2] = 5; x[1,2]' = -k[1,2]*x[1,2]; x[2,2]' = -k[2,2]*x[2,2] + u[1,1]; \
                input u[1,1] = 0; input u[1,2] = 0; output x[1,2]; output x[2,2]; init x[1,2] = 1, x[2,2] = 2; run 0 .. 1";
    let place = Place::new().with("m.eq", text);
    place.run(&["run", "m.eq", "--plot", "a.svg", "--plot-vars", "x[1,2], x[2,2]", "-o", "m.csv"]).expect(0);
    place.run(&["run", "m.eq", "--plot", "b.svg", "--phase", "x[1,2],x[2,2]", "-o", "n.csv"]).expect(0);
    let run = place.run(&["run", "m.eq", "--sensitivity", "k[1,2],x[2,2]", "--at", "0, 1"]).expect(0);
    assert!(run.out.contains("k[1,2]") && run.out.lines().filter(|line| !line.starts_with('#')).count() == 3);
    place.run(&["convert", "m.csv", "--vars", "x[2,2],x[1,2]", "-o", "part.csv"]).expect(0);
    let linear = ["linearize", "m.eq", "--at", "x[1,2]=0, x[2,2]=0", "--disturbance", "u[1,1]"];
    place.run(&linear).expect(0);
    let guess = ["equilibria", "m.eq", "--guess", "x[1,2]=1, x[2,2]=3"];
    place.run(&guess).expect(0);
}

#[test]
fn an_unknown_name_is_answered_with_the_nearest_ones() {
    let place = Place::new().with("grid.eq", GRID);
    for (args, near) in [
        (&["run", "grid.eq", "--plot-vars", "T[31,30]"][..], "did you mean `T[3"),
        (&["run", "grid.eq", "--plot-vars", "pressure"], "the nearest of 901 names are"),
        (&["run", "grid.eq", "--sensitivity", "pressure"], "the nearest of 900 names are"),
        (&["equilibria", "grid.eq", "--guess", "pressure=1"], "the nearest of 900 names are"),
    ] {
        let answer = place.run(args).expect(2);
        assert!(answer.err.contains(near) && answer.err.len() < 500, "{args:?}: {}", answer.err);
    }
}

/// As `-t`, with parameters of the model; the same steps as with the number.
#[test]
fn lengths_of_time_are_expressions() {
    let text = "param w = 2; y' = -w*y; y(0) = 1; run 0 .. 1";
    let run = |more: &[&str]| ordinate(&[&["run", "-e", text, "-q"][..], more].concat()).expect(0).out;
    let rows = |out: &str| out.lines().filter(|line| !line.starts_with('#')).map(str::to_string).collect::<Vec<_>>();
    assert_eq!(rows(&run(&["-m", "rk4", "--step", "1/(5*w)"])), rows(&run(&["-m", "rk4", "--step", "0.1"])));
    assert_eq!(rows(&run(&["--every", "w/8"])).len(), 6);
    assert_eq!(rows(&run(&["--max-step", "pi/100", "--at", "steps"])), {
        let number = std::f64::consts::PI / 100.0;
        rows(&run(&["--max-step", &number.to_string(), "--at", "steps"]))
    });
    let plant = "x' = -x + u; input u = 0; init x = 0";
    let linear = |period: &str| ordinate(&["linearize", "-e", plant, "--sampled", period]).expect(0).out;
    assert_eq!(linear("1/8"), linear("0.125"));
    let stability = |step: &str| ordinate(&["stability", "-e", text, "-m", "rk4", "--step", step]).expect(0).out;
    assert_eq!(stability("w/4"), stability("0.5"));
    for (option, value) in [("--step", "q/2"), ("--every", "-w"), ("--max-step", "0*w"), ("--every", "1,5")] {
        let answer = ordinate(&["run", "-e", text, option, value]).expect(2);
        assert!(answer.err.contains(&format!("`{option} {value}`")), "{}", answer.err);
    }
}

/// `OUT=VALUE` as for `place`; it names the output, too.
#[test]
fn the_reference_of_a_pid_controller_may_name_its_output() {
    let text = "y' = v; v' = u - v; input u = 0; init y = 0, v = 0; output y; output v";
    let design = |more: &[&str]| {
        let args = ["design", "pid", "-e", text, "--kp", "2", "--ki", "0.5", "--format", "json"];
        ordinate(&[&args[..], more].concat())
    };
    let plain = design(&["--output", "y", "--reference", "0.39"]).expect(0).json();
    for named in [&["--output", "y", "--reference", "y=0.39"][..], &["--reference", "y = 0.39"]] {
        let found = design(named).expect(0).json();
        assert_eq!(found["reference"], plain["reference"]);
        assert_eq!(found["closed_loop_eigenvalues"], plain["closed_loop_eigenvalues"]);
    }
    assert!(design(&["--output", "y", "--reference", "v=0.39"]).expect(2).err.contains("controlled output is `y`"));
    assert!(design(&["--reference", "w=0.39"]).expect(2).err.contains("no output or state `w`"));
}

/// Every kind that a run ends with is explained.
#[test]
fn all_reasons_are_listed_with_what_to_do() {
    let help = ordinate(&["help", "reasons"]).expect(0).out;
    for kind in ordinate::ReasonKind::ALL {
        assert!(help.contains(kind.word()) && help.contains(kind.next()), "{}", kind.word());
    }
    for (text, kind) in [
        ("y' = y^2; y(0) = 1; run 0 .. 2", "singularity"),
        ("y' = -sqrt(y) - 1; y(0) = 1; run 0 .. 5", ""),
        ("x^2 = 1 - t; y' = x; guess x = 1; init y = 0; run 0 .. 2", ""),
        ("y' = 1; stop when y > 1; y(0) = 0; run 0 .. 2", "stop_condition"),
    ] {
        let summary = ordinate(&["run", "-e", text, "--summary", "json", "-q"]).json();
        let found = summary["reason"]["kind"].as_str().expect("a reason").to_string();
        assert!(kind.is_empty() || found == kind, "{text}: {found}");
        assert!(help.contains(&format!("\n  {found}")), "{found}");
    }
}
