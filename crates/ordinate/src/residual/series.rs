//! Truncated Taylor series in time whose coefficients are intervals: the value of an expression and its derivatives, with bounds for
//! rounding.
//!
//! ```text
//!   a(t + τ) = a₀ + a₁ τ + … + aₙ₋₁ τⁿ⁻¹
//! ```
//!
//! The recurrences are written here once more on purpose: what is compared must not share a mistake.

use ordinate_expr::{Function, Interval};

/// The first N coefficients.
#[derive(Clone, Copy, Debug)]
pub(super) struct Series<const N: usize>(pub [Interval; N]);

const TWO: Interval = Interval { low: 2.0, high: 2.0 };

impl<const N: usize> Series<N> {
    /// Nothing is known.
    pub const UNKNOWN: Series<N> = Series([Interval::ALL; N]);

    pub fn constant(value: Interval) -> Series<N> {
        let mut c = [Interval::ZERO; N];
        c[0] = value;
        Series(c)
    }

    pub fn integer(value: i64) -> Series<N> {
        Series::constant(Interval::point(value as f64))
    }

    /// t itself.
    pub fn time(t: Interval) -> Series<N> {
        let mut c = Series::constant(t);
        if N > 1 {
            c.0[1] = Interval::ONE;
        }
        c
    }

    /// The same with another value.
    fn with_value(mut self, value: Interval) -> Series<N> {
        self.0[0] = value;
        self
    }

    /// The value, without its derivatives.
    pub fn value(&self) -> Interval {
        self.0[0]
    }

    fn map(self, f: impl Fn(Interval) -> Interval) -> Series<N> {
        Series(self.0.map(f))
    }

    fn zip(self, other: Series<N>, f: impl Fn(Interval, Interval) -> Interval) -> Series<N> {
        Series(std::array::from_fn(|k| f(self.0[k], other.0[k])))
    }

    pub fn negated(self) -> Series<N> {
        self.map(Interval::negated)
    }

    pub fn plus(self, other: Series<N>) -> Series<N> {
        self.zip(other, Interval::plus)
    }

    pub fn minus(self, other: Series<N>) -> Series<N> {
        self.zip(other, Interval::minus)
    }

    /// The smallest series around both.
    pub fn hull(self, other: Series<N>) -> Series<N> {
        self.zip(other, Interval::hull)
    }

    /// Σ aⱼ bₖ₋ⱼ for j from `first` to k − `last`.
    fn product(a: &[Interval], b: &[Interval], k: usize, (first, last): (usize, usize)) -> Interval {
        (first..=k - last).map(|j| a[j].times(b[k - j])).fold(Interval::ZERO, Interval::plus)
    }

    pub fn times(self, other: Series<N>) -> Series<N> {
        Series(std::array::from_fn(|k| Self::product(&self.0, &other.0, k, (0, 0))))
    }

    /// q b = a, so b₀ qₖ = aₖ − Σ bⱼ qₖ₋ⱼ, j = 1 … k.
    pub fn over(self, other: Series<N>) -> Series<N> {
        let mut q = Series::UNKNOWN;
        // 0/0 has no value
        if other.0[0].contains_zero() {
            return q;
        }
        for k in 0..N {
            let known = if k == 0 { Interval::ZERO } else { Self::product(&other.0, &q.0, k, (1, 0)) };
            q.0[k] = self.0[k].minus(known).over(other.0[0]);
        }
        q
    }

    /// y with the value `first` and y′ = w a′, so k yₖ = Σ j aⱼ wₖ₋ⱼ, where `w` gives coefficient i of w from those of y up to i.
    fn along(self, first: Interval, mut w: impl FnMut(&[Interval], usize) -> Interval) -> Series<N> {
        let mut y = Series::constant(first);
        let mut slope = [Interval::ZERO; N];
        for k in 1..N {
            slope[k - 1] = w(&y.0, k - 1);
            let sum = (1..=k)
                .map(|j| Interval::point(j as f64).times(self.0[j]).times(slope[k - j]))
                .fold(Interval::ZERO, Interval::plus);
            y.0[k] = sum.over(Interval::point(k as f64));
        }
        y
    }

    /// The same with a w that is known.
    fn along_known(self, first: Interval, w: Series<N>) -> Series<N> {
        self.along(first, |_, i| w.0[i])
    }

    /// y² of what is known of y.
    fn square_of(y: &[Interval], i: usize) -> Interval {
        Self::product(y, y, i, (0, 0))
    }

    fn unit(i: usize) -> Interval {
        if i == 0 { Interval::ONE } else { Interval::ZERO }
    }

