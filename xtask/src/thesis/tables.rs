//! The data of the report: `docs/thesis-tables.json` as plain structs, and the reference values it names.

use crate::root;
use serde_json::Value;
use std::path::Path;

/// All tables, in the order of the thesis.
pub struct Tables {
    /// One per solved problem; a table of the thesis may have several.
    pub entries: Vec<Entry>,
    /// Ratios between the times of two entries.
    pub quotients: Vec<Quotient>,
    /// Tables that contain no results, and where their content is.
    pub elsewhere: Vec<(String, String)>,
}

/// A problem with the settings of the thesis and what it prints.
pub struct Entry {
    /// Unique name.
    pub id: String,
    /// Number of the table.
    pub table: String,
    /// What it is.
    pub title: String,
    /// File in `examples/`.
    pub model: String,
    /// Parameters that differ from the model: `name=value`.
    pub set: Vec<String>,
    /// End time.
    pub t_end: f64,
    /// Tolerance of all solvers but the one with fixed steps.
    pub tol: String,
    /// An output of the model whose size at the end is the printed error; with `norm` that over all steps.
    pub output: Option<String>,
    /// Whether the printed error is the Euclidean norm over all steps.
    pub norm: bool,
    /// True values.
    pub reference: Reference,
    /// The Taylor method with fixed steps; the thesis has up to two variants.
    pub mtsm: Vec<Fixed>,
    /// The other solvers.
    pub others: Vec<Other>,
    /// What is to be known about the printed figures.
    pub remark: Option<String>,
}

/// Settings and printed figures of the Taylor method with fixed steps.
pub struct Fixed {
    /// `orig` or `opt`, where the thesis distinguishes.
    pub name: Option<String>,
    /// Step.
    pub step: String,
    /// Absolute tolerance of a term.
    pub tol: String,
    /// `h_scale` and `min_ORD` of 3.3.3.
    pub scaling: Option<(f64, u64)>,
    /// Printed number of steps.
    pub steps: Option<u64>,
    /// Printed order.
    pub order: Option<String>,
    /// Printed error.
    pub error: Option<f64>,
    /// Printed time in seconds.
    pub seconds: Option<f64>,
}

/// Printed figures of another solver.
pub struct Other {
    /// MATLAB's name.
    pub solver: String,
    /// Printed number of steps.
    pub steps: Option<u64>,
    /// Printed error.
    pub error: Option<f64>,
    /// Printed time(solver)/time(MTSM), for each variant of the latter.
    pub ratio: Vec<f64>,
}

/// Where true values come from.
pub enum Reference {
    /// A case of `tests/golden`, with the name of each of its states in our model.
    Golden { case: String, names: Vec<(String, String)> },
    /// A problem of `bench/ref`, with our columns in its order.
    Bench { problem: String, columns: Vec<String> },
    /// Ordinate's own dp8 at tight tolerance: another family of methods, but not an independent program.
    Dp8 { columns: Vec<String> },
}

/// Time of one entry divided by that of another.
pub struct Quotient {
    /// Number of the table.
    pub table: String,
    /// What it is.
    pub title: String,
    /// The two entries.
    pub of: [String; 2],
    /// What the thesis prints.
    pub printed: f64,
}

/// True values at one time, with the size of each state.
pub struct Truth {
    /// When.
    pub t: f64,
    /// Column, value, scale.
    pub values: Vec<(String, f64, f64)>,
}

/// Reads the tables; a mistake in the file is named.
pub fn read() -> Result<Tables, String> {
    let all = json(&root().join("docs/thesis-tables.json"))?;
    let pair = |v: &Value| Ok((text(v, "table")?, text(v, "where")?));
    Ok(Tables {
        entries: list(&all, "tables").iter().map(entry).collect::<Result<_, _>>()?,
        quotients: list(&all, "quotients").iter().map(quotient).collect::<Result<_, _>>()?,
        elsewhere: list(&all, "elsewhere").iter().map(pair).collect::<Result<_, String>>()?,
    })
}

