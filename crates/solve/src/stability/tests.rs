//! Claims about the stability of the methods, against the literature and against the methods.

use super::{Characteristic, Interval, StabilityFacts, facts, tables};
use crate::{by_name, names};
use ordinate_linalg::{Complex, Scalar};

fn of(name: &str) -> Characteristic {
    let (name, order) = name.split_once(' ').map_or((name, None), |(name, order)| (name, order.parse().ok()));
    let choice = by_name(name).expect("a method");
    let choice = if order.is_some() { choice.with_order(order, None).expect("an order of its own") } else { choice };
    choice.characteristic().expect("a method of one order")
}

fn known(name: &str) -> StabilityFacts {
    facts(&of(name))
}

/// rk4: 2√2 on the imaginary axis; AB2: −1; AB3: −6/11; AB4: −3/10; AB5: −90/551; AM2: −6; AM3: −3. Hairer, Wanner II, V.1.
#[test]
fn intervals_on_the_real_axis_are_those_of_the_literature() {
    let cases = [
        ("euler", 2.0),
        ("rk2", 2.0),
        ("ralston", 2.0),
        ("ab1", 2.0),
        ("ab2", 1.0),
        ("ab3", 6.0 / 11.0),
        ("ab4", 3.0 / 10.0),
        ("ab5", 90.0 / 551.0),
        ("am2", 6.0),
        ("am3", 3.0),
        ("ge3", 0.0),
    ];
    for (name, length) in cases {
        assert_eq!(known(name).real.length, Some(length), "{name}");
    }
    assert_eq!(known("rk4").imaginary, Interval { length: Some(8f64.sqrt()), closed: true });
    for name in ["euler", "rk2", "heun", "ab1", "ab2"] {
        assert_eq!(known(name).imaginary.length, Some(0.0), "{name}");
    }
    // The constants that the tests for stiffness use are rounded down.
    for tableau in crate::explicit_tableaus() {
        let real = known(tableau.name).real.length.expect("explicit");
        assert!(tableau.real_stability.is_none_or(|used| used <= real + 0.01 && used > 0.9 * real), "{}", tableau.name);
    }
}

/// Hairer, Wanner II, V.2, table 2.1, for BDF; Shampine, Reichelt 1997, table 1, for the numerical differentiation formulas.
#[test]
fn the_formulas_of_differentiation_have_their_angles() {
    let angles = [90.0, 90.0, 86.03, 73.35, 51.84, 17.84];
    for (k, angle) in angles.iter().enumerate() {
        let facts = known(&format!("bdf{}", k + 1));
        assert!((facts.angle.expect("a sector") - angle).abs() < 0.01, "bdf{}: {:?}", k + 1, facts.angle);
        assert_eq!((facts.a_stable, facts.l_stable), (k < 2, k < 2));
        assert_eq!(facts.real.length, None);
    }
    for (k, angle) in [90.0, 90.0, 80.0, 66.0, 51.0].iter().enumerate() {
        let facts = known(&format!("bdf {}", k + 1));
        assert!((facts.angle.expect("a sector") - angle).abs() < 1.0, "order {}: {:?}", k + 1, facts.angle);
    }
    assert!(!facts(&tables::bdf(7)).zero_stable, "seven steps are unstable however short they are");
}

#[test]
fn implicit_one_step_methods_are_a_stable_and_all_but_the_trapezoidal_rule_l_stable() {
    for name in ["backward-euler", "am0", "radau3", "radau5", "radau9", "radau13"] {
        let facts = known(name);
        assert!(facts.a_stable && facts.l_stable, "{name}");
        assert_eq!((facts.real.length, facts.imaginary.length), (None, None), "{name}");
    }
    for name in ["trapezoid", "am1"] {
        let facts = known(name);
        assert!(facts.a_stable && !facts.l_stable && facts.imaginary.length.is_none(), "{name}");
    }
}

