//! Matrix equations against closed forms and against themselves: what is found fulfils its equation.

mod systems;

use ordinate_control::{
    Complex, ControlError, Matrix, care, dare, dlqr, dlyapunov, eigenvalues, lqr, lyapunov, sylvester,
};
use systems::{Random, golden, golden_numbers, matrix};

/// A Y + Y B − C relative to its terms.
fn left_of_sylvester(a: &Matrix, x: &Matrix, b: &Matrix, c: &Matrix) -> f64 {
    (&(&(a * x) + &(x * b)) - c).frobenius() / ((a.frobenius() + b.frobenius()) * x.frobenius() + c.frobenius())
}

/// The motor of the thesis with Q = diag(15, 2), R = 1: gains of the golden case `dc-lqr`, computed with forty digits.
#[test]
fn the_gains_of_the_motor_have_all_digits() {
    let a = matrix(2, &[-10.0, 1.0, -0.02, -2.0]);
    let b = matrix(2, &[0.0, 2.0]);
    let found = lqr(&a, &b, &Matrix::diagonal(&[15.0, 2.0]), &Matrix::identity(1)).expect("a regulator");
    let golden = golden("control.json", "dc-lqr");
    let exact = |key: &str| golden_numbers(&golden["gains"][key]);
    for (found, exact) in found.gain.elements().iter().zip(exact("k")) {
        assert!((found / exact - 1.0).abs() < 1e-13, "{found} instead of {exact}");
    }
    for (found, exact) in found.cost.elements().iter().zip(exact("P")) {
        assert!((found / exact - 1.0).abs() < 1e-13, "{found} instead of {exact}");
    }
    let poles = exact("closed_loop_eigenvalues");
    for (pole, exact) in found.poles.iter().zip(poles.iter().rev()) {
        assert!((pole.re - exact).abs() < 1e-13 && pole.im == 0.0, "{pole:?}");
    }
}

/// Two integrators with Q = diag(1, 0), R = r have K = (1, √2 r^¼)/√r; with Q = I, R = 1 it is (1, √3).
#[test]
fn integrators_have_the_gains_of_the_textbook() {
    let (a, b) = (matrix(2, &[0.0, 1.0, 0.0, 0.0]), matrix(2, &[0.0, 1.0]));
    for r in [1e-12, 1e-3, 1.0, 1e6, 1e12] {
        let weight = Matrix::diagonal(&[r]);
        let gain = lqr(&a, &b, &Matrix::diagonal(&[1.0, 0.0]), &weight).expect("a regulator").gain;
        let exact = [1.0 / r.sqrt(), 2f64.sqrt() / r.powf(0.25)];
        for (found, exact) in gain.elements().iter().zip(exact) {
            assert!((found / exact - 1.0).abs() < 1e-12, "r = {r}: {found} instead of {exact}");
        }
    }
    let gain = lqr(&a, &b, &Matrix::identity(2), &Matrix::identity(1)).expect("a regulator").gain;
    assert!((gain.at(0, 0) - 1.0).abs() < 1e-14 && (gain.at(0, 1) - 3f64.sqrt()).abs() < 1e-14, "{gain:?}");
}

/// x′ = a x + b u: P = (a + √(a² + q b²/r)) r/b²; with q = 0 the unstable one is mirrored and the stable one left alone.
#[test]
fn one_state_has_its_closed_form() {
    for (a, q) in [(3.0, 1.0), (-3.0, 1.0), (0.0, 1.0), (3.0, 0.0), (-3.0, 0.0), (1e-3, 1e-9), (-1e3, 1e-6)] {
        let (b, r) = (2.0, 0.5);
        let one = |x: f64| Matrix::diagonal(&[x]);
        let p = care(&one(a), &one(b), &one(q), &one(r)).expect("stabilisable").at(0, 0);
        let root = f64::sqrt(a * a + q * b * b / r);
        let exact = if a > 0.0 { (a + root) * r / (b * b) } else { q / (root - a) };
        assert!((p - exact).abs() <= 1e-14 * exact.abs(), "a = {a}, q = {q}: {p} instead of {exact}");
    }
    // p² b² + p (r − a² r − q b²) − q r = 0
    for (a, q) in [(2.0, 1.0), (0.5, 1.0), (0.0, 3.0), (1.0, 1.0), (2.0, 0.0)] {
        let (b, r) = (1.0, 0.5);
        let one = |x: f64| Matrix::diagonal(&[x]);
        let p = dare(&one(a), &one(b), &one(q), &one(r)).expect("stabilisable").at(0, 0);
        let half = (r - a * a * r - q * b * b) / 2.0;
        let exact = (-half + (half * half + q * r * b * b).sqrt()) / (b * b);
        assert!((p - exact).abs() <= 1e-14 * exact.abs(), "a = {a}, q = {q}: {p} instead of {exact}");
    }
}

