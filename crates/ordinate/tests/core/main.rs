//! What others stand on: models and systems without a text, solutions as functions of time, interruption, what may go to another thread.

mod builder;
mod dense;
mod interruption;
mod outside;
mod send;
