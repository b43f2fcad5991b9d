//! The error of a step, from a formula of lower order with the same stages.

use super::Radau;
use crate::newton::largest_part;
use crate::{Point, System};

impl Radau {
    /// The error in units of the tolerance, and its component.
    ///
    /// ```text
    ///   ŷ₁ = y + h (b̂₀ f(t, y) + Σ b̂ᵢ f(t + cᵢh, y + Zᵢ))     b̂₀ = 1/γ, order s
    ///   err = (γ/h M − J)⁻¹ (f(t, y) + M Σ eᵢ Zᵢ / h)            e = γ (b̂ − b)ᵀ A⁻¹
    /// ```
    ///
    /// Hairer, Wanner II, IV.8, eq. (8.17)–(8.20). Two stages have no real γ: Re (μ/h M − J)⁻¹ stands for it, with b̂₀ = Re μ/|μ|²,
    /// which behaves in the same way for small and for large steps.
    pub(super) fn estimate(&mut self, system: &mut dyn System, from: &Point) -> (f64, usize) {
        let (n, differential) = (self.y0.len(), self.stages.differential());
        let sigma = 1.0 / self.h;
        let z = self.stages.z.chunks_exact(n);
        self.estimate.fill(0.0);
        for (e, z) in self.method.error.iter().zip(z) {
            let e = sigma * e;
            self.estimate[..differential].iter_mut().zip(z).for_each(|(sum, z)| *sum += e * z);
        }
        // For the second estimate.
        self.f1.copy_from_slice(&self.estimate);
        self.estimate.iter_mut().zip(&self.f0).for_each(|(estimate, f)| *estimate += f);
        self.stages.filter(self.method, &mut self.estimate);
        let (error, worst) = self.norm();
        if error < 1.0 || !self.control.is_unsure() {
            return (error, worst);
        }
        // A fast component that is not on its smooth way yet makes a false alarm: once more from where it is going.
        for (estimate, y) in self.estimate.iter_mut().zip(&self.y0) {
            *estimate += y;
        }
        let mut f = std::mem::take(&mut self.y1);
        system.derivative(from.t, &self.estimate, from.d, &mut f);
        self.stages.work.f += 1;
        for ((estimate, f), terms) in self.estimate.iter_mut().zip(&f).zip(&self.f1) {
            *estimate = f + terms;
        }
        self.y1 = f;
        self.end_of_step();
        if self.estimate.iter().any(|e| !e.is_finite()) {
            return (error, worst);
        }
        self.stages.filter(self.method, &mut self.estimate);
        self.norm()
    }

    fn norm(&self) -> (f64, usize) {
        largest_part(&self.estimate, |i| self.scale[i])
    }
}