/// Stable and unstable systems of up to fifty states, weights of any rank and size: the residual is rounding, P is
/// symmetric and the loop stable.
#[test]
fn random_riccati_equations_are_fulfilled() {
    let mut random = Random::new(7);
    for round in 0..120 {
        let n = [1, 2, 3, 5, 8, 14, 20, 50][round % 8];
        let m = 1 + round % 3.min(n);
        // some eigenvalues to the right, most to the left
        let shift = Matrix::identity(n).scaled(0.4);
        let a = &random.matrix(n, n).scaled(1.0 / (n as f64).sqrt()) - &shift;
        let b = random.matrix(n, m);
        let half = random.matrix(1 + round % n, n);
        let q = &half.transposed() * &half;
        let r = Matrix::diagonal(&(0..m).map(|i| 10f64.powi(round as i32 % 5 - 2 * i as i32)).collect::<Vec<_>>());
        for discrete in [false, true] {
            let found = if discrete { dlqr(&a, &b, &q, &r) } else { lqr(&a, &b, &q, &r) };
            let found = found.unwrap_or_else(|e| panic!("round {round}, n = {n}, discrete {discrete}: {e}"));
            assert!(found.residual < 1e-12, "round {round}, n = {n}, discrete {discrete}: {:e}", found.residual);
            assert_eq!(found.cost, found.cost.transposed());
            let stable = |p: &Complex| if discrete { p.re.hypot(p.im) < 1.0 } else { p.re < 0.0 };
            assert!(found.poles.iter().all(stable), "round {round}");
        }
    }
}

/// A single input for dozens of unstable modes: P has elements of 1e10 and more beside ones of size one. Either the equation
/// is fulfilled, or the answer says that it is not.
#[test]
fn hopeless_equations_are_solved_or_refused() {
    let mut random = Random::new(5);
    let mut solved = 0;
    for round in 0..12 {
        let n = [14, 20, 50][round % 3];
        let (a, b) = (random.matrix(n, n), random.matrix(n, 1));
        let residual = |p: &Matrix| {
            let (pa, bp) = (p * &a, &b.transposed() * p);
            let quadratic = &bp.transposed() * &bp;
            let left = &(&(&pa + &pa.transposed()) - &quadratic) + &Matrix::identity(n);
            left.frobenius() / pa.frobenius()
        };
        match lqr(&a, &b, &Matrix::identity(n), &Matrix::identity(1)) {
            Ok(found) => {
                solved += 1;
                assert!(residual(&found.cost) < 1e-10, "round {round}: {:e}", residual(&found.cost));
            }
            Err(error) => assert!(matches!(error, ControlError::Inaccurate(_, _)), "round {round}: {error}"),
        }
    }
    assert!(solved >= 4, "{solved}");
}

/// What has no stabilising solution is named: an unreached unstable mode, an oscillator without weight, bad weights.
#[test]
fn equations_without_solution_are_named() {
    let one = Matrix::identity(1);
    let a = Matrix::diagonal(&[1.0, -2.0]);
    let stuck = lqr(&a, &matrix(2, &[0.0, 1.0]), &Matrix::identity(2), &one).expect_err("not reached");
    assert_eq!(stuck, ControlError::Uncontrollable(vec![1.0.into()]));
    let oscillator = matrix(2, &[0.0, 1.0, -1.0, 0.0]);
    let blind = lqr(&oscillator, &matrix(2, &[0.0, 1.0]), &Matrix::zero(2, 2), &one).expect_err("on the axis");
    assert!(matches!(blind, ControlError::Unobservable(_) | ControlError::OnTheBorder(_)), "{blind}");
    let b = matrix(2, &[1.0, 1.0]);
    let negative = lqr(&a, &b, &Matrix::diagonal(&[1.0, -1.0]), &one).expect_err("indefinite");
    assert!(matches!(negative, ControlError::Indefinite("Q", least) if (least + 1.0).abs() < 1e-12), "{negative}");
    let none = lqr(&a, &b, &Matrix::identity(2), &Matrix::zero(1, 1)).expect_err("no weight");
    assert!(matches!(none, ControlError::Indefinite("R", least) if least == 0.0), "{none}");
    let lopsided = lqr(&a, &b, &matrix(2, &[1.0, 1.0, 0.0, 1.0]), &one).expect_err("not symmetric");
    assert!(matches!(lopsided, ControlError::Indefinite("Q", least) if least.is_nan()), "{lopsided}");
    assert!(matches!(lqr(&a, &b, &one, &one), Err(ControlError::Shape(_))));
    let circle = dlqr(&Matrix::identity(1), &one, &Matrix::zero(1, 1), &one).expect_err("on the circle");
    assert!(matches!(circle, ControlError::Unobservable(_) | ControlError::OnTheBorder(_)), "{circle}");
}

