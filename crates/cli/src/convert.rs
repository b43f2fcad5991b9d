//! `ordinate convert`: a result file in another format.

use crate::args::ConvertArgs;
use crate::output::write_file;
use crate::report::count;
use crate::wishes::{FileFormat, columns_json, format_of};
use crate::{Exit, message, print_out, usage};
use ordinate::{Memory, RowSink};
use std::io::Read;

/// Converts a CSV result.
pub fn convert(args: &ConvertArgs) -> Exit {
    match work(args) {
        Ok(exit) => exit,
        Err(reason) => usage(&reason),
    }
}

fn work(args: &ConvertArgs) -> Result<Exit, String> {
    let mut bytes = Vec::new();
    if args.input == "-" {
        std::io::stdin().lock().read_to_end(&mut bytes).map_err(|e| format!("standard input cannot be read: {e}"))?;
    } else {
        bytes = std::fs::read(&args.input).map_err(|e| format!("`{}` cannot be read: {e}", args.input))?;
    }
    let text = String::from_utf8(bytes).map_err(|_| format!("`{}` is not a text in UTF-8", args.input))?;
    let all = read(&text).map_err(|reason| format!("`{}`: {reason}", args.input))?;
    let rows = select(all, &args.vars)?;
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
    if begun { Ok(rows) } else { Err("there is no table in it".into()) }
}

fn select(all: Memory, names: &[String]) -> Result<Memory, String> {
    if names.is_empty() {
        return Ok(all);
    }
    let mut chosen = Memory::default();
    let wanted: Vec<String> = std::iter::once(all.names[0].clone()).chain(names.iter().cloned()).collect();
    chosen.begin(&wanted, wanted.len()).map_err(|e| e.reason)?;
    for (k, name) in wanted.iter().enumerate() {
        let column =
            all.column(name).ok_or_else(|| format!("there is no column `{name}` among {}", all.names.join(", ")))?;
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
