//! Stability: the golden intervals of the Taylor methods, and the golden facts of GE3.

use crate::orders::{golden, number};
use ordinate_linalg::Complex;
use ordinate_solve::by_name;
use ordinate_solve::stability::{Characteristic, Interval, facts};

fn taylor(order: u32) -> Characteristic {
    let choice = by_name("taylor").expect("a method").with_order(Some(order), None).expect("an order");
    choice.characteristic().expect("of a fixed order")
}

#[test]
fn the_taylor_methods_have_the_golden_intervals() {
    for row in golden("methods.json", "stability-taylor")["rows"].as_array().expect("rows") {
        let facts = facts(&taylor(row["order"].as_u64().expect("an order") as u32));
        assert_eq!(facts.real.length, Some(-number(&row["real_interval"])), "{row}");
        assert_eq!(facts.imaginary.length, Some(number(&row["imag_interval"])), "{row}");
        assert!(!facts.a_stable && !facts.l_stable && facts.angle.is_none());
    }
    for order in [5, 6, 9, 10, 21, 62] {
        assert_eq!(facts(&taylor(order)).imaginary.length, Some(0.0), "order {order}");
    }
}

#[test]
fn ge3_has_the_golden_damping_and_frequency() {
    let case = golden("second_order.json", "ge3-facts");
    let method = by_name("ge3").expect("a method").characteristic().expect("a polynomial");
    for row in case["imaginary_axis"].as_array().expect("rows") {
        let (w, radius) = (number(&row["w_h"]), number(&row["spectral_radius"]));
        let found = method.growth(Complex::new(0.0, w));
        // at ωh = 2 the root is double, and half of the digits are lost
        assert!((found - radius).abs() < 1e-7 * radius, "{w}: {found}");
        if let Some(frequency) = row.get("numeric_frequency_over_exact").map(number) {
            let root = *method.principal(Complex::new(0.0, w), 64).last().expect("places");
            assert!((root.im.atan2(root.re).abs() / w - frequency).abs() < 1e-7, "{w}");
        }
    }
    for row in case["real_axis"].as_array().expect("rows") {
        let x = number(&row["lambda_h"]);
        let found = method.growth(Complex::new(x, 0.0));
        assert!((found - number(&row["spectral_radius"])).abs() < 1e-14 * found, "{x}: {found}");
        assert!((-found.ln() - number(&row["numeric_damping"])).abs() < 1e-14);
    }
    let facts = facts(&method);
    assert_eq!(facts.real.length, Some(0.0));
    assert_eq!(facts.imaginary, Interval { length: Some(2.0), closed: false });
    assert!(!facts.a_stable);
}