/// A method of order p has a root that differs from e^z by O(z^(p+1)), and no more.
#[test]
fn the_principal_root_approximates_the_exponential_to_the_order_of_the_method() {
    let mut all: Vec<String> = names().map(String::from).filter(|n| !n.starts_with("radau1")).collect();
    all.retain(|name| by_name(name).expect("a method").characteristic().is_ok() && name != "dp8" && name != "radau9");
    all.extend(["taylor 3", "abm 2", "abm 6", "bdf 3", "bdf 5", "adams 1", "adams 4"].map(String::from));
    for name in all {
        let order = match name.split_once(' ') {
            // the corrector of the variable method has one point more
            Some(("adams", order)) => order.parse::<u32>().expect("an order") + 1,
            Some((_, order)) => order.parse().expect("an order"),
            None => by_name(&name).expect("a method").order(),
        };
        let method = of(&name);
        let error = |h: f64| {
            let z = Complex::new(-0.6, 0.8) * h;
            let last = *method.principal(z, 8).last().expect("eight places");
            let exact = Complex::new(z.im.cos(), z.im.sin()) * z.re.exp();
            (last - exact).modulus()
        };
        let h = if order > 4 { 0.06 } else { 0.02 };
        let observed = (error(h) / error(h / 2.0)).log2() - 1.0;
        assert!((observed - f64::from(order)).abs() < 0.3, "{name}: {observed}");
    }
}

/// One step of the method itself on y′ = λy multiplies y by R(hλ).
#[test]
fn radau_steps_multiply_by_the_stability_function() {
    for (name, stages) in [("radau3", 2), ("radau5", 3), ("radau9", 5), ("radau13", 7)] {
        let coefficients = crate::implicit::radau::stages_of(stages);
        let s = stages;
        let z = -1.7;
        // (I − zA) k = 1, R = 1 + z bᵀk with b the last row of A, by Gauss's elimination
        let mut m: Vec<Vec<f64>> = (0..s)
            .map(|i| {
                let row = (0..s).map(|j| f64::from(u8::from(i == j)) - z * coefficients[i * s + j]);
                row.chain([1.0]).collect()
            })
            .collect();
        for k in 0..s {
            for i in (0..s).filter(|&i| i != k) {
                let f = m[i][k] / m[k][k];
                let pivot = m[k].clone();
                m[i].iter_mut().zip(&pivot).for_each(|(a, p)| *a -= f * p);
            }
        }
        let r = 1.0 + z * (0..s).map(|j| coefficients[(s - 1) * s + j] * m[j][s] / m[j][j]).sum::<f64>();
        let root = of(name).roots(Complex::new(z, 0.0))[0];
        assert!((root.re - r).abs() < 1e-13 && root.im == 0.0, "{name}: {root:?} {r}");
    }
}

/// The table that the variable method's test for stiffness uses was found from the roots; order 12 exceeds 1 by 0.02 early.
#[test]
fn the_corrected_adams_methods_agree_with_the_table_of_the_method() {
    for (k, used) in crate::multistep::adams::REAL_STABILITY.iter().enumerate().take(7) {
        let real = known(&format!("adams {}", k + 1)).real.length.expect("explicit");
        assert!((real - used).abs() < 0.011, "order {}: {real} {used}", k + 1);
    }
}

/// By the divisions the determinant has the size of one of k × k elements, whatever the number of steps.
#[test]
fn the_determinant_of_many_steps_stays_small() {
    for (name, elements) in [("bdf6", 2 * 6), ("ab6", 2 * 6), ("abm 6", 4 * 6), ("adams 8", 4 * 8)] {
        let degree = of(name).crossing_degree();
        assert!(degree <= elements, "{name}: degree {degree}");
    }
}

/// R − e^z of order p is −z^(p+1)/(p+1)! at small z, far below the rounding of R itself.
#[test]
fn the_order_star_keeps_its_digits_at_the_origin() {
    let z = Complex::new(-0.03, 0.04);
    for order in [1, 4, 20] {
        let power = (0..=order).fold(Complex::new(1.0, 0.0), |power, k| power * z * (1.0 / f64::from(k + 1)));
        let found = of(&format!("taylor {order}")).excess(z);
        assert!((found + power.re).abs() < 0.1 * power.modulus(), "order {order}: {found:e} {:e}", -power.re);
    }
    let far = Complex::new(-3.0, 1.0);
    let rk4 = of("rk4");
    assert!((rk4.excess(far) - (rk4.growth(far).ln() + 3.0)).abs() < 1e-14);
}
