//! The two kinds of numbers in matrices: real, and complex for the conjugate pairs of Radau's transformed systems.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// re + i·im
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

impl Complex {
    /// re + i·im
    pub const fn new(re: f64, im: f64) -> Complex {
        Complex { re, im }
    }
}

impl From<f64> for Complex {
    fn from(re: f64) -> Complex {
        Complex { re, im: 0.0 }
    }
}

impl Add for Complex {
    type Output = Complex;

    #[inline(always)]
    fn add(self, b: Complex) -> Complex {
        Complex { re: self.re + b.re, im: self.im + b.im }
    }
}

impl Sub for Complex {
    type Output = Complex;

    #[inline(always)]
    fn sub(self, b: Complex) -> Complex {
        Complex { re: self.re - b.re, im: self.im - b.im }
    }
}

impl Neg for Complex {
    type Output = Complex;

    #[inline(always)]
    fn neg(self) -> Complex {
        Complex { re: -self.re, im: -self.im }
    }
}

impl Mul for Complex {
    type Output = Complex;

    #[inline(always)]
    fn mul(self, b: Complex) -> Complex {
        Complex { re: self.re * b.re - self.im * b.im, im: self.re * b.im + self.im * b.re }
    }
}

impl Mul<f64> for Complex {
    type Output = Complex;

    #[inline(always)]
    fn mul(self, b: f64) -> Complex {
        Complex { re: self.re * b, im: self.im * b }
    }
}

impl Div for Complex {
    type Output = Complex;

    #[inline(always)]
    fn div(self, b: Complex) -> Complex {
        let inverse = b.reciprocal();
        Complex { re: self.re * inverse.re - self.im * inverse.im, im: self.re * inverse.im + self.im * inverse.re }
    }
}

impl AddAssign for Complex {
    #[inline(always)]
    fn add_assign(&mut self, b: Complex) {
        *self = *self + b;
    }
}

impl SubAssign for Complex {
    #[inline(always)]
    fn sub_assign(&mut self, b: Complex) {
        *self = *self - b;
    }
}

/// A number of a matrix: `f64` or [`Complex`].
pub trait Scalar:
    Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + 'static
    + From<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Mul<f64, Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
{
    /// 1 or 2 real parts.
    const PARTS: usize;

    /// From its parts; a real number has no second one.
    fn from_parts(re: f64, im: f64) -> Self;

    /// The real part.
    fn re(self) -> f64;

    /// The imaginary part, 0 for a real number.
    fn im(self) -> f64;

    /// |re| + |im|: as good as the modulus for choosing pivots, and without a square root.
    fn size(self) -> f64;

    /// √(re² + im²)
    fn modulus(self) -> f64;

    /// 1/x
    fn reciprocal(self) -> Self;

    /// Whether all parts are.
    fn is_finite(self) -> bool;
}

impl Scalar for f64 {
    const PARTS: usize = 1;

    #[inline(always)]
    fn from_parts(re: f64, _: f64) -> f64 {
        re
    }

    #[inline(always)]
    fn re(self) -> f64 {
        self
    }

    #[inline(always)]
    fn im(self) -> f64 {
        0.0
    }

    #[inline(always)]
    fn size(self) -> f64 {
        self.abs()
    }

    #[inline(always)]
    fn modulus(self) -> f64 {
        self.abs()
    }

    #[inline(always)]
    fn reciprocal(self) -> f64 {
        1.0 / self
    }

    #[inline(always)]
    fn is_finite(self) -> bool {
        f64::is_finite(self)
    }
}

impl Scalar for Complex {
    const PARTS: usize = 2;

    #[inline(always)]
    fn from_parts(re: f64, im: f64) -> Complex {
        Complex { re, im }
    }

    #[inline(always)]
    fn re(self) -> f64 {
        self.re
    }

    #[inline(always)]
    fn im(self) -> f64 {
        self.im
    }

    #[inline(always)]
    fn size(self) -> f64 {
        self.re.abs() + self.im.abs()
    }

    #[inline(always)]
    fn modulus(self) -> f64 {
        self.re.hypot(self.im)
    }

    /// Brought near one before it is squared, so that the square neither overflows nor vanishes.
    ///
    /// ```text
    ///   1/(a + ib) = (a − ib) / (a² + b²)
    /// ```
    #[inline(always)]
    fn reciprocal(self) -> Complex {
        let scale = 1.0 / self.size();
        let (a, b) = (self.re * scale, self.im * scale);
        let factor = scale / (a * a + b * b);
        Complex { re: a * factor, im: -b * factor }
    }

    #[inline(always)]
    fn is_finite(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }
}
