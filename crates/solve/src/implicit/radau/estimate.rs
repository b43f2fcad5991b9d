//! The error of a step, from a formula of lower order with the same stages.

use super::Radau;
use super::coefficients::MOST_STAGES;
use crate::implicit::newton::largest_part;
use crate::{Method, Point, System};

/// A defect that the filter makes not even so many times smaller is not one of a stiff equation.
const HARDLY_FILTERED: f64 = 4.0;
/// Tolerances that a defect may have in any case.
const SMALL: f64 = 0.05;

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
        // The beginning is on its algebraic equations: what is left of them there is rounding, which says nothing of the error but
        // where derivatives of another place divide by a conductance that has grown by orders of magnitude since.
        let differential_part = self.estimate[..differential].iter_mut();
        differential_part.zip(&self.f0).for_each(|(estimate, f)| *estimate += f);
        self.defect = self.norm().0 * self.h / self.method.real.unwrap_or(self.method.pairs[0].re);
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
        self.estimate.fill(0.0);
        let differential_part = self.estimate[..differential].iter_mut();
        for ((estimate, f), terms) in differential_part.zip(&f).zip(&self.f1) {
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

    /// The error between the stages in units of the tolerance, where the error of the end does not bound it.
    ///
    /// Where the equations are stiff, the end of a step may be right to the last digit while the polynomial through its stages
    /// is a poor one: they only have to lie on the slow solution, and the step may be as long as its period. As at the end
    ///
    /// ```text
    ///   error ≈ (γ/h M − J)⁻¹ (f(t + θh, p) − M p′/h)
    /// ```
    ///
    /// What is filtered by the estimate of the step is just this defect at θ = 0. Where that is small without the filter, too,
    /// the polynomial is as good as the step.
    pub(super) fn between_stages(&mut self, system: &mut dyn System, from: &Point) -> Option<f64> {
        if self.fixed_step || self.defect <= (HARDLY_FILTERED * self.error).clamp(SMALL, 1.0) {
            return None;
        }
        let (n, differential) = (self.y0.len(), self.stages.differential());
        let mut y = std::mem::take(&mut self.between);
        y.resize(n, 0.0);
        let mut worst: f64 = 0.0;
        for theta in self.method.between {
            self.interpolate(theta, &mut y);
            system.derivative(from.t + theta * self.h, &y, from.d, &mut self.estimate);
            self.stages.work.f += 1;
            let mut slopes = [0.0; MOST_STAGES];
            self.method.slopes(theta, &mut slopes);
            for (slope, z) in slopes.iter().zip(self.stages.z.chunks_exact(n)).take(self.method.stages) {
                let slope = slope / self.h;
                self.estimate[..differential].iter_mut().zip(z).for_each(|(sum, z)| *sum -= slope * z);
            }
            self.stages.filter(self.method, &mut self.estimate);
            let error = self.norm().0;
            // not a number counts, too
            worst = if error <= worst { worst } else { error };
        }
        self.between = y;
        Some(worst)
    }

    fn norm(&self) -> (f64, usize) {
        largest_part(&self.estimate, |i| self.scale[i])
    }
}
