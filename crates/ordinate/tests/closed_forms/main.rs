//! More than two thousand random models whose solutions are known in closed form, each by six methods: no run may be wrong
//! without saying so, and none that is right may be called wrong or be stopped. `--digits` must not certify what is wrong.

mod case;
mod chains;
mod driver;
mod families;
mod random;
mod shape;

use case::all_are_right;
use families as f;

#[test]
fn derivatives_of_branches() {
    all_are_right(f::cases(1, 520, f::branches), 520);
}

#[test]
fn saturated_controllers_with_lead() {
    all_are_right(f::cases(2, 260, f::lead), 260);
}

#[test]
fn functions_that_underflow_at_ordinary_points() {
    all_are_right(f::cases(3, 300, f::underflow), 300);
}

#[test]
fn peaks_of_a_hundredth_of_the_range() {
    all_are_right(f::cases(4, 160, f::peak), 160);
}

#[test]
fn gates_whose_exponentials_overflow() {
    all_are_right(f::cases(5, 260, f::gate), 260);
}

#[test]
fn removable_singularities() {
    all_are_right(f::cases(6, 200, f::removable), 200);
}

#[test]
fn parameters_that_cancel() {
    all_are_right(f::cases(7, 160, f::cancelling), 160);
}

#[test]
fn scales_at_the_edge_of_doubles() {
    all_are_right(f::cases(8, 40, f::scales), 40);
}

#[test]
fn derivatives_of_jumps() {
    all_are_right(f::cases(9, 60, f::jump), 60);
}

#[test]
fn smooth_chains() {
    all_are_right(f::cases(10, 80, chains::chain), 80);
}
