//! What the methods and the driver promise, claim by claim.

mod adams;
mod bdf;
mod block;
mod consistency;
mod edges;
mod events;
mod ge3;
mod linear;
mod more_events;
mod newton;
mod orders;
#[path = "../problems/mod.rs"]
mod problems;
mod radau;
mod runs;
mod searching;
mod stability;
mod stiff;
