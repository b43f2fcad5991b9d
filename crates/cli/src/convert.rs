//! `ordinate convert`: a result file in another format.

use crate::args::ConvertArgs;
use crate::lists::names;
use crate::output::write_file;
use crate::report::count;
use crate::wishes::{FileFormat, columns_json, format_of};
use crate::{Exit, message, print_out, usage};
use ordinate::{Memory, RowSink};
use serde_json::Value;
use std::fs::File;
use std::io::{ErrorKind, Read};

/// Converts a result in CSV or JSON.
pub fn convert(args: &ConvertArgs) -> Exit {
    match work(args) {
        Ok(exit) => exit,
        Err(reason) => usage(&reason),
    }
}

fn work(args: &ConvertArgs) -> Result<Exit, String> {
    let bytes = read_bytes(&args.input)?;
    let text = String::from_utf8(bytes).map_err(|_| format!("`{}` is not a text in UTF-8", args.input))?;
    let is_json = text.trim_start().starts_with('{');
    let all = if is_json { read_json(&text) } else { read(&text) };
    let all = all.map_err(|reason| format!("`{}`: {reason}", args.input))?;
    let rows = select(all, &names(&args.vars))?;
    if args.output == "-" {
        return Ok(print_out(&csv(&rows)));
    }
    let bytes = match format_of(&args.output)? {
        FileFormat::Csv => csv(&rows).into_bytes(),
        FileFormat::Json => columns_json(&rows).into_bytes(),
        FileFormat::Svg => ordinate::table_figure(&args.input, &rows).to_svg().into_bytes(),
        FileFormat::Png => ordinate::table_figure(&args.input, &rows).to_png().map_err(|e| e.to_string())?,
    };
    write_file(&args.output, &bytes)?;
    let (columns, lines) = (count(rows.names.len(), "column"), count(rows.columns[0].len(), "row"));
    message(&format!("wrote   {}  ({columns}, {lines})", args.output));
    Ok(Exit::Ok)
}

/// A table must fit into memory to be converted.
const MOST_BYTES: u64 = 512 << 20;

fn read_bytes(name: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = match name {
        "-" => std::io::stdin().lock().take(MOST_BYTES + 1).read_to_end(&mut bytes),
        _ => File::open(name).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes)),
    };
    let what = if name == "-" { "standard input".to_string() } else { format!("`{name}`") };
    match read {
        Err(e) if e.kind() == ErrorKind::NotFound => Err(format!("there is no file {what}")),
        Err(e) if e.kind() == ErrorKind::IsADirectory => Err(format!("{what} cannot be read: it is a folder")),
        Err(e) => Err(format!("{what} cannot be read: {e}")),
        Ok(_) if bytes.len() as u64 > MOST_BYTES => {
            Err(format!("{what} has more than the {} MB that can be converted", MOST_BYTES >> 20))
        }
        Ok(_) => Ok(bytes),
    }
}

fn split(line: &str) -> Vec<String> {
    // names of two indices are quoted, since they contain a comma
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            _ => cells.last_mut().expect("never empty").push(c),
        }
    }
    cells
}

fn read(text: &str) -> Result<Memory, String> {
    let mut rows = Memory::default();
    let mut begun = false;
    for (number, line) in text.lines().enumerate().map(|(k, line)| (k + 1, line.trim())) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let cells = split(line);
        if !begun {
            rows.begin(&cells, cells.len()).map_err(|e| e.reason)?;
            begun = true;
            continue;
        }
        if cells.len() != rows.names.len() {
            return Err(format!("line {number} has {} cells instead of {}", cells.len(), rows.names.len()));
        }
        let mut values = Vec::with_capacity(cells.len());
        for cell in &cells {
            values.push(cell.trim().parse::<f64>().map_err(|_| format!("line {number}: `{cell}` is not a number"))?);
        }
        rows.row(&values).map_err(|e| e.reason)?;
    }
    if begun { Ok(rows) } else { Err("it contains no table".into()) }
}

/// The columns that `run -o result.json` writes.
fn read_json(text: &str) -> Result<Memory, String> {
    let value: Value = serde_json::from_str(text).map_err(|e| format!("it is not valid JSON: {e}"))?;
    let columns = value["columns"].as_object().filter(|columns| !columns.is_empty());
    let columns = columns.ok_or("it has no \"columns\", so it is not a result that Ordinate wrote")?;
    let mut rows = Memory::default();
    let names: Vec<String> = columns.keys().cloned().collect();
    rows.begin(&names, names.len()).map_err(|e| e.reason)?;
    for (k, (name, values)) in columns.iter().enumerate() {
        let values = values.as_array().ok_or_else(|| format!("column `{name}` is not a list"))?;
        for value in values {
            // what is not finite is null in JSON
            let number = if value.is_null() { Some(f64::NAN) } else { value.as_f64() };
            rows.columns[k].push(number.ok_or_else(|| format!("column `{name}`: {value} is not a number"))?);
        }
        if rows.columns[k].len() != rows.columns[0].len() {
            return Err(format!("column `{name}` has {} rows instead of {}", values.len(), rows.columns[0].len()));
        }
    }
    Ok(rows)
}

fn select(all: Memory, names: &[String]) -> Result<Memory, String> {
    if names.is_empty() {
        return Ok(all);
    }
    let mut chosen = Memory::default();
    let mut wanted: Vec<String> = vec![all.names[0].clone()];
    for name in names {
        if !wanted.contains(name) {
            wanted.push(name.clone());
        }
    }
    chosen.begin(&wanted, wanted.len()).map_err(|e| e.reason)?;
    for (k, name) in wanted.iter().enumerate() {
        let missing = || {
            let instead = ordinate::instead(name, all.names.iter().map(String::as_str));
            format!("there is no column `{name}`; {instead}")
        };
        let column = all.column(name).ok_or_else(missing)?;
        chosen.columns[k] = column.to_vec();
    }
    Ok(chosen)
}

fn csv(rows: &Memory) -> String {
    let mut sink = ordinate::CsvRows::new(Vec::new(), "memory", Vec::new());
    let written = sink.begin(&rows.names, rows.names.len());
    let mut line = vec![0.0; rows.names.len()];
    let mut all = written;
    for k in 0..rows.columns[0].len() {
        line.iter_mut().zip(&rows.columns).for_each(|(value, column)| *value = column[k]);
        all = all.and_then(|()| sink.row(&line));
    }
    let bytes = all.and_then(|()| sink.finish(&[])).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
