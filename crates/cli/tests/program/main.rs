//! The whole program through its command line: text and files in, rows, messages and exit codes out.

mod golden;
mod malformed;
mod support;