/// The true values of an entry as late as they are known; `None` if they have to be computed.
pub fn truth(entry: &Entry) -> Result<Option<Truth>, String> {
    match &entry.reference {
        Reference::Golden { case, names } => golden(case, names, entry.t_end).map(Some),
        Reference::Bench { problem, columns } => bench(problem, columns, entry.t_end).map(Some),
        Reference::Dp8 { .. } => Ok(None),
    }
}

fn golden(id: &str, names: &[(String, String)], t_end: f64) -> Result<Truth, String> {
    let folder = root().join("tests/golden");
    let index = json(&folder.join("index.json"))?;
    let listed = list(&index, "cases").iter().find(|case| case["id"] == id);
    let file = text(listed.ok_or_else(|| format!("no case `{id}` in tests/golden"))?, "file")?;
    let file = json(&folder.join(file))?;
    let case = list(&file, "cases").iter().find(|case| case["id"] == id);
    let case = case.ok_or_else(|| format!("the index names `{id}`, its file does not have it"))?;
    let time = |row: &Value| row["t"].as_f64().unwrap_or(f64::INFINITY);
    let row = list(case, "reference").iter().rfind(|row| time(row) <= t_end * (1.0 + 1e-12));
    let row = row.ok_or_else(|| format!("`{id}` has no reference before t = {t_end}"))?;
    let states = list(case, if case["observed"].is_array() { "observed" } else { "states" });
    let value = |list: &Value, k: usize| list[k].as_f64().ok_or_else(|| format!("`{id}`: a number is missing"));
    let largest = list(case, "scale").iter().filter_map(Value::as_f64).fold(0.0, f64::max);
    let mut values = Vec::new();
    for (state, column) in names {
        let k = states.iter().position(|s| s == state).ok_or_else(|| format!("`{id}` has no state `{state}`"))?;
        let scale = value(&case["scale"], k)?;
        values.push((column.clone(), value(&row["y"], k)?, if scale > 0.0 { scale } else { largest }));
    }
    Ok(Truth { t: time(row), values })
}

fn bench(problem: &str, columns: &[String], t_end: f64) -> Result<Truth, String> {
    let file = json(&root().join("bench/ref").join(format!("{problem}.json")))?;
    let end = text(&file, "t1")?;
    if end.parse() != Ok(t_end) {
        return Err(format!("bench/ref/{problem}.json ends at {end}, not at {t_end}"));
    }
    let row = list(&file, "y").last().ok_or_else(|| format!("bench/ref/{problem}.json is empty"))?;
    let mut values = Vec::new();
    for (k, column) in columns.iter().enumerate() {
        let digits = row[k].as_str().and_then(|s| s.parse::<f64>().ok());
        let value = digits.ok_or_else(|| format!("bench/ref/{problem}.json: value {k} is missing"))?;
        values.push((column.clone(), value, value.abs().max(1.0)));
    }
    Ok(Truth { t: t_end, values })
}

fn json(path: &Path) -> Result<Value, String> {
    let shown = path.strip_prefix(root()).unwrap_or(path).display();
    let text = std::fs::read_to_string(path).map_err(|e| format!("{shown}: {e}"))?;
    serde_json::from_str(&text).map_err(|e| format!("{shown}: {e}"))
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value, key: &str) -> Result<String, String> {
    value[key].as_str().map(String::from).ok_or_else(|| format!("`{key}` is missing in {value}"))
}

fn number(value: &Value, key: &str) -> Result<f64, String> {
    value[key].as_f64().ok_or_else(|| format!("`{key}` is missing in {value}"))
}

fn texts(value: &Value, key: &str) -> Vec<String> {
    list(value, key).iter().filter_map(Value::as_str).map(String::from).collect()
}

fn entry(value: &Value) -> Result<Entry, String> {
    Ok(Entry {
        id: text(value, "id")?,
        table: text(value, "table")?,
        title: text(value, "title")?,
        model: text(value, "model")?,
        set: texts(value, "set"),
        t_end: number(value, "t_end")?,
        tol: text(value, "tol")?,
        output: value["output"].as_str().map(String::from),
        norm: value["norm"].as_bool().unwrap_or(false),
        reference: reference(&value["reference"])?,
        mtsm: list(value, "mtsm").iter().map(fixed).collect::<Result<_, _>>()?,
        others: list(value, "others").iter().map(other).collect::<Result<_, _>>()?,
        remark: value["remark"].as_str().map(String::from),
    })
}