/// Units of states and inputs change the gain by exactly their factors.
#[test]
fn gains_do_not_depend_on_units() {
    let a = matrix(3, &[0.0, 1.0, 0.0, 1962.0, 0.0, -2.5e-3, 0.0, 4.0e-3, -200.0]);
    let b = matrix(3, &[0.0, 0.0, 25.0]);
    let (q, r) = (Matrix::diagonal(&[1.0, 0.1, 1e-4]), Matrix::identity(1));
    let plain = lqr(&a, &b, &q, &r).expect("a regulator").gain;
    let units = [1e6, 1e-5, 1e3];
    let (d, e) = (Matrix::diagonal(&units), Matrix::diagonal(&units.map(|u| 1.0 / u)));
    let other = lqr(&(&(&e * &a) * &d), &(&e * &b), &(&(&d * &q) * &d), &r).expect("a regulator").gain;
    for ((unit, other), plain) in units.iter().zip(other.row(0)).zip(plain.row(0)) {
        assert!((other / unit / plain - 1.0).abs() < 1e-9, "{other} in units of {unit} beside {plain}");
    }
}

#[test]
fn lyapunov_and_sylvester_are_fulfilled() {
    let mut random = Random::new(3);
    for n in [1, 2, 3, 4, 7, 16, 30] {
        let (a, b) = (random.matrix(n, n), random.matrix(n + 1, n + 1));
        let c = random.matrix(n, n + 1);
        let x = sylvester(&a, &b, &c).expect("regular");
        assert!(left_of_sylvester(&a, &x, &b, &c) < 1e-14, "{n}");
        let q = random.matrix(n, n);
        let q = &q * &q.transposed();
        let x = lyapunov(&a, &q).expect("regular");
        assert!(left_of_sylvester(&a, &x, &a.transposed(), &-&q) < 1e-14, "{n}");
        let x = dlyapunov(&a, &q).expect("regular");
        let left = (&(&(&(&a * &x) * &a.transposed()) - &x) + &q).frobenius();
        assert!(left < 1e-13 * (a.frobenius().powi(2) * x.frobenius()), "{n}: {left:e}");
    }
}

/// Eigenvalues 1 and −1 (2 and 1/2) make the equation singular.
#[test]
fn singular_equations_are_named() {
    let q = Matrix::identity(2);
    assert_eq!(lyapunov(&Matrix::diagonal(&[1.0, -1.0]), &q), Err(ControlError::Singular("Lyapunov's equation")));
    let twice = dlyapunov(&Matrix::diagonal(&[2.0, 0.5]), &q);
    assert_eq!(twice, Err(ControlError::Singular("the discrete Lyapunov equation")));
    let one = Matrix::identity(2);
    assert_eq!(sylvester(&one, &-&one, &q), Err(ControlError::Singular("Sylvester's equation")));
}

/// Poles that are nearly repeated, of companion matrices: still the eigenvalues of the loop that the gain makes.
#[test]
fn the_poles_reported_are_those_of_the_loop() {
    let mut random = Random::new(11);
    let (a, b) = (random.matrix(6, 6), random.matrix(6, 2));
    let found = lqr(&a, &b, &Matrix::identity(6), &Matrix::identity(2)).expect("a regulator");
    let mut poles = eigenvalues(&(&a - &(&b * &found.gain))).expect("finite");
    poles.sort_by(|p, q| q.re.total_cmp(&p.re).then(q.im.total_cmp(&p.im)));
    for (p, q) in found.poles.iter().zip(&poles) {
        assert!((p.re - q.re).abs() < 1e-12 && (p.im.abs() - q.im.abs()).abs() < 1e-12);
    }
}
