//! What the Taylor methods ask of a system: the coefficients of the solution through a point.

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
    /// The cost of a series of order p.
    pub fn of_order(&self, p: usize) -> f64 {
        let p = p as f64;
        self.fixed + p * (self.per_order + p * self.per_product)
    }
}
