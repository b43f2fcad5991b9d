//! Tables of inputs: `input u from "u.csv"`. The text of the file comes from outside; here it is
//! read and checked, and turned into the segments that a switch walks through.

/// One column against time.
#[derive(Clone, Debug, PartialEq)]
pub struct TableData {
    /// Times, not decreasing; two equal times are a jump.
    pub times: Vec<f64>,
    /// Values.
    pub values: Vec<f64>,
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

/// Reads a CSV text: first column time, then the column with the header `name`, or the second one.
/// Separated by comma, semicolon, tab or blanks; `#` lines are comments; a header line is optional.
pub fn parse_table(text: &str, name: &str) -> Result<TableData, String> {
    let mut data = TableData { times: Vec::new(), values: Vec::new() };
    let mut column = 1;
    let mut header_seen = false;
    for (number, line) in text.lines().enumerate().map(|(k, line)| (k + 1, line.trim_start_matches('\u{feff}').trim()))
    {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let separator = [',', ';', '\t'].into_iter().find(|&c| line.contains(c));
        let cells: Vec<&str> = match separator {
            Some(c) => line.split(c).map(|cell| cell.trim().trim_matches('"')).collect(),
            None => line.split_whitespace().collect(),
        };
        let is_header = data.times.is_empty() && !header_seen && cells[0].parse::<f64>().is_err();
        if is_header {
            header_seen = true;
            column = match cells.iter().position(|cell| *cell == name) {
                Some(0) | None if cells.len() == 2 => 1,
                Some(found) if found > 0 => found,
                _ => return Err(format!("line {number}: no column `{name}` among {}", cells[1..].join(", "))),
            };
            continue;
        }
        let number_in = |at: usize| -> Result<f64, String> {
            let what = if at == 0 { "time" } else { "value" };
            let cell = cells.get(at).filter(|cell| !cell.is_empty());
            let cell = cell.ok_or(format!("line {number}: the {what} in column {} is missing", at + 1))?;
            let value: f64 = cell.parse().map_err(|_| format!("line {number}: `{}` is not a number", shorten(cell)))?;
            if value.is_finite() {
                Ok(value)
            } else {
                Err(format!("line {number}: the {what} is not finite ({})", shorten(cell)))
            }
        };
        let (t, v) = (number_in(0)?, number_in(column)?);
        if data.times.last().is_some_and(|&last| t < last) {
            return Err(format!("line {number}: time goes back from {} to {t}", data.times[data.times.len() - 1]));
        }
        data.times.push(t);
        data.values.push(v);
    }
    if data.times.is_empty() { Err("the table has no rows".into()) } else { Ok(data) }
}

fn shorten(cell: &str) -> String {
    if cell.chars().count() > 30 { cell.chars().take(30).chain("…".chars()).collect() } else { cell.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_tables_are_read() {
        let expected = TableData { times: vec![0.0, 1.0], values: vec![2.0, 3.0] };
        for text in
            ["0,2\n1,3\n", "time,u\n0,2\n1,3", "# c\n0 2\n1 3\n", "time;x;u\n0;9;2\n1;9;3", "\"time\",\"u\"\n0,2\n1,3"]
        {
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
        ] {
            let message = parse_table(text, "u").unwrap_err();
            assert!(message.contains(words), "{text}: {message}");
        }
    }

    #[test]
    fn segments_hold_at_the_ends_and_jump_at_double_times() {
        let table = TableData { times: vec![0.0, 1.0, 1.0, 3.0], values: vec![0.0, 2.0, 5.0, 1.0] };
        let s = table.segments(false);
        assert_eq!(s.breaks, [0.0, 1.0, 3.0]);
        assert_eq!(s.value, [0.0, 0.0, 5.0, 1.0]);
        assert_eq!(s.slope, [0.0, 2.0, -2.0, 0.0]);
        assert_eq!(s.from, [0.0, 0.0, 1.0, 3.0]);
    }
}