    /// f(a)
    pub fn call(self, f: Function) -> Series<N> {
        let first = within_domain(self.0[0], f).call(f);
        if N == 1 {
            return Series::constant(first);
        }
        let one = Series::integer(1);
        let over_root = |inside: Series<N>| one.over(inside.call(Function::Sqrt));
        let squared = || self.times(self);
        match f {
            Function::Exp => self.along(first, |y, i| y[i]),
            Function::Sin => self.along_known(first, self.lower(Function::Cos)),
            Function::Cos => self.along_known(first, self.lower(Function::Sin).negated()),
            Function::Sinh => self.along_known(first, self.lower(Function::Cosh)),
            Function::Cosh => self.along_known(first, self.lower(Function::Sinh)),
            Function::Tan => self.along(first, |y, i| Self::unit(i).plus(Self::square_of(y, i))),
            Function::Tanh => self.along(first, |y, i| Self::unit(i).minus(Self::square_of(y, i))),
            Function::Asin => self.along_known(first, over_root(one.minus(squared()))),
            Function::Acos => self.along_known(first, over_root(one.minus(squared())).negated()),
            Function::Atan => self.along_known(first, one.over(one.plus(squared()))),
            Function::Asinh => self.along_known(first, over_root(one.plus(squared()))),
            Function::Acosh => self.along_known(first, over_root(squared().minus(one))),
            Function::Atanh => self.along_known(first, one.over(one.minus(squared()))),
            Function::Log => self.along_known(first, one.over(self)),
            Function::Log10 => {
                let ten = Interval::point(10.0).call(Function::Log);
                self.along_known(first, one.over(self.times(Series::constant(ten))))
            }
            // y² = a
            Function::Sqrt => {
                let mut y = Series::constant(first);
                for k in 1..N {
                    let inner = if k > 1 { Self::product(&y.0, &y.0, k, (1, 1)) } else { Interval::ZERO };
                    y.0[k] = self.0[k].minus(inner).over(TWO.times(first));
                }
                y
            }
            // a y′ = y a′ / 3
            Function::Cbrt => {
                let third = Interval::ONE.over(Interval::point(3.0));
                self.power(first, third)
            }
            Function::Erf => {
                let gauss = squared().negated().call(Function::Exp);
                let factor = TWO.over(Interval::PI.call(Function::Sqrt));
                self.along_known(first, gauss.times(Series::constant(factor)))
            }
            Function::Expm1 => self.along_known(first, self.call(Function::Exp)),
            Function::Log1p => self.along_known(first, one.over(one.plus(self))),
            Function::Logistic => self.along(first, |y, i| y[i].minus(Self::square_of(y, i))),
            Function::Softplus => self.along_known(first, self.call(Function::Logistic)),
            // quotients beside their removable singularity
            Function::Bernoulli => self.over(self.call(Function::Expm1)).with_value(first),
            Function::Langevin => self.along_known(first, self.call(Function::LangevinSlope)),
            Function::LangevinSlope => {
                let sinh = self.call(Function::Sinh);
                one.over(squared()).minus(one.over(sinh.times(sinh))).with_value(first)
            }
            // constant between their jumps
            Function::Sign | Function::Floor | Function::Noise => Series::constant(first),
            Function::Abs => match self.0[0] {
                a if a.low >= 0.0 => self,
                a if a.high <= 0.0 => self.negated(),
                _ => self.hull(self.negated()),
            },
        }
    }

    /// f(a) without its last coefficient, which nobody asks for: the other one of a pair of functions that need each other.
    fn lower(self, f: Function) -> Series<N> {
        let value = |f: Function| self.0[0].call(f);
        let (other, sign) = match f {
            Function::Sin => (Function::Cos, Interval::ONE),
            Function::Cos => (Function::Sin, Interval::point(-1.0)),
            Function::Sinh => (Function::Cosh, Interval::ONE),
            _ => (Function::Sinh, Interval::ONE),
        };
        let (mut y, mut z) = ([Interval::ZERO; N], [Interval::ZERO; N]);
        (y[0], z[0]) = (value(f), value(other));
        // y′ = ± z a′, z′ = y a′ but for the sign of cos′ = −sin
        let back = if other == Function::Cos { Interval::point(-1.0) } else { Interval::ONE };
        for k in 1..N {
            let sum = |w: &[Interval; N]| {
                let terms = (1..=k).map(|j| Interval::point(j as f64).times(self.0[j]).times(w[k - j]));
                terms.fold(Interval::ZERO, Interval::plus).over(Interval::point(k as f64))
            };
            (y[k], z[k]) = (sign.times(sum(&z)), back.times(sum(&y)));
        }
        Series(y)
    }

    /// y = aᵇ with a constant b and the value `first`: k a₀ yₖ = Σ (b j − (k − j)) aⱼ yₖ₋ⱼ.
    fn power(self, first: Interval, b: Interval) -> Series<N> {
        let mut y = Series::constant(first);
        for k in 1..N {
            let term = |j: usize| {
                let weight = b.times(Interval::point(j as f64)).minus(Interval::point((k - j) as f64));
                weight.times(self.0[j]).times(y.0[k - j])
            };
            let sum = (1..=k).map(term).fold(Interval::ZERO, Interval::plus);
            y.0[k] = sum.over(Interval::point(k as f64).times(self.0[0]));
        }
        y
    }

