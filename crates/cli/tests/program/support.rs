//! Runs the program as a user does, within limits of time and memory.

use serde_json::Value;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Each answer should come within five seconds; a loaded machine gets more.
const PATIENCE: Duration = Duration::from_secs(40);

/// What came back.
#[derive(Debug)]
pub struct Answer {
    /// Exit code; −1 if the program was ended by a signal or took too long.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Answer {
    /// Standard output as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("not JSON ({e}): {self:?}"))
    }

    /// Insists on an exit code.
    pub fn expect(self, code: i32) -> Answer {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.out, self.err);
        self
    }

    /// Standard output as a table.
    pub fn table(&self) -> Table {
        Table::read(&self.out)
    }
}

/// The program with at most 1.5 GB of address space.
pub fn limited() -> Command {
    let program = env!("CARGO_BIN_EXE_ordinate");
    if cfg!(unix) {
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -v 1500000; exec \"$0\" \"$@\"", program]);
        command
    } else {
        Command::new(program)
    }
}

fn collect(mut from: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn wait(child: &mut Child) -> i32 {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("the child can be asked") {
            return status.code().unwrap_or(-1);
        }
        if begin.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return -1;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Runs a prepared command to its end.
pub fn finish(mut command: Command, input: &[u8]) -> Answer {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let out = collect(child.stdout.take().expect("piped"));
    let err = collect(child.stderr.take().expect("piped"));
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_vec();
    // a program that stops reading early is no reason to stop
    let feeder = std::thread::spawn(move || _ = stdin.write_all(&input));
    let code = wait(&mut child);
    feeder.join().expect("the feeder ends");
    Answer { code, out: out.join().expect("read"), err: err.join().expect("read") }
}

/// A folder of its own, in which the program runs.
pub struct Place {
    folder: TempDir,
}

impl Place {
    pub fn new() -> Place {
        Place { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Adds a file.
    pub fn with(self, name: &str, bytes: impl AsRef<[u8]>) -> Place {
        std::fs::write(self.path(name), bytes).expect("a temporary file");
        self
    }

    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub fn table(&self, name: &str) -> Table {
        Table::read(&self.text(name))
    }

    /// Names of all files, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).expect("a readable folder");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Runs with these arguments.
    pub fn run(&self, args: &[&str]) -> Answer {
        self.run_os(args.iter().map(OsString::from).collect(), b"")
    }

    /// Runs with these arguments and this standard input.
    pub fn run_os(&self, args: Vec<OsString>, input: &[u8]) -> Answer {
        let mut command = limited();
        command.current_dir(self.folder.path()).args(args);
        finish(command, input)
    }
}

/// Runs in an empty folder.
pub fn ordinate(args: &[&str]) -> Answer {
    Place::new().run(args)
}

/// A result in CSV.
#[derive(Debug)]
pub struct Table {
    pub comments: Vec<String>,
    pub names: Vec<String>,
    pub rows: Vec<Vec<f64>>,
}

impl Table {
    pub fn read(text: &str) -> Table {
        assert!(text.ends_with('\n'), "the last line is cut: {text:?}");
        let (comments, rest): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
        let (head, rows) = rest.split_first().expect("a line of names");
        let rows = rows.iter().map(|row| row.split(',').map(|cell| cell.parse().expect(cell)).collect());
        let table = Table {
            comments: comments.into_iter().map(String::from).collect(),
            names: split_names(head),
            rows: rows.collect(),
        };
        for row in &table.rows {
            assert_eq!(row.len(), table.names.len(), "{row:?}");
        }
        table
    }

    pub fn column(&self, name: &str) -> Vec<f64> {
        let k = self.names.iter().position(|known| known == name);
        let k = k.unwrap_or_else(|| panic!("no column {name} among {:?}", self.names));
        self.rows.iter().map(|row| row[k]).collect()
    }

    /// The largest deviation of a column from a function of time.
    pub fn deviation(&self, name: &str, exact: impl Fn(f64) -> f64) -> f64 {
        let pairs = self.column("time").into_iter().zip(self.column(name));
        pairs.map(|(t, value)| (value - exact(t)).abs()).fold(0.0, f64::max)
    }
}

/// Names of elements of two indices contain a comma and are quoted.
fn split_names(line: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => names.push(String::new()),
            _ => names.last_mut().expect("never empty").push(c),
        }
    }
    names
}

/// The top folder of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
