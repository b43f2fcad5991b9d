//! Pole placement. What no input reaches is split off first by the staircase form; the rest is a pair that allows any
//! poles. One input: the gain is unique, and is found pole by pole. Several: the freedom makes the eigenvectors as
//! nearly orthogonal as it can.

mod multiple;
mod single;

use crate::eigen::hessenberg;
use crate::linear::{conjugate, modulus};
use crate::orthogonal::PivotedQr;
use crate::pbh_test::smallest;
use crate::staircase::Staircase;
use crate::sylvester::{finite, square};
use crate::{Complex, ControlError, Matrix};

/// A pole that is wanted and a mode that cannot be moved are the same if they are so near, relative to the size of A.
const SAME: f64 = 1e-8;
/// What rounding may do to the characteristic polynomial of modes that cannot be moved, relatively.
const SPREAD: f64 = 1e-12;
/// A wanted pole is one of the closed loop if a change of the loop by this relative size makes it one.
const MOST_ERROR: f64 = 1e-8;
/// Units of states that balancing would change by more than this factor against each other are not kept.
const MOST_SPREAD: f64 = 64.0;

/// K such that A − BK has the given poles, in any order, conjugates in pairs.
///
/// For one input this is the result of Ackermann's formula. A mode that no input reaches is kept if it is among the
/// wanted poles, and is an error otherwise. Of several inputs no pole may be wanted more often than there are independent
/// inputs, for its eigenvectors must be independent.
pub fn place(a: &Matrix, b: &Matrix, poles: &[Complex]) -> Result<Matrix, ControlError> {
    square(a, "A")?;
    let n = a.rows();
    if b.rows() != n {
        return Err(ControlError::Shape(format!("B has {} rows, A has {n}", b.rows())));
    }
    if poles.len() != n {
        return Err(ControlError::Shape(format!("{} poles for {n} states", poles.len())));
    }
    finite(&[(a, "A"), (b, "B")])?;
    if !poles.iter().all(|p| p.re.is_finite() && p.im.is_finite()) {
        return Err(ControlError::NotFinite("the list of poles"));
    }
    let mut wanted = paired(poles)?;
    let form = Staircase::new(a, b);
    let rank = form.rank();
    keep_unreached(&form, &mut wanted)?;
    let several = b.columns() > 1;
    // orthogonal eigenvectors are a matter of units: those that were given, unless they hide the plant
    let (reached, input, back) = match several && rank == n && form.spread <= MOST_SPREAD {
        true => turned(a, b),
        false => {
            (form.a.block(0..rank, 0..rank), form.b.block(0..rank, 0..b.columns()), form.inverse.block(0..rank, 0..n))
        }
    };
    let gain = if rank == 0 {
        Matrix::zero(b.columns(), 0)
    } else if several {
        multiple::gain(&reached, &input, form.steps[0], &wanted)?
    } else {
        single::gain(&reached, &input, &wanted)
    };
    let error = distance(&(&reached - &(&input * &gain)), &wanted);
    let gain = &gain * &back;
    if error <= MOST_ERROR && gain.is_finite() {
        Ok(gain)
    } else {
        Err(ControlError::Inaccurate("pole placement", error))
    }
}

/// QᵀAQ, QᵀB and Qᵀ, with B in the first rows.
fn turned(a: &Matrix, b: &Matrix) -> (Matrix, Matrix, Matrix) {
    let qr = PivotedQr::new(b);
    let (mut a, mut b, mut back) = (a.clone(), b.clone(), Matrix::identity(a.rows()));
    qr.apply_left(&mut a, 0);
    qr.apply_right(&mut a, 0);
    qr.apply_left(&mut b, 0);
    qr.apply_left(&mut back, 0);
    (a, b, back)
}