    /// aᵇ
    pub fn raised(self, b: Series<N>) -> Series<N> {
        let exponent = b.0[0];
        let is_constant = b.0[1..].iter().all(|c| *c == Interval::ZERO);
        let whole = exponent.low == exponent.high && exponent.low.fract() == 0.0 && exponent.low.abs() <= 64.0;
        if N > 1 && is_constant && whole {
            let positive = (0..exponent.low.abs() as u32).fold(Series::integer(1), |product, _| product.times(self));
            return if exponent.low < 0.0 { Series::integer(1).over(positive) } else { positive };
        }
        // a root has no value beside its domain, and rounding may be there
        let base = match whole {
            true => self.0[0],
            false => Interval {
                low: if self.0[0].high >= 0.0 { self.0[0].low.max(0.0) } else { self.0[0].low },
                ..self.0[0]
            },
        };
        let first = match base.low == 0.0 && exponent.low > 0.0 {
            true => Interval { low: 0.0, ..Interval::point(base.high).raised(exponent) },
            false => base.raised(exponent),
        };
        match is_constant {
            true => self.power(first, exponent),
            false => {
                let mut y = b.times(self.call(Function::Log)).call(Function::Exp);
                y.0[0] = first;
                y
            }
        }
    }

    /// The angle of the points (x, y), y = self: θ′ = (x y′ − y x′)/(x² + y²).
    pub fn angle(self, x: Series<N>) -> Series<N> {
        let mut angle = Series::constant(self.0[0].angle(x.0[0]));
        if N > 1 {
            let rate = x.times(self.derivative()).minus(self.times(x.derivative()));
            let rate = rate.over(x.times(x).plus(self.times(self)));
            for k in 1..N {
                angle.0[k] = rate.0[k - 1].over(Interval::point(k as f64));
            }
        }
        angle
    }

    /// a′, whose last coefficient is not known.
    pub fn derivative(self) -> Series<N> {
        Series(std::array::from_fn(|k| match self.0.get(k + 1) {
            Some(next) => Interval::point((k + 1) as f64).times(*next),
            None => Interval::ALL,
        }))
    }
}

/// What lies beside the domain of a function by rounding only is on its edge.
fn within_domain(a: Interval, f: Function) -> Interval {
    let (low, high) = match f {
        Function::Sqrt => (0.0, f64::INFINITY),
        Function::Asin | Function::Acos => (-1.0, 1.0),
        Function::Acosh => (1.0, f64::INFINITY),
        _ => return a,
    };
    if a.high < low || a.low > high { a } else { Interval { low: a.low.max(low), high: a.high.min(high) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The coefficients of f(0.3 + 0.7 τ − 0.2 τ²) against values beside it: the truncated series is off by its next term.
    #[test]
    fn series_of_functions_are_those_of_their_values() {
        let argument = |f: Function| if f == Function::Acosh { [1.7, 0.7, -0.2] } else { [0.3, 0.7, -0.2] };
        for f in Function::ALL.into_iter().filter(|f| !matches!(f, Function::Noise | Function::Sign | Function::Floor))
        {
            let a = argument(f);
            let mut series = Series::<5>::constant(Interval::point(a[0]));
            (series.0[1], series.0[2]) = (Interval::point(a[1]), Interval::point(a[2]));
            let y = series.call(f);
            for tau in [1e-2, -1e-2] {
                let value = f.evaluate(a[0] + a[1] * tau + a[2] * tau * tau);
                let sum: f64 = y.0.iter().rev().fold(0.0, |sum, c| sum * tau + c.middle());
                assert!((sum - value).abs() < 3e-9, "{}: {sum} {value}", f.name());
            }
            // the quotients of Langevin's function lose digits
            assert!(y.0.iter().all(|c| c.width() < 1e-9), "{}: {y:?}", f.name());
        }
    }

    #[test]
    fn powers_quotients_and_angles_are_those_of_their_values() {
        let series = |c: [f64; 3]| {
            let mut series = Series::<5>::constant(Interval::point(c[0]));
            (series.0[1], series.0[2]) = (Interval::point(c[1]), Interval::point(c[2]));
            series
        };
        let (a, b) = ([0.8, 0.5, -0.3], [1.3, -0.4, 0.2]);
        let at = |c: [f64; 3], tau: f64| c[0] + c[1] * tau + c[2] * tau * tau;
        let (x, y) = (series(a), series(b));
        type Both = (Series<5>, fn(f64, f64) -> f64);
        let cases: [Both; 5] = [
            (x.over(y), |x, y| x / y),
            (x.raised(y), f64::powf),
            (x.raised(Series::integer(-3)), |x, _| x.powi(-3)),
            (x.raised(Series::constant(Interval::point(2.5))), |x, _| x.powf(2.5)),
            (y.angle(x), |x, y| y.atan2(x)),
        ];
        for (k, (series, f)) in cases.into_iter().enumerate() {
            for tau in [1e-2, -1e-2] {
                let value = f(at(a, tau), at(b, tau));
                let sum: f64 = series.0.iter().rev().fold(0.0, |sum, c| sum * tau + c.middle());
                assert!((sum - value).abs() < 3e-9, "{k}: {sum} {value}");
            }
        }
    }
}
