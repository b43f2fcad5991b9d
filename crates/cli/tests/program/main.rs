//! The whole program through its command line: text and files in, rows, messages and exit codes out.

mod contract;
mod edges;
mod gallery;
mod golden;
mod implicit;
mod inputs;
mod malformed;
mod results;
mod semantics;
mod steps;
mod support;
mod thesis;
mod transfer;
mod transform;
mod verbs;
