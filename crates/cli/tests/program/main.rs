//! The whole program through its command line: text and files in, rows, messages and exit codes out.

mod contract;
mod formats;
mod gallery;
mod golden;
mod malformed;
mod support;
