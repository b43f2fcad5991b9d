//! The method with a given step, as the Modern Taylor Series Method is defined: terms are added until three in a row are
//! below the absolute tolerance; their number is ORD. J. Kunovský, Modern Taylor Series Method, Brno 1994. A step that
//! would need more than the highest order is halved.

use super::{Taylor, first_not_finite, polynomial};
use crate::{Point, StepFailure, System, Tolerance, Trial};

/// So many terms in a row must be small, also those of linear systems.
pub(crate) const IN_A_ROW: usize = 3;

/// Orders computed at a time.
const PORTION: usize = 12;

impl Taylor {
    /// A step of given length; its order follows from the tolerance, unless it is given, too.
    pub(super) fn fixed(
        &mut self,
        system: &mut dyn System,
        from: &Point,
        h: f64,
        tol: &Tolerance,
    ) -> Result<Trial, StepFailure> {
        self.substituted = !self.begin(system, from)?;
        if self.substituted {
            self.prepare_substitute(from.y.len());
            return self.substitute_step(system, from, h, tol);
        }
        self.scale = h;
        let highest = self.highest();
        if let Some(order) = self.options.order {
            self.terms(system, from, order as usize)?;
            self.order = order as usize;
            self.go_to(system, from, h)?;
            return Ok(Trial { error: 0.0, worst: 0, order, next_h: None });
        }
        let (mut known, mut small) = (1, 0);
        let mut largest = 0;
        for k in 1..=highest {
            if k > known || k == 1 {
                known = (k + PORTION).min(highest);
                self.terms(system, from, known)?;
            }
            let n = from.y.len();
            let row = &self.c[k * n..(k + 1) * n];
            match row.iter().zip(&tol.atol).position(|(c, atol)| c.abs() >= *atol && *c != 0.0) {
                Some(component) => (small, largest) = (0, component),
                None => small += 1,
            }
            if small < IN_A_ROW {
                continue;
            }
            self.order = k;
            self.go_to(system, from, h)?;
            // Gaps of the series, such as the powers 2, 6, 10, …, must not pass for its end.
            if self.absolute_defect(tol) <= 1.0 {
                let next_h = self.scaled_step(h);
                return Ok(Trial { error: 0.0, worst: 0, order: k as u32, next_h });
            }
            // f at the end replaced the series that is to be continued.
            (self.begun, self.accepted) = (false, false);
            self.begin(system, from)?;
            self.terms(system, from, known)?;
        }
        (self.begun, self.accepted) = (false, false);
        Err(StepFailure::TooLong { component: largest })
    }

    /// The terms up to an order.
    fn terms(&mut self, system: &mut dyn System, from: &Point, order: usize) -> Result<(), StepFailure> {
        let n = from.y.len();
        self.c.resize((order + 1) * n + polynomial::PADDING, 0.0);
        let jets = system.jets(from.d).expect("it was begun");
        jets.extend(self.scale, order, &mut self.c);
        self.work.jets += 1;
        self.work.coefficients += order as u64;
        self.order = order;
        self.known = true;
        let Some(place) = first_not_finite(&self.c, n, order) else { return Ok(()) };
        // In shorter units of time the same coefficients may be finite.
        self.scale *= 1e-12;
        jets.extend(self.scale, order, &mut self.c);
        (self.begun, self.accepted) = (false, false);
        match first_not_finite(&self.c, n, order) {
            Some(place) => Err(StepFailure::NoSeries { component: place % n, order: (place / n) as u32 }),
            None => Err(StepFailure::TooLong { component: place % n }),
        }
    }

    /// The defect at the end in units of the absolute tolerance. What rounding makes of the largest terms does not count.
    fn absolute_defect(&self, tol: &Tolerance) -> f64 {
        let (n, order) = (self.f.len(), self.order as f64);
        let mut worst: f64 = 0.0;
        for (i, (slope, f)) in self.slope.iter().zip(&self.f).enumerate() {
            let terms = self.c[..(self.order + 1) * n].iter().skip(i).step_by(n);
            let largest = terms.fold(0.0, |most: f64, c| most.max(c.abs()));
            let noise = 4.0 * f64::EPSILON * order * largest;
            let error = ((slope - self.h * f).abs() - noise).max(0.0) / (order + 1.0);
            if error > 0.0 {
                worst = worst.max(error / tol.atol[i]);
            }
        }
        worst
    }

    /// The longer step, once, when three steps in a row had a low order.
    fn scaled_step(&mut self, h: f64) -> Option<f64> {
        let scale = self.options.h_scale.filter(|_| !self.scaled)?;
        self.low = if self.order <= self.options.min_ord as usize { self.low + 1 } else { 0 };
        self.scaled = self.low == 3;
        self.scaled.then_some(scale * h)
    }
}
