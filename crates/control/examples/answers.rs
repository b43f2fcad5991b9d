//! Answers questions about linear systems, one JSON object per line in and out, for comparisons with other programs:
//!
//! ```text
//!   {"ask": "lqr", "a": [[…], …], "b": …, "q": …, "r": …}   →   {"gain": …, "cost": …, "poles": …, "residual": …}
//! ```

use ordinate_control::{
    Complex, ControlError, Hold, Matrix, StateSpace, Transfer, controllability, discretise, dlqr, dlyapunov,
    eigenvalues, lqr, lyapunov, margins, observability, place, singular_values, sylvester,
};
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::time::Instant;

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let question: Value = serde_json::from_str(&line?).map_err(std::io::Error::other)?;
        // the fastest of as many answers as are wanted
        let mut fastest = f64::INFINITY;
        let mut found = Value::Null;
        for _ in 0..question["times"].as_u64().unwrap_or(1) {
            let start = Instant::now();
            let result = answer(&question);
            fastest = fastest.min(start.elapsed().as_secs_f64());
            found = result.unwrap_or_else(|error| json!({ "error": error.to_string(), "kind": kind(&error) }));
        }
        if question["times"].is_u64() {
            found["seconds"] = json!(fastest);
        }
        writeln!(out, "{found}")?;
        out.flush()?;
    }
    Ok(())
}

fn answer(question: &Value) -> Result<Value, ControlError> {
    let m = |name: &str| matrix(&question[name]);
    let period = question["period"].as_f64();
    let system = || StateSpace::new(m("a"), m("b"), m("c"), m("d"), period);
    let regulator = |found: ordinate_control::Lqr| json!({ "gain": rows(&found.gain), "cost": rows(&found.cost), "poles": list(&found.poles), "residual": found.residual });
    Ok(match question["ask"].as_str().unwrap_or_default() {
        "lqr" => regulator(lqr(&m("a"), &m("b"), &m("q"), &m("r"))?),
        "dlqr" => regulator(dlqr(&m("a"), &m("b"), &m("q"), &m("r"))?),
        "lyapunov" => json!({ "x": rows(&lyapunov(&m("a"), &m("q"))?) }),
        "dlyapunov" => json!({ "x": rows(&dlyapunov(&m("a"), &m("q"))?) }),
        "sylvester" => json!({ "x": rows(&sylvester(&m("a"), &m("b"), &m("c"))?) }),
        "eigenvalues" => json!({ "values": list(&eigenvalues(&m("a")).unwrap_or_default()) }),
        "singular" => json!({ "values": singular_values(&m("a")) }),
        "place" => {
            let (a, b) = (m("a"), m("b"));
            let gain = place(&a, &b, &complex(&question["poles"]))?;
            let poles = eigenvalues(&(&a - &(&b * &gain))).unwrap_or_default();
            json!({ "gain": rows(&gain), "poles": list(&poles) })
        }
        "rank" => {
            let (reach, shown) = (controllability(&m("a"), &m("b"))?, observability(&m("a"), &m("c"))?);
            json!({ "reached": reach.rank, "shown": shown.rank, "lost": list(&reach.lost), "hidden": list(&shown.lost) })
        }
        "response" => {
            let system = system()?;
            let values = complex(&question["at"]).into_iter().map(|s| {
                let rows = system.at(s);
                Value::from(rows.iter().map(|row| list(row)).collect::<Vec<_>>())
            });
            json!({ "values": values.collect::<Vec<_>>() })
        }
        "zeros" => json!({ "zeros": list(&system()?.zeros()?) }),
        "transfer" => {
            let transfer = system()?.transfer()?;
            json!({ "numerator": transfer.numerator, "denominator": transfer.denominator })
        }
        "state space" => {
            let system = Transfer::new(&numbers(&question["numerator"]), &numbers(&question["denominator"]), period)?;
            written(&system.state_space()?)
        }
        "discretise" => {
            let hold = match question["hold"].as_str().unwrap_or_default() {
                "tustin" => Hold::Tustin,
                "forward" => Hold::Forward,
                "backward" => Hold::Backward,
                _ => Hold::Zero,
            };
            written(&discretise(&system()?, question["every"].as_f64().unwrap_or(f64::NAN), hold)?)
        }
        "gramians" => {
            let (reach, show) = system()?.gramians()?;
            json!({ "reach": rows(&reach), "show": rows(&show) })
        }
        "margins" => {
            let margins = margins(&system()?)?;
            let (gain, phase) = (&margins.gain, &margins.phase);
            json!({ "gain": gain, "phase": phase, "modulus": margins.modulus, "stable": margins.stable })
        }
        other => json!({ "error": format!("`{other}` is not known"), "kind": "question" }),
    })
}

fn written(system: &StateSpace) -> Value {
    json!({ "a": rows(&system.a), "b": rows(&system.b), "c": rows(&system.c), "d": rows(&system.d) })
}

fn kind(error: &ControlError) -> String {
    let text = format!("{error:?}");
    text.split(['(', ' ']).next().unwrap_or_default().to_string()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().into_iter().flatten().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
}

fn matrix(value: &Value) -> Matrix {
    let rows: Vec<Vec<f64>> = value.as_array().into_iter().flatten().map(numbers).collect();
    let columns = rows.first().map_or(0, Vec::len);
    Matrix::from_elements(rows.len(), columns, rows.concat())
}

/// From [re, im] pairs.
fn complex(value: &Value) -> Vec<Complex> {
    let pairs = value.as_array().into_iter().flatten().map(numbers);
    pairs.map(|pair| Complex::new(pair[0], pair.get(1).copied().unwrap_or(0.0))).collect()
}

fn rows(m: &Matrix) -> Value {
    (0..m.rows()).map(|i| Value::from(m.row(i).to_vec())).collect()
}

fn list(values: &[Complex]) -> Value {
    values.iter().map(|z| json!([z.re, z.im])).collect()
}
