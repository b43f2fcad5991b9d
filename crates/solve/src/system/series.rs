//! What the Taylor methods ask of a system: the coefficients of the solution through a point, and those of its switches
//! along a step.

/// Series of the solutions of a system. As for [`crate::System`], the same arguments always give the same bits.
pub trait Jets {
    /// Begins at a point: writes f(t, y).
    fn begin(&mut self, t: f64, y: &[f64], f: &mut [f64]);

    /// Goes on from the point begun last, up to the power `order`:
    ///
    /// ```text
    ///   c[k n + i] = yᵢ⁽ᵏ⁾(t) / k! · scaleᵏ       k = 0 … order,  n states
    /// ```
    ///
    /// The scale, best a power of two near the step, keeps coefficients of short series within the range of numbers.
    /// Where the series does not exist, coefficients are not finite.
    fn extend(&mut self, scale: f64, order: usize, c: &mut [f64]);

    /// What a series costs.
    fn cost(&self) -> JetCost;
}

/// The cost of a series of order p in arbitrary units, counted, not timed:
///
/// ```text
///   cost(p) = fixed + p · per_order + p² · per_product
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JetCost {
    /// Once per step: values of functions, the step itself.
    pub fixed: f64,
    /// Per order: sums, and what each product costs without its terms.
    pub per_order: f64,
    /// Per term of a product.
    pub per_product: f64,
}

impl JetCost {
    /// All of it so many times.
    pub fn times(self, factor: f64) -> JetCost {
        let JetCost { fixed, per_order, per_product } = self;
        JetCost { fixed: factor * fixed, per_order: factor * per_order, per_product: factor * per_product }
    }

    /// The cost of a series of order p.
    pub fn of_order(&self, p: usize) -> f64 {
        let p = p as f64;
        self.fixed + p * (self.per_order + p * self.per_product)
    }
}

/// A piece of a step along which the states are polynomials in the part x of it, 0 ≤ x ≤ 1.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    /// Where it begins.
    pub t: f64,
    /// How long it is.
    pub length: f64,
    /// The coefficients of the states of [`SwitchSeries::states`], each as many as it has.
    pub y: &'a [Vec<f64>],
}

/// Series of the switches of a system that depend on its state, for given discrete values. All results have one element
/// per switch; those of switches of time alone are left as they are.
pub trait SwitchSeries {
    /// The states that they depend on.
    fn states(&self) -> &[usize];

    /// The highest power of each g along a path that may differ from zero, `usize::MAX` where there is no end of them.
    fn degrees(&mut self, path: &Path, degrees: &mut [usize]);

    /// The coefficients of each g along a path, of the powers 0 … `order` of x. Where the series does not exist they are not
    /// finite.
    fn expand(&mut self, path: &Path, order: usize, g: &mut [Vec<f64>]);

    /// For the path expanded last: a bound of |g(x) − g(0)| for all complex |x| ≤ `rho`, infinite if there is none. So g has
    /// no singularity there, and by Cauchy's estimate |gₖ| ≤ bound · rho^−k for k ≥ 1.
    fn bounds(&mut self, path: &Path, rho: f64, bounds: &mut [f64]);
}