fn reference(value: &Value) -> Result<Reference, String> {
    if value["golden"].is_string() {
        let names = value["names"].as_object().ok_or_else(|| format!("`names` is missing in {value}"))?;
        let names = names.iter().map(|(state, column)| (state.clone(), column.as_str().unwrap_or(state).to_string()));
        return Ok(Reference::Golden { case: text(value, "golden")?, names: names.collect() });
    }
    if value["bench"].is_string() {
        return Ok(Reference::Bench { problem: text(value, "bench")?, columns: texts(value, "columns") });
    }
    match texts(value, "dp8") {
        columns if columns.is_empty() => Err(format!("a reference is golden, bench or dp8: {value}")),
        columns => Ok(Reference::Dp8 { columns }),
    }
}

fn fixed(value: &Value) -> Result<Fixed, String> {
    let scaling = match value["h_scale"].as_f64() {
        Some(scale) => Some((scale, value["min_ord"].as_u64().ok_or("`h_scale` without `min_ord`")?)),
        None => None,
    };
    let printed = &value["printed"];
    Ok(Fixed {
        name: value["name"].as_str().map(String::from),
        step: text(value, "step")?,
        tol: text(value, "tol")?,
        scaling,
        steps: printed["steps"].as_u64(),
        order: printed["order"].as_str().map(String::from),
        error: printed["error"].as_f64(),
        seconds: printed["seconds"].as_f64(),
    })
}

fn other(value: &Value) -> Result<Other, String> {
    Ok(Other {
        solver: text(value, "solver")?,
        steps: value["steps"].as_u64(),
        error: value["error"].as_f64(),
        ratio: list(value, "ratio").iter().filter_map(Value::as_f64).collect(),
    })
}

fn quotient(value: &Value) -> Result<Quotient, String> {
    let of = texts(value, "of").try_into().map_err(|_| format!("`of` names two entries: {value}"))?;
    Ok(Quotient { table: text(value, "table")?, title: text(value, "title")?, of, printed: number(value, "printed")? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_model_and_every_reference_of_the_tables_exists() {
        let tables = read().expect("the tables");
        let mut ids = BTreeSet::new();
        for entry in &tables.entries {
            assert!(root().join("examples").join(&entry.model).is_file(), "{}: no model {}", entry.id, entry.model);
            let known = truth(entry).unwrap_or_else(|reason| panic!("{}: {reason}", entry.id));
            assert!(known.is_none_or(|truth| !truth.values.is_empty() && truth.t > 0.0), "{}", entry.id);
            assert!(!entry.mtsm.is_empty(), "{}: no settings", entry.id);
            let variants = entry.mtsm.len();
            assert!(entry.others.iter().all(|o| o.ratio.is_empty() || o.ratio.len() == variants), "{}", entry.id);
            assert!(ids.insert(&entry.id), "{} stands twice", entry.id);
        }
        assert!(tables.quotients.iter().flat_map(|q| &q.of).all(|id| ids.contains(id)));
    }

    /// Tables 3.3–3.9, 4.1–4.31 and 6.2–6.27, none forgotten.
    #[test]
    fn every_table_of_the_thesis_is_there() {
        let tables = read().expect("the tables");
        let there: BTreeSet<&str> = (tables.entries.iter().map(|e| e.table.as_str()))
            .chain(tables.quotients.iter().map(|q| q.table.as_str()))
            .chain(tables.elsewhere.iter().map(|(table, _)| table.as_str()))
            .collect();
        for (chapter, numbers) in [(3, 3..=9), (4, 1..=31), (6, 2..=27)] {
            for number in numbers {
                assert!(there.contains(format!("{chapter}.{number}").as_str()), "Table {chapter}.{number}");
            }
        }
    }
}
