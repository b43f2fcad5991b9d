//! Tables of inputs: `input u from "u.csv"`. The text of the file comes from outside; here it is
//! read and checked, and turned into the segments that a switch walks through.

/// One column against time.
#[derive(Clone, Debug, PartialEq)]
pub struct TableData {
    /// Times, not decreasing; two equal times are a jump.
    pub times: Vec<f64>,
    /// Values.
    pub values: Vec<f64>,
    /// What the header calls the values, if it is not the name of the input.
    pub other_name: Option<String>,
}

/// The segments of a table: before the first time, between each two, after the last.
pub(crate) struct Segments {
    /// Break points, increasing: segment k lies between break point k−1 and k.
    pub breaks: Vec<f64>,
    /// Time at which a segment has its value.
    pub from: Vec<f64>,
    /// That value.
    pub value: Vec<f64>,
    /// Its slope.
    pub slope: Vec<f64>,
}

impl TableData {
    /// ```text
    ///   u(t) = value[k] + slope[k]·(t − from[k])      breaks[k−1] ≤ t < breaks[k]
    /// ```
    pub(crate) fn segments(&self, hold: bool) -> Segments {
        let (t, v) = (&self.times, &self.values);
        let mut s = Segments { breaks: vec![t[0]], from: vec![t[0]], value: vec![v[0]], slope: vec![0.0] };
        for k in 0..t.len() - 1 {
            if t[k + 1] > t[k] {
                s.breaks.push(t[k + 1]);
                s.from.push(t[k]);
                s.value.push(v[k]);
                s.slope.push(if hold { 0.0 } else { (v[k + 1] - v[k]) / (t[k + 1] - t[k]) });
            }
        }
        let last = t.len() - 1;
        s.from.push(t[last]);
        s.value.push(v[last]);
        s.slope.push(0.0);
        s
    }
}

/// Which columns of a table are read.
struct Columns {
    time: usize,
    value: usize,
    /// How many there are, and the line that says so: the header, or the first row.
    count: usize,
    said_in: &'static str,
}

impl Columns {
    /// Those of a table without a header.
    fn of_row(cells: &[String]) -> Columns {
        Columns { time: 0, value: 1, count: cells.len(), said_in: "first row" }
    }

    /// A column called `time` or `t` is the time wherever it stands, otherwise the first one; the value is the column called
    /// `name`, or the only other one.
    fn of_header(cells: &[String], name: &str) -> Result<Columns, String> {
        let called = |wanted: &str| -> Result<Option<usize>, String> {
            let mut found = cells.iter().enumerate().filter(|(_, cell)| *cell == wanted).map(|(at, _)| at);
            match (found.next(), found.next()) {
                (Some(first), Some(second)) => {
                    Err(format!("the columns {} and {} are both called `{wanted}`", first + 1, second + 1))
                }
                (first, _) => Ok(first),
            }
        };
        let value = called(name)?;
        let time = match (called("time")?, called("t")?) {
            (_, Some(0)) => 0,
            (Some(at), _) | (None, Some(at)) => at,
            (None, None) if value == Some(0) => {
                return Err(format!("a column `time` is missing: the first one is `{name}` itself"));
            }
            (None, None) => 0,
        };
        let value = match value {
            Some(at) => at,
            None if cells.len() == 2 => 1 - time,
            None => {
                let others = cells.iter().enumerate().filter(|(at, _)| *at != time).map(|(_, cell)| cell.as_str());
                return Err(format!("no column `{name}` among {}", others.collect::<Vec<_>>().join(", ")));
            }
        };
        Ok(Columns { time, value, count: cells.len(), said_in: "header" })
    }
}

/// Reads a CSV text: a column called `time` or `t` or else the first one, and the column called `name` or the second one.
/// Separated by semicolon, tab, comma or blanks; fields may stand in quotation marks; `#` lines are comments; a header line is
/// optional.
pub fn parse_table(text: &str, name: &str) -> Result<TableData, String> {
    let mut data = TableData { times: Vec::new(), values: Vec::new(), other_name: None };
    let mut known: Option<Columns> = None;
    for (number, line) in text.lines().enumerate().map(|(k, line)| (k + 1, line.trim_start_matches('\u{feff}').trim()))
    {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut cells = cells(line).map_err(|reason| format!("line {number}: {reason}"))?;
        if known.is_none() && is_header(&cells[0]) {
            let columns = Columns::of_header(&cells, name).map_err(|reason| format!("line {number}: {reason}"))?;
            data.other_name = Some(cells[columns.value].clone()).filter(|found| found != name);
            known = Some(columns);
            continue;
        }
        let columns = &*known.get_or_insert_with(|| Columns::of_row(&cells));
        // A separator after the last field opens no other one.
        while cells.len() > columns.count && cells.last().is_some_and(String::is_empty) {
            cells.pop();
        }
        if cells.len() > columns.count {
            let (found, Columns { count, said_in, .. }) = (cells.len(), columns);
            return Err(format!(
                "line {number} has {found} fields, the {said_in} {count}; are these decimal commas? A number has a point, as 0.5"
            ));
        }
        let number_in = |at: usize| -> Result<f64, String> {
            let what = if at == columns.time { "time" } else { "value" };
            let cell = cells.get(at).filter(|cell| !cell.is_empty());
            let cell = cell.ok_or(format!("line {number}: the {what} in column {} is missing", at + 1))?;
            let comma = if cell.contains(',') { "; a number has a point, as 0.5, and no comma" } else { "" };
            let value: f64 =
                cell.parse().map_err(|_| format!("line {number}: `{}` is not a number{comma}", shorten(cell)))?;
            if value.is_finite() {
                Ok(value)
            } else {
                Err(format!("line {number}: the {what} is not finite ({})", shorten(cell)))
            }
        };
        let (t, v) = (number_in(columns.time)?, number_in(columns.value)?);
        if data.times.last().is_some_and(|&last| t < last) {
            return Err(format!("line {number}: time goes back from {} to {t}", data.times[data.times.len() - 1]));
        }
        data.times.push(t);
        data.values.push(v);
    }
    if data.times.is_empty() { Err("the table has no rows".into()) } else { Ok(data) }
}

