//! What a run says of choices among several solutions and of its own way: each where it is due, and nowhere else.

use ordinate::{
    CompileOptions, Compiled, ErrorWish, Memory, Note, NoteKind, Run, RunOptions, Source, Status, compile, simulate,
};
use std::path::{Path, PathBuf};

fn compiled(text: &str, folder: &Path) -> Compiled {
    let source = Source { folder: folder.to_path_buf(), ..Source::text(text) };
    compile(&source, &CompileOptions::default()).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

fn run(text: &str, method: &str) -> Run {
    let options = RunOptions { method: method.into(), error: ErrorWish::Off, ..RunOptions::default() };
    simulate(&compiled(text, Path::new(".")), &options, &mut Memory::default()).expect("a run that begins")
}

const METHODS: [&str; 6] = ["auto", "taylor", "mtsm", "radau", "dp5", "bdf"];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

fn model(name: &str) -> String {
    std::fs::read_to_string(folder("tests/sound").join(name)).expect("a model")
}

fn of(run: &Run, kind: NoteKind) -> Vec<&Note> {
    run.notes.iter().filter(|note| note.kind == kind).collect()
}

/// Final values bit by bit, notes, and the kind of the reason.
type Found = (Vec<(String, u64)>, Vec<(NoteKind, Option<f64>)>, Option<&'static str>);

/// The names and values at the end in the order of the names, and the choices but for their lines.
fn result(run: &Run) -> Found {
    let mut values: Vec<_> = run.final_values.iter().map(|(name, value)| (name.clone(), value.to_bits())).collect();
    values.sort();
    let notes = run.notes.iter().map(|note| (note.kind, note.t)).collect();
    (values, notes, run.reason.as_ref().map(|reason| reason.kind))
}

#[test]
fn the_order_of_lines_decides_nothing() {
    for name in ["thresholds-at-start.eq", "thresholds-symmetric.eq", "relay-self.eq", "sqrtdae2.eq"] {
        let text = model(name);
        let reversed = text.lines().rev().collect::<Vec<_>>().join("\n");
        let lines = text.lines().count();
        let turned: Vec<&str> = text.lines().cycle().skip(lines / 2).take(lines).collect();
        for method in ["auto", "dp5"] {
            let first = run(&text, method);
            for other in [&reversed, &turned.join("\n")] {
                assert_eq!(result(&first), result(&run(other, method)), "{name}, {method}");
            }
        }
    }
}

#[test]
fn a_choice_names_equations_and_what_was_taken() {
    let symmetric = run(&model("thresholds-symmetric.eq"), "auto");
    let [note] = of(&symmetric, NoteKind::Choice)[..] else { panic!("{:?}", symmetric.notes) };
    assert_eq!((note.t, note.line), (Some(0.0), Some(2)));
    for part in ["(line 2)", "the sign of `u1` becomes negative", "the sign of `u4` becomes positive"] {
        assert!(note.message.contains(part), "{part}: {}", note.message);
    }
    let rest = run(&model("relay-self.eq"), "auto");
    assert!(
        of(&rest, NoteKind::Choice)[0].message.contains("the sign of `x` stays at its boundary"),
        "{:?}",
        rest.notes
    );
    let unstable = run("x' = sign(x); x(0) = 0; run 0 .. 1", "auto");
    assert!(of(&unstable, NoteKind::Choice)[0].message.contains("`x' = sign(x)` (line 1)"), "{:?}", unstable.notes);
    for method in ["auto", "radau", "bdf", "dp5", "taylor"] {
        let crossing = run(&model("sqrtdae2.eq"), method);
        let [note] = of(&crossing, NoteKind::Choice)[..] else { panic!("{method}: {:?}", crossing.notes) };
        assert!(note.t.is_some_and(|t| (t - 2.0).abs() < 1e-3) && note.message.contains("`0 = z^2 - x`"), "{note:?}");
    }
}

/// u = 1 and u = −1 hold both where |x| < 0.5.
/// (t − 1) x′ = 3 x has the solutions c (t − 1)³, and each side of t = 1 has its own c. Where f is only 0/0 there is no choice.
#[test]
fn solutions_that_part_where_f_divides_by_zero_are_told() {
    let parting = [
        ("(t - 1)*x' = 3*x\ninit x = 1\nrun 0 .. 3", 1.0),
        ("x' = 3*x/(t - 1)\ninit x = 1\nrun 0 .. 3", 1.0),
        ("t*x' = 2*x - 2*cos(t) - t*sin(t)\ninit x = 0.5403023058681398\nrun -1 .. 1", 0.0),
        ("x' = y\ny' = 2*(y - 2*t)/(t - 0.5) + 2\ninit x = 0, y = 0\nrun 0 .. 1", 0.5),
    ];
    for (text, at) in parting {
        for method in METHODS {
            let run = run(text, method);
            let told = of(&run, NoteKind::Choice);
            let passed = run.outcome.t_reached > at;
            assert!(!passed || told.len() == 1, "{text}\n{method}: {:?}", run.notes);
            assert!(passed || run.reason.is_some(), "{text}\n{method}");
            for note in told {
                assert!((note.t.expect("a time") - at).abs() < 1e-9 && note.line.is_some(), "{method}: {note:?}");
            }
        }
    }
    let unique = [
        "x' = x*sin(t - 1)/(t - 1)\ninit x = 1\nrun 0 .. 3",
        "x' = sin(t - 1)/(t - 1) - x\ninit x = 1\nrun 0 .. 3",
        "x' = -(x - 0.3)/(1 - exp(-(x - 0.3))) + 1.2\ninit x = 0\nrun 0 .. 3",
        "(1 + sin(2*x) - 2*sin(x)*cos(x))*x' = -x\ninit x = 1\nrun 0 .. 3",
    ];
    for text in unique {
        for method in METHODS {
            let run = run(text, method);
            assert_eq!(run.outcome.status, Status::Ok, "{text}\n{method}: {:?}", run.reason);
            assert!(of(&run, NoteKind::Choice).is_empty(), "{text}\n{method}: {:?}", run.notes);
        }
    }
}

#[test]
fn a_relay_that_holds_on_both_sides_is_told() {
    let relay = |start: f64| run(&format!("u = sign(x + 0.5*u)\nx' = -u\nx(0) = {start}\nrun 0 .. 0.1"), "auto");
    let both = relay(0.2);
    assert!(of(&both, NoteKind::Choice)[0].message.contains("both signs"), "{:?}", both.notes);
    assert_eq!(relay(0.7).notes, []);
}

#[test]
fn another_root_at_the_start_is_told_unless_it_was_asked_for() {
    let root = |more: &str| run(&format!("x' = -x*z\n{more}\nx(0) = 1\nrun 0 .. 1"), "auto");
    let taken = root("z^2 = 2");
    assert!(of(&taken, NoteKind::Choice)[0].message.contains("-1.414213562 is another"), "{:?}", taken.notes);
    for more in ["z^2 = 2; guess z = 1", "z^3 + z = 2", "2*z + x = 3"] {
        assert_eq!(root(more).notes, [], "{more}");
    }
}

#[test]
fn a_condition_that_is_true_at_the_start_is_told() {
    let fires = |above: f64| {
        run(&format!("x' = -x; n' = 0\nwhen x > {above}: n = n + 1\nx(0) = 1; n(0) = 0; run 0 .. 1"), "auto")
    };
    let true_at_start = fires(0.5);
    let [note] = of(&true_at_start, NoteKind::Condition)[..] else { panic!("{:?}", true_at_start.notes) };
    assert!(note.message.contains("`x > 0.5`") && note.line == Some(2), "{note:?}");
    assert_eq!(fires(1.5).notes, []);
}

#[test]
fn a_table_that_the_run_goes_beyond_is_told_once() {
    let directory = std::env::temp_dir().join(format!("ordinate-choices-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a folder");
    std::fs::write(directory.join("u.csv"), "time,u\n0,1\n1,2\n2,0.5\n").expect("a table");
    let notes = |range: &str| {
        let text =
            format!("input u from \"u.csv\"\nx' = u - x\nx({}) = 0\nrun {range}", &range[..range.find(' ').unwrap()]);
        let run = simulate(&compiled(&text, &directory), &RunOptions::default(), &mut Memory::default());
        run.expect("a run that begins").notes
    };
    let [behind, before] = ["0 .. 5", "-1 .. 1"].map(notes);
    assert!(matches!(&behind[..], [note] if note.kind == NoteKind::Table && note.t == Some(2.0)), "{behind:?}");
    assert!(behind[0].message.contains("`u`") && behind[0].line == Some(1), "{behind:?}");
    assert!(matches!(&before[..], [note] if note.kind == NoteKind::Table && note.t == Some(-1.0)), "{before:?}");
    assert_eq!(notes("0 .. 2"), []);
    std::fs::remove_dir_all(&directory).expect("its own folder");
}

/// Gaps that shrink towards one that stays, below the tolerances, and a hysteresis narrower than these are no accumulation.
#[test]
fn small_oscillations_do_not_accumulate() {
    for text in [
        "x'' = -0.6*x' - x - 3*x*abs(x); y' = -y + sign(x); x(0) = 1; x'(0) = 0; y(0) = 0; run 0 .. 100",
        "T' = -0.1*(T-280) + 5*u; u' = 0\nwhen T > 300.0005: u = 0\nwhen T < 299.9995: u = 1\nT(0) = 290; u(0) = 0.9\nrun 0 .. 10",
    ] {
        for method in ["auto", "dp5", "radau"] {
            assert_eq!(run(text, method).outcome.status, Status::Ok, "{method}: {text}");
        }
    }
}

/// The models of the gallery choose nothing; one of them has a table that ends, others a condition that is true at first.
#[test]
fn models_with_one_solution_have_no_choices() {
    let mut found = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(folder("examples")).expect("the gallery") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "eq") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a model");
        let compiled = compiled(&text, &folder("examples"));
        let options = RunOptions { error: ErrorWish::Off, ..RunOptions::default() };
        let Ok(run) = simulate(&compiled, &options, &mut Memory::default()) else { continue };
        count += 1;
        found.extend(of(&run, NoteKind::Choice).into_iter().map(|note| (path.clone(), note.clone())));
        if std::env::var("SHOW").is_ok() {
            eprintln!("{:?} {:?} {:?}", path.file_name(), run.reason.as_ref().map(|r| r.kind), run.notes);
        }
    }
    assert!(count > 100 && found.is_empty(), "{count}: {found:?}");
}
