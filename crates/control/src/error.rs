//! What can be wrong with a linear system, or with what is asked of it.

use crate::Complex;

/// Why there is no answer. `Display` says what is wrong, [`ControlError::hint`] what to try.
#[derive(Clone, Debug, PartialEq)]
pub enum ControlError {
    /// Sizes that do not fit together.
    Shape(String),
    /// A matrix with an infinite element or one that is no number: which.
    NotFinite(&'static str),
    /// Modes that no input reaches, where they would have to be moved.
    Uncontrollable(Vec<Complex>),
    /// Modes that no output shows, where they would have to be seen.
    Unobservable(Vec<Complex>),
    /// A wanted pole without its conjugate.
    NotConjugate(Complex),
    /// More equal poles than there are inputs, for several inputs.
    Repeated(Complex),
    /// A weight that is not symmetric, or indefinite: which, and its smallest eigenvalue.
    Indefinite(&'static str, f64),
    /// Eigenvalues of the Hamiltonian (or symplectic) matrix on the stability boundary: no stabilising solution.
    OnTheBorder(Complex),
    /// What only a stable system has: an eigenvalue that is not stable.
    Unstable(Complex),
    /// The equation is singular.
    Singular(&'static str),
    /// A transfer function whose numerator has the higher degree.
    Improper,
    /// The computed solution does not fulfil its equation: which, relative residual.
    Inaccurate(&'static str, f64),
}

impl ControlError {
    /// What to try.
    pub fn hint(&self) -> &'static str {
        match self {
            ControlError::Shape(_) => "give matrices whose sizes fit the numbers of states, inputs and outputs",
            ControlError::NotFinite(_) => "look where the model divides by zero or overflows at this point",
            ControlError::Uncontrollable(_) => {
                "keep these modes among the wanted poles, add an input that reaches them, or leave them out of the model"
            }
            ControlError::Unobservable(_) => {
                "add an output that shows these modes, or give their states a positive weight"
            }
            ControlError::NotConjugate(_) => "give complex poles in pairs: a+bi and a-bi",
            ControlError::Repeated(_) => "move equal poles a little apart, or use one input",
            ControlError::Indefinite(_, _) => {
                "give a symmetric weight, Q with eigenvalues >= 0 and R with eigenvalues > 0"
            }
            ControlError::OnTheBorder(_) => {
                "give a positive weight to the states of this mode, and see that an input reaches it"
            }
            ControlError::Unstable(_) => {
                "a gramian is an integral over all time, which is finite for a stable system only: close a loop that stabilises it (`ordinate design`), or leave `--gramians` out"
            }
            ControlError::Singular(_) => "change a parameter or the period a little, or close the loop in another way",
            ControlError::Improper => {
                "the numerator may not have a higher degree than the denominator: add a fast pole, such as a derivative filter"
            }
            ControlError::Inaccurate(_, _) => {
                "scale the states, inputs and weights to comparable sizes; the problem is too badly conditioned as it stands"
            }
        }
    }
}

impl std::fmt::Display for ControlError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ControlError::Shape(what) => write!(f, "sizes do not fit: {what}"),
            ControlError::NotFinite(which) => write!(f, "{which} has an element that is not a finite number"),
            ControlError::Uncontrollable(modes) => {
                write!(f, "{} uncontrollable: no input reaches {}", named(modes), them(modes))
            }
            ControlError::Unobservable(modes) => {
                write!(f, "{} unobservable: no output and no weight shows {}", named(modes), them(modes))
            }
            ControlError::NotConjugate(pole) => {
                write!(f, "the pole {} is given without its conjugate {}", text(*pole), text(conjugate(*pole)))
            }
            ControlError::Repeated(pole) => {
                write!(f, "the pole {} is given more times than there are independent inputs", text(*pole))
            }
            ControlError::Indefinite(which, least) => {
                let wanted = if *which == "R" { "positive definite" } else { "positive semidefinite" };
                if least.is_nan() {
                    write!(f, "the weight {which} is not symmetric")
                } else {
                    write!(
                        f,
                        "the weight {which} is not {wanted}: its smallest eigenvalue is {}",
                        text((*least).into())
                    )
                }
            }
            ControlError::OnTheBorder(value) => write!(
                f,
                "there is no stabilising solution: the closed loop would keep the eigenvalue {} on the stability \
                 boundary",
                text(*value)
            ),
            ControlError::Unstable(value) => {
                write!(f, "the system has no gramians: it is not stable, with the eigenvalue {}", text(*value))
            }
            ControlError::Singular(what) => write!(f, "{what} is singular: it has no unique solution"),
            ControlError::Improper => write!(f, "the transfer function is improper"),
            ControlError::Inaccurate(what, residual) if residual.is_nan() => {
                write!(f, "{what} is ill-conditioned: rounding leaves no digit of the solution")
            }
            ControlError::Inaccurate(what, residual) => {
                write!(f, "{what} is ill-conditioned: the solution satisfies it only to {residual:.1e}")
            }
        }
    }
}

impl std::error::Error for ControlError {}

fn conjugate(z: Complex) -> Complex {
    Complex::new(z.re, -z.im)
}

/// `mode 2 is`, `modes 0+1i, 0-1i are`
fn named(modes: &[Complex]) -> String {
    match modes.len() {
        1 => format!("mode {} is", list(modes)),
        _ => format!("modes {} are", list(modes)),
    }
}

fn them(modes: &[Complex]) -> &'static str {
    if modes.len() == 1 { "it" } else { "them" }
}

/// With six digits, as they are read.
fn text(z: Complex) -> String {
    let short = |x: f64| {
        let rounded: f64 = format!("{x:.5e}").parse().unwrap_or(x);
        if rounded != 0.0 && !(1e-4..1e6).contains(&rounded.abs()) {
            format!("{rounded:e}")
        } else {
            format!("{rounded}")
        }
    };
    if z.im == 0.0 {
        return short(z.re);
    }
    let sign = if z.im < 0.0 { '-' } else { '+' };
    format!("{}{sign}{}i", short(z.re), short(z.im.abs()))
}

fn list(modes: &[Complex]) -> String {
    modes.iter().map(|&mode| text(mode)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_modes_as_they_are_read() {
        let pair = vec![Complex::new(0.0, 1.0), Complex::new(0.0, -1.0)];
        assert_eq!(
            ControlError::Uncontrollable(pair).to_string(),
            "modes 0+1i, 0-1i are uncontrollable: no input reaches them"
        );
        let one = ControlError::Unobservable(vec![Complex::new(-1.234_567_89e-7, 0.0)]);
        assert_eq!(one.to_string(), "mode -1.23457e-7 is unobservable: no output and no weight shows it");
        assert_eq!(
            ControlError::Indefinite("R", -1.0).to_string(),
            "the weight R is not positive definite: its smallest eigenvalue is -1"
        );
        assert_eq!(ControlError::Indefinite("Q", f64::NAN).to_string(), "the weight Q is not symmetric");
        assert!(ControlError::Inaccurate("x", f64::NAN).to_string().contains("no digit"));
    }
}
