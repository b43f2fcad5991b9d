//! The reference data of `tests/golden` through the public surface: case → model text → `run --at …` → CSV.

use crate::support::{Answer, Place, Table, repository};
use serde_json::Value;
use std::fmt::Write;
use std::sync::Mutex;

const RTOL: f64 = 1e-12;
const ATOL: f64 = 1e-14;
/// Agreement asked for, in units of the scale of a state.
const AGREEMENT: f64 = 1e-8;
/// Explicit Runge–Kutta methods control the local error of a step less sharply than a Taylor series does.
const SLACK_OF_RUNGE_KUTTA: f64 = 100.0;

/// Global error of the Adams method in units of its tolerance per step: the largest, 113, is that of B1, predator and prey
/// over several periods.
const MULTIPLE_OF_ADAMS: f64 = 150.0;

/// Growth of a relative disturbance from start to end, measured; the last two allow for cancellation.
const AMPLIFIES: [(&str, f64); 4] =
    [("kepler-e0.75-t628.3", 1.7e5), ("lorenz-160", 9.4e5), ("pade-15-mdorav", 1e3), ("kinetics-ka-003", 1e3)];

/// A model text and the columns in the order of the reference vectors.
pub struct Text {
    pub text: String,
    pub names: Vec<String>,
}

fn files() -> Vec<Value> {
    let folder = repository().join("tests/golden");
    let mut paths: Vec<_> =
        std::fs::read_dir(&folder).expect("the data").map(|e| e.expect("readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "json") && !path.ends_with("index.json"));
    paths.sort();
    let read = |path| serde_json::from_str(&std::fs::read_to_string(path).expect("readable")).expect("JSON");
    paths.iter().map(read).collect()
}

pub fn cases(kind: &str) -> Vec<Value> {
    let all = files().into_iter().flat_map(|mut file| match file["cases"].take() {
        Value::Array(cases) => cases,
        other => panic!("a list is expected: {other}"),
    });
    all.filter(|case| case["kind"] == kind).collect()
}

pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

pub fn string(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number is expected: {value}"))
}

/// An expression of the data in the language: `**` is `^`.
fn expression(value: &Value) -> String {
    string(value).replace("**", "^")
}

fn observed(case: &Value) -> Vec<String> {
    let names = if case["observed"].is_array() { &case["observed"] } else { &case["states"] };
    list(names).iter().map(string).collect()
}

/// A telegraph line with `for`: the data lists its states as u1, u2, …
fn telegraph(case: &Value) -> Text {
    let parameters = case["params"].as_object().expect("parameters");
    let mut text: String =
        parameters.iter().map(|(name, value)| format!("param {name} = {}\n", expression(value))).collect();
    text += "for k in 1..S-1: u[k]' = (i[k] - i[k+1])/C\nu[S]' = (i[S] - u[S]/R2)/C\n";
    text += "i[1]' = (u0 - u[1] - R1*i[1])/L\nfor k in 2..S: i[k]' = (u[k-1] - u[k])/L\n";
    text += match parameters.contains_key("tp") {
        true => "input u0 = if t < tp then U0 else 0\n",
        false => "u0' = w*x\nx' = -w*u0\ninit u0 = 0, x = U0\n",
    };
    text += "for k in 1..S: init u[k] = 0\nfor k in 1..S: init i[k] = 0\n";
    let element = |name: String| match (name.as_str(), name.split_at(1)) {
        ("u0", _) => name,
        (_, (base @ ("u" | "i"), index)) if index.parse::<u32>().is_ok() => format!("{base}[{index}]"),
        _ => name,
    };
    Text { text, names: observed(case).into_iter().map(element).collect() }
}

/// The chain of the Padé approximation of order n, from the list of its coefficients.
fn pade(case: &Value) -> Text {
    let parameters = &case["params"];
    let n: usize = string(&parameters["n"]).parse().expect("an order");
    let c: Vec<String> = list(&parameters["c"]).iter().map(string).collect();
    let mut text = format!(
        "param T = {}, w = {}\nz' = w*c\nc' = -w*z\n",
        expression(&parameters["T"]),
        expression(&parameters["w"])
    );
    let sign = |k: usize| if k % 2 == 1 { "-" } else { "" };
    if string(&case["id"]).contains("mdorav") {
        let terms: String = (0..n).map(|k| format!(" - {}/T^{}*d{k}v", c[k], n - k)).collect();
        writeln!(text, "d{}v' = z/T^{n}{terms}", n - 1).expect("a string");
        (0..n - 1).for_each(|k| writeln!(text, "d{k}v' = d{}v", k + 1).expect("a string"));
    } else {
        writeln!(text, "y = {}z + v{n}", sign(n)).expect("a string");
        for (k, c) in c.iter().take(n).enumerate() {
            let before = if k > 0 { format!(" + v{k}") } else { String::new() };
            writeln!(text, "v{}' = {}/T^{}*({}z - y){before}", k + 1, c, n - k, sign(k)).expect("a string");
        }
    }
    for (state, value) in list(&case["states"]).iter().zip(list(&case["y0"])) {
        writeln!(text, "init {} = {value}", string(state)).expect("a string");
    }
    Text { text, names: observed(case) }
}

/// A parameter that changes at given times becomes an input with branches.
fn stepped(case: &Value, name: &str, value: &Value) -> Option<String> {
    let mut changes: Vec<(f64, &Value)> = Vec::new();
    for event in list(&case["events"]) {
        changes.extend(event["set"].get(name).map(|to| (number(&event["t"]), to)));
    }
    changes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let nest =
        |before: String, (t, to): &(f64, &Value)| format!("if t < {t:?} then ({before}) else {}", expression(to));
    (!changes.is_empty()).then(|| changes.iter().fold(expression(value), nest))
}

/// The model text of a case; `None` if the data has none.
pub fn text_of(case: &Value) -> Option<Text> {
    match case["family"].as_str() {
        Some("telegraph") if case["kind"] == "linear-ode" => return Some(telegraph(case)),
        Some("pade") if case["kind"] == "linear-ode" => return Some(pade(case)),
        _ => {}
    }
    let equations = list(&case["equations"]);
    let general = |e: &Value| string(e).contains("for k") || string(e).contains("_{");
    if equations.is_empty() || equations.iter().any(general) {
        return None;
    }
    let mut text = String::new();
    for (name, value) in case["params"].as_object().into_iter().flatten() {
        match stepped(case, name, value) {
            Some(branches) => writeln!(text, "input {name} = {branches}"),
            None => writeln!(text, "param {name} = {}", expression(value)),
        }
        .expect("a string");
    }
    for definition in list(&case["defs"]) {
        writeln!(text, "{} = {}", string(&definition[0]), expression(&definition[1])).expect("a string");
    }
    equations.iter().for_each(|e| writeln!(text, "{}", expression(e)).expect("a string"));
    let starts = if case["y0_expr"].is_array() { &case["y0_expr"] } else { &case["y0"] };
    for (state, value) in list(&case["states"]).iter().zip(list(starts)) {
        writeln!(text, "init {} = {}", string(state), expression(value)).expect("a string");
    }
    Some(Text { text, names: observed(case) })
}

/// The text of a case that has one, for others.
pub fn model_text(case: &Value) -> Option<String> {
    text_of(case).map(|text| text.text)
}

fn is_relative(case: &Value) -> bool {
    let id = string(&case["id"]);
    id.starts_with("robertson") || id.starts_with("kinetics")
}

/// Factor on the absolute tolerance, so that the smallest quantity that is compared is also resolved. Below 1e-3
/// it would be relative control at every crossing of zero.
fn resolution(case: &Value) -> f64 {
    let smallest = |values: &mut dyn Iterator<Item = f64>| values.filter(|v| *v != 0.0).fold(1.0, f64::min);
    if is_relative(case) {
        let references = list(&case["reference"]).iter();
        return smallest(&mut references.flat_map(|r| list(&r["y"])).map(|v| number(v).abs()));
    }
    smallest(&mut list(&case["scale"]).iter().map(number)).max(1e-3)
}

fn growth(case: &Value) -> f64 {
    let id = string(&case["id"]);
    AMPLIFIES.iter().find(|(known, _)| *known == id).map_or(0.0, |&(_, growth)| growth)
}

fn allowance(case: &Value) -> f64 {
    let id = string(&case["id"]);
    let allowed = AGREEMENT.max(RTOL * growth(case) * SLACK_OF_RUNGE_KUTTA);
    // the largest Lyapunov exponent of the Lorenz system is about 0.9
    let chaos = if id.starts_with("lorenz") { 1e-12 * (0.95 * number(&case["tend"])).exp() } else { 0.0 };
    allowed.max(chaos)
}

/// The worst deviation in units of scale, and where.
fn compare(case: &Value, names: &[String], table: &Table) -> Result<(f64, String), String> {
    let scale: Vec<f64> = match list(&case["scale"]) {
        [] => vec![1.0; names.len()],
        scale => scale.iter().map(number).collect(),
    };
    let largest = scale.iter().copied().fold(0.0, f64::max);
    let mut worst = (0.0, String::new());
    for reference in list(&case["reference"]) {
        let t = number(&reference["t"]);
        let row = table.rows.iter().find(|row| (row[0] - t).abs() <= 1e-9 * t.abs().max(1e-12));
        let row = row.ok_or_else(|| format!("no row at t = {t}"))?;
        for ((name, expected), scale) in names.iter().zip(list(&reference["y"])).zip(&scale) {
            let column =
                table.names.iter().position(|known| known == name).ok_or_else(|| format!("no column {name}"))?;
            let expected = number(expected);
            let unit = match (is_relative(case), *scale) {
                (true, _) => expected.abs().max(1e-300),
                (false, 0.0) => largest,
                (false, scale) => scale,
            };
            let error = (row[column] - expected).abs() / unit;
            if error.is_nan() || error > worst.0 {
                worst = (if error.is_nan() { f64::INFINITY } else { error }, format!("{name} at t = {t}"));
            }
        }
    }
    Ok(worst)
}

fn solve(case: &Value, text: &str, method: &str, (rtol, atol): (f64, f64)) -> (Answer, Place) {
    let place = Place::new().with("case.eq", text);
    let times: Vec<String> = list(&case["reference"]).iter().map(|r| format!("{:?}", number(&r["t"]))).collect();
    let (from, to) = (format!("{:?}", number(&case["t0"])), format!("{:?}", number(&case["tend"])));
    let (rtol, atol) = (format!("{rtol:e}"), format!("{:e}", atol * resolution(case)));
    let answer = place.run(&[
        "run",
        "case.eq",
        "--t-start",
        &from,
        "-t",
        &to,
        "-m",
        method,
        "--rtol",
        &rtol,
        "--atol",
        &atol,
        "--at",
        &times.join(","),
        "-o",
        "o.csv",
        "--summary",
        "json",
        "-q",
    ]);
    (answer, place)
}

/// What is wrong with a case, if anything.
fn judge(case: &Value, Text { text, names }: &Text) -> Option<String> {
    judge_of(case, text, names, "dp8", (RTOL, ATOL), allowance(case))
}

fn judge_of(
    case: &Value,
    text: &str,
    names: &[String],
    method: &str,
    tolerances: (f64, f64),
    allowed: f64,
) -> Option<String> {
    let id = string(&case["id"]);
    let (answer, place) = solve(case, text, method, tolerances);
    if answer.code != 0 {
        return Some(format!("{id}: exit code {}: {}", answer.code, answer.err));
    }
    let summary = answer.json();
    if summary["status"] != "ok" || summary["t_reached"] != case["tend"] {
        return Some(format!("{id}: {summary}"));
    }
    match compare(case, names, &place.table("o.csv")) {
        Err(reason) => Some(format!("{id}: {reason}")),
        Ok((error, place)) if error > allowed => Some(format!("{id}: {error:.1e} of scale, {place}")),
        Ok(_) => None,
    }
}

/// Runs all cases of a kind that have a text, on all processors; gives their number and the deviations.
fn run_all(kind: &str) -> (usize, Vec<String>) {
    let queue: Vec<(Value, Text)> = cases(kind).into_iter().filter_map(|c| text_of(&c).map(|text| (c, text))).collect();
    let count = queue.len();
    let (queue, wrong) = (Mutex::new(queue), Mutex::new(Vec::new()));
    let next = || queue.lock().expect("no panic").pop();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                while let Some((case, text)) = next() {
                    let mistake = judge(&case, &text);
                    wrong.lock().expect("no panic").extend(mistake);
                }
            });
        }
    });
    (count, wrong.into_inner().expect("no panic"))
}

