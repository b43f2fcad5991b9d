//! The whole program through its command line: text and files in, rows, messages and exit codes out.

mod accuracy;
mod contract;
mod design;
mod digits;
mod edges;
mod formulas;
mod gallery;
mod golden;
mod implicit;
mod inputs;
mod laboratory;
mod linear;
mod malformed;
mod orbits;
mod realtime;
mod report;
mod results;
mod roots;
mod semantics;
mod steps;
mod support;
mod thesis;
mod transfer;
mod transform;
mod verbs;
