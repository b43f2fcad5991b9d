//! Where rows go: to a stream as CSV, into memory for a picture, or nowhere.

use ordinate_numbers::Octet;
use ordinate_solve::NewtonIterate;
use std::io::{self, Write};

/// A row could not be stored.
#[derive(Clone, Debug)]
pub struct RowError {
    /// What was written to.
    pub place: String,
    /// Why not, in plain words.
    pub reason: String,
    /// Whether a pipe was closed by its reader.
    pub closed_pipe: bool,
}

/// Takes rows of time, states, named expressions, outputs; and the inputs, which files do not store.
pub trait RowSink {
    /// Once before the first row: the names of all columns, of which the first `stored` belong into files.
    fn begin(&mut self, _names: &[String], _stored: usize) -> Result<(), RowError> {
        Ok(())
    }
    /// One row.
    fn row(&mut self, values: &[f64]) -> Result<(), RowError>;
    /// One row of a run beyond double precision: rounded, and those that belong into files with all digits.
    fn precise_row(&mut self, values: &[f64], _texts: &[String]) -> Result<(), RowError> {
        self.row(values)
    }
    /// An accepted step; returns whether to go on.
    fn step(&mut self, _t: f64, _h: f64, _order: u32) -> bool {
        true
    }
    /// The states at the start and at the end of every step, and once more where an event has changed them.
    fn passed(&mut self, _t: f64, _y: &[f64]) {}
    /// The columns on one side of an event at which a switch was crossed: before it, then after it.
    fn side_of_event(&mut self, _switch: usize, _behind: bool, _values: &[f64]) {}
    /// Whether they are wanted.
    fn wants_path(&self) -> bool {
        false
    }
    /// Whether steps are wanted.
    fn wants_steps(&self) -> bool {
        false
    }
    /// The estimates of (computed − true) of so many rows that follow, state by state, from methods that carry them along.
    fn errors(&mut self, _rows: usize, _errors: &[Octet]) {}
    /// An iterate of Newton's method, where they are traced.
    fn iterate(&mut self, _iterate: &NewtonIterate) {}
    /// The solution has ended; from now on `keep_going` is asked about the estimate of its error.
    fn solved(&mut self) {}
    /// Asked now and then: whether to go on.
    fn keep_going(&mut self, _t: f64) -> bool {
        true
    }
}

/// Forgets everything.
pub struct Discard;

impl RowSink for Discard {
    fn row(&mut self, _values: &[f64]) -> Result<(), RowError> {
        Ok(())
    }
}

/// CSV to a stream: `#` lines with the data of the run, the names, then the rows.
pub struct CsvRows<W: Write> {
    out: W,
    place: String,
    comments: Vec<String>,
    stored: usize,
    line: Vec<u8>,
    digits: zmij::Buffer,
}

impl<W: Write> CsvRows<W> {
    /// A writer; `place` is what messages call it.
    pub fn new(out: W, place: impl Into<String>, comments: Vec<String>) -> Self {
        CsvRows { out, place: place.into(), comments, stored: 0, line: Vec::new(), digits: zmij::Buffer::new() }
    }

    fn fail(&self, e: &io::Error) -> RowError {
        RowError {
            place: self.place.clone(),
            reason: crate::compile::reason(e),
            closed_pipe: e.kind() == io::ErrorKind::BrokenPipe,
        }
    }

    /// Adds last comments and flushes; the stream comes back.
    pub fn finish(mut self, comments: &[String]) -> Result<W, RowError> {
        for comment in comments {
            writeln!(self.out, "# {comment}").map_err(|e| self.fail(&e))?;
        }
        self.out.flush().map_err(|e| self.fail(&e))?;
        Ok(self.out)
    }
}

impl<W: Write> RowSink for CsvRows<W> {
    fn begin(&mut self, names: &[String], stored: usize) -> Result<(), RowError> {
        self.stored = stored;
        for comment in std::mem::take(&mut self.comments) {
            writeln!(self.out, "# {comment}").map_err(|e| self.fail(&e))?;
        }
        let quoted = names[..stored].iter().map(|name| match name.contains(',') {
            true => format!("\"{name}\""),
            false => name.clone(),
        });
        let header: Vec<String> = quoted.collect();
        writeln!(self.out, "{}", header.join(",")).map_err(|e| self.fail(&e))
    }

    fn row(&mut self, values: &[f64]) -> Result<(), RowError> {
        self.line.clear();
        for (k, value) in values[..self.stored].iter().enumerate() {
            if k > 0 {
                self.line.push(b',');
            }
            // the shortest digits that read back as the same number
            self.line.extend_from_slice(self.digits.format(*value).as_bytes());
        }
        self.line.push(b'\n');
        self.out.write_all(&self.line).map_err(|e| self.fail(&e))
    }

    fn precise_row(&mut self, _values: &[f64], texts: &[String]) -> Result<(), RowError> {
        writeln!(self.out, "{}", texts.join(",")).map_err(|e| self.fail(&e))
    }
}

/// The steps of a run: time at the end of the step, its length, its order.
pub type Strip = Vec<(f64, f64, u32)>;

/// More steps than this are thinned for the picture: a picture cannot show more.
const MAX_STRIP: usize = 1 << 16;

/// Numbers that are kept in memory; streams have no such limit.
const MAX_KEPT: usize = 1 << 25;

/// Keeps all rows, and the steps for the strip below a picture.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Names of the columns, `time` first.
    pub names: Vec<String>,
    /// How many of them belong into files.
    pub stored: usize,
    /// The columns.
    pub columns: Vec<Vec<f64>>,
    /// The steps.
    pub strip: Strip,
    stride: usize,
    skipped: usize,
}

impl Memory {
    /// The column of a name.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        let k = self.names.iter().position(|known| known == name)?;
        self.columns.get(k).map(Vec::as_slice)
    }
}

impl RowSink for Memory {
    fn begin(&mut self, names: &[String], stored: usize) -> Result<(), RowError> {
        *self = Memory { names: names.to_vec(), stored, columns: vec![Vec::new(); names.len()], ..Memory::default() };
        self.stride = 1;
        Ok(())
    }

    fn row(&mut self, values: &[f64]) -> Result<(), RowError> {
        if self.columns.first().map_or(0, Vec::len) >= MAX_KEPT / values.len().max(1) {
            return Err(RowError {
                place: "a picture or JSON file".into(),
                reason: "there are too many rows to keep them in memory; store fewer with `--every`, or use CSV".into(),
                closed_pipe: false,
            });
        }
        self.columns.iter_mut().zip(values).for_each(|(column, value)| column.push(*value));
        Ok(())
    }

    fn step(&mut self, t: f64, h: f64, order: u32) -> bool {
        self.skipped += 1;
        if self.skipped >= self.stride {
            self.skipped = 0;
            self.strip.push((t, h, order));
        }
        if self.strip.len() > MAX_STRIP {
            let mut keep = false;
            self.strip.retain(|_| {
                keep = !keep;
                keep
            });
            self.stride *= 2;
        }
        true
    }

    fn wants_steps(&self) -> bool {
        true
    }
}