/// Real poles, then pairs of which the one with positive imaginary part comes first; conjugates exactly so.
fn paired(poles: &[Complex]) -> Result<Vec<Complex>, ControlError> {
    let mut rest: Vec<Complex> = poles.to_vec();
    let mut sorted = Vec::with_capacity(poles.len());
    let mut pairs = Vec::new();
    while let Some(pole) = rest.pop() {
        if pole.im == 0.0 {
            sorted.push(pole);
            continue;
        }
        let near = |other: &Complex| modulus(*other - conjugate(pole)) <= 1e-12 * modulus(pole);
        let Some(at) = rest.iter().position(near) else { return Err(ControlError::NotConjugate(pole)) };
        rest.swap_remove(at);
        let above = Complex::new(pole.re, pole.im.abs());
        pairs.push(above);
    }
    sorted.sort_by(|a, b| a.re.total_cmp(&b.re));
    pairs.sort_by(|a, b| a.re.total_cmp(&b.re).then(a.im.total_cmp(&b.im)));
    sorted.extend(pairs.into_iter().flat_map(|pole| [pole, conjugate(pole)]));
    Ok(sorted)
}

/// Takes the modes that no input reaches out of the wanted poles, or says that they are not among them.
fn keep_unreached(form: &Staircase, wanted: &mut Vec<Complex>) -> Result<(), ControlError> {
    let (n, rank) = (form.a.rows(), form.rank());
    if rank == n {
        return Ok(());
    }
    let rest = form.a.block(rank..n, rank..n);
    let modes = crate::eigenvalues(&rest).ok_or(ControlError::Inaccurate("the eigenvalues of A", f64::NAN))?;
    let size = form.a.frobenius();
    let mut kept: Vec<(Complex, Complex)> = Vec::with_capacity(modes.len());
    for mode in modes {
        let distance = |pole: &Complex| modulus(*pole - mode);
        let nearest = (0..wanted.len()).min_by(|&i, &j| distance(&wanted[i]).total_cmp(&distance(&wanted[j])));
        if let Some(at) = nearest {
            kept.push((mode, wanted.remove(at)));
        }
    }
    // of a pole that is wanted often the modes are judged together: rounding moves k equal ones by ε^(1/k), not their mean
    let near = |pole: Complex| (SAME * size).max(SAME * modulus(pole));
    let together = |pole: Complex| {
        let group: Vec<Complex> = kept.iter().filter(|(_, other)| *other == pole).map(|(mode, _)| *mode).collect();
        let count = group.len() as f64;
        let mean = group.iter().fold(Complex::default(), |sum, &mode| sum + mode) * (1.0 / count);
        let spread = size * SPREAD.powf(1.0 / count);
        modulus(mean - pole) <= near(pole) && group.iter().all(|&mode| modulus(mode - pole) <= spread)
    };
    let lost = |(mode, pole): &&(Complex, Complex)| modulus(*mode - *pole) > near(*pole) && !together(*pole);
    let missing: Vec<Complex> = kept.iter().filter(lost).map(|(mode, _)| *mode).collect();
    if missing.is_empty() { Ok(()) } else { Err(ControlError::Uncontrollable(missing)) }
}