#[test]
fn ordinary_equations_of_the_reference_data_are_met() {
    let (count, wrong) = run_all("ode");
    assert!(wrong.is_empty(), "{} of {count} deviate:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(count, 63);
}

#[test]
fn linear_systems_of_the_reference_data_are_met() {
    let (count, wrong) = run_all("linear-ode");
    assert!(wrong.is_empty(), "{} of {count} deviate:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(count, 20);
}

/// 12 digits of every case: delivered and right, or refused; none is wrong.
#[test]
fn digits_asked_for_are_those_of_the_reference_data() {
    let (mut delivered, mut wrong) = (0, Vec::new());
    for case in cases("ode") {
        let Some(Text { text, names }) = text_of(&case) else { continue };
        let place = Place::new().with("case.eq", text);
        let times: Vec<String> = list(&case["reference"]).iter().map(|r| format!("{:?}", number(&r["t"]))).collect();
        let (from, to) = (format!("{:?}", number(&case["t0"])), format!("{:?}", number(&case["tend"])));
        let options = ["--digits", "12", "--at", &times.join(","), "-o", "o.csv", "--summary", "json", "-q"];
        let answer = place.run(&[&["run", "case.eq", "--t-start", &from, "-t", &to], &options[..]].concat());
        let summary = answer.json();
        if summary["digits"]["delivered"] != true {
            assert_eq!(
                (answer.code, summary["reason"]["kind"].as_str()),
                (3, Some("precision_unreachable")),
                "{summary}"
            );
            continue;
        }
        delivered += 1;
        // relative to the size of each state, also where other tests ask for more
        let absolute = {
            let mut case = case.clone();
            case["id"] = "absolute".into();
            case
        };
        match compare(&absolute, &names, &place.table("o.csv")) {
            Ok((error, _)) if error <= 1e-12 => {}
            other => wrong.push(format!("{}: {other:?}", string(&case["id"]))),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(delivered >= 60, "only {delivered} delivered");
}

/// At full precision, by the Taylor methods on the equations and on their polynomial system. Chaos leaves of it what its
/// growth allows.
#[test]
fn the_reference_data_are_met_by_the_taylor_methods_at_full_precision() {
    let (mut count, mut wrong) = (0, Vec::new());
    for case in cases("ode").into_iter().chain(cases("linear-ode")) {
        let Some(Text { text, names }) = text_of(&case) else { continue };
        count += 1;
        let chaos =
            if string(&case["id"]).starts_with("lorenz") { 1e-12 * (0.95 * number(&case["tend"])).exp() } else { 0.0 };
        let allowed = 1e-11f64.max(1e-13 * growth(&case)).max(chaos);
        for method in ["taylor", "mtsm"] {
            wrong.extend(judge_of(&case, &text, &names, method, (1e-13, 1e-15), allowed));
        }
    }
    assert!(wrong.is_empty(), "{} of {count} deviate:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(count, 83);
}

/// The problems of DETEST by the Adams method of variable order: the error follows the tolerance, with what the problem makes
/// of it. DETEST itself asks for 1e-3 … 1e-9.
#[test]
fn detest_is_solved_by_adams_within_a_multiple_of_each_tolerance() {
    let (mut count, mut wrong) = (0, Vec::new());
    for case in cases("ode").into_iter().chain(cases("linear-ode")).filter(|case| case["family"] == "detest") {
        let Some(Text { text, names }) = text_of(&case) else { continue };
        count += 1;
        for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
            let allowed = MULTIPLE_OF_ADAMS * tolerance;
            let found = judge_of(&case, &text, &names, "adams", (tolerance, tolerance), allowed);
            wrong.extend(found.map(|text| format!("{tolerance:e} {text}")));
        }
    }
    assert!(wrong.is_empty(), "{} of {count} deviate:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(count, 15);
}

/// ORD, the index of the third small term in a row, as the thesis counts it.
#[test]
fn orders_are_counted_as_in_the_thesis() {
    let facts = cases("facts");
    let case = facts.iter().find(|case| case["id"] == "ord-counts").expect("the counts");
    for row in list(&case["rows"]) {
        let (h, size, tol) = (string(&row["lambda_h"]), string(&row["amplitude"]), string(&row["TOL"]));
        let text = format!("y' = z; z' = -y; init y = 0, z = {size}");
        // By the path of linear systems, and by the general one, which a bound of the order asks for.
        for (method, bound) in [("taylor", "64"), ("mtsm", "64"), ("taylor", "63"), ("mtsm", "63")] {
            let step = ["run", "-e", &text, "-t", &h, "--step", &h, "--atol", &tol, "-m", method, "--max-order", bound];
            let summary = Place::new().run(&[step.as_slice(), &["--summary", "json", "-q"]].concat()).expect(0).json();
            assert_eq!(summary["order"]["max"], row["ORD"], "{method} h = {h}, TOL = {tol}, at most {bound}");
            assert_eq!(summary["steps"], 1);
        }
    }
}

/// One step of e^t of each order: its error is what the series leaves out.
#[test]
fn a_step_of_given_order_has_the_error_of_its_order() {
    let facts = cases("facts");
    let case = facts.iter().find(|case| case["id"] == "exp-order-table").expect("the table");
    for row in list(&case["rows"]).iter().take(20) {
        let order = row["ORD"].to_string();
        let options = [
            "run",
            "-e",
            "y' = y; y(0) = 1",
            "-t",
            "1",
            "--step",
            "1",
            "--order",
            &order,
            "-m",
            "taylor",
            "--summary",
            "json",
            "-q",
        ];
        let summary = Place::new().run(&options).expect(0).json();
        let (found, expected) = (
            (std::f64::consts::E - number(&summary["final"]["y"])).abs(),
            string(&row["abs_error"]).parse::<f64>().expect("a number"),
        );
        assert!((found - expected).abs() < 1e-9 * expected + 1e-15, "order {order}: {found:e} instead of {expected:e}");
        assert_eq!(summary["order"]["mean"].as_f64(), order.parse().ok());
    }
}

/// Names of the explicit one-step methods in the data and here. The data's `fehlberg6` is the other member of the
/// pair, which the program uses for the error only.
const ONE_STEP: [(&str, &str); 6] = [
    ("euler", "euler"),
    ("rk2-midpoint", "rk2"),
    ("rk2-heun", "heun"),
    ("rk4", "rk4"),
    ("dopri5", "dp5"),
    ("fehlberg5", "fehlberg"),
];

fn fixed_step(text: &str, method: &str, h: &str, steps: u64) -> Value {
    let end = format!("{steps}*{h}");
    let answer = Place::new().with("case.eq", text).run(&[
        "run",
        "case.eq",
        "-t",
        &end,
        "-m",
        method,
        "--step",
        h,
        "--summary",
        "json",
        "-q",
    ]);
    let summary = answer.expect(0).json();
    assert_eq!(summary["steps"], steps, "{method}");
    assert_eq!(summary["rejected"], 0, "{method}");
    summary
}

/// A wrong coefficient shows in the fourth digit; rounding in the fifteenth.
#[test]
fn fixed_steps_of_the_classical_methods_are_met() {
    let mut compared = 0;
    for case in cases("method-values") {
        let Some(Text { text, names }) = Some(&case).filter(|c| c["family"] == "classical").and_then(text_of) else {
            continue;
        };
        let steps = case["steps"].as_u64().expect("a count");
        for row in list(&case["rows"]) {
            let Some((_, method)) = ONE_STEP.iter().find(|(known, _)| row["method"] == *known) else { continue };
            let summary = fixed_step(&text, method, &string(&case["h"]), steps);
            for (name, expected) in names.iter().zip(list(&row["y_end"])) {
                let (found, expected) = (number(&summary["final"][name]), number(expected));
                let deviation = (found - expected).abs() / expected.abs().max(1.0);
                assert!(deviation < 1e-12, "{} {method} {name}: {found} instead of {expected}", case["id"]);
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 12, "two cases, six methods");
}

#[test]
fn forward_euler_on_decay_is_met_inside_and_outside_of_its_region_of_stability() {
    let all = cases("method-values");
    let case = all.iter().find(|c| c["id"] == "euler-decay").expect("the case");
    for row in list(&case["rows"]) {
        let steps = row["steps"].as_u64().expect("a count");
        let summary = fixed_step("x' = -x\ninit x = 1\n", "euler", &string(&row["h"]), steps);
        let (found, expected) = (number(&summary["final"]["x"]), string(&row["fe"]).parse::<f64>().expect("a number"));
        assert!((found - expected).abs() <= 1e-12 * expected.abs(), "h = {}: {found} {expected}", row["h"]);
    }
    assert_eq!(list(&case["rows"]).len(), 4);
}

/// A differential-algebraic case as it stands in the data, every equation implicit: 0 = F(t, y, y′). What is differential has a
/// start value, the rest a guess.
pub fn implicit_text(case: &Value) -> Text {
    let mut text = String::new();
    for (name, value) in case["params"].as_object().into_iter().flatten() {
        writeln!(text, "param {name} = {}", expression(value)).expect("a string");
    }
    for definition in list(&case["defs"]) {
        writeln!(text, "{} = {}", string(&definition[0]), expression(&definition[1])).expect("a string");
    }
    if case["notes"].as_str().is_some_and(|notes| notes.contains("v(t)=sin(om t)")) {
        text += "v = sin(om*t)\ndv = om*cos(om*t)\n";
    }
    let names = observed(case);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    for residual in list(&case["residuals"]) {
        let mut equation = String::new();
        let whole = expression(residual);
        let mut rest = whole.as_str();
        while let Some(begin) = rest.find(is_name) {
            let end = rest[begin..].find(|c| !is_name(c)).map_or(rest.len(), |k| begin + k);
            let word = &rest[begin..end];
            equation += &rest[..begin];
            match word.strip_prefix('d').filter(|name| names.iter().any(|known| known == name)) {
                Some(name) => equation += &format!("{name}'"),
                None => equation += word,
            }
            rest = &rest[end..];
        }
        writeln!(text, "0 = {equation}{rest}").expect("a string");
    }
    let starts = if case["y0_expr"].is_array() { &case["y0_expr"] } else { &case["y0"] };
    for (state, value) in list(&case["states"]).iter().zip(list(starts)) {
        let differential = list(&case["differential"]).contains(state) || text.contains(&format!("{}'", string(state)));
        let given = if differential { "init" } else { "guess" };
        writeln!(text, "{given} {} = {}", string(state), expression(value)).expect("a string");
    }
    Text { text, names }
}

/// Index 1 to 3, as implicit text, by methods of every kind.
#[test]
fn differential_algebraic_equations_of_the_reference_data_are_met() {
    let (mut count, mut wrong) = (0, Vec::new());
    for case in cases("dae") {
        let Text { text, names } = implicit_text(&case);
        count += 1;
        for method in ["auto", "radau", "radau5", "dp8"] {
            let stiff = string(&case["id"]).starts_with("robertson");
            if stiff && method == "dp8" {
                continue;
            }
            let allowed = AGREEMENT.max(1e-10 * growth(&case) * SLACK_OF_RUNGE_KUTTA);
            wrong.extend(
                judge_of(&case, &text, &names, method, (1e-10, 1e-12), allowed).map(|m| format!("{method}: {m}")),
            );
        }
        let bdf = judge_of(&case, &text, &names, "bdf", (1e-10, 1e-12), 1e-6);
        wrong.extend(bdf.map(|m| format!("bdf: {m}")));
    }
    assert!(wrong.is_empty(), "{} of {count} deviate:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(count, 8);
}
