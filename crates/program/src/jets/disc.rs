//! How far a function can go from its value while its argument, a complex one, stays within a disc. With such bounds of g
//! over a disc of time, what a series leaves out is known, not guessed: Cauchy's estimate |gₖ| ≤ max |g| / ρᵏ.
//!
//! All bounds follow from power series with the absolute values of their coefficients, or from the largest |f′|:
//!
//! ```text
//!   |1/u − 1/c|  ≤ r / (|c| (|c| − r))              |eᵘ − eᶜ|      ≤ eᶜ⁺ʳ − eᶜ
//!   |√u − √c|    ≤ √c − √(c − r)                    |sin u − sin c| ≤ |sin c| (cosh r − 1) + |cos c| sinh r
//!   |uᵖ − cᵖ|    ≤ |c|ᵖ ((1 − r/|c|)^−|p| − 1)      |tan u − tan c| ≤ sinh r / |cos c cos u|
//!   |log u − log c| ≤ −log(1 − r/|c|)               |f(u) − f(c)|   ≤ r · max |f′|                for |u − c| ≤ r
//! ```
//!
//! H. Cartan, Elementary Theory of Analytic Functions (1963), chapter II (the estimate); I. Gargantini, P. Henrici, Numer.
//! Math. 18 (1972) 305–320 (arithmetic of discs). Where a singularity or a branch cut may be within, the bound is infinite or
//! not a number.

use ordinate_expr::Function;

/// All u with |u − c| ≤ r.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Disc {
    pub c: f64,
    pub r: f64,
}

impl Disc {
    /// Its smallest |u|, zero if that may be zero.
    fn least(self) -> f64 {
        (self.c.abs() - self.r).max(0.0)
    }

    /// r of the product of two discs.
    pub fn product(self, other: Disc) -> f64 {
        self.c.abs() * other.r + other.c.abs() * self.r + self.r * other.r
    }

    /// r of the square.
    pub fn square(self) -> f64 {
        self.product(self)
    }

    /// The disc of 1/u.
    pub fn reciprocal(self) -> Disc {
        Disc { c: 1.0 / self.c, r: over(self.r, self.c.abs() * self.least()) }
    }

    /// r of √u
    pub fn sqrt(self) -> f64 {
        if self.c > self.r { self.c.sqrt() - (self.c - self.r).sqrt() } else { f64::INFINITY }
    }

    /// r of uᵖ whose value at the centre is `value`.
    pub fn power(self, p: f64, value: f64) -> f64 {
        if self.least() == 0.0 {
            return f64::INFINITY;
        }
        value.abs() * (-p.abs() * (-self.r / self.c.abs()).ln_1p()).exp_m1()
    }

    /// r of log u
    pub fn log(self) -> f64 {
        if self.c > self.r { -(-self.r / self.c).ln_1p() } else { f64::INFINITY }
    }

    /// r of eᵘ
    pub fn exp(self) -> f64 {
        (self.c + self.r).exp() * -(-self.r).exp_m1()
    }

    /// r of the angle of (x, y): that of log(x ± iy). The cut where it jumps is at y = 0, x < 0.
    pub fn atan2(y: Disc, x: Disc) -> f64 {
        let off_cut = x.c > x.r || y.c.abs() > y.r;
        let all = Disc { c: y.c.hypot(x.c), r: x.r + y.r };
        if off_cut { all.log() } else { f64::INFINITY }
    }

    /// r of a function.
    pub fn call(self, f: Function) -> f64 {
        let Disc { c, r } = self;
        let (sinh, cosh_less) = (r.sinh(), 2.0 * (0.5 * r).sinh().powi(2));
        // 1 ± u², at least, and the largest |u|
        let plus = 1.0 + c * c - 2.0 * c.abs() * r - r * r;
        let most = c.abs() + r;
        match f {
            Function::Exp => self.exp(),
            Function::Log => self.log(),
            Function::Log10 => self.log() / std::f64::consts::LN_10,
            Function::Sqrt => self.sqrt(),
            Function::Cbrt => self.power(1.0 / 3.0, c.cbrt()),
            Function::Sin => c.sin().abs() * cosh_less + c.cos().abs() * sinh,
            Function::Cos => c.cos().abs() * cosh_less + c.sin().abs() * sinh,
            Function::Sinh => c.sinh().abs() * cosh_less + c.cosh() * sinh,
            Function::Cosh => c.cosh() * cosh_less + c.sinh().abs() * sinh,
            // cos u = cos c (1 − …)
            Function::Tan => over(sinh, c.cos().powi(2) * (1.0 - cosh_less - c.tan().abs() * sinh)),
            Function::Tanh => {
                // far from zero it is 1 − 2/(e²ᵘ + 1)
                let far = (-2.0 * self.least()).exp();
                over(sinh / c.cosh().powi(2), 1.0 - cosh_less - c.tanh().abs() * sinh).min(over(4.0 * far, 1.0 - far))
            }
            Function::Asin | Function::Acos => over(r, (1.0 - most * most).max(0.0).sqrt()),
            Function::Asinh => over(r, plus.max(0.0).sqrt()),
            Function::Acosh if c - r > 1.0 => over(r, ((c - r) * (c - r) - 1.0).sqrt()),
            Function::Acosh => f64::INFINITY,
            Function::Atan => over(r, plus),
            Function::Atanh => over(r, if most < 1.0 { 1.0 - most * most } else { 0.0 }),
            // |exp(−u²)| ≤ exp(−c² + 2|c|r + r²)
            Function::Erf => std::f64::consts::FRAC_2_SQRT_PI * r * (1.0 - plus).exp(),
            Function::Expm1 => self.exp(),
            Function::Log1p => Disc { c: 1.0 + c, r }.log(),
            // 1/2 + tanh(u/2)/2
            Function::Logistic => 0.5 * Disc { c: 0.5 * c, r: 0.5 * r }.call(Function::Tanh),
            // its derivative is the function above
            Function::Softplus => r * (Function::Logistic.evaluate(c) + self.call(Function::Logistic)),
            // series that are made of others
            Function::Bernoulli | Function::Langevin | Function::LangevinSlope => f64::INFINITY,
            Function::Abs | Function::Sign | Function::Floor | Function::Noise => f64::INFINITY,
        }
    }
}

/// r / below, infinite where what is below may vanish; zero where r is.
fn over(r: f64, below: f64) -> f64 {
    if below > 0.0 {
        r / below
    } else if r == 0.0 {
        0.0
    } else {
        f64::INFINITY
    }
}