/// Whether a first field is a name. A number with a mistake is none: a row must not be passed over.
fn is_header(cell: &str) -> bool {
    cell.parse::<f64>().is_err() && !cell.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
}

/// The fields of a line. Within quotation marks a separator is text, and two marks are one.
fn cells(line: &str) -> Result<Vec<String>, &'static str> {
    let mut quoted = false;
    let outside: String = line
        .chars()
        .filter(|&c| {
            quoted ^= c == '"';
            !quoted
        })
        .collect();
    if quoted {
        return Err("a quotation mark is not closed");
    }
    // A comma beside one of the others is part of a number.
    let separator = [';', '\t', ','].into_iter().find(|&c| outside.contains(c));
    let mut cells = vec![String::new()];
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        let cell = cells.last_mut().expect("there is a first one");
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                cell.push('"');
                characters.next();
            }
            '"' => quoted = !quoted,
            _ if quoted => cell.push(c),
            _ if separator.map_or(c.is_whitespace(), |separator| c == separator) => {
                // Many blanks separate like one.
                if separator.is_some() || !cell.is_empty() {
                    cells.push(String::new());
                }
            }
            _ => cell.push(c),
        }
    }
    Ok(cells.into_iter().map(|cell| cell.trim().to_string()).collect())
}

fn shorten(cell: &str) -> String {
    if cell.chars().count() > 30 { cell.chars().take(30).chain("…".chars()).collect() } else { cell.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_tables_are_read() {
        let expected = TableData { times: vec![0.0, 1.0], values: vec![2.0, 3.0], other_name: None };
        for text in [
            "0,2\n1,3\n",
            "time,u\n0,2\n1,3",
            "# c\n0 2\n1 3\n",
            "time  u\n0   2\n1\t3",
            "time;x;u\n0;9;2\n1;9;3",
            "\"time\",\"u\"\n0,2\n1,3",
            "n,time,u\n7,0,2\n8,1,3",
            "u,t\n2,0\n3,1",
            "when,u\n0,2,\n1,3,",
            "time,\"a, \"\"b\"\"\",u\n0,\"x,y\",\"2\"\n1,,3",
        ] {
            assert_eq!(parse_table(text, "u").as_ref(), Ok(&expected), "{text}");
        }
    }

    #[test]
    fn bad_tables_are_named_with_their_line() {
        for (text, words) in [
            ("", "no rows"),
            ("0,1\n1,NaN", "line 2: the value is not finite"),
            ("0,1\n1,", "line 2: the value in column 2 is missing"),
            ("0,1\n1", "line 2: the value in column 2 is missing"),
            ("0,1\n1,x", "line 2: `x` is not a number"),
            ("1,1\n0,1", "line 2: time goes back"),
            ("time,a,b\n0,1,2", "no column `u`"),
            ("time,u\n0,1\ntime,u\n", "line 3: `time` is not a number"),
            ("time,u\n0,5,1,0\n", "line 2 has 4 fields, the header 2; are these decimal commas?"),
            ("0,1\n0,5,1,0\n", "line 2 has 4 fields, the first row 2; are these decimal commas?"),
            ("time;u\n0;1\n0,5;1\n", "line 3: `0,5` is not a number; a number has a point"),
            ("0,5;1\n1;2\n", "line 1: `0,5` is not a number"),
            ("time,u\n0,1\n1,\"1,000\"\n", "line 3: `1,000` is not a number"),
            ("time,u\n0,\"1\n", "line 2: a quotation mark is not closed"),
            ("u,v\n0,1\n", "line 1: a column `time` is missing: the first one is `u` itself"),
            ("u\n0\n", "line 1: a column `time` is missing"),
            ("time,u,u\n0,1,2\n", "line 1: the columns 2 and 3 are both called `u`"),
            ("n,time,u,time\n0,1,2,3\n", "line 1: the columns 2 and 4 are both called `time`"),
        ] {
            let message = parse_table(text, "u").unwrap_err();
            assert!(message.contains(words), "{text}: {message}");
        }
    }

    #[test]
    fn the_only_column_may_have_another_name() {
        let table = parse_table("time,v\n0,1", "u").unwrap();
        assert_eq!((table.values, table.other_name.as_deref()), (vec![1.0], Some("v")));
    }

    #[test]
    fn segments_hold_at_the_ends_and_jump_at_double_times() {
        let table = TableData { times: vec![0.0, 1.0, 1.0, 3.0], values: vec![0.0, 2.0, 5.0, 1.0], other_name: None };
        let s = table.segments(false);
        assert_eq!(s.breaks, [0.0, 1.0, 3.0]);
        assert_eq!(s.value, [0.0, 0.0, 5.0, 1.0]);
        assert_eq!(s.slope, [0.0, 2.0, -2.0, 0.0]);
        assert_eq!(s.from, [0.0, 0.0, 1.0, 3.0]);
    }
}
