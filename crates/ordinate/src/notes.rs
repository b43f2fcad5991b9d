//! What a run has to say beside its result: a choice among several solutions, something that was not looked at, …
//! Each kind is a word of the machine-readable summary, and each entry is a sentence for a person.

use serde_json::{Value, json};

/// What a note is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKind {
    /// Several solutions begin or part here, and one of them was taken.
    Choice,
    /// The equations as typed have no value where they would have been compared with the result.
    Unchecked,
    /// Something in the equations that no step has resolved.
    Unresolved,
    /// A condition is true at the start, so that nothing happens before it was false.
    Condition,
    /// The run goes beyond the times of a table.
    Table,
}

impl NoteKind {
    /// The word in `summary.notes`.
    pub fn word(self) -> &'static str {
        match self {
            NoteKind::Choice => "choice",
            NoteKind::Unchecked => "unchecked",
            NoteKind::Unresolved => "unresolved",
            NoteKind::Condition => "condition",
            NoteKind::Table => "table",
        }
    }
}

/// One entry of `summary.notes`.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// What it is about.
    pub kind: NoteKind,
    /// One sentence: what, where, and what to do if it matters.
    pub message: String,
    /// When, if that is known.
    pub t: Option<f64>,
    /// The line of the text, counted from 1, if there is one.
    pub line: Option<usize>,
}

impl Note {
    /// As it stands in the summary.
    pub fn to_json(&self) -> Value {
        json!({"kind": self.kind.word(), "message": self.message, "t": self.t, "line": self.line})
    }
}