/// How far the loop is, relatively, from one that has the wanted poles: the largest of the smallest singular values of
/// A − BK − λI.
fn distance(closed: &Matrix, wanted: &[Complex]) -> f64 {
    if !closed.is_finite() {
        return f64::NAN;
    }
    let mut closed = closed.clone();
    hessenberg(&mut closed, None);
    let none = Matrix::zero(closed.rows(), 0);
    let size = wanted.iter().map(|&pole| modulus(pole)).fold(closed.frobenius(), f64::max);
    let at = |pole: &Complex| smallest(&closed, &none, *pole).0;
    wanted.iter().map(at).fold(0.0, f64::max) / if size == 0.0 { 1.0 } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eigen::eigenvalues;

    fn matrix(rows: usize, elements: &[f64]) -> Matrix {
        Matrix::from_elements(rows, elements.len() / rows, elements.to_vec())
    }

    fn real(values: &[f64]) -> Vec<Complex> {
        values.iter().map(|&value| value.into()).collect()
    }

    fn assert_poles(a: &Matrix, b: &Matrix, gain: &Matrix, wanted: &[Complex], tolerance: f64) {
        let mut found = eigenvalues(&(a - &(b * gain))).expect("the iteration ends");
        for &w in wanted {
            let near = |f: &Complex| modulus(*f - w) <= tolerance * (1.0 + modulus(w));
            let Some(at) = found.iter().position(near) else { panic!("{w:?} is not among {found:?}") };
            found.remove(at);
        }
    }

    /// The motor of the thesis: with A = [−10 1; −0.02 −2], B = [0; 2] the characteristic polynomial of A − BK is
    /// (s + 10)(s + 2 + 2k₂) + 0.02 + 2k₁, so −5 ± i asks for k₂ = −1 and k₁ = 25.99/2 … by comparison of coefficients.
    #[test]
    fn one_input_gives_the_gain_of_comparing_coefficients() {
        let a = matrix(2, &[-10.0, 1.0, -0.02, -2.0]);
        let b = matrix(2, &[0.0, 2.0]);
        let gain = place(&a, &b, &[Complex::new(-5.0, 1.0), Complex::new(-5.0, -1.0)]).expect("controllable");
        // s² + (12 + 2k₂)s + 20 + 20k₂ + 0.02 + 2k₁ = s² + 10 s + 26
        let (k2, k1) = (-1.0, (26.0 - 20.02 + 20.0) / 2.0);
        assert!((gain.at(0, 0) - k1).abs() < 1e-13 && (gain.at(0, 1) - k2).abs() < 1e-14, "{gain:?}");
    }

    /// A chain of n integrators: the gains are the coefficients of the polynomial, here (s + 1)ⁿ, a pole of any multiplicity.
    #[test]
    fn a_chain_of_integrators_gets_binomial_gains() {
        let n = 8;
        let a = Matrix::from_fn(n, n, |i, j| if j == i + 1 { 1.0 } else { 0.0 });
        let b = Matrix::from_fn(n, 1, |i, _| if i + 1 == n { 1.0 } else { 0.0 });
        let gain = place(&a, &b, &real(&vec![-1.0; n])).expect("controllable");
        let mut binomial = 1.0;
        for j in 0..n {
            assert!((gain.at(0, j) / binomial - 1.0).abs() < 1e-12, "{gain:?}");
            binomial *= (n - j) as f64 / (j + 1) as f64;
        }
    }

    #[test]
    fn several_inputs_give_the_wanted_poles_real_and_complex() {
        let n = 6;
        let a = Matrix::from_fn(n, n, |i, j| ((i * 5 + j * 3 + i * j) % 7) as f64 - 3.0);
        for m in [2, 3, 6] {
            let b = Matrix::from_fn(n, m, |i, j| ((i * 3 + j * 5 + 1) % (4 + j)) as f64 - 1.0);
            let mut wanted = real(&[-1.0, -2.0]);
            wanted.extend([(-3.0, 2.0), (-3.0, -2.0), (-1.0, 0.5), (-1.0, -0.5)].map(|(re, im)| Complex::new(re, im)));
            let gain = place(&a, &b, &wanted).expect("controllable");
            assert_poles(&a, &b, &gain, &wanted, 1e-9);
        }
    }

    /// The chemical reactor of Kautsky, Nichols and Van Dooren, example 1, where eigenvectors with a condition of about 3.3
    /// are reached: a change of the loop moves no pole by more than that.
    #[test]
    fn the_poles_of_a_reactor_become_insensitive() {
        let a = matrix(
            4,
            &[
                1.38, -0.2077, 6.715, -5.676, -0.5814, -4.29, 0.0, 0.675, 1.067, 4.273, -6.654, 5.893, 0.048, 4.273,
                1.343, -2.104,
            ],
        );
        let b = matrix(4, &[0.0, 0.0, 5.679, 0.0, 1.136, -3.146, 1.136, 0.0]);
        let wanted = real(&[-0.2, -0.5, -5.0566, -8.6659]);
        let gain = place(&a, &b, &wanted).expect("controllable");
        assert_poles(&a, &b, &gain, &wanted, 1e-13);
        let closed = &a - &(&b * &gain);
        let mut largest = 0.0_f64;
        for i in 0..4 {
            for j in 0..4 {
                let mut changed = closed.clone();
                *changed.at_mut(i, j) += 1e-6;
                for found in eigenvalues(&changed).expect("the iteration ends") {
                    let nearest = wanted.iter().map(|&w| modulus(w - found)).fold(f64::INFINITY, f64::min);
                    largest = largest.max(nearest * 1e6);
                }
            }
        }
        assert!(largest < 1.2, "a pole moves {largest} times as far as an element");
    }

    /// Twice the same pole with two inputs; three times is one too many.
    #[test]
    fn as_many_equal_poles_as_inputs() {
        let a = matrix(3, &[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, -2.0, 0.5]);
        let b = matrix(3, &[0.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
        let wanted = real(&[-1.0, -1.0, -2.0]);
        let gain = place(&a, &b, &wanted).expect("controllable");
        assert_poles(&a, &b, &gain, &wanted, 1e-7);
        assert_eq!(place(&a, &b, &real(&[-1.0; 3])), Err(ControlError::Repeated((-1.0).into())));
    }

    /// The second of two separate lags is not reached: its pole stays, if it is wanted.
    #[test]
    fn an_unreached_mode_is_kept_or_named() {
        let a = Matrix::diagonal(&[-1.0, -2.0]);
        let b = matrix(2, &[1.0, 0.0]);
        let gain = place(&a, &b, &real(&[-2.0, -7.0])).expect("the mode is wanted");
        assert!((gain.at(0, 0) - 6.0).abs() < 1e-14 && gain.at(0, 1).abs() < 1e-14);
        assert_eq!(place(&a, &b, &real(&[-5.0, -7.0])), Err(ControlError::Uncontrollable(real(&[-2.0]))));
    }

    /// Two equal uncontrollable modes in series, in rotated coordinates: rounding makes a pair of them, which
    /// is 1e-7 away from the double pole that is wanted. Modes that are apart are not kept for their mean.
    #[test]
    fn a_double_mode_that_is_not_reached_is_kept() {
        let plain = |apart: f64| {
            let mut plain = Matrix::diagonal(&[-3.0 - apart, -3.0 + apart, -6.0, -8.0]);
            *plain.at_mut(0, 1) = 1.0;
            plain
        };
        let turn = matrix(4, &[-1.0, 0.0, -2.0, 0.0, 0.0, -2.0, 2.0, -2.0, -2.0, -2.0, 2.0, 1.0, 2.0, 1.0, 0.0, -1.0]);
        let mut factors = crate::linear::Factors::new(&turn).expect("regular");
        let back = factors.solve(&Matrix::identity(4));
        let b = &turn * &matrix(4, &[0.0, 0.0, 1.0, 1.0]);
        let a = &(&turn * &plain(0.0)) * &back;
        let wanted = real(&[-3.0, -3.0, -4.0, -5.0]);
        let gain = place(&a, &b, &wanted).expect("the modes are wanted");
        assert_poles(&a, &b, &gain, &wanted, 1e-5);
        let apart = &(&turn * &plain(0.1)) * &back;
        let refused = place(&apart, &b, &wanted).expect_err("-2.9 and -3.1 are not -3");
        assert!(matches!(&refused, ControlError::Uncontrollable(modes) if modes.len() == 2), "{refused:?}");
    }

    #[test]
    fn poles_that_cannot_be_are_named() {
        let (a, b) = (Matrix::diagonal(&[1.0, 2.0]), matrix(2, &[1.0, 1.0]));
        let lonely = [Complex::new(-1.0, 1.0), Complex::new(-1.0, 2.0)];
        assert!(matches!(place(&a, &b, &lonely), Err(ControlError::NotConjugate(_))));
        assert!(matches!(place(&a, &b, &real(&[-1.0])), Err(ControlError::Shape(_))));
    }
}
