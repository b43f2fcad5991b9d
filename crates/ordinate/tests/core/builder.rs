//! Models made of expressions, against the same models as texts.

use ordinate::{CompileOptions, Compiled, Failure, Memory, ModelBuilder, RunOptions, Source, compile, simulate};

fn table(compiled: &Compiled, method: &str) -> Memory {
    let mut rows = Memory::default();
    let options = RunOptions { method: method.into(), ..RunOptions::default() };
    let run = simulate(compiled, &options, &mut rows).expect("a run");
    assert!(run.reason.is_none(), "{:?}", run.reason);
    rows
}

fn assert_same_bits(built: &ModelBuilder, text: &str, methods: &[&str]) {
    let built = built.compile(&CompileOptions::default()).expect("a model without mistakes");
    let typed = compile(&Source::text(text), &CompileOptions::default()).expect("a model without mistakes");
    for method in methods {
        let (own, other) = (table(&built, method), table(&typed, method));
        assert_eq!(own.names, other.names, "{method}");
        let bits = |rows: &Memory| -> Vec<Vec<u64>> {
            rows.columns.iter().map(|column| column.iter().map(|y| y.to_bits()).collect()).collect()
        };
        assert!(bits(&own) == bits(&other), "{method}");
    }
}

#[test]
fn an_explicit_model_has_the_bits_of_its_text() {
    let model = ModelBuilder::new();
    let [mu, x, v] = [model.parameter("mu", 0.1), model.state("x", 2.0), model.state("v", -0.25)];
    model.derivative(x, v);
    model.derivative(v, mu * (1.0 - x * x) * v - x + (0.3 * model.time()).sin() / 7.0);
    model.output("energy", (x * x + v.powf(2.0)) / 2.0);
    model.run(0.0, 20.0);
    let text = "param mu = 0.1; x' = v; v' = mu*(1 - x*x)*v - x + sin(0.3*t)/7; init x = 2, v = -0.25;
        output energy = (x*x + v^2)/2; run 0 .. 20";
    assert_same_bits(&model, text, &["auto", "dp8", "radau", "bdf"]);
}

/// A pendulum in Cartesian coordinates, index 3, with a variable that the equations determine.
#[test]
fn constraints_are_equations_like_others() {
    let model = ModelBuilder::new();
    let [x, vx, y, vy] =
        [("x", 1.0), ("vx", 0.0), ("y", 0.0), ("vy", 0.0)].map(|(name, start)| model.state(name, start));
    let force = model.variable("force", 0.0);
    model.derivative(x, vx);
    model.derivative(vx, -force * x);
    model.derivative(y, vy);
    model.derivative(vy, 9.81 - force * y);
    model.equation(x * x + y * y, model.number(1.0));
    model.run(0.0, 2.0);
    let text =
        "x' = vx; vx' = (-force)*x; y' = vy; vy' = 9.81 - force*y; x*x + y*y = 1; init x = 1, vx = 0, y = 0, vy = 0;
        guess force = 0; run 0 .. 2";
    assert_same_bits(&model, text, &["auto", "radau"]);
}

/// The columns are in the order of the states, whatever the order of the equations.
#[test]
fn columns_are_in_the_order_of_the_states() {
    let model = ModelBuilder::new();
    let [a, b, c] = ["a", "b", "c"].map(|name| model.state(name, 1.0));
    model.derivative(c, -b);
    model.derivative(b, a - c);
    model.derivative(a, -c);
    model.run(0.0, 1.0);
    let compiled = model.compile(&CompileOptions::default()).expect("a model without mistakes");
    assert_eq!(compiled.program.state_names, ["a", "b", "c"]);
    assert_eq!(table(&compiled, "auto").names, ["time", "a", "b", "c"]);
    // a text has the order of its equations
    let typed = compile(&Source::text(model.to_text().expect("a text")), &CompileOptions::default()).expect("a model");
    assert_eq!(typed.program.state_names, ["c", "b", "a"]);
}

/// Branches are events, parameters can be set, numbers keep their bits.
#[test]
fn nothing_is_lost_on_the_way() {
    let model = ModelBuilder::new();
    let (x, k) = (model.state("x", 1e-300), model.parameter("k", 1.0));
    model.derivative(x, k * 0.1 * (model.time() - 0.5).abs().max(model.number(1.0 / 3.0)));
    model.run(0.0, 1.0);
    let compiled = |set: &str| {
        let options = CompileOptions { set: vec![("k".into(), set.into())], ..CompileOptions::default() };
        model.compile(&options).expect("a model without mistakes")
    };
    let end = |set: &str| table(&compiled(set), "auto").columns[1].last().copied().expect("rows");
    // 1/3 within a third of the middle, |t − 1/2| outside of it
    let area = 2.0 / 9.0 + 2.0 * 0.5 * (0.25 - 1.0 / 9.0);
    assert!((end("1") - 0.1 * area).abs() < 1e-9 && (end("3") - 0.3 * area).abs() < 1e-9, "{}", end("1"));
    assert!(model.to_text().expect("a text").contains(&format!("{:?}", 1.0 / 3.0)));
}

/// A mistake is told, not written down.
#[test]
fn mistakes_are_told() {
    let told = |model: &ModelBuilder| match model.compile(&CompileOptions::default()) {
        Err(Failure::Model(found)) => {
            found.iter().map(|found| found.message.clone()).collect::<Vec<String>>().join("; ")
        }
        other => panic!("{other:?}"),
    };
    let model = ModelBuilder::new();
    let x = model.state("x y", f64::NAN);
    model.derivative(x, x);
    let message = told(&model);
    assert!(message.contains("`x y` is no name") && message.contains("NaN"), "{message}");
    let (one, other) = (ModelBuilder::new(), ModelBuilder::new());
    one.derivative(one.state("x", 0.0), other.state("y", 0.0));
    assert!(told(&one).contains("another model"));
    let doubling = ModelBuilder::new();
    let mut power = doubling.state("x", 0.0);
    let x = power;
    for _ in 0..60 {
        power = power * power;
    }
    doubling.derivative(x, power);
    assert!(told(&doubling).contains("too long"));
}

/// An expression of a hundred thousand terms is an ordinary one.
#[test]
fn long_sums_are_ordinary() {
    let model = ModelBuilder::new();
    let x = model.state("x", 0.0);
    let sum = (0..100_000).fold(model.number(0.0), |sum, _| sum + 1e-5);
    model.derivative(x, sum);
    model.run(0.0, 1.0);
    let compiled = model.compile(&CompileOptions::default()).expect("a model without mistakes");
    assert!((table(&compiled, "auto").columns[1].last().expect("rows") - 1.0).abs() < 1e-9);
}
