//! The type of an equilibrium, in words.

/// A real part below this part of the largest eigenvalue counts as zero: a double zero is found only to half of the digits.
const ZERO: f64 = 1e-7;

/// The type that the eigenvalues leave open.
pub(super) const UNDECIDED: &str = "non-hyperbolic";
/// The type where the eigenvalues are not known.
pub(super) const UNKNOWN: &str = "eigenvalues not known";

/// The type by the eigenvalues of the linearised system; `dimension` is that of the set of equilibria that it belongs to,
/// and the eigenvalues are known up to `doubt`: at a double solution, where the only one is zero, there is none to compare with.
pub(super) fn kind(eigenvalues: &[(f64, f64)], dimension: usize, doubt: f64) -> &'static str {
    let size = eigenvalues.iter().fold(0.0, |most: f64, (re, im)| most.max(re.hypot(*im)));
    let zero = |re: f64| re.abs() <= (ZERO * size).max(doubt);
    let (mut left, mut right, mut neutral, mut turning) = (0, 0, 0, 0);
    for &(re, im) in eigenvalues {
        match re {
            re if zero(re) => neutral += 1,
            re if re < 0.0 => left += 1,
            _ => right += 1,
        }
        turning += usize::from(!zero(im));
    }
    match dimension {
        0 => {}
        1 if right == 0 => return "on a line of equilibria",
        1 => return "on a line of equilibria, unstable",
        _ if right == 0 => return "on a surface of equilibria",
        _ => return "on a surface of equilibria, unstable",
    }
    match (left, right, neutral) {
        (0, 0, 0) => "no eigenvalues: the constraints leave no degree of freedom",
        (0, 0, n) if n == turning => "centre (linear)",
        (_, 0, 1..) => UNDECIDED,
        (_, _, 1..) => "non-hyperbolic, unstable",
        (_, 0, 0) if turning > 0 => "stable focus",
        (_, 0, 0) => "stable node",
        (0, _, 0) if turning > 0 => "unstable focus",
        (0, _, 0) => "unstable node",
        (_, _, 0) if turning > 0 => "saddle-focus",
        (_, _, 0) => "saddle",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_follows_from_the_signs() {
        assert_eq!(kind(&[(-1.0, 0.0), (-2.0, 0.0)], 0, 0.0), "stable node");
        assert_eq!(kind(&[(0.1, 3.0), (0.1, -3.0)], 0, 0.0), "unstable focus");
        assert_eq!(kind(&[(1.0, 0.0), (-2.0, 0.0)], 0, 0.0), "saddle");
        assert_eq!(kind(&[(0.0, 1.0), (0.0, -1.0)], 0, 0.0), "centre (linear)");
        assert_eq!(kind(&[(1.0, 0.0), (-1.0, 5.0), (-1.0, -5.0)], 0, 0.0), "saddle-focus");
        assert_eq!(kind(&[(0.0, 0.0), (-1.0, 0.0)], 0, 0.0), "non-hyperbolic");
        assert_eq!(kind(&[(0.0, 0.0), (-1.0, 0.0)], 1, 0.0), "on a line of equilibria");
        assert_eq!(kind(&[(-1e-11, 0.0)], 0, 2e-11), "non-hyperbolic");
        assert_eq!(kind(&[(-1e-11, 0.0)], 0, 1e-12), "stable node");
    }
}
